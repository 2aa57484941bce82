#include "runtime/amd/bytes.h"

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
static const char compressed_magic[] = "CCOB";
enum { BUNDLE_ENTRIES_MAX = 1024 };

static bool starts_with(ht_amd_bytes bytes, const char *magic) {
    size_t length = strlen(magic);
    return bytes.size >= length && memcmp(bytes.data, magic, length) == 0;
}

/* Entry ids read "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-": kind, triple, processor,
 * features. Without `arch` any will do. */
static bool id_has_arch(ht_amd_bytes id, const char *arch) {
    if (!starts_with(id, "hip") || arch == NULL)
        return starts_with(id, "hip");
    size_t length = strcspn(arch, ":");
    size_t end = 0;
    while (end < id.size && id.data[end] != ':')
        end++;
    return end > length && id.data[end - length - 1] == '-' &&
           memcmp(id.data + end - length, arch, length) == 0;
}

static ht_status bundle_entry(ht_amd_bytes image, const char *arch, ht_amd_bytes *out_elf,
                              ht_error *error) {
    uint64_t count, at = sizeof bundle_magic - 1;
    if (!bytes_read(image, at, &count, sizeof count) || count > BUNDLE_ENTRIES_MAX)
        return ht_error_set(error, HT_ERROR_COMPILE,
                            "the offload bundle is damaged: its entry count is cut off or over %d",
                            BUNDLE_ENTRIES_MAX);
    at += sizeof count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t head[3]; /* offset, size, length of the id */
        ht_amd_bytes id, part;
        if (!bytes_read(image, at, head, sizeof head) ||
            !bytes_part(image, at + sizeof head, head[2], &id) ||
            !bytes_part(image, head[0], head[1], &part))
            return ht_error_set(error, HT_ERROR_COMPILE,
                                "the offload bundle is damaged: entry %llu of %llu lies outside it",
                                (unsigned long long)i + 1, (unsigned long long)count);
        at += sizeof head + head[2];
        if (id_has_arch(id, arch) && (arch != NULL || starts_with(part, "\177ELF"))) {
            *out_elf = part;
            return HT_OK;
        }
    }
    return ht_error_set(error, HT_ERROR_COMPILE, "the offload bundle holds no code for %s",
                        arch != NULL ? arch : "a GPU");
}

ht_status ht_amd_bundle_find(ht_amd_bytes image, const char *arch, ht_amd_bytes *out_elf,
                             ht_error *error) {
    if (starts_with(image, bundle_magic))
        return bundle_entry(image, arch, out_elf, error);
    if (starts_with(image, compressed_magic))
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "the code object is a compressed offload bundle; compile with "
                            "--no-offload-compress");
    if (!starts_with(image, "\177ELF"))
        return ht_error_set(error, HT_ERROR_COMPILE,
                            "the code object is neither an ELF file nor an offload bundle");
    *out_elf = image;
    return HT_OK;
}

ht_status ht_amd_bundle_first(ht_amd_bytes image, ht_amd_bytes *out_elf, ht_error *error) {
    return ht_amd_bundle_find(image, NULL, out_elf, error);
}
