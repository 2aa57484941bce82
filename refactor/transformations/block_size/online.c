#include "refactor/transformations/block_size/online.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/block_size/lanes.h"

#include <stdlib.h>
#include <string.h>

int ht_exponential_base(const char *name) {
    static const char *const natural[] = {"expf", "exp", "__expf", "__builtin_expf", NULL};
    static const char *const binary[] = {"exp2f", "exp2", "__builtin_exp2f",
                                         "__builtin_amdgcn_exp2f", NULL};
    return ht_text_is_one(name, natural) ? 1 : ht_text_is_one(name, binary) ? 2 : 0;
}

/* ---- values of one iteration ---- */

/* Values from before the iteration, and its own. */
enum { OLD = 1, NEW = 2, BOTH = OLD | NEW };

typedef enum kind {
    UNKNOWN, /* made of the variables in some way */
    OTHER,   /* has nothing to do with them */
    ONE,
    MAXIMUM,    /* of `of` */
    DIFFERENCE, /* the maximum of `of` less that of `against` */
    FACTOR,     /* the exponential of that */
    SUM         /* of exponentials of `of`, less the maximum of `against` */
} kind;

typedef struct value {
    kind kind;
    int of, against;
} value;

/* The larger one of the new value and the old maximum, in a way that an `if` takes. */
typedef enum order { ANY, NEW_IS_MOST, OLD_IS_MOST } order;

typedef struct iteration {
    const ht_syntax *loop;
    size_t maximum, sum, element; /* variables */
    value *values;                /* by variable; owned */
    size_t count;
    order order;
    const char *exponential;
    bool bad;
} iteration;

static const value unknown = {UNKNOWN, 0, 0};

/* The set whose maximum is the same: of both, one is known to be it. */
static int settle(const iteration *in, int set) {
    int most = in->order == NEW_IS_MOST ? NEW : OLD;
    return in->order != ANY && (set & most) ? most : set;
}

static bool are_same(const iteration *in, const value *a, const value *b) {
    bool sum = a->kind == SUM;
    return a->kind == b->kind && (sum ? a->of == b->of : settle(in, a->of) == settle(in, b->of)) &&
           settle(in, a->against) == settle(in, b->against);
}

static value add(const iteration *in, value a, value b) {
    value sum = a.kind == SUM ? a : b, other = a.kind == SUM ? b : a;
    if (sum.kind != SUM)
        return unknown;
    int of = other.kind == ONE ? NEW : other.of; /* the exponential of the new less itself */
    int against = other.kind == ONE ? settle(in, NEW) : settle(in, other.against);
    if ((other.kind != ONE && other.kind != FACTOR) || of != NEW || (sum.of & NEW) ||
        against != settle(in, sum.against))
        return unknown;
    return (value){SUM, sum.of | NEW, sum.against};
}

static value multiply(const iteration *in, value a, value b) {
    value sum = a.kind == SUM ? a : b, factor = a.kind == SUM ? b : a;
    if (sum.kind == SUM && factor.kind == ONE)
        return sum;
    if (sum.kind != SUM || factor.kind != FACTOR ||
        settle(in, factor.of) != settle(in, sum.against))
        return unknown;
    sum.against = factor.against;
    return sum;
}

static bool names_them(const iteration *in, const ht_syntax *node) {
    for (size_t v = 0; v < in->count; ++v)
        if (in->values[v].kind != OTHER && ht_syntax_mentions(node, v))
            return true;
    return false;
}

/* Returns true if it depends on the variables other than by what is new. */
static bool depends(const iteration *in, const ht_syntax *node) {
    for (size_t v = 0; v < in->count; ++v)
        if (in->values[v].kind != OTHER && v != in->element && ht_syntax_mentions(node, v))
            return true;
    return false;
}

static value evaluate(iteration *in, const ht_syntax *node);

static value evaluate_call(iteration *in, const ht_syntax *node) {
    const char *name = node->call->name;
    if (node->call->of_user)
        return unknown;
    if (node->op == 2 && ht_combine_of_call(name) == HT_COMBINE_MAX) {
        value a = evaluate(in, node->children[0]), b = evaluate(in, node->children[1]);
        return a.kind == MAXIMUM && b.kind == MAXIMUM ? (value){MAXIMUM, a.of | b.of, 0} : unknown;
    }
    if (node->op == 1 && ht_exponential_base(name)) {
        value a = evaluate(in, node->children[0]);
        bool same =
            !in->exponential || ht_exponential_base(in->exponential) == ht_exponential_base(name);
        in->exponential = in->exponential ? in->exponential : name;
        return a.kind == DIFFERENCE && same ? (value){FACTOR, a.of, a.against} : unknown;
    }
    if (node->op == 3 && (strcmp(name, "fmaf") == 0 || strcmp(name, "fma") == 0))
        return add(in,
                   multiply(in, evaluate(in, node->children[0]), evaluate(in, node->children[1])),
                   evaluate(in, node->children[2]));
    return unknown;
}

/* Returns which of two is known to be the larger where the condition holds. */
static order order_of(iteration *in, const ht_syntax *condition) {
    const ht_syntax *left, *right;
    int op;
    if (!ht_syntax_binary(condition, &op, &left, &right))
        return ANY;
    bool above = op == HT_BINARY_GT || op == HT_BINARY_GE;
    if (!above && op != HT_BINARY_LT && op != HT_BINARY_LE)
        return ANY;
    value a = evaluate(in, above ? left : right), b = evaluate(in, above ? right : left);
    if (a.kind != MAXIMUM || b.kind != MAXIMUM)
        return ANY;
    return a.of == NEW && b.of == OLD   ? NEW_IS_MOST
           : a.of == OLD && b.of == NEW ? OLD_IS_MOST
                                        : ANY;
}

static order opposite(order of) {
    return of == NEW_IS_MOST ? OLD_IS_MOST : NEW_IS_MOST;
}

/* Returns what a value is whichever way was taken. */
static value join(iteration *in, order then, value a, value b) {
    static const value wholes[] = {{MAXIMUM, BOTH, 0}, {SUM, BOTH, BOTH}, {SUM, OLD, BOTH}};
    order before = in->order;
    value joined = a.kind == OTHER && b.kind == OTHER ? a : unknown;
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; ++i) {
        in->order = then;
        bool same = are_same(in, &a, &wholes[i]);
        in->order = opposite(then);
        if (same && are_same(in, &b, &wholes[i]))
            joined = wholes[i];
    }
    in->order = before;
    if (joined.kind == UNKNOWN && a.kind == b.kind && a.of == b.of && a.against == b.against)
        joined = a;
    return joined;
}

static value evaluate_choice(iteration *in, const ht_syntax *node) {
    order then = order_of(in, node->children[0]), before = in->order;
    if (then == ANY || before != ANY)
        return unknown;
    in->order = then;
    value a = evaluate(in, node->children[1]);
    in->order = opposite(then);
    value b = evaluate(in, node->children[2]);
    in->order = before;
    return join(in, then, a, b);
}

static value evaluate(iteration *in, const ht_syntax *node) {
    const ht_syntax *at = ht_syntax_strip_implicit(node), *left, *right;
    int op;
    if (!names_them(in, at)) {
        bool one = ht_syntax_is_literal(at) && ht_syntax_literal(at) == 1;
        return one ? (value){ONE, 0, 0} : (value){OTHER, 0, 0};
    }
    if (at->kind == HT_SYNTAX_NAME)
        return in->values[at->variable];
    if (at->kind == HT_SYNTAX_CALL)
        return evaluate_call(in, at);
    if (at->kind == HT_SYNTAX_CONDITIONAL)
        return evaluate_choice(in, at);
    if (at->kind != HT_SYNTAX_BINARY || !ht_syntax_binary(at, &op, &left, &right))
        return unknown;
    value a = evaluate(in, left), b = evaluate(in, right);
    if (op == HT_BINARY_SUB && a.kind == MAXIMUM && b.kind == MAXIMUM)
        return (value){DIFFERENCE, a.of, b.of};
    return op == HT_BINARY_ADD ? add(in, a, b) : op == HT_BINARY_MUL ? multiply(in, a, b) : unknown;
}

/* ---- statements ---- */

static void run(iteration *in, const ht_syntax *statement);

static void run_if(iteration *in, const ht_syntax *statement) {
    order then = order_of(in, statement->children[0]), before = in->order;
    if (then == ANY || before != ANY || ht_syntax_has_change(statement->children[0])) {
        in->bad = true;
        return;
    }
    size_t bytes = in->count * sizeof *in->values;
    value *first = ht_alloc(in->count, sizeof *first), *start = ht_alloc(in->count, sizeof *start);
    memcpy(start, in->values, bytes);
    in->order = then;
    run(in, statement->children[1]);
    memcpy(first, in->values, bytes);
    memcpy(in->values, start, bytes);
    in->order = opposite(then);
    if (statement->children[2])
        run(in, statement->children[2]);
    in->order = before;
    for (size_t v = 0; v < in->count; ++v)
        in->values[v] = join(in, then, first[v], in->values[v]);
    free(first);
    free(start);
}

static void run_assign(iteration *in, const ht_syntax *node) {
    const ht_syntax *target = ht_syntax_strip_implicit(node->children[0]);
    const ht_syntax_variable *variable =
        target->kind == HT_SYNTAX_NAME ? ht_syntax_named(target) : NULL;
    bool own = variable && variable->is_local && !variable->rank && !variable->is_reference &&
               variable->index != in->element && variable->type == HT_TYPE_REAL;
    value right = evaluate(in, node->children[1]);
    if (!own || ht_syntax_has_change(node->children[1])) {
        in->bad = true;
        return;
    }
    value *of = &in->values[variable->index];
    *of = node->op == HT_BINARY_ASSIGN       ? right
          : node->op == HT_BINARY_ADD_ASSIGN ? add(in, *of, right)
          : node->op == HT_BINARY_MUL_ASSIGN ? multiply(in, *of, right)
                                             : unknown;
}

static void run_declaration(iteration *in, const ht_syntax *statement) {
    for (size_t i = 0; i < statement->count; ++i) {
        const ht_syntax *node = statement->children[i];
        const ht_syntax_variable *variable =
            node->kind == HT_SYNTAX_VARIABLE ? ht_syntax_named(node) : NULL;
        if (!variable || !node->count || !depends(in, node->children[0]))
            continue;
        in->bad |= variable->rank > 0 || variable->is_reference || variable->index == in->element ||
                   ht_syntax_has_change(node->children[0]);
        in->values[variable->index] = evaluate(in, node->children[0]);
    }
}

static void run(iteration *in, const ht_syntax *statement) {
    const ht_syntax *bare =
        ht_syntax_is_expression(statement) ? ht_syntax_strip_implicit(statement) : statement;
    if (in->bad || !depends(in, statement))
        return;
    if (statement->kind == HT_SYNTAX_COMPOUND)
        for (size_t i = 0; i < statement->count; ++i)
            run(in, statement->children[i]);
    else if (statement->kind == HT_SYNTAX_DECLARATION)
        run_declaration(in, statement);
    else if (statement->kind == HT_SYNTAX_IF)
        run_if(in, statement);
    else if (bare->kind == HT_SYNTAX_ASSIGN)
        run_assign(in, bare);
    else
        in->bad = true;
}

/* ---- the loop ---- */

static bool is_carried(const ht_syntax *loop, const ht_syntax_variable *variable) {
    return variable->is_local && variable->type == HT_TYPE_REAL && !variable->rank &&
           !variable->is_shared && !variable->is_reference && variable->declaration &&
           !ht_syntax_within(variable->declaration, loop) &&
           ht_syntax_mentions(ht_syntax_body(loop), variable->index);
}

/* Returns true for a number that an iteration declares and keeps. */
static bool is_element(const ht_syntax *loop, const ht_syntax_variable *variable) {
    return variable->type == HT_TYPE_REAL && variable->declaration && ht_syntax_kept(variable) &&
           ht_syntax_within(variable->declaration, ht_syntax_body(loop));
}

static bool holds(iteration *in) {
    memset(in->values, 0, in->count * sizeof *in->values);
    for (size_t v = 0; v < in->count; ++v)
        in->values[v].kind = OTHER;
    in->values[in->maximum] = (value){MAXIMUM, OLD, 0};
    in->values[in->sum] = (value){SUM, OLD, OLD};
    in->values[in->element] = (value){MAXIMUM, NEW, 0};
    in->order = ANY;
    in->exponential = NULL;
    in->bad = false;
    run(in, ht_syntax_body(in->loop));
    const value most = {MAXIMUM, BOTH, 0}, whole = {SUM, BOTH, BOTH};
    return !in->bad && in->exponential && are_same(in, &in->values[in->maximum], &most) &&
           are_same(in, &in->values[in->sum], &whole);
}

bool ht_online_read(const ht_syntax *loop, ht_online *out) {
    const ht_syntax_tree *tree = loop->tree;
    iteration in = {.loop = loop, .count = tree->variable_count};
    in.values = ht_alloc(in.count + 1, sizeof *in.values);
    bool found = false;
    for (size_t m = 0; m < in.count && !found; ++m)
        for (size_t s = 0; s < in.count && !found && is_carried(loop, &tree->variables[m]); ++s)
            for (size_t e = 0;
                 e < in.count && !found && s != m && is_carried(loop, &tree->variables[s]); ++e) {
                in.maximum = m;
                in.sum = s;
                in.element = e;
                found = is_element(loop, &tree->variables[e]) && holds(&in);
            }
    free(in.values);
    if (found)
        *out = (ht_online){in.maximum, in.sum, in.exponential};
    return found;
}
