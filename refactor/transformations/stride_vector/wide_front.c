#include "refactor/transformations/stride_vector/wide_front.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/source/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct wide_front {
    const ht_model *model;
    ht_plan *plan;
    ht_widening *loops;
    size_t count;
    ht_text text;
} wide_front;

/* Starts a line, indented as the first statement. */
static void line_begin(wide_front *in) {
    const char *text = in->model->text + in->model->definition.body_range.begin + 1;
    size_t blanks = strspn(text, " \t\r\n"), begin = ht_line_begin(text, blanks);
    ht_text_printf(&in->text, "\n%.*s", (int)(blanks - begin), text + begin);
}

bool ht_wide_has_types(const ht_model *model) {
    static const char *const words[] = {"struct", "class",   "union", "enum",
                                        "using",  "typedef", NULL};
    return ht_tokens_count(ht_source_tokens(model->facts->source, model->definition.file),
                           model->definition.body_range, words) > 0;
}

/* Returns true if an access ahead of this one has the type. */
static bool is_known(const wide_front *in, size_t loop, size_t access) {
    const char *pack = in->loops[loop].vectors.items[access].pack;
    for (size_t l = 0; l <= loop; ++l)
        for (size_t i = 0; i < (l < loop ? in->loops[l].vectors.count : access); ++i)
            if (strcmp(in->loops[l].vectors.items[i].pack, pack) == 0)
                return true;
    return false;
}

static void declare_types(wide_front *in) {
    for (size_t l = 0; l < in->count; ++l)
        for (size_t i = 0; i < in->loops[l].vectors.count; ++i) {
            ht_vector_access *access = &in->loops[l].vectors.items[i];
            access->declared = true;
            if (is_known(in, l, i))
                continue;
            ht_text_printf(&in->text, "$?{%s > 1}{}{", in->loops[l].param);
            line_begin(in);
            ht_text_append(&in->text, "// no vector type: rows are only aligned to an element}");
            line_begin(in);
            ht_text_printf(&in->text, "struct %s { %s element[${%s}]; };", access->pack,
                           access->type, in->loops[l].param);
        }
}

/* Returns the loop's bound if that is an argument whose value stays; NULL: it is something else. */
static const ht_syntax_variable *bound_of(const ht_widening *loop) {
    const ht_syntax *left, *bound;
    int op;
    if (!ht_syntax_binary(loop->of->loop->children[1], &op, &left, &bound))
        return NULL;
    const ht_syntax *bare = ht_syntax_strip_whole(bound);
    const ht_syntax_variable *variable =
        bare && bare->kind == HT_SYNTAX_NAME ? ht_syntax_named(bare) : NULL;
    return variable && variable->parameter && !variable->changed && !variable->is_reference
               ? variable
               : NULL;
}

/* Declares where whole turns end for a loop and those after it with the same bound. */
static void declare_end(wide_front *in, size_t first) {
    ht_widening *loop = &in->loops[first];
    const ht_syntax_variable *bound = bound_of(loop);
    if (!bound || !loop->ends_apart)
        return;
    char *wanted = ht_format("packed_%s", bound->name);
    const char *name = ht_plan_name(in->plan, wanted);
    for (size_t l = first; l < in->count; ++l)
        if (in->loops[l].ends_apart && bound_of(&in->loops[l]) == bound &&
            strcmp(in->loops[l].ends_apart, loop->ends_apart) == 0)
            in->loops[l].end = name;
    const char *type = bound->parameter->type;
    ht_text_printf(&in->text, "$?{%s}{}{", loop->ends_apart);
    line_begin(in);
    ht_text_printf(&in->text, "%s%s %s = %s - %s %% ${%s};}",
                   strncmp(type, "const ", 6) == 0 ? "" : "const ", type, name, bound->name,
                   bound->name, loop->param);
    free(wanted);
}

void ht_wide_front(const ht_model *model, ht_plan *plan, ht_widening *loops, size_t count) {
    wide_front in = {.model = model, .plan = plan, .loops = loops, .count = count};
    size_t at = model->definition.body_range.begin + 1;
    const char *param = NULL;
    for (size_t l = 0; l < count && !param; ++l)
        param = loops[l].vectors.count ? loops[l].param : NULL;
    if (!param || strcspn(model->text + at, "\n") > strspn(model->text + at, " \t\r"))
        return; /* its first statement begins on the brace's line */
    if (!ht_wide_has_types(model))
        declare_types(&in);
    for (size_t l = 0; l < count; ++l)
        if (loops[l].ends_apart && !loops[l].end)
            declare_end(&in, l);
    if (in.text.length)
        ht_plan_edit(plan, (ht_range){at, at}, param, in.text.data);
    ht_text_free(&in.text);
}
