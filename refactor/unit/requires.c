#include "refactor/unit/requires.h"
#include "base/memory.h"
#include "templates/bind.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COMBINATIONS_MAX = 1 << 16 };

/* The parameters that an expression names. */
typedef struct naming {
    const ht_template *template;
    bool named[HT_PARAM_MAX];
    bool others; /* it names arguments, sizes or the device too */
} naming;

static void name_note(void *context, const char *name) {
    naming *in = context;
    for (size_t i = 0; i < in->template->param_count; ++i)
        if (strcmp(in->template->params[i].name, name) == 0) {
            in->named[i] = true;
            return;
        }
    for (size_t i = 0; i < in->template->param_count; ++i)
        for (size_t k = 0; k < in->template->params[i].value_count; ++k) {
            const char *text = in->template->params[i].values[k].text;
            if (text && strcmp(text, name) == 0)
                return; /* an enumerator */
        }
    in->others = true;
}

static naming names_of(const ht_template *template, const ht_expr *expr) {
    naming in = {.template = template};
    ht_expr_names(expr, name_note, &in);
    return in;
}

size_t ht_require_last(const ht_template *template, const ht_expr *expr) {
    naming in = names_of(template, expr);
    for (size_t i = template->param_count; i-- > 0;)
        if (in.named[i])
            return i;
    return SIZE_MAX;
}

/* Returns true if the parameters of one are among those of the other. */
static bool is_within(const naming *one, const naming *other) {
    for (size_t i = 0; i < HT_PARAM_MAX; ++i)
        if (one->named[i] && !other->named[i])
            return false;
    return !one->others;
}

/* Moves to the next combination of the named parameters' values; false after the last. */
static bool advance(const naming *in, ht_config *config) {
    for (size_t i = 0; i < in->template->param_count; ++i) {
        if (!in->named[i])
            continue;
        if (++config->choice[i] < in->template->params[i].value_count)
            return true;
        config->choice[i] = 0;
    }
    return false;
}

static size_t combinations(const naming *in) {
    size_t count = 1;
    for (size_t i = 0; i < in->template->param_count && count <= COMBINATIONS_MAX; ++i)
        if (in->named[i])
            count *= in->template->params[i].value_count;
    return count;
}

/* Returns true if the constraint holds wherever those in front of it do that name nothing else. One
 * that has no value somewhere does not. */
static bool is_implied(const ht_template *template, size_t index, const naming *all) {
    const ht_device_fields device = {0};
    const ht_binding binding = {template, NULL, &device};
    ht_config config = ht_config_default(template);
    if (all[index].others || combinations(&all[index]) > COMBINATIONS_MAX)
        return false;
    for (size_t i = 0; i < template->param_count; ++i)
        if (all[index].named[i])
            config.choice[i] = 0;
    do {
        bool legal = true;
        int64_t value = 0;
        for (size_t i = 0; i < index && legal; ++i)
            if (is_within(&all[i], &all[index]))
                legal = ht_binding_evaluate(&binding, &config, template->requires[i].expr, &value,
                                            NULL) != HT_OK ||
                        value != 0;
        if (ht_binding_evaluate(&binding, &config, template->requires[index].expr, &value, NULL) !=
                HT_OK ||
            (legal && value == 0))
            return false;
    } while (advance(&all[index], &config));
    return true;
}

static void order(ht_template *template) {
    ht_require *sorted = ht_alloc(template->require_count + 1, sizeof *sorted);
    size_t count = 0;
    for (size_t last = 0; last <= template->param_count; ++last)
        for (size_t i = 0; i < template->require_count; ++i) {
            size_t own = ht_require_last(template, template->requires[i].expr);
            if (own == last || (own == SIZE_MAX && last == template->param_count))
                sorted[count++] = template->requires[i];
        }
    free(template->requires);
    template->requires = sorted;
}

void ht_requires_simplify(ht_template *template) {
    order(template);
    naming *all = ht_alloc(template->require_count + 1, sizeof *all);
    for (size_t i = 0; i < template->require_count; ++i)
        all[i] = names_of(template, template->requires[i].expr);
    for (size_t i = 0; i < template->require_count;) {
        if (!is_implied(template, i, all)) {
            ++i;
            continue;
        }
        ht_expr_free(template->requires[i].expr);
        --template->require_count;
        for (size_t k = i; k < template->require_count; ++k) {
            template->requires[k] = template->requires[k + 1];
            all[k] = all[k + 1];
        }
    }
    free(all);
}
