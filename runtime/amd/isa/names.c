#include "runtime/amd/isa/names.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct renamed {
    const char *now, *before;
} renamed;

/* The size that is moved, at the end of a load's or store's name. */
static const renamed memory_ends[] = {
    {"load_b32", "load_dword"},
    {"load_b64", "load_dwordx2"},
    {"load_b96", "load_dwordx3"},
    {"load_b128", "load_dwordx4"},
    {"load_b256", "load_dwordx8"},
    {"load_b512", "load_dwordx16"},
    {"load_u8", "load_ubyte"},
    {"load_i8", "load_sbyte"},
    {"load_u16", "load_ushort"},
    {"load_i16", "load_sshort"},
    {"load_d16_u8", "load_ubyte_d16"},
    {"load_d16_i8", "load_sbyte_d16"},
    {"load_d16_b16", "load_short_d16"},
    {"load_d16_hi_u8", "load_ubyte_d16_hi"},
    {"load_d16_hi_i8", "load_sbyte_d16_hi"},
    {"load_d16_hi_b16", "load_short_d16_hi"},
    {"store_b8", "store_byte"},
    {"store_b16", "store_short"},
    {"store_b32", "store_dword"},
    {"store_b64", "store_dwordx2"},
    {"store_b96", "store_dwordx3"},
    {"store_b128", "store_dwordx4"},
    {"store_d16_hi_b8", "store_byte_d16_hi"},
    {"store_d16_hi_b16", "store_short_d16_hi"},
    {"atomic_add_u32", "atomic_add"},
    {"atomic_cmpswap_b32", "atomic_cmpswap"},
};

static const renamed local_parts[] = {
    {"ds_load_2addr_stride64_", "ds_read2st64_"},
    {"ds_store_2addr_stride64_", "ds_write2st64_"},
    {"ds_load_2addr_", "ds_read2_"},
    {"ds_store_2addr_", "ds_write2_"},
    {"ds_load_", "ds_read_"},
    {"ds_store_", "ds_write_"},
};

static const renamed whole[] = {
    {"s_and_not1_b32", "s_andn2_b32"},
    {"s_and_not1_b64", "s_andn2_b64"},
    {"s_or_not1_b32", "s_orn2_b32"},
    {"s_or_not1_b64", "s_orn2_b64"},
    {"s_and_not1_saveexec_b32", "s_andn2_saveexec_b32"},
    {"s_and_not1_saveexec_b64", "s_andn2_saveexec_b64"},
    {"s_or_not1_saveexec_b32", "s_orn2_saveexec_b32"},
    {"s_or_not1_saveexec_b64", "s_orn2_saveexec_b64"},
    {"s_and_not0_saveexec_b32", "s_andn1_saveexec_b32"},
    {"s_and_not0_saveexec_b64", "s_andn1_saveexec_b64"},
    {"s_or_not0_saveexec_b32", "s_orn1_saveexec_b32"},
    {"s_or_not0_saveexec_b64", "s_orn1_saveexec_b64"},
    {"s_ctz_i32_b32", "s_ff1_i32_b32"},
    {"s_ctz_i32_b64", "s_ff1_i32_b64"},
    {"s_add_co_u32", "s_add_u32"},
    {"s_add_co_i32", "s_add_i32"},
    {"s_sub_co_u32", "s_sub_u32"},
    {"s_sub_co_i32", "s_sub_i32"},
    {"s_add_co_ci_u32", "s_addc_u32"},
    {"s_sub_co_ci_u32", "s_subb_u32"},
    {"s_addk_co_i32", "s_addk_i32"},
    {"s_barrier_wait", "s_barrier"},
    {"v_mad_co_u64_u32", "v_mad_u64_u32"},
    {"v_mad_co_i64_i32", "v_mad_i64_i32"},
    {"v_cls_i32", "v_ffbh_i32"},
    {"v_clz_i32_u32", "v_ffbh_u32"},
    {"v_ctz_i32_b32", "v_ffbl_b32"},
};

static bool replace_end(char *name, size_t size) {
    static const char *const families[] = {"global_", "flat_", "scratch_", "s_load_", NULL};
    size_t length = strlen(name);
    if (!ht_text_starts(name, families))
        return false;
    for (size_t i = 0; i < sizeof memory_ends / sizeof *memory_ends; i++) {
        size_t end = strlen(memory_ends[i].now);
        if (length <= end || strcmp(name + length - end, memory_ends[i].now) != 0 ||
            name[length - end - 1] != '_')
            continue;
        snprintf(name + length - end, size - (length - end), "%s", memory_ends[i].before);
        return true;
    }
    return false;
}

static void replace_start(char *name, size_t size, const renamed *row) {
    char *changed = ht_format("%s%s", row->before, name + strlen(row->now));
    snprintf(name, size, "%s", changed);
    free(changed);
}

void ht_isa_name_old(char *io_name, size_t size) {
    if (replace_end(io_name, size))
        return;
    for (size_t i = 0; i < sizeof local_parts / sizeof *local_parts; i++)
        if (ht_text_begins(io_name, local_parts[i].now)) {
            replace_start(io_name, size, &local_parts[i]);
            return;
        }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        size_t length = strlen(whole[i].now);
        bool ends = strncmp(io_name, whole[i].now, length) == 0 &&
                    (io_name[length] == '\0' || strcmp(io_name + length, "_e32") == 0 ||
                     strcmp(io_name + length, "_e64") == 0);
        if (ends) {
            replace_start(io_name, size, &whole[i]);
            return;
        }
    }
}
