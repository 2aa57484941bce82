/* Replacing a file's content at once: a fresh file in the same folder, renamed. */
#include "base/file_write.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

enum { TRIES = 8, NAME_SIZE = 96 };

/* Independent of the target's name, which may be as long as names can be. */
static const char fresh_prefix[] = ".hiptemper-";

/* A fresh file that waits to be renamed. */
typedef struct staged {
    char *target;          /* what is replaced, through symbolic links; owned */
    const char *name;      /* its last part */
    int folder;            /* with it; -1: none */
    struct stat before;    /* of the file that is replaced */
    bool exists;           /* there is one */
    char fresh[NAME_SIZE]; /* "": none */
    char kept[NAME_SIZE];  /* a second name of the file that is replaced; "": none */
    bool renamed;
} staged;

static bool write_all(int fd, const char *data, size_t length) {
    while (length > 0) {
        ssize_t put = write(fd, data, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put == 0)
            errno = EIO;
        if (put <= 0)
            return false;
        data += put;
        length -= (size_t)put;
    }
    return true;
}

/* Some file systems cannot sync; nothing is to be gained by failing there. */
static bool sync_done(int fd) {
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EBADF;
}

static bool owner_is_dead(const char *name) {
    char *end = NULL;
    if (strncmp(name, fresh_prefix, sizeof fresh_prefix - 1) != 0)
        return false;
    long pid = strtol(name + sizeof fresh_prefix - 1, &end, 10);
    return pid > 0 && end && *end == '-' && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* Returns true if nobody holds the lock, which distinguishes a writer on another machine, or in
 * another container, from a dead one. */
static bool is_abandoned(int folder, const char *name) {
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool abandoned = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
                     info.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return abandoned;
}

/* Removes fresh files whose writers died before they could rename or remove them. */
static void sweep(const char *folder) {
    DIR *directory = opendir(folder);
    int place = directory ? dirfd(directory) : -1;
    for (struct dirent *entry; place >= 0 && (entry = readdir(directory));)
        if (owner_is_dead(entry->d_name) && is_abandoned(place, entry->d_name))
            unlinkat(place, entry->d_name, 0);
    if (directory)
        closedir(directory);
}

char *ht_path_target(const char *path) {
    enum { LINKS_MAX = 40 };
    char *at = ht_strdup(path);
    char link[4097];
    for (int i = 0; i < LINKS_MAX; ++i) {
        ssize_t length = readlink(at, link, sizeof link - 1);
        if (length < 0)
            return at;
        link[length] = 0;
        char *folder = ht_path_folder(at);
        char *next = ht_path_join(folder, link);
        free(folder);
        free(at);
        at = next;
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

/* Gives the new file the old one's rights, but for the group's when it cannot have that group. */
static bool rights_keep(int fd, const struct stat *before) {
    struct stat now;
    if (fstat(fd, &now) != 0)
        return false;
    mode_t mode = before->st_mode & 07777;
    if (now.st_gid != before->st_gid && fchown(fd, (uid_t)-1, before->st_gid) != 0)
        mode &= ~(mode_t)(S_IRWXG | S_ISGID);
    if (now.st_uid != before->st_uid && fchown(fd, before->st_uid, (gid_t)-1) != 0)
        mode &= ~(mode_t)S_ISUID;
    return fchmod(fd, mode) == 0;
}

/* Draws a name that nobody else can have known. */
static bool fresh_name(char *name) {
    uint64_t bits[2];
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return false;
    snprintf(name, NAME_SIZE, "%s%ld-%016" PRIx64 "%016" PRIx64, fresh_prefix, (long)getpid(),
             bits[0], bits[1]);
    return true;
}

/* Returns -1, with errno set, when no fresh file could be made. */
static int fresh_open(staged *at) {
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; ++i) {
        if (!fresh_name(at->fresh))
            break;
        fd = openat(at->folder, at->fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    at->exists ? 0600 : 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        at->fresh[0] = 0;
    else
        (void)flock(fd, LOCK_EX | LOCK_NB); /* where there are no locks, the process id must do */
    return fd;
}

static bool fresh_fill(staged *at, const void *data, size_t length, bool synced) {
    int fd = fresh_open(at);
    if (fd < 0)
        return false;
    bool good = write_all(fd, data, length) && (!at->exists || rights_keep(fd, &at->before)) &&
                (!synced || sync_done(fd));
    int code = errno;
    if (close(fd) != 0 && good && errno != EINTR) {
        good = false;
        code = errno;
    }
    errno = code;
    return good;
}

/* A folder that may be searched and written to, but not read, cannot be synced. */
static int folder_open(const char *folder) {
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 && errno == EACCES ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : fd;
}

/* Does everything but the renaming. Leaves errno. */
static bool stage(staged *at, const char *path, const void *data, size_t length, bool synced) {
    *at = (staged){.target = ht_path_target(path), .folder = -1};
    if (!at->target)
        return false;
    at->name = ht_path_name(at->target);
    if (!*at->name) {
        errno = EISDIR;
        return false;
    }
    char *folder = ht_path_folder(at->target);
    if (synced) /* scratch folders go as a whole */
        sweep(folder);
    at->folder = folder_open(folder);
    free(folder);
    if (at->folder < 0)
        return false;
    at->exists = fstatat(at->folder, at->name, &at->before, AT_SYMLINK_NOFOLLOW) == 0;
    if (at->exists && faccessat(at->folder, at->name, W_OK, AT_EACCESS) != 0)
        return false;
    return fresh_fill(at, data, length, synced);
}

static bool commit(staged *at, bool synced) {
    if (renameat(at->folder, at->fresh, at->folder, at->name) != 0)
        return false;
    at->renamed = true;
    return !synced || sync_done(at->folder);
}

/* Leaves errno as it was. */
static void staged_end(staged *at) {
    int code = errno;
    if (at->fresh[0] && !at->renamed)
        unlinkat(at->folder, at->fresh, 0);
    if (at->kept[0])
        unlinkat(at->folder, at->kept, 0);
    if (at->folder >= 0)
        close(at->folder);
    free(at->target);
    errno = code;
}

/* Keeps the old file under a second name, so that the first of several can be taken back; file
 * systems without hard links do without. */
static void keep(staged *at) {
    if (at->exists && fresh_name(at->kept) &&
        linkat(at->folder, at->name, at->folder, at->kept, 0) != 0)
        at->kept[0] = 0;
}

static void take_back(staged *at) {
    int code = errno;
    if (at->renamed && at->kept[0] && renameat(at->folder, at->kept, at->folder, at->name) == 0)
        at->kept[0] = 0;
    else if (at->renamed && !at->exists)
        unlinkat(at->folder, at->name, 0);
    errno = code;
}

static ht_status failure(const char *path, ht_error *error) {
    return ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "cannot write: %s", strerror(errno));
}

/* Writes to a device or a pipe in place: it has no content to keep. A file that standard output
 * already goes to must not be replaced under it. */
static bool stream_write(const char *path, const void *data, size_t length, const struct stat *is) {
    fflush(stdout);
    int fd =
        S_ISREG(is->st_mode) ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    bool good = fd >= 0 && write_all(fd, data, length);
    int code = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        good = false;
        code = errno;
    }
    errno = code;
    return good;
}

static bool is_stream(const struct stat *info) {
    struct stat out;
    return !S_ISREG(info->st_mode) || (fstat(STDOUT_FILENO, &out) == 0 &&
                                       out.st_dev == info->st_dev && out.st_ino == info->st_ino);
}

ht_status ht_file_replace(const char *path, const void *data, size_t length, bool synced,
                          ht_error *error) {
    struct stat info;
    bool good = false;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
    } else if (stat(path, &info) == 0 && is_stream(&info)) {
        good = stream_write(path, data, length, &info);
    } else {
        staged at;
        good = stage(&at, path, data, length, synced) && commit(&at, synced);
        staged_end(&at);
    }
    return good ? HT_OK : failure(path, error);
}

ht_status ht_files_replace(const ht_file_content *files, size_t count, ht_error *error) {
    staged *all = ht_alloc(count + 1, sizeof *all);
    size_t begun = 0, failed = SIZE_MAX;
    while (begun < count && failed == SIZE_MAX) {
        const ht_file_content *file = &files[begun];
        if (!stage(&all[begun], file->path, file->data, file->length, true))
            failed = begun;
        ++begun;
    }
    for (size_t i = 0; i < count && count > 1 && failed == SIZE_MAX; ++i)
        keep(&all[i]);
    for (size_t i = 0; i < count && failed == SIZE_MAX; ++i)
        if (!commit(&all[i], true))
            failed = i;
    for (size_t i = count; i-- > 0 && failed != SIZE_MAX;)
        take_back(&all[i]);
    for (size_t i = 0; i < begun; ++i)
        staged_end(&all[i]);
    free(all);
    return failed == SIZE_MAX ? HT_OK : failure(files[failed].path, error);
}

ht_status ht_file_write(const char *path, const void *data, size_t length, ht_error *error) {
    ht_error own = {0};
    ht_status status = ht_file_replace(path, data, length, false, &own);
    if (status == HT_OK)
        return HT_OK;
    return ht_error_set_at(error, status, path, 0, 0,
                           "%s; free space there, or set TMPDIR to a folder that has some",
                           own.message);
}
