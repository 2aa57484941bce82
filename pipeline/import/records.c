#include "pipeline/import/records.h"

#include "base/file.h"
#include "base/file_write.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const problem_columns =
    "in_c\tin_h\tin_w\tfil_h\tfil_w\tout_c\tbatch\tpad_h\tpad_w\tstride_h\tstride_w\tdil_h\tdil_w\t"
    "bias\tgroup\tlayout\tprecision\tdirection\tout_h\tout_w\tout_exact\tarch\tcu\tsrc";

void ht_import_skip(ht_import *import, const char *reason, const char *detail) {
    char *text = detail ? ht_format("%s: %.60s", reason, detail) : ht_strdup(reason);
    ++import->entries;
    for (size_t i = 0; i < import->reason_count; ++i)
        if (!strcmp(import->reasons[i].text, text)) {
            ++import->reasons[i].count;
            free(text);
            return;
        }
    HT_GROW(import->reasons, import->reason_count);
    import->reasons[import->reason_count++] = (ht_import_reason){text, 1};
}

static ht_import_table *table_of(ht_import *import, const ht_import_record *record) {
    const char *precision = record->problem->precision, *arch = record->device->arch;
    for (size_t i = 0; i < import->table_count; ++i) {
        ht_import_table *table = &import->tables[i];
        if (!strcmp(table->kernel, record->kernel) && !strcmp(table->precision, precision) &&
            !strcmp(table->arch, arch))
            return table;
    }
    HT_GROW(import->tables, import->table_count);
    ht_import_table *table = &import->tables[import->table_count++];
    *table = (ht_import_table){.kernel = ht_strdup(record->kernel),
                               .precision = ht_strdup(precision),
                               .arch = ht_strdup(arch),
                               .columns = ht_strdup(record->columns)};
    return table;
}

static size_t slot_of(const ht_import_table *table, const char *key) {
    size_t at = ht_hash_short(key, strlen(key)) & (table->index_size - 1);
    while (table->index[at] && strcmp(table->keys[table->index[at] - 1], key) != 0)
        at = (at + 1) & (table->index_size - 1);
    return at;
}

static void index_grow(ht_import_table *table) {
    if (2 * table->count < table->index_size)
        return;
    table->index_size = table->index_size ? 2 * table->index_size : 64;
    free(table->index);
    table->index = ht_alloc(table->index_size, sizeof *table->index);
    for (size_t i = 0; i < table->count; ++i)
        table->index[slot_of(table, table->keys[i])] = (uint32_t)i + 1;
}

static char *problem_cells(const ht_miopen_problem *p, const ht_import_device *device) {
    const int64_t numbers[] = {p->in_c,     p->in_h,  p->in_w,  p->fil_h, p->fil_w,
                               p->out_c,    p->batch, p->pad_h, p->pad_w, p->stride_h,
                               p->stride_w, p->dil_h, p->dil_w, p->bias,  p->group};
    ht_text cells = {0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        ht_text_printf(&cells, "%" PRId64 "\t", numbers[i]);
    ht_text_printf(&cells, "%s\t%s\t%c\t%" PRId64 "\t%" PRId64 "\t%d\t%s\t%" PRId64, p->layout,
                   p->precision, p->direction, p->out_h, p->out_w, p->out_exact, device->arch,
                   device->cu);
    return ht_text_take(&cells);
}

void ht_import_add(ht_import *import, const ht_import_record *record) {
    ht_import_table *table = table_of(import, record);
    char *problem = problem_cells(record->problem, record->device);
    char *key = ht_format("%s\t%s", problem, record->variant ? record->variant : "");
    char *row = ht_format("%s\t%s\t%s", problem, record->source, record->values);
    free(problem);
    ++import->entries;
    index_grow(table);
    size_t slot = slot_of(table, key);
    if (table->index[slot]) {
        char **old = &table->rows[table->index[slot] - 1];
        ++import->replaced;
        free(*old);
        free(key);
        *old = row;
        return;
    }
    HT_GROW(table->keys, table->count);
    HT_GROW(table->rows, table->count);
    table->keys[table->count] = key;
    table->rows[table->count] = row;
    table->index[slot] = (uint32_t)++table->count;
}

char *ht_import_file_name(const ht_import_table *table) {
    return ht_format("%s.%s.%s.tsv", table->kernel, table->precision, table->arch);
}

static char *table_text(const ht_import_table *table) {
    ht_text text = {0};
    ht_text_printf(&text, "%s\t%s\n", problem_columns, table->columns);
    for (size_t i = 0; i < table->count; ++i)
        ht_text_printf(&text, "%s\n", table->rows[i]);
    return ht_text_take(&text);
}

ht_status ht_import_write(const ht_import *import, const char *folder, ht_error *error) {
    size_t count = import->table_count;
    ht_file_content *files = ht_alloc(count + 1, sizeof *files);
    char **owned = ht_alloc(2 * count + 1, sizeof *owned);
    ht_status status = ht_dir_make(folder, error);
    for (size_t i = 0; i < count; ++i) {
        char *name = ht_import_file_name(&import->tables[i]);
        owned[2 * i] = ht_path_join(folder, name);
        owned[2 * i + 1] = table_text(&import->tables[i]);
        free(name);
        files[i] = (ht_file_content){owned[2 * i], owned[2 * i + 1], strlen(owned[2 * i + 1])};
        if (status == HT_OK)
            status = ht_result_check(owned[2 * i], error);
    }
    if (status == HT_OK && count)
        status = ht_files_replace(files, count, error);
    ht_strings_free(owned, 2 * count);
    free(files);
    return status;
}

void ht_import_free(ht_import *import) {
    for (size_t i = 0; i < import->table_count; ++i) {
        ht_import_table *table = &import->tables[i];
        for (size_t r = 0; r < table->count; ++r) {
            free(table->keys[r]);
            free(table->rows[r]);
        }
        free(table->keys);
        free(table->rows);
        free(table->index);
        free(table->kernel);
        free(table->precision);
        free(table->arch);
        free(table->columns);
    }
    for (size_t i = 0; i < import->reason_count; ++i)
        free(import->reasons[i].text);
    free(import->tables);
    free(import->reasons);
    *import = (ht_import){0};
}
