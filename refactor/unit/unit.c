#include "refactor/unit/unit.h"
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/render.h"
#include "refactor/unit/layout.h"
#include "refactor/unit/slice_print.h"

#include <stdlib.h>
#include <string.h>

typedef struct writing {
    const ht_plan *plan;
    const ht_slice *slice;
    const char *annotations;
    char *problem;
} writing;

/* Returns true if this chunk declares the kernel. *out_defines: with its body. */
static bool declares(const writing *in, const ht_chunk *chunk, bool *out_defines) {
    CXCursor kernel = in->plan->model->definition.function;
    *out_defines = false;
    for (size_t i = 0; i < chunk->cursor_count; ++i) {
        if (clang_equalCursors(chunk->cursors[i], kernel))
            *out_defines = true;
        if (clang_equalCursors(clang_getCanonicalCursor(chunk->cursors[i]),
                               clang_getCanonicalCursor(kernel)))
            return true;
    }
    return *out_defines;
}

/* Returns true for words in front of the kernel's name that the unit does not need. */
static bool is_dropped(const ht_tokens *tokens, size_t index) {
    return ht_tokens_is(tokens, index, "static") || ht_tokens_is(tokens, index, "extern");
}

static void write_template_header(const ht_plan *plan, bool *out_open, ht_text *out) {
    char **items = ht_alloc(plan->params.count + 1, sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < plan->params.count; ++i) {
        const ht_planned_param *param = &plan->params.items[i];
        if (param->existing || param->macro)
            continue;
        bool boolean = strncmp(param->values, "false", 5) == 0;
        const char *type = param->type ? param->type : boolean ? "bool" : "int";
        items[count++] = ht_format("%s %s", type, param->name);
    }
    if (count)
        ht_layout_list("template <", items, count, out);
    ht_strings_free(items, count);
    *out_open = count > 0;
}

/* Writes the text from `begin` to the kernel's end, with edits or renamed. Dropped words become
 * blanks. */
static bool write_kernel(writing *in, size_t begin, bool original, ht_text *out) {
    const ht_model *model = in->plan->model;
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    unsigned name;
    clang_getExpansionLocation(clang_getCursorLocation(model->definition.function), NULL, NULL,
                               NULL, &name);
    size_t at = begin;
    for (size_t i = ht_tokens_at(tokens, begin); i < tokens->count && tokens->items[i].begin < name;
         ++i) {
        bool linkage = tokens->items[i].kind == HT_TOKEN_STRING;
        if (!is_dropped(tokens, i) && !linkage)
            continue;
        in->problem = ht_plan_render(in->plan, (ht_range){at, tokens->items[i].begin}, NULL, out);
        if (in->problem)
            return false;
        at = tokens->items[i].end;
    }
    if (original) {
        ht_text_append_n(out, model->text + at, name + strlen(model->name) - at);
        ht_text_append(out, "__original");
        at = name + strlen(model->name);
        ht_text_append_n(out, model->text + at, model->definition.range.end - at);
        ht_text_append(out, "\n");
        return true;
    }
    ht_text body = {0};
    in->problem =
        ht_plan_render(in->plan, (ht_range){at, model->definition.range.end}, NULL, &body);
    char *laid = ht_layout_code(body.data ? body.data : "", model->text);
    ht_text_printf(out, "%s\n", laid);
    free(laid);
    ht_text_free(&body);
    return !in->problem;
}

static size_t kernel_begin(const writing *in, const ht_chunk *chunk) {
    size_t begin = in->plan->model->definition.range.begin;
    return chunk->range.begin < begin ? chunk->range.begin : begin;
}

static void hide_macros(const ht_plan *plan, bool hide, ht_text *out) {
    const ht_source *source = plan->model->facts->source;
    for (size_t i = 0; i < plan->params.count; ++i) {
        const char *name = plan->params.items[i].hidden_macro;
        if (!name)
            continue;
        const ht_macro *macro =
            ht_source_macro(source, name, 0, plan->model->definition.range.begin);
        if (hide)
            ht_text_printf(out, "#undef %s\n", name);
        else if (macro)
            ht_text_printf(out, "%.*s\n", (int)(macro->range.end - macro->range.begin),
                           source->files[macro->file].text + macro->range.begin);
    }
}

/* Undefines macros that the original, which is written first, defines inside its text: the other
 * kernel defines them again. */
static void forget_macros(const ht_plan *plan, ht_text *out) {
    const ht_model *model = plan->model;
    const ht_source *source = model->facts->source;
    for (size_t i = 0; i < source->macros.count; ++i)
        if (source->macros.items[i].file == 0 &&
            source->macros.items[i].range.begin >= model->definition.range.begin &&
            source->macros.items[i].range.end <= model->definition.range.end)
            ht_text_printf(out, "#undef %s\n", source->macros.items[i].name);
}

static bool write_parameterized(writing *in, const ht_chunk *chunk, ht_text *out) {
    const ht_model *model = in->plan->model;
    const ht_source *source = model->facts->source;
    size_t begin = kernel_begin(in, chunk);
    bool open;
    ht_text_append(out, in->plan->unit.helpers ? in->plan->unit.helpers : "");
    ht_text_append(out, in->annotations);
    if (model->definition.is_template) {
        const ht_tokens *tokens = ht_source_tokens(source, 0);
        size_t index = ht_tokens_at(tokens, begin);
        if (!ht_tokens_is(tokens, index, "template") || !ht_tokens_is(tokens, index + 1, "<")) {
            in->problem = ht_strdup("the kernel's template header is not understood");
            return false;
        }
        ht_line_directive(source, chunk->file, chunk->line, out);
        write_template_header(in->plan, &open, out);
        ht_text_append(out, open ? ",\n    " : "template <");
        begin = tokens->items[index + 1].end;
    } else {
        write_template_header(in->plan, &open, out);
        ht_text_append(out, open ? ">\n" : "");
        ht_line_directive(source, chunk->file, chunk->line, out);
    }
    return write_kernel(in, begin, false, out);
}

/* Prints the definition of a macro that the compiler's command line sets, so that it holds only
 * without one. */
static bool replace_macro(const writing *in, const ht_slice_item *item, ht_text *out) {
    const ht_plan *plan = in->plan;
    const char *text = in->slice->source->files[item->file].text;
    ht_tokens line;
    ht_tokens_read(text, item->range, false, &line);
    const char *name = NULL;
    for (size_t i = 0; i < plan->params.count; ++i)
        for (size_t k = 0; plan->params.items[i].macro && k < line.count && k < 3; ++k)
            if (ht_tokens_is(&line, k, plan->params.items[i].name) &&
                (k == 0 || ht_tokens_is(&line, k - 1, "define")))
                name = plan->params.items[i].name;
    ht_tokens_free(&line);
    if (name)
        ht_text_printf(out, "#ifndef %s\n%.*s\n#endif\n", name,
                       (int)(item->range.end - item->range.begin), text + item->range.begin);
    return name != NULL;
}

static bool replace(void *context, const ht_slice_item *item, ht_text *out) {
    writing *in = context;
    const ht_chunk *chunk = item->chunk;
    bool defines;
    if (!chunk)
        return replace_macro(in, item, out);
    if (!declares(in, chunk, &defines))
        return false;
    if (!defines || in->problem)
        return true; /* a declaration ahead of the kernel is not needed, and would not match */
    if (chunk->cursor_count != 1) {
        in->problem = ht_strdup("the kernel's text overlaps another declaration's");
        return true;
    }
    ht_line_directive(in->slice->source, chunk->file, chunk->line, out);
    if (!write_kernel(in, kernel_begin(in, chunk), true, out))
        return true;
    forget_macros(in->plan, out);
    hide_macros(in->plan, true, out);
    write_parameterized(in, chunk, out);
    hide_macros(in->plan, false, out);
    return true;
}

/* Takes the kernel out of extern "C" and unnamed namespaces: it becomes a template and is looked up
 * by its name. */
static void drop_scopes(writing *in) {
    for (size_t i = 0; i < in->slice->chunk_count; ++i) {
        ht_chunk *chunk = &in->slice->chunks[i];
        bool defines;
        size_t kept = 0;
        if (!declares(in, chunk, &defines))
            continue;
        for (size_t j = 0; j < chunk->scope_count; ++j) {
            char *scope = chunk->scopes[j];
            if (strncmp(scope, "extern", 6) == 0 || strcmp(scope, "namespace {") == 0)
                free(scope);
            else
                chunk->scopes[kept++] = scope;
        }
        chunk->scope_count = kept;
    }
}

char *ht_unit_write(const ht_plan *plan, const ht_slice *slice, const char *annotations,
                    char **out_unit) {
    writing in = {.plan = plan, .slice = slice, .annotations = annotations};
    ht_text text = {0};
    drop_scopes(&in);
    ht_slice_print(slice, replace, &in, &text);
    if (in.problem) {
        ht_text_free(&text);
        return in.problem;
    }
    *out_unit = ht_text_take(&text);
    return NULL;
}
