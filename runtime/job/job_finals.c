/* Verification on fresh inputs, then original and finalists timed in turn. */
#include "runtime/job/job_internal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runtime/store/races.h"

#include <stdlib.h>
#include <string.h>

enum {
    FINALISTS_MAX = 63,
    FRESH_SEEDS = 2,
    ROUNDS_MIN = 8,
    ROUNDS_MIN_LONG = 4,
    ROUNDS_MAX = 400,
    LOOK_EVERY = 8
};

/* Of one comparison. Up to five of them are made at a time (four finalists, the best two), and each
 * is tested while it grows: together they still hold in 95 of 100 jobs. */
static const double CONFIDENCE = 0.99;

typedef struct finals {
    ht_job *job;
    const ht_config *configs;
    size_t count;
    ht_compile_task *tasks; /* one a finalist */
    ht_final *results;
    double **samples; /* [0] the original, [1 + i] finalist i; one value a round */
    size_t rounds;
    size_t only;                 /* slot that alone meets the original; 0: all do */
    size_t first;                /* ahead of it only the first may be the best */
    int losses;                  /* of the worker, that count as nobody's fault */
    bool checked[FINALISTS_MAX]; /* they ran in checking mode, where that is possible */
} finals;

static void fail(ht_final *result, ht_status status, const ht_error *error) {
    ht_text reason = {0};
    ht_job_reason(status, error, &reason);
    result->status = status;
    ht_text_shorten(reason.data, result->reason, sizeof result->reason);
    ht_text_free(&reason);
}

static bool alive(const finals *f, size_t i) {
    return f->results[i].status == HT_OK;
}

static bool in_play(const finals *f, size_t slot) {
    return slot == 0 || (alive(f, slot - 1) && (f->only == 0 || f->only == slot));
}

static bool any_in_play(const finals *f) {
    for (size_t i = 0; i < f->count; ++i)
        if (in_play(f, 1 + i))
            return true;
    return false;
}

static ht_status compile_finalists(finals *f, ht_error *error) {
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
            fail(&f->results[i], task->status, &task->error);
        }
    }
    return status;
}

/* Sends a measurement request whose failure is that of a finalist; errors that end the job are
 * returned. */
static ht_status ask(finals *f, json_t *request, size_t i, json_t **out_reply, ht_error *error) {
    ht_error own = {0};
    ht_status status = ht_job_ask_measure(f->job, request, f->job->limits.run, out_reply, &own);
    if (ht_job_fatal(status)) {
        if (error != NULL)
            *error = own;
        return status;
    }
    if (status != HT_OK)
        fail(&f->results[i], status, &own);
    return HT_OK;
}

static ht_status verify(finals *f, ht_error *error) {
    for (uint64_t fresh = 1; fresh <= FRESH_SEEDS && any_in_play(f); ++fresh) {
        ht_random random;
        ht_random_stream(&random, f->job->options.seed, fresh);
        ht_status status = ht_job_make_reference(f->job, ht_random_next(&random), error);
        for (size_t i = 0; i < f->count && status == HT_OK; ++i) {
            if (!alive(f, i))
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
        f->results[i].verified = alive(f, i);
    return HT_OK;
}

static json_t *slot_request(finals *f, const char *op, size_t slot) {
    json_t *request;
    if (strcmp(op, "load") != 0)
        request = json_pack("{s:s}", "op", op);
    else if (slot == 0)
        request = ht_job_run_request(op, &f->job->default_config, f->job->baseline.program,
                                     f->job->baseline.set);
    else
        request = ht_job_run_request(op, &f->configs[slot - 1], f->tasks[slot - 1].program,
                                     HT_LAUNCHES_OWN);
    json_object_set_new(request, "slot", json_integer((json_int_t)slot));
    return request;
}

/* Asks about a slot. `*out_lost`: the worker died, and with it all that was loaded. The original's
 * failure is an error. */
static ht_status ask_slot(finals *f, const char *op, size_t slot, json_t **out_reply,
                          bool *out_lost, ht_error *error) {
    ht_error own = {0};
    ht_status status =
        ht_job_ask_runner(f->job, slot_request(f, op, slot), f->job->limits.run, out_reply, &own);
    *out_lost = f->job->workers.runner.pid <= 0;
    if (status == HT_OK)
        return HT_OK;
    /* Killed by somebody outside, or in the original, which ran before: no finalist is shown to be
     * at fault, and all is loaded again. */
    if (status == HT_ERROR_CRASH && *out_lost &&
        (slot == 0 || ht_process_killed_outside(&f->job->workers.runner)) &&
        f->losses++ < HT_OUTSIDE_KILLS)
        return HT_OK;
    if (ht_job_fatal(status) || slot == 0) {
        if (error != NULL)
            *error = own;
        return status;
    }
    fail(&f->results[slot - 1], status, &own);
    f->results[slot - 1].verified = false;
    return HT_OK;
}

/* Loads the original and all finalists left. A finalist that takes the worker down is out; the
 * others start anew. */
static ht_status load_all(finals *f, ht_error *error) {
    for (size_t slot = 0; slot <= f->count;) {
        json_t *reply = NULL;
        bool lost = false;
        ht_status status = HT_OK;
        if (in_play(f, slot))
            status = ask_slot(f, "load", slot, &reply, &lost, error);
        json_decref(reply);
        if (status != HT_OK)
            return status;
        slot = lost ? 0 : slot + 1;
    }
    return HT_OK;
}

/* Takes one sample of each, forwards in even rounds and backwards in odd ones, so that a drift of
 * the machine hits all alike. A round in which somebody fell out is not counted. */
static ht_status run_round(finals *f, bool *out_complete, ht_error *error) {
    *out_complete = false;
    for (size_t step = 0; step <= f->count; ++step) {
        size_t slot = f->rounds % 2 == 0 ? step : f->count - step;
        if (!in_play(f, slot))
            continue;
        json_t *reply = NULL;
        bool lost = false;
        ht_status status = ask_slot(f, "sample", slot, &reply, &lost, error);
        f->samples[slot][f->rounds] = json_number_value(json_object_get(reply, "ms"));
        json_decref(reply);
        if (status != HT_OK)
            return status;
        if (lost)
            return load_all(f, error);
        if (!in_play(f, slot))
            return HT_OK;
    }
    *out_complete = true;
    return HT_OK;
}

/* Returns how many times longer slot `slow` takes than slot `fast`. */
static ht_interval compare(const finals *f, size_t slow, size_t fast) {
    return ht_stats_paired_ratio(f->samples[slow], f->samples[fast], f->rounds, CONFIDENCE);
}

static bool narrow_enough(const finals *f) {
    for (size_t i = 0; i < f->count; ++i) {
        if (!in_play(f, 1 + i))
            continue;
        ht_interval interval = compare(f, 0, 1 + i);
        if (ht_interval_width(&interval) > f->job->options.relative_interval / 2)
            return false;
    }
    return true;
}

/* Returns true when the time is up: long launches even out noise by themselves, and a user
 * waits. */
static bool time_is_up(const finals *f, double seconds, double max_seconds) {
    return (f->rounds >= ROUNDS_MIN && seconds >= max_seconds) ||
           (f->rounds >= ROUNDS_MIN_LONG && seconds >= 2 * max_seconds);
}

/* ---- kept and replayed */

/* Those in play when a race begins. */
typedef struct line_up {
    ht_race race; /* entrants and their configurations are owned */
    size_t slots[1 + FINALISTS_MAX];
} line_up;

static void line_up_make(const finals *f, line_up *out) {
    out->race = (ht_race){.step = f->job->options.step,
                          .stage = f->only ? "confirmation" : "choice",
                          .seed = f->job->options.seed,
                          .entrants = ht_alloc(f->count + 1, sizeof *out->race.entrants)};
    for (size_t slot = 0; slot <= f->count; ++slot) {
        if (!in_play(f, slot))
            continue;
        char *config = slot ? ht_config_string(f->job->binding->template, &f->configs[slot - 1])
                            : ht_strdup("original");
        out->slots[out->race.count] = slot;
        out->race.entrants[out->race.count++] = (ht_race_entrant){.config = config};
    }
}

static void line_up_free(line_up *lined) {
    for (size_t i = 0; i < lined->race.count; ++i)
        free((char *)(size_t)lined->race.entrants[i].config);
    free(lined->race.entrants);
}

/* Writes down how a race went: timed again it would go another way. */
static ht_status race_keep(const finals *f, line_up *lined, ht_error *error) {
    const ht_job *job = f->job;
    ht_race *race = &lined->race;
    race->rounds = f->rounds;
    for (size_t i = 0; i < race->count; ++i) {
        size_t slot = lined->slots[i];
        ht_race_entrant *entrant = &race->entrants[i];
        if (slot && !alive(f, slot - 1)) {
            entrant->status = f->results[slot - 1].status;
            entrant->reason = f->results[slot - 1].reason;
        } else {
            entrant->samples = f->samples[slot];
        }
    }
    return ht_races_put(job->options.database, &job->identity.key, race, error);
}

/* Takes a race of the recording. *out_found: it has this one. */
static ht_status race_replay(finals *f, line_up *lined, bool *out_found, ht_error *error) {
    ht_race *race = &lined->race;
    ht_status status = ht_races_get(f->job->options.recording, &f->job->identity.key, ROUNDS_MAX,
                                    race, out_found, error);
    *out_found = *out_found && race->entrants[0].status == HT_OK;
    for (size_t i = 0; i < race->count && *out_found; ++i) {
        const ht_race_entrant *entrant = &race->entrants[i];
        size_t slot = lined->slots[i];
        if (entrant->status == HT_OK) {
            memcpy(f->samples[slot], entrant->samples, race->rounds * sizeof *entrant->samples);
            continue;
        }
        ht_final *result = &f->results[slot - 1];
        result->status = entrant->status;
        result->verified = false;
        ht_text_shorten(entrant->reason, result->reason, sizeof result->reason);
    }
    if (*out_found)
        f->rounds = race->rounds;
    ht_race_results_free(race);
    return status;
}

/* Takes the samples of a recording, as many of each as all have. */
static ht_status recorded(finals *f, ht_error *error) {
    ht_status status = HT_OK;
    f->rounds = ROUNDS_MAX;
    for (size_t slot = 0; slot <= f->count && status == HT_OK; ++slot)
        if (in_play(f, slot))
            status = ht_job_recorded(f->job, slot ? &f->configs[slot - 1] : NULL, f->samples[slot],
                                     &f->rounds, error);
    return status;
}

static ht_status rounds_run(finals *f, double max_seconds, ht_error *error) {
    double begin = ht_clock_seconds();
    ht_status status = load_all(f, error);
    while (status == HT_OK && any_in_play(f) && f->rounds < ROUNDS_MAX) {
        if (time_is_up(f, ht_clock_seconds() - begin, max_seconds))
            break;
        if (f->rounds >= 2 * LOOK_EVERY && f->rounds % LOOK_EVERY == 0 && narrow_enough(f))
            break;
        bool complete = false;
        status = run_round(f, &complete, error);
        f->rounds += complete;
    }
    return status;
}

/* Times those in play in turn, or takes what the recording has of it: of one that was made before
 * races were kept, times of a search. */
static ht_status race(finals *f, double max_seconds, ht_error *error) {
    const ht_job_options *options = &f->job->options;
    line_up lined = {0};
    line_up_make(f, &lined);
    bool replayed = false;
    ht_status status = HT_OK;
    if (options->recording && options->step)
        status = race_replay(f, &lined, &replayed, error);
    if (status == HT_OK && !replayed)
        status = options->recording ? recorded(f, error) : rounds_run(f, max_seconds, error);
    bool raced = replayed || !options->recording;
    if (status == HT_OK && raced && options->database && options->step && f->rounds)
        status = race_keep(f, &lined, error);
    line_up_free(&lined);
    return status;
}

/* Returns the incumbent: the finalist with the largest speedup. f->count when none is left. */
static size_t find_best(const finals *f) {
    size_t best = f->count;
    for (size_t i = 0; i < f->count; ++i)
        if ((i == 0 || i >= f->first) && alive(f, i) &&
            (best == f->count || f->results[i].speedup > f->results[best].speedup))
            best = i;
    return best;
}

static void conclude(finals *f, ht_timing *out_original) {
    if (f->rounds == 0)
        return;
    *out_original = ht_timing_of(f->samples[0], f->rounds);
    for (size_t i = 0; i < f->count; ++i) {
        ht_final *result = &f->results[i];
        if (!alive(f, i))
            continue;
        ht_interval interval = compare(f, 0, 1 + i);
        result->timing = ht_timing_of(f->samples[1 + i], f->rounds);
        result->speedup = interval.median;
        result->speedup_lo = interval.lo;
        result->speedup_hi = interval.hi;
    }
    size_t best = find_best(f);
    for (size_t i = 0; i < f->count; ++i) {
        ht_final *result = &f->results[i];
        if (!alive(f, i))
            continue;
        ht_interval interval = compare(f, 1 + i, 1 + best);
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
static size_t find_fastest(const finals *f, const ht_finals_rule *rule) {
    size_t fastest = f->count;
    for (size_t i = rule->first; i < f->count; ++i)
        if (alive(f, i) &&
            (fastest == f->count || f->results[i].speedup > f->results[fastest].speedup))
            fastest = i;
    return fastest;
}

/* Returns that one if it is faster by enough; f->count: nobody is. */
static size_t find_winner(const finals *f, const ht_finals_rule *rule) {
    size_t winner = find_fastest(f, rule);
    bool faster = winner < f->count && f->results[winner].speedup >= rule->min_speedup &&
                  ht_final_compare(&f->results[winner]) == HT_COMPARISON_FASTER;
    return faster ? winner : f->count;
}

/* Returns true if the report may speak of a finalist as right: the winner and those that may be as
 * fast, the default and the fastest when nobody wins, those that are to be compared and are faster,
 * and one that may stay. */
static bool is_reported(const finals *f, const ht_finals_rule *rule, size_t winner, size_t i) {
    if (rule->confirm_seconds <= 0 || i == winner)
        return true;
    if (winner == f->count && (i == 0 || i == find_fastest(f, rule)))
        return true;
    if (i > 0 && i < rule->first)
        return f->results[i].speedup > 1;
    return (i > 0 && i == rule->stays) || (winner < f->count && f->results[i].over_best_lo <= 1);
}

/* Checks the finalists whose numbers are given, compiled at once. */
static ht_status check(finals *f, const size_t *numbers, size_t count, ht_error *error) {
    const ht_config *configs[FINALISTS_MAX];
    ht_status found[FINALISTS_MAX];
    ht_error *whys = ht_alloc(count, sizeof *whys);
    for (size_t i = 0; i < count; ++i)
        configs[i] = &f->configs[numbers[i]];
    ht_status status =
        ht_job_check_variants(f->job, configs, count, HT_CHECK_FINALS, found, whys, error);
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        f->checked[numbers[i]] = true;
        if (found[i] != HT_OK) {
            fail(&f->results[numbers[i]], found[i], &whys[i]);
            f->results[numbers[i]].verified = false;
        }
    }
    free(whys);
    return status;
}

/* Runs in checking mode what may be reported. A winner that fails makes place for the next. */
static ht_status check_reported(finals *f, const ht_finals_rule *rule, ht_timing *out_original,
                                ht_error *error) {
    for (;;) {
        size_t winner = find_winner(f, rule), numbers[FINALISTS_MAX], count = 0;
        for (size_t i = 0; i < f->count; ++i)
            if (alive(f, i) && !f->checked[i] && is_reported(f, rule, winner, i))
                numbers[count++] = i;
        if (count == 0)
            return HT_OK;
        ht_status status = check(f, numbers, count, error);
        if (status != HT_OK)
            return status;
        conclude(f, out_original); /* without those that are out */
    }
}

/* Unloads all: it would only be in the way of what comes next. */
static void unload(finals *f) {
    if (f->job->workers.runner.pid <= 0)
        return;
    json_t *reply = NULL;
    ht_job_ask_runner(f->job, slot_request(f, "unload", 0), f->job->limits.run, &reply, NULL);
    json_decref(reply);
}

static ht_status confirm(finals *f, const ht_finals_rule *rule, ht_confirmation *out,
                         ht_error *error) {
    size_t winner = rule->confirm_seconds > 0 ? find_winner(f, rule) : f->count;
    if (winner == f->count)
        return HT_OK;
    f->only = 1 + winner;
    f->rounds = 0;
    unload(f);
    ht_status status = race(f, rule->confirm_seconds, error);
    if (status != HT_OK || !alive(f, winner) || f->rounds == 0)
        return status;
    ht_interval interval = compare(f, 0, f->only);
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
static ht_status note(const finals *f, size_t i, ht_error *error) {
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

static ht_status note_all(const finals *f, ht_error *error) {
    const ht_job_options *options = &f->job->options;
    ht_status status = HT_OK;
    for (size_t i = 0; i < f->count && options->database && !options->recording && f->rounds; ++i)
        if (status == HT_OK && alive(f, i))
            status = note(f, i, error);
    return status;
}

/* Confirms the winner. Without one that holds the default stays, which is checked then. */
static ht_status confirm_or_stay(finals *f, const ht_finals_rule *rule, ht_confirmation *out,
                                 ht_error *error) {
    ht_status status = confirm(f, rule, out, error);
    bool holds = out->made && out->speedup_lo > 1 && out->speedup >= rule->min_speedup;
    if (status != HT_OK || holds || f->count == 0 || f->checked[0] || !alive(f, 0))
        return status;
    return check(f, &(size_t){0}, 1, error);
}

static ht_status run_finals(finals *f, const ht_finals_rule *rule, ht_timing *out_original,
                            ht_confirmation *out_confirmation, ht_error *error) {
    ht_status status = compile_finalists(f, error);
    if (status == HT_OK)
        status = verify(f, error);
    if (status == HT_OK && any_in_play(f))
        status = race(f, rule->max_seconds, error);
    if (status == HT_OK) {
        conclude(f, out_original);
        status = check_reported(f, rule, out_original, error);
    }
    if (status == HT_OK)
        status = note_all(f, error);
    if (status == HT_OK) {
        status = confirm_or_stay(f, rule, out_confirmation, error);
    }
    unload(f);
    return status;
}

ht_status ht_job_finals_confirmed(ht_job *job, const ht_config *configs, size_t count,
                                  const ht_finals_rule *rule, ht_timing *out_original,
                                  ht_final *out_finals, ht_confirmation *out_confirmation,
                                  ht_error *error) {
    if (count > FINALISTS_MAX)
        return ht_error_set(error, HT_ERROR_INPUT, "%zu finalists; at most %d are timed together",
                            count, FINALISTS_MAX);
    *out_original = job->baseline.timing;
    *out_confirmation = (ht_confirmation){0};
    memset(out_finals, 0, count * sizeof *out_finals);
    finals f = {.job = job,
                .configs = configs,
                .count = count,
                .results = out_finals,
                .first = rule->first};
    f.tasks = ht_alloc(count, sizeof *f.tasks);
    f.samples = ht_alloc(count + 1, sizeof *f.samples);
    for (size_t slot = 0; slot <= count; ++slot)
        f.samples[slot] = ht_alloc(ROUNDS_MAX, sizeof **f.samples);
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
