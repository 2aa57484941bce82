/* Chooses values for the fields of an inferred problem: the source's if it has any, else such that
 * the grid has several blocks. Values are made smaller if an emulation would take long. */
#include "refactor/infer/infer_size.h"
#include "refactor/infer/infer_type.h"

#include "base/memory.h"
#include "base/random.h"
#include "refactor/infer/infer_host.h"
#include "refactor/kernel/symbol_expression.h"
#include "refactor/launch/extent.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 80, DEPTH_MAX = 16, SMALL_SIZE = 8, FIRST_GRID_SIZE = 16, DRAWS = 500 };
static const int64_t threads_wanted = 32768, work_most = 20000000, bytes_most = INT64_C(64) << 20,
                     axis_most = INT32_MAX;

/* ---- values of expressions ---- */

typedef struct looking {
    const ht_sizes *sizes;
    int depth;
} looking;

typedef struct naming {
    const ht_infer *in;
    bool unknown;
} naming;

static bool value_of(const ht_sizes *sizes, const char *text, int depth, int64_t *out_value);

static bool lookup(const void *context, const char *name, int64_t *out_value) {
    const looking *at = context;
    const ht_infer *in = at->sizes->in;
    if (strncmp(name, "problem.", 8) == 0) {
        for (size_t i = 0; i < in->field_count; ++i)
            if (strcmp(in->fields[i].name, name + 8) == 0) {
                *out_value = in->fields[i].value;
                return true;
            }
        return false;
    }
    for (size_t i = 0; i < in->slots.count && at->depth < DEPTH_MAX; ++i)
        if (in->scalars[i] && strcmp(in->slots.items[i].name, name) == 0)
            return value_of(at->sizes, in->scalars[i], at->depth + 1, out_value);
    return false;
}

static bool value_of(const ht_sizes *sizes, const char *text, int depth, int64_t *out_value) {
    looking at = {sizes, depth};
    ht_scope scope = {.lookup = lookup, .context = &at};
    return text && ht_expr_text_value(text, &scope, out_value);
}

bool ht_sizes_value(const ht_sizes *sizes, const char *text, int64_t *out_value) {
    return value_of(sizes, text, 0, out_value);
}

bool ht_sizes_at_least(ht_sizes *sizes, const char *a, const char *b) {
    ht_infer *in = sizes->in;
    int64_t *kept = ht_alloc(in->field_count + 1, sizeof *kept), first, second;
    bool holds = true;
    for (size_t i = 0; i < in->field_count; ++i)
        kept[i] = in->fields[i].value;
    for (int round = 0; round < 4 && holds; ++round) {
        for (size_t i = 0; round && i < in->field_count; ++i)
            in->fields[i].value = kept[i] < 2  ? kept[i]
                                  : round == 1 ? kept[i] + 1
                                  : round == 2 ? kept[i] * 2 - 1
                                               : (kept[i] + 1) / 2 + (int64_t)(i % 2);
        holds = ht_sizes_value(sizes, a, &first) && ht_sizes_value(sizes, b, &second) &&
                first >= second;
    }
    for (size_t i = 0; i < in->field_count; ++i)
        in->fields[i].value = kept[i];
    free(kept);
    return holds;
}

/* ---- what the source says ---- */

/* Finds the number in `argc > 1 ? atoi(argv[1]) : 1024`. */
static bool plain_number(const ht_symbol *symbol, int depth, int64_t *out_value) {
    if (!symbol || depth > DEPTH_MAX)
        return false;
    if (ht_symbol_value(symbol, out_value))
        return true;
    return symbol->kind == HT_SYMBOL_CHOICE &&
           (plain_number(symbol->arguments[2], depth + 1, out_value) ||
            plain_number(symbol->arguments[1], depth + 1, out_value));
}

/* Returns true if the value is plausible for this field; 0 is for counters. */
static bool is_sensible(const ht_infer_field *field, int64_t value) {
    return value > 0 || (value == 0 && field->counts && !field->in_grid);
}

static void take_numbers(ht_infer *in) {
    for (size_t i = 0; i < in->field_count; ++i) {
        ht_infer_field *field = &in->fields[i];
        int64_t value;
        if (!field->known && plain_number(field->initial, 0, &value) && is_sensible(field, value)) {
            field->value = value;
            field->known = true;
        }
    }
}

/* Computes initial values from other fields. */
static void take_expressions(ht_sizes *sizes) {
    ht_infer *in = sizes->in;
    for (size_t i = 0; i < in->field_count; ++i) {
        ht_infer_field *field = &in->fields[i];
        int64_t value;
        if (field->known || !field->initial)
            continue;
        char *text = ht_symbol_expression(in->model, NULL, field->initial, NULL);
        if (text && ht_sizes_value(sizes, text, &value) && is_sensible(field, value)) {
            field->value = value;
            field->known = !strstr(text, "problem."); /* a number, which may be made smaller */
        }
        free(text);
    }
}

/* ---- what is chosen ---- */

static bool has_word(const char *name, const char *word) {
    size_t length = strlen(word);
    for (const char *at = name; *at; ++at) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)at[i]) == word[i])
            ++i;
        if (i == length)
            return true;
    }
    return false;
}

/* Returns a value for a size from which no grid is computed, by the words in its name. */
static int64_t small_value(const char *name) {
    static const struct {
        const char *word;
        int64_t value;
    } words[] = {{"stride", 1}, {"dilation", 1}, {"pad", 1},   {"radius", 2}, {"halo", 1},
                 {"filter", 3}, {"kernel", 3},   {"mask", 3},  {"window", 3}, {"step", 1},
                 {"iter", 2},   {"offset", 1},   {"group", 1}, {"seed", 1},   {"repeat", 1}};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (has_word(name, words[i].word))
            return words[i].value;
    return SMALL_SIZE;
}

bool ht_sizes_has_small_name(const ht_infer_field *field) {
    return small_value(field->name) != SMALL_SIZE;
}

/* Returns true if an expression has another value with another value of the field. */
static bool depends_on(ht_sizes *sizes, const char *text, ht_infer_field *field) {
    const int64_t kept = field->value;
    int64_t before, after;
    bool known = text && ht_sizes_value(sizes, text, &before);
    field->value = 2 * kept + 64;
    bool depends = known && ht_sizes_value(sizes, text, &after) && after != before;
    field->value = kept;
    return depends;
}

/* Returns true if outputs lie where the field says. */
static bool places_outputs(ht_sizes *sizes, ht_infer_field *field) {
    bool places = false;
    for (size_t i = 0; i < sizes->in->slots.count && !places; ++i) {
        const ht_infer_buffer *of = &sizes->buffers->items[i];
        places = sizes->in->slots.items[i].is_pointer && (of->written || of->updated) &&
                 depends_on(sizes, of->extent, field);
    }
    return places;
}

/* Returns true for the distance of rows in memory, by its name. It must not be less than their
 * length: rows would overlap, and the last write would decide. A stride or a step may be that of a
 * window as well, and is one of rows where outputs lie so far apart. */
static bool is_pitch(ht_sizes *sizes, ht_infer_field *field) {
    const char *name = field->name;
    bool leading = tolower((unsigned char)name[0]) == 'l' &&
                   tolower((unsigned char)name[1]) == 'd' && strlen(name) <= 3;
    bool maybe = has_word(name, "stride") || has_word(name, "step") || has_word(name, "width");
    return !field->known && !field->in_grid &&
           (leading || has_word(name, "pitch") || (maybe && places_outputs(sizes, field)));
}

/* Makes a pitch no less than `widest`, and so what is passed of one in bytes: pitch / 4. */
static void widen(ht_sizes *sizes, ht_infer_field *field, int64_t widest) {
    enum { BYTES_MAX = 16 };
    const int64_t kept = field->value > widest ? field->value : widest;
    field->value = kept;
    for (size_t i = 0; i < sizes->in->slots.count; ++i) {
        const char *scalar = sizes->in->scalars[i];
        int64_t value;
        if (scalar && depends_on(sizes, scalar, field))
            while (ht_sizes_value(sizes, scalar, &value) && value < widest &&
                   field->value < BYTES_MAX * kept)
                field->value *= 2;
    }
}

static void widen_pitches(ht_sizes *sizes) {
    ht_infer *in = sizes->in;
    int64_t widest = 0;
    for (size_t i = 0; i < in->field_count; ++i)
        if (in->fields[i].in_grid && in->fields[i].value > widest)
            widest = in->fields[i].value;
    for (size_t i = 0; i < in->field_count; ++i)
        if (is_pitch(sizes, &in->fields[i]))
            widen(sizes, &in->fields[i], widest);
}

static bool threads_of(const ht_sizes *sizes, int64_t *out_threads) {
    *out_threads = 1;
    for (int axis = 0; axis < 3; ++axis) {
        int64_t blocks, block;
        if (!ht_sizes_value(sizes, sizes->grid->original[axis], &blocks) ||
            !ht_sizes_value(sizes, sizes->grid->block[axis], &block) || blocks < 1 || block < 1 ||
            blocks > axis_most / block ||
            __builtin_mul_overflow(*out_threads, blocks * block, out_threads))
            return false;
    }
    return true;
}

/* Doubles all sizes of the grid until it has enough threads. */
static void grow_grid(ht_sizes *sizes) {
    ht_infer *in = sizes->in;
    for (int step = 0; step < 24; ++step) {
        int64_t threads;
        if (threads_of(sizes, &threads) && threads >= threads_wanted)
            return;
        bool any = false;
        for (size_t i = 0; i < in->field_count; ++i)
            if (!in->fields[i].known && in->fields[i].in_grid && in->fields[i].value < 65536) {
                in->fields[i].value *= 2;
                any = true;
            }
        take_expressions(sizes);
        if (!any)
            return;
    }
}

/* Computes the elements of the index-th parameter's buffer; before its extent is chosen, the most
 * that it may become: those of its subscripts, or of its allocation. Returns false if neither is a
 * number. */
static bool elements_of(const ht_sizes *sizes, size_t index, int64_t *out_elements) {
    const ht_infer *in = sizes->in;
    const char *bound = sizes->buffers->items[index].extent, *allocated = in->allocated[index];
    int64_t bounded = 0, given = 0;
    if (in->extents[index])
        return ht_sizes_value(sizes, in->extents[index], out_elements);
    if (bound && !ht_sizes_value(sizes, bound, &bounded))
        return false;
    if (!allocated || !ht_sizes_value(sizes, allocated, &given))
        given = 0;
    *out_elements = bounded > given ? bounded : given;
    return true;
}

/* Computes the bytes of the index-th parameter's buffer; 0: it has none. Returns false on
 * overflow. */
static bool bytes_of_one(const ht_sizes *sizes, size_t index, int64_t *out_bytes) {
    const ht_parameter *slot = &sizes->in->slots.items[index];
    long long parts;
    *out_bytes = 0;
    if (!slot->is_pointer)
        return true;
    char *type = ht_infer_type(sizes->in->model, slot, &parts);
    int64_t size = type ? (int64_t)ht_type_size(type) * parts : 1, elements;
    free(type);
    return elements_of(sizes, index, &elements) &&
           !__builtin_mul_overflow(elements, size, out_bytes);
}

static bool bytes_of(const ht_sizes *sizes, int64_t *out_bytes) {
    int64_t bytes;
    *out_bytes = 0;
    for (size_t i = 0; i < sizes->in->slots.count; ++i)
        if (!bytes_of_one(sizes, i, &bytes) || __builtin_add_overflow(*out_bytes, bytes, out_bytes))
            return false;
    return true;
}

bool ht_sizes_check(ht_sizes *sizes, int64_t constants) {
    const ht_parameter_list *slots = &sizes->in->slots;
    int64_t bytes, largest = -1, most = 0;
    if (bytes_of(sizes, &bytes) && !__builtin_add_overflow(bytes, constants, &bytes) &&
        bytes <= HT_INFERRED_BYTES_MAX)
        return bytes <= bytes_most;
    for (size_t i = 0; i < slots->count; ++i)
        if (!bytes_of_one(sizes, i, &bytes) || bytes > most) {
            most = bytes_of_one(sizes, i, &bytes) ? bytes : INT64_MAX;
            largest = (int64_t)i;
        }
    char *size = most == INT64_MAX ? ht_strdup("more bytes than can be counted")
                                   : ht_format("%lld MiB", (long long)(most >> 20));
    if (largest >= 0 && most > constants)
        ht_infer_miss(sizes->in, ht_ast_line(slots->items[largest].cursor),
                      "sizes that are no more than %lld MiB: '%s' takes %s with those that the "
                      "source has as numbers",
                      (long long)(HT_INFERRED_BYTES_MAX >> 20), slots->items[largest].name, size);
    else
        ht_infer_miss(sizes->in, 0,
                      "sizes that are no more than %lld MiB: arrays outside of the kernel take "
                      "%lld MiB",
                      (long long)(HT_INFERRED_BYTES_MAX >> 20), (long long)(constants >> 20));
    free(size);
    return false;
}

static bool is_small(const ht_sizes *sizes) {
    int64_t bytes, threads, trips, work;
    if (!threads_of(sizes, &threads))
        return true; /* reported elsewhere */
    for (size_t i = 0; i < sizes->buffers->trip_count; ++i)
        if (ht_sizes_value(sizes, sizes->buffers->trips[i], &trips) && trips > 1 &&
            (__builtin_mul_overflow(threads, trips, &work) || work > work_most))
            return false;
    return threads <= work_most && bytes_of(sizes, &bytes) && bytes <= bytes_most;
}

/* Returns true if the field may shrink in this turn: first sizes that the source does not give and
 * from which no grid is computed (channels, images of a batch), while loops still have a few
 * iterations; then others, while the grid has blocks that are not full; then all. */
static bool may_shrink(const ht_infer_field *field, int turn) {
    if (field->asked)
        return false;
    bool free_ = !field->known && !field->in_grid;
    switch (turn) {
    case 0:
        return free_ && field->value >= SMALL_SIZE;
    case 1:
        return !free_ && field->value > FIRST_GRID_SIZE;
    case 2:
        return free_ && field->value >= SMALL_SIZE / 2;
    default:
        return field->value >= 2;
    }
}

/* Halves the largest such field with which the launch remains possible. */
static bool shrink_one(ht_sizes *sizes, int turn) {
    ht_infer *in = sizes->in;
    bool *tried = ht_alloc(in->field_count + 1, sizeof *tried), done = false;
    for (size_t left = in->field_count; left > 0 && !done; --left) {
        size_t largest = SIZE_MAX;
        for (size_t i = 0; i < in->field_count; ++i)
            if (!tried[i] && may_shrink(&in->fields[i], turn) &&
                (largest == SIZE_MAX || in->fields[i].value > in->fields[largest].value))
                largest = i;
        if (largest == SIZE_MAX)
            break;
        tried[largest] = true;
        int64_t before = in->fields[largest].value, threads;
        in->fields[largest].value /= 2;
        take_expressions(sizes);
        done = threads_of(sizes, &threads);
        if (done)
            sizes->smaller = sizes->smaller || in->fields[largest].known;
        else
            in->fields[largest].value = before;
    }
    take_expressions(sizes);
    free(tried);
    return done;
}

/* Shrinks fields until an emulation takes only a moment. */
static void shrink(ht_sizes *sizes) {
    for (int turn = 0, step = 0; turn < 4 && step < STEPS_MAX && !is_small(sizes); ++step)
        turn += !shrink_one(sizes, turn);
}

/* Returns true if a buffer's number of elements (`first`: smallest subscript) is below `least` with
 * these sizes. */
static bool any_below(const ht_sizes *sizes, bool first, int64_t least) {
    const ht_parameter_list *slots = &sizes->in->slots;
    for (size_t i = 0; i < slots->count; ++i) {
        const ht_infer_buffer *of = &sizes->buffers->items[i];
        const char *text = first ? of->first : of->extent;
        int64_t value;
        if (!slots->items[i].is_pointer || !text)
            continue;
        if (ht_sizes_value(sizes, text, &value) ? value < least : !first)
            return true;
    }
    return false;
}

/* Returns true if a buffer has no elements, or is allocated without any. */
static bool any_empty(const ht_sizes *sizes) {
    bool empty = any_below(sizes, false, 1);
    for (size_t i = 0; i < sizes->in->slots.count && !empty; ++i) {
        int64_t elements;
        empty = sizes->in->allocated[i] &&
                ht_sizes_value(sizes, sizes->in->allocated[i], &elements) && elements < 1;
    }
    return empty;
}

/* Lets counters that begin with 0 (`int nonzeros = 0;`) have counted something where a buffer would
 * be empty otherwise. */
static void counters_grow(ht_sizes *sizes) {
    enum { COUNTED_MOST = 1 << 20 };
    ht_infer *in = sizes->in;
    for (size_t i = 0; i < in->field_count && any_empty(sizes); ++i) {
        ht_infer_field *field = &in->fields[i];
        if (!field->known || !field->counts || field->value != 0)
            continue;
        for (field->value = SMALL_SIZE; field->value < COUNTED_MOST && any_empty(sizes);)
            field->value *= 2;
        field->known = any_empty(sizes);
        if (field->known)
            field->value = 0;
    }
}

/* Lets no buffer be empty, as when a tile is larger than the matrix. */
static void grow_small(ht_sizes *sizes) {
    ht_infer *in = sizes->in;
    for (int step = 0; step < 6 && any_below(sizes, false, 1); ++step)
        for (size_t i = 0; i < in->field_count; ++i)
            if (!in->fields[i].known && !in->fields[i].in_grid)
                in->fields[i].value *= 2;
}

/* Reduces sizes that the source does not give to the largest value with which no subscript is
 * negative (a window may be wider than the guards around the interior allow), but not so far that a
 * window would have no effect. */
static void narrow_small(ht_sizes *sizes) {
    ht_infer *in = sizes->in;
    for (size_t i = 0; i < in->field_count && any_below(sizes, true, 0); ++i) {
        int64_t kept = in->fields[i].value, least = kept > 2 ? 2 : 1;
        if (in->fields[i].known || in->fields[i].in_grid)
            continue;
        while (in->fields[i].value > least && any_below(sizes, true, 0))
            --in->fields[i].value;
        if (any_below(sizes, true, 0))
            in->fields[i].value = kept;
    }
}

/* Notes that a name of an extent is neither a field nor an argument whose value is known. */
static void on_extent_name(void *context, const char *name) {
    naming *of = context;
    const ht_infer *in = of->in;
    bool known = false;
    for (size_t i = 0; i < in->field_count && !known; ++i)
        known = strncmp(name, "problem.", 8) == 0 && strcmp(in->fields[i].name, name + 8) == 0;
    for (size_t i = 0; i < in->slots.count && !known; ++i)
        known = in->scalars[i] && strcmp(in->slots.items[i].name, name) == 0;
    of->unknown = of->unknown || !known;
}

/* Returns true if a buffer's extent has no value, whatever the fields' are: no draw finds one. */
static bool any_unknown(const ht_sizes *sizes) {
    naming of = {.in = sizes->in};
    for (size_t i = 0; i < sizes->in->slots.count && !of.unknown; ++i) {
        const char *text = sizes->buffers->items[i].extent;
        ht_expr *extent;
        int64_t value;
        if (!sizes->in->slots.items[i].is_pointer || !text || ht_sizes_value(sizes, text, &value) ||
            ht_expr_parse(text, (ht_place){0}, &extent, NULL) != HT_OK)
            continue;
        ht_expr_names(extent, on_extent_name, &of);
        ht_expr_free(extent);
    }
    return of.unknown;
}

/* Tries random values for sizes that depend on each other in ways not followed (the remainder of a
 * matrix, channels of a product); the source's values change last. */
static bool draw(ht_sizes *sizes) {
    static const int64_t values[] = {1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 1024, 4096};
    ht_infer *in = sizes->in;
    int64_t *kept = ht_alloc(in->field_count + 1, sizeof *kept), threads;
    ht_random random;
    bool found = false;
    ht_random_seed(&random, 1);
    for (size_t i = 0; i < in->field_count; ++i)
        kept[i] = in->fields[i].value;
    for (int draws = 0; draws < 2 * DRAWS && !found; ++draws) {
        for (size_t i = 0; i < in->field_count; ++i) {
            size_t drawn = ht_random_below(&random, sizeof values / sizeof *values);
            bool free_ = !in->fields[i].known || (draws >= DRAWS && !in->fields[i].asked);
            in->fields[i].value = free_ ? values[drawn] : kept[i];
        }
        take_expressions(sizes);
        found = threads_of(sizes, &threads) && threads > 1 && is_small(sizes) &&
                !any_below(sizes, false, 1);
    }
    for (size_t i = 0; i < in->field_count; ++i) {
        sizes->smaller =
            sizes->smaller || (found && in->fields[i].known && in->fields[i].value != kept[i]);
        in->fields[i].value = found ? in->fields[i].value : kept[i];
    }
    free(kept);
    return found;
}

bool ht_sizes_choose(ht_sizes *sizes) {
    ht_infer *in = sizes->in;
    int64_t threads;
    take_numbers(in);
    for (size_t i = 0; i < in->field_count; ++i)
        if (!in->fields[i].known)
            in->fields[i].value =
                in->fields[i].in_grid ? FIRST_GRID_SIZE : small_value(in->fields[i].name);
    take_expressions(sizes);
    grow_grid(sizes);
    counters_grow(sizes);
    grow_small(sizes);
    widen_pitches(sizes);
    shrink(sizes);
    narrow_small(sizes);
    widen_pitches(sizes);
    for (int step = 0; step < 12 && !threads_of(sizes, &threads); ++step)
        for (size_t i = 0; i < in->field_count; ++i)
            if (in->fields[i].in_grid && !in->fields[i].asked && in->fields[i].value < 4096)
                in->fields[i].value *= 2;
    for (int64_t small = 3; small > 0 && !threads_of(sizes, &threads); small -= 2) {
        for (size_t i = 0; i < in->field_count; ++i)
            if (!in->fields[i].known && !in->fields[i].in_grid)
                in->fields[i].value = small;
        take_expressions(sizes);
        grow_grid(sizes);
    }
    bool launched = threads_of(sizes, &threads);
    if ((launched && !any_below(sizes, false, 1)) || (!any_unknown(sizes) && draw(sizes)) ||
        launched)
        return true;
    ht_infer_miss(in, 0, "sizes for which the launch's grid has a block");
    return false;
}
