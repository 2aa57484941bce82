/* Schemas apart from parsing: printing, and reading problems. */
#include "predictor/schema/schema.h"

#include "base/memory.h"
#include "templates/annotations/param_parse.h"
#include "templates/expr/span.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void free_rules(ht_schema_rule *rules, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        free(rules[i].name);
        ht_expr_free(rules[i].expr);
    }
    free(rules);
}

void ht_schema_free(ht_schema *schema) {
    if (!schema)
        return;
    for (size_t i = 0; i < schema->field_count; ++i) {
        free(schema->fields[i].name);
        ht_strings_free(schema->fields[i].names, schema->fields[i].name_count);
        ht_expr_free(schema->fields[i].fallback);
    }
    free(schema->fields);
    ht_strings_free(schema->ignored, schema->ignored_count);
    for (size_t i = 0; i < schema->param_count; ++i)
        ht_param_clear(&schema->params[i]);
    free(schema->params);
    free_rules(schema->lets, schema->let_count);
    free_rules(schema->features, schema->feature_count);
    free_rules(schema->requires, schema->require_count);
    free_rules(schema->admits, schema->admit_count);
    free_rules(schema->canonicals, schema->canonical_count);
    free(schema->names);
    free(schema->kernel);
    free(schema->file);
    free(schema);
}

static void print_field(const ht_schema_field *field, ht_text *out) {
    ht_text_printf(out, "field(%s", field->name);
    for (size_t v = 0; v < field->name_count; ++v)
        ht_text_printf(out, "%s%s", v ? ", " : " : ", field->names[v]);
    if (field->fallback) {
        ht_text_append(out, " = ");
        ht_expr_print(field->fallback, out);
    }
    ht_text_append(out, ")\n");
}

/* Prints "device(arch, cu)": the fields of the machine, or those that group; nothing when there is
 * none. */
static void print_fields_with(const ht_schema *schema, const char *directive, bool grouped,
                              ht_text *out) {
    bool any = false;
    for (size_t i = 0; i < schema->field_count; ++i) {
        const ht_schema_field *field = &schema->fields[i];
        if (!(grouped ? field->grouped : field->device))
            continue;
        ht_text_printf(out, "%s%s", any ? ", " : directive, field->name);
        any = true;
    }
    if (any)
        ht_text_append(out, ")\n");
}

/* Returns true if the grouped fields are those that group without a group(...) directive. */
static bool grouped_by_default(const ht_schema *schema) {
    for (size_t i = 0; i < schema->field_count; ++i)
        if (schema->fields[i].grouped == schema->fields[i].device)
            return false;
    return true;
}

static void print_rules(const ht_schema_rule *rules, size_t count, const char *directive,
                        bool named, ht_text *out) {
    for (size_t i = 0; i < count; ++i) {
        ht_text_printf(out, "%s(%s%s", directive, named ? rules[i].name : "", named ? " = " : "");
        ht_expr_print(rules[i].expr, out);
        ht_text_append(out, ")\n");
    }
}

void ht_schema_print(const ht_schema *schema, ht_text *out) {
    ht_text_printf(out, "kernel(%s)\n", schema->kernel);
    for (size_t i = 0; i < schema->field_count; ++i)
        print_field(&schema->fields[i], out);
    for (size_t i = 0; i < schema->ignored_count; ++i)
        ht_text_printf(out, "ignore(%s)\n", schema->ignored[i]);
    print_fields_with(schema, "device(", false, out);
    if (!grouped_by_default(schema))
        print_fields_with(schema, "group(", true, out);
    for (size_t i = 0; i < schema->param_count; ++i) {
        ht_text_append(out, "param(");
        ht_param_print(&schema->params[i], out);
        ht_text_append(out, ")\n");
    }
    print_rules(schema->lets, schema->let_count, "let", true, out);
    print_rules(schema->features, schema->feature_count, "feature", false, out);
    print_rules(schema->requires, schema->require_count, "require", false, out);
    print_rules(schema->admits, schema->admit_count, "admit", false, out);
    print_rules(schema->canonicals, schema->canonical_count, "canonical", true, out);
}

int ht_schema_field_index(const ht_schema *schema, const char *name) {
    for (size_t i = 0; i < schema->field_count; ++i)
        if (!strcmp(schema->fields[i].name, name))
            return (int)i;
    return -1;
}

int ht_schema_param_index(const ht_schema *schema, const char *name) {
    for (size_t i = 0; i < schema->param_count; ++i)
        if (!strcmp(schema->params[i].name, name))
            return (int)i;
    return -1;
}
