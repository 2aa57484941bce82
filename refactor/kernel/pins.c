#include "refactor/kernel/pins.h"

#include "base/memory.h"
#include "refactor/source/conditional.h"

#include <stdlib.h>

void ht_pin_add(ht_model *model, ht_pin_origin origin, unsigned what, size_t file, size_t offset,
                char *words) {
    ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->pins.count; ++i)
        what &= facts->pins.items[i].origin == origin ? ~facts->pins.items[i].what : ~0U;
    if (!what) {
        free(words);
        return;
    }
    HT_GROW(facts->pins.items, facts->pins.count);
    facts->pins.items[facts->pins.count++] = (ht_pin){
        .what = what,
        .origin = origin,
        .file = file,
        .line = ht_source_line(facts->source, file, offset),
        .words = words,
    };
}

const ht_pin *ht_pin_find(const ht_model *model, unsigned what) {
    for (size_t i = 0; i < model->facts->pins.count; ++i)
        if (model->facts->pins.items[i].what & what)
            return &model->facts->pins.items[i];
    return NULL;
}

const ht_pin *ht_pin_find_of(const ht_model *model, ht_pin_origin origin, unsigned what) {
    for (size_t i = 0; i < model->facts->pins.count; ++i) {
        const ht_pin *pin = &model->facts->pins.items[i];
        if (pin->origin == origin && pin->what & what)
            return pin;
    }
    return NULL;
}

void ht_pins_free(ht_kernel_facts *facts) {
    for (size_t i = 0; i < facts->pins.count; ++i)
        free(facts->pins.items[i].words);
    free(facts->pins.items);
    facts->pins.items = NULL;
    facts->pins.count = 0;
}
