/* Kernels, as host code registers them or gets them from modules, with the arguments that their
 * code objects describe. */
#include "base/memory.h"
#include "runtime/amd/metadata.h"
#include "runtime/preload/preload.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct module {
    const void *handle;
    const void *image; /* to be read; NULL: it was */
    ht_amd_metadata metadata;
} module;

static module *modules;
static size_t module_count;
static ht_preload_kernel *kernels;
static size_t kernel_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Reads what the code object says of its kernels, which is the same for each GPU that the image has
 * code for. Of a compressed one nothing is known. */
static void image_read(module *of) {
    ht_amd_bytes elf, note;
    ht_error error = {0};
    const ht_amd_bytes image = {of->image, HT_AMD_UNKNOWN_SIZE};
    of->image = NULL;
    if (ht_amd_bundle_first(image, &elf, &error) != HT_OK ||
        ht_amd_elf_metadata(elf, &note, &error) != HT_OK ||
        ht_amd_metadata_parse(note, &of->metadata, &error) != HT_OK) {
        ht_amd_metadata_free(&of->metadata);
        fprintf(stderr, "hiptemper capture: arguments of kernels are not known: %s\n",
                error.message);
    }
}

void ht_preload_module_add(const void *handle, const void *image, bool now) {
    pthread_mutex_lock(&lock);
    HT_GROW(modules, module_count);
    modules[module_count] = (module){.handle = handle, .image = image};
    if (now)
        image_read(&modules[module_count]);
    ++module_count;
    pthread_mutex_unlock(&lock);
}

void ht_preload_module_file(const void *handle, const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat is;
    void *image = file >= 0 && fstat(file, &is) == 0 && is.st_size > 0
                      ? mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, file, 0)
                      : MAP_FAILED;
    if (image != MAP_FAILED) {
        ht_preload_module_add(handle, image, true);
        munmap(image, (size_t)is.st_size);
    }
    if (file >= 0)
        close(file);
}

void ht_preload_module_remove(const void *handle) {
    pthread_mutex_lock(&lock);
    for (size_t i = kernel_count; i-- > 0;)
        if (kernels[i].owner == handle)
            kernels[i] = kernels[--kernel_count];
    for (size_t i = module_count; i-- > 0;)
        if (modules[i].handle == handle) {
            ht_amd_metadata_free(&modules[i].metadata);
            modules[i] = modules[--module_count];
        }
    pthread_mutex_unlock(&lock);
}

static void add(ht_preload_kernel fresh) {
    HT_GROW(kernels, kernel_count);
    kernels[kernel_count++] = fresh;
}

void ht_preload_kernel_add(const void *handle, const void *owner, const char *name) {
    pthread_mutex_lock(&lock);
    add((ht_preload_kernel){.handle = handle, .owner = owner, .name = ht_strdup(name)});
    pthread_mutex_unlock(&lock);
}

/* The latest: a handle that was given back may be another kernel's now. */
static ht_preload_kernel *find(const void *handle) {
    for (size_t i = kernel_count; i-- > 0;)
        if (kernels[i].handle == handle)
            return &kernels[i];
    return NULL;
}

void ht_preload_kernel_alias(const void *handle, const void *known) {
    pthread_mutex_lock(&lock);
    const ht_preload_kernel *of = find(known);
    if (of != NULL) {
        ht_preload_kernel other = *of;
        other.handle = handle;
        add(other);
    }
    pthread_mutex_unlock(&lock);
}

/* Takes the arguments that the source has; those after them are the compiler's. */
static void arguments_take(ht_preload_kernel *to, const ht_amd_kernel *from) {
    for (size_t i = 0; i < from->argument_count && to->argument_count < HT_CAPTURE_ARGUMENTS; ++i) {
        const ht_amd_argument *argument = &from->arguments[i];
        if (strncmp(argument->kind, "hidden_", strlen("hidden_")) == 0)
            continue;
        to->sizes[to->argument_count] =
            argument->size <= HT_CAPTURE_VALUE ? (uint16_t)argument->size : 0;
        to->offsets[to->argument_count++] = argument->offset;
    }
}

static void describe(ht_preload_kernel *kernel) {
    kernel->described = true;
    for (size_t i = module_count; i-- > 0;) {
        if (modules[i].handle != kernel->owner)
            continue;
        if (modules[i].image != NULL)
            image_read(&modules[i]);
        const ht_amd_kernel *found = ht_amd_metadata_kernel(&modules[i].metadata, kernel->name);
        if (found != NULL)
            arguments_take(kernel, found);
        return;
    }
}

bool ht_preload_kernel_find(const void *handle, ht_preload_kernel *out_kernel) {
    pthread_mutex_lock(&lock);
    ht_preload_kernel *found = find(handle);
    if (found != NULL && !found->described)
        describe(found);
    if (found != NULL)
        *out_kernel = *found;
    pthread_mutex_unlock(&lock);
    return found != NULL;
}
