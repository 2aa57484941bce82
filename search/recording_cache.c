/* The cache files of Kernel Tuner (github.com/KernelTuner/kernel_tuner): one JSON object, whose
 * "cache" has an entry for each configuration. docs/recording-format.md says what is read. */
#include "search/recording_format.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Old versions wrote this for a failure, of whatever kind. */
static const double failure_cost = 1e20;

static const struct {
    const char *name;
    ht_status status;
} failures[] = {
    {"CompilationFailedConfig", HT_ERROR_COMPILE},
    {"RuntimeFailedConfig", HT_ERROR_LAUNCH},
    {"InvalidConfig", HT_ERROR_UNSUPPORTED},
};

/* Reads the names, in the order of the keys, and the declared values. */
static ht_status read_parameters(ht_recording_reader *reader, const json_t *root) {
    const json_t *keys = json_object_get(root, "tune_params_keys"),
                 *params = json_object_get(root, "tune_params");
    if (!json_is_array(keys) || !json_array_size(keys))
        return ht_recording_fail(reader, "\"tune_params_keys\" must be a list of names");
    for (size_t i = 0; i < json_array_size(keys); ++i) {
        const char *name = json_string_value(json_array_get(keys, i));
        if (!name)
            return ht_recording_fail(reader, "\"tune_params_keys\"[%zu] must be a text", i);
        if (ht_recording_parameter(reader->recording, name) != i)
            return ht_recording_fail(reader, "\"tune_params_keys\" has \"%.80s\" twice", name);
        const json_t *values = json_object_get(params, name);
        for (size_t v = 0; v < json_array_size(values); ++v) {
            ht_recorded_value value;
            bool good = ht_recorded_value_read(json_array_get(values, v), &value);
            if (good && ht_recording_value(reader->recording, i, &value) == SIZE_MAX)
                good = false;
            free(value.text);
            if (!good)
                return ht_recording_fail(reader,
                                         "\"tune_params\".\"%.80s\"[%zu] must be a number, a "
                                         "text, true or false, and there may be %d",
                                         name, v, HT_RECORDING_VALUES_MAX);
        }
    }
    return HT_OK;
}

/* Returns an error when the parts of the entry's key differ from its members. Texts with commas in
 * them cannot be split, so that such a key is not checked. */
static ht_status check_key(const ht_recording_reader *reader) {
    const ht_recording *recording = reader->recording;
    const uint16_t *choices =
        recording->choices + (recording->record_count - 1) * recording->parameter_count;
    const char *at = reader->key;
    for (size_t p = 0; p < recording->parameter_count; ++p)
        if (strchr(recording->parameters[p].values[choices[p]].text, ','))
            return HT_OK;
    for (size_t p = 0; p < recording->parameter_count; ++p) {
        const ht_recorded_value *value = &recording->parameters[p].values[choices[p]];
        size_t length = strcspn(at, ",");
        bool same = !strncmp(at, value->text, length) && !value->text[length];
        if (!same && value->kind != HT_RECORDED_TEXT) {
            char *end;
            same = strtod(at, &end) == value->number && end == at + length && length;
        }
        if (!same)
            return ht_recording_fail(reader, "its key and its \"%.80s\" (%.80s) do not agree",
                                     recording->parameters[p].name, value->text);
        bool last = p + 1 == recording->parameter_count;
        if (last != (at[length] == 0))
            return ht_recording_fail(reader, "its key must have %zu values, joined by commas",
                                     recording->parameter_count);
        at += length + !last;
    }
    return HT_OK;
}

static ht_status read_cost(const ht_recording_reader *reader, const json_t *entry,
                           ht_record *record) {
    const json_t *time = json_object_get(entry, "time");
    if (json_is_string(time)) {
        const char *word = json_string_value(time);
        for (size_t i = 0; i < sizeof failures / sizeof *failures; ++i)
            if (!strcmp(failures[i].name, word)) {
                record->status = failures[i].status;
                return HT_OK;
            }
        return ht_recording_fail(reader,
                                 "\"time\" is \"%.80s\"; there are CompilationFailedConfig, "
                                 "RuntimeFailedConfig and InvalidConfig",
                                 word);
    }
    record->cost = json_number_value(time);
    if (!json_is_number(time) || !isfinite(record->cost) || record->cost <= 0)
        return ht_recording_fail(
            reader, "\"time\" must be a number of milliseconds above 0, or the name of a failure");
    if (record->cost >= failure_cost)
        record->status = HT_ERROR_LAUNCH;
    return HT_OK;
}

static ht_status read_entry(ht_recording_reader *reader, const json_t *entry) {
    ht_recording *recording = reader->recording;
    if (!json_is_object(entry))
        return ht_recording_fail(reader, "must be an object {...}");
    ht_record *record = ht_recording_add(recording);
    ht_recorded_times *times = &record->times;
    ht_status status = HT_OK;
    for (size_t p = 0; status == HT_OK && p < recording->parameter_count; ++p)
        status =
            ht_recording_choose(reader, p, json_object_get(entry, recording->parameters[p].name));
    if (status == HT_OK)
        status = check_key(reader);
    if (status == HT_OK)
        status = read_cost(reader, entry, record);
    if (status == HT_OK)
        status = ht_recording_time(reader, entry, "compile_time", &times->compile);
    if (status == HT_OK)
        status = ht_recording_time(reader, entry, "verification_time", &times->verification);
    if (status == HT_OK)
        status = ht_recording_time(reader, entry, "benchmark_time", &times->benchmark);
    if (status == HT_OK)
        status = ht_recording_time(reader, entry, "framework_time", &times->framework);
    if (status == HT_OK)
        status = ht_recording_time(reader, entry, "strategy_time", &times->strategy);
    if (status == HT_OK)
        status = ht_recording_samples(reader, json_object_get(entry, "times"), "times");
    ht_recording_text(entry, "timestamp", &record->timestamp);
    return status;
}

/* Refuses a run that looked for something else than the least time: its costs are not times. */
static ht_status check_objective(const ht_recording_reader *reader, const json_t *root) {
    const json_t *objective = json_object_get(root, "objective");
    if (!objective || (json_is_string(objective) && !strcmp(json_string_value(objective), "time")))
        return HT_OK;
    return ht_recording_fail(reader,
                             "the run's \"objective\" must be \"time\"; others are not read");
}

ht_status ht_recording_read_cache(ht_recording_reader *reader, const json_t *root) {
    ht_recording *recording = reader->recording;
    const json_t *cache = json_object_get(root, "cache");
    const char *key;
    json_t *entry;
    ht_recording_text(root, "device_name", &recording->device);
    ht_recording_text(root, "kernel_name", &recording->kernel);
    ht_recording_problem(root, recording);
    ht_status status = check_objective(reader, root);
    if (status == HT_OK)
        status = read_parameters(reader, root);
    if (status == HT_OK && !json_is_object(cache))
        status = ht_recording_fail(reader, "\"cache\" must be an object {...}");
    if (status != HT_OK)
        return status;
    json_object_foreach((json_t *)cache, key, entry) {
        reader->key = key;
        status = read_entry(reader, entry);
        if (status != HT_OK)
            return status;
    }
    reader->key = NULL;
    return HT_OK;
}

static const char *failure_name(ht_status status) {
    for (size_t i = 0; i < sizeof failures / sizeof *failures; ++i)
        if (failures[i].status == status)
            return failures[i].name;
    return "RuntimeFailedConfig"; /* timeouts and wrong results: the format has no words for them */
}

static void print_time(const char *name, double milliseconds, ht_text *out) {
    if (milliseconds < 0)
        return;
    ht_text_printf(out, ",\"%s\":", name);
    ht_print_json_number(milliseconds, out);
}

static void print_entry(const ht_recording *recording, size_t index, ht_text *out) {
    const ht_record *record = &recording->records[index];
    const uint16_t *choices = recording->choices + index * recording->parameter_count;
    ht_text key = {0};
    for (size_t p = 0; p < recording->parameter_count; ++p)
        ht_text_printf(&key, "%s%s", p ? "," : "",
                       recording->parameters[p].values[choices[p]].text);
    ht_print_json_text(key.data, out);
    ht_text_free(&key);
    ht_text_append(out, ": {");
    for (size_t p = 0; p < recording->parameter_count; ++p) {
        ht_print_json_text(recording->parameters[p].name, out);
        ht_text_append(out, ":");
        ht_print_json_value(&recording->parameters[p].values[choices[p]], out);
        ht_text_append(out, ",");
    }
    ht_text_append(out, "\"time\":");
    if (record->status == HT_OK)
        ht_print_json_number(record->cost, out);
    else
        ht_print_json_text(failure_name(record->status), out);
    for (size_t i = 0; i < record->sample_count; ++i) {
        ht_text_append(out, i ? "," : ",\"times\":[");
        ht_print_json_number(recording->samples[record->sample_first + i], out);
    }
    if (record->sample_count)
        ht_text_append(out, "]");
    print_time("compile_time", record->times.compile, out);
    print_time("verification_time", record->times.verification, out);
    print_time("benchmark_time", record->times.benchmark, out);
    print_time("framework_time", record->times.framework, out);
    print_time("strategy_time", record->times.strategy, out);
    if (record->timestamp) {
        ht_text_append(out, ",\"timestamp\":");
        ht_print_json_text(record->timestamp, out);
    }
    ht_text_append(out, "}");
}

static void print_parameters(const ht_recording *recording, ht_text *out) {
    ht_text_append(out, "\"tune_params_keys\": [");
    for (size_t p = 0; p < recording->parameter_count; ++p) {
        ht_text_append(out, p ? ", " : "");
        ht_print_json_text(recording->parameters[p].name, out);
    }
    ht_text_append(out, "],\n\"tune_params\": {");
    for (size_t p = 0; p < recording->parameter_count; ++p) {
        const ht_recorded_parameter *parameter = &recording->parameters[p];
        ht_text_append(out, p ? ", " : "");
        ht_print_json_text(parameter->name, out);
        ht_text_append(out, ": [");
        for (size_t v = 0; v < parameter->value_count; ++v) {
            ht_text_append(out, v ? ", " : "");
            ht_print_json_value(&parameter->values[v], out);
        }
        ht_text_append(out, "]");
    }
    ht_text_append(out, "},\n");
}

void ht_recording_print_cache(const ht_recording *recording, ht_text *out) {
    ht_text_append(out, "{\n\"device_name\": ");
    ht_print_json_text(recording->device, out);
    ht_text_append(out, ",\n\"kernel_name\": ");
    ht_print_json_text(recording->kernel, out);
    ht_text_printf(out, ",\n\"problem_size\": %s,\n",
                   recording->problem[0] ? recording->problem : "null");
    print_parameters(recording, out);
    ht_text_append(out, "\"objective\": \"time\",\n\"cache\": {\n");
    for (size_t r = 0; r < recording->record_count; ++r) {
        print_entry(recording, r, out);
        ht_text_append(out, r + 1 < recording->record_count ? ",\n" : "\n");
    }
    ht_text_append(out, "}\n}\n");
}
