/* The problems that a template is verified on. */
#include "runtime/verify/verify.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "runtime/job/job_memory.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = 8, MULTIPLES = 5, FIELDS = 6, CUT_MAX = 1 << 16, WHOLE_MAX = 1 << 24 };
/* Of a problem whose extents are ours, and the largest extent that is not made smaller for it. */
static const uint64_t bytes_small = UINT64_C(8) << 20;
enum { EXTENT_LEAST = 3 };

/* Values of the extents, by how many there are: one along the grid's x first, then y, z and the
 * others (extents_sort). The first five kinds are those asked for. Stencils have a border of one
 * that is no output: two more than a tile is a tile there. */
static const int shapes[KINDS][4][FIELDS] = {
    /* odd, and one more than what many blocks' tiles fill, so that there are whole tiles and tests
       that are off by one show */
    {{353}, {257, 33}, {97, 17, 17}, {65, 17, 5, 7, 11, 3}},
    /* smaller than a block; one less */
    {{31}, {7, 3}, {7, 3, 2}, {5, 4, 2, 3, 6, 3}},
    /* even, but no block's multiple; with a border just what tiles fill */
    {{150}, {50, 18}, {50, 18, 6}, {34, 18, 6, 10, 14, 22}},
    /* with a border one more than what tiles fill along x; one less, without, along y */
    {{319}, {131, 63}, {99, 31, 11}, {67, 15, 7, 9, 5, 13}},
    /* the other way round */
    {{259}, {127, 35}, {63, 35, 9}, {63, 19, 9, 18, 6, 11}},
    /* multiples of common blocks */
    {{512}, {64, 96}, {32, 48, 16}, {16, 32, 16, 16, 32, 16}},
    {{1024}, {128, 64}, {64, 32, 32}, {32, 16, 16, 32, 16, 16}},
    {{768}, {96, 32}, {48, 64, 32}, {16, 16, 32, 16, 16, 32}}};

/* The treatment of fields that are not extents. */
typedef enum growth {
    AS_GIVEN,
    SIZES_ALONE,    /* filter sizes and the like are others */
    SIZES_AND_STEPS /* strides, pads, dilations and batches that are 1 are 2 besides, and options as
                       nobody chose them: without a border, say */
} growth;

typedef struct shape {
    const ht_template *template;
    ht_device device;
    const ht_problem_spec *spec;
    const ht_problem *given;
    growth growth;
    bool tied; /* what is equal in the given problem stays so: as many groups as channels */
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

/* Returns another size for a filter. Templates may have ways of their own for 3, 5 and 7, which
 * nothing but these sizes takes. A 4 is not a filter, but channels, say, which go by strips of 4
 * and 8. */
static int64_t another(int64_t value) {
    return value == 4 ? 9 : value < 3 ? 3 : value < 5 ? 5 : value == 7 ? 5 : 7;
}

/* Returns the value of a field that is not an extent. */
static int64_t kept(const shape *in, size_t field) {
    int64_t value = value_of(in, field);
    if (in->spec->fields[field].kind == HT_FIELD_DEFAULT || in->growth == AS_GIVEN || value < 1)
        return value;
    return value > 1 ? another(value) : in->growth == SIZES_AND_STEPS ? 2 : 1;
}

typedef struct along {
    const ht_template *template;
    bool *fields; /* by field: the expression is made of it */
} along;

static void on_name(void *context, const char *name);

/* Notes a field; in the expressions of derived fields other fields have their plain names. */
static void on_field(void *context, const char *name) {
    const along *in = context;
    const ht_problem_spec *spec = &in->template->problem;
    for (size_t i = 0; i < spec->field_count; ++i) {
        if (in->fields[i] || strcmp(spec->fields[i].name, name) != 0)
            continue;
        in->fields[i] = true;
        if (spec->fields[i].kind == HT_FIELD_DERIVED)
            ht_expr_names(spec->fields[i].expr, on_field, context);
    }
}

static void on_name(void *context, const char *name) {
    const along *in = context;
    if (strncmp(name, "problem.", 8) == 0)
        on_field(context, name + 8);
    for (size_t i = 0; i < in->template->arg_count; ++i) {
        const ht_arg *arg = &in->template->args[i];
        for (size_t v = 0; v < arg->value_count && strcmp(arg->name, name) == 0; ++v)
            if (arg->values[v])
                ht_expr_names(arg->values[v], on_name, context);
    }
}

/* Returns true if the launch divides by what a block covers: the grid is less than the extent. */
static bool divides(const ht_expr *grid) {
    char *text = ht_expr_string(grid);
    bool divided = strchr(text, '/') || strstr(text, "ceil_div") || strstr(text, "round_up");
    free(text);
    return divided;
}

/* Where an extent belongs: along an axis of the grid, to none, or to the blocks of a row of blocks
 * that are counted one by one, as for rows of a matrix. */
enum { AXES = 3, ELSEWHERE = AXES, COUNTED, GROUPS };

/* Notes for each group which fields belong to it. */
static void groups_find(const shape *in, const ht_template *template, bool *of[GROUPS]) {
    size_t fields = in->spec->field_count;
    const ht_launch *launch =
        template->reference_launch_count ? template->reference_launches : template->launches;
    const ht_expr *x = launch->grid[0];
    for (int group = 0; group < GROUPS; ++group)
        of[group] = ht_alloc(fields + 1, sizeof(bool));
    for (int axis = 0; axis < AXES; ++axis)
        if (template->launches[0].grid[axis])
            ht_expr_names(template->launches[0].grid[axis], on_name, &(along){template, of[axis]});
    bool row = x && !divides(x);
    for (size_t i = 0; i < fields; ++i) {
        of[ELSEWHERE][i] = !of[0][i] && !of[1][i] && !of[2][i];
        row = row && !of[1][i] && !of[2][i];
    }
    if (!row)
        return;
    memcpy(of[COUNTED], of[0], fields * sizeof(bool));
    memset(of[0], 0, fields * sizeof(bool));
}

/* Sorts the extents: one along each axis of the grid, x first, in turns; then what no grid is
 * computed from. Rows come last, as it is their length that is dealt out. */
static void extents_sort(shape *in, const ht_template *template) {
    size_t sorted[64], count = 0;
    bool *of[GROUPS], *taken = ht_alloc(in->spec->field_count + 1, sizeof *taken);
    groups_find(in, template, of);
    for (int turn = 0; count < in->extent_count; ++turn) {
        size_t i = 0;
        bool last = turn >= COUNTED * (int)in->extent_count; /* all others are sorted */
        while (i < in->extent_count &&
               (taken[in->extents[i]] || !of[last ? COUNTED : turn % COUNTED][in->extents[i]]))
            ++i;
        if (i == in->extent_count)
            continue;
        taken[in->extents[i]] = true;
        sorted[count++] = in->extents[i];
    }
    memcpy(in->extents, sorted, count * sizeof *sorted);
    for (int group = 0; group < GROUPS; ++group)
        free(of[group]);
    free(taken);
}

/* Finds the extents. Fields that have a default are options of the kernel: they stay, unless there
 * is nothing else. */
static void extents_find(shape *in) {
    int64_t least = HT_EXTENT_MIN;
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

static bool is_tied(const shape *in, size_t a, size_t b) {
    return value_of(in, a) == value_of(in, b);
}

/* Makes the given problem with other extents. Returns false if the family has none. */
static bool make(const shape *in, const int64_t *extents, ht_problem *out) {
    ht_problem_value *values = ht_alloc(in->spec->field_count + 1, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < in->spec->field_count; ++i) {
        bool open = in->growth == SIZES_AND_STEPS && in->spec->fields[i].kind == HT_FIELD_DEFAULT;
        if (!is_free(in, i))
            continue;
        values[count] = (ht_problem_value){in->spec->fields[i].name, kept(in, i)};
        for (size_t j = in->extent_count; j-- > 0;)
            if (in->extents[j] == i || (in->tied && is_tied(in, i, in->extents[j]))) {
                values[count].value = extents[j];
                open = false;
            }
        count += !open;
    }
    ht_place nowhere = {0};
    bool made =
        ht_problem_make(in->spec, "verification", values, count, nowhere, out, NULL) == HT_OK;
    free(values);
    return made;
}

/* Adds the given problem with other extents, if the family has it. */
static void add(shape *in, const int64_t *extents) {
    ht_problem problem;
    if (!make(in, extents, &problem))
        return;
    if (is_known(in, &problem)) {
        ht_problem_free(&problem);
    } else {
        HT_GROW(in->items, in->count);
        in->items[in->count++] = problem;
    }
}

/* Returns the bytes of the problem's buffers; 0 where it has none, or the family not the problem.
 */
static uint64_t bytes_of(const shape *in, const int64_t *extents) {
    ht_problem problem;
    if (!make(in, extents, &problem))
        return 0;
    const ht_binding binding = {in->template, &problem, &in->device.fields};
    uint64_t bytes = ht_job_memory_plain(&binding);
    ht_problem_free(&problem);
    return bytes;
}

/* Returns half of an extent that is as odd or even: one more than a multiple stays one more, one
 * less stays one less. */
static int64_t half_of(int64_t extent) {
    return extent % 2 ? extent / 2 | 1 : (extent / 2 + 1) / 2 * 2;
}

/* Adds a problem with extents of our own, the largest of them halved until its buffers are small:
 * what is the product of many extents need not be large to show a fault. Bytes that buffers take
 * with any extents do not count. */
static void add_small(shape *in, const int64_t *extents) {
    int64_t smaller[64] = {0}, least[64] = {0};
    for (size_t i = 0; i < in->extent_count; ++i) {
        smaller[i] = extents[i];
        least[i] = extents[i] < EXTENT_LEAST ? extents[i] : EXTENT_LEAST;
    }
    uint64_t anyway = bytes_of(in, least);
    while (bytes_of(in, smaller) > bytes_small + anyway) {
        size_t largest = 0;
        for (size_t i = 1; i < in->extent_count; ++i)
            if (smaller[i] > smaller[largest])
                largest = i;
        if (in->extent_count == 0 || smaller[largest] <= EXTENT_LEAST)
            return;
        smaller[largest] = half_of(smaller[largest]);
    }
    add(in, smaller);
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

/* Cuts the given extents down, halved together until the problem is small. */
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
        add_small(in, extents);
}

/* Adds problems with one extent odd, the others as given: some must divide or equal each other. */
static void add_single(shape *in, const int64_t *base, int kind) {
    int64_t extents[64];
    for (size_t i = 0; i < in->extent_count; ++i) {
        memcpy(extents, base, in->extent_count * sizeof *extents);
        extents[i] = shaped(in, kind, i);
        add(in, extents);
    }
}

/* Adds the five kinds that are asked for; the last as different as the original takes it. */
static void add_kinds(shape *in, bool multiples) {
    static const growth growths[] = {SIZES_AND_STEPS, SIZES_ALONE, AS_GIVEN};
    add_kind(in, 0);
    add_kind(in, 1);
    add_kind(in, 3);
    add_kind(in, multiples ? 5 : 4);
    for (size_t i = 0; i < sizeof growths / sizeof *growths; ++i) {
        in->growth = growths[i];
        add_kind(in, 2);
    }
}

/* Adds a problem with all extents the same: square matrices. */
static void add_square(shape *in, int64_t edge) {
    int64_t extents[64];
    for (size_t i = 0; i < in->extent_count; ++i)
        extents[i] = edge;
    add_small(in, extents);
}

/* Returns true if the original is launched for multiples, as with n / 64 blocks. For other sizes
 * its outputs end before the extents do, so that nothing at their end is seen. */
static bool leaves_rest(const ht_template *template) {
    bool leaves = false;
    for (size_t i = 0; i < template->reference_launch_count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            const ht_expr *grid = template->reference_launches[i].grid[axis];
            char *text = grid ? ht_expr_string(grid) : ht_strdup("");
            leaves = leaves || (strchr(text, '/') && !strpbrk(text, "+-") &&
                                !strstr(text, "ceil_div") && !strstr(text, "round_up"));
            free(text);
        }
    return leaves;
}

/* Returns true if a buffer holds what a file does: numbers that lead into other buffers need not do
 * so at sizes other than the given ones, which must be among those that are tried. */
static bool reads_files(const ht_template *template) {
    for (size_t i = 0; i < template->arg_count; ++i)
        if (template->args[i].init.kind == HT_INIT_FILE)
            return true;
    return false;
}

static shape shape_of(const ht_template *template, const ht_problem *given) {
    shape out = {.template = template, .spec = &template->problem, .given = given};
    if (ht_device_find("host", &out.device, NULL) != HT_OK) /* no compiler: nothing will run */
        out.device = (ht_device){0};
    extents_find(&out);
    return out;
}

void ht_verify_problems(const ht_template *template, const ht_problem *given,
                        ht_problem **out_problems, size_t *out_count) {
    shape in = shape_of(template, given);
    if (template->launch_count)
        extents_sort(&in, template);
    int64_t base[64] = {0}, whole[64] = {0};
    for (size_t i = 0; i < in.extent_count; ++i)
        whole[i] = base[i] = value_of(&in, in.extents[i]);
    cut_down(&in, base, CUT_MAX);
    if (reads_files(template))
        add(&in, whole);
    add_kinds(&in, leaves_rest(template));
    in.tied = true;
    add_kinds(&in, leaves_rest(template));
    in.tied = false;
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
    for (int kind = MULTIPLES; kind < KINDS; ++kind)
        add_kind(&in, kind);
    for (int64_t edge = 64; in.extent_count > 1 && edge >= 16; edge -= 16)
        add_square(&in, edge);
    add(&in, whole);
    *out_problems = in.items;
    *out_count = in.count;
}

/* Adds a kind with each extent moved: by up to a quarter, or, where it is a multiple of common
 * blocks, to another multiple. */
static void add_moved(shape *in, int kind, ht_random *random) {
    int64_t extents[64];
    for (size_t i = 0; i < in->extent_count; ++i) {
        int64_t usual = shaped(in, kind, i), room = usual / 4 + 1;
        extents[i] = kind < MULTIPLES
                         ? usual - room + (int64_t)ht_random_below(random, 2 * (uint64_t)room + 1)
                         : usual + (usual & -usual) * (int64_t)ht_random_below(random, 3);
        extents[i] = extents[i] < 1 ? 1 : extents[i];
    }
    if (in->extent_count)
        add_small(in, extents);
}

void ht_verify_fresh(const ht_template *template, const ht_problem *given, uint64_t seed,
                     ht_problem **out_problems, size_t *out_count) {
    shape in = shape_of(template, given);
    ht_random random;
    ht_random_stream(&random, seed, 0xf5e54); /* others draw inputs by the seed */
    if (template->launch_count)
        extents_sort(&in, template);
    for (int turn = 0; turn < 2; ++turn) {
        in.tied = turn > 0;
        for (int kind = 0; kind < KINDS; ++kind)
            add_moved(&in, kind, &random);
    }
    *out_problems = in.items;
    *out_count = in.count;
}
