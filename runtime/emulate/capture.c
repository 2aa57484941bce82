#include "runtime/emulate/capture.h"

#include "base/hash.h"
#include "base/memory.h"
#include "runtime/emulate/shared.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_capture *capture;
static ht_byte_store contents;
static ht_capture_memory memory_of;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ht_capture *ht_capture_new(void) {
    return ht_shared_new(sizeof(ht_capture));
}

void ht_capture_free(ht_capture *given) {
    ht_shared_free(given, sizeof *given);
}

void ht_capture_set(ht_capture *shared, const ht_byte_store *store,
                    const ht_capture_memory *memory) {
    capture = shared;
    contents = store != NULL ? *store : (ht_byte_store){0};
    memory_of = *memory;
}

bool ht_capture_wanted(void) {
    return capture != NULL;
}

/* Copies an argument. Of one whose size is not known what follows is copied, too, but not past its
 * page. */
static void take_value(ht_captured_argument *out, const void *from) {
    enum { PAGE = 4096 };
    size_t size = out->size ? out->size : sizeof out->value;
    size_t left = PAGE - (uintptr_t)from % PAGE;
    if (size > sizeof out->value)
        size = sizeof out->value;
    if (out->size == 0 && size > left)
        size = left;
    memcpy(out->value, from, size);
}

static void take_memory(ht_captured_argument *out) {
    void *pointer;
    if (out->size != sizeof pointer)
        return;
    memcpy(&pointer, out->value, sizeof pointer);
    size_t bytes;
    out->has_memory = memory_of.after(pointer, &bytes);
    if (!out->has_memory)
        return;
    out->bytes = bytes;
    memset(out->value, 0, sizeof out->value); /* it differs from run to run */
}

/* Adds the pointers in a structure: words that point into an allocation. */
static void take_parts(ht_captured_launch *out, uint32_t index) {
    ht_captured_argument *argument = &out->arguments[index];
    for (uint32_t word = 0;
         argument->size > 8 && 8 * (word + 1) <= argument->size && word < HT_CAPTURE_WORDS;
         ++word) {
        void *pointer;
        size_t bytes;
        uint32_t next = out->argument_count + out->part_count;
        memcpy(&pointer, argument->value + 8 * word, sizeof pointer);
        if (!memory_of.after(pointer, &bytes) || next == HT_CAPTURE_ARGUMENTS)
            continue;
        argument->pointers |= UINT32_C(1) << word;
        out->arguments[next] = (ht_captured_argument){.size = sizeof pointer,
                                                      .of = (uint16_t)index,
                                                      .place = (uint16_t)(8 * word),
                                                      .has_memory = true,
                                                      .bytes = bytes};
        ++out->part_count;
    }
}

/* The pointer that an argument with memory is, or one in a structure. */
static void *pointer_at(const ht_captured_launch *launch, void *const *arguments, uint32_t index) {
    const ht_captured_argument *argument = &launch->arguments[index];
    const char *at = index < launch->argument_count
                         ? arguments[index]
                         : (const char *)arguments[argument->of] + argument->place;
    void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static uint32_t memory_count(const ht_captured_launch *launch) {
    return launch->argument_count + launch->part_count;
}

static void take(const ht_capture_request *request, ht_captured_launch *out) {
    *out = (ht_captured_launch){.lds = request->lds};
    snprintf(out->name, sizeof out->name, "%s", request->name);
    memcpy(out->grid, request->grid, sizeof out->grid);
    memcpy(out->block, request->block, sizeof out->block);
    out->argument_count = request->argument_count < HT_CAPTURE_ARGUMENTS ? request->argument_count
                                                                         : HT_CAPTURE_ARGUMENTS;
    for (uint32_t i = 0; i < out->argument_count; ++i) {
        out->arguments[i].size = request->sizes ? request->sizes[i] : 0;
        take_value(&out->arguments[i], request->arguments[i]);
        take_memory(&out->arguments[i]);
    }
    for (uint32_t i = 0; i < out->argument_count; ++i)
        take_parts(out, i);
}

static bool same_argument(const ht_captured_argument *a, const ht_captured_argument *b) {
    bool same = a->size == b->size && a->has_memory == b->has_memory && a->bytes == b->bytes &&
                a->pointers == b->pointers && a->of == b->of && a->place == b->place;
    uint32_t size = a->size < HT_CAPTURE_VALUE ? a->size : HT_CAPTURE_VALUE;
    for (uint32_t at = 0; at < size && same; at += 8)
        same = (a->pointers >> (at / 8) & 1) != 0 ||
               memcmp(a->value + at, b->value + at, size - at < 8 ? size - at : 8) == 0;
    return same;
}

/* Arguments whose size is not known are not compared: what was copied after them changes. */
static bool same(const ht_captured_launch *a, const ht_captured_launch *b) {
    if (strcmp(a->name, b->name) != 0 || memcmp(a->grid, b->grid, sizeof a->grid) != 0 ||
        memcmp(a->block, b->block, sizeof a->block) != 0 || a->lds != b->lds ||
        a->argument_count != b->argument_count || a->part_count != b->part_count)
        return false;
    for (uint32_t i = 0; i < memory_count(a); ++i)
        if (!same_argument(&a->arguments[i], &b->arguments[i]))
            return false;
    return true;
}

#define BOUNDS_OF(TYPE, NAME, LEAST, MOST)                                                         \
    static ht_captured_bounds NAME(const void *memory, uint64_t bytes) {                           \
        const char *at = memory;                                                                   \
        TYPE least = (MOST), most = (LEAST);                                                       \
        for (uint64_t i = 0; i + sizeof(TYPE) <= bytes; i += sizeof(TYPE)) {                       \
            TYPE element;                                                                          \
            memcpy(&element, at + i, sizeof element);                                              \
            least = element < least ? element : least;                                             \
            most = element > most ? element : most;                                                \
        }                                                                                          \
        return (ht_captured_bounds){least, most};                                                  \
    }
BOUNDS_OF(int8_t, bounds_of_1, INT8_MIN, INT8_MAX)
BOUNDS_OF(int16_t, bounds_of_2, INT16_MIN, INT16_MAX)
BOUNDS_OF(int32_t, bounds_of_4, INT32_MIN, INT32_MAX)
BOUNDS_OF(int64_t, bounds_of_8, INT64_MIN, INT64_MAX)

/* Finds the bounds of what a new launch's pointers point to. */
static void take_bounds(ht_captured_argument *out, const void *memory) {
    out->bounds[0] = bounds_of_1(memory, out->bytes);
    out->bounds[1] = bounds_of_2(memory, out->bytes);
    out->bounds[2] = bounds_of_4(memory, out->bytes);
    out->bounds[3] = bounds_of_8(memory, out->bytes);
}

/* Finds the place of a content that is kept already: programs launch again and again on the same
 * memory. */
static uint64_t content_find(const ht_capture *in, const ht_captured_argument *like) {
    for (uint32_t i = 0; i < in->launch_count; ++i)
        for (uint32_t j = 0; j < memory_count(&in->launches[i]); ++j) {
            const ht_captured_argument *other = &in->launches[i].arguments[j];
            if (other->content > 0 && other->hash == like->hash && other->bytes == like->bytes)
                return other->content;
        }
    return 0;
}

/* Keeps what a new launch's pointers point to. */
static void take_content(ht_capture *to, ht_captured_argument *out, const void *memory) {
    if (contents.bytes == NULL || out->bytes > to->content_limit)
        return;
    out->content = content_find(to, out);
    if (out->content == 0)
        out->content = ht_byte_store_put(&contents, &to->used, memory, out->bytes);
}

uint32_t ht_capture_first_of(const ht_capture *in, const char *name) {
    uint32_t first = 0;
    while (first < in->launch_count && strcmp(in->launches[first].name, name) != 0)
        ++first;
    return first;
}

/* Notes at each allocation that the launch uses it. */
static void note_uses(const ht_captured_launch *of, uint32_t kernel,
                      const ht_capture_request *request) {
    for (uint32_t i = 0; i < of->argument_count && memory_of.note != NULL; ++i)
        if (of->arguments[i].has_memory)
            memory_of.note(*(void *const *)request->arguments[i],
                           (struct ht_memory_user){(uint16_t)kernel, (uint16_t)i});
}

/* Looks at what a new launch's pointers point to. */
static void look(ht_capture *to, ht_captured_launch *fresh, void *const *arguments) {
    for (uint32_t i = 0; i < memory_count(fresh); ++i) {
        ht_captured_argument *argument = &fresh->arguments[i];
        if (!argument->has_memory)
            continue;
        for (size_t width = 0; width < HT_CAPTURE_WIDTHS; ++width)
            argument->bounds[width] = (ht_captured_bounds){1, 0};
        const void *bytes = memory_of.read(pointer_at(fresh, arguments, i), argument->bytes);
        argument->was_read = bytes != NULL;
        if (bytes == NULL)
            continue;
        argument->hash = ht_hash_short(bytes, argument->bytes);
        take_bounds(argument, bytes);
        take_content(to, argument, bytes);
    }
}

ht_captured_launch *ht_capture_find(ht_capture *in, const ht_captured_launch *like) {
    for (uint32_t i = in->launch_count; i-- > 0;)
        if (same(&in->launches[i], like))
            return &in->launches[i];
    return NULL;
}

ht_captured_launch *ht_capture_launch(const ht_capture_request *request, bool *out_first) {
    ht_capture *to = capture;
    if (out_first != NULL)
        *out_first = false;
    if (to == NULL)
        return NULL;
    ht_captured_launch *fresh = ht_alloc(1, sizeof *fresh);
    take(request, fresh);
    pthread_mutex_lock(&lock);
    ht_captured_launch *found = ht_capture_find(to, fresh);
    fresh->kernel = found != NULL ? found->kernel : ht_capture_first_of(to, fresh->name);
    note_uses(fresh, fresh->kernel, request);
    if (found == NULL && to->launch_count < HT_CAPTURE_LAUNCHES) {
        look(to, fresh, request->arguments);
        found = &to->launches[to->launch_count];
        *found = *fresh;
        ++to->launch_count;
        if (out_first != NULL)
            *out_first = true;
    }
    if (found != NULL)
        ++found->times;
    else
        ++to->dropped;
    pthread_mutex_unlock(&lock);
    free(fresh);
    return found;
}

void ht_capture_compare(ht_captured_launch *launch, void *const *arguments) {
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < memory_count(launch); ++i) {
        ht_captured_argument *argument = &launch->arguments[i];
        const void *bytes = argument->was_read
                                ? memory_of.read(pointer_at(launch, arguments, i), argument->bytes)
                                : NULL;
        if (bytes != NULL)
            argument->change = ht_hash_short(bytes, argument->bytes) == argument->hash
                                   ? HT_CAPTURED_SAME
                                   : HT_CAPTURED_CHANGED;
    }
    pthread_mutex_unlock(&lock);
}

void ht_capture_time(ht_captured_launch *launch, double seconds) {
    pthread_mutex_lock(&lock);
    launch->seconds += seconds;
    pthread_mutex_unlock(&lock);
}
