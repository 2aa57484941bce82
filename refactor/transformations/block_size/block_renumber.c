/* block-size for kernels that use thread and block indices in unusual ways: rows counted by
 * blockIdx.z / columns, threadIdx as the channel. If threads are independent, it does not matter
 * which of them share a block. So blocks of another size are launched, with as many threads in
 * total, and each thread computes the place that it would have had in the original: the kernel sees
 * only the original's threadIdx, blockIdx, blockDim and gridDim, and the pass need not understand
 * their use. The new block divides the old one, or is a multiple of it. */
#include "refactor/transformations/block_size/block_renumber.h"
#include "refactor/plan/plan.h"

#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/waits.h"
#include "refactor/kernel_model/build.h"
#include "refactor/launch/extent.h"
#include "refactor/transformations/block_size/block_size.h"
#include "refactor/transformations/launch_bounds.h"

#include <stdlib.h>
#include <string.h>

/* ---- variables in place of the built-in names ---- */

enum { NAMES = HT_INDEX_GLOBAL }; /* from HT_INDEX_THREAD on */
static const char *const built_in[NAMES] = {NULL, "threadIdx", "blockIdx", "blockDim", "gridDim"};

static const char *const old_spelling[NAMES] = {NULL, "hipThreadIdx_", "hipBlockIdx_",
                                                "hipBlockDim_", "hipGridDim_"};

/* Returns the name that a token has in the old spelling, hipThreadIdx_x; NAMES: none. */
static int old_name(const ht_tokens *tokens, size_t index, char *out_axis) {
    char *text = ht_tokens_text(tokens, index);
    int name = HT_INDEX_THREAD;
    while (name < NAMES && strncmp(text, old_spelling[name], strlen(old_spelling[name])) != 0)
        ++name;
    *out_axis = name < NAMES ? text[strlen(old_spelling[name])] : 0;
    free(text);
    return *out_axis >= 'x' && *out_axis <= 'z' ? name : NAMES;
}

/* Counts the old names in the kernel's own text. With a plan, changes them to the new spelling. */
static size_t old_names(const ht_model *model, ht_plan *plan, const char *params, bool *names) {
    ht_tokens tokens;
    size_t count = 0;
    ht_tokens_read(model->text, model->definition.body_range, true, &tokens);
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

/* Returns the axis along which blocks are joined, where the block has one thread; 3: none. */
static int stack_axis(const ht_model *model) {
    return model->axes[2].block > 1 ? 3 : model->axes[1].block > 1 ? 2 : 1;
}

/* Returns true if a called function asks for an index that would be another one. Functions see the
 * built-in variables, whose numbers along other axes are the same where blocks are joined. */
static bool functions_ask(const ht_model *model, bool joined) {
    const ht_index_names *elsewhere = &model->facts->reached.names_elsewhere;
    unsigned axis = 1U << stack_axis(model);
    bool asks = elsewhere->called > 0;
    for (int name = HT_INDEX_THREAD; name < NAMES; ++name) {
        bool same = joined && (name == HT_INDEX_THREAD || name == HT_INDEX_BLOCK_DIM) &&
                    elsewhere->axes[name] && !(elsewhere->axes[name] & axis);
        asks = asks || (elsewhere->named[name] && !same);
    }
    return asks;
}

const char *ht_renumber_obstacle(const ht_model *model, bool joined) {
    bool old[NAMES] = {false};
    /* the old spelling is macros that call the device library's functions */
    if (model->facts->reached.names.called != old_names(model, NULL, NULL, old))
        return "it gets its indices from functions, not from the built-in variables";
    if (functions_ask(model, joined))
        return "a function that it calls uses thread or block indices";
    if (model->facts->launches.count == 0)
        return "no launch of it is seen, so that its grid is not";
    return ht_launch_says_extents(model) ? NULL : "a launch of it cannot be rewritten";
}

static bool is_memory(const ht_syntax *node, const void *context) {
    (void)context;
    return ht_syntax_is_element(node) || node->arrow || node->kind == HT_SYNTAX_CALL;
}

typedef struct asked_change {
    const ht_syntax *condition;
    bool found;
} asked_change;

static void on_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    asked_change *in = context;
    (void)change;
    in->found = in->found || ht_syntax_mentions(in->condition, name->variable);
}

/* Returns true for loops that their counter ends, however it moves on: halves down to 0, say. */
static bool ends_by_itself(const ht_syntax *loop) {
    if (!ht_loop_counts(loop) || ht_syntax_first(loop->children[2], is_memory, NULL))
        return false;
    asked_change in = {loop->children[1], false};
    ht_syntax_changes(ht_syntax_body(loop), on_change, &in);
    return !in.found;
}

bool ht_renumber_may_wait(const ht_model *model, const ht_kernel_model *km) {
    bool meets = model->feature[HT_FEATURE_ATOMIC] || model->feature[HT_FEATURE_VOLATILE];
    const ht_syntax_tree *tree = ht_syntax_whole(model);
    bool ends = true, normal = true;
    for (size_t i = 0; i < tree->count; ++i)
        ends = ends && (!ht_syntax_is_loop(tree->nodes[i]) || ends_by_itself(tree->nodes[i]));
    for (size_t i = 0; i < km->loop_count; ++i)
        normal = normal && km->loops[i].normal;
    return meets && !ends && !normal;
}

/* ---- the variables ---- */

typedef struct variables {
    const ht_plan *plan;
    const char *const *param;
    const char *launched[NAMES]; /* the built-in values */
} variables;

/* Writes an index along an axis for blocks of another size. */
static void write_resized(const variables *in, int name, int axis, const char *same, ht_text *out) {
    const char *p = in->param[axis];
    char a = (char)('x' + axis);
    long long b = (long long)in->plan->model->axes[axis].block;
    const char *thread = in->launched[HT_INDEX_THREAD], *block = in->launched[HT_INDEX_BLOCK];
    const char *size = in->launched[HT_INDEX_BLOCK_DIM], *grid = in->launched[HT_INDEX_GRID_DIM];
    char *less = NULL, *more = NULL;
    char *parts = ht_format("$?{1}{(%s < %lld ? %lld / %s : 1)}{${%lld / %s}}", p, b, b, p, b, p);
    if (name == HT_INDEX_THREAD) {
        less = ht_format("%s.%c %% %s * ${%s} + %s.%c", block, a, parts, p, thread, a);
        more = ht_format("%s.%c %% %lld", thread, a, b);
    } else if (name == HT_INDEX_BLOCK) {
        less = ht_format("%s.%c / %s", block, a, parts);
        more =
            ht_format("%s.%c * (%s.%c / %lld) + %s.%c / %lld", block, a, size, a, b, thread, a, b);
    } else if (name == HT_INDEX_GRID_DIM) {
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

/* Writes an index for several blocks in one. Returns false if it is unchanged. */
static bool write_stacked(const variables *in, int name, int axis, const char *same, ht_text *out) {
    const ht_plan *plan = in->plan;
    bool stack = plan->stack.param && axis == plan->stack.axis;
    bool grid = plan->stack.param && axis == plan->stack.grid;
    char s = (char)('x' + plan->stack.axis), *other = NULL;
    if (stack && name == HT_INDEX_THREAD)
        other = ht_strdup("0");
    else if (stack && name == HT_INDEX_BLOCK_DIM)
        other = ht_strdup("1");
    else if (grid && name == HT_INDEX_BLOCK)
        other = ht_format("%s * %s.%c + %s.%c", same, in->launched[HT_INDEX_BLOCK_DIM], s,
                          in->launched[HT_INDEX_THREAD], s);
    else if (grid && name == HT_INDEX_GRID_DIM)
        other = ht_format("%s * %s.%c", same, in->launched[HT_INDEX_BLOCK_DIM], s);
    if (!other)
        return false;
    ht_text_printf(out, "$?{1}{%s > 1 ? %s : %s}{%s}", plan->stack.param, other, same, other);
    free(other);
    return true;
}

static void write_shadows(const variables *in, ht_text *out) {
    bool used[NAMES];
    memcpy(used, in->plan->model->facts->reached.names.named, sizeof used);
    old_names(in->plan->model, NULL, NULL, used);
    for (int name = HT_INDEX_THREAD; name < NAMES; ++name) {
        if (!used[name])
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
    static const char *const wanted[NAMES] = {NULL, "launched_thread", "launched_block",
                                              "launched_size", "launched_grid"};
    const ht_model *model = plan->model;
    ht_range inside = {model->definition.body_range.begin + 1,
                       model->definition.body_range.end - 1};
    variables in = {.plan = plan, .param = param};
    for (int name = HT_INDEX_THREAD; name < NAMES; ++name)
        in.launched[name] = ht_plan_name(plan, wanted[name]);
    ht_text inner = {0}, text = {0}, params = {0};
    if (group)
        ht_text_printf(&inner, "    const unsigned %s = %s.%c;\n", group,
                       in.launched[HT_INDEX_THREAD], 'x' + plan->stack.axis);
    write_shadows(&in, &inner);
    char *shape = shape_text(model);
    if (plan->stack.param)
        ht_text_printf(&text, "\n    // $?{1}{%s}{${%s}} blocks of the kernel's lie in one\n",
                       plan->stack.param, plan->stack.param);
    else
        ht_text_printf(&text, "\n    // threads have the places that they had in blocks of %s\n",
                       shape);
    for (int name = HT_INDEX_THREAD; name < NAMES; ++name)
        if (inner.data && strstr(inner.data, in.launched[name]))
            ht_text_printf(&text, "    const dim3 %s(%s.x, %s.y, %s.z);\n", in.launched[name],
                           built_in[name], built_in[name], built_in[name]);
    ht_text_printf(&text, "    {\n%s$[%zu,%zu]\n    }\n", inner.data ? inner.data : "",
                   inside.begin, inside.end);
    for (int axis = 0; param && axis < 3; ++axis)
        if (param[axis])
            ht_text_printf(&params, params.length ? ",%s" : "%s", param[axis]);
    const char *under = plan->stack.param ? plan->stack.param : params.data;
    bool names[NAMES];
    old_names(model, plan, under, names);
    ht_plan_edit(plan, inside, under, text.data);
    plan->launches.renumbered = true;
    free(shape);
    ht_text_free(&inner);
    ht_text_free(&text);
    ht_text_free(&params);
}

/* ---- several blocks as one ---- */

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
    int axis = stack_axis(plan->model), grid = 0;
    while (grid < 3 && grid_is_one(plan->model, grid))
        ++grid;
    if (axis == 3)
        return "its blocks have threads along all axes";
    if (grid == 3)
        return "its grid is one block";
    if (threads * 2 > 1024)
        return "two blocks are more threads than one may have";
    ht_text values = {0};
    int64_t most = threads == 1 ? 256 : 8; /* threads alone fill no wavefront */
    for (int64_t together = 1; together <= most && threads * together <= 1024; together *= 2)
        ht_text_printf(&values, together > 1 ? ", %lld" : "%lld", (long long)together);
    *out_param = ht_block_name(plan, axis);
    plan->stack.param = ht_strdup(*out_param);
    plan->stack.axis = axis;
    plan->stack.grid = grid;
    ht_plan_param(plan, *out_param, values.data, "1");
    ht_plan_form(plan, *out_param, "built-in indices declared anew");
    ht_plan_set_block(plan, axis, *out_param);
    plan->axes[axis].keep_grid = true;
    ht_plan_cover(plan, grid, *out_param);
    plan->axes[grid].exact_cover = plan->axes[grid].falls_back = true;
    ht_text_free(&values);
    ht_block_require_threads(plan);
    return NULL;
}

/* ---- the block ---- */

/* Returns the values: the old block, its quarter, half, double and quadruple. free(). */
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
    const char *why = ht_renumber_obstacle(model, false);
    if (why)
        return why;
    if (model->feature[HT_FEATURE_VOLATILE])
        return "its threads may rely on running in step, and would not be in the same wavefronts";
    const ht_kernel_model *km = ht_kernel_model_scan(model, (ht_km_variant){0});
    return ht_renumber_may_wait(model, km) ? "a loop may wait for other threads" : NULL;
}

static void resize_all(ht_plan *plan, int axes) {
    const char *param[3] = {NULL};
    for (int axis = 0; axis < 3; ++axis) {
        int64_t block = plan->model->axes[axis].block;
        if (block <= 1)
            continue;
        param[axis] = ht_block_name(plan, axis);
        char *values = values_of(block, axes);
        ht_block_param(plan, axis, param[axis], values);
        ht_plan_form(plan, param[axis], "built-in indices declared anew");
        plan->axes[axis].exact_cover = plan->axes[axis].falls_back = true;
        free(values);
    }
    ht_block_require_threads(plan);
    ht_renumber_write(plan, param, NULL);
}

bool ht_block_renumber_apply(const ht_model *model, ht_plan *plan) {
    int axes = 0;
    for (int axis = 0; axis < 3; ++axis)
        axes += model->axes[axis].block > 1;
    const char *why = obstacle(model), *param;
    if (!why && (axes == 0 || model->facts->assumed.text)) /* of any size in the source, too */
        why = ht_renumber_stack(plan, &param);
    if (why) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                             "threads cannot be numbered anew for another block: %s", why);
        return false;
    }
    if (plan->stack.param)
        ht_renumber_write(plan, NULL, NULL);
    else
        resize_all(plan, axes);
    if (!ht_launch_bounds_follow(plan))
        return false;
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
                         "the block became %s, %s, %s: each thread computes its place in "
                         "the original's blocks",
                         plan->axes[0].block, plan->axes[1].block, plan->axes[2].block);
    return true;
}
