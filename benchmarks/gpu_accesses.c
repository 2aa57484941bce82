/* How far a template's configurations reduce what its kernel loads from memory, counted from gfx90a
 * code (docs/gpu-accesses.md): searches the space for the configuration with the fewest 32-bit
 * words loaded per output, among those without scratch and with enough waves, and prints it next to
 * the original. Nothing runs, so no GPU is needed.
 *
 *   gpu_accesses TEMPLATE PROBLEM [NAME=VALUE...]
 *       PROBLEM is text such as "N=1 C=64 H=56". Names: device (amd:gfx90a), evals (64), waves (4;
 * the fewest a SIMD holds), blocks (48; of a grid, followed in the search), final (512; in the
 *       comparison), seed (1), start (a configuration to begin with), kernel (of the templates),
 *       vary (A,B: instead of a search, the words per output of every legal configuration in which
 *       all other parameters are those of `start`, a line each; "-": left out or not counted).
 */
#include "base/memory.h"
#include "runtime/measure/access_rates.h"
#include "search/strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scratch_reason[] = "scratch", waves_reason[] = " waves";

typedef struct settings {
    const char *device, *kernel, *start, *vary;
    unsigned long evals, waves, blocks, final, seed;
} settings;

typedef struct subject {
    settings settings;
    ht_template *templates;
    size_t template_count;
    ht_problem problem;
    ht_device device;
    ht_binding binding;
} subject;

static void check(ht_status status, const ht_error *error) {
    if (status == HT_OK)
        return;
    fprintf(stderr, "gpu_accesses: %s\n", error->message);
    exit(ht_status_exit_code(status));
}

/* Returns the scratch of all launches, and the fewest waves. */
static int scratch_of(const ht_inspection *inspection, size_t launches, int *out_waves) {
    int scratch = 0;
    *out_waves = 1 << 20;
    for (size_t i = 0; i < launches; ++i) {
        const ht_resources *resources = &inspection->launches[i].resources;
        scratch += resources->scratch;
        if (resources->waves_per_simd < *out_waves)
            *out_waves = resources->waves_per_simd;
    }
    return scratch;
}

/* Judges an inspection: words from memory decide; among equals instructions do. */
static ht_outcome judge(const subject *self, const ht_inspection *inspection) {
    static const double tie = 1e-6;
    size_t launches = self->binding.template->launch_count;
    ht_outcome outcome = {.status = inspection->status};
    ht_access_rates rates;
    int waves;
    if (inspection->status) {
        snprintf(outcome.reason, sizeof outcome.reason, "%.150s", inspection->reason);
        return outcome;
    }
    outcome.status = HT_ERROR_UNSUPPORTED;
    if (scratch_of(inspection, launches, &waves) > 0)
        snprintf(outcome.reason, sizeof outcome.reason, "%s", scratch_reason);
    else if (waves < (int)self->settings.waves)
        snprintf(outcome.reason, sizeof outcome.reason, "%d%s", waves, waves_reason);
    else if (!ht_access_rates_make(inspection->launches, launches, &rates))
        snprintf(outcome.reason, sizeof outcome.reason, "%.150s",
                 inspection->launches[0].counted ? "no block that was followed wrote an output"
                                                 : inspection->launches[0].uncounted);
    else
        outcome =
            (ht_outcome){.cost = rates.load_words + rates.scalar_words + tie * rates.instructions};
    return outcome;
}

static ht_status evaluate(void *context, const ht_config *configs, size_t count,
                          ht_outcome *outcomes, size_t *out_done, ht_error *error) {
    const subject *self = context;
    ht_inspect_options options = {.count = true, .blocks_max = self->settings.blocks};
    ht_inspection *found = ht_alloc(count, sizeof *found);
    ht_status status =
        ht_inspect(&self->device, &self->binding, configs, count, &options, NULL, found, error);
    for (size_t i = 0; i < count; ++i) {
        if (status == HT_OK)
            outcomes[i] = judge(self, &found[i]);
        ht_inspection_free(&found[i]);
    }
    *out_done = status == HT_OK ? count : 0;
    free(found);
    return status;
}

/* Prints how many were left out for scratch and for few waves; of the others each reason. */
static void tell_failures(const subject *self, const ht_search_result *result) {
    size_t scratch = 0, waves = 0;
    for (size_t i = 0; i < result->trial_count; ++i) {
        const ht_outcome *outcome = &result->trials[i].outcome;
        bool of_scratch = strcmp(outcome->reason, scratch_reason) == 0;
        bool of_waves = strstr(outcome->reason, waves_reason) != NULL;
        scratch += of_scratch;
        waves += of_waves;
        if (outcome->status == HT_OK || of_scratch || of_waves)
            continue;
        char *config = ht_config_string(self->binding.template, &result->trials[i].config);
        fprintf(stderr, "%s: %s: %s\n", config, ht_status_name(outcome->status), outcome->reason);
        free(config);
    }
    fprintf(stderr, "%zu configurations; left out: %zu with scratch, %zu with too few waves\n",
            result->trial_count, scratch, waves);
}

static ht_config search(subject *self) {
    ht_config seeds[2] = {ht_config_default(self->binding.template)};
    size_t seed_count = 1;
    ht_error error;
    ht_space *space;
    ht_strategy *strategy;
    ht_search_result result;
    check(ht_space_build(&self->binding, 0, &space, &error), &error);
    if (self->settings.start)
        check(ht_config_parse(self->binding.template, self->settings.start, &seeds[seed_count++],
                              &error),
              &error);
    ht_strategy_options options = {
        .seed = self->settings.seed, .seeds = seeds, .seed_count = seed_count};
    check(ht_strategy_create("auto", space, &options, &strategy, &error), &error);
    ht_evaluator evaluator = {.self = self, .evaluate = evaluate, .batch = 8};
    ht_search_options limits = {.budget = {.max_evaluations = self->settings.evals}};
    check(ht_search_run(strategy, &evaluator, &limits, &result, &error), &error);
    tell_failures(self, &result);
    size_t best = 0;
    if (ht_search_result_best(&result, 1, &best) != 1)
        exit(1);
    ht_config config = result.trials[best].config;
    ht_search_result_free(&result);
    ht_strategy_free(strategy);
    ht_space_free(space);
    return config;
}

static ht_access_rates print_row(const subject *self, const ht_config *config, bool original) {
    ht_inspect_options options = {
        .original = original, .count = true, .blocks_max = self->settings.final};
    ht_inspection found;
    ht_error error = {0};
    ht_access_rates rates = {0};
    int waves;
    size_t launches;
    ht_inspect_launches(self->binding.template, original, &launches);
    check(ht_inspect(&self->device, &self->binding, config, 1, &options, NULL, &found, &error),
          &error);
    if (found.status || !ht_access_rates_make(found.launches, launches, &rates)) {
        fprintf(stderr, "gpu_accesses: %s\n",
                found.reason ? found.reason : found.launches[0].uncounted);
        exit(1);
    }
    int scratch = scratch_of(&found, launches, &waves);
    const ht_resources *resources = &found.launches[0].resources;
    printf("%-10s %10.4g %10.4g %10.4g %10.4g %10.4g %10.4g %8d %5d %3d/%d\n",
           original ? "original" : "tuned", rates.load_words, rates.load_instructions,
           rates.scalar_words, rates.lds_reads, rates.products, rates.instructions, scratch,
           resources->vgprs, waves, resources->max_waves_per_simd);
    ht_inspection_free(&found);
    return rates;
}

static void report(subject *self, const ht_config *config) {
    char *text = ht_config_string(self->binding.template, config);
    ht_config defaults = ht_config_default(self->binding.template);
    printf("%s, per output\n%-10s %10s %10s %10s %10s %10s %10s %8s %5s %5s\n",
           self->binding.template->name, "", "words", "loads", "scalar", "LDS reads", "products",
           "instr", "scratch", "VGPR", "waves");
    ht_access_rates before = print_row(self, &defaults, true);
    ht_access_rates after = print_row(self, config, false);
    double all =
        (before.load_words + before.scalar_words) / (after.load_words + after.scalar_words);
    printf("fewer words %.2f, load instructions %.2f, words with scalar ones %.2f\n%s\n\n",
           before.load_words / after.load_words, before.load_instructions / after.load_instructions,
           all, text);
    free(text);
}

/* ---- all configurations of a few parameters */

typedef struct sweep {
    const ht_template *template;
    const ht_space *space;
    ht_config *configs; /* owned */
    size_t count;
    bool varied[HT_PARAM_MAX];
} sweep;

static void sweep_read(sweep *out, const char *names) {
    for (const char *at = names; *at; at += strcspn(at, ","), at += *at == ',') {
        char *name = ht_strndup(at, strcspn(at, ","));
        const ht_param *param = ht_template_param(out->template, name);
        if (!param) {
            fprintf(stderr, "gpu_accesses: no parameter %s\n", name);
            exit(2);
        }
        out->varied[param - out->template->params] = true;
        free(name);
    }
}

static void sweep_add(sweep *out, ht_config *config, size_t param) {
    if (param == out->template->param_count) {
        if (!ht_space_legal(out->space, config))
            return;
        HT_GROW(out->configs, out->count);
        out->configs[out->count++] = *config;
        return;
    }
    uint16_t kept = config->choice[param];
    size_t values = out->varied[param] ? out->template->params[param].value_count : 0;
    for (size_t i = 0; i < values; ++i) {
        config->choice[param] = (uint16_t)i;
        sweep_add(out, config, param + 1);
    }
    config->choice[param] = kept;
    if (values == 0)
        sweep_add(out, config, param + 1);
}

static void sweep_report(subject *self) {
    ht_error error;
    ht_space *space;
    check(ht_space_build(&self->binding, 0, &space, &error), &error);
    sweep all = {.template = self->binding.template, .space = space};
    ht_config config = ht_config_default(all.template);
    if (self->settings.start)
        check(ht_config_parse(all.template, self->settings.start, &config, &error), &error);
    sweep_read(&all, self->settings.vary);
    sweep_add(&all, &config, 0);
    ht_outcome *outcomes = ht_alloc(all.count + 1, sizeof *outcomes);
    size_t done = 0;
    check(evaluate(self, all.configs, all.count, outcomes, &done, &error), &error);
    for (size_t i = 0; i < done; ++i) {
        char *text = ht_config_string(all.template, &all.configs[i]);
        if (outcomes[i].status == HT_OK)
            printf("%.6g\t%s\n", outcomes[i].cost, text);
        else
            printf("-\t%s\n", text);
        free(text);
    }
    free(outcomes);
    free(all.configs);
    ht_space_free(space);
}

static bool read_setting(settings *out, const char *text) {
    const struct {
        const char *name;
        unsigned long *value;
    } numbers[] = {{"evals=", &out->evals},
                   {"waves=", &out->waves},
                   {"blocks=", &out->blocks},
                   {"final=", &out->final},
                   {"seed=", &out->seed}};
    const struct {
        const char *name, **value;
    } texts[] = {{"device=", &out->device},
                 {"kernel=", &out->kernel},
                 {"start=", &out->start},
                 {"vary=", &out->vary}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (strncmp(text, numbers[i].name, strlen(numbers[i].name)) == 0) {
            *numbers[i].value = strtoul(text + strlen(numbers[i].name), NULL, 10);
            return true;
        }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        if (strncmp(text, texts[i].name, strlen(texts[i].name)) == 0) {
            *texts[i].value = text + strlen(texts[i].name);
            return true;
        }
    return false;
}

int main(int argc, char **argv) {
    subject self = {.settings = {.device = "amd:gfx90a",
                                 .evals = 64,
                                 .waves = 4,
                                 .blocks = 48,
                                 .final = 512,
                                 .seed = 1}};
    ht_error error = {0};
    bool good = argc >= 3;
    for (int i = 3; i < argc && good; ++i)
        good = read_setting(&self.settings, argv[i]);
    if (!good) {
        fprintf(stderr, "usage: gpu_accesses TEMPLATE PROBLEM [NAME=VALUE...]\n");
        return 2;
    }
    check(ht_device_find(self.settings.device, &self.device, &error), &error);
    check(ht_template_load(argv[1], &self.templates, &self.template_count, &error), &error);
    size_t index = 0;
    while (self.settings.kernel && index < self.template_count &&
           strcmp(self.templates[index].name, self.settings.kernel) != 0)
        ++index;
    if (index == self.template_count) {
        fprintf(stderr, "gpu_accesses: no such template in %s\n", argv[1]);
        return 2;
    }
    const ht_template *template = &self.templates[index];
    check(ht_problem_parse(&template->problem, argv[2], &self.problem, &error), &error);
    self.binding = (ht_binding){template, &self.problem, &self.device.fields};
    if (self.settings.vary) {
        sweep_report(&self);
    } else {
        ht_config best = search(&self);
        report(&self, &best);
    }
    ht_problem_free(&self.problem);
    ht_template_free(self.templates, self.template_count);
    return 0;
}
