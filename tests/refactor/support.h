/* Shared by the suites of the pass: the sources to try, and clang as an independent judge. */
#ifndef HT_TESTS_REFACTOR_SUPPORT_H
#define HT_TESTS_REFACTOR_SUPPORT_H

#include "refactor/refactor.h"

/* Sources whose kernels must all come out as templates; relative to the repository. NULL ends. */
extern const char *const templated_sources[];

/* Runs the pass over a file of the repository, with the problem file next to it, if any. Fails the
 * test on an error. */
ht_refactor *refactor_open(const char *path, ht_problem_file **out_problems);
/* The same, of one kernel alone; the file's others are not analysed. */
ht_refactor *refactor_open_of(const char *path, const char *kernel, ht_problem_file **out_problems);
/* The pass over a text, as if it were a file of the folder tests/refactor/sources. */
ht_refactor *refactor_text(const char *text, const char *problems_text,
                           ht_problem_file **out_problems);
ht_refactor *refactor_text_of(const char *text, const char *problems_text, const char *kernel,
                              ht_problem_file **out_problems);
/* The pass over a text with these options and no problems; fails the test on an error. */
ht_refactor *refactor_text_with(const char *text, const ht_refactor_options *options);
/* The kernel of that name; fails the test when there is none. */
const ht_kernel *kernel_named(const ht_refactor *refactor, const char *name, size_t *out_index);
/* Returns true if the block may be any, rather than one that holds the original's blocks, or cuts
 * them. */
bool frees_block(const ht_kernel *kernel);
/* Returns true if the template of kernel "k", made of this text, has a parameter of this name. */
bool has_parameter(const char *text, const char *problems_text, const char *name);
/* The same of several, NULL ends; at most 32: bit i is set if it has names[i]. */
unsigned has_parameters(const char *text, const char *problems_text, const char *const *names);

/* Runs clang-19 over a text; returns its exit status. `out_output` (free()): stdout and stderr. */
int clang_run(const char *text, const char *options, char **out_output);

/* Returns true if clang takes a text for the host and for a GPU: libclang, in this process.
 * `out_output` (free()): errors. */
bool clang_parses(const char *text, char **out_output);

#endif
