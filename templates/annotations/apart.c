#include "templates/annotations/apart.h"

#include "templates/annotations/template.h"

#include <string.h>

/* Returns the line's end, past its newline. */
static const char *line_end(const char *at) {
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

/* Returns true if the line that ends here goes on in the next one. */
static bool goes_on(const char *begin, const char *end) {
    const char *last = end > begin && end[-1] == '\n' ? end - 1 : end;
    return last > begin && last[-1] == '\\' && *end;
}

void ht_unit_part_print(const char *unit, ht_unit_part part, ht_text *out) {
    bool annotation = false; /* the line is one, or goes on with one */
    for (const char *at = unit, *end; *at; at = end) {
        end = line_end(at);
        const char *word = at + strspn(at, " \t");
        bool include = strncmp(word, "#include", 8) == 0;
        annotation = annotation || strncmp(word, "#pragma tune", 12) == 0;
        if (part == HT_UNIT_INCLUDES && include)
            ht_text_append_n(out, at, (size_t)(end - at));
        else if (part != HT_UNIT_INCLUDES) {
            bool left_out = annotation || (include && part == HT_UNIT_REST);
            ht_text_append_n(out, left_out ? "\n" : at, left_out ? 1 : (size_t)(end - at));
        }
        annotation = annotation && goes_on(at, end);
    }
}

char *ht_units_apart(const char *reference, const char *own, bool reference_first,
                     const char *annotations) {
    ht_text text = {0};
    ht_unit_part_print(reference, HT_UNIT_INCLUDES, &text);
    ht_unit_part_print(own, HT_UNIT_INCLUDES, &text);
    ht_text_append(&text, annotations);
    ht_text_append(&text, reference_first ? "#ifdef " HT_REFERENCE_MACRO "\n"
                                          : "#ifndef " HT_REFERENCE_MACRO "\n");
    ht_unit_part_print(reference_first ? reference : own, HT_UNIT_REST, &text);
    ht_text_append(&text, "\n#else\n");
    ht_unit_part_print(reference_first ? own : reference, HT_UNIT_REST, &text);
    ht_text_append(&text, "\n#endif\n");
    return ht_text_take(&text);
}
