/* The transformation that docs/adding-a-transformation.md adds, as it is printed there. */
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/discover.h"
#include "refactor/kernel/model_build.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/render.h"
#include "refactor/source/source_try.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const ht_transformation ht_transformation_priority;

#define KERNEL(STATEMENT)                                                                          \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(float *out, int n) {\n" STATEMENT                                           \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "    if (i < n) out[i] = 2.0f * i;\n"                                                          \
    "}\n"                                                                                          \
    "void run(float *out, int n) { k<<<(n + 255) / 256, 256>>>(out, n); }\n"

typedef struct planned {
    char path[256];
    ht_source *source;
    ht_model model;
    ht_plan plan;
} planned;

static void plan_make(const char *text, planned *of) {
    snprintf(of->path, sizeof of->path, "%s/adding-XXXXXX.hip", HT_BINARY_DIR);
    int fd = mkstemps(of->path, 4);
    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    ht_error error;
    cr_assert_eq(ht_source_open(of->path, NULL, &of->source, &error), HT_OK, "%s", error.message);
    ht_cursors kernels = ht_kernels_find(of->source);
    cr_assert_eq(kernels.count, 1);
    ht_model_build(of->source, kernels.items[0], NULL, &of->model);
    free(kernels.items);
    ht_plan_init(&of->plan, &of->model);
    of->plan.running.transformation = ht_transformation_priority.name;
    ht_transformation_priority.apply(&of->model, &of->plan);
    cr_assert_not(of->plan.running.failed);
}

static void plan_end(planned *of) {
    ht_plan_free(&of->plan);
    ht_model_free(&of->model);
    ht_source_free(of->source);
    unlink(of->path);
}

Test(adding, the_example_offers_priorities_with_the_original_as_default) {
    planned of = {0};
    plan_make(KERNEL(""), &of);
    cr_assert_eq(of.plan.params.count, 1);
    cr_expect_str_eq(of.plan.params.items[0].name, "WAVE_PRIORITY");
    cr_expect_str_eq(of.plan.params.items[0].default_value, "0");
    ht_text text = {0};
    char *problem = ht_plan_render(&of.plan, of.model.definition.range, NULL, &text);
    cr_assert_null(problem, "%s", problem);
    cr_expect_not_null(strstr(text.data, "__builtin_amdgcn_s_setprio(WAVE_PRIORITY);"), "%s",
                       text.data);
    ht_text_free(&text);
    plan_end(&of);
}

/* Compiles the kernel as device code after `header`, with a use. Returns the errors, a line each,
   to be freed: empty where it compiles. */
static char *errors_of(const planned *of, const char *header, const char *kernel, const char *use) {
    char *text = ht_format("#include <hip/hip_runtime.h>\n%s%s\n%s", header, kernel, use);
    char **messages = NULL;
    size_t count = ht_source_try(of->source, of->path, text, true, NULL, 0, &messages);
    free(text);
    ht_text all = {0};
    for (size_t i = 0; i < count; ++i) {
        ht_text_printf(&all, "%s\n", messages[i]);
        free(messages[i]);
    }
    free(messages);
    return ht_text_take(&all);
}

Test(adding, the_example_compiles_as_a_template) {
    planned of = {0};
    plan_make(KERNEL(""), &of);
    ht_text text = {0};
    char *problem = ht_plan_render(&of.plan, of.model.definition.range, NULL, &text);
    cr_assert_null(problem, "%s", problem);
    for (int priority = 0; priority < 4; ++priority) {
        char *use = ht_format("template __global__ void k<%d>(float *, int);\n", priority);
        char *errors = errors_of(&of, "template <int WAVE_PRIORITY>\n", text.data, use);
        cr_expect_str_eq(errors, "", "%s", errors);
        free(errors);
        free(use);
    }
    char *errors = errors_of(&of, "", text.data, "");
    cr_expect_str_neq(errors, "", "its code is not compiled");
    free(errors);
    ht_text_free(&text);
    plan_end(&of);
}

Test(adding, the_example_leaves_what_the_author_sets) {
    planned of = {0};
    plan_make(KERNEL("    __builtin_amdgcn_s_setprio(1);\n"), &of);
    cr_expect_eq(of.plan.params.count, 0);
    cr_assert_eq(of.plan.remarks.count, 1);
    cr_expect_eq(of.plan.remarks.items[0].kind, HT_REMARK_MISSED);
    plan_end(&of);
}
