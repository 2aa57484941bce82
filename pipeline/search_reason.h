/* Why a search has nothing to choose from, in words. */
#ifndef HT_PIPELINE_SEARCH_REASON_H
#define HT_PIPELINE_SEARCH_REASON_H

#include "search/strategy.h"

#include <stdint.h>

typedef struct ht_search_want {
    const ht_config *standard; /* the template's default, which is no other than the original */
    size_t known;              /* outcomes of earlier searches that this one began with */
    uint64_t space;            /* its legal configurations */
    const char *gives;         /* what none of them did: "gave a correct result" */
} ht_search_want;

/* Returns why no configuration but the default was found that does what is wanted. One that an
 * earlier search tried may have done it: then the words are of this search's own. free(). */
char *ht_search_reason(const ht_search_result *result, const ht_search_want *want);

#endif
