#include "base/host_name.h"

#include <unistd.h>

void ht_host_name(char out_name[HT_HOST_NAME_SIZE]) {
    if (gethostname(out_name, HT_HOST_NAME_SIZE - 1) != 0)
        out_name[0] = '\0';
    out_name[HT_HOST_NAME_SIZE - 1] = '\0';
}
