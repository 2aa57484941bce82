/* Element types of buffers and scalars, and their values as doubles. Vector types are arrays of
 * their components. */
#ifndef HT_RUNTIME_BUFFERS_ELEMENT_H
#define HT_RUNTIME_BUFFERS_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ht_element_kind {
    HT_ELEMENT_SIGNED,
    HT_ELEMENT_UNSIGNED,
    HT_ELEMENT_BOOL,
    HT_ELEMENT_HALF,     /* IEEE binary16 */
    HT_ELEMENT_BFLOAT16, /* the upper half of a float */
    HT_ELEMENT_FLOAT,
    HT_ELEMENT_DOUBLE,
    HT_ELEMENT_TRACKED /* two doubles, a value and the sum of absolute products that make it: see
                          twin.h */
} ht_element_kind;

typedef struct ht_element {
    ht_element_kind kind;
    unsigned char bytes;      /* of one component */
    unsigned char components; /* 1 for scalars */
} ht_element;

/* "float", "const unsigned int", "__half", "std::int8_t", "float4", "hip_bfloat16", ...; false when
 * unknown. */
bool ht_element_parse(const char *type_name, ht_element *out_element);
size_t ht_element_size(ht_element element);
bool ht_element_floating(ht_element element);

/* Component `index` of an array of components. Setting rounds to nearest even and clamps integers
 * to their range. */
double ht_element_get(ht_element element, const void *data, size_t index);
void ht_element_set(ht_element element, void *data, size_t index, double value);

/* Bit patterns of the 16-bit types. */
uint16_t ht_half_from_double(double value);
double ht_half_to_double(uint16_t bits);
uint16_t ht_bfloat16_from_double(double value);
double ht_bfloat16_to_double(uint16_t bits);

#endif
