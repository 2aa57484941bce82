/* The members of a problem file's entry: one function each. */
#include "templates/problem_file/problem_entry.h"
#include "templates/annotations/launch.h"
#include "templates/annotations/reference.h"
#include "templates/annotations/template_draft.h"
#include "templates/annotations/template_names.h"
#include "templates/expr/type.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Returns the entry seen as a template, so that names are checked by the same rules. Borrows
 * everything. */
static ht_template as_template(const ht_problem_entry *entry) {
    return (ht_template){.name = entry->kernel,
                         .problem = entry->spec,
                         .args = entry->args,
                         .arg_count = entry->arg_count};
}

static ht_status check_expr(ht_json_reader *reader, const ht_problem_entry *entry,
                            const ht_expr *expr) {
    ht_template template = as_template(entry);
    return ht_json_fail_inside(
        reader, ht_template_check_expr(&template, expr, false, entry->arg_count, reader->error));
}

ht_status ht_problem_entry_read_problem(ht_json_reader *reader, const json_t *object,
                                        ht_problem_entry *entry) {
    const json_t *value = json_object_get(object, "problem");
    const char *text;
    if (!value)
        return ht_json_fail(reader, "\"problem\" is missing");
    size_t mark = ht_json_enter(reader, "problem");
    ht_status status = ht_json_string(reader, value, &text);
    if (status == HT_OK)
        status = ht_json_fail_inside(reader,
                                     ht_problem_spec_parse(text, (ht_place){.file = reader->file},
                                                           &entry->spec, reader->error));
    ht_json_leave(reader, mark);
    return status;
}

static ht_status read_arg(ht_json_reader *reader, const json_t *value, ht_problem_entry *entry) {
    const char *text;
    ht_status status = ht_json_string(reader, value, &text);
    if (status != HT_OK)
        return status;
    if (entry->arg_count == HT_ARG_MAX)
        return ht_json_fail(reader, "a kernel has at most %d arguments", HT_ARG_MAX);
    HT_GROW(entry->args, entry->arg_count);
    ht_arg *arg = &entry->args[entry->arg_count];
    status = ht_json_fail_inside(
        reader, ht_arg_parse(text, (ht_place){.file = reader->file}, arg, reader->error));
    if (status != HT_OK)
        return status;
    size_t index = entry->arg_count++;
    for (size_t v = 0; status == HT_OK && v < arg->value_count; ++v) {
        ht_template template = as_template(entry);
        status = ht_json_fail_inside(
            reader, ht_template_check_expr(&template, arg->values[v], false, index, reader->error));
    }
    if (status == HT_OK && !arg->is_struct && !ht_type_size(arg->type))
        status = ht_json_fail(reader, "the size of type '%s' is not known", arg->type);
    return status;
}

static ht_status read_args(ht_json_reader *reader, const json_t *array, ht_problem_entry *entry) {
    if (!json_is_array(array))
        return ht_json_fail(reader, "expected a list [...] of arguments");
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < json_array_size(array); ++i) {
        size_t mark = ht_json_enter_index(reader, i);
        status = read_arg(reader, json_array_get(array, i), entry);
        ht_json_leave(reader, mark);
    }
    if (status != HT_OK)
        return status;
    ht_template template = as_template(entry);
    status = ht_json_fail_inside(reader, ht_template_check_namespace(&template, reader->error));
    for (size_t i = 0; status == HT_OK && i < entry->arg_count; ++i) {
        size_t mark = ht_json_enter_index(reader, i);
        if (entry->args[i].extent) /* may use scalars that come later in the kernel's order */
            status = check_expr(reader, entry, entry->args[i].extent);
        ht_json_leave(reader, mark);
    }
    return status;
}

static ht_status read_host(ht_json_reader *reader, const json_t *object, ht_problem_entry *entry) {
    const char *key;
    json_t *value;
    ht_status status = HT_OK;
    if (!json_is_object(object))
        return ht_json_fail(reader, "expected an object {\"NAME\": \"EXPRESSION\", ...}");
    json_object_foreach((json_t *)object, key, value) {
        size_t mark = ht_json_enter(reader, key);
        HT_GROW(entry->host, entry->host_count);
        ht_host_value *host = &entry->host[entry->host_count];
        status = ht_json_expr(reader, value, &host->expr);
        if (status == HT_OK) {
            host->name = ht_strdup(key);
            ++entry->host_count;
            status = check_expr(reader, entry, host->expr);
        }
        ht_json_leave(reader, mark);
        if (status != HT_OK)
            return status;
    }
    return HT_OK;
}

static ht_status read_axes(ht_json_reader *reader, const json_t *array, ht_problem_entry *entry,
                           ht_expr **axes) {
    size_t count = json_array_size(array);
    if (!json_is_array(array) || !count || count > 3)
        return ht_json_fail(reader, "expected a list of 1 to 3 expressions");
    for (size_t i = 0; i < count; ++i) {
        size_t mark = ht_json_enter_index(reader, i);
        ht_status status = ht_json_expr(reader, json_array_get(array, i), &axes[i]);
        if (status == HT_OK)
            status = check_expr(reader, entry, axes[i]);
        ht_json_leave(reader, mark);
        if (status != HT_OK)
            return status;
    }
    return HT_OK;
}

static ht_status read_block(ht_json_reader *reader, const json_t *value, ht_problem_entry *entry) {
    return read_axes(reader, value, entry, entry->block);
}

static ht_status read_grid(ht_json_reader *reader, const json_t *value, ht_problem_entry *entry) {
    return read_axes(reader, value, entry, entry->grid);
}

static ht_status read_lds(ht_json_reader *reader, const json_t *value, ht_problem_entry *entry) {
    ht_status status = ht_json_expr(reader, value, &entry->lds);
    return status == HT_OK ? check_expr(reader, entry, entry->lds) : status;
}

static ht_status read_template(ht_json_reader *reader, const json_t *array,
                               ht_problem_entry *entry) {
    if (!json_is_array(array))
        return ht_json_fail(reader, "expected a list of template arguments as strings");
    for (size_t i = 0; i < json_array_size(array); ++i) {
        const char *text;
        size_t mark = ht_json_enter_index(reader, i);
        ht_status status = ht_json_string(reader, json_array_get(array, i), &text);
        char *argument = NULL;
        if (status == HT_OK)
            status = ht_json_fail_inside(
                reader,
                ht_template_argument_parse(ht_span_of(text, (ht_place){.file = reader->file}),
                                           &argument, reader->error));
        ht_json_leave(reader, mark);
        if (status != HT_OK)
            return status;
        HT_GROW(entry->template_arguments, entry->template_argument_count);
        entry->template_arguments[entry->template_argument_count++] = argument;
    }
    return HT_OK;
}

static ht_status read_reference(ht_json_reader *reader, const json_t *value,
                                ht_problem_entry *entry) {
    ht_launch launch;
    const char *text;
    ht_status status = ht_json_string(reader, value, &text);
    if (status == HT_OK)
        status = ht_json_fail_inside(reader, ht_launch_parse(text, (ht_place){.file = reader->file},
                                                             &launch, reader->error));
    if (status != HT_OK)
        return status;
    if (!ht_reference_is_builtin(launch.kernel) || launch.template_argument_count)
        status = ht_json_fail(reader, "'%.80s' is no built-in reference; there is: %s",
                              launch.kernel, ht_reference_builtin_names());
    ht_template template = as_template(entry);
    for (size_t i = 0; status == HT_OK && i < launch.argument_count; ++i)
        if (!ht_template_arg(&template, launch.arguments[i]))
            status =
                ht_json_fail(reader, "'%.80s' is not one of the arguments", launch.arguments[i]);
    if (status == HT_OK) {
        entry->has_reference = true;
        entry->reference_name = ht_strdup(launch.kernel);
        entry->reference_arguments = launch.arguments;
        entry->reference_argument_count = launch.argument_count;
        launch.arguments = NULL;
        launch.argument_count = 0;
    }
    ht_launch_free(&launch);
    return status;
}

static ht_status read_tolerance(ht_json_reader *reader, const json_t *value,
                                ht_problem_entry *entry) {
    const char *text;
    entry->has_tolerance = true;
    if (json_is_number(value)) {
        entry->tolerance = json_number_value(value);
        return entry->tolerance > 0 ? HT_OK : ht_json_fail(reader, "a tolerance must be positive");
    }
    ht_status status = ht_json_string(reader, value, &text);
    if (status != HT_OK)
        return status;
    return ht_json_fail_inside(
        reader, ht_tolerance_parse_span(ht_span_of(text, (ht_place){.file = reader->file}),
                                        &entry->exact, &entry->tolerance, reader->error));
}

static ht_status read_fields(ht_json_reader *reader, const json_t *fields, const char *name,
                             const ht_problem_spec *spec, ht_problem *out) {
    const char *key;
    json_t *value;
    ht_status status = HT_OK;
    size_t count = 0;
    if (!json_is_object(fields))
        return ht_json_fail(reader, "expected an object {\"FIELD\": NUMBER, ...}");
    ht_problem_value *given = ht_alloc(json_object_size(fields) + 1, sizeof *given);
    json_object_foreach((json_t *)fields, key, value) {
        if (!json_is_integer(value)) {
            size_t mark = ht_json_enter(reader, key);
            bool blank = json_is_null(value) ||
                         (json_is_string(value) && ht_json_placeholder(json_string_value(value)));
            status = blank ? ht_json_fail(reader, "fill in this field's number")
                           : ht_json_fail(reader, "expected an integer");
            ht_json_leave(reader, mark);
            break;
        }
        given[count++] = (ht_problem_value){(char *)key, json_integer_value(value)};
    }
    if (status == HT_OK)
        status = ht_json_fail_inside(reader, ht_problem_make(spec, name, given, count,
                                                             (ht_place){.file = reader->file}, out,
                                                             reader->error));
    free(given);
    return status;
}

static ht_status read_instance(ht_json_reader *reader, const json_t *object,
                               ht_problem_entry *entry) {
    static const char *const keys[] = {"name", "fields", NULL};
    const char *name = NULL;
    ht_status status = ht_json_check_keys(reader, object, keys);
    if (status != HT_OK)
        return status;
    const json_t *named = json_object_get(object, "name"),
                 *fields = json_object_get(object, "fields");
    if (named) {
        size_t mark = ht_json_enter(reader, "name");
        status = ht_json_string(reader, named, &name);
        for (size_t i = 0; status == HT_OK && i < entry->instance_count; ++i)
            if (!strcmp(entry->instances[i].name, name))
                status = ht_json_fail(reader, "two instances have the name \"%.80s\"", name);
        ht_json_leave(reader, mark);
    }
    if (status != HT_OK)
        return status;
    if (!fields)
        return ht_json_fail(reader, "\"fields\" is missing");
    size_t mark = ht_json_enter(reader, "fields");
    HT_GROW(entry->instances, entry->instance_count);
    ht_problem *instance = &entry->instances[entry->instance_count];
    status = read_fields(reader, fields, name, &entry->spec, instance);
    ht_json_leave(reader, mark);
    if (status != HT_OK)
        return status;
    ++entry->instance_count;
    if (!name) {
        free(instance->name);
        instance->name = ht_problem_string(&entry->spec, instance);
    }
    return HT_OK;
}

ht_status ht_problem_entry_read_instances(ht_json_reader *reader, const json_t *object,
                                          ht_problem_entry *entry) {
    const json_t *array = json_object_get(object, "instances");
    if (!array)
        return ht_json_fail(reader,
                            "\"instances\" is missing: list at least one problem to tune for");
    size_t outer = ht_json_enter(reader, "instances");
    ht_status status = HT_OK;
    if (!json_is_array(array) || !json_array_size(array))
        status = ht_json_fail(reader, "expected a list [...] of at least one instance");
    for (size_t i = 0; status == HT_OK && i < json_array_size(array); ++i) {
        size_t mark = ht_json_enter_index(reader, i);
        status = read_instance(reader, json_array_get(array, i), entry);
        ht_json_leave(reader, mark);
    }
    ht_json_leave(reader, outer);
    return status;
}

static ht_status read_kernel_name(ht_json_reader *reader, const json_t *object,
                                  ht_problem_entry *entry) {
    const json_t *value = json_object_get(object, "kernel");
    const char *text;
    ht_launch launch;
    if (!value)
        return ht_json_fail(reader, "\"kernel\" is missing");
    size_t mark = ht_json_enter(reader, "kernel");
    ht_status status = ht_json_string(reader, value, &text);
    if (status == HT_OK)
        status = ht_json_fail_inside(reader, ht_launch_parse(text, (ht_place){.file = reader->file},
                                                             &launch, reader->error));
    if (status == HT_OK) {
        if (launch.has_arguments || launch.template_argument_count)
            status = ht_json_fail(reader, "expected the kernel's name alone");
        else
            entry->kernel = ht_strdup(launch.kernel);
        ht_launch_free(&launch);
    }
    ht_json_leave(reader, mark);
    return status;
}

/* Optional members, in the order in which they need each other. */
static const struct {
    const char *key;
    ht_status (*read)(ht_json_reader *reader, const json_t *value, ht_problem_entry *entry);
} members[] = {{"args", read_args},
               {"host", read_host},
               {"block", read_block},
               {"grid", read_grid},
               {"lds", read_lds},
               {"template", read_template},
               {"reference", read_reference},
               {"tolerance", read_tolerance}};

ht_status ht_problem_entry_read(ht_json_reader *reader, const json_t *object,
                                ht_problem_entry *out_entry) {
    static const char *const keys[] = {
        "kernel", "description", "problem",   "args",      "host",      "block", "grid",
        "lds",    "template",    "reference", "tolerance", "instances", NULL};
    ht_status status = ht_json_check_keys(reader, object, keys);
    if (status == HT_OK)
        status = read_kernel_name(reader, object, out_entry);
    if (status == HT_OK)
        status = ht_problem_entry_read_problem(reader, object, out_entry);
    for (size_t i = 0; status == HT_OK && i < sizeof members / sizeof *members; ++i) {
        const json_t *value = json_object_get(object, members[i].key);
        if (!value)
            continue;
        size_t mark = ht_json_enter(reader, members[i].key);
        status = members[i].read(reader, value, out_entry);
        ht_json_leave(reader, mark);
    }
    if (status == HT_OK && !out_entry->block[0] != !out_entry->grid[0])
        status = ht_json_fail(reader, "\"block\" and \"grid\" are given together or not at all");
    if (status == HT_OK)
        status = ht_problem_entry_read_instances(reader, object, out_entry);
    return status;
}
