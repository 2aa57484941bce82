#include "runtime/verify/verify_large.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/job/job_memory.h"

enum { SMALLER = 8 }; /* a problem is, to be tried after one that took too long */

/* Returns how many elements all buffers have; those that the problem does not say count as none. */
static double elements_of(const ht_binding *binding) {
    ht_config plain = ht_config_default(binding->template);
    double sum = 0;
    for (size_t i = 0; i < binding->template->arg_count; ++i) {
        const ht_arg *arg = &binding->template->args[i];
        int64_t elements = 0;
        if (arg->role != HT_ARG_SCALAR &&
            ht_binding_extent(binding, &plain, arg, &elements, NULL) == HT_OK)
            sum += (double)elements;
    }
    return sum;
}

void ht_verify_large_note(ht_verify_large *large, const ht_binding *binding) {
    double most = elements_of(binding) / SMALLER;
    if (!large->known || most < large->elements)
        large->elements = most;
    large->known = true;
}

bool ht_verify_large_is(ht_verify_large *large, const ht_binding *binding, bool exact) {
    if (large->known && elements_of(binding) > large->elements)
        return true;
    uint64_t need =
        ht_job_memory_verifying(binding, exact ? HT_COMPARING_BITS : HT_COMPARING_VALUES);
    if (!large->limit || need <= large->limit)
        return false;
    large->least = large->least && large->least < need ? large->least : need;
    return true;
}

char *ht_verify_large_reason(const ht_verify_large *large) {
    return large->least
               ? ht_format("its buffers and their copies take %llu MiB for the smallest problem "
                           "that is known, and verification takes no more than %llu MiB",
                           (unsigned long long)(large->least >> 20),
                           (unsigned long long)(large->limit >> 20))
               : ht_strdup("the original's launch is not legal for any of the problems tried");
}
