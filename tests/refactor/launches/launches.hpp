// What the generated launches of refactor_launches run in: HIP's names as plain C++, sizes at which
// 32 bits or a grid end, and exact arithmetic in 128 bits that says what the original launches.
#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <sys/mman.h>
#include <vector>

#define __global__
#define __launch_bounds__(...)
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernel, grid, block, lds, stream, ...) launch(grid, block, kernel, __VA_ARGS__)

typedef unsigned char byte;
typedef __int128 exact;

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;

// What was launched last.
static struct record {
    dim3 grid, block;
    void *kernel;
    std::function<void()> thread;
} launched;

template <class... P, class... A>
void launch(dim3 grid, dim3 block, void (*kernel)(P...), A... arguments) {
    launched = {grid, block, (void *)kernel, [=] { kernel((P)arguments...); }};
}

/* ---- faults ---- */

static sigjmp_buf back;

static void on_fault(int signal) {
    siglongjmp(back, signal);
}

static int faults_of(const std::function<void()> &what) {
    int signal = sigsetjmp(back, 1);
    if (signal == 0)
        what();
    return signal;
}

/* ---- memory: in reads as zeros, out is given back after each look; what lies outside faults ---- */

static const uint64_t SIZE = 3400000000u, MARGIN = 1ull << 32;
static byte *in, *out;

static byte *region() {
    byte *all = (byte *)mmap(nullptr, SIZE + 2 * MARGIN, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED || mprotect(all + MARGIN, SIZE, PROT_READ | PROT_WRITE) != 0) {
        perror("memory");
        exit(3);
    }
    return all + MARGIN;
}

/* ---- counts ---- */

static long tried, legal, kept, failed;

static bool fail(const char *name, uint64_t a, uint64_t b, const char *why) {
    if (++failed <= 20)
        printf("%s, sizes %llu %llu: %s (grid %u %u, block %u %u)\n", name, (unsigned long long)a,
               (unsigned long long)b, why, launched.grid.x, launched.grid.y, launched.block.x,
               launched.block.y);
    return false;
}

template <class T> bool holds(exact value) {
    return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}
template <> bool holds<exact>(exact) {
    return true;
}

/* ---- one axis ---- */

struct axis {
    uint64_t items;     // that the guard lets through
    unsigned block;     // the original's
    unsigned factor;    // outputs of a thread in the tuned kernel
    unsigned tuned;     // the new block
    bool over;          // n / b + 1 blocks
    bool fits;          // no sum of the original overflows
    exact blocks() const {
        return over ? (exact)items / block + 1 : ((exact)items + block - 1) / block;
    }
};

// What the original computes: `add` is added to n in type S, the count is kept in type N.
template <class S, class N>
axis axis_of(uint64_t items, unsigned block, int64_t add, unsigned factor, unsigned tuned, char kind) {
    axis of = {items, block, factor, tuned, kind == 'o', true};
    if (kind == 'f') // n / b, and no guard
        of.items = items -= items % block;
    of.fits = holds<S>((exact)items + add) && holds<N>(of.blocks()) && items > 0;
    return of;
}

// Is the launch's axis exact? *per: items of a block.
static bool is_exact(const axis &of, unsigned grid, unsigned block, bool tuned, uint64_t *per) {
    *per = (uint64_t)block * (tuned ? of.factor : 1);
    exact wanted = of.over ? (exact)of.items / *per + 1 : ((exact)of.items + *per - 1) / *per;
    // rounded up for the original's block first: not less, and less than one block of it more
    exact most = (of.blocks() * of.block + *per - 1) / *per;
    return (block == of.tuned || block == of.block) && grid >= wanted && grid <= std::max(wanted, most);
}

/* ---- a launch ---- */

// Runs the first and the last block; counts what they wrote.
static bool blocks_write(const axis &x, const axis &y, uint64_t per_x, uint64_t per_y) {
    blockDim = launched.block;
    gridDim = launched.grid;
    uint64_t w = x.items, h = y.items;
    bool good = true;
    for (int last = 0; last < 2 && good; ++last) {
        blockIdx = last ? dim3(gridDim.x - 1, gridDim.y - 1, 0) : dim3(0, 0, 0);
        int signal = faults_of([] {
            for (unsigned y = 0; y < blockDim.y; ++y)
                for (unsigned x = 0; x < blockDim.x; ++x) {
                    threadIdx = dim3(x, y, 0);
                    launched.thread();
                }
        });
        uint64_t x0 = blockIdx.x * per_x, y0 = blockIdx.y * per_y;
        uint64_t x1 = std::min(w, x0 + per_x), y1 = std::min(h, y0 + per_y);
        uint64_t columns = x0 < x1 ? x1 - x0 : 0, rows = y0 < y1 ? y1 - y0 : 0, found = 0;
        good = signal == 0;
        for (uint64_t r = y0; r < y0 + rows && good; ++r)
            for (uint64_t c = x0; c < x1; ++c)
                found += out[r * w + c] == 1;
        good = good && found == columns * rows;
        // and nothing around
        uint64_t at = std::min(y0 * w + x0, SIZE), end = std::min((y0 + rows) * w + 16384, SIZE);
        uint64_t from = at > 16384 ? at - 16384 : 0, all = 0;
        for (uint64_t i = from; i < end && end - from < (1u << 24) && good; ++i)
            all += out[i] != 0;
        good = good && (all == found || end - from >= (1u << 24));
        madvise((void *)((uintptr_t)(out + from) & ~(uintptr_t)4095), end - from + 8192, MADV_DONTNEED);
    }
    return good;
}

static bool one(const char *name, uint64_t a, uint64_t b, const std::function<void()> &run,
                void *tuned, const axis &x, const axis &y) {
    ++tried;
    bool serves = x.fits && y.fits && x.blocks() <= INT32_MAX && y.blocks() <= 65535;
    if (!serves)
        return true;
    ++legal;
    launched = {};
    if (faults_of(run))
        return fail(name, a, b, "the launch overflows");
    const dim3 &grid = launched.grid, &block = launched.block;
    if (grid.x < 1 || grid.y < 1 || grid.x > INT32_MAX || grid.y > 65535 || grid.z != 1 ||
        block.x * block.y > 1024)
        return fail(name, a, b, "no device launches this");
    bool new_kernel = launched.kernel == tuned;
    uint64_t per_x, per_y;
    if (!is_exact(x, grid.x, block.x, new_kernel, &per_x) ||
        !is_exact(y, grid.y, block.y, new_kernel, &per_y))
        return fail(name, a, b, "not the number of blocks");
    kept += block.x != x.tuned || block.y != y.tuned || !new_kernel;
    if (x.items * y.items < SIZE && !blocks_write(x, y, per_x, per_y))
        return fail(name, a, b, "the kernel writes something else");
    return true;
}

static const std::vector<uint64_t> &sizes() {
    static std::vector<uint64_t> all;
    if (all.empty()) {
        for (uint64_t around : {32u, 256u, 1024u, 8192u, 65535u, 65536u, 524280u, 1048560u})
            for (int d = -1; d <= 1; ++d)
                all.push_back(around + d);
        for (uint64_t around : {1ull << 31, 1ull << 32})
            for (int64_t d : {-8193, -8192, -8191, -1024, -257, -256, -255, -129, -128, -9, -1, 0, 1, 256, 8192})
                all.push_back(around + d);
        for (uint64_t n : {0ull, 1ull, 1000ull, 1ull << 24, (1ull << 24) + 1, 2147483392ull, 3000000000ull,
                           274877906816ull, 274877906817ull, 549755813632ull, 17592186044416ull})
            all.push_back(n);
    }
    return all;
}

static const axis none = {1, 1, 1, 1, false, true};

template <class T, class S, class N>
void line(const char *name, void (*run)(const byte *, byte *, T), void *tuned, unsigned block,
          int64_t add, unsigned factor, unsigned tuned_block, char kind) {
    for (uint64_t n : sizes())
        if (holds<T>(n))
            one(name, n, 0, [=] { run(in, out, (T)n); }, tuned,
                axis_of<S, N>(n, block, add, factor, tuned_block, kind), none);
}

// w * c items in type T
template <class T, class S, class N>
void product(const char *name, void (*run)(const byte *, byte *, T, T), void *tuned, unsigned block,
             int64_t add, unsigned factor, unsigned tuned_block, char kind) {
    static const uint64_t pairs[][2] = {{1000, 3}, {46340, 46341}, {65536, 32767}, {2147483392, 1},
                                        {65535, 32769}, {2147483, 1000}, {1, 2147483647}, {3, 715827882},
                                        {3, 715827797}, {50000, 60000}, {65536, 65535}, {4096, 524287}};
    for (auto &p : pairs)
        if (holds<T>(p[0]) && holds<T>(p[1]) && holds<T>((exact)p[0] * p[1]))
            one(name, p[0], p[1], [&] { run(in, out, (T)p[0], (T)p[1]); }, tuned,
                axis_of<S, N>(p[0] * p[1], block, add, factor, tuned_block, kind), none);
}

template <class T, class S>
void plane(const char *name, void (*run)(const byte *, byte *, T, T), void *tuned,
           const unsigned (&block)[2], const int64_t (&add)[2], const unsigned (&factor)[2],
           const unsigned (&tuned_block)[2]) {
    std::vector<uint64_t> heights = {1, 7, 8, 9, 1000, 65534, 65535, 65536, 131070, 131071, 262140,
                                     262141, 524279, 524280, 524281, 1048560, 1048561};
    for (uint64_t h : heights)
        for (uint64_t w : {1, 31, 33, 200})
            one(name, w, h, [=] { run(in, out, (T)w, (T)h); }, tuned,
                axis_of<S, S>(w, block[0], add[0], factor[0], tuned_block[0], 'c'),
                axis_of<S, S>(h, block[1], add[1], factor[1], tuned_block[1], 'c'));
    for (uint64_t w : sizes())
        if (holds<T>(w))
            one(name, w, 1, [=] { run(in, out, (T)w, (T)1); }, tuned,
                axis_of<S, S>(w, block[0], add[0], factor[0], tuned_block[0], 'c'),
                axis_of<S, S>(1, block[1], add[1], factor[1], tuned_block[1], 'c'));
}

static void cases();

int main() {
    in = region();
    out = region();
    for (int number : {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP})
        signal(number, on_fault);
    cases();
    printf("%ld launches, %ld that the original serves, %ld with the original's block, %ld failed\n",
           tried, legal, kept, failed);
    return failed != 0;
}
