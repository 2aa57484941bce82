/* block-size for kernels that use thread and block indices in ways of their own: rows counted by
 * blockIdx.z / columns, threadIdx as the channel. Where threads have nothing to do with each other,
 * it does not matter which of them share a block. So blocks of another size are launched, as many
 * threads as before, and each thread computes the place that it would have had: all the kernel sees
 * are the original's threadIdx, blockIdx, blockDim and gridDim. Nothing has to be known of what it
 * does with them. The new block divides the old one, or is a multiple of it. */
#include "refactor/transformations/block_size/block_renumber.h"

#include "base/memory.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/transformations/block_size/block_size.h"
#include "refactor/transformations/launch_bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- may the built-in names be variables?
 * --------------------------------------------------------------------------------- */

enum { THREAD, BLOCK, SIZE, GRID, NAMES };
static const char *const built_in[NAMES] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

static const char *const old_spelling[NAMES] = {"hipThreadIdx_", "hipBlockIdx_", "hipBlockDim_",
                                                "hipGridDim_"};

typedef struct name_search {
    bool names[NAMES];
    size_t called; /* functions of the device library, which the old spelling is macros of */
} name_search;

/* Which of the names a token is in the old spelling, hipThreadIdx_x; NAMES: none. */
static int old_name(const ht_tokens *tokens, size_t index, char *out_axis) {
    char *text = ht_tokens_text(tokens, index);
    int name = 0;
    while (name < NAMES && strncmp(text, old_spelling[name], strlen(old_spelling[name])) != 0)
        ++name;
    *out_axis = name < NAMES ? text[strlen(old_spelling[name])] : 0;
    free(text);
    return *out_axis >= 'x' && *out_axis <= 'z' ? name : NAMES;
}

/* The old names in the kernel's own text; with a plan, in the new spelling from now on. */
static size_t old_names(const ht_model *model, ht_plan *plan, const char *params, bool *names) {
    ht_tokens tokens;
    size_t count = 0;
    ht_tokens_read(model->text, model->body_range, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        char axis;
        int name = old_name(&tokens, i, &axis);
        if (name == NAMES)
            continue;
        ++count;
        names[name] = true;
        if (plan)
            ht_plan_editf(plan, (ht_range){tokens.items[i].begin, tokens.items[i].end}, params,
                          "%s.%c", built_in[name], axis);
    }
    ht_tokens_free(&tokens);
    return count;
}

static bool on_name(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    static const char *const functions[] = {
        "__ockl_get_local_id",        "__ockl_get_group_id",    "__ockl_get_local_size",
        "__ockl_get_num_groups",      "__ockl_get_global_id",   "__ockl_get_global_size",
        "__builtin_amdgcn_workitem_", "__builtin_amdgcn_workg", "__builtin_amdgcn_grid_"};
    name_search *in = context;
    bool called = false;
    if (!clang_isExpression(clang_getCursorKind(cursor)))
        return true;
    char *name = ht_cursor_name(cursor);
    for (size_t i = 0; i < NAMES; ++i)
        in->names[i] = in->names[i] || strcmp(name, built_in[i]) == 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i)
        called = called || strncmp(name, functions[i], strlen(functions[i])) == 0;
    in->called += called && clang_getCursorKind(cursor) == CXCursor_CallExpr;
    free(name);
    return true;
}

const char *ht_renumber_obstacle(const ht_model *model) {
    name_search own = {0};
    ht_ast_walk(model->body, on_name, &own);
    if (own.called != old_names(model, NULL, NULL, own.names))
        return "it asks for its place by functions, not by the built-in variables";
    for (size_t i = 0; i < model->facts->reached_count; ++i) {
        name_search other = {0};
        if (clang_equalCursors(model->facts->reached[i], model->kernel))
            continue;
        ht_ast_walk(model->facts->reached[i], on_name, &other);
        for (size_t name = 0; name < NAMES; ++name)
            if (other.names[name] || other.called > 0)
                return "a function that it calls asks for its place";
    }
    if (model->facts->launches.count == 0)
        return "no launch of it is seen, so that its grid is not";
    return ht_launch_says_extents(model) ? NULL : "a launch of it cannot be rewritten";
}

bool ht_renumber_may_wait(const ht_model *model, const ht_kernel_model *km) {
    bool meets = model->feature[HT_FEATURE_ATOMIC];
    for (size_t i = 0; i < model->parameter_count; ++i)
        meets = meets || strstr(model->parameters[i].type, "volatile");
    for (size_t i = 0; i < km->loop_count; ++i)
        if (meets && !km->loops[i].normal)
            return true;
    return false;
}

/* ---- the variables
 * ------------------------------------------------------------------------------------------------
 */

typedef struct variables {
    const ht_plan *plan;
    const char *const *param;
    const char *launched[NAMES]; /* the built-in values themselves */
} variables;

/* One index along an axis with blocks of another size. */
static void write_resized(const variables *in, int name, int axis, const char *same, ht_text *out) {
    const char *p = in->param[axis];
    char a = (char)('x' + axis);
    long long b = (long long)in->plan->model->axes[axis].block;
    const char *thread = in->launched[THREAD], *block = in->launched[BLOCK];
    const char *size = in->launched[SIZE], *grid = in->launched[GRID];
    char *less = NULL, *more = NULL;
    char *parts = ht_format("$?{1}{(%s < %lld ? %lld / %s : 1)}{${%lld / %s}}", p, b, b, p, b, p);
    if (name == THREAD) {
        less = ht_format("%s.%c %% %s * ${%s} + %s.%c", block, a, parts, p, thread, a);
        more = ht_format("%s.%c %% %lld", thread, a, b);
    } else if (name == BLOCK) {
        less = ht_format("%s.%c / %s", block, a, parts);
        more =
            ht_format("%s.%c * (%s.%c / %lld) + %s.%c / %lld", block, a, size, a, b, thread, a, b);
    } else if (name == GRID) {
        less = ht_format("%s.%c / %s", grid, a, parts);
        more = ht_format("%s.%c * (%s.%c / %lld)", grid, a, size, a, b);
    } else
        less = ht_format("%lld", b), more = ht_format("%lld", b);
    ht_text_printf(out, "$?{%s < %lld}{%s < %lld ? %s : }{%s}", p, b, p, b, less, less);
    ht_text_printf(out, "$?{%s > %lld}{%s > %lld ? %s : }{%s}", p, b, p, b, more, more);
    ht_text_printf(out, "$?{%s == %lld}{%s}{%s}", p, b, same, same);
    free(less);
    free(more);
    free(parts);
}

/* One index where several blocks are one; false: it is what it was. */
static bool write_stacked(const variables *in, int name, int axis, const char *same, ht_text *out) {
    const ht_plan *plan = in->plan;
    bool stack = plan->stacked && axis == plan->stack_axis;
    bool grid = plan->stacked && axis == plan->stack_grid;
    char s = (char)('x' + plan->stack_axis), *other = NULL;
    if (stack && name == THREAD)
        other = ht_strdup("0");
    else if (stack && name == SIZE)
        other = ht_strdup("1");
    else if (grid && name == BLOCK)
        other =
            ht_format("%s * %s.%c + %s.%c", same, in->launched[SIZE], s, in->launched[THREAD], s);
    else if (grid && name == GRID)
        other = ht_format("%s * %s.%c", same, in->launched[SIZE], s);
    if (!other)
        return false;
    ht_text_printf(out, "$?{1}{%s > 1 ? %s : %s}{%s}", plan->stacked, other, same, other);
    free(other);
    return true;
}

static void write_shadows(const variables *in, ht_text *out) {
    name_search used = {0};
    ht_ast_walk(in->plan->model->body, on_name, &used);
    old_names(in->plan->model, NULL, NULL, used.names);
    for (int name = 0; name < NAMES; ++name) {
        if (!used.names[name])
            continue;
        ht_text_printf(out, "    const dim3 %s(", built_in[name]);
        for (int axis = 0; axis < 3; ++axis) {
            char *same = ht_format("%s.%c", in->launched[name], 'x' + axis);
            ht_text_append(out, axis ? ", " : "");
            if (in->param && in->param[axis])
                write_resized(in, name, axis, same, out);
            else if (!write_stacked(in, name, axis, same, out))
                ht_text_append(out, same);
            free(same);
        }
        ht_text_append(out, ");\n");
    }
}

static char *shape_text(const ht_model *model) {
    ht_text text = {0};
    for (int axis = 0; axis < 3; ++axis)
        if (axis == 0 || model->axes[axis].block > 1 || (axis == 1 && model->axes[2].block > 1))
            ht_text_printf(&text, axis ? " x %lld" : "%lld", (long long)model->axes[axis].block);
    return ht_text_take(&text);
}

void ht_renumber_write(ht_plan *plan, const char *const param[3], const char *group) {
    static const char *const wanted[NAMES] = {"launched_thread", "launched_block", "launched_size",
                                              "launched_grid"};
    const ht_model *model = plan->model;
    ht_range inside = {model->body_range.begin + 1, model->body_range.end - 1};
    variables in = {.plan = plan, .param = param};
    for (int name = 0; name < NAMES; ++name)
        in.launched[name] = ht_plan_name(plan, wanted[name]);
    ht_text inner = {0}, text = {0}, params = {0};
    if (group)
        ht_text_printf(&inner, "    const unsigned %s = %s.%c;\n", group, in.launched[THREAD],
                       'x' + plan->stack_axis);
    write_shadows(&in, &inner);
    char *shape = shape_text(model);
    if (plan->stacked)
        ht_text_printf(&text, "\n    // $?{1}{%s}{${%s}} blocks of the kernel's lie in one\n",
                       plan->stacked, plan->stacked);
    else
        ht_text_printf(&text, "\n    // threads have the places that they had in blocks of %s\n",
                       shape);
    for (int name = 0; name < NAMES; ++name)
        if (inner.data && strstr(inner.data, in.launched[name]))
            ht_text_printf(&text, "    const dim3 %s(%s.x, %s.y, %s.z);\n", in.launched[name],
                           built_in[name], built_in[name], built_in[name]);
    ht_text_printf(&text, "    {\n%s$[%zu,%zu]\n    }\n", inner.data ? inner.data : "",
                   inside.begin, inside.end);
    for (int axis = 0; param && axis < 3; ++axis)
        if (param[axis])
            ht_text_printf(&params, params.length ? ",%s" : "%s", param[axis]);
    const char *under = plan->stacked ? plan->stacked : params.data;
    bool names[NAMES];
    old_names(model, plan, under, names);
    ht_plan_edit(plan, inside, under, text.data);
    plan->renumbered = true;
    free(shape);
    ht_text_free(&inner);
    ht_text_free(&text);
    ht_text_free(&params);
}

/* ---- several blocks as one
 * ------------------------------------------------------------------------------------------- */

static bool grid_is_one(const ht_model *model, int axis) {
    const ht_launches *launches = &model->facts->launches;
    for (size_t i = 0; i < launches->count; ++i) {
        int64_t value = 1;
        const ht_symbol *symbol = launches->items[i].grid.axis[axis];
        if (symbol && (!ht_symbol_value(symbol, &value) || value > 1))
            return false;
    }
    return true;
}

const char *ht_renumber_stack(ht_plan *plan, const char **out_param) {
    const ht_axis *axes = plan->model->axes;
    int64_t threads = axes[0].block * axes[1].block * axes[2].block;
    int axis = axes[2].block > 1 ? 3 : axes[1].block > 1 ? 2 : 1, grid = 0;
    while (grid < 3 && grid_is_one(plan->model, grid))
        ++grid;
    if (axis == 3)
        return "its blocks have threads along all axes";
    if (grid == 3)
        return "its grid is one block";
    if (threads * 2 > 1024)
        return "two blocks are more threads than one may have";
    ht_text values = {0};
    for (int64_t together = 1; together <= 8 && threads * together <= 1024; together *= 2)
        ht_text_printf(&values, together > 1 ? ", %lld" : "%lld", (long long)together);
    *out_param = ht_block_name(plan, axis);
    plan->stacked = ht_strdup(*out_param);
    plan->stack_axis = axis;
    plan->stack_grid = grid;
    ht_plan_param(plan, *out_param, values.data, "1");
    ht_plan_set_block(plan, axis, *out_param);
    plan->keep_grid[axis] = true;
    ht_plan_cover(plan, grid, *out_param);
    plan->exact_cover[grid] = plan->falls_back[grid] = true;
    ht_text_free(&values);
    char *product = ht_plan_threads(plan);
    ht_plan_require(plan, "%s <= device.max_threads", product);
    free(product);
    return NULL;
}

/* ---- the block
 * ----------------------------------------------------------------------------------------------------
 */

static void resize(ht_plan *plan, int axis, const char *name, const char *values) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)plan->model->axes[axis].block);
    ht_plan_param(plan, name, values, number);
    ht_plan_set_block(plan, axis, name);
    plan->exact_cover[axis] = plan->falls_back[axis] = true;
}

/* The old block, and its quarters, halves, doubles and quadruples. */
static char *values_of(int64_t block, int axes) {
    ht_text text = {0};
    int64_t least = axes == 1 ? 32 : axes == 2 ? 4 : 2;
    for (int64_t divisor = 4; divisor >= 2; divisor /= 2)
        if (block % divisor == 0 && block / divisor >= least)
            ht_text_printf(&text, "%lld, ", (long long)(block / divisor));
    ht_text_printf(&text, "%lld", (long long)block);
    for (int64_t factor = 2; factor <= 4; factor *= 2)
        if (block * factor <= 1024)
            ht_text_printf(&text, ", %lld", (long long)block * factor);
    return ht_text_take(&text);
}

static const char *obstacle(const ht_model *model) {
    const char *why = ht_renumber_obstacle(model);
    if (why)
        return why;
    for (size_t i = 0; i < model->parameter_count; ++i)
        if (strstr(model->parameters[i].type, "volatile"))
            return "its threads may rely on running in step, and would not be in the same "
                   "wavefronts";
    ht_kernel_model *km = ht_kernel_model_scan(model);
    bool waits = ht_renumber_may_wait(model, km);
    ht_kernel_model_free(km);
    return waits ? "a loop may wait for other threads" : NULL;
}

static void resize_all(ht_plan *plan, int axes) {
    const char *param[3] = {NULL};
    for (int axis = 0; axis < 3; ++axis) {
        int64_t block = plan->model->axes[axis].block;
        if (block <= 1)
            continue;
        param[axis] = ht_block_name(plan, axis);
        char *values = values_of(block, axes);
        resize(plan, axis, param[axis], values);
        free(values);
    }
    char *threads = ht_plan_threads(plan);
    ht_plan_require(plan, "%s <= device.max_threads", threads);
    free(threads);
    ht_renumber_write(plan, param, NULL);
}

bool ht_block_renumber_apply(const ht_model *model, ht_plan *plan) {
    int axes = 0;
    for (int axis = 0; axis < 3; ++axis)
        axes += model->axes[axis].block > 1;
    const char *why = axes ? obstacle(model) : "it is one thread", *param;
    if (!why && model->facts->assumed) /* the source's own blocks may be of any size */
        why = ht_renumber_stack(plan, &param);
    if (why) {
        ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                       "threads cannot be numbered anew for another block: %s", why);
        return false;
    }
    if (plan->stacked)
        ht_renumber_write(plan, NULL, NULL);
    else
        resize_all(plan, axes);
    if (!ht_launch_bounds_follow(plan))
        return false;
    ht_plan_remark(plan, HT_REMARK_APPLIED, clang_getNullCursor(),
                   "the block became %s, %s, %s: each thread computes the place that it has in "
                   "the original's blocks",
                   plan->block[0], plan->block[1], plan->block[2]);
    return true;
}
