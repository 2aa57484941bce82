#include "loop/agent_proposer.h"

#include "base/memory.h"
#include "pipeline/stop.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

struct ht_agent_proposer {
    ht_gate *gate;
    ht_agent_command *command;
    ht_seat seat;
    ht_proposer proposer;
};

/* Returns what an agent sees of a revision: not the templates, which are long. New reference. */
static json_t *revision_brief(const ht_revision *revision) {
    static const char *const left_out[] = {"template",       "base",           "profile", "tried",
                                           "predicted_gain", "predicted_cost", NULL};
    json_t *document = ht_revision_json(revision);
    for (size_t i = 0; left_out[i]; ++i)
        json_object_del(document, left_out[i]);
    return document;
}

static json_t *history_brief(const ht_history *history) {
    json_t *rows = json_array();
    for (size_t i = 0; i < history->count; ++i)
        json_array_append_new(rows, revision_brief(&history->items[i]));
    return rows;
}

static const ht_proposal_kind kinds[] = {
    [HT_ANSWER_PASS] = HT_PROPOSAL_NONE,     [HT_ANSWER_KERNEL] = HT_PROPOSAL_SOURCE,
    [HT_ANSWER_SOURCE] = HT_PROPOSAL_SOURCE, [HT_ANSWER_TEMPLATE] = HT_PROPOSAL_TEMPLATE,
    [HT_ANSWER_SEARCH] = HT_PROPOSAL_SEARCH, [HT_ANSWER_PARAMETERS] = HT_PROPOSAL_PARAMETERS,
};

/* Takes an answer that passed. Its parent is the best so far if it names none. */
static void answer_take(const ht_answer *answer, const ht_loop_view *view, ht_loop_proposal *out) {
    out->kind = kinds[answer->kind];
    out->parent = answer->has_parent ? answer->parent : ht_history_best(view->history)->number;
    out->evaluations = answer->evaluations;
    out->reason = answer->why ? ht_strdup(answer->why) : NULL;
    if (answer->kind == HT_ANSWER_PARAMETERS)
        out->text = ht_answer_parameters_text(answer);
    else if (answer->text)
        out->text = ht_strdup(answer->text);
}

static ht_status propose(void *context, const ht_loop_view *view, ht_loop_proposal *out_proposal,
                         ht_error *error) {
    ht_agent_proposer *in = context;
    const ht_revision *best = ht_history_best(view->history);
    ht_agent_state state = {.path = view->path,
                            .kernel = view->kernel,
                            .source = view->source,
                            .problem = *view->problem ? view->problem : NULL,
                            .device = view->device,
                            .profile = best->profile,
                            .remarks = json_object_get(best->profile, "missed"),
                            .history = history_brief(view->history),
                            .rounds_left = view->rounds_left,
                            .seconds_left = view->seconds_left};
    ht_answer answer = {0};
    ht_gate_verdict verdict = {0};
    *out_proposal = (ht_loop_proposal){0};
    ht_status status = ht_seat_ask(&in->seat, &state, &answer, &verdict, error);
    if (status == HT_OK && answer.kind != HT_ANSWER_PASS)
        answer_take(&answer, view, out_proposal);
    ht_answer_free(&answer);
    ht_gate_verdict_free(&verdict);
    json_decref(state.history);
    return status;
}

/* Returns a seed that no agent can know. */
static uint64_t seed_make(void) {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = (uint64_t)time(NULL);
    return seed;
}

ht_status ht_agent_proposer_open(const ht_agent_proposer_options *options,
                                 ht_agent_proposer **out_proposer, ht_error *error) {
    const ht_generation *original = options->original;
    const ht_gate_options gate = {.compiler = options->origin->compiler,
                                  .problem = original->entry->instance,
                                  .seed = seed_make(),
                                  .interrupted = &ht_stopped};
    ht_agent_proposer *made = ht_alloc(1, sizeof *made);
    ht_status status = ht_gate_open(original->survey.analyses[0].refactor, original->entry->kernel,
                                    &gate, &made->gate, error);
    if (status != HT_OK) {
        free(made);
        return status;
    }
    made->command = ht_agent_command_new(options->command, options->seconds, &ht_stopped);
    made->seat = (ht_seat){.command = made->command,
                           .gate = made->gate,
                           .begun = options->begun,
                           .refused = options->refused,
                           .context = options->context};
    made->proposer = (ht_proposer){.context = made, .propose = propose};
    *out_proposer = made;
    return HT_OK;
}

void ht_agent_proposer_close(ht_agent_proposer *proposer) {
    if (!proposer)
        return;
    ht_agent_command_free(proposer->command);
    ht_gate_close(proposer->gate);
    free(proposer);
}

const ht_proposer *ht_agent_proposer_get(const ht_agent_proposer *proposer) {
    return &proposer->proposer;
}
