/* The agent's seat: asks a command, has its answers judged, and asks again with the reason where
 * one is refused. */
#ifndef HT_LOOP_AGENT_SEAT_H
#define HT_LOOP_AGENT_SEAT_H

#include "loop/agent/answer.h"
#include "loop/agent/command.h"
#include "loop/agent/gate.h"

enum { HT_SEAT_TRIES = 3 };

typedef struct ht_seat {
    ht_agent_command *command; /* borrowed, as the gate */
    ht_gate *gate;
    unsigned tries; /* answers to one question, refused ones among them; 0: HT_SEAT_TRIES */
    uint64_t turn;  /* of the last question */
    /* Called as it waits for an answer and as one is judged, with words for it; may be NULL. */
    void (*begun)(void *context, const char *phase);
    /* Called with each answer that is refused; may be NULL. */
    void (*refused)(void *context, const ht_answer *answer, const ht_refused *refused);
    void *context;
} ht_seat;

/* Asks until an answer passes; HT_ANSWER_PASS when none does, or there is nothing to propose.
 * `state`: without turn, definition, annotations and refusal, which are filled here. A source that
 * passes is the whole file: *out_answer is then of kind HT_ANSWER_SOURCE whatever was answered.
 * *out_verdict is that of the answer. An error is one of the command, or of the judging. Free
 * both in any case. */
ht_status ht_seat_ask(ht_seat *seat, const ht_agent_state *state, ht_answer *out_answer,
                      ht_gate_verdict *out_verdict, ht_error *error);

#endif
