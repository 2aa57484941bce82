/* A unit's text as the host provider rewrites it: launch bounds into bodies, marks on dynamic
 * shared arrays. Lines must stay, and nothing but the tests must come in. */
#include "fuzz.h"

#include "runtime/host/dynamic_shared.h"
#include "runtime/host/launch_bounds.h"

#include <string.h>

static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (; *text; ++text)
        lines += *text == '\n';
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    char *bounded = ht_launch_bounds_enforce(text);
    FUZZ_CHECK(count_lines(bounded) == count_lines(text));
    FUZZ_CHECK(strlen(bounded) >= strlen(text));
    size_t length = strlen(bounded);
    ht_dynamic_shared_mark(bounded);
    FUZZ_CHECK(strlen(bounded) == length);
    free(bounded);
    free(text);
    return 0;
}
