/* How often the verdicts of nightly jobs are right, on the noise of recorded tuning runs
 * (docs/run.md).
 *
 *     night_verdicts FOLDER [NAME=VALUE...]
 *
 * FOLDER has a folder for each kernel with its runs (*.json.gz), which hold every single run of
 * each configuration. Three configurations of a recording, drawn at random, stand for calibration
 * kernel, original and incumbent. The samples of a night are theirs, drawn as blocks of successive
 * runs with replacement (Kuensch 1989), so that what one run has to do with the next stays. The
 * three are timed in turns, so their blocks come from the same places: a clock that falls while a
 * kernel is timed falls for all. (`shared=0`: from places of their own, as if it did not.) All
 * three of a night are multiplied by how fast the machine is, each by how it differs from night to
 * night. After 6 nights each is judged against the one before: left alone, and with the kernel, its
 * original or the whole machine slower by `planted`.
 *
 * Names: nights (quiet ones in a recording, 200), rounds (of a night, 32), between (deviation of
 * the logarithm of a kernel's times from night to night, 0.007), machine (of the machine's, 0.01),
 * planted (0.1), least (least effect, 0.02), shared (1), seed. */
#include "pipeline/nightly/night_verdict.h"
#include "search/recording.h"

#include "base/memory.h"
#include "base/random.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NIGHTS_BEFORE = 6, NIGHTS_OF_THREE = 10, BLOCK = 4, RUNS_LEAST = 8, MEMBERS = 3 };
enum { CALIBRATION, ORIGINAL, INCUMBENT };

typedef struct settings {
    double nights, rounds, between, machine, planted, least, shared, seed;
} settings;

/* Single runs of the three, in milliseconds, borrowed from the recording. */
typedef struct three {
    const double *runs[MEMBERS];
    size_t counts[MEMBERS];
} three;

typedef struct slowdown {
    double factor[MEMBERS];
} slowdown;

typedef struct counts {
    size_t nights, slower, faster, original_slower, original_faster, machine_slower;
} counts;

static double normal(ht_random *random) {
    return sqrt(-2 * log(1 - ht_random_unit(random))) * cos(2 * M_PI * ht_random_unit(random));
}

/* ---- one night */

/* Blocks of successive runs, drawn with replacement, times `factor`. */
static void runs_draw(const double *runs, size_t count, double factor, size_t rounds,
                      ht_random *random, double *out) {
    for (size_t i = 0; i < rounds;) {
        size_t first = (size_t)(ht_random_unit(random) * (double)(count - BLOCK + 1));
        for (size_t b = 0; b < BLOCK && i < rounds; ++b)
            out[i++] = runs[first + b] * factor;
    }
}

/* How fast everything is on one night: drawn once, so that timing twice does not change it. */
typedef struct weather {
    double factor[MEMBERS];
} weather;

static weather weather_draw(const settings *settings, ht_random *random) {
    weather drawn;
    double all = exp(settings->machine * normal(random));
    for (size_t i = 0; i < MEMBERS; ++i)
        drawn.factor[i] = all * exp(settings->between * normal(random));
    return drawn;
}

static json_t *night_make(const three *three, const weather *weather, const slowdown *slowdown,
                          const settings *settings, ht_random *random) {
    static ht_watch watch;
    double *const to[MEMBERS] = {watch.calibration, watch.original, watch.configs[0]};
    watch.rounds = (size_t)settings->rounds;
    const ht_random places = *random;
    for (size_t i = 0; i < MEMBERS; ++i) {
        if (settings->shared != 0)
            *random = places;
        runs_draw(three->runs[i], three->counts[i], weather->factor[i] * slowdown->factor[i],
                  watch.rounds, random, to[i]);
    }
    return ht_night_watch_json(&watch, 0, NULL);
}

/* ---- verdicts */

/* One night as a job has it: what seems to have changed is timed again. */
static void night_judge(const three *three, const slowdown *slowdown, const json_t *then,
                        const json_t *history, const settings *settings, ht_random *random,
                        counts *counts) {
    weather weather = weather_draw(settings, random);
    json_t *now = night_make(three, &weather, slowdown, settings, random);
    ht_night_verdicts made = ht_night_judge(now, then, history, true, settings->least);
    if (ht_night_moved(&made)) {
        json_t *again = night_make(three, &weather, slowdown, settings, random);
        now = ht_night_nearer(now, again, then);
        made = ht_night_judge(now, then, history, true, settings->least);
    }
    ++counts->nights;
    counts->slower += strcmp(made.change_word, "slower") == 0;
    counts->faster += strcmp(made.change_word, "faster") == 0;
    counts->original_slower += strcmp(made.original_word, "slower") == 0;
    counts->original_faster += strcmp(made.original_word, "faster") == 0;
    counts->machine_slower += strcmp(made.machine_word, "slower") == 0;
    json_decref(now);
}

static three three_draw(const ht_recording *recording, ht_random *random) {
    three drawn = {0};
    for (size_t i = 0; i < MEMBERS;) {
        const ht_record *record =
            &recording->records[ht_random_below(random, recording->record_count)];
        if (record->status != HT_OK || record->sample_count < RUNS_LEAST)
            continue;
        drawn.runs[i] = &recording->samples[record->sample_first];
        drawn.counts[i++] = record->sample_count;
    }
    return drawn;
}

enum { QUIET, KERNEL, ITS_ORIGINAL, MACHINE, CASES };

static void three_live(const three *three, const settings *settings, ht_random *random,
                       counts *counts) {
    const double slow = 1 + settings->planted;
    const slowdown cases[CASES] = {
        {{1, 1, 1}}, {{1, 1, slow}}, {{1, slow, 1}}, {{slow, slow, slow}}};
    json_t *history = NULL, *then = NULL;
    for (size_t i = 0; i < NIGHTS_BEFORE + NIGHTS_OF_THREE; ++i) {
        for (size_t c = 0; i >= NIGHTS_BEFORE && c < CASES; ++c)
            night_judge(three, &cases[c], then, history, settings, random, &counts[c]);
        weather weather = weather_draw(settings, random);
        json_decref(then);
        then = night_make(three, &weather, &cases[QUIET], settings, random);
        json_t *longer = ht_night_history(history, then);
        json_decref(history);
        history = longer;
    }
    json_decref(history);
    json_decref(then);
}

/* ---- recordings */

static size_t usable(const ht_recording *recording) {
    size_t count = 0;
    for (size_t i = 0; i < recording->record_count; ++i)
        count += recording->records[i].status == HT_OK &&
                 recording->records[i].sample_count >= RUNS_LEAST;
    return count;
}

static double percent(size_t of, size_t all) {
    return 100.0 * (double)of / (double)all;
}

/* A verdict that says something of what was left alone is an alarm, in whichever case. */
static void row_print(const char *kernel, const char *device, const counts *c) {
    size_t alarms =
        c[QUIET].slower + c[QUIET].faster + c[QUIET].original_slower + c[QUIET].original_faster;
    size_t named = c[KERNEL].original_slower + c[KERNEL].original_faster + c[ITS_ORIGINAL].slower +
                   c[ITS_ORIGINAL].faster;
    size_t moved = c[MACHINE].slower + c[MACHINE].original_slower;
    printf("%-20s %-18s %6zu  %6.1f  %6.1f  %6.1f  %6.1f  %6.1f  %6.1f\n", kernel, device,
           c[QUIET].nights, percent(alarms, c[QUIET].nights),
           percent(c[KERNEL].slower, c[KERNEL].nights),
           percent(c[ITS_ORIGINAL].original_slower, c[ITS_ORIGINAL].nights),
           percent(c[MACHINE].machine_slower, c[MACHINE].nights),
           percent(named, 2 * c[KERNEL].nights), percent(moved, c[MACHINE].nights));
    fflush(stdout);
}

static void recording_judge(const char *folder, const char *kernel, const char *file,
                            const settings *settings, counts *all) {
    char *path = ht_format("%s/%s/%s", folder, kernel, file);
    ht_recording *recording = NULL;
    ht_error error = {0};
    counts own[CASES] = {0};
    ht_random random;
    ht_random_seed(&random, (uint64_t)settings->seed);
    if (ht_recording_read(path, HT_RECORDING_GUESS, &recording, &error) != HT_OK) {
        fprintf(stderr, "night_verdicts: %s\n", error.message);
        exit(1);
    }
    if (usable(recording) < MEMBERS)
        printf("%-20s %.*s: no configurations with %d runs\n", kernel, (int)strcspn(file, "."),
               file, RUNS_LEAST);
    else {
        while ((double)own[QUIET].nights < settings->nights) {
            three three = three_draw(recording, &random);
            three_live(&three, settings, &random, own);
        }
        char *device = ht_format("%.*s", (int)strcspn(file, "."), file);
        row_print(kernel, device, own);
        free(device);
    }
    for (size_t c = 0; c < CASES; ++c) {
        all[c].nights += own[c].nights;
        all[c].slower += own[c].slower;
        all[c].faster += own[c].faster;
        all[c].original_slower += own[c].original_slower;
        all[c].original_faster += own[c].original_faster;
        all[c].machine_slower += own[c].machine_slower;
    }
    ht_recording_free(recording);
    free(path);
}

static void kernel_judge(const char *folder, const char *kernel, const settings *settings,
                         counts *all) {
    char *path = ht_format("%s/%s", folder, kernel);
    struct dirent **files = NULL;
    int count = scandir(path, &files, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        const char *name = files[i]->d_name;
        size_t length = strlen(name);
        /* But for the T4 copies of a run. */
        if (length > 8 && strcmp(name + length - 8, ".json.gz") == 0 && !strstr(name, "_T4"))
            recording_judge(folder, kernel, name, settings, all);
        free(files[i]);
    }
    if (count >= 0)
        free(files);
    free(path);
}

static bool set(settings *settings, const char *text) {
    static const char *const names[] = {"nights",  "rounds", "between", "machine",
                                        "planted", "least",  "shared",  "seed"};
    double *const fields[] = {&settings->nights,  &settings->rounds,  &settings->between,
                              &settings->machine, &settings->planted, &settings->least,
                              &settings->shared,  &settings->seed};
    size_t length = strcspn(text, "=");
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strlen(names[i]) != length || strncmp(names[i], text, length) != 0 || !text[length])
            continue;
        *fields[i] = strtod(text + length + 1, NULL);
        return true;
    }
    return false;
}

int main(int argc, char **argv) {
    settings settings = {.nights = 200,
                         .rounds = 32,
                         .between = 0.007,
                         .machine = 0.01,
                         .planted = 0.1,
                         .least = 0.02,
                         .shared = 1,
                         .seed = 1};
    bool valid = argc > 1;
    for (int i = 2; i < argc; ++i)
        valid = valid && set(&settings, argv[i]);
    if (!valid || settings.rounds < BLOCK || settings.rounds > HT_WATCH_ROUNDS) {
        fprintf(stderr, "usage: night_verdicts FOLDER [NAME=VALUE...]\n");
        return 2;
    }
    counts all[CASES] = {0};
    struct dirent **kernels = NULL;
    printf("%-39s %6s  %6s  %s %g %% found%s\n", "% of nights", "nights", "alarms", "slower by",
           100 * settings.planted, "");
    printf("%-39s %6s  %6s  %6s  %6s  %6s  %6s  %6s\n", "", "", "", "kernel", "orig.", "all",
           "other", "moved");
    int count = scandir(argv[1], &kernels, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        if (kernels[i]->d_name[0] != '.')
            kernel_judge(argv[1], kernels[i]->d_name, &settings, all);
        free(kernels[i]);
    }
    if (count >= 0)
        free(kernels);
    if (all[QUIET].nights == 0) {
        fprintf(stderr, "night_verdicts: no recordings in %s\n", argv[1]);
        return 1;
    }
    row_print("all", "", all);
    return 0;
}
