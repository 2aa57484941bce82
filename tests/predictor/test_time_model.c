/* The model of time: it ranks what it has not seen, proposes different legal configurations, comes
 * back from its file, refuses damaged ones, and is the same whatever the threads. */
#include "predictor/times/time_model.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static const char space_text[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"block_size_x\", \"Type\": \"int\", \"Values\": \"[8, 16, 32, 64, 128]\", "
    "\"Default\": 8},"
    "{\"Name\": \"block_size_y\", \"Type\": \"int\", \"Values\": \"[1, 2, 4, 8, 16]\", "
    "\"Default\": 1},"
    "{\"Name\": \"tile_size_x\", \"Type\": \"int\", \"Values\": \"[1, 2, 3, 4]\", \"Default\": 1},"
    "{\"Name\": \"tile_size_y\", \"Type\": \"int\", \"Values\": \"[1, 2, 3, 4]\", \"Default\": 1},"
    "{\"Name\": \"stage\", \"Type\": \"int\", \"Values\": \"[0, 1]\", \"Default\": 0}],"
    "\"Conditions\": [{\"Expression\": \"block_size_x * block_size_y <= 1024\"}]}}";

static const ht_time_device slow = {.wavefront = 32, .units = 20, .mhz = 1000, .lds = 65536};
static const ht_time_device fast = {.wavefront = 64, .units = 100, .mhz = 1700, .lds = 65536};

static ht_space *space_make(const char *text) {
    ht_space *space = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_space_parse_t1(text, "T1.json", 0, &space, &error), HT_OK, "%s", error.message);
    return space;
}

static double number(const ht_space *space, const ht_config *config, size_t dimension) {
    return ht_space_dimension(space, dimension)->numbers[config->choice[dimension]];
}

/* Time that threads which idle take, what sticks out of the problem, and tiles that are reused. */
static double cost_of(const ht_space *space, const ht_config *config, double extent) {
    double x = number(space, config, 0) * number(space, config, 2);
    double y = number(space, config, 1) * number(space, config, 3);
    double threads = number(space, config, 0) * number(space, config, 1);
    double covered = ceil(extent / x) * x / extent * ceil(extent / y) * y / extent;
    double reuse = 1 + 4 / (number(space, config, 2) * number(space, config, 3));
    double stage = number(space, config, 4) > 0 ? 0.8 : 1;
    if (threads < 64)
        return threads < 16 ? INFINITY : 4 * covered;
    return covered * reuse * stage * (1 + threads / 2048);
}

typedef struct case_ {
    ht_columns *columns;
    ht_config *configs;
    double *costs;
    size_t count;
} case_;

static case_ case_make(const ht_space *space, const ht_time_device *device, int extent) {
    char *extents = ht_format("[%d, %d]", extent, extent);
    case_ made = {.columns = ht_columns_new(space, device, extents),
                  .count = (size_t)ht_space_count(space)};
    made.configs = ht_alloc(made.count, sizeof *made.configs);
    made.costs = ht_alloc(made.count, sizeof *made.costs);
    for (size_t i = 0; i < made.count; ++i) {
        made.configs[i] = ht_space_at(space, i);
        made.costs[i] = cost_of(space, &made.configs[i], extent);
    }
    free(extents);
    return made;
}

static void case_free(case_ *of) {
    ht_columns_free(of->columns);
    free(of->configs);
    free(of->costs);
}

static const int extents[] = {96, 100, 128, 160, 200, 256, 300, 384};

/* Learns from eight problems on a slow device, and from some on a fast one. */
static ht_time_model *model_make(const ht_space *space) {
    ht_time_data data = {0};
    for (size_t p = 0; p < 8; ++p) {
        case_ of = case_make(space, &slow, extents[p]);
        cr_assert(ht_time_data_add(&data, of.columns, "slow", of.configs, of.costs, of.count));
        case_free(&of);
    }
    for (size_t p = 0; p < 3; ++p) {
        case_ of = case_make(space, &fast, extents[2 * p]);
        cr_assert(ht_time_data_add(&data, of.columns, "fast", of.configs, of.costs, of.count));
        case_free(&of);
    }
    ht_time_settings settings = ht_time_defaults;
    settings.boost.rounds = 40;
    ht_time_model *model = ht_time_model_fit(&data, "kernel", "", "", &settings);
    ht_time_data_free(&data);
    return model;
}

/* Returns the best time over the best of the first choices. */
static double reached(const ht_space *space, const ht_time_choice *choices, size_t count,
                      const case_ *of, int extent) {
    double best = INFINITY, own = INFINITY;
    for (size_t i = 0; i < of->count; ++i)
        best = fmin(best, of->costs[i]);
    for (size_t c = 0; c < count; ++c)
        own = fmin(own, cost_of(space, &choices[c].config, extent));
    return best / own;
}

Test(time_model, chooses_well_for_a_problem_that_it_has_not_seen) {
    ht_space *space = space_make(space_text);
    ht_time_model *model = model_make(space);
    for (int extent = 110; extent < 370; extent += 47) {
        ht_time_choice choices[10];
        case_ of = case_make(space, &slow, extent);
        cr_assert_eq(ht_time_model_choose(model, space, of.columns, true, 10, choices), 10);
        cr_expect_gt(reached(space, choices, 1, &of, extent), 0.9, "extent %d", extent);
        cr_expect_gt(reached(space, choices, 10, &of, extent), 0.97, "extent %d", extent);
        case_free(&of);
    }
    ht_time_model_free(model);
    ht_space_free(space);
}

Test(time_model, knows_what_it_has_seen_and_how_good_it_is_elsewhere) {
    ht_space *space = space_make(space_text);
    ht_time_model *model = model_make(space);
    const ht_time_facts *facts = ht_time_model_facts(model);
    cr_expect(ht_time_model_knows(model, "slow"));
    cr_expect_not(ht_time_model_knows(model, "other"));
    cr_expect_eq(facts->jobs, 11);
    cr_assert_eq(facts->seen_count, 2);
    cr_expect_str_eq(facts->seen[0].name, "x");
    cr_expect_eq(facts->seen[0].least, 96);
    cr_expect_eq(facts->seen[0].most, 384);
    cr_expect_gt(facts->problems.jobs, 0);
    cr_expect_gt(facts->problems.mean, 0.9);
    cr_expect(facts->problems.low <= facts->problems.mean + 1e-9, "but for rounding");
    cr_expect_gt(facts->machines.jobs, 0);
    ht_time_model_free(model);
    ht_space_free(space);
}

Test(time_model, proposes_different_legal_configurations_of_any_space) {
    static const char large[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": ["
        "{\"Name\": \"block_size_x\", \"Type\": \"int\", \"Values\": \"list(range(1, 129))\", "
        "\"Default\": 8},"
        "{\"Name\": \"block_size_y\", \"Type\": \"int\", \"Values\": \"list(range(1, 65))\", "
        "\"Default\": 1},"
        "{\"Name\": \"tile_size_x\", \"Type\": \"int\", \"Values\": \"[1, 2, 3, 4]\", "
        "\"Default\": 1},"
        "{\"Name\": \"tile_size_y\", \"Type\": \"int\", \"Values\": \"[1, 2, 3, 4]\", "
        "\"Default\": 1},"
        "{\"Name\": \"stage\", \"Type\": \"int\", \"Values\": \"[0, 1]\", \"Default\": 0}],"
        "\"Conditions\": [{\"Expression\": \"block_size_x * block_size_y <= 1024\"}]}}";
    ht_space *small = space_make(space_text), *space = space_make(large);
    ht_time_model *model = model_make(small);
    ht_columns *columns = ht_columns_new(space, &slow, "[200, 200]");
    ht_time_choice choices[30];
    cr_assert_eq(ht_time_model_choose(model, space, columns, true, 30, choices), 30);
    for (size_t i = 0; i < 30; ++i) {
        cr_expect(ht_space_legal(space, &choices[i].config));
        cr_expect_geq(choices[i].over, 1);
        for (size_t j = 0; j < i; ++j)
            cr_expect_not(ht_config_equal(&choices[i].config, &choices[j].config));
    }
    ht_columns_free(columns);
    ht_time_model_free(model);
    ht_space_free(space);
    ht_space_free(small);
}

Test(time_model, says_nothing_of_too_few_times) {
    ht_space *space = space_make(space_text);
    ht_time_data data = {0};
    case_ of = case_make(space, &slow, 128);
    static const double costs[] = {1, INFINITY, 2, INFINITY};
    cr_expect_not(ht_time_data_add(&data, of.columns, "slow", of.configs, costs, 4));
    cr_expect_eq(data.job_count, 0);
    case_free(&of);
    ht_time_data_free(&data);
    ht_space_free(space);
}

static char *saved(const ht_time_model *model, const char *path, size_t *out_length) {
    char *data = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_time_model_save(model, path, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_file_read(path, 0, &data, out_length, &error), HT_OK, "%s", error.message);
    return data;
}

Test(time_model, is_the_same_whatever_the_threads_and_comes_back_from_its_file) {
    ht_space *space = space_make(space_text);
    char *folder = NULL;
    cr_assert_eq(ht_dir_temporary("times", &folder, NULL), HT_OK);
    char *path = ht_path_join(folder, "kernel.times"), *bytes[2];
    size_t length[2];
    ht_time_model *model = NULL, *back = NULL;
    for (int i = 0; i < 2; ++i) {
        omp_set_num_threads(1 + 3 * i);
        ht_time_model_free(model);
        model = model_make(space);
        bytes[i] = saved(model, path, &length[i]);
    }
    cr_assert_eq(length[0], length[1]);
    cr_expect_eq(memcmp(bytes[0], bytes[1], length[0]), 0);
    ht_error error = {0};
    cr_expect(ht_time_model_is(path));
    cr_assert_eq(ht_time_model_open(path, &back, &error), HT_OK, "%s", error.message);
    case_ of = case_make(space, &fast, 128);
    size_t count = ht_time_model_members(model) * of.count;
    float *before = ht_alloc(count, sizeof *before), *after = ht_alloc(count, sizeof *after);
    ht_time_model_ask(model, of.columns, of.configs, of.count, before);
    ht_time_model_ask(back, of.columns, of.configs, of.count, after);
    cr_expect_arr_eq(before, after, count * sizeof *before);
    cr_expect_str_eq(ht_time_model_facts(back)->kernel, "kernel");
    free(before);
    free(after);
    case_free(&of);
    for (size_t at = 0; at < length[0]; at += 1 + length[0] / 200) {
        ht_time_model *none = NULL;
        bytes[0][at] ^= 0x10;
        cr_assert_eq(ht_time_model_parse((uint8_t *)bytes[0], length[0], "x", &none, &error),
                     HT_ERROR_INPUT, "byte %zu changed", at);
        bytes[0][at] ^= 0x10;
        cr_assert_eq(ht_time_model_parse((uint8_t *)bytes[0], at, "x", &none, &error),
                     HT_ERROR_INPUT, "%zu bytes", at);
    }
    ht_time_model_free(model);
    ht_time_model_free(back);
    free(bytes[0]);
    free(bytes[1]);
    free(path);
    ht_dir_remove(folder);
    free(folder);
    ht_space_free(space);
}

static float column_value(const ht_columns *columns, const ht_config *config, const char *name) {
    size_t count = ht_columns_count(columns);
    float *values = ht_alloc(count, sizeof *values), found = NAN;
    ht_columns_fill(columns, config, 1, NULL, values);
    for (size_t c = 0; c < count; ++c)
        if (strcmp(ht_columns_name(columns, c), name) == 0)
            found = values[c];
    free(values);
    return found;
}

/* The first template of a text with a problem, on a device of waves of 32. */
typedef struct bound {
    ht_template *templates;
    size_t count;
    ht_problem problem;
    ht_device_fields fields;
    ht_binding binding;
    ht_space *space;
} bound;

static void bound_open(bound *out, const char *text, const char *problem) {
    ht_error error = {0};
    *out = (bound){.fields = {.wavefront = 32,
                              .max_threads = 1024,
                              .max_block_x = 1024,
                              .max_block_y = 1,
                              .max_block_z = 1,
                              .max_grid_x = 1 << 20,
                              .max_grid_y = 1,
                              .max_grid_z = 1,
                              .units = 20}};
    cr_assert_eq(ht_template_parse(text, "k.hip", &out->templates, &out->count, &error), HT_OK,
                 "%s", error.message);
    cr_assert_eq(ht_problem_parse(&out->templates[0].problem, problem, &out->problem, NULL), HT_OK);
    out->binding = (ht_binding){&out->templates[0], &out->problem, &out->fields};
    cr_assert_eq(ht_space_build(&out->binding, 1, &out->space, &error), HT_OK, "%s", error.message);
}

static void bound_close(bound *of) {
    ht_space_free(of->space);
    ht_problem_free(&of->problem);
    ht_template_free(of->templates, of->count);
}

/* Of each limit that a constraint sets, how much of it is used; what an unrolling leaves over; and
 * what a thread's outputs bring where lanes stay idle. */
Test(time_model, sees_limits_steps_and_idle_lanes) {
    static const char text[] = "#pragma tune unit\n"
                               "#pragma tune kernel(k)\n"
                               "#pragma tune problem(line : n)\n"
                               "#pragma tune param(BLOCK : 16, 32, 64 = 16)\n"
                               "#pragma tune param(TILE_n : 1, 2, 4 = 1)\n"
                               "#pragma tune param(UNROLL_n : 1, 4, 8 = 1)\n"
                               "#pragma tune require(BLOCK <= 256 && problem.n > 3)\n"
                               "#pragma tune require(2 * problem.n > BLOCK * TILE_n)\n"
                               "#pragma tune block(BLOCK)\n"
                               "#pragma tune grid(ceil_div(problem.n, BLOCK * TILE_n))\n"
                               "#pragma tune arg(a : out float[problem.n])\n"
                               "template <int BLOCK, int TILE_n, int UNROLL_n> "
                               "__global__ void k(float *a) {}\n";
    bound line;
    bound_open(&line, text, "n=100");
    const ht_space *space = line.space;
    ht_columns *columns = ht_columns_new(space, &slow, NULL);
    const ht_config config = {3, {1, 2, 2}}; /* BLOCK 32, TILE_n 4, UNROLL_n 8 */
    cr_expect_eq(column_value(columns, &config, "limit 0"), 0.125F);
    cr_expect_float_eq(column_value(columns, &config, "limit 1"), 0.64F, 1e-6);
    cr_expect(isnan(column_value(columns, &config, "limit 2")), "n > 3 is not a choice");
    cr_expect_eq(column_value(columns, &config, "each"), 4);
    cr_expect_float_eq(column_value(columns, &config, "left UNROLL_n n"), 1.04F, 1e-6);
    cr_expect(isnan(column_value(columns, &config, "left TILE_n n")), "TILE_n shapes the grid");
    /* 12 turns of 8, and the 4 that are left */
    cr_expect_float_eq(column_value(columns, &config, "turns UNROLL_n n"), 0.16F, 1e-6);
    cr_expect_eq(column_value(columns, &config, "gain"), 4); /* 100 threads are 4 waves, 25 one */
    cr_expect_eq(column_value(columns, &config, "kept"), 1);
    ht_columns_free(columns);
    columns = ht_columns_new(space, &fast, NULL);
    const ht_config wide = {3, {2, 2, 0}}; /* BLOCK 64: 100 threads are 2 waves of 64, 25 one */
    cr_expect_eq(column_value(columns, &wide, "gain"), 2);
    cr_expect_eq(column_value(columns, &wide, "kept"), 0.5F);
    ht_columns_free(columns);
    bound_close(&line);
}

Test(time_model, sees_tiles_waves_and_tails) {
    ht_space *space = space_make(space_text);
    ht_columns *columns = ht_columns_new(space, &slow, "[100, 64]");
    const ht_config config = {5, {2, 2, 1, 0, 1}}; /* a block of 32 x 4, tiles of 2 x 1 */
    cr_expect_eq(column_value(columns, &config, "threads"), 128);
    cr_expect_eq(column_value(columns, &config, "waves"), 4);
    cr_expect_eq(column_value(columns, &config, "pieces 0"), 2); /* 100 in pieces of 64 */
    cr_expect_float_eq(column_value(columns, &config, "waste 0"), 1.28F, 1e-6);
    cr_expect_eq(column_value(columns, &config, "waste 1"), 1);
    cr_expect_eq(column_value(columns, &config, "blocks"), 32);
    cr_expect_eq(column_value(columns, &config, "all"), 32 * 128);
    cr_expect_float_eq(column_value(columns, &config, "cover"), 1.28F, 1e-6);
    cr_expect_eq(column_value(columns, &config, "each"), 2);   /* outputs of a thread */
    cr_expect_eq(column_value(columns, &config, "rounds"), 2); /* of 20 units */
    cr_expect_float_eq(column_value(columns, &config, "tail"), 0.8F, 1e-6);
    cr_expect_eq(column_value(columns, &config, "term block_size_x * block_size_y"), 128);
    cr_expect_eq(column_value(columns, &config, "field x"), 100);
    cr_expect_eq(column_value(columns, &config, "device units"), 20);
    ht_columns_free(columns);
    ht_space_free(space);
}

static const char tiled_line[] = "#pragma tune unit\n"
                                 "#pragma tune kernel(k)\n"
                                 "#pragma tune problem(line : n)\n"
                                 "#pragma tune param(BLOCK : 32, 64 = 32)\n"
                                 "#pragma tune param(TILE : 1, 2, 4, 8 = 1)\n"
                                 "#pragma tune block(BLOCK)\n"
                                 "#pragma tune grid(ceil_div(problem.n, BLOCK * TILE))\n"
                                 "#pragma tune arg(a : out float[problem.n])\n"
                                 "template <int BLOCK, int TILE> "
                                 "__global__ void k(float *a) {}\n";

/* Adds a line's times: outputs of waves that have work, those of idle lanes included, and less for
 * each of them where a thread has several. */
static void line_add(ht_time_data *data, const char *problem, double n) {
    bound line;
    bound_open(&line, tiled_line, problem);
    ht_columns *columns = ht_columns_new(line.space, &slow, NULL);
    size_t count = (size_t)ht_space_count(line.space);
    ht_config *configs = ht_alloc(count, sizeof *configs);
    double *costs = ht_alloc(count, sizeof *costs);
    for (size_t i = 0; i < count; ++i) {
        configs[i] = ht_space_at(line.space, i);
        double tile = number(line.space, &configs[i], 1);
        costs[i] = ceil(n / tile / 32) * 32 * tile * (1 + 1 / tile);
    }
    cr_assert(ht_time_data_add(data, columns, "slow", configs, costs, count));
    free(configs);
    free(costs);
    ht_columns_free(columns);
    bound_close(&line);
}

/* Returns the outputs of a thread in the first choice for a line of 32. */
static double short_line_tile(const ht_time_model *model) {
    bound line;
    ht_time_choice first;
    bound_open(&line, tiled_line, "n=32");
    ht_columns *columns = ht_columns_new(line.space, &slow, NULL);
    cr_assert_eq(ht_time_model_choose(model, line.space, columns, true, 1, &first), 1);
    double tile = number(line.space, &first.config, 1);
    ht_columns_free(columns);
    bound_close(&line);
    return tile;
}

/* All lines that were learnt from fill their waves, so that the trees saw coarse threads win each
 * time. A file from before lanes were taken out is asked for its trees alone. */
Test(time_model, expects_idle_lanes_to_cost_what_no_evaluation_showed) {
    ht_time_data data = {0};
    line_add(&data, "n=4096", 4096);
    line_add(&data, "n=8192", 8192);
    line_add(&data, "n=16384", 16384);
    ht_time_model *model = ht_time_model_fit(&data, "k", "", "", &ht_time_defaults), *old = NULL;
    cr_expect_eq(short_line_tile(model), 1);
    cr_expect_eq(ht_time_model_facts(model)->problems.mean, 1);
    char *folder = NULL;
    size_t length = 0;
    ht_error error = {0};
    cr_assert_eq(ht_dir_temporary("times", &folder, NULL), HT_OK);
    char *path = ht_path_join(folder, "k.times"), *bytes = saved(model, path, &length);
    bytes[8] = 1;
    cr_assert_eq(ht_time_model_parse((uint8_t *)bytes, length, path, &old, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(short_line_tile(old), 8);
    ht_time_model_free(model);
    ht_time_model_free(old);
    ht_time_data_free(&data);
    free(bytes);
    free(path);
    ht_dir_remove(folder);
    free(folder);
}
