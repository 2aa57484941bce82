/* The library's templates: every configuration that the constraints allow must compile, run and be
 * right, for every conv2d problem. */
#include "library_run.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 8, SAMPLES = 32, TRIES = 2000000 }; /* all of them in the deep suite */

static const char *const TEMPLATES[] = {
    HT_SOURCE_DIR "/templates/library/conv2d_direct.hip",
    HT_SOURCE_DIR "/templates/library/conv2d_implicit_gemm.hip",
};

static ht_template *load(const char *path) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_error error = {0};
    cr_assert_eq(ht_template_load(path, &templates, &count, &error), HT_OK, "%s:%d:%d: %s", path,
                 error.line, error.column, error.message);
    cr_assert_eq(count, 1);
    return templates;
}

static bool legal(const ht_binding *binding, const ht_config *config) {
    bool is_legal = false;
    ht_error error = {0};
    cr_assert_eq(ht_binding_legal(binding, config, &is_legal, NULL, &error), HT_OK, "%s",
                 error.message);
    return is_legal;
}

/* Samples uniformly over the legal configurations, by rejection: needs no walk through the whole
 * space. */
static ht_config sample(const ht_binding *binding, ht_random *random) {
    ht_config config = ht_config_default(binding->template);
    for (int i = 0; i < TRIES; ++i) {
        for (size_t p = 0; p < binding->template->param_count; ++p)
            config.choice[p] =
                (uint16_t)ht_random_below(random, binding->template->params[p].value_count);
        if (legal(binding, &config))
            return config;
    }
    cr_assert(false, "no legal configuration found");
    return config;
}

typedef struct trial {
    conv_shape shape;
    ht_problem problem;
    ht_binding binding;
    ht_config config;
} trial;

static void make_trials(const ht_template *template, const ht_device *device, ht_random *random,
                        int count, trial trials[SAMPLES], ht_config configs[SAMPLES]) {
    for (int i = 0; i < count; ++i) {
        trials[i].shape = conv_shape_random(random);
        trials[i].problem = conv_shape_problem(&trials[i].shape);
        trials[i].binding = (ht_binding){template, &trials[i].problem, &device->fields};
        trials[i].config =
            i == 0 ? ht_config_default(template) : sample(&trials[i].binding, random);
        configs[i] = trials[i].config;
    }
}

static void free_trials(int count, trial trials[SAMPLES], ht_program programs[SAMPLES]) {
    for (int i = 0; i < count; ++i) {
        ht_problem_free(&trials[i].problem);
        ht_program_free(&programs[i]);
    }
}

/* Runs `count` configurations of a template on the host. */
static void run_on_the_host(int index, int count) {
    ht_template *template = load(TEMPLATES[index]);
    ht_device device;
    const ht_hip *hip = NULL;
    ht_error error = {0};
    ht_random random;
    ht_random_stream(&random, 20240917, (uint64_t)index);
    cr_assert_eq(ht_device_find("host", &device, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_provider_host.open(&hip, &error), HT_OK, "%s", error.message);

    trial trials[SAMPLES];
    ht_config configs[SAMPLES];
    ht_program programs[SAMPLES];
    make_trials(template, &device, &random, count, trials, configs);
    cr_assert_eq(ht_program_compile_batch(&device, &trials[0].binding, configs, (size_t)count,
                                          programs, &error),
                 HT_OK, "%s", error.message);
    for (int i = 0; i < count; ++i) {
        trial *t = &trials[i];
        double worst = library_run(hip, &programs[i], &t->binding, &t->config, &t->shape, &random);
        char *config = ht_config_string(template, &t->config);
        char *problem = ht_problem_string(&template->problem, &t->problem);
        cr_expect_leq(worst, template->tolerance, "%s, %s: off by %g of the sum of |products|",
                      config, problem, worst);
        free(config);
        free(problem);
    }
    free_trials(count, trials, programs);
    ht_template_free(template, 1);
}

static int indices[] = {0, 1};

ParameterizedTestParameters(library, is_right_on_the_host) {
    return cr_make_param_array(int, indices, 2);
}

ParameterizedTest(int *index, library, is_right_on_the_host) {
    run_on_the_host(*index, FEW);
}

ParameterizedTestParameters(deep_library, is_right_on_the_host) {
    return cr_make_param_array(int, indices, 2);
}

ParameterizedTest(int *index, deep_library, is_right_on_the_host) {
    run_on_the_host(*index, SAMPLES);
}

/* The default must be there whatever the problem: it is the first seed of every search. */
Test(library, default_is_legal_for_small_problems) {
    ht_device devices[2];
    ht_error error = {0};
    cr_assert_eq(ht_device_find("host", &devices[0], &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_device_find("host:wave32", &devices[1], &error), HT_OK, "%s", error.message);
    for (int t = 0; t < 2; ++t) {
        ht_template *template = load(TEMPLATES[t]);
        ht_random random;
        ht_random_seed(&random, 5);
        for (int i = 0; i < 300; ++i) {
            conv_shape shape = conv_shape_random(&random);
            ht_problem problem = conv_shape_problem(&shape);
            ht_binding binding = {template, &problem, &devices[i % 2].fields};
            ht_config config = ht_config_default(template);
            char *text = ht_problem_string(&template->problem, &problem);
            cr_expect(legal(&binding, &config), "%s: not for %s", template->name, text);
            free(text);
            ht_problem_free(&problem);
        }
        ht_template_free(template, 1);
    }
}

/* Registers must suffice: sums that fall out of registers into scratch memory would make every such
 * variant slow. */
static void compile_for_gfx90a(int count) {
    ht_device device;
    ht_error error = {0};
    if (ht_device_find("amd:gfx90a", &device, &error) != HT_OK)
        cr_skip_test("no hiprtc on this machine: %s", error.message);
    for (int t = 0; t < 2; ++t) {
        ht_template *template = load(TEMPLATES[t]);
        ht_random random;
        ht_random_seed(&random, 11);
        trial trials[SAMPLES];
        ht_config configs[SAMPLES];
        ht_program programs[SAMPLES];
        make_trials(template, &device, &random, count, trials, configs);
        cr_assert_eq(ht_program_compile_batch(&device, &trials[0].binding, configs, (size_t)count,
                                              programs, &error),
                     HT_OK, "%s", error.message);
        for (int i = 0; i < count; ++i) {
            ht_geometry geometry;
            ht_resources resources;
            cr_assert_eq(ht_binding_geometry(&trials[i].binding, &configs[i],
                                             &template->launches[0], &geometry, &error),
                         HT_OK, "%s", error.message);
            cr_assert_eq(
                ht_provider_amd.resources(&device, programs[i].code, programs[i].code_size,
                                          programs[i].kernels[0],
                                          geometry.block[0] * geometry.block[1] * geometry.block[2],
                                          geometry.lds, &resources, &error),
                HT_OK, "%s", error.message);
            char *config = ht_config_string(template, &configs[i]);
            cr_expect_eq(resources.scratch, 0, "%s needs %d bytes of scratch", config,
                         resources.scratch);
            cr_expect_gt(resources.waves_per_simd, 0, "%s cannot run", config);
            free(config);
        }
        free_trials(count, trials, programs);
        ht_template_free(template, 1);
    }
}

Test(library, needs_no_scratch_on_gfx90a) {
    compile_for_gfx90a(FEW);
}

Test(deep_library, needs_no_scratch_on_gfx90a) {
    compile_for_gfx90a(SAMPLES);
}

/* Any HIP compiler accepts the files as they are, pragmas included. */
Test(library, is_plain_hip) {
    for (int t = 0; t < 2; ++t) {
        char *command =
            ht_format("'%s' -x hip --cuda-device-only --offload-arch=gfx90a -nogpulib -include "
                      "hip/hip_runtime.h -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-pragmas "
                      "'%s'",
                      HT_TEST_CLANG, TEMPLATES[t]);
        cr_expect_eq(system(command), 0, "%s", command);
        free(command);
    }
}
