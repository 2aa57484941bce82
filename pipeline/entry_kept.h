/* Entries of a report that an earlier run kept. */
#ifndef HT_PIPELINE_ENTRY_KEPT_H
#define HT_PIPELINE_ENTRY_KEPT_H

#include "pipeline/entry.h"

/* Adds the entries of a document, {"rows": [{"row", "text", "when"}]}, whose rows are those of the
 * JSON report (docs/json.md). They have verdicts, times and files, but no template: nothing is to
 * be done for them. `document` is borrowed and outlives them; NULL has none. Returns how many. */
size_t ht_entries_unpack(ht_entries *entries, size_t source, const json_t *document);
/* Returns true if the entry's result may be kept: it is no input's fault, and came to its end. */
bool ht_entry_is_settled(const ht_entry *entry);
/* Returns true if times decided the result, or a limit of time. */
bool ht_entry_is_timed(const ht_entry *entry);

/* Takes the names of a row's files, and what was proven of the tuned source, into an entry that has
 * none. */
void ht_entry_files_take(const json_t *row, ht_entry *entry);
/* Takes them back. */
void ht_entry_files_drop(ht_entry *entry);
/* Takes verdict, reason and times of a row into an entry whose kernel is read again. */
void ht_entry_take(const json_t *row, ht_entry *entry);

#endif
