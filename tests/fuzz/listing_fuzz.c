#include "fuzz.h"

#include "runtime/amd/isa/launch.h"

/* Any listing is read or refused; any that is read is followed or refused. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t arguments[64] = {[5] = 4, [13] = 6};
    char *text = ht_strndup((const char *)data, size);
    ht_error error = {0};
    ht_isa_kernel kernel = {.entry = {.user_registers = 2,
                                      .arguments = true,
                                      .has_block = {true, true, true},
                                      .packed = true,
                                      .scratch = 64},
                            .block = {65, 1, 1},
                            .steps = 300};
    ht_status status = ht_isa_program_parse(text, &kernel.program, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        ht_access_counts counts = {0};
        ht_isa_memory memory = {.lds = 256, .count = 2};
        memory.regions = ht_alloc(2, sizeof *memory.regions);
        memory.regions[0] = (ht_isa_region){.kind = HT_ISA_LAUNCH,
                                            .base = HT_ISA_ARGUMENT_BASE,
                                            .size = sizeof arguments,
                                            .bytes = arguments};
        memory.regions[1] = (ht_isa_region){.kind = HT_ISA_BUFFER,
                                            .base = HT_ISA_BUFFER_BASE(0),
                                            .size = 512,
                                            .element = 4,
                                            .written = ht_alloc(16, 1)};
        const uint32_t block[3] = {1, 2, 3};
        status = ht_isa_block_run(&kernel, &memory, block, &counts, &error);
        FUZZ_CHECK(status == HT_OK || status == HT_ERROR_UNSUPPORTED);
        FUZZ_CHECK(counts.outputs <= 128);
        FUZZ_CHECK(counts.instructions <= 2 * (300 + 1));
        ht_isa_memory_free(&memory);
    }
    ht_isa_program_free(&kernel.program);
    free(text);
    return 0;
}
