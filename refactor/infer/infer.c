/* Puts together the problem of a kernel: fields and scalars from the host, buffers from subscripts
 * and allocations, constant memory, and the origin of each; missing parts are '?'. */
#include "refactor/infer/infer_constant.h"
#include "refactor/infer/infer_deduce.h"
#include "refactor/infer/infer_grid.h"
#include "refactor/infer/infer_guard.h"
#include "refactor/infer/infer_host.h"
#include "refactor/infer/infer_record.h"
#include "refactor/infer/infer_size.h"
#include "refactor/infer/infer_texture.h"
#include "refactor/infer/infer_type.h"
#include "refactor/kernel/deduced.h"
#include "refactor/kernel_model/build.h"
#include "refactor/launch/symbol.h"
#include "refactor/unit/annotations.h"

#include "base/memory.h"
#include "templates/expr/expr_node.h"
#include "templates/expr/type.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- argument lines ---- */

enum { SMALL_VALUES = 64, FIRST_ELEMENTS = 1 << 16 };

static const char *role_of(const ht_parameter *parameter, const ht_infer_buffer *buffer,
                           bool complete) {
    if (parameter->is_const || (complete && !buffer->written))
        return "in";
    return complete && !buffer->read && !buffer->updated ? "out" : "inout";
}

/* Returns the name of an argument, which need not be the parameter's. */
static char *argument_name(const ht_parameter *parameter, size_t index) {
    if (!parameter->name[0])
        return ht_format("arg%zu", index);
    return ht_format(ht_expr_reserved(parameter->name) ? "%s_arg" : "%s", parameter->name);
}

/* Returns true if the subscripts of a buffer are not known. */
static bool any_open(const ht_infer *in) {
    bool any = false;
    for (size_t i = 0; i < in->field_count; ++i)
        any = any || (in->fields[i].tried && in->fields[i].value == FIRST_ELEMENTS);
    return any;
}

static char *buffer_line(ht_infer *in, const ht_infer_buffers *buffers, size_t index) {
    const ht_parameter *parameter = &in->slots.items[index];
    const ht_infer_buffer *buffer = &buffers->items[index];
    long long parts;
    char *name = argument_name(parameter, index);
    char *type = ht_infer_type(in->model, parameter, &parts);
    const char *written = parameter->pointee;
    if (!type)
        ht_infer_miss(in, ht_ast_line(parameter->cursor),
                      "the type of '%s', %s, is not one that a problem file describes", name,
                      written);
    int64_t limit = buffer->array == SIZE_MAX ? 0 : ht_infer_buffers_limit(buffers, buffer->array);
    const char *role = role_of(parameter, buffer, buffers->km->complete);
    if (!limit && type && strcmp(role, "out") != 0 && any_open(in) && ht_type_integral(type))
        limit = SMALL_VALUES; /* any integer may be a subscript */
    bool structures =
        type && strcmp(role, "out") != 0 && parts != 1 && ht_infer_type_mixed(in->model, parameter);
    char *records = structures ? ht_infer_type_records(in->model, parameter) : NULL;
    if (structures && !records)
        ht_infer_miss(in, ht_ast_line(parameter->cursor),
                      "the contents of '%s', which are structures (%s)", name, written);
    char *contents = records      ? ht_format(" %s", records)
                     : structures ? ht_strdup(" file(?)")
                     : limit      ? ht_format(" integers(0, %lld)", (long long)limit - 1)
                                  : ht_strdup("");
    char *elements = parts == 0 ? ht_strdup("?")
                     : in->extents[index] && parts > 1
                         ? ht_format("(%s) * %lld", in->extents[index], parts)
                         : ht_strdup(in->extents[index] ? in->extents[index] : "?");
    char *line = ht_format("%s : %s %s[%s]%s", name, role, type ? type : "?", elements, contents);
    free(records);
    free(elements);
    free(contents);
    free(name);
    free(type);
    return line;
}

static char *scalar_line(ht_infer *in, size_t index) {
    const ht_parameter *parameter = &in->slots.items[index];
    char *name = argument_name(parameter, index), *type = ht_infer_type(in->model, parameter, NULL);
    if (!type || !in->scalars[index])
        ht_infer_miss(in, ht_ast_line(parameter->cursor), "the value of argument '%s' (%s)", name,
                      parameter->type);
    char *line = ht_format("%s : %s = %s", name, type ? type : "?",
                           type && in->scalars[index] ? in->scalars[index] : "?");
    free(name);
    free(type);
    return line;
}

/* ---- extents ---- */

/* Chooses the allocation's size if it is proved to be enough or nothing else is known; else the
 * size that the subscripts need. */
static void extent_choose(ht_infer *in, ht_sizes *sizes, size_t index, char *allocated, int line) {
    const ht_infer_buffer *buffer = &sizes->buffers->items[index];
    const char *name = in->slots.items[index].name;
    int64_t first, elements;
    bool begins = buffer->first && ht_sizes_value(sizes, buffer->first, &first) && first >= 0;
    bool proved = buffer->extent && begins && ht_sizes_value(sizes, buffer->extent, &elements);
    if (allocated && proved && ht_sizes_at_least(sizes, allocated, buffer->extent)) {
        in->extents[index] = allocated;
        ht_text_printf(&in->origins[index], "allocated in line %d, covers all subscripts", line);
        return;
    }
    if (proved) {
        in->extents[index] = ht_strdup(buffer->extent);
        ht_text_printf(&in->origins[index], "subscripts up to line %d", buffer->last_line);
        free(allocated);
        return;
    }
    if (allocated && ht_sizes_value(sizes, allocated, &elements) && elements > 0) {
        in->extents[index] = allocated;
        in->from_host[index] = true;
        ht_text_printf(&in->origins[index], "allocated in line %d", line);
        return;
    }
    free(allocated);
    bool negative = !buffer->problem && !begins;
    in->open_lines[index] = negative ? buffer->last_line : buffer->line;
    in->open[index] = buffer->problem ? ht_format("the elements of '%s': %s", name, buffer->problem)
                      : negative
                          ? ht_format("the elements of '%s': a subscript may be negative (line %d)",
                                      name, buffer->last_line)
                          : ht_format("the elements of '%s'", name);
}

/* Returns true if everything but the number of buffers' elements is known. */
static bool may_try(const ht_infer *in) {
    bool all = !in->missing.length;
    for (size_t i = 0; i < in->slots.count && all; ++i) {
        long long parts;
        char *type = ht_infer_type(in->model, &in->slots.items[i], &parts);
        all = in->slot_records[i].is_record || in->slot_records[i].is_array ||
              (type && (in->slots.items[i].is_pointer || in->scalars[i]));
        free(type);
    }
    return all;
}

/* Leaves a buffer's elements to a run: a field of its own. Where the allocation is known, it holds
 * at least that. Returns false if the field's name is taken. */
static bool elements_try(ht_infer *in, size_t index) {
    char *name = ht_format("%s" HT_TRIED_SUFFIX, in->slots.items[index].name);
    for (char *dot; (dot = strchr(name, '.')) != NULL;) /* of a structure's field */
        *dot = '_';
    char *allocated = in->extents[index];
    for (size_t i = 0; i < in->field_count; ++i)
        if (strcmp(in->fields[i].name, name) == 0) {
            free(name);
            return false;
        }
    HT_GROW(in->fields, in->field_count);
    in->fields[in->field_count++] = (ht_infer_field){.name = name,
                                                     .declaration = clang_getNullCursor(),
                                                     .value = allocated ? 1 : FIRST_ELEMENTS,
                                                     .tried = true};
    in->extents[index] = allocated ? ht_format("max(%s, problem.%s)", allocated, name)
                                   : ht_format("problem.%s", name);
    if (in->open[index])
        ht_text_printf(&in->origins[index], "as many as a run touches (%s)", in->open[index]);
    free(allocated);
    return true;
}

static void open_settle(ht_infer *in, bool tries) {
    tries = tries && may_try(in);
    for (size_t i = 0; i < in->slots.count; ++i) {
        bool tried = tries && (in->open[i] || in->from_host[i]) && elements_try(in, i);
        if (in->open[i] && !tried)
            ht_infer_miss(in, in->open_lines[i], "%s", in->open[i]);
    }
}

/* Finds the allocations. Call it before values are chosen, since allocations may depend on further
 * variables. */
static void allocations_find(ht_infer *in) {
    for (size_t i = 0; i < in->slots.count; ++i) {
        ht_expr *expr;
        if (!in->slots.items[i].is_pointer)
            continue;
        char *text = ht_infer_allocation(in, i, &in->allocated_lines[i]);
        if (text && ht_expr_parse(text, (ht_place){0}, &expr, NULL) == HT_OK) {
            in->allocated[i] = ht_expr_string(expr);
            ht_expr_free(expr);
        }
        free(text);
    }
}

static void extents_choose(ht_infer *in, ht_sizes *sizes) {
    for (size_t i = 0; i < in->slots.count; ++i)
        if (in->slots.items[i].is_pointer && !in->extents[i]) {
            char *allocated = in->allocated[i] ? ht_strdup(in->allocated[i]) : NULL;
            extent_choose(in, sizes, i, allocated, in->allocated_lines[i]);
        }
}

/* ---- fields that nothing needs ---- */

static bool mentions_field(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = text ? strstr(text, "problem.") : NULL; at;
         at = strstr(at + 8, "problem."))
        if (strncmp(at + 8, name, length) == 0 &&
            strspn(at + 8 + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789_") == 0)
            return true;
    return false;
}

static void fields_prune(ht_infer *in, const ht_grid *grid) {
    size_t kept = 0;
    for (size_t i = 0; i < in->field_count; ++i) {
        ht_infer_field *field = &in->fields[i];
        bool used = mentions_field(grid->lds, field->name);
        for (int axis = 0; axis < 3; ++axis)
            used = used || mentions_field(grid->original[axis], field->name);
        for (size_t p = 0; p < in->slots.count; ++p)
            used = used || mentions_field(in->scalars[p], field->name) ||
                   mentions_field(in->extents[p], field->name);
        if (used)
            in->fields[kept++] = *field;
        else {
            free(field->name);
            ht_symbol_free((ht_symbol *)(size_t)field->initial);
        }
    }
    in->field_count = kept;
}

/* ---- the document ---- */

static void line_add(ht_infer *in, const ht_infer_buffers *buffers, size_t index, json_t *args) {
    char *line;
    if (in->slot_records[index].is_record) {
        char *name = argument_name(&in->slots.items[index], index);
        line = ht_infer_record_line(in, index, name);
        free(name);
    } else if (in->slot_records[index].is_array)
        line = ht_infer_array_line(in, index);
    else
        line = in->slots.items[index].is_pointer ? buffer_line(in, buffers, index)
                                                 : scalar_line(in, index);
    json_array_append_new(args, json_string(line));
    free(line);
}

static json_t *arguments_make(ht_infer *in, const ht_infer_buffers *buffers) {
    json_t *args = json_array();
    for (size_t i = 0; i < in->model->parameters.count; ++i) {
        line_add(in, buffers, i, args);
        for (size_t j = in->model->parameters.count; j < in->slots.count; ++j)
            if (in->slot_records[j].owner == i)
                line_add(in, buffers, j, args);
    }
    ht_infer_constants(in, args);
    return args;
}

/* Returns the line of sizes. If parts of the problem are missing, sizes may be missing as well, and
 * are to be filled in here and below. */
static json_t *family_make(const ht_infer *in, bool complete) {
    ht_text text = {0};
    ht_text_printf(&text, "%s_sizes : ", in->model->name);
    for (size_t i = 0; i < in->field_count; ++i)
        if (in->fields[i].tried)
            ht_text_printf(&text, i ? ", %s = %lld" : "%s = %lld", in->fields[i].name,
                           (long long)in->fields[i].value);
        else
            ht_text_printf(&text, i ? ", %s" : "%s", in->fields[i].name);
    if (!in->field_count)
        ht_text_append(&text, complete ? "constants = 1"
                                       : "?"); /* every size is a constant of the source */
    json_t *value = json_string(text.data);
    ht_text_free(&text);
    return value;
}

static json_t *instances_make(const ht_infer *in, bool complete) {
    json_t *fields = json_object();
    for (size_t i = 0; i < in->field_count; ++i)
        json_object_set_new(fields, in->fields[i].name,
                            in->fields[i].value > 0 || in->fields[i].known
                                ? json_integer(in->fields[i].value)
                                : json_string("?"));
    if (!complete && !in->field_count)
        json_object_set_new(fields, "?", json_string("?"));
    return json_pack("[{s:s, s:o}]", "name", "inferred", "fields", fields);
}

/* Says where each part comes from, for people. */
static json_t *description_make(const ht_infer *in, const ht_sizes *sizes) {
    const ht_model *model = in->model;
    const ht_launches *launches = &model->facts->launches;
    ht_text text = {0};
    ht_text_printf(&text, "inferred from %s:%d", model->facts->source->path,
                   ht_ast_line(model->definition.function));
    if (launches->count)
        ht_text_printf(&text, ", launched at %s:%d",
                       model->facts->source->files[launches->items[0].file].path,
                       launches->items[0].line);
    else if (model->facts->supposed)
        ht_text_append(&text, ", nothing launches it: block and grid are chosen");
    if (in->own_grid)
        ht_text_append(&text, "; the grid is not followed: blocks are sizes of their own");
    for (size_t i = 0; i < in->slots.count; ++i)
        if (in->origins[i].length)
            ht_text_printf(&text, "; %s: %s", in->slots.items[i].name, in->origins[i].data);
    for (size_t i = 0; i < in->field_count; ++i)
        if (!in->fields[i].tried)
            ht_text_printf(&text, in->fields[i].known ? "; %s: line %d" : "; %s: chosen",
                           in->fields[i].name, in->fields[i].line);
    if (sizes && sizes->smaller)
        ht_text_append(&text, "; sizes made smaller than the source's");
    json_t *value = json_string(text.data);
    ht_text_free(&text);
    return value;
}

/* Writes the template arguments, without the last ones that defaults fill in. */
static json_t *template_make(const ht_model *model) {
    json_t *list = json_array();
    size_t count = model->facts->template_parameters.count;
    while (count &&
           ht_template_parameter_falls_back(&model->facts->template_parameters.items[count - 1]))
        --count;
    for (size_t i = 0; i < count; ++i) {
        char *known = ht_template_argument_text(&model->facts->template_parameters.items[i]);
        json_array_append_new(list, json_string(known ? known : "?"));
        free(known);
    }
    return list;
}

static bool lacks_template(const ht_model *model) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->template_parameters.count; ++i) {
        const ht_template_parameter *parameter = &facts->template_parameters.items[i];
        if (!parameter->argument && !ht_template_parameter_falls_back(parameter))
            return true;
    }
    return false;
}

static json_t *extents_make(ht_expr *const axes[3]) {
    json_t *list = json_array();
    for (int axis = 0; axis < 3 && axes[axis]; ++axis) {
        char *text = ht_expr_string(axes[axis]);
        json_array_append_new(list, json_string(text));
        free(text);
    }
    return list;
}

/* Returns the text of the problem file. `host`: something in the launch is unknown. */
static char *document_make(ht_infer *in, const ht_infer_buffers *buffers, const ht_sizes *sizes,
                           bool has_template, bool host) {
    json_t *kernel = json_object(), *args = arguments_make(in, buffers);
    bool complete = !in->missing.length;
    json_object_set_new(kernel, "kernel", json_string(in->model->qualified));
    json_object_set_new(kernel, "description", description_make(in, sizes));
    json_object_set_new(kernel, "problem", family_make(in, complete));
    json_object_set_new(kernel, "args", args);
    if (has_template || lacks_template(in->model))
        json_object_set_new(kernel, "template", template_make(in->model));
    if (host)
        json_object_set_new(kernel, "host", json_pack("{s:s}", "?", "?"));
    if (!in->model->launch_known) {
        json_object_set_new(kernel, "block", json_pack("[s]", "?"));
        json_object_set_new(kernel, "grid", json_pack("[s]", "?"));
    } else if (in->model->facts->supposed || in->own_grid) {
        json_object_set_new(kernel, "block", extents_make(in->entry->block));
        json_object_set_new(kernel, "grid", extents_make(in->entry->grid));
    }
    json_object_set_new(kernel, "instances", instances_make(in, complete));
    json_t *root = json_pack("{s:s, s:i, s:[o]}", "format", "hiptemper-problem", "version", 1,
                             "kernels", kernel);
    char *dump = json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    char *text = ht_format("%s\n", dump ? dump : "{}");
    free(dump);
    json_decref(root);
    return text;
}

/* ---- all together ---- */

static void infer_init(ht_infer *in, ht_model *model, const ht_slice *slice) {
    *in = (ht_infer){.model = model, .slice = slice};
    ht_infer_slots_make(in);
    size_t count = in->slots.count + 1;
    in->allocated = ht_alloc(count, sizeof *in->allocated);
    in->allocated_lines = ht_alloc(count, sizeof *in->allocated_lines);
    in->parts = ht_alloc(count, sizeof *in->parts);
    in->scalars = ht_alloc(count, sizeof *in->scalars);
    in->extents = ht_alloc(count, sizeof *in->extents);
    in->open = ht_alloc(count, sizeof *in->open);
    in->open_lines = ht_alloc(count, sizeof *in->open_lines);
    in->from_host = ht_alloc(count, sizeof *in->from_host);
    in->origins = ht_alloc(count, sizeof *in->origins);
    in->entry = ht_alloc(1, sizeof *in->entry);
    for (int axis = 0; model->facts->supposed && axis < 3; ++axis) { /* borrowed */
        in->entry->block[axis] = model->facts->supposed->block[axis];
        in->entry->grid[axis] = model->facts->supposed->grid[axis];
    }
    model->entry = in->entry;
}

static void infer_free(ht_infer *in) {
    for (size_t i = 0; i < in->slots.count; ++i) {
        for (int part = 0; part < 4; ++part)
            free(in->parts[i][part]);
        free(in->scalars[i]);
        free(in->allocated[i]);
        free(in->extents[i]);
        free(in->open[i]);
        ht_text_free(&in->origins[i]);
    }
    for (size_t i = 0; i < in->field_count; ++i) {
        free(in->fields[i].name);
        ht_symbol_free((ht_symbol *)(size_t)in->fields[i].initial);
    }
    free(in->scalars);
    free(in->parts);
    free(in->allocated);
    free(in->allocated_lines);
    free(in->extents);
    free(in->open);
    free(in->open_lines);
    free(in->from_host);
    free(in->origins);
    free(in->fields);
    ht_infer_slots_free(in);
    ht_infer_grid_free(in);
    ht_problem_spec_free(&in->entry->spec);
    free(in->entry);
    in->model->entry = NULL;
    ht_text_free(&in->missing);
}

static bool launch_check(ht_infer *in, const ht_grid *grid) {
    const ht_launches *launches = &in->model->facts->launches;
    int line = launches->count && launches->items[0].file == 0 ? launches->items[0].line : 0;
    bool known = true;
    if (!launches->count && !in->model->facts->supposed)
        ht_infer_miss(in, 0, "a launch of it: block and grid");
    else if (grid->missing.length)
        ht_infer_miss(in, line, "%s", grid->missing.data);
    for (int axis = 0; axis < 3; ++axis)
        known = known && grid->original[axis] && grid->block[axis];
    if ((!known || !in->model->launch_known) && !in->missing.length)
        ht_infer_miss(in, line, "block and grid of the launch: %s",
                      in->model->facts->problem.text ? in->model->facts->problem.text
                                                     : "not followed");
    return known;
}

/* How a problem is inferred. */
typedef struct manner {
    ht_infer_manner given;
    bool has_template;
    bool free_numbers; /* see ht_infer */
} manner;

/* Returns true unless sizes take too much memory. */
static bool infer(ht_model *model, const ht_slice *slice, manner how, ht_inferred *out) {
    ht_infer in;
    ht_grid grid;
    ht_infer_buffers buffers;
    bool fits = true;
    infer_init(&in, model, slice);
    in.free_numbers = how.free_numbers;
    ht_infer_host(&in);
    ht_infer_guards(&in);
    ht_infer_textures(&in);
    if (how.given.own_grid)
        ht_infer_grid_own(&in);
    ht_grid_read(model, &grid);
    bool launched = launch_check(&in, &grid);
    allocations_find(&in);
    ht_kernel_model *km = ht_kernel_model_scan(model, (ht_km_variant){0});
    ht_infer_buffers_find(&in, km, &grid, &buffers);
    ht_sizes sizes = {.in = &in, .grid = &grid, .buffers = &buffers};
    if (launched && ht_sizes_choose(&sizes)) {
        extents_choose(&in, &sizes);
        open_settle(&in, how.given.tries);
        if (!in.missing.length)
            fits = ht_sizes_check(&sizes, ht_infer_constants_bytes(&in));
    }
    if (!in.missing.length)
        fields_prune(&in, &grid);
    char *text = document_make(&in, &buffers, &sizes, how.has_template,
                               (in.unclear || grid.missing.length) && model->facts->launches.count);
    *out = (ht_inferred){.text = text, .line = in.missing_line, .launched = launched};
    if (in.missing.length)
        out->missing = ht_text_take(&in.missing);
    ht_infer_buffers_free(&buffers);
    ht_grid_free(&grid);
    infer_free(&in);
    return fits;
}

/* Numbers that only initialise a variable (`int n = 1 << 20;`) are taken for sizes, which other
 * values may have: a check at more than the program's own, and smaller ones where these are too
 * large. Where the problem would not be known with them, they are constants. */
void ht_infer_problem(ht_model *model, const ht_slice *slice, ht_infer_manner given,
                      ht_inferred *out) {
    manner how = {given, ht_infer_deduce(model), true}; /* types of fields may hang on it */
    bool fits = infer(model, slice, how, out);
    if (fits && !out->missing)
        return;
    ht_inferred fixed;
    how.free_numbers = false;
    bool fixed_fits = infer(model, slice, how, &fixed);
    bool better = !fixed.missing && (out->missing || fixed_fits > fits);
    if (better) {
        free(out->text);
        free(out->missing);
        *out = fixed;
    } else {
        free(fixed.text);
        free(fixed.missing);
    }
}
