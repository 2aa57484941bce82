/* fixed-sizes: filter and window sizes that are arguments of the kernel become template constants,
 * so that the loops over them can be unrolled.
 *
 * An argument that bounds a loop gets a template parameter of its own, with 0 for the general
 * kernel. Launches of a tuned source test the value: (R == 3 ? k<3> : k<0>)<<<grid,
 * block>>>(...). */
#include "base/memory.h"
#include "refactor/kernel/expression.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/launch/symbol.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/transform.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZES_MAX = 3,
    SEEN_MAX = 16,
    STEPS_MAX = 2,
    SIZE_LARGEST = 16,
    STEP_LARGEST = 4,
    VALUES_MAX = 8
};
enum { WINDOW_LARGEST = 7 }; /* the usual sizes of filters and windows */

typedef struct fixed_size {
    size_t index; /* of the kernel's parameter */
    const char *argument, *name, *given;
    int64_t values[VALUES_MAX];
    size_t value_count;
    bool is_step;
    int64_t first; /* value in the problem's instances */
} fixed_size;

typedef struct fixing {
    const ht_model *model;
    ht_plan *plan;
    fixed_size sizes[SEEN_MAX + STEPS_MAX];
    size_t count, steps;
    bool for_steps; /* looks for factors of indices */
    bool windows;   /* there are sizes of windows */
    bool last;      /* they follow the kernel's own template parameters, and have defaults */
} fixing;

/* ---- which arguments */

typedef struct values_lookup {
    const ht_problem_entry *entry;
    const ht_problem *instance;
    int depth;
} values_lookup;

static bool value_of(const values_lookup *in, const ht_arg *arg, int64_t *out_value);

static bool lookup(const void *context, const char *name, int64_t *out_value) {
    values_lookup in = *(const values_lookup *)context;
    if (strncmp(name, "problem.", 8) == 0)
        return ht_problem_get(in.instance, name + 8, out_value);
    for (size_t i = 0; ++in.depth < 4 && i < in.entry->arg_count; ++i)
        if (strcmp(in.entry->args[i].name, name) == 0)
            return value_of(&in, &in.entry->args[i], out_value);
    return false;
}

static bool value_of(const values_lookup *in, const ht_arg *arg, int64_t *out_value) {
    ht_scope scope = {.lookup = lookup, .context = in};
    return arg->role == HT_ARG_SCALAR && arg->value_count == 1 && arg->values[0] &&
           ht_expr_evaluate(arg->values[0], &scope, out_value, NULL) == HT_OK;
}

static void add_value(fixed_size *size, int64_t value) {
    size_t at = 0;
    while (at < size->value_count && size->values[at] < value)
        ++at;
    if (size->value_count == VALUES_MAX || (at < size->value_count && size->values[at] == value))
        return;
    memmove(&size->values[at + 1], &size->values[at],
            (size->value_count - at) * sizeof *size->values);
    size->values[at] = value;
    ++size->value_count;
}

/* Finds small sizes in the problem's instances, and adds the usual ones. Returns false if the
 * instances have no small size. */
static bool find_values(const ht_model *model, fixed_size *size) {
    const ht_problem_entry *entry = model->entry;
    const ht_arg *arg = NULL;
    for (size_t i = 0; entry && i < entry->arg_count && !arg; ++i)
        if (strcmp(entry->args[i].name, size->argument) == 0)
            arg = &entry->args[i];
    for (size_t i = 0; arg && i < entry->instance_count; ++i) {
        values_lookup in = {entry, &entry->instances[i], 0};
        int64_t value;
        if (value_of(&in, arg, &value) && value >= 1 &&
            value <= (size->is_step ? STEP_LARGEST : SIZE_LARGEST) &&
            size->value_count + 3 < VALUES_MAX) {
            size->first = size->value_count ? size->first : value;
            add_value(size, value);
        }
    }
    if (size->value_count == 0)
        return false;
    for (int64_t usual = 3; usual <= 7 && !size->is_step; usual += 2)
        add_value(size, usual);
    for (int64_t usual = 1; usual <= 2 && size->is_step; ++usual)
        add_value(size, usual);
    return true;
}

static bool is_pure(const ht_symbol *symbol) {
    if (!symbol)
        return true;
    bool known = symbol->kind == HT_SYMBOL_CONSTANT || symbol->kind == HT_SYMBOL_VARIABLE ||
                 symbol->kind == HT_SYMBOL_UNARY || symbol->kind == HT_SYMBOL_BINARY;
    for (int i = 0; known && i < 3; ++i)
        known = is_pure(symbol->arguments[i]);
    return known;
}

static bool launches_can_ask(const ht_model *model, size_t index) {
    const ht_launches *launches = &model->facts->launches;
    const ht_source *source = model->facts->source;
    bool can = launches->count > 0;
    for (size_t i = 0; can && i < launches->count; ++i) {
        const ht_launch_site *site = &launches->items[i];
        ht_range place;
        can = !site->in_macro && index < site->argument_count &&
              ht_source_anywhere(source, site->arguments[index], &place);
        ht_symbol *symbol = can ? ht_symbol_read(source, site->arguments[index]) : NULL;
        can = can && is_pure(symbol) &&
              !memchr(model->text + place.begin, '[', place.end - place.begin);
        ht_symbol_free(symbol);
    }
    return can;
}

static void add_size(fixing *in, const ht_syntax_variable *variable) {
    const ht_model *model = in->model;
    if (!variable || !variable->parameter)
        return;
    fixed_size size = {.index = (size_t)(variable->parameter - model->parameters.items),
                       .is_step = in->for_steps};
    for (size_t i = 0; i < in->count; ++i)
        if (in->sizes[i].index == size.index)
            return;
    bool full = in->for_steps ? in->steps == STEPS_MAX : in->count == SEEN_MAX;
    if (full)
        return;
    const ht_parameter *parameter = &model->parameters.items[size.index];
    size.argument = ht_argument_name(model, size.index);
    if (!parameter->is_integer || parameter->is_assigned || !size.argument ||
        !find_values(model, &size) || (in->for_steps && !launches_can_ask(model, size.index)))
        return;
    in->steps += in->for_steps;
    in->sizes[in->count++] = size;
}

/* Leaves out sizes that are larger than windows are, numbers of channels say, where there are
 * windows: a kernel for these is of use for any number of channels. */
static void windows_keep(fixing *in) {
    size_t windows = 0, kept = 0;
    for (size_t i = 0; i < in->count; ++i)
        windows += in->sizes[i].first <= WINDOW_LARGEST;
    for (size_t i = 0; i < in->count && windows; ++i)
        if (in->sizes[i].first <= WINDOW_LARGEST)
            in->sizes[kept++] = in->sizes[i];
    in->count = windows ? kept : in->count;
    in->count = in->count > SIZES_MAX ? SIZES_MAX : in->count;
    in->windows = windows > 0;
}

/* ---- factors of indices */

/* Returns the variable that the expression names, not through conversions to real numbers. */
static const ht_syntax_variable *named(const ht_syntax *expression) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    return node && node->kind == HT_SYNTAX_NAME ? ht_syntax_named(node) : NULL;
}

static void add_factor(fixing *in, const ht_syntax *factor, const ht_syntax *other) {
    const ht_syntax_variable *argument = named(factor), *index = named(other);
    if (!index)
        return;
    bool counter = index->local && index->local->writes > 0;
    for (int axis = 0; axis < 3; ++axis)
        counter = counter || ht_syntax_index_variable(index->tree, axis) == index->index;
    if (counter)
        add_size(in, argument);
}

static bool in_lambda(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_COMPOUND && node->parent &&
           ht_syntax_is_expression(node->parent);
}

static bool on_product(const ht_syntax *node, void *context) {
    if (node->kind == HT_SYNTAX_BINARY && node->op == HT_BINARY_MUL) {
        add_factor(context, node->children[0], node->children[1]);
        add_factor(context, node->children[1], node->children[0]);
    }
    return !in_lambda(node);
}

static bool on_bound(const ht_syntax *node, void *context) {
    if (node->kind == HT_SYNTAX_NAME)
        add_size(context, named(node));
    return node->kind != HT_SYNTAX_CALL && node->kind != HT_SYNTAX_SUBSCRIPT;
}

static bool is_index(const ht_syntax *node, const void *context) {
    (void)context;
    int axis;
    return ht_syntax_is_expression(node) && ht_syntax_index(node, &axis) != HT_INDEX_NONE;
}

/* Looks for bounds of loops. Loops over a thread's share of data are left out: their bounds are
 * large and come from the grid. */
static bool on_loop(const ht_syntax *node, void *context) {
    const ht_syntax *left, *right;
    int op;
    if (node->kind != HT_SYNTAX_FOR)
        return !in_lambda(node);
    bool shares = ht_syntax_first(node->children[0], is_index, NULL) ||
                  ht_syntax_first(node->children[2], is_index, NULL);
    if (!shares && ht_syntax_binary(node->children[1], &op, &left, &right) &&
        (op == HT_BINARY_LT || op == HT_BINARY_LE)) {
        const ht_syntax_variable *variable = named(right);
        const ht_syntax *value = ht_syntax_kept(variable), *bound = value ? value : right;
        if (named(bound))
            add_size(context, named(bound));
        else
            for (size_t i = 0; bound && i < bound->count; ++i)
                ht_syntax_walk(bound->children[i], on_bound, context);
    }
    return true;
}

/* ---- launches */

/* Edits a launch, in whichever file it is: without a test of the value it would still launch the
 * general kernel. */
static bool edit_launch(fixing *in, const ht_launch_site *site, const char *params) {
    const ht_model *model = in->model;
    const ht_source *source = model->facts->source;
    ht_range name, arguments;
    bool done = !site->in_macro && ht_launch_name_place(model, site, &name, &arguments);
    ht_text asked = {0}, fixed = {0}, general = {0};
    for (size_t i = 0; done && i < in->count; ++i) {
        const fixed_size *size = &in->sizes[i];
        ht_range place;
        done = size->index < site->argument_count &&
               ht_source_anywhere(source, site->arguments[size->index], &place);
        ht_symbol *symbol = done ? ht_symbol_read(source, site->arguments[size->index]) : NULL;
        done = done && is_pure(symbol);
        ht_symbol_free(symbol);
        if (!done)
            break;
        bool atom = true;
        for (size_t at = place.begin; at < place.end; ++at)
            atom = atom && (isalnum((unsigned char)model->text[at]) ||
                            strchr("_.", model->text[at]) != NULL);
        ht_text_printf(&asked, atom ? "%s%.*s == ${%s}" : "%s(%.*s) == ${%s}", i ? " && " : "",
                       (int)(place.end - place.begin), model->text + place.begin, size->name);
        ht_text_printf(&fixed, i ? ", ${%s}" : "${%s}", size->name);
        ht_text_append(&general, i ? ", 0" : "0");
    }
    if (done && !strchr(asked.data, '[')) {
        char *given = arguments.begin == arguments.end
                          ? ht_strdup("")
                          : ht_format("$[%zu,%zu]", arguments.begin, arguments.end);
        const char *joint = *given ? ", " : "";
        char *text =
            in->last ? ht_format("(%s ? %s<%s%s%s> : %s<%s>)", asked.data, model->name, given,
                                 joint, fixed.data, model->name, given)
                     : ht_format("(%s ? %s<%s%s%s> : %s<%s%s%s>)", asked.data, model->name,
                                 fixed.data, joint, given, model->name, general.data, joint, given);
        done = ht_plan_edit(in->plan, name, params, text);
        free(text);
        free(given);
    } else
        done = false;
    ht_text_free(&asked);
    ht_text_free(&fixed);
    ht_text_free(&general);
    return done;
}

static const char *obstacle(const ht_model *model) {
    const ht_launches *launches = &model->facts->launches;
    if (launches->count == 0)
        return "it is launched elsewhere";
    if (launches->other_use_line)
        return "its name is used other than in launches";
    if (model->definition.is_declared_ahead)
        return "it is declared ahead of its definition";
    return model->definition.is_extern_c ? "it is extern \"C\"" : NULL;
}

/* ---- the kernel */

/* Returns the index of the `>` that ends the list of a template's parameters; tokens->count: it is
 * not found. */
static size_t list_end(const ht_tokens *tokens, size_t open) {
    int depth = 0, angles = 0;
    for (size_t i = open; i < tokens->count; ++i) {
        static const char *const opening[] = {"(", "[", "{", NULL}, *const closing[] = {")", "]",
                                                                                        "}", NULL};
        depth += ht_tokens_is_any(tokens, i, opening);
        depth -= ht_tokens_is_any(tokens, i, closing);
        if (depth == 0 && ht_tokens_is(tokens, i, ">>"))
            break; /* two ends in one */
        angles += depth == 0 && ht_tokens_is(tokens, i, "<");
        angles -= depth == 0 && ht_tokens_is(tokens, i, ">");
        if (angles == 0)
            return i;
    }
    return tokens->count;
}

/* Returns true if the sizes may follow the kernel's own template parameters, with defaults: the
 * launches name all of these. Else arguments may be deduced, which only those ahead of them leave
 * to be. */
static bool may_follow(const ht_model *model) {
    const ht_launches *launches = &model->facts->launches;
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    size_t count = model->facts->template_parameters.count;
    size_t open = ht_tokens_at(tokens, model->definition.range.begin) + 1;
    bool follow = !model->definition.is_template || list_end(tokens, open) < tokens->count;
    for (size_t i = 0; i < launches->count; ++i)
        follow = follow && launches->items[i].template_argument_count == count;
    ht_range header = {model->definition.range.begin, model->definition.body_range.begin};
    return follow && !ht_tokens_count_of(tokens, header, "..."); /* a pack takes all that follow */
}

static bool edit_header(fixing *in, const char *params) {
    const ht_model *model = in->model;
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    ht_text list = {0};
    for (size_t i = 0; i < in->count; ++i)
        ht_text_printf(&list, "%sint %s%s", i ? ", " : "", in->sizes[i].name,
                       in->last ? " = 0" : "");
    size_t at = model->definition.range.begin, index = ht_tokens_at(tokens, at);
    char *text;
    bool done = true;
    if (model->definition.is_template) {
        done = ht_tokens_is(tokens, index, "template") && ht_tokens_is(tokens, index + 1, "<");
        size_t end = done && in->last ? list_end(tokens, index + 1) : index;
        done = done && end < tokens->count;
        at = !done ? at : in->last ? tokens->items[end].begin : tokens->items[index + 1].end;
        text = ht_format(in->last ? ", %s" : "%s, ", list.data);
    } else
        text = ht_format("template <%s>\n", list.data);
    done = done && ht_plan_edit_applied(in->plan, (ht_range){at, at}, params, text);
    free(text);
    ht_text_free(&list);
    return done;
}

/* Returns the indentation of the first statement of the kernel's body. */
static ht_range indentation(const ht_model *model) {
    size_t at = model->definition.body_range.begin + 1, end = model->definition.body_range.end;
    size_t line = at;
    for (; at < end && isspace((unsigned char)model->text[at]); ++at)
        line = model->text[at] == '\n' ? at + 1 : line;
    return (ht_range){line, at};
}

static bool edit_kernel(fixing *in, const char *params) {
    const ht_model *model = in->model;
    ht_range blanks = indentation(model);
    ht_text body = {0};
    bool done = edit_header(in, params);
    ht_text_append(&body, "{");
    for (size_t i = 0; done && i < in->count; ++i) {
        const fixed_size *size = &in->sizes[i];
        const ht_parameter *parameter = &model->parameters.items[size->index];
        size_t offset = parameter->name_begin, length = strlen(parameter->name);
        done = strncmp(model->text + offset, parameter->name, length) == 0 &&
               ht_plan_edit(in->plan, (ht_range){offset, offset + length}, params, size->given);
        bool constant = strncmp(parameter->type, "const ", 6) == 0;
        ht_text_printf(&body, "\n%.*s%s%s %s = %s > 0 ? %s : %s;", (int)(blanks.end - blanks.begin),
                       model->text + blanks.begin, constant ? "" : "const ", parameter->type,
                       parameter->name, size->name, size->name, size->given);
    }
    size_t at = model->definition.body_range.begin;
    done = done && ht_plan_edit(in->plan, (ht_range){at, at + 1}, params, body.data);
    ht_text_free(&body);
    return done;
}

static void add_params(fixing *in) {
    for (size_t i = 0; i < in->count; ++i) {
        const fixed_size *size = &in->sizes[i];
        ht_text values = {0};
        ht_text_append(&values, "0");
        for (size_t k = 0; k < size->value_count; ++k)
            ht_text_printf(&values, ", %lld", (long long)size->values[k]);
        if (ht_plan_param(in->plan, size->name, values.data, "0")) {
            ht_planned_param *param = &in->plan->params.items[in->plan->params.count - 1];
            param->stands_for = in->model->parameters.items[size->index].name;
            param->given = size->given;
            param->step = size->is_step ? size->first : 0;
            if (!in->windows)
                ht_plan_form(in->plan, size->name,
                             "a kernel for this size that the launch chooses");
        }
        ht_plan_require(in->plan, "%s == 0 || %s == %s", size->name, size->name, size->argument);
        if (i)
            ht_plan_require(in->plan, "(%s == 0) == (%s == 0)", in->sizes[0].name, size->name);
        ht_plan_remark_place(in->plan, HT_REMARK_APPLIED,
                             ht_parameter_place(in->model, size->index),
                             "'%s' %s: it became the constant %s, with the general kernel "
                             "for other sizes",
                             in->model->parameters.items[size->index].name,
                             size->is_step ? "multiplies indices" : "bounds a loop", size->name);
        ht_text_free(&values);
    }
}

static void choose_names(fixing *in, ht_text *out_params) {
    for (size_t i = 0; i < in->count; ++i) {
        const char *name = in->model->parameters.items[in->sizes[i].index].name;
        char *given = ht_format("%s_given", name);
        in->sizes[i].name = ht_plan_name_upper(in->plan, name, "_SIZE");
        in->sizes[i].given = ht_plan_name(in->plan, given);
        ht_text_printf(out_params, i ? ",%s" : "%s", in->sizes[i].name);
        free(given);
    }
}

static void apply(const ht_model *model, ht_plan *plan) {
    fixing in = {.model = model, .plan = plan};
    ht_text params = {0};
    const ht_syntax *body = ht_syntax_of(model)->body;
    ht_syntax_walk(body, on_loop, &in);
    windows_keep(&in);
    in.for_steps = true;
    ht_syntax_walk(body, on_product, &in);
    if (in.count == 0)
        return;
    const char *why = obstacle(model);
    if (why) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, ht_parameter_place(model, in.sizes[0].index),
                             "'%s' bounds a loop, but the kernel cannot become a template: %s",
                             model->parameters.items[in.sizes[0].index].name, why);
        return;
    }
    choose_names(&in, &params);
    in.last = may_follow(model);
    bool done = edit_kernel(&in, params.data);
    const ht_launches *launches = &model->facts->launches;
    for (size_t i = 0; done && i < launches->count; ++i)
        done = edit_launch(&in, &launches->items[i], params.data);
    if (done)
        add_params(&in);
    else {
        plan->running.abandoned = true;
        ht_plan_remark_place(plan, HT_REMARK_MISSED, ht_parameter_place(model, in.sizes[0].index),
                             "'%s' bounds a loop, but a launch cannot test its value",
                             model->parameters.items[in.sizes[0].index].name);
    }
    ht_text_free(&params);
}

const ht_transformation ht_transformation_fixed_sizes = {
    .name = "fixed-sizes",
    .summary = "filter and window sizes as template constants, the general kernel for others",
    .apply = apply,
    .stopped_by = HT_PINNED_HEADER | HT_PINNED_LAUNCH | HT_PINNED_SIZES,
    .searched = {.is_foundation = true, .drops = {{200, NULL}}},
};
