/* The walk over a kernel's body that fills the model: an environment of values, the loops and
 * guards around. Private to refactor/kernel_model/. */
#ifndef HT_REFACTOR_SCAN_H
#define HT_REFACTOR_SCAN_H

#include "refactor/kernel_model/kernel_model.h"

enum { HT_SCAN_NEST_MAX = 32, HT_SCAN_GUARDS_MAX = 256, HT_SCAN_INLINE_MAX = 6 };

/* What an expression or a variable stands for. */
typedef struct ht_km_value {
    bool is_pointer;
    size_t array;         /* of a pointer; SIZE_MAX: unknown */
    const ht_poly *value; /* an integer, or a pointer's offset in elements; NULL: neither */
} ht_km_value;

typedef struct ht_binding {
    CXCursor variable;
    ht_km_value value;
} ht_binding;

typedef struct ht_environment {
    ht_binding *items;
    size_t count;
} ht_environment;

/* A function that is walked in place of its call. */
typedef struct ht_frame {
    size_t guard_base;
    struct {
        const ht_km_test *test;
        ht_km_value value;
    } returns[16];
    size_t return_count;
    bool lost; /* too many returns */
} ht_frame;

typedef struct ht_scan {
    ht_kernel_model *km;
    const ht_model *facts;
    const ht_km_fixed *fixed; /* arguments that are taken at a value */
    size_t fixed_count;
    ht_environment environment;
    size_t loops[HT_SCAN_NEST_MAX];
    size_t loop_count;
    ht_km_guard guards[HT_SCAN_GUARDS_MAX];
    size_t guard_count;
    unsigned dry; /* nothing is recorded */
    int depth, inlined;
    long budget;
    size_t order;
    ht_frame *frame; /* NULL: the kernel itself */
    CXCursor *escaped;
    size_t escaped_count;
} ht_scan;

/* scan.c */
void ht_scan_kernel(ht_scan *scan);
/* When control leaves a statement other than by its end. NULL: never. */
typedef struct ht_leaves {
    const ht_km_test *returns, *breaks, *continues;
} ht_leaves;
ht_leaves ht_scan_statement(ht_scan *scan, CXCursor statement);
void ht_scan_incomplete(ht_scan *scan, CXCursor at, const char *reason);
ht_km_place ht_scan_where(const ht_scan *scan, CXCursor cursor);
ht_km_control ht_scan_control(ht_scan *scan);
void ht_scan_effect(ht_scan *scan, const char *kind, CXCursor at, const char *name);
void ht_scan_barrier(ht_scan *scan, CXCursor at);
bool ht_scan_tick(ht_scan *scan); /* false: the budget is used up */

/* loop.c */
ht_leaves ht_scan_loop(ht_scan *scan, CXCursor statement);

/* environment.c */
const ht_km_value *ht_environment_find(const ht_scan *scan, CXCursor variable);
void ht_environment_set(ht_scan *scan, CXCursor variable, ht_km_value value);
ht_environment ht_environment_copy(const ht_scan *scan);
void ht_environment_free(ht_environment *environment);
/* Values after an `if`: of `then` where the test holds, else of the scan's own. */
void ht_environment_join(ht_scan *scan, const ht_km_test *test, const ht_environment *then,
                         CXCursor at);
/* Variables of the environment that a statement assigns to. free(). */
CXCursor *ht_scan_assigned(const ht_scan *scan, CXCursor statement, size_t *out_count);
/* Variables whose address is taken or that a reference is bound to: never followed. */
void ht_scan_find_escaped(ht_scan *scan, CXCursor body);
void ht_scan_forget(ht_scan *scan, const CXCursor *variables, size_t count, CXCursor at);

/* value.c */
ht_km_value ht_scan_value(ht_scan *scan, CXCursor expression);
/* An integer's polynomial; never NULL. */
const ht_poly *ht_scan_integer(ht_scan *scan, CXCursor expression);
ht_km_value ht_scan_opaque(ht_scan *scan, CXCursor at, ht_km_scope scope, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const ht_poly *ht_scan_named(ht_scan *scan, const char *name, CXCursor cursor);
ht_km_value ht_scan_derived(ht_scan *scan, CXCursor at, ht_km_symbol_kind kind, const ht_poly *a,
                            const ht_poly *b, const ht_km_test *test);
void ht_scan_children(ht_scan *scan, CXCursor cursor);
ht_km_value ht_scan_address(ht_scan *scan, CXCursor at, CXCursor operand); /* &operand */
/* Sums and products, or an opaque value where they get out of hand. */
const ht_poly *ht_scan_sum(ht_scan *scan, CXCursor at, const ht_poly *a, const ht_poly *b,
                           int64_t factor);
const ht_poly *ht_scan_times(ht_scan *scan, CXCursor at, const ht_poly *a, const ht_poly *b);
bool ht_scan_is_unsigned(CXCursor expression);
/* Returns true if the polynomial may be negative, as far as its signs show. */
bool ht_scan_may_be_negative(const ht_scan *scan, const ht_poly *poly);

bool ht_scan_is_integer(CXCursor expression);
/* The kind of number it is kept in. A template's dependent type stays open. */
bool ht_scan_may_be_integer(CXCursor expression);

/* name.c */
ht_km_value ht_scan_index(ht_scan *scan, ht_index_kind kind, int axis);
ht_km_value ht_scan_name(ht_scan *scan, CXCursor cursor);
ht_km_value ht_scan_field(ht_scan *scan, CXCursor cursor);
ht_km_value ht_scan_load(ht_scan *scan, CXCursor cursor); /* an element, by [] or * */
bool ht_scan_is_pointer(CXCursor expression);

/* place.c */
typedef struct ht_km_target {
    size_t array; /* SIZE_MAX: unknown */
    const ht_poly *subscripts[8];
    size_t count;
    bool whole; /* of an array variable, as many subscripts are still to come */
} ht_km_target;
bool ht_scan_target(ht_scan *scan, CXCursor expression, ht_km_target *out_target);
size_t ht_scan_array(ht_scan *scan, CXCursor declaration);
size_t ht_scan_array_named(ht_scan *scan, const char *name, CXCursor at);
void ht_scan_record(ht_scan *scan, const ht_km_target *target, bool read, bool write, bool atomic,
                    CXCursor at);
void ht_scan_escape(ht_scan *scan, const ht_km_value *value, CXCursor at);

/* test.c */
const ht_km_test *ht_scan_test(ht_scan *scan, CXCursor expression);
const ht_km_test *ht_test_not(ht_scan *scan, const ht_km_test *test);
const ht_km_test *ht_test_both(ht_scan *scan, ht_km_test_kind kind, const ht_km_test *left,
                               const ht_km_test *right);
const ht_km_test *ht_test_unknown(ht_scan *scan, ht_km_scope scope, const char *reason,
                                  CXCursor at);
const ht_km_test *ht_test_value(ht_scan *scan, ht_km_test_kind kind, const ht_poly *value);
const ht_km_test *ht_test_plain(ht_scan *scan, ht_km_test_kind kind);
ht_km_scope ht_test_scope(const ht_poly_pool *pool, const ht_km_test *test);
bool ht_scan_guard_push(ht_scan *scan, const ht_km_test *test, CXCursor at);
bool ht_test_known(const ht_km_test *test);

/* call.c */
ht_km_value ht_scan_call(ht_scan *scan, CXCursor call);

/* object.c */
bool ht_scan_is_local_object(const ht_scan *scan, CXCursor expression);
bool ht_scan_assigns_object(ht_scan *scan, CXCursor call, const char *name);
bool ht_scan_calls_method(ht_scan *scan, CXCursor call);
/* What a call of something that is not walked binds to references that are not const. */
void ht_scan_bound_arguments(ht_scan *scan, CXCursor call, CXCursor callee);

#endif
