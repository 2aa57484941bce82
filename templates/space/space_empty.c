/* Why a space is empty: constraints are taken away as long as what is left has no legal
 * configuration (deletion, after Chinneck and Dravnieks 1991), first many at a time. */
#include "templates/space/space_internal.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { WORK_MAX = 4000000 };

typedef struct culprits {
    ht_space_constraints constraints; /* by source */
    const ht_space_constraint **chosen;
    const uint32_t *order;
    bool *kept; /* by source */
} culprits;

static uint32_t source_of(const ht_space_model *model, const ht_space_constraint *constraint) {
    return model->conditions[constraint->conditions[0]].source;
}

/* Returns true if the kept sources leave nothing; false also when that is too much work to find
 * out. */
static bool is_empty(culprits *c) {
    const ht_space_model *model = c->constraints.model;
    ht_diagram diagram;
    ht_config config;
    ht_diagram_request request = {.model = model,
                                  .constraints = c->chosen,
                                  .order = c->order,
                                  .work = WORK_MAX,
                                  .first_only = true};
    for (size_t i = 0; i < c->constraints.count; ++i)
        if (c->kept[source_of(model, &c->constraints.items[i])])
            c->chosen[request.constraint_count++] = &c->constraints.items[i];
    if (ht_diagram_make(&request, &diagram, &config) != HT_DIAGRAM_DONE)
        return false;
    bool empty = diagram.root == 0;
    ht_diagram_free(&diagram);
    return empty;
}

static void reduce(culprits *c, size_t count) {
    for (size_t chunk = (count + 1) / 2; chunk; chunk = chunk > 1 ? (chunk + 1) / 2 : 0)
        for (size_t low = 0; low < count; low += chunk) {
            size_t high = low + chunk < count ? low + chunk : count;
            bool *before = ht_alloc(chunk, sizeof *before);
            memcpy(before, c->kept + low, (high - low) * sizeof *before);
            memset(c->kept + low, 0, (high - low) * sizeof *before);
            if (!is_empty(c))
                memcpy(c->kept + low, before, (high - low) * sizeof *before);
            free(before);
        }
}

/* Describes the culprits: "a never holds", "a and b contradict each other", "a, b and c cannot hold
 * together". */
static void describe(const culprits *c, ht_text *out, ht_place *out_place) {
    const ht_space_model *model = c->constraints.model;
    size_t count = 0, done = 0;
    for (size_t i = 0; i < model->source_count; ++i)
        count += c->kept[i];
    for (size_t i = 0; i < model->source_count; ++i) {
        if (!c->kept[i])
            continue;
        if (!done)
            *out_place = model->sources[i].place;
        ht_text_printf(out, "%s%s",
                       !done               ? ""
                       : done + 1 == count ? " and "
                                           : ", ",
                       model->sources[i].text);
        ++done;
    }
    ht_text_append(out, count == 1   ? " never holds"
                        : count == 2 ? " contradict each other"
                                     : " cannot hold together");
}

ht_status ht_space_explain_empty(const ht_space_model *model, const uint32_t *order,
                                 ht_error *error) {
    culprits c = {.order = order};
    ht_text text = {0};
    ht_place place = model->place;
    ht_space_constraints_make(model, true, &c.constraints);
    c.chosen = ht_alloc(c.constraints.count, sizeof *c.chosen);
    c.kept = ht_alloc(model->source_count, sizeof *c.kept);
    for (size_t i = 0; i < c.constraints.count; ++i)
        c.kept[source_of(model, &c.constraints.items[i])] = true;
    reduce(&c, model->source_count);
    describe(&c, &text, &place);
    ht_status status =
        ht_error_set_at(error, HT_ERROR_INPUT, place.file, place.line, place.column,
                        "no configuration of %s is legal: %s; change what forbids them, or give "
                        "parameters other values",
                        model->subject, text.data);
    ht_text_free(&text);
    ht_space_constraints_free(&c.constraints);
    free(c.chosen);
    free(c.kept);
    return status;
}
