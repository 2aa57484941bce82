#include "pipeline/search_reason.h"

#include "base/memory.h"

static size_t others_count(const ht_search_result *result, const ht_config *standard) {
    size_t count = 0;
    for (size_t i = 0; i < result->trial_count; ++i)
        count += !ht_config_equal(&result->trials[i].config, standard);
    return count;
}

char *ht_search_reason(const ht_search_result *result, const ht_search_want *want) {
    size_t others = others_count(result, want->standard);
    if (want->space == 1)
        return ht_strdup("there is no other legal configuration");
    if (others == 0 && result->exhausted && want->known)
        return ht_strdup("every other configuration was tried before");
    if (others == 0)
        return ht_strdup("the limit was reached before another configuration could be tried");
    if (want->known)
        return ht_format("none of the %zu that were not tried before %s", others, want->gives);
    return ht_format("no other configuration %s", want->gives);
}
