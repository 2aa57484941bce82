/* Filters of system calls, by libseccomp. A process that runs kernels may make the calls in a list:
 * those that compute, read and talk to itself. Every other call is refused. One that runs compilers
 * or a GPU's driver needs too many to list: it may make all but those in another list. */
#include "runtime/sandbox/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* SCMP_CMP leaves out the second value, which most comparisons do without. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { NEW_TMPFILE = 020000000 /* __O_TMPFILE */, THREAD = 0x00010000 /* CLONE_THREAD */ };

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Calls that a kernel's process may make without a question: memory, threads that are there, time,
 * signals of its own, reading. */
static const char *const computing[] = {
    /* memory */
    "brk", "mmap", "mmap2", "munmap", "mremap", "mprotect", "madvise", "msync", "mincore", "mlock",
    "mlock2", "munlock", "mbind", "set_mempolicy", "get_mempolicy", "membarrier", "pkey_alloc",
    "pkey_free", "pkey_mprotect", "getrandom",
    /* threads */
    "futex", "futex_waitv", "set_robust_list", "get_robust_list", "rseq", "set_tid_address",
    "arch_prctl", "gettid", "getpid", "getppid", "getpgrp", "getpgid", "getsid", "getuid",
    "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "sched_yield",
    "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_getattr",
    "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval", "getpriority",
    "getcpu", "exit", "exit_group", "wait4", "waitid", "restart_syscall",
    /* time */
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time",
    "times", "getitimer", "setitimer", "alarm", "timer_create", "timer_settime", "timer_gettime",
    "timer_getoverrun", "timer_delete", "timerfd_create", "timerfd_settime", "timerfd_gettime",
    /* signals that it gets */
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait",
    "rt_sigsuspend", "sigaltstack", "pause",
    /* descriptors that it has */
    "read", "readv", "pread64", "preadv", "preadv2", "write", "writev", "pwrite64", "pwritev",
    "pwritev2", "lseek", "_llseek", "close", "close_range", "dup", "dup2", "dup3", "fsync",
    "fdatasync", "ftruncate", "ftruncate64", "fallocate", "fadvise64", "poll", "ppoll", "select",
    "pselect6", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd2", "pipe",
    "pipe2",
    /* what there is */
    "access", "faccessat", "faccessat2", "stat", "stat64", "lstat", "lstat64", "fstat", "fstat64",
    "fstatfs", "fstatat64", "newfstatat", "statx", "statfs", "readlink", "readlinkat", "getdents",
    "getdents64", "getcwd", "chdir", "fchdir", "umask", "uname", "sysinfo", "getrusage",
    "getrlimit", "ugetrlimit"};

/* Calls that no compiler and no driver needs. */
static const char *const refused[] = {
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
    "pidfd_send_signal", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
    /* the machine */
    "mount", "umount2", "umount", "pivot_root", "chroot", "unshare", "setns", "open_tree",
    "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "swapon", "swapoff",
    "reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
    "acct", "quotactl", "quotactl_fd", "nfsservctl", "settimeofday", "clock_settime", "stime",
    "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "iopl", "ioperm", "syslog",
    "vhangup", "bpf", "perf_event_open", "userfaultfd", "fanotify_init", "open_by_handle_at",
    "name_to_handle_at", "lookup_dcookie", "add_key", "request_key", "keyctl", "io_uring_setup",
    "io_uring_enter", "io_uring_register", "mknod", "mknodat", "chown", "fchown", "lchown",
    "fchownat", "chown32", "fchown32", "lchown32", "setxattr", "lsetxattr", "fsetxattr"};

int ht_filter_number(const char *name) {
    int number = seccomp_syscall_resolve_name(name);
    return number == __NR_SCMP_ERROR ? -1 : number;
}

bool ht_filter_knows(const struct seccomp_notif *call) {
    char *name = seccomp_syscall_resolve_num_arch(call->data.arch, call->data.nr);
    free(name);
    return name != NULL;
}

int ht_open_flags_changing(void) {
    return O_ACCMODE | O_CREAT | O_TRUNC | NEW_TMPFILE;
}

/* Adds a rule; a name that this architecture or library does not have needs none. */
static int rule(scmp_filter_ctx filter, uint32_t action, const char *name, unsigned count,
                const struct scmp_arg_cmp *conditions) {
    int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR)
        return 0;
    int code = seccomp_rule_add_array(filter, action, number, count, conditions);
    return code == -EDOM || code == -EEXIST || (code == -EINVAL && number < 0) ? 0 : code;
}

static int rules(scmp_filter_ctx filter, uint32_t action, const char *const *names, size_t count) {
    int code = 0;
    for (size_t i = 0; i < count && code == 0; ++i)
        code = rule(filter, action, names[i], 0, NULL);
    return code;
}

static int allow_when(scmp_filter_ctx filter, const char *name, struct scmp_arg_cmp condition) {
    return rule(filter, SCMP_ACT_ALLOW, name, 1, &condition);
}

static int allow_values(scmp_filter_ctx filter, const char *name, unsigned argument,
                        const uint32_t *values, size_t count) {
    int code = 0;
    for (size_t i = 0; i < count && code == 0; ++i)
        code = allow_when(filter, name, SCMP_CMP32(argument, SCMP_CMP_EQ, values[i]));
    return code;
}

#define VALUES(filter, name, argument, ...)                                                        \
    allow_values(filter, name, argument, (const uint32_t[]){__VA_ARGS__},                          \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Allows calls that are harmless with some arguments alone. Descriptors are inherited, so sockets
 * are those that the process was given. */
static int allow_some(scmp_filter_ctx filter, const ht_sandbox_plan *plan, int channel) {
    static const char *const talking[] = {"sendto",  "sendmsg",  "recvfrom",
                                          "recvmsg", "shutdown", "send"};
    uint32_t self = (uint32_t)getpid();
    int code = VALUES(filter, "fcntl", 1, F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL,
                      F_DUPFD_CLOEXEC, F_ADD_SEALS, F_GET_SEALS);
    /* TIOCSTI, which types into a terminal, works on one that is open for reading. */
    if (code == 0)
        code = VALUES(filter, "ioctl", 1, 0x5401 /* TCGETS */, FIONREAD, FIOCLEX, FIONCLEX,
                      TIOCGWINSZ, FIONBIO);
    if (code == 0)
        code = VALUES(filter, "prctl", 0, PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE,
                      PR_GET_NO_NEW_PRIVS, 0x53564d41 /* PR_SET_VMA */);
    if (code == 0)
        code = allow_when(filter, "prlimit64", SCMP_CMP(2, SCMP_CMP_EQ, 0));
    if (code == 0)
        code = VALUES(filter, "tgkill", 0, self);
    if (code == 0)
        code = VALUES(filter, "kill", 0, self);
    if (code == 0)
        code = VALUES(filter, "sched_setaffinity", 0, 0);
    for (size_t i = 0; i < COUNT(talking); ++i) {
        for (size_t k = 0; k < HT_SANDBOX_SOCKETS && code == 0; ++k)
            if (plan->sockets[k] >= 0)
                code = VALUES(filter, talking[i], 0, (uint32_t)plan->sockets[k]);
        if (code == 0 && channel >= 0)
            code = VALUES(filter, talking[i], 0, (uint32_t)channel);
    }
    return code;
}

/* Allows opening for reading, and makes libraries use the older `clone`, which shows its flags. */
static int allow_opening(scmp_filter_ctx filter) {
    uint64_t changing = (uint64_t)ht_open_flags_changing();
    int code = allow_when(filter, "open", SCMP_CMP(1, SCMP_CMP_MASKED_EQ, changing, 0));
    if (code == 0)
        code = allow_when(filter, "openat", SCMP_CMP(2, SCMP_CMP_MASKED_EQ, changing, 0));
    return code == 0 ? rule(filter, SCMP_ACT_ERRNO(ENOSYS), "clone3", 0, NULL) : code;
}

/* Allows what must pass without a guard to ask: threads, images in memory and the one folder. */
static int allow_unasked(scmp_filter_ctx filter) {
    static const char *const names[] = {"open", "openat", "creat", "memfd_create"};
    int code = allow_when(filter, "clone", SCMP_CMP(0, SCMP_CMP_MASKED_EQ, THREAD, THREAD));
    return code == 0 ? rules(filter, SCMP_ACT_ALLOW, names, COUNT(names)) : code;
}

static int fill_computing(scmp_filter_ctx filter, const ht_sandbox_plan *plan, bool notify,
                          int channel) {
    int code = rules(filter, SCMP_ACT_ALLOW, computing, COUNT(computing));
    if (code == 0)
        code = allow_some(filter, plan, channel);
    if (code == 0)
        code = allow_opening(filter);
    return code == 0 && !notify ? allow_unasked(filter) : code;
}

/* Refuses programs: a driver may look for helpers, and goes on without. */
static int refuse_programs(scmp_filter_ctx filter) {
    static const char *const starting[] = {"execve", "execveat", "fork", "vfork"};
    const struct scmp_arg_cmp process = SCMP_CMP(0, SCMP_CMP_MASKED_EQ, THREAD, 0);
    int code = rules(filter, SCMP_ACT_ERRNO(EPERM), starting, COUNT(starting));
    if (code == 0)
        code = rule(filter, SCMP_ACT_ERRNO(ENOSYS), "clone3", 0, NULL);
    return code == 0 ? rule(filter, SCMP_ACT_ERRNO(EPERM), "clone", 1, &process) : code;
}

/* Fills in the refused calls, among them all sockets but local ones, and those too but for a
 * driver: a compiler that asks for one (to look up a user) hears that there is none. Limits stay as
 * they are. */
static int fill_refused(scmp_filter_ctx filter, const ht_sandbox_plan *plan, uint32_t refusing) {
    enum { LAST_FAMILY = 46 };
    int code = rules(filter, refusing, refused, COUNT(refused));
    for (int family = 0; family < LAST_FAMILY && code == 0; ++family) {
        bool local = family == AF_UNIX || (family == AF_NETLINK && plan->devices);
        if (local && plan->devices)
            continue;
        struct scmp_arg_cmp is = SCMP_CMP32(0, SCMP_CMP_EQ, (unsigned)family);
        code = rule(filter, local ? SCMP_ACT_ERRNO(EACCES) : refusing, "socket", 1, &is);
    }
    struct scmp_arg_cmp changes = SCMP_CMP(2, SCMP_CMP_NE, 0);
    if (code == 0)
        code = rule(filter, SCMP_ACT_ERRNO(EPERM), "prlimit64", 1, &changes);
    if (code == 0)
        code = rule(filter, SCMP_ACT_ERRNO(EPERM), "setrlimit", 0, NULL);
    struct scmp_arg_cmp types = SCMP_CMP32(1, SCMP_CMP_EQ, 0x5412 /* TIOCSTI */);
    if (code == 0)
        code = rule(filter, refusing, "ioctl", 1, &types);
    return code == 0 && !plan->programs ? refuse_programs(filter) : code;
}

static int load(scmp_filter_ctx filter, const ht_sandbox_plan *plan, bool notify, int channel) {
    uint32_t refusing = notify ? SCMP_ACT_NOTIFY : SCMP_ACT_KILL_PROCESS;
    /* Neither 32-bit calls nor those of another table have numbers that mean what ours do. */
    seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    /* Calls are found by bisection, and speculation is as without a filter: times are measured. */
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
    bool strict = !plan->programs && !plan->devices;
    int code = strict ? fill_computing(filter, plan, notify, channel)
                      : fill_refused(filter, plan, refusing);
    return code == 0 ? seccomp_load(filter) : code;
}

ht_status ht_filter_load(const ht_sandbox_plan *plan, bool notify, int channel, int *out_listener,
                         ht_error *error) {
    bool strict = !plan->programs && !plan->devices;
    uint32_t action = !strict ? SCMP_ACT_ALLOW : notify ? SCMP_ACT_NOTIFY : SCMP_ACT_KILL_PROCESS;
    scmp_filter_ctx filter = seccomp_init(action);
    *out_listener = -1;
    int code = filter == NULL ? -ENOMEM : load(filter, plan, notify, channel);
    if (code == 0 && notify)
        *out_listener = dup(seccomp_notify_fd(filter));
    seccomp_release(filter);
    if (code != 0 || (notify && *out_listener < 0))
        return ht_error_set(error, HT_ERROR_INTERNAL, "seccomp: the filter is refused: %s",
                            strerror(code != 0 ? -code : errno));
    return HT_OK;
}
