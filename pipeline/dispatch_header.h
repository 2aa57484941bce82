/* A C++ header that launches a template in the configuration that fits the problem. */
#ifndef HT_PIPELINE_DISPATCH_HEADER_H
#define HT_PIPELINE_DISPATCH_HEADER_H

#include "pipeline/choice_header.h"

/* Why there can be no such header, in words for the template's author; NULL: there can. free(). */
char *ht_dispatch_refusal(const ht_template *template);
/* Returns true if the configuration can be one of the header's: what macros say is the same in all,
 * and is the default. */
bool ht_dispatch_fits(const ht_template *template, const ht_config *config);

/* C++ text of NAME_dispatch::launch(buffers..., problem, scalars..., stream), over the headers
 * `choice` (ht_choice_header) and `launcher` (ht_launcher_write without a configuration), by their
 * file names. free(). */
char *ht_dispatch_header(const ht_choice_table *table, const char *choice, const char *launcher);

#endif
