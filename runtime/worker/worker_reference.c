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

static bool compared_bitwise(const ht_template *template, const ht_layout_arg *arg) {
    return template->exact || !ht_element_floating(arg->plain);
}

/* Takes values, and as their scale what is known of it: tracked numbers carry the sum of absolute
 * products; it is never less than the value itself. */
static void expect_values(const ht_layout_arg *arg, size_t index, const void *data,
                          ht_expected *out) {
    const ht_element real = {HT_ELEMENT_DOUBLE, 8, 1};
    size_t count = arg->count * arg->element.components;
    *out = (ht_expected){.arg = index, .count = count, .known = count};
    out->value = ht_alloc(count, sizeof *out->value);
    out->scale = ht_alloc(count, sizeof *out->scale);
    for (size_t i = 0; i < count; ++i) {
        double value = ht_element_get(arg->element, data, i), size = fabs(value);
        double other =
            arg->element.kind == HT_ELEMENT_TRACKED ? ht_element_get(real, data, 2 * i + 1) : 0;
        out->value[i] = value;
        out->scale[i] = isfinite(other) ? fmax(size, other) : size;
    }
}

/* Makes the scale no less than what came out for absolute inputs, which is the sum of absolute
 * products as far as the kernel is a sum of products. */
static void widen_scale(const ht_layout_arg *arg, const void *absolute, ht_expected *out) {
    for (size_t i = 0; i < out->count; ++i) {
        double other = fabs(ht_element_get(arg->element, absolute, i));
        if (isfinite(other))
            out->scale[i] = fmax(out->scale[i], other);
    }
}

/* Takes an output of the original over, to the bit. */
static void expect_bytes(const ht_layout_arg *arg, size_t index, run_outputs *original,
                         ht_expected *out) {
    *out = (ht_expected){.arg = index, .count = arg->count * arg->element.components};
    out->known = out->count;
    out->byte_count = arg->count * ht_element_size(arg->plain);
    out->bytes = original->data[index];
    original->data[index] = NULL;
}

/* Gives the original's outputs back: another reference is to be made of them. */
static void give_back(ht_reference *reference, run_outputs *original) {
    for (size_t i = 0; i < reference->count; ++i) {
        ht_expected *expected = &reference->outputs[i];
        if (expected->bytes == NULL)
            continue;
        original->data[expected->arg] = expected->bytes;
        expected->bytes = NULL;
    }
    ht_reference_free(reference);
}

/* Makes expected values of the floating outputs from those of a variant that has just run (in the
 * numbers of its layout), or from the original's where it is that; bitwise ones from the
 * original's, which are taken over. */
static ht_status make_reference(const ht_template *template, const ht_variant *variant,
                                bool is_original, run_outputs *original, ht_reference *reference,
                                ht_error *error) {
    const ht_buffers *buffers = ht_variant_buffers(variant);
    const ht_layout *layout = &buffers->layout;
    ht_status status = HT_OK;
    reference->outputs = ht_alloc(layout->count, sizeof *reference->outputs);
    for (size_t i = 0; i < layout->count && status == HT_OK; ++i) {
        const ht_layout_arg *arg = &layout->args[i];
        const void *data = original->data[i];
        void *copy = NULL;
        if (!ht_arg_is_output(arg->arg))
            continue;
        if (compared_bitwise(template, arg)) {
            expect_bytes(arg, i, original, &reference->outputs[reference->count++]);
            continue;
        }
        if (!is_original)
            status = ht_buffers_look(buffers, i, &data, &copy, error);
        if (status == HT_OK)
            expect_values(arg, i, data, &reference->outputs[reference->count++]);
        free(copy);
    }
    return status;
}

/* Makes the scale of what is expected as large as what came out on absolute inputs. */
static ht_status widen_scales(const ht_buffers *buffers, ht_reference *reference, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < reference->count && status == HT_OK; ++i) {
        ht_expected *expected = &reference->outputs[i];
        const void *data = NULL;
        void *copy = NULL;
        if (expected->value == NULL)
            continue;
        status = ht_buffers_look(buffers, expected->arg, &data, &copy, error);
        if (status == HT_OK)
            widen_scale(&buffers->layout.args[expected->arg], data, expected);
        free(copy);
    }
    return status;
}

/* Runs the same launches on absolute inputs, constants and real scalars, for the scale of what is
 * expected; everything is put back afterwards. */
static ht_status run_absolute(ht_variant *variant, uint64_t seed, ht_reference *reference,
                              ht_error *error) {
    ht_buffers *buffers = ht_variant_buffers(variant);
    ht_buffers_fill(buffers, seed, true);
    ht_variant_absolute(variant, true);
    ht_status status = ht_variant_constants(variant, error);
    if (status == HT_OK)
        status = ht_variant_run(variant, error);
    if (status == HT_OK)
        status = widen_scales(buffers, reference, error);
    ht_buffers_fill(buffers, seed, false);
    ht_variant_absolute(variant, false);
    ht_status restored = ht_variant_constants(variant, error);
    return status != HT_OK ? status : restored;
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
 * then. Outputs compared to the bit are its own. */
static bool original_agrees(const ht_reference *reference, const ht_layout *twin,
                            const run_outputs *original, double tolerance, ht_error *error) {
    for (size_t i = 0; i < reference->count; ++i) {
        const ht_expected *expected = &reference->outputs[i];
        ht_layout_arg plain = twin->args[expected->arg];
        plain.element = plain.plain;
        if (!expected->bytes && ht_expected_compare(expected, &plain, original->data[expected->arg],
                                                    tolerance, error) != HT_OK)
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
                           run_outputs *original, ht_reference *reference, ht_error *error) {
    const ht_template *template = run->worker->spec.binding.template;
    ht_variant *twin = NULL;
    ht_status status = ht_worker_variant(run->worker, program, run->config, run->set, numbers,
                                         run->seed, &twin, error);
    if (status != HT_OK)
        return status;
    ht_buffers *buffers = ht_variant_buffers(twin);
    const ht_layout *layout = &buffers->layout;
    bool tracked = numbers == HT_NUMBERS_TRACKED;
    buffers->passing = true; /* its numbers take up to four times the memory */
    if (tracked && !all_tracked(template, layout))
        status = ht_error_set(error, HT_ERROR_UNSUPPORTED, "an output is not tracked");
    if (status == HT_OK)
        status = ht_variant_run(twin, error);
    if (status == HT_OK)
        status = make_reference(template, twin, false, original, reference, error);
    if (status == HT_OK && !tracked)
        status = run_absolute(twin, run->seed, reference, error);
    if (status == HT_OK &&
        !original_agrees(reference, layout, original, template->tolerance, error))
        status = HT_ERROR_MISMATCH;
    if (status != HT_OK) {
        give_back(reference, original);
        reference->seed = run->seed;
    }
    buffers->passing = false; /* variants of numbers that are no wider share them */
    ht_variant_free(twin);
    return status;
}

static ht_status load_original(const reference_run *run, const json_t *request,
                               ht_variant **out_variant, ht_error *error) {
    return ht_worker_variant(run->worker, json_object_get(request, "original"), run->config,
                             run->set, HT_NUMBERS_PLAIN, run->seed, out_variant, error);
}

static ht_status from_original(const reference_run *run, ht_variant *variant, run_outputs *original,
                               ht_reference *reference, ht_error *error) {
    const ht_template *template = run->worker->spec.binding.template;
    bool scaled = needs_scale(template, &ht_variant_buffers(variant)->layout);
    ht_status status = make_reference(template, variant, true, original, reference, error);
    return status == HT_OK && scaled ? run_absolute(variant, run->seed, reference, error) : status;
}

/* Makes the reference of what the original gave. It is unloaded (`variant` becomes NULL) before a
 * twin runs, so that memory holds the buffers of one of them. */
static ht_status choose_way(const reference_run *run, const json_t *request, ht_variant **variant,
                            run_outputs *original, json_t *reply, ht_reference *reference,
                            ht_error *error) {
    const json_t *twin = json_object_get(request, "twin");
    ht_numbers numbers = (ht_numbers)json_integer_value(json_object_get(request, "numbers"));
    ht_status status = HT_OK;
    if (json_is_object(twin) &&
        needs_scale(run->worker->spec.binding.template, &ht_variant_buffers(*variant)->layout)) {
        ht_error why = {0};
        ht_variant_free(*variant);
        *variant = NULL;
        if (from_twin(run, twin, numbers, original, reference, &why) == HT_OK) {
            json_object_set_new(reply, "way", json_string("twin"));
            return HT_OK;
        }
        json_object_set_new(reply, "twin_refused", ht_message_text(why.message));
        status = load_original(run, request, variant, error);
    }
    json_object_set_new(reply, "way", json_string("original"));
    return status == HT_OK ? from_original(run, *variant, original, reference, error) : status;
}

static ht_status build_from_kernel(const reference_run *run, const json_t *request, json_t *reply,
                                   ht_reference *reference, ht_error *error) {
    ht_variant *variant = NULL;
    run_outputs original = {0};
    json_object_set_new(reply, "way", json_string("original"));
    ht_status status = load_original(run, request, &variant, error);
    if (status == HT_OK)
        status = run_and_read(variant, &original, error);
    if (status == HT_OK)
        status = ht_unwritten_find(variant, original.data, reply, error);
    if (status == HT_OK)
        status = choose_way(run, request, &variant, &original, reply, reference, error);
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
        worker->forgot = false;
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
        worker->forgot = false;
    }
    return status;
}
