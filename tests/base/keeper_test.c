/* A killed process leaves no forks, not even those that were stopped before they ran. */
#include "base/keeper.h"
#include "base/process.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_US = 2000, STEPS = 10000, PIDS_MAX = 8 };

TestSuite(keeper, .timeout = 60);

static char state_of(pid_t pid) {
    ht_process_state found;
    return ht_process_read(pid, &found) ? found.state : 'Z';
}

static void wait_for(pid_t pid, char state) {
    for (int i = 0; i < STEPS && state_of(pid) != state; ++i)
        usleep(STEP_US);
    cr_assert_eq(state_of(pid), state, "process %d is '%c'", (int)pid, state_of(pid));
}

static size_t children_of(pid_t parent, pid_t out[PIDS_MAX]) {
    size_t count = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        ht_process_state found;
        long pid = atol(entry->d_name);
        if (pid > 0 && count < PIDS_MAX && ht_process_read(pid, &found) && found.parent == parent)
            out[count++] = (pid_t)pid;
    }
    if (proc)
        closedir(proc);
    return count;
}

/* A process with a keeper and one child, which does `work` at once; it waits to be killed. */
static pid_t start(void (*work)(void), pid_t *out_child) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t parent = fork();
    if (parent == 0) {
        ht_keeper_start();
        pid_t child = fork();
        if (child == 0) {
            work();
            _exit(0);
        }
        if (write(ends[1], &child, sizeof child) != sizeof child)
            _exit(1);
        for (;;)
            pause();
    }
    cr_assert_eq(read(ends[0], out_child, sizeof *out_child), sizeof *out_child);
    close(ends[0]);
    close(ends[1]);
    return parent;
}

/* As by somebody else, before it could ask for a signal at its parent's death. */
static void stop(void) {
    raise(SIGSTOP);
}

static void sleep_elsewhere(void) {
    execlp("sleep", "sleep", "60", NULL);
}

static void kill_and_reap(pid_t pid) {
    cr_assert_eq(kill(pid, SIGKILL), 0);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

Test(keeper, a_child_that_was_stopped_at_its_birth_ends_with_its_killed_parent) {
    pid_t child, parent = start(stop, &child);
    wait_for(child, 'T');
    kill_and_reap(parent);
    wait_for(child, 'Z');
}

Test(keeper, it_does_so_when_it_is_stopped_itself) {
    pid_t child, parent = start(stop, &child), pids[PIDS_MAX];
    wait_for(child, 'T');
    size_t count = children_of(parent, pids);
    cr_assert_eq(count, 2);
    for (size_t i = 0; i < count; ++i)
        cr_assert_eq(kill(pids[i], SIGSTOP), 0);
    for (size_t i = 0; i < count; ++i)
        wait_for(pids[i], 'T');
    kill_and_reap(parent);
    for (size_t i = 0; i < count; ++i)
        wait_for(pids[i], 'Z');
}

Test(keeper, a_program_that_was_started_goes_on) {
    pid_t child, parent = start(sleep_elsewhere, &child), pids[PIDS_MAX] = {0};
    ht_process_state found = {0};
    for (int i = 0; i < STEPS && strcmp(found.name, "sleep") != 0; ++i, usleep(STEP_US))
        cr_assert(ht_process_read(child, &found));
    size_t count = children_of(parent, pids);
    cr_assert_eq(count, 2);
    kill_and_reap(parent);
    wait_for(pids[0] == child ? pids[1] : pids[0], 'Z');
    wait_for(child, 'S');
    kill(child, SIGKILL);
}

Test(keeper, it_ends_when_it_is_asked_to_and_leaves_others) {
    ht_keeper_start();
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    ht_keeper_stop();
    pid_t pids[PIDS_MAX] = {0};
    cr_expect_eq(children_of(getpid(), pids), 1);
    cr_expect_eq(pids[0], child);
    kill_and_reap(child);
}
