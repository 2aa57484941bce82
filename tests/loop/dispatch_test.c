/* Tuned files whose launch takes the original at some sizes: right on both sides, or withheld. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/written_check.h"
#include "refactor/rewrite/apply.h"
#include "runtime/job/job.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(dispatch, .timeout = 120);

static const char source[] = "#include <hip/hip_runtime.h>\n"
                             "__global__ void scale(const float *in, float *out, int n) {\n"
                             "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) out[i] = in[i] * 2;\n"
                             "}\n"
                             "void run(const float *in, float *out, int n) {\n"
                             "    scale<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                             "}\n";

static const char problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [\n"
    "  {\"kernel\": \"scale\", \"problem\": \"line : n\",\n"
    "   \"args\": [\"in : in float[problem.n]\", \"out : out float[problem.n]\",\n"
    "            \"n : int = problem.n\"],\n"
    "   \"instances\": [{\"fields\": {\"n\": 4096}}]}]}";

typedef struct subject {
    char *folder;
    ht_problem_file *problems;
    ht_refactor *refactor;
    const ht_kernel *kernel;
    ht_problem kept[2], lost[1];
} subject;

static void sized(const subject *in, const char *text, ht_problem *out) {
    ht_error error;
    cr_assert_eq(ht_problem_parse(&in->kernel->template->problem, text, out, &error), HT_OK, "%s",
                 error.message);
}

static void subject_open(subject *out) {
    const ht_refactor_options options = {0};
    ht_error error = {0};
    setenv("HIPTEMPER_WORKER", HT_TEST_WORKER, 1);
    cr_assert_eq(ht_dir_temporary("dispatch", &out->folder, NULL), HT_OK);
    char *path = ht_path_join(out->folder, "k.hip");
    cr_assert_eq(ht_file_write(path, source, strlen(source), &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_problem_file_parse(problem, "k.problem.json", &out->problems, &error), HT_OK,
                 "%s", error.message);
    cr_assert_eq(ht_refactor_file(path, out->problems, &options, &out->refactor, &error), HT_OK,
                 "%s", error.message);
    out->kernel = ht_refactor_kernel(out->refactor, 0);
    cr_assert_eq(out->kernel->status, HT_KERNEL_TEMPLATED, "%s", out->kernel->reason);
    sized(out, "n=4096", &out->kept[0]);
    sized(out, "n=4095", &out->kept[1]);
    sized(out, "n=2048", &out->lost[0]);
    free(path);
}

static void subject_close(subject *in) {
    ht_problem_free(&in->kept[0]);
    ht_problem_free(&in->kept[1]);
    ht_problem_free(&in->lost[0]);
    ht_refactor_free(in->refactor);
    ht_problem_file_free(in->problems);
    ht_dir_remove(in->folder);
    free(in->folder);
}

/* Writes the kernel for four outputs a thread, with `was` changed to `is` in the text, and checks
 * it. Returns the fault; NULL: there is none; free(). */
static char *fault_of(const subject *in, const char *was, const char *is) {
    const ht_size_samples sizes = {in->kept, 2, in->lost, 1};
    ht_refactor_choice choice = {.sizes = &sizes};
    ht_written_checker checker = {.seed = 1};
    ht_written_proof proof;
    ht_applied applied;
    ht_device device;
    ht_error error = {0};
    cr_assert_eq(ht_device_find("host", &device, &error), HT_OK, "%s", error.message);
    checker.device = &device;
    cr_assert_eq(
        ht_config_parse(in->kernel->template, "BLOCK_X=64 COARSEN_X=4", &choice.config, &error),
        HT_OK, "%s", error.message);
    cr_assert_eq(ht_refactor_apply_all(in->refactor, &choice, 1, &applied, &error), HT_OK, "%s",
                 error.message);
    if (was) {
        char *text = ht_text_replaced(applied.files[0].text, was, is);
        cr_assert_str_neq(text, applied.files[0].text, "no '%s' in %s", was, text);
        free(applied.files[0].text);
        applied.files[0].text = text;
    }
    const ht_written_subject subject = {
        .config = &choice.config, .instance = &in->kept[0], .sizes = &sizes};
    cr_assert_eq(ht_written_check(&checker, in->refactor, &applied, &subject, 1, &proof, &error),
                 HT_OK, "%s", error.message);
    char *fault = proof.fault;
    proof.fault = NULL;
    cr_expect(fault || proof.sizes > 0, "it was not run: %s", proof.unproven);
    ht_written_proof_free(&proof);
    ht_written_checker_free(&checker);
    ht_applied_free(&applied);
    return fault;
}

static void expect_fault(const subject *in, const char *was, const char *is, const char *words) {
    char *fault = fault_of(in, was, is);
    cr_expect(fault && strstr(fault, words), "%s: no '%s' in '%s'", is, words, fault);
    free(fault);
}

Test(dispatch, a_launch_is_right_where_it_takes_the_tuned_kernel_and_where_the_original) {
    subject of;
    subject_open(&of);
    char *fault = fault_of(&of, NULL, NULL);
    cr_expect_null(fault, "%s", fault);
    free(fault);
    expect_fault(&of, "n >= 4095", "n >= 2048", "n=2048 it does not launch the original");
    expect_fault(&of, "n >= 4095", "n >= 4096", "n=4095 it launches the original");
    expect_fault(&of, "out[i] = in[i] * 2;", "out[i] = in[i] * 3;", "");
    expect_fault(&of, "64 : 256", "64 : 128", "");
    subject_close(&of);
}
