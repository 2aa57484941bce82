/* The verdict on one kernel with one problem, once it was to be tuned. */
#ifndef HT_PIPELINE_VERDICT_H
#define HT_PIPELINE_VERDICT_H

typedef enum ht_verdict {
    HT_VERDICT_NONE,     /* not tuned */
    HT_VERDICT_IMPROVED, /* the confirmation's interval of the speedup is above 1, and the speedup
                            at least --min-speedup */
    HT_VERDICT_KEPT,     /* the original stays: everything else is slower, or hardly faster */
    HT_VERDICT_UNCLEAR,  /* the original stays: the interval of the best's speedup holds 1 */
    HT_VERDICT_REFUSED,  /* this kernel cannot be tuned, for a known reason */
    HT_VERDICT_FAILED,   /* it should have been, but something went wrong */
    HT_VERDICT_WITHHELD, /* improved, but the tuned source failed its last check: not written */
    HT_VERDICT_NEEDS_PROBLEM, /* sizes or roles of arguments are not known */
    HT_VERDICT_NOT_RUN        /* the time was up, or it was interrupted: no failure */
} ht_verdict;
enum { HT_VERDICTS = HT_VERDICT_NOT_RUN + 1 };
/* The verdict of a name; HT_VERDICT_NONE of any other word. */
ht_verdict ht_verdict_find(const char *name);
const char *ht_verdict_name(ht_verdict verdict); /* as in JSON: "improved", ..., "not-run" */

#endif
