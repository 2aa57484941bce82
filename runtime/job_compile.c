#include "runtime/job_internal.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void ht_compile_task_free(ht_compile_task *task) {
    json_decref(task->program);
    task->program = NULL;
}

static void ask_compile(ht_job *job, ht_process *process, ht_compile_task *task) {
    char file[32];
    snprintf(file, sizeof file, "program-%u", job->files++);
    json_t *request = json_object();
    json_object_set_new(request, "op", json_string("compile"));
    json_object_set_new(request, "config", ht_message_config(task->config));
    json_object_set_new(request, "reference", json_boolean(task->reference));
    json_object_set_new(request, "numbers", json_integer(task->numbers));
    json_object_set_new(request, "checked", json_boolean(task->checked));
    json_object_set_new(request, "output", json_string(file));
    ht_process_ask(process, request, job->compile_limit);
    process->request = task;
}

static void take_answer(ht_job *job, ht_compile_task *task, const json_t *reply) {
    task->status = ht_message_get_error(reply, &task->error);
    if (task->status != HT_OK)
        return;
    ++job->counts.compiled;
    task->program = json_incref(json_object_get(reply, "program"));
    task->seconds = json_number_value(json_object_get(reply, "seconds"));
    task->resources = ht_message_get_resources(json_object_get(reply, "resources"));
}

static void take_end(ht_job *job, ht_process *process, ht_compile_task *task, ht_status status) {
    char evidence[200];
    ++job->counts.worker_restarts;
    if (status == HT_ERROR_TIMEOUT) {
        task->status = ht_error_set(&task->error, status, "compiler: no end within %.3g s",
                                    job->compile_limit);
        return;
    }
    ht_process_evidence(process, evidence, sizeof evidence);
    task->status = ht_error_set(&task->error, status, "compiler: %s", evidence);
}

/* A worker may die of what came before, or by somebody's hand: only the second death counts. */
static bool try_again(ht_job *job, ht_process *process, ht_compile_task *task) {
    bool outside = ht_process_killed_outside(process) && task->kills++ < HT_OUTSIDE_KILLS;
    if (task->retried && !outside)
        return false;
    task->retried = task->retried || !outside;
    ++job->counts.worker_restarts;
    if (ht_job_start_worker(job, process, "compile", NULL) != HT_OK)
        return false;
    ask_compile(job, process, task);
    return true;
}

/* The next task that wants work, from *next on; NULL when there is none. */
static ht_compile_task *next_task(ht_compile_task *tasks, size_t count, size_t *next) {
    while (*next < count) {
        ht_compile_task *task = &tasks[(*next)++];
        task->resources = ht_resources_unknown();
        if (!task->skip)
            return task;
    }
    return NULL;
}

/* Gives every idle worker a task; `*out_busy` tells how many work now. */
static ht_status hand_out(ht_job *job, ht_compile_task *tasks, size_t count, size_t *next,
                          size_t *out_busy, ht_error *error) {
    *out_busy = 0;
    for (size_t i = 0; i < job->compiler_count; ++i) {
        ht_process *process = &job->compilers[i];
        if (process->deadline > 0) {
            ++*out_busy;
            continue;
        }
        size_t before = *next;
        ht_compile_task *task = next_task(tasks, count, next);
        if (task == NULL)
            continue;
        if (process->pid <= 0) {
            ht_status status = ht_job_start_worker(job, process, "compile", error);
            if (status != HT_OK) {
                *next = before;
                return status;
            }
        }
        ask_compile(job, process, task);
        ++*out_busy;
    }
    return HT_OK;
}

/* After an error the other workers' answers would be taken for those of the next batch. */
static void abandon(ht_job *job) {
    for (size_t i = 0; i < job->compiler_count; ++i)
        if (job->compilers[i].deadline > 0)
            ht_process_kill(&job->compilers[i]);
}

ht_status ht_job_compile(ht_job *job, ht_compile_task *tasks, size_t count, ht_error *error) {
    size_t next = 0, busy = 0;
    for (;;) {
        ht_status status = hand_out(job, tasks, count, &next, &busy, error);
        if (status != HT_OK) {
            abandon(job);
            return status;
        }
        if (busy == 0)
            return HT_OK;
        size_t index = 0;
        json_t *reply = NULL;
        status = ht_process_wait(job->compilers, job->compiler_count, job->options.interrupted,
                                 &index, &reply);
        if (status == HT_ERROR_INTERRUPTED)
            return ht_error_set(error, status, "interrupted");
        ht_process *process = &job->compilers[index];
        if (status == HT_ERROR_CRASH && try_again(job, process, process->request))
            continue;
        if (status == HT_OK)
            take_answer(job, process->request, reply);
        else
            take_end(job, process, process->request, status);
        process->request = NULL;
        json_decref(reply);
    }
}
