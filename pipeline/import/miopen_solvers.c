#include "pipeline/import/miopen_solvers.h"

#include "base/memory.h"
#include "base/text.h"
#include "predictor/schema/schema.h"

#include <stdlib.h>
#include <string.h>

/* Solvers whose entries have more columns than the schema has parameters. */
static const struct {
    const char *kernel;
    const char *columns; /* in the order of the database, with tabs between */
} wide[] = {
#define GTC                                                                                        \
    "dir\tlyt\tpre\tnxb\tnxe\tmpb\tnpb\tkpb\twtm\twtn\twtk\twsm\twsn\twrm\twrn\tmh\tvs\tgks\t"     \
    "me\tpta\tta0\tta1\tta2\tta3\tca0\tca1\tca2\tca3\ttb0\ttb1\ttb2\ttb3\tcb0\tcb1\tcb2\tcb3\t"    \
    "index"
    {"ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC", GTC},
    {"ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC", GTC},
    {"ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC", GTC},
#undef GTC
};
/* The solver of which each variant is one of its own, ConvOclBwdWrW2<4>: the number is a field. */
static const char *const variants = "ConvOclBwdWrW2";

/* Returns the columns of a schema's parameters, with tabs between. */
static char *columns_of(const char *text) {
    ht_schema *schema;
    ht_text columns = {0};
    if (ht_schema_parse(text, NULL, &schema, NULL) != HT_OK)
        return NULL;
    for (size_t p = 0; p < schema->param_count; ++p)
        ht_text_printf(&columns, "%s%s", p ? "\t" : "", schema->params[p].name);
    ht_schema_free(schema);
    return ht_text_take(&columns);
}

/* Returns the columns of a kernel's entries, with tabs between; NULL when it has no schema. Those
 * of a kernel that has records are known. free(). */
static char *columns_find(const ht_import *import, const char *kernel, bool variant) {
    size_t skip = variant ? sizeof "n_batch_loops" : 0;
    for (size_t i = 0; i < import->table_count; ++i)
        if (!strcmp(import->tables[i].kernel, kernel))
            return ht_strdup(import->tables[i].columns + skip);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; ++i)
        if (!strcmp(wide[i].kernel, kernel))
            return ht_strdup(wide[i].columns);
    const char *text = ht_schema_builtin_text(kernel);
    return text ? columns_of(text) : NULL;
}

/* Splits "NAME<4>" into the kernel and its variant; false for what is neither. */
static bool solver_split(ht_miopen_text solver, char **out_kernel, char **out_variant) {
    ht_miopen_text rest = solver, name;
    ht_miopen_piece_take(&rest, '<', &name);
    *out_kernel = ht_strndup(name.at, name.length);
    *out_variant = NULL;
    if (!rest.at)
        return strcmp(*out_kernel, variants) != 0;
    bool good = !strcmp(*out_kernel, variants) && rest.length >= 2 && rest.length < 6 &&
                rest.at[rest.length - 1] == '>';
    for (size_t i = 0; good && i + 1 < rest.length; ++i)
        good = rest.at[i] >= '0' && rest.at[i] <= '9';
    if (good)
        *out_variant = ht_strndup(rest.at, rest.length - 1);
    return good;
}

static size_t tabs(const char *text) {
    size_t count = 0;
    for (; *text; ++text)
        count += *text == '\t';
    return count;
}

/* Returns true for cells: numbers, words, and "35[10]". */
static bool is_plain(ht_miopen_text values) {
    for (size_t i = 0; i < values.length; ++i) {
        char c = values.at[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              c == ',' || c == '-' || c == '_' || c == '[' || c == ']'))
            return false;
    }
    return values.length > 0 && values.length < 4096;
}

static char *cells_make(ht_miopen_text values) {
    char *cells = ht_strndup(values.at, values.length);
    for (char *c = cells; *c; ++c)
        if (*c == ',')
            *c = '\t';
    return cells;
}

/* Fills in the record's columns and values; returns NULL or why it is left out. */
static const char *take(ht_import *import, ht_import_record *record, ht_miopen_text values) {
    char *columns = columns_find(import, record->kernel, record->variant != NULL);
    if (!columns)
        return "no schema for the solver";
    char *cells = is_plain(values) ? cells_make(values) : NULL;
    const char *reason = NULL;
    if (!cells) {
        reason = "parameters that are not numbers or words";
    } else if (tabs(cells) != tabs(columns) || strstr(cells, "\t\t") || *cells == '\t' ||
               cells[strlen(cells) - 1] == '\t') {
        reason = "another number of parameters than the kernel has";
    } else {
        const char *variant = record->variant;
        char *all = variant ? ht_format("%s\t%s", variant, cells) : ht_strdup(cells);
        char *names = ht_format("%s%s", variant ? "n_batch_loops\t" : "", columns);
        record->columns = names;
        record->values = all;
        ht_import_add(import, record);
        free(all);
        free(names);
    }
    free(cells);
    free(columns);
    return reason;
}

void ht_miopen_entry_take(ht_import *import, const ht_miopen_problem *problem,
                          const ht_import_device *device, const char *source, ht_miopen_text solver,
                          ht_miopen_text values) {
    char *kernel, *variant;
    const char *reason = "no schema for the solver";
    bool good = solver_split(solver, &kernel, &variant);
    ht_import_record record = {.kernel = kernel,
                               .problem = problem,
                               .device = device,
                               .source = source,
                               .variant = variant};
    if (good)
        reason = take(import, &record, values);
    if (reason)
        ht_import_skip(import, reason, kernel);
    free(kernel);
    free(variant);
}
