/* Kernels that read textures and write surfaces: templates have buffers in their place. */
#include "tree_support.h"

#include "refactor/source/texture_names.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(texture, .init = tree_folder_make, .fini = tree_folder_remove);

#define PIXEL                                                                                      \
    "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "              \
    "threadIdx.y;\n  if (x < w && y < h) "
#define LAUNCH "  dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);\n  k<<<grid, block>>>"

/* Returns the template of a source under this name; the caller frees `*out_refactor`. */
static const ht_template *template_of(const char *name, const char *text,
                                      ht_refactor **out_refactor) {
    char *path = tree_put(name, text);
    *out_refactor = tree_read(path, NULL, NULL);
    free(path);
    const ht_kernel *kernel = kernel_named(*out_refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", name, kernel->reason);
    return kernel->template;
}

static const ht_arg *arg_of(const ht_template *template, const char *name) {
    for (size_t i = 0; i < template->arg_count; ++i)
        if (strcmp(template->args[i].name, name) == 0)
            return &template->args[i];
    cr_assert_fail("no argument '%s'", name);
    return NULL;
}

/* The texels are a buffer that is large enough for the sizes, to which coordinates are clamped. */
Test(texture, an_object_is_a_buffer_of_texels) {
    static const char cuda[] =
        "__global__ void k(float *out, cudaTextureObject_t t, int w, int h) {\n" PIXEL
        "out[y * w + x] = tex2D<float>(t, x - 9, y) + tex2D<uchar4>(t, x, "
        "y).y;\n}\n"
        "void run(float *out, int w, int h) {\n"
        "  cudaTextureObject_t t = 0;\n"
        "  cudaCreateTextureObject(&t, nullptr, nullptr, nullptr);\n" LAUNCH "(out, t, w, h);\n}\n";
    char *hip = ht_strdup(cuda);
    for (char *at; (at = strstr(hip, "cuda")) != NULL;) /* "cuda" and "hip" differ in length */
        memcpy(at, " hip", 4);
    const char *const sources[][2] = {{"k.cu", cuda}, {"k.hip", hip}};
    for (size_t i = 0; i < 2; ++i) {
        ht_refactor *refactor;
        const ht_template *template = template_of(sources[i][0], sources[i][1], &refactor);
        const ht_arg *texels = arg_of(template, "t.texels");
        cr_expect_eq(texels->role, HT_ARG_IN);
        cr_expect_str_eq(texels->type, "float");
        cr_expect_not_null(strstr(template->unit, "#define tex2D "));
        cr_expect_null(strstr(template->unit, "#define tex3D "), "what is not called is left out");
        (void)arg_of(template, "t.width");
        ht_refactor_free(refactor);
    }
    free(hip);
}

/* A reference is a table in device memory, filled as constant memory is. */
Test(texture, a_reference_is_a_table) {
    ht_refactor *refactor;
    const ht_template *template =
        template_of("k.cu",
                    "texture<uchar4, 2, cudaReadModeNormalizedFloat> t;\n"
                    "__global__ void k(float *out, int w, int h) {\n" PIXEL
                    "out[y * w + x] = tex2D(t, x, y).z;\n}\n"
                    "void run(float *out, int w, int h) {\n" LAUNCH "(out, w, h);\n}\n",
                    &refactor);
    cr_expect_eq(arg_of(template, "t")->role, HT_ARG_CONSTANT);
    ht_refactor_free(refactor);
}

Test(texture, a_surface_is_written_and_read) {
    ht_refactor *refactor;
    const ht_template *template = template_of(
        "k.cu",
        "__global__ void k(const float *in, cudaSurfaceObject_t s, int w, int h) {\n" PIXEL
        "surf2Dwrite(in[y * w + x], s, x * 4, y, cudaBoundaryModeTrap);\n}\n"
        "void run(float *in, cudaSurfaceObject_t s, int w, int h) {\n" LAUNCH "(in, s, w, h);\n}\n",
        &refactor);
    cr_expect_eq(arg_of(template, "s.bytes")->role, HT_ARG_INOUT);
    ht_refactor_free(refactor);
}

/* Values worked out by hand: texels of 2 x 2, whose first channel is 1, 2, 3, 4. */
Test(texture, fetches_clamp_and_interpolate) {
    static const char before[] =
        "#include <cmath>\n#define __host__\n#define __device__\n#define __attribute__(x)\n"
        "struct float2 { float x, y; };\nstruct float4 { float x, y, z, w; };\n"
        "static float2 make_float2(float x, float y) { return {x, y}; }\n"
        "static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }\n"
        "#define V(t, n) struct n##2 { t x, y; }; struct n##4 { t x, y, z, w; };\n"
        "typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint;\n"
        "V(char, char) V(uchar, uchar) V(short, short) V(ushort, ushort) V(int, int) V(uint, "
        "uint)\n";
    static const char after[] =
        "int main() {\n"
        "  float texels[16] = {1, 0, 0, 5, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};\n"
        "  hiptemper_texture t;\n  t.texels = texels, t.width = 2, t.height = 2, t.depth = 1;\n"
        "  bool good = tex2D<float>(t, 0.5f, 0.5f) == 1 && tex2D<float>(t, 1.0f, 0.5f) == 1.5f;\n"
        "  good = good && tex2D<float>(t, 1.0f, 1.0f) == 2.5f && tex2D<float>(t, 9, 9) == 4;\n"
        "  good = good && tex2D<float>(t, -INFINITY, 1.5f) == 3 && tex2D<int>(t, 1.9f, 0) == 254;\n"
        "  good = good && tex1Dfetch<float>(t, 2) == 3 && tex2D<float4>(t, 0, 0).w == 5;\n"
        "  (void)tex2D<float>(t, NAN, NAN);\n"
        "  unsigned char bytes[32] = {};\n  hiptemper_surface s;\n"
        "  s.bytes = bytes, s.width = 16, s.height = 2, s.depth = 1;\n"
        "  surf2Dwrite(7, s, 4, 1);\n  surf2Dwrite(7, s, 16, 0);\n  surf2Dwrite(7, s, 0, -1);\n"
        "  good = good && surf2Dread<int>(s, 4, 1) == 7 && surf2Dread<int>(s, 16, 1) == 0;\n"
        "  return good ? 0 : 1;\n}\n";
    char *text = ht_format("%s%s%s", before, strchr(ht_texture_names, '\n') + 1, after);
    char *path = tree_put("check.cpp", text);
    char *command = ht_format("clang++-19 -std=c++17 -fsanitize=address,undefined "
                              "-fno-sanitize-recover=all -o %s.out %s && %s.out",
                              path, path, path);
    cr_expect_eq(system(command), 0, "%s", command);
    free(command);
    free(path);
    free(text);
}
