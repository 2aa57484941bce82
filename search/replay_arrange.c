/* A recording in the form that its search space gives it. */
#include "search/replay.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ht_recorded_value value_of(const ht_dimension *dimension, size_t v) {
    double number = dimension->numbers[v];
    bool ordinal = dimension->kind == HT_PARAM_ENUMERATION || dimension->kind == HT_PARAM_TYPE;
    ht_recorded_kind kind = ordinal ? HT_RECORDED_TEXT : HT_RECORDED_REAL;
    if (dimension->kind == HT_PARAM_BOOLEAN)
        kind = HT_RECORDED_BOOLEAN;
    else if (!ordinal && number == floor(number) && fabs(number) < 1e15)
        kind = HT_RECORDED_INTEGER;
    bool whole = kind == HT_RECORDED_INTEGER || kind == HT_RECORDED_BOOLEAN;
    return (ht_recorded_value){kind, whole ? (int64_t)number : 0, ordinal ? 0 : number,
                               (char *)dimension->texts[v]};
}

static size_t parameter_named(const ht_recording *recording, const char *name) {
    size_t p = 0;
    while (p < recording->parameter_count && strcmp(recording->parameters[p].name, name) != 0)
        ++p;
    return p;
}

void ht_replay_arrange(const ht_space *space, ht_recording *recording) {
    size_t width = recording->parameter_count, from[HT_PARAM_MAX];
    ht_recorded_parameter *parameters = ht_alloc(width, sizeof *parameters);
    for (size_t d = 0; d < width; ++d) {
        const ht_dimension *dimension = ht_space_dimension(space, d);
        from[d] = parameter_named(recording, dimension->name);
        parameters[d] = recording->parameters[from[d]];
    }
    for (size_t r = 0; r < recording->record_count; ++r) {
        uint16_t row[HT_PARAM_MAX];
        for (size_t d = 0; d < width; ++d)
            row[d] = recording->choices[r * width + from[d]];
        memcpy(recording->choices + r * width, row, width * sizeof *row);
    }
    free(recording->parameters);
    recording->parameters = parameters;
    for (size_t d = 0; d < width; ++d)
        for (size_t v = 0; v < ht_space_dimension(space, d)->value_count; ++v) {
            ht_recorded_value value = value_of(ht_space_dimension(space, d), v);
            ht_recording_value(recording, d, &value);
        }
}
