#include "pipeline/counters.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/csv.h"
#include "pipeline/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 30 };

/* Columns of the file. */
typedef struct columns {
    int kernel, launch, counter, value;
    int unit; /* ncu's; -1: rocprofv3's file, which has none */
} columns;

static bool columns_are(const ht_csv *csv, columns *out) {
    static const char *const names[][2] = {
        {"Kernel_Name", NULL},   {"Dispatch_Id", NULL},  {"Counter_Name", NULL},
        {"Counter_Value", NULL}, {"Kernel Name", NULL},  {"ID", NULL},
        {"Metric Name", NULL},   {"Metric Value", NULL}, {"Metric Unit", NULL}};
    *out = (columns){ht_csv_column(csv, names[0]), ht_csv_column(csv, names[1]),
                     ht_csv_column(csv, names[2]), ht_csv_column(csv, names[3]), -1};
    if (out->kernel < 0)
        *out = (columns){ht_csv_column(csv, names[4]), ht_csv_column(csv, names[5]),
                         ht_csv_column(csv, names[6]), ht_csv_column(csv, names[7]),
                         ht_csv_column(csv, names[8])};
    return out->kernel >= 0 && out->launch >= 0 && out->counter >= 0 && out->value >= 0;
}

/* Reads up to the row with the columns' names. ncu's messages, and what the program prints, may
 * come before it. */
static ht_status columns_find(ht_csv *csv, columns *out, ht_error *error) {
    bool found = false, messages = false;
    ht_status status;
    do {
        status = ht_csv_row(csv, &found, error);
        if (status != HT_OK)
            return status;
        if (columns_are(csv, out))
            return HT_OK;
        messages = messages || (found && ht_text_begins(ht_csv_cell(csv, 0), "=="));
    } while (found && messages);
    return ht_error_set_at(error, HT_ERROR_INPUT, csv->path, csv->row_line, 0,
                           "this is no list of counters: it has no columns Kernel_Name, "
                           "Dispatch_Id, Counter_Name and Counter_Value; give rocprofv3's "
                           "*_counter_collection.csv (--pmc NAMES --output-format csv), or what "
                           "ncu --csv prints");
}

/* Finds a kernel's counter, or adds it. Takes over `kernel`. */
static ht_counter *counter_of(ht_counters *all, char *kernel, const char *name) {
    for (size_t i = 0; i < all->count; ++i)
        if (strcmp(all->items[i].kernel, kernel) == 0 && strcmp(all->items[i].name, name) == 0) {
            free(kernel);
            return &all->items[i];
        }
    HT_GROW(all->items, all->count);
    ht_counter *added = &all->items[all->count++];
    *added = (ht_counter){.kernel = kernel, .name = ht_strdup(name), .last = ht_strdup("")};
    return added;
}

/* Reads "1024.5"; as ncu writes them also "8,300,032". */
static bool value_read(const char *text, bool commas, double *out) {
    char digits[64];
    size_t length = 0;
    for (const char *at = text; *at && length + 1 < sizeof digits; ++at)
        if (!commas || *at != ',')
            digits[length++] = *at;
    digits[length] = '\0';
    char *end = NULL;
    *out = strtod(digits, &end);
    return *digits && end && !*end && isfinite(*out) && *out >= 0 && *out <= 1e300;
}

/* Counters of several units come as several rows of one launch: they are added. Of ncu's rows those
 * with words for a value, and lines that the program printed, are passed over; "8.3 Mbyte" and
 * "900 Kbyte" are two counters, as its units follow the size of the number. */
static ht_status row_take(const ht_csv *csv, const columns *of, ht_counters *all, ht_error *error) {
    const char *text = ht_csv_cell(csv, of->value), *launch = ht_csv_cell(csv, of->launch);
    double value;
    if (!value_read(text, of->unit >= 0, &value)) {
        if (of->unit >= 0)
            return HT_OK;
        return ht_error_set_at(error, HT_ERROR_INPUT, csv->path, csv->row_line, 0,
                               "'%.40s' in column %d is no counter's value: is the file whole?",
                               text, of->value + 1);
    }
    const char *unit = of->unit >= 0 ? ht_csv_cell(csv, of->unit) : "";
    char *name = *unit ? ht_format("%s [%s]", ht_csv_cell(csv, of->counter), unit)
                       : ht_strdup(ht_csv_cell(csv, of->counter));
    ht_counter *counter =
        counter_of(all, ht_profile_kernel_name(ht_csv_cell(csv, of->kernel)), name);
    free(name);
    if (counter->launches == 0 || strcmp(counter->last, launch) != 0) {
        ++counter->launches;
        free(counter->last);
        counter->last = ht_strdup(launch);
    }
    counter->sum += value;
    return HT_OK;
}

ht_status ht_counters_parse(const char *text, size_t length, const char *path,
                            ht_counters *out_counters, ht_error *error) {
    ht_csv csv = {.path = path, .at = text, .end = text + length, .line = 1};
    columns of;
    bool found = false;
    *out_counters = (ht_counters){0};
    ht_status status = columns_find(&csv, &of, error);
    while (status == HT_OK) {
        status = ht_csv_row(&csv, &found, error);
        if (status != HT_OK || !found)
            break;
        status = row_take(&csv, &of, out_counters, error);
    }
    ht_csv_free(&csv);
    if (status != HT_OK)
        ht_counters_free(out_counters);
    return status;
}

ht_status ht_counters_load(const char *path, ht_counters *out_counters, ht_error *error) {
    char *text = NULL;
    size_t length = 0;
    *out_counters = (ht_counters){0};
    ht_status status = ht_file_read(path, BYTES_MAX, &text, &length, error);
    if (status == HT_ERROR_IO) {
        ht_error_prefix(error, "option --counters: ");
        return ht_error_named(status, error);
    }
    if (status == HT_OK)
        status = ht_counters_parse(text, length, path, out_counters, error);
    free(text);
    return status;
}

void ht_counters_free(ht_counters *counters) {
    for (size_t i = 0; i < counters->count; ++i) {
        free(counters->items[i].kernel);
        free(counters->items[i].name);
        free(counters->items[i].last);
    }
    free(counters->items);
    *counters = (ht_counters){0};
}

json_t *ht_counters_json(const ht_counters *counters, const char *kernel) {
    json_t *object = json_object();
    for (size_t i = 0; i < counters->count; ++i) {
        const ht_counter *counter = &counters->items[i];
        const ht_profile_kernel profiled = {.name = counter->kernel};
        json_t *name = json_string(counter->name); /* NULL: bytes that are no UTF-8 */
        if (name && ht_profile_names(&profiled, kernel))
            json_object_set_new(object, counter->name,
                                json_real(counter->sum / (double)counter->launches));
        json_decref(name);
    }
    return object;
}
