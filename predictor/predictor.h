/* A trained predictor: schema, tokenizer, one network or several (an ensemble) and maybe a chain of
 * forests that answers along with them, as one file.
 *
 * The file (docs/model-format.md) starts with a magic, a version and a checksum, is little-endian,
 * holds the schema and the tokenizer as text and the weights as float32, aligned, and is mapped
 * when opened. */
#ifndef HT_PREDICTOR_PREDICTOR_H
#define HT_PREDICTOR_PREDICTOR_H

#include "predictor/data/dataset.h"
#include "predictor/forests/chain.h"
#include "predictor/network/training.h"
#include "predictor/reliability.h"

typedef struct ht_predictor ht_predictor;

/* Takes schema, tokenizer and networks (all over the same shapes). `note` is JSON text about the
 * training (data, seed, settings, losses), copied; NULL for none. */
ht_status ht_predictor_make(ht_schema *schema, ht_tokenizer *tokenizer, ht_network **networks,
                            size_t network_count, const char *note, ht_predictor **out_predictor,
                            ht_error *error);
/* Takes a chain over the predictor's schema, in place of the one it had; NULL: none. */
void ht_predictor_set_chain(ht_predictor *predictor, ht_chain *chain);
const ht_chain *ht_predictor_chain(const ht_predictor *predictor); /* NULL: none */
/* Says whether the file has weights of 16 bits, rounded, instead of 32: half the size, and what is
 * opened again is off in the fourth digit. An opened predictor has its file's. */
void ht_predictor_set_halves(ht_predictor *predictor, bool halves);
ht_status ht_predictor_save(const ht_predictor *predictor, const char *path, ht_error *error);
ht_status ht_predictor_open(const char *path, ht_predictor **out_predictor, ht_error *error);
/* `path` is a model file, or a folder whose *.model file for this kernel is opened: KERNEL.model,
 * or else the first in the order of names whose schema is for this kernel; "builtin" is the folder
 * of the models that come with hiptemper. `kernel` may be NULL when `path` is a file. */
ht_status ht_predictor_find(const char *path, const char *kernel, ht_predictor **out_predictor,
                            ht_error *error);
/* $HIPTEMPER_MODELS, else share/hiptemper/models of the installation or build tree that runs
 * (ht_installed_data); free(). */
char *ht_predictor_builtin_folder(void);
/* The file's bytes, from memory; not copied (fuzzing). */
ht_status ht_predictor_parse(const void *data, size_t length, const char *name,
                             ht_predictor **out_predictor, ht_error *error);
void ht_predictor_free(ht_predictor *predictor);
const ht_schema *ht_predictor_schema(const ht_predictor *predictor);
const ht_tokenizer *ht_predictor_tokenizer(const ht_predictor *predictor);
size_t ht_predictor_network_count(const ht_predictor *predictor);
const ht_network *ht_predictor_network(const ht_predictor *predictor, size_t index);
const char *ht_predictor_note(const ht_predictor *predictor); /* "" for none */
/* The file that it was opened from, and the checksum there; NULL and 0 for none. */
const char *ht_predictor_path(const ht_predictor *predictor);
uint64_t ht_predictor_checksum(const ht_predictor *predictor);

/* A proposed configuration. */
typedef struct ht_proposal {
    uint16_t choice[HT_PARAM_MAX]; /* value indices */
    double log_probability; /* under the constraints: summed over all legal configurations, 1 */
    bool legal;             /* always true with constraints on */
} ht_proposal;

/* The default of ht_beam_settings.consensus (docs/constrained-beam.md). */
#define HT_CONSENSUS_DEFAULT 0.5
typedef struct ht_beam_settings {
    size_t width;     /* partial answers kept */
    bool constrained; /* false: the paper's ablation; proposals may be illegal */
    double consensus; /* 0: the likeliest proposal is the first; else consensus.h's weight */
} ht_beam_settings;

/* Proposing: one per thread. The predictor must outlive it. `rules` NULL: the schema's own. */
typedef struct ht_proposer ht_proposer;
ht_status ht_proposer_new(const ht_predictor *predictor, const ht_rules *rules,
                          const ht_beam_settings *settings, ht_proposer **out_proposer,
                          ht_error *error);
void ht_proposer_free(ht_proposer *proposer);
/* The best configurations for a problem, all different: likeliest first, but for the first with a
 * consensus (one of the k likeliest that agrees with the others); returns their number: `k`
 * whenever there are k legal ones (the beam widens as far as it must), else all there are. */
size_t ht_proposer_propose(ht_proposer *proposer, const int64_t *fields, size_t k,
                           ht_proposal *out_proposals);

/* The measures of the paper's section 5, and ours, over a data set. All are shares from 0 to 1. */
enum { HT_TOPK_COUNT = 4 }; /* 1, 3, 5, 10 */
extern const size_t ht_topk[HT_TOPK_COUNT];
typedef struct ht_accuracy {
    double average_accuracy;    /* mean over parameters of exact matches */
    double perfect;             /* all parameters match */
    double topk[HT_TOPK_COUNT]; /* one of the first k matches in all */
    double per_parameter[HT_PARAM_MAX];
} ht_accuracy;
typedef struct ht_assessment {
    size_t records;
    ht_accuracy exact, canonical; /* canonical: aliases count as equal */
    double legal;                 /* share of all proposals that are legal */
    double short_beams; /* share of records with fewer than k proposals although k legal ones exist:
                           must be 0 */
    double ms_per_prediction;   /* one thread, mean */
    ht_reliability reliability; /* of exact matches */
    ht_illegal refused;         /* no legal proposal can match these */
} ht_assessment;
/* Threads work on different records; the result does not depend on them. `stop` may be NULL. With a
 * beam of a width w below 10 the first w proposals are those of that beam (so top-1 is that of a
 * beam of 1), the others those of a beam of 10. */
ht_status ht_predictor_evaluate(const ht_predictor *predictor, const ht_dataset *dataset,
                                const ht_rules *rules, const ht_beam_settings *settings,
                                uint32_t threads,
                                void (*progress)(void *context, size_t done, size_t count),
                                bool (*stop)(void *context), void *context,
                                ht_assessment *out_assessment, ht_error *error);

#endif
