/* Outcomes of a template's configurations, by earlier steps of a loop, for the next search of it.
 */
#ifndef HT_LOOP_KNOWN_H
#define HT_LOOP_KNOWN_H

#include "loop/revision.h"
#include "search/strategy.h"

typedef struct ht_known {
    ht_trial *trials; /* owned */
    size_t count;
    uint64_t same; /* of these, of the very template */
} ht_known;

/* Lists the outcomes of all searches of templates that were made of the same file as that of
 * `like`, whatever values these had: a configuration keeps its meaning. `template_text` is searched
 * next, as `template`. */
void ht_known_list(const ht_history *history, const ht_revision *like, const ht_template *template,
                   const char *template_text, bool any, ht_known *out_known);
void ht_known_free(ht_known *known);

#endif
