#include "pipeline/nightly/night_verdict.h"

#include "base/random.h"
#include "runtime/measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROUNDS = 4, RESAMPLES = 1000, MOST = HT_WATCH_ROUNDS };
static const double usual_scatter = 0.012; /* of medians, from night to night, as logarithms */
static const double usual_nights = 4;      /* that it counts for */
static const double machine_margin = 0.05; /* of the calibration kernel's own time */

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

static int ascending(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return first < second ? -1 : first > second;
}

/* The median of as many values, drawn with replacement from ascending ones: what is drawn how often
 * is counted, so that nothing needs sorting. */
static double resampled_median(const double *sorted, size_t count, ht_random *random) {
    unsigned char drawn[MOST] = {0};
    for (size_t i = 0; i < count; ++i)
        ++drawn[ht_random_below(random, count)];
    size_t low = 0, high, until = drawn[0];
    while (until <= (count - 1) / 2)
        until += drawn[++low];
    for (high = low; until <= count / 2;)
        until += drawn[++high];
    return (sorted[low] + sorted[high]) / 2;
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
    qsort(a, a_count, sizeof *a, ascending);
    qsort(b, b_count, sizeof *b, ascending);
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

const char *ht_night_word(const ht_night_change *change, double least, double margin) {
    const double wide = 1.2;
    double above = 1 + margin, below = 1 / above;
    if (!change->known)
        return "new";
    if (change->lo > 1 + least && change->ratio > above)
        return "slower";
    if (change->hi < 1 / (1 + least) && change->ratio < below)
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

/* Returns the 99.25 % quantile of Student's t (Cornish and Fisher's expansion; Abramowitz and
 * Stegun 26.7.5), to 2 % from 4 degrees of freedom on. */
static double t_quantile(double degrees) {
    const double z = 2.4324, z2 = z * z;
    double first = z * (z2 + 1) / 4;
    double second = z * ((5 * z2 + 16) * z2 + 3) / 96;
    double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    return z + (first + (second + third / degrees) / degrees) / degrees;
}

double ht_night_margin(const json_t *history, const char *member, double least) {
    const json_t *array = json_object_get(history, member);
    size_t count = json_array_size(array);
    double sum = 0, squares = usual_nights * usual_scatter * usual_scatter;
    double degrees = usual_nights + (count ? (double)count - 1 : 0);
    for (size_t i = 0; i < count; ++i)
        sum += json_number_value(json_array_get(array, i));
    for (size_t i = 0; i < count; ++i) {
        double off = json_number_value(json_array_get(array, i)) - sum / (double)count;
        squares += off * off;
    }
    /* Both nights of the ratio scatter. */
    return fmax(least, expm1(t_quantile(degrees) * sqrt(2 * squares / degrees)));
}

/* Returns the word unless both moved alike, which neither's code can have done. */
static const char *word_apart(const ht_night_change *change, const ht_night_change *apart,
                              double least, double margin) {
    const char *word = ht_night_word(change, least, margin);
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
    made.change_word = unchanged ? word_apart(&made.change, &apart, least, kernel)
                                 : ht_night_word(&made.change, least, kernel);
    made.original_word = unchanged ? word_apart(&made.original, &other, least, original)
                                   : ht_night_word(&made.original, least, original);
    double machine = fmax(least, machine_margin);
    made.machine_word = ht_night_word(&made.machine, machine, machine);
    return made;
}

/* ---- twice */

static bool is_change(const char *word) {
    return strcmp(word, "slower") == 0 || strcmp(word, "faster") == 0;
}

bool ht_night_moved(const ht_night_verdicts *verdicts) {
    return is_change(verdicts->change_word) || is_change(verdicts->original_word);
}

static double distance(const json_t *watch, const json_t *then) {
    ht_night_change kernel = ht_night_compare(watch, then, "incumbent", "calibration");
    ht_night_change original = ht_night_compare(watch, then, "original", "calibration");
    return fmax(fabs(log(kernel.ratio)), fabs(log(original.ratio)));
}

json_t *ht_night_nearer(json_t *first, json_t *second, const json_t *then) {
    bool nearer = distance(second, then) < distance(first, then);
    json_decref(nearer ? first : second);
    return nearer ? second : first;
}
