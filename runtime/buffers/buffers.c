#include "runtime/buffers/buffers.h"

#include "base/memory.h"
#include "runtime/buffers/input_files.h"
#include "runtime/buffers/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

ht_status ht_hip_check(const ht_hip *hip, hipError_t code, const char *doing, ht_error *error) {
    if (code == HT_HIP_SUCCESS)
        return HT_OK;
    const char *words = hip->hipGetErrorString(code);
    return ht_error_set(error, HT_ERROR_LAUNCH, "%s: %s (%d)", doing, words ? words : "error",
                        code);
}

/* Writes the guards' pattern, which differs from place to place, so that shifted copies are seen
 * too. */
static void guard_pattern(unsigned char *out, size_t index, bool behind) {
    for (size_t i = 0; i < HT_GUARD_BYTES; ++i)
        out[i] = (unsigned char)(0xC3 ^ (i * 7) ^ (i >> 8) ^ (index * 29) ^ (behind ? 0x5A : 0));
}

unsigned char ht_poison_byte(ht_element element) {
    return ht_element_floating(element) ? 0xFF : 0xA5;
}

bool ht_poison_is(ht_element element, const void *data, size_t component) {
    const unsigned char *at = (const unsigned char *)data + component * element.bytes;
    const unsigned char byte = ht_poison_byte(element);
    size_t same = 0;
    while (same < element.bytes && at[same] == byte)
        ++same;
    return same == element.bytes;
}

static bool lives_on_device(const ht_arg *arg) {
    return ht_arg_is_buffer(arg) && arg->role != HT_ARG_CONSTANT;
}

ht_status ht_buffers_create(const ht_hip *hip, ht_layout *layout, const char *inputs,
                            ht_buffers **out_buffers, ht_error *error) {
    ht_buffers *buffers = ht_alloc(1, sizeof *buffers);
    *buffers = (ht_buffers){.hip = hip, .layout = *layout};
    *layout = (ht_layout){0};
    buffers->buffers = ht_alloc(buffers->layout.count, sizeof *buffers->buffers);
    for (size_t i = 0; i < buffers->layout.count; ++i) {
        const ht_layout_arg *arg = &buffers->layout.args[i];
        ht_buffer *buffer = &buffers->buffers[i];
        size_t bytes = ht_layout_bytes(arg);
        if (ht_arg_is_initialised(arg->arg)) {
            buffer->contents = calloc(bytes ? bytes : 1, 1);
            if (buffer->contents == NULL) {
                ht_error_set(error, HT_ERROR_LAUNCH, "out of memory: %zu bytes for '%s'", bytes,
                             arg->arg->name);
                ht_buffers_free(buffers); /* with the layout that has the name */
                return HT_ERROR_LAUNCH;
            }
        }
        ht_status status = ht_input_files_map(arg, i, inputs, &buffer->given, error);
        if (status != HT_OK) {
            ht_buffers_free(buffers);
            return status;
        }
        if (!lives_on_device(arg->arg))
            continue;
        void *base = NULL;
        hipError_t code = hip->hipMalloc(&base, bytes + 2 * HT_GUARD_BYTES);
        if (code != HT_HIP_SUCCESS || base == NULL) {
            ht_error_set(error, HT_ERROR_LAUNCH, "out of device memory: %zu bytes for '%s'", bytes,
                         arg->arg->name);
            ht_buffers_free(buffers);
            return HT_ERROR_LAUNCH;
        }
        buffer->base = base;
        buffer->data = buffer->base + HT_GUARD_BYTES;
    }
    *out_buffers = buffers;
    return HT_OK;
}

/* The contents that a file gives are in the type as annotated. */
static size_t given_bytes(const ht_layout_arg *arg) {
    return arg->count * ht_element_size(arg->plain);
}

void ht_buffers_free(ht_buffers *buffers) {
    if (buffers == NULL)
        return;
    for (size_t i = 0; i < buffers->layout.count; ++i) {
        if (buffers->buffers[i].base != NULL)
            buffers->hip->hipFree(buffers->buffers[i].base);
        free(buffers->buffers[i].contents);
        if (buffers->buffers[i].given != NULL)
            munmap((void *)buffers->buffers[i].given, given_bytes(&buffers->layout.args[i]));
    }
    free(buffers->buffers);
    ht_layout_free(&buffers->layout);
    free(buffers);
}

/* Memory below that is not worth the trouble; arrays in structures are read at each launch. */
enum { LET_GO_LEAST = 1 << 20 };

/* Lets contents go that the device has, and nothing asks for again. */
static void let_go(ht_buffers *buffers, size_t index) {
    if (!buffers->passing || ht_layout_bytes(&buffers->layout.args[index]) < LET_GO_LEAST)
        return;
    free(buffers->buffers[index].contents);
    buffers->buffers[index].contents = NULL;
    buffers->filled = false;
}

/* Makes the contents in the type as annotated. */
static void make_contents(const ht_layout_arg *arg, const ht_buffer *buffer, void *out,
                          uint64_t seed, size_t index) {
    if (buffer->given != NULL)
        memcpy(out, buffer->given, given_bytes(arg));
    else
        ht_inputs_fill(arg->plain, out, arg->count, &arg->arg->init, seed, index);
}

void ht_buffers_fill(ht_buffers *buffers, uint64_t seed, bool absolute) {
    if (buffers->filled && buffers->seed == seed && buffers->absolute == absolute)
        return;
    buffers->filled = true;
    buffers->seed = seed;
    buffers->absolute = absolute;
    for (size_t i = 0; i < buffers->layout.count; ++i) {
        const ht_layout_arg *arg = &buffers->layout.args[i];
        if (!ht_arg_is_initialised(arg->arg))
            continue;
        if (buffers->buffers[i].contents == NULL) /* let go */
            buffers->buffers[i].contents = ht_alloc(ht_layout_bytes(arg), 1);
        void *contents = buffers->buffers[i].contents;
        if (arg->plain.kind == arg->element.kind) {
            make_contents(arg, &buffers->buffers[i], contents, seed, i);
            if (absolute)
                ht_inputs_convert(arg->plain, contents, arg->plain, contents, arg->count, true);
            continue;
        }
        /* The twin sees what the kernel sees: values rounded to the kernel's own type. */
        void *plain = ht_alloc(arg->count, ht_element_size(arg->plain));
        make_contents(arg, &buffers->buffers[i], plain, seed, i);
        ht_inputs_convert(arg->plain, plain, arg->element, contents, arg->count, absolute);
        free(plain);
    }
}

static ht_status upload(ht_buffers *buffers, void *to, const void *from, size_t bytes,
                        ht_error *error) {
    return ht_hip_check(buffers->hip,
                        buffers->hip->hipMemcpy(to, from, bytes, HT_HIP_COPY_HOST_TO_DEVICE),
                        "copying to the device", error);
}

ht_status ht_buffers_reset(ht_buffers *buffers, ht_error *error) {
    unsigned char guard[HT_GUARD_BYTES];
    ht_status status = HT_OK;
    for (size_t i = 0; i < buffers->layout.count && status == HT_OK; ++i) {
        const ht_layout_arg *arg = &buffers->layout.args[i];
        ht_buffer *buffer = &buffers->buffers[i];
        if (buffer->base == NULL)
            continue;
        size_t bytes = ht_layout_bytes(arg);
        guard_pattern(guard, i, false);
        status = upload(buffers, buffer->base, guard, sizeof guard, error);
        guard_pattern(guard, i, true);
        if (status == HT_OK)
            status = upload(buffers, buffer->data + bytes, guard, sizeof guard, error);
        if (status != HT_OK)
            break;
        if (buffer->contents != NULL)
            status = upload(buffers, buffer->data, buffer->contents, bytes, error);
        else if (ht_arg_is_initialised(arg->arg))
            status = ht_error_set(error, HT_ERROR_INTERNAL, "the contents of '%s' were let go",
                                  arg->arg->name);
        else
            status =
                ht_hip_check(buffers->hip,
                             buffers->hip->hipMemset(
                                 buffer->data, ht_poison_byte(arg->element) ^ buffers->flip, bytes),
                             "poisoning outputs", error);
        let_go(buffers, i);
    }
    return status;
}

bool ht_buffers_has_inout(const ht_buffers *buffers) {
    for (size_t i = 0; i < buffers->layout.count; ++i)
        if (buffers->layout.args[i].arg->role == HT_ARG_INOUT)
            return true;
    return false;
}

ht_status ht_buffers_restore(ht_buffers *buffers, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < buffers->layout.count && status == HT_OK; ++i)
        if (buffers->layout.args[i].arg->role == HT_ARG_INOUT)
            status = upload(buffers, buffers->buffers[i].data, buffers->buffers[i].contents,
                            ht_layout_bytes(&buffers->layout.args[i]), error);
    return status;
}

static ht_status download(const ht_buffers *buffers, void *to, const void *from, size_t bytes,
                          ht_error *error) {
    return ht_hip_check(buffers->hip,
                        buffers->hip->hipMemcpy(to, from, bytes, HT_HIP_COPY_DEVICE_TO_HOST),
                        "copying from the device", error);
}

ht_status ht_buffers_read(const ht_buffers *buffers, size_t index, void **out_data,
                          ht_error *error) {
    size_t bytes = ht_layout_bytes(&buffers->layout.args[index]);
    *out_data = ht_alloc(bytes, 1);
    ht_status status = download(buffers, *out_data, buffers->buffers[index].data, bytes, error);
    if (status != HT_OK) {
        free(*out_data);
        *out_data = NULL;
    }
    return status;
}

ht_status ht_buffers_look(const ht_buffers *buffers, size_t index, const void **out_data,
                          void **out_copy, ht_error *error) {
    *out_copy = NULL;
    *out_data = buffers->buffers[index].data;
    ht_status status = buffers->direct ? HT_OK : ht_buffers_read(buffers, index, out_copy, error);
    if (*out_copy != NULL)
        *out_data = *out_copy;
    return status;
}

/* Checks one guard; the message says how many elements outside the first broken byte lies. */
static ht_status check_guard(const ht_buffers *buffers, size_t index, bool behind,
                             ht_error *error) {
    const ht_layout_arg *arg = &buffers->layout.args[index];
    const ht_buffer *buffer = &buffers->buffers[index];
    size_t bytes = ht_layout_bytes(arg), size = ht_element_size(arg->element);
    unsigned char expected[HT_GUARD_BYTES], got[HT_GUARD_BYTES];
    guard_pattern(expected, index, behind);
    ht_status status =
        download(buffers, got, behind ? buffer->data + bytes : buffer->base, sizeof got, error);
    if (status != HT_OK || memcmp(expected, got, sizeof got) == 0)
        return status;
    size_t at = 0;
    if (behind) {
        while (expected[at] == got[at])
            ++at;
        return ht_error_set(error, HT_ERROR_MISMATCH,
                            "guard: write behind '%s' (element %zu of %zu)", arg->arg->name,
                            arg->count + at / size, arg->count);
    }
    at = HT_GUARD_BYTES - 1;
    while (expected[at] == got[at])
        --at;
    return ht_error_set(error, HT_ERROR_MISMATCH, "guard: write before '%s' (element -%zu)",
                        arg->arg->name, (HT_GUARD_BYTES - 1 - at) / size + 1);
}

static ht_status check_unchanged(const ht_buffers *buffers, size_t index, ht_error *error) {
    const ht_layout_arg *arg = &buffers->layout.args[index];
    const unsigned char *before = buffers->buffers[index].contents;
    const void *now = NULL;
    void *copy = NULL;
    if (before == NULL) /* let go */
        return HT_OK;
    ht_status status = ht_buffers_look(buffers, index, &now, &copy, error);
    if (status != HT_OK)
        return status;
    const unsigned char *data = now;
    size_t bytes = ht_layout_bytes(arg), at = 0;
    if (memcmp(data, before, bytes) != 0) {
        while (data[at] == before[at])
            ++at;
        status = ht_error_set(error, HT_ERROR_MISMATCH, "guard: write to input '%s' (element %zu)",
                              arg->arg->name, at / ht_element_size(arg->element));
    }
    free(copy);
    return status;
}

ht_status ht_buffers_check(ht_buffers *buffers, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < buffers->layout.count && status == HT_OK; ++i) {
        if (buffers->buffers[i].base == NULL)
            continue;
        status = check_guard(buffers, i, false, error);
        if (status == HT_OK)
            status = check_guard(buffers, i, true, error);
        if (status == HT_OK && buffers->layout.args[i].arg->role == HT_ARG_IN)
            status = check_unchanged(buffers, i, error);
    }
    return status;
}
