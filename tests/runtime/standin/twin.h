/* Host twins: what the stand-in runs in place of code that was compiled for a GPU. The process that
 * compiles writes a twin into a folder, under the hash of the code; the one that loads the code
 * finds it there. The folder is $HT_STANDIN_FOLDER, else $TMPDIR, which the processes of a job
 * share. */
#ifndef HT_TESTS_STANDIN_TWIN_H
#define HT_TESTS_STANDIN_TWIN_H

#include "runtime/provider/hip.h"

#include <stdbool.h>

/* The host provider of the program that opened the stand-in; NULL when it does not work. */
const ht_hip *standin_host(void);

typedef struct standin_name {
    char *gpu, *host; /* lowered names; owned */
} standin_name;

/* A twin as it was written and read. All owned. */
typedef struct standin_twin {
    char *image; /* NULL: there is no twin; the log says why */
    size_t image_size;
    standin_name *names;
    size_t name_count;
    char *log;
} standin_twin;

bool standin_twin_write(const void *code, size_t code_size, const standin_twin *twin);
/* False when the folder has none for this image. */
bool standin_twin_read(const void *image, standin_twin *out);
void standin_twin_free(standin_twin *twin);
/* The host's name for a lowered name; NULL when it has none. */
const char *standin_twin_name(const standin_twin *twin, const char *gpu);

#endif
