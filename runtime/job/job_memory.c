#include "runtime/job/job_memory.h"

#include "base/memory.h"
#include "runtime/buffers/layout.h"

#include <stdlib.h>

/* Returns the bytes certainly held at once: the buffer, where the device is emulated, the contents
 * that it gets, and what it holds after a run. */
static uint64_t held(const ht_layout_arg *arg, const ht_device *device) {
    uint64_t bytes = ht_layout_bytes(arg), copies = 0;
    if (!ht_arg_is_buffer(arg->arg))
        return 0;
    copies += device->emulated && arg->arg->role != HT_ARG_CONSTANT;
    copies += ht_arg_is_initialised(arg->arg);
    copies += ht_arg_is_output(arg->arg);
    return copies * bytes;
}

static double gibibytes(uint64_t bytes) {
    return (double)bytes / (double)(1 << 30);
}

static ht_status refuse(const ht_binding *binding, const ht_layout_arg *largest, uint64_t need,
                        uint64_t memory, ht_error *error) {
    const ht_arg *arg = largest->arg;
    char *sizes = binding->problem
                      ? ht_problem_string(&binding->template->problem, binding->problem)
                      : ht_strdup("");
    ht_status status = ht_error_set_at(
        error, HT_ERROR_INPUT, arg->place.file, arg->place.line, arg->place.column,
        "the buffers of %s do not fit into memory: with %s they and their copies take %.1f GiB "
        "('%s' alone %.1f GiB), and %.1f GiB can be used; give smaller sizes",
        binding->template->name, sizes, gibibytes(need), arg->name,
        gibibytes(ht_layout_bytes(largest)), gibibytes(memory));
    free(sizes);
    return status;
}

static ht_status layout_default(const ht_binding *binding, ht_layout *out, ht_error *error) {
    ht_config config = ht_config_default(binding->template);
    return ht_layout_make(binding, &config, HT_NUMBERS_PLAIN, out, error);
}

/* At most 64 buffers of 2^40 bytes each, three times. */
static uint64_t need_of(const ht_layout *layout, const ht_device *device) {
    uint64_t need = 0;
    for (size_t i = 0; i < layout->count; ++i)
        need += held(&layout->args[i], device);
    return need;
}

ht_status ht_job_memory_check(const ht_binding *binding, const ht_device *device, uint64_t memory,
                              ht_error *error) {
    ht_layout layout;
    ht_status status = layout_default(binding, &layout, error);
    if (status != HT_OK)
        return status;
    const ht_layout_arg *largest = NULL;
    for (size_t i = 0; i < layout.count; ++i) {
        const ht_layout_arg *arg = &layout.args[i];
        if (ht_arg_is_buffer(arg->arg) &&
            (!largest || ht_layout_bytes(arg) > ht_layout_bytes(largest)))
            largest = arg;
    }
    uint64_t need = need_of(&layout, device);
    if (largest && need > memory)
        status = refuse(binding, largest, need, memory, error);
    ht_layout_free(&layout);
    return status;
}

uint64_t ht_job_memory_need(const ht_binding *binding, const ht_device *device) {
    ht_layout layout;
    ht_error ignored;
    if (layout_default(binding, &layout, &ignored) != HT_OK)
        return 0;
    uint64_t need = need_of(&layout, device);
    ht_layout_free(&layout);
    return need;
}

/* Bytes of an expected value and its scale. */
enum { EXPECTED_BYTES = 2 * sizeof(double) };

/* Bytes that both workers of a verification hold: one makes the reference, one checks. */
typedef struct verifying {
    uint64_t runs, checks;
} verifying;

static verifying verifying_of(const ht_layout_arg *arg, ht_comparing how) {
    const bool input = ht_arg_is_initialised(arg->arg), output = ht_arg_is_output(arg->arg);
    const bool exact = how == HT_COMPARING_BITS || !ht_element_floating(arg->plain);
    uint64_t bytes = arg->count * ht_element_size(arg->plain);
    uint64_t expected = exact ? bytes : arg->count * arg->plain.components * EXPECTED_BYTES;
    verifying out = {.checks = bytes};
    if (how == HT_COMPARING_TWIN) /* whose contents are let go */
        out.runs = ht_layout_bytes(arg);
    else
        out.runs = bytes + (input ? bytes : 0);
    if (output)
        out.runs += exact ? bytes : bytes + expected; /* what the original gave */
    out.checks += (input ? bytes : 0) + (output ? expected : 0);
    return out;
}

uint64_t ht_job_memory_verifying(const ht_binding *binding, ht_comparing how) {
    const ht_numbers numbers = how == HT_COMPARING_TWIN ? HT_NUMBERS_TRACKED : HT_NUMBERS_PLAIN;
    ht_config config = ht_config_default(binding->template);
    ht_layout layout;
    ht_error ignored;
    verifying sum = {0};
    uint64_t most = 0; /* of contents, which are there while the device gets them */
    if (ht_layout_make(binding, &config, numbers, &layout, &ignored) != HT_OK)
        return 0;
    for (size_t i = 0; i < layout.count; ++i) {
        const ht_layout_arg *arg = &layout.args[i];
        if (!ht_arg_is_buffer(arg->arg))
            continue;
        verifying one = verifying_of(arg, how);
        sum.runs += one.runs;
        sum.checks += one.checks;
        if (how == HT_COMPARING_TWIN && ht_arg_is_initialised(arg->arg) &&
            ht_layout_bytes(arg) > most)
            most = ht_layout_bytes(arg);
    }
    ht_layout_free(&layout);
    sum.runs += most;
    return sum.runs > sum.checks ? sum.runs : sum.checks;
}

uint64_t ht_job_memory_plain(const ht_binding *binding) {
    ht_layout layout;
    ht_error ignored;
    uint64_t bytes = 0;
    if (layout_default(binding, &layout, &ignored) != HT_OK)
        return 0;
    for (size_t i = 0; i < layout.count; ++i)
        bytes += ht_arg_is_buffer(layout.args[i].arg) ? ht_layout_bytes(&layout.args[i]) : 0;
    ht_layout_free(&layout);
    return bytes;
}

char *ht_job_memory_phase(const ht_binding *binding, const ht_device *device, const char *phase) {
    const uint64_t much = (uint64_t)1 << 30;
    uint64_t need = ht_job_memory_need(binding, device);
    return need < much
               ? ht_strdup(phase)
               : ht_format("%s (%.1f GiB of buffers and their copies)", phase, gibibytes(need));
}
