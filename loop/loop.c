#include "loop/loop.h"

#include "base/memory.h"

#include <stdlib.h>

static const ht_action proposed[] = {
    [HT_PROPOSAL_NONE] = HT_ACTION_STOP,         [HT_PROPOSAL_SOURCE] = HT_ACTION_SOURCE,
    [HT_PROPOSAL_TEMPLATE] = HT_ACTION_TEMPLATE, [HT_PROPOSAL_PARAMETERS] = HT_ACTION_PARAMETERS,
    [HT_PROPOSAL_SEARCH] = HT_ACTION_LONGER,
};

/* Asks the proposer. *out_choice is a stop if it has nothing to propose, or there is none. */
static ht_status proposal_ask(const ht_loop *loop, ht_loop_proposal *out_proposal,
                              ht_choice *out_choice, ht_error *error) {
    const ht_loop_settings *settings = &loop->settings;
    ht_loop_view view = {
        .history = &loop->history,
        .rounds_left = settings->rounds ? settings->rounds + 1 - loop->history.count : UINT64_MAX};
    *out_proposal = (ht_loop_proposal){0};
    *out_choice = (ht_choice){.action = HT_ACTION_STOP};
    if (!loop->proposer)
        return HT_OK;
    loop->hands.view(loop->hands.context, &view);
    ht_status status = loop->proposer->propose(loop->proposer->context, &view, out_proposal, error);
    if (status != HT_OK || out_proposal->kind == HT_PROPOSAL_NONE)
        return status;
    if (out_proposal->parent >= loop->history.count)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "the proposal changes revision %lu, which there is not",
                            (unsigned long)out_proposal->parent);
    *out_choice = (ht_choice){.action = proposed[out_proposal->kind],
                              .parent = out_proposal->parent,
                              .evaluations = out_proposal->evaluations ? out_proposal->evaluations
                                                                       : settings->evaluations,
                              .reason = ht_format("Proposed: %s", out_proposal->reason
                                                                      ? out_proposal->reason
                                                                      : "no reason was given.")};
    uint64_t left = settings->most ? settings->most - ht_history_spent(&loop->history) : UINT64_MAX;
    if (out_choice->evaluations > left)
        out_choice->evaluations = left;
    ht_loop_predict(settings, &loop->history, &loop->lessons, out_choice);
    return HT_OK;
}

/* Chooses the next step: what is proposed comes first, once the source was tuned as it is. */
static ht_status choose(const ht_loop *loop, ht_loop_proposal *out_proposal, ht_choice *out_choice,
                        ht_error *error) {
    ht_choice own;
    *out_proposal = (ht_loop_proposal){0};
    ht_loop_choose(&loop->settings, &loop->history, &loop->lessons, &own);
    *out_choice = own;
    if (own.over || own.action == HT_ACTION_TUNE)
        return HT_OK;
    ht_choice other;
    ht_status status = proposal_ask(loop, out_proposal, &other, error);
    if (status == HT_OK && other.action == HT_ACTION_STOP)
        return HT_OK;
    free(own.reason);
    *out_choice = other;
    return status;
}

/* Takes over what the choice says, and decides whether this is the best from here on. */
static void complete(const ht_choice *choice, ht_revision *revision) {
    revision->action = choice->action;
    revision->parent = choice->parent;
    revision->reason = ht_strdup(choice->reason ? choice->reason : "");
    revision->predicted_gain = choice->predicted_gain;
    revision->predicted_cost = choice->predicted_cost;
    /* both were measured: against the original, and against the best before, in the same rounds */
    revision->kept = revision->verified && !revision->slower && revision->speedup.lo > 1 &&
                     revision->over_best.lo > 1;
}

static ht_status step(ht_loop *loop, const ht_loop_proposal *proposal, const ht_choice *choice,
                      ht_error *error) {
    const ht_loop_hands *hands = &loop->hands;
    ht_revision revision = {0};
    if (hands->chosen)
        hands->chosen(hands->context, choice, loop->history.count);
    ht_status status =
        hands->perform(hands->context, &loop->history, choice,
                       proposal->kind == HT_PROPOSAL_NONE ? NULL : proposal, &revision, error);
    if (status != HT_OK) {
        ht_revision_free(&revision);
        return status;
    }
    complete(choice, &revision);
    const ht_revision *added = ht_history_add(&loop->history, &revision);
    if (hands->keep)
        status = hands->keep(hands->context, added, error);
    if (status == HT_OK && hands->done)
        hands->done(hands->context, added);
    if (status == HT_OK && loop->proposer && loop->proposer->settled &&
        proposal->kind != HT_PROPOSAL_NONE)
        loop->proposer->settled(loop->proposer->context, proposal, added);
    return status;
}

ht_status ht_loop_run(ht_loop *loop, ht_error *error) {
    ht_status status = HT_OK;
    while (status == HT_OK && !loop->ended) {
        ht_loop_proposal proposal;
        ht_choice choice;
        status = choose(loop, &proposal, &choice, error);
        if (status == HT_OK && choice.action == HT_ACTION_STOP)
            loop->ended = ht_strdup(choice.reason);
        else if (status == HT_OK)
            status = step(loop, &proposal, &choice, error);
        ht_loop_proposal_free(&proposal);
        free(choice.reason);
    }
    return status;
}

void ht_loop_free(ht_loop *loop) {
    ht_history_free(&loop->history);
    free(loop->ended);
    *loop = (ht_loop){0};
}
