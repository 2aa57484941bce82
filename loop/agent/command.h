/* A command that is asked by lines: `--agent CMD`. It runs as the user's own program, unconfined;
 * its answers are foreign all the same. */
#ifndef HT_LOOP_AGENT_COMMAND_H
#define HT_LOOP_AGENT_COMMAND_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

typedef struct ht_agent_command ht_agent_command;

/* Prepares a command for /bin/sh; starts nothing. `seconds`: that an answer may take. */
ht_agent_command *ht_agent_command_new(const char *command, double seconds,
                                       const volatile int *interrupted);
/* Ends the command with all that it started. */
void ht_agent_command_free(ht_agent_command *agent);

/* Writes the state as one line and waits for one line. The command may go on running for further
 * questions, or end after its answer: it is then started again. *out_line, free(): the line without
 * its end; cut after HT_ANSWER_LINE_MAX bytes. HT_ERROR_IO: it ended without an answer,
 * however often it answered before; the error says how, with the last lines of its standard error.
 * HT_ERROR_TIMEOUT: it took too long; HT_ERROR_INTERRUPTED. It is ended in all of these cases. */
ht_status ht_agent_command_ask(ht_agent_command *agent, const json_t *state, char **out_line,
                               size_t *out_length, ht_error *error);

#endif
