#include "runtime/verify/verify.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "runtime/job/job_verify.h"
#include "runtime/verify/verify_choice.h"
#include "runtime/verify/verify_edges.h"
#include "runtime/verify/verify_fallback.h"
#include "runtime/verify/verify_large.h"
#include "runtime/verify/verify_original.h"
#include "runtime/verify/verify_template.h"
#include "templates/space/space.h"

#include <stdlib.h>
#include <string.h>

enum {
    TRIALS_MAX = 20,            /* problems tried until enough are good; more until one is */
    NONE_SECONDS = 300,         /* for which others than the given one are tried while none is */
    BUILD_LIMIT = 200000,       /* legal configurations that are listed */
    BATCH = 4,                  /* configurations that are compiled before they are run */
    ACCESSES = 200000,          /* of a launch in a pass, then no further block is looked at */
    FALLBACK_ACCESSES = 1 << 27 /* of a launch past a limit, all of whose blocks run */
};

/* The mode of runs: as strict as the original allows. */
typedef struct mode {
    bool checked; /* every access is looked at */
    bool ended;   /* threads of the original end before a barrier that others reach */
    bool exact;   /* outputs are compared to the bit */
    bool clean;   /* the original reads no shared memory that it has not written */
} mode;

/* Configurations that were compiled together. */
typedef struct batch {
    ht_programs *programs;
    size_t first, count; /* of those chosen */
} batch;

typedef struct verification {
    const ht_device *device;
    const ht_verify_options *options;
    ht_template *template; /* with the mode's tolerance */
    const ht_problem *given;
    ht_problem *problems; /* candidates */
    size_t problem_count;
    mode mode;
    ht_check_settings settings; /* of the problem at hand */
    ht_job *job;
    ht_binding binding; /* of the size at hand */
    ht_programs *original;
    size_t wanted;    /* sizes */
    ht_choice choice; /* of configurations */
    batch *batches;
    size_t batch_count;
    bool races;            /* the original's threads do, or its results differed from run to run */
    bool dropped;          /* the original is not good for the problem at hand */
    bool unsteady;         /* and a result differed */
    size_t asked;          /* problems of those asked for that were run */
    size_t fallback_count; /* of the first problems: those for the branches of the launch */
    size_t fresh_count;    /* of the problems: those that nobody can know */
    ht_verify_large large; /* problems that are not tried */
    double begun;
    ht_verify_result *out;
} verification;

/* Gives the settings of a problem's runs. All outputs are compared: one that no block writes would
 * pass as one that other blocks write. */
static ht_check_settings settings_of(const verification *in, size_t trial) {
    return (ht_check_settings){.accesses = ACCESSES,
                               .every_output = true,
                               .ended = in->mode.ended,
                               .seconds = in->options->run_limit,
                               .affordable = trial < in->fallback_count ? FALLBACK_ACCESSES : 0};
}

static uint64_t seed_of(const verification *in, size_t trial) {
    ht_random random;
    ht_random_stream(&random, in->options->seed, trial);
    return ht_random_next(&random) >> 1; /* passes through JSON */
}

static ht_binding binding_of(const verification *in, const ht_problem *problem) {
    return (ht_binding){in->template, problem, &in->device->fields};
}

static void report_outcome(verification *in, ht_verify_outcome outcome, char *reason) {
    in->out->outcome = outcome;
    free(in->out->reason);
    in->out->reason = reason;
}

/* ---- the original */

static void job_end(verification *in) {
    for (size_t i = 0; i < in->batch_count; ++i)
        ht_programs_free(in->job, in->batches[i].programs);
    in->batch_count = 0;
    if (in->job)
        ht_programs_free(in->job, in->original);
    in->original = NULL;
    ht_job_free(in->job);
    in->job = NULL;
}

static ht_status job_begin(verification *in, ht_error *error) {
    const ht_job_options options = {.seed = in->options->seed,
                                    .compile_workers = in->options->compile_workers,
                                    .compile_limit = in->options->compile_limit,
                                    .reference_limit = in->options->reference_limit > 0
                                                           ? in->options->reference_limit
                                                           : HT_VERIFY_REFERENCE_SECONDS,
                                    .program_size = HT_VERIFY_CONFIGURATIONS * 2,
                                    .buffers_limit = in->options->memory,
                                    .only_check = true,
                                    .unbound = true,
                                    .interrupted = in->options->interrupted};
    ht_verify_tolerate(in->template, in->mode.exact);
    in->binding = binding_of(in, in->given);
    ht_status status = ht_job_start(&in->binding, in->device, &options, &in->job, error);
    if (status == HT_OK)
        status = ht_programs_compile(in->job, NULL, 0, in->mode.checked, &in->original, error);
    return status;
}

static bool same_mode(mode a, mode b) {
    return a.checked == b.checked && a.ended == b.ended && a.exact == b.exact && a.clean == b.clean;
}

/* Tries the original on this problem. *out_next: the mode to be tried when it is good for none. */
static ht_status original_try(verification *in, const ht_problem *problem, uint64_t seed,
                              bool *out_good, mode *out_next, ht_error *error) {
    ht_check_result result = {0};
    ht_error own = {0};
    *out_good = false;
    in->binding = binding_of(in, problem);
    ht_config plain = ht_config_default(in->template);
    bool legal = false, ran = false;
    if (ht_verify_large_is(&in->large, &in->binding, in->mode.exact))
        return HT_OK;
    if (!in->options->written &&
        (ht_binding_legal(&in->binding, &plain, &legal, NULL, &own) != HT_OK || !legal))
        return HT_OK;
    ht_status status = ht_job_bind(in->job, &in->binding, seed, &own);
    if (status == HT_OK) {
        ran = true;
        status = ht_programs_run(in->job, in->original, 0, &in->settings, &result, &own);
    } else if (ht_verify_original_fault(status)) {
        if (status == HT_ERROR_TIMEOUT)
            ht_verify_large_note(&in->large, &in->binding);
        result.status = status;
        ht_text_shorten(own.message, result.reason, sizeof result.reason);
        status = HT_OK;
    }
    if (status != HT_OK && error)
        *error = own;
    bool unclean = json_is_string(json_object_get(result.details, "unwritten_shared"));
    *out_good = status == HT_OK && result.status == HT_OK && !(in->mode.clean && unclean);
    if (status == HT_OK && result.status == HT_OK && unclean)
        out_next->clean = false;
    if (status == HT_OK && ran && result.status == HT_ERROR_MISMATCH) {
        const char *finding = ht_check_finding_kind(&result);
        if (finding && strcmp(finding, "barrier") == 0 && !in->mode.ended) {
            out_next->ended = true; /* where threads wait at different places it is found again */
        } else if (finding && !ht_verify_of_size(finding)) {
            out_next->checked = false;
            in->races = in->races || strcmp(finding, "race") == 0;
        } else if (!finding && in->mode.exact)
            out_next->exact = false; /* other bits with threads in another order */
        else if (!finding && in->mode.checked)
            out_next->checked = false;
        else if (!finding)
            in->races = true;
    }
    if (status == HT_OK && result.status != HT_OK && in->out->size_count == 0)
        report_outcome(in, HT_VERIFY_ORIGINAL,
                       ht_format("the original itself fails (%s)", result.reason));
    ht_check_result_free(&result);
    return status;
}

/* ---- runs */

static char *problem_text(const verification *in, const ht_problem *problem) {
    return problem ? ht_problem_string(&in->template->problem, problem) : ht_strdup("");
}

/* Finds out whether this configuration fails too. *out_reason: free(). */
static ht_status fails(verification *in, const ht_config *config, bool *out_fails,
                       char **out_reason, ht_error *error) {
    ht_programs *programs;
    ht_check_result result = {0};
    *out_fails = false;
    ht_status status = ht_programs_compile(in->job, config, 1, in->mode.checked, &programs, error);
    if (status != HT_OK)
        return status;
    status = ht_programs_run(in->job, programs, 0, &in->settings, &result, error);
    *out_fails = status == HT_OK && result.status != HT_OK && !ht_programs_slow(programs, 0);
    if (*out_fails) {
        free(*out_reason);
        *out_reason = ht_strdup(result.reason);
    }
    ht_check_result_free(&result);
    ht_programs_free(in->job, programs);
    return status;
}

/* Puts parameters back to their defaults, one at a time, as long as it goes on failing. */
static ht_status reduce(verification *in, ht_error *error) {
    const ht_config plain = ht_config_default(in->template);
    ht_config *failing = &in->out->failing;
    ht_status status = HT_OK;
    bool again = true;
    while (again && status == HT_OK) {
        again = false;
        for (size_t i = 0; i < failing->count && status == HT_OK; ++i) {
            ht_config simpler = *failing;
            bool legal = false, bad = false;
            simpler.choice[i] = plain.choice[i];
            if (ht_config_equal(&simpler, failing) ||
                ht_binding_legal(&in->binding, &simpler, &legal, NULL, NULL) != HT_OK || !legal)
                continue;
            status = fails(in, &simpler, &bad, &in->out->reason, error);
            if (bad) {
                *failing = simpler;
                again = true;
            }
        }
    }
    return status;
}

/* Returns true for a slow one; the default must run, whatever it takes. */
static bool is_slow(const batch *of, size_t index) {
    return of->first + index > 0 && ht_programs_slow(of->programs, index);
}

static size_t compiled_count(const verification *in) {
    size_t count = 0;
    for (size_t i = 0; i < in->batch_count; ++i)
        count += in->batches[i].count;
    return count;
}

/* Compiles some more of what was chosen: a few, so that a fault is found before all are. */
static ht_status batch_add(verification *in, ht_error *error) {
    size_t first = compiled_count(in), left = in->choice.count - first;
    batch added = {.first = first, .count = left < BATCH ? left : BATCH};
    ht_status status = ht_programs_compile(in->job, &in->choice.items[first], added.count,
                                           in->mode.checked, &added.programs, error);
    if (status != HT_OK)
        return status;
    HT_GROW(in->batches, in->batch_count);
    in->batches[in->batch_count++] = added;
    for (size_t i = 0; i < added.count; ++i)
        in->out->slow += is_slow(&added, i);
    return HT_OK;
}

struct ht_verify_run {
    verification *in;
    const batch *of;
    size_t index;
};

ht_status ht_verify_run_again(ht_verify_run *run, char **out_reason, ht_error *error) {
    ht_check_result result;
    ht_status status = ht_programs_run(run->in->job, run->of->programs, run->index,
                                       &run->in->settings, &result, error);
    bool differs = status == HT_OK && result.status != HT_OK;
    *out_reason = differs ? ht_strdup(result.reason) : NULL;
    ht_check_result_free(&result);
    return status;
}

size_t ht_verify_run_size(const ht_verify_run *run) {
    return run->in->out->size_count - 1;
}

/* Finds out whether the original does as what was found: of a large grid not all blocks are
 * watched, and where checking mode is given up, a race may not have been looked for. */
static ht_status original_does(verification *in, const ht_check_result *found, bool *out_does,
                               ht_error *error) {
    const char *finding = ht_check_finding_kind(found);
    *out_does = in->races && !in->mode.checked;
    if (in->mode.checked && finding)
        return ht_verify_original_shows(in->job, in->original, finding, in->mode.ended, out_does,
                                        error);
    return *out_does
               ? HT_OK
               : ht_verify_original_varies(in->job, in->original, &in->settings, out_does, error);
}

/* Drops the problem: the original is not good for it, after all. */
static void size_drop(verification *in, const char *reason) {
    ht_verify_result *out = in->out;
    free(out->sizes[--out->size_count].problem);
    in->dropped = true;
    if (out->size_count == 0)
        report_outcome(in, HT_VERIFY_ORIGINAL, ht_format("the original itself fails (%s)", reason));
}

static ht_status config_run(verification *in, const batch *of, size_t index, ht_error *error) {
    ht_check_result result;
    ht_verify_result *out = in->out;
    ht_status status = ht_programs_run(in->job, of->programs, index, &in->settings, &result, error);
    bool does = false;
    ++out->sizes[out->size_count - 1].runs;
    if (status == HT_OK && result.status == HT_ERROR_MISMATCH)
        status = original_does(in, &result, &does, error);
    if (does && in->mode.checked)
        size_drop(in, result.reason);
    else if (does) {
        in->unsteady = true;
        report_outcome(
            in, HT_VERIFY_ORIGINAL,
            ht_format("threads of the original itself race, so that a result that differs says "
                      "nothing (%s)",
                      result.reason));
    } else if (status == HT_OK && result.status != HT_OK) {
        const char *finding = ht_check_finding_kind(&result);
        report_outcome(in, HT_VERIFY_DIFFERS, ht_strdup(result.reason));
        out->failure = result.status;
        snprintf(out->finding, sizeof out->finding, "%s", finding ? finding : "");
        out->failing = in->choice.items[of->first + index];
        out->failing_size = out->size_count - 1;
        if (!in->options->unreduced)
            status = reduce(in, error);
    } else if (status == HT_OK && in->options->agreed) {
        ht_verify_run run = {in, of, index};
        status = in->options->agreed(in->options->context, &run, error);
    }
    ht_check_result_free(&result);
    return status;
}

/* Runs those that are legal for the problem, up to the first that differs. */
static ht_status batch_run(verification *in, const ht_space *space, size_t index, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < in->batches[index].count && status == HT_OK && !in->dropped &&
                       in->out->outcome == HT_VERIFY_AGREES;
         ++i)
        if (!is_slow(&in->batches[index], i) &&
            ht_space_legal(space, &in->choice.items[in->batches[index].first + i]))
            status = config_run(in, &in->batches[index], i, error);
    return status;
}

/* Runs all others, as the original is good for this problem. */
static ht_status size_run(verification *in, const ht_problem *problem, uint64_t seed,
                          ht_error *error) {
    ht_verify_result *out = in->out;
    ht_space *space = NULL;
    HT_GROW(out->sizes, out->size_count);
    out->sizes[out->size_count++] =
        (ht_verify_size){.problem = problem_text(in, problem), .seed = seed};
    report_outcome(in, HT_VERIFY_AGREES, NULL);
    ht_error own = {0};
    ht_status status = ht_space_build(&in->binding, BUILD_LIMIT, &space, &own);
    if (status == HT_ERROR_INPUT && in->options->written) {
        report_outcome(
            in, HT_VERIFY_DIFFERS,
            ht_format("the original's launch is legal, the new one is not: %s", own.message));
        out->failure = HT_ERROR_LAUNCH;
        out->failing = in->choice.items[0];
        out->failing_size = out->size_count - 1;
        return HT_OK;
    }
    if (status != HT_OK && error)
        *error = own;
    if (status == HT_OK)
        ht_choice_draw(&in->choice, &in->binding, space);
    in->dropped = false;
    for (size_t i = 0; status == HT_OK && !in->dropped && out->outcome == HT_VERIFY_AGREES; ++i) {
        if (i == in->batch_count && compiled_count(in) == in->choice.count)
            break;
        if (i == in->batch_count)
            status = batch_add(in, error);
        if (status == HT_OK)
            status = batch_run(in, space, i, error);
    }
    ht_space_free(space);
    return status;
}

/* Returns true if every parameter has been tried with two values. Some sizes allow but one of them:
 * those that an original's tile divides may be all that others are for. */
static bool all_moved(const verification *in) {
    bool all = true;
    for (size_t i = 0; i < in->template->param_count && all; ++i) {
        bool moved = in->template->params[i].value_count < 2;
        for (size_t j = 1; j < in->choice.count && !moved; ++j)
            moved = in->choice.items[j].choice[i] != in->choice.items[0].choice[i];
        all = moved;
    }
    return all;
}

static bool is_enough(const verification *in) {
    size_t count = in->out->size_count;
    return count >= in->wanted * 2 || (count >= in->wanted && all_moved(in));
}

static bool is_asked(const verification *in, const ht_problem *problem) {
    return !in->options->asked || in->options->asked(in->options->context, problem);
}

static bool is_all(const verification *in) {
    return is_enough(in) && (!in->options->asked || in->asked > 0);
}

/* Notes that the original does not run where the launch goes another way. */
static void fallback_lost(verification *in, const ht_problem *problem) {
    char *sizes = problem_text(in, problem);
    if (!in->out->left_out)
        in->out->left_out = ht_format("what it launches at %s was not run, for the original does "
                                      "not run there",
                                      sizes);
    free(sizes);
}

/* Returns true if there is no time left for a problem: where the original ran cleanly for none. */
static bool is_given_up(const verification *in, const ht_problem *problem) {
    const double limit = in->options->none_limit > 0 ? in->options->none_limit : NONE_SECONDS;
    if (in->out->size_count > 0 || ht_clock_seconds() - in->begun < limit || !problem)
        return false;
    char *given = problem_text(in, in->given), *text = problem_text(in, problem);
    bool is_given = strcmp(given, text) == 0;
    free(given);
    free(text);
    return !is_given;
}

/* Runs sizes until enough problems were good for the original, or one showed a fault. */
static ht_status sizes_run(verification *in, mode *out_next, ht_error *error) {
    const ht_verify_result *out = in->out;
    ht_status status = HT_OK;
    size_t candidates = in->given ? in->problem_count : in->wanted, tried = 0;
    size_t most = TRIALS_MAX + in->fresh_count;
    for (size_t i = 0; i < candidates && (tried < most || out->size_count == 0) && !is_all(in) &&
                       status == HT_OK && out->outcome != HT_VERIFY_DIFFERS && !in->unsteady;
         ++i) {
        ht_problem *problem = in->given ? &in->problems[i] : NULL;
        bool good, asked = is_asked(in, problem);
        if (in->options->skipped && in->options->skipped(in->options->context, problem))
            continue;
        ++tried;
        if ((is_enough(in) && !asked) || is_given_up(in, problem))
            continue;
        in->settings = settings_of(in, i);
        status = original_try(in, problem, seed_of(in, i), &good, out_next, error);
        if (good)
            status = size_run(in, problem, seed_of(in, i), error);
        else if (status == HT_OK && i < in->fallback_count)
            fallback_lost(in, problem);
        in->asked += good && asked;
    }
    return status;
}

/* Takes the problems, which are to be run in any case, over. */
static void problems_put(verification *in, ht_problem *first, size_t count) {
    if (count) {
        ht_problem *all = ht_alloc(count + in->problem_count, sizeof *all);
        memcpy(all, first, count * sizeof *all);
        memcpy(all + count, in->problems, in->problem_count * sizeof *all);
        free(in->problems);
        in->problems = all;
        in->problem_count += count;
        in->wanted += count;
    }
    free(first);
}

/* Puts sizes at the edges of a delivered file's blocks first; the others follow. */
static void edges_put(verification *in) {
    ht_problem *edges = NULL;
    size_t count = 0;
    if (!in->options->written || in->problem_count == 0)
        return;
    ht_verify_edges(in->template, in->device, &in->problems[0], in->options, &edges, &count);
    problems_put(in, edges, count);
}

/* Puts sizes first at which a delivered file's launch goes a way that the others do not. */
static void fallbacks_put(verification *in) {
    size_t known = in->wanted < in->problem_count ? in->wanted : in->problem_count;
    ht_problem *found = NULL;
    if (!in->options->written)
        return;
    ht_verify_fallbacks(in->template, in->device, in->problems, known, in->options, &found,
                        &in->fallback_count, &in->out->left_out);
    problems_put(in, found, in->fallback_count);
}

/* Puts sizes that nobody can know in front of those that are always the same. */
static void fresh_put(verification *in) {
    ht_problem *found = NULL;
    size_t wanted = in->wanted;
    if (!in->options->fresh || in->problem_count == 0)
        return;
    ht_verify_fresh(in->template, in->given, in->options->seed, &found, &in->fresh_count);
    problems_put(in, found, in->fresh_count);
    in->wanted = wanted;
}

/* Runs all in a mode in which the original is good for some problem. */
static ht_status run_all(verification *in, ht_error *error) {
    for (;;) {
        mode next = in->mode;
        ht_status status = job_begin(in, error);
        if (status == HT_OK)
            status = sizes_run(in, &next, error);
        if (status != HT_OK || in->out->size_count || same_mode(next, in->mode))
            return status;
        job_end(in);
        in->mode = next;
    }
}

static ht_status verify_alike(const ht_template *template, const ht_problem *given,
                              const ht_device *device, const ht_verify_options *options,
                              ht_verify_result *out_result, ht_error *error) {
    *out_result = (ht_verify_result){0};
    verification in = {.device = device,
                       .options = options,
                       .template = ht_template_copy(template),
                       .given = template->problem.name ? given : NULL,
                       .wanted = options->sizes ? options->sizes : HT_VERIFY_SIZES,
                       .mode = {.checked = ht_check_possible(device),
                                .exact = !options->reassociates,
                                .clean = true},
                       .large = {.limit = options->memory},
                       .begun = ht_clock_seconds(),
                       .out = out_result};
    if (template->exact)
        in.template->tolerance = HT_TOLERANCE_DEFAULT; /* should it have to do */
    if (in.given)
        ht_verify_problems(template, given, &in.problems, &in.problem_count);
    fresh_put(&in);
    edges_put(&in);
    fallbacks_put(&in);
    ht_choice_init(&in.choice, in.template, options->unit ? options->unit : in.template->unit,
                   options->configurations + 1, options->seed);
    ht_status status = run_all(&in, error);
    if (status == HT_OK && !out_result->size_count && !out_result->reason)
        report_outcome(&in, HT_VERIFY_ORIGINAL, ht_verify_large_reason(&in.large));
    out_result->configurations = in.choice.count;
    out_result->bitwise = in.mode.exact;
    out_result->checked = in.mode.checked;
    out_result->late = in.large.known;
    out_result->seconds = ht_clock_seconds() - in.begun;
    job_end(&in);
    for (size_t i = 0; i < in.problem_count; ++i)
        ht_problem_free(&in.problems[i]);
    free(in.problems);
    free(in.batches);
    ht_choice_free(&in.choice);
    ht_template_free(in.template, 1);
    return status;
}

/* Verifies all with the original's order, to the bit; then all orders, within the tolerance. */
ht_status ht_verify(const ht_template *template, const ht_problem *given, const ht_device *device,
                    const ht_verify_options *options, ht_verify_result *out_result,
                    ht_error *error) {
    if (!options->rounds || options->reassociates)
        return verify_alike(template, given, device, options, out_result, error);
    ht_template *ordered = ht_verify_keep_order(template, options->rounds);
    ht_status status = verify_alike(ordered, given, device, options, out_result, error);
    ht_verify_reorder(template, ordered, &out_result->failing);
    ht_template_free(ordered, 1);
    if (status != HT_OK || out_result->outcome != HT_VERIFY_AGREES)
        return status;
    ht_verify_result first = *out_result;
    ht_verify_options loose = *options;
    loose.reassociates = true;
    ht_template *any = ht_verify_any_order(template);
    status = verify_alike(any, given, device, &loose, out_result, error);
    ht_template_free(any, 1);
    out_result->bitwise = first.bitwise;
    out_result->checked = out_result->checked && first.checked;
    out_result->configurations += first.configurations;
    out_result->slow += first.slow;
    out_result->late = out_result->late || first.late;
    out_result->seconds += first.seconds;
    ht_verify_result_free(&first);
    return status;
}

void ht_verify_result_free(ht_verify_result *result) {
    for (size_t i = 0; i < result->size_count; ++i)
        free(result->sizes[i].problem);
    free(result->sizes);
    free(result->reason);
    free(result->left_out);
    *result = (ht_verify_result){0};
}
