/* Random small templates with their spaces, for property tests. */
#ifndef HT_TESTS_SEARCH_SPACES_H
#define HT_TESTS_SEARCH_SPACES_H

#include "templates/space/space.h"

typedef struct test_space {
    ht_template *templates;
    size_t template_count;
    ht_device_fields device;
    ht_binding binding;
    ht_space *space;
    size_t legal; /* configurations */
} test_space;

/* A space of one to four parameters with up to two constraints, from `seed`. Pointers inside: do
 * not copy. */
void test_space_random(test_space *out, uint64_t seed);
/* Builds the same space again as one that is too large to be listed; a single configuration stays
 * listed. */
void test_space_unlist(test_space *space);
/* The space of a template's text. */
void test_space_parse(test_space *out, const char *text);
void test_space_free(test_space *space);

#endif
