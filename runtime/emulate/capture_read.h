/* Captured launches in the process that reads them. */
#ifndef HT_RUNTIME_EMULATE_CAPTURE_READ_H
#define HT_RUNTIME_EMULATE_CAPTURE_READ_H

#include "runtime/emulate/capture.h"

/* Makes a capture that a foreign program could write to one that can be read: names are those of
 * the source, and printable. */
void ht_capture_check(ht_capture *capture, const ht_byte_store *store);
/* Adds the launches of another process of the program, without contents of buffers. Both are
 * checked. */
void ht_capture_merge(ht_capture *into, const ht_capture *from);

#endif
