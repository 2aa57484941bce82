/* A kernel's syntax tree, for suites that ask it. */
#ifndef HT_TESTS_SYNTAX_SUPPORT_H
#define HT_TESTS_SYNTAX_SUPPORT_H

#include "refactor/kernel/model.h"
#include "refactor/kernel/syntax.h"
#include "refactor/source/source.h"

typedef struct syntax_kernel {
    ht_source *source;
    ht_model model;
    const ht_syntax_tree *tree;
} syntax_kernel;

/* Writes a file for the process, in the place of the one before; returns its path. */
const char *syntax_put(const char *text);
/* Of a kernel's body with what stands ahead of it; `p` (float *) and `n` (int) are its
 * parameters. */
syntax_kernel syntax_read(const char *ahead, const char *body);
void syntax_forget(syntax_kernel *of);
/* The first node of the kind. */
const ht_syntax *syntax_first(const ht_syntax_tree *tree, ht_syntax_kind kind);

#endif
