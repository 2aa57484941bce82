#include "images.h"

#include <elf.h>
#include <msgpack.h>
#include <string.h>

static int append(void *text, const char *data, size_t size) {
    ht_text_append_n(text, data, size);
    return 0;
}

static void pack_text(msgpack_packer *packer, const char *text) {
    msgpack_pack_str(packer, strlen(text));
    msgpack_pack_str_body(packer, text, strlen(text));
}

void image_note(ht_text *out, const char *name) {
    static const struct {
        const char *key;
        int value;
    } numbers[] = {{".vgpr_count", 33},
                   {".agpr_count", 4},
                   {".sgpr_count", 17},
                   {".vgpr_spill_count", 2},
                   {".sgpr_spill_count", 3},
                   {".private_segment_fixed_size", 16},
                   {".wavefront_size", 32},
                   {".group_segment_fixed_size", 1024},
                   {".max_flat_workgroup_size", 256}};
    msgpack_packer packer;
    msgpack_packer_init(&packer, out, append);
    msgpack_pack_map(&packer, 2);
    pack_text(&packer, "amdhsa.version");
    msgpack_pack_array(&packer, 2);
    msgpack_pack_int(&packer, 1);
    msgpack_pack_int(&packer, 1);
    pack_text(&packer, "amdhsa.kernels");
    msgpack_pack_array(&packer, 1);
    size_t count = sizeof numbers / sizeof *numbers;
    msgpack_pack_map(&packer, count + 2);
    pack_text(&packer, ".name");
    pack_text(&packer, name);
    pack_text(&packer, ".symbol");
    msgpack_pack_str(&packer, strlen(name) + 3);
    msgpack_pack_str_body(&packer, name, strlen(name));
    msgpack_pack_str_body(&packer, ".kd", 3);
    for (size_t i = 0; i < count; i++) {
        pack_text(&packer, numbers[i].key);
        msgpack_pack_int(&packer, numbers[i].value);
    }
}

static void pad(ht_text *out, size_t alignment) {
    while (out->length % alignment)
        ht_text_append_n(out, "\0", 1);
}

/* Layout: header, program header, note, descriptor, symbols, strings, section headers. */
void image_elf(ht_text *out, const ht_text *note, const char *name, int wgp) {
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 64},
                         .e_type = ET_DYN,
                         .e_machine = 224,
                         .e_version = EV_CURRENT,
                         .e_phoff = sizeof header,
                         .e_ehsize = sizeof header,
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = 1,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = 5};
    Elf64_Nhdr note_header = {7, (Elf64_Word)note->length, 32};
    uint32_t descriptor[16] = {[12] = wgp ? 1u << 29 : 0};
    ht_text body = {0};
    size_t base = sizeof header + sizeof(Elf64_Phdr);
    ht_text_append_n(&body, (char *)&note_header, sizeof note_header);
    ht_text_append_n(&body, "AMDGPU\0", 8);
    ht_text_append_n(&body, note->data ? note->data : "", note->length);
    pad(&body, 8);
    size_t note_size = body.length, descriptor_at = base + body.length;
    ht_text_append_n(&body, (char *)descriptor, sizeof descriptor);
    size_t symbols_at = base + body.length;
    Elf64_Sym symbols[2] = {{0}, {.st_name = 1, .st_shndx = 2, .st_value = 0x1000, .st_size = 64}};
    ht_text_append_n(&body, (char *)symbols, sizeof symbols);
    size_t strings_at = base + body.length;
    ht_text_append_n(&body, "\0", 1);
    ht_text_append(&body, name);
    ht_text_append_n(&body, ".kd\0", 4);
    size_t strings_size = base + body.length - strings_at;
    pad(&body, 8);
    header.e_shoff = base + body.length;
    Elf64_Phdr segment = {.p_type = PT_NOTE, .p_offset = base, .p_filesz = note_size};
    Elf64_Shdr sections[5] = {
        [1] = {.sh_type = SHT_NOTE, .sh_offset = base, .sh_size = note_size},
        [2] = {.sh_type = SHT_PROGBITS,
               .sh_addr = 0x1000,
               .sh_offset = descriptor_at,
               .sh_size = 64},
        [3] = {.sh_type = SHT_DYNSYM,
               .sh_link = 4,
               .sh_offset = symbols_at,
               .sh_size = sizeof symbols},
        [4] = {.sh_type = SHT_STRTAB, .sh_offset = strings_at, .sh_size = strings_size}};
    ht_text_append_n(out, (char *)&header, sizeof header);
    ht_text_append_n(out, (char *)&segment, sizeof segment);
    ht_text_append_n(out, body.data, body.length);
    ht_text_append_n(out, (char *)sections, sizeof sections);
    ht_text_free(&body);
}

static void bundle_head(ht_text *out, uint64_t offset, uint64_t size, const char *id) {
    uint64_t head[3] = {offset, size, strlen(id)};
    ht_text_append_n(out, (char *)head, sizeof head);
    ht_text_append(out, id);
}

void image_bundle(ht_text *out, const ht_text *elf, const char *arch) {
    ht_text id = {0};
    uint64_t count = 3;
    ht_text_printf(&id, "hipv4-amdgcn-amd-amdhsa--%s:xnack-", arch);
    ht_text_append(out, "__CLANG_OFFLOAD_BUNDLE__");
    ht_text_append_n(out, (char *)&count, sizeof count);
    bundle_head(out, 4096, 0, "host-x86_64-unknown-linux--");
    bundle_head(out, 4096, 4, "hipv4-amdgcn-amd-amdhsa--gfx906");
    bundle_head(out, 4104, elf->length, id.data);
    while (out->length < 4104)
        ht_text_append_n(out, "j", 1);
    ht_text_append_n(out, elf->data, elf->length);
    ht_text_free(&id);
}
