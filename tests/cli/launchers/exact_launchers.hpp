// What the launchers of exact_launchers run in: HIP's names as plain C++, sizes at which 32 bits or a
// grid end, and the limits of devices on what the same formulas give in 128 bits.
#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>

typedef __int128 exact;
typedef int hipError_t;
enum { hipErrorInvalidValue = 1, hipErrorInvalidConfiguration = 9 };
typedef void *hipStream_t;

#define __global__
#define __launch_bounds__(...)
#define hipLaunchKernelGGL(kernel, grid, block, bytes, ...) record(grid, block, bytes)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;

static struct {
    int count;
    dim3 grid, block;
    size_t bytes;
} launched;

static void record(dim3 grid, dim3 block, size_t bytes) {
    launched = {launched.count + 1, grid, block, bytes};
}
static hipError_t hipGetLastError() {
    return 0;
}

// What is to be launched.
struct extents {
    exact grid[2], block[2], bytes;
    bool are_launched() const {
        return grid[0] >= 1 && grid[0] <= 2147483647 && grid[1] >= 1 && grid[1] <= 65535 &&
               block[0] * block[1] <= 1024 && bytes >= 0 && bytes <= 2147483647;
    }
};

static exact up(exact a, exact b) { // rounded to the greater neighbour, of negative ones too
    exact down = a >= 0 ? a / b : -((-a + b - 1) / b);
    return down + (down * b != a);
}
static exact least(exact a, exact b) {
    return a < b ? a : b;
}

/* ---- one call ---- */

static sigjmp_buf back;
static long tried, made, failed;

static void on_fault(int signal) {
    siglongjmp(back, signal);
}

static void fail(const char *name, const long long (&sizes)[3], const char *why) {
    if (++failed <= 20)
        printf("%s, n %lld m %lld r %lld: %s (grid %u %u, block %u %u, %zu bytes)\n", name, sizes[0],
               sizes[1], sizes[2], why, launched.grid.x, launched.grid.y, launched.block.x,
               launched.block.y, launched.bytes);
}

static bool is_same(const extents &wanted) {
    return launched.grid.x == wanted.grid[0] && launched.grid.y == wanted.grid[1] &&
           launched.grid.z == 1 && launched.block.x == wanted.block[0] &&
           launched.block.y == wanted.block[1] && launched.block.z == 1 &&
           launched.bytes == (size_t)wanted.bytes;
}

static void one(const char *name, const long long (&sizes)[3], const extents &wanted,
                hipError_t refusal, const std::function<hipError_t()> &launch) {
    hipError_t error = 0;
    ++tried;
    launched = {};
    if (sigsetjmp(back, 1) != 0)
        return fail(name, sizes, "it overflows");
    error = launch();
    if (refusal && (error != refusal || launched.count != 0))
        fail(name, sizes, "it is not refused");
    else if (!refusal && (error != 0 || launched.count != 1 || !is_same(wanted)))
        fail(name, sizes, error ? "it is refused" : "it launches another grid, block or size");
    made += launched.count;
}

/* ---- at all sizes ---- */

static std::vector<long long> lengths() {
    std::vector<long long> all = {0, 1, 2, 1000, 2147483392, 3000000000, 274877906816, 274877906817,
                                  549755813632, 17592186044416};
    for (long long around : {32, 256, 1024, 4096, 8192, 65535, 524280, 1 << 24})
        for (int d = -1; d <= 1; ++d)
            all.push_back(around + d);
    for (long long around : {1ll << 31, 1ll << 32})
        for (int d : {-8193, -8192, -1025, -1024, -257, -256, -255, -128, -2, -1, 0, 1, 255, 256, 8192})
            all.push_back(around + d);
    return all;
}

template <class Visit> void sizes_visit(const Visit &visit) {
    for (long long n : lengths())
        for (long long m : {1ll, 2ll, 3ll, 65536ll, 536870911ll, 536870912ll, 2147483648ll, 3000000000ll})
            for (long long r : {1ll, 7ll, 65535ll, 65536ll, 524280ll, 524281ll, 4294967297ll})
                visit({n, m, r});
}

// Beyond 64 bits nothing is legal, and nothing is promised.
static bool is_far(exact n, exact m) {
    return n * m > 9000000000000000000;
}

// The launcher takes n and m in type T, as the kernel does.
template <class T>
void source(const char *name, hipError_t (*launch)(T, T, long long), extents (*wanted)(exact, exact, exact)) {
    sizes_visit([=](const long long (&s)[3]) {
        typedef std::numeric_limits<T> limits;
        if (is_far(s[0], s[1]) || (exact)s[0] > limits::max() || (exact)s[1] > limits::max())
            return;
        extents all = wanted(s[0], s[1], s[2]);
        one(name, s, all, all.are_launched() ? 0 : hipErrorInvalidConfiguration,
            [=] { return launch((T)s[0], (T)s[1], s[2]); });
    });
}

// The launcher takes sizes as such; scalars of the kernel must hold them.
template <class T>
void annotated(const char *name, hipError_t (*launch)(long long, long long, long long),
               extents (*wanted)(exact, exact, exact)) {
    sizes_visit([=](const long long (&s)[3]) {
        typedef std::numeric_limits<T> limits;
        bool held = (exact)s[0] <= limits::max() && (exact)s[1] <= limits::max();
        if (is_far(s[0], s[1]))
            return;
        extents all = wanted(s[0], s[1], s[2]);
        one(name, s, all, !held ? hipErrorInvalidValue : all.are_launched() ? 0 : hipErrorInvalidConfiguration,
            [=] { return launch(s[0], s[1], s[2]); });
    });
}

static void cases();

int main() {
    for (int number : {SIGILL, SIGTRAP, SIGFPE})
        signal(number, on_fault);
    cases();
    printf("%ld calls, %ld launches, %ld failed\n", tried, made, failed);
    return failed != 0 || made == 0;
}
