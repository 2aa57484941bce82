#include "cli/reports/accesses_report.h"

#include "base/memory.h"
#include "cli/reports/table.h"
#include "runtime/measure/access_rates.h"

#include <stdlib.h>

enum { COLUMNS = 13 };

static char *rate(double value) {
    return ht_format("%.3g", value);
}

/* Returns how many times as many the original has. */
static char *times_fewer(double original, double value) {
    return original > 0 && value > 0 ? ht_format("%.2fx", original / value) : ht_strdup("");
}

static void add_row(ht_table *table, const ht_inspection *inspection, size_t launches,
                    const ht_access_rates *original, const char *name) {
    ht_access_rates rates;
    const ht_resources *resources = &inspection->launches[0].resources;
    if (!ht_access_rates_make(inspection->launches, launches, &rates))
        return;
    char *cells[COLUMNS] = {
        rate(rates.load_words),
        original ? times_fewer(original->load_words, rates.load_words) : ht_strdup(""),
        rate(rates.load_instructions),
        original ? times_fewer(original->load_instructions, rates.load_instructions)
                 : ht_strdup(""),
        rate(rates.scalar_words),
        rate(rates.lds_reads),
        rate(rates.lds_writes),
        rate(rates.products),
        rate(rates.instructions),
        ht_format("%d", resources->scratch),
        ht_format("%d", resources->vgprs),
        ht_format("%d/%d", resources->waves_per_simd, resources->max_waves_per_simd),
        ht_strdup(name),
    };
    ht_table_row_take(table, cells);
}

static void print_uncounted(const ht_inspection *inspection, size_t launches, const char *name,
                            FILE *out) {
    for (size_t i = 0; inspection->launches && i < launches; ++i)
        if (!inspection->launches[i].counted)
            fprintf(out, "  not counted: %s: %s\n", name, inspection->launches[i].uncounted);
}

static void print_reasons(const ht_inspected *inspected, size_t launches, FILE *out) {
    for (size_t i = 0; i < inspected->count; ++i) {
        char *config = ht_config_string(inspected->template, &inspected->configs[i]);
        print_uncounted(&inspected->inspections[i], launches, config, out);
        free(config);
    }
}

void ht_accesses_print(const ht_inspected *inspected, FILE *out) {
    static const char *const heads[COLUMNS] = {
        "words loaded", "fewer", "loads",   "fewer", "scalar words", "LDS reads",    "LDS writes",
        "products",     "instr", "scratch", "VGPR",  "waves",        "configuration"};
    const ht_template *template = inspected->template;
    size_t reference, launches = template->launch_count;
    ht_inspect_launches(template, true, &reference);
    const ht_inspection *original = &inspected->original;
    ht_access_rates rates;
    bool known = original->launches && ht_access_rates_make(original->launches, reference, &rates);
    ht_table *table = ht_table_new("rrrrrrrrrrrrl", heads);
    fprintf(out, "  Per output:\n");
    if (known)
        add_row(table, original, reference, NULL, "the original");
    for (size_t i = 0; i < inspected->count; ++i) {
        char *config = ht_config_string(template, &inspected->configs[i]);
        if (inspected->inspections[i].launches)
            add_row(table, &inspected->inspections[i], launches, known ? &rates : NULL, config);
        free(config);
    }
    ht_table_finish(table, out, 2);
    print_uncounted(original, reference, "the original", out);
    print_reasons(inspected, launches, out);
}

json_t *ht_accesses_json(const ht_inspection_launch *launch) {
    if (!launch->counted)
        return json_null();
    json_t *object = json_pack(
        "{s:I, s:f, s:I}", "launched_blocks", (json_int_t)launch->accesses.blocks, "working_blocks",
        launch->accesses.working, "output_elements", (json_int_t)launch->accesses.output_size);
#define MEMBER(field, meaning)                                                                     \
    json_object_set_new(object, #field, json_integer((json_int_t)launch->accesses.counts.field));
    HT_ACCESS_FIELDS(MEMBER)
#undef MEMBER
    return object;
}
