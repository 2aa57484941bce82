/* The control: a variant of known time that every other is timed next to, so that a machine which
 * became slower in the middle of a job makes nobody look slow. */
#include "runtime/job/job_internal.h"

/* A new control costs a load and adds the noise of one more ratio to the scale: so only for a gain
 * that shows. */
static const double GAIN = 0.97;

static void forget(ht_job *job) {
    if (job->control.original)
        json_decref(job->control.program); /* the file is the job's */
    else
        ht_job_forget_program(job, job->control.program);
    job->control.program = NULL;
}

static ht_status known_time(ht_job *job, double *out_ms, ht_error *error) {
    *out_ms = 0;
    if (job->options.database == NULL || job->options.fresh)
        return HT_OK;
    ht_evaluation known;
    bool found = false;
    ht_status status = ht_database_get(job->options.database, &job->identity.key, "original",
                                       &found, &known, error);
    if (status != HT_OK || !found)
        return status;
    if (known.status == HT_OK)
        *out_ms = known.cost;
    ht_evaluation_free(&known);
    return HT_OK;
}

ht_status ht_job_control_begin(ht_job *job, bool *out_known, ht_error *error) {
    double known = 0;
    ht_status status = known_time(job, &known, error);
    *out_known = known > 0;
    if (status != HT_OK || job->options.unpaired)
        return status;
    job->control = (ht_job_control){.program = json_incref(job->baseline.program),
                                    .config = job->default_config,
                                    .original = true,
                                    .ms = known > 0 ? known : job->baseline.timing.median_ms,
                                    .id = 1};
    return HT_OK;
}

void ht_job_control_offer(const ht_job *job, json_t *request) {
    const ht_job_control *control = &job->control;
    if (control->program == NULL)
        return;
    bool original = control->original;
    json_t *beside = ht_job_run_request("control", &control->config, control->program,
                                        original ? job->baseline.set : HT_LAUNCHES_OWN);
    json_object_set_new(beside, "id", json_integer(control->id));
    json_object_set_new(beside, "ms", json_real(control->ms));
    json_object_set_new(request, "beside", beside);
}

void ht_job_control_consider(ht_job *job, const ht_config *config, ht_compile_task *task,
                             const ht_evaluation *evaluation) {
    ht_job_control *control = &job->control;
    if (control->program == NULL || evaluation->status != HT_OK || evaluation->reduced ||
        evaluation->cost > GAIN * control->ms)
        return;
    json_int_t id = control->id;
    forget(job);
    *control = (ht_job_control){
        .program = task->program, .config = *config, .ms = evaluation->cost, .id = id + 1};
    task->program = NULL; /* its file stays */
}

void ht_job_control_end(ht_job *job) {
    if (job->control.program != NULL)
        forget(job);
}
