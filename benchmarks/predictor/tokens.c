/* The tokens that help: one network per choice of tokens, trained on the same part of the data and
 * judged on the same validation problems.
 *
 *   predictor_tokens SCHEMA ARCHITECTURE EPOCHS SEEDS DATA.tsv[.gz]... -- KINDS...
 *
 * SCHEMA is a file, or the name of a schema that hiptemper carries. ARCHITECTURE:WIDTH makes a
 * smaller network, to compare more in the same time. KINDS are as in
 * hiptemper train --tokens; "KINDS!" leaves out the schema's features. Prints the lowest validation
 * loss (the summed cross-entropy of all steps, over what is legal), and the share of steps whose
 * likeliest value is the label's, each as a mean over seeds. */
#include "predictor/data/split.h"
#include "predictor/network/training.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trial {
    const char *architecture;
    uint32_t epochs;
    double loss, accuracy, seconds; /* of the best epoch; of the whole training */
    uint32_t best_epoch;
} trial;

static void die(const ht_error *error) {
    fprintf(stderr, "%s%s%s\n", error->file, error->file[0] ? ": " : "", error->message);
    exit(2);
}

static void note_epoch(void *context, const ht_epoch *epoch) {
    trial *t = context;
    t->seconds = epoch->seconds;
    if (!epoch->best)
        return;
    t->loss = epoch->valid_loss;
    t->accuracy = epoch->valid_accuracy;
    t->best_epoch = epoch->epoch;
}

static ht_schema *find_schema(const char *name) {
    ht_schema *schema = NULL;
    ht_error error;
    const char *text = ht_schema_builtin_text(name);
    ht_status status =
        text ? ht_schema_parse(text, name, &schema, &error) : ht_schema_read(name, &schema, &error);
    if (status != HT_OK)
        die(&error);
    return schema;
}

/* Trains one network; fills in what `t` has measured. */
static void train(trial *t, const ht_examples *learn, const ht_examples *valid, uint64_t seed,
                  size_t *out_weights) {
    ht_network_settings shape;
    ht_network *network = NULL;
    ht_error error;
    char *architecture = ht_strndup(t->architecture, strcspn(t->architecture, ":"));
    const char *width = strchr(t->architecture, ':');
    ht_training_settings settings = ht_training_defaults(architecture);
    settings.epochs = t->epochs;
    settings.patience = 0;
    settings.seed = seed;
    ht_training_watch watch = {.context = t, .epoch = note_epoch};
    if (ht_network_defaults(architecture, &shape, &error) != HT_OK)
        die(&error);
    if (width)
        shape.embedding = shape.hidden = (uint32_t)strtoul(width + 1, NULL, 10);
    if (ht_network_create(&shape, &learn->input, &learn->output, seed, &network, &error) != HT_OK ||
        ht_network_train(network, learn, valid, &settings, &watch, &error) != HT_OK)
        die(&error);
    *out_weights = ht_network_weight_count(network);
    ht_network_free(network);
    free(architecture);
}

/* Measures one choice of tokens, all seeds; a line of the table. */
static void measure(const ht_schema *schema, const ht_dataset *learn, const ht_dataset *valid,
                    const char *architecture, uint32_t epochs, uint32_t seeds, const char *kinds) {
    ht_schema without = *schema;
    ht_dataset learn_part = *learn, valid_part = *valid;
    size_t length = strcspn(kinds, "!"), weights = 0;
    char *words = ht_strndup(kinds, length);
    if (kinds[length])
        without.feature_count = 0;
    learn_part.schema = valid_part.schema = &without;
    ht_tokenizer *tokenizer;
    ht_rules *rules;
    ht_error error;
    if (ht_tokenizer_make(&learn_part, words, &tokenizer, &error) != HT_OK ||
        ht_rules_compile(&without, NULL, 0, &rules, &error) != HT_OK)
        die(&error);
    ht_examples learn_examples, valid_examples;
    ht_examples_make(&learn_part, tokenizer, rules, &learn_examples);
    ht_examples_make(&valid_part, tokenizer, rules, &valid_examples);
    double loss = 0, squares = 0, accuracy = 0, seconds = 0, epoch = 0;
    for (uint32_t seed = 1; seed <= seeds; ++seed) {
        trial t = {.architecture = architecture, .epochs = epochs};
        train(&t, &learn_examples, &valid_examples, seed, &weights);
        loss += t.loss / seeds;
        squares += t.loss * t.loss / seeds;
        accuracy += t.accuracy / seeds;
        seconds += t.seconds / seeds;
        epoch += (double)t.best_epoch / seeds;
    }
    double spread = sqrt(fmax(0, squares - loss * loss));
    const ht_input_shape *shape = ht_tokenizer_shape(tokenizer);
    printf("| %s | %u | %u | %zu | %.4f +- %.4f | %.2f | %.1f | %.0f |\n", kinds, shape->positions,
           shape->vocabulary, weights, loss, spread, 100 * accuracy, epoch, seconds);
    fflush(stdout);
    ht_examples_free(&learn_examples);
    ht_examples_free(&valid_examples);
    ht_rules_free(rules);
    ht_tokenizer_free(tokenizer);
    free(words);
}

int main(int argc, char **argv) {
    int dashes = 1;
    while (dashes < argc && strcmp(argv[dashes], "--") != 0)
        ++dashes;
    if (dashes < 6 || dashes + 1 >= argc) {
        fprintf(stderr, "usage: %s SCHEMA ARCHITECTURE EPOCHS SEEDS DATA... -- KINDS...\n",
                argv[0]);
        return 2;
    }
    ht_schema *schema = find_schema(argv[1]);
    ht_dataset all, learn, valid;
    ht_error error;
    if (ht_dataset_read(schema, (const char *const *)&argv[5], (size_t)(dashes - 5), &all,
                        &error) != HT_OK)
        die(&error);
    ht_dataset_split_share(&all, 0.15, 1, &valid, &learn);
    printf("%s %s, %s epochs, %zu records, %zu to validate\n\n", schema->kernel, argv[2], argv[3],
           learn.count, valid.count);
    printf(
        "| tokens | places | identifiers | weights | validation loss | steps right, %% | epoch | "
        "seconds |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = dashes + 1; i < argc; ++i)
        measure(schema, &learn, &valid, argv[2], (uint32_t)strtoul(argv[3], NULL, 10),
                (uint32_t)strtoul(argv[4], NULL, 10), argv[i]);
    ht_dataset_free(&all);
    ht_dataset_free(&learn);
    ht_dataset_free(&valid);
    ht_schema_free(schema);
    return 0;
}
