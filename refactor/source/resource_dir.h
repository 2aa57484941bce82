/* The folder of clang's own headers: next to libclang, or where clang-19 reports it. Private
 * to refactor/. */
#ifndef HT_REFACTOR_SOURCE_RESOURCE_DIR_H
#define HT_REFACTOR_SOURCE_RESOURCE_DIR_H

/* Returns clang's resource directory; NULL: none is found. free(). */
char *ht_resource_dir_find(void);

#endif
