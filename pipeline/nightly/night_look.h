/* A look at a source: the key of all that its results depend on, without compiling anything. */
#ifndef HT_PIPELINE_NIGHTLY_NIGHT_LOOK_H
#define HT_PIPELINE_NIGHTLY_NIGHT_LOOK_H

#include "base/hash.h"
#include "pipeline/input.h"

#include <jansson.h>

typedef struct ht_night_look {
    char key[HT_HASH_SIZE];   /* of `parts` */
    char raw[HT_HASH_SIZE];   /* of the source's bytes and name: what is written depends on them */
    char exact[HT_HASH_SIZE]; /* of the bytes and names of all files that `code` is made of */
    json_t *parts;            /* {"code": hash, "problems": hash, ...}; owned */
    char *text;               /* the source's; owned; NULL: it could not be read */
} ht_night_look;

/* Looks at a source: the tokens of it and of the headers that its "..." and -I reach, the problem
 * file, the compiler's arguments but for folders, and `common`, the parts that all sources on a
 * device have ({"name": "text"}). Paths, comments and layout are not among them. False: it cannot
 * be read, or includes a file that a macro names; then it is to be analysed. */
bool ht_night_look_make(const ht_source *source, const ht_refactor_options *compiler,
                        const char *problems, const json_t *common, ht_night_look *out_look);
/* Hashes the tokens of files and of what they include, as a look does. False: as there. */
bool ht_night_look_code(char *const *paths, size_t count, const ht_refactor_options *compiler,
                        char out_hash[HT_HASH_SIZE]);
/* Returns the compiler's arguments without the folders, whose files a look has itself; free(). */
char *ht_night_look_arguments(const ht_refactor_options *compiler);
/* Sets what is kept of the text, to compare a later one with: its hash, itself, and its copy's
 * name. */
void ht_night_text_set(json_t *document, const ht_night_look *look, const ht_source *source);
void ht_night_look_free(ht_night_look *look);

#endif
