#include "pipeline/losses.h"

#include "base/memory.h"

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

static ht_kernel_status status_of(const ht_task_result *result) {
    bool limit = result->status == HT_ERROR_TIMEOUT || result->out_of_memory;
    return limit ? HT_KERNEL_TOO_COMPLEX : HT_KERNEL_CRASHED;
}

bool ht_losses_take(ht_losses *losses, const ht_task_step *step, const ht_task_result *result,
                    const ht_analysis_limits *limits) {
    if (step->number == 0 || step->line == 0 || losses->count == LOST_MOST)
        return false;
    HT_GROW(losses->items, losses->count);
    losses->items[losses->count++] = (ht_lost_kernel){.line = step->line,
                                                      .column = step->column,
                                                      .status = status_of(result),
                                                      .reason = reason_of(result, limits)};
    return true;
}

void ht_losses_free(ht_losses *losses) {
    for (size_t i = 0; i < losses->count; ++i)
        free(losses->items[i].reason);
    free(losses->items);
    *losses = (ht_losses){0};
}

bool ht_losses_any_crash(const ht_losses *losses) {
    bool any = false;
    for (size_t i = 0; i < losses->count; ++i)
        any = any || losses->items[i].status == HT_KERNEL_CRASHED;
    return any;
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

/* ---- rehearsals */

typedef struct trial {
    const ht_analysis_limits *limits;
    void (*analysis)(void *argument);
    void *argument;
    ht_lost_kernel *lost;
    bool well;
} trial;

static int trial_run(void *context, size_t index, FILE *out) {
    const trial *in = context;
    (void)index;
    (void)out;
    in->analysis(in->argument);
    return 0;
}

static void trial_done(void *context, size_t index, const ht_task_result *result) {
    trial *in = context;
    (void)index;
    in->well = result->status == HT_OK && result->code == 0;
    if (result->status == HT_ERROR_INTERRUPTED)
        *in->lost = (ht_lost_kernel){.status = HT_KERNEL_NOT_REACHED,
                                     .reason = ht_strdup("not analysed: interrupted")};
    else if (!in->well)
        *in->lost =
            (ht_lost_kernel){.status = status_of(result), .reason = reason_of(result, in->limits)};
}

static bool rehearse(void *context, void (*analysis)(void *argument), void *argument,
                     ht_lost_kernel *out_lost) {
    const ht_rehearsal *rehearsal = context;
    trial trial = {&rehearsal->limits, analysis, argument, out_lost, true};
    const ht_tasks tasks = {.count = 1,
                            .workers = 1,
                            .limit_seconds = rehearsal->limits.seconds,
                            .memory_bytes = rehearsal->limits.memory_bytes,
                            .run = trial_run,
                            .done = trial_done,
                            .context = &trial};
    (void)ht_tasks_run(&tasks, NULL); /* without a process: unlimited, as it would be else */
    return trial.well;
}

void ht_rehearsal_init(ht_rehearsal *rehearsal, const ht_analysis_limits *limits) {
    bool limited = limits->seconds > 0 || limits->memory_bytes;
    *rehearsal = (ht_rehearsal){
        .watch = {.context = rehearsal, .rehearse = limited ? rehearse : NULL}, .limits = *limits};
}
