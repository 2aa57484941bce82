#include "loop/agent/command.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "loop/agent/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_MS = 100, END_STEPS = 20 };

struct ht_agent_command {
    char *command;
    double seconds;
    const volatile int *interrupted;
    pid_t pid;     /* 0: it does not run */
    int to, from;  /* its standard input and output */
    ht_text input; /* that was read and not yet answered with */
};

ht_agent_command *ht_agent_command_new(const char *command, double seconds,
                                       const volatile int *interrupted) {
    ht_agent_command *agent = ht_alloc(1, sizeof *agent);
    *agent = (ht_agent_command){.command = ht_strdup(command),
                                .seconds = seconds,
                                .interrupted = interrupted,
                                .to = -1,
                                .from = -1};
    return agent;
}

/* ---- the process ---- */

static void run(const ht_agent_command *agent, int in, int out, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(127);
    execl("/bin/sh", "sh", "-c", agent->command, (char *)NULL);
    _exit(127);
}

static void pair_close(const int ends[2]) {
    close(ends[0]);
    close(ends[1]);
}

static ht_status agent_start(ht_agent_command *agent, ht_error *error) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0)
        return ht_error_set(error, HT_ERROR_IO, "no pipe to the agent: %s", strerror(errno));
    if (pipe2(from, O_CLOEXEC) != 0) {
        pair_close(to);
        return ht_error_set(error, HT_ERROR_IO, "no pipe to the agent: %s", strerror(errno));
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        run(agent, to[0], from[1], parent);
    close(to[0]);
    close(from[1]);
    if (pid < 0) {
        close(to[1]);
        close(from[0]);
        return ht_error_set(error, HT_ERROR_IO, "no process for the agent: %s", strerror(errno));
    }
    setpgid(pid, pid); /* whoever of the two comes first */
    fcntl(to[1], F_SETFL, O_NONBLOCK);
    agent->pid = pid;
    agent->to = to[1];
    agent->from = from[0];
    agent->input.length = 0;
    return HT_OK;
}

/* Ends it, and returns how it had ended, as waitpid gives it. One that has closed its output gets a
 * moment to end by itself, so that its exit code can be reported. */
static int agent_end(ht_agent_command *agent, bool wait) {
    int status = 0;
    if (!agent->pid)
        return 0;
    bool ended = waitpid(agent->pid, &status, WNOHANG) == agent->pid;
    for (int i = 0; i < END_STEPS && wait && !ended; ++i) {
        usleep(STEP_MS * 1000 / 2);
        ended = waitpid(agent->pid, &status, WNOHANG) == agent->pid;
    }
    kill(-agent->pid, SIGKILL); /* those that it may have started, too */
    while (!ended && waitpid(agent->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(agent->to);
    close(agent->from);
    agent->pid = 0;
    agent->to = agent->from = -1;
    return status;
}

void ht_agent_command_free(ht_agent_command *agent) {
    if (!agent)
        return;
    agent_end(agent, false);
    ht_text_free(&agent->input);
    free(agent->command);
    free(agent);
}

/* ---- lines ---- */

static ht_status ended_tell(ht_agent_command *agent, ht_error *error) {
    int status = agent_end(agent, true);
    if (WIFSIGNALED(status))
        return ht_error_set(error, HT_ERROR_IO,
                            "the agent was ended by a signal (%s) without an answer: %s",
                            strsignal(WTERMSIG(status)), agent->command);
    return ht_error_set(error, HT_ERROR_IO,
                        "the agent ended with exit code %d without an answer: %s",
                        WEXITSTATUS(status), agent->command);
}

/* Writes what the pipe takes. A command that reads nothing may answer all the same. */
static void part_write(const ht_agent_command *agent, const char *line, size_t length,
                       size_t *done) {
    ssize_t written = write(agent->to, line + *done, length - *done);
    if (written > 0)
        *done += (size_t)written;
    else if (written < 0 && errno != EINTR && errno != EAGAIN)
        *done = length;
}

/* Returns false at the end of its output. */
static bool part_read(ht_agent_command *agent) {
    char part[65536];
    ssize_t size = read(agent->from, part, sizeof part);
    if (size > 0)
        ht_text_append_n(&agent->input, part, (size_t)size);
    return size > 0 || (size < 0 && errno == EINTR);
}

/* Returns true when there is a line, or too much for one. */
static bool line_take(ht_agent_command *agent, char **out_line, size_t *out_length) {
    const char *begin = agent->input.data,
               *end = agent->input.length ? memchr(begin, '\n', agent->input.length) : NULL;
    if (!end && agent->input.length <= HT_ANSWER_LINE_MAX)
        return false;
    *out_length = end ? (size_t)(end - begin) : agent->input.length;
    *out_line = ht_alloc(*out_length + 1, 1);
    memcpy(*out_line, begin, *out_length);
    size_t used = end ? *out_length + 1 : *out_length;
    memmove(agent->input.data, begin + used, agent->input.length - used);
    agent->input.length -= used;
    if (!end)
        agent_end(agent, false);
    return true;
}

static ht_status exchange(ht_agent_command *agent, const char *line, size_t length, char **out_line,
                          size_t *out_length, ht_error *error) {
    double deadline = ht_clock_seconds() + agent->seconds;
    size_t done = 0;
    agent->input.length = 0; /* of an answer that nobody asked for */
    while (!line_take(agent, out_line, out_length)) {
        struct pollfd waiting[2] = {{.fd = agent->from, .events = POLLIN},
                                    {.fd = done < length ? agent->to : -1, .events = POLLOUT}};
        if (agent->interrupted && *agent->interrupted) {
            agent_end(agent, false);
            return ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
        }
        if (ht_clock_seconds() > deadline) {
            agent_end(agent, false);
            return ht_error_set(
                error, HT_ERROR_TIMEOUT,
                "the agent gave no answer within %g s: %s; --agent-time raises the limit",
                agent->seconds, agent->command);
        }
        if (poll(waiting, 2, STEP_MS) <= 0)
            continue;
        if (waiting[1].revents)
            part_write(agent, line, length, &done);
        if (waiting[0].revents && !part_read(agent))
            return ended_tell(agent, error);
    }
    return HT_OK;
}

ht_status ht_agent_command_ask(ht_agent_command *agent, const json_t *state, char **out_line,
                               size_t *out_length, ht_error *error) {
    char *text = json_dumps(state, JSON_COMPACT), *line = ht_format("%s\n", text);
    int ignored;
    *out_line = NULL;
    *out_length = 0;
    if (agent->pid && waitpid(agent->pid, &ignored, WNOHANG) == agent->pid) {
        kill(-agent->pid, SIGKILL);
        close(agent->to);
        close(agent->from);
        agent->pid = 0; /* it answers one question a run */
    }
    bool answered = agent->pid != 0;
    ht_status status = answered ? HT_OK : agent_start(agent, error);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    if (status == HT_OK)
        status = exchange(agent, line, strlen(line), out_line, out_length, error);
    /* It was still about to end after its last answer: this question was not put to it. */
    if (status == HT_ERROR_IO && answered && agent->input.length == 0) {
        status = agent_start(agent, error);
        if (status == HT_OK)
            status = exchange(agent, line, strlen(line), out_line, out_length, error);
    }
    sigaction(SIGPIPE, &before, NULL);
    free(text);
    free(line);
    return status;
}
