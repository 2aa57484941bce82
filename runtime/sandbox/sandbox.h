/* The limits of code from sources: it may compute, and little else. A process that enters the
 * sandbox never leaves it, nor does anything that it starts. docs/security.md says what each layer
 * stops, and what none of them does. */
#ifndef HT_RUNTIME_SANDBOX_SANDBOX_H
#define HT_RUNTIME_SANDBOX_SANDBOX_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ht_sandbox_mode {
    HT_SANDBOX_AUTO, /* as much of it as the machine has */
    HT_SANDBOX_ON,   /* all of it, or nothing runs */
    HT_SANDBOX_OFF
} ht_sandbox_mode;

/* The user's choice, for all jobs of this process. */
void ht_sandbox_choose(ht_sandbox_mode mode);
ht_sandbox_mode ht_sandbox_chosen(void);
const char *ht_sandbox_mode_name(ht_sandbox_mode mode); /* "auto", "on", "off" */
bool ht_sandbox_mode_parse(const char *text, ht_sandbox_mode *out_mode);

/* The means that the kernel offers. */
typedef struct ht_sandbox_support {
    int landlock; /* version of its interface; 0: none */
    bool seccomp; /* filters of system calls */
    bool notify;  /* that ask the guard, which can name what was tried */
} ht_sandbox_support;

ht_sandbox_support ht_sandbox_probe(void);
/* Returns true if nothing of the sandbox is missing. */
bool ht_sandbox_complete(const ht_sandbox_support *support);
/* Fails if the mode is `on` and the machine lacks a part: HT_ERROR_MISSING. */
ht_status ht_sandbox_require(ht_sandbox_mode mode, ht_error *error);

enum { HT_SANDBOX_SOCKETS = 3 };

/* The needs of one process. */
typedef struct ht_sandbox_plan {
    ht_sandbox_mode mode;
    bool programs;          /* it starts compilers */
    bool alone;             /* no guard watches over it: what is refused ends it without a word */
    bool devices;           /* a GPU's driver works in it: threads, device files, local sockets */
    const char *writes;     /* the only folder that it may write to; NULL: none */
    const char *keeps;      /* another one, where its compilers keep objects; NULL: none */
    const char *reads;      /* a folder that it reads, next to the system's */
    const char *also_reads; /* and another one */
    uint64_t memory;        /* resident bytes; 0: no limit of the guard's */
    int sockets[HT_SANDBOX_SOCKETS]; /* descriptors it may send to; unused ones -1 */
} ht_sandbox_plan;

/* Shuts the calling process in. Call it while it has one thread and has run nothing foreign. */
ht_status ht_sandbox_enter(const ht_sandbox_plan *plan, ht_error *error);

/* Returns true if a reason of failure says that the sandbox ended a process. */
bool ht_sandbox_blamed(const char *reason);

/* Closes every descriptor from `first` on but `spared`. */
void ht_sandbox_close_from(int first, int spared);

#endif
