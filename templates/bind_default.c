/* The configuration that a template starts from. */
#include "templates/bind.h"
#include "templates/bind_check.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct naming {
    const ht_template *template;
    bool params, device;
} naming;

static void on_name(void *context, const char *name) {
    naming *in = context;
    in->params = in->params || ht_template_param(in->template, name) != NULL;
    in->device = in->device || ht_text_begins(name, "device.");
    for (size_t i = 0; i < in->template->arg_count; ++i) { /* a scalar's value may hang on it */
        const ht_arg *arg = &in->template->args[i];
        for (size_t v = 0; v < arg->value_count && strcmp(arg->name, name) == 0; ++v)
            ht_expr_names(arg->values[v], on_name, in);
    }
}

static ht_status fail(const ht_binding *binding, const ht_config *config, ht_place at, bool params,
                      const char *what, ht_error *error) {
    char *text = ht_config_string(binding->template, config);
    ht_status status =
        params ? ht_error_set_at(error, HT_ERROR_INPUT, at.file, at.line, at.column,
                                 "the defaults of %s (%s) are not legal: %s; change a default, or "
                                 "what forbids it",
                                 binding->template->name, text, what)
               : ht_error_set_at(error, HT_ERROR_INPUT, at.file, at.line, at.column,
                                 "no configuration of %s is legal: %s, whatever the parameters; "
                                 "give other sizes, or change the constraint",
                                 binding->template->name, what);
    free(text);
    return status;
}

/* `known`: the binding has sizes and a device. */
static ht_status requires_check(const ht_binding *binding, const ht_config *config, bool known,
                                ht_error *error) {
    const ht_template *template = binding->template;
    for (size_t i = 0; i < template->require_count; ++i) {
        const ht_expr *expr = template->requires[i].expr;
        int64_t value;
        naming names = {.template = template};
        ht_expr_names(expr, on_name, &names);
        if (!known && names.device)
            continue;
        ht_status status = ht_binding_evaluate(binding, config, expr, &value, known ? error : NULL);
        if (status != HT_OK && known)
            return status;
        if (status != HT_OK || value) /* without sizes: what is asked needs them */
            continue;
        char *text = ht_expr_string(expr);
        char *what = ht_format("require(%s) does not hold", text);
        status = fail(binding, config, ht_expr_place(expr), names.params, what, error);
        free(text);
        free(what);
        return status;
    }
    return HT_OK;
}

ht_status ht_binding_check_default(const ht_binding *binding, ht_error *error) {
    const ht_template *template = binding->template;
    ht_config config = ht_config_default(template);
    ht_status status = requires_check(binding, &config, true, error);
    for (int set = HT_LAUNCHES_OWN; status == HT_OK && set <= HT_LAUNCHES_BASELINE; ++set) {
        size_t count;
        const ht_launch *launches = ht_template_launches(template, (ht_launch_set)set, &count);
        for (size_t i = 0; status == HT_OK && i < count; ++i) {
            bool fits = false;
            char *why = NULL;
            status = ht_binding_launch_fits(binding, &config, &launches[i], &fits, &why, error);
            if (status == HT_OK && !fits)
                status = fail(binding, &config, launches[i].place, true, why, error);
            free(why);
        }
    }
    return status;
}

ht_status ht_template_check_default(const ht_template *template, ht_error *error) {
    static const ht_device_fields unknown;
    const ht_binding binding = {template, NULL, &unknown};
    ht_config config = ht_config_default(template);
    return requires_check(&binding, &config, false, error);
}
