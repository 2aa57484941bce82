#include "runtime/buffers/expected.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/buffers/buffers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ht_expected_free(ht_expected *expected) {
    free(expected->index);
    free(expected->value);
    free(expected->scale);
    free(expected->bytes);
    *expected = (ht_expected){0};
}

void ht_reference_free(ht_reference *reference) {
    for (size_t i = 0; i < reference->count; ++i)
        ht_expected_free(&reference->outputs[i]);
    free(reference->outputs);
    *reference = (ht_reference){0};
}

/* Writes "'out'[12]", with ".y" for a component of a vector. */
static void place_name(const ht_layout_arg *arg, size_t component, char *out, size_t size) {
    size_t components = arg->element.components;
    if (components == 1)
        snprintf(out, size, "'%s'[%zu]", arg->arg->name, component);
    else
        snprintf(out, size, "'%s'[%zu].%c", arg->arg->name, component / components,
                 "xyzw"[component % components]);
}

static ht_status compare_bytes(const ht_expected *expected, const ht_layout_arg *arg,
                               const void *got, ht_error *error) {
    size_t bytes = ht_layout_bytes(arg), at = 0;
    if (memcmp(got, expected->bytes, bytes) == 0)
        return HT_OK;
    while (((const unsigned char *)got)[at] == expected->bytes[at])
        ++at;
    char place[160];
    size_t component = at / arg->element.bytes;
    place_name(arg, component, place, sizeof place);
    double want = ht_element_get(arg->element, expected->bytes, component);
    if (ht_poison_is(arg->element, got, component))
        return ht_error_set(error, HT_ERROR_MISMATCH, "mismatch: %s left unwritten, expected %.9g",
                            place, want);
    return ht_error_set(error, HT_ERROR_MISMATCH, "mismatch: %s is %.9g, expected exactly %.9g",
                        place, ht_element_get(arg->element, got, component), want);
}

/* Returns one unit in the last place of `want` in the output's own type: storing alone costs up to
 * half of it, and the value compared with may have been stored too. */
static double storage_unit(ht_element_kind kind, double want) {
    switch (kind) {
    case HT_ELEMENT_HALF:
        return fmax(fabs(want) * 0x1p-10, 0x1p-24);
    case HT_ELEMENT_BFLOAT16:
        return fabs(want) * 0x1p-7;
    case HT_ELEMENT_FLOAT:
        return fmax(fabs(want) * 0x1p-23, 0x1p-149);
    default:
        return fabs(want) * 0x1p-52;
    }
}

static bool agrees(double got, double want, double allowed) {
    if (isnan(want))
        return isnan(got);
    if (isinf(want))
        return got == want;
    return fabs(got - want) <= allowed; /* false for NaN and infinite `got` */
}

ht_status ht_expected_compare(const ht_expected *expected, const ht_layout_arg *arg,
                              const void *got, double tolerance, ht_error *error) {
    size_t components = arg->count * arg->element.components;
    if (components != expected->count)
        return ht_error_set(error, HT_ERROR_MISMATCH,
                            "mismatch: '%s' has %zu values here and %zu in the reference",
                            arg->arg->name, components, expected->count);
    if (expected->bytes != NULL)
        return compare_bytes(expected, arg, got, error);
    for (size_t i = 0; i < expected->known; ++i) {
        size_t at = expected->index != NULL ? (size_t)expected->index[i] : i;
        double value = ht_element_get(arg->element, got, at), want = expected->value[i];
        double allowed = tolerance * expected->scale[i] + storage_unit(arg->element.kind, want);
        if (agrees(value, want, allowed))
            continue;
        char place[160];
        place_name(arg, at, place, sizeof place);
        if (ht_poison_is(arg->element, got, at))
            return ht_error_set(error, HT_ERROR_MISMATCH,
                                "mismatch: %s left unwritten, expected %.9g", place, want);
        return ht_error_set(error, HT_ERROR_MISMATCH,
                            "mismatch: %s is %.9g, expected %.9g (off by %.2g of the sum of "
                            "absolute products, %.2g allowed)",
                            place, value, want, fabs(value - want) / expected->scale[i], tolerance);
    }
    return HT_OK;
}

/* A plain dump for the same program on the same machine: per output four 64-bit numbers, then the
 * arrays. */
enum { HAS_INDEX = 1, HAS_VALUE = 2, HAS_BYTES = 4, HEADER_WORDS = 4 };

ht_status ht_reference_save(const ht_reference *reference, const char *path, ht_error *error) {
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "cannot write the reference: %m");
    uint64_t head[2] = {reference->seed, reference->count};
    bool good = fwrite(head, sizeof head, 1, file) == 1;
    for (size_t i = 0; i < reference->count && good; ++i) {
        const ht_expected *e = &reference->outputs[i];
        uint64_t flags =
            (e->index ? HAS_INDEX : 0) | (e->value ? HAS_VALUE : 0) | (e->bytes ? HAS_BYTES : 0);
        uint64_t words[HEADER_WORDS] = {e->arg, e->count, e->known, flags};
        good = fwrite(words, sizeof words, 1, file) == 1;
        if (good && e->index)
            good = fwrite(e->index, sizeof *e->index, e->known, file) == e->known;
        if (good && e->value)
            good = fwrite(e->value, sizeof(double), e->known, file) == e->known &&
                   fwrite(e->scale, sizeof(double), e->known, file) == e->known;
        if (good && e->bytes)
            good = fwrite(&e->byte_count, sizeof e->byte_count, 1, file) == 1 &&
                   fwrite(e->bytes, 1, e->byte_count, file) == e->byte_count;
    }
    good = fclose(file) == 0 && good;
    return good ? HT_OK
                : ht_error_set_at(error, HT_ERROR_IO, path, 0, 0,
                                  "cannot write the reference: %m; free space there");
}

static void *read_array(FILE *file, size_t count, size_t size, bool *good) {
    void *data = ht_alloc(count, size);
    *good = *good && fread(data, size, count, file) == count;
    return data;
}

static bool read_expected(FILE *file, ht_expected *out) {
    uint64_t words[HEADER_WORDS];
    if (fread(words, sizeof words, 1, file) != 1)
        return false;
    *out = (ht_expected){.arg = words[0], .count = words[1], .known = words[2]};
    bool good = true;
    if (words[3] & HAS_INDEX)
        out->index = read_array(file, out->known, sizeof *out->index, &good);
    if (words[3] & HAS_VALUE) {
        out->value = read_array(file, out->known, sizeof(double), &good);
        out->scale = read_array(file, out->known, sizeof(double), &good);
    }
    if (words[3] & HAS_BYTES) {
        good = good && fread(&out->byte_count, sizeof out->byte_count, 1, file) == 1;
        out->bytes = read_array(file, good ? out->byte_count : 0, 1, &good);
    }
    return good;
}

ht_status ht_reference_load(const char *path, ht_reference *out_reference, ht_error *error) {
    *out_reference = (ht_reference){0};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "cannot read the reference: %m");
    uint64_t head[2] = {0};
    bool good = fread(head, sizeof head, 1, file) == 1;
    out_reference->seed = head[0];
    out_reference->outputs = ht_alloc(head[1], sizeof *out_reference->outputs);
    for (; out_reference->count < head[1] && good; ++out_reference->count)
        good = read_expected(file, &out_reference->outputs[out_reference->count]);
    fclose(file);
    if (good)
        return HT_OK;
    ht_reference_free(out_reference);
    return ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "the reference file is cut short");
}
