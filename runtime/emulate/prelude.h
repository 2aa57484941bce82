/* The device-side prelude, which travels inside the program. */
#ifndef HT_RUNTIME_EMULATE_PRELUDE_H
#define HT_RUNTIME_EMULATE_PRELUDE_H

#include "base/error.h"
#include "base/hash.h"

/* Writes its files into a folder, which is made. */
ht_status ht_emulate_prelude_unpack(const char *folder, ht_error *error);
/* Hash of the files. */
void ht_emulate_prelude_hash(char out_hash[HT_HASH_SIZE]);

#endif
