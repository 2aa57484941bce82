#include "loop/agent/seat.h"

#include "base/memory.h"

#include <stdlib.h>

static void phase_begin(const ht_seat *seat, const char *phase) {
    if (seat->begun)
        seat->begun(seat->context, phase);
}

/* Judges an answer that fits the schema. One without code is the loop's to judge. */
static ht_status answer_judge(const ht_seat *seat, ht_answer *answer, ht_gate_verdict *out,
                              ht_error *error) {
    ht_status status = HT_OK;
    *out = (ht_gate_verdict){0};
    switch (answer->kind) {
    case HT_ANSWER_KERNEL:
        status = ht_gate_kernel(seat->gate, answer->text, out, error);
        break;
    case HT_ANSWER_SOURCE:
        status = ht_gate_source(seat->gate, answer->text, out, error);
        break;
    case HT_ANSWER_TEMPLATE:
        status = ht_gate_template(seat->gate, answer->text, out, error);
        break;
    default:
        return HT_OK;
    }
    if (status == HT_OK && out->text) {
        free(answer->text);
        answer->text = ht_strdup(out->text);
        if (answer->kind == HT_ANSWER_KERNEL)
            answer->kind = HT_ANSWER_SOURCE;
    }
    return status;
}

/* Asks once. */
static ht_status question_ask(ht_seat *seat, const ht_agent_state *state, const ht_refused *before,
                              ht_answer *out_answer, ht_gate_verdict *out_verdict,
                              ht_error *error) {
    ht_agent_state asked = *state;
    char *line = NULL;
    size_t length = 0;
    asked.turn = ++seat->turn;
    asked.definition = ht_gate_definition(seat->gate);
    asked.annotations = ht_gate_annotations(seat->gate);
    asked.refused = before;
    *out_answer = (ht_answer){0};
    *out_verdict = (ht_gate_verdict){0};
    json_t *question = ht_agent_state_json(&asked);
    phase_begin(seat, "waiting for its answer");
    ht_status status = ht_agent_command_ask(seat->command, question, &line, &length, error);
    json_decref(question);
    ht_refused refused = {0};
    if (status == HT_OK)
        ht_answer_read(line, length, asked.turn, out_answer, &refused);
    free(line);
    if (status == HT_OK && refused.kind == HT_REFUSAL_NONE && out_answer->text)
        phase_begin(seat, "judging its answer");
    if (status == HT_OK && refused.kind == HT_REFUSAL_NONE)
        status = answer_judge(seat, out_answer, out_verdict, error);
    else
        out_verdict->refused = refused;
    return status;
}

ht_status ht_seat_ask(ht_seat *seat, const ht_agent_state *state, ht_answer *out_answer,
                      ht_gate_verdict *out_verdict, ht_error *error) {
    unsigned tries = seat->tries ? seat->tries : HT_SEAT_TRIES;
    ht_refused before = {0};
    ht_status status = HT_OK;
    for (unsigned i = 0; i < tries; ++i) {
        status = question_ask(seat, state, &before, out_answer, out_verdict, error);
        ht_refused_free(&before);
        if (status != HT_OK || out_verdict->refused.kind == HT_REFUSAL_NONE)
            return status;
        if (seat->refused)
            seat->refused(seat->context, out_answer, &out_verdict->refused);
        if (i + 1 < tries) {
            before = out_verdict->refused;
            out_verdict->refused = (ht_refused){0};
            ht_gate_verdict_free(out_verdict);
            ht_answer_free(out_answer);
        }
    }
    ht_answer_free(out_answer); /* nothing that passed */
    return status;
}
