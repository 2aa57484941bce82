/* Spaces that a search can handle. */
#include "cli/ablation.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

ht_template *ht_template_fix(const ht_template *template, const bool *fixed) {
    ht_template *copy = ht_template_copy(template);
    /* A copy has room for what it holds and no more. */
    copy->requires = ht_realloc(copy->requires, copy->require_count + copy->param_count + 1,
                                sizeof *copy->requires);
    for (size_t i = 0; i < copy->param_count; ++i) {
        const ht_param *param = &copy->params[i];
        if (!fixed[i] || param->value_count == 1)
            continue;
        char *text =
            ht_format("%s == %" PRId64, param->name, param->values[param->default_index].number);
        ht_error error = {0};
        ht_expr *expr = NULL;
        bool room = copy->require_count < HT_REQUIRE_MAX;
        bool parsed = room && ht_expr_parse(text, (ht_place){0}, &expr, &error) == HT_OK;
        free(text);
        if (!parsed) {
            ht_template_free(copy, 1);
            return NULL;
        }
        copy->requires[copy->require_count++] = (ht_require){expr};
    }
    return copy;
}

/* What is given up first. A prefix of the parameter's name, or all of a transformation. */
static const struct order {
    const char *origin, *prefix; /* NULL: any */
} order[] = {
    {"waves-per-eu", NULL},
    {"launch-bounds", NULL},
    {NULL, "PAD_"},
    {"restrict", NULL},
    {"coarsen-x", "COARSEN_X_STRIDED"},
    {"coarsen-yz", "COARSEN_Y_STRIDED"},
    {"coarsen-yz", "COARSEN_Z"},
    {"unroll", NULL},
    {NULL, "BUFFERS_"},
    {NULL, "CHUNK_"},
    {"vector-width", NULL},
    {"grid-order", NULL},
    {"inner-path", NULL},
    {"lds-stage", NULL},
    {"stream-window", NULL},
    {"loop-order", "STRIP_"},
    {"loop-order", NULL},
    {"coarsen-yz", NULL},
    {"fixed-sizes", NULL},
    {"coarsen-x", NULL},
};

static bool is_next(const ht_param *param, const struct order *step) {
    return param->origin && (!step->origin || strcmp(param->origin, step->origin) == 0) &&
           (!step->prefix || strncmp(param->name, step->prefix, strlen(step->prefix)) == 0);
}

/* Fixes what the step names; how many parameters that is. */
static size_t fix(const ht_template *template, const struct order *step, bool *fixed,
                  ht_text *dropped) {
    size_t count = 0;
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        if (fixed[i] || param->value_count == 1 || !is_next(param, step))
            continue;
        fixed[i] = true;
        ++count;
        ht_text_printf(dropped, dropped->length ? ", %s" : "%s", param->name);
    }
    return count;
}

/* Builds the space with what is fixed so far, in place of the one before. */
static ht_status rebuild(const ht_binding *binding, const bool *fixed, ht_template **template,
                         ht_space **space, ht_error *error) {
    ht_template *smaller = ht_template_fix(binding->template, fixed);
    if (!smaller) /* too many constraints: as it is */
        return *space ? HT_OK : ht_space_build(binding, 0, space, error);
    ht_space_free(*space);
    *space = NULL;
    if (*template)
        ht_template_free(*template, 1);
    *template = smaller;
    ht_binding bound = *binding;
    bound.template = smaller;
    return ht_space_build(&bound, 0, space, error);
}

/* On the host: there are no registers to share out between threads. */
static const struct order idle[] = {{"waves-per-eu", NULL}, {"launch-bounds", NULL}};

static ht_status build_first(const ht_binding *binding, bool emulated, bool *fixed,
                             ht_template **template, ht_space **space, ht_space_cut *cut,
                             ht_error *error) {
    size_t count = 0;
    for (size_t i = 0; emulated && i < sizeof idle / sizeof *idle; ++i)
        count += fix(binding->template, &idle[i], fixed, &cut->idle);
    return count ? rebuild(binding, fixed, template, space, error)
                 : ht_space_build(binding, 0, space, error);
}

ht_status ht_space_cap(const ht_binding *binding, bool emulated, uint64_t most,
                       ht_template **out_template, ht_space **out_space, ht_space_cut *out_cut,
                       ht_error *error) {
    bool fixed[HT_PARAM_MAX] = {false};
    *out_template = NULL;
    *out_space = NULL;
    *out_cut = (ht_space_cut){0};
    ht_status status =
        build_first(binding, emulated, fixed, out_template, out_space, out_cut, error);
    for (size_t i = 0; i < sizeof order / sizeof *order && status == HT_OK; ++i) {
        if (ht_space_count(*out_space) <= most)
            break;
        if (fix(binding->template, &order[i], fixed, &out_cut->too_large))
            status = rebuild(binding, fixed, out_template, out_space, error);
    }
    return status;
}

void ht_space_cut_free(ht_space_cut *cut) {
    ht_text_free(&cut->idle);
    ht_text_free(&cut->too_large);
}
