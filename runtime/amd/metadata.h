/* The kernels that a code object's metadata note describes (AMDGPU code object metadata, versions 3
 * to 5). */
#ifndef HT_RUNTIME_AMD_METADATA_H
#define HT_RUNTIME_AMD_METADATA_H

#include "runtime/amd/code_object/code_object.h"

/* One argument of a kernel, given or hidden, in the memory that arguments come in. */
typedef struct ht_amd_argument {
    uint32_t offset, size;
    char kind[40]; /* .value_kind: "global_buffer", "by_value", "hidden_block_count_x" */
} ht_amd_argument;

/* Numbers as the note has them; -1 where it has none. */
typedef struct ht_amd_kernel {
    char *name;   /* mangled; owned */
    char *symbol; /* of the kernel descriptor: "NAME.kd"; owned */
    int vgpr_count;
    int agpr_count;
    int sgpr_count;
    int vgpr_spill_count;
    int sgpr_spill_count;
    int private_segment_fixed_size;
    int group_segment_fixed_size;
    int max_flat_workgroup_size;
    int wavefront_size;
    int workgroup_processor_mode;
    int kernarg_segment_size;
    ht_amd_argument *arguments; /* owned */
    size_t argument_count;
} ht_amd_kernel;

typedef struct ht_amd_metadata {
    ht_amd_kernel *kernels; /* owned */
    size_t kernel_count;
} ht_amd_metadata;

/* Anything malformed, or a kernel without a name or one of the counts that every version has, is
 * HT_ERROR_COMPILE. Free with ht_amd_metadata_free, also after an error. */
ht_status ht_amd_metadata_parse(ht_amd_bytes note, ht_amd_metadata *out_metadata, ht_error *error);
void ht_amd_metadata_free(ht_amd_metadata *metadata);

/* By mangled name; NULL when there is none. */
const ht_amd_kernel *ht_amd_metadata_kernel(const ht_amd_metadata *metadata, const char *name);

/* Fails unless `note` is one complete MessagePack value whose every declared length fits into
 * it. Decoders allocate by declared lengths, so that this comes first. */
ht_status ht_amd_messagepack_check(ht_amd_bytes note, ht_error *error);

#endif
