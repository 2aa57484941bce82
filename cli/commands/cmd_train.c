#include "pipeline/familiar.h"
#include "pipeline/training.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/command.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>

static const ht_option options[] = {
    {"out", HT_OPTION_TEXT, offsetof(ht_train_options, out), "MODEL", .writes = true,
     .help = "The model file to write; the loss curves go to MODEL.losses.tsv."},
    {"schema", HT_OPTION_TEXT, offsetof(ht_train_options, schema), "S", .fallback = "auto",
     .help = "What the fields and parameters are, and which configurations are legal: a schema "
             "file, the name of a built-in schema, or 'header': the columns and values of the "
             "data, no constraints. 'auto' is the built-in schema of the data's kernel, else "
             "'header'."},
    {"params", HT_OPTION_TEXT, offsetof(ht_train_options, params), "NAME[,NAME]",
     .help = "With a schema from the header: the columns that are parameters. Without it, those "
             "after the column 'src'."},
    {"db", HT_OPTION_TEXT, offsetof(ht_train_options, database), "FILE",
     .help = "Learns from this tuning database instead of DATA: the best configurations of every "
             "problem that --template was tuned for on --device."},
    {"template", HT_OPTION_TEXT, offsetof(ht_train_options, template_path), "FILE",
     .help = "With --db: the annotated template; its fields, parameters and constraints are the "
             "schema."},
    {"kernel", HT_OPTION_TEXT, offsetof(ht_train_options, kernel), "NAME",
     .help = "With --db: which template, when the file has several."},
    {"device", HT_OPTION_TEXT, offsetof(ht_train_options, device), "DEVICE", .fallback = "host",
     .help = "With --db: the device that the problems were tuned on."},
    {"arch", HT_OPTION_TEXT, offsetof(ht_train_options, architecture), "A", .fallback = "hybrid",
     .help = "basic, attention, hybrid or transformer."},
    {"tokens", HT_OPTION_TEXT, offsetof(ht_train_options, tokens), "KIND[,KIND]",
     .fallback = "default",
     .help = "How a field's value is put before the network: onehot, digits, factors, "
             "divisibility, buckets, log."},
    {"seed", HT_OPTION_COUNT, offsetof(ht_train_options, seed), "N", .fallback = "1",
     .help = "Seed of the first weights, the order of the records and the validation set. The "
             "same seed gives the same model, byte for byte, on one type of machine, whatever "
             "the number of threads."},
    {"epochs", HT_OPTION_COUNT, offsetof(ht_train_options, epochs), "N",
     .help = "Most passes over the data. Without it, as for the following, the architecture's "
             "default."},
    {"batch", HT_OPTION_COUNT, offsetof(ht_train_options, batch), "N",
     .help = "Records of a step."},
    {"rate", HT_OPTION_NUMBER, offsetof(ht_train_options, rate), "R",
     .help = "The highest learning rate."},
    {"hidden", HT_OPTION_COUNT, offsetof(ht_train_options, hidden), "N",
     .help = "Width of the network."},
    {"set", HT_OPTION_LIST, offsetof(ht_train_options, set), "NAME=VALUE",
     .help =
         "Any setting by name; may be repeated: embedding, hidden, layers, kernel, heads, "
         "dropout, epochs, batch, rate, rate_end, warmup, clip, weight_decay, smoothing, "
         "token_dropout, averaging, patience, distil_samples, distil_weight, distil_labels, "
         "trees, trees_leaf, trees_tried, trees_share, own, own_leaf, own_share, balance. Those "
         "from trees on are of the forests that answer along with the networks: trees of each "
         "parameter (32; 0 for none, and with --db), records of a leaf, share of the numbers that "
         "a split tries, the weight of their answer, from 0 to 1; for GPUs with few records the "
         "weight of forests of their own in that, their leaves, and the weight of both. balance, "
         "from 0 to 1, weighs records so that GPUs with many do not drown the others."},
    {"valid-split", HT_OPTION_NUMBER, offsetof(ht_train_options, valid_split), "SHARE",
     .fallback = "0.1",
     .help = "Share of the problems that training is watched with and stopped by; 0 for none."},
    {"share", HT_OPTION_NUMBER, offsetof(ht_train_options, share), "SHARE", .fallback = "1",
     .help = "Trains on this share of the training problems only, to see what more data brings."},
    HT_FOLD_OPTIONS(ht_train_options, fold,
                    "Leaves out part I of K, which 'hiptemper evaluate --fold I/K' then tests."),
    {"members", HT_OPTION_COUNT, offsetof(ht_train_options, members), "N", .fallback = "1",
     .min = 1, .help = "Trains N networks, with seeds from --seed on, that answer together."},
    {"distil", HT_OPTION_FLAG, offsetof(ht_train_options, distil),
     .help = "Then trains one network on what those answer together, and keeps only that."},
    {"distil-from", HT_OPTION_TEXT, offsetof(ht_train_options, distil_from), "MODEL",
     .help = "The same with the networks of a model that is there, with its schema and tokens."},
    {"networks-from", HT_OPTION_TEXT, offsetof(ht_train_options, networks_from), "MODEL",
     .help = "Keeps the networks of a model that is there, with its schema and tokens, and grows "
             "only the trees: seconds, when new records came."},
    {"start-from", HT_OPTION_TEXT, offsetof(ht_train_options, start_from), "MODEL",
     .help = "The networks begin where this model's first one ended, which learned another kernel "
             "with fields in common: what it knows of sizes need not be learned again. It must "
             "have the same architecture and widths."},
    {"unconstrained", HT_OPTION_FLAG, offsetof(ht_train_options, unconstrained),
     .help = "Trains as if every value could follow every other, so that the network has to learn "
             "the constraints too."},
    {"halves", HT_OPTION_FLAG, offsetof(ht_train_options, halves),
     .help = "Writes the networks' weights as numbers of 16 bits: about half the file, for answers "
             "that are off in the fourth digit."},
    {"threads", HT_OPTION_COUNT, offsetof(ht_train_options, threads), "N", .fallback = "0",
     .help = "0: one a core."},
    {"json", HT_OPTION_JSON, offsetof(ht_train_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE."},
    {0},
};

static ht_status options_check(const ht_train_options *given, size_t files, ht_error *error) {
    if (!given->out)
        return ht_error_set(error, HT_ERROR_INPUT, "option --out is missing: the model file");
    if (given->database ? files > 0 || !given->template_path : files == 0)
        return ht_error_set(error, HT_ERROR_INPUT,
                            given->database
                                ? "--db takes --template FILE and no DATA files"
                                : "DATA is missing: files to learn from, or --db and --template");
    if (!given->database && given->template_path)
        return ht_error_set(error, HT_ERROR_INPUT, "--template needs --db");
    if (given->valid_split > 0.9 || given->share > 1 || given->share == 0)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "--valid-split is at most 0.9, and --share above 0 and at most 1");
    if (given->members > 64)
        return ht_error_set(error, HT_ERROR_INPUT, "--members is at most 64");
    if (given->distil_from && (given->distil || given->members > 1 || given->database))
        return ht_error_set(error, HT_ERROR_INPUT,
                            "--distil-from excludes --distil, --members and --db");
    if (given->networks_from &&
        (given->distil_from || given->distil || given->members > 1 || given->database))
        return ht_error_set(error, HT_ERROR_INPUT,
                            "--networks-from excludes --distil-from, --distil, --members and --db");
    if (given->start_from && given->networks_from)
        return ht_error_set(error, HT_ERROR_INPUT, "--start-from excludes --networks-from");
    return ht_fold_options_check(&given->fold, error);
}

static ht_status data_read(ht_training *training, char *const *paths, size_t count,
                           ht_dataset *out_dataset, ht_error *error) {
    const ht_train_options *given = training->given;
    training->data.read = json_array();
    if (given->database)
        return ht_training_read_database(training, out_dataset, error);
    char *kernel = NULL;
    ht_status status = ht_data_kernel(paths, count, &kernel, error);
    free(kernel);
    if (status == HT_OK && (given->distil_from || given->networks_from))
        status = ht_training_open_teacher(training, error);
    else if (status == HT_OK)
        status = ht_schema_choose(given->schema, given->params, paths, count,
                                  &training->basis.schema, &training->basis.schema_from, error);
    if (status == HT_OK)
        status = ht_data_read(training->basis.schema, paths, count, out_dataset, error);
    for (size_t i = 0; i < count; ++i)
        json_array_append_new(training->data.read, ht_report_json_text(ht_path_name(paths[i])));
    return status;
}

/* Splits the records into those to train on and those to validate with. */
static ht_status data_split(ht_training *training, ht_dataset *all, ht_dataset *out_train,
                            ht_dataset *out_valid, ht_error *error) {
    const ht_train_options *given = training->given;
    training->data.records = all->count;
    training->data.skipped = all->skipped;
    ht_status status = ht_fold_options_group(&given->fold, all, error);
    if (status == HT_OK)
        status = ht_fold_options_keep(&given->fold, false, all, error);
    if (status != HT_OK)
        return status;
    ht_dataset rest = {0};
    ht_dataset_split_share(all, given->valid_split, given->seed, out_valid, &rest);
    if (given->share < 1) {
        ht_dataset left = {0};
        ht_dataset_split_share(&rest, given->share, given->seed + 1, out_train, &left);
        ht_dataset_free(&left);
        ht_dataset_free(&rest);
    } else {
        *out_train = rest;
    }
    training->data.train_count = out_train->count;
    training->data.valid_count = out_valid->count;
    if (out_train->count == 0)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "there is nothing to train on: %zu records, %zu of them to validate "
                            "with, none left",
                            training->data.records, training->data.valid_count);
    return HT_OK;
}

static ht_status examples_make(ht_training *training, char *const *paths, size_t count,
                               ht_error *error) {
    ht_dataset all = {0}, valid = {0}, *train = &training->data.train_records;
    ht_status status = data_read(training, paths, count, &all, error);
    if (status == HT_OK)
        status = data_split(training, &all, train, &valid, error);
    if (status == HT_OK && !training->basis.tokenizer)
        status =
            ht_tokenizer_make(train, training->given->tokens, &training->basis.tokenizer, error);
    if (status == HT_OK && !training->given->unconstrained)
        status = ht_rules_compile(training->basis.schema, NULL, 0, &training->basis.rules, error);
    if (status == HT_OK) {
        training->data.seen = ht_familiar_json(train);
        if (training->basis.rules)
            training->data.refused = ht_dataset_illegal(train, training->basis.rules, NULL);
        ht_training_balance(train, training->recipe.balance);
        ht_training_report_data(training);
        ht_examples_make(train, training->basis.tokenizer, training->basis.rules,
                         &training->data.train);
        ht_examples_make(&valid, training->basis.tokenizer, training->basis.rules,
                         &training->data.valid);
    }
    ht_dataset_free(&all);
    ht_dataset_free(&valid);
    return status;
}

/* Makes a model file of the networks. */
static ht_status model_save(ht_training *training, ht_predictor **out_predictor, ht_error *error) {
    json_t *note = ht_training_note(training);
    char *text = json_dumps(note, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(note);
    ht_status status = ht_predictor_make(training->basis.schema, training->basis.tokenizer,
                                         training->made.networks, training->made.network_count,
                                         text, out_predictor, error);
    free(text);
    if (status != HT_OK)
        return status;
    ht_predictor_set_chain(*out_predictor, training->made.chain);
    ht_predictor_set_halves(*out_predictor, training->given->halves);
    training->basis.schema = NULL; /* the predictor's now */
    training->basis.tokenizer = NULL;
    training->made.chain = NULL;
    training->made.network_count = 0;
    return ht_predictor_save(*out_predictor, training->given->out, error);
}

static void training_free(ht_training *training) {
    for (size_t i = 0; i < training->made.network_count; ++i)
        ht_network_free(training->made.networks[i]);
    free(training->made.networks);
    free(training->made.trained);
    ht_dataset_free(&training->data.train_records);
    ht_predictor_free(training->models.teacher);
    ht_predictor_free(training->models.start);
    ht_chain_free(training->made.chain);
    ht_examples_free(&training->data.train);
    ht_examples_free(&training->data.valid);
    ht_rules_free(training->basis.rules); /* before the schema that it is about */
    ht_tokenizer_free(training->basis.tokenizer);
    ht_schema_free(training->basis.schema);
    free(training->basis.schema_from);
    ht_text_free(&training->losses.text);
    free(training->losses.path);
    json_decref(training->data.read);
    json_decref(training->data.seen);
}

static int run_train(const ht_command_line *line) {
    ht_training training = {.given = line->options};
    ht_predictor *predictor = NULL;
    ht_error error = {0};
    double begun = ht_clock_seconds();
    training.out = ht_report_stream(training.given->json);
    ht_status status = options_check(training.given, line->operand_count, &error);
    if (status == HT_OK)
        status = ht_recipe_make(training.given, &training.recipe, &error);
    if (status == HT_OK)
        status = examples_make(&training, line->operands, line->operand_count, &error);
    if (status == HT_OK)
        status = ht_training_run(&training, &error);
    if (status == HT_OK)
        status = model_save(&training, &predictor, &error);
    int code = status == HT_OK
                   ? ht_training_report(&training, predictor, ht_clock_seconds() - begun)
                   : ht_report_error(&error);
    if (ht_training_losses_write(&training, &error) != HT_OK)
        code = ht_report_error(&error);
    training_free(&training);
    ht_predictor_free(predictor);
    return code;
}

const ht_command ht_command_train = {
    .name = "train",
    .summary = "train a model that proposes configurations from tuned problems",
    .usage = "[OPTION]... --out MODEL DATA...",
    .description =
        "Learns from tuned problems, TSV files (plain or gzipped) of one kernel or the tuning "
        "database, to propose good configurations for problems that were never tuned: a "
        "sequence-to-sequence network that reads a problem's fields and writes the kernel's "
        "parameters (arXiv 2404.10162). 'hiptemper evaluate' measures a model, 'hiptemper predict' "
        "asks it, and --predictor of optimize and tune starts their search from its proposals.\n\n"
        "Everything that is needed later is in the model file: schema, constraints, tokens, "
        "weights, and how it was trained. Ctrl-C ends the training and keeps the best weights so "
        "far (exit code 130).",
    .examples =
        "hiptemper train ConvAsm1x1U.FP32.gfx900.tsv.gz --out 1x1u.model\n"
        "hiptemper train ConvAsm1x1U.*.tsv.gz --members 5 --out 1x1u.model\n"
        "hiptemper train ConvAsm1x1U.*.tsv.gz --fold 1/5 --arch transformer --out fold1.model\n"
        "hiptemper train --db tuning.sqlite --template conv2d.hip --out conv2d.model",
    .options = options,
    .options_size = sizeof(ht_train_options),
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .operand = "DATA",
    .run = run_train,
};
