/* restrict: `__restrict__` on pointer parameters, and `const` on those that are only read, on or
 * off.
 *
 * __restrict__ on a pointer says that memory which is written during the kernel and reached through
 * it is reached through nothing else. So a pointer gets it if each other pointer of the kernel is
 * either only read, as this one is, or always passed another allocation by the launches. A pointer
 * must not get it if it is both read and written by a kernel in which threads wait for each other:
 * the compiler could keep a value in a register across the barrier. */
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/launch/distinct.h"
#include "refactor/plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- uses of a pointer: read, write, or something that is not understood, which counts as both.
 * Expressions are visited from the outside in, with the use of their value ---- */

typedef struct pointer_use {
    bool reads, writes; /* through the pointer; both if a use is not understood */
} pointer_use;

typedef enum mode { MODE_READ = 1, MODE_WRITE = 2, MODE_UPDATE = 3 } mode;

typedef struct search {
    const ht_parameter *parameter;
    int found;
} search;

static void scan(search *in, const ht_syntax *node, mode how);

static void scan_children(search *in, const ht_syntax *node, mode how) {
    for (size_t i = 0; i < node->count; ++i)
        scan(in, node->children[i], how);
}

/* Returns what may happen to a value that the node takes over. */
static mode taken(const ht_syntax *node, size_t child) {
    return ht_syntax_only_reads(node, child) ? MODE_READ : MODE_UPDATE;
}

static void scan_assignment(search *in, const ht_syntax *node) {
    bool plain = node->op == HT_BINARY_ASSIGN;
    scan(in, node->children[0], plain ? MODE_WRITE : MODE_UPDATE);
    scan(in, node->children[1], plain ? taken(node, 1) : MODE_READ);
}

/* A sum with a pointer is used as the pointer is. */
static void scan_binary(search *in, const ht_syntax *node, mode how) {
    bool value =
        node->type == HT_TYPE_BOOL || node->type == HT_TYPE_INTEGER || node->type == HT_TYPE_REAL;
    scan_children(in, node, value && node->op != HT_BINARY_COMMA ? MODE_READ : how);
}

static void scan(search *in, const ht_syntax *node, mode how) {
    if (!node)
        return;
    switch (node->kind) {
    case HT_SYNTAX_NAME:
        if (ht_syntax_named(node)->parameter == in->parameter)
            in->found |= how;
        return;
    case HT_SYNTAX_ASSIGN:
        scan_assignment(in, node);
        return;
    case HT_SYNTAX_BINARY:
        scan_binary(in, node, how);
        return;
    case HT_SYNTAX_STEP:
        scan_children(in, node, (mode)(MODE_UPDATE | how));
        return;
    case HT_SYNTAX_UNARY:
        scan_children(in, node, MODE_READ);
        return;
    case HT_SYNTAX_CALL:
    case HT_SYNTAX_VARIABLE:
        for (size_t i = 0; i < node->count; ++i)
            scan(in, node->children[i], taken(node, i));
        return;
    case HT_SYNTAX_SUBSCRIPT:
        scan(in, node->children[0], how);
        scan(in, node->children[1], MODE_READ);
        return;
    case HT_SYNTAX_CAST:
        scan_children(in, node, ht_syntax_only_reads(node, 0) ? MODE_READ : how);
        return;
    case HT_SYNTAX_ADDRESS: /* the address is used as &p[i] is */
    case HT_SYNTAX_DEREFERENCE:
    case HT_SYNTAX_PAREN:
    case HT_SYNTAX_MEMBER:
    case HT_SYNTAX_CONDITIONAL:
        scan_children(in, node, how);
        return;
    default:
        scan_children(in, node, ht_syntax_is_expression(node) ? MODE_UPDATE : MODE_READ);
    }
}

/* Finds what the kernel's body does through its index-th parameter, a pointer. */
static pointer_use use_find(const ht_model *model, size_t parameter) {
    search in = {&model->parameters.items[parameter], 0};
    scan(&in, ht_syntax_of(model)->body, MODE_READ);
    return (pointer_use){in.found & MODE_READ, in.found & MODE_WRITE};
}

/* ---- the transformation ---- */

static bool on_global(const ht_syntax *node, void *context) {
    const ht_syntax **found = context;
    const ht_syntax_variable *variable =
        node->kind == HT_SYNTAX_NAME ? ht_syntax_named(node) : NULL;
    bool global =
        variable && !variable->is_local && !variable->is_parameter && !variable->is_shared;
    if (global && ht_syntax_holds_pointers(variable))
        *found = node;
    return true;
}

/* Returns true, with a remark, if the memory may be reached in other ways than through the pointer
 * parameters. */
static bool has_other_ways(const ht_model *model, ht_plan *plan) {
    for (size_t i = 0; i < model->parameters.count; ++i)
        if (model->parameters.items[i].leads_further) {
            ht_plan_remark_place(plan, HT_REMARK_NOTE, ht_parameter_place(model, i),
                                 "no __restrict__: '%s' holds pointers",
                                 model->parameters.items[i].name);
            return true;
        }
    const ht_syntax *found = NULL;
    ht_syntax_walk(ht_syntax_whole(model)->all, on_global, &found);
    if (found)
        ht_plan_remark_place(plan, HT_REMARK_NOTE, found->at,
                             "no __restrict__: a global pointer is used");
    return found != NULL;
}

/* Returns true if threads wait for each other, or may exchange values through memory. */
static bool threads_meet(const ht_model *model) {
    return model->feature[HT_FEATURE_BARRIER] || model->feature[HT_FEATURE_ATOMIC] ||
           model->feature[HT_FEATURE_WAVEFRONT] || model->feature[HT_FEATURE_COOPERATIVE] ||
           model->feature[HT_FEATURE_ASM];
}

typedef struct pointers {
    const ht_model *model;
    pointer_use *use; /* of each parameter */
} pointers;

static bool distinct(const pointers *in, size_t first, size_t second) {
    const ht_launches *launches = &in->model->facts->launches;
    for (size_t i = 0; i < launches->count; ++i)
        if (!ht_arguments_distinct(&launches->items[i], first, second))
            return false;
    return launches->count > 0 && launches->other_use_line == 0;
}

/* Returns another parameter that may point to the same memory, if one of the two is written;
 * SIZE_MAX: there is none. */
static size_t rival(const pointers *in, size_t index) {
    for (size_t other = 0; other < in->model->parameters.count; ++other)
        if (other != index && in->model->parameters.items[other].is_pointer &&
            (in->use[index].writes || in->use[other].writes) && !distinct(in, index, other))
            return other;
    return SIZE_MAX;
}

/* Finds `TYPE *` in front of the parameter's name, if it is plain text. */
static bool type_place(const ht_model *model, const ht_parameter *parameter, ht_range *out_place) {
    ht_range whole = parameter->range;
    size_t name = parameter->name_begin;
    if (!parameter->name[0] || whole.begin == whole.end)
        return false;
    size_t end = name;
    while (end > whole.begin && strchr(" \t\r\n", model->text[end - 1]))
        --end;
    *out_place = (ht_range){whole.begin, name};
    bool constant = end > whole.begin + 5 && strncmp(model->text + end - 5, "const", 5) == 0;
    for (size_t at = whole.begin; at < end; ++at)
        if (model->text[at] == '#' || model->text[at] == '/')
            return false; /* a comment or a directive inside */
    return name > whole.begin && name < whole.end && (model->text[end - 1] == '*' || constant);
}

static void write_parameter(const pointers *in, ht_plan *plan, size_t index, ht_range place,
                            const char *name, const char *helper) {
    const ht_parameter *parameter = &in->model->parameters.items[index];
    const pointer_use *use = &in->use[index];
    bool narrow = !parameter->is_const && use->reads && !use->writes;
    const char *before = narrow ? "const " : "";
    char *text = ht_format("$[%zu,%zu]", place.begin, place.end);
    size_t end = place.end;
    while (end > place.begin && strchr(" \t\r\n", in->model->text[end - 1]))
        --end;
    ht_plan_editf(plan, place, name,
                  "$?{%s}{typename %s<%s, $[%zu,%zu], %s$[%zu,%zu]>::type }{%s%s__restrict__ }",
                  name, helper, name, place.begin, end, before, place.begin, end, before, text);
    free(text);
}

static void help(ht_plan *plan, const char *helper) {
    const char *plain = ht_plan_name(plan, "T"), *other = ht_plan_name(plan, "U");
    char *text = ht_format(
        "template <bool, typename %s, typename %s> struct %s { typedef %s type; };\n"
        "template <typename %s, typename %s> struct %s<true, %s, %s> { typedef %s __restrict__ "
        "type; };\n",
        plain, other, helper, plain, plain, other, helper, plain, other, other);
    ht_plan_help(plan, text);
    free(text);
}

static void write_all(const pointers *in, ht_plan *plan, const bool *proved) {
    const ht_model *model = in->model;
    const char *name = ht_plan_name(plan, "RESTRICT");
    const char *helper = ht_plan_name(plan, "restrict_if");
    ht_text names = {0};
    for (size_t i = 0; i < model->parameters.count; ++i) {
        ht_range place;
        if (!proved[i] || !type_place(model, &model->parameters.items[i], &place))
            continue;
        write_parameter(in, plan, i, place, name, helper);
        ht_text_printf(&names, names.length ? ", %s" : "%s", model->parameters.items[i].name);
    }
    if (names.length) {
        ht_plan_param(plan, name, "false, true", "false");
        help(plan, helper);
        ht_plan_remark_place(
            plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
            "__restrict__ on %s became a choice: nothing else leads to their memory", names.data);
    }
    ht_text_free(&names);
}

static void judge(pointers *in, ht_plan *plan) {
    const ht_model *model = in->model;
    bool *proved = ht_alloc(model->parameters.count + 1, sizeof *proved);
    size_t pointer_count = 0, written = 0, count = 0;
    for (size_t i = 0; i < model->parameters.count; ++i) {
        pointer_count += model->parameters.items[i].is_pointer;
        written += in->use[i].writes;
    }
    /* with a single pointer, or without writes, it would have no effect */
    for (size_t i = 0; pointer_count > 1 && written > 0 && i < model->parameters.count; ++i) {
        const ht_parameter *parameter = &model->parameters.items[i];
        if (!parameter->is_pointer || parameter->is_restrict ||
            !(in->use[i].reads || in->use[i].writes))
            continue;
        size_t other = rival(in, i);
        if (other != SIZE_MAX)
            ht_plan_remark_place(
                plan, HT_REMARK_MISSED, ht_parameter_place(model, i),
                "no __restrict__ on '%s': '%s' may alias it; write __restrict__ if it does not",
                parameter->name, model->parameters.items[other].name);
        else if (in->use[i].reads && in->use[i].writes && threads_meet(model))
            ht_plan_remark_place(plan, HT_REMARK_MISSED, ht_parameter_place(model, i),
                                 "no __restrict__ on '%s': threads may pass values on through it",
                                 parameter->name);
        else
            proved[i] = ++count > 0;
    }
    if (count)
        write_all(in, plan, proved);
    free(proved);
}

/* Returns true, with a remark, if other units may launch the kernel: they could pass the same
 * memory twice. */
static bool launched_elsewhere(const ht_model *model, ht_plan *plan) {
    const ht_source *source = model->facts->source;
    bool header = strcmp(source->unit_path, source->path) != 0;
    if (header || model->definition.is_declared_ahead)
        ht_plan_remark_place(
            plan, HT_REMARK_MISSED, HT_AT_KERNEL,
            "no __restrict__: %s, so other units may launch it with buffers that alias",
            header ? "it is in a header" : "it is declared ahead of its definition");
    return header || model->definition.is_declared_ahead;
}

static void apply(const ht_model *model, ht_plan *plan) {
    pointers in = {.model = model};
    if (!model->launch_known || model->facts->problem.text || model->facts->launches.count == 0 ||
        launched_elsewhere(model, plan) || has_other_ways(model, plan))
        return;
    in.use = ht_alloc(model->parameters.count + 1, sizeof *in.use);
    for (size_t i = 0; i < model->parameters.count; ++i)
        if (model->parameters.items[i].is_pointer)
            in.use[i] = use_find(model, i);
    judge(&in, plan);
    free(in.use);
}

const ht_transformation ht_transformation_restrict = {
    .name = "restrict",
    .summary = "const and __restrict__ on pointers to memory that nothing else leads to",
    .apply = apply,
    .stopped_by = HT_PINNED_HEADER | HT_PINNED_POINTERS,
    .searched = {.is_hint = true, .drops = {{40, NULL}}},
};
