#include "predictor/rules/beam.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct candidate {
    double score;
    uint32_t row;
    uint16_t value;
} candidate;

struct ht_beam {
    ht_output_shape shape;
    size_t max_width;
    ht_beam_row *rows, *next; /* [max_width] */
    uint32_t *parents;        /* [max_width] */
    uint16_t *tokens;         /* [max_width] */
    float *logits;            /* [max_width][most values] */
    double *logs;             /* the same: of the probabilities of the longer answers */
    uint8_t *allowed;         /* the same */
    candidate *candidates;    /* the same */
    size_t most;              /* max_width * most values */
    /* By source: the logarithm of weight times probability of each row's answer so far, and of each
     * value as its continuation. */
    size_t source_count;
    double *parts, *next_parts; /* [sources][max_width] */
    double *steps;              /* [sources][most] */
};

ht_beam *ht_beam_new(const ht_output_shape *shape, size_t max_width) {
    ht_beam *beam = ht_alloc(1, sizeof *beam);
    size_t most = 1;
    for (uint32_t t = 0; t < shape->steps; ++t)
        most = shape->values[t] > most ? shape->values[t] : most;
    most *= max_width;
    *beam = (ht_beam){.shape = *shape,
                      .max_width = max_width,
                      .most = most,
                      .rows = ht_alloc(max_width, sizeof *beam->rows),
                      .next = ht_alloc(max_width, sizeof *beam->next),
                      .parents = ht_alloc(max_width, sizeof *beam->parents),
                      .tokens = ht_alloc(max_width, sizeof *beam->tokens),
                      .logits = ht_alloc(most, sizeof *beam->logits),
                      .logs = ht_alloc(most, sizeof *beam->logs),
                      .allowed = ht_alloc(most, sizeof *beam->allowed),
                      .candidates = ht_alloc(most, sizeof *beam->candidates)};
    return beam;
}

void ht_beam_free(ht_beam *beam) {
    if (!beam)
        return;
    free(beam->rows);
    free(beam->next);
    free(beam->parents);
    free(beam->tokens);
    free(beam->logits);
    free(beam->logs);
    free(beam->allowed);
    free(beam->candidates);
    free(beam->parts);
    free(beam->next_parts);
    free(beam->steps);
    free(beam);
}

/* Returns a number to order by, whatever a broken network gives. */
static double ordered(float logit) {
    return logit > -1e30F ? logit < 1e30F ? (double)logit : 1e30 : -1e30;
}

/* Computes the logarithm of the softmax over allowed values. Others keep what they are. */
static void log_softmax(const float *logits, const uint8_t *allowed, size_t count, double *out) {
    double most = -INFINITY, sum = 0;
    for (size_t v = 0; v < count; ++v) {
        out[v] = ordered(logits[v]);
        if (allowed[v] && out[v] > most)
            most = out[v];
    }
    for (size_t v = 0; v < count; ++v)
        if (allowed[v])
            sum += exp(out[v] - most);
    double norm = most + log(sum);
    for (size_t v = 0; v < count; ++v)
        out[v] -= norm;
}

/* Returns log(exp(a) + exp(b)). */
static double log_add(double a, double b) {
    double high = a > b ? a : b, low = a > b ? b : a;
    return high + log1p(exp(low - high));
}

/* Makes room for the sources, and sets what each weighs before any value. */
static void start(ht_beam *beam, const ht_beam_source *sources, size_t source_count) {
    double weights = 0;
    if (source_count > beam->source_count) {
        free(beam->parts);
        free(beam->next_parts);
        free(beam->steps);
        beam->source_count = source_count;
        beam->parts = ht_alloc(source_count * beam->max_width, sizeof *beam->parts);
        beam->next_parts = ht_alloc(source_count * beam->max_width, sizeof *beam->next_parts);
        beam->steps = ht_alloc(source_count * beam->most, sizeof *beam->steps);
    }
    for (size_t s = 0; s < source_count; ++s)
        weights += sources[s].weight;
    for (size_t s = 0; s < source_count; ++s)
        beam->parts[s * beam->max_width] = log(sources[s].weight / weights);
    beam->rows[0] = (ht_beam_row){.score = 0};
    beam->parents[0] = 0;
    beam->tokens[0] = 0;
}

/* Asks all sources for step t of `rows` rows: beam->steps, and their mixture beam->logs. */
static void ask(ht_beam *beam, const ht_beam_source *sources, size_t source_count, uint32_t t,
                size_t rows) {
    size_t values = beam->shape.values[t];
    for (size_t s = 0; s < source_count; ++s) {
        double *steps = beam->steps + s * beam->most;
        const double *parts = beam->parts + s * beam->max_width;
        sources[s].step(sources[s].context, rows, beam->parents, beam->tokens, beam->logits);
        for (size_t r = 0; r < rows; ++r) {
            double *logs = &beam->logs[r * values], *own = &steps[r * values];
            const uint8_t *allowed = &beam->allowed[r * values];
            log_softmax(&beam->logits[r * values], allowed, values, own);
            for (size_t v = 0; v < values; ++v)
                if (allowed[v])
                    logs[v] = s ? log_add(logs[v], own[v] + parts[r]) : own[v] + parts[r];
        }
    }
}

static void allow(ht_beam *beam, ht_completion *completion, uint32_t t, size_t rows) {
    size_t values = beam->shape.values[t];
    if (!completion)
        memset(beam->allowed, 1, rows * values);
    for (size_t r = 0; completion && r < rows; ++r)
        ht_completion_allowed(completion, beam->rows[r].choice, t, &beam->allowed[r * values]);
}

/* Orders likelier ones first; rows stand in that order already, and values as they are written. */
static int by_score(const void *left, const void *right) {
    const candidate *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static size_t collect(ht_beam *beam, uint32_t t, size_t rows) {
    size_t values = beam->shape.values[t], count = 0;
    for (size_t r = 0; r < rows; ++r)
        for (size_t v = 0; v < values; ++v)
            if (beam->allowed[r * values + v])
                beam->candidates[count++] = (candidate){
                    .score = beam->logs[r * values + v], .row = (uint32_t)r, .value = (uint16_t)v};
    qsort(beam->candidates, count, sizeof *beam->candidates, by_score);
    return count;
}

static void advance(ht_beam *beam, size_t source_count, uint32_t t, size_t kept) {
    size_t values = beam->shape.values[t];
    for (size_t i = 0; i < kept; ++i) {
        const candidate *from = &beam->candidates[i];
        beam->next[i] = beam->rows[from->row];
        beam->next[i].choice[t] = from->value;
        beam->next[i].score = from->score;
        beam->parents[i] = from->row;
        beam->tokens[i] = from->value;
        for (size_t s = 0; s < source_count; ++s)
            beam->next_parts[s * beam->max_width + i] =
                beam->parts[s * beam->max_width + from->row] +
                beam->steps[s * beam->most + from->row * values + from->value];
    }
    double *parts = beam->parts;
    beam->parts = beam->next_parts;
    beam->next_parts = parts;
    ht_beam_row *rows = beam->rows;
    beam->rows = beam->next;
    beam->next = rows;
}

size_t ht_beam_search(ht_beam *beam, const ht_beam_source *sources, size_t source_count,
                      ht_completion *completion, size_t width, const ht_beam_row **out_rows,
                      bool *out_dropped) {
    size_t rows = 1;
    start(beam, sources, source_count);
    *out_dropped = false;
    for (uint32_t t = 0; t < beam->shape.steps && rows; ++t) {
        allow(beam, completion, t, rows);
        ask(beam, sources, source_count, t, rows);
        size_t count = collect(beam, t, rows);
        *out_dropped |= count > width;
        rows = count < width ? count : width;
        advance(beam, source_count, t, rows);
    }
    *out_rows = beam->rows;
    return rows;
}
