/* Writing a tuned configuration into an annotated file. */
#ifndef HT_PIPELINE_DEFAULTS_H
#define HT_PIPELINE_DEFAULTS_H

#include "templates/annotations/template.h"

/* The file's text with the default of every parameter of `template` replaced by the configuration's
 * value; all else stays as it is. `text` is the file that the template was read from. free(). */
ht_status ht_defaults_write(const char *text, const ht_template *template, const ht_config *config,
                            char **out_text, ht_error *error);

#endif
