#include "pipeline/kernel_profile.h"

#include "pipeline/report.h"
#include "pipeline/roofline.h"
#include "runtime/measure/predicted.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 512, BANK_BYTES = 128, LINE_WORDS = 16 };

ht_status ht_profiling_device(const char *name, const ht_gpu **out_gpu, ht_device *out_device,
                              ht_error *error) {
    *out_gpu = NULL;
    if (strncmp(name, HT_MODEL_PREFIX, strlen(HT_MODEL_PREFIX)) == 0)
        return ht_model_device_find(name, out_gpu, out_device, error);
    ht_status status = ht_device_find(name, out_device, error);
    if (status == HT_OK)
        *out_gpu = ht_gpu_of_arch(out_device->arch);
    return status;
}

/* ---- a launch */

/* Returns null for a share of nothing. */
static json_t *ratio(double of, double whole) {
    return whole > 0 ? json_real(of / whole) : json_null();
}

static json_t *resources_json(const ht_resources *r, const ht_geometry *geometry) {
    json_t *object = json_object();
#define HT_RESOURCE_JSON(field) json_object_set_new(object, #field, json_integer(r->field));
    HT_RESOURCE_FIELDS(HT_RESOURCE_JSON)
#undef HT_RESOURCE_JSON
    json_object_set_new(object, "dynamic_lds", json_integer(geometry->lds));
    json_object_set_new(object, "occupancy", ratio(r->waves_per_simd, r->max_waves_per_simd));
    return object;
}

static json_t *axes_json(const uint32_t axes[3]) {
    return json_pack("[I, I, I]", (json_int_t)axes[0], (json_int_t)axes[1], (json_int_t)axes[2]);
}

/* The traffic of one output. */
static json_t *per_output_json(const ht_access_counts *c) {
    double outputs = (double)c->outputs;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "words_loaded",
                     ratio((double)c->global_load_bytes / 4, outputs), "loads",
                     ratio((double)c->global_loads, outputs), "scalar_words",
                     ratio((double)c->scalar_load_bytes / 4, outputs), "stores",
                     ratio((double)c->global_stores, outputs), "lds_reads",
                     ratio((double)c->lds_reads, outputs), "lds_writes",
                     ratio((double)c->lds_writes, outputs), "products",
                     ratio((double)c->products, outputs), "instructions",
                     ratio((double)c->instructions, outputs));
}

/* The parts of all instructions of waves. */
static json_t *mix_json(const ht_access_counts *c) {
    double all = (double)c->instructions;
    double known = (double)(c->vector_instructions + c->slow_instructions + c->double_instructions +
                            c->scalar_instructions);
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:I}", "vector", ratio((double)c->vector_instructions, all),
        "slow", ratio((double)c->slow_instructions, all), "double",
        ratio((double)c->double_instructions, all), "scalar",
        ratio((double)c->scalar_instructions, all), "memory_and_waits",
        ratio(all > known ? all - known : 0, all), "matrix_cycles", (json_int_t)c->matrix_cycles);
}

/* How accesses lie: lines of a wave's load against the least that its words fill, and passes over
 * the banks of LDS against those that its bytes ask for. */
static json_t *shape_json(const ht_access_counts *c) {
    double words = (double)c->global_load_bytes / 4;
    double lds = (double)(c->lds_read_bytes + c->lds_write_bytes) / BANK_BYTES;
    return json_pack("{s:o, s:o, s:o, s:o}", "lines_per_load",
                     ratio((double)c->global_load_lines, (double)c->global_load_issues),
                     "lines_over_least", ratio((double)c->global_load_lines, words / LINE_WORDS),
                     "block_lines_loaded_again",
                     ratio((double)c->global_load_lines, (double)c->block_lines),
                     "bank_passes_over_least", ratio((double)c->lds_passes, lds));
}

static json_t *counts_json(const ht_access_counts *c) {
    json_t *object = json_object();
#define HT_COUNT_JSON(field, meaning)                                                              \
    json_object_set_new(object, #field, json_integer((json_int_t)c->field));
    HT_ACCESS_FIELDS(HT_COUNT_JSON)
#undef HT_COUNT_JSON
    return object;
}

static json_t *launch_json(const ht_launch *launch, const ht_inspection_launch *found) {
    const ht_access_counts *c = &found->accesses.counts;
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:b}", "kernel", ht_report_json_text(launch->kernel), "block",
        axes_json(found->geometry.block), "grid", axes_json(found->geometry.grid), "resources",
        resources_json(&found->resources, &found->geometry), "counted", found->counted);
    if (!found->counted) {
        json_object_set_new(object, "uncounted",
                            ht_report_json_text(*found->uncounted ? found->uncounted : NULL));
        return object;
    }
    json_object_set_new(object, "per_output", per_output_json(c));
    json_object_set_new(object, "mix", mix_json(c));
    json_object_set_new(object, "shape", shape_json(c));
    json_object_set_new(object, "counts", counts_json(c));
    json_object_set_new(object, "blocks", json_integer((json_int_t)found->accesses.blocks));
    return object;
}

/* ---- the model */

static json_t *predicted_json(const ht_gpu *gpu, const ht_inspection *inspection, size_t count) {
    ht_gpu_time time;
    ht_error error = {0};
    if (ht_inspection_predict(gpu, inspection, count, &time, &error) != HT_OK)
        return json_pack("{s:s, s:o}", "gpu", gpu->name, "unknown",
                         ht_report_json_text(error.message));
    json_t *terms = json_object();
    for (int i = 0; i < HT_GPU_TERM_COUNT; ++i)
        json_object_set_new(terms, ht_gpu_term_words((ht_gpu_term)i),
                            json_real(1e3 * time.terms[i]));
    const ht_roofline least = ht_roofline_of(gpu, inspection, count);
    return json_pack("{s:s, s:s, s:f, s:s, s:o, s:f, s:f, s:o}", "gpu", gpu->name, "board",
                     gpu->board, "ms", 1e3 * time.seconds, "bottleneck",
                     ht_gpu_term_words(time.bottleneck), "terms_ms", terms, "least_bytes",
                     least.bytes, "least_ms", 1e3 * least.seconds, "of_roofline",
                     ratio(least.seconds, time.seconds));
}

/* ---- profiles */

static json_t *profile_json(const ht_template *template, const ht_config *config, bool original,
                            const ht_inspection *inspection, const ht_profiling *how) {
    size_t count;
    const ht_launch *launches = ht_inspect_launches(template, original, &count);
    char *text = original ? NULL : ht_config_string(template, config);
    json_t *list = json_array();
    bool counted = true;
    for (size_t i = 0; inspection->launches && i < count; ++i) {
        json_array_append_new(list, launch_json(&launches[i], &inspection->launches[i]));
        counted = counted && inspection->launches[i].counted;
    }
    json_t *object = json_pack(
        "{s:b, s:o, s:o, s:o, s:o}", "original", original, "config", ht_report_json_text(text),
        "error", ht_report_json_text(inspection->status == HT_OK ? NULL : inspection->reason),
        "launches", list, "predicted",
        how->gpu && counted && inspection->launches ? predicted_json(how->gpu, inspection, count)
                                                    : json_null());
    free(text);
    return object;
}

ht_status ht_kernel_profile(const ht_template *template, const ht_problem *problem,
                            const ht_config *config, const ht_profiling *how, json_t **out_profile,
                            ht_error *error) {
    const ht_binding binding = {template, problem, &how->device->fields};
    bool original = !config && template->reference_kind == HT_REFERENCE_KERNEL;
    const ht_config used = config ? *config : ht_config_default(template);
    const ht_inspect_options options = {.original = original,
                                        .count = strcmp(how->device->provider, "amd") == 0,
                                        .blocks_max = how->blocks ? how->blocks : BLOCKS};
    ht_inspection inspection = {0};
    *out_profile = NULL;
    ht_status status =
        ht_inspect(how->device, &binding, &used, 1, &options, how->interrupted, &inspection, error);
    if (status == HT_OK)
        *out_profile = profile_json(template, &used, original, &inspection, how);
    ht_inspection_free(&inspection);
    return status;
}

json_t *ht_kernel_remarks(const ht_kernel *kernel) {
    static const char *const kinds[] = {[HT_REMARK_APPLIED] = "applied",
                                        [HT_REMARK_MISSED] = "missed",
                                        [HT_REMARK_NOTE] = "note",
                                        [HT_REMARK_DOUBT] = "doubt"};
    json_t *list = json_array();
    for (size_t i = 0; i < kernel->remark_count; ++i) {
        const ht_remark *remark = &kernel->remarks[i];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:i, s:o}", "kind", kinds[remark->kind], "transformation",
                            ht_report_json_text(remark->transformation), "line", remark->line,
                            "message", ht_report_json_text(remark->message)));
    }
    return list;
}
