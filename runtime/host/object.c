#include "runtime/host/object.h"

#include "base/memory.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_elf64(const void *data) {
    const unsigned char *bytes = data;
    return memcmp(bytes, ELFMAG, SELFMAG) == 0 && bytes[EI_CLASS] == ELFCLASS64;
}

size_t ht_object_image_size(const void *image) {
    if (!is_elf64(image))
        return 0;
    const Elf64_Ehdr *header = image;
    return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

size_t ht_object_tls_size(const void *image) {
    const Elf64_Ehdr *header = image;
    const Elf64_Phdr *segments = (const void *)((const char *)image + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; ++i)
        if (segments[i].p_type == PT_TLS)
            return segments[i].p_memsz;
    return 0;
}

/* Checks that `count` items of `size` at `offset` lie within the file. */
static bool within(size_t length, size_t offset, size_t count, size_t size) {
    return offset <= length && count <= (length - offset) / size;
}

ht_status ht_object_read_arrays(const void *data, size_t length, ht_object_arrays *out_arrays,
                                ht_error *error) {
    *out_arrays = (ht_object_arrays){0};
    const Elf64_Ehdr *header = data;
    const char *bytes = data;
    if (length < sizeof *header || !is_elf64(data) ||
        !within(length, header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr)))
        return ht_error_set(error, HT_ERROR_INTERNAL, "the compiler made no 64-bit ELF object");
    const Elf64_Shdr *sections = (const void *)(bytes + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; ++i) {
        if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum)
            continue;
        const Elf64_Sym *symbols = (const void *)(bytes + sections[i].sh_offset);
        const char *names = bytes + sections[sections[i].sh_link].sh_offset;
        for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; ++k) {
            if (ELF64_ST_TYPE(symbols[k].st_info) != STT_TLS || symbols[k].st_shndx != SHN_UNDEF)
                continue;
            if (strcmp(names + symbols[k].st_name, "ht_device_state") == 0)
                continue;
            HT_GROW(out_arrays->dynamic, out_arrays->dynamic_count);
            out_arrays->dynamic[out_arrays->dynamic_count++] =
                ht_strdup(names + symbols[k].st_name);
        }
    }
    return HT_OK;
}

void ht_object_arrays_free(ht_object_arrays *arrays) {
    for (size_t i = 0; i < arrays->dynamic_count; ++i)
        free(arrays->dynamic[i]);
    free(arrays->dynamic);
    *arrays = (ht_object_arrays){0};
}
