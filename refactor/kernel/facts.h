/* Facts about a kernel that the pass keeps in ht_model.facts. Private to refactor/, not for
 * transformations. */
#ifndef HT_REFACTOR_KERNEL_FACTS_H
#define HT_REFACTOR_KERNEL_FACTS_H

#include "refactor/kernel/effort.h"
#include "refactor/kernel/model.h"
#include "refactor/launch/launch.h"
#include "refactor/source/source.h"

typedef enum ht_template_kind {
    HT_TEMPLATE_TYPE,
    HT_TEMPLATE_VALUE,
    HT_TEMPLATE_TEMPLATE
} ht_template_kind;

/* One template parameter of the kernel. */
typedef struct ht_template_parameter {
    char *name;
    ht_template_kind kind;
    CXCursor cursor;
    char *argument;  /* as text, in the launched specialisation; NULL unknown */
    bool is_deduced; /* the launch does not name it: a structure of its arguments */
    bool has_value;  /* an integer argument */
    int64_t value;
    ht_symbol
        *symbol; /* where the argument comes from, when a launch gives it; owned by the launch */
} ht_template_parameter;

typedef struct ht_pin ht_pin; /* pins.h */

typedef struct ht_pin_list {
    ht_pin *items;
    size_t count;
} ht_pin_list;

typedef struct ht_template_parameter_list {
    ht_template_parameter *items;
    size_t count;
} ht_template_parameter_list;

/* The built-in indices that functions name. */
typedef struct ht_index_names {
    bool named[HT_INDEX_GLOBAL];    /* by ht_index_kind */
    unsigned axes[HT_INDEX_GLOBAL]; /* bits of the axes that they are named with */
    size_t called; /* calls of the device library's functions that return indices */
} ht_index_names;

/* The user's functions that run as part of the kernel, and what they do. */
typedef struct ht_reached {
    CXCursor *functions; /* definitions of those that the kernel calls, directly or not; the kernel
                            itself is the first; owned */
    size_t count;
    CXCursor *templates; /* the user's, whose specialisations were looked for; owned */
    size_t template_count;
    ht_index_names names, names_elsewhere; /* in the kernel; in the others */
    CXCursor sharing; /* the first called function that declares shared memory; null: none does */
    CXCursor meeting; /* the first in which threads synchronize or share an array */
    int vote_line;    /* of the first vote of all threads of a block (__syncthreads_or); 0: none */
} ht_reached;

/* How the indices of one axis are used. The block along it may change if each use only computes a
 * global index or the number of all threads. */
typedef struct ht_index_uses {
    bool raw_thread, raw_block; /* uses that do not only select the first of all threads */
    bool raw_grid_dim;          /* gridDim.a outside of gridDim.a * blockDim.a */
    unsigned global;            /* uses of a global index */
    unsigned total;             /* of gridDim.a * blockDim.a */
} ht_index_uses;

/* A constant that stands in place of the block's extent in a global index, or in the number of all
 * threads. */
typedef struct ht_pitch {
    int axis;
    CXCursor whole, constant;
} ht_pitch;

typedef struct ht_pitch_list {
    ht_pitch *items;
    size_t count;
} ht_pitch_list;

/* A reason, in words for the kernel's author. */
typedef struct ht_reason {
    char *text; /* NULL: there is none; owned */
    int line;   /* in the kernel's file; 0: none */
} ht_reason;

/* Forms of the kernel that are built when first asked for; each NULL until then; owned. */
typedef struct ht_kernel_forms {
    struct ht_syntax_tree *body;        /* ask ht_syntax_of */
    struct ht_syntax_tree *whole;       /* ask ht_syntax_whole */
    struct ht_kernel_model *polynomial; /* ask ht_kernel_model_of; the variants built so far */
    void (*polynomial_free)(struct ht_kernel_model *models);
    struct ht_block_sums *sums; /* ask ht_block_sums_of */
    void (*sums_free)(struct ht_block_sums *sums);
} ht_kernel_forms;

typedef struct ht_kernel_facts {
    const ht_source *source;
    ht_template_parameter_list template_parameters;
    ht_reached reached;
    ht_launches launches;
    ht_index_uses uses[3];
    unsigned flat_uses; /* of global indices of axis x: those that count blocks over two axes of the
                           grid */
    ht_pitch_list pitches;
    ht_reason problem; /* why block and grid cannot be changed */
    ht_reason assumed; /* says that a block chosen at run time was given a value to stand for it */
    ht_pin_list pins;  /* reasons not to change parts of the kernel (pins.h) */
    ht_problem_entry *supposed; /* block and grid of a kernel that nothing launches (supposed.h);
                                   NULL: they are known otherwise, or not at all */
    ht_effort effort;           /* operations of the analysis: limit and use */
    ht_kernel_forms forms;
} ht_kernel_facts;

#endif
