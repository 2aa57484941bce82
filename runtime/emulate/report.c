#include "runtime/emulate/report.h"

#include "base/text.h"
#include "runtime/emulate/api.h"
#include "runtime/emulate/api_internal.h"
#include "runtime/host/errors.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static ht_emulate_report own, *report = &own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ht_emulate_report *ht_emulate_report_here(void) {
    return report;
}

void ht_emulate_report_set(ht_emulate_report *shared) {
    report = shared;
}

void ht_emulate_report_failure(const char *words, bool found) {
    pthread_mutex_lock(&lock);
    if (report->failure_count < HT_REPORT_FAILURES) {
        ht_report_failure *made = &report->failures[report->failure_count++];
        made->found = found;
        snprintf(made->words, sizeof made->words, "%s", words);
    }
    pthread_mutex_unlock(&lock);
}

hipError_t ht_emulate_missing(const char *name, const void *place) {
    Dl_info where = {0};
    uint64_t offset = 0;
    /* The address after the call may be the next line's. */
    if (dladdr(place, &where) != 0)
        offset = (uint64_t)((const char *)place - (const char *)where.dli_fbase) - 1;
    pthread_mutex_lock(&lock);
    uint32_t i = 0;
    while (i < report->call_count &&
           (report->calls[i].offset != offset ||
            strncmp(report->calls[i].name, name, HT_REPORT_NAME - 1) != 0))
        ++i;
    if (i == report->call_count && i < HT_REPORT_CALLS) {
        snprintf(report->calls[i].name, HT_REPORT_NAME, "%s", name);
        report->calls[i].offset = offset;
        ++report->call_count;
    }
    if (i < HT_REPORT_CALLS)
        ++report->calls[i].times;
    pthread_mutex_unlock(&lock);
    return ht_emulate_result(HT_HIP_ERROR_NOT_SUPPORTED);
}

bool ht_emulate_has(const char *name) {
    static const char *const names[] = {
#define HT_EMULATE_NAME(result, name, parameters) #name,
        HT_EMULATE_FUNCTIONS(HT_EMULATE_NAME)
#undef HT_EMULATE_NAME
            NULL};
    return ht_text_is_one(name, names);
}

/* The linker takes an object of a library for a name that is used: all of them are, by programs. */
const void *const ht_emulate_functions[] = {
#define HT_EMULATE_ADDRESS(result, name, parameters) (const void *)ht_emulate_##name,
    HT_EMULATE_FUNCTIONS(HT_EMULATE_ADDRESS)
#undef HT_EMULATE_ADDRESS
};
