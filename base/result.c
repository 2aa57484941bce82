#include "base/result.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct input {
    char *path;
    dev_t device;
    ino_t inode;
} input;

/* Of the process, and of the children that it forks; never freed. */
static input *inputs;
static size_t input_count;

void ht_input_add(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    for (size_t i = 0; i < input_count; ++i)
        if (inputs[i].device == info.st_dev && inputs[i].inode == info.st_ino &&
            strcmp(inputs[i].path, path) == 0)
            return;
    HT_GROW(inputs, input_count);
    inputs[input_count++] = (input){ht_strdup(path), info.st_dev, info.st_ino};
}

char *ht_input_beside(const char *name) {
    for (size_t i = 0; i < input_count; ++i) {
        char *folder = ht_path_folder(inputs[i].path), *path = ht_path_join(folder, name);
        struct stat info;
        bool there = lstat(path, &info) == 0 && S_ISREG(info.st_mode);
        free(folder);
        if (there)
            return path;
        free(path);
    }
    return NULL;
}

/* Returns the input that this file is; an editor may have put a new file in its place since it was
 * read. */
static const input *input_find(const struct stat *file) {
    for (size_t i = 0; i < input_count; ++i) {
        struct stat now;
        if (inputs[i].device == file->st_dev && inputs[i].inode == file->st_ino)
            return &inputs[i];
        if (stat(inputs[i].path, &now) == 0 && now.st_dev == file->st_dev &&
            now.st_ino == file->st_ino)
            return &inputs[i];
    }
    return NULL;
}

ht_status ht_result_check(const char *path, ht_error *error) {
    struct stat info;
    const input *same = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? input_find(&info) : NULL;
    if (!same)
        return HT_OK;
    bool named = strcmp(same->path, path) != 0;
    return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                           "not overwritten: it is an input of this command%s%s%s; give another "
                           "folder or file for the results",
                           named ? " (" : "", named ? same->path : "", named ? ")" : "");
}

ht_status ht_result_write(const char *path, const void *data, size_t length, ht_error *error) {
    ht_status status = ht_result_check(path, error);
    return status == HT_OK ? ht_file_replace(path, data, length, true, error) : status;
}

ht_status ht_results_write_over(const ht_file_content *files, size_t count, ht_error *error) {
    return ht_files_replace(files, count, error);
}
