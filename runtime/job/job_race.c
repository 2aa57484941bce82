/* Original and finalists timed in turn, kept and replayed. */
#include "runtime/job/job_race.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runtime/store/races.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MIN = 8, ROUNDS_MIN_LONG = 4, LOOK_EVERY = 8 };

/* Of one comparison. Up to five of them are made at a time (four finalists, the best two), and each
 * is tested while it grows: together they still hold in 95 of 100 jobs. */
static const double CONFIDENCE = 0.99;

void ht_finals_fail(ht_final *result, ht_status status, const ht_error *error) {
    ht_text reason = {0};
    ht_job_reason(status, error, &reason);
    result->status = status;
    ht_text_shorten(reason.data, result->reason, sizeof result->reason);
    ht_text_free(&reason);
}

bool ht_finals_is_alive(const ht_finals *f, size_t i) {
    return f->results[i].status == HT_OK;
}

static bool in_play(const ht_finals *f, size_t slot) {
    return slot == 0 || (ht_finals_is_alive(f, slot - 1) && (f->only == 0 || f->only == slot));
}

bool ht_finals_any_in_play(const ht_finals *f) {
    for (size_t i = 0; i < f->count; ++i)
        if (in_play(f, 1 + i))
            return true;
    return false;
}

static json_t *slot_request(ht_finals *f, const char *op, size_t slot) {
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
static ht_status ask_slot(ht_finals *f, const char *op, size_t slot, json_t **out_reply,
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
    ht_finals_fail(&f->results[slot - 1], status, &own);
    f->results[slot - 1].verified = false;
    return HT_OK;
}

/* Loads the original and all finalists left. A finalist that takes the worker down is out; the
 * others start anew. */
static ht_status load_all(ht_finals *f, ht_error *error) {
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
static ht_status run_round(ht_finals *f, bool *out_complete, ht_error *error) {
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

ht_interval ht_finals_compare(const ht_finals *f, size_t slow, size_t fast) {
    return ht_stats_paired_ratio(f->samples[slow], f->samples[fast], f->rounds, CONFIDENCE);
}

static bool narrow_enough(const ht_finals *f) {
    for (size_t i = 0; i < f->count; ++i) {
        if (!in_play(f, 1 + i))
            continue;
        ht_interval interval = ht_finals_compare(f, 0, 1 + i);
        if (ht_interval_width(&interval) > f->job->options.relative_interval / 2)
            return false;
    }
    return true;
}

/* Returns true when the time is up: long launches even out noise by themselves, and a user
 * waits. */
static bool time_is_up(const ht_finals *f, double seconds, double max_seconds) {
    return (f->rounds >= ROUNDS_MIN && seconds >= max_seconds) ||
           (f->rounds >= ROUNDS_MIN_LONG && seconds >= 2 * max_seconds);
}

/* ---- kept and replayed */

/* Those in play when a race begins. */
typedef struct line_up {
    ht_race race; /* entrants and their configurations are owned */
    size_t slots[1 + HT_FINALISTS_MAX];
} line_up;

static void line_up_make(const ht_finals *f, line_up *out) {
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
static ht_status race_keep(const ht_finals *f, line_up *lined, ht_error *error) {
    const ht_job *job = f->job;
    ht_race *race = &lined->race;
    race->rounds = f->rounds;
    for (size_t i = 0; i < race->count; ++i) {
        size_t slot = lined->slots[i];
        ht_race_entrant *entrant = &race->entrants[i];
        if (slot && !ht_finals_is_alive(f, slot - 1)) {
            entrant->status = f->results[slot - 1].status;
            entrant->reason = f->results[slot - 1].reason;
        } else {
            entrant->samples = f->samples[slot];
        }
    }
    return ht_races_put(job->options.database, &job->identity.key, race, error);
}

/* Takes a race of the recording. *out_found: it has this one. */
static ht_status race_replay(ht_finals *f, line_up *lined, bool *out_found, ht_error *error) {
    ht_race *race = &lined->race;
    ht_status status = ht_races_get(f->job->options.recording, &f->job->identity.key,
                                    HT_FINALS_ROUNDS_MAX, race, out_found, error);
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
static ht_status recorded(ht_finals *f, ht_error *error) {
    ht_status status = HT_OK;
    f->rounds = HT_FINALS_ROUNDS_MAX;
    for (size_t slot = 0; slot <= f->count && status == HT_OK; ++slot)
        if (in_play(f, slot))
            status = ht_job_recorded(f->job, slot ? &f->configs[slot - 1] : NULL, f->samples[slot],
                                     &f->rounds, error);
    return status;
}

static ht_status rounds_run(ht_finals *f, double max_seconds, ht_error *error) {
    double begin = ht_clock_seconds();
    ht_status status = load_all(f, error);
    while (status == HT_OK && ht_finals_any_in_play(f) && f->rounds < HT_FINALS_ROUNDS_MAX) {
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

ht_status ht_finals_race(ht_finals *f, double max_seconds, ht_error *error) {
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

void ht_finals_unload(ht_finals *f) {
    if (f->job->workers.runner.pid <= 0)
        return;
    json_t *reply = NULL;
    ht_job_ask_runner(f->job, slot_request(f, "unload", 0), f->job->limits.run, &reply, NULL);
    json_decref(reply);
}
