/* The transformation that docs/adding-a-transformation.md adds, as it is printed there. */
#include "base/memory.h"
#include "refactor/kernel/discover.h"
#include "refactor/plan/plan.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const ht_transformation ht_transformation_registers;

#define KERNEL(ATTRIBUTE)                                                                          \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ " ATTRIBUTE "void k(float *out, int n) {\n"                                        \
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
    of->plan.transformation = ht_transformation_registers.name;
    ht_transformation_registers.apply(&of->model, &of->plan);
    cr_assert_not(of->plan.failed);
}

static void plan_end(planned *of) {
    ht_plan_free(&of->plan);
    ht_model_free(&of->model);
    ht_source_free(of->source);
    unlink(of->path);
}

Test(adding, the_example_offers_registers_with_the_original_as_default) {
    planned of = {0};
    plan_make(KERNEL(""), &of);
    cr_assert_eq(of.plan.param_count, 1);
    cr_expect_str_eq(of.plan.params[0].name, "REGISTERS");
    cr_expect_str_eq(of.plan.params[0].default_value, "0");
    ht_text text = {0};
    char *problem = NULL;
    cr_assert(ht_plan_render(&of.plan, of.model.range, NULL, &text, &problem), "%s", problem);
    cr_expect_not_null(strstr(text.data, "__attribute__((amdgpu_num_vgpr(REGISTERS)))"), "%s",
                       text.data);
    ht_text_free(&text);
    plan_end(&of);
}

Test(adding, the_example_leaves_what_the_author_says) {
    planned of = {0};
    plan_make(KERNEL("__attribute__((amdgpu_num_vgpr(64))) "), &of);
    cr_expect_eq(of.plan.param_count, 0);
    cr_assert_eq(of.plan.remarks.count, 1);
    cr_expect_eq(of.plan.remarks.items[0].kind, HT_REMARK_MISSED);
    plan_end(&of);
}
