#include "base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { WORD_MAX = 40 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
static size_t edit_distance(const char *a, const char *b) {
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > WORD_MAX || columns > WORD_MAX)
        return SIZE_MAX;
    size_t table[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= rows; ++i)
        table[i][0] = i;
    for (size_t j = 0; j <= columns; ++j)
        table[0][j] = j;
    for (size_t i = 1; i <= rows; ++i) {
        for (size_t j = 1; j <= columns; ++j) {
            size_t changed = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            size_t moved = least(table[i - 1][j], table[i][j - 1]) + 1;
            table[i][j] = least(changed, moved);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
        }
    }
    return table[rows][columns];
}

const char *ht_nearest_word(const char *word, const char *const *candidates) {
    const char *best = NULL;
    size_t length = strlen(word);
    size_t best_distance = length / 3 + 2; /* further away is no help */
    for (; *candidates; ++candidates) {
        size_t distance = edit_distance(word, *candidates);
        bool begins = length >= 3 && strncmp(word, *candidates, length) == 0;
        if (begins)
            distance = least(distance, 1);
        if (distance < best_distance) {
            best_distance = distance;
            best = *candidates;
        }
    }
    return best;
}
