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

static size_t pages, accesses; /* of plans; 0: as it is */

/* Runs on a bench; `poisoned`: the outputs hold nothing yet. */
static bench run_on(const char *source, shape how, ht_check_order order, bool poisoned) {
    bench of = {.memory = calloc(1, 4 * GUARD + 2 * COUNT * sizeof(float))};
    of.in = (float *)(of.memory + GUARD);
    of.out = (float *)(of.memory + 3 * GUARD + COUNT * sizeof(float));
    for (int i = 0; i < COUNT; ++i)
        of.in[i] = (float)i;
    if (poisoned)
        memset(of.out, 0xFF, COUNT * sizeof(float));
    ht_check_buffer buffers[] = {{.name = "in", .data = (char *)of.in, .read_only = true},
                                 {.name = "out", .data = (char *)of.out}};
    for (int i = 0; i < 2; ++i) {
        buffers[i].bytes = COUNT * sizeof(float);
        buffers[i].guard = GUARD;
        buffers[i].element = sizeof(float);
    }
    buffers[1].poisoned = poisoned;
    buffers[1].poison = 0xFF;
    const ht_check_plan plan = {.order = order,
                                .seed = 7,
                                .accesses = accesses,
                                .pages = pages,
                                .buffers = buffers,
                                .buffer_count = 2};
    kernels loaded = kernels_load_checked(source, (const char *const[]){"k", NULL});
    ht_check_begin(&plan);
    of.code = kernels_try(&loaded, "k", how, (void *[]){&of.in, &of.out, NULL});
    ht_check_end(&of.outcome);
    kernels_free(&loaded);
    return of;
}

static bench run_source(const char *source, shape how, ht_check_order order) {
    return run_on(source, how, order, false);
}

static void expect(const char *source, shape how, ht_check_order order, const char *message) {
    bench of = run_source(source, how, order);
    cr_assert(of.outcome.found, "nothing found, expected %s", message);
    cr_expect_str_eq(of.outcome.finding.message, message);
    cr_expect_neq(of.code, 0);
    free(of.memory);
}

static void expect_clean(const char *source, shape how) {
    for (ht_check_order order = HT_CHECK_FORWARD; order <= HT_CHECK_RANDOM; ++order) {
        bench of = run_source(source, how, order);
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
    bench of = run_source(without_barrier, LINE(1, 64), HT_CHECK_FORWARD);
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
        bench of = run_source(with_barrier, LINE(1, 64), order);
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
        bench of = run_source(source, LINE(4, 1), order);
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
    bench of = run_source(KERNEL "  __shared__ int sum;\n"
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

/* Both blocks use an atomic, but not one that orders what they do otherwise. */
Test(check, an_atomic_excuses_no_plain_access) {
    expect(KERNEL "  if (threadIdx.x == 0) {\n"
                  "    atomicAdd(&out[blockIdx.x], 1.0f);\n"
                  "    out[10] = in[blockIdx.x];\n"
                  "  }\n"
                  "}\n",
           LINE(2, 64), HT_CHECK_FORWARD,
           "race: out[10] written at unit.hip:4 by thread (0, 0, 0) of block (0, 0, 0) and written "
           "at unit.hip:4 by thread (0, 0, 0) of block (1, 0, 0), nothing orders blocks");
    /* Added to by all, but read by one as if they had ended. */
    expect(KERNEL "  if (blockIdx.x == 3)\n"
                  "    out[9] = out[0];\n"
                  "  else\n"
                  "    atomicAdd(&out[0], in[blockIdx.x]);\n"
                  "}\n",
           LINE(4, 1), HT_CHECK_FORWARD,
           "race: out[0] written at unit.hip:5 by thread (0, 0, 0) of block (2, 0, 0) and read at "
           "unit.hip:3 by thread (0, 0, 0) of block (3, 0, 0), nothing orders blocks");
}

/* Every thread writes, one announces it: the barrier between makes it true. */
#define ANNOUNCE(BARRIER)                                                                          \
    KERNEL "  __shared__ bool last;\n"                                                             \
           "  int t = threadIdx.x;\n"                                                              \
           "  out[16 + blockIdx.x * 32 + t] = in[t];\n"                                            \
           "  __threadfence();\n" BARRIER "  if (t == 0)\n"                                        \
           "    last = atomicAdd((int *)out, 1) == gridDim.x - 1;\n"                               \
           "  __syncthreads();\n"                                                                  \
           "  if (last && t == 0) out[1] = out[16 + 31];\n"                                        \
           "}\n"

Test(check, what_is_announced_before_all_have_written_it_races) {
    expect_clean(ANNOUNCE("  __syncthreads();\n"), LINE(3, 32));
    bench of = run_source(ANNOUNCE(""), LINE(3, 32), HT_CHECK_FORWARD);
    cr_assert(of.outcome.found, "thread 0 announces what thread 31 has yet to write");
    cr_expect_str_eq(of.outcome.finding.kind, "race");
    cr_expect_str_eq(of.outcome.finding.array, "out");
    free(of.memory);
}

/* Each thread announces its own, and one of the last block knows of all accesses of other
 * blocks. */
Test(check, threads_that_announce_their_own_results_are_ordered) {
    expect_clean(KERNEL "  int t = threadIdx.x;\n"
                        "  out[16 + blockIdx.x * 32 + t] = in[t];\n"
                        "  __threadfence();\n"
                        "  if (atomicAdd((int *)out, 1) == 3 * 32 - 1)\n"
                        "    for (int i = 0; i < 96; ++i)\n"
                        "      if (i / 32 != blockIdx.x) out[1] = out[16 + i];\n"
                        "}\n",
                 LINE(3, 32));
}

/* Pairs of blocks have a counter each, and the second of a pair counts the pair. */
Test(check, an_order_is_passed_on_by_other_blocks_and_addresses) {
    expect_clean(KERNEL "  int *count = (int *)out, b = blockIdx.x;\n"
                        "  out[16 + b] = in[b];\n"
                        "  __threadfence();\n"
                        "  if (atomicAdd(&count[1 + b / 2], 1) == 1 && atomicAdd(count, 1) == 3)\n"
                        "    for (int i = 0; i < 8; ++i) out[32] = out[16 + i];\n"
                        "}\n",
                 LINE(8, 1));
}

/* Words and then bytes of the same shared memory: a byte remembers who touched its word. */
Test(check, a_byte_of_a_shared_word_races_with_the_word_and_not_with_other_bytes) {
    static const char begin[] = KERNEL "  __shared__ int words[66];\n"
                                       "  int t = threadIdx.x;\n"
                                       "  unsigned char *bytes = (unsigned char *)words;\n"
                                       "  words[t] = (int)in[t];\n";
    static const char read[] = "  out[t] = bytes[4 * (t ^ 1) + 3];\n}\n";
    static const char write[] = "  bytes[(t + 1) % 64] = 1;\n"
                                "  __syncthreads();\n"
                                "  out[t] = words[t];\n}\n";
    static const char apart[] = "  __syncthreads();\n"
                                "  bytes[4 * (t / 4) + (t + 1) % 4] = 1;\n"
                                "  __syncthreads();\n"
                                "  out[t] = words[t / 4];\n}\n";
    char source[1024];
    snprintf(source, sizeof source, "%s%s", begin, read);
    expect(source, LINE(1, 64), HT_CHECK_FORWARD,
           "race: words[1] read at unit.hip:6 by thread (0, 0, 0) and written at "
           "unit.hip:5 by thread (1, 0, 0) of block (0, 0, 0), no barrier between");
    snprintf(source, sizeof source, "%s%s", begin, write);
    expect(source, LINE(1, 64), HT_CHECK_BACKWARD,
           "race: words[15] written at unit.hip:6 by thread (59, 0, 0) and written at "
           "unit.hip:5 by thread (15, 0, 0) of block (0, 0, 0), no barrier between");
    snprintf(source, sizeof source, "%s%s", begin, apart);
    expect_clean(source, LINE(1, 64));
}

Test(check, variables_of_the_unit_are_watched_like_memory) {
    expect("__device__ int before, total[2], after = 1;\n" KERNEL
           "  if (threadIdx.x == 0) total[1] += blockIdx.x;\n"
           "  out[blockIdx.x] = before + after;\n"
           "}\n",
           LINE(2, 1), HT_CHECK_FORWARD,
           "race: total[1] written at unit.hip:3 by thread (0, 0, 0) of block (0, 0, 0) and "
           "written at unit.hip:3 by thread (0, 0, 0) of block (1, 0, 0), nothing orders blocks");
    bench of =
        run_source("__device__ float turn = 2;\n" KERNEL "  if (threadIdx.x == 1) turn = 3;\n"
                   "  out[threadIdx.x] = turn;\n"
                   "}\n",
                   LINE(1, 64), HT_CHECK_BACKWARD);
    cr_assert(of.outcome.found);
    cr_expect_str_eq(of.outcome.finding.array, "turn");
    free(of.memory);
    expect_clean("__device__ unsigned ticket; __constant__ float table[4] = {1, 2, 3, 4};\n" KERNEL
                 "  __shared__ unsigned mine;\n"
                 "  if (threadIdx.x == 0) mine = atomicAdd(&ticket, 1);\n"
                 "  __syncthreads();\n"
                 "  if (threadIdx.x == 0) out[mine % 4] = table[mine % 4];\n"
                 "}\n",
                 LINE(4, 64));
}

/* NaN vanishes in fmaxf, so that the output is right, and the value that block 0 finds is not a
 * race. */
Test(check, an_output_is_not_read_before_it_is_written) {
    static const char source[] = KERNEL "  int t = threadIdx.x;\n"
                                        "  out[t] = fmaxf(out[t], in[t]);\n"
                                        "}\n";
    for (ht_check_order order = HT_CHECK_FORWARD; order <= HT_CHECK_RANDOM; ++order) {
        bench of = run_on(source, LINE(1, 1), order, true);
        cr_assert(of.outcome.found);
        cr_expect_str_eq(of.outcome.finding.message,
                         "unwritten: out[0] read before anything wrote it, at unit.hip:3 by thread "
                         "(0, 0, 0) of block (0, 0, 0)");
        free(of.memory);
    }
    expect_clean(source, LINE(1, 64)); /* inout */
    bench of =
        run_on(KERNEL "  atomicAdd(&out[3], in[1]);\n}\n", LINE(1, 1), HT_CHECK_FORWARD, true);
    cr_expect(of.outcome.found);
    free(of.memory);
    of = run_on(KERNEL "  out[threadIdx.x] = 1;\n  out[threadIdx.x] += in[threadIdx.x];\n}\n",
                LINE(2, 64), HT_CHECK_FORWARD, true);
    cr_expect(of.outcome.found, "two blocks write the same");
    cr_expect_str_eq(of.outcome.finding.kind, "race");
    free(of.memory);
    of = run_on(KERNEL "  out[threadIdx.x] = 1;\n  out[threadIdx.x] += in[threadIdx.x];\n}\n",
                LINE(1, 64), HT_CHECK_FORWARD, true);
    cr_expect_not(of.outcome.found, "%s", of.outcome.finding.message);
    free(of.memory);
}

/* Memory for what is known of large buffers is kept from check to check. */
Test(check, a_check_knows_nothing_of_the_one_before) {
    enum { MANY = 4096, STEP = 1024 };
    float *in = calloc(MANY, sizeof *in), *out = calloc(MANY, sizeof *out);
    kernels loaded = kernels_load_checked(
        KERNEL "  unsigned i = blockIdx.x * 256 + threadIdx.x;\n"
               "  if (i % 2 == (unsigned)in[0]) out[i] = in[threadIdx.x];\n}\n",
        (const char *const[]){"k", NULL});
    enum { ROUNDS = 4 }; /* buffers get each other's memory in turn */
    for (size_t round = 0; round < MANY / STEP * ROUNDS; ++round) {
        size_t count = MANY - round / ROUNDS * STEP, odd = round / 2 % 2;
        in[0] = (float)odd;
        ht_check_buffer buffers[] = {
            {.name = "in", .data = (char *)in, .read_only = true},
            {.name = "out", .data = (char *)out, .poisoned = true, .poison = 0xFF}};
        for (int i = 0; i < 2; ++i) {
            buffers[i].bytes = count * sizeof(float);
            buffers[i].element = sizeof(float);
        }
        const ht_check_plan plan = {.buffers = buffers, .buffer_count = 2};
        ht_check_outcome outcome;
        ht_check_begin(&plan);
        cr_assert_eq(ht_check_next_written(1, 0, count), count, "of %zu", count);
        cr_expect_eq(kernels_try(&loaded, "k", LINE((unsigned)(count / 256), 256),
                                 (void *[]){&in, &out, NULL}),
                     0);
        for (size_t i = 0; i < count; ++i)
            cr_assert_eq(ht_check_next_written(1, i, count), i + (i % 2 != odd),
                         "element %zu of %zu", i, count);
        ht_check_end(&outcome);
        cr_expect_not(outcome.found, "%s", outcome.finding.message);
    }
    kernels_free(&loaded);
    free(out);
    free(in);
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
    bench of = run_source(text, LINE(1, 128), HT_CHECK_FORWARD);
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
    bench of = run_source(KERNEL "  out[threadIdx.x + 1000000000ll] = 1;\n}\n", LINE(1, 1),
                          HT_CHECK_FORWARD);
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

/* A device function's array, of a namespace or with an underscore in front. */
Test(check, dynamic_shared_memory_has_any_name) {
    static const char source[] =
        "namespace lib {\n__device__ float turn(float x) {\n"
        "  extern __shared__ float tile[];\n  extern __shared__ float _own[];\n"
        "  tile[threadIdx.x] = x;\n  return _own[threadIdx.x];\n}\n}\n" KERNEL
        "  out[threadIdx.x] = lib::turn(in[threadIdx.x]);\n"
        "}\n";
    expect_clean(source, (shape){{1, 1, 1}, {64, 1, 1}, 256});
    bench of = run_source(source, (shape){{1, 1, 1}, {64, 1, 1}, 252}, HT_CHECK_FORWARD);
    cr_assert(of.outcome.found);
    cr_expect_str_eq(of.outcome.finding.kind, "outside");
    cr_expect(strstr(of.outcome.finding.message, "write behind"), "%s", of.outcome.finding.message);
    free(of.memory);
}

/* Notes of elements take 16 times their memory. */
Test(check, accesses_are_looked_at_as_long_as_memory_for_it_lasts) {
    static const char source[] = KERNEL "  out[threadIdx.x] = 1;\n"
                                        "  if (threadIdx.x == 255) out[0] = 2;\n"
                                        "}\n";
    accesses = 1000;
    for (pages = 0; pages <= 4; pages += 2) {
        bench of = run_source(source, (shape){{1, 1, 1}, {256, 1, 1}, 0}, HT_CHECK_FORWARD);
        cr_expect_eq(of.outcome.found, pages == 0, "%zu: %s", pages, of.outcome.finding.message);
        free(of.memory);
    }
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
    bench of = run_source(KERNEL "  if (threadIdx.x < 32)\n"
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
    bench of = run_source(KERNEL "  __shared__ float tile[64];\n"
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
    bench of = run_source(source, LINE(1, 4), HT_CHECK_FORWARD);
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
