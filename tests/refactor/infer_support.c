#include "infer_support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

inferred infer(const char *text) {
    inferred of = {0};
    of.refactor = refactor_text(text, NULL, &of.problems);
    of.kernel = kernel_named(of.refactor, "k", NULL);
    return of;
}

void done(inferred *of) {
    ht_refactor_free(of->refactor);
    ht_problem_file_free(of->problems);
}

const ht_arg *arg_named(const inferred *of, const char *name) {
    cr_assert_eq(of->kernel->problem, HT_PROBLEM_INFERRED, "%s", of->kernel->reason);
    const ht_problem_entry *entry = &of->kernel->inferred->entries[0];
    for (size_t i = 0; i < entry->arg_count; ++i)
        if (strcmp(entry->args[i].name, name) == 0)
            return &entry->args[i];
    cr_assert(false, "no argument %s", name);
    return NULL;
}

/* ---- evaluation, with the instance's values, or others */

static bool lookup(const void *context, const char *name, int64_t *out_value) {
    const sizes *in = context;
    ht_scope scope = {.lookup = lookup, .context = in};
    for (size_t i = 0; i < in->count; ++i)
        if (strncmp(name, "problem.", 8) == 0 && strcmp(name + 8, in->names[i]) == 0) {
            *out_value = in->values[i];
            return true;
        }
    for (size_t i = 0; i < in->entry->arg_count; ++i)
        if (strcmp(in->entry->args[i].name, name) == 0 && in->entry->args[i].value_count == 1)
            return ht_expr_evaluate(in->entry->args[i].values[0], &scope, out_value, NULL) == HT_OK;
    return false;
}

int64_t elements(const inferred *of, const char *name, sizes *with) {
    int64_t value = -1;
    with->entry = &of->kernel->inferred->entries[0];
    ht_scope scope = {.lookup = lookup, .context = with};
    ht_error error = {0};
    cr_assert_eq(ht_expr_evaluate(arg_named(of, name)->extent, &scope, &value, &error), HT_OK,
                 "%s: %s", name, error.message);
    return value;
}

const char *role(const inferred *of, const char *name) {
    static const char *const names[] = {
        [HT_ARG_IN] = "in", [HT_ARG_OUT] = "out", [HT_ARG_INOUT] = "inout"};
    ht_arg_role role = arg_named(of, name)->role;
    return role <= HT_ARG_INOUT ? names[role] : "other";
}

/* ---- the problems found */

int64_t instance_value(const inferred *of, const char *name) {
    const ht_problem *instance = &of->kernel->inferred->entries[0].instances[0];
    int64_t value = -1;
    for (size_t i = 0; i < instance->value_count; ++i)
        if (strcmp(instance->values[i].name, name) == 0)
            value = instance->values[i].value;
    return value;
}

int64_t number(const inferred *of, const char *name) {
    sizes none = {.entry = &of->kernel->inferred->entries[0]};
    ht_scope scope = {.lookup = lookup, .context = &none};
    int64_t value = INT64_MIN;
    for (size_t i = 0; i < none.entry->instances[0].value_count && i < 8; ++i) {
        none.names[i] = none.entry->instances[0].values[i].name;
        none.values[none.count++] = none.entry->instances[0].values[i].value;
    }
    ht_expr_evaluate(arg_named(of, name)->values[0], &scope, &value, NULL);
    return value;
}

void expect_reason(const char *text, const char *words) {
    inferred of = infer(text);
    cr_assert_eq(of.kernel->status, HT_KERNEL_NEEDS_PROBLEM);
    cr_assert(strstr(of.kernel->reason, words), "'%s' is not in: %s", words, of.kernel->reason);
    done(&of);
}

void expect_missing(const char *text, const char *words) {
    inferred of = infer(text);
    cr_expect_eq(of.kernel->status, HT_KERNEL_NEEDS_PROBLEM);
    cr_expect_eq(of.kernel->problem, HT_PROBLEM_MISSING);
    cr_expect(of.kernel->reason && strstr(of.kernel->reason, words), "'%s' is not in: %s", words,
              of.kernel->reason);
    cr_expect(of.kernel->skeleton && strchr(of.kernel->skeleton, '?'));
    done(&of);
}

ht_refactor *refactor_tried(const char *text, bool tries) {
    const ht_refactor_options options = {.tries = tries};
    return refactor_text_with(text, &options);
}
