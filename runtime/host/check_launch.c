/* A launch of a checked image: which blocks, one at a time, and the meaning of a fault in them. */
#include "runtime/host/check_internal.h"

#include "base/memory.h"
#include "base/random.h"
#include "runtime/host/build.h"
#include "runtime/host/errors.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* One block may make many times the accesses that are wanted; the rest of it then runs unwatched.
 */
enum {
    SAMPLE_MAX = 4096,
    SAMPLE_BITS = 13,
    SAMPLE_SLOTS = 1 << SAMPLE_BITS, /* twice as many: a search meets few others */
    FAULT_STACK = 64 * 1024,
    PATIENCE = 16
};

static const int fault_signals[] = {SIGSEGV, SIGBUS};
enum { FAULT_SIGNALS = sizeof fault_signals / sizeof *fault_signals };

/* Takes a fault in a kernel's thread: the stack it happened on is given up like that of any
 * finding. The handler runs on a stack of its own and never returns to the fault. */
static void on_fault(int number, siginfo_t *info, void *context) {
    ht_checker *checker = &ht_the_checker;
    const ucontext_t *machine = context;
    (void)number;
    checker->outcome.spent = true;
    ht_raw_finding raw = {.kind = "fault", .address = (uintptr_t)info->si_addr};
#ifdef __x86_64__
    raw.code = (uintptr_t)machine->uc_mcontext.gregs[REG_RIP] + 1;
#else
    (void)machine;
#endif
    if (ht_stacks_find(&checker->block.given->stacks, info->si_addr) == HT_STACK_GUARD)
        raw.kind = "stack";
    for (size_t i = 0; i < checker->regions.count; ++i) {
        const ht_region *region = &checker->regions.items[i];
        if (raw.address >= region->low && raw.address < region->high) {
            raw.kind = "outside";
            raw.region = region;
        }
    }
    ht_check_fail(checker, &raw);
}

typedef struct faults {
    struct sigaction before[FAULT_SIGNALS];
    stack_t stack_before;
    void *stack;
} faults;

static void catch_faults(faults *of) {
    of->stack = ht_realloc(NULL, FAULT_STACK, 1); /* not filled */
    stack_t stack = {.ss_sp = of->stack, .ss_size = FAULT_STACK};
    sigaltstack(&stack, &of->stack_before);
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < FAULT_SIGNALS; ++i)
        sigaction(fault_signals[i], &action, &of->before[i]);
}

static void release_faults(faults *of) {
    for (size_t i = 0; i < FAULT_SIGNALS; ++i)
        sigaction(fault_signals[i], &of->before[i], NULL);
    sigaltstack(&of->stack_before, NULL);
    free(of->stack);
}

/* Fills without memset, which AddressSanitizer watches: there may be space between arrays. */
static void fill(uintptr_t data, size_t bytes) {
    volatile unsigned char *to = (volatile unsigned char *)data;
    for (size_t i = 0; i < bytes; ++i)
        to[i] = 0xFF;
}

static void poison(const ht_check_image *image, unsigned dynamic_lds) {
    fill(image->lds, image->lds_bytes);
    if (image->dynamic)
        fill(image->dynamic, dynamic_lds);
}

static void note_block(ht_checker *checker, uint64_t index) {
    HT_GROW(checker->launch.blocks, checker->launch.block_count);
    checker->launch.blocks[checker->launch.block_count++] =
        (ht_checked_block){.epoch = checker->block.epoch + 1, .index = index};
}

static bool run_block(const ht_checked_launch *launch, uint64_t index, bool track, int *out_code,
                      char message[HT_BLOCK_MESSAGE]) {
    ht_checker *checker = &ht_the_checker;
    const uint32_t *grid = launch->block.grid;
    uint32_t at[3] = {(uint32_t)(index % grid[0]), (uint32_t)(index / grid[0] % grid[1]),
                      (uint32_t)(index / grid[0] / grid[1])};
    poison(launch->image, launch->dynamic_lds);
    if (track)
        note_block(checker, index);
    ht_check_enter(checker, index);
    checker->tracking = track;
    ++checker->outcome.blocks_run;
    checker->outcome.blocks_checked += track;
    bool done = ht_block_run(checker->block.given, &launch->block, at, out_code, message);
    checker->tracking = false;
    if (track)
        ht_check_close_block(checker, checker->block.given->threads);
    if (done && checker->reported)
        *out_code = HT_HIP_ERROR_LAUNCH_FAILURE;
    return done && !checker->reported;
}

/* The blocks that come first when not all can be watched: the corners of the grid, where edges are
 * handled, then any. */
typedef struct sample {
    ht_random random;
    uint64_t slots[SAMPLE_SLOTS]; /* one more than the block that was taken; 0: free */
    size_t count;
    unsigned corner;
} sample;

/* Returns the slot that the block is in, or that it would be put into. */
static size_t slot_of(const sample *in, uint64_t index) {
    size_t slot = (size_t)(index * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SAMPLE_BITS));
    while (in->slots[slot] != 0 && in->slots[slot] != index + 1)
        slot = (slot + 1) % SAMPLE_SLOTS;
    return slot;
}

static bool is_new(const sample *in, uint64_t index) {
    return in->slots[slot_of(in, index)] == 0;
}

static void put(sample *in, uint64_t index) {
    in->slots[slot_of(in, index)] = index + 1;
    ++in->count;
}

static uint64_t corner_block(const uint32_t *grid, unsigned corner) {
    uint64_t x = corner & 1 ? grid[0] - 1 : 0, y = corner & 2 ? grid[1] - 1 : 0,
             z = corner & 4 ? grid[2] - 1 : 0;
    return (z * grid[1] + y) * grid[0] + x;
}

/* Chooses any new block: from a random one on, the next that is new, so that small grids are
 * exhausted. */
static bool next_of_sample(sample *in, const ht_checked_launch *launch, uint64_t *out_index) {
    enum { CORNERS = 8 };
    if (in->count == SAMPLE_MAX || in->count == launch->blocks)
        return false;
    while (in->corner < CORNERS) {
        uint64_t index = corner_block(launch->block.grid, in->corner++);
        if (!is_new(in, index))
            continue;
        put(in, *out_index = index);
        return true;
    }
    uint64_t index = ht_random_below(&in->random, launch->blocks);
    while (!is_new(in, index))
        index = (index + 1) % launch->blocks;
    put(in, *out_index = index);
    return true;
}

static bool run_all(const ht_checked_launch *launch, int *out_code,
                    char message[HT_BLOCK_MESSAGE]) {
    bool backward = ht_the_checker.plan.order == HT_CHECK_BACKWARD;
    for (uint64_t i = 0; i < launch->blocks; ++i)
        if (!run_block(launch, backward ? launch->blocks - 1 - i : i, true, out_code, message))
            return false;
    return true;
}

/* Runs the blocks that were not watched, when a later launch reads their results. */
static bool run_rest(const ht_checked_launch *launch, const sample *done, int *out_code,
                     char message[HT_BLOCK_MESSAGE]) {
    for (uint64_t i = 0; i < launch->blocks; ++i)
        if (is_new(done, i) && !run_block(launch, i, false, out_code, message))
            return false;
    return true;
}

/* Returns true if all blocks of the launch would make few enough accesses, if all were as those
 * that ran. */
static bool is_affordable(const ht_checked_launch *launch, const sample *done, uint64_t before) {
    const ht_checker *checker = &ht_the_checker;
    uint64_t made = checker->outcome.accesses - before;
    return done->count && (double)made / (double)done->count * (double)launch->blocks <=
                              (double)checker->plan.affordable;
}

static bool run_some(const ht_checked_launch *launch, int *out_code,
                     char message[HT_BLOCK_MESSAGE]) {
    ht_checker *checker = &ht_the_checker;
    uint64_t before = checker->outcome.accesses, index;
    uint64_t limit = before + checker->plan.accesses;
    sample *chosen = ht_alloc(1, sizeof *chosen);
    ht_random_stream(&chosen->random, checker->plan.seed, 0);
    bool good = true;
    while (good && checker->outcome.accesses < limit && checker->pages < checker->launch.pages &&
           next_of_sample(chosen, launch, &index))
        good = run_block(launch, index, true, out_code, message);
    if (good && (checker->plan.complete || is_affordable(launch, chosen, before)))
        good = run_rest(launch, chosen, out_code, message);
    free(chosen);
    return good;
}

static void open_regions(ht_checker *checker, const ht_checked_launch *launch) {
    const ht_check_image *image = launch->image;
    ht_region *regions = checker->regions.items, *dynamic = &regions[HT_CHECK_DYNAMIC];
    ht_region_make_untyped(&regions[HT_CHECK_STATIC], image->lds, image->lds_bytes);
    ht_region_make_untyped(dynamic, image->dynamic, image->dynamic ? launch->dynamic_lds : 0);
    if (image->dynamic)
        dynamic->high = image->dynamic + HT_DYNAMIC_LDS_MAX;
    regions[HT_CHECK_STATIC].shared = dynamic->shared = true;
    for (size_t i = 0; i < HT_CHECK_SECTIONS; ++i) {
        ht_region *region = &regions[HT_CHECK_VARIABLES + i];
        ht_region_make_untyped(region, image->variables[i].data, image->variables[i].bytes);
        region->variables = true;
    }
    if (checker->regions.count < HT_CHECK_FIRST_BUFFER)
        checker->regions.count = HT_CHECK_FIRST_BUFFER;
}

static void begin(ht_checker *checker, const ht_checked_launch *launch) {
    static const ht_check_plan none;
    if (!checker->planned)
        checker->plan = none;
    checker->launch.image = launch->image;
    checker->launch.given = &launch->block;
    checker->block.given = ht_block_here();
    checker->launch.epoch = checker->block.epoch + 1;
    checker->launch.most =
        checker->plan.accesses ? checker->outcome.accesses + PATIENCE * checker->plan.accesses : 0;
    checker->launch.pages = checker->plan.pages ? checker->plan.pages : HT_CHECK_PAGES;
    checker->raw.kind = NULL;
    checker->reported = false;
    ht_check_forget_blocks(checker);
    checker->outcome.blocks += launch->blocks;
    open_regions(checker, launch);
}

bool ht_check_launch(const ht_checked_launch *launch, int *out_code,
                     char message[HT_BLOCK_MESSAGE]) {
    ht_checker *checker = &ht_the_checker;
    faults caught;
    begin(checker, launch);
    catch_faults(&caught);
    bool done = checker->plan.accesses ? run_some(launch, out_code, message)
                                       : run_all(launch, out_code, message);
    release_faults(&caught);
    if (checker->raw.kind) {
        checker->outcome.found = true;
        ht_check_describe(checker, &checker->raw, &checker->outcome.finding);
        snprintf(message, HT_BLOCK_MESSAGE, "%.511s", checker->outcome.finding.message);
    }
    checker->blind = checker->outcome.blocks_checked < checker->outcome.blocks ||
                     (checker->launch.most && (checker->outcome.accesses >= checker->launch.most ||
                                               checker->pages >= checker->launch.pages));
    for (size_t i = 0; i < HT_CHECK_FIRST_BUFFER; ++i)
        ht_region_free(&checker->regions.items[i]);
    return done;
}
