#include "cli/losses.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LOST_MOST = 32 };

static char *reason_of(const ht_task_result *result, const ht_analysis_limits *limits) {
    if (result->status == HT_ERROR_TIMEOUT)
        return ht_format("its analysis was given up: it takes more than %g s of CPU time; "
                         "--analysis-time raises the limit",
                         limits->seconds);
    if (result->out_of_memory)
        return ht_format("its analysis was given up: it takes more than %zu MiB of memory; "
                         "--analysis-memory raises the limit",
                         limits->memory_bytes >> 20);
    if (result->signal)
        return ht_format("its analysis crashed (%s): a defect of hiptemper, which the other "
                         "kernels of the file do not suffer from; please report it",
                         strsignal(result->signal));
    return ht_format("its analysis ended with code %d and no result: a defect of hiptemper; "
                     "please report it",
                     result->code);
}

bool ht_losses_take(ht_losses *losses, const ht_task_step *step, const ht_task_result *result,
                    const ht_analysis_limits *limits) {
    if (step->number == 0 || step->line == 0 || losses->count == LOST_MOST)
        return false;
    bool limit = result->status == HT_ERROR_TIMEOUT || result->out_of_memory;
    HT_GROW(losses->items, losses->count);
    losses->items[losses->count++] =
        (ht_lost_kernel){.line = step->line,
                         .column = step->column,
                         .status = limit ? HT_KERNEL_TOO_COMPLEX : HT_KERNEL_CRASHED,
                         .reason = reason_of(result, limits)};
    return true;
}

void ht_losses_free(ht_losses *losses) {
    for (size_t i = 0; i < losses->count; ++i)
        free(losses->items[i].reason);
    free(losses->items);
    *losses = (ht_losses){0};
}

static void begin(void *context, int line, int column) {
    ht_loss_watch *watch = context;
    ht_task_step_begin(watch->step, line, column, watch->seconds);
}

void ht_loss_watch_init(ht_loss_watch *watch, ht_task_step *step, const ht_losses *losses,
                        const ht_analysis_limits *limits) {
    *watch = (ht_loss_watch){.watch = {.begin = begin,
                                       .context = watch,
                                       .lost = losses->items,
                                       .lost_count = losses->count},
                             .step = step,
                             .seconds = limits->seconds};
}
