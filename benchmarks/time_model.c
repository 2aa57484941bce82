/* How good a time model's choices are (docs/time-model.md): as the best time over that of its first
 * choice, and over that of the best of five and ten.
 *
 *   time_model recordings FOLDER [NAME=VALUE...]
 *       FOLDER has a folder for each space: T1.json, and recorded exhaustive runs next to it. Runs
 *       of the same kernel teach each other; each GPU in turn is left out, with all of its runs.
 *   time_model database TEMPLATE DB [TEST] [NAME=VALUE...]
 *       jobs of the template in a tuning database. With another database TEST, whose problems are
 *       not learnt from, a model is asked about those; without, each problem of DB in turn is left
 *       out. Choices are among the configurations that were timed.
 *   time_model speed [NAME=VALUE...]
 *       seconds of learning from made-up evaluations, and milliseconds of a choice.
 *
 * Names: members, rounds, depth, rate, penalty, rows (share), columns (share), seed, print (1: each
 * choice), evaluations (100000), kernel (all), device (host; whose limits a template is bound
 * with). */
#include "predictor/times/time_model.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/time_devices.h"
#include "pipeline/times.h"
#include "pipeline/times_job.h"
#include "runtime/store/database_earlier.h"
#include "search/recording.h"
#include "search/replay.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHOICES = 10, AT_COUNT = 3 };
static const size_t at[AT_COUNT] = {1, 5, 10};

typedef struct names {
    ht_time_settings settings;
    double print, evaluations;
    const char *kernel, *device;
} names;

/* A recorded run. */
typedef struct run {
    char *label;
    ht_space *space;
    ht_recording *recording;
    ht_replay *replay;
    ht_time_device device;
    ht_columns *columns;
    ht_config *configs;
    double *costs;
    size_t count;
} run;

static void check(ht_status status, const ht_error *error) {
    if (status == HT_OK)
        return;
    fprintf(stderr, "time_model: %s%s%s\n", error->file, *error->file ? ": " : "", error->message);
    exit(1);
}

static void names_read(names *names, int argc, char **argv, int first) {
    ht_boost_settings *boost = &names->settings.boost;
    const struct {
        const char *name;
        double *number;
        size_t *count;
    } known[] = {{"members", NULL, &names->settings.members},
                 {"rounds", NULL, &boost->rounds},
                 {"depth", NULL, &boost->depth},
                 {"rate", &boost->rate, NULL},
                 {"penalty", &boost->penalty, NULL},
                 {"rows", &boost->row_share, NULL},
                 {"columns", &boost->column_share, NULL},
                 {"print", &names->print, NULL},
                 {"evaluations", &names->evaluations, NULL}};
    for (int i = first; i < argc; ++i) {
        const char *value = strchr(argv[i], '=');
        bool found = false;
        if (value && strncmp(argv[i], "kernel=", 7) == 0) {
            names->kernel = value + 1;
            continue;
        }
        if (value && strncmp(argv[i], "device=", 7) == 0) {
            names->device = value + 1;
            continue;
        }
        if (value && strncmp(argv[i], "seed=", 5) == 0) {
            boost->seed = strtoull(value + 1, NULL, 10);
            continue;
        }
        for (size_t k = 0; value && k < sizeof known / sizeof *known; ++k) {
            size_t length = strlen(known[k].name);
            if (strncmp(argv[i], known[k].name, length) != 0 || argv[i][length] != '=')
                continue;
            found = true;
            if (known[k].number)
                *known[k].number = strtod(value + 1, NULL);
            else
                *known[k].count = strtoul(value + 1, NULL, 10);
        }
        if (!found) {
            fprintf(stderr, "time_model: '%s'?\n", argv[i]);
            exit(2);
        }
    }
}

static void run_open(run *run, const char *folder, const char *space, const char *file) {
    char *path = ht_path_join(folder, file), *t1 = ht_path_join(folder, "T1.json");
    ht_error error = {0};
    *run = (struct run){.label = ht_format("%s/%.*s", space, (int)strcspn(file, "."), file)};
    check(ht_space_read_t1(t1, 0, &run->space, &error), &error);
    check(ht_recording_read(path, HT_RECORDING_GUESS, &run->recording, &error), &error);
    check(ht_replay_create(run->space, run->recording, true, &run->replay, &error), &error);
    ht_time_device_find(run->recording->device, &run->device);
    if (run->device.units == 0)
        fprintf(stderr, "time_model: %s: no numbers of '%s'\n", path, run->recording->device);
    run->columns = ht_columns_new(run->space, &run->device, run->recording->problem);
    size_t legal = (size_t)ht_space_count(run->space);
    run->configs = ht_alloc(legal, sizeof *run->configs);
    run->costs = ht_alloc(legal, sizeof *run->costs);
    for (size_t i = 0; i < legal; ++i) {
        const ht_record *record = ht_replay_record(run->replay, i);
        if (!record)
            continue;
        run->configs[run->count] = ht_space_at(run->space, i);
        run->costs[run->count++] = record->status == HT_OK ? record->cost : INFINITY;
    }
    free(path);
    free(t1);
}

static void run_close(run *run) {
    ht_columns_free(run->columns);
    ht_replay_free(run->replay);
    ht_recording_free(run->recording);
    ht_space_free(run->space);
    free(run->label);
    free(run->configs);
    free(run->costs);
}

static int not_hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void space_read(const char *folder, const char *name, run **runs, size_t *count) {
    char *path = ht_path_join(folder, name), *t1 = ht_path_join(path, "T1.json");
    struct dirent **entries = NULL;
    int found = ht_file_exists(t1) ? scandir(path, &entries, not_hidden, alphasort) : 0;
    for (int i = 0; i < found; ++i) {
        const char *file = entries[i]->d_name;
        bool is_run = (ht_text_ends(file, ".json") || ht_text_ends(file, ".json.gz")) &&
                      strcmp(file, "T1.json") != 0 && !strstr(file, "_T4");
        if (is_run) {
            HT_GROW(*runs, *count);
            run_open(&(*runs)[(*count)++], path, name, file);
        }
        free(entries[i]);
    }
    free(entries);
    free(path);
    free(t1);
}

/* Returns how much of the best time's speed the first few choices reach. */
static double reached(const ht_time_choice *choices, size_t count, const ht_config *configs,
                      const double *costs, size_t config_count) {
    double best = INFINITY, own = INFINITY;
    for (size_t i = 0; i < config_count; ++i) {
        best = fmin(best, costs[i]);
        for (size_t c = 0; c < count; ++c)
            if (ht_config_equal(&configs[i], &choices[c].config))
                own = fmin(own, costs[i]);
    }
    return isfinite(own) ? best / own : 0;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Efficiencies of all that was left out. */
typedef struct scores {
    double *of[AT_COUNT];
    size_t count;
} scores;

static void scores_add(scores *scores, const char *label, const ht_time_choice *choices,
                       size_t choice_count, const run *run) {
    printf("| %s | %zu |", label, run->count);
    for (size_t a = 0; a < AT_COUNT; ++a) {
        size_t some = at[a] < choice_count ? at[a] : choice_count;
        scores->of[a] = ht_grow(scores->of[a], scores->count, sizeof *scores->of[a]);
        double value = reached(choices, some, run->configs, run->costs, run->count);
        scores->of[a][scores->count] = value;
        printf(" %.3f |", value);
    }
    ++scores->count;
    printf("\n");
}

static void scores_print(scores *scores) {
    printf("| mean of %zu | |", scores->count);
    for (size_t a = 0; a < AT_COUNT; ++a) {
        double sum = 0;
        for (size_t i = 0; i < scores->count; ++i)
            sum += scores->of[a][i];
        printf(" %.3f |", sum / (double)scores->count);
    }
    printf("\n| tenth percentile | |");
    for (size_t a = 0; a < AT_COUNT; ++a) {
        qsort(scores->of[a], scores->count, sizeof *scores->of[a], by_size);
        printf(" %.3f |", scores->of[a][scores->count / 10]);
        free(scores->of[a]);
    }
    printf("\n");
}

static void choices_print(const run *run, const ht_time_choice *choices, size_t count) {
    for (size_t c = 0; c < count; ++c) {
        printf("    %.3f +- %.3f:", choices[c].over, choices[c].spread);
        for (size_t d = 0; d < ht_space_dimension_count(run->space); ++d)
            printf(" %s", ht_space_dimension(run->space, d)->texts[choices[c].config.choice[d]]);
        printf("  reached %.3f\n", reached(&choices[c], 1, run->configs, run->costs, run->count));
    }
}

static void run_leave_out(const run *runs, size_t count, size_t out, const names *names,
                          scores *scores) {
    ht_time_data data = {0};
    ht_time_choice choices[CHOICES];
    for (size_t i = 0; i < count; ++i) {
        bool same = strcmp(runs[i].recording->kernel, runs[out].recording->kernel) == 0;
        bool left = strcmp(runs[i].recording->device, runs[out].recording->device) == 0;
        if (same && !left)
            ht_time_data_add(&data, runs[i].columns, runs[i].recording->device, runs[i].configs,
                             runs[i].costs, runs[i].count);
    }
    if (data.job_count == 0)
        return;
    ht_time_model *model = ht_time_model_fit(&data, "", "", "", &names->settings);
    size_t found = ht_time_model_choose_among(
        model, runs[out].columns, runs[out].configs, runs[out].count,
        ht_time_model_knows(model, runs[out].recording->device), CHOICES, choices);
    scores_add(scores, runs[out].label, choices, found, &runs[out]);
    if (names->print)
        choices_print(&runs[out], choices, found);
    ht_time_model_free(model);
    ht_time_data_free(&data);
}

static int recordings(const char *folder, const names *names) {
    struct dirent **entries = NULL;
    run *runs = NULL;
    size_t count = 0;
    scores scores = {0};
    int found = scandir(folder, &entries, not_hidden, alphasort);
    for (int i = 0; i < found; ++i) {
        space_read(folder, entries[i]->d_name, &runs, &count);
        free(entries[i]);
    }
    free(entries);
    printf("| run left out | configurations | first | best of 5 | best of 10 |\n"
           "|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; ++i)
        if (!names->kernel || strcmp(names->kernel, runs[i].recording->kernel) == 0)
            run_leave_out(runs, count, i, names, &scores);
    if (scores.count)
        scores_print(&scores);
    for (size_t i = 0; i < count; ++i)
        run_close(&runs[i]);
    free(runs);
    return 0;
}

/* Asks the model about a job of a database. */
static void job_ask(const ht_time_model *model, const ht_template *template,
                    const ht_device *device, const ht_database_earlier_run *job, const names *names,
                    scores *scores) {
    ht_times_job bound;
    ht_time_choice choices[CHOICES];
    if (!ht_times_job_open(template, device, job, &bound))
        return;
    run run = {.label = job->problem,
               .space = bound.space,
               .configs = bound.configs,
               .costs = bound.costs,
               .count = bound.count};
    size_t found =
        ht_time_model_choose_among(model, bound.columns, run.configs, run.count,
                                   ht_time_model_knows(model, job->device), CHOICES, choices);
    scores_add(scores, run.label, choices, found, &run);
    if (names->print)
        choices_print(&run, choices, found);
    ht_times_job_close(&bound);
}

static ht_time_model *model_learn(const ht_template *template, const ht_device *device,
                                  const char *code, const char *path, const char *without,
                                  const names *names) {
    ht_time_data data = {0};
    ht_times_read read;
    ht_error error = {0};
    check(ht_times_read_database(path, template, code, device, without, &data, &read, &error),
          &error);
    if (data.job_count == 0) {
        fprintf(stderr, "time_model: %s: nothing to learn from\n", path);
        exit(1);
    }
    double begun = ht_clock_seconds();
    ht_time_model *model = ht_time_model_fit(&data, template->name, "", code, &names->settings);
    if (!without || names->print) {
        const ht_time_facts *facts = ht_time_model_facts(model);
        fprintf(stderr,
                "learnt from %zu jobs, %zu evaluations, %zu columns: %.2f s; left out: "
                "%.3f, %.3f\n",
                data.job_count, data.row_count, data.column_count, ht_clock_seconds() - begun,
                facts->problems.mean, facts->problems.low);
    }
    ht_time_data_free(&data);
    return model;
}

static int database(const char *template_path, const char *path, const char *test,
                    const names *names) {
    ht_template *templates = NULL;
    size_t template_count = 0;
    ht_device device;
    ht_error error = {0};
    ht_database_earlier jobs;
    scores scores = {0};
    check(ht_template_load(template_path, &templates, &template_count, &error), &error);
    check(ht_device_find(names->device ? names->device : "host", &device, &error), &error);
    const ht_template *template = &templates[0];
    char *code = ht_times_code(template, &device);
    check(ht_times_jobs(test ? test : path, template->name, code, &jobs, &error), &error);
    printf("| problem left out | configurations | first | best of 5 | best of 10 |\n"
           "|---|---|---|---|---|\n");
    ht_time_model *model = test ? model_learn(template, &device, code, path, NULL, names) : NULL;
    for (size_t i = 0; i < jobs.count; ++i) {
        if (!test)
            model = model_learn(template, &device, code, path, jobs.runs[i].problem, names);
        job_ask(model, template, &device, &jobs.runs[i], names, &scores);
        if (!test)
            ht_time_model_free(model);
    }
    if (test)
        ht_time_model_free(model);
    if (scores.count)
        scores_print(&scores);
    ht_database_earlier_free(&jobs);
    free(code);
    ht_template_free(templates, template_count);
    return 0;
}

/* A space of 4,000 configurations, and made-up times of it on many problems. */
static const char speed_space[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"block_size_x\", \"Type\": \"int\", \"Values\": \"[8, 16, 32, 64, 128]\", "
    "\"Default\": 8},"
    "{\"Name\": \"block_size_y\", \"Type\": \"int\", \"Values\": \"[1, 2, 4, 8, 16]\", "
    "\"Default\": 1},"
    "{\"Name\": \"tile_size_x\", \"Type\": \"int\", \"Values\": \"[1, 2, 3, 4]\", "
    "\"Default\": 1},"
    "{\"Name\": \"tile_size_y\", \"Type\": \"int\", \"Values\": \"[1, 2, 3, 4]\", "
    "\"Default\": 1},"
    "{\"Name\": \"chunk\", \"Type\": \"int\", \"Values\": \"[1, 2, 4, 8, 16]\", "
    "\"Default\": 1},"
    "{\"Name\": \"stage\", \"Type\": \"int\", \"Values\": \"[0, 1]\", \"Default\": 0}],"
    "\"Conditions\": [{\"Expression\": \"block_size_x * block_size_y <= 1024\"}, "
    "{\"Expression\": \"block_size_x * tile_size_x * chunk <= 16384\"}, "
    "{\"Expression\": \"block_size_y * tile_size_y * chunk <= 16384\"}]}}";

static double processor_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static int speed(const names *names) {
    enum { PER_JOB = 100, ASKED = 50 };
    const ht_time_device device = {.wavefront = 64, .units = 100};
    ht_space *space = NULL;
    ht_error error = {0};
    ht_time_data data = {0};
    ht_random random;
    ht_config configs[PER_JOB];
    double costs[PER_JOB];
    ht_random_seed(&random, 1);
    check(ht_space_parse_t1(speed_space, "speed", 0, &space, &error), &error);
    for (size_t done = 0; done < (size_t)names->evaluations; done += PER_JOB) {
        int x = 64 + (int)ht_random_below(&random, 4000),
            y = 64 + (int)ht_random_below(&random, 99);
        char *extents = ht_format("[%d, %d]", x, y);
        ht_columns *columns = ht_columns_new(space, &device, extents);
        for (size_t i = 0; i < PER_JOB; ++i) {
            configs[i] = ht_space_sample(space, &random);
            costs[i] = x * (1 + configs[i].choice[0] + ht_random_unit(&random)) / 100;
        }
        ht_time_data_add(&data, columns, "device", configs, costs, PER_JOB);
        ht_columns_free(columns);
        free(extents);
    }
    double begun = ht_clock_seconds(), processor = processor_seconds();
    ht_time_model *model = ht_time_model_fit(&data, "", "", "", &names->settings);
    printf("learnt from %zu evaluations, %zu columns: %.2f s, %.2f s of the processors\n",
           data.row_count, data.column_count, ht_clock_seconds() - begun,
           processor_seconds() - processor);
    ht_time_choice choices[CHOICES];
    processor = processor_seconds();
    for (int i = 0; i < ASKED; ++i) {
        ht_columns *columns = ht_columns_new(space, &device, "[1000, 1000]");
        ht_time_model_choose(model, space, columns, true, CHOICES, choices);
        ht_columns_free(columns);
    }
    printf("ten choices of %llu configurations: %.2f ms of a processor\n",
           (unsigned long long)ht_space_count(space),
           1000 * (processor_seconds() - processor) / ASKED);
    ht_time_model_free(model);
    ht_time_data_free(&data);
    ht_space_free(space);
    return 0;
}

int main(int argc, char **argv) {
    names names = {.settings = ht_time_defaults, .evaluations = 100000};
    if (argc >= 3 && strcmp(argv[1], "recordings") == 0) {
        names_read(&names, argc, argv, 3);
        return recordings(argv[2], &names);
    }
    if (argc >= 4 && strcmp(argv[1], "database") == 0) {
        bool test = argc > 4 && !strchr(argv[4], '=');
        names_read(&names, argc, argv, test ? 5 : 4);
        return database(argv[2], argv[3], test ? argv[4] : NULL, &names);
    }
    if (argc >= 2 && strcmp(argv[1], "speed") == 0) {
        names_read(&names, argc, argv, 2);
        return speed(&names);
    }
    fprintf(stderr, "usage: time_model recordings FOLDER [NAME=VALUE...]\n"
                    "       time_model database TEMPLATE DB [TEST] [NAME=VALUE...]\n"
                    "       time_model speed [NAME=VALUE...]\n");
    return 2;
}
