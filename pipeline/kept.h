/* Results of `refactor` for the files of a tree, kept from run to run: a file of which nothing
 * changed that its result depends on is not read again, nor its templates verified. */
#ifndef HT_PIPELINE_KEPT_H
#define HT_PIPELINE_KEPT_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ht_kept ht_kept; /* of one run */

/* Opens the folder that $HIPTEMPER_KEPT names, else hiptemper/kept in $XDG_CACHE_HOME or ~/.cache,
 * and removes what no run asked for in 30 days. NULL: $HIPTEMPER_KEPT is empty, or the folder
 * cannot be used, or is another user's or may be written by others. */
ht_kept *ht_kept_open(void);
void ht_kept_free(ht_kept *kept);

/* A file of the tree. */
typedef struct ht_kept_file {
    const char *common;      /* text of all that every result of the run depends on */
    const char *own;         /* text of all that its result alone depends on, apart from files */
    const char *path;        /* of the file */
    const char *const *tree; /* all files of the tree: headers of one are reported at their turn */
    size_t tree_count;
    const char *const *arguments; /* the compiler's */
    size_t argument_count;
} ht_kept_file;

/* Returns the document that was kept for a file, after its outputs are in their places again, or
 * NULL: there is none, something that it depends on has changed, or it cannot be written. New
 * reference. */
json_t *ht_kept_find(ht_kept *kept, const ht_kept_file *file);

/* Keeps a document for the next run. `reads`: an array of the paths that were read for it, headers
 * included; `outputs`: of the files written, whose content is kept too. Nothing is kept if one of
 * the files read changed since the run began. */
void ht_kept_put(ht_kept *kept, const ht_kept_file *file, const json_t *reads,
                 const json_t *outputs, json_t *document);

/* Reads the text of a kept file: {"reads": [[path, state, in the tree]], "absent": [path],
 * "outputs": [[path, text]], "document": {}}. NULL: it is not one, or is damaged. New reference. */
json_t *ht_kept_parse(const char *text, size_t length);

#endif
