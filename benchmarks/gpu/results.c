#include "benchmarks/gpu/results.h"

#include "base/memory.h"
#include "cli/command.h"
#include "cli/reports/table.h"

#include <stdlib.h>
#include <string.h>

ht_gpu_results ht_gpu_results_new(const char *device) {
    ht_gpu_results results = {.document = ht_report_json_new("hiptemper-gpu-check", 1)};
    json_object_set_new(results.document, "device_name", json_string(device));
    json_object_set_new(results.document, "runs", json_array());
    return results;
}

/* Returns how many configurations of a kernel computed something wrong or wrote outside. */
static int wrong_configurations(const json_t *kernel) {
    return (int)json_integer_value(
        json_object_get(json_object_get(kernel, "rejected"), "mismatch"));
}

static void kernel_count(ht_gpu_results *results, const json_t *kernel) {
    const char *status = json_string_value(json_object_get(kernel, "status"));
    const char *reference = json_string_value(json_object_get(kernel, "reference"));
    bool verified = json_is_true(json_object_get(kernel, "verified"));
    int wrong = wrong_configurations(kernel);
    results->kernels++;
    results->verified += verified && wrong == 0;
    results->wrong += wrong;
    results->float64 += verified && reference && strstr(reference, "float64");
    results->improved += status && strcmp(status, "improved") == 0;
}

void ht_gpu_results_add(ht_gpu_results *results, const ht_gpu_run *run, int exit_code,
                        json_t *report) {
    json_t *kernels = json_object_get(report, "kernels"), *kernel;
    size_t index;
    json_array_foreach(kernels, index, kernel) {
        kernel_count(results, kernel);
    }
    if (!json_array_size(kernels))
        results->kernels++; /* one that nothing is known of */
    if (report && !json_object_get(results->document, "device"))
        json_object_set(results->document, "device", json_object_get(report, "device"));
    json_t *item =
        json_pack("{s:s, s:s, s:s, s:s, s:i}", "name", run->name, "part", run->part, "template",
                  run->template, "problem", run->problem, "exit_code", exit_code);
    json_object_set_new(item, "report", report ? report : json_null());
    json_array_append_new(json_object_get(results->document, "runs"), item);
}

static char *milliseconds(const json_t *kernel, const char *key) {
    const json_t *value = json_object_get(kernel, key);
    return json_is_number(value) ? ht_format("%.4g", json_number_value(value)) : ht_strdup("-");
}

static char *speedup(const json_t *kernel) {
    const json_t *value = json_object_get(kernel, "speedup");
    const json_t *interval = json_object_get(kernel, "speedup_ci");
    if (!json_is_number(value))
        return ht_strdup("-");
    return ht_format("%.2fx [%.2f, %.2f]", json_number_value(value),
                     json_number_value(json_array_get(interval, 0)),
                     json_number_value(json_array_get(interval, 1)));
}

static const char *text_of(const json_t *kernel, const char *key) {
    const char *text = json_string_value(json_object_get(kernel, key));
    return text ? text : "-";
}

static void row_append(ht_table *table, const json_t *kernel) {
    char *tried = ht_format("%lld", (long long)json_integer_value(json_object_get(kernel, "run")));
    char *wrong = ht_format("%d", wrong_configurations(kernel));
    char *original = milliseconds(kernel, "original_ms"), *tuned = milliseconds(kernel, "tuned_ms");
    char *faster = speedup(kernel);
    bool verified = json_is_true(json_object_get(kernel, "verified"));
    const char *against = verified ? text_of(kernel, "reference") : text_of(kernel, "reason");
    ht_table_row(table, (const char *const[]){text_of(kernel, "name"), text_of(kernel, "problem"),
                                              text_of(kernel, "status"), tried, wrong, original,
                                              tuned, faster, against});
    free(tried);
    free(wrong);
    free(original);
    free(tuned);
    free(faster);
}

static bool part_has_runs(const ht_gpu_results *results, const char *part) {
    json_t *run;
    size_t index;
    json_array_foreach(json_object_get(results->document, "runs"), index, run) {
        if (strcmp(text_of(run, "part"), part) == 0)
            return true;
    }
    return false;
}

static void part_print(const ht_gpu_results *results, const char *part, const char *title,
                       FILE *out) {
    if (!part_has_runs(results, part))
        return;
    fprintf(out, "\n%s\n", title);
    ht_table *table = ht_table_new(
        "lllrrrrlt", (const char *const[]){"kernel", "problem", "status", "run", "wrong",
                                           "original ms", "tuned ms", "speedup, 95 % interval",
                                           "verified against, or why not"});
    json_t *run, *kernel;
    size_t index, inner;
    json_array_foreach(json_object_get(results->document, "runs"), index, run) {
        if (strcmp(text_of(run, "part"), part) != 0)
            continue;
        json_t *kernels = json_object_get(json_object_get(run, "report"), "kernels");
        json_array_foreach(kernels, inner, kernel) {
            row_append(table, kernel);
        }
        if (!json_array_size(kernels))
            ht_table_row(table, (const char *const[]){text_of(run, "name"), "-", "no report", "-",
                                                      "-", "-", "-", "-", "see its log"});
    }
    ht_table_finish(table, out, 2);
}

void ht_gpu_results_finish(ht_gpu_results *results, FILE *out) {
    json_t *device = json_object_get(results->document, "device");
    bool emulated = json_is_true(json_object_get(device, "emulated"));
    fprintf(out, "\nOn %s: %s, %s%s\n", text_of(device, "name"), text_of(device, "description"),
            text_of(device, "compiler"),
            emulated ? " (host emulation: times say nothing about a GPU)" : "");
    part_print(results, "check", "Correctness", out);
    part_print(results, "tune", "Tuning", out);
    fprintf(out,
            "\n%d of %d kernels and problems verified, %d of them against float64; %d wrong "
            "configurations; %d improved\n",
            results->verified, results->kernels, results->float64, results->wrong,
            results->improved);
    json_object_set_new(results->document, "totals",
                        json_pack("{s:i, s:i, s:i, s:i, s:i}", "kernels", results->kernels,
                                  "verified", results->verified, "float64", results->float64,
                                  "wrong", results->wrong, "improved", results->improved));
}

void ht_gpu_results_free(ht_gpu_results *results) {
    json_decref(results->document);
    *results = (ht_gpu_results){0};
}
