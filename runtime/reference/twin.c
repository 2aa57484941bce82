#include "runtime/reference/twin.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* runtime/reference/twin_tracked.hip and runtime/reference/twin_double.hip, linked in. */
extern const char ht_twin_tracked[];
extern const char ht_twin_double[];

static bool is_include(const char *line) {
    line += strspn(line, " \t");
    if (*line++ != '#')
        return false;
    line += strspn(line, " \t");
    return strncmp(line, "include", 7) == 0;
}

static size_t behind_includes(const char *unit) {
    size_t at = 0;
    for (const char *line = unit; *line != '\0';) {
        const char *end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        if (is_include(line))
            at = (size_t)(end - unit);
        line = end;
    }
    return at;
}

char *ht_twin_unit(const char *unit, ht_numbers numbers) {
    if (numbers == HT_NUMBERS_PLAIN)
        return ht_strdup(unit);
    size_t at = behind_includes(unit);
    ht_text text = {0};
    ht_text_append_n(&text, unit, at);
    ht_text_append(&text, "\n");
    ht_text_append(&text, numbers == HT_NUMBERS_TRACKED ? ht_twin_tracked : ht_twin_double);
    ht_text_append(&text, unit + at);
    return ht_text_take(&text);
}
