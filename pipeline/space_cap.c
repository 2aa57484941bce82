/* Spaces that a search can handle. */
#include "pipeline/ablation.h"

#include "base/memory.h"
#include "refactor/plan/searched.h"
#include "refactor/transformations/transformations.h"

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

enum { GIVEN_UP_MAX = 64 };

/* Parameters of a transformation that are given up together. */
typedef struct given_up {
    const char *transformation;
    ht_drop drop;
} given_up;

/* Lists what transformations give up of spaces that are too large, in order. */
static size_t given_up_list(given_up out_list[GIVEN_UP_MAX]) {
    size_t count = 0;
    const char *name;
    const ht_searched *searched;
    for (size_t i = 0; (searched = ht_searched_at(i, &name)) != NULL; ++i)
        for (size_t k = 0; k < HT_DROPS && searched->drops[k].rank && count < GIVEN_UP_MAX; ++k) {
            size_t at = count++;
            for (; at > 0 && out_list[at - 1].drop.rank > searched->drops[k].rank; --at)
                out_list[at] = out_list[at - 1];
            out_list[at] = (given_up){name, searched->drops[k]};
        }
    return count;
}

static bool is_next(const ht_param *param, const given_up *step) {
    const char *prefix = step->drop.prefix;
    return ht_param_is_from(param, step->transformation) &&
           (!prefix || strncmp(param->name, prefix, strlen(prefix)) == 0);
}

typedef struct capping {
    const ht_binding *binding;
    bool fixed[HT_PARAM_MAX];
    ht_template *template; /* the binding's with those fixed; NULL: none are */
    ht_space *space;       /* of that one */
} capping;

/* Marks the parameters that the step names as fixed; returns their names, "" for no names. */
static ht_text mark(const ht_template *template, const given_up *step, bool *fixed) {
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
static void fix(capping *in, const given_up *step, ht_text *dropped) {
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

/* Fixes what is idle. On the host there are no registers to share out between threads, and what
 * threads that run one after the other read lies in the same cache, whichever of them make a
 * block. */
static void idle_fix(capping *in, const given_up *list, size_t count, ht_text *dropped) {
    for (size_t i = 0; i < count; ++i)
        if (!list[i].drop.prefix && ht_searched_of(list[i].transformation)->idle_emulated)
            fix(in, &list[i], dropped);
}

/* Builds the space where there is none yet, or no longer. */
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
    given_up list[GIVEN_UP_MAX];
    size_t count = given_up_list(list);
    if (emulated)
        idle_fix(&in, list, count, &out_cut->idle);
    ht_status status = build(&in, error);
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        if (ht_space_count(in.space) <= most)
            break;
        fix(&in, &list[i], &out_cut->too_large);
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
