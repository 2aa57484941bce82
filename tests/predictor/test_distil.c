/* Distillation: its examples carry the teachers' answers, asked one by one. */
#include "predictor/forests/distil.h"
#include "toy.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 20, STEPS = 2, TOTAL = 7, FIRST = 3 };

static const char schema_text[] = "kernel(toy)\n"
                                  "field(n)\n"
                                  "param(a : 1..3)\n"
                                  "param(b : 1..4)\n"
                                  "require(a * b <= n)\n";

typedef struct scene {
    ht_schema *schema;
    ht_rules *rules;
    ht_dataset dataset;
    ht_examples examples;
    ht_network *teachers[2];
} scene;

static void scene_start(scene *scene) {
    ht_error error;
    cr_assert_eq(ht_schema_parse(schema_text, "toy", &scene->schema, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_rules_compile(scene->schema, NULL, 0, &scene->rules, &error), HT_OK);
    scene->dataset = (ht_dataset){.schema = scene->schema, .count = RECORDS};
    scene->dataset.fields = ht_alloc(RECORDS, sizeof(int64_t));
    ht_examples *examples = &scene->examples;
    *examples = (ht_examples){.input = {.positions = 2, .ids = 1, .vocabulary = 30, .features = 1},
                              .count = RECORDS};
    ht_schema_output(scene->schema, &examples->output);
    examples->ids = ht_alloc(RECORDS * 2, sizeof *examples->ids);
    examples->features = ht_alloc(RECORDS * 2, sizeof *examples->features);
    examples->targets = ht_alloc(RECORDS * STEPS, sizeof *examples->targets);
    examples->groups = ht_alloc(RECORDS, sizeof *examples->groups);
    examples->weights = ht_alloc(RECORDS, sizeof *examples->weights);
    examples->allowed = ht_alloc(RECORDS * TOTAL, 1);
    ht_completion *completion = ht_completion_new(scene->rules);
    for (uint32_t i = 0; i < RECORDS; i++) {
        scene->dataset.fields[i] = 3 + i;
        examples->ids[2 * i] = 1 + i;
        examples->ids[2 * i + 1] = 20;
        examples->features[2 * i] = (float)i / RECORDS;
        examples->targets[2 * i] = (uint16_t)(i % 3);
        examples->weights[i] = 1 + (float)(i % 2);
        examples->groups[i] = 100 + i;
        ht_completion_start(completion, scene->dataset.fields + i);
        ht_completion_allowed(completion, examples->targets + STEPS * i, 0,
                              examples->allowed + TOTAL * i);
        ht_completion_allowed(completion, examples->targets + STEPS * i, 1,
                              examples->allowed + TOTAL * i + FIRST);
    }
    ht_completion_free(completion);
    ht_network_settings settings;
    cr_assert_eq(ht_network_defaults("hybrid", &settings, &error), HT_OK);
    settings.hidden = 32;
    settings.embedding = 16;
    for (uint64_t k = 0; k < 2; k++)
        cr_assert_eq(ht_network_create(&settings, &examples->input, &examples->output, k + 1,
                                       &scene->teachers[k], &error),
                     HT_OK);
}

static void scene_finish(scene *scene) {
    for (size_t k = 0; k < 2; k++)
        ht_network_free(scene->teachers[k]);
    ht_examples_free(&scene->examples);
    ht_rules_free(scene->rules);
    free(scene->dataset.fields);
    ht_schema_free(scene->schema);
}

static ht_examples distil(const scene *scene, const ht_distil_settings *settings) {
    ht_examples out;
    ht_error error;
    cr_assert_eq(ht_distil((const ht_network *const *)scene->teachers, 2, &scene->dataset,
                           &scene->examples, scene->rules, settings, NULL, NULL, &out, &error),
                 HT_OK, "%s", error.message);
    return out;
}

/* Returns the teachers' mean probability of value v of step t of record i after the first value a.
 * / */
static double teachers_say(const scene *scene, size_t i, uint32_t t, uint16_t a, size_t v) {
    const int64_t n = scene->dataset.fields[i];
    double mean = 0;
    for (size_t k = 0; k < 2; k++) {
        float logits[4];
        ht_decoder *decoder = ht_decoder_new(scene->teachers[k], 1);
        uint32_t parent = 0;
        ht_decoder_start(decoder, scene->examples.ids + 2 * i, scene->examples.features + 2 * i);
        ht_decoder_step(decoder, 1, NULL, NULL, logits);
        if (t == 1)
            ht_decoder_step(decoder, 1, &parent, &a, logits);
        ht_decoder_free(decoder);
        double sum = 0;
        for (size_t u = 0; u < (t ? 4 : 3); u++)
            if (t ? (a + 1) * ((int64_t)u + 1) <= n : (int64_t)u + 1 <= n)
                sum += exp(logits[u]);
        bool allowed = t ? (a + 1) * ((int64_t)v + 1) <= n : (int64_t)v + 1 <= n;
        mean += allowed ? exp(logits[v]) / sum / 2 : 0;
    }
    return mean;
}

Test(distil, examples_carry_what_the_teachers_say) {
    scene scene;
    scene_start(&scene);
    ht_distil_settings settings = ht_distil_defaults();
    settings.samples = 3;
    settings.labels = 0.25F;
    settings.sample_weight = 0.5F;
    ht_examples out = distil(&scene, &settings);
    cr_assert_eq(out.count, 4 * RECORDS);
    for (size_t o = 0; o < out.count; o++) {
        size_t i = out.inputs[o];
        bool drawn = o % 4 != 0;
        const uint16_t *target = out.targets + STEPS * o, *label = scene.examples.targets + 2 * i;
        cr_assert_eq(i, o / 4);
        cr_assert_eq(out.groups[o], 100 + i);
        cr_assert_float_eq(out.weights[o], (drawn ? 0.5 : 1) * scene.examples.weights[i], 1e-6);
        cr_assert(drawn || memcmp(target, label, sizeof *label * STEPS) == 0);
        cr_assert_leq((target[0] + 1) * (target[1] + 1), scene.dataset.fields[i]);
        for (uint32_t t = 0; t < STEPS; t++)
            for (size_t v = 0; v < out.output.values[t]; v++) {
                double said = teachers_say(&scene, i, t, target[0], v);
                double wanted = drawn ? said : 0.75 * said + (v == label[t] ? 0.25 : 0);
                size_t at = TOTAL * o + out.output.first[t] + v;
                cr_assert_float_eq(out.soft[at], wanted, 1e-5);
                cr_assert_eq(out.allowed[at] != 0, said > 0);
            }
    }
    ht_examples_free(&out);
    scene_finish(&scene);
}

Test(distil, draws_follow_the_teachers) {
    scene scene;
    scene_start(&scene);
    ht_distil_settings settings = ht_distil_defaults();
    settings.samples = 64;
    size_t counts[3] = {0}, of = 5;
    for (uint64_t seed = 0; seed < 40; seed++) {
        settings.seed = seed;
        ht_examples out = distil(&scene, &settings);
        for (size_t r = 1; r < 65; r++)
            counts[out.targets[STEPS * (65 * of + r)]]++;
        ht_examples_free(&out);
    }
    for (size_t v = 0; v < 3; v++) /* four standard errors of 2560 draws */
        cr_expect_float_eq((double)counts[v] / (40 * 64), teachers_say(&scene, of, 0, 0, v), 0.04);
    scene_finish(&scene);
}

static bool halfway(void *context, double done) {
    *(double *)context = done;
    return false;
}

Test(distil, threads_change_nothing_and_it_can_be_stopped) {
    scene scene;
    scene_start(&scene);
    ht_distil_settings settings = ht_distil_defaults();
    settings.threads = 1;
    ht_examples one = distil(&scene, &settings);
    settings.threads = 3;
    ht_examples three = distil(&scene, &settings);
    cr_expect(memcmp(one.targets, three.targets, one.count * STEPS * sizeof *one.targets) == 0);
    cr_expect(memcmp(one.soft, three.soft, one.count * TOTAL * sizeof *one.soft) == 0);
    ht_examples_free(&one);
    ht_examples_free(&three);
    double done = 0;
    ht_error error;
    settings.threads = 1;
    cr_expect_eq(ht_distil((const ht_network *const *)scene.teachers, 2, &scene.dataset,
                           &scene.examples, scene.rules, &settings, halfway, &done, &one, &error),
                 HT_ERROR_INTERRUPTED);
    cr_expect_eq(ht_distil(NULL, 0, &scene.dataset, &scene.examples, NULL, &settings, NULL, NULL,
                           &one, &error),
                 HT_ERROR_INPUT);
    scene_finish(&scene);
}
