/* The lines of a text that are those of an older one. */
#include "base/line_diff.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

TestSuite(line_diff, .timeout = 60);

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Returns the length of a longest common subsequence, by the table of all pairs. */
static size_t longest(const char *a, const char *b) {
    enum { MAX = 64 };
    size_t table[MAX][MAX] = {{0}}, n = strlen(a) / 2, m = strlen(b) / 2;
    for (size_t i = 1; i <= n; ++i)
        for (size_t j = 1; j <= m; ++j) {
            size_t up = table[i - 1][j], left = table[i][j - 1];
            table[i][j] = a[2 * i - 2] == b[2 * j - 2] ? table[i - 1][j - 1] + 1
                          : up > left                  ? up
                                                       : left;
        }
    return table[n][m];
}

static char *text_make(uint32_t *state) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (uint32_t i = next(state) % 24; i > 0; --i)
        ht_text_printf(&text, "%c\n", 'a' + (int)(next(state) % 4));
    return ht_text_take(&text);
}

Test(line_diff, finds_as_many_lines_as_there_are_in_a_longest_common_subsequence) {
    uint32_t state = 7;
    for (int round = 0; round < 2000; ++round) {
        char *a = text_make(&state), *b = text_make(&state);
        ht_lines older = ht_lines_of(a), newer = ht_lines_of(b);
        size_t *match = ht_lines_match(&older, &newer), found = 0, from = 0;
        for (size_t i = 0; i < newer.count; ++i) {
            if (match[i] == SIZE_MAX)
                continue;
            cr_assert(match[i] >= from && match[i] < older.count, "%s--\n%s", a, b);
            cr_assert_eq(a[2 * match[i]], b[2 * i], "%s--\n%s", a, b);
            from = match[i] + 1;
            ++found;
        }
        cr_assert_eq(found, longest(a, b), "%zu of %zu in\n%s--\n%s", found, longest(a, b), a, b);
        free(match);
        ht_lines_free(&older);
        ht_lines_free(&newer);
        free(a);
        free(b);
    }
}

Test(line_diff, texts_that_have_nothing_in_common_take_no_time) {
    ht_text a = {0}, b = {0};
    for (int i = 0; i < 20000; ++i) {
        ht_text_printf(&a, "a%d\n", i);
        ht_text_printf(&b, "b%d\r\n", i);
    }
    ht_lines older = ht_lines_of(a.data), newer = ht_lines_of(b.data);
    size_t *match = ht_lines_match(&older, &newer);
    for (size_t i = 0; i < newer.count; ++i)
        cr_assert_eq(match[i], SIZE_MAX);
    free(match);
    ht_lines_free(&older);
    ht_lines_free(&newer);
    ht_text_free(&a);
    ht_text_free(&b);
}
