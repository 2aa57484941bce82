/* The transformations that are left out where the whole does not compile: as few as will do, by
 * name. / */
#include "support.h"

#include "refactor/rewrite/apply.h"
#include "refactor/unit/culprits.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A pass in which some transformations break the template, alone or in pairs. */
typedef struct faulty {
    ht_transformation_set applied, alone, pair;
    ht_transformation_set base, built; /* `built` apply only with `base` */
    size_t tries;
} faulty;

static bool try_it(void *context, ht_transformation_set without, size_t *out_kept) {
    faulty *in = context;
    ht_transformation_set left = in->applied & ~without;
    if (without & in->base)
        left &= ~in->built;
    *out_kept = (size_t)__builtin_popcount(left);
    ++in->tries;
    return !(left & in->alone) && (!in->pair || (left & in->pair) != in->pair);
}

Test(culprits, the_one_at_fault_is_left_out_wherever_it_runs) {
    for (int i = 0; i < 16; ++i) {
        faulty in = {.applied = 0xffff, .alone = 1U << i};
        cr_expect_eq(ht_culprits_find(try_it, &in, in.applied), 1U << i);
    }
}

Test(culprits, of_two_that_do_not_meet_the_later_one_goes) {
    faulty in = {.applied = 0xffff, .pair = 1U << 4 | 1U << 15};
    cr_expect_eq(ht_culprits_find(try_it, &in, in.applied), 1U << 15);
}

/* Leaving out the later one takes six others with it. */
Test(culprits, as_much_as_can_be_stays) {
    faulty in = {.applied = 0x3fff, .pair = 1U << 2 | 1U << 9, .base = 1U << 9, .built = 0x3c00};
    cr_expect_eq(ht_culprits_find(try_it, &in, in.applied), 1U << 2);
}

Test(culprits, two_at_fault_are_both_found) {
    faulty in = {.applied = 0xffff, .alone = 1U << 3 | 1U << 11};
    cr_expect_eq(ht_culprits_find(try_it, &in, in.applied), 1U << 3 | 1U << 11);
    cr_expect_leq(in.tries, 16 + 16 * 15 / 2);
}

Test(culprits, more_than_two_leave_what_stands_in_front_of_them) {
    faulty in = {.applied = 0xff, .alone = 1U << 5 | 1U << 6 | 1U << 7};
    cr_expect_eq(ht_culprits_find(try_it, &in, in.applied), 0xe0);
    faulty hopeless = {.applied = 0x3, .alone = ~0U};
    hopeless.applied = hopeless.alone = 1;
    cr_expect_eq(ht_culprits_find(try_it, &hopeless, 0), 0);
}

/* fixed-sizes renames 'S', which thread-order names around the body. */
Test(culprits, thread_order_and_fixed_sizes_meet) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_open("examples/kernels/conv2d_direct.hip", &problems);
    size_t index;
    const ht_kernel *kernel = kernel_named(refactor, "conv2d", &index);
    cr_assert_not_null(kernel->template);
    cr_expect_eq(kernel->omitted_count, 0);
    const char *const configs[] = {"FLATTEN=true", "FLATTEN=true R_SIZE=3 S_SIZE=3",
                                   "FLATTEN=true R_SIZE=3 S_SIZE=3 COARSEN_X=2"};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; ++i) {
        ht_refactor_choice choice = {.kernel = index};
        ht_error error = {0};
        char *text, *output;
        cr_assert_eq(ht_config_parse(kernel->template, configs[i], &choice.config, &error), HT_OK,
                     "%s", error.message);
        cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_OK, "%s",
                     error.message);
        cr_expect(clang_parses(text, &output), "%s\n%s", output, text);
        cr_expect(strstr(text, i ? "W - S_given" : "W - S)"), "%s", text);
        free(text);
        free(output);
    }
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}
