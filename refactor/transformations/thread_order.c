/* thread-order: which threads of the launch make a block. A kernel whose threads have nothing to do
 * with each other computes the same whichever thread does what, as long as each one's part is done
 * once. So the launch stays, and a permutation of its threads, which the names blockIdx and
 * threadIdx then answer with, gives blocks another shape:
 *
 * - threads that are counted along one axis, of which the kernel takes rows and columns apart
 *   (i % width, i / width): the threads of a block lie in a tile of several rows (or of several
 *   planes), not in one long row;
 * - threads in two dimensions: counted through, row after row of the width that the guard lets
 *   through, so that the ends of blocks are filled with the next rows.
 *
 * Nothing is proved of widths: with any number they are permutations. docs/thread-order.md. */
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/places.h"
#include "refactor/transformations/register_tile/tiled.h"

#include <stdlib.h>
#include <string.h>

/* ---- expressions at the top of the kernel ---- */

enum { DEPTH_MAX = 20 };

static bool print(const ht_model *model, CXCursor expression, int depth, ht_text *out);

static bool print_variable(const ht_model *model, CXCursor variable, int depth, ht_text *out) {
    const ht_parameter *parameter = ht_model_parameter(model, variable);
    if (parameter) {
        ht_text_append(out, parameter->name);
        return parameter->is_integer && !parameter->is_assigned && parameter->name[0];
    }
    const ht_local *local = ht_model_local(model, variable);
    return local && local->writes == 0 && !clang_Cursor_isNull(local->initializer) &&
           print(model, local->initializer, depth + 1, out);
}

/* An argument that is passed by value, or a field of one: size.x */
static bool print_object(const ht_model *model, CXCursor object, ht_text *out) {
    CXCursor cursor = ht_ast_strip(object, false);
    if (clang_getCursorKind(cursor) == CXCursor_MemberRefExpr) {
        if (clang_getCursorKind(clang_getCursorReferenced(cursor)) != CXCursor_FieldDecl ||
            !print_object(model, ht_ast_child(cursor, 0), out))
            return false;
        char *field = ht_cursor_name(cursor);
        bool anonymous = strchr(field, '(') != NULL || !*field;
        if (!anonymous)
            ht_text_printf(out, ".%s", field);
        free(field);
        return true;
    }
    const ht_parameter *parameter = ht_model_parameter(model, ht_ast_variable(cursor));
    if (!parameter || parameter->is_pointer || parameter->is_assigned)
        return false;
    ht_text_append(out, parameter->name);
    return true;
}

/* No division by what could be 0: here nothing asks first whether there is any work. */
static bool is_safe(const ht_model *model, enum CXBinaryOperatorKind op, CXCursor right) {
    int64_t value;
    if (op == CXBinaryOperator_Div || op == CXBinaryOperator_Rem)
        return ht_model_constant(model, right, &value) && value > 0;
    return op == CXBinaryOperator_Add || op == CXBinaryOperator_Sub || op == CXBinaryOperator_Mul;
}

/* A constant outside of functions: by its name, as the author has it. */
static bool print_named(CXCursor variable, ht_text *out) {
    enum CXCursorKind scope = clang_getCursorKind(clang_getCursorSemanticParent(variable));
    if (clang_getCursorKind(variable) != CXCursor_VarDecl ||
        (scope != CXCursor_TranslationUnit && scope != CXCursor_Namespace))
        return false;
    char *name = ht_cursor_qualified_name(variable);
    ht_text_append(out, name);
    free(name);
    return true;
}

static bool print(const ht_model *model, CXCursor expression, int depth, ht_text *out) {
    int64_t value;
    if (depth > DEPTH_MAX)
        return false;
    CXCursor cursor = ht_ast_strip(expression, true), left = clang_getNullCursor(), right = left;
    if (ht_model_constant(model, expression, &value)) {
        enum CXBinaryOperatorKind of;
        bool sum = !ht_ast_in_macro(model, expression) && value >= 0 &&
                   ht_ast_binary(cursor, &of, &left, &right) && is_safe(model, of, right);
        if (!sum && !print_named(ht_ast_variable(cursor), out))
            ht_text_printf(out, "%lld", (long long)value);
        if (!sum)
            return value >= 0;
    }
    CXCursor variable = ht_ast_variable(cursor);
    if (!clang_Cursor_isNull(variable))
        return print_variable(model, variable, depth, out);
    if (clang_getCursorKind(cursor) == CXCursor_MemberRefExpr)
        return ht_type_is_integer(clang_getCursorType(cursor)) && print_object(model, cursor, out);
    enum CXBinaryOperatorKind op;
    if (!ht_ast_binary(cursor, &op, &left, &right) || !is_safe(model, op, right))
        return false;
    ht_text_append(out, "(");
    bool done = print(model, left, depth + 1, out);
    ht_text_printf(out, " %s ", ht_ast_operator(op));
    done = done && print(model, right, depth + 1, out);
    ht_text_append(out, ")");
    return done;
}

/* The expression with arguments and constants alone; free(). NULL: there is none. */
static char *text_of(const ht_model *model, CXCursor expression) {
    ht_text text = {0};
    if (print(model, expression, 0, &text))
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

/* ---- what the kernel divides its index by ---- */

typedef struct division {
    const ht_model *model;
    bool remainders; /* look at % only */
    char *width;     /* given, when the height is looked for */
    char *found;
} division;

/* The expression, or what the variable that it names begins with. */
static CXCursor origin_of(const ht_model *model, CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, true);
    const ht_local *local = ht_model_local(model, ht_ast_variable(cursor));
    return local && !clang_Cursor_isNull(local->initializer)
               ? ht_ast_strip(local->initializer, true)
               : cursor;
}

static bool is_index(const ht_model *model, CXCursor expression) {
    int axis;
    CXCursor pitch;
    return ht_index_global(model, origin_of(model, expression), &axis, &pitch) && axis == 0;
}

/* index / width */
static bool is_row(const division *in, CXCursor expression) {
    enum CXBinaryOperatorKind op;
    CXCursor left, right;
    if (!ht_ast_binary(origin_of(in->model, expression), &op, &left, &right) ||
        op != CXBinaryOperator_Div || !is_index(in->model, left))
        return false;
    char *width = text_of(in->model, right);
    bool same = width && strcmp(width, in->width) == 0;
    free(width);
    return same;
}

static bool on_expression(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    division *in = context;
    enum CXBinaryOperatorKind op;
    CXCursor left, right;
    if (in->found || !ht_ast_binary(cursor, &op, &left, &right) ||
        (op != CXBinaryOperator_Rem && (op != CXBinaryOperator_Div || in->remainders)))
        return !in->found;
    if (in->width ? is_row(in, left) : is_index(in->model, left))
        in->found = text_of(in->model, right);
    return !in->found;
}

/* The first divisor: remainders before quotients, which may be by the size of a plane. free(). */
static char *divisor(const ht_model *model, char *width) {
    division in = {.model = model, .remainders = true, .width = width};
    ht_ast_walk(model->body, on_expression, &in);
    in.remainders = false;
    if (!in.found)
        ht_ast_walk(model->body, on_expression, &in);
    return in.found;
}

/* ---- writing ---- */

typedef struct ordering {
    ht_plan *plan;
    const char *params;            /* "THREAD_ROWS,THREAD_PLANES" */
    const char *at[3], *thread[3]; /* names of the place's block and thread */
    char *width;                   /* in threads, as it stands around the body */
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

/* The width in threads, each of which may have several outputs. free(). */
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
    ht_range body = in->plan->model->body_range;
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

/* `text`, which it frees, with a free name for each "@name@"; free(). */
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

/* %1: rows, 2: planes, 3: width, 4: height, 5: are there several?, 6 and 7: the place. */
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

/* Groups of rows x width (planes x height x width) threads have their places in boxes, which are
 * smaller at the ends of rows; so do the threads behind the last whole group as before. */
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

/* Threads that are counted through have the places inside of the width row by row, then those
 * outside of it. */
static void write_flat(ordering *in, const char *flat) {
    char *work = with_names(in->plan, ht_format(flat_places, in->width, flat, in->at[0],
                                                in->thread[0], in->at[1], in->thread[1]));
    wrap(in, work);
    free(work);
}

/* ---- the transformation ---- */

/* In the tiled form a block's threads stay together. */
static void keep_apart_from_tiles(ht_plan *plan, const char *is_default) {
    if (plan->tiled)
        ht_plan_require(plan, "%s || !%s", is_default, plan->tiled->param);
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
    if (planes)
        ht_plan_param(plan, planes, "1, 2, 4", "1");
    if (block)
        ht_plan_require(plan, "%s %% (%s) == 0", block, all);
    keep_apart_from_tiles(plan, none);
    name_places(&in);
    write_tiles(&in, rows, planes, height);
    ht_plan_remark(plan, HT_REMARK_APPLIED, clang_getNullCursor(),
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
    keep_apart_from_tiles(plan, none);
    name_places(&in);
    write_flat(&in, flat);
    ht_plan_remark(plan, HT_REMARK_APPLIED, clang_getNullCursor(),
                   "%s: threads are counted through, row after row of %s", flat, width);
    free(in.width);
    free(none);
}

static bool meet(const ht_model *model) {
    return model->feature[HT_FEATURE_SHARED] || model->feature[HT_FEATURE_DYNAMIC_LDS] ||
           model->feature[HT_FEATURE_BARRIER] || model->feature[HT_FEATURE_WAVEFRONT] ||
           model->feature[HT_FEATURE_ATOMIC];
}

static void apply(const ht_model *model, ht_plan *plan) {
    if (!model->launch_known || model->facts->problem || model->facts->flat_uses > 0)
        return;
    char *width = divisor(model, NULL);
    char *height = width ? divisor(model, width) : NULL;
    bool two = !width && model->axes[0].uses_global && model->axes[1].uses_global &&
               !clang_Cursor_isNull(model->axes[0].guard_bound);
    char *bound = two ? text_of(model, model->axes[0].guard_bound) : NULL;
    const char *why =
        meet(model) ? "threads have to do with each other" : ht_places_obstacle(model, true);
    if ((width || bound) && why)
        ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                       "which threads make a block stays: %s", why);
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
