/* Spaces that a search can handle. */
#include "pipeline/ablation.h"

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
    {"thread-order", NULL},
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

/* On the host: there are no registers to share out between threads, and what threads that run one
 * after the other read lies in the same cache, whichever of them make a block. */
static const struct order idle[] = {
    {"waves-per-eu", NULL}, {"launch-bounds", NULL}, {"thread-order", NULL}};

static bool is_next(const ht_param *param, const struct order *step) {
    return ht_param_is_from(param, step->origin) &&
           (!step->prefix || strncmp(param->name, step->prefix, strlen(step->prefix)) == 0);
}

typedef struct capping {
    const ht_binding *binding;
    bool fixed[HT_PARAM_MAX];
    ht_template *template; /* the binding's with those fixed; NULL: none are */
    ht_space *space;       /* of that one */
} capping;

/* Marks what the step names as fixed; their names, "" when there are none. */
static ht_text mark(const ht_template *template, const struct order *step, bool *fixed) {
    ht_text names = {0};
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        if (fixed[i] || param->value_count == 1 || !is_next(param, step))
            continue;
        fixed[i] = true;
        ht_text_printf(&names, names.length ? ", %s" : "%s", param->name);
    }
    return names;
}

/* Fixes what the step names, as long as the template has room for as many constraints; the space of
 * the template before is gone then. */
static void fix(capping *in, const struct order *step, ht_text *dropped) {
    bool fixed[HT_PARAM_MAX];
    memcpy(fixed, in->fixed, sizeof fixed);
    ht_text names = mark(in->binding->template, step, fixed);
    ht_template *smaller = names.length ? ht_template_fix(in->binding->template, fixed) : NULL;
    if (smaller) {
        ht_space_free(in->space);
        in->space = NULL;
        if (in->template)
            ht_template_free(in->template, 1);
        in->template = smaller;
        memcpy(in->fixed, fixed, sizeof fixed);
        ht_text_printf(dropped, dropped->length ? ", %s" : "%s", names.data);
    }
    ht_text_free(&names);
}

/* Where there is none yet, or no longer. */
static ht_status build(capping *in, ht_error *error) {
    ht_binding bound = *in->binding;
    if (in->template)
        bound.template = in->template;
    return in->space ? HT_OK : ht_space_build(&bound, 0, &in->space, error);
}

ht_status ht_space_cap(const ht_binding *binding, bool emulated, uint64_t most,
                       ht_template **out_template, ht_space **out_space, ht_space_cut *out_cut,
                       ht_error *error) {
    capping in = {.binding = binding};
    *out_cut = (ht_space_cut){0};
    for (size_t i = 0; emulated && i < sizeof idle / sizeof *idle; ++i)
        fix(&in, &idle[i], &out_cut->idle);
    ht_status status = build(&in, error);
    for (size_t i = 0; i < sizeof order / sizeof *order && status == HT_OK; ++i) {
        if (ht_space_count(in.space) <= most)
            break;
        fix(&in, &order[i], &out_cut->too_large);
        status = build(&in, error);
    }
    *out_template = in.template;
    *out_space = in.space;
    return status;
}

void ht_space_cut_free(ht_space_cut *cut) {
    ht_text_free(&cut->idle);
    ht_text_free(&cut->too_large);
}
