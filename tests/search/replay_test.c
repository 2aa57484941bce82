/* Recorded runs on search spaces, and searches over them. */
#include "recordings.h"
#include "spaces.h"

#include "base/file.h"
#include "base/memory.h"
#include "search/replay_run.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    test_space space;
    ht_recording *run;
    ht_replay *replay;
} fixture;

static void fixture_make(fixture *f, const test_run_options *options) {
    ht_error error = {0};
    test_space_parse(&f->space, test_grid);
    f->run = test_run_make(f->space.space, options);
    cr_assert_eq(ht_replay_create(f->space.space, f->run, options->skip > 0, &f->replay, &error),
                 HT_OK, "%s", error.message);
}

static void fixture_free(fixture *f) {
    ht_replay_free(f->replay);
    ht_recording_free(f->run);
    test_space_free(&f->space);
}

static void refuse(const ht_space *space, const ht_recording *run, bool partial,
                   const char *fragment) {
    ht_replay *replay = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_replay_create(space, run, partial, &replay, &error), HT_ERROR_INPUT);
    cr_assert_null(replay);
    cr_assert_not_null(strstr(error.message, fragment), "'%s' is not in '%s'", fragment,
                       error.message);
}

/* In any order and form of the file, the same configuration has the same record. */
Test(replay, forms) {
    fixture plain;
    fixture_make(&plain, &(test_run_options){.seed = 5, .failing = 20});
    const test_run_options forms[] = {{.seed = 5, .failing = 20, .backwards = true},
                                      {.seed = 5, .failing = 20, .reals = true},
                                      {.seed = 5, .failing = 20, .texts = true, .backwards = true}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        fixture other;
        fixture_make(&other, &forms[i]);
        for (uint64_t n = 0; n < ht_space_count(plain.space.space); ++n) {
            const ht_record *a = ht_replay_record(plain.replay, n);
            const ht_record *b = ht_replay_record(other.replay, n);
            cr_assert_eq(a->status, b->status);
            cr_assert_eq(a->cost, b->cost);
            cr_assert_eq(ht_replay_spent(plain.replay, n), ht_replay_spent(other.replay, n));
        }
        cr_assert_eq(ht_replay_optimum(plain.replay), ht_replay_optimum(other.replay));
        fixture_free(&other);
    }
    fixture_free(&plain);
}

Test(replay, counts_and_optimum) {
    fixture f;
    fixture_make(&f, &(test_run_options){.seed = 9, .failing = 25, .skip = 60});
    ht_replay_counts counts = ht_replay_count(f.replay);
    double least = INFINITY;
    uint64_t failed = 0;
    for (size_t r = 0; r < f.run->record_count; ++r) {
        failed += f.run->records[r].status != HT_OK;
        if (f.run->records[r].status == HT_OK)
            least = fmin(least, f.run->records[r].cost);
    }
    cr_assert_eq(counts.space, 960);
    cr_assert_eq(counts.recorded, 900);
    cr_assert_eq(counts.missing, 60);
    cr_assert_eq(counts.failed, failed);
    cr_assert_eq(counts.extra, 0);
    cr_assert_eq(ht_replay_optimum(f.replay), least);
    cr_assert_null(ht_replay_record(f.replay, 959));
    fixture_free(&f);
}

static const char grid_cut[] =
    "#pragma tune unit\n#pragma tune kernel(k)\n"
    "#pragma tune param(A : 1..12 = 1)\n#pragma tune param(B : 2..20:2 = 2)\n"
    "#pragma tune param(C : pow2(1, 128) = 1)\n#pragma tune require(A * C < 600)\n"
    "#pragma tune block(A)\n#pragma tune grid(1)\n"
    "#pragma tune arg(out : out float[64])\n"
    "template <int A, int B, int C> __global__ void k(float *out) { out[threadIdx.x] = A * B * C; "
    "}\n";

Test(replay, what_does_not_fit) {
    fixture f;
    test_space cut;
    ht_replay *replay = NULL;
    fixture_make(&f, &(test_run_options){.seed = 2});
    test_space_parse(&cut, grid_cut);
    /* Configurations that the constraints exclude are counted and left out. */
    cr_assert_eq(ht_replay_create(cut.space, f.run, false, &replay, NULL), HT_OK);
    ht_replay_counts counts = ht_replay_count(replay);
    cr_assert(counts.extra > 0);
    cr_assert_eq(counts.extra + counts.space, 960);
    ht_replay_free(replay);
    ht_recording *few = test_run_make(f.space.space, &(test_run_options){.seed = 2, .skip = 1});
    refuse(f.space.space, few, false,
           "1 of 960 legal configurations are not recorded, such as "
           "A=12, B=20, C=128");
    ht_recording *failed = test_run_make(f.space.space, &(test_run_options){.failing = 100});
    refuse(f.space.space, failed, false, "no legal configuration of the run succeeded");
    free(f.run->parameters[1].name);
    f.run->parameters[1].name = ht_strdup("BB");
    refuse(f.space.space, f.run, false, "the run has a parameter BB");
    f.run->parameters[0].values[11].number = 13;
    f.run->parameters[1].name[1] = 0;
    free(f.run->parameters[0].values[11].text);
    f.run->parameters[0].values[11].text = ht_strdup("13");
    refuse(f.space.space, f.run, true, "parameter A has the value 13");
    ht_recording_free(few);
    ht_recording_free(failed);
    test_space_free(&cut);
    fixture_free(&f);
}

Test(replay, evaluator_answers) {
    fixture f;
    fixture_make(&f, &(test_run_options){.seed = 4, .failing = 40, .skip = 10});
    ht_evaluator evaluator = ht_replay_evaluator(f.replay, 7);
    cr_assert_eq(evaluator.batch, 7);
    for (uint64_t n = 0; n < 960; ++n) {
        ht_config config = ht_space_at(f.space.space, n);
        const ht_record *record = ht_replay_record(f.replay, n);
        ht_outcome outcome;
        size_t done = 0;
        cr_assert_eq(evaluator.evaluate(evaluator.self, &config, 1, &outcome, &done, NULL), HT_OK);
        cr_assert_eq(done, 1);
        cr_assert_eq(outcome.status, record ? record->status : HT_ERROR_UNSUPPORTED);
        if (outcome.status == HT_OK)
            cr_assert_eq(outcome.cost, record->cost);
        else
            cr_assert_str_eq(outcome.reason,
                             record ? ht_record_word(record->status) : "not recorded");
    }
    fixture_free(&f);
}

static ht_replay_trace *run_searches(const fixture *f, const ht_replay_options *options) {
    ht_error error = {0};
    ht_replay_trace *traces = ht_alloc(options->repeats, sizeof *traces);
    cr_assert_eq(ht_replay_run(f->replay, options, traces, &error), HT_OK, "%s", error.message);
    return traces;
}

static void free_traces(ht_replay_trace *traces, size_t count) {
    for (size_t r = 0; r < count; ++r)
        ht_replay_trace_free(&traces[r]);
    free(traces);
}

Test(replay, threads_change_nothing) {
    fixture f;
    fixture_make(&f, &(test_run_options){.seed = 6, .failing = 15, .skip = 40});
    for (size_t c = 0; ht_strategy_classes[c]; ++c) {
        ht_replay_options options = {.strategy = ht_strategy_classes[c]->name,
                                     .seed = 11,
                                     .repeats = 6,
                                     .max_evaluations = 90,
                                     .batch = 1 + c % 3,
                                     .threads = 1};
        ht_replay_trace *one = run_searches(&f, &options);
        options.threads = 4;
        ht_replay_trace *four = run_searches(&f, &options);
        for (size_t r = 0; r < options.repeats; ++r) {
            cr_assert(one[r].complete && four[r].complete);
            cr_assert_eq(one[r].count, 90);
            cr_assert_eq(four[r].count, 90);
            cr_assert_eq(one[r].failed, four[r].failed);
            cr_assert_eq(one[r].missing, four[r].missing);
            cr_assert(one[r].overhead > 0);
            cr_assert_eq(memcmp(one[r].best, four[r].best, 90 * sizeof(double)), 0);
            cr_assert_eq(memcmp(one[r].spent, four[r].spent, 90 * sizeof(double)), 0);
        }
        free_traces(one, options.repeats);
        free_traces(four, options.repeats);
    }
    fixture_free(&f);
}

Test(replay, traces_and_budgets) {
    fixture f;
    fixture_make(&f, &(test_run_options){.seed = 8, .failing = 30});
    ht_replay_options options = {.strategy = "random",
                                 .seed = 3,
                                 .repeats = 5,
                                 .min_evaluations = 20,
                                 .min_spent = 30000,
                                 .batch = 1,
                                 .threads = 2};
    ht_replay_trace *traces = run_searches(&f, &options);
    for (size_t r = 0; r < options.repeats; ++r) {
        const ht_replay_trace *t = &traces[r];
        cr_assert(t->count > 20 && t->spent[t->count - 1] >= 30000 &&
                  t->spent[t->count - 2] < 30000);
        for (size_t i = 1; i < t->count; ++i)
            cr_assert(t->best[i] <= t->best[i - 1] && t->spent[i] > t->spent[i - 1]);
        cr_assert(r == 0 || memcmp(t->spent, traces[0].spent, 20 * sizeof(double)) != 0);
    }
    free_traces(traces, options.repeats);
    options.max_evaluations = 100000; /* the whole space */
    traces = run_searches(&f, &options);
    cr_assert_eq(traces[0].count, 960);
    cr_assert_eq(traces[0].best[959], ht_replay_optimum(f.replay));
    free_traces(traces, options.repeats);
    fixture_free(&f);
}

static volatile int stop;

static void stop_later(void *context, size_t done) {
    (void)context;
    if (done == 3)
        stop = 1;
}

Test(replay, interruption_keeps_what_is_complete) {
    fixture f;
    fixture_make(&f, &(test_run_options){.seed = 8});
    ht_replay_options options = {.strategy = "random",
                                 .repeats = 50,
                                 .max_evaluations = 900,
                                 .batch = 1,
                                 .threads = 2,
                                 .interrupted = &stop,
                                 .on_repeat = stop_later};
    ht_replay_trace *traces = ht_alloc(options.repeats, sizeof *traces);
    ht_error error = {0};
    size_t complete = 0;
    cr_assert_eq(ht_replay_run(f.replay, &options, traces, &error), HT_ERROR_INTERRUPTED);
    for (size_t r = 0; r < options.repeats; ++r) {
        complete += traces[r].complete;
        cr_assert(!traces[r].complete || traces[r].count == 900);
    }
    cr_assert(complete >= 3 && complete < 50);
    free_traces(traces, options.repeats);
    fixture_free(&f);
}

Test(replay, unknown_strategy) {
    fixture f;
    ht_replay_trace trace;
    ht_error error = {0};
    fixture_make(&f, &(test_run_options){.seed = 8});
    ht_replay_options options = {.strategy = "luck", .repeats = 1, .batch = 1, .threads = 1};
    cr_assert_eq(ht_replay_run(f.replay, &options, &trace, &error), HT_ERROR_INPUT);
    cr_assert_not_null(strstr(error.message, "luck"));
    ht_replay_trace_free(&trace);
    fixture_free(&f);
}

/* Returns the rank of a configuration in one run, by counting. */
static double rank_by_counting(const ht_replay *run, uint64_t index, bool *out_failed) {
    uint64_t count = ht_space_count(ht_replay_space(run));
    const ht_record *own = ht_replay_record(run, index);
    double below = 0, same = 0;
    if (!own || own->status != HT_OK) {
        *out_failed = true;
        return (double)count;
    }
    for (uint64_t i = 0; i < count; ++i) {
        const ht_record *other = ht_replay_record(run, i);
        if (!other || other->status != HT_OK)
            continue;
        below += other->cost < own->cost;
        same += other->cost == own->cost;
    }
    return below + (same - 1) / 2;
}

Test(replay, ranks_over_other_runs) {
    fixture f[3];
    const ht_replay *others[3];
    ht_config seeds[40];
    for (size_t i = 0; i < 3; ++i) {
        fixture_make(&f[i], &(test_run_options){.seed = 20 + i, .failing = 20, .skip = i * 30});
        others[i] = f[i].replay;
    }
    for (int worst = 0; worst < 2; ++worst) {
        double last = worst ? INFINITY : -1;
        cr_assert_eq(ht_replay_rank(others, 3, worst, 40, seeds), 40);
        for (size_t s = 0; s < 40; ++s) {
            uint64_t index;
            bool failed = false;
            double sum = 0;
            cr_assert(ht_space_find(f[0].space.space, &seeds[s], &index));
            for (size_t i = 0; i < 3; ++i)
                sum += rank_by_counting(others[i], index, &failed);
            cr_assert(!(worst && failed));
            cr_assert(worst ? sum <= last : sum >= last);
            for (size_t before = 0; before < s; ++before)
                cr_assert(!ht_config_equal(&seeds[before], &seeds[s]));
            last = sum;
        }
        /* Nothing that was left out belongs before the last one. */
        size_t better = 0;
        for (uint64_t i = 0; i < 960; ++i) {
            bool failed = false;
            double sum = 0;
            for (size_t k = 0; k < 3; ++k)
                sum += rank_by_counting(others[k], i, &failed);
            better += worst ? !failed && sum > last : sum < last;
        }
        cr_assert(better < 40);
    }
    cr_assert_eq(ht_replay_rank(others, 0, false, 40, seeds), 0);
    for (size_t i = 0; i < 3; ++i)
        fixture_free(&f[i]);
}

/* A search begins with the seeds, in their order. */
Test(replay, seeds_come_first) {
    fixture f;
    ht_config seeds[4];
    fixture_make(&f, &(test_run_options){.seed = 31, .failing = 10});
    const ht_replay *self[] = {f.replay};
    cr_assert_eq(ht_replay_rank(self, 1, false, 4, seeds), 4);
    ht_replay_options options = {.strategy = "random",
                                 .repeats = 2,
                                 .max_evaluations = 10,
                                 .batch = 2,
                                 .threads = 1,
                                 .seeds = seeds,
                                 .seed_count = 4};
    ht_replay_trace *traces = run_searches(&f, &options);
    for (size_t r = 0; r < 2; ++r) {
        cr_assert_eq(traces[r].best[0], ht_replay_optimum(f.replay));
        cr_assert_eq(traces[0].spent[3], traces[r].spent[3]);
    }
    cr_assert_neq(traces[0].spent[9], traces[1].spent[9]);
    free_traces(traces, 2);
    fixture_free(&f);
}

Test(replay, arranged_as_the_space) {
    fixture plain, back;
    fixture_make(&plain, &(test_run_options){.seed = 12, .failing = 10});
    fixture_make(&back, &(test_run_options){.seed = 12, .failing = 10, .backwards = true});
    ht_replay_arrange(back.space.space, back.run);
    for (size_t p = 0; p < 3; ++p) {
        cr_assert_str_eq(back.run->parameters[p].name, plain.run->parameters[p].name);
        cr_assert_eq(back.run->parameters[p].value_count, plain.run->parameters[p].value_count);
    }
    for (size_t r = 0; r < 960; ++r) {
        char *a = ht_recording_config(plain.run, r), *b = ht_recording_config(back.run, 959 - r);
        cr_assert_str_eq(a, b);
        cr_assert_eq(plain.run->records[r].cost, back.run->records[959 - r].cost);
        free(a);
        free(b);
    }
    fixture_free(&plain);
    fixture_free(&back);
}

static const char mixed_t1[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"layout\", \"Type\": \"string\", \"Values\": \"['NCHW', 'a,b']\"},"
    "{\"Name\": \"scale\", \"Type\": \"float\", \"Values\": \"[0.5, 1.0, 2e-1]\"},"
    "{\"Name\": \"on\", \"Type\": \"bool\", \"Values\": \"[True, False]\"}],"
    "\"Conditions\": [{\"Expression\": \"on or scale < 0.3\", \"Parameters\": [\"on\"]}]}}";
static const char mixed_run[] =
    "{\"tune_params_keys\": [\"on\", \"scale\", \"layout\"], \"cache\": {"
    "\"True,0.5,NCHW\": {\"on\": true, \"scale\": 0.5, \"layout\": \"NCHW\", \"time\": 1},"
    "\"True,1,NCHW\": {\"on\": true, \"scale\": 1, \"layout\": \"NCHW\", \"time\": 2},"
    "\"1,0.2,NCHW\": {\"on\": 1, \"scale\": 0.2, \"layout\": \"NCHW\", \"time\": 3},"
    "\"0,0.2,NCHW\": {\"on\": 0, \"scale\": 0.2, \"layout\": \"NCHW\", \"time\": 4},"
    "\"True,0.5,a,b\": {\"on\": true, \"scale\": 0.5, \"layout\": \"a,b\", \"time\": 5},"
    "\"True,1.0,a,b\": {\"on\": true, \"scale\": 1.0, \"layout\": \"a,b\", \"time\": 6},"
    "\"True,0.2,a,b\": {\"on\": true, \"scale\": 0.2, \"layout\": \"a,b\", \"time\": 7},"
    "\"False,0.2,a,b\": {\"on\": false, \"scale\": \"0.2\", \"layout\": \"a,b\", \"time\": 8}}}";

/* Texts, reals and booleans, in a space that was read from a file. */
Test(replay, mixed_values) {
    char *folder, *path;
    ht_error error = {0};
    ht_space *space;
    ht_recording *run;
    ht_replay *replay;
    cr_assert_eq(ht_dir_temporary("mixed", &folder, &error), HT_OK);
    path = ht_path_join(folder, "T1.json");
    cr_assert_eq(ht_file_write(path, mixed_t1, strlen(mixed_t1), &error), HT_OK);
    cr_assert_eq(ht_space_read_t1(path, 0, &space, &error), HT_OK, "%s", error.message);
    cr_assert_eq(
        ht_recording_parse(mixed_run, strlen(mixed_run), "run", HT_RECORDING_GUESS, &run, &error),
        HT_OK, "%s", error.message);
    cr_assert_eq(ht_replay_create(space, run, false, &replay, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_space_count(space), 8);
    for (uint64_t i = 0; i < 8; ++i)
        cr_assert_eq(ht_replay_record(replay, i)->cost, (double)i + 1);
    ht_replay_arrange(space, run);
    cr_assert_str_eq(run->parameters[0].name, "layout");
    ht_replay_free(replay);
    ht_recording_free(run);
    ht_space_free(space);
    ht_dir_remove(folder);
    free(path);
    free(folder);
}
