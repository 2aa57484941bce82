/* The two things resources need of an AMDGPU ELF file: its metadata note and the descriptor of a
 * kernel. */
#include "runtime/amd/elf_file.h"

enum {
    MACHINE_AMDGPU = 224,
    NOTE_HSA_METADATA_V2 = 10,
    NOTE_AMDGPU_METADATA = 32,
};

ht_status elf_damaged(ht_error *error, const char *what) {
    return ht_error_set(error, HT_ERROR_COMPILE, "the code object is damaged: %s", what);
}

ht_status elf_header_read(ht_amd_bytes elf, Elf64_Ehdr *out_header, ht_error *error) {
    if (!bytes_read(elf, 0, out_header, sizeof *out_header))
        return elf_damaged(error, "its ELF header is cut off");
    if (memcmp(out_header->e_ident, ELFMAG, SELFMAG) != 0)
        return elf_damaged(error, "it does not start as an ELF file");
    if (out_header->e_ident[EI_CLASS] != ELFCLASS64 || out_header->e_ident[EI_DATA] != ELFDATA2LSB)
        return elf_damaged(error, "it is not a 64-bit little-endian ELF file");
    if (out_header->e_machine != MACHINE_AMDGPU)
        return ht_error_set(error, HT_ERROR_COMPILE,
                            "the code object is for ELF machine %u, not for AMDGPU (%d)",
                            out_header->e_machine, MACHINE_AMDGPU);
    return HT_OK;
}

/* Looks through one PT_NOTE segment or SHT_NOTE section. */
static ht_status notes_find(ht_amd_bytes notes, ht_amd_bytes *out_note, bool *out_old,
                            ht_error *error) {
    uint64_t at = 0;
    while (at < notes.size) {
        Elf64_Nhdr note;
        ht_amd_bytes name, contents;
        if (!bytes_read(notes, at, &note, sizeof note))
            return elf_damaged(error, "a note's header is cut off");
        at += sizeof note;
        if (!bytes_part(notes, at, note.n_namesz, &name))
            return elf_damaged(error, "a note's name is cut off");
        at += ((uint64_t)note.n_namesz + 3) & ~3ull;
        if (!bytes_part(notes, at, note.n_descsz, &contents))
            return elf_damaged(error, "a note's contents are cut off");
        at += ((uint64_t)note.n_descsz + 3) & ~3ull;
        if (note.n_type == NOTE_AMDGPU_METADATA && name.size == 7 &&
            memcmp(name.data, "AMDGPU", 7) == 0) {
            *out_note = contents;
            return HT_OK;
        }
        if (note.n_type == NOTE_HSA_METADATA_V2 && name.size == 4 &&
            memcmp(name.data, "AMD", 4) == 0)
            *out_old = true;
    }
    return HT_OK;
}

/* Finds notes by program header, then by section header (relocatable files have no segments). */
static ht_status segments_find(ht_amd_bytes elf, const Elf64_Ehdr *header, ht_amd_bytes *out_note,
                               bool *out_old, ht_error *error) {
    for (unsigned i = 0; i < header->e_phnum && !out_note->data; i++) {
        Elf64_Phdr segment = {0};
        ht_amd_bytes notes;
        if (header->e_phentsize != sizeof segment || header->e_phoff > elf.size ||
            !bytes_read(elf, header->e_phoff + i * sizeof segment, &segment, sizeof segment))
            return elf_damaged(error, "its program headers lie outside it");
        if (segment.p_type != PT_NOTE)
            continue;
        if (!bytes_part(elf, segment.p_offset, segment.p_filesz, &notes))
            return elf_damaged(error, "its note segment lies outside it");
        ht_status status = notes_find(notes, out_note, out_old, error);
        if (status)
            return status;
    }
    return HT_OK;
}

ht_status elf_section_read(ht_amd_bytes elf, const Elf64_Ehdr *header, uint64_t index,
                           Elf64_Shdr *out_section, ht_error *error) {
    if (header->e_shentsize != sizeof *out_section || index >= header->e_shnum ||
        header->e_shoff > elf.size ||
        !bytes_read(elf, header->e_shoff + index * sizeof *out_section, out_section,
                    sizeof *out_section))
        return elf_damaged(error, "its section headers lie outside it");
    return HT_OK;
}

static ht_status sections_find(ht_amd_bytes elf, const Elf64_Ehdr *header, ht_amd_bytes *out_note,
                               bool *out_old, ht_error *error) {
    for (unsigned i = 0; i < header->e_shnum && !out_note->data; i++) {
        Elf64_Shdr section = {0};
        ht_amd_bytes notes;
        ht_status status = elf_section_read(elf, header, i, &section, error);
        if (status)
            return status;
        if (section.sh_type != SHT_NOTE)
            continue;
        if (!bytes_part(elf, section.sh_offset, section.sh_size, &notes))
            return elf_damaged(error, "its note section lies outside it");
        status = notes_find(notes, out_note, out_old, error);
        if (status)
            return status;
    }
    return HT_OK;
}

ht_status ht_amd_elf_metadata(ht_amd_bytes elf, ht_amd_bytes *out_note, ht_error *error) {
    Elf64_Ehdr header = {0};
    bool old = false;
    *out_note = (ht_amd_bytes){0};
    ht_status status = elf_header_read(elf, &header, error);
    if (!status)
        status = segments_find(elf, &header, out_note, &old, error);
    if (!status && !out_note->data)
        status = sections_find(elf, &header, out_note, &old, error);
    if (status || out_note->data)
        return status;
    if (old)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "the code object has metadata of version 2; compile with "
                            "-mcode-object-version=4 or newer");
    return ht_error_set(error, HT_ERROR_COMPILE,
                        "the code object has no AMDGPU metadata note (NT_AMDGPU_METADATA)");
}
