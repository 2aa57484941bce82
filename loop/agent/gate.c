#include "loop/agent/gate.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/text.h"
#include "loop/agent/pair.h"
#include "loop/agent/rules.h"
#include "loop/agent/runs.h"
#include "refactor/rewrite/foreign.h"
#include "refactor/rewrite/plain.h"
#include "refactor/rewrite/written.h"
#include "refactor/rewrite/written_compare.h"

#include <stdlib.h>
#include <string.h>

enum { CONFIGURATIONS = 8, LAUNCHES_MAX = 4 };

struct ht_gate {
    const ht_refactor *refactor;
    size_t index; /* of the kernel */
    const ht_kernel *kernel;
    ht_gate_options options;
    ht_device device;
    char *original;       /* the file */
    char *definition;     /* of the kernel */
    char *annotations;    /* of the original */
    ht_template *subject; /* the original next to itself */
};

/* ---- launches of a file ---- */

/* Reads the kernel of a file with this text, and its launches. */
static ht_status written_read(const ht_gate *gate, const char *text, ht_written **out_written,
                              ht_written_kernel *out_kernel, ht_error *error) {
    ht_applied_file file = {gate->kernel->file, (char *)(size_t)text};
    const ht_applied applied = {&file, 1};
    ht_status status = ht_written_open(gate->refactor, &applied, out_written, error);
    if (status == HT_OK)
        ht_written_kernel_read(*out_written, gate->index, out_kernel);
    return status;
}

static void annotations_make(ht_gate *gate) {
    ht_text text = {0};
    ht_template *bare = ht_template_copy(gate->subject);
    for (size_t i = 0; i < bare->reference_launch_count; ++i)
        ht_launch_free(&bare->reference_launches[i]);
    bare->reference_launch_count = 0;
    bare->reference_kind = HT_REFERENCE_DEFAULT_CONFIG;
    ht_template_print(bare, &text);
    ht_template_free(bare, 1);
    gate->annotations = ht_text_take(&text);
}

ht_status ht_gate_open(const ht_refactor *refactor, size_t kernel, const ht_gate_options *options,
                       ht_gate **out_gate, ht_error *error) {
    ht_gate *gate = ht_alloc(1, sizeof *gate);
    *gate = (ht_gate){.refactor = refactor,
                      .index = kernel,
                      .kernel = ht_refactor_kernel(refactor, kernel),
                      .options = *options};
    *out_gate = NULL;
    ht_status status = ht_device_find("host", &gate->device, error);
    if (status == HT_OK) {
        status = ht_plain_template(refactor, kernel, &gate->subject, error);
        if (status == HT_ERROR_UNSUPPORTED && error)
            ht_error_prefix(error, "rewrites of %s cannot be judged: ", gate->kernel->name);
    }
    if (status == HT_OK) {
        gate->original = ht_foreign_original(refactor);
        gate->definition = ht_foreign_definition(refactor, kernel);
        annotations_make(gate);
        *out_gate = gate;
    } else {
        ht_gate_close(gate);
    }
    return status;
}

void ht_gate_close(ht_gate *gate) {
    if (!gate)
        return;
    free(gate->original);
    free(gate->definition);
    free(gate->annotations);
    if (gate->subject)
        ht_template_free(gate->subject, 1);
    free(gate);
}

const char *ht_gate_annotations(const ht_gate *gate) {
    return gate->annotations;
}

const char *ht_gate_definition(const ht_gate *gate) {
    return gate->definition;
}

/* ---- texts ---- */

static ht_refusal kind_of_foreign(ht_foreign_kind kind) {
    static const ht_refusal kinds[] = {
        [HT_FOREIGN_READ] = HT_REFUSAL_NONE,           [HT_FOREIGN_UNPARSED] = HT_REFUSAL_PARSE,
        [HT_FOREIGN_SIGNATURE] = HT_REFUSAL_SIGNATURE, [HT_FOREIGN_STATE] = HT_REFUSAL_STATE,
        [HT_FOREIGN_OUTSIDE] = HT_REFUSAL_FORBIDDEN,   [HT_FOREIGN_ADDRESS] = HT_REFUSAL_REFERENCE};
    return kinds[kind];
}

/* Judges a text before anything of it runs. The names that it uses say more than how they are
 * declared, so that they come first. */
static ht_status text_judge(const ht_gate *gate, const char *text, bool annotated, ht_refused *out,
                            ht_error *error) {
    ht_foreign foreign;
    bool ruled = !gate->options.unruled;
    if (ruled)
        ht_rules_file(text, gate->original, annotated, out);
    if (out->kind != HT_REFUSAL_NONE)
        return HT_OK;
    ht_status status =
        ht_foreign_read(gate->refactor, gate->index, text, annotated, &foreign, error);
    if (status != HT_OK)
        return status;
    if (ruled && foreign.unit && foreign.kind != HT_FOREIGN_SIGNATURE)
        ht_rules_unit(foreign.unit, text, foreign.original_unit ? foreign.original_unit : "", out);
    if (ruled && foreign.kind == HT_FOREIGN_UNPARSED) /* functions of the host do not compile */
        ht_rules_unit(text, text, gate->original, out);
    if (foreign.kind != HT_FOREIGN_READ &&
        (ruled || foreign.kind == HT_FOREIGN_UNPARSED || foreign.kind == HT_FOREIGN_SIGNATURE))
        ht_refuse(out, kind_of_foreign(foreign.kind), foreign.line, "%s", foreign.fault);
    ht_foreign_free(&foreign);
    return HT_OK;
}

/* ---- runs ---- */

/* A launch of a file that launches the original at some sizes. */
typedef struct choosing {
    const ht_gate *gate;
    const ht_written_launch *launch;
} choosing;

static bool is_original(void *context, const ht_problem *problem) {
    const choosing *in = context;
    return !ht_written_launches(in->launch, problem, &in->gate->device.fields);
}

static ht_runs runs_of(ht_gate *gate) {
    return (ht_runs){.device = &gate->device,
                     .told = gate->subject->problem.name ? gate->options.problem : NULL,
                     .seed = gate->options.seed,
                     .compile_workers = gate->options.compile_workers,
                     .interrupted = gate->options.interrupted};
}

static ht_status pair_judge(ht_runs *runs, const ht_template *pair, ht_gate_verdict *out,
                            ht_error *error) {
    ht_status status = ht_runs_judge(runs, pair, &out->refused, error);
    out->sizes = runs->sizes;
    out->checked = runs->checked;
    out->twice = runs->twice;
    return status;
}

static ht_status launch_judge(ht_gate *gate, const ht_written_launch *launch, ht_gate_verdict *out,
                              ht_error *error) {
    choosing context = {gate, launch};
    ht_runs runs = runs_of(gate);
    if (!launch->template) {
        ht_refuse(&out->refused, HT_REFUSAL_LAUNCH, launch->line,
                  "its launch cannot be read: %s; launch it as the original is", launch->unread);
        return HT_OK;
    }
    runs.written = true;
    runs.skipped = launch->where ? is_original : NULL;
    runs.context = &context;
    return pair_judge(&runs, launch->template, out, error);
}

static ht_status launches_judge(ht_gate *gate, const char *text, ht_gate_verdict *out,
                                ht_error *error) {
    ht_written *written = NULL;
    ht_written_kernel kernel = {0};
    ht_status status = written_read(gate, text, &written, &kernel, error);
    if (status == HT_OK && kernel.fault)
        ht_refuse(&out->refused, HT_REFUSAL_LAUNCH, 0, "%s", kernel.fault);
    if (status == HT_OK && kernel.launch_count > LAUNCHES_MAX)
        ht_refuse(&out->refused, HT_REFUSAL_LAUNCH, 0,
                  "it has %zu different launches: no more than %d are judged", kernel.launch_count,
                  LAUNCHES_MAX);
    for (size_t i = 0;
         i < kernel.launch_count && status == HT_OK && out->refused.kind == HT_REFUSAL_NONE; ++i)
        status = launch_judge(gate, &kernel.launches[i], out, error);
    ht_written_kernel_free(&kernel);
    ht_written_close(written);
    return status;
}

static void verdict_begin(const ht_gate *gate, ht_gate_verdict *out, double *out_begin) {
    *out = (ht_gate_verdict){0};
    *out_begin = ht_clock_seconds();
    if (gate->subject->problem.name && !gate->options.problem)
        ht_refuse(&out->refused, HT_REFUSAL_UNVERIFIED, 0, "no sizes are given to run it at");
}

static void verdict_end(ht_status status, const char *text, double begin, ht_gate_verdict *out) {
    if (status == HT_OK && out->refused.kind == HT_REFUSAL_NONE)
        out->text = ht_strdup(text);
    out->seconds = ht_clock_seconds() - begin;
}

ht_status ht_gate_source(ht_gate *gate, const char *text, ht_gate_verdict *out, ht_error *error) {
    double begin;
    ht_status status = HT_OK;
    verdict_begin(gate, out, &begin);
    if (out->refused.kind == HT_REFUSAL_NONE)
        status = text_judge(gate, text, false, &out->refused, error);
    if (status == HT_OK && out->refused.kind == HT_REFUSAL_NONE)
        status = launches_judge(gate, text, out, error);
    verdict_end(status, text, begin, out);
    return status;
}

ht_status ht_gate_kernel(ht_gate *gate, const char *definition, ht_gate_verdict *out,
                         ht_error *error) {
    char *text = ht_foreign_replaced(gate->refactor, gate->index, definition);
    ht_status status = ht_gate_source(gate, text, out, error);
    free(text);
    return status;
}

/* ---- templates ---- */

/* Reads an annotated text, as the pass over any file does. */
static ht_status template_read(const ht_gate *gate, const char *text, ht_template **out_template,
                               ht_refused *out, ht_error *error) {
    ht_scratch scratch;
    ht_refactor *refactor = NULL;
    ht_error own = {0};
    *out_template = NULL;
    ht_status status = ht_scratch_make("agent", &scratch, error);
    if (status != HT_OK)
        return status;
    char *path = ht_path_join(scratch.path, "answer.hip");
    status = ht_file_write(path, text, strlen(text), error);
    if (status == HT_OK &&
        ht_refactor_file(path, NULL, gate->options.compiler, &refactor, &own) != HT_OK)
        ht_refuse(out, HT_REFUSAL_PARSE, own.line, "%s", own.message);
    size_t count = refactor ? ht_refactor_kernel_count(refactor) : 0;
    for (size_t i = 0; i < count && !*out_template; ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(refactor, i);
        if (strcmp(kernel->name, gate->kernel->name) != 0)
            continue;
        if (kernel->status == HT_KERNEL_ANNOTATED)
            *out_template = ht_template_copy(kernel->template);
        else
            ht_refuse(out, HT_REFUSAL_PARSE, kernel->reason_line, "it is no annotated template: %s",
                      kernel->reason ? kernel->reason : "it has no #pragma tune kernel(...)");
    }
    if (status == HT_OK && !*out_template)
        ht_refuse(out, HT_REFUSAL_PARSE, 0, "it defines no kernel %s", gate->kernel->name);
    ht_refactor_free(refactor);
    free(path);
    ht_scratch_remove(&scratch);
    return status;
}

/* Compares what says which results are right: that is the original's. */
static void meaning_judge(const ht_template *subject, const ht_template *own, ht_refused *out) {
    if (own->exact != subject->exact || own->tolerance != subject->tolerance)
        ht_refuse(out, HT_REFUSAL_TOLERANCE, own->line,
                  "its tolerance is not the original's: leave it as it is");
    if (own->reference_kind != HT_REFERENCE_DEFAULT_CONFIG || own->baseline_launch_count)
        ht_refuse(out, HT_REFUSAL_REFERENCE, own->line,
                  "it names what it is compared with: leave reference and baseline out");
    if (!ht_problem_spec_equal(&own->problem, &subject->problem))
        ht_refuse(out, HT_REFUSAL_PROBLEM, own->line,
                  "its problem(...) is not the original's: leave it as it is");
    if (own->arg_count != subject->arg_count)
        ht_refuse(out, HT_REFUSAL_PROBLEM, own->line, "it has %zu arguments, the original has %zu",
                  own->arg_count, subject->arg_count);
    for (size_t i = 0; i < own->arg_count && i < subject->arg_count; ++i) {
        ht_arg arg = own->args[i];
        arg.partial = subject->args[i].partial;
        if (!ht_arg_equal(&arg, &subject->args[i]))
            ht_refuse(out, HT_REFUSAL_PROBLEM, arg.place.line,
                      "its arg(%s) is not the original's: leave it as it is", arg.name);
    }
}

static ht_status template_judge(ht_gate *gate, const ht_template *template, ht_gate_verdict *out,
                                ht_error *error) {
    ht_template *pair = NULL;
    ht_error own = {0};
    ht_runs runs = runs_of(gate);
    runs.configurations =
        gate->options.configurations ? gate->options.configurations : CONFIGURATIONS;
    meaning_judge(gate->subject, template, &out->refused);
    if (out->refused.kind != HT_REFUSAL_NONE)
        return HT_OK;
    if (ht_pair_join(template, gate->subject, &pair, &own) != HT_OK) {
        ht_refuse(&out->refused, HT_REFUSAL_PARSE, 0, "%s", own.message);
        return HT_OK;
    }
    ht_status status = pair_judge(&runs, pair, out, error);
    ht_template_free(pair, 1);
    return status;
}

ht_status ht_gate_template(ht_gate *gate, const char *text, ht_gate_verdict *out, ht_error *error) {
    ht_template *template = NULL;
    double begin;
    ht_status status = HT_OK;
    verdict_begin(gate, out, &begin);
    if (out->refused.kind == HT_REFUSAL_NONE)
        status = text_judge(gate, text, true, &out->refused, error);
    if (status == HT_OK && out->refused.kind == HT_REFUSAL_NONE)
        status = template_read(gate, text, &template, &out->refused, error);
    if (status == HT_OK && template)
        status = template_judge(gate, template, out, error);
    verdict_end(status, template ? template->unit : text, begin, out);
    if (template)
        ht_template_free(template, 1);
    return status;
}

void ht_gate_verdict_free(ht_gate_verdict *verdict) {
    ht_refused_free(&verdict->refused);
    free(verdict->text);
    *verdict = (ht_gate_verdict){0};
}
