/* Tuned lines are in the format of the project around them, others are the author's. */
#include "program.h"
#include "scale_problem.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(format, .init = workplace_make, .fini = workplace_remove);

static const char source[] = "#include <hip/hip_runtime.h>\n"
                             "\n"
                             "__global__ void scale( const float *in,float *out,int n )\n"
                             "{\n"
                             "  int   i=blockIdx.x*blockDim.x+threadIdx.x;\n"
                             "  if(i>=n)return;\n"
                             "  out[i]=2*in[i]+in[i]*0.25f;\n"
                             "}\n"
                             "\n"
                             "void run( const float *in,float *out,int n )\n"
                             "{\n"
                             "  int    unchanged=n+255;\n"
                             "  scale<<< unchanged/256, 256 >>>( in,out,n );\n"
                             "}\n";

static const char problem[] = SCALE_PROBLEM;

static bool has_formatter(void) {
    return system("command -v clang-format >/dev/null") == 0; /* NOLINT(cert-env33-c) */
}

static void tree_write(const char *style) {
    workplace_write("src/deep/scale.hip", source);
    workplace_write("src/deep/scale.problem.json", problem);
    if (style)
        workplace_write("src/.clang-format", style);
}

/* Returns the tuned text, and what was said on standard error to *err unless that is NULL. */
static char *tuned(const char *options, char **err) {
    char words[200];
    snprintf(words, sizeof words,
             "apply COARSEN_X=2,BLOCK_X=64 src/deep/scale.hip --out t --no-comment %s", options);
    program_result result = program_run(words);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    if (err)
        *err = strdup(result.err);
    program_free(&result);
    char *text = workplace_read("t/scale.hip");
    cr_assert_not_null(text);
    return text;
}

static void expect_part(const char *text, const char *part) {
    cr_expect(strstr(text, part), "'%s' is not in\n%s", part, text);
}

static void expect_none(const char *text, const char *part) {
    cr_expect(!strstr(text, part), "'%s' is in\n%s", part, text);
}

/* Lines of the author's that the configuration does not change. */
static void expect_kept(const char *text) {
    expect_part(text, "\n__global__ void scale( const float *in,float *out,int n )\n{\n");
    expect_part(text, "\nvoid run( const float *in,float *out,int n )\n{\n");
    expect_part(text, "\n  int    unchanged=n+255;\n");
}

Test(format, changed_lines_are_as_clang_format_has_them_and_others_as_they_were) {
    if (!has_formatter())
        cr_skip_test("no clang-format");
    tree_write("BasedOnStyle: LLVM\nIndentWidth: 8\nSpaceBeforeParens: Always\n");
    char *text = tuned("", NULL);
    expect_kept(text);
    expect_part(text, "\n        for (int i = i0; ");
    expect_part(text, "\n                out[i] = 2 * in[i] + in[i] * 0.25f;\n");
    expect_none(text, "out[i]=2");
    free(text);
}

Test(format, what_the_project_does_not_format_stays_as_it_was_written) {
    if (!has_formatter())
        cr_skip_test("no clang-format");
    tree_write(NULL);
    char *plain = tuned("--no-format", NULL);
    tree_write("BasedOnStyle: LLVM\nIndentWidth: 8\n");
    char *off = tuned("--no-format", NULL);
    cr_expect_str_eq(off, plain);
    free(off);
    static const char *const lists[] = {"# ours\ndeep/*.hip\n", "**/scale.hip\n", "!other/*\n"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        workplace_write("src/.clang-format-ignore", lists[i]);
        char *text = tuned("", NULL);
        cr_expect_str_eq(text, plain, "%s\n%s", lists[i], text);
        free(text);
    }
    workplace_write("src/.clang-format-ignore", "deep/other.hip\n!deep/*.hip\n");
    char *text = tuned("", NULL);
    expect_part(text, "\n                out[i] = 2");
    free(text);
    workplace_write("src/deep/.clang-format", "DisableFormat: true\n");
    workplace_write("src/.clang-format-ignore", "");
    text = tuned("", NULL);
    cr_expect_str_eq(text, plain);
    free(text);
    free(plain);
}

/* A text that cannot be formatted is written all the same. */
Test(format, a_style_that_clang_format_does_not_read_is_named_once) {
    tree_write(NULL);
    char *plain = tuned("--no-format", NULL), *err = NULL;
    tree_write("NoSuchKey: 3\n");
    char *text = tuned("", &err);
    cr_expect_str_eq(text, plain);
    expect_part(err, "changed lines are not formatted as ");
    expect_part(err, "src/.clang-format says: ");
    expect_part(err, "--no-format");
    char *first = strstr(err, "are not formatted");
    cr_expect(first && !strstr(first + 1, "are not formatted"), "%s", err);
    free(err);
    free(text);
    free(plain);
}

/* Without a .clang-format the file shows its style: two blanks a step, braces on their lines. */
Test(format, without_a_clang_format_new_lines_are_like_the_files_own) {
    workplace_write("blur.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void blur(const float *in, float *out, int w, int h)\n"
                    "{\n"
                    "  const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "  const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                    "  if(x >= w || y >= h) return;\n"
                    "  float sum = 0;\n"
                    "  for(int i = -2; i <= 2; ++i)\n"
                    "  {\n"
                    "    sum += in[y * w + min(max(x + i, 0), w - 1)];\n"
                    "  }\n"
                    "  out[y * w + x] = sum / 5;\n"
                    "}\n"
                    "void run(const float *in, float *out, int w, int h)\n"
                    "{\n"
                    "  blur<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(in, out, w, h);\n"
                    "}\n");
    static const char config[] = "apply BLOCK_X=64,BLOCK_Y=4,TILED=true,STAGE_IN=true,COARSEN_X=2 "
                                 "blur.hip --no-comment --out ";
    char words[200];
    snprintf(words, sizeof words, "%sa --no-format", config);
    program_result result = program_run(words);
    cr_assert_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    snprintf(words, sizeof words, "%sb", config);
    result = program_run(words);
    cr_assert_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    char *raw = workplace_read("a/blur.hip"), *text = workplace_read("b/blur.hip");
    expect_part(raw, "\n      for (int e = threadIdx.y * 64 + threadIdx.x; e < 528; e += 256) {\n");
    expect_part(text, "\n    for(int e = threadIdx.y * 64 + threadIdx.x; e < 528; e += 256)\n"
                      "    {\n      const int i0");
    expect_none(text, ") {\n");
    expect_part(text, "\n  for(int tx = 0; tx < kOutputsPerThread; ++tx)\n  {\n");
    free(raw);
    free(text);
}

/* A file in C's comments gets no other ones, also where sizes fall back to the original's block. */
Test(format, comments_are_of_the_kind_that_the_file_has) {
    workplace_write("fill.hip", "#include <hip/hip_runtime.h>\n"
                                "/* fills an image */\n"
                                "__global__ void fill(const float *in, float *out, int w, int h)\n"
                                "{\n"
                                "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                                "    if (x < w && y < h)\n"
                                "        out[y * w + x] = 2 * in[y * w + x];\n"
                                "}\n"
                                "void run(const float *in, float *out, int w, int h)\n"
                                "{\n"
                                "    dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);\n"
                                "    fill<<<grid, block>>>(in, out, w, h);\n"
                                "}\n");
    program_result result = program_run("apply BLOCK_X=64,BLOCK_Y=4 fill.hip --out a");
    cr_assert_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    char *text = workplace_read("a/fill.hip");
    expect_part(text, " = h <= 262140; /* else a device launches no such grid */\n");
    expect_none(text, "//");
    free(text);
}

/* Returns the tuned text of a kernel with statements ahead of its work and a loop. */
static char *counted(const char *statements, const char *step) {
    static const char before[] =
        "#include <hip/hip_runtime.h>\n"
        "__global__ void sums(const float *in, float *out, int w, int h)\n{\n";
    static const char after[] = "    if (x >= w || y >= h)\n        return;\n"
                                "    float sum = 0;\n"
                                "    for (int i = 0; i < h; %s)\n        sum += in[i * w + x];\n"
                                "    out[y * w + x] = sum;\n}\n"
                                "void run(const float *in, float *out, int w, int h)\n{\n"
                                "    const int blocks = (w + 63) / 64;\n"
                                "    sums<<<dim3(blocks, h), 64>>>(in, out, w, h);\n}\n";
    char file[1500];
    int length = snprintf(file, sizeof file, "%s%s", before, statements);
    snprintf(file + length, sizeof file - (size_t)length, after, step);
    workplace_write("sums.hip", file);
    program_result result = program_run("apply TILED=true,COARSEN_X=2 sums.hip --out a");
    cr_assert_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    return workplace_read("a/sums.hip");
}

/* Loops count as the file's do; variables are const unless the function's own never are. */
Test(format, new_loops_and_variables_are_in_the_functions_words) {
    static const char changing[] = "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    int y = blockIdx.y;\n";
    static const char constant[] = "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    int y = blockIdx.y;\n";
    char *text = counted(changing, "i++");
    expect_part(text, "\n    int x_first = (");
    expect_part(text, "; tx++)");
    expect_none(text, "++tx");
    expect_none(text, "const int x");
    free(text);
    text = counted(constant, "++i");
    expect_part(text, "\n    const int x_first = (");
    expect_part(text, "; ++tx)");
    expect_none(text, "tx++");
    free(text);
}

/* Lines that would be longer than the file's are broken at an operator. */
Test(format, new_lines_are_as_wide_as_the_files) {
    workplace_write("long.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void scale(const float *in, float *out, int number_of_elements) {\n"
                    "  int element_of_output = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "  if (element_of_output < number_of_elements) {\n"
                    "    out[element_of_output] = 2 * in[element_of_output];\n"
                    "  }\n"
                    "}\n"
                    "void run(const float *in, float *out, int number_of_elements) {\n"
                    "  scale<<<(number_of_elements + 255) / 256, 256>>>(in, out, "
                    "number_of_elements);\n"
                    "}\n");
    program_result result = program_run("apply BLOCK_X=64,COARSEN_X=2 long.hip --out a");
    cr_assert_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    char *text = workplace_read("a/long.hip");
    expect_part(text, "\n  for (int element_of_output = element_of_output0;\n"
                      "      element_of_output < number_of_elements");
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        cr_expect_leq(strcspn(line, "\n"), 100, "%.*s", (int)strcspn(line, "\n"), line);
        if (!line[strcspn(line, "\n")])
            break;
    }
    free(text);
}

/* The original, kept for grids that a device does not launch, is formatted like other new lines. */
Test(format, a_kept_original_may_be_formatted) {
    if (!has_formatter())
        cr_skip_test("no clang-format");
    workplace_write(".clang-format", "BasedOnStyle: LLVM\n");
    workplace_write("blur.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void blur( const float *in,float *out,int w,int h )\n"
                    "{\n"
                    "  const int x=blockIdx.x*blockDim.x+threadIdx.x;\n"
                    "  const int y=blockIdx.y*blockDim.y+threadIdx.y;\n"
                    "  if ( x>=w||y>=h ) return;\n"
                    "  float sum=0;\n"
                    "  for ( int i=-2;i<=2;++i )\n"
                    "    sum+=in[y*w+min( max( x+i,0 ),w-1 )];\n"
                    "  out[y*w+x]=sum/5;\n"
                    "}\n"
                    "void run( const float *in,float *out,int w,int h )\n"
                    "{\n"
                    "  blur<<<dim3( ( w+15 )/16,( h+15 )/16 ),dim3( 16,16 )>>>( in,out,w,h );\n"
                    "}\n");
    program_result result = program_run(
        "apply BLOCK_X=64,BLOCK_Y=4,TILED=true,STAGE_IN=true,COARSEN_X=2 blur.hip --out a");
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_expect(strstr(result.out, "verified  1 launch of the file run"), "%s", result.out);
    program_free(&result);
    char *text = workplace_read("a/blur.hip");
    expect_part(text, "blur_plain(");
    free(text);
}
