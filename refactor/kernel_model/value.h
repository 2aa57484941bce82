/* Expressions of the kernel as polynomials and pointers. Each is walked once, and the accesses
 * inside are recorded on the way. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_VALUE_H
#define HT_REFACTOR_KERNEL_MODEL_VALUE_H

#include "refactor/kernel_model/scan.h"

/* Returns a variable's value after a statement that may have set it. */
ht_km_value ht_scan_changed(ht_scan *scan, size_t variable, const ht_syntax *at, const char *how);
ht_km_value ht_scan_value(ht_scan *scan, const ht_syntax *expression);
/* Returns an integer's polynomial; never NULL. */
const ht_poly *ht_scan_integer(ht_scan *scan, const ht_syntax *expression);
ht_km_value ht_scan_opaque(ht_scan *scan, const ht_syntax *at, ht_km_scope scope,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
/* A value that is the same for the whole launch, by its name. `is_int`: its type converts to int.
 */
const ht_poly *ht_scan_named(ht_scan *scan, const char *name, bool is_int, int line);
ht_km_value ht_scan_derived(ht_scan *scan, const ht_syntax *at, ht_km_symbol_kind kind,
                            const ht_poly *a, const ht_poly *b, const ht_km_test *test);
void ht_scan_children(ht_scan *scan, const ht_syntax *node);
ht_km_value ht_scan_address(ht_scan *scan, const ht_syntax *at,
                            const ht_syntax *operand); /* &operand */
/* Return the sum or product; an opaque value if it would overflow or has too many terms. */
const ht_poly *ht_scan_sum(ht_scan *scan, const ht_syntax *at, const ht_poly *a, const ht_poly *b,
                           int64_t factor);
const ht_poly *ht_scan_times(ht_scan *scan, const ht_syntax *at, const ht_poly *a,
                             const ht_poly *b);
bool ht_scan_is_unsigned(const ht_syntax *expression);
/* Returns true if the polynomial may be negative, judged by the signs of its terms. */
bool ht_scan_may_be_negative(const ht_scan *scan, const ht_poly *poly);

/* Returns true if the type is, or depends on a template's arguments and so may be, one of whole
 * numbers. */
bool ht_scan_may_be_whole(const ht_syntax *expression);
/* Returns true if the type converts to int without a change. */
bool ht_scan_is_int(const ht_syntax *expression);
/* Returns the variable or constant that an expression names; SIZE_MAX: it is no plain name. */
size_t ht_scan_variable(const ht_syntax *expression);

#endif
