#include "runtime/buffers/inputs.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fields of structures have streams of their own, past those of all arguments. */
enum { ARGUMENTS = 1 << 16 };

static ht_init resolve_default(ht_element element, const ht_init *init) {
    if (init->kind != HT_INIT_DEFAULT)
        return *init;
    switch (element.kind) {
    case HT_ELEMENT_SIGNED:
        return (ht_init){.kind = HT_INIT_INTEGERS, .lo = -8, .hi = 8};
    case HT_ELEMENT_UNSIGNED:
        return (ht_init){.kind = HT_INIT_INTEGERS, .hi = 15};
    case HT_ELEMENT_BOOL:
        return (ht_init){.kind = HT_INIT_INTEGERS, .hi = 1};
    default:
        return (ht_init){.kind = HT_INIT_UNIFORM, .lo = -1, .hi = 1};
    }
}

/* Fills whole structures, field by field; all else of them, and what remains of the buffer, is
 * zero. */
static void records_fill(unsigned char *data, size_t bytes, const ht_init *init, uint64_t seed,
                         size_t argument) {
    size_t records = bytes / init->record_bytes;
    memset(data, 0, bytes);
    for (size_t i = 0; i < init->part_count; ++i) {
        const ht_init_part *part = &init->parts[i];
        ht_element element;
        if (!ht_element_parse(part->type, &element))
            continue;
        const ht_init within = {.kind = part->bounded ? HT_INIT_INTEGERS : HT_INIT_DEFAULT,
                                .lo = part->lo,
                                .hi = part->hi};
        size_t size = ht_element_size(element) * part->count;
        unsigned char *drawn = ht_alloc(records + 1, size);
        ht_inputs_fill(element, drawn, records * part->count, &within, seed,
                       argument + (i + 1) * ARGUMENTS);
        for (size_t j = 0; j < records; ++j)
            memcpy(data + j * init->record_bytes + part->offset, drawn + j * size, size);
        free(drawn);
    }
}

void ht_inputs_fill(ht_element element, void *data, size_t count, const ht_init *init,
                    uint64_t seed, size_t argument) {
    if (init->kind == HT_INIT_RECORDS) {
        records_fill(data, count * ht_element_size(element), init, seed, argument);
        return;
    }
    ht_init chosen = resolve_default(element, init);
    /* Reals drawn for an integer type would pile up unevenly when rounded: draw whole numbers
     * instead. */
    if (chosen.kind == HT_INIT_UNIFORM && !ht_element_floating(element))
        chosen.kind = HT_INIT_INTEGERS;
    double lo = chosen.lo, hi = chosen.hi;
    if (chosen.kind == HT_INIT_INTEGERS) {
        lo = ceil(lo);
        hi = floor(hi);
    }
    double span = hi - lo + 1;
    uint64_t choices = span < 1 ? 1 : span >= 0x1p63 ? UINT64_C(1) << 63 : (uint64_t)span;

    ht_random random;
    ht_random_stream(&random, seed, argument);
    size_t components = count * element.components;
    for (size_t i = 0; i < components; ++i) {
        double value = 0;
        switch (chosen.kind) {
        case HT_INIT_DEFAULT:
        case HT_INIT_UNIFORM:
            value = lo + ht_random_unit(&random) * (hi - lo);
            break;
        case HT_INIT_INTEGERS:
            value = lo + (double)ht_random_below(&random, choices);
            break;
        case HT_INIT_FILL:
            value = chosen.lo;
            break;
        case HT_INIT_ZERO:
        case HT_INIT_RECORDS: /* above */
        case HT_INIT_FILE:    /* ht_buffers_fill has the bytes */
            break;
        case HT_INIT_IOTA:
            value = (double)i;
            break;
        }
        ht_element_set(element, data, i, value);
    }
}

void ht_inputs_convert(ht_element from, const void *data, ht_element to, void *out, size_t count,
                       bool absolute) {
    size_t components = count * from.components;
    if (from.kind == to.kind && !absolute) {
        memcpy(out, data,
               components * from.bytes); /* 64-bit integers do not pass through a double */
        return;
    }
    for (size_t i = 0; i < components; ++i) {
        double value = ht_element_get(from, data, i);
        ht_element_set(to, out, i, absolute ? fabs(value) : value);
    }
}
