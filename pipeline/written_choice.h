/* Which of a search's finalists is written: by the times of their files, not of the template. */
#ifndef HT_PIPELINE_WRITTEN_CHOICE_H
#define HT_PIPELINE_WRITTEN_CHOICE_H

#include "pipeline/entry.h"

/* After the file of an improved entry was checked (entry->written): takes its times, and chooses
 * which finalist is written next. Where a file is slower than what another finalist's template
 * promises, that one is tried; then the fastest file stays, and the original where it is not
 * clearly faster. `other`: another may be tried. Returns true if the files must be made again. */
bool ht_written_choose(ht_entry *entry, double min_speedup, bool other);

/* After its file was found to be wrong: goes back to one that was not, else on to the next finalist
 * if `other`. Returns false if there is none. */
bool ht_written_retreat(ht_entry *entry, const char *fault, bool other);

/* Returns true if its file was checked before, with the configuration that it has now. */
bool ht_written_is_proven(const ht_entry *entry);
/* Returns the finalist that it has now, if its file was checked and timed; NULL: it was not.
 * Borrowed. */
const ht_candidate *ht_written_current(const ht_entry *entry);

/* "the file's kernel is timed; its template gave 5.60x"; NULL: both are about the same, or not
 * known; free(). */
char *ht_written_difference_words(const ht_entry *entry);

#endif
