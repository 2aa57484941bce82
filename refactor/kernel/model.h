/* The model of one kernel: what is known of it, read-only. Private to refactor/.
 *
 * Ranges are byte offsets [begin, end) into model->text, the file that holds the kernel; the texts
 * of the unit's other files, with launches, follow after it (ht_source.text). */
#ifndef HT_REFACTOR_KERNEL_MODEL_H
#define HT_REFACTOR_KERNEL_MODEL_H

#include "refactor/source/ast.h"
#include "refactor/source/range.h"
#include "templates/problem_file/problem_file.h"

typedef enum ht_index_kind {
    HT_INDEX_NONE,
    HT_INDEX_THREAD,    /* threadIdx */
    HT_INDEX_BLOCK,     /* blockIdx */
    HT_INDEX_BLOCK_DIM, /* blockDim */
    HT_INDEX_GRID_DIM,  /* gridDim */
    HT_INDEX_GLOBAL     /* blockIdx.a * (blockDim.a or the launch's block constant) + threadIdx.a */
} ht_index_kind;

/* A parameter of the kernel function. */
typedef struct ht_parameter {
    char *name;    /* "" when unnamed */
    char *type;    /* as written: "const float *" */
    char *pointee; /* element type without const/restrict; NULL when not a pointer */
    bool is_pointer;
    bool is_const; /* of the pointee for pointers */
    bool is_restrict;
    bool is_integer;    /* an integer scalar, usable as a name in template expressions */
    bool is_assigned;   /* written to, or its address taken, somewhere in the body */
    bool leads_further; /* its value or the memory it points to may hold pointers */
    ht_range range;     /* of its declaration; empty: it is no plain text of the kernel's file */
    size_t name_begin;
    CXCursor cursor;
} ht_parameter;

/* A variable declared inside the kernel's body (at any depth). */
typedef struct ht_local {
    const char *name;     /* borrowed from the model */
    CXCursor cursor;      /* the VarDecl */
    CXCursor initializer; /* null cursor when there is none */
    bool is_shared;
    bool is_array;
    unsigned writes;    /* assignments, increments, address taken or reference bound after its
                           initialisation */
    unsigned reads;     /* other uses */
    size_t first_write; /* offset of the first of `writes` in its file; SIZE_MAX: none */
} ht_local;

/* Uses of one axis by the kernel and the device functions it reaches. */
typedef struct ht_axis {
    bool uses_thread;    /* threadIdx.a outside of a global index */
    bool uses_block;     /* blockIdx.a outside of a global index */
    bool uses_block_dim; /* blockDim.a outside of a global index or of a grid stride */
    bool uses_grid_dim;  /* gridDim.a at all */
    bool uses_global;    /* a global index along this axis */
    bool fixed_pitch;    /* a global index is built on a constant, not on blockDim */
    int64_t block;       /* the launch's block along this axis in the original; 0 unknown */
    /* The upper bound of the guard `global index < bound` that stands before every memory access
     * and side effect, as a template expression over scalar arguments; NULL when there is no such
     * guard. Owned by the model. */
    char *guard;
    const struct ht_syntax *guard_bound; /* it, in the body's tree */
    CXCursor index_variable; /* the variable that holds the global index and is never written again,
                                or null */
} ht_axis;

typedef enum ht_feature {
    HT_FEATURE_SHARED,      /* static __shared__ */
    HT_FEATURE_DYNAMIC_LDS, /* extern __shared__ */
    HT_FEATURE_BARRIER,     /* __syncthreads and its kind */
    HT_FEATURE_WAVEFRONT,   /* shuffles, ballots, warpSize, lane builtins */
    HT_FEATURE_COOPERATIVE, /* cooperative groups */
    HT_FEATURE_ATOMIC,
    HT_FEATURE_ASM,
    HT_FEATURE_GOTO,         /* goto, switch over labels, try */
    HT_FEATURE_VOLATILE,     /* memory that each access reads or writes anew */
    HT_FEATURE_INDEX_ESCAPE, /* threadIdx and the others used as a whole, or in a way that is not
                                understood */
    HT_FEATURE_COUNT
} ht_feature;

/* Properties of a kernel that a pin (pins.h) may keep as they are. */
typedef enum ht_pinned {
    HT_PINNED_PLACES = 1,   /* block, grid, and which thread does what */
    HT_PINNED_LAUNCH = 2,   /* the launch's text */
    HT_PINNED_HEADER = 4,   /* the text ahead of the kernel's body */
    HT_PINNED_POINTERS = 8, /* which pointers are read and written through */
    HT_PINNED_SIZES = 16,   /* values of arguments: do not make them constants */
    HT_PINNED_REPEATS = 32, /* each thread runs the body once: do not repeat it */
    HT_PINNED_FORMS = 64    /* the body's text: its names may mean something else in other builds */
} ht_pinned;

/* The kernel's definition, by places in its file. */
typedef struct ht_definition {
    CXCursor function; /* FunctionDecl or FunctionTemplate */
    CXCursor body;     /* its CompoundStmt */
    size_t file;       /* index of the file with it: 0, the main file */
    ht_range
        range; /* from `template`, `extern "C"`, `static` or `__global__` to the closing brace */
    ht_range body_range; /* braces included */
    size_t name_begin;   /* where the function's name stands */
    int line;            /* of the name */
    bool is_template;
    bool is_declared_ahead; /* apart from its definition, ahead of it */
    bool is_extern_c;
} ht_definition;

typedef struct ht_parameter_list {
    ht_parameter *items;
    size_t count;
} ht_parameter_list;

typedef struct ht_local_list {
    ht_local *items;
    size_t count;
} ht_local_list;

typedef struct ht_model {
    const char *text;      /* of the whole file; ht_source.text */
    const char *name;      /* unqualified */
    const char *qualified; /* ns::name */
    ht_definition definition;
    ht_parameter_list parameters;
    ht_local_list locals;
    ht_axis axes[3];
    bool feature[HT_FEATURE_COUNT]; /* in the kernel and what it reaches */
    int feature_line[HT_FEATURE_COUNT];
    bool launch_known; /* geometry of the original known, from a launch or the problem entry */
    const ht_problem_entry *entry; /* NULL when there is none */
    struct ht_kernel_facts *facts; /* for the pass itself */
} ht_model;

/* Finds the file range of a cursor. Returns false if it lies outside of the main file, or begins or
 * ends inside a macro expansion, and so must not be edited. */
bool ht_ast_range(const ht_model *model, CXCursor cursor, ht_range *out_range);

/* Returns true if the text at this offset is neither made by a macro nor a macro's argument. */
bool ht_model_is_plain(const ht_model *model, size_t offset);

/* Returns the source text of a range; free(). */
char *ht_model_text(const ht_model *model, ht_range range);

/* Returns true if a macro produces any part of this cursor's text. */
bool ht_ast_in_macro(const ht_model *model, CXCursor cursor);

/* Return the model's record of a VarDecl in the kernel, or of a parameter; NULL: there is none. */
const ht_local *ht_model_local(const ht_model *model, CXCursor declaration);
const ht_parameter *ht_model_parameter(const ht_model *model, CXCursor declaration);
/* Like ht_ast_constant, with template parameters at the values of the launch. */
bool ht_model_constant(const ht_model *model, CXCursor expression, int64_t *out_value);

#endif
