#include "cli/reports/profile_report.h"

enum { SHOWN = 10 };

bool ht_profile_in_survey(const void *context, const ht_profile_kernel *kernel) {
    const ht_survey *survey = context;
    for (size_t i = 0; i < survey->entries.count; ++i)
        if (ht_profile_names(kernel, survey->entries.items[i].name))
            return true;
    return false;
}

typedef struct list {
    const ht_profile *profile;
    bool (*has)(const void *context, const ht_profile_kernel *kernel);
    const void *context;
} list;

/* Prints "HEAD a (3.1 %), b (1.0 %) and 4 more": of the kernels that were chosen, those that no
 * source has; or of the others all. */
static void list_print(const list *of, bool chosen, const char *head, FILE *out) {
    const ht_profile *profile = of->profile;
    size_t count = 0;
    for (size_t i = 0; i < profile->count; ++i) {
        const ht_profile_kernel *kernel = &profile->kernels[i];
        if (kernel->chosen != chosen || (chosen && of->has(of->context, kernel)))
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

void ht_profile_report(const ht_profile *profile, const char *done,
                       bool (*has)(const void *context, const ht_profile_kernel *kernel),
                       const void *context, FILE *out) {
    const list of = {profile, has, context};
    char head[96];
    snprintf(head, sizeof head, "Not %s, as the others take %g %% of the time (--share):", done,
             100 * profile->share);
    list_print(&of, false, head, out);
    list_print(&of, true, "In the profile, but in none of these files:", out);
}
