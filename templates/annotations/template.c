#include "templates/annotations/launch.h"
#include "templates/annotations/launches.h"
#include "templates/annotations/param_parse.h"
#include "templates/annotations/template_draft.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void ht_template_clear(ht_template *template) {
    for (size_t i = 0; i < template->param_count; ++i)
        ht_param_clear(&template->params[i]);
    for (size_t i = 0; i < template->require_count; ++i)
        ht_expr_free(template->requires[i].expr);
    for (size_t i = 0; i < template->arg_count; ++i)
        ht_arg_free(&template->args[i]);
    for (size_t i = 0; i < template->reference_argument_count; ++i)
        free(template->reference_arguments[i]);
    ht_launch_list_free(template->launches, template->launch_count);
    ht_launch_list_free(template->reference_launches, template->reference_launch_count);
    ht_launch_list_free(template->baseline_launches, template->baseline_launch_count);
    ht_problem_spec_free(&template->problem);
    free(template->params);
    free(template->requires);
    free(template->args);
    free(template->reference_arguments);
    free(template->reference_name);
    free(template->name);
    free(template->file);
    free(template->unit);
    *template = (ht_template){0};
}

void ht_template_free(ht_template *templates, size_t count) {
    for (size_t i = 0; i < count; ++i)
        ht_template_clear(&templates[i]);
    free(templates);
}

static char *copy_string(const char *text) {
    return text ? ht_strdup(text) : NULL;
}

ht_template *ht_template_copy(const ht_template *template) {
    ht_template *copy = ht_alloc(1, sizeof *copy);
    *copy = *template;
    copy->name = copy_string(template->name);
    copy->file = copy_string(template->file);
    copy->unit = copy_string(template->unit);
    ht_problem_spec_copy(&template->problem, &copy->problem);
    copy->params =
        template->param_count ? ht_alloc(template->param_count, sizeof *copy->params) : NULL;
    for (size_t i = 0; i < template->param_count; ++i)
        ht_param_copy(&template->params[i], &copy->params[i]);
    copy->requires =
        template->require_count ? ht_alloc(template->require_count, sizeof *copy->requires) : NULL;
    for (size_t i = 0; i < template->require_count; ++i)
        copy->requires[i].expr = ht_expr_copy(template->requires[i].expr);
    copy->args = template->arg_count ? ht_alloc(template->arg_count, sizeof *copy->args) : NULL;
    for (size_t i = 0; i < template->arg_count; ++i)
        ht_arg_copy(&template->args[i], &copy->args[i]);
    copy->launches = ht_launch_list_copy(template->launches, template->launch_count);
    copy->reference_name = copy_string(template->reference_name);
    copy->reference_arguments =
        ht_strings_copy(template->reference_arguments, template->reference_argument_count);
    copy->reference_launches =
        ht_launch_list_copy(template->reference_launches, template->reference_launch_count);
    copy->baseline_launches =
        ht_launch_list_copy(template->baseline_launches, template->baseline_launch_count);
    return copy;
}

static bool launches_equal(const ht_launch *a, size_t a_count, const ht_launch *b, size_t b_count) {
    bool equal = a_count == b_count;
    for (size_t i = 0; equal && i < a_count; ++i)
        equal = ht_launch_equal(&a[i], &b[i]);
    return equal;
}

static bool references_equal(const ht_template *a, const ht_template *b) {
    return a->reference_kind == b->reference_kind &&
           !strcmp(a->reference_name ? a->reference_name : "",
                   b->reference_name ? b->reference_name : "") &&
           ht_strings_equal(a->reference_arguments, a->reference_argument_count,
                            b->reference_arguments, b->reference_argument_count) &&
           launches_equal(a->reference_launches, a->reference_launch_count, b->reference_launches,
                          b->reference_launch_count) &&
           launches_equal(a->baseline_launches, a->baseline_launch_count, b->baseline_launches,
                          b->baseline_launch_count);
}

const ht_launch *ht_template_launches(const ht_template *template, ht_launch_set set,
                                      size_t *out_count) {
    if ((set == HT_LAUNCHES_REFERENCE && !template->reference_launch_count) ||
        (set == HT_LAUNCHES_BASELINE && !template->baseline_launch_count))
        set = HT_LAUNCHES_OWN;
    switch (set) {
    case HT_LAUNCHES_REFERENCE:
        *out_count = template->reference_launch_count;
        return template->reference_launches;
    case HT_LAUNCHES_BASELINE:
        *out_count = template->baseline_launch_count;
        return template->baseline_launches;
    case HT_LAUNCHES_OWN:
        break;
    }
    *out_count = template->launch_count;
    return template->launches;
}

ht_launch_set ht_template_reference_set(const ht_template *template) {
    return template->reference_kind == HT_REFERENCE_KERNEL ? HT_LAUNCHES_REFERENCE
                                                           : HT_LAUNCHES_OWN;
}

ht_launch_set ht_template_baseline_set(const ht_template *template) {
    if (!template->baseline_launch_count)
        return HT_LAUNCHES_OWN;
    bool same = template->reference_kind == HT_REFERENCE_KERNEL &&
                launches_equal(template->baseline_launches, template->baseline_launch_count,
                               template->reference_launches, template->reference_launch_count);
    return same ? HT_LAUNCHES_REFERENCE : HT_LAUNCHES_BASELINE;
}

bool ht_template_equal(const ht_template *a, const ht_template *b) {
    if (strcmp(a->name, b->name) != 0 || a->is_unit != b->is_unit ||
        !ht_problem_spec_equal(&a->problem, &b->problem) || a->param_count != b->param_count ||
        a->require_count != b->require_count || a->arg_count != b->arg_count ||
        a->exact != b->exact || (!a->exact && a->tolerance != b->tolerance))
        return false;
    for (size_t i = 0; i < a->param_count; ++i)
        if (!ht_param_equal(&a->params[i], &b->params[i]))
            return false;
    for (size_t i = 0; i < a->require_count; ++i)
        if (!ht_expr_equal(a->requires[i].expr, b->requires[i].expr))
            return false;
    for (size_t i = 0; i < a->arg_count; ++i)
        if (!ht_arg_equal(&a->args[i], &b->args[i]))
            return false;
    return launches_equal(a->launches, a->launch_count, b->launches, b->launch_count) &&
           references_equal(a, b);
}

char *ht_template_set_words(const ht_template *template, ht_launch_set set) {
    size_t count;
    const ht_launch *launches = ht_template_launches(template, set, &count);
    if (launches == template->launches)
        return ht_strdup("the template's defaults");
    ht_text words = {0};
    for (size_t i = 0; i < count; ++i) {
        const char *name = launches[i].kernel, *mark = "__original";
        size_t length = strlen(name), size = strlen(mark);
        bool made = length > size && !strcmp(name + length - size, mark);
        ht_text_printf(&words, "%s%s%.*s", i ? ", " : "", made ? "the original " : "",
                       (int)(made ? length - size : length), name);
    }
    return ht_text_take(&words);
}

const ht_param *ht_template_param(const ht_template *template, const char *name) {
    for (size_t i = 0; i < template->param_count; ++i)
        if (!strcmp(template->params[i].name, name))
            return &template->params[i];
    return NULL;
}

const ht_arg *ht_template_arg(const ht_template *template, const char *name) {
    for (size_t i = 0; i < template->arg_count; ++i)
        if (!strcmp(template->args[i].name, name))
            return &template->args[i];
    return NULL;
}
