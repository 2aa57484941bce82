/* Sources with tokens deleted, doubled or swapped. */
#ifndef HT_TESTS_REFACTOR_MUTATE_H
#define HT_TESTS_REFACTOR_MUTATE_H

#include "base/random.h"

/* One to three changes; free(). */
char *mutate_text(const char *text, ht_random *random);

#endif
