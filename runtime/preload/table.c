/* The table of a process: a file that outlives it. */
#include "base/hash.h"
#include "runtime/preload/preload.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, KEPT = 256 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ht_capture *capture;
static uint64_t compared, kept;
static char folder[PATH_SIZE];
static bool tried;

/* A forked process has a file of its own, if it launches anything. */
static void forget(void) {
    tried = false;
    capture = NULL;
    pthread_mutex_init(&lock, NULL);
}

/* Reads "COMPARED:KEPT:FOLDER". */
static bool wishes_read(void) {
    const char *text = getenv(HT_PRELOAD_VARIABLE);
    char *end;
    if (text == NULL)
        return false;
    compared = strtoull(text, &end, 10);
    if (*end != ':')
        return false;
    kept = strtoull(end + 1, &end, 10);
    if (*end != ':')
        return false;
    return snprintf(folder, sizeof folder, "%s", end + 1) < PATH_SIZE;
}

static const void *memory_read(const void *pointer, size_t bytes);
static const ht_capture_memory memory = {ht_preload_memory_after, memory_read, NULL};

/* Copies device memory. Work that was asked for before is done first. */
static const void *memory_read(const void *pointer, size_t bytes) {
    static void *copy, *synchronize, *buffer;
    static size_t size;
    if (bytes > compared)
        return NULL;
    hipError_t (*real_copy)(void *, const void *, size_t, int) =
        (hipError_t(*)(void *, const void *, size_t, int))ht_preload_real("hipMemcpy", &copy);
    hipError_t (*real_synchronize)(void) =
        (hipError_t(*)(void))ht_preload_real("hipDeviceSynchronize", &synchronize);
    if (real_copy == NULL || real_synchronize == NULL || real_synchronize() != HT_HIP_SUCCESS)
        return NULL;
    if (bytes > size) {
        free(buffer);
        buffer = malloc(bytes);
        size = buffer != NULL ? bytes : 0;
    }
    const int by_address = 4; /* hipMemcpyDefault */
    return buffer != NULL && real_copy(buffer, pointer, bytes, by_address) == HT_HIP_SUCCESS
               ? buffer
               : NULL;
}

static ht_capture *make(void) {
    char path[PATH_SIZE + 32];
    snprintf(path, sizeof path, "%s/%s%d", folder, HT_PRELOAD_LAUNCHES, (int)getpid());
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return NULL;
    void *made = MAP_FAILED;
    if (posix_fallocate(file, 0, sizeof(ht_capture)) == 0)
        made = mmap(NULL, sizeof(ht_capture), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return made == MAP_FAILED ? NULL : made;
}

ht_capture *ht_preload_capture(void) {
    pthread_mutex_lock(&lock);
    if (!tried) {
        static bool watched;
        ht_byte_store store = {0};
        tried = true;
        if (!watched)
            pthread_atfork(NULL, NULL, forget);
        watched = true;
        capture = wishes_read() ? make() : NULL;
        if (capture != NULL && kept > 0) {
            char path[PATH_SIZE + 32];
            snprintf(path, sizeof path, "%s/%s%d", folder, HT_PRELOAD_BYTES, (int)getpid());
            ht_byte_store_make(&store, path, KEPT);
        }
        if (capture != NULL)
            capture->content_limit = kept;
        ht_capture_set(capture, &store, &memory);
    }
    ht_capture *result = capture;
    pthread_mutex_unlock(&lock);
    return result;
}
