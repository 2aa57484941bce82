#include "base/file.h"

#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { READ_CHUNK = 1 << 16 };
static const size_t default_max = (size_t)64 << 20;

/* Returns how many bytes to read first: a file's and one more, so that they are read at once into
 * memory that need not grow. Of what says no size, as a pipe, or is too large, a part. */
static size_t first_room(FILE *file, size_t limit) {
    struct stat info;
    bool sized = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
                 (size_t)info.st_size <= limit;
    return sized ? (size_t)info.st_size + 1 : READ_CHUNK;
}

ht_status ht_file_read(const char *path, size_t max_bytes, char **out_data, size_t *out_length,
                       ht_error *error) {
    size_t limit = max_bytes ? max_bytes : default_max;
    FILE *file = fopen(path, "rb");
    if (!file)
        return ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "cannot open: %s", strerror(errno));
    ht_text text = {0};
    size_t room = first_room(file, limit), got = room;
    while (got == room && text.length <= limit) { /* a short count is the end or an error */
        room = text.length == 0 ? room : READ_CHUNK;
        text.capacity = text.length + room + 1;
        text.data = ht_realloc(text.data, text.capacity, 1);
        got = fread(text.data + text.length, 1, room, file);
        text.length += got;
    }
    text.data[text.length] = 0;
    bool failed = ferror(file);
    int code = errno;
    fclose(file);
    if (failed || text.length > limit) {
        ht_text_free(&text);
        return failed ? ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "cannot read: %s",
                                        strerror(code))
                      : ht_error_set_at(error, HT_ERROR_IO, path, 0, 0,
                                        "larger than the limit of %zu bytes", limit);
    }
    if (out_length)
        *out_length = text.length;
    *out_data = ht_text_take(&text);
    return HT_OK;
}

ht_status ht_file_read_text(const char *path, const char *what, char **out_text, ht_error *error) {
    char *text;
    size_t length;
    ht_status status = ht_file_read(path, 0, &text, &length, error);
    if (status != HT_OK)
        return status;
    if (strlen(text) != length) {
        free(text);
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                               "the file holds a NUL byte: is this %s?", what);
    }
    *out_text = text;
    return HT_OK;
}

ht_status ht_dir_make(const char *path, ht_error *error) {
    char *copy = ht_strdup(path);
    ht_status status = HT_OK;
    for (char *at = copy + 1; status == HT_OK; ++at) {
        if (*at != '/' && *at != 0)
            continue;
        char kept = *at;
        *at = 0;
        int code = mkdir(copy, 0777) == 0 ? 0 : errno;
        if (code != 0 && !ht_dir_exists(copy)) /* which sets errno */
            status = ht_error_set_at(error, HT_ERROR_IO, copy, 0, 0, "cannot make folder: %s",
                                     strerror(code));
        *at = kept;
        if (kept == 0)
            break;
    }
    free(copy);
    return status;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk) {
    (void)info;
    (void)kind;
    (void)walk;
    remove(path);
    return 0;
}

void ht_dir_remove(const char *path) {
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

ht_status ht_dir_temporary(const char *stem, char **out_path, ht_error *error) {
    const char *root = getenv("TMPDIR");
    char *path = ht_format("%s/hiptemper-%s-%ld-XXXXXX", root && *root ? root : "/tmp", stem,
                           (long)getpid());
    if (!mkdtemp(path)) {
        ht_error_set_at(
            error, HT_ERROR_IO, path, 0, 0,
            "cannot make a temporary folder: %s; set TMPDIR to a folder that can be written",
            strerror(errno));
        free(path);
        return HT_ERROR_IO;
    }
    *out_path = path;
    return HT_OK;
}

bool ht_file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

bool ht_file_same(const char *a, const char *b) {
    struct stat first, second;
    return strcmp(a, b) == 0 || (stat(a, &first) == 0 && stat(b, &second) == 0 &&
                                 first.st_ino == second.st_ino && first.st_dev == second.st_dev);
}

bool ht_dir_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* `folders`: those that lie there, too. */
static void remove_old(const char *path, int days, bool folders) {
    DIR *directory = opendir(path);
    time_t oldest = time(NULL) - (time_t)days * 24 * 3600;
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
        char *file = ht_path_join(path, entry->d_name);
        struct stat info;
        bool old = entry->d_name[0] != '.' && lstat(file, &info) == 0 && info.st_mtime < oldest;
        if (old && S_ISREG(info.st_mode))
            unlink(file);
        else if (old && folders && S_ISDIR(info.st_mode))
            ht_dir_remove(file);
        free(file);
    }
    if (directory)
        closedir(directory);
}

void ht_dir_remove_old(const char *path, int days) {
    remove_old(path, days, false);
}

void ht_dir_remove_old_all(const char *path, int days) {
    remove_old(path, days, true);
}

bool ht_dir_is_private(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
           (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

char *ht_path_join(const char *folder, const char *name) {
    if (name[0] == '/' || !*folder)
        return ht_strdup(name);
    size_t length = strlen(folder);
    return ht_format(folder[length - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
}

const char *ht_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *ht_path_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ht_strdup(".");
    return slash == path ? ht_strdup("/") : ht_strndup(path, (size_t)(slash - path));
}

bool ht_path_is_below(const char *path, const char *folder) {
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}
