/* hiptemper inspect --rank: predicted times, as a user sees them. Without ROCm these skip. */
#include "program.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

TestSuite(rank, .init = workplace_make, .fini = workplace_remove);

/* CHAIN products of a thread, one after the other, of which no compiler saves any. */
static const char chain[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(chain)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(CHAIN : 16, 64, 256, 1024 = 256)\n"
    "#pragma tune param(FORM : 0..1 = 0)\n"
    "#pragma tune block(256)\n"
    "#pragma tune grid(ceil_div(problem.n, 256))\n"
    "#pragma tune arg(in : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int CHAIN, int FORM> __global__ void chain(const float *in, float *out, int n) {\n"
    "    static_assert(FORM == 0 || CHAIN != 64, \"no such form\");\n"
    "    int i = blockIdx.x * 256 + threadIdx.x;\n"
    "    if (i >= n) return;\n"
    "    float x = in[i];\n"
    "#pragma unroll 8\n"
    "    for (int c = 0; c < CHAIN; c++) x = x * x + 1.0f;\n"
    "    out[i] = x;\n"
    "}\n";

static json_t *ranked(const char *words) {
    workplace_write("chain.hip", chain);
    program_result result = program_run(words);
    if (result.code == 3)
        cr_skip_test("no hiprtc (Debian: apt-get install libamdhip64-5)");
    cr_assert_eq(result.code, 0, "%s: %s", words, result.err);
    json_t *document = json_loads(result.out, 0, NULL);
    cr_assert_not_null(document, "%s", result.out);
    program_free(&result);
    return document;
}

static double seconds(const json_t *predicted) {
    return json_real_value(json_object_get(predicted, "seconds"));
}

Test(rank, orders_configurations_by_time_and_names_the_largest_term) {
    json_t *document =
               ranked("inspect chain.hip --problem n=4000000 --all --rank --blocks 2 --json"),
           *item, *term;
    json_t *found = json_array_get(json_object_get(document, "templates"), 0);
    json_t *configs = json_object_get(found, "configurations"), *by_rank[9] = {NULL};
    const char *name;
    size_t index;
    json_array_foreach(configs, index, item) {
        json_t *predicted = json_object_get(item, "predicted");
        if (strcmp(json_string_value(json_object_get(item, "status")), "ok") != 0) {
            cr_expect(json_is_null(predicted), "a rejected one has no time");
            continue;
        }
        json_int_t rank = json_integer_value(json_object_get(predicted, "rank"));
        cr_assert(rank >= 1 && rank <= 7 && !by_rank[rank], "rank %lld", (long long)rank);
        by_rank[rank] = item;
        json_t *terms = json_object_get(predicted, "terms");
        const char *bottleneck = json_string_value(json_object_get(predicted, "bottleneck"));
        json_object_foreach(terms, name, term) {
            cr_expect_leq(json_real_value(term),
                          json_real_value(json_object_get(terms, bottleneck)), "%s", name);
        }
    }
    for (size_t rank = 2; rank <= 7; rank++) {
        json_t *before = json_object_get(by_rank[rank - 1], "predicted");
        json_t *predicted = json_object_get(by_rank[rank], "predicted");
        json_int_t products =
            json_integer_value(json_object_get(json_object_get(by_rank[rank], "config"), "CHAIN"));
        json_int_t fewer = json_integer_value(
            json_object_get(json_object_get(by_rank[rank - 1], "config"), "CHAIN"));
        cr_expect_leq(seconds(before), seconds(predicted));
        cr_expect_leq(fewer, products, "fewer products take less time");
    }
    cr_expect_str_eq(
        json_string_value(json_object_get(json_object_get(by_rank[7], "predicted"), "bottleneck")),
        "vector instructions");
    cr_expect_str_eq(
        json_string_value(json_object_get(json_object_get(by_rank[1], "predicted"), "bottleneck")),
        "memory");
    json_decref(document);
}

Test(rank, takes_the_gpu_that_is_named) {
    json_t *document =
        ranked("inspect chain.hip --problem n=4000000 --config CHAIN=16 --rank --blocks 2 "
               "--arch model:mi50 --json");
    json_t *found = json_array_get(json_object_get(document, "templates"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(json_object_get(found, "model"), "gpu")),
                     "mi50");
    json_t *device = json_object_get(document, "device");
    cr_expect_str_eq(json_string_value(json_object_get(device, "arch")), "gfx906");
    double slower = seconds(
        json_object_get(json_array_get(json_object_get(found, "configurations"), 0), "predicted"));
    json_decref(document);
    document = ranked("inspect chain.hip --problem n=4000000 --config CHAIN=16 --rank --blocks 2 "
                      "--arch model:mi250x --json");
    found = json_array_get(json_object_get(document, "templates"), 0);
    double faster = seconds(
        json_object_get(json_array_get(json_object_get(found, "configurations"), 0), "predicted"));
    cr_expect_gt(slower, faster, "the memory of MI50 is slower");
    json_decref(document);
}

Test(rank, says_that_times_are_predicted_and_which_gpus_there_are) {
    workplace_write("chain.hip", chain);
    program_result result = program_run("inspect chain.hip --problem n=1000 --rank");
    if (result.code == 3)
        cr_skip_test("no hiprtc (Debian: apt-get install libamdhip64-5)");
    cr_expect(strstr(result.out, "Predicted, not measured, for AMD Instinct MI250X"), "%s",
              result.out);
    program_free(&result);
    result = program_run("inspect chain.hip --problem n=1000 --rank --arch model:mi51");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "'mi51'") && strstr(result.err, "mi50, mi100, mi250x"), "%s",
              result.err);
    program_free(&result);
}
