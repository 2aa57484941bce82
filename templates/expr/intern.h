/* Rows of words, each kept once and known by a number. Private to templates/. */
#ifndef HT_TEMPLATES_EXPR_INTERN_H
#define HT_TEMPLATES_EXPR_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_intern {
    size_t width;   /* words of a row; set before the first row */
    uint32_t count; /* rows; they are numbered from 0 in the order in which they came */
    uint32_t *rows;
    uint32_t *slots; /* number + 1; open addressing */
    size_t row_capacity, slot_count;
} ht_intern;

/* Returns the row's number. *out_fresh: it is new. The row is copied. */
uint32_t ht_intern_put(ht_intern *set, const uint32_t *row, bool *out_fresh);
const uint32_t *ht_intern_row(const ht_intern *set, uint32_t number);
void ht_intern_free(ht_intern *set);

#endif
