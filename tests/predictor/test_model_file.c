/* Model files: a saved one comes back, a broken one is refused with words. */
#include "predictor/model/model_file.h"
#include "predictor/predictor.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *folder;

static void begin(void) {
    cr_assert_eq(ht_dir_temporary("model", &folder, NULL), HT_OK);
}

static void end(void) {
    ht_dir_remove(folder);
    free(folder);
}

TestSuite(model_file, .init = begin, .fini = end);

static const char schema_format[] =
    "kernel(%s)\nignore(src)\nfield(n, c)\nfield(way : F, B)\nparam(tile : pow2(1, 16))\nparam(vec "
    ": 1, 2, 4)\n"
    "param(order : ROWS, COLUMNS)\nrequire(tile %% vec == 0)\nrequire(way == F || tile <= n)\n";

/* Returns an untrained predictor of this many networks, and trees along with them. */
static ht_predictor *predictor_make(const char *kernel, size_t networks, uint64_t seed,
                                    uint32_t trees) {
    static const char table[] = "n\tc\tway\tsrc\ttile\tvec\torder\n1\t8\tF\tx\t4\t2\tROWS\n"
                                "2\t8\tB\tx\t2\t1\tCOLUMNS\n64\t3\tF\tx\t16\t4\tROWS\n";
    ht_error error = {0};
    ht_schema *schema = NULL;
    char *lines = ht_format(schema_format, kernel);
    cr_assert_eq(ht_schema_parse(lines, "test", &schema, &error), HT_OK, "%s", error.message);
    free(lines);
    ht_dataset dataset = {0};
    cr_assert_eq(ht_dataset_parse(schema, table, strlen(table), "test.tsv", &dataset, &error),
                 HT_OK, "%s", error.message);
    ht_tokenizer *tokenizer = NULL;
    cr_assert_eq(ht_tokenizer_make(&dataset, "default", &tokenizer, &error), HT_OK, "%s",
                 error.message);
    ht_chain_settings forests = {.trees = trees, .min_leaf = 1, .tried = 1, .share = 0.4F};
    ht_chain *chain = NULL;
    if (trees)
        cr_assert_eq(ht_chain_grow(&dataset, &forests, NULL, NULL, &chain, NULL), HT_OK);
    ht_dataset_free(&dataset);
    ht_network_settings settings;
    cr_assert_eq(ht_network_defaults("attention", &settings, &error), HT_OK);
    settings.hidden = 32;
    settings.embedding = 16;
    ht_output_shape output = {0};
    ht_schema_output(schema, &output);
    ht_network *made[4];
    for (size_t i = 0; i < networks; ++i)
        cr_assert_eq(ht_network_create(&settings, ht_tokenizer_shape(tokenizer), &output, seed + i,
                                       &made[i], &error),
                     HT_OK, "%s", error.message);
    ht_predictor *predictor = NULL;
    cr_assert_eq(
        ht_predictor_make(schema, tokenizer, made, networks, "{\"a\": 1}", &predictor, &error),
        HT_OK, "%s", error.message);
    ht_predictor_set_chain(predictor, chain);
    return predictor;
}

static char *save(const ht_predictor *predictor, const char *name) {
    char *path = ht_path_join(folder, name);
    ht_error error = {0};
    cr_assert_eq(ht_predictor_save(predictor, path, &error), HT_OK, "%s", error.message);
    return path;
}

/* Expects the same proposals, to the bit. */
static void same_answers(const ht_predictor *a, const ht_predictor *b) {
    static const int64_t problems[][3] = {{1, 8, 0}, {2, 8, 1}, {7, 100, 1}};
    ht_beam_settings beam = {.width = 10, .constrained = true};
    ht_proposer *first, *second;
    cr_assert_eq(ht_proposer_new(a, NULL, &beam, &first, NULL), HT_OK);
    cr_assert_eq(ht_proposer_new(b, NULL, &beam, &second, NULL), HT_OK);
    for (size_t i = 0; i < 3; ++i) {
        ht_proposal one[10], two[10];
        size_t count = ht_proposer_propose(first, problems[i], 10, one);
        cr_assert(count > 0);
        cr_assert_eq(ht_proposer_propose(second, problems[i], 10, two), count);
        for (size_t p = 0; p < count; ++p) {
            cr_assert_eq(one[p].log_probability, two[p].log_probability);
            cr_assert_arr_eq(one[p].choice, two[p].choice, 3 * sizeof(uint16_t));
        }
    }
    ht_proposer_free(first);
    ht_proposer_free(second);
}

/* Weights of 16 bits are half the bytes and nearly the same; saved again, the same file. */
Test(model_file, halves) {
    ht_predictor *made = predictor_make("k", 2, 5, 7), *opened = NULL;
    ht_error error = {0};
    char *whole = save(made, "whole.model"), *one = NULL, *two = NULL;
    size_t whole_length, one_length, two_length;
    ht_predictor_set_halves(made, true);
    char *path = save(made, "halves.model");
    cr_assert_eq(ht_predictor_open(path, &opened, &error), HT_OK, "%s", error.message);
    for (size_t i = 0; i < 2; ++i) {
        const ht_network *a = ht_predictor_network(made, i), *b = ht_predictor_network(opened, i);
        for (size_t w = 0; w < ht_network_weight_count(a); ++w)
            cr_assert_float_eq(ht_network_weights(a)[w], ht_network_weights(b)[w],
                               1e-7F + 5e-4F * fabsf(ht_network_weights(a)[w]));
    }
    char *again = save(opened, "again.model");
    cr_assert_eq(ht_file_read(whole, 0, &one, &whole_length, NULL), HT_OK);
    free(one);
    cr_assert_eq(ht_file_read(path, 0, &one, &one_length, NULL), HT_OK);
    cr_assert_eq(ht_file_read(again, 0, &two, &two_length, NULL), HT_OK);
    cr_expect_eq(ht_bytes_get32((const uint8_t *)one + 8), HT_MODEL_VERSION);
    cr_assert_eq(one_length, two_length);
    cr_expect_arr_eq(one, two, one_length);
    size_t weights = 2 * ht_network_weight_count(ht_predictor_network(made, 0));
    cr_expect(one_length + 2 * weights <= whole_length + 2 * HT_MODEL_ALIGN);
    free(one);
    free(two);
    free(again);
    free(path);
    free(whole);
    ht_predictor_free(opened);
    ht_predictor_free(made);
}

Test(model_file, comes_back) {
    for (size_t networks = 1; networks <= 3; ++networks) {
        ht_predictor *made = predictor_make("k", networks, 5, networks == 2 ? 0 : 7),
                     *opened = NULL;
        ht_error error = {0};
        char *path = save(made, "k.model");
        cr_assert_eq(ht_predictor_open(path, &opened, &error), HT_OK, "%s", error.message);
        cr_assert_eq(ht_predictor_network_count(opened), networks);
        cr_assert_eq(ht_predictor_chain(opened) != NULL, networks != 2);
        cr_assert_str_eq(ht_predictor_note(opened), "{\"a\": 1}");
        for (size_t i = 0; i < networks; ++i) {
            const ht_network *a = ht_predictor_network(made, i),
                             *b = ht_predictor_network(opened, i);
            size_t count = ht_network_weight_count(a);
            cr_assert_eq(ht_network_weight_count(b), count);
            cr_assert_arr_eq(ht_network_weights(a), ht_network_weights(b), count * sizeof(float));
            cr_assert_eq((uintptr_t)ht_network_weights(b) % HT_MODEL_ALIGN, 0);
        }
        same_answers(made, opened);
        /* Saved again, it is the same file. */
        char *again = save(opened, "again.model");
        char *one, *two;
        size_t one_length, two_length;
        cr_assert_eq(ht_file_read(path, 0, &one, &one_length, NULL), HT_OK);
        cr_assert_eq(ht_file_read(again, 0, &two, &two_length, NULL), HT_OK);
        cr_assert_eq(one_length, two_length);
        cr_assert_arr_eq(one, two, one_length);
        free(one);
        free(two);
        free(again);
        free(path);
        ht_predictor_free(opened);
        ht_predictor_free(made);
    }
}

/* Returns the bytes of a model file; free(). */
static uint8_t *bytes_with(uint32_t trees, size_t *out_length) {
    ht_predictor *made = predictor_make("k", 2, 5, trees);
    char *path = save(made, "k.model"), *data;
    cr_assert_eq(ht_file_read(path, 0, &data, out_length, NULL), HT_OK);
    free(path);
    ht_predictor_free(made);
    return (uint8_t *)data;
}

static uint8_t *bytes(size_t *out_length) {
    return bytes_with(0, out_length);
}

static void refused(const uint8_t *data, size_t length, const char *fragment) {
    ht_predictor *predictor = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_predictor_parse(data, length, "x.model", &predictor, &error), HT_ERROR_INPUT);
    cr_assert_null(predictor);
    cr_assert(error.message[0]);
    cr_assert(!fragment || strstr(error.message, fragment), "%s", error.message);
}

Test(model_file, unaligned_bytes) {
    size_t length;
    uint8_t *data = bytes(&length), *shifted = ht_alloc(length + 1, 1);
    memcpy(shifted + 1, data, length);
    ht_predictor *aligned = NULL, *other = NULL;
    cr_assert_eq(ht_predictor_parse(data, length, "a", &aligned, NULL), HT_OK);
    cr_assert_eq(ht_predictor_parse(shifted + 1, length, "b", &other, NULL), HT_OK);
    same_answers(aligned, other);
    ht_predictor_free(aligned);
    ht_predictor_free(other);
    free(shifted);
    free(data);
}

Test(model_file, cut_off_anywhere) {
    size_t length;
    uint8_t *data = bytes(&length);
    for (size_t cut = 0; cut < length; cut += cut < 2000 ? 1 : 997)
        refused(data, cut, NULL);
    refused(data, length - 1, "bytes");
    refused(data, 0, "no model file");
    free(data);
}

Test(model_file, any_byte_changed) {
    size_t length;
    uint8_t *data = bytes(&length);
    for (size_t at = 0; at < length; at += at < 1000 ? 1 : 499) {
        data[at] ^= 0x10;
        refused(data, length, NULL);
        data[at] ^= 0x10;
    }
    data[length - 3] ^= 1;
    refused(data, length, "checksum");
    data[length - 3] ^= 1;
    ht_bytes_put32(data + 8, HT_MODEL_VERSION + 1);
    refused(data, length, "newer hiptemper");
    free(data);
}

/* A valid checksum over wrong contents: every entry of the table of sections, and a weight. */
Test(model_file, contents_checked_behind_the_checksum) {
    size_t length;
    uint8_t *data = bytes(&length);
    uint32_t sections = ht_bytes_get32(data + 12);
    cr_assert_eq(sections, 6);
    static const uint64_t wrong[] = {0, 1, 31, UINT64_MAX, UINT64_MAX - 7, 1ULL << 40};
    for (uint32_t s = 0; s < sections; ++s) {
        uint8_t *entry = data + HT_MODEL_HEADER + s * HT_MODEL_SECTION;
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; ++w) {
            for (size_t field = 8; field <= 16; field += 8) {
                bool empty_note = strcmp((char *)entry, "note") == 0 && wrong[w] <= 1;
                uint64_t kept = ht_bytes_get64(entry + field);
                if (empty_note || (field == 8 && strcmp((char *)entry, "note") == 0))
                    continue;
                ht_bytes_put64(entry + field, wrong[w]);
                ht_bytes_put64(data + 24, ht_model_checksum(data, length));
                ht_predictor *predictor = NULL;
                ht_error error = {0};
                ht_status status = ht_predictor_parse(data, length, "x.model", &predictor, &error);
                /* Weights elsewhere in the file are weights, if finite. */
                bool moved = field == 8 && strcmp((char *)entry, "weights") == 0 && wrong[w] < 32;
                cr_assert(status == HT_ERROR_INPUT || moved, "section %u", s);
                ht_predictor_free(predictor);
                ht_bytes_put64(entry + field, kept);
            }
        }
    }
    ht_bytes_put32(data + 12, UINT32_MAX);
    ht_bytes_put64(data + 24, ht_model_checksum(data, length));
    refused(data, length, "sections");
    ht_bytes_put32(data + 12, sections);
    ht_bytes_put32(data + length - 4, 0x7fc00000U);
    ht_bytes_put64(data + 24, ht_model_checksum(data, length));
    refused(data, length, "finite");
    free(data);
}

/* The trees' own length, and the packed bytes after it. */
Test(model_file, trees_checked_behind_the_checksum) {
    size_t length;
    uint8_t *data = bytes_with(7, &length);
    uint32_t sections = ht_bytes_get32(data + 12);
    cr_assert_eq(sections, 7);
    cr_assert_eq(ht_bytes_get32(data + 8), HT_MODEL_VERSION_TREES);
    const uint8_t *entry = data + HT_MODEL_HEADER + (sections - 1) * HT_MODEL_SECTION;
    cr_assert_str_eq((const char *)entry, "trees");
    uint8_t *trees = data + ht_bytes_get64(entry + 8);
    uint64_t real = ht_bytes_get64(trees);
    static const uint64_t wrong[] = {0, 1, 1ULL << 29, 1ULL << 31, UINT64_MAX};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; ++w) {
        ht_bytes_put64(trees, wrong[w]);
        ht_bytes_put64(data + 24, ht_model_checksum(data, length));
        refused(data, length, "trees");
    }
    ht_bytes_put64(trees, real - 1);
    ht_bytes_put64(data + 24, ht_model_checksum(data, length));
    refused(data, length, "trees");
    ht_bytes_put64(trees, real);
    trees[12] ^= 1;
    ht_bytes_put64(data + 24, ht_model_checksum(data, length));
    refused(data, length, "trees");
    free(data);
}

Test(model_file, folders) {
    ht_predictor *a = predictor_make("a", 1, 1, 0), *b = predictor_make("b", 1, 2, 0);
    ht_predictor *b_too = predictor_make("b", 2, 3, 0), *found = NULL;
    ht_error error = {0};
    free(save(a, "z.model"));
    free(save(b, "c.model"));
    free(save(b_too, "b.model"));
    cr_assert_eq(ht_predictor_find(folder, "a", &found, &error), HT_OK, "%s", error.message);
    cr_assert_str_eq(ht_predictor_schema(found)->kernel, "a");
    ht_predictor_free(found);
    cr_assert_eq(ht_predictor_find(folder, "b", &found, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_predictor_network_count(found), 2,
                 "the file with the kernel's name comes first");
    ht_predictor_free(found);
    cr_assert_eq(ht_predictor_find(folder, "c", &found, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "no model for kernel c") && strstr(error.message, "b"), "%s",
              error.message);
    cr_assert_eq(ht_predictor_find(folder, NULL, &found, &error), HT_ERROR_INPUT);
    char *path = ht_path_join(folder, "none.model");
    cr_assert_eq(ht_predictor_find(path, "a", &found, &error), HT_ERROR_INPUT);
    free(path);
    setenv("HIPTEMPER_MODELS", folder, 1);
    cr_assert_eq(ht_predictor_find("builtin", "a", &found, &error), HT_OK, "%s", error.message);
    ht_predictor_free(found);
    ht_predictor_free(a);
    ht_predictor_free(b);
    ht_predictor_free(b_too);
}

Test(model_file, no_file) {
    ht_predictor *predictor = NULL;
    ht_error error = {0};
    char *path = ht_path_join(folder, "empty.model");
    cr_assert_eq(ht_file_write(path, "", 0, NULL), HT_OK);
    cr_assert_eq(ht_predictor_open(path, &predictor, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "empty"), "%s", error.message);
    cr_assert_eq(ht_predictor_open(folder, &predictor, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "not a file"), "%s", error.message);
    free(path);
}
