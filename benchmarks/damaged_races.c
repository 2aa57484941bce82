#include "benchmarks/damaged_races.h"

#include "benchmarks/failures.h"
#include "runtime/store/races.h"

#include <string.h>

enum { STEPS = 8, ROUNDS = 20, RACERS = 3, FALLEN = 2 /* the last one fell out */, NEVER = 2 };

static const char fell[] = "crash: SIGSEGV";

static double sample_of(int job, int step, int version, int racer, int round) {
    int which = ((job * STEPS + step) * STEPS + version) * RACERS + racer;
    return 0.1 + which / 7.0 + round / 300.0;
}

/* A race with nothing of what became of it. */
static ht_race race_name(int step, ht_race_entrant entrants[RACERS]) {
    static const char *const names[RACERS] = {"original", "A=1", "A=2"};
    for (int i = 0; i < RACERS; ++i)
        entrants[i] = (ht_race_entrant){.config = names[i]};
    return (ht_race){.step = (uint64_t)step + 1,
                     .stage = "choice",
                     .seed = 7,
                     .entrants = entrants,
                     .count = RACERS,
                     .rounds = ROUNDS};
}

static void race_put(ht_database *database, const ht_database_key *key, int job, int step,
                     int version, unsigned *failures) {
    double samples[RACERS][ROUNDS];
    ht_race_entrant entrants[RACERS];
    const ht_race race = race_name(step, entrants);
    ht_error error = {0};
    for (int i = 0; i < RACERS; ++i) {
        for (int r = 0; r < ROUNDS; ++r)
            samples[i][r] = sample_of(job, step, version, i, r);
        entrants[i].samples = samples[i];
    }
    entrants[FALLEN].status = HT_ERROR_CRASH;
    entrants[FALLEN].reason = (char *)(size_t)fell;
    if (ht_races_put(database, key, &race, &error) != HT_OK)
        bench_complain(failures, "cannot write: %s", error.message);
}

void damaged_races_put(ht_database *database, const ht_database_key *key, int job, int version,
                       unsigned *failures) {
    for (int step = version; step < STEPS; ++step)
        race_put(database, key, job, step, version, failures);
}

static bool race_is(const ht_race *race, int job, int step, int version) {
    bool same = race->rounds == ROUNDS;
    for (int i = 0; i < RACERS && same; ++i) {
        const ht_race_entrant *of = &race->entrants[i];
        same = of->status == (i == FALLEN ? HT_ERROR_CRASH : HT_OK) &&
               (i != FALLEN || strcmp(of->reason, fell) == 0);
        for (int r = 0; r < ROUNDS && same && i != FALLEN; ++r)
            same = of->samples[r] == sample_of(job, step, version, i, r);
    }
    return same;
}

damaged_races damaged_races_read(ht_database *database, const ht_database_key *key, int job,
                                 int versions, int number) {
    damaged_races out = {0};
    for (int step = 0; step < STEPS + NEVER; ++step) {
        ht_race_entrant entrants[RACERS];
        ht_race race = race_name(step, entrants);
        bool found = false, right = false;
        if (ht_races_get(database, key, ROUNDS, &race, &found, NULL) != HT_OK)
            found = false;
        for (int v = 0; v < versions && found && step < STEPS; ++v)
            right = right || race_is(&race, job, step, v);
        out.missing += !found;
        out.good += right;
        if (found && !right)
            bench_complain(&out.wrong, "%d: job %d: the race of step %d is not as it was run",
                           number, job, step + 1);
        ht_race_results_free(&race);
    }
    return out;
}
