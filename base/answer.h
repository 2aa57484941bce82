/* The answer of a compiler to a question about itself, such as its version: a start of clang costs
 * 30 ms of CPU, most of it to load its libraries. */
#ifndef HT_BASE_ANSWER_H
#define HT_BASE_ANSWER_H

#include "base/tool.h"

/* The same as ht_tool_run, for a question whose answer depends on the program alone. Where that is
 * clang's own, and not a script or another program by its name, it is asked once by a process, and
 * where there is a cache (base/cache.h) once by all until the program or one of its libraries
 * changes. Failures are not kept, nor calls with a folder, a variable or input. */
ht_status ht_answer_ask(const ht_tool_call *call, ht_text *out, int *out_code, ht_error *error);

#endif
