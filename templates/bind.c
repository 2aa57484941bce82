/* Values for the names of a template's expressions. */
#include "templates/bind.h"
#include "templates/annotations/template_names.h"
#include "templates/bind_check.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One evaluation. Scalar arguments are computed when first needed and kept: each may use those
 * before it, and computing them anew each time would take exponential time. */
typedef struct names {
    const ht_binding *binding;
    const ht_config *config; /* may be NULL: no parameter is known */
    size_t arg_limit;        /* arguments that may be named */
    struct scalars {
        bool known[HT_ARG_MAX];
        int64_t values[HT_ARG_MAX];
    } *scalars;
    ht_status *failure; /* of a scalar's own expression */
    ht_error *error;
} names;

static bool lookup(const void *context, const char *name, int64_t *out_value);
static bool lookup_type(const void *context, const char *name, int64_t *out_size);

static ht_scope scope_of(const names *n) {
    return (ht_scope){.lookup = lookup, .type_size = lookup_type, .context = n};
}

static bool lookup_param(const names *n, const char *name, int64_t *out_value) {
    const ht_template *template = n->binding->template;
    if (!n->config)
        return false;
    for (size_t i = 0; i < template->param_count; ++i)
        if (!strcmp(template->params[i].name, name)) {
            *out_value = template->params[i].values[n->config->choice[i]].number;
            return true;
        }
    return false;
}

static bool compute_scalar(const names *n, size_t i) {
    const ht_arg *arg = &n->binding->template->args[i];
    names before = *n;
    ht_error error;
    before.arg_limit = i;
    ht_scope scope = scope_of(&before);
    ht_status status = ht_expr_evaluate(arg->values[0], &scope, &n->scalars->values[i], &error);
    n->scalars->known[i] = status == HT_OK;
    if (status != HT_OK &&
        *n->failure == HT_OK) { /* not one that another scalar's failure caused */
        *n->failure = status;
        *n->error = error;
        ht_error_prefix(n->error, "argument %s: ", arg->name);
    }
    return status == HT_OK;
}

static bool lookup_scalar(const names *n, const char *name, int64_t *out_value) {
    const ht_template *template = n->binding->template;
    for (size_t i = 0; i < n->arg_limit; ++i) {
        const ht_arg *arg = &template->args[i];
        if (strcmp(arg->name, name) != 0 || !ht_arg_is_name(arg))
            continue;
        if (!n->scalars->known[i] && !compute_scalar(n, i))
            return false;
        *out_value = n->scalars->values[i];
        return true;
    }
    return false;
}

static bool lookup(const void *context, const char *name, int64_t *out_value) {
    const names *n = context;
    const ht_binding *binding = n->binding;
    if (!strncmp(name, "problem.", 8))
        return binding->problem && ht_problem_get(binding->problem, name + 8, out_value);
    if (!strncmp(name, "device.", 7))
        return binding->device && ht_device_field_get(binding->device, name + 7, out_value);
    return lookup_param(n, name, out_value) || lookup_scalar(n, name, out_value) ||
           ht_template_enumerator(binding->template, name, out_value);
}

static bool lookup_type(const void *context, const char *name, int64_t *out_size) {
    const names *n = context;
    const ht_template *template = n->binding->template;
    for (size_t i = 0; n->config && i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        if (param->kind != HT_PARAM_TYPE || strcmp(param->name, name) != 0)
            continue;
        *out_size = (int64_t)ht_type_size(param->values[n->config->choice[i]].text);
        return *out_size > 0;
    }
    return false;
}

ht_status ht_binding_evaluate(const ht_binding *binding, const ht_config *config,
                              const ht_expr *expr, int64_t *out_value, ht_error *error) {
    struct scalars scalars;
    ht_status failure = HT_OK;
    ht_error own;
    size_t args = binding->template->arg_count;
    memset(scalars.known, 0, sizeof scalars.known);
    names n = {.binding = binding,
               .config = config,
               .arg_limit = args < HT_ARG_MAX ? args : HT_ARG_MAX,
               .scalars = &scalars,
               .failure = &failure,
               .error = &own};
    ht_scope scope = scope_of(&n);
    ht_status status = ht_expr_evaluate(expr, &scope, out_value, error);
    if (status != HT_OK && failure != HT_OK && error)
        *error = own; /* why the name had no value says more than "unknown name" */
    return status;
}

ht_status ht_binding_extent(const ht_binding *binding, const ht_config *config, const ht_arg *arg,
                            int64_t *out_elements, ht_error *error) {
    const ht_param *param = ht_template_param(binding->template, arg->type);
    const char *type = arg->type;
    if (!arg->extent)
        return ht_error_set(error, HT_ERROR_INTERNAL, "argument %s is no buffer", arg->name);
    if (param && config)
        type = param->values[config->choice[param - binding->template->params]].text;
    int64_t size = (int64_t)ht_type_size(type);
    ht_place at = ht_expr_place(arg->extent);
    if (!size)
        return ht_error_set_at(error, HT_ERROR_INPUT, at.file, at.line, at.column,
                               "argument %s: the size of type %s is not known", arg->name, type);
    ht_status status = ht_binding_evaluate(binding, config, arg->extent, out_elements, error);
    if (status != HT_OK)
        return status;
    if (*out_elements <= 0)
        return ht_error_set_at(error, HT_ERROR_INPUT, at.file, at.line, at.column,
                               "buffer %s has %" PRId64 " elements: must be positive", arg->name,
                               *out_elements);
    if (*out_elements > ((int64_t)1 << 40) / size)
        return ht_error_set_at(error, HT_ERROR_INPUT, at.file, at.line, at.column,
                               "buffer %s has %" PRId64
                               " elements of %s: more than 2^40 bytes; give smaller sizes",
                               arg->name, *out_elements, type);
    return HT_OK;
}

/* Returns the "in line 7" of a constraint's message; empty when its place is unknown. */
static char *line_words(const ht_expr *expr) {
    ht_place at = ht_expr_place(expr);
    return at.line ? ht_format(" (line %d)", at.line) : ht_strdup("");
}

static char *require_reason(const ht_expr *expr) {
    char *text = ht_expr_string(expr), *line = line_words(expr);
    char *reason = ht_format("require(%s)%s does not hold", text, line);
    free(text);
    free(line);
    return reason;
}

ht_status ht_binding_legal(const ht_binding *binding, const ht_config *config, bool *out_legal,
                           char **out_reason, ht_error *error) {
    const ht_template *template = binding->template;
    int64_t value;
    if (out_reason)
        *out_reason = NULL;
    *out_legal = false;
    for (size_t i = 0; i < template->require_count; ++i) {
        const ht_expr *expr = template->requires[i].expr;
        ht_status status = ht_binding_evaluate(binding, config, expr, &value, error);
        if (status != HT_OK)
            return status;
        if (value)
            continue;
        if (out_reason)
            *out_reason = require_reason(expr);
        return HT_OK;
    }
    for (size_t i = 0; i < template->launch_count; ++i) {
        bool fits;
        ht_status status = ht_binding_launch_fits(binding, config, &template->launches[i], &fits,
                                                  out_reason, error);
        if (status != HT_OK || !fits)
            return status;
    }
    *out_legal = true;
    return HT_OK;
}

void ht_binding_macros(const ht_binding *binding, const ht_config *config, char ***out_options,
                       size_t *out_count) {
    const ht_template *template = binding->template;
    *out_options = NULL;
    *out_count = 0;
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        if (param->binding != HT_BIND_MACRO)
            continue;
        HT_GROW(*out_options, *out_count);
        (*out_options)[(*out_count)++] =
            ht_format("-D%s=%s", param->name, param->values[config->choice[i]].text);
    }
}

char *ht_binding_name_expression(const ht_binding *binding, const ht_config *config,
                                 const ht_launch *launch) {
    const ht_template *template = binding->template;
    ht_text text = {0};
    ht_text_append(&text, launch->kernel);
    for (size_t i = 0; i < launch->template_argument_count; ++i) {
        const char *argument = launch->template_arguments[i];
        const ht_param *param = ht_template_param(template, argument);
        if (param)
            argument = param->values[config->choice[param - template->params]].text;
        ht_text_printf(&text, "%s%s", i ? ", " : "<", argument);
    }
    if (launch->template_argument_count)
        ht_text_append(&text, ">");
    return ht_text_take(&text);
}

bool ht_binding_first(const ht_binding *binding, ht_config *out_config) {
    const ht_template *template = binding->template;
    *out_config = ht_config_default(template);
    memset(out_config->choice, 0, template->param_count * sizeof *out_config->choice);
    for (;;) {
        bool legal = false;
        if (ht_binding_legal(binding, out_config, &legal, NULL, NULL) == HT_OK && legal)
            return true;
        size_t i = 0;
        while (i < template->param_count &&
               (size_t)++out_config->choice[i] == template->params[i].value_count)
            out_config->choice[i++] = 0;
        if (i == template->param_count)
            return false;
    }
}
