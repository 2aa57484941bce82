/* The tuned copy of a source file, checked by reading it again, and its patch. */
#include "cli/applied_files.h"
#include "cli/defaults.h"
#include "cli/launcher.h"
#include "cli/outputs.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_won(const ht_entry *entry) {
    return entry->result.verdict == HT_VERDICT_IMPROVED;
}

/* The files' texts with the kernels that were won for rewritten. */
static ht_status texts_make(const ht_output_source *source, ht_entry *const *entries, size_t count,
                            ht_applied *out, ht_error *error) {
    ht_refactor_choice *choices = ht_alloc(count + 1, sizeof *choices);
    size_t choice_count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (is_won(entries[i]) && !entries[i]->annotated)
            choices[choice_count++] = (ht_refactor_choice){.kernel = entries[i]->kernel,
                                                           .config = entries[i]->result.config};
    }
    *out = (ht_applied){0};
    ht_status status = HT_OK;
    if (choice_count) {
        status = ht_refactor_apply_all(source->refactor, choices, choice_count, out, error);
    } else {
        out->files = ht_alloc(1, sizeof *out->files);
        out->count = 1;
        out->files[0].path = ht_strdup(source->path);
        status = ht_file_read(source->path, 0, &out->files[0].text, NULL, error);
    }
    free(choices);
    for (size_t i = 0; status == HT_OK && i < count; ++i) {
        if (!is_won(entries[i]) || !entries[i]->annotated)
            continue;
        char *changed = NULL;
        status = ht_defaults_write(out->files[0].text, entries[i]->template,
                                   &entries[i]->result.config, &changed, error);
        free(out->files[0].text);
        out->files[0].text = changed;
    }
    return status;
}

/* Why a kernel of the copy cannot be used, or NULL; free(). */
static char *kernel_fault(const ht_refactor *copy, const ht_entry *entry) {
    for (size_t i = 0; i < ht_refactor_kernel_count(copy); ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(copy, i);
        if (strcmp(kernel->name, entry->name) != 0)
            continue;
        return kernel->status == HT_KERNEL_UNPARSED
                   ? ht_strdup(kernel->reason ? kernel->reason : "it does not parse")
                   : NULL;
    }
    return ht_strdup("it is no longer there");
}

/* Reads the copy as the original was read; free() the fault. */
static char *copy_fault(const ht_output_source *source, const char *path, ht_entry *const *entries,
                        size_t count) {
    const ht_refactor_options *given = source->compiler;
    const char **arguments = ht_alloc(given->argument_count + 1, sizeof *arguments);
    for (size_t i = 0; i < given->argument_count; ++i)
        arguments[i] = given->arguments[i];
    char *folder = ht_path_folder(source->path); /* the original's own includes */
    char *include = ht_format("-I%s", folder);
    arguments[given->argument_count] = include;
    ht_refactor_options options = *given;
    options.arguments = arguments;
    options.argument_count = given->argument_count + 1;
    ht_refactor *copy = NULL;
    ht_error error = {0};
    char *fault = NULL;
    if (ht_refactor_file(path, NULL, &options, &copy, &error) != HT_OK)
        fault = ht_format("line %d: %s", error.line, error.message);
    for (size_t i = 0; !fault && i < count; ++i) {
        if (is_won(entries[i]) && !entries[i]->annotated)
            fault = kernel_fault(copy, entries[i]);
    }
    ht_refactor_free(copy);
    free(include);
    free(folder);
    free(arguments);
    return fault;
}

static void withhold(const char *path, const char *fault, ht_entry *const *entries, size_t count) {
    unlink(path);
    for (size_t i = 0; i < count; ++i) {
        ht_pair_result *result = &entries[i]->result;
        if (!is_won(entries[i]))
            continue;
        result->verdict = HT_VERDICT_FAILED;
        result->verified = false;
        free(result->reason);
        result->reason = ht_format("the rewritten source is withheld: it does not parse (%s); this "
                                   "is a defect of hiptemper",
                                   fault);
        ht_report_message("%s:%d: %s: %s", entries[i]->file, entries[i]->line, entries[i]->name,
                          result->reason);
    }
}

static ht_status patch_write(const ht_output_source *source, const ht_applied *applied,
                             char *const *copies, ht_applied_patch_file *out_patch,
                             ht_error *error) {
    ht_status status =
        ht_applied_patch(applied, copies, source->folder, source->name, out_patch, error);
    if (status == HT_ERROR_MISSING) { /* the copies themselves are there: go on without */
        ht_report_message("warning: %s", error ? error->message : "no patch");
        return HT_OK;
    }
    return status;
}

static ht_status launcher_write(const ht_output_source *source, ht_entry *entry,
                                const ht_session *session, ht_error *error) {
    char *stem = ht_output_stem(source->name);
    char *name = ht_format("%s.%s.launch.hpp", stem, entry->name);
    char *label = ht_entry_label(entry);
    char *remark =
        ht_format("Tuned for %s: %s; on %s%s.", label, *entry->fields ? entry->fields : "no sizes",
                  session->device.name, session->device.emulated ? " (host emulation)" : "");
    ht_binding binding = {
        .template = entry->template, .problem = entry->instance, .device = &session->device.fields};
    char *text =
        ht_launcher_write(&binding, &entry->result.config, ht_path_name(source->name), remark);
    ht_status status = ht_output_write(source->folder, name, text, &entry->launcher_file, error);
    free(text);
    free(remark);
    free(label);
    free(name);
    free(stem);
    return status;
}

static ht_status companions_write(const ht_output_source *source, const ht_applied *applied,
                                  char *const *copies, ht_entry *const *entries, size_t count,
                                  const ht_session *session, ht_error *error) {
    ht_applied_patch_file patch;
    ht_status status = patch_write(source, applied, copies, &patch, error);
    for (size_t i = 0; status == HT_OK && i < count; ++i) {
        ht_entry *entry = entries[i];
        if (!is_won(entry) || entry->tuned_file)
            continue;
        entry->tuned_file = ht_strdup(copies[0]);
        entry->patch_file = patch.path ? ht_strdup(patch.path) : NULL;
        entry->patch_folder = patch.folder ? ht_strdup(patch.folder) : NULL;
        if (entry->annotated)
            status = launcher_write(source, entry, session, error);
    }
    ht_applied_patch_free(&patch);
    return status;
}

ht_status ht_output_tuned(const ht_output_source *source, ht_entry *const *entries, size_t count,
                          const ht_session *session, ht_error *error) {
    bool any = false, rewritten = false;
    for (size_t i = 0; i < count; ++i) {
        any |= is_won(entries[i]);
        rewritten |= is_won(entries[i]) && !entries[i]->annotated;
    }
    if (!any)
        return HT_OK;
    ht_applied applied;
    char **copies = NULL, *fault = NULL;
    ht_status status = texts_make(source, entries, count, &applied, error);
    if (status == HT_OK)
        status = ht_applied_write(&applied, source->folder, source->name, &copies, error);
    /* A header's copy cannot be read alone; its unit with it was, before this. */
    if (status == HT_OK && rewritten && !source->through)
        fault = copy_fault(source, copies[0], entries, count);
    if (fault)
        withhold(copies[0], fault, entries, count);
    else if (status == HT_OK)
        status = companions_write(source, &applied, copies, entries, count, session, error);
    free(fault);
    ht_applied_copies_free(copies, applied.count);
    ht_applied_free(&applied);
    return status;
}
