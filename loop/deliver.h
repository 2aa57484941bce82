/* The end of a step: the winner written into its source and checked against the original, and timed
 * next to the best before it where the search did not. */
#ifndef HT_LOOP_DELIVER_H
#define HT_LOOP_DELIVER_H

#include "loop/generation.h"
#include "loop/revision.h"

typedef struct ht_delivery {
    bool good;
    char *text;  /* of the whole file; NULL: it is not good, or the template is of no file; owned */
    char *words; /* what was checked, or why it is not good; owned */
} ht_delivery;

/* Writes a winner into the text of `from` (NULL: its template is of no file), and checks it as
 * `optimize` does. `original` is not NULL: then the winner is also run against the reference of
 * `template`, the loop's original, at the sizes that verification chooses. */
ht_status ht_deliver(const ht_session *session, const ht_loop_origin *origin, ht_generation *from,
                     const ht_template *template, const ht_pair_result *result,
                     const ht_generation *original, ht_delivery *out_delivery, ht_error *error);

/* Returns why no text can be written with a configuration; NULL: one can; free(). */
char *ht_deliver_obstacle(const ht_generation *from, const ht_config *config);

/* Times a winner next to the source of the best before it, in the same rounds. *out_gain: that
 * one's time over this one's; zero where the two cannot be timed next to each other. */
ht_status ht_deliver_duel(const ht_session *session, const ht_generation *best,
                          const ht_template *template, const ht_config *winner,
                          ht_gain_interval *out_gain, ht_error *error);

#endif
