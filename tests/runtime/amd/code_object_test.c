/* Reading resources from code objects, well-formed and not. */
#include "images.h"

#include "runtime/amd/metadata.h"
#include "runtime/amd/resources.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

static const ht_device gfx1030 = {.name = "amd:gfx1030", .arch = "gfx1030"};

static ht_status read_image(const ht_text *image, ht_resources *out, ht_error *error) {
    /* A copy that ends where the image ends, so that the sanitizers see a read past it. */
    char *copy = malloc(image->length + 1);
    memcpy(copy, image->data ? image->data : "", image->length);
    char *exact = realloc(copy, image->length ? image->length : 1);
    ht_status status =
        ht_amd_resources(&gfx1030, exact, image->length, "kernel", 256, 0, out, error);
    free(exact);
    return status;
}

static ht_text make_elf(int wgp) {
    ht_text note = {0}, elf = {0};
    image_note(&note, "kernel");
    image_elf(&elf, &note, "kernel", wgp);
    ht_text_free(&note);
    return elf;
}

Test(code_object, resources_are_what_the_note_says) {
    ht_text elf = make_elf(0);
    ht_resources r;
    ht_error error = {0};
    cr_assert_eq(read_image(&elf, &r, &error), HT_OK, "%s", error.message);
    cr_expect_eq(r.vgprs, 33);
    cr_expect_eq(r.agprs, 4);
    cr_expect_eq(r.sgprs, 17);
    cr_expect_eq(r.vgpr_spills, 2);
    cr_expect_eq(r.sgpr_spills, 3);
    cr_expect_eq(r.scratch, 16);
    cr_expect_eq(r.lds, 1024);
    cr_expect_eq(r.wavefront, 32);
    cr_expect_eq(r.max_block, 256);
    cr_expect_eq(r.max_waves_per_simd, 16);
    ht_text_free(&elf);
}

Test(code_object, a_bundle_gives_its_entry_for_the_device) {
    ht_text elf = make_elf(0), bundle = {0}, other = {0};
    ht_resources r;
    ht_error error = {0};
    image_bundle(&bundle, &elf, "gfx1030");
    cr_assert_eq(read_image(&bundle, &r, &error), HT_OK, "%s", error.message);
    cr_expect_eq(r.vgprs, 33);
    image_bundle(&other, &elf, "gfx1031");
    cr_assert_eq(read_image(&other, &r, &error), HT_ERROR_COMPILE);
    cr_expect(strstr(error.message, "no code for gfx1030"), "%s", error.message);
    ht_text_free(&elf);
    ht_text_free(&bundle);
    ht_text_free(&other);
}

/* 20 KiB of LDS: 6 groups of 8 waves over the 4 SIMDs of a WGP, but 3 over the 2 of one compute
 * unit. */
Test(code_object, the_descriptor_tells_wgp_mode) {
    ht_text cu = make_elf(0), wgp = make_elf(1);
    ht_resources r;
    cr_assert_eq(ht_amd_resources(&gfx1030, cu.data, cu.length, "kernel", 128, 41 * 1024, &r, NULL),
                 HT_OK);
    cr_expect_eq(r.waves_per_simd, 2);
    cr_assert_eq(
        ht_amd_resources(&gfx1030, wgp.data, wgp.length, "kernel", 128, 41 * 1024, &r, NULL),
        HT_OK);
    cr_expect_eq(r.waves_per_simd, 3);
    ht_text_free(&cu);
    ht_text_free(&wgp);
}

Test(code_object, a_block_or_lds_that_cannot_run_has_no_waves) {
    ht_text elf = make_elf(0);
    ht_resources r;
    cr_assert_eq(ht_amd_resources(&gfx1030, elf.data, elf.length, "kernel", 257, 0, &r, NULL),
                 HT_OK);
    cr_expect_eq(r.waves_per_simd, 0, "257 threads of 256");
    cr_assert_eq(
        ht_amd_resources(&gfx1030, elf.data, elf.length, "kernel", 256, 64 * 1024, &r, NULL),
        HT_OK);
    cr_expect_eq(r.waves_per_simd, 0, "65 KiB of LDS");
    cr_assert_eq(
        ht_amd_resources(&gfx1030, elf.data, elf.length, "kernel", 256, 0xffffffff, &r, NULL),
        HT_OK);
    cr_expect_eq(r.waves_per_simd, 0, "4 GiB of LDS");
    cr_assert_eq(ht_amd_resources(&gfx1030, elf.data, elf.length, "other", 256, 0, &r, NULL),
                 HT_ERROR_COMPILE, "a kernel that is not there");
    ht_text_free(&elf);
}

/* Its size is not known, as it is where host code registers it. */
Test(code_object, a_bundle_gives_its_first_entry_that_is_code) {
    ht_text elf = make_elf(0), bundle = {0};
    ht_amd_bytes found;
    ht_error error = {0};
    image_bundle(&bundle, &elf, "gfx1030");
    const ht_amd_bytes image = {(const uint8_t *)bundle.data, HT_AMD_UNKNOWN_SIZE};
    cr_assert_eq(ht_amd_bundle_first(image, &found, &error), HT_OK, "%s", error.message);
    cr_expect_eq(found.size, elf.length);
    cr_expect_eq(memcmp(found.data, elf.data, elf.length), 0);
    ht_text_free(&bundle);
    ht_text_free(&elf);
}

/* Every prefix of a valid image, and of a bundle, is an error with a message and never more than
 * that. */
Test(code_object, every_truncation_is_an_error) {
    ht_text elf = make_elf(0), bundle = {0};
    image_bundle(&bundle, &elf, "gfx1030");
    const ht_text *images[] = {&elf, &bundle};
    for (size_t i = 0; i < 2; i++) {
        for (size_t length = 0; length < images[i]->length; length++) {
            ht_text part = {.data = images[i]->data, .length = length};
            ht_resources r;
            ht_error error = {0};
            cr_assert_eq(read_image(&part, &r, &error), HT_ERROR_COMPILE, "%zu bytes", length);
            cr_assert_neq(error.message[0], '\0');
        }
    }
    ht_text_free(&elf);
    ht_text_free(&bundle);
}

/* Any byte changed to any of a few values gives resources or an error (the sanitizers judge the
 * rest). */
Test(code_object, no_changed_byte_does_harm) {
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xc1, 0xdd, 0xdf, 0xff};
    ht_text elf = make_elf(1);
    size_t errors = 0;
    for (size_t at = 0; at < elf.length; at++) {
        char kept = elf.data[at];
        for (size_t v = 0; v < sizeof values; v++) {
            ht_resources r;
            ht_error error = {0};
            elf.data[at] = (char)values[v];
            if (read_image(&elf, &r, &error)) {
                cr_assert_neq(error.message[0], '\0', "byte %zu", at);
                errors++;
            }
        }
        elf.data[at] = kept;
    }
    cr_expect_gt(errors, elf.length, "most changes in a small image must be noticed");
    ht_text_free(&elf);
}

static void expect_note_error(const char *bytes, size_t size, const char *part) {
    ht_amd_metadata metadata;
    ht_error error = {0};
    ht_status status =
        ht_amd_metadata_parse((ht_amd_bytes){(const uint8_t *)bytes, size}, &metadata, &error);
    cr_expect_eq(status, HT_ERROR_COMPILE, "%s", part);
    cr_expect(strstr(error.message, part), "'%s' is not in: %s", part, error.message);
    ht_amd_metadata_free(&metadata);
}
#define EXPECT_NOTE_ERROR(bytes, part) expect_note_error(bytes, sizeof bytes - 1, part)

Test(metadata, malformed_notes_are_errors) {
    EXPECT_NOTE_ERROR("", "values missing");
    EXPECT_NOTE_ERROR("\xc1", "no MessagePack value");
    EXPECT_NOTE_ERROR("\x80", "no amdhsa.kernels");
    EXPECT_NOTE_ERROR("\x93\x01\x02\x03", "no amdhsa.kernels");
    EXPECT_NOTE_ERROR("\x81\xae"
                      "amdhsa.kernels\x01",
                      "no amdhsa.kernels");
    EXPECT_NOTE_ERROR("\x81\xae"
                      "amdhsa.kernels\x91\x01",
                      "not a map");
    EXPECT_NOTE_ERROR("\x81\xae"
                      "amdhsa.kernels\x91\x80",
                      "no .name");
    EXPECT_NOTE_ERROR("\x81\xae"
                      "amdhsa.kernels\x91\x82\xa5.name\xa1k\xa7.symbol\xa4k.kd",
                      "no .vgpr_count");
    EXPECT_NOTE_ERROR("\x81\xae"
                      "amdhsa.kernels\x91\x83\xa5.name\xa1k\xa7.symbol\xa4k.kd"
                      "\xab.vgpr_count\xff",
                      "not a number");
    /* Declared lengths that would have a decoder allocate gigabytes. */
    EXPECT_NOTE_ERROR("\xdd\xff\xff\xff\xff\x01", "too large");
    EXPECT_NOTE_ERROR("\xdf\x7f\xff\xff\xff\x01", "too large");
    EXPECT_NOTE_ERROR("\xdb\xff\xff\xff\xff\x01", "too large");
    EXPECT_NOTE_ERROR("\xc9\xff\xff\xff\xff\x01\x01", "too large");
}

Test(metadata, nesting_beyond_the_decoder_is_an_error) {
    char deep[4097];
    memset(deep, '\x91', sizeof deep);
    deep[sizeof deep - 1] = '\x01';
    expect_note_error(deep, sizeof deep, "does not decode");
}

/* The length check agrees with the library on what one whole value is. */
Test(metadata, every_kind_of_value_passes_the_check) {
    ht_text text = {0};
    image_note(&text, "a name that is longer than the thirty-one bytes of a short string");
    cr_assert_eq(
        ht_amd_messagepack_check((ht_amd_bytes){(const uint8_t *)text.data, text.length}, NULL),
        HT_OK);
    ht_text_free(&text);
    static const char all[] =
        "\xdc\x00\x1b\xc0\xc2\xc3\x7f\xff\xa1x\xc4\x01x\xc5\x00\x01x\xc6\x00\x00\x00\x01x"
        "\xc7\x01\x05x\xca\0\0\0\0\xcb\0\0\0\0\0\0\0\0\xcc\1\xcd\0\1\xce\0\0\0\1"
        "\xcf\0\0\0\0\0\0\0\1\xd0\1\xd1\0\1\xd2\0\0\0\1\xd3\0\0\0\0\0\0\0\1"
        "\xd4\1x\xd5\1xx\xd6\1xxxx\xd7\1xxxxxxxx\xd9\1x\xda\0\1x\xde\0\1\1\2";
    cr_assert_eq(
        ht_amd_messagepack_check((ht_amd_bytes){(const uint8_t *)all, sizeof all - 1}, NULL),
        HT_OK);
    for (size_t size = 0; size < sizeof all - 1; size++)
        cr_assert_neq(ht_amd_messagepack_check((ht_amd_bytes){(const uint8_t *)all, size}, NULL),
                      HT_OK);
}

Test(elf, foreign_files_are_told_apart) {
    ht_text elf = make_elf(0);
    ht_resources r;
    ht_error error = {0};
    ((Elf64_Ehdr *)elf.data)->e_machine = EM_X86_64;
    cr_expect_eq(read_image(&elf, &r, &error), HT_ERROR_COMPILE);
    cr_expect(strstr(error.message, "not for AMDGPU"), "%s", error.message);
    ht_text text = {.data = "int main() {}", .length = 13};
    cr_expect_eq(read_image(&text, &r, &error), HT_ERROR_COMPILE);
    cr_expect(strstr(error.message, "neither an ELF"), "%s", error.message);
    ht_text compressed = {.data = "CCOB....", .length = 8};
    cr_expect_eq(read_image(&compressed, &r, &error), HT_ERROR_UNSUPPORTED);
    ht_text_free(&elf);
}
