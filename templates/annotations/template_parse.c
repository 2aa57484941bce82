/* From a source text to templates: finds the directives and hands each to the draft it belongs to.
 */
#include "templates/annotations/pragma_scan.h"
#include "templates/annotations/template_draft.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    ht_draft *drafts;
    size_t count;
    bool is_unit;
    ht_error *error;
} reader;

static ht_status read_kernel(reader *r, ht_span name, ht_span inside) {
    HT_GROW(r->drafts, r->count);
    ht_draft *draft = &r->drafts[r->count];
    *draft = (ht_draft){0};
    ++r->count;
    ht_status status = ht_draft_kernel(draft, inside, r->error);
    draft->template.line = name.place.line;
    for (size_t i = 0; status == HT_OK && i + 1 < r->count; ++i)
        if (!strcmp(r->drafts[i].template.name, draft->template.name))
            status = ht_span_error(ht_span_trim(inside), r->error,
                                   "kernel %s is annotated twice (first in line %d)",
                                   draft->template.name, r->drafts[i].template.line);
    return status;
}

static ht_status read_unit(reader *r, ht_span name) {
    if (r->is_unit)
        return ht_span_error(name, r->error, "unit is written twice");
    r->is_unit = true;
    return HT_OK;
}

static ht_status unknown_directive(const reader *r, ht_span name) {
    const char *known[32] = {"unit", "kernel"};
    size_t count = 2;
    ht_text listed = {0};
    for (size_t i = 0; count + 1 < sizeof known / sizeof *known; ++i, ++count)
        if (!(known[count] = ht_draft_directive(i)))
            break;
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&listed, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", known[i]);
    char *word = ht_strndup(name.text, name.length > 40 ? 40 : name.length);
    const char *like = ht_nearest_word(word, known);
    char *hint = like ? ht_format("did you mean '%s'? There", like) : ht_strdup("there");
    ht_status status =
        ht_span_error(name, r->error, "unknown directive '%s'; %s are %s", word, hint, listed.data);
    free(hint);
    free(word);
    ht_text_free(&listed);
    return status;
}

/* Takes one directive off the front of a line. */
static ht_status read_directive(reader *r, ht_span *line) {
    ht_span name, inside;
    ht_status status = ht_span_take_name(line, false, "a directive", &name, r->error);
    if (status != HT_OK)
        return status;
    if (ht_span_is(name, "unit"))
        return read_unit(r, name);
    bool kernel = ht_span_is(name, "kernel");
    if (!kernel && !ht_draft_knows(name))
        return unknown_directive(r, name);
    char after[32];
    snprintf(after, sizeof after, "after %.*s", (int)name.length, name.text);
    if ((status = ht_span_take_group(line, '(', after, &inside, r->error)) != HT_OK)
        return status;
    if (kernel)
        return read_kernel(r, name, inside);
    if (!r->count)
        return ht_span_error(name, r->error, "%.*s before any kernel(...) directive",
                             (int)name.length, name.text);
    return ht_draft_apply(&r->drafts[r->count - 1], name, inside, r->error);
}

static ht_status read_line(reader *r, const ht_pragma *pragma, const char *file) {
    ht_place where = {.file = file, .line = pragma->line, .column = pragma->column};
    ht_span line = ht_span_of(pragma->text, where);
    ht_status status;
    do
        status = read_directive(r, &line);
    while (status == HT_OK && ht_span_trim(line).length);
    return status;
}

static ht_status finish(reader *r, const char *text, const char *file) {
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < r->count; ++i) {
        ht_template *template = &r->drafts[i].template;
        template->file = ht_strdup(file ? file : "");
        template->unit = ht_strdup(text);
        template->is_unit = r->is_unit;
        status = ht_draft_finish(&r->drafts[i], r->error);
    }
    return status;
}

ht_status ht_template_parse(const char *text, const char *file, ht_template **out_templates,
                            size_t *out_count, ht_error *error) {
    reader r = {.error = error};
    ht_pragma *pragmas;
    size_t pragma_count;
    ht_status status = HT_OK;
    ht_pragma_scan(text, &pragmas, &pragma_count);
    for (size_t i = 0; status == HT_OK && i < pragma_count; ++i)
        status = read_line(&r, &pragmas[i], file);
    if (status == HT_OK)
        status = finish(&r, text, file);
    if (status == HT_OK) {
        *out_count = r.count;
        *out_templates = r.count ? ht_alloc(r.count, sizeof **out_templates) : NULL;
        for (size_t i = 0; i < r.count; ++i) {
            (*out_templates)[i] = r.drafts[i].template;
            r.drafts[i].template = (ht_template){0};
        }
    }
    for (size_t i = 0; i < r.count; ++i)
        ht_draft_free(&r.drafts[i]);
    free(r.drafts);
    ht_pragma_free(pragmas, pragma_count);
    return status;
}

ht_template *ht_template_parse_one(const char *text, const char *file, ht_error *error) {
    ht_template *templates = NULL;
    size_t count = 0;
    if (ht_template_parse(text, file, &templates, &count, error) != HT_OK)
        return NULL;
    if (count == 1)
        return templates;
    ht_error_set(error, HT_ERROR_INTERNAL, "%zu templates where one was written", count);
    ht_template_free(templates, count);
    return NULL;
}

ht_status ht_template_load(const char *path, ht_template **out_templates, size_t *out_count,
                           ht_error *error) {
    char *text;
    ht_status status = ht_file_read_text(path, "HIP source", &text, error);
    if (status != HT_OK)
        return status;
    status = ht_template_parse(text, path, out_templates, out_count, error);
    free(text);
    return status;
}
