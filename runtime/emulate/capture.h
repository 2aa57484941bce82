/* The launches of a program, as its problems need them: each distinct launch with its arguments and
 * how much memory they point to. It lies in memory that the program's process shares with the
 * command's (report.h, or a file: runtime/preload), so that it outlives whatever ends the program;
 * the program can write to it, so the reader calls ht_capture_check (capture_read.h) first. */
#ifndef HT_RUNTIME_EMULATE_CAPTURE_H
#define HT_RUNTIME_EMULATE_CAPTURE_H

#include "runtime/emulate/byte_store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HT_CAPTURE_LAUNCHES = 512,
    HT_CAPTURE_ARGUMENTS = 48,
    HT_CAPTURE_VALUE = 256,
    HT_CAPTURE_WORDS = HT_CAPTURE_VALUE / 8,
    HT_CAPTURE_WIDTHS = 4,
    HT_CAPTURE_NAME = 512,
    HT_MEMORY_USES = 8
};

/* The least and the most of what an argument points to, read as signed integers of one width. */
typedef struct ht_captured_bounds {
    int64_t least, most; /* least above most: there is no such element, or nobody looked */
} ht_captured_bounds;

/* Whether a launch changed what an argument points to. */
typedef enum ht_captured_change {
    HT_CAPTURED_UNSEEN, /* it was not compared */
    HT_CAPTURED_SAME,
    HT_CAPTURED_CHANGED
} ht_captured_change;

typedef struct ht_captured_argument {
    uint32_t size;      /* bytes of the value; 0: not known */
    uint32_t pointers;  /* by word of 8 bytes, from the lowest bit: it points into an allocation */
    uint16_t of, place; /* of a pointer in a structure: the argument that it is in, and where */
    bool has_memory;    /* it points into an allocation */
    uint64_t bytes;     /* of that allocation, from there on */
    ht_captured_bounds bounds[HT_CAPTURE_WIDTHS]; /* of these bytes, before the launch, as elements
                                                     of 1, 2, 4 and 8 bytes */
    uint64_t content; /* where these bytes are in the store, from 1; 0: they are not kept */
    uint64_t hash;    /* of those that were read */
    bool was_read;    /* before the launch: there are bounds and a hash */
    uint8_t change;   /* ht_captured_change */
    unsigned char value[HT_CAPTURE_VALUE]; /* what stood at its address; `size` of it, or all; of a
                                              pointer zeros, as it differs from run to run */
} ht_captured_argument;

/* The arguments of kernels that pointed into an allocation, each once; the types of their elements
 * are those of what is in it. */
typedef struct ht_memory_use {
    uint64_t offset; /* of what is meant, in the allocation */
    uint32_t count;
    bool more; /* there were more, or of a kernel that is not in the table */
    struct ht_memory_user {
        uint16_t launch; /* the first of its kernel */
        uint16_t argument;
    } items[HT_MEMORY_USES];
} ht_memory_use;

typedef struct ht_captured_launch {
    char name[HT_CAPTURE_NAME]; /* "void ns::scale<float>(float const*, int)", or mangled until
                                   ht_capture_check */
    uint32_t grid[3], block[3];
    uint64_t lds;    /* dynamic */
    uint32_t kernel; /* index of the first launch of the same name */
    uint32_t argument_count;
    uint32_t part_count; /* pointers in structures, after the arguments */
    ht_captured_argument arguments[HT_CAPTURE_ARGUMENTS];
    uint64_t times;
    double seconds; /* all times together */
} ht_captured_launch;

typedef struct ht_capture {
    uint32_t launch_count;
    uint64_t dropped;       /* launches that had no place in the table */
    uint64_t content_limit; /* bytes of a buffer whose content is kept; 0: none is */
    uint64_t used;          /* of the store */
    ht_captured_launch launches[HT_CAPTURE_LAUNCHES];
} ht_capture;

/* Memory for one that a forked process shares; NULL when the machine has none. */
ht_capture *ht_capture_new(void);
void ht_capture_free(ht_capture *capture);

/* How what arguments point to is looked at. */
typedef struct ht_capture_memory {
    /* Returns true if it points into an allocation; *out_bytes: those of it from there on. */
    bool (*after)(const void *pointer, size_t *out_bytes);
    /* Returns these bytes, until the next call; NULL: they are not to be read. */
    const void *(*read)(const void *pointer, size_t bytes);
    /* Notes that a kernel's argument points into the allocation; may be NULL. */
    void (*note)(const void *pointer, struct ht_memory_user user);
} ht_capture_memory;

/* The one that this process fills, and where contents of buffers go; NULL, as at first: nothing is
 * captured. */
void ht_capture_set(ht_capture *capture, const ht_byte_store *store,
                    const ht_capture_memory *memory);
bool ht_capture_wanted(void);

/* A launch that is to come. */
typedef struct ht_capture_request {
    const char *name;
    const uint16_t *sizes; /* of the arguments, as in ht_captured_argument */
    uint32_t argument_count;
    uint32_t grid[3], block[3];
    uint64_t lds;
    void *const *arguments;
} ht_capture_request;

/* Notes it, before it runs. Its place, for the next functions; NULL when there is none. *out_first:
 * no launch before was the same; may be NULL. */
ht_captured_launch *ht_capture_launch(const ht_capture_request *request, bool *out_first);
void ht_capture_time(ht_captured_launch *launch, double seconds);
/* Notes which memory the launch has changed, after it; of what was read before it. */
void ht_capture_compare(ht_captured_launch *launch, void *const *arguments);

/* Returns the launch that is the same as one; NULL: there is none. */
ht_captured_launch *ht_capture_find(ht_capture *in, const ht_captured_launch *like);
/* Returns the index of the first launch of a kernel; `launch_count` when there is none. */
uint32_t ht_capture_first_of(const ht_capture *in, const char *name);

#endif
