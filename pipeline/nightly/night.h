/* A night: a job's sources looked at, and as many of them tuned as its budget allows. */
#ifndef HT_PIPELINE_NIGHTLY_NIGHT_H
#define HT_PIPELINE_NIGHTLY_NIGHT_H

#include "pipeline/entry.h"
#include "pipeline/nightly/job_file.h"
#include "pipeline/whole.h"
#include "runtime/store/nights.h"

#include <stdio.h>

typedef struct ht_night_options {
    const ht_job_file *job;
    const char *path;     /* of the job's file */
    const char *tag;      /* the night's name, for later baselines; NULL: none */
    const char *baseline; /* what verdicts are against: a database's path, or a tag; NULL: the night
                             before */
    const char *device;   /* of the job's, the only one; NULL: all */
    size_t shard, shards; /* this one, from 0, of `shards`; 0 of them: all sources */
    ht_night_name name;   /* of a night that several processes share; {0}: of its own */
    bool dry;             /* nothing is analysed, measured or written: what would be done is said */
    FILE *progress;
    /* Returns the members of docs/json.md of an entry; new reference. */
    json_t *(*row)(const ht_entry *entry, const ht_device *device);
    /* The same of a whole program: "verdict", "reason", "exit_code", "copies", "tolerance",
     * "results". */
    json_t *(*whole)(const ht_whole *whole);
} ht_night_options;

/* Counts the sources that a job has. */
ht_status ht_night_source_count(const ht_night_options *options, size_t *out_count,
                                ht_error *error);

/* Runs a night. *out_document (new reference; NULL on an error before anything was done) is the
 * report that docs/json.md describes, with the exit code in its member "exit". Kernels that go
 * wrong are in the report; an error is a job that cannot be run. */
ht_status ht_night_run(const ht_night_options *options, json_t **out_document, ht_error *error);

#endif
