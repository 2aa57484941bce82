/* NVRTC's messages in the form of every other compiler's: FILE:LINE: instead of FILE(LINE):, and
 * with a hint where a name is one that the device prelude does not supply. */
#ifndef HT_RUNTIME_NVIDIA_DIAGNOSTICS_H
#define HT_RUNTIME_NVIDIA_DIAGNOSTICS_H

#include "base/text.h"

/* Appends the log, line by line, to `out`. */
void ht_nvidia_diagnostics_append(const char *log, ht_text *out);

#endif
