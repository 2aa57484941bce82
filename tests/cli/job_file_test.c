/* Job files: what is read, which mistakes are found, and that the schema says the same. */
#include "pipeline/nightly/job_file.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char smallest[] =
    "{\"sources\": [\"tree\"], \"devices\": [\"host\"], \"budget\": {\"seconds\": 120},\n"
    " \"database\": \"n.sqlite\", \"out\": \"out\"}";

Test(job_file, the_smallest_job_has_paths_relative_to_its_file_and_the_defaults_of_optimize) {
    ht_job_file job;
    ht_error error = {0};
    cr_assert_eq(ht_job_file_parse(smallest, "jobs/n.json", &job, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(job.sources.count, 1);
    cr_expect_str_eq(job.sources.items[0], "jobs/tree");
    cr_assert_eq(job.devices.count, 1);
    cr_expect_str_eq(job.devices.items[0], "host");
    cr_expect_str_eq(job.database, "jobs/n.sqlite");
    cr_expect_str_eq(job.out, "jobs/out");
    cr_expect_float_eq(job.budget.seconds, 120, 1e-9);
    cr_expect_eq(job.budget.evaluations, 60);
    cr_expect_str_eq(job.check, "finals");
    cr_expect_null(job.problems);
    ht_job_file_free(&job);
    cr_assert_eq(ht_job_file_parse(smallest, "n.json", &job, &error), HT_OK);
    cr_expect_str_eq(job.sources.items[0], "tree");
    ht_job_file_free(&job);
}

Test(job_file, a_program_has_files_and_folders_of_the_job_and_the_defaults_of_optimize) {
    ht_job_file job;
    ht_error error = {0};
    cr_assert_eq(ht_job_file_parse("{\"sources\": [{\"program\": \"app/main.hip\", \"arguments\": "
                                   "[\"512\", \"3\"], \"read\": \"data\"}, \"tree\", {\"program\": "
                                   "[\"a.hip\", \"b.hip\"], \"share\": 50}], \"budget\": "
                                   "{\"seconds\": 1}, \"database\": \"d\", \"out\": \"o\"}",
                                   "jobs/n.json", &job, &error),
                 HT_OK, "%s", error.message);
    cr_assert_eq(job.program_count, 2);
    cr_assert_eq(job.sources.count, 1);
    cr_expect_str_eq(job.sources.items[0], "jobs/tree");
    cr_expect_str_eq(job.programs[0].files.items[0], "jobs/app/main.hip");
    cr_expect_str_eq(job.programs[0].read, "jobs/data");
    cr_assert_eq(job.programs[0].arguments.count, 2);
    cr_expect_str_eq(job.programs[0].arguments.items[1], "3");
    cr_expect_float_eq(job.programs[0].share, 95, 1e-9);
    cr_expect_eq(job.programs[0].inputs, 16);
    cr_assert_eq(job.programs[1].files.count, 2);
    cr_expect_str_eq(job.programs[1].files.items[1], "jobs/b.hip");
    cr_expect_float_eq(job.programs[1].share, 50, 1e-9);
    ht_job_file_free(&job);
}

static void expect_mistake(const char *text, int line, int column, const char *words) {
    ht_job_file job;
    ht_error error = {0};
    cr_assert_eq(ht_job_file_parse(text, "n.json", &job, &error), HT_ERROR_INPUT, "%s", text);
    cr_expect_str_eq(error.file, "n.json");
    cr_expect_eq(error.line, line, "line %d of %s: %s", error.line, text, error.message);
    if (column)
        cr_expect_eq(error.column, column, "column %d of %s: %s", error.column, text,
                     error.message);
    cr_expect(strstr(error.message, words), "'%s' is not in: %s", words, error.message);
    ht_job_file_free(&job);
}

#define TAIL "\"budget\": {\"seconds\": 1}, \"database\": \"d\", \"out\": \"o\"}"
Test(job_file, each_mistake_is_reported_with_its_place_and_a_remedy) {
    expect_mistake("{\n\"bugdet\": {}}", 2, 1, "did you mean \"budget\"");
    expect_mistake("{\"seconds\": 3}", 1, 2, "belongs into budget");
    expect_mistake("{\"budget\": {\n  \"sources\": []}}", 2, 3, "belongs to the job itself");
    expect_mistake("{\"sources\": [\"a\",\n 3]," TAIL, 2, 2, "sources[1]: expected a string");
    expect_mistake("{\"sources\": \"a\"," TAIL, 1, 2, "expected a list of strings");
    expect_mistake("{\"sources\": [{}]," TAIL, 1, 14, "sources[0]: \"program\" is missing");
    expect_mistake("{\"sources\": [\"a\", {\"program\": 3}]," TAIL, 1, 20,
                   "sources[1].program: expected a file \"main.hip\", or a list");
    expect_mistake("{\"sources\": [{\"program\": []}]," TAIL, 1, 15, "name at least one");
    expect_mistake("{\"sources\": [{\"program\": \"a\",\n  \"argumnets\": []}]," TAIL, 2, 3,
                   "did you mean \"arguments\"");
    expect_mistake("{\"sources\": [{\"program\": \"a\",\n  \"arguments\": [512]}]," TAIL, 2, 17,
                   "sources[0].arguments[0]: expected a string");
    expect_mistake("{\"sources\": [{\"program\": \"a\",\n  \"share\": 101}]," TAIL, 2, 3,
                   "at most 100");
    expect_mistake("{\"sources\": [{\"program\": \"a\",\n  \"budget\": {}}]," TAIL, 2, 3,
                   "belongs to the job itself");
    expect_mistake("{\"arguments\": [\"512\"]," TAIL, 1, 2, "belongs to a program in \"sources\"");
    expect_mistake("{\"sources\": []," TAIL, 1, 2, "name at least one");
    expect_mistake("{\"sources\": [\"\"]," TAIL, 1, 14, "is empty");
    expect_mistake("{\"sources\": [\"a\"], \"devices\": []," TAIL, 1, 0, "name at least one");
    expect_mistake("{\n\n \"budget\": {\"seconds\": \"120\"}}", 3, 0,
                   "expected a number without quotes, found \"120\"");
    expect_mistake("{\"budget\": {\"seconds\": 0}}", 1, 13, "must be above 0");
    expect_mistake("{\"budget\": {\"seconds\": 1, \"evaluations\": 1.5}}", 1, 0,
                   "expected a whole number");
    expect_mistake("{\"budget\": 120}", 1, 2, "an object such as");
    expect_mistake("{\"budget\": {}}", 1, 2, "\"seconds\" is missing");
    expect_mistake("{" TAIL, 1, 1, "\"sources\" is missing; `hiptemper run --init`");
    expect_mistake("{\"strategy\": \"bayse\"}", 1, 2, "did you mean \"bayes\"");
    expect_mistake("{\"check\": \"never\"}", 1, 2, "there are: none, finals, all");
    expect_mistake("{\"not_run_exit\": 126}", 1, 2, "at most 125");
    expect_mistake("{\"format\": \"hiptemper-tune\"}", 1, 2, "expected \"hiptemper-job\"");
    expect_mistake("{\"a.b\": 1}", 1, 0, "unknown key");
    expect_mistake("[]", 1, 1, "expected an object");
    expect_mistake("{\"out\": \"a\",\n \"out\": \"b\"}", 2, 0, "malformed JSON");
    expect_mistake("{\"out\": \"a\" \"b\"}", 1, 0, "malformed JSON");
}

Test(job_file, the_example_of_init_is_a_job) {
    ht_job_file job;
    ht_error error = {0};
    ht_status status = ht_job_file_parse(ht_job_file_example(), "n.json", &job, &error);
    cr_expect_eq(status, HT_OK, "%d: %s", error.line, error.message);
    ht_job_file_free(&job);
}

/* ---- the schema: as much of JSON Schema as it uses */

static bool is_type(const char *type, const json_t *value) {
    return strcmp(type, "object") == 0    ? json_is_object(value)
           : strcmp(type, "array") == 0   ? json_is_array(value)
           : strcmp(type, "string") == 0  ? json_is_string(value)
           : strcmp(type, "integer") == 0 ? json_is_integer(value)
                                          : json_is_number(value);
}

static bool is_within(const json_t *schema, const json_t *value) {
    const json_t *min = json_object_get(schema, "minimum"),
                 *max = json_object_get(schema, "maximum"),
                 *above = json_object_get(schema, "exclusiveMinimum");
    double number = json_number_value(value);
    return (!min || number >= json_number_value(min)) &&
           (!max || number <= json_number_value(max)) &&
           (!above || number > json_number_value(above));
}

static bool validates(const json_t *schema, const json_t *value);

static bool members_validate(const json_t *schema, const json_t *value) {
    const char *key;
    json_t *member;
    size_t index;
    json_object_foreach((json_t *)value, key, member) {
        const json_t *own = json_object_get(json_object_get(schema, "properties"), key);
        if (strncmp(key, "//", 2) != 0 && (!own || !validates(own, member)))
            return false;
    }
    json_array_foreach(json_object_get(schema, "required"), index,
                       member) if (!json_object_get(value, json_string_value(member))) return false;
    return true;
}

static bool validates(const json_t *schema, const json_t *value) {
    const json_t *type = json_object_get(schema, "type"), *only = json_object_get(schema, "const");
    const json_t *words = json_object_get(schema, "enum");
    const json_t *ways = json_object_get(schema, "anyOf");
    size_t index;
    json_t *item;
    bool one = ways == NULL;
    json_array_foreach(ways, index, item) one = one || validates(item, value);
    if (!one)
        return false;
    bool found = words == NULL;
    json_array_foreach(words, index, item) found = found || json_equal(item, value);
    if (!found || (only && !json_equal(only, value)) ||
        (type && !is_type(json_string_value(type), value)))
        return false;
    if (json_is_number(value) && !is_within(schema, value))
        return false;
    const json_t *least = json_object_get(schema, json_is_string(value) ? "minLength" : "minItems");
    size_t length = json_is_string(value) ? json_string_length(value) : json_array_size(value);
    if ((json_is_string(value) || json_is_array(value)) && least &&
        length < (size_t)json_integer_value(least))
        return false;
    const json_t *items = json_object_get(schema, "items");
    json_array_foreach(value, index, item) if (items && !validates(items, item)) return false;
    return !json_is_object(value) || ways || members_validate(schema, value);
}

static json_t *schema_load(void) {
    json_error_t at;
    json_t *schema = json_load_file(HT_SOURCE_DIR "/docs/job.schema.json", 0, &at);
    cr_assert(schema, "line %d: %s", at.line, at.text);
    return schema;
}

static size_t agreements;

static void expect_agreement(const json_t *schema, const json_t *document) {
    char *text = json_dumps(document, 0);
    ht_job_file job;
    ht_error error = {0};
    bool good = ht_job_file_parse(text, "n.json", &job, &error) == HT_OK;
    cr_expect_eq(good, validates(schema, document), "the parser %s, the schema does not: %s\n%s",
                 good ? "takes it" : "refuses it", text, error.message);
    ++agreements;
    ht_job_file_free(&job);
    free(text);
}

/* Puts many values at a key of an object of the document, one after the other. */
static void key_try(const json_t *schema, const json_t *document, const char *inside,
                    const char *key, const json_t *own) {
    static const char *const values[] = {"null",
                                         "true",
                                         "0",
                                         "1",
                                         "-1",
                                         "0.5",
                                         "1.0",
                                         "60",
                                         "125",
                                         "126",
                                         "3600",
                                         "3600.5",
                                         "100000",
                                         "100001",
                                         "30000000",
                                         "30000001",
                                         "1e9",
                                         "1000000000",
                                         "1000000001",
                                         "1000000000000000",
                                         "1000000000000001",
                                         "\"\"",
                                         "\"a\"",
                                         "\"host\"",
                                         "\"bayes\"",
                                         "\"auto\"",
                                         "\"best\"",
                                         "\"any\"",
                                         "\"cold\"",
                                         "\"all\"",
                                         "\"hiptemper-job\"",
                                         "[]",
                                         "[\"\"]",
                                         "[\"a\"]",
                                         "[\"a\", 1]",
                                         "[\"a\", \"b\"]",
                                         "{}",
                                         "{\"seconds\": 1}",
                                         "{\"seconds\": 0}",
                                         "{\"seconds\": 1, \"//\": 2}",
                                         "{\"seconds\": 1, \"x\": 2}",
                                         "[{}]",
                                         "[{\"program\": \"a\"}]",
                                         "[\"b\", {\"program\": [\"a\"], \"//\": 1}]",
                                         "[{\"program\": \"a\", \"x\": 1}]"};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        json_t *copy = json_deep_copy(document);
        json_t *object = !inside ? copy
                         : strcmp(inside, "sources") == 0
                             ? json_array_get(json_object_get(copy, inside), 0)
                             : json_object_get(copy, inside);
        json_object_set_new(object, key, json_loads(values[i], JSON_DECODE_ANY, NULL));
        expect_agreement(schema, copy);
        json_decref(copy);
    }
    size_t index;
    json_t *word;
    json_array_foreach(json_object_get(own, "enum"), index, word) {
        json_t *copy = json_deep_copy(document);
        json_object_set(copy, key, word);
        expect_agreement(schema, copy);
        json_decref(copy);
    }
}

Test(job_file, the_schema_takes_and_refuses_what_the_parser_does) {
    json_t *schema = schema_load(), *document = json_loads(smallest, 0, NULL);
    json_t *program = json_deep_copy(document);
    json_object_set_new(program, "sources", json_pack("[{s:s}]", "program", "main.hip"));
    expect_agreement(schema, program);
    const json_t *properties = json_object_get(schema, "properties");
    const char *key;
    json_t *own;
    expect_agreement(schema, document);
    json_object_foreach((json_t *)properties, key, own) {
        key_try(schema, document, NULL, key, own);
        const char *inner;
        json_t *member;
        json_object_foreach(json_object_get(own, "properties"), inner, member)
            key_try(schema, document, key, inner, member);
        json_t *whole = json_array_get(json_object_get(json_object_get(own, "items"), "anyOf"), 1);
        json_object_foreach(json_object_get(whole, "properties"), inner, member)
            key_try(schema, program, key, inner, member);
        json_t *without = json_deep_copy(document);
        json_object_del(without, key);
        expect_agreement(schema, without);
        json_decref(without);
    }
    key_try(schema, document, NULL, "// note", NULL);
    key_try(schema, document, NULL, "unknown", NULL);
    key_try(schema, document, "budget", "unknown", NULL);
    key_try(schema, program, "sources", "unknown", NULL);
    cr_expect_gt(agreements, 1300);
    json_decref(program);
    json_decref(document);
    json_decref(schema);
}
