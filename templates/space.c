#include "templates/space.h"
#include "templates/space_build.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct ht_space {
    ht_binding binding;
    ht_space_rows rows;
    uint64_t cartesian;
    ht_dimension *dimensions;
    size_t dimension_count;
};

static void dimensions_fill(ht_space *space, const ht_template *template) {
    space->dimension_count = template->param_count;
    space->dimensions = ht_alloc(space->dimension_count + 1, sizeof *space->dimensions);
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        double *numbers = ht_alloc(param->value_count, sizeof *numbers);
        const char **texts = ht_alloc(param->value_count, sizeof *texts);
        for (size_t v = 0; v < param->value_count; ++v) {
            numbers[v] = (double)param->values[v].number;
            texts[v] = param->values[v].text;
        }
        space->dimensions[i] = (ht_dimension){.name = param->name,
                                              .kind = param->kind,
                                              .value_count = param->value_count,
                                              .numbers = numbers,
                                              .texts = texts,
                                              .default_index = param->default_index};
    }
}

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
    dimensions_fill(space, binding->template);
    *out_space = space;
    return HT_OK;
}

void ht_space_free(ht_space *space) {
    if (!space)
        return;
    for (size_t i = 0; i < space->dimension_count; ++i) {
        free((void *)space->dimensions[i].numbers);
        free((void *)space->dimensions[i].texts);
    }
    free(space->dimensions);
    free(space->rows.data);
    free(space);
}

ht_status ht_space_read_t1(const char *path, uint64_t max_legal, ht_space **out_space,
                           ht_error *error) {
    (void)max_legal;
    *out_space = NULL;
    return ht_error_set_at(error, HT_ERROR_UNSUPPORTED, path, 0, 0, "T1 files are not read yet");
}

size_t ht_space_dimension_count(const ht_space *space) {
    return space->dimension_count;
}

const ht_dimension *ht_space_dimension(const ht_space *space, size_t index) {
    return &space->dimensions[index];
}

bool ht_space_listed(const ht_space *space) {
    (void)space;
    return true;
}

bool ht_space_legal(const ht_space *space, const ht_config *config) {
    uint64_t index;
    return ht_space_find(space, config, &index);
}

static bool is_step(const ht_dimension *dimension, ht_neighbourhood kind, size_t from, size_t to) {
    bool ordered = dimension->kind == HT_PARAM_INTEGER || dimension->kind == HT_PARAM_BOOLEAN;
    return from != to &&
           (kind == HT_NEIGHBOURS_HAMMING || !ordered || from + 1 == to || to + 1 == from);
}

size_t ht_space_neighbours(const ht_space *space, const ht_config *config, ht_neighbourhood kind,
                           ht_config *out_configs, size_t room) {
    size_t count = 0;
    ht_config near = *config;
    for (size_t i = 0; i < space->dimension_count; ++i) {
        for (size_t v = 0; v < space->dimensions[i].value_count; ++v) {
            near.choice[i] = (uint16_t)v;
            if (!is_step(&space->dimensions[i], kind, config->choice[i], v) ||
                !ht_space_legal(space, &near))
                continue;
            if (count < room)
                out_configs[count] = near;
            ++count;
        }
        near.choice[i] = config->choice[i];
    }
    return count;
}

size_t ht_space_term_count(const ht_space *space) {
    (void)space;
    return 0;
}

const char *ht_space_term_text(const ht_space *space, size_t term) {
    (void)space;
    (void)term;
    return NULL;
}

bool ht_space_term(const ht_space *space, size_t term, const ht_config *config, double *out_value) {
    (void)space;
    (void)term;
    (void)config;
    (void)out_value;
    return false;
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
