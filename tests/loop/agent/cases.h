/* Answers of an agent, good and bad, as files with what is to become of them. */
#ifndef HT_TESTS_LOOP_AGENT_CASES_H
#define HT_TESTS_LOOP_AGENT_CASES_H

#include "loop/agent/gate.h"

/* A file of cheats/ or honest/: its first lines are "// of: ORIGINAL", "// answer: kernel, source
 * or template", "// refused: WORD" (ht_refusal_word) and "// words: PART OF THE REASON". */
typedef struct agent_case {
    char *name, *text, *of, *answer, *refused, *words; /* owned */
} agent_case;

/* Reads the cases of a folder, in the order of their names. Free each, then the list. */
size_t agent_cases_read(const char *folder, agent_case **out_cases);
void agent_case_free(agent_case *of);

/* An original with its gate. */
typedef struct agent_original {
    char *name;
    ht_problem_file *problems;
    ht_refactor *refactor;
    ht_problem problem; /* that the agent was given */
    ht_gate *gate;
} agent_original;

/* Opens tests/loop/agent/originals/NAME.hip. Ends the program where it cannot. */
void agent_original_open(const char *name, uint64_t seed, bool unruled, agent_original *out);
void agent_original_close(agent_original *of);

/* Gives a case to the gate. Returns what is wrong with the verdict; NULL: it is as it should be;
 * free(). */
char *agent_case_try(const agent_case *of, agent_original *original, ht_gate_verdict *out_verdict);

#endif
