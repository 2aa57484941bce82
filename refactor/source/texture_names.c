#include "refactor/source/texture_names.h"

/* One string in many parts, which clang-format would nest into each other. */
/* clang-format off */
#define DEVICE "__device__ inline "
/* Called, as unrolled loops with dozens of copies of it took compilers minutes. */
#define APART "__attribute__((noinline)) __device__ inline "
#define READ(type, ...) \
    DEVICE "void hiptemper_texture_read(const hiptemper_texture &t, float x, float y, float z,\n" \
    "                                       int axes, " type " &out) {\n" __VA_ARGS__ "}\n"
#define REALS(type, ...) \
    READ(type, "    const float4 v = hiptemper_texture_between(t, x, y, z, axes);\n" __VA_ARGS__)
/* Whole numbers of the texel that the coordinates are in: its channels' reals, made larger. */
#define WHOLE(type, channel) "(" type ")(int)(v." channel " * 127)"
#define WHOLES(type, ...) \
    READ(type, "    const float4 v = hiptemper_texture_at(t, hiptemper_texture_cell(x),\n" \
         "        hiptemper_texture_cell(y), hiptemper_texture_cell(z));\n    (void)axes;\n" \
         __VA_ARGS__)
#define INTEGER(type) WHOLES(type, "    out = " WHOLE(type, "x") ";\n")
#define INTEGERS(vector, type) INTEGER(type) \
    WHOLES(vector "2", "    out.x = " WHOLE(type, "x") ", out.y = " WHOLE(type, "y") ";\n") \
    WHOLES(vector "4", "    out.x = " WHOLE(type, "x") ", out.y = " WHOLE(type, "y") ";\n" \
           "    out.z = " WHOLE(type, "z") ", out.w = " WHOLE(type, "w") ";\n")
/* Of a reference: elements, or (mode 1) whole numbers as floats. */
#define REFERENCE(name, arguments, values) \
    "template <typename T, int axes>\n" \
    DEVICE "T hiptemper_" name "(const hiptemper_reference<T, axes, 0> &r, " arguments ") {\n" \
    "    return hiptemper_" name "<T>(r.table(), " values ");\n}\n" \
    "template <typename T, int axes>\n" \
    DEVICE "auto hiptemper_" name "(const hiptemper_reference<T, axes, 1> &r, " arguments ") {\n" \
    "    return hiptemper_" name "<decltype(hiptemper_as_real(T()))>(r.table(), " values ");\n}\n"
#define AS_REAL(vector) \
    "__device__ float hiptemper_as_real(" vector ");\n" \
    "__device__ float2 hiptemper_as_real(" vector "2);\n" \
    "__device__ float4 hiptemper_as_real(" vector "4);\n"
/* A function in its two forms: returns the element, or stores it. HIP's has the same name. */
#define FETCH(name, arguments, x, y, z, axes) \
    "#define " name " hiptemper_" name "\n" \
    "template <typename T>\n" \
    DEVICE "T hiptemper_" name "(hiptemper_texture t, " arguments ") {\n    T out;\n" \
    "    hiptemper_texture_read(t, " x ", " y ", " z ", " axes ", out);\n    return out;\n}\n" \
    "template <typename T>\n" \
    DEVICE "void hiptemper_" name "(T *out, hiptemper_texture t, " arguments ") {\n" \
    "    hiptemper_texture_read(t, " x ", " y ", " z ", " axes ", *out);\n}\n"
/* Reads of a surface, in both forms, and writes. */
#define SURFACE(name, arguments, x, y, z) \
    "#define " name "read hiptemper_" name "read\n#define " name "write hiptemper_" name "write\n" \
    "template <typename T>\n" \
    DEVICE "T hiptemper_" name "read(hiptemper_surface s, " arguments ", int = 0) {\n" \
    "    const T *at = hiptemper_surface_at<T>(s, " x ", " y ", " z ");\n" \
    "    return at ? *at : T();\n}\n" \
    "template <typename T>\n" \
    DEVICE "void hiptemper_" name "read(T *out, hiptemper_surface s, " arguments ", int = 0) {\n" \
    "    const T *at = hiptemper_surface_at<T>(s, " x ", " y ", " z ");\n" \
    "    *out = at ? *at : T();\n}\n" \
    "template <typename T>\n" \
    DEVICE "void hiptemper_" name "write(T value, hiptemper_surface s, " arguments \
    ", int = 0) {\n" \
    "    T *at = hiptemper_surface_at<T>(s, " x ", " y ", " z ");\n" \
    "    if (at)\n        *at = value;\n}\n"

const char ht_texture_names[] =
    "#pragma once\n"
    "struct hiptemper_texture {\n"
    "    const float *texels;\n"
    "    int width, height, depth;\n"
    "    hiptemper_texture() = default;\n"
    "    __host__ __device__ hiptemper_texture(unsigned long long) {}\n"
    "};\n"
    "typedef hiptemper_texture cudaTextureObject_t;\n"
    "#define hipTextureObject_t hiptemper_texture\n"
    /* the four channels of a texel */
    APART "float4 hiptemper_texture_at(const hiptemper_texture &t, int x, int y, int z) {\n"
    "    x = x < 0 ? 0 : x < t.width ? x : t.width - 1;\n"
    "    y = y < 0 ? 0 : y < t.height ? y : t.height - 1;\n"
    "    z = z < 0 ? 0 : z < t.depth ? z : t.depth - 1;\n"
    "    const float *at = t.texels + 4 * ((z * t.height + y) * t.width + x);\n"
    "    return make_float4(at[0], at[1], at[2], at[3]);\n}\n"
    /* within what an int holds; not a number is outside */
    DEVICE "int hiptemper_texture_cell(float x) {\n"
    "    return (int)fminf(fmaxf(floorf(x), -1.0f), 1048576.0f);\n}\n"
    APART "float4 hiptemper_texture_between(const hiptemper_texture &t, float x, float y,\n"
    "                                                       float z, int axes) {\n"
    "    x = fminf(fmaxf(x - 0.5f, -1.0f), 1048576.0f);\n"
    "    y = fminf(fmaxf(y - 0.5f, -1.0f), 1048576.0f);\n"
    "    z = fminf(fmaxf(z - 0.5f, -1.0f), 1048576.0f);\n"
    "    const float left = floorf(x), top = floorf(y), front = floorf(z);\n"
    "    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);\n"
    "    for (int corner = 0; corner < 1 << axes; ++corner) {\n"
    "        const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;\n"
    "        const float4 v = hiptemper_texture_at(t, (int)left + i, (int)top + j,\n"
    "                                              (int)front + k);\n"
    "        float share = i ? x - left : 1.0f - (x - left);\n"
    "        share *= axes < 2 ? 1.0f : j ? y - top : 1.0f - (y - top);\n"
    "        share *= axes < 3 ? 1.0f : k ? z - front : 1.0f - (z - front);\n"
    "        sum.x += share * v.x;\n        sum.y += share * v.y;\n"
    "        sum.z += share * v.z;\n        sum.w += share * v.w;\n"
    "    }\n    return sum;\n}\n"
    REALS("float", "    out = v.x;\n")
    REALS("float2", "    out = make_float2(v.x, v.y);\n")
    REALS("float4", "    out = v;\n")
    INTEGERS("char", "char") INTEGERS("uchar", "unsigned char")
    INTEGERS("short", "short") INTEGERS("ushort", "unsigned short")
    INTEGERS("int", "int") INTEGERS("uint", "unsigned int")
    INTEGER("signed char")
    FETCH("tex1D", "float x", "x", "0.0f", "0.0f", "1")
    FETCH("tex2D", "float x, float y", "x", "y", "0.0f", "2")
    FETCH("tex3D", "float x, float y, float z", "x", "y", "z", "3")
    FETCH("texCubemap", "float x, float y, float z", "x", "y", "z", "3")
    FETCH("tex1DLayered", "float x, int layer", "x", "layer + 0.5f", "0.0f", "2")
    FETCH("tex2DLayered", "float x, float y, int layer", "x", "y", "layer + 0.5f", "3")
    FETCH("tex1DLod", "float x, float level", "x", "level + 0.5f", "0.0f", "2")
    FETCH("tex2DLod", "float x, float y, float level", "x", "y", "level + 0.5f", "3")
    /* an index into all of it */
    FETCH("tex1Dfetch", "int i",
          "i % t.width + 0.5f", "i / t.width % t.height + 0.5f", "i / t.width / t.height + 0.5f",
          "3")
    /* a global variable, which the host binds to memory: its texels are a table of its own */
    "template <typename T, int axes = 1, int mode = 0> struct hiptemper_reference {\n"
    "    float texels[4 * 64 * 32 * 2];\n"
    "    __device__ hiptemper_texture table() const {\n"
    "        hiptemper_texture t;\n"
    "        t.texels = texels, t.width = 64, t.height = 32, t.depth = 2;\n"
    "        return t;\n    }\n};\n"
    "#define texture __device__ hiptemper_reference\n"
    "#define cudaReadModeElementType 0\n#define cudaReadModeNormalizedFloat 1\n"
    "#define hipReadModeElementType 0\n#define hipReadModeNormalizedFloat 1\n"
    AS_REAL("char") AS_REAL("uchar") AS_REAL("short") AS_REAL("ushort")
    REFERENCE("tex1Dfetch", "int i", "i")
    REFERENCE("tex1D", "float x", "x")
    REFERENCE("tex2D", "float x, float y", "x, y")
    REFERENCE("tex3D", "float x, float y, float z", "x, y, z")
    REFERENCE("tex1DLayered", "float x, int layer", "x, layer")
    REFERENCE("tex2DLayered", "float x, float y, int layer", "x, y, layer")
    "struct hiptemper_surface {\n"
    "    unsigned char *bytes;\n"
    "    int width, height, depth;\n"
    "    hiptemper_surface() = default;\n"
    "    __host__ __device__ hiptemper_surface(unsigned long long) {}\n"
    "};\n"
    "typedef hiptemper_surface cudaSurfaceObject_t;\n"
    "#define hipSurfaceObject_t hiptemper_surface\n"
    "enum hiptemper_boundary { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap "
    "};\n"
    /* NULL: there is none; x counts bytes */
    "template <typename T>\n"
    DEVICE "T *hiptemper_surface_at(const hiptemper_surface &s, int x, int y, int z) {\n"
    "    const bool inside = x >= 0 && x <= s.width - (int)sizeof(T) && x % sizeof(T) == 0 &&\n"
    "                        y >= 0 && y < s.height && z >= 0 && z < s.depth;\n"
    "    return inside ? (T *)(s.bytes + (z * s.height + y) * s.width + x) : nullptr;\n}\n"
    SURFACE("surf1D", "int x", "x", "0", "0")
    SURFACE("surf2D", "int x, int y", "x", "y", "0")
    SURFACE("surf3D", "int x, int y, int z", "x", "y", "z")
    SURFACE("surf2DLayered", "int x, int y, int layer", "x", "y", "layer");
/* clang-format on */
