/* A tuned file as it would be delivered, read as the user's compiler would read it. Kernel and
 * launch are taken out of its text and put next to the original's, to be run against it.
 * docs/refactor.md says what is read. */
#ifndef HT_REFACTOR_REWRITE_WRITTEN_H
#define HT_REFACTOR_REWRITE_WRITTEN_H

#include "refactor/refactor.h"
#include "templates/bind.h"

typedef struct ht_written ht_written; /* the changed files, read once for all their kernels */

/* A template argument that the file's launch gives the kernel. */
typedef struct ht_written_argument {
    char *name;     /* of the kernel's template parameter */
    ht_expr *value; /* NULL: it is a type, or not a number */
} ht_written_argument;

/* One launch in the tuned file. */
typedef struct ht_written_launch {
    char *file;
    int line;
    /* The file's kernel as the file launches it, with the original in its launch as the reference.
     * It has no parameters but HT_ARGUMENT_N for template arguments that a condition chooses. NULL:
     * `unread` says why. */
    ht_template *template;
    ht_written_argument *arguments;
    size_t argument_count;
    /* The number of the original's threads that a block takes over along each axis, over the tuned
     * template's parameters. Grids that are computed from the original's are multiples of its
     * blocks. NULL: not known. */
    ht_expr *covers[3];
    int64_t most[3]; /* items along the axis for which the original means anything
                        (ht_launch_squared_most); 0: nothing says that there is a most */
    bool joined[3];  /* the grid has fewer blocks along the axis, for any block */
    bool fixed[3];   /* original and tuned have a constant number of blocks along the axis, which a
                        device takes: sizes that the program does not have say nothing of it */
    ht_expr *where; /* condition for launching the tuned kernel; otherwise the original is launched,
                       which is kept under another name; NULL: always */
    ht_expr *refused; /* condition under which a launcher function launches nothing; NULL: never */
    bool assumed;     /* the original's block is the program's choice, for which a number stands */
    char *unread;
} ht_written_launch;

/* Fields of the kernel's problem that the program fixes, with its values. */
typedef struct ht_written_constants {
    ht_problem_value *items; /* owned */
    size_t count;
} ht_written_constants;

typedef struct ht_written_kernel {
    ht_written_launch *launches; /* launches with different texts; owned */
    size_t launch_count;
    ht_written_constants constants;
    char *fault; /* why the file is wrong, whatever it computes; NULL: no fault is known */
} ht_written_kernel;

/* Opens the changed files. `refactor` and `applied`, its result from ht_refactor_apply_all, must
 * outlive the result. Texts that do not parse are an error that names the place. */
ht_status ht_written_open(const ht_refactor *refactor, const ht_applied *applied,
                          ht_written **out_written, ht_error *error);
void ht_written_close(ht_written *written);
/* Reads one of the refactor's kernels in the files; free with ht_written_kernel_free. */
void ht_written_kernel_read(ht_written *written, size_t kernel, ht_written_kernel *out);
void ht_written_kernel_free(ht_written_kernel *kernel);

#endif
