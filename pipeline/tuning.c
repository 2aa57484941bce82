#include "pipeline/expectation.h"
#include "pipeline/first_moves.h"
#include "pipeline/freer.h"
#include "pipeline/search_reason.h"
#include "pipeline/seeding.h"
#include "pipeline/style.h"

#include "base/clock.h"
#include "base/memory.h"
#include "pipeline/timed.h"
#include "runtime/job/check.h"
#include "runtime/job/job_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINALISTS = 3 };
static const double least_check = 4; /* seconds that the first check of a tuned source may take */
static const double finals_share = 0.25; /* of a pair's time, when one is, at least, */
static const double finals_most =
    0.5; /* and at most: a slow final elsewhere must not stop a search */
static const double least_seconds = 0.5;
static const double first_need = 10;   /* seconds of a pair, as long as none was prepared; then */
static const double search_factor = 3; /* times what preparing one took */

/* One pair under way. */
typedef struct pair {
    ht_session *session;
    ht_binding binding;
    ht_pair_result *result;
    ht_template
        *capped; /* the template of the space, when it was cut down; NULL: the original one */
    ht_template *plain; /* the template with plain configurations only; NULL: all may win */
    bool has_aside;
    /* may not win: not plain and faster than all that are; or the best plain one */
    ht_config aside;
    ht_space *space;
    ht_job *job;
    double deadline; /* clock; 0: none */
    double begun;
    size_t stays;         /* the finalist that is in use; 0: none */
    double start_seconds; /* how long its original took to compile, check and time */
} pair;

static void conclude(pair *pair, ht_verdict verdict, char *reason) {
    pair->result->verdict = verdict;
    free(pair->result->reason);
    pair->result->reason = reason;
}

/* Returns the pair's fair part of the time that the command has left: its end on the clock, 0 when
 * there is no limit. */
static double deadline_find(const ht_session *session, double now) {
    double limit = session->options.max_time;
    if (limit <= 0)
        return 0;
    double left = limit - session->reserve - (now - session->start);
    double need = session->prepare_seconds > 0 ? search_factor * session->prepare_seconds
                                               : fmin(first_need, left / 2);
    double most = fmax(floor(left / need), 1);
    return now + left / fmin(fmax((double)session->pairs_left, 1), most);
}

/* Returns true if less time is left than preparing a kernel took: then it is not begun. */
static bool too_late(const pair *pair) {
    return pair->deadline > 0 &&
           (ht_stopped || pair->deadline - pair->begun <= pair->session->prepare_seconds);
}

static ht_status begin_check(const pair *pair, ht_error *error) {
    if (ht_interrupted)
        return ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
    if (too_late(pair))
        return ht_error_set(error, HT_ERROR_TIMEOUT,
                            "not measured: the time limit (--max-time) was reached before");
    return HT_OK;
}

static ht_job_options job_options(const ht_session *session) {
    return (ht_job_options){
        .seed = session->options.seed,
        .compile_workers = (unsigned)session->options.compile_workers,
        .database = session->database,
        .recording = session->recording,
        .step = session->step,
        .share = session->share,
        .gate = session->gate,
        .fresh = session->options.fresh,
        .check = strcmp(session->options.check, "all") == 0      ? HT_CHECK_ALL
                 : strcmp(session->options.check, "finals") == 0 ? HT_CHECK_FINALS
                                                                 : HT_CHECK_NEVER,
        .cold_cache = strcmp(session->options.cache, "cold") == 0,
        .interrupted = &ht_stopped,
    };
}

static ht_status job_start(pair *pair, ht_error *error) {
    const ht_session *session = pair->session;
    const ht_job_options options = job_options(session);
    return ht_job_start(&pair->binding, &session->device, &options, &pair->job, error);
}

ht_status ht_tuning_identify(const ht_session *session, const ht_template *template,
                             const ht_problem *problem,
                             void (*part)(void *context, const char *name, const char *text),
                             void *context, ht_error *error) {
    const ht_binding binding = {template, problem, &session->device.fields};
    const ht_job_options options = job_options(session);
    return ht_job_identify(&binding, &session->device, &options, part, context, error);
}

/* Chooses the strategy: everything when that fits into the budget, else what the search finds most
 * promising. */
static const char *strategy_choose(const pair *pair) {
    const ht_tuning_options *options = &pair->session->options;
    if (options->strategy)
        return options->strategy;
    bool small = options->max_evals == 0 || ht_space_count(pair->space) <= options->max_evals;
    return small && options->max_time <= 0 ? "exhaustive" : "auto";
}

static ht_status strategy_make(pair *pair, ht_expectation *expectation, ht_strategy **out_strategy,
                               ht_error *error) {
    const char *name = strategy_choose(pair);
    size_t seed_count;
    ht_config *seeds = ht_seeding_find(pair->session, &pair->binding, pair->job, pair->space,
                                       &pair->result->seeds, &seed_count);
    ht_move moves[HT_FIRST_MOVES_MOST];
    uint64_t seed = pair->session->options.seed;
    ht_expectation_begin(pair->session, &pair->binding, pair->job, pair->space, name,
                         &pair->result->earlier, expectation);
    ht_strategy_options options = {.seed = seed,
                                   .seeds = seeds,
                                   .seed_count = seed_count,
                                   .moves = moves,
                                   .move_count = ht_first_moves_find(pair->space, seed, moves),
                                   .prior = expectation->facts ? &expectation->prior : NULL,
                                   .sources = expectation->sources};
    pair->result->search.facts = expectation->facts != NULL;
    snprintf(pair->result->search.strategy, sizeof pair->result->search.strategy, "%s", name);
    ht_status status = ht_strategy_create(name, pair->space, &options, out_strategy, error);
    free(seeds);
    if (status != HT_OK)
        ht_expectation_end(expectation);
    return status;
}

/* Returns how long `count` finalists take to compile and check: each as long as the original took,
 * on a machine as busy. */
static double checks_expected(const pair *pair, size_t count) {
    return (double)count * pair->start_seconds;
}

/* Returns how long finals are expected to take: as the longest of this command so far. */
static double finals_expected(const pair *pair) {
    const double known = pair->session->finals_seconds;
    return known > 0 ? known
                     : checks_expected(pair, FINALISTS + 1) + 2 * pair->session->options.final_time;
}

static ht_status search(pair *pair, ht_error *error) {
    ht_strategy *strategy;
    ht_expectation expectation;
    ht_status status = strategy_make(pair, &expectation, &strategy, error);
    if (status != HT_OK)
        return status;
    const ht_tuning_options *given = &pair->session->options;
    uint64_t planned = ht_space_count(pair->space);
    if (given->max_evals && given->max_evals < planned)
        planned = given->max_evals;
    ht_progress_plan(pair->session->progress, planned, ht_job_baseline(pair->job).median_ms);
    ht_search_options options = {
        .budget = {.max_evaluations = given->max_evals,
                   .each_seconds = pair->session->each_seconds},
        .on_event = ht_progress_event,
        .context = pair->session->progress,
        .interrupted = &ht_stopped,
        .known = pair->session->known,
        .known_count = pair->session->known_count,
    };
    if (pair->deadline > 0) {
        double total = pair->deadline - pair->begun;
        double finals =
            fmin(fmax(total * finals_share, finals_expected(pair)), total * finals_most);
        double left = pair->deadline - ht_clock_seconds() - finals;
        left *= pair->plain ? 1 - ht_freer_share : 1;
        options.budget.max_seconds = left > 0 ? left : 1e-9;
    }
    status = ht_search_run(strategy, ht_job_evaluator(pair->job), &options,
                           &pair->result->search.result, error);
    ht_expectation_note(strategy, &pair->result->earlier);
    ht_strategy_free(strategy);
    ht_expectation_end(&expectation);
    pair->session->each_seconds = pair->result->search.result.each_seconds;
    if (pair->result->search.result.interrupted && status == HT_OK)
        status = ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
    return status;
}

static void rejection_count(ht_pair_result *result, ht_status status, const char *reason) {
    for (size_t i = 0; i < result->rejections.count; ++i) {
        if (result->rejections.items[i].status == status) {
            ++result->rejections.items[i].count;
            return;
        }
    }
    HT_GROW(result->rejections.items, result->rejections.count);
    result->rejections.items[result->rejections.count++] =
        (ht_rejection){.status = status, .count = 1, .example = ht_strdup(reason)};
}

static void rejections_count(ht_pair_result *result) {
    for (size_t i = 0; i < result->search.result.trial_count; ++i) {
        const ht_outcome *outcome = &result->search.result.trials[i].outcome;
        if (outcome->status != HT_OK)
            rejection_count(result, outcome->status, outcome->reason);
    }
}

/* Adds a configuration that is not among them. Returns its number; 0: it is the default, or there
 * is no place. */
static size_t finalist_add(ht_finalists *finalists, const ht_config *config) {
    for (size_t i = 0; i < finalists->count; ++i)
        if (ht_config_equal(&finalists->items[i].config, config))
            return i;
    if (finalists->count == HT_FINALISTS_MAX)
        return 0;
    finalists->items[finalists->count] = (ht_candidate){.config = *config};
    return finalists->count++;
}

/* Chooses the finalists: the default first, then what may not win and only shows what another style
 * would give, then the cheapest others, only one of them when time is short, and the one that is in
 * use, whose time in the search may have been a bad one. */
static void finalists_choose(pair *pair) {
    ht_pair_result *result = pair->result;
    ht_finalists *finalists = &result->finalists;
    double left = pair->deadline - ht_clock_seconds();
    bool hurry = pair->deadline > 0 && left < finals_expected(pair);
    ht_config standard = ht_config_default(pair->binding.template);
    finalists->items[0] = (ht_candidate){.config = standard, .is_default = true};
    if (pair->has_aside)
        finalists->items[1] = (ht_candidate){.config = pair->aside};
    finalists->count = finalists->first = pair->has_aside ? 2 : 1;
    finalists->plain_aside = pair->has_aside && !pair->plain;
    size_t most = finalists->first + (hurry ? 1 : FINALISTS);
    most = most < HT_FINALISTS_MAX - 1 ? most : HT_FINALISTS_MAX - 1;
    size_t best[FINALISTS + 1];
    size_t count =
        ht_style_best(pair->binding.template, &result->search.result, FINALISTS + 1, best);
    for (size_t i = 0; i < count && finalists->count < most; ++i)
        finalist_add(finalists, &result->search.result.trials[best[i]].config);
    ht_binding bound = pair->binding;
    if (pair->plain) /* whose constraints say what may win */
        bound.template = pair->plain;
    ht_config defended;
    if (pair->session->defended &&
        pair->session->defended(pair->session->decided_context, &bound, result, &defended))
        pair->stays = finalist_add(finalists, &defended);
}

static ht_status finals_run(pair *pair, ht_error *error) {
    ht_pair_result *result = pair->result;
    const double most = pair->session->options.final_time;
    double seconds = most;
    if (pair->deadline > 0) {
        double left =
            (pair->deadline - ht_clock_seconds() - checks_expected(pair, result->finalists.count)) /
            2;
        seconds = left > least_seconds ? left : least_seconds;
        seconds = seconds < most ? seconds : most;
    }
    ht_config configs[HT_FINALISTS_MAX];
    ht_final finals[HT_FINALISTS_MAX];
    for (size_t i = 0; i < result->finalists.count; ++i)
        configs[i] = result->finalists.items[i].config;
    const ht_finals_rule rule = {.max_seconds = seconds,
                                 .confirm_seconds = seconds,
                                 .min_speedup = pair->session->options.min_speedup,
                                 .first = result->finalists.first,
                                 .stays = pair->stays};
    ht_status status = ht_job_finals_confirmed(pair->job, configs, result->finalists.count, &rule,
                                               &result->times.original, finals,
                                               &result->times.confirmation, error);
    result->finalists.original = result->times.original;
    for (size_t i = 0; status == HT_OK && i < result->finalists.count; ++i)
        result->finalists.items[i].final = finals[i];
    return status;
}

/* Takes the confirmation: the report's numbers of a winner are from the rounds that did not choose
 * it. */
static void take_confirmation(ht_pair_result *result) {
    const ht_confirmation *made = &result->times.confirmation;
    result->times.original = made->original;
    result->times.tuned = made->timing;
    result->times.speedup = made->speedup;
    result->times.speedup_lo = made->speedup_lo;
    result->times.speedup_hi = made->speedup_hi;
}

/* Prints "1.013x [1.002, 1.025]", and when it met the original again, that too. */
static void speedup_print(const ht_pair_result *result, const ht_candidate *best, ht_text *out) {
    const ht_confirmation *again = &result->times.confirmation;
    ht_text_printf(out, "gives %.3fx [%.3f, %.3f]", best->final.speedup, best->final.speedup_lo,
                   best->final.speedup_hi);
    if (again->made)
        ht_text_printf(out, ", and %.3fx [%.3f, %.3f] when it met the original again",
                       again->speedup, again->speedup_lo, again->speedup_hi);
}

/* Returns why nothing replaces the original; free(). */
static char *kept_reason(const pair *pair, const ht_candidate *best, ht_comparison comparison) {
    if (!best && pair->result->finalists.count > 1)
        return ht_strdup("no other configuration passed the final check");
    if (!best) {
        const ht_config standard = ht_config_default(pair->binding.template);
        return ht_search_reason(&pair->result->search.result,
                                &(ht_search_want){.standard = &standard,
                                                  .known = pair->session->known_count,
                                                  .space = pair->result->space.size,
                                                  .gives = "gave a correct result"});
    }
    ht_text reason = {0};
    char *config = ht_config_brief(pair->binding.template, &best->config);
    if (comparison == HT_COMPARISON_FASTER)
        ht_text_printf(&reason, "nothing is faster by enough (--min-speedup %g); the best, %s, ",
                       pair->session->options.min_speedup, config);
    else
        ht_text_printf(&reason, "%s; the best, %s, ",
                       comparison == HT_COMPARISON_SLOWER ? "all others are slower"
                                                          : "nothing is clearly faster",
                       config);
    speedup_print(pair->result, best, &reason);
    free(config);
    return ht_text_take(&reason);
}

/* Compares, in the rounds that chose, then in those that did not: it must be faster in both. */
static ht_comparison compare(const ht_pair_result *result, const ht_candidate *best) {
    const ht_confirmation *again = &result->times.confirmation;
    ht_comparison chosen = ht_final_compare(&best->final);
    if (chosen != HT_COMPARISON_FASTER || !again->made)
        return chosen;
    return again->speedup_lo > 1 ? HT_COMPARISON_FASTER : HT_COMPARISON_UNCLEAR;
}

static void decide(pair *pair) {
    ht_pair_result *result = pair->result;
    const ht_candidate *standard = &result->finalists.items[0];
    const ht_candidate *best = NULL;
    for (size_t i = 1; i < result->finalists.count; ++i) {
        const ht_candidate *candidate = &result->finalists.items[i];
        bool good = candidate->final.status == HT_OK && candidate->final.verified;
        if (good && i >= result->finalists.first &&
            (!best || candidate->final.speedup > best->final.speedup))
            best = candidate;
        if (!good)
            rejection_count(result, candidate->final.status, candidate->final.reason);
    }
    bool standard_good = standard->final.status == HT_OK && standard->final.verified;
    ht_comparison comparison = best ? compare(result, best) : HT_COMPARISON_SLOWER;
    bool confirmed = result->times.confirmation.made && comparison == HT_COMPARISON_FASTER &&
                     best == &result->finalists.items[result->times.confirmation.finalist] &&
                     result->times.confirmation.speedup >= pair->session->options.min_speedup;
    if (confirmed) {
        ht_pair_result_take(result, best);
        take_confirmation(result);
        conclude(pair, HT_VERDICT_IMPROVED, NULL);
    } else if (standard_good) {
        ht_pair_result_take(result, standard);
        conclude(pair, comparison == HT_COMPARISON_UNCLEAR ? HT_VERDICT_UNCLEAR : HT_VERDICT_KEPT,
                 kept_reason(pair, best, comparison));
    } else {
        conclude(pair, HT_VERDICT_FAILED,
                 ht_format("the default configuration does not agree with the original: %s",
                           standard->final.reason));
    }
}

/* Makes the space, without the parameters that make it too large. */
static ht_status space_make(pair *pair, ht_error *error) {
    ht_space_cut cut;
    ht_binding bound = pair->binding;
    if (pair->session->options.plain)
        pair->plain = ht_style_plain(bound.template);
    if (pair->plain)
        bound.template = pair->plain;
    ht_status status = ht_space_cap(&bound, pair->session->device.emulated, HT_SPACE_MOST,
                                    &pair->capped, &pair->space, &cut, error);
    if (status == HT_OK)
        pair->result->space.size = ht_space_count(pair->space);
    if (status == HT_OK && cut.idle.length)
        pair->result->space.idle = ht_text_take(&cut.idle);
    if (status == HT_OK && cut.too_large.length)
        pair->result->space.left_out = ht_text_take(&cut.too_large);
    ht_space_cut_free(&cut);
    return status;
}

/* Ablates the transformations, over the whole space: what was cut away is not considered. */
static void ablate(pair *pair) {
    ht_binding bound = pair->binding;
    const ht_ablation_options options = {.evaluations = pair->session->options.ablation,
                                         .deadline = pair->deadline,
                                         .seed = pair->session->options.seed,
                                         .interrupted = &ht_stopped};
    if (pair->plain)
        bound.template = pair->plain;
    if (pair->capped)
        bound.template = pair->capped;
    if (options.evaluations)
        ht_progress_phase(pair->session->progress, "leaving out each transformation");
    ht_ablation_run(&bound, &pair->result->search.result, ht_job_evaluator(pair->job), &options,
                    &pair->result->ablation);
}

static ht_status pair_run(pair *pair, ht_error *error) {
    ht_progress *progress = pair->session->progress;
    ht_status status = space_make(pair, error);
    if (status != HT_OK)
        return status;
    char *phase = ht_job_memory_phase(&pair->binding, &pair->session->device,
                                      "compiling, checking and timing the original");
    ht_progress_phase(progress, phase);
    free(phase);
    double start = ht_clock_seconds();
    status = job_start(pair, error);
    if (status != HT_OK)
        return status;
    pair->start_seconds = ht_clock_seconds() - start;
    pair->session->prepare_seconds =
        fmax(ht_clock_seconds() - pair->session->prepare_begun, pair->session->prepare_seconds / 2);
    pair->result->check_seconds = pair->session->check_seconds > 0
                                      ? pair->session->check_seconds
                                      : fmax(2 * pair->session->prepare_seconds, least_check);
    if (pair->deadline > 0) { /* the result has to be checked within the pair's time */
        double left = pair->deadline - ht_clock_seconds();
        pair->deadline -= fmin(pair->result->check_seconds, fmax(left, 0) / 2);
        pair->deadline -= fmin(pair->session->decided_seconds, fmax(left, 0) / 4);
    }
    pair->result->times.original = ht_job_baseline(pair->job);
    pair->result->reference = ht_job_reference_source(pair->job);
    status = search(pair, error);
    rejections_count(pair->result);
    if (status != HT_OK)
        return status;
    if (pair->session->alone) {
        pair->has_aside = false;
    } else if (pair->plain) {
        ht_progress_phase(progress, "looking for what is not plain and faster");
        pair->has_aside = ht_freer_find(pair->session, &pair->binding, pair->job, pair->deadline,
                                        &pair->result->search.result, &pair->aside);
    } else {
        pair->has_aside =
            ht_plain_find(pair->binding.template, &pair->result->search.result, &pair->aside);
    }
    finalists_choose(pair);
    ht_progress_long_phase(progress,
                           "checking the best again and timing them next to the original");
    double begun = ht_clock_seconds(), *longest = &pair->session->finals_seconds;
    status = finals_run(pair, error);
    *longest = fmax(*longest, ht_clock_seconds() - begun);
    if (ht_job_original_finding(pair->job))
        pair->result->original_finding = ht_strdup(ht_job_original_finding(pair->job));
    if (status == HT_OK)
        decide(pair);
    if (status == HT_OK && pair->session->decided) {
        ht_progress_phase(progress, "timing it next to a kernel that is the same every night");
        pair->session->decided(pair->session->decided_context, pair->job, &pair->binding,
                               pair->result);
    }
    pair->result->counts = ht_job_get_counts(pair->job);
    if (status == HT_OK)
        ablate(pair);
    return status;
}

ht_status ht_tuning_run(ht_session *session, const ht_template *template, const ht_problem *problem,
                        ht_pair_result *out_result, ht_error *error) {
    *out_result = (ht_pair_result){.verdict = HT_VERDICT_FAILED};
    pair pair = {
        .session = session,
        .binding = {.template = template, .problem = problem, .device = &session->device.fields},
        .result = out_result,
        .begun = ht_clock_seconds(),
    };
    pair.deadline = deadline_find(session, pair.begun);
    ht_error own = {0};
    ht_status status = begin_check(&pair, &own);
    if (status == HT_OK)
        status = pair_run(&pair, &own);
    if (status != HT_OK)
        ht_pair_result_fail(out_result, status, &own);
    if (pair.job && status != HT_OK)
        out_result->counts = ht_job_get_counts(pair.job);
    ht_job_free(pair.job);
    ht_space_free(pair.space);
    if (pair.plain)
        ht_template_free(pair.plain, 1);
    if (pair.capped)
        ht_template_free(pair.capped, 1);
    out_result->seconds = ht_clock_seconds() - pair.begun;
    if (session->pairs_left)
        --session->pairs_left;
    /* A failure that hits every kernel alike ends the command. */
    if (status != HT_ERROR_MISSING && status != HT_ERROR_DEVICE)
        return HT_OK;
    if (error)
        *error = own;
    return status;
}
