/* How libclang is called: its arguments, HIP's header parsed once for many files, and names of CUDA
 * that host code needs. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_ARGUMENTS_H
#define HT_REFACTOR_SOURCE_ARGUMENTS_H

#include "refactor/source/source.h"

/* What is compiled like what; all borrowed. */
typedef struct ht_call {
    const char *resource_dir;
    const char *cache; /* ht_refactor_options.cache */
    char *const *own;  /* the user's arguments */
    size_t own_count;
    const char *const *extra;
    size_t extra_count;
    bool cuda; /* declare CUDA's host names */
} ht_call;

typedef struct ht_arguments {
    const char **items;
    size_t count;
    char *prefix; /* the parsed header's file; NULL: it is included as text */
} ht_arguments;

void ht_arguments_make(const ht_call *call, ht_arguments *out_arguments);
void ht_arguments_free(ht_arguments *arguments);

/* A file in memory, to be passed to libclang where `cuda` is set: types, constants and functions of
 * CUDA's host side that stand for HIP's, so that launches in CUDA sources can be read. */
extern const char ht_cuda_path[], ht_cuda_text[];

#endif
