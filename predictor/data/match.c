#include "predictor/data/match.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const char device_prefix[] = "device_"; /* as ht_schema_from_template writes it */

struct ht_match {
    const ht_schema *schema;
    const ht_template *template;
    size_t params[HT_PARAM_MAX];     /* the template's, of each of the schema's */
    uint16_t *values[HT_PARAM_MAX];  /* the template's value, of each of the schema's; owned */
    uint16_t *choices[HT_PARAM_MAX]; /* the schema's value + 1, of each of the template's, 0 for
                                        none; owned */
};

static int param_find(const ht_template *template, const char *name) {
    for (size_t i = 0; i < template->param_count; ++i) {
        if (strcmp(template->params[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

static bool same_value(const ht_param *param, const ht_param_value *a, const ht_param_value *b) {
    bool number = param->kind == HT_PARAM_INTEGER || param->kind == HT_PARAM_BOOLEAN;
    return number ? a->number == b->number : strcmp(a->text, b->text) == 0;
}

static ht_status param_match(ht_match *match, size_t index, ht_error *error) {
    const ht_param *ours = &match->schema->params[index];
    int found = param_find(match->template, ours->name);
    if (found < 0)
        return ht_error_set(error, HT_ERROR_INPUT, "the template has no parameter %s", ours->name);
    const ht_param *theirs = &match->template->params[found];
    if (theirs->kind != ours->kind)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "parameter %s is of another kind in the template", ours->name);
    match->params[index] = (size_t)found;
    match->values[index] = ht_alloc(ours->value_count, sizeof(uint16_t));
    match->choices[index] = ht_alloc(theirs->value_count, sizeof(uint16_t));
    for (size_t v = 0; v < ours->value_count; ++v) {
        size_t at = 0;
        while (at < theirs->value_count && !same_value(ours, &ours->values[v], &theirs->values[at]))
            ++at;
        if (at == theirs->value_count)
            return ht_error_set(error, HT_ERROR_INPUT,
                                "the template's parameter %s has no value %s", ours->name,
                                ours->values[v].text);
        match->values[index][v] = (uint16_t)at;
        match->choices[index][at] = (uint16_t)(v + 1);
    }
    return HT_OK;
}

/* Returns true if a problem of the template, or a device, has a value for this field. */
static bool field_known(const ht_template *template, const char *name) {
    for (size_t i = 0; i < template->problem.field_count; ++i) {
        if (strcmp(template->problem.fields[i].name, name) == 0)
            return true;
    }
    size_t prefix = strlen(device_prefix);
    int64_t unused;
    return strncmp(name, device_prefix, prefix) == 0 &&
           ht_device_field_get(NULL, name + prefix, &unused);
}

ht_status ht_match_make(const ht_schema *schema, const ht_template *template_, ht_match **out_match,
                        ht_error *error) {
    ht_match *match = ht_alloc(1, sizeof *match);
    match->schema = schema;
    match->template = template_;
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < schema->param_count; ++i)
        status = param_match(match, i, error);
    for (size_t i = 0; status == HT_OK && i < template_->param_count; ++i) {
        if (ht_schema_param_index(schema, template_->params[i].name) < 0)
            status = ht_error_set(error, HT_ERROR_INPUT, "the model knows no parameter %s",
                                  template_->params[i].name);
    }
    for (size_t i = 0; status == HT_OK && i < schema->field_count; ++i) {
        if (!field_known(template_, schema->fields[i].name))
            status = ht_error_set(error, HT_ERROR_INPUT, "the template's problem has no field %s",
                                  schema->fields[i].name);
    }
    if (status == HT_OK)
        *out_match = match;
    else
        ht_match_free(match);
    return status;
}

void ht_match_free(ht_match *match) {
    if (!match)
        return;
    for (size_t i = 0; i < HT_PARAM_MAX; ++i) {
        free(match->values[i]);
        free(match->choices[i]);
    }
    free(match);
}

ht_config ht_match_config(const ht_match *match, const uint16_t *choice) {
    ht_config config = {.count = (uint16_t)match->template->param_count};
    for (size_t i = 0; i < match->schema->param_count; ++i)
        config.choice[match->params[i]] = match->values[i][choice[i]];
    return config;
}

bool ht_match_choice(const ht_match *match, const ht_config *config, uint16_t *out_choice) {
    for (size_t i = 0; i < match->schema->param_count; ++i) {
        uint16_t found = match->choices[i][config->choice[match->params[i]]];
        if (!found)
            return false;
        out_choice[i] = (uint16_t)(found - 1);
    }
    return true;
}

ht_status ht_match_fields(const ht_match *match, const ht_problem *problem,
                          const ht_device_fields *device, int64_t *out_fields, ht_error *error) {
    for (size_t i = 0; i < match->schema->field_count; ++i) {
        const char *name = match->schema->fields[i].name;
        size_t prefix = strlen(device_prefix);
        bool machine = strncmp(name, device_prefix, prefix) == 0;
        bool found = ht_problem_get(problem, name, &out_fields[i]) ||
                     (machine && ht_device_field_get(device, name + prefix, &out_fields[i]));
        if (!found)
            return ht_error_set(error, HT_ERROR_INPUT, "the problem has no field %s", name);
    }
    return HT_OK;
}
