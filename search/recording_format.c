#include "search/recording_format.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ht_status ht_recording_fail(const ht_recording_reader *reader, const char *format, ...) {
    char message[1024], place[200] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (reader->key)
        snprintf(place, sizeof place, "cache[\"%.150s\"]: ", reader->key);
    else if (reader->entry != SIZE_MAX)
        snprintf(place, sizeof place, "results[%zu]: ", reader->entry);
    return ht_error_set_at(reader->error, HT_ERROR_INPUT, reader->recording->path, 0, 0, "%s%s",
                           place, message);
}

bool ht_recorded_value_read(const json_t *json, ht_recorded_value *out_value) {
    *out_value = (ht_recorded_value){0};
    if (json_is_integer(json)) {
        int64_t integer = json_integer_value(json);
        *out_value = (ht_recorded_value){HT_RECORDED_INTEGER, integer, (double)integer,
                                         ht_format("%" PRId64, integer)};
    } else if (json_is_real(json)) {
        ht_text text = {0};
        ht_print_json_number(json_real_value(json), &text);
        *out_value =
            (ht_recorded_value){HT_RECORDED_REAL, 0, json_real_value(json), ht_text_take(&text)};
    } else if (json_is_boolean(json)) {
        bool on = json_is_true(json);
        *out_value =
            (ht_recorded_value){HT_RECORDED_BOOLEAN, on, on, ht_strdup(on ? "True" : "False")};
    } else if (json_is_string(json)) {
        *out_value =
            (ht_recorded_value){HT_RECORDED_TEXT, 0, 0, ht_strdup(json_string_value(json))};
    }
    return out_value->text != NULL;
}

ht_status ht_recording_time(const ht_recording_reader *reader, const json_t *object,
                            const char *name, double *out) {
    const json_t *value = json_object_get(object, name);
    if (!value || json_is_null(value))
        return HT_OK;
    double number = json_number_value(value) * reader->unit;
    if (!json_is_number(value) || !isfinite(number) || number < 0)
        return ht_recording_fail(reader, "\"%s\" must be a time: a number that is not negative",
                                 name);
    *out = number;
    return HT_OK;
}

ht_status ht_recording_samples(const ht_recording_reader *reader, const json_t *list,
                               const char *name) {
    if (!list || json_is_null(list))
        return HT_OK;
    if (!json_is_array(list))
        return ht_recording_fail(reader, "\"%s\" must be a list of times", name);
    size_t count = json_array_size(list);
    for (size_t i = 0; i < count; ++i) {
        const json_t *item = json_array_get(list, i);
        double number = json_number_value(item) * reader->unit;
        if (!json_is_number(item) || !isfinite(number) || number < 0)
            return ht_recording_fail(
                reader, "\"%s\"[%zu] must be a time: a number that is not negative", name, i);
        ht_recording_add_sample(reader->recording, number);
    }
    return HT_OK;
}

ht_status ht_recording_choose(const ht_recording_reader *reader, size_t parameter,
                              const json_t *json) {
    ht_recording *recording = reader->recording;
    const char *name = recording->parameters[parameter].name;
    ht_recorded_value value;
    if (!json)
        return ht_recording_fail(reader, "the value of parameter \"%.80s\" is missing", name);
    if (!ht_recorded_value_read(json, &value))
        return ht_recording_fail(
            reader, "the value of parameter \"%.80s\" must be a number, a text, true or false",
            name);
    size_t index = ht_recording_value(recording, parameter, &value);
    free(value.text);
    if (index == SIZE_MAX)
        return ht_recording_fail(reader, "parameter \"%.80s\" has more than %d values", name,
                                 HT_RECORDING_VALUES_MAX);
    recording->choices[(recording->record_count - 1) * recording->parameter_count + parameter] =
        (uint16_t)index;
    return HT_OK;
}

void ht_recording_text(const json_t *object, const char *name, char **out_text) {
    const json_t *value = json_object_get(object, name);
    if (!json_is_string(value))
        return;
    free(*out_text);
    *out_text = ht_strdup(json_string_value(value));
}

void ht_recording_problem(const json_t *object, ht_recording *recording) {
    const json_t *problem = json_object_get(object, "problem_size");
    if (!problem || json_is_null(problem))
        return;
    char *text = json_dumps(problem, JSON_ENCODE_ANY);
    free(recording->problem);
    recording->problem = ht_strdup(text ? text : "");
    free(text);
}

void ht_print_json_text(const char *text, ht_text *out) {
    ht_text_append(out, "\"");
    for (const char *at = text; *at; ++at) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\')
            ht_text_printf(out, "\\%c", byte);
        else if (byte < 0x20)
            ht_text_printf(out, "\\u%04x", byte);
        else
            ht_text_append_n(out, at, 1);
    }
    ht_text_append(out, "\"");
}

/* Prints a float as Python does: with a point or an exponent, so that it stays one. */
void ht_print_json_number(double number, ht_text *out) {
    char buffer[40];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, number);
        if (strtod(buffer, NULL) == number)
            break;
    }
    ht_text_append(out, buffer);
    if (!strpbrk(buffer, ".e"))
        ht_text_append(out, ".0");
}

void ht_print_json_value(const ht_recorded_value *value, ht_text *out) {
    switch (value->kind) {
    case HT_RECORDED_INTEGER:
        ht_text_printf(out, "%" PRId64, value->integer);
        break;
    case HT_RECORDED_REAL:
        ht_print_json_number(value->number, out);
        break;
    case HT_RECORDED_BOOLEAN:
        ht_text_append(out, value->integer ? "true" : "false");
        break;
    case HT_RECORDED_TEXT:
        ht_print_json_text(value->text, out);
        break;
    }
}
