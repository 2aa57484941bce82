#include "templates/space/space_internal.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEGAL_MAX = 4000000,
    DECLARED_WORK = 4000000, /* values tried in declared order before another order is looked for */
    ORDERED_WORK = 16000000,
    RELAXED_WORK = 1000000
};

static uint64_t cartesian_of(const ht_space_model *model) {
    uint64_t product = 1;
    for (size_t i = 0; i < model->dimension_count; ++i)
        if (__builtin_mul_overflow(product, (uint64_t)model->dimensions[i].value_count, &product))
            return UINT64_MAX;
    return product;
}

/* Reports the error of a constraint that cannot be evaluated for a configuration. */
static ht_status fail_at(const ht_space *space, const ht_config *config, ht_error *error) {
    const ht_space_model *model = &space->model;
    if (space->binding.template) {
        bool legal;
        ht_status status = ht_binding_legal(&space->binding, config, &legal, NULL, error);
        if (status != HT_OK)
            return status; /* it says more: where, and of which numbers */
    }
    ht_text text = {0};
    for (size_t i = 0; i < model->dimension_count; ++i)
        ht_text_printf(&text, "%s%s=%s", i ? " " : "", model->dimensions[i].name,
                       model->dimensions[i].texts[config->choice[i]]);
    ht_fault fault = HT_FAULT_NONE;
    const char *which = "a constraint";
    for (size_t i = 0; !fault && i < space->constraints.count; ++i) {
        const ht_space_constraint *constraint = &space->constraints.items[i];
        ht_number value;
        for (size_t k = 0; !fault && k < constraint->condition_count; ++k) {
            fault = ht_routine_value(constraint->routine, config->choice, k, &value);
            which = model->sources[model->conditions[constraint->conditions[k]].source].text;
        }
    }
    ht_status status =
        ht_error_set_at(error, HT_ERROR_INPUT, model->place.file, model->place.line, 0,
                        "%s cannot be evaluated for %s: %s", which,
                        text.data ? text.data : "no parameters", ht_fault_text(fault));
    ht_text_free(&text);
    return status;
}

/* Orders by parameters, most first: those constraints make a diagram large. */
static int by_size(const void *a, const void *b) {
    const ht_space_constraint *const *x = a, *const *y = b;
    size_t left = (*x)->table ? (*x)->scope_count : SIZE_MAX;
    size_t right = (*y)->table ? (*y)->scope_count : SIZE_MAX;
    return (left < right) - (left > right);
}

/* Builds a diagram of as many constraints as the allowed work bears; the others are left to
 * ht_space_legal. */
static void relax(ht_space *space, const ht_space_constraint **all, size_t count) {
    uint32_t order[HT_PARAM_MAX];
    ht_config config;
    qsort((void *)all, count, sizeof *all, by_size);
    size_t dropped = 0;
    while (dropped < count && !all[dropped]->table)
        ++dropped;
    for (;; dropped += (count - dropped + 1) / 2) {
        ht_space_order(&space->model, all + dropped, count - dropped, order);
        ht_diagram_request request = {.model = &space->model,
                                      .constraints = all + dropped,
                                      .constraint_count = count - dropped,
                                      .order = order,
                                      .work = dropped < count ? RELAXED_WORK : UINT64_MAX,
                                      .faults_reject = true};
        if (ht_diagram_make(&request, &space->diagram, &config) == HT_DIAGRAM_DONE)
            return;
    }
}

static ht_status finish_relaxed(ht_space *space, const ht_space_constraint **all, size_t count,
                                const uint32_t *order, ht_error *error) {
    relax(space, all, count);
    if (space->diagram.root == 0)
        return ht_space_explain_empty(&space->model, order, error);
    if (ht_space_sample_prepare(space))
        return HT_OK;
    const ht_place *place = &space->model.place;
    return ht_error_set_at(error, HT_ERROR_INPUT, place->file, place->line, 0,
                           "no legal configuration of %s was found among very many: give "
                           "constraints that see fewer parameters, or fewer values",
                           space->model.subject);
}

/* Finishes an exact diagram. Counts over 2^63 rows of memory are not listed, whatever is asked
 * for. */
static void finish_exact(ht_space *space, uint64_t max_legal, bool declared) {
    uint64_t count = ht_diagram_count(&space->diagram);
    space->exact = true;
    space->listed = count <= (max_legal ? max_legal : LEGAL_MAX) && count != UINT64_MAX;
    if (!space->listed || declared)
        return;
    ht_diagram in_order;
    ht_diagram_reorder(&space->diagram, &space->model, &in_order);
    ht_diagram_free(&space->diagram);
    space->diagram = in_order;
}

static ht_status construct(ht_space *space, uint64_t max_legal, ht_error *error) {
    size_t count = space->constraints.count;
    const ht_space_constraint **all = ht_alloc(count, sizeof *all);
    uint32_t order[HT_PARAM_MAX];
    ht_config config;
    for (size_t i = 0; i < count; ++i)
        all[i] = &space->constraints.items[i];
    for (size_t i = 0; i < space->model.dimension_count; ++i)
        order[i] = (uint32_t)i;
    ht_diagram_request request = {.model = &space->model,
                                  .constraints = all,
                                  .constraint_count = count,
                                  .order = order,
                                  .work = DECLARED_WORK};
    bool declared = true;
    ht_diagram_end end = ht_diagram_make(&request, &space->diagram, &config);
    if (end == HT_DIAGRAM_TOO_LARGE) {
        declared = false;
        ht_space_order(&space->model, all, count, order);
        request.work = ORDERED_WORK;
        end = ht_diagram_make(&request, &space->diagram, &config);
    }
    ht_status status = HT_OK;
    if (end == HT_DIAGRAM_FAULT)
        status = fail_at(space, &config, error);
    else if (end == HT_DIAGRAM_TOO_LARGE)
        status = finish_relaxed(space, all, count, order, error);
    else if (space->diagram.root == 0)
        status = ht_space_explain_empty(&space->model, order, error);
    else
        finish_exact(space, max_legal, declared);
    free((void *)all);
    return status;
}

ht_status ht_space_from_model(const ht_space_model *model, const ht_binding *binding,
                              uint64_t max_legal, ht_space **out_space, ht_error *error) {
    ht_space *space = ht_alloc(1, sizeof *space);
    space->model = *model;
    if (binding)
        space->binding = *binding;
    space->cartesian = cartesian_of(model);
    ht_space_constraints_make(&space->model, false, &space->constraints);
    ht_status status = construct(space, max_legal, error);
    *out_space = status == HT_OK ? space : NULL;
    if (status != HT_OK)
        ht_space_free(space);
    return status;
}

ht_status ht_space_build(const ht_binding *binding, uint64_t max_legal, ht_space **out_space,
                         ht_error *error) {
    ht_space_model model;
    ht_space_model_template(binding, &model);
    return ht_space_from_model(&model, binding, max_legal, out_space, error);
}

ht_status ht_space_parse_t1(const char *text, const char *file, uint64_t max_legal,
                            ht_space **out_space, ht_error *error) {
    ht_space_model model;
    *out_space = NULL;
    ht_status status = ht_space_model_t1(text, file, &model, error);
    if (status == HT_OK)
        status = ht_space_from_model(&model, NULL, max_legal, out_space, error);
    return status;
}

ht_status ht_space_read_t1(const char *path, uint64_t max_legal, ht_space **out_space,
                           ht_error *error) {
    char *text = NULL;
    *out_space = NULL;
    ht_status status = ht_file_read(path, 0, &text, NULL, error);
    if (status == HT_OK)
        status = ht_space_parse_t1(text, path, max_legal, out_space, error);
    free(text);
    return status;
}

void ht_space_free(ht_space *space) {
    if (!space)
        return;
    ht_diagram_free(&space->diagram);
    ht_space_constraints_free(&space->constraints);
    ht_space_model_free(&space->model);
    free(space);
}

const ht_space_launch *ht_space_declared_launch(const ht_space *space) {
    return space->model.launches ? space->model.launch : NULL;
}

double ht_space_product_of(const ht_space *space, const ht_space_product *product,
                           const ht_config *config) {
    double value = product->constant;
    for (size_t i = 0; i < product->count; ++i) {
        size_t factor = product->factors[i];
        value *= space->model.dimensions[factor].numbers[config->choice[factor]];
    }
    return value;
}

const ht_binding *ht_space_binding(const ht_space *space) {
    return space->binding.template ? &space->binding : NULL;
}

size_t ht_space_dimension_count(const ht_space *space) {
    return space->model.dimension_count;
}

const ht_dimension *ht_space_dimension(const ht_space *space, size_t index) {
    return &space->model.dimensions[index];
}

bool ht_space_listed(const ht_space *space) {
    return space->listed;
}

uint64_t ht_space_count(const ht_space *space) {
    return space->exact ? ht_diagram_count(&space->diagram) : UINT64_MAX;
}

uint64_t ht_space_cartesian(const ht_space *space) {
    return space->cartesian;
}

ht_config ht_space_at(const ht_space *space, uint64_t index) {
    return ht_diagram_at(&space->diagram, index);
}

size_t ht_space_list(const ht_space *space, uint64_t first, ht_config *out_configs, size_t room) {
    return ht_diagram_list(&space->diagram, first, out_configs, room);
}

bool ht_space_find(const ht_space *space, const ht_config *config, uint64_t *out_index) {
    return ht_diagram_find(&space->diagram, config, out_index);
}

size_t ht_space_constraint_count(const ht_space *space) {
    return space->model.source_count;
}

const char *ht_space_constraint_text(const ht_space *space, size_t constraint) {
    return space->model.sources[constraint].text;
}

size_t ht_space_term_count(const ht_space *space) {
    return space->model.term_count;
}

const char *ht_space_term_text(const ht_space *space, size_t term) {
    return space->model.terms[term].text;
}

bool ht_space_term(const ht_space *space, size_t term, const ht_config *config, double *out_value) {
    const ht_space_term_entry *entry = &space->model.terms[term];
    ht_number value;
    if (ht_routine_value(entry->routine, config->choice, 0, &value) != HT_FAULT_NONE)
        return false;
    bool real = ht_code_at(space->model.code, entry->instruction)->type == HT_CODE_REAL;
    *out_value = real ? value.real : (double)value.whole;
    return true;
}
