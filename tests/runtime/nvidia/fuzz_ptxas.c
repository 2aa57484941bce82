/* A compiler's log and the table after an image, from any bytes: the table made of a log is found
 * in the image again. */
#include "base/memory.h"
#include "runtime/nvidia/diagnostics.h"
#include "runtime/nvidia/ptxas.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *log = ht_alloc(size + 1, 1);
    memcpy(log, data, size);
    log[size] = '\0';
    ht_text out = {0};
    ht_ptxas_kernel kernel;
    ht_ptxas_find(data, size, "k", &kernel);
    ht_ptxas_log_strip(log, &out);
    ht_nvidia_diagnostics_append(log, &out);
    ht_text_free(&out);
    ht_ptxas_table_append(log, &out);
    ht_ptxas_find(out.data ? out.data : "", out.length, "k", &kernel);
    ht_text_free(&out);
    free(log);
    return 0;
}
