/* Entries, for people and as JSON. */
#ifndef HT_CLI_REPORTS_ENTRY_REPORT_H
#define HT_CLI_REPORTS_ENTRY_REPORT_H

#include "pipeline/entry.h"

/* entry_report.c: for people. */
void ht_entry_report(const ht_entry *entry, const ht_device *device, FILE *out);
/* Returns the same as text, without the empty line at its end; free(). NULL: there is no memory. */
char *ht_entry_report_text(const ht_entry *entry, const ht_device *device);
void ht_entries_report_summary(const ht_entries *entries, const ht_device *device, FILE *out);

/* Prints a line: for runs over many kernels. */
void ht_entry_report_brief(const ht_entry *entry, const ht_device *device, FILE *out);

/* optimize_html.c: the JSON report as a page that needs no other file: a summary, what was
 * measured, the largest gain first, then reasons, each with a next step. free(). */
char *ht_optimize_html(const json_t *document);

/* entry_json.c: docs/json.md. New references. */
json_t *ht_entry_json(const ht_entry *entry, const ht_device *device);
json_t *ht_config_json(const ht_template *template, const ht_config *config);
/* The members "device", "emulated", "timing", "seed", "budget", "seconds" and "interrupted" of a
 * document. */
void ht_session_json(json_t *document, const ht_session *session);
/* [lo, hi], or null unless `valid`. */
json_t *ht_interval_json(bool valid, double lo, double hi);

#endif
