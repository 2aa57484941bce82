#include "refactor/source/forms.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/array_parameters.h"
#include "refactor/source/chevrons.h"

#include <stdlib.h>
#include <string.h>

/* Appends each line that is not as it was. */
static void lines_add(const char *before, const char *after, ht_whole_blocks *lines) {
    while (*before) {
        size_t length = strcspn(before, "\n"), other = strcspn(after, "\n");
        if (length != other || memcmp(before, after, length) != 0) {
            HT_GROW(lines->items, lines->count);
            lines->items[lines->count++] =
                (ht_whole_block){ht_strndup(before, length), ht_strndup(after, other)};
        }
        before += length + (before[length] == '\n');
        after += other + (after[other] == '\n');
    }
}

char *ht_forms_plain(const char *text, const ht_launch_names *names) {
    char *joined = ht_strdup(text);
    ht_chevrons_join(joined);
    ht_array_parameters_write(joined);
    char *changed = ht_chevrons_lists(joined);
    free(joined);
    return ht_launch_names_write(changed, names);
}

char *ht_forms_text(const char *text, ht_whole_blocks *lines) {
    const ht_launch_names none = {0};
    char *changed = ht_forms_plain(text, &none);
    if (strcmp(text, changed) == 0) {
        free(changed);
        return NULL;
    }
    lines_add(text, changed, lines);
    return changed;
}

bool ht_forms_same(const char *plain, const char *text, const ht_launch_names *names) {
    char *own = ht_forms_plain(text, names);
    bool same = strcmp(plain, own) == 0;
    free(own);
    return same;
}
