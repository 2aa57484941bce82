#include "templates/annotations/init_records.h"
#include "templates/expr/real_print.h"
#include "templates/expr/type.h"

#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_BYTES_MAX = 1 << 16 };

void ht_init_parts_free(ht_init *init) {
    for (size_t i = 0; i < init->part_count; ++i)
        free(init->parts[i].type);
    free(init->parts);
    init->parts = NULL;
    init->part_count = 0;
}

void ht_init_parts_copy(const ht_init *init, ht_init *copy) {
    if (!init->part_count)
        return;
    copy->parts = ht_alloc(init->part_count, sizeof *copy->parts);
    for (size_t i = 0; i < init->part_count; ++i) {
        copy->parts[i] = init->parts[i];
        copy->parts[i].type = ht_strdup(init->parts[i].type);
    }
}

bool ht_init_parts_equal(const ht_init *a, const ht_init *b) {
    bool equal = a->record_bytes == b->record_bytes && a->part_count == b->part_count;
    for (size_t i = 0; equal && i < a->part_count; ++i) {
        const ht_init_part *one = &a->parts[i], *other = &b->parts[i];
        equal = one->offset == other->offset && strcmp(one->type, other->type) == 0 &&
                one->count == other->count && one->bounded == other->bounded &&
                one->lo == other->lo && one->hi == other->hi;
    }
    return equal;
}

/* Takes "(lo, hi)". */
static ht_status take_bounds(ht_span *rest, ht_init_part *part, ht_error *error) {
    ht_span inside, first;
    int64_t lo = 0, hi = 0;
    if (!ht_span_trim(*rest).length)
        return HT_OK;
    ht_status status = ht_span_take_group(rest, '(', "after the type of a field", &inside, error);
    if (status != HT_OK)
        return status;
    ht_span whole = inside;
    ht_span_split(&inside, ',', false, &first);
    if (!inside.text || !ht_type_integral(part->type))
        return ht_span_error(whole, error,
                             "the bounds of a field are two whole numbers, of a "
                             "type of such");
    status = ht_span_integer(first, &lo, error);
    if (status == HT_OK)
        status = ht_span_integer(ht_span_trim(inside), &hi, error);
    if (status == HT_OK && (lo > hi || fabs((double)lo) > 0x1p53 || fabs((double)hi) > 0x1p53))
        status = ht_span_error(whole, error, "the first number is above the last");
    part->bounded = true;
    part->lo = (double)lo;
    part->hi = (double)hi;
    if (status == HT_OK && ht_span_trim(*rest).length)
        status =
            ht_span_error(ht_span_trim(*rest), error, "expected nothing after a field's bounds");
    return status;
}

/* Takes "[N]". */
static ht_status take_count(ht_span *rest, ht_init_part *part, ht_error *error) {
    ht_span inside;
    int64_t count = 1;
    ht_span left = ht_span_trim(*rest);
    if (!left.length || left.text[0] != '[')
        return HT_OK;
    ht_status status = ht_span_take_group(rest, '[', "", &inside, error);
    if (status == HT_OK)
        status = ht_span_integer(ht_span_trim(inside), &count, error);
    if (status == HT_OK && (count < 1 || count > RECORD_BYTES_MAX))
        status = ht_span_error(inside, error, "a field has at least one number");
    part->count = (size_t)count;
    return status;
}

/* Takes "12 int[2](0, 7)". */
static ht_status parse_part(ht_span piece, size_t record_bytes, ht_init_part *part,
                            ht_error *error) {
    size_t digits = 0, type;
    int64_t offset = 0;
    while (digits < piece.length && isdigit((unsigned char)piece.text[digits]))
        ++digits;
    if (!digits)
        return ht_span_error(piece, error,
                             "expected a field's offset in bytes, and its type: 12 int");
    ht_status status = ht_span_integer(ht_span_part(piece, 0, digits), &offset, error);
    for (type = digits; type < piece.length && !strchr("[(", piece.text[type]);)
        ++type;
    ht_span name = ht_span_trim(ht_span_part(piece, digits, type)),
            rest = ht_span_part(piece, type, piece.length);
    if (status == HT_OK)
        status = ht_span_type(name, &part->type, error);
    if (status == HT_OK && !ht_type_size(part->type))
        status = ht_span_error(name, error, "'%s' is no type of numbers", part->type);
    if (status == HT_OK)
        status = take_count(&rest, part, error);
    if (status == HT_OK)
        status = take_bounds(&rest, part, error);
    if (status != HT_OK)
        return status;
    part->offset = (size_t)offset;
    if (offset > RECORD_BYTES_MAX ||
        part->offset + part->count * ht_type_size(part->type) > record_bytes)
        return ht_span_error(piece, error, "the field lies past the structure's %zu bytes",
                             record_bytes);
    return HT_OK;
}

ht_status ht_init_records_parse(ht_span inside, ht_init *out_init, ht_error *error) {
    ht_span piece;
    int64_t bytes = 0;
    ht_span_split(&inside, ',', false, &piece);
    ht_status status = ht_span_integer(piece, &bytes, error);
    if (status == HT_OK && (bytes < 1 || bytes > RECORD_BYTES_MAX))
        status = ht_span_error(piece, error, "a structure has 1 to %d bytes", RECORD_BYTES_MAX);
    out_init->record_bytes = (size_t)bytes;
    while (status == HT_OK && ht_span_split(&inside, ',', false, &piece)) {
        HT_GROW(out_init->parts, out_init->part_count);
        ht_init_part *part = &out_init->parts[out_init->part_count++];
        *part = (ht_init_part){.count = 1};
        status = parse_part(piece, out_init->record_bytes, part, error);
    }
    return status;
}

void ht_init_records_print(const ht_init *init, ht_text *out) {
    ht_text_printf(out, " records(%zu", init->record_bytes);
    for (size_t i = 0; i < init->part_count; ++i) {
        const ht_init_part *part = &init->parts[i];
        ht_text_printf(out, ", %zu %s", part->offset, part->type);
        if (part->count > 1)
            ht_text_printf(out, "[%zu]", part->count);
        if (!part->bounded)
            continue;
        ht_text_append(out, "(");
        ht_real_print(part->lo, out);
        ht_text_append(out, ", ");
        ht_real_print(part->hi, out);
        ht_text_append(out, ")");
    }
    ht_text_append(out, ")");
}
