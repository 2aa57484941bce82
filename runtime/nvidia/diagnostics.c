#include "runtime/nvidia/diagnostics.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define HINT " [hiptemper's device prelude for nvidia does not supply it: docs/prelude.md]"

/* Returns true if the line starts with a place, as in "unit.hip(12): error: ..."; *out_open and
 * *out_close are its brackets. */
static bool has_place(const char *line, size_t length, size_t *out_open, size_t *out_close) {
    for (size_t close = 1; close + 2 < length; close++) {
        if (line[close] != ')' || line[close + 1] != ':' || line[close + 2] != ' ')
            continue;
        size_t open = close;
        while (open > 0 && isdigit((unsigned char)line[open - 1]))
            open--;
        if (open == close || open < 2 || line[open - 1] != '(')
            return false;
        *out_open = open - 1;
        *out_close = close;
        return true;
    }
    return false;
}

/* Returns true for names of HIP, of its compiler or of the standard library: not the kernel
 * author's own. */
static bool is_supplied_name(const char *name) {
    return strncmp(name, "__", 2) == 0 || strncmp(name, "hip", 3) == 0 ||
           strncmp(name, "std::", 5) == 0 || strncmp(name, "cooperative_groups", 18) == 0;
}

static bool wants_hint(const char *line, size_t length) {
    static const char identifier[] = "error: identifier \"", member[] = "namespace \"std\" has no",
                      file[] = "error: could not open source file \"";
    const char *at = memmem(line, length, identifier, sizeof identifier - 1);
    if (at)
        return is_supplied_name(at + sizeof identifier - 1);
    return memmem(line, length, member, sizeof member - 1) != NULL ||
           memmem(line, length, file, sizeof file - 1) != NULL;
}

static void line_append(const char *line, size_t length, ht_text *out) {
    static const char ptxas[] = "ptxas error   : ", fatal[] = "ptxas fatal   : ";
    size_t open, close;
    if (has_place(line, length, &open, &close)) {
        ht_text_append_n(out, line, open);
        ht_text_append(out, ":");
        ht_text_append_n(out, line + open + 1, close - open - 1);
        ht_text_append_n(out, line + close + 1, length - close - 1);
        if (wants_hint(line, length))
            ht_text_append(out, HINT);
    } else if (length > sizeof ptxas && (memcmp(line, ptxas, sizeof ptxas - 1) == 0 ||
                                         memcmp(line, fatal, sizeof fatal - 1) == 0)) {
        ht_text_append(out, "ptxas error: ");
        ht_text_append_n(out, line + sizeof ptxas - 1, length - sizeof ptxas + 1);
    } else {
        ht_text_append_n(out, line, length);
    }
    ht_text_append_n(out, "\n", 1);
}

void ht_nvidia_diagnostics_append(const char *log, ht_text *out) {
    for (const char *line = log; *line;) {
        size_t length = strcspn(line, "\n");
        line_append(line, length, out);
        line += length + (line[length] == '\n');
    }
}
