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
    bool is_integer;  /* an integer scalar, usable as a name in template expressions */
    bool is_assigned; /* written to, or its address taken, somewhere in the body */
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

/* What the kernel (and the device functions it reaches) does with one axis. */
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
    CXCursor guard_bound;    /* its cursor */
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
    HT_FEATURE_INDEX_ESCAPE, /* threadIdx & co. used whole, or in a way that is not understood */
    HT_FEATURE_COUNT
} ht_feature;

/* What a pin (pins.h) may hold fast in a kernel. */
typedef enum ht_pinned {
    HT_PINNED_PLACES = 1,   /* block, grid, and which thread does what */
    HT_PINNED_LAUNCH = 2,   /* the launch's text */
    HT_PINNED_HEADER = 4,   /* the text ahead of the kernel's body */
    HT_PINNED_POINTERS = 8, /* who reads and writes through which pointer */
    HT_PINNED_SIZES = 16,   /* arguments: not constants */
    HT_PINNED_REPEATS = 32, /* a thread runs the body once */
    HT_PINNED_FORMS = 64    /* other forms of the body, made of what its names are here */
} ht_pinned;

typedef struct ht_model {
    const char *path; /* as the user gave it */
    const char *text; /* of the whole file */
    size_t length;
    CXTranslationUnit unit;
    CXFile file;
    CXCursor kernel; /* FunctionDecl or FunctionTemplate */
    CXCursor body;   /* its CompoundStmt */
    ht_range
        range; /* from `template`, `extern "C"`, `static` or `__global__` to the closing brace */
    ht_range body_range;   /* braces included */
    const char *name;      /* unqualified */
    const char *qualified; /* ns::name */
    bool is_template;
    ht_parameter *parameters;
    size_t parameter_count;
    ht_local *locals;
    size_t local_count;
    ht_axis axes[3];
    bool feature[HT_FEATURE_COUNT]; /* in the kernel and what it reaches */
    int feature_line[HT_FEATURE_COUNT];
    bool launch_known; /* geometry of the original known, from a launch or the problem entry */
    const ht_problem_entry *entry; /* NULL when there is none */
    struct ht_kernel_facts *facts; /* for the pass itself */
} ht_model;

/* The file range of a cursor. False when it lies outside model->file or begins or ends inside a
 * macro expansion (then it must not be edited by its extent). */
bool ht_ast_range(const ht_model *model, CXCursor cursor, ht_range *out_range);

/* A statement's range with its `;`, and with the pragma lines and attributes right before it when
 * `pragmas`. */
bool ht_ast_statement_range(const ht_model *model, CXCursor statement, bool pragmas,
                            ht_range *out_range);

/* Source text of a range as a fresh string; free(). */
char *ht_model_text(const ht_model *model, ht_range range);

/* Returns true if this cursor's text (any part) is produced by a macro. */
bool ht_ast_in_macro(const ht_model *model, CXCursor cursor);

/* Which built-in index a (stripped) expression is, or a global index; *out_axis 0..2. */
ht_index_kind ht_ast_index(const ht_model *model, CXCursor expression, int *out_axis);

/* for (T i = A; i < B; ++i) with A and B constant and i not written in the body: its trip count. */
bool ht_ast_trip_count(const ht_model *model, CXCursor statement, int64_t *out_trip);

/* The model's record of a VarDecl in the kernel, or of a parameter; NULL when it is not one. */
const ht_local *ht_model_local(const ht_model *model, CXCursor declaration);
const ht_parameter *ht_model_parameter(const ht_model *model, CXCursor declaration);

/* An integer expression over constants and unassigned scalar arguments as a template expression;
 * free(). NULL when it is anything else. */
char *ht_ast_expression(const ht_model *model, CXCursor expression);

#endif
