/* How well a predictor does on known records: one proposer for each thread, one entry for each
 * record, summed in the records' order. */
#include "predictor/predictor.h"

#include "base/memory.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const size_t ht_topk[HT_TOPK_COUNT] = {1, 3, 5, 10};
enum { TOPK_MOST = 10 };

/* How one record fared. `first`: the place of the first proposal that matches, from 0; TOPK_MOST:
 * none does. `matches`: which parameters of the first proposal do. */
typedef struct mark {
    uint64_t matches;
    uint32_t first;
} mark;

typedef struct outcome {
    mark exact, canonical;
    uint32_t proposals, legal;
    bool too_few;
    double probability; /* of the first proposal */
    double seconds;
} outcome;

typedef struct evaluation {
    const ht_predictor *predictor;
    const ht_dataset *dataset;
    const ht_rules *all_rules; /* the schema's; what legal and canonical mean */
    outcome *outcomes;         /* [count] */
    void (*progress)(void *context, size_t done, size_t count);
    bool (*stop)(void *context);
    void *context;
    size_t done;
    bool stopped;
} evaluation;

static double thread_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns true if there are more legal configurations than `count`. Follows every prefix that can
 * be completed. */
static bool more_than(ht_completion *completion, const ht_schema *schema, uint16_t *prefix,
                      size_t depth, size_t *left) {
    uint8_t allowed[HT_PARAM_VALUES_MAX];
    if (depth == schema->param_count)
        return (*left)-- == 0;
    ht_completion_allowed(completion, prefix, depth, allowed);
    for (size_t v = 0; v < schema->params[depth].value_count; ++v) {
        prefix[depth] = (uint16_t)v;
        if (allowed[v] && more_than(completion, schema, prefix, depth + 1, left))
            return true;
    }
    return false;
}

static void take_mark(const ht_schema *schema, const int64_t *label, const int64_t *proposal,
                      uint32_t place, mark *out) {
    uint64_t matches = 0, all = (UINT64_C(1) << schema->param_count) - 1;
    for (size_t p = 0; p < schema->param_count; ++p)
        matches |= (uint64_t)(label[p] == proposal[p]) << p;
    if (place == 0)
        out->matches = matches;
    if (matches == all && out->first == TOPK_MOST)
        out->first = place;
}

static void numbers_of(const ht_schema *schema, const uint16_t *choice, int64_t *out) {
    for (size_t p = 0; p < schema->param_count; ++p)
        out[p] = choice[p];
}

static void judge(const evaluation *e, ht_completion *completion, size_t record,
                  const ht_proposal *proposals, size_t count, bool constrained, outcome *out) {
    const ht_schema *schema = e->dataset->schema;
    const int64_t *fields = &e->dataset->fields[record * schema->field_count];
    const uint16_t *target = &e->dataset->targets[record * schema->param_count];
    int64_t label[HT_PARAM_MAX], like_label[HT_PARAM_MAX], other[HT_PARAM_MAX];
    uint16_t prefix[HT_PARAM_MAX] = {0};
    out->exact.first = out->canonical.first = TOPK_MOST;
    out->proposals = (uint32_t)count;
    out->probability = count ? exp(proposals[0].log_probability) : 0;
    ht_completion_start(completion, fields);
    numbers_of(schema, target, label);
    ht_completion_canonical(completion, target, like_label);
    for (uint32_t i = 0; i < count; ++i) {
        numbers_of(schema, proposals[i].choice, other);
        take_mark(schema, label, other, i, &out->exact);
        ht_completion_canonical(completion, proposals[i].choice, other);
        take_mark(schema, like_label, other, i, &out->canonical);
        out->legal += proposals[i].legal;
    }
    out->too_few = constrained && count < TOPK_MOST &&
                   more_than(completion, schema, prefix, 0, &(size_t){count});
}

static void report(evaluation *e, size_t count) {
    ++e->done;
    if (e->progress)
        e->progress(e->context, e->done, count);
    if (e->stop && e->stop(e->context)) {
#pragma omp atomic write
        e->stopped = true;
    }
}

/* Adds the proposals of `more` that are not there yet. */
static size_t fill_up(const ht_schema *schema, ht_proposal *proposals, size_t count,
                      const ht_proposal *more, size_t more_count) {
    for (size_t i = 0; i < more_count && count < TOPK_MOST; ++i) {
        bool there = false;
        for (size_t k = 0; k < count; ++k)
            there |= !memcmp(proposals[k].choice, more[i].choice,
                             schema->param_count * sizeof *more[i].choice);
        if (!there)
            proposals[count++] = more[i];
    }
    return count;
}

/* Makes TOPK_MOST proposals: those of a narrower beam, then those of one that is wide enough. The
 * time is that of the beam that was asked for. */
static size_t propose(const evaluation *e, ht_proposer *proposer, size_t width,
                      const int64_t *fields, ht_proposal *proposals, double *out_seconds) {
    ht_proposal more[TOPK_MOST];
    size_t most = width < TOPK_MOST ? width : TOPK_MOST;
    double start = thread_seconds();
    size_t count = ht_proposer_propose(proposer, fields, most, proposals);
    *out_seconds = thread_seconds() - start;
    if (most == TOPK_MOST)
        return count;
    return fill_up(e->dataset->schema, proposals, count, more,
                   ht_proposer_propose(proposer, fields, TOPK_MOST, more));
}

static void evaluate_record(evaluation *e, ht_proposer *proposer, ht_completion *completion,
                            size_t record, const ht_beam_settings *settings) {
    const ht_dataset *dataset = e->dataset;
    ht_proposal proposals[TOPK_MOST];
    outcome *out = &e->outcomes[record];
    size_t count =
        propose(e, proposer, settings->width,
                &dataset->fields[record * dataset->schema->field_count], proposals, &out->seconds);
    judge(e, completion, record, proposals, count, settings->constrained, out);
}

static ht_status evaluate_all(evaluation *e, const ht_rules *rules,
                              const ht_beam_settings *settings, uint32_t threads, ht_error *error) {
    size_t count = e->dataset->count;
    ht_status status = HT_OK;
#pragma omp parallel num_threads((int)threads)
    {
        ht_proposer *proposer = NULL;
        ht_error own = {0};
        ht_status own_status = ht_proposer_new(e->predictor, rules, settings, &proposer, &own);
        ht_completion *completion = ht_completion_new(e->all_rules);
        if (own_status != HT_OK) {
#pragma omp critical(ht_evaluate)
            {
                status = own_status;
                if (error)
                    *error = own;
            }
        }
#pragma omp for schedule(dynamic, 16)
        for (size_t record = 0; record < count; ++record) {
            bool stopped;
#pragma omp atomic read
            stopped = e->stopped;
            if (!proposer || stopped)
                continue;
            evaluate_record(e, proposer, completion, record, settings);
#pragma omp critical(ht_evaluate)
            report(e, count);
        }
        ht_completion_free(completion);
        ht_proposer_free(proposer);
    }
    if (status == HT_OK && e->stopped)
        return ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
    return status;
}

/* Adds to the counts, of which finish() makes shares. */
static void add_mark(const ht_schema *schema, const mark *from, ht_accuracy *to) {
    for (size_t p = 0; p < schema->param_count; ++p)
        to->per_parameter[p] += (double)(from->matches >> p & 1);
    for (size_t i = 0; i < HT_TOPK_COUNT; ++i)
        to->topk[i] += from->first < ht_topk[i];
}

static void finish(const ht_schema *schema, double count, ht_accuracy *accuracy) {
    for (size_t p = 0; p < schema->param_count; ++p) {
        accuracy->average_accuracy += accuracy->per_parameter[p];
        accuracy->per_parameter[p] /= count;
    }
    accuracy->average_accuracy /= count * (double)schema->param_count;
    for (size_t i = 0; i < HT_TOPK_COUNT; ++i)
        accuracy->topk[i] /= count;
    accuracy->perfect = accuracy->topk[0];
}

static void sum_up(const evaluation *e, ht_assessment *out) {
    const ht_schema *schema = e->dataset->schema;
    double count = e->dataset->count ? (double)e->dataset->count : 1;
    size_t proposals = 0;
    *out = (ht_assessment){.records = e->dataset->count};
    for (size_t i = 0; i < e->dataset->count; ++i) {
        const outcome *one = &e->outcomes[i];
        add_mark(schema, &one->exact, &out->exact);
        add_mark(schema, &one->canonical, &out->canonical);
        ht_reliability_count(&out->reliability, one->probability, one->exact.first == 0,
                             one->exact.first < TOPK_MOST);
        out->short_beams += one->too_few;
        out->ms_per_prediction += 1e3 * one->seconds;
        out->legal += one->legal;
        proposals += one->proposals;
    }
    out->refused = ht_dataset_illegal(e->dataset, e->all_rules, NULL);
    finish(schema, count, &out->exact);
    finish(schema, count, &out->canonical);
    out->short_beams /= count;
    out->ms_per_prediction /= count;
    out->legal = proposals ? out->legal / (double)proposals : 1;
}

ht_status ht_predictor_evaluate(const ht_predictor *predictor, const ht_dataset *dataset,
                                const ht_rules *rules, const ht_beam_settings *settings,
                                uint32_t threads,
                                void (*progress)(void *context, size_t done, size_t count),
                                bool (*stop)(void *context), void *context,
                                ht_assessment *out_assessment, ht_error *error) {
    ht_rules *all_rules;
    ht_status status = ht_rules_compile(dataset->schema, NULL, 0, &all_rules, error);
    if (status != HT_OK)
        return status;
    evaluation e = {.predictor = predictor,
                    .dataset = dataset,
                    .all_rules = all_rules,
                    .outcomes = ht_alloc(dataset->count + 1, sizeof *e.outcomes),
                    .progress = progress,
                    .stop = stop,
                    .context = context};
    status = evaluate_all(&e, rules, settings, threads ? threads : (uint32_t)omp_get_max_threads(),
                          error);
    if (status == HT_OK)
        sum_up(&e, out_assessment);
    free(e.outcomes);
    ht_rules_free(all_rules);
    return status;
}
