#include "refactor/transformations/block_size/block_sums.h"

#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/block_size/combination.h"
#include "refactor/transformations/block_size/online.h"
#include "refactor/transformations/block_size/stride_loop.h"
#include "refactor/transformations/block_size/sums_own.h"
#include "refactor/transformations/block_size/threads.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1024 };

static void decline(ht_block_sums *sums, const ht_syntax *at, const char *why) {
    if (sums->why)
        return;
    sums->why = why;
    sums->at = at->at;
}

const ht_syntax *ht_sums_statement(const ht_block_sums *sums, size_t index) {
    return sums->body->body->children[index];
}

const ht_syntax *ht_sums_whole_statement(const ht_block_sums *sums, size_t index) {
    return sums->whole->body->children[index];
}

static size_t statement_count(const ht_block_sums *sums) {
    return sums->whole->body->count;
}

static bool is_barrier(const ht_syntax *statement) {
    return statement->kind == HT_SYNTAX_CALL && statement->call->is_barrier && statement->op == 0;
}

static bool is_stride(const ht_block_sums *sums, size_t index) {
    ht_stride_loop of;
    return ht_stride_loop_read(ht_sums_statement(sums, index), 0, &of);
}

/* ---- accumulators ---- */

static size_t whole_variable(const ht_block_sums *sums, const ht_syntax_variable *variable) {
    for (size_t i = 0; i < sums->whole->variable_count; ++i) {
        const ht_syntax *declaration = sums->whole->variables[i].declaration;
        if (declaration && ht_syntax_in_body(declaration) == variable->declaration)
            return i;
    }
    return SIZE_MAX;
}

size_t ht_sums_statement_of(const ht_block_sums *sums, const ht_syntax *node) {
    for (size_t i = 0; i < sums->body->body->count; ++i)
        if (ht_syntax_within(node, ht_sums_statement(sums, i)))
            return i;
    return SIZE_MAX;
}

/* Returns true if the variable is a number that begins with a constant, 0 for a sum, and is named
 * by nothing between that and the loop. */
static bool begins_neutral(const ht_block_sums *sums, const ht_syntax_variable *variable,
                           size_t loop, ht_combine op) {
    const ht_syntax *start = ht_syntax_initializer(variable);
    size_t declared =
        variable->declaration ? ht_sums_statement_of(sums, variable->declaration) : SIZE_MAX;
    if (!start || declared >= loop || variable->declaration->parent->parent != sums->body->body ||
        variable->rank || variable->is_shared || variable->is_reference || variable->is_static ||
        (variable->type != HT_TYPE_REAL && variable->type != HT_TYPE_INTEGER))
        return false;
    for (size_t i = declared; i < loop; ++i)
        if (ht_syntax_mentions(ht_sums_statement(sums, i), variable->index))
            return false;
    const ht_syntax *literal = ht_syntax_strip(start);
    int64_t whole;
    bool zero = ht_syntax_is_literal(literal) ? ht_syntax_literal(literal) == 0
                                              : ht_syntax_constant(start, &whole) && whole == 0;
    return op == HT_COMBINE_SUM || op == HT_COMBINE_SCALED
               ? zero
               : !ht_syntax_is_risky(literal) || ht_syntax_is_literal(literal);
}

static void add_accumulator(ht_block_sums *sums, size_t variable, ht_combine op, size_t loop) {
    const ht_syntax_variable *of = &sums->body->variables[variable];
    bool adds = op == HT_COMBINE_SUM || op == HT_COMBINE_SCALED;
    HT_GROW(sums->accumulators, sums->accumulator_count);
    sums->accumulators[sums->accumulator_count++] =
        (ht_accumulator){.variable = variable,
                         .whole = whole_variable(sums, of),
                         .op = op,
                         .loop = loop,
                         .real = of->type == HT_TYPE_REAL && adds,
                         .scale = SIZE_MAX};
}

/* Finds the maximum of an online softmax, and the sum that it scales. */
static void find_online(ht_block_sums *sums, size_t loop) {
    ht_online of;
    if (!ht_online_read(ht_sums_statement(sums, loop), &of) ||
        !begins_neutral(sums, &sums->body->variables[of.maximum], loop, HT_COMBINE_MAX) ||
        !begins_neutral(sums, &sums->body->variables[of.sum], loop, HT_COMBINE_SCALED))
        return;
    add_accumulator(sums, of.maximum, HT_COMBINE_MAX, loop); /* which is seeded first */
    size_t scale = sums->accumulators[sums->accumulator_count - 1].whole;
    add_accumulator(sums, of.sum, HT_COMBINE_SCALED, loop);
    sums->accumulators[sums->accumulator_count - 1].scale = scale;
    sums->accumulators[sums->accumulator_count - 1].exponential = of.exponential;
}

static void find_accumulators(ht_block_sums *sums) {
    for (size_t i = 0; i < sums->body->body->count; ++i) {
        if (!is_stride(sums, i))
            continue;
        const ht_syntax *loop = ht_sums_statement(sums, i);
        for (size_t v = 0; v < sums->body->variable_count; ++v) {
            const ht_syntax_variable *variable = &sums->body->variables[v];
            if (!variable->is_local || !ht_syntax_mentions(ht_syntax_body(loop), v))
                continue;
            ht_combine op = ht_combination_in(loop, v);
            if (op == HT_COMBINE_NONE || !begins_neutral(sums, variable, i, op))
                continue;
            add_accumulator(sums, v, op, i);
        }
        find_online(sums, i);
    }
}

/* ---- the statements that combine ---- */

static bool is_apart(const ht_block_sums *sums, size_t index) {
    const ht_syntax *statement = ht_sums_whole_statement(sums, index);
    return statement->kind == HT_SYNTAX_DECLARATION && !ht_syntax_has_effect(statement);
}

/* Finds the statements between two loops that depend on the block's threads, other than by
 * declarations of indices. */
static void find_between(ht_block_sums *sums, size_t begin, size_t end) {
    ht_block_sum sum = {.first = SIZE_MAX};
    for (size_t i = begin; i < end; ++i) {
        const ht_syntax *statement = ht_sums_whole_statement(sums, i);
        bool exchanges = false;
        const ht_syntax *taint = ht_threads_named(statement);
        if (taint && is_apart(sums, i)) /* an index; a declaration that exchanges is not apart */
            exchanges = taint->kind == HT_SYNTAX_CALL;
        else if (taint)
            exchanges = !ht_is_first_thread(ht_sums_statement(sums, i));
        if (!exchanges)
            continue;
        sum.first = sum.first == SIZE_MAX ? i : sum.first;
        sum.last = i;
    }
    if (sum.first == SIZE_MAX)
        return;
    while (sum.last + 1 < end && is_barrier(ht_sums_whole_statement(sums, sum.last + 1)))
        ++sum.last;
    HT_GROW(sums->items, sums->count);
    sums->items[sums->count++] = sum;
}

static void find_statements(ht_block_sums *sums) {
    size_t previous = SIZE_MAX, count = statement_count(sums);
    for (size_t i = 0; i <= count; ++i) {
        if (i < count && !is_stride(sums, i))
            continue;
        if (previous != SIZE_MAX)
            find_between(sums, previous + 1, i);
        previous = i;
    }
}

/* ---- running them ---- */

const ht_accumulator *ht_sums_accumulator(const ht_block_sums *sums, size_t whole) {
    for (size_t i = 0; i < sums->accumulator_count; ++i)
        if (sums->accumulators[i].whole == whole)
            return &sums->accumulators[i];
    return NULL;
}

/* Returns true if statements that combine, ahead of these, use the accumulator: in these its value
 * is not known. */
static bool is_spent(const ht_block_sums *sums, const ht_block_sum *sum, const ht_accumulator *of) {
    for (size_t k = 0; k < sums->count; ++k)
        for (size_t i = sums->items[k].first; i <= sums->items[k].last && i < sum->first; ++i)
            if (ht_syntax_mentions(ht_sums_statement(sums, i), of->variable))
                return true;
    return false;
}

static ht_lanes *run_sum(const ht_block_sums *sums, const ht_block_sum *sum, size_t threads,
                         size_t wavefront, const char **out_why, ht_position *out_at) {
    ht_lanes *lanes = ht_lanes_new(sums->whole, threads, wavefront);
    bool finite = true;
    for (size_t i = 0; i < sums->accumulator_count; ++i) {
        const ht_accumulator *of = &sums->accumulators[i];
        const ht_syntax *start = ht_syntax_initializer(&sums->whole->variables[of->whole]);
        if (of->loop >= sum->first || is_spent(sums, sum, of))
            continue;
        if (of->op == HT_COMBINE_SCALED)
            finite &= ht_lanes_seed_scaled(lanes, of->whole, of->scale,
                                           ht_exponential_base(of->exponential));
        else
            ht_lanes_seed(lanes, of->whole, of->op, of->op == HT_COMBINE_SUM ? NULL : start);
    }
    *out_why = finite ? NULL
                      : "its maximum does not begin with a finite number: where threads have no "
                        "value, it is not a number";
    *out_at = ht_sums_whole_statement(sums, sum->first)->at;
    for (size_t i = sum->first; i <= sum->last && !*out_why; ++i)
        *out_why = ht_lanes_run(lanes, ht_sums_whole_statement(sums, i), out_at);
    if (!*out_why && !ht_lanes_met(lanes)) {
        *out_why = "threads exchange values without a barrier";
        *out_at = ht_sums_whole_statement(sums, sum->first)->at;
    }
    return lanes;
}

bool ht_sum_holds_node(const ht_block_sums *sums, const ht_block_sum *sum, const ht_syntax *node) {
    for (size_t i = sum->first; i <= sum->last; ++i)
        if (ht_syntax_within(node, ht_sums_whole_statement(sums, i)))
            return true;
    return false;
}

/* Returns true if the first thread alone runs the node. */
static bool is_first_only(const ht_block_sums *sums, const ht_syntax *node) {
    for (size_t i = 0; i < statement_count(sums); ++i)
        if (ht_syntax_within(node, ht_sums_whole_statement(sums, i)))
            return ht_is_first_thread(ht_sums_statement(sums, i)) &&
                   ht_syntax_within(node, ht_sums_whole_statement(sums, i)->children[1]);
    return false;
}

/* Which element of a shared variable a name stands for: by subscripts that are constants. */
static bool constant_element(const ht_syntax *name, const ht_syntax **out_place,
                             size_t *out_element) {
    const ht_syntax_variable *variable = ht_syntax_named(name);
    const ht_syntax *at = name;
    *out_element = 0;
    for (unsigned d = 0; d < variable->rank; ++d) {
        const ht_syntax *up = at->parent;
        int64_t index, extent = ht_syntax_extent(variable, d);
        while (up->kind == HT_SYNTAX_CAST || up->kind == HT_SYNTAX_PAREN)
            up = up->parent;
        if (up->kind != HT_SYNTAX_SUBSCRIPT || !ht_syntax_within(name, up->children[0]) ||
            !ht_syntax_constant(up->children[1], &index) || index < 0 || index >= extent)
            return false;
        *out_element = *out_element * (size_t)extent + (size_t)index;
        at = up;
    }
    *out_place = at;
    return true;
}

static bool is_written(const ht_syntax *place) {
    const ht_syntax *up = place->parent;
    while (up && (up->kind == HT_SYNTAX_PAREN || (up->kind == HT_SYNTAX_CAST && !up->written)))
        up = up->parent;
    return up && ((up->kind == HT_SYNTAX_ASSIGN && ht_syntax_within(place, up->children[0])) ||
                  up->kind == HT_SYNTAX_STEP || up->kind == HT_SYNTAX_ADDRESS);
}

/* Returns true if memory may be accessed through something else than its name from here on. */
static bool escapes(const ht_syntax *place) {
    const ht_syntax *up = place->parent;
    while (up && (up->kind == HT_SYNTAX_PAREN || up->kind == HT_SYNTAX_CAST))
        up = up->parent;
    return !up || up->kind == HT_SYNTAX_ADDRESS || up->kind == HT_SYNTAX_UNKNOWN ||
           up->kind == HT_SYNTAX_LIST ||
           (up->kind == HT_SYNTAX_VARIABLE && ht_syntax_named(up)->is_reference) ||
           (up->kind == HT_SYNTAX_CALL && up->call->class != HT_CALLEE_PURE);
}

static ht_block_result *result_of(ht_block_sum *sum, size_t variable, size_t element) {
    for (size_t i = 0; i < sum->result_count; ++i)
        if (sum->results[i].variable == variable && sum->results[i].element == element)
            return &sum->results[i];
    HT_GROW(sum->results, sum->result_count);
    sum->results[sum->result_count] =
        (ht_block_result){.variable = variable, .element = element, .source = SIZE_MAX};
    return &sum->results[sum->result_count++];
}

static const char *shared_read(const ht_lanes *lanes, ht_block_sum *sum, const ht_syntax *name) {
    const ht_syntax *place;
    size_t element;
    if (!constant_element(name, &place, &element))
        return "an element of shared memory that is read afterwards is not a constant one";
    size_t source = ht_lanes_whole_element(lanes, name->variable, element);
    if (source == SIZE_MAX)
        return "an element of shared memory that is read afterwards does not hold all threads' "
               "values, with a barrier before";
    if (is_written(place) || escapes(place))
        return "shared memory that holds a result is written afterwards";
    ht_block_result *result = result_of(sum, name->variable, element);
    result->source = source;
    result->place = place->range;
    return place->plain ? NULL : "a macro writes where the result is read";
}

static const char *private_read(const ht_block_sums *sums, const ht_lanes *lanes, ht_block_sum *sum,
                                const ht_syntax *name) {
    size_t source = ht_lanes_whole(lanes, name->variable, false);
    bool first_only = source == SIZE_MAX;
    if (first_only) {
        source = ht_lanes_whole(lanes, name->variable, true);
        if (source == SIZE_MAX)
            return "a value that is read afterwards does not hold all threads' values";
        if (!is_first_only(sums, name))
            return "threads read a result that only some of them have";
    }
    const ht_syntax_variable *variable = &sums->whole->variables[name->variable];
    ht_block_result *result = result_of(sum, name->variable, SIZE_MAX);
    result->source = source;
    result->first_only = first_only;
    result->declared = variable->declaration && ht_sum_holds_node(sums, sum, variable->declaration);
    return NULL;
}

/* Returns true for a variable of which a copy is made ahead of the replaced statements. */
static bool is_hoisted(const ht_block_sums *sums, const ht_block_sum *sum, size_t variable) {
    const ht_syntax *declaration = sums->whole->variables[variable].declaration;
    for (size_t i = sum->first; declaration && i <= sum->last; ++i)
        if (declaration->parent == ht_sums_whole_statement(sums, i))
            return ht_block_sums_hoists(sums, sum, i);
    return false;
}

/* Returns true if a name of an array that the block shares stands for all of it, or for an element
 * that something else may then refer to. */
static bool leads_elsewhere(const ht_syntax *name) {
    const ht_syntax *at = name;
    for (unsigned d = 0; d < ht_syntax_named(name)->rank; ++d) {
        const ht_syntax *up = at->parent;
        while (up->kind == HT_SYNTAX_CAST || up->kind == HT_SYNTAX_PAREN)
            up = up->parent;
        if (up->kind != HT_SYNTAX_SUBSCRIPT || !ht_syntax_within(name, up->children[0]))
            return true;
        at = up;
    }
    return escapes(at);
}

/* Checks what is read after the statements. */
static const char *find_results(const ht_block_sums *sums, ht_block_sum *sum, const ht_lanes *lanes,
                                ht_position *out_at) {
    const ht_syntax *last = ht_sums_whole_statement(sums, sum->last);
    for (size_t i = 0; i < sums->whole->count; ++i) {
        const ht_syntax *node = sums->whole->nodes[i];
        /* others that combine begin with shared memory that is not known */
        bool inside_body = ht_syntax_within(node, sums->whole->body);
        bool later = node->index > last->index && inside_body;
        if (node->kind == HT_SYNTAX_NAME && inside_body && !later &&
            !ht_sum_holds_node(sums, sum, node) && ht_lanes_touched(lanes, node->variable) &&
            ht_syntax_named(node)->space == HT_SPACE_SHARED && leads_elsewhere(node)) {
            *out_at = node->at;
            return "shared memory may be accessed by another name";
        }
        for (size_t k = 0; k < sums->count && later; ++k)
            later = !ht_sum_holds_node(sums, &sums->items[k], node);
        if (!later || node->kind != HT_SYNTAX_NAME)
            continue;
        const ht_syntax_variable *variable = ht_syntax_named(node);
        bool shared = variable->space == HT_SPACE_SHARED;
        bool seeded = ht_sums_accumulator(sums, node->variable) &&
                      ht_sums_accumulator(sums, node->variable)->loop < sum->first;
        bool inside = variable->declaration &&
                      ht_sum_holds_node(sums, sum, variable->declaration) &&
                      !is_hoisted(sums, sum, node->variable);
        if (!ht_lanes_touched(lanes, node->variable) && !seeded && !inside)
            continue;
        const char *why =
            shared ? shared_read(lanes, sum, node) : private_read(sums, lanes, sum, node);
        *out_at = node->at;
        if (why)
            return why;
    }
    return NULL;
}

/* Returns why the statements do not give the results that they give; NULL: they do, in blocks of
 * this many threads. */
static const char *check(const ht_block_sums *sums, ht_block_sum *sum, size_t threads,
                         ht_position *out_at) {
    const char *why = NULL;
    for (size_t wavefront = 32; wavefront <= 64 && !why; wavefront *= 2) {
        ht_lanes *lanes = run_sum(sums, sum, threads, wavefront, &why, out_at);
        if (!why)
            why = find_results(sums, sum, lanes, out_at);
        ht_lanes_free(lanes);
    }
    return why;
}

bool ht_block_sums_hold(const ht_block_sums *sums, size_t threads) {
    bool holds = true;
    for (size_t i = 0; i < sums->count && holds; ++i) {
        ht_block_sum copy = {.first = sums->items[i].first, .last = sums->items[i].last};
        ht_position at;
        holds =
            !check(sums, &copy, threads, &at) && copy.result_count == sums->items[i].result_count;
        for (size_t r = 0; r < copy.result_count && holds; ++r)
            holds = copy.results[r].variable == sums->items[i].results[r].variable &&
                    copy.results[r].source == sums->items[i].results[r].source;
        free(copy.results);
    }
    return holds;
}

/* ---- all together ---- */

static bool are_plain(const ht_block_sums *sums, const ht_block_sum *sum) {
    for (size_t i = sum->first; i <= sum->last; ++i)
        if (!ht_is_own_text(ht_sums_statement(sums, i)))
            return false;
    return true;
}

static void prove(ht_block_sums *sums, const ht_model *model) {
    for (size_t k = 0; k < sums->count && !sums->why; ++k) {
        ht_block_sum *sum = &sums->items[k];
        const ht_syntax *first = ht_sums_whole_statement(sums, sum->first);
        ht_position at = first->at;
        if (!are_plain(sums, sum))
            decline(sums, first, "a macro writes the statements that combine threads' values");
        const char *why = check(sums, sum, (size_t)model->axes[0].block, &at);
        if (why && !sums->why) {
            sums->why = why;
            sums->at = at;
        } else if (!why && !sum->result_count)
            decline(sums, first, "threads exchange values, but nothing reads all of them combined");
    }
}

/* Checks that each accumulator is read by statements that combine, and afterwards only as their
 * result. */
static void check_accumulators(ht_block_sums *sums) {
    for (size_t a = 0; a < sums->accumulator_count; ++a) {
        const ht_accumulator *of = &sums->accumulators[a];
        size_t combining = SIZE_MAX;
        for (size_t k = 0; k < sums->count && combining == SIZE_MAX; ++k)
            for (size_t i = sums->items[k].first; i <= sums->items[k].last; ++i)
                if (sums->items[k].first > of->loop &&
                    ht_syntax_mentions(ht_sums_statement(sums, i), of->variable))
                    combining = sums->items[k].first;
        for (size_t i = of->loop + 1; i < sums->body->body->count && i < combining; ++i)
            if (ht_syntax_mentions(ht_sums_statement(sums, i), of->variable))
                decline(sums, ht_sums_statement(sums, i),
                        "a value that each thread added up by itself is read");
    }
}

/* `out` is all zeros. */
static void find(const ht_model *model, ht_block_sums *out) {
    out->body = ht_syntax_of(model);
    out->whole = ht_syntax_whole(model);
    bool alone = model->axes[0].block > 1 && model->axes[0].block <= THREADS_MAX &&
                 model->axes[1].block == 1 && model->axes[2].block == 1 &&
                 out->body->body->count == out->whole->body->count;
    if (!alone)
        return;
    find_accumulators(out);
    if (!out->accumulator_count)
        return;
    for (size_t i = 0; i < out->accumulator_count; ++i)
        if (out->accumulators[i].whole == SIZE_MAX)
            decline(out, ht_sums_statement(out, out->accumulators[i].loop),
                    "its sums are not followed");
    if (!out->why)
        find_statements(out);
    check_accumulators(out);
    if (!out->why)
        prove(out, model);
    if (!out->why)
        return;
    for (size_t i = 0; i < out->count; ++i)
        free(out->items[i].results);
    out->count = 0;
}

static void sums_free(ht_block_sums *sums) {
    for (size_t i = 0; i < sums->count; ++i)
        free(sums->items[i].results);
    free(sums->items);
    free(sums->accumulators);
    free(sums);
}

const ht_block_sums *ht_block_sums_of(const ht_model *model) {
    ht_kernel_forms *forms = &model->facts->forms;
    if (!forms->sums) {
        forms->sums = ht_alloc(1, sizeof *forms->sums);
        forms->sums_free = sums_free;
        find(model, forms->sums);
    }
    return forms->sums;
}
