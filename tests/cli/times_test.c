/* A model of time from the tuning database to `predict`, `evaluate` and the next search. */
#include "program.h"

#include "base/file.h"
#include "base/memory.h"
#include "pipeline/times.h"
#include "runtime/store/database.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(times, .init = workplace_make, .fini = workplace_remove);

static const char template_text[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(twice)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : pow2(1, 256) = 1)\n"
    "#pragma tune param(STEPS : 1, 2, 4, 8 = 1)\n"
    "#pragma tune require(BLOCK * STEPS <= 512 && BLOCK <= device.max_threads)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK * STEPS))\n"
    "#pragma tune arg(a : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int BLOCK, int STEPS>\n"
    "__global__ void twice(const float *a, float *out, int n) {\n"
    "    for (int s = 0; s < STEPS; ++s) {\n"
    "        int i = (blockIdx.x * STEPS + s) * BLOCK + threadIdx.x;\n"
    "        if (i < n) out[i] = a[i] * 2;\n"
    "    }\n"
    "}\n";

/* Small problems are best with blocks of 16, large ones with blocks of 64 and four steps. */
static double cost_of(int64_t n, int block, int steps) {
    int best_block = n < 1000 ? 16 : 64, best_steps = n < 1000 ? 1 : 4;
    double over = 1 + 0.2 * fabs(log2((double)block / best_block)) +
                  0.3 * fabs(log2((double)steps / best_steps));
    return over * (double)n / 1000;
}

/* A template with its database in the workplace. */
typedef struct setting {
    ht_template *templates;
    size_t count;
    ht_device device;
    char *database, *code, *name;
} setting;

static void job_put(const setting *of, ht_database *database, int64_t n) {
    char *problem = ht_format("n=%ld", (long)n);
    ht_database_key key = {"s", "twice", of->code, problem, of->name, "c", "m", NULL, NULL};
    for (int block = 1; block <= 256; block *= 2) {
        for (int steps = 1; steps <= 8 && block * steps <= 512; steps *= 2) {
            char *config = ht_format("BLOCK=%d STEPS=%d", block, steps);
            double cost = cost_of(n, block, steps);
            ht_evaluation evaluation = {
                .config = config, .cost = cost, .samples = &cost, .sample_count = 1};
            ht_error error = {0};
            cr_assert_eq(ht_database_put(database, &key, &evaluation, &error), HT_OK, "%s",
                         error.message);
            free(config);
        }
    }
    free(problem);
}

static setting setting_make(void) {
    setting of = {.database = ht_path_join(workplace(), "runs.sqlite")};
    ht_database *database;
    ht_error error = {0};
    workplace_write("twice.hip", template_text);
    cr_assert_eq(ht_template_parse(template_text, "twice.hip", &of.templates, &of.count, &error),
                 HT_OK, "%s", error.message);
    cr_assert_eq(ht_device_find("host", &of.device, &error), HT_OK, "%s", error.message);
    of.code = ht_times_code(&of.templates[0], &of.device);
    of.name = ht_times_device(&of.device);
    cr_assert_eq(ht_database_open(of.database, &database, NULL), HT_OK);
    for (int64_t n = 100; n < 10000; n = n * 5 / 4 + 1)
        job_put(&of, database, n);
    ht_database_close(database);
    return of;
}

static void setting_free(setting *of) {
    ht_template_free(of->templates, of->count);
    free(of->database);
    free(of->code);
    free(of->name);
}

static ht_times_read learn(const setting *of) {
    ht_times_read read;
    ht_error error = {0};
    cr_assert_eq(ht_times_learn(of->database, &of->templates[0], &of->device, &read, NULL, &error),
                 HT_OK, "%s", error.message);
    return read;
}

static json_t *json_run(const char *words) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, 0, "%s: exit code %d\n%s\n%s", words, result.code, result.out,
                 result.err);
    json_t *document = json_loads(result.out, 0, NULL);
    cr_assert_not_null(document, "%s", result.out);
    program_free(&result);
    return document;
}

#define MODEL "runs.sqlite.times/twice.times"

static void first_is(const char *n, json_int_t block, json_int_t steps) {
    char *words = ht_format("predict " MODEL " --problem n=%s -k 3 --json", n);
    json_t *document = json_run(words);
    const json_t *list = json_object_get(document, "proposals");
    const json_t *config = json_object_get(json_array_get(list, 0), "config");
    cr_expect_eq(json_array_size(list), 3);
    cr_expect_eq(json_integer_value(json_object_get(config, "BLOCK")), block, "n=%s", n);
    cr_expect_eq(json_integer_value(json_object_get(config, "STEPS")), steps, "n=%s", n);
    cr_expect_eq(json_array_size(json_object_get(document, "warnings")), 0);
    json_decref(document);
    free(words);
}

Test(times, learns_from_the_database_and_predicts_sizes_between) {
    setting of = setting_make();
    ht_times_read read = learn(&of);
    cr_expect_eq(read.foreign, 0);
    cr_expect_eq(read.evaluations, 33 * read.jobs);
    first_is("300", 16, 1);
    first_is("5000", 64, 4);
    json_t *document = json_run("evaluate " MODEL " runs.sqlite --json");
    const json_t *first = json_object_get(json_object_get(document, "efficiency"), "1");
    cr_expect_gt(json_number_value(json_object_get(first, "mean")), 0.95);
    cr_expect_eq(json_integer_value(json_object_get(document, "jobs")), (json_int_t)read.jobs);
    json_decref(document);
    setting_free(&of);
}

Test(times, warns_of_sizes_and_devices_that_were_not_seen_with_what_to_expect) {
    setting of = setting_make();
    learn(&of);
    program_result result = program_run("predict " MODEL " --problem n=100000 --explain");
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_expect_not_null(strstr(result.err, "has seen n from 100 to"), "%s", result.err);
    cr_expect_not_null(strstr(result.err, "of the best speed on average"), "%s", result.err);
    cr_expect_not_null(strstr(result.out, "model of time: choice 1"), "%s", result.out);
    program_free(&result);
    char *refused = NULL, **sentences = NULL;
    ht_time_model *model = ht_times_open(of.database, &of.templates[0], of.code, &refused);
    cr_assert_not_null(model, "%s", refused);
    cr_assert_eq(ht_times_unseen(model, NULL, "amd:gfx942: MI300X", &sentences), 1);
    cr_expect_not_null(strstr(sentences[0], "no times of amd:gfx942: MI300X"), "%s", sentences[0]);
    cr_expect_not_null(strstr(sentences[0], "no second device"), "%s", sentences[0]);
    free(sentences[0]);
    free(sentences);
    ht_time_model_free(model);
    setting_free(&of);
}

Test(times, a_search_begins_with_its_choices_and_not_with_those_of_another_kernel) {
    setting of = setting_make();
    learn(&of);
    program_result result = program_run("tune twice.hip --problem n=3000 --max-evals 4 --strategy "
                                        "auto --final-time 0 --check none --db runs.sqlite");
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_expect_not_null(strstr(result.out, "5 that the model of time chooses"), "%s", result.out);
    program_free(&result);
    char *refused = NULL;
    cr_expect_null(ht_times_open(of.database, &of.templates[0], "another code", &refused));
    cr_assert_not_null(refused);
    cr_expect_not_null(strstr(refused, "another form of twice"), "%s", refused);
    free(refused);
    setting_free(&of);
}

Test(times, too_little_to_learn_from_is_said_and_leaves_the_old_model) {
    setting of = setting_make();
    ht_times_read read;
    ht_error error = {0};
    learn(&of);
    free(of.templates[0].name);
    of.templates[0].name = ht_strdup("other");
    cr_expect_eq(ht_times_learn(of.database, &of.templates[0], &of.device, &read, NULL, &error),
                 HT_ERROR_INPUT);
    cr_expect_not_null(strstr(error.message, "nothing to learn from for other"), "%s",
                       error.message);
    char *path = ht_path_join(workplace(), MODEL);
    cr_expect(ht_file_exists(path));
    free(path);
    setting_free(&of);
}
