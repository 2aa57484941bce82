/* Files that commands write: new defaults, launchers, patches, skeletons, tables. */
#include "cli/command.h"
#include "pipeline/defaults.h"
#include "pipeline/launcher.h"
#include "pipeline/outputs.h"
#include "pipeline/skeleton.h"
#include "program.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "cli/reports/table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char annotated[] =
    "// A comment that says param(BLOCK : 1 = 1) must stay.\n"
    "#pragma tune unit\n"
    "#pragma tune kernel(other)\n"
    "#pragma tune param(BLOCK : 32, 64 = 32)\n"
    "#pragma tune block(BLOCK)\n#pragma tune grid(1)\n"
    "#pragma tune arg(out : out float[64])\n"
    "template <int BLOCK> __global__ void other(float *out) { out[threadIdx.x] = 1; }\n"
    "#pragma tune kernel(scale)\n"
    "#pragma tune problem(line : n, half = 2, blocks := n / half, chunk := max(blocks, 7, n))\n"
    "#pragma tune param( BLOCK : 32, 64, \\\n"
    "    pow2(128, 256) = 64 )\n"
    "#pragma tune param(FAST : false, true = true)\n"
    "#pragma tune param(T : type float, double = float)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
    "#pragma tune arg(in : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "#pragma tune arg(alpha : float = 0.5)\n"
    "template <int BLOCK, bool FAST, typename T>\n"
    "__global__ void scale(const float *in, float *out, int n, float alpha) {\n"
    "    const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i < n) out[i] = (float)(T)(in[i] * alpha);\n"
    "}\n";

static ht_template *parse(const char *text, size_t *count) {
    ht_template *templates;
    ht_error error = {0};
    cr_assert_eq(ht_template_parse(text, "t.hip", &templates, count, &error), HT_OK, "%d:%d: %s",
                 error.line, error.column, error.message);
    return templates;
}

Test(defaults, are_what_a_reader_then_finds_and_nothing_else_changes) {
    size_t count;
    ht_template *templates = parse(annotated, &count);
    cr_assert_eq(count, 2);
    ht_random random;
    ht_random_seed(&random, 4);
    for (int round = 0; round < 40; ++round) {
        ht_config config = ht_config_default(&templates[1]);
        for (size_t i = 0; i < config.count; ++i)
            config.choice[i] =
                (uint16_t)ht_random_below(&random, templates[1].params[i].value_count);
        char *text = NULL;
        ht_error error;
        cr_assert_eq(ht_defaults_write(annotated, &templates[1], &config, &text, &error), HT_OK,
                     "%s", error.message);
        size_t again;
        ht_template *read = parse(text, &again);
        cr_assert_eq(again, 2);
        ht_config standard = ht_config_default(&read[1]);
        cr_assert(ht_config_equal(&standard, &config), "%s", text);
        cr_assert(ht_template_equal(&templates[0], &read[0]), "the other template changed");
        for (size_t i = 0; i < config.count; ++i) /* with its own defaults back it is the same */
            read[1].params[i].default_index = templates[1].params[i].default_index;
        cr_assert(ht_template_equal(&templates[1], &read[1]));
        ht_template_free(read, again);
        free(text);
    }
    ht_template_free(templates, count);
}

/* The launcher must be valid C++ against the template; HIP's few names are stood in for. */
static const char stand_ins[] =
    "#define __global__\n#define hipLaunchKernelGGL(k, g, b, l, s, ...) \\\n"
    "    (ran = g.x * 1000 + b.x + l, last_stream = s, k(__VA_ARGS__))\n"
    "struct dim3 { unsigned x, y, z; dim3(unsigned a, unsigned b, unsigned c) : x(a), y(b), z(c) "
    "{} };\n"
    "typedef int hipError_t;\nenum { hipErrorInvalidValue = 1, hipErrorInvalidConfiguration = 9 "
    "};\n"
    "typedef void *hipStream_t;\n"
    "inline hipError_t hipGetLastError() { return 0; }\n"
    "static long ran; static hipStream_t last_stream;\n"
    "static struct { int x; } blockIdx, threadIdx;\n";

Test(launcher, compiles_and_launches_the_configured_kernel, .init = workplace_make,
     .fini = workplace_remove) {
    size_t count;
    ht_template *templates = parse(annotated, &count);
    ht_problem problem;
    ht_error error;
    cr_assert_eq(ht_problem_parse(&templates[1].problem, "n=1000", &problem, &error), HT_OK);
    ht_device_fields device = {.max_threads = 1024};
    ht_binding binding = {&templates[1], &problem, &device};
    ht_config config;
    cr_assert_eq(ht_config_parse(&templates[1], "BLOCK=128 FAST=true T=double", &config, &error),
                 HT_OK);
    char *text = ht_launcher_write(&binding, &config, "t.hip", "A remark.");
    workplace_write("t.hip", annotated);
    workplace_write("hip/hip_runtime.h", stand_ins);
    workplace_write("t.launch.hpp", text);
    workplace_write("main.cpp",
                    "#include \"t.launch.hpp\"\n"
                    "int main() {\n"
                    "    float in[2000] = {3}, out[2000] = {0};\n"
                    "    if (scale_tuned::launch(in, out) != 0 || ran != 8128) return 1;\n"
                    "    if (out[0] != 1.5f) return 2;\n"
                    "    scale_tuned::problem_fields problem;\n"
                    "    problem.n = 129;\n"
                    "    scale_tuned::launch(in, out, problem, 2.0f);\n"
                    "    if (ran != 2128 || out[0] != 6 || problem.blocks != 500) return 3;\n"
                    "    problem.derive();\n"
                    "    return problem.blocks == 64 && problem.chunk == 129 ? 0 : 4;\n"
                    "}\n");
    char *build =
        ht_format("cd '%s' && g++ -std=c++17 -w -I. main.cpp -o main && ./main", workplace());
    cr_assert_eq(system(build), 0, "%s", text);
    free(build);
    free(text);
    ht_problem_free(&problem);
    ht_template_free(templates, count);
}

/* A size that `require` excludes is not launched, whatever the author's launch makes of it. */
Test(launcher, refuses_sizes_that_a_constraint_excludes, .init = workplace_make,
     .fini = workplace_remove) {
    static const char rows[] =
        "#pragma tune unit\n"
        "#pragma tune kernel(copy)\n"
        "#pragma tune problem(rows : d)\n"
        "#pragma tune param(VEC : 1, 8 = 1)\n"
        "#pragma tune require(problem.d % VEC == 0)\n"
        "#pragma tune block(1)\n"
        "#pragma tune grid(1)\n"
        "#pragma tune arg(in : in float[problem.d])\n"
        "#pragma tune arg(out : out float[problem.d])\n"
        "template <int VEC> __global__ void copy(const float *in, float *out) {\n"
        "    for (int i = 0; i < VEC; ++i) out[i] = in[i];\n"
        "}\n";
    size_t count;
    ht_template *templates = parse(rows, &count);
    ht_problem problem;
    ht_error error;
    cr_assert_eq(ht_problem_parse(&templates[0].problem, "d=1000", &problem, &error), HT_OK);
    ht_device_fields device = {.max_threads = 1024};
    ht_binding binding = {&templates[0], &problem, &device};
    ht_config config;
    cr_assert_eq(ht_config_parse(&templates[0], "VEC=8", &config, &error), HT_OK);
    char *text = ht_launcher_write(&binding, &config, "t.hip", "A remark.");
    workplace_write("t.hip", rows);
    workplace_write("hip/hip_runtime.h", stand_ins);
    workplace_write("t.launch.hpp", text);
    workplace_write(
        "main.cpp",
        "#include \"t.launch.hpp\"\n"
        "int main() {\n"
        "    float in[8] = {3}, out[8] = {0};\n"
        "    copy_tuned::problem_fields problem;\n"
        "    problem.d = 1001;\n"
        "    if (copy_tuned::launch(in, out, problem) != hipErrorInvalidValue) return 1;\n"
        "    if (ran != 0 || out[0] != 0) return 2;\n"
        "    problem.d = 1008;\n"
        "    if (copy_tuned::launch(in, out, problem) != 0) return 3;\n"
        "    return ran == 1001 && out[0] == 3 ? 0 : 4;\n"
        "}\n");
    char *build =
        ht_format("cd '%s' && g++ -std=c++17 -w -I. main.cpp -o main && ./main", workplace());
    cr_assert_eq(system(build), 0, "%s", text);
    free(build);
    free(text);
    ht_problem_free(&problem);
    ht_template_free(templates, count);
}

static ht_entry *won_add(ht_entries *entries, const ht_template *template, size_t kernel,
                         const ht_problem *instance, const char *label) {
    ht_entry *entry = ht_entries_add(entries, template->name, "t.hip", 1);
    entry->kernel = kernel;
    entry->annotated = true;
    entry->template = template;
    entry->instance = instance;
    entry->problem = label ? ht_strdup(label) : NULL;
    entry->result.verdict = HT_VERDICT_IMPROVED;
    entry->result.config = ht_config_default(template);
    entry->result.config.choice[0] = 1;
    return entry;
}

/* A kernel that has no problem is in the copies of the others: it makes none of its own, "t..hip".
 */
Test(copies, are_one_for_each_label_and_none_without, .init = workplace_make,
     .fini = workplace_remove) {
    size_t count;
    ht_template *templates = parse(annotated, &count);
    ht_problem problem;
    ht_error error = {0};
    cr_assert_eq(ht_problem_parse(&templates[1].problem, "n=1000", &problem, &error), HT_OK);
    workplace_write("t.hip", annotated);
    char *path = ht_path_join(workplace(), "t.hip"), *out = ht_path_join(workplace(), "out");
    ht_session session = {.device = {.name = "host", .fields = {.max_threads = 1024}}};
    ht_refactor_options compiler = {0};
    ht_output_source source = {.path = path, .compiler = &compiler, .folder = out, .name = "t.hip"};
    ht_entries entries = {0};
    won_add(&entries, &templates[0], 0, NULL, NULL);
    won_add(&entries, &templates[1], 1, &problem, "a b");
    won_add(&entries, &templates[1], 1, &problem, "a/b");
    cr_assert_eq(ht_output_labels(&source, &entries, &session, &error), HT_OK, "%s", error.message);
    static const char *const names[] = {"out/t.hip", "out/t.a-b.hip"};
    for (size_t i = 0; i < 2; ++i) {
        char *text = workplace_read(names[i]);
        cr_assert_not_null(text, "%s", names[i]);
        cr_assert(strstr(text, "BLOCK : 32, 64 = 64"), "the kernel without a problem too: %s",
                  text);
        free(text);
    }
    char *stray = workplace_read("out/t..hip");
    cr_assert_null(stray);
    ht_entries_free(&entries);
    ht_problem_free(&problem);
    ht_template_free(templates, count);
    free(path);
    free(out);
}

/* Kernels that were tuned on a GPU of a machine without clang++: the remedy is printed once. */
Test(verified, a_tool_that_is_missing_is_reported_once_for_all_sources) {
    static const char remedy[] = "install the Debian package clang-19";
    ht_entries entries = {0};
    for (size_t i = 0; i < 3; ++i) {
        ht_entry *entry = ht_entries_add(&entries, "scale", "scale.hip", 1);
        entry->tuned_file = ht_format("tuned/scale%zu.hip", i);
        entry->written_checked = true;
        entry->written.missing = ht_format("the host provider needs clang++: %s", remedy);
        entry->written.unproven = ht_format("the launch at scale.hip:9 was not run: %s", remedy);
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    cr_assert(out);
    ht_outputs_report(&entries, "tuned", false, out);
    fclose(out);
    const char *first = strstr(text, remedy);
    cr_assert(first, "%s", text);
    cr_expect_null(strstr(first + 1, remedy), "%s", text);
    size_t lines = 0;
    for (const char *at = text; (at = strstr(at, "verified  scale: in part: ")) != NULL; ++at)
        ++lines;
    cr_expect_eq(lines, 3, "%s", text);
    free(text);
    ht_entries_free(&entries);
}

Test(skeleton, several_kernels_come_into_one_file) {
    const char *texts[] = {
        "{\"format\":\"hiptemper-problem\",\"version\":1,\"kernels\":[{\"kernel\":\"a\"}]}",
        "{\"format\":\"hiptemper-problem\",\"version\":1,\"kernels\":[{\"kernel\":\"b\"}]}"};
    char *merged = ht_skeleton_merge(texts, 2);
    json_t *document = json_loads(merged, 0, NULL);
    cr_assert_not_null(document);
    json_t *kernels = json_object_get(document, "kernels");
    cr_assert_eq(json_array_size(kernels), 2);
    cr_assert_str_eq(json_string_value(json_object_get(json_array_get(kernels, 1), "kernel")), "b");
    json_decref(document);
    free(merged);
}

Test(table, columns_align_whatever_the_cells_hold) {
    FILE *out = tmpfile();
    ht_table *table = ht_table_new("lrt", (const char *const[]){"name", "ms", "configuration"});
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    ht_table_row(table, (const char *const[]){"Größe", "1.25", "short"});
    ht_table_row(table, (const char *const[]){"k", "1000", longer});
    ht_table_finish(table, out, 2);
    char text[8192];
    rewind(out);
    size_t length = fread(text, 1, sizeof text - 1, out);
    text[length] = 0;
    fclose(out);
    cr_assert(strstr(text, "  Größe  1.25  short\n"), "%s", text);
    cr_assert(strstr(text, "  name     ms  configuration\n"), "%s", text);
    cr_assert(strstr(text, "xxx...\n"), "the long cell is cut: %s", text);
}
