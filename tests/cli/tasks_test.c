/* Tasks in processes of their own. */
#include "pipeline/tasks.h"

#include "cli/command.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 40 };

typedef struct record {
    ht_status status[COUNT];
    int signal[COUNT], code[COUNT];
    char text[COUNT][32];
    size_t length[COUNT], ended;
} record;

static int run_task(void *context, size_t index, FILE *out) {
    (void)context;
    switch (index % 8) {
    case 3:
        raise(SIGSEGV);
        return 0;
    case 4:
        for (volatile size_t i = 0;; ++i)
            if (index == 4)
                pause();
    case 5:
        return 7;
    case 6: /* more than a pipe holds */
        for (size_t i = 0; i < 30000; ++i)
            fprintf(out, "%09zu\n", i);
        return 0;
    case 7:
        free(malloc(16)); /* as a compiler that runs wild does */
        for (size_t i = 0; i < 4096; ++i) {
            char *block = malloc(1 << 20);
            if (!block)
                return 9;
            memset(block, 1, 1 << 20);
        }
        return 0;
    default:
        fprintf(out, "result %zu", index);
        return 0;
    }
}

static void done(void *context, size_t index, const ht_task_result *result) {
    record *of = context;
    of->status[index] = result->status;
    of->signal[index] = result->signal;
    of->code[index] = result->code;
    of->length[index] = result->length;
    snprintf(of->text[index], sizeof of->text[index], "%s", result->text ? result->text : "");
    ++of->ended;
}

Test(tasks, one_that_dies_or_hangs_costs_its_own_result) {
    record of = {0};
    ht_tasks tasks = {.count = COUNT,
                      .workers = 3,
                      .limit_seconds = 0.3,
                      .run = run_task,
                      .done = done,
                      .context = &of};
    tasks.memory_bytes = 512u << 20;
    ht_error error;
    cr_assert_eq(ht_tasks_run(&tasks, &error), HT_OK);
    cr_assert_eq(of.ended, COUNT);
    for (size_t i = 0; i < COUNT; ++i) {
        char wanted[32];
        switch (i % 8) {
        case 3:
            cr_assert_eq(of.status[i], HT_ERROR_CRASH);
            cr_assert_eq(of.signal[i], SIGSEGV);
            break;
        case 4:
            cr_assert_eq(of.status[i], HT_ERROR_TIMEOUT);
            break;
        case 5:
            cr_assert_eq(of.code[i], 7);
            break;
        case 6:
            cr_assert_eq(of.length[i], 300000);
            break;
        case 7:
            break; /* its limit depends on the sanitizer */
        default:
            snprintf(wanted, sizeof wanted, "result %zu", i);
            cr_assert_eq(of.status[i], HT_OK);
            cr_assert_str_eq(of.text[i], wanted);
        }
    }
}

static int run_for_long(void *context, size_t index, FILE *out) {
    (void)context;
    (void)index;
    while (clock() < CLOCKS_PER_SEC / 5)
        ;
    fputs("result", out);
    return 0;
}

/* Whether or not the process that waits for it has looked in the meantime. */
Test(tasks, a_limit_of_less_than_a_second_is_kept) {
    record of = {0};
    ht_tasks tasks = {.count = 4,
                      .workers = 2,
                      .limit_seconds = 0.05,
                      .run = run_for_long,
                      .done = done,
                      .context = &of};
    cr_assert_eq(ht_tasks_run(&tasks, NULL), HT_OK);
    for (size_t i = 0; i < 4; ++i) {
        cr_assert_eq(of.status[i], HT_ERROR_TIMEOUT);
        cr_assert_eq(of.length[i], 0);
    }
}

Test(tasks, what_never_began_is_interrupted) {
    record of = {0};
    ht_tasks tasks = {.count = COUNT, .workers = 2, .run = run_task, .done = done, .context = &of};
    ht_interrupted = 1;
    cr_assert_eq(ht_tasks_run(&tasks, NULL), HT_OK);
    cr_assert_eq(of.ended, COUNT);
    for (size_t i = 0; i < COUNT; ++i)
        cr_assert_eq(of.status[i], HT_ERROR_INTERRUPTED);
}

typedef struct weighing {
    record of;
    uint64_t *taken; /* by all that run, in shared memory */
    const uint64_t *weights;
} weighing;

enum { WEIGHT_MAX = 4 };

/* Fails where more run than may. */
static int run_weighed(void *context, size_t index, FILE *out) {
    const weighing *in = context;
    uint64_t own = in->weights[index], taken = __atomic_add_fetch(in->taken, own, __ATOMIC_SEQ_CST);
    usleep(20000);
    uint64_t later = __atomic_fetch_sub(in->taken, own, __ATOMIC_SEQ_CST);
    fputs("result", out);
    return (taken > WEIGHT_MAX && taken != own) || (later > WEIGHT_MAX && later != own);
}

static void weighed_done(void *context, size_t index, const ht_task_result *result) {
    done(&((weighing *)context)->of, index, result);
}

Test(tasks, those_that_take_much_wait_for_others_and_run_alone) {
    static const uint64_t weights[] = {1, 1, 9, 1, 2, 2, 3, 1, 0, 4, 9, 9};
    enum { WEIGHED = sizeof weights / sizeof *weights };
    weighing of = {.weights = weights};
    of.taken =
        mmap(NULL, sizeof *of.taken, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(of.taken, MAP_FAILED);
    ht_tasks tasks = {.count = WEIGHED,
                      .workers = 3,
                      .weights = weights,
                      .weight_max = WEIGHT_MAX,
                      .run = run_weighed,
                      .done = weighed_done,
                      .context = &of};
    cr_assert_eq(ht_tasks_run(&tasks, NULL), HT_OK);
    cr_assert_eq(of.of.ended, WEIGHED);
    for (size_t i = 0; i < WEIGHED; ++i) {
        cr_expect_eq(of.of.status[i], HT_OK);
        cr_expect_eq(of.of.code[i], 0, "task %zu", i);
    }
    munmap(of.taken, sizeof *of.taken);
}
