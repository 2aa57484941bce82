/* Random small templates with their spaces, for property tests. */
#ifndef HT_TESTS_SEARCH_SPACES_H
#define HT_TESTS_SEARCH_SPACES_H

#include "templates/space.h"

typedef struct test_space {
    ht_template *templates;
    size_t template_count;
    ht_device_fields device;
    ht_binding binding;
    ht_space *space;
} test_space;

/* A space of one to four parameters with up to two constraints, from `seed`. Pointers inside: do
 * not copy. */
void test_space_random(test_space *out, uint64_t seed);
/* The space of a template's text. */
void test_space_parse(test_space *out, const char *text);
void test_space_free(test_space *space);

#endif
