/* AMD's device library of images: what HIP's texture functions call. Filtering is that of CUDA's
 * documentation, with weights of 8 bits. */
#ifndef HT_IMAGE_H
#define HT_IMAGE_H

#include "ht_image_state.h"

#define HT_IMAGE_HANDLE unsigned int __attribute__((address_space(4))) *
#define HT_IMAGE_PLACED __attribute__((device)) inline
typedef float ht_float2 __attribute__((ext_vector_type(2)));
typedef float ht_float4 __attribute__((ext_vector_type(4)));
typedef int ht_int2 __attribute__((ext_vector_type(2)));

/* A channel: as a real number where it is one or is read as one, else its bits as those of an
 * int. */
HT_IMAGE_PLACED float ht_image_channel(const ht_image &of, const unsigned char *at) {
    const bool is_signed = of.kind == HT_IMAGE_SIGNED;
    if (of.kind == HT_IMAGE_FLOAT && of.channel_bytes == 2)
        return (float)*(const _Float16 *)at;
    if (of.channel_bytes == 4)
        return *(const float *)at; /* the bits of an int, too */
    const int value = of.channel_bytes == 1 ? is_signed ? *(const signed char *)at : *at
                      : is_signed           ? *(const short *)at
                                            : *(const unsigned short *)at;
    if (!of.as_real)
        return __builtin_bit_cast(float, value);
    const float most = (float)((1 << (8 * of.channel_bytes - is_signed)) - 1), real = value / most;
    return real < -1 ? -1 : real;
}

/* Brings a place into the image; -1: it is past the border. */
HT_IMAGE_PLACED int ht_image_place(int at, int size, int mode) {
    if (at >= 0 && at < size)
        return at;
    if (mode == HT_IMAGE_BORDER)
        return -1;
    if (mode == HT_IMAGE_CLAMP)
        return at < 0 ? 0 : size - 1;
    const int period = mode == HT_IMAGE_MIRROR ? 2 * size : size;
    at = (at % period + period) % period;
    return at < size ? at : period - 1 - at;
}

HT_IMAGE_PLACED ht_float4 ht_image_texel(const ht_image &of, int x, int y, int z) {
    x = ht_image_place(x, of.size[0], of.address[0]);
    y = ht_image_place(y, of.size[1], of.address[1]);
    z = ht_image_place(z, of.size[2], of.address[2]);
    if (x < 0 || y < 0 || z < 0)
        return ht_float4{of.border[0], of.border[1], of.border[2], of.border[3]};
    const unsigned char *at = of.data + z * of.plane_bytes + y * of.row_bytes +
                              (unsigned long)x * of.channels * of.channel_bytes;
    ht_float4 value = {0, 0, 0, 0};
    for (int i = 0; i < of.channels; ++i)
        value[i] = ht_image_channel(of, at + i * of.channel_bytes);
    return value;
}

/* Within what an int holds; not a number is 0. */
HT_IMAGE_PLACED float ht_image_coordinate(const ht_image &of, float x, int axis) {
    x = of.normalized ? x * of.size[axis] : x;
    return x > -1e9f ? x < 1e9f ? x : 1e9f : x < 0 ? -1e9f : 0;
}

/* `axes` of the three are filtered; the others, a layer, are what they are. */
HT_IMAGE_PLACED ht_float4 ht_image_sample(HT_IMAGE_HANDLE handle, float x, float y, float z,
                                          int axes) {
    const ht_image &of = *(const ht_image *)(unsigned long)handle;
    float at[3] = {x, y, z}, share[3] = {0, 0, 0};
    int first[3] = {0, (int)y, (int)z};
    for (int axis = 0; axis < axes; ++axis) {
        const float place = ht_image_coordinate(of, at[axis], axis) - (of.linear ? 0.5f : 0.0f);
        const float whole = __builtin_floorf(place);
        first[axis] = (int)whole;
        share[axis] = of.linear ? __builtin_floorf((place - whole) * 256 + 0.5f) / 256 : 0;
    }
    if (!of.linear)
        return ht_image_texel(of, first[0], first[1], first[2]);
    ht_float4 sum = {0, 0, 0, 0};
    for (int corner = 0; corner < 1 << axes; ++corner) {
        float weight = 1;
        int place[3];
        for (int axis = 0; axis < 3; ++axis) {
            const int next = corner >> axis & 1;
            place[axis] = first[axis] + next;
            weight *= axis < axes ? next ? share[axis] : 1 - share[axis] : 1.0f;
        }
        if (weight != 0)
            sum += weight * ht_image_texel(of, place[0], place[1], place[2]);
    }
    return sum;
}

HT_EMULATED ht_float4 __ockl_image_load_1Db(HT_IMAGE_HANDLE i, int c) {
    const ht_image &of = *(const ht_image *)(unsigned long)i;
    return c >= 0 && c < of.size[0] ? ht_image_texel(of, c, 0, 0) : ht_float4{0, 0, 0, 0};
}
HT_EMULATED ht_float4 __ockl_image_sample_1D(HT_IMAGE_HANDLE i, HT_IMAGE_HANDLE, float c) {
    return ht_image_sample(i, c, 0, 0, 1);
}
HT_EMULATED ht_float4 __ockl_image_sample_1Da(HT_IMAGE_HANDLE i, HT_IMAGE_HANDLE, ht_float2 c) {
    return ht_image_sample(i, c.x, 0, c.y, 1);
}
HT_EMULATED ht_float4 __ockl_image_sample_2D(HT_IMAGE_HANDLE i, HT_IMAGE_HANDLE, ht_float2 c) {
    return ht_image_sample(i, c.x, c.y, 0, 2);
}
HT_EMULATED ht_float4 __ockl_image_sample_2Da(HT_IMAGE_HANDLE i, HT_IMAGE_HANDLE, ht_float4 c) {
    return ht_image_sample(i, c.x, c.y, c.z, 2);
}
HT_EMULATED ht_float4 __ockl_image_sample_3D(HT_IMAGE_HANDLE i, HT_IMAGE_HANDLE, ht_float4 c) {
    return ht_image_sample(i, c.x, c.y, c.z, 3);
}

#endif
