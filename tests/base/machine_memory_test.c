/* How much memory there is, as far as a test can know it. */
#include "base/machine_memory.h"

#include <criterion/criterion.h>

Test(machine_memory, no_more_is_free_than_there_is_nor_usable_than_is_free) {
    uint64_t all = ht_machine_memory(), available = ht_machine_memory_free();
    cr_assert_lt(all, UINT64_MAX);
    cr_assert_gt(available, 0);
    cr_assert_leq(available, all);
    uint64_t usable = ht_machine_memory_usable();
    cr_assert(usable == (uint64_t)1 << 30 || usable < all);
}
