/* Problem files: their content, and that each mistake is named with its place. */
#include "support.h"

#include "base/memory.h"
#include "templates/problem_file/problem_file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "{\"format\": \"hiptemper-problem\", \"version\": 1, "
#define ONE "\"instances\": [{\"name\": \"a\", \"fields\": {\"W\": 4}}]"

static ht_problem_file *parse(const char *text) {
    ht_problem_file *file;
    ht_error error;
    cr_assert_eq(ht_problem_file_parse(text, "p.json", &file, &error), HT_OK, "%s", error.message);
    return file;
}

static const char full[] = HEAD
    "\"kernels\": [{\"kernel\": \"ns::blur\", \"problem\": \"blur : W, H = 2, n := W * H\","
    "\"args\": [\"in : in float[problem.n]\", \"w : int = problem.W\", \"f : constant float[9]\","
    "          \"out : out float[w * problem.H]\"],"
    "\"host\": {\"OW\": \"problem.W - 2\", \"count\": 3},"
    "\"block\": [\"16\", 4], \"grid\": [\"ceil_div(problem.W, 16)\", \"w\"], \"lds\": \"64\","
    "\"template\": [\"float\", \"5\"],"
    "\"reference\": \"conv2d : in, f, out\", \"tolerance\": \"exact\","
    "\"instances\": [{\"name\": \"small\", \"fields\": {\"W\": 8}},"
    "                {\"fields\": {\"W\": 9, \"H\": 3}}]}]}";

Test(problem_file, holds_everything_it_says) {
    ht_problem_file *file = parse(full);
    cr_assert_eq(file->entry_count, 1);
    const ht_problem_entry *entry = &file->entries[0];
    int64_t value;
    cr_assert_str_eq(entry->kernel, "ns::blur");
    cr_assert(entry->arg_count == 4 && entry->host_count == 2 && entry->instance_count == 2);
    cr_assert_str_eq(entry->host[0].name, "OW");
    cr_assert(entry->block[1] && !entry->block[2] && entry->grid[1] && entry->lds);
    cr_assert_str_eq(entry->template_arguments[1], "5");
    cr_assert(entry->has_reference && entry->reference_argument_count == 3);
    cr_assert(entry->has_tolerance && entry->exact);
    cr_assert(ht_problem_get(&entry->instances[1], "n", &value) && value == 27);
    cr_assert_str_eq(entry->instances[0].name, "small");
    cr_assert_str_eq(entry->instances[1].name, "W=9 H=3");
    ht_problem_file_free(file);
}

Test(problem_file, entries_are_found_by_qualified_and_plain_names) {
    ht_problem_file *file = parse(full);
    const ht_problem_entry *entry = &file->entries[0];
    cr_assert_eq(ht_problem_file_entry(file, "ns::blur"), entry);
    cr_assert_eq(ht_problem_file_entry(file, "blur"), entry);
    cr_assert_eq(ht_problem_file_entry(file, "outer::ns::blur"), entry);
    cr_assert_null(ht_problem_file_entry(file, "lur"));
    cr_assert_null(ht_problem_file_entry(file, "other::blur"));
    cr_assert_null(ht_problem_file_entry(file, ""));
    ht_problem_file_free(file);
}

Test(problem_file, an_entry_makes_a_template_that_binds) {
    ht_problem_file *file = parse(full);
    const ht_problem_entry *entry = &file->entries[0];
    ht_template *template = ht_alloc(1, sizeof *template);
    ht_error error;
    template->name = ht_strdup("blur");
    template->file = ht_strdup("blur.hip");
    template->unit = ht_strdup("");
    ht_problem_entry_apply(entry, template);
    template->launches = ht_alloc(1, sizeof *template->launches);
    template->launch_count = 1;
    cr_assert(ht_problem_entry_launch(entry, template->launches));
    cr_assert_eq(ht_template_check(template, &error), HT_OK, "%s", error.message);
    ht_problem_file_free(file); /* the template keeps copies */
    ht_problem problem;
    cr_assert_eq(ht_problem_parse(&template->problem, "W=40", &problem, NULL), HT_OK);
    ht_binding binding = {template, &problem, &test_device};
    ht_config config = ht_config_default(template);
    ht_geometry geometry;
    cr_assert_eq(ht_binding_geometry(&binding, &config, template->launches, &geometry, &error),
                 HT_OK);
    cr_assert(geometry.block[0] == 16 && geometry.grid[0] == 3 && geometry.grid[1] == 40 &&
              geometry.lds == 64);
    char *name = ht_binding_name_expression(&binding, &config, template->launches);
    cr_assert_str_eq(name, "ns::blur<float, 5>");
    free(name);
    ht_problem_free(&problem);
    ht_template_free(template, 1);
}

Test(problem_file, a_catalogue_is_one_entry_without_a_kernel) {
    ht_problem_file *file = parse(HEAD "\"description\": \"d\", \"problem\": \"p : W\", " ONE "}");
    cr_assert_eq(file->entry_count, 1);
    cr_assert_null(file->entries[0].kernel);
    cr_assert_null(ht_problem_file_entry(file, "p"));
    ht_problem_file_free(file);
}

#define KERNEL(members)                                                                            \
    HEAD "\"kernels\": [{\"kernel\": \"k\", \"problem\": \"p : W\", " members ", " ONE "}]}"

typedef struct wrong {
    const char *text;
    const char *path;  /* the message's begin */
    const char *words; /* and its words */
} wrong;

static const wrong cases[] = {
    {"", "malformed JSON", ""},
    {"{", "malformed JSON", ""},
    {"[]", "top level", "expected an object"},
    {"{} x", "malformed JSON", ""},
    {"{\"format\": 1, \"format\": 1}", "malformed JSON", "duplicate"},
    {"{}", "top level", "\"format\": \"hiptemper-problem\""},
    {"{\"format\": \"hiptemper-problem\", \"version\": 2}", "top level", "\"version\": 1"},
    {HEAD "\"problem\": \"p : W\"}", "top level", "\"instances\" is missing"},
    {HEAD ONE "}", "top level", "\"problem\" is missing"},
    {HEAD "\"problem\": \"p : W\", \"x\": 1, " ONE "}", "top level", "unknown key \"x\""},
    {HEAD "\"problem\": 3, " ONE "}", "problem", "expected a string"},
    {HEAD "\"problem\": \"p : ?\", " ONE "}", "problem", "fill in"},
    {HEAD "\"problem\": \"nothing\", " ONE "}", "problem, character 1", "no built-in"},
    {HEAD "\"kernels\": []}", "kernels", "at least one kernel"},
    {HEAD "\"kernels\": {}}", "kernels", "expected a list"},
    {HEAD "\"kernels\": [3]}", "kernels[0]", "expected an object"},
    {HEAD "\"kernels\": [{\"problem\": \"p : W\", " ONE "}]}", "kernels[0]",
     "\"kernel\" is missing"},
    {HEAD "\"kernels\": [{\"kernel\": \"k<3>\", \"problem\": \"p : W\", " ONE "}]}",
     "kernels[0].kernel", "name alone"},
    {HEAD "\"kernels\": [{\"kernel\": \"\", \"problem\": \"p : W\", " ONE "}]}",
     "kernels[0].kernel, character 1", "expected a kernel's name"},
    {HEAD "\"kernels\": [{\"kernel\": \"k\", \"problem\": \"p : W\", " ONE
          "}, {\"kernel\": \"k\", \"problem\": \"p : W\", " ONE "}]}",
     "kernels[1]", "two entries"},
    {KERNEL("\"arg\": []"), "kernels[0]", "unknown key \"arg\""},
    {KERNEL("\"args\": {}"), "kernels[0].args", "expected a list"},
    {KERNEL("\"args\": [\"a : in float[4]\", 5]"), "kernels[0].args[1]", "expected a string"},
    {KERNEL("\"args\": [\"a : in float[?]\"]"), "kernels[0].args[0]", "fill in the '?'"},
    {KERNEL("\"args\": [\"a : in float[4]\", \"b : int = ?\"]"), "kernels[0].args[1]", "fill in"},
    {KERNEL("\"args\": [\"a : ? float[4]\"]"), "kernels[0].args[0]", "fill in"},
    {KERNEL("\"args\": [\"a : in float[problem.Q]\"]"), "kernels[0].args[0], character 14",
     "unknown name 'problem.Q'"},
    {KERNEL("\"args\": [\"a : in float[\"]"), "kernels[0].args[0], character 13", "nothing closes"},
    {KERNEL("\"args\": [\"a : in thing[4]\"]"), "kernels[0].args[0]", "'thing' is not known"},
    {KERNEL("\"args\": [\"a : int = b\", \"b : int = 1\"]"), "kernels[0].args[0], character 11",
     "unknown name 'b'"},
    {KERNEL("\"args\": [\"a : int = 1\", \"a : int = 1\"]"), "kernels[0].args, character 1",
     "the name of the arg"},
    {KERNEL("\"host\": []"), "kernels[0].host", "expected an object"},
    {KERNEL("\"host\": {\"x\": \"problem.\"}"), "kernels[0].host.x, character 8", "unexpected"},
    {KERNEL("\"host\": {\"x\": \"y\"}"), "kernels[0].host.x, character 1", "unknown name 'y'"},
    {KERNEL("\"host\": {\"x\": null}"), "kernels[0].host.x", "expected an expression"},
    {KERNEL("\"block\": []"), "kernels[0].block", "1 to 3"},
    {KERNEL("\"block\": [1, 2, 3, 4]"), "kernels[0].block", "1 to 3"},
    {KERNEL("\"block\": \"16\""), "kernels[0].block", "1 to 3"},
    {KERNEL("\"block\": [1]"), "kernels[0]", "together"},
    {KERNEL("\"block\": [1], \"grid\": [\"x\"]"), "kernels[0].grid[0], character 1",
     "unknown name 'x'"},
    {KERNEL("\"lds\": 1.5"), "kernels[0].lds", "expected an expression"},
    {KERNEL("\"template\": \"float\""), "kernels[0].template", "expected a list"},
    {KERNEL("\"template\": [5]"), "kernels[0].template[0]", "expected a string"},
    {KERNEL("\"template\": [\"\"]"), "kernels[0].template[0], character 1",
     "expected a template argument"},
    {KERNEL("\"reference\": \"naive\""), "kernels[0].reference", "no built-in reference"},
    {KERNEL("\"reference\": \"conv2d : x\""), "kernels[0].reference", "not one of the arguments"},
    {KERNEL("\"tolerance\": 0"), "kernels[0].tolerance", "positive"},
    {KERNEL("\"tolerance\": \"-1\""), "kernels[0].tolerance, character 1", "positive"},
    {KERNEL("\"tolerance\": true"), "kernels[0].tolerance", "expected a string"},
    {HEAD "\"problem\": \"p : W\", \"instances\": []}", "instances", "at least one instance"},
    {HEAD "\"problem\": \"p : W\", \"instances\": [{}]}", "instances[0]", "\"fields\" is missing"},
    {HEAD "\"problem\": \"p : W\", \"instances\": [{\"fields\": {\"W\": 1.0}}]}",
     "instances[0].fields.W", "expected an integer"},
    {HEAD "\"problem\": \"p : W\", \"instances\": [{\"fields\": {\"W\": \"?\"}}]}",
     "instances[0].fields.W", "fill in"},
    {HEAD "\"problem\": \"p : W\", \"instances\": [{\"fields\": {}}]}", "instances[0].fields",
     "field W of p is missing"},
    {HEAD "\"problem\": \"p : W\", \"instances\": [{\"fields\": {\"W\": 1, \"H\": 1}}]}",
     "instances[0].fields", "unknown problem field 'H'"},
    {HEAD "\"problem\": \"p : W\", \"instances\": [{\"name\": \"a\", \"fields\": {\"W\": 1}}, "
          "{\"name\": \"a\", \"fields\": {\"W\": 2}}]}",
     "instances[1].name", "two instances"},
    {HEAD "\"problem\": \"p : W\", \"instances\": [{\"name\": 1, \"fields\": {\"W\": 1}}]}",
     "instances[0].name", "expected a string"},
};

Test(problem_file, mistakes_are_named_with_their_place) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_problem_file *file;
        ht_error error = {0};
        cr_assert_eq(ht_problem_file_parse(cases[i].text, "p.json", &file, &error), HT_ERROR_INPUT,
                     "taken: %s", cases[i].text);
        size_t length = strlen(cases[i].path);
        cr_expect(!strncmp(error.message, cases[i].path, length) && error.message[length] == ':',
                  "%s\n'%s' is not at '%s'", cases[i].text, error.message, cases[i].path);
        cr_expect(strstr(error.message, cases[i].words) != NULL, "%s\n%s", cases[i].text,
                  error.message);
        cr_expect_str_eq(error.file, "p.json");
    }
}

Test(problem_file, malformed_json_has_a_line) {
    ht_problem_file *file;
    ht_error error;
    cr_assert_eq(ht_problem_file_parse("{\n\"format\":\n x}", "p.json", &file, &error),
                 HT_ERROR_INPUT);
    cr_assert_eq(error.line, 3);
}

Test(problem_file, deep_nesting_is_an_error) {
    ht_text text = {0};
    ht_problem_file *file;
    ht_error error;
    ht_text_append(&text, "{\"format\": ");
    for (int i = 0; i < 100000; ++i)
        ht_text_append(&text, "[");
    cr_assert_eq(ht_problem_file_parse(text.data, "p.json", &file, &error), HT_ERROR_INPUT);
    ht_text_free(&text);
}

Test(problem_file, a_conditional_is_no_blank_to_fill_in) {
    ht_problem_file *file =
        parse(KERNEL("\"args\": [\"a : in float[problem.W > 2 ? 4 : (problem.W) ? 1 : 2]\"]"));
    ht_problem_file_free(file);
}

Test(problem_file, a_file_that_is_not_there) {
    ht_problem_file *file;
    ht_error error;
    cr_assert_eq(ht_problem_file_load("/no/such/file.json", &file, &error), HT_ERROR_IO);
}
