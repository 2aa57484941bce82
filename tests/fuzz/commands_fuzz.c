/* A compilation database of any bytes. */
#include "fuzz.h"

#include "base/memory.h"
#include "refactor/source/commands.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    ht_command_list list;
    ht_error error;
    ht_status status = ht_command_list_parse(text, "f", &list, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        for (size_t i = 0; i < list.count; ++i) {
            FUZZ_CHECK(list.items[i].file[0]);
            for (size_t j = 0; j < list.items[i].argument_count; ++j)
                FUZZ_CHECK(list.items[i].arguments[j][0]);
            for (size_t j = 0; j < i; ++j)
                FUZZ_CHECK(strcmp(list.items[i].file, list.items[j].file) != 0);
        }
        ht_command_list_free(&list);
    } else
        FUZZ_CHECK(list.count == 0);
    free(text);
    return 0;
}
