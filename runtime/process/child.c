#include "runtime/process/child.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { END_STEP_US = 500 };

/* Leaves the parent's handlers and terminal: a dying compiler should just die, and quietly. */
static void child_isolate(pid_t parent, const char *folder) {
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS,  SIGILL, SIGFPE,
                                  SIGINT,  SIGTERM, SIGPIPE, SIGHUP};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setenv("TMPDIR", folder, 1);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2 && null >= 0; fd++)
        dup2(null, fd);
}

ht_status ht_child_start(ht_child_work work, const void *context, double seconds,
                         ht_child *out_child, ht_error *error) {
    int ends[2];
    ht_scratch scratch;
    ht_status status = ht_scratch_make("child", &scratch, error);
    if (status)
        return status;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        status =
            ht_error_set(error, HT_ERROR_IO, "no pipe to a child process: %s", strerror(errno));
        ht_scratch_remove(&scratch);
        return status;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        status = ht_error_set(error, HT_ERROR_IO, "no child process: %s", strerror(errno));
        close(ends[0]);
        close(ends[1]);
        ht_scratch_remove(&scratch);
        return status;
    }
    if (pid == 0) {
        close(ends[0]);
        int fd = fcntl(ends[1], F_DUPFD_CLOEXEC, 3); /* above the three that isolation replaces */
        child_isolate(parent, scratch.path);
        work(context, fd);
        _exit(0);
    }
    close(ends[1]);
    setpgid(pid, pid); /* whoever of the two comes first */
    *out_child = (ht_child){pid, ends[0], ht_clock_seconds() + seconds, scratch};
    return HT_OK;
}

/* Appends what the pipe has; false at its end or at the deadline. */
static bool child_read(const ht_child *child, ht_text *output, bool *out_timed_out) {
    double left = child->deadline - ht_clock_seconds();
    struct pollfd waiting = {.fd = child->fd, .events = POLLIN};
    int ready = poll(&waiting, 1, left > 0 ? (int)(left * 1000) + 1 : 0);
    if (ready < 0)
        return errno == EINTR;
    if (ready == 0) {
        *out_timed_out = true;
        return false;
    }
    char part[65536];
    ssize_t size = read(child->fd, part, sizeof part);
    if (size > 0)
        ht_text_append_n(output, part, (size_t)size);
    return size > 0 || (size < 0 && errno == EINTR);
}

void ht_child_finish(ht_child *child, ht_child_result *out_result) {
    ht_text output = {0};
    *out_result = (ht_child_result){.exit_code = -1};
    while (child_read(child, &output, &out_result->timed_out))
        ;
    int status = 0;
    while (!out_result->timed_out && waitpid(child->pid, &status, WNOHANG) == 0) {
        out_result->timed_out = ht_clock_seconds() > child->deadline;
        usleep(END_STEP_US);
    }
    if (out_result->timed_out) {
        kill(-child->pid, SIGKILL);
        while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    kill(-child->pid, SIGKILL); /* those that it may have */
    close(child->fd);
    ht_scratch_remove(&child->scratch);
    if (WIFSIGNALED(status))
        out_result->signal = WTERMSIG(status);
    else
        out_result->exit_code = WEXITSTATUS(status);
    out_result->output_size = output.length;
    out_result->output = ht_text_take(&output);
}

void ht_child_result_free(ht_child_result *result) {
    free(result->output);
    *result = (ht_child_result){0};
}

char *ht_child_result_failure(const ht_child_result *result) {
    if (result->timed_out)
        return ht_strdup("ran past its time limit");
    if (result->signal == SIGSYS)
        return ht_strdup("was ended by the sandbox: it made a system call that is refused");
    if (result->signal)
        return ht_format("was killed by signal %d (%s)", result->signal, strsignal(result->signal));
    if (result->exit_code)
        return ht_format("ended with exit code %d", result->exit_code);
    return NULL;
}

void ht_child_write(int fd, const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        ssize_t written = write(fd, at, size);
        if (written < 0 && errno != EINTR)
            _exit(1);
        if (written > 0) {
            at += written;
            size -= (size_t)written;
        }
    }
}
