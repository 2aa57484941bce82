/* Times the construction of search spaces, next to filters over all combinations.
 *
 *   space_construction FOLDER [ROUNDS]
 *
 * FOLDER holds T1 files, NAME.json or NAME/T1.json. For each, in turn, ROUNDS times (default 201),
 * on one core, CPU time, medians: build    from the read file to the space: what the search needs
 * to count, index, find and sample
 *   + parse  the same with reading the JSON and its Python expressions
 *   + list   the same without parsing, with every configuration written out
 *   filter   every combination through the same evaluator, 64 at a time, the legal ones written out
 *   native   for the space named gemm_15p: its constraints by hand, in nested C loops, each as soon
 *            as its parameters are there, the legal ones written out
 * Then two generated spaces of 10^9 and 10^12 combinations. */
#include "templates/space/space_internal.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUILD, PARSE, LIST, FILTER, NATIVE, WAYS };

typedef struct subject {
    char *name;
    char *text;
    uint64_t legal, combinations;
    uint64_t counts[WAYS]; /* legal ones by each way, to compare */
    double *times[WAYS];   /* milliseconds, by round */
} subject;

static double cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void must(ht_status status, const ht_error *error) {
    if (status == HT_OK)
        return;
    fprintf(stderr, "space_construction: %s: %s\n", error->file, error->message);
    exit(1);
}

static ht_space_model model_read(const subject *s) {
    ht_space_model model;
    ht_error error;
    must(ht_space_model_t1(s->text, s->name, &model, &error), &error);
    return model;
}

static double time_build(subject *s, bool list) {
    ht_space_model model = model_read(s);
    ht_space *space;
    ht_error error;
    ht_config *configs = NULL;
    double start = cpu_ms();
    must(ht_space_from_model(&model, NULL, 0, &space, &error), &error);
    uint64_t count = ht_space_count(space);
    if (list) {
        configs = ht_alloc(count, sizeof *configs);
        count = ht_space_list(space, 0, configs, count);
    }
    double spent = cpu_ms() - start;
    s->legal = s->counts[list ? LIST : BUILD] = count;
    s->combinations = ht_space_cartesian(space);
    free(configs);
    ht_space_free(space);
    return spent;
}

static double time_parse(subject *s) {
    ht_space *space;
    ht_error error;
    double start = cpu_ms();
    must(ht_space_parse_t1(s->text, s->name, 0, &space, &error), &error);
    double spent = cpu_ms() - start;
    s->counts[PARSE] = ht_space_count(space);
    ht_space_free(space);
    return spent;
}

/* Moves on to the next combination, last parameter fastest. */
static void next(const ht_space_model *model, uint16_t *choice) {
    for (size_t p = model->dimension_count; p-- > 0;) {
        if (++choice[p] < model->dimensions[p].value_count)
            return;
        choice[p] = 0;
    }
}

static double time_filter(subject *s) {
    ht_space_model model = model_read(s);
    uint32_t *results = ht_alloc(model.condition_count, sizeof *results);
    uint16_t choice[HT_PARAM_MAX] = {0}, (*lanes)[HT_LANES];
    const uint16_t *columns[HT_PARAM_MAX];
    ht_config *legal = NULL;
    uint64_t count = 0;
    ht_workspace space;
    lanes = ht_alloc(HT_PARAM_MAX, sizeof *lanes);
    double start = cpu_ms();
    for (size_t i = 0; i < model.condition_count; ++i)
        results[i] = model.conditions[i].instruction;
    ht_routine *routine = ht_routine_new(model.code, results, model.condition_count);
    ht_workspace_make(routine, &space);
    for (size_t k = 0; k < routine->input_count; ++k)
        columns[k] = lanes[routine->inputs[k]];
    for (uint64_t done = 0; done < s->combinations; done += HT_LANES) {
        size_t width = s->combinations - done < HT_LANES ? s->combinations - done : HT_LANES;
        for (size_t lane = 0; lane < width; ++lane, next(&model, choice))
            for (size_t p = 0; p < model.dimension_count; ++p)
                lanes[p][lane] = choice[p];
        ht_routine_run(routine, columns, width, &space);
        for (size_t lane = 0; lane < width; ++lane) {
            bool holds = true;
            for (size_t r = 0; holds && r < routine->result_count; ++r)
                holds = space.values[routine->results[r] * width + lane].whole &&
                        !space.faults[routine->results[r] * width + lane];
            if (!holds)
                continue;
            HT_GROW(legal, count);
            legal[count].count = (uint16_t)model.dimension_count;
            for (size_t p = 0; p < model.dimension_count; ++p)
                legal[count].choice[p] = lanes[p][lane];
            ++count;
        }
    }
    double spent = cpu_ms() - start;
    s->counts[FILTER] = count;
    free(legal);
    free(results);
    free(lanes);
    ht_workspace_free(&space);
    ht_routine_free(routine);
    ht_space_model_free(&model);
    return spent;
}

static const int sizes[] = {16, 32, 64, 128}, threads[] = {8, 16, 32}, vectors[] = {1, 2, 4, 8};

/* Returns true if KWG is a multiple of the real number a / b: with KWG = 32, if 32 b is one of
 * a. */
static bool divides_depth(int a, int b) {
    return 32 * b % a == 0;
}

static ht_config *native_config(ht_config **legal, uint64_t *count) {
    HT_GROW(*legal, *count);
    ht_config *config = &(*legal)[(*count)++];
    *config = (ht_config){.count = 15};
    return config;
}

/* Times gemm_15p by hand, in nested loops over the parameters that have several values, each
 * constraint as soon as its parameters are there. */
static double time_native(subject *s) {
    ht_config *legal = NULL, outer = {0};
    uint64_t count = 0;
    uint16_t *at = outer.choice;
    double start = cpu_ms();
#define LOOP(place, values) for (at[place] = 0; at[place] < (values); ++at[place])
    LOOP(0, 4)
    LOOP(1, 4)
    LOOP(3, 3)
    LOOP(4, 3) {
        int mwg = sizes[at[0]], nwg = sizes[at[1]], mdimc = threads[at[3]], ndimc = threads[at[4]];
        if (mdimc * ndimc > 1024)
            continue;
        LOOP(5, 3) {
            int mdima = threads[at[5]];
            if (!divides_depth(mdimc * ndimc, mdima))
                continue;
            LOOP(6, 3) {
                int ndimb = threads[at[6]];
                if (!divides_depth(mdimc * ndimc, ndimb))
                    continue;
                LOOP(8, 4) {
                    if (mwg % (mdimc * vectors[at[8]]) || mwg % (mdima * vectors[at[8]]))
                        continue;
                    LOOP(9, 4) {
                        if (nwg % (ndimc * vectors[at[9]]) || nwg % (ndimb * vectors[at[9]]))
                            continue;
                        LOOP(12, 2)
                        LOOP(13, 2) {
                            ht_config *config = native_config(&legal, &count);
                            memcpy(config->choice, at, sizeof config->choice);
                        }
                    }
                }
            }
        }
    }
#undef LOOP
    double spent = cpu_ms() - start;
    s->counts[NATIVE] = count;
    free(legal);
    return spent;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, size_t rounds) {
    qsort(times, rounds, sizeof *times, ascending);
    return times[rounds / 2];
}

static void measure(subject *subjects, size_t count, size_t rounds) {
    for (size_t i = 0; i < count; ++i)
        for (int way = 0; way < WAYS; ++way)
            subjects[i].times[way] = ht_alloc(rounds, sizeof(double));
    for (size_t round = 0; round < rounds; ++round)
        for (size_t i = 0; i < count; ++i) {
            subject *s = &subjects[i];
            s->times[BUILD][round] = time_build(s, false);
            s->times[PARSE][round] = time_parse(s);
            s->times[LIST][round] = time_build(s, true);
            s->times[FILTER][round] = time_filter(s);
            s->times[NATIVE][round] = !strcmp(s->name, "gemm_15p") ? time_native(s) : 0;
        }
}

static void report(subject *subjects, size_t count, size_t rounds) {
    printf("%-22s %12s %8s  %9s %9s %9s %9s %9s\n", "space, times in ms", "combinations", "legal",
           "build", "+ parse", "+ list", "filter", "native");
    for (size_t i = 0; i < count; ++i) {
        subject *s = &subjects[i];
        bool native = !strcmp(s->name, "gemm_15p");
        printf("%-22s %12" PRIu64 " %8" PRIu64 " ", s->name, s->combinations, s->legal);
        for (int way = 0; way < WAYS; ++way) {
            if (way == NATIVE && !native)
                continue;
            printf(" %9.4f", median(s->times[way], rounds));
            if (s->counts[way] != s->legal)
                printf(" (%" PRIu64 "!)", s->counts[way]);
        }
        printf("\n");
        for (int way = 0; way < WAYS; ++way)
            free(s->times[way]);
        free(s->name);
        free(s->text);
    }
}

static char *generated(int params, const char *const *conditions, size_t count) {
    ht_text text = {0};
    ht_text_append(&text, "{\"ConfigurationSpace\": {\"TuningParameters\": [");
    for (int p = 0; p < params; ++p)
        ht_text_printf(&text, "%s{\"Name\": \"p%d\", \"Values\": \"list(range(1, 11))\"}",
                       p ? ", " : "", p);
    ht_text_append(&text, "], \"Conditions\": [");
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&text, "%s{\"Expression\": \"%s\"}", i ? ", " : "", conditions[i]);
    ht_text_append(&text, "]}}");
    return ht_text_take(&text);
}

static void large(const char *title, int params, const char *const *conditions, size_t count) {
    char *text = generated(params, conditions, count);
    ht_space *space;
    ht_error error;
    double start = cpu_ms();
    must(ht_space_parse_t1(text, title, 0, &space, &error), &error);
    double built = cpu_ms() - start;
    ht_random random;
    ht_random_seed(&random, 1);
    enum { DRAWS = 1000 };
    uint64_t legal = ht_space_count(space), wrong = 0;
    start = cpu_ms();
    for (int i = 0; i < DRAWS; ++i) {
        ht_config config = ht_space_sample(space, &random);
        wrong += !ht_space_legal(space, &config);
    }
    double drawn = cpu_ms() - start;
    printf("%-22s %12" PRIu64, title, ht_space_cartesian(space));
    if (legal == UINT64_MAX)
        printf("  not counted");
    else
        printf(" %12" PRIu64, legal);
    printf("  %s  built %8.1f ms, %.2f us a draw%s\n",
           ht_space_listed(space) ? "listed " : "unlisted", built, drawn * 1e3 / DRAWS,
           wrong ? ", ILLEGAL ONES AMONG THEM" : "");
    ht_space_free(space);
    free(text);
}

static void measure_large(void) {
    static const char *const pairs[] = {
        "p0 * p1 <= 12",      "p2 + p3 == 9", "p4 % p5 == 0 and p4 > p5",
        "p6 * p7 * p8 <= 40", "p0 < p2",      "p1 != p3"};
    static const char *const late[] = {"p0 + p8 == 11", "p1 + p7 == 11", "p2 + p6 == 11",
                                       "p3 + p5 == 11"};
    static const char *const sum[] = {"p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7 + p8 <= 20"};
    static const char *const sum12[] = {
        "p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7 + p8 + p9 + p10 + p11 == 40"};
    static const char *const far[] = {"p0 <= p6", "p1 <= p7",  "p2 <= p8",
                                      "p3 <= p9", "p4 <= p10", "p5 <= p11"};
    static const char *const knot[] = {
        "(p0*p1 + p2*p3 + p4*p5 + p6*p7 + p8*p9 + p10*p11*p0*p3*p5*p7*p9) % 1009 == 5"};
    printf("\n");
    large("pairs and a triple", 9, pairs, sizeof pairs / sizeof *pairs);
    large("bound late", 9, late, sizeof late / sizeof *late);
    large("a sum", 9, sum, 1);
    large("a sum of twelve", 12, sum12, 1);
    large("pairs far apart", 12, far, sizeof far / sizeof *far);
    large("one knot", 12, knot, 1);
}

/* Returns NAME.json or NAME/T1.json; NULL for anything else. */
static char *t1_path(const char *folder, const char *entry, char **out_name) {
    size_t length = strlen(entry);
    if (entry[0] == '.')
        return NULL;
    if (length > 5 && !strcmp(entry + length - 5, ".json")) {
        *out_name = ht_strndup(entry, length - 5);
        return ht_path_join(folder, entry);
    }
    char *inside = ht_path_join(folder, entry), *path = ht_path_join(inside, "T1.json");
    free(inside);
    if (ht_file_exists(path)) {
        *out_name = ht_strdup(entry);
        return path;
    }
    free(path);
    return NULL;
}

static size_t find(const char *folder, subject **out_subjects) {
    struct dirent **entries;
    int found = scandir(folder, &entries, NULL, alphasort);
    size_t count = 0;
    *out_subjects = NULL;
    for (int i = 0; i < found; ++i) {
        subject s = {0};
        ht_error error;
        char *path = t1_path(folder, entries[i]->d_name, &s.name);
        free(entries[i]);
        if (!path)
            continue;
        must(ht_file_read(path, 0, &s.text, NULL, &error), &error);
        free(path);
        HT_GROW(*out_subjects, count);
        (*out_subjects)[count++] = s;
    }
    if (found >= 0)
        free(entries);
    return count;
}

int main(int argc, char **argv) {
    subject *subjects;
    size_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 201;
    cpu_set_t core;
    if (argc < 2 || rounds < 1) {
        fprintf(stderr, "usage: space_construction FOLDER [ROUNDS]\n");
        return 2;
    }
    CPU_ZERO(&core);
    CPU_SET(0, &core);
    sched_setaffinity(0, sizeof core, &core);
    size_t count = find(argv[1], &subjects);
    if (!count) {
        fprintf(stderr, "space_construction: no T1 files in %s\n", argv[1]);
        return 2;
    }
    measure(subjects, count, rounds);
    report(subjects, count, rounds);
    free(subjects);
    measure_large();
    return 0;
}
