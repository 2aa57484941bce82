/* The syntax tree of a kernel's body: what is in it, and that all facts are built once. */
#include "syntax_support.h"

#include "refactor/kernel/loops.h"
#include "refactor/kernel/model_build.h"
#include "refactor/kernel/syntax.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/kernel_model/build.h"
#include "refactor/refactor.h"
#include "refactor/source/arguments.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The things that are built of a kernel, counted. */
typedef struct built {
    size_t parses, models, trees, whole_trees, polynomials;
} built;

static built built_so_far(void) {
    return (built){ht_source_parses(), ht_model_built(), ht_syntax_built(), ht_syntax_whole_built(),
                   ht_kernel_model_builds()};
}

/* Runs the pass over a kernel of which every transformation asks something. */
static built pass_run(const char *problem) {
    const char *path =
        syntax_put("#include <hip/hip_runtime.h>\n"
                   "__global__ void k(const float *in, float *out, int n, int m) {\n"
                   "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "  if (x >= n) return;\n"
                   "  float sum = 0;\n"
                   "  for (int i = 0; i < m; ++i)\n"
                   "    for (int j = 0; j < m; ++j) sum += in[(i * m + j) * n + x];\n"
                   "  out[x] = sum;\n"
                   "}\n"
                   "void run(const float *in, float *out, int n, int m) {\n"
                   "  k<<<(n + 63) / 64, 64>>>(in, out, n, m);\n"
                   "}\n");
    ht_problem_file *problems = NULL;
    ht_refactor *refactor;
    ht_error error = {0};
    if (problem)
        cr_assert_eq(ht_problem_file_parse(problem, "problems", &problems, &error), HT_OK, "%s",
                     error.message);
    built before = built_so_far();
    cr_assert_eq(ht_refactor_file(path, problems, NULL, &refactor, &error), HT_OK, "%s",
                 error.message);
    built after = built_so_far();
    cr_assert_eq(ht_refactor_kernel_count(refactor), 1);
    const ht_kernel *made = ht_refactor_kernel(refactor, 0);
    cr_expect_eq(made->problem, problem ? HT_PROBLEM_GIVEN : HT_PROBLEM_INFERRED);
    cr_expect_not_null(made->template);
    const char *askers[] = {"COARSEN_X", "ORDER_I", "TILED"}; /* of which each asks for the tree */
    for (size_t i = 0; i < 3; ++i) {
        bool offered = false;
        for (size_t k = 0; k < made->remark_count; ++k)
            offered |= strstr(made->remarks[k].message, askers[i]) != NULL;
        cr_expect(offered, "%s", askers[i]);
    }
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    unlink(path);
    return (built){after.parses - before.parses, after.models - before.models,
                   after.trees - before.trees, after.whole_trees - before.whole_trees,
                   after.polynomials - before.polynomials};
}

static void expect_once(built of) {
    cr_expect_eq(of.parses, 2, "%zu: the source and its template", of.parses);
    cr_expect_eq(of.models, 1, "%zu", of.models);
    cr_expect_eq(of.trees, 1, "%zu", of.trees);
    cr_expect_eq(of.whole_trees, 1, "%zu", of.whole_trees);
    cr_expect_eq(of.polynomials, 1, "%zu", of.polynomials);
}

Test(syntax, the_pass_builds_each_fact_of_a_kernel_once_for_all_that_ask) {
    expect_once(pass_run(NULL));
    expect_once(pass_run(
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\","
        " \"problem\": \"sum : n, m = 3\", \"args\": ["
        "\"in : in float[problem.n * problem.m * problem.m]\", \"out : out float[problem.n]\","
        " \"n : int = problem.n\", \"m : int = problem.m\"],"
        " \"instances\": [{\"name\": \"a\", \"fields\": {\"n\": 1000, \"m\": 3}}]}]}"));
}

Test(syntax, what_is_not_analysed_is_a_node_of_its_own_with_its_parts_below) {
    syntax_kernel of =
        syntax_read("", "if (n > 0) goto end;\np[0] = [&] { return p[1]; }();\nend: p[n] = 2;");
    ht_position at;
    const char *why = ht_syntax_unknown(of.tree, false, &at);
    cr_assert_not_null(why);
    cr_expect_str_eq(why, "a goto or a label"); /* the first in the order of the source */
    cr_expect_eq(at.line, 3);
    const ht_syntax *lambda = syntax_first(of.tree, HT_SYNTAX_UNKNOWN);
    cr_assert_not_null(lambda);
    cr_expect(ht_syntax_is_expression(lambda) && ht_syntax_is_risky(lambda));
    const ht_syntax *label = of.tree->body->children[2];
    cr_expect_eq(label->kind, HT_SYNTAX_UNKNOWN_STATEMENT);
    cr_assert_eq(label->count, 1);
    cr_expect_eq(label->children[0]->kind, HT_SYNTAX_ASSIGN);
    syntax_forget(&of);
}

Test(syntax, shared_arrays_are_unknown_to_those_alone_who_have_no_use_for_them) {
    syntax_kernel of = syntax_read("", "__shared__ float tile[64];\ntile[threadIdx.x] = p[n];");
    ht_position at;
    const char *why = ht_syntax_unknown(of.tree, false, &at);
    cr_assert_not_null(why);
    cr_expect_str_eq(why, "a static or shared variable inside the kernel");
    cr_expect_null(ht_syntax_unknown(of.tree, true, &at));
    const ht_syntax *tile = syntax_first(of.tree, HT_SYNTAX_VARIABLE);
    cr_assert_not_null(tile);
    cr_expect(of.tree->variables[tile->variable].is_shared &&
              !of.tree->variables[tile->variable].is_local);
    syntax_forget(&of);
}

Test(syntax, a_loop_has_its_parts_and_its_trip_count) {
    syntax_kernel of =
        syntax_read("", "const int last = 12;\n#pragma unroll\nfor (int i = 0; i < last; i += 5)\n"
                        "  p[i] += (float)n;");
    const ht_syntax *loop = syntax_first(of.tree, HT_SYNTAX_FOR), *left, *right, *operand;
    int64_t trip, value;
    int op;
    cr_assert_not_null(loop);
    cr_expect(ht_syntax_trip_count(loop, &trip) && trip == 3);
    cr_expect(loop->range.begin < loop->start, "the pragma belongs to it");
    cr_expect_str_eq(of.tree->variables[loop->children[0]->children[0]->variable].name, "i");
    cr_assert(ht_syntax_binary(loop->children[1], &op, &left, &right) && op == HT_BINARY_LT);
    cr_expect_str_eq(ht_syntax_named(left)->name, "i");
    cr_expect(ht_syntax_constant(right, &value) && value == 12);
    cr_assert(ht_syntax_binary(ht_syntax_body(loop), &op, &left, &right) &&
              op == HT_BINARY_ADD_ASSIGN);
    cr_expect(!ht_syntax_unary(left, &op, &operand));
    cr_expect(ht_syntax_named(right)->is_parameter);
    cr_expect(ht_syntax_mentions(left, loop->children[0]->children[0]->variable));
    syntax_forget(&of);
}

typedef struct literal_list {
    char text[256];
} literal_list;

static bool on_literal(const ht_syntax *node, void *context) {
    literal_list *list = context;
    size_t length = strlen(list->text);
    if (ht_syntax_is_literal(node))
        snprintf(list->text + length, sizeof list->text - length, " %g", ht_syntax_literal(node));
    return true;
}

Test(syntax, the_whole_tree_has_all_literals_that_the_kernel_reaches) {
    syntax_kernel of = syntax_read("template <int N> __device__ int more(int by = 21) {\n"
                                   "  return by * (N + 22);\n"
                                   "}\n"
                                   "__device__ int unused() { return 99; }\n",
                                   "__shared__ float tile[11][12];\n"
                                   "static_assert(sizeof(tile) > 13, \"\");\n"
                                   "enum { HALF = 14 };\n"
                                   "if (int k = n + 15) tile[16][0] = 17.5f;\n"
                                   "auto f = [&](int i = 18) { return i + 19; };\n"
                                   "p[f()] = tile[HALF][more<20>()];");
    literal_list list = {0};
    ht_syntax_walk(ht_syntax_whole(&of.model)->all, on_literal, &list);
    /* an array's last extent first; a lambda is a function that is reached, too */
    cr_expect_str_eq(list.text, " 12 11 13 14 15 16 0 17.5 18 19 20 18 19 21 22");
    cr_expect_eq(ht_syntax_whole(&of.model), ht_syntax_whole(&of.model), "it is kept");
    syntax_forget(&of);
}

Test(syntax, in_the_whole_tree_a_global_index_is_a_sum_and_constants_have_their_values) {
    syntax_kernel of = syntax_read("constexpr int TILE = 64;\nconstexpr int HALF = TILE / 2;\n",
                                   "p[blockIdx.x * TILE + threadIdx.x] = p[n + HALF];");
    const ht_syntax_tree *whole = ht_syntax_whole(&of.model);
    const ht_syntax *sum = syntax_first(whole, HT_SYNTAX_BINARY), *left, *right;
    int op, axis;
    cr_assert(ht_syntax_binary(sum, &op, &left, &right) && op == HT_BINARY_ADD);
    cr_expect(ht_syntax_builtin(right, false, &axis) == HT_INDEX_THREAD && axis == 0);
    cr_assert(ht_syntax_binary(left, &op, &left, &right) && op == HT_BINARY_MUL);
    const ht_syntax_variable *tile = ht_syntax_named(right);
    int64_t value;
    cr_expect(ht_syntax_constant(ht_syntax_initializer(tile), &value) && value == 64);
    const ht_syntax_variable *half = NULL;
    for (size_t i = 0; i < whole->variable_count; ++i)
        if (strcmp(whole->variables[i].name, "HALF") == 0)
            half = &whole->variables[i];
    cr_assert_not_null(half);
    cr_expect(ht_syntax_mentions(ht_syntax_initializer(half), tile->index));
    cr_expect_not_null(syntax_first(of.tree, HT_SYNTAX_SUBSCRIPT));
    syntax_forget(&of);
}

Test(syntax, what_takes_a_value_over_says_whether_it_can_be_written_through) {
    syntax_kernel of = syntax_read("__device__ void look(const float *, float *, int);\n",
                                   "const float *q = p;\nfloat *w = p;\nlook(p, p, p[0]);");
    const ht_syntax *body = of.tree->body;
    cr_expect(ht_syntax_only_reads(body->children[0]->children[0], 0));
    cr_expect(!ht_syntax_only_reads(body->children[1]->children[0], 0));
    const ht_syntax *call = body->children[2];
    cr_assert_eq(call->kind, HT_SYNTAX_CALL);
    cr_expect(ht_syntax_only_reads(call, 0) && !ht_syntax_only_reads(call, 1) &&
              ht_syntax_only_reads(call, 2));
    syntax_forget(&of);
}
