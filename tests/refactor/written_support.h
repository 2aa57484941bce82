/* Tuned sources as texts. */
#ifndef HT_TESTS_REFACTOR_WRITTEN_SUPPORT_H
#define HT_TESTS_REFACTOR_WRITTEN_SUPPORT_H

#include "support.h"

/* Returns the source with a configuration of its first kernel, which must be a template and
 * compile; free(). */
char *apply_to(const ht_refactor *refactor, const char *config);
/* The same of a file of examples/kernels, and of a text. */
char *example(const char *name, const char *config);
char *written(const char *source, const char *config);

void expect_part(const char *text, const char *part);
void expect_none(const char *text, const char *part);

#endif
