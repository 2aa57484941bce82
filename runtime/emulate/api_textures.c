/* Arrays, and texture objects of them or of linear memory. An array's texels lie in rows, as those
 * of pitched memory do. */
#include "base/memory.h"
#include "runtime/emulate/api_internal.h"
#include "runtime/emulate/prelude/ht_image_state.h"

#include <stdlib.h>
#include <string.h>

enum { FLAG_LAYERED = 1 };
/* hipResourceType */
enum { RESOURCE_ARRAY = 0, RESOURCE_LINEAR = 2, RESOURCE_PITCHED = 3 };

/* hipArray of ROCm 5. */
struct ht_emulate_array {
    void *data;
    ht_emulate_channels channels;
    unsigned type, width, height, depth;
    int format;
    unsigned channel_count;
    bool driver;
    unsigned texture_type;
};

/* hipResourceDesc */
struct ht_emulate_resource {
    int type;
    union {
        ht_emulate_array *array;
        struct {
            void *data;
            ht_emulate_channels channels;
            size_t bytes;
        } linear;
        struct {
            void *data;
            ht_emulate_channels channels;
            size_t width, height, pitch;
        } pitched;
    } of;
};

/* hipTextureDesc */
struct ht_emulate_texture_settings {
    int address[3], filter, read, srgb;
    float border[4];
    int normalized;
};

/* hipMemcpy3DParms */
struct ht_emulate_copy_3d {
    ht_emulate_array *from_array;
    size_t from_place[3];
    ht_emulate_pitched from;
    ht_emulate_array *to_array;
    size_t to_place[3];
    ht_emulate_pitched to;
    ht_emulate_extent extent;
    int kind;
};

static size_t texel_bytes(const ht_emulate_channels *of) {
    return (size_t)(of->x + of->y + of->z + of->w) / 8;
}

static size_t row_bytes(const ht_emulate_array *of) {
    return texel_bytes(&of->channels) * of->width;
}

ht_emulate_channels ht_emulate_hipCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (ht_emulate_channels){x, y, z, w, kind};
}

hipError_t ht_emulate_hipMalloc3DArray(ht_emulate_array **array,
                                       const ht_emulate_channels *channels,
                                       ht_emulate_extent extent, unsigned flags) {
    if (!array || !channels || !texel_bytes(channels) || !extent.width)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    ht_emulate_array made = {.channels = *channels,
                             .width = (unsigned)extent.width,
                             .height = extent.height ? (unsigned)extent.height : 1,
                             .depth = extent.depth ? (unsigned)extent.depth : 1,
                             .type = flags & FLAG_LAYERED};
    hipError_t error =
        ht_emulate_hipMalloc(&made.data, row_bytes(&made) * made.height * made.depth);
    if (error != HT_HIP_SUCCESS)
        return error;
    *array = ht_alloc(1, sizeof **array);
    **array = made;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipMallocArray(ht_emulate_array **array, const ht_emulate_channels *channels,
                                     size_t width, size_t height, unsigned flags) {
    return ht_emulate_hipMalloc3DArray(array, channels, (ht_emulate_extent){width, height, 0},
                                       flags);
}

hipError_t ht_emulate_hipFreeArray(ht_emulate_array *array) {
    if (!array)
        return HT_HIP_SUCCESS;
    hipError_t error = ht_emulate_hipFree(array->data);
    free(array);
    return error;
}

hipError_t ht_emulate_hipMemcpy2DToArray(ht_emulate_array *to, size_t x_bytes, size_t y,
                                         const void *from, size_t pitch, size_t width,
                                         size_t height, int kind) {
    if (!to || x_bytes + width > row_bytes(to) || y + height > (size_t)to->height * to->depth)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    return ht_emulate_hipMemcpy2D((char *)to->data + y * row_bytes(to) + x_bytes, row_bytes(to),
                                  from, pitch, width, height, kind);
}

hipError_t ht_emulate_hipMemcpy2DFromArray(void *to, size_t pitch, const ht_emulate_array *from,
                                           size_t x_bytes, size_t y, size_t width, size_t height,
                                           int kind) {
    if (!from || x_bytes + width > row_bytes(from) ||
        y + height > (size_t)from->height * from->depth)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    return ht_emulate_hipMemcpy2D(to, pitch,
                                  (const char *)from->data + y * row_bytes(from) + x_bytes,
                                  row_bytes(from), width, height, kind);
}

hipError_t ht_emulate_hipMemcpyToArray(ht_emulate_array *to, size_t x_bytes, size_t y,
                                       const void *from, size_t size, int kind) {
    size_t start = to ? y * row_bytes(to) + x_bytes : 0;
    if (!to || start + size > row_bytes(to) * to->height * to->depth)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    return ht_emulate_hipMemcpy((char *)to->data + start, from, size, kind);
}

/* Returns the memory of one side of a copy; of an array, its place counts texels. */
static ht_emulate_pitched side(const ht_emulate_array *array, ht_emulate_pitched memory,
                               const size_t place[3]) {
    size_t step = 1;
    if (array) {
        step = texel_bytes(&array->channels);
        memory = (ht_emulate_pitched){array->data, row_bytes(array), array->width, array->height};
    }
    memory.data =
        (char *)memory.data + (place[2] * memory.rows + place[1]) * memory.pitch + place[0] * step;
    return memory;
}

hipError_t ht_emulate_hipMemcpy3D(const ht_emulate_copy_3d *copy) {
    if (!copy)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    const ht_emulate_array *array = copy->to_array ? copy->to_array : copy->from_array;
    ht_emulate_pitched to = side(copy->to_array, copy->to, copy->to_place),
                       from = side(copy->from_array, copy->from, copy->from_place);
    size_t width = copy->extent.width * (array ? texel_bytes(&array->channels) : 1);
    hipError_t error = HT_HIP_SUCCESS;
    for (size_t z = 0; z < copy->extent.depth && error == HT_HIP_SUCCESS; ++z)
        error = ht_emulate_hipMemcpy2D((char *)to.data + z * to.rows * to.pitch, to.pitch,
                                       (char *)from.data + z * from.rows * from.pitch, from.pitch,
                                       width, copy->extent.height, copy->kind);
    return error;
}

/* Fills in where the texels are. Returns false for a resource of another kind. */
static bool image_place(const ht_emulate_resource *of, struct ht_image *image,
                        ht_emulate_channels *channels) {
    size_t width, height = 1, depth = 1;
    if (of->type == RESOURCE_ARRAY && of->of.array) {
        const ht_emulate_array *array = of->of.array;
        *channels = array->channels;
        width = array->width, height = array->height, depth = array->depth;
        image->data = array->data;
        image->row_bytes = row_bytes(array);
    } else if (of->type == RESOURCE_LINEAR && texel_bytes(&of->of.linear.channels)) {
        *channels = of->of.linear.channels;
        width = of->of.linear.bytes / texel_bytes(channels);
        image->data = of->of.linear.data;
    } else if (of->type == RESOURCE_PITCHED && texel_bytes(&of->of.pitched.channels)) {
        *channels = of->of.pitched.channels;
        width = of->of.pitched.width, height = of->of.pitched.height;
        image->data = of->of.pitched.data;
        image->row_bytes = of->of.pitched.pitch;
    } else
        return false;
    image->plane_bytes = image->row_bytes * height;
    image->size[0] = (int)width, image->size[1] = (int)height, image->size[2] = (int)depth;
    return image->data != NULL;
}

hipError_t ht_emulate_hipCreateTextureObject(struct ht_image **object,
                                             const ht_emulate_resource *resource,
                                             const ht_emulate_texture_settings *settings,
                                             const void *view) {
    struct ht_image image = {0};
    ht_emulate_channels channels;
    if (!object || !resource || !settings || view || !image_place(resource, &image, &channels))
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    image.channels = (channels.x > 0) + (channels.y > 0) + (channels.z > 0) + (channels.w > 0);
    image.channel_bytes = channels.x / 8;
    image.kind = channels.kind;
    for (int axis = 0; axis < 3; ++axis) {
        int mode = settings->address[axis];
        bool repeats = mode == HT_IMAGE_WRAP || mode == HT_IMAGE_MIRROR;
        image.address[axis] = repeats && !settings->normalized ? HT_IMAGE_CLAMP : mode;
    }
    image.linear = settings->filter != 0;
    image.normalized = settings->normalized != 0;
    image.as_real = settings->read != 0;
    memcpy(image.border, settings->border, sizeof image.border);
    *object = ht_alloc(1, sizeof **object);
    **object = image;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipDestroyTextureObject(struct ht_image *object) {
    free(object);
    return HT_HIP_SUCCESS;
}
