#include "refactor/transformations/tile_constant/tile_checks.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/loops.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/tile_constant/tile.h"
#include "refactor/transformations/tile_constant/tile_access.h"
#include "refactor/transformations/tile_constant/tile_expression.h"

#include <stdlib.h>
#include <string.h>

typedef struct looking {
    const ht_tiles *tiles;
    ht_plan *plan;
    const ht_access_facts *facts; /* NULL: not needed */
    bool good;
    unsigned only_larger; /* bits of constants of which smaller values are not proved */
} looking;

static void refuse(looking *in, const ht_syntax *node, const char *words) {
    if (in->good)
        ht_plan_remark_place(in->plan, HT_REMARK_MISSED, node->at, "%s", words);
    in->good = false;
}

/* ---- literals that may be the constant in disguise ---- */

bool ht_tile_suspicious(int64_t literal, int64_t value) {
    if (value < 4 || literal < 3)
        return false;
    if (value >= 8 && literal > value && (literal + 1) % value == 0)
        return true; /* the last of 16 * 16 is 255 */
    return (literal >= value - 1 && literal <= value + 16) || literal == value * value ||
           literal == 2 * value || literal == value / 2 || literal == value * value / 2 ||
           (literal > value && literal % value == 0);
}

static bool is_shift(const ht_syntax *node, int64_t literal, int64_t value) {
    return node && (node->kind == HT_SYNTAX_BINARY || node->kind == HT_SYNTAX_ASSIGN) &&
           (node->op == HT_BINARY_SHL || node->op == HT_BINARY_SHR ||
            node->op == HT_BINARY_SHL_ASSIGN || node->op == HT_BINARY_SHR_ASSIGN) &&
           literal > 0 && literal < 31 && ht_tile_suspicious((int64_t)1 << literal, value);
}

/* Returns true for 256 in sum / 256.0f, the mean over a tile of 16 x 16. */
static bool is_extent(double real, int64_t value) {
    if (real < 0)
        real = -real;
    double one = (double)value, all = one * one;
    return value >= 4 && (real == one || real == all || real * one == 1 || real * all == 1);
}

/* Returns true if a macro's name gives the literal another meaning, as that of a filter's radius,
 * which must stay. */
static bool means_otherwise(const ht_tiles *tiles, const ht_syntax *literal) {
    static const char *const meanings[] = {"RADIUS", "HALO",    "STEP", "ORDER", "FILTER",
                                           "TAP",    "STENCIL", "COEF", "KERNEL"};
    const ht_source *source = tiles->model->facts->source;
    const ht_macro *macro = ht_syntax_macro(literal);
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

static bool on_literal(const ht_syntax *node, void *context) {
    looking *in = context;
    int64_t literal = 0;
    if (!ht_syntax_is_literal(node))
        return in->good;
    bool whole = node->type == HT_TYPE_INTEGER && ht_syntax_evaluate(node, &literal);
    if (whole && (ht_tiles_leaf(in->tiles, node) || means_otherwise(in->tiles, node)))
        return in->good;
    for (size_t i = 0; i < in->tiles->count; ++i) {
        const ht_tile *tile = &in->tiles->items[i];
        char *words = NULL;
        if (!whole && is_extent(ht_syntax_literal(node), tile->value))
            words = ht_format("the real literal may be computed from %s (%lld)", tile->name,
                              (long long)tile->value);
        if (whole && (ht_tile_suspicious(literal, tile->value) ||
                      is_shift(node->parent, literal, tile->value)))
            words = ht_format("the literal %lld may depend on %s (%lld)", (long long)literal,
                              tile->name, (long long)tile->value);
        if (words)
            refuse(in, node, words);
        free(words);
    }
    return in->good;
}

bool ht_tile_literals_fit(const ht_tiles *tiles, ht_plan *plan) {
    looking in = {.tiles = tiles, .plan = plan, .good = true};
    ht_syntax_walk(ht_syntax_whole(tiles->model)->all, on_literal, &in);
    return in.good;
}

/* ---- comparisons and divisions ---- */

static bool is_thread(const ht_syntax *node, const void *context) {
    (void)context;
    int axis;
    return ht_syntax_is_expression(node) && ht_syntax_builtin(node, true, &axis) == HT_INDEX_THREAD;
}

bool ht_tile_mentions_thread(const ht_syntax *expression) {
    return ht_syntax_first(expression, is_thread, NULL) != NULL;
}

static unsigned tiles_of_axis(const ht_tiles *tiles, int axis) {
    unsigned found = 0;
    for (size_t i = 0; i < tiles->count; ++i)
        found |= tiles->items[i].axis[axis] ? 1u << i : 0;
    return found;
}

/* Returns true for min(TILE, remainder), which no block is too small for. */
static bool is_clamped(const looking *in, const ht_syntax *bound, int axis) {
    const ht_syntax *node = ht_syntax_strip_whole(bound);
    const ht_syntax *value = ht_syntax_kept(ht_syntax_named(node));
    node = value ? ht_syntax_strip_whole(value) : node;
    if (!ht_syntax_calls(node, "min"))
        return false;
    for (size_t i = 0; i < (size_t)node->op; ++i) {
        const ht_tile *tile = ht_tiles_leaf(in->tiles, node->children[i]);
        if (tile && tile->axis[axis])
            return true;
    }
    return false;
}

/* Checks threadIdx.x < E (a halo's width, for example): the block must be at least E; if E is not
 * known, it must not shrink. */
static void look_at_comparison(looking *in, const ht_syntax *node) {
    const ht_syntax *left = node->children[0], *right = node->children[1], *bound = right;
    int axis;
    if (ht_syntax_builtin(left, true, &axis) != HT_INDEX_THREAD) {
        if (ht_syntax_builtin(right, true, &axis) != HT_INDEX_THREAD)
            return;
        bound = left;
    }
    int64_t value;
    if (!ht_tiles_mention(in->tiles, bound) && ht_syntax_constant(bound, &value) && value <= 1)
        return;
    if (is_clamped(in, bound, axis))
        return;
    char *text = ht_tiles_expression(in->tiles, bound);
    if (!text)
        refuse(in, node, "a thread index is compared with a value that is not known");
    else if (ht_tile_original(in->tiles, text, &value))
        ht_plan_require(in->plan, "%s >= %s && %s >= 0", in->plan->axes[axis].block, text, text);
    else
        in->only_larger |= tiles_of_axis(in->tiles, axis);
    free(text);
}

/* ---- rounding up ---- */

typedef struct trial {
    const ht_tiles *tiles;
    int64_t factor; /* the constants are this multiple of the original's */
} trial;

/* Gives names other than the block's constants an arbitrary value. */
static bool lookup(const void *context, const char *name, int64_t *out_value) {
    const trial *in = context;
    *out_value = 10007;
    for (size_t i = 0; i < in->tiles->count; ++i)
        if (strcmp(in->tiles->items[i].name, name) == 0)
            *out_value = in->tiles->items[i].value * in->factor;
    return true;
}

static bool value(const trial *in, const char *text, int64_t *out_value) {
    ht_scope scope = {.lookup = lookup, .context = in};
    return ht_expr_text_value(text, &scope, out_value);
}

/* Returns true if `dividend` is `items` + `divisor` - 1 for all values of the constants. */
static bool rounds_up(const ht_tiles *tiles, const ht_syntax *dividend, const ht_syntax *items,
                      const char *divisor) {
    char *whole = ht_tiles_expression(tiles, dividend), *part = ht_tiles_expression(tiles, items);
    bool same = whole && part;
    for (int64_t factor = 1; same && factor <= 3; ++factor) {
        trial in = {tiles, factor};
        int64_t all, some, by;
        same = value(&in, whole, &all) && value(&in, part, &some) && value(&in, divisor, &by) &&
               all - some == by - 1;
    }
    free(whole);
    free(part);
    return same;
}

/* ---- filling up ---- */

/* Returns true for a store to the shared array `context`; NULL: to any. */
static bool is_store(const ht_syntax *node, const void *context) {
    if (node->kind != HT_SYNTAX_ASSIGN || node->op != HT_BINARY_ASSIGN)
        return false;
    const ht_syntax_variable *array = ht_tile_root(node->children[0]);
    return array && array->local && array->local->is_shared && (!context || context == array);
}

/* Returns false for if (inside) tile[..] = load; else tile[..] = 0; */
static bool leaves_out(const ht_syntax *node, const void *context) {
    (void)context;
    for (size_t i = 1; node->kind == HT_SYNTAX_IF && i < 3; ++i) {
        const ht_syntax *store = ht_syntax_first(node->children[i], is_store, NULL);
        if (store &&
            !ht_syntax_first(node->children[3 - i], is_store, ht_tile_root(store->children[0])))
            return true;
    }
    return node->kind == HT_SYNTAX_CONTINUE || node->kind == HT_SYNTAX_SWITCH;
}

/* Returns true if every element of a shared array that a condition keeps from being loaded is
 * written in another way. */
static bool fills(const ht_tiles *tiles) {
    return !ht_syntax_first(ht_syntax_whole(tiles->model)->body, leaves_out, NULL);
}

/* Returns X of X, X + (c - 1) and X + c - 1, over a divisor c. */
static const ht_syntax *without_rounding(const ht_syntax *dividend) {
    const ht_syntax *node = ht_syntax_strip_whole(dividend);
    for (int i = 0; i < 2 && node->kind == HT_SYNTAX_BINARY &&
                    (node->op == HT_BINARY_ADD || node->op == HT_BINARY_SUB);
         ++i)
        node = ht_syntax_strip_whole(node->children[0]);
    return node;
}

static bool all_bounded(const looking *in) {
    for (int axis = 0; axis < 3; ++axis)
        if (!in->facts->loads_bounded[axis])
            return false;
    return true;
}

/* Requires that sizes which the constant must divide are multiples of the original's constant: with
 * others the original left out a rest, or ran past the end. */
static void require_whole(looking *in, const char *items, const char *divisor, int64_t original) {
    ht_plan_require(in->plan, "%s > 0 && %lld %% %s == 0", divisor, (long long)original, divisor);
    if (items)
        ht_plan_require(in->plan, "(%s) %% %lld == 0", items, (long long)original);
}

/* Checks K / TILE tiles: they are right for a K that TILE divides. For others, the last tile must
 * be rounded up, with its loads bounded and the elements left out filled. */
static void look_at_division(looking *in, const ht_syntax *node) {
    const ht_syntax *left = node->children[0], *right = node->children[1];
    int64_t value, original;
    if (!ht_tiles_mention(in->tiles, right))
        return;
    if (ht_tile_mentions_thread(left)) { /* threads are regrouped: with two loads each, for example,
                                            they must cover the tile */
        in->only_larger = ~0u;
        return;
    }
    const ht_syntax *items = without_rounding(left);
    char *divisor = ht_tiles_expression(in->tiles, right);
    if (!divisor || !ht_tile_original(in->tiles, divisor, &original) || original <= 0)
        refuse(in, node, "a division by the block is not understood");
    else if (!ht_tiles_mention(in->tiles, items) && ht_syntax_constant(items, &value))
        ht_plan_require(in->plan, "%s > 0 && %lld %% %s == 0", divisor, (long long)value, divisor);
    else if (!all_bounded(in) || !rounds_up(in->tiles, left, items, divisor) || !fills(in->tiles)) {
        char *text =
            ht_tiles_mention(in->tiles, items) ? NULL : ht_tiles_expression(in->tiles, items);
        require_whole(in, text, divisor, original);
        free(text);
    }
    free(divisor);
}

/* ---- loops that go over a range in steps of the block's constant, tile by tile:
 *
 *     for (int a = first; a <= first + n - 1; a += TILE)
 *
 * If the constant does not divide the range, the last step goes past its end. ---- */

/* A loop of the form for (counter = first; counter < first + range; counter += step). */
typedef struct tile_loop {
    const ht_syntax_variable *counter;
    const ht_syntax *step;
    char *range; /* as a template expression; NULL: not known; free() */
} tile_loop;

enum { TERMS_MAX = 16, DEPTH_MAX = 8 };

typedef struct term {
    const ht_syntax *node;
    bool minus;
} term;

/* Returns the value of a name that is set once, else the expression itself. */
static const ht_syntax *resolved(const ht_syntax *expression) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    const ht_syntax *value = ht_syntax_kept(ht_syntax_named(node));
    return value ? ht_syntax_strip_whole(value) : node;
}

/* Collects the terms of a sum, looking through names. */
static size_t terms_of(const ht_syntax *expression, bool minus, const ht_syntax_variable *stop,
                       term *items, size_t count, int depth) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    bool stops = stop && ht_syntax_named(node) == stop;
    const ht_syntax *inner = stops ? node : resolved(node);
    if (!stops && depth < DEPTH_MAX && inner->kind == HT_SYNTAX_BINARY &&
        (inner->op == HT_BINARY_ADD || inner->op == HT_BINARY_SUB)) {
        count = terms_of(inner->children[0], minus, stop, items, count, depth + 1);
        return terms_of(inner->children[1], minus != (inner->op == HT_BINARY_SUB), stop, items,
                        count, depth + 1);
    }
    items[count < TERMS_MAX ? count : TERMS_MAX - 1] = (term){node, minus};
    return count + 1;
}

/* Returns the length of the range from `start` to `bound` as a template expression; NULL: it is not
 * known. free(). */
static char *range_of(const ht_tiles *tiles, const ht_syntax *start, const ht_syntax *bound,
                      bool inclusive) {
    int64_t zero;
    bool from_zero = ht_syntax_constant(start, &zero) && zero == 0, taken = from_zero;
    const ht_syntax_variable *stop = from_zero ? NULL : ht_syntax_named(start);
    term items[TERMS_MAX];
    size_t count = terms_of(bound, false, stop, items, 0, 0);
    ht_text text = {0};
    bool known = count <= TERMS_MAX && (from_zero || stop);
    ht_text_append(&text, "0");
    for (size_t i = 0; i < count && known; ++i) {
        if (!taken && !items[i].minus && ht_syntax_named(items[i].node) == stop) {
            taken = true;
            continue;
        }
        char *part = ht_tiles_expression(tiles, items[i].node);
        known = part != NULL;
        ht_text_printf(&text, items[i].minus ? " - %s" : " + %s", part ? part : "");
        free(part);
    }
    if (inclusive)
        ht_text_append(&text, " + 1");
    if (known && taken)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

/* Returns the step of `variable` in an increment that may have several parts. */
static const ht_syntax *step_of(const ht_syntax *increment, const ht_syntax_variable *variable) {
    const ht_syntax *left, *right;
    ht_loop_step found;
    int op;
    if (ht_syntax_binary(increment, &op, &left, &right) && op == HT_BINARY_COMMA) {
        const ht_syntax *step = step_of(left, variable);
        return step ? step : step_of(right, variable);
    }
    return ht_loop_step_read(increment, variable, &found) && !found.down ? found.by : NULL;
}

/* Reads such a loop. Returns false if the statement has another form. */
static bool loop_read(const ht_tiles *tiles, const ht_syntax *statement, tile_loop *out_loop) {
    const ht_syntax *left, *bound;
    int op;
    *out_loop = (tile_loop){0};
    if (statement->kind != HT_SYNTAX_FOR || !statement->children[0] ||
        statement->children[0]->kind != HT_SYNTAX_DECLARATION ||
        !ht_syntax_binary(statement->children[1], &op, &left, &bound) ||
        (op != HT_BINARY_LT && op != HT_BINARY_LE))
        return false;
    const ht_syntax_variable *counter = ht_syntax_named(left);
    const ht_syntax *start = counter && counter->local ? ht_syntax_initializer(counter) : NULL;
    out_loop->counter = counter;
    out_loop->step = start ? step_of(statement->children[2], counter) : NULL;
    if (!out_loop->step)
        return false;
    out_loop->range = range_of(tiles, start, bound, op == HT_BINARY_LE);
    return true;
}

/* Checks a loop that goes over a range tile by tile, as a division. */
static void look_at_loop(looking *in, const ht_syntax *statement) {
    tile_loop loop;
    int64_t original, value;
    if (!loop_read(in->tiles, statement, &loop))
        return;
    char *step = ht_tiles_mention(in->tiles, loop.step) &&
                         !ht_tile_mentions_thread(ht_syntax_initializer(loop.counter))
                     ? ht_tiles_expression(in->tiles, loop.step)
                     : NULL;
    bool whole = step && ht_tile_original(in->tiles, step, &original) && original > 0;
    if (whole && loop.range && !ht_tile_original(in->tiles, loop.range, &value) &&
        !(all_bounded(in) && fills(in->tiles)))
        require_whole(in, loop.range, step, original);
    free(step);
    free(loop.range);
}

static bool on_relation(const ht_syntax *node, void *context) {
    looking *in = context;
    if (node->kind == HT_SYNTAX_FOR)
        look_at_loop(in, node);
    if (node->kind != HT_SYNTAX_BINARY && node->kind != HT_SYNTAX_ASSIGN)
        return in->good;
    if (ht_operator_compares(node->op))
        look_at_comparison(in, node);
    else if (node->op == HT_BINARY_DIV || node->op == HT_BINARY_REM ||
             node->op == HT_BINARY_DIV_ASSIGN || node->op == HT_BINARY_REM_ASSIGN)
        look_at_division(in, node);
    else if ((node->op == HT_BINARY_SHR || node->op == HT_BINARY_BIT_AND ||
              node->op == HT_BINARY_BIT_XOR || node->op == HT_BINARY_SHR_ASSIGN) &&
             (ht_tiles_mention(in->tiles, node->children[1]) ||
              ht_tiles_mention(in->tiles, node->children[0])))
        refuse(in, node, "bits of the block's constant are taken apart");
    return in->good;
}

/* ---- halos ---- */

/* Returns true for for (i = threadIdx.a; ...; i += block), which covers any extent with any
 * block. */
static bool strides_by_block(const ht_tiles *tiles, const ht_syntax *node) {
    const ht_syntax_variable *counter = ht_loop_declared(node);
    const ht_syntax *step = counter ? step_of(node->children[2], counter) : NULL;
    return step && ht_tile_mentions_thread(ht_syntax_initializer(counter)) &&
           ht_tiles_mention(tiles, step);
}

/* Returns the constants on which an expression depends, as bits. */
static unsigned mentioned(const ht_tiles *tiles, const ht_syntax *expression) {
    unsigned found = 0;
    for (size_t i = 0; i < tiles->count; ++i) {
        ht_tiles one = {.model = tiles->model, .items = {tiles->items[i]}, .count = 1};
        found |= ht_tiles_mention(&one, expression) ? 1u << i : 0;
    }
    return found;
}

/* Returns the constants along which the array is larger than the block by more than one column of
 * padding (a halo), as bits. */
static unsigned halo_of(const ht_tiles *tiles, const ht_syntax *array) {
    unsigned halo = 0;
    for (size_t i = 1; i < array->count; ++i) {
        const ht_syntax *extent = ht_syntax_strip_whole(array->children[i]);
        int64_t padding;
        bool padded = extent->kind == HT_SYNTAX_BINARY && extent->op == HT_BINARY_ADD &&
                      ht_tiles_leaf(tiles, extent->children[0]) &&
                      ht_syntax_constant(extent->children[1], &padding) && padding == 1;
        if (!ht_tiles_leaf(tiles, extent) && !padded)
            halo |= mentioned(tiles, extent);
    }
    return halo;
}

static void look_for_halos(looking *in, const ht_syntax *node, bool strided) {
    if (!node)
        return;
    if (node->kind == HT_SYNTAX_ASSIGN && !strided) {
        const ht_syntax_variable *array = ht_tile_root(node->children[0]);
        if (array && array->local && array->local->is_shared)
            in->only_larger |= halo_of(in->tiles, array->declaration);
    }
    strided = strided || strides_by_block(in->tiles, node);
    for (size_t i = 0; i < node->count; ++i)
        look_for_halos(in, node->children[i], strided);
}

bool ht_tile_relations_fit(const ht_tiles *tiles, ht_plan *plan, const ht_access_facts *facts,
                           unsigned *out_only_larger) {
    looking in = {.tiles = tiles, .plan = plan, .facts = facts, .good = true};
    const ht_syntax_tree *tree = ht_syntax_whole(tiles->model);
    ht_syntax_walk(tree->all, on_relation, &in);
    if (in.good)
        look_for_halos(&in, tree->body, false);
    *out_only_larger = in.only_larger;
    return in.good;
}

/* ---- shared memory ---- */

typedef struct byte_sum {
    const ht_tiles *tiles;
    ht_text text;
    bool known;
} byte_sum;

/* Adds the bytes of a shared array. Functions that the kernel calls may have some as well. */
static bool on_shared(const ht_syntax *node, void *context) {
    byte_sum *in = context;
    if (node->kind != HT_SYNTAX_VARIABLE || !node->tree->variables[node->variable].is_shared)
        return in->known;
    size_t size = ht_syntax_element_size(&node->tree->variables[node->variable]);
    in->known = in->known && size > 0;
    ht_text_printf(&in->text, in->text.length ? " + %zu" : "%zu", size);
    for (size_t i = 1; i < node->count && in->known; ++i) {
        char *extent = ht_tiles_expression(in->tiles, node->children[i]);
        in->known = extent != NULL;
        ht_text_printf(&in->text, " * %s", extent ? extent : "");
        free(extent);
    }
    return in->known;
}

char *ht_tile_lds_bytes(const ht_tiles *tiles) {
    byte_sum in = {.tiles = tiles, .known = !tiles->model->feature[HT_FEATURE_DYNAMIC_LDS]};
    ht_syntax_walk(ht_syntax_whole(tiles->model)->all, on_shared, &in);
    if (!in.known) {
        ht_text_free(&in.text);
        return NULL;
    }
    return in.text.length ? ht_text_take(&in.text) : ht_strdup("0");
}
