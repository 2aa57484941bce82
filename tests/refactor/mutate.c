#include "mutate.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct piece {
    size_t begin, end;
} piece;

/* Cuts words, numbers and single characters, with the white space in front of them. */
static size_t cut(const char *text, piece **out) {
    piece *list = NULL;
    size_t count = 0;
    for (size_t at = 0; text[at];) {
        size_t end = at;
        while (isspace((unsigned char)text[end]))
            ++end;
        if (isalnum((unsigned char)text[end]) || text[end] == '_')
            while (isalnum((unsigned char)text[end]) || text[end] == '_')
                ++end;
        else if (text[end])
            ++end;
        HT_GROW(list, count);
        list[count++] = (piece){at, end};
        at = end;
    }
    *out = list;
    return count;
}

char *mutate_text(const char *text, ht_random *random) {
    piece *pieces;
    ht_text out = {0};
    size_t count = cut(text, &pieces);
    size_t changes = 1 + (size_t)ht_random_below(random, 3);
    size_t where[3];
    int how[3];
    for (size_t i = 0; i < changes; ++i) {
        where[i] = (size_t)ht_random_below(random, count);
        how[i] = (int)ht_random_below(random, 3);
    }
    for (size_t i = 0; i < count; ++i) {
        int change = -1;
        for (size_t j = 0; j < changes; ++j)
            change = where[j] == i ? how[j] : change;
        piece next = pieces[i + 1 < count ? i + 1 : i];
        if (change == 2 && i + 1 < count) {
            ht_text_append_n(&out, text + next.begin, next.end - next.begin);
            ht_text_append_n(&out, text + pieces[i].begin, pieces[i].end - pieces[i].begin);
            ++i;
        } else if (change != 0) {
            ht_text_append_n(&out, text + pieces[i].begin, pieces[i].end - pieces[i].begin);
            if (change == 1)
                ht_text_append_n(&out, text + pieces[i].begin, pieces[i].end - pieces[i].begin);
        }
    }
    free(pieces);
    return ht_text_take(&out);
}
