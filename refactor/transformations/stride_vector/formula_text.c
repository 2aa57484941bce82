#include "refactor/transformations/stride_vector/formula_text.h"

#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/source/device_style.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/stride_vector/formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct function {
    const ht_widening *in;
    const char *text;                 /* the source's */
    const char *from;                 /* where the blanks ahead of the loop's statements begin */
    size_t from_length, unit, margin; /* of these, of a step, and of the kernel */
    ht_text out;
} function;

/* Returns the value that an element at a place is, without a declaration; NULL: none is. */
static const ht_formula_value *value_at(const function *of, size_t at) {
    const struct ht_formula *formula = of->in->formula;
    for (size_t i = 0; i < formula->count; ++i)
        if (formula->values[i].element && !formula->values[i].declared &&
            formula->values[i].node->range.begin == at)
            return &formula->values[i];
    return NULL;
}

/* Copies a range with names in the place of elements, lines indented as the function's. */
static void copy(function *of, size_t begin, size_t end) {
    for (size_t at = begin; at < end;) {
        const ht_formula_value *value = value_at(of, at);
        if (value) {
            ht_text_append(&of->out, value->name);
            at = value->node->range.end;
            continue;
        }
        ht_text_append_n(&of->out, of->text + at, 1);
        ++at;
        if (of->text[at - 1] != '\n' || strncmp(of->text + at, of->from, of->from_length) != 0)
            continue;
        ht_text_append_n(&of->out, of->from + of->margin, of->unit);
        at += of->from_length;
    }
}

/* Begins a statement, with the comments ahead of it. */
static void begin(function *of, const ht_syntax *item) {
    bool compound = ht_syntax_body(of->in->of->loop)->kind == HT_SYNTAX_COMPOUND;
    size_t first = item->range.begin;
    size_t lead = compound ? ht_statement_lead(&of->in->c, item) : first;
    while (lead < first && isspace((unsigned char)of->text[lead]))
        ++lead;
    ht_text_append(&of->out, "\n");
    ht_text_append_n(&of->out, of->from + of->margin, of->unit);
    copy(of, lead, first);
}

/* Returns true if the kernel's brace stands on a line of its own. */
static bool is_brace_apart(const ht_model *model) {
    size_t brace = model->definition.body_range.begin, begin = ht_line_begin(model->text, brace);
    return begin + strspn(model->text + begin, " \t") == brace;
}

static function start(const ht_widening *in) {
    const ht_model *model = in->c.model;
    const char *text = model->text;
    size_t own = ht_line_begin(text, in->items[in->formula->first]->range.begin);
    size_t kernel = ht_line_begin(text, model->definition.range.begin);
    size_t loop = ht_line_begin(text, in->c.tree->body->children[0]->range.begin);
    function of = {.in = in, .text = text, .from = text + own};
    of.from_length = strspn(text + own, " \t");
    of.margin = strspn(text + kernel, " \t");
    size_t step = strspn(text + loop, " \t");
    of.unit = step > of.margin ? step - of.margin : 0;
    if (of.margin + of.unit > of.from_length)
        of.unit = of.from_length > of.margin ? of.from_length - of.margin : 0;
    return of;
}

char *ht_formula_function(const ht_widening *in) {
    const struct ht_formula *formula = in->formula;
    const ht_model *model = in->c.model;
    function of = start(in);
    const ht_syntax *target = ht_syntax_strip(formula->store->children[0]);
    const ht_syntax *value = formula->store->children[1];
    char *words = ht_device_words(model->facts->source), *type = ht_syntax_type(target);
    ht_text_printf(&of.out, "%s%s %s(", words, type, formula->name);
    for (size_t i = 0; i < formula->count; ++i)
        ht_text_printf(&of.out, "%s%s%s", i ? ", " : "", formula->values[i].type,
                       formula->values[i].name);
    ht_text_append(&of.out, is_brace_apart(model) ? ")\n{" : ") {");
    for (size_t i = formula->first; i + 1 < in->count; ++i) {
        begin(&of, in->items[i]);
        copy(&of, in->items[i]->range.begin, ht_statement_tail(&in->c, in->items[i]));
    }
    begin(&of, in->items[in->count - 1]);
    ht_text_append(&of.out, "return ");
    copy(&of, value->range.begin, value->range.end);
    ht_text_append(&of.out, ";\n}\n");
    free(words);
    free(type);
    return ht_text_take(&of.out);
}
