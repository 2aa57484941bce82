/* A space for people and as JSON. */
#ifndef HT_CLI_REPORTS_SPACE_REPORT_H
#define HT_CLI_REPORTS_SPACE_REPORT_H

#include "cli/command.h"
#include "templates/space/space.h"

/* Parameters, constraints and numbers. `binding` is NULL for a T1 file. */
void ht_space_summary_print(const ht_space *space, const char *path, const ht_binding *binding,
                            FILE *out);
/* The number of legal configurations, or "unknown". */
void ht_space_count_print(const ht_space *space, FILE *out);
/* "BLOCK_X=16 TILE=2"; false when it cannot be written. */
bool ht_space_config_print(const ht_space *space, const ht_config *config, FILE *out);

/* An element of "spaces", without its configurations. New reference, as below. */
json_t *ht_space_json(const ht_space *space, const char *path, const ht_binding *binding);
json_t *ht_space_config_json(const ht_space *space, const ht_config *config);

#endif
