/* `hiptemper emulate --capture` writes a run's facts, and problems that agree with them. */
#include "capture_support.h"
#include "program.h"

#include "base/file.h"
#include "base/memory.h"
#include "pipeline/capture_fields.h"
#include "pipeline/capture_fill.h"
#include "pipeline/capture_line.h"
#include "pipeline/capture_name.h"
#include "pipeline/program.h"
#include "pipeline/whole.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the parts ---- */

Test(capture, a_kernels_name_is_found_in_what_was_launched) {
    static const char *const cases[][2] = {
        {"scale(float*, int)", "scale"},
        {"void ns::scale<float>(float*, int)", "ns::scale"},
        {"void k<std::pair<int, 3>, (E)1>(int (*)(int), float)", "k"},
        {"(anonymous namespace)::k(float const*)", "(anonymous namespace)::k"},
        {"plain", "plain"},
        {"", ""},
        {"void f<4>()", "f"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *name = ht_capture_kernel_name(cases[i][0]);
        cr_expect_str_eq(name, cases[i][1], "%s: %s", cases[i][0], name);
        free(name);
    }
}

Test(capture, the_types_that_parameters_point_to_are_found_in_what_was_launched) {
    static const struct {
        const char *launched, *pointee;
        size_t parameter;
    } cases[] = {{"scale(float*, int)", "float", 0},
                 {"scale(float*, int)", NULL, 1},
                 {"scale(float*, int)", NULL, 2},
                 {"void k<std::pair<int, 3>, (E)1>(std::pair<int, 3>, unsigned int const*)",
                  "unsigned int", 1},
                 {"k(int (*)(int), double const* restrict)", NULL, 0},
                 {"k(int (*)(int), double const* restrict)", "double", 1},
                 {"plain", NULL, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *type = ht_capture_pointee(cases[i].launched, cases[i].parameter);
        if (cases[i].pointee == NULL)
            cr_expect_null(type, "%s: %s", cases[i].launched, type);
        else
            cr_expect_str_eq(type, cases[i].pointee);
        free(type);
    }
}

Test(capture, template_arguments_are_found_in_what_was_launched) {
    static const char *const name = "void k<std::pair<int, 3>, -4, (E)1>(int (*)(int), float)";
    static const char *const arguments[] = {"std::pair<int, 3>", "-4", "(E)1", NULL};
    for (size_t i = 0; i < 4; ++i) {
        char *found = ht_capture_template_argument(name, i);
        if (arguments[i] == NULL)
            cr_expect_null(found, "%s", found);
        else
            cr_expect_str_eq(found, arguments[i]);
        free(found);
    }
    cr_expect_null(ht_capture_template_argument("plain(int)", 0));
    cr_expect_null(ht_capture_template_argument("k<>(int)", 0));
}

Test(capture, lines_are_taken_apart_and_put_together_again) {
    static const char *const lines[] = {"in : in float[problem.n * 4]",
                                        "out : out partial double[7] zero",
                                        "n : int = problem.n",
                                        "index : inout unsigned int[problem.n] integers(0, 63)",
                                        "by : float = ?",
                                        "taps : constant float[25]"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        ht_capture_line line;
        cr_assert(ht_capture_line_read(lines[i], &line), "%s", lines[i]);
        char *text = ht_capture_line_write(&line);
        cr_expect_str_eq(text, lines[i]);
        free(text);
        ht_capture_line_free(&line);
    }
    ht_capture_line line;
    cr_expect_not(ht_capture_line_read("no colon", &line));
    cr_expect_not(ht_capture_line_read("a :\v : in float[3]", &line));
    cr_expect_not(ht_capture_line_read("n : sideways float[3]", &line));
    cr_expect_not(ht_capture_line_read("n : in float", &line));
}

Test(capture, whole_numbers_have_the_sign_of_their_type) {
    const unsigned char bytes[8] = {0xFE, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0};
    cr_expect_eq(ht_capture_whole("int", bytes), -2);
    cr_expect_eq(ht_capture_whole("unsigned int", bytes), 4294967294);
    cr_expect_eq(ht_capture_whole("short", bytes), -2);
    cr_expect_eq(ht_capture_whole("unsigned char", bytes), 254);
    cr_expect_eq(ht_capture_whole("long", bytes), 4294967294);
}

/* Every expression that is found must have the values it was found for. */
Test(capture, an_expression_holds_in_every_launch) {
    ht_capture_fields fields = {.launches = 2};
    static const int64_t sizes[][2] = {{640, 320}, {48, 24}, {3, 5}};
    static const char *const names[] = {"w", "h", "c"};
    for (size_t i = 0; i < 3; ++i) {
        ht_capture_field *field = ht_capture_field_add(&fields, names[i]);
        memcpy(field->values, sizes[i], sizeof sizes[i]);
        field->known = true;
    }
    const int64_t seen[][2] = {{640, 320}, {640 * 48, 320 * 24}, {640 * 48 * 3, 320 * 24 * 5},
                               {641, 321}, {4 * 640, 4 * 320},   {640 * 640, 320 * 320},
                               {25, 25}};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; ++i) {
        char *text = ht_capture_expression(&fields, seen[i]);
        cr_assert_not_null(text, "%ld", (long)seen[i][0]);
        cr_expect(ht_capture_always(&fields, text, seen[i]), "%s", text);
        free(text);
    }
    const int64_t odd[2] = {1001, 77};
    cr_expect_null(ht_capture_expression(&fields, odd));
    char *made = ht_capture_expression_make(&fields, odd, "w");
    cr_expect_str_eq(made, "problem.w_2"); /* `w` is another one */
    cr_expect(ht_capture_always(&fields, made, odd));
    free(made);
    ht_capture_fields_free(&fields);
}

/* A file that stands for another must do so by whatever name the other is given: else a whole
 * program is compared with itself. */
Test(capture, a_substitute_is_compiled_behind_links_too) {
    workplace_make();
    workplace_write("real/a.hip", "#include \"b.h\"\nint main() { return 10 + B; }\n");
    workplace_write("real/b.h", "#define B 1\n");
    workplace_write("tuned/a.hip", "#include \"b.h\"\nint main() { return 20 + B; }\n");
    workplace_write("tuned/b.h", "#define B 2\n");
    cr_assert_eq(chdir(workplace()), 0);
    cr_assert_eq(symlink("real", "link"), 0);
    static const char *const folders[] = {"real", "link", "./real/../link"};
    for (size_t i = 0; i < 3; ++i) {
        char *a = ht_path_join(folders[i], "a.hip"), *b = ht_path_join(folders[i], "b.h");
        ht_substitutes substitutes = {0};
        ht_substitutes_add(&substitutes, &(ht_substitute){a, "tuned/a.hip", a, ""});
        ht_substitutes_add(&substitutes, &(ht_substitute){b, "tuned/b.h", b, ""});
        const ht_compiler_options compiler = {0};
        const ht_program_files files = {&a, 1, &compiler, NULL};
        const ht_program_run run = {.read = "."};
        ht_hip_program *program;
        ht_emulate_outcome outcome;
        ht_emulate_report *report = ht_emulate_report_new();
        ht_error error = {0};
        const ht_program_mode mode = {.wavefront = 64};
        cr_assert_eq(ht_hip_program_build(&files, &substitutes, &mode, NULL, &program, &error),
                     HT_OK, "%s", error.message);
        cr_assert_eq(ht_hip_program_run(program, &run, report, &outcome, &error), HT_OK, "%s",
                     error.message);
        cr_expect_eq(outcome.exit_code, 22, "%s: %d", folders[i], outcome.exit_code);
        ht_emulate_report_free(report);
        ht_hip_program_free(program);
        ht_substitutes_free(&substitutes);
        free(a);
        free(b);
    }
    workplace_remove();
}

/* Nobody waits for a tuned program that spins where the original does not. */
Test(capture, a_tuned_program_that_does_not_end_is_a_failure) {
    workplace_make();
    workplace_write("a.hip", "int main() { return 0; }\n");
    workplace_write("tuned/a.hip", "int main() { for (volatile int i = 0;; ++i) {} }\n");
    cr_assert_eq(chdir(workplace()), 0);
    char *path = ht_strdup("a.hip");
    const ht_compiler_options compiler = {0};
    ht_whole whole = {.files = {&path, 1, &compiler, NULL}, .run = {.read = "."}, .wavefront = 64};
    ht_refactor_options options = {0};
    ht_substitutes substitutes = {0};
    ht_entries none = {0};
    ht_error error = {0};
    cr_assert_eq(ht_whole_begin(&whole, ".", &options, &error), HT_OK, "%s", error.message);
    cr_expect_geq(whole.limit, 60);
    whole.limit = 0.5;
    ht_substitutes_add(&substitutes, &(ht_substitute){path, "tuned/a.hip", path, ""});
    cr_assert_eq(ht_whole_compare(&whole, &substitutes, ht_whole_tolerance(&none), &error), HT_OK,
                 "%s", error.message);
    cr_expect_eq(ht_whole_verdict_of(&whole), HT_WHOLE_FAILED);
    cr_assert_eq(whole.result_count, 1);
    cr_expect(strstr(whole.results[0].reason, "did not end within 0.5 s"), "%s",
              whole.results[0].reason);
    ht_substitutes_free(&substitutes);
    ht_whole_free(&whole);
    free(path);
    workplace_remove();
}

/* A launch is compiled with the file that has its kernel's rewritten launch, or with neither. */
Test(capture, substitutes_of_a_problem_are_those_of_one_copy_of_each_source) {
    ht_substitutes all = {0}, chosen;
    static char *const made[][4] = {{"k.cuh", "out/k.cuh", "k.cuh", "a"},
                                    {"main.hip", "out/main", "k.cuh", "a"},
                                    {"k.cuh", "out/k.b.cuh", "k.cuh", "b"},
                                    {"other.hip", "out/other", "other.hip", "a"}};
    for (size_t i = 0; i < 4; ++i)
        ht_substitutes_add(&all, &(ht_substitute){made[i][0], made[i][1], made[i][2], made[i][3]});
    ht_substitutes_choose(&all, "b", &chosen);
    cr_assert_eq(chosen.count, 2);
    cr_expect_str_eq(chosen.items[0].copy, "out/k.b.cuh");
    cr_expect_str_eq(chosen.items[1].copy, "out/other");
    free(chosen.items);
    ht_substitutes_choose(&all, "a", &chosen);
    cr_expect_eq(chosen.count, 3);
    free(chosen.items);
    ht_substitutes_free(&all);
}

/* ---- the command ---- */

static void make(void) {
    static const char *const names[] = {"captured.hip", "captured.cuh", "captured_kernels.hip",
                                        NULL};
    workplace_make();
    workplace_copy(SOURCES, names);
}

TestSuite(capture_command, .init = make, .fini = workplace_remove);

Test(capture_command, a_run_tells_the_problems_of_its_kernels) {
    program_result result =
        program_run("emulate --capture seen captured.hip captured_kernels.hip -- 3");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_expect_str_eq(result.out, "0\n"); /* the program's alone */
    cr_expect(strstr(result.err, "problems of 2 of 3 kernels: seen/problem.json"), "%s",
              result.err);
    cr_expect(
        strstr(result.err, "the fields of structure 'of' (range): it has a member without a name"),
        "%s", result.err);
    program_free(&result);

    json_t *capture = capture_read("seen/capture.json"),
           *problems = capture_read("seen/problem.json");
    const json_t *gather = capture_kernel(capture, "gather_columns");
    cr_expect_eq(json_integer_value(json_object_get(gather, "launches")), 3);
    cr_expect_eq(json_array_size(json_object_get(gather, "seen")), 3); /* `scale` differs */
    cr_expect_eq(
        json_integer_value(json_object_get(capture_kernel(capture, "fill_table"), "launches")), 2);

    gather = capture_kernel(problems, "gather_columns");
    cr_assert_not_null(gather);
    cr_expect_str_eq(capture_argument(gather, 0),
                     "image : in float[problem.columns * problem.rows]");
    cr_expect_str_eq(capture_argument(gather, 1),
                     "index : in int[problem.columns] integers(0, 112)");
    cr_expect_str_eq(capture_argument(gather, 2),
                     "sum : out float[problem.rows * problem.columns]");
    cr_expect_eq(capture_field(gather, 0, "rows"), 37);
    cr_expect_eq(capture_field(gather, 0, "columns"), 113);
    cr_expect_str_eq(json_string_value(json_array_get(json_object_get(gather, "block"), 1)), "4");

    const json_t *fill = capture_kernel(problems, "fill_table");
    cr_assert_not_null(fill);
    cr_expect_eq(capture_field(fill, 0, "count") + capture_field(fill, 1, "count"), 3 * 113);
    json_decref(capture);
    json_decref(problems);
}

/* Integers of any width may be subscripts. */
Test(capture_command, integers_of_every_width_keep_their_bounds) {
    workplace_write("look.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void look(const unsigned char *a, const short *b, const long *c,\n"
                    "                     const float *table, float *out, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    if (i < n) out[i] = table[a[i]] + table[b[i]] + table[c[i]];\n"
                    "}\n"
                    "template <class T> T *make(int n, int most) {\n"
                    "    T *values, some[640];\n"
                    "    for (int i = 0; i < n; ++i) some[i] = (T)(i % (most - 2) + 3);\n"
                    "    (void)hipMalloc(&values, n * sizeof(T));\n"
                    "    (void)hipMemcpy(values, some, n * sizeof(T), hipMemcpyHostToDevice);\n"
                    "    return values;\n"
                    "}\n"
                    "int main() {\n"
                    "    float *table, *out;\n"
                    "    (void)hipMalloc(&table, 200 * sizeof(float));\n"
                    "    (void)hipMalloc(&out, 640 * sizeof(float));\n"
                    "    look<<<20, 32>>>(make<unsigned char>(640, 17), make<short>(640, 33), "
                    "make<long>(640, 50),\n"
                    "                    table, out, 640);\n"
                    "    return hipDeviceSynchronize();\n"
                    "}\n");
    json_t *problems;
    const json_t *look = capture_run("emulate --capture seen look.hip", "look", &problems);
    cr_expect_str_eq(capture_argument(look, 0), "a : in unsigned char[640] integers(3, 17)");
    cr_expect_str_eq(capture_argument(look, 1), "b : in short[640] integers(3, 33)");
    cr_expect_str_eq(capture_argument(look, 2), "c : in long[640] integers(3, 50)");
    json_decref(problems);
}

/* The launches of a template with other types are no launches of the source's problem; and what a
 * field must be where an argument is computed from it. */
Test(capture_command, problems_are_of_the_types_of_the_source_and_solve_what_was_passed) {
    workplace_write(
        "two.hip",
        "#include <hip/hip_runtime.h>\n"
        "#include <cstdlib>\n"
        "template <class T, int BY> __global__ void scale(T *values, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) values[i] *= BY;\n"
        "}\n"
        "template <class T, int BY> void times(T *values, int n, int blocks) {\n"
        "    scale<T, BY><<<blocks, 64>>>(values, n);\n"
        "}\n"
        "__global__ void border(float *grid, int width) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < width) grid[i] = 0.0f;\n"
        "}\n"
        "int main(int argc, char **argv) {\n"
        "    int columns = argc > 1 ? atoi(argv[1]) : 300, rows = argc > 2 ? atoi(argv[2]) : 300;\n"
        "    float *one, *grid;\n"
        "    double *two;\n"
        "    hipMalloc(&one, 1000 * sizeof(float));\n"
        "    hipMalloc(&two, 4000 * sizeof(double));\n"
        "    hipMalloc(&grid, (columns + 2) * (rows + 2) * sizeof(float));\n"
        "    times<float, 3>(one, 1000, 20);\n"
        "    for (int i = 0; i < 3; ++i) times<double, 3>(two, 4000, 70);\n"
        "    border<<<(columns + 2 + 63) / 64, 64>>>(grid, columns + 2);\n"
        "    return hipDeviceSynchronize();\n"
        "}\n");
    json_t *problems;
    const json_t *scale =
        capture_run("emulate --capture seen two.hip -- 128 77", "scale", &problems);
    const json_t *border = capture_kernel(problems, "border");
    cr_assert_not_null(border);
    cr_expect(strstr(capture_argument(scale, 0), "float["), "%s", capture_argument(scale, 0));
    const json_t *by = json_array_get(json_object_get(scale, "template"), 1);
    cr_expect_str_eq(json_string_value(by), "3");
    cr_expect_eq(capture_field(border, 0, "columns"), 128);
    cr_expect_eq(capture_field(border, 0, "rows"), 77);
    json_decref(problems);
}

/* The file is not only complete: with it each kernel is verified against its original. */
Test(capture_command, the_problems_are_those_that_refactor_takes) {
    program_result result = program_run("emulate --capture seen captured.hip captured_kernels.hip");
    cr_assert_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    result = program_run("refactor captured_kernels.hip --problem seen/problem.json --kernel "
                         "gather_columns --out out --json=report.json --verify-configurations 4");
    cr_expect_eq(result.code, 0, "%s%s", result.out, result.err);
    json_t *report = capture_read("report.json");
    const json_t *row = json_array_get(json_object_get(report, "kernels"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(row, "status")), "templated");
    json_decref(report);
    program_free(&result);
}

/* Where two buffers must fit together random numbers do not: the original itself fails on them. */
Test(capture_command, contents_of_index_buffers_are_kept_where_they_are_wanted) {
    workplace_write("rows.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void row_sums(const int *start, const int *length,\n"
                    "                         const float *values, float *sums, int rows) {\n"
                    "    int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    if (row >= rows) return;\n"
                    "    float sum = 0;\n"
                    "    for (int k = 0; k < length[row]; ++k) sum += values[start[row] + k];\n"
                    "    sums[row] = sum;\n"
                    "}\n"
                    "int main() {\n"
                    "    int start[300], length[300], count = 0, *d_start, *d_length;\n"
                    "    float *values, *sums;\n"
                    "    for (int i = 0; i < 300; ++i) {\n"
                    "        start[i] = count;\n"
                    "        count += length[i] = i == 0 ? 600 : 1;\n"
                    "    }\n"
                    "    hipMalloc(&d_start, sizeof start);\n"
                    "    hipMalloc(&d_length, sizeof length);\n"
                    "    hipMalloc(&values, count * sizeof(float));\n"
                    "    hipMalloc(&sums, 300 * sizeof(float));\n"
                    "    hipMemset(values, 0, count * sizeof(float));\n"
                    "    hipMemcpy(d_start, start, sizeof start, hipMemcpyHostToDevice);\n"
                    "    hipMemcpy(d_length, length, sizeof length, hipMemcpyHostToDevice);\n"
                    "    row_sums<<<10, 32>>>(d_start, d_length, values, sums, 300);\n"
                    "    return hipDeviceSynchronize();\n"
                    "}\n");
    for (int mebibytes = 0; mebibytes <= 1; ++mebibytes) {
        char *words = ht_format("emulate --capture seen --inputs %d rows.hip", mebibytes);
        json_t *problems;
        const json_t *rows = capture_run(words, "row_sums", &problems);
        free(words);
        cr_expect_eq(strstr(capture_argument(rows, 0), "] file(\"start.") != NULL, mebibytes == 1,
                     "%s", capture_argument(rows, 0));
        /* Zeros are no content worth having. */
        cr_expect_null(strstr(capture_argument(rows, 2), "file("), "%s", capture_argument(rows, 2));
        json_decref(problems);
        capture_expect("rows.hip", mebibytes == 1 ? "templated" : "withheld");
    }
}

/* Vectors of whole numbers and halves are passed by value as numbers are; others by component. */
Test(capture_command, vectors_and_halves_that_are_passed_by_value_are_kept) {
    workplace_write("shift.hip",
                    "#include <hip/hip_fp16.h>\n"
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void shift(float4 *out, float4 by, int2 from, __half scale,\n"
                    "                      float4 odd, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    if (i < n) out[i] = make_float4(by.x + from.x, by.y + from.y,\n"
                    "                                    by.z * __half2float(scale), odd.w);\n"
                    "}\n"
                    "int main() {\n"
                    "    float4 *out;\n"
                    "    (void)hipMalloc(&out, 640 * sizeof(float4));\n"
                    "    shift<<<20, 32>>>(out, make_float4(255, -4, 7, 1), make_int2(-3, 12),\n"
                    "                      __float2half(0.25f), make_float4(0, 0, 0, 0.5f), 640);\n"
                    "    return hipDeviceSynchronize();\n"
                    "}\n");
    json_t *problems;
    const json_t *shift = capture_run("emulate --capture seen shift.hip", "shift", &problems);
    cr_expect_str_eq(capture_argument(shift, 1), "by : float4 = (255, -4, 7, 1)");
    cr_expect_str_eq(capture_argument(shift, 2), "from : int2 = (-3, 12)");
    cr_expect_str_eq(capture_argument(shift, 3), "scale : __half = 0.25");
    cr_expect_str_eq(capture_argument(shift, 4), "odd : struct float4");
    cr_expect_str_eq(capture_argument(shift, 8), "odd.w : float = 0.5");
    json_decref(problems);
    capture_expect("shift.hip", "templated");
}

/* The source's own launch takes the first block; the grid comes from a number that is passed to no
 * argument; and each width has its own offsets, in a buffer of one size. */
Test(capture_command, a_program_that_tries_blocks_has_the_problem_of_one_of_its_launches) {
    workplace_write("rows.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void add_rows(const int *offset, const float *in, float *out) {\n"
                    "    int first = offset[blockIdx.x], end = offset[blockIdx.x + 1];\n"
                    "    for (int i = first + threadIdx.x; i < end; i += blockDim.x)\n"
                    "        out[i] = in[i] + 1.0f;\n"
                    "}\n"
                    "int main(int argc, char **argv) {\n"
                    "    const int batch = argc + 3;\n"
                    "    for (int width = 16; width <= 64; width *= 4) {\n"
                    "        int offset[5], *d_offset;\n"
                    "        float *in, *out;\n"
                    "        for (int i = 0; i < 5; ++i) offset[i] = i * width;\n"
                    "        hipMalloc(&d_offset, sizeof offset);\n"
                    "        hipMalloc(&in, batch * width * sizeof(float));\n"
                    "        hipMalloc(&out, batch * width * sizeof(float));\n"
                    "        hipMemset(in, 0, batch * width * sizeof(float));\n"
                    "        hipMemcpy(d_offset, offset, sizeof offset, hipMemcpyHostToDevice);\n"
                    "        for (int block = 32; block <= 64; block *= 2)\n"
                    "            add_rows<<<batch, block>>>(d_offset, in, out);\n"
                    "    }\n"
                    "    return hipDeviceSynchronize();\n"
                    "}\n");
    json_t *problems;
    const json_t *rows =
        capture_run("emulate --capture seen --inputs 1 rows.hip", "add_rows", &problems);
    cr_expect_eq(json_array_size(json_object_get(rows, "instances")), 1);
    cr_expect_str_eq(json_string_value(json_array_get(json_object_get(rows, "grid"), 0)), "4");
    json_decref(problems);
    capture_expect("rows.hip", "templated");
}

/* Twice the same, over the file of the first run; another program's differ. */
Test(capture_command, copies_are_those_of_programs_that_compute_the_same) {
    program_result result = program_run("emulate --copies a.txt captured.hip captured_kernels.hip");
    cr_assert_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    char *first = workplace_read("a.txt");
    int number, end = 0;
    unsigned long long bytes, hash;
    cr_assert_eq(sscanf(first, "%d %llu %llx\nexit 0\n%n", &number, &bytes, &hash, &end), 3);
    cr_expect_eq((size_t)end, strlen(first), "%s", first);
    cr_expect_eq(number, 1);
    cr_expect_eq(bytes, sizeof(float));
    result = program_run("emulate --copies a.txt captured.hip captured_kernels.hip");
    cr_assert_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    char *second = workplace_read("a.txt");
    cr_expect_str_eq(second, first);

    char *kernels = workplace_read("captured_kernels.hip"), *at = strstr(kernels, "scale * image");
    cr_assert_not_null(at);
    memcpy(at, "scale + image", strlen("scale + image"));
    workplace_write("other.hip", kernels);
    result = program_run("emulate --copies b.txt captured.hip other.hip");
    cr_assert_eq(result.code, 1, "%s", result.err);
    program_free(&result);
    char *other = workplace_read("b.txt");
    cr_expect_str_neq(other, first);
    cr_expect(strstr(other, "\nexit 1\n"), "%s", other);
    free(other);
    free(kernels);
    free(second);
    free(first);
}

Test(capture_command, what_was_launched_before_the_end_of_its_time_is_kept) {
    workplace_write("endless.hip", "#include <hip/hip_runtime.h>\n"
                                   "__global__ void add(float *out, int n) {\n"
                                   "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    if (i < n) out[i] += 1.0f;\n}\n"
                                   "int main() {\n    float *out;\n"
                                   "    if (hipMalloc(&out, 4000) != hipSuccess) return 1;\n"
                                   "    for (;;) add<<<4, 256>>>(out, 1000);\n}\n");
    program_result result = program_run("emulate --max-time 1 --capture seen endless.hip");
    cr_expect_eq(result.code, 128 + 15, "%d: %s", result.code, result.err);
    cr_expect(strstr(result.err, "the program was ended after 1 s (--max-time)"), "%s", result.err);
    json_t *problems = capture_read("seen/problem.json");
    cr_expect_not_null(capture_kernel(problems, "add"));
    json_decref(problems);
    program_free(&result);
}
