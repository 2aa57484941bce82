#include "runtime/emulate/prelude.h"

#include "runtime/host/folder.h"

#define HT_PRELUDE_FILE(symbol, path)                                                              \
    extern const char symbol[];                                                                    \
    extern const unsigned long symbol##_size;
#include "emulate_prelude_files.inc"
#undef HT_PRELUDE_FILE

static const ht_embedded_file files[] = {
#define HT_PRELUDE_FILE(symbol, path) {path, symbol, &symbol##_size},
#include "emulate_prelude_files.inc"
#undef HT_PRELUDE_FILE
};

ht_status ht_emulate_prelude_unpack(const char *folder, ht_error *error) {
    return ht_embedded_unpack(files, sizeof files / sizeof *files, folder, error);
}

void ht_emulate_prelude_hash(char out_hash[HT_HASH_SIZE]) {
    ht_embedded_hash(files, sizeof files / sizeof *files, out_hash);
}
