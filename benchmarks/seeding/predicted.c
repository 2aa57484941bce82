#include "benchmarks/seeding/predicted.h"

#include "benchmarks/timing_job.h"

#include "base/memory.h"
#include "runtime/compile/compile.h"
#include "runtime/measure/counted.h"
#include "runtime/measure/predicted.h"
#include "runtime/process/child.h"
#include "search/explorer.h"
#include "search/index_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 16, SECONDS = 850 };

ht_status ht_predicted_device(const char *name, ht_device *out_device, char **out_text,
                              ht_error *error) {
    const ht_gpu *gpu;
    ht_device model;
    ht_status status = ht_model_device_find(name, &gpu, &model, error);
    char *target = status == HT_OK ? ht_format("amd:%s", gpu->arch) : NULL;
    if (status == HT_OK)
        status = ht_device_find(target, out_device, error);
    if (status == HT_OK)
        *out_text = ht_format("%s: predicted by the model of %s", target, gpu->name);
    free(target);
    return status;
}

ht_database_key ht_predicted_key(const ht_template *template, const char *code, const char *problem,
                                 const char *device) {
    return (ht_database_key){.source_hash = code,
                             .template_name = template->name,
                             .template_hash = code,
                             .problem = problem,
                             .device = device,
                             .compiler = "clang",
                             .method = "predicted by the model of the GPU"};
}

/* One problem of the table. */
typedef struct sized {
    ht_problem problem;
    ht_binding binding;
    char *text;
    ht_space *space;
} sized;

typedef struct filling {
    const ht_template *template;
    const ht_gpu *gpu;
    ht_device device;
    char *device_text;
    const char *code;
    sized *sized;
    size_t count;
    uint64_t blocks;
    ht_database *database;
    ht_config *configs; /* legal for one of the problems at least */
    size_t config_count;
} filling;

/* A part of the configurations, for a child. */
typedef struct batch {
    const filling *filling;
    size_t first, count;
} batch;

/* Predicts one configuration of a problem, ms; INFINITY where it cannot be. */
static double predict(const filling *self, const sized *sized, const ht_config *config,
                      const ht_program *program) {
    const ht_template *template = self->template;
    size_t launches = template->launch_count;
    ht_inspection inspection = {.launches = ht_alloc(launches, sizeof *inspection.launches)};
    const ht_provider *provider = ht_provider_find(self->device.provider);
    ht_gpu_time time;
    ht_error error = {0};
    ht_status status = HT_OK;
    for (size_t i = 0; i < launches && status == HT_OK; ++i) {
        ht_inspection_launch *to = &inspection.launches[i];
        const ht_launch *launch = &template->launches[i];
        status = ht_binding_geometry(&sized->binding, config, launch, &to->geometry, &error);
        if (status == HT_OK)
            status = provider->resources(
                &self->device, program->code, program->code_size, program->kernels[i],
                to->geometry.block[0] * to->geometry.block[1] * to->geometry.block[2],
                to->geometry.lds, &to->resources, &error);
        if (status == HT_OK)
            status = ht_launch_count(&self->device, &sized->binding, config, launch, program,
                                     program->kernels[i], self->blocks, &to->accesses, &error);
        to->counted = status == HT_OK;
    }
    if (status == HT_OK)
        status = ht_inspection_predict(self->gpu, &inspection, launches, &time, &error);
    free(inspection.launches);
    return status == HT_OK ? 1e3 * time.seconds : INFINITY;
}

/* In the child: writes a number for each configuration and problem; NAN: it is not legal there. */
static void batch_work(const void *context, int fd) {
    const batch *batch = context;
    const filling *self = batch->filling;
    ht_program programs[BATCH] = {0};
    ht_error errors[BATCH] = {0};
    const ht_config *configs = self->configs + batch->first;
    ht_program_compile_each(&self->device, &self->sized[0].binding, configs, batch->count, programs,
                            errors);
    for (size_t i = 0; i < batch->count; ++i) {
        for (size_t p = 0; p < self->count; ++p) {
            const sized *sized = &self->sized[p];
            double ms = (double)NAN;
            if (ht_space_legal(sized->space, &configs[i]))
                ms = errors[i].status == HT_OK ? predict(self, sized, &configs[i], &programs[i])
                                               : INFINITY;
            ht_child_write(fd, &ms, sizeof ms);
        }
    }
}

static void cost_put(const filling *self, const ht_config *config, const sized *sized, double ms) {
    const ht_database_key key =
        ht_predicted_key(self->template, self->code, sized->text, self->device_text);
    ht_evaluation evaluation = {.config = ht_config_string(self->template, config),
                                .status = isfinite(ms) ? HT_OK : HT_ERROR_LAUNCH,
                                .reason = isfinite(ms) ? NULL : (char *)"not predicted",
                                .cost = isfinite(ms) ? ms : 0,
                                .samples = &ms,
                                .sample_count = isfinite(ms) ? 1 : 0};
    ht_error error = {0};
    bench_check(ht_database_put(self->database, &key, &evaluation, &error), &error);
    free(evaluation.config);
}

/* Returns true if the database has the configuration for each problem it is legal for. */
static bool known(const filling *self, const ht_config *config) {
    char *text = ht_config_string(self->template, config);
    ht_error error = {0};
    bool all = true;
    for (size_t p = 0; p < self->count && all; ++p) {
        const ht_database_key key =
            ht_predicted_key(self->template, self->code, self->sized[p].text, self->device_text);
        ht_evaluation evaluation = {0};
        bool found = true;
        if (!ht_space_legal(self->sized[p].space, config))
            continue;
        bench_check(ht_database_get(self->database, &key, text, &found, &evaluation, &error),
                    &error);
        if (found)
            ht_evaluation_free(&evaluation);
        all = found;
    }
    free(text);
    return all;
}

static void batch_run(const filling *self, size_t first, size_t count) {
    batch batch = {self, first, count};
    ht_child child;
    ht_child_result result;
    ht_error error = {0};
    bench_check(ht_child_start(batch_work, &batch, SECONDS, &child, &error), &error);
    ht_child_finish(&child, &result);
    const double *times = (const double *)(const void *)result.output;
    size_t whole = result.output_size / (self->count * sizeof *times);
    for (size_t i = 0; i < whole; ++i)
        for (size_t p = 0; p < self->count; ++p)
            if (!isnan(times[i * self->count + p]))
                cost_put(self, &self->configs[first + i], &self->sized[p],
                         times[i * self->count + p]);
    if (whole < count)
        fprintf(stderr, "seeded_tuning: %zu configurations were not predicted\n", count - whole);
    ht_child_result_free(&result);
}

static void configs_list(filling *self) {
    ht_index_map seen = {0};
    for (size_t p = 0; p < self->count; ++p) {
        uint64_t legal = ht_space_count(self->sized[p].space);
        for (uint64_t i = 0; i < legal; ++i) {
            ht_config config = ht_space_at(self->sized[p].space, i);
            if (!ht_index_map_put(&seen, ht_explorer_key(&config), 0) || known(self, &config))
                continue;
            HT_GROW(self->configs, self->config_count);
            self->configs[self->config_count++] = config;
        }
        fprintf(stderr, "%s: %llu legal\n", self->sized[p].text, (unsigned long long)legal);
    }
    ht_index_map_free(&seen);
}

static void sized_open(filling *self, char *const *problems) {
    ht_error error = {0};
    for (size_t p = 0; p < self->count; ++p) {
        sized *to = &self->sized[p];
        bench_check(ht_problem_parse(&self->template->problem, problems[p], &to->problem, &error),
                    &error);
        to->text = ht_problem_string(&self->template->problem, &to->problem);
        to->binding = (ht_binding){self->template, &to->problem, &self->device.fields};
        bench_check(ht_space_build(&to->binding, 0, &to->space, &error), &error);
    }
}

void ht_predicted_fill(const ht_template *template, const char *code, char *const *problems,
                       size_t problem_count, const char *gpu, uint64_t blocks,
                       const char *database) {
    filling self = {.template = template,
                    .gpu = ht_gpu_find(gpu + strlen(HT_MODEL_PREFIX)),
                    .code = code,
                    .sized = ht_alloc(problem_count + 1, sizeof *self.sized),
                    .count = problem_count,
                    .blocks = blocks};
    ht_error error = {0};
    bench_check(ht_predicted_device(gpu, &self.device, &self.device_text, &error), &error);
    bench_check(ht_database_open(database, &self.database, &error), &error);
    sized_open(&self, problems);
    configs_list(&self);
    for (size_t first = 0; first < self.config_count; first += BATCH) {
        size_t rest = self.config_count - first;
        batch_run(&self, first, rest < BATCH ? rest : BATCH);
        fprintf(stderr, "%zu of %zu configurations\n", first + (rest < BATCH ? rest : BATCH),
                self.config_count);
    }
    for (size_t p = 0; p < self.count; ++p) {
        ht_space_free(self.sized[p].space);
        ht_problem_free(&self.sized[p].problem);
        free(self.sized[p].text);
    }
    free(self.sized);
    free(self.configs);
    free(self.device_text);
    ht_database_close(self.database);
}
