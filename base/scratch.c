#include "base/scratch.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char prefix[] = "hiptemper-";

/* Between its making and its locking a folder has only its name to say whose it is. */
enum { UNLOCKED_SECONDS = 60, SUFFIX = 6 };

/* Makes the lock file appear already locked, so that nobody finds it free too early. */
static int hold(const char *folder) {
    char *fresh = ht_path_join(folder, "lock.new"), *path = ht_path_join(folder, "lock");
    int fd = open(fresh, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) != 0 || rename(fresh, path) != 0)) {
        close(fd);
        fd = -1;
    }
    free(path);
    free(fresh);
    return fd;
}

/* Returns the number in "hiptemper-STEM-PID-XXXXXX"; 0 when the name is not of this form. */
static pid_t owner_of(const char *name) {
    size_t length = strlen(name);
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 || length < sizeof prefix + SUFFIX + 2 ||
        name[length - SUFFIX - 1] != '-')
        return 0;
    size_t end = length - SUFFIX - 1, begin = end;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9')
        --begin;
    if (begin == end || begin == 0 || name[begin - 1] != '-')
        return 0;
    return (pid_t)strtol(name + begin, NULL, 10);
}

static bool is_dead(pid_t pid) {
    return pid > 0 && kill(pid, 0) != 0 && errno == ESRCH;
}

/* Returns true if nobody holds this folder. A lock decides; without one, a dead owner and some age
 * do. */
static bool is_stale(const char *folder, pid_t owner) {
    char *path = ht_path_join(folder, "lock");
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    free(path);
    if (fd >= 0) {
        bool free_lock = flock(fd, LOCK_EX | LOCK_NB) == 0;
        close(fd);
        return free_lock;
    }
    struct stat info;
    return errno == ENOENT && is_dead(owner) && stat(folder, &info) == 0 &&
           time(NULL) - info.st_mtime > UNLOCKED_SECONDS;
}

static bool is_own_folder(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

unsigned ht_scratch_sweep(const char *root) {
    return ht_scratch_sweep_of(root, 0);
}

unsigned ht_scratch_sweep_of(const char *root, pid_t pid) {
    unsigned removed = 0;
    DIR *directory = opendir(root);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        pid_t owner = owner_of(entry->d_name);
        if (owner == 0)
            continue;
        char *path = ht_path_join(root, entry->d_name);
        if (is_own_folder(path) && (owner == pid || is_stale(path, owner))) {
            ht_dir_remove(path);
            ++removed;
        }
        free(path);
    }
    if (directory != NULL)
        closedir(directory);
    return removed;
}

ht_status ht_scratch_make(const char *stem, ht_scratch *out_scratch, ht_error *error) {
    *out_scratch = (ht_scratch){.lock = -1};
    ht_status status = ht_dir_temporary(stem, &out_scratch->path, error);
    if (status != HT_OK)
        return status;
    out_scratch->lock = hold(out_scratch->path);
    if (out_scratch->lock < 0) {
        status =
            ht_error_set_at(error, HT_ERROR_IO, out_scratch->path, 0, 0,
                            "cannot lock the temporary folder: %s; set TMPDIR to a folder on a "
                            "local disk with room",
                            strerror(errno));
        ht_scratch_remove(out_scratch);
        return status;
    }
    char *root = ht_path_folder(out_scratch->path);
    ht_scratch_sweep(root);
    free(root);
    return HT_OK;
}

void ht_scratch_remove(ht_scratch *scratch) {
    if (scratch->path == NULL)
        return;
    ht_dir_remove(scratch->path);
    if (scratch->lock >= 0)
        close(scratch->lock);
    free(scratch->path);
    *scratch = (ht_scratch){.lock = -1};
}

ht_status ht_scratch_check(const char *folder, ht_error *error) {
    enum { SIZE = 1 << 20 };
    const char *root = getenv("TMPDIR");
    const char *at = folder ? folder : root && *root ? root : "/tmp";
    char *name = ht_format("hiptemper-room-%ld", (long)getpid());
    char *path = ht_path_join(at, name), *data = ht_alloc(SIZE, 1);
    ht_error own;
    ht_status status = ht_file_write(path, data, SIZE, &own);
    unlink(path);
    free(data);
    free(path);
    free(name);
    return status == HT_OK ? HT_OK : ht_error_set_at(error, status, at, 0, 0, "%s", own.message);
}
