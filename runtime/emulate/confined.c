#include "runtime/emulate/confined.h"

#include "base/clock.h"
#include "base/machine_memory.h"
#include "base/sanitizer.h"
#include "runtime/host/symbolizer.h"
#include "runtime/process/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STANDARD = 3, POLL_US = 2000, FAILED = 1 };

static void hand_over(int fd, const ht_error *error) {
    for (size_t done = 0; done < sizeof *error;) {
        ssize_t put = write(fd, (const char *)error + done, sizeof *error - done);
        if (put <= 0)
            return;
        done += (size_t)put;
    }
}

/* Ends the process once the handlers of a foreign program have run: LeakSanitizer's own, the first
 * that was registered, would start a process, which the sandbox refuses. */
static void end_before_leaks(int status, void *unused) {
    (void)unused;
    fflush(NULL);
    _exit(status);
}

/* The process, from its fork to its end. */
static _Noreturn void live(const ht_confined *confined, int fd, pid_t caller) {
    const int own[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    const struct rlimit no_core = {1, 1}; /* as worker.c explains */
    ht_sandbox_close_from(STANDARD, fd);
    ht_guard(fd, caller);
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        signal(own[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &no_core);
    setenv("TMPDIR", confined->temporary, 1);
    ht_sandbox_plan plan = confined->plan;
    uint64_t memory = ht_machine_memory_usable();
    plan.memory = plan.programs || memory == UINT64_MAX ? 0 : memory;
    ht_error error = {0};
    int code = FAILED;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    ht_status status = HT_OK;
    if (confined->symbolizes && plan.mode != HT_SANDBOX_OFF) {
        status = ht_symbolizer_start(&error);
        plan.sockets[0] = ht_symbolizer_socket();
    }
    (void)omp_get_max_threads(); /* LLVM's library registers itself in a file */
    if (status == HT_OK)
        status = ht_sandbox_enter(&plan, &error);
    if (status == HT_OK && confined->exits) {
        /* Nothing of a foreign program holds a way to speak for us. */
        close(fd);
        if (HT_ADDRESS_SANITIZED && plan.mode != HT_SANDBOX_OFF)
            on_exit(end_before_leaks, NULL);
        code = confined->work(confined->context, &error);
        exit(code);
    }
    if (status == HT_OK)
        code = confined->work(confined->context, &error);
    if (error.status != HT_OK)
        hand_over(fd, &error);
    fflush(NULL);
    _exit(code);
}

/* Waits for the guard, which ends as its process did. Returns true if its time was over. */
static bool wait_for(pid_t guard, const ht_confined *confined, int *out_status) {
    bool told = false, late = false;
    double end = ht_clock_seconds() + confined->seconds;
    while (waitpid(guard, out_status, WNOHANG) == 0) {
        late = confined->seconds > 0 && ht_clock_seconds() >= end;
        if ((late || (confined->interrupted != NULL && *confined->interrupted)) && !told) {
            kill(guard, SIGTERM);
            told = true;
        }
        usleep(POLL_US);
    }
    return late;
}

static bool read_error(int fd, ht_error *error) {
    size_t done = 0;
    for (ssize_t got; done < sizeof *error &&
                      (got = read(fd, (char *)error + done, sizeof *error - done)) != 0;) {
        if (got > 0)
            done += (size_t)got;
        else if (errno != EINTR)
            break;
    }
    error->file[HT_ERROR_FILE_MAX - 1] = error->message[HT_ERROR_MESSAGE_MAX - 1] = '\0';
    return done == sizeof *error;
}

ht_status ht_confined_run(const ht_confined *confined, int *out_status, ht_error *error) {
    int ends[2];
    ht_error said = {0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return ht_error_set(error, HT_ERROR_IO, "no pipe for a process: %s", strerror(errno));
    fflush(NULL);
    pid_t caller = getpid(), guard = fork();
    if (guard == 0)
        live(confined, ends[1], caller);
    close(ends[1]);
    if (guard < 0) {
        close(ends[0]);
        return ht_error_set(error, HT_ERROR_IO, "cannot start a process: %s", strerror(errno));
    }
    bool late = wait_for(guard, confined, out_status);
    bool failed = read_error(ends[0], &said);
    close(ends[0]);
    if (confined->interrupted != NULL && *confined->interrupted)
        return ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
    if (late)
        return ht_error_set(error, HT_ERROR_TIMEOUT, "no end within %g s", confined->seconds);
    if (failed && error != NULL)
        *error = said;
    return failed ? said.status : HT_OK;
}
