/* Code objects made by hand, so that each part of one can be wrong. */
#ifndef HT_TESTS_AMD_IMAGES_H
#define HT_TESTS_AMD_IMAGES_H

#include "base/text.h"

#include <stdint.h>

/* MessagePack of the smallest valid metadata: one kernel `name` with distinct numbers (see
 * images.c). */
void image_note(ht_text *out, const char *name);
/* An AMDGPU ELF that holds `note` in a note segment and section, and a descriptor "NAME.kd" whose
 * WGP bit is `wgp`. */
void image_elf(ht_text *out, const ht_text *note, const char *name, int wgp);
/* An offload bundle with entries for a host, for gfx906 (junk) and for `arch` (`elf`). */
void image_bundle(ht_text *out, const ht_text *elf, const char *arch);

#endif
