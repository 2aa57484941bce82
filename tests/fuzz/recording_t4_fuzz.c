/* T4 results, unpacked. */
#include "recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_recording(data, size, HT_RECORDING_T4);
}
