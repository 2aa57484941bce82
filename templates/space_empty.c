/* Why a space is empty: the smallest set of constraints, one or two, that nothing satisfies; else
 * who rejected most. */
#include "templates/space_build.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES_MAX = 200000 };

static char *describe(const ht_space_constraint *constraint) {
    if (constraint->launch)
        return ht_format("the device's limits on the launch of %s", constraint->launch->kernel);
    char *text = ht_expr_string(constraint->expr);
    int line = ht_expr_place(constraint->expr).line;
    char *words =
        line ? ht_format("require(%s) in line %d", text, line) : ht_format("require(%s)", text);
    free(text);
    return words;
}

/* Moves to the next combination of the parameters in `mask`; false after the last. */
static bool next_combination(const ht_template *template, uint64_t mask, ht_config *config) {
    for (size_t i = 0; i < template->param_count; ++i) {
        if (!(mask >> i & 1))
            continue;
        if (++config->choice[i] < template->params[i].value_count)
            return true;
        config->choice[i] = 0;
    }
    return false;
}

/* Can these constraints hold together, the others left aside? Answers true when there are too many
 * combinations to tell or one cannot be evaluated. */
static bool satisfiable(const ht_binding *binding, const ht_space_constraint *const *set,
                        size_t count) {
    ht_config config = {.count = (uint16_t)binding->template->param_count};
    uint64_t mask = 0;
    for (size_t i = 0; i < count; ++i)
        mask |= set[i]->params;
    for (size_t tries = 0; tries < TRIES_MAX; ++tries) {
        bool all = true;
        for (size_t i = 0; all && i < count; ++i)
            if (ht_space_constraint_holds(binding, set[i], &config, &all, NULL) != HT_OK)
                return true;
        if (all)
            return true;
        if (!next_combination(binding->template, mask, &config))
            return false;
    }
    return true;
}

static ht_status fail(const ht_binding *binding, const ht_space_constraint *first, ht_error *error,
                      const char *words) {
    ht_place at = {.file = binding->template->file, .line = binding->template->line};
    if (first && first->expr)
        at = ht_expr_place(first->expr);
    return ht_error_set_at(error, HT_ERROR_INPUT, at.file, at.line, at.column,
                           "no configuration of kernel %s is legal: %s", binding->template->name,
                           words);
}

static ht_status explain_by_counts(const ht_binding *binding,
                                   const ht_space_constraint *constraints, size_t count,
                                   ht_error *error) {
    ht_text words = {0};
    const ht_space_constraint *first = NULL;
    ht_text_append(&words, "together the constraints leave nothing;");
    for (size_t i = 0; i < count; ++i) {
        if (!constraints[i].rejected)
            continue;
        char *text = describe(&constraints[i]);
        ht_text_printf(&words, "%s %s rejected %" PRIu64, first ? "," : "", text,
                       constraints[i].rejected);
        free(text);
        if (!first)
            first = &constraints[i];
    }
    ht_status status = fail(binding, first, error, words.data);
    ht_text_free(&words);
    return status;
}

static ht_status explain_pair(const ht_binding *binding, const ht_space_constraint *a,
                              const ht_space_constraint *b, ht_error *error) {
    char *one = describe(a), *other = b ? describe(b) : NULL;
    char *words = other ? ht_format("%s and %s contradict each other", one, other)
                        : ht_format("%s never holds", one);
    ht_status status = fail(binding, a, error, words);
    free(one);
    free(other);
    free(words);
    return status;
}

ht_status ht_space_explain_empty(const ht_binding *binding, const ht_space_constraint *constraints,
                                 size_t count, ht_error *error) {
    for (size_t i = 0; i < count; ++i) {
        const ht_space_constraint *set[] = {&constraints[i]};
        if (!satisfiable(binding, set, 1))
            return explain_pair(binding, set[0], NULL, error);
    }
    for (size_t i = 0; i < count && count < 64; ++i)
        for (size_t j = i + 1; j < count; ++j) {
            const ht_space_constraint *set[] = {&constraints[i], &constraints[j]};
            if (!satisfiable(binding, set, 2))
                return explain_pair(binding, set[0], set[1], error);
        }
    return explain_by_counts(binding, constraints, count, error);
}
