#include "tests/loop/world.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>

ht_revision world_original(void) {
    return (ht_revision){.kept = true,
                         .verified = true,
                         .source = ht_strdup("original"),
                         .reason = ht_strdup(""),
                         .verdict = ht_strdup("original")};
}

/* Returns a number in [0, 1) that is the same whenever the same step is taken. */
static double chance(const world *in, const ht_history *history, const ht_choice *choice,
                     const char *what) {
    const ht_revision *parent = &history->items[choice->parent];
    char *text = ht_format("%lu %s %zu %d %lu %s", (unsigned long)in->seed, what, history->count,
                           (int)choice->action, (unsigned long)choice->evaluations,
                           parent->config ? parent->config : "");
    uint64_t hash = 0;
    for (const char *at = text; *at; ++at)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    free(text);
    return (double)(hash >> 40) / (double)(1 << 24);
}

/* Returns true if the process is killed here. */
static bool is_killed(world *in) {
    return in->calls_left > 0 && --in->calls_left == 0;
}

static ht_status kill(ht_error *error) {
    return ht_error_set(error, HT_ERROR_INTERRUPTED, "killed");
}

static ht_gain_interval about(double ratio) {
    return (ht_gain_interval){ratio, ratio * 0.98, ratio * 1.02};
}

/* The original's speed against this one's is measured apart from the gain over the best before: the
 * two do not multiply. */
static ht_status perform(void *context, const ht_history *history, const ht_choice *choice,
                         const ht_loop_proposal *proposal, ht_revision *out, ht_error *error) {
    world *in = context;
    (void)proposal;
    if (!in->fails_after && is_killed(in))
        return kill(error);
    in->choices[in->performed % WORLD_STEPS] = *choice;
    in->choices[in->performed++ % WORLD_STEPS].reason = NULL;
    const ht_revision *best = ht_history_best(history);
    bool fresh = choice->action == HT_ACTION_TUNE || choice->action == HT_ACTION_AGAIN;
    double gain = 0.9 + 0.4 * chance(in, history, choice, "gain");
    *out = (ht_revision){.verdict = ht_strdup("improved"), .verified = true};
    out->over_best = about(choice->action == HT_ACTION_TUNE ? 2.5 : gain);
    out->speedup = about(2.5 + 0.1 * (double)history->count);
    out->source = ht_format("source %zu", history->count);
    out->config = ht_format("A=%zu", history->count);
    out->template_text = fresh || !best->template_text
                             ? ht_format("template %zu", history->count)
                             : ht_format("%s%s", best->template_text,
                                         choice->action == HT_ACTION_WIDEN ? " wide" : "");
    out->evaluations = choice->evaluations;
    out->slower = in->slower;
    out->edges = chance(in, history, choice, "edge") < 0.5 ? ht_strdup("A (8 of 1 to 8)") : NULL;
    out->exhausted = chance(in, history, choice, "end") < 0.1;
    out->held_back = ht_strdup("a lambda around the body (B)");
    out->seconds = (double)choice->evaluations / 2;
    return in->fails_after && is_killed(in) ? kill(error) : HT_OK;
}

static ht_status keep(void *context, const ht_revision *revision, ht_error *error) {
    world *in = context;
    if (!in->fails_after && is_killed(in))
        return kill(error);
    ht_status status = in->under.keep ? in->under.keep(in->under.context, revision, error) : HT_OK;
    return status == HT_OK && in->fails_after && is_killed(in) ? kill(error) : status;
}

void world_loop(world *world, ht_loop *out_loop) {
    *out_loop = (ht_loop){
        .settings = {.rounds = 12, .evaluations = 40, .any = true, .least_gain = 1.01},
        .hands = {.context = world, .perform = perform, .keep = keep},
    };
}

char *world_text(const ht_history *history) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (size_t i = 0; i < history->count; ++i) {
        json_t *document = ht_revision_json(&history->items[i]);
        char *line = json_dumps(document, JSON_SORT_KEYS | JSON_COMPACT);
        ht_text_printf(&text, "%s\n", line);
        free(line);
        json_decref(document);
    }
    return ht_text_take(&text);
}
