/* fixed-sizes: filter and window sizes that are arguments of the kernel become template constants,
 * so that the loops over them can be unrolled.
 *
 * An argument that bounds a loop gets a template parameter of its own, 0 for the general kernel.
 * Launches of a tuned source ask for the value: (R == 3 ? k<3> : k<0>)<<<grid, block>>>(...). */
#include "base/memory.h"
#include "refactor/kernel/geometry.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/plan/launch_edit.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/transform.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MAX = 3, STEPS_MAX = 2, SIZE_LARGEST = 16, STEP_LARGEST = 4, VALUES_MAX = 8 };

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
    fixed_size sizes[SIZES_MAX + STEPS_MAX];
    size_t count, steps;
    bool for_steps; /* looking for factors of indices */
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

/* Small sizes of the problem's instances, and the usual ones; false when it has no small size. */
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

static void add_size(fixing *in, CXCursor declaration) {
    const ht_model *model = in->model;
    fixed_size size = {.index = SIZE_MAX, .is_step = in->for_steps};
    for (size_t i = 0; i < model->parameter_count; ++i)
        if (clang_equalCursors(model->parameters[i].cursor, declaration))
            size.index = i;
    for (size_t i = 0; i < in->count; ++i)
        if (in->sizes[i].index == size.index)
            return;
    bool full = in->for_steps ? in->steps == STEPS_MAX : in->count == SIZES_MAX;
    if (size.index == SIZE_MAX || full)
        return;
    const ht_parameter *parameter = &model->parameters[size.index];
    size.argument = ht_argument_name(model, size.index);
    if (!parameter->is_integer || parameter->is_assigned || !size.argument ||
        !find_values(model, &size) || (in->for_steps && !launches_can_ask(model, size.index)))
        return;
    in->steps += in->for_steps;
    in->sizes[in->count++] = size;
}

/* ---- factors of indices */

static void add_factor(fixing *in, CXCursor factor, CXCursor other) {
    CXCursor argument = ht_ast_variable(ht_ast_strip(factor, true));
    CXCursor index = ht_ast_variable(ht_ast_strip(other, true));
    if (clang_Cursor_isNull(argument) || clang_Cursor_isNull(index) ||
        !ht_model_parameter(in->model, argument))
        return;
    const ht_local *local = ht_model_local(in->model, index);
    bool counter = local && local->writes > 0;
    for (int axis = 0; axis < 3; ++axis)
        counter = counter || (!clang_Cursor_isNull(in->model->axes[axis].index_variable) &&
                              clang_equalCursors(in->model->axes[axis].index_variable, index));
    if (counter)
        add_size(in, argument);
}

static bool on_product(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    CXCursor left, right;
    enum CXBinaryOperatorKind kind;
    if (ht_ast_binary(cursor, &kind, &left, &right) && kind == CXBinaryOperator_Mul) {
        add_factor(context, left, right);
        add_factor(context, right, left);
    }
    return clang_getCursorKind(cursor) != CXCursor_LambdaExpr;
}

static bool on_bound(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
        add_size(context, clang_getCursorReferenced(cursor));
    return clang_getCursorKind(cursor) != CXCursor_CallExpr &&
           clang_getCursorKind(cursor) != CXCursor_ArraySubscriptExpr;
}

typedef struct index_walk {
    const ht_model *model;
    bool found;
} index_walk;

static bool on_index(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    index_walk *walk = context;
    int axis;
    if (clang_isExpression(clang_getCursorKind(cursor)) &&
        ht_ast_index(walk->model, cursor, &axis) != HT_INDEX_NONE)
        walk->found = true;
    return !walk->found;
}

/* Loops over threads' shares of something have large bounds that come from the grid. */
static bool on_loop(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    fixing *in = context;
    CXCursor init, condition, increment, body, left, right;
    enum CXBinaryOperatorKind kind;
    if (clang_getCursorKind(cursor) == CXCursor_LambdaExpr)
        return false;
    if (!ht_ast_for(cursor, &init, &condition, &increment, &body))
        return true;
    index_walk walk = {in->model, false};
    ht_ast_walk(init, on_index, &walk);
    ht_ast_walk(increment, on_index, &walk);
    if (!walk.found && ht_ast_binary(ht_ast_strip(condition, false), &kind, &left, &right) &&
        (kind == CXBinaryOperator_LT || kind == CXBinaryOperator_LE)) {
        const ht_local *local = ht_model_local(in->model, ht_ast_variable(right));
        CXCursor bound = local && local->writes == 0 ? local->initializer : right;
        CXCursor plain = ht_ast_variable(bound);
        if (!clang_Cursor_isNull(plain))
            add_size(in, plain);
        else if (!clang_Cursor_isNull(bound))
            ht_ast_walk(bound, on_bound, in);
    }
    return true;
}

/* ---- launches */

/* In whichever file it stands: a launch that does not ask for the value would go on with the
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
        char *rest = arguments.begin == arguments.end
                         ? ht_strdup("")
                         : ht_format(", $[%zu,%zu]", arguments.begin, arguments.end);
        char *text = ht_format("(%s ? %s<%s%s> : %s<%s%s>)", asked.data, model->name, fixed.data,
                               rest, model->name, general.data, rest);
        done = ht_plan_edit(in->plan, name, params, text);
        free(text);
        free(rest);
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
    if (!clang_equalCursors(clang_getCanonicalCursor(model->kernel), model->kernel))
        return "it is declared ahead of its definition";
    CXString mangled = clang_Cursor_getMangling(model->kernel);
    const char *symbol = clang_getCString(mangled);
    bool plain = symbol && strcmp(symbol, model->name) == 0;
    clang_disposeString(mangled);
    return plain ? "it is extern \"C\"" : NULL;
}

/* ---- the kernel */

static bool edit_header(fixing *in, const char *params) {
    const ht_model *model = in->model;
    const ht_tokens *tokens = &model->facts->source->tokens;
    ht_text list = {0};
    for (size_t i = 0; i < in->count; ++i)
        ht_text_printf(&list, "%sint %s%s", i ? ", " : "", in->sizes[i].name,
                       model->is_template ? "" : " = 0");
    size_t at = model->range.begin, index = ht_tokens_at(tokens, at);
    char *text;
    bool done = true;
    if (model->is_template) {
        done = ht_tokens_is(tokens, index, "template") && ht_tokens_is(tokens, index + 1, "<");
        at = done ? tokens->items[index + 1].end : at;
        text = ht_format("%s, ", list.data);
    } else
        text = ht_format("template <%s>\n", list.data);
    done = done && ht_plan_edit_applied(in->plan, (ht_range){at, at}, params, text);
    free(text);
    ht_text_free(&list);
    return done;
}

static bool edit_kernel(fixing *in, const char *params) {
    const ht_model *model = in->model;
    ht_text body = {0};
    bool done = edit_header(in, params);
    ht_text_append(&body, "{");
    for (size_t i = 0; done && i < in->count; ++i) {
        const fixed_size *size = &in->sizes[i];
        const ht_parameter *parameter = &model->parameters[size->index];
        unsigned offset;
        clang_getExpansionLocation(clang_getCursorLocation(parameter->cursor), NULL, NULL, NULL,
                                   &offset);
        size_t length = strlen(parameter->name);
        done = strncmp(model->text + offset, parameter->name, length) == 0 &&
               ht_plan_edit(in->plan, (ht_range){offset, offset + length}, params, size->given);
        bool constant = strncmp(parameter->type, "const ", 6) == 0;
        ht_text_printf(&body, "\n    %s%s %s = %s > 0 ? %s : %s;", constant ? "" : "const ",
                       parameter->type, parameter->name, size->name, size->name, size->given);
    }
    size_t at = model->body_range.begin;
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
            ht_planned_param *param = &in->plan->params[in->plan->param_count - 1];
            param->stands_for = in->model->parameters[size->index].name;
            param->given = size->given;
            param->step = size->is_step ? size->first : 0;
        }
        ht_plan_require(in->plan, "%s == 0 || %s == %s", size->name, size->name, size->argument);
        if (i)
            ht_plan_require(in->plan, "(%s == 0) == (%s == 0)", in->sizes[0].name, size->name);
        ht_plan_remark(in->plan, HT_REMARK_APPLIED, in->model->parameters[size->index].cursor,
                       "'%s' %s: it became the constant %s, with the general kernel "
                       "for other sizes",
                       in->model->parameters[size->index].name,
                       size->is_step ? "multiplies indices" : "bounds a loop", size->name);
        ht_text_free(&values);
    }
}

static void choose_names(fixing *in, ht_text *out_params) {
    for (size_t i = 0; i < in->count; ++i) {
        const char *name = in->model->parameters[in->sizes[i].index].name;
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
    ht_ast_walk(model->body, on_loop, &in);
    in.for_steps = true;
    ht_ast_walk(model->body, on_product, &in);
    if (in.count == 0)
        return;
    const char *why = obstacle(model);
    if (why) {
        ht_plan_remark(plan, HT_REMARK_MISSED, model->parameters[in.sizes[0].index].cursor,
                       "'%s' bounds a loop, but the kernel cannot become a template: %s",
                       model->parameters[in.sizes[0].index].name, why);
        return;
    }
    choose_names(&in, &params);
    bool done = edit_kernel(&in, params.data);
    const ht_launches *launches = &model->facts->launches;
    for (size_t i = 0; done && i < launches->count; ++i)
        done = edit_launch(&in, &launches->items[i], params.data);
    if (done)
        add_params(&in);
    else {
        plan->abandoned = true;
        ht_plan_remark(plan, HT_REMARK_MISSED, model->parameters[in.sizes[0].index].cursor,
                       "'%s' bounds a loop, but a launch cannot ask for its value",
                       model->parameters[in.sizes[0].index].name);
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
