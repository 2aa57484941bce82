#include "refactor/source/torch_names.h"

/* Functions and members whose results may be taken for anything; one that gives a tensor again. */
#define CALL(name) "template <typename... T> anything " #name "(T &&...);\n"
#define MAKES(name) "template <typename... T> Tensor " #name "(T &&...);\n"
#define MEMBER(name) "  template <typename... T> Tensor " #name "(T &&...) const;\n"
#define ASKS(name) "  template <typename... T> bool " #name "(T &&...) const;\n"
/* A macro that runs a lambda for each type: here for float alone. */
#define DISPATCH(name)                                                                             \
    "#define AT_DISPATCH_" #name "(T, N, ...) HIPTEMPER_AT_RUN(float, __VA_ARGS__)\n"              \
    "#define AT_DISPATCH_" #name "_AND(A, T, N, ...) HIPTEMPER_AT_RUN(float, __VA_ARGS__)\n"       \
    "#define AT_DISPATCH_" #name "_AND2(A, B, T, N, ...) HIPTEMPER_AT_RUN(float, __VA_ARGS__)\n"   \
    "#define AT_DISPATCH_" #name                                                                   \
    "_AND3(A, B, C, T, N, ...) HIPTEMPER_AT_RUN(float, __VA_ARGS__)\n"
#define IGNORED(name) "#define " #name "(...) ((void)0)\n"

#define PACKED(bits, type)                                                                         \
    "  template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits,\n"        \
    "    typename I = " type "> GenericPackedTensorAccessor<T, N, P, I>\n"                         \
    "    packed_accessor" bits "() const;\n"

/* One string in many parts, which clang-format would nest into each other. */
/* clang-format off */
/* A view of one axis less, and of the last. */
#define VIEW \
    "  __host__ __device__ TensorAccessor<T, N - 1, P, I> operator[](I i) const {\n" \
    "    return TensorAccessor<T, N - 1, P, I>{data_ + i * strides_[0], sizes_ + 1,\n" \
    "                                          strides_ + 1};\n" \
    "  }\n" ASKED
#define ELEMENT \
    "  __host__ __device__ T &operator[](I i) const { return data_[i * strides_[0]]; }\n" ASKED
#define ASKED \
    "  __host__ __device__ I size(I i) const { return sizes_[i]; }\n" \
    "  __host__ __device__ I stride(I i) const { return strides_[i]; }\n" \
    "  __host__ __device__ T *data() const { return data_; }\n"
/* Numbers of 16 bits as PyTorch has them: they become floats by themselves, and floats become them;
 * with a float or a double the result is one, with an integer or each other it is rounded. They
 * become no __half by themselves, whose operators would be as good as a float's. */
#define CALCULATES(name, op) \
    "inline __host__ __device__ " name " operator" op "(const " name " &a, const " name " &b) {\n" \
    "  return " name "((float)a " op " (float)b); }\n" \
    "inline __host__ __device__ " name " &operator" op "=(" name " &a, const " name " &b) {\n" \
    "  return a = a " op " b; }\n" \
    "inline __host__ __device__ float &operator" op "=(float &a, const " name " &b) {\n" \
    "  return a = a " op " (float)b; }\n" \
    WIDENS(name, op, "float") WIDENS(name, op, "double") \
    ROUNDS(name, op, "int") ROUNDS(name, op, "int64_t")
#define WIDENS(name, op, type) \
    "inline __host__ __device__ " type " operator" op "(const " name " &a, " type " b) {\n" \
    "  return (" type ")(float)a " op " b; }\n" \
    "inline __host__ __device__ " type " operator" op "(" type " a, const " name " &b) {\n" \
    "  return a " op " (" type ")(float)b; }\n"
#define ROUNDS(name, op, type) \
    "inline __host__ __device__ " name " operator" op "(const " name " &a, " type " b) {\n" \
    "  return a " op " " name "((float)b); }\n" \
    "inline __host__ __device__ " name " operator" op "(" type " a, const " name " &b) {\n" \
    "  return " name "((float)a) " op " b; }\n"
#define NUMBER(name, of) \
    "struct " name " {\n" \
    "  " of " x;\n" \
    "  " name "() = default;\n" \
    "  __host__ __device__ " name "(float value) : x(value) {}\n" \
    "  __host__ __device__ " name "(const " of " &value) : x(value) {}\n" \
    "  __host__ __device__ operator float() const { return (float)x; }\n" \
    "};\n" \
    "inline __host__ __device__ " name " operator-(const " name " &a) {\n" \
    "  return " name "(-(float)a); }\n" \
    CALCULATES(name, "+") CALCULATES(name, "-") CALCULATES(name, "*") CALCULATES(name, "/")
/* HIP's header of halves has functions in an unnamed namespace, which hide in a source's own
 * unnamed namespaces what is called alike; and macros for CUDA's functions would rename them. */
#define SETS_APART(name) "#pragma push_macro(\"" name "\")\n#undef " name "\n"
#define GIVES_BACK(name) "#pragma pop_macro(\"" name "\")\n"
#define FOR_LOADS(what) what("__ldcg") what("__ldca") what("__ldcs")
const char ht_torch_accessors[] =
    "#pragma once\n"
    FOR_LOADS(SETS_APART)
    "#include <hip/hip_fp16.h>\n"
    FOR_LOADS(GIVES_BACK)
    "#include <hip/hip_bfloat16.h>\n"
    "namespace { using ::__ldg; using ::__hadd; }\n"
    "namespace at {\n"
    NUMBER("Half", "__half") NUMBER("BFloat16", "hip_bfloat16")
    "template <typename T> struct DefaultPtrTraits { typedef T *PtrType; };\n"
    "template <typename T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };\n"
    "template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits,\n"
    "          typename I = int64_t>\n"
    "struct TensorAccessor {\n"
    "  T *data_;\n"
    "  const I *sizes_;\n"
    "  const I *strides_;\n"
    VIEW
    "};\n"
    "template <typename T, template <typename U> class P, typename I>\n"
    "struct TensorAccessor<T, 1, P, I> {\n"
    "  T *data_;\n"
    "  const I *sizes_;\n"
    "  const I *strides_;\n"
    ELEMENT
    "};\n"
    "template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits,\n"
    "          typename I = int64_t>\n"
    "struct GenericPackedTensorAccessor {\n"
    "  T *data_;\n"
    "  I sizes_[N];\n"
    "  I strides_[N];\n"
    VIEW
    "};\n"
    "template <typename T, template <typename U> class P, typename I>\n"
    "struct GenericPackedTensorAccessor<T, 1, P, I> {\n"
    "  T *data_;\n"
    "  I sizes_[1];\n"
    "  I strides_[1];\n"
    ELEMENT
    "};\n"
    "template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits,\n"
    "          typename I = int64_t>\n"
    "using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, P, I>;\n"
    "template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits>\n"
    "using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P, int32_t>;\n"
    "template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits>\n"
    "using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P, int64_t>;\n"
    "template <typename T> struct OpMathType { typedef T type; };\n"
    "template <> struct OpMathType<Half> { typedef float type; };\n"
    "template <> struct OpMathType<BFloat16> { typedef float type; };\n"
    "template <typename T, bool on_device> using acc_type = typename OpMathType<T>::type;\n"
    "template <typename T> using opmath_type = typename OpMathType<T>::type;\n"
    "template <typename A, typename B> __host__ __device__ constexpr auto ceil_div(A a, B b) {\n"
    "  return (a + b - 1) / b; }\n"
    "namespace cuda {\n"
    "template <typename T> __host__ __device__ constexpr T ATenCeilDiv(T a, T b) {\n"
    "  return (a + b - 1) / b; }\n"
    "}\n"
    "}\n"
    "namespace torch { using namespace at; }\n"
    "namespace c10 { using namespace at; }\n"
    "template <typename T> __host__ __device__ constexpr T THCCeilDiv(T a, T b) {\n"
    "  return (a + b - 1) / b; }\n"
    "#define gpuAtomicAdd atomicAdd\n"
    "#define gpuAtomicAddNoReturn atomicAdd\n"
    "#define C10_HOST_DEVICE __host__ __device__\n"
    "#define C10_DEVICE __device__\n"
    "#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)\n"
    "#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)\n"
    "#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)\n"
    "#define CUDA_KERNEL_LOOP_TYPE(i, n, type) \\\n"
    "  int64_t _i_n_d_e_x = ((int64_t)blockIdx.x) * blockDim.x + threadIdx.x; \\\n"
    "  for (type i = _i_n_d_e_x; _i_n_d_e_x < (n); \\\n"
    "       _i_n_d_e_x += ((int64_t)blockDim.x) * gridDim.x, i = _i_n_d_e_x)\n"
    "#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)\n";

const char ht_torch_names[] =
    "#pragma once\n"
    "#pragma clang system_header\n"
    "#include <vector>\n#include <tuple>\n#include <string>\n#include <optional>\n"
    "#include <cmath>\n#include <cfloat>\n#include <algorithm>\n#include <iostream>\n"
    "namespace at {\n"
    "struct anything { anything(); template <typename... T> anything(T &&...);\n"
    "  template <typename T> operator T() const; anything operator[](int64_t) const;\n"
    "  int64_t size() const; const char *name() const; int index() const;\n"
    "  template <typename... T> anything dtype(T &&...) const;\n"
    "  template <typename... T> anything device(T &&...) const;\n"
    "  template <typename... T> anything requires_grad(T &&...) const; };\n"
    "enum class ScalarType { Byte, Char, Short, Int, Long, Half, Float, Double, Bool, BFloat16 };\n"
    "static constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char,\n"
    "  kShort = ScalarType::Short, kInt = ScalarType::Int, kLong = ScalarType::Long,\n"
    "  kHalf = ScalarType::Half, kFloat = ScalarType::Float, kDouble = ScalarType::Double,\n"
    "  kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16, kInt8 = kChar,\n"
    "  kUInt8 = kByte, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong, kFloat16 = kHalf,\n"
    "  kFloat32 = kFloat, kFloat64 = kDouble;\n"
    "static constexpr int kCUDA = 1, kCPU = 0;\n"
    "struct Sizes { int64_t operator[](int64_t) const; size_t size() const; Sizes vec() const;\n"
    "  int64_t at(size_t) const; const int64_t *begin() const, *end() const, *data() const;\n"
    "  template <typename T> operator T() const; };\n"
    "typedef Sizes IntArrayRef;\n"
    "struct Tensor {\n"
    "  Tensor(); template <typename T> Tensor &operator=(const T &);\n"
    "  template <typename T> T *data_ptr() const; void *data_ptr() const;\n"
    "  template <typename T> const T *const_data_ptr() const;\n"
    "  template <typename T> T *mutable_data_ptr() const;\n"
    "  template <typename T> T *data() const; template <typename T> T item() const;\n"
    "  anything item() const;\n"
    PACKED("32", "int32_t") PACKED("64", "int64_t") PACKED("", "int64_t")
    "  int64_t size(int64_t) const, stride(int64_t) const, numel() const, dim() const;\n"
    "  int64_t ndimension() const, element_size() const, nbytes() const; int get_device() const;\n"
    "  Sizes sizes() const, strides() const; ScalarType scalar_type() const, dtype() const;\n"
    "  anything options() const, device() const, type() const;\n"
    "  bool is_cuda() const, is_cpu() const, is_contiguous() const, defined() const;\n"
    "  bool requires_grad() const, has_value() const;\n"
    "  template <typename T> Tensor operator[](const T &) const;\n"
    MEMBER(contiguous) MEMBER(view) MEMBER(reshape) MEMBER(transpose) MEMBER(permute) MEMBER(t)
    MEMBER(to) MEMBER(clone) MEMBER(detach) MEMBER(cpu) MEMBER(cuda) MEMBER(unsqueeze)
    MEMBER(squeeze) MEMBER(expand) MEMBER(expand_as) MEMBER(flatten) MEMBER(narrow) MEMBER(select)
    MEMBER(slice) MEMBER(sum) MEMBER(mean) MEMBER(max) MEMBER(min) MEMBER(zero_) MEMBER(fill_)
    MEMBER(copy_) MEMBER(index) MEMBER(index_select) MEMBER(sort) MEMBER(cumsum) MEMBER(mul_)
    MEMBER(add_) MEMBER(div_) MEMBER(masked_fill_) MEMBER(sub) MEMBER(mul) MEMBER(add) MEMBER(div)
    MEMBER(float_) MEMBER(values) MEMBER(resize_) MEMBER(prod) MEMBER(eq) MEMBER(ne)
    ASKS(equal) ASKS(is_same)
    "  template <typename T> Tensor operator+(const T &) const, operator-(const T &) const;\n"
    "  template <typename T> Tensor operator*(const T &) const, operator/(const T &) const;\n"
    "  template <typename T> Tensor operator==(const T &) const, operator!=(const T &) const; };\n"
    MAKES(empty) MAKES(zeros) MAKES(ones) MAKES(full) MAKES(empty_like) MAKES(zeros_like)
    MAKES(ones_like) MAKES(full_like) MAKES(cat) MAKES(stack) MAKES(arange) MAKES(tensor)
    MAKES(matmul) MAKES(mm) MAKES(bmm) MAKES(sum) MAKES(from_blob) MAKES(empty_strided)
    "template <typename... T> Tensor empty(std::initializer_list<int64_t>, T &&...);\n"
    "template <typename... T> Tensor zeros(std::initializer_list<int64_t>, T &&...);\n"
    "template <typename... T> Tensor ones(std::initializer_list<int64_t>, T &&...);\n"
    "template <typename... T> Tensor full(std::initializer_list<int64_t>, T &&...);\n"
    CALL(device) CALL(dtype) CALL(device_of) CALL(checkAllSameGPU) CALL(checkAllSameType)
    CALL(globalContext)
    "typedef anything TensorOptions, Device, TensorArg, CheckedFrom, Scalar, Type, Context;\n"
    "template <typename T> using optional = std::optional<T>;\n"
    "template <typename T> using ArrayRef = std::vector<T>;\n"
    "namespace cuda {\n"
    "struct CUDAStream { operator hipStream_t() const; hipStream_t stream() const;\n"
    "  int device_index() const; };\n"
    "typedef anything CUDAGuard, OptionalCUDAGuard, CUDAStreamGuard, DeviceGuard;\n"
    "template <typename... T> CUDAStream getCurrentCUDAStream(T &&...);\n"
    "template <typename... T> CUDAStream getDefaultCUDAStream(T &&...);\n"
    "template <typename... T> hipDeviceProp_t *getCurrentDeviceProperties(T &&...);\n"
    "template <typename... T> hipDeviceProp_t *getDeviceProperties(T &&...);\n"
    CALL(getCurrentCUDABlasHandle)
    "namespace detail {\n"
    "static constexpr int CUDA_NUM_THREADS = 1024;\n"
    "inline int GET_BLOCKS(int64_t n) { return (n + 1023) / 1024; }\n"
    "inline int GET_BLOCKS(int64_t n, int64_t threads) { return (n + threads - 1) / threads; }\n"
    "}\n"
    "}\n"
    "namespace hip { using namespace cuda;\n"
    "template <typename... T> CUDAStream getCurrentHIPStream(T &&...);\n"
    "typedef anything HIPGuard, OptionalHIPGuard; }\n"
    "typedef anything DeviceGuard, OptionalDeviceGuard;\n"
    "}\n"
    "namespace c10 { using namespace at; namespace cuda { using namespace at::cuda; }\n"
    "  namespace hip { using namespace at::hip; } }\n"
    "namespace torch { using namespace at; namespace cuda { using namespace at::cuda; } }\n"
    "struct THCState; extern THCState *state;\n"
    "void *THCudaMalloc(THCState *, size_t); void THCudaFree(THCState *, void *);\n"
    "#define HIPTEMPER_AT_RUN(TYPE, ...) \\\n"
    "  [&] { typedef TYPE scalar_t; return __VA_ARGS__(); }()\n"
    DISPATCH(FLOATING_TYPES) DISPATCH(ALL_TYPES) DISPATCH(FLOATING_AND_COMPLEX_TYPES)
    DISPATCH(ALL_TYPES_AND_COMPLEX)
    "#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(T, N, ...) HIPTEMPER_AT_RUN(float, __VA_ARGS__)\n"
    "#define AT_DISPATCH_INTEGRAL_TYPES(T, N, ...) HIPTEMPER_AT_RUN(int, __VA_ARGS__)\n"
    "#define AT_DISPATCH_INDEX_TYPES(T, N, ...) \\\n"
    "  [&] { typedef int index_t; return __VA_ARGS__(); }()\n"
    IGNORED(TORCH_CHECK) IGNORED(TORCH_INTERNAL_ASSERT) IGNORED(TORCH_WARN) IGNORED(AT_ASSERTM)
    IGNORED(AT_ASSERT) IGNORED(AT_ERROR) IGNORED(TORCH_CHECK_EQ) IGNORED(TORCH_CHECK_VALUE)
    "#define AT_CUDA_CHECK(...) ((void)(__VA_ARGS__))\n"
    "#define C10_CUDA_CHECK(...) ((void)(__VA_ARGS__))\n"
    "#define C10_HIP_CHECK(...) ((void)(__VA_ARGS__))\n"
    "#define THCudaCheck(...) ((void)(__VA_ARGS__))\n"
    "#define C10_CUDA_KERNEL_LAUNCH_CHECK() ((void)0)\n"
    "#define C10_HIP_KERNEL_LAUNCH_CHECK() ((void)0)\n"
    "#define PYBIND11_MODULE(NAME, M) template <typename T> void hiptemper_module(T &M)\n"
    "#define TORCH_LIBRARY(NAME, M) template <typename T> void hiptemper_library(T &M)\n";
/* clang-format on */
