/* Words and numbers of the author's in a tuned source: launches that a program prints, constants,
 * comments, sums. */
#include "written_support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>

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

/* A constant of the file is defined anew as a macro is, where nothing else has its number. */
Test(written_words, a_constant_whose_uses_all_change_has_another_number) {
    char *text = example("depthwise", "BLOCK_X=8 BLOCK_Y=32 COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "constexpr int kBlockX = 32;\nconstexpr int kBlockY = 32;\n");
    expect_part(text, "(s.out_h + kBlockY - 1) / kBlockY,\n");
    expect_part(text, "dim3(kBlockX / kOutputsPerThread, kBlockY)");
    free(text);
}

static const char *const claims[][2] = {
    {"// one thread per pixel\n", "// one thread per tile of pixels\n"},
    {"/* Every thread handles one output element of out. */\n",
     "/* Every thread handles several output elements of out. */\n"},
    {"// each thread computes a single value\n", "// each thread computes several values\n"},
    {"// a thread per row, one value at a time\n", "// a thread per row, one value at a time\n"},
    {"// one thread per pixelated block\n", "// one thread per pixelated block\n"},
    {"// every thread waits for one element\n", "// every thread waits for one element\n"},
};

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
