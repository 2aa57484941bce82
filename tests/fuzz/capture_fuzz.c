/* Names and argument lines of captured launches, which a foreign program may write: any bytes. */
#include "fuzz.h"

#include "pipeline/capture_line.h"
#include "pipeline/capture_name.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    char *name = ht_capture_kernel_name(text);
    FUZZ_CHECK(strlen(name) <= strlen(text));
    free(name);
    for (size_t i = 0; i < 3; ++i) {
        char *type = ht_capture_pointee(text, i);
        FUZZ_CHECK(type == NULL || strlen(type) <= strlen(text));
        free(type);
        type = ht_capture_template_argument(text, i);
        FUZZ_CHECK(type == NULL || strlen(type) <= strlen(text));
        free(type);
    }
    ht_capture_line line, same;
    if (ht_capture_line_read(text, &line)) {
        char *again = ht_capture_line_write(&line);
        FUZZ_CHECK(ht_capture_line_read(again, &same));
        ht_capture_line_free(&same);
        ht_capture_line_free(&line);
        free(again);
    }
    free(text);
    return 0;
}
