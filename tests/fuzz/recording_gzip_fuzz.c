/* The gzip layer: any bytes are unpacked within the limit or refused; packed bytes come back. */
#include "fuzz.h"

#include "search/recording_gzip.h"

#include <string.h>

enum { LIMIT = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *out = NULL;
    size_t length = 0, packed_length;
    ht_error error;
    ht_status status = ht_gzip_unpack(data, size, LIMIT, "f", &out, &length, &error);
    FUZZ_CHECK_ERROR(status, error);
    FUZZ_CHECK(status != HT_OK || length <= LIMIT);
    free(out);
    void *packed = ht_gzip_pack(data, size, &packed_length);
    FUZZ_CHECK(ht_gzip_is(packed, packed_length));
    FUZZ_CHECK(ht_gzip_unpack(packed, packed_length, size, "f", &out, &length, &error) == HT_OK);
    FUZZ_CHECK(length == size && (!size || !memcmp(out, data, size)));
    free(out);
    free(packed);
    return 0;
}
