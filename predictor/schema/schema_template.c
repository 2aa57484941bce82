/* A schema from a template: written as text, with the names that schemas use, and parsed. */
#include "predictor/schema/schema.h"

#include "base/memory.h"
#include "templates/annotations/param_parse.h"
#include "templates/annotations/template_names.h"
#include "templates/expr/expr_node.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICE_PREFIX = 7, PROBLEM_PREFIX = 8 }; /* "device.", "problem." */

typedef struct writer {
    const ht_template *template;
    bool used[HT_ARG_MAX]; /* arguments that constraints need */
    char **devices;        /* fields of the device that they need; owned */
    size_t device_count;
} writer;

/* Returns the name of a template's expression in a schema; free(). */
static char *renamed(const writer *w, const char *name) {
    if (!strncmp(name, "problem.", PROBLEM_PREFIX))
        return ht_strdup(name + PROBLEM_PREFIX);
    if (!strncmp(name, "device.", DEVICE_PREFIX))
        return ht_format("device_%s", name + DEVICE_PREFIX);
    bool argument = ht_template_arg(w->template, name) && !ht_template_param(w->template, name);
    return ht_format("%s%s", argument ? "arg_" : "", name);
}

static void rename_all(const writer *w, ht_node *node) {
    if (node->kind == HT_NODE_NAME) {
        char *name = renamed(w, node->name);
        free(node->name);
        node->name = name;
    }
    for (size_t i = 0; i < node->child_count; ++i)
        rename_all(w, node->children[i]);
}

static void print_renamed(const writer *w, const ht_expr *expr, ht_text *out) {
    ht_expr *copy = ht_expr_copy(expr);
    rename_all(w, copy->root);
    ht_expr_print(copy, out);
    ht_expr_free(copy);
}

static void note_name(void *context, const char *name) {
    writer *w = context;
    if (!strncmp(name, "device.", DEVICE_PREFIX)) {
        for (size_t i = 0; i < w->device_count; ++i)
            if (!strcmp(w->devices[i], name + DEVICE_PREFIX))
                return;
        HT_GROW(w->devices, w->device_count);
        w->devices[w->device_count++] = ht_strdup(name + DEVICE_PREFIX);
        return;
    }
    const ht_arg *arg = ht_template_arg(w->template, name);
    if (!arg || !ht_arg_is_name(arg) || w->used[arg - w->template->args])
        return;
    w->used[arg - w->template->args] = true;
    ht_expr_names(arg->values[0], note_name, w);
}

static void write_fields(const writer *w, ht_text *out) {
    const ht_problem_spec *spec = &w->template->problem;
    for (size_t i = 0; i < spec->field_count; ++i) {
        const ht_field *field = &spec->fields[i];
        if (field->kind == HT_FIELD_DERIVED)
            continue;
        ht_text_printf(out, "field(%s", field->name);
        if (field->kind == HT_FIELD_DEFAULT) {
            ht_text_append(out, " = ");
            ht_expr_print(field->expr, out);
        }
        ht_text_append(out, ")\n");
    }
    for (size_t i = 0; i < w->device_count; ++i)
        ht_text_printf(out, "field(device_%s)\ndevice(device_%s)\n", w->devices[i], w->devices[i]);
}

static void write_lets(const writer *w, ht_text *out) {
    const ht_problem_spec *spec = &w->template->problem;
    for (size_t i = 0; i < spec->field_count; ++i) {
        const ht_field *field = &spec->fields[i];
        if (field->kind != HT_FIELD_DERIVED)
            continue;
        ht_text_printf(out, "let(%s = ", field->name);
        ht_expr_print(field->expr, out);
        ht_text_printf(out, ")\nfeature(%s)\n", field->name);
    }
    for (size_t i = 0; i < w->template->arg_count && i < HT_ARG_MAX; ++i) {
        if (!w->used[i])
            continue;
        ht_text_printf(out, "let(arg_%s = ", w->template->args[i].name);
        print_renamed(w, w->template->args[i].values[0], out);
        ht_text_append(out, ")\n");
    }
}

ht_status ht_schema_from_template(const ht_template *template_, const char *kernel,
                                  ht_schema **out_schema, ht_error *error) {
    writer w = {.template = template_};
    ht_text text = {0};
    for (size_t i = 0; i < template_->require_count; ++i)
        ht_expr_names(template_->requires[i].expr, note_name, &w);
    ht_text_printf(&text, "kernel(%s)\n", kernel);
    write_fields(&w, &text);
    for (size_t i = 0; i < template_->param_count; ++i) {
        ht_text_append(&text, "param(");
        ht_param_print(&template_->params[i], &text);
        ht_text_append(&text, ")\n");
    }
    write_lets(&w, &text);
    for (size_t i = 0; i < template_->require_count; ++i) {
        ht_text_append(&text, "require(");
        print_renamed(&w, template_->requires[i].expr, &text);
        ht_text_append(&text, ")\n");
    }
    ht_status status = ht_schema_parse(text.data, NULL, out_schema, error);
    if (status != HT_OK)
        ht_error_prefix(error, "kernel %s cannot be predicted: as a schema, ", kernel);
    ht_text_free(&text);
    ht_strings_free(w.devices, w.device_count);
    return status;
}
