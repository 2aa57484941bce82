/* thread-order: which threads of the launch form a block. A kernel with independent threads
 * computes the same whichever thread does which part, as long as each part is done once. So the
 * launch stays, and a permutation of its threads, put into the names blockIdx and threadIdx, gives
 * blocks another shape:
 *
 *   - If threads are counted along one axis, and the kernel computes rows and columns from the
 *     number (i % width, i / width), the threads of a block lie in a tile of several rows (or of
 *     several planes), not in one long row.
 *   - If threads have two dimensions, they are counted row after row, in rows of the width that the
 *     guard lets through, so that the ends of blocks are filled with the next rows.
 *
 * Widths need no proof: with any number these are permutations. See docs/thread-order.md. */
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/places.h"
#include "refactor/transformations/register_tile/tiled.h"

#include <stdlib.h>
#include <string.h>

/* ---- expressions at the top of the kernel ---- */

enum { DEPTH_MAX = 20 };

static bool print(const ht_syntax *expression, int depth, ht_text *out);

static bool print_variable(const ht_syntax_variable *variable, int depth, ht_text *out) {
    const ht_parameter *parameter = variable->parameter;
    if (parameter) {
        ht_text_append(out, parameter->name);
        return parameter->is_integer && !parameter->is_assigned && parameter->name[0];
    }
    const ht_syntax *value = ht_syntax_kept(variable);
    return value && print(value, depth + 1, out);
}

/* Prints a field of an argument that is passed by value: size.x. */
static bool print_field(const ht_syntax *member, ht_text *out) {
    const ht_syntax *object = member;
    if (!member->plain || ht_syntax_in_macro(member))
        return false;
    while (object->kind == HT_SYNTAX_MEMBER && !object->arrow)
        object = ht_syntax_strip(object->children[0]);
    const ht_syntax_variable *variable = ht_syntax_named(object);
    const ht_parameter *parameter = variable ? variable->parameter : NULL;
    if (!parameter || parameter->is_pointer || parameter->is_assigned)
        return false;
    ht_text_append_n(out, member->tree->model->text + member->range.begin,
                     member->range.end - member->range.begin);
    return true;
}

/* Returns true unless the operation could divide by 0: no guard protects it here. */
static bool is_safe(int op, const ht_syntax *right) {
    int64_t value;
    if (op == HT_BINARY_DIV || op == HT_BINARY_REM)
        return ht_syntax_constant(right, &value) && value > 0;
    return op == HT_BINARY_ADD || op == HT_BINARY_SUB || op == HT_BINARY_MUL;
}

/* Prints the name of a constant outside of functions as the author wrote it. */
static bool print_named(const ht_syntax_variable *variable, ht_text *out) {
    char *name = variable ? ht_syntax_qualified_name(variable) : NULL;
    ht_text_append(out, name ? name : "");
    free(name);
    return name != NULL;
}

static bool print(const ht_syntax *expression, int depth, ht_text *out) {
    int64_t value;
    int op;
    const ht_syntax *node = ht_syntax_strip(expression), *left, *right;
    const ht_syntax_variable *variable = ht_syntax_named(node);
    if (depth > DEPTH_MAX)
        return false;
    bool sum = ht_syntax_binary(node, &op, &left, &right) && is_safe(op, right);
    if (ht_syntax_constant(expression, &value) &&
        !(sum && value >= 0 && !ht_syntax_in_macro(expression))) {
        if (!print_named(variable, out))
            ht_text_printf(out, "%lld", (long long)value);
        return value >= 0;
    }
    if (variable)
        return print_variable(variable, depth, out);
    if (node->kind == HT_SYNTAX_MEMBER)
        return (node->type == HT_TYPE_INTEGER || node->type == HT_TYPE_BOOL) &&
               print_field(node, out);
    if (!sum)
        return false;
    ht_text_append(out, "(");
    bool done = print(left, depth + 1, out);
    ht_text_printf(out, " %s ", ht_operator_text(op));
    done = done && print(right, depth + 1, out);
    ht_text_append(out, ")");
    return done;
}

/* Returns the expression, if it has only arguments and constants; free(). NULL: it has others. */
static char *text_of(const ht_syntax *expression) {
    ht_text text = {0};
    if (print(expression, 0, &text))
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

/* ---- divisors of the kernel's index ---- */

/* Returns the expression, or the initialiser of the variable that it names. */
static const ht_syntax *origin_of(const ht_syntax *expression) {
    const ht_syntax *initializer = ht_syntax_initializer(ht_syntax_named(expression));
    return ht_syntax_strip(initializer ? initializer : expression);
}

static bool is_index(const ht_syntax *expression) {
    return origin_of(expression)->kind == HT_SYNTAX_GLOBAL;
}

/* Returns true for index / width. */
static bool is_row(const ht_syntax *expression, const char *width) {
    const ht_syntax *left, *right;
    int op;
    if (!ht_syntax_binary(origin_of(expression), &op, &left, &right) || op != HT_BINARY_DIV ||
        !is_index(left))
        return false;
    char *text = text_of(right);
    bool same = text && strcmp(text, width) == 0;
    free(text);
    return same;
}

/* Returns the divisor in the first of these operations on the index, or on its row. free(); NULL:
 * there is none. */
static char *divisor_of(const ht_syntax_tree *tree, int op, const char *width) {
    char *found = NULL;
    for (size_t i = 0; i < tree->count && !found; ++i) {
        const ht_syntax *node = tree->nodes[i];
        if (node->kind == HT_SYNTAX_BINARY && node->op == op && node->type != HT_TYPE_REAL &&
            (width ? is_row(node->children[0], width) : is_index(node->children[0])))
            found = text_of(node->children[1]);
    }
    return found;
}

/* Returns the first divisor, of remainders before quotients, which may be by the size of a plane.
 * free(). */
static char *divisor(const ht_syntax_tree *tree, const char *width) {
    char *found = divisor_of(tree, HT_BINARY_REM, width);
    return found ? found : divisor_of(tree, HT_BINARY_DIV, width);
}

/* ---- writing ---- */

typedef struct ordering {
    ht_plan *plan;
    const char *params;            /* "THREAD_ROWS,THREAD_PLANES" */
    const char *at[3], *thread[3]; /* names of the new block and thread */
    char *width;                   /* in threads, as text around the body */
} ordering;

static void name_places(ordering *in) {
    static const char axes[] = "xyz";
    for (int i = 0; i < 3; ++i) {
        char *block = ht_format("place_block_%c", axes[i]);
        char *thread = ht_format("place_thread_%c", axes[i]);
        in->at[i] = ht_plan_name(in->plan, block);
        in->thread[i] = ht_plan_name(in->plan, thread);
        free(block);
        free(thread);
    }
}

/* Returns the width in threads, each of which may have several outputs. free(). */
static char *threads_of(const ht_plan *plan, const char *expression) {
    const char *factor = ht_plan_cover_param(plan, 0);
    char *width = ht_plan_outside(plan, expression), *text;
    if (!factor)
        text = ht_format("(unsigned)%s", width);
    else
        text = ht_format("$?{%s > 1}{((unsigned)%s + (%s - 1)) / %s}{((unsigned)%s + ${%s - 1}) / "
                         "${%s}}$?{%s == 1}{}{(unsigned)%s}",
                         factor, width, factor, factor, width, factor, factor, factor, width);
    free(width);
    return text;
}

static void wrap(const ordering *in, const char *work) {
    ht_range body = in->plan->model->definition.body_range;
    char *text = ht_format("{\n"
                           "    unsigned %s = blockIdx.x, %s = blockIdx.y, %s = blockIdx.z;\n"
                           "    unsigned %s = threadIdx.x, %s = threadIdx.y, %s = threadIdx.z;\n"
                           "%s"
                           "    {\n"
                           "    const dim3 blockIdx(%s, %s, %s), threadIdx(%s, %s, %s);\n"
                           "    $[%zu,%zu]\n"
                           "    }\n"
                           "}",
                           in->at[0], in->at[1], in->at[2], in->thread[0], in->thread[1],
                           in->thread[2], work, in->at[0], in->at[1], in->at[2], in->thread[0],
                           in->thread[1], in->thread[2], body.begin, body.end);
    ht_plan_wrap_all(in->plan, body, in->params, text);
    free(text);
}

/* Replaces each "@name@" in `text` by a free name. Takes over `text`; free(). */
static char *with_names(ht_plan *plan, char *text) {
    for (const char *at; (at = strchr(text, '@')) != NULL;) {
        char *mark = ht_strndup(at, strcspn(at + 1, "@") + 2);
        char *wanted = ht_strndup(mark + 1, strlen(mark) - 2);
        char *more = ht_text_replaced(text, mark, ht_plan_name(plan, wanted));
        free(wanted);
        free(mark);
        free(text);
        text = more;
    }
    return text;
}

/* %1: rows, 2: planes, 3: width, 4: height, 5: condition for several rows or planes, 6 and 7: the
 * place. */
static const char tiles[] =
    "    // the threads of a block have the places of a tile of rows, not those of one row\n"
    "    {\n"
    "        const unsigned @rows@ = ${%1$s}, @planes@ = %2$s;\n"
    "        const unsigned @width@ = %3$s, @height@ = %4$s;\n"
    "        const unsigned @total@ = gridDim.x * blockDim.x;\n"
    "        if ($?{%5$s}{%5$s && }{}gridDim.x < 4194304 && blockDim.x >= @rows@ * @planes@ &&\n"
    "            @width@ - 1 < @total@ && @height@ - 1 < @total@ / @width@ &&\n"
    "            @planes@ <= @total@ / @width@ / @height@) {\n"
    "            const unsigned @columns@ = blockDim.x / (@rows@ * @planes@);\n"
    "            const unsigned @group@ = @planes@ * @height@ * @width@;\n"
    "            const unsigned @index@ = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "            const unsigned @first@ = @index@ / @group@ * @group@;\n"
    "            unsigned @rest@ = @index@ - @first@;\n"
    "            const unsigned @top@ = @rest@ / (@planes@ * @rows@ * @width@) * @rows@;\n"
    "            @rest@ -= @planes@ * @top@ * @width@;\n"
    "            const unsigned @tall@ = @height@ - @top@ < @rows@ ? @height@ - @top@ : @rows@;\n"
    "            const unsigned @left@ = @rest@ / (@planes@ * @tall@ * @columns@) * @columns@;\n"
    "            @rest@ -= @planes@ * @tall@ * @left@;\n"
    "            const unsigned @wide@ = @width@ - @left@ < @columns@ ? @width@ - @left@ : "
    "@columns@;\n"
    "            const unsigned @line@ = @rest@ / (@wide@ * @tall@) * @height@ + @top@ +\n"
    "                                    @rest@ / @wide@ %% @tall@;\n"
    "            const unsigned @place@ = @first@ + @line@ * @width@ + @left@ + @rest@ %% "
    "@wide@;\n"
    "            if (@total@ - @first@ >= @group@) {\n"
    "                %6$s = @place@ / blockDim.x;\n"
    "                %7$s = @place@ %% blockDim.x;\n"
    "            }\n"
    "        }\n"
    "    }\n";

/* Writes tiles: groups of rows x width (planes x height x width) threads lie in boxes, which are
 * smaller at the ends of rows. Threads after the last whole group keep their places. */
static void write_tiles(ordering *in, const char *rows, const char *planes,
                        const char *expression) {
    char *height = expression ? ht_plan_outside(in->plan, expression) : NULL;
    char *tall = height ? ht_format("$?{%s > 1}{%s > 1 ? (unsigned)%s : %s}{(unsigned)%s}"
                                    "$?{%s == 1}{}{${%s}}",
                                    planes, planes, height, rows, height, planes, rows)
                        : ht_format("${%s}", rows);
    char *depth = planes ? ht_format("${%s}", planes) : ht_strdup("1");
    char *some = planes ? ht_format("(%s > 1 || %s > 1)", rows, planes) : ht_format("%s > 1", rows);
    char *work = with_names(
        in->plan, ht_format(tiles, rows, depth, in->width, tall, some, in->at[0], in->thread[0]));
    wrap(in, work);
    free(work);
    free(some);
    free(depth);
    free(tall);
    free(height);
}

/* %1: width, 2: FLATTEN, 3 to 6: the place. */
static const char flat_places[] =
    "    // threads are counted through, row after row: no row ends inside of a block\n"
    "    {\n"
    "        const unsigned @columns@ = gridDim.x * blockDim.x;\n"
    "        const unsigned @rows@ = gridDim.y * blockDim.y, @width@ = %1$s;\n"
    "        if ($?{%2$s}{%2$s && }{}@width@ - 1 < @columns@ &&\n"
    "            (unsigned long long)@columns@ * @rows@ >> 32 == 0) {\n"
    "            const unsigned @count@ = blockDim.x * blockDim.y;\n"
    "            const unsigned @number@ = (blockIdx.y * gridDim.x + blockIdx.x) * @count@ +\n"
    "                                      threadIdx.y * blockDim.x + threadIdx.x;\n"
    "            const bool @inside@ = @number@ < @width@ * @rows@;\n"
    "            const unsigned @rest@ = @inside@ ? @number@ : @number@ - @width@ * @rows@;\n"
    "            const unsigned @wide@ = @inside@ ? @width@ : @columns@ - @width@;\n"
    "            const unsigned @x@ = (@inside@ ? 0 : @width@) + @rest@ %% @wide@;\n"
    "            const unsigned @y@ = @rest@ / @wide@;\n"
    "            %3$s = @x@ / blockDim.x;\n"
    "            %4$s = @x@ %% blockDim.x;\n"
    "            %5$s = @y@ / blockDim.y;\n"
    "            %6$s = @y@ %% blockDim.y;\n"
    "        }\n"
    "    }\n";

/* Writes flat places: threads, counted row after row, take the places inside of the width row by
 * row, then those outside of it. */
static void write_flat(ordering *in, const char *flat) {
    char *work = with_names(in->plan, ht_format(flat_places, in->width, flat, in->at[0],
                                                in->thread[0], in->at[1], in->thread[1]));
    wrap(in, work);
    free(work);
}

/* ---- the transformation ---- */

/* Keeps a block's threads together where the tiled form is used. */
static void keep_apart_from_tiles(ht_plan *plan, const char *is_default) {
    if (plan->forms.tiled)
        ht_plan_require(plan, "%s || !%s", is_default, plan->forms.tiled->param);
}

static void order_in_tiles(ht_plan *plan, char *width, const char *height) {
    const char *rows = ht_plan_name(plan, "THREAD_ROWS");
    const char *planes = height ? ht_plan_name(plan, "THREAD_PLANES") : NULL;
    const char *block = ht_plan_block(plan, 0);
    char *all = planes ? ht_format("%s * %s", rows, planes) : ht_strdup(rows);
    char *none = ht_format("%s == 1", all);
    char *params = planes ? ht_format("%s,%s", rows, planes) : ht_strdup(rows);
    ordering in = {.plan = plan, .params = params, .width = threads_of(plan, width)};
    ht_plan_param(plan, rows, "1, 2, 4, 8, 16", "1");
    ht_plan_form(plan, rows, "built-in indices declared anew");
    if (planes) {
        ht_plan_param(plan, planes, "1, 2, 4", "1");
        ht_plan_form(plan, planes, "built-in indices declared anew");
    }
    if (block)
        ht_plan_require(plan, "%s %% (%s) == 0", block, all);
    keep_apart_from_tiles(plan, none);
    name_places(&in);
    write_tiles(&in, rows, planes, height);
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
                         "%s: the threads of a block lie in this many rows of %s%s%s", rows, width,
                         planes ? "; in this many planes: " : "", planes ? planes : "");
    free(in.width);
    free(params);
    free(none);
    free(all);
}

static void count_through(ht_plan *plan, char *width) {
    const char *flat = ht_plan_name(plan, "FLATTEN");
    char *none = ht_format("!%s", flat);
    ordering in = {.plan = plan, .params = flat, .width = threads_of(plan, width)};
    ht_plan_param(plan, flat, "false, true", "false");
    ht_plan_form(plan, flat, "built-in indices declared anew");
    keep_apart_from_tiles(plan, none);
    name_places(&in);
    write_flat(&in, flat);
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
                         "%s: threads are numbered row after row, in rows of %s", flat, width);
    free(in.width);
    free(none);
}

static bool meet(const ht_model *model) {
    return model->feature[HT_FEATURE_SHARED] || model->feature[HT_FEATURE_DYNAMIC_LDS] ||
           model->feature[HT_FEATURE_BARRIER] || model->feature[HT_FEATURE_WAVEFRONT] ||
           model->feature[HT_FEATURE_ATOMIC];
}

static void apply(const ht_model *model, ht_plan *plan) {
    if (!model->launch_known || model->facts->problem.text || model->facts->flat_uses > 0)
        return;
    const ht_syntax_tree *tree = ht_syntax_of(model);
    const ht_syntax *guard = model->axes[0].guard_bound;
    char *width = divisor(tree, NULL);
    char *height = width ? divisor(tree, width) : NULL;
    bool two = !width && model->axes[0].uses_global && model->axes[1].uses_global && guard;
    char *bound = two ? text_of(guard) : NULL;
    const char *why =
        meet(model) ? "threads depend on each other" : ht_places_obstacle(model, true);
    if ((width || bound) && why)
        ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                             "the threads of each block stay as they are: %s", why);
    else if (width)
        order_in_tiles(plan, width, height);
    else if (bound)
        count_through(plan, bound);
    free(bound);
    free(height);
    free(width);
}

const ht_transformation ht_transformation_thread_order = {
    .name = "thread-order",
    .summary = "which threads of the launch make a block",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES,
    .searched = {.is_hint = true, .idle_emulated = true, .drops = {{120, NULL}}},
};
