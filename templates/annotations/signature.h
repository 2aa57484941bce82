/* A kernel's parameters as its declaration spells them, found in a unit's text without a compiler.
 * Parts that macros, unknown types or conditional compilation leave open are marked as not
 * understood, so that nobody is blamed for it. Private to templates/. */
#ifndef HT_TEMPLATES_ANNOTATIONS_SIGNATURE_H
#define HT_TEMPLATES_ANNOTATIONS_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_signature_param {
    char *text; /* as it is written, white space collapsed; owned */
    char *name; /* "" when it has none; owned */
    char *type; /* of a scalar, or what a pointer points to, without const; "" when not understood;
                   owned */
    bool is_known;   /* is_pointer is right: it is a pointer or a scalar */
    bool is_pointer; /* arrays, too */
    bool is_const;   /* what it points to is certainly const */
} ht_signature_param;

typedef struct ht_signature {
    ht_signature_param *params; /* owned */
    size_t count;
    int line; /* of the declaration, in the author's file where #line says so */
} ht_signature;

/* Finds the `__global__` function of that (perhaps qualified) name. False when there is none, when
 * its declarations differ, or when it is not certain how many parameters it has. */
bool ht_signature_find(const char *unit, const char *kernel, ht_signature *out_signature);
void ht_signature_free(ht_signature *signature);

/* Returns the meaning of a name by the unit's typedefs, using and #define lines, once: "float",
 * "const float *". NULL when they say nothing or several things; *out_open is then true for a name
 * whose meaning is not known. Free(). */
char *ht_signature_alias(const char *unit, const char *name, bool *out_open);

#endif
