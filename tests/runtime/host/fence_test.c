/* A stray access faults where it happens, and changes nothing else. */
#include "base/sanitizer.h"
#include "runtime/host/fence.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

static const size_t sizes[] = {1, 255, 256, 4096, 18032, 3 << 20};

Test(fence, memory_is_aligned_and_all_of_it_can_be_used) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        char *memory = ht_fence_alloc(sizes[i]);
        cr_assert(memory);
        cr_assert_eq((uintptr_t)memory % HT_FENCE_ALIGNMENT, 0);
        memset(memory, 0x5a, sizes[i]);
        cr_assert_eq(memory[sizes[i] - 1], 0x5a);
        ht_fence_free(memory);
    }
    ht_fence_free(NULL);
}

Test(fence, sizes_that_no_machine_has_are_refused) {
    cr_assert_null(ht_fence_alloc(SIZE_MAX));
    cr_assert_null(ht_fence_alloc(SIZE_MAX - 4096));
    cr_assert_null(ht_fence_alloc(SIZE_MAX / 8));
}

#if !HT_ADDRESS_SANITIZED /* which has bounds of its own, and says so otherwise */
Test(fence, a_write_past_the_end_faults, .signal = SIGSEGV) {
    volatile char *memory = ht_fence_alloc(18032);
    memory[18176] = 1; /* 18,032 to the alignment */
}

Test(fence, a_write_as_far_past_the_end_as_the_memory_is_long_faults, .signal = SIGSEGV) {
    volatile char *memory = ht_fence_alloc(3 << 20);
    memory[(6 << 20) - 1] = 1;
}

Test(fence, a_write_before_the_beginning_faults, .signal = SIGSEGV) {
    volatile char *memory = ht_fence_alloc(18032);
    memory[-4096] = 1;
}

Test(fence, a_use_after_it_was_freed_faults, .signal = SIGSEGV) {
    volatile char *memory = ht_fence_alloc(18032);
    ht_fence_free((void *)memory);
    memory[0] = 1;
}
#endif
