/* Results of the tuning database as files that other programs use. */
#ifndef HT_PIPELINE_EXPORT_H
#define HT_PIPELINE_EXPORT_H

#include "pipeline/input.h"
#include "runtime/provider/provider.h"
#include "runtime/store/database_results.h"

typedef struct ht_export_options {
    const char *database;
    const char *template_file; /* NULL: those that nights have kept in the database */
    const char *kernel;        /* NULL: all */
    const char *device;        /* ht_device.name */
    const char *folder;
    const ht_refactor_options *compiler;
} ht_export_options;

typedef enum ht_export_kind {
    HT_EXPORT_CACHE,    /* a Kernel Tuner cache file */
    HT_EXPORT_T4,       /* T4 results */
    HT_EXPORT_TEXT,     /* problem=kernel:values */
    HT_EXPORT_KERNEL,   /* the template's unit */
    HT_EXPORT_LAUNCHER, /* any configuration, as template arguments */
    HT_EXPORT_CHOICE,   /* which configuration for a problem */
    HT_EXPORT_DISPATCH, /* launches it */
    HT_EXPORT_KINDS
} ht_export_kind;
const char *ht_export_kind_name(ht_export_kind kind); /* "cache", "t4", ... */

typedef struct ht_exported {
    char *path, *kernel, *problem; /* owned; problem "" when it is for several */
    ht_export_kind kind;
} ht_exported;

/* Results or files that were left out, and why. */
typedef struct ht_export {
    ht_exported *files; /* owned */
    size_t count;
    char **remarks; /* "conv2d: ..."; owned */
    size_t remark_count;
} ht_export;

/* Writes the files. HT_ERROR_INPUT when the database has no results that fit, or none of the
 * template's. After a failure *out has the files that were written before it. */
ht_status ht_export_write(const ht_export_options *options, ht_export *out, ht_error *error);
void ht_export_free(ht_export *export);

#endif
