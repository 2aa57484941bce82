/* Shows whether tuned files are right, as they would be written.
 *
 *   written_sources [--configurations N] [--seed S] [-I DIR]... [--through FILE] FILE...
 *
 * writes random legal configurations of every template into its source, in memory, and checks the
 * text as `apply` and `optimize` do before they write: kernel and launch are taken out of it and
 * run against the original's. Printed is a line for each kernel, and one for each text that would
 * be withheld; the exit code is 1 when there is one. */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "pipeline/written_check.h"
#include "refactor/rewrite/apply.h"
#include "runtime/job/job.h"
#include "runtime/worker/worker_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES_MAX = 400 };

typedef struct tally {
    size_t proven, unproven, withheld, unapplied;
} tally;

typedef struct run {
    const char *path;
    const ht_problem_file *problems;
    const ht_refactor *refactor;
    size_t index;
    const ht_kernel *kernel;
    const ht_problem *instance;
    ht_device device;
    ht_random random;
    size_t wanted;
    tally all;
} run;

static const ht_problem *instance_of(const run *in) {
    const ht_problem_file *own = in->kernel->inferred ? in->kernel->inferred : in->problems;
    const ht_problem_entry *entry = own ? ht_problem_file_entry(own, in->kernel->name) : NULL;
    return entry && entry->instance_count ? &entry->instances[0] : NULL;
}

/* A third of the parameters have another value than their default. */
static bool draw_legal(run *in, ht_config *out) {
    const ht_template *template = in->kernel->template;
    const ht_binding binding = {template, in->instance, &in->device.fields};
    const ht_config plain = ht_config_default(template);
    for (size_t tries = 0; tries < TRIES_MAX; ++tries) {
        bool legal = false;
        *out = plain;
        for (size_t i = 0; i < template->param_count; ++i)
            if (ht_random_below(&in->random, 3) == 0)
                out->choice[i] =
                    (uint16_t)ht_random_below(&in->random, template->params[i].value_count);
        if (!ht_config_equal(out, &plain) &&
            ht_binding_legal(&binding, out, &legal, NULL, NULL) == HT_OK && legal)
            return true;
    }
    return false;
}

static void report_fault(const run *in, const ht_config *config, const char *what,
                         const char *why) {
    char *text = ht_config_string(in->kernel->template, config);
    printf("%-10s %s:%d: %s: %s: %s\n", what, in->path, in->kernel->line, in->kernel->name, text,
           why);
    free(text);
}

static void text_check(run *in, const ht_config *config) {
    ht_written_checker checker = {.device = &in->device, .seed = 1};
    const ht_refactor_choice choice = {.kernel = in->index, .config = *config};
    const ht_written_subject subject = {
        .kernel = in->index, .config = config, .instance = in->instance};
    ht_written_proof proof = {0};
    ht_applied applied;
    ht_error error = {0};
    if (ht_refactor_apply_all(in->refactor, &choice, 1, &applied, &error) != HT_OK) {
        ++in->all.unapplied;
        report_fault(in, config, "unapplied", error.message);
        return;
    }
    ht_status status =
        ht_written_check(&checker, in->refactor, &applied, &subject, 1, &proof, &error);
    if (status != HT_OK || proof.fault) {
        ++in->all.withheld;
        report_fault(in, config, "WITHHELD", proof.fault ? proof.fault : error.message);
    } else if (proof.unproven) {
        ++in->all.unproven;
        report_fault(in, config, "unproven", proof.unproven);
    } else
        ++in->all.proven;
    ht_written_proof_free(&proof);
    ht_written_checker_free(&checker);
    ht_applied_free(&applied);
}

static void kernel_check(run *in) {
    const tally before = in->all;
    double begin = ht_clock_seconds();
    ht_config config;
    in->instance = instance_of(in);
    size_t count = 0;
    for (; count < in->wanted && draw_legal(in, &config); ++count)
        text_check(in, &config);
    printf("%-10s %s:%d: %s: %zu proven, %zu not, %zu withheld, %zu not applied, %.1f s each\n",
           in->all.withheld > before.withheld ? "wrong" : "right", in->path, in->kernel->line,
           in->kernel->name, in->all.proven - before.proven, in->all.unproven - before.unproven,
           in->all.withheld - before.withheld, in->all.unapplied - before.unapplied,
           count ? (ht_clock_seconds() - begin) / (double)count : 0.0);
    fflush(stdout);
}

static int file_check(run *in, const char *path, const ht_refactor_options *compiler) {
    ht_refactor *refactor;
    ht_problem_file *problems = NULL;
    ht_error error = {0};
    const char *dot = strrchr(path, '.');
    char *beside =
        ht_format("%.*s.problem.json", (int)(dot ? dot - path : (long)strlen(path)), path);
    ht_status status =
        ht_file_exists(beside) ? ht_problem_file_load(beside, &problems, &error) : HT_OK;
    if (status == HT_OK)
        status = ht_refactor_file(path, problems, compiler, &refactor, &error);
    if (status != HT_OK)
        fprintf(stderr, "written_sources: %s: %s\n", path, error.message);
    else {
        in->path = path;
        in->problems = problems;
        in->refactor = refactor;
        for (in->index = 0; in->index < ht_refactor_kernel_count(refactor); ++in->index) {
            in->kernel = ht_refactor_kernel(refactor, in->index);
            if (in->kernel->status == HT_KERNEL_TEMPLATED)
                kernel_check(in);
        }
        ht_refactor_free(refactor);
    }
    ht_problem_file_free(problems);
    free(beside);
    return status == HT_OK ? 0 : 2;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return ht_worker_main(argc, argv);
    const char **arguments = ht_alloc((size_t)argc + 1, sizeof *arguments);
    ht_refactor_options compiler = {.arguments = arguments};
    run in = {.wanted = 4};
    ht_error error = {0};
    int code = 0;
    ht_random_seed(&in.random, 1);
    if (ht_device_find("host", &in.device, &error) != HT_OK) {
        fprintf(stderr, "written_sources: %s\n", error.message);
        return 2;
    }
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--configurations") == 0 && i + 1 < argc)
            in.wanted = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            ht_random_seed(&in.random, strtoul(argv[++i], NULL, 10));
        else if (strcmp(argv[i], "--through") == 0 && i + 1 < argc)
            compiler.through = argv[++i];
        else if (strncmp(argv[i], "-I", 2) == 0)
            arguments[compiler.argument_count++] = argv[i];
        else {
            int own = file_check(&in, argv[i], &compiler);
            code = own > code ? own : code;
        }
    printf("%zu texts proven, %zu not proven, %zu withheld, %zu not applied\n", in.all.proven,
           in.all.unproven, in.all.withheld, in.all.unapplied);
    free(arguments);
    return in.all.withheld ? 1 : code;
}
