/* The subject of a refused system call, in words for people. */
#include "runtime/sandbox/sandbox_internal.h"

#include "base/text.h"

#include <limits.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE = -1 };

/* Calls of one kind; `path` is the argument that names a file, if one does. */
typedef struct kind {
    const char *name;
    int path;
    const char *words;
} kind;

static const char PROGRAM[] = "tried to start a program", PROCESS[] = "tried to start a process",
                  FILES[] = "tried to change files", WRITING[] = "tried to open a file for writing",
                  NETWORK[] = "tried to use the network",
                  OTHERS[] = "tried to reach another process", LIMITS[] = "tried to change a limit",
                  MACHINE[] = "tried to change the machine";

static const kind kinds[] = {{"execve", 0, PROGRAM},
                             {"execveat", 1, PROGRAM},
                             {"fork", NONE, PROCESS},
                             {"vfork", NONE, PROCESS},
                             {"clone", NONE, PROCESS},
                             {"open", 0, WRITING},
                             {"creat", 0, WRITING},
                             {"openat", 1, WRITING},
                             {"openat2", 1, WRITING},
                             {"unlink", 0, FILES},
                             {"unlinkat", 1, FILES},
                             {"rename", 0, FILES},
                             {"renameat", 1, FILES},
                             {"renameat2", 1, FILES},
                             {"link", 0, FILES},
                             {"linkat", 1, FILES},
                             {"symlink", 1, FILES},
                             {"symlinkat", 2, FILES},
                             {"mkdir", 0, FILES},
                             {"mkdirat", 1, FILES},
                             {"rmdir", 0, FILES},
                             {"mknod", 0, FILES},
                             {"mknodat", 1, FILES},
                             {"truncate", 0, FILES},
                             {"chmod", 0, FILES},
                             {"fchmod", NONE, FILES},
                             {"fchmodat", 1, FILES},
                             {"chown", 0, FILES},
                             {"lchown", 0, FILES},
                             {"fchown", NONE, FILES},
                             {"fchownat", 1, FILES},
                             {"utime", 0, FILES},
                             {"utimes", 0, FILES},
                             {"utimensat", 1, FILES},
                             {"futimesat", 1, FILES},
                             {"setxattr", 0, FILES},
                             {"lsetxattr", 0, FILES},
                             {"fsetxattr", NONE, FILES},
                             {"removexattr", 0, FILES},
                             {"socket", NONE, NETWORK},
                             {"socketpair", NONE, NETWORK},
                             {"connect", NONE, NETWORK},
                             {"bind", NONE, NETWORK},
                             {"listen", NONE, NETWORK},
                             {"accept", NONE, NETWORK},
                             {"accept4", NONE, NETWORK},
                             {"sendto", NONE, NETWORK},
                             {"sendmsg", NONE, NETWORK},
                             {"ptrace", NONE, OTHERS},
                             {"kill", NONE, OTHERS},
                             {"tkill", NONE, OTHERS},
                             {"tgkill", NONE, OTHERS},
                             {"pidfd_open", NONE, OTHERS},
                             {"pidfd_getfd", NONE, OTHERS},
                             {"rt_sigqueueinfo", NONE, OTHERS},
                             {"pidfd_send_signal", NONE, OTHERS},
                             {"process_vm_readv", NONE, OTHERS},
                             {"process_vm_writev", NONE, OTHERS},
                             {"setrlimit", NONE, LIMITS},
                             {"prlimit64", NONE, LIMITS},
                             {"setpriority", NONE, LIMITS},
                             {"sched_setaffinity", NONE, LIMITS},
                             {"sched_setscheduler", NONE, LIMITS},
                             {"mount", 1, MACHINE},
                             {"umount2", 0, MACHINE},
                             {"chroot", 0, MACHINE},
                             {"unshare", NONE, MACHINE},
                             {"setns", NONE, MACHINE},
                             {"reboot", NONE, MACHINE},
                             {"sethostname", NONE, MACHINE},
                             {"settimeofday", NONE, MACHINE},
                             {"clock_settime", NONE, MACHINE}};

static const kind *kind_of(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* Reads to the end of its page, then the next: the string may end where the memory does. */
static ssize_t read_memory(int pid, uint64_t address, char *out, size_t size) {
    enum { PAGE = 4096 };
    size_t first = PAGE - address % PAGE, second = 0;
    first = first < size ? first : size;
    second = size - first;
    struct iovec local = {out, first}, remote = {(void *)(uintptr_t)address, first}; // NOLINT
    ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    if (got < (ssize_t)first || second == 0)
        return got;
    local = (struct iovec){out + first, second};
    remote = (struct iovec){(void *)(uintptr_t)(address + first), second}; // NOLINT
    ssize_t more = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    return more > 0 ? got + more : got;
}

bool ht_sandbox_peek(int pid, uint64_t address, char *out, size_t size) {
    ssize_t got = read_memory(pid, address, out, size - 1);
    out[got > 0 ? got : 0] = '\0';
    ht_text_make_printable(out, "", true);
    return got > 0;
}

void ht_sandbox_describe(const struct seccomp_notif *call, char *out, size_t size) {
    char whole[PATH_MAX], path[HT_SANDBOX_PATH];
    char *name = seccomp_syscall_resolve_num_arch(call->data.arch, call->data.nr);
    const kind *kind = name != NULL ? kind_of(name) : NULL;
    if (name == NULL)
        snprintf(out, size, "made system call %d, which is refused", call->data.nr);
    else if (kind == NULL)
        snprintf(out, size, "made a system call that is refused (%s)", name);
    else if (kind->path != NONE &&
             ht_sandbox_peek((int)call->pid, call->data.args[kind->path], whole, sizeof whole)) {
        ht_text_shorten(whole, path, sizeof path);
        snprintf(out, size, "%s (%s of '%s')", kind->words, name, path);
    } else
        snprintf(out, size, "%s (%s)", kind->words, name);
    free(name);
}
