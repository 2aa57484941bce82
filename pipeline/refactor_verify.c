#include "pipeline/refactor_verify.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text.h"
#include "pipeline/infer_check.h"
#include "pipeline/infer_contents.h"
#include "pipeline/progress.h"
#include "pipeline/report.h"
#include "pipeline/stop.h"
#include "pipeline/tasks.h"
#include "runtime/job/job_memory.h"
#include "runtime/verify/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Its workers have limits of their own; this is for a template that hangs them one by one. */
static const double limit_seconds = 60;
static const double quiet_seconds = 1.0; /* before progress is reported */
/* Where an original failed after more than that, it is not verified with other contents. */
static const double counted_seconds = 30;

/* Buffers, with their copies, of the templates that are verified at a time. The records
 * that checking keeps of each element take some ten times as much, up to 256 MiB. */
static const uint64_t bytes_most = UINT64_C(48) << 20;

typedef struct verifying {
    const ht_refactor_verifying *how;
    json_t **rows; /* those with a proof; borrowed */
    size_t count;
    ht_progress *progress;
    double start;
    size_t ended, verified;
    int code;
} verifying;

static char *held_name(const char *path) {
    return ht_format("%s.unverified", path);
}

ht_status ht_refactor_template_hold(const char *path, ht_error *error) {
    char *held = held_name(path);
    ht_status status = HT_OK;
    if (rename(path, held) != 0)
        status = ht_error_set(error, HT_ERROR_IO,
                              "%s was not verified: it cannot be put aside for that: %s", path,
                              strerror(errno));
    free(held);
    return status;
}

/* Returns the bytes that a run with the problem takes. */
static uint64_t bytes_of(const ht_template *template, const ht_problem *instance) {
    ht_device host;
    if (ht_device_find("host", &host, NULL) != HT_OK)
        return 0;
    const ht_binding binding = {template, instance, &host.fields};
    return ht_job_memory_need(&binding, &host);
}

json_t *ht_refactor_proof_make(const ht_kernel *kernel, const ht_problem *instance) {
    const ht_template *against = kernel->against;
    if (!against)
        return NULL;
    json_t *origins = json_array();
    for (size_t i = 0; i < against->param_count; ++i)
        json_array_append_new(origins, ht_report_json_text(kernel->origins[i]));
    char *fields =
        instance && against->problem.name ? ht_problem_string(&against->problem, instance) : NULL;
    json_t *proof = json_pack("{s:o, s:o, s:b, s:o}", "unit", ht_report_json_text(against->unit),
                              "problem", ht_report_json_text(fields), "reassociates",
                              kernel->reassociates, "origins", origins);
    if (kernel->rounds)
        json_object_set_new(proof, "rounds", ht_report_json_text(kernel->rounds));
    json_object_set_new(proof, "inferred", json_boolean(kernel->problem == HT_PROBLEM_INFERRED));
    json_object_set_new(proof, "bytes", json_integer((json_int_t)bytes_of(against, instance)));
    json_object_set_new(proof, "tries",
                        json_boolean(kernel->inferred && ht_inferred_tries(against)));
    free(fields);
    return proof;
}

/* ---- in the child */

static json_t *sizes_json(const ht_verify_result *result) {
    json_t *sizes = json_array();
    for (size_t i = 0; i < result->size_count; ++i)
        json_array_append_new(sizes,
                              json_pack("{s:o, s:I, s:I}", "problem",
                                        ht_report_json_text(result->sizes[i].problem), "seed",
                                        (json_int_t)result->sizes[i].seed, "configurations",
                                        (json_int_t)result->sizes[i].runs));
    return sizes;
}

/* Returns the transformations whose parameters the failing configuration changes; all of them when
 * it is the default that fails. */
static json_t *guilty_json(const ht_template *template, const ht_verify_result *result,
                           const json_t *origins) {
    json_t *guilty = json_array();
    ht_config plain = ht_config_default(template);
    bool any = ht_config_equal(&plain, &result->failing);
    for (size_t i = 0; i < template->param_count; ++i) {
        json_t *origin = json_array_get(origins, i), *known;
        size_t index;
        bool seen = false;
        json_array_foreach(guilty, index, known) seen = seen || json_equal(known, origin);
        if (!seen && (any || plain.choice[i] != result->failing.choice[i]))
            json_array_append(guilty, origin);
    }
    return guilty;
}

static const char *const outcomes[] = {[HT_VERIFY_AGREES] = "agrees",
                                       [HT_VERIFY_DIFFERS] = "differs",
                                       [HT_VERIFY_ORIGINAL] = "original fails"};

static const char not_inferred[] = "the inferred problem does not hold";

static json_t *result_json(const ht_template *template, const ht_verify_result *result,
                           const json_t *origins, uint64_t seed) {
    json_t *document =
        json_pack("{s:s, s:o, s:b, s:b, s:I, s:I, s:I, s:o, s:f}", "outcome",
                  outcomes[result->outcome], "reason", ht_report_json_text(result->reason),
                  "bitwise", result->bitwise, "accesses_checked", result->checked, "configurations",
                  (json_int_t)result->configurations, "slow", (json_int_t)result->slow, "seed",
                  (json_int_t)seed, "sizes", sizes_json(result), "seconds", result->seconds);
    json_object_set_new(document, "late", json_boolean(result->late));
    if (result->outcome == HT_VERIFY_DIFFERS) {
        char *text = ht_config_string(template, &result->failing);
        json_object_set_new(document, "failing", ht_report_json_text(text));
        json_object_set_new(document, "failing_size",
                            json_integer((json_int_t)result->failing_size));
        json_object_set_new(document, "transformations", guilty_json(template, result, origins));
        free(text);
    }
    return document;
}

/* Checks the problem: nothing is proved with one that the original does not run on. */
static ht_status problem_check(const json_t *proof, const ht_template *template,
                               ht_problem *problem, json_t **out_document, ht_error *error) {
    char *reason = NULL;
    if (!json_is_true(json_object_get(proof, "inferred")))
        return HT_OK;
    ht_status status = ht_inferred_check(template, problem, &reason, error);
    if (reason)
        *out_document =
            json_pack("{s:s, s:o}", "outcome", not_inferred, "reason", ht_report_json_text(reason));
    free(reason);
    return status;
}

/* A template that is being verified, with its problem. */
typedef struct subject {
    ht_template *templates; /* one */
    size_t count;
    ht_problem problem;
    const char *fields; /* of the problem; NULL: it has none */
} subject;

static void subject_free(subject *of) {
    ht_problem_free(&of->problem);
    ht_template_free(of->templates, of->count);
    *of = (subject){0};
}

/* Reads a template, and checks its problem. */
static ht_status subject_read(const json_t *proof, const char *unit, subject *out,
                              json_t **out_document, ht_error *error) {
    *out = (subject){.fields = json_string_value(json_object_get(proof, "problem"))};
    ht_status status = ht_template_parse(unit, "template", &out->templates, &out->count, error);
    if (status == HT_OK && out->fields)
        status = ht_problem_parse(&out->templates[0].problem, out->fields, &out->problem, error);
    return status == HT_OK ? problem_check(proof, &out->templates[0],
                                           out->fields ? &out->problem : NULL, out_document, error)
                           : status;
}

/* Reads it with other contents in its buffers. Returns false if there are none, or if the problem
 * does not hold with them. */
static bool subject_other(const json_t *proof, ht_contents contents, subject *out) {
    char *changed = ht_inferred_contents_template(ht_report_text_of(proof, "unit"), contents);
    json_t *document = NULL;
    ht_error ignored = {0};
    if (!changed)
        return false;
    bool holds =
        subject_read(proof, changed, out, &document, &ignored) == HT_OK && document == NULL;
    free(changed);
    json_decref(document);
    if (!holds)
        subject_free(out);
    return holds;
}

/* Reads what is to be verified. Where the inferred problem does not hold, it is tried with smaller
 * numbers in its buffers: those that are subscripts may have been too large, or negative; then with
 * letters, and with numbers that are counted up.
 * *out_contents: what holds of these. */
static ht_status subject_choose(const json_t *proof, subject *out, ht_contents *out_contents,
                                json_t **out_document, ht_error *error) {
    ht_status status =
        subject_read(proof, ht_report_text_of(proof, "unit"), out, out_document, error);
    *out_contents = HT_CONTENTS_INFERRED;
    for (ht_contents tried = HT_CONTENTS_TO_SEVEN;
         tried <= HT_CONTENTS_COUNTED && status == HT_OK && *out_document; ++tried) {
        subject other;
        if (!subject_other(proof, tried, &other))
            continue;
        json_decref(*out_document);
        *out_document = NULL;
        *out_contents = tried;
        subject_free(out);
        *out = other;
    }
    return status;
}

static ht_status subject_verify(const verifying *in, const json_t *proof, const subject *of,
                                ht_verify_result *out, ht_error *error) {
    ht_device device;
    ht_status status = ht_device_find("host", &device, error);
    const ht_verify_options options = {
        .seed = in->how->seed,
        .configurations = in->how->configurations,
        .reassociates = json_is_true(json_object_get(proof, "reassociates")),
        .rounds = json_string_value(json_object_get(proof, "rounds")),
        .memory = HT_VERIFY_MEMORY,
        .compile_workers = 1,
        .interrupted = &ht_interrupted};
    if (status == HT_OK)
        status = ht_verify(of->templates, of->fields ? &of->problem : NULL, &device, &options, out,
                           error);
    return status;
}

/* Verifies with numbers that are counted up, where the original itself fails with others: its
 * threads race if two of them find the same subscript. Keeps the first result where it fails with
 * these as well. */
static ht_status counted_verify(const verifying *in, const json_t *proof, subject *of,
                                ht_contents *contents, ht_verify_result *result, ht_error *error) {
    subject other = {0};
    ht_verify_result again = {0};
    if (result->outcome != HT_VERIFY_ORIGINAL || result->seconds > counted_seconds ||
        *contents == HT_CONTENTS_COUNTED || !json_is_true(json_object_get(proof, "inferred")) ||
        !subject_other(proof, HT_CONTENTS_COUNTED, &other))
        return HT_OK;
    ht_status status = subject_verify(in, proof, &other, &again, error);
    if (status == HT_OK && again.outcome != HT_VERIFY_ORIGINAL) {
        ht_verify_result first = *result;
        subject before = *of;
        *result = again;
        *of = other;
        *contents = HT_CONTENTS_COUNTED;
        again = first;
        other = before;
    }
    ht_verify_result_free(&again);
    subject_free(&other);
    return status;
}

static ht_status proof_run(const verifying *in, const json_t *proof, json_t **out_document,
                           ht_error *error) {
    subject of = {0};
    ht_contents contents;
    ht_verify_result result = {0};
    ht_status status = subject_choose(proof, &of, &contents, out_document, error);
    bool proved = status == HT_OK && !*out_document;
    if (proved)
        status = subject_verify(in, proof, &of, &result, error);
    if (proved && status == HT_OK)
        status = counted_verify(in, proof, &of, &contents, &result, error);
    if (proved && status == HT_OK)
        *out_document =
            result_json(of.templates, &result, json_object_get(proof, "origins"), in->how->seed);
    json_t *elements =
        proved && *out_document ? ht_inferred_elements(of.templates, &of.problem) : NULL;
    if (elements)
        json_object_set_new(*out_document, "elements", elements);
    if (proved && *out_document && contents)
        json_object_set_new(*out_document, "contents", json_integer(contents));
    ht_verify_result_free(&result);
    subject_free(&of);
    return status;
}

static json_t *first_line(const char *message) {
    char *line = ht_strndup(message, strcspn(message, "\n"));
    json_t *text = ht_report_json_text(line);
    free(line);
    return text;
}

static int proof_task(void *context, size_t index, FILE *out) {
    const verifying *in = context;
    json_t *document = NULL;
    ht_error error = {0};
    ht_status status = proof_run(in, json_object_get(in->rows[index], "proof"), &document, &error);
    if (status != HT_OK)
        document = json_pack("{s:o, s:s, s:i}", "error", first_line(error.message), "status",
                             ht_status_name(status), "code", ht_status_exit_code(status));
    int code = json_dumpf(document, out, 0) == 0 ? 0 : 1;
    json_decref(document);
    return code;
}

/* ---- in the parent */

/* Returns "dir/NAME.KERNEL.bug.hip" next to "dir/NAME.KERNEL.template.hip"; free(). */
static char *report_name(const char *template) {
    const char *suffix = strstr(ht_path_name(template), ".template.hip");
    size_t stem = suffix ? (size_t)(suffix - template) : strlen(template);
    return ht_format("%.*s.bug.hip", (int)stem, template);
}

static void names_print(const json_t *names, ht_text *out) {
    size_t index;
    json_t *name;
    json_array_foreach(names, index, name)
        ht_text_printf(out, "%s%s", index ? ", " : "", json_string_value(name));
}

/* Writes a template that `hiptemper check` takes, with the fault in a comment above it. */
static void report_write(json_t *row, const json_t *document, const char *unit) {
    const json_t *size =
        json_array_get(json_object_get(document, "sizes"),
                       (size_t)json_integer_value(json_object_get(document, "failing_size")));
    char *path = report_name(ht_report_text_of(row, "template"));
    const char *problem = ht_report_text_of(size, "problem"),
               *config = ht_report_text_of(document, "failing");
    long long seed = json_integer_value(json_object_get(size, "seed"));
    ht_text text = {0};
    ht_error error = {0};
    ht_text_printf(&text,
                   "// BUG REPORT: a template that does not do what its original does. It was "
                   "withheld;\n// this is a defect of hiptemper. Please pass this file on.\n//\n"
                   "// kernel:          %s, %s:%lld\n// transformations: ",
                   ht_report_text_of(row, "name"), ht_report_text_of(row, "file"),
                   (long long)json_integer_value(json_object_get(row, "line")));
    names_print(json_object_get(document, "transformations"), &text);
    ht_text_printf(&text,
                   "\n// configuration:   %s\n// sizes:           %s\n// seed of inputs:  %lld\n"
                   "// found:           %s\n",
                   config, *problem ? problem : "none", seed,
                   ht_report_text_of(document, "reason"));
    ht_text_printf(&text, "//\n// hiptemper check %s %s%s%s --seed %lld --config '%s'\n\n",
                   ht_path_name(path), *problem ? "--problem '" : "", problem, *problem ? "'" : "",
                   seed, config);
    if (!strstr(unit, "#pragma tune unit"))
        ht_text_append(&text, "#pragma tune unit\n");
    ht_text_append(&text, unit);
    if (ht_result_write(path, text.data, text.length, &error) == HT_OK)
        json_object_set_new(row, "bug_report", ht_report_json_text(path));
    else
        ht_report_error(&error);
    ht_text_free(&text);
    free(path);
}

/* Takes the template back. */
static void withhold(json_t *row, char *reason) {
    const char *path = ht_report_text_of(row, "template");
    char *held = held_name(path);
    unlink(held);
    free(held);
    if (json_is_string(json_object_get(row, "launcher")))
        unlink(ht_report_text_of(row, "launcher"));
    json_object_set_new(row, "launcher", json_null());
    json_object_set_new(row, "status", json_string("withheld"));
    json_object_set_new(row, "reason", ht_report_json_text(reason));
    json_object_set_new(row, "template", json_null());
    json_object_set_new(row, "transformations", json_array());
    json_object_set_new(row, "parameters", json_array());
    free(reason);
}

static void offer(verifying *in, json_t *row) {
    const char *path = ht_report_text_of(row, "template");
    char *held = held_name(path), *bug = report_name(path);
    int code = rename(held, path) == 0 ? 0 : errno;
    unlink(bug); /* of an earlier run */
    free(bug);
    free(held);
    if (code == 0) {
        json_object_set_new(row, "verified", json_true());
        ++in->verified;
    } else {
        withhold(row, ht_format("its file cannot be renamed: %s", strerror(code)));
        in->code = HT_EXIT_FAILED;
    }
}

static ht_contents contents_of(const json_t *document) {
    return (ht_contents)json_integer_value(json_object_get(document, "contents"));
}

static void differs(verifying *in, json_t *row, const json_t *document) {
    const char *unit = ht_report_text_of(json_object_get(row, "proof"), "unit");
    ht_contents contents = contents_of(document);
    char *changed = contents ? ht_inferred_contents_template(unit, contents) : NULL;
    ht_text reason = {0};
    ht_text_append(&reason, "its template does not do what the original does (");
    names_print(json_object_get(document, "transformations"), &reason);
    ht_text_printf(&reason, "; %s): %s; this is a defect of hiptemper",
                   ht_report_text_of(document, "failing"), ht_report_text_of(document, "reason"));
    report_write(row, document, changed ? changed : unit);
    free(changed);
    withhold(row, ht_text_take(&reason));
    in->code = in->code ? in->code : HT_EXIT_FAILED;
}

/* Leaves the problem to be filled in: it was inferred, and the original does not run on it. */
static void needs_problem(json_t *row, const char *reason) {
    json_t *transformations = json_incref(json_object_get(row, "transformations"));
    withhold(row,
             ht_format("no problem is known for it: the one that was inferred does not hold: %s",
                       reason));
    json_object_set_new(row, "transformations", transformations);
    json_object_set_new(row, "status", json_string("needs-problem"));
    json_object_set_new(row, "problem", json_string("missing"));
    json_object_set(row, "skeleton", json_object_get(row, "problem_file"));
    json_object_set_new(row, "problem_file", json_null());
}

typedef char *contents_make(const char *text, ht_contents contents);

/* Writes what a run found into a file: numbers of elements, contents of buffers. Returns false if
 * it cannot be written. */
static bool found_write(const char *path, json_t *elements, contents_make *make,
                        ht_contents contents) {
    char *text = NULL, *changed = NULL;
    ht_error error = {0};
    ht_status status = ht_file_read_text(path, "file of the template", &text, &error);
    if (status == HT_OK && elements && (changed = ht_inferred_text(text, elements))) {
        free(text);
        text = changed;
    }
    if (status == HT_OK && contents && (changed = make(text, contents))) {
        free(text);
        text = changed;
    }
    if (status == HT_OK && changed)
        status = ht_result_write(path, text, strlen(text), &error);
    if (status != HT_OK)
        ht_report_error(&error);
    free(text);
    return status == HT_OK;
}

/* Writes what a run found into the problem's file and the template that is still held. */
static bool all_found_write(json_t *row, const json_t *document) {
    json_t *elements = json_object_get(document, "elements");
    ht_contents contents = contents_of(document);
    bool written = true;
    if (elements || contents)
        written = found_write(ht_report_text_of(row, "problem_file"), elements,
                              ht_inferred_contents_problem, contents);
    if (written && contents) {
        char *held = held_name(ht_report_text_of(row, "template"));
        written = found_write(held, NULL, ht_inferred_contents_template, contents);
        free(held);
    }
    return written;
}

static void settle(verifying *in, json_t *row, const json_t *document) {
    const char *outcome = ht_report_text_of(document, "outcome");
    if (strcmp(outcome, outcomes[HT_VERIFY_AGREES]) == 0 && all_found_write(row, document)) {
        offer(in, row);
    } else if (strcmp(outcome, outcomes[HT_VERIFY_DIFFERS]) == 0) {
        differs(in, row, document);
    } else if (*outcome && strcmp(ht_report_text_of(row, "problem"), "inferred") == 0) {
        needs_problem(row, ht_report_text_of(document, "reason"));
    } else if (*outcome) {
        withhold(row, ht_format("its template cannot be verified: %s; do the problem's extents and "
                                "roles hold what the kernel touches?",
                                ht_report_text_of(document, "reason")));
    } else if (strcmp(ht_report_text_of(document, "status"), ht_status_name(HT_ERROR_COMPILE)) ==
               0) {
        in->code = HT_EXIT_FAILED;
        withhold(row, ht_format("its template does not compile for the host: %s; this is a defect "
                                "of hiptemper",
                                ht_report_text_of(document, "error")));
    } else {
        int code = (int)json_integer_value(json_object_get(document, "code"));
        in->code = code ? code : HT_EXIT_FAILED;
        withhold(row, ht_format("its template cannot be verified (--no-verify hands it out all the "
                                "same): %s",
                                ht_report_text_of(document, "error")));
    }
}

static const char too_long[] = "its template cannot be verified: it takes too long";

bool ht_refactor_verify_lost(const json_t *row) {
    return strcmp(ht_report_text_of(row, "status"), "withheld") == 0 &&
           strcmp(ht_report_text_of(row, "reason"), too_long) == 0;
}

static void lost(verifying *in, json_t *row, const ht_task_result *result) {
    if (result->status == HT_ERROR_INTERRUPTED) {
        withhold(row, ht_strdup("its template was not verified: interrupted"));
        return;
    }
    if (json_is_true(json_object_get(json_object_get(row, "proof"), "tries"))) {
        needs_problem(row, result->status == HT_ERROR_TIMEOUT
                               ? "with buffers as large as a run asks for, it takes too long"
                               : "with buffers as large as a run asks for, it crashes");
        return;
    }
    in->code = HT_EXIT_FAILED;
    if (result->status == HT_ERROR_TIMEOUT)
        withhold(row, ht_strdup(too_long));
    else if (result->signal)
        withhold(row, ht_format("its template cannot be verified: verifying it crashed (%s)",
                                strsignal(result->signal)));
    else
        withhold(row, ht_format("its template cannot be verified: that ended with code %d",
                                result->code));
}

static void proof_done(void *context, size_t index, const ht_task_result *result) {
    verifying *in = context;
    json_t *row = in->rows[index];
    json_error_t at;
    json_t *document = result->status == HT_OK && result->text
                           ? json_loadb(result->text, result->length, 0, &at)
                           : NULL;
    if (document)
        settle(in, row, document);
    else
        lost(in, row, result);
    if (document && *ht_report_text_of(document, "outcome"))
        json_object_set(row, "verification", document);
    json_decref(document);
    json_object_del(row, "proof");
    if (in->how->settled)
        in->how->settled(in->how->context, row);
    ++in->ended;
    ht_progress_begin(in->progress, ht_report_text_of(row, "name"));
    if (ht_clock_seconds() - in->start < quiet_seconds || in->ended == in->count)
        return;
    char *phase =
        ht_format("%zu template%s verified so far", in->verified, in->verified == 1 ? "" : "s");
    ht_progress_phase(in->progress, phase);
    free(phase);
}

ht_status ht_refactor_verify(json_t *rows, const ht_refactor_verifying *how, int *out_code,
                             ht_error *error) {
    verifying in = {.how = how, .start = ht_clock_seconds()};
    size_t index;
    json_t *row;
    *out_code = HT_EXIT_OK;
    in.rows = ht_alloc(json_array_size(rows) + 1, sizeof(json_t *));
    json_array_foreach(rows, index, row) if (json_object_get(row, "proof")) in.rows[in.count++] =
        row;
    in.progress = ht_progress_new(stderr, in.count);
    if (in.count > 0)
        ht_progress_begin(in.progress, "verifying");
    uint64_t *bytes = ht_alloc(in.count + 1, sizeof *bytes);
    for (size_t i = 0; i < in.count; ++i) {
        const json_t *proof = json_object_get(in.rows[i], "proof");
        bytes[i] = (uint64_t)json_integer_value(json_object_get(proof, "bytes"));
    }
    ht_tasks tasks = {.count = in.count,
                      .workers = how->jobs,
                      .limit_seconds = limit_seconds,
                      .weights = bytes,
                      .weight_max = bytes_most,
                      .run = proof_task,
                      .done = proof_done,
                      .context = &in};
    ht_status status = in.count ? ht_tasks_run(&tasks, error) : HT_OK;
    free(bytes);
    ht_progress_pause(in.progress);
    ht_progress_free(in.progress);
    free(in.rows);
    *out_code = in.code;
    return status;
}
