#include "base/tool.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100, END_STEP_US = 1000, KILL_STEPS = 1000, NOT_STARTED = 127, DEPTH = 16 };

/* Says if a file can be run. A busy machine that lacks memory or handles for a moment has not said
 * that the file is missing, so it is asked again. */
static bool is_program(const char *path) {
    enum { TRIES = 20, PAUSE_NS = 50 * 1000 * 1000 };
    for (int tries = 0; tries < TRIES; ++tries) {
        if (access(path, X_OK) == 0)
            return true;
        if (errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP ||
            errno == ENAMETOOLONG)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    return false;
}

char *ht_tool_find(const char *name) {
    if (strchr(name, '/'))
        return is_program(name) ? ht_strdup(name) : NULL;
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        char *candidate = ht_format("%.*s/%s", (int)length, at, name);
        if (length && is_program(candidate))
            return candidate;
        free(candidate);
        at += length + (at[length] == ':');
    }
    return NULL;
}

/* Returns true if a signal stopped it; a debugger's stop is another state. */
static bool is_stopped(long pid, ht_process_state *out) {
    return ht_process_read(pid, out) && out->state == 'T';
}

/* Looks in the process and below it. Few small files are read, so that it can be asked every second
 * while others are timed. */
static bool find_stopped(long pid, int depth, ht_process_state *out) {
    if (is_stopped(pid, out))
        return true;
    char path[80];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", pid, pid);
    FILE *file = depth < DEPTH ? fopen(path, "re") : NULL;
    bool stopped = false;
    for (long child; file != NULL && !stopped && fscanf(file, "%ld", &child) == 1;)
        stopped = find_stopped(child, depth + 1, out);
    if (file != NULL)
        fclose(file);
    return stopped;
}

bool ht_tool_stopped(long pid, char *out, size_t size) {
    ht_process_state found;
    bool stopped = find_stopped(pid, 0, &found);
    if (stopped && out != NULL)
        snprintf(out, size, "%s (process %ld)", found.name, found.pid);
    return stopped;
}

void ht_tool_want_large_pages(ht_tool_call *call) {
    static const char variable[] = "GLIBC_TUNABLES";
    if (getenv(variable) != NULL)
        return;
    call->variable = variable;
    call->value = "glibc.malloc.hugetlb=1";
}

/* Returns this process's variables and the one that is added; NULL when none is. Made before the
 * fork, after which a process that had threads may not ask for memory. */
static char **environment_make(const ht_tool_call *call) {
    if (call->variable == NULL)
        return NULL;
    size_t count = 0, kept = 0, length = strlen(call->variable);
    while (environ[count] != NULL)
        ++count;
    char **list = ht_alloc(count + 2, sizeof *list);
    for (size_t i = 0; i < count; ++i)
        if (strncmp(environ[i], call->variable, length) != 0 || environ[i][length] != '=')
            list[kept++] = environ[i];
    list[kept] = ht_format("%s=%s", call->variable, call->value);
    return list;
}

static void environment_free(char **list) {
    for (size_t i = 0; list != NULL && list[i] != NULL; ++i)
        if (list[i + 1] == NULL)
            free(list[i]);
    free(list);
}

static void child(const ht_tool_call *call, const char *program, char **environment, int output,
                  pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(NOT_STARTED);
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    int nothing = open("/dev/null", O_RDWR);
    int input = call->input != NULL ? open(call->input, O_RDONLY) : nothing;
    if (input < 0 && call->input != NULL) {
        dup2(output, 2);
        dprintf(2, "cannot read %s: %s\n", call->input, strerror(errno));
        _exit(NOT_STARTED);
    }
    if (input >= 0)
        dup2(input, 0);
    dup2(output, 1);
    dup2(call->no_errors && nothing >= 0 ? nothing : output, 2);
    if (call->folder != NULL && chdir(call->folder) != 0)
        _exit(NOT_STARTED);
    execve(program, (char *const *)call->arguments, environment ? environment : environ);
    dprintf(2, "cannot run %s: %s\n", program, strerror(errno));
    _exit(NOT_STARTED);
}

/* Appends what can be read now; false at the end. */
static bool take(int fd, ht_text *out) {
    char buffer[65536];
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got > 0)
        ht_text_append_n(out, buffer, (size_t)got);
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Reads what a program that has ended left in the pipe, though another may hold it open. */
static void drain(int fd, ht_text *out) {
    struct pollfd waiting = {fd, POLLIN, 0};
    while (poll(&waiting, 1, 0) > 0 && take(fd, out))
        continue;
}

/* Returns false at the deadline. */
static bool wait_for(pid_t pid, int fd, double deadline, ht_text *out, int *out_status) {
    for (bool open = true; ht_clock_seconds() < deadline;) {
        struct pollfd waiting = {fd, POLLIN, 0};
        if (!open)
            usleep(END_STEP_US);
        else if (poll(&waiting, 1, TICK_MS) > 0)
            open = take(fd, out);
        if ((!open || !waiting.revents) && waitpid(pid, out_status, WNOHANG) != 0) {
            if (open)
                drain(fd, out);
            return true;
        }
    }
    return false;
}

/* Ends it with all that it started in its group. A process that waits for a disk may take its time
 * to go. */
static void put_down(pid_t pid) {
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    for (int step = 0; step < KILL_STEPS && waitpid(pid, NULL, WNOHANG) == 0; ++step)
        usleep(END_STEP_US);
}

static ht_status fail_late(const ht_tool_call *call, const char *program, bool stopped,
                           ht_error *error) {
    return ht_error_set(error, HT_ERROR_TIMEOUT,
                        "%s%s%s: no end within %g s%s, so it was killed; run the same by hand to "
                        "see what it waits for",
                        program, call->arguments[1] ? " " : "",
                        call->arguments[1] ? call->arguments[1] : "", call->seconds,
                        stopped ? " (it was stopped, as by SIGSTOP)" : "");
}

ht_status ht_tool_run(const ht_tool_call *call, ht_text *out, int *out_code, ht_error *error) {
    int ends[2], status = 0;
    *out_code = -1;
    char *program = ht_tool_find(call->arguments[0]);
    if (program == NULL)
        return ht_error_set(error, HT_ERROR_MISSING, "%s: there is no such program",
                            call->arguments[0]);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        free(program);
        return ht_error_set(error, HT_ERROR_IO, "cannot make a pipe: %s", strerror(errno));
    }
    double deadline = ht_clock_seconds() + call->seconds;
    char **environment = environment_make(call);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        child(call, program, environment, ends[1], parent);
    int code = errno;
    close(ends[1]);
    ht_status result = HT_OK;
    if (pid < 0) {
        result =
            ht_error_set(error, HT_ERROR_MISSING, "cannot start %s: %s", program, strerror(code));
    } else if (wait_for(pid, ends[0], deadline, out, &status)) {
        *out_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else {
        bool stopped = ht_tool_stopped(pid, NULL, 0);
        result = fail_late(call, program, stopped, error);
        *out_code = stopped ? 128 + SIGSTOP : -1;
        put_down(pid);
    }
    close(ends[0]);
    environment_free(environment);
    free(program);
    return result;
}
