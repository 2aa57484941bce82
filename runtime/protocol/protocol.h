/* Messages between the tuner and its workers: JSON objects, each after its length (32 bits,
 * little-endian), on a socket. Larger things (units, compiled code, references) are files in the
 * job's private folder. */
#ifndef HT_RUNTIME_PROTOCOL_PROTOCOL_H
#define HT_RUNTIME_PROTOCOL_PROTOCOL_H

#include "base/error.h"
#include "runtime/compile/compile.h"

#include <jansson.h>
#include <stdbool.h>

/* In the job's folder: the one that processes which run kernels may write to. */
#define HT_RUN_FOLDER "run"

enum { HT_MESSAGE_MAX = 16 << 20 };

/* Bytes received, until they make a message. */
typedef struct ht_inbox {
    char *data; /* owned */
    size_t length;
    size_t capacity;
} ht_inbox;

/* Sends one message; false when the other side is gone. */
bool ht_message_send(int fd, const json_t *message);
/* Reads what there is, waiting for at least one byte; false at the end of the stream. */
bool ht_inbox_read(ht_inbox *inbox, int fd);
/* Takes the first whole message out; NULL when there is none yet. `*out_bad` when what is there is
 * no message. */
json_t *ht_inbox_take(ht_inbox *inbox, bool *out_bad);
void ht_inbox_free(ht_inbox *inbox);

/* A JSON string of any bytes: what is not UTF-8 becomes '?'. NULL gives null. */
json_t *ht_message_text(const char *text);

/* Errors inside messages. */
void ht_message_set_error(json_t *message, ht_status status, const ht_error *error);
ht_status ht_message_get_error(const json_t *message, ht_error *error);

json_t *ht_message_config(const ht_config *config);
bool ht_message_get_config(const json_t *message, const ht_template *template,
                           ht_config *out_config);

/* Names of a compiled program; its code is in the file `code`. Reading fills everything but `code`.
 */
json_t *ht_message_program(const ht_program *program, const char *code_file);
bool ht_message_get_program(const json_t *message, ht_program *out_program);

/* The "launches" of a request. */
ht_launch_set ht_message_get_set(const json_t *message);

json_t *ht_message_resources(const ht_resources *resources);
ht_resources ht_message_get_resources(const json_t *message);
ht_resources ht_resources_unknown(void);
/* Takes over what `loaded` knows. */
void ht_resources_merge(ht_resources *resources, const ht_resources *loaded);

#endif
