/* A HIP program given by its files, built and run in the sandbox, as it is or with tuned sources in
 * place of its own: docs/optimize.md#whole-programs. */
#ifndef HT_PIPELINE_PROGRAM_H
#define HT_PIPELINE_PROGRAM_H

#include "pipeline/input.h"
#include "refactor/source/commands.h"
#include "runtime/emulate/run.h"

/* All borrowed. */
typedef struct ht_program_files {
    char *const *paths;
    size_t count;
    const ht_compiler_options *compiler;
    const ht_command_list *commands; /* options of each file; NULL: none */
} ht_program_files;

typedef struct ht_hip_program ht_hip_program;

/* The kind of code that it is built as. */
typedef struct ht_program_mode {
    unsigned wavefront; /* 32 or 64 */
    bool checked;       /* checking mode */
    bool sanitized; /* AddressSanitizer, which is in this process (runtime/emulate/sanitize.h) */
} ht_program_mode;

/* A file of the program and the one that is compiled in its place. The strings are owned by whoever
 * made it. */
typedef struct ht_substitute {
    char *path, *copy;
    char *source;  /* the file whose kernels it is for: a header's launches are in another one */
    char *problem; /* the label of the problem that it is for; "" */
} ht_substitute;

typedef struct ht_substitutes {
    ht_substitute *items; /* owned */
    size_t count;
} ht_substitutes;

void ht_substitutes_add(ht_substitutes *to, const ht_substitute *like);
/* Those for one problem: of each source its copies for it or, where there are none, its first. The
 * strings stay those of `all`, the array is to be freed. */
void ht_substitutes_choose(const ht_substitutes *all, const char *problem,
                           ht_substitutes *out_chosen);
void ht_substitutes_free(ht_substitutes *substitutes);

/* How a program is run. All borrowed. */
typedef struct ht_program_run {
    char *const *arguments; /* of main, without the program's name */
    size_t argument_count;
    const char *read;              /* a folder */
    const char *write;             /* a folder; NULL: a scratch folder */
    double seconds;                /* it is ended after these; 0: never */
    ht_capture *capture;           /* to be filled; NULL */
    const ht_byte_store *contents; /* for what buffers hold; NULL */
    ht_copies *copies;             /* to be filled; NULL */
    const ht_byte_store *store;    /* for their bytes; NULL */
    const volatile int *interrupted;
} ht_program_run;

/* The options that its files are compiled with, all together, for an analysis of them; free with
 * ht_compiler_arguments_free. */
void ht_program_arguments_make(const ht_program_files *files, ht_refactor_options *out_options);

/* Reads the files' own options for a program whose kernels are analysed with the options of all
 * files together. A macro that has two values is HT_ERROR_INPUT: no analysis would hold for both.
 */
ht_status ht_program_commands_load(const char *path, const ht_program_files *files,
                                   ht_command_list *out_commands, ht_error *error);

/* Builds it. A file that is not there is HT_ERROR_INPUT; one that does not compile
 * HT_ERROR_COMPILE, with the compiler's words on standard error. `substitutes` may be NULL. */
ht_status ht_hip_program_build(const ht_program_files *files, const ht_substitutes *substitutes,
                               const ht_program_mode *mode, const volatile int *interrupted,
                               ht_hip_program **out_program, ht_error *error);
void ht_hip_program_free(ht_hip_program *program);

/* Runs it with this process's standard streams. `read` and `write` that are no folders are
 * HT_ERROR_INPUT. `report` is filled; ht_hip_program_folder is for ht_emulate_places. */
ht_status ht_hip_program_run(const ht_hip_program *program, const ht_program_run *run,
                             ht_emulate_report *report, ht_emulate_outcome *out_outcome,
                             ht_error *error);
const char *ht_hip_program_folder(const ht_hip_program *program);

/* The files that may define kernels: those given, and the headers that they include. The strings
 * and the array are the caller's to free. */
char **ht_hip_program_sources(const ht_hip_program *program, size_t *out_count);

#endif
