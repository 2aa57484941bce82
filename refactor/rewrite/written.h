/* A tuned file as it would be delivered, read the way a compiler of the user's would find it:
 * kernel and launch are taken out of its text and put next to the original's, to be run against it.
 * docs/refactor.md tells what is read. */
#ifndef HT_REFACTOR_REWRITE_WRITTEN_H
#define HT_REFACTOR_REWRITE_WRITTEN_H

#include "refactor/refactor.h"
#include "templates/bind.h"

typedef struct ht_written ht_written; /* the changed files, read once for all their kernels */

/* A template argument that the file's launch gives the kernel. */
typedef struct ht_written_argument {
    char *name;     /* of the kernel's template parameter */
    ht_expr *value; /* NULL: a type, or what is no number */
} ht_written_argument;

/* One launch in the tuned file. */
typedef struct ht_written_launch {
    char *file;
    int line;
    /* The file's kernel in the file's launch, with the original in its launch as the reference; no
     * parameters but HT_ARGUMENT_N for template arguments that a condition chooses. NULL: `unread`
     * says why. */
    ht_template *template;
    ht_written_argument *arguments;
    size_t argument_count;
    /* How many of the original's threads a block takes over along each axis, over the tuned
     * template's parameters: grids that are computed from the original's are multiples of its
     * blocks. NULL: not known. */
    ht_expr *covers[3];
    ht_expr *where;   /* the tuned kernel is launched where this holds, else the original, which is
                         kept under another name; NULL: everywhere */
    ht_expr *refused; /* a launcher function launches nothing where this holds; NULL: nowhere */
    char *unread;
} ht_written_launch;

typedef struct ht_written_kernel {
    ht_written_launch *launches; /* those of different text; owned */
    size_t launch_count;
    char *fault; /* why the file cannot be right whatever it computes; NULL: nothing is known */
} ht_written_kernel;

/* `refactor` and `applied` (what ht_refactor_apply_all made of it) must outlive the result. Texts
 * that do not parse: an error that names the place. */
ht_status ht_written_open(const ht_refactor *refactor, const ht_applied *applied,
                          ht_written **out_written, ht_error *error);
void ht_written_close(ht_written *written);
/* One of the refactor's kernels in the files; free with ht_written_kernel_free. */
void ht_written_kernel_read(ht_written *written, size_t kernel, ht_written_kernel *out);
void ht_written_kernel_free(ht_written_kernel *kernel);

/* Returns true if the tuned kernel is launched for a problem. */
bool ht_written_launches(const ht_written_launch *launch, const ht_problem *problem,
                         const ht_device_fields *device);
/* Does the file launch, for a problem, what was measured: block, grid, dynamic shared memory and
 * instance of the kernel? `tuned` is the template that was measured, in `config`. NULL: it does;
 * else the difference, in words; free(). */
char *ht_written_difference(const ht_written_launch *launch, const ht_template *tuned,
                            const ht_config *config, const ht_problem *problem,
                            const ht_device_fields *device);

#endif
