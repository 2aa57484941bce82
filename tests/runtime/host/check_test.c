/* Images compiled for checking: each fault is found, named and placed; kernels without one are
 * left alone. */
#include "kernels.h"
#include "runtime/host/check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 256, GUARD = 4096 };

/* A buffer between two guards that are only addresses: the checker stops what would touch them. */
typedef struct bench {
    char *memory;
    float *in, *out;
    ht_check_outcome outcome;
    hipError_t code;
} bench;

static bench run(const char *source, shape how, ht_check_order order) {
    bench of = {.memory = calloc(1, 4 * GUARD + 2 * COUNT * sizeof(float))};
    of.in = (float *)(of.memory + GUARD);
    of.out = (float *)(of.memory + 3 * GUARD + COUNT * sizeof(float));
    for (int i = 0; i < COUNT; ++i)
        of.in[i] = (float)i;
    const ht_check_buffer buffers[] = {
        {"in", (char *)of.in, COUNT * sizeof(float), GUARD, sizeof(float), true},
        {"out", (char *)of.out, COUNT * sizeof(float), GUARD, sizeof(float), false}};
    const ht_check_plan plan = {.order = order, .seed = 7, .buffers = buffers, .buffer_count = 2};
    kernels loaded = kernels_load_checked(source, (const char *const[]){"k", NULL});
    ht_check_begin(&plan);
    of.code = kernels_try(&loaded, "k", how, (void *[]){&of.in, &of.out, NULL});
    ht_check_end(&of.outcome);
    kernels_free(&loaded);
    return of;
}

static void expect(const char *source, shape how, ht_check_order order, const char *message) {
    bench of = run(source, how, order);
    cr_assert(of.outcome.found, "nothing found, expected %s", message);
    cr_expect_str_eq(of.outcome.finding.message, message);
    cr_expect_neq(of.code, 0);
    free(of.memory);
}

static void expect_clean(const char *source, shape how) {
    for (ht_check_order order = HT_CHECK_FORWARD; order <= HT_CHECK_RANDOM; ++order) {
        bench of = run(source, how, order);
        cr_expect_not(of.outcome.found, "%s", of.outcome.finding.message);
        cr_expect_eq(of.code, 0);
        free(of.memory);
    }
}

#define KERNEL "__global__ void k(const float *in, float *out) {\n"

static const char without_barrier[] = KERNEL "  __shared__ float tile[64];\n"
                                             "  int t = threadIdx.x;\n"
                                             "  tile[t] = in[t];\n"
                                             "  out[t] = tile[63 - t];\n"
                                             "}\n";
static const char with_barrier[] = KERNEL "  __shared__ float tile[64];\n"
                                          "  int t = threadIdx.x;\n"
                                          "  tile[t] = in[t];\n"
                                          "  __syncthreads();\n"
                                          "  out[t] = tile[63 - t];\n"
                                          "}\n";

Test(check, a_missing_barrier_is_a_race_with_both_its_accesses) {
    expect(without_barrier, LINE(1, 64), HT_CHECK_FORWARD,
           "race: tile[32] read at unit.hip:5 by thread (31, 0, 0) and written at "
           "unit.hip:4 by thread (32, 0, 0) of block (0, 0, 0), no barrier between");
    expect(without_barrier, LINE(1, 64), HT_CHECK_BACKWARD,
           "race: tile[31] read at unit.hip:5 by thread (32, 0, 0) and written at "
           "unit.hip:4 by thread (31, 0, 0) of block (0, 0, 0), no barrier between");
    expect_clean(with_barrier, LINE(1, 64));
}

Test(check, a_finding_holds_what_its_words_say) {
    bench of = run(without_barrier, LINE(1, 64), HT_CHECK_FORWARD);
    const ht_check_finding *found = &of.outcome.finding;
    cr_expect_str_eq(found->kind, "race");
    cr_expect_str_eq(found->array, "tile");
    cr_expect_eq(found->element, 32);
    cr_assert_eq(found->place_count, 2);
    cr_expect_eq(found->places[0].line, 4);
    cr_expect(found->places[0].write);
    cr_expect_eq(found->places[0].thread[0], 32);
    cr_expect_eq(found->places[1].line, 5);
    cr_expect_not(found->places[1].write);
    cr_expect_eq(found->places[1].thread[0], 31);
    free(of.memory);
}

Test(check, results_of_a_checked_kernel_are_right_in_any_order) {
    for (ht_check_order order = HT_CHECK_FORWARD; order <= HT_CHECK_RANDOM; ++order) {
        bench of = run(with_barrier, LINE(1, 64), order);
        for (int i = 0; i < 64; ++i)
            cr_assert_eq(of.out[i], 63 - i);
        free(of.memory);
    }
}

Test(check, blocks_that_write_the_same_element_race) {
    expect(KERNEL "  out[blockIdx.x / 2] = threadIdx.x;\n}\n", LINE(4, 1), HT_CHECK_FORWARD,
           "race: out[0] written at unit.hip:2 by thread (0, 0, 0) of block (0, 0, 0) and written "
           "at unit.hip:2 by thread (0, 0, 0) of block (1, 0, 0), nothing orders blocks");
}

Test(check, a_block_that_reads_what_another_writes_races_whoever_is_first) {
    static const char source[] = KERNEL "  int b = blockIdx.x;\n"
                                        "  out[b] = out[b + 1] + 1;\n"
                                        "}\n";
    for (ht_check_order order = HT_CHECK_FORWARD; order <= HT_CHECK_BACKWARD; ++order) {
        bench of = run(source, LINE(4, 1), order);
        cr_expect(of.outcome.found);
        cr_expect_str_eq(of.outcome.finding.kind, "race");
        free(of.memory);
    }
}

Test(check, atomics_do_not_race) {
    expect_clean(KERNEL "  __shared__ int sum;\n"
                        "  if (threadIdx.x == 0) sum = 0;\n"
                        "  __syncthreads();\n"
                        "  atomicAdd(&sum, 1);\n"
                        "  atomicAdd(&out[0], in[threadIdx.x]);\n"
                        "  __syncthreads();\n"
                        "  if (threadIdx.x == 0) out[1 + blockIdx.x] = sum;\n"
                        "}\n",
                 LINE(3, 64));
}

Test(check, a_plain_access_beside_an_atomic_one_races) {
    bench of = run(KERNEL "  __shared__ int sum;\n"
                          "  sum = 0;\n"
                          "  atomicAdd(&sum, 1);\n"
                          "}\n",
                   LINE(1, 2), HT_CHECK_FORWARD);
    cr_expect(of.outcome.found);
    cr_expect_str_eq(of.outcome.finding.kind, "race");
    free(of.memory);
}

Test(check, the_last_block_may_read_what_others_announced_by_an_atomic) {
    expect_clean(KERNEL "  __shared__ bool last;\n"
                        "  if (threadIdx.x == 0) {\n"
                        "    out[1 + blockIdx.x] = in[blockIdx.x];\n"
                        "    __threadfence();\n"
                        "    last = atomicAdd((int *)out, 1) == gridDim.x - 1;\n"
                        "  }\n"
                        "  __syncthreads();\n"
                        "  if (last && threadIdx.x == 0) {\n"
                        "    float sum = 0;\n"
                        "    for (int i = 0; i < gridDim.x; ++i) sum += out[1 + i];\n"
                        "    out[100] = sum;\n"
                        "  }\n"
                        "}\n",
                 LINE(5, 64));
}

Test(check, lanes_that_meet_are_ordered_and_waves_are_not) {
    static const char source[] = KERNEL "  __shared__ float tile[128];\n"
                                        "  int t = threadIdx.x;\n"
                                        "  tile[t] = in[t];\n"
                                        "  __syncwarp();\n"
                                        "  out[t] = tile[t ^ DISTANCE];\n"
                                        "}\n";
    char *text = malloc(sizeof source + 64);
    sprintf(text, "#define DISTANCE 1\n%s", source);
    expect_clean(text, LINE(1, 128));
    sprintf(text, "#define DISTANCE 64\n%s", source);
    bench of = run(text, LINE(1, 128), HT_CHECK_FORWARD);
    cr_expect(of.outcome.found);
    free(of.memory);
    free(text);
}

Test(check, what_lies_outside_a_buffer_is_neither_read_nor_written) {
    expect(KERNEL "  out[threadIdx.x] = in[threadIdx.x + 200];\n}\n", LINE(1, 64), HT_CHECK_FORWARD,
           "outside: read behind 'in' (element 256 of 256), at unit.hip:2 by thread (56, 0, 0) of "
           "block (0, 0, 0)");
    expect(KERNEL "  out[(int)threadIdx.x - 3] = 1;\n}\n", LINE(1, 64), HT_CHECK_BACKWARD,
           "outside: write before 'out' (element -1 of 256), at unit.hip:2 by thread (2, 0, 0) of "
           "block (0, 0, 0)");
    bench of =
        run(KERNEL "  out[threadIdx.x + 1000000000ll] = 1;\n}\n", LINE(1, 1), HT_CHECK_FORWARD);
    cr_expect(of.outcome.found);
    cr_expect_str_eq(of.outcome.finding.kind, "outside");
    free(of.memory);
}

Test(check, inputs_are_not_written) {
    expect(KERNEL "  ((float *)in)[5] = 0;\n}\n", LINE(1, 1), HT_CHECK_FORWARD,
           "input: write to input 'in' (element 5), at unit.hip:2 by thread (0, 0, 0) of block (0, "
           "0, 0)");
}

Test(check, dynamic_shared_memory_ends_where_the_launch_says) {
    static const char source[] = KERNEL "  extern __shared__ float tile[];\n"
                                        "  tile[threadIdx.x] = in[threadIdx.x];\n"
                                        "  out[threadIdx.x] = tile[threadIdx.x];\n"
                                        "}\n";
    expect_clean(source, (shape){{1, 1, 1}, {64, 1, 1}, 256});
    expect(source, (shape){{1, 1, 1}, {64, 1, 1}, 252}, HT_CHECK_FORWARD,
           "outside: write behind 'tile' (element 63 of 63), at unit.hip:3 by thread (63, 0, 0) of "
           "block (0, 0, 0)");
}

Test(check, an_index_outside_an_array_is_found_in_shared_and_in_own_memory) {
    expect(KERNEL "  __shared__ float tile[16];\n"
                  "  tile[threadIdx.x] = 1;\n"
                  "}\n",
           LINE(1, 17), HT_CHECK_FORWARD,
           "bounds: index 16 is outside its array, at unit.hip:3 by thread (16, 0, 0) of block (0, "
           "0, 0)");
    expect(KERNEL "  float own[4] = {in[0], in[1], in[2], in[3]};\n"
                  "  out[threadIdx.x] = own[threadIdx.x];\n"
                  "}\n",
           LINE(1, 5), HT_CHECK_FORWARD,
           "bounds: index 4 is outside its array, at unit.hip:3 by thread (4, 0, 0) of block (0, "
           "0, 0)");
}

Test(check, a_barrier_that_part_of_the_block_reaches_is_reported) {
    expect(KERNEL "  if (threadIdx.x >= 48) return;\n"
                  "  out[threadIdx.x] = 1;\n"
                  "  __syncthreads();\n"
                  "}\n",
           LINE(1, 64), HT_CHECK_FORWARD,
           "barrier: __syncthreads was reached by 48 of 64 threads; 16 ended before, at unit.hip:4 "
           "by thread (63, 0, 0) of block (0, 0, 0)");
    bench of = run(KERNEL "  if (threadIdx.x < 32)\n"
                          "    __syncthreads();\n"
                          "  else\n"
                          "    __syncthreads();\n"
                          "}\n",
                   LINE(1, 64), HT_CHECK_RANDOM);
    cr_expect(of.outcome.found);
    cr_expect_str_eq(of.outcome.finding.kind, "barrier");
    cr_expect(strstr(of.outcome.finding.message, "unit.hip:3") != NULL);
    cr_expect(strstr(of.outcome.finding.message, "unit.hip:5") != NULL);
    free(of.memory);
}

Test(check, shared_memory_that_was_never_written_is_told) {
    bench of = run(KERNEL "  __shared__ float tile[64];\n"
                          "  out[threadIdx.x] = tile[threadIdx.x];\n"
                          "}\n",
                   LINE(1, 64), HT_CHECK_FORWARD);
    cr_expect_not(of.outcome.found);
    cr_assert(of.outcome.has_unwritten);
    cr_expect_str_eq(of.outcome.unwritten.array, "tile");
    cr_expect_eq(of.outcome.unwritten.places[0].line, 3);
    cr_expect(of.out[3] != of.out[3], "poison is no number");
    free(of.memory);
}

Test(check, an_overflowing_stack_is_named_and_survived) {
    static const char source[] = "__device__ __noinline__ float deep(int n, const float *in) {\n"
                                 "  volatile float own[256];\n"
                                 "  own[n % 256] = in[n % 64];\n"
                                 "  return n == 0 ? 0 : deep(n - 1, in) + own[n % 256];\n"
                                 "}\n" KERNEL "  out[threadIdx.x] = deep(1000, in);\n}\n";
    bench of = run(source, LINE(1, 4), HT_CHECK_FORWARD);
    cr_assert(of.outcome.found);
    cr_expect_str_eq(of.outcome.finding.kind, "stack");
    free(of.memory);
    expect_clean(with_barrier, LINE(1, 64));
}

/* Not checking: a bound holds in every image. */
Test(check, launch_bounds_are_kept_in_every_image) {
    static const char source[] =
        "template <int N> __global__ void /* { */ __launch_bounds__(N * 32, 2)\n"
        "    bound(int *out) {\n"
        "  out[threadIdx.x] = __LINE__;\n"
        "}\n"
        "__global__ __launch_bounds__(16) void other(int *out);\n"
        "__global__ __launch_bounds__(16) void other(int *out) { out[0] = 1; }\n";
    kernels of = KERNELS(64, source, "bound<2>", "other");
    int out[128];
    void *pointer = out;
    void *arguments[] = {&pointer, NULL};
    cr_expect_eq(kernels_try(&of, "bound<2>", LINE(1, 64), arguments), 0);
    cr_expect_eq(out[0], 3);
    cr_expect_eq(kernels_try(&of, "bound<2>", LINE(1, 65), arguments), 719);
    cr_expect_str_eq(of.hip->hipGetErrorString(719),
                     "bound<2>: launched with 65 threads a block, more than its __launch_bounds__ "
                     "of 64");
    cr_expect_eq(kernels_try(&of, "other", LINE(1, 16), arguments), 0);
    cr_expect_eq(kernels_try(&of, "other", LINE(1, 17), arguments), 719);
    kernels_free(&of);
}
