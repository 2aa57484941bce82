/* What transformations see and do: the model of one kernel (facts, read-only) and the plan (edits,
 * parameters, constraints, remarks) that they add to. A transformation is one file with an
 * ht_transformation, listed in transformations.c. Private to refactor/.
 *
 * Ranges are byte offsets [begin, end) into model->text, the file that holds the kernel; the texts
 * of the unit's other files, with launches, follow after it (ht_source.text). */
#ifndef HT_REFACTOR_PLAN_TRANSFORM_H
#define HT_REFACTOR_PLAN_TRANSFORM_H

#include "refactor/refactor.h"

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct ht_range {
    size_t begin, end;
} ht_range;

/* ---- the model
 * ---------------------------------------------------------------------------------------------- */

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

/* ---- the plan
 * -----------------------------------------------------------------------------------------------
 */

typedef struct ht_plan ht_plan;

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

typedef struct ht_transformation {
    const char *name;    /* "block-size" */
    const char *summary; /* one line */
    /* Adds edits, parameters, requires and remarks. Nothing to do: add a MISSED remark that says
     * why, or none. A failed call of the ht_plan functions marks the plan; then everything this
     * transformation added is taken back (remarks stay), so calls need not be checked one by one.
     */
    void (*apply)(const ht_model *model, ht_plan *plan);
    unsigned stopped_by; /* of ht_pinned: where one is held fast, it is not applied */
} ht_transformation;

/* All transformations in the order they run, NULL-terminated. Those that wrap statements come last.
 */
extern const ht_transformation *const ht_transformations[];

/* Replaces `range` (begin == end: inserts) by `text`, in which
 *     ${EXPR}        a template expression over parameters: printed as C in the template, as its
 * value when applied
 *     $[BEGIN,END]   the source text of that range with all edits that lie inside it (so edits
 * nest: wrap a statement with "for (...) { $[b,e] }"; a range may be given several times)
 *     $?{EXPR}{A}{B} A in the template; in an applied source B where EXPR is not 0, else nothing.
 *                    (Where that differs in the general kernel: A, so that A gives values as ${ },
 *                    and what one of several such choices shows the others leave out.)
 *     $$             a dollar sign
 * An edit that lies inside another's range shows only where the outer text mentions its place by $[
 * ]. Ranges that cross, or two edits of one range, fail. When `param` is not NULL the edit is left
 * out of applied sources in which this parameter has its default value (the original text, with the
 * edits inside it, stays). */
bool ht_plan_edit(ht_plan *plan, ht_range range, const char *param, const char *text);
bool ht_plan_editf(ht_plan *plan, ht_range range, const char *param, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a range that others may have edited as a whole, and that is shown by its own $[ ].
 * In an applied source `text` need not mention all of the edits inside. A second call for the range
 * replaces the text of the first. */
bool ht_plan_wrap(ht_plan *plan, ht_range range, const char *param, const char *text);
/* Around all that, other wrapping texts too, which `text` shows by the range's own $[ ]; what is
 * added later lies further outside. */
bool ht_plan_wrap_all(ht_plan *plan, ht_range range, const char *param, const char *text);

/* A new template-bound integer (or boolean: values "false, true") parameter of the kernel, as in
 * param(NAME : VALUES = DEFAULT): ht_plan_param(plan, "COARSEN_X", "1, 2, 4", "1"). The default
 * must be what the original does. Fails when the name is taken by anything in the kernel; ask
 * ht_plan_name first for one that is free. */
bool ht_plan_param(ht_plan *plan, const char *name, const char *values, const char *default_value);
/* `wanted`, or wanted_2, wanted_3, ...: a name that nothing in the file uses. Owned by the plan. */
const char *ht_plan_name(ht_plan *plan, const char *wanted);
/* The same of both together, in capitals: "STAGE_" and an array's name. */
const char *ht_plan_name_upper(ht_plan *plan, const char *front, const char *back);

/* require(EXPR), a template expression. */
bool ht_plan_require(ht_plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The boolean parameter is on only with sizes as constants, `size` among them, by requires of the
 * caller's: the general kernel, which stands in an applied source for other sizes, does without. */
bool ht_plan_needs_size(ht_plan *plan, const char *param, const char *size);

/* Each block now covers `param` times as many global indices along `axis` (0 x, 1 y, 2 z): launches
 * divide their grid by it, and requires that the grid still covers the guard's bound are added at
 * the end. Fails when no launch is known. */
bool ht_plan_cover(ht_plan *plan, int axis, const char *param);

/* The parameter that says how many outputs a thread has along an axis; NULL: none does. Borrowed.
 */
const char *ht_plan_cover_param(const ht_plan *plan, int axis);

/* The current block size along an axis as a template expression: "BLOCK_X" or "16". Borrowed. NULL:
 * unknown. */
const char *ht_plan_block(const ht_plan *plan, int axis);

/* Remarks, like a compiler's. `cursor` gives the place; a null cursor means the kernel's. */
void ht_plan_remark(ht_plan *plan, ht_remark_kind kind, CXCursor cursor, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- helpers over the AST
 * ----------------------------------------------------------------------------------- */

typedef struct ht_cursors {
    CXCursor *items; /* owned; free() */
    size_t count;
} ht_cursors;

/* Direct children, without those that stand for defaulted arguments. free(items). */
ht_cursors ht_ast_children(CXCursor cursor);
/* The only or i-th child; null cursor when there is none. */
CXCursor ht_ast_child(CXCursor cursor, size_t index);
/* Calls `visit` on every descendant in source order; returning false skips that one's children. */
void ht_ast_walk(CXCursor root, bool (*visit)(CXCursor cursor, CXCursor parent, void *context),
                 void *context);
/* Returns true if this declaration is named anywhere in the expression, or is the expression's own.
 */
bool ht_ast_mentions(CXCursor expression, CXCursor declaration);
/* Returns true if a declaration stands in a statement's text (of one file). */
bool ht_ast_inside(CXCursor declaration, CXCursor statement);

/* Returns true if this child of the translation unit is an instantiation that nobody wrote. The
 * walk leaves those out. */
bool ht_ast_is_instantiation(CXCursor cursor, CXCursor parent);

/* The cursor without parentheses, implicit conversions and (when `casts`) explicit conversions to
 * integer types. */
CXCursor ht_ast_strip(CXCursor cursor, bool casts);

/* The file range of a cursor. False when it lies outside model->file or begins or ends inside a
 * macro expansion (then it must not be edited by its extent). */
bool ht_ast_range(const ht_model *model, CXCursor cursor, ht_range *out_range);
/* A statement's range with its `;`, and with the pragma lines and attributes right before it when
 * `pragmas`. */
bool ht_ast_statement_range(const ht_model *model, CXCursor statement, bool pragmas,
                            ht_range *out_range);
/* Source text of a range as a fresh string; free(). */
char *ht_model_text(const ht_model *model, ht_range range);
int ht_ast_line(CXCursor cursor);
/* Returns true if this cursor's text (any part) is produced by a macro. */
bool ht_ast_in_macro(const ht_model *model, CXCursor cursor);

/* How a binary operator without assignment is written; NULL for others. */
const char *ht_ast_operator(enum CXBinaryOperatorKind kind);
/* The comparison < > <= >= with its sides exchanged, and its opposite; invalid for others. */
enum CXBinaryOperatorKind ht_ast_mirrored(enum CXBinaryOperatorKind kind);
enum CXBinaryOperatorKind ht_ast_negated(enum CXBinaryOperatorKind kind);
/* Binary operators (plain and assignments); false when it is not one. Operands are not stripped. */
bool ht_ast_binary(CXCursor cursor, enum CXBinaryOperatorKind *out_kind, CXCursor *out_left,
                   CXCursor *out_right);
/* The variable, parameter or constant a (stripped) expression names; null cursor when it is no
 * plain name. */
CXCursor ht_ast_variable(CXCursor expression);
/* Which built-in index a (stripped) expression is, or a global index; *out_axis 0..2. */
ht_index_kind ht_ast_index(const ht_model *model, CXCursor expression, int *out_axis);
/* Value of an integer constant expression (literals, macros, constexpr, const with initialiser). */
bool ht_ast_constant(CXCursor expression, int64_t *out_value);
/* Parts of a `for` statement; each may be a null cursor. False when they cannot be distinguished.
 */
bool ht_ast_for(CXCursor statement, CXCursor *out_init, CXCursor *out_condition,
                CXCursor *out_increment, CXCursor *out_body);
/* for (T i = A; i < B; ++i) with A and B constant and i not written in the body: its trip count. */
bool ht_ast_trip_count(const ht_model *model, CXCursor statement, int64_t *out_trip);
/* The model's record of a VarDecl in the kernel, or of a parameter; NULL when it is not one. */
const ht_local *ht_model_local(const ht_model *model, CXCursor declaration);
const ht_parameter *ht_model_parameter(const ht_model *model, CXCursor declaration);
/* An integer expression over constants and unassigned scalar arguments as a template expression;
 * free(). NULL when it is anything else. */
char *ht_ast_expression(const ht_model *model, CXCursor expression);

/* Registered elsewhere, one file each. */
extern const ht_transformation ht_transformation_block_size;
extern const ht_transformation ht_transformation_unroll;
extern const ht_transformation ht_transformation_loop_order;
extern const ht_transformation ht_transformation_launch_bounds;
extern const ht_transformation ht_transformation_waves;
extern const ht_transformation ht_transformation_restrict;
extern const ht_transformation ht_transformation_fixed_sizes;
extern const ht_transformation ht_transformation_grid_order;
extern const ht_transformation ht_transformation_coarsen_x;
extern const ht_transformation ht_transformation_coarsen_outer;
extern const ht_transformation ht_transformation_tiled;
extern const ht_transformation ht_transformation_stage;
extern const ht_transformation ht_transformation_inner_path;
extern const ht_transformation ht_transformation_vector;
extern const ht_transformation ht_transformation_stream;
extern const ht_transformation ht_transformation_thread_order;

#endif
