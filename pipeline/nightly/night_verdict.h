/* Verdicts on a kernel against an earlier night, from ratios to a kernel that never changes. */
#ifndef HT_PIPELINE_NIGHTLY_NIGHT_VERDICT_H
#define HT_PIPELINE_NIGHTLY_NIGHT_VERDICT_H

#include "runtime/job/job.h"

#include <jansson.h>

/* Of a time now to a time then, in 95 % of cases. */
typedef struct ht_night_change {
    bool known;
    double ratio, lo, hi;
} ht_night_change;

/* Returns {"rounds", "calibration", "original", "incumbent"}: the samples of a watch, in
 * milliseconds, where `config` is the number of the configuration that stays; with its text (NULL:
 * not known) as "config". New reference. */
json_t *ht_night_watch_json(const ht_watch *watch, size_t config, const char *text);
/* Adds {"replaced", "replaced_config"}: the samples of the configuration that the one that stays
 * took the place of. */
void ht_night_watch_replace(json_t *document, const ht_watch *watch, size_t config,
                            const char *text);

/* Compares a time in two such documents: a member's ("incumbent", "original", "calibration") as a
 * multiple of another one's in the same round, or alone where `over` is NULL. The interval comes
 * from a bootstrap of the medians of the rounds, with a fixed seed. Not known unless both have at
 * least 4 rounds. */
ht_night_change ht_night_compare(const json_t *now, const json_t *then, const char *member,
                                 const char *over);

/* The word for a change: "slower" if all of the interval is above 1 + least and the estimate above
 * 1 + margin (at least `least`), "faster" alike below, "same" if all is within the margin, else
 * "unclear"; "new" if it is not known. An estimate inside the margin whose interval is no wider
 * than 20 % is "same" too. */
const char *ht_night_word(const ht_night_change *change, double least, double margin);

/* A kernel's medians of earlier nights, as logarithms of multiples of the calibration kernel's, the
 * last HT_NIGHT_HISTORY of them: {"incumbent": [...], "original": [...], "config"}. Returns
 * `history` (NULL: none) with those of a watch added; new reference. The incumbent's are of one
 * configuration: where the watch has another, those of before are moved by how far the two are
 * apart in it, or else dropped. */
enum { HT_NIGHT_HISTORY = 12 };
json_t *ht_night_history(const json_t *history, const json_t *watch);
/* Returns the least change of a member that is to be believed: `least`, or how far two nights of a
 * kernel that stays as it is are apart in 98.5 % of cases. Medians scatter as in its history, in
 * which 1.2 % count for 4 nights more (a normal distribution whose variance has such a prior:
 * Student's t; Gelman et al., Bayesian Data Analysis, 3.2). */
double ht_night_margin(const json_t *history, const char *member, double least);

/* The three verdicts of a kernel. */
typedef struct ht_night_verdicts {
    ht_night_change change, original, machine;
    const char *change_word, *original_word, *machine_word;
} ht_night_verdicts;
/* Judges a watch against an earlier one (NULL: there is none). `unchanged`: the kernel's key is the
 * same. Then what moved incumbent and original alike was something else on the machine, and the
 * word for both is "unclear": one alone must have moved against the other. The original's witness
 * is the configuration of the earlier watch, also where another took its place since; where it was
 * not timed again there is no witness, and an original that moved is "unclear". */
ht_night_verdicts ht_night_judge(const json_t *now, const json_t *then, const json_t *history,
                                 bool unchanged, double least);
/* Sets "verdict" of a row, and "change", "original" and "machine" with ratio and interval. */
void ht_night_verdicts_put(const ht_night_verdicts *verdicts, json_t *row);
/* Returns true if one of the first two words says that something changed. */
bool ht_night_moved(const ht_night_verdicts *verdicts);
/* A change must show twice: of two watches of one night, takes both and returns the one that is
 * nearer to an earlier watch, by what moved most of original and earlier configuration. */
json_t *ht_night_nearer(json_t *first, json_t *second, const json_t *then);

#endif
