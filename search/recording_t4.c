/* T4 result files: the results format of the auto-tuning community's FAIR benchmarks (schema
 * T4.json in github.com/AutoTuningAssociation/autotuning_methodology). docs/recording-format.md
 * says what is read, and where files in use differ from the schema. */
#include "search/recording_format.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "miliseconds" is what Kernel Tuner writes. */
static const struct {
    const char *name;
    double milliseconds;
} units[] = {
    {"milliseconds", 1}, {"miliseconds", 1},     {"ms", 1},    {"seconds", 1e3},
    {"s", 1e3},          {"microseconds", 1e-3}, {"us", 1e-3}, {"nanoseconds", 1e-6},
    {"ns", 1e-6},
};

static ht_status find_unit(const ht_recording_reader *reader, const char *name, double *out) {
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
        if (!strcmp(units[i].name, name)) {
            *out = units[i].milliseconds;
            return HT_OK;
        }
    return ht_recording_fail(reader,
                             "unknown unit of time \"%.80s\"; there are seconds, milliseconds, "
                             "microseconds and nanoseconds",
                             name);
}

static ht_status read_metadata(ht_recording_reader *reader, const json_t *root) {
    const json_t *metadata = json_object_get(root, "metadata");
    const json_t *unit = json_object_get(metadata, "timeunit");
    ht_recording_text(metadata, "device", &reader->recording->device);
    ht_recording_text(metadata, "kernel", &reader->recording->kernel);
    ht_recording_problem(metadata, reader->recording);
    reader->unit = 1e3; /* a file that does not say has seconds */
    if (!unit)
        return HT_OK;
    if (!json_is_string(unit))
        return ht_recording_fail(reader, "\"metadata\".\"timeunit\" must be a text");
    return find_unit(reader, json_string_value(unit), &reader->unit);
}

/* Reads the parameters from the first result. */
static ht_status read_parameters(ht_recording_reader *reader, const json_t *results) {
    const json_t *first = json_object_get(json_array_get(results, 0), "configuration");
    const char *name;
    json_t *value;
    reader->entry = 0;
    if (!json_is_object(first) || !json_object_size(first))
        return ht_recording_fail(reader, "\"configuration\" must be an object of parameters");
    json_object_foreach((json_t *)first, name, value)
        ht_recording_parameter(reader->recording, name);
    return HT_OK;
}

static ht_status read_configuration(const ht_recording_reader *reader, const json_t *result) {
    const ht_recording *recording = reader->recording;
    const json_t *configuration = json_object_get(result, "configuration");
    ht_status status = HT_OK;
    if (!json_is_object(configuration) ||
        json_object_size(configuration) != recording->parameter_count)
        return ht_recording_fail(
            reader, "\"configuration\" must have the %zu parameters of the first result",
            recording->parameter_count);
    for (size_t p = 0; status == HT_OK && p < recording->parameter_count; ++p)
        status = ht_recording_choose(reader, p,
                                     json_object_get(configuration, recording->parameters[p].name));
    return status;
}

static ht_status read_times(const ht_recording_reader *reader, const json_t *result,
                            ht_record *record) {
    const json_t *times = json_object_get(result, "times");
    ht_recorded_times *to = &record->times;
    if (!json_is_object(times))
        return ht_recording_fail(reader, "\"times\" must be an object {...}");
    ht_status status = ht_recording_time(reader, times, "compilation_time", &to->compile);
    if (status == HT_OK)
        status = ht_recording_time(reader, times, "compilation", &to->compile);
    if (status == HT_OK)
        status = ht_recording_time(reader, times, "validation", &to->verification);
    if (status == HT_OK)
        status = ht_recording_time(reader, times, "framework", &to->framework);
    if (status == HT_OK)
        status = ht_recording_time(reader, times, "search_algorithm", &to->strategy);
    if (status == HT_OK)
        status = ht_recording_samples(reader, json_object_get(times, "runtimes"), "runtimes");
    /* The time that measuring took is not in the schema; the runs themselves are the most of it. */
    for (size_t i = 0; status == HT_OK && i < record->sample_count; ++i)
        to->benchmark =
            (i ? to->benchmark : 0) + reader->recording->samples[record->sample_first + i];
    if (status == HT_OK)
        status = ht_recording_time(reader, times, "benchmark", &to->benchmark);
    return status;
}

static ht_status read_status(const ht_recording_reader *reader, const json_t *result,
                             ht_record *record) {
    const json_t *word = json_object_get(result, "invalidity"),
                 *correct = json_object_get(result, "correctness");
    if (!json_is_string(word) || !ht_record_status(json_string_value(word), &record->status))
        return ht_recording_fail(reader, "\"invalidity\" must be one of correct, compile, runtime, "
                                         "timeout, correctness, constraints");
    if (record->status == HT_OK && json_is_number(correct) && json_number_value(correct) == 0)
        record->status = HT_ERROR_MISMATCH;
    return HT_OK;
}

static ht_status read_objective(const ht_recording_reader *reader, const json_t *result) {
    const json_t *objectives = json_object_get(result, "objectives");
    size_t count = json_array_size(objectives);
    for (size_t i = 0; i < count; ++i) {
        const char *name = json_string_value(json_array_get(objectives, i));
        if (name && !strcmp(name, "time"))
            return HT_OK;
    }
    if (!count)
        return HT_OK;
    return ht_recording_fail(reader, "\"objectives\" must have \"time\"; others are not read");
}

/* Reads the measurement named "time", else the mean of the runs. */
static ht_status read_cost(const ht_recording_reader *reader, const json_t *result,
                           ht_record *record) {
    const json_t *measurements = json_object_get(result, "measurements"), *found = NULL;
    for (size_t i = 0; !found && i < json_array_size(measurements); ++i) {
        const json_t *measurement = json_array_get(measurements, i);
        const char *name = json_string_value(json_object_get(measurement, "name"));
        if (name && !strcmp(name, "time"))
            found = measurement;
    }
    const json_t *value = json_object_get(found, "value");
    const char *unit = json_string_value(json_object_get(found, "unit"));
    double factor = reader->unit;
    ht_status status = unit && *unit ? find_unit(reader, unit, &factor) : HT_OK;
    if (status != HT_OK)
        return status;
    double cost = json_number_value(value) * factor;
    if (!found && record->sample_count) {
        for (size_t i = 0; i < record->sample_count; ++i)
            cost += reader->recording->samples[record->sample_first + i];
        cost /= (double)record->sample_count;
    } else if (!json_is_number(value)) {
        return ht_recording_fail(
            reader, "\"measurements\" must have a \"time\" whose value is a number, as the result "
                    "is correct");
    }
    if (!isfinite(cost) || cost <= 0)
        return ht_recording_fail(reader, "the measured time must be above 0");
    record->cost = cost;
    return HT_OK;
}

static ht_status read_result(const ht_recording_reader *reader, const json_t *result) {
    if (!json_is_object(result))
        return ht_recording_fail(reader, "must be an object {...}");
    ht_record *record = ht_recording_add(reader->recording);
    ht_status status = read_configuration(reader, result);
    if (status == HT_OK)
        status = read_times(reader, result, record);
    if (status == HT_OK)
        status = read_status(reader, result, record);
    if (status == HT_OK)
        status = read_objective(reader, result);
    if (status == HT_OK && record->status == HT_OK)
        status = read_cost(reader, result, record);
    ht_recording_text(result, "timestamp", &record->timestamp);
    return status;
}

ht_status ht_recording_read_t4(ht_recording_reader *reader, const json_t *root) {
    const json_t *results = json_object_get(root, "results");
    if (!json_is_array(results) || !json_array_size(results))
        return ht_recording_fail(reader, "\"results\" must be a list of at least one result");
    ht_status status = read_metadata(reader, root);
    if (status == HT_OK)
        status = read_parameters(reader, results);
    for (size_t i = 0; status == HT_OK && i < json_array_size(results); ++i) {
        reader->entry = i;
        status = read_result(reader, json_array_get(results, i));
    }
    return status;
}

static void print_time(const char *name, double milliseconds, size_t *count, ht_text *out) {
    if (milliseconds < 0)
        return;
    ht_text_printf(out, "%s\"%s\": ", (*count)++ ? ", " : "", name);
    ht_print_json_number(milliseconds, out);
}

static void print_times(const ht_recording *recording, const ht_record *record, ht_text *out) {
    size_t count = 0;
    ht_text_append(out, " \"times\": {");
    print_time("compilation_time", record->times.compile, &count, out);
    print_time("validation", record->times.verification, &count, out);
    print_time("benchmark", record->times.benchmark, &count, out);
    print_time("framework", record->times.framework, &count, out);
    print_time("search_algorithm", record->times.strategy, &count, out);
    for (size_t i = 0; i < record->sample_count; ++i) {
        if (i == 0)
            ht_text_append(out, count ? ", \"runtimes\": [" : "\"runtimes\": [");
        else
            ht_text_append(out, ", ");
        ht_print_json_number(recording->samples[record->sample_first + i], out);
    }
    ht_text_append(out, record->sample_count ? "]},\n" : "},\n");
}

static void print_result(const ht_recording *recording, size_t index, ht_text *out) {
    const ht_record *record = &recording->records[index];
    const uint16_t *choices = recording->choices + index * recording->parameter_count;
    ht_text_append(out, "{");
    if (record->timestamp) {
        ht_text_append(out, "\"timestamp\": ");
        ht_print_json_text(record->timestamp, out);
        ht_text_append(out, ",\n ");
    }
    ht_text_append(out, "\"configuration\": {");
    for (size_t p = 0; p < recording->parameter_count; ++p) {
        ht_text_append(out, p ? ", " : "");
        ht_print_json_text(recording->parameters[p].name, out);
        ht_text_append(out, ": ");
        ht_print_json_value(&recording->parameters[p].values[choices[p]], out);
    }
    ht_text_append(out, "},\n");
    print_times(recording, record, out);
    const char *word = ht_record_word(record->status);
    ht_text_printf(out,
                   " \"invalidity\": \"%s\", \"correctness\": %d,\n"
                   " \"measurements\": [{\"name\": \"time\", \"value\": ",
                   word, record->status == HT_OK);
    if (record->status == HT_OK)
        ht_print_json_number(record->cost, out);
    else
        ht_print_json_text(word, out);
    ht_text_append(out, ", \"unit\": \"\"}], \"objectives\": [\"time\"]}");
}

void ht_recording_print_t4(const ht_recording *recording, ht_text *out) {
    ht_text_append(out, "{\"schema_version\": \"1.0.0\",\n\"metadata\": {\"device\": ");
    ht_print_json_text(recording->device, out);
    ht_text_append(out, ", \"kernel\": ");
    ht_print_json_text(recording->kernel, out);
    if (recording->problem[0])
        ht_text_printf(out, ", \"problem_size\": %s", recording->problem);
    ht_text_append(out, ", \"timeunit\": \"milliseconds\"},\n\"results\": [\n");
    for (size_t r = 0; r < recording->record_count; ++r) {
        print_result(recording, r, out);
        ht_text_append(out, r + 1 < recording->record_count ? ",\n" : "\n");
    }
    ht_text_append(out, "]}\n");
}
