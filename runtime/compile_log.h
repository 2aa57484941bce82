/* A compiler's text, cut down to what tells a person why a variant was rejected. */
#ifndef HT_RUNTIME_COMPILE_LOG_H
#define HT_RUNTIME_COMPILE_LOG_H

#include "base/error.h"

/* Sets HT_ERROR_COMPILE with the first errors of `log` (each with the lines that show its place);
 * `otherwise` when the log has none. Returns the status. */
ht_status ht_compile_log_error(const char *log, const char *otherwise, ht_error *error);

#endif
