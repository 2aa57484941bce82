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
 * `optimize` does. `timed`: `from` is the loop's original, and the file is timed next to it;
 * *result, which is that of the entry, may take another finalist whose file is faster
 * (written_choice.h). `original` is not NULL: the winner is also run against the reference of
 * `template`, the loop's original, at the sizes that verification chooses. */
ht_status ht_deliver(const ht_session *session, const ht_loop_origin *origin, ht_generation *from,
                     const ht_template *template, const ht_pair_result *result,
                     const ht_generation *original, bool timed, ht_delivery *out_delivery,
                     ht_error *error);

/* Returns why no text can be written with a configuration; NULL: one can; free(). */
char *ht_deliver_obstacle(const ht_generation *from, const ht_config *config);

/* Times a winner next to another source, in the same rounds. *out_times: that one is `original`;
 * not known where the two cannot be timed next to each other. */
ht_status ht_deliver_duel(const ht_session *session, const ht_generation *other,
                          const ht_template *template, const ht_config *winner,
                          ht_pair_times *out_times, ht_error *error);

#endif
