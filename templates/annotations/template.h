/* A template: one HIP source unit with its kernel's tuning annotations (`#pragma tune` lines) as
 * data. docs/template-format.md teaches the format; this header is its model. Plain data: readers
 * read the fields. */
#ifndef HT_TEMPLATES_ANNOTATIONS_TEMPLATE_H
#define HT_TEMPLATES_ANNOTATIONS_TEMPLATE_H

#include "templates/annotations/param.h"
#include "templates/problem/problem.h"

enum { HT_ARG_MAX = 256, HT_LAUNCH_MAX = 64, HT_REQUIRE_MAX = 1024 }; /* of one template */

typedef struct ht_require {
    ht_expr *expr; /* owned; true when not 0. Over parameters, scalar arguments, problem.* and
                      device.* */
} ht_require;

typedef enum ht_arg_role {
    HT_ARG_IN,       /* read-only buffer */
    HT_ARG_OUT,      /* written by the launches; poisoned before; compared with the reference */
    HT_ARG_INOUT,    /* initialised, then updated; compared with the reference */
    HT_ARG_TEMP,     /* scratch between the launches of a sequence; poisoned; not compared */
    HT_ARG_CONSTANT, /* a __constant__ symbol of the unit; set before the launches; never passed */
    HT_ARG_SCALAR    /* passed by value */
} ht_arg_role;

typedef enum ht_init_kind {
    HT_INIT_DEFAULT,  /* uniform(-1, 1) for floating types, integers(-8, 8) for signed, integers(0,
                         15) for unsigned */
    HT_INIT_UNIFORM,  /* uniform(lo, hi): uniform reals */
    HT_INIT_INTEGERS, /* integers(lo, hi): uniform whole numbers, both ends in */
    HT_INIT_FILL,     /* fill(v) */
    HT_INIT_ZERO,     /* zero */
    HT_INIT_IOTA,     /* iota: 0, 1, 2, ... */
    HT_INIT_FILE,     /* file("a.bin", "b.bin"): the bytes of the one that has the buffer's size */
    HT_INIT_RECORDS   /* records(16, 0 float[3], 12 int(0, 7)): structures, in a buffer of bytes */
} ht_init_kind;

/* Numbers of one type that each structure of a buffer has next to each other. */
typedef struct ht_init_part {
    size_t offset; /* bytes from the structure's beginning */
    char *type;    /* "float"; owned by the argument */
    size_t count;
    bool bounded; /* whole numbers from lo to hi; else those that the type has by default */
    double lo, hi;
} ht_init_part;

enum { HT_INIT_FILES = 4 };

typedef struct ht_init {
    ht_init_kind kind;
    double lo, hi;              /* fill uses lo */
    char *files[HT_INIT_FILES]; /* names without a folder; owned by the argument */
    size_t file_count;
    size_t record_bytes; /* of a structure; what no part has is zero */
    ht_init_part *parts; /* owned by the argument */
    size_t part_count;
} ht_init;

/* arg(in : in float[EXPR] uniform(-1, 1))   arg(W : int = problem.W)   arg(alpha : float = 0.5)
 * arg(size : uint2 = (problem.W, problem.H))   arg(filt : constant float[25])
 * arg(p : struct Params)   arg(p.n : int = problem.n)   arg(p.data : in float[problem.n])
 *
 * A structure is an argument without a value; its fields are further arguments, which are not
 * passed but stored into its bytes: a buffer's address, or a number. Fields that are not listed are
 * zero. Their places are the compiler's (runtime/compile/record.h). `in struct Params` is one that
 * a pointer leads to, in memory that the kernel only reads. */
typedef struct ht_arg {
    char *name; /* owned; of a field "p.n", "p.low.x", "p.taps[2]" */
    ht_arg_role role;
    bool partial; /* out partial: the original may leave elements unwritten */
    char *type;   /* element type of a buffer, type of a scalar: "float", "unsigned int", "__half";
                     owned */
    ht_expr *extent;    /* elements of a buffer; NULL for scalars; owned */
    ht_init init;       /* buffers */
    ht_expr *values[4]; /* scalars: one, or one per component of a vector type; owned */
    size_t value_count;
    bool is_struct;  /* passed by value, of type `type`; the role is HT_ARG_SCALAR, values are empty
                      */
    bool is_pointed; /* a structure, of which the kernel gets the address */
    bool is_real;    /* scalar given as a real literal: `real` holds it and values is empty */
    double real;
    ht_place place;
} ht_arg;

/* One kernel launch. `arguments` name args in the order of the kernel's parameters. */
typedef struct ht_launch {
    char *kernel;     /* function name, qualified where needed; owned */
    char **arguments; /* owned; NULL when not written: then all args but constants, in declared
                         order */
    size_t argument_count;
    bool has_arguments;
    ht_expr *block[3]; /* owned; unset axes are 1 */
    ht_expr *grid[3];
    ht_expr *lds; /* bytes of dynamic LDS; NULL for none; owned */
    /* Template arguments for the kernel function, in order: the name of a tuning parameter, or
     * fixed text ("float", "5"). Written launch(k<float, TILE> : ...) or kernel(k<float, TILE>);
     * when not written, found as the names in the `template <...>` header of the kernel in the
     * unit's text (each must then be a parameter or have a default). Empty for plain functions.
     * Owned. */
    char **template_arguments;
    size_t template_argument_count;
    ht_place place;
} ht_launch;

/* Sequences of launches that a template has. */
typedef enum ht_launch_set {
    HT_LAUNCHES_OWN,       /* what is tuned */
    HT_LAUNCHES_REFERENCE, /* reference(KERNEL) */
    HT_LAUNCHES_BASELINE   /* baseline(KERNEL) */
} ht_launch_set;

/* reference(conv2d) or reference(conv2d : in, weights, out): a built-in computed in float64 from
 * args in order; reference(KERNEL) block(...) grid(...): kernels of this unit, compiled with every
 * parameter at its default; no reference directive: the template's own default configuration is the
 * reference. */
typedef enum ht_reference_kind {
    HT_REFERENCE_DEFAULT_CONFIG,
    HT_REFERENCE_KERNEL,
    HT_REFERENCE_BUILTIN
} ht_reference_kind;

typedef struct ht_template {
    char *name;   /* kernel(NAME); owned */
    char *file;   /* where the annotations were read; owned */
    int line;     /* of its kernel directive */
    char *unit;   /* the self-contained HIP text that providers compile, pragmas included; owned */
    bool is_unit; /* `#pragma tune unit`: the file itself is such a unit and needs no slicing */
    ht_problem_spec problem;
    ht_param *params; /* owned */
    size_t param_count;
    ht_require *requires; /* owned */
    size_t require_count;
    ht_arg *args; /* owned, declared order */
    size_t arg_count;
    ht_launch *launches; /* owned; at least one; run in order */
    size_t launch_count;
    ht_reference_kind reference_kind;
    char *reference_name;       /* built-in's name; owned; NULL otherwise */
    char **reference_arguments; /* built-in's arguments by name; owned */
    size_t reference_argument_count;
    ht_launch *reference_launches; /* for HT_REFERENCE_KERNEL; owned */
    size_t reference_launch_count;
    /* baseline(KERNEL) block(...) grid(...): what speedups are relative to; without it the
     * template's own default configuration is. Owned. */
    ht_launch *baseline_launches;
    size_t baseline_launch_count;
    double tolerance; /* of the sum of absolute products; default 1e-6 */
    bool exact;       /* tolerance(exact): bitwise equal to the reference kernel */
} ht_template;

/* Defined where the reference is compiled, in a unit that names it. */
#define HT_REFERENCE_MACRO "HIPTEMPER_REFERENCE"

/* The tolerance when no directive gives one. */
#define HT_TOLERANCE_DEFAULT 1e-6
/* That of sums of floats in an order of their own: n numbers may be off by (n - 1) * 2^-24 of the
 * sum of their absolute values, and are by its root in practice. */
#define HT_TOLERANCE_SUMS 4e-6

/* Reads every template annotated in `text` (a file may hold several kernel(...) directives). Each
 * gets `text` as its unit. A file without annotations gives count 0. Any malformed directive is an
 * error with line and column. */
ht_status ht_template_parse(const char *text, const char *file, ht_template **out_templates,
                            size_t *out_count, ht_error *error);
/* Reads the only template annotated in `text`; NULL: it is malformed, or not the only one. */
ht_template *ht_template_parse_one(const char *text, const char *file, ht_error *error);
ht_status ht_template_load(const char *path, ht_template **out_templates, size_t *out_count,
                           ht_error *error);
/* Prints the annotations alone, one `#pragma tune` line each, in canonical order. print(parse(x))
 * parses to the same. */
void ht_template_print(const ht_template *template, ht_text *out);
bool ht_template_equal(const ht_template *a,
                       const ht_template *b); /* annotations, not places nor the unit */
void ht_template_free(ht_template *templates, size_t count);

/* A deep copy of one template, freed with ht_template_free(copy, 1). */
ht_template *ht_template_copy(const ht_template *template);
/* A template's parts, for those who put templates together. `where` places the first character of
 * `text`. */
/* Parses what stands inside arg(...). Names in its expressions are not checked: ht_template_check
 * does. */
ht_status ht_arg_parse(const char *text, ht_place where, ht_arg *out_arg, ht_error *error);
void ht_arg_print(const ht_arg *arg, ht_text *out);
void ht_arg_copy(const ht_arg *arg, ht_arg *out_copy);
bool ht_arg_equal(const ht_arg *a, const ht_arg *b);
void ht_arg_free(ht_arg *arg); /* what it holds; leaves {0} */
/* Returns true for a field of a structure: "p.n". */
bool ht_arg_is_field(const ht_arg *arg);
/* Returns true if the field is one of that structure. */
bool ht_arg_is_field_of(const ht_arg *arg, const ht_arg *structure);
/* Returns true if a launch passes it: neither a constant nor a field. */
bool ht_arg_is_passed(const ht_arg *arg);
/* Parses what stands inside launch(...) or reference(...): "k<float, TILE> : in, out". No geometry.
 */
ht_status ht_launch_parse(const char *text, ht_place where, ht_launch *out_launch, ht_error *error);
void ht_launch_copy(const ht_launch *launch, ht_launch *out_copy);
bool ht_launch_equal(const ht_launch *a, const ht_launch *b);
void ht_launch_free(ht_launch *launch); /* what it holds; leaves {0} */
/* Checks all names, and completes what follows from the rest: template arguments that were not
 * written (from the unit's text) and each parameter's binding. ht_template_parse has done this;
 * needed for templates put together by hand. */
ht_status ht_template_check(ht_template *template, ht_error *error);
/* Returns true if it is a reference that the runtime computes itself. */
bool ht_reference_is_builtin(const char *name);

/* The launches of a set; the template's own where the set has none. Borrowed. */
const ht_launch *ht_template_launches(const ht_template *template, ht_launch_set set,
                                      size_t *out_count);
/* The set whose outputs are those to be had; HT_LAUNCHES_OWN (with every parameter at its default)
 * unless a kernel is the reference. */
ht_launch_set ht_template_reference_set(const ht_template *template);
/* The set that speedups are relative to: the reference's where the two are the same. */
ht_launch_set ht_template_baseline_set(const ht_template *template);
/* A set in an author's words: "naive", "the original blur", "the template's defaults"; free(). */
char *ht_template_set_words(const ht_template *template, ht_launch_set set);

const ht_param *ht_template_param(const ht_template *template, const char *name);
const ht_arg *ht_template_arg(const ht_template *template, const char *name);

/* Configurations of this template. */
ht_config ht_config_default(const ht_template *template);
/* "BLOCK_X=16 TILE_X=2"; free(). Parses back with ht_config_parse. */
char *ht_config_string(const ht_template *template, const ht_config *config);
/* The same of the parameters that do not have their defaults, for people: a refactored kernel has
 * twenty. "the defaults" where all have; free(). */
char *ht_config_brief(const ht_template *template, const ht_config *config);
/* Spaces or commas between; parameters that are not given keep their defaults; unknown names and
 * values are errors. */
ht_status ht_config_parse(const ht_template *template, const char *text, ht_config *out_config,
                          ht_error *error);

#endif
