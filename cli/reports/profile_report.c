#include "cli/reports/profile_report.h"

enum { SHOWN = 10 };

static bool is_found(const ht_profile_kernel *kernel, const ht_survey *survey) {
    for (size_t i = 0; i < survey->entries.count; ++i)
        if (ht_profile_names(kernel, survey->entries.items[i].name))
            return true;
    return false;
}

/* Prints "HEAD a (3.1 %), b (1.0 %) and 4 more": of the kernels that were chosen, those that no
 * source has; or of the others all. */
static void list_print(const ht_profile *profile, const ht_survey *survey, bool chosen,
                       const char *head, FILE *out) {
    size_t count = 0;
    for (size_t i = 0; i < profile->count; ++i) {
        const ht_profile_kernel *kernel = &profile->kernels[i];
        if (kernel->chosen != chosen || (chosen && is_found(kernel, survey)))
            continue;
        if (count++ >= SHOWN)
            continue;
        fprintf(out, "%s %s (%.1f %%)", count == 1 ? head : ",", kernel->name,
                profile->ns > 0 ? 100 * kernel->ns / profile->ns : 0);
    }
    if (count > SHOWN)
        fprintf(out, " and %zu more", count - SHOWN);
    if (count > 0)
        fputc('\n', out);
}

void ht_profile_report(const ht_profile *profile, const ht_survey *survey, FILE *out) {
    char head[96];
    snprintf(head, sizeof head,
             "Not tuned, as the others take %g %% of the time (--share):", 100 * profile->share);
    list_print(profile, survey, false, head, out);
    list_print(profile, survey, true, "In the profile, but in none of these files:", out);
}
