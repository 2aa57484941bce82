/* A tree of two sources whose results are kept from run to run: tree/scale.hip, whose kernel needs
 * tree/size.h and tree/scale.problem.json, and tree/empty.hip, whose kernel is refused. */
#ifndef HT_TESTS_CLI_KEPT_TREE_H
#define HT_TESTS_CLI_KEPT_TREE_H

#include <jansson.h>

extern const char kept_tree_source[]; /* scale.hip */
/* Returns the problem file's text, for n elements; free(). */
char *kept_tree_problem(int n);
/* Makes the workplace, and keeps results in a folder of it. */
void kept_place_make(void);
void kept_tree_write(int n);
/* Runs the command, which must succeed. Returns its report on standard output, which must say that
 * this many files were taken from an earlier run. */
json_t *kept_run(const char *words, json_int_t kept);
void expect_kept(const char *words, json_int_t kept);

#endif
