/* The fields of a structure that a problem may describe: all its numbers and pointers, by the names
 * by which a program reaches them. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_RECORD_H
#define HT_REFACTOR_SOURCE_RECORD_H

#include "refactor/source/libclang.h"

#include <stdbool.h>
#include <stddef.h>

enum { HT_RECORD_FIELDS_MAX = 48, HT_RECORD_DEPTH_MAX = 6, HT_RECORD_APART_MAX = 8 };

/* A number, a vector, a pointer, or an array of more than HT_RECORD_APART_MAX numbers. */
typedef struct ht_record_leaf {
    char *path;     /* "n", "low.x", "w[2]"; owned */
    CXCursor field; /* the declaration of the last name */
    CXType type;    /* canonical, without qualifiers */
    /* The way there: the number of each member among those next to it, and how many there are (0:
     * there is a base class, too); no steps where a base class has it. */
    size_t steps[HT_RECORD_DEPTH_MAX], widths[HT_RECORD_DEPTH_MAX];
    size_t step_count;
    long long place; /* bytes from the structure's beginning; -1: not known, as in a base class */
} ht_record_leaf;

typedef struct ht_record {
    ht_record_leaf *leaves; /* owned */
    size_t count;
    char *problem; /* why it is not described; NULL: it is; owned */
} ht_record;

/* Reads a structure's fields: nested structures and arrays to their last number. A problem are
 * unions, bit-fields, references, members that are not public, bytes that no field has (a virtual
 * class), and copies that run code. Free with ht_record_free. */
void ht_record_read(CXType type, ht_record *out_record);
void ht_record_free(ht_record *record);
/* The leaf at a path, or one that it is a part of, or has as its part; NULL: there is none. */
const ht_record_leaf *ht_record_find(const ht_record *record, const char *path);
/* The number in an array of arrays, and how many there are; of another type, itself and 1. */
CXType ht_record_element(CXType type, long long *out_count);

/* The type by its own name, "ns::Params<float>"; NULL: it has none that another place may use (a
 * local type, a lambda). free(). */
char *ht_record_name(CXType type);

#endif
