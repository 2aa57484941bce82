/* Fields of a problem that no argument is: solved from what was passed, or guessed from the numbers
 * of a launch. */
#include "pipeline/capture_filling.h"

#include "base/memory.h"
#include "templates/bind.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 48, UNKNOWNS = 2 };

/* Returns true if an expression names the field. */
static bool mentions(const char *text, const char *name) {
    char *wanted = ht_format("problem.%s", name);
    size_t length = strlen(wanted);
    bool found = false;
    for (const char *at = strstr(text, wanted); at != NULL && !found; at = strstr(at + 1, wanted))
        found = !isalnum((unsigned char)at[length]) && at[length] != '_';
    free(wanted);
    return found;
}

/* Finds the field's value with which the line's expression is the number that was passed. */
static bool solve(const ht_filling *in, size_t line, ht_capture_field *field, size_t launch) {
    static const int64_t near[] = {0, -1, 1, -2, 2};
    enum { NEAR = sizeof near / sizeof *near, DOUBLINGS = 10 };
    int64_t passed =
        ht_capture_whole(in->lines[line].type, ht_filling_seen(in, line, launch)->value);
    for (int i = 0; i < NEAR + 2 * DOUBLINGS; ++i) {
        int by = i < NEAR ? 0 : (i - NEAR) / 2 + 1;
        int64_t value, large = INT64_C(1) << 40;
        if (passed > large || passed < -large)
            return false;
        field->values[launch] = i < NEAR              ? passed + near[i]
                                : (i - NEAR) % 2 == 0 ? passed / (INT64_C(1) << by)
                                                      : passed * (INT64_C(1) << by);
        if (ht_capture_value(&in->fields, in->lines[line].value, launch, &value) && value == passed)
            return true;
    }
    return false;
}

void ht_filling_derive(ht_filling *in, size_t line) {
    ht_capture_field *field = NULL;
    for (size_t i = 0; i < in->fields.count; ++i) {
        ht_capture_field *other = &in->fields.items[i];
        if (other->known || !mentions(in->lines[line].value, other->name))
            continue;
        if (field != NULL)
            return;
        field = other;
    }
    if (field == NULL)
        return;
    field->known = true;
    for (size_t i = 0; i < in->kernel->count && field->known; ++i)
        field->known = solve(in, line, field, i);
}

typedef struct guess {
    ht_filling *in;
    ht_capture_field *unknown[UNKNOWNS];
    size_t unknown_count;
    int64_t candidates[CANDIDATES];
    size_t candidate_count;
} guess;

static void candidate_add(guess *to, int64_t value) {
    for (size_t i = 0; i < to->candidate_count; ++i)
        if (to->candidates[i] == value)
            return;
    if (value > 0 && to->candidate_count < CANDIDATES)
        to->candidates[to->candidate_count++] = value;
}

static bool is_unknown(const guess *of, const ht_capture_field *field) {
    for (size_t i = 0; i < of->unknown_count; ++i)
        if (of->unknown[i] == field)
            return true;
    return false;
}

/* Finds the one unknown field that an expression names; NULL: there is none, or several. */
static ht_capture_field *unknown_of(const guess *of, const char *text) {
    ht_capture_field *found = NULL;
    for (size_t i = 0; i < of->unknown_count; ++i) {
        if (!mentions(text, of->unknown[i]->name))
            continue;
        if (found != NULL)
            return NULL;
        found = of->unknown[i];
    }
    return found;
}

/* Adds the value with which a buffer has as many elements as were seen: its extent grows with each
 * of its fields. */
static void candidate_of_extent(guess *to, size_t line, size_t launch) {
    const ht_filling *in = to->in;
    const ht_capture_line *of = &in->lines[line];
    size_t size = ht_type_size(of->type);
    ht_capture_field *field = size > 0 ? unknown_of(to, of->value) : NULL;
    if (field == NULL)
        return;
    int64_t elements = (int64_t)(ht_filling_seen(in, line, launch)->bytes / size), value;
    int64_t low = 1, high = INT64_C(1) << 40;
    while (low < high) {
        field->values[launch] = low + (high - low) / 2;
        /* what overflows is too large */
        if (ht_capture_value(&in->fields, of->value, launch, &value) && value < elements)
            low = field->values[launch] + 1;
        else
            high = field->values[launch];
    }
    field->values[launch] = low;
    if (ht_capture_value(&in->fields, of->value, launch, &value) && value == elements)
        candidate_add(to, low);
}

/* The field's value in the entry's first instance; 0: it has none. */
static int64_t suggested(const ht_filling *in, const char *name) {
    const json_t *instance = json_array_get(json_object_get(in->entry, "instances"), 0);
    return json_integer_value(json_object_get(json_object_get(instance, "fields"), name));
}

/* Numbers that were seen in a launch. */
static void candidates_find(guess *to, size_t launch) {
    const ht_filling *in = to->in;
    const ht_captured_launch *of = in->kernel->launches[launch];
    to->candidate_count = 0;
    for (size_t i = 0; i < to->unknown_count; ++i) /* first: what the source says or suggests */
        candidate_add(to, suggested(in, to->unknown[i]->name));
    for (size_t i = 0; i < in->line_count; ++i)
        if (ht_filling_buffer(in, i))
            candidate_of_extent(to, i, launch);
    for (size_t i = 0; i < in->fields.count; ++i) /* rows are often as many as columns */
        if (in->fields.items[i].known && !is_unknown(to, &in->fields.items[i]))
            candidate_add(to, in->fields.items[i].values[launch]);
    for (int axis = 0; axis < 3; ++axis) {
        candidate_add(to, of->grid[axis]);
        candidate_add(to, of->block[axis]);
        candidate_add(to, (int64_t)of->grid[axis] * of->block[axis]);
    }
    for (size_t i = 0; i < in->line_count; ++i) {
        if (in->arguments[i] == SIZE_MAX || in->lines[i].structure)
            continue;
        const ht_captured_argument *argument = ht_filling_seen(in, i, launch);
        size_t size = ht_type_size(in->lines[i].type);
        if (ht_filling_scalar(in, i) && ht_capture_is_whole(in->lines[i].type))
            candidate_add(to, ht_capture_whole(in->lines[i].type, argument->value));
        else if (argument->has_memory && size > 0)
            candidate_add(to, (int64_t)(argument->bytes / size));
    }
}

bool ht_filling_launches(const ht_filling *in, size_t launch) {
    const ht_template *template = in->kernel->template;
    const ht_captured_launch *of = in->kernel->launches[launch];
    if (template == NULL || template->launch_count != 1)
        return true;
    ht_problem_value *given = ht_alloc(in->fields.count + 1, sizeof *given);
    for (size_t i = 0; i < in->fields.count; ++i)
        given[i] = (ht_problem_value){in->fields.items[i].name, in->fields.items[i].values[launch]};
    ht_problem problem = {0};
    ht_geometry geometry;
    const ht_device_fields device = {0};
    bool fits = ht_problem_make(&template->problem, "seen", given, in->fields.count, (ht_place){0},
                                &problem, NULL) == HT_OK;
    const ht_binding binding = {template, &problem, &device};
    ht_config config = ht_config_default(template);
    fits = fits &&
           ht_binding_geometry(&binding, &config, &template->launches[0], &geometry, NULL) == HT_OK;
    for (int axis = 0; axis < 3 && fits; ++axis)
        fits = geometry.grid[axis] == of->grid[axis] && geometry.block[axis] == of->block[axis];
    ht_problem_free(&problem);
    free(given);
    return fits;
}

static bool scalars_fit(const ht_filling *in, size_t launch) {
    for (size_t i = 0; i < in->line_count; ++i) {
        const ht_capture_line *line = &in->lines[i];
        int64_t value;
        if (!ht_filling_scalar(in, i) || !ht_capture_is_whole(line->type))
            continue;
        if (ht_capture_value(&in->fields, line->value, launch, &value) &&
            value != ht_capture_whole(line->type, ht_filling_seen(in, i, launch)->value))
            return false;
    }
    return true;
}

/* How many buffers have just the size that the source expects; -1: one is too small. */
static int extents_fit(const ht_filling *in, size_t launch) {
    int fitting = 0;
    for (size_t i = 0; i < in->line_count; ++i) {
        const ht_capture_line *line = &in->lines[i];
        int64_t elements;
        size_t size = ht_type_size(line->type);
        if (!ht_filling_buffer(in, i) || size == 0 ||
            !ht_capture_value(&in->fields, line->value, launch, &elements))
            continue;
        int64_t there = (int64_t)(ht_filling_seen(in, i, launch)->bytes / size);
        if (elements > there)
            return -1;
        fitting += elements == there;
    }
    return fitting;
}

static void guess_try(guess *of, size_t index, size_t launch, int *best, int64_t *chosen) {
    if (index < of->unknown_count && index < UNKNOWNS) {
        for (size_t i = 0; i < of->candidate_count; ++i) {
            of->unknown[index]->values[launch] = of->candidates[i];
            guess_try(of, index + 1, launch, best, chosen);
        }
        return;
    }
    if (!scalars_fit(of->in, launch) || !ht_filling_launches(of->in, launch))
        return;
    int fit = extents_fit(of->in, launch);
    if (fit <= *best)
        return;
    *best = fit;
    for (size_t i = 0; i < of->unknown_count; ++i)
        chosen[i] = of->unknown[i]->values[launch];
}

void ht_filling_guess(ht_filling *in) {
    guess of = {.in = in};
    for (size_t i = 0; i < in->fields.count; ++i) {
        if (in->fields.items[i].known)
            continue;
        if (of.unknown_count == UNKNOWNS) {
            ht_filling_fail(in, ht_format("the host's '%s' is passed to no argument",
                                          in->fields.items[i].name));
            return;
        }
        of.unknown[of.unknown_count++] = &in->fields.items[i];
    }
    for (size_t i = 0; i < of.unknown_count; ++i)
        of.unknown[i]->known = true;
    for (size_t launch = 0; launch < in->kernel->count && of.unknown_count > 0; ++launch) {
        int best = -1;
        int64_t chosen[UNKNOWNS];
        candidates_find(&of, launch);
        guess_try(&of, 0, launch, &best, chosen);
        if (best < 0) {
            ht_filling_fail(in,
                            ht_format("no value of the host's '%s' gives the launch that was seen",
                                      of.unknown[0]->name));
            return;
        }
        for (size_t i = 0; i < of.unknown_count; ++i)
            of.unknown[i]->values[launch] = chosen[i];
    }
}

/* Returns true if what stays of a line once it is filled names the field. */
static bool is_needed(const ht_filling *in, const char *name) {
    for (size_t i = 0; i < in->line_count; ++i) {
        const ht_capture_line *line = &in->lines[i];
        if ((line->fill != NULL && mentions(line->fill, name)) ||
            (in->arguments[i] == SIZE_MAX && line->value != NULL && mentions(line->value, name)))
            return true;
    }
    return false;
}

void ht_filling_leave_out(ht_filling *in) {
    size_t count = 0;
    for (size_t i = 0; i < in->fields.count; ++i) {
        ht_capture_field *field = &in->fields.items[i];
        if (field->known) {
            in->fields.items[count++] = *field;
            continue;
        }
        if (is_needed(in, field->name))
            ht_filling_fail(in, ht_format("the host's '%s' is passed to no argument", field->name));
        free(field->name);
        free(field->values);
    }
    in->fields.count = count;
}
