#include "predictor/times/columns.h"

#include "base/memory.h"
#include "base/text.h"
#include "templates/expr/quotients.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUOTIENTS_MOST = 6, LIMITS_MOST = 12 };

typedef enum launch_number {
    LAUNCH_THREADS,
    LAUNCH_BLOCK_X,
    LAUNCH_BLOCK_Y,
    LAUNCH_BLOCK_Z,
    LAUNCH_LDS,
    LAUNCH_BLOCKS,
    LAUNCH_GRID_X,
    LAUNCH_GRID_Y,
    LAUNCH_GRID_Z,
    LAUNCH_WAVES,
    LAUNCH_ROUNDS,
    LAUNCH_TAIL,
    LAUNCH_ALL,
    LAUNCH_EACH,
    LAUNCH_COVER,
    LAUNCH_KEPT,
    LAUNCH_GAIN,
    LAUNCH_WASTE,
    LAUNCH_PIECES = LAUNCH_WASTE + QUOTIENTS_MOST,
    LAUNCH_FACTS = LAUNCH_PIECES + QUOTIENTS_MOST,
    LAUNCH_NUMBERS = LAUNCH_FACTS + HT_LAUNCH_FACTS
} launch_number;

static const char *const launch_names[LAUNCH_WASTE] = {
    "threads", "block_x", "block_y", "block_z", "lds",  "blocks", "grid_x", "grid_y", "grid_z",
    "waves",   "rounds",  "tail",    "all",     "each", "cover",  "kept",   "gain"};

typedef enum column_kind {
    COLUMN_PARAM,
    COLUMN_TERM,
    COLUMN_LIMIT,
    COLUMN_LEFT,
    COLUMN_TURNS,
    COLUMN_LAUNCH,
    COLUMN_CONSTANT
} column_kind;

/* The two sides of a comparison in a constraint. */
typedef struct limit {
    ht_expr *lesser, *greater; /* owned */
} limit;

/* A parameter that steps through a size of the problem. */
typedef struct step {
    size_t dimension;
    double size;
} step;

typedef struct column {
    column_kind kind;
    char *name;      /* owned */
    size_t index;    /* of the parameter, term or launch number */
    double constant; /* of what is the same for all configurations */
} column;

struct ht_columns {
    const ht_space *space;
    const ht_time_device *device;
    column *list; /* owned */
    size_t count;
    limit limits[LIMITS_MOST];
    size_t limit_count;
    step *steps; /* owned */
    size_t step_count;
    bool launched;         /* there are launch numbers */
    ht_launch_facts facts; /* of a space from a T1 file */
};

static void column_add(ht_columns *columns, column_kind kind, char *name, size_t index,
                       double constant) {
    HT_GROW(columns->list, columns->count);
    columns->list[columns->count++] = (column){kind, name, index, constant};
}

static void constant_add(ht_columns *columns, const char *kind, const char *name, double value) {
    column_add(columns, COLUMN_CONSTANT, ht_format("%s %s", kind, name), 0, value);
}

static void launch_add(ht_columns *columns) {
    for (size_t i = 0; i < LAUNCH_WASTE; ++i)
        column_add(columns, COLUMN_LAUNCH, ht_strdup(launch_names[i]), i, 0);
    for (size_t i = 0; i < QUOTIENTS_MOST; ++i) {
        column_add(columns, COLUMN_LAUNCH, ht_format("waste %zu", i), LAUNCH_WASTE + i, 0);
        column_add(columns, COLUMN_LAUNCH, ht_format("pieces %zu", i), LAUNCH_PIECES + i, 0);
    }
    for (size_t i = 0; i < HT_LAUNCH_FACTS; ++i)
        column_add(columns, COLUMN_LAUNCH, ht_format("fact %zu", i), LAUNCH_FACTS + i, 0);
}

static void device_add(ht_columns *columns, const ht_time_device *device) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"wavefront", device->wavefront},
                   {"units", device->units},
                   {"lanes", device->lanes},
                   {"mhz", device->mhz},
                   {"memory_rate", device->memory_rate},
                   {"cache", device->cache},
                   {"lds", device->lds}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (numbers[i].value > 0)
            constant_add(columns, "device", numbers[i].name, numbers[i].value);
}

static void extents_add(ht_columns *columns) {
    for (int axis = 0; axis < HT_LAUNCH_AXES; ++axis)
        if (columns->facts.extent[axis] > 0)
            constant_add(columns, "field", (const char *[]){"x", "y", "z"}[axis],
                         columns->facts.extent[axis]);
}

static void name_note(void *context, const char *name) {
    bool *parameter = context;
    *parameter |= strchr(name, '.') == NULL;
}

static void limit_look(void *context, const ht_expr *lesser, const ht_expr *greater) {
    ht_columns *columns = context;
    bool parameter = false;
    ht_expr_names(lesser, name_note, &parameter);
    if (!parameter || columns->limit_count == LIMITS_MOST)
        return;
    size_t index = columns->limit_count++;
    columns->limits[index] = (limit){ht_expr_copy(lesser), ht_expr_copy(greater)};
    column_add(columns, COLUMN_LIMIT, ht_format("limit %zu", index), index, 0);
}

static void limits_add(ht_columns *columns, const ht_binding *binding) {
    for (size_t i = 0; i < binding->template->require_count; ++i)
        ht_expr_limits(binding->template->requires[i].expr, limit_look, columns);
}

/* A name that is looked for in expressions. */
typedef struct name_search {
    const char *name;
    bool found;
} name_search;

static void name_compare(void *context, const char *name) {
    name_search *search = context;
    search->found |= strcmp(search->name, name) == 0;
}

/* Returns true if a parameter is part of the launch's block or grid. */
static bool shapes_launch(const ht_template *template, const char *name) {
    name_search search = {.name = name};
    for (int axis = 0; template->launch_count && axis < HT_LAUNCH_AXES; ++axis) {
        const ht_launch *launch = &template->launches[0];
        if (launch->block[axis])
            ht_expr_names(launch->block[axis], name_compare, &search);
        if (launch->grid[axis])
            ht_expr_names(launch->grid[axis], name_compare, &search);
    }
    return search.found;
}

/* Returns true if a parameter is named after a field: UNROLL_C steps through C. */
static bool is_named_after(const char *name, const char *field) {
    const char *last = strrchr(name, '_');
    return last && strcmp(last + 1, field) == 0;
}

/* Adds what a loop leaves over when a parameter is its step: one that does not shape the launch,
 * such as an unrolling, and the size that it is named after. */
static void steps_add(ht_columns *columns, const ht_binding *binding) {
    for (size_t d = 0; d < ht_space_dimension_count(columns->space); ++d) {
        const ht_dimension *of = ht_space_dimension(columns->space, d);
        bool large = false;
        for (size_t v = 0; v < of->value_count; ++v)
            large |= of->numbers[v] > 1;
        if (of->kind != HT_PARAM_INTEGER || !large || shapes_launch(binding->template, of->name))
            continue;
        for (size_t i = 0; i < binding->problem->value_count; ++i) {
            const ht_problem_value *field = &binding->problem->values[i];
            if (!is_named_after(of->name, field->name))
                continue;
            HT_GROW(columns->steps, columns->step_count);
            columns->steps[columns->step_count] = (step){d, (double)field->value};
            column_add(columns, COLUMN_LEFT, ht_format("left %s %s", of->name, field->name),
                       columns->step_count, 0);
            column_add(columns, COLUMN_TURNS, ht_format("turns %s %s", of->name, field->name),
                       columns->step_count++, 0);
        }
    }
}

ht_columns *ht_columns_new(const ht_space *space, const ht_time_device *device,
                           const char *extents) {
    const ht_binding *binding = ht_space_binding(space);
    ht_columns *columns = ht_alloc(1, sizeof *columns);
    columns->space = space;
    columns->device = device;
    for (size_t i = 0; i < ht_space_dimension_count(space); ++i)
        column_add(columns, COLUMN_PARAM, ht_format("param %s", ht_space_dimension(space, i)->name),
                   i, 0);
    for (size_t i = 0; i < ht_space_term_count(space); ++i)
        column_add(columns, COLUMN_TERM, ht_format("term %s", ht_space_term_text(space, i)), i, 0);
    if (binding)
        limits_add(columns, binding);
    if (binding && binding->problem)
        steps_add(columns, binding);
    if (binding)
        columns->launched = binding->template->launch_count > 0;
    else
        columns->launched =
            ht_launch_facts_of_space(space, extents ? extents : "", "", &columns->facts);
    if (columns->launched)
        launch_add(columns);
    for (size_t i = 0; binding && binding->problem && i < binding->problem->value_count; ++i)
        constant_add(columns, "field", binding->problem->values[i].name,
                     (double)binding->problem->values[i].value);
    if (!binding)
        extents_add(columns);
    device_add(columns, device);
    return columns;
}

void ht_columns_free(ht_columns *columns) {
    for (size_t i = 0; columns && i < columns->count; ++i)
        free(columns->list[i].name);
    for (size_t i = 0; columns && i < columns->limit_count; ++i) {
        ht_expr_free(columns->limits[i].lesser);
        ht_expr_free(columns->limits[i].greater);
    }
    if (columns) {
        free(columns->list);
        free(columns->steps);
    }
    free(columns);
}

size_t ht_columns_count(const ht_columns *columns) {
    return columns->count;
}

const char *ht_columns_name(const ht_columns *columns, size_t index) {
    return columns->list[index].name;
}

/* A launch that is being looked at. */
typedef struct looking {
    const ht_binding *binding;
    const ht_config *config;
    double *numbers;
    size_t quotients;
    double whole_x, part_x; /* of the first quotient along x; 0: none */
    bool along_x;
    double cover, part; /* products over the quotients: of the wastes, of what a block covers */
    bool partial;
} looking;

static void quotient_add(looking *at, double whole, double part) {
    if (at->quotients < QUOTIENTS_MOST && whole > 0 && part > 0) {
        double pieces = ceil(whole / part);
        at->numbers[LAUNCH_WASTE + at->quotients] = pieces * part / whole;
        at->numbers[LAUNCH_PIECES + at->quotients] = pieces;
        if (at->along_x && at->part_x == 0) {
            at->whole_x = whole;
            at->part_x = part;
        }
        at->cover *= pieces * part / whole;
        at->part *= part;
    }
    at->partial |= part > 0 && fmod(whole, part) != 0;
    ++at->quotients;
}

static void quotient_look(void *context, const ht_expr *dividend, const ht_expr *divisor,
                          ht_quotient kind) {
    looking *at = context;
    int64_t a, b;
    if (ht_binding_evaluate(at->binding, at->config, dividend, &a, NULL) != HT_OK ||
        ht_binding_evaluate(at->binding, at->config, divisor, &b, NULL) != HT_OK)
        a = b = 0;
    quotient_add(at, (double)a - (kind == HT_QUOTIENT_PADDED ? (double)b - 1 : 0), (double)b);
}

/* Sets what follows from block and grid. */
static void geometry_set(const ht_time_device *device, const double *block, const double *grid,
                         const bool *partial, double *numbers) {
    double wavefront = device->wavefront > 0 ? device->wavefront : 32;
    double blocks = grid[0] * grid[1] * grid[2];
    numbers[LAUNCH_THREADS] = block[0] * block[1] * block[2];
    numbers[LAUNCH_BLOCKS] = blocks;
    for (int axis = 0; axis < HT_LAUNCH_AXES; ++axis) {
        numbers[LAUNCH_BLOCK_X + axis] = block[axis];
        numbers[LAUNCH_GRID_X + axis] = grid[axis];
    }
    numbers[LAUNCH_WAVES] = ceil(numbers[LAUNCH_THREADS] / wavefront);
    if (device->units > 0) {
        numbers[LAUNCH_ROUNDS] = ceil(blocks / device->units);
        numbers[LAUNCH_TAIL] = blocks / (numbers[LAUNCH_ROUNDS] * device->units);
    }
    ht_launch_facts_of(block, partial, wavefront, numbers + LAUNCH_FACTS);
}

/* Returns the lanes of the waves along x that have any work, when `row` threads have: those past
 * the end of a row return at once, and waves of nothing else cost nothing. */
static double lanes_of(double row, double block, double wavefront) {
    if (block < wavefront)
        return ceil(row / block) * block;
    return floor(row / block) * ceil(block / wavefront) * wavefront +
           ceil(fmod(row, block) / wavefront) * wavefront;
}

/* Sets what several outputs of a thread along x bring, next to one: how many times the outputs a
 * wave with work has, and the share of them that is left of what a thread has. Where a row is
 * short, threads with more outputs only leave more lanes idle. */
static void gain_set(const looking *at, const ht_time_device *device, const double *block) {
    double wavefront = device->wavefront > 0 ? device->wavefront : 32;
    double each = at->part_x / block[0];
    if (at->part_x == 0 || each < 1)
        return;
    double one = lanes_of(at->whole_x, block[0], wavefront);
    double some = lanes_of(ceil(at->whole_x / each), block[0], wavefront);
    at->numbers[LAUNCH_KEPT] = one / (some * each);
    at->numbers[LAUNCH_GAIN] = one / some;
}

/* Sets what the quotients of a grid say together. */
static void cover_set(const looking *at) {
    at->numbers[LAUNCH_ALL] = at->numbers[LAUNCH_BLOCKS] * at->numbers[LAUNCH_THREADS];
    at->numbers[LAUNCH_COVER] = at->cover;
    at->numbers[LAUNCH_EACH] = at->part / at->numbers[LAUNCH_THREADS];
}

static double limit_of(const ht_columns *columns, size_t index, const ht_config *config) {
    const ht_binding *binding = ht_space_binding(columns->space);
    const limit *limit = &columns->limits[index];
    int64_t lesser, greater;
    if (ht_binding_evaluate(binding, config, limit->lesser, &lesser, NULL) != HT_OK ||
        ht_binding_evaluate(binding, config, limit->greater, &greater, NULL) != HT_OK ||
        greater == 0)
        return (double)NAN;
    return (double)lesser / (double)greater;
}

static void launch_of_binding(const ht_columns *columns, const ht_config *config, double *numbers) {
    const ht_binding *binding = ht_space_binding(columns->space);
    const ht_launch *launch = &binding->template->launches[0];
    looking at = {.binding = binding, .config = config, .numbers = numbers, .cover = 1, .part = 1};
    double block[HT_LAUNCH_AXES], grid[HT_LAUNCH_AXES];
    bool partial[HT_LAUNCH_AXES];
    ht_geometry geometry;
    if (ht_binding_geometry(binding, config, launch, &geometry, NULL) != HT_OK)
        return;
    for (int axis = 0; axis < HT_LAUNCH_AXES; ++axis) {
        at.partial = false;
        at.along_x = axis == 0;
        ht_expr_quotients(launch->grid[axis], quotient_look, &at);
        block[axis] = geometry.block[axis];
        grid[axis] = geometry.grid[axis];
        partial[axis] = at.partial;
    }
    numbers[LAUNCH_LDS] = geometry.lds;
    geometry_set(columns->device, block, grid, partial, numbers);
    cover_set(&at);
    gain_set(&at, columns->device, block);
}

static void launch_of_space(const ht_columns *columns, const ht_config *config, double *numbers) {
    looking at = {.numbers = numbers, .cover = 1, .part = 1};
    double block[HT_LAUNCH_AXES], covered[HT_LAUNCH_AXES], grid[HT_LAUNCH_AXES];
    bool partial[HT_LAUNCH_AXES];
    ht_launch_facts_sizes(&columns->facts, config, block, covered);
    for (int axis = 0; axis < HT_LAUNCH_AXES; ++axis) {
        double extent = columns->facts.extent[axis];
        at.partial = false;
        quotient_add(&at, extent, extent > 0 ? covered[axis] : 0);
        grid[axis] = extent > 0 ? ceil(extent / covered[axis]) : 1;
        partial[axis] = at.partial;
    }
    geometry_set(columns->device, block, grid, partial, numbers);
    cover_set(&at);
}

/* Returns how much larger than the size its steps are together. */
static double left_of(double size, double by) {
    return ceil(size / by) * by / size;
}

/* Returns the turns of a loop that is unrolled, those of what is left over included, next to one
 * that is not: a step larger than the size changes nothing. */
static double turns_of(double size, double by) {
    return (floor(size / by) + fmod(size, by)) / size;
}

static double step_of(const ht_columns *columns, const column *column, const ht_config *config) {
    const step *step = &columns->steps[column->index];
    double by = ht_space_dimension(columns->space, step->dimension)
                    ->numbers[config->choice[step->dimension]];
    if (!(by > 0 && step->size > 0))
        return NAN;
    return column->kind == COLUMN_LEFT ? left_of(step->size, by) : turns_of(step->size, by);
}

static double number_of(const ht_columns *columns, const column *column, const ht_config *config,
                        const double *launch) {
    double value = NAN;
    switch (column->kind) {
    case COLUMN_PARAM:
        return ht_space_dimension(columns->space, column->index)
            ->numbers[config->choice[column->index]];
    case COLUMN_TERM:
        return ht_space_term(columns->space, column->index, config, &value) ? value : NAN;
    case COLUMN_LIMIT:
        return limit_of(columns, column->index, config);
    case COLUMN_LEFT:
    case COLUMN_TURNS:
        return step_of(columns, column, config);
    case COLUMN_LAUNCH:
        return launch[column->index];
    case COLUMN_CONSTANT:
        return column->constant;
    }
    return value;
}

void ht_columns_fill(const ht_columns *columns, const ht_config *configs, size_t count,
                     const bool *wanted, float *out_values) {
    bool launched = false;
    for (size_t c = 0; c < columns->count; ++c)
        launched |= columns->list[c].kind == COLUMN_LAUNCH && (!wanted || wanted[c]);
    for (size_t i = 0; i < count; ++i) {
        double launch[LAUNCH_NUMBERS];
        for (size_t k = 0; k < LAUNCH_NUMBERS; ++k)
            launch[k] = NAN;
        if (launched && ht_space_binding(columns->space))
            launch_of_binding(columns, &configs[i], launch);
        else if (launched)
            launch_of_space(columns, &configs[i], launch);
        for (size_t c = 0; c < columns->count; ++c)
            if (!wanted || wanted[c])
                out_values[c * count + i] =
                    (float)number_of(columns, &columns->list[c], &configs[i], launch);
    }
}
