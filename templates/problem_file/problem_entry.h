/* Reading one entry of a problem file. Private to templates/. */
#ifndef HT_TEMPLATES_PROBLEM_FILE_PROBLEM_ENTRY_H
#define HT_TEMPLATES_PROBLEM_FILE_PROBLEM_ENTRY_H

#include "templates/problem_file/json_read.h"
#include "templates/problem_file/problem_file.h"

/* On failure the entry holds what was read so far: ht_problem_entry_clear. */
ht_status ht_problem_entry_read(ht_json_reader *reader, const json_t *object,
                                ht_problem_entry *out_entry);
/* The "problem" and "instances" members, which catalogues have too. */
ht_status ht_problem_entry_read_problem(ht_json_reader *reader, const json_t *object,
                                        ht_problem_entry *entry);
ht_status ht_problem_entry_read_instances(ht_json_reader *reader, const json_t *object,
                                          ht_problem_entry *entry);
void ht_problem_entry_clear(ht_problem_entry *entry);

#endif
