#include "benchmarks/search_settings/runs.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct name {
    const char *text;
    size_t offset; /* in trial */
    bool integer;
} name;

#define DOUBLE(field) {#field, offsetof(trial, field), false}
#define BAYES(field) {#field, offsetof(trial, bayes.field), false}
#define BAYES_INT(field) {#field, offsetof(trial, bayes.field), true}
#define LENGTH(text, kind) {text, offsetof(trial, bayes.length) + (kind) * sizeof(double), false}
static const name names[] = {
    DOUBLE(threads),
    DOUBLE(repeats),
    DOUBLE(evals),
    DOUBLE(batch),
    DOUBLE(seeds),
    DOUBLE(worst),
    DOUBLE(seed),
    DOUBLE(draws),
    DOUBLE(facts),
    DOUBLE(source_evals),
    BAYES_INT(design_led),
    BAYES_INT(design_alone),
    BAYES_INT(design_further),
    BAYES(led),
    BAYES(prior_noise),
    BAYES(prior_fade),
    BAYES(source_fade),
    BAYES_INT(first_batch),
    BAYES(trusted),
    BAYES_INT(features),
    BAYES_INT(design),
    BAYES_INT(design_seeded),
    BAYES_INT(spread),
    BAYES(clip),
    BAYES(length_spread),
    BAYES(noise),
    BAYES_INT(refit),
    BAYES(refit_share),
    BAYES_INT(fit_points),
    BAYES_INT(first_steps),
    BAYES_INT(steps),
    BAYES_INT(processes),
    BAYES_INT(processes_until),
    BAYES(bag),
    BAYES_INT(patience),
    BAYES(daring),
    BAYES_INT(design_apart),
    BAYES_INT(pool),
    LENGTH("size", HT_FEATURE_SIZE),
    LENGTH("divisibility", HT_FEATURE_DIVISIBILITY),
    LENGTH("term", HT_FEATURE_TERM),
    LENGTH("term_divisibility", HT_FEATURE_TERM_DIVISIBILITY),
    LENGTH("choice", HT_FEATURE_CHOICE),
};

bool trial_set(trial *trial, const char *text) {
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (equals && length == 8 && !strncmp(text, "strategy", 8)) {
        trial->strategy = equals + 1;
        return true;
    }
    if (equals && length == 7 && !strncmp(text, "sources", 7)) {
        trial->sources = equals + 1;
        return true;
    }
    if (equals && length == 4 && !strncmp(text, "only", 4)) {
        trial->only = equals + 1;
        return true;
    }
    for (size_t i = 0; equals && i < sizeof names / sizeof *names; ++i) {
        if (strlen(names[i].text) != length || strncmp(names[i].text, text, length) != 0)
            continue;
        double value = strtod(equals + 1, NULL);
        char *field = (char *)trial + names[i].offset;
        if (names[i].integer)
            *(int *)field = (int)value;
        else
            *(double *)field = value;
        return true;
    }
    return false;
}
