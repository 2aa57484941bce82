/* The list that is left out of HIP's parsed header (parsed_trim.h). */
#include "base/parsed_trim.h"
#include "tests/refactor/support.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

enum { STREAM_BYTES = 256, END = 0, ENTER = 1, DEFINE = 2, RECORD = 3, FIRST = 4, LIST = 64 };
enum { TREE = 8, OTHER = 11 };

/* A stream that is written bit by bit. */
typedef struct stream {
    unsigned char data[STREAM_BYTES];
    size_t at;
} stream;

static void put(stream *to, uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i, ++to->at)
        to->data[to->at / 8] |= (unsigned char)((value >> i & 1) << to->at % 8);
}

static void put_variable(stream *to, uint64_t value, unsigned width) {
    uint64_t more = UINT64_C(1) << (width - 1);
    for (; value >= more; value >>= width - 1)
        put(to, (value & (more - 1)) | more, width);
    put(to, value, width);
}

static void align(stream *to) {
    while (to->at % 32)
        ++to->at;
}

/* Returns where the number of the block's words is. */
static size_t enter(stream *to, unsigned outer, unsigned block, unsigned width) {
    put(to, ENTER, outer);
    put_variable(to, block, 8);
    put_variable(to, width, 4);
    align(to);
    put(to, 0, 32);
    return to->at / 8 - 4;
}

static void leave(stream *to, size_t words, unsigned width) {
    put(to, END, width);
    align(to);
    uint32_t count = (uint32_t)((to->at / 8 - words - 4) / 4);
    memcpy(to->data + words, &count, sizeof count);
}

/* Defines an abbreviation of a literal, 3 fixed bits, a number in chunks of 5, an array of letters,
 * or with `blob` of two literals and bytes. */
static void define(stream *to, unsigned width, bool blob) {
    put(to, DEFINE, width);
    put_variable(to, blob ? 3 : 5, 5);
    for (int literal = 0; literal < (blob ? 2 : 1); ++literal) {
        put(to, 1, 1);
        put_variable(to, 300, 8);
    }
    if (blob) {
        put(to, 5 << 1, 4);
        return;
    }
    put(to, 1 << 1, 4);
    put_variable(to, 3, 5);
    put(to, 2 << 1, 4);
    put_variable(to, 5, 5);
    put(to, 3 << 1, 4);
    put(to, 4 << 1, 4);
}

static void record(stream *to, unsigned width, unsigned code, unsigned count) {
    put(to, RECORD, width);
    put_variable(to, code, 6);
    put_variable(to, count, 6);
    for (unsigned i = 0; i < count; ++i)
        put_variable(to, 1000 * i, 6);
}

/* Makes a stream as clang's; returns the place of the list's code, 0 without. */
static size_t make(stream *to, bool list) {
    enum { WIDTH = 5, INNER = 4, BLOB_BYTES = 9 };
    *to = (stream){.data = "CPCH", .at = 32};
    leave(to, enter(to, 2, OTHER, 3), 3);
    size_t tree = enter(to, 2, TREE, WIDTH);
    define(to, WIDTH, false);
    define(to, WIDTH, true);
    record(to, WIDTH, 4, 2);
    size_t inner = enter(to, WIDTH, OTHER, INNER);
    record(to, INNER, LIST, 1); /* of another block */
    leave(to, inner, INNER);
    put(to, FIRST, WIDTH);
    put(to, 5, 3);
    put_variable(to, 700, 5);
    put_variable(to, 4, 6);
    put(to, 0x123456, 24);
    put(to, FIRST + 1, WIDTH);
    put_variable(to, BLOB_BYTES, 6);
    align(to);
    put(to, UINT64_MAX, 8 * BLOB_BYTES - 8);
    put(to, UINT8_MAX, 8);
    align(to);
    size_t code = list ? to->at + WIDTH : 0;
    if (list)
        record(to, WIDTH, LIST, 3);
    record(to, WIDTH, 8, 2);
    leave(to, tree, WIDTH);
    return code;
}

Test(parsed_trim, only_the_number_of_the_list_is_changed) {
    stream made, wanted;
    size_t code = make(&made, true);
    make(&wanted, true);
    cr_assert(ht_parsed_trim(made.data, made.at / 8));
    for (size_t bit = code + 6; bit < code + 11; ++bit)
        wanted.data[bit / 8] |= (unsigned char)(1U << bit % 8);
    cr_assert_eq(memcmp(made.data, wanted.data, sizeof made.data), 0);
}

Test(parsed_trim, what_has_no_list_or_is_cut_stays_as_it_is) {
    stream made, whole;
    size_t code = make(&whole, true);
    for (size_t size = 0; size < (code + 12) / 8; ++size) {
        made = whole;
        cr_expect_not(ht_parsed_trim(made.data, size), "%zu bytes", size);
        cr_expect_eq(memcmp(made.data, whole.data, sizeof made.data), 0, "%zu bytes", size);
    }
    make(&whole, false);
    made = whole;
    cr_assert_not(ht_parsed_trim(made.data, made.at / 8));
    made.data[0] = 'X';
    cr_assert_not(ht_parsed_trim(made.data, made.at / 8));
}

/* clang notes such errors when it reads a function, and reports them when it knows what calls it.
 */
Test(parsed_trim, errors_that_clang_reports_at_the_end_are_seen) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(
        "#include <hip/hip_runtime.h>\n"
        "int host(int v);\n"
        "__global__ void k(const int *in, int *out, int n) {\n"
        "  auto both = [=] __host__ __device__(int v) { return host(v); };\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) out[i] = both(in[i]);\n}\n"
        "void f(const int *a, int *b, int n) { k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
        "\"problem\": \"p : N\", \"args\": [\"in : in int[problem.N]\", \"out : out "
        "int[problem.N]\", \"n : int = problem.N\"], \"instances\": [{\"name\": \"a\", \"fields\": "
        "{\"N\": 1000}}]}]}",
        &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_UNPARSED, "%s", kernel->reason);
    cr_assert(strstr(kernel->reason, "reference to __host__ function 'host'"), "%s",
              kernel->reason);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}
