#include "pipeline/nightly/calibration.h"

#include "base/memory.h"

#include <stdlib.h>

/* Arithmetic and memory, half and half. Another text is another kernel: nights before and after
 * could not be compared. */
static const char text[] =
    "#pragma tune unit\n"
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune kernel(hiptemper_calibration<BLOCK>)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 128 = 128)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
    "#pragma tune arg(in : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int BLOCK>\n"
    "__global__ void hiptemper_calibration(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i >= n) return;\n"
    "    float a = in[i], b = in[(i * 17) % n];\n"
    "    for (int k = 0; k < 64; ++k) a = a * 0.5f + b;\n"
    "    out[i] = a;\n"
    "}\n";

struct ht_calibration {
    ht_template *templates;
    size_t count;
    ht_problem problem;
    bool bound;
    ht_binding binding;
    ht_job *job;
};

ht_status ht_calibration_start(const ht_session *session, ht_calibration **out_calibration,
                               ht_error *error) {
    ht_calibration *made = ht_alloc(1, sizeof *made);
    *out_calibration = NULL;
    ht_status status =
        ht_template_parse(text, "calibration.hip", &made->templates, &made->count, error);
    if (status == HT_OK)
        status = ht_problem_parse(&made->templates[0].problem, "n=65536", &made->problem, error);
    made->bound = status == HT_OK;
    if (status == HT_OK) {
        made->binding = (ht_binding){made->templates, &made->problem, &session->device.fields};
        const ht_job_options options = {.seed = 1,
                                        .compile_workers = 1,
                                        .sample_budget = 0.1,
                                        .check = HT_CHECK_NEVER,
                                        .unpaired = true,
                                        .interrupted = &ht_stopped};
        status = ht_job_start(&made->binding, &session->device, &options, &made->job, error);
    }
    if (status != HT_OK)
        ht_calibration_free(made);
    else
        *out_calibration = made;
    return status;
}

void ht_calibration_free(ht_calibration *calibration) {
    if (!calibration)
        return;
    ht_job_free(calibration->job);
    if (calibration->bound)
        ht_problem_free(&calibration->problem);
    if (calibration->templates)
        ht_template_free(calibration->templates, calibration->count);
    free(calibration);
}

ht_job *ht_calibration_job(const ht_calibration *calibration) {
    return calibration->job;
}
