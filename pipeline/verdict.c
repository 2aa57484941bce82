#include "pipeline/verdict.h"

#include <string.h>

const char *ht_verdict_name(ht_verdict verdict) {
    switch (verdict) {
    case HT_VERDICT_NONE:
        return "none";
    case HT_VERDICT_IMPROVED:
        return "improved";
    case HT_VERDICT_KEPT:
        return "kept";
    case HT_VERDICT_UNCLEAR:
        return "unclear";
    case HT_VERDICT_REFUSED:
        return "refused";
    case HT_VERDICT_FAILED:
        return "failed";
    case HT_VERDICT_WITHHELD:
        return "withheld";
    case HT_VERDICT_NEEDS_PROBLEM:
        return "needs-problem";
    case HT_VERDICT_NOT_RUN:
        return "not-run";
    }
    return "unknown";
}

ht_verdict ht_verdict_find(const char *name) {
    for (int i = 0; i < HT_VERDICTS; ++i)
        if (strcmp(ht_verdict_name((ht_verdict)i), name) == 0)
            return (ht_verdict)i;
    return HT_VERDICT_NONE;
}
