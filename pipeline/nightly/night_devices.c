#include "pipeline/nightly/night_devices.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/host_name.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/text.h"
#include "pipeline/nightly/night_join.h"
#include "pipeline/report.h"
#include "pipeline/stop.h"
#include "runtime/provider/provider.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* "BEGAN HOST" of the night that several processes share. */
static const char variable[] = "HIPTEMPER_NIGHT";
static const double leaving = 4; /* seconds that they have after Ctrl-C */

/* ---- names */

static bool is_all(const char *name) {
    return ht_text_ends(name, ":*");
}

char *ht_night_device_any(const char *name) {
    return is_all(name) ? ht_strndup(name, strlen(name) - 2) : ht_strdup(name);
}

char *ht_night_device_out(const ht_job_file *job, const char *device) {
    if (job->devices.count < 2)
        return ht_strdup(job->out);
    char *out = ht_path_join(job->out, device);
    for (char *at = out + strlen(out) - strlen(device); *at; ++at)
        if (!isalnum((unsigned char)*at) && !strchr("-._", *at))
            *at = '-';
    return out;
}

static void word_add(ht_job_words *words, const char *word) {
    for (size_t i = 0; i < words->count; ++i)
        if (strcmp(words->items[i], word) == 0)
            return;
    HT_GROW(words->items, words->count);
    words->items[words->count++] = ht_strdup(word);
}

static ht_status all_add(ht_job_words *words, const char *name, ht_error *error) {
    char *provider_name = ht_night_device_any(name);
    const ht_provider *provider = ht_provider_find(provider_name);
    ht_device *devices = NULL;
    size_t count = 0, before = words->count;
    ht_status status =
        provider ? provider->devices(&devices, &count, error)
                 : ht_error_set(error, HT_ERROR_INPUT,
                                "no device '%s': there is no provider '%s'; `hiptemper devices` "
                                "lists what there is",
                                name, provider_name);
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        if (devices[i].can_run)
            word_add(words, devices[i].name);
    if (status == HT_OK && words->count == before)
        status = ht_error_set(error, HT_ERROR_MISSING,
                              "no device '%s': none of %s can run kernels here; `hiptemper "
                              "doctor` says why",
                              name, provider_name);
    free(devices);
    free(provider_name);
    return status;
}

ht_status ht_night_devices_expand(ht_job_file *job, ht_error *error) {
    ht_job_words words = {0};
    ht_status status = HT_OK;
    for (size_t i = 0; i < job->devices.count && status == HT_OK; ++i) {
        if (is_all(job->devices.items[i]))
            status = all_add(&words, job->devices.items[i], error);
        else
            word_add(&words, job->devices.items[i]);
    }
    ht_strings_free(job->devices.items, job->devices.count);
    job->devices = words;
    return status;
}

ht_night_name ht_night_devices_name(void) {
    static char began[HT_CLOCK_UTC_SIZE];
    const char *text = getenv(variable), *host = text ? strchr(text, ' ') : NULL;
    if (!host || (size_t)(host - text) >= sizeof began)
        return (ht_night_name){0};
    memcpy(began, text, (size_t)(host - text));
    began[host - text] = 0;
    return (ht_night_name){began, host + 1};
}

/* ---- processes */

typedef struct member {
    const char *device;
    char *report;  /* its path */
    pid_t process; /* 0: it has ended */
    int status;    /* as of waitpid */
} member;

/* In the child. A group of its own: Ctrl-C is handed on once, not sent twice. */
static void member_exec(const member *own, const char *path, const char *const *arguments,
                        const char *night) {
    size_t count = 0;
    while (arguments[count])
        ++count;
    const char **words = ht_alloc(count + 8, sizeof *words);
    char *json = ht_format("--json=%s", own->report);
    size_t at = 0;
    words[at++] = "hiptemper";
    words[at++] = "run";
    words[at++] = "--device";
    words[at++] = own->device;
    words[at++] = json;
    for (size_t i = 0; i < count; ++i)
        words[at++] = arguments[i];
    words[at++] = path;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setenv(variable, night, 1);
    execv("/proc/self/exe", (char **)words);
    _exit(HT_EXIT_MISSING);
}

static ht_status members_start(member *members, size_t count, const char *path,
                               const char *const *arguments, const char *night, ht_error *error) {
    for (size_t i = 0; i < count; ++i) {
        pid_t process = fork();
        if (process < 0)
            return ht_error_set(error, HT_ERROR_IO,
                                "no process for device %s can be started; see `ulimit -u`",
                                members[i].device);
        if (process == 0)
            member_exec(&members[i], path, arguments, night);
        members[i].process = process;
    }
    return HT_OK;
}

static size_t members_signal(const member *members, size_t count, int number) {
    size_t left = 0;
    for (size_t i = 0; i < count; ++i)
        if (members[i].process > 0) {
            kill(members[i].process, number);
            ++left;
        }
    return left;
}

/* Waits for all. After Ctrl-C they end by themselves, or are ended. */
static void members_wait(member *members, size_t count) {
    enum { STEP_US = 20000 };
    double end = 0;
    for (size_t left = count; left > 0;) {
        left = 0;
        for (size_t i = 0; i < count; ++i) {
            if (members[i].process > 0 &&
                waitpid(members[i].process, &members[i].status, WNOHANG) == members[i].process)
                members[i].process = 0;
            left += members[i].process > 0;
        }
        if (left > 0 && ht_interrupted && end <= 0) {
            setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL); /* this one waits for them */
            members_signal(members, count, SIGTERM);
            end = ht_clock_seconds() + leaving;
        }
        if (left > 0 && end > 0 && ht_clock_seconds() > end)
            members_signal(members, count, SIGKILL);
        usleep(left > 0 ? STEP_US : 0);
    }
}

/* ---- the report */

static void failure_add(json_t *document, const member *own) {
    bool exited = WIFEXITED(own->status);
    int code = exited ? WEXITSTATUS(own->status) : HT_EXIT_FAILED;
    char *message = exited ? ht_format("its process ended with exit code %d and no report", code)
                           : ht_format("its process was killed by signal %d; what it had measured "
                                       "is kept, the next night goes on",
                                       WTERMSIG(own->status));
    ht_night_join_failure(document, own->device, message, code ? code : HT_EXIT_FAILED);
    free(message);
}

/* Joins what there is; NULL: no process gave a report. */
static json_t *members_join(const member *members, size_t count) {
    char **paths = ht_alloc(count + 1, sizeof *paths);
    for (size_t i = 0; i < count; ++i)
        paths[i] = members[i].report;
    json_t *document = ht_night_join_files(paths, count);
    for (size_t i = 0; i < count && document; ++i)
        if (!ht_file_exists(members[i].report))
            failure_add(document, &members[i]);
    free(paths);
    return document;
}

static ht_status members_report(const ht_job_file *job, const char *path, const ht_night_name *name,
                                const member *members, size_t count, json_t **out_document,
                                ht_error *error) {
    char *real = realpath(path, NULL);
    json_t *document = members_join(members, count);
    ht_status status =
        document ? ht_night_join_keep(job->database, real ? real : path, name, document, error)
                 : ht_error_set(error, ht_interrupted ? HT_ERROR_INTERRUPTED : HT_ERROR_DEVICE,
                                "no device's process came to a report; their messages say why");
    *out_document = document;
    free(real);
    return status;
}

ht_status ht_night_devices_run(const ht_job_file *job, const char *path,
                               const char *const *arguments, json_t **out_document,
                               ht_error *error) {
    ht_scratch scratch = {0};
    char began[HT_CLOCK_UTC_SIZE], host[HT_HOST_NAME_SIZE];
    size_t count = job->devices.count;
    *out_document = NULL;
    ht_status status = ht_scratch_make("night", &scratch, error);
    if (status != HT_OK)
        return status;
    ht_clock_utc(time(NULL), began);
    ht_host_name(host);
    char *night = ht_format("%s %s", began, host);
    const ht_night_name name = {began, host};
    member *members = ht_alloc(count + 1, sizeof *members);
    for (size_t i = 0; i < count; ++i) {
        members[i].device = job->devices.items[i];
        members[i].report = ht_format("%s/%zu.json", scratch.path, i);
    }
    fflush(NULL);
    status = members_start(members, count, path, arguments, night, error);
    if (status != HT_OK)
        members_signal(members, count, SIGTERM);
    members_wait(members, count);
    if (status == HT_OK)
        status = members_report(job, path, &name, members, count, out_document, error);
    for (size_t i = 0; i < count; ++i)
        free(members[i].report);
    free(members);
    free(night);
    ht_scratch_remove(&scratch);
    return status;
}
