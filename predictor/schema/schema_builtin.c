/* The schemas that travel inside the program (predictor/schemas/). */
#include "predictor/schema/schema.h"

#include <string.h>

#define HT_SCHEMA_FILE(symbol, kernel) extern const char symbol[];
#include "schema_files.inc"
#undef HT_SCHEMA_FILE

#define HT_SCHEMA_FILE(symbol, kernel) kernel,
static const char *const names[] = {
#include "schema_files.inc"
    NULL};
#undef HT_SCHEMA_FILE

#define HT_SCHEMA_FILE(symbol, kernel) symbol,
static const char *const texts[] = {
#include "schema_files.inc"
    NULL};
#undef HT_SCHEMA_FILE

const char *const *ht_schema_builtin_names(void) {
    return names;
}

const char *ht_schema_builtin_text(const char *kernel) {
    for (size_t i = 0; names[i]; ++i)
        if (!strcmp(names[i], kernel))
            return texts[i];
    return NULL;
}
