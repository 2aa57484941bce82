/* Verification on fresh inputs, then the race of original and finalists (job_race.h). */
#include "runtime/job/job_race.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FRESH_SEEDS = 2 };

static ht_status compile_finalists(ht_finals *f, ht_error *error) {
    for (size_t i = 0; i < f->count; ++i)
        f->tasks[i].config = &f->configs[i];
    ht_status status = ht_job_compile(f->job, f->tasks, f->count, error);
    for (size_t i = 0; i < f->count && status == HT_OK; ++i) {
        const ht_compile_task *task = &f->tasks[i];
        if (ht_job_fatal(task->status)) {
            status = task->status;
            if (error != NULL)
                *error = task->error;
        } else if (task->status != HT_OK) {
            ht_finals_fail(&f->results[i], task->status, &task->error);
        }
    }
    return status;
}

/* Sends a measurement request whose failure is that of a finalist; errors that end the job are
 * returned. */
static ht_status ask(ht_finals *f, json_t *request, size_t i, json_t **out_reply, ht_error *error) {
    ht_error own = {0};
    ht_status status = ht_job_ask_measure(f->job, request, f->job->limits.run, out_reply, &own);
    if (ht_job_fatal(status)) {
        if (error != NULL)
            *error = own;
        return status;
    }
    if (status != HT_OK)
        ht_finals_fail(&f->results[i], status, &own);
    return HT_OK;
}

static ht_status verify(ht_finals *f, ht_error *error) {
    for (uint64_t fresh = 1; fresh <= FRESH_SEEDS && ht_finals_any_in_play(f); ++fresh) {
        ht_random random;
        ht_random_stream(&random, f->job->options.seed, fresh);
        ht_status status = ht_job_make_reference(f->job, ht_random_next(&random), error);
        for (size_t i = 0; i < f->count && status == HT_OK; ++i) {
            if (!ht_finals_is_alive(f, i))
                continue;
            json_t *reply = NULL;
            status =
                ask(f, ht_job_run_request("measure", &f->configs[i], f->tasks[i].program, false), i,
                    &reply, error);
            json_decref(reply);
        }
        if (status != HT_OK)
            return status;
    }
    for (size_t i = 0; i < f->count; ++i)
        f->results[i].verified = ht_finals_is_alive(f, i);
    return HT_OK;
}

/* Returns the incumbent: the finalist with the largest speedup. f->count when none is left. */
static size_t find_best(const ht_finals *f) {
    size_t best = f->count;
    for (size_t i = 0; i < f->count; ++i)
        if ((i == 0 || i >= f->first) && ht_finals_is_alive(f, i) &&
            (best == f->count || f->results[i].speedup > f->results[best].speedup))
            best = i;
    return best;
}

static void conclude(ht_finals *f, ht_timing *out_original) {
    if (f->rounds == 0)
        return;
    *out_original = ht_timing_of(f->samples[0], f->rounds);
    for (size_t i = 0; i < f->count; ++i) {
        ht_final *result = &f->results[i];
        if (!ht_finals_is_alive(f, i))
            continue;
        ht_interval interval = ht_finals_compare(f, 0, 1 + i);
        result->timing = ht_timing_of(f->samples[1 + i], f->rounds);
        result->speedup = interval.median;
        result->speedup_lo = interval.lo;
        result->speedup_hi = interval.hi;
    }
    size_t best = find_best(f);
    for (size_t i = 0; i < f->count; ++i) {
        ht_final *result = &f->results[i];
        if (!ht_finals_is_alive(f, i))
            continue;
        ht_interval interval = ht_finals_compare(f, 1 + i, 1 + best);
        result->over_best = interval.median;
        result->over_best_lo = interval.lo;
        result->over_best_hi = interval.hi;
    }
}

ht_comparison ht_final_compare(const ht_final *final) {
    if (final->status != HT_OK || !final->verified)
        return HT_COMPARISON_UNCLEAR;
    return final->speedup_lo > 1   ? HT_COMPARISON_FASTER
           : final->speedup_hi < 1 ? HT_COMPARISON_SLOWER
                                   : HT_COMPARISON_UNCLEAR;
}

const char *ht_comparison_name(ht_comparison comparison) {
    switch (comparison) {
    case HT_COMPARISON_FASTER:
        return "faster";
    case HT_COMPARISON_SLOWER:
        return "slower";
    case HT_COMPARISON_UNCLEAR:
        break;
    }
    return "unclear";
}

/* Returns the fastest of those that may win; f->count: there is none. */
static size_t find_fastest(const ht_finals *f, const ht_finals_rule *rule) {
    size_t fastest = f->count;
    for (size_t i = rule->first; i < f->count; ++i)
        if (ht_finals_is_alive(f, i) &&
            (fastest == f->count || f->results[i].speedup > f->results[fastest].speedup))
            fastest = i;
    return fastest;
}

/* Returns that one if it is faster by enough; f->count: nobody is. */
static size_t find_winner(const ht_finals *f, const ht_finals_rule *rule) {
    size_t winner = find_fastest(f, rule);
    bool faster = winner < f->count && f->results[winner].speedup >= rule->min_speedup &&
                  ht_final_compare(&f->results[winner]) == HT_COMPARISON_FASTER;
    return faster ? winner : f->count;
}

/* Returns true if the report may speak of a finalist as right: the winner and those that may be as
 * fast, the default and the fastest when nobody wins, those that are to be compared and are faster,
 * and one that may stay. */
static bool is_reported(const ht_finals *f, const ht_finals_rule *rule, size_t winner, size_t i) {
    if (rule->confirm_seconds <= 0 || i == winner)
        return true;
    if (winner == f->count && (i == 0 || i == find_fastest(f, rule)))
        return true;
    if (i > 0 && i < rule->first)
        return f->results[i].speedup > 1;
    return (i > 0 && i == rule->stays) || (winner < f->count && f->results[i].over_best_lo <= 1);
}

/* Checks the finalists whose numbers are given, compiled at once. */
static ht_status check(ht_finals *f, const size_t *numbers, size_t count, ht_error *error) {
    const ht_config *configs[HT_FINALISTS_MAX];
    ht_status found[HT_FINALISTS_MAX];
    ht_error *whys = ht_alloc(count, sizeof *whys);
    for (size_t i = 0; i < count; ++i)
        configs[i] = &f->configs[numbers[i]];
    ht_status status =
        ht_job_check_variants(f->job, configs, count, HT_CHECK_FINALS, found, whys, error);
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        f->checked[numbers[i]] = true;
        if (found[i] != HT_OK) {
            ht_finals_fail(&f->results[numbers[i]], found[i], &whys[i]);
            f->results[numbers[i]].verified = false;
        }
    }
    free(whys);
    return status;
}

/* Runs in checking mode what may be reported. A winner that fails makes place for the next. */
static ht_status check_reported(ht_finals *f, const ht_finals_rule *rule, ht_timing *out_original,
                                ht_error *error) {
    for (;;) {
        size_t winner = find_winner(f, rule), numbers[HT_FINALISTS_MAX], count = 0;
        for (size_t i = 0; i < f->count; ++i)
            if (ht_finals_is_alive(f, i) && !f->checked[i] && is_reported(f, rule, winner, i))
                numbers[count++] = i;
        if (count == 0)
            return HT_OK;
        ht_status status = check(f, numbers, count, error);
        if (status != HT_OK)
            return status;
        conclude(f, out_original); /* without those that are out */
    }
}

static ht_status confirm(ht_finals *f, const ht_finals_rule *rule, ht_confirmation *out,
                         ht_error *error) {
    size_t winner = rule->confirm_seconds > 0 ? find_winner(f, rule) : f->count;
    if (winner == f->count)
        return HT_OK;
    f->only = 1 + winner;
    f->rounds = 0;
    ht_finals_unload(f);
    ht_status status = ht_finals_race(f, rule->confirm_seconds, error);
    if (status != HT_OK || !ht_finals_is_alive(f, winner) || f->rounds == 0)
        return status;
    ht_interval interval = ht_finals_compare(f, 0, f->only);
    *out = (ht_confirmation){.made = true,
                             .finalist = winner,
                             .original = ht_timing_of(f->samples[0], f->rounds),
                             .timing = ht_timing_of(f->samples[f->only], f->rounds),
                             .speedup = interval.median,
                             .speedup_lo = interval.lo,
                             .speedup_hi = interval.hi};
    return HT_OK;
}

/* Writes down the times of a finalist that no search of this job has measured, as one that was
 * measured next to another template: a replay has them then. */
static ht_status note(const ht_finals *f, size_t i, ht_error *error) {
    ht_database *database = f->job->options.database;
    const ht_database_key *key = &f->job->identity.key;
    const ht_timing *timing = &f->results[i].timing;
    bool found = false;
    ht_evaluation known = {0};
    ht_evaluation own = {.config = ht_config_string(f->job->binding->template, &f->configs[i]),
                         .cost = timing->median_ms,
                         .samples = f->samples[1 + i],
                         .sample_count = f->rounds,
                         .resources = f->tasks[i].resources};
    ht_status status = ht_database_get(database, key, own.config, &found, &known, error);
    ht_evaluation_free(&known);
    if (status == HT_OK && !found)
        status = ht_database_put(database, key, &own, error);
    free(own.config);
    return status;
}

static ht_status note_all(const ht_finals *f, ht_error *error) {
    const ht_job_options *options = &f->job->options;
    ht_status status = HT_OK;
    for (size_t i = 0; i < f->count && options->database && !options->recording && f->rounds; ++i)
        if (status == HT_OK && ht_finals_is_alive(f, i))
            status = note(f, i, error);
    return status;
}

/* Confirms the winner. Without one that holds the default stays, which is checked then. */
static ht_status confirm_or_stay(ht_finals *f, const ht_finals_rule *rule, ht_confirmation *out,
                                 ht_error *error) {
    ht_status status = confirm(f, rule, out, error);
    bool holds = out->made && out->speedup_lo > 1 && out->speedup >= rule->min_speedup;
    if (status != HT_OK || holds || f->count == 0 || f->checked[0] || !ht_finals_is_alive(f, 0))
        return status;
    return check(f, &(size_t){0}, 1, error);
}

static ht_status run_finals(ht_finals *f, const ht_finals_rule *rule, ht_timing *out_original,
                            ht_confirmation *out_confirmation, ht_error *error) {
    ht_status status = compile_finalists(f, error);
    if (status == HT_OK)
        status = verify(f, error);
    if (status == HT_OK && ht_finals_any_in_play(f))
        status = ht_finals_race(f, rule->max_seconds, error);
    if (status == HT_OK) {
        conclude(f, out_original);
        status = check_reported(f, rule, out_original, error);
    }
    if (status == HT_OK)
        status = note_all(f, error);
    if (status == HT_OK) {
        status = confirm_or_stay(f, rule, out_confirmation, error);
    }
    ht_finals_unload(f);
    return status;
}

ht_status ht_job_finals_confirmed(ht_job *job, const ht_config *configs, size_t count,
                                  const ht_finals_rule *rule, ht_timing *out_original,
                                  ht_final *out_finals, ht_confirmation *out_confirmation,
                                  ht_error *error) {
    if (count > HT_FINALISTS_MAX)
        return ht_error_set(error, HT_ERROR_INPUT, "%zu finalists; at most %d are timed together",
                            count, HT_FINALISTS_MAX);
    *out_original = job->baseline.timing;
    *out_confirmation = (ht_confirmation){0};
    memset(out_finals, 0, count * sizeof *out_finals);
    ht_finals f = {.job = job,
                   .configs = configs,
                   .count = count,
                   .results = out_finals,
                   .first = rule->first};
    f.tasks = ht_alloc(count, sizeof *f.tasks);
    f.samples = ht_alloc(count + 1, sizeof *f.samples);
    for (size_t slot = 0; slot <= count; ++slot)
        f.samples[slot] = ht_alloc(HT_FINALS_ROUNDS_MAX, sizeof **f.samples);
    ht_claims_leave(job->claims);
    ht_status status = ht_job_gate_take(job, error);
    if (status == HT_OK) {
        status = run_finals(&f, rule, out_original, out_confirmation, error);
        ht_job_gate_release(job);
    }
    for (size_t slot = 0; slot <= count; ++slot)
        free(f.samples[slot]);
    free(f.samples);
    for (size_t i = 0; i < count; ++i)
        ht_job_forget_program(job, f.tasks[i].program);
    free(f.tasks);
    return status;
}

ht_status ht_job_finals(ht_job *job, const ht_config *configs, size_t count, double max_seconds,
                        ht_timing *out_original, ht_final *out_finals, ht_error *error) {
    const ht_finals_rule rule = {.max_seconds = max_seconds};
    ht_confirmation none;
    return ht_job_finals_confirmed(job, configs, count, &rule, out_original, out_finals, &none,
                                   error);
}
