#include "runtime/worker/worker.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>

ht_status ht_worker_open_device(ht_worker *worker, const json_t *request, ht_error *error) {
    const ht_hip *hip = worker->hip;
    ht_status status = ht_hip_check(hip, hip->hipInit(0), "initialising the device", error);
    if (status == HT_OK && worker->spec.device.ordinal >= 0)
        status = ht_hip_check(hip, hip->hipSetDevice(worker->spec.device.ordinal),
                              "choosing the device", error);
    if (status == HT_OK)
        status =
            ht_timer_create(hip, worker->provider, &worker->spec.device,
                            json_is_true(json_object_get(request, "cold")), &worker->timer, error);
    worker->runs = true;
    return status;
}

static void unload_control(ht_worker *worker) {
    ht_variant_free(worker->control.variant);
    worker->control = (ht_control){0};
}

void ht_worker_forget(ht_worker *worker) {
    ht_worker_unload(worker);
    unload_control(worker);
    for (size_t i = 0; i < worker->buffers_count; ++i)
        ht_buffers_free(worker->buffers[i]);
    free(worker->buffers);
    worker->buffers = NULL;
    worker->buffers_count = 0;
    ht_reference_free(&worker->reference);
    ht_worker_check_forget();
    worker->forgot = true;
}

ht_status ht_worker_bind(ht_worker *worker, ht_error *error) {
    ht_worker_forget(worker);
    ht_spec_free(&worker->spec);
    worker->spec = (ht_spec){0};
    return ht_spec_read(worker->folder, &worker->spec, error);
}

void ht_worker_close_device(ht_worker *worker) {
    ht_worker_forget(worker);
    if (worker->timer.hip != NULL)
        ht_timer_destroy(&worker->timer);
}

static void drop_unused_buffers(ht_worker *worker) {
    size_t kept = 0;
    for (size_t i = 0; i < worker->buffers_count; ++i)
        if (worker->buffers[i]->users > 0)
            worker->buffers[kept++] = worker->buffers[i];
        else
            ht_buffers_free(worker->buffers[i]);
    worker->buffers_count = kept;
}

/* Finds buffers. Variants of one layout share them: finalists are then compared on the very same
 * memory, and inputs need not be made anew for every variant. */
static ht_status find_buffers(ht_worker *worker, const ht_config *config, ht_numbers numbers,
                              uint64_t seed, ht_buffers **out_buffers, ht_error *error) {
    ht_layout layout;
    ht_status status = ht_layout_make(&worker->spec.binding, config, numbers, &layout, error);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < worker->buffers_count; ++i) {
        ht_buffers *buffers = worker->buffers[i];
        if (!ht_layout_equal(&buffers->layout, &layout))
            continue;
        ht_layout_free(&layout);
        ht_buffers_fill(buffers, seed, false);
        *out_buffers = buffers;
        return HT_OK;
    }
    drop_unused_buffers(worker);
    ht_buffers *buffers = NULL;
    status = ht_buffers_create(worker->hip, &layout, worker->folder, &buffers, error);
    if (status != HT_OK)
        return status;
    buffers->direct = worker->spec.device.emulated;
    HT_GROW(worker->buffers, worker->buffers_count);
    worker->buffers[worker->buffers_count++] = buffers;
    ht_buffers_fill(buffers, seed, false);
    *out_buffers = buffers;
    return HT_OK;
}

static ht_status read_program(const ht_worker *worker, const json_t *message,
                              ht_program *out_program, ht_error *error) {
    const char *code = json_string_value(json_object_get(message, "code"));
    if (code == NULL || !ht_message_get_program(message, out_program))
        return ht_error_set(error, HT_ERROR_INTERNAL, "a malformed program in a request");
    char *path = ht_path_join(worker->folder, code);
    ht_status status =
        ht_file_read(path, (size_t)1 << 31, &out_program->code, &out_program->code_size, error);
    free(path);
    if (status != HT_OK)
        ht_program_free(out_program);
    return status;
}

ht_status ht_worker_variant(ht_worker *worker, const json_t *program_message,
                            const ht_config *config, ht_launch_set set, ht_numbers numbers,
                            uint64_t seed, ht_variant **out_variant, ht_error *error) {
    ht_program program;
    ht_buffers *buffers = NULL;
    ht_status status = read_program(worker, program_message, &program, error);
    if (status != HT_OK)
        return status;
    status = find_buffers(worker, config, numbers, seed, &buffers, error);
    if (status == HT_OK)
        status = ht_variant_load(worker->hip, &worker->spec.binding, config, set, numbers, &program,
                                 buffers, out_variant, error);
    ht_program_free(&program);
    return status;
}

ht_status ht_worker_compare(ht_worker *worker, const ht_reference *reference,
                            const ht_variant *variant, ht_error *error) {
    const ht_buffers *buffers = ht_variant_buffers(variant);
    ht_status status = HT_OK;
    for (size_t i = 0; i < reference->count && status == HT_OK; ++i) {
        const ht_expected *expected = &reference->outputs[i];
        const void *got = NULL;
        void *copy = NULL;
        status = ht_buffers_look(buffers, expected->arg, &got, &copy, error);
        if (status == HT_OK)
            status = ht_expected_compare(expected, &buffers->layout.args[expected->arg], got,
                                         worker->spec.binding.template->tolerance, error);
        free(copy);
    }
    return status;
}

/* Checks after the timed runs: a race that spared the checked run, or a guard hit only in a hot
 * loop, still shows. Inout kernels have gone on from their own results by then, so only their
 * guards are checked. */
static ht_status check_after_timing(ht_worker *worker, ht_variant *variant, ht_error *error) {
    ht_buffers *buffers = ht_variant_buffers(variant);
    ht_status status = ht_variant_check(variant, error);
    if (status == HT_OK && !ht_buffers_has_inout(buffers))
        status = ht_worker_compare(worker, &worker->reference, variant, error);
    return status;
}

/* Returns the conditions that the samples were taken under; kept with them. */
static json_t *conditions(const ht_worker *worker, const ht_samples *samples) {
    const ht_timer *timer = &worker->timer;
    json_t *object = json_object();
    bool cold = timer->flush != NULL;
    json_object_set_new(object, "cache", json_string(cold ? "cold" : "hot"));
    if (cold)
        json_object_set_new(object, "flushed_bytes",
                            json_integer((json_int_t)ht_flush_bytes(timer->flush)));
    json_object_set_new(object, "launches", json_integer(samples->launches));
    json_object_set_new(object, "timer_ms", json_real(timer->resolution_ms));
    json_object_set_new(object, "stop", json_string(ht_stop_name(samples->stop)));
    if (samples->control_ms > 0)
        json_object_set_new(object, "control_ms", json_real(samples->control_ms));
    if (timer->mhz_lo > 0)
        json_object_set_new(object, "mhz", json_pack("[f, f]", timer->mhz_lo, timer->mhz_hi));
    json_object_set_new(object, "discarded", json_integer((json_int_t)timer->discarded));
    json_object_set_new(object, "throttled", json_integer((json_int_t)timer->throttled));
    return object;
}

static ht_status time_variant(ht_worker *worker, const json_t *request, ht_variant *variant,
                              json_t *reply, ht_error *error) {
    ht_samples samples = {0};
    const json_t *beside = json_object_get(request, "beside");
    ht_measuring how = {
        .budget = json_number_value(json_object_get(request, "budget")),
        .relative_interval = json_number_value(json_object_get(request, "interval")),
        .control = beside != NULL ? worker->control.variant : NULL,
        .control_launches = worker->control.launches,
        .control_ms = json_number_value(json_object_get(beside, "ms")),
        .race = true,
    };
    ht_status status = ht_timer_measure(&worker->timer, variant, &how, &samples, error);
    if (status == HT_OK)
        status = check_after_timing(worker, variant, error);
    if (status == HT_OK) {
        json_t *array = json_array();
        for (size_t i = 0; i < samples.count; ++i)
            json_array_append_new(array, json_real(samples.ms[i]));
        json_object_set_new(reply, "samples", array);
        json_object_set_new(reply, "reduced", json_boolean(samples.stop == HT_STOP_RACE));
        json_object_set_new(reply, "conditions", conditions(worker, &samples));
        ht_resources loaded = ht_variant_resources(variant, worker->provider);
        json_object_set_new(reply, "resources", ht_message_resources(&loaded));
    }
    free(samples.ms);
    return status;
}

static ht_status check_and_time(ht_worker *worker, const json_t *request, ht_variant *variant,
                                json_t *reply, ht_error *error) {
    ht_status status = ht_variant_run(variant, error);
    if (status == HT_OK)
        status = ht_worker_compare(worker, &worker->reference, variant, error);
    if (status != HT_OK || !json_is_true(json_object_get(request, "time")))
        return status;
    return time_variant(worker, request, variant, reply, error);
}

static ht_status request_variant(ht_worker *worker, const json_t *request, ht_variant **out_variant,
                                 ht_error *error) {
    ht_config config;
    if (!ht_message_get_config(json_object_get(request, "config"), worker->spec.binding.template,
                               &config))
        return ht_error_set(error, HT_ERROR_INTERNAL, "a malformed configuration in a request");
    return ht_worker_variant(worker, json_object_get(request, "program"), &config,
                             ht_message_get_set(request), HT_NUMBERS_PLAIN, worker->reference.seed,
                             out_variant, error);
}

/* Loads what the request is to be timed next to. It was found right before; should it fail now,
 * that says nothing about the variant asked about, which is then timed alone. */
static void load_control(ht_worker *worker, const json_t *beside) {
    ht_control *control = &worker->control;
    json_int_t id = json_integer_value(json_object_get(beside, "id"));
    if (beside == NULL || (control->variant != NULL && control->id == id))
        return;
    unload_control(worker);
    ht_status status = request_variant(worker, beside, &control->variant, NULL);
    if (status == HT_OK)
        status = ht_variant_run(control->variant, NULL);
    if (status == HT_OK)
        status = ht_timer_warm_up(&worker->timer, control->variant, &control->launches, NULL);
    control->id = id;
    if (status != HT_OK)
        unload_control(worker);
}

ht_status ht_worker_measure(ht_worker *worker, const json_t *request, json_t *reply,
                            ht_error *error) {
    ht_variant *variant = NULL;
    load_control(worker, json_object_get(request, "beside"));
    ht_status status = request_variant(worker, request, &variant, error);
    if (status == HT_ERROR_LAUNCH && worker->control.variant != NULL) {
        /* Memory for both may be too much to ask. */
        unload_control(worker);
        status = request_variant(worker, request, &variant, error);
    }
    if (status == HT_OK)
        status = check_and_time(worker, request, variant, reply, error);
    ht_variant_free(variant);
    return status;
}

static ht_run_slot *find_slot(ht_worker *worker, const json_t *request) {
    json_int_t slot = json_integer_value(json_object_get(request, "slot"));
    return slot >= 0 && slot < HT_SLOTS_MAX ? &worker->slots[slot] : NULL;
}

ht_status ht_worker_load(ht_worker *worker, const json_t *request, json_t *reply, ht_error *error) {
    ht_run_slot *slot = find_slot(worker, request);
    if (slot == NULL || slot->variant != NULL)
        return ht_error_set(error, HT_ERROR_INTERNAL, "no free slot to load into");
    unload_control(worker);
    ht_status status = request_variant(worker, request, &slot->variant, error);
    if (status == HT_OK)
        status = ht_variant_run(slot->variant, error);
    if (status == HT_OK)
        status = ht_timer_warm_up(&worker->timer, slot->variant, &slot->launches, error);
    json_object_set_new(reply, "launches", json_integer(slot->launches));
    return status;
}

ht_status ht_worker_sample(ht_worker *worker, const json_t *request, json_t *reply,
                           ht_error *error) {
    ht_run_slot *slot = find_slot(worker, request);
    if (slot == NULL || slot->variant == NULL)
        return ht_error_set(error, HT_ERROR_INTERNAL, "nothing loaded to sample");
    double ms = 0;
    ht_status status = ht_timer_sample(&worker->timer, slot->variant, slot->launches, &ms, error);
    json_object_set_new(reply, "ms", json_real(ms));
    return status;
}

void ht_worker_unload(ht_worker *worker) {
    for (size_t i = 0; i < HT_SLOTS_MAX; ++i) {
        ht_variant_free(worker->slots[i].variant);
        worker->slots[i] = (ht_run_slot){0};
    }
}
