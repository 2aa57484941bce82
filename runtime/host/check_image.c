/* The place of a checked image, and the names of its shared arrays. */
#include "runtime/host/check_internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/compile/demangle.h"
#include "runtime/host/build.h"
#include "runtime/host/object.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

static void add_array(void *context, const char *name, size_t address, size_t size) {
    ht_check_image *image = context;
    HT_GROW(image->arrays, image->array_count);
    image->arrays[image->array_count++] =
        (ht_check_array){ht_demangle_variable(name), image->low + address, size};
}

/* Adds a variable; the block of dynamic shared memory lies among them. */
static void add_variable(void *context, const char *name, size_t address, size_t size) {
    ht_check_image *image = context;
    if (size > 0 && (!image->dynamic || image->low + address != image->dynamic))
        add_array(context, name, address, size);
}

static size_t loaded_size(const void *image) {
    const Elf64_Ehdr *header = image;
    const Elf64_Phdr *segments = (const void *)((const char *)image + header->e_phoff);
    size_t end = 0;
    for (size_t i = 0; i < header->e_phnum; ++i)
        if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr + segments[i].p_memsz > end)
            end = segments[i].p_vaddr + segments[i].p_memsz;
    return end;
}

/* Names the dynamic block by the one name that it has besides its own; of several, any would
 * mislead. */
static void name_dynamic(void *context, const char *name, size_t address, size_t size) {
    ht_check_image *image = context;
    (void)size;
    if (image->low + address != image->dynamic || strcmp(name, HT_BUILD_DYNAMIC) == 0)
        return;
    char *old = image->dynamic_name;
    image->dynamic_name = old ? ht_strdup("dynamic shared memory") : ht_demangle_variable(name);
    free(old);
}

ht_check_image *ht_check_image_open(void *handle, const void *data, int fd) {
    struct link_map *map = NULL;
    ht_object *object = NULL;
    if (!dlsym(handle, HT_BUILD_CHECKED) || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 ||
        ht_object_open((void *)data, ht_object_image_size(data), &object, NULL) != HT_OK)
        return NULL;
    ht_check_image *image = ht_alloc(1, sizeof *image);
    image->fd = fd;
    image->low = map->l_addr;
    image->high = image->low + loaded_size(data);
    size_t address;
    ht_object_section(object, HT_OBJECT_LDS, &address, &image->lds_bytes, add_array, image);
    image->lds = image->low + address;
    image->dynamic = (uintptr_t)dlsym(handle, HT_BUILD_DYNAMIC);
    static const char *const sections[HT_CHECK_SECTIONS] = {".data", ".bss"};
    for (size_t i = 0; i < HT_CHECK_SECTIONS; ++i) {
        ht_object_section(object, sections[i], &address, &image->variables[i].bytes, add_variable,
                          image);
        image->variables[i].data = image->low + address;
    }
    size_t size;
    if (image->dynamic)
        ht_object_section(object, ".bss", &address, &size, name_dynamic, image);
    ht_object_free(object);
    return image;
}

void ht_check_image_free(ht_check_image *image) {
    if (!image)
        return;
    for (size_t i = 0; i < image->array_count; ++i)
        free(image->arrays[i].name);
    free(image->arrays);
    free(image->dynamic_name);
    free(image);
}

const ht_check_array *ht_check_image_array(const ht_check_image *image, uintptr_t address,
                                           size_t size) {
    for (size_t i = 0; i < image->array_count; ++i) {
        const ht_check_array *array = &image->arrays[i];
        if (address >= array->data && address + size <= array->data + array->bytes)
            return array;
    }
    return NULL;
}
