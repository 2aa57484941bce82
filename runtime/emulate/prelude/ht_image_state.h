/* What a texture object points to: shared by the program's runtime, which makes it, and device
 * code, which samples it. */
#ifndef HT_IMAGE_STATE_H
#define HT_IMAGE_STATE_H

enum { HT_IMAGE_WRAP, HT_IMAGE_CLAMP, HT_IMAGE_MIRROR, HT_IMAGE_BORDER };
enum { HT_IMAGE_SIGNED, HT_IMAGE_UNSIGNED, HT_IMAGE_FLOAT };

struct ht_image {
    const unsigned char *data;
    unsigned long row_bytes, plane_bytes; /* from a row to the next, from a plane or layer */
    int size[3];                          /* in texels; no dimension: 1 */
    int channels, channel_bytes, kind;
    int address[3]; /* HT_IMAGE_WRAP, ... */
    int linear;     /* filtered, else the nearest */
    int normalized; /* coordinates are from 0 to 1 */
    int as_real;    /* whole numbers are read as from 0 or -1 to 1 */
    float border[4];
};

#endif
