/* The image that the stand-in NVRTC gives out as a cubin and the stand-in driver loads: the host
 * provider's image of the same unit, the names that both compilers gave to each name expression,
 * and the real NVRTC's cubin where there is one. */
#ifndef STANDIN_IMAGE_H
#define STANDIN_IMAGE_H

#include <stdint.h>

#define STANDIN_MARK "HTSTAND1"

typedef struct standin_header {
    char mark[8];
    uint64_t host_size;  /* bytes of the host image, right after this */
    uint64_t names_size; /* then lines "NVRTC-NAME HOST-NAME\n" */
    uint64_t cubin_size; /* then the real cubin */
} standin_header;

#endif
