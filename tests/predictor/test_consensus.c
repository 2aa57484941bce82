/* The first proposal is the one that is likely and agrees with the others. */
#include "predictor/consensus.h"

#include <criterion/criterion.h>
#include <math.h>

enum { PARAMS = 4 };

/* Makes one alone, then three that differ in one parameter each. */
static void make(ht_proposal *out) {
    static const uint16_t choices[4][PARAMS] = {
        {9, 9, 9, 9}, {1, 1, 1, 1}, {1, 1, 1, 2}, {1, 1, 2, 1}};
    static const double probabilities[4] = {0.3, 0.25, 0.2, 0.1};
    for (int i = 0; i < 4; i++) {
        out[i] = (ht_proposal){.log_probability = log(probabilities[i]), .legal = true};
        for (int t = 0; t < PARAMS; t++)
            out[i].choice[t] = choices[i][t];
    }
}

Test(consensus, without_weight_the_likeliest_leads) {
    ht_proposal proposals[4];
    make(proposals);
    ht_consensus_lead(proposals, 4, PARAMS, 0);
    cr_expect_eq(proposals[0].choice[0], 9);
}

Test(consensus, those_alike_lead_and_the_others_keep_their_order) {
    ht_proposal proposals[4];
    make(proposals);
    ht_consensus_lead(proposals, 4, PARAMS, 2);
    cr_expect_eq(proposals[0].choice[0], 1);
    cr_expect_eq(proposals[0].choice[3], 1);
    cr_expect_eq(proposals[1].choice[0], 9);
    cr_expect_eq(proposals[2].choice[3], 2);
    cr_expect_eq(proposals[3].choice[2], 2);
}

/* 0.9 against 0.1: nothing that agrees outweighs it. */
Test(consensus, what_is_nearly_certain_leads) {
    ht_proposal proposals[4];
    make(proposals);
    for (int i = 0; i < 4; i++)
        proposals[i].log_probability = log(i == 0 ? 0.9 : 0.1 / 3);
    ht_consensus_lead(proposals, 4, PARAMS, 2);
    cr_expect_eq(proposals[0].choice[0], 9);
}

/* A network whose answers are not numbers must not lose or double a proposal. */
Test(consensus, improbable_beyond_numbers_changes_nothing) {
    ht_proposal proposals[4];
    make(proposals);
    for (int i = 0; i < 4; i++)
        proposals[i].log_probability = -INFINITY;
    ht_consensus_lead(proposals, 4, PARAMS, 2);
    cr_expect_eq(proposals[0].choice[0], 9);
    cr_expect_eq(proposals[1].choice[3], 1);
    ht_consensus_lead(proposals, 0, PARAMS, 2);
}
