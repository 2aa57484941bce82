/* The names that the expressions of a schema may have. */
#include "predictor/schema/schema_internal.h"

#include "base/memory.h"
#include "templates/expr/expr_node.h"

#include <stdlib.h>
#include <string.h>

const char *ht_schema_kind_name(ht_schema_kind kind) {
    static const char *const names[] = {"unknown",      "a field",       "a parameter",
                                        "a local name", "an enumerator", "more than one thing"};
    return names[kind];
}

static int by_name(const void *left, const void *right) {
    return strcmp(((const ht_schema_entry *)left)->name, ((const ht_schema_entry *)right)->name);
}

ht_schema_name ht_schema_name_find(const ht_schema *schema, const char *name) {
    const ht_schema_entry key = {.name = name};
    const ht_schema_entry *found =
        bsearch(&key, schema->names, schema->name_count, sizeof key, by_name);
    return found ? found->what : (ht_schema_name){.kind = HT_SCHEMA_UNKNOWN};
}

static void add(ht_schema *schema, const char *name, ht_schema_kind kind, size_t index,
                int64_t number, const ht_place *place) {
    schema->names[schema->name_count++] =
        (ht_schema_entry){name, {.kind = kind, .index = index, .number = number}, place};
}

static void collect(ht_schema *schema) {
    size_t room = schema->field_count + schema->param_count + schema->let_count;
    for (size_t i = 0; i < schema->field_count; ++i)
        room += schema->fields[i].name_count;
    for (size_t i = 0; i < schema->param_count; ++i)
        room += schema->params[i].value_count;
    schema->names = ht_alloc(room, sizeof *schema->names);
    for (size_t i = 0; i < schema->field_count; ++i) {
        const ht_schema_field *field = &schema->fields[i];
        add(schema, field->name, HT_SCHEMA_FIELD, i, 0, &field->place);
        for (size_t v = 0; v < field->name_count; ++v)
            add(schema, field->names[v], HT_SCHEMA_ENUMERATOR, i, (int64_t)v, &field->place);
    }
    for (size_t i = 0; i < schema->param_count; ++i) {
        const ht_param *param = &schema->params[i];
        add(schema, param->name, HT_SCHEMA_PARAM, i, 0, &param->place);
        for (size_t v = 0; param->kind == HT_PARAM_ENUMERATION && v < param->value_count; ++v)
            add(schema, param->values[v].text, HT_SCHEMA_ENUMERATOR, i, param->values[v].number,
                &param->place);
    }
    for (size_t i = 0; i < schema->let_count; ++i)
        add(schema, schema->lets[i].name, HT_SCHEMA_LET, i, 0, &schema->lets[i].place);
}

/* Merges the names. An enumerator may have the name of something else as long as no expression uses
 * it: data have the names that they have. */
static ht_status merge(ht_schema *schema, ht_error *error) {
    size_t count = 0;
    for (size_t i = 0; i < schema->name_count; ++i) {
        const ht_schema_entry *entry = &schema->names[i];
        ht_schema_entry *last = count ? &schema->names[count - 1] : NULL;
        if (!last || strcmp(last->name, entry->name) != 0) {
            schema->names[count++] = *entry;
            continue;
        }
        bool same = last->what.kind == HT_SCHEMA_ENUMERATOR &&
                    entry->what.kind == HT_SCHEMA_ENUMERATOR &&
                    last->what.number == entry->what.number;
        bool enumerator =
            last->what.kind >= HT_SCHEMA_ENUMERATOR || entry->what.kind >= HT_SCHEMA_ENUMERATOR;
        if (!enumerator)
            return ht_error_set_at(error, HT_ERROR_INPUT, entry->place->file, entry->place->line,
                                   entry->place->column, "%s is already %s; choose another name",
                                   entry->name, ht_schema_kind_name(last->what.kind));
        if (!same)
            last->what.kind = HT_SCHEMA_AMBIGUOUS;
    }
    schema->name_count = count;
    return HT_OK;
}

ht_status ht_schema_names_make(ht_schema *schema, ht_error *error) {
    collect(schema);
    for (size_t i = 0; i < schema->name_count; ++i) {
        const ht_schema_entry *entry = &schema->names[i];
        if (ht_expr_reserved(entry->name) || ht_type_size(entry->name))
            return ht_error_set_at(error, HT_ERROR_INPUT, entry->place->file, entry->place->line,
                                   entry->place->column,
                                   "%s is a word of the expression language or a type and cannot "
                                   "be a name; choose another",
                                   entry->name);
    }
    qsort(schema->names, schema->name_count, sizeof *schema->names, by_name);
    return merge(schema, error);
}

/* The names that one expression may have. */
typedef struct check {
    const ht_schema *schema;
    size_t field_limit, let_limit; /* this many of the first */
    const char *no_params;         /* why parameters cannot be named; NULL when they can */
    bool fields_only;              /* found */
    ht_error *error;
} check;

static ht_status refuse(const check *c, ht_place at, const char *name, const char *why) {
    return ht_error_set_at(c->error, HT_ERROR_INPUT, at.file, at.line, at.column, "'%.60s' %s",
                           name, why);
}

static ht_status visit(void *context, const ht_node *node, ht_place at) {
    check *c = context;
    ht_schema_name name = ht_schema_name_find(c->schema, node->name);
    bool over_params =
        name.kind == HT_SCHEMA_PARAM || (name.kind == HT_SCHEMA_LET && name.index < c->let_limit &&
                                         !c->schema->lets[name.index].fields_only);
    if (over_params && c->no_params)
        return refuse(c, at, node->name, c->no_params);
    if (node->kind == HT_NODE_SIZEOF) {
        bool type =
            name.kind == HT_SCHEMA_PARAM && c->schema->params[name.index].kind == HT_PARAM_TYPE;
        c->fields_only &= !type;
        return type || ht_type_size(node->name)
                   ? HT_OK
                   : refuse(c, at, node->name, "is no known type and no parameter of types");
    }
    c->fields_only &= !over_params;
    if (name.kind == HT_SCHEMA_UNKNOWN)
        return refuse(c, at, node->name,
                      "is no field, parameter, local name (let) or enumerator of this schema");
    if (name.kind == HT_SCHEMA_AMBIGUOUS)
        return refuse(c, at, node->name,
                      "stands for more than one thing here; rename the local name, or compare with "
                      "a number");
    if (name.kind == HT_SCHEMA_FIELD && name.index >= c->field_limit)
        return refuse(c, at, node->name, "is not an earlier field");
    if (name.kind == HT_SCHEMA_LET && name.index >= c->let_limit)
        return refuse(c, at, node->name, "is not defined before this; move its let(...) up");
    return HT_OK;
}

static ht_status check_rules(const check *allowed, ht_schema_rule *rules, size_t count, bool lets) {
    for (size_t i = 0; i < count; ++i) {
        check c = *allowed;
        c.fields_only = true;
        if (lets)
            c.let_limit = i;
        ht_status status = ht_expr_walk_names(rules[i].expr, visit, &c);
        if (status != HT_OK)
            return status;
        rules[i].fields_only = c.fields_only;
    }
    return HT_OK;
}

ht_status ht_schema_expressions_check(ht_schema *schema, ht_error *error) {
    check all = {schema, schema->field_count, schema->let_count, NULL, true, error};
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < schema->field_count; ++i) {
        check c = {schema, i,    0, "is a parameter; a field's value is made of earlier fields",
                   true,   error};
        if (schema->fields[i].fallback)
            status = ht_expr_walk_names(schema->fields[i].fallback, visit, &c);
    }
    if (status == HT_OK)
        status = check_rules(&all, schema->lets, schema->let_count, true);
    check problem = all;
    problem.no_params = "is a parameter or is made of one; features are over fields alone";
    if (status == HT_OK)
        status = check_rules(&problem, schema->features, schema->feature_count, false);
    if (status == HT_OK)
        status = check_rules(&all, schema->requires, schema->require_count, false);
    if (status == HT_OK)
        status = check_rules(&all, schema->admits, schema->admit_count, false);
    if (status == HT_OK)
        status = check_rules(&all, schema->canonicals, schema->canonical_count, false);
    return status;
}
