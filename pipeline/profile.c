#include "pipeline/profile.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/capture_name.h"
#include "pipeline/csv.h"
#include "pipeline/survey.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 30 };

typedef struct reader {
    ht_csv csv;
    int name, ns, begin, finish; /* columns; -1: there is none */
} reader;

/* Finds the columns: those of rocprofv3's traces, of rocprof's, and of the statistics of both. */
static ht_status columns_find(reader *in, ht_error *error) {
    static const char *const names[] = {"Kernel_Name", "KernelName", "Name", NULL};
    static const char *const times[] = {"TotalDurationNs", "DurationNs", NULL};
    static const char *const begins[] = {"Start_Timestamp", "BeginNs", NULL};
    static const char *const ends[] = {"End_Timestamp", "EndNs", NULL};
    in->name = ht_csv_column(&in->csv, names);
    in->ns = ht_csv_column(&in->csv, times);
    in->begin = ht_csv_column(&in->csv, begins);
    in->finish = ht_csv_column(&in->csv, ends);
    if (in->name >= 0 && (in->ns >= 0 || (in->begin >= 0 && in->finish >= 0)))
        return HT_OK;
    return ht_error_set_at(error, HT_ERROR_INPUT, in->csv.path, in->csv.row_line, 0,
                           "this is no list of kernels and times: it has no column %s; give "
                           "rocprof's results.stats.csv (--stats), or rocprofv3's "
                           "*_kernel_stats.csv or *_kernel_trace.csv (--stats --kernel-trace "
                           "--output-format csv)",
                           in->name < 0 ? "Name, Kernel_Name or KernelName"
                                        : "TotalDurationNs or DurationNs, and no Start_Timestamp "
                                          "with End_Timestamp");
}

static ht_status number_read(const reader *in, int column, double *out, ht_error *error) {
    char *end = NULL;
    const char *text = (size_t)column < in->csv.cell_count ? in->csv.cells[column] : "";
    *out = strtod(text, &end);
    if (*text && end && !*end && isfinite(*out) && *out >= 0)
        return HT_OK;
    return ht_error_set_at(error, HT_ERROR_INPUT, in->csv.path, in->csv.row_line, 0,
                           "'%.40s' in column %d is no time: a number of nanoseconds is expected; "
                           "is the file whole?",
                           text, column + 1);
}

static void kernel_add(ht_profile *profile, char *name, double ns) {
    for (size_t i = 0; i < profile->count; ++i)
        if (strcmp(profile->kernels[i].name, name) == 0) {
            profile->kernels[i].ns += ns;
            ++profile->kernels[i].rows;
            free(name);
            return;
        }
    HT_GROW(profile->kernels, profile->count);
    profile->kernels[profile->count++] = (ht_profile_kernel){.name = name, .ns = ns, .rows = 1};
}

static ht_status row_take(const reader *in, ht_profile *profile, ht_error *error) {
    double ns = 0, begin = 0;
    ht_status status = number_read(in, in->ns >= 0 ? in->ns : in->finish, &ns, error);
    if (status == HT_OK && in->ns < 0)
        status = number_read(in, in->begin, &begin, error);
    if (status != HT_OK)
        return status;
    if (ns < begin)
        return ht_error_set_at(error, HT_ERROR_INPUT, in->csv.path, in->csv.row_line, 0,
                               "the launch ends before it begins: is the file whole?");
    const char *name = (size_t)in->name < in->csv.cell_count ? in->csv.cells[in->name] : "";
    kernel_add(profile, ht_profile_kernel_name(name), ns - begin);
    profile->ns += ns - begin;
    return HT_OK;
}

static int longest_first(const void *a, const void *b) {
    const ht_profile_kernel *first = a, *second = b;
    if (first->ns > second->ns || first->ns < second->ns)
        return first->ns > second->ns ? -1 : 1;
    return strcmp(first->name, second->name);
}

char *ht_profile_kernel_name(const char *text) {
    size_t length = strlen(text);
    const char *clone = strstr(text, " [clone ");
    length = clone ? (size_t)(clone - text) : length;
    if (length > 3 && strncmp(text + length - 3, ".kd", 3) == 0)
        length -= 3;
    char *whole = ht_strndup(text, length), *name = ht_capture_kernel_name(whole);
    free(whole);
    return name;
}

ht_status ht_profile_parse(const char *text, size_t length, const char *path,
                           ht_profile *out_profile, ht_error *error) {
    reader in = {.csv = {.path = path, .at = text, .end = text + length, .line = 1}};
    bool found = false;
    *out_profile = (ht_profile){.share = 1};
    ht_hash_bytes(text, length, out_profile->hash);
    ht_status status = ht_csv_row(&in.csv, &found, error);
    if (status == HT_OK)
        status = columns_find(&in, error);
    while (status == HT_OK) {
        status = ht_csv_row(&in.csv, &found, error);
        if (status != HT_OK || !found)
            break;
        status = row_take(&in, out_profile, error);
    }
    ht_csv_free(&in.csv);
    if (status != HT_OK) {
        ht_profile_free(out_profile);
        return status;
    }
    if (out_profile->count)
        qsort(out_profile->kernels, out_profile->count, sizeof *out_profile->kernels,
              longest_first);
    return HT_OK;
}

ht_status ht_profile_load(const char *path, ht_profile *out_profile, ht_error *error) {
    char *text = NULL;
    size_t length = 0;
    ht_status status = ht_file_read(path, BYTES_MAX, &text, &length, error);
    if (status == HT_ERROR_IO) {
        ht_error_prefix(error, "option --profile: ");
        return ht_error_named(status, error);
    }
    if (status == HT_OK)
        status = ht_profile_parse(text, length, path, out_profile, error);
    free(text);
    return status;
}

void ht_profile_free(ht_profile *profile) {
    for (size_t i = 0; i < profile->count; ++i)
        free(profile->kernels[i].name);
    free(profile->kernels);
    *profile = (ht_profile){0};
}

ht_status ht_profile_share_check(double percent, ht_error *error) {
    return percent > 0 && percent <= 100
               ? HT_OK
               : ht_error_set(error, HT_ERROR_INPUT,
                              "option --share: %g is no share: it is a number above 0, up to 100",
                              percent);
}

void ht_profile_choose(ht_profile *profile, double share) {
    double sum = 0;
    profile->share = share;
    for (size_t i = 0; i < profile->count; ++i) {
        profile->kernels[i].chosen = share >= 1 || sum < share * profile->ns;
        sum += profile->kernels[i].ns;
    }
}

/* Returns true for "_ZN2ns4convIfEEvPf" and "ns::conv": the parts of a mangled name that come
 * before its template's arguments. */
static bool mangled_is(const char *mangled, const char *kernel) {
    const char *at = mangled + 2;
    ht_text name = {0};
    ht_text_append(&name, "");
    at += *at == 'N';
    while (isdigit((unsigned char)*at)) {
        char *end;
        unsigned long length = strtoul(at, &end, 10);
        if (length == 0 || length > strlen(end))
            break;
        ht_text_append(&name, name.length ? "::" : "");
        ht_text_append_n(&name, end, length);
        at = end + length;
        if (mangled[2] != 'N')
            break;
    }
    bool same = name.length && (ht_kernel_is(kernel, name.data) || ht_kernel_is(name.data, kernel));
    ht_text_free(&name);
    return same;
}

bool ht_profile_names(const ht_profile_kernel *profiled, const char *kernel) {
    if (strncmp(profiled->name, "_Z", 2) == 0)
        return mangled_is(profiled->name, kernel);
    char *plain = ht_strndup(profiled->name, strcspn(profiled->name, "<"));
    char *own = ht_strndup(kernel, strcspn(kernel, "<"));
    bool same = *plain && *own && (ht_kernel_is(plain, own) || ht_kernel_is(own, plain));
    free(own);
    free(plain);
    return same;
}

double ht_profile_time(const void *context, const char *kernel) {
    const ht_profile *profile = context;
    double ns = 0;
    for (size_t i = 0; i < profile->count; ++i)
        if (ht_profile_names(&profile->kernels[i], kernel))
            ns += profile->kernels[i].ns;
    return ns;
}

bool ht_profile_wants(const void *context, const char *kernel) {
    const ht_profile *profile = context;
    for (size_t i = 0; i < profile->count; ++i)
        if (profile->kernels[i].chosen && ht_profile_names(&profile->kernels[i], kernel))
            return true;
    return false;
}
