#include "refactor/kernel_model/loop.h"
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel_model/environment.h"
#include "refactor/kernel_model/test.h"
#include "refactor/kernel_model/value.h"

#include <stdlib.h>
#include <string.h>

typedef struct parts {
    const ht_syntax *init, *condition, *increment, *body;
    bool known; /* `init`, `condition` and so on are distinguished */
    bool tests_first;
} parts;

typedef struct changed {
    size_t variable;
    bool in_body;        /* the body assigns it, not only the header */
    ht_km_value first;   /* value before the loop */
    size_t placeholder;  /* symbol of the placeholder */
    const ht_poly *step; /* added by each iteration; NULL: unknown */
} changed;

typedef struct loop_work {
    const ht_syntax *statement;
    parts of;
    changed *items;
    size_t count;
    size_t counter; /* its index among items; SIZE_MAX: none */
    size_t loop;    /* its index in the model */
    size_t symbols_before;
    ht_leaves leaves;
} loop_work;

static parts parts_of(const ht_syntax *statement) {
    ht_syntax_list at = statement->children;
    switch (statement->kind) {
    case HT_SYNTAX_FOR:
        return (parts){at[0], at[1], at[2], at[3], true, true};
    case HT_SYNTAX_WHILE:
        return (parts){NULL, at[0], NULL, at[1], true, true};
    case HT_SYNTAX_DO:
        return (parts){NULL, at[1], NULL, at[0], true, false};
    default:
        return (parts){NULL, NULL, NULL, NULL, false, true};
    }
}

/* ---- the steps of an iteration ---- */

static void run_part(ht_scan *scan, const ht_syntax *part) {
    if (part)
        ht_scan_statement(scan, part);
}

static void collect(ht_scan *scan, const ht_syntax *statement, loop_work *work) {
    size_t count;
    size_t *variables = ht_scan_assigned(scan, statement, &count);
    for (size_t i = 0; i < count; ++i) {
        HT_GROW(work->items, work->count);
        work->items[work->count++] = (changed){.variable = variables[i],
                                               .first = *ht_environment_find(scan, variables[i]),
                                               .placeholder = SIZE_MAX};
    }
    free(variables);
    variables = ht_scan_assigned(scan, work->of.body, &count);
    for (size_t i = 0; i < work->count; ++i)
        for (size_t j = 0; j < count; ++j)
            work->items[i].in_body =
                work->items[i].in_body || variables[j] == work->items[i].variable;
    free(variables);
}

static bool is_invariant(const ht_scan *scan, const loop_work *work, const ht_poly *poly);

/* Returns true if a symbol keeps its value in the loop. Those from before the loop do. */
static bool symbol_invariant(const ht_scan *scan, const loop_work *work, size_t index) {
    const ht_km_symbol *symbol = &scan->km->pool.symbols[index];
    if (index < work->symbols_before || symbol->kind <= HT_KM_ARGUMENT)
        return true;
    if (symbol->kind == HT_KM_OPAQUE || symbol->kind == HT_KM_LOOP || symbol->test)
        return false;
    for (size_t i = 0; i < 2; ++i)
        if (symbol->operands[i] && !is_invariant(scan, work, symbol->operands[i]))
            return false;
    return true;
}

static bool is_invariant(const ht_scan *scan, const loop_work *work, const ht_poly *poly) {
    for (size_t i = 0; i < poly->count; ++i)
        for (size_t j = 0; j < poly->terms[i].count; ++j)
            if (!symbol_invariant(scan, work, poly->terms[i].symbols[j]))
                return false;
    return true;
}

/* Gives a variable that begins as another one, and is set to it by each iteration, the steps of
 * that: `for (i = at; at < n; at += step, i = at)`. */
static void copy_steps(ht_scan *scan, loop_work *work) {
    for (size_t i = 0; i < work->count; ++i)
        for (size_t j = 0; j < work->count && !work->items[i].step; ++j) {
            changed *item = &work->items[i];
            const changed *other = &work->items[j];
            const ht_km_value *now = ht_environment_find(scan, item->variable),
                              *same = ht_environment_find(scan, other->variable);
            if (j != i && other->step && now && same && now->value && now->value == same->value &&
                item->first.value == other->first.value && !item->first.is_pointer &&
                !other->first.is_pointer && !now->is_pointer && !same->is_pointer)
                item->step = other->step;
        }
}

/* Walks the body with placeholders and finds the variables' steps. */
static void find_steps(ht_scan *scan, loop_work *work) {
    ht_poly_pool *pool = &scan->km->pool;
    work->symbols_before = pool->symbol_count;
    size_t loops = scan->km->loop_count; /* loops found in this trial are removed again */
    ht_environment kept = ht_environment_copy(scan);
    size_t guards = scan->guard_count;
    ++scan->dry;
    for (size_t i = 0; i < work->count; ++i) {
        ht_km_value value = work->items[i].first;
        ht_km_value fresh =
            ht_scan_opaque(scan, work->statement, HT_SCOPE_ITERATION, "placeholder");
        value.value = fresh.value;
        work->items[i].placeholder = fresh.value->terms[0].symbols[0];
        ht_environment_set(scan, work->items[i].variable, value);
    }
    run_part(scan, work->of.condition);
    work->leaves = ht_scan_statement(scan, work->of.body);
    bool skips = work->leaves.continues != NULL;
    for (int pass = 0; pass < 2; ++pass) { /* the body, then the header's increment */
        for (size_t i = 0; i < work->count; ++i) {
            changed *item = &work->items[i];
            const ht_km_value *now = ht_environment_find(scan, item->variable);
            const ht_poly *was = ht_poly_of(pool, item->placeholder);
            item->step = NULL;
            if (now && now->value && now->is_pointer == item->first.is_pointer &&
                (!now->is_pointer || now->array == item->first.array) && item->first.value)
                item->step = ht_poly_add(pool, now->value, was, -1);
            if (item->step && !is_invariant(scan, work, item->step))
                item->step = NULL;
            if (pass == 0 && skips && (item->in_body || !item->step || item->step->count))
                ht_environment_set(scan, item->variable,
                                   (ht_km_value){0}); /* changed on some paths only */
        }
        if (pass == 0)
            run_part(scan, work->of.increment);
    }
    copy_steps(scan, work);
    --scan->dry;
    scan->km->loop_count = loops;
    scan->guard_count = guards;
    ht_environment_free(&scan->environment);
    scan->environment = kept;
}

/* ---- the counter ---- */

static void find_counter(loop_work *work) {
    work->counter = SIZE_MAX;
    for (int strict = 1; strict >= 0 && work->counter == SIZE_MAX; --strict)
        for (size_t i = 0; i < work->count && work->counter == SIZE_MAX; ++i) {
            const changed *item = &work->items[i];
            if (item->step && item->step->count && !item->first.is_pointer &&
                ht_syntax_mentions(work->of.condition, item->variable) &&
                (!strict || ht_syntax_mentions(work->of.increment, item->variable)))
                work->counter = i;
        }
}

/* Returns the bound in counter < bound, from a condition that is a single comparison; NULL: it is
 * another condition. */
static const ht_poly *bound_of(ht_scan *scan, const ht_km_test *test, const ht_poly *counter,
                               bool down) {
    ht_poly_pool *pool = &scan->km->pool;
    if (test->kind != HT_TEST_NOT_NEGATIVE)
        return NULL;
    /* value = bound - counter - 1, or counter - bound - 1 */
    const ht_poly *bound = ht_poly_add(pool, test->value, counter, down ? -1 : 1);
    bound = ht_poly_plus(pool, bound, 1);
    return down ? ht_poly_negate(pool, bound) : bound;
}

/* Returns counter != bound as counter < bound (or >), if the step is one either way, so that the
 * loop ends there. */
static const ht_km_test *ends_at(ht_scan *scan, const ht_km_test *test, size_t symbol,
                                 int64_t step) {
    ht_poly_pool *pool = &scan->km->pool;
    if (test->kind != HT_TEST_NOT_ZERO || (step != 1 && step != -1))
        return test;
    int64_t factor = 0;
    for (size_t i = 0; i < test->value->count; ++i)
        if (test->value->terms[i].count == 1 && test->value->terms[i].symbols[0] == symbol)
            factor = test->value->terms[i].coefficient;
    if (factor != 1 && factor != -1)
        return test;
    /* the value rises (falls) by one each time, and is below (above) zero until then */
    const ht_poly *left = ht_poly_add(pool, ht_poly_constant(pool, -1), test->value, -factor);
    return left ? ht_test_value(scan, HT_TEST_NOT_NEGATIVE, left) : test;
}

static size_t loop_new(ht_scan *scan, loop_work *work, const ht_syntax *statement) {
    ht_kernel_model *km = scan->km;
    ht_km_loop loop = {.place = ht_scan_where(scan, statement->at),
                       .from = statement,
                       .node = ht_syntax_in_body(statement),
                       .leaves = work->leaves.returns || work->leaves.breaks,
                       .condition = ht_test_plain(scan, HT_TEST_TRUE)};
    const changed *counter = work->counter < work->count ? &work->items[work->counter] : NULL;
    int64_t step;
    const char *name = counter ? scan->tree->variables[counter->variable].name : "";
    bool plain = counter && ht_poly_is_constant(counter->step, &step);
    bool same = plain && step == 1 && ht_poly_is_constant(counter->first.value, &step) && step == 0;
    ht_km_symbol symbol = {
        .kind = HT_KM_LOOP, .scope = HT_SCOPE_ITERATION, .line = loop.place.line};
    symbol.name = !counter ? ht_format("{iteration of line %d}", loop.place.line)
                  : same   ? ht_strdup(name)
                  : plain  ? ht_format("%s'", name)
                           : ht_format("%s''", name);
    symbol.loop = km->loop_count;
    loop.symbol = ht_poly_symbol(&km->pool, &symbol);
    loop.counter = ht_poly_pool_keep(&km->pool, ht_strdup(name));
    loop.first = counter ? counter->first.value : NULL;
    loop.step = counter ? counter->step : NULL;
    loop.normal = counter && work->of.tests_first;
    loop.problem = loop.normal             ? NULL
                   : !work->of.known       ? "its parts cannot be distinguished"
                   : !work->of.tests_first ? "it tests after its body"
                   : work->count ? "no variable that it tests moves by the same step each time"
                                 : "it tests nothing that it changes";
    free(symbol.name);
    HT_GROW(km->loops, km->loop_count);
    km->loops[km->loop_count] = loop;
    return km->loop_count++;
}

/* ---- values inside and after the loop ---- */

/* Returns a changed variable's value after `times` iterations: a multiple of the loop's symbol. */
static ht_km_value value_at(ht_scan *scan, const loop_work *work, const changed *item,
                            const ht_poly *times, const ht_syntax *at) {
    const changed *counter = work->counter < work->count ? &work->items[work->counter] : NULL;
    int64_t constant;
    ht_km_value value = item->first;
    const ht_poly *gain = NULL;
    bool by_steps = counter && !ht_poly_is_constant(counter->step, &constant);
    if (item->step && item->step->count == 0)
        return value;
    if (item->step && by_steps && item->step == counter->step)
        gain = times; /* the symbol already is a multiple of the step */
    else if (item->step && !by_steps)
        gain = ht_scan_times(scan, at, item->step, times);
    if (gain && value.value) {
        value.value = ht_scan_sum(scan, at, value.value, gain, 1);
        return value;
    }
    if (value.is_pointer && value.array == SIZE_MAX)
        return value;
    value.value = ht_scan_changed(scan, item->variable, at, "changed in a loop").value;
    return value;
}

/* Returns the number of iterations; NULL: unknown. A bound that arguments give is taken not to be
 * below the loop's start. */
static const ht_poly *trips(ht_scan *scan, const ht_km_loop *loop, const ht_syntax *at) {
    ht_poly_pool *pool = &scan->km->pool;
    int64_t step;
    if (!loop->normal || !loop->bound || loop->leaves || !ht_poly_is_constant(loop->step, &step))
        return NULL;
    const ht_poly *gap = ht_poly_add(pool, loop->bound, loop->first, -1);
    if (!gap || (step != 1 && step != -1))
        return NULL;
    if (step < 0)
        gap = ht_poly_negate(pool, gap);
    if (!gap || ht_poly_scope(pool, gap) == HT_SCOPE_LAUNCH)
        return gap;
    return ht_scan_derived(scan, at, HT_KM_MAX, gap, ht_poly_constant(pool, 0), NULL).value;
}

static void set_values(ht_scan *scan, const loop_work *work, const ht_poly *times,
                       const ht_syntax *at) {
    for (size_t i = 0; i < work->count; ++i)
        ht_environment_set(scan, work->items[i].variable,
                           times ? value_at(scan, work, &work->items[i], times, at)
                                 : (ht_km_value){0});
}

static ht_leaves run_normal(ht_scan *scan, loop_work *work, const ht_syntax *statement) {
    work->loop = loop_new(scan, work, statement);
    ht_poly_pool *pool = &scan->km->pool;
    const ht_poly *symbol = ht_poly_of(pool, scan->km->loops[work->loop].symbol);
    size_t guards = scan->guard_count;
    set_values(scan, work, symbol, statement);
    scan->loops[scan->loop_count++] = work->loop;
    if (work->of.condition && work->of.tests_first) {
        const ht_km_test *test = ht_scan_test(scan, work->of.condition);
        ht_km_loop *loop = &scan->km->loops[work->loop];
        loop->condition = test;
        if (work->counter < work->count) {
            const ht_km_value *now = ht_environment_find(scan, work->items[work->counter].variable);
            int64_t step;
            bool constant = ht_poly_is_constant(loop->step, &step), down = constant && step < 0;
            if (constant && now && now->value)
                test = loop->condition = ends_at(scan, test, loop->symbol, step);
            loop->bound = now && now->value ? bound_of(scan, test, now->value, down) : NULL;
            if (loop->bound && ht_poly_mentions(loop->bound, loop->symbol))
                loop->bound = NULL;
        }
    }
    ht_leaves inner = ht_scan_statement(scan, work->of.body);
    run_part(scan, work->of.increment);
    if (!work->of.tests_first)
        run_part(scan, work->of.condition);
    --scan->loop_count;
    scan->guard_count = guards;
    const ht_poly *times = trips(scan, &scan->km->loops[work->loop], statement);
    if (times)
        set_values(scan, work, times, statement);
    else
        for (size_t i = 0; i < work->count; ++i) /* the iteration that leaves may change any */
            if (inner.breaks || !work->items[i].step || work->items[i].step->count)
                ht_scan_forget(scan, &work->items[i].variable, 1, statement);
    const ht_km_test *unknown = NULL;
    if (inner.returns)
        unknown = ht_test_unknown(scan, ht_test_scope(pool, inner.returns),
                                  "a 'return' inside of a loop", statement);
    return (ht_leaves){.returns = unknown};
}

/* Walks a loop of unknown form: everything inside may run, any number of times. */
static ht_leaves run_unknown(ht_scan *scan, loop_work *work, const ht_syntax *statement) {
    size_t count;
    size_t *assigned = ht_scan_assigned(scan, statement, &count);
    ht_scan_forget(scan, assigned, count, statement);
    work->loop = loop_new(scan, work, statement);
    scan->loops[scan->loop_count++] = work->loop;
    const ht_km_test *returns = NULL;
    for (size_t i = 0; i < statement->count; ++i)
        if (statement->children[i]->kind != HT_SYNTAX_VARIABLE) {
            ht_leaves one = ht_scan_statement(scan, statement->children[i]);
            returns = returns ? returns : one.returns;
        }
    --scan->loop_count;
    ht_scan_forget(scan, assigned, count, statement);
    free(assigned);
    return (ht_leaves){.returns = returns
                                      ? ht_test_unknown(scan, HT_SCOPE_THREAD,
                                                        "a 'return' inside of a loop", statement)
                                      : NULL};
}

ht_leaves ht_scan_loop(ht_scan *scan, const ht_syntax *statement) {
    loop_work work = {.statement = statement, .of = parts_of(statement), .counter = SIZE_MAX};
    ht_leaves leaves = {0};
    if (scan->loop_count == HT_SCAN_NEST_MAX) {
        ht_scan_incomplete(scan, statement, "loops are nested too deep");
        return leaves;
    }
    if (!work.of.known)
        return run_unknown(scan, &work, statement);
    run_part(scan, work.of.init);
    collect(scan, statement, &work);
    find_steps(scan, &work);
    find_counter(&work);
    leaves = run_normal(scan, &work, statement);
    free(work.items);
    return leaves;
}
