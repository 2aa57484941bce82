/* Outcomes that a limit of time decided: a faster machine, or one with less to do, might come to
 * another. They are kept for some days, with the limit that they met. */
#ifndef HT_PIPELINE_TIMED_H
#define HT_PIPELINE_TIMED_H

#include <jansson.h>
#include <stdbool.h>

enum { HT_TIMED_DAYS = 7 };

/* Limits that are the user's to choose, in seconds; 0: none. */
typedef struct ht_timed_limits {
    double analysis; /* of a kernel's analysis */
    double command;  /* of the whole command */
} ht_timed_limits;

/* Returns true for the reason of an outcome that a limit of time decided. NULL: no reason. */
bool ht_timed_is(const char *reason);
/* The same for the limit of the whole command (--max-time), which the user chose. */
bool ht_timed_is_command(const char *reason);

/* Notes in a document that is to be kept when it was made and under which limits. `timed`: one of
 * its outcomes is one of time. */
void ht_timed_note(json_t *document, bool timed, const ht_timed_limits *limits);
/* Returns true if the document may be taken: none of its outcomes is one of time; or it is at most
 * HT_TIMED_DAYS old, and no limit now is larger than the one that it was made under. */
bool ht_timed_fits(const json_t *document, const ht_timed_limits *now);
/* Returns when it was made, "2026-11-26T08:30:00Z"; null where it does not say. New reference. */
json_t *ht_timed_when(const json_t *document);

#endif
