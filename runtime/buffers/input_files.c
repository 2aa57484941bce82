#include "runtime/buffers/input_files.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/result.h"
#include "runtime/buffers/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 30 };

static char *copy_path(const char *folder, size_t index) {
    char *name = ht_format("input-%zu.bin", index), *path = ht_path_join(folder, name);
    free(name);
    return path;
}

static ht_status read_file(const ht_arg *arg, const char *name, char **out_data, size_t *out_length,
                           ht_error *error) {
    char *path = ht_input_beside(name);
    ht_place at = arg->place;
    *out_data = NULL;
    if (path == NULL)
        return ht_error_set_at(error, HT_ERROR_INPUT, at.file ? at.file : "", at.line, at.column,
                               "the contents of '%s' are not there: no file '%s' is next to the "
                               "problem file, or the source, that names it",
                               arg->name, name);
    ht_status status = ht_file_read(path, FILE_MAX, out_data, out_length, error);
    free(path);
    return status == HT_ERROR_IO ? HT_ERROR_INPUT : status;
}

/* Reads the file that has the buffer's size, else the first one. */
static ht_status read_fitting(const ht_layout_arg *of, char **out_data, size_t *out_length,
                              ht_error *error) {
    const ht_init *init = &of->arg->init;
    size_t wanted = ht_layout_bytes(of);
    *out_data = NULL;
    for (size_t i = 0; i < init->file_count; ++i) {
        char *data;
        size_t length;
        ht_status status = read_file(of->arg, init->files[i], &data, &length, error);
        if (status != HT_OK) {
            free(*out_data);
            *out_data = NULL;
            return status;
        }
        if (*out_data == NULL || length == wanted) {
            free(*out_data);
            *out_data = data;
            *out_length = length;
        } else {
            free(data);
        }
        if (length == wanted)
            break;
    }
    return HT_OK;
}

/* Repeats what is in a file: of bytes, several may be one structure. */
static void *repeated(const ht_layout_arg *of, const char *data, size_t length) {
    size_t wanted = ht_layout_bytes(of);
    char *made = ht_alloc(wanted + 1, 1);
    for (size_t at = 0; at < wanted; at += length)
        memcpy(made + at, data, length < wanted - at ? length : wanted - at);
    return made;
}

/* Returns random contents of a buffer, within the bounds of what is in a file. */
static void *random_like(const ht_layout_arg *of, size_t index, const void *data, size_t length,
                         uint64_t seed) {
    size_t count = length / of->plain.bytes;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
        double value = ht_element_get(of->plain, data, i);
        if (!isfinite(value))
            continue;
        least = fmin(least, value);
        most = fmax(most, value);
    }
    bool floating = ht_element_floating(of->plain);
    const ht_init within = {.kind = floating ? HT_INIT_UNIFORM : HT_INIT_INTEGERS,
                            .lo = least <= most ? least : 0.0,
                            .hi = least <= most ? most : 0.0};
    void *made = ht_alloc(ht_layout_bytes(of) + 1, 1);
    ht_inputs_fill(of->plain, made, of->count, &within, seed, index);
    return made;
}

static ht_status copy_one(const ht_layout_arg *of, size_t index, const char *folder,
                          const uint64_t *seed, ht_error *error) {
    char *data;
    size_t length = 0, wanted = ht_layout_bytes(of), element = ht_element_size(of->plain);
    ht_status status = read_fitting(of, &data, &length, error);
    if (status != HT_OK)
        return status;
    const ht_place at = of->arg->place;
    if (length == 0 || length % element != 0 || (length != wanted && seed == NULL)) {
        free(data);
        return ht_error_set_at(error, HT_ERROR_INPUT, at.file ? at.file : "", at.line, at.column,
                               "the file '%s' has %zu bytes, and '%s' %zu elements of %zu: give "
                               "the file of a buffer of this size",
                               of->arg->init.files[0], length, of->arg->name, of->count, element);
    }
    if (length != wanted) {
        void *made =
            element == 1 ? repeated(of, data, length) : random_like(of, index, data, length, *seed);
        free(data);
        data = made;
    }
    char *path = copy_path(folder, index);
    status = ht_file_write(path, data, wanted, error);
    free(path);
    free(data);
    return status;
}

ht_status ht_input_files_copy(const ht_layout *layout, const char *folder, const uint64_t *seed,
                              ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < layout->count && status == HT_OK; ++i)
        if (ht_arg_is_initialised(layout->args[i].arg) &&
            layout->args[i].arg->init.kind == HT_INIT_FILE)
            status = copy_one(&layout->args[i], i, folder, seed, error);
    return status;
}

ht_status ht_input_files_map(const ht_layout_arg *arg, size_t index, const char *folder,
                             const void **out_bytes, ht_error *error) {
    size_t bytes = ht_element_size(arg->plain) * arg->count;
    struct stat info;
    *out_bytes = NULL;
    if (!ht_arg_is_initialised(arg->arg) || arg->arg->init.kind != HT_INIT_FILE || bytes == 0)
        return HT_OK;
    char *path = copy_path(folder != NULL ? folder : ".", index);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ht_status status = HT_OK;
    if (fd < 0 || fstat(fd, &info) != 0)
        status = ht_error_set(error, HT_ERROR_IO, "the contents of '%s': %s", arg->arg->name,
                              strerror(errno));
    else if ((size_t)info.st_size != bytes)
        status = ht_error_set(error, HT_ERROR_INPUT,
                              "the contents of '%s' have %zu bytes, and the buffer %zu",
                              arg->arg->name, (size_t)info.st_size, bytes);
    if (status == HT_OK) {
        void *memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (memory == MAP_FAILED)
            status = ht_error_set(error, HT_ERROR_LAUNCH, "out of memory: %zu bytes for '%s'",
                                  bytes, arg->arg->name);
        else
            *out_bytes = memory;
    }
    if (fd >= 0)
        close(fd);
    free(path);
    return status;
}

void ht_input_files_key(const ht_template *template, ht_text *out) {
    for (size_t i = 0; i < template->arg_count; ++i)
        for (size_t j = 0; j < template->args[i].init.file_count; ++j) {
            char hash[HT_HASH_SIZE], *data = NULL;
            size_t length;
            ht_error error = {0};
            if (read_file(&template->args[i], template->args[i].init.files[j], &data, &length,
                          &error) != HT_OK)
                continue; /* the job says so */
            ht_hash_bytes(data, length, hash);
            ht_text_printf(out, "\n%s", hash);
            free(data);
        }
}
