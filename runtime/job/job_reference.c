#include "runtime/job/job_internal.h"
#include "runtime/job/job_memory.h"
#include "runtime/protocol/protocol.h"
#include "runtime/reference/unwritten.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *reference_request(ht_job *job, uint64_t seed, const char *file, bool with_twin) {
    json_t *request = json_object();
    json_object_set_new(request, "op", json_string("reference"));
    json_object_set_new(request, "seed", json_integer((json_int_t)seed));
    json_object_set_new(request, "file", json_string(file));
    json_object_set(request, "original", job->reference.program);
    if (with_twin) {
        json_object_set(request, "twin", job->reference.twin);
        json_object_set_new(request, "numbers", json_integer(job->reference.numbers));
    }
    return request;
}

/* Compiles the twin in job->numbers, unless it is there or does not compile. */
static ht_status compile_twin(ht_job *job, ht_error *error) {
    if (job->reference.twin != NULL || job->reference.numbers == HT_NUMBERS_PLAIN)
        return HT_OK;
    ht_compile_task task = {.config = &job->default_config,
                            .set = job->reference.set,
                            .numbers = job->reference.numbers};
    ht_status status = ht_job_compile(job, &task, 1, error);
    job->reference.twin = task.program;
    if (status == HT_OK && ht_job_fatal(task.status)) {
        status = task.status;
        if (error != NULL)
            *error = task.error;
    }
    return status;
}

/* Goes on to the next way of making references, as the last one is no good for this kernel. */
static void next_twin(ht_job *job) {
    if (job->reference.twin != NULL)
        ht_job_forget_program(job, job->reference.twin);
    job->reference.twin = NULL;
    job->reference.numbers =
        job->reference.numbers == HT_NUMBERS_TRACKED ? HT_NUMBERS_DOUBLE : HT_NUMBERS_PLAIN;
}

/* Returns true if a twin of this problem takes more memory than it may. */
static bool is_twin_large(const ht_job *job) {
    return job->options.buffers_limit > 0 &&
           ht_job_memory_verifying(job->binding, HT_COMPARING_TWIN) > job->options.buffers_limit;
}

/* *out_twin: in, whether a twin may run; out, whether the values are a twin's. */
static ht_status ask_reference(ht_job *job, uint64_t seed, const char *file, bool *out_twin,
                               ht_error *error) {
    json_t *reply = NULL;
    double seconds =
        job->options.time_limit > 0 ? 10 * job->options.time_limit : (double)HT_REFERENCE_SECONDS;
    if (job->options.reference_limit > 0)
        seconds = job->options.reference_limit;
    ht_status status = ht_job_ask_steady(job, reference_request(job, seed, file, *out_twin),
                                         seconds, &reply, error);
    if (status == HT_OK)
        status = ht_unwritten_check(job->binding->template, reply, error);
    const char *way = json_string_value(json_object_get(reply, "way"));
    *out_twin = way != NULL && strcmp(way, "twin") == 0;
    json_decref(reply);
    return status;
}

static void use_file(ht_job *job, const char *file) {
    if (job->reference.expect_file != NULL) {
        char *path = ht_format("%s/%s", job->folder.path, job->reference.expect_file);
        unlink(path);
        free(path);
    }
    free(job->reference.expect_file);
    job->reference.expect_file = ht_strdup(file);
}

ht_status ht_job_make_reference(ht_job *job, uint64_t seed, ht_error *error) {
    char file[32];
    snprintf(file, sizeof file, HT_RUN_FOLDER "/reference-%u", job->folder.files++);
    for (;;) {
        ht_status status = compile_twin(job, error);
        if (status != HT_OK)
            return status;
        if (job->reference.twin == NULL && job->reference.numbers != HT_NUMBERS_PLAIN) {
            next_twin(job);
            continue;
        }
        bool with_twin = job->reference.twin != NULL && !is_twin_large(job), from_twin = with_twin;
        status = ask_reference(job, seed, file, &from_twin, error);
        if (status == HT_OK && !with_twin) {
            use_file(job, file); /* the next problem may have a twin again */
            return HT_OK;
        }
        if (status == HT_OK && !from_twin && job->reference.numbers == HT_NUMBERS_DOUBLE)
            next_twin(job); /* there is no better way than what came out */
        if (status == HT_OK && (from_twin || job->reference.numbers == HT_NUMBERS_PLAIN)) {
            use_file(job, file);
            return HT_OK;
        }
        /* A twin that crashes or hangs says nothing of the original; an error without one does. */
        bool survivable = status == HT_OK || status == HT_ERROR_CRASH ||
                          status == HT_ERROR_TIMEOUT || status == HT_ERROR_LAUNCH;
        if (!with_twin || !survivable)
            return status;
        next_twin(job);
    }
}
