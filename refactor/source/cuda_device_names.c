#include "refactor/source/cuda_device_names.h"

/* The functions compute what CUDA's documentation says. It does not say how averages of signed
 * numbers are rounded: they are left out, as are roundings other than to the nearest.
 *
 * Masks of lanes: in CUDA they have 32 bits, and a warp is half of a wavefront of 64 lanes where
 * there is one; HIP's own functions of these names, which its headers have since ROCm 7, take 64
 * bits, and a whole wavefront. */
#define BEGIN(name) "#define " #name " hiptemper_" #name "\n__host__ __device__ inline "

#define LEAST(name, type, test)                                                                    \
    BEGIN(name)                                                                                    \
    type " hiptemper_" #name "(" type " a, " type " b) {\n"                                        \
         "    return a " test " b ? a : b;\n}\n"

/* On each of the lanes of 32 bits, as `type`: x of a, y of b. */
#define LANES(name, bits, mask, type, value)                                                       \
    BEGIN(name)                                                                                    \
    "unsigned hiptemper_" #name "(unsigned a, unsigned b) {\n"                                     \
    "    unsigned all = 0;\n"                                                                      \
    "    for (int i = 0; i < 32; i += " #bits ") {\n"                                              \
    "        const int x = (" type ")(a >> i), y = (" type ")(b >> i);\n"                          \
    "        all |= ((unsigned)(" value ") & " mask ") << i;\n"                                    \
    "    }\n    return all;\n}\n"
#define LANES_OF_ONE(name, bits, mask, type, value)                                                \
    BEGIN(name)                                                                                    \
    "unsigned hiptemper_" #name "(unsigned a) {\n"                                                 \
    "    unsigned all = 0;\n"                                                                      \
    "    for (int i = 0; i < 32; i += " #bits ") {\n"                                              \
    "        const int x = (" type ")(a >> i);\n"                                                  \
    "        all |= ((unsigned)(" value ") & " mask ") << i;\n"                                    \
    "    }\n    return all;\n}\n"
#define LANES_SUM(name, bits, type)                                                                \
    BEGIN(name)                                                                                    \
    "unsigned hiptemper_" #name "(unsigned a, unsigned b) {\n"                                     \
    "    unsigned sum = 0;\n"                                                                      \
    "    for (int i = 0; i < 32; i += " #bits ") {\n"                                              \
    "        const int x = (" type ")(a >> i), y = (" type ")(b >> i);\n"                          \
    "        sum += (unsigned)(x > y ? x - y : y - x);\n"                                          \
    "    }\n    return sum;\n}\n"

/* clang-format off */
#define COMPARED(op, test, n, bits, mask, signed_type, type) \
    LANES(__vcmp##op##s##n, bits, mask, signed_type, "x " test " y ? -1 : 0") \
    LANES(__vcmp##op##u##n, bits, mask, type, "x " test " y ? -1 : 0") \
    LANES(__vset##op##s##n, bits, mask, signed_type, "x " test " y") \
    LANES(__vset##op##u##n, bits, mask, type, "x " test " y")
#define SAME(op, test, n, bits, mask, type) \
    LANES(__vcmp##op##n, bits, mask, type, "x " test " y ? -1 : 0") \
    LANES(__vset##op##n, bits, mask, type, "x " test " y")
#define HELD(value, least, most) \
    value " < " least " ? " least " : " value " > " most " ? " most " : " value
#define ALL(n, bits, mask, signed_type, type, least, most) \
    SAME(eq, "==", n, bits, mask, type) SAME(ne, "!=", n, bits, mask, type) \
    COMPARED(gt, ">", n, bits, mask, signed_type, type) \
    COMPARED(ge, ">=", n, bits, mask, signed_type, type) \
    COMPARED(lt, "<", n, bits, mask, signed_type, type) \
    COMPARED(le, "<=", n, bits, mask, signed_type, type) \
    LANES(__vadd##n, bits, mask, type, "x + y") LANES(__vsub##n, bits, mask, type, "x - y") \
    LANES(__vaddss##n, bits, mask, signed_type, HELD("x + y", least, most)) \
    LANES(__vsubss##n, bits, mask, signed_type, HELD("x - y", least, most)) \
    LANES(__vaddus##n, bits, mask, type, "x + y > " mask " ? " mask " : x + y") \
    LANES(__vsubus##n, bits, mask, type, "x > y ? x - y : 0") \
    LANES(__vmaxs##n, bits, mask, signed_type, "x > y ? x : y") \
    LANES(__vmaxu##n, bits, mask, type, "x > y ? x : y") \
    LANES(__vmins##n, bits, mask, signed_type, "x < y ? x : y") \
    LANES(__vminu##n, bits, mask, type, "x < y ? x : y") \
    LANES(__vabsdiffs##n, bits, mask, signed_type, "x > y ? x - y : y - x") \
    LANES(__vabsdiffu##n, bits, mask, type, "x > y ? x - y : y - x") \
    LANES(__vavgu##n, bits, mask, type, "(x + y + 1) >> 1") \
    LANES(__vhaddu##n, bits, mask, type, "(x + y) >> 1") \
    LANES_OF_ONE(__vabs##n, bits, mask, signed_type, "x < 0 ? -x : x") \
    LANES_OF_ONE(__vabsss##n, bits, mask, signed_type, \
        "x == " least " ? " most " : x < 0 ? -x : x") \
    LANES_OF_ONE(__vneg##n, bits, mask, signed_type, "-x") \
    LANES_OF_ONE(__vnegss##n, bits, mask, signed_type, "x == " least " ? " most " : -x") \
    LANES_SUM(__vsads##n, bits, signed_type) LANES_SUM(__vsadu##n, bits, type)
#define LOADS(name) \
    "#define " #name " hiptemper_" #name "\ntemplate <typename T>\n" \
    "__device__ inline T hiptemper_" #name "(const T *at) {\n    return *at;\n}\n"
#define STORES(name) \
    "#define " #name " hiptemper_" #name "\ntemplate <typename T>\n" \
    "__device__ inline void hiptemper_" #name "(T *at, T value) {\n    *at = value;\n}\n"

/* A shuffle whose mask names lanes: the same as one without, which all active lanes run. */
#define SHUFFLE(name, mask, by, width) \
    "template <typename T> __device__ inline T hiptemper_" #name "_sync(" mask ", T value, " by \
    " by, int width = " width ") {\n    return " #name "(value, by, width);\n}\n"
#define SHUFFLES(name, by) \
    "#define " #name "_sync hiptemper_" #name "_sync\n" \
    SHUFFLE(name, "int", by, "32") SHUFFLE(name, "unsigned", by, "32") \
    SHUFFLE(name, "unsigned long", by, "warpSize") \
    SHUFFLE(name, "unsigned long long", by, "warpSize")
/* Votes of the lanes of a warp, or (a mask of 64 bits) of a wavefront. */
#define VOTES(mask, returned, all) \
    "__device__ inline " returned " hiptemper___ballot_sync(" mask " mask, int vote) {\n" \
    "    return (" returned ")mask & (" returned ")(" all ");\n}\n" \
    "__device__ inline int hiptemper___any_sync(" mask " mask, int vote) {\n" \
    "    return hiptemper___ballot_sync(mask, vote) != 0;\n}\n" \
    "__device__ inline int hiptemper___all_sync(" mask " mask, int vote) {\n" \
    "    return hiptemper___ballot_sync(mask, !vote) == 0;\n}\n"
/* Directed rounding: a double holds a product of floats exactly, so that the nearest float is
 * compared with it. A reciprocal's is compared by its product with the number. */
#define ROUNDED(name, way) \
    "#define __fmul_" #name " hiptemper___fmul_" #name "\n" \
    "__device__ inline float hiptemper___fmul_" #name "(float a, float b) {\n" \
    "    double exact = (double)a * b;\n    float near = (float)exact;\n" \
    "    return hiptemper_rounded(near, (near < exact) - (near > exact), " way ");\n}\n" \
    "#define __frcp_" #name " hiptemper___frcp_" #name "\n" \
    "__device__ inline float hiptemper___frcp_" #name "(float x) {\n" \
    "    float near = 1 / x;\n    double product = (double)near * x;\n" \
    "    int above = (product < 1) - (product > 1);\n" \
    "    return hiptemper_rounded(near, x < 0 ? -above : above, " way ");\n}\n"
#define NUMBER(name, value) "#define CUDART_" #name " " value "\n"
#define OF_WARP "__ballot(vote) >> (__lane_id() & 32u)"
#define OF_WAVEFRONT "__ballot(vote)"

const char ht_cuda_device_names[] =
    "#pragma once\n"
    LEAST(umin, "unsigned", "<") LEAST(umax, "unsigned", ">")
    LEAST(llmin, "long long", "<") LEAST(llmax, "long long", ">")
    LEAST(ullmin, "unsigned long long", "<") LEAST(ullmax, "unsigned long long", ">")
    ALL(2, 16, "0xffff", "short", "unsigned short", "-32768", "32767")
    ALL(4, 8, "0xff", "signed char", "unsigned char", "-128", "127")
    LOADS(__ldca) LOADS(__ldcg) LOADS(__ldcs) LOADS(__ldlu) LOADS(__ldcv)
    STORES(__stwb) STORES(__stcg) STORES(__stcs) STORES(__stwt)
    "#define __dp4a hiptemper___dp4a\n"
    "__host__ __device__ inline int hiptemper___dp4a(int a, int b, int c) {\n"
    "    for (int i = 0; i < 32; i += 8)\n"
    "        c += (signed char)(a >> i) * (signed char)(b >> i);\n"
    "    return c;\n}\n"
    "__host__ __device__ inline unsigned hiptemper___dp4a(unsigned a, unsigned b, unsigned c) {\n"
    "    for (int i = 0; i < 32; i += 8)\n"
    "        c += (a >> i & 255) * (b >> i & 255);\n"
    "    return c;\n}\n"
    SHUFFLES(__shfl, "int") SHUFFLES(__shfl_up, "unsigned") SHUFFLES(__shfl_down, "unsigned")
    SHUFFLES(__shfl_xor, "int")
    "#define __ballot_sync hiptemper___ballot_sync\n"
    "#define __any_sync hiptemper___any_sync\n"
    "#define __all_sync hiptemper___all_sync\n"
    VOTES("int", "unsigned", OF_WARP) VOTES("unsigned", "unsigned", OF_WARP)
    VOTES("unsigned long", "unsigned long long", OF_WAVEFRONT)
    VOTES("unsigned long long", "unsigned long long", OF_WAVEFRONT)
    /* `above`: 1 where the value that `near` stands for is above it, -1 where it is below */
    "__device__ inline float hiptemper_rounded(float near, int above, int way) {\n"
    "    way = way ? way : near < 0 ? 1 : near > 0 ? -1 : -above;\n"
    "    if (!above || above != way)\n        return near;\n"
    "    if (near == 0)\n        return __int_as_float(way > 0 ? 1 : (int)0x80000001u);\n"
    "    return __int_as_float(__float_as_int(near) + ((near > 0) == (way > 0) ? 1 : -1));\n}\n"
    ROUNDED(ru, "1") ROUNDED(rd, "-1") ROUNDED(rz, "0")
    NUMBER(INF_F, "__builtin_huge_valf()") NUMBER(INF, "__builtin_huge_val()")
    NUMBER(NAN_F, "__builtin_nanf(\"\")") NUMBER(NAN, "__builtin_nan(\"\")")
    NUMBER(PI_F, "3.141592654f") NUMBER(PI, "3.1415926535897931e+0")
    "#define __trap hiptemper___trap\n"
    "__device__ inline void hiptemper___trap() {\n    __builtin_trap();\n}\n"
    "#define __syncwarp hiptemper___syncwarp\n"
    "__device__ inline void hiptemper___syncwarp(unsigned long long = ~0ull) {\n"
    "    __threadfence_block();\n    (void)__any(1);\n    __threadfence_block();\n}\n";
/* clang-format on */
