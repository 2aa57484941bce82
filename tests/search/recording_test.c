/* Recorded runs in files: written ones read back; damaged ones are refused. */
#include "recordings.h"
#include "spaces.h"

#include "base/file.h"
#include "base/memory.h"
#include "search/recording_gzip.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char small_cache[] =
    "{\"device_name\": \"D\", \"kernel_name\": \"k\", \"problem_size\": 7,\n"
    "\"tune_params_keys\": [\"a\", \"b\"],\n"
    "\"tune_params\": {\"a\": [1, 2], \"b\": [0.5, \"x\", true]},\n"
    "\"objective\": \"time\", \"cache\": {\n"
    "\"1,0.5\": {\"a\": 1, \"b\": 0.5, \"time\": 2.5, \"times\": [2, 3], \"compile_time\": 10},\n"
    "\"2,x\": {\"a\": 2, \"b\": \"x\", \"time\": \"CompilationFailedConfig\"},\n"
    "\"2,True\": {\"a\": 2, \"b\": true, \"time\": \"RuntimeFailedConfig\", \"benchmark_time\": "
    "1}\n"
    "}}\n";
static const char small_t4[] =
    "{\"schema_version\": \"1.0.0\", \"metadata\": {\"timeunit\": \"microseconds\"}, \"results\": "
    "[\n"
    "{\"configuration\": {\"a\": 1}, \"times\": {\"compilation_time\": 5000, \"runtimes\": [1000, "
    "3000]},\n"
    " \"invalidity\": \"correct\", \"correctness\": 1,\n"
    " \"measurements\": [{\"name\": \"time\", \"value\": 2, \"unit\": \"ms\"}]},\n"
    "{\"configuration\": {\"a\": 2}, \"times\": {\"compilation\": 7000}, \"invalidity\": "
    "\"timeout\",\n"
    " \"correctness\": 0}]}\n";

static ht_recording *parsed(const char *text) {
    ht_recording *recording = NULL;
    ht_error error = {0};
    ht_status status =
        ht_recording_parse(text, strlen(text), "run.json", HT_RECORDING_GUESS, &recording, &error);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    return recording;
}

Test(recording, cache_as_written) {
    ht_recording *run = parsed(small_cache);
    cr_assert_eq(run->format, HT_RECORDING_CACHE);
    cr_assert_str_eq(run->device, "D");
    cr_assert_str_eq(run->problem, "7");
    cr_assert_eq(run->record_count, 3);
    cr_assert_eq(run->parameters[1].value_count, 3);
    cr_assert_eq(run->records[0].cost, 2.5);
    cr_assert_eq(run->records[0].sample_count, 2);
    cr_assert_eq(run->samples[1], 3);
    cr_assert_eq(run->records[0].times.compile, 10);
    cr_assert(run->records[0].times.benchmark < 0);
    cr_assert_eq(run->records[1].status, HT_ERROR_COMPILE);
    cr_assert_eq(run->records[2].status, HT_ERROR_LAUNCH);
    cr_assert_eq(ht_record_spent(&run->records[2]), 1);
    char *config = ht_recording_config(run, 2);
    cr_assert_str_eq(config, "a=2, b=True");
    free(config);
    ht_recording_free(run);
}

Test(recording, t4_as_written) {
    ht_recording *run = parsed(small_t4);
    cr_assert_eq(run->format, HT_RECORDING_T4);
    cr_assert_eq(run->record_count, 2);
    cr_assert_float_eq(run->records[0].cost, 2, 1e-12); /* its own unit */
    cr_assert_float_eq(run->records[0].times.compile, 5, 1e-12);
    cr_assert_float_eq(run->records[0].times.benchmark, 4, 1e-12); /* the runs */
    cr_assert_eq(run->records[1].status, HT_ERROR_TIMEOUT);
    cr_assert_float_eq(run->records[1].times.compile, 7, 1e-12);
    ht_recording_free(run);
}

Test(recording, round_trips) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        test_space space;
        test_space_random(&space, seed);
        for (int t4 = 0; t4 < 2; ++t4) {
            test_run_options options = {.seed = seed,
                                        .failing = 30,
                                        .backwards = seed % 2,
                                        .reals = seed % 3 == 0,
                                        .texts = seed % 5 == 0,
                                        .all_kinds = t4};
            ht_recording *run = test_run_make(space.space, &options);
            ht_recording_format format = t4 ? HT_RECORDING_T4 : HT_RECORDING_CACHE;
            ht_text text = {0}, again = {0};
            ht_recording_print(run, format, &text);
            ht_recording *back = parsed(text.data);
            cr_assert_eq(back->format, format);
            test_run_same(run, back);
            ht_recording_print(back, format, &again);
            cr_assert_str_eq(text.data, again.data);
            ht_text_free(&text);
            ht_text_free(&again);
            ht_recording_free(back);
            ht_recording_free(run);
        }
        test_space_free(&space);
    }
}

Test(recording, cache_to_t4_and_back) {
    test_space space;
    test_space_parse(&space, test_grid);
    ht_recording *run = test_run_make(space.space, &(test_run_options){.seed = 3, .failing = 10});
    ht_text cache = {0}, t4 = {0}, again = {0};
    ht_recording_print(run, HT_RECORDING_CACHE, &cache);
    ht_recording *first = parsed(cache.data);
    ht_recording_print(first, HT_RECORDING_T4, &t4);
    ht_recording *second = parsed(t4.data);
    ht_recording_print(second, HT_RECORDING_CACHE, &again);
    cr_assert_str_eq(cache.data, again.data);
    test_run_same(run, second);
    ht_text_free(&cache);
    ht_text_free(&t4);
    ht_text_free(&again);
    ht_recording_free(run);
    ht_recording_free(first);
    ht_recording_free(second);
    test_space_free(&space);
}

Test(recording, real_run) {
    ht_recording *run = NULL;
    ht_error error = {0};
    const char *path = HT_SOURCE_DIR "/tests/search/data/pnpoly_cut.json.gz";
    size_t failed = 0;
    cr_assert_eq(ht_recording_read(path, HT_RECORDING_GUESS, &run, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(run->record_count, 480);
    cr_assert_str_eq(run->kernel, "cn_pnpoly");
    for (size_t r = 0; r < run->record_count; ++r) {
        const ht_record *record = &run->records[r];
        double sum = 0;
        failed += record->status != HT_OK;
        for (size_t i = 0; i < record->sample_count; ++i)
            sum += run->samples[record->sample_first + i];
        if (record->status == HT_OK)
            cr_assert_float_eq(sum / (double)record->sample_count, record->cost,
                               1e-5 * record->cost);
    }
    cr_assert_eq(failed, 35);
    ht_recording_free(run);
}

/* Returns the text with the first `what` replaced; free(). */
static char *replaced(const char *text, const char *what, const char *with) {
    const char *at = strstr(text, what);
    cr_assert_not_null(at, "%s", what);
    return ht_format("%.*s%s%s", (int)(at - text), text, with, at + strlen(what));
}

static void refuse(const char *text, size_t length, const char *fragment) {
    ht_recording *recording = NULL;
    ht_error error = {0};
    ht_status status =
        ht_recording_parse(text, length, "run.json", HT_RECORDING_GUESS, &recording, &error);
    cr_assert_eq(status, HT_ERROR_INPUT, "accepted: %s", text);
    cr_assert_null(recording);
    cr_assert_str_eq(error.file, "run.json");
    cr_assert_not_null(strstr(error.message, fragment), "'%s' is not in '%s'", fragment,
                       error.message);
}

typedef struct damage {
    const char *text, *what, *with, *fragment;
} damage;

static const damage damages[] = {
    {small_cache, "\"cache\"", "\"cash\"", "is no recorded run"},
    {small_cache, "\"time\": 2.5", "\"time\": -1", "cache[\"1,0.5\"]"},
    {small_cache, "\"time\": 2.5", "\"time\": 0", "above 0"},
    {small_cache, "\"time\": 2.5,", "", "\"time\" must be"},
    {small_cache, "\"time\": 2.5", "\"time\": \"Lost\"", "\"Lost\""},
    {small_cache, "[2, 3]", "[2, null]", "\"times\"[1]"},
    {small_cache, "[2, 3]", "4", "\"times\" must be a list"},
    {small_cache, "\"compile_time\": 10", "\"compile_time\": \"ten\"", "\"compile_time\""},
    {small_cache, "\"a\": 1, \"b\": 0.5", "\"b\": 0.5", "\"a\" is missing"},
    {small_cache, "\"a\": 1, \"b\": 0.5", "\"a\": [], \"b\": 0.5", "\"a\" must be"},
    {small_cache, "\"1,0.5\"", "\"2,0.5\"", "do not agree"},
    {small_cache, "\"1,0.5\"", "\"1,0.5,3\"", "2 values"},
    {small_cache, "\"1,0.5\"", "\"1\"", "2 values"},
    {small_cache, "\"2,x\"", "\"1,0.5\"", "duplicate"},
    {small_cache, "[\"a\", \"b\"]", "[\"a\", \"a\"]", "twice"},
    {small_cache, "[\"a\", \"b\"]", "[]", "tune_params_keys"},
    {small_cache, "[\"a\", \"b\"]", "[\"a\", 3]", "tune_params_keys"},
    {small_cache, "[1, 2]", "[1, {}]", "tune_params"},
    {small_cache, "\"objective\": \"time\"", "\"objective\": \"GFLOP/s\"", "objective"},
    {small_t4, "\"results\"", "\"result\"", "is no recorded run"},
    {small_t4, "microseconds", "fortnights", "fortnights"},
    {small_t4, "\"timeout\"", "\"tired\"", "results[1]: \"invalidity\""},
    {small_t4, "{\"a\": 2}", "{\"b\": 2}", "results[1]: the value of parameter \"a\" is missing"},
    {small_t4, "{\"a\": 2}", "{\"a\": 1}", "a=1 is there twice"},
    {small_t4, "{\"a\": 2}", "{\"a\": 2, \"b\": 1}", "1 parameters"},
    {small_t4, "{\"a\": 1}", "{}", "results[0]"},
    {small_t4, "\"value\": 2", "\"value\": \"none\"", "results[0]"},
    {small_t4, "\"value\": 2", "\"value\": -2", "above 0"},
    {small_t4, "\"unit\": \"ms\"", "\"unit\": \"W\"", "\"W\""},
    {small_t4, "{\"compilation\": 7000}", "7000", "\"times\""},
};

Test(recording, damage_is_named) {
    for (size_t i = 0; i < sizeof damages / sizeof *damages; ++i) {
        char *text = replaced(damages[i].text, damages[i].what, damages[i].with);
        refuse(text, strlen(text), damages[i].fragment);
        free(text);
    }
    refuse("", 0, "malformed JSON");
    refuse("[]", 2, "expected an object");
    refuse("{\"cache\": {}}", 13, "tune_params_keys");
}

Test(recording, cut_short) {
    const char *const texts[] = {small_cache, small_t4};
    for (size_t t = 0; t < 2; ++t) {
        size_t length = strrchr(texts[t], '}') - texts[t];
        for (size_t cut = 0; cut <= length; ++cut)
            refuse(texts[t], cut, "malformed JSON");
    }
}

static ht_status unpack(const char *packed, size_t length, size_t limit, ht_error *error) {
    char *data = NULL;
    size_t out_length;
    ht_status status = ht_gzip_unpack(packed, length, limit, "x.gz", &data, &out_length, error);
    free(data);
    return status;
}

Test(recording, gzip_damage) {
    size_t length;
    char *packed = ht_gzip_pack(small_cache, strlen(small_cache), &length);
    ht_error error = {0};
    cr_assert_eq(unpack(packed, length, 1000, &error), HT_OK);
    cr_assert_eq(unpack(packed, length, 100, &error), HT_ERROR_INPUT);
    cr_assert_not_null(strstr(error.message, "more than the limit of 100 bytes"));
    for (size_t cut = 0; cut < length; ++cut) {
        cr_assert_eq(unpack(packed, cut, 1000, &error), HT_ERROR_INPUT);
        cr_assert_not_null(strstr(error.message, "cut short"), "%zu: %s", cut, error.message);
    }
    for (size_t at = 10; at < length; ++at) { /* after the header the check sum sees all */
        char *data = NULL;
        size_t out_length = 0;
        packed[at] ^= 0x10;
        if (ht_gzip_unpack(packed, length, 1000, "x.gz", &data, &out_length, &error) == HT_OK)
            cr_assert_str_eq(data, small_cache); /* a bit past the end of the data */
        free(data);
        packed[at] ^= 0x10;
    }
    free(packed);
}

/* A file that unpacks to a thousand times its size ends at the limit. */
Test(recording, gzip_bomb) {
    size_t size = 64 << 20, length;
    char *blanks = ht_alloc(size, 1);
    char *packed = ht_gzip_pack(blanks, size, &length);
    ht_error error = {0};
    cr_assert(length < size / 500);
    cr_assert_eq(unpack(packed, length, 1 << 20, &error), HT_ERROR_INPUT);
    free(packed);
    free(blanks);
}

Test(recording, gzip_members) {
    size_t first, second, length;
    char *a = ht_gzip_pack("hello ", 6, &first), *b = ht_gzip_pack("world", 5, &second), *out;
    a = ht_realloc(a, first + second, 1);
    memcpy(a + first, b, second);
    cr_assert_eq(ht_gzip_unpack(a, first + second, 100, "x", &out, &length, NULL), HT_OK);
    cr_assert_str_eq(out, "hello world");
    cr_assert_eq(length, 11);
    free(a);
    free(b);
    free(out);
}

Test(recording, files_plain_and_packed) {
    char *folder, *packed, *plain, *data;
    size_t length;
    ht_error error = {0};
    ht_recording *run = parsed(small_cache), *back = NULL;
    cr_assert_eq(ht_dir_temporary("recording", &folder, &error), HT_OK);
    packed = ht_path_join(folder, "run.json.gz");
    plain = ht_path_join(folder, "run.json");
    cr_assert_eq(ht_recording_write(run, HT_RECORDING_T4, packed, &error), HT_OK);
    cr_assert_eq(ht_recording_write(run, HT_RECORDING_CACHE, plain, &error), HT_OK);
    cr_assert_eq(ht_file_read(packed, 0, &data, &length, &error), HT_OK);
    cr_assert(ht_gzip_is(data, length));
    free(data);
    cr_assert_eq(ht_recording_read(packed, HT_RECORDING_GUESS, &back, &error), HT_OK);
    cr_assert_eq(back->format, HT_RECORDING_T4);
    ht_recording_free(back);
    cr_assert_eq(ht_recording_read(plain, HT_RECORDING_GUESS, &back, &error), HT_OK);
    test_run_same(run, back);
    ht_recording_free(back);
    cr_assert_eq(ht_recording_read(folder, HT_RECORDING_GUESS, &back, &error), HT_ERROR_IO);
    ht_recording_free(run);
    ht_dir_remove(folder);
    free(packed);
    free(plain);
    free(folder);
}
