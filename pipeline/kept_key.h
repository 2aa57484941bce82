/* The texts that a kept result's key is made of: all that results depend on, apart from files. */
#ifndef HT_PIPELINE_KEPT_KEY_H
#define HT_PIPELINE_KEPT_KEY_H

#include "base/text.h"
#include "refactor/source/options.h"
#include "runtime/provider/provider.h"

/* Puts a line; NULL puts none. */
void ht_kept_key_text(ht_text *out, const char *name, const char *value);
void ht_kept_key_number(ht_text *out, const char *name, double value);
/* Puts which transformations an analysis runs, and its limits but for that of time. */
void ht_kept_key_analysis(ht_text *out, const ht_refactor_options *options);
/* Puts what is known of a device; `runs`: what runs on the host, too: its compiler and flags, which
 * say what the processor is. */
ht_status ht_kept_key_device(ht_text *out, const ht_device *device, bool runs);
/* Puts the variables that hiptemper looks at, but for those that name where things are kept. */
void ht_kept_key_variables(ht_text *out);

#endif
