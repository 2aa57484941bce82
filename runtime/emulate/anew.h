/* Starting this program anew: some libraries read their settings when they are loaded. */
#ifndef HT_RUNTIME_EMULATE_ANEW_H
#define HT_RUNTIME_EMULATE_ANEW_H

#include "base/error.h"

/* Starts this program anew, with the same arguments and the environment as it is now. Returns only
 * when that fails: HT_ERROR_IO. */
ht_status ht_emulate_start_anew(ht_error *error);
/* Sees to it that OpenMP's threads sleep while they wait, unless the user has said how they wait:
 * starts this program anew, or returns if there is nothing to do. A program that launches many
 * small kernels else spends its time in threads that spin after each of them: ten times of what it
 * needs, next to other work. */
void ht_emulate_sleep_start(void);

#endif
