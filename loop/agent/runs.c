#include "loop/agent/runs.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "loop/agent/pair.h"
#include "runtime/job/job.h"

#include <stdlib.h>
#include <string.h>

enum { TWICE_SIZES = 2, NEAR_TRIES = 3, BLOCK = 64 };
static const double run_seconds = 30;     /* of a small size in checking mode: four passes */
static const double plain_seconds = 0.05; /* of timing, in which a kernel runs again and again */

/* ---- words ---- */

/* Returns the refusal for what checking mode found. */
static ht_refusal kind_of_finding(const char *finding) {
    static const struct {
        const char *finding;
        ht_refusal kind;
    } kinds[] = {{"race", HT_REFUSAL_RACE},       {"barrier", HT_REFUSAL_BARRIER},
                 {"input", HT_REFUSAL_INPUT},     {"unwritten", HT_REFUSAL_UNWRITTEN},
                 {"outside", HT_REFUSAL_OUTSIDE}, {"bounds", HT_REFUSAL_OUTSIDE},
                 {"memory", HT_REFUSAL_OUTSIDE},  {"fault", HT_REFUSAL_OUTSIDE},
                 {"stack", HT_REFUSAL_CRASH}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        if (strcmp(kinds[i].finding, finding) == 0)
            return kinds[i].kind;
    return HT_REFUSAL_RESULT;
}

/* Returns the refusal for how a run failed. */
static ht_refusal kind_of(ht_status status, const char *finding, const char *reason) {
    if (*finding)
        return kind_of_finding(finding);
    if (strstr(reason, "sandbox: "))
        return HT_REFUSAL_SANDBOX;
    if (strstr(reason, "guard: write to input"))
        return HT_REFUSAL_INPUT;
    if (strstr(reason, "guard: write"))
        return HT_REFUSAL_OUTSIDE;
    switch (status) {
    case HT_ERROR_CRASH:
        return HT_REFUSAL_CRASH;
    case HT_ERROR_TIMEOUT:
        return HT_REFUSAL_HANG;
    case HT_ERROR_COMPILE:
        return HT_REFUSAL_PARSE;
    case HT_ERROR_LAUNCH:
        return HT_REFUSAL_LAUNCH;
    default:
        return HT_REFUSAL_RESULT;
    }
}

static char *problem_words(const ht_template *pair, const ht_problem *problem) {
    char *sizes = problem ? ht_problem_string(&pair->problem, problem) : ht_strdup("");
    char *words = *sizes ? ht_format("at %s: ", sizes) : ht_strdup("");
    free(sizes);
    return words;
}

/* ---- runs in checking mode ---- */

static ht_status verify(const ht_runs *runs, const ht_template *template, size_t sizes,
                        size_t configurations, ht_verify_result *out, ht_error *error) {
    const ht_verify_options options = {.seed = runs->seed,
                                       .configurations = configurations,
                                       .sizes = sizes,
                                       .fresh = true,
                                       .reassociates = true,
                                       .compile_workers = runs->compile_workers,
                                       .run_limit = run_seconds,
                                       .written = runs->written && sizes == 0,
                                       .unreduced = true,
                                       .skipped = runs->skipped,
                                       .context = runs->context,
                                       .interrupted = runs->interrupted};
    *out = (ht_verify_result){0};
    return ht_verify(template, runs->told, runs->device, &options, out, error);
}

/* Finds out whether outputs stay as they are when the inputs are turned round. */
static ht_status is_blind(const ht_runs *runs, const ht_template *pair, bool original,
                          bool *out_blind, ht_error *error) {
    ht_template *blind = NULL;
    ht_verify_result result;
    *out_blind = false;
    ht_status status = ht_pair_blind(pair, original, &blind, error);
    if (status != HT_OK)
        return status;
    status = verify(runs, blind, 1, 0, &result, error);
    *out_blind = status == HT_OK && result.outcome == HT_VERIFY_AGREES;
    ht_verify_result_free(&result);
    ht_template_free(blind, 1);
    return status;
}

/* ---- plain runs ---- */

/* Runs original and rewrite as tuning does: outputs are compared, then both are timed, then outputs
 * are compared again. *out_ran: the original runs at this size. */
static ht_status timed_run(const ht_runs *runs, const ht_template *timed, const ht_problem *problem,
                           const ht_config *config, bool *out_ran, ht_outcome *out,
                           ht_error *error) {
    const ht_job_options options = {.seed = runs->seed,
                                    .compile_workers = runs->compile_workers,
                                    .sample_budget = plain_seconds,
                                    .fresh = true,
                                    .interrupted = runs->interrupted};
    const ht_binding binding = {timed, problem, &runs->device->fields};
    ht_job *job = NULL;
    ht_error own = {0};
    size_t done = 0;
    bool legal = false;
    *out = (ht_outcome){0};
    *out_ran = false;
    if (ht_binding_legal(&binding, config, &legal, NULL, &own) != HT_OK || !legal)
        return HT_OK;
    ht_status status = ht_job_start(&binding, runs->device, &options, &job, &own);
    if (ht_job_fatal(status) && error)
        *error = own;
    if (status != HT_OK)
        return ht_job_fatal(status) ? status : HT_OK;
    ht_evaluator *evaluator = ht_job_evaluator(job);
    status = evaluator->evaluate(evaluator->self, config, 1, out, &done, error);
    *out_ran = status == HT_OK && done == 1;
    ht_job_free(job);
    return status;
}

static ht_status plain_run(const ht_runs *runs, const ht_template *pair, const ht_problem *problem,
                           const ht_config *config, bool *out_ran, ht_outcome *out,
                           ht_error *error) {
    ht_template *timed = NULL;
    *out_ran = false;
    ht_status status = ht_pair_timed(pair, &timed, error);
    if (status == HT_OK) {
        status = timed_run(runs, timed, problem, config, out_ran, out, error);
        ht_template_free(timed, 1);
    }
    return status;
}

/* Returns a value near this one: the first turns end anywhere, the last at a multiple of common
 * blocks. */
static int64_t near_value(int64_t value, uint64_t turn, uint64_t drawn) {
    int64_t power = value & -value; /* of two, that divides it */
    int64_t step = turn < NEAR_TRIES - 1 ? 1 : power < BLOCK ? power : BLOCK;
    int64_t room = value >= BLOCK ? value / 4 / step : 0;
    int64_t by = room > 0 ? ((int64_t)(drawn / 2 % (uint64_t)room) + 1) * step : 0;
    return drawn % 2 ? value - by : value + by;
}

/* Makes a problem near the given one: large sizes are moved, equal ones alike. */
static bool near_make(const ht_runs *runs, const ht_template *pair, uint64_t turn,
                      ht_problem *out) {
    const ht_problem_spec *spec = &pair->problem;
    ht_problem_value *values = ht_alloc(spec->field_count + 1, sizeof *values);
    size_t count = 0;
    ht_random random;
    ht_random_stream(&random, runs->seed, 0x9ea2 + turn);
    uint64_t drawn = ht_random_next(&random);
    for (size_t i = 0; i < spec->field_count; ++i) {
        int64_t value;
        if (spec->fields[i].kind != HT_FIELD_DERIVED &&
            ht_problem_get(runs->told, spec->fields[i].name, &value))
            values[count++] =
                (ht_problem_value){spec->fields[i].name, near_value(value, turn, drawn)};
    }
    bool made = ht_problem_make(spec, "near", values, count, (ht_place){0}, out, NULL) == HT_OK;
    free(values);
    return made;
}

static void plain_refuse(const ht_template *pair, const ht_problem *problem, bool told,
                         const ht_outcome *outcome, ht_refused *out) {
    ht_refusal kind = kind_of(outcome->status, "", outcome->reason);
    char *sizes = problem_words(pair, problem);
    if (kind == HT_REFUSAL_RESULT && !told)
        kind = HT_REFUSAL_SHAPE;
    ht_refuse(out, kind, 0, "in plain runs, again and again, %s%s", sizes, outcome->reason);
    free(sizes);
}

static ht_status plain_judge(const ht_runs *runs, const ht_template *pair, ht_refused *out,
                             ht_error *error) {
    const ht_config plain = ht_config_default(pair);
    ht_outcome outcome;
    bool ran;
    ht_status status = plain_run(runs, pair, runs->told, &plain, &ran, &outcome, error);
    if (status == HT_OK && ran && outcome.status != HT_OK)
        plain_refuse(pair, runs->told, true, &outcome, out);
    if (status == HT_OK && !ran)
        ht_refuse(out, HT_REFUSAL_UNVERIFIED, 0, "the original does not run at the given size");
    ran = false;
    for (uint64_t turn = 0;
         turn < NEAR_TRIES && status == HT_OK && runs->told && !ran && out->kind == HT_REFUSAL_NONE;
         ++turn) {
        ht_problem near;
        if (!near_make(runs, pair, turn, &near))
            continue;
        if (!runs->skipped || !runs->skipped(runs->context, &near))
            status = plain_run(runs, pair, &near, &plain, &ran, &outcome, error);
        if (status == HT_OK && ran && outcome.status != HT_OK)
            plain_refuse(pair, &near, false, &outcome, out);
        ht_problem_free(&near);
    }
    return status;
}

/* ---- verdicts ---- */

/* Finds out why outputs are wrong: they are right at the size that was given, do not depend on the
 * inputs, or are not all written. */
static ht_status explain(const ht_runs *runs, const ht_template *pair, const char *where,
                         const ht_config *failing, const char *reason, ht_refused *out,
                         ht_error *error) {
    ht_outcome outcome;
    bool ran = false, blind = false, original_blind = false;
    ht_status status =
        runs->told ? plain_run(runs, pair, runs->told, failing, &ran, &outcome, error) : HT_OK;
    bool right = ran && outcome.status == HT_OK;
    if (status == HT_OK && !right)
        status = is_blind(runs, pair, false, &blind, error);
    if (status == HT_OK && blind)
        status = is_blind(runs, pair, true, &original_blind, error);
    if (status != HT_OK)
        return status;
    if (right)
        ht_refuse(out, HT_REFUSAL_SHAPE, 0,
                  "it is right at the size that was given, and wrong %s%s: the kernel must do for "
                  "every size",
                  where, reason);
    else if (blind && !original_blind)
        ht_refuse(out, HT_REFUSAL_CONSTANT, 0,
                  "its outputs do not depend on what is in the inputs: %s%s", where, reason);
    else if (strstr(reason, "left unwritten"))
        ht_refuse(out, HT_REFUSAL_SKIPPED, 0, "it leaves outputs out: %s%s", where, reason);
    else
        ht_refuse(out, HT_REFUSAL_RESULT, 0, "its outputs are not the original's: %s%s", where,
                  reason);
    return HT_OK;
}

static ht_status differs(const ht_runs *runs, const ht_template *pair,
                         const ht_verify_result *result, ht_refused *out, ht_error *error) {
    const char *sizes = result->failing_size < result->size_count
                            ? result->sizes[result->failing_size].problem
                            : "";
    char *where = *sizes ? ht_format("at %s: ", sizes) : ht_strdup("");
    ht_refusal kind = kind_of(result->failure, result->finding, result->reason);
    ht_status status = HT_OK;
    if (kind == HT_REFUSAL_RESULT)
        status = explain(runs, pair, where, &result->failing, result->reason, out, error);
    else
        ht_refuse(out, kind, 0, "%s%s", where, result->reason);
    free(where);
    return status;
}

static ht_status fresh_judge(ht_runs *runs, const ht_template *pair, ht_refused *out,
                             ht_error *error) {
    ht_verify_result result;
    ht_status status = verify(runs, pair, 0, runs->configurations, &result, error);
    if (status == HT_OK && result.outcome == HT_VERIFY_ORIGINAL)
        ht_refuse(out, HT_REFUSAL_UNVERIFIED, 0, "it cannot be compared: %s", result.reason);
    else if (status == HT_OK && result.outcome == HT_VERIFY_DIFFERS)
        status = differs(runs, pair, &result, out, error);
    runs->sizes = result.size_count;
    runs->checked = result.checked;
    ht_verify_result_free(&result);
    return status;
}

/* Launches both twice. Where the original cannot be launched so, nothing is said. */
static ht_status twice_judge(ht_runs *runs, const ht_template *pair, ht_refused *out,
                             ht_error *error) {
    ht_template *twice = NULL;
    ht_verify_result result;
    ht_status status = ht_pair_twice(pair, &twice, error);
    if (status != HT_OK)
        return status;
    status = verify(runs, twice, TWICE_SIZES, runs->configurations ? 1 : 0, &result, error);
    runs->twice = status == HT_OK && result.outcome == HT_VERIFY_AGREES;
    if (status == HT_OK && result.outcome == HT_VERIFY_DIFFERS) {
        ht_refusal kind = kind_of(result.failure, result.finding, result.reason);
        if (kind == HT_REFUSAL_RESULT || kind == HT_REFUSAL_UNWRITTEN)
            ht_refuse(out, HT_REFUSAL_STATE, 0,
                      "launched a second time into the same buffers, with other inputs, it gives "
                      "other outputs than the original: %s",
                      result.reason);
        else
            ht_refuse(out, kind, 0, "launched twice: %s", result.reason);
    }
    ht_verify_result_free(&result);
    ht_template_free(twice, 1);
    return status;
}

ht_status ht_runs_judge(ht_runs *runs, const ht_template *pair, ht_refused *out, ht_error *error) {
    ht_status status = fresh_judge(runs, pair, out, error);
    if (status == HT_OK && out->kind == HT_REFUSAL_NONE)
        status = twice_judge(runs, pair, out, error);
    if (status == HT_OK && out->kind == HT_REFUSAL_NONE)
        status = plain_judge(runs, pair, out, error);
    return status;
}
