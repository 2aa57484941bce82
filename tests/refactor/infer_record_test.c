/* Problems of kernels that take structures, by value or by a pointer. */
#include "infer_support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define BY_VALUE(fields)                                                                           \
    HEAD "struct p { " fields " };\n__global__ void k(float *a, p q) {\n" INDEX                    \
         "  if (i < q.n) a[i] = 1;\n}\n"                                                           \
         "void run(float *a, p q) { k<<<(q.n + 127) / 128, 128>>>(a, q); }\n"

Test(infer, structures_that_cannot_be_filled_in_say_why) {
    expect_missing(BY_VALUE("union { int n; float f; };"), "a member without a name");
    expect_missing(BY_VALUE("int n; private: int more;"), "'more' is not public");
    expect_missing(BY_VALUE("int n; int bits : 3;"), "'bits' is a bit-field");
    expect_missing(BY_VALUE("int n; virtual ~p();"), "run code of their own");
    expect_missing(BY_VALUE("int n; int &r;"), "'r' is a reference");
    expect_missing(BY_VALUE("int n; struct two { float x, y; } many[32];"), "more than 48 numbers");
    expect_missing(HEAD "struct b { float *hidden; };\nstruct p : b { int n; virtual int f(); };\n"
                        "__global__ void k(float *a, p q) {\n" INDEX "  if (i < q.n) a[i] = 1;\n}\n"
                        "void run(float *a, p q) { k<<<(q.n + 127) / 128, 128>>>(a, q); }\n",
                   "'q' (p)");
}

/* A structure's fields have what the host sets: in a list, one by one, in a nested one, in an
 * array; its pointers are buffers with bounds from the subscripts. */
Test(infer, fields_of_structures_have_what_the_host_sets) {
    inferred of = infer(
        HEAD "struct box { int lo; float hi; };\n"
             "struct base { int rows; };\n"
             "struct p : base { int n; box b; const float *in; float *out; float w[2]; int3 d; "
             "float4 v; };\n"
             "struct plus { __device__ float operator()(float x, float y) const { return x + y; } "
             "};\n"
             "__global__ void k(p q, plus op) {\n" INDEX
             "  if (i < q.n) q.out[i] = op(q.in[i + q.b.lo], q.w[1]);\n}\n"
             "void run(int n) {\n  p q;\n  q.n = n - 3;\n  q.b = {5, 2.5f};\n  q.w[1] = 7.5f;\n"
             "  q.d = make_int3(n, 2, 3);\n"
             "  hipMalloc(&q.in, 4);\n  k<<<(n + 124) / 128, 128>>>(q, plus());\n}\n"
             "int main() { run(4000); }\n");
    cr_assert_eq(of.kernel->status, HT_KERNEL_TEMPLATED, "%s", of.kernel->reason);
    cr_expect(arg_named(&of, "q")->is_struct && arg_named(&of, "op")->is_struct);
    cr_expect_eq(number(&of, "q.n"), 3997);
    cr_expect_eq(number(&of, "q.b.lo"), 5);
    cr_expect_float_eq(arg_named(&of, "q.b.hi")->real, 2.5, 0);
    cr_expect_float_eq(arg_named(&of, "q.w[1]")->real, 7.5, 0);
    cr_expect_eq(arg_named(&of, "q.d")->value_count, 3);
    cr_expect_eq(number(&of, "q.d"), 4000);
    sizes with = {.names = {"n"}, .values = {4000}, .count = 1};
    cr_expect_str_eq(role(&of, "q.in"), "in");
    cr_expect_geq(elements(&of, "q.in", &with), 3997 + 5);
    cr_expect_geq(elements(&of, "q.out", &with), 3997);
    cr_expect_not_null(arg_named(&of, "q.rows"));
    done(&of);
}

/* Each structure in a list has the numbers of its own list. */
Test(infer, fields_of_nested_structures_have_their_own_numbers) {
    inferred of = infer(HEAD "struct pair { int a, b; };\nstruct p { pair low, high; int n; };\n"
                             "__global__ void k(const float *in, float *out, p q) {\n" INDEX
                             "  if (i < q.n) out[i] = in[i] * q.high.a + q.low.b;\n}\n"
                             "void run(const float *in, float *out) {\n"
                             "  p q = {{11, 12}, {13, 14}, 1000};\n"
                             "  k<<<(1000 + 127) / 128, 128>>>(in, out, q);\n}\n");
    cr_expect_eq(number(&of, "q.low.a"), 11);
    cr_expect_eq(number(&of, "q.low.b"), 12);
    cr_expect_eq(number(&of, "q.high.a"), 13);
    cr_expect_eq(number(&of, "q.high.b"), 14);
    done(&of);
}

static bool coarsens(const inferred *of) {
    for (size_t i = 0; of->kernel->template && i < of->kernel->template->param_count; ++i)
        if (strcmp(of->kernel->template->params[i].name, "COARSEN_X") == 0)
            return true;
    return false;
}

/* `i < q.n` is a guard as long as nothing changes the kernel's copy: no assignment, and no method
 * that might. */
Test(infer, a_field_guards_unless_the_kernel_changes_its_copy) {
    static const char *const changes[] = {"", "q.less();", "q.n -= 3;", "--q.n;", "q = q;"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        char *text = ht_format(HEAD "struct p { int n; __device__ void less() { --n; } };\n"
                                    "__global__ void k(float *a, p q) {\n" INDEX
                                    "  %s if (i < q.n) a[i] = 1;\n}\n"
                                    "void run(float *a, p q) {\n"
                                    "  k<<<(q.n + 127) / 128, 128>>>(a, q);\n}\n",
                               changes[i]);
        inferred of = infer(text);
        cr_expect_eq(coarsens(&of), i == 0, "'%s'", changes[i]);
        done(&of);
        free(text);
    }
}

/* A pointer to a structure with pointers in it leads to one of them. */
Test(infer, a_pointer_may_lead_to_a_structure_with_buffers) {
    inferred of = infer(HEAD "struct lists { float *in, *out; };\n"
                             "__global__ void k(const lists *p, int n) {\n" INDEX
                             "  if (i < n) p->out[i] = p->in[i];\n}\n"
                             "void run(lists *p, int n) {\n"
                             "  k<<<(n + 127) / 128, 128>>>(p, n);\n}\n");
    cr_expect(of.kernel->skeleton && strstr(of.kernel->skeleton, "\"p : in struct lists\""), "%s",
              of.kernel->skeleton);
    cr_expect(of.kernel->skeleton && strstr(of.kernel->skeleton, "\"p.in : inout float["), "%s",
              of.kernel->skeleton);
    done(&of);
}

/* Other assignments to the same field, and ways around them, are not taken for the value. */
Test(infer, a_field_that_the_host_names_in_its_launch_is_the_same_in_the_kernel) {
    inferred of =
        infer(HEAD "struct p { int n; float f; };\n__global__ void k(float *a, p q) {\n" INDEX
                   "  if (i < q.n) a[i] = q.f;\n}\n"
                   "void run(float *a, p q) { k<<<(q.n + 127) / 128, 128>>>(a, q); }\n");
    cr_assert_eq(of.kernel->status, HT_KERNEL_TEMPLATED, "%s", of.kernel->reason);
    char *text = ht_expr_string(arg_named(&of, "q.n")->values[0]);
    cr_expect_str_eq(text, "problem.n");
    free(text);
    done(&of);
}

/* Constant memory may hold a structure: its numbers, or its bytes with what its fields hold. */
Test(infer, structures_in_constant_memory_are_filled_field_by_field) {
    inferred of = infer(HEAD "struct params { int shift; float gain; float taps[9]; };\n"
                             "struct matrix { float4 rows[3]; };\n"
                             "__constant__ params p;\n__constant__ matrix m;\n"
                             "__global__ void k(float *a, int n) {\n" INDEX
                             "  if (i < n) a[i] = p.gain * p.taps[i % 9] + m.rows[1].y;\n}\n" RUN);
    cr_assert_eq(of.kernel->status, HT_KERNEL_TEMPLATED, "%s", of.kernel->reason);
    cr_expect_str_eq(arg_named(&of, "p")->type, "unsigned char");
    sizes with = {.count = 0};
    cr_expect_eq(elements(&of, "p", &with), 44);
    cr_expect_eq(arg_named(&of, "m")->role, HT_ARG_CONSTANT);
    done(&of);
}

/* A type of an unnamed namespace is named without it. */
Test(infer, structures_of_unnamed_namespaces_have_names) {
    inferred of =
        infer(HEAD "namespace {\nnamespace own {\nstruct p { int n; float *a; };\n}\n}\n"
                   "__global__ void k(own::p q) {\n" INDEX "  if (i < q.n) q.a[i] = 2;\n}\n"
                   "void run(own::p q) { k<<<(q.n + 127) / 128, 128>>>(q); }\n");
    cr_assert_eq(of.kernel->status, HT_KERNEL_TEMPLATED, "%s", of.kernel->reason);
    cr_expect_str_eq(arg_named(&of, "q")->type, "own::p");
    done(&of);
}
