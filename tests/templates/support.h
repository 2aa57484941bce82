/* Shared by the tests of templates/. */
#ifndef TESTS_TEMPLATES_SUPPORT_H
#define TESTS_TEMPLATES_SUPPORT_H

#include "base/random.h"
#include "templates/bind.h"

/* A device with generous, GPU-like limits. */
extern const ht_device_fields test_device;

/* Parses text that must hold one template; fails the test with the error's words otherwise. */
ht_template *test_template(const char *text);
/* Parses an expression that must be right. */
ht_expr *test_expr(const char *text);

/* A random template's annotations in a free, not canonical spelling. `complete` ones have
 * everything a binding needs, and only expressions that always evaluate. */
char *test_generate_template(ht_random *random);
/* A random expression over the names, as text; total: it evaluates without error for all values up
 * to 2^20. */
void test_generate_expr(ht_random *random, int depth, const char *const *names, size_t count,
                        ht_text *out);

#endif
