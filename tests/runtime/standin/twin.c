#include "tests/runtime/standin/twin.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/provider/provider.h"

#include <elf.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const ht_hip *standin_host(void) {
    const ht_hip *hip = NULL;
    (void)ht_provider_host.open(&hip, NULL); /* a GPU's run worker cannot start the compiler */
    return hip;
}

static char *twin_path(const void *code, size_t size, const char *ending) {
    char hash[HT_HASH_SIZE];
    const char *folder = getenv("HT_STANDIN_FOLDER");
    if (!folder)
        folder = getenv("TMPDIR");
    ht_hash_bytes(code, size, hash);
    return folder ? ht_format("%s/twin-%s.%s", folder, hash, ending) : NULL;
}

/* Returns the size of an image, which hipModuleLoadData does not get; LLVM's linker puts the
 * section headers last. */
static size_t image_size(const void *image) {
    const Elf64_Ehdr *header = image;
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0
               ? header->e_shoff + (size_t)header->e_shnum * header->e_shentsize
               : 0;
}

bool standin_twin_write(const void *code, size_t code_size, const standin_twin *twin) {
    char *image = twin_path(code, code_size, "so"), *names = twin_path(code, code_size, "json");
    json_t *object = json_object();
    for (size_t i = 0; i < twin->name_count; i++)
        json_object_set_new(object, twin->names[i].gpu, json_string(twin->names[i].host));
    json_t *whole = json_pack("{s:o, s:s}", "names", object, "log", twin->log ? twin->log : "");
    char *text = whole ? json_dumps(whole, 0) : NULL;
    bool good = image && names && text && code_size == image_size(code);
    if (good && twin->image)
        good = ht_file_write(image, twin->image, twin->image_size, NULL) == HT_OK;
    if (good)
        good = ht_file_write(names, text, strlen(text), NULL) == HT_OK;
    json_decref(whole);
    free(text);
    free(image);
    free(names);
    return good;
}

static void read_names(const json_t *whole, standin_twin *out) {
    const char *gpu, *log = json_string_value(json_object_get(whole, "log"));
    json_t *host;
    json_object_foreach(json_object_get(whole, "names"), gpu, host) {
        HT_GROW(out->names, out->name_count);
        out->names[out->name_count++] =
            (standin_name){ht_strdup(gpu), ht_strdup(json_string_value(host))};
    }
    out->log = ht_strdup(log ? log : "");
}

bool standin_twin_read(const void *image, standin_twin *out) {
    *out = (standin_twin){0};
    size_t size = image_size(image);
    char *path = size ? twin_path(image, size, "json") : NULL;
    json_t *whole = path ? json_load_file(path, 0, NULL) : NULL;
    free(path);
    if (!whole)
        return false;
    read_names(whole, out);
    json_decref(whole);
    path = twin_path(image, size, "so");
    if (ht_file_read(path, 0, &out->image, &out->image_size, NULL) != HT_OK)
        out->image = NULL;
    free(path);
    return true;
}

void standin_twin_free(standin_twin *twin) {
    for (size_t i = 0; i < twin->name_count; i++) {
        free(twin->names[i].gpu);
        free(twin->names[i].host);
    }
    free(twin->names);
    free(twin->image);
    free(twin->log);
    *twin = (standin_twin){0};
}

const char *standin_twin_name(const standin_twin *twin, const char *gpu) {
    for (size_t i = 0; i < twin->name_count; i++)
        if (strcmp(twin->names[i].gpu, gpu) == 0)
            return twin->names[i].host;
    return NULL;
}
