/* Words and numbers of the author's in a tuned source: launches that a program prints, constants,
 * comments, sums. */
#include "written_support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "tests/test_folder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define PRINTED(ahead, print)                                                                      \
    "#include <hip/hip_runtime.h>\n#include <cstdio>\n#include <iostream>\n" ahead                 \
    "__global__ void k(const float *in, float *out, int n) {\n"                                    \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    if (i < n) out[i] = in[i] * 2;\n}\n"                                                      \
    "void run(const float *in, float *out, int n) {\n"                                             \
    "    int threads = 256;\n"                                                                     \
    "    int blocks = (n + threads - 1) / threads;\n" print                                        \
    "    k<<<blocks, threads>>>(in, out, n);\n}\n"

static void expect_both(const char *source, const char *part, bool there) {
    char *text = written(source, "BLOCK_X=128 COARSEN_X=2");
    (there ? expect_part : expect_none)(text, part);
    free(text);
}

/* A program that prints its launch prints what is launched; one that computes with it does not. */
Test(written_words, variables_that_are_only_printed_besides_have_the_new_launch) {
    static const char threads[] = "    int threads = 128;\n";
    expect_both(PRINTED("", "    printf(\"%d blocks of %d\\n\", blocks, threads);\n"), threads,
                true);
    expect_both(PRINTED("", "    std::cout << \"blocks of \" << threads << std::endl;\n"), threads,
                true);
    expect_both(PRINTED("void use(int);\n", "    use(threads);\n"), threads, false);
    expect_both(PRINTED("", "    printf(\"%d\\n\", threads * 2);\n"), threads, false);
}

/* A comment that is written takes no name. */
Test(written_words, words_of_a_comment_are_free_as_names) {
    char *text = example("conv2d_nhwc", "BLOCK_X=32 COARSEN_X=4 TILED=true");
    expect_part(text, "/* threads of a block, each with several K */\n");
    expect_part(text, "  const int threads = (K + OUTPUTS_PER_THREAD - 1) / OUTPUTS_PER_THREAD;\n");
    free(text);
}

/* A constant of the file is defined anew as a macro is, where nothing else has its number. */
Test(written_words, a_constant_whose_uses_all_change_has_another_number) {
    char *text = example("depthwise", "BLOCK_X=8 BLOCK_Y=32 COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "constexpr int kBlockX = 8;\nconstexpr int kBlockY = 32;\n");
    expect_part(text,
                "(s.out_w + kOutputsPerThread * kBlockX - 1) / (kOutputsPerThread * kBlockX)");
    expect_part(text, "(s.out_h + kBlockY - 1) / kBlockY,\n");
    expect_part(text, "dim3(kBlockX, kBlockY)");
    free(text);
}

/* One that has the name of a size, and counts threads with several of it each, says so. */
Test(written_words, a_constant_with_the_name_of_a_size_says_what_it_counts) {
    char *text = example("conv2d_nhwc", "BLOCK_X=32 COARSEN_X=4");
    expect_part(text, "\n#define BLOCK_K 32 /* threads of a block, each with several K */\n");
    free(text);
    text = example("conv2d_nhwc", "BLOCK_X=32"); /* one each, as its name says */
    expect_part(text, "\n#define BLOCK_K 32\n");
    free(text);
    text = example("depthwise", "BLOCK_X=8 BLOCK_Y=32 COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_none(text, "several"); /* kBlockX: the block's axis */
    free(text);
}

/* The kernel keeps it, too, wherever it asks for the block. */
Test(written_words, a_constant_that_is_the_number_of_threads_stays_in_the_kernel) {
    char *text = example("depthwise", "BLOCK_X=8 BLOCK_Y=32 COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "  const int out_x0 = blockIdx.x * (kBlockX * kOutputsPerThread) + "
                      "threadIdx.x;\n  const int out_y = threadIdx.y + blockIdx.y * kBlockY;\n");
    expect_part(text, " * kBlockX;\n    if (out_x >= out_w) break;\n");
    expect_none(text, "blockDim");
    free(text);
    text = example("depthwise", "COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "  const int out_x0 = blockIdx.x * (kBlockX * kOutputsPerThread) + ");
    free(text);
}

/* One that has another value than the block has threads does not. */
Test(written_words, a_constant_that_stays_is_no_number_of_threads) {
    static const char source[] =
        "#include <hip/hip_runtime.h>\nconstexpr int kBlock = 256;\nvoid use(int);\n"
        "__global__ void k(const float *in, float *out, int n) {\n"
        "    const int i = blockIdx.x * kBlock + threadIdx.x;\n"
        "    if (i < n) out[i] = in[i] * 2;\n}\n"
        "void run(const float *in, float *out, int n) {\n    use(kBlock * 4);\n"
        "    k<<<(n + kBlock - 1) / kBlock, kBlock>>>(in, out, n);\n}\n";
    char *text = written(source, "BLOCK_X=128");
    expect_part(text, "constexpr int kBlock = 256;\n");
    expect_part(text, "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n");
    free(text);
}

/* A pointer that is declared for each output has its star where the author has it. */
Test(written_words, pointers_are_written_as_the_author_writes_them) {
    static const char *const stars[] = {"const float* row", "const float *row"};
    for (size_t i = 0; i < sizeof stars / sizeof *stars; ++i) {
        char *source = ht_format(
            "#include <hip/hip_runtime.h>\n"
            "__global__ void k(float* out, const float* in, const float* w, int n, int m) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n) {\n        float sum = 0.0f;\n        %s = in + i * m;\n"
            "        for (int c = 0; c < m; c++) sum += row[c] * w[c];\n"
            "        out[i] = sum;\n    }\n}\n"
            "void run(float* out, const float* in, const float* w, int n, int m) {\n"
            "    k<<<(n + 255) / 256, 256>>>(out, in, w, n, m);\n}\n",
            stars[i]);
        char *text = written(source, "TILED=true COARSEN_X=4");
        expect_part(text, stars[i]);
        expect_part(text, "row[c] * w_value");
        expect_none(text, stars[1 - i]);
        free(text);
        free(source);
    }
}

/* Returns a source whose header is as given, with another block; free(). */
static char *written_with_header(const char *header) {
    static const char source[] =
        "#include <hip/hip_runtime.h>\n#include \"%s/sizes.h\"\n#define THREADS 256\n"
        "__global__ void k(const float *in, float *out, int n) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) out[i] = in[i] * SCALE;\n}\n"
        "void run(const float *in, float *out, int n) {\n"
        "    k<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, out, n);\n}\n";
    char *folder = test_folder_make(), *path = ht_path_join(folder, "k.hip");
    char *other = ht_path_join(folder, "sizes.h"), *text = ht_format(source, folder);
    ht_problem_file *problems;
    cr_assert_eq(ht_file_write(other, header, strlen(header), NULL), HT_OK);
    cr_assert_eq(ht_file_write(path, text, strlen(text), NULL), HT_OK);
    ht_refactor *refactor = refactor_open(path, &problems);
    free(text);
    text = apply_to(refactor, "BLOCK_X=64");
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    ht_dir_remove(folder);
    free(folder);
    free(path);
    free(other);
    return text;
}

/* A header that the file includes may have the number, too: then it keeps the old one. */
Test(written_words, a_macro_that_no_header_names_is_defined_anew) {
    char *text = written_with_header("#define SCALE 2\n");
    expect_part(text, "#define THREADS 64\n");
    expect_part(text, "k<<<(n + THREADS - 1) / THREADS, THREADS>>>");
    free(text);
    text = written_with_header("#define SCALE 2\n#define BYTES (THREADS * 4)\n");
    expect_part(text, "#define THREADS 256\n");
    free(text);
}

static const char *const claims[][2] = {
    {"// one thread per pixel\n", "// one thread per tile of pixels\n"},
    {"/* Every thread handles one output element of out. */\n",
     "/* Every thread handles several output elements of out. */\n"},
    {"// each thread computes a single value\n", "// each thread computes several values\n"},
    {"// scales. A thread for each\n// element of a row\n",
     "// scales. A thread for each\n// tile of elements of a row\n"},
    {"/*\n * one thread per\n * pixel\n */\n", "/*\n * one thread per\n * tile of pixels\n */\n"},
    {"// grid: x = pixel, y = row\n", "// grid: x = tile of pixels, y = row\n"},
    {"// x = pixel\n", "// x = pixel\n"},
    {"// threads (pixels) share\n", "// threads (tiles of pixels) share\n"},
    {"// a naive kernel\n", "// a naive kernel\n"}, /* as it was, in a loop */
    {"// a thread per row, one value at a time\n", "// a thread per row, one value at a time\n"},
    {"// one thread per pixelated block\n", "// one thread per pixelated block\n"},
    {"// every thread waits for one element\n", "// every thread waits for one element\n"},
};

Test(written_words, an_array_keeps_the_comments_ahead_of_an_index) {
    char *text = written("#include <hip/hip_runtime.h>\n"
                         "__global__ void k(const float *in, float *out, int n) {\n"
                         "    // out is a row\n"
                         "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "    if (i >= n) return;\n"
                         "    float sum = 0;\n"
                         "    for (int k = 0; k < 3; ++k) sum += in[i + k];\n"
                         "    out[i] = sum;\n}\n"
                         "void run(const float *in, float *out, int n) {\n"
                         "    k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n",
                         "TILED=true COARSEN_X=4");
    expect_part(text, "{\n    // out is a row\n    const int i_first = ");
    free(text);
}

/* Variables are written as the file's own of several words are; where it has both ways, or none, or
 * where only others' names are written so, with underscores. */
Test(written_words, variables_are_named_as_the_files_are) {
    static const struct {
        const char *declares, *expected;
    } cases[] = {
        {"int rowCount = 0;", "iFirst"},
        {"int row_count = 0;", "i_first"},
        {"int rowCount = 0, row_count = 0;", "i_first"},
        {"int count = 0;", "i_first"},
        {"const int kCount = 0;", "i_first"},
        {"size_t rowCount = static_cast<size_t>(blockSize());", "iFirst"},
        {"hipStream_t stream = 0;", "i_first"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *source =
            ht_format("#include <hip/hip_runtime.h>\nint blockSize();\n"
                      "__global__ void k(const float *in, float *out, int n) {\n"
                      "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "    if (i >= n) return;\n    float sum = 0;\n"
                      "    for (int j = 0; j < 3; ++j) sum += in[i + j];\n    out[i] = sum;\n}\n"
                      "void run(const float *in, float *out, int n) {\n    %s\n"
                      "    k<<<(n + 63) / 64, 64>>>(in, out, n);\n}\n",
                      cases[i].declares);
        char *text = written(source, "TILED=true COARSEN_X=4");
        char *declared = ht_format("    const int %s = (", cases[i].expected);
        expect_part(text, declared);
        free(declared);
        free(text);
        free(source);
    }
}

Test(written_words, a_comment_that_says_one_output_is_corrected) {
    for (size_t i = 0; i < sizeof claims / sizeof *claims; ++i) {
        char *source = ht_format(PRINTED("%s", ""), claims[i][0]);
        char *text = written(source, "COARSEN_X=4");
        expect_part(text, claims[i][1]);
        free(text);
        text = written(source, "BLOCK_X=128");
        expect_part(text, claims[i][0]);
        free(text);
        free(source);
    }
    char *text = example("conv2d_direct", "COARSEN_X=2");
    expect_part(text, "NCHW, one thread per tile of output pixels.");
    free(text);
    text = example("conv2d_direct", "COARSEN_X=2 COARSEN_X_STRIDED=true");
    expect_part(text, "NCHW, one thread for several output pixels that lie a block apart.");
    free(text);
    text = example("conv2d_direct", "TILED=true COARSEN_X=2 TILE_K=8");
    expect_part(text, "NCHW, one thread per tile of output pixels, for several k.");
    free(text);
    char *source = ht_format(PRINTED("%s", ""), "// A thread for each element of a row.\n");
    text = written(source, "COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "// A thread for several elements, each of a row.\n");
    free(text);
    free(source);
    source = ht_format(PRINTED("%s", ""), "// A thread for each\n// element of a row.\n");
    text = written(source, "COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "// A thread for several\n// elements, each of a row.\n");
    free(text);
    free(source);
}

#define CONSTANTS(between)                                                                         \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "constexpr int kThreads = 256;\n" between                                                      \
    "__global__ void k(const float *in, float *out, int n) {\n"                                    \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    if (i < n) out[i] = in[i] * 2;\n}\n"                                                      \
    "void run(const float *in, float *out, int n) {\n"                                             \
    "    k<<<(n + kThreads - 1) / kThreads, kThreads>>>(in, out, n);\n}\n"

/* A constant stands next to the author's that the launch has, unless the kernel is in another
 * scope. */
Test(written_words, a_constant_stands_with_the_authors) {
    static const char *const own = "kThreads = 256;\nconstexpr int kOutputsPerThread = 4;\n";
    char *text = written(CONSTANTS("struct shape {\n    int n;\n};\n"), "COARSEN_X=4");
    expect_part(text, own);
    free(text);
    text = written(CONSTANTS("#ifdef OTHER\nint other;\n#else\nint another;\n#endif\n"),
                   "COARSEN_X=4");
    expect_part(text, own);
    free(text);
    text = written(CONSTANTS("inline void other(int) {\n}\nnamespace {\n") "}\n", "COARSEN_X=4");
    expect_none(text, own);
    free(text);
    text = written(CONSTANTS("/*\nconstexpr int kThreads = 8;\n*/\n// {\nint other;\n"),
                   "COARSEN_X=4");
    expect_part(text, own);
    free(text);
}

/* A size that is squared as an int is small: one division by a product serves it. */
Test(written_words, a_size_that_is_squared_is_divided_once) {
    static const char source[] = "#include <hip/hip_runtime.h>\n"
                                 "#define BLOCK 16\n"
                                 "__global__ void k(float *a, int n) {\n"
                                 "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (x < n) a[x * n + x] *= 2;\n}\n"
                                 "void run(int n) {\n"
                                 "    float *a;\n    hipMalloc(&a, n * n * sizeof(float));\n"
                                 "    k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, n);\n}\n";
    char *text = written(source, "COARSEN_X=4");
    expect_part(text, "(n + OUTPUTS_PER_THREAD * BLOCK - 1) / (OUTPUTS_PER_THREAD * BLOCK)");
    free(text);
}

#define SQUARE(ahead)                                                                              \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(float *a, int n) {\n"                                                       \
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"                                   \
    "    if (x < n && y < n) a[y * n + x] *= 2;\n}\n"                                              \
    "void run(int n, int m) {\n"                                                                   \
    "    float *a;\n" ahead                                                                        \
    "    k<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, n);\n}\n"

/* A program that squares a size as an int has no meaning where a grid is too large: its launch does
 * not ask for that. */
Test(written_words, a_size_that_is_squared_needs_no_other_block) {
    static const struct {
        const char *source;
        bool asks;
    } cases[] = {
        {SQUARE("    hipMalloc(&a, n * n * sizeof(float));\n"), false},
        {SQUARE("    hipMalloc(&a, sizeof(float) * (n * n));\n"), false},
        {SQUARE("    hipMalloc(&a, sizeof(float) * n * n);\n"), true}, /* not of an int */
        {SQUARE("    hipMalloc(&a, n * m * sizeof(float));\n"), true},
        {SQUARE("    if (m) hipMalloc(&a, n * n * sizeof(float));\n"), true},
        {SQUARE("    hipMalloc(&a, m ? n * n : 8);\n"), true},
        {SQUARE("    n = n * n;\n    hipMalloc(&a, n * 4ull);\n"), true},
        {SQUARE("    hipMalloc(&a, sizeof(float[46341]) + sizeof(n * n));\n"), true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = written(cases[i].source, "BLOCK_X=64 BLOCK_Y=4");
        cr_expect_eq(strstr(text, "<= 262140") != NULL, cases[i].asks, "%zu: %s", i, text);
        free(text);
    }
}

/* A long launch divides its threads as the author's does. */
Test(written_words, a_long_launch_has_its_threads_declared_ahead) {
    char *text =
        written("#include <hip/hip_runtime.h>\n"
                "__global__ void k(const float *in, float *out, int rows, int columns) {\n"
                "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    if (i < rows * columns) out[i] = in[i] * 2;\n}\n"
                "void run(const float *in, float *out, int rows, int columns) {\n"
                "    k<<<(rows * columns + 255) / 256, 256>>>(in, out, rows, columns);\n}\n",
                "BLOCK_X=128 COARSEN_X=4");
    expect_part(text, "    const int threads = (rows * columns + kOutputsPerThread - 1) / "
                      "kOutputsPerThread;\n"
                      "    k<<<(threads + 127) / 128, 128>>>(in, out, rows, columns);\n");
    free(text);
}

/* Outputs along several axes are called by the author's indices, and divided alike. */
Test(written_words, outputs_along_two_axes_have_the_authors_words) {
    char *text = written(
        "#include <hip/hip_runtime.h>\n"
        "static int ceil_div(int a, int b) { return (a + b - 1) / b; }\n"
        "__global__ void mm(float *out, const float *a, const float *b, int m, int n, int c) {\n"
        "    const int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    const int col = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (row >= m || col >= n) return;\n"
        "    float sum = 0;\n"
        "    for (int i = 0; i < c; ++i) sum += a[row * c + i] * b[col * c + i];\n"
        "    out[row * n + col] = sum;\n}\n"
        "void run(float *out, const float *a, const float *b, int m, int n, int c) {\n"
        "    dim3 grid(ceil_div(m, 16), ceil_div(n, 16));\n"
        "    mm<<<grid, dim3(16, 16)>>>(out, a, b, m, n, c);\n}\n",
        "TILED=true COARSEN_X=4 COARSEN_Y=2");
    expect_part(text, "constexpr int kRowPerThread = 4;\nconstexpr int kColPerThread = 2;\n");
    expect_part(text, "float sum[kColPerThread][kRowPerThread] = {};");
    expect_part(text, "ceil_div(ceil_div(m, kRowPerThread), 16), "
                      "ceil_div(ceil_div(n, kColPerThread), 16)");
    free(text);
}

#define ROWS_TILED(ahead, value)                                                                   \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(float *out, float *lse, const float *in, const float *p, int n, int m) {\n" \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    if (i >= n * m) return;\n" ahead "    const int row = i / m;\n"                           \
    "    out[i] = in[i] * " value ";\n"                                                            \
    "    if (i % m == 0) lse[row] = p[row];\n}\n"                                                  \
    "void run(float *out, float *lse, const float *in, const float *p, int n, int m) {\n"          \
    "    k<<<(n * m + 255) / 256, 256>>>(out, lse, in, p, n, m);\n}\n"

/* The loop leaves at the first output outside, so that no guard stands ahead of it which is its
 * first test. */
Test(written_words, outputs_of_one_axis_leave_their_loop_at_the_first_outside) {
    char *text = written(ROWS_TILED("", "p[row]"), "TILED=true COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "        if (i >= n * m)\n            break;\n");
    expect_none(text, "i_first >= n * m");
    free(text);
    text = written(ROWS_TILED("", "p[row]"), "TILED=true COARSEN_X=4");
    expect_none(text, "i_first >= n * m");
    free(text);
}

/* A read ahead of the loop, which the author's guard is around, has one still: in a launch of a
 * block without any output, p may have no element. */
Test(written_words, a_guard_stays_around_reads_ahead_of_the_loop) {
    char *text = written(ROWS_TILED("    const float scale = p[0];\n", "scale"),
                         "TILED=true COARSEN_X=4 COARSEN_X_STRIDED=true");
    const char *guard = strstr(text, "if (i_first >= n * m) return;"), *read = strstr(text, "p[0]");
    const char *loop = strstr(text, "for (int ti");
    cr_expect(guard && read && loop && (read > loop || guard < read), "%s", text);
    free(text);
}

/* A file that is C but for its kernels has macros; one word or header of C++ makes it C++. */
Test(written_words, a_constant_in_a_file_of_c_is_a_macro) {
#define KERNEL_OF(headers, more)                                                                   \
    "#include <hip/hip_runtime.h>\n" headers more                                                  \
    "__global__ void k(const float *in, float *out, int n) {\n"                                    \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "    if (i < n) out[i] = in[i] * 2;\n}\n"                                                      \
    "void run(const float *in, float *out, int n) {\n"                                             \
    "    k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n"
    static const char *const of_c[] = {
        KERNEL_OF("#include <stdio.h>\n", ""),
        KERNEL_OF("#include <math.h>\n", "/* no template, and no <cmath> */\n"),
    };
    static const char *const of_cpp[] = {
        KERNEL_OF("", ""),
        KERNEL_OF("#include <cstdio>\n", ""),
        KERNEL_OF("#include <stdio.h>\n#include <vector>\n", ""),
        KERNEL_OF("#include <stdio.h>\n", "template <typename T> T twice(T x) { return x; }\n"),
        KERNEL_OF("#include <stdio.h>\n", "constexpr int kThreads = 256;\n"),
    };
    for (size_t i = 0; i < sizeof of_c / sizeof *of_c; ++i) {
        char *text = written(of_c[i], "COARSEN_X=4");
        expect_part(text, "#define OUTPUTS_PER_THREAD 4\n");
        free(text);
    }
    for (size_t i = 0; i < sizeof of_cpp / sizeof *of_cpp; ++i) {
        char *text = written(of_cpp[i], "COARSEN_X=4");
        expect_part(text, "constexpr int kOutputsPerThread = 4;\n");
        free(text);
    }
}

/* A kernel with a tile of outputs in registers is not naive. */
Test(written_words, a_kernel_with_a_register_tile_is_not_called_naive) {
    static const char source[] = "#include <hip/hip_runtime.h>\n"
                                 "// Naive kernel, each thread computes one output\n"
                                 "__global__ void k(const float *in, float *out, int n) {\n"
                                 "    // the naive version reads all\n"
                                 "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i >= n) return;\n"
                                 "    float sum = 0;\n"
                                 "    for (int k = 0; k < 3; ++k) sum += in[i + k];\n"
                                 "    out[i] = sum;\n}\n"
                                 "// k is the most naive row kernel\n"
                                 "void run(const float *in, float *out, int n) {\n"
                                 "    k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n";
    char *text = written(source, "TILED=true COARSEN_X=4");
    expect_part(text, "// k is the register-tiled row kernel\n");
    expect_part(text, "// Register-tiled kernel, each thread computes several outputs\n");
    expect_part(text, "    // the register-tiled version reads all\n");
    free(text);
    text = written(source, "COARSEN_X=4");
    expect_part(text, "// Naive kernel, each thread computes several outputs\n");
    free(text);
}

#define LAUNCHES(another)                                                                          \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(const float *in, float *out, int n) {\n"                                    \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    if (i < n) out[i] = in[i] * 2;\n}\n"                                                      \
    "__global__ void other(float *out) { out[threadIdx.x] = 0; }\n"                                \
    "// Launches one thread per pixel.\n"                                                          \
    "void run(const float *in, float *out, int n) {\n" another                                     \
    "    // each thread computes one value\n"                                                      \
    "    k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n"

/* The comments of a function that launches one kernel are about that one; of two, about either. */
Test(written_words, what_a_launch_says_of_its_kernel_is_corrected) {
    char *text = written(LAUNCHES(""), "COARSEN_X=4");
    expect_part(text, "// Launches one thread per tile of pixels.\n");
    expect_part(text, "    // each thread computes several values\n");
    free(text);
    text = written(LAUNCHES("    other<<<1, 64>>>(out);\n"), "COARSEN_X=4");
    expect_part(text, "// Launches one thread per pixel.\n");
    expect_part(text, "    // each thread computes one value\n");
    free(text);
}

/* Where a file has several kernels a constant says whose it is, by a number or by the whole name.
 */
Test(written_words, a_constant_has_a_word_of_the_kernel_that_says_which) {
    static const char source[] =
        "#include <hip/hip_runtime.h>\n"
        "__global__ void scale_rows_%s(const float *in, float *out, int n) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) out[i] = in[i] * 2;\n}\n"
        "__global__ void other(float *out) { out[threadIdx.x] = 0; }\n"
        "void run(const float *in, float *out, int n) {\n"
        "    other<<<1, 64>>>(out);\n"
        "    scale_rows_%s<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n";
    static const char *const names[][2] = {{"kernel1", "kKernel1OutputsPerThread"},
                                           {"base", "kScaleRowsBaseOutputsPerThread"}};
    for (size_t i = 0; i < 2; ++i) {
        char *own = ht_format(source, names[i][0], names[i][0]);
        char *text = written(own, "COARSEN_X=4");
        expect_part(text, names[i][1]);
        free(text);
        free(own);
    }
}

/* No grid has more than 65,535 blocks along y: a sum with the rows of all is far from overflowing.
 */
Test(written_words, rows_are_rounded_up_by_a_plain_sum) {
    static const char source[] =
        "#include <hip/hip_runtime.h>\n"
        "__global__ void k(const float *in, float *out, int w, int h) {\n"
        "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (x < w && y < h) out[y * w + x] = in[y * w + x] * 2;\n}\n"
        "void run(const float *in, float *out, int w, int h) {\n"
        "    k<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(in, out, w, h);\n}\n";
    char *text = written(source, "BLOCK_Y=32");
    expect_part(text, "(h + 31) / 32");
    free(text);
    text = written(source, "BLOCK_X=64");
    expect_part(text, "w / 64 + (w % 64 != 0)");
    free(text);
}

/* ---- kernels that are there to be read ---- */

#define DOUBLES(name)                                                                              \
    "__global__ void " name "(const float *in, float *out, int n) {\n"                             \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    if (i < n) out[i] = in[i] * 2;\n}\n"
#define HIP "#include <hip/hip_runtime.h>\n"
#define LAUNCHED(name)                                                                             \
    "void run(const float *in, float *out, int n) {\n"                                             \
    "    " name "<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n"

/* A patch is written all the same; a remark says that it may not be wanted, and why. */
static const struct reading {
    const char *source, *why; /* NULL: there is no doubt */
} readings[] = {
    {HIP DOUBLES("copy_naive") LAUNCHED("copy_naive"), "its name says naive"},
    {HIP "// Naive version.\n" DOUBLES("copy") LAUNCHED("copy"), "comment above it says naive"},
    {HIP DOUBLES("copy1") DOUBLES("copy2") DOUBLES("copy3") LAUNCHED("copy1"),
     "it is the first of copy1, copy2, ...:"},
    {HIP DOUBLES("copy") LAUNCHED("copy") "int main() { run(0, 0, 0); }\n",
     "it is all that a small program shows"},
    {HIP DOUBLES("copy1") DOUBLES("copy2") LAUNCHED("copy1"), NULL}, /* two are no ladder */
    {HIP DOUBLES("copy11") DOUBLES("copy12") DOUBLES("copy13") LAUNCHED("copy11"), NULL},
    {HIP DOUBLES("naivety") LAUNCHED("naivety"), NULL},
    {HIP DOUBLES("copy") DOUBLES("other") LAUNCHED("copy") "int main() { run(0, 0, 0); }\n", NULL},
};

Test(written_words, a_kernel_that_is_there_to_be_read_is_patched_with_a_doubt) {
    for (size_t i = 0; i < sizeof readings / sizeof *readings; ++i) {
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(readings[i].source, NULL, &problems);
        const ht_kernel *kernel = ht_refactor_kernel(refactor, 0);
        const char *found = NULL;
        for (size_t k = 0; k < kernel->remark_count; ++k)
            if (kernel->remarks[k].kind == HT_REMARK_DOUBT)
                found = kernel->remarks[k].message;
        if (readings[i].why)
            cr_expect(found && strstr(found, readings[i].why), "%zu: %s", i, found ? found : "-");
        else
            cr_expect_null(found, "%zu: %s", i, found);
        char *text = apply_to(refactor, "COARSEN_X=4");
        expect_part(text, "* 2;");
        free(text);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}
