#include "runtime/amd/metadata.h"

#include "base/memory.h"

#include <limits.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number fields of a kernel: metadata key, member, whether it is in every version */
#define KERNEL_NUMBERS(X)                                                                          \
    X(".vgpr_count", vgpr_count, true)                                                             \
    X(".agpr_count", agpr_count, false)                                                            \
    X(".sgpr_count", sgpr_count, true)                                                             \
    X(".vgpr_spill_count", vgpr_spill_count, false)                                                \
    X(".sgpr_spill_count", sgpr_spill_count, false)                                                \
    X(".private_segment_fixed_size", private_segment_fixed_size, true)                             \
    X(".group_segment_fixed_size", group_segment_fixed_size, true)                                 \
    X(".max_flat_workgroup_size", max_flat_workgroup_size, true)                                   \
    X(".wavefront_size", wavefront_size, true)                                                     \
    X(".workgroup_processor_mode", workgroup_processor_mode, false)                                \
    X(".kernarg_segment_size", kernarg_segment_size, false)

static const msgpack_object *map_get(const msgpack_object *map, const char *key) {
    size_t length = strlen(key);
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object_kv *entry = &map->via.map.ptr[i];
        if (entry->key.type == MSGPACK_OBJECT_STR && entry->key.via.str.size == length &&
            memcmp(entry->key.via.str.ptr, key, length) == 0)
            return &entry->val;
    }
    return NULL;
}

static ht_status read_number(const msgpack_object *kernel, const char *key, bool required,
                             int *out_number, ht_error *error) {
    const msgpack_object *value = map_get(kernel, key);
    *out_number = -1;
    if (!value && !required)
        return HT_OK;
    if (!value)
        return ht_error_set(error, HT_ERROR_COMPILE, "the kernel metadata has no %s", key);
    if (value->type == MSGPACK_OBJECT_BOOLEAN)
        *out_number = value->via.boolean;
    else if (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER && value->via.u64 <= INT_MAX)
        *out_number = (int)value->via.u64;
    else
        return ht_error_set(error, HT_ERROR_COMPILE,
                            "the kernel metadata's %s is not a number from 0 to %d", key, INT_MAX);
    return HT_OK;
}

static ht_status read_name(const msgpack_object *kernel, const char *key, char **out_name,
                           ht_error *error) {
    const msgpack_object *value = map_get(kernel, key);
    if (!value || value->type != MSGPACK_OBJECT_STR || value->via.str.size == 0)
        return ht_error_set(error, HT_ERROR_COMPILE, "the kernel metadata has no %s text", key);
    *out_name = ht_strndup(value->via.str.ptr, value->via.str.size);
    return HT_OK;
}

static ht_status read_argument(const msgpack_object *object, ht_amd_argument *out,
                               ht_error *error) {
    int offset = 0, size = 0;
    char *kind = NULL;
    if (object->type != MSGPACK_OBJECT_MAP)
        return ht_error_set(error, HT_ERROR_COMPILE, "the kernel metadata's .args holds no map");
    ht_status status = read_number(object, ".offset", true, &offset, error);
    if (!status)
        status = read_number(object, ".size", true, &size, error);
    if (!status)
        status = read_name(object, ".value_kind", &kind, error);
    out->offset = (uint32_t)offset;
    out->size = (uint32_t)size;
    snprintf(out->kind, sizeof out->kind, "%s", kind ? kind : "");
    free(kind);
    return status;
}

/* Reads the arguments; a kernel without arguments has no list. */
static ht_status read_arguments(const msgpack_object *kernel, ht_amd_kernel *out, ht_error *error) {
    const msgpack_object *list = map_get(kernel, ".args");
    ht_status status = HT_OK;
    if (!list)
        return HT_OK;
    if (list->type != MSGPACK_OBJECT_ARRAY)
        return ht_error_set(error, HT_ERROR_COMPILE, "the kernel metadata's .args is no list");
    out->arguments = ht_alloc(list->via.array.size, sizeof *out->arguments);
    for (; out->argument_count < list->via.array.size && !status; out->argument_count++)
        status = read_argument(&list->via.array.ptr[out->argument_count],
                               &out->arguments[out->argument_count], error);
    return status;
}

static ht_status read_kernel(const msgpack_object *object, ht_amd_kernel *out, ht_error *error) {
    if (object->type != MSGPACK_OBJECT_MAP)
        return ht_error_set(error, HT_ERROR_COMPILE,
                            "the kernel metadata's amdhsa.kernels holds what is not a map");
    ht_status status = read_name(object, ".name", &out->name, error);
    if (!status)
        status = read_name(object, ".symbol", &out->symbol, error);
#define READ_NUMBER(key, member, required)                                                         \
    if (!status)                                                                                   \
        status = read_number(object, key, required, &out->member, error);
    KERNEL_NUMBERS(READ_NUMBER)
#undef READ_NUMBER
    if (!status)
        status = read_arguments(object, out, error);
    if (!status && out->wavefront_size != 32 && out->wavefront_size != 64)
        status = ht_error_set(error, HT_ERROR_COMPILE,
                              "the kernel metadata's .wavefront_size is %d, not 32 or 64",
                              out->wavefront_size);
    return status;
}

static ht_status read_kernels(const msgpack_object *root, ht_amd_metadata *out, ht_error *error) {
    const msgpack_object *kernels = NULL;
    if (root->type == MSGPACK_OBJECT_MAP)
        kernels = map_get(root, "amdhsa.kernels");
    if (!kernels || kernels->type != MSGPACK_OBJECT_ARRAY)
        return ht_error_set(error, HT_ERROR_COMPILE,
                            "the kernel metadata has no amdhsa.kernels list");
    out->kernels = ht_alloc(kernels->via.array.size, sizeof *out->kernels);
    for (uint32_t i = 0; i < kernels->via.array.size; i++) {
        ht_status status = read_kernel(&kernels->via.array.ptr[i], &out->kernels[i], error);
        out->kernel_count = i + 1; /* a half-read one has names to free */
        if (status)
            return status;
    }
    return HT_OK;
}

ht_status ht_amd_metadata_parse(ht_amd_bytes note, ht_amd_metadata *out_metadata, ht_error *error) {
    *out_metadata = (ht_amd_metadata){0};
    ht_status status = ht_amd_messagepack_check(note, error);
    if (status)
        return status;
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t at = 0;
    if (msgpack_unpack_next(&unpacked, (const char *)note.data, note.size, &at) ==
        MSGPACK_UNPACK_SUCCESS)
        status = read_kernels(&unpacked.data, out_metadata, error);
    else
        status = ht_error_set(error, HT_ERROR_COMPILE,
                              "the kernel metadata is damaged: its MessagePack does not decode");
    msgpack_unpacked_destroy(&unpacked);
    return status;
}

void ht_amd_metadata_free(ht_amd_metadata *metadata) {
    for (size_t i = 0; i < metadata->kernel_count; i++) {
        free(metadata->kernels[i].name);
        free(metadata->kernels[i].symbol);
        free(metadata->kernels[i].arguments);
    }
    free(metadata->kernels);
    *metadata = (ht_amd_metadata){0};
}

const ht_amd_kernel *ht_amd_metadata_kernel(const ht_amd_metadata *metadata, const char *name) {
    for (size_t i = 0; i < metadata->kernel_count; i++)
        if (strcmp(metadata->kernels[i].name, name) == 0)
            return &metadata->kernels[i];
    return NULL;
}
