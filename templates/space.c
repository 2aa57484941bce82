#include "templates/space.h"
#include "templates/space_build.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct ht_space {
    ht_binding binding;
    ht_space_rows rows;
    uint64_t cartesian;
};

static uint64_t cartesian_of(const ht_template *template) {
    uint64_t product = 1;
    for (size_t i = 0; i < template->param_count; ++i)
        if (__builtin_mul_overflow(product, (uint64_t)template->params[i].value_count, &product))
            return UINT64_MAX;
    return product;
}

ht_status ht_space_build(const ht_binding *binding, uint64_t max_legal, ht_space **out_space,
                         ht_error *error) {
    ht_space_rows rows;
    ht_status status = ht_space_enumerate(binding, max_legal, &rows, error);
    if (status != HT_OK)
        return status;
    ht_space *space = ht_alloc(1, sizeof *space);
    space->binding = *binding;
    space->rows = rows;
    space->cartesian = cartesian_of(binding->template);
    *out_space = space;
    return HT_OK;
}

void ht_space_free(ht_space *space) {
    if (!space)
        return;
    free(space->rows.data);
    free(space);
}

const ht_binding *ht_space_binding(const ht_space *space) {
    return &space->binding;
}

uint64_t ht_space_count(const ht_space *space) {
    return space->rows.count;
}

uint64_t ht_space_cartesian(const ht_space *space) {
    return space->cartesian;
}

ht_config ht_space_at(const ht_space *space, uint64_t index) {
    const ht_template *template = space->binding.template;
    const unsigned char *row = space->rows.data + index * space->rows.width;
    ht_config config = {.count = (uint16_t)template->param_count};
    for (size_t i = 0; i < template->param_count; ++i) {
        if (template->params[i].value_count > 256)
            config.choice[i] = (uint16_t)(*row++ << 8);
        config.choice[i] = (uint16_t)(config.choice[i] | *row++);
    }
    return config;
}

bool ht_space_find(const ht_space *space, const ht_config *config, uint64_t *out_index) {
    const ht_template *template = space->binding.template;
    unsigned char row[2 * HT_PARAM_MAX];
    uint64_t low = 0, high = space->rows.count;
    if (config->count != template->param_count)
        return false;
    for (size_t i = 0; i < template->param_count; ++i)
        if (config->choice[i] >= template->params[i].value_count)
            return false;
    ht_space_pack(template, config, row);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int order = memcmp(space->rows.data + middle * space->rows.width, row, space->rows.width);
        if (order == 0) {
            *out_index = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

ht_config ht_space_sample(const ht_space *space, ht_random *random) {
    return ht_space_at(space, ht_random_below(random, space->rows.count));
}
