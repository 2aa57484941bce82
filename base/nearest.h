/* Mistyped words. */
#ifndef HT_BASE_NEAREST_H
#define HT_BASE_NEAREST_H

/* The candidate nearest to a mistyped word, or NULL when none is near. `candidates` ends in NULL.
 */
const char *ht_nearest_word(const char *word, const char *const *candidates);

#endif
