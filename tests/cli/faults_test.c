/* The view of a user when things go wrong around a tuning: a device that fails, a disk that is
 * full, a configuration that kills. */
#include "program.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

TestSuite(faults, .init = workplace_make, .fini = workplace_remove, .timeout = 250);

#define HEAD                                                                                       \
    "#pragma tune unit\n"                                                                          \
    "#pragma tune kernel(five)\n"                                                                  \
    "#pragma tune param(BLOCK : 32, 64, 128 = 32)\n"                                               \
    "#pragma tune param(KIND : 0, 1, 2, 3, 4, 5 = 0)\n"                                            \
    "#pragma tune block(BLOCK)\n"                                                                  \
    "#pragma tune grid(1)\n"                                                                       \
    "#pragma tune arg(out : out int[32])\n"                                                        \
    "extern \"C\" {\n"                                                                             \
    "void abort();\n"                                                                              \
    "int access(const char *, int);\n"                                                             \
    "int creat(const char *, int);\n"                                                              \
    "}\n"                                                                                          \
    "template <int BLOCK, int KIND> __global__ void five(int *out) {\n"
#define TAIL                                                                                       \
    "    if (threadIdx.x < 32) out[threadIdx.x] = 5;\n"                                            \
    "}\n"

static void expect_words(const program_result *result, int code, const char *words) {
    cr_expect_eq(result->code, code, "exit code %d:\n%s%s", result->code, result->out, result->err);
    cr_expect(strstr(result->out, words) || strstr(result->err, words), "no '%s' in:\n%s%s", words,
              result->out, result->err);
}

/* Once the file is there, every kernel aborts: a device that has gone. */
Test(faults, a_failing_device_has_its_own_exit_code) {
    char *text = ht_format(HEAD "    if (BLOCK == 64) creat(\"%s/gone\", 0600);\n"
                                "    if (threadIdx.x == 0 && access(\"%s/gone\", 0) == 0)"
                                " abort();\n" TAIL,
                           workplace(), workplace());
    workplace_write("five.hip", text);
    program_result result =
        program_run("tune five.hip --strategy exhaustive --max-evals 8 --sandbox off");
    expect_words(&result, 4, "host keeps failing");
    program_free(&result);
    free(text);
}

Test(faults, what_killed_twice_is_not_run_again_unless_asked) {
    workplace_write("five.hip", HEAD "    if (BLOCK == 128 && KIND == 0) abort();\n" TAIL);
    const char *words = "tune five.hip --strategy exhaustive --max-evals 0 --db t.db --json r.json";
    program_result result = program_run(words);
    expect_words(&result, 0, "1 crash");
    program_free(&result);
    result = program_run(words);
    expect_words(&result, 0, "0 run, 18 reused");
    program_free(&result);
}

Test(faults, a_full_disk_is_told_and_what_was_committed_is_kept) {
    enum { BYTES = 128 << 10 };
    workplace_write("five.hip", HEAD TAIL);
    struct rlimit before, limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = BYTES;
    const char *words = "tune five.hip --strategy exhaustive --max-evals 0 --db t.db";
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    program_result result = program_run(words);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    expect_words(&result, 1, "t.db: tuning database: cannot be written");
    program_free(&result);
    result = program_run(words);
    cr_expect_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_expect_null(strstr(result.out, " 0 reused"), "%s", result.out);
    program_free(&result);
}

static const char scale[] = "__global__ void scale(const float *in, float *out, int n) {\n"
                            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "    if (i < n) out[i] = 2 * in[i];\n"
                            "}\n"
                            "void run(const float *in, float *out, int n) {\n"
                            "    scale<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                            "}\n";

/* A scratch file that cannot be written says nothing about the kernel, so that the tuned source is
 * as unverified as if nothing had been run. */
Test(faults, what_a_full_scratch_folder_leaves_unverified_is_withheld) {
    enum { BYTES = 4 << 10 };
    workplace_write("scale.hip", scale);
    struct rlimit before, limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = BYTES;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    program_result result = program_run("apply BLOCK_X=64 scale.hip --in-place");
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    expect_words(&result, 1, "scale: withheld: it was not verified: ");
    expect_words(&result, 1, "cannot write: File too large; free space there, or set TMPDIR");
    cr_expect_null(strstr(result.err, "defect"), "%s", result.err);
    program_free(&result);
    char *now = workplace_read("scale.hip");
    cr_expect_str_eq(now, scale);
    free(now);
}

/* libclang aborts where it cannot write the parsed header. */
Test(faults, a_full_cache_folder_costs_time_and_one_warning) {
    enum { BYTES = 1 << 20 };
    static const char *const commands[] = {
        "refactor a.hip b.hip --no-verify --jobs 2",
        "apply BLOCK_X=64 a.hip --in-place",
    };
    workplace_write("a.hip", scale);
    workplace_write("b.hip", scale);
    struct rlimit before, limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = BYTES;
    char *cache = ht_path_join(workplace(), "cache");
    setenv("HIPTEMPER_CACHE", cache, 1);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        program_result result = program_run(commands[i]);
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
        expect_words(&result, 0, "cannot be written: File too large; free space there");
        const char *first = strstr(result.err, "warning:");
        cr_expect(first && !strstr(first + 1, "warning:"), "%s", result.err);
        program_free(&result);
    }
    free(cache);
}

Test(faults, a_cache_folder_that_cannot_be_made_is_done_without_and_reported) {
    workplace_write("a.hip", "__global__ void five(int *out) { *out = 5; }\n");
    char *cache = ht_path_join(workplace(), "a.hip/cache");
    setenv("HIPTEMPER_CACHE", cache, 1);
    program_result result = program_run("refactor a.hip --no-verify");
    expect_words(&result, 0, "$HIPTEMPER_CACHE is not used: ");
    expect_words(&result, 0, "cannot make folder: File exists");
    program_free(&result);
    free(cache);
}

/* ROCm's compiler says of a full disk no more than that it failed, or dies. */
Test(faults, a_full_temporary_folder_is_blamed_on_neither_rocm_nor_a_configuration) {
    enum { BYTES = 16 << 10 };
    workplace_write("five.hip", HEAD TAIL);
    struct rlimit before, limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = BYTES;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    program_result result = program_run("inspect five.hip --arch gfx90a");
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    expect_words(&result, 1, "cannot write: File too large; free space there, or set TMPDIR");
    cr_expect_null(strstr(result.err, "reinstall"), "%s", result.err);
    program_free(&result);
}
