/* The files that optimize and tune write. */
#ifndef HT_PIPELINE_OUTPUTS_H
#define HT_PIPELINE_OUTPUTS_H

#include "pipeline/program.h"
#include "pipeline/survey.h"

/* Before any work: makes the output folder, and sees that it and the place for `json` (may be NULL)
 * can be written. One that cannot is HT_ERROR_INPUT. */
ht_status ht_outputs_prepare(const char *folder, const char *json, ht_error *error);

/* Before any work: HT_ERROR_INPUT when FOLDER/NAME is one of the command's inputs. */
ht_status ht_output_check(const char *folder, const char *name, ht_error *error);

/* Where a tuned copy comes from and goes to. All borrowed. */
typedef struct ht_output_source {
    const char *path;
    const ht_refactor *refactor;
    const ht_refactor_options *compiler;
    const char *folder;
    const char *name;            /* of the copy, relative to `folder` */
    ht_written_checker *checker; /* of rewritten sources; NULL when all kernels are annotated */
    const char *problem;         /* the label of the copy's; "" */
    ht_substitutes *copies;      /* takes the written files that stand for others; NULL */
} ht_output_source;

/* The files of a survey, source by source. All borrowed but `done`, `copies` and what the checker
 * keeps. */
typedef struct ht_outputs {
    ht_survey *survey;
    const ht_session *session; /* NULL: nothing was tuned */
    const ht_refactor_options *compiler;
    const char *folder;
    ht_written_checker checker;
    bool *done;            /* one per source */
    ht_substitutes copies; /* that were written; owned */
    ht_error error;        /* the first; nothing is written after it */
} ht_outputs;
void ht_outputs_open(ht_survey *survey, const ht_session *session,
                     const ht_refactor_options *compiler, const char *folder,
                     ht_outputs *out_outputs);
void ht_outputs_close(ht_outputs *outputs);
/* Writes what comes of one source into the folder, once: the tuned copy and its patch, the
 * templates, the launcher of annotated templates, the skeleton of a problem file. Names are put
 * into the entries. A kernel whose tuned text does not launch what was measured, or does not do
 * what the original does, is left out of the copy, and its entry withheld. */
void ht_outputs_write_source(ht_outputs *outputs, size_t source);
/* The same of all sources not written yet. Stops at the first file that cannot be written, with the
 * error of that; also when it was met earlier. */
ht_status ht_outputs_write(ht_outputs *outputs, ht_error *error);

/* Writes a command's document into the folder and to where the user asked for it (NULL: nowhere
 * else; "-": standard output). `code` is what the command ends with so far: a document in the
 * folder is written only when that is 0. Takes the document; returns the exit code. */
int ht_outputs_json(const char *folder, const char *name, const char *asked, json_t *document,
                    int code);
/* Prints from which folder a patch applies; nothing for NULL. */
void ht_patch_report(const char *folder, FILE *out);
/* Prints which files were written; briefly how many. */
void ht_outputs_report(const ht_entries *entries, const char *folder, bool brief, FILE *out);

/* Parts of it. `name` is relative to `folder`; folders on the way are made. *out_path (free()) is
 * the path written. */
ht_status ht_output_write(const char *folder, const char *name, const char *text, char **out_path,
                          ht_error *error);
/* The texts of that copy, checked: kernels that fail are withheld, and left out. Empty when none is
 * left. Free with ht_applied_free. */
ht_status ht_output_texts(const ht_output_source *source, ht_entry *const *entries, size_t count,
                          const ht_session *session, ht_applied *out_applied, ht_error *error);
/* The copy of one source with what was won for one instance of each kernel: kernels rewritten,
 * annotated ones with new defaults and a launcher; and the patch. `refactor` may be NULL when all
 * entries are annotated. Does nothing when no entry is improved. */
ht_status ht_output_tuned(const ht_output_source *source, ht_entry *const *entries, size_t count,
                          const ht_session *session, ht_error *error);
/* For all entries, which are those of one source: one copy for each instance label, the first named
 * `source->name`, the others with the label before the suffix. */
ht_status ht_output_labels(const ht_output_source *source, ht_entries *entries,
                           const ht_session *session, ht_error *error);
/* The template as a file of its own: annotations and unit. */
ht_status ht_output_template(const char *folder, const char *stem, ht_entry *entry,
                             ht_error *error);
/* "dir/conv" of "dir/conv.hip"; free(). */
char *ht_output_stem(const char *name);
/* STEM and SUFFIX, or "STEM-2SUFFIX", "STEM-3SUFFIX", ...: the first that is not among the names;
 * free(). */
char *ht_output_name_new(const char *stem, const char *suffix, char *const *names, size_t count);

#endif
