#include "search/replay.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t no_record = UINT32_MAX;

struct ht_replay {
    const ht_space *space;
    const ht_recording *recording;
    uint32_t *records; /* by index in the space; owned */
    ht_replay_counts counts;
    double optimum;
    double mean_spent;
    bool timed;
};

/* The way from the recording's parameters and values to those of the space. */
typedef struct mapping {
    size_t dimensions[HT_PARAM_MAX]; /* by parameter of the recording */
    size_t first[HT_PARAM_MAX];      /* by parameter, of its values in `values` */
    uint16_t *values;                /* of the space, by value of the recording; owned */
} mapping;

static bool is_ordinal(const ht_dimension *dimension) {
    return dimension->kind == HT_PARAM_ENUMERATION || dimension->kind == HT_PARAM_TYPE;
}

/* Compares texts, as those of a T1 file may be written with their quotes. */
static bool same_text(const char *written, const char *text) {
    size_t length = strlen(written);
    if (length >= 2 && (*written == '\'' || *written == '"') && written[length - 1] == *written)
        return strlen(text) == length - 2 && !strncmp(written + 1, text, length - 2);
    return !strcmp(written, text);
}

static bool same_value(const ht_dimension *dimension, size_t v, const ht_recorded_value *value) {
    if (same_text(dimension->texts[v], value->text))
        return true;
    if (is_ordinal(dimension))
        return false;
    if (value->kind != HT_RECORDED_TEXT)
        return dimension->numbers[v] == value->number;
    char *end;
    double number = strtod(value->text, &end);
    return *value->text && !*end && dimension->numbers[v] == number;
}

static ht_status fail(const ht_recording *recording, ht_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static ht_status fail(const ht_recording *recording, ht_error *error, const char *format, ...) {
    char message[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return ht_error_set_at(error, HT_ERROR_INPUT, recording->path, 0, 0,
                           "does not fit the search space: %s", message);
}

static ht_status map_values(mapping *map, const ht_space *space, const ht_recording *recording,
                            size_t p, ht_error *error) {
    const ht_recorded_parameter *parameter = &recording->parameters[p];
    const ht_dimension *dimension = ht_space_dimension(space, map->dimensions[p]);
    uint16_t *values = map->values + map->first[p];
    for (size_t v = 0; v < parameter->value_count; ++v) {
        size_t i = 0;
        while (i < dimension->value_count && !same_value(dimension, i, &parameter->values[v]))
            ++i;
        /* A declared value that no record has is no harm; UINT16_MAX marks it. */
        values[v] = i < dimension->value_count ? (uint16_t)i : UINT16_MAX;
    }
    for (size_t r = 0; r < recording->record_count; ++r) {
        size_t choice = recording->choices[r * recording->parameter_count + p];
        if (values[choice] == UINT16_MAX)
            return fail(recording, error,
                        "parameter %.80s has the value %.80s, which is not one of "
                        "the space's",
                        parameter->name, parameter->values[choice].text);
    }
    return HT_OK;
}

static ht_status map_make(mapping *map, const ht_space *space, const ht_recording *recording,
                          ht_error *error) {
    size_t count = ht_space_dimension_count(space);
    bool used[HT_PARAM_MAX] = {false};
    for (size_t p = 0; p < recording->parameter_count; ++p) {
        size_t d = 0;
        const char *name = recording->parameters[p].name;
        while (d < count && strcmp(ht_space_dimension(space, d)->name, name) != 0)
            ++d;
        if (d == count)
            return fail(recording, error, "the run has a parameter %.80s, the space has none",
                        name);
        used[d] = true;
        map->dimensions[p] = d;
    }
    for (size_t d = 0; d < count; ++d)
        if (!used[d])
            return fail(recording, error, "the space has a parameter %.80s, the run has none",
                        ht_space_dimension(space, d)->name);
    ht_status status = HT_OK;
    for (size_t p = 0; status == HT_OK && p < recording->parameter_count; ++p)
        status = map_values(map, space, recording, p, error);
    return status;
}

/* Places the records. Two may meet in one configuration, when the run distinguishes values that the
 * space does not: 1 and "1". */
static ht_status records_place(ht_replay *replay, const mapping *map, ht_error *error) {
    const ht_recording *recording = replay->recording;
    size_t width = recording->parameter_count;
    for (size_t r = 0; r < recording->record_count; ++r) {
        ht_config config = {.count = (uint16_t)width};
        uint64_t index;
        for (size_t p = 0; p < width; ++p)
            config.choice[map->dimensions[p]] =
                map->values[map->first[p] + recording->choices[r * width + p]];
        if (!ht_space_find(replay->space, &config, &index)) {
            ++replay->counts.extra;
            continue;
        }
        if (replay->records[index] != no_record) {
            char *text = ht_recording_config(recording, r);
            ht_status status = fail(recording, error, "configuration %.600s is there twice", text);
            free(text);
            return status;
        }
        replay->records[index] = (uint32_t)r;
        ++replay->counts.recorded;
    }
    return HT_OK;
}

static void summary_make(ht_replay *replay) {
    double sum = 0;
    replay->optimum = INFINITY;
    for (uint64_t i = 0; i < replay->counts.space; ++i) {
        const ht_record *record = ht_replay_record(replay, i);
        if (!record)
            continue;
        sum += ht_record_spent(record);
        if (record->status != HT_OK)
            ++replay->counts.failed;
        else if (record->cost < replay->optimum)
            replay->optimum = record->cost;
    }
    replay->counts.missing = replay->counts.space - replay->counts.recorded;
    replay->timed = sum > 0;
    if (replay->counts.recorded)
        replay->mean_spent = sum / (double)replay->counts.recorded;
}

static ht_status missing_report(const ht_replay *replay, ht_error *error) {
    uint64_t first = 0;
    while (replay->records[first] != no_record)
        ++first;
    ht_config config = ht_space_at(replay->space, first);
    ht_text text = {0};
    for (size_t d = 0; d < config.count; ++d) {
        const ht_dimension *dimension = ht_space_dimension(replay->space, d);
        ht_text_printf(&text, "%s%s=%s", d ? ", " : "", dimension->name,
                       dimension->texts[config.choice[d]]);
    }
    ht_status status = fail(replay->recording, error,
                            "%llu of %llu legal configurations are not recorded, such as %.500s; "
                            "--partial replays what there is",
                            (unsigned long long)replay->counts.missing,
                            (unsigned long long)replay->counts.space, text.data);
    ht_text_free(&text);
    return status;
}

static ht_status replay_fill(ht_replay *replay, const mapping *map, bool partial, ht_error *error) {
    replay->counts.space = ht_space_count(replay->space);
    replay->records = ht_alloc(replay->counts.space, sizeof *replay->records);
    for (uint64_t i = 0; i < replay->counts.space; ++i)
        replay->records[i] = no_record;
    ht_status status = records_place(replay, map, error);
    if (status != HT_OK)
        return status;
    summary_make(replay);
    if (!isfinite(replay->optimum))
        return fail(replay->recording, error, "no legal configuration of the run succeeded");
    return replay->counts.missing && !partial ? missing_report(replay, error) : HT_OK;
}

ht_status ht_replay_create(const ht_space *space, const ht_recording *recording, bool partial,
                           ht_replay **out_replay, ht_error *error) {
    if (!ht_space_listed(space))
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "the search space is too large to be replayed: its configurations are "
                            "not listed");
    if (recording->parameter_count > HT_PARAM_MAX)
        return fail(recording, error, "the run has more than %d parameters", HT_PARAM_MAX);
    mapping map = {0};
    size_t values = 0;
    for (size_t p = 0; p < recording->parameter_count; ++p) {
        map.first[p] = values;
        values += recording->parameters[p].value_count;
    }
    map.values = ht_alloc(values, sizeof *map.values);
    ht_replay *replay = ht_alloc(1, sizeof *replay);
    replay->space = space;
    replay->recording = recording;
    ht_status status = map_make(&map, space, recording, error);
    if (status == HT_OK)
        status = replay_fill(replay, &map, partial, error);
    free(map.values);
    if (status == HT_OK)
        *out_replay = replay;
    else
        ht_replay_free(replay);
    return status;
}

void ht_replay_free(ht_replay *replay) {
    if (!replay)
        return;
    free(replay->records);
    free(replay);
}

const ht_space *ht_replay_space(const ht_replay *replay) {
    return replay->space;
}

ht_replay_counts ht_replay_count(const ht_replay *replay) {
    return replay->counts;
}

const ht_record *ht_replay_record(const ht_replay *replay, uint64_t index) {
    uint32_t record = replay->records[index];
    return record == no_record ? NULL : &replay->recording->records[record];
}

double ht_replay_optimum(const ht_replay *replay) {
    return replay->optimum;
}

double ht_replay_spent(const ht_replay *replay, uint64_t index) {
    const ht_record *record = ht_replay_record(replay, index);
    if (!replay->timed)
        return 1;
    return record ? ht_record_spent(record) : replay->mean_spent;
}

bool ht_replay_timed(const ht_replay *replay) {
    return replay->timed;
}

static ht_status evaluate(void *self, const ht_config *configs, size_t count, ht_outcome *outcomes,
                          size_t *out_done, ht_error *error) {
    const ht_replay *replay = self;
    for (size_t i = 0; i < count; ++i) {
        uint64_t index;
        *out_done = i;
        if (!ht_space_find(replay->space, &configs[i], &index))
            return ht_error_set(error, HT_ERROR_INTERNAL,
                                "the strategy asked for an illegal configuration");
        const ht_record *record = ht_replay_record(replay, index);
        outcomes[i] = (ht_outcome){.status = record ? record->status : HT_ERROR_UNSUPPORTED};
        if (record && record->status == HT_OK)
            outcomes[i].cost = record->cost;
        else
            snprintf(outcomes[i].reason, sizeof outcomes[i].reason, "%s",
                     record ? ht_record_word(record->status) : "not recorded");
    }
    *out_done = count;
    return HT_OK;
}

ht_evaluator ht_replay_evaluator(const ht_replay *replay, size_t batch) {
    return (ht_evaluator){.self = (void *)replay, .evaluate = evaluate, .batch = batch};
}
