/* Lines that are exchanged with an agent, the command that writes them, and the agents that come
 * with hiptemper. */
#include "loop/agent/answer.h"
#include "loop/agent/command.h"

#include "base/clock.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads a line; returns the reason of its refusal, or NULL. free(). */
static char *read_line(const char *line, ht_answer *out) {
    ht_refused refused = {0};
    ht_answer_read(line, strlen(line), 3, out, &refused);
    cr_assert(refused.kind == HT_REFUSAL_NONE || refused.kind == HT_REFUSAL_MESSAGE);
    return refused.reason;
}

Test(agent_answer, each_kind_is_read) {
    ht_answer answer;
    cr_assert_null(read_line("{\"version\":1,\"turn\":3,\"answer\":\"pass\"}", &answer));
    cr_assert_eq(answer.kind, HT_ANSWER_PASS);
    ht_answer_free(&answer);
    cr_assert_null(read_line("{\"version\":1,\"turn\":3,\"answer\":\"kernel\",\"kernel\":\"k\","
                             "\"parent\":2,\"why\":\"shorter\\n\"}",
                             &answer));
    cr_assert_eq(answer.kind, HT_ANSWER_KERNEL);
    cr_assert_str_eq(answer.text, "k");
    cr_assert(answer.has_parent && answer.parent == 2);
    cr_assert_str_eq(answer.why, "shorter?");
    ht_answer_free(&answer);
    cr_assert_null(read_line("{\"version\":1,\"turn\":3,\"answer\":\"parameters\",\"parameters\":"
                             "[{\"name\":\"BLOCK_X\",\"values\":[64,1024]}]}",
                             &answer));
    char *text = ht_answer_parameters_text(&answer);
    cr_assert_str_eq(text, "param(BLOCK_X : 64, 1024 = 64)\n");
    free(text);
    ht_answer_free(&answer);
    cr_assert_null(
        read_line("{\"version\":1,\"turn\":3,\"answer\":\"search\",\"evaluations\":50}", &answer));
    cr_assert_eq(answer.evaluations, 50);
    ht_answer_free(&answer);
}

Test(agent_answer, what_the_schema_does_not_have_is_refused_with_its_name) {
    static const char *const lines[][2] = {
        {"{\"version\":2,\"turn\":3,\"answer\":\"pass\"}", "version"},
        {"{\"version\":1,\"turn\":2,\"answer\":\"pass\"}", "turn"},
        {"{\"version\":1,\"turn\":3,\"answer\":\"win\"}", "answer"},
        {"{\"version\":1,\"turn\":3,\"answer\":\"pass\",\"time_ms\":0.1}", "time_ms"},
        {"{\"version\":1,\"turn\":3,\"answer\":\"kernel\",\"kernel\":\"k\",\"speedup\":9}",
         "speedup"},
        {"{\"version\":1,\"turn\":3,\"answer\":\"kernel\",\"kernel\":\"\"}", "text"},
        {"{\"version\":1,\"turn\":3,\"answer\":\"search\",\"evaluations\":0}", "evaluations"},
        {"{\"version\":1,\"turn\":3,\"answer\":\"parameters\",\"parameters\":"
         "[{\"name\":\"a b\",\"values\":[1]}]}",
         "parameter"},
        {"{\"version\":1,\"turn\":3,\"answer\":\"parameters\",\"parameters\":"
         "[{\"name\":\"A\",\"values\":[1.5]}]}",
         "whole numbers"},
        {"[]", "object"},
        {"I think that", "no answer"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        ht_answer answer;
        char *reason = read_line(lines[i][0], &answer);
        cr_assert(reason && strstr(reason, lines[i][1]), "%s: %s", lines[i][0], reason);
        cr_assert_eq(answer.kind, HT_ANSWER_PASS);
        cr_assert_null(answer.text);
        ht_answer_free(&answer);
        free(reason);
    }
}

/* ---- commands ---- */

/* A question. New reference. */
static json_t *question(uint64_t turn) {
    ht_refused refused = {HT_REFUSAL_RACE, 7, ht_strdup("race: \"lds\"[3]")};
    const ht_agent_state state = {.turn = turn,
                                  .path = "k.hip",
                                  .kernel = "k",
                                  .source = "int \"a\";\n",
                                  .definition = "void k() {}",
                                  .annotations = "#pragma tune kernel(k)",
                                  .device = "host",
                                  .refused = &refused};
    json_t *made = ht_agent_state_json(&state);
    ht_refused_free(&refused);
    return made;
}

/* Asks a command; returns its line, or NULL with the error's words in `out_error`. free(). */
static char *ask(ht_agent_command *agent, uint64_t turn, ht_error *out_error) {
    json_t *state = question(turn);
    char *line = NULL;
    size_t length;
    ht_status status = ht_agent_command_ask(agent, state, &line, &length, out_error);
    cr_assert_eq(status == HT_OK, line != NULL);
    json_decref(state);
    return line;
}

Test(agent_command, commands_that_stay_or_end_at_once_or_later_answer_each_question) {
    static const char *const commands[] = {
        "while read -r line; do echo \"$line\" | grep -o '\"turn\":[0-9]*'; done",
        "read -r line; echo \"$line\" | grep -o '\"turn\":[0-9]*'",
        "read -r line; echo \"$line\" | grep -o '\"turn\":[0-9]*'; sleep 0.1"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        ht_agent_command *agent = ht_agent_command_new(commands[i], 10, NULL);
        for (uint64_t turn = 1; turn <= 3; ++turn) {
            ht_error error = {0};
            char *line = ask(agent, turn, &error), *wanted = ht_format("\"turn\":%d", (int)turn);
            cr_assert(line && strcmp(line, wanted) == 0, "%s %s", line, error.message);
            free(line);
            free(wanted);
        }
        ht_agent_command_free(agent);
    }
}

Test(agent_command, one_that_ends_dies_or_hangs_is_an_error_with_its_name) {
    static const char *const commands[][2] = {{"exit 3", "exit code 3"},
                                              {"kill -9 $$", "signal"},
                                              {"sleep 60", "no answer within"},
                                              {"/nonexistent/agent", "exit code 127"}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        ht_agent_command *agent = ht_agent_command_new(commands[i][0], i == 2 ? 0.3 : 10, NULL);
        ht_error error = {0};
        char *line = ask(agent, 1, &error);
        cr_assert_null(line);
        cr_assert(strstr(error.message, commands[i][1]), "%s", error.message);
        cr_assert(strstr(error.message, commands[i][0]), "%s", error.message);
        ht_agent_command_free(agent);
    }
}

/* Returns the number of lines of a file, and removes it. */
static int lines_of(const char *path) {
    FILE *file = fopen(path, "r");
    int lines = 0, byte;
    cr_assert_not_null(file);
    while ((byte = getc(file)) != EOF)
        lines += byte == '\n';
    fclose(file);
    unlink(path);
    return lines;
}

/* A question that was read may have cost something, and an agent that dies of it would die again.
 */
Test(agent_command, one_that_reads_a_question_and_dies_is_asked_once_and_its_last_words_are_told) {
    static const struct {
        const char *dies, *how;
    } deaths[] = {{"exit 7", "exit code 7"}, {"kill -SEGV $$", "Segmentation fault"}};
    for (size_t i = 0; i < 2; ++i) {
        char path[] = "/tmp/agent-death-test-XXXXXX";
        int fd = mkstemp(path);
        cr_assert_geq(fd, 0);
        close(fd);
        char *command =
            ht_format("turn=0; while read -r line; do echo x >>%s; turn=$((turn + 1)); "
                      "test $turn -lt 2 || { printf 'one\\ntwo\\nno credit\\nfour\\n' >&2; "
                      "%s; }; echo answer; done",
                      path, deaths[i].dies);
        ht_agent_command *agent = ht_agent_command_new(command, 10, NULL);
        ht_error error = {0};
        char *line = ask(agent, 1, &error);
        cr_expect_str_eq(line, "answer", "%s", error.message);
        free(line);
        line = ask(agent, 2, &error);
        cr_expect_null(line);
        cr_expect(strstr(error.message, deaths[i].how), "%s", error.message);
        cr_expect(strstr(error.message, "two / no credit / four"), "%s", error.message);
        cr_expect_not(strstr(error.message, "one / two"), "%s", error.message);
        ht_agent_command_free(agent);
        cr_expect_eq(lines_of(path), 2, "two questions");
        free(command);
    }
}

/* One that ends after its answer has read nothing of the next question, which another answers; both
 * within one limit. */
Test(agent_command, a_question_that_was_not_read_is_put_to_the_next_within_one_limit) {
    char path[] = "/tmp/agent-next-test-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    /* the second run waits for longer than what the first has left of the second answer's time */
    char *command = ht_format("read -r line; echo x >>%s; test $(wc -l <%s) -lt 2 || sleep 1.5; "
                              "echo answer; sleep 1",
                              path, path);
    ht_agent_command *agent = ht_agent_command_new(command, 2, NULL);
    ht_error error = {0};
    char *line = ask(agent, 1, &error);
    cr_expect_str_eq(line, "answer", "%s", error.message);
    free(line);
    double begun = ht_clock_seconds();
    line = ask(agent, 2, &error);
    cr_expect_null(line);
    cr_expect(strstr(error.message, "no answer within 2 s"), "%s", error.message);
    cr_expect_lt(ht_clock_seconds() - begun, 3);
    ht_agent_command_free(agent);
    cr_expect_eq(lines_of(path), 2);
    free(command);
}

Test(agent_command, an_endless_line_is_cut_and_refused) {
    ht_agent_command *agent = ht_agent_command_new("cat /dev/zero | tr '\\0' a", 20, NULL);
    json_t *state = question(1);
    char *line = NULL;
    size_t length = 0;
    ht_error error = {0};
    cr_assert_eq(ht_agent_command_ask(agent, state, &line, &length, &error), HT_OK, "%s",
                 error.message);
    ht_answer answer;
    ht_refused refused = {0};
    ht_answer_read(line, length, 1, &answer, &refused);
    cr_assert_eq(refused.kind, HT_REFUSAL_MESSAGE);
    ht_refused_free(&refused);
    ht_answer_free(&answer);
    free(line);
    json_decref(state);
    ht_agent_command_free(agent);
}

/* ---- the agents that come with hiptemper ---- */

#define AGENTS HT_SOURCE_DIR "/packaging/agent/"
#define MODEL HT_SOURCE_DIR "/tests/loop/agent/model"

static ht_answer answer_of(const char *command, uint64_t turn) {
    ht_agent_command *agent = ht_agent_command_new(command, 20, NULL);
    ht_error error = {0};
    ht_answer answer;
    ht_refused refused = {0};
    char *line = ask(agent, turn, &error);
    cr_assert_not_null(line, "%s", error.message);
    ht_answer_read(line, strlen(line), turn, &answer, &refused);
    cr_assert_eq(refused.kind, HT_REFUSAL_NONE, "%s: %s", line, refused.reason);
    free(line);
    ht_agent_command_free(agent);
    return answer;
}

Test(agent_prompt, a_models_last_block_is_the_answer_and_the_prompt_has_the_question) {
    ht_answer answer = answer_of(AGENTS "agent-prompt --model " MODEL, 4);
    cr_assert_eq(answer.kind, HT_ANSWER_KERNEL);
    cr_assert_str_eq(answer.text, "1\n\"quoted\" \\\n", "%s", answer.text);
    ht_answer_free(&answer);
}

Test(agent_prompt, a_prompt_of_ones_own_and_a_model_that_fails_or_only_talks) {
    char path[] = "/tmp/agent-prompt-test-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, "[{{kernel}}|{{device}}|{{other}}]", 33), 33);
    close(fd);
    char *command = ht_format(
        AGENTS "agent-prompt --answer template --prompt %s --model '" MODEL " prompt'", path);
    ht_answer answer = answer_of(command, 1);
    cr_assert_eq(answer.kind, HT_ANSWER_TEMPLATE);
    cr_assert_str_eq(answer.text, "[k|host|{{other}}]\n");
    ht_answer_free(&answer);
    free(command);
    unlink(path);
    static const char *const silent[] = {AGENTS "agent-prompt --model 'exit 3'",
                                         AGENTS "agent-prompt --model 'echo I cannot'"};
    for (size_t i = 0; i < 2; ++i) {
        answer = answer_of(silent[i], 1);
        cr_assert_eq(answer.kind, HT_ANSWER_PASS);
        ht_answer_free(&answer);
    }
}

Test(agent_script, a_file_is_played_and_then_nothing_is_proposed) {
    char path[] = "/tmp/agent-script-test-XXXXXX";
    int fd = mkstemp(path);
    static const char line[] = "{\"answer\":\"search\",\"evaluations\":5}\n";
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, line, sizeof line - 1), (ssize_t)sizeof line - 1);
    close(fd);
    char *command = ht_format(AGENTS "agent-script %s --answer kernel=%s", path, path);
    ht_agent_command *agent = ht_agent_command_new(command, 20, NULL);
    static const ht_answer_kind kinds[] = {HT_ANSWER_SEARCH, HT_ANSWER_KERNEL, HT_ANSWER_PASS};
    for (uint64_t turn = 1; turn <= 3; ++turn) {
        ht_error error = {0};
        ht_answer answer;
        ht_refused refused = {0};
        char *got = ask(agent, turn, &error);
        cr_assert_not_null(got, "%s", error.message);
        ht_answer_read(got, strlen(got), turn, &answer, &refused);
        cr_assert_eq(refused.kind, HT_REFUSAL_NONE, "%s", refused.reason);
        cr_assert_eq(answer.kind, kinds[turn - 1]);
        if (turn == 2)
            cr_assert_str_eq(answer.text, line);
        ht_answer_free(&answer);
        free(got);
    }
    ht_agent_command_free(agent);
    free(command);
    unlink(path);
}
