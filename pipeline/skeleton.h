/* Skeletons of problem files: what a person has to fill in. */
#ifndef HT_PIPELINE_SKELETON_H
#define HT_PIPELINE_SKELETON_H

#include "templates/problem/problem.h"

/* One file out of the skeletons of several kernels of one source (texts of problem files); free().
 */
char *ht_skeleton_merge(const char *const *texts, size_t count);
/* A catalogue with one instance of the family, for an annotated kernel whose sizes alone are
 * missing; free(). */
char *ht_skeleton_catalogue(const ht_problem_spec *spec);

#endif
