/* Myers' O(ND) algorithm, after the lines that the texts begin and end with alike are put aside. */
#include "base/line_diff.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { EDITS_MAX = 4000 };

ht_lines ht_lines_of(const char *text) {
    ht_lines lines = {.text = text};
    const char *at = text;
    while (*at) {
        HT_GROW(lines.begins, lines.count);
        lines.begins[lines.count++] = (size_t)(at - text);
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    HT_GROW(lines.begins, lines.count);
    lines.begins[lines.count] = (size_t)(at - text);
    return lines;
}

void ht_lines_free(ht_lines *lines) {
    free(lines->begins);
    *lines = (ht_lines){0};
}

static bool same(const ht_lines *a, size_t i, const ht_lines *b, size_t j) {
    size_t length = a->begins[i + 1] - a->begins[i];
    return length == b->begins[j + 1] - b->begins[j] &&
           memcmp(a->text + a->begins[i], b->text + b->begins[j], length) == 0;
}

/* The middles of two texts, from `first` on. */
typedef struct middles {
    const ht_lines *older, *newer;
    size_t first;
    long n, m;     /* lines of the older and the newer one */
    int **reached; /* by number of edits: the furthest line of the older text on each diagonal */
    size_t rows;   /* of those, NULL where none was needed */
} middles;

/* Returns the furthest line that is reached on a diagonal with one more edit. */
static long advance(const middles *in, const int *before, long edits, long diagonal) {
    const int *at = before + edits + 1; /* by diagonal */
    bool down = diagonal == -edits || (diagonal != edits && at[diagonal - 1] < at[diagonal + 1]);
    long x = edits == 0 ? 0 : down ? at[diagonal + 1] : at[diagonal - 1] + 1, y = x - diagonal;
    while (x < in->n && y < in->m && x >= 0 && y >= 0 &&
           same(in->older, in->first + (size_t)x, in->newer, in->first + (size_t)y))
        ++x, ++y;
    return x;
}

/* Returns the number of edits; -1: they are too many. Row E has the diagonals -E - 2 to E + 2. */
static long edits_count(middles *in) {
    long limit = in->n + in->m < EDITS_MAX ? in->n + in->m : EDITS_MAX;
    in->rows = (size_t)limit + 2;
    in->reached = ht_alloc(in->rows, sizeof *in->reached);
    in->reached[0] = ht_alloc(3, sizeof **in->reached);
    for (long edits = 0; edits <= limit; ++edits) {
        int *row = in->reached[edits + 1] = ht_alloc(2 * (size_t)edits + 5, sizeof *row);
        for (long diagonal = -edits; diagonal <= edits; diagonal += 2) {
            long x = advance(in, in->reached[edits], edits, diagonal);
            row[edits + 2 + diagonal] = (int)x;
            if (x >= in->n && x - diagonal >= in->m)
                return edits;
        }
    }
    return -1;
}

/* Walks back over the edits; each line on the way that is the same in both is noted. */
static void walk_back(const middles *in, long edits, size_t *match) {
    long x = in->n, y = in->m;
    for (; edits >= 0; --edits) {
        const int *at = in->reached[edits] + edits + 1;
        long diagonal = x - y;
        bool down =
            diagonal == -edits || (diagonal != edits && at[diagonal - 1] < at[diagonal + 1]);
        long from = edits == 0 ? 0 : down ? at[diagonal + 1] : at[diagonal - 1];
        long start = edits == 0 || down ? from : from + 1;
        for (; x > start; --x, --y)
            match[in->first + (size_t)y - 1] = in->first + (size_t)x - 1;
        x = from;
        y = edits == 0 ? 0 : from - (down ? diagonal + 1 : diagonal - 1);
    }
}

size_t *ht_lines_match(const ht_lines *older, const ht_lines *newer) {
    size_t *match = ht_alloc(newer->count + 1, sizeof *match);
    size_t least = older->count < newer->count ? older->count : newer->count, first = 0, last = 0;
    for (size_t i = 0; i < newer->count; ++i)
        match[i] = SIZE_MAX;
    for (; first < least && same(older, first, newer, first); ++first)
        match[first] = first;
    for (; last < least - first &&
           same(older, older->count - 1 - last, newer, newer->count - 1 - last);
         ++last)
        match[newer->count - 1 - last] = older->count - 1 - last;
    middles in = {.older = older,
                  .newer = newer,
                  .first = first,
                  .n = (long)(older->count - first - last),
                  .m = (long)(newer->count - first - last)};
    long edits = edits_count(&in);
    if (edits >= 0)
        walk_back(&in, edits, match);
    for (size_t i = 0; i < in.rows; ++i)
        free(in.reached[i]);
    free(in.reached);
    return match;
}
