/* An entry of a report: a kernel with one problem, what became of it, and the files made from it.
 */
#ifndef HT_PIPELINE_ENTRY_H
#define HT_PIPELINE_ENTRY_H

#include "pipeline/elsewhere.h"
#include "pipeline/tuning.h"
#include "pipeline/written_check.h"

typedef struct ht_entry {
    char *name; /* the kernel's */
    char *file;
    int line;                    /* of the kernel */
    char *problem;               /* label of the instance: "small"; NULL: there is none */
    char *fields;                /* "N=1 C=16 ..."; "": there are none */
    const ht_template *template; /* borrowed; NULL unless it can be tuned */
    const ht_problem *instance;  /* borrowed */
    bool annotated;              /* the source itself holds the template */
    const char *problem_origin;  /* "given", "annotated", "inferred", "missing"; NULL: of a
                                    template */
    size_t source;               /* index of its source file */
    size_t kernel;               /* index of its kernel in that file */
    int reason_line;             /* in `file`; 0: none */
    const char *doubt; /* why a patch of it is probably not wanted; borrowed; NULL: nothing says so
                        */
    const char **transformations; /* borrowed */
    size_t transformation_count;
    ht_pair_result result;
    char *predicted; /* the gain, in words, where none was measured; owned; NULL: none was predicted
                      */
    bool settled;    /* the result is there already: it is not tuned */
    const json_t *earlier; /* what an earlier run found, {"row", "text", "when"}; borrowed; NULL: it
                              is of this run */
    ht_elsewhere elsewhere; /* the winner at sizes that it was not tuned for; no items: not timed */
    bool written_checked;
    ht_written_proof written; /* of the tuned source, when it was checked */
    char *tuned_file, *patch_file, *template_file, *skeleton_file, *launcher_file,
        *problem_file;  /* NULL: not written */
    char *patch_folder; /* from which the patch applies */
} ht_entry;

typedef struct ht_entries {
    ht_entry *items;
    size_t count;
} ht_entries;

/* Appends a zeroed entry with copies of name and file; borrowed until the next one is added. */
ht_entry *ht_entries_add(ht_entries *entries, const char *name, const char *file, int line);
void ht_entries_free(ht_entries *entries);
/* "conv2d (small)" or "conv2d"; free(). */
char *ht_entry_label(const ht_entry *entry);
/* Checks that the original runs on an inferred problem; else the entry gets a verdict and loses its
 * template. Other problems are not checked. */
ht_status ht_entry_problem_check(ht_entry *entry, const ht_session *session, ht_error *error);
/* Tunes every entry that has a template, reporting each when it is done, and settles each source
 * after its last entry; those of one source follow each other. HT_ERROR_MISSING ends it. */
ht_status ht_entries_tune(ht_entries *entries, ht_session *session, FILE *out, ht_error *error);
/* Of all entries: interrupted, bad input, failed, ok. */
int ht_entries_exit_code(const ht_entries *entries);

#endif
