#include "benchmarks/seeding/subject.h"

#include "benchmarks/timing_job.h"

#include "base/file.h"
#include "base/memory.h"
#include "benchmarks/seeding/predicted.h"
#include "pipeline/times.h"
#include "runtime/measure/predicted.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ht_template *ht_seeded_template(const ht_seeded_setup *setup) {
    return &setup->templates[0];
}

static void lines_read(const char *path, ht_seeded_setup *setup) {
    char *text = NULL;
    ht_error error = {0};
    bench_check(ht_file_read(path, 0, &text, NULL, &error), &error);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#')
            continue;
        HT_GROW(setup->problems, setup->problem_count);
        setup->problems[setup->problem_count++] = ht_strdup(line);
    }
    free(text);
}

void ht_seeded_open(ht_seeded_setup *setup, const char *template, const char *problems,
                    const char *device, const char *tables) {
    ht_error error = {0};
    bench_check(ht_template_load(template, &setup->templates, &setup->template_count, &error),
                &error);
    bool predicted = strncmp(device, HT_MODEL_PREFIX, strlen(HT_MODEL_PREFIX)) == 0;
    if (predicted)
        bench_check(ht_predicted_device(device, &setup->device, &setup->device_text, &error),
                    &error);
    else
        bench_check(ht_device_find(device, &setup->device, &error), &error);
    if (!predicted)
        setup->device_text = ht_times_device(&setup->device);
    setup->code = ht_times_code(ht_seeded_template(setup), &setup->device);
    lines_read(problems, setup);
    if (tables)
        bench_check(ht_times_jobs(tables, ht_seeded_template(setup)->name, setup->code,
                                  &setup->tables, &error),
                    &error);
}

void ht_seeded_close(ht_seeded_setup *setup) {
    for (size_t i = 0; i < setup->problem_count; ++i)
        free(setup->problems[i]);
    free(setup->problems);
    free(setup->device_text);
    free(setup->code);
    ht_database_earlier_free(&setup->tables);
    ht_template_free(setup->templates, setup->template_count);
}

char *ht_seeded_problem(const ht_seeded_setup *setup, size_t problem) {
    const ht_template *template = ht_seeded_template(setup);
    ht_problem parsed;
    ht_error error = {0};
    bench_check(ht_problem_parse(&template->problem, setup->problems[problem], &parsed, &error),
                &error);
    char *text = ht_problem_string(&template->problem, &parsed);
    ht_problem_free(&parsed);
    return text;
}

static void table_read(ht_seeded_run *run) {
    const ht_database_earlier *tables = &run->setup->tables;
    for (size_t i = 0; i < tables->count; ++i)
        if (strcmp(tables->runs[i].problem, run->problem_text) == 0)
            run->table = &tables->runs[i];
    if (!run->table) {
        fprintf(stderr, "seeded_tuning: there is no table of %s\n", run->problem_text);
        exit(1);
    }
    run->configs = ht_alloc(run->table->count + 1, sizeof *run->configs);
    run->costs = ht_alloc(run->table->count + 1, sizeof *run->costs);
    for (size_t i = 0; i < run->table->count; ++i)
        if (ht_config_parse(run->binding.template, run->table->rows[i].config,
                            &run->configs[run->count], NULL) == HT_OK)
            run->costs[run->count++] = run->table->rows[i].cost;
}

void ht_seeded_begin(ht_seeded_run *run, const ht_seeded_setup *setup, size_t problem,
                     const char *database) {
    const ht_template *template = ht_seeded_template(setup);
    ht_error error = {0};
    *run = (ht_seeded_run){.setup = setup, .problem_text = ht_seeded_problem(setup, problem)};
    bench_check(
        ht_problem_parse(&template->problem, setup->problems[problem], &run->problem, &error),
        &error);
    run->binding = (ht_binding){template, &run->problem, &setup->device.fields};
    bench_check(ht_space_build(&run->binding, 0, &run->space, &error), &error);
    if (!setup->device.emulated)
        run->facts = ht_template_facts_new(&run->binding, (double)setup->device.fields.wavefront);
    if (setup->tables.count) {
        run->key = ht_predicted_key(template, setup->code, run->problem_text, setup->device_text);
        table_read(run);
        return;
    }
    bench_check(ht_database_open(database, &run->database, &error), &error);
    ht_job_options options = {.seed = 1, .database = run->database};
    bench_check(ht_job_start(&run->binding, &setup->device, &options, &run->job, &error), &error);
    run->key = *ht_job_key(run->job);
}

void ht_seeded_end(ht_seeded_run *run) {
    ht_job_free(run->job);
    ht_database_close(run->database);
    ht_template_facts_free(run->facts);
    ht_space_free(run->space);
    ht_problem_free(&run->problem);
    free(run->configs);
    free(run->costs);
    free(run->problem_text);
}

double ht_seeded_cost(const ht_seeded_run *run, const ht_config *config) {
    for (size_t i = 0; i < run->count; ++i)
        if (ht_config_equal(&run->configs[i], config))
            return run->costs[i];
    return INFINITY;
}

double ht_seeded_best(const ht_seeded_run *run) {
    double best = INFINITY;
    for (size_t i = 0; i < run->count; ++i)
        best = fmin(best, run->costs[i]);
    return best;
}

static ht_status table_evaluate(void *self, const ht_config *configs, size_t count,
                                ht_outcome *outcomes, size_t *out_done, ht_error *error) {
    (void)error;
    for (size_t i = 0; i < count; ++i) {
        double cost = ht_seeded_cost(self, &configs[i]);
        outcomes[i] = (ht_outcome){
            .status = isfinite(cost) ? HT_OK : HT_ERROR_LAUNCH, .cost = cost, .reused = true};
    }
    *out_done = count;
    return HT_OK;
}

void ht_seeded_search_run(const ht_seeded_run *run, const ht_config *seeds, size_t seed_count,
                          const ht_earlier *sources, uint64_t seed, ht_seeded_search *out) {
    ht_prior prior = run->facts ? ht_template_facts_prior(run->facts) : (ht_prior){0};
    ht_strategy_options options = {.seed = seed,
                                   .seeds = seeds,
                                   .seed_count = seed_count,
                                   .sources = sources,
                                   .prior = run->facts ? &prior : NULL};
    ht_search_options limits = {.budget = {.max_evaluations = run->setup->evals}};
    ht_evaluator table = {.self = (void *)(uintptr_t)run, .evaluate = table_evaluate, .batch = 8};
    ht_strategy *strategy = NULL;
    ht_search_result result = {0};
    ht_error error = {0};
    bench_check(ht_strategy_create("auto", run->space, &options, &strategy, &error), &error);
    bench_check(ht_search_run(strategy, run->job ? ht_job_evaluator(run->job) : &table, &limits,
                              &result, &error),
                &error);
    out->count = result.trial_count < HT_SEEDED_EVALS ? result.trial_count : HT_SEEDED_EVALS;
    for (size_t i = 0; i < out->count; ++i) {
        const ht_outcome *outcome = &result.trials[i].outcome;
        out->configs[i] = result.trials[i].config;
        out->costs[i] = outcome->status == HT_OK ? outcome->cost : INFINITY;
    }
    ht_search_result_free(&result);
    ht_strategy_free(strategy);
}

double ht_seeded_search_best(const ht_seeded_search *search, size_t evaluations) {
    double best = INFINITY;
    for (size_t i = 0; i < search->count && i < evaluations; ++i)
        best = fmin(best, search->costs[i]);
    return best;
}
