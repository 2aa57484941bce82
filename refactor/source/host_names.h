/* Libraries of which a source may use names and whose headers are not there: CUDA's runtime,
 * Thrust, CUDA's half numbers and cooperative groups, PyTorch. Files in memory declare these names,
 * so that the launches next to them can be read. Nothing of them gets into a template: device code
 * that uses one stays as it was. But half numbers and groups are HIP's own, so that a kernel may
 * use them, and PyTorch's accessors and CUDA's device functions that HIP lacks are cut out with it.
 * Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_HOST_NAMES_H
#define HT_REFACTOR_SOURCE_HOST_NAMES_H

#include <stdbool.h>

enum {
    HT_HOST_CUDA,
    HT_HOST_THRUST,
    HT_HOST_HALF,
    HT_HOST_GROUPS,
    HT_HOST_TILES,
    HT_HOST_DEVICE,
    HT_HOST_TEXTURES,
    HT_HOST_ACCESSORS,
    HT_HOST_TORCH,
    HT_HOST_LIBRARIES
};
enum { HT_HOST_MISSED_MAX = 20 };

typedef struct ht_host_library {
    const char *path; /* of the file in memory */
    const char *text; /* its declarations */
    bool in_kernels;  /* kernels may use them: they are cut out with a kernel like the user's own */
    /* one stands in clang's message where a name of the library is not known; NULL after the last
     */
    const char *missed[HT_HOST_MISSED_MAX + 1];
} ht_host_library;

extern const ht_host_library ht_host_libraries[HT_HOST_LIBRARIES];

/* Returns the libraries, as bits, of which a message of clang's misses a name. */
unsigned ht_host_libraries_missed(const char *message);
/* Returns the libraries, as bits, that give names of HIP's in a source's text another meaning. */
unsigned ht_host_libraries_mentioned(const char *text);
/* Returns the library whose file in memory this is; NULL: it is another file. */
const ht_host_library *ht_host_library_of(const char *path);

#endif
