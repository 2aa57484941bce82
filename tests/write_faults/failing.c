/* A library to be preloaded: lets one call that changes files fail, once.
 *
 * HT_FAULT_PROGRAM: the name of the program whose processes it works in; others are left alone.
 * HT_FAULT_STATE: a file that all processes map (failing.h): the call that is to fail, how many
 * there were, and a line about the one that failed. It is mapped before anything else runs, since a
 * worker in its sandbox may not open a file: one that tried would be ended for that, not for the
 * fault. */
#include "failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GLIBC_ERROR_SEEN = 0x20 }; /* _IO_ERR_SEEN, which no header has */

static failing_state *state;

static bool is_wanted_program(void) {
    char path[4096];
    const char *name = getenv("HT_FAULT_PROGRAM");
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0 || !name)
        return false;
    path[length] = 0;
    const char *slash = strrchr(path, '/');
    return slash && strcmp(slash + 1, name) == 0;
}

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("HT_FAULT_STATE");
    if (!path || !is_wanted_program())
        return;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0)
        return;
    void *place = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    state = place == MAP_FAILED ? NULL : place;
}

static void report(long number, const char *call, const char *what) {
    char line[4400];
    int length = snprintf(line, sizeof line, "%ld %s %s\n", number, call, what);
    size_t at = length > 0 ? atomic_fetch_add(&state->log_length, (size_t)length) : 0;
    if (length > 0 && at + (size_t)length < sizeof state->log)
        memcpy(state->log + at, line, (size_t)length);
}

/* Returns true for a repeated call: a parsed header is written in hundreds of pieces, and of those
 * in a row only the first few count. */
static bool is_repeated(const char *call, const char *what) {
    enum { ROW = 3 };
    static _Thread_local char last[4200];
    static _Thread_local int row;
    char now[4200];
    snprintf(now, sizeof now, "%s %s", call, what);
    row = strcmp(now, last) == 0 ? row + 1 : 0;
    memcpy(last, now, sizeof last);
    return row >= ROW && strcmp(call, "write") == 0;
}

/* Returns true for a call on the prelude, which is copied by one loop into twenty files of a
 * scratch folder, in each process that compiles: of each call in it the first few count. */
static bool is_prelude(const char *call, const char *what) {
    enum { FEW = 3, CALLS = 8 };
    static _Thread_local struct {
        const char *call;
        int count;
    } seen[CALLS];
    if (!strstr(what, "/hiptemper-host-") || !strstr(what, "/prelude"))
        return false;
    int i = 0;
    while (i < CALLS - 1 && seen[i].call && seen[i].call != call)
        ++i;
    seen[i].call = call;
    return ++seen[i].count > FEW;
}

/* Counts a call; true and errno when this one is to fail. */
static bool fails(const char *call, const char *what, int code) {
    if (!state || strncmp(what, "/proc/", 6) == 0 || is_repeated(call, what) ||
        is_prelude(call, what))
        return false;
    long number = atomic_fetch_add(&state->count, 1) + 1;
    long wanted = atomic_load(&state->wanted);
    if (wanted < 0) /* to see which calls there are */
        report(number, call, what);
    if (number != wanted)
        return false;
    report(number, call, what);
    errno = code;
    return true;
}

/* Returns the file a path names from the folder `at`; borrowed. Calls count by it. */
static const char *at_path(int at, const char *path, char *place, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = state && at >= 0 && *path != '/' ? readlink(link, place, size - 1) : 0;
    if (length <= 0)
        return path;
    snprintf(place + length, size - (size_t)length, "/%s", path);
    return place;
}

/* Returns false for pipes, sockets and terminals, which are not files that can be full, and for
 * /proc's. */
static bool is_file(int fd, char *name, size_t size) {
    char link[64];
    struct stat info;
    int code = errno;
    bool file = state && fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = file ? readlink(link, name, size - 1) : 0;
    name[length > 0 ? length : 0] = 0;
    errno = code;
    return file;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OF_DESCRIPTOR(type, name, parameters, arguments, code)                                     \
    type name parameters {                                                                         \
        char what[4096];                                                                           \
        if (is_file(fd, what, sizeof what) && fails(#name, what, code))                            \
            return -1;                                                                             \
        return REAL(name) arguments;                                                               \
    }

OF_DESCRIPTOR(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size), ENOSPC)
OF_DESCRIPTOR(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at),
              (fd, data, size, at), ENOSPC)
OF_DESCRIPTOR(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at),
              (fd, data, size, at), ENOSPC)
OF_DESCRIPTOR(int, fsync, (int fd), (fd), EIO)
OF_DESCRIPTOR(int, fdatasync, (int fd), (fd), EIO)
OF_DESCRIPTOR(int, ftruncate, (int fd, off_t size), (fd, size), EIO)
OF_DESCRIPTOR(int, ftruncate64, (int fd, off64_t size), (fd, size), EIO)
OF_DESCRIPTOR(int, fchmod, (int fd, mode_t mode), (fd, mode), EIO)

static bool writes(int flags) {
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/* The descriptor is gone, as POSIX leaves it. */
int close(int fd) {
    char what[4096];
    bool failing = state && writes(fcntl(fd, F_GETFL)) && is_file(fd, what, sizeof what) &&
                   fails("close", what, EIO);
    int result = REAL(close)(fd);
    if (failing)
        errno = EIO;
    return failing ? -1 : result;
}

#define OF_PATH(name, parameters, arguments, path, code)                                           \
    int name parameters {                                                                          \
        if (fails(#name, path, code))                                                              \
            return -1;                                                                             \
        return REAL(name) arguments;                                                               \
    }

OF_PATH(rename, (const char *from, const char *to), (from, to), to, EIO)
OF_PATH(unlink, (const char *path), (path), path, EIO)
OF_PATH(link, (const char *from, const char *to), (from, to), to, ENOSPC)

#define OF_PLACE(name, parameters, arguments, at, path, code)                                      \
    int name parameters {                                                                          \
        char place[4096];                                                                          \
        if (fails(#name, at_path(at, path, place, sizeof place), code))                            \
            return -1;                                                                             \
        return REAL(name) arguments;                                                               \
    }

OF_PLACE(renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), b, to, EIO)
OF_PLACE(unlinkat, (int at, const char *path, int flags), (at, path, flags), at, path, EIO)
OF_PLACE(linkat, (int a, const char *from, int b, const char *to, int flags),
         (a, from, b, to, flags), b, to, ENOSPC)

/* Where the folder exists the call writes nothing, and no disk can fail it. */
int mkdir(const char *path, mode_t mode) {
    struct stat info;
    int code = errno;
    bool writing = state && stat(path, &info) != 0;
    errno = code;
    return writing && fails("mkdir", path, ENOSPC) ? -1 : REAL(mkdir)(path, mode);
}

char *mkdtemp(char *path) {
    return fails("mkdtemp", path, ENOSPC) ? NULL : REAL(mkdtemp)(path);
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;                    \
        va_end(more);                                                                              \
        if (writes(flags) && strncmp(path, "/dev/", 5) != 0 && fails(#name, path, ENOSPC))         \
            return -1;                                                                             \
        return REAL(name)(path, flags, mode);                                                      \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                               \
    int name(int at, const char *path, int flags, ...) {                                           \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;                    \
        va_end(more);                                                                              \
        char place[4096];                                                                          \
        if (writes(flags) && fails(#name, at_path(at, path, place, sizeof place), ENOSPC))         \
            return -1;                                                                             \
        return REAL(name)(at, path, flags, mode);                                                  \
    }
OPENAT(openat)
OPENAT(openat64)

/* Inside of libc, streams do not call the functions above. */
#define FOPEN(name)                                                                                \
    FILE *name(const char *path, const char *mode) {                                               \
        if (strpbrk(mode, "wa+") && fails(#name, path, ENOSPC))                                    \
            return NULL;                                                                           \
        return REAL(name)(path, mode);                                                             \
    }
FOPEN(fopen)
FOPEN(fopen64)

int fclose(FILE *stream) {
    char what[4096];
    int fd = fileno(stream), code = errno;
    bool written = fd >= 0 && writes(fcntl(fd, F_GETFL)) && is_file(fd, what, sizeof what);
    bool failing = written && fails("fclose", what, ENOSPC);
    errno = code;
    int result = REAL(fclose)(stream);
    if (failing)
        errno = ENOSPC;
    return failing ? EOF : result;
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *stream) {
    char what[4096];
    int fd = state ? fileno(stream) : -1;
    if (fd >= 0 && is_file(fd, what, sizeof what) && fails("fwrite", what, ENOSPC)) {
        stream->_flags |= GLIBC_ERROR_SEEN; /* what ferror() finds */
        return 0;
    }
    return REAL(fwrite)(data, size, count, stream);
}
