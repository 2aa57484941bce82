#include "runtime/process/guard.h"

#include "base/process.h"
#include "runtime/sandbox/sandbox_warden.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED_TO_FORK = 1, CHILDREN_MOST = 256 };

/* Kills the children that the kernel lists, and waits for them; false: it lists none. */
static bool kill_listed(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *list = fopen(path, "re");
    pid_t pids[CHILDREN_MOST];
    size_t count = 0;
    for (long pid; list && count < CHILDREN_MOST && fscanf(list, "%ld", &pid) == 1;)
        pids[count++] = (pid_t)pid;
    if (list)
        fclose(list);
    for (size_t i = 0; i < count; ++i) {
        kill(pids[i], SIGKILL);
        kill(pids[i], SIGCONT);
    }
    for (size_t i = 0; i < count; ++i)
        while (waitpid(pids[i], NULL, 0) < 0 && errno == EINTR)
            ;
    return count > 0;
}

/* Returns true if no process is below this one, reaping those that have ended. */
static bool is_alone(void) {
    pid_t ended;
    do
        ended = waitpid(-1, NULL, WNOHANG);
    while (ended > 0 || (ended < 0 && errno == EINTR));
    return ended < 0;
}

/* Kills all. Children of a killed child become ours, so in the end nothing is below. The kernel's
 * list may lack some, or not be there; then all processes of the machine are looked at. */
static void kill_all(void) {
    while (!is_alone() && kill_listed())
        ;
    while (!is_alone()) {
        ht_process_signal_children(SIGKILL);
        waitpid(-1, NULL, 0);
    }
}

static void end_likewise(int status) {
    if (WIFSIGNALED(status)) {
        sigset_t all;
        sigfillset(&all);
        signal(WTERMSIG(status), SIG_DFL);
        sigprocmask(SIG_UNBLOCK, &all, NULL);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        kill(getpid(), WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

/* Returns true if the worker has ended. Adopted processes end too, and are nobody's news. */
static bool has_ended(pid_t worker, int *out_status) {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == worker) {
            *out_status = status;
            return true;
        }
    return false;
}

/* Watches the worker and the tuner, whose death is reported by SIGCONT, since a guard that somebody
 * has stopped takes no other signal. */
static void watch(pid_t worker, pid_t tuner, const sigset_t *signals) {
    int status = 0, number;
    do
        number = sigwaitinfo(signals, NULL);
    while (number != SIGTERM && getppid() == tuner && !has_ended(worker, &status));
    kill_all();
    /* Nothing that the worker wrote comes after this line in its log. */
    if (ht_warden_verdict() != NULL) {
        dprintf(STDERR_FILENO, "\n%s\n", ht_warden_verdict());
        status = SIGSYS;
    }
    end_likewise(status);
}

void ht_guard(int fd, pid_t tuner) {
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGCONT);
    pid_t self = getpid();
    sigprocmask(SIG_BLOCK, &signals, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* which the worker does not inherit */
    ht_warden_prepare();
    pid_t worker = ht_process_fork();
    if (worker == 0) {
        ht_warden_leave();
        setsid(); /* away from the terminal */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(0);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return;
    }
    close(fd);
    if (worker < 0)
        _exit(FAILED_TO_FORK);
    ht_warden_start(worker);
    signal(SIGINT, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    if (getppid() != tuner)
        raise(SIGTERM);
    watch(worker, tuner, &signals);
}
