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
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_MS = 100, END_STEPS = 20, TAIL_BYTES = 2048, TAIL_LINES = 3 };

struct ht_agent_command {
    char *command;
    double seconds;
    const volatile int *interrupted;
    pid_t pid;     /* 0: it does not run */
    int to, from;  /* its standard input and output */
    int words;     /* its standard error; -1: closed */
    ht_text input; /* that was read and not yet answered with */
    ht_text tail;  /* the last of what it wrote to its standard error */
    bool taken;    /* it read something of the question */
};

ht_agent_command *ht_agent_command_new(const char *command, double seconds,
                                       const volatile int *interrupted) {
    ht_agent_command *agent = ht_alloc(1, sizeof *agent);
    *agent = (ht_agent_command){.command = ht_strdup(command),
                                .seconds = seconds,
                                .interrupted = interrupted,
                                .to = -1,
                                .from = -1,
                                .words = -1};
    return agent;
}

/* ---- the process ---- */

static void run(const ht_agent_command *agent, int in, int out, int words, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(words, STDERR_FILENO) < 0)
        _exit(127);
    execl("/bin/sh", "sh", "-c", agent->command, (char *)NULL);
    _exit(127);
}

/* The ends of its pipes: those to read from, and to write to. */
enum { TO, FROM, WORDS, PIPES };

static void ends_close(int pipes[PIPES][2], int end) {
    for (int i = 0; i < PIPES; ++i)
        if (pipes[i][end] >= 0)
            close(pipes[i][end]);
}

static ht_status agent_start(ht_agent_command *agent, ht_error *error) {
    int pipes[PIPES][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, made = 0;
    while (made < PIPES && pipe2(pipes[made], O_CLOEXEC) == 0)
        ++made;
    pid_t parent = getpid(), pid = made == PIPES ? fork() : -1;
    if (pid == 0)
        run(agent, pipes[TO][0], pipes[FROM][1], pipes[WORDS][1], parent);
    if (pid < 0) {
        ht_error_set(error, HT_ERROR_IO, "no %s for the agent: %s",
                     made == PIPES ? "process" : "pipe", strerror(errno));
        ends_close(pipes, 0);
        ends_close(pipes, 1);
        return HT_ERROR_IO;
    }
    setpgid(pid, pid); /* whoever of the two comes first */
    close(pipes[TO][0]);
    close(pipes[FROM][1]);
    close(pipes[WORDS][1]);
    fcntl(pipes[TO][1], F_SETFL, O_NONBLOCK);
    fcntl(pipes[WORDS][0], F_SETFL, O_NONBLOCK);
    agent->pid = pid;
    agent->to = pipes[TO][1];
    agent->from = pipes[FROM][0];
    agent->words = pipes[WORDS][0];
    agent->input.length = agent->tail.length = 0;
    return HT_OK;
}

/* Shows what it has written to its standard error, and keeps the last of it. */
static void words_show(ht_agent_command *agent) {
    enum { PARTS_MOST = 16 }; /* one that floods it must not keep us from the clock */
    char part[4096];
    ssize_t size = 1;
    for (int i = 0; i < PARTS_MOST && agent->words >= 0 && size > 0; ++i) {
        size = read(agent->words, part, sizeof part);
        if (size > 0 && fwrite(part, 1, (size_t)size, stderr) > 0)
            ht_text_append_n(&agent->tail, part, (size_t)size);
    }
    if (size == 0) {
        close(agent->words);
        agent->words = -1;
    }
    if (agent->tail.length > TAIL_BYTES) {
        size_t left = agent->tail.length - TAIL_BYTES;
        memmove(agent->tail.data, agent->tail.data + left, TAIL_BYTES);
        agent->tail.length = TAIL_BYTES;
    }
}

/* Returns the last lines of its standard error as one; NULL: it wrote nothing; free(). */
static char *last_words(const ht_agent_command *agent) {
    const char *data = agent->tail.data;
    size_t end = agent->tail.length, begin, lines = 0;
    while (end > 0 && data[end - 1] == '\n')
        --end;
    for (begin = end; begin > 0; --begin)
        if (data[begin - 1] == '\n' && ++lines == TAIL_LINES)
            break;
    ht_text text = {0};
    for (size_t i = begin; i < end; ++i)
        ht_text_append_n(&text, data[i] == '\n' ? " / " : data + i, data[i] == '\n' ? 3 : 1);
    if (!text.length)
        return NULL;
    char *words = ht_text_take(&text);
    ht_text_make_printable(words, "", false);
    return words;
}

static void ends_forget(ht_agent_command *agent) {
    words_show(agent);
    close(agent->to);
    close(agent->from);
    if (agent->words >= 0)
        close(agent->words);
    agent->pid = 0;
    agent->to = agent->from = agent->words = -1;
}

/* Ends it, and returns true if it had ended by itself, with *out_status as waitpid gives it. One
 * that has closed its output gets a moment to do so, so that its exit code can be reported. */
static bool agent_end(ht_agent_command *agent, bool wait, int *out_status) {
    int status = 0;
    *out_status = 0;
    if (!agent->pid)
        return true;
    bool ended = waitpid(agent->pid, &status, WNOHANG) == agent->pid;
    for (int i = 0; i < END_STEPS && wait && !ended; ++i) {
        usleep(STEP_MS * 1000 / 2);
        ended = waitpid(agent->pid, &status, WNOHANG) == agent->pid;
    }
    kill(-agent->pid, SIGKILL); /* those that it may have started, too */
    *out_status = status;
    while (!ended && waitpid(agent->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    ends_forget(agent);
    return ended;
}

/* Ends it, however it does. */
static void agent_stop(ht_agent_command *agent) {
    int ignored;
    agent_end(agent, false, &ignored);
}

void ht_agent_command_free(ht_agent_command *agent) {
    if (!agent)
        return;
    agent_stop(agent);
    ht_text_free(&agent->input);
    ht_text_free(&agent->tail);
    free(agent->command);
    free(agent);
}

/* ---- lines ---- */

static ht_status ended_tell(ht_agent_command *agent, ht_error *error) {
    int status;
    bool ended = agent_end(agent, true, &status);
    char *how = !ended ? ht_strdup("closed its output")
                : WIFSIGNALED(status)
                    ? ht_format("died of a signal (%s)", strsignal(WTERMSIG(status)))
                    : ht_format("ended with exit code %d", WEXITSTATUS(status));
    char *words = last_words(agent);
    ht_error_set(error, HT_ERROR_IO, "the agent %s%s without an answer: %s%s%s", how,
                 agent->taken ? ", with the question read," : "", agent->command,
                 words ? "; the last that it wrote to its standard error: " : "",
                 words ? words : "");
    free(words);
    free(how);
    return HT_ERROR_IO;
}

/* A question on its way. */
typedef struct question {
    const char *line;
    size_t length, done; /* written so far */
    bool refused;        /* it takes no more */
    double deadline;     /* of its answer, on the clock */
} question;

/* Writes what the pipe takes. A command that reads nothing may answer all the same. */
static void part_write(const ht_agent_command *agent, question *of) {
    ssize_t written = write(agent->to, of->line + of->done, of->length - of->done);
    if (written > 0)
        of->done += (size_t)written;
    else if (written < 0 && errno != EINTR && errno != EAGAIN)
        of->refused = true;
}

/* Returns true if it has read of a question: not all that was written is still in the pipe. */
static bool is_taken(const ht_agent_command *agent, const question *of) {
    int left = 0;
    return of->done > 0 && ioctl(agent->to, FIONREAD, &left) == 0 && (size_t)left < of->done;
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
        agent_stop(agent);
    return true;
}

static ht_status exchange(ht_agent_command *agent, question *of, char **out_line,
                          size_t *out_length, ht_error *error) {
    agent->input.length = 0; /* of an answer that nobody asked for */
    agent->taken = of->refused = false;
    of->done = 0;
    while (!line_take(agent, out_line, out_length)) {
        bool writes = of->done < of->length && !of->refused;
        struct pollfd waiting[PIPES] = {[FROM] = {.fd = agent->from, .events = POLLIN},
                                        [TO] = {.fd = writes ? agent->to : -1, .events = POLLOUT},
                                        [WORDS] = {.fd = agent->words, .events = POLLIN}};
        if (agent->interrupted && *agent->interrupted) {
            agent_stop(agent);
            return ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
        }
        if (ht_clock_seconds() > of->deadline) {
            agent_stop(agent);
            return ht_error_set(
                error, HT_ERROR_TIMEOUT,
                "the agent gave no answer within %g s: %s; --agent-time raises the limit",
                agent->seconds, agent->command);
        }
        if (poll(waiting, PIPES, STEP_MS) <= 0)
            continue;
        if (waiting[WORDS].revents)
            words_show(agent);
        if (waiting[TO].revents)
            part_write(agent, of);
        if (waiting[FROM].revents && !part_read(agent)) {
            agent->taken = is_taken(agent, of);
            return ended_tell(agent, error);
        }
    }
    words_show(agent);
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
        ends_forget(agent); /* it answers one question a run */
    }
    question of = {
        .line = line, .length = strlen(line), .deadline = ht_clock_seconds() + agent->seconds};
    bool answered = agent->pid != 0;
    ht_status status = answered ? HT_OK : agent_start(agent, error);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    if (status == HT_OK)
        status = exchange(agent, &of, out_line, out_length, error);
    /* It was still about to end after its last answer, and has read nothing of this question. */
    if (status == HT_ERROR_IO && answered && !agent->taken && agent->input.length == 0) {
        status = agent_start(agent, error);
        if (status == HT_OK)
            status = exchange(agent, &of, out_line, out_length, error);
    }
    sigaction(SIGPIPE, &before, NULL);
    free(text);
    free(line);
    return status;
}
