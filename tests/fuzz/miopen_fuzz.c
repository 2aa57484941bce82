/* Text databases of MIOpen: any bytes become records that the tables can hold, or are counted. */
#include "fuzz.h"

#include "pipeline/import/miopen.h"

#include <string.h>

static size_t tabs(const char *text) {
    size_t count = 0;
    for (; *text; ++text)
        count += *text == '\t';
    return count;
}

/* Every row has as many cells as the header, and no line ends in it. */
static void check_table(const ht_import_table *table) {
    enum { BEFORE = 24 }; /* columns of the problem, the GPU and src */
    FUZZ_CHECK(table->count > 0);
    for (size_t i = 0; i < table->count; ++i) {
        FUZZ_CHECK(tabs(table->rows[i]) == BEFORE + tabs(table->columns));
        FUZZ_CHECK(!strpbrk(table->rows[i], "\n\r"));
    }
    for (const char *c = table->kernel; *c; ++c)
        FUZZ_CHECK(*c != '/');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ht_miopen_settings settings = {.device = {"gfx90a", 104}, .times = true};
    ht_import import = {0};
    uint64_t skipped = 0, records = 0;
    ht_import_miopen_text((ht_miopen_text){(const char *)data, size}, "fuzz.txt", &settings,
                          &import);
    for (size_t i = 0; i < import.table_count; ++i) {
        check_table(&import.tables[i]);
        records += import.tables[i].count;
    }
    for (size_t i = 0; i < import.reason_count; ++i)
        skipped += import.reasons[i].count;
    FUZZ_CHECK(import.entries == skipped + records + import.replaced);
    ht_import_free(&import);
    return 0;
}
