/* The values of an option that may be given several times. */
#ifndef HT_PIPELINE_OPTION_LIST_H
#define HT_PIPELINE_OPTION_LIST_H

#include <stddef.h>

typedef struct ht_option_list {
    const char **items; /* owned by the command line; elements borrowed from argv */
    size_t count;
} ht_option_list;

#endif
