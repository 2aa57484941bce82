#include "pipeline/dispatch_header.h"

#include "base/memory.h"
#include "pipeline/launcher.h"

#include <stdlib.h>
#include <string.h>

char *ht_dispatch_refusal(const ht_template *template) {
    for (size_t i = 0; i < template->arg_count; ++i)
        if (ht_template_param(template, template->args[i].type))
            return ht_format("the argument %s has the type that parameter %s chooses, so that no "
                             "one function can take it; launch() of the launcher is a template "
                             "and can",
                             template->args[i].name, template->args[i].type);
    return NULL;
}

bool ht_dispatch_fits(const ht_template *template, const ht_config *config) {
    for (size_t i = 0; i < template->param_count; ++i)
        if (template->params[i].binding == HT_BIND_MACRO &&
            config->choice[i] != template->params[i].default_index)
            return false;
    return true;
}

static void null_checks_write(const ht_template *template, ht_text *out) {
    for (size_t i = 0; i < template->arg_count; ++i) {
        const ht_arg *arg = &template->args[i];
        if (arg->extent && ht_arg_is_passed(arg))
            ht_text_printf(out, "    if (!%s)\n        return hipErrorInvalidValue;\n", arg->name);
    }
}

/* Writes "launch<16, true, float>" of the launcher, whose template arguments are the parameters
 * that are not macros. */
static void call_write(const ht_template *template, const ht_config *config, ht_text *out) {
    size_t count = 0;
    ht_text_append(out, "launch");
    for (size_t i = 0; i < template->param_count; ++i)
        if (template->params[i].binding != HT_BIND_MACRO)
            ht_text_printf(out, "%s%s", count++ ? ", " : "<",
                           template->params[i].values[config->choice[i]].text);
    ht_text_append(out, count ? ">" : "");
}

char *ht_dispatch_header(const ht_choice_table *table, const char *choice, const char *launcher) {
    const ht_template *template = table->template;
    const ht_binding binding = {template, &table->rows[0].problem, table->device};
    char *name = ht_choice_name(template);
    ht_text out = {0}, parameters = {0}, names = {0};
    size_t count;
    ht_config *configs = ht_choice_configs(table, &count);
    ht_launcher_signature(&binding, &parameters, &names);
    ht_text_printf(&out,
                   "// Launches %s in the configuration that fits the problem.\n// %s\n"
                   "#pragma once\n#include \"%s\"\n#include \"%s\"\n\nnamespace %s_dispatch {\n\n",
                   template->name, table->remark, choice, launcher, name);
    if (template->problem.name)
        ht_text_printf(&out, "using %s_tuned::problem_fields;\n\n", name);
    ht_text_printf(
        &out,
        "// hipErrorInvalidValue, and no launch, for a null pointer, sizes of no problem, "
        "and a problem\n// for which no configuration is legal.\n"
        "inline hipError_t launch(%s) {\n",
        parameters.data);
    null_checks_write(template, &out);
    ht_text_append(&out, "    hipError_t launch_error = hipErrorInvalidValue;\n");
    if (template->problem.name)
        ht_text_printf(&out, "    switch (%s_choice::choose(%s_choice::fields_from(problem))) {\n",
                       name, name);
    else
        ht_text_printf(&out, "    switch (%s_choice::choose({})) {\n", name);
    for (size_t i = 0; i < count; ++i) {
        ht_text_printf(&out, "    case %zu:\n        launch_error = %s_tuned::", i, name);
        call_write(template, &configs[i], &out);
        ht_text_printf(&out, "(%s);\n        break;\n", names.data);
    }
    ht_text_printf(
        &out,
        "    default:\n        break;\n    }\n"
        "    // The launcher's word for a grid that HIP does not launch.\n"
        "    return launch_error == hipErrorInvalidConfiguration ? hipErrorInvalidValue\n"
        "                                                        : launch_error;\n"
        "}\n\n} // namespace %s_dispatch\n",
        name);
    free(configs);
    free(name);
    ht_text_free(&parameters);
    ht_text_free(&names);
    return ht_text_take(&out);
}
