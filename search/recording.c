/* Recordings as data; the formats are files of their own. */
#include "search/recording.h"

#include "base/memory.h"
#include "search/recording_format.h"

#include <stdlib.h>
#include <string.h>

ht_recording *ht_recording_new(const char *path) {
    ht_recording *recording = ht_alloc(1, sizeof *recording);
    recording->path = path ? ht_strdup(path) : NULL;
    recording->device = ht_strdup("");
    recording->kernel = ht_strdup("");
    recording->problem = ht_strdup("");
    return recording;
}

void ht_recording_free(ht_recording *recording) {
    if (!recording)
        return;
    for (size_t p = 0; p < recording->parameter_count; ++p) {
        ht_recorded_parameter *parameter = &recording->parameters[p];
        for (size_t v = 0; v < parameter->value_count; ++v)
            free(parameter->values[v].text);
        free(parameter->values);
        free(parameter->name);
    }
    for (size_t r = 0; r < recording->record_count; ++r)
        free(recording->records[r].timestamp);
    free(recording->parameters);
    free(recording->records);
    free(recording->choices);
    free(recording->samples);
    free(recording->path);
    free(recording->device);
    free(recording->kernel);
    free(recording->problem);
    free(recording);
}

size_t ht_recording_parameter(ht_recording *recording, const char *name) {
    for (size_t p = 0; p < recording->parameter_count; ++p)
        if (!strcmp(recording->parameters[p].name, name))
            return p;
    HT_GROW(recording->parameters, recording->parameter_count);
    recording->parameters[recording->parameter_count] =
        (ht_recorded_parameter){.name = ht_strdup(name)};
    return recording->parameter_count++;
}

static bool is_number(const ht_recorded_value *value) {
    return value->kind == HT_RECORDED_INTEGER || value->kind == HT_RECORDED_REAL;
}

/* Compares as Python does: 1 and 1.0 are one value; True is not 1, as its text differs. */
bool ht_recorded_value_same(const ht_recorded_value *a, const ht_recorded_value *b) {
    if (a->kind == HT_RECORDED_INTEGER && b->kind == HT_RECORDED_INTEGER)
        return a->integer == b->integer;
    if (is_number(a) && is_number(b))
        return a->number == b->number;
    return a->kind == b->kind && !strcmp(a->text, b->text);
}

size_t ht_recording_value(ht_recording *recording, size_t parameter,
                          const ht_recorded_value *value) {
    ht_recorded_parameter *of = &recording->parameters[parameter];
    for (size_t v = 0; v < of->value_count; ++v)
        if (ht_recorded_value_same(&of->values[v], value))
            return v;
    if (of->value_count >= HT_RECORDING_VALUES_MAX)
        return SIZE_MAX;
    HT_GROW(of->values, of->value_count);
    of->values[of->value_count] = *value;
    of->values[of->value_count].text = ht_strdup(value->text);
    return of->value_count++;
}

ht_record *ht_recording_add(ht_recording *recording) {
    size_t width = recording->parameter_count, count = recording->record_count;
    HT_GROW(recording->records, count);
    /* Rows grow in step with the records: capacity is the next power of two. */
    if ((count & (count - 1)) == 0)
        recording->choices =
            ht_realloc(recording->choices, count ? count * 2 : 1, width * sizeof(uint16_t));
    memset(recording->choices + count * width, 0, width * sizeof(uint16_t));
    recording->records[count] = (ht_record){
        .status = HT_OK,
        .times = {-1, -1, -1, -1, -1},
        .sample_first = recording->sample_count,
    };
    return &recording->records[recording->record_count++];
}

void ht_recording_add_sample(ht_recording *recording, double milliseconds) {
    HT_GROW(recording->samples, recording->sample_count);
    recording->samples[recording->sample_count++] = milliseconds;
    ++recording->records[recording->record_count - 1].sample_count;
}

typedef struct row {
    const uint16_t *choices;
    size_t width;
    size_t record;
} row;

static int by_choices(const void *a, const void *b) {
    const row *x = a, *y = b;
    int order = x->width ? memcmp(x->choices, y->choices, x->width * sizeof(uint16_t)) : 0;
    if (order)
        return order;
    return (x->record > y->record) - (x->record < y->record);
}

size_t ht_recording_double(const ht_recording *recording) {
    size_t width = recording->parameter_count, found = SIZE_MAX;
    row *rows = ht_alloc(recording->record_count, sizeof *rows);
    for (size_t r = 0; r < recording->record_count; ++r)
        rows[r] = (row){recording->choices + r * width, width, r};
    if (recording->record_count > 1)
        qsort(rows, recording->record_count, sizeof *rows, by_choices);
    for (size_t r = 1; r < recording->record_count; ++r) {
        size_t record = rows[r].record;
        if (!memcmp(rows[r - 1].choices, rows[r].choices, width * sizeof(uint16_t)) &&
            record < found)
            found = record;
    }
    free(rows);
    return found;
}

char *ht_recording_config(const ht_recording *recording, size_t record) {
    ht_text text = {0};
    const uint16_t *choices = recording->choices + record * recording->parameter_count;
    for (size_t p = 0; p < recording->parameter_count; ++p)
        ht_text_printf(&text, "%s%s=%s", p ? ", " : "", recording->parameters[p].name,
                       recording->parameters[p].values[choices[p]].text);
    return ht_text_take(&text);
}

double ht_record_spent(const ht_record *record) {
    const double parts[] = {record->times.compile, record->times.verification,
                            record->times.benchmark};
    double sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        sum += parts[i] > 0 ? parts[i] : 0;
    return sum;
}

static const struct {
    ht_status status;
    const char *word;
} words[] = {
    {HT_OK, "correct"},
    {HT_ERROR_COMPILE, "compile"},
    {HT_ERROR_LAUNCH, "runtime"},
    {HT_ERROR_TIMEOUT, "timeout"},
    {HT_ERROR_MISMATCH, "correctness"},
    {HT_ERROR_UNSUPPORTED, "constraints"},
};

const char *ht_record_word(ht_status status) {
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (words[i].status == status)
            return words[i].word;
    return "runtime";
}

bool ht_record_status(const char *word, ht_status *out_status) {
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (!strcmp(words[i].word, word)) {
            *out_status = words[i].status;
            return true;
        }
    return false;
}
