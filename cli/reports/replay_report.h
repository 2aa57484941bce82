/* The report of replay: the table, the JSON form, the curve. */
#ifndef HT_CLI_REPORTS_REPLAY_REPORT_H
#define HT_CLI_REPORTS_REPLAY_REPORT_H

#include "search/launch_facts.h"
#include "search/score.h"

#include <jansson.h>
#include <stdio.h>

/* One strategy's searches. */
typedef struct ht_replayed {
    const char *strategy;
    ht_replay_trace *traces; /* owned */
    size_t count;
} ht_replayed;

/* Everything that the report draws on. All borrowed. */
typedef struct ht_replay_report {
    const char *space_path, *cache_path;
    const ht_recording *recording;
    const ht_replay *replay;
    const ht_score *score;
    double random_performance; /* NAN: not measured */
    uint64_t seed, max_evaluations;
    size_t batch;
    size_t seed_count;            /* configurations that every search began with */
    size_t source_count;          /* other runs that strategies were given as expectations */
    const ht_launch_facts *facts; /* that strategies were given; NULL: none */
    bool interrupted;
    const ht_replayed *runs;
    size_t run_count;
} ht_replay_report;

void ht_replay_report_print(const ht_replay_report *report, FILE *out);
/* An object for a single strategy, an array of such for several. New reference. */
json_t *ht_replay_report_json(const ht_replay_report *report);
/* Tab-separated: strategy, evaluations, mean, median, tenth percentile. */
void ht_replay_report_curve(const ht_replay_report *report, ht_text *out);

#endif
