/* Running the compilers and readers of LLVM that results are compared with. */
#ifndef HT_TESTS_AMD_TOOLS_H
#define HT_TESTS_AMD_TOOLS_H

#include <stdbool.h>

/* Returns true if there is such a program in PATH. */
bool tool_exists(const char *name);
/* Both streams of a shell command; free(). Fails the test when the command does. */
char *tool_output(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns the number after the first `label` in text, or -1. */
int number_after(const char *text, const char *label);

#endif
