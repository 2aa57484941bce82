#include "runtime/host/toolchain.h"

#include "base/memory.h"
#include "base/sanitizer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Full path of an executable; a name with a slash is taken as it is. NULL when there is none.
 * free(). */
static char *find_program(const char *name) {
    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? ht_strdup(name) : NULL;
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        char *candidate = ht_format("%.*s/%s", (int)length, at, name);
        if (length && access(candidate, X_OK) == 0)
            return candidate;
        free(candidate);
        at += length + (at[length] == ':');
    }
    return NULL;
}

static void child(const char *const *arguments, int output, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0)
        dup2(nothing, 0);
    dup2(output, 1);
    dup2(output, 2);
    execv(arguments[0], (char *const *)arguments);
    dprintf(2, "cannot run %s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

void (*ht_toolchain_killed)(int signal);

int ht_toolchain_run(const char *const *arguments, ht_text *log) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ht_text_printf(log, "cannot make a pipe: %s\n", strerror(errno));
        return -1;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0)
        child(arguments, ends[1], parent);
    int code = errno;
    close(ends[1]);
    if (pid < 0) {
        ht_text_printf(log, "cannot start %s: %s\n", arguments[0], strerror(code));
        close(ends[0]);
        return -1;
    }
    char buffer[4096];
    for (;;) {
        ssize_t got = read(ends[0], buffer, sizeof buffer);
        if (got > 0)
            ht_text_append_n(log, buffer, (size_t)got);
        else if (got == 0 || errno != EINTR)
            break;
    }
    close(ends[0]);
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    int signal = WTERMSIG(status);
    if (ht_toolchain_killed && (signal == SIGKILL || signal == SIGTERM))
        ht_toolchain_killed(signal);
    return 128 + signal;
}

/* "clang 19.1.7" from "Debian clang version 19.1.7 (3~deb12u1)". NULL when it is not clang. free().
 * Somebody who kills this says nothing of the compiler, so it is asked again. */
static char *read_version(const char *clang) {
    enum { TRIES = 5 };
    ht_text text = {0};
    const char *arguments[] = {clang, "--version", NULL};
    char *version = NULL;
    int code = 128 + SIGKILL;
    for (int i = 0; i < TRIES && code == 128 + SIGKILL; ++i)
        code = ht_toolchain_run(arguments, &text);
    if (code == 0 && text.data) {
        const char *at = strstr(text.data, "clang version ");
        if (at) {
            at += strlen("clang version ");
            version = ht_format("clang %.*s", (int)strcspn(at, " \n"), at);
        }
    }
    ht_text_free(&text);
    return version;
}

static ht_status search(ht_toolchain *found, ht_error *error) {
    const char *wanted = getenv("HIPTEMPER_CLANG");
    char *clang = NULL;
    if (wanted && *wanted) {
        clang = find_program(wanted);
        if (!clang)
            return ht_error_set(error, HT_ERROR_MISSING,
                                "HIPTEMPER_CLANG names %s, which cannot be run", wanted);
    } else {
        clang = find_program("clang++-19");
        if (!clang)
            clang = find_program("clang++");
    }
    if (!clang)
        return ht_error_set(error, HT_ERROR_MISSING,
                            "the host provider needs clang++: install the Debian package clang-19, "
                            "or set HIPTEMPER_CLANG to a clang++");
    char *assembler = find_program("as");
    char *linker = find_program("ld");
    char *version = assembler && linker ? read_version(clang) : NULL;
    if (version) {
        *found = (ht_toolchain){clang, assembler, linker, version, find_program("addr2line")};
        return HT_OK;
    }
    ht_status status =
        assembler && linker
            ? ht_error_set(error, HT_ERROR_MISSING,
                           "%s is not a working clang: install the Debian package clang-19, or set "
                           "HIPTEMPER_CLANG",
                           clang)
            : ht_error_set(
                  error, HT_ERROR_MISSING,
                  "the host provider needs as and ld: install the Debian package binutils");
    free(clang);
    free(assembler);
    free(linker);
    return status;
}

ht_status ht_toolchain_find(const ht_toolchain **out_toolchain, ht_error *error) {
    static ht_toolchain toolchain;
    ht_status status = HT_OK;
    pthread_mutex_lock(&lock);
    if (!toolchain.clang)
        status = search(&toolchain, error);
    pthread_mutex_unlock(&lock);
    *out_toolchain = &toolchain;
    return status;
}

#if HT_ADDRESS_SANITIZED
/* Two of them do not live in one process. */
const char *ht_toolchain_sanitizer(void) {
    return NULL;
}
#else
static char *sanitizer_path;

/* Clang answers with the bare name when there is no such file. */
static void find_sanitizer(void) {
    const ht_toolchain *toolchain;
    ht_text text = {0};
    if (ht_toolchain_find(&toolchain, NULL) != HT_OK)
        return;
    const char *arguments[] = {toolchain->clang, "-print-file-name=libclang_rt.asan-x86_64.so",
                               NULL};
    if (ht_toolchain_run(arguments, &text) == 0 && text.data && text.data[0] == '/') {
        text.data[strcspn(text.data, "\n")] = 0;
        if (access(text.data, R_OK) == 0)
            sanitizer_path = ht_strdup(text.data);
    }
    ht_text_free(&text);
}

const char *ht_toolchain_sanitizer(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_sanitizer);
    return sanitizer_path;
}
#endif
