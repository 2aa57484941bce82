/* The device-side prelude, which travels inside the program. */
#ifndef HT_RUNTIME_EMULATE_PRELUDE_H
#define HT_RUNTIME_EMULATE_PRELUDE_H

#include "base/error.h"

/* Writes its files into a folder, which is made. */
ht_status ht_emulate_prelude_unpack(const char *folder, ht_error *error);

#endif
