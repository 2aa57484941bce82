#include "runtime/sandbox/sandbox.h"

#include "base/sanitizer.h"
#include "runtime/sandbox/sandbox_internal.h"
#include "runtime/sandbox/sandbox_warden.h"

#include <dirent.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static ht_sandbox_mode chosen;

static const char *const names[] = {"auto", "on", "off"};

void ht_sandbox_choose(ht_sandbox_mode mode) {
    chosen = mode;
}

ht_sandbox_mode ht_sandbox_chosen(void) {
    return chosen;
}

const char *ht_sandbox_mode_name(ht_sandbox_mode mode) {
    return names[mode];
}

bool ht_sandbox_mode_parse(const char *text, ht_sandbox_mode *out_mode) {
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (text != NULL && strcmp(text, names[i]) == 0) {
            *out_mode = (ht_sandbox_mode)i;
            return true;
        }
    return false;
}

static bool has_action(uint32_t action) {
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

ht_sandbox_support ht_sandbox_probe(void) {
    ht_sandbox_support support = {.landlock = ht_landlock_version()};
    support.seccomp = has_action(SECCOMP_RET_KILL_PROCESS) && has_action(SECCOMP_RET_ERRNO);
    support.notify = support.seccomp && has_action(SECCOMP_RET_USER_NOTIF);
    return support;
}

bool ht_sandbox_complete(const ht_sandbox_support *support) {
    return support->landlock > 0 && support->seccomp && support->notify;
}

ht_status ht_sandbox_require(ht_sandbox_mode mode, ht_error *error) {
    ht_sandbox_support support = ht_sandbox_probe();
    if (mode != HT_SANDBOX_ON || ht_sandbox_complete(&support))
        return HT_OK;
    return ht_error_set(error, HT_ERROR_MISSING,
                        "the sandbox is not complete: this machine's kernel has no %s; use a newer "
                        "kernel (or a container that allows it), or --sandbox auto to run with "
                        "what there is",
                        support.landlock == 0 ? "Landlock"
                        : !support.seccomp    ? "seccomp filters"
                                              : "seccomp notifications");
}

/* Drops all that root may do and others may not, except to read and search: its owner's folders may
 * be closed to all others. */
static void drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, data) != 0)
        return;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    const uint32_t kept = 1u << CAP_DAC_READ_SEARCH;
    for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; ++i) {
        data[i].permitted &= i == 0 ? kept : 0;
        data[i].effective &= i == 0 ? kept : 0;
        data[i].inheritable = 0;
    }
    syscall(SYS_capset, &header, data);
}

static void lower(int resource, rlim_t most) {
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0)
        return;
    limit.rlim_max = limit.rlim_max < most ? limit.rlim_max : most;
    limit.rlim_cur = limit.rlim_cur < most ? limit.rlim_cur : most;
    setrlimit((__rlimit_resource_t)resource, &limit);
}

/* Lowers limits. A process that runs kernels opens few files; what it may map is limited already
 * (worker.c). */
static void lower_limits(const ht_sandbox_plan *plan) {
    enum { FILES = 512 };
    lower(RLIMIT_NOFILE, FILES);
    if (plan->memory > 0)
        lower(RLIMIT_FSIZE, plan->memory);
    lower(RLIMIT_MSGQUEUE, 0);
}

bool ht_sandbox_blamed(const char *reason) {
    return strstr(reason, "sandbox: ") != NULL ||
           strstr(reason, "that the sandbox refuses") != NULL;
}

void ht_sandbox_close_from(int first, int spared) {
#ifdef SYS_close_range
    unsigned low = (unsigned)first, gap = (unsigned)spared;
    if (spared < first) {
        if (syscall(SYS_close_range, low, ~0u, 0) == 0)
            return;
    } else if ((gap == low || syscall(SYS_close_range, low, gap - 1, 0) == 0) &&
               syscall(SYS_close_range, gap + 1, ~0u, 0) == 0) {
        return;
    }
#endif
    DIR *directory = opendir("/proc/self/fd");
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        int fd = atoi(entry->d_name);
        if (fd >= first && fd != spared && fd != dirfd(directory))
            close(fd);
    }
    if (directory != NULL)
        closedir(directory);
}

ht_status ht_sandbox_enter(const ht_sandbox_plan *plan, ht_error *error) {
    if (plan->mode == HT_SANDBOX_OFF)
        return HT_OK;
    ht_sandbox_support support = ht_sandbox_probe();
    ht_status status = ht_sandbox_require(plan->mode, error);
    if (status != HT_OK)
        return status;
    bool strict = !plan->programs && !plan->devices;
    if (strict)
        lower_limits(plan);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return ht_error_set(error, HT_ERROR_MISSING,
                            "the kernel refuses to give up new privileges: %s", strerror(errno));
    if (support.landlock > 0)
        status = ht_landlock_enter(plan, support.landlock, error);
    if (status == HT_OK && strict)
        drop_capabilities();
    if (status != HT_OK || !support.seccomp)
        return status;
    int listener = -1, channel = plan->alone ? -1 : ht_warden_channel();
    status = ht_filter_load(plan, support.notify && channel >= 0, channel, &listener, error);
    return status == HT_OK && listener >= 0 ? ht_warden_hand_over(plan, listener, error) : status;
}
