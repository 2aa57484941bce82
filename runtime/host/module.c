#include "runtime/host/module.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/compile/demangle.h"
#include "runtime/host/build.h"
#include "runtime/host/check_internal.h"
#include "runtime/host/errors.h"
#include "runtime/host/object.h"
#include "runtime/host/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* An image can hold many variants; poisoning more than a block could have would only cost time. */
enum { POISON_MAX = 4 * HT_STATIC_LDS_MAX };

struct ht_module {
    void *handle;
    int fd; /* stays open: the loader knows libraries by path, and this one's is /proc/self/fd/N */
    size_t static_size;    /* thread-local bytes in front of the dynamic block */
    size_t dynamic_offset; /* of the dynamic block; 0: there is none */
    pthread_mutex_t lock;
    ht_kernel *kernels;
    ht_check_image *image; /* NULL: not compiled for checking */
};

static int write_image(const char *image, size_t size) {
    int fd = memfd_create("hiptemper-kernel", MFD_CLOEXEC);
    for (size_t done = 0; fd >= 0 && done < size;) {
        ssize_t put = write(fd, image + done, size - done);
        if (put > 0) {
            done += (size_t)put;
        } else if (put == 0 || errno != EINTR) {
            close(fd);
            return -1;
        }
    }
    return fd;
}

/* Returns this OS thread's copy of the module's thread-local segment. */
static char *thread_segment(const ht_module *module) {
    void *segment = NULL;
    if (!dlsym(module->handle, HT_BUILD_ANCHOR)) /* makes the copy, if this thread has none yet */
        return NULL;
    return dlinfo(module->handle, RTLD_DI_TLS_DATA, &segment) == 0 ? segment : NULL;
}

void ht_module_poison(const ht_module *module, size_t dynamic_lds) {
    if (module->static_size <= 1 && module->dynamic_offset == 0)
        return;
    char *segment = thread_segment(module);
    if (!segment)
        return;
    memset(segment, 0xFF, module->static_size < POISON_MAX ? module->static_size : POISON_MAX);
    if (module->dynamic_offset)
        memset(segment + module->dynamic_offset, 0xFF, dynamic_lds);
}

static void measure(ht_module *module, const void *image) {
    module->static_size = ht_object_tls_size(image);
    char *segment = thread_segment(module);
    char *dynamic = dlsym(module->handle, HT_BUILD_DYNAMIC);
    if (segment && dynamic) {
        module->dynamic_offset = (size_t)(dynamic - segment);
        module->static_size = module->dynamic_offset;
    }
}

/* Reports a failure to load; `words` are the loader's: "/proc/self/fd/5: undefined symbol:
 * _Z4tapsf". */
static hipError_t load_failed(const char *words) {
    static const char missing[] = "undefined symbol: ";
    const char *symbol = strstr(words, missing);
    if (!symbol)
        return ht_host_fail(HT_HIP_ERROR_LOAD_FAILED, "hipModuleLoadData: %s", words);
    symbol += sizeof missing - 1;
    char *own = ht_format("%.*s", (int)strcspn(symbol, " \n"), symbol), *name = ht_demangle(own);
    hipError_t result =
        ht_host_fail(HT_HIP_ERROR_SYMBOL_NOT_FOUND,
                     "'%s' is declared and used, but not defined: define it in the kernel's source "
                     "or in a header that it includes",
                     name);
    free(name);
    free(own);
    return result;
}

hipError_t ht_host_hipModuleLoadData(hipModule_t *out, const void *image) {
    if (!out || !image)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipModuleLoadData: no image");
    size_t size = ht_object_image_size(image);
    if (size == 0)
        return ht_host_fail(HT_HIP_ERROR_INVALID_IMAGE,
                            "hipModuleLoadData: the image was not made by the host provider");
    int fd = write_image(image, size);
    if (fd < 0)
        return ht_host_fail(HT_HIP_ERROR_OPERATING_SYSTEM,
                            "hipModuleLoadData: cannot hold an image of %zu bytes: %s", size,
                            strerror(errno));
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *words = dlerror();
        close(fd);
        return load_failed(words ? words : "cannot load the image");
    }
    ht_module *module = ht_alloc(1, sizeof *module);
    module->handle = handle;
    module->fd = fd;
    pthread_mutex_init(&module->lock, NULL);
    module->image = ht_check_image_open(handle, image, fd);
    if (!module->image)
        measure(module, image);
    *out = module;
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipModuleUnload(hipModule_t handle) {
    ht_module *module = handle;
    if (!module)
        return ht_host_fail(HT_HIP_ERROR_INVALID_HANDLE, "hipModuleUnload: no module");
    while (module->kernels) {
        ht_kernel *kernel = module->kernels;
        module->kernels = kernel->next;
        free(kernel);
    }
    ht_check_image_free(module->image);
    dlclose(module->handle);
    close(module->fd);
    pthread_mutex_destroy(&module->lock);
    free(module);
    return HT_HIP_SUCCESS;
}

/* Returns the entry of a lowered name, NULL (with the error noted) when there is none of that
 * kind. */
static const struct ht_device_entry *find_entry(const ht_module *module, const char *name,
                                                bool kernel) {
    const struct ht_device_entry *entry = NULL;
    if (module && name && strncmp(name, HT_BUILD_ENTRY, strlen(HT_BUILD_ENTRY)) == 0)
        entry = dlsym(module->handle, name);
    if (entry && entry->abi != HT_DEVICE_ABI) {
        ht_host_fail(HT_HIP_ERROR_INVALID_IMAGE, "'%s' was compiled for another version", name);
        return NULL;
    }
    if (!entry || (entry->run != NULL) != kernel) {
        ht_host_fail(HT_HIP_ERROR_NOT_FOUND, "the module has no %s with the lowered name '%s'",
                     kernel ? "kernel" : "variable", name ? name : "");
        return NULL;
    }
    return entry;
}

hipError_t ht_host_hipModuleGetFunction(hipFunction_t *out, hipModule_t handle, const char *name) {
    ht_module *module = handle;
    if (!out)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipModuleGetFunction: no place for it");
    const struct ht_device_entry *entry = find_entry(module, name, true);
    if (!entry)
        return HT_HIP_ERROR_NOT_FOUND;
    pthread_mutex_lock(&module->lock);
    ht_kernel *kernel = module->kernels;
    while (kernel && kernel->entry != entry)
        kernel = kernel->next;
    if (!kernel) {
        kernel = ht_alloc(1, sizeof *kernel);
        *kernel = (ht_kernel){
            .entry = entry, .module = module, .next = module->kernels, .image = module->image};
        module->kernels = kernel;
    }
    pthread_mutex_unlock(&module->lock);
    *out = kernel;
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *size, hipModule_t handle,
                                      const char *name) {
    const struct ht_device_entry *entry = find_entry(handle, name, false);
    if (!entry)
        return HT_HIP_ERROR_NOT_FOUND;
    if (pointer)
        *pointer = entry->address;
    if (size)
        *size = entry->size;
    return HT_HIP_SUCCESS;
}
