/* hiptemper on the stand-in GPU, as a user runs it: workers, compiling, checking, timing. */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void prepare(void) {
    static const char nvrtc[] = "/usr/local/cuda/lib64/libnvrtc.so";
    workplace_make();
    setenv("HIPTEMPER_CUDA_DRIVER", HT_STANDIN_CUDA, 1);
    setenv("HIPTEMPER_NVRTC", HT_STANDIN_LIBNVRTC, 1);
    if (!access(nvrtc, R_OK))
        setenv("HT_STANDIN_NVRTC", nvrtc, 1);
}
TestSuite(tune, .init = prepare, .fini = workplace_remove);

static const char blur[] =
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune unit\n#pragma tune kernel(blur)\n#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 32, 64, 128 = 64)\n#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK))\n#pragma tune lds(BLOCK * 4 + 8)\n"
    "#pragma tune arg(in : in float[problem.n])\n#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int BLOCK> __global__ void blur(const float *in, float *out, int n) {\n"
    "    extern __shared__ float tile[];\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    for (int t = threadIdx.x; t < BLOCK + 2; t += BLOCK) {\n"
    "        int at = (int)(blockIdx.x * BLOCK) + t - 1;\n"
    "        tile[t] = at >= 0 && at < n ? in[at] : 0.0f;\n"
    "    }\n"
    "    __syncthreads();\n"
    "    if (i < n)\n"
    "        out[i] = 0.25f * tile[threadIdx.x] + 0.5f * tile[threadIdx.x + 1] +\n"
    "                 0.25f * tile[threadIdx.x + 2];\n"
    "}\n";

static json_t *run_json(const char *words, int code) {
    program_result result = program_run(words);
    json_error_t error;
    cr_assert_eq(result.code, code, "exit code %d\n%s", result.code, result.err);
    json_t *document = json_loads(result.out, 0, &error);
    cr_assert_not_null(document, "%s\n%s", error.text, result.out);
    program_free(&result);
    return document;
}

#define TUNE "tune blur.hip --problem n=1000 --device nvidia:0 --max-evals 3 --json"

Test(tune, a_gpu_tunes_like_any_device) {
    workplace_write("blur.hip", blur);
    json_t *document = run_json(TUNE, 0);
    json_t *device = json_object_get(document, "device");
    cr_expect_str_eq(json_string_value(json_object_get(device, "name")), "nvidia:0");
    cr_expect(json_is_false(json_object_get(document, "emulated")));
    char *text = json_dumps(document, 0);
    cr_expect(strstr(text, "float64"), "%s", text);
    free(text);
    json_decref(document);
}

/* The driver's numbers of a loaded kernel (the stand-in: 32 registers, 2048 threads a unit) go
 * before the compiler's. */
Test(tune, resources_are_the_loaded_kernels) {
    workplace_write("blur.hip", blur);
    json_decref(run_json(TUNE " --db tuning.sqlite", 0));
    char path[4096];
    sqlite3 *database;
    sqlite3_stmt *rows;
    snprintf(path, sizeof path, "%s/tuning.sqlite", workplace());
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(database,
                                    "SELECT count(*) FROM evaluations WHERE vgprs = 32 AND "
                                    "max_block = 1024 AND waves_per_simd = 16",
                                    -1, &rows, NULL),
                 SQLITE_OK, "%s", sqlite3_errmsg(database));
    cr_assert_eq(sqlite3_step(rows), SQLITE_ROW);
    cr_expect_eq(sqlite3_column_int(rows, 0), 3);
    sqlite3_finalize(rows);
    sqlite3_close(database);
}

/* A launch that faults poisons the context: the configuration is blamed, and the command says so.
 */
Test(tune, launches_that_fail_are_reported) {
    workplace_write("blur.hip", blur);
    setenv("HT_STANDIN_FAIL", "cuLaunchKernel:700", 1);
    program_result result = program_run(TUNE);
    cr_expect_neq(result.code, 0);
    cr_expect(strstr(result.out, "CUDA_ERROR_ILLEGAL_ADDRESS") ||
                  strstr(result.err, "CUDA_ERROR_ILLEGAL_ADDRESS"),
              "%s\n%s", result.out, result.err);
    program_free(&result);
}

Test(tune, exhausted_memory_is_reported) {
    workplace_write("blur.hip", blur);
    setenv("HT_STANDIN_FAIL", "cuMemAlloc_v2:2", 1);
    program_result result = program_run(TUNE);
    cr_expect_neq(result.code, 0);
    cr_expect(strstr(result.out, "out of device memory") ||
                  strstr(result.err, "out of device memory"),
              "%s\n%s", result.out, result.err);
    program_free(&result);
}
