#include "runtime/process/process.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/installed.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tool.h"
#include "base/warning.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WORKER_FD = 3,
    STOP_STEPS = 200,
    STOP_STEP_US = 10000,
    KILL_STEPS = 2000,
    KILL_STEP_US = 1000,
    POLL_MS = 50,
    SEND_SECONDS = 20,
    REPORT_MS = 3000,
    LOOK_SECONDS = 1,
    STOPPED_SECONDS = 10, /* is not waited for any longer, whatever the deadline */
    STOPS_EXCUSED = 4     /* after more, something stops itself */
};

void ht_process_init(ht_process *process, const char *folder, const char *name) {
    *process = (ht_process){.fd = -1, .folder = ht_strdup(folder)};
    process->log = ht_path_join(folder, name);
}

void ht_process_free(ht_process *process) {
    ht_process_kill(process);
    free(process->folder);
    free(process->log);
    *process = (ht_process){.fd = -1};
}

/* Gives the program that a worker is; free(). */
static ht_status worker_program(char **out_program, ht_error *error) {
    const char *program = getenv("HIPTEMPER_WORKER");
    if (program == NULL || *program == '\0')
        return ht_installed_program(out_program, error);
    *out_program = ht_strdup(program);
    return HT_OK;
}

/* Becomes the worker, after the fork of a process that may have threads (libclang's, OpenMP's) and
 * their locks: by system calls alone. The tuner's death is reported from the first moment on, by
 * the one signal that also wakes a process that was stopped before it could say a word. */
static void child(const ht_process *process, const char *program, char *const *arguments,
                  int child_fd, int report, pid_t tuner) {
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    if (getppid() != tuner)
        _exit(1);
    /* A group of its own: Ctrl-C reaches the tuner alone. */
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    /* The socket first: were it 1 or 2, the log would close it. */
    bool good = dup2(child_fd, WORKER_FD) >= 0;
    int nothing = open("/dev/null", O_RDONLY);
    int log = open(process->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    good = good && nothing >= 0 && log >= 0 && dup2(nothing, 0) >= 0 && dup2(log, 1) >= 0 &&
           dup2(log, 2) >= 0;
    if (good) {
        if (nothing > 2)
            close(nothing);
        if (log > 2)
            close(log);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execv(program, arguments);
    }
    int code = errno;
    if (write(report, &code, sizeof code) < 0)
        _exit(2);
    _exit(1);
}

/* Returns what kept the child from becoming a worker; 0: it is one, or was stopped on the way,
 * which will show. */
static int read_report(int fd) {
    int code = 0;
    struct pollfd waiting = {fd, POLLIN, 0};
    if (poll(&waiting, 1, REPORT_MS) <= 0 || read(fd, &code, sizeof code) != sizeof code)
        return 0;
    return code;
}

static int spawn(ht_process *process, const char *program, int child_fd) {
    char fd_text[16], parent_text[16];
    int ends[2];
    snprintf(fd_text, sizeof fd_text, "%d", WORKER_FD);
    snprintf(parent_text, sizeof parent_text, "%d", (int)getpid());
    char *arguments[] = {(char *)"hiptemper", (char *)"--worker", fd_text,
                         parent_text,         process->folder,    NULL};
    /* A thread of the host provider that has no blocks left sleeps: spinning would take a core from
     * those that have, or from a compiler. */
    setenv("OMP_WAIT_POLICY", "passive", 0);
    /* OpenBLAS starts a thread a core as soon as it is loaded; no worker computes with it. */
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    int report = fcntl(ends[1], F_DUPFD_CLOEXEC, WORKER_FD + 1);
    close(ends[1]);
    pid_t tuner = getpid(), pid = report < 0 ? -1 : fork();
    if (pid == 0)
        child(process, program, arguments, child_fd, report, tuner);
    int code = pid < 0 ? errno : 0;
    if (report >= 0)
        close(report);
    if (pid > 0)
        code = read_report(ends[0]);
    close(ends[0]);
    if (pid > 0 && code != 0)
        waitpid(pid, NULL, 0);
    process->pid = pid;
    return code;
}

ht_status ht_process_start(ht_process *process, ht_error *error) {
    int pair[2];
    char *program = NULL;
    ht_status status = worker_program(&program, error);
    if (status != HT_OK)
        return status;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        free(program);
        return ht_error_set(error, HT_ERROR_IO, "no socket for a worker process: %m");
    }
    /* Low numbers belong to the child's standard streams and to WORKER_FD. */
    int child_fd = fcntl(pair[1], F_DUPFD_CLOEXEC, WORKER_FD + 1);
    close(pair[1]);
    int code = child_fd < 0 ? errno : spawn(process, program, child_fd);
    if (child_fd >= 0)
        close(child_fd);
    if (code != 0) {
        close(pair[0]);
        process->pid = 0;
        status = ht_error_set(error, HT_ERROR_IO, "cannot start a worker process (%s): %s", program,
                              strerror(code));
        free(program);
        return status;
    }
    free(program);
    /* A worker that never reads must not hang the tuner. */
    struct timeval limit = {.tv_sec = SEND_SECONDS};
    setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    process->fd = pair[0];
    process->requests = 0;
    process->deadline = 0;
    process->misdeed = NULL;
    process->stopped[0] = '\0';
    process->inbox.length = 0;
    return HT_OK;
}

static void forget(ht_process *process) {
    if (process->fd >= 0)
        close(process->fd);
    process->fd = -1;
    process->pid = 0;
    process->deadline = 0;
    ht_inbox_free(&process->inbox);
}

/* Returns true if it ends by itself within this many steps. */
static bool has_ended(ht_process *process, int steps, unsigned step_us) {
    for (int step = 0; step < steps; ++step) {
        if (waitpid(process->pid, &process->exit_status, WNOHANG) == process->pid)
            return true;
        usleep(step_us);
    }
    return false;
}

/* The worker's guard (guard.h) kills all that the worker has started. */
void ht_process_kill(ht_process *process) {
    if (process->pid > 0) {
        kill(process->pid, SIGTERM);
        kill(process->pid, SIGCONT); /* a stopped guard takes no signal but this and SIGKILL */
        if (!has_ended(process, KILL_STEPS, KILL_STEP_US)) {
            kill(-process->pid, SIGKILL);
            while (waitpid(process->pid, &process->exit_status, 0) < 0 && errno == EINTR)
                continue;
        }
    }
    forget(process);
}

void ht_process_stop(ht_process *process) {
    if (process->pid <= 0)
        return;
    shutdown(process->fd, SHUT_RDWR);
    if (has_ended(process, STOP_STEPS, STOP_STEP_US))
        forget(process);
    else
        ht_process_kill(process);
}

/* Returns how many processes the kernel has killed for want of memory since the machine started; -1
 * when that is not known. */
static long count_oom_kills(void) {
    char line[256];
    long count = -1;
    FILE *file = fopen("/proc/vmstat", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "oom_kill %ld", &count) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return count;
}

/* Draws a number that nobody can have sent before it was drawn. */
static json_int_t draw_id(void) {
    enum { BITS = 52 }; /* a double holds them */
    uint64_t id = 0;
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id)
        id = (uint64_t)(ht_clock_seconds() * 1e9);
    return (json_int_t)(id >> (64 - BITS));
}

bool ht_process_ask(ht_process *process, json_t *request, double seconds) {
    struct stat log;
    process->id = draw_id();
    json_object_set_new(request, "id", json_integer(process->id));
    process->log_start = stat(process->log, &log) == 0 ? log.st_size : 0;
    process->oom_kills = count_oom_kills();
    bool sent = process->pid > 0 && ht_message_send(process->fd, request);
    json_decref(request);
    /* The wait finds a worker that is gone, and then reports how it died. */
    double now = ht_clock_seconds();
    process->deadline = now + seconds;
    process->look_again = now + LOOK_SECONDS;
    process->stopped_since = 0;
    return sent;
}

/* Reaps a process whose socket has closed, or helps it along: it is dying. */
static void reap(ht_process *process) {
    if (has_ended(process, STOP_STEPS, STOP_STEP_US)) {
        forget(process);
        return;
    }
    process->misdeed = "closed the connection to the tuner and went on";
    ht_process_kill(process);
}

/* Returns true if the worker or one below it is stopped. The guard is woken first: stopped alone,
 * it keeps nobody from working. */
static bool find_stopped(const ht_process *process, char *out, size_t size) {
    kill(process->pid, SIGCONT);
    return ht_tool_stopped(process->pid, out, size);
}

/* Returns true if somebody has been stopped for so long that there is no use in waiting for the
 * deadline. */
static bool is_stuck(ht_process *process, double now) {
    if (now < process->look_again || process->stops >= STOPS_EXCUSED)
        return false;
    process->look_again = now + LOOK_SECONDS;
    if (!find_stopped(process, NULL, 0))
        process->stopped_since = 0;
    else if (!(process->stopped_since > 0))
        process->stopped_since = now;
    return process->stopped_since > 0 && now - process->stopped_since >= STOPPED_SECONDS;
}

/* Gives up as time is up. A process stopped from outside cannot answer, which is not the fault of
 * its request. */
static ht_status give_up(ht_process *process) {
    char stopped[sizeof process->stopped] = "";
    bool excused =
        find_stopped(process, stopped, sizeof stopped) && process->stops++ < STOPS_EXCUSED;
    ht_process_kill(process);
    if (!excused)
        return HT_ERROR_TIMEOUT;
    memcpy(process->stopped, stopped, sizeof stopped);
    ht_warning("%s was stopped, as by SIGSTOP, and did not end in time: it was killed, and what it "
               "worked on is done again",
               stopped);
    return HT_ERROR_CRASH;
}

/* Polls one process with a request under way; HT_OK without a reply means: nothing new. */
static ht_status look_at(ht_process *process, bool readable, json_t **out_reply) {
    bool bad = false;
    *out_reply = NULL;
    if (readable && !ht_inbox_read(&process->inbox, process->fd)) {
        reap(process);
        return HT_ERROR_CRASH;
    }
    *out_reply = ht_inbox_take(&process->inbox, &bad);
    if (*out_reply != NULL &&
        json_integer_value(json_object_get(*out_reply, "id")) == process->id) {
        process->deadline = 0;
        ++process->requests;
        return HT_OK;
    }
    if (*out_reply != NULL) {
        json_decref(*out_reply);
        *out_reply = NULL;
        process->misdeed = "wrote an answer of its own to the tuner";
        ht_process_kill(process);
        return HT_ERROR_CRASH;
    }
    if (bad) {
        process->misdeed = "wrote to the tuner what is no message";
        ht_process_kill(process);
        return HT_ERROR_CRASH;
    }
    /* A process that it started may hold the socket open after its death. */
    if (waitpid(process->pid, &process->exit_status, WNOHANG) == process->pid) {
        forget(process);
        return HT_ERROR_CRASH;
    }
    double now = ht_clock_seconds();
    return now > process->deadline || is_stuck(process, now) ? give_up(process) : HT_OK;
}

static bool was_interrupted(const volatile int *interrupted) {
    return interrupted != NULL && *interrupted != 0;
}

ht_status ht_process_wait(ht_process *processes, size_t count, const volatile int *interrupted,
                          size_t *out_index, json_t **out_reply) {
    struct pollfd *polled = ht_alloc(count, sizeof *polled);
    ht_status status = HT_OK;
    *out_reply = NULL;
    while (!was_interrupted(interrupted)) {
        for (size_t i = 0; i < count; ++i)
            polled[i] =
                (struct pollfd){processes[i].deadline > 0 ? processes[i].fd : -1, POLLIN, 0};
        poll(polled, count, POLL_MS);
        for (size_t i = 0; i < count; ++i) {
            if (processes[i].deadline <= 0)
                continue;
            *out_index = i;
            if (processes[i].pid > 0) {
                status = look_at(&processes[i], polled[i].revents != 0, out_reply);
            } else {
                processes[i].deadline = 0;
                status = HT_ERROR_CRASH;
            }
            if (status != HT_OK || *out_reply != NULL) {
                free(polled);
                return status;
            }
        }
    }
    for (size_t i = 0; i < count; ++i)
        if (processes[i].deadline > 0)
            ht_process_kill(&processes[i]);
    free(polled);
    return HT_ERROR_INTERRUPTED;
}

/* Finds the last line after `start` that holds anything. */
static void last_line(const char *path, off_t start, char *out, size_t size) {
    enum { TAIL = 4096 };
    char tail[TAIL + 1];
    *out = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    off_t end = lseek(fd, 0, SEEK_END);
    if (end < start) /* it was cut */
        start = 0;
    if (end - start > TAIL)
        start = end - TAIL;
    ssize_t got = pread(fd, tail, TAIL, start);
    close(fd);
    while (got > 0 && strchr("\n\r \t", tail[got - 1]) != NULL)
        --got;
    if (got <= 0)
        return;
    tail[got] = '\0';
    char *newline = strrchr(tail, '\n');
    snprintf(out, size, "%.*s", (int)size - 1, newline ? newline + 1 : tail);
    /* It goes to a terminal, and a kernel wrote it. */
    ht_text_make_printable(out, "", false);
}

static bool ran_out_of_memory(const ht_process *process) {
    return WIFSIGNALED(process->exit_status) && WTERMSIG(process->exit_status) == SIGKILL &&
           count_oom_kills() != process->oom_kills;
}

bool ht_process_killed_outside(const ht_process *process) {
    if (process->stopped[0] != '\0')
        return true;
    if (process->misdeed != NULL || !WIFSIGNALED(process->exit_status) ||
        ran_out_of_memory(process))
        return false;
    switch (WTERMSIG(process->exit_status)) {
    case SIGKILL:
    case SIGTERM:
    case SIGINT:
    case SIGHUP:
    case SIGQUIT:
        return true;
    default:
        return false;
    }
}

/* Returns true if its guard, or the kernel, found a system call that the sandbox refuses. */
static bool ended_by_sandbox(const ht_process *process) {
    return process->misdeed == NULL && WIFSIGNALED(process->exit_status) &&
           WTERMSIG(process->exit_status) == SIGSYS;
}

void ht_process_evidence(const ht_process *process, char *out, size_t size) {
    enum { FOREIGN_MAX = 160 }; /* of a line that anything in the process may have written */
    char line[HT_EVIDENCE_MAX], how[80];
    last_line(process->log, process->log_start, line, sizeof line);
    if (ended_by_sandbox(process) && strncmp(line, "sandbox: ", 9) == 0) {
        snprintf(out, size, "%s", line);
        return;
    }
    if (process->stopped[0] != '\0') {
        snprintf(how, sizeof how, "%.50s stopped", process->stopped);
    } else if (process->misdeed != NULL) {
        snprintf(how, sizeof how, "%s", process->misdeed);
    } else if (WIFSIGNALED(process->exit_status)) {
        const char *name = sigabbrev_np(WTERMSIG(process->exit_status));
        snprintf(how, sizeof how, "SIG%s%s", name ? name : "?",
                 ran_out_of_memory(process)  ? " (the machine ran out of memory)"
                 : ended_by_sandbox(process) ? " (a system call that the sandbox refuses)"
                                             : "");
    } else {
        snprintf(how, sizeof how, "exit code %d", WEXITSTATUS(process->exit_status));
    }
    snprintf(out, size, "%s%s%.*s", how, *line ? ": " : "", FOREIGN_MAX, line);
}
