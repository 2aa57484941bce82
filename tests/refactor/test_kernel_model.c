/* The kernel model against brute force: the addresses that each kernel's threads touch at a small
 * size, written down by hand as loops, and those that the model's relations and boxes say. */
#include "refactor/kernel_model/kernel_model.h"

#include "base/file.h"
#include "base/memory.h"
#include "refactor/explain.h"

#include <criterion/criterion.h>
#include <isl/point.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESSES = 8192 };

typedef struct setting {
    const char *name; /* of isl's parameter; ends in '_': its beginning */
    int64_t value;
} setting;

typedef struct touched {
    bool at[ADDRESSES];
} touched;

typedef void kernel_reference(const char *array, bool write, touched *out);

typedef struct experiment {
    const char *array;
    bool write;
    const setting *settings;
    kernel_reference *reference;
    bool seen;
    bool blockwise; /* compare the box of block 0 instead */
    int64_t width[4];
} experiment;

static bool setting_of(const setting *settings, const char *name, int64_t *out_value) {
    for (const setting *one = settings; one->name; ++one) {
        size_t length = strlen(one->name);
        bool same = one->name[length - 1] == '_' ? strncmp(one->name, name, length) == 0
                                                 : strcmp(one->name, name) == 0;
        if (same) {
            *out_value = one->value;
            return true;
        }
    }
    return false;
}

static int64_t evaluate(const ht_kernel_model *km, const setting *settings, const ht_poly *poly) {
    int64_t sum = 0;
    for (size_t i = 0; i < poly->count; ++i) {
        int64_t product = poly->terms[i].coefficient, value = 0;
        for (size_t j = 0; j < poly->terms[i].count; ++j) {
            const ht_km_symbol *symbol = &km->pool.symbols[poly->terms[i].symbols[j]];
            if (symbol->kind == HT_KM_SUM)
                value = evaluate(km, settings, symbol->operands[0]);
            else {
                char *name = ht_km_symbol_text(&km->pool, poly->terms[i].symbols[j]);
                for (char *at = name; *at; ++at)
                    *at = *at == '.' ? '_' : *at;
                char *longer = ht_format("%s_", name);
                cr_assert(setting_of(settings, name, &value) ||
                              setting_of(settings, longer, &value),
                          "%s has no value", name);
                free(name);
                free(longer);
            }
            product *= value;
        }
        sum += product;
    }
    return sum;
}

typedef struct marking {
    const ht_kernel_model *km;
    const ht_km_access *access;
    const setting *settings;
    touched *out;
} marking;

static isl_stat on_point(isl_point *point, void *context) {
    marking *in = context;
    int64_t address = 0;
    for (size_t d = 0; d < in->access->dimension_count; ++d) {
        isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, (int)d);
        address += isl_val_get_num_si(value) *
                   evaluate(in->km, in->settings, in->access->dimensions[d].stride);
        isl_val_free(value);
    }
    isl_point_free(point);
    cr_expect(address >= 0 && address < ADDRESSES, "address %lld", (long long)address);
    if (address >= 0 && address < ADDRESSES)
        in->out->at[address] = true;
    return isl_stat_ok;
}

static void mark(const ht_kernel_model *km, const ht_km_access *access, const setting *settings,
                 touched *out) {
    cr_assert(access->affine && access->relation);
    cr_expect(access->exact, "%s at line %d is over-approximated", km->arrays[access->array].name,
              access->place.line);
    isl_map *map = isl_map_copy(access->relation);
    for (isl_size p = 0; p < isl_map_dim(map, isl_dim_param); ++p) {
        int64_t value;
        if (setting_of(settings, isl_map_get_dim_name(map, isl_dim_param, (unsigned)p), &value))
            map = isl_map_fix_si(map, isl_dim_param, (unsigned)p, (int)value);
    }
    isl_set *range = isl_set_project_out(isl_map_range(map), isl_dim_param, 0,
                                         (unsigned)isl_map_dim(access->relation, isl_dim_param));
    marking in = {km, access, settings, out};
    isl_set_foreach_point(range, on_point, &in);
    isl_set_free(range);
}

static void compare(const ht_kernel_model *km, experiment *of, size_t array) {
    touched found = {{false}}, expected = {{false}};
    for (size_t i = 0; i < km->access_count; ++i) {
        const ht_km_access *access = &km->accesses[i];
        if (access->array == array && (of->write ? access->write : access->read))
            mark(km, access, of->settings, &found);
    }
    of->reference(of->array, of->write, &expected);
    for (size_t i = 0; i < ADDRESSES; ++i)
        cr_assert_eq(found.at[i], expected.at[i], "%s[%zu]: the model says %d", of->array, i,
                     found.at[i]);
}

/* Compares extents of the block's box, which must not depend on the block. */
static void compare_box(const ht_kernel_model *km, const experiment *of, size_t array) {
    for (size_t i = 0; i < km->footprint_count; ++i) {
        const ht_km_footprint *box = &km->footprints[i];
        if (box->array != array || box->written != of->write)
            continue;
        cr_assert(box->known, "%s", box->problem);
        for (size_t d = 0; d < box->dimension_count; ++d) {
            ht_poly_pool *pool = (ht_poly_pool *)(size_t)&km->pool;
            const ht_poly *extent = ht_poly_add(pool, box->high[d], box->low[d], -1);
            cr_expect_eq(evaluate(km, of->settings, extent) + 1, of->width[d], "%s: %s", of->array,
                         box->extent_text[d]);
        }
    }
}

static void on_model(const ht_kernel_model *km, const char *name, const char *problem,
                     void *context) {
    experiment *of = context;
    cr_assert_not_null(km, "%s: %s", name, problem);
    cr_expect(km->complete, "%s", km->incomplete);
    for (size_t i = 0; i < km->array_count; ++i)
        if (strcmp(km->arrays[i].name, of->array) == 0) {
            of->seen = true;
            if (of->reference)
                compare(km, of, i);
            if (of->width[0])
                compare_box(km, of, i);
        }
}

static void explore(const char *path, const char *kernel, ht_kernel_model_visit *visit,
                    void *context) {
    const char *arguments[] = {"-I" HT_SOURCE_DIR "/tests/refactor/sources"};
    ht_refactor_options options = {.arguments = arguments, .argument_count = 1};
    char *whole = ht_path_join(HT_SOURCE_DIR, path);
    ht_error error;
    size_t found;
    cr_assert_eq(
        ht_kernel_model_each(whole, NULL, &options, kernel, visit, context, &found, &error), HT_OK,
        "%s", error.message);
    cr_assert_eq(found, 1);
    free(whole);
}

static void experiment_run(const char *path, const char *kernel, experiment of) {
    explore(path, kernel, on_model, &of);
    cr_assert(of.seen);
}

/* ---- a padded convolution */

static void mask_reference(const char *array, bool write, touched *out) {
    for (int y = 0; y < 7; ++y) /* 9 x 7, in blocks of 4 x 4 */
        for (int x = 0; x < 9; ++x) {
            if (write)
                out->at[y * 9 + x] = true;
            for (int r = 0; r < 5 && !write; ++r)
                for (int s = 0; s < 5; ++s)
                    out->at[strcmp(array, "weights") == 0 ? r * 5 + s : (y + r) * 13 + x + s] =
                        true;
        }
}

static const setting mask_settings[] = {{"extent_x_", 9},   {"extent_y_", 7},  {"blockDim_x", 32},
                                        {"blockDim_y", 32}, {"blockDim_z", 1}, {"gridDim_x", 1},
                                        {"gridDim_y", 1},   {"gridDim_z", 1},  {NULL, 0}};

Test(kernel_model, padded_convolution_touches_what_it_says) {
    static const char path[] = "tests/refactor/sources/mask_template.hip";
    experiment_run(path, "mask_filter",
                   (experiment){"padded", false, mask_settings, mask_reference, .width = {36, 36}});
    experiment_run(path, "mask_filter",
                   (experiment){"result", true, mask_settings, mask_reference, .width = {32, 32}});
    experiment_run(path, "mask_filter",
                   (experiment){"weights", false, mask_settings, mask_reference, .width = {5, 5}});
}

/* ---- a staged line */

static void line_reference(const char *array, bool write, touched *out) {
    for (int g = 0; g < 512; ++g) { /* two blocks of 256 */
        int t = g % 256;
        if (strcmp(array, "cache") == 0) {
            for (int o = -7; o <= 7 && !write; ++o)
                out->at[t + 7 + o] = true;
            if (write)
                out->at[t + 7] = true;
            if (write && t < 7)
                out->at[t] = out->at[t + 7 + 256] = true;
        } else if (write)
            out->at[g] = true;
        else {
            out->at[g] = true;
            if (t < 7)
                out->at[g + 256] = true;
            if (t < 7 && g >= 7)
                out->at[g - 7] = true;
        }
    }
}

static const setting line_settings[] = {{"blockDim_x", 256}, {"gridDim_x", 2}, {NULL, 0}};

Test(kernel_model, staged_line_touches_what_it_says) {
    static const char path[] = "tests/refactor/sources/halo_line.cu";
    experiment_run(path, "halo_line",
                   (experiment){"in", false, line_settings, line_reference, .width = {0}});
    experiment_run(path, "halo_line",
                   (experiment){"out", true, line_settings, line_reference, .width = {256}});
    experiment_run(path, "halo_line",
                   (experiment){"cache", true, line_settings, line_reference, .width = {0}});
    experiment_run(path, "halo_line",
                   (experiment){"cache", false, line_settings, line_reference, .width = {270}});
}

/* ---- between threads */

typedef struct wanted {
    const char *array;
    ht_answer answer;
} wanted;

static void on_dependence(const ht_kernel_model *km, const char *name, const char *problem,
                          void *context) {
    const wanted *of = context;
    bool seen = false;
    cr_assert_not_null(km, "%s: %s", name, problem);
    for (size_t i = 0; i < km->dependence_count; ++i)
        if (strcmp(km->arrays[km->dependences[i].array].name, of->array) == 0) {
            seen = true;
            cr_expect_eq(km->dependences[i].answer, of->answer, "%s: %s", of->array,
                         km->dependences[i].reason);
        }
    cr_assert(seen);
}

Test(kernel_model, threads_meet_where_they_do) {
    explore("tests/refactor/sources/mask_template.hip", "mask_filter", on_dependence,
            &(wanted){"result", HT_NO});
    explore("tests/refactor/sources/pool3d.hip", "pool3d", on_dependence,
            &(wanted){"pooled", HT_NO});
    explore("tests/refactor/sources/halo_line.cu", "halo_line", on_dependence,
            &(wanted){"out", HT_NO});
    explore("tests/refactor/sources/halo_line.cu", "halo_line", on_dependence,
            &(wanted){"cache", HT_NO}); /* the barrier is between */
    explore("tests/refactor/sources/shuffle_reduce.hip", "relax_step", on_dependence,
            &(wanted){"error", HT_YES});
    explore("tests/refactor/sources/tile_template.hip", "product", on_dependence,
            &(wanted){"as", HT_NO});
    explore("tests/refactor/sources/tile_template.hip", "product", on_dependence,
            &(wanted){"bs", HT_NO});
}

/* ---- writes */

typedef struct roles {
    const char *array;
    bool read, written, atomic;
    bool complete;
} roles;

static void on_roles(const ht_kernel_model *km, const char *name, const char *problem,
                     void *context) {
    const roles *of = context;
    cr_assert_not_null(km, "%s: %s", name, problem);
    cr_expect_eq(km->complete, of->complete, "%s: %s", name,
                 km->complete ? "complete" : km->incomplete);
    bool seen = false;
    for (size_t i = 0; i < km->array_count; ++i) {
        const ht_km_array *array = &km->arrays[i];
        if (strcmp(array->name, of->array) != 0)
            continue;
        seen = true;
        cr_expect(array->read == of->read && array->written == of->written &&
                      array->atomic == of->atomic,
                  "%s: %s", name, of->array);
    }
    cr_expect(seen, "%s: %s", name, of->array);
}

Test(kernel_model, writes_by_operators_and_methods_are_writes) {
    static const char path[] = "tests/refactor/sources/object_writes.hip";
    explore(path, "half_out", on_roles, &(roles){"out", false, true, false, true});
    explore(path, "vector_add", on_roles, &(roles){"out", true, true, false, true});
    explore(path, "vector_add", on_roles, &(roles){"in", true, false, false, true});
    explore(path, "method_sets", on_roles, &(roles){"out", true, true, false, false});
    explore(path, "scatter", on_roles, &(roles){"out", true, true, true, true});
}

/* A flag that is set on the way out of a loop, or to the next iteration, is set after it. */
Test(kernel_model, writes_behind_a_flag_that_leaves_a_loop_are_writes) {
    static const char *const loops[] = {
        "for (int i = 0; i < 5; ++i) if (in[t + i] > 3) { match = true; break; }",
        "for (int i = 0; i < 5; ++i) { if (in[t + i] < 3) { match = true; continue; } t += 0; }",
        "int i = 0; while (i < 5) { if (in[t + i] > 3) { match = true; break; } ++i; }",
        "do { if (in[t] > 3) { match = true; break; } } while (false);",
        "for (int j = 0; j < 2; ++j) while (in[t] > j) { match = true; break; }",
        "for (int i = 0; i < 5; ++i) switch (in[t + i]) { case 1: match = true; break; }"};
    char *folder, *path;
    cr_assert_eq(ht_dir_temporary("leaves", &folder, NULL), HT_OK);
    path = ht_path_join(folder, "leaves.hip");
    for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i) {
        char *text = ht_format("#include <hip/hip_runtime.h>\n"
                               "__global__ void flag(const int *in, int *out, int n) {\n"
                               "    int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "    bool match = false;\n"
                               "    if (t >= n) return;\n"
                               "    %s\n"
                               "    if (match) out[t] = 1;\n"
                               "}\n",
                               loops[i]);
        cr_assert_eq(ht_file_write(path, text, strlen(text), NULL), HT_OK);
        explore(path, "flag", on_roles, &(roles){"out", false, true, false, true});
        free(text);
    }
    ht_dir_remove(folder);
    free(path);
    free(folder);
}
