/* A kernel's file as somebody else, such as an agent, has rewritten it: read against the original
 * before anything of it is compiled or run. */
#ifndef HT_REFACTOR_REWRITE_FOREIGN_H
#define HT_REFACTOR_REWRITE_FOREIGN_H

#include "refactor/refactor.h"

typedef enum ht_foreign_kind {
    HT_FOREIGN_READ,      /* no fault is known */
    HT_FOREIGN_UNPARSED,  /* it does not compile, or defines the kernel no more */
    HT_FOREIGN_SIGNATURE, /* the kernel takes other arguments */
    HT_FOREIGN_STATE,     /* the kernel reaches a variable that outlives a launch */
    HT_FOREIGN_OUTSIDE,   /* it reaches what neither the file nor device code has */
    HT_FOREIGN_ADDRESS    /* it makes an address of a number */
} ht_foreign_kind;

typedef struct ht_foreign {
    ht_foreign_kind kind;
    int line;    /* of the fault, in the rewritten file; 0: it has no place */
    char *fault; /* NULL with HT_FOREIGN_READ; owned */
    /* The kernel with all that it reaches, in the rewritten file and in the original; NULL with
     * HT_FOREIGN_UNPARSED, or where it cannot be cut out; owned. */
    char *unit, *original_unit;
} ht_foreign;

/* Reads `text` in the place of the refactor's file; `kernel` is an index of the refactor. Faults
 * that the original has too do not count. `annotated`: a template's kernel, which has template
 * parameters of its own; its arguments are compared when its annotations are read. An error: it
 * could not be found out. Free the result. */
ht_status ht_foreign_read(const ht_refactor *refactor, size_t kernel, const char *text,
                          bool annotated, ht_foreign *out, ht_error *error);
void ht_foreign_free(ht_foreign *foreign);

/* Returns the refactor's file as its author wrote it; with another text in the place of the
 * kernel's definition; and that definition alone. free(). */
char *ht_foreign_original(const ht_refactor *refactor);
char *ht_foreign_replaced(const ht_refactor *refactor, size_t kernel, const char *definition);
char *ht_foreign_definition(const ht_refactor *refactor, size_t kernel);

#endif
