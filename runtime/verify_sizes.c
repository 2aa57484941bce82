/* Which problems a template is verified on. */
#include "runtime/verify.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Fields at or above are extents; below, filter sizes and the like, which stay. */
enum { EXTENT_MIN = 12, KINDS = 6, FIELDS = 6, CUT_MAX = 1 << 16, WHOLE_MAX = 1 << 24 };

/* What the extents become, by how many there are. The first three kinds are those asked for. */
static const int shapes[KINDS][4][FIELDS] = {
    /* odd, and one more or one less than what many blocks' tiles fill: tests that are off by one
       show there */
    {{353}, {65, 47}, {33, 15, 47}, {17, 15, 17, 7, 23, 5}},
    /* smaller than a block; one less */
    {{31}, {7, 3}, {7, 3, 2}, {3, 5, 4, 2, 6, 3}},
    /* even, but no block's multiple */
    {{150}, {50, 18}, {34, 18, 50}, {14, 10, 18, 6, 22, 26}},
    /* multiples of common blocks */
    {{512}, {64, 96}, {32, 48, 16}, {16, 32, 16, 16, 32, 16}},
    {{1024}, {128, 64}, {64, 32, 32}, {32, 16, 16, 32, 16, 16}},
    {{768}, {96, 32}, {48, 64, 32}, {16, 16, 32, 16, 16, 32}}};

typedef struct shape {
    const ht_problem_spec *spec;
    const ht_problem *given;
    bool grown;         /* filter sizes and the like are one larger */
    size_t extents[64]; /* indices of fields */
    size_t extent_count;
    ht_problem *items;
    size_t count;
} shape;

static bool is_free(const shape *in, size_t field) {
    return in->spec->fields[field].kind != HT_FIELD_DERIVED;
}

static int64_t value_of(const shape *in, size_t field) {
    int64_t value = 0;
    ht_problem_get(in->given, in->spec->fields[field].name, &value);
    return value;
}

/* Of a field that stays. One that is 1, a stride say, is more often an option than a size. */
static int64_t kept(const shape *in, size_t field) {
    int64_t value = value_of(in, field);
    bool size = in->spec->fields[field].kind != HT_FIELD_DEFAULT && value > 1;
    return value + (in->grown && size);
}

/* Fields that have a default are options of the kernel: they stay, unless there is nothing else. */
static void extents_find(shape *in) {
    int64_t least = EXTENT_MIN;
    for (int pass = 0; pass < 3 && in->extent_count == 0; ++pass)
        for (size_t i = 0; i < in->spec->field_count && in->extent_count < 64; ++i) {
            bool option = in->spec->fields[i].kind == HT_FIELD_DEFAULT && pass < 2;
            if (is_free(in, i) && !option && value_of(in, i) >= (pass ? 4 : least))
                in->extents[in->extent_count++] = i;
        }
}

static bool is_known(const shape *in, const ht_problem *problem) {
    for (size_t i = 0; i < in->count; ++i) {
        bool same = true;
        for (size_t j = 0; j < problem->value_count && same; ++j)
            same = in->items[i].values[j].value == problem->values[j].value;
        if (same)
            return true;
    }
    return false;
}

/* Adds the given problem with other extents, if the family has it. */
static void add(shape *in, const int64_t *extents) {
    ht_problem_value *values = ht_alloc(in->spec->field_count + 1, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < in->spec->field_count; ++i) {
        if (!is_free(in, i))
            continue;
        values[count] = (ht_problem_value){in->spec->fields[i].name, kept(in, i)};
        for (size_t j = 0; j < in->extent_count; ++j)
            if (in->extents[j] == i)
                values[count].value = extents[j];
        ++count;
    }
    ht_problem problem;
    ht_place nowhere = {0};
    if (ht_problem_make(in->spec, "verification", values, count, nowhere, &problem, NULL) ==
        HT_OK) {
        if (is_known(in, &problem)) {
            ht_problem_free(&problem);
        } else {
            HT_GROW(in->items, in->count);
            in->items[in->count++] = problem;
        }
    }
    free(values);
}

static int64_t shaped(const shape *in, int kind, size_t extent) {
    size_t row = in->extent_count < 4 ? in->extent_count - 1 : 3;
    return shapes[kind][row][extent % FIELDS];
}

static double elements_of(const shape *in, const int64_t *extents) {
    double elements = 1;
    for (size_t i = 0; i < in->extent_count; ++i)
        elements *= (double)extents[i];
    return elements;
}

/* The given extents, halved together until the problem is small. */
static void cut_down(const shape *in, int64_t *extents, double most) {
    for (;;) {
        bool halved = false;
        if (elements_of(in, extents) <= most)
            return;
        for (size_t i = 0; i < in->extent_count; ++i)
            if (extents[i] > 16) {
                extents[i] /= 2;
                halved = true;
            }
        if (!halved)
            return;
    }
}

static void add_kind(shape *in, int kind) {
    int64_t extents[64];
    for (size_t i = 0; i < in->extent_count; ++i)
        extents[i] = shaped(in, kind, i);
    if (in->extent_count)
        add(in, extents);
}

/* One extent odd, the others as given: some must divide or equal each other. */
static void add_single(shape *in, const int64_t *base, int kind) {
    int64_t extents[64];
    for (size_t i = 0; i < in->extent_count; ++i) {
        memcpy(extents, base, in->extent_count * sizeof *extents);
        extents[i] = shaped(in, kind, i);
        add(in, extents);
    }
}

/* All extents the same: square matrices. */
static void add_square(shape *in, int64_t edge) {
    int64_t extents[64];
    for (size_t i = 0; i < in->extent_count; ++i)
        extents[i] = edge;
    add(in, extents);
}

void ht_verify_problems(const ht_problem_spec *spec, const ht_problem *given,
                        ht_problem **out_problems, size_t *out_count) {
    shape in = {.spec = spec, .given = given};
    extents_find(&in);
    int64_t base[64] = {0}, whole[64] = {0};
    for (size_t i = 0; i < in.extent_count; ++i)
        whole[i] = base[i] = value_of(&in, in.extents[i]);
    cut_down(&in, base, CUT_MAX);
    add_kind(&in, 0);
    add_kind(&in, 1);
    in.grown = true;
    add_kind(&in, 2);
    in.grown = false;
    add_kind(&in, 2);
    add(&in, base);
    if (in.extent_count > 1)
        for (int64_t edge = 37; edge > 4; edge -= 16)
            add_square(&in, edge);
    bool small = elements_of(&in, whole) <= WHOLE_MAX;
    if (in.extent_count > 1)
        add_single(&in, small ? whole : base, 0);
    if (small)
        add(&in, whole);
    else { /* blocks that cover much need more than the smallest */
        memcpy(base, whole, sizeof base);
        cut_down(&in, base, WHOLE_MAX);
        add(&in, base);
    }
    for (int kind = 3; kind < KINDS; ++kind)
        add_kind(&in, kind);
    for (int64_t edge = 64; in.extent_count > 1 && edge >= 16; edge -= 16)
        add_square(&in, edge);
    add(&in, whole);
    *out_problems = in.items;
    *out_count = in.count;
}
