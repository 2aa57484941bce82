/* `hiptemper loop --agent` with a script of answers. */
#include "base/memory.h"
#include "loop_kernel.h"
#include "program.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(loop_agent, .init = workplace_make, .fini = workplace_remove, .timeout = 600);

static const char good[] =
    "__global__ void blur(float *out, const float *in, int w, int h) {\n"
    "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    int y = blockIdx.y;\n"
    "    if (x >= w || y >= h) return;\n"
    "    const float *row = in + y * w;\n"
    "    float sum = 0;\n"
    "    if (x >= 2 && x + 2 < w) {\n"
    "        sum = row[x - 2] + row[x - 1] + row[x] + row[x + 1] + row[x + 2];\n"
    "    } else {\n"
    "        for (int i = -2; i <= 2; ++i)\n"
    "            if (x + i >= 0 && x + i < w) sum += row[x + i];\n"
    "    }\n"
    "    out[y * w + x] = sum;\n"
    "}\n";

static const char constant[] = "__global__ void blur(float *out, const float *in, int w, int h) {\n"
                               "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "    int y = blockIdx.y;\n"
                               "    if (x >= w || y >= h) return;\n"
                               "    out[y * w + x] = 0.5f;\n"
                               "}\n";

static const json_t *revision_of(const json_t *document, size_t number, const char *action) {
    const json_t *row = json_array_get(json_object_get(document, "revisions"), number);
    cr_assert_not_null(row, "no revision %zu", number);
    cr_expect_str_eq(json_string_value(json_object_get(row, "action")), action);
    return row;
}

Test(loop_agent, values_are_searched_a_cheat_is_refused_and_a_rewrite_is_refactored_first) {
    workplace_write("k.hip", loop_source);
    workplace_write("k.problem.json", loop_problem);
    workplace_write("good.hip", good);
    workplace_write("constant.hip", constant);
    workplace_write("answers", "{\"answer\":\"parameters\",\"parameters\":[{\"name\":"
                               "\"COARSEN_X\",\"values\":[16]}],\"why\":\"More outputs.\"}\n");
    program_result result = program_run_arguments((const char *const[]){
        "loop", "k.hip", "--db", "t.sqlite", "--rounds", "3", "--max-evals", "4", "--final-time",
        "0.05", "--json", "r.json", "--agent",
        "perl " HT_SOURCE_DIR "/packaging/agent/agent-script answers --answer kernel=constant.hip "
        "--answer kernel=good.hip",
        NULL});
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "refused (constant)"), "%s", result.out);
    cr_expect(strstr(result.out, "\nagent: waiting for its answer\nagent: judging its answer\n"),
              "%s", result.out);
    char *text = workplace_read("r.json");
    json_t *document = json_loads(text, 0, NULL);
    const json_t *values = revision_of(document, 2, "parameters");
    cr_expect_str_eq(json_string_value(json_object_get(values, "reason")),
                     "Proposed: More outputs.");
    cr_expect(strstr(json_string_value(json_object_get(values, "template")), "8, 16"));
    const json_t *rewrite = revision_of(document, 3, "source");
    cr_expect_str_neq(json_string_value(json_object_get(rewrite, "verdict")), "refused");
    cr_expect(strstr(json_string_value(json_object_get(rewrite, "template")), "row[x - 2]"),
              "the rewrite has a template");
    cr_expect(json_array_size(json_object_get(rewrite, "speedup")) == 3 ||
                  json_is_string(json_object_get(rewrite, "finding")),
              "it was measured against the original, or says why not");
    json_decref(document);
    free(text);
    program_free(&result);
}
