#include "predictor/times/time_internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const ht_time_settings ht_time_defaults = {
    .members = 8,
    .boost = {.rounds = 100,
              .depth = 5,
              .rate = 0.15,
              .penalty = 1,
              .row_share = 0.7,
              .column_share = 0.5,
              .seed = 1},
};

void ht_time_facts_free(ht_time_facts *facts) {
    for (size_t i = 0; i < facts->device_count; ++i)
        free(facts->devices[i]);
    for (size_t i = 0; i < facts->seen_count; ++i)
        free(facts->seen[i].name);
    free(facts->devices);
    free(facts->seen);
    free(facts->kernel);
    free(facts->annotations);
    free(facts->code);
    *facts = (ht_time_facts){0};
}

void ht_time_model_free(ht_time_model *model) {
    if (!model)
        return;
    for (size_t i = 0; i < model->input_count; ++i)
        free(model->inputs[i].name);
    for (size_t m = 0; m < model->member_count; ++m)
        ht_boost_free(model->members[m]);
    free(model->inputs);
    free(model->members);
    ht_time_facts_free(&model->facts);
    free(model);
}

const ht_time_facts *ht_time_model_facts(const ht_time_model *model) {
    return &model->facts;
}

size_t ht_time_model_members(const ht_time_model *model) {
    return model->member_count;
}

static bool is_constant(const float *values, size_t count) {
    for (size_t i = 1; i < count; ++i)
        if (!(values[i] == values[0] || (isnan(values[i]) && isnan(values[0]))))
            return false;
    return true;
}

bool ht_time_model_knows(const ht_time_model *model, const char *device) {
    for (size_t i = 0; i < model->facts.device_count; ++i)
        if (strcmp(model->facts.devices[i], device) == 0)
            return true;
    return false;
}

/* Takes the columns that change. */
static void inputs_make(ht_time_model *model, const ht_time_data *data, ht_time_table *out) {
    for (size_t c = 0; c < data->column_count; ++c) {
        const ht_time_column *column = &data->columns[c];
        if (is_constant(column->values, data->row_count) || model->input_count > UINT16_MAX)
            continue;
        HT_GROW(model->inputs, model->input_count);
        ht_time_input *input = &model->inputs[model->input_count];
        input->name = ht_strdup(column->name);
        ht_bins_make(column->values, data->row_count, &input->bins);
        size_t count = model->input_count++;
        out->columns = ht_grow(out->columns, count, sizeof *out->columns);
        out->bin_counts = ht_grow(out->bin_counts, count, sizeof *out->bin_counts);
        out->columns[count] = ht_alloc(data->row_count + 1, 1);
        out->bin_counts[count] = input->bins.count + 1;
        ht_bins_of(&input->bins, column->values, data->row_count, out->columns[count]);
    }
}

const char ht_time_lanes_column[] = "kept";

void ht_time_lanes(const float *kept, size_t count, float *out_logs) {
    for (size_t i = 0; i < count; ++i)
        out_logs[i] = kept[i] > 0 ? -logf(kept[i]) : 0;
}

static float *lanes_make(const ht_time_data *data) {
    float *lanes = ht_alloc(data->row_count + 1, sizeof *lanes);
    for (size_t c = 0; c < data->column_count; ++c)
        if (strcmp(data->columns[c].name, ht_time_lanes_column) == 0)
            ht_time_lanes(data->columns[c].values, data->row_count, lanes);
    return lanes;
}

static void table_make(ht_time_model *model, const ht_time_data *data, ht_time_table *out) {
    *out = (ht_time_table){.data = data,
                           .lanes = lanes_make(data),
                           .targets = ht_alloc(data->row_count + 1, sizeof *out->targets),
                           .weights = ht_alloc(data->row_count + 1, sizeof *out->weights),
                           .groups = ht_alloc(data->row_count + 1, sizeof *out->groups)};
    inputs_make(model, data, out);
    for (size_t j = 0; j < data->job_count; ++j) {
        const ht_time_job *job = &data->jobs[j];
        ht_time_targets(data->costs + job->first, job->count, out->targets + job->first,
                        out->weights + job->first);
        for (size_t i = 0; i < job->count; ++i)
            out->groups[job->first + i] = (uint32_t)j;
    }
    for (size_t i = 0; i < data->row_count; ++i)
        out->targets[i] -= out->lanes[i];
}

static void table_free(ht_time_table *table, size_t inputs) {
    for (size_t c = 0; c < inputs; ++c)
        free(table->columns[c]);
    free(table->columns);
    free(table->bin_counts);
    free(table->lanes);
    free(table->targets);
    free(table->weights);
    free(table->groups);
}

/* Returns true if each device has one job. */
static bool is_one_each(const ht_time_data *data) {
    return data->job_count == data->device_count;
}

ht_time_left_out ht_time_left_of(const ht_time_data *data, size_t member) {
    bool devices = data->device_count > 1 && (is_one_each(data) || member % 2 == 1);
    return devices ? HT_LEFT_MACHINES : HT_LEFT_PROBLEMS;
}

bool ht_time_leaves_out(const ht_time_data *data, size_t members, size_t member, size_t job) {
    if (data->job_count == 1)
        return false;
    if (ht_time_left_of(data, member) == HT_LEFT_MACHINES) {
        size_t turn = is_one_each(data) ? member : member / 2;
        return data->jobs[job].device == turn % data->device_count;
    }
    size_t parts = members < data->job_count ? members : data->job_count;
    return job % parts == member % parts;
}

static ht_boost *member_grow(const ht_time_table *table, size_t inputs,
                             const ht_time_settings *settings, size_t member) {
    const ht_time_data *data = table->data;
    uint32_t *rows = ht_alloc(data->row_count + 1, sizeof *rows);
    size_t count = 0;
    for (size_t j = 0; j < data->job_count; ++j)
        for (size_t i = 0; i < data->jobs[j].count; ++i)
            if (!ht_time_leaves_out(data, settings->members, member, j))
                rows[count++] = (uint32_t)(data->jobs[j].first + i);
    ht_boost_settings boost = settings->boost;
    boost.stream = member;
    const ht_boost_data of = {.columns = (const uint8_t *const *)table->columns,
                              .bin_counts = table->bin_counts,
                              .column_count = inputs,
                              .targets = table->targets,
                              .weights = table->weights,
                              .groups = table->groups,
                              .group_count = data->job_count};
    ht_boost *grown = ht_boost_grow(&of, rows, count, &boost, NULL);
    free(rows);
    return grown;
}

static void seen_note(ht_time_facts *facts, const ht_time_data *data) {
    static const char prefix[] = "field ";
    for (size_t c = 0; c < data->column_count; ++c) {
        const ht_time_column *column = &data->columns[c];
        if (!ht_text_begins(column->name, prefix))
            continue;
        ht_time_seen seen = {ht_strdup(column->name + strlen(prefix)), INFINITY, -INFINITY};
        for (size_t i = 0; i < data->row_count; ++i) {
            seen.least = fmin(seen.least, (double)column->values[i]);
            seen.most = fmax(seen.most, (double)column->values[i]);
        }
        HT_GROW(facts->seen, facts->seen_count);
        facts->seen[facts->seen_count++] = seen;
    }
    facts->devices = ht_alloc(data->device_count + 1, sizeof *facts->devices);
    for (; facts->device_count < data->device_count; ++facts->device_count)
        facts->devices[facts->device_count] = ht_strdup(data->devices[facts->device_count]);
    facts->jobs = data->job_count;
    facts->rows = data->row_count;
}

ht_time_model *ht_time_model_fit(const ht_time_data *data, const char *kernel,
                                 const char *annotations, const char *code,
                                 const ht_time_settings *settings) {
    ht_time_model *model = ht_alloc(1, sizeof *model);
    ht_time_table table;
    model->facts.kernel = ht_strdup(kernel);
    model->facts.annotations = ht_strdup(annotations);
    model->facts.code = ht_strdup(code);
    model->lanes = true;
    table_make(model, data, &table);
    model->members = ht_alloc(settings->members + 1, sizeof *model->members);
    model->member_count = settings->members;
#pragma omp parallel for schedule(dynamic)
    for (size_t m = 0; m < settings->members; ++m)
        model->members[m] = member_grow(&table, model->input_count, settings, m);
    ht_time_model_check(model, &table);
    seen_note(&model->facts, data);
    table_free(&table, model->input_count);
    return model;
}

/* Returns the place of a column; their count when it is not there. */
static size_t column_find(const ht_columns *columns, const char *name) {
    size_t width = ht_columns_count(columns), place = 0;
    while (place < width && strcmp(ht_columns_name(columns, place), name) != 0)
        ++place;
    return place;
}

/* Returns the bins of each input, NULL of those that no member asks about. Free each, then the
 * array. Sets `out_lanes` [count] when the model takes them out. */
static uint8_t **bins_make(const ht_time_model *model, const ht_columns *columns,
                           const ht_config *configs, size_t count, float *out_lanes) {
    size_t width = ht_columns_count(columns), kept = column_find(columns, ht_time_lanes_column);
    size_t *place = ht_alloc(model->input_count + 1, sizeof *place);
    bool *used = ht_alloc(model->input_count + 1, sizeof *used);
    bool *wanted = ht_alloc(width + 1, sizeof *wanted);
    float *values = ht_alloc(width * count + 1, sizeof *values);
    uint8_t **bins = ht_alloc(model->input_count + 1, sizeof *bins);
    for (size_t m = 0; m < model->member_count; ++m)
        ht_boost_mark(model->members[m], used);
    for (size_t c = 0; c < model->input_count; ++c) {
        place[c] = column_find(columns, model->inputs[c].name);
        wanted[place[c]] |= used[c];
    }
    wanted[kept] |= model->lanes;
    ht_columns_fill(columns, configs, count, wanted, values);
    if (model->lanes && kept < width)
        ht_time_lanes(values + kept * count, count, out_lanes);
    for (size_t c = 0; c < model->input_count; ++c) {
        if (!used[c])
            continue;
        bins[c] = ht_alloc(count + 1, 1); /* bin 0: not known */
        if (place[c] < width)
            ht_bins_of(&model->inputs[c].bins, values + place[c] * count, count, bins[c]);
    }
    free(place);
    free(used);
    free(wanted);
    free(values);
    return bins;
}

void ht_time_model_ask(const ht_time_model *model, const ht_columns *columns,
                       const ht_config *configs, size_t count, float *out_logs) {
    float *lanes = ht_alloc(count + 1, sizeof *lanes);
    uint8_t **bins = bins_make(model, columns, configs, count, lanes);
    for (size_t m = 0; m < model->member_count; ++m) {
        memcpy(out_logs + m * count, lanes, count * sizeof *lanes);
        ht_boost_add(model->members[m], (const uint8_t *const *)bins, count, out_logs + m * count);
    }
    for (size_t c = 0; c < model->input_count; ++c)
        free(bins[c]);
    free(bins);
    free(lanes);
}
