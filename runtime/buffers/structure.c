#include "runtime/buffers/structure.h"

#include "base/memory.h"
#include "runtime/compile/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_LIMIT = 1 << 16, ALIGNMENT = 256 };

static ht_status fail(const ht_arg *arg, ht_status status, ht_error *error, const char *words) {
    return ht_error_set_at(error, status, arg->place.file, arg->place.line, arg->place.column,
                           "argument '%s': %s", arg->name, words);
}

static ht_record_kind kind_of(ht_element element) {
    if (element.components != 1)
        return HT_RECORD_OTHER;
    switch (element.kind) {
    case HT_ELEMENT_SIGNED:
    case HT_ELEMENT_UNSIGNED:
        return HT_RECORD_INTEGER;
    case HT_ELEMENT_BOOL:
        return HT_RECORD_BOOL;
    case HT_ELEMENT_FLOAT:
        return HT_RECORD_FLOAT;
    case HT_ELEMENT_DOUBLE:
        return HT_RECORD_DOUBLE;
    default:
        return HT_RECORD_OTHER;
    }
}

/* Returns true if a number of this element is what a field holds. */
static bool fits(ht_element element, uint64_t size, ht_record_kind kind) {
    bool enumeration = kind == HT_RECORD_ENUMERATION && kind_of(element) == HT_RECORD_INTEGER;
    return ht_element_size(element) == size && (enumeration || kind_of(element) == kind);
}

/* Returns true if a buffer of this element is what a pointer points to, as far as its kind says. */
static bool points_to(ht_element element, ht_record_kind pointee) {
    return pointee == HT_RECORD_OTHER || element.components != 1 ||
           element.kind == HT_ELEMENT_TRACKED || kind_of(element) == pointee ||
           (pointee == HT_RECORD_ENUMERATION && kind_of(element) == HT_RECORD_INTEGER);
}

enum { POINTEE = 4 };

static ht_record_kind field_kind(const ht_record_field *place) {
    return (ht_record_kind)(place->kind & ((1 << POINTEE) - 1));
}

/* An array in a structure is passed by value: it is a buffer's contents. */
static ht_status judge_array(const ht_layout_arg *arg, const ht_record_field *place,
                             ht_error *error) {
    if (arg->arg->role != HT_ARG_IN)
        return fail(arg->arg, HT_ERROR_INPUT, error,
                    "the field is an array, which is passed by value: declare it in");
    bool good = place->size == ht_layout_bytes(arg) &&
                points_to(arg->element, (ht_record_kind)(place->kind >> POINTEE));
    return good ? HT_OK
                : fail(arg->arg, HT_ERROR_INPUT, error,
                       "the field is an array of another type or of another number of elements");
}

static ht_status judge_field(ht_layout_arg *arg, const ht_record_field *place, ht_error *error) {
    ht_record_kind kind = field_kind(place);
    ht_record_kind pointee = (ht_record_kind)(place->kind >> POINTEE);
    bool null = arg->arg->value_count == 1 && kind_of(arg->plain) == HT_RECORD_INTEGER;
    if (ht_arg_is_buffer(arg->arg) && kind == HT_RECORD_ARRAY)
        return judge_array(arg, place, error);
    if (ht_arg_is_buffer(arg->arg)) {
        bool good = kind == HT_RECORD_POINTER && place->size == sizeof(void *) &&
                    (points_to(arg->element, pointee) || points_to(arg->plain, pointee));
        return good ? HT_OK
                    : fail(arg->arg, HT_ERROR_INPUT, error,
                           kind == HT_RECORD_POINTER
                               ? "it is declared a buffer, but the field points to another type"
                               : "it is declared a buffer, but the field is no pointer");
    }
    if (fits(arg->element, place->size, kind))
        return HT_OK;
    if (fits(arg->plain, place->size, kind)) {
        arg->element = arg->plain;
        return HT_OK;
    }
    if (kind == HT_RECORD_POINTER && null && place->size == ht_element_size(arg->plain))
        return HT_OK; /* whose value is 0, as templates/ has it */
    return fail(arg->arg, HT_ERROR_INPUT, error,
                kind == HT_RECORD_REFERENCE ? "the field is a reference, which no number can be"
                : kind == HT_RECORD_POINTER ? "the field is a pointer: declare it a buffer"
                                            : "the field has another type than it is declared");
}

static bool overlaps(const ht_structure *structure, const ht_record_field *place) {
    for (size_t i = 0; i < structure->field_count; ++i) {
        const ht_structure_field *other = &structure->fields[i];
        if (place->offset < other->offset + other->size &&
            other->offset < place->offset + place->size)
            return true;
    }
    return false;
}

static ht_status take_fields(ht_layout_arg *args, size_t arg_count, const uint64_t *words,
                             ht_structure *out, ht_error *error) {
    const ht_arg *structure = args[out->arg].arg;
    ht_status status = HT_OK;
    for (size_t i = 0; i < arg_count && status == HT_OK; ++i) {
        ht_record_field place;
        if (!ht_arg_is_field_of(args[i].arg, structure))
            continue;
        memcpy(&place, words, sizeof place);
        words += sizeof place / sizeof *words;
        if (place.size > out->size || place.offset > out->size - place.size)
            return fail(args[i].arg, HT_ERROR_INTERNAL, error, "its place is not in the structure");
        status = judge_field(&args[i], &place, error);
        if (status == HT_OK && overlaps(out, &place))
            status = fail(args[i].arg, HT_ERROR_INPUT, error,
                          "it shares bytes with another field: list one of a union's members");
        bool array = field_kind(&place) == HT_RECORD_ARRAY;
        out->fields[out->field_count++] = (ht_structure_field){i, place.offset, place.size, array};
    }
    return status;
}

static ht_status take_words(ht_layout_arg *args, size_t arg_count, const uint64_t *words,
                            ht_structure *out, ht_error *error) {
    ht_record_head head;
    const ht_arg *structure = args[out->arg].arg;
    memcpy(&head, words, sizeof head);
    if (!head.copies)
        return fail(structure, HT_ERROR_UNSUPPORTED, error,
                    "its type is not trivially copyable, so it cannot be made of bytes");
    if (head.size > SIZE_LIMIT)
        return fail(structure, HT_ERROR_UNSUPPORTED, error, "it is too large to be passed");
    out->size = head.size;
    out->memory = ht_alloc(head.size + 2 * (size_t)ALIGNMENT, 1);
    out->bytes = out->memory + (ALIGNMENT - (uintptr_t)out->memory % ALIGNMENT);
    return take_fields(args, arg_count, words + sizeof head / sizeof *words, out, error);
}

ht_status ht_structure_read(const ht_hip *hip, hipModule_t module, const char *symbol,
                            ht_layout_arg *args, size_t arg_count, size_t index,
                            ht_structure *out_structure, ht_error *error) {
    hipDeviceptr_t from = NULL;
    size_t size = 0, fields = 0;
    const char *name = args[index].arg->name;
    for (size_t i = 0; i < arg_count; ++i)
        fields += ht_arg_is_field_of(args[i].arg, args[index].arg);
    *out_structure = (ht_structure){.arg = index};
    out_structure->fields = ht_alloc(fields + 1, sizeof *out_structure->fields);
    ht_status status =
        ht_hip_check(hip, hip->hipModuleGetGlobal(&from, &size, module, symbol), name, error);
    if (status != HT_OK)
        return status;
    size_t wanted = sizeof(ht_record_head) + fields * sizeof(ht_record_field);
    if (size != wanted)
        return ht_error_set(error, HT_ERROR_INTERNAL, "places of '%s': %zu bytes, not %zu", name,
                            size, wanted);
    uint64_t *words = ht_alloc(wanted, 1);
    status = ht_hip_check(hip, hip->hipMemcpy(words, from, wanted, HT_HIP_COPY_DEVICE_TO_HOST),
                          "reading places of fields", error);
    if (status == HT_OK)
        status = take_words(args, arg_count, words, out_structure, error);
    free(words);
    return status;
}

void ht_structure_free(const ht_hip *hip, ht_structure *structure) {
    if (structure->device)
        hip->hipFree(structure->device);
    free(structure->sent);
    free(structure->memory);
    free(structure->fields);
    *structure = (ht_structure){0};
}

/* Copies the bytes to the device, if they are others than those that it was given. */
static ht_status send(const ht_hip *hip, ht_structure *structure, ht_error *error) {
    if (structure->sent && memcmp(structure->sent, structure->bytes, structure->size) == 0)
        return HT_OK;
    ht_status status =
        structure->device
            ? HT_OK
            : ht_hip_check(hip, hip->hipMalloc((void **)&structure->device, structure->size),
                           "allocating a structure", error);
    if (status == HT_OK)
        status = ht_hip_check(hip,
                              hip->hipMemcpy(structure->device, structure->bytes, structure->size,
                                             HT_HIP_COPY_HOST_TO_DEVICE),
                              "setting a structure", error);
    if (status != HT_OK)
        return status;
    structure->sent = structure->sent ? structure->sent : ht_alloc(structure->size, 1);
    memcpy(structure->sent, structure->bytes, structure->size);
    return HT_OK;
}

/* Stores a buffer: its address, or what an array in the structure holds. */
static void store_buffer(const ht_structure *structure, const ht_structure_field *field,
                         const ht_buffer *buffer) {
    char *to = structure->bytes + field->offset;
    if (!field->is_array)
        memcpy(to, &buffer->data, field->size);
    else if (buffer->contents)
        memcpy(to, buffer->contents, field->size);
}

ht_status ht_structure_compose(const ht_hip *hip, ht_structure *structure,
                               const ht_layout_arg *args, const ht_scalar *scalars,
                               const ht_buffers *buffers, ht_error *error) {
    for (size_t i = 0; i < structure->field_count; ++i) {
        const ht_structure_field *field = &structure->fields[i];
        if (ht_arg_is_buffer(args[field->arg].arg))
            store_buffer(structure, field, &buffers->buffers[field->arg]);
        else
            memcpy(structure->bytes + field->offset, scalars[field->arg].bytes, field->size);
    }
    return args[structure->arg].arg->is_pointed ? send(hip, structure, error) : HT_OK;
}

ht_status ht_structure_check(const ht_hip *hip, const ht_structure *structure,
                             const ht_layout_arg *args, ht_error *error) {
    if (!structure->device)
        return HT_OK;
    char *now = ht_alloc(structure->size, 1);
    ht_status status = ht_hip_check(
        hip, hip->hipMemcpy(now, structure->device, structure->size, HT_HIP_COPY_DEVICE_TO_HOST),
        "reading a structure", error);
    if (status == HT_OK && memcmp(now, structure->sent, structure->size) != 0)
        status = ht_error_set(error, HT_ERROR_MISMATCH, "guard: write to input '%s'",
                              args[structure->arg].arg->name);
    free(now);
    return status;
}
