#include "cli/reports/kernel_profile_report.h"

#include "pipeline/report.h"

#include <string.h>

enum { REMARKS_SHOWN = 12 };

static double number_of(const json_t *object, const char *name) {
    return json_number_value(json_object_get(object, name));
}

/* Prints "NAME VALUE" after a comma; nothing where the value is not known. */
static void number_print(const json_t *object, const char *name, const char *words, bool *first,
                         FILE *out) {
    const json_t *value = json_object_get(object, name);
    if (!json_is_number(value))
        return;
    fprintf(out, "%s%s %.4g", *first ? "" : ", ", words, json_number_value(value));
    *first = false;
}

static void predicted_print(const json_t *predicted, FILE *out) {
    const char *term;
    json_t *value;
    bool first = true;
    if (!json_is_object(predicted))
        return;
    if (json_object_get(predicted, "unknown")) {
        fprintf(out, "    not predicted: %s\n", ht_report_text_of(predicted, "unknown"));
        return;
    }
    fprintf(out,
            "    predicted %.4g ms; bottleneck %s; %.3g ms to move each of %.4g MB once (%.0f "
            "%%)\n",
            number_of(predicted, "ms"), ht_report_text_of(predicted, "bottleneck"),
            number_of(predicted, "least_ms"), number_of(predicted, "least_bytes") / 1e6,
            100 * number_of(predicted, "of_roofline"));
    fputs("    each part alone, ms: ", out);
    json_object_foreach(json_object_get(predicted, "terms_ms"), term, value) {
        fprintf(out, "%s%s %.4g", first ? "" : ", ", term, json_number_value(value));
        first = false;
    }
    fputc('\n', out);
}

static void list_print(const char *front, const json_t *object, const char *const names[][2],
                       FILE *out) {
    bool first = true;
    fprintf(out, "    %s: ", front);
    for (size_t i = 0; names[i][0]; ++i)
        number_print(object, names[i][0], names[i][1], &first, out);
    fputs(first ? "none\n" : "\n", out);
}

static void resources_print(const json_t *r, FILE *out) {
    fprintf(out,
            "    VGPR %.0f, AGPR %.0f, SGPR %.0f, spills %.0f and %.0f, LDS %.0f bytes, scratch "
            "%.0f bytes, waves %.0f of %.0f\n",
            number_of(r, "vgprs"), number_of(r, "agprs"), number_of(r, "sgprs"),
            number_of(r, "vgpr_spills"), number_of(r, "sgpr_spills"),
            number_of(r, "lds") + number_of(r, "dynamic_lds"), number_of(r, "scratch"),
            number_of(r, "waves_per_simd"), number_of(r, "max_waves_per_simd"));
}

static void launch_print(const json_t *launch, FILE *out) {
    static const char *const outputs[][2] = {
        {"words_loaded", "words loaded"}, {"loads", "loads"},
        {"scalar_words", "scalar"},       {"stores", "stores"},
        {"lds_reads", "LDS reads"},       {"lds_writes", "LDS writes"},
        {"products", "products"},         {NULL, NULL}};
    static const char *const shape[][2] = {{"lines_per_load", "lines a load"},
                                           {"lines_over_least", "of the least"},
                                           {"block_lines_loaded_again", "times each line"},
                                           {"bank_passes_over_least", "LDS passes of the least"},
                                           {NULL, NULL}};
    static const char *const mix[][2] = {{"vector", "vector"},
                                         {"slow", "slow"},
                                         {"double", "float64"},
                                         {"scalar", "scalar"},
                                         {"memory_and_waits", "memory and waits"},
                                         {NULL, NULL}};
    resources_print(json_object_get(launch, "resources"), out);
    if (!json_is_true(json_object_get(launch, "counted"))) {
        if (json_is_string(json_object_get(launch, "uncounted")))
            fprintf(out, "    not counted: %s\n", ht_report_text_of(launch, "uncounted"));
        return;
    }
    list_print("for each output", json_object_get(launch, "per_output"), outputs, out);
    list_print("accesses", json_object_get(launch, "shape"), shape, out);
    list_print("parts of all instructions", json_object_get(launch, "mix"), mix, out);
}

static void profile_print(const json_t *profile, FILE *out) {
    size_t index;
    json_t *launch;
    bool original = json_is_true(json_object_get(profile, "original"));
    const char *config = ht_report_text_of(profile, "config");
    fprintf(out, "  %s\n", original ? "the original" : *config ? config : "as it is launched");
    if (json_is_string(json_object_get(profile, "error")))
        fprintf(out, "    %s\n", ht_report_text_of(profile, "error"));
    predicted_print(json_object_get(profile, "predicted"), out);
    json_array_foreach(json_object_get(profile, "launches"), index, launch)
        launch_print(launch, out);
}

static void remarks_print(const json_t *remarks, FILE *out) {
    size_t index, shown = 0, missed = 0;
    json_t *remark;
    json_array_foreach(remarks, index, remark) {
        if (strcmp(ht_report_text_of(remark, "kind"), "missed") != 0 || ++missed > REMARKS_SHOWN)
            continue;
        if (shown++ == 0)
            fputs("  refactorings that were missed:\n", out);
        fprintf(out, "    line %d: %s: %s\n",
                (int)json_integer_value(json_object_get(remark, "line")),
                ht_report_text_of(remark, "transformation"), ht_report_text_of(remark, "message"));
    }
    if (missed > shown)
        fprintf(out, "    and %zu more\n", missed - shown);
}

static void counters_print(const json_t *counters, FILE *out) {
    const char *name;
    json_t *value;
    bool first = true;
    if (!json_is_object(counters))
        return;
    fputs("  hardware counters, mean of a launch: ", out);
    json_object_foreach((json_t *)(size_t)counters, name, value) {
        fprintf(out, "%s%s %.6g", first ? "" : ", ", name, json_number_value(value));
        first = false;
    }
    fputs(first ? "none of this kernel\n" : "\n", out);
}

void ht_kernel_profile_print(const json_t *row, const ht_gpu *gpu, FILE *out) {
    size_t index, at;
    json_t *size, *profile;
    fprintf(out, "%s (%s:%d)\n", ht_report_text_of(row, "kernel"), ht_report_text_of(row, "file"),
            (int)json_integer_value(json_object_get(row, "line")));
    if (json_is_string(json_object_get(row, "reason")))
        fprintf(out, "  no numbers: %s\n", ht_report_text_of(row, "reason"));
    json_array_foreach(json_object_get(row, "sizes"), index, size) {
        const char *problem = ht_report_text_of(size, "problem");
        if (*problem)
            fprintf(out, "  at %s%s\n", problem, gpu ? ", predicted, not measured" : "");
        else if (gpu)
            fputs("  predicted, not measured\n", out);
        json_array_foreach(json_object_get(size, "profiles"), at, profile)
            profile_print(profile, out);
    }
    counters_print(json_object_get(row, "counters"), out);
    remarks_print(json_object_get(row, "remarks"), out);
}
