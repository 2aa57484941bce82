/* The gate: a few of the cheats, and what an honest rewrite must not be refused for. All of them:
 * agent_cheats. */
#include "tests/loop/agent/cases.h"

#include "base/file.h"
#include "base/memory.h"
#include "loop/agent/rules.h"
#include "loop/agent/seat.h"
#include "tests/test_folder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void use_worker(void) {
    setenv("HIPTEMPER_WORKER", HT_TEST_WORKER, 1);
}
TestSuite(agent_gate, .init = use_worker);

static void expect(const char *name, const char *folder, agent_original *original) {
    agent_case *cases;
    size_t count = agent_cases_read(folder, &cases), found = 0;
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(cases[i].name, name) == 0) {
            ht_gate_verdict verdict = {0};
            char *wrong = agent_case_try(&cases[i], original, &verdict);
            cr_assert_null(wrong, "%s: %s", name, wrong);
            ht_gate_verdict_free(&verdict);
            ++found;
        }
        agent_case_free(&cases[i]);
    }
    cr_assert_eq(found, 1, "%s", name);
    free(cases);
}

Test(agent_gate, what_only_reading_shows_is_refused_before_anything_runs) {
    static const char *const names[] = {
        "stale_flag", "timing_clock",     "timing_build", "timing_macro",    "reference_call",
        "kill_abort", "tolerance_pragma", "parse_error",  "signature_other", "tolerance_template"};
    agent_original original;
    agent_original_open("silu", 7, false, &original);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        expect(names[i], "cheats", &original);
    agent_original_close(&original);
}

/* The rules would refuse it too: here the second launch alone shows it. */
Test(agent_gate, what_one_launch_leaves_for_the_next_shows_in_a_second_launch) {
    agent_original original;
    ht_gate_verdict verdict = {0};
    ht_error error = {0};
    agent_original_open("row_sum", 7, true, &original);
    static const char text[] = "__global__ void row_sum(float *sums, const float *x, int n) {\n"
                               "    static __device__ float kept[4096];\n"
                               "    if (threadIdx.x != 0)\n"
                               "        return;\n"
                               "    float sum = 0.0f;\n"
                               "    for (int i = 0; i < n; ++i)\n"
                               "        sum += x[(size_t)blockIdx.x * n + i];\n"
                               "    if (kept[blockIdx.x % 4096] == 0.0f)\n"
                               "        kept[blockIdx.x % 4096] = sum;\n"
                               "    sums[blockIdx.x] = kept[blockIdx.x % 4096];\n"
                               "}\n";
    cr_assert_eq(ht_gate_kernel(original.gate, text, &verdict, &error), HT_OK, "%s", error.message);
    cr_assert_eq(verdict.refused.kind, HT_REFUSAL_STATE, "%s", verdict.refused.reason);
    ht_gate_verdict_free(&verdict);
    agent_original_close(&original);
}

Test(agent_gate, what_the_original_has_too_is_no_fault) {
    static const char original[] = "#include <cstdio>\n#ifdef FAST\n#define W 8\n#endif\n"
                                   "__global__ void k(float *o) { printf(\"%d\", W); }\n";
    ht_refused refused = {0};
    ht_rules_file(original, original, false, &refused);
    ht_rules_unit(original, original, original, &refused);
    cr_assert_eq(refused.kind, HT_REFUSAL_NONE, "%s", refused.reason);
}

/* An agent that is refused once is asked again with the reason, and what passes is the whole
 * file. */
Test(agent_gate, a_refused_agent_is_asked_again_with_the_reason) {
    agent_original original;
    ht_error error = {0};
    ht_answer answer;
    ht_gate_verdict verdict;
    agent_original_open("silu", 7, false, &original);
    char *folder = test_folder_make();
    char *command = ht_format(
        "while read -r q; do printf '%%s\\n' \"$q\" >>%s/agent-questions; printf '%%s\\n' "
        "\"$q\"; done | %s/packaging/agent/agent-script --answer "
        "kernel=%s/tests/loop/agent/cheats/timing_clock.hip --answer "
        "kernel=%s/tests/loop/agent/cheats/stale_flag.hip",
        folder, HT_SOURCE_DIR, HT_SOURCE_DIR, HT_SOURCE_DIR);
    ht_agent_command *agent = ht_agent_command_new(command, 60, NULL);
    ht_seat seat = {.command = agent, .gate = original.gate};
    const ht_agent_state state = {.path = "silu.hip", .kernel = "silu_and_mul", .device = "host"};
    char *questions = ht_path_join(folder, "agent-questions");
    cr_assert_eq(ht_seat_ask(&seat, &state, &answer, &verdict, &error), HT_OK, "%s", error.message);
    cr_assert_eq(answer.kind, HT_ANSWER_PASS); /* after two refusals */
    cr_assert_eq(seat.turn, 3);
    FILE *file = fopen(questions, "r");
    char line[65536];
    cr_assert(file && fgets(line, sizeof line, file) && strstr(line, "\"refused\":null"));
    cr_assert(fgets(line, sizeof line, file) && strstr(line, "\"kind\":\"clock\""), "%s", line);
    cr_assert(fgets(line, sizeof line, file) && strstr(line, "\"kind\":\"state\""), "%s", line);
    fclose(file);
    ht_dir_remove(folder);
    free(folder);
    ht_answer_free(&answer);
    ht_gate_verdict_free(&verdict);
    ht_agent_command_free(agent);
    agent_original_close(&original);
    free(questions);
    free(command);
}
