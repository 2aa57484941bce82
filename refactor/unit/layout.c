#include "refactor/unit/layout.h"
#include "refactor/plan/transform.h"
#include "refactor/source/line_wrap.h"
#include "refactor/unit/requires.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 4 };

/* ---- lines */

/* Appends a directive, with a backslash at the end of each line that goes on. */
static void directive_add(const char *line, size_t length, ht_text *out) {
    ht_line_wrap(line, length, HT_LAYOUT_WIDTH, false, " \\\n", out);
    ht_text_append(out, "\n");
}

void ht_layout_list(const char *front, char *const *items, size_t count, ht_text *out) {
    size_t used = strlen(front);
    ht_text_append(out, front);
    for (size_t i = 0; i < count; ++i) {
        size_t length = strlen(items[i]);
        bool fits = used + length + 2 <= HT_LAYOUT_WIDTH;
        if (i)
            ht_text_append(out, fits ? ", " : ",\n    ");
        ht_text_append(out, items[i]);
        used = i && !fits ? INDENT + length : used + length + 2;
    }
}

/* Returns true if a line, without its indentation, stands in the author's text. */
static bool is_authors(const char *author, const char *line, size_t length) {
    size_t indent = strspn(line, " \t");
    return memmem(author, strlen(author), line + indent, length - indent) != NULL;
}

char *ht_layout_code(const char *text, const char *author) {
    ht_text out = {0};
    ht_text_append(&out, "");
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        if (length > HT_LAYOUT_WIDTH && !is_authors(author, line, length))
            ht_line_wrap(line, length, HT_LAYOUT_WIDTH, false, "\n", &out);
        else
            ht_text_append_n(&out, line, length);
        line += length;
        ht_text_append(&out, *line ? "\n" : "");
        line += *line == '\n';
    }
    return ht_text_take(&out);
}

/* ---- groups */

static const char *summary_of(const char *name) {
    for (size_t i = 0; name && ht_transformations[i]; ++i)
        if (strcmp(ht_transformations[i]->name, name) == 0)
            return ht_transformations[i]->summary;
    return NULL;
}

/* Appends the print's lines of a directive: all, or the one of an index. */
static void lines_add(const char *print, const char *directive, size_t index, ht_text *out) {
    size_t number = 0, length = strlen(directive);
    for (const char *line = print; *line; line += strcspn(line, "\n") + 1) {
        const char *word = line + strlen("#pragma tune ");
        if (strncmp(word, directive, length) == 0 && word[length] == '(' &&
            (index == SIZE_MAX || index == number++))
            directive_add(line, strcspn(line, "\n"), out);
    }
}

static bool same_origin(const ht_param *a, const ht_param *b) {
    return a->origin == b->origin || (a->origin && b->origin && strcmp(a->origin, b->origin) == 0);
}

/* Appends which of the group's parameters the transformation made; `from(...)` may be repeated. */
static void origin_add(const ht_template *template, size_t begin, size_t end, ht_text *out) {
    ht_text line = {0};
    ht_text_printf(&line, "#pragma tune from(%s : ", template->params[begin].origin);
    for (size_t i = begin; i < end; ++i)
        ht_text_printf(&line, i > begin ? ", %s" : "%s", template->params[i].name);
    ht_text_append(&line, ")");
    directive_add(line.data, line.length, out);
    ht_text_free(&line);
}

static void group_add(const ht_template *template, const char *print, size_t begin, size_t end,
                      ht_text *out) {
    const char *origin = template->params[begin].origin, *summary = summary_of(origin);
    ht_text_append(out, "\n");
    if (summary)
        ht_text_printf(out, "// %s: %s\n", origin, summary);
    for (size_t i = begin; i < end; ++i)
        lines_add(print, "param", i, out);
    if (origin)
        origin_add(template, begin, end, out);
    for (size_t i = 0; i < template->require_count; ++i) {
        size_t last = ht_require_last(template, template->requires[i].expr);
        if (last >= begin && last < end)
            lines_add(print, "require", i, out);
    }
}

char *ht_layout_annotations(const ht_template *template) {
    ht_text print = {0}, out = {0};
    ht_template_print(template, &print);
    lines_add(print.data, "unit", SIZE_MAX, &out);
    lines_add(print.data, "kernel", SIZE_MAX, &out);
    lines_add(print.data, "problem", SIZE_MAX, &out);
    for (size_t i = 0, end; i < template->param_count; i = end) {
        for (end = i + 1; end < template->param_count &&
                          same_origin(&template->params[i], &template->params[end]);)
            ++end;
        group_add(template, print.data, i, end, &out);
    }
    ht_text_append(&out, template->param_count ? "\n" : "");
    for (size_t i = 0; i < template->require_count; ++i)
        if (ht_require_last(template, template->requires[i].expr) == SIZE_MAX)
            lines_add(print.data, "require", i, &out);
    static const char *const placed[] = {"#pragma tune unit",
                                         "#pragma tune kernel(",
                                         "#pragma tune problem(",
                                         "#pragma tune param(",
                                         "#pragma tune from(",
                                         "#pragma tune require(",
                                         NULL};
    for (const char *line = print.data; *line; line += strcspn(line, "\n") + 1)
        if (!ht_text_starts(line, placed))
            directive_add(line, strcspn(line, "\n"), &out);
    ht_text_free(&print);
    return ht_text_take(&out);
}
