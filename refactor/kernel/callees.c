/* The table of functions by their names. */
#include "refactor/kernel/callees.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Beginnings of names; the first that matches decides. */
static const struct {
    const char *prefix;
    ht_callee_class class;
} beginnings[] = {{"__syncthreads", HT_CALLEE_BARRIER},
                  {"__builtin_amdgcn_s_barrier", HT_CALLEE_BARRIER},
                  {"__barrier", HT_CALLEE_BARRIER},
                  {"__work_group_barrier", HT_CALLEE_BARRIER},
                  {"__threadfence", HT_CALLEE_FENCE},
                  {"__builtin_amdgcn_fence", HT_CALLEE_FENCE},
                  {"__builtin_amdgcn_rcp", HT_CALLEE_PURE},
                  {"__builtin_amdgcn_rsq", HT_CALLEE_PURE},
                  {"__builtin_amdgcn_sqrt", HT_CALLEE_PURE},
                  {"__builtin_amdgcn_fract", HT_CALLEE_PURE},
                  {"__builtin_amdgcn_", HT_CALLEE_WAVEFRONT},
                  {"__shfl", HT_CALLEE_WAVEFRONT},
                  {"__ballot", HT_CALLEE_WAVEFRONT},
                  {"__any", HT_CALLEE_WAVEFRONT},
                  {"__all", HT_CALLEE_WAVEFRONT},
                  {"__activemask", HT_CALLEE_WAVEFRONT},
                  {"__lane", HT_CALLEE_WAVEFRONT},
                  {"warpSize", HT_CALLEE_WAVEFRONT},
                  {"__syncwarp", HT_CALLEE_WAVEFRONT},
                  {"__match", HT_CALLEE_WAVEFRONT},
                  {"__reduce_", HT_CALLEE_WAVEFRONT},
                  {"__ockl_lane", HT_CALLEE_WAVEFRONT},
                  {"__ockl_wf", HT_CALLEE_WAVEFRONT},
                  {"__ockl_wg", HT_CALLEE_WAVEFRONT},
                  {"__wave", HT_CALLEE_WAVEFRONT},
                  {"__popc_mask", HT_CALLEE_WAVEFRONT},
                  {"atomic", HT_CALLEE_ATOMIC},
                  {"__atomic", HT_CALLEE_ATOMIC},
                  {"__hip_atomic", HT_CALLEE_ATOMIC},
                  {"unsafeAtomic", HT_CALLEE_ATOMIC},
                  {"safeAtomic", HT_CALLEE_ATOMIC},
                  {"cooperative_groups", HT_CALLEE_GROUPS},
                  {"this_thread_block", HT_CALLEE_GROUPS},
                  {"this_grid", HT_CALLEE_GROUPS},
                  {"tiled_partition", HT_CALLEE_GROUPS},
                  {"coalesced_threads", HT_CALLEE_GROUPS},
                  {"this_multi_grid", HT_CALLEE_GROUPS},
                  {"__ldg", HT_CALLEE_LOADS},
                  {"__ldcg", HT_CALLEE_LOADS},
                  {"__ldcs", HT_CALLEE_LOADS},
                  {"__ldca", HT_CALLEE_LOADS},
                  {"__builtin_nontemporal_load", HT_CALLEE_LOADS},
                  {"__builtin_nontemporal_store", HT_CALLEE_STORES},
                  {"__stcg", HT_CALLEE_STORES},
                  {"__stcs", HT_CALLEE_STORES}};

/* Functions that compute a value from their arguments alone, without the f, l, __ and rounding
 * parts of their names. */
static const char *const pure_names[] = {
    "abs",       "labs",      "llabs",    "fabs",     "sqrt",   "rsqrt",
    "cbrt",      "rcbrt",     "exp",      "exp2",     "exp10",  "expm1",
    "log",       "log2",      "log10",    "log1p",    "pow",    "powi",
    "sin",       "cos",       "tan",      "sinpi",    "cospi",  "asin",
    "acos",      "atan",      "atan2",    "sinh",     "cosh",   "tanh",
    "asinh",     "acosh",     "atanh",    "erf",      "erfc",   "erfinv",
    "tgamma",    "lgamma",    "floor",    "ceil",     "round",  "rint",
    "nearbyint", "trunc",     "lrint",    "lround",   "llrint", "llround",
    "fmod",      "remainder", "fma",      "mad",      "mul24",  "umul24",
    "mulhi",     "umulhi",    "fmin",     "fmax",     "min",    "max",
    "umin",      "umax",      "clamp",    "copysign", "fdim",   "hypot",
    "isnan",     "isinf",     "isfinite", "signbit",  "ldg",    "saturate",
    "fdivide",   "frcp",      "fsqrt",    "frsqrt",   "fadd",   "fsub",
    "fmul",      "fdiv",      "popc",     "popcll",   "clz",    "clzll",
    "ffs",       "ffsll",     "brev",     "brevll",   "sad",    "usad",
    "sincos",    "hadd",      "hsub",     "hmul",     "hdiv",   "hfma",
    "hneg",      "habs",      "hmax",     "hmin",     "hgt",    "hlt",
    "hge",       "hle",       "heq",      "hne",      "hadd2",  "hsub2",
    "hmul2",     "hfma2",     "ldexp",    "dadd",     "dmul",   "ddiv",
    "drcp",      "dsqrt",     "forward",  "move",     "ilogb",  "this_thread_block"};

/* The same of bits, and of one half or two. */
static const char *const pure_long_names[] = {
    "rhadd",           "uhadd",         "urhadd",         "mul64hi",
    "umul64hi",        "byte_perm",     "hiloint2double", "bitextract_u32",
    "bitextract_u64",  "bitinsert_u32", "bitinsert_u64",  "lastbit_u32_u32",
    "lastbit_u32_u64", "funnelshift_l", "funnelshift_lc", "funnelshift_r",
    "funnelshift_rc",  "hsqrt",         "hrsqrt",         "hexp",
    "hexp2",           "hexp10",        "hlog",           "hlog2",
    "hlog10",          "hsin",          "hcos",           "hceil",
    "hfloor",          "htrunc",        "hrint",          "hrcp",
    "h2sqrt",          "h2rsqrt",       "h2exp",          "h2exp2",
    "h2exp10",         "h2log",         "h2log2",         "h2log10",
    "h2sin",           "h2cos",         "h2ceil",         "h2floor",
    "h2trunc",         "h2rint",        "h2rcp",          "h2div",
    "hneg2",           "habs2",         "hmax2",          "hmin2",
    "floats2half2",    "halves2half2",  "high2half",      "low2half",
    "high2float",      "low2float",     "lows2half2",     "highs2half2",
    "low2half2",       "high2half2"};

static bool is_among(const char *const *names, size_t count, const char *name, size_t length) {
    for (size_t i = 0; i < count; ++i)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

static bool is_known(const char *name, size_t length) {
    return is_among(pure_names, sizeof pure_names / sizeof *pure_names, name, length) ||
           is_among(pure_long_names, sizeof pure_long_names / sizeof *pure_long_names, name,
                    length);
}

bool ht_callee_is_pure(const char *name) {
    static const char *const prefixes[] = {"make_",   "__half",   "__float", "__int2",
                                           "__uint2", "__double", "__short", "__ushort",
                                           "__ll2",   "__ull2",   "__ocml_", NULL};
    if (ht_text_starts(name, prefixes))
        return true;
    if (ht_text_begins(name, "__builtin_"))
        name += strlen("__builtin_");
    while (*name == '_')
        ++name;
    size_t length = strlen(name);
    if (length > 3 &&
        (strcmp(name + length - 3, "_rn") == 0 || strcmp(name + length - 3, "_rz") == 0 ||
         strcmp(name + length - 3, "_ru") == 0 || strcmp(name + length - 3, "_rd") == 0))
        length -= 3;
    return is_known(name, length) ||
           (length > 1 && (name[length - 1] == 'f' || name[length - 1] == 'l') &&
            is_known(name, length - 1));
}

ht_callee_class ht_callee_class_of(const char *name) {
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i)
        if (ht_text_begins(name, beginnings[i].prefix))
            return beginnings[i].class;
    return ht_callee_is_pure(name) ? HT_CALLEE_PURE : HT_CALLEE_UNKNOWN;
}

bool ht_callee_commutes(const char *name) {
    static const char *const names[] = {
        "atomicAdd", "atomicSub",       "atomicMin",     "atomicMax",      "atomicAnd", "atomicOr",
        "atomicXor", "unsafeAtomicAdd", "safeAtomicAdd", "atomicAddNoRet", NULL};
    return ht_text_is_one(name, names);
}
