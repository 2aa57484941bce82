#include "base/fingerprint.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WHOLE_BYTES = 16 << 20, PARTS = 64, PART_BYTES = 16384, DEPTH = 16 };

static void append_time(const struct stat *info, ht_text *out) {
    ht_text_printf(out, " changed %lld.%09ld", (long long)info->st_mtim.tv_sec,
                   info->st_mtim.tv_nsec);
}

/* Hashes parts at even distances, the ends among them. */
static void hash_parts(const char *data, size_t size, char out_hex[HT_HASH_SIZE]) {
    ht_text parts = {0};
    for (size_t i = 0; i < PARTS; ++i)
        ht_text_append_n(&parts, data + (size - PART_BYTES) / (PARTS - 1) * i, PART_BYTES);
    ht_text_append_n(&parts, data + size - PART_BYTES, PART_BYTES);
    ht_hash_bytes(parts.data, parts.length, out_hex);
    ht_text_free(&parts);
}

static void append_content(int fd, const struct stat *info, ht_text *out) {
    char hash[HT_HASH_SIZE] = "";
    size_t size = (size_t)info->st_size;
    void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    ht_text_printf(out, " %zu", size);
    if (data == MAP_FAILED)
        return;
    if (size <= WHOLE_BYTES)
        ht_hash_bytes(data, size, hash);
    else
        hash_parts(data, size, hash);
    munmap(data, size);
    ht_text_printf(out, " %s", hash);
    if (size > WHOLE_BYTES)
        append_time(info, out);
}

void ht_fingerprint_file(const char *path, ht_text *out) {
    struct stat info;
    char *real = realpath(path, NULL);
    int fd = real ? open(real, O_RDONLY | O_CLOEXEC) : -1;
    ht_text_append(out, real ? real : path);
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        append_content(fd, &info, out);
    else
        ht_text_append(out, " cannot be read");
    ht_text_append(out, "\n");
    if (fd >= 0)
        close(fd);
    free(real);
}

bool ht_fingerprint_whole(const char *path, char out_hash[HT_HASH_SIZE]) {
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool read = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
    size_t size = read ? (size_t)info.st_size : 0;
    void *data = read ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (data == MAP_FAILED)
        return false;
    ht_hash_bytes(data, size, out_hash);
    munmap(data, size);
    return true;
}

static void folder_append(const char *path, const char *skip, bool contents, int depth,
                          ht_text *out) {
    struct dirent **entries = NULL;
    int count = depth < DEPTH ? scandir(path, &entries, NULL, alphasort) : 0;
    for (int i = 0; i < count; ++i) {
        const char *name = entries[i]->d_name;
        char *below = ht_path_join(path, name);
        struct stat info;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && stat(below, &info) == 0) {
            bool whole = contents && !(skip && depth == 0 && strcmp(name, skip) == 0);
            if (S_ISDIR(info.st_mode)) {
                folder_append(below, skip, whole, depth + 1, out);
            } else if (whole) {
                ht_fingerprint_file(below, out);
            } else {
                ht_text_printf(out, "%s %lld", below, (long long)info.st_size);
                append_time(&info, out);
                ht_text_append(out, "\n");
            }
        }
        free(below);
        free(entries[i]);
    }
    free(entries);
}

void ht_fingerprint_folder(const char *path, const char *skip, ht_text *out) {
    ht_text_printf(out, "folder %s\n", path);
    folder_append(path, skip, true, 0, out);
}

typedef struct search {
    const char *const *stems;
    ht_text *out;
} search;

static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    const search *in = context;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    for (const char *const *stem = in->stems; *stem; ++stem)
        if (strstr(name, *stem)) {
            ht_fingerprint_file(info->dlpi_name, in->out);
            break;
        }
    return 0;
}

void ht_fingerprint_libraries(const char *const *stems, char out_hash[HT_HASH_SIZE]) {
    ht_text text = {0};
    search in = {stems, &text};
    ht_text_append(&text, "");
    dl_iterate_phdr(look_at, &in);
    ht_hash_bytes(text.data, text.length, out_hash);
    ht_text_free(&text);
}

char *ht_fingerprint_clang(const char *said) {
    static const char mark[] = "clang version ";
    const char *at = said ? strstr(said, mark) : NULL;
    if (at == NULL)
        return NULL;
    at += strlen(mark);
    return ht_format("%.*s", (int)strcspn(at, " \n"), at);
}
