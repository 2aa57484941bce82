/* What must hold before a constant that ties a kernel to its block may change. */
#include "base/memory.h"
#include "base/text.h"
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>
#include <string.h>

typedef struct looking {
    const ht_tiles *tiles;
    ht_plan *plan;
    const ht_access_facts *facts; /* NULL where not asked */
    bool good;
    unsigned only_larger; /* constants of which smaller values are not proved, as bits */
} looking;

static void refuse(looking *in, CXCursor cursor, const char *words) {
    if (in->good)
        ht_plan_remark(in->plan, HT_REMARK_MISSED, cursor, "%s", words);
    in->good = false;
}

static void walk_all(looking *in, bool (*visit)(CXCursor, CXCursor, void *)) {
    const ht_kernel_facts *facts = in->tiles->model->facts;
    for (size_t i = 0; i < facts->reached_count && in->good; ++i)
        ht_ast_walk(facts->reached[i], visit, in);
}

/* ---- literals that may be the constant in disguise
 * ----------------------------------------------------------------- */

bool ht_tile_suspicious(int64_t literal, int64_t value) {
    if (value < 4 || literal < 3)
        return false;
    if (value >= 8 && literal > value && (literal + 1) % value == 0)
        return true; /* the last of 16 * 16 is 255 */
    return (literal >= value - 1 && literal <= value + 16) || literal == value * value ||
           literal == 2 * value || literal == value / 2 || literal == value * value / 2 ||
           (literal > value && literal % value == 0);
}

static bool is_shift(CXCursor parent, int64_t literal, int64_t value) {
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    return ht_ast_binary(parent, &kind, &left, &right) &&
           (kind == CXBinaryOperator_Shl || kind == CXBinaryOperator_Shr ||
            kind == CXBinaryOperator_ShlAssign || kind == CXBinaryOperator_ShrAssign) &&
           literal > 0 && literal < 31 && ht_tile_suspicious((int64_t)1 << literal, value);
}

/* sum / 256.0f: the mean over a tile of 16 x 16. */
static bool is_extent(CXCursor cursor, int64_t value) {
    if (clang_getCursorKind(cursor) != CXCursor_FloatingLiteral)
        return false;
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    double real = result && clang_EvalResult_getKind(result) == CXEval_Float
                      ? clang_EvalResult_getAsDouble(result)
                      : 0;
    if (result)
        clang_EvalResult_dispose(result);
    if (real < 0)
        real = -real;
    double one = (double)value, all = one * one;
    return value >= 4 && (real == one || real == all || real * one == 1 || real * all == 1);
}

/* A macro of another name gives a literal its meaning: the filter's radius stays what it is. */
static bool means_otherwise(const ht_tiles *tiles, CXCursor literal) {
    static const char *const meanings[] = {"RADIUS", "HALO",    "STEP", "ORDER", "FILTER",
                                           "TAP",    "STENCIL", "COEF", "KERNEL"};
    const ht_source *source = tiles->model->facts->source;
    const ht_macro *macro = ht_tile_writing_macro(source, literal);
    ht_tokens body;
    if (!macro)
        return false;
    ht_tokens_read(source->files[macro->file].text, macro->body, false, &body);
    bool number = body.count == 1;
    ht_tokens_free(&body);
    char *name = ht_strdup(macro->name);
    ht_text_upper(name);
    bool found = false;
    for (size_t i = 0; number && i < sizeof meanings / sizeof *meanings; ++i)
        found = found || strstr(name, meanings[i]);
    found = found && !strstr(name, "BLOCK") && !strstr(name, "TILE") && !strstr(name, "THREAD");
    free(name);
    return found;
}

static bool on_literal(CXCursor cursor, CXCursor parent, void *context) {
    looking *in = context;
    int64_t literal;
    for (size_t i = 0; i < in->tiles->count; ++i)
        if (is_extent(cursor, in->tiles->items[i].value)) {
            char *words = ht_format("the real literal may be computed from %s (%lld)",
                                    in->tiles->items[i].name, (long long)in->tiles->items[i].value);
            refuse(in, cursor, words);
            free(words);
        }
    if (clang_getCursorKind(cursor) != CXCursor_IntegerLiteral ||
        ht_tiles_leaf(in->tiles, cursor) || !ht_ast_constant(cursor, &literal) ||
        means_otherwise(in->tiles, cursor))
        return in->good;
    for (size_t i = 0; i < in->tiles->count; ++i) {
        int64_t value = in->tiles->items[i].value;
        if (!ht_tile_suspicious(literal, value) && !is_shift(parent, literal, value))
            continue;
        char *words = ht_format("the literal %lld may depend on %s (%lld)", (long long)literal,
                                in->tiles->items[i].name, (long long)value);
        refuse(in, cursor, words);
        free(words);
    }
    return in->good;
}

bool ht_tile_literals_fit(const ht_tiles *tiles, ht_plan *plan) {
    looking in = {.tiles = tiles, .plan = plan, .good = true};
    walk_all(&in, on_literal);
    return in.good;
}

/* ---- comparisons and divisions
 * ------------------------------------------------------------------------------------------ */

typedef struct thread_search {
    const ht_model *model;
    bool found;
} thread_search;

static bool on_thread(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    thread_search *in = context;
    int axis;
    if (clang_isExpression(clang_getCursorKind(cursor)) &&
        ht_index_plain(in->model, cursor, true, &axis) == HT_INDEX_THREAD)
        in->found = true;
    return !in->found;
}

bool ht_tile_mentions_thread(const ht_model *model, CXCursor expression) {
    thread_search in = {model, false};
    on_thread(expression, expression, &in);
    if (!in.found)
        ht_ast_walk(expression, on_thread, &in);
    return in.found;
}

static bool is_comparison(enum CXBinaryOperatorKind kind) {
    return kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE;
}

static unsigned tiles_of_axis(const ht_tiles *tiles, int axis) {
    unsigned found = 0;
    for (size_t i = 0; i < tiles->count; ++i)
        found |= tiles->items[i].axis[axis] ? 1u << i : 0;
    return found;
}

/* min(TILE, what is left): no block is too small for it. */
static bool is_clamped(const looking *in, CXCursor bound, int axis) {
    CXCursor cursor = ht_ast_strip(bound, true);
    const ht_local *local = ht_model_local(in->tiles->model, ht_ast_variable(cursor));
    if (local && local->writes == 0 && !clang_Cursor_isNull(local->initializer))
        cursor = ht_ast_strip(local->initializer, true);
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr || !ht_cursor_named(cursor, "min"))
        return false;
    for (int i = 0; i < clang_Cursor_getNumArguments(cursor); ++i) {
        const ht_tile *tile =
            ht_tiles_leaf(in->tiles, clang_Cursor_getArgument(cursor, (unsigned)i));
        if (tile && tile->axis[axis])
            return true;
    }
    return false;
}

/* threadIdx.x < E (a halo's width, say): the block must reach E, or not shrink when E may be
 * anything. */
static void look_at_comparison(looking *in, CXCursor cursor, CXCursor left, CXCursor right) {
    const ht_model *model = in->tiles->model;
    int axis;
    CXCursor bound = right;
    if (ht_index_plain(model, left, true, &axis) != HT_INDEX_THREAD) {
        if (ht_index_plain(model, right, true, &axis) != HT_INDEX_THREAD)
            return;
        bound = left;
    }
    int64_t value;
    if (!ht_tiles_mention(in->tiles, bound) && ht_model_constant(model, bound, &value) &&
        value <= 1)
        return;
    if (is_clamped(in, bound, axis))
        return;
    char *text = ht_tiles_expression(in->tiles, bound);
    if (!text)
        refuse(in, cursor, "a thread index is compared with a value that is not known");
    else if (ht_tile_original(in->tiles, text, &value))
        ht_plan_require(in->plan, "%s >= %s && %s >= 0", in->plan->block[axis], text, text);
    else
        in->only_larger |= tiles_of_axis(in->tiles, axis);
    free(text);
}

/* X of X, X + (c - 1), X + c - 1 over c. */
static CXCursor without_rounding(CXCursor dividend) {
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    CXCursor cursor = ht_ast_strip(dividend, true);
    for (int i = 0; i < 2; ++i) {
        if (!ht_ast_binary(cursor, &kind, &left, &right) ||
            (kind != CXBinaryOperator_Add && kind != CXBinaryOperator_Sub))
            break;
        cursor = ht_ast_strip(left, true);
    }
    return cursor;
}

static bool all_bounded(const looking *in) {
    for (int axis = 0; axis < 3; ++axis)
        if (!in->facts->loads_bounded[axis])
            return false;
    return true;
}

/* Sizes that the block's constant must divide are multiples of the original's: for others the
 * original left a rest out, or took one in that is none. */
static void require_whole(looking *in, const char *items, const char *divisor, int64_t original) {
    ht_plan_require(in->plan, "%s > 0 && %lld %% %s == 0", divisor, (long long)original, divisor);
    if (items)
        ht_plan_require(in->plan, "(%s) %% %lld == 0", items, (long long)original);
}

/* K / TILE tiles: right for the K that TILE divides, unless the last tile is rounded up, its loads
 * are bounded and what they leave out is filled. */
static void look_at_division(looking *in, CXCursor cursor, CXCursor left, CXCursor right) {
    const ht_model *model = in->tiles->model;
    int64_t value, original;
    if (!ht_tiles_mention(in->tiles, right))
        return;
    if (ht_tile_mentions_thread(
            model, left)) { /* threads regrouped: two loads each, say, must cover the tile */
        in->only_larger = ~0u;
        return;
    }
    CXCursor items = without_rounding(left);
    char *divisor = ht_tiles_expression(in->tiles, right);
    if (!divisor || !ht_tile_original(in->tiles, divisor, &original) || original <= 0)
        refuse(in, cursor, "a division by the block is not understood");
    else if (!ht_tiles_mention(in->tiles, items) && ht_model_constant(model, items, &value))
        ht_plan_require(in->plan, "%s > 0 && %lld %% %s == 0", divisor, (long long)value, divisor);
    else if (!all_bounded(in) || !ht_tile_rounds_up(in->tiles, left, items, divisor) ||
             !ht_tile_fills(in->tiles)) {
        char *text =
            ht_tiles_mention(in->tiles, items) ? NULL : ht_tiles_expression(in->tiles, items);
        require_whole(in, text, divisor, original);
        free(text);
    }
    free(divisor);
}

/* Tile by tile over a range: the same as with a division. */
static void look_at_loop(looking *in, CXCursor statement) {
    const ht_model *model = in->tiles->model;
    ht_tile_loop loop;
    int64_t original, value;
    if (!ht_tile_loop_read(in->tiles, statement, &loop))
        return;
    const ht_local *counter = ht_model_local(model, loop.counter);
    char *step = ht_tiles_mention(in->tiles, loop.step) &&
                         !ht_tile_mentions_thread(model, counter->initializer)
                     ? ht_tiles_expression(in->tiles, loop.step)
                     : NULL;
    bool whole = step && ht_tile_original(in->tiles, step, &original) && original > 0;
    if (whole && loop.range && !ht_tile_original(in->tiles, loop.range, &value) &&
        !(all_bounded(in) && ht_tile_fills(in->tiles)))
        require_whole(in, loop.range, step, original);
    free(step);
    free(loop.range);
}

static bool on_relation(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    looking *in = context;
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    if (clang_getCursorKind(cursor) == CXCursor_ForStmt)
        look_at_loop(in, cursor);
    if (!clang_isExpression(clang_getCursorKind(cursor)) ||
        !ht_ast_binary(cursor, &kind, &left, &right))
        return in->good;
    if (is_comparison(kind))
        look_at_comparison(in, cursor, left, right);
    else if (kind == CXBinaryOperator_Div || kind == CXBinaryOperator_Rem ||
             kind == CXBinaryOperator_DivAssign || kind == CXBinaryOperator_RemAssign)
        look_at_division(in, cursor, left, right);
    else if ((kind == CXBinaryOperator_Shr || kind == CXBinaryOperator_And ||
              kind == CXBinaryOperator_Xor || kind == CXBinaryOperator_ShrAssign) &&
             (ht_tiles_mention(in->tiles, right) || ht_tiles_mention(in->tiles, left)))
        refuse(in, cursor, "bits of the block's constant are taken apart");
    return in->good;
}

/* ---- halos
 * --------------------------------------------------------------------------------------------------------------
 */

/* for (i = threadIdx.a; ...; i += block): covers any extent with any block. */
static bool strides_by_block(const looking *in, CXCursor statement) {
    CXCursor init, condition, increment, body, left, right;
    enum CXBinaryOperatorKind kind;
    if (!ht_ast_for(statement, &init, &condition, &increment, &body) ||
        clang_getCursorKind(init) != CXCursor_DeclStmt)
        return false;
    CXCursor variable = ht_ast_child(init, 0);
    CXCursor start = clang_getCursorKind(variable) == CXCursor_VarDecl
                         ? clang_Cursor_getVarDeclInitializer(variable)
                         : clang_getNullCursor();
    return !clang_Cursor_isNull(start) && ht_tile_mentions_thread(in->tiles->model, start) &&
           ht_ast_binary(ht_ast_strip(increment, false), &kind, &left, &right) &&
           kind == CXBinaryOperator_AddAssign && ht_tiles_mention(in->tiles, right);
}

static CXCursor shared_root(CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, true);
    while (clang_getCursorKind(cursor) == CXCursor_ArraySubscriptExpr)
        cursor = ht_ast_strip(ht_ast_child(cursor, 0), true);
    return ht_ast_variable(cursor);
}

/* The constants that an expression comes from, as bits. */
static unsigned mentioned(const ht_tiles *tiles, CXCursor expression) {
    unsigned found = 0;
    for (size_t i = 0; i < tiles->count; ++i) {
        ht_tiles one = {.model = tiles->model, .items = {tiles->items[i]}, .count = 1};
        found |= ht_tiles_mention(&one, expression) ? 1u << i : 0;
    }
    return found;
}

/* The constants along which the array is more than the block (a halo), beyond one column of
 * padding, as bits. */
static unsigned halo_of(const ht_tiles *tiles, CXCursor array) {
    ht_cursors list = ht_ast_children(array);
    unsigned halo = 0;
    for (size_t i = 0; i < list.count; ++i) {
        if (!clang_isExpression(clang_getCursorKind(list.items[i])) ||
            !ht_tiles_mention(tiles, list.items[i]))
            continue;
        CXCursor cursor = ht_ast_strip(list.items[i], true), left, right;
        enum CXBinaryOperatorKind kind;
        int64_t padding;
        bool padded = ht_ast_binary(cursor, &kind, &left, &right) && kind == CXBinaryOperator_Add &&
                      ht_tiles_leaf(tiles, left) &&
                      ht_model_constant(tiles->model, right, &padding) && padding == 1;
        if (!ht_tiles_leaf(tiles, cursor) && !padded)
            halo |= mentioned(tiles, cursor);
    }
    free(list.items);
    return halo;
}

static void look_for_halos(looking *in, CXCursor cursor, bool strided) {
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    if (ht_ast_binary(cursor, &kind, &left, &right) && kind >= CXBinaryOperator_Assign &&
        kind <= CXBinaryOperator_OrAssign) {
        const ht_local *local = ht_model_local(in->tiles->model, shared_root(left));
        if (local && local->is_shared && !strided)
            in->only_larger |= halo_of(in->tiles, local->cursor);
    }
    strided = strided || strides_by_block(in, cursor);
    ht_cursors list = ht_ast_children(cursor);
    for (size_t i = 0; i < list.count; ++i)
        look_for_halos(in, list.items[i], strided);
    free(list.items);
}

bool ht_tile_relations_fit(const ht_tiles *tiles, ht_plan *plan, const ht_access_facts *facts,
                           unsigned *out_only_larger) {
    looking in = {.tiles = tiles, .plan = plan, .facts = facts, .good = true};
    walk_all(&in, on_relation);
    if (in.good)
        look_for_halos(&in, tiles->model->body, false);
    *out_only_larger = in.only_larger;
    return in.good;
}

/* ---- shared memory
 * -------------------------------------------------------------------------------------------------------
 */

static char *array_bytes(const ht_tiles *tiles, CXCursor array) {
    ht_text text = {0};
    CXType type = clang_getCursorType(array);
    while (type.kind == CXType_ConstantArray || type.kind == CXType_DependentSizedArray ||
           type.kind == CXType_VariableArray)
        type = clang_getArrayElementType(type);
    long long size = clang_Type_getSizeOf(type);
    if (size <= 0) { /* a template parameter's */
        CXString spelling = clang_getTypeSpelling(type);
        const ht_kernel_facts *facts = tiles->model->facts;
        for (size_t i = 0; i < facts->template_parameter_count; ++i)
            if (facts->template_parameters[i].argument &&
                strcmp(facts->template_parameters[i].name, clang_getCString(spelling)) == 0)
                size = (long long)ht_type_size(facts->template_parameters[i].argument);
        clang_disposeString(spelling);
    }
    if (size <= 0)
        return NULL;
    ht_text_printf(&text, "%lld", size);
    ht_cursors list = ht_ast_children(array);
    bool known = true;
    for (size_t i = 0; i < list.count && known; ++i) {
        if (!clang_isExpression(clang_getCursorKind(list.items[i])))
            continue;
        char *extent = ht_tiles_expression(tiles, list.items[i]);
        known = extent != NULL;
        ht_text_printf(&text, " * %s", known ? extent : "");
        free(extent);
    }
    free(list.items);
    if (known)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

typedef struct byte_sum {
    const ht_tiles *tiles;
    ht_text text;
    bool known;
} byte_sum;

/* Functions that the kernel calls may have shared arrays as well. */
static bool on_shared(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    byte_sum *in = context;
    if (!ht_ast_is_shared(cursor))
        return in->known;
    char *bytes = array_bytes(in->tiles, cursor);
    in->known = in->known && bytes;
    ht_text_printf(&in->text, in->text.length ? " + %s" : "%s", bytes ? bytes : "");
    free(bytes);
    return in->known;
}

char *ht_tile_lds_bytes(const ht_tiles *tiles) {
    const ht_kernel_facts *facts = tiles->model->facts;
    byte_sum in = {.tiles = tiles, .known = true};
    for (size_t i = 0; i < facts->reached_count && in.known; ++i)
        ht_ast_walk(facts->reached[i], on_shared, &in);
    if (!in.known) {
        ht_text_free(&in.text);
        return NULL;
    }
    return in.text.length ? ht_text_take(&in.text) : ht_strdup("0");
}
