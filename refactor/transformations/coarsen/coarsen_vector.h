/* Accesses of neighbouring outputs as one. A group of statements that runs once for each output of
 * a thread may read, before all else, and write, after all else, elements that lie next to each
 * other for outputs that do. Then a loop over the outputs goes by so many at a time: it loads their
 * elements at once, runs the statements for one after the other, and stores the results at once. */
#ifndef HT_REFACTOR_COARSEN_VECTOR_H
#define HT_REFACTOR_COARSEN_VECTOR_H

#include "refactor/transformations/coarsen/coarsen.h"

typedef struct ht_vector_access {
    ht_node *node; /* the element; HT_NODE_SUBSCRIPT or HT_NODE_DEREFERENCE */
    bool store, load;
    char *type;       /* of an element; owned */
    const char *pack; /* a type of so many */
    const char *name; /* a variable of that */
} ht_vector_access;

typedef struct ht_vectors {
    ht_vector_access *items; /* owned */
    size_t count;
    const char *why; /* the first access that is not one; static */
    CXCursor at;
} ht_vectors;

/* Notes in `next` of each access whether its address is one element further for the next output
 * along c->x, and in `convex` of each `if` whether it lets outputs through that lie side by side,
 * in `alike` whether it lets all or none of them through. Shares must be known. */
void ht_vectors_note(ht_coarsen *c);
/* The accesses of a group, items that are run in this order with nothing before them.
 * `is_free(context, node)`: nobody else has a text for it. `again` (by variable; NULL: none is)
 * says which of the variables that the group declares are computed anew wherever they are needed.
 */
typedef bool ht_vectors_free_node(const void *context, const ht_node *node);
void ht_vectors_find(ht_coarsen *c, ht_node **items, size_t count, ht_vectors_free_node *is_free,
                     const void *context, const bool *again, ht_vectors *out_vectors);
/* The type of an expression's value, as text; NULL: it cannot be written. free(). */
char *ht_node_type_text(const ht_node *node);
/* Returns true if an expression has the same value ahead of the items as in them, and reads no
 * memory. */
bool ht_vectors_settled(ht_coarsen *c, ht_node **items, size_t count, const bool *again,
                        ht_node *node);
/* Chooses names. */
void ht_vectors_name(ht_coarsen *c, ht_vectors *vectors);
void ht_vectors_free(ht_vectors *vectors);

/* The text of an access in the statements; NULL: the node is not one. free(). */
char *ht_vectors_element(const ht_vectors *vectors, const ht_node *node, const char *each);

/* A loop over a thread's outputs, so many at a time. */
typedef struct ht_vector_loop {
    const ht_vectors *vectors;
    const char *counter, *factor; /* of the outputs: variable, parameter */
    const char *width;            /* parameter: how many at a time */
    const char *begin, *each;     /* variables: the first of them, which of them */
    size_t like;                  /* indented as this place */
    ht_node **tests; /* convex: where they hold for the first and the last, all is done without */
    size_t test_count;
    const char *inside; /* variable: they do */
    /* Writes what an output's addresses, and the tests, are made of. */
    void (*front)(const struct ht_vector_loop *loop, ht_writer *writer);
    /* Writes the statements for one output, in which the accesses are elements of what was loaded.
     */
    void (*body)(const struct ht_vector_loop *loop, ht_writer *writer);
    /* Writes the statements for one output as they are, tests included. */
    void (*tested)(const struct ht_vector_loop *loop, ht_writer *writer);
    /* Writes the loop that it stands for, one output after the other. */
    void (*usual)(const struct ht_vector_loop *loop, ht_writer *writer);
    /* Writes this loop, with those around it (ht_vectors_loop); NULL: there are none. */
    void (*whole)(const struct ht_vector_loop *loop, ht_writer *writer);
    const char *condition; /* when it may be taken; NULL: always */
    void *context;
} ht_vector_loop;

/* The loop itself. */
void ht_vectors_loop(const ht_vector_loop *loop, ht_writer *writer);
/* One or the other: by the parameter, and by the condition. */
void ht_vectors_write(const ht_vector_loop *loop, ht_writer *writer);

#endif
