/* Results that an earlier run kept: any bytes after a sum that fits. */
#include "fuzz.h"

#include "base/hash.h"
#include "pipeline/kept.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t length = HT_HASH_SIZE + size;
    char *text = ht_alloc(length + 1, 1);
    ht_hash_bytes(data, size, text);
    text[HT_HASH_SIZE - 1] = '\n';
    if (size)
        memcpy(text + HT_HASH_SIZE, data, size);
    json_t *entry = ht_kept_parse(text, length);
    if (entry) {
        const json_t *document = json_object_get(entry, "document");
        FUZZ_CHECK(json_is_array(json_object_get(document, "rows")));
        text[length - 1] ^= 1;
        FUZZ_CHECK(!ht_kept_parse(text, length));
    }
    json_decref(entry);
    free(text);
    return 0;
}
