/* The work written for all outputs of a thread side by side: what is the same for all is written
 * once, what is not goes into small loops over the outputs, and values that live on between such
 * loops become arrays. */
#include "base/memory.h"
#include "refactor/coarsen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- where things stand
 * ------------------------------------------------------------------------------------------------
 */

static bool is_standing(const ht_part *part) { /* in the jammed list */
    if (part->kind == HT_PART_ITEM)
        return !part->front;
    return part->kind == HT_PART_WORK || (part->kind == HT_PART_GUARD && !part->guard.only_known);
}

/* The node whose loop over outputs `node` stands in; NULL when it runs once for all. */
static const ht_node *apart_root(const ht_node *node) {
    const ht_node *root = NULL;
    for (; node; node = node->parent)
        if (node->apart && (node->kind != HT_NODE_DECLARATION))
            root = node;
    return root;
}

/* The accesses around a name that step by one element, through which the name stays the first
 * output's. */
static ht_node *stepping_access(ht_coarsen *c, const ht_node *node) {
    for (ht_node *up = node->parent; up && up->kind > HT_NODE_EMPTY; up = up->parent)
        if (ht_node_steps(c, up))
            return up;
    return NULL;
}

static ht_node *written_index(ht_node *node) {
    while (node->kind == HT_NODE_CAST && !node->written)
        node = node->children[0];
    return node;
}

/* How `+ cx` gets into a stepping access. */
typedef enum step_form { STEP_INDEX, STEP_STAR, STEP_ADDRESS, STEP_NONE } step_form;

static step_form form_of(ht_coarsen *c, ht_node *access) {
    if (access->kind == HT_NODE_SUBSCRIPT && access->plain) {
        ht_node *index = written_index(access->children[1]);
        bool wraps = ht_node_share(c, access->children[0]) == HT_SHARE_STEP && !index->is_signed &&
                     index->bits < 64;
        if (index->plain && !wraps)
            return STEP_INDEX;
    }
    if (access->kind == HT_NODE_DEREFERENCE && access->plain && access->children[0]->plain)
        return STEP_STAR;
    /* the whole text of a macro's use must be this access and nothing else */
    const ht_node *outer = access->parent;
    while (outer &&
           (outer->kind == HT_NODE_PAREN || (outer->kind == HT_NODE_CAST && !outer->written)) &&
           outer->range.begin == access->range.begin && outer->range.end == access->range.end)
        outer = outer->parent;
    bool whole = outer && (outer->range.begin != access->range.begin ||
                           outer->range.end != access->range.end);
    return access->plain || whole ? STEP_ADDRESS : STEP_NONE;
}

/* ---- preparing
 * ---------------------------------------------------------------------------------------------------------
 */

/* Names inside macros cannot be changed. True when a variable had to become every output's own for
 * that. */
static bool settle_captured(ht_coarsen *c) {
    bool changed = false;
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *node = c->nodes[i];
        if ((node->kind != HT_NODE_NAME && node->kind != HT_NODE_GLOBAL) || node->plain)
            continue;
        if (node->kind == HT_NODE_GLOBAL) {
            if (node->parent->kind != HT_NODE_VARIABLE || node->parent->variable != c->x)
                ht_coarsen_set_reason(c, node->cursor, "a macro holds the global index");
            continue;
        }
        ht_variable *variable = &c->variables[node->variable];
        if (variable->share != HT_SHARE_STEP || !apart_root(node))
            continue;
        ht_node *access = stepping_access(c, node);
        if (access && form_of(c, access) == STEP_ADDRESS)
            continue;
        variable->own = true;
        variable->share = HT_SHARE_OWN;
        changed = true;
    }
    for (size_t i = 0; i < c->node_count;
         ++i) { /* accesses that a macro makes together with others */
        ht_node *access = c->nodes[i];
        if (!apart_root(access) || !ht_node_steps(c, access) || form_of(c, access) != STEP_NONE)
            continue;
        for (size_t k = 0; k < c->node_count; ++k) {
            const ht_node *name = c->nodes[k];
            if (name->kind != HT_NODE_NAME || !ht_node_within(name, access) ||
                c->variables[name->variable].share != HT_SHARE_STEP)
                continue;
            c->variables[name->variable].own = true;
            c->variables[name->variable].share = HT_SHARE_OWN;
            changed = true;
        }
    }
    return changed;
}

static bool is_zero_list(const ht_node *init) {
    if (init->kind != HT_NODE_LIST || init->count > 1)
        return false;
    if (init->count == 0)
        return true;
    const ht_node *value = init->children[0];
    while (value->kind == HT_NODE_CAST || value->kind == HT_NODE_PAREN)
        value = value->children[0];
    if (value->kind != HT_NODE_CONSTANT)
        return false;
    CXEvalResult result = clang_Cursor_Evaluate(value->cursor);
    bool zero = false;
    if (result && clang_EvalResult_getKind(result) == CXEval_Int)
        zero = clang_EvalResult_getAsLongLong(result) == 0;
    else if (result && clang_EvalResult_getKind(result) == CXEval_Float)
        zero = clang_EvalResult_getAsDouble(result) == 0;
    if (result)
        clang_EvalResult_dispose(result);
    return zero;
}

static bool has_initialiser(const ht_coarsen *c, const ht_node *node) {
    if (node->count == 0)
        return false;
    const ht_node *init = node->children[0];
    /* the constructor call of `float4 v;` has the name's place */
    return init->range.begin >= ht_variable_name_end(node, &c->variables[node->variable]);
}

static bool is_copied(const ht_coarsen *c, const ht_node *node) {
    const char *text = c->model->text;
    size_t at = node->children[0]->range.begin;
    while (at > 0 && isspace((unsigned char)text[at - 1]))
        --at;
    return at > 0 && text[at - 1] == '=';
}

/* Can the variable be written as an array with an element per output? */
static void check_array(ht_coarsen *c, ht_node *node) {
    ht_variable *variable = &c->variables[node->variable];
    char *type = ht_variable_type(variable, true);
    if (!type || !node->plain)
        ht_coarsen_set_reason(c, node->cursor, "`%s` has a type that cannot be written again",
                              variable->name);
    free(type);
    if (has_initialiser(c, node)) {
        const ht_node *init = node->children[0];
        bool zero = variable->is_array && is_zero_list(init);
        bool copied = is_copied(c, node) && !variable->is_array && (init->kind != HT_NODE_LIST);
        if (!zero && !copied)
            ht_coarsen_set_reason(c, node->cursor, "the initialiser of `%s` cannot be assigned",
                                  variable->name);
    }
    for (size_t i = 0; i < c->node_count; ++i)
        if (c->nodes[i]->kind == HT_NODE_NAME && c->nodes[i]->variable == node->variable &&
            !c->nodes[i]->plain)
            ht_coarsen_set_reason(c, c->nodes[i]->cursor, "a macro uses `%s` by name",
                                  variable->name);
}

static size_t group_end(ht_node **list, size_t begin, size_t count) {
    size_t end = begin;
    while (end < count && list[end]->apart)
        ++end;
    return end;
}

/* Variables of a group that something outside of it uses. */
static void mark_arrays(ht_coarsen *c, ht_node **list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
        ht_node *item = list[i];
        bool declares = item->kind == HT_NODE_DECLARATION || item->kind == HT_NODE_VARIABLE;
        for (size_t k = 0; declares && k < (item->kind == HT_NODE_VARIABLE ? 1 : item->count);
             ++k) {
            ht_node *variable = item->kind == HT_NODE_VARIABLE ? item : item->children[k];
            if (!variable->apart)
                continue;
            bool outside = false;
            for (size_t n = 0; n < c->node_count; ++n) {
                const ht_node *name = c->nodes[n];
                if (name->kind != HT_NODE_NAME || name->variable != variable->variable)
                    continue;
                bool within = false;
                for (size_t g = begin; g < end; ++g)
                    within |= ht_node_within(name, list[g]);
                outside |= !within;
            }
            c->variables[variable->variable].array = outside;
            if (outside)
                check_array(c, variable);
        }
    }
}

static void mark_list(ht_coarsen *c, ht_node **list, size_t count);

static void mark_body(ht_coarsen *c, ht_node *body) {
    if (!body)
        return;
    if (body->kind == HT_NODE_COMPOUND)
        mark_list(c, body->children, body->count);
    else
        mark_list(c, &body, 1);
}

static void mark_list(ht_coarsen *c, ht_node **list, size_t count) {
    for (size_t i = 0; i < count;) {
        if (list[i]->apart) {
            size_t end = group_end(list, i, count);
            mark_arrays(c, list, i, end);
            i = end;
            continue;
        }
        ht_node *node = list[i++];
        if (node->kind == HT_NODE_COMPOUND)
            mark_body(c, node);
        else if (node->kind == HT_NODE_IF) {
            mark_body(c, node->children[1]);
            mark_body(c, node->children[2]);
        } else if (node->kind == HT_NODE_FOR || node->kind == HT_NODE_WHILE)
            mark_body(c, node->children[node->count - 1]);
        else if (node->kind == HT_NODE_DO)
            mark_body(c, node->children[0]);
    }
}

static ht_region standing(const ht_layout *layout) {
    ht_region region = {0};
    for (size_t i = 0; i < layout->count; ++i)
        if (is_standing(&layout->parts[i])) {
            HT_GROW(region.statements, region.count);
            region.statements[region.count++] = layout->parts[i].node;
        }
    return region;
}

/* Every output's own variables must be declared where they can become arrays. */
static void check_owned(ht_coarsen *c, const ht_layout *layout) {
    for (size_t i = 0; i < c->variable_count; ++i) {
        ht_variable *variable = &c->variables[i];
        if (variable->share != HT_SHARE_OWN || i == c->x)
            continue;
        bool declared = false;
        for (size_t p = 0; p < layout->count && variable->declaration; ++p)
            declared |= is_standing(&layout->parts[p]) &&
                        ht_node_within(variable->declaration, layout->parts[p].node);
        if (!declared)
            ht_coarsen_set_reason(c, variable->cursor,
                                  "`%s` is changed differently for each output", variable->name);
    }
    for (size_t p = 0; p < layout->count; ++p) {
        const ht_part *part = &layout->parts[p];
        for (size_t t = 0; t < part->guard.term_count; ++t)
            for (size_t n = 0; n < c->node_count; ++n) {
                const ht_node *name = c->nodes[n];
                if (part->kind != HT_PART_WORK && name->kind == HT_NODE_NAME &&
                    ht_node_within(name, part->guard.terms[t].node) &&
                    c->variables[name->variable].moved)
                    ht_coarsen_set_reason(c, name->cursor, "`%s`, which a guard needs, changes",
                                          c->variables[name->variable].name);
            }
    }
}

bool ht_jam_prepare(ht_coarsen *c, ht_layout *layout) {
    ht_coarsen_check_jam(c);
    if (c->apart_reason)
        return false;
    ht_share_reset(c);
    do
        ht_region_share(c, &layout->region);
    while (settle_captured(c));
    ht_layout_settle(c, layout, true);
    check_owned(c, layout);
    ht_region list = standing(layout);
    mark_list(c, list.statements, list.count);
    free(list.statements);
    return !c->apart_reason && !c->refused;
}

/* ---- swaps
 * -------------------------------------------------------------------------------------------------------------
 */

typedef struct jam_swaps {
    ht_coarsen *c;
    ht_writer *writer;
    bool front; /* what runs once for all outputs, whatever the nodes say */
    bool label; /* a return stands in an inner loop */
    bool keeps_x;
} jam_swaps;

static bool is_tight(const ht_node *node) { /* may `name + cx` stand here without parentheses? */
    const ht_node *parent = node->parent;
    while (parent && parent->kind == HT_NODE_CAST && !parent->written) {
        node = parent;
        parent = parent->parent;
    }
    if (!parent)
        return false;
    switch (parent->kind) {
    case HT_NODE_VARIABLE:
    case HT_NODE_PAREN:
    case HT_NODE_LIST:
        return true;
    case HT_NODE_SUBSCRIPT:
    case HT_NODE_ASSIGN:
        return parent->children[1] == node;
    case HT_NODE_BINARY:
        return (parent->op >= CXBinaryOperator_LT && parent->op <= CXBinaryOperator_NE) ||
               parent->op == CXBinaryOperator_LAnd || parent->op == CXBinaryOperator_LOr ||
               ((parent->op == CXBinaryOperator_Add || parent->op == CXBinaryOperator_Sub) &&
                parent->children[0] == node);
    default:
        return false;
    }
}

static bool in_macro_argument(const ht_node *node) {
    const ht_node *up = node->parent;
    for (; up && up->kind > HT_NODE_EMPTY; up = up->parent)
        if (!up->plain)
            return true;
    return false;
}

static void swap_name(jam_swaps *swaps, ht_node *node, const char *name) {
    ht_coarsen *c = swaps->c;
    if (swaps->front || !apart_root(node) || stepping_access(c, node)) {
        ht_writer_swap(swaps->writer, node->range, ht_strdup(name));
        return;
    }
    bool tight = is_tight(node) && !in_macro_argument(node);
    ht_writer_swap(swaps->writer, node->range,
                   ht_format(tight ? "%s + %s" : "(%s + %s)", name, c->counter));
}

static void swap_access(jam_swaps *swaps, ht_node *node) {
    ht_coarsen *c = swaps->c;
    ht_writer *writer = swaps->writer;
    ht_range begin = {node->range.begin, node->range.begin};
    ht_range end = {node->range.end, node->range.end};
    switch (form_of(c, node)) {
    case STEP_INDEX: {
        ht_node *index = written_index(node->children[1]);
        bool loose = index->kind == HT_NODE_CONDITIONAL || index->kind == HT_NODE_ASSIGN ||
                     (index->kind == HT_NODE_BINARY && index->op > CXBinaryOperator_Sub);
        begin.begin = begin.end = index->range.begin;
        end.begin = end.end = index->range.end;
        if (loose)
            ht_writer_swap(writer, begin, ht_strdup("("));
        ht_writer_swap(writer, end, ht_format("%s + %s", loose ? ")" : "", c->counter));
        return;
    }
    case STEP_STAR: {
        const ht_node *pointer = node->children[0];
        while (pointer->kind == HT_NODE_CAST && !pointer->written)
            pointer = pointer->children[0];
        bool simple = pointer->kind == HT_NODE_NAME || pointer->kind == HT_NODE_PAREN;
        ht_range star = {node->range.begin, pointer->range.begin};
        ht_writer_swap(writer, star, ht_strdup(simple ? "" : "("));
        ht_writer_swap(writer, end, ht_format("%s[%s]", simple ? "" : ")", c->counter));
        return;
    }
    default:
        ht_writer_swap(writer, begin, ht_strdup("(&"));
        ht_writer_swap(writer, end, ht_format(")[%s]", c->counter));
    }
}

static void swap_return(jam_swaps *swaps, ht_node *node) {
    const ht_node *root = apart_root(node);
    if (!root)
        return;
    bool inner = false;
    for (const ht_node *up = node->parent; up && up != root->parent; up = up->parent)
        inner |= ht_node_is_loop(up);
    swaps->label |= inner;
    if (!node->plain)
        ht_coarsen_refuse(swaps->c, node->cursor, "a return inside a macro");
    ht_writer_swap(swaps->writer, node->range,
                   inner ? ht_format("goto %s", swaps->c->label) : ht_strdup("continue"));
}

static bool on_swap(ht_node *node, void *context) {
    jam_swaps *swaps = context;
    ht_coarsen *c = swaps->c;
    if (node->kind == HT_NODE_RETURN && !swaps->front)
        swap_return(swaps, node);
    if (!swaps->front && apart_root(node) && ht_node_steps(c, node))
        swap_access(swaps, node);
    if (node->kind == HT_NODE_GLOBAL)
        swap_name(swaps, node, c->first);
    if (node->kind != HT_NODE_NAME)
        return true;
    const ht_variable *variable = &c->variables[node->variable];
    if (node->variable == c->x && !node->plain && variable->share == HT_SHARE_STEP)
        swaps->keeps_x = true;
    if (!node->plain && swaps->front && node->variable == c->x)
        ht_coarsen_set_reason(c, node->cursor, "a macro holds a part of the guard");
    if (!node->plain)
        return true;
    if (variable->share == HT_SHARE_STEP || (swaps->front && node->variable == c->x))
        swap_name(swaps, node, node->variable == c->x ? c->first : variable->name);
    else if (variable->array)
        ht_writer_swap(swaps->writer, node->range, ht_format("%s[%s]", variable->name, c->counter));
    return true;
}

/* ---- writing the work
 * ----------------------------------------------------------------------------------------------------
 */

static void write_list(ht_coarsen *c, ht_node **list, size_t count, ht_writer *writer, bool label);

static bool on_x(ht_node *node, void *context) {
    ht_coarsen *c = ((void **)context)[0];
    if (node->kind == HT_NODE_NAME && node->variable == c->x)
        *(bool *)((void **)context)[1] = true;
    return true;
}

static bool uses_x(ht_coarsen *c, ht_node *node) {
    bool found = false;
    void *context[] = {c, &found};
    ht_node_walk(node, on_x, context);
    return found;
}

static void write_array(ht_coarsen *c, ht_node *node, ht_writer *writer, size_t like) {
    ht_variable *variable = &c->variables[node->variable];
    char *type = ht_variable_type(variable, true);
    size_t name = ht_variable_name_end(node, variable);
    size_t end = ht_variable_dimensions_end(c, node, name);
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "%s%s[${%s}]", type, variable->name, c->factor);
    ht_writer_source(writer, name, end);
    if (variable->is_array && has_initialiser(c, node))
        ht_writer_printf(writer, " = {}");
    ht_writer_printf(writer, ";");
    free(type);
}

static size_t variables_of(ht_node *item, ht_node ***out_list) {
    if (item->kind == HT_NODE_VARIABLE) {
        *out_list = &item->parent->children[0];
        for (size_t i = 0; i < item->parent->count; ++i)
            if (item->parent->children[i] == item)
                *out_list = &item->parent->children[i];
        return 1;
    }
    *out_list = item->children;
    return item->kind == HT_NODE_DECLARATION ? item->count : 0;
}

/* Can a declaration be copied as it stands? */
static bool is_whole(const ht_coarsen *c, ht_node *item) {
    ht_node **variables;
    size_t count = variables_of(item, &variables);
    if (item->kind == HT_NODE_VARIABLE && item->parent->count > 1)
        return false;
    for (size_t i = 0; i < count; ++i)
        if (!variables[i]->apart || c->variables[variables[i]->variable].array)
            return false;
    return true;
}

static bool is_blank(const char *text, size_t begin, size_t end) {
    for (size_t at = begin; at < end; ++at)
        if (!isspace((unsigned char)text[at]))
            return false;
    return true;
}

static void write_item(ht_coarsen *c, ht_node *item, ht_writer *writer, size_t like) {
    const ht_node *statement = ht_statement_of(item);
    size_t lead = ht_statement_lead(c, item);
    const char *text = c->model->text;
    if (is_whole(c, item)) {
        bool newline = memchr(text + lead, '\n', statement->range.begin - lead) != NULL;
        if (!newline) {
            ht_writer_line(writer, like);
            while (isspace((unsigned char)text[lead]))
                ++lead;
        }
        ht_writer_source(writer, lead, ht_statement_tail(c, statement));
        return;
    }
    ht_node **variables;
    size_t count = variables_of(item, &variables);
    if (!is_blank(text, lead, statement->range.begin) && count &&
        variables[0] == statement->children[0])
        ht_writer_source(writer, lead, statement->range.begin);
    for (size_t i = 0; i < count; ++i) {
        ht_node *node = variables[i];
        const ht_variable *variable = &c->variables[node->variable];
        if (!node->apart || (variable->array && (variable->is_array || !has_initialiser(c, node))))
            continue;
        ht_writer_line(writer, like);
        if (!variable->array) {
            ht_writer_variable(writer, node);
            continue;
        }
        ht_writer_printf(writer, "%s[%s] = ", variable->name, c->counter);
        ht_writer_source(writer, node->children[0]->range.begin, node->children[0]->range.end);
        ht_writer_printf(writer, ";");
    }
}

/* Declarations in front of a group: of what is the same for all, and of arrays. True when the loop
 * itself is empty. */
static bool write_declarations(ht_coarsen *c, ht_node **list, size_t begin, size_t end,
                               ht_writer *writer, size_t like) {
    bool empty = true;
    for (size_t i = begin; i < end; ++i) {
        ht_node **variables;
        size_t count = variables_of(list[i], &variables);
        empty &= list[i]->kind == HT_NODE_DECLARATION || list[i]->kind == HT_NODE_VARIABLE;
        for (size_t k = 0; k < count; ++k) {
            ht_node *node = variables[k];
            const ht_variable *variable = &c->variables[node->variable];
            if (!node->apart) {
                ht_writer_line(writer, like);
                ht_writer_variable(writer, node);
            } else if (variable->array) {
                write_array(c, node, writer, like);
                empty &= variable->is_array || !has_initialiser(c, node);
            } else {
                empty = false;
            }
        }
    }
    return empty;
}

static void write_group(ht_coarsen *c, ht_node **list, size_t begin, size_t end, ht_writer *writer,
                        bool label) {
    size_t like = ht_statement_of(list[begin])->range.begin;
    if (write_declarations(c, list, begin, end, writer, like))
        return;
    bool own_x = false, braces = label || end - begin > 1;
    for (size_t i = begin; i < end; ++i) {
        own_x |= c->variables[c->x].share == HT_SHARE_OWN && uses_x(c, list[i]);
        braces |= is_whole(c, list[i]) &&
                  (list[i]->kind == HT_NODE_DECLARATION || list[i]->kind == HT_NODE_VARIABLE);
        braces |= !is_whole(c, list[i]) && ht_statement_of(list[i])->count > 1;
    }
    braces |= own_x;
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "#pragma unroll");
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "for (int %s = 0; %s < ${%s}; ++%s)%s", c->counter, c->counter,
                     c->factor, c->counter, braces ? " {" : "");
    ++writer->depth;
    if (own_x) {
        char *type = ht_variable_type(&c->variables[c->x], false);
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "const %s%s = %s + %s;", type ? type : "auto ",
                         c->variables[c->x].name, c->first, c->counter);
        free(type);
    }
    if (label) {
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "{");
    }
    writer->depth += label;
    for (size_t i = begin; i < end; ++i)
        write_item(c, list[i], writer, like);
    writer->depth -= label;
    if (label) {
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "}");
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "%s:;", c->label);
    }
    --writer->depth;
    if (braces) {
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "}");
    }
}

static bool any_apart(const ht_node *node) {
    if (!node)
        return false;
    if (node->apart)
        return true;
    for (size_t i = 0; i < node->count; ++i)
        if (any_apart(node->children[i]))
            return true;
    return false;
}

static void write_statement(ht_coarsen *c, ht_node *node, ht_writer *writer);

static void write_body(ht_coarsen *c, ht_node *body, ht_writer *writer) {
    size_t end = ht_statement_end(c, body);
    if (body->kind == HT_NODE_COMPOUND && body->count) {
        ht_writer_source(writer, body->range.begin, body->range.begin + 1);
        write_list(c, body->children, body->count, writer, false);
        ht_writer_source(writer, ht_statement_tail(c, body->children[body->count - 1]), end);
    } else if (body->apart) {
        write_group(c, &body, 0, 1, writer, false);
    } else {
        write_statement(c, body, writer);
    }
}

/* A statement that runs once for all outputs, though what is inside may not. */
static void write_statement(ht_coarsen *c, ht_node *node, ht_writer *writer) {
    size_t end = ht_statement_end(c, node);
    if (!any_apart(node)) {
        ht_writer_source(writer, node->range.begin, end);
        return;
    }
    size_t at = node->range.begin;
    ht_node *bodies[2] = {NULL, NULL};
    if (node->kind == HT_NODE_COMPOUND) {
        write_body(c, node, writer);
        return;
    }
    if (node->kind == HT_NODE_IF) {
        bodies[0] = node->children[1];
        bodies[1] = node->children[2];
    } else if (node->kind == HT_NODE_DO) {
        bodies[0] = node->children[0];
    } else {
        bodies[0] = node->children[node->count - 1];
    }
    for (size_t i = 0; i < 2 && bodies[i]; ++i) {
        size_t header = bodies[i]->range.begin;
        while (bodies[i]->apart && header > at &&
               isspace((unsigned char)c->model->text[header - 1]))
            --header;
        ht_writer_source(writer, at, header);
        write_body(c, bodies[i], writer);
        at = ht_statement_end(c, bodies[i]);
    }
    ht_writer_source(writer, at, end);
}

static void write_list(ht_coarsen *c, ht_node **list, size_t count, ht_writer *writer, bool label) {
    for (size_t i = 0; i < count;) {
        if (list[i]->apart) {
            size_t end = group_end(list, i, count);
            write_group(c, list, i, end, writer, label && end == count);
            i = end;
            continue;
        }
        ht_node *node = list[i++];
        size_t lead = ht_statement_lead(c, node);
        const ht_node *statement = ht_statement_of(node);
        if (node->kind == HT_NODE_VARIABLE && statement->count > 1) {
            ht_writer_line(writer, statement->range.begin);
            ht_writer_variable(writer, node);
            continue;
        }
        if (lead == statement->range.begin)
            ht_writer_line(writer, lead);
        ht_writer_source(writer, lead, statement->range.begin);
        write_statement(c, (ht_node *)statement, writer);
        ht_writer_source(writer, ht_statement_end(c, statement), ht_statement_tail(c, statement));
    }
}

/* For the work, or for what stands in front of it. */
static jam_swaps make_swaps(ht_coarsen *c, const ht_layout *layout, ht_writer *writer, bool front) {
    jam_swaps swaps = {.c = c, .writer = writer, .front = front};
    ht_writer_swaps_clear(writer);
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_part *part = &layout->parts[i];
        if (front && part->guard.term_count)
            ht_node_walk(part->guard.statement->children[0], on_swap, &swaps);
        else if (front ? part->front && part->kind != HT_PART_X : is_standing(part))
            ht_node_walk(part->node, on_swap, &swaps);
    }
    return swaps;
}

void ht_jam_write(ht_coarsen *c, const ht_layout *layout, ht_writer *writer) {
    jam_swaps swaps = make_swaps(c, layout, writer, false);
    ht_region list = standing(layout);
    if (swaps.keeps_x && list.count) {
        char *type = ht_variable_type(&c->variables[c->x], false);
        ht_writer_line(writer, ht_statement_of(list.statements[0])->range.begin);
        ht_writer_printf(writer, "const %s%s = %s;", type ? type : "auto ", c->variables[c->x].name,
                         c->first);
        free(type);
    }
    write_list(c, list.statements, list.count, writer, swaps.label);
    free(list.statements);
}

/* ---- in front
 * ------------------------------------------------------------------------------------------------------------
 */

static const char *operator_text(int op) {
    return op == CXBinaryOperator_LT   ? "<"
           : op == CXBinaryOperator_LE ? "<="
           : op == CXBinaryOperator_GT ? ">"
                                       : ">=";
}

static void write_side(ht_coarsen *c, const ht_guard_term *term, const ht_node *side,
                       ht_writer *writer) {
    const ht_node *inner = side;
    while (inner->kind == HT_NODE_CAST && !inner->written)
        inner = inner->children[0];
    bool last = side == term->step && term->upper;
    bool loose = last && inner->kind == HT_NODE_CONDITIONAL;
    if (!ht_node_is_separate(side, term->node->parent))
        ht_coarsen_set_reason(c, side->cursor, "a macro holds a part of the guard");
    ht_writer_printf(writer, loose ? "(" : "");
    ht_writer_source(writer, side->range.begin, side->range.end);
    ht_writer_printf(writer, loose ? ")" : "");
    if (last)
        ht_writer_printf(writer, " + ${%s - 1}", c->factor);
}

bool ht_jam_condition(ht_coarsen *c, const ht_layout *layout, ht_writer *writer) {
    bool any = false;
    make_swaps(c, layout, writer, true);
    for (size_t i = 0; i < layout->count; ++i)
        for (size_t k = 0; k < layout->parts[i].guard.term_count; ++k) {
            const ht_guard_term *term = &layout->parts[i].guard.terms[k];
            if (term->kind != HT_TERM_INDEX)
                continue;
            ht_writer_printf(writer, any ? " && " : "");
            write_side(c, term, term->node->children[0], writer);
            ht_writer_printf(writer, " %s ", operator_text(term->op));
            write_side(c, term, term->node->children[1], writer);
            any = true;
        }
    return any && !c->apart_reason;
}

/* What is left of a guard: the conditions that are the same for all outputs. */
static void write_known(ht_coarsen *c, const ht_guard *guard, ht_writer *writer) {
    bool any = false;
    for (size_t i = 0; i < guard->term_count; ++i) {
        const ht_guard_term *term = &guard->terms[i];
        if (term->kind != HT_TERM_SAME)
            continue;
        bool flip = guard->leaves != term->negated;
        const ht_node *inner = term->node;
        while (inner->kind == HT_NODE_CAST && !inner->written)
            inner = inner->children[0];
        bool loose =
            !flip && (inner->kind == HT_NODE_CONDITIONAL ||
                      (inner->kind == HT_NODE_BINARY && inner->op >= CXBinaryOperator_LAnd));
        if (!ht_node_is_separate(term->node, guard->statement))
            ht_coarsen_set_reason(c, term->node->cursor, "a macro holds a part of the guard");
        ht_writer_printf(writer, any ? guard->leaves ? " || " : " && " : "");
        ht_writer_printf(writer, flip ? "!(" : loose ? "(" : "");
        ht_writer_source(writer, term->node->range.begin, term->node->range.end);
        ht_writer_printf(writer, flip || loose ? ")" : "");
        any = true;
    }
}

static bool has_known(const ht_guard *guard) {
    for (size_t i = 0; i < guard->term_count; ++i)
        if (guard->terms[i].kind == HT_TERM_SAME)
            return true;
    return false;
}

static void write_x(ht_coarsen *c, const ht_node *node, ht_writer *writer) {
    char *type = ht_variable_type(&c->variables[c->x], false);
    ht_writer_printf(writer, "const %s%s = (", type ? type : "auto ", c->first);
    ht_writer_source(writer, node->children[0]->range.begin, node->children[0]->range.end);
    ht_writer_printf(writer, ") * ${%s};", c->factor);
    free(type);
}

/* A declaration of which some variables stand in front; `i` moves to its last part. */
static void front_declaration(ht_coarsen *c, const ht_layout *layout, size_t *i,
                              ht_writer *writer) {
    const ht_node *statement = layout->parts[*i].node->parent;
    size_t first = *i, front = 0;
    bool x = false;
    for (; *i < layout->count && layout->parts[*i].node->kind == HT_NODE_VARIABLE &&
           layout->parts[*i].node->parent == statement;
         ++*i) {
        front += layout->parts[*i].front;
        x |= layout->parts[*i].kind == HT_PART_X;
    }
    --*i;
    size_t lead = ht_statement_lead(c, statement);
    if (front == 0)
        return;
    if (!x && front == statement->count) {
        ht_writer_source(writer, lead, ht_statement_tail(c, statement));
        return;
    }
    ht_writer_source(writer, lead, statement->range.begin);
    bool any = false;
    for (size_t k = first; k <= *i; ++k) {
        if (!layout->parts[k].front)
            continue;
        if (any)
            ht_writer_line(writer, statement->range.begin);
        any = true;
        if (layout->parts[k].kind == HT_PART_X)
            write_x(c, layout->parts[k].node, writer);
        else
            ht_writer_variable(writer, layout->parts[k].node);
    }
    ht_writer_source(writer, ht_statement_end(c, statement), ht_statement_tail(c, statement));
}

int ht_jam_front(ht_coarsen *c, const ht_layout *layout, ht_writer *writer) {
    int open = 0;
    make_swaps(c, layout, writer, true);
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_part *part = &layout->parts[i];
        const ht_guard *guard = &part->guard;
        size_t lead = ht_statement_lead(c, part->node);
        if (part->node->kind == HT_NODE_VARIABLE) {
            front_declaration(c, layout, &i, writer);
        } else if (part->front) {
            ht_writer_source(writer, lead, ht_statement_tail(c, part->node));
        } else if (part->kind == HT_PART_GUARD && guard->only_known && has_known(guard)) {
            ht_writer_source(writer, lead, part->node->range.begin);
            ht_writer_printf(writer, "if (");
            write_known(c, guard, writer);
            ht_writer_printf(writer, ")");
            ++writer->depth;
            ht_writer_line(writer, part->node->range.begin);
            ht_writer_printf(writer, "return;");
            --writer->depth;
        } else if (part->kind == HT_PART_ENTER && has_known(guard)) {
            ht_writer_source(writer, lead, part->node->range.begin);
            ht_writer_printf(writer, "if (");
            write_known(c, guard, writer);
            ht_writer_printf(writer, ") {");
            ++open;
        }
    }
    return open;
}
