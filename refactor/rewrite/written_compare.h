/* Compares the launches of a tuned file with those that were measured. */
#ifndef HT_REFACTOR_REWRITE_WRITTEN_COMPARE_H
#define HT_REFACTOR_REWRITE_WRITTEN_COMPARE_H

#include "refactor/rewrite/written.h"

/* Returns true if the tuned kernel is launched for a problem. */
bool ht_written_launches(const ht_written_launch *launch, const ht_problem *problem,
                         const ht_device_fields *device);
/* Compares block, grid and dynamic shared memory to the original's, for a problem that gets the
 * original kernel (!ht_written_launches). Returns NULL if they are the same or the original has no
 * launch; else the difference, in words; free(). */
char *ht_written_original_difference(const ht_written_launch *launch, const ht_problem *problem,
                                     const ht_device_fields *device);
/* Compares the file's launch for a problem with the measured one: block, grid, dynamic shared
 * memory and instance of the kernel. `tuned` is the template that was measured, in `config`.
 * Returns NULL if they are the same; else the difference, in words; free(). */
char *ht_written_difference(const ht_written_launch *launch, const ht_template *tuned,
                            const ht_config *config, const ht_problem *problem,
                            const ht_device_fields *device);

#endif
