/* Kernels whose analysis took too long or too much memory, or crashed, in a process of its own: the
 * file is read again without them. */
#ifndef HT_PIPELINE_LOSSES_H
#define HT_PIPELINE_LOSSES_H

#include "pipeline/tasks.h"
#include "refactor/source/options.h"

/* Of one file. */
typedef struct ht_losses {
    ht_lost_kernel *items; /* owned, as are their reasons */
    size_t count;
} ht_losses;

/* A task died: the kernel that it was at is added. False: it was at none, or too many were lost
 * before it, and the file itself is lost. */
bool ht_losses_take(ht_losses *losses, const ht_task_step *step, const ht_task_result *result,
                    const ht_analysis_limits *limits);
void ht_losses_free(ht_losses *losses);
/* Returns true if a crash, rather than a limit, cost a kernel. */
bool ht_losses_any_crash(const ht_losses *losses);

/* In the child: what it watches its file with. `step` and `losses` must outlive it. */
typedef struct ht_loss_watch {
    ht_refactor_watch watch;
    ht_task_step *step;
    double seconds; /* of CPU time for a kernel; 0: no limit */
} ht_loss_watch;
void ht_loss_watch_init(ht_loss_watch *watch, ht_task_step *step, const ht_losses *losses,
                        const ht_analysis_limits *limits);

/* For commands whose own process goes on with what the analysis finds: each kernel's analysis is
 * run in a process of its own first, under the same limits, and a kernel that it does not end well
 * for is left out. Costs that analysis a second time; nothing where there is no limit. */
typedef struct ht_rehearsal {
    ht_refactor_watch watch;
    ht_analysis_limits limits;
} ht_rehearsal;
void ht_rehearsal_init(ht_rehearsal *rehearsal, const ht_analysis_limits *limits);

#endif
