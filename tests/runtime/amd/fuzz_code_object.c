/* Fuzzing the readers of compilers' output: an input is an image, or after "note" the contents of a
 * metadata note. */
#include "runtime/amd/metadata.h"
#include "runtime/amd/resources.h"

#include <stdlib.h>
#include <string.h>

static void read_kernels(const uint8_t *image, size_t size, const ht_amd_metadata *metadata) {
    static const ht_device device = {.arch = "gfx1030"};
    for (size_t i = 0; i < metadata->kernel_count; i++) {
        ht_resources resources;
        ht_amd_resources(&device, image, size, metadata->kernels[i].name, 256, 1024, &resources,
                         NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ht_amd_metadata metadata = {0};
    ht_amd_bytes elf, note, descriptor;
    ht_error error = {0};
    ht_status status = HT_OK;
    if (size >= 4 && memcmp(data, "note", 4) == 0) {
        status = ht_amd_metadata_parse((ht_amd_bytes){data + 4, size - 4}, &metadata, &error);
    } else {
        status = ht_amd_bundle_find((ht_amd_bytes){data, size}, "gfx1030", &elf, &error);
        if (!status) {
            ht_amd_elf_descriptor(elf, "kernel.kd", &descriptor, NULL);
            ht_amd_elf_pointee(elf, "__hiprtc_1");
            status = ht_amd_elf_metadata(elf, &note, &error);
        }
        if (!status)
            status = ht_amd_metadata_parse(note, &metadata, &error);
        if (!status && metadata.kernel_count <= 16)
            read_kernels(data, size, &metadata);
    }
    if (status && !error.message[0])
        abort(); /* an error without a word */
    ht_amd_metadata_free(&metadata);
    return 0;
}
