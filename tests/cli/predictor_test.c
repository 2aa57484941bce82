/* hiptemper train, evaluate and predict, as a user runs them. */
#include "program.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(predictor, .init = workplace_make, .fini = workplace_remove);

#define DATA HT_SOURCE_DIR "/tests/predictor/data/ConvAsm1x1U.tsv"
#define OTHER HT_SOURCE_DIR "/tests/predictor/data/ConvOclDirectFwd.tsv.gz"
#define SMALL " --arch basic --hidden 32 --set embedding=16 --set warmup=1 --seed 3"
#define TRAIN "train " DATA SMALL " --epochs 4 --out "
#define PROBLEM "in_c=128 in_h=7 in_w=7 out_c=1344 batch=64 precision=FP16 direction=B arch=gfx900"

static void succeeds(const char *words) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, 0, "%s: exit code %d\n%s", words, result.code, result.err);
    program_free(&result);
}

static void fails(const char *words, int code, const char *fragment) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, code, "%s: exit code %d\n%s", words, result.code, result.err);
    cr_assert_not_null(strstr(result.err, fragment), "%s: %s", words, result.err);
    program_free(&result);
}

static json_t *run_json(const char *words) {
    program_result result = program_run(words);
    json_error_t error;
    cr_assert_eq(result.code, 0, "%s: exit code %d\n%s", words, result.code, result.err);
    json_t *document = json_loads(result.out, 0, &error);
    cr_assert_not_null(document, "%s: %s\n%s", words, error.text, result.out);
    program_free(&result);
    return document;
}

static char *bytes(const char *name, size_t *out_length) {
    char *path = ht_path_join(workplace(), name), *data = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_file_read(path, 0, &data, out_length, &error), HT_OK, "%s", error.message);
    free(path);
    return data;
}

static bool same_file(const char *a, const char *b) {
    size_t a_length, b_length;
    char *one = bytes(a, &a_length), *two = bytes(b, &b_length);
    bool same = a_length == b_length && memcmp(one, two, a_length) == 0;
    free(one);
    free(two);
    return same;
}

Test(predictor, same_seed_same_bytes) {
    succeeds(TRAIN "one.model --threads 1");
    succeeds(TRAIN "two.model --threads 2");
    succeeds(TRAIN "other.model --seed 4");
    cr_assert(same_file("one.model", "two.model"));
    cr_assert_not(same_file("one.model", "other.model"));
    char *losses = workplace_read("one.model.losses.tsv");
    cr_assert_eq(count_lines(losses), 5);
    cr_assert(strncmp(losses, "network\tepoch\ttrain_loss\t", 25) == 0);
    free(losses);
}

static double number(const json_t *object, const char *name) {
    const json_t *member = json_object_get(object, name);
    cr_assert(json_is_number(member), "%s", name);
    return json_number_value(member);
}

/* Checks that shares of top-k grow with k, and that the first is the share of perfect ones. */
static void accuracy_check(const json_t *object) {
    const json_t *topk = json_object_get(object, "topk");
    double one = number(topk, "1"), three = number(topk, "3"), five = number(topk, "5");
    double ten = number(topk, "10"), perfect = number(object, "perfect");
    double average = number(object, "average_accuracy");
    cr_assert(perfect == one && one <= three && three <= five && five <= ten && ten <= 1);
    cr_assert(average >= perfect && average <= 1);
}

Test(predictor, evaluate_json) {
    succeeds(TRAIN "a.model");
    json_t *all = run_json("evaluate a.model " DATA " --json");
    cr_assert_str_eq(json_string_value(json_object_get(all, "kernel")), "ConvAsm1x1U");
    cr_assert_eq(number(all, "records"), 32);
    accuracy_check(all);
    accuracy_check(json_object_get(all, "canonical"));
    const json_t *ten = json_object_get(json_object_get(all, "topk_intervals"), "10");
    double share = number(json_object_get(all, "topk"), "10");
    cr_assert(json_number_value(json_array_get(ten, 0)) <= share);
    cr_assert(json_number_value(json_array_get(ten, 1)) >= share);
    cr_assert_eq(number(all, "legal"), 1);
    cr_assert_eq(number(all, "short_beams"), 0);
    cr_assert(number(all, "ms_per_prediction") > 0);
    cr_assert(number(json_object_get(all, "canonical"), "perfect") >= number(all, "perfect"));
    /* The mean over parameters. */
    const json_t *each = json_object_get(all, "per_parameter"), *value;
    const char *name;
    double sum = 0;
    json_object_foreach((json_t *)each, name, value) sum += json_number_value(value);
    cr_assert_float_eq(sum / (double)json_object_size(each), number(all, "average_accuracy"), 1e-6);
    /* A folder has the kernel's model, and several files give an array. */
    json_t *two = run_json("evaluate . " DATA " " DATA " --json --threads 1 --beam 20");
    cr_assert_eq(json_array_size(two), 2);
    cr_assert_eq(number(json_array_get(two, 1), "records"), 32);
    json_decref(all);
    json_decref(two);
    fails("evaluate . " OTHER, 2, "no model for kernel ConvOclDirectFwd");
    fails("evaluate a.model " DATA " --drop-constraint 99", 2, "99");
    program_result table = program_run("evaluate a.model " DATA " --drop-constraint 1");
    cr_assert_eq(table.code, 0, "%s", table.err);
    cr_assert_not_null(strstr(table.out, "top-10 %"));
    cr_assert_not_null(strstr(table.out, "95 % interval"));
    program_free(&table);
}

/* Without constraints an untaught network proposes illegal configurations; with them never. */
/* A record that breaks a constraint (read_size is at most chunks_per_wave) is counted, with the
 * constraint. */
Test(predictor, records_that_break_the_constraints_are_counted) {
    static const char *const wrong =
        "192\t7\t7\t1\t1\t1584\t16\t0\t0\t1\t1\t1\t1\t0\t1\tNCHW\tFP32\tF\t7\t7\t1\tgfx900\t64\tx\t"
        "4\t8\t1\t32\t1\t2\t2\t2\n";
    char *text = NULL, *path = ht_path_join(workplace(), "ConvAsm1x1U.wrong.tsv");
    ht_error error = {0};
    cr_assert_eq(ht_file_read(DATA, 0, &text, NULL, &error), HT_OK, "%s", error.message);
    char *more = ht_format("%s%s", text, wrong);
    cr_assert_eq(ht_file_write(path, more, strlen(more), &error), HT_OK, "%s", error.message);
    program_result trained = program_run("train ConvAsm1x1U.wrong.tsv" SMALL
                                         " --epochs 1 --valid-split 0 --out a.model");
    cr_expect_eq(trained.code, 0, "%s", trained.err);
    cr_expect_not_null(strstr(trained.err, "records to train on break the constraints: 1 break"),
                       "%s", trained.err);
    program_free(&trained);
    program_result shown = program_run("evaluate a.model ConvAsm1x1U.wrong.tsv");
    cr_expect_not_null(strstr(shown.out, "records break the model's constraints (1 break"), "%s",
                       shown.out);
    program_free(&shown);
    json_t *found = run_json("evaluate a.model ConvAsm1x1U.wrong.tsv --json");
    cr_expect_eq(number(json_object_get(found, "refused"), "records"), 1);
    json_decref(found);
    found = run_json("evaluate a.model " DATA " --json");
    cr_expect_eq(number(json_object_get(found, "refused"), "records"), 0);
    json_decref(found);
    free(more);
    free(text);
    free(path);
}

Test(predictor, constraints_matter) {
    succeeds(TRAIN "a.model --unconstrained");
    json_t *on = run_json("evaluate a.model " DATA " --json");
    json_t *off = run_json("evaluate a.model " DATA " --json --no-constraints");
    cr_assert_eq(number(on, "legal"), 1);
    cr_assert(number(off, "legal") < 1);
    json_decref(on);
    json_decref(off);
}

/* The parts of a fold make up the whole. */
Test(predictor, folds) {
    succeeds(TRAIN "a.model --fold 1/2 --json r.json");
    char *text = workplace_read("r.json");
    json_t *report = json_loads(text, 0, NULL);
    json_t *first = run_json("evaluate a.model " DATA " --json --fold 1/2");
    json_t *second = run_json("evaluate a.model " DATA " --json --fold 2/2");
    cr_assert_eq(number(first, "records") + number(second, "records"), 32);
    cr_assert_eq(number(report, "train") + number(report, "valid"), number(second, "records"));
    json_decref(first);
    json_decref(second);
    json_decref(report);
    free(text);
    fails("evaluate a.model " DATA " --fold 3/2", 2, "--fold");
    fails(TRAIN "b.model --fold-by luck", 2, "luck");
}

Test(predictor, predict) {
    succeeds(TRAIN "a.model");
    static const char *const words[] = {NULL, "predict", "a.model", "--problem", PROBLEM,
                                        "-k", "7",       "--json",  NULL};
    const char *arguments[9];
    memcpy(arguments, words + 1, 8 * sizeof *arguments);
    program_result result = program_run_arguments(arguments);
    cr_assert_eq(result.code, 0, "%s", result.err);
    json_t *document = json_loads(result.out, 0, NULL);
    const json_t *list = json_object_get(document, "proposals");
    cr_assert_eq(json_array_size(list), 7);
    double last = 0;
    for (size_t i = 0; i < 7; ++i) {
        const json_t *proposal = json_array_get(list, i);
        double now = number(proposal, "log_probability");
        cr_assert(now <= last);
        cr_assert(json_is_true(json_object_get(proposal, "legal")));
        cr_assert_eq(json_object_size(json_object_get(proposal, "config")), 8);
        last = now;
    }
    json_decref(document);
    program_free(&result);
    fails("predict a.model", 2, "in_c");
    fails("predict a.model --problem in_z=3", 2, "in_z");
    fails("predict none.model --problem in_c=3", 2, "none.model");
}

/* Predicts a problem; the document's "confidence". */
static json_t *confidence_of(const char *problem, const char *warning) {
    program_result result = program_run_arguments(
        (const char *[]){"predict", "a.model", "--problem", problem, "--json", NULL});
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_expect(!warning || strstr(result.err, warning), "%s", result.err);
    json_t *document = json_loads(result.out, 0, NULL);
    json_t *confidence = json_incref(json_object_get(document, "confidence"));
    json_decref(document);
    program_free(&result);
    return confidence;
}

/* Confidence is what was measured on records left out, and not that of a model before. */
Test(predictor, predict_says_how_far_it_is_to_be_trusted) {
    succeeds(TRAIN "a.model --fold 1/2");
    json_t *none = confidence_of(PROBLEM, NULL);
    cr_expect(json_is_null(none));
    succeeds("evaluate a.model " DATA " --fold 1/2 --calibrate");
    json_t *known = confidence_of(PROBLEM, NULL);
    json_t *report = run_json("evaluate a.model " DATA " --fold 1/2 --json");
    const json_t *bins = json_object_get(report, "reliability"), *bin;
    size_t index;
    double right = 0;
    json_array_foreach(bins, index, bin) right += number(bin, "right");
    cr_expect_float_eq(right, number(report, "records") * number(report, "perfect"), 1e-6);
    cr_expect_eq(number(known, "records"), number(report, "records"),
                 "fewer than 30 are all taken");
    cr_expect_eq(number(known, "right"), number(report, "perfect"));
    cr_expect_eq(number(known, "among_ten"), number(json_object_get(report, "topk"), "10"));
    cr_expect_str_eq(json_string_value(json_object_get(known, "gpu")), "known");
    json_t *hidden = confidence_of(
        "in_c=128 in_h=7 in_w=7 out_c=1344 batch=64 precision=FP16 direction=B arch=gfx1201",
        "arch=gfx1201 does not occur in the training data, which has gfx900, gfx906\n");
    cr_expect_str_eq(json_string_value(json_object_get(hidden, "gpu")), "withheld");
    succeeds(TRAIN "a.model --seed 5");
    json_t *stale = confidence_of(PROBLEM, "made for another model");
    cr_expect(json_is_null(stale));
    fails("evaluate a.model " DATA " --calibrate --no-constraints", 2, "--calibrate");
    json_decref(none);
    json_decref(known);
    json_decref(report);
    json_decref(hidden);
    json_decref(stale);
}

/* Where a GPU has enough records of its own, confidence is counted from those alone. */
Test(predictor, confidence_is_that_of_the_problems_gpu) {
    succeeds(TRAIN "a.model --fold 1/2");
    succeeds("evaluate a.model " DATA " --fold 1/2 --calibrate");
    char *text = workplace_read("a.model.reliability.json");
    json_t *kept = json_loads(text, 0, NULL);
    json_t *bins = json_deep_copy(json_object_get(kept, "known")), *bin;
    size_t index;
    json_array_foreach(bins, index, bin) {
        json_object_set_new(bin, "records", json_integer(200));
        json_object_set_new(bin, "right", json_integer(50));
        json_object_set_new(bin, "among_ten", json_integer(100));
    }
    json_object_set_new(json_object_get(kept, "gpus"), "gfx900", bins);
    char *changed = json_dumps(kept, 0);
    workplace_write("a.model.reliability.json", changed);
    json_t *own = confidence_of(PROBLEM, NULL);
    cr_expect_str_eq(json_string_value(json_object_get(own, "of_gpu")), "gfx900");
    cr_expect_eq(number(own, "records"), 200);
    cr_expect_eq(number(own, "right"), 0.25);
    json_t *other =
        confidence_of("in_c=128 in_h=7 in_w=7 out_c=1344 direction=B arch=gfx906", NULL);
    cr_expect(json_is_null(json_object_get(other, "of_gpu")), "it has no records by itself");
    json_decref(own);
    json_decref(other);
    json_decref(kept);
    free(changed);
    free(text);
}

/* Values that no record has are reported, not hidden. */
Test(predictor, unseen_values_are_told) {
    succeeds(TRAIN "a.model");
    program_result result = program_run_arguments(
        (const char *[]){"predict", "a.model", "--problem",
                         "in_c=123456 in_h=7 in_w=7 out_c=1344 direction=B arch=gfx900", NULL});
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_assert_not_null(strstr(result.err, "in_c=123456 does not occur"), "%s", result.err);
    program_free(&result);
}

static program_result predict_on(const char *machine) {
    char *problem = ht_format("in_c=128 in_h=7 in_w=7 out_c=1344 direction=F %s", machine);
    program_result result =
        program_run_arguments((const char *[]){"predict", "a.model", "--problem", problem, NULL});
    free(problem);
    return result;
}

/* Names of GPUs are understood as HIP and people write them; what is no name is refused, and what
 * was worked out is not said to be the user's. */
Test(predictor, gpus_are_named_as_users_name_them) {
    succeeds(TRAIN "a.model");
    program_result plain = predict_on("arch=gfx906 cu=60");
    program_result features = predict_on("arch=gfx906:sramecc+:xnack- cu=60");
    program_result large = predict_on("arch=GFX906 cu=60");
    cr_expect_str_eq(features.out, plain.out);
    cr_expect_str_eq(large.out, plain.out);
    program_result newer = predict_on("arch=gfx1201");
    cr_expect_eq(newer.code, 0, "%s", newer.err);
    cr_expect_not_null(strstr(newer.err, ", which was not given, does not occur"), "%s", newer.err);
    program_result number = predict_on("arch=-1");
    cr_expect_eq(number.code, 2);
    cr_expect_not_null(strstr(number.err, "field arch is a name such as gfx"), "%s", number.err);
    program_free(&plain);
    program_free(&features);
    program_free(&large);
    program_free(&newer);
    program_free(&number);
}

/* A mistake in the question is answered with what to write instead. */
Test(predictor, a_wrong_question_gets_its_remedy) {
    succeeds(TRAIN "a.model");
    fails("predict a.model", 2, "takes in_c=N in_h=N");
    fails("predict a.model", 2, "direction=F|B|W");
    fails("predict a.model --problem in_c=99999999999999999999", 2, "at most 64 bits");
    fails("predict none.model --problem in_c=1", 2, "'builtin'");
    fails("predict builtin --problem in_c=1", 2, "--kernel; there are ConvAsm1x1U, ");
    fails("predict builtin --kernel ConvAsm1x1 --problem in_c=1", 2, "mean 'ConvAsm1x1U'");
    fails("predict builtin --kernel conv2d_direct --problem N=1", 2, "--device DEVICE fills in");
    fails("predict a.model --times none.times --problem in_c=1", 1, "the model of time");
    program_result missing = predict_on("");
    cr_expect_not_null(strstr(missing.err, "give arch=gfx803|"), "%s", missing.err);
    program_free(&missing);
}

/* --device names the GPU of a model of a tuning database, and a size of 0 is said to be unusual. */
Test(predictor, devices_and_unusual_sizes) {
    succeeds(TRAIN "a.model");
    program_result named = predict_on("arch=gfx906");
    program_result device = program_run_arguments(
        (const char *[]){"predict", "a.model", "--device", "amd:gfx906", "--problem",
                         "in_c=128 in_h=7 in_w=7 out_c=1344 direction=F", NULL});
    cr_expect_str_eq(device.out, named.out);
    program_free(&named);
    program_free(&device);
    program_result newer = program_run_arguments(
        (const char *[]){"predict", "a.model", "--device", "amd:gfx1201", "--problem",
                         "in_c=128 in_h=7 in_w=7 out_c=1344 direction=F", NULL});
    cr_expect_not_null(strstr(newer.err, "arch=gfx1201 does not occur"), "%s", newer.err);
    program_free(&newer);
    program_result none = program_run_arguments((const char *[]){
        "predict", "a.model", "--problem",
        "in_c = 0 in_h=7 in_w=7 out_c=1344 direction=F arch=gfx906 group=3", NULL});
    cr_expect_eq(none.code, 2);
    cr_expect_not_null(strstr(none.err, "in_c=0 does not occur"), "%s", none.err);
    cr_expect_not_null(strstr(none.err, "which has only 1\n"), "%s", none.err);
    program_free(&none);
}

Test(predictor, broken_models_are_refused) {
    succeeds(TRAIN "a.model");
    size_t length;
    char *data = bytes("a.model", &length), *path = ht_path_join(workplace(), "b.model");
    ht_error error = {0};
    cr_assert_eq(ht_file_write(path, data, length / 2, &error), HT_OK);
    fails("evaluate b.model " DATA, 2, "damaged");
    data[length - 100] ^= 1;
    cr_assert_eq(ht_file_write(path, data, length, &error), HT_OK);
    fails("predict b.model --problem in_c=1", 2, "checksum");
    fails("predict " DATA " --problem in_c=1", 2, "no model file");
    free(path);
    free(data);
}

Test(predictor, ensembles) {
    succeeds(TRAIN "e.model --members 2");
    succeeds(TRAIN "a.model");
    json_t *both = run_json("evaluate e.model " DATA " --json");
    cr_assert_eq(number(both, "legal"), 1);
    size_t length, single;
    free(bytes("e.model", &length));
    free(bytes("a.model", &single));
    cr_assert(length > single * 3 / 2);
    json_decref(both);
}

/* Weights of 16 bits make a smaller file that answers nearly the same. */
Test(predictor, halves) {
    succeeds(TRAIN "a.model --set trees=0");
    succeeds(TRAIN "h.model --set trees=0 --halves");
    json_t *whole = run_json("evaluate a.model " DATA " --json");
    json_t *halves = run_json("evaluate h.model " DATA " --json");
    size_t length, half;
    free(bytes("a.model", &length));
    free(bytes("h.model", &half));
    cr_expect(half < length * 3 / 5, "%zu of %zu bytes", half, length);
    cr_expect_float_eq(number(whole, "average_accuracy"), number(halves, "average_accuracy"), 0.02);
    json_decref(whole);
    json_decref(halves);
}

Test(predictor, schema_from_the_header) {
    workplace_write("mine.tsv",
                    "n\tm\ttile\tvec\n1\t2\t4\t1\n3\t4\t8\t2\n5\t6\t4\t2\n7\t8\t8\t1\n");
    program_result result =
        program_run("train mine.tsv --params tile,vec" SMALL " --epochs 2 --out m.model");
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_assert_not_null(strstr(result.out, "from the data's header"));
    program_free(&result);
    succeeds("predict m.model --problem n=1,m=2");
    json_t *found = run_json("evaluate . mine.tsv --json");
    cr_assert_str_eq(json_string_value(json_object_get(found, "kernel")), "mine");
    json_decref(found);
}

Test(predictor, mistakes) {
    fails("train " DATA " " OTHER " --out a.model", 2, "several kernels");
    fails("train " DATA, 2, "--out");
    fails("train --out a.model", 2, "DATA is missing");
    fails(TRAIN "a.model --arch magic", 2, "magic");
    fails(TRAIN "a.model --set luck=1", 2, "luck");
    fails(TRAIN "a.model --set dropout=x", 2, "dropout");
    fails(TRAIN "a.model --schema ConvAsm1x1V", 2, "ConvAsm1x1U");
    fails(TRAIN "none/a.model", 1, "none/a.model");
    fails("train none.tsv --out a.model", 2, "none.tsv");
}

/* Ctrl-C keeps a model that answers. */
Test(predictor, interrupted_training_keeps_a_model) {
    program_result result = program_interrupt(
        "train " DATA SMALL " --epochs 100000 --set patience=0 --out a.model", "epoch 1 of");
    cr_assert_eq(result.code, 130, "exit code %d\n%s", result.code, result.err);
    cr_assert_not_null(strstr(result.out, "Interrupted"), "%s", result.out);
    program_free(&result);
    json_t *found = run_json("evaluate a.model " DATA " --json");
    cr_assert_eq(number(found, "legal"), 1);
    json_decref(found);
}

/* With FP16 and direction B, k_mult is even and divides out_c. */
Test(predictor, a_problem_without_a_legal_configuration_is_refused) {
    const char *const arguments[] = {"predict",
                                     HT_SOURCE_DIR "/predictor/models",
                                     "--kernel",
                                     "ConvAsm1x1U",
                                     "--problem",
                                     "in_c=128 in_h=7 in_w=7 out_c=1343 batch=64 precision=FP16 "
                                     "direction=B arch=gfx900",
                                     NULL};
    program_result result = program_run_arguments(arguments);
    cr_expect_eq(result.code, 2, "%s", result.out);
    cr_expect(strstr(result.err, "no configuration of ConvAsm1x1U is legal"), "%s", result.err);
    cr_expect(strstr(result.err, "give other sizes"), "%s", result.err);
    program_free(&result);
}
