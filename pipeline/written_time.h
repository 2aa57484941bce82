/* How fast a tuned file is: its kernel, as it will be delivered, timed next to the original. The
 * search times the template instead, of which a compiler may make other code. */
#ifndef HT_PIPELINE_WRITTEN_TIME_H
#define HT_PIPELINE_WRITTEN_TIME_H

#include "pipeline/tuning.h"

/* Times a launch that was taken out of a tuned file (ht_written_launch.template) on the session's
 * device, for --final-time seconds at most. `tuned`: its template, whose tolerance holds here too.
 * *out_times is not known where the two cannot be timed, the time is over, or times are those of a
 * recording. Returns why the launch is wrong on that device, at that size; NULL: it is not; free().
 */
char *ht_written_time(const ht_session *session, const ht_template *written,
                      const ht_template *tuned, const ht_problem *problem,
                      ht_pair_times *out_times);

#endif
