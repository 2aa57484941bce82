/* Compiling configurations of templates: over hiprtc (skipped without ROCm) and over the host
 * provider. */
#include "base/memory.h"
#include "base/text.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/compile_log.h"
#include "templates/space/space.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char scale_text[] =
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune unit\n"
    "#pragma tune kernel(scale)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 32, 64, 128, 256 = 64)\n"
    "#pragma tune param(ITEMS : 1..4 = 1)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK * ITEMS))\n"
    "#pragma tune arg(in : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "#pragma tune arg(weights : constant float[ITEMS])\n"
    "__constant__ float weights[16];\n"
    "template <int BLOCK, int ITEMS>\n"
    "__global__ __launch_bounds__(BLOCK) void scale(const float *in, float *out, int n) {\n"
    "    __shared__ float tile[BLOCK * ITEMS];\n"
    "    for (int j = 0; j < ITEMS; j++) {\n"
    "        int i = (blockIdx.x * ITEMS + j) * BLOCK + threadIdx.x;\n"
    "        tile[threadIdx.x + j * BLOCK] = i < n ? in[i] : 0;\n"
    "    }\n"
    "    __syncthreads();\n"
    "    for (int j = 0; j < ITEMS; j++) {\n"
    "        int i = (blockIdx.x * ITEMS + j) * BLOCK + threadIdx.x;\n"
    "        if (i < n) out[i] = tile[(threadIdx.x + 1) % BLOCK + j * BLOCK] * weights[j];\n"
    "    }\n"
    "}\n";

/* A template, an instance of its problem and a device. */
typedef struct fixture {
    ht_template *templates;
    size_t count;
    ht_problem problem;
    ht_device device;
    ht_binding binding;
} fixture;

static void fixture_open(fixture *f, const char *text, const char *problem, const char *device) {
    ht_error error;
    *f = (fixture){0};
    ht_status status = ht_device_find(device, &f->device, &error);
    if (status == HT_ERROR_MISSING)
        cr_skip_test("no %s: %s", device, error.message);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    cr_assert_eq(ht_template_parse(text, "folder/the unit.hip", &f->templates, &f->count, &error),
                 HT_OK, "%d:%d: %s", error.line, error.column, error.message);
    cr_assert_eq(f->count, 1);
    cr_assert_eq(ht_problem_parse(&f->templates->problem, problem, &f->problem, &error), HT_OK,
                 "%s", error.message);
    f->binding = (ht_binding){f->templates, &f->problem, &f->device.fields};
}

static void fixture_close(fixture *f) {
    ht_problem_free(&f->problem);
    ht_template_free(f->templates, f->count);
}

/* Checks that every configuration's resources in one batch equal those of its own compile, and that
 * LDS is as its parameters say. */
static void batch_is_as_single_compiles(const char *device) {
    fixture f;
    ht_error error;
    fixture_open(&f, scale_text, "n=1000", device);
    const ht_provider *provider = ht_provider_find(f.device.provider);
    ht_space *space;
    cr_assert_eq(ht_space_build(&f.binding, 0, &space, &error), HT_OK, "%s", error.message);
    enum { COUNT = 16 };
    cr_assert_eq(ht_space_count(space), COUNT);
    ht_config configs[COUNT];
    ht_program programs[COUNT], single;
    for (size_t i = 0; i < COUNT; i++)
        configs[i] = ht_space_at(space, i);
    cr_assert_eq(ht_program_compile_batch(&f.device, &f.binding, configs, COUNT, programs, &error),
                 HT_OK, "%s", error.message);
    for (size_t i = 0; i < COUNT; i++) {
        ht_resources batch, alone;
        cr_assert_eq(programs[i].kernel_count, 1);
        cr_assert_eq(programs[i].constant_count, 1);
        cr_assert_not_null(programs[i].log);
        for (size_t j = 0; j < i; j++)
            cr_expect_str_neq(programs[i].kernels[0], programs[j].kernels[0]);
        int64_t block = f.templates->params[0].values[configs[i].choice[0]].number;
        int64_t items = f.templates->params[1].values[configs[i].choice[1]].number;
        if (!provider->resources || i % 5 != 0)
            continue;
        cr_assert_eq(ht_program_compile(&f.device, &f.binding, &configs[i], false, &single, &error),
                     HT_OK, "%s", error.message);
        cr_assert_eq(provider->resources(&f.device, programs[i].code, programs[i].code_size,
                                         programs[i].kernels[0], block, 0, &batch, &error),
                     HT_OK, "%s", error.message);
        cr_assert_eq(provider->resources(&f.device, single.code, single.code_size,
                                         single.kernels[0], block, 0, &alone, &error),
                     HT_OK, "%s", error.message);
        cr_expect_eq(batch.lds, block * items * 4);
        cr_expect_eq(batch.max_block, block);
        cr_expect_arr_eq(&batch, &alone, sizeof batch);
        cr_expect_gt(batch.waves_per_simd, 0);
        ht_program_free(&single);
    }
    for (size_t i = 0; i < COUNT; i++)
        ht_program_free(&programs[i]);
    ht_space_free(space);
    fixture_close(&f);
}

Test(compile, a_batch_of_16_is_as_single_compiles_on_gfx90a) {
    batch_is_as_single_compiles("amd:gfx90a");
}
Test(compile, a_batch_of_16_is_as_single_compiles_on_gfx1030) {
    batch_is_as_single_compiles("amd:gfx1030");
}
Test(compile, a_batch_of_16_compiles_on_the_host) {
    batch_is_as_single_compiles("host");
}

/* Checks that a configuration that the compiler rejects fails with its text, and takes its batch
 * along, leaving nothing to free. */
static void failures_carry_the_compilers_text(const char *device) {
    fixture f;
    ht_error error = {0};
    static const char bad[] = "#pragma tune unit\n"
                              "#pragma tune kernel(k)\n"
                              "#pragma tune param(N : 1..4 = 1)\n"
                              "#pragma tune block(64)\n"
                              "#pragma tune grid(1)\n"
                              "#pragma tune arg(out : out float[64])\n"
                              "template <int N> __global__ void k(float *out) {\n"
                              "    static_assert(N != 3, \"three is not supported\");\n"
                              "    out[threadIdx.x] = N;\n"
                              "}\n";
    fixture_open(&f, bad, "", device);
    ht_config configs[2] = {ht_config_default(f.templates), ht_config_default(f.templates)};
    configs[1].choice[0] = 2;
    ht_program programs[2];
    cr_assert_eq(ht_program_compile(&f.device, &f.binding, &configs[0], false, programs, &error),
                 HT_OK, "%s", error.message);
    ht_program_free(programs);
    cr_assert_eq(ht_program_compile(&f.device, &f.binding, &configs[1], false, programs, &error),
                 HT_ERROR_COMPILE);
    cr_expect(strstr(error.message, "three is not supported"), "%s", error.message);
    cr_expect(strstr(error.message, "the unit.hip:8:"), "%s", error.message);
    cr_expect_null(programs[0].code);
    cr_assert_eq(ht_program_compile_batch(&f.device, &f.binding, configs, 2, programs, &error),
                 HT_ERROR_COMPILE);
    cr_expect(strstr(error.message, "three is not supported"), "%s", error.message);
    fixture_close(&f);
}

Test(compile, failures_carry_the_compilers_text_on_amd) {
    failures_carry_the_compilers_text("amd:gfx90a");
}
Test(compile, failures_carry_the_compilers_text_on_the_host) {
    failures_carry_the_compilers_text("host");
}

/* Checks that of many in one program only the guilty fail, each with its own message, wherever they
 * are. */
static void only_the_guilty_fail(const char *device) {
    static const char picky[] = "#pragma tune unit\n"
                                "#pragma tune kernel(k)\n"
                                "#pragma tune param(N : 1..10 = 1)\n"
                                "#pragma tune block(64)\n"
                                "#pragma tune grid(1)\n"
                                "#pragma tune arg(out : out float[64])\n"
                                "template <int N> struct check {\n"
                                "    static_assert(N != 1 && N != 6 && N != 7, \"not this one\");\n"
                                "    static const int value = N;\n"
                                "};\n"
                                "template <int N> __global__ void k(float *out) {\n"
                                "    out[threadIdx.x] = check<N>::value;\n"
                                "}\n";
    enum { COUNT = 10 };
    fixture f;
    ht_config configs[COUNT];
    ht_program programs[COUNT];
    ht_error errors[COUNT];
    fixture_open(&f, picky, "", device);
    for (size_t i = 0; i < COUNT; i++) {
        configs[i] = ht_config_default(f.templates);
        configs[i].choice[0] = (uint16_t)i;
    }
    ht_program_compile_each(&f.device, &f.binding, configs, COUNT, programs, errors);
    for (int n = 1; n <= COUNT; n++) {
        const ht_error *error = &errors[n - 1];
        char *own = ht_format("check<%d>", n);
        bool guilty = n == 1 || n == 6 || n == 7;
        cr_expect_eq(error->status, guilty ? HT_ERROR_COMPILE : HT_OK, "%d: %s", n, error->message);
        if (guilty)
            cr_expect(strstr(error->message, "not this one") && strstr(error->message, own), "%s",
                      error->message);
        else
            cr_expect_eq(programs[n - 1].kernel_count, 1);
        free(own);
        if (error->status == HT_OK)
            ht_program_free(&programs[n - 1]);
    }
    fixture_close(&f);
}

Test(compile, only_the_guilty_of_a_program_fail_on_amd) {
    only_the_guilty_fail("amd:gfx90a");
}
Test(compile, only_the_guilty_of_a_program_fail_on_the_host) {
    only_the_guilty_fail("host");
}

static const char macro_text[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(k)\n"
    "#pragma tune param(TILE : 16, 32 = 16)\n"
    "#pragma tune block(TILE)\n"
    "#pragma tune grid(1)\n"
    "#pragma tune arg(out : out float[TILE])\n"
    "#pragma tune reference(original) block(16) grid(1)\n"
    "#ifndef TILE\n#define TILE 16\n#endif\n"
    "__global__ void k(float *out) {\n"
    "    __shared__ float a[TILE * 8];\n"
    "    a[threadIdx.x] = out[threadIdx.x];\n"
    "    __syncthreads();\n"
    "    out[threadIdx.x] = a[TILE - 1 - threadIdx.x];\n"
    "}\n"
    "__global__ void original(float *out) { out[threadIdx.x] = TILE; }\n";

/* Macro-bound parameters reach the compiler, and keep configurations apart. */
Test(compile, macros_bind_and_do_not_batch) {
    fixture f;
    ht_error error = {0};
    fixture_open(&f, macro_text, "", "amd:gfx90a");
    ht_config configs[2] = {ht_config_default(f.templates), ht_config_default(f.templates)};
    configs[1].choice[0] = 1;
    ht_program programs[2];
    for (size_t i = 0; i < 2; i++) {
        ht_resources r;
        cr_assert_eq(
            ht_program_compile(&f.device, &f.binding, &configs[i], false, programs, &error), HT_OK,
            "%s", error.message);
        cr_assert_eq(ht_provider_amd.resources(&f.device, programs->code, programs->code_size,
                                               programs->kernels[0], 16, 0, &r, &error),
                     HT_OK, "%s", error.message);
        cr_expect_eq(r.lds, (int)(i + 1) * 16 * 8 * 4);
        ht_program_free(programs);
    }
    cr_expect_eq(ht_program_compile_batch(&f.device, &f.binding, configs, 2, programs, &error),
                 HT_ERROR_UNSUPPORTED);
    cr_expect_not(ht_program_shares(f.templates, &configs[0], &configs[1]));
    configs[1] = configs[0];
    cr_expect(ht_program_shares(f.templates, &configs[0], &configs[1]));
    cr_assert_eq(ht_program_compile_batch(&f.device, &f.binding, configs, 2, programs, &error),
                 HT_OK, "%s", error.message);
    ht_program_free(&programs[0]);
    ht_program_free(&programs[1]);
    cr_assert_eq(ht_program_compile(&f.device, &f.binding, &configs[1], true, programs, &error),
                 HT_OK, "%s", error.message);
    cr_expect(strstr(programs->kernels[0], "original"), "%s", programs->kernels[0]);
    ht_program_free(programs);
    fixture_close(&f);
}

/* Only the first errors of a long log, with their context, and nothing in front of them. */
Test(compile, logs_are_cut_to_their_first_errors) {
    ht_text log = {0};
    ht_error error;
    ht_text_append(&log, "u.hip:1:1: warning: first\n line\n ^\n");
    for (int i = 1; i <= 9; i++)
        ht_text_printf(&log, "u.hip:%d:1: error: number %d\n line\n ^\n", i, i);
    cr_assert_eq(ht_compile_log_error(log.data, "none", NULL, &error), HT_ERROR_COMPILE);
    cr_expect_eq(strncmp(error.message, "u.hip:1:1: error: number 1\n line\n ^\n", 35), 0);
    cr_expect(strstr(error.message, "number 3"));
    cr_expect_null(strstr(error.message, "number 4"));
    ht_compile_log_error("", "HIPRTC_ERROR_INTERNAL", NULL, &error);
    cr_expect_str_eq(error.message, "HIPRTC_ERROR_INTERNAL");
    ht_compile_log_error("odd text\n", "none", NULL, &error);
    cr_expect_str_eq(error.message, "odd text\n");
    ht_text_free(&log);
}

Test(devices, are_found_by_name) {
    ht_device device;
    ht_error error = {0};
    cr_assert_eq(ht_device_find("host", &device, &error), HT_OK, "%s", error.message);
    cr_expect(device.can_run);
    cr_expect_eq(ht_device_find("hos", &device, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "host"), "%s", error.message);
    cr_expect_eq(ht_device_find("host:nothing", &device, &error), HT_ERROR_INPUT);
    cr_expect_eq(ht_device_find("", &device, &error), HT_ERROR_INPUT);
    ht_status amd = ht_device_find("amd:gfx1030", &device, &error);
    if (amd == HT_ERROR_MISSING)
        cr_skip_test("%s", error.message);
    cr_assert_eq(amd, HT_OK, "%s", error.message);
    cr_expect_eq(device.fields.wavefront, 32);
    if (ht_device_find("amd:gfx942", &device, &error) != HT_OK)
        cr_expect(strstr(error.message, "compiling for gfx942") ||
                      strstr(error.message, "compile for gfx942"),
                  "%s", error.message);
    cr_expect_eq(ht_device_find("amd:gfx1", &device, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "amd:gfx1030") && !strstr(error.message, "host"), "%s",
              error.message);
}
