/* Lists of launches: those of a template, of its reference, of its baseline. */
#ifndef HT_TEMPLATES_ANNOTATIONS_LAUNCHES_H
#define HT_TEMPLATES_ANNOTATIONS_LAUNCHES_H

#include "templates/annotations/template.h"

/* Returns a copy, which ht_launch_list_free frees; NULL of an empty list. */
ht_launch *ht_launch_list_copy(const ht_launch *launches, size_t count);
void ht_launch_list_free(ht_launch *launches, size_t count);
/* Puts a copy of the launches in the place of a list, which is freed. */
void ht_launch_list_replace(const ht_launch *launches, size_t count, ht_launch **list,
                            size_t *list_count);

#endif
