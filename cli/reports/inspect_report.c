#include "cli/reports/inspect_report.h"

#include "base/memory.h"
#include "cli/reports/accesses_report.h"
#include "cli/reports/entry_report.h"
#include "cli/reports/rank_report.h"
#include "cli/reports/table.h"
#include "pipeline/entry.h"

#include <stdlib.h>
#include <string.h>

enum { REASONS_SHOWN = 10 };

void ht_inspected_free(ht_inspected *inspected) {
    for (size_t i = 0; inspected->inspections && i < inspected->count; ++i)
        ht_inspection_free(&inspected->inspections[i]);
    ht_inspection_free(&inspected->original);
    free(inspected->inspections);
    free(inspected->times);
    free(inspected->order);
    free(inspected->configs);
}

static char *number(int value) {
    return value < 0 ? ht_strdup("?") : ht_format("%d", value);
}

static void add_row(ht_table *table, const ht_inspected *inspected, size_t index, size_t launch) {
    const ht_inspection_launch *found = &inspected->inspections[index].launches[launch];
    const ht_resources *r = &found->resources;
    const uint32_t *block = found->geometry.block;
    char *config = ht_config_string(inspected->template, &inspected->configs[index]);
    char *cells[] = {
        number(r->vgprs),
        number(r->agprs),
        number(r->sgprs),
        number(r->vgpr_spills),
        number(r->sgpr_spills),
        ht_format("%lld", (long long)r->lds + found->geometry.lds),
        number(r->scratch),
        ht_format("%u", block[0] * block[1] * block[2]),
        ht_format("%d/%d", r->waves_per_simd, r->max_waves_per_simd),
        launch == 0 ? ht_strdup(config) : ht_strdup("(same)"),
    };
    size_t count = sizeof cells / sizeof *cells;
    const char *row[12];
    size_t at = 0;
    if (inspected->template->launch_count > 1)
        row[at++] = inspected->template->launches[launch].kernel;
    for (size_t i = 0; i < count; ++i)
        row[at++] = cells[i];
    ht_table_row(table, row);
    for (size_t i = 0; i < count; ++i)
        free(cells[i]);
    free(config);
}

static void print_table(const ht_inspected *inspected, FILE *out) {
    static const char *const heads[] = {"kernel",  "VGPR",    "AGPR",         "SGPR",
                                        "VGPR sp", "SGPR sp", "LDS",          "scratch",
                                        "block",   "waves",   "configuration"};
    bool several = inspected->template->launch_count > 1;
    ht_table *table =
        ht_table_new(several ? "lrrrrrrrrrl" : "rrrrrrrrrl", several ? heads : heads + 1);
    for (size_t i = 0; i < inspected->count; ++i)
        for (size_t l = 0;
             inspected->inspections[i].launches && l < inspected->template->launch_count; ++l)
            add_row(table, inspected, i, l);
    ht_table_finish(table, out, 2);
}

static void print_failures(const ht_inspected *inspected, FILE *out) {
    size_t failures = 0;
    for (size_t i = 0; i < inspected->count; ++i) {
        const ht_inspection *inspection = &inspected->inspections[i];
        if (inspection->status == HT_OK || inspection->status == HT_ERROR_INTERRUPTED)
            continue;
        if (failures++ >= REASONS_SHOWN)
            continue;
        char *config = ht_config_string(inspected->template, &inspected->configs[i]);
        fprintf(out, "  %s: %s: %.*s\n", ht_status_name(inspection->status), config,
                (int)strcspn(inspection->reason, "\n"), inspection->reason);
        free(config);
    }
    if (failures > REASONS_SHOWN)
        fprintf(out, "  and %zu more\n", failures - REASONS_SHOWN);
}

void ht_inspected_print(const ht_inspected *inspected, FILE *out) {
    const ht_template *template = inspected->template;
    fprintf(out, "%s", template->name);
    if (template->problem.name)
        fprintf(out, " (%s)", inspected->problem->name);
    fprintf(out, " on %s: %zu", inspected->device->arch, inspected->count);
    if (inspected->legal)
        fprintf(out, " of %llu legal", (unsigned long long)inspected->legal);
    fprintf(out, " configuration%s\n", inspected->count == 1 ? "" : "s");
    if (inspected->gpu)
        ht_rank_print(inspected, out);
    else
        print_table(inspected, out);
    if (inspected->counted)
        ht_accesses_print(inspected, out);
    print_failures(inspected, out);
    fputc('\n', out);
}

static json_t *known(int value) {
    return value < 0 ? json_null() : json_integer(value);
}

static json_t *launch_json(const ht_launch *launch, const ht_inspection_launch *found) {
    const ht_resources *r = &found->resources;
    const ht_geometry *g = &found->geometry;
    json_t *object =
        json_pack("{s:s, s:[i, i, i], s:[i, i, i], s:i}", "kernel", launch->kernel, "block",
                  (int)g->block[0], (int)g->block[1], (int)g->block[2], "grid", (int)g->grid[0],
                  (int)g->grid[1], (int)g->grid[2], "dynamic_lds", (int)g->lds);
    const struct {
        const char *name;
        int value;
    } numbers[] = {
        {"vgprs", r->vgprs},
        {"agprs", r->agprs},
        {"sgprs", r->sgprs},
        {"vgpr_spills", r->vgpr_spills},
        {"sgpr_spills", r->sgpr_spills},
        {"lds", r->lds},
        {"scratch", r->scratch},
        {"max_block", r->max_block},
        {"wavefront", r->wavefront},
        {"waves_per_simd", r->waves_per_simd},
        {"max_waves_per_simd", r->max_waves_per_simd},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        json_object_set_new(object, numbers[i].name, known(numbers[i].value));
    return object;
}

static json_t *launches_json(const ht_inspected *inspected, const ht_inspection *inspection,
                             bool original) {
    json_t *array = json_array();
    size_t count;
    const ht_launch *launches = ht_inspect_launches(inspected->template, original, &count);
    for (size_t l = 0; inspection->launches && l < count; ++l) {
        const ht_inspection_launch *launch = &inspection->launches[l];
        json_t *object = launch_json(&launches[l], launch);
        if (inspected->counted) {
            json_object_set_new(object, "accesses", ht_accesses_json(launch));
            json_object_set_new(object, "uncounted",
                                launch->counted ? json_null() : json_string(launch->uncounted));
        }
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *inspection_json(const ht_inspected *inspected, const ht_inspection *inspection,
                               json_t *config) {
    return json_pack("{s:o, s:s, s:o, s:o}", "config", config, "status",
                     ht_status_name(inspection->status), "reason",
                     inspection->reason ? json_string(inspection->reason) : json_null(), "launches",
                     launches_json(inspected, inspection, inspection == &inspected->original));
}

static json_t *configurations_json(const ht_inspected *inspected) {
    json_t *configs = json_array();
    for (size_t i = 0; i < inspected->count; ++i)
        json_array_append_new(
            configs, inspection_json(inspected, &inspected->inspections[i],
                                     ht_config_json(inspected->template, &inspected->configs[i])));
    for (size_t i = 0; inspected->gpu && i < inspected->count; ++i) {
        size_t index = inspected->order[i];
        json_object_set_new(json_array_get(configs, index), "predicted",
                            ht_predicted_json(&inspected->times[index], i + 1));
    }
    return configs;
}

static json_t *original_json(const ht_inspected *inspected) {
    json_t *original = inspection_json(inspected, &inspected->original, json_null());
    if (inspected->gpu)
        json_object_set_new(original, "predicted", ht_predicted_json(&inspected->original_time, 0));
    return original;
}

json_t *ht_inspected_json(const ht_inspected *inspected) {
    const ht_template *template = inspected->template;
    bool has_problem = template->problem.name != NULL;
    char *fields = has_problem ? ht_problem_string(&template->problem, inspected->problem) : NULL;
    json_t *object = json_pack("{s:s, s:s, s:i}", "name", template->name, "file", inspected->path,
                               "line", template->line);
    json_object_set_new(object, "problem",
                        has_problem ? json_string(inspected->problem->name) : json_null());
    json_object_set_new(object, "problem_fields", fields ? json_string(fields) : json_null());
    json_object_set_new(object, "space",
                        inspected->legal ? json_integer((json_int_t)inspected->legal)
                                         : json_null());
    json_object_set_new(object, "configurations", configurations_json(inspected));
    if (inspected->counted || inspected->gpu)
        json_object_set_new(object, "original", original_json(inspected));
    if (inspected->gpu)
        json_object_set_new(object, "model", ht_model_json(inspected->gpu));
    free(fields);
    return object;
}
