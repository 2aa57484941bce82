/* Skeletons of problem files: what a person has to fill in. */
#ifndef HT_PIPELINE_SKELETON_H
#define HT_PIPELINE_SKELETON_H

#include "templates/annotations/template.h"

/* One file out of the skeletons of several kernels of one source (texts of problem files); free().
 */
char *ht_skeleton_merge(const char *const *texts, size_t count);
/* An entry whose sizes are to be filled in, for an annotated kernel that lacks nothing else;
 * free().
 */
char *ht_skeleton_sizes(const ht_template *template);

#endif
