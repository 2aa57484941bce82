#include "runtime/job/job_verify.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runtime/protocol/spec.h"

#include <stdlib.h>
#include <string.h>

/* A plain run of a variant on a small problem. */
enum { RUN_SECONDS = 60 };

struct ht_programs {
    ht_config *configs; /* owned */
    ht_compile_task *tasks;
    size_t count;
    bool checked;
};

/* Makes the processes that know the last problem serve the one in the folder; those that compile
 * need none. To start one takes longer than many checks. But a kernel that was wrong may have left
 * its process wrong. */
static void rebind(ht_job *job) {
    bool fresh = job->workers.doubtful || !job->device->emulated;
    ht_process *processes[] = {&job->workers.runner, &job->workers.checker};
    for (size_t i = 0; i < sizeof processes / sizeof *processes; ++i)
        if (fresh)
            ht_process_kill(processes[i]);
        else
            ht_job_order(job, processes[i], "bind");
    job->workers.doubtful = job->workers.forgot = false;
}

ht_status ht_job_bind(ht_job *job, const ht_binding *binding, uint64_t seed, ht_error *error) {
    job->binding = binding;
    ht_status status = ht_spec_write(job->folder.path, binding, job->device, error);
    rebind(job);
    if (status == HT_OK)
        status = ht_job_inputs_write(job, &seed, error);
    if (status == HT_OK)
        status = ht_job_make_reference(job, seed, error);
    job->workers.doubtful = status != HT_OK;
    return status;
}

ht_status ht_programs_compile(ht_job *job, const ht_config *configs, size_t count, bool checked,
                              ht_programs **out_programs, ht_error *error) {
    ht_programs *programs = ht_alloc(1, sizeof *programs);
    programs->count = configs ? count : 1;
    programs->checked = checked;
    programs->configs = ht_alloc(programs->count, sizeof *programs->configs);
    programs->tasks = ht_alloc(programs->count, sizeof *programs->tasks);
    for (size_t i = 0; i < programs->count; ++i) {
        programs->configs[i] = configs ? configs[i] : job->default_config;
        programs->tasks[i] =
            (ht_compile_task){.config = &programs->configs[i],
                              .set = configs ? HT_LAUNCHES_OWN : job->reference.set,
                              .checked = checked};
    }
    ht_status status = ht_job_compile(job, programs->tasks, programs->count, error);
    if (status != HT_OK) {
        ht_programs_free(job, programs);
        programs = NULL;
    }
    *out_programs = programs;
    return status;
}

/* Runs as in any tuning run: full speed, guard words around the buffers. */
static ht_status run_plain(ht_job *job, const ht_compile_task *task, ht_check_result *out,
                           ht_error *error) {
    double begin = ht_clock_seconds();
    ht_error own = task->error;
    out->status = task->status;
    job->workers.doubtful = true;
    if (task->status == HT_OK) {
        json_t *reply = NULL,
               *request = ht_job_run_request("measure", task->config, task->program, task->set);
        out->status = ht_job_ask_steady(job, request, RUN_SECONDS, &reply, &own);
        json_decref(reply);
    }
    out->seconds = task->seconds + ht_clock_seconds() - begin;
    return ht_check_result_finish(out, &own, error);
}

ht_status ht_programs_run(ht_job *job, const ht_programs *programs, size_t index,
                          const ht_check_settings *settings, ht_check_result *out_result,
                          ht_error *error) {
    memset(out_result, 0, sizeof *out_result);
    const ht_compile_task *task = &programs->tasks[index];
    return programs->checked ? ht_job_check_program(job, task, settings, out_result, error)
                             : run_plain(job, task, out_result, error);
}

bool ht_programs_slow(const ht_programs *programs, size_t index) {
    return programs->tasks[index].status == HT_ERROR_TIMEOUT;
}

void ht_programs_free(ht_job *job, ht_programs *programs) {
    if (!programs)
        return;
    for (size_t i = 0; i < programs->count; ++i)
        ht_job_forget_program(job, programs->tasks[i].program);
    free(programs->tasks);
    free(programs->configs);
    free(programs);
}
