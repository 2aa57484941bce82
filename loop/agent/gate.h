/* The gate: whatever an agent sends is judged here, against the original, before the loop spends
 * time on it. A rewrite that passes was parsed, keeps the signature, ran confined and with every
 * access looked at, gave the original's outputs on fresh inputs at sizes that nobody was given,
 * keeps nothing from launch to launch, and still does so in plain runs, at the size that was given
 * and another one. docs/agent.md has the order of the tests. Host emulation. */
#ifndef HT_LOOP_AGENT_GATE_H
#define HT_LOOP_AGENT_GATE_H

#include "loop/agent/refusal.h"
#include "refactor/refactor.h"

typedef struct ht_gate ht_gate;

typedef struct ht_gate_options {
    const ht_refactor_options *compiler; /* borrowed, as the refactor was made with; may be NULL */
    const ht_problem *problem;           /* that the agent was given; borrowed; NULL: the kernel has
                                            no sizes */
    uint64_t seed; /* of inputs, sizes and configurations; one that the agent cannot know */
    unsigned compile_workers;        /* 0: one a core */
    size_t configurations;           /* of a template, in addition to its default; 0: 8 */
    const volatile int *interrupted; /* may be NULL */
    bool unruled; /* the rules on texts (rules.h, foreign.h) are left out: shows what runs alone
                     find, in tests */
} ht_gate_options;

typedef struct ht_gate_verdict {
    ht_refused refused; /* its kind is HT_REFUSAL_NONE for what passed */
    char *text;         /* what passed: the whole file, or an annotated unit; owned; else NULL */
    size_t sizes;       /* problems that it was run at */
    bool checked;       /* every access was looked at; else the original has findings of its own */
    bool twice;         /* state between launches was looked for */
    double seconds;
} ht_gate_verdict;

/* Opens the gate for one kernel of a refactor, which must outlive it. HT_ERROR_UNSUPPORTED where
 * the original's launch cannot be read, with the reason. */
ht_status ht_gate_open(const ht_refactor *refactor, size_t kernel, const ht_gate_options *options,
                       ht_gate **out_gate, ht_error *error);
void ht_gate_close(ht_gate *gate);

/* The annotations of the original: problem, arguments, tolerance, launch. A template that is
 * answered has the same, but for its launch. Borrowed. */
const char *ht_gate_annotations(const ht_gate *gate);
/* The text of the kernel's definition, the part of the file that `HT_ANSWER_KERNEL` replaces. */
const char *ht_gate_definition(const ht_gate *gate);

/* Judge the whole file, rewritten; the kernel's definition (with what it needs in front) in the
 * place of the original's; or an annotated unit. An error: it could not be found out (no compiler,
 * Ctrl-C). Free the verdict in any case. */
ht_status ht_gate_source(ht_gate *gate, const char *text, ht_gate_verdict *out, ht_error *error);
ht_status ht_gate_kernel(ht_gate *gate, const char *definition, ht_gate_verdict *out,
                         ht_error *error);
ht_status ht_gate_template(ht_gate *gate, const char *text, ht_gate_verdict *out, ht_error *error);
void ht_gate_verdict_free(ht_gate_verdict *verdict);

#endif
