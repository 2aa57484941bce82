#include "cli/reports/database/night_history.h"

#include "base/memory.h"
#include "pipeline/report.h"
#include "runtime/measure/stats.h"

#include <stdlib.h>
#include <string.h>

/* Returns the median of a member's samples as multiples of the calibration kernel's; 0: none. */
static double median_of(const json_t *watch, const char *member) {
    const json_t *times = json_object_get(watch, member);
    const json_t *calibration = json_object_get(watch, "calibration");
    size_t count = json_array_size(times), known = 0;
    double *ratios = ht_alloc(count + 1, sizeof *ratios), median = 0;
    for (size_t i = 0; i < count; ++i) {
        double time = json_number_value(json_array_get(times, i));
        double by = json_number_value(json_array_get(calibration, i));
        if (time > 0 && by > 0)
            ratios[known++] = time / by;
    }
    if (known > 0)
        median = ht_stats_median(ratios, known);
    free(ratios);
    return median;
}

static double number_at(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

static void point_add(ht_history_kernel *kernel, const ht_night_result *result,
                      const json_t *document) {
    const json_t *watch = json_object_get(document, "watch");
    const json_t *entry = json_object_get(document, "entry");
    const json_t *interval = json_object_get(entry, "speedup_ci");
    const json_t *night = json_object_get(document, "night");
    bool again = json_is_integer(night) && json_integer_value(night) != result->night;
    if (again || (!json_is_object(watch) && number_at(entry, "speedup") <= 0))
        return; /* taken over from an earlier night, or nothing was timed */
    HT_GROW(kernel->points, kernel->point_count);
    kernel->points[kernel->point_count++] =
        (ht_history_point){.night = result->night,
                           .when = result->when,
                           .incumbent = median_of(watch, "incumbent"),
                           .original = median_of(watch, "original"),
                           .speedup = number_at(entry, "speedup"),
                           .lo = json_number_value(json_array_get(interval, 0)),
                           .hi = json_number_value(json_array_get(interval, 1)),
                           .tuned_ms = number_at(entry, "tuned_ms"),
                           .original_ms = number_at(entry, "original_ms")};
}

/* Returns the kernel of a result, made if it is new. */
static ht_history_kernel *kernel_of(ht_night_past *past, const ht_night_result *result) {
    char *identity = ht_format("%s\n%s\n%s\n%s\n%lld", result->kernel, result->problem,
                               result->device, result->file, (long long)result->number);
    if (!past->index)
        past->index = json_object();
    const json_t *known = json_object_get(past->index, identity);
    size_t number = known ? (size_t)json_integer_value(known) : past->count;
    if (!known) {
        json_object_set_new_nocheck(past->index, identity, json_integer((json_int_t)number));
        HT_GROW(past->kernels, past->count);
        past->kernels[past->count++] = (ht_history_kernel){.kernel = ht_strdup(result->kernel),
                                                           .problem = ht_strdup(result->problem),
                                                           .device = ht_strdup(result->device),
                                                           .file = ht_strdup(result->file)};
    }
    free(identity);
    return &past->kernels[number];
}

static void replace(char **text, const char *by) {
    free(*text);
    *text = ht_strdup(by);
}

void ht_night_past_add(void *context, const ht_night_result *result) {
    ht_night_past *past = context;
    if (!*result->kernel)
        return;
    ht_history_kernel *kernel = kernel_of(past, result);
    json_t *document = json_loads(result->document, 0, NULL);
    kernel->gone = json_is_true(json_object_get(document, "gone"));
    kernel->night = result->night;
    replace(&kernel->job, result->job);
    if (!kernel->gone) {
        free(kernel->before);
        free(kernel->before_key);
        kernel->before = kernel->document;
        kernel->before_key = kernel->kernel_key;
        kernel->document = ht_strdup(result->document);
        kernel->kernel_key = ht_strdup(result->kernel_key);
        replace(&kernel->source_key, result->source_key);
        point_add(kernel, result, document);
    }
    json_decref(document);
}

void ht_history_inherit(ht_history_kernel *kernel, const ht_history_kernel *former) {
    ht_history_point *points = NULL;
    size_t count = 0;
    const ht_history_kernel *const both[] = {former, kernel};
    for (size_t i = 0; i < 2; ++i)
        for (size_t j = 0; j < both[i]->point_count; ++j) {
            HT_GROW(points, count);
            points[count++] = both[i]->points[j];
        }
    free(kernel->points);
    kernel->points = points;
    kernel->point_count = count;
}

void ht_night_past_free(ht_night_past *past) {
    for (size_t i = 0; i < past->count; ++i) {
        ht_history_kernel *kernel = &past->kernels[i];
        char *owned[] = {kernel->job,        kernel->kernel,   kernel->problem,
                         kernel->device,     kernel->file,     kernel->source_key,
                         kernel->kernel_key, kernel->document, kernel->before_key,
                         kernel->before};
        for (size_t j = 0; j < sizeof owned / sizeof *owned; ++j)
            free(owned[j]);
        free(kernel->points);
    }
    free(past->kernels);
    json_decref(past->index);
    *past = (ht_night_past){0};
}
