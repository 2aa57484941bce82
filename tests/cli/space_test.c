/* hiptemper space, as a user runs it. */
#include "program.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

TestSuite(space_command, .init = workplace_make, .fini = workplace_remove);

static const char pairs[] = "{\"ConfigurationSpace\": {\"TuningParameters\": ["
                            "{\"Name\": \"a\", \"Values\": \"[1, 2, 4]\", \"Default\": 2},"
                            "{\"Name\": \"s\", \"Values\": \"['x', 'y z']\"}],"
                            "\"Conditions\": [{\"Expression\": \"a < 4 or s == 'x'\"}]}}";

static const char template_text[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(k)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 64, 128, 256, 512 = 128)\n"
    "#pragma tune param(ITEMS : 1..3 = 1)\n"
    "#pragma tune require(BLOCK * ITEMS <= 1024)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK * ITEMS))\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "template <int BLOCK, int ITEMS> __global__ void k(float *out) { out[threadIdx.x] = ITEMS; }\n";

static void expect(const char *words, int code, const char *out, const char *err) {
    program_result result = program_run(words);
    cr_expect_eq(result.code, code, "%s: %d\n%s", words, result.code, result.err);
    if (out)
        cr_expect(strstr(result.out, out) != NULL, "%s\n%s", words, result.out);
    if (err)
        cr_expect(strstr(result.err, err) != NULL, "%s\n%s", words, result.err);
    program_free(&result);
}

Test(space_command, shows_counts_lists_and_samples_a_t1_file) {
    workplace_write("t1.json", pairs);
    expect("space t1.json", 0, "\"a < 4 or s == 'x'\"", NULL);
    expect("space t1.json", 0, "combinations   6\n  legal          5\n  share          83.3 %",
           NULL);
    expect("space t1.json --list", 0, "a=1 s=x\na=1 s=\"y z\"\na=2 s=x\na=2 s=\"y z\"\na=4 s=x\n",
           NULL);
    program_result first = program_run("space t1.json --sample 20 --seed 3");
    program_result again = program_run("space t1.json --seed 3 --sample 20");
    program_result other = program_run("space t1.json --seed 4 --sample 20");
    cr_expect_eq(count_lines(first.out), 20);
    cr_expect_str_eq(first.out, again.out);
    cr_expect(strcmp(first.out, other.out) != 0);
    program_free(&first);
    program_free(&again);
    program_free(&other);
    program_result count = program_run("space t1.json --count");
    cr_expect_str_eq(count.out, "5\n");
    program_free(&count);
}

Test(space_command, reads_templates_with_a_problem) {
    workplace_write("k.hip", template_text);
    expect("space k.hip --problem n=1000 --count", 0, "11\n", NULL);
    expect("space k.hip --problem n=1000", 0, "require(BLOCK * ITEMS <= 1024) in line 6", NULL);
    expect("space k.hip --count", 2, NULL, "n");
}

Test(space_command, writes_json) {
    workplace_write("t1.json", pairs);
    program_result result = program_run("space t1.json --list --json");
    json_error_t error;
    json_t *document = json_loads(result.out, 0, &error);
    cr_assert_not_null(document, "%s\n%s", error.text, result.out);
    json_t *space = json_array_get(json_object_get(document, "spaces"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(document, "format")), "hiptemper-space");
    cr_expect_eq(json_integer_value(json_object_get(space, "legal")), 5);
    cr_expect_eq(json_integer_value(json_object_get(space, "combinations")), 6);
    json_t *configs = json_object_get(space, "configurations");
    cr_assert_eq(json_array_size(configs), 5);
    json_t *second = json_array_get(configs, 1);
    cr_expect_eq(json_integer_value(json_object_get(second, "a")), 1);
    cr_expect_str_eq(json_string_value(json_object_get(second, "s")), "y z");
    json_decref(document);
    program_free(&result);
}

Test(space_command, explains_what_is_wrong) {
    workplace_write("none.json", "{\"ConfigurationSpace\": {\"TuningParameters\": ["
                                 "{\"Name\": \"a\", \"Values\": \"range(9)\"}], \"Conditions\": ["
                                 "{\"Expression\": \"a > 4\"}, {\"Expression\": \"a % 2 == 0\"},"
                                 "{\"Expression\": \"a * a < 20\"}]}}");
    workplace_write("large.json", "{\"ConfigurationSpace\": {\"TuningParameters\": ["
                                  "{\"Name\": \"a\", \"Values\": \"range(4000)\"},"
                                  "{\"Name\": \"b\", \"Values\": \"range(4000)\"}]}}");
    expect("space none.json", 2, NULL,
           "hiptemper: none.json: no configuration of the space is legal: \"a > 4\" and \"a * a < "
           "20\" contradict each other");
    expect("space large.json --list", 2, NULL, "too large to be listed: use --sample N");
    expect("space large.json --count", 0, "16000000", NULL);
    expect("space missing.json", 2, NULL, "missing.json");
    expect("space none.json --list --count", 2, NULL, "exclude each other");
    expect("space", 2, NULL, "FILE");
}
