/* Symbols of an AMDGPU ELF file: a kernel's descriptor, and the target of a pointer variable. */
#include "runtime/amd/elf_file.h"

enum { DESCRIPTOR_SIZE = 64, RELOCATION_RELATIVE64 = 13 };

/* One symbol table with its strings. */
typedef struct symbol_table {
    ht_amd_bytes symbols;
    ht_amd_bytes strings;
} symbol_table;

/* Finds the symbol table. The dynamic one is the one that loaders see; a file without one
 * (relocatable) has the static table. */
static ht_status table_find(ht_amd_bytes elf, const Elf64_Ehdr *header, symbol_table *out_table,
                            ht_error *error) {
    Elf64_Shdr table = {0}, strings = {0};
    bool found = false;
    for (unsigned i = 0; i < header->e_shnum && !(found && table.sh_type == SHT_DYNSYM); i++) {
        Elf64_Shdr section = {0};
        ht_status status = elf_section_read(elf, header, i, &section, error);
        if (status)
            return status;
        if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB)
            continue;
        table = section;
        found = true;
    }
    if (!found)
        return elf_damaged(error, "it has no symbol table");
    ht_status status = elf_section_read(elf, header, table.sh_link, &strings, error);
    if (status)
        return status;
    if (!bytes_part(elf, table.sh_offset, table.sh_size, &out_table->symbols) ||
        !bytes_part(elf, strings.sh_offset, strings.sh_size, &out_table->strings))
        return elf_damaged(error, "its symbol table lies outside it");
    return HT_OK;
}

static bool symbol_at(const symbol_table *table, size_t index, Elf64_Sym *out_symbol) {
    return bytes_read(table->symbols, (uint64_t)index * sizeof *out_symbol, out_symbol,
                      sizeof *out_symbol);
}

/* Returns NULL when the name is not a terminated string inside the table. */
static const char *symbol_name(const symbol_table *table, const Elf64_Sym *symbol) {
    if (symbol->st_name >= table->strings.size)
        return NULL;
    const char *name = (const char *)table->strings.data + symbol->st_name;
    return memchr(name, '\0', table->strings.size - symbol->st_name) ? name : NULL;
}

static bool symbol_by_name(const symbol_table *table, const char *wanted, Elf64_Sym *out_symbol) {
    for (size_t i = 0; symbol_at(table, i, out_symbol); i++) {
        const char *name = symbol_name(table, out_symbol);
        if (name && strcmp(name, wanted) == 0)
            return true;
    }
    return false;
}

/* Finds a symbol's bytes in the file, by the section that it lies in. `size` 0: to the section's
 * end. */
static ht_status symbol_bytes(ht_amd_bytes elf, const Elf64_Ehdr *header, const Elf64_Sym *symbol,
                              uint64_t size, ht_amd_bytes *out_bytes, ht_error *error) {
    Elf64_Shdr section = {0};
    ht_status status = elf_section_read(elf, header, symbol->st_shndx, &section, error);
    if (status)
        return status;
    uint64_t offset = symbol->st_value - section.sh_addr;
    bool inside = symbol->st_value >= section.sh_addr && offset <= section.sh_size;
    if (inside && size == 0)
        size = section.sh_size - offset;
    if (!inside || section.sh_type == SHT_NOBITS || section.sh_offset > elf.size ||
        !bytes_part(elf, section.sh_offset + offset, size, out_bytes))
        return elf_damaged(error, "a symbol lies outside it");
    return HT_OK;
}

static ht_status symbol_find(ht_amd_bytes elf, const char *symbol, const char *what,
                             Elf64_Ehdr *out_header, Elf64_Sym *out_symbol, ht_error *error) {
    symbol_table table = {0};
    ht_status status = elf_header_read(elf, out_header, error);
    if (!status)
        status = table_find(elf, out_header, &table, error);
    if (!status && !symbol_by_name(&table, symbol, out_symbol))
        status =
            ht_error_set(error, HT_ERROR_COMPILE, "the code object has no %s '%s'", what, symbol);
    return status;
}

ht_status ht_amd_elf_descriptor(ht_amd_bytes elf, const char *symbol, ht_amd_bytes *out_descriptor,
                                ht_error *error) {
    Elf64_Ehdr header = {0};
    Elf64_Sym found = {0};
    ht_status status = symbol_find(elf, symbol, "kernel descriptor", &header, &found, error);
    if (!status)
        status = symbol_bytes(elf, &header, &found, DESCRIPTOR_SIZE, out_descriptor, error);
    return status;
}

ht_status ht_amd_elf_symbol(ht_amd_bytes elf, const char *symbol, uint64_t *out_address,
                            ht_amd_bytes *out_bytes, ht_error *error) {
    Elf64_Ehdr header = {0};
    Elf64_Sym found = {0};
    ht_status status = symbol_find(elf, symbol, "symbol", &header, &found, error);
    if (!status)
        status = symbol_bytes(elf, &header, &found, found.st_size, out_bytes, error);
    *out_address = found.st_value;
    return status;
}

ht_status ht_amd_elf_section_of(ht_amd_bytes elf, uint64_t address, uint64_t *out_first,
                                ht_amd_bytes *out_bytes, ht_error *error) {
    Elf64_Ehdr header = {0};
    ht_status status = elf_header_read(elf, &header, error);
    for (unsigned i = 0; i < header.e_shnum && !status; i++) {
        Elf64_Shdr section = {0};
        status = elf_section_read(elf, &header, i, &section, error);
        bool holds = !status && section.sh_flags & SHF_ALLOC && section.sh_type != SHT_NOBITS &&
                     address >= section.sh_addr && address - section.sh_addr < section.sh_size;
        *out_first = section.sh_addr;
        if (holds && bytes_part(elf, section.sh_offset, section.sh_size, out_bytes))
            return HT_OK;
    }
    return status ? status : elf_damaged(error, "a symbol lies in no section");
}

ht_status ht_amd_elf_extent(ht_amd_bytes elf, uint64_t *out_end, ht_error *error) {
    Elf64_Ehdr header = {0};
    ht_status status = elf_header_read(elf, &header, error);
    *out_end = 0;
    for (unsigned i = 0; i < header.e_shnum && !status; i++) {
        Elf64_Shdr section = {0};
        status = elf_section_read(elf, &header, i, &section, error);
        bool loaded = !status && section.sh_flags & SHF_ALLOC;
        uint64_t end = section.sh_addr + section.sh_size;
        if (loaded && end >= section.sh_addr && end > *out_end)
            *out_end = end;
    }
    return status;
}

/* Finds the address that the loader will store at `place`: relative relocations hold it. */
static bool relocation_find(ht_amd_bytes elf, const Elf64_Ehdr *header, uint64_t place,
                            uint64_t *out_target) {
    for (unsigned i = 0; i < header->e_shnum; i++) {
        Elf64_Shdr section = {0};
        Elf64_Rela relocation;
        ht_amd_bytes contents;
        if (elf_section_read(elf, header, i, &section, NULL) || section.sh_type != SHT_RELA ||
            !bytes_part(elf, section.sh_offset, section.sh_size, &contents))
            continue;
        for (uint64_t at = 0; bytes_read(contents, at, &relocation, sizeof relocation);
             at += sizeof relocation) {
            if (relocation.r_offset == place &&
                ELF64_R_TYPE(relocation.r_info) == RELOCATION_RELATIVE64) {
                *out_target = (uint64_t)relocation.r_addend;
                return true;
            }
        }
    }
    return false;
}

const char *ht_amd_elf_pointee(ht_amd_bytes elf, const char *variable) {
    Elf64_Ehdr header = {0};
    Elf64_Sym symbol = {0};
    symbol_table table = {0};
    uint64_t target = 0;
    if (elf_header_read(elf, &header, NULL) || table_find(elf, &header, &table, NULL) ||
        !symbol_by_name(&table, variable, &symbol) ||
        !relocation_find(elf, &header, symbol.st_value, &target))
        return NULL;
    for (size_t i = 0; symbol_at(&table, i, &symbol); i++) {
        unsigned type = ELF64_ST_TYPE(symbol.st_info);
        if (symbol.st_value == target && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
            (type == STT_FUNC || type == STT_OBJECT))
            return symbol_name(&table, &symbol);
    }
    return NULL;
}
