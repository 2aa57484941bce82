#include "pipeline/nightly/night_verdict.h"

#include "base/random.h"
#include "runtime/measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROUNDS = 4, LEAST_NIGHTS = 4, RESAMPLES = 1000, MOST = HT_WATCH_ROUNDS };
static const double usual_scatter = 0.02; /* of medians, from night to night */
static const double scatters = 2.5;       /* that a change must exceed */

/* ---- samples as JSON */

static json_t *samples_json(const double *samples, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; ++i)
        json_array_append_new(array, json_real(samples[i]));
    return array;
}

json_t *ht_night_watch_json(const ht_watch *watch, size_t config) {
    return json_pack("{s:I, s:o, s:o, s:o}", "rounds", (json_int_t)watch->rounds, "calibration",
                     samples_json(watch->calibration, watch->rounds), "original",
                     samples_json(watch->original, watch->rounds), "incumbent",
                     samples_json(watch->configs[config], watch->rounds));
}

/* Reads the logarithms of a member's times, or of their ratios to another's. Returns how many there
 * are. */
static size_t logs_read(const json_t *watch, const char *member, const char *over, double *out) {
    const json_t *own = json_object_get(watch, member);
    const json_t *fixed = over ? json_object_get(watch, over) : NULL;
    size_t count = json_array_size(own), read = 0;
    for (size_t i = 0; i < count && read < MOST; ++i) {
        double time = json_number_value(json_array_get(own, i));
        double by = over ? json_number_value(json_array_get(fixed, i)) : 1;
        if (time > 0 && by > 0)
            out[read++] = log(time / by);
    }
    return read;
}

/* ---- bootstrap */

static double resampled_median(const double *values, size_t count, ht_random *random) {
    double picked[MOST];
    for (size_t i = 0; i < count; ++i)
        picked[i] = values[ht_random_below(random, count)];
    return ht_stats_median(picked, count);
}

static int ascending(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return first < second ? -1 : first > second;
}

ht_night_change ht_night_compare(const json_t *now, const json_t *then, const char *member,
                                 const char *over) {
    double a[MOST], b[MOST], differences[RESAMPLES];
    size_t a_count = logs_read(now, member, over, a);
    size_t b_count = logs_read(then, member, over, b);
    if (a_count < LEAST_ROUNDS || b_count < LEAST_ROUNDS)
        return (ht_night_change){0};
    ht_random random;
    ht_random_seed(&random, 1);
    for (size_t i = 0; i < RESAMPLES; ++i)
        differences[i] =
            resampled_median(a, a_count, &random) - resampled_median(b, b_count, &random);
    qsort(differences, RESAMPLES, sizeof *differences, ascending);
    return (ht_night_change){.known = true,
                             .ratio =
                                 exp(ht_stats_median(a, a_count) - ht_stats_median(b, b_count)),
                             .lo = exp(differences[RESAMPLES / 40]),
                             .hi = exp(differences[RESAMPLES - 1 - RESAMPLES / 40])};
}

const char *ht_night_word(const ht_night_change *change, double least) {
    const double wide = 1.2;
    double above = 1 + least, below = 1 / above;
    if (!change->known)
        return "new";
    if (change->lo > above)
        return "slower";
    if (change->hi < below)
        return "faster";
    bool inside = change->lo >= below && change->hi <= above;
    bool near = change->ratio >= below && change->ratio <= above && change->hi < change->lo * wide;
    return inside || near ? "same" : "unclear";
}

/* ---- from night to night */

static const char *const members[] = {"incumbent", "original"};

json_t *ht_night_history(const json_t *history, const json_t *watch) {
    json_t *longer = json_object();
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
        double logs[MOST];
        json_t *known = json_object_get(history, members[i]);
        json_t *array = known ? json_deep_copy(known) : json_array();
        size_t count = logs_read(watch, members[i], "calibration", logs);
        if (count >= LEAST_ROUNDS)
            json_array_append_new(array, json_real(ht_stats_median(logs, count)));
        while (json_array_size(array) > HT_NIGHT_HISTORY)
            json_array_remove(array, 0);
        json_object_set_new(longer, members[i], array);
    }
    return longer;
}

double ht_night_margin(const json_t *history, const char *member, double least) {
    const json_t *array = json_object_get(history, member);
    size_t count = json_array_size(array);
    double sum = 0, squares = 0, scatter = usual_scatter;
    for (size_t i = 0; i < count; ++i)
        sum += json_number_value(json_array_get(array, i));
    for (size_t i = 0; i < count; ++i) {
        double off = json_number_value(json_array_get(array, i)) - sum / (double)count;
        squares += off * off;
    }
    if (count >= LEAST_NIGHTS)
        scatter = sqrt(squares / (double)(count - 1));
    return fmax(least, expm1(scatters * scatter));
}

/* Returns the word unless both moved alike, which neither's code can have done. */
static const char *word_apart(const ht_night_change *change, const ht_night_change *apart,
                              double margin) {
    const char *word = ht_night_word(change, margin);
    bool slower = strcmp(word, "slower") == 0, faster = strcmp(word, "faster") == 0;
    if ((slower && apart->lo <= 1) || (faster && apart->hi >= 1))
        return "unclear";
    return word;
}

ht_night_verdicts ht_night_judge(const json_t *now, const json_t *then, const json_t *history,
                                 bool unchanged, double least) {
    static const char fixed[] = "calibration";
    double kernel = ht_night_margin(history, "incumbent", least);
    double original = ht_night_margin(history, "original", least);
    ht_night_verdicts made = {.change = ht_night_compare(now, then, "incumbent", fixed),
                              .original = ht_night_compare(now, then, "original", fixed),
                              .machine = ht_night_compare(now, then, fixed, NULL)};
    ht_night_change apart = ht_night_compare(now, then, "incumbent", "original");
    ht_night_change other = ht_night_compare(now, then, "original", "incumbent");
    made.change_word =
        unchanged ? word_apart(&made.change, &apart, kernel) : ht_night_word(&made.change, kernel);
    made.original_word = unchanged ? word_apart(&made.original, &other, original)
                                   : ht_night_word(&made.original, original);
    made.machine_word = ht_night_word(&made.machine, fmax(least, usual_scatter * scatters));
    return made;
}
