/* Bytes that programs copy to the host, kept and compared. */
#include "program.h"

#include "base/memory.h"
#include "pipeline/copies_compare.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 4 };

/* Two runs of a program with one copy of four floats; the bytes of both are kept. */
typedef struct runs {
    ht_copies *before, *after;
    float was[VALUES], is[VALUES];
    ht_byte_store was_store, is_store;
    ht_capture *capture;
} runs;

static void runs_make(runs *of, const char *type) {
    *of = (runs){.before = ht_copies_new(),
                 .after = ht_copies_new(),
                 .was = {1.0f, -200.0f, 0.5f, 3.0f},
                 .is = {1.0f, -200.0f, 0.5f, 3.0f},
                 .capture = ht_capture_new()};
    of->was_store = (ht_byte_store){(unsigned char *)of->was, sizeof of->was, -1};
    of->is_store = (ht_byte_store){(unsigned char *)of->is, sizeof of->is, -1};
    of->capture->launch_count = 1;
    snprintf(of->capture->launches[0].name, HT_CAPTURE_NAME, "void k<int>(%s const*, int)", type);
    of->before->count = of->after->count = 1;
    of->before->items[0] =
        (ht_copy){.bytes = sizeof of->was, .hash = 1, .kept = 1, .use = {.count = 1}};
    of->after->items[0] = (ht_copy){.bytes = sizeof of->is, .hash = 2, .kept = 1};
}

static ht_copies_answer runs_compare(runs *of, double tolerance) {
    const ht_copies_question question = {
        {of->before, &of->was_store}, {of->after, &of->is_store}, of->capture, tolerance};
    ht_copies_answer answer;
    ht_copies_compare(&question, &answer);
    return answer;
}

static void runs_free(runs *of) {
    ht_copies_free(of->before);
    ht_copies_free(of->after);
    ht_capture_free(of->capture);
}

/* Sums in another order may differ by the tolerance of the largest value, and by no more; where
 * they need not differ, the bytes are the same or the copy is another one. */
Test(capture, copies_differ_by_the_tolerance_at_most) {
    runs of;
    runs_make(&of, "float");
    of.is[2] = 0.5001f; /* 5e-7 of 200 */
    ht_copies_answer answer = runs_compare(&of, 1e-6);
    cr_expect_eq(answer.within, 1, "%s", answer.reason);
    cr_expect_eq(answer.different, 0);
    cr_expect(answer.largest > 4e-7 && answer.largest < 6e-7, "%g", answer.largest);
    ht_copies_answer_free(&answer);
    answer = runs_compare(&of, 0.0);
    cr_expect_eq(answer.different, 1);
    cr_expect(strstr(answer.reason, "no chosen configuration sums in another order"));
    ht_copies_answer_free(&answer);
    of.is[2] = 0.501f;
    answer = runs_compare(&of, 1e-6);
    cr_expect_eq(answer.first_different, 1);
    cr_expect(strstr(answer.reason, "element 2 is 0.500999987 and was 0.5, off by 5e-06 of the "
                                    "largest value"),
              "%s", answer.reason);
    ht_copies_answer_free(&answer);
    of.is[2] = NAN;
    answer = runs_compare(&of, 1e-6);
    cr_expect_eq(answer.different, 1);
    ht_copies_answer_free(&answer);
    runs_free(&of);
}

/* Bits stand for themselves unless it is known that they are numbers with rounding. */
Test(capture, copies_of_other_than_real_numbers_are_compared_bit_by_bit) {
    static const struct {
        char *type, *says;
    } cases[] = {{"int", "no floating-point numbers"}, {"thing", "type of its elements"}};
    for (size_t i = 0; i < 2; ++i) {
        runs of;
        runs_make(&of, cases[i].type);
        of.is[1] = nextafterf(of.is[1], 0.0f);
        ht_copies_answer answer = runs_compare(&of, 1e-6);
        cr_expect_eq(answer.different, 1);
        cr_expect(strstr(answer.reason, cases[i].says), "%s", answer.reason);
        ht_copies_answer_free(&answer);
        runs_free(&of);
    }
    runs of;
    runs_make(&of, "float");
    of.is[1] = nextafterf(of.is[1], 0.0f);
    of.before->items[0].use.count = 0; /* no kernel uses it */
    ht_copies_answer answer = runs_compare(&of, 1e-6);
    cr_expect_eq(answer.different, 1);
    ht_copies_answer_free(&answer);
    of.before->items[0].use = (ht_memory_use){.count = 1, .offset = 2}; /* in the midst of one */
    answer = runs_compare(&of, 1e-6);
    cr_expect_eq(answer.different, 1);
    ht_copies_answer_free(&answer);
    of.before->items[0].use = (ht_memory_use){.count = 1};
    of.after->items[0].kept = 0;
    answer = runs_compare(&of, 1e-6);
    cr_expect(strstr(answer.reason, "not kept"), "%s", answer.reason);
    ht_copies_answer_free(&answer);
    runs_free(&of);
}

/* The copies of most programs take less than a mebibyte. */
Test(capture, a_store_for_a_few_bytes_has_room_for_them) {
    ht_byte_store store;
    uint64_t used = 0;
    workplace_make();
    ht_byte_store_open(&store, workplace(), 64);
    cr_assert_not_null(store.bytes);
    uint64_t place = ht_byte_store_put(&store, &used, "abc", 4);
    cr_expect_eq(place, 1);
    ht_byte_store_trim(&store, used);
    cr_expect_str_eq((const char *)ht_byte_store_at(&store, place, 4), "abc");
    cr_expect_null(ht_byte_store_at(&store, place, 1 << 20));
    cr_expect_eq(ht_byte_store_put(&store, &used, "abc", store.size), 0);
    ht_byte_store_close(&store);
    workplace_remove();
}
