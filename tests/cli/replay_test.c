/* hiptemper replay and hiptemper convert, as a user runs them. */
#include "program.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/store/database.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(replay_command, .init = workplace_make, .fini = workplace_remove);
TestSuite(convert_command, .init = workplace_make, .fini = workplace_remove);

#define DATA HT_SOURCE_DIR "/tests/search/data/"
#define RUN DATA "pnpoly_cut.json.gz"
#define ON "replay --space " DATA "pnpoly_cut_T1.json --cache "

static json_t *run_json(const char *words) {
    program_result result = program_run(words);
    json_error_t error;
    cr_assert_eq(result.code, 0, "%s: exit code %d\n%s", words, result.code, result.err);
    json_t *document = json_loads(result.out, 0, &error);
    cr_assert_not_null(document, "%s: %s\n%s", words, error.text, result.out);
    program_free(&result);
    return document;
}

static double share(const json_t *run, const char *after) {
    const json_t *point = json_object_get(json_object_get(run, "curve"), after);
    return json_number_value(json_object_get(point, "mean"));
}

static void fails(const char *words, int code, const char *fragment) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, code, "%s: exit code %d\n%s", words, result.code, result.err);
    cr_assert_not_null(strstr(result.err, fragment), "%s: %s", words, result.err);
    program_free(&result);
}

Test(replay_command, json_of_one) {
    json_t *run = run_json(ON RUN " --strategy random --repeats 30 --seed 4 --json");
    static const char *const after[] = {"10", "25", "50", "100", "150", "200"};
    double last = 0;
    for (size_t i = 0; i < 6; ++i) {
        double now = share(run, after[i]);
        cr_assert(now >= last && now <= 1);
        const json_t *point = json_object_get(json_object_get(run, "curve"), after[i]);
        double tenth = json_number_value(json_object_get(point, "tenth"));
        double median = json_number_value(json_object_get(point, "median"));
        cr_assert(tenth > 0 && tenth <= median && median <= 1);
        cr_assert(json_number_value(json_object_get(point, "error")) > 0);
        last = now;
    }
    cr_assert_str_eq(json_string_value(json_object_get(run, "strategy")), "random");
    cr_assert_eq(json_integer_value(json_object_get(run, "repeats")), 30);
    cr_assert(json_number_value(json_object_get(run, "optimum_ms")) > 26);
    cr_assert(json_number_value(json_object_get(run, "overhead_ms_per_eval")) > 0);
    cr_assert(json_is_number(json_object_get(run, "P_random")));
    const json_t *counts = json_object_get(run, "configurations");
    cr_assert_eq(json_integer_value(json_object_get(counts, "legal")), 480);
    cr_assert_eq(json_integer_value(json_object_get(counts, "failed")), 35);
    json_decref(run);
}

/* Expects all but the processor time to be the same for the same seed. */
static void same_results(json_t *a, json_t *b) {
    json_object_del(a, "overhead_ms_per_eval");
    json_object_del(b, "overhead_ms_per_eval");
    cr_assert(json_equal(a, b));
    json_decref(a);
    json_decref(b);
}

Test(replay_command, threads_change_nothing) {
    json_t *all = run_json(ON RUN " --strategy all --max-evals 60 --repeats 5 --threads 1 --json");
    json_t *again =
        run_json(ON RUN " --strategy all --max-evals 60 --repeats 5 --threads 3 --json");
    cr_assert(json_is_array(all) && json_array_size(all) > 1);
    cr_assert_eq(json_array_size(all), json_array_size(again));
    for (size_t i = 0; i < json_array_size(all); ++i)
        same_results(json_incref(json_array_get(all, i)), json_incref(json_array_get(again, i)));
    json_decref(all);
    json_decref(again);
}

/* A run of the same device says where the optimum is; its worst configurations do not keep a search
 * from it; strategies that make no use of sources report none. */
Test(replay_command, sources) {
    json_t *run = run_json(ON RUN " --repeats 3 --max-evals 10 --sources " RUN " --json");
    cr_expect_float_eq(share(run, "10"), 1, 1e-9);
    cr_expect_eq(json_integer_value(json_object_get(run, "sources")), 1);
    json_t *again =
        run_json(ON RUN " --repeats 3 --max-evals 10 --threads 2 --sources " RUN " --json");
    same_results(run, again);
    run = run_json(ON RUN
                   " --repeats 3 --max-evals 60 --source-evals 50 --worst-sources --sources " RUN
                   " --sources " RUN " --json");
    cr_expect_gt(share(run, "50"), 0.9);
    cr_expect_eq(json_integer_value(json_object_get(run, "sources")), 2);
    json_decref(run);
    run = run_json(ON RUN " --strategy random --repeats 3 --max-evals 10 --sources " RUN " --json");
    cr_expect_eq(json_integer_value(json_object_get(run, "sources")), 0);
    json_decref(run);
    fails(ON RUN " --worst-sources --sources " RUN, 2, "--source-evals");
    fails(ON RUN " --source-evals 2 --sources " RUN, 2, "cannot be a source");
}

Test(replay_command, advice) {
    json_t *good = run_json(ON RUN " --repeats 3 --max-evals 25 --seeds-from " RUN " --json");
    json_t *bad = run_json(ON RUN " --repeats 3 --max-evals 25 --seeds-from " RUN
                                  " --worst-seeds --seed-count 25 --json");
    cr_assert_float_eq(share(good, "10"), 1, 1e-9);
    cr_assert(json_number_value(json_object_get(good, "P")) > 0.9);
    cr_assert_eq(json_integer_value(json_object_get(bad, "seeds")), 25);
    cr_assert(share(bad, "25") < 0.4);
    json_decref(good);
    json_decref(bad);
}

/* Facts of launches are said to be given, and only where a strategy makes use of them. */
Test(replay_command, facts_of_launches_are_given_unless_they_are_not_wanted) {
    json_t *with = run_json(ON RUN " --repeats 3 --max-evals 12 --json");
    json_t *without = run_json(ON RUN " --repeats 3 --max-evals 12 --no-facts --json");
    json_t *random = run_json(ON RUN " --strategy random --repeats 3 --max-evals 12 --json");
    cr_expect(json_is_true(json_object_get(with, "facts")));
    cr_expect(json_is_false(json_object_get(without, "facts")));
    cr_expect(json_is_false(json_object_get(random, "facts")));
    cr_expect_not(json_equal(json_object_get(with, "curve"), json_object_get(without, "curve")));
    json_decref(with);
    json_decref(without);
    json_decref(random);
    program_result result = program_run(ON RUN " --repeats 3 --max-evals 12");
    cr_expect(strstr(result.out, "wavefronts of 32"), "%s", result.out);
    program_free(&result);
    result = program_run(ON RUN " --repeats 3 --max-evals 12 --no-facts");
    cr_expect_not(strstr(result.out, "wavefronts"), "%s", result.out);
    program_free(&result);
}

Test(replay_command, table_and_curve) {
    program_result result =
        program_run(ON RUN " --strategy random --repeats 4 --max-evals 30 --curve curve.tsv");
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_assert_not_null(strstr(result.out, "480 configurations, 35 failed"));
    cr_assert_not_null(strstr(result.out, "\nrandom "));
    char *curve = workplace_read("curve.tsv");
    cr_assert_eq(count_lines(curve), 31);
    free(curve);
    program_free(&result);
}

Test(replay_command, mistakes) {
    fails(ON RUN " --strategy luck", 2, "luck");
    fails("replay --cache " RUN, 2, "--space");
    fails(ON "none.json", 1, "none.json");
    workplace_write("cut.json", "{\"cache\": {");
    fails(ON "cut.json", 2, "cut.json");
}

Test(convert_command, there_and_back) {
    char *first, *second;
    static const char *const steps[] = {
        "convert " RUN " a_T4.json.gz",
        "convert a_T4.json.gz b.json --space " DATA "pnpoly_cut_T1.json",
        "convert b.json c.json --to t4", "convert c.json d.json --from t4 --to cache"};
    for (size_t i = 0; i < 4; ++i) {
        program_result result = program_run(steps[i]);
        cr_assert_eq(result.code, 0, "%s: %s", steps[i], result.err);
        cr_assert_not_null(strstr(result.out, "480 configurations, 35 failed"));
        program_free(&result);
    }
    first = workplace_read("b.json");
    second = workplace_read("d.json");
    cr_assert_not_null(strstr(first, "\"tune_params_keys\": [\"use_method\", "));
    cr_assert_not_null(strstr(second, "\"tune_params_keys\": [\"use_method\", "));
    cr_assert_eq(strlen(strstr(first, "\"cache\"")), strlen(strstr(second, "\"cache\"")));
    cr_assert_str_eq(strstr(first, "\"cache\""), strstr(second, "\"cache\""));
    free(first);
    free(second);
}

/* Makes a database with one kernel on two devices. */
static void database_make(const char *path) {
    static const char *const devices[] = {"gpu: one", "gpu: two"};
    static const char *const configs[] = {"A=1 B=true T=\"vec<int, 3>\"", "A=2 B=false T=float",
                                          "original", "A=4 B=true T=float"};
    ht_database *database;
    ht_error error = {0};
    cr_assert_eq(ht_database_open(path, &database, &error), HT_OK, "%s", error.message);
    for (size_t d = 0; d < 2; ++d)
        for (size_t c = 0; c < 4; ++c) {
            ht_database_key key = {"s", "k", "t", "n=8", devices[d], "c", "m", NULL, NULL};
            double samples[] = {1.5, 2.5};
            ht_evaluation evaluation = {.config = (char *)configs[c],
                                        .cost = 2,
                                        .samples = samples,
                                        .sample_count = 2,
                                        .compile_seconds = 0.5};
            if (c == 3)
                evaluation =
                    (ht_evaluation){.config = (char *)configs[c], .status = HT_ERROR_CRASH};
            cr_assert_eq(ht_database_put(database, &key, &evaluation, &error), HT_OK);
        }
    ht_database_close(database);
}

Test(convert_command, database) {
    char *path = ht_path_join(workplace(), "tuning.sqlite");
    database_make(path);
    fails("convert tuning.sqlite x.json", 2, "2 jobs that fit");
    fails("convert tuning.sqlite x.json --kernel other", 2, "no job");
    fails("convert " RUN " x.json --kernel k", 2, "is not one");
    json_t *done = run_json("convert tuning.sqlite x.json --device two --kernel k --json");
    cr_assert_eq(json_integer_value(json_object_get(done, "configurations")), 3);
    cr_assert_eq(json_integer_value(json_object_get(done, "failed")), 1);
    char *text = workplace_read("x.json");
    cr_assert_not_null(strstr(text, "\"device_name\": \"gpu: two\""));
    cr_assert_not_null(strstr(text, "\"problem_size\": \"n=8\""));
    cr_assert_not_null(strstr(text, "\"A\":1,\"B\":true,\"T\":\"vec<int, 3>\",\"time\":2.0,"
                                    "\"times\":[1.5,2.5],\"compile_time\":500.0"));
    cr_assert_not_null(strstr(text, "\"4,True,float\": {\"A\":4,\"B\":true,\"T\":\"float\","
                                    "\"time\":\"RuntimeFailedConfig\""));
    free(text);
    program_result again = program_run("convert x.json y_T4.json");
    cr_assert_eq(again.code, 0, "%s", again.err);
    program_free(&again);
    json_decref(done);
    free(path);
}

Test(convert_command, mistakes) {
    fails("convert " RUN " " RUN, 2, "same file");
    fails("convert " RUN " x.json --to database", 2, "unknown format 'database'");
    fails("convert " RUN " x.json --from csv", 2, "unknown format 'csv'");
    fails("convert " RUN " x.json --from t4", 2, "\"results\"");
    fails("convert " RUN, 2, "is missing");
    workplace_write("other.sqlite", "SQLite format 3");
    fails("convert other.sqlite x.json", 2, "other.sqlite");
}
