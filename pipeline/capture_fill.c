#include "pipeline/capture_fill.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/capture_contents.h"
#include "pipeline/capture_filling.h"
#include "pipeline/capture_name.h"
#include "runtime/buffers/element.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 4 };

void ht_filling_fail(ht_filling *in, char *words) {
    if (in->problem)
        free(words);
    else
        in->problem = words;
}

/* ---- what the entry has ---- */

/* Finds where a field lies in its structure. */
static bool place_find(const ht_filling *in, const char *name, size_t *out_place,
                       size_t *out_size) {
    size_t length = strlen(name);
    for (const char *at = in->kernel->places; at != NULL && *at; at += strcspn(at, "\n") + 1) {
        if (strncmp(at, name, length) != 0 || at[length] != ' ')
            continue;
        char *end;
        *out_place = strtoul(at + length, &end, 10);
        *out_size = strtoul(end, NULL, 10);
        return *out_size > 0;
    }
    return false;
}

/* The pointer at a place of a structure, or the structure that is one pointer. */
static const ht_captured_argument *pointer_at(const ht_captured_launch *launch, size_t argument,
                                              size_t place) {
    if (launch->arguments[argument].has_memory && place == 0)
        return &launch->arguments[argument];
    for (uint32_t i = launch->argument_count; i < launch->argument_count + launch->part_count; ++i)
        if (launch->arguments[i].of == argument && launch->arguments[i].place == place)
            return &launch->arguments[i];
    return NULL;
}

/* Takes a field's bytes out of the structure. Returns false if they were not kept. */
static bool part_take(const ht_filling *in, const ht_capture_line *line, size_t argument,
                      size_t launch, ht_captured_argument *out) {
    const ht_captured_launch *of = in->kernel->launches[launch];
    const ht_captured_argument *whole = &of->arguments[argument];
    size_t place, size;
    if (!place_find(in, line->name, &place, &size) || place + size > HT_CAPTURE_VALUE ||
        place + size > whole->size)
        return false;
    if (line->role && size == sizeof(void *)) {
        const ht_captured_argument *pointer = pointer_at(of, argument, place);
        *out = pointer != NULL ? *pointer : (ht_captured_argument){.size = sizeof(void *)};
        return true;
    }
    *out = (ht_captured_argument){.size = (uint32_t)size};
    memcpy(out->value, whole->value + place, size);
    return true;
}

/* Takes a field out of the structure of each launch. */
static void parts_take(ht_filling *in, size_t index, size_t argument) {
    const ht_capture_line *line = &in->lines[index];
    in->arguments[index] = argument;
    in->parts[index] = ht_alloc(in->kernel->count + 1, sizeof **in->parts);
    for (size_t i = 0; i < in->kernel->count; ++i)
        if (argument >= in->kernel->launches[i]->argument_count ||
            !part_take(in, line, argument, i, &in->parts[index][i]))
            ht_filling_fail(in,
                            ht_format("the field '%s' of a structure is not known", line->name));
}

/* Adds a line. A field, whose name has a dot, belongs to the last argument. */
static void line_take(ht_filling *in, size_t *arguments) {
    size_t index = in->line_count++;
    const ht_capture_line *line = &in->lines[index];
    const char *dot = strchr(line->name, '.');
    bool passed = !line->role || strcmp(line->role, "constant") != 0;
    if (dot != NULL && *arguments > 0)
        parts_take(in, index, *arguments - 1);
    else
        in->arguments[index] = passed ? (*arguments)++ : SIZE_MAX;
}

static void lines_read(ht_filling *in) {
    const json_t *args = json_object_get(in->entry, "args");
    size_t index, argument = 0;
    json_t *text;
    in->lines = ht_alloc(json_array_size(args) + 1, sizeof *in->lines);
    in->arguments = ht_alloc(json_array_size(args) + 1, sizeof *in->arguments);
    in->parts = ht_alloc(json_array_size(args) + 1, sizeof *in->parts);
    json_array_foreach(args, index, text) {
        const char *line = json_string_value(text);
        if (strstr(line, " : in struct ") != NULL)
            ht_filling_fail(in, ht_format("the argument '%.*s' points to a structure with pointers",
                                          (int)strcspn(line, " "), line));
        else if (!ht_capture_line_read(line, &in->lines[in->line_count]))
            ht_filling_fail(in, ht_format("'%s' is not understood", line));
        if (in->problem)
            return;
        line_take(in, &argument);
    }
    for (size_t i = 0; i < in->kernel->count; ++i)
        if (in->kernel->launches[i]->argument_count != argument)
            ht_filling_fail(in,
                            ht_format("it was launched with %u arguments, and the source has %zu",
                                      in->kernel->launches[i]->argument_count, argument));
}

/* "k_sizes : w, h" */
static void fields_read(ht_filling *in) {
    const char *text = json_string_value(json_object_get(in->entry, "problem"));
    const char *at = text ? strstr(text, " : ") : NULL;
    for (at = at ? at + strlen(" : ") : ""; *at;) {
        size_t length = strcspn(at, ",");
        char *name = ht_strndup(at, length);
        name[strcspn(name, " =:")] = '\0';
        if (isalpha((unsigned char)*name) || *name == '_')
            ht_capture_field_add(&in->fields, name);
        free(name);
        at += length;
        at += strspn(at, ", ");
    }
}

/* ---- scalars ---- */

/* The field that an expression is alone; NULL: none. */
static ht_capture_field *plain_field(const ht_filling *in, const char *text) {
    return ht_text_begins(text, "problem.")
               ? ht_capture_field_find(&in->fields, text + strlen("problem."))
               : NULL;
}

static int64_t *whole_values(const ht_filling *in, size_t line) {
    int64_t *values = ht_alloc(in->kernel->count + 1, sizeof *values);
    for (size_t i = 0; i < in->kernel->count; ++i)
        values[i] = ht_capture_whole(in->lines[line].type, ht_filling_seen(in, line, i)->value);
    return values;
}

static void take_field(ht_filling *in, size_t line) {
    ht_capture_field *field = plain_field(in, in->lines[line].value);
    if (field == NULL || field->known)
        return;
    int64_t *values = whole_values(in, line);
    memcpy(field->values, values, in->kernel->count * sizeof *values);
    field->known = true;
    free(values);
}

/* Returns true for a type of one real number or of several numbers, such as float4. */
static bool is_element(const char *type, ht_element *out_element) {
    return ht_element_parse(type, out_element) &&
           (out_element->components > 1 || ht_element_floating(*out_element));
}

/* Real numbers have a '.' or an exponent, so that they are not taken for whole ones. */
static void real_append(ht_text *out, double value, bool single) {
    char text[40];
    snprintf(text, sizeof text, single ? "%.9g" : "%.17g", value);
    ht_text_printf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

/* Components of vectors are whole numbers in a problem; where they are not, they are fields. */
static bool components_append(ht_text *out, ht_element element, const unsigned char *bytes) {
    const double exact = 9007199254740992.0;
    for (size_t i = 0; i < element.components; ++i) {
        double value = ht_element_get(element, bytes, i);
        if (value != rint(value) || fabs(value) > exact)
            return false;
        ht_text_printf(out, "%s%.0f", i > 0 ? ", " : "(", value);
    }
    ht_text_append(out, ")");
    return true;
}

/* Describes a vector of real numbers field by field. */
static void take_components(ht_capture_line *of, ht_element element, const unsigned char *bytes) {
    bool single = element.bytes < sizeof(double);
    ht_text text = {0};
    for (size_t i = 0; i < element.components; ++i) {
        ht_text_printf(&text, "%s%c : %s = ", i > 0 ? "\n" : "", "xyzw"[i],
                       single ? "float" : "double");
        real_append(&text, ht_element_get(element, bytes, i), single);
    }
    of->structure = true;
    ht_capture_line_set(of, ht_text_take(&text));
}

/* Takes the number of the launch that took longest. */
static void take_real(ht_filling *in, size_t line, ht_element element) {
    ht_capture_line *of = &in->lines[line];
    const unsigned char *bytes = ht_filling_seen(in, line, 0)->value;
    ht_text text = {0};
    bool taken = true;
    for (size_t i = 0; i < element.components && !in->problem; ++i)
        if (!isfinite(ht_element_get(element, bytes, i)))
            ht_filling_fail(in, ht_format("the argument '%s' is not a finite number", of->name));
    if (element.components > 1)
        taken = components_append(&text, element, bytes);
    else
        real_append(&text, ht_element_get(element, bytes, 0), element.bytes < sizeof(double));
    if (taken && !in->problem)
        ht_capture_line_set(of, ht_text_take(&text));
    else if (!in->problem)
        take_components(of, element, bytes);
    ht_text_free(&text);
}

static size_t element_components(const char *type) {
    ht_element element;
    return ht_element_parse(type, &element) ? element.components : 1;
}

static void check_scalar(ht_filling *in, size_t line) {
    const ht_capture_line *of = &in->lines[line];
    ht_element element;
    if (!is_element(of->type, &element) && !ht_capture_is_whole(of->type)) {
        ht_filling_fail(in,
                        ht_format("the argument '%s' is passed by value as a structure", of->name));
        return;
    }
    size_t size = ht_type_size(of->type), vector = element_components(of->type);
    for (size_t i = 0; i < in->kernel->count; ++i) {
        uint32_t seen = ht_filling_seen(in, line, i)->size; /* with what follows a char3, say */
        if (seen < size || size > HT_CAPTURE_VALUE || (seen > size && vector < 2))
            ht_filling_fail(in, ht_format("the argument '%s' has %u bytes, and its type '%s' %zu",
                                          of->name, seen, of->type, size));
    }
}

/* A scalar that is no field yet: what the source says stays where it is true. */
static void take_scalar(ht_filling *in, size_t line) {
    ht_capture_line *of = &in->lines[line];
    int64_t *values = whole_values(in, line);
    if (!ht_capture_always(&in->fields, of->value, values))
        ht_capture_line_set(of, ht_capture_number_make(&in->fields, values, of->name));
    free(values);
}

/* ---- buffers ---- */

static bool is_whole_input(const ht_capture_line *line) {
    ht_element element;
    return line->role && ht_text_begins(line->role, "in") &&
           ht_element_parse(line->type, &element) &&
           (element.kind == HT_ELEMENT_SIGNED || element.kind == HT_ELEMENT_UNSIGNED);
}

/* Takes what the buffer really holds. Returns true if that is to be had. */
static bool take_file(ht_filling *in, size_t line) {
    ht_capture_buffer buffer = {.kernel = in->kernel,
                                .line = &in->lines[line],
                                .argument = in->arguments[line],
                                .parts = in->parts[line],
                                .others = in->others};
    for (size_t i = 0; i < in->line_count; ++i)
        buffer.indices = buffer.indices || is_whole_input(&in->lines[i]);
    char *text = ht_capture_contents(&buffer);
    if (text == NULL)
        return false;
    free(in->lines[line].fill);
    in->lines[line].fill = text;
    return true;
}

/* Takes an array in a structure, whose elements are in the argument itself. */
static void take_array(ht_filling *in, size_t line) {
    const ht_captured_kernel *of = in->kernel;
    const ht_captured_argument *first = ht_filling_seen(in, line, 0);
    if (of->files == NULL)
        return;
    for (size_t i = 1; i < of->count; ++i)
        in->others[i] = in->others[i] ||
                        memcmp(first->value, ht_filling_seen(in, line, i)->value, first->size) != 0;
    size_t place, size;
    if (!place_find(in, in->lines[line].name, &place, &size))
        return;
    const unsigned char *bytes = of->launches[0]->arguments[in->arguments[line]].value + place;
    free(in->lines[line].fill);
    in->lines[line].fill = ht_capture_file_add(of->files, in->lines[line].name, bytes, size);
}

/* Returns true for bytes of structures: what the run had in them is kept, or the problem is not
 * known, for numbers that are made up need not fit the run's. */
static bool holds_structures(const ht_capture_line *of) {
    return strchr(of->fill, '?') != NULL || ht_text_begins(of->fill, "records(");
}

/* Keeps the bounds of a buffer of whole numbers: subscripts must stay in what they index. */
static void take_bounds(ht_filling *in, size_t line) {
    const int64_t exact = INT64_C(1) << 53; /* a problem file's numbers are doubles */
    ht_capture_line *of = &in->lines[line];
    const ht_captured_bounds *bounds = ht_filling_seen(in, line, 0)->bounds;
    ht_element element;
    if (!is_whole_input(of) || !ht_element_parse(of->type, &element))
        return;
    for (int bytes = 1; bytes < element.bytes; bytes *= 2)
        ++bounds;
    if (holds_structures(of) && bounds->least != bounds->most)
        return;
    if (bounds->least > bounds->most || bounds->least < -exact || bounds->most > exact ||
        (element.kind == HT_ELEMENT_UNSIGNED && bounds->least < 0))
        return;
    free(of->fill);
    of->fill = ht_format("integers(%" PRId64 ", %" PRId64 ")", bounds->least, bounds->most);
}

/* A template's pointers may be to other types than those of the source's first call: other numbers
 * of the same size are taken as they are. */
static void check_elements(ht_filling *in, size_t line) {
    ht_capture_line *of = &in->lines[line];
    char *passed = in->parts[line] == NULL
                       ? ht_capture_pointee(in->kernel->launches[0]->name, in->arguments[line])
                       : NULL;
    ht_element launched, written;
    bool known = passed != NULL && ht_element_parse(passed, &launched) &&
                 ht_element_parse(of->type, &written);
    if (known && ht_element_size(launched) != ht_element_size(written)) {
        ht_filling_fail(
            in, ht_format("the argument '%s' points to '%s', where the source's first launch has "
                          "'%s'",
                          of->name, passed, of->type));
    } else if (known && launched.kind != written.kind) {
        free(of->type);
        of->type = ht_strdup(passed);
    }
    free(passed);
}

static void take_buffer(ht_filling *in, size_t line) {
    ht_capture_line *of = &in->lines[line];
    size_t size = ht_type_size(of->type);
    check_elements(in, line);
    if (size == 0) {
        ht_filling_fail(in,
                        ht_format("the elements of '%s' are of type '%s', whose size is not known",
                                  of->name, of->type));
        return;
    }
    int64_t *values = ht_alloc(in->kernel->count + 1, sizeof *values);
    for (size_t i = 0; i < in->kernel->count; ++i) {
        const ht_captured_argument *argument = ht_filling_seen(in, line, i);
        values[i] = argument->has_memory ? (int64_t)(argument->bytes / size) : 0;
        if (values[i] == 0)
            ht_filling_fail(
                in, ht_format("the argument '%s' points to no memory of the program's", of->name));
    }
    if (!in->problem && !ht_capture_always(&in->fields, of->value, values)) {
        char *name = ht_format("%s_elements", of->name);
        ht_capture_line_set(of, ht_capture_expression_make(&in->fields, values, name));
        free(name);
    }
    if (!in->problem && !take_file(in, line))
        take_bounds(in, line);
    if (!in->problem && holds_structures(of))
        ht_filling_fail(in, ht_format("the contents of '%s', which are structures, were not kept: "
                                      "--inputs keeps those that are small enough",
                                      of->name));
    free(values);
}

/* ---- the launch ---- */

static int64_t *sizes(const ht_filling *in, bool grid, int axis) {
    int64_t *values = ht_alloc(in->kernel->count + 1, sizeof *values);
    for (size_t i = 0; i < in->kernel->count; ++i)
        values[i] =
            grid ? in->kernel->launches[i]->grid[axis] : in->kernel->launches[i]->block[axis];
    return values;
}

/* "ceil_div(problem.n, 256)", where that is the grid of each launch; free(). */
static char *covering(const ht_filling *in, int axis, const int64_t *grid) {
    char *found = NULL;
    const ht_captured_launch *first = in->kernel->launches[0];
    for (size_t i = 0; i < in->fields.count && !found && grid[0] > 1; ++i) {
        found = ht_format("ceil_div(problem.%s, %u)", in->fields.items[i].name, first->block[axis]);
        if (!ht_capture_always(&in->fields, found, grid)) {
            free(found);
            found = NULL;
        }
    }
    return found;
}

/* A size of the launch; free(). */
static char *launch_size(ht_filling *in, bool grid, int axis) {
    int64_t *values = sizes(in, grid, axis);
    char *text = grid ? covering(in, axis, values) : NULL;
    char *name = ht_format("%s_%c", grid ? "grid" : "block", "xyz"[axis]);
    if (!text)
        text = ht_capture_number_make(&in->fields, values, name);
    free(name);
    free(values);
    return text;
}

/* The host's names stand for what the source computes its launch from, which is now given. */
static void take_launch(ht_filling *in) {
    json_t *block = json_array(), *grid = json_array();
    int dimensions = 1;
    for (size_t i = 0; i < in->kernel->count; ++i)
        for (int axis = 1; axis < 3; ++axis)
            if (in->kernel->launches[i]->block[axis] > 1 || in->kernel->launches[i]->grid[axis] > 1)
                dimensions = dimensions > axis + 1 ? dimensions : axis + 1;
    for (int axis = 0; axis < dimensions; ++axis) {
        char *of_block = launch_size(in, false, axis), *of_grid = launch_size(in, true, axis);
        json_array_append_new(block, json_string(of_block));
        json_array_append_new(grid, json_string(of_grid));
        free(of_block);
        free(of_grid);
    }
    json_object_set_new(in->entry, "block", block);
    json_object_set_new(in->entry, "grid", grid);
    json_object_del(in->entry, "host");
    if (in->kernel->launches[0]->lds > 0)
        json_object_set_new(in->entry, "lds",
                            json_integer((json_int_t)in->kernel->launches[0]->lds));
}

/* A whole number that is a template argument has its value in the launched kernel's name; the
 * source may have a parameter of a function template there. So has a number's type. */
static void take_template(ht_filling *in) {
    json_t *arguments = json_object_get(in->entry, "template");
    for (size_t i = 0; i < json_array_size(arguments); ++i) {
        char *value = ht_capture_template_argument(in->kernel->launches[0]->name, i);
        const char *digits = value != NULL ? value + (*value == '-') : "";
        bool number = *digits != '\0' && digits[strspn(digits, "0123456789")] == '\0';
        if (number || (value != NULL && ht_type_size(value) > 0))
            json_array_set_new(arguments, i, json_string(value));
        free(value);
    }
}

/* ---- writing ---- */

/* A launch whose buffers held something else than the files is no instance: what it read there and
 * its sizes belong together. */
static void instances_write(ht_filling *in) {
    json_t *instances = json_array();
    for (size_t launch = 0; launch < in->kernel->count; ++launch) {
        if (in->others[launch])
            continue;
        json_t *fields = json_object();
        for (size_t i = 0; i < in->fields.count; ++i)
            json_object_set_new(fields, in->fields.items[i].name,
                                json_integer(in->fields.items[i].values[launch]));
        bool known = false;
        size_t index;
        json_t *other;
        json_array_foreach(instances, index, other) known =
            known || json_equal(json_object_get(other, "fields"), fields);
        if (known || json_array_size(instances) == INSTANCES) {
            json_decref(fields);
            continue;
        }
        char *name = ht_format("launch_%zu", json_array_size(instances) + 1);
        json_array_append_new(instances, json_pack("{s:s, s:o}", "name", name, "fields", fields));
        free(name);
    }
    json_object_set_new(in->entry, "instances", instances);
}

/* Writes the fields of a vector: "v.x : float = 0.5". */
static void components_write(const ht_capture_line *line, json_t *args) {
    for (const char *at = line->structure ? line->value : NULL; at != NULL && *at;) {
        size_t length = strcspn(at, "\n");
        char *text = ht_format("%s.%.*s", line->name, (int)length, at);
        json_array_append_new(args, json_string(text));
        free(text);
        at += length + (at[length] != '\0');
    }
}

static void entry_write(ht_filling *in) {
    json_t *args = json_array();
    for (size_t i = 0; i < in->line_count; ++i) {
        char *text = ht_capture_line_write(&in->lines[i]);
        json_array_append_new(args, json_string(text));
        free(text);
        components_write(&in->lines[i], args);
    }
    json_object_set_new(in->entry, "args", args);
    if (in->fields.count == 0) { /* a problem has a size */
        ht_capture_field *field = ht_capture_field_add(&in->fields, "constants");
        field->known = true;
        for (size_t i = 0; i < in->kernel->count; ++i)
            field->values[i] = 1;
    }
    const char *family = json_string_value(json_object_get(in->entry, "problem"));
    ht_text text = {0};
    ht_text_append_n(&text, family, strcspn(family, " "));
    for (size_t i = 0; i < in->fields.count; ++i)
        ht_text_printf(&text, "%s%s", i ? ", " : " : ", in->fields.items[i].name);
    json_object_set_new(in->entry, "problem", json_string(text.data));
    ht_text_free(&text);
    instances_write(in);
}

static bool launches_fit(const ht_filling *in) {
    for (size_t i = 0; i < in->kernel->count; ++i)
        if (!ht_filling_launches(in, i))
            return false;
    return true;
}

char *ht_capture_fill(json_t *entry, const ht_captured_kernel *kernel) {
    ht_filling in = {.entry = entry, .kernel = kernel, .fields.launches = kernel->count};
    in.launch_unknown = json_object_get(entry, "block") != NULL;
    in.others = ht_alloc(kernel->count + 1, sizeof *in.others);
    lines_read(&in);
    fields_read(&in);
    for (size_t i = 0; i < in.line_count && !in.problem; ++i)
        if (ht_filling_scalar(&in, i))
            check_scalar(&in, i);
    ht_element element;
    for (size_t i = 0; i < in.line_count && !in.problem; ++i)
        if (ht_filling_scalar(&in, i) && is_element(in.lines[i].type, &element))
            take_real(&in, i, element);
        else if (ht_filling_scalar(&in, i))
            take_field(&in, i);
    for (size_t i = 0; i < in.line_count && !in.problem; ++i)
        if (ht_filling_scalar(&in, i) && ht_capture_is_whole(in.lines[i].type))
            ht_filling_derive(&in, i);
    if (!in.problem && kernel->as_seen)
        ht_filling_leave_out(&in);
    else if (!in.problem)
        ht_filling_guess(&in);
    for (size_t i = 0; i < in.line_count && !in.problem; ++i)
        if (ht_filling_scalar(&in, i) && ht_capture_is_whole(in.lines[i].type))
            take_scalar(&in, i);
    for (size_t i = 0; i < in.line_count && !in.problem; ++i)
        if (ht_filling_buffer(&in, i))
            take_buffer(&in, i);
        else if (ht_filling_array(&in, i))
            take_array(&in, i);
    /* A block that is chosen at run time was assumed: what was seen is the launch then. */
    if (!in.problem && (in.launch_unknown || kernel->as_seen || !launches_fit(&in)))
        take_launch(&in);
    if (!in.problem)
        take_template(&in);
    if (!in.problem)
        entry_write(&in);
    for (size_t i = 0; i < in.line_count; ++i) {
        ht_capture_line_free(&in.lines[i]);
        free(in.parts[i]);
    }
    free(in.parts);
    free(in.lines);
    free(in.arguments);
    free(in.others);
    ht_capture_fields_free(&in.fields);
    return in.problem;
}
