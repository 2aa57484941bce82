/* hiptemper devices and hiptemper inspect, as a user runs them. Without ROCm, the tests that need
 * it skip. / */
#include "program.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

TestSuite(devices, .init = workplace_make, .fini = workplace_remove);
TestSuite(inspect, .init = workplace_make, .fini = workplace_remove);

static const char scale[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(scale)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 64, 128, 256, 512 = 128)\n"
    "#pragma tune param(ITEMS : 1..3 = 1)\n"
    "#pragma tune require(BLOCK * ITEMS <= 1024)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK * ITEMS))\n"
    "#pragma tune arg(in : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int BLOCK, int ITEMS> __global__ void scale(const float *in, float *out, int n) {\n"
    "    __shared__ float tile[BLOCK * ITEMS];\n"
    "    static_assert(BLOCK != 256, \"no blocks of 256\");\n"
    "    for (int j = 0; j < ITEMS; j++) {\n"
    "        int i = (blockIdx.x * ITEMS + j) * BLOCK + threadIdx.x;\n"
    "        tile[j * BLOCK + threadIdx.x] = i < n ? in[i] : 0;\n"
    "    }\n"
    "    __syncthreads();\n"
    "    for (int j = 0; j < ITEMS; j++) {\n"
    "        int i = (blockIdx.x * ITEMS + j) * BLOCK + threadIdx.x;\n"
    "        if (i < n) out[i] = tile[j * BLOCK + BLOCK - 1 - threadIdx.x];\n"
    "    }\n"
    "}\n";

static json_t *run_json(const char *words, int code) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, code, "%s: exit code %d\n%s", words, result.code, result.err);
    json_error_t error;
    json_t *document = json_loads(result.out, 0, &error);
    cr_assert_not_null(document, "%s: %s\n%s", words, error.text, result.out);
    program_free(&result);
    return document;
}

static bool has_device(const char *name) {
    json_t *document = run_json("devices --json", 0), *device;
    bool found = false;
    size_t index;
    json_array_foreach(json_object_get(document, "devices"), index, device) {
        found |= strcmp(json_string_value(json_object_get(device, "name")), name) == 0;
    }
    json_decref(document);
    return found;
}

static void need_gfx90a(void) {
    if (!has_device("amd:gfx90a"))
        cr_skip_test("no hiprtc that compiles for gfx90a (Debian: apt-get install libamdhip64-5)");
}

Test(devices, lists_the_host_and_why_others_are_missing) {
    program_result result = program_run("devices");
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_expect(strstr(result.out, "host emulation"), "%s", result.out);
    cr_expect(strstr(result.out, "nvidia is not available: ") || strstr(result.out, "nvidia:sm_"),
              "%s", result.out);
    program_free(&result);
    cr_expect(has_device("host"));
    json_t *document = run_json("devices --json", 0);
    cr_expect_str_eq(json_string_value(json_object_get(document, "format")), "hiptemper-devices");
    json_t *missing = json_object_get(document, "missing"), *item;
    size_t index;
    json_array_foreach(missing, index, item) {
        cr_expect_str_neq(json_string_value(json_object_get(item, "provider")), "host");
        cr_expect_gt(json_string_length(json_object_get(item, "reason")), 0);
    }
    json_decref(document);
}

/* Every legal configuration is there once, with numbers when it compiled and the compiler's text
 * when not. */
Test(inspect, tells_every_configuration_or_why_not) {
    need_gfx90a();
    workplace_write("scale.hip", scale);
    json_t *document = run_json("inspect scale.hip --problem n=1000 --all --arch gfx90a --json", 0);
    json_t *found = json_array_get(json_object_get(document, "templates"), 0), *item;
    json_t *configs = json_object_get(found, "configurations");
    cr_expect_eq(json_integer_value(json_object_get(found, "space")), 11);
    cr_assert_eq(json_array_size(configs), 11);
    size_t index, rejected = 0;
    json_array_foreach(configs, index, item) {
        json_t *config = json_object_get(item, "config");
        json_int_t block = json_integer_value(json_object_get(config, "BLOCK"));
        json_int_t items = json_integer_value(json_object_get(config, "ITEMS"));
        json_t *launch = json_array_get(json_object_get(item, "launches"), 0);
        const char *status = json_string_value(json_object_get(item, "status"));
        if (block == 256) {
            cr_expect_str_eq(status, "compile");
            cr_expect(
                strstr(json_string_value(json_object_get(item, "reason")), "no blocks of 256"));
            rejected++;
            continue;
        }
        cr_assert_str_eq(status, "ok");
        cr_expect_eq(json_integer_value(json_object_get(launch, "lds")), block * items * 4);
        cr_expect_gt(json_integer_value(json_object_get(launch, "vgprs")), 0);
        cr_expect_gt(json_integer_value(json_object_get(launch, "sgprs")), 0);
        cr_expect_eq(json_integer_value(json_object_get(launch, "wavefront")), 64);
        cr_expect_gt(json_integer_value(json_object_get(launch, "waves_per_simd")), 0);
    }
    cr_expect_eq(rejected, 3);
    json_decref(document);
}

Test(inspect, prints_a_table_with_the_default_first) {
    need_gfx90a();
    workplace_write("scale.hip", scale);
    program_result result = program_run("inspect scale.hip --problem n=1000");
    cr_assert_eq(result.code, 0, "%s", result.err);
    const char *row = strstr(result.out, "BLOCK=");
    cr_assert_not_null(row, "%s", result.out);
    cr_expect(strstr(result.out, "VGPR") && strstr(result.out, "waves"), "%s", result.out);
    cr_expect(strstr(result.out, "compile: BLOCK=256 ITEMS=1: scale.hip:14:"), "%s", result.out);
    program_free(&result);
    result = program_run("inspect scale.hip --problem n=1000 --sample 1 --seed 3");
    program_result again = program_run("inspect scale.hip --problem n=1000 --sample 1 --seed 3");
    cr_expect_str_eq(result.out, again.out, "a sample is the same for the same seed");
    program_free(&result);
    program_free(&again);
}

static json_int_t access_count(const json_t *configuration, const char *field) {
    const json_t *launch = json_array_get(json_object_get(configuration, "launches"), 0);
    return json_integer_value(json_object_get(json_object_get(launch, "accesses"), field));
}

/* The code object does not say where the fields of a structure are. */
Test(inspect, counts_nothing_of_a_kernel_that_takes_a_structure) {
    static const char text[] = "#pragma tune unit\n"
                               "#pragma tune kernel(twice)\n"
                               "#pragma tune problem(line : n)\n"
                               "#pragma tune param(BLOCK : 64, 128 = 128)\n"
                               "#pragma tune block(BLOCK)\n"
                               "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
                               "#pragma tune arg(out : out float[problem.n])\n"
                               "#pragma tune arg(p : struct sizes)\n"
                               "#pragma tune arg(p.n : int = problem.n)\n"
                               "struct sizes { int n; };\n"
                               "template <int BLOCK> __global__ void twice(float *out, sizes p) {\n"
                               "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                               "    if (i < p.n) out[i] = 2;\n"
                               "}\n";
    need_gfx90a();
    workplace_write("twice.hip", text);
    program_result result = program_run("inspect twice.hip --problem n=1000 --count");
    cr_expect(strstr(result.out, "not counted: BLOCK=64: accesses of a kernel that takes the "
                                 "structure 'p' by value are not counted"),
              "%s%s", result.out, result.err);
    program_free(&result);
}

/* Each of 1000 outputs is one word that was loaded, written to LDS by whole blocks, and read. */
Test(inspect, counts_accesses_beside_the_original) {
    need_gfx90a();
    workplace_write("scale.hip", scale);
    json_t *document =
        run_json("inspect scale.hip --problem n=1000 --config BLOCK=64,ITEMS=2 --count --json", 0);
    json_t *found = json_array_get(json_object_get(document, "templates"), 0);
    const json_t *tried[] = {json_array_get(json_object_get(found, "configurations"), 0),
                             json_object_get(found, "original")};
    for (size_t i = 0; i < 2; i++) {
        cr_expect_eq(access_count(tried[i], "outputs"), 1000);
        cr_expect_eq(access_count(tried[i], "output_elements"), 1000);
        cr_expect_eq(access_count(tried[i], "launched_blocks"), 8);
        cr_expect_eq(access_count(tried[i], "blocks"), 8);
        cr_expect_eq(access_count(tried[i], "global_load_bytes"), 4000);
        cr_expect_eq(access_count(tried[i], "lds_writes"), 1024);
        cr_expect_eq(access_count(tried[i], "lds_reads"), 1000);
    }
    cr_expect_eq(access_count(tried[0], "threads"), 512);
    cr_expect_eq(access_count(tried[1], "threads"), 1024, "the default configuration");
    json_decref(document);
    program_result result =
        program_run("inspect scale.hip --problem n=1000 --config BLOCK=64 --count --blocks 3");
    cr_assert_eq(result.code, 0, "%s", result.err);
    const char *table = strstr(result.out, "Per output:");
    cr_assert_not_null(table, "%s", result.out);
    cr_expect(strstr(table, "the original") && strstr(table, "1.00x"), "%s", result.out);
    program_free(&result);
}

static void expect_message(const char *const *arguments, int code, const char *part) {
    program_result result = program_run_arguments(arguments);
    cr_expect_eq(result.code, code, "exit code %d: %s", result.code, result.err);
    cr_expect(strstr(result.err, part), "'%s' is not in: %s", part, result.err);
    cr_expect_eq(count_lines(result.err), 1, "%s", result.err);
    program_free(&result);
}
#define EXPECT_MESSAGE(code, part, ...)                                                            \
    expect_message((const char *const[]){"inspect", __VA_ARGS__, NULL}, code, part)

Test(inspect, bad_input_is_one_message_and_exit_code_2) {
    need_gfx90a();
    workplace_write("scale.hip", scale);
    EXPECT_MESSAGE(2, "exclude each other", "scale.hip", "--problem", "n=9", "--all", "--sample",
                   "3");
    EXPECT_MESSAGE(2, "gfx1", "scale.hip", "--problem", "n=9", "--arch", "gfx1");
    EXPECT_MESSAGE(2, "missing.hip", "missing.hip");
    EXPECT_MESSAGE(2, "BLOK", "scale.hip", "--problem", "n=9", "--config", "BLOK=64");
    EXPECT_MESSAGE(2, "not legal", "scale.hip", "--problem", "n=9", "--config",
                   "BLOCK=512 ITEMS=3");
    EXPECT_MESSAGE(2, "--problem", "scale.hip");
}
