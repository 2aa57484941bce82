/* Checks that need all of a template's directives together. */
#include "templates/annotations/kernel_header.h"
#include "templates/annotations/launch.h"
#include "templates/annotations/reference.h"
#include "templates/annotations/template_draft.h"
#include "templates/annotations/template_names.h"
#include "templates/annotations/template_signature.h"
#include "templates/expr/type.h"

#include "base/memory.h"
#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_status fail_at(ht_place at, ht_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static ht_status fail_at(ht_place at, ht_error *error, const char *format, ...) {
    ht_text message = {0};
    va_list args;
    va_start(args, format);
    char buffer[2048];
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    ht_text_append(&message, buffer);
    ht_status status =
        ht_error_set_at(error, HT_ERROR_INPUT, at.file, at.line, at.column, "%s", message.data);
    ht_text_free(&message);
    return status;
}

static const char *nearest_arg(const ht_template *template, const char *name) {
    const char *candidates[HT_ARG_MAX + 1] = {NULL};
    for (size_t i = 0; i < template->arg_count && i < HT_ARG_MAX; ++i)
        candidates[i] = template->args[i].name;
    return ht_nearest_word(name, candidates);
}

/* `passed`: they go to a kernel, so that constants cannot be among them. */
static ht_status check_argument_names(const ht_template *template, char *const *names, size_t count,
                                      bool passed, ht_place at, ht_error *error) {
    for (size_t i = 0; i < count; ++i) {
        const ht_arg *arg = ht_template_arg(template, names[i]);
        if (!arg) {
            const char *like = nearest_arg(template, names[i]);
            return fail_at(at, error, "unknown argument '%s': there is no arg(%s : ...)%s%s%s",
                           names[i], names[i], like ? "; did you mean '" : "", like ? like : "",
                           like ? "'?" : "");
        }
        if (passed && !ht_arg_is_passed(arg))
            return fail_at(at, error, "argument %s is a %s, which is never passed", names[i],
                           ht_arg_is_field(arg) ? "field" : "constant");
    }
    return HT_OK;
}

static ht_status check_arg_types(const ht_template *template, ht_error *error) {
    for (size_t i = 0; i < template->arg_count; ++i) {
        const ht_arg *arg = &template->args[i];
        const ht_param *param = ht_template_param(template, arg->type);
        if (arg->is_struct)
            continue;
        if (!ht_type_size(arg->type) && !(param && param->kind == HT_PARAM_TYPE))
            return fail_at(arg->place, error,
                           "argument %s: the size of type '%s' is not known (C and HIP types and "
                           "type parameters are)",
                           arg->name, arg->type);
        for (size_t v = 0; param && v < param->value_count; ++v)
            if (!ht_type_size(param->values[v].text))
                return fail_at(arg->place, error,
                               "argument %s: the size of %s's value %s is not known", arg->name,
                               param->name, param->values[v].text);
    }
    return HT_OK;
}

/* Returns the parameter that the words of a template argument's text name; the text is not a
 * parameter's name itself. */
static const char *names_param(const ht_template *template, const char *text) {
    for (size_t i = 0; i < template->param_count; ++i) {
        const char *name = template->params[i].name;
        size_t length = strlen(name);
        for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
            bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
            bool ends = !(isalnum((unsigned char)at[length]) || at[length] == '_');
            if (begins && ends)
                return name;
        }
    }
    return NULL;
}

static ht_status check_written_arguments(const ht_template *template, const ht_launch *launch,
                                         ht_error *error) {
    for (size_t i = 0; i < launch->template_argument_count; ++i) {
        const char *text = launch->template_arguments[i];
        const char *inside = ht_template_param(template, text) ? NULL : names_param(template, text);
        if (inside)
            return fail_at(
                launch->place, error,
                "template argument '%s' of %s computes with parameter %s: pass %s itself "
                "and compute in the kernel",
                text, launch->kernel, inside, inside);
    }
    return HT_OK;
}

/* Fills in the template arguments that the kernel's header asks for. */
static ht_status find_arguments(const ht_template *template, ht_launch *launch, ht_error *error) {
    ht_kernel_header header;
    ht_status status = HT_OK;
    const char *omitted = NULL;
    if (launch->template_argument_count)
        return check_written_arguments(template, launch, error);
    if (!ht_kernel_header_find(template->unit ? template->unit : "", launch->kernel, &header))
        return HT_OK;
    for (size_t i = 0; status == HT_OK && i < header.param_count; ++i) {
        const ht_header_param *param = &header.params[i];
        bool tuned = ht_template_param(template, param->name) != NULL;
        if (tuned && omitted)
            status = fail_at(launch->place, error,
                             "template parameter '%s' of %s stands before %s and is no tuning "
                             "parameter: write its argument, as in %s<..., %s>",
                             omitted, launch->kernel, param->name, launch->kernel, param->name);
        else if (!tuned && !param->optional)
            status =
                fail_at(launch->place, error,
                        "template parameter '%s' of %s is no tuning parameter and has no "
                        "default: add param(%s : ...) or write the arguments, as in %s<float, ...>",
                        param->name, launch->kernel, param->name, launch->kernel);
        else if (!tuned && !omitted)
            omitted = param->name;
        else if (tuned) {
            HT_GROW(launch->template_arguments, launch->template_argument_count);
            launch->template_arguments[launch->template_argument_count++] = ht_strdup(param->name);
        }
    }
    ht_kernel_header_free(&header);
    return status;
}

static ht_status check_launches(const ht_template *template, ht_launch *launches, size_t count,
                                ht_error *error) {
    for (size_t i = 0; i < count; ++i) {
        ht_launch *launch = &launches[i];
        const char *missing = !launch->block[0] ? "block" : !launch->grid[0] ? "grid" : NULL;
        if (missing)
            return fail_at(launch->place, error, "the launch of %s has no %s(...)", launch->kernel,
                           missing);
        ht_status status = check_argument_names(template, launch->arguments, launch->argument_count,
                                                true, launch->place, error);
        if (status == HT_OK)
            status = find_arguments(template, launch, error);
        if (status != HT_OK)
            return status;
    }
    return HT_OK;
}

static void set_bindings(ht_template *template) {
    for (size_t p = 0; p < template->param_count; ++p) {
        ht_param *param = &template->params[p];
        param->binding = HT_BIND_MACRO;
        for (size_t l = 0; l < template->launch_count; ++l)
            for (size_t i = 0; i < template->launches[l].template_argument_count; ++i)
                if (!strcmp(template->launches[l].template_arguments[i], param->name))
                    param->binding = HT_BIND_TEMPLATE;
    }
}

ht_status ht_template_check(ht_template *template, ht_error *error) {
    ht_place no_place = {.file = template->file, .line = template->line};
    if (template->param_count > HT_PARAM_MAX || template->arg_count > HT_ARG_MAX)
        return fail_at(no_place, error, "kernel %s has more than %d parameters or %d arguments",
                       template->name, HT_PARAM_MAX, HT_ARG_MAX);
    ht_status status = ht_template_check_namespace(template, error);
    if (status == HT_OK)
        status = check_arg_types(template, error);
    if (status == HT_OK)
        status = ht_template_check_expressions(template, error);
    if (status == HT_OK)
        status = check_launches(template, template->launches, template->launch_count, error);
    if (status == HT_OK)
        status = check_launches(template, template->reference_launches,
                                template->reference_launch_count, error);
    if (status == HT_OK)
        status = check_launches(template, template->baseline_launches,
                                template->baseline_launch_count, error);
    if (status == HT_OK && template->reference_kind == HT_REFERENCE_BUILTIN)
        status = check_argument_names(template, template->reference_arguments,
                                      template->reference_argument_count, false, no_place, error);
    if (status == HT_OK)
        set_bindings(template);
    if (status == HT_OK)
        status = ht_template_check_signatures(template, error);
    return status;
}

static bool has_geometry(const ht_launch *launch) {
    return launch->block[0] || launch->grid[0] || launch->lds;
}

/* Resolves a reference without geometry: it must be a built-in. */
static ht_status resolve_builtin(ht_template *template, ht_launch *reference, ht_error *error) {
    ht_kernel_header header;
    if (!ht_reference_is_builtin(reference->kernel)) {
        if (!ht_kernel_header_find(template->unit ? template->unit : "", reference->kernel,
                                   &header))
            return fail_at(reference->place, error,
                           "reference %s is neither a built-in (there is: %s) nor a kernel of this "
                           "file with block(...) and grid(...) after it",
                           reference->kernel, ht_reference_builtin_names());
        ht_kernel_header_free(&header);
        return fail_at(reference->place, error,
                       "reference %s is a kernel: block(...) and grid(...) must follow it",
                       reference->kernel);
    }
    if (template->reference_launch_count > 1)
        return fail_at(template->reference_launches[1].place, error,
                       "the built-in reference %s must be the only one", reference->kernel);
    if (reference->template_argument_count)
        return fail_at(reference->place, error,
                       "the built-in reference %s takes no template arguments", reference->kernel);
    ht_status status = check_argument_names(
        template, reference->arguments, reference->argument_count, false, reference->place, error);
    if (status != HT_OK)
        return status;
    template->reference_kind = HT_REFERENCE_BUILTIN;
    template->reference_name = ht_strdup(reference->kernel);
    template->reference_arguments = reference->arguments;
    template->reference_argument_count = reference->argument_count;
    reference->arguments = NULL;
    reference->argument_count = 0;
    ht_launch_free(reference);
    free(template->reference_launches);
    template->reference_launches = NULL;
    template->reference_launch_count = 0;
    return HT_OK;
}

/* Refuses a built-in as the baseline: it is computed on the CPU, so there is no time to compare
 * with. */
static ht_status check_baseline(const ht_template *template, ht_error *error) {
    for (size_t i = 0; i < template->baseline_launch_count; ++i) {
        const ht_launch *launch = &template->baseline_launches[i];
        if (!has_geometry(launch))
            return fail_at(launch->place, error,
                           "baseline %s is to be timed: name a kernel, and let block(...) and "
                           "grid(...) follow it",
                           launch->kernel);
    }
    return HT_OK;
}

static ht_status resolve_reference(ht_template *template, ht_error *error) {
    for (size_t i = 0; i < template->reference_launch_count; ++i) {
        if (!has_geometry(&template->reference_launches[i]))
            return resolve_builtin(template, &template->reference_launches[i], error);
        template->reference_kind = HT_REFERENCE_KERNEL;
    }
    return HT_OK;
}

ht_status ht_draft_finish(ht_draft *draft, ht_error *error) {
    ht_template *template = &draft->template;
    if (!draft->implicit && draft->kernel.template_argument_count && !draft->kernel_arguments_used)
        return fail_at(draft->kernel.place, error,
                       "no launch of %s uses its template arguments: write them at the launches",
                       draft->kernel.kernel);
    ht_status status = resolve_reference(template, error);
    if (status == HT_OK)
        status = check_baseline(template, error);
    if (status == HT_OK)
        status = ht_template_check(template, error);
    /* Only in the whole file: what is cut out of it may lack branches that name a parameter. */
    return status == HT_OK ? ht_template_check_unused(template, error) : status;
}
