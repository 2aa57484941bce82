/* Blame for a failure: on the configuration, on one before it, or on the device. */
#include "runtime/job/job_internal.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICE_TRIES = 3, PAUSE_US = 20000, PAUSE_STEPS = 25 };

/* One configuration being measured. */
typedef struct patient {
    ht_job *job;
    json_t *request; /* borrowed */
    double seconds;  /* the limit of all attempts */
    double hung;     /* of it, spent on attempts that did not end */
    unsigned deaths; /* in all runs so far */
    unsigned own;    /* of them now */
} patient;

/* Runs the original, checked but not timed, in the run worker as it is: what ran before must run
 * still. */
static ht_status ask_original(ht_job *job, ht_error *error) {
    json_t *reply = NULL;
    json_t *request = ht_job_run_request("measure", &job->default_config, job->baseline.program,
                                         job->baseline.set);
    ht_status status = ht_job_ask_steady(job, request, job->limits.run, &reply, error);
    json_decref(reply);
    return status;
}

/* Returns its key in the database; free(). NULL when nothing is kept. */
static char *config_text(const patient *patient) {
    const ht_template *template = patient->job->binding->template;
    ht_config config;
    if (patient->job->options.database == NULL ||
        !ht_message_get_config(json_object_get(patient->request, "config"), template, &config))
        return NULL;
    return ht_config_string(template, &config);
}

/* Writes the death down before anything else is tried, so that it counts even when the tuner dies
 * of the next. */
static ht_status note_death(patient *patient, ht_status how, const ht_error *why, ht_error *error) {
    ht_job *job = patient->job;
    ++patient->deaths;
    ++patient->own;
    char *text = config_text(patient);
    if (text == NULL)
        return HT_OK;
    ht_text evidence = {0};
    ht_job_reason(how, why, &evidence);
    ht_status status = ht_database_add_death(job->options.database, &job->identity.key, text, how,
                                             evidence.data, &patient->deaths, error);
    ht_text_free(&evidence);
    free(text);
    return status;
}

/* Acquits the configuration where the device failed, perhaps by itself: the deaths of this run
 * count as one. Should the configuration bring the device down again, it is condemned. */
static ht_status acquit(patient *patient, ht_status how, const ht_error *why, ht_error *error) {
    ht_job *job = patient->job;
    char *text = config_text(patient);
    ht_status status = HT_OK;
    if (text != NULL && patient->deaths == patient->own && patient->own > 1) {
        status = ht_database_forgive(job->options.database, &job->identity.key, text, error);
        if (status == HT_OK)
            status = note_death(patient, how, why, error);
    }
    free(text);
    return status;
}

static void pause_before(const ht_job *job, int attempt) {
    const volatile int *interrupted = job->options.interrupted;
    for (int step = 0; step < PAUSE_STEPS * attempt; ++step) {
        if (interrupted != NULL && *interrupted != 0)
            return;
        usleep(PAUSE_US);
    }
}

/* Checks the device: a configuration that died is condemned only on one that still runs the
 * original, since a GPU that hangs or has gone fails whatever comes next. It gets time to
 * recover. */
static ht_status check_device(ht_job *job, ht_status verdict, const ht_error *why,
                              ht_error *error) {
    ht_error own = {0};
    for (int attempt = 0; attempt < DEVICE_TRIES; ++attempt) {
        pause_before(job, attempt);
        ht_status status = ask_original(job, &own);
        if (status == HT_OK)
            return verdict;
        if (ht_job_fatal(status) && status != HT_ERROR_MISSING) {
            *error = own;
            return status;
        }
        ht_job_retire_runner(job);
    }
    return ht_error_set(error, HT_ERROR_DEVICE,
                        "%s keeps failing: a configuration ended in %s (%.200s), and the original, "
                        "which ran before, now fails too, %d times in fresh processes (%.200s); "
                        "results so far are kept: reset the device, then run again",
                        job->device->name, ht_status_name(verdict), why->message, DEVICE_TRIES,
                        own.message);
}

/* Returns true if a failure that the worker answered stands, and is not that of a worker ruined by
 * then. A kernel that wrote outside a buffer may have written elsewhere too; a failed launch may
 * leave a context in which everything fails. */
static bool verdict_stands(ht_job *job, ht_status status, const ht_error *why, bool used) {
    if (status == HT_ERROR_MISMATCH && strncmp(why->message, "guard:", 6) == 0) {
        ht_job_retire_runner(job);
        return true;
    }
    if (status != HT_ERROR_LAUNCH && (status != HT_ERROR_MISMATCH || !used))
        return true;
    if (ask_original(job, NULL) == HT_OK)
        return true;
    ht_job_retire_runner(job);
    return false;
}

static bool is_death(ht_status status) {
    return status == HT_ERROR_CRASH || status == HT_ERROR_TIMEOUT;
}

/* Returns the limit of an attempt, so that a hang costs it once. In a worker that has served others
 * the hang may be their doing, so the first attempt gets half of the limit and leaves the rest to a
 * fresh worker; what hangs in a fresh one has only itself to blame. */
static double attempt_limit(const patient *patient, bool used) {
    double left = patient->seconds - patient->hung;
    return used ? fmin(left, patient->seconds / 2) : left;
}

static bool is_condemned(const patient *patient, ht_status status) {
    return patient->deaths >= HT_DEATHS_CONDEMN ||
           (status == HT_ERROR_TIMEOUT && patient->hung >= patient->seconds);
}

/* Makes one attempt; *out_dead when it counts as a death, *out_again when it says nothing. */
static ht_status attempt(patient *patient, bool *out_dead, bool *out_again, json_t **out_reply,
                         ht_error *error) {
    ht_job *job = patient->job;
    bool used = job->workers.runner.pid > 0 && job->workers.runner.requests > 0;
    double seconds = attempt_limit(patient, used);
    *out_again = false;
    ht_status status =
        ht_job_ask_steady(job, json_incref(patient->request), seconds, out_reply, error);
    *out_dead = is_death(status);
    if (status == HT_ERROR_TIMEOUT) {
        patient->hung += seconds;
        ht_error_set(error, status, "no end within %.3g s", patient->hung);
    }
    if (status == HT_OK || *out_dead || ht_job_fatal(status))
        return status;
    if (verdict_stands(job, status, error, used))
        return status;
    *out_again = used; /* a fresh worker decides, whoever ruined this one */
    *out_dead = !used;
    if (*out_dead)
        ht_error_prefix(error, "left a context in which nothing runs: ");
    return status;
}

/* Reports a lost device: without it, or without its worker, no variant is at fault. */
static ht_status device_lost(ht_job *job, ht_status status, ht_error *error) {
    if (status != HT_ERROR_MISSING || job->baseline.timing.samples == 0)
        return status;
    ht_error_prefix(error, "%s keeps failing: ", job->device->name);
    error->status = HT_ERROR_DEVICE;
    return HT_ERROR_DEVICE;
}

ht_status ht_job_ask_measure(ht_job *job, json_t *request, double seconds, json_t **out_reply,
                             ht_error *error) {
    patient patient = {.job = job, .request = request, .seconds = seconds};
    ht_error own = {0}, trouble = {0};
    ht_status status = HT_OK;
    bool dead = false, again = true;
    *out_reply = NULL;
    while ((dead && !is_condemned(&patient, status)) || again) {
        json_decref(*out_reply);
        status = attempt(&patient, &dead, &again, out_reply, &own);
        json_object_del(request, "beside"); /* nor must what it may have been timed next to */
        ht_status noted = dead ? note_death(&patient, status, &own, &trouble) : HT_OK;
        if (noted != HT_OK) {
            own = trouble;
            status = noted;
            dead = again = false;
        }
    }
    status = device_lost(job, status, &own);
    if (dead) {
        trouble = own;
        ht_status how = status;
        status = check_device(job, how, &trouble, &own);
        if (status == HT_ERROR_DEVICE)
            (void)acquit(&patient, how, &trouble, NULL); /* the device is the news */
    }
    json_decref(request);
    if (status != HT_OK && error != NULL)
        *error = own;
    return status;
}
