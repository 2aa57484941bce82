/* Finds the number of elements that a kernel's buffers must have: the largest subscript of each, as
 * an expression over the problem's fields and scalar arguments. */
#include "refactor/infer/infer_buffer.h"
#include "refactor/infer/infer.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_DEPTH_MAX = 24, TEXT_LENGTH_MAX = 3000 };

/* ---- polynomials as template expressions ---- */

typedef struct writing {
    const ht_infer *in;
    const ht_kernel_model *km;
    const ht_grid *grid;
    ht_text *out;
    const char *lost; /* a part that cannot be expressed */
} writing;

static bool write_poly(writing *to, const ht_poly *poly, int depth);

static bool lose(writing *to, const char *what) {
    if (!to->lost)
        to->lost = what;
    return false;
}

static bool write_pair(writing *to, const ht_km_symbol *symbol, const char *open,
                       const char *between, int depth) {
    ht_text_append(to->out, open);
    if (!write_poly(to, symbol->operands[0], depth + 1))
        return false;
    ht_text_append(to->out, between);
    if (!write_poly(to, symbol->operands[1], depth + 1))
        return false;
    ht_text_append(to->out, ")");
    return true;
}

/* Writes a template argument of the launch. */
static bool write_template_value(writing *to, const ht_km_symbol *symbol) {
    const ht_kernel_facts *facts = to->in->model->facts;
    for (size_t i = 0; i < facts->template_parameters.count; ++i)
        if (facts->template_parameters.items[i].has_value &&
            strcmp(facts->template_parameters.items[i].name, symbol->name) == 0) {
            ht_text_printf(to->out, "(%lld)", (long long)facts->template_parameters.items[i].value);
            return true;
        }
    return lose(to, symbol->name);
}

/* Writes size.x of a vector argument. */
static bool write_part(writing *to, const ht_km_symbol *symbol) {
    static const char letters[] = "xyzw";
    const ht_parameter_list *slots = &to->in->slots;
    const char *dot = strrchr(symbol->name, '.');
    const char *part = dot && dot[1] && !dot[2] ? strchr(letters, dot[1]) : NULL;
    for (size_t i = 0; part && i < slots->count; ++i) {
        const char *name = slots->items[i].name, *value = to->in->parts[i][part - letters];
        if (value && strlen(name) == (size_t)(dot - symbol->name) &&
            strncmp(name, symbol->name, strlen(name)) == 0) {
            ht_text_printf(to->out, "(%s)", value);
            return true;
        }
    }
    return write_template_value(to, symbol);
}

static const ht_parameter *slot_of(const ht_infer *in, const char *name) {
    for (size_t i = 0; i < in->slots.count; ++i)
        if (strcmp(in->slots.items[i].name, name) == 0)
            return &in->slots.items[i];
    return NULL;
}

static bool write_argument(writing *to, const ht_km_symbol *symbol) {
    const ht_parameter *parameter = slot_of(to->in, symbol->name);
    if (!parameter)
        return write_part(to, symbol);
    const char *value = to->in->scalars[parameter - to->in->slots.items];
    if (!parameter->is_integer || parameter->is_assigned || !value)
        return lose(to, symbol->name);
    /* a plain field is written by its own name: fewer names to follow */
    ht_text_append(to->out, strncmp(value, "problem.", 8) == 0 && !strchr(value, ' ')
                                ? value
                                : parameter->name);
    return true;
}

static bool write_symbol(writing *to, size_t index, int depth) {
    const ht_km_symbol *symbol = &to->km->pool.symbols[index];
    if (depth > TEXT_DEPTH_MAX || to->out->length > TEXT_LENGTH_MAX)
        return lose(to, "an expression that is too long");
    const char *text;
    switch (symbol->kind) {
    case HT_KM_BLOCK_DIM:
    case HT_KM_GRID_DIM:
        text = symbol->kind == HT_KM_GRID_DIM ? to->grid->original[symbol->axis]
                                              : to->grid->block[symbol->axis];
        if (!text)
            return lose(to, "the launch");
        ht_text_printf(to->out, "(%s)", text);
        return true;
    case HT_KM_ARGUMENT:
        return write_argument(to, symbol);
    case HT_KM_QUOTIENT:
        ht_text_append(to->out, "(");
        return write_pair(to, symbol, "(", ") / (", depth) && (ht_text_append(to->out, ")"), true);
    case HT_KM_REMAINDER:
        ht_text_append(to->out, "(");
        return write_pair(to, symbol, "(", ") % (", depth) && (ht_text_append(to->out, ")"), true);
    case HT_KM_MIN:
        return write_pair(to, symbol, "min(", ", ", depth);
    case HT_KM_MAX:
        return write_pair(to, symbol, "max(", ", ", depth);
    case HT_KM_PRODUCT:
    case HT_KM_SUM:
        ht_text_append(to->out, "(");
        if (!write_poly(to, symbol->operands[0], depth + 1))
            return false;
        ht_text_append(to->out, ")");
        return true;
    default:
        return lose(to, symbol->name && symbol->name[0] ? symbol->name : "a value");
    }
}

static bool write_term(writing *to, const ht_term *term, bool first, int depth) {
    int64_t factor = term->coefficient;
    bool negative = factor < 0;
    if (factor == INT64_MIN)
        return lose(to, "a number that is too large");
    ht_text_append(to->out, first ? (negative ? "-" : "") : negative ? " - " : " + ");
    factor = negative ? -factor : factor;
    if (factor != 1 || term->count == 0)
        ht_text_printf(to->out, "%lld%s", (long long)factor, term->count ? " * " : "");
    for (size_t i = 0; i < term->count; ++i) {
        if (i)
            ht_text_append(to->out, " * ");
        if (!write_symbol(to, term->symbols[i], depth))
            return false;
    }
    return true;
}

static bool write_poly(writing *to, const ht_poly *poly, int depth) {
    bool first = true;
    if (poly->count == 0)
        ht_text_append(to->out, "0");
    for (int sign = 1; sign >= -1; sign -= 2) /* positive terms first: "w - 1" */
        for (size_t i = 0; i < poly->count; ++i) {
            const ht_term *term = &poly->terms[i];
            bool number = term->count == 0;
            if ((term->coefficient > 0 && !number) != (sign > 0))
                continue;
            if (!write_term(to, term, first, depth))
                return false;
            first = false;
        }
    return true;
}

/* Returns the polynomial as an expression of the template language; NULL with *out_lost: a part
 * cannot be expressed. free(). */
static char *expression(const ht_infer_buffers *of, const ht_poly *poly, const char **out_lost) {
    ht_text text = {0};
    ht_expr *parsed = NULL;
    writing to = {of->in, of->km, of->grid, &text, NULL};
    ht_text_append(&text, "");
    if (write_poly(&to, poly, 0) && ht_expr_parse(text.data, (ht_place){0}, &parsed, NULL) != HT_OK)
        parsed = NULL;
    *out_lost = to.lost ? to.lost : "an expression";
    char *result = parsed ? ht_expr_string(parsed) : NULL;
    ht_expr_free(parsed);
    ht_text_free(&text);
    return result;
}

/* ---- the amount of work ---- */

/* Notes the iterations of the loops around an access, as far as they are known. */
static void trips_note(ht_infer_buffers *of, const ht_km_access *access) {
    ht_poly_pool *pool = &of->km->pool;
    const ht_poly *product = ht_poly_constant(pool, 1);
    int64_t step;
    const char *lost;
    for (size_t i = 0; i < access->control.loop_count && product; ++i) {
        const ht_km_loop loop = of->km->loops[access->control.loops[i]];
        if (!loop.normal || !ht_poly_is_constant(loop.step, &step))
            continue;
        const ht_poly *last = ht_bound(&of->bounds, ht_poly_of(pool, loop.symbol), true);
        last = ht_poly_plus(pool, last, 1);
        product = last ? ht_poly_multiply(pool, product, last) : product;
    }
    char *text = product ? expression(of, product, &lost) : NULL;
    for (size_t i = 0; i < of->trip_count && text; ++i)
        if (strcmp(of->trips[i], text) == 0) {
            free(text);
            text = NULL;
        }
    if (!text)
        return;
    HT_GROW(of->trips, of->trip_count);
    of->trips[of->trip_count++] = text;
}

/* ---- the ends of an array ---- */

static void end_take(ht_infer_buffers *of, ht_infer_buffer *buffer, const ht_poly *end, bool high) {
    ht_poly_pool *pool = &of->km->pool;
    const ht_poly **list = high ? buffer->highs : buffer->lows;
    size_t *count = high ? &buffer->high_count : &buffer->low_count;
    size_t kept = 0;
    for (size_t i = 0; i < *count; ++i) {
        const ht_poly *over =
            high ? ht_poly_add(pool, end, list[i], -1) : ht_poly_add(pool, list[i], end, -1);
        const ht_poly *under = ht_poly_negate(pool, over);
        if (under && ht_poly_never_negative(pool, under))
            return;
        if (!over || !ht_poly_never_negative(pool, over))
            list[kept++] = list[i];
    }
    *count = kept;
    if (*count == HT_BUFFER_ENDS_MAX) {
        buffer->problem = "its subscripts have too many bounds";
        return;
    }
    list[(*count)++] = end;
}

static void access_take(ht_infer_buffers *of, ht_infer_buffer *buffer, const ht_km_access *access) {
    if (buffer->problem)
        return;
    if (access->subscript_count != 1) {
        buffer->problem = "it is no plain array";
        return;
    }
    ht_bounds_enter(&of->bounds, &access->control);
    const ht_poly *high = ht_bound_of_access(&of->bounds, access->subscripts[0], true);
    const ht_poly *low =
        high ? ht_bound_of_access(&of->bounds, access->subscripts[0], false) : NULL;
    if (!high || !low) {
        buffer->problem = of->bounds.reason ? of->bounds.reason : "a subscript has no bound";
        buffer->line = of->bounds.line ? of->bounds.line : access->place.line;
        return;
    }
    end_take(of, buffer, high, true);
    end_take(of, buffer, low, false);
    buffer->last_line = access->place.line;
}

/* Returns the outermost of an array's ends: "max(a, b)"; NULL with the buffer's problem: one of
 * them cannot be expressed. free(). */
static char *end_text(ht_infer_buffers *of, ht_infer_buffer *buffer, bool high) {
    ht_text list = {0};
    size_t count = high ? buffer->high_count : buffer->low_count;
    for (size_t i = 0; i < count && !buffer->problem; ++i) {
        const ht_poly *end =
            high ? ht_poly_plus(&of->km->pool, buffer->highs[i], 1) : buffer->lows[i];
        const char *lost = "too much";
        char *text = end ? expression(of, end, &lost) : NULL;
        if (text)
            ht_text_printf(&list, i ? ", %s" : "%s", text);
        else
            buffer->problem =
                ht_poly_pool_keep(&of->km->pool, ht_format(high ? "its size is computed from %s"
                                                                : "its subscripts begin at %s",
                                                           lost));
        free(text);
    }
    char *all = NULL;
    if (!buffer->problem && count > 1)
        all = ht_format(high ? "max(%s)" : "min(%s)", list.data);
    else if (!buffer->problem)
        all = ht_strdup(count ? list.data : high ? "1" : "0");
    ht_text_free(&list);
    return all;
}

static void ends_write(ht_infer_buffers *of, ht_infer_buffer *buffer) {
    char *extent = end_text(of, buffer, true), *first = end_text(of, buffer, false);
    if (!buffer->problem) {
        buffer->extent = extent;
        buffer->first = first;
        return;
    }
    free(extent);
    free(first);
}

/* A field's accesses may not be seen: past a pointer, or in a method. Then nothing bounds them. */
static void ends_find(ht_infer_buffers *of, size_t slot) {
    const ht_infer_slot *record = &of->in->slot_records[slot];
    ht_infer_buffer *buffer = &of->items[slot];
    if (record->leaf && buffer->array == SIZE_MAX &&
        (of->in->slot_records[record->owner].is_pointed || !of->km->complete))
        buffer->problem = "what is accessed through a structure is not followed";
    else
        ends_write(of, buffer);
}

static ht_infer_buffer *buffer_of(ht_infer_buffers *of, size_t array) {
    const ht_km_array *named = &of->km->arrays[array];
    const ht_parameter_list *parameters = &of->in->model->parameters;
    if (named->parameter)
        return named->parameter->is_pointer ? &of->items[named->parameter - parameters->items]
                                            : NULL;
    const ht_parameter *slot = named->declaration ? NULL : slot_of(of->in, named->name);
    return slot && slot->is_pointer ? &of->items[slot - of->in->slots.items] : NULL;
}

static void array_note(ht_infer_buffers *of, size_t array) {
    const ht_km_array *named = &of->km->arrays[array];
    ht_infer_buffer *buffer = buffer_of(of, array);
    if (!buffer)
        return;
    buffer->array = array;
    buffer->read = named->read;
    buffer->written = named->written || named->atomic;
    buffer->updated = named->atomic || named->escapes;
    if (named->escapes)
        buffer->problem = "it is passed to a function that is not followed";
    else if (named->mixed)
        buffer->problem = "it is accessed as elements of different sizes";
}

/* Returns a positive number; 0: the text is not one. */
static int64_t plain_number(const char *text) {
    char *end;
    int64_t value = text ? strtoll(text, &end, 10) : 0;
    return text && end != text && *end == 0 && value > 0 ? value : 0;
}

void ht_infer_buffers_find(ht_infer *in, ht_kernel_model *km, const ht_grid *grid,
                           ht_infer_buffers *out) {
    *out = (ht_infer_buffers){.in = in, .km = km, .grid = grid};
    out->items = ht_alloc(in->slots.count + 1, sizeof *out->items);
    for (size_t i = 0; i < in->slots.count; ++i)
        out->items[i].array = SIZE_MAX;
    ht_bounds_init(&out->bounds, km);
    for (int axis = 0; axis < 3; ++axis) {
        out->bounds.grid[axis] = plain_number(grid->original[axis]);
        out->bounds.block[axis] = plain_number(grid->block[axis]);
    }
    for (size_t i = 0; i < km->array_count; ++i)
        array_note(out, i);
    for (size_t i = 0; i < km->access_count; ++i) {
        ht_infer_buffer *buffer = buffer_of(out, km->accesses[i].array);
        if (buffer)
            access_take(out, buffer, &km->accesses[i]);
        ht_bounds_enter(&out->bounds, &km->accesses[i].control);
        /* subscripts of other arrays: notes the arrays whose values they are */
        for (size_t d = 0; !buffer && d < km->accesses[i].subscript_count; ++d)
            ht_bound_of_access(&out->bounds, km->accesses[i].subscripts[d], true);
        trips_note(out, &km->accesses[i]);
    }
    for (size_t i = 0; i < in->slots.count; ++i)
        if (in->slots.items[i].is_pointer)
            ends_find(out, i);
}

int64_t ht_infer_buffers_limit(const ht_infer_buffers *buffers, size_t array) {
    for (size_t i = 0; i < buffers->bounds.index_count; ++i)
        if (buffers->bounds.indices[i].array == array)
            return buffers->bounds.indices[i].limit;
    return 0;
}

void ht_infer_buffers_free(ht_infer_buffers *buffers) {
    for (size_t i = 0; i < buffers->in->slots.count; ++i) {
        free(buffers->items[i].extent);
        free(buffers->items[i].first);
    }
    ht_strings_free(buffers->trips, buffers->trip_count);
    free(buffers->items);
    ht_bounds_free(&buffers->bounds);
}
