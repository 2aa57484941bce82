#include "support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const ht_device_fields test_device = {.max_threads = 1024,
                                      .max_block_x = 1024,
                                      .max_block_y = 1024,
                                      .max_block_z = 64,
                                      .max_grid_x = 2147483647,
                                      .max_grid_y = 65535,
                                      .max_grid_z = 65535,
                                      .max_static_lds = 65536,
                                      .max_dynamic_lds = 65536,
                                      .lds_per_unit = 65536,
                                      .wavefront = 64,
                                      .units = 104,
                                      .registers = 256};

ht_template *test_template(const char *text) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_error error;
    ht_status status = ht_template_parse(text, "test.hip", &templates, &count, &error);
    cr_assert_eq(status, HT_OK, "%d:%d: %s\n%s", error.line, error.column, error.message, text);
    cr_assert_eq(count, 1);
    return templates;
}

ht_expr *test_expr(const char *text) {
    ht_expr *expr = NULL;
    ht_error error;
    ht_status status = ht_expr_parse(text, (ht_place){"test", 1, 1}, &expr, &error);
    cr_assert_eq(status, HT_OK, "%s: %d:%d: %s", text, error.line, error.column, error.message);
    return expr;
}

static unsigned below(ht_random *random, unsigned bound) {
    return (unsigned)ht_random_below(random, bound);
}

static const char *pick(ht_random *random, const char *const *words, size_t count) {
    return words[below(random, (unsigned)count)];
}
#define PICK(random, words) pick(random, words, sizeof(words) / sizeof *(words))

void test_generate_expr(ht_random *random, int depth, const char *const *names, size_t count,
                        ht_text *out) {
    static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"};
    static const char *const sums[] = {"+", "-", "|", "&", "^"};
    unsigned kind = depth ? below(random, 8) : below(random, 2);
    if (kind < 2) {
        if (kind || !count)
            ht_text_printf(out, "%u", below(random, 40));
        else
            ht_text_append(out, pick(random, names, count));
        return;
    }
    static const char *const before[] = {"(", "(", "min(", "max(", "(", "abs("};
    ht_text_append(out, before[kind - 2]);
    test_generate_expr(random, depth - 1, names, count, out);
    if (kind == 2)
        ht_text_printf(out, " %s ", PICK(random, comparisons));
    else if (kind == 3)
        ht_text_printf(out, " %s ", PICK(random, sums));
    else if (kind == 6) /* dividing by what is never 0 */
        ht_text_printf(out, below(random, 2) ? " %% " : " / ");
    else if (kind < 6)
        ht_text_append(out, ",");
    if (kind == 6)
        ht_text_printf(out, "%u", 1 + below(random, 9));
    else if (kind < 6)
        test_generate_expr(random, depth - 1, names, count, out);
    ht_text_append(out, ")");
}

/* The generator's results so far: names that expressions may use. */
typedef struct maker {
    ht_random *random;
    ht_text out;
    const char *names[32];
    size_t name_count;
    bool types; /* parameter TYPE exists */
} maker;

static void directive(maker *m) {
    static const char *const starts[] = {"#pragma tune ", "  #  pragma   tune  ",
                                         "/* before */ #pragma tune ", "#pragma tune \\\n   "};
    ht_text_append(&m->out, PICK(m->random, starts));
}

static void line_end(maker *m) {
    static const char *const ends[] = {
        "\n", " // #pragma tune nonsense(\n", " /* in\n two lines */\n",
        "\nint filler_\\\nline = 1'000; // don't\n", "\nconst char *text = \"#pragma tune x(\";\n"};
    ht_text_append(&m->out, PICK(m->random, ends));
}

static void expr(maker *m, int depth) {
    test_generate_expr(m->random, depth, m->names, m->name_count, &m->out);
}

static void make_params(maker *m) {
    static const char *const integers[] = {"param(A : 1, 2, 4 = 2)", "param(A : 1..3 = 1)",
                                           "param(A : pow2(2, 16), 3 = 3)", "param(A: -2..2:2=0)",
                                           "param(A : 0x10, 0b11 = 3)"};
    static const char *const booleans[] = {"param(B : false, true = true)",
                                           "param(B : true = true)"};
    static const char *const enumerations[] = {"param(E : ROWS, COLUMNS, BOTH = COLUMNS)"};
    static const char *const types[] = {"param(TYPE : type float, double = double)",
                                        "param(TYPE : type float , unsigned  int,__half = float)"};
    directive(m);
    ht_text_append(&m->out, PICK(m->random, integers));
    line_end(m);
    directive(m);
    ht_text_append(&m->out, PICK(m->random, booleans));
    line_end(m);
    m->names[m->name_count++] = "A";
    m->names[m->name_count++] = "B";
    if (below(m->random, 2)) {
        directive(m);
        ht_text_append(&m->out, PICK(m->random, enumerations));
        line_end(m);
        m->names[m->name_count++] = "E";
        m->names[m->name_count++] = "COLUMNS";
    }
    if (below(m->random, 2)) {
        directive(m);
        ht_text_append(&m->out, PICK(m->random, types));
        line_end(m);
        m->names[m->name_count++] = "sizeof(TYPE)";
        m->types = true;
    }
}

static void make_args(maker *m) {
    static const char *const roles[] = {"in", "inout"};
    static const char *const inits[] = {"",
                                        " zero",
                                        " iota",
                                        " fill(-2.5)",
                                        " file(\"a.bin\", \"b\")",
                                        " uniform(-1, 1e-3)",
                                        " integers(-8, 8)"};
    const char *type = m->types && below(m->random, 2) ? "TYPE" : "unsigned  int";
    directive(m);
    ht_text_printf(&m->out, "arg(src : %s %s[1 + abs(", PICK(m->random, roles), type);
    expr(m, 1);
    ht_text_printf(&m->out, ")]%s)", PICK(m->random, inits));
    line_end(m);
    directive(m);
    ht_text_append(&m->out, "arg(dst : out float[problem.W]) arg(table : constant int[9] iota)");
    line_end(m);
    directive(m);
    ht_text_append(&m->out, below(m->random, 2) ? "arg(alpha : float = -0.125)"
                                                : "arg(alpha: double = 1e30f)");
    line_end(m);
    directive(m);
    ht_text_append(&m->out, "arg(size : uint2 = (problem.W, count_of + 1))");
    line_end(m);
}

static void make_launches(maker *m) {
    static const char *const calls[] = {"launch(other<A, float, 3> : dst, src)",
                                        "launch(ns::other :)", "launch(pass)"};
    unsigned launches = below(m->random, 3);
    for (unsigned i = 0; i == 0 || i < launches; ++i) {
        if (launches) {
            directive(m);
            ht_text_append(&m->out, PICK(m->random, calls));
            line_end(m);
        }
        directive(m);
        ht_text_append(&m->out, "block(1 + abs(A) , B + 1) grid(1 + abs(");
        expr(m, 2);
        ht_text_append(&m->out, ") % 100)");
        if (below(m->random, 2))
            ht_text_append(&m->out, " lds(256)");
        line_end(m);
    }
}

static void make_reference(maker *m) {
    static const char *const references[] = {
        "", "reference(conv2d : src, table, dst)", "reference(conv2d)",
        "reference(naive<float, 4> : src, dst) block(16) grid(1, 2, 3)",
        "reference(naive) block(16) grid(1) reference(other) block(4) grid(2) lds(16)"};
    static const char *const tolerances[] = {"", "tolerance(exact)", "tolerance(2.5e-5)",
                                             "tolerance(1)"};
    const char *parts[] = {PICK(m->random, references), PICK(m->random, tolerances)};
    for (size_t i = 0; i < 2; ++i) {
        if (!*parts[i])
            continue;
        directive(m);
        ht_text_append(&m->out, parts[i]);
        line_end(m);
    }
}

char *test_generate_template(ht_random *random) {
    maker m = {.random = random};
    if (below(random, 3) == 0)
        ht_text_append(&m.out, "#pragma tune unit\n");
    directive(&m);
    ht_text_append(&m.out, "kernel(pass)");
    line_end(&m);
    directive(&m);
    ht_text_append(&m.out, "problem(image : W, H = 4, n := W * H + 1)");
    line_end(&m);
    make_params(&m);
    if (below(random, 2)) {
        directive(&m);
        ht_text_append(&m.out, "from(some-step : B, A)");
        line_end(&m);
    }
    m.names[m.name_count++] = "problem.W";
    m.names[m.name_count++] = "device.wavefront";
    directive(&m);
    ht_text_append(&m.out, "arg(count_of : int = problem.n)");
    line_end(&m);
    m.names[m.name_count++] = "count_of";
    make_args(&m);
    for (unsigned i = below(random, 4); i; --i) {
        directive(&m);
        ht_text_append(&m.out, "require(");
        expr(&m, 4);
        ht_text_append(&m.out, ")");
        line_end(&m);
    }
    make_launches(&m);
    make_reference(&m);
    if (below(random, 2))
        ht_text_append(&m.out, "template <int A, bool B> __global__ void pass(ARGUMENTS);\n");
    return ht_text_take(&m.out);
}
