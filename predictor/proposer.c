/* Proposing: tokens of the problem, the networks' decoders, the beam over them. */
#include "predictor/consensus.h"
#include "predictor/predictor.h"
#include "predictor/rules/beam.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The widest beam, when the look-ahead gave up (ht_completion_exact) and a beam ended short. */
enum { WIDEST = 4096 };

struct ht_proposer {
    const ht_predictor *predictor;
    ht_beam_settings settings;
    ht_rules *own_rules;       /* the schema's; what legal means */
    ht_completion *look_ahead; /* NULL: unconstrained */
    ht_completion *judge;      /* over own_rules; may be look_ahead */
    size_t max_rows;
    ht_decoder **decoders;
    ht_chain_asking *chain;  /* NULL: none */
    ht_chain_asking *own;    /* of architectures' own forests; NULL: none */
    ht_beam_source *sources; /* the networks, then the chain, then the own forests */
    size_t source_count;
    ht_beam *beam;
    uint32_t *ids;
    float *features;
};

static void step(void *context, size_t rows, const uint32_t *parents, const uint16_t *tokens,
                 float *out_logits) {
    ht_decoder_step(context, rows, parents, tokens, out_logits);
}

static void chain_step(void *context, size_t rows, const uint32_t *parents, const uint16_t *tokens,
                       float *out_logits) {
    ht_chain_asking_step(context, rows, parents, tokens, out_logits);
}

static void free_rows(ht_proposer *proposer) {
    for (size_t i = 0; proposer->decoders && i < ht_predictor_network_count(proposer->predictor);
         ++i)
        ht_decoder_free(proposer->decoders[i]);
    ht_chain_asking_free(proposer->chain);
    ht_chain_asking_free(proposer->own);
    ht_beam_free(proposer->beam);
    free(proposer->decoders);
    free(proposer->sources);
}

/* Makes the sources: who answers. How much each counts depends on the problem. */
static void make_sources(ht_proposer *proposer, size_t rows) {
    const ht_predictor *predictor = proposer->predictor;
    const ht_chain *chain = ht_predictor_chain(predictor);
    size_t count = ht_predictor_network_count(predictor);
    proposer->decoders = ht_alloc(count, sizeof *proposer->decoders);
    proposer->sources = ht_alloc(count + 2, sizeof *proposer->sources);
    for (size_t i = 0; i < count; ++i)
        proposer->decoders[i] = ht_decoder_new(ht_predictor_network(predictor, i), rows);
    proposer->chain = chain ? ht_chain_asking_new(chain, false, rows) : NULL;
    proposer->own =
        chain && ht_chain_own_count(chain) ? ht_chain_asking_new(chain, true, rows) : NULL;
}

static void add_source(ht_proposer *proposer, const ht_beam_source *source) {
    if (source->weight > 0)
        proposer->sources[proposer->source_count++] = *source;
}

/* Starts those that count for a problem. */
static void start_sources(ht_proposer *proposer, const int64_t *fields) {
    const ht_chain *chain = ht_predictor_chain(proposer->predictor);
    size_t count = ht_predictor_network_count(proposer->predictor);
    double all = 0, own = 0;
    if (chain)
        ht_chain_shares(chain, fields, &all, &own);
    double rest = 1 - all - own > 1e-6 ? 1 - all - own : 0;
    proposer->source_count = 0;
    for (size_t i = 0; i < count; ++i) {
        add_source(proposer, &(ht_beam_source){proposer->decoders[i], step, rest / (double)count});
        if (rest > 0)
            ht_decoder_start(proposer->decoders[i], proposer->ids, proposer->features);
    }
    add_source(proposer, &(ht_beam_source){proposer->chain, chain_step, all});
    add_source(proposer, &(ht_beam_source){proposer->own, chain_step, own});
    if (all > 0)
        ht_chain_asking_start(proposer->chain, fields);
    if (own > 0)
        ht_chain_asking_start(proposer->own, fields);
}

/* Makes room for beams of this width. */
static void reserve_rows(ht_proposer *proposer, size_t rows) {
    ht_output_shape shape;
    if (rows <= proposer->max_rows)
        return;
    free_rows(proposer);
    proposer->max_rows = rows;
    make_sources(proposer, rows);
    ht_schema_output(ht_predictor_schema(proposer->predictor), &shape);
    proposer->beam = ht_beam_new(&shape, rows);
}

ht_status ht_proposer_new(const ht_predictor *predictor, const ht_rules *rules,
                          const ht_beam_settings *settings, ht_proposer **out_proposer,
                          ht_error *error) {
    if (!settings->width)
        return ht_error_set(error, HT_ERROR_INPUT, "a beam keeps at least 1 partial answer");
    ht_rules *own_rules;
    ht_status status = ht_rules_compile(ht_predictor_schema(predictor), NULL, 0, &own_rules, error);
    if (status != HT_OK)
        return status;
    const ht_input_shape *input = ht_tokenizer_shape(ht_predictor_tokenizer(predictor));
    ht_proposer *proposer = ht_alloc(1, sizeof *proposer);
    *proposer = (ht_proposer){
        .predictor = predictor,
        .settings = *settings,
        .own_rules = own_rules,
        .judge = ht_completion_new(own_rules),
        .ids = ht_alloc((size_t)input->positions * input->ids + 1, sizeof *proposer->ids),
        .features =
            ht_alloc((size_t)input->positions * input->features + 1, sizeof *proposer->features),
    };
    if (settings->constrained)
        proposer->look_ahead = rules ? ht_completion_new(rules) : proposer->judge;
    reserve_rows(proposer, settings->width);
    *out_proposer = proposer;
    return HT_OK;
}

void ht_proposer_free(ht_proposer *proposer) {
    if (!proposer)
        return;
    free_rows(proposer);
    if (proposer->look_ahead != proposer->judge)
        ht_completion_free(proposer->look_ahead);
    ht_completion_free(proposer->judge);
    ht_rules_free(proposer->own_rules);
    free(proposer->ids);
    free(proposer->features);
    free(proposer);
}

static size_t search(ht_proposer *proposer, const int64_t *fields, size_t width,
                     const ht_beam_row **out_rows, bool *out_dropped) {
    reserve_rows(proposer, width);
    start_sources(proposer, fields);
    return ht_beam_search(proposer->beam, proposer->sources, proposer->source_count,
                          proposer->look_ahead, width, out_rows, out_dropped);
}

size_t ht_proposer_propose(ht_proposer *proposer, const int64_t *fields, size_t k,
                           ht_proposal *out_proposals) {
    size_t width = k > proposer->settings.width ? k : proposer->settings.width, count;
    const ht_beam_row *rows;
    bool dropped, sure = proposer->look_ahead == proposer->judge;
    ht_completion_start(proposer->judge, fields);
    if (proposer->look_ahead && !sure)
        ht_completion_start(proposer->look_ahead, fields);
    ht_tokenizer_encode(ht_predictor_tokenizer(proposer->predictor), fields, proposer->ids,
                        proposer->features);
    /* A beam over an exact look-ahead is never short (beam.h). */
    while ((count = search(proposer, fields, width, &rows, &dropped)) < k && dropped &&
           width < WIDEST)
        width *= 2;
    count = count < k ? count : k;
    for (size_t i = 0; i < count; ++i) {
        memcpy(out_proposals[i].choice, rows[i].choice, sizeof rows[i].choice);
        out_proposals[i].log_probability = rows[i].score;
        out_proposals[i].legal = sure || ht_completion_legal(proposer->judge, rows[i].choice);
    }
    ht_consensus_lead(out_proposals, count, ht_predictor_schema(proposer->predictor)->param_count,
                      proposer->settings.consensus);
    return count;
}
