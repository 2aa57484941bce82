/* The tuned copy of a source file, checked before it is written, and its patch. */
#include "pipeline/applied_files.h"
#include "pipeline/defaults.h"
#include "pipeline/formatting.h"
#include "pipeline/launcher.h"
#include "pipeline/outputs.h"
#include "pipeline/stop.h"
#include "pipeline/timed.h"
#include "pipeline/tuned_comment.h"
#include "pipeline/written_choice.h"
#include "refactor/rewrite/apply.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_won(const ht_entry *entry) {
    return entry->result.verdict == HT_VERDICT_IMPROVED;
}

/* Returns the comment above the kernel; NULL: none is wanted; free(). */
static char *comment_of(const ht_entry *entry, const ht_session *session) {
    const ht_pair_times *times = &entry->result.times;
    const ht_gain gain = {entry->fields,  session->device.name, session->device.emulated,
                          times->speedup, times->speedup_lo,    times->speedup_hi};
    if (session->options.no_comment)
        return NULL;
    char *words = times->known ? ht_gain_words(&gain) : NULL;
    char *comment =
        ht_tuned_comment(entry->template, &entry->result.config, words ? words : entry->predicted);
    free(words);
    return comment;
}

/* Returns the sizes that its launch is to choose by; NULL: by none. Free with samples_free. */
static ht_size_samples *samples_of(const ht_entry *entry) {
    if (!entry->elsewhere.dispatched)
        return NULL;
    ht_size_samples *samples = ht_alloc(1, sizeof *samples);
    ht_elsewhere_samples(&entry->elsewhere, entry->instance, samples);
    return samples;
}

static void samples_free(const ht_size_samples *samples) {
    if (samples)
        ht_elsewhere_samples_free((ht_size_samples *)(size_t)samples);
    free((ht_size_samples *)(size_t)samples);
}

/* Makes the files' texts with the kernels rewritten that a faster configuration was found for. */
static ht_status texts_make(const ht_output_source *source, ht_entry *const *entries, size_t count,
                            const ht_session *session, ht_applied *out, ht_error *error) {
    ht_refactor_choice *choices = ht_alloc(count + 1, sizeof *choices);
    size_t choice_count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (is_won(entries[i]) && !entries[i]->annotated)
            choices[choice_count++] = (ht_refactor_choice){.kernel = entries[i]->kernel,
                                                           .config = entries[i]->result.config,
                                                           .note = comment_of(entries[i], session),
                                                           .sizes = samples_of(entries[i])};
    }
    *out = (ht_applied){0};
    ht_status status = HT_OK;
    if (choice_count) {
        status = ht_refactor_apply_all(source->refactor, choices, choice_count, out, error);
        if (status == HT_OK && !session->options.no_format)
            ht_formatting_apply(out);
    } else {
        out->files = ht_alloc(1, sizeof *out->files);
        out->count = 1;
        out->files[0].path = ht_strdup(source->path);
        status = ht_file_read(source->path, 0, &out->files[0].text, NULL, error);
    }
    for (size_t i = 0; i < choice_count; ++i) {
        free((char *)(size_t)choices[i].note);
        samples_free(choices[i].sizes);
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

/* Returns true if another finalist may be tried: files are timed, the time is not over, and the
 * winner was not timed at other sizes, which the other was not. */
static bool may_go_on(const ht_output_source *source, const ht_entry *entry) {
    return source->checker && source->checker->session && !source->checker->winner_only &&
           !ht_stopped && entry->elsewhere.count == 0;
}

/* `unproven`: the text was not found to be wrong; it could not be checked. */
static void withhold(const ht_output_source *source, ht_entry *entry, const char *fault,
                     bool unproven) {
    ht_pair_result *result = &entry->result;
    bool time = ht_interrupted || ht_timed_is_command(fault);
    if (ht_written_retreat(entry, fault, !unproven && may_go_on(source, entry))) {
        ht_report_message("%s:%d: %s: a tuned source is withheld: %s%s; another configuration is "
                          "taken",
                          entry->file, entry->line, entry->name, fault,
                          unproven ? "" : "; this is a defect of hiptemper");
        return;
    }
    result->verdict = time ? HT_VERDICT_NOT_RUN : HT_VERDICT_WITHHELD;
    result->verified = false;
    free(result->reason);
    result->reason = ht_format("its tuned source is %s: %s%s", time ? "not written" : "withheld",
                               fault, unproven ? "" : "; this is a defect of hiptemper");
    ht_report_message("%s:%d: %s: %s%s", entry->file, entry->line, entry->name, result->reason,
                      time ? "; what was measured is kept for the next run" : "");
}

/* Checks kernels that were rewritten: they are taken out of the text, run and timed. */
static ht_status rewritten_check(const ht_output_source *source, const ht_applied *applied,
                                 ht_entry *const *entries, size_t count, const ht_session *session,
                                 bool *out_again, ht_error *error) {
    ht_written_subject *subjects = ht_alloc(count + 1, sizeof *subjects);
    ht_written_proof *proofs = ht_alloc(count + 1, sizeof *proofs);
    ht_entry **owners = ht_alloc(count + 1, sizeof *owners);
    size_t subject_count = 0;
    for (size_t i = 0; i < count; ++i)
        if (is_won(entries[i]) && !entries[i]->annotated) {
            owners[subject_count] = entries[i];
            subjects[subject_count++] =
                (ht_written_subject){.kernel = entries[i]->kernel,
                                     .config = &entries[i]->result.config,
                                     .instance = entries[i]->instance,
                                     .sizes = samples_of(entries[i]),
                                     .proven = ht_written_is_proven(entries[i])};
        }
    ht_status status = HT_OK;
    if (subject_count)
        status = ht_written_check(source->checker, source->refactor, applied, subjects,
                                  subject_count, proofs, error);
    for (size_t i = 0; i < subject_count && status == HT_OK; ++i) {
        ht_written_proof_free(&owners[i]->written);
        owners[i]->written = proofs[i];
        owners[i]->written_checked = true;
        if (proofs[i].fault)
            withhold(source, owners[i], proofs[i].fault, proofs[i].stopped || proofs[i].unverified);
        else if (!ht_written_choose(owners[i], session->options.min_speedup,
                                    may_go_on(source, owners[i])))
            continue;
        *out_again = true;
    }
    for (size_t i = 0; i < subject_count; ++i)
        samples_free(subjects[i].sizes);
    free(owners);
    free(proofs);
    free(subjects);
    return status;
}

/* Checks the texts before they are written. Kernels that fail are withheld. *out_again: they must
 * be made again, since kernels were withheld, or others are to be written. */
static ht_status texts_check(const ht_output_source *source, const ht_applied *applied,
                             ht_entry *const *entries, size_t count, const ht_session *session,
                             bool *out_again, ht_error *error) {
    *out_again = false;
    ht_status status = rewritten_check(source, applied, entries, count, session, out_again, error);
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        if (!is_won(entries[i]) || !entries[i]->annotated)
            continue;
        char *fault = ht_written_defaults_fault(applied->files[0].text, source->path,
                                                entries[i]->template, &entries[i]->result.config);
        if (fault) {
            *out_again = true;
            withhold(source, entries[i], fault, false);
        }
        free(fault);
    }
    return status;
}

static bool any_won(ht_entry *const *entries, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (is_won(entries[i]))
            return true;
    return false;
}

/* Withholds the kernels whose rewritten text does not compile by itself; all, if it is their
 * company. The other sources are delivered. */
static void texts_blame(const ht_output_source *source, ht_entry *const *entries, size_t count,
                        const ht_session *session, const char *fault) {
    bool found = false;
    for (size_t i = 0; i < count; ++i) {
        if (!is_won(entries[i]))
            continue;
        ht_applied alone;
        ht_error error;
        if (texts_make(source, &entries[i], 1, session, &alone, &error) != HT_OK) {
            withhold(source, entries[i], error.message, false);
            found = true;
        }
        ht_applied_free(&alone);
    }
    for (size_t i = 0; i < count && !found; ++i)
        if (is_won(entries[i]))
            withhold(source, entries[i], fault, false);
}

/* ---- launches that choose by the size */

/* Returns why the tuned file cannot launch the original where it is faster; NULL: it does, by its
 * text and when it is run; free(). */
static char *dispatch_fault(const ht_output_source *source, ht_entry *entry,
                            const ht_session *session) {
    ht_applied applied;
    ht_error error = {0};
    ht_written_proof proof = {0};
    ht_size_samples *samples = samples_of(entry);
    const ht_written_subject subject = {.kernel = entry->kernel,
                                        .config = &entry->result.config,
                                        .instance = entry->instance,
                                        .sizes = samples};
    ht_status status = texts_make(source, &entry, 1, session, &applied, &error);
    if (status == HT_OK)
        status = ht_written_check(source->checker, source->refactor, &applied, &subject, 1, &proof,
                                  &error);
    char *fault = status == HT_OK ? proof.fault : ht_strdup(error.message);
    proof.fault = NULL;
    ht_written_proof_free(&proof);
    ht_applied_free(&applied);
    samples_free(samples);
    return fault;
}

/* Decides which launches choose by the size: those of winners that are slower elsewhere, where such
 * a launch can be written and does what the original's does. */
static void dispatches_settle(const ht_output_source *source, ht_entry *const *entries,
                              size_t count, const ht_session *session) {
    for (size_t i = 0; i < count; ++i) {
        ht_elsewhere *elsewhere = &entries[i]->elsewhere;
        if (!is_won(entries[i]) || entries[i]->annotated || !elsewhere->slower_count ||
            elsewhere->refused || elsewhere->dispatched)
            continue;
        elsewhere->dispatched = true;
        elsewhere->refused = dispatch_fault(source, entries[i], session);
        elsewhere->dispatched = elsewhere->refused == NULL;
        char *where = ht_elsewhere_slower(elsewhere);
        ht_report_message("%s:%d: %s: slower than the original at %s: %s%s", entries[i]->file,
                          entries[i]->line, entries[i]->name, where,
                          elsewhere->refused ? "its launch cannot choose by the size: "
                                             : "its launch takes the original there",
                          elsewhere->refused ? elsewhere->refused : "");
        free(where);
    }
}

/* Without one that failed the others are checked again; what was proven is not run again. */
ht_status ht_output_texts(const ht_output_source *source, ht_entry *const *entries, size_t count,
                          const ht_session *session, ht_applied *out_applied, ht_error *error) {
    ht_applied *out = out_applied;
    *out = (ht_applied){0};
    dispatches_settle(source, entries, count, session);
    while (any_won(entries, count)) {
        bool again = false;
        ht_error own = {0};
        ht_status status = texts_make(source, entries, count, session, out, &own);
        if (status == HT_ERROR_INTERNAL) {
            ht_applied_free(out);
            texts_blame(source, entries, count, session, own.message);
            continue;
        }
        if (status == HT_OK)
            status = texts_check(source, out, entries, count, session, &again, error);
        else if (error)
            *error = own;
        if (status != HT_OK || !again)
            return status;
        ht_applied_free(out);
    }
    return HT_OK;
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
        entry->predicted
            ? ht_format("Chosen for %s: %s.", label, entry->predicted)
            : ht_format("Tuned for %s: %s; on %s%s.", label,
                        *entry->fields ? entry->fields : "no sizes", session->device.name,
                        session->device.emulated ? " (host emulation)" : "");
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
    ht_applied applied;
    char **copies = NULL;
    ht_status status = ht_output_texts(source, entries, count, session, &applied, error);
    if (status == HT_OK && applied.count)
        status = ht_applied_write(&applied, source->folder, source->name, &copies, error);
    for (size_t i = 0; status == HT_OK && source->copies != NULL && i < applied.count; ++i)
        ht_substitutes_add(source->copies,
                           &(ht_substitute){applied.files[i].path, copies[i], (char *)source->path,
                                            (char *)source->problem});
    if (status == HT_OK && applied.count)
        status = companions_write(source, &applied, copies, entries, count, session, error);
    ht_applied_copies_free(copies, applied.count);
    ht_applied_free(&applied);
    return status;
}
