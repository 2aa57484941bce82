/* The values that outputs must have, when a kernel gives them: its own outputs, or better, those of
 * its float64 twin. docs/measuring.md, "The reference", explains the ways and their limits. */
#include "runtime/worker/worker.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/reference/reference_builtin.h"
#include "runtime/reference/unwritten.h"

#include <math.h>
#include <stdlib.h>

/* Outputs of one run, by argument; NULL for arguments that are not outputs. */
typedef struct run_outputs {
    void **data; /* owned */
    size_t count;
} run_outputs;

static void outputs_free(run_outputs *outputs) {
    for (size_t i = 0; i < outputs->count; ++i)
        free(outputs->data[i]);
    free(outputs->data);
    *outputs = (run_outputs){0};
}

static ht_status run_and_read(ht_variant *variant, run_outputs *out, ht_error *error) {
    const ht_buffers *buffers = ht_variant_buffers(variant);
    *out = (run_outputs){ht_alloc(buffers->layout.count, sizeof(void *)), buffers->layout.count};
    ht_status status = ht_variant_run(variant, error);
    for (size_t i = 0; i < out->count && status == HT_OK; ++i)
        if (ht_arg_is_output(buffers->layout.args[i].arg))
            status = ht_buffers_read(buffers, i, &out->data[i], error);
    if (status != HT_OK)
        outputs_free(out);
    return status;
}

/* Runs the same launches on absolute inputs, constants and real scalars; everything is put back
 * afterwards. */
static ht_status run_absolute(ht_variant *variant, uint64_t seed, run_outputs *out,
                              ht_error *error) {
    ht_buffers *buffers = ht_variant_buffers(variant);
    ht_buffers_fill(buffers, seed, true);
    ht_variant_absolute(variant, true);
    ht_status status = ht_variant_constants(variant, error);
    if (status == HT_OK)
        status = run_and_read(variant, out, error);
    ht_buffers_fill(buffers, seed, false);
    ht_variant_absolute(variant, false);
    ht_status restored = ht_variant_constants(variant, error);
    if (status == HT_OK && restored != HT_OK)
        outputs_free(out);
    return status != HT_OK ? status : restored;
}

static bool compared_bitwise(const ht_template *template, const ht_layout_arg *arg) {
    return template->exact || !ht_element_floating(arg->plain);
}

/* Returns the sum of absolute products in component `i`: tracked numbers carry it; else the run on
 * absolute inputs gives it, as far as the kernel is a sum of products; it is never less than the
 * value itself. */
static double scale_of(const ht_layout_arg *arg, const void *data, const void *absolute, size_t i) {
    double size = fabs(ht_element_get(arg->element, data, i)), other = 0;
    if (arg->element.kind == HT_ELEMENT_TRACKED)
        other = ht_element_get((ht_element){HT_ELEMENT_DOUBLE, 8, 1}, data, 2 * i + 1);
    else if (absolute != NULL)
        other = fabs(ht_element_get(arg->element, absolute, i));
    return isfinite(other) ? fmax(size, other) : size;
}

static void expect_values(const ht_layout_arg *arg, size_t index, const void *data,
                          const void *absolute, ht_expected *out) {
    size_t count = arg->count * arg->element.components;
    *out = (ht_expected){.arg = index, .count = count, .known = count};
    out->value = ht_alloc(count, sizeof *out->value);
    out->scale = ht_alloc(count, sizeof *out->scale);
    for (size_t i = 0; i < count; ++i) {
        out->value[i] = ht_element_get(arg->element, data, i);
        out->scale[i] = scale_of(arg, data, absolute, i);
    }
}

static void expect_bytes(const ht_layout_arg *arg, size_t index, const void *data,
                         ht_expected *out) {
    size_t bytes = ht_layout_bytes(arg);
    *out = (ht_expected){.arg = index, .count = arg->count * arg->element.components};
    out->known = out->count;
    out->byte_count = bytes;
    out->bytes = ht_alloc(bytes, 1);
    for (size_t i = 0; i < bytes; ++i)
        out->bytes[i] = ((const unsigned char *)data)[i];
}

/* Makes expected values of the floating outputs from `data` (in the numbers of `layout`); bitwise
 * ones from the original. */
static void make_reference(const ht_template *template, const ht_layout *layout,
                           const run_outputs *data, const run_outputs *absolute,
                           const ht_layout *plain, const run_outputs *original,
                           ht_reference *reference) {
    reference->outputs = ht_alloc(layout->count, sizeof *reference->outputs);
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_layout_arg *arg = &layout->args[i];
        if (!ht_arg_is_output(arg->arg))
            continue;
        ht_expected *expected = &reference->outputs[reference->count++];
        if (compared_bitwise(template, arg))
            expect_bytes(&plain->args[i], i, original->data[i], expected);
        else
            expect_values(arg, i, data->data[i], absolute ? absolute->data[i] : NULL, expected);
    }
}

static bool needs_scale(const ht_template *template, const ht_layout *layout) {
    for (size_t i = 0; i < layout->count; ++i)
        if (ht_arg_is_output(layout->args[i].arg) && !compared_bitwise(template, &layout->args[i]))
            return true;
    return false;
}

/* Returns true if every floating output holds tracked numbers; they serve only then. */
static bool all_tracked(const ht_template *template, const ht_layout *layout) {
    for (size_t i = 0; i < layout->count; ++i)
        if (ht_arg_is_output(layout->args[i].arg) &&
            !compared_bitwise(template, &layout->args[i]) &&
            layout->args[i].element.kind != HT_ELEMENT_TRACKED)
            return false;
    return true;
}

/* Returns true if the original agrees with the twin within the tolerance; the twin counts only
 * then. */
static bool original_agrees(const ht_reference *reference, const ht_layout *plain,
                            const run_outputs *original, double tolerance, ht_error *error) {
    for (size_t i = 0; i < reference->count; ++i) {
        const ht_expected *expected = &reference->outputs[i];
        if (ht_expected_compare(expected, &plain->args[expected->arg],
                                original->data[expected->arg], tolerance, error) != HT_OK)
            return false;
    }
    return true;
}

typedef struct reference_run {
    ht_worker *worker;
    const ht_config *config;
    ht_launch_set set;
    uint64_t seed;
} reference_run;

static ht_status from_twin(const reference_run *run, const json_t *program, ht_numbers numbers,
                           const ht_layout *plain, const run_outputs *original,
                           ht_reference *reference, ht_error *error) {
    const ht_template *template = run->worker->spec.binding.template;
    ht_variant *twin = NULL;
    run_outputs data = {0}, absolute = {0};
    ht_status status = ht_worker_variant(run->worker, program, run->config, run->set, numbers,
                                         run->seed, &twin, error);
    if (status != HT_OK)
        return status;
    const ht_layout *layout = &ht_variant_buffers(twin)->layout;
    bool tracked = numbers == HT_NUMBERS_TRACKED;
    if (tracked && !all_tracked(template, layout))
        status = ht_error_set(error, HT_ERROR_UNSUPPORTED, "an output is not tracked");
    if (status == HT_OK)
        status = run_and_read(twin, &data, error);
    if (status == HT_OK && !tracked)
        status = run_absolute(twin, run->seed, &absolute, error);
    if (status == HT_OK) {
        make_reference(template, layout, &data, tracked ? NULL : &absolute, plain, original,
                       reference);
        if (!original_agrees(reference, plain, original, template->tolerance, error)) {
            ht_reference_free(reference);
            reference->seed = run->seed;
            status = HT_ERROR_MISMATCH;
        }
    }
    outputs_free(&data);
    outputs_free(&absolute);
    ht_variant_free(twin);
    return status;
}

static ht_status from_original(const reference_run *run, ht_variant *variant,
                               const run_outputs *original, ht_reference *reference,
                               ht_error *error) {
    const ht_template *template = run->worker->spec.binding.template;
    const ht_layout *layout = &ht_variant_buffers(variant)->layout;
    run_outputs absolute = {0};
    bool scaled = needs_scale(template, layout);
    ht_status status = scaled ? run_absolute(variant, run->seed, &absolute, error) : HT_OK;
    if (status == HT_OK)
        make_reference(template, layout, original, scaled ? &absolute : NULL, layout, original,
                       reference);
    outputs_free(&absolute);
    return status;
}

static ht_status build_from_kernel(const reference_run *run, const json_t *request, json_t *reply,
                                   ht_reference *reference, ht_error *error) {
    const ht_template *template = run->worker->spec.binding.template;
    ht_variant *variant = NULL;
    run_outputs original = {0};
    ht_status status =
        ht_worker_variant(run->worker, json_object_get(request, "original"), run->config, run->set,
                          HT_NUMBERS_PLAIN, run->seed, &variant, error);
    if (status == HT_OK)
        status = run_and_read(variant, &original, error);
    if (status == HT_OK)
        status = ht_unwritten_find(variant, original.data, reply, error);
    const char *way = "original";
    if (status == HT_OK) {
        const ht_layout *plain = &ht_variant_buffers(variant)->layout;
        const json_t *twin = json_object_get(request, "twin");
        ht_numbers numbers = (ht_numbers)json_integer_value(json_object_get(request, "numbers"));
        bool done = false;
        if (json_is_object(twin) && needs_scale(template, plain)) {
            ht_error why = {0};
            done = from_twin(run, twin, numbers, plain, &original, reference, &why) == HT_OK;
            way = "twin";
            if (!done)
                json_object_set_new(reply, "twin_refused", ht_message_text(why.message));
        }
        if (!done) {
            way = "original";
            status = from_original(run, variant, &original, reference, error);
        }
    }
    json_object_set_new(reply, "way", json_string(way));
    outputs_free(&original);
    ht_variant_free(variant);
    return status;
}

static ht_status build_builtin(ht_worker *worker, ht_reference *reference, ht_error *error) {
    ht_layout layout;
    ht_buffers *buffers = NULL;
    ht_status status = ht_layout_make(&worker->spec.binding, &worker->spec.default_config,
                                      HT_NUMBERS_PLAIN, &layout, error);
    if (status == HT_OK)
        status = ht_buffers_create(worker->hip, &layout, worker->folder, &buffers, error);
    if (status == HT_OK) {
        ht_buffers_fill(buffers, reference->seed, false);
        status = ht_reference_builtin(&worker->spec.binding, buffers, reference, error);
    }
    ht_buffers_free(buffers);
    return status;
}

ht_status ht_worker_reference(ht_worker *worker, const json_t *request, json_t *reply,
                              ht_error *error) {
    const char *file = json_string_value(json_object_get(request, "file"));
    if (file == NULL)
        return ht_error_set(error, HT_ERROR_INTERNAL, "a reference request without a file");
    ht_reference_kind kind = worker->spec.binding.template->reference_kind;
    /* 64-bit seeds pass through JSON as signed numbers. */
    uint64_t seed = (uint64_t)json_integer_value(json_object_get(request, "seed"));
    ht_reference reference = {.seed = seed};
    reference_run run = {worker, &worker->spec.default_config,
                         ht_template_reference_set(worker->spec.binding.template), seed};
    ht_status status = kind == HT_REFERENCE_BUILTIN
                           ? build_builtin(worker, &reference, error)
                           : build_from_kernel(&run, request, reply, &reference, error);
    char *path = ht_path_join(worker->folder, file);
    if (status == HT_OK)
        status = ht_reference_save(&reference, path, error);
    free(path);
    if (status == HT_OK) {
        ht_reference_free(&worker->reference);
        worker->reference = reference;
    } else {
        ht_reference_free(&reference);
    }
    return status;
}

ht_status ht_worker_expect(ht_worker *worker, const json_t *request, ht_error *error) {
    const char *file = json_string_value(json_object_get(request, "file"));
    if (file == NULL)
        return ht_error_set(error, HT_ERROR_INTERNAL, "an expect request without a file");
    ht_reference reference;
    char *path = ht_path_join(worker->folder, file);
    ht_status status = ht_reference_load(path, &reference, error);
    free(path);
    if (status == HT_OK) {
        ht_reference_free(&worker->reference);
        worker->reference = reference;
    }
    return status;
}
