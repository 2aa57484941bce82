#include "loop/revision.h"
#include "loop/proposal.h"

#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[HT_ACTION_COUNT] = {
    [HT_ACTION_ORIGINAL] = "original",     [HT_ACTION_TUNE] = "tune",
    [HT_ACTION_LONGER] = "tune-longer",    [HT_ACTION_REFINE] = "refine",
    [HT_ACTION_WIDEN] = "widen",           [HT_ACTION_AGAIN] = "refactor-again",
    [HT_ACTION_FREER] = "any-style",       [HT_ACTION_LIBRARY] = "library",
    [HT_ACTION_SOURCE] = "source",         [HT_ACTION_TEMPLATE] = "template",
    [HT_ACTION_PARAMETERS] = "parameters", [HT_ACTION_STOP] = "stop",
};

const char *ht_action_name(ht_action action) {
    return names[action];
}

ht_action ht_action_find(const char *name) {
    for (int i = 0; i < HT_ACTION_COUNT; ++i)
        if (strcmp(names[i], name) == 0)
            return (ht_action)i;
    return HT_ACTION_STOP;
}

/* The members that are words, with their names in the document. */
static const struct {
    const char *name;
    size_t offset;
} words[] = {
    {"reason", offsetof(ht_revision, reason)},
    {"base", offsetof(ht_revision, base)},
    {"source", offsetof(ht_revision, source)},
    {"template", offsetof(ht_revision, template_text)},
    {"config", offsetof(ht_revision, config)},
    {"verdict", offsetof(ht_revision, verdict)},
    {"finding", offsetof(ht_revision, finding)},
    {"edges", offsetof(ht_revision, edges)},
    {"held_back", offsetof(ht_revision, held_back)},
};
enum { WORDS = sizeof words / sizeof *words };

static char **word_of(const ht_revision *revision, size_t index) {
    return (char **)((const char *)revision + words[index].offset);
}

void ht_revision_free(ht_revision *revision) {
    for (size_t i = 0; i < WORDS; ++i)
        free(*word_of(revision, i));
    json_decref(revision->tried);
    json_decref(revision->profile);
    json_decref(revision->elsewhere);
    *revision = (ht_revision){0};
}

void ht_history_free(ht_history *history) {
    for (size_t i = 0; i < history->count; ++i)
        ht_revision_free(&history->items[i]);
    free(history->items);
    *history = (ht_history){0};
}

ht_revision *ht_history_add(ht_history *history, ht_revision *revision) {
    HT_GROW(history->items, history->count);
    ht_revision *added = &history->items[history->count];
    *added = *revision;
    *revision = (ht_revision){0};
    added->number = history->count++;
    return added;
}

const ht_revision *ht_history_best(const ht_history *history) {
    for (size_t i = history->count; i > 0; --i)
        if (history->items[i - 1].kept)
            return &history->items[i - 1];
    return NULL;
}

bool ht_revision_same_template(const ht_revision *a, const ht_revision *b) {
    return a->template_text && b->template_text && a->any == b->any &&
           strcmp(a->template_text, b->template_text) == 0;
}

double ht_history_roofline(const ht_history *history) {
    const ht_revision *best = ht_history_best(history);
    if (!best)
        return 0;
    double ms = best->best_ms;
    for (size_t i = 1; best->number == 0 && i < history->count; ++i)
        ms = history->items[i].original_ms > 0 ? history->items[i].original_ms : ms;
    return ms > 0 ? best->least_ms / ms : 0;
}

uint64_t ht_history_spent(const ht_history *history) {
    uint64_t spent = 0;
    for (size_t i = 1; i < history->count; ++i) {
        const ht_revision *item = &history->items[i];
        bool on = item->action == HT_ACTION_LONGER || item->action == HT_ACTION_REFINE;
        uint64_t before = 0; /* which a search that goes on begins with */
        for (size_t j = 1; j < i && on; ++j)
            if (ht_revision_same_template(item, &history->items[j]) &&
                history->items[j].evaluations > before)
                before = history->items[j].evaluations;
        spent += item->evaluations > before ? item->evaluations - before : 0;
    }
    return spent;
}

void ht_loop_proposal_free(ht_loop_proposal *proposal) {
    free(proposal->text);
    free(proposal->reason);
    *proposal = (ht_loop_proposal){0};
}

/* ---- the document */

static json_t *interval_json(const ht_gain_interval *gain) {
    return gain->ratio > 0 ? json_pack("[f, f, f]", gain->ratio, gain->lo, gain->hi) : json_null();
}

static ht_gain_interval interval_read(const json_t *value) {
    ht_gain_interval gain = {0};
    if (json_array_size(value) == 3)
        gain = (ht_gain_interval){json_number_value(json_array_get(value, 0)),
                                  json_number_value(json_array_get(value, 1)),
                                  json_number_value(json_array_get(value, 2))};
    return gain;
}

json_t *ht_revision_json(const ht_revision *revision) {
    json_t *document =
        json_pack("{s:I, s:I, s:b, s:s, s:f, s:f, s:b, s:b, s:b, s:f, s:f, s:I, s:f}", "number",
                  (json_int_t)revision->number, "parent", (json_int_t)revision->parent, "any",
                  revision->any, "action", ht_action_name(revision->action), "predicted_gain",
                  revision->predicted_gain, "predicted_cost", revision->predicted_cost, "verified",
                  revision->verified, "kept", revision->kept, "exhausted", revision->exhausted,
                  "original_ms", revision->original_ms, "best_ms", revision->best_ms, "evaluations",
                  (json_int_t)revision->evaluations, "seconds", revision->seconds);
    json_object_set_new(document, "least_bytes", json_real(revision->least_bytes));
    json_object_set_new(document, "least_ms", json_real(revision->least_ms));
    json_object_set_new(document, "speedup", interval_json(&revision->speedup));
    json_object_set_new(document, "over_best", interval_json(&revision->over_best));
    json_object_set_new(document, "template_speedup",
                        revision->template_speedup > 0 ? json_real(revision->template_speedup)
                                                       : json_null());
    for (size_t i = 0; i < WORDS; ++i) {
        const char *word = *word_of(revision, i);
        json_t *value = word ? json_string(word) : json_null();
        /* a file that is not UTF-8 has no text in JSON */
        json_object_set_new(document, words[i].name, value ? value : json_null());
    }
    json_object_set_new(document, "slower", json_boolean(revision->slower));
    json_object_set_new(document, "elsewhere",
                        revision->elsewhere ? json_incref(revision->elsewhere) : json_null());
    json_object_set_new(document, "tried",
                        revision->tried ? json_incref(revision->tried) : json_null());
    json_object_set_new(document, "profile",
                        revision->profile ? json_incref(revision->profile) : json_null());
    return document;
}

ht_status ht_revision_read(const json_t *document, ht_revision *out_revision, ht_error *error) {
    json_int_t number, parent, evaluations;
    const char *action;
    int any, verified, kept, exhausted;
    *out_revision = (ht_revision){0};
    ht_revision read = {0};
    if (json_unpack((json_t *)(size_t)document,
                    "{s:I, s:I, s:b, s:s, s:F, s:F, s:b, s:b, s:b, s:F, s:F, s:I, s:F}", "number",
                    &number, "parent", &parent, "any", &any, "action", &action, "predicted_gain",
                    &read.predicted_gain, "predicted_cost", &read.predicted_cost, "verified",
                    &verified, "kept", &kept, "exhausted", &exhausted, "original_ms",
                    &read.original_ms, "best_ms", &read.best_ms, "evaluations", &evaluations,
                    "seconds", &read.seconds) != 0)
        return ht_error_set(error, HT_ERROR_INPUT, "this is not a revision of a loop");
    read.number = (uint64_t)number;
    read.parent = (uint64_t)parent;
    read.any = any;
    read.evaluations = (uint64_t)evaluations;
    read.action = ht_action_find(action);
    read.verified = verified;
    read.kept = kept;
    read.exhausted = exhausted;
    read.least_bytes = json_number_value(json_object_get(document, "least_bytes"));
    read.least_ms = json_number_value(json_object_get(document, "least_ms"));
    read.speedup = interval_read(json_object_get(document, "speedup"));
    read.over_best = interval_read(json_object_get(document, "over_best"));
    read.template_speedup = json_number_value(json_object_get(document, "template_speedup"));
    for (size_t i = 0; i < WORDS; ++i) {
        const char *word = json_string_value(json_object_get(document, words[i].name));
        *word_of(&read, i) = word ? ht_strdup(word) : NULL;
    }
    json_t *elsewhere = json_object_get(document, "elsewhere");
    read.slower = json_is_true(json_object_get(document, "slower"));
    read.elsewhere = json_is_array(elsewhere) ? json_incref(elsewhere) : NULL;
    json_t *tried = json_object_get(document, "tried");
    read.tried = json_is_array(tried) ? json_incref(tried) : NULL;
    json_t *profile = json_object_get(document, "profile");
    read.profile = json_is_object(profile) ? json_incref(profile) : NULL;
    *out_revision = read;
    return HT_OK;
}
