#include "refactor/pins.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *transformation;
    unsigned stopped_by; /* of ht_pinned */
} stops[] = {
    {"block-size", HT_PINNED_PLACES | HT_PINNED_LAUNCH},
    {"launch-bounds", HT_PINNED_HEADER | HT_PINNED_LAUNCH},
    {"waves-per-eu", HT_PINNED_HEADER},
    {"restrict", HT_PINNED_HEADER | HT_PINNED_POINTERS},
    {"fixed-sizes", HT_PINNED_HEADER | HT_PINNED_LAUNCH | HT_PINNED_SIZES},
    {"coarsen-x", HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_REPEATS | HT_PINNED_FORMS},
    {"coarsen-yz", HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_REPEATS},
    {"grid-order", HT_PINNED_PLACES},
    {"register-tile", HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_REPEATS | HT_PINNED_FORMS},
    {"loop-order", HT_PINNED_PLACES | HT_PINNED_FORMS},
    {"inner-path", HT_PINNED_PLACES | HT_PINNED_FORMS},
    {"lds-stage", HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_FORMS},
    {"vector-width", HT_PINNED_PLACES | HT_PINNED_FORMS},
    {"stream-window", HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_REPEATS | HT_PINNED_FORMS},
    {"thread-order", HT_PINNED_PLACES},
};

void ht_pin_add(ht_model *model, unsigned what, size_t file, size_t offset, char *words) {
    ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->pin_count; ++i)
        what &= ~facts->pins[i].what;
    if (!what) {
        free(words);
        return;
    }
    HT_GROW(facts->pins, facts->pin_count);
    facts->pins[facts->pin_count++] = (ht_pin){
        .what = what,
        .file = file,
        .line = ht_source_line(facts->source, file, offset),
        .words = words,
    };
}

const ht_pin *ht_pin_find(const ht_model *model, const char *transformation) {
    unsigned mask = 0;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; ++i)
        if (strcmp(stops[i].transformation, transformation) == 0)
            mask = stops[i].stopped_by;
    for (size_t i = 0; i < model->facts->pin_count; ++i)
        if (model->facts->pins[i].what & mask)
            return &model->facts->pins[i];
    return NULL;
}

void ht_pins_free(ht_kernel_facts *facts) {
    for (size_t i = 0; i < facts->pin_count; ++i)
        free(facts->pins[i].words);
    free(facts->pins);
    facts->pins = NULL;
    facts->pin_count = 0;
}
