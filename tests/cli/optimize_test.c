/* `hiptemper optimize` as a whole, on the machine's own cores. */
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(optimize, .init = workplace_make, .fini = workplace_remove);

/* A kernel whose block is far too small, so that anything else is faster under emulation. */
static const char source[] =
    "#include <hip/hip_runtime.h>\n"
    "\n"
    "#define BLOCK 32\n"
    "\n"
    "// Moving average of width `taps`.\n"
    "__global__ void blur(const float *in, float *out, int n, int taps) {\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i < n) {\n"
    "        float sum = 0.0f;\n"
    "        for (int t = 0; t < taps; ++t)\n"
    "            sum += in[i + t];\n"
    "        out[i] = sum / taps;\n"
    "    }\n"
    "}\n"
    "\n"
    "void blur_host(const float *in, float *out, int n, int taps, hipStream_t stream) {\n"
    "    blur<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(in, out, n, taps);\n"
    "}\n";

static const char problem[] =
    "{ \"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [ {\n"
    "  \"kernel\": \"blur\", \"problem\": \"blur : n, taps = 5\",\n"
    "  \"args\": [\"in : in float[problem.n + problem.taps]\", \"out : out float[problem.n]\",\n"
    "             \"n : int = problem.n\", \"taps : int = problem.taps\"],\n"
    "  \"host\": {\"n\": \"problem.n\"},\n"
    "  \"instances\": [ {\"name\": \"small\", \"fields\": {\"n\": 20000}} ] } ] }\n";

static void write_sources(void) {
    workplace_write("src/blur.hip", source);
    workplace_write("src/blur.problem.json", problem);
}

static json_t *read_json(const char *name) {
    char *text = workplace_read(name);
    cr_assert_not_null(text, "%s was not written", name);
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);
    cr_assert_not_null(document, "%s: line %d: %s", name, error.line, error.text);
    free(text);
    return document;
}

static json_t *member(json_t *object, const char *name, json_type type) {
    json_t *value = json_object_get(object, name);
    cr_assert_not_null(value, "there is no \"%s\"", name);
    cr_assert_eq((int)json_typeof(value), (int)type, "\"%s\" is of type %d", name,
                 (int)json_typeof(value));
    return value;
}

static json_t *first_kernel(json_t *document) {
    return json_array_get(member(document, "kernels", JSON_ARRAY), 0);
}

static const char *text_of(json_t *object, const char *name) {
    return json_string_value(member(object, name, JSON_STRING));
}

static json_int_t count_of(json_t *object, const char *name) {
    return json_integer_value(member(object, name, JSON_INTEGER));
}

static void expect_measured_kernel(json_t *kernel) {
    cr_assert_str_eq(text_of(kernel, "name"), "blur");
    cr_assert_str_eq(text_of(kernel, "file"), "src/blur.hip");
    cr_assert_eq(count_of(kernel, "line"), 6);
    cr_assert_str_eq(text_of(kernel, "problem"), "small");
    cr_assert_str_eq(text_of(kernel, "device"), "host");
    cr_assert_str_eq(text_of(kernel, "timing"), "host emulation");
    cr_assert(json_is_true(json_object_get(kernel, "emulated")));
    cr_assert(json_is_true(json_object_get(kernel, "verified")), "%s", json_dumps(kernel, 0));
    const char *status = text_of(kernel, "status");
    bool improved = strcmp(status, "improved") == 0;
    cr_assert(improved || strcmp(status, "kept") == 0 || strcmp(status, "unclear") == 0, "%s",
              status);
    double original = json_real_value(member(kernel, "original_ms", JSON_REAL));
    double tuned = json_real_value(member(kernel, "tuned_ms", JSON_REAL));
    cr_assert_gt(original, 0);
    cr_assert_gt(tuned, 0);
    json_t *interval = member(kernel, "speedup_ci", JSON_ARRAY);
    double lo = json_real_value(json_array_get(interval, 0));
    double hi = json_real_value(json_array_get(interval, 1));
    double speedup = json_real_value(member(kernel, "speedup", JSON_REAL));
    cr_assert_leq(lo, speedup);
    cr_assert_leq(speedup, hi);
    cr_assert(!improved || (lo > 1 && speedup >= 1.02), "improved with %g, %g", lo, speedup);
    json_t *made = json_object_get(kernel, "confirmation");
    bool timed = json_is_true(json_object_get(json_object_get(kernel, "written"), "timed"));
    if (improved && !timed) { /* the numbers are those of the confirmation, else of the file */
        cr_assert_eq(json_real_value(member(made, "speedup", JSON_REAL)), speedup);
        cr_assert_gt(count_of(made, "rounds"), 0);
    }
    json_int_t evaluated = count_of(kernel, "evaluated"), rejected = 0;
    const char *key;
    json_t *value;
    json_object_foreach(member(kernel, "rejected", JSON_OBJECT), key, value) rejected +=
        json_integer_value(value);
    cr_assert_leq(evaluated, 5);
    cr_assert_geq(evaluated, 1);
    cr_assert_leq(rejected, evaluated + 3, "a finalist may be rejected once more");
    cr_assert_gt(json_object_size(member(kernel, "config", JSON_OBJECT)), 0);
}

/* Expects the copy and the patch when something better was found; the source is as it was, and the
 * patch turns it into the copy. */
static void expect_files(bool improved) {
    char *unchanged = workplace_read("src/blur.hip");
    cr_assert_str_eq(unchanged, source);
    free(unchanged);
    char *copy = workplace_read("out/blur.hip"), *patch = workplace_read("out/blur.hip.patch");
    cr_assert_eq(copy != NULL, improved);
    cr_assert_eq(patch != NULL, improved);
    free(patch);
    if (!improved)
        return;
    cr_assert(strstr(copy, "// Moving average of width `taps`."), "comments stay");
    char *command =
        ht_format("cp -r '%s/src' '%s/patched' && cd '%s/patched' && sed 's/src/patched/' "
                  "../out/blur.hip.patch | patch -s -p2",
                  workplace(), workplace(), workplace());
    cr_assert_eq(system(command), 0);
    free(command);
    char *patched = workplace_read("patched/blur.hip");
    cr_assert_str_eq(patched, copy);
    free(patched);
    free(copy);
}

#define BUDGET " --max-evals 5 --max-time 60 --out out "
#define LEAST_BUDGET " --max-evals 1 --max-time 60 --out out "

/* "Twelve lines for 1 %": a kernel that is hardly faster changes nothing, and the number is
 * reported. */
Test(optimize, less_than_the_least_speedup_keeps_the_original) {
    write_sources();
    program_result result =
        program_run("optimize src --max-evals 3 --ablation 0 --min-speedup 1000 "
                    "--json out/report.json --out out");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    json_t *document = read_json("out/report.json"), *kernel = first_kernel(document);
    cr_assert_float_eq(json_real_value(member(document, "min_speedup", JSON_REAL)), 1000, 0);
    cr_assert_str_eq(text_of(kernel, "status"), "kept");
    const char *reason = text_of(kernel, "reason");
    cr_assert(strstr(reason, "nothing is faster by enough (--min-speedup 1000)") &&
                  strstr(reason, "the best, ") && strstr(reason, "x ["),
              "%s", reason);
    cr_assert(json_is_null(json_object_get(kernel, "confirmation")));
    expect_files(false);
    json_decref(document);
    program_free(&result);
}

/* The speedup of what was written is that of the file. */
static void expect_file_timed(json_t *kernel) {
    json_t *written = json_object_get(kernel, "written");
    bool improved = strcmp(text_of(kernel, "status"), "improved") == 0;
    cr_expect(!improved || json_is_true(json_object_get(written, "timed")));
    cr_expect_eq(json_is_number(json_object_get(kernel, "template_speedup")), improved);
}

Test(optimize, tunes_reports_and_writes_then_a_second_run_reuses) {
    write_sources();
    program_result result = program_run("optimize src --json out/report.json" BUDGET);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_assert(strstr(result.out, "host emulation"));
    cr_assert(strstr(result.out, "Summary"));
    cr_assert_null(strchr(result.out, '\033'), "no escape sequences in a pipe");
    program_free(&result);
    json_t *document = read_json("out/report.json");
    cr_assert_str_eq(text_of(document, "format"), "hiptemper-optimize");
    cr_assert_eq(count_of(document, "version"), 1);
    cr_assert_str_eq(text_of(document, "timing"), "host emulation");
    expect_measured_kernel(first_kernel(document));
    expect_file_timed(first_kernel(document));
    json_int_t evaluated = count_of(first_kernel(document), "evaluated");
    expect_files(strcmp(text_of(first_kernel(document), "status"), "improved") == 0);
    /* The template that was written is the one that the database has results of. */
    char *words = ht_format("export .local/share/hiptemper/tuning.sqlite --template %s --out e",
                            text_of(first_kernel(document), "template_file"));
    result = program_run(words);
    cr_assert_eq(result.code, 0, "%s: %s", words, result.err);
    cr_assert(strstr(result.out, ".dispatch.hpp"), "%s", result.out);
    program_free(&result);
    free(words);
    json_decref(document);

    result = program_run("optimize src --json=-" BUDGET);
    cr_assert_eq(result.code, 0, "%s", result.err);
    document = json_loads(result.out, 0, NULL);
    cr_assert_not_null(document, "standard output is JSON alone: %s", result.out);
    cr_assert(strstr(result.err, "Summary"), "the report goes to standard error");
    cr_assert_geq(count_of(first_kernel(document), "reused"), evaluated - 1);
    cr_assert(strstr(result.err, "earlier run"), "%s", result.err);
    json_decref(document);
    program_free(&result);
}

/* A patch with a lambda around the body is not merged, so it must not win unless that is wanted. */
/* Returns true if a source of this configuration has forms that nobody writes by hand. */
static bool is_strange(json_t *config) {
    static const char *const flags[] = {"EDGE_APART", "COARSEN_X_JAM", "FLATTEN"};
    bool strange = json_integer_value(json_object_get(config, "GRID_ORDER")) != 0;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
        strange = strange || json_is_true(json_object_get(config, flags[i]));
    return strange;
}

Test(optimize, the_fastest_wins_where_it_may_and_the_fastest_plain_one_is_named) {
    write_sources();
    program_result result = program_run("optimize src --style any --json out/report.json" BUDGET);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    json_t *document = read_json("out/report.json"), *row = first_kernel(document);
    json_t *plain = json_object_get(row, "plain"), *config = member(row, "config", JSON_OBJECT);
    cr_assert_not_null(plain);
    cr_expect(json_is_null(json_object_get(row, "freer")));
    if (json_is_object(plain)) {
        cr_expect(is_strange(config));
        cr_expect_not(is_strange(member(plain, "config", JSON_OBJECT)));
        cr_expect(json_real_value(json_array_get(json_object_get(plain, "speedup_ci"), 0)) > 1);
        cr_expect(strstr(result.out, "with --style plain"), "%s", result.out);
    }
    json_decref(document);
    program_free(&result);
}

/* A kernel that is there to be read is tuned, and the report says so. */
Test(optimize, a_kernel_that_is_there_to_be_read_is_tuned_with_a_warning) {
    workplace_write("naive.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void twice_naive(const float *in, float *out, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    if (i < n) out[i] = in[i] * 2;\n}\n"
                    "void run(const float *in, float *out, int n) {\n"
                    "    twice_naive<<<(n + 31) / 32, 32>>>(in, out, n);\n}\n");
    program_result result = program_run("optimize naive.hip --json out/report.json" BUDGET);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    json_t *document = read_json("out/report.json"), *row = first_kernel(document);
    const char *doubt = json_string_value(json_object_get(row, "doubt"));
    cr_expect(doubt && strstr(doubt, "its name says naive"), "%s", doubt ? doubt : "none");
    bool improved = strcmp(json_string_value(json_object_get(row, "status")), "improved") == 0;
    cr_expect_eq(strstr(result.out, "  warning ") != NULL, improved, "%s", result.out);
    json_decref(document);
    program_free(&result);
}

Test(optimize, what_wins_is_plain) {
    write_sources();
    program_result result = program_run("optimize src --json out/report.json" BUDGET);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    json_t *document = read_json("out/report.json");
    cr_expect_not(is_strange(member(first_kernel(document), "config", JSON_OBJECT)));
    cr_expect_not_null(json_object_get(first_kernel(document), "freer"));
    json_decref(document);
    program_free(&result);
    result = program_run("optimize src --style fancy");
    cr_expect_eq(result.code, 2);
    program_free(&result);
}

Test(optimize, kernel_without_a_problem_gets_a_skeleton) {
    char *bare = strndup(source, (size_t)(strstr(source, "void blur_host") - source));
    workplace_write("src/blur.hip", bare); /* and no launch */
    free(bare);
    program_result result = program_run("optimize src --json out/report.json" BUDGET);
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_assert(strstr(result.out, "needs-problem"));
    cr_assert(strstr(result.out, "out/blur.problem.json"));
    program_free(&result);
    json_t *document = read_json("out/report.json");
    json_t *kernel = first_kernel(document);
    cr_assert_str_eq(text_of(kernel, "status"), "needs-problem");
    cr_assert_str_eq(text_of(kernel, "skeleton_file"), "out/blur.problem.json");
    cr_assert(json_is_false(json_object_get(kernel, "verified")));
    cr_assert_gt(strlen(text_of(kernel, "reason")), 0);
    json_decref(document);
    json_t *skeleton = read_json("out/blur.problem.json");
    json_t *entry = json_array_get(member(skeleton, "kernels", JSON_ARRAY), 0);
    cr_assert_str_eq(text_of(entry, "kernel"), "blur");
    json_decref(skeleton);
}

Test(optimize, kernel_that_crashes_fails_alone) {
    write_sources();
    static const char crashing[] =
        "#include <hip/hip_runtime.h>\n"
        "__global__ void crash(float *out, int n) {\n"
        "    int i = blockIdx.x * 64 + threadIdx.x;\n"
        "    if (i < n) out[i] = *(volatile float *)(unsigned long)(i & 1);\n"
        "}\n"
        "void host(float *out, int n) { crash<<<(n + 63) / 64, 64>>>(out, n); }\n";
    workplace_write("src/crash.hip", crashing);
    workplace_write("src/crash.problem.json",
                    "{ \"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [ {\n"
                    "  \"kernel\": \"crash\", \"problem\": \"line : n\",\n"
                    "  \"args\": [\"out : out float[problem.n]\", \"n : int = problem.n\"],\n"
                    "  \"host\": {\"n\": \"problem.n\"},\n"
                    "  \"instances\": [ {\"name\": \"a\", \"fields\": {\"n\": 4096}} ] } ] }\n");
    program_result result = program_run("optimize src --json out/report.json" LEAST_BUDGET);
    cr_assert_eq(result.code, 1, "%s%s", result.out, result.err);
    program_free(&result);
    json_t *document = read_json("out/report.json");
    expect_measured_kernel(first_kernel(document));
    json_t *kernel = json_array_get(json_object_get(document, "kernels"), 1);
    cr_assert_str_eq(text_of(kernel, "status"), "failed");
    cr_assert(json_is_false(json_object_get(kernel, "verified")));
    json_decref(document);
}

Test(optimize, file_that_does_not_parse_is_bad_input_and_the_others_are_tuned) {
    write_sources();
    workplace_write("bad.hip", "#include <hip/hip_runtime.h>\n__global__ void f( {\n");
    program_result result = program_run("optimize bad.hip src --json out/report.json" LEAST_BUDGET);
    cr_assert(result.code == 1 || result.code == 2, "%d: %s", result.code, result.err);
    program_free(&result);
    json_t *document = read_json("out/report.json");
    json_t *kernels = member(document, "kernels", JSON_ARRAY);
    expect_measured_kernel(json_array_get(kernels, json_array_size(kernels) - 1));
    json_decref(document);
}

/* Blocks of one thread pay a block's start for each element: anything else wins. */
static const char annotated[] =
    "#include <hip/hip_runtime.h>\n"
    "// Doubles a line.\n"
    "#pragma tune kernel(twice)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 1, 128 = 1)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
    "#pragma tune arg(in : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int BLOCK> __global__ void twice(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i < n) out[i] = 2 * in[i];\n"
    "}\n";

Test(optimize, annotated_source_gets_new_defaults_and_a_launcher_for_each_instance) {
    workplace_write("twice.hip", annotated);
    workplace_write("twice.problem.json",
                    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"problem\": "
                    "\"line : n\", \"instances\": [{\"name\": \"one\", \"fields\": "
                    "{\"n\": 30000}}, {\"name\": \"two\", \"fields\": {\"n\": 40000}}]}");
    program_result result = program_run("optimize twice.hip" BUDGET);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    program_free(&result);
    static const char *const copies[] = {"out/twice.hip", "out/twice.two.hip"};
    static const char *const launchers[] = {"out/twice.twice.launch.hpp",
                                            "out/twice.two.twice.launch.hpp"};
    for (size_t i = 0; i < 2; ++i) {
        char *copy = workplace_read(copies[i]), *launcher = workplace_read(launchers[i]);
        cr_assert_not_null(copy, "%s", copies[i]);
        cr_assert_not_null(launcher, "%s", launchers[i]);
        cr_assert(strstr(copy, "param(BLOCK : 1, 128 = 128)"), "%s", copy);
        cr_assert(strstr(copy, "// Doubles a line."));
        cr_assert(strstr(launcher, "hipLaunchKernelGGL((twice<128>)"), "%s", launcher);
        free(copy);
        free(launcher);
    }
}

Test(optimize, interruption_reports_what_was_done) {
    write_sources();
    program_result result = program_interrupt(
        "optimize src --max-evals 0 --strategy random --fresh --out out --json out/report.json",
        "[1/1] blur (small)");
    cr_assert_eq(result.code, 130, "%s%s", result.out, result.err);
    cr_assert(strstr(result.out, "nterrupted"));
    program_free(&result);
    json_t *document = read_json("out/report.json");
    cr_assert(json_is_true(json_object_get(document, "interrupted")));
    cr_assert_str_eq(text_of(first_kernel(document), "status"), "not-run");
    json_decref(document);
}

/* A kernel that was found faster and has no file by that would look like one that is done. */
Test(optimize, a_check_of_the_tuned_source_that_is_cut_short_is_reported) {
    write_sources();
    program_result result = program_interrupt(
        "optimize src --max-evals 4 --final-time 0.1 --out out", "verifying the tuned source");
    cr_assert_eq(result.code, 130, "%s%s", result.out, result.err);
    char *copy = workplace_read("out/blur.hip");
    bool told = strstr(result.err, "its tuned source is not written: ") &&
                strstr(result.err, "what was measured is kept for the next run");
    /* On a busy machine it was checked, or timed, ahead of Ctrl-C. */
    bool decided = copy || strstr(result.out, "no tuned source is clearly faster");
    cr_expect_neq(told, decided, "%s%s", result.out, result.err);
    free(copy);
    program_free(&result);
}
