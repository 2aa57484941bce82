/* Which expressions keep their values, how loops' headers are read, and which texts are the same.
 */
#include "syntax_support.h"

#include "refactor/kernel/loops.h"
#include "refactor/kernel/steady.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/source/operators.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ht_syntax_variable *variable_of(const syntax_kernel *of, const char *name) {
    size_t i = 0;
    while (i < of->tree->variable_count && strcmp(of->tree->variables[i].name, name) != 0)
        ++i;
    cr_assert_lt(i, of->tree->variable_count, "no variable %s", name);
    return &of->tree->variables[i];
}

/* ---- values ---- */

/* Asks for EXPR of `body`, which declares `int asked = EXPR;`. `inside`: while it is computed. */
static bool is_steady(const char *body, ht_steady asked, bool inside) {
    syntax_kernel of = syntax_read("__device__ int shared_by_all;\n", body);
    const ht_syntax_variable *variable = variable_of(&of, "asked");
    asked.at = inside ? variable->declaration : NULL;
    bool steady = ht_syntax_is_steady(ht_syntax_initializer(variable), &asked);
    syntax_forget(&of);
    return steady;
}

static bool stays(const char *body) {
    return is_steady(body, (ht_steady){0}, false);
}

Test(steady, sums_of_arguments_constants_and_indices_stay) {
    cr_expect(stays("int asked = n * 2 + (int)threadIdx.x;"));
    cr_expect(stays("const int a = n + 1; int asked = a > 3 ? -a : (a);"));
    cr_expect(stays("int asked = shared_by_all + 1;"));
}

Test(steady, memory_calls_changes_and_what_is_changed_do_not) {
    cr_expect(!stays("int asked = (int)p[n];"));
    cr_expect(!stays("int asked = (int)*p;"));
    cr_expect(!stays("struct row { int n; }; int asked = ((row *)p)->n;"));
    cr_expect(!stays("int asked = min(n, 4);"));
    cr_expect(!stays("int asked = n++;"));
    cr_expect(!stays("int a = 3; int asked = a; a = n;"));
    cr_expect(!stays("int a = 3; int &other = a; int asked = other; a = n;"));
    cr_expect(!stays("int a[2] = {1, 2}; int asked = a[1];"));
}

Test(steady, a_counter_stays_in_the_body_of_its_loop_only) {
    static const char loop[] = "for (int i = 0; i < n; ++i) { int asked = i + 1; p[i] = asked; }";
    cr_expect(!stays(loop));
    cr_expect(is_steady(loop, (ht_steady){0}, true));
    cr_expect(!is_steady("int i = 0; while (i < n) { int asked = i; p[asked] = 0; ++i; }",
                         (ht_steady){0}, true));
}

Test(steady, what_is_computed_anew_must_be_made_of_what_stays) {
    static const char read[] = "const int a = (int)p[0]; int asked = a;";
    static const char sum[] = "const int a = n + 1; int asked = a;";
    cr_expect(stays(read));
    cr_expect(!is_steady(read, (ht_steady){.anew = true}, false));
    cr_expect(is_steady(sum, (ht_steady){.anew = true}, false));
    cr_expect(!is_steady("int a; int asked = a;", (ht_steady){.anew = true}, false));
}

Test(steady, values_of_a_whole_launch_are_made_of_arguments_and_constants) {
    const ht_steady common = {.anew = true, .common = true};
    cr_expect(is_steady("const int a = n * 3; int asked = a;", common, false));
    cr_expect(!is_steady("int asked = (int)threadIdx.x;", common, false));
    cr_expect(!is_steady("const int a = blockIdx.x; int asked = a;", common, false));
    cr_expect(!is_steady("int asked = shared_by_all;", common, false));
}

static bool is_not_n(const ht_syntax_variable *variable, const void *context) {
    (void)context;
    return strcmp(variable->name, "n") != 0;
}

Test(steady, those_who_ask_allow_calls_and_refuse_variables) {
    cr_expect(is_steady("int asked = min(n, 4);", (ht_steady){.calls = true}, false));
    cr_expect(!is_steady("int asked = atomicAdd((int *)p, n);", (ht_steady){.calls = true}, false));
    cr_expect(!is_steady("int asked = n;", (ht_steady){.keeps = is_not_n}, false));
    cr_expect(is_steady("int asked = 4;", (ht_steady){.keeps = is_not_n}, false));
}

/* ---- headers ---- */

/* Reads how the loop `for (int i = 0; CONDITION; STEP)` moves i: "+1", "-n"; "": not known. */
static const char *moves(const char *step) {
    static char text[64];
    char body[256];
    snprintf(body, sizeof body, "for (int i = 0, k = 0; i < 9; %s) p[i + k] = 0;", step);
    syntax_kernel of = syntax_read("", body);
    const ht_syntax *loop = syntax_first(of.tree, HT_SYNTAX_FOR);
    ht_loop_step found;
    *text = '\0';
    cr_expect_eq(ht_loop_declared(loop), variable_of(&of, "i"));
    cr_expect_null(ht_loop_counter(loop), "it declares another one");
    if (ht_loop_step_read(loop->children[2], variable_of(&of, "i"), &found)) {
        char *by = found.by ? ht_syntax_main_text(found.by) : NULL;
        snprintf(text, sizeof text, "%c%s", found.down ? '-' : '+', by ? by : "1");
        free(by);
    }
    syntax_forget(&of);
    return text;
}

Test(loops, steps_are_read_in_all_their_forms) {
    cr_expect_str_eq(moves("++i"), "+1");
    cr_expect_str_eq(moves("i--"), "-1");
    cr_expect_str_eq(moves("i += n"), "+n");
    cr_expect_str_eq(moves("i -= 2"), "-2");
    cr_expect_str_eq(moves("i = i + n"), "+n");
    cr_expect_str_eq(moves("i = n + i"), "+n");
    cr_expect_str_eq(moves("i = i - n"), "-n");
}

Test(loops, other_steps_are_not_read) {
    cr_expect_str_eq(moves("i = n - i"), "");
    cr_expect_str_eq(moves("i *= 2"), "");
    cr_expect_str_eq(moves("++k"), "");
    cr_expect_str_eq(moves("k += i"), "");
    cr_expect_str_eq(moves("i = (char)(i + 1)"), "");
}

Test(loops, a_bound_stands_on_either_side) {
    static const struct {
        const char *text;
        int op;
    } cases[] = {{"i < n", HT_BINARY_LT},  {"n > i", HT_BINARY_LT}, {"n <= i", HT_BINARY_GE},
                 {"i != n", HT_BINARY_NE}, {"p[0] < n", 0},         {"i + 1", 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        char body[128];
        snprintf(body, sizeof body, "for (int i = 0; %s; ++i) p[i] = 0;", cases[c].text);
        syntax_kernel of = syntax_read("", body);
        const ht_syntax *loop = syntax_first(of.tree, HT_SYNTAX_FOR), *bound;
        int op;
        bool found = ht_loop_bound(loop->children[1], ht_loop_counter(loop), &op, &bound);
        cr_expect_eq(found, cases[c].op != 0, "%s", cases[c].text);
        cr_expect(!found || (op == cases[c].op && ht_syntax_named(bound)->is_parameter), "%s",
                  cases[c].text);
        syntax_forget(&of);
    }
}

Test(loops, trips_are_counted_whichever_way_the_header_is_written) {
    static const char *const headers[] = {"i < 12; i += 5", "12 > i; i = i + 5", "i <= 11; i += 5"};
    for (size_t h = 0; h < sizeof headers / sizeof *headers; ++h) {
        char body[128];
        int64_t trip = 0;
        snprintf(body, sizeof body, "for (int i = 0; %s) p[i] = 0;", headers[h]);
        syntax_kernel of = syntax_read("", body);
        cr_expect(ht_syntax_trip_count(syntax_first(of.tree, HT_SYNTAX_FOR), &trip), "%s", body);
        cr_expect_eq(trip, 3, "%s", body);
        syntax_forget(&of);
    }
}

/* ---- texts ---- */

Test(texts, are_the_same_but_for_white_space_and_comments) {
    static const struct {
        const char *one, *other;
        bool same;
    } cases[] = {{"n*2+1", "n * 2 /* twice */ + 1", true},
                 {"n - -1", "n-(-1)", false},
                 {"n + 1", "n + 11", false},
                 {"n + 1", "n", false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        char body[160];
        snprintf(body, sizeof body, "int a = %s; int b = %s; p[a] = b;", cases[c].one,
                 cases[c].other);
        syntax_kernel of = syntax_read("", body);
        const ht_syntax *a = ht_syntax_initializer(variable_of(&of, "a"));
        const ht_syntax *b = ht_syntax_initializer(variable_of(&of, "b"));
        cr_expect_eq(ht_syntax_is_same_text(a, b), cases[c].same, "%s", body);
        syntax_forget(&of);
    }
}
