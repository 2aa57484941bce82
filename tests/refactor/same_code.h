/* Compares a template's default configuration with the original, instruction by instruction. */
#ifndef HT_TESTS_REFACTOR_SAME_CODE_H
#define HT_TESTS_REFACTOR_SAME_CODE_H

#include "templates/annotations/template.h"

typedef struct same_code {
    size_t before, after; /* instructions of the original, of the default configuration */
    bool same;            /* symbols and labels apart */
    char *difference;     /* the first line that differs, both; NULL: none. free() */
} same_code;

/* Compiles both for gfx90a with clang-19 -O3. False with *out_problem (free()) when that fails.
 * `options`: more for clang. */
bool same_code_compare(const ht_template *template, const char *kernel, const char *options,
                       same_code *out, char **out_problem);

#endif
