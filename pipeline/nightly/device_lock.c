#include "pipeline/nightly/device_lock.h"

#include "base/clock.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the number that Slurm has for a GPU of this task's, which the task itself counts from 0:
 * tasks of one machine do not wait for each other's. The name as it is: not under Slurm. free(). */
static char *lock_name(const char *device) {
    const char *list = getenv("SLURM_JOB_GPUS"), *colon = strchr(device, ':');
    size_t index = colon && isdigit((unsigned char)colon[1]) ? strtoul(colon + 1, NULL, 10) : 0;
    bool gpu = strncmp(device, "amd:", 4) == 0 || strncmp(device, "nvidia:", 7) == 0;
    for (; list && index > 0; --index) {
        list = strchr(list, ',');
        list = list ? list + 1 : NULL;
    }
    if (!gpu || !list || !isdigit((unsigned char)*list))
        return ht_strdup(device);
    return ht_format("%.*s%.*s", (int)(colon - device) + 1, device, (int)strcspn(list, ","), list);
}

static char *lock_path(const char *device) {
    const char *own = getenv("HIPTEMPER_LOCKS");
    const char *folder = own && *own                             ? own
                         : access("/run/lock", W_OK | X_OK) == 0 ? "/run/lock"
                                                                 : "/tmp";
    char *name = lock_name(device), *path = ht_format("%s/hiptemper-%s.lock", folder, name);
    free(name);
    for (char *at = path + strlen(folder) + 1; *at; ++at)
        if (!isalnum((unsigned char)*at) && !strchr("-._", *at))
            *at = '-';
    return path;
}

/* Opens the file for all users; first without O_CREAT, which a sticky folder refuses for files of
 * others. */
static int file_open(const char *path) {
    enum { FLAGS = O_RDWR | O_CLOEXEC | O_NOFOLLOW };
    int file = open(path, FLAGS);
    if (file < 0 && errno == ENOENT)
        file = open(path, FLAGS | O_CREAT, 0666);
    if (file >= 0)
        (void)!fchmod(file, 0666); /* whatever the umask; fails for a file of another user's */
    return file;
}

static bool is_over(double by, const volatile int *stopped) {
    return ht_clock_seconds() >= by || (stopped && *stopped);
}

ht_status ht_device_lock_take(const char *device, double by, const volatile int *stopped,
                              void (*waiting)(void *context, long process), void *context,
                              ht_device_lock *out_lock, ht_error *error) {
    enum { STEP_US = 20000 };
    char *path = lock_path(device);
    ht_status status = HT_OK;
    bool said = false;
    *out_lock = (ht_device_lock){.file = file_open(path)};
    if (out_lock->file < 0)
        status = ht_error_set_at(error, HT_ERROR_IO, path, 0, 0,
                                 "the lock of device %s cannot be opened: %s; name a folder that "
                                 "can be written with $HIPTEMPER_LOCKS",
                                 device, strerror(errno));
    while (status == HT_OK) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        if (fcntl(out_lock->file, F_SETLK, &lock) == 0)
            break;
        struct flock holder = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        if (!said && fcntl(out_lock->file, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK) {
            said = true;
            waiting(context, (long)holder.l_pid);
        }
        if (is_over(by, stopped))
            status =
                ht_error_set(error, HT_ERROR_TIMEOUT,
                             "device %s was in use by another job until the time was up", device);
        usleep(STEP_US);
    }
    if (status != HT_OK)
        ht_device_lock_release(out_lock);
    free(path);
    return status;
}

void ht_device_lock_release(ht_device_lock *lock) {
    if (lock->file >= 0)
        close(lock->file);
    lock->file = -1;
}
