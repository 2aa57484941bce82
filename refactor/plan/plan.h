/* The contents of a plan: edits, parameters and the rest, and the rendering of text with them.
 * Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_PLAN_H
#define HT_REFACTOR_PLAN_PLAN_H

#include "base/text.h"
#include "refactor/kernel/model.h"
#include "refactor/kernel/syntax.h"
#include "refactor/plan/transform.h"

/* Order of edits of the same range: an edit that wraps less lies inside one that wraps more. */
typedef enum ht_wraps {
    HT_WRAPS_NOTHING,
    HT_WRAPS_FORM, /* the text may leave out edits inside */
    HT_WRAPS_ALL
} ht_wraps;

typedef struct ht_edit {
    ht_range range; /* in the source's whole text; past the model's length, in another file */
    char *param;    /* the edit is left out if this has its default value; NULL: it never is */
    char *text;
    bool applied_only; /* not in the template */
    ht_wraps wraps;
    struct ht_launch_print *print; /* prints the text of an applied source; NULL: `text`; owned */
} ht_edit;

enum { HT_PLANNED_NEST_MAX = 3 };

typedef struct ht_planned_param {
    char *name;
    char *values, *default_value;
    const char *transformation; /* that added it */
    bool existing;              /* a template parameter that the kernel already has */
    bool macro;                 /* bound to a macro of the unit */
    const char *stands_for; /* the kernel's parameter that it replaces by a constant; NULL: none */
    const char *given;      /* for such: the kernel's own parameter is then called so */
    const char *by_size;    /* the size (a parameter made a constant) without which it is off, as in
                               the general kernel; NULL: it needs none */
    int64_t step;  /* its value in the problem if the kernel multiplies indices by it, as by a
                      stride; else 0 */
    ht_range loop; /* the loop whose unroll factor it is; empty: it is not one */
    bool whole;    /* its default is the loop's trip count, and no pragma of the author's says so */
    const ht_syntax *nest[HT_PLANNED_NEST_MAX]; /* the loops whose order it is, outermost first */
    size_t nest_count;
    bool rounds;        /* results may differ in their last bits if it does not have its default */
    const char *type;   /* of the template parameter; NULL: int or bool */
    char *called;       /* words for its value in an applied source, which may make a name of them:
                           "outputs per thread"; NULL: it stays a number; owned */
    const char *form;   /* as ht_param.form; static */
    char *hidden_macro; /* a macro of this name must be undefined around the parameterized kernel;
                           NULL: none */
} ht_planned_param;

/* A second text for an edit, which vector-width may use in its place. */
typedef struct ht_wide_edit {
    ht_range range;
    char *text;                   /* NULL: there is none; owned */
    const char *param;            /* the parameter of it: outputs in one access */
    const char *aligned;          /* and whether these are aligned */
    bool alignable;               /* an access can be */
    const char *factor, *strided; /* of the outputs */
    size_t bytes;                 /* of the largest element accessed; 0: not known */
    const char *rows;             /* another one of which this holds; NULL: there is none */
    const char *jam;              /* the parameter with which the text is there; NULL: no text */
    const char *why; /* why an access is not a part of it, and of which; NULL: all are; static */
    ht_position at;
} ht_wide_edit;

typedef struct ht_cover {
    int axis;
    char *param;
} ht_cover;

typedef struct ht_edit_list {
    ht_edit *items;
    size_t count;
} ht_edit_list;

typedef struct ht_planned_params {
    ht_planned_param *items;
    size_t count;
} ht_planned_params;

typedef struct ht_require_list {
    char **items;
    size_t count;
} ht_require_list;

typedef struct ht_cover_list {
    ht_cover *items;
    size_t count;
} ht_cover_list;

typedef struct ht_remark_list {
    ht_remark *items;
    size_t count;
} ht_remark_list;

/* The request of the plan's caller: set before any transformation runs. */
typedef struct ht_plan_request {
    unsigned without;                      /* bit i: ht_transformations[i] is not to run */
    const struct ht_recipe_kernel *recipe; /* what to run, with which values; NULL: all; borrowed */
    bool stay; /* definitions of constants and variables are not to be edited */
    /* text that only other builds compile stops nothing: there is a template, for this build, but
     * no tuned source */
    bool own_build;
    bool leaves; /* launches that cannot be rewritten stay: there is no tuned source then */
} ht_plan_request;

/* The transformation that runs, and whether what it adds can stay. */
typedef struct ht_plan_running {
    const char *transformation; /* its name */
    bool unfinished; /* it needed more of isl's operations than its share: plan anew without it */
    bool failed;     /* an edit or parameter was refused: it is taken back */
    bool torn;       /* an edit would have lost a branch of a preprocessor conditional */
    bool abandoned;  /* it gave up with a remark: its additions are taken back */
} ht_plan_running;

/* The planned block along an axis, and what must hold of the grid along it. */
typedef struct ht_planned_axis {
    char *block; /* a template expression; NULL: it is unknown; owned */
    char *bound; /* what the grid must cover in addition to the model's guards; NULL: nothing more;
                    owned */
    /* the parameter for the outputs that a thread of the original's computes already, which its
     * launch divides by, too; NULL: there is none; the plan's */
    const char *each;
    bool changed;     /* the block is not the original's */
    bool exact_cover; /* the number of threads must stay as it is */
    bool free_cover;  /* any number of threads will do (grid-stride loops) */
    bool keep_cover;  /* the number of threads must not grow */
    bool keep_grid;   /* another block is launched with the same grid */
    bool falls_back;  /* where the new block does not divide the number of threads, a tuned source
                         launches the old block, with which the kernel works as well */
} ht_planned_axis;

/* Several of the original's blocks that lie along an axis of one block; the original's is one
 * thread wide there. */
typedef struct ht_planned_stack {
    char *param; /* their number; NULL: blocks are not stacked; owned */
    int axis;    /* the block's axis */
    int grid;    /* the grid's axis that has that many times fewer blocks */
} ht_planned_stack;

/* Several of the original's blocks along an axis of the grid, joined in one (launch_tiles.h). */
typedef struct ht_planned_tiles {
    char *param; /* their number; NULL: none are; owned */
    int axis;
    ht_range factor; /* of the launch's extent: the text that counts the original's */
    char *grid;      /* the new extent, a template expression; owned */
} ht_planned_tiles;

/* How launches of the planned kernel differ from the original's, besides block and grid. */
typedef struct ht_planned_launches {
    char *lds_times; /* the parameter by which a block's dynamic shared memory is multiplied; NULL:
                        none; owned */
    const char *row_blocks; /* the parameter for how many blocks along y, which the original's grid
                               does not have, take the place of one; NULL: one stays one; the
                               plan's */
    ht_planned_tiles tiles;
    const char *block_rows; /* the parameter for how many of the original's blocks, rows, lie along
                               y of one, where the grid is a multiple; NULL: one; the plan's */
    bool renumbered;        /* threads are renumbered: threadIdx no longer is a thread's place */
    bool choose;            /* they test whether a device launches the new grid */
    const char *old_kernel; /* the original kernel's name if it is kept; NULL: it cannot be */
    char *unapplied; /* why there is a template but cannot be a tuned source; NULL: there can be;
                        owned */
} ht_planned_launches;

/* A name given out, which nothing else in the file uses. */
typedef struct ht_given_name {
    char *text;   /* the wanted name, with "_2" and so on where that was taken; owned */
    char *wanted; /* owned */
    int number;   /* 1: as wanted */
} ht_given_name;

/* A function that an applied source has above the kernel. */
typedef struct ht_planned_function {
    char *where; /* a template expression: it is not 0; owned */
    char *text;  /* whole lines; owned */
} ht_planned_function;

/* The text that the plan adds to the unit, or changes there, apart from the kernel and its
 * launches. */
typedef struct ht_planned_unit {
    char *helpers; /* declarations that the parameterized kernel needs; NULL: none; owned */
    ht_given_name *names;
    size_t name_count;
    bool camel; /* names are written likeThis, as the file's are */
    ht_planned_function *functions;
    size_t function_count;
    char **followed; /* constants whose definition is edited */
    size_t followed_count;
} ht_planned_unit;

/* Forms of the kernel's body that later transformations build on. */
typedef struct ht_plan_forms {
    ht_wide_edit wide;                              /* of coarsen-x */
    struct ht_tiled_form *tiled;                    /* the tiled form; NULL: none; owned */
    void (*tiled_free)(struct ht_tiled_form *form); /* set with it */
} ht_plan_forms;

/* Results of the request: the transformations to name in a recipe. */
typedef struct ht_plan_record {
    const char **applied;
    size_t applied_count;
    const char **omitted; /* those of request.without that a record names */
    size_t omitted_count;
    char *unmet; /* a part of the recipe that is not possible; NULL: none; owned */
} ht_plan_record;

/* One kernel's rewriting: the edits that make it a template, the parameters that they depend on,
 * and the launches that fit it. */
struct ht_plan {
    const ht_model *model; /* the kernel */
    ht_plan_request request;
    ht_plan_running running;
    ht_edit_list edits;
    ht_planned_params params;
    ht_require_list requires; /* template expressions over params; owned */
    ht_cover_list covers;     /* parameters that multiply what a block covers */
    ht_planned_axis axes[3];
    ht_planned_stack stack;
    ht_planned_launches launches;
    ht_planned_unit unit;
    ht_plan_forms forms;
    ht_plan_record record;
    ht_remark_list remarks;
};

void ht_plan_init(ht_plan *plan, const ht_model *model);
void ht_plan_free(ht_plan *plan);

/* Like ht_plan_param, but does not check that the name is free. The caller sets the fields after
 * the default. */
ht_planned_param *ht_plan_param_add(ht_plan *plan, const char *name, const char *values,
                                    const char *default_value);
/* Returns true if an edit changes a part of the range, or inserts text there. */
bool ht_plan_has_edit(const ht_plan *plan, ht_range range);
/* Returns a C expression over the kernel's arguments as text around the body, where arguments have
 * the header's names; free(). */
char *ht_plan_outside(const ht_plan *plan, const char *expression);
/* Returns a name that the plan has given out and that its requires from index `first` on use, but
 * that is not a parameter; NULL: there is none. */
const char *ht_plan_orphan(const ht_plan *plan, size_t first);
/* Adds a declaration to the unit, before the parameterized kernel. */
void ht_plan_help(ht_plan *plan, const char *text);
/* Adds a function above the kernel of an applied source in which the expression `where` is not 0.
 */
void ht_plan_function(ht_plan *plan, const char *where, const char *text);
/* Keeps the loop and those around it in the original's order: text at the start of its body needs
 * their counters, in configurations where the expression `where` holds. */
void ht_plan_keep_order(ht_plan *plan, const ht_syntax *loop, const char *where);
/* Returns the parameters that `rounds`, "A,B", or NULL for no parameters; free(). */
char *ht_plan_rounds(const ht_plan *plan);
/* Sets the block along an axis to a template expression. */
void ht_plan_set_block(ht_plan *plan, int axis, const char *expression);
/* Adds a remark that says why the running transformation is left out while others stay. */
void ht_plan_remark_left_out(ht_plan *plan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ht_plan_remark_at(ht_plan *plan, ht_remark_kind kind, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Values for `${}`; NULL: names are printed. */
typedef struct ht_values {
    const ht_template *template; /* `config` has values of its parameters */
    const ht_config *config;
    bool named; /* print marks (value_marks.h) for values that may get a name */
} ht_values;

/* Takes back all edits after the first `count`. */
void ht_plan_edits_drop(ht_plan *plan, size_t count);
/* Adds an edit that only applied sources show. */
bool ht_plan_edit_applied(ht_plan *plan, ht_range range, const char *param, const char *text);

/* Adds an edit of the place whose text is this print. `key` distinguishes it from other prints of
 * the same place. Copies the print. */
bool ht_plan_print(ht_plan *plan, ht_range range, const char *param, const char *key,
                   const struct ht_launch_print *print, bool around);

/* Replaces `range` (inserts, if begin == end) by `text`, which may contain
 *     ${EXPR}        a template expression over parameters: as C in the template, as its value in
 *                    an applied source
 *     $[BEGIN,END]   the source text of that range with all edits inside it. So edits nest: a
 *                    statement is wrapped by "for (...) { $[b,e] }". A range may be given more than
 *                    once.
 *     $-[BEGIN,END]  nothing: the text that stands there instead does what the edits inside it do
 *     $?{EXPR}{A}{B} A in the template; in an applied source B if EXPR is not 0, else nothing.
 *                    (If the general kernel's EXPR differs: A, which may then have values by ${ },
 *                    and text that one of several such choices shows, the others leave out.)
 *     $^             at the begin of a line: the indentation of the line above it
 *     $$             a dollar sign
 *
 * An edit inside another's range is shown only if the outer text shows its place by $[ ]. Ranges
 * that cross, and two edits of the same range, fail. An edit with a `param` is left out of applied
 * sources in which this parameter has its default value: there the original text stays, with the
 * edits inside it. */
bool ht_plan_edit(ht_plan *plan, ht_range range, const char *param, const char *text);
bool ht_plan_editf(ht_plan *plan, ht_range range, const char *param, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds an edit of a range that others may have edited as a whole; `text` shows those edits by the
 * range's own $[ ]. In an applied source `text` may leave out edits inside. A second call for the
 * range replaces the text of the first. */
bool ht_plan_wrap(ht_plan *plan, ht_range range, const char *param, const char *text);
/* Adds an edit around all others of its range, wrapping ones included, which `text` shows by the
 * range's own $[ ]. Later ones go around earlier ones. */
bool ht_plan_wrap_all(ht_plan *plan, ht_range range, const char *param, const char *text);

/* Returns the parameter of the unroll factor of the loop that begins there; NULL: there is none. */
const ht_planned_param *ht_plan_unroll_of(const ht_plan *plan, size_t begin);

/* Adds a template parameter to the kernel, an integer or (values "false, true") a boolean, as
 * param(NAME : VALUES = DEFAULT) has it: ht_plan_param(plan, "COARSEN_X", "1, 2, 4", "1"). The
 * default must keep the original's behaviour. Fails if anything in the kernel has the name;
 * ht_plan_name returns one that is free. */
bool ht_plan_param(ht_plan *plan, const char *name, const char *values, const char *default_value);
/* Says that a tuned source has a form that nobody writes by hand unless the parameter has its
 * default: "a lambda around the body". Does nothing if there is no such parameter. `form` is
 * static. */
void ht_plan_form(ht_plan *plan, const char *name, const char *form);
/* Gives a parameter the words by which an applied source calls its value. Does nothing if there is
 * no such parameter. */
void ht_plan_call(ht_plan *plan, const char *name, const char *words);
/* The words for a thread's outputs. */
extern const char ht_outputs_words[];
/* Returns `wanted`, or wanted_2, wanted_3, ...: a name that nothing in the file uses. Owned by the
 * plan. */
const char *ht_plan_name(ht_plan *plan, const char *wanted);
/* Returns such a name for both parts together, in capitals: "STAGE_" and an array's name. */
const char *ht_plan_name_upper(ht_plan *plan, const char *front, const char *back);

/* For such an expression: what the device is. Arrays in shared memory end at 48 KiB on NVIDIA's
 * GPUs, and at 64 KiB on AMD's and on the host. */
#define HT_PLAN_NVIDIA "device.max_static_lds < 65536"
#define HT_PLAN_NOT_NVIDIA "device.max_static_lds >= 65536"

/* Adds require(EXPR), a template expression. */
bool ht_plan_require(ht_plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says that the boolean parameter can be on only if sizes are constants, `size` among them; the
 * caller adds the requires for it. In the general kernel, which an applied source keeps for other
 * sizes, it is off: nobody would write a kernel in both ways, so it is a form. */
bool ht_plan_needs_size(ht_plan *plan, const char *param, const char *size);

/* Says that each block now covers `param` times as many global indices along `axis` (0 x, 1 y, 2
 * z). Launches divide their grid by it, and requires are added at the end that the grid still
 * covers the guard's bound. Fails if no launch is known. */
bool ht_plan_cover(ht_plan *plan, int axis, const char *param);

/* Returns the parameter for the number of outputs of a thread along an axis; NULL: there is none.
 * Borrowed. */
const char *ht_plan_cover_param(const ht_plan *plan, int axis);

/* Returns the current block size along an axis as a template expression: "BLOCK_X" or "16".
 * Borrowed. NULL: it is unknown. */
const char *ht_plan_block(const ht_plan *plan, int axis);

/* Adds a remark, like a compiler's, about a place in the kernel's tree. */
void ht_plan_remark_place(ht_plan *plan, ht_remark_kind kind, ht_position place, const char *format,
                          ...) __attribute__((format(printf, 4, 5)));

#endif
