/* The predicted time of tuned files next to that of the template that they were written from: a
 * file whose loops a compiler treats otherwise than the template's is slower than what was
 * searched.
 *
 *   written_times model:mi250x SOURCE.hip [samples=20] [seed=1] [kernel=NAME] [config=TEXT]
 *
 * For each kernel and the first problem of the file next to it: plain configurations drawn at
 * random, or the one given. Printed are the file's time over the template's, with the
 * configuration; last, for each kernel, the geometric mean and the worst. Nothing runs. */
#include "base/memory.h"
#include "base/random.h"
#include "pipeline/model_tuning.h"
#include "pipeline/style.h"
#include "pipeline/survey.h"
#include "pipeline/written_time.h"
#include "refactor/rewrite/written.h"
#include "refactor/rewrite/written_compare.h"
#include "templates/space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program {
    const char *kernel, *config;
    size_t samples;
    uint64_t seed;
    ht_session session; /* of which the model is used */
} program;

static void check(ht_status status, const ht_error *error) {
    if (status == HT_OK)
        return;
    fprintf(stderr, "written_times: %s%s%s\n", error->file, *error->file ? ": " : "",
            error->message);
    exit(ht_status_exit_code(status));
}

/* Predicts the file of a configuration. Returns false if there is none, or it cannot be followed.
 */
static bool file_time(const program *in, const ht_refactor *refactor, const ht_entry *entry,
                      const ht_config *config, ht_pair_times *out_times) {
    const ht_refactor_choice choice = {.kernel = entry->kernel, .config = *config};
    const ht_device_fields *fields = &in->session.model->target.fields;
    ht_applied applied = {0};
    ht_written *written = NULL;
    ht_written_kernel kernel = {0};
    *out_times = (ht_pair_times){0};
    if (ht_refactor_apply_all(refactor, &choice, 1, &applied, NULL) == HT_OK &&
        ht_written_open(refactor, &applied, &written, NULL) == HT_OK)
        ht_written_kernel_read(written, entry->kernel, &kernel);
    for (size_t i = 0; i < kernel.launch_count && !out_times->known; ++i)
        if (kernel.launches[i].template &&
            ht_written_launches(&kernel.launches[i], entry->instance, fields))
            free(ht_written_time(&in->session, kernel.launches[i].template, entry->template,
                                 entry->instance, out_times));
    ht_written_kernel_free(&kernel);
    ht_written_close(written);
    ht_applied_free(&applied);
    return out_times->known;
}

static bool template_time(const program *in, const ht_entry *entry, const ht_config *config,
                          double *out_ms) {
    ht_model_times times;
    ht_outcome outcome = {.status = HT_ERROR_UNSUPPORTED};
    size_t done = 0;
    ht_model_times_begin(in->session.model, entry->template, entry->instance, in->session.predicted,
                         &times);
    ht_status status = ht_model_times_evaluate(&times, config, 1, &outcome, &done, NULL);
    ht_model_times_end(&times);
    *out_ms = outcome.cost;
    return status == HT_OK && outcome.status == HT_OK;
}

static void entry_measure(const program *in, const ht_refactor *refactor, const ht_entry *entry) {
    ht_template *plain = ht_style_plain(entry->template);
    const ht_binding bound = {plain ? plain : entry->template, entry->instance,
                              &in->session.model->target.fields};
    ht_space *space = NULL;
    ht_error error;
    ht_random random;
    double sum = 0, worst = 0;
    size_t count = 0;
    ht_random_seed(&random, in->seed);
    check(ht_space_build(&bound, 0, &space, &error), &error);
    for (size_t i = 0; i < in->samples; ++i) {
        ht_config config;
        ht_pair_times file;
        double ms;
        if (in->config)
            check(ht_config_parse(entry->template, in->config, &config, &error), &error);
        else
            config = ht_space_sample(space, &random);
        if (!template_time(in, entry, &config, &ms) ||
            !file_time(in, refactor, entry, &config, &file))
            continue;
        char *words = ht_config_brief(entry->template, &config);
        double ratio = file.tuned.median_ms / ms;
        printf("%-18s %6.3f  file %.5f ms, template %.5f ms: %s\n", entry->name, ratio,
               file.tuned.median_ms, ms, words);
        fflush(stdout);
        free(words);
        sum += log(ratio);
        worst = fmax(worst, ratio);
        ++count;
    }
    if (count)
        printf("%-18s %6.3f  the geometric mean of %zu, the worst %.3f\n", entry->name,
               exp(sum / (double)count), count, worst);
    ht_space_free(space);
    ht_template_free(plain, plain ? 1 : 0);
}

static void source_measure(const program *in, char *path) {
    ht_survey survey;
    ht_error error;
    const ht_survey_options options = {.kernel = in->kernel,
                                       .device = &in->session.model->target.fields};
    check(ht_survey_make(&path, 1, &options, &survey, &error), &error);
    for (size_t i = 0; i < survey.entries.count; ++i) {
        const ht_entry *entry = &survey.entries.items[i];
        bool first = i == 0 || survey.entries.items[i - 1].kernel != entry->kernel;
        if (entry->template && !entry->annotated && first)
            entry_measure(in, survey.analyses[0].refactor, entry);
    }
    ht_survey_free(&survey);
}

static bool option(const char *word, const char *name, const char **out) {
    size_t length = strlen(name);
    bool is = strncmp(word, name, length) == 0 && word[length] == '=';
    if (is)
        *out = word + length + 1;
    return is;
}

int main(int count, char **words) {
    program in = {.samples = 20, .seed = 1};
    const char *samples = "20", *seed = "1";
    ht_model_devices model;
    ht_error error;
    if (count < 3) {
        fprintf(stderr, "usage: written_times model:NAME SOURCE... [samples=N] [seed=N] "
                        "[kernel=NAME] [config=TEXT]\n");
        return 2;
    }
    for (int i = 2; i < count; ++i)
        if (!option(words[i], "samples", &samples) && !option(words[i], "seed", &seed) &&
            !option(words[i], "kernel", &in.kernel))
            option(words[i], "config", &in.config);
    in.samples = in.config ? 1 : strtoul(samples, NULL, 10);
    in.seed = strtoull(seed, NULL, 10);
    check(ht_model_devices_find(words[1], &model, &error), &error);
    in.session.model = &model;
    in.session.predicted = ht_model_memory_new();
    for (int i = 2; i < count; ++i)
        if (!strchr(words[i], '='))
            source_measure(&in, words[i]);
    ht_model_memory_free(in.session.predicted);
    return 0;
}
