#include "runtime/sandbox/sandbox_warden.h"

#include "base/clock.h"
#include "runtime/sandbox/descriptor.h"
#include "runtime/sandbox/sandbox_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOOK_MS = 50,   /* between two looks at the worker's memory, threads and files */
    SEARCH = 10,    /* looks between two searches for its files in memory, which cost more */
    THREADS = 1024, /* of a worker */
    FILES = 256     /* that it may open for writing, in its life */
};

static const off_t OUTPUT_MAX = (off_t)64 << 20;

/* The words of a worker on itself, before anything foreign runs in it. */
typedef struct introduction {
    bool strict;
    uint64_t memory;
    char writes[PATH_MAX];
} introduction;

static struct {
    int ends[2]; /* the guard's, the worker's */
    pid_t worker;
    introduction of;
    int listener;
    int folder; /* the one that it may write to */
    unsigned files;
    atomic_bool condemned;
    char verdict[HT_SANDBOX_WORDS + 16];
} warden = {.ends = {-1, -1}, .listener = -1, .folder = -1};

void ht_warden_prepare(void) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, warden.ends) != 0)
        warden.ends[0] = warden.ends[1] = -1;
}

static void close_end(int which) {
    if (warden.ends[which] >= 0)
        close(warden.ends[which]);
    warden.ends[which] = -1;
}

void ht_warden_leave(void) {
    close_end(0);
}

int ht_warden_channel(void) {
    return warden.ends[1];
}

ht_status ht_warden_hand_over(const ht_sandbox_plan *plan, int listener, ht_error *error) {
    introduction self = {.strict = !plan->programs && !plan->devices, .memory = plan->memory};
    snprintf(self.writes, sizeof self.writes, "%s", plan->writes != NULL ? plan->writes : "");
    bool sent = ht_descriptor_send(warden.ends[1], &self, sizeof self, listener);
    int cause = errno;
    close(listener);
    close_end(1);
    return sent ? HT_OK
                : ht_error_set(error, HT_ERROR_INTERNAL, "the sandbox's guard is gone: %s",
                               strerror(cause));
}

/* Returns false when the worker never enters the sandbox. */
static bool meet(void) {
    if (!ht_descriptor_receive(warden.ends[0], &warden.of, sizeof warden.of, &warden.listener))
        return false;
    if (warden.of.writes[0] != '\0')
        warden.folder = open(warden.of.writes, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return true;
}

static void condemn(const char *why) {
    if (!atomic_load(&warden.condemned))
        snprintf(warden.verdict, sizeof warden.verdict, "sandbox: %s", why);
    atomic_store(&warden.condemned, true);
    kill(warden.worker, SIGKILL);
}

const char *ht_warden_verdict(void) {
    return atomic_load(&warden.condemned) ? warden.verdict : NULL;
}

static void refuse(const struct seccomp_notif *call) {
    char words[HT_SANDBOX_WORDS];
    ht_sandbox_describe(call, words, sizeof words);
    condemn(words);
}

static void answer(const struct seccomp_notif *call, int error, int64_t value, bool go_on) {
    struct seccomp_notif_resp reply = {.id = call->id, .error = -error, .val = value};
    reply.flags = go_on ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
    (void)ioctl(warden.listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

/* Returns the name in the worker's folder that a path means; NULL when it means another place. */
static const char *name_within(const char *path) {
    size_t length = strlen(warden.of.writes);
    if (warden.folder < 0 || strncmp(path, warden.of.writes, length) != 0 || path[length] != '/')
        return NULL;
    const char *name = path + length + 1;
    while (*name == '/')
        ++name;
    bool plain = *name != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 &&
                 strcmp(name, "..") != 0;
    return plain ? name : NULL;
}

/* Opens a file for the worker, by the name that was read here: what the worker does to its copy of
 * the path meanwhile is no matter. */
static void open_for(const struct seccomp_notif *call, uint64_t address, int flags) {
    char path[PATH_MAX];
    const int kept = O_ACCMODE | O_CREAT | O_TRUNC | O_EXCL | O_APPEND;
    const char *name =
        ht_sandbox_peek((int)call->pid, address, path, sizeof path) ? name_within(path) : NULL;
    if (strcmp(path, "/dev/null") == 0) {
        answer(call, 0, 0, true);
        return;
    }
    if (name == NULL || (flags & (ht_open_flags_changing() & ~kept)) != 0) {
        refuse(call);
        return;
    }
    if (++warden.files > FILES) {
        condemn("opened too many files for writing");
        return;
    }
    int fd = openat(warden.folder, name, (flags & kept) | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        answer(call, errno, 0, false);
        return;
    }
    struct seccomp_notif_addfd add = {.id = call->id,
                                      .srcfd = (uint32_t)fd,
                                      .newfd_flags = (flags & O_CLOEXEC) != 0 ? O_CLOEXEC : 0};
    int given = ioctl(warden.listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
    int cause = errno;
    close(fd);
    /* Kernels before 5.9 hand no descriptors over; Landlock, if there is any, decides. */
    if (given < 0)
        answer(call, 0, 0, cause == EINVAL || cause == ENOTTY);
    else
        answer(call, 0, given, false);
}

static unsigned thread_count(void) {
    char path[64];
    struct stat info;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)warden.worker);
    return stat(path, &info) == 0 && info.st_nlink > 2 ? (unsigned)info.st_nlink - 2 : 1;
}

/* Returns the bytes of files in memory that the worker holds: they are nobody's resident memory. */
static uint64_t memory_file_bytes(void) {
    char path[64];
    uint64_t bytes = 0;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)warden.worker);
    DIR *directory = opendir(path);
    int place = directory != NULL ? dirfd(directory) : -1;
    for (struct dirent *entry; place >= 0 && (entry = readdir(directory)) != NULL;) {
        static const char prefix[] = "/memfd:";
        struct stat info;
        char target[sizeof prefix];
        ssize_t length = readlinkat(place, entry->d_name, target, sizeof target);
        if (length < (ssize_t)sizeof prefix - 1 || strncmp(target, prefix, sizeof prefix - 1) != 0)
            continue;
        if (fstatat(place, entry->d_name, &info, 0) == 0)
            bytes += (uint64_t)info.st_blocks * 512;
    }
    if (directory != NULL)
        closedir(directory);
    return bytes;
}

static void make_thread(const struct seccomp_notif *call) {
    if ((call->data.args[0] & CLONE_THREAD) == 0)
        refuse(call);
    else if (thread_count() >= THREADS)
        condemn("started more than 1024 threads (clone)");
    else
        answer(call, 0, 0, true);
}

static void make_memory_file(const struct seccomp_notif *call) {
    if (warden.of.memory > 0 && memory_file_bytes() > warden.of.memory)
        condemn("took more memory than it may");
    else
        answer(call, 0, 0, true);
}

static bool is_thread_of_worker(uint64_t thread) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task/%d", (long)warden.worker, (int)thread);
    return access(path, F_OK) == 0;
}

/* Returns true if the process is in the session that the guard gave its worker, where those that a
 * compiler or a driver starts stay. */
static bool is_in_session(uint64_t process) {
    pid_t pid = (pid_t)process;
    return pid == 0 || (pid > 0 && getsid(pid) == warden.worker);
}

static void decide(const struct seccomp_notif *call) {
    const __u64 *arguments = call->data.args;
    int number = call->data.nr;
    bool strict = warden.of.strict;
    if (!ht_filter_knows(call))
        answer(call, ENOSYS, 0, false);
    else if (strict && number == ht_filter_number("openat"))
        open_for(call, arguments[1], (int)arguments[2]);
    else if (strict && number == ht_filter_number("open"))
        open_for(call, arguments[0], (int)arguments[1]);
    else if (strict && number == ht_filter_number("creat"))
        open_for(call, arguments[0], O_WRONLY | O_CREAT | O_TRUNC);
    else if (strict && number == ht_filter_number("clone"))
        make_thread(call);
    else if (strict && number == ht_filter_number("memfd_create"))
        make_memory_file(call);
    else if (strict && number == ht_filter_number("sched_setaffinity") &&
             is_thread_of_worker(arguments[0]))
        answer(call, 0, 0, true);
    else if (!strict && is_in_session(arguments[0]) &&
             (number == ht_filter_number("kill") || number == ht_filter_number("tgkill")))
        answer(call, 0, 0, true);
    else
        refuse(call);
}

static uint64_t resident_bytes(void) {
    char path[64];
    unsigned long long size = 0, resident = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)warden.worker);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu %llu", &size, &resident) != 2)
        resident = 0;
    fclose(file);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The guard's standard output is the worker's log. */
static void look_at_worker(void) {
    static unsigned looks;
    static uint64_t in_files;
    struct stat log;
    if (warden.of.memory > 0 && looks++ % SEARCH == 0)
        in_files = memory_file_bytes();
    if (fstat(STDOUT_FILENO, &log) == 0 && S_ISREG(log.st_mode) &&
        (off_t)log.st_blocks * 512 > OUTPUT_MAX)
        condemn("wrote more than 64 MiB of output");
    else if (warden.of.memory > 0 && resident_bytes() + in_files > warden.of.memory)
        condemn("took more memory than it may");
}

static void *attend(void *unused) {
    (void)unused;
    if (!meet()) {
        close_end(0);
        return NULL;
    }
    for (double looked = 0;;) {
        struct pollfd waiting = {.fd = warden.listener, .events = POLLIN};
        int ready = poll(&waiting, 1, LOOK_MS);
        if (ready > 0 && (waiting.revents & POLLIN) == 0)
            return NULL; /* nobody is left in the sandbox */
        struct seccomp_notif call = {0};
        if (ready > 0 && ioctl(warden.listener, SECCOMP_IOCTL_NOTIF_RECV, &call) == 0)
            decide(&call);
        double now = ht_clock_seconds();
        if (now - looked < LOOK_MS / 1000.0)
            continue;
        look_at_worker();
        looked = now;
    }
}

void ht_warden_start(pid_t worker) {
    pthread_t thread;
    warden.worker = worker;
    close_end(1);
    if (warden.ends[0] < 0)
        return;
    if (pthread_create(&thread, NULL, attend, NULL) == 0)
        pthread_detach(thread);
    else
        close_end(0); /* a worker that enters the sandbox finds nobody, and says so */
}
