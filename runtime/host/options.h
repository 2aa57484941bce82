/* hiprtc's compile options as this provider takes them: what clang for the host understands passes,
 * what only a GPU compiler needs is dropped, the rest is refused by name. */
#ifndef HT_RUNTIME_HOST_OPTIONS_H
#define HT_RUNTIME_HOST_OPTIONS_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_option_list {
    const char **items; /* for clang; array owned, strings borrowed from the caller or static */
    size_t count;
    ht_text macros; /* -D and -U as preprocessor lines: they belong after the prelude, which a
                       macro named T would break */
    bool checked;   /* --check was among them: compile for checking */
    bool counted;   /* --check=count: optimised as for running, so that accesses can be counted */
    bool addressed; /* --check=address: and for AddressSanitizer, which the process must have */
} ht_option_list;

/* False with a line in `log` for an option that is not known. Free the list in either case. */
bool ht_options_read(size_t count, const char *const *options, ht_option_list *out_list,
                     ht_text *log);
void ht_options_free(ht_option_list *list);

#endif
