/* Shared by the two readers of an ELF file: the checked header and section headers. */
#ifndef HT_RUNTIME_AMD_ELF_FILE_H
#define HT_RUNTIME_AMD_ELF_FILE_H

#include "runtime/amd/bytes.h"

#include <elf.h>

ht_status elf_damaged(ht_error *error, const char *what);
ht_status elf_header_read(ht_amd_bytes elf, Elf64_Ehdr *out_header, ht_error *error);
ht_status elf_section_read(ht_amd_bytes elf, const Elf64_Ehdr *header, uint64_t index,
                           Elf64_Shdr *out_section, ht_error *error);

#endif
