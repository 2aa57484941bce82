#include "runtime/measure/inspect.h"

#include "base/memory.h"
#include "base/scratch.h"
#include "runtime/compile/compile.h"
#include "runtime/measure/counted.h"
#include "runtime/process/child.h"
#include "runtime/sandbox/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH_MAX = 32, CHILDREN_MAX = 16, REASON_SIZE = 768 };

/* A batch takes a second or two; a huge kernel alone may take a minute. */
static const double seconds_per_child = 60, seconds_per_config = 5, seconds_to_count = 180;

/* Configurations [first, first + count) of the caller's. */
typedef struct range {
    size_t first;
    size_t count;
} range;

typedef struct inspector {
    const ht_device *device;
    const ht_provider *provider;
    const ht_binding *binding;
    const ht_config *configs;
    ht_inspect_options options;
    ht_inspection *results;
    bool *again;    /* per configuration: a compiler has died of it alone; owned */
    range *waiting; /* owned */
    size_t waiting_count;
    range running[CHILDREN_MAX]; /* oldest first */
    ht_child children[CHILDREN_MAX];
    size_t running_count;
} inspector;

/* The record that a child writes for one configuration, in front of its launches. */
typedef struct record {
    ht_status status;
    char reason[REASON_SIZE];
} record;

const ht_launch *ht_inspect_launches(const ht_template *template, bool original,
                                     size_t *out_count) {
    return ht_template_launches(
        template, original ? ht_template_baseline_set(template) : HT_LAUNCHES_OWN, out_count);
}

static const ht_launch *launches_of(const inspector *self, size_t *out_count) {
    return ht_inspect_launches(self->binding->template, self->options.original, out_count);
}

static size_t launch_count(const inspector *self) {
    size_t count;
    launches_of(self, &count);
    return count;
}

/* In the child: counts a launch; a count that cannot be made is not a failure of the
 * configuration. */
static void count_launch(const inspector *self, const ht_config *config, const ht_launch *launch,
                         const ht_program *program, const char *lowered,
                         ht_inspection_launch *out) {
    ht_error error = {0};
    out->counted = ht_launch_count(self->device, self->binding, config, launch, program, lowered,
                                   self->options.blocks_max, &out->accesses, &error) == HT_OK;
    snprintf(out->uncounted, sizeof out->uncounted, "%.*s", (int)sizeof out->uncounted - 1,
             error.message);
}

/* In the child: reads the resources of a compiled configuration. */
static ht_status read_launches(const inspector *self, const ht_config *config,
                               const ht_program *program, ht_inspection_launch *out,
                               ht_error *error) {
    ht_status status = HT_OK;
    size_t count;
    const ht_launch *launches = launches_of(self, &count);
    for (size_t i = 0; i < count && !status; i++) {
        const ht_launch *launch = &launches[i];
        ht_geometry *geometry = &out[i].geometry;
        status = ht_binding_geometry(self->binding, config, launch, geometry, error);
        if (!status)
            status = self->provider->resources(
                self->device, program->code, program->code_size, program->kernels[i],
                geometry->block[0] * geometry->block[1] * geometry->block[2], geometry->lds,
                &out[i].resources, error);
        if (!status && self->options.count)
            count_launch(self, config, launch, program, program->kernels[i], &out[i]);
    }
    return status;
}

static void write_result(const inspector *self, int fd, const ht_config *config,
                         const ht_program *program, const ht_error *failure) {
    record record = {.status = HT_OK};
    ht_error error = {0};
    ht_inspection_launch *launches = ht_alloc(launch_count(self), sizeof *launches);
    if (!program)
        error = *failure;
    else
        read_launches(self, config, program, launches, &error);
    record.status = error.status;
    snprintf(record.reason, REASON_SIZE, "%.*s", REASON_SIZE - 1, error.message);
    ht_child_write(fd, &record, sizeof record);
    if (!record.status)
        ht_child_write(fd, launches, launch_count(self) * sizeof *launches);
    free(launches);
}

/* In the child: compiles a range in one program, or its halves when that fails; writes results in
 * order. */
static void inspect_range(const inspector *self, int fd, range range) {
    const ht_config *configs = self->configs + range.first;
    ht_program *programs = ht_alloc(range.count, sizeof *programs);
    ht_error error = {0};
    ht_status status = self->options.original
                           ? ht_program_compile(self->device, self->binding, configs,
                                                ht_template_baseline_set(self->binding->template),
                                                programs, &error)
                           : ht_program_compile_batch(self->device, self->binding, configs,
                                                      range.count, programs, &error);
    if (status && range.count > 1) {
        size_t half = range.count / 2;
        inspect_range(self, fd, (struct range){range.first, half});
        inspect_range(self, fd, (struct range){range.first + half, range.count - half});
    } else {
        for (size_t i = 0; i < range.count; i++)
            write_result(self, fd, &configs[i], status ? NULL : &programs[i], &error);
    }
    for (size_t i = 0; i < range.count; i++)
        ht_program_free(&programs[i]);
    free(programs);
}

typedef struct child_context {
    const inspector *self;
    range range;
} child_context;

static void child_work(const void *context, int fd) {
    const child_context *work = context;
    ht_error error = {0};
    const ht_sandbox_plan plan = {.mode = ht_sandbox_chosen(),
                                  .alone = true,
                                  .programs = true,
                                  .devices = !work->self->device->emulated,
                                  .writes = getenv("TMPDIR")};
    if (ht_sandbox_enter(&plan, &error) != HT_OK) {
        for (size_t i = 0; i < work->range.count; ++i)
            write_result(work->self, fd, NULL, NULL, &error);
        return;
    }
    inspect_range(work->self, fd, work->range);
}

static void push(inspector *self, size_t first, size_t count) {
    if (count == 0)
        return;
    HT_GROW(self->waiting, self->waiting_count);
    self->waiting[self->waiting_count++] = (range){first, count};
}

static ht_status start_next(inspector *self, ht_error *error) {
    range range = self->waiting[--self->waiting_count];
    child_context context = {self, range};
    double each = seconds_per_config + (self->options.count ? seconds_to_count : 0);
    double seconds = seconds_per_child + each * (double)range.count;
    ht_status status =
        ht_child_start(child_work, &context, seconds, &self->children[self->running_count], error);
    if (status)
        return status;
    self->running[self->running_count++] = range;
    return HT_OK;
}

/* Takes the whole results from a child's output. Returns how many configurations they are of. */
static size_t take_results(inspector *self, range range, const ht_child_result *output) {
    size_t at = 0, done = 0, launches_size = launch_count(self) * sizeof(ht_inspection_launch);
    while (done < range.count) {
        record record;
        ht_inspection *result = &self->results[range.first + done];
        if (output->output_size - at < sizeof record)
            break;
        memcpy(&record, output->output + at, sizeof record);
        if (!record.status && output->output_size - at - sizeof record < launches_size)
            break;
        at += sizeof record;
        result->status = record.status;
        if (record.status) {
            result->reason = ht_strdup(record.reason);
        } else {
            result->launches = ht_alloc(launch_count(self), sizeof *result->launches);
            memcpy(result->launches, output->output + at, launches_size);
            at += launches_size;
        }
        done++;
    }
    return done;
}

/* Blames a child's death on the configurations that it left unanswered: one of them, or several
 * together, killed it, unless a full disk did. A death of one alone counts when it comes again. */
static ht_status blame(inspector *self, range left, const ht_child_result *output,
                       ht_error *error) {
    ht_status status = ht_scratch_check(NULL, error);
    if (status)
        return status;
    if (left.count > 1) {
        push(self, left.first + left.count / 2, left.count - left.count / 2);
        push(self, left.first, left.count / 2);
        return HT_OK;
    }
    if (!self->again[left.first] && !output->timed_out) {
        self->again[left.first] = true;
        push(self, left.first, 1);
        return HT_OK;
    }
    char *failure = ht_child_result_failure(output);
    ht_inspection *result = &self->results[left.first];
    result->status = output->timed_out ? HT_ERROR_TIMEOUT : HT_ERROR_CRASH;
    result->reason = ht_format("the compiler %s", failure ? failure : "ended without a result");
    free(failure);
    return HT_OK;
}

/* A file that could not be written is no result of a configuration. */
static ht_status first_failure(const inspector *self, range done, ht_error *error) {
    for (size_t i = done.first; i < done.first + done.count; ++i)
        if (self->results[i].status == HT_ERROR_IO)
            return ht_error_set(error, HT_ERROR_IO, "%s", self->results[i].reason);
    return HT_OK;
}

/* Finishes the oldest child. `stop`: kills it where it is, and blames nobody. */
static ht_status finish_oldest(inspector *self, bool stop, ht_error *error) {
    range range = self->running[0];
    ht_child_result output;
    ht_status status = HT_OK;
    if (stop)
        self->children[0].deadline = 0;
    ht_child_finish(&self->children[0], &output);
    self->running_count--;
    memmove(self->running, self->running + 1, self->running_count * sizeof *self->running);
    memmove(self->children, self->children + 1, self->running_count * sizeof *self->children);
    size_t done = take_results(self, range, &output);
    if (!stop)
        status = first_failure(self, (struct range){range.first, done}, error);
    if (done < range.count && !stop && !status)
        status =
            blame(self, (struct range){range.first + done, range.count - done}, &output, error);
    ht_child_result_free(&output);
    return status;
}

static size_t children_at_once(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > CHILDREN_MAX ? CHILDREN_MAX : (size_t)cores;
}

/* Pushes shares of the work for every core, none too large to compile in one program. The first is
 * on top. */
static void push_batches(inspector *self, size_t count) {
    size_t cores = children_at_once();
    size_t batch = (count + cores - 1) / cores;
    if (batch > BATCH_MAX)
        batch = BATCH_MAX;
    if (self->options.original)
        batch = 1; /* all at defaults */
    for (size_t batches = batch ? (count + batch - 1) / batch : 0; batches > 0; batches--) {
        size_t first = (batches - 1) * batch;
        push(self, first, count - first < batch ? count - first : batch);
    }
}

static ht_status inspect_all(inspector *self, const volatile int *interrupted, ht_error *error) {
    size_t most = children_at_once();
    ht_status status = HT_OK;
    while ((self->waiting_count > 0 && !status) || self->running_count > 0) {
        if (interrupted && *interrupted && !status)
            status = ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
        if (!status && self->waiting_count > 0 && self->running_count < most) {
            status = start_next(self, error);
        } else if (self->running_count > 0) {
            ht_status ended = finish_oldest(self, status != HT_OK, error);
            status = status ? status : ended;
        }
    }
    return status;
}

ht_status ht_inspect(const ht_device *device, const ht_binding *binding, const ht_config *configs,
                     size_t count, const ht_inspect_options *options,
                     const volatile int *interrupted, ht_inspection *out_inspections,
                     ht_error *error) {
    inspector self = {.device = device,
                      .provider = ht_provider_find(device->provider),
                      .binding = binding,
                      .configs = configs,
                      .options = options ? *options : (ht_inspect_options){0},
                      .results = out_inspections};
    for (size_t i = 0; i < count; i++)
        out_inspections[i] = (ht_inspection){.status = HT_ERROR_INTERRUPTED};
    if (!self.provider || !self.provider->resources)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "device %s: its compiler does not tell what a kernel needs; 'hiptemper "
                            "devices' lists amd targets that do, such as amd:gfx90a",
                            device->name);
    self.again = ht_alloc(count + 1, sizeof *self.again);
    push_batches(&self, count);
    ht_status status = inspect_all(&self, interrupted, error);
    free(self.again);
    free(self.waiting);
    return status;
}

void ht_inspection_free(ht_inspection *inspection) {
    free(inspection->reason);
    free(inspection->launches);
    *inspection = (ht_inspection){0};
}
