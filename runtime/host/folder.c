#include "runtime/host/folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The prelude's files, embedded. */
#define HT_PRELUDE_FILE(symbol, path)                                                              \
    extern const char symbol[];                                                                    \
    extern const unsigned long symbol##_size;
#include "prelude_files.inc"
#undef HT_PRELUDE_FILE

static const ht_embedded_file prelude_files[] = {
#define HT_PRELUDE_FILE(symbol, path) {path, symbol, &symbol##_size},
#include "prelude_files.inc"
#undef HT_PRELUDE_FILE
};

static char *folder;
static pid_t folder_owner;
static int folder_lock = -1;

/* Takes the lock on FOLDER/lock, which a living process holds. It is put there locked, so that
 * nobody finds it free too early. */
static void hold(const char *root) {
    char *fresh = ht_path_join(root, "lock.new"), *path = ht_path_join(root, "lock");
    int fd = open(fresh, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && rename(fresh, path) == 0)
        folder_lock = fd;
    else if (fd >= 0)
        close(fd);
    free(path);
    free(fresh);
}

/* Removes a folder that no process holds. */
static void remove_if_stale(const char *root) {
    char *path = ht_path_join(root, "lock");
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        ht_dir_remove(root);
    if (fd >= 0)
        close(fd);
    free(path);
}

/* Removes the folders of killed processes, which could not clean up. */
static void sweep(const char *beside) {
    static const char stem[] = "hiptemper-host-";
    char *root = ht_path_folder(beside);
    DIR *directory = opendir(root);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (strncmp(entry->d_name, stem, sizeof stem - 1) != 0)
            continue;
        char *path = ht_path_join(root, entry->d_name);
        if (strcmp(path, beside) != 0)
            remove_if_stale(path);
        free(path);
    }
    if (directory)
        closedir(directory);
    free(root);
}

/* Removes the folder, but not in a forked child that ends: it is its parent's. */
static void remove_folder(void) {
    if (folder && folder_owner == getpid())
        ht_dir_remove(folder);
    free(folder);
    folder = NULL;
    if (folder_lock >= 0)
        close(folder_lock);
    folder_lock = -1;
}

ht_status ht_embedded_unpack(const ht_embedded_file *files, size_t count, const char *root,
                             ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        char *path = ht_path_join(root, files[i].path), *parent = ht_path_folder(path);
        status = ht_dir_make(parent, error);
        if (status == HT_OK)
            status = ht_file_write(path, files[i].data, *files[i].size, error);
        free(parent);
        free(path);
    }
    return status;
}

ht_status ht_host_prelude_unpack(const char *root, ht_error *error) {
    char *prelude = ht_path_join(root, "prelude");
    ht_status status = ht_embedded_unpack(
        prelude_files, sizeof prelude_files / sizeof *prelude_files, prelude, error);
    free(prelude);
    return status;
}

void ht_embedded_hash(const ht_embedded_file *files, size_t count, char out_hex[HT_HASH_SIZE]) {
    ht_text all = {0};
    ht_text_append(&all, "");
    for (size_t i = 0; i < count; ++i) {
        ht_text_printf(&all, "%s %lu\n", files[i].path, *files[i].size);
        ht_text_append_n(&all, files[i].data, *files[i].size);
    }
    ht_hash_bytes(all.data, all.length, out_hex);
    ht_text_free(&all);
}

void ht_host_prelude_hash(char out_hex[HT_HASH_SIZE]) {
    ht_embedded_hash(prelude_files, sizeof prelude_files / sizeof *prelude_files, out_hex);
}

static ht_status make_folder(ht_error *error) {
    static int registered;
    free(folder);
    folder = NULL;
    if (folder_lock >= 0)
        close(folder_lock);
    folder_lock = -1;
    ht_status status = ht_dir_temporary("host", &folder, error);
    if (status != HT_OK)
        return status;
    folder_owner = getpid();
    hold(folder);
    sweep(folder);
    if (!registered)
        atexit(remove_folder);
    registered = 1;
    status = ht_host_prelude_unpack(folder, error);
    if (status != HT_OK) {
        ht_dir_remove(folder);
        free(folder);
        folder = NULL;
    }
    return status;
}

ht_status ht_host_folder(const char **out_path, ht_error *error) {
    pthread_mutex_lock(&mutex);
    ht_status status = HT_OK;
    if (!folder || folder_owner != getpid() || !ht_dir_exists(folder))
        status = make_folder(error);
    *out_path = folder;
    pthread_mutex_unlock(&mutex);
    return status;
}
