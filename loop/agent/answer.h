/* The lines that hiptemper and an agent exchange: docs/agent.md#schema. An agent's are
 * foreign text; any bytes are read. */
#ifndef HT_LOOP_AGENT_ANSWER_H
#define HT_LOOP_AGENT_ANSWER_H

#include "loop/agent/refusal.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the schema. An answer of another one is refused. */
enum { HT_AGENT_VERSION = 1 };

/* Bounds of an answer. */
enum {
    HT_ANSWER_TEXT_MAX = 256 * 1024, /* bytes of a source */
    HT_ANSWER_LINE_MAX = 2 * 1024 * 1024,
    HT_ANSWER_WHY_MAX = 500,
    HT_ANSWER_PARAMETERS_MAX = 16,
    HT_ANSWER_VALUES_MAX = 32,
    HT_ANSWER_NUMBER_MAX = 1 << 20,
    HT_ANSWER_EVALUATIONS_MAX = 1000000
};

typedef enum ht_answer_kind {
    HT_ANSWER_PASS,       /* nothing to propose */
    HT_ANSWER_KERNEL,     /* the kernel's definition, to stand in the place of the old one */
    HT_ANSWER_SOURCE,     /* the whole file */
    HT_ANSWER_TEMPLATE,   /* an annotated unit */
    HT_ANSWER_PARAMETERS, /* more values for the parameters of the parent's template */
    HT_ANSWER_SEARCH      /* more evaluations of the parent's template */
} ht_answer_kind;

typedef struct ht_answer_parameter {
    char *name; /* owned */
    int64_t values[HT_ANSWER_VALUES_MAX];
    size_t count;
} ht_answer_parameter;

typedef struct ht_answer {
    ht_answer_kind kind;
    bool has_parent;
    uint64_t parent;                 /* the revision that it changes */
    char *text;                      /* of KERNEL, SOURCE and TEMPLATE; owned; else NULL */
    ht_answer_parameter *parameters; /* of PARAMETERS; owned */
    size_t parameter_count;
    uint64_t evaluations; /* of SEARCH */
    char *why;            /* in the agent's words, one line; owned; NULL: not given */
} ht_answer;

/* Reads a line. `turn`: that was asked. One that does not fit the schema is refused
 * (HT_REFUSAL_MESSAGE), and the answer is HT_ANSWER_PASS. Free it in any case. */
void ht_answer_read(const char *line, size_t length, uint64_t turn, ht_answer *out,
                    ht_refused *out_refused);
void ht_answer_free(ht_answer *answer);

/* Writes parameters as lines "param(NAME : 1, 2, 4 = 1)"; free(). */
char *ht_answer_parameters_text(const ht_answer *answer);

/* The members of a question. All borrowed. */
typedef struct ht_agent_state {
    uint64_t turn;
    const char *path, *kernel;
    const char *source;      /* the original file */
    const char *definition;  /* the kernel's, in it */
    const char *annotations; /* of the original: problem, arguments, tolerance, launch */
    const char *problem;     /* sizes that are tuned for; NULL: there are none */
    const char *device;
    json_t *profile, *remarks; /* NULL: not known */
    json_t *history;           /* array of revisions; NULL: there are none */
    const ht_refused *refused; /* what became of the last answer; NULL: it was not refused */
    uint64_t rounds_left;
    double seconds_left; /* 0: no limit */
} ht_agent_state;

/* New reference. */
json_t *ht_agent_state_json(const ht_agent_state *state);

#endif
