/* What the pass itself keeps about a kernel, in ht_model.facts. Private to refactor/, not for
 * transformations. */
#ifndef HT_REFACTOR_KERNEL_FACTS_H
#define HT_REFACTOR_KERNEL_FACTS_H

#include "refactor/kernel/effort.h"
#include "refactor/kernel/model.h"
#include "refactor/launch/launch.h"
#include "refactor/source/source.h"

/* One template parameter of the kernel. */
typedef struct ht_template_parameter {
    char *name;
    enum CXCursorKind kind; /* type, non-type, template template */
    CXCursor cursor;
    char *argument; /* as text, in the launched specialisation; NULL unknown */
    bool has_value; /* an integer argument */
    int64_t value;
    ht_symbol
        *symbol; /* where the argument comes from, when a launch gives it; owned by the launch */
} ht_template_parameter;

typedef struct ht_pin ht_pin; /* pins.h */

typedef struct ht_kernel_facts {
    const ht_source *source;
    size_t file; /* index of the file with the kernel: 0, the main file */
    CXCursor *
        reached; /* definitions of the user's functions that the kernel reaches, the kernel first */
    size_t reached_count;
    ht_template_parameter *template_parameters;
    size_t template_parameter_count;
    ht_launches launches;
    bool raw_grid_dim[3];                   /* gridDim.a outside of gridDim.a * blockDim.a */
    bool raw_thread[3], raw_block[3];       /* other uses than for the first of all threads */
    unsigned global_uses[3], total_uses[3]; /* of a global index; of gridDim.a * blockDim.a */
    unsigned flat_uses; /* those of axis x that count blocks over two axes of the grid */
    char *problem;      /* why block and grid cannot be changed; NULL when they can */
    int problem_line;
    char *assumed; /* that a block chosen at run time has a value that stands for it; NULL: not */
    int assumed_line;
    ht_effort effort; /* what the analysis may take, and took */
    ht_pin *pins;     /* what other builds and waiting blocks hold fast */
    size_t pin_count;
} ht_kernel_facts;

/* Builds the model of a kernel definition. `launches` is taken over. */
void ht_model_build(const ht_source *source, CXCursor kernel, const ht_problem_entry *entry,
                    ht_model *out_model);
/* Builds it again with the kernel's entry, when the problems (may be NULL) have one. */
void ht_model_take_entry(ht_model *model, const ht_problem_file *problems);
void ht_model_free(ht_model *model);

/* The parts of building, one file each. */
void ht_reach_build(ht_model *model); /* reached functions and features */
/* runtime_block.c: values for blocks that are chosen at run time. Behind reach, ahead of indexing.
 */
void ht_runtime_block_assume(ht_model *model);
void ht_indexing_build(ht_model *model); /* axes */
void ht_guards_build(ht_model *model);   /* guards of the axes */

/* existing.c: the macros "NAME (VALUE), ..." that are defined under #ifndef and shape the kernel's
 * block, with all of their kind that it uses; NULL when it is not parameterized that way. free().
 */
char *ht_existing_parameters(const ht_model *model);

/* Like ht_ast_constant, with template parameters at their launched values. */
bool ht_model_constant(const ht_model *model, CXCursor expression, int64_t *out_value);

/* named.c: a text's value, of numbers, template parameters as launched, macros and the user's
 * constants. */
bool ht_model_text_value(const ht_model *model, ht_range range, int64_t *out_value);
/* The only constant or variable outside of functions that is called so; null cursor: none. */
CXCursor ht_source_constant(const ht_source *source, const char *name);

/* blockIdx.a * PITCH + threadIdx.a: the pitch's cursor. */
bool ht_index_global(const ht_model *model, CXCursor expression, int *out_axis,
                     CXCursor *out_pitch);

/* The built-in index that a cursor is, through locals that only rename one when `resolve`. */
ht_index_kind ht_index_plain(const ht_model *model, CXCursor expression, bool resolve,
                             int *out_axis);
/* blockIdx.a * PITCH with a pitch that equals the launch's block. */
bool ht_index_origin(const ht_model *model, CXCursor expression, int *out_axis);
/* A local that only renames an index or a block's origin. */
bool ht_index_alias(const ht_model *model, CXCursor declaration);
/* blockDim.a * gridDim.a, or a variable that holds it. */
bool ht_index_total(const ht_model *model, CXCursor expression, int *out_axis);

#endif
