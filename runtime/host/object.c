#include "runtime/host/object.h"

#include "base/memory.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct ht_object {
    char *data;
    size_t length;
    const Elf64_Shdr *sections;
    size_t section_count;
    const Elf64_Sym *symbols;
    size_t symbol_count;
    const char *names;
    size_t names_size;
};

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

static bool within(size_t length, size_t offset, size_t size) {
    return offset <= length && size <= length - offset;
}

/* Indexes the symbol table and its names; every section that has contents lies within the file. */
static bool index_sections(ht_object *object) {
    const Elf64_Ehdr *header = (const void *)object->data;
    if (object->length < sizeof *header || !is_elf64(header) ||
        header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 != 0 ||
        !within(object->length, header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr)))
        return false;
    object->sections = (const void *)(object->data + header->e_shoff);
    object->section_count = header->e_shnum;
    for (size_t i = 0; i < object->section_count; ++i) {
        const Elf64_Shdr *section = &object->sections[i];
        if (section->sh_type == SHT_NOBITS)
            continue;
        if (!within(object->length, section->sh_offset, section->sh_size))
            return false;
        if (section->sh_type != SHT_SYMTAB)
            continue;
        if (section->sh_link >= object->section_count || section->sh_offset % 8 != 0)
            return false;
        const Elf64_Shdr *names = &object->sections[section->sh_link];
        object->symbols = (const void *)(object->data + section->sh_offset);
        object->symbol_count = section->sh_size / sizeof(Elf64_Sym);
        object->names = object->data + names->sh_offset;
        object->names_size = names->sh_size;
        if (!within(object->length, names->sh_offset, names->sh_size))
            return false;
    }
    if (!object->symbols || object->names_size == 0 || object->names[object->names_size - 1])
        return false;
    for (size_t i = 0; i < object->symbol_count; ++i)
        if (object->symbols[i].st_name >= object->names_size)
            return false;
    return true;
}

ht_status ht_object_open(void *data, size_t length, ht_object **out_object, ht_error *error) {
    ht_object *object = ht_alloc(1, sizeof *object);
    object->data = data;
    object->length = length;
    if (!index_sections(object)) {
        free(object);
        return ht_error_set(error, HT_ERROR_INTERNAL, "the compiler made no readable ELF object");
    }
    *out_object = object;
    return HT_OK;
}

void ht_object_free(ht_object *object) {
    free(object);
}

static const char *name_of(const ht_object *object, const Elf64_Sym *symbol) {
    return object->names + symbol->st_name;
}

static const char *section_name(const ht_object *object, size_t index) {
    const Elf64_Ehdr *header = (const void *)object->data;
    if (index >= object->section_count || header->e_shstrndx >= object->section_count)
        return "";
    const Elf64_Shdr *names = &object->sections[header->e_shstrndx];
    size_t at = object->sections[index].sh_name;
    bool inside = names->sh_type != SHT_NOBITS && at < names->sh_size &&
                  memchr(object->data + names->sh_offset + at, 0, names->sh_size - at);
    return inside ? object->data + names->sh_offset + at : "";
}

static bool in_section(const ht_object *object, const Elf64_Sym *symbol, const char *name) {
    return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
           strcmp(section_name(object, symbol->st_shndx), name) == 0;
}

void ht_object_section(const ht_object *object, const char *section, size_t *out_address,
                       size_t *out_size,
                       void (*each)(void *context, const char *name, size_t address, size_t size),
                       void *context) {
    *out_address = *out_size = 0;
    for (size_t i = 0; i < object->section_count; ++i)
        if (strcmp(section_name(object, i), section) == 0) {
            *out_address = object->sections[i].sh_addr;
            *out_size = object->sections[i].sh_size;
        }
    for (size_t i = 0; i < object->symbol_count; ++i) {
        const Elf64_Sym *symbol = &object->symbols[i];
        if (in_section(object, symbol, section))
            each(context, name_of(object, symbol), symbol->st_value, symbol->st_size);
    }
}

/* Returns true for names that are reserved for libraries; not for a variable of a namespace,
 * _ZN3lib1sE. */
static bool is_reserved(const char *name) {
    size_t length = strlen(name);
    bool variable = strncmp(name, "_ZN", 3) == 0 && name[length - 1] == 'E';
    return name[0] == '_' && !variable && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/* Returns true for a dynamic array. */
static bool is_dynamic_array(const ht_object *object, const Elf64_Sym *symbol, bool checked) {
    const char *name = name_of(object, symbol);
    if (symbol->st_shndx != SHN_UNDEF || strncmp(name, "ht_device_", 10) == 0)
        return false;
    return checked ? ELF64_ST_BIND(symbol->st_info) == STB_WEAK && *name && !is_reserved(name)
                   : ELF64_ST_TYPE(symbol->st_info) == STT_TLS;
}

size_t ht_object_dynamic_arrays(const ht_object *object, bool checked, const char ***out_names) {
    size_t count = 0;
    *out_names = NULL;
    for (size_t i = 0; i < object->symbol_count; ++i) {
        const Elf64_Sym *symbol = &object->symbols[i];
        if (!is_dynamic_array(object, symbol, checked))
            continue;
        HT_GROW(*out_names, count);
        (*out_names)[count++] = name_of(object, symbol);
    }
    return count;
}

size_t ht_object_undefined(const ht_object *object, const char ***out_names) {
    size_t count = 0;
    *out_names = NULL;
    for (size_t i = 1; i < object->symbol_count; ++i) {
        if (object->symbols[i].st_shndx != SHN_UNDEF)
            continue;
        HT_GROW(*out_names, count);
        (*out_names)[count++] = name_of(object, &object->symbols[i]);
    }
    return count;
}

static size_t find_symbol(const ht_object *object, const char *name) {
    for (size_t i = 0; i < object->symbol_count; ++i)
        if (object->symbols[i].st_shndx != SHN_UNDEF &&
            strcmp(name_of(object, &object->symbols[i]), name) == 0)
            return i;
    return 0;
}

void *ht_object_find_data(const ht_object *object, const char *name, size_t size) {
    const Elf64_Sym *symbol = &object->symbols[find_symbol(object, name)];
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= object->section_count)
        return NULL;
    const Elf64_Shdr *section = &object->sections[symbol->st_shndx];
    if (section->sh_type == SHT_NOBITS || !within(section->sh_size, symbol->st_value, size))
        return NULL;
    return object->data + section->sh_offset + symbol->st_value;
}

/* A walk over what a symbol reaches. */
typedef struct walk {
    const ht_object *object;
    bool *seen; /* by symbol */
    size_t *todo;
    size_t todo_count;
    size_t bytes;
} walk;

static void reach(walk *in, size_t index) {
    if (index == 0 || in->seen[index])
        return;
    in->seen[index] = true;
    const Elf64_Sym *symbol = &in->object->symbols[index];
    if (symbol->st_shndx == SHN_UNDEF)
        return;
    if (ELF64_ST_TYPE(symbol->st_info) == STT_TLS || in_section(in->object, symbol, HT_OBJECT_LDS))
        in->bytes += symbol->st_size;
    else
        in->todo[in->todo_count++] = index;
}

/* Reaches a place. A relocation may name a section and an offset instead of a symbol: all symbols
 * round that place count (the offset of a relative one is a few bytes short). */
static void reach_place(walk *in, size_t section, int64_t offset) {
    for (size_t i = 1; i < in->object->symbol_count; ++i) {
        const Elf64_Sym *symbol = &in->object->symbols[i];
        if (symbol->st_shndx == section && ELF64_ST_TYPE(symbol->st_info) != STT_SECTION &&
            offset + 8 >= (int64_t)symbol->st_value &&
            offset < (int64_t)(symbol->st_value + symbol->st_size))
            reach(in, i);
    }
}

/* Follows the relocations inside one function or variable. */
static void follow(walk *in, size_t index) {
    const ht_object *object = in->object;
    const Elf64_Sym *from = &object->symbols[index];
    for (size_t i = 0; i < object->section_count; ++i) {
        const Elf64_Shdr *section = &object->sections[i];
        if (section->sh_type != SHT_RELA || section->sh_info != from->st_shndx)
            continue;
        const char *entries = object->data + section->sh_offset;
        for (size_t k = 0; k < section->sh_size / sizeof(Elf64_Rela); ++k) {
            Elf64_Rela entry;
            memcpy(&entry, entries + k * sizeof entry, sizeof entry);
            size_t target = ELF64_R_SYM(entry.r_info);
            if (entry.r_offset - from->st_value >= from->st_size || target >= object->symbol_count)
                continue;
            if (ELF64_ST_TYPE(object->symbols[target].st_info) == STT_SECTION)
                reach_place(in, object->symbols[target].st_shndx, entry.r_addend);
            else
                reach(in, target);
        }
    }
}

size_t ht_object_static_lds(const ht_object *object, const char *symbol) {
    walk in = {.object = object,
               .seen = ht_alloc(object->symbol_count, sizeof *in.seen),
               .todo = ht_alloc(object->symbol_count, sizeof *in.todo)};
    reach(&in, find_symbol(object, symbol));
    while (in.todo_count)
        follow(&in, in.todo[--in.todo_count]);
    free(in.todo);
    free(in.seen);
    return in.bytes;
}
