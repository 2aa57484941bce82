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
/* Returns true if a device launches the original for a problem. */
bool ht_written_original_fits(const ht_written_launch *launch, const ht_problem *problem,
                              const ht_device_fields *device);
/* Returns true if the file's launch has blocks and a number of blocks that a device takes. Rounded
 * up, its threads may be more than 2^32 where the original's are just below. */
bool ht_written_fits(const ht_written_launch *launch, const ht_problem *problem,
                     const ht_device_fields *device);
/* Returns true if a launcher function launches nothing for a problem. */
bool ht_written_refuses(const ht_written_launch *launch, const ht_problem *problem,
                        const ht_device_fields *device);
/* Returns true if the tuned configuration is for this size. */
bool ht_written_is_legal(const ht_template *tuned, const ht_config *config,
                         const ht_problem *problem, const ht_device_fields *device);
/* Returns true if the configuration is not legal for a problem, but is for the same with the sizes
 * that the program fixes at its own values: it never has this one, for which the launch, whose
 * grids are those constants', need not be right. */
bool ht_written_is_elsewhere(const ht_written_constants *constants, const ht_template *tuned,
                             const ht_config *config, const ht_problem *problem,
                             const ht_device_fields *device);
/* Returns true if no device launches the tuned blocks for a problem: for all items that the
 * original's grid may be for, and by the measured grid, too. */
bool ht_written_is_past(const ht_written_launch *launch, const ht_template *tuned,
                        const ht_config *config, const ht_problem *problem,
                        const ht_device_fields *device);
/* Compares the file's launch for a problem that is past the tuned blocks with the original's: the
 * block and shared memory must be its own, and the grid, or one with several outputs a thread as in
 * the tuned kernel. Returns NULL if they are, or the original's block is not known; else the
 * difference, in words; free(). */
char *ht_written_past_difference(const ht_written_launch *launch, const ht_template *tuned,
                                 const ht_config *config, const ht_problem *problem,
                                 const ht_device_fields *device);
/* Compares the file's launch for a problem with the measured one: block, grid, dynamic shared
 * memory and instance of the kernel. `tuned` is the template that was measured, in `config`.
 * Returns NULL if they are the same; else the difference, in words; free(). */
char *ht_written_difference(const ht_written_launch *launch, const ht_template *tuned,
                            const ht_config *config, const ht_problem *problem,
                            const ht_device_fields *device);

#endif
