/* A survey: source files analysed, their kernels with the problems to tune them for. */
#ifndef HT_PIPELINE_SURVEY_H
#define HT_PIPELINE_SURVEY_H

#include "pipeline/entry.h"
#include "pipeline/input.h"

typedef struct ht_instances {
    ht_problem *items; /* owned */
    size_t count;
} ht_instances;

/* One source file. */
typedef struct ht_analysis {
    const ht_source *source; /* borrowed */
    ht_problems problems;
    bool foreign;            /* clang could not read it: it may be no HIP source at all */
    ht_refactor *refactor;   /* NULL when the file could not be analysed */
    ht_instances *instances; /* one per kernel; owned */
    ht_error error;          /* status HT_OK when analysed */
    json_t *known; /* what an earlier run found, in place of all that; owned; NULL: read now */
    ht_refactor *recalled; /* in whose place `refactor` was read; it has the entries' templates;
                              owned; NULL: none was */
    ht_problems reread;    /* that it was read with, and borrows */
    json_t *reads;         /* paths of the files that were read for it; owned; NULL: nobody asked */
} ht_analysis;

typedef struct ht_survey {
    ht_sources sources;
    ht_analysis *analyses; /* one per source; owned */
    ht_entries entries;
} ht_survey;

typedef struct ht_survey_options {
    const char *problem; /* --problem; NULL: the file next to each source */
    const char *kernel;  /* --kernel; NULL: all */
    /* Returns true for a kernel, by its name, that is to be in it; NULL: all are. */
    bool (*wanted)(const void *context, const char *kernel);
    const void *wanted_context;
    const char *wanted_text; /* all that `wanted` and `time` depend on, for kept results */
    /* Returns a kernel's time, by its name: entries are sorted, the longest first; those of a
     * source stay together. NULL: they are in the order of the sources. */
    double (*time)(const void *context, const char *kernel);
    const char *out; /* the output folder, not to be read */
    /* Returns what an earlier run found of a source (pipeline/optimize_kept.h), as a new reference;
     * NULL: it is to be read. May be NULL; then nobody asks for the files that were read. */
    json_t *(*known)(void *context, const ht_survey *survey, size_t source);
    void *known_context;
    /* Returns the result of an earlier pass over a source, which is its analysis then (refactor/
     * recall.h); NULL: it is to be read. May be NULL. */
    ht_refactor *(*recall)(void *context, const ht_survey *survey, size_t source);
    void *recall_context;
    /* Called before a source is read, which may take long; may be NULL. */
    void (*reading)(void *context, const ht_survey *survey, size_t source);
    void *reading_context;
    bool silent;                    /* errors of files are kept, not printed */
    const ht_device_fields *device; /* to which annotated kernels' defaults must be legal */
    ht_refactor_options compiler;
} ht_survey_options;

/* Finds and analyses. Files that cannot be analysed are reported at once and stay in it with
 * their error; a path that cannot be read, or a kernel name that nothing has, is HT_ERROR_INPUT. */
ht_status ht_survey_make(char *const *paths, size_t count, const ht_survey_options *options,
                         ht_survey *out_survey, ht_error *error);
/* Finds the sources alone, and for headers the source that each is read through. */
ht_status ht_survey_sources(char *const *paths, size_t count, const ht_survey_options *options,
                            ht_sources *out_sources, ht_error *error);
/* The same for sources that were found already (`survey->sources`, all else zero). How many kernels
 * answer to options->kernel. */
size_t ht_survey_read(ht_survey *survey, const ht_survey_options *options);
/* Reads a source whose analysis was recalled, which is to be changed: entries stay as they are. An
 * analysis that comes to something else is HT_ERROR_INTERNAL. */
ht_status ht_survey_reread(ht_survey *survey, size_t source, const ht_survey_options *options,
                           ht_error *error);
void ht_survey_free(ht_survey *survey);
/* Frees all but the sources. */
void ht_survey_clear(ht_survey *survey);
/* Combines the entries' exit code with that of files that could not be analysed. */
int ht_survey_exit_code(const ht_survey *survey);
/* Of files that could not be analysed alone. */
int ht_survey_files_exit_code(const ht_survey *survey);
/* [{"file", "line", "column", "message"}] of them; new reference. */
json_t *ht_survey_errors_json(const ht_survey *survey);
/* One of them. The exit code is of a file that was `named`, or found in a folder; `foreign`: clang
 * could not read it. */
json_t *ht_file_error_json(const ht_error *error);
int ht_file_exit_code(const ht_error *error, bool named, bool foreign);
/* Malformed annotations, and defaults that their constraints forbid whatever the sizes, are the
 * author's to mend, and reported as such, not as a reason to refuse a kernel. */
ht_status ht_annotations_check(const char *path, ht_error *error);
/* Returns true if a kernel's name, qualified or not, answers to `wanted`. NULL answers to all. */
bool ht_kernel_is(const char *name, const char *wanted);

#endif
