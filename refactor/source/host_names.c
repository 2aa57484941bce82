/* Texts of files in memory that declare names of libraries' host sides. */
#include "refactor/source/host_names.h"
#include "refactor/source/cuda_device_names.h"
#include "refactor/source/texture_names.h"
#include "refactor/source/tile_names.h"
#include "refactor/source/torch_names.h"

#include <string.h>

/* Declares CUDA's host names as HIP's, for sources that were never ported: without the type of a
 * stream, a launch that takes one cannot be read. Device code gets no such help but
 * that of cuda_device_names.c: a kernel that uses another name unknown to HIP stays unparsed. */
#define TYPE(name) "typedef hip" #name " cuda" #name ";\n"
#define CONSTANT(name) "static constexpr auto cuda" #name " = hip" #name ";\n"
#define CALL(name) "template <typename... T> hipError_t cuda" #name "(T &&...);\n"

/* By value: these change none of their arguments. */
#define LAUNCH(name)                                                                               \
    "template <typename F> hipError_t cuda" #name                                                  \
    "(F, dim3, dim3, void **, size_t = 0, hipStream_t = 0);\n"

/* One string in many parts, which clang-format would nest into each other. */
/* clang-format off */
static const char cuda_text[] =
    "#pragma once\n"
    "#pragma clang system_header\n"
    TYPE(Array) TYPE(Array_t) TYPE(ArrayConst_t) TYPE(ChannelFormatDesc) TYPE(Extent) TYPE(Pos)
    TYPE(PitchedPtr) TYPE(ResourceDesc) TYPE(TextureDesc) TYPE(ResourceViewDesc)
    TYPE(Memcpy3DParms) TYPE(TextureReadMode) TYPE(TextureAddressMode) TYPE(TextureFilterMode)
    TYPE(Error_t) TYPE(Stream_t) TYPE(Event_t) TYPE(MemcpyKind) TYPE(Graph_t) TYPE(GraphExec_t)
    "typedef hipError_t cudaError;\n"
    "typedef hipDeviceProp_t cudaDeviceProp;\n"
    "typedef hipFuncAttributes cudaFuncAttributes;\n"
    CONSTANT(Success) CONSTANT(MemcpyHostToDevice) CONSTANT(MemcpyDeviceToHost)
    CONSTANT(MemcpyDeviceToDevice) CONSTANT(MemcpyHostToHost) CONSTANT(MemcpyDefault)
    "static constexpr unsigned cudaStreamNonBlocking = 1, cudaHostAllocDefault = 0,\n"
    "    cudaEventDisableTiming = 2, cudaHostAllocMapped = 2, cudaHostAllocPortable = 1,\n"
    "    cudaMemAttachGlobal = 1;\n"
    CALL(Malloc) CALL(MallocHost) CALL(MallocManaged) CALL(MallocPitch) CALL(HostAlloc)
    CALL(MallocAsync) CALL(Free) CALL(FreeHost) CALL(FreeAsync)
    CALL(Memcpy) CALL(MemcpyAsync) CALL(Memcpy2D) CALL(MemcpyToSymbol) CALL(MemcpyFromSymbol)
    CALL(Memset) CALL(MemsetAsync) CALL(MemPrefetchAsync)
    CALL(MallocArray) CALL(Malloc3DArray) CALL(Malloc3D) CALL(FreeArray) CALL(MemcpyToArray)
    CALL(Memcpy2DToArray) CALL(Memcpy3D) CALL(CreateTextureObject) CALL(DestroyTextureObject)
    "template <typename... T> hipChannelFormatDesc cudaCreateChannelDesc(T...);\n"
    CONSTANT(ReadModeElementType) CONSTANT(ReadModeNormalizedFloat) CONSTANT(AddressModeWrap)
    CONSTANT(AddressModeClamp) CONSTANT(AddressModeMirror) CONSTANT(AddressModeBorder)
    CONSTANT(FilterModePoint) CONSTANT(FilterModeLinear) CONSTANT(ResourceTypeArray)
    CONSTANT(ResourceTypeLinear) CONSTANT(ResourceTypePitch2D)
    CALL(DeviceSynchronize) CALL(ThreadSynchronize) CALL(DeviceReset)
    CALL(GetLastError) CALL(PeekAtLastError)
    CALL(GetDevice) CALL(SetDevice) CALL(GetDeviceCount) CALL(GetDeviceProperties)
    CALL(DeviceGetAttribute)
    CALL(StreamCreate) CALL(StreamCreateWithFlags) CALL(StreamDestroy) CALL(StreamSynchronize)
    CALL(StreamWaitEvent)
    CALL(EventCreate) CALL(EventCreateWithFlags) CALL(EventDestroy) CALL(EventRecord)
    CALL(EventSynchronize) CALL(EventElapsedTime)
    CALL(FuncSetCacheConfig) CALL(FuncSetAttribute) CALL(DeviceSetCacheConfig)
    CALL(DeviceSetLimit) CALL(GetSymbolAddress)
    LAUNCH(LaunchKernel) LAUNCH(LaunchCooperativeKernel)
    "template <typename... T> const char *cudaGetErrorString(T &&...);\n"
    "template <typename... T> const char *cudaGetErrorName(T &&...);\n";

/* The host's containers, the pointers that launches get out of them, and algorithms, whose results
 * may be taken for anything. Of thrust::complex there is just the name: kernels use it. */
#define VECTOR(name) \
    "template <typename T, typename A = void> struct " #name " {\n" \
    "  typedef T value_type; typedef device_ptr<T> iterator, const_iterator, pointer;\n" \
    "  template <typename... U> " #name "(U &&...);\n" \
    "  template <typename U> " #name " &operator=(const U &);\n" \
    "  device_ptr<T> begin() const, end() const, data() const;\n" \
    "  T &operator[](size_t) const; T &front() const, &back() const;\n" \
    "  size_t size() const, capacity() const; bool empty() const;\n" \
    "  template <typename... U> void resize(U &&...);\n" \
    "  template <typename... U> void assign(U &&...);\n" \
    "  void reserve(size_t), clear(), shrink_to_fit(), push_back(const T &);\n" \
    "  template <typename U> void swap(U &); };\n"
#define ALGORITHM(name) "template <typename... T> anything " #name "(T &&...);\n"
#define FUNCTION(name) \
    "template <typename T = void> struct " #name " { template <typename... U>\n" \
    "  __host__ __device__ T operator()(U...) const; };\n"
#define ITERATOR(name) \
    "template <typename... T> struct " #name " : anything {\n" \
    "  template <typename... U> " #name "(U &&...); };\n" \
    "template <typename... T> anything make_" #name "(T &&...);\n"

static const char thrust_text[] =
    "#pragma once\n"
    "#pragma clang system_header\n"
    "namespace thrust {\n"
    "struct anything { template <typename... T> anything(T &&...);\n"
    "  template <typename T> operator T() const; };\n"
    "template <typename T> struct device_ptr { typedef T value_type;\n"
    "  device_ptr(T * = nullptr); T *get() const;\n"
    "  T &operator*() const; T &operator[](size_t) const;\n"
    "  device_ptr operator+(ptrdiff_t) const, operator-(ptrdiff_t) const;\n"
    "  ptrdiff_t operator-(const device_ptr &) const;\n"
    "  device_ptr &operator++(), &operator--(), &operator+=(ptrdiff_t);\n"
    "  bool operator==(const device_ptr &) const, operator!=(const device_ptr &) const; };\n"
    "template <typename T> struct complex;\n"
    "template <typename T> device_ptr<T> device_pointer_cast(T *);\n"
    "template <typename T> T *raw_pointer_cast(T *);\n"
    "template <typename T> T *raw_pointer_cast(device_ptr<T>);\n"
    VECTOR(device_vector) VECTOR(host_vector)
    "static constexpr int host = 0, device = 0, seq = 0;\n"
    ALGORITHM(fill) ALGORITHM(fill_n) ALGORITHM(copy) ALGORITHM(copy_n) ALGORITHM(copy_if)
    ALGORITHM(transform) ALGORITHM(reduce) ALGORITHM(transform_reduce) ALGORITHM(inner_product)
    ALGORITHM(sequence) ALGORITHM(generate) ALGORITHM(gather) ALGORITHM(scatter)
    ALGORITHM(sort) ALGORITHM(stable_sort) ALGORITHM(sort_by_key) ALGORITHM(unique)
    ALGORITHM(exclusive_scan) ALGORITHM(inclusive_scan) ALGORITHM(reduce_by_key)
    ALGORITHM(min_element) ALGORITHM(max_element) ALGORITHM(minmax_element) ALGORITHM(count)
    ALGORITHM(count_if) ALGORITHM(remove_if) ALGORITHM(for_each) ALGORITHM(swap)
    ALGORITHM(make_tuple) ALGORITHM(make_pair)
    FUNCTION(plus) FUNCTION(minus) FUNCTION(multiplies) FUNCTION(divides) FUNCTION(modulus)
    FUNCTION(minimum) FUNCTION(maximum) FUNCTION(negate) FUNCTION(square) FUNCTION(less)
    FUNCTION(greater) FUNCTION(identity) FUNCTION(equal_to)
    ITERATOR(constant_iterator) ITERATOR(counting_iterator) ITERATOR(transform_iterator)
    ITERATOR(permutation_iterator) ITERATOR(zip_iterator)
    "}\n";
/* clang-format on */

/* <cuda_fp16.h> is HIP's header under another name. */
static const char half_text[] = "#pragma once\n#include <hip/hip_fp16.h>\n";

/* So is <cooperative_groups.h>. */
static const char groups_text[] = "#pragma once\n#include <hip/hip_cooperative_groups.h>\n";

#define TORCH_MISSED                                                                               \
    {"identifier 'at'",  "identifier 'torch'", "identifier 'c10'",        "identifier 'AT_",       \
     "identifier 'C10_", "name 'C10_",         "identifier 'gpuAtomicAdd"}

const ht_host_library ht_host_libraries[HT_HOST_LIBRARIES] = {
    {"/hiptemper/cuda_names.h", cuda_text, false, {"'cuda"}},
    {"/hiptemper/thrust_names.h", thrust_text, false, {"undeclared identifier 'thrust'"}},
    {"/hiptemper/half_names.h",
     half_text,
     false,
     {" name 'half", " name '__half", "identifier 'half", "identifier '__half"}},
    {"/hiptemper/groups_names.h",
     groups_text,
     false,
     {"identifier 'cooperative_groups'", "name 'cooperative_groups'", "expected namespace name"}},
    /* in the place of the one before, by the source's text */
    {"/hiptemper/tile_names.h", ht_tile_names, true, {NULL}},
    {"/hiptemper/cuda_device_names.h",
     ht_cuda_device_names,
     true,
     {"identifier 'umin'", "identifier 'umax'", "identifier 'llm", "identifier 'ullm",
      "identifier '__v", "identifier '__ld", "function for call to '__ld", "identifier '__st",
      "identifier '__dp4a'", "identifier '__shfl", "identifier '__ballot_sync",
      "identifier '__fmul_r", "identifier '__frcp_r", "identifier 'CUDART_",
      "identifier '__any_sync", "identifier '__all_sync", "identifier '__syncwarp",
      "identifier '__trap'"}},
    {"/hiptemper/texture_names.h",
     ht_texture_names,
     true,
     {"'cudaTextureObject_t'", "'cudaSurfaceObject_t'"}},
    /* ahead of the next, which names them */
    {"/hiptemper/torch_accessors.h", ht_torch_accessors, true, TORCH_MISSED},
    {"/hiptemper/torch_names.h", ht_torch_names, false, TORCH_MISSED}};

unsigned ht_host_libraries_missed(const char *message) {
    unsigned missed = 0;
    for (unsigned i = 0; i < HT_HOST_LIBRARIES; ++i)
        for (const char *const *name = ht_host_libraries[i].missed; *name; ++name)
            missed |= strstr(message, *name) ? 1U << i : 0;
    return missed;
}

unsigned ht_host_libraries_mentioned(const char *text) {
    static const char *const names[] = {"hipTextureObject_t", "hipSurfaceObject_t", "texture<",
                                        "texture <"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strstr(text, names[i]))
            return 1U << HT_HOST_TEXTURES;
    return 0;
}

const ht_host_library *ht_host_library_of(const char *path) {
    for (unsigned i = 0; i < HT_HOST_LIBRARIES; ++i)
        if (strcmp(path, ht_host_libraries[i].path) == 0)
            return &ht_host_libraries[i];
    return NULL;
}
