/* Data sets: tables read plain or packed, schemas from headers, groups and folds. */
#include "predictor/data/dataset.h"
#include "predictor/data/tsv.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define DATA HT_SOURCE_DIR "/tests/predictor/data/"

static const char *const small = "kernel(K) field(n, m = n * 2) field(dir : F, B) field(cu)\n"
                                 "device(cu) ignore(src) param(a : 1, 2, 4) param(o : ROWS, COLS)";

static ht_schema *parse(const char *text) {
    ht_schema *schema = NULL;
    ht_error error;
    cr_assert_eq(ht_schema_parse(text, "k.schema", &schema, &error), HT_OK, "%s", error.message);
    return schema;
}

static ht_status read_text(const ht_schema *schema, const char *text, ht_dataset *out,
                           ht_error *error) {
    return ht_dataset_parse(schema, text, strlen(text), "k.tsv", out, error);
}

Test(dataset, reads_by_the_header) {
    ht_schema *schema = parse(small);
    ht_dataset data;
    ht_error error;
    cr_assert_eq(read_text(schema,
                           "o\tsrc\tdir\tn\ta\tcu\r\nCOLS\tx y\tB\t5\t4\t60\r\n\r\n"
                           "ROWS\t\tF\t-3\t1\t64\nROWS\t\tF\t7\t3\t64",
                           &data, &error),
                 HT_OK, "%s", error.message);
    cr_assert_eq(data.count, 2);
    cr_assert_eq(data.skipped, 1, "3 is no value of a");
    const int64_t fields[] = {5, 10, 1, 60, -3, -6, 0, 64};
    const uint16_t targets[] = {2, 1, 0, 0};
    cr_assert_arr_eq(data.fields, fields, sizeof fields);
    cr_assert_arr_eq(data.targets, targets, sizeof targets);
    cr_assert_null(data.weights);
    ht_dataset_free(&data);
    ht_schema_free(schema);
}

Test(dataset, errors_have_places) {
    static const struct {
        const char *text;
        int line, column;
        const char *words;
    } cases[] = {
        {"", 1, 0, "must name the columns"},
        {"n\t\ta", 1, 0, "column 2 of the header has no name"},
        {"n\tn", 1, 0, "twice"},
        {"n\tdir\tcu\ta", 1, 0, "no column o, a parameter"},
        {"dir\tcu\ta\to", 1, 0, "no column n, a field"},
        {"n\tdir\tcu\ta\to\tp", 1, 0, "column p is no field or parameter"},
        {"n\tdir\tcu\ta\to\n1\tF\t1\t1", 2, 0, "4 cells"},
        {"n\tdir\tcu\ta\to\n1\tF\t1\t1\tROWS\t", 2, 0, "6 cells"},
        {"n\tdir\tcu\ta\to\n\n1\tG\t1\t1\tROWS", 3, 3, "column dir: field dir has no value 'G'"},
        {"n\tdir\tcu\ta\to\n1.5\tF\t1\t1\tROWS", 2, 1, "field n is an integer"},
    };
    ht_schema *schema = parse(small);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_dataset data;
        ht_error error = {0};
        cr_assert_eq(read_text(schema, cases[i].text, &data, &error), HT_ERROR_INPUT, "%s",
                     cases[i].text);
        cr_expect(error.line == cases[i].line && error.column == cases[i].column &&
                      strstr(error.message, cases[i].words) && !strcmp(error.file, "k.tsv"),
                  "%s\n-> %s:%d:%d: %s", cases[i].text, error.file, error.line, error.column,
                  error.message);
    }
    ht_schema_free(schema);
}

/* Packs random records, written and read back: plain, packed, and packed in two members. */
static size_t pack(const void *data, size_t length, unsigned char *out, size_t room) {
    z_stream stream = {.next_in = (z_const Bytef *)data,
                       .avail_in = (uInt)length,
                       .next_out = out,
                       .avail_out = (uInt)room};
    cr_assert_eq(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return room - stream.avail_out;
}

Test(dataset, packed_files_read_like_plain_ones) {
    enum { RECORDS = 20000 };
    ht_schema *schema = parse(small);
    ht_random random;
    ht_random_seed(&random, 5);
    ht_text text = {0};
    ht_text_append(&text, "n\tdir\tcu\ta\to\n");
    for (int i = 0; i < RECORDS; ++i)
        ht_text_printf(&text, "%d\t%s\t%d\t%d\tCOLS\n", (int)ht_random_below(&random, 1000000),
                       ht_random_below(&random, 2) ? "F" : "B", (int)ht_random_below(&random, 100),
                       1 << ht_random_below(&random, 3));
    ht_dataset plain, packed;
    ht_error error;
    cr_assert_eq(ht_dataset_parse(schema, text.data, text.length, "p", &plain, &error), HT_OK);
    cr_assert_eq(plain.count, RECORDS);
    unsigned char *bytes = ht_alloc(2 * text.length, 1);
    for (int members = 1; members <= 2; ++members) {
        size_t half = members == 2 ? text.length / 3 : 0;
        size_t length = half ? pack(text.data, half, bytes, text.length) : 0;
        length += pack(text.data + half, text.length - half, bytes + length, text.length);
        cr_assert_eq(ht_dataset_parse(schema, bytes, length, "z", &packed, &error), HT_OK, "%s",
                     error.message);
        cr_assert_eq(packed.count, RECORDS);
        cr_assert_arr_eq(packed.fields, plain.fields, RECORDS * 4 * sizeof(int64_t));
        cr_assert_arr_eq(packed.targets, plain.targets, RECORDS * 2 * sizeof(uint16_t));
        ht_dataset_free(&packed);
        cr_assert_eq(ht_dataset_parse(schema, bytes, length - 9, "z", &packed, &error),
                     HT_ERROR_INPUT);
        cr_assert(strstr(error.message, "cut short"), "%s", error.message);
    }
    free(bytes);
    ht_text_free(&text);
    ht_dataset_free(&plain);
    ht_schema_free(schema);
}

Test(dataset, groups_are_problems_whatever_the_machine) {
    ht_schema *schema = parse(small);
    ht_dataset data;
    ht_error error;
    cr_assert_eq(read_text(schema,
                           "n\tdir\tcu\ta\to\n5\tF\t60\t1\tROWS\n5\tF\t64\t2\tROWS\n"
                           "5\tB\t60\t1\tROWS\n6\tF\t60\t1\tROWS\n",
                           &data, &error),
                 HT_OK);
    const uint64_t *groups = data.groups;
    cr_assert(groups[0] == groups[1] && groups[0] != groups[2] && groups[0] != groups[3]);
    cr_assert_eq(ht_dataset_regroup(&data, "dir", &error), HT_OK);
    cr_assert(groups[0] == groups[1] && groups[0] == groups[2] && groups[0] != groups[3]);
    cr_assert_eq(ht_dataset_regroup(&data, "direction", &error), HT_ERROR_INPUT);
    ht_dataset_free(&data);
    ht_schema_free(schema);
}

Test(dataset, folds_are_even_and_depend_on_the_seed) {
    enum { GROUPS = 20000, FOLDS = 5 };
    size_t counts[FOLDS] = {0}, same = 0;
    for (uint64_t g = 0; g < GROUPS; ++g) {
        uint32_t fold = ht_group_fold(g * 7919, FOLDS, 1);
        cr_assert_lt(fold, FOLDS);
        ++counts[fold];
        same += fold == ht_group_fold(g * 7919, FOLDS, 2);
    }
    for (size_t f = 0; f < FOLDS; ++f)
        cr_assert(counts[f] > 3700 && counts[f] < 4300, "%zu", counts[f]);
    cr_assert(same > 3700 && same < 4300, "%zu", same);
}

Test(dataset, records_can_be_added_with_weights) {
    ht_schema *schema = parse(small);
    ht_dataset data = {.schema = schema};
    for (int i = 0; i < 300; ++i) {
        int64_t fields[] = {i, i, i % 2, 60};
        uint16_t targets[] = {(uint16_t)(i % 3), (uint16_t)(i % 2)};
        ht_dataset_append(&data, fields, targets, i < 100 ? 1 : 0.5F);
    }
    cr_assert_eq(data.count, 300);
    for (int i = 0; i < 300; ++i) {
        cr_assert_eq(data.fields[4 * i], i);
        cr_assert_eq(data.targets[2 * i], i % 3);
        cr_assert_eq(data.weights[i], i < 100 ? 1 : 0.5F);
    }
    ht_dataset_free(&data);
    cr_assert_eq(data.count, 0);
    ht_schema_free(schema);
}

Test(dataset, a_header_makes_a_schema) {
    const char *path = DATA "ConvOclDirectFwd.tsv.gz";
    ht_schema *schema;
    ht_dataset data;
    ht_error error;
    cr_assert_eq(ht_schema_from_tsv(&path, 1, NULL, &schema, &error), HT_OK, "%s", error.message);
    cr_assert_str_eq(schema->kernel, "ConvOclDirectFwd");
    cr_assert_eq(schema->param_count, 9);
    cr_assert_str_eq(schema->params[0].name, "grp_tile1");
    int direction = ht_schema_field_index(schema, "direction");
    cr_assert_geq(direction, 0);
    cr_assert_eq(schema->fields[direction].name_count, 2);
    cr_assert(schema->fields[ht_schema_field_index(schema, "cu")].device);
    cr_assert_eq(ht_dataset_read(schema, &path, 1, &data, &error), HT_OK, "%s", error.message);
    cr_assert_eq(data.count, 28);
    cr_assert_eq(data.skipped, 0);
    ht_dataset_free(&data);
    ht_schema_free(schema);
    cr_assert_eq(ht_schema_from_tsv(&path, 1, "n_stacks,in_tile0", &schema, &error), HT_OK);
    cr_assert_eq(schema->param_count, 2);
    cr_assert_str_eq(schema->params[0].name, "in_tile0");
    ht_schema_free(schema);
    cr_assert_eq(ht_schema_from_tsv(&path, 1, "n_stack", &schema, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "n_stack"));
}

Test(dataset, carried_schemas_read_real_records) {
    const char *const paths[] = {DATA "ConvAsm1x1U.tsv", DATA "ConvOclDirectFwd.tsv.gz"};
    for (int i = 0; i < 2; ++i) {
        char *kernel = ht_dataset_kernel(paths[i]);
        ht_schema *schema = parse(ht_schema_builtin_text(kernel));
        ht_dataset data;
        ht_error error;
        cr_assert_eq(ht_dataset_read(schema, &paths[i], 1, &data, &error), HT_OK, "%s",
                     error.message);
        cr_assert(data.count >= 28 && !data.skipped);
        ht_dataset_free(&data);
        ht_schema_free(schema);
        free(kernel);
    }
}

Test(dataset, files_that_cannot_be_read_are_named) {
    const char *path = "/nonexistent/K.tsv";
    ht_schema *schema = parse(small);
    ht_dataset data;
    ht_error error;
    cr_assert_eq(ht_dataset_read(schema, &path, 1, &data, &error), HT_ERROR_IO);
    cr_assert_str_eq(error.file, path);
    ht_schema_free(schema);
}
