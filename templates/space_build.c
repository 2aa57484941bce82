/* Depth-first over the parameters in declared order; a constraint is checked as soon as its last
 * parameter is bound. */
#include "templates/space_build.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Partial configurations looked at before the construction gives up: constraints that bind late can
 * hide an empty or tiny space in an endless one. */
enum { STEPS_MAX = 100000000 };

typedef struct builder {
    const ht_binding *binding;
    ht_space_constraint *constraints;
    size_t constraint_count;
    uint64_t max_legal;
    uint64_t steps;
    size_t capacity; /* rows */
    ht_space_rows rows;
    ht_config config;
    unsigned doubtful; /* constraints on the present path whose check failed to evaluate */
    ht_error *error;
} builder;

size_t ht_space_row_width(const ht_template *template) {
    size_t width = 0;
    for (size_t i = 0; i < template->param_count; ++i)
        width += template->params[i].value_count > 256 ? 2 : 1;
    return width ? width : 1;
}

void ht_space_pack(const ht_template *template, const ht_config *config, unsigned char *out_row) {
    out_row[0] = 0;
    for (size_t i = 0; i < template->param_count; ++i) {
        if (template->params[i].value_count > 256)
            *out_row++ = (unsigned char)(config->choice[i] >> 8);
        *out_row++ = (unsigned char)config->choice[i];
    }
}

static ht_status add_row(builder *b) {
    if (b->rows.count == b->max_legal)
        return ht_error_set_at(
            b->error, HT_ERROR_INPUT, b->binding->template->file, b->binding->template->line, 0,
            "kernel %s has more than %" PRIu64
            " legal configurations: add require(...) constraints or take values away",
            b->binding->template->name, b->max_legal);
    if (b->rows.count == b->capacity) {
        b->capacity = b->capacity ? b->capacity * 2 : 256;
        b->rows.data = ht_realloc(b->rows.data, b->capacity, b->rows.width);
    }
    ht_space_pack(b->binding->template, &b->config, b->rows.data + b->rows.count * b->rows.width);
    ++b->rows.count;
    return HT_OK;
}

/* Checks the constraints whose last parameter is `depth - 1`. One that cannot be evaluated here may
 * still be saved by another that fails further down, so that it only makes the path doubtful. */
static bool prefix_holds(builder *b, size_t depth) {
    for (size_t i = 0; i < b->constraint_count; ++i) {
        uint64_t params = b->constraints[i].params;
        size_t last = params ? 64 - (size_t)__builtin_clzll(params) : 0;
        bool holds;
        if (last != depth)
            continue;
        if (ht_space_constraint_holds(b->binding, &b->constraints[i], &b->config, &holds, NULL) !=
            HT_OK)
            ++b->doubtful;
        else if (!holds) {
            ++b->constraints[i].rejected;
            return false;
        }
    }
    return true;
}

static ht_status finish_leaf(builder *b) {
    bool legal = true;
    if (b->doubtful) {
        ht_status status = ht_binding_legal(b->binding, &b->config, &legal, NULL, b->error);
        if (status != HT_OK)
            return status;
    }
    return legal ? add_row(b) : HT_OK;
}

static ht_status descend(builder *b, size_t depth) {
    const ht_template *template = b->binding->template;
    unsigned doubtful = b->doubtful;
    ht_status status = HT_OK;
    if (!prefix_holds(b, depth)) {
        b->doubtful = doubtful;
        return HT_OK;
    }
    if (depth == template->param_count)
        status = finish_leaf(b);
    else
        for (size_t v = 0; status == HT_OK && v < template->params[depth].value_count; ++v) {
            if (++b->steps > STEPS_MAX)
                return ht_error_set_at(b->error, HT_ERROR_INPUT, template->file, template->line, 0,
                                       "the space of kernel %s is too large to be listed: its "
                                       "constraints bind too late. Declare parameters that are "
                                       "constrained together next to each other",
                                       template->name);
            b->config.choice[depth] = (uint16_t)v;
            status = descend(b, depth + 1);
        }
    b->doubtful = doubtful;
    return status;
}

ht_status ht_space_enumerate(const ht_binding *binding, uint64_t max_legal, ht_space_rows *out_rows,
                             ht_error *error) {
    const ht_template *template = binding->template;
    builder b = {.binding = binding, .max_legal = max_legal ? max_legal : 4000000, .error = error};
    b.config.count = (uint16_t)template->param_count;
    b.rows.width = ht_space_row_width(template);
    b.constraints = ht_space_constraints(template, &b.constraint_count);
    ht_status status = descend(&b, 0);
    if (status == HT_OK && !b.rows.count)
        status = ht_space_explain_empty(binding, b.constraints, b.constraint_count, error);
    free(b.constraints);
    if (status == HT_OK)
        *out_rows = b.rows;
    else
        free(b.rows.data);
    return status;
}
