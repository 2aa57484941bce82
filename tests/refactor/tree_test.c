/* Reading the sources of a tree: headers through their units, CUDA sources, HIP's parsed header. */
#include "tree_support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/warning.h"
#include "refactor/rewrite/apply.h"
#include "refactor/source/parsed_inputs.h"
#include "refactor/source/tree.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(tree, .init = tree_folder_make, .fini = tree_folder_remove);

Test(tree, a_header_is_read_with_the_launch_of_its_unit) {
    char *header = tree_put("kernels.h", "#pragma once\n#define WIDE 128\n" MAP("k", "float"));
    char *unit = tree_put("main.hip", "#include <hip/hip_runtime.h>\n#include \"kernels.h\"\n"
                                      "void f(const float *a, float *b, int n) {\n"
                                      "  dim3 threads(WIDE);\n"
                                      "  k<<<(n + WIDE - 1) / WIDE, threads>>>(a, b, n);\n}\n");
    ht_problem_file *given = tree_problems();
    ht_refactor *refactor = tree_read(header, &(ht_refactor_options){.through = unit}, given);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_str_eq(kernel->file, header);
    cr_assert_eq(kernel->line, 3);
    cr_assert_str_eq(kernel->launch_file, unit);
    cr_assert_eq(kernel->launch_line, 5);
    cr_assert(strstr(kernel->template->unit, "param(BLOCK_X : 32, 64, 128, 256, 512, 1024 = 128)"));
    /* the launch stands in another file: the header alone cannot be rewritten */
    ht_refactor_choice choice = {0};
    char *text = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_config_parse(kernel->template, "BLOCK_X=256", &choice.config, NULL), HT_OK);
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_ERROR_UNSUPPORTED);
    cr_assert(strstr(error.message, "main.hip"), "%s", error.message);
    ht_applied applied;
    cr_assert_eq(ht_refactor_apply_all(refactor, &choice, 1, &applied, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(applied.count, 2);
    cr_assert_str_eq(applied.files[0].path, header);
    cr_assert_str_eq(applied.files[1].path, unit);
    cr_assert(strstr(applied.files[0].text, "#define WIDE 128\n"));
    cr_assert(strstr(applied.files[1].text, "dim3 threads(256);"), "%s", applied.files[1].text);
    cr_assert(strstr(applied.files[1].text, "k<<<n / 256 + (n % 256 != 0), threads>>>"), "%s",
              applied.files[1].text);
    ht_applied_free(&applied);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(header);
    free(unit);
}

Test(tree, a_use_of_the_name_in_the_unit_is_seen) {
    char *header = tree_put("kernels.h", MAP("k", "float"));
    char *unit =
        tree_put("main.hip", "#include \"kernels.h\"\nvoid *address() { return (void *)k; }\n"
                             "void f(const float *a, float *b, int n) {\n"
                             "  k<<<(n + 63) / 64, 64>>>(a, b, n);\n}\n");
    ht_problem_file *given = tree_problems();
    ht_refactor *refactor = tree_read(header, &(ht_refactor_options){.through = unit}, given);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_null(kernel->template);
    bool told = false;
    for (size_t i = 0; i < kernel->remark_count; ++i)
        told = told || strstr(kernel->remarks[i].message, "main.hip, line 2");
    cr_assert(told, "%s", kernel->reason);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(header);
    free(unit);
}

Test(tree, a_unit_that_does_not_include_the_header_is_an_error) {
    char *header = tree_put("kernels.h", MAP("k", "float"));
    char *unit = tree_put("main.hip", "#if 0\n#include \"kernels.h\"\n#endif\n");
    ht_refactor *refactor;
    ht_error error = {0};
    ht_refactor_options options = {.through = unit};
    cr_assert_eq(ht_refactor_file(header, NULL, &options, &refactor, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "does not include"), "%s", error.message);
    free(header);
    free(unit);
}

Test(tree, cuda_sources_are_read_without_cuda) {
    char *path = tree_put(
        "k.cu", "#include <cuda_runtime.h>\n#include \"helper_cuda.h\"\n"
                "#include <cub/cub.cuh>\n"
                "#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) "
                "exit(1); } while (0)\n" MAP("k", "float") "template <typename T> " MAP(
                    "t", "T") "int main() {\n  float *a, *b;\n  int n = atoi(\"7\");\n"
                              "  CHECK(cudaMalloc(&a, n * 4));\n  cudaMalloc((void **)&b, n * 4);\n"
                              "  cudaStream_t s;\n  cudaStreamCreate(&s);\n"
                              "  cudaNeverHeardOf(a);\n  cub::Everything<int>(a);\n"
                              "  k<<<(n + 255) / 256, 256, 0, s>>>(a, b, n);\n"
                              "  t<float><<<(n + 127) / 128, 128, 0, s>>>(a, b, n);\n}\n");
    ht_problem_file *given = tree_problems();
    ht_refactor *refactor = tree_read(path, NULL, given);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_eq(kernel_named(refactor, "t", NULL)->launch_line, 23);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(path);
}

/* Host code with Thrust's vectors and algorithms around the launch; the last kernel uses Thrust
 * itself. */
static const char thrust_source[] =
    "#include <thrust/device_vector.h>\n#include <thrust/transform_reduce.h>\n" MAP(
        "k", "float") "__global__ void own(thrust::complex<float> *z) { z[0] = z[1]; }\n"
                      "float run(thrust::device_vector<float> &a, thrust::device_vector<float> &b, "
                      "int n) {\n"
                      "  thrust::host_vector<float> h(n, 1.0f);\n"
                      "  thrust::fill(b.begin(), b.end(), 0);\n  a = h;\n"
                      "  float *out = thrust::raw_pointer_cast(b.data() + n);\n"
                      "  k<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(a.data()), out, n);\n"
                      "  return thrust::reduce(b.begin(), b.end(), 0.0f, thrust::plus<float>()) / "
                      "n;\n}\n";

/* Without declarations of Thrust's names, clang drops a launch that has them in its arguments. */
Test(tree, launches_are_read_without_thrust) {
    char *path = tree_put("k.hip", thrust_source);
    ht_refactor *refactor;
    ht_error error = {0};
    cr_assert_eq(ht_refactor_file(path, NULL, NULL, &refactor, &error), HT_OK, "%s", error.message);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_neq(kernel->launch_line, 0);
    const ht_kernel *own = kernel_named(refactor, "own", NULL);
    cr_assert_eq(own->status, HT_KERNEL_UNPARSED, "%s", own->reason);
    ht_refactor_free(refactor);
    free(path);
}

/* PyTorch's headers are not there: tensors, streams and dispatch macros are declared, so that the
 * launch in a macro's lambda is read for one type. A kernel that uses another of its types stays
 * unparsed. */
Test(tree, launches_are_read_without_pytorch) {
    static const char *const dispatch[] = {
        "AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), \"run\", [&] {",
        "AT_DISPATCH_FLOATING_TYPES_AND_HALF(a.type(), \"run\", ([&] {",
        "AT_DISPATCH_ALL_TYPES_AND2(at::ScalarType::Half, at::kBFloat16, a.dtype(), \"run\", [&] {",
        "AT_DISPATCH_FLOATING_TYPES_AND(at::kHalf, a.scalar_type(), \"run\", [&] {"};
    static const char *const closing[] = {"});", "}));", "});", "});"};
    for (size_t i = 0; i < 4; ++i) {
        char *text = ht_format(
            "#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n"
            "template <typename scalar_t> " MAP(
                "k", "scalar_t") "__global__ void own(at::complex *a) { "
                                 "a[0] = a[1]; }\n"
                                 "torch::Tensor run(const at::Tensor &a) {\n"
                                 "  TORCH_CHECK(a.is_cuda() && a.dim() == 2, \"a matrix\");\n"
                                 "  const at::cuda::OptionalCUDAGuard guard(device_of(a));\n"
                                 "  auto b = torch::empty({a.size(0), a.size(1)}, a.options());\n"
                                 "  const int n = a.numel();\n"
                                 "  auto stream = at::cuda::getCurrentCUDAStream();\n  %s\n"
                                 "    k<scalar_t><<<(n + 255) / 256, 256, 0, stream>>>(\n"
                                 "        a.contiguous().data_ptr<scalar_t>(), "
                                 "b.data_ptr<scalar_t>(), n);\n"
                                 "    C10_CUDA_KERNEL_LAUNCH_CHECK();\n  %s\n  return b;\n}\n"
                                 "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); "
                                 "}\n",
            dispatch[i], closing[i]);
        char *path = tree_put("k.cu", text);
        ht_refactor *refactor;
        ht_error error = {0};
        cr_assert_eq(ht_refactor_file(path, NULL, NULL, &refactor, &error), HT_OK, "%s",
                     error.message);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", dispatch[i], kernel->reason);
        cr_expect(strstr(kernel->template->unit, "k__original<float>"), "%s",
                  kernel->template->unit);
        cr_expect_not(strstr(kernel->template->unit, "at::"), "%s", kernel->template->unit);
        cr_expect_eq(kernel_named(refactor, "own", NULL)->status, HT_KERNEL_UNPARSED);
        ht_refactor_free(refactor);
        free(path);
        free(text);
    }
}

/* Macros and types of PyTorch's that kernels use are in their templates, and its helpers for grids
 * are followed. */
Test(tree, kernels_use_macros_of_pytorch_without_it) {
    static const char *const grids[] = {"at::ceil_div(n, 256)", "at::cuda::ATenCeilDiv(n, 256)",
                                        "at::cuda::detail::GET_BLOCKS(n, 256)",
                                        "std::min(at::ceil_div(n, 256), 4096)"};
    for (size_t i = 0; i < 4; ++i) {
        char *text = ht_format(
            "#include <ATen/cuda/CUDAContext.h>\n#include <ATen/cuda/Atomic.cuh>\n"
            "C10_LAUNCH_BOUNDS_1(256) __global__ void k(const float *in, float *out, int n) "
            "{\n  CUDA_KERNEL_LOOP(i, n) {\n    at::acc_type<float, true> twice = 2 * in[i];"
            "\n    gpuAtomicAdd(out + i, twice);\n  }\n}\n"
            "void run(const at::Tensor &a, at::Tensor &b) {\n  const int n = a.numel();\n"
            "  k<<<%s, 256, 0, at::cuda::getCurrentCUDAStream()>>>(a.data_ptr<float>(),\n"
            "      b.data_ptr<float>(), n);\n}\n",
            grids[i]);
        char *path = tree_put("k.cu", text);
        ht_refactor *refactor;
        ht_error error = {0};
        cr_assert_eq(ht_refactor_file(path, NULL, NULL, &refactor, &error), HT_OK, "%s",
                     error.message);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", grids[i], kernel->reason);
        const char *unit = kernel->template->unit;
        cr_expect(strstr(unit, "#define CUDA_KERNEL_LOOP(") && strstr(unit, "acc_type"), "%s",
                  unit);
        cr_expect(strstr(unit, "grid(ceil_div(n, 256))") || strstr(unit, "+ 256 - 1) / 256"), "%s",
                  unit);
        ht_refactor_free(refactor);
        free(path);
        free(text);
    }
}

/* PyTorch's numbers of 16 bits are in templates of kernels that take them, as floats where they are
 * calculated with, and what adds them up is a float. */
Test(tree, kernels_take_halves_of_pytorch_without_it) {
    static const struct {
        const char *type, *field;
    } cases[] = {{"at::Half", "__half x;"},
                 {"c10::Half", "__half x;"},
                 {"torch::BFloat16", "hip_bfloat16 x;"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = ht_format(
            "#include <ATen/ATen.h>\ntypedef %s number;\n"
            "template <typename T> __device__ at::opmath_type<T> wide(T x) { return x; }\n"
            "__global__ void k(const number *in, number *out, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (i >= n) return;\n"
            "  at::acc_type<number, true> sum = 1.5f * in[i] + in[i] / 2;\n"
            "  sum += in[i] > 0.5 || in[i] < in[0] ? in[i] * in[i] : -in[i];\n"
            "  out[i] = wide(in[i]) - sum;\n}\n"
            "void run(const at::Tensor &a, at::Tensor &b) {\n  const int n = a.numel();\n"
            "  k<<<(n + 255) / 256, 256>>>(a.data_ptr<number>(), b.data_ptr<number>(), n);\n}\n",
            cases[i].type);
        char *path = tree_put("k.cu", text);
        ht_refactor *refactor = tree_read(path, NULL, NULL);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", cases[i].type, kernel->reason);
        const char *unit = kernel->template->unit;
        cr_expect(strstr(unit, cases[i].field), "%s", unit);
        cr_expect(strstr(unit, "struct OpMathType<"), "%s", unit);
        ht_refactor_free(refactor);
        free(path);
        free(text);
    }
}

/* HIP's header of halves, which PyTorch's numbers of 16 bits take, has functions in an unnamed
 * namespace: they would hide those for other types in a source's own unnamed one. */
Test(tree, loads_in_an_unnamed_namespace_are_found_next_to_pytorchs_halves) {
    char *path = tree_put(
        "k.cu", "#include <ATen/ATen.h>\nnamespace {\n"
                "__global__ void k(const float *in, const at::Half *by, float *out, int n) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  if (i < n) out[i] = __ldg(in + i) + __ldcs(in + i) * by[i] + "
                "__hadd(i, n);\n}\n}\n"
                "void run(const at::Tensor &a, at::Tensor &b) {\n  const int n = a.numel();\n"
                "  k<<<(n + 255) / 256, 256>>>(a.data_ptr<float>(), b.data_ptr<at::Half>(),\n"
                "      b.data_ptr<float>(), n);\n}\n");
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    ht_refactor_free(refactor);
    free(path);
}

/* Kernels may take accessors, which their templates have: of the tensor's sizes, in rows. A run
 * finds how many elements there are. */
Test(tree, kernels_take_accessors_without_pytorch) {
    char *path = tree_put(
        "k.cu",
        "#include <torch/extension.h>\n"
        "template <typename T>\n"
        "__global__ void k(const torch::PackedTensorAccessor32<T, 2, torch::RestrictPtrTraits> "
        "in,\n"
        "                  torch::PackedTensorAccessor32<T, 2, torch::RestrictPtrTraits> out) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x, columns = in.size(1);\n"
        "  if (i < in.size(0) * columns) out[i / columns][i % columns] = 2 * in[i / columns][i % "
        "columns];\n}\n"
        "at::Tensor run(const at::Tensor &a) {\n  at::Tensor b = at::empty_like(a);\n"
        "  const int n = a.size(0) * a.size(1);\n"
        "  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), \"run\", ([&] {\n"
        "  k<scalar_t><<<(n + 255) / 256, 256>>>(\n"
        "      a.packed_accessor32<scalar_t, 2, at::RestrictPtrTraits>(),\n"
        "      b.packed_accessor32<scalar_t, 2, at::RestrictPtrTraits>());\n  }));\n"
        "  return b;\n}\n");
    const ht_refactor_options options = {.tries = true};
    ht_refactor *refactor;
    ht_error error = {0};
    cr_assert_eq(ht_refactor_file(path, NULL, &options, &refactor, &error), HT_OK, "%s",
                 error.message);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    static const char *const parts[] = {"struct GenericPackedTensorAccessor {",
                                        "k__original<float>",
                                        "arg(in.data_ : inout float[problem.in_data__elements])",
                                        "arg(in.sizes_[0] : int = problem.a_size_0)",
                                        "arg(in.strides_[0] : int = 1 * problem.a_size_1)",
                                        "arg(in.strides_[1] : int = 1)",
                                        "arg(out.sizes_[1] : int = problem.b_size_1)",
                                        "grid((problem.a_size_0 * problem.a_size_1 + 255) / 256)"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        cr_expect(strstr(kernel->template->unit, parts[i]), "%s: %s", parts[i],
                  kernel->template->unit);
    cr_expect_not(strstr(kernel->template->unit, "struct Tensor {"));
    ht_refactor_free(refactor);
    free(path);
}

/* <cuda_fp16.h> is not there, HIP's half numbers are: the kernel may use them, and its template
 * includes HIP's header. */
Test(tree, cuda_sources_have_half_numbers) {
    static const char *const first_uses[] = {"half", "__half", "half2", "const __half2"};
    for (size_t i = 0; i < sizeof first_uses / sizeof *first_uses; ++i) {
        char *text = ht_format(
            "#include <cuda_fp16.h>\n__device__ void first(%s *p) { p[0] = p[1]; }\n"
            "__global__ void k(const half *a, half *b, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (i < n) b[i] = __hmul(a[i], __float2half(2.0f));\n}\n"
            "void f(const half *a, half *b, int n) {\n  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n",
            first_uses[i]);
        char *path = tree_put("k.cu", text);
        ht_refactor *refactor;
        ht_error error = {0};
        cr_assert_eq(ht_refactor_file(path, NULL, NULL, &refactor, &error), HT_OK, "%s",
                     error.message);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
        cr_expect(strstr(kernel->template->unit, "#include <hip/hip_fp16.h>"), "%s",
                  kernel->template->unit);
        ht_refactor_free(refactor);
        free(path);
        free(text);
    }
}

/* Nor is <cooperative_groups.h>. */
Test(tree, cuda_sources_have_cooperative_groups) {
    char *path = tree_put(
        "k.cu", "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
                "__global__ void k(const float *a, float *b, int n) {\n"
                "  auto block = cg::this_thread_block();\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  if (i < n) b[i] = 2.0f * a[i];\n  cg::sync(block);\n}\n"
                "void f(const float *a, float *b, int n) {\n  k<<<(n + 255) / 256, 256>>>(a, b, n);"
                "\n}\n");
    ht_refactor *refactor;
    ht_error error = {0};
    cr_assert_eq(ht_refactor_file(path, NULL, NULL, &refactor, &error), HT_OK, "%s", error.message);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    ht_refactor_free(refactor);
    free(path);
}

/* CUDA's compiler only warns of these. */
Test(tree, older_cuda_parses) {
    char *path = tree_put(
        "k.cu", "__global__ void k(const float *a, float *b, int n) {\n"
                "  register int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  int parts[2] = {a[0] > 0 ? 1.0 : n, 2};\n"
                "  if (i < n) b[i] = parts[1] * a[i];\n}\n"
                "void f(const float *a, float *b, int n) {\n  k<<<(n + 255) / 256, 256>>>(a, b, n);"
                "\n}\n");
    ht_refactor *refactor;
    ht_error error = {0};
    cr_assert_eq(ht_refactor_file(path, NULL, NULL, &refactor, &error), HT_OK, "%s", error.message);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    ht_refactor_free(refactor);
    free(path);
}

Test(tree, a_kernel_is_judged_by_its_own_errors) {
    char *path = tree_put(
        "k.hip",
        "#include \"not/there.hpp\"\nunknown_type global;\n"
        "__device__ float helper(float x) { return nowhere(x); }\n"
        "__global__ void bad(float *out) { out[0] = missing(1); }\n"
        "__global__ void worse(float *out) { out[0] = helper(1); }\n" MAP(
            "k", "float") "void f(const float *a, float *b, int n) {\n  undeclared.run();\n"
                          "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n");
    ht_problem_file *given = tree_problems();
    ht_refactor *refactor = tree_read(path, NULL, given);
    cr_assert_eq(kernel_named(refactor, "bad", NULL)->status, HT_KERNEL_UNPARSED);
    cr_assert_eq(kernel_named(refactor, "worse", NULL)->status, HT_KERNEL_UNPARSED);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(path);
}

Test(tree, the_parsed_header_changes_nothing) {
    setenv("HIPTEMPER_CACHE", "", 1); /* which the suite's own run sets */
    char *path =
        tree_put("k.hip", "#include <hip/hip_runtime.h>\n#include <vector>\n" MAP(
                              "k", "float") "void f(const float *a, float *b, int n) {\n"
                                            "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n");
    char *cache = ht_path_join(tree_folder, "cache");
    cr_assert_eq(ht_dir_make(cache, NULL), HT_OK);
    ht_problem_file *given = tree_problems();
    char *units[3];
    static const char *const arguments[] = {"-DHIP_SOMETHING=1", "-DN=5", "-std=c++14"};
    for (size_t i = 0; i < 3; ++i) { /* without, made, found */
        ht_refactor_options options = {.arguments = arguments, .argument_count = 3};
        options.cache = i ? cache : NULL;
        ht_refactor *refactor = tree_read(path, &options, given);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
        units[i] = ht_strdup(kernel->template->unit);
        ht_refactor_free(refactor);
    }
    cr_assert_str_eq(units[0], units[1]);
    cr_assert_str_eq(units[0], units[2]);
    for (size_t i = 0; i < 3; ++i)
        free(units[i]);
    ht_problem_file_free(given);
    free(cache);
    free(path);
}

/* Returns the first file of the folder that the name ends so; free(). */
static char *kept_file(const char *kept, const char *end) {
    DIR *directory = opendir(kept);
    char *path = NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (!path && strstr(entry->d_name, end) && !strstr(entry->d_name, ".inputs"))
            path = ht_path_join(kept, entry->d_name);
    if (directory)
        closedir(directory);
    return path;
}

Test(tree, a_parsed_header_is_kept_from_run_to_run_and_made_anew_when_damaged) {
    char *path =
        tree_put("k.hip", MAP("k", "float") "void f(const float *a, float *b, int n) {\n"
                                            "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n");
    char *kept = ht_path_join(tree_folder, "kept");
    setenv("HIPTEMPER_CACHE", kept, 1);
    ht_problem_file *given = tree_problems();
    for (size_t i = 0; i < 3; ++i) { /* made, found, damaged */
        char *header = kept_file(kept, ".pch");
        cr_assert_eq(header != NULL, i > 0);
        cr_assert(i < 2 || truncate(header, 1000) == 0);
        ht_refactor_options options = {0};
        ht_refactor *refactor = tree_read(path, &options, given);
        cr_assert_eq(kernel_named(refactor, "k", NULL)->status, HT_KERNEL_TEMPLATED);
        ht_refactor_free(refactor);
        struct stat now;
        cr_assert(i == 0 || (stat(header, &now) == 0 && now.st_size > 1000));
        free(header);
    }
    ht_problem_file_free(given);
    free(kept);
    free(path);
}

Test(tree, a_parsed_header_holds_while_it_and_its_sources_are_what_they_were) {
    char *source = tree_put("source.hip", "#include \"header.h\"\n");
    char *kept = tree_put("source.pch", "parsed");
    free(tree_put("header.h", "int one;\n"));
    cr_assert_eq(ht_libclang_load(NULL), HT_OK);
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit;
    const char *const words[] = {"-x", "c++"};
    cr_assert_eq(clang_parseTranslationUnit2(index, source, words, 2, NULL, 0, 0, &unit), 0);
    cr_expect_not(ht_parsed_inputs_hold(kept), "there is no list");
    ht_parsed_inputs_write(kept, unit);
    cr_expect(ht_parsed_inputs_hold(kept));
    free(tree_put("header.h", "int others;\n"));
    cr_expect_not(ht_parsed_inputs_hold(kept), "a source has changed");
    ht_parsed_inputs_write(kept, unit);
    cr_expect(ht_parsed_inputs_hold(kept));
    free(tree_put("source.pch", "passed"));
    cr_expect_not(ht_parsed_inputs_hold(kept), "the header has changed");
    clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    free(kept);
    free(source);
}

static size_t warnings;
static char first_warning[4096];

static void note_warning(const char *message) {
    if (warnings++ == 0)
        snprintf(first_warning, sizeof first_warning, "%s", message);
}

/* libclang aborts where it cannot write the file. */
Test(tree, a_parsed_header_that_cannot_be_written_is_done_without_and_reported_once) {
    enum { BYTES = 1 << 20 };
    char *path =
        tree_put("k.hip", MAP("k", "float") "void f(const float *a, float *b, int n) {\n"
                                            "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n");
    char *kept = ht_path_join(tree_folder, "kept");
    struct rlimit small;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &small), 0);
    small.rlim_cur = BYTES;
    setenv("HIPTEMPER_CACHE", kept, 1);
    signal(SIGXFSZ, SIG_IGN);
    ht_warning_sink = note_warning;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    ht_problem_file *given = tree_problems();
    for (size_t i = 0; i < 2; ++i) {
        ht_refactor *refactor = tree_read(path, &(ht_refactor_options){0}, given);
        cr_expect_eq(kernel_named(refactor, "k", NULL)->status, HT_KERNEL_TEMPLATED);
        ht_refactor_free(refactor);
    }
    cr_expect_eq(warnings, 1, "%zu warnings", warnings);
    cr_expect(strstr(first_warning, kept) &&
                  strstr(first_warning, "cannot be written: File too large; free space there, or "
                                        "set HIPTEMPER_CACHE"),
              "%s", first_warning);
    char *left = kept_file(kept, "hip-");
    cr_expect_null(left, "%s is left", left);
    free(left);
    ht_problem_file_free(given);
    free(kept);
    free(path);
}

/* As on a machine without C++'s headers; here HIP's header does not know a standard this old. */
Test(tree, a_header_with_errors_is_reported_with_the_first_and_tried_once) {
    const char *const arguments[] = {"-std=c++98"};
    const ht_refactor_options old = {.arguments = arguments, .argument_count = 1};
    char *kept = ht_path_join(tree_folder, "kept");
    setenv("HIPTEMPER_CACHE", kept, 1);
    ht_warning_sink = note_warning;
    for (size_t i = 0; i < 2; ++i)
        cr_expect_eq(ht_refactor_prepare(&old, NULL), HT_OK);
    cr_expect_eq(warnings, 1, "%zu warnings", warnings);
    cr_expect(strstr(first_warning, "has errors here: /") &&
                  strstr(first_warning, ": error") == NULL,
              "%s", first_warning);
    free(kept);
}

Test(tree, a_file_that_is_included_twice_is_refused_once) {
    char *body = tree_put("body.inl", MAP("k", "T"));
    char *unit = tree_put("main.hip", "#define T float\n#include \"body.inl\"\n#undef T\n"
                                      "#define T double\n#include \"body.inl\"\n"
                                      "void f(const float *a, float *b, int n) {\n"
                                      "  k<<<(n + 63) / 64, 64>>>(a, b, n);\n}\n");
    ht_problem_file *given = tree_problems();
    ht_refactor *refactor = tree_read(body, &(ht_refactor_options){.through = unit}, given);
    cr_assert_eq(ht_refactor_kernel_count(refactor), 1);
    cr_assert_eq(ht_refactor_kernel(refactor, 0)->status, HT_KERNEL_REFUSED);
    cr_assert(strstr(ht_refactor_kernel(refactor, 0)->reason, "included repeatedly"));
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(body);
    free(unit);
}
