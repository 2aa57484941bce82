#include "runtime/measure/predicted.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_status unknown_gpu(const char *name, ht_error *error) {
    ht_text names = {0};
    for (size_t i = 0; i < ht_gpu_count; i++)
        ht_text_printf(&names, "%s%s", i ? ", " : "", ht_gpus[i].name);
    ht_status status = ht_error_set(
        error, HT_ERROR_INPUT, "no model of a GPU is called '%s': there are %s", name, names.data);
    ht_text_free(&names);
    return status;
}

ht_status ht_model_device_find(const char *name, const ht_gpu **out_gpu, ht_device *out_device,
                               ht_error *error) {
    const char *gpu = name + strlen(HT_MODEL_PREFIX);
    *out_gpu = ht_gpu_find(gpu);
    if (!*out_gpu)
        return unknown_gpu(gpu, error);
    char *target = ht_format("amd:%s", (*out_gpu)->arch);
    ht_status status = ht_device_find(target, out_device, error);
    free(target);
    if (status)
        return status;
    snprintf(out_device->name, sizeof out_device->name, HT_MODEL_PREFIX "%s", (*out_gpu)->name);
    snprintf(out_device->description, sizeof out_device->description, "%.80s, predicted by a model",
             (*out_gpu)->board);
    out_device->fields.units = (*out_gpu)->units;
    out_device->fields.max_static_lds = (*out_gpu)->lds;
    out_device->fields.max_dynamic_lds = (*out_gpu)->lds;
    return HT_OK;
}

static ht_status launch_predict(const ht_gpu *gpu, const ht_inspection_launch *launch,
                                ht_gpu_time *io_time, ht_error *error) {
    ht_gpu_work work;
    if (!launch->counted)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED, "%s",
                            launch->uncounted[0] ? launch->uncounted : "it was not counted");
    ht_status status = ht_gpu_work_make(gpu, &launch->accesses, &launch->resources,
                                        &launch->geometry, &work, error);
    if (status)
        return status;
    ht_gpu_time time = ht_gpu_time_compute(gpu, &work);
    io_time->seconds += time.seconds;
    for (size_t i = 0; i < HT_GPU_TERM_COUNT; i++) {
        io_time->terms[i] += time.terms[i];
        if (io_time->terms[i] > io_time->terms[io_time->bottleneck])
            io_time->bottleneck = (ht_gpu_term)i;
    }
    return HT_OK;
}

ht_status ht_inspection_predict(const ht_gpu *gpu, const ht_inspection *inspection,
                                size_t launch_count, ht_gpu_time *out_time, ht_error *error) {
    ht_status status = HT_OK;
    *out_time = (ht_gpu_time){0};
    if (inspection->status)
        return ht_error_set(error, inspection->status, "%s",
                            inspection->reason ? inspection->reason : "it was not inspected");
    for (size_t i = 0; i < launch_count && !status; i++)
        status = launch_predict(gpu, &inspection->launches[i], out_time, error);
    return status;
}

/* An index with its time, for sorting. */
typedef struct ranked {
    double seconds;
    size_t index;
} ranked;

static int by_time(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

size_t ht_inspections_rank(const ht_gpu *gpu, const ht_inspection *inspections, size_t count,
                           size_t launch_count, ht_gpu_time *out_times, size_t *out_order) {
    ranked *all = ht_alloc(count + 1, sizeof *all);
    size_t predicted = 0;
    for (size_t i = 0; i < count; i++) {
        bool known =
            ht_inspection_predict(gpu, &inspections[i], launch_count, &out_times[i], NULL) == HT_OK;
        if (!known)
            out_times[i].seconds = (double)INFINITY;
        predicted += known;
        all[i] = (ranked){out_times[i].seconds, i};
    }
    qsort(all, count, sizeof *all, by_time);
    for (size_t i = 0; i < count; i++)
        out_order[i] = all[i].index;
    free(all);
    return predicted;
}
