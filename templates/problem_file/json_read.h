/* Strict reading of JSON values whose errors name their path: "kernels[0].args[2]". For
 * templates/ and refactor/'s recipes. */
#ifndef HT_TEMPLATES_PROBLEM_FILE_JSON_READ_H
#define HT_TEMPLATES_PROBLEM_FILE_JSON_READ_H

#include "templates/expr/expr.h"

#include <jansson.h>

enum { HT_JSON_PATH_MAX = 512 };

typedef struct ht_json_reader {
    const char *file;
    char path[HT_JSON_PATH_MAX];
    ht_error *error;
} ht_json_reader;

/* Goes down to a member or an element; ht_json_leave with the result goes back up. */
size_t ht_json_enter(ht_json_reader *reader, const char *key);
size_t ht_json_enter_index(ht_json_reader *reader, size_t index);
void ht_json_leave(ht_json_reader *reader, size_t mark);

ht_status ht_json_fail(ht_json_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Rewrites an error that points at a character of the string here, so that it names the path too.
 */
ht_status ht_json_fail_inside(ht_json_reader *reader, ht_status status);

/* Every key of the object is among `known` (NULL-terminated). */
ht_status ht_json_check_keys(ht_json_reader *reader, const json_t *object,
                             const char *const *known);
/* The value as a string that is no "?" to be filled in; borrowed. */
ht_status ht_json_string(ht_json_reader *reader, const json_t *value, const char **out_text);
/* A string or an integer as an expression. */
ht_status ht_json_expr(ht_json_reader *reader, const json_t *value, ht_expr **out_expr);
/* Returns true if a "?" stands where a value belongs. */
bool ht_json_placeholder(const char *text);

#endif
