/* The plan's inside: collecting edits and rendering text with them. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_PLAN_H
#define HT_REFACTOR_PLAN_PLAN_H

#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/plan/transform.h"

/* Edits of the same range that wrap less lie inside. */
typedef enum ht_wraps {
    HT_WRAPS_NOTHING,
    HT_WRAPS_FORM, /* what is inside may be left out */
    HT_WRAPS_ALL
} ht_wraps;

typedef struct ht_edit {
    ht_range range; /* in the source's whole text: beyond the model's length, of another file */
    char *param;    /* NULL: always */
    char *text;
    bool applied_only; /* not in the template */
    ht_wraps wraps;
    struct ht_launch_print *print; /* what an applied source has instead of `text`; NULL: that;
                                      owned */
} ht_edit;

enum { HT_PLANNED_NEST_MAX = 3 };

typedef struct ht_planned_param {
    char *name;
    char *values, *default_value;
    const char *transformation; /* that added it */
    bool existing;              /* a template parameter that the kernel has already */
    bool macro;                 /* bound to a macro of the unit */
    const char
        *stands_for;     /* the kernel's parameter whose value it is, as a constant; NULL: none */
    const char *given;   /* with that: what the kernel's own parameter is called then */
    const char *by_size; /* only with this one, a size as a constant: off in the general kernel;
                            NULL: with any */
    int64_t
        step; /* the kernel multiplies indices by it: its value in the problem; 0: it does not */
    ht_range loop;                      /* whose unroll factor it is; empty: none's */
    CXCursor nest[HT_PLANNED_NEST_MAX]; /* the loops whose order it is, outermost first */
    size_t nest_count;
    bool rounds;        /* results may differ in their last bits where it is not the default */
    const char *type;   /* of the template parameter; NULL: int or bool */
    char *hidden_macro; /* a macro of this name must be undefined around the parameterized kernel;
                           NULL: none */
} ht_planned_param;

/* Another text for an edit, which vector-width may put in its place. */
typedef struct ht_wide_edit {
    ht_range range;
    char *text;                   /* NULL: there is none; owned */
    const char *param;            /* its parameter: how many outputs' elements are one access */
    const char *factor, *strided; /* of the outputs */
    const char *why;              /* the first access that is no part of it; NULL: none; static */
    CXCursor at;
} ht_wide_edit;

typedef struct ht_cover {
    int axis;
    char *param;
} ht_cover;

typedef struct ht_remark_list {
    ht_remark *items;
    size_t count;
} ht_remark_list;

struct ht_plan {
    const ht_model *model;
    const char *transformation; /* the one that runs */
    ht_edit *edits;
    size_t edit_count;
    ht_planned_param *params;
    size_t param_count;
    char **requires;
    size_t require_count;
    ht_cover *covers;
    size_t cover_count;
    char *block[3]; /* template expressions; NULL unknown */
    bool block_changed[3];
    bool exact_cover[3]; /* the number of threads along the axis must stay as it was */
    bool free_cover[3];  /* any number does (grid-stride loops) */
    bool keep_cover[3];  /* must not grow either */
    bool keep_grid[3];   /* another block takes the same grid */
    bool falls_back[3];  /* for sizes of which the new block does not divide the number of threads,
                            tuned sources launch the old one, with which the kernel works too */
    char *lds_times; /* a parameter: how many times its dynamic shared memory a block takes; NULL:
                        once */
    bool renumbered; /* threads have other places than the built-in names say */
    char *stacked;   /* the parameter that says how many of the original's blocks are one; NULL:
                        none are */
    int stack_axis;  /* of the block, along which they lie; the original's is one thread there */
    int stack_grid;  /* the grid's axis that has that many times fewer blocks */
    char *bound[3];  /* bounds that the grid must cover, along with the model's guards; owned */
    char *helpers;   /* declarations that the parameterized kernel needs in the unit; NULL: none */
    char **names;
    size_t name_count;
    unsigned without;                      /* bit i: ht_transformations[i] is not to run */
    const struct ht_recipe_kernel *recipe; /* only this is to be done; NULL: everything; borrowed */
    char *unmet;     /* what the recipe asks for and is not possible; NULL: nothing; owned */
    bool stay;       /* definitions of constants and variables are not to be edited */
    char **followed; /* constants whose definition is edited */
    size_t followed_count;
    ht_remark_list remarks;
    const char **applied;
    size_t applied_count;
    const char **omitted; /* of `without`, those that the record names */
    size_t omitted_count;
    char *unapplied; /* why there can be a template, but no tuned source; NULL: there can; owned */
    ht_wide_edit wide;                              /* of coarsen-x */
    struct ht_tiled_form *tiled;                    /* the kernel's tiled form; NULL: none; owned */
    void (*tiled_free)(struct ht_tiled_form *form); /* set with it */
    bool launch_chooses;    /* launches ask whether a device launches the new grid */
    const char *old_kernel; /* the original kernel's name where it is kept; NULL: it cannot be */
    bool unfinished; /* a transformation took more operations of isl than its share: to be planned
                        anew, without it */
    bool failed;
    bool torn;      /* it would have lost a branch of a preprocessor conditional */
    bool abandoned; /* the running transformation gave up, and said why: take back what it added */
};

/* What a transformation may add to or change, to be taken back. */
typedef struct ht_axis_state {
    char *block, *bound; /* owned */
    bool changed, exact, free_, keep, keep_grid, falls_back;
} ht_axis_state;

typedef struct ht_plan_state {
    size_t edits, params, requires, covers, followed, help;
    bool lds_times, renumbered, stacked, wide, tiled;
    ht_axis_state axis[3];
} ht_plan_state;

ht_plan_state ht_plan_save(const ht_plan *plan);
/* Takes back what was added since; remarks stay. */
void ht_plan_restore(ht_plan *plan, ht_plan_state *to);
void ht_plan_state_free(ht_plan_state *state);

void ht_plan_init(ht_plan *plan, const ht_model *model);
void ht_plan_free(ht_plan *plan);
size_t ht_transformation_count(void);
/* Runs all transformations but those left out. */
void ht_plan_run(ht_plan *plan);

/* As ht_plan_param, without asking whether the name is free; the fields beyond are the caller's to
 * set. */
ht_planned_param *ht_plan_param_add(ht_plan *plan, const char *name, const char *values,
                                    const char *default_value);
/* A C expression over the kernel's arguments as text that stands around the body, where arguments
 * have the names of the header; free(). */
char *ht_plan_outside(const ht_plan *plan, const char *expression);
/* A name that `plan` has given out, that its requires from `first` on ask for, and that is no
 * parameter of it; NULL: there is none. */
const char *ht_plan_orphan(const ht_plan *plan, size_t first);
/* Adds a declaration to the unit, ahead of the parameterized kernel. */
void ht_plan_help(ht_plan *plan, const char *text);
/* Requires that keep the code of a configuration small enough for compilers. */
void ht_plan_limit_growth(ht_plan *plan);
/* Text at the start of `loop`'s body, where the expression `where` holds, asks for counters: it and
 * the loops around it are to stand where the original has them. */
void ht_loop_order_keep(ht_plan *plan, CXCursor loop, const char *where);
/* The parameters that `rounds`, "A,B"; NULL: none. free(). */
char *ht_plan_rounds(const ht_plan *plan);
/* Sets the block along an axis, a template expression. */
void ht_plan_set_block(ht_plan *plan, int axis, const char *expression);
/* Threads of a block as a template expression; free(). */
char *ht_plan_threads(const ht_plan *plan);
/* Says why the transformation that runs is left out where the others stay. */
void ht_plan_remark_left_out(ht_plan *plan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ht_plan_remark_at(ht_plan *plan, ht_remark_kind kind, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Values for `${}`: NULL prints names. */
typedef struct ht_values {
    const ht_template *template; /* whose params `config` is of */
    const ht_config *config;
} ht_values;

/* Renders a range with the plan's edits; appends to `out`. False when an edit inside the range got
 * lost or an expression cannot be printed; *out_problem (free()) says which. */
bool ht_plan_render(const ht_plan *plan, ht_range range, const ht_values *values, ht_text *out,
                    char **out_problem);
/* What is left of the plan for an applied source: replacements that do not overlap, by place. Free
 * each text, then the array. False as above. */
typedef struct ht_replacement {
    ht_range range;
    char *text;
} ht_replacement;
bool ht_plan_flatten(const ht_plan *plan, const ht_values *values, ht_replacement **out_list,
                     size_t *out_count, char **out_problem);
/* Returns true if the kernel of an applied source has a value of one of these parameters ("A,B").
 */
bool ht_plan_kernel_names(const ht_plan *plan, const ht_values *values, const char *names);
/* Takes back the last edits, so that the first `count` are left. */
void ht_plan_edits_drop(ht_plan *plan, size_t count);
/* An edit that only applied sources show. */
bool ht_plan_edit_applied(ht_plan *plan, ht_range range, const char *param, const char *text);
/* The value of an expression over parameters; false when it has none. */
bool ht_plan_value(const ht_values *values, const char *expression, int64_t *out_value);

#endif
