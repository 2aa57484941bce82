#include "refactor/transformations/stride_vector/formula.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/source/names.h"
#include "refactor/transformations/stride_vector/wide_front.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MIN = 4 }; /* operations, conversions and declarations that are worth a function */

typedef struct reading {
    const ht_widening *in;
    struct ht_formula *out;
    size_t steps;
    bool failed;
} reading;

/* ---- elements ---- */

static const ht_vector_access *access_of(const ht_widening *in, const ht_syntax *node) {
    for (size_t i = 0; i < in->vectors.count; ++i) {
        const ht_syntax *own = in->vectors.items[i].node;
        if (own->kind == node->kind && own->range.begin == node->range.begin &&
            own->range.end == node->range.end)
            return &in->vectors.items[i];
    }
    return NULL;
}

/* Returns the access that an expression is, or is a conversion of, by a cast or by a function of
 * one argument; NULL: it is neither. */
static const ht_vector_access *converted(const ht_widening *in, const ht_syntax *node) {
    const ht_vector_access *access = NULL;
    for (; node && !access; node = node->count == 1 ? node->children[0] : NULL) {
        access = access_of(in, node);
        bool converts = node->kind == HT_SYNTAX_CAST || node->kind == HT_SYNTAX_PAREN ||
                        (node->kind == HT_SYNTAX_CALL && node->count == 1);
        if (!access && !converts)
            return NULL;
    }
    return access;
}

static bool is_named(const struct ht_formula *formula, const char *name) {
    for (size_t i = 0; i < formula->count; ++i)
        if (strcmp(formula->values[i].name, name) == 0)
            return true;
    return false;
}

/* Adds a parameter, and takes the type. */
static void add(reading *to, ht_formula_value value) {
    to->failed |= !value.type || is_named(to->out, value.name);
    HT_GROW(to->out->values, to->out->count);
    to->out->values[to->out->count++] = value;
}

static bool is_name(const ht_syntax *node, const void *context) {
    (void)context;
    return node->kind == HT_SYNTAX_NAME;
}

/* Adds an element that the formula has without a name: by its array's. */
static void add_element(reading *to, const ht_vector_access *access) {
    const ht_syntax *array = ht_syntax_first(access->node->children[0], is_name, NULL);
    to->failed |= !array || !access->load || access->store;
    if (!to->failed)
        add(to, (ht_formula_value){.name = ht_syntax_named(array)->name,
                                   .type = ht_format("%s ", access->type),
                                   .node = access->node,
                                   .element = true});
}

/* ---- what a formula may have ---- */

/* Returns true if one of the function's statements declares the variable. */
static bool is_within(const reading *to, const ht_syntax_variable *variable) {
    for (size_t i = to->out->first; i < to->in->count && variable->declaration; ++i)
        if (ht_syntax_within(variable->declaration, to->in->items[i]))
            return true;
    return false;
}

/* Takes note of a variable: one of the file's stays, others are passed. */
static void read_name(reading *to, const ht_syntax *node) {
    const ht_syntax_variable *variable = ht_syntax_named(node);
    bool shared = variable->is_shared || variable->space == HT_SPACE_SHARED ||
                  variable->space == HT_SPACE_DYNAMIC_SHARED;
    bool number = variable->type == HT_TYPE_REAL || variable->type == HT_TYPE_INTEGER ||
                  variable->type == HT_TYPE_BOOL;
    to->failed |= !node->plain || node->is_volatile || variable->is_template_parameter;
    if (is_within(to, variable) || is_named(to->out, variable->name) ||
        (!variable->is_local && !variable->is_parameter && !shared))
        return;
    to->failed |= !number || variable->is_array || variable->is_reference || variable->is_open ||
                  variable->index == to->in->c.x || (variable->is_static && !shared) ||
                  (variable->declaration &&
                   ht_syntax_within(variable->declaration, ht_syntax_body(to->in->of->loop)));
    if (!to->failed)
        add(to, (ht_formula_value){.name = variable->name,
                                   .type = ht_syntax_variable_type(variable, false),
                                   .node = node});
}

static bool on_part(const ht_syntax *node, void *context) {
    reading *to = context;
    const ht_vector_access *access = access_of(to->in, node);
    if (access) {
        add_element(to, access);
        return false;
    }
    switch (node->kind) {
    case HT_SYNTAX_NAME:
        read_name(to, node);
        return false;
    case HT_SYNTAX_CALL:
        to->failed |= !node->call || node->call->effect != HT_CALL_PURE || node->call->is_open ||
                      node->call->has_object || node->call->is_barrier;
        ++to->steps;
        break;
    case HT_SYNTAX_BINARY:
    case HT_SYNTAX_CONDITIONAL:
        ++to->steps;
        break;
    case HT_SYNTAX_CONSTANT:
        to->failed |= !node->plain && !ht_syntax_is_literal(node);
        break;
    case HT_SYNTAX_CAST: /* where the author rounds is a part of the formula */
        to->steps += node->written;
        break;
    case HT_SYNTAX_UNARY:
    case HT_SYNTAX_PAREN:
        break;
    default:
        to->failed = true;
    }
    return !to->failed;
}

/* Reads a statement of the function that declares a variable. */
static void read_declaration(reading *to, const ht_syntax *item) {
    bool fit = item->kind == HT_SYNTAX_DECLARATION && item->count == 1 && item->plain;
    const ht_syntax_variable *variable = fit ? ht_syntax_named(item->children[0]) : NULL;
    const ht_syntax *value =
        fit && item->children[0]->count ? item->children[0]->children[0] : NULL;
    to->failed |= !value || variable->is_static || variable->is_shared || variable->is_reference ||
                  variable->is_array || ht_syntax_has_change(value);
    ++to->steps;
    if (!to->failed)
        ht_syntax_walk(value, on_part, to);
}

/* Returns true if the variable is the function's: one of its statements declares it, or a
 * declaration ahead, whose value it gets. */
static bool is_own(const reading *to, const ht_syntax_variable *variable) {
    for (size_t i = 0; i < to->out->count; ++i)
        if (to->out->values[i].declared && strcmp(to->out->values[i].name, variable->name) == 0)
            return true;
    return is_within(to, variable);
}

/* Reads a statement of the function that sets one of its variables. */
static void read_assignment(reading *to, const ht_syntax *item) {
    const ht_syntax *target = item->plain ? ht_syntax_strip(item->children[0]) : NULL;
    bool named = target && target->kind == HT_SYNTAX_NAME && target->plain;
    const ht_syntax_variable *variable = named ? ht_syntax_named(target) : NULL;
    to->failed |= !variable || !is_own(to, variable) || ht_syntax_has_change(item->children[1]);
    ++to->steps;
    if (!to->failed)
        ht_syntax_walk(item->children[1], on_part, to);
}

static void read_statement(reading *to, const ht_syntax *item) {
    const ht_syntax *bare = item->kind > HT_SYNTAX_VARIABLE ? ht_syntax_strip_implicit(item) : item;
    if (bare->kind == HT_SYNTAX_ASSIGN)
        read_assignment(to, bare);
    else
        read_declaration(to, item);
}

/* Returns true if a declaration ahead of the formula is only for addresses. */
static bool is_index(const ht_widening *in, const ht_syntax *item) {
    return item->kind == HT_SYNTAX_DECLARATION && item->count == 1 &&
           in->again[item->children[0]->variable];
}

/* Reads the declarations ahead: indices, and names of elements, which become parameters. */
static void read_front(reading *to) {
    const ht_widening *in = to->in;
    size_t i = 0;
    for (; i + 1 < in->count; ++i) {
        const ht_syntax *item = in->items[i];
        bool one = item->kind == HT_SYNTAX_DECLARATION && item->count == 1 && item->plain &&
                   item->children[0]->count == 1;
        if (is_index(in, item))
            continue;
        const ht_vector_access *access = one ? converted(in, item->children[0]->children[0]) : NULL;
        const ht_syntax_variable *variable = access ? ht_syntax_named(item->children[0]) : NULL;
        if (!variable || variable->is_reference || variable->is_array || variable->is_static ||
            !access->load || access->store || ht_syntax_has_change(item->children[0]->children[0]))
            break;
        add(to, (ht_formula_value){.name = variable->name,
                                   .type = ht_coarsen_index_type(&in->c, variable->index),
                                   .node = item->children[0]->children[0],
                                   .declared = true,
                                   .element = true});
    }
    to->out->first = i;
}

/* Returns true if a value of the type on the right is the element's by `return` as by `=`. */
static bool returns_alike(const ht_vector_access *store, const ht_syntax *value) {
    bool numbers = store->node->type != HT_TYPE_OTHER && store->node->type != HT_TYPE_POINTER &&
                   value->type != HT_TYPE_OTHER && value->type != HT_TYPE_POINTER;
    char *type = ht_syntax_type(ht_syntax_written(value));
    bool alike = type && strcmp(type, store->type) == 0;
    free(type);
    return numbers || alike;
}

/* Reads the last statement, which stores the value. */
static void read_store(reading *to) {
    const ht_syntax *item = to->in->items[to->in->count - 1];
    const ht_syntax *store =
        item->kind > HT_SYNTAX_VARIABLE ? ht_syntax_strip_implicit(item) : item;
    const ht_vector_access *access =
        store->kind == HT_SYNTAX_ASSIGN && store->op == HT_BINARY_ASSIGN && store->plain
            ? access_of(to->in, ht_syntax_strip(store->children[0]))
            : NULL;
    to->failed |= !access || !access->store || access->load ||
                  ht_syntax_has_change(store->children[1]) ||
                  !returns_alike(access, store->children[1]);
    to->out->store = store;
    if (!to->failed)
        ht_syntax_walk(store->children[1], on_part, to);
}

/* ---- what a function can name ---- */

/* Returns true if the text has a name that only the kernel knows, other than those declared. */
static bool has_own_name(const reading *to, ht_range range) {
    const ht_model *model = to->in->c.model;
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, model->definition.file);
    bool own = false;
    for (size_t i = ht_tokens_at(tokens, range.begin);
         i < tokens->count && tokens->items[i].begin < range.end && !own; ++i) {
        bool element = false; /* whose text the function has not */
        for (size_t v = 0; v < to->out->count; ++v) {
            ht_range of = to->out->values[v].node->range;
            element |= to->out->values[v].element && of.begin <= tokens->items[i].begin &&
                       tokens->items[i].begin < of.end;
        }
        for (size_t l = 0; l < model->locals.count && !element; ++l) {
            const char *name = model->locals.items[l].name;
            bool known = is_named(to->out, name);
            for (size_t v = 0; v < to->in->c.tree->variable_count && !known; ++v) {
                const ht_syntax_variable *variable = &to->in->c.tree->variables[v];
                known = strcmp(variable->name, name) == 0 && is_within(to, variable);
            }
            own |= !known && ht_tokens_is(tokens, i, name);
        }
        for (size_t p = 0; p < model->parameters.count && !element; ++p)
            own |= ht_tokens_is(tokens, i, model->parameters.items[p].name) &&
                   !is_named(to->out, model->parameters.items[p].name);
    }
    return own;
}

/* Returns true if the body has a directive that could say how its expressions are computed. */
static bool has_directive(const ht_model *model) {
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, model->definition.file);
    bool any = false;
    for (size_t i = ht_tokens_at(tokens, model->definition.range.begin);
         i < tokens->count && tokens->items[i].begin < model->definition.range.end; ++i) {
        size_t begin = tokens->items[i].begin;
        const char *words = model->text + begin;
        any |= tokens->items[i].kind == HT_TOKEN_DIRECTIVE &&
               strncmp(words, "#pragma unroll", strlen("#pragma unroll")) != 0;
    }
    return any;
}

/* Returns true if a function can stand above the kernel: that begins a line of the main file, and
 * declares no types and templates of its own. */
static bool has_place(const ht_model *model) {
    size_t begin = ht_blank_begin(model->text, model->definition.range.begin);
    return model->definition.file == 0 && (begin == 0 || model->text[begin - 1] == '\n') &&
           !model->definition.is_template && !ht_wide_has_types(model) && !has_directive(model);
}

/* Returns true if all elements that the loop loads are values of the formula. */
static bool has_all(const reading *to) {
    size_t loads = 0, stores = 0, elements = 0;
    for (size_t i = 0; i < to->in->vectors.count; ++i) {
        loads += to->in->vectors.items[i].load;
        stores += to->in->vectors.items[i].store;
    }
    for (size_t i = 0; i < to->out->count; ++i)
        elements += to->out->values[i].element;
    return stores == 1 && loads > 0 && loads == elements;
}

/* Returns the function's name: the kernel's, without a last word that says that it is one. */
static const char *name_of(const ht_widening *in) {
    const char *kernel = in->c.model->name;
    size_t length = strlen(kernel);
    static const char *const ends[] = {"_kernel", "Kernel"};
    for (size_t i = 0; i < 2; ++i)
        if (ht_text_ends(kernel, ends[i]) && length > strlen(ends[i]))
            length = strlen(kernel) - strlen(ends[i]);
    char *front = ht_strndup(kernel, length), *wanted = ht_name_joined(front, "one");
    const char *name = ht_plan_name(in->c.plan, wanted);
    free(front);
    free(wanted);
    return name;
}

struct ht_formula *ht_formula_read(const ht_widening *in) {
    if (!in->count || !has_place(in->c.model))
        return NULL;
    reading to = {.in = in, .out = ht_alloc(1, sizeof *to.out)};
    read_front(&to);
    for (size_t i = to.out->first; i + 1 < in->count && !to.failed; ++i)
        read_statement(&to, in->items[i]);
    if (!to.failed)
        read_store(&to);
    for (size_t i = to.out->first; i + 1 < in->count && !to.failed; ++i)
        to.failed = has_own_name(&to, in->items[i]->range);
    if (to.failed || to.steps < STEPS_MIN || !has_all(&to) ||
        has_own_name(&to, to.out->store->children[1]->range)) {
        ht_formula_free(to.out);
        return NULL;
    }
    to.out->name = name_of(in);
    return to.out;
}

void ht_formula_free(struct ht_formula *formula) {
    for (size_t i = 0; formula && i < formula->count; ++i)
        free(formula->values[i].type);
    if (formula)
        free(formula->values);
    free(formula);
}
