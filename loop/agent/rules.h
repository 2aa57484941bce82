/* Rules for the text of a rewrite, looked at before it is parsed or run: no code that no run can
 * judge, since it may do something else where nobody looks. docs/agent.md#rules. Texts are foreign;
 * any bytes are read. */
#ifndef HT_LOOP_AGENT_RULES_H
#define HT_LOOP_AGENT_RULES_H

#include "loop/agent/refusal.h"

#include <stdbool.h>

/* Looks at the whole file's directives and spelling, before clang reads it. Lines that the original
 * has too are left alone. `annotated`: it may have annotations. */
void ht_rules_file(const char *text, const char *original, bool annotated, ht_refused *out);

/* Looks at the names in a kernel with all that it reaches, cut out of `text`. Names that the
 * original's has are left alone. */
void ht_rules_unit(const char *unit, const char *text, const char *original, ht_refused *out);

#endif
