/* The builder of syntax trees, for its files (syntax_build.c, syntax_expression.c,
 * syntax_call.c, syntax_variable.c). */
#ifndef HT_REFACTOR_KERNEL_SYNTAX_BUILD_H
#define HT_REFACTOR_KERNEL_SYNTAX_BUILD_H

#include "refactor/kernel/syntax_origin.h"

/* A construct that is not analysed. */
typedef struct ht_syntax_trouble {
    char *why; /* owned */
    ht_position at;
    bool shared; /* an array that the block shares is declared */
} ht_syntax_trouble;

struct ht_syntax_origin {
    ht_syntax_tree tree;
    bool whole;                    /* of all that the kernel reaches */
    ht_syntax **nodes;             /* the tree's; owned, with their children */
    CXCursor *from;                /* by node; owned */
    ht_syntax_variable *variables; /* the tree's; owned */
    CXCursor *declared;            /* by variable; owned */
    ht_syntax_function *functions; /* the tree's; owned, with their lists */
    ht_syntax_trouble *troubles;   /* in the order of the source; owned */
    size_t trouble_count;
    char **files; /* names of files that nodes stand in; owned */
    size_t file_count;
    size_t *file_indices; /* the same among the user's files; owned */
    size_t file_index_count;
};

typedef struct ht_syntax_origin ht_syntax_builder;

ht_syntax *ht_syntax_build(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor);
ht_syntax *ht_syntax_build_variable(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor);
ht_syntax *ht_syntax_add(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor,
                         ht_syntax_kind kind);
void ht_syntax_add_child(ht_syntax *node, const ht_syntax *child);
/* Builds the expressions, statements and variables directly below the node's cursor as its
 * children; in a whole tree, those in other declarations as well. */
void ht_syntax_add_children(ht_syntax_builder *b, ht_syntax *node);
void ht_syntax_add_below(ht_syntax_builder *b, ht_syntax *node, CXCursor cursor);
ht_syntax_trouble *ht_syntax_note(ht_syntax_builder *b, CXCursor place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
