/* The bundle's program (benchmarks/gpu) on the stand-in GPU. */
#include "tests/cli/program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void prepare(void) {
    workplace_make();
    setenv("HIPTEMPER_CUDA_DRIVER", HT_STANDIN_CUDA, 1);
    setenv("HIPTEMPER_NVRTC", HT_STANDIN_LIBNVRTC, 1);
    workplace_write(
        "tiny.json",
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"problem\": \"conv2d\", "
        "\"instances\": [{\"name\": \"tiny\", \"fields\": {\"N\": 1, \"C\": 2, \"H\": 9, "
        "\"W\": 9, \"K\": 4, \"R\": 3, \"S\": 3, \"pad\": 1}}]}");
}
TestSuite(gpu_check, .init = prepare, .fini = workplace_remove);

static int check(const char *options) {
    char *command = ht_format("cd '%s' && HIPTEMPER_DB='%s/db' '%s' gpu-check --bundle . --out out "
                              "%s >out.txt 2>err.txt",
                              workplace(), workplace(), HT_GPU_PROGRAM, options);
    int status = system(command);
    free(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_text(const char *file, const char *wanted) {
    char *text = workplace_read(file);
    cr_expect(text && strstr(text, wanted), "wanted '%s' in %s:\n%s", wanted, file,
              text ? text : "");
    free(text);
}

#define RUN(part)                                                                                  \
    "{\"name\": \"" part "/direct\", \"part\": \"" part "\", \"template\": \"" HT_SOURCE_DIR       \
    "/templates/library/conv2d_direct.hip\", \"problem\": \"tiny.json\", \"max_evals\": 2}"

Test(gpu_check, checks_tunes_and_writes_both_reports) {
    workplace_write("plan.json", "{\"runs\": [" RUN("check") "," RUN("tune") "]}");
    cr_expect_eq(check("--max-time 12"), 0);
    expect_text("out.txt", "2 of 2 kernels and problems verified, 2 of them against float64; 0 "
                           "wrong configurations");
    expect_text("out/gpu-check.txt", "float64 conv2d");
    char *text = workplace_read("out/gpu-check.json");
    json_t *document = json_loads(text, 0, NULL);
    json_t *totals = json_object_get(document, "totals");
    cr_expect_eq(json_integer_value(json_object_get(totals, "kernels")), 2);
    cr_expect_eq(json_integer_value(json_object_get(totals, "verified")), 2);
    cr_expect_eq(json_array_size(json_object_get(document, "runs")), 2);
    json_decref(document);
    free(text);
}

Test(gpu_check, a_faulting_gpu_is_a_failure) {
    setenv("HT_STANDIN_FAIL", "cuLaunchKernel:700", 1);
    workplace_write("plan.json", "{\"runs\": [" RUN("check") "]}");
    cr_expect_eq(check("--quick"), 1);
    expect_text("out.txt", "0 of 1 kernels and problems verified");
}

Test(gpu_check, says_why_there_is_no_gpu) {
    setenv("HT_STANDIN_FAIL", "cuInit:100", 1);
    workplace_write("plan.json", "{\"runs\": [" RUN("check") "]}");
    cr_expect_eq(check(""), 3);
    expect_text("err.txt", "nvidia: the CUDA driver does not start");
}

Test(gpu_check, a_broken_plan_is_named) {
    workplace_write("plan.json", "{\"runs\": [{\"name\": \"a\"}]}");
    cr_expect_eq(check(""), 2);
    expect_text("err.txt", "plan.json: run 1: ");
    workplace_write("plan.json", "{\"runs\": [\n");
    cr_expect_eq(check(""), 2);
    expect_text("err.txt", "plan.json:");
}
