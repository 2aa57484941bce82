/* The files of a survey: per source, one tuned copy for each instance label, templates, a
 * skeleton. */
#include "pipeline/outputs.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text.h"
#include "pipeline/skeleton.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ht_status folder_check(const char *option, const char *folder, ht_error *error) {
    if (!ht_dir_exists(folder))
        return ht_error_set(error, HT_ERROR_INPUT, "option --%s: there is no folder %s", option,
                            folder);
    if (access(folder, W_OK | X_OK) != 0)
        return ht_error_set(error, HT_ERROR_INPUT, "option --%s: cannot write to %s: %s", option,
                            folder, strerror(errno));
    return HT_OK;
}

ht_status ht_outputs_prepare(const char *folder, const char *json, ht_error *error) {
    if (ht_dir_make(folder, error) != HT_OK) {
        ht_error_prefix(error, "option --out: ");
        return error ? (error->status = HT_ERROR_INPUT) : HT_ERROR_INPUT;
    }
    ht_status status = folder_check("out", folder, error);
    if (status != HT_OK || !json || strcmp(json, "-") == 0)
        return status;
    if (ht_dir_exists(json))
        return ht_error_set(error, HT_ERROR_INPUT, "option --json: %s is a folder", json);
    char *parent = ht_path_folder(json);
    status = folder_check("json", parent, error);
    free(parent);
    return status == HT_OK ? ht_result_check(json, error) : status;
}

ht_status ht_output_check(const char *folder, const char *name, ht_error *error) {
    char *path = ht_path_join(folder, name);
    ht_status status = ht_result_check(path, error);
    free(path);
    return status;
}

ht_status ht_output_write(const char *folder, const char *name, const char *text, char **out_path,
                          ht_error *error) {
    char *path = ht_path_join(folder, name);
    char *parent = ht_path_folder(path);
    ht_status status = ht_dir_make(parent, error);
    free(parent);
    if (status == HT_OK)
        status = ht_result_write(path, text, strlen(text), error);
    if (status != HT_OK) {
        free(path);
        return status;
    }
    free(*out_path);
    *out_path = path;
    return HT_OK;
}

char *ht_output_stem(const char *name) {
    const char *dot = strrchr(ht_path_name(name), '.');
    return dot && dot > ht_path_name(name) ? ht_strndup(name, (size_t)(dot - name))
                                           : ht_strdup(name);
}

char *ht_output_name_new(const char *stem, const char *suffix, char *const *names, size_t count) {
    char *name = ht_format("%s%s", stem, suffix);
    size_t number = 2;
    for (size_t i = 0; i < count; ++i)
        if (strcmp(names[i], name) == 0) {
            free(name);
            name = ht_format("%s-%zu%s", stem, number++, suffix);
            i = SIZE_MAX; /* from the first again */
        }
    return name;
}

/* Returns a part of a file name: letters, digits and a few marks stay, all else becomes '-'.
 * free(). */
static char *name_part(const char *text) {
    char *copy = ht_strdup(text);
    for (char *at = copy; *at; ++at) {
        if (!isalnum((unsigned char)*at) && !strchr("._-+=", *at))
            *at = '-';
    }
    return copy;
}

ht_status ht_output_template(const char *folder, const char *stem, ht_entry *entry,
                             ht_error *error) {
    char *kernel = name_part(entry->name);
    char *name = ht_format("%s.%s.template.hip", stem, kernel);
    const char *unit = entry->template->unit;
    char *file = ht_text_replaced(entry->file, "\n", "?"); /* the comment ends with the line */
    char *text = ht_format("// Template of %s, %s:%d.\n%s%s", entry->name, file, entry->line,
                           strstr(unit, "#pragma tune unit") ? "" : "#pragma tune unit\n", unit);
    ht_status status = ht_output_write(folder, name, text, &entry->template_file, error);
    free(text);
    free(file);
    free(name);
    free(kernel);
    return status;
}

static const char *label_of(const ht_entry *entry) {
    return entry->problem ? entry->problem : "";
}

/* Returns one kernel's entry for a label: its own, else the kernel's first. */
static ht_entry *entry_for(ht_entry **entries, size_t count, size_t kernel, const char *label) {
    ht_entry *first = NULL;
    for (size_t i = 0; i < count; ++i) {
        if (entries[i]->kernel != kernel)
            continue;
        first = first ? first : entries[i];
        if (strcmp(label_of(entries[i]), label) == 0)
            return entries[i];
    }
    return first;
}

/* Writes the copy for one label; entries are those of one source. */
static ht_status label_write(const ht_output_source *source, ht_entry **entries, size_t count,
                             const char *label, const ht_session *session, ht_error *error) {
    ht_entry **chosen = ht_alloc(count, sizeof *chosen);
    size_t chosen_count = 0;
    for (size_t i = 0; i < count; ++i) {
        bool seen = false;
        for (size_t j = 0; j < i; ++j)
            seen |= entries[j]->kernel == entries[i]->kernel;
        if (!seen)
            chosen[chosen_count++] = entry_for(entries, count, entries[i]->kernel, label);
    }
    ht_status status = ht_output_tuned(source, chosen, chosen_count, session, error);
    free(chosen);
    return status;
}

static bool label_seen(ht_entry *const *entries, size_t count, const char *label) {
    for (size_t i = 0; i < count; ++i)
        if (strcmp(label_of(entries[i]), label) == 0)
            return true;
    return false;
}

/* Returns "main.small.cu" of "main.cu"; another number for a label that is written the same.
 * free(). */
static char *copy_name(const char *whole, const char *label, char *const *names, size_t count) {
    char *stem = ht_output_stem(whole), *part = name_part(label);
    char *labelled = ht_format("%s.%s", stem, part);
    char *name = ht_output_name_new(labelled, whole + strlen(stem), names, count);
    free(labelled);
    free(part);
    free(stem);
    return name;
}

static ht_status labels_write(ht_output_source source, ht_entry **entries, size_t count,
                              const ht_session *session, ht_error *error) {
    const char *whole = source.name;
    char **names = ht_alloc(count + 1, sizeof *names);
    size_t written = 0;
    bool labelled = false;
    ht_status status = HT_OK;
    for (size_t i = 0; i < count; ++i)
        labelled = labelled || *label_of(entries[i]);
    for (size_t i = 0; status == HT_OK && i < count; ++i) {
        const char *label = label_of(entries[i]);
        /* a kernel without a problem is in the copies of those that have one */
        if (label_seen(entries, i, label) || (labelled && !*label))
            continue;
        source.problem = label;
        names[written] = written ? copy_name(whole, label, names, written) : ht_strdup(whole);
        source.name = names[written++];
        status = label_write(&source, entries, count, label, session, error);
    }
    ht_strings_free(names, written);
    return status;
}

ht_status ht_output_labels(const ht_output_source *source, ht_entries *entries,
                           const ht_session *session, ht_error *error) {
    ht_entry **all = ht_alloc(entries->count + 1, sizeof *all);
    for (size_t i = 0; i < entries->count; ++i)
        all[i] = &entries->items[i];
    ht_status status = labels_write(*source, all, entries->count, session, error);
    free(all);
    return status;
}

/* Returns the stem of a kernel's files: with overloads and kernels of one name in several
 * namespaces, the second's is NAME-2, ... */
static char *stem_of(const char *stem, ht_entry **entries, size_t index) {
    size_t others = 0;
    for (size_t i = 0; i < index; ++i)
        others += entries[i]->template && entries[i]->kernel != entries[index]->kernel &&
                  (i == 0 || entries[i - 1]->kernel != entries[i]->kernel) &&
                  strcmp(entries[i]->name, entries[index]->name) == 0;
    return others ? ht_format("%s-%zu", stem, others + 1) : ht_strdup(stem);
}

/* Writes an inferred problem next to its template, where `hiptemper tune` looks for it. */
static ht_status inferred_write(const ht_analysis *analysis, ht_entry *entry, ht_error *error) {
    const ht_kernel *kernel = ht_refactor_kernel(analysis->refactor, entry->kernel);
    if (!kernel->inferred || !entry->template_file)
        return HT_OK;
    entry->problem_file = ht_problem_path_beside(entry->template_file);
    return ht_result_write(entry->problem_file, kernel->skeleton, strlen(kernel->skeleton), error);
}

static ht_status templates_write(const ht_analysis *analysis, const char *folder, const char *stem,
                                 ht_entry **entries, size_t count, ht_error *error) {
    for (size_t i = 0; i < count; ++i) {
        if (!entries[i]->template)
            continue;
        ht_status status = HT_OK;
        if (i > 0 && entries[i - 1]->kernel == entries[i]->kernel) {
            const char *same = entries[i - 1]->template_file;
            const char *problem = entries[i - 1]->problem_file;
            entries[i]->template_file = same ? ht_strdup(same) : NULL;
            entries[i]->problem_file = problem ? ht_strdup(problem) : NULL;
        } else {
            char *own = stem_of(stem, entries, i);
            status = ht_output_template(folder, own, entries[i], error);
            free(own);
            if (status == HT_OK)
                status = inferred_write(analysis, entries[i], error);
        }
        if (status != HT_OK)
            return status;
    }
    return HT_OK;
}

static ht_status skeleton_write(const ht_analysis *analysis, const char *folder, const char *stem,
                                ht_entry **entries, size_t count, ht_error *error) {
    char **texts = ht_alloc(count + 1, sizeof *texts);
    size_t text_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(analysis->refactor, entries[i]->kernel);
        if (entries[i]->result.verdict != HT_VERDICT_NEEDS_PROBLEM)
            continue;
        if (kernel->skeleton)
            texts[text_count++] = ht_strdup(kernel->skeleton);
        else if (kernel->template && kernel->template->problem.name)
            texts[text_count++] = ht_skeleton_sizes(kernel->template);
    }
    ht_status status = HT_OK;
    char *path = NULL;
    if (text_count) {
        char *text = ht_skeleton_merge((const char *const *)texts, text_count);
        char *name = ht_format("%s.problem.json", stem);
        status = ht_output_write(folder, name, text, &path, error);
        free(name);
        free(text);
    }
    for (size_t i = 0; path && i < count; ++i) {
        if (entries[i]->result.verdict == HT_VERDICT_NEEDS_PROBLEM)
            entries[i]->skeleton_file = ht_strdup(path);
    }
    free(path);
    ht_strings_free(texts, text_count);
    return status;
}

static ht_status source_write(ht_outputs *outputs, size_t index, ht_error *error) {
    ht_survey *survey = outputs->survey;
    const ht_analysis *analysis = &survey->analyses[index];
    ht_entry **entries = ht_alloc(survey->entries.count + 1, sizeof *entries);
    size_t count = 0;
    for (size_t i = 0; i < survey->entries.count; ++i) {
        if (survey->entries.items[i].source == index)
            entries[count++] = &survey->entries.items[i];
    }
    char *stem = ht_output_stem(analysis->source->output);
    ht_output_source source = {.path = analysis->source->path,
                               .refactor = analysis->refactor,
                               .compiler = outputs->compiler,
                               .folder = outputs->folder,
                               .name = analysis->source->output,
                               .checker = &outputs->checker,
                               .copies = &outputs->copies};
    ht_status status = labels_write(source, entries, count, outputs->session, error);
    if (status == HT_OK)
        status = templates_write(analysis, outputs->folder, stem, entries, count, error);
    if (status == HT_OK)
        status = skeleton_write(analysis, outputs->folder, stem, entries, count, error);
    free(stem);
    free(entries);
    return status;
}

void ht_outputs_open(ht_survey *survey, const ht_session *session,
                     const ht_refactor_options *compiler, const char *folder,
                     ht_outputs *out_outputs) {
    *out_outputs = (ht_outputs){.survey = survey,
                                .session = session,
                                .compiler = compiler,
                                .folder = folder,
                                .checker = {.interrupted = &ht_stopped},
                                .done = ht_alloc(survey->sources.count + 1, sizeof(bool))};
    if (session) {
        out_outputs->checker.device = &session->device;
        out_outputs->checker.seed = session->options.seed;
    }
}

void ht_outputs_close(ht_outputs *outputs) {
    ht_written_checker_free(&outputs->checker);
    ht_substitutes_free(&outputs->copies);
    free(outputs->done);
    outputs->done = NULL;
}

void ht_outputs_write_source(ht_outputs *outputs, size_t source) {
    if (outputs->done[source] || outputs->error.status != HT_OK)
        return;
    outputs->done[source] = true;
    if (outputs->survey->analyses[source].refactor)
        outputs->error.status = source_write(outputs, source, &outputs->error);
}

ht_status ht_outputs_write(ht_outputs *outputs, ht_error *error) {
    for (size_t i = 0; i < outputs->survey->sources.count; ++i)
        ht_outputs_write_source(outputs, i);
    if (outputs->error.status != HT_OK && error)
        *error = outputs->error;
    return outputs->error.status;
}

void ht_patch_report(const char *folder, FILE *out) {
    if (folder)
        fprintf(out, "            for 'patch -p1' or 'git apply' in %s\n", folder);
}

/* Returns the entry's file if no earlier entry has it, too; else NULL. */
static const char *file_first(const ht_entries *entries, size_t index, size_t member) {
    const ht_entry *items = entries->items;
    const char *path = *(char *const *)((const char *)&items[index] + member);
    for (size_t i = 0; path && i < index; ++i) {
        const char *earlier = *(char *const *)((const char *)&items[i] + member);
        if (earlier && strcmp(earlier, path) == 0)
            return NULL;
    }
    return path;
}

/* Returns true if it is printed: each file is, once. */
static bool file_report(const ht_entries *entries, size_t index, size_t member, const char *what,
                        FILE *out) {
    const char *path = file_first(entries, index, member);
    if (path)
        fprintf(out, "  %-9s %s\n", what, path);
    return path != NULL;
}

static void files_count(const ht_entries *entries, const char *folder, FILE *out) {
    static const struct {
        size_t member;
        const char *words;
    } kinds[] = {{offsetof(ht_entry, tuned_file), "tuned source"},
                 {offsetof(ht_entry, patch_file), "patch"},
                 {offsetof(ht_entry, template_file), "template"},
                 {offsetof(ht_entry, skeleton_file), "skeleton"}};
    fprintf(out, "\nWritten to %s: ", folder);
    const char *between = "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        size_t count = 0;
        for (size_t j = 0; j < entries->count; ++j)
            count += file_first(entries, j, kinds[i].member) != NULL;
        if (count == 0)
            continue;
        fprintf(out, "%s%zu %s%s", between, count, kinds[i].words,
                count == 1 ? ""
                : i == 1   ? "es"
                           : "s");
        between = ", ";
    }
    fprintf(out, " (--verbose lists them)\n");
}

/* Returns a tool's lack for which nothing of a tuned source was run; NULL: there is none. */
static const char *missing_of(const ht_entry *entry) {
    bool none = entry->written_checked && entry->tuned_file && entry->written.launches == 0;
    return none ? entry->written.missing : NULL;
}

/* Prints each such lack once: it is that of the machine. */
static void missing_report(const ht_entries *entries, FILE *out) {
    for (size_t i = 0; i < entries->count; ++i) {
        const char *missing = missing_of(&entries->items[i]);
        size_t first = 0;
        while (missing && first < i &&
               (!missing_of(&entries->items[first]) ||
                strcmp(missing_of(&entries->items[first]), missing) != 0))
            ++first;
        if (missing && first == i)
            fprintf(out, "  %-9s these sources were not run next to their originals: %s\n",
                    "not run", missing);
    }
}

void ht_outputs_report(const ht_entries *entries, const char *folder, bool brief, FILE *out) {
    bool any = false;
    for (size_t i = 0; i < entries->count; ++i) {
        const ht_entry *entry = &entries->items[i];
        any |= entry->tuned_file || entry->template_file || entry->skeleton_file;
    }
    if (any && brief)
        files_count(entries, folder, out);
    if (!any || brief)
        return;
    fprintf(out, "\nWritten to %s:\n", folder);
    missing_report(entries, out);
    for (size_t i = 0; i < entries->count; ++i) {
        const ht_entry *entry = &entries->items[i];
        file_report(entries, i, offsetof(ht_entry, tuned_file), "tuned", out);
        if (entry->written_checked && entry->tuned_file) {
            char *words = ht_written_proof_brief(&entry->written);
            fprintf(out, "  %-9s %s: %s\n", "verified", entry->name, words);
            free(words);
        }
        file_report(entries, i, offsetof(ht_entry, launcher_file), "launcher", out);
        if (file_report(entries, i, offsetof(ht_entry, patch_file), "patch", out))
            ht_patch_report(entry->patch_folder, out);
        file_report(entries, i, offsetof(ht_entry, template_file), "template", out);
        file_report(entries, i, offsetof(ht_entry, problem_file), "inferred", out);
        file_report(entries, i, offsetof(ht_entry, skeleton_file), "fill in", out);
    }
}

int ht_outputs_json(const char *folder, const char *name, const char *asked, json_t *document,
                    int code) {
    char *path = ht_path_join(folder, name);
    if (code == HT_EXIT_OK)
        code = ht_report_json(path, document);
    free(path);
    int more = ht_report_json(asked, document);
    json_decref(document);
    return code ? code : more;
}
