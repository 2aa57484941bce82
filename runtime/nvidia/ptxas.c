#include "runtime/nvidia/ptxas.h"
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Table: a line "registers stack spill_stores spill_loads shared NAME" a kernel. Footer: the
 * table's length as 8 digits of hexadecimal, then the mark. */
static const char mark[] = "HTPTXAS1";
enum { MARK = sizeof mark - 1, DIGITS = 8, FOOTER = MARK + DIGITS };

#define INFO "ptxas info    : "
#define MORE "ptxas         . "
#define KERNEL "Compiling entry function '"

static size_t line_length(const char *line) {
    return strcspn(line, "\n");
}

static const char *line_next(const char *line) {
    line += line_length(line);
    return *line == '\n' ? line + 1 : line;
}

/* Returns the number in front of `words`, within the line; `otherwise` when the line lacks them. */
static int number_before(const char *line, const char *words, int otherwise) {
    const char *at = memmem(line, line_length(line), words, strlen(words));
    if (!at)
        return otherwise;
    const char *start = at;
    while (start > line && start[-1] >= '0' && start[-1] <= '9')
        start--;
    return start == at ? otherwise : (int)strtol(start, NULL, 10);
}

static void row_append(ht_text *out, const ht_ptxas_kernel *kernel, const char *name,
                       size_t length) {
    ht_text_printf(out, "%d %d %d %d %d ", kernel->registers, kernel->stack, kernel->spill_stores,
                   kernel->spill_loads, kernel->shared);
    ht_text_append_n(out, name, length);
    ht_text_append_n(out, "\n", 1);
}

/* Appends rows of a log. Each kernel's lines follow its "Compiling entry function"; its row is
 * complete with "Used". */
void ht_ptxas_table_append(const char *log, ht_text *out) {
    ht_text table = {0};
    ht_ptxas_kernel kernel = {0};
    const char *name = NULL;
    size_t length = 0;
    for (const char *line = log; *line; line = line_next(line)) {
        if (ht_text_begins(line, INFO KERNEL)) {
            name = line + strlen(INFO KERNEL);
            length = strcspn(name, "'\n");
            kernel = (ht_ptxas_kernel){0};
        } else if (name && ht_text_begins(line, MORE)) {
            kernel.stack = number_before(line, " bytes stack frame", kernel.stack);
            kernel.spill_stores = number_before(line, " bytes spill stores", kernel.spill_stores);
            kernel.spill_loads = number_before(line, " bytes spill loads", kernel.spill_loads);
        } else if (name && ht_text_begins(line, INFO "Used ")) {
            kernel.registers = number_before(line, " registers", 0);
            kernel.shared = number_before(line, " bytes smem", 0);
            row_append(&table, &kernel, name, length);
            name = NULL;
        }
    }
    if (table.length) {
        ht_text_append_n(out, table.data, table.length);
        ht_text_printf(out, "%08zx%s", table.length, mark);
    }
    ht_text_free(&table);
}

void ht_ptxas_log_strip(const char *log, ht_text *out) {
    for (const char *line = log; *line; line = line_next(line))
        if (!ht_text_begins(line, INFO) && !ht_text_begins(line, MORE))
            ht_text_append_n(out, line, (size_t)(line_next(line) - line));
}

/* Returns the table's text inside the image; NULL when there is none. */
static const char *table_find(const char *image, size_t size, size_t *out_length) {
    char digits[DIGITS + 1] = {0};
    if (size < FOOTER || memcmp(image + size - MARK, mark, MARK) != 0)
        return NULL;
    memcpy(digits, image + size - FOOTER, DIGITS);
    if (strspn(digits, "0123456789abcdef") != DIGITS)
        return NULL;
    size_t length = strtoul(digits, NULL, 16);
    if (length > size - FOOTER)
        return NULL;
    *out_length = length;
    return image + size - FOOTER - length;
}

/* `row` is a line of `length` bytes, without its end. */
static bool row_is(const char *row, size_t length, const char *name, ht_ptxas_kernel *out) {
    char numbers[96];
    size_t name_length = strlen(name);
    if (length <= name_length || memcmp(row + length - name_length, name, name_length) != 0 ||
        row[length - name_length - 1] != ' ' || length - name_length >= sizeof numbers)
        return false;
    memcpy(numbers, row, length - name_length);
    numbers[length - name_length] = '\0';
    int end = 0;
    return sscanf(numbers, "%9d %9d %9d %9d %9d %n", &out->registers, &out->stack,
                  &out->spill_stores, &out->spill_loads, &out->shared, &end) == 5 &&
           (size_t)end == length - name_length;
}

bool ht_ptxas_find(const void *image, size_t size, const char *name, ht_ptxas_kernel *out) {
    size_t length = 0;
    const char *table = table_find(image, size, &length);
    for (const char *end = table ? table + length : NULL; table < end;) {
        const char *stop = memchr(table, '\n', (size_t)(end - table));
        size_t row = (size_t)((stop ? stop : end) - table);
        if (row_is(table, row, name, out))
            return true;
        table += row + 1;
    }
    return false;
}
