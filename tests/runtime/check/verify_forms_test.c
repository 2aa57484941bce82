/* Forms of the code: the configurations that run one that none before has run. */
#include "runtime/verify/verify_forms.h"

#include "tests/runtime/job/support.h"

#include <criterion/criterion.h>

#define HEAD                                                                                       \
    "#pragma tune unit\n"                                                                          \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "#pragma tune kernel(f<A, B, C>)\n"                                                            \
    "#pragma tune param(A : 1, 2, 4 = 1)\n"                                                        \
    "#pragma tune param(B : false, true = false)\n"                                                \
    "#pragma tune param(C : false, true = false)\n"                                                \
    "#pragma tune block(64)\n"                                                                     \
    "#pragma tune grid(1)\n"                                                                       \
    "#pragma tune arg(out : out float[64])\n"                                                      \
    "#pragma tune arg(n : int = 64)\n"                                                             \
    "template <int A, bool B, bool C> __global__ void f(float *out, int n) {\n"

static const char source[] =
    HEAD "    if (A > 1) {\n"
         "        // if (C) in a comment; \"; and its quotes\n"
         "        auto put = [&](int at) { out[at] = B ? 1 : 2; };\n" /* A, B; run if A > 1 */
         "        put('}');\n"                                        /* A, the same */
         "    }\n"
         "    if (C && n > 3)\n"
         "        out[1] = 1;\n" /* C, if C */
         "    else\n"
         "        out[1] = 2;\n" /* C, whatever it is */
         "#pragma unroll\n"
         "    for (int i = 0; i < A; ++i)\n"
         "        out[i + 2] = 3;\n" /* A, always */
         "}\n";

typedef struct subject {
    bound b;
    ht_forms forms;
} subject;

static subject subject_make(const char *text) {
    subject out;
    bind_text(&out.b, text, NULL);
    ht_forms_init(&out.forms, &out.b.templates[0], out.b.templates[0].unit);
    return out;
}

static void subject_free(subject *of) {
    ht_forms_free(&of->forms);
    unbind(&of->b);
}

/* Takes a configuration; returns the number of new forms, which are not so any more then. */
static size_t take(subject *of, const char *text, bool inner) {
    ht_config config = config_of(&of->b, text);
    size_t count = ht_forms_new(&of->forms, &config, inner).ways;
    ht_forms_add(&of->forms, &config, inner);
    cr_expect_eq(ht_forms_new(&of->forms, &config, inner).ways, 0, "%s twice", text);
    return count;
}

Test(forms, what_parameters_switch_off_is_not_run) {
    subject of = subject_make(source);
    cr_expect_eq(take(&of, "A=1 B=false C=false", false), 2, "the else and the loop");
    cr_expect_eq(take(&of, "A=1 B=true C=false", false), 0, "nothing asks for B there");
    cr_expect_eq(take(&of, "A=1 B=false C=true", false), 2, "both branches, as n may be anything");
    subject_free(&of);
}

Test(forms, off_its_default_is_off_whatever_the_value) {
    subject of = subject_make(source);
    take(&of, "A=1 B=false C=false", false);
    cr_expect_eq(take(&of, "A=2 B=false C=false", false), 4,
                 "the lambda's, its 2, its call, the loop");
    cr_expect_eq(take(&of, "A=4 B=false C=false", false), 0);
    cr_expect_eq(take(&of, "A=4 B=true C=false", false), 2, "the lambda's, its 1");
    subject_free(&of);
}

Test(forms, blocks_inside_of_the_grid_make_all_new) {
    subject of = subject_make(source);
    take(&of, "A=1 B=false C=false", false);
    cr_expect_eq(take(&of, "A=1 B=false C=false", true), 2);
    subject_free(&of);
}

/* The statement, and the parts of it that stand after ? and : and are run. */
Test(forms, values_that_the_text_tells_apart_are_of_different_kinds) {
    subject of = subject_make(HEAD "    out[0] = A == 1 ? 1 : A == 2 ? 2 : n;\n}\n");
    cr_expect_eq(take(&of, "A=1 B=false C=false", false), 2);
    cr_expect_eq(take(&of, "A=2 B=false C=false", false), 3);
    cr_expect_eq(take(&of, "A=4 B=false C=false", false), 3);
    subject_free(&of);
}

Test(forms, code_that_was_run_with_other_values_is_not_new_itself) {
    subject of =
        subject_make(HEAD "    if (n > 2)\n        out[A] = (B ? 1 : A > 1 ? 2 : 3);\n}\n");
    static const struct {
        const char *config;
        bool inner;
        size_t forms;
    } steps[] = {
        {"A=1 B=false C=false", false, 3}, /* the statement, the part without B, 3 */
        {"A=1 B=true C=false", false, 1},  /* 1 */
        {"A=2 B=true C=false", false, 0},
        {"A=2 B=false C=false", true, 3}, /* the statement, the part without B, 2, inside */
        {"A=2 B=false C=false", false, 0}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
        ht_config config = config_of(&of.b, steps[i].config);
        size_t forms = ht_forms_new(&of.forms, &config, steps[i].inner).forms;
        cr_expect_eq(forms, steps[i].forms, "%zu: %zu", i, forms);
        ht_forms_add(&of.forms, &config, steps[i].inner);
    }
    subject_free(&of);
}
