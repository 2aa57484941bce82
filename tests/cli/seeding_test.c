/* From the tuning database to a model, and from the model's proposals into a search. */
#include "program.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/store/database.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(seeding, .init = workplace_make, .fini = workplace_remove);

static const char template[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(%s)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : pow2(1, 256) = 1)\n"
    "#pragma tune param(STEPS : 1, 2, 4, 8%s = 1)\n"
    "#pragma tune require(BLOCK * STEPS <= 512 && BLOCK <= device.max_threads)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK * STEPS))\n"
    "#pragma tune arg(a : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int BLOCK, int STEPS>\n"
    "__global__ void %s(const float *a, float *out, int n) {\n"
    "    for (int s = 0; s < STEPS; ++s) {\n"
    "        int i = (blockIdx.x * STEPS + s) * BLOCK + threadIdx.x;\n"
    "        if (i < n) out[i] = a[i] * 2;\n"
    "    }\n"
    "}\n";

static void template_write(const char *file, const char *kernel, const char *more_steps) {
    char *text = ht_format(template, kernel, more_steps, kernel);
    workplace_write(file, text);
    free(text);
}

/* Returns a cost: small problems are best with blocks of 16, large ones with blocks of 64 and four
 * steps. */
static double cost_of(int64_t n, int block, int steps) {
    int best_block = n < 1000 ? 16 : 64, best_steps = n < 1000 ? 1 : 4;
    double over = 1;
    for (int b = best_block; b != block; b = b < block ? b * 2 : b / 2)
        over += 0.2;
    for (int s = best_steps; s != steps; s = s < steps ? s * 2 : s / 2)
        over += 0.3;
    return over * (double)n / 1000;
}

static void job_put(ht_database *database, int64_t n, const char *device) {
    char *problem = ht_format("n=%ld", (long)n);
    ht_database_key key = {"s", "twice", "t", problem, device, "c", "m", NULL, NULL};
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

static void database_make(void) {
    char *path = ht_path_join(workplace(), "runs.sqlite");
    ht_database *database;
    cr_assert_eq(ht_database_open(path, &database, NULL), HT_OK);
    for (int64_t n = 100; n < 10000; n = n * 11 / 10 + 1)
        job_put(database, n, "host: some machine");
    ht_database_close(database);
    free(path);
}

static program_result run_words(const char *words, int code) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, code, "%s: exit code %d\n%s\n%s", words, result.code, result.out,
                 result.err);
    return result;
}

#define TRAIN                                                                                      \
    "train --db runs.sqlite --template twice.hip --arch basic --hidden 32 --set embedding=16 "     \
    "--set warmup=5 --set patience=0 --rate 0.01 --epochs 120 --batch 16 --out twice.model"

static void model_make(void) {
    template_write("twice.hip", "twice", "");
    database_make();
    program_result result = run_words(TRAIN, 0);
    cr_assert_not_null(strstr(result.out, "48 jobs of template twice on host"), "%s", result.out);
    program_free(&result);
}

static json_t *json_of(const char *name) {
    char *text = workplace_read(name);
    cr_assert_not_null(text);
    json_t *document = json_loads(text, 0, NULL);
    free(text);
    return document;
}

static void first_is(const char *problem, json_int_t block, json_int_t steps) {
    program_result result =
        program_run_arguments((const char *[]){"predict", "twice.model", "--problem", problem,
                                               "--device", "host", "-k", "3", "--json", NULL});
    cr_assert_eq(result.code, 0, "%s", result.err);
    json_t *document = json_loads(result.out, 0, NULL);
    json_t *first = json_array_get(json_object_get(document, "proposals"), 0);
    json_t *config = json_object_get(first, "config");
    cr_assert_eq(json_integer_value(json_object_get(config, "BLOCK")), block, "%s", result.out);
    cr_assert_eq(json_integer_value(json_object_get(config, "STEPS")), steps, "%s", result.out);
    json_decref(document);
    program_free(&result);
}

/* The model learns what the database holds, for sizes between those in it too. */
Test(seeding, learns_from_the_database) {
    model_make();
    first_is("n=150", 16, 1);
    first_is("n=400", 16, 1);
    first_is("n=5000", 64, 4);
    first_is("n=8000", 64, 4);
}

Test(seeding, a_search_starts_from_the_proposals) {
    model_make();
    program_result result =
        run_words("tune twice.hip --problem n=3000 --max-evals 5 --strategy auto "
                  "--predictor . --predictor-seeds 4 --json r.json --top 9",
                  0);
    cr_assert_not_null(strstr(result.out, "4 that the model proposes"), "%s", result.out);
    program_free(&result);
    json_t *document = json_of("r.json");
    const json_t *kernel = json_array_get(json_object_get(document, "kernels"), 0);
    cr_assert_eq(json_integer_value(json_object_get(kernel, "seeds_from_predictor")), 4);
    cr_assert(json_is_null(json_object_get(kernel, "predictor_refused")));
    /* The default, the four seeds, and nothing else: what the model likes best is among them. */
    const json_t *best = json_object_get(kernel, "best");
    bool found = false;
    for (size_t i = 0; i < json_array_size(best); ++i) {
        const json_t *config = json_object_get(json_array_get(best, i), "config");
        found |= json_integer_value(json_object_get(config, "BLOCK")) == 64 &&
                 json_integer_value(json_object_get(config, "STEPS")) == 4;
    }
    cr_assert(found);
    json_decref(document);
}

/* A model that does not fit a template is not used, and the reason is reported. */
Test(seeding, refusals) {
    model_make();
    template_write("other.hip", "other", "");
    template_write("less.hip", "twice", "");
    char *text = workplace_read("less.hip");
    char *at = strstr(text, "1, 2, 4, 8 = 1");
    memcpy(at, "1, 2, 4    = 1", 14);
    workplace_write("less.hip", text);
    free(text);
    static const struct {
        const char *words, *fragment;
    } cases[] = {
        {"tune other.hip --problem n=300 --max-evals 2 --predictor twice.model",
         "none from the model: the model is for kernel twice"},
        {"tune less.hip --problem n=300 --max-evals 2 --predictor twice.model",
         "none from the model: the template's parameter STEPS has no value 8"},
        {"tune other.hip --problem n=300 --max-evals 2 --predictor .", "no model for kernel other"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        program_result result = run_words(cases[i].words, 0);
        cr_assert_not_null(strstr(result.out, cases[i].fragment), "%s", result.out);
        program_free(&result);
    }
    workplace_write("bad.model", "no model");
    program_result result =
        run_words("tune twice.hip --problem n=300 --max-evals 2 --predictor bad.model", 2);
    cr_assert_not_null(strstr(result.err, "no model file"), "%s", result.err);
    program_free(&result);
}

Test(seeding, nothing_to_learn_from) {
    template_write("twice.hip", "twice", "");
    template_write("other.hip", "other", "");
    database_make();
    program_result result =
        run_words("train --db runs.sqlite --template other.hip --out other.model", 2);
    cr_assert_not_null(strstr(result.err, "nothing to learn from for template other"), "%s",
                       result.err);
    program_free(&result);
    result = run_words("train --db none.sqlite --template twice.hip --out twice.model", 2);
    cr_assert_not_null(strstr(result.err, "none.sqlite"), "%s", result.err);
    program_free(&result);
    result = run_words("train --db runs.sqlite --out twice.model", 2);
    cr_assert_not_null(strstr(result.err, "--template"), "%s", result.err);
    program_free(&result);
}

/* Returns the runs that a search learnt from, out of r.json. */
static json_t *sources_of(void) {
    json_t *document = json_of("r.json");
    json_t *kernel = json_array_get(json_object_get(document, "kernels"), 0);
    json_t *sources = json_incref(json_object_get(kernel, "sources"));
    json_decref(document);
    cr_assert(json_is_array(sources));
    return sources;
}

static void sources_are(const char *words, size_t count, const char *name) {
    program_result result = run_words(words, 0);
    json_t *sources = sources_of();
    cr_assert_eq(json_array_size(sources), count, "%s: %s", words, result.out);
    for (size_t i = 0; i < count; ++i) {
        const json_t *source = json_array_get(sources, i);
        cr_expect_not_null(strstr(json_string_value(json_object_get(source, "run")), name));
        cr_expect_geq(json_integer_value(json_object_get(source, "outcomes")), 3);
        cr_expect_geq(json_number_value(json_object_get(source, "weight")), 0);
    }
    cr_expect_eq(strstr(result.out, "weight") != NULL, count > 0, "%s", result.out);
    json_decref(sources);
    program_free(&result);
}

/* A search learns from other problems' runs in the database by itself, and from files that are
 * named; --no-sources leaves all out. */
Test(seeding, a_search_learns_from_earlier_runs) {
    template_write("twice.hip", "twice", "");
    program_result result = run_words(
        "tune twice.hip --problem n=300 --max-evals 12 --strategy random --db t.sqlite", 0);
    program_free(&result);
    result = run_words("convert t.sqlite run.json --to cache", 0);
    program_free(&result);
#define TUNE "tune twice.hip --problem n=3000 --max-evals 7 --strategy auto --json r.json "
    sources_are(TUNE "--db t.sqlite", 1, "n=300");
    sources_are(TUNE "--db t.sqlite --no-sources", 0, "");
    sources_are(TUNE "--db none.sqlite", 0, "");
    sources_are(TUNE "--db more.sqlite --seeds-from t.sqlite", 1, "n=300");
    sources_are(TUNE "--db yet.sqlite --seeds-from run.json", 1, "run.json");
    sources_are("tune twice.hip --problem n=3000 --max-evals 4 --strategy random --json r.json "
                "--db t.sqlite",
                0, "");
    result = run_words(TUNE "--seeds-from t.sqlite --no-sources", 2);
    cr_expect_not_null(strstr(result.err, "--no-sources"));
    program_free(&result);
    workplace_write("bad.json", "no run");
    result = run_words(TUNE "--seeds-from bad.json", 2);
    cr_expect_not_null(strstr(result.err, "bad.json"));
    program_free(&result);
}
