#include "pipeline/tasks.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/sanitizer.h"
#include "base/text.h"
#include "pipeline/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 100 };

/* A machine that is busy with other things gives a task little of its time. */
static const double clock_factor = 10;

typedef struct worker {
    pid_t pid; /* 0: idle */
    int pipe;
    size_t index;
    double start;
    ht_task_step *step; /* NULL: none */
    bool too_long;
    size_t inherited; /* bytes of memory that it began with */
    ht_text text;
} worker;

/* Memory of this process, in bytes. */
typedef struct memory {
    size_t own;  /* in memory, without files: what a process that it starts begins with */
    size_t data; /* what RLIMIT_DATA counts */
} memory;

static memory memory_taken(void) {
    unsigned long resident = 0, shared = 0, data = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%*u %lu %lu %*u %*u %lu", &resident, &shared, &data) != 3)
        resident = shared = data = 0;
    if (file)
        fclose(file);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (memory){(resident - shared) * page, data * page};
}

ht_task_step *ht_task_steps_new(size_t count) {
    void *steps = mmap(NULL, (count + 1) * sizeof(ht_task_step), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (steps == MAP_FAILED)
        fputs("hiptemper: out of memory\n", stderr), abort();
    return steps;
}

void ht_task_steps_free(ht_task_step *steps, size_t count) {
    if (steps)
        munmap(steps, (count + 1) * sizeof(ht_task_step));
}

/* Ends this process with SIGPROF after that much CPU time from now on; 0: never. A timer, since a
 * resource limit counts whole seconds, and processes that it starts have none of it. */
static void cpu_limit(double seconds) {
    double whole;
    double part = modf(seconds, &whole);
    struct itimerval time = {.it_value = {(time_t)whole, (suseconds_t)ceil(part * 1e6)}};
    if (time.it_value.tv_usec == 1000000)
        time.it_value = (struct timeval){(time_t)whole + 1, 0};
    setitimer(ITIMER_PROF, &time, NULL);
}

void ht_task_step_begin(ht_task_step *step, int line, int column, double seconds) {
    cpu_limit(seconds);
    step->since = ht_clock_seconds();
    step->seconds = seconds;
    step->line = line;
    step->column = column;
    ++step->number;
}

static void child(const ht_tasks *tasks, size_t index, int output, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    signal(SIGINT, SIG_IGN); /* the parent decides */
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    /* A handler (a sanitizer's, a library's) could turn a crash into an exit, which looks like one
     * that was meant. */
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPROF};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; ++i)
        signal(fatal[i], SIG_DFL);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    rlim_t most = tasks->memory_bytes + memory_taken().data;
    struct rlimit limit = {most, most};
    if (tasks->memory_bytes && !HT_ADDRESS_SANITIZED) /* which reserves terabytes */
        setrlimit(RLIMIT_DATA, &limit);
    if (tasks->limit_seconds > 0)
        cpu_limit(tasks->limit_seconds);
    FILE *out = fdopen(output, "w");
    int code = out ? tasks->run(tasks->context, index, out) : 1;
    if (!out || fclose(out) != 0)
        code = 1;
    _exit(code);
}

static bool start(const ht_tasks *tasks, worker *of, size_t index) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    fflush(NULL);
    size_t inherited = memory_taken().own;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        close(ends[0]);
        child(tasks, index, ends[1], parent);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    *of = (worker){.pid = pid,
                   .pipe = ends[0],
                   .index = index,
                   .start = ht_clock_seconds(),
                   .inherited = inherited,
                   .step = tasks->steps ? &tasks->steps[index] : NULL};
    ht_text_append(&of->text, "");
    return true;
}

static void finish(const ht_tasks *tasks, worker *of) {
    int status = 0;
    struct rusage usage = {0};
    close(of->pipe);
    while (wait4(of->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    ht_task_result result = {.text = of->text.data, .length = of->text.length};
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    result.out_of_memory =
        tasks->memory_bytes && (result.signal || result.code) &&
        (size_t)usage.ru_maxrss * 1024 > of->inherited + tasks->memory_bytes / 4 * 3;
    if (of->too_long || result.signal == SIGPROF)
        result.status = HT_ERROR_TIMEOUT;
    else if (result.signal && ht_interrupted)
        result.status = HT_ERROR_INTERRUPTED;
    else if (result.signal)
        result.status = HT_ERROR_CRASH;
    tasks->done(tasks->context, of->index, &result);
    ht_text_free(&of->text);
    *of = (worker){0};
}

/* Takes what can be read now; false at its end. */
static bool take(worker *of) {
    char block[16384];
    ssize_t got = read(of->pipe, block, sizeof block);
    if (got > 0)
        ht_text_append_n(&of->text, block, (size_t)got);
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

static bool is_late(const ht_tasks *tasks, const worker *of, double now) {
    bool within = of->step && of->step->number > 0;
    double since = within ? of->step->since : of->start;
    double seconds = within ? of->step->seconds : tasks->limit_seconds;
    return seconds > 0 && now - since > clock_factor * seconds;
}

static void watch(const ht_tasks *tasks, worker *workers, size_t count) {
    struct pollfd *list = ht_alloc(count, sizeof *list);
    for (size_t i = 0; i < count; ++i)
        list[i] = (struct pollfd){.fd = workers[i].pid ? workers[i].pipe : -1, .events = POLLIN};
    int ready = poll(list, (nfds_t)count, POLL_MILLISECONDS);
    double now = ht_clock_seconds();
    for (size_t i = 0; i < count; ++i) {
        worker *of = &workers[i];
        if (!of->pid)
            continue;
        if (ready > 0 && list[i].revents && !take(of)) {
            finish(tasks, of);
            continue;
        }
        bool late = is_late(tasks, of, now);
        if ((late && !of->too_long) || ht_interrupted) {
            of->too_long = late && !ht_interrupted;
            kill(of->pid, SIGKILL);
        }
    }
    free(list);
}

/* Returns true if a task may begin next to those that run. */
static bool has_room(const ht_tasks *tasks, const worker *workers, size_t count, size_t index) {
    uint64_t taken = 0;
    bool any = false;
    for (size_t i = 0; tasks->weights && i < count; ++i)
        if (workers[i].pid) {
            taken += tasks->weights[workers[i].index];
            any = true;
        }
    return !any || taken + tasks->weights[index] <= tasks->weight_max;
}

/* Returns the first task that has not begun and may begin now; `count` of all: there is none. */
static size_t next_task(const ht_tasks *tasks, const bool *begun, const worker *workers,
                        size_t worker_count) {
    for (size_t i = 0; i < tasks->count; ++i)
        if (!begun[i] && has_room(tasks, workers, worker_count, i))
            return i;
    return tasks->count;
}

ht_status ht_tasks_run(const ht_tasks *tasks, ht_error *error) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = tasks->workers ? tasks->workers : cores > 0 ? (size_t)cores : 1;
    worker *workers = ht_alloc(count, sizeof *workers);
    bool *begun = ht_alloc(tasks->count + 1, sizeof *begun);
    size_t left = tasks->count, running = 0;
    ht_status status = HT_OK;
    do {
        for (size_t i = 0; i < count && left && !ht_interrupted; ++i) {
            size_t next = workers[i].pid ? tasks->count : next_task(tasks, begun, workers, count);
            if (next == tasks->count)
                continue;
            if (!start(tasks, &workers[i], next)) {
                if (running == 0) /* not even one */
                    status = ht_error_set(error, HT_ERROR_INTERNAL, "cannot make a process: %s",
                                          strerror(errno));
                break;
            }
            begun[next] = true;
            --left;
        }
        watch(tasks, workers, count);
        running = 0;
        for (size_t i = 0; i < count; ++i)
            running += workers[i].pid != 0;
    } while (status == HT_OK && (running || (left && !ht_interrupted)));
    for (size_t i = 0; i < tasks->count; ++i)
        if (!begun[i])
            tasks->done(tasks->context, i, &(ht_task_result){.status = HT_ERROR_INTERRUPTED});
    free(begun);
    free(workers);
    return status;
}
