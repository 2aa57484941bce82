#include "runtime/job/job_internal.h"

#include "base/memory.h"
#include "base/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tasks that one worker compiles in one program: neighbours in work.order. */
typedef struct range {
    size_t first;
    size_t count;
} range;

/* Tasks on their way over the compile workers. */
typedef struct work {
    ht_job *job;
    ht_compile_task *
        *order; /* those that are wanted, sharers of a program next to each other; owned */
    size_t count;
    range *waiting; /* the last one is next; owned */
    size_t waiting_count;
    range *running; /* one a worker; owned */
} work;

void ht_compile_task_free(ht_compile_task *task) {
    json_decref(task->program);
    task->program = NULL;
}

static bool share(const ht_job *job, const ht_compile_task *a, const ht_compile_task *b) {
    return a->set == HT_LAUNCHES_OWN && b->set == HT_LAUNCHES_OWN && a->numbers == b->numbers &&
           a->checked == b->checked && a->counted == b->counted &&
           ht_program_shares(job->binding->template, a->config, b->config);
}

/* Puts a task and all that can be in its program into the order; returns their number. */
static size_t gather(work *work, ht_compile_task *tasks, size_t count, size_t first, bool *placed) {
    size_t begun = work->count;
    for (size_t i = first; i < count; ++i)
        if (!placed[i] && (i == first || share(work->job, &tasks[first], &tasks[i]))) {
            placed[i] = true;
            work->order[work->count++] = &tasks[i];
        }
    return work->count - begun;
}

/* Pushes a range on top of those that wait, so that it comes next. */
static void push(work *work, size_t first, size_t count) {
    if (count == 0)
        return;
    HT_GROW(work->waiting, work->waiting_count);
    work->waiting[work->waiting_count++] = (range){first, count};
}

/* Returns the provider's measure, but no more than each worker's share: idle workers cost more than
 * small programs. */
static size_t program_size(const ht_job *job, size_t group) {
    size_t share = (group + job->workers.compiler_count - 1) / job->workers.compiler_count;
    size_t most = job->options.program_size;
    return share < most ? share : most;
}

/* Sorts the tasks into programs. The first are to be compiled first. */
static void plan(work *work, ht_compile_task *tasks, size_t count) {
    bool *placed = ht_alloc(count, sizeof *placed);
    for (size_t i = 0; i < count; ++i) {
        tasks[i].resources = ht_resources_unknown();
        placed[i] = tasks[i].skip;
    }
    for (size_t i = 0; i < count; ++i) {
        if (placed[i])
            continue;
        size_t first = work->count, group = gather(work, tasks, count, i, placed);
        size_t size = program_size(work->job, group);
        for (size_t at = 0; at < group; at += size)
            push(work, first + at, group - at < size ? group - at : size);
    }
    for (size_t i = 0; i < work->waiting_count / 2; ++i) {
        range *a = &work->waiting[i], *b = &work->waiting[work->waiting_count - 1 - i], swap = *a;
        *a = *b;
        *b = swap;
    }
    free(placed);
}

void ht_job_limits_set(ht_job_limits *limits, double asked, double seconds) {
    limits->compile =
        asked > 0 ? asked : fmin(HT_COMPILE_SECONDS, fmax(HT_COMPILE_SECONDS_MIN, 20 * seconds));
    limits->more = fmin(limits->compile, HT_COMPILE_MORE * seconds);
}

double ht_job_limits_compile(const ht_job_limits *limits, size_t count) {
    return limits->compile + (double)(count - 1) * limits->more;
}

static void ask_compile(work *work, ht_process *process, range range) {
    ht_job *job = work->job;
    const ht_compile_task *task = work->order[range.first];
    char file[32];
    snprintf(file, sizeof file, "program-%u", job->folder.files++);
    json_t *request = json_object(), *configs = json_array();
    for (size_t i = 0; i < range.count; ++i)
        json_array_append_new(configs, ht_message_config(work->order[range.first + i]->config));
    json_object_set_new(request, "op", json_string("compile"));
    json_object_set_new(request, "configs", configs);
    json_object_set_new(request, "launches", json_integer(task->set));
    json_object_set_new(request, "numbers", json_integer(task->numbers));
    json_object_set_new(request, "checked", json_boolean(task->checked));
    json_object_set_new(request, "counted", json_boolean(task->counted));
    json_object_set_new(request, "output", json_string(file));
    ht_process_ask(process, request, ht_job_limits_compile(&job->limits, range.count));
    work->running[process - job->workers.compilers] = range;
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

static void take_answers(work *work, range range, const json_t *reply) {
    const json_t *programs = json_object_get(reply, "programs");
    for (size_t i = 0; i < range.count; ++i) {
        const json_t *entry = json_array_get(programs, i);
        take_answer(work->job, work->order[range.first + i], entry ? entry : reply);
    }
}

static void take_end(ht_job *job, ht_process *process, ht_compile_task *task, ht_status status) {
    char evidence[HT_EVIDENCE_MAX];
    if (status == HT_ERROR_TIMEOUT) {
        task->status = ht_error_set(&task->error, status, "compiler: no end within %.3g s",
                                    job->limits.compile);
        return;
    }
    ht_process_evidence(process, evidence, sizeof evidence);
    task->status =
        ht_scratch_check(job->folder.path, &task->error); /* what compilers die of, too */
    if (task->status == HT_OK)
        task->status = ht_error_set(&task->error, status, "compiler: %s", evidence);
}

/* Takes the loss of a worker that died or was too slow. A program of several is divided: halves
 * find what kills a compiler soonest; what takes too long may be several or all, and waiting is
 * what costs, so each goes alone. A death of one alone may come of what the worker did before, or
 * of somebody's hand: only the second counts. */
static void take_loss(work *work, ht_process *process, range range, ht_status status) {
    ht_compile_task *task = work->order[range.first];
    ++work->job->counts.worker_restarts;
    if (status == HT_ERROR_CRASH && ht_process_killed_outside(process) &&
        task->kills++ < HT_OUTSIDE_KILLS) {
        push(work, range.first, range.count);
    } else if (range.count > 1 && status == HT_ERROR_CRASH) {
        size_t half = range.count / 2;
        push(work, range.first + half, range.count - half);
        push(work, range.first, half);
    } else if (range.count > 1) {
        for (size_t i = range.count; i > 0; --i)
            push(work, range.first + i - 1, 1);
    } else if (status == HT_ERROR_CRASH && !task->retried) {
        task->retried = true;
        push(work, range.first, 1);
    } else {
        take_end(work->job, process, task, status);
    }
}

/* Gives every idle worker a program; `*out_busy` is the number that work now. */
static ht_status hand_out(work *work, size_t *out_busy, ht_error *error) {
    ht_job *job = work->job;
    *out_busy = 0;
    for (size_t i = 0; i < job->workers.compiler_count; ++i) {
        ht_process *process = &job->workers.compilers[i];
        if (process->deadline <= 0) {
            if (work->waiting_count == 0)
                continue;
            if (process->pid <= 0) {
                ht_status status = ht_job_start_worker(job, process, "compile", error);
                if (status != HT_OK)
                    return status;
            }
            ask_compile(work, process, work->waiting[--work->waiting_count]);
        }
        ++*out_busy;
    }
    return HT_OK;
}

/* Abandons the batch: after an error the other workers' answers would be taken for those of the
 * next one. */
static void abandon(ht_job *job) {
    for (size_t i = 0; i < job->workers.compiler_count; ++i)
        if (job->workers.compilers[i].deadline > 0)
            ht_process_kill(&job->workers.compilers[i]);
}

static ht_status compile_all(work *work, ht_error *error) {
    ht_job *job = work->job;
    for (size_t busy = 0;;) {
        ht_status status = hand_out(work, &busy, error);
        if (status != HT_OK) {
            abandon(job);
            return status;
        }
        if (busy == 0)
            return HT_OK;
        size_t index = 0;
        json_t *reply = NULL;
        status = ht_process_wait(job->workers.compilers, job->workers.compiler_count,
                                 job->options.interrupted, &index, &reply);
        if (status == HT_ERROR_INTERRUPTED)
            return ht_error_set(error, status, "interrupted");
        if (status == HT_OK)
            take_answers(work, work->running[index], reply);
        else
            take_loss(work, &job->workers.compilers[index], work->running[index], status);
        json_decref(reply);
    }
}

/* Lets the provider prepare each way of compiling that the tasks ask for. */
static void prepare(const ht_job *job, const ht_compile_task *tasks, size_t count) {
    const ht_provider *provider = ht_provider_find(job->device->provider);
    if (provider == NULL || provider->prepare == NULL)
        return;
    bool prepared[2][2] = {{false}};
    for (size_t i = 0; i < count; ++i) {
        bool *done = &prepared[tasks[i].checked][tasks[i].counted];
        if (tasks[i].skip || *done)
            continue;
        ht_device device = *job->device;
        device.checked = tasks[i].checked;
        device.counted = tasks[i].counted;
        provider->prepare(&device);
        *done = true;
    }
}

ht_status ht_job_compile(ht_job *job, ht_compile_task *tasks, size_t count, ht_error *error) {
    work work = {.job = job};
    work.order = ht_alloc(count + 1, sizeof(ht_compile_task *));
    work.running = ht_alloc(job->workers.compiler_count, sizeof *work.running);
    prepare(job, tasks, count);
    plan(&work, tasks, count);
    ht_status status = compile_all(&work, error);
    free(work.order);
    free(work.waiting);
    free(work.running);
    return status;
}
