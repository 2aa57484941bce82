#include "pipeline/optimize_kept.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/entry_kept.h"
#include "pipeline/formatting.h"
#include "pipeline/kept.h"
#include "pipeline/kept_key.h"
#include "pipeline/survey_reads.h"
#include "pipeline/timed.h"
#include "refactor/fingerprint.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct ht_optimize_kept {
    ht_kept *kept;
    const ht_session *session;
    const ht_survey_options *options;
    char *common;
};

/* ---- what results depend on */

/* Puts which database it is: one that was deleted and made anew is another. */
static void database_put(const char *path, ht_text *out) {
    struct statx info = {0};
    ht_kept_key_text(out, "database", path);
    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &info) == 0)
        ht_text_printf(out, "database %u:%u:%llu %lld.%09u\n", info.stx_dev_major,
                       info.stx_dev_minor, (unsigned long long)info.stx_ino,
                       (long long)info.stx_btime.tv_sec, info.stx_btime.tv_nsec);
}

static void tuning_put(const ht_tuning_options *options, ht_text *out) {
    ht_kept_key_text(out, "strategy", options->strategy);
    ht_kept_key_text(out, "cache", options->cache);
    ht_kept_key_text(out, "check", options->check);
    ht_kept_key_text(out, "predictor", options->predictor);
    ht_kept_key_number(out, "speedup", options->min_speedup);
    ht_kept_key_number(out, "plain", options->plain);
    ht_kept_key_number(out, "no comment", options->no_comment);
    ht_kept_key_number(out, "no format", options->no_format);
    ht_kept_key_number(out, "final", options->final_time);
    ht_kept_key_number(out, "evaluations", (double)options->max_evals);
    ht_kept_key_number(out, "seeds", (double)options->predictor_seeds);
    ht_kept_key_number(out, "no sources", options->no_sources);
    ht_kept_key_number(out, "no facts", options->no_facts);
    for (size_t i = 0; i < options->seeds_from.count; ++i)
        ht_kept_key_text(out, "seeds from", options->seeds_from.items[i]);
    ht_kept_key_number(out, "ablation", (double)options->ablation);
    ht_kept_key_number(out, "elsewhere", options->elsewhere);
    ht_text_printf(out, "seed %llu\n", (unsigned long long)options->seed);
}

static ht_status common_put(const ht_session *session, const ht_survey_options *options,
                            ht_text *out) {
    ht_text_append(out, "optimize\n");
    ht_kept_key_text(out, "problem", options->problem);
    ht_kept_key_text(out, "kernel", options->kernel);
    ht_kept_key_text(out, "wanted", options->wanted_text);
    ht_kept_key_text(out, "out", options->out);
    ht_kept_key_analysis(out, &options->compiler);
    for (size_t i = 0; i < options->compiler.argument_count; ++i)
        ht_kept_key_text(out, "argument", options->compiler.arguments[i]);
    tuning_put(&session->options, out);
    ht_kept_key_text(out, "device", session->device.name);
    ht_kept_key_text(out, "device", session->device.description);
    ht_kept_key_text(out, "compiler", session->device.compiler);
    database_put(session->database_file, out);
    ht_kept_key_variables(out);
    ht_status status = ht_refactor_fingerprint(out, NULL);
    return status == HT_OK ? ht_kept_key_device(out, &session->device, true) : status;
}

ht_optimize_kept *ht_optimize_kept_open(const ht_session *session,
                                        const ht_survey_options *options) {
    const char *model = session->options.predictor;
    bool fixed = !model || strcmp(model, "builtin") == 0;
    ht_text common = {0};
    if (!session->database || session->recording || !fixed)
        return NULL;
    ht_kept *kept = ht_kept_open();
    if (!kept || common_put(session, options, &common) != HT_OK) {
        ht_text_free(&common);
        ht_kept_free(kept);
        return NULL;
    }
    ht_optimize_kept *opened = ht_alloc(1, sizeof *opened);
    *opened = (ht_optimize_kept){kept, session, options, ht_text_take(&common)};
    return opened;
}

void ht_optimize_kept_free(ht_optimize_kept *kept) {
    if (!kept)
        return;
    ht_kept_free(kept->kept);
    free(kept->common);
    free(kept);
}

typedef struct kept_source {
    ht_kept_file file;
    const char **tree;
    char *own;
} kept_source;

static kept_source source_open(const ht_optimize_kept *kept, const ht_survey *survey,
                               size_t index) {
    const ht_source *source = &survey->sources.items[index];
    const ht_refactor_options *compiler = &kept->options->compiler;
    ht_text own = {0};
    kept_source opened = {.tree = ht_alloc(survey->sources.count + 1, sizeof *opened.tree)};
    ht_kept_key_text(&own, "output", source->output);
    ht_kept_key_text(&own, "through", source->through);
    ht_kept_key_number(&own, "named", source->named);
    ht_kept_key_number(&own, "joined", source->joined);
    for (size_t i = 0; i < survey->sources.count; ++i)
        opened.tree[i] = survey->sources.items[i].path;
    if (!kept->session->options.no_format)
        ht_formatting_key(source->path, &own);
    opened.own = ht_text_take(&own);
    opened.file = (ht_kept_file){.common = kept->common,
                                 .own = opened.own,
                                 .path = source->path,
                                 .tree = opened.tree,
                                 .tree_count = survey->sources.count,
                                 .arguments = compiler->arguments,
                                 .argument_count = compiler->argument_count};
    return opened;
}

static void source_close(kept_source *source) {
    free(source->tree);
    free(source->own);
}

static ht_timed_limits limits_of(const ht_optimize_kept *kept) {
    return (ht_timed_limits){.analysis = kept->options->compiler.limits.seconds,
                             .command = kept->session->options.max_time};
}

json_t *ht_optimize_kept_find(void *context, const ht_survey *survey, size_t source) {
    ht_optimize_kept *kept = context;
    const ht_timed_limits now = limits_of(kept);
    if (kept->session->options.fresh)
        return NULL;
    kept_source opened = source_open(kept, survey, source);
    json_t *document = ht_kept_find(kept->kept, &opened.file);
    source_close(&opened);
    if (document && !ht_timed_fits(document, &now)) {
        json_decref(document);
        return NULL;
    }
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(document, "rows"), index, row)
        json_object_set_new(row, "when", ht_timed_when(document));
    return document;
}

/* ---- keeping */

static void file_add(json_t *files, const char *path) {
    size_t index;
    json_t *known;
    bool seen = path == NULL;
    json_array_foreach(files, index, known) seen =
        seen || strcmp(json_string_value(known), path) == 0;
    if (!seen)
        json_array_append_new(files, json_string(path));
}

static json_t *files_of(const ht_outputs *outputs, size_t source) {
    const ht_entries *entries = &outputs->survey->entries;
    const char *path = outputs->survey->sources.items[source].path;
    json_t *files = json_array();
    for (size_t i = 0; i < entries->count; ++i) {
        const ht_entry *entry = &entries->items[i];
        const char *const own[] = {entry->tuned_file,    entry->patch_file,    entry->template_file,
                                   entry->launcher_file, entry->skeleton_file, entry->problem_file};
        for (size_t j = 0; entry->source == source && j < sizeof own / sizeof *own; ++j)
            file_add(files, own[j]);
    }
    for (size_t i = 0; i < outputs->copies.count; ++i)
        if (strcmp(outputs->copies.items[i].source, path) == 0)
            file_add(files, outputs->copies.items[i].copy);
    return files;
}

void ht_optimize_kept_put(ht_optimize_kept *kept, const ht_outputs *outputs, size_t source,
                          json_t *rows) {
    const ht_survey *survey = outputs->survey;
    const ht_analysis *analysis = &survey->analyses[source];
    const ht_timed_limits limits = limits_of(kept);
    bool settled =
        analysis->refactor && !analysis->known && outputs->error.status == HT_OK && !ht_interrupted;
    bool timed = false;
    for (size_t i = 0; i < survey->entries.count; ++i) {
        const ht_entry *entry = &survey->entries.items[i];
        settled = settled && (entry->source != source || ht_entry_is_settled(entry));
        timed = timed || (entry->source == source && ht_entry_is_timed(entry));
    }
    if (!settled)
        return;
    json_t *document =
        json_pack("{s:O, s:o}", "rows", rows, "names", ht_survey_names(analysis->refactor));
    json_t *files = files_of(outputs, source);
    kept_source opened = source_open(kept, survey, source);
    ht_timed_note(document, timed, &limits);
    ht_kept_put(kept->kept, &opened.file, analysis->reads, files, document);
    source_close(&opened);
    json_decref(files);
    json_decref(document);
}
