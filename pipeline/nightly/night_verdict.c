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
/* members of a watch */
static const char fixed[] = "calibration", unchanging[] = "original", in_use[] = "incumbent",
                  replaced[] = "replaced";

/* ---- samples as JSON */

static json_t *samples_json(const double *samples, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; ++i)
        json_array_append_new(array, json_real(samples[i]));
    return array;
}

json_t *ht_night_watch_json(const ht_watch *watch, size_t config, const char *text) {
    return json_pack("{s:I, s:o, s:o, s:o, s:s*}", "rounds", (json_int_t)watch->rounds, fixed,
                     samples_json(watch->calibration, watch->rounds), unchanging,
                     samples_json(watch->original, watch->rounds), in_use,
                     samples_json(watch->configs[config], watch->rounds), "config", text);
}

void ht_night_watch_replace(json_t *document, const ht_watch *watch, size_t config,
                            const char *text) {
    json_object_set_new(document, replaced, samples_json(watch->configs[config], watch->rounds));
    json_object_set_new(document, "replaced_config", json_string(text));
}

/* Returns true if both have a text under these names, and another one. */
static bool differ(const json_t *a, const char *a_name, const json_t *b, const char *b_name) {
    const char *first = json_string_value(json_object_get(a, a_name));
    const char *second = json_string_value(json_object_get(b, b_name));
    return first && second && strcmp(first, second) != 0;
}

/* Reads the logarithms of a member's times, or of their ratios to another's. Returns how many there
 * are. */
static size_t logs_read(const json_t *watch, const char *member, const char *over, double *out) {
    const json_t *own = json_object_get(watch, member);
    const json_t *other = over ? json_object_get(watch, over) : NULL;
    size_t count = json_array_size(own), read = 0;
    for (size_t i = 0; i < count && read < MOST; ++i) {
        double time = json_number_value(json_array_get(own, i));
        double by = over ? json_number_value(json_array_get(other, i)) : 1;
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

/* A member of a watch, as a multiple of another one's (NULL: alone). */
typedef struct quotient {
    const json_t *watch;
    const char *member, *over;
} quotient;

static ht_night_change compare(quotient now, quotient then) {
    double a[MOST], b[MOST], differences[RESAMPLES];
    size_t a_count = logs_read(now.watch, now.member, now.over, a);
    size_t b_count = logs_read(then.watch, then.member, then.over, b);
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

ht_night_change ht_night_compare(const json_t *now, const json_t *then, const char *member,
                                 const char *over) {
    return compare((quotient){now, member, over}, (quotient){then, member, over});
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

static const char *const members[] = {in_use, unchanging};

/* Returns the medians of a member, with how far the watch's configuration is from theirs added. */
static json_t *medians_moved(const json_t *history, const json_t *watch, const char *member) {
    double own[MOST], before[MOST], by = 0;
    json_t *array = json_array();
    if (member == in_use && differ(history, "config", watch, "config")) {
        size_t count = logs_read(watch, in_use, fixed, own);
        size_t other = logs_read(watch, replaced, fixed, before);
        if (count == 0 || other == 0 || differ(history, "config", watch, "replaced_config"))
            return array;
        by = ht_stats_median(own, count) - ht_stats_median(before, other);
    }
    size_t index;
    json_t *median;
    json_array_foreach(json_object_get(history, member), index, median)
        json_array_append_new(array, json_real(json_number_value(median) + by));
    return array;
}

json_t *ht_night_history(const json_t *history, const json_t *watch) {
    json_t *longer = json_object();
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
        double logs[MOST];
        json_t *array = medians_moved(history, watch, members[i]);
        size_t count = logs_read(watch, members[i], fixed, logs);
        if (count >= LEAST_ROUNDS)
            json_array_append_new(array, json_real(ht_stats_median(logs, count)));
        while (json_array_size(array) > HT_NIGHT_HISTORY)
            json_array_remove(array, 0);
        json_object_set_new(longer, members[i], array);
    }
    json_t *config = json_object_get(watch ? watch : history, "config");
    if (config)
        json_object_set(longer, "config", config);
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

/* Returns the word unless both moved alike, which neither's code can have done: at least half of
 * the change must be one against the other. */
static const char *word_apart(const ht_night_change *change, const ht_night_change *apart,
                              double least, double margin) {
    const char *word = ht_night_word(change, least, margin);
    bool slower = strcmp(word, "slower") == 0, faster = strcmp(word, "faster") == 0;
    if (!slower && !faster)
        return word;
    bool alike = !apart->known || (slower ? apart->lo <= 1 : apart->hi >= 1) ||
                 fabs(log(apart->ratio)) < fabs(log(change->ratio)) / 2;
    return alike ? "unclear" : word;
}

/* Returns the name that the configuration of the earlier watch has in the later one; NULL: it was
 * not timed again. */
static const char *name_now(const json_t *now, const json_t *then) {
    if (!differ(now, "config", then, "config"))
        return in_use;
    bool timed = json_object_get(now, replaced) && !differ(now, "replaced_config", then, "config");
    return timed ? replaced : NULL;
}

ht_night_verdicts ht_night_judge(const json_t *now, const json_t *then, const json_t *history,
                                 bool unchanged, double least) {
    double kernel = ht_night_margin(history, in_use, least);
    double original = ht_night_margin(history, unchanging, least);
    ht_night_verdicts made = {.change = ht_night_compare(now, then, in_use, fixed),
                              .original = ht_night_compare(now, then, unchanging, fixed),
                              .machine = ht_night_compare(now, then, fixed, NULL)};
    ht_night_change apart = ht_night_compare(now, then, in_use, unchanging), other = {0};
    const char *witness = name_now(now, then);
    if (witness)
        other = compare((quotient){now, unchanging, witness}, (quotient){then, unchanging, in_use});
    made.change_word = unchanged ? word_apart(&made.change, &apart, least, kernel)
                                 : ht_night_word(&made.change, least, kernel);
    made.original_word = unchanged ? word_apart(&made.original, &other, least, original)
                                   : ht_night_word(&made.original, least, original);
    if (witness == replaced && strcmp(made.change_word, "slower") == 0) {
        /* Another one was chosen, which slows nothing down: that of before must be slower. */
        ht_night_change before =
            compare((quotient){now, replaced, fixed}, (quotient){then, in_use, fixed});
        if (strcmp(ht_night_word(&before, least, kernel), "slower") != 0)
            made.change_word = "unclear";
    }
    double machine = fmax(least, machine_margin);
    made.machine_word = ht_night_word(&made.machine, machine, machine);
    return made;
}

static json_t *change_json(const ht_night_change *change, const char *word) {
    return json_pack("{s:s, s:o, s:o}", "verdict", word, "ratio",
                     change->known ? json_real(change->ratio) : json_null(), "interval",
                     change->known ? json_pack("[f, f]", change->lo, change->hi) : json_null());
}

void ht_night_verdicts_put(const ht_night_verdicts *verdicts, json_t *row) {
    const struct {
        const char *name, *word;
        const ht_night_change *change;
    } all[] = {{"change", verdicts->change_word, &verdicts->change},
               {"original", verdicts->original_word, &verdicts->original},
               {"machine", verdicts->machine_word, &verdicts->machine}};
    json_object_set_new(row, "verdict", json_string(verdicts->change_word));
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        json_object_set_new(row, all[i].name, change_json(all[i].change, all[i].word));
}

/* ---- twice */

static bool is_change(const char *word) {
    return strcmp(word, "slower") == 0 || strcmp(word, "faster") == 0;
}

bool ht_night_moved(const ht_night_verdicts *verdicts) {
    return is_change(verdicts->change_word) || is_change(verdicts->original_word);
}

/* Returns how far what should have stayed as it was is from there, as a logarithm: another
 * configuration's time says nothing of that. */
static double distance(const json_t *watch, const json_t *then) {
    ht_night_change original = ht_night_compare(watch, then, unchanging, fixed), kernel = {0};
    const char *name = name_now(watch, then);
    if (name)
        kernel = compare((quotient){watch, name, fixed}, (quotient){then, in_use, fixed});
    double far = original.known ? fabs(log(original.ratio)) : 0;
    return kernel.known ? fmax(far, fabs(log(kernel.ratio))) : far;
}

json_t *ht_night_nearer(json_t *first, json_t *second, const json_t *then) {
    bool nearer = distance(second, then) < distance(first, then);
    json_decref(nearer ? first : second);
    return nearer ? second : first;
}
