#include "runtime/preload/run.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "runtime/emulate/capture_read.h"
#include "runtime/preload/preload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_US = 2000, NOT_FOUND = 127 };

extern const char ht_preload_library[];
extern const unsigned long ht_preload_library_size;

/* Becomes the program. Reports through the pipe why it cannot. */
static _Noreturn void become(const ht_preload_request *request, const char *library,
                             const char *wishes, int report) {
    const char *others = getenv("LD_PRELOAD");
    char *all =
        others != NULL && *others ? ht_format("%s:%s", library, others) : ht_strdup(library);
    setenv("LD_PRELOAD", all, 1);
    setenv(HT_PRELOAD_VARIABLE, wishes, 1);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    execvp(request->arguments[0], (char *const *)request->arguments);
    int reason = errno;
    ssize_t written = write(report, &reason, sizeof reason);
    (void)written;
    _exit(NOT_FOUND);
}

static void wait_for(pid_t program, const ht_preload_request *request, int *out_status,
                     bool *out_late) {
    double end = ht_clock_seconds() + request->seconds;
    bool asked = false;
    while (waitpid(program, out_status, WNOHANG) == 0) {
        bool late = request->seconds > 0 && ht_clock_seconds() >= end;
        *out_late = *out_late || late;
        if ((late || (request->interrupted != NULL && *request->interrupted)) && !asked) {
            kill(program, SIGTERM);
            asked = true;
        }
        usleep(POLL_US);
    }
}

static ht_status start(const ht_preload_request *request, const char *library, const char *wishes,
                       ht_preload_outcome *out, ht_error *error) {
    int ends[2], reason = 0, status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return ht_error_set(error, HT_ERROR_IO, "no pipe for a process: %s", strerror(errno));
    pid_t program = fork();
    if (program == 0)
        become(request, library, wishes, ends[1]);
    close(ends[1]);
    if (program > 0)
        wait_for(program, request, &status, &out->late);
    bool failed = program > 0 && read(ends[0], &reason, sizeof reason) == sizeof reason;
    close(ends[0]);
    if (program < 0)
        return ht_error_set(error, HT_ERROR_IO, "cannot start a process: %s", strerror(errno));
    if (failed)
        return ht_error_set(error, HT_ERROR_MISSING, "cannot run '%s': %s", request->arguments[0],
                            strerror(reason));
    out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    out->exit_code = out->signal != 0 ? 128 + out->signal : WEXITSTATUS(status);
    return HT_OK;
}

/* Returns "FOLDER/bytes.7" for "FOLDER/launches.7"; free(). */
static char *bytes_path(const char *launches) {
    const char *name = ht_path_name(launches);
    return ht_format("%.*s" HT_PRELOAD_BYTES "%s", (int)(name - launches), launches,
                     name + strlen(HT_PRELOAD_LAUNCHES));
}

/* Adds a process's launches; contents are those of the first that launched something. */
static void process_read(const char *path, ht_preload_outcome *to) {
    char *data = NULL;
    size_t length = 0;
    if (ht_file_read(path, 0, &data, &length, NULL) != HT_OK || length != sizeof(ht_capture)) {
        free(data);
        return;
    }
    ht_capture *own = (ht_capture *)data; /* malloc aligns for any type */
    char *bytes = bytes_path(path);
    ht_byte_store store;
    ht_byte_store_load(&store, bytes);
    ht_capture_check(own, &store);
    ++to->processes;
    if (to->capture->launch_count == 0) {
        *to->capture = *own;
        ht_byte_store_close(&to->contents);
        to->contents = store;
    } else {
        ht_capture_merge(to->capture, own);
        ht_byte_store_close(&store);
    }
    free(bytes);
    free(data);
}

static ht_status processes_read(const char *folder, ht_preload_outcome *to, ht_error *error) {
    DIR *open = opendir(folder);
    if (open == NULL)
        return ht_error_set(error, HT_ERROR_IO, "cannot read %s: %s", folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;) {
        char *path = ht_path_join(folder, entry->d_name);
        if (strncmp(entry->d_name, HT_PRELOAD_LAUNCHES, strlen(HT_PRELOAD_LAUNCHES)) == 0)
            process_read(path, to);
        free(path);
    }
    closedir(open);
    return HT_OK;
}

ht_status ht_preload_run(const ht_preload_request *request, ht_preload_outcome *out_outcome,
                         ht_error *error) {
    *out_outcome = (ht_preload_outcome){.capture = ht_capture_new()};
    if (out_outcome->capture == NULL)
        return ht_error_set(error, HT_ERROR_IO, "no memory for launches");
    ht_status status = ht_scratch_make("capture", &out_outcome->scratch, error);
    if (status != HT_OK)
        return status;
    const char *folder = out_outcome->scratch.path;
    char *library = ht_path_join(folder, "hiptemper-capture.so");
    char *wishes =
        ht_format("%" PRIu64 ":%" PRIu64 ":%s", request->compared, request->kept, folder);
    status = ht_file_write(library, ht_preload_library, ht_preload_library_size, error);
    if (status == HT_OK)
        status = start(request, library, wishes, out_outcome, error);
    if (status == HT_OK)
        status = processes_read(folder, out_outcome, error);
    free(wishes);
    free(library);
    return status;
}

void ht_preload_outcome_free(ht_preload_outcome *outcome) {
    ht_capture_free(outcome->capture);
    ht_byte_store_close(&outcome->contents);
    ht_scratch_remove(&outcome->scratch);
    *outcome = (ht_preload_outcome){0};
}
