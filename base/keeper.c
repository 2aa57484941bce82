#include "base/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READY_MS = 1000, /* that the keeper may take to be ready */
    SWEEPS = 1000,
    SWEEP_STEP_US = 2000
};

static pid_t keeper;

/* A page that is shared with all forks, and that no program started later has. */
static void *mark;

/* ---- in the keeper ---- */

/* Place, device and inode of a line of /proc/PID/maps. */
typedef struct mapping {
    unsigned long begin, major, minor, inode;
} mapping;

static bool read_mapping(const char *line, mapping *out) {
    return sscanf(line, "%lx-%*x %*s %*x %lx:%lx %lu", &out->begin, &out->major, &out->minor,
                  &out->inode) == 4;
}

/* The first mapping of a process that has the device and inode of `wanted`, or begins where
 * `wanted` does if that has no inode. */
static bool find_mapping(const char *pid, const mapping *wanted, mapping *out) {
    char path[64], line[512];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%s/maps", pid);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = read_mapping(line, out) &&
                (wanted->inode == 0 ? out->begin == wanted->begin
                                    : out->inode == wanted->inode && out->major == wanted->major &&
                                          out->minor == wanted->minor);
    if (file)
        fclose(file);
    return found;
}

/* The number may have become another process's meanwhile; a descriptor means the one looked at. */
static bool kill_marked(const char *name, const mapping *wanted) {
    mapping found;
    int fd = (int)syscall(SYS_pidfd_open, (pid_t)atol(name), 0);
    bool marked = fd >= 0 && find_mapping(name, wanted, &found);
    if (marked)
        syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
    if (fd >= 0)
        close(fd);
    return marked;
}

/* Kills all that have the mark; true if there was one. */
static bool sweep(const mapping *wanted) {
    bool found = false;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        pid_t pid = (pid_t)atol(entry->d_name);
        if (pid > 0 && pid != getpid())
            found = kill_marked(entry->d_name, wanted) || found;
    }
    if (proc)
        closedir(proc);
    return found;
}

/* The death of the process that is kept is reported by SIGCONT, since a keeper that somebody has
 * stopped takes no other. */
_Noreturn static void keep(pid_t kept, int ready) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCONT);
    sigaddset(&signals, SIGTERM);
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    prctl(PR_SET_NAME, "hiptemper-keep");
    setpgid(0, 0); /* away from the terminal */
    mapping wanted;
    if (!find_mapping("self", &(mapping){.begin = (unsigned long)mark}, &wanted) ||
        write(ready, "", 1) != 1)
        _exit(1);
    close_range(0, ~0U, 0);
    while (getppid() == kept)
        if (sigwaitinfo(&signals, NULL) == SIGTERM)
            _exit(0);
    for (int i = 0; i < SWEEPS && sweep(&wanted); ++i)
        usleep(SWEEP_STEP_US);
    _exit(0);
}

/* ---- outside of it ---- */

void ht_keeper_start(void) {
    sigset_t all, before;
    int ends[2];
    mark = mmap(NULL, 1, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mark == MAP_FAILED || pipe2(ends, O_CLOEXEC) != 0)
        return;
    sigfillset(&all); /* handlers are not the keeper's */
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t self = getpid();
    keeper = fork();
    if (keeper == 0)
        keep(self, ends[1]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    struct pollfd waiting = {.fd = ends[0], .events = POLLIN};
    if (keeper > 0)
        poll(&waiting, 1, READY_MS);
    close(ends[0]);
}

void ht_keeper_stop(void) {
    if (keeper <= 0)
        return;
    kill(keeper, SIGKILL);
    while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
        continue;
    keeper = 0;
}
