/* Lists of values: elements that are not lists are computed by folding code to a constant. */
#include "templates/expr/real_print.h"
#include "templates/t1/python_lex.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct list {
    ht_python_value *items;
    size_t count;
} list;

/* The variables of the comprehensions around, innermost first. */
typedef struct binding {
    const char *name;
    const ht_python_value *value;
    const struct binding *outer;
} binding;

typedef struct computer {
    ht_code *code;
    size_t steps; /* values made in all, so that nested lists end */
    char **texts; /* in the order in which they came; here only equality counts */
    size_t text_count;
    ht_error *error;
} computer;

typedef struct place {
    computer *c;
    const binding *names;
} place;

static ht_status compute_list(computer *c, const binding *names, const ht_python_node *node,
                              list *out);

static int64_t ordinal(const void *context, const char *text) {
    computer *c = ((const place *)context)->c;
    size_t i = 0;
    while (i < c->text_count && strcmp(c->texts[i], text) != 0)
        ++i;
    if (i == c->text_count) {
        HT_GROW(c->texts, c->text_count);
        c->texts[c->text_count++] = ht_strdup(text);
    }
    return (int64_t)i;
}

static bool lookup(const void *context, const char *name, uint32_t *out_instruction) {
    const place *at = context;
    for (const binding *b = at->names; b; b = b->outer) {
        if (strcmp(b->name, name) != 0)
            continue;
        *out_instruction =
            b->value->type == HT_CODE_TEXT ? ht_code_text(at->c->code, ordinal(at, b->value->text))
            : b->value->type == HT_CODE_REAL ? ht_code_real(at->c->code, b->value->number.real)
                                             : ht_code_whole(at->c->code, b->value->number.whole);
        return true;
    }
    return false;
}

void ht_python_list_free(ht_python_value *values, size_t count) {
    for (size_t i = 0; i < count; ++i)
        free(values[i].text);
    free(values);
}

static ht_status list_add(computer *c, const ht_python_node *node, list *out,
                          ht_python_value value) {
    if (++c->steps > HT_PYTHON_LIST_MAX) {
        free(value.text);
        return ht_python_fail(c->error, node->begin, "the list is longer than %d values",
                              HT_PYTHON_LIST_MAX);
    }
    HT_GROW(out->items, out->count);
    out->items[out->count++] = value;
    return HT_OK;
}

static bool is_boolean(const binding *names, const ht_python_node *node) {
    if (node->kind == HT_PYTHON_NAME)
        for (; names; names = names->outer)
            if (!strcmp(names->name, node->text))
                return names->value->boolean;
    return node->kind == HT_PYTHON_BOOLEAN || node->kind == HT_PYTHON_COMPARE ||
           (node->kind == HT_PYTHON_UNARY && node->op == HT_PYTHON_NOT) ||
           (node->kind == HT_PYTHON_CALL && !strcmp(node->text, "bool"));
}

static ht_status compute_value(computer *c, const binding *names, const ht_python_node *node,
                               ht_python_value *out) {
    place at = {c, names};
    ht_python_scope scope = {c->code, lookup, ordinal, &at, true};
    uint32_t made = 0;
    *out = (ht_python_value){0};
    ht_status status = ht_python_code(&scope, node, &made, c->error);
    if (status != HT_OK)
        return status;
    const ht_instruction *in = ht_code_at(c->code, made);
    if (in->op != HT_CODE_CONSTANT)
        return ht_python_fail(c->error, node->begin, "%s",
                              in->op == HT_CODE_FAIL ? ht_fault_text((ht_fault)in->constant.whole)
                                                     : "this has no value");
    out->type = (ht_code_type)in->type;
    out->number = in->constant;
    out->boolean = out->type == HT_CODE_WHOLE && is_boolean(names, node);
    if (out->type == HT_CODE_TEXT)
        out->text = ht_strdup(c->texts[in->constant.whole]);
    return HT_OK;
}

static ht_status compute_whole(computer *c, const binding *names, const ht_python_node *node,
                               int64_t *out) {
    ht_python_value value;
    ht_status status = compute_value(c, names, node, &value);
    if (status != HT_OK)
        return status;
    free(value.text);
    if (value.type != HT_CODE_WHOLE)
        return ht_python_fail(c->error, node->begin, "expected a whole number");
    *out = value.number.whole;
    return HT_OK;
}

static ht_status compute_range(computer *c, const binding *names, const ht_python_node *node,
                               list *out) {
    int64_t bounds[3] = {0, 0, 1};
    ht_status status = HT_OK;
    if (node->child_count < 1 || node->child_count > 3)
        return ht_python_fail(c->error, node->begin, "range() takes one to three numbers");
    for (size_t i = 0; status == HT_OK && i < node->child_count; ++i)
        status =
            compute_whole(c, names, node->children[i], &bounds[node->child_count == 1 ? 1 : i]);
    if (status == HT_OK && !bounds[2])
        return ht_python_fail(c->error, node->begin, "the step of range() is 0");
    for (int64_t i = bounds[0];
         status == HT_OK && (bounds[2] > 0 ? i < bounds[1] : i > bounds[1]);) {
        status = list_add(c, node, out, (ht_python_value){.number = {.whole = i}});
        if (__builtin_add_overflow(i, bounds[2], &i))
            break;
    }
    return status;
}

static ht_status compute_items(computer *c, const binding *names, const ht_python_node *node,
                               list *out) {
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < node->child_count; ++i) {
        ht_python_value value;
        status = compute_value(c, names, node->children[i], &value);
        if (status == HT_OK)
            status = list_add(c, node, out, value);
    }
    return status;
}

static ht_status compute_comprehension(computer *c, const binding *names,
                                       const ht_python_node *node, list *out) {
    list over = {0};
    ht_status status = compute_list(c, names, node->children[1], &over);
    for (size_t i = 0; status == HT_OK && i < over.count; ++i) {
        binding inner = {node->text, &over.items[i], names};
        ht_python_value value;
        if (node->child_count > 2) {
            status = compute_value(c, &inner, node->children[2], &value);
            if (status != HT_OK)
                break;
            bool keep = value.type == HT_CODE_TEXT   ? value.text[0] != 0
                        : value.type == HT_CODE_REAL ? value.number.real != 0
                                                     : value.number.whole != 0;
            free(value.text);
            if (!keep)
                continue;
        }
        status = compute_value(c, &inner, node->children[0], &value);
        if (status == HT_OK)
            status = list_add(c, node, out, value);
    }
    ht_python_list_free(over.items, over.count);
    return status;
}

/* Computes list * n: the list n times in a row. */
static ht_status compute_repeated(computer *c, const binding *names, const ht_python_node *node,
                                  list *out) {
    int64_t times = 0;
    ht_status status = compute_list(c, names, node->children[0], out);
    if (status == HT_OK)
        status = compute_whole(c, names, node->children[1], &times);
    size_t once = out->count;
    for (int64_t t = 1; status == HT_OK && once && t < times; ++t)
        for (size_t i = 0; status == HT_OK && i < once; ++i) {
            ht_python_value copy = out->items[i];
            copy.text = copy.text ? ht_strdup(copy.text) : NULL;
            status = list_add(c, node, out, copy);
        }
    for (; status == HT_OK && times < 1 && out->count; --out->count)
        free(out->items[out->count - 1].text);
    return status;
}

static ht_status compute_sum(computer *c, const binding *names, const ht_python_node *node,
                             list *out) {
    list more = {0};
    ht_status status = compute_list(c, names, node->children[0], out);
    if (status == HT_OK)
        status = compute_list(c, names, node->children[1], &more);
    for (size_t i = 0; i < more.count; ++i) {
        HT_GROW(out->items, out->count);
        out->items[out->count++] = more.items[i];
    }
    free(more.items);
    return status;
}

static int by_number(const void *a, const void *b) {
    const ht_python_value *x = a, *y = b;
    if (x->type == HT_CODE_TEXT)
        return strcmp(x->text, y->text);
    if (x->type == HT_CODE_WHOLE && y->type == HT_CODE_WHOLE)
        return (x->number.whole > y->number.whole) - (x->number.whole < y->number.whole);
    double p = x->type == HT_CODE_REAL ? x->number.real : (double)x->number.whole;
    double q = y->type == HT_CODE_REAL ? y->number.real : (double)y->number.whole;
    return (p > q) - (p < q);
}

static ht_status compute_call(computer *c, const binding *names, const ht_python_node *node,
                              list *out) {
    if (!strcmp(node->text, "range"))
        return compute_range(c, names, node, out);
    bool sorted = !strcmp(node->text, "sorted");
    if (node->child_count != 1 ||
        (!sorted && strcmp(node->text, "list") != 0 && strcmp(node->text, "tuple") != 0))
        return ht_python_fail(c->error, node->begin,
                              "%.60s() is no list here; there are range(...), list(x), tuple(x) "
                              "and sorted(x)",
                              node->text);
    ht_status status = compute_list(c, names, node->children[0], out);
    for (size_t i = 1; sorted && status == HT_OK && i < out->count; ++i)
        if ((out->items[i].type == HT_CODE_TEXT) != (out->items[0].type == HT_CODE_TEXT))
            status = ht_python_fail(c->error, node->begin, "sorted() of strings and numbers");
    if (sorted && status == HT_OK && out->count)
        qsort(out->items, out->count, sizeof *out->items, by_number);
    return status;
}

static ht_status compute_list(computer *c, const binding *names, const ht_python_node *node,
                              list *out) {
    switch (node->kind) {
    case HT_PYTHON_LIST:
        return compute_items(c, names, node, out);
    case HT_PYTHON_COMPREHENSION:
        return compute_comprehension(c, names, node, out);
    case HT_PYTHON_CALL:
        return compute_call(c, names, node, out);
    case HT_PYTHON_BINARY:
        if (node->op == HT_PYTHON_ADD)
            return compute_sum(c, names, node, out);
        if (node->op == HT_PYTHON_MULTIPLY)
            return compute_repeated(c, names, node, out);
        break;
    default:
        break;
    }
    return ht_python_fail(c->error, node->begin,
                          "expected a list, such as [1, 2, 4] or [2**i for i in range(3)]");
}

ht_status ht_python_list(const char *text, ht_python_value **out_values, size_t *out_count,
                         ht_error *error) {
    computer c = {.error = error};
    list out = {0};
    ht_python_node *node = NULL;
    ht_status status = ht_python_parse(text, &node, error);
    *out_values = NULL;
    *out_count = 0;
    if (status != HT_OK)
        return status;
    c.code = ht_code_new();
    status = compute_list(&c, NULL, node, &out);
    ht_strings_free(c.texts, c.text_count);
    ht_code_free(c.code);
    ht_python_free(node);
    if (status == HT_OK) {
        *out_values = out.items;
        *out_count = out.count;
    } else {
        ht_python_list_free(out.items, out.count);
    }
    return status;
}

void ht_python_value_print(const ht_python_value *value, ht_text *out) {
    if (value->type == HT_CODE_TEXT)
        ht_text_append(out, value->text);
    else if (value->boolean)
        ht_text_append(out, value->number.whole ? "True" : "False");
    else if (value->type == HT_CODE_WHOLE)
        ht_text_printf(out, "%" PRId64, value->number.whole);
    else {
        size_t begin = out->length;
        ht_real_print(value->number.real, out);
        if (!strpbrk(out->data + begin, ".e"))
            ht_text_append(out, ".0");
    }
}
