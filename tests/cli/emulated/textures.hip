// Texture objects of an array, of pitched and of linear memory; each line has what CUDA's
// documentation says of such a fetch.
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <string.h>

__global__ void fetch(hipTextureObject_t sharp, hipTextureObject_t smooth, hipTextureObject_t line,
                      hipTextureObject_t bytes, hipTextureObject_t border,
                      hipTextureObject_t wrap, hipTextureObject_t unit, float *out) {
    out[0] = tex2D<float>(sharp, 1.9f, 0.2f);
    out[1] = tex2D<float>(sharp, -5.0f, 9.0f);
    out[2] = tex2D<float>(smooth, 1.0f, 1.0f);
    out[3] = tex2D<float>(smooth, 0.5f, 0.5f);
    out[4] = tex1Dfetch<float>(line, 2);
    out[5] = tex1Dfetch<float>(line, 4);
    out[6] = tex2D<uchar4>(bytes, 1.25f, 0.5f).z;
    out[7] = tex2D<float>(border, 2.0f, 0.0f);
    out[8] = tex2D<float>(wrap, -0.2f, 1.6f); // texel (1, 1)
    out[9] = tex2D<float4>(unit, 0.0f, 0.0f).x * 127.5f;
}

static hipTextureObject_t texture_of(const hipResourceDesc &resource, hipTextureFilterMode filter,
                                     hipTextureAddressMode address, bool normalized,
                                     hipTextureReadMode read = hipReadModeElementType) {
    hipTextureDesc desc;
    memset(&desc, 0, sizeof desc);
    desc.filterMode = filter;
    desc.addressMode[0] = desc.addressMode[1] = address;
    desc.normalizedCoords = normalized;
    desc.readMode = read;
    desc.borderColor[0] = -1;
    hipTextureObject_t texture = 0;
    if (hipCreateTextureObject(&texture, &resource, &desc, NULL) != hipSuccess)
        printf("no texture\n");
    return texture;
}

int main() {
    const float texels[4] = {1, 2, 3, 4};
    const unsigned char colours[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    hipArray_t array;
    hipChannelFormatDesc real = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
    hipMallocArray(&array, &real, 2, 2, 0);
    hipMemcpy2DToArray(array, 0, 0, texels, 8, 8, 2, hipMemcpyHostToDevice);
    hipResourceDesc of_array, linear, pitched;
    memset(&of_array, 0, sizeof of_array);
    linear = pitched = of_array;
    of_array.resType = hipResourceTypeArray;
    of_array.res.array.array = array;
    linear.resType = hipResourceTypeLinear;
    hipMalloc(&linear.res.linear.devPtr, sizeof texels);
    hipMemcpy(linear.res.linear.devPtr, texels, sizeof texels, hipMemcpyHostToDevice);
    linear.res.linear.desc = real;
    linear.res.linear.sizeInBytes = sizeof texels;
    pitched.resType = hipResourceTypePitch2D;
    hipMalloc(&pitched.res.pitch2D.devPtr, sizeof colours);
    hipMemcpy(pitched.res.pitch2D.devPtr, colours, sizeof colours, hipMemcpyHostToDevice);
    pitched.res.pitch2D.desc = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
    pitched.res.pitch2D.width = 2;
    pitched.res.pitch2D.height = 1;
    pitched.res.pitch2D.pitchInBytes = 8;
    float *out, got[10];
    hipMalloc(&out, sizeof got);
    fetch<<<1, 1>>>(texture_of(of_array, hipFilterModePoint, hipAddressModeClamp, false),
                    texture_of(of_array, hipFilterModeLinear, hipAddressModeClamp, false),
                    texture_of(linear, hipFilterModePoint, hipAddressModeClamp, false),
                    texture_of(pitched, hipFilterModePoint, hipAddressModeClamp, false),
                    texture_of(of_array, hipFilterModePoint, hipAddressModeBorder, false),
                    texture_of(of_array, hipFilterModePoint, hipAddressModeWrap, true),
                    texture_of(pitched, hipFilterModePoint, hipAddressModeClamp, false,
                               hipReadModeNormalizedFloat),
                    out);
    hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost);
    for (float value : got)
        printf("%g\n", value);
    hipFreeArray(array);
    return 0;
}
