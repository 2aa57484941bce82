/* Memory and variables that a kernel's statements read, write and change, from its syntax tree. The
 * tree must be wholly analysed: ht_syntax_unknown returns NULL for it. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_EFFECTS_H
#define HT_REFACTOR_KERNEL_EFFECTS_H

#include "refactor/kernel/syntax.h"

typedef struct ht_access {
    bool unknown;
    bool *variables; /* pointers and objects by index; owned */
} ht_access;

typedef struct ht_effects {
    ht_access reads, writes; /* of memory that other threads see */
    const ht_syntax *first_write;
} ht_effects;

void ht_effects_collect(const ht_syntax *node, ht_effects *out_effects);
void ht_effects_free(ht_effects *effects);
/* Returns true if the node writes memory, or has another effect outside of the thread. */
bool ht_syntax_has_effect(const ht_syntax *node);
/* Returns true if it has such an effect or changes a variable. */
bool ht_syntax_has_change(const ht_syntax *node);
/* Returns true if the node reads memory that other threads see. */
bool ht_syntax_reads_memory(const ht_syntax *node);
/* Returns true if no memory that the node reads is written by the kernel. */
bool ht_syntax_reads_what_stays(const ht_syntax *node);
/* Returns the parameters, globals and objects whose memory a pointer may point into. The caller
 * frees its `variables`. */
ht_access ht_pointer_roots(const ht_syntax *pointer);

/* Returns the name of the variable that a store through this lvalue changes; NULL: it changes
 * memory. */
const ht_syntax *ht_lvalue_root(const ht_syntax *lvalue);
/* Called by ht_syntax_changes with the name of each variable that `node` may change after its
 * declaration, and with the node that changes it. */
typedef void ht_change_visit(const ht_syntax *name, const ht_syntax *change, void *context);
void ht_syntax_changes(const ht_syntax *node, ht_change_visit *visit, void *context);
/* Calls `visit` for each of a thread's own arrays whose address this node (not those below it) puts
 * into an object or passes on: by way of it the array may be changed later. */
void ht_syntax_addresses_kept(const ht_syntax *node, ht_change_visit *visit, void *context);
/* Returns true if `node` may so change the variable. */
bool ht_syntax_changes_variable(const ht_syntax *node, size_t variable);
/* Returns true if the variable keeps one value while `at` runs: nothing changes it but the headers
 * of loops in whose bodies `at` stands. `at` NULL: nothing changes it at all. */
bool ht_variable_is_steady(const ht_syntax_variable *variable, const ht_syntax *at);

#endif
