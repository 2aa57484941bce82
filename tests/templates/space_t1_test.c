/* Spaces of T1 files against a filter over every combination with an evaluator of its own. */
#include "support.h"

#include "base/memory.h"
#include "templates/space/space.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMS_MAX = 6, KIDS_MAX = 4 };

/* A Python expression as a tree. */
typedef struct tree {
    char op; /* 'n' number, 'p' parameter, + - * / f(//) % ^(**) < l(<=) = !, & | ~(not), i(in), m,
                M, a(abs), ?, c (chain of <=) */
    double number;
    bool real;
    int param;
    struct tree *kids[KIDS_MAX];
    int kid_count;
} tree;

typedef struct value {
    bool fails, real;
    int64_t whole;
    double number;
} value;

static tree *tree_new(char op, int kids, tree *a, tree *b, tree *c, tree *d) {
    tree *t = ht_alloc(1, sizeof *t);
    *t = (tree){.op = op, .kids = {a, b, c, d}, .kid_count = kids};
    return t;
}

static void tree_free(tree *t) {
    for (int i = 0; i < t->kid_count; ++i)
        tree_free(t->kids[i]);
    free(t);
}

static unsigned below(ht_random *random, unsigned bound) {
    return (unsigned)ht_random_below(random, bound);
}

static tree *tree_leaf(ht_random *random, int params) {
    tree *t = tree_new('p', 0, NULL, NULL, NULL, NULL);
    if (below(random, 3)) {
        t->param = (int)below(random, (unsigned)params);
        return t;
    }
    t->op = 'n';
    t->real = !below(random, 4);
    t->number = below(random, 12) + (t->real ? 0.5 * below(random, 2) : 0);
    return t;
}

static tree *tree_random(ht_random *random, int depth, int params) {
    static const char ops[] = "+-*/f%^<l=!&|~imMa?c&|<";
    if (!depth || !below(random, 6))
        return tree_leaf(random, params);
    char op = ops[below(random, sizeof ops - 1)];
    int kids = op == '~' || op == 'a' ? 1 : op == '?' || op == 'c' ? 3 : op == 'i' ? 4 : 2;
    tree *t = tree_new(op, 0, NULL, NULL, NULL, NULL);
    for (; t->kid_count < kids; ++t->kid_count)
        t->kids[t->kid_count] = tree_random(random, depth - 1, params);
    if (op == '^') { /* small known exponents */
        tree_free(t->kids[1]);
        t->kids[1] = tree_new('n', 0, NULL, NULL, NULL, NULL);
        t->kids[1]->number = below(random, 4);
    }
    return t;
}

/* Makes a tree that sees every parameter. */
static tree *tree_wide(ht_random *random, int depth, int params) {
    static const char joins[] = "+-*mM+-", tests[] = "<l=!|";
    tree *t = tree_random(random, depth, params);
    for (int p = 0; p < params; ++p) {
        tree *leaf = tree_new('p', 0, NULL, NULL, NULL, NULL);
        leaf->param = p;
        t = tree_new(joins[below(random, sizeof joins - 1)], 2, t, leaf, NULL, NULL);
    }
    return tree_new(tests[below(random, sizeof tests - 1)], 2, tree_random(random, depth, params),
                    t, NULL, NULL);
}

static void tree_print(const tree *t, ht_text *out) {
    static const char codes[] = "+-*/f%^<l=!&|";
    static const char *const words[] = {"+", "-",  "*",  "/",  "//",  "%", "**",
                                        "<", "<=", "==", "!=", "and", "or"};
    static const char *const formats[] = {"", " in [", ", ", "]", " if ", " else ", " <= "};
    const char *between = ", ", *last = ", ";
    const char *found = strchr(codes, t->op);
    if (t->op == 'n') {
        ht_text_printf(out, t->real ? "%.1f" : "%.0f", t->number);
        return;
    }
    if (t->op == 'p') {
        ht_text_printf(out, "p%d", t->param);
        return;
    }
    if (found)
        between = last = words[found - codes];
    else if (t->op == 'i')
        between = formats[1], last = formats[2];
    else if (t->op == '?')
        between = formats[4], last = formats[5];
    else if (t->op == 'c')
        between = last = formats[6];
    ht_text_append(out, t->op == 'm'   ? "min("
                        : t->op == 'M' ? "max("
                        : t->op == 'a' ? "abs("
                        : t->op == '~' ? "(not "
                                       : "(");
    for (int i = 0; i < t->kid_count; ++i) {
        if (i)
            ht_text_printf(out, " %s ", i == 1 ? between : last);
        tree_print(t->kids[i], out);
    }
    ht_text_append(out, t->op == 'i' ? "])" : ")");
}

static value whole(__int128 number) {
    if (number > INT64_MAX || number < INT64_MIN)
        return (value){.fails = true};
    return (value){.whole = (int64_t)number, .number = (double)number};
}

static value real(double number) {
    return (value){.fails = !isfinite(number), .real = true, .number = number};
}

static bool truth(value v) {
    return v.real ? v.number != 0 : v.whole != 0;
}

static int order(value a, value b) {
    if (a.real || b.real)
        return (a.number > b.number) - (a.number < b.number);
    return (a.whole > b.whole) - (a.whole < b.whole);
}

static value divide_real(char op, double a, double b) {
    if (b == 0)
        return (value){.fails = true};
    if (op == '/')
        return real(a / b);
    double rest = fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) {
        rest += b;
        quotient -= 1;
    }
    return real(op == '%' ? rest : rint(quotient));
}

static value divide_whole(char op, int64_t a, int64_t b) {
    if (b == 0)
        return (value){.fails = true};
    __int128 quotient = (__int128)a / b, rest = (__int128)a % b;
    if (rest != 0 && (rest < 0) != (b < 0)) {
        rest += b;
        --quotient;
    }
    return whole(op == '%' ? rest : quotient);
}

static value power(value a, int exponent) {
    value out = a.real ? real(1) : whole(1);
    for (int i = 0; i < exponent && !out.fails; ++i)
        out = a.real ? real(out.number * a.number) : whole((__int128)out.whole * a.whole);
    return out;
}

static value arithmetic(char op, value a, value b) {
    bool reals = a.real || b.real;
    if (op == '^')
        return power(a, (int)b.number);
    if (op == '/')
        return divide_real('/', a.number, b.number);
    if (op == 'f' || op == '%')
        return reals ? divide_real(op, a.number, b.number) : divide_whole(op, a.whole, b.whole);
    if (reals)
        return real(op == '+'   ? a.number + b.number
                    : op == '-' ? a.number - b.number
                                : a.number * b.number);
    return whole(op == '+'   ? (__int128)a.whole + b.whole
                 : op == '-' ? (__int128)a.whole - b.whole
                             : (__int128)a.whole * b.whole);
}

static value evaluate(const tree *t, const double *params);

/* Computes an operator that needs only some of its operands. */
static value choose(const tree *t, const double *params) {
    value first = evaluate(t->kids[t->op == '?' ? 1 : 0], params);
    if (first.fails)
        return first;
    if (t->op == '?')
        return evaluate(t->kids[truth(first) ? 0 : 2], params);
    if (t->op == '&' || t->op == '|')
        return truth(first) == (t->op == '&') ? evaluate(t->kids[1], params) : first;
    for (int i = 1; i < t->kid_count; ++i) {
        value next = evaluate(t->kids[i], params);
        if (next.fails)
            return next;
        if (t->op == 'i' && order(first, next) == 0)
            return whole(1);
        if (t->op == 'c' && order(first, next) > 0)
            return whole(0);
        if (t->op == 'c')
            first = next;
    }
    return whole(t->op == 'c');
}

static value evaluate(const tree *t, const double *params) {
    if (t->op == 'n')
        return t->real ? real(t->number) : whole((int64_t)t->number);
    if (t->op == 'p')
        return params[t->param] == floor(params[t->param]) && t->param != 1
                   ? whole((int64_t)params[t->param])
                   : real(params[t->param]);
    if (strchr("&|?ic", t->op))
        return choose(t, params);
    value a = evaluate(t->kids[0], params);
    if (a.fails)
        return a;
    if (t->op == '~')
        return whole(!truth(a));
    if (t->op == 'a')
        return a.real ? real(fabs(a.number)) : whole(a.whole < 0 ? -(__int128)a.whole : a.whole);
    value b = evaluate(t->kids[1], params);
    if (b.fails)
        return b;
    switch (t->op) {
    case 'm':
        return order(b, a) < 0 ? b : a;
    case 'M':
        return order(b, a) > 0 ? b : a;
    case '<':
        return whole(order(a, b) < 0);
    case 'l':
        return whole(order(a, b) <= 0);
    case '=':
        return whole(order(a, b) == 0);
    case '!':
        return whole(order(a, b) != 0);
    default:
        return arithmetic(t->op, a, b);
    }
}

/* Returns 0 for false, 1 for true, 2 for an error. The parts of `and` and of a chain count one by
 * one. */
static int verdict(const tree *t, const double *params) {
    int out = 1;
    if (t->op == '&') {
        int a = verdict(t->kids[0], params), b = verdict(t->kids[1], params);
        return !a || !b ? 0 : a == 2 ? 2 : b;
    }
    for (int i = 1; t->op == 'c' && i < t->kid_count; ++i) {
        value a = evaluate(t->kids[i - 1], params), b = evaluate(t->kids[i], params);
        if (a.fails || b.fails)
            out = 2;
        else if (order(a, b) > 0)
            return 0;
    }
    if (t->op == 'c')
        return out;
    value v = evaluate(t, params);
    return v.fails ? 2 : truth(v);
}

/* A random space with its conditions. */
typedef struct subject {
    int params, conditions;
    size_t widths[PARAMS_MAX];
    double values[PARAMS_MAX][16];
    tree *trees[4];
    char *text;
} subject;

static void subject_make(subject *s, ht_random *random, int params, size_t width, int depth) {
    ht_text text = {0};
    *s = (subject){.params = params, .conditions = 1 + (int)below(random, 3)};
    ht_text_append(&text, "{\"ConfigurationSpace\":{\"TuningParameters\":[");
    for (int p = 0; p < params; ++p) {
        s->widths[p] = width ? width : 1 + below(random, 6);
        int start = (int)below(random, 5) - 2, stride = 1 + (int)below(random, 2);
        ht_text_printf(&text, "%s{\"Name\":\"p%d\",\"Values\":\"[", p ? "," : "", p);
        for (size_t v = 0; v < s->widths[p]; ++v) {
            double number = start + stride * (int)v + (p == 1 ? 0.5 : 0);
            s->values[p][v] = number;
            ht_text_printf(&text, p == 1 ? "%s%.1f" : "%s%.0f", v ? ", " : "", number);
        }
        ht_text_append(&text, "]\"}");
    }
    ht_text_append(&text, "],\"Conditions\":[");
    for (int i = 0; i < s->conditions; ++i) {
        s->trees[i] = width ? tree_wide(random, depth, params) : tree_random(random, depth, params);
        ht_text_printf(&text, "%s{\"Expression\":\"", i ? "," : "");
        tree_print(s->trees[i], &text);
        ht_text_append(&text, "\"}");
    }
    ht_text_append(&text, "]}}");
    s->text = ht_text_take(&text);
}

static void subject_free(subject *s) {
    for (int i = 0; i < s->conditions; ++i)
        tree_free(s->trees[i]);
    free(s->text);
}

static int subject_verdict(const subject *s, const ht_config *config) {
    double params[PARAMS_MAX];
    int out = 1;
    for (int p = 0; p < s->params; ++p)
        params[p] = s->values[p][config->choice[p]];
    for (int i = 0; i < s->conditions; ++i) {
        int one = verdict(s->trees[i], params);
        if (!one)
            return 0;
        out = one == 2 ? 2 : out;
    }
    return out;
}

static bool next(const subject *s, ht_config *config) {
    for (int p = s->params; p-- > 0;) {
        if (++config->choice[p] < s->widths[p])
            return true;
        config->choice[p] = 0;
    }
    return false;
}

/* Checks neighbours one by one, in the order promised. */
static void check_neighbours(const subject *s, const ht_space *space, const ht_config *config,
                             ht_neighbourhood kind) {
    ht_config found[PARAMS_MAX * 16], near = *config;
    size_t count = ht_space_neighbours(space, config, kind, found, PARAMS_MAX * 16), expected = 0;
    for (int p = 0; p < s->params; ++p, near = *config)
        for (size_t v = 0; v < s->widths[p]; ++v) {
            size_t from = config->choice[p];
            near.choice[p] = (uint16_t)v;
            if (v == from || (kind == HT_NEIGHBOURS_ADJACENT && v + 1 != from && v != from + 1) ||
                subject_verdict(s, &near) != 1)
                continue;
            cr_assert_lt(expected, count, "%s", s->text);
            cr_assert(ht_config_equal(&found[expected], &near), "%s", s->text);
            ++expected;
        }
    cr_assert_eq(expected, count, "%s", s->text);
    cr_assert_eq(ht_space_neighbours(space, config, kind, found, 1), count);
}

static void check_space(const subject *s, const ht_space *space, bool thorough) {
    ht_config config = {.count = (uint16_t)s->params}, listed;
    uint64_t count = 0, index;
    do {
        bool legal = subject_verdict(s, &config) == 1;
        cr_assert_eq(ht_space_legal(space, &config), legal, "%s", s->text);
        cr_assert_eq(ht_space_find(space, &config, &index), legal, "%s", s->text);
        if (legal) {
            ht_config at = ht_space_at(space, count);
            cr_assert_eq(index, count, "%s", s->text);
            cr_assert(ht_config_equal(&at, &config), "%s", s->text);
            cr_assert_eq(ht_space_list(space, count, &listed, 1), 1);
            cr_assert(ht_config_equal(&listed, &config), "%s", s->text);
        }
        if (thorough) {
            check_neighbours(s, space, &config, HT_NEIGHBOURS_HAMMING);
            check_neighbours(s, space, &config, HT_NEIGHBOURS_ADJACENT);
        }
        count += legal;
    } while (next(s, &config));
    cr_assert_eq(ht_space_count(space), count, "%s", s->text);
}

/* Checks the same space as one that may not be listed. */
static void check_unlisted(const subject *s, uint64_t count, ht_random *random) {
    ht_space *space;
    cr_assert_eq(ht_space_parse_t1(s->text, "t1", 1, &space, NULL), HT_OK);
    cr_assert_eq(ht_space_listed(space), count <= 1);
    cr_assert_eq(ht_space_count(space), count);
    for (int i = 0; i < 5; ++i) {
        ht_config config = ht_space_sample(space, random);
        cr_assert_eq(subject_verdict(s, &config), 1, "%s", s->text);
    }
    ht_space_free(space);
}

/* Returns true if there is such a space. */
static bool check_subject(const subject *s, bool thorough, ht_random *random) {
    ht_config config = {.count = (uint16_t)s->params};
    bool any = false, fault = false;
    do {
        int one = subject_verdict(s, &config);
        any |= one == 1;
        fault |= one == 2;
    } while (next(s, &config));
    ht_space *space = NULL;
    ht_error error = {0};
    ht_status status = ht_space_parse_t1(s->text, "t1", 0, &space, &error);
    cr_assert_eq(status, any && !fault ? HT_OK : HT_ERROR_INPUT, "%s\n%s", s->text, error.message);
    if (fault)
        cr_assert(strstr(error.message, "cannot be evaluated"), "%s\n%s", s->text, error.message);
    else if (!any)
        cr_assert(strstr(error.message, "no configuration of the space is legal"), "%s\n%s",
                  s->text, error.message);
    if (space) {
        check_space(s, space, thorough);
        check_unlisted(s, ht_space_count(space), random);
    }
    ht_space_free(space);
    return status == HT_OK;
}

Test(space_t1, holds_what_a_filter_over_all_combinations_leaves) {
    ht_random random;
    size_t spaces = 0;
    ht_random_seed(&random, 7);
    for (int round = 0; round < 1500; ++round) {
        subject s;
        subject_make(&s, &random, 1 + (int)below(&random, 4), 0, 4);
        spaces += check_subject(&s, true, &random);
        subject_free(&s);
    }
    cr_assert(spaces > 500 && spaces < 1300, "%zu", spaces);
}

/* Constraints on too many combinations for a table of them. */
Test(space_t1, constraints_without_tables_say_the_same) {
    ht_random random;
    size_t spaces = 0;
    ht_random_seed(&random, 8);
    for (int round = 0; round < 30 && spaces < 4; ++round) {
        subject s;
        subject_make(&s, &random, 5, 11, 2);
        spaces += check_subject(&s, false, &random);
        subject_free(&s);
    }
    cr_assert_eq(spaces, 4);
}

static ht_space *large_space(int params, const char *condition) {
    ht_text text = {0};
    ht_space *space;
    ht_error error;
    ht_text_append(&text, "{\"ConfigurationSpace\":{\"TuningParameters\":[");
    for (int p = 0; p < params; ++p)
        ht_text_printf(&text, "%s{\"Name\":\"p%d\",\"Values\":\"list(range(1, 11))\"}",
                       p ? "," : "", p);
    ht_text_printf(&text, "],\"Conditions\":[{\"Expression\":\"%s\"}]}}", condition);
    cr_assert_eq(ht_space_parse_t1(text.data, "t1", 0, &space, &error), HT_OK, "%s", error.message);
    ht_text_free(&text);
    return space;
}

Test(space_t1, counts_a_sum_over_ten_to_the_twelve_combinations) {
    ht_space *space = large_space(12, "p0+p1+p2+p3+p4+p5+p6+p7+p8+p9+p10+p11 == 40");
    uint64_t ways[41] = {1}; /* by sum so far */
    for (int p = 0; p < 12; ++p)
        for (int sum = 40; sum >= 0; --sum) {
            ways[sum] = 0;
            for (int v = 1; v <= 10 && v <= sum; ++v)
                ways[sum] += ways[sum - v];
        }
    cr_assert_eq(ht_space_cartesian(space), UINT64_C(1000000000000));
    cr_assert_eq(ht_space_count(space), ways[40]);
    cr_assert_not(ht_space_listed(space));
    ht_space_free(space);
}

Test(space_t1, too_knotted_to_count_still_draws_and_steps) {
    ht_space *space =
        large_space(12, "(p0*p1+p2*p3+p4*p5+p6*p7+p8*p9+p10*p11*p0*p3*p5*p7*p9) % 101 == 5");
    ht_random random;
    ht_config near[200];
    ht_random_seed(&random, 9);
    cr_assert_eq(ht_space_count(space), UINT64_MAX);
    cr_assert_not(ht_space_listed(space));
    for (int i = 0; i < 50; ++i) {
        ht_config config = ht_space_sample(space, &random);
        cr_assert(ht_space_legal(space, &config));
        size_t count = ht_space_neighbours(space, &config, HT_NEIGHBOURS_HAMMING, near, 200);
        for (size_t j = 0; j < count; ++j)
            cr_assert(ht_space_legal(space, &near[j]));
    }
    ht_space_free(space);
}

Test(space_t1, neighbours_are_symmetric) {
    ht_space *space = large_space(3, "p0 * p1 % p2 < 2 and p0 != p1");
    for (uint64_t i = 0, index; i < ht_space_count(space); ++i) {
        ht_config config = ht_space_at(space, i), near[30], back[30];
        size_t count = ht_space_neighbours(space, &config, HT_NEIGHBOURS_ADJACENT, near, 30);
        for (size_t j = 0; j < count; ++j) {
            size_t others = ht_space_neighbours(space, &near[j], HT_NEIGHBOURS_ADJACENT, back, 30);
            bool found = false;
            for (size_t k = 0; k < others; ++k)
                found |= ht_config_equal(&back[k], &config);
            cr_assert(found && ht_space_find(space, &near[j], &index));
        }
    }
    ht_space_free(space);
}

Test(space_t1, is_sampled_uniformly) {
    ht_space *space = large_space(4, "p0 + p1 * p2 == 3 * p3");
    uint64_t count = ht_space_count(space);
    size_t *seen = ht_alloc(count, sizeof *seen);
    const size_t each = 100;
    ht_random random;
    ht_random_seed(&random, 10);
    for (size_t i = 0; i < each * count; ++i) {
        ht_config config = ht_space_sample(space, &random);
        uint64_t index;
        cr_assert(ht_space_find(space, &config, &index));
        ++seen[index];
    }
    double chi = 0, freedom = (double)count - 1;
    for (uint64_t i = 0; i < count; ++i)
        chi += ((double)seen[i] - each) * ((double)seen[i] - each) / each;
    cr_assert(chi < freedom + 4 * sqrt(2 * freedom), "chi squared %g of %g", chi, freedom);
    free(seen);
    ht_space_free(space);
}
