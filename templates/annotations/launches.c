#include "templates/annotations/launches.h"

#include "base/memory.h"

#include <stdlib.h>

void ht_launch_list_free(ht_launch *launches, size_t count) {
    for (size_t i = 0; i < count; ++i)
        ht_launch_free(&launches[i]);
    free(launches);
}

ht_launch *ht_launch_list_copy(const ht_launch *launches, size_t count) {
    ht_launch *copy = count ? ht_alloc(count, sizeof *copy) : NULL;
    for (size_t i = 0; i < count; ++i)
        ht_launch_copy(&launches[i], &copy[i]);
    return copy;
}

void ht_launch_list_replace(const ht_launch *launches, size_t count, ht_launch **list,
                            size_t *list_count) {
    ht_launch *copy = ht_launch_list_copy(launches, count);
    ht_launch_list_free(*list, *list_count);
    *list = copy;
    *list_count = count;
}
