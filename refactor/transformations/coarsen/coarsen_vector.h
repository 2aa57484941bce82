/* Accesses of neighbouring outputs in one. A group of statements that runs once for each output of
 * a thread may begin by reading, and end by writing, elements that are neighbours for neighbouring
 * outputs. Then a loop over the outputs takes several at a time: it loads their elements at once,
 * runs the statements for one after the other, and stores the results at once. */
#ifndef HT_REFACTOR_COARSEN_VECTOR_H
#define HT_REFACTOR_COARSEN_VECTOR_H

#include "refactor/transformations/coarsen/coarsen_state.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

typedef struct ht_vector_access {
    const ht_syntax *node; /* the element; HT_SYNTAX_SUBSCRIPT or HT_SYNTAX_DEREFERENCE */
    bool store, load;
    bool elsewhere;   /* the variable is declared elsewhere */
    char *type;       /* of an element; owned */
    const char *pack; /* type of several elements */
    bool declared;    /* that is declared elsewhere */
    bool at_load;     /* the variable is declared where it is loaded */
    const char *name; /* variable of that type */
} ht_vector_access;

typedef struct ht_vectors {
    ht_vector_access *items; /* owned */
    size_t count;
    const char *why; /* why the first other access cannot be one; static */
    ht_position at;
    /* The parameter with which an access whose address is a multiple of its size is one that has to
     * be (ht_vectors_align); NULL: there is none. */
    const char *aligned;
} ht_vectors;

/* Marks each access whose address is one element further for the next output along c->x (`next`),
 * each `if` that holds for a contiguous range of outputs (`convex`), and each that holds for all or
 * none of them (`alike`). Shares must be known. */
void ht_vectors_note(ht_coarsen *c);
/* Finds the accesses of a group, items that run in this order with nothing before them.
 * `is_free(context, node)`: no other text replaces the node. `again` (by variable; NULL: none is):
 * variables that the group declares and that are computed again wherever they are needed. */
typedef bool ht_vectors_free_node(const void *context, const ht_syntax *node);
void ht_vectors_find(ht_coarsen *c, ht_syntax_list items, size_t count,
                     ht_vectors_free_node *is_free, const void *context, const bool *again,
                     ht_vectors *out_vectors);
/* Returns true if an expression has the same value before the items as in them, and reads no
 * memory. */
bool ht_vectors_settled(ht_coarsen *c, ht_syntax_list items, size_t count, const bool *again,
                        const ht_syntax *node);
/* Chooses names; values of one type have one type of several elements. From now on accesses follow
 * c->vector.aligned, if there is one. */
void ht_vectors_name(ht_coarsen *c, ht_vectors *vectors);
void ht_vectors_free(ht_vectors *vectors);

/* The reason for accesses whose neighbours are not next to them. */
extern const char ht_vector_not_next[];
/* Merges a reason (NULL: none) why accesses are not several at once. The first counts, but any
 * other comes before ht_vector_not_next, which most kernels have somewhere. */
void ht_vector_why_merge(const char **why, ht_position *at, const char *more, ht_position more_at);

/* Returns the text of an access in the statements; NULL: the node is not one. free(). */
char *ht_vectors_element(const ht_vectors *vectors, const ht_syntax *node, const char *each);

/* Declares each access's values, `width` (a parameter) of them, on lines indented as `like`, those
 * of one type together. */
void ht_vectors_declare(const ht_vectors *vectors, const char *width, size_t like,
                        ht_writer *writer);
/* Returns true if there are accesses that load, or that store. */
bool ht_vectors_any(const ht_vectors *vectors, bool store);
/* A loop over a thread's outputs that takes several at a time. */
typedef struct ht_vector_loop {
    const ht_vectors *vectors;
    const char *counter, *factor; /* of the outputs: variable, parameter */
    const char *width;            /* parameter: number at a time */
    const char *begin, *each;     /* variables: the first of them, and the number among them */
    size_t like;                  /* indented as this place */
    /* convex tests: if they hold for the first and the last, the statements need none */
    ht_syntax_list tests;
    size_t test_count;
    const char *inside; /* variable: the tests hold */
    /* Writes the values from which an output's addresses and tests are computed. */
    void (*front)(const struct ht_vector_loop *loop, ht_writer *writer);
    /* Writes the statements for one output, with elements of the loaded values as the accesses. */
    void (*body)(const struct ht_vector_loop *loop, ht_writer *writer);
    /* Writes the statements for one output as they are, with tests. */
    void (*tested)(const struct ht_vector_loop *loop, ht_writer *writer);
    /* Writes the loop that this one replaces, for one output at a time. */
    void (*usual)(const struct ht_vector_loop *loop, ht_writer *writer);
    /* Writes this loop with those around it (ht_vectors_loop); NULL: there are none. */
    void (*whole)(const struct ht_vector_loop *loop, ht_writer *writer);
    const char *condition; /* condition for taking it; NULL: always */
    void *context;
} ht_vector_loop;

/* Writes the loop itself. */
void ht_vectors_loop(const ht_vector_loop *loop, ht_writer *writer);
/* Writes one loop or the other, by the parameter and by the condition. */
void ht_vectors_write(const ht_vector_loop *loop, ht_writer *writer);

/* Makes coarsen-x write such loops from now on, with the parameter VECTOR_OUTPUTS. */
void ht_vectors_begin(ht_coarsen *c);
/* Offers the text to vector-width, which adds the parameter; `text` NULL: there is none. */
void ht_vectors_offer(ht_coarsen *c, ht_range range, const char *text);

#endif
