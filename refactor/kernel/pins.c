#include "refactor/kernel/pins.h"

#include "base/memory.h"
#include "refactor/source/conditional.h"

#include <stdlib.h>

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

const ht_pin *ht_pin_find(const ht_model *model, unsigned what) {
    for (size_t i = 0; i < model->facts->pin_count; ++i)
        if (model->facts->pins[i].what & what)
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
