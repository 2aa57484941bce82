/* The input of commands: source files under a path, annotated templates, problem instances. Files
 * that the user named and that cannot be read are HT_ERROR_INPUT. */
#ifndef HT_PIPELINE_INPUT_H
#define HT_PIPELINE_INPUT_H

#include "pipeline/option_list.h"
#include "refactor/refactor.h"

/* One source file to work on. */
typedef struct ht_source {
    char *path;    /* as given, or given folder + "/" + what was found; owned */
    char *output;  /* relative name for files made from it: its path below the given folder, or its
                      name; unique; owned */
    char *through; /* a source that includes it, to read it as a part of; NULL: by itself; owned */
    bool joined;   /* ht_refactor_options' */
    bool named;    /* given itself as an operand, not found in a folder */
} ht_source;

typedef struct ht_sources {
    ht_source *items;
    size_t count;
} ht_sources;

/* Files as they are; folders recursively, sorted: .hip .cu .cuh .cpp .cxx .cc .h .hpp .hh .hxx .inl
 * that contain "__global__", then files of other suffixes that do and that one of them includes by
 * name. Links to folders are not followed, hidden folders and `skip` (the output folder;
 * may be NULL) not entered. */
ht_status ht_sources_find(char *const *paths, size_t count, const char *skip,
                          ht_sources *out_sources, ht_error *error);
void ht_sources_free(ht_sources *sources);
/* Returns true if the file can be read and contains "__global__". */
bool ht_mentions_kernels(const char *path);

/* "given", "annotated", "inferred", "missing". */
const char *ht_problem_origin_name(ht_problem_origin origin);

/* "dir/name.problem.json" for "dir/name.hip"; free(). */
char *ht_problem_path_beside(const char *source_path);

/* The templates annotated in a file, each with a self-contained unit (cut out of the file unless it
 * says
 * `#pragma tune unit`). Keeps only `kernel` when that is not NULL. A file with no annotations, or
 * without that kernel, is HT_ERROR_INPUT. Free with ht_template_free. */
ht_status ht_templates_load(const char *path, const char *kernel,
                            const ht_refactor_options *options, ht_template **out_templates,
                            size_t *out_count, ht_error *error);

/* The source of the sizes to tune for: a problem file, or text such as "N=1 C=64", or nothing. */
typedef struct ht_problems {
    ht_problem_file *file; /* owned; NULL when there is none */
    char *text;            /* owned; NULL when none was given */
} ht_problems;

/* `given` is --problem: NULL (the file next to `source_path`, when there is one), a file's name, or
 * text with a '='. */
ht_status ht_problems_open(const char *given, const char *source_path, ht_problems *out_problems,
                           ht_error *error);
void ht_problems_close(ht_problems *problems);

/* Instances of a template's problem: those of the file's entry for its kernel, or of a catalogue of
 * its family. A template without a family has one empty instance. When nothing gives the instance,
 * that is HT_ERROR_INPUT with the fields that are needed. Free with ht_instances_free. */
ht_status ht_instances_find(const ht_problems *problems, const ht_template *template,
                            ht_problem **out_instances, size_t *out_count, ht_error *error);
void ht_instances_free(ht_problem *instances, size_t count);

/* A command's input to the pass: -I, -D, -std and the like. */
typedef struct ht_compiler_options {
    ht_option_list include, define;
    const char *standard;
    ht_option_list stubs;         /* headers that stand in for missing ones */
    ht_option_list without;       /* transformations, by name */
    uint64_t analysis_operations; /* of isl, for each kernel */
    double analysis_seconds;      /* of CPU time for each kernel */
    uint64_t analysis_mebibytes;  /* of a process that reads a file */
} ht_compiler_options;
/* The strings and the array of arguments are owned by the result. `without` is not looked at. */
void ht_compiler_arguments_make(const ht_compiler_options *given, ht_refactor_options *out_options);
/* Checks that each stub can be read and has no errors after those given before it. */
ht_status ht_compiler_stub_check(const ht_compiler_options *given, ht_error *error);
void ht_compiler_arguments_free(ht_refactor_options *options);

#endif
