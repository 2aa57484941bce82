#include "pipeline/apply_source.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text.h"
#include "pipeline/applied_files.h"
#include "pipeline/defaults.h"
#include "pipeline/formatting.h"
#include "pipeline/losses.h"
#include "pipeline/outputs.h"
#include "pipeline/style.h"
#include "pipeline/survey.h"
#include "pipeline/tuned_comment.h"
#include "pipeline/written_check.h"
#include "refactor/rewrite/apply.h"
#include "refactor/source/comment.h"
#include "refactor/source/tree.h"
#include "runtime/nvidia/target.h"
#include "runtime/provider/provider.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_ABOVE = 4 }; /* of a kernel's name, where its definition may begin */

typedef struct applying {
    const ht_apply_request *request;
    ht_device device; /* the host; with an NVIDIA GPU's limits where a configuration is for one */
    const char *path;
    ht_tree_file *file; /* through which unit */
    ht_problems problems;
    ht_refactor *refactor;
    char *text; /* of the file */
    ht_refactor_choice *choices;
    char **notes;
    json_t **made; /* their rows; borrowed */
    size_t count;  /* of all three */
    bool annotated;
    json_t *rows;
} applying;

/* ---- which kernel */

static ht_status no_kernel(const applying *in, const char *wanted, const char *why,
                           ht_error *error) {
    ht_text names = {0};
    for (size_t i = 0; i < ht_refactor_kernel_count(in->refactor); ++i)
        ht_text_printf(&names, "%s%s", i ? ", " : "", ht_refactor_kernel(in->refactor, i)->name);
    ht_error_set_at(error, HT_ERROR_INPUT, in->path, 0, 0, "%s%s%s; there %s: %s", why,
                    wanted ? " " : "", wanted ? wanted : "", names.length ? "are" : "is",
                    names.length ? names.data : "none");
    ht_text_free(&names);
    return HT_ERROR_INPUT;
}

static ht_status kernel_find(const applying *in, const char *wanted, size_t *out_index,
                             ht_error *error) {
    size_t found = 0;
    for (size_t i = 0; i < ht_refactor_kernel_count(in->refactor); ++i)
        if (ht_kernel_is(ht_refactor_kernel(in->refactor, i)->name, wanted)) {
            *out_index = i;
            ++found;
        }
    if (found == 0)
        return no_kernel(in, wanted, "it has no kernel", error);
    if (found > 1)
        return no_kernel(in, wanted, wanted ? "it has several kernels" : "say which with --kernel",
                         error);
    return HT_OK;
}

/* ---- whether it is done already */

/* Returns the pairs in the comment above a kernel's name; NULL: it is not tuned; free(). */
static char *pairs_above(const char *text, int line) {
    const char *at = text;
    for (int i = 1; i < line && *at; ++i)
        at += strcspn(at, "\n") + 1;
    for (int up = 0; up < LINES_ABOVE; ++up) {
        char *pairs = ht_comment_pairs(text, (size_t)(at - text));
        if (pairs || at == text)
            return pairs;
        const char *begin = at - 1;
        while (begin > text && begin[-1] != '\n')
            --begin;
        if (memchr(begin, ';', (size_t)(at - begin)) || memchr(begin, '}', (size_t)(at - begin)))
            return NULL;
        at = begin;
    }
    return NULL;
}

/* Returns true if the pairs have this one, or none of its name and it says that something is not
 * done: parameters with the original's values are not among them. */
static bool has_pair(const char *pairs, const char *pair, size_t length) {
    size_t name = strcspn(pair, "=") + 1;
    bool named = false;
    for (const char *at = pairs; *at;) {
        size_t size = strcspn(at, " ");
        if (size == length && memcmp(at, pair, length) == 0)
            return true;
        named = named || (size > name && memcmp(at, pair, name) == 0);
        at += size + (at[size] == ' ');
    }
    static const char *const idle[] = {"false", "0", "1"};
    bool none = false;
    for (size_t i = 0; i < sizeof idle / sizeof *idle && name < length; ++i)
        none = none || (strlen(idle[i]) == length - name &&
                        strncmp(pair + name, idle[i], length - name) == 0);
    return !named && none;
}

static bool is_marked(const char *pairs, const char *config) {
    while (*config) {
        config += strspn(config, " ,");
        size_t length = strcspn(config, " ,");
        if (length && !has_pair(pairs, config, length))
            return false;
        config += length;
    }
    return true;
}

/* ---- one choice */

static json_t *row_add(const applying *in, const ht_kernel *kernel, const char *config,
                       const char *status) {
    json_t *row = json_pack(
        "{s:o, s:o, s:o, s:s, s:[], s:n, s:n, s:n, s:n}", "name", ht_report_json_text(kernel->name),
        "file", ht_report_json_text(in->path), "config", ht_report_json_text(config), "status",
        status, "files", "patch", "patch_folder", "reason", "verification");
    json_object_set_new(row, "doubt", json_null());
    for (size_t i = 0; i < kernel->remark_count; ++i)
        if (kernel->remarks[i].kind == HT_REMARK_DOUBT)
            json_object_set_new(row, "doubt", ht_report_json_text(kernel->remarks[i].message));
    json_array_append_new(in->rows, row);
    return row;
}

/* Finds the sizes that are known of a kernel. */
static bool instances_find(const applying *in, const ht_kernel *kernel, ht_problem **out_instances,
                           size_t *out_count) {
    ht_problems inferred = {.file = kernel->inferred};
    return ht_instances_find(kernel->inferred && !in->problems.text ? &inferred : &in->problems,
                             kernel->template, out_instances, out_count, NULL) == HT_OK &&
           *out_count > 0;
}

/* "... is not legal for n=32768: require(...) does not hold". A template that the pass wrote is not
 * before the user, so its lines mean nothing. */
static ht_status illegal(const applying *in, const ht_kernel *kernel, const ht_problem *sizes,
                         const char *text, const char *why, ht_error *error) {
    bool inferred = kernel->inferred && !in->problems.text;
    char *values = ht_problem_string(&kernel->template->problem, sizes);
    const char *line = why && kernel->status != HT_KERNEL_ANNOTATED ? strstr(why, " (line ") : NULL;
    const char *rest = line ? strchr(line, ')') : NULL;
    int begins = rest ? (int)(line - why) : (int)strlen(why ? why : "");
    ht_error_set_at(error, HT_ERROR_INPUT, in->path, kernel->line, 0,
                    "%s: '%s' is not legal for %s%s: %.*s%s%s", kernel->name, text, values,
                    inferred ? ", sizes that were inferred" : "", begins,
                    why ? why : "a constraint", rest ? rest + 1 : "",
                    inferred ? "; give those it is meant for with --problem" : "");
    free(values);
    return HT_ERROR_INPUT;
}

/* Returns true if a configuration is legal with the limits of an NVIDIA GPU, on which wide accesses
 * are aligned. The source is checked with these then; the host runs it all the same. */
static bool is_for_nvidia(applying *in, const ht_binding *host, const ht_config *config) {
    ht_device_fields fields = *host->device;
    fields.max_static_lds = HT_NVIDIA_STATIC_SHARED;
    const ht_binding binding = {host->template, host->problem, &fields};
    bool legal = false;
    char *why = NULL;
    if (ht_binding_legal(&binding, config, &legal, &why, NULL) == HT_OK && legal)
        in->device.fields = fields;
    free(why);
    return legal;
}

/* Returns HT_ERROR_INPUT if a configuration is not legal for the first of the sizes that are
 * known. */
static ht_status legal_check(applying *in, const ht_kernel *kernel, const ht_config *config,
                             const char *text, ht_error *error) {
    ht_problem *instances = NULL;
    size_t count = 0;
    char *why = NULL;
    ht_status status = HT_OK;
    if (instances_find(in, kernel, &instances, &count)) {
        const ht_binding binding = {kernel->template, &instances[0], &in->device.fields};
        bool legal = true;
        if (kernel->status == HT_KERNEL_ANNOTATED)
            status = ht_binding_check_default(&binding, error);
        if (status != HT_ERROR_INPUT) /* of others nothing is known against it */
            status = ht_binding_legal(&binding, config, &legal, &why, NULL) != HT_OK || legal ||
                             is_for_nvidia(in, &binding, config)
                         ? HT_OK
                         : illegal(in, kernel, &instances[0], text, why, error);
    }
    free(why);
    ht_instances_free(instances, count);
    return status;
}

/* Checks whether other sources launch the kernel too, which this one's reading has not seen. */
static ht_status others_check(const applying *in, const ht_kernel *kernel, ht_error *error) {
    const char *colon = strrchr(kernel->name, ':'), *name = colon ? colon + 1 : kernel->name;
    for (size_t i = 0; in->file && i < in->file->other_count; ++i) {
        char *text = NULL;
        bool mentioned = ht_file_read(in->file->others[i], 0, &text, NULL, NULL) != HT_OK ||
                         strstr(text, name) != NULL;
        free(text);
        if (mentioned)
            return ht_error_set_at(error, HT_ERROR_UNSUPPORTED, in->path, kernel->line, 0,
                                   "%s is launched in %s too, which would not change with it: use "
                                   "its template",
                                   kernel->name, in->file->others[i]);
    }
    return HT_OK;
}

/* Returns true if a comment is to say with what the kernel is tuned: without a measured gain there
 * is nothing in it that the code does not say. */
static bool has_comment(const ht_apply_request *request, const ht_apply_choice *choice) {
    return !request->no_comment && (choice->gain || request->comment);
}

static ht_status choice_take(applying *in, const ht_apply_choice *choice, ht_error *error) {
    size_t index = 0;
    ht_status status = kernel_find(in, choice->kernel, &index, error);
    if (status != HT_OK)
        return status;
    const ht_kernel *kernel = ht_refactor_kernel(in->refactor, index);
    char *marked = pairs_above(in->text, kernel->line);
    if (marked) {
        bool same = is_marked(marked, choice->config);
        if (same)
            row_add(in, kernel, choice->config, "unchanged");
        else
            status = ht_error_set_at(error, HT_ERROR_UNSUPPORTED, in->path, kernel->line, 0,
                                     "%s is tuned already, with %s: take that back first (patch "
                                     "-R)",
                                     kernel->name, marked);
        free(marked);
        return status;
    }
    if (!kernel->template)
        return ht_error_set_at(error, HT_ERROR_UNSUPPORTED, kernel->file,
                               kernel->reason_line ? kernel->reason_line : kernel->line, 0,
                               "%s has no parameters: %s", kernel->name,
                               kernel->reason ? kernel->reason : "none was found");
    ht_refactor_choice made = {.kernel = index};
    status = ht_config_parse(kernel->template, choice->config, &made.config, error);
    if (status == HT_OK)
        status = legal_check(in, kernel, &made.config, choice->config, error);
    if (status == HT_OK)
        status = others_check(in, kernel, error);
    if (status != HT_OK)
        return status;
    char *config = ht_config_string(kernel->template, &made.config);
    ht_config plain = ht_config_default(kernel->template);
    bool changes = !ht_config_equal(&plain, &made.config);
    json_t *row = row_add(in, kernel, config, changes ? "applied" : "unchanged");
    char *forms = ht_style_forms(kernel->template, &made.config);
    json_object_set_new(row, "form", ht_report_json_text(forms));
    if (forms && !in->request->any_style)
        ht_report_message("%s: %s: written with %s, which a maintainer may not take; --style any "
                          "leaves this message out",
                          in->path, kernel->name, forms);
    free(forms);
    if (changes) {
        HT_GROW(in->made, in->count);
        in->made[in->count] = row;
        HT_GROW(in->choices, in->count);
        HT_GROW(in->notes, in->count);
        in->notes[in->count] = has_comment(in->request, choice)
                                   ? ht_tuned_comment(kernel->template, &made.config, choice->gain)
                                   : NULL;
        in->annotated = in->annotated || kernel->status == HT_KERNEL_ANNOTATED;
        in->choices[in->count++] = made;
    }
    free(config);
    return HT_OK;
}

/* ---- reading and writing */

static ht_status source_read(applying *in, ht_tree *tree, ht_error *error) {
    char *own = ht_path_folder(in->path);
    const char *root = in->request->root ? in->request->root : own;
    const ht_tree_options options = {.roots = &root,
                                     .root_count = 1,
                                     .skip = in->request->out,
                                     .compiler = &in->request->compiler};
    ht_refactor_options compiler = in->request->compiler;
    ht_rehearsal rehearsal;
    ht_rehearsal_init(&rehearsal, &compiler.limits);
    compiler.watch = &rehearsal.watch;
    ht_tree_make(&in->path, 1, &options, tree);
    free(own);
    in->file = tree->count ? &tree->files[0] : NULL;
    ht_status status = ht_problems_open(in->request->problem, in->path, &in->problems, error);
    if (status == HT_OK)
        status = ht_file_read(in->path, 0, &in->text, NULL, error);
    status = ht_error_named(status, error);
    compiler.through = in->file ? in->file->through : NULL;
    compiler.joined = in->file && in->file->joined;
    if (status == HT_OK)
        status = ht_annotations_check(in->path, error);
    if (status == HT_OK && compiler.through &&
        ht_refactor_file(in->path, in->problems.file, &compiler, &in->refactor, NULL) == HT_OK)
        return HT_OK;
    compiler.through = NULL;
    if (status == HT_OK)
        status = ht_refactor_file(in->path, in->problems.file, &compiler, &in->refactor, error);
    if (error && status != HT_OK)
        error->status = status;
    return status;
}

/* Makes the texts: an annotated source takes its defaults; others are rewritten, with the files
 * that launch them. */
static ht_status texts_make(applying *in, ht_applied *out, ht_error *error) {
    if (!in->annotated) {
        for (size_t i = 0; i < in->count; ++i)
            in->choices[i].note = in->notes[i];
        ht_status made = ht_refactor_apply_all(in->refactor, in->choices, in->count, out, error);
        if (made == HT_OK && !in->request->no_format)
            ht_formatting_apply(out);
        return made;
    }
    char *text = ht_strdup(in->text);
    ht_status status = HT_OK;
    for (size_t i = 0; i < in->count && status == HT_OK; ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(in->refactor, in->choices[i].kernel);
        char *changed = NULL;
        if (kernel->status != HT_KERNEL_ANNOTATED)
            status = ht_error_set_at(error, HT_ERROR_UNSUPPORTED, in->path, kernel->line, 0,
                                     "annotated kernels and others of one file are applied one by "
                                     "one: use --kernel");
        else
            status =
                ht_defaults_write(text, kernel->template, &in->choices[i].config, &changed, error);
        if (status == HT_OK) {
            free(text);
            text = changed;
        }
    }
    *out = (ht_applied){.files = ht_alloc(1, sizeof *out->files), .count = 1};
    out->files[0] = (ht_applied_file){ht_strdup(in->path), text};
    return status;
}

/* ---- the last check */

/* Puts the result into the row; a kernel that failed leaves the choice. */
static void proof_settle(applying *in, size_t index, ht_written_proof *proof) {
    json_t *row = in->made[index];
    json_object_set_new(row, "verification", ht_written_proof_json(proof));
    if (!proof->fault)
        return;
    ht_report_message("%s: %s: withheld: %s%s", in->path,
                      json_string_value(json_object_get(row, "name")), proof->fault,
                      proof->stopped || proof->unverified ? "" : "; this is a defect of hiptemper");
    json_object_set_new(row, "status", json_string("withheld"));
    json_object_set_new(row, "reason", ht_report_json_text(proof->fault));
    free(in->notes[index]);
    --in->count;
    for (size_t i = index; i < in->count; ++i) {
        in->choices[i] = in->choices[i + 1];
        in->notes[i] = in->notes[i + 1];
        in->made[i] = in->made[i + 1];
    }
}

static ht_status rewritten_check(applying *in, ht_written_checker *checker,
                                 const ht_applied *applied, ht_written_proof *proofs,
                                 ht_error *error) {
    ht_written_subject *subjects = ht_alloc(in->count + 1, sizeof *subjects);
    ht_problem **instances = ht_alloc(in->count + 1, sizeof *instances);
    size_t *counts = ht_alloc(in->count + 1, sizeof *counts);
    for (size_t i = 0; i < in->count; ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(in->refactor, in->choices[i].kernel);
        bool known = instances_find(in, kernel, &instances[i], &counts[i]);
        subjects[i] = (ht_written_subject){.kernel = in->choices[i].kernel,
                                           .config = &in->choices[i].config,
                                           .instance = known ? &instances[i][0] : NULL};
    }
    ht_status status =
        ht_written_check(checker, in->refactor, applied, subjects, in->count, proofs, error);
    for (size_t i = 0; i < in->count; ++i)
        ht_instances_free(instances[i], counts[i]);
    free(counts);
    free(instances);
    free(subjects);
    return status;
}

static void defaults_check(const applying *in, const ht_applied *applied,
                           ht_written_proof *proofs) {
    for (size_t i = 0; i < in->count; ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(in->refactor, in->choices[i].kernel);
        proofs[i] = (ht_written_proof){
            .fault = ht_written_defaults_fault(applied->files[0].text, in->path, kernel->template,
                                               &in->choices[i].config)};
    }
}

/* Makes the texts that passed, of the choices that did; *out is empty when none is left. */
static ht_status texts_settle(applying *in, ht_written_checker *checker, ht_applied *out,
                              ht_error *error) {
    *out = (ht_applied){0};
    while (in->count) {
        ht_written_proof *proofs = ht_alloc(in->count, sizeof *proofs);
        size_t before = in->count;
        ht_status status = texts_make(in, out, error);
        if (status == HT_OK && in->annotated)
            defaults_check(in, out, proofs);
        else if (status == HT_OK)
            status = rewritten_check(in, checker, out, proofs, error);
        for (size_t i = before; i-- > 0;) {
            if (status == HT_OK)
                proof_settle(in, i, &proofs[i]);
            ht_written_proof_free(&proofs[i]);
        }
        free(proofs);
        if (status != HT_OK || in->count == before)
            return status;
        ht_applied_free(out);
    }
    return HT_OK;
}

static ht_status copies_write(const applying *in, const ht_applied *applied, json_t *files,
                              ht_applied_patch_file *out_patch, ht_error *error) {
    const char *name = in->request->copy;
    char **copies = NULL;
    ht_status status = ht_applied_write(applied, in->request->out, name, &copies, error);
    if (status == HT_OK)
        status = ht_applied_patch(applied, copies, in->request->out, name, out_patch, error);
    for (size_t i = 0; i < applied->count && status == HT_OK; ++i)
        json_array_append_new(files, ht_report_json_text(copies[i]));
    ht_applied_copies_free(copies, applied->count);
    return status;
}

static ht_status place_write(const ht_applied *applied, json_t *files, ht_error *error) {
    ht_file_content *contents = ht_alloc(applied->count + 1, sizeof *contents);
    for (size_t i = 0; i < applied->count; ++i) {
        const ht_applied_file *file = &applied->files[i];
        contents[i] = (ht_file_content){file->path, file->text, strlen(file->text)};
    }
    ht_status status = ht_results_write_over(contents, applied->count, error);
    for (size_t i = 0; i < applied->count && status == HT_OK; ++i)
        json_array_append_new(files, ht_report_json_text(applied->files[i].path));
    free(contents);
    return status;
}

static ht_status all_write(applying *in, ht_error *error) {
    ht_written_checker checker = {.device = &in->device, .seed = 1, .interrupted = &ht_interrupted};
    ht_applied applied = {0};
    json_t *files = json_array();
    ht_applied_patch_file patch = {0};
    ht_status status = texts_settle(in, &checker, &applied, error);
    ht_written_checker_free(&checker);
    if (status == HT_OK && applied.count)
        status = in->request->in_place ? place_write(&applied, files, error)
                                       : copies_write(in, &applied, files, &patch, error);
    size_t index;
    json_t *row;
    json_array_foreach(in->rows, index, row) {
        bool own = strcmp(json_string_value(json_object_get(row, "file")), in->path) == 0 &&
                   strcmp(json_string_value(json_object_get(row, "status")), "applied") == 0;
        if (own && status == HT_OK) {
            json_object_set(row, "files", files);
            json_object_set_new(row, "patch", ht_report_json_text(patch.path));
            json_object_set_new(row, "patch_folder", ht_report_json_text(patch.folder));
        } else if (own) {
            json_object_set_new(row, "status", json_string("not written"));
        }
    }
    ht_applied_patch_free(&patch);
    json_decref(files);
    ht_applied_free(&applied);
    return status;
}

static ht_status copy_check(const applying *in, ht_error *error) {
    if (in->request->in_place ||
        ht_output_check(in->request->out, in->request->copy, NULL) == HT_OK)
        return HT_OK;
    return ht_error_set_at(error, HT_ERROR_INPUT, in->path, 0, 0,
                           "not overwritten: its copy would take its own place in %s; give another "
                           "folder to --out, or --in-place to rewrite the source itself",
                           in->request->out);
}

ht_status ht_apply_source(const ht_apply_request *request, const ht_apply_choice *choices,
                          size_t count, json_t *rows, ht_error *error) {
    applying in = {.request = request, .path = choices[0].file, .rows = rows};
    ht_tree tree = {0};
    ht_input_add(in.path);
    ht_status status = copy_check(&in, error);
    if (status == HT_OK)
        status = ht_device_find("host", &in.device, error);
    if (status == HT_OK)
        status = source_read(&in, &tree, error);
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        status = choice_take(&in, &choices[i], error);
    if (status == HT_OK && in.count)
        status = all_write(&in, error);
    ht_strings_free(in.notes, in.count);
    free(in.made);
    free(in.choices);
    free(in.text);
    ht_refactor_free(in.refactor);
    ht_problems_close(&in.problems);
    ht_tree_free(&tree);
    return status;
}
