#include "benchmarks/seeding/ways.h"

#include "benchmarks/timing_job.h"

#include "base/memory.h"
#include "benchmarks/seeding/portfolio.h"
#include "pipeline/times.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TUNE_SEEDS = 5, PORTFOLIO = 40 }; /* of which the first legal ones are seeds */

const char *const ht_seeded_way_names[HT_WAYS] = {"unseeded", "random", "portfolio", "nearest",
                                                  "model",    "times",  "tune",      "learnt"};

void ht_seeded_knowledge_open(ht_seeded_knowledge *knowledge, const ht_seeded_setup *setup,
                              const char *model, const char *database) {
    const ht_template *template = ht_seeded_template(setup);
    ht_time_data data = {0};
    ht_times_read read;
    ht_database_earlier training;
    ht_error error = {0};
    *knowledge = (ht_seeded_knowledge){.database = database};
    bench_check(ht_predictor_find(model, template->name, &knowledge->predictor, &error), &error);
    bench_check(ht_match_make(ht_predictor_schema(knowledge->predictor), template,
                              &knowledge->match, &error),
                &error);
    bench_check(ht_database_open(database, &knowledge->training, &error), &error);
    bench_check(ht_times_read_database(database, template, setup->code, &setup->device, NULL, &data,
                                       &read, &error),
                &error);
    knowledge->evaluations = read.evaluations;
    knowledge->times = ht_time_model_fit(&data, template->name, "", setup->code, &ht_time_defaults);
    ht_time_data_free(&data);
    bench_check(ht_times_jobs(database, template->name, setup->code, &training, &error), &error);
    knowledge->portfolio = ht_alloc(PORTFOLIO, sizeof *knowledge->portfolio);
    knowledge->portfolio_count =
        ht_portfolio_choose(template, &training, PORTFOLIO, knowledge->portfolio);
    ht_database_earlier_free(&training);
}

void ht_seeded_knowledge_close(ht_seeded_knowledge *knowledge) {
    ht_database_close(knowledge->training);
    ht_match_free(knowledge->match);
    ht_predictor_free(knowledge->predictor);
    ht_time_model_free(knowledge->times);
    free(knowledge->portfolio);
}

static size_t random_seeds(const ht_seeded_run *run, uint64_t seed, ht_config *out_seeds) {
    ht_random random;
    ht_random_stream(&random, seed, 24);
    for (size_t i = 0; i < run->setup->seeds; ++i)
        out_seeds[i] = ht_space_sample(run->space, &random);
    return run->setup->seeds;
}

static size_t portfolio_seeds(const ht_seeded_knowledge *knowledge, const ht_seeded_run *run,
                              ht_config *out_seeds) {
    size_t count = 0;
    for (size_t i = 0; i < knowledge->portfolio_count && count < run->setup->seeds; ++i)
        if (ht_space_legal(run->space, &knowledge->portfolio[i]))
            out_seeds[count++] = knowledge->portfolio[i];
    return count;
}

static size_t model_seeds(const ht_seeded_knowledge *knowledge, const ht_seeded_run *run,
                          ht_config *out_seeds) {
    size_t most = run->setup->seeds, kept = 0;
    int64_t fields[HT_SCHEMA_FIELDS_MAX];
    ht_proposal proposals[HT_SEEDED_SEEDS];
    ht_proposer *proposer = NULL;
    ht_beam_settings beam = {.width = most, .constrained = true};
    ht_error error = {0};
    bench_check(
        ht_match_fields(knowledge->match, &run->problem, run->binding.device, fields, &error),
        &error);
    bench_check(ht_proposer_new(knowledge->predictor, NULL, &beam, &proposer, &error), &error);
    size_t count = ht_proposer_propose(proposer, fields, most, proposals);
    for (size_t i = 0; i < count; ++i)
        out_seeds[kept++] = ht_match_config(knowledge->match, proposals[i].choice);
    ht_proposer_free(proposer);
    return kept;
}

static size_t times_seeds(const ht_seeded_knowledge *knowledge, const ht_seeded_run *run,
                          size_t want, ht_config *out_seeds) {
    ht_time_choice choices[HT_SEEDED_SEEDS];
    ht_time_device numbers;
    ht_columns *columns = ht_times_columns(run->space, &run->setup->device, &numbers);
    size_t count = ht_time_model_choose(knowledge->times, run->space, columns, true, want, choices);
    for (size_t i = 0; i < count; ++i)
        out_seeds[i] = choices[i].config;
    ht_columns_free(columns);
    return count;
}

size_t ht_seeded_nearest(const ht_seeded_run *run, ht_database *database, size_t want,
                         ht_config *out_seeds) {
    char **texts = NULL;
    size_t count = 0, kept = 0;
    ht_error error = {0};
    bench_check(ht_database_nearest(database, &run->key, want, &texts, &count, &error), &error);
    for (size_t i = 0; i < count; ++i) {
        if (ht_config_parse(run->binding.template, texts[i], &out_seeds[kept], NULL) == HT_OK)
            ++kept;
        free(texts[i]);
    }
    free(texts);
    return kept;
}

/* Adds runs of the training problems, nearest first, as a search's sources. */
static void runs_add(const ht_seeded_knowledge *knowledge, const ht_seeded_run *run,
                     ht_earlier *sources) {
    ht_database_earlier earlier;
    ht_error error = {0};
    bench_check(
        ht_database_earlier_read(knowledge->database, &run->key, HT_EARLIER_MAX, &earlier, &error),
        &error);
    for (size_t i = 0; i < earlier.count; ++i) {
        const ht_database_earlier_run *from = &earlier.runs[i];
        ht_earlier_outcome *outcomes = ht_alloc(from->count + 1, sizeof *outcomes);
        size_t count = 0;
        for (size_t r = 0; r < from->count; ++r)
            if (ht_config_parse(run->binding.template, from->rows[r].config,
                                &outcomes[count].config, NULL) == HT_OK)
                outcomes[count++].cost = from->rows[r].cost;
        ht_earlier_add(sources, outcomes, count);
        free(outcomes);
    }
    ht_database_earlier_free(&earlier);
}

static size_t way_seeds(const ht_seeded_knowledge *knowledge, const ht_seeded_run *run,
                        ht_seeded_way way, uint64_t seed, ht_config *out_seeds) {
    size_t count = 0;
    switch (way) {
    case HT_WAY_RANDOM:
        return random_seeds(run, seed, out_seeds);
    case HT_WAY_PORTFOLIO:
        return portfolio_seeds(knowledge, run, out_seeds);
    case HT_WAY_NEAREST:
        return ht_seeded_nearest(run, knowledge->training, run->setup->seeds, out_seeds);
    case HT_WAY_MODEL:
        return model_seeds(knowledge, run, out_seeds);
    case HT_WAY_TIMES:
        return times_seeds(knowledge, run, run->setup->seeds, out_seeds);
    case HT_WAY_LEARNT:
        count = times_seeds(knowledge, run, TUNE_SEEDS, out_seeds);
        return count + ht_seeded_nearest(run, knowledge->training, TUNE_SEEDS, out_seeds + count);
    case HT_WAY_TUNE:
        return ht_seeded_nearest(run, knowledge->training, TUNE_SEEDS, out_seeds);
    case HT_WAY_UNSEEDED:
    case HT_WAYS:
        break;
    }
    return 0;
}

void ht_seeded_way_search(const ht_seeded_knowledge *knowledge, const ht_seeded_run *run,
                          ht_seeded_way way, uint64_t seed, ht_seeded_search *out) {
    ht_config seeds[1 + HT_SEEDED_SEEDS] = {ht_config_default(run->binding.template)};
    size_t count = 1 + way_seeds(knowledge, run, way, seed, seeds + 1), outcomes;
    ht_earlier *sources = NULL;
    if (way == HT_WAY_TUNE || way == HT_WAY_LEARNT) {
        sources = ht_earlier_create(run->space);
        if (way == HT_WAY_LEARNT)
            ht_times_source(knowledge->times, run->space, &run->setup->device, sources, &outcomes);
        runs_add(knowledge, run, sources);
    }
    ht_seeded_search_run(run, seeds, count, sources && ht_earlier_count(sources) ? sources : NULL,
                         seed, out);
    ht_earlier_free(sources);
}
