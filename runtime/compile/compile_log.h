/* A compiler's text, cut down to the reason why a variant was rejected, in the names of the
 * template's author. */
#ifndef HT_RUNTIME_COMPILE_COMPILE_LOG_H
#define HT_RUNTIME_COMPILE_COMPILE_LOG_H

#include "base/error.h"
#include "templates/expr/expr.h"

#include <stddef.h>

/* How the host provider calls the text that a name expression is compiled in: this and the
 * expression. */
#define HT_NAME_EXPRESSION "name expression "
/* How units for hiprtc call what hiprtc puts after them, a line for each name expression. */
#define HT_NAME_EXPRESSIONS "name expressions"

/* A kernel or a variable that a unit is asked for, and the annotation that asks for it. */
typedef struct ht_asked_name {
    const char *expression; /* "k<64, 2>", "&taps"; borrowed */
    ht_place place;
} ht_asked_name;

typedef struct ht_asked_names {
    const ht_asked_name *items; /* in the order in which the compiler was given them; borrowed */
    size_t count;
} ht_asked_names;

/* Sets HT_ERROR_COMPILE with the first errors of `log`, each with the lines that show its place;
 * `otherwise` when the log has none. Code that providers put around the author's is not shown:
 * errors in a name expression are at the annotation that asks for it, and notes in the headers that
 * stand for HIP's are left out. Returns the status. */
ht_status ht_compile_log_error(const char *log, const char *otherwise, const ht_asked_names *names,
                               ht_error *error);

#endif
