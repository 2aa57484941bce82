/* Shows whether a wrong tuned file is ever written.
 *
 *   written_faults [--every N | --named TEXT]
 *
 * makes tuned texts as `apply` does, plants a fault in the text after it was made and before it is
 * checked (a wrong grid, a missing specialisation, a lost guard, another branch, ...), and lets
 * `apply` go on. Each must be withheld, with a reason, and nothing be written; without a fault the
 * same text must be written. Every N-th fault is planted, or those with a text in their names; all
 * of them without an option. The exit code is 1 when one passed, 2 when a fault could not be
 * planted. */
#include "base/file.h"
#include "base/memory.h"
#include "pipeline/apply_source.h"
#include "refactor/rewrite/apply.h"
#include "runtime/job/job.h"
#include "runtime/worker/worker_main.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SOURCES
#define SOURCES "."
#endif

typedef struct fault {
    const char *name;
    const char *source, *config;
    size_t file;          /* of those that were rewritten */
    const char *was, *is; /* what stands in the text; "a|b": the first of them that does */
} fault;

static const char rows[] = "rows.hip", rows_config[] =
                                           "BLOCK_X=64 BLOCK_Y=4 TAPS_SIZE=5 COARSEN_X=4 "
                                           "COARSEN_X_JAM=true";
static const char apart_config[] = "BLOCK_X=64 BLOCK_Y=4 COARSEN_X=4";
static const char tall_config[] = "BLOCK_X=128 BLOCK_Y=1";
static const char turned[] = "turned.hip", turned_config[] = "TILE=8";
static const char totals[] = "totals.hip", totals_config[] = "BLOCK_Y=4";
static const char column[] = "column.h", column_config[] = "BLOCK_X=64 NZ_SIZE=7 COARSEN_X=2";
static const char banded[] = "rows.hip",
                  banded_config[] = "BLOCK_X=16 BLOCK_Y=16 TILED=true EDGE_APART=true COARSEN_Y=4 "
                                    "COARSEN_Y_STRIDED=true GRID_ORDER=4";

static const char joint_config[] = "BLOCK_X=64 BLOCK_Y=8 TILED=true COARSEN_X=4 COARSEN_Y=2";

static const char layers[] = "layers.hip", layers_config[] = "BLOCK_X=64 BLOCK_Y=2 COARSEN_X=2";

static const char counted[] = "counted.hip", counted_config[] = "BLOCK_X=32 BLOCK_Y=1 COARSEN_X=2";
static const char spread[] = "spread.hip", spread_config[] = "BLOCK_X=128 COARSEN_X=2";

static const fault faults[] = {
#include "written_faults.inc"
};

static const fault *planted; /* NULL: none */
static bool was_planted;

/* The text with the fault; NULL: it cannot be planted. free(). */
static char *plant(const char *text, const fault *item) {
    char *wanted = ht_strdup(item->was), *save = NULL, *out = NULL;
    for (char *was = strtok_r(wanted, "|", &save); was && !out; was = strtok_r(NULL, "|", &save)) {
        const char *at = strstr(text, was);
        if (at)
            out = ht_format("%.*s%s%s", (int)(at - text), text, item->is, at + strlen(was));
    }
    free(wanted);
    return out;
}

ht_status __real_ht_refactor_apply_all(const ht_refactor *refactor,
                                       const ht_refactor_choice *choices, size_t count,
                                       ht_applied *out_applied, ht_error *error);
ht_status __wrap_ht_refactor_apply_all(const ht_refactor *refactor,
                                       const ht_refactor_choice *choices, size_t count,
                                       ht_applied *out_applied, ht_error *error);

/* Stands for the pass, where it writes what it should not. */
ht_status __wrap_ht_refactor_apply_all(const ht_refactor *refactor,
                                       const ht_refactor_choice *choices, size_t count,
                                       ht_applied *out_applied, ht_error *error) {
    ht_status status = __real_ht_refactor_apply_all(refactor, choices, count, out_applied, error);
    was_planted = false;
    if (status != HT_OK || !planted || planted->file >= out_applied->count)
        return status;
    ht_applied_file *file = &out_applied->files[planted->file];
    char *changed = plant(file->text, planted);
    if (changed) {
        free(file->text);
        file->text = changed;
        was_planted = true;
    } else
        fprintf(stderr, "no '%s' in:\n%s\n", planted->was, file->text);
    return status;
}

/* Returns the report of `apply`; *out_written: it wrote something. New reference. */
static json_t *apply_config(const char *source, const char *config, bool *out_written) {
    char *out, *path = ht_format("%s/%s", SOURCES, source);
    ht_error error = {0};
    json_t *rows_made = json_array();
    if (ht_dir_temporary("written-faults", &out, &error) != HT_OK)
        abort();
    const ht_apply_request request = {.out = out, .copy = source};
    const ht_apply_choice choice = {.file = path, .config = (char *)(size_t)config, .kernel = NULL};
    ht_status status = ht_apply_source(&request, &choice, 1, rows_made, &error);
    if (status != HT_OK)
        fprintf(stderr, "%s: %s\n", source, error.message);
    char *copy = ht_path_join(out, source), *patch = ht_format("%s.patch", copy);
    *out_written = ht_file_exists(copy) || ht_file_exists(patch);
    json_t *row = json_incref(json_array_get(rows_made, 0));
    json_decref(rows_made);
    ht_dir_remove(out);
    free(copy);
    free(patch);
    free(out);
    free(path);
    return row;
}

static const char *text_of(const json_t *row, const char *name) {
    const char *text = json_string_value(json_object_get(row, name));
    return text ? text : "";
}

/* 0: it was caught. */
static int try(const fault *item) {
    bool written = false;
    planted = item;
    json_t *row = apply_config(item->source, item->config, &written);
    bool caught =
        strcmp(text_of(row, "status"), "withheld") == 0 && *text_of(row, "reason") && !written;
    printf("%-8s %s: %s: %s\n",
           !was_planted ? "missing"
           : caught     ? "caught"
                        : "PASSED",
           item->source, item->name, text_of(row, caught ? "reason" : "status"));
    fflush(stdout);
    json_decref(row);
    return !was_planted ? 2 : caught ? 0 : 1;
}

/* The same texts without a fault are written. */
static int try_right(const char *source, const char *config) {
    bool written = false;
    planted = NULL;
    json_t *row = apply_config(source, config, &written);
    bool right = strcmp(text_of(row, "status"), "applied") == 0 && written;
    printf("%-8s %s: without a fault: %s %s\n", right ? "written" : "REFUSED", source,
           text_of(row, "status"), text_of(row, "reason"));
    fflush(stdout);
    json_decref(row);
    return right ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return ht_worker_main(argc, argv);
    size_t every = argc > 2 && strcmp(argv[1], "--every") == 0 ? strtoul(argv[2], NULL, 10) : 1;
    const char *named = argc > 2 && strcmp(argv[1], "--named") == 0 ? argv[2] : "";
    size_t count = sizeof faults / sizeof *faults, tried = 0, caught = 0;
    int code = 0;
    for (size_t i = every / 2; every && i < count; i += every) {
        if (!strstr(faults[i].name, named))
            continue;
        bool first = every > 1 || i == 0 || faults[i].config != faults[i - 1].config;
        int own = first && (every == 1 || i == every / 2)
                      ? try_right(faults[i].source, faults[i].config)
                      : 0;
        code = own > code ? own : code;
        own = try(&faults[i]);
        code = own > code ? own : code;
        ++tried;
        caught += own == 0;
    }
    printf("%zu of %zu faults caught\n", caught, tried);
    return tried ? code : 2;
}
