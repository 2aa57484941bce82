/* A library to be preloaded: lets one call that changes files fail, once.
 *
 * HT_FAULT_PROGRAM: the name of the program whose processes it works in; others are left alone.
 * HT_FAULT_STATE: a file with two numbers, shared by all processes: which call is to fail (from 1;
 * 0: none) and how many there were. HT_FAULT_LOG: a file for a line about the call that failed. */
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

static struct {
    _Atomic long wanted, count;
} *state;

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
    const char *log = getenv("HT_FAULT_LOG");
    int length = snprintf(line, sizeof line, "%ld %s %s\n", number, call, what);
    int fd = log ? (int)syscall(SYS_openat, AT_FDCWD, log,
                                O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                 : -1;
    if (fd < 0)
        return;
    syscall(SYS_write, fd, line, (size_t)length);
    syscall(SYS_close, fd);
}

/* A parsed header is written in hundreds of pieces: of those in a row only the first few count. */
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

/* Counts; true and errno when this one is to fail. */
static bool fails(const char *call, const char *what, int code) {
    if (!state || is_repeated(call, what))
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

/* Pipes, sockets and terminals are no files that can be full. */
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
OF_PATH(renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), to, EIO)
OF_PATH(mkdir, (const char *path, mode_t mode), (path, mode), path, ENOSPC)
OF_PATH(unlink, (const char *path), (path), path, EIO)
OF_PATH(unlinkat, (int at, const char *path, int flags), (at, path, flags), path, EIO)
OF_PATH(link, (const char *from, const char *to), (from, to), to, ENOSPC)
OF_PATH(linkat, (int a, const char *from, int b, const char *to, int flags),
        (a, from, b, to, flags), to, ENOSPC)

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
        if (writes(flags) && fails(#name, path, ENOSPC))                                           \
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
    if (fd >= 0 && is_file(fd, what, sizeof what) && fails("fwrite", what, ENOSPC))
        return 0;
    return REAL(fwrite)(data, size, count, stream);
}
