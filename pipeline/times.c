#include "pipeline/times.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/time_devices.h"
#include "pipeline/times_job.h"
#include "runtime/job/job.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 1500, /* of more, */
    BEST = 100     /* and those that the model likes best */
};

char *ht_times_path(const char *database, const char *kernel) {
    char *name = ht_strdup(kernel);
    for (char *at = name; *at; ++at)
        if (!isalnum((unsigned char)*at) && *at != '-')
            *at = '_';
    char *path = ht_format("%s.times/%s.times", database, name);
    free(name);
    return path;
}

char *ht_times_device(const ht_device *device) {
    return ht_format("%s: %s", device->name, device->description);
}

ht_columns *ht_times_columns(const ht_space *space, const ht_device *device,
                             ht_time_device *out_numbers) {
    char *text = ht_times_device(device);
    ht_time_device_of(text, &device->fields, out_numbers);
    free(text);
    return ht_columns_new(space, out_numbers, NULL);
}

static void code_note(void *context, const char *name, const char *text) {
    char **code = context;
    if (strcmp(name, "code") == 0)
        *code = ht_strdup(text);
}

char *ht_times_code(const ht_template *template, const ht_device *device) {
    const ht_binding binding = {template, NULL, &device->fields};
    const ht_job_options options = {0};
    char *code = NULL;
    if (ht_job_identify(&binding, device, &options, code_note, &code, NULL) != HT_OK || !code)
        return ht_strdup("");
    return code;
}

/* A database's jobs on their way into the data. */
typedef struct gathering {
    const ht_template *template;
    const ht_device *device;
    ht_time_data *data;
    ht_times_read *read;
} gathering;

static void run_add(const gathering *to, const ht_database_earlier_run *run) {
    ht_times_job job;
    if (!ht_times_job_open(to->template, to->device, run, &job)) {
        to->read->foreign += run->count;
        return;
    }
    to->read->foreign += run->count - job.count;
    if (ht_time_data_add(to->data, job.columns, run->device, job.configs, job.costs, job.count)) {
        ++to->read->jobs;
        to->read->evaluations += job.count;
    }
    ht_times_job_close(&job);
}

ht_status ht_times_jobs(const char *database, const char *kernel, const char *code,
                        ht_database_earlier *out_jobs, ht_error *error) {
    /* No job has an empty device, so that none of the template's is left out. */
    const ht_database_key all = {.source_hash = "",
                                 .template_name = kernel,
                                 .template_hash = code,
                                 .problem = "",
                                 .device = "",
                                 .compiler = "",
                                 .method = ""};
    return ht_database_earlier_read(database, &all, SIZE_MAX, out_jobs, error);
}

ht_status ht_times_read_database(const char *database, const ht_template *template,
                                 const char *code, const ht_device *device, const char *without,
                                 ht_time_data *data, ht_times_read *out_read, ht_error *error) {
    const gathering to = {template, device, data, out_read};
    ht_database_earlier earlier;
    *out_read = (ht_times_read){0};
    ht_status status = ht_times_jobs(database, template->name, code, &earlier, error);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < earlier.count; ++i)
        if (!without || strcmp(earlier.runs[i].problem, without) != 0)
            run_add(&to, &earlier.runs[i]);
    ht_database_earlier_free(&earlier);
    return HT_OK;
}

static char *annotations_of(const ht_template *template) {
    ht_text text = {0};
    ht_template_print(template, &text);
    return ht_text_take(&text);
}

static ht_status model_write(const char *database, const ht_time_model *model, ht_error *error) {
    char *path = ht_times_path(database, ht_time_model_facts(model)->kernel);
    char *folder = ht_path_folder(path);
    ht_status status = ht_dir_make(folder, error);
    if (status == HT_OK)
        status = ht_time_model_save(model, path, error);
    free(folder);
    free(path);
    return status;
}

ht_status ht_times_learn(const char *database, const ht_template *template, const ht_device *device,
                         ht_times_read *out_read, ht_time_model **out_model, ht_error *error) {
    ht_time_data data = {0};
    char *code = ht_times_code(template, device);
    ht_status status =
        ht_times_read_database(database, template, code, device, NULL, &data, out_read, error);
    if (status == HT_OK && data.job_count == 0)
        status = ht_error_set_at(error, HT_ERROR_INPUT, database, 0, 0,
                                 "has nothing to learn from for %s: no problem has 3 "
                                 "configurations that succeeded; 'hiptemper tune' makes some",
                                 template->name);
    ht_time_model *model = NULL;
    if (status == HT_OK) {
        char *annotations = annotations_of(template);
        model = ht_time_model_fit(&data, template->name, annotations, code, &ht_time_defaults);
        status = model_write(database, model, error);
        free(annotations);
    }
    ht_time_data_free(&data);
    free(code);
    if (out_model && status == HT_OK)
        *out_model = model;
    else
        ht_time_model_free(model);
    return status;
}

ht_time_model *ht_times_open(const char *database, const ht_template *template, const char *code,
                             char **out_refused) {
    char *path = ht_times_path(database, template->name);
    ht_time_model *model = NULL;
    ht_error error = {0};
    *out_refused = NULL;
    if (ht_file_exists(path)) {
        if (ht_time_model_open(path, &model, &error) != HT_OK)
            *out_refused = ht_format("%s: %s", path, error.message);
        else if (strcmp(ht_time_model_facts(model)->code, code) != 0) {
            *out_refused = ht_format("%s: it was learnt from another form of %s; 'hiptemper tune "
                                     "--learn' replaces it",
                                     path, template->name);
            ht_time_model_free(model);
            model = NULL;
        }
    }
    free(path);
    return model;
}

ht_status ht_times_open_file(const char *path, ht_time_model **out_model,
                             ht_template **out_templates, ht_error *error) {
    size_t count = 0;
    *out_templates = NULL;
    ht_status status = ht_time_model_open(path, out_model, error);
    if (status == HT_OK)
        status = ht_template_parse(ht_time_model_facts(*out_model)->annotations, path,
                                   out_templates, &count, error);
    if (status == HT_OK && count != 1)
        status =
            ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0, "the model has no template with it");
    if (status == HT_OK)
        return HT_OK;
    ht_template_free(*out_templates, count);
    ht_time_model_free(*out_model);
    *out_templates = NULL;
    *out_model = NULL;
    return status;
}

/* Lists configurations that stand for the space: all, or a sample and the model's favourites. */
static ht_config *stand_ins(const ht_time_model *model, const ht_space *space,
                            const ht_columns *columns, bool seen, size_t *out_count) {
    if (ht_earlier_is_tabled(space)) {
        size_t legal = (size_t)ht_space_count(space);
        ht_config *all = ht_alloc(legal + 1, sizeof *all);
        *out_count = ht_space_list(space, 0, all, legal);
        return all;
    }
    ht_config *configs = ht_alloc(SAMPLE + BEST, sizeof *configs);
    ht_time_choice *choices = ht_alloc(BEST, sizeof *choices);
    ht_random random;
    ht_random_seed(&random, 1);
    *out_count = ht_time_model_choose(model, space, columns, seen, BEST, choices);
    for (size_t i = 0; i < *out_count; ++i)
        configs[i] = choices[i].config;
    for (size_t i = 0; i < SAMPLE; ++i)
        configs[(*out_count)++] = ht_space_sample(space, &random);
    free(choices);
    return configs;
}

bool ht_times_source(const ht_time_model *model, const ht_space *space, const ht_device *device,
                     ht_earlier *sources, size_t *out_outcomes) {
    ht_time_device numbers;
    ht_columns *columns = ht_times_columns(space, device, &numbers);
    char *name = ht_times_device(device);
    size_t count, members = ht_time_model_members(model);
    ht_config *configs = stand_ins(model, space, columns, ht_time_model_knows(model, name), &count);
    float *logs = ht_alloc(members * count + 1, sizeof *logs);
    ht_earlier_outcome *outcomes = ht_alloc(count + 1, sizeof *outcomes);
    ht_time_model_ask(model, columns, configs, count, logs);
    for (size_t i = 0; i < count; ++i) {
        double mean = 0;
        for (size_t m = 0; m < members; ++m)
            mean += (double)logs[m * count + i] / (double)members;
        outcomes[i] = (ht_earlier_outcome){configs[i], exp(mean)};
    }
    bool added = ht_earlier_add(sources, outcomes, count);
    *out_outcomes = count;
    free(outcomes);
    free(logs);
    free(configs);
    free(name);
    ht_columns_free(columns);
    return added;
}

static void sentence_add(char ***sentences, size_t *count, char *sentence) {
    HT_GROW(*sentences, *count);
    (*sentences)[(*count)++] = sentence;
}

/* "first choices on problems left out reached 0.95 of the best speed on average, 0.90 in the worst
 * tenth"; free(). */
static char *check_words(const ht_time_check *check, const char *left_out) {
    if (check->jobs == 0)
        return ht_format("how far to trust it there is not known: it has learnt from no second %s",
                         left_out);
    return ht_format("first choices on %ss left out of %zu trials reached %.2f of the best speed "
                     "on average, %.2f or less in a tenth",
                     left_out, check->jobs, check->mean, check->low);
}

size_t ht_times_unseen(const ht_time_model *model, const ht_problem *problem, const char *device,
                       char ***out_sentences) {
    const ht_time_facts *facts = ht_time_model_facts(model);
    size_t count = 0;
    *out_sentences = NULL;
    if (!ht_time_model_knows(model, device)) {
        char *trust = check_words(&facts->machines, "device");
        sentence_add(out_sentences, &count,
                     ht_format("the model of time has seen no times of %s; %s", device, trust));
        free(trust);
    }
    for (size_t i = 0; problem && i < facts->seen_count; ++i) {
        const ht_time_seen *seen = &facts->seen[i];
        int64_t value;
        if (!ht_problem_get(problem, seen->name, &value) ||
            ((double)value >= seen->least && (double)value <= seen->most))
            continue;
        char *trust = check_words(&facts->problems, "problem");
        sentence_add(out_sentences, &count,
                     ht_format("the model of time has seen %s from %g to %g only, not %lld; within "
                               "that range %s",
                               seen->name, seen->least, seen->most, (long long)value, trust));
        free(trust);
    }
    return count;
}
