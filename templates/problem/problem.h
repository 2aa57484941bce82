/* Problems: named integer fields that describe one instance of a computation (sizes), written
 * problem.K in expressions.
 *
 *   #pragma tune problem(conv2d)                          a built-in family: fields, defaults and
 * derived fields known #pragma tune problem(blur : W, H, radius = 2, n := W * H)    a family of
 * one's own: required, default, derived Built-in conv2d: N C H W K R S required (batch, input
 * channels, height, width, output channels, filter height and width); pad_h pad_w stride_h stride_w
 * dilation_h dilation_w groups with defaults 0 0 1 1 1 1 1; derived P, Q (output height and width)
 * by the usual convolution arithmetic. `pad`, `stride`, `dilation` set both axes. */
#ifndef HT_TEMPLATES_PROBLEM_PROBLEM_H
#define HT_TEMPLATES_PROBLEM_PROBLEM_H

#include "templates/expr/expr.h"

#include <stddef.h>

typedef enum ht_field_kind {
    HT_FIELD_REQUIRED,
    HT_FIELD_DEFAULT, /* `expr` is the value when none is given */
    HT_FIELD_DERIVED  /* `expr` is the value; giving one is an error. Names other fields without
                         "problem." */
} ht_field_kind;

typedef struct ht_field {
    char *name; /* owned */
    ht_field_kind kind;
    ht_expr *expr; /* owned; NULL for required fields */
    ht_place place;
} ht_field;

/* A family of problems. */
typedef struct ht_problem_spec {
    char *name; /* "conv2d"; owned; NULL when the template has no problem directive */
    bool builtin;
    ht_field *fields; /* owned, in declared order */
    size_t field_count;
} ht_problem_spec;

typedef struct ht_problem_value {
    char *name; /* owned */
    int64_t value;
} ht_problem_value;

/* One instance: every field of the family with its value, derived ones included. */
typedef struct ht_problem {
    char *name;               /* a label for people: "resnet50.conv2_1"; owned */
    ht_problem_value *values; /* owned */
    size_t value_count;
} ht_problem;

/* Fills `out_spec` with the built-in family of that name; false when there is none. Free with
 * ht_problem_spec_free. */
bool ht_problem_spec_builtin(const char *name, ht_problem_spec *out_spec);
/* The conditions on the fields of a complete instance of a built-in family, as an expression over
 * their names; NULL: there is no such family. free(). */
char *ht_problem_builtin_conditions(const char *name);
/* Parses what stands inside problem(...): "conv2d" or "blur : W, H, radius = 2". `where` is the
 * place of its start. */
ht_status ht_problem_spec_parse(const char *text, ht_place where, ht_problem_spec *out_spec,
                                ht_error *error);
/* Prints what stands inside problem(...). */
void ht_problem_spec_print(const ht_problem_spec *spec, ht_text *out);
void ht_problem_spec_copy(const ht_problem_spec *spec, ht_problem_spec *out_copy);
bool ht_problem_spec_equal(const ht_problem_spec *a, const ht_problem_spec *b);
void ht_problem_spec_free(ht_problem_spec *spec); /* leaves {0} */

/* Completes given values (fields of any order) to an instance: unknown, missing, derived-but-given
 * and out-of-range fields are errors that name the field. `given` is borrowed. `where` places
 * errors. */
ht_status ht_problem_make(const ht_problem_spec *spec, const char *name,
                          const ht_problem_value *given, size_t given_count, ht_place where,
                          ht_problem *out_problem, ht_error *error);
/* Makes the instance with other values of some fields, not of derived ones, which follow. Returns
 * false if the family has no such instance. `changes` is borrowed. */
bool ht_problem_change(const ht_problem_spec *spec, const ht_problem *problem,
                       const ht_problem_value *changes, size_t change_count,
                       ht_problem *out_problem);
/* Parses "N=1 C=64,H=56": name=value pairs separated by spaces or commas, then ht_problem_make. */
ht_status ht_problem_parse(const ht_problem_spec *spec, const char *text, ht_problem *out_problem,
                           ht_error *error);
bool ht_problem_get(const ht_problem *problem, const char *field, int64_t *out_value);
/* "N=1 C=64 ..." of all fields that are not derived; free(). Parses back with ht_problem_parse. */
char *ht_problem_string(const ht_problem_spec *spec, const ht_problem *problem);
void ht_problem_copy(const ht_problem *problem, ht_problem *out_copy);
void ht_problem_free(ht_problem *problem); /* leaves {0} */

#endif
