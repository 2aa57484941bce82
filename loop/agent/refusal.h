/* Why an answer of an agent is refused: docs/agent.md#refusals lists the kinds. */
#ifndef HT_LOOP_AGENT_REFUSAL_H
#define HT_LOOP_AGENT_REFUSAL_H

#include <stddef.h>

/* X(name, word): the words are in reports and go to the agent. */
#define HT_REFUSALS(X)                                                                             \
    X(NONE, "accepted")                                                                            \
    X(MESSAGE, "message")       /* it is no answer of the schema */                                \
    X(PARSE, "parse")           /* it does not compile, or is no kernel of this name */            \
    X(SIGNATURE, "signature")   /* the kernel takes other arguments */                             \
    X(FORBIDDEN, "forbidden")   /* code that a kernel does not need and that cannot be judged */   \
    X(CLOCK, "clock")           /* it reads clocks */                                              \
    X(PROCESS, "process")       /* it ends or starts processes, or calls the system */             \
    X(REFERENCE, "reference")   /* it names hiptemper's own, such as what it is compared with */   \
    X(BUILD, "build")           /* it is other code in other builds */                             \
    X(STATE, "state")           /* something of one launch is left for the next */                 \
    X(TOLERANCE, "tolerance")   /* another tolerance than the original's */                        \
    X(PROBLEM, "problem")       /* other sizes, arguments or contents than the original's */       \
    X(LAUNCH, "launch")         /* no block and grid are found, or no device launches them */      \
    X(RACE, "race")             /* threads or blocks that race */                                  \
    X(BARRIER, "barrier")       /* a barrier that part of a block reaches */                       \
    X(OUTSIDE, "outside")       /* accesses outside of buffers and arrays */                       \
    X(INPUT, "input")           /* writes to what is only read */                                  \
    X(UNWRITTEN, "unwritten")   /* reads what nothing has written */                               \
    X(SKIPPED, "skipped")       /* outputs that are not written */                                 \
    X(CONSTANT, "constant")     /* outputs that do not depend on the inputs */                     \
    X(SHAPE, "shape")           /* right at the size that was given, wrong at another */           \
    X(RESULT, "result")         /* wrong outputs */                                                \
    X(HANG, "hang")             /* it does not end */                                              \
    X(CRASH, "crash")           /* it ends the process */                                          \
    X(SANDBOX, "sandbox")       /* it makes a system call that is refused */                       \
    X(UNVERIFIED, "unverified") /* the original does not run here, so that nothing is known */

typedef enum ht_refusal {
#define HT_REFUSAL_MEMBER(name, word) HT_REFUSAL_##name,
    HT_REFUSALS(HT_REFUSAL_MEMBER)
#undef HT_REFUSAL_MEMBER
        HT_REFUSAL_COUNT
} ht_refusal;

const char *ht_refusal_word(ht_refusal refusal);

/* A refusal with its reason; zeroed: accepted. */
typedef struct ht_refused {
    ht_refusal kind;
    int line;     /* in the text that was answered; 0: it has no place */
    char *reason; /* what is so, and what to do; NULL: accepted; owned */
} ht_refused;

/* Sets it unless it is one already. */
void ht_refuse(ht_refused *refused, ht_refusal kind, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void ht_refused_free(ht_refused *refused);

#endif
