/* Programs of others end by their deadline, with what they started. */
#include "base/tool.h"

#include "base/clock.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG_SECONDS = 4 };

TestSuite(tool, .timeout = 120);

typedef struct outcome {
    ht_status status;
    int code;
    double seconds;
    ht_text out;
    ht_error error;
} outcome;

static outcome run_script(const char *script, double seconds) {
    const char *arguments[] = {"sh", "-c", script, NULL};
    const ht_tool_call call = {
        .arguments = arguments, .seconds = seconds, .variable = "HT_WORD", .value = "a b"};
    outcome of = {.code = 0};
    ht_text_append(&of.out, "");
    double begin = ht_clock_seconds();
    of.status = ht_tool_run(&call, &of.out, &of.code, &of.error);
    of.seconds = ht_clock_seconds() - begin;
    return of;
}

Test(tool, gives_output_and_exit_code) {
    static const struct {
        const char *script, *out;
        int code;
    } cases[] = {
        {"echo one; echo two >&2", "one\ntwo\n", 0},
        {"exit 7", "", 7},
        {"kill -SEGV $$", "", 128 + SIGSEGV},
        {"echo \"$HT_WORD\"", "a b\n", 0},
        {"read x || echo nothing to read", "nothing to read\n", 0},
        {"sleep 30 & echo left", "left\n",
         0}, /* nobody waits for a process that only holds the pipe open */
        {"exec >&- 2>&-; sleep 0.1; exit 3", "", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        outcome of = run_script(cases[i].script, 20);
        cr_expect_eq(of.status, HT_OK, "%s: %s", cases[i].script, of.error.message);
        cr_expect_eq(of.code, cases[i].code, "%s: %d", cases[i].script, of.code);
        cr_expect_str_eq(of.out.data, cases[i].out);
        cr_expect_lt(of.seconds, 15, "%s", cases[i].script);
        ht_text_free(&of.out);
    }
}

Test(tool, what_does_not_end_is_killed_and_named) {
    static const struct {
        const char *script, *words;
    } cases[] = {
        {"sleep 30", "/sh -c: no end within 0.3 s, so"},
        {"kill -STOP $$", "stopped, as by SIGSTOP"},
        {"trap '' TERM INT; while :; do sleep 1; done", "no end within"},
        {"exec >&- 2>&-; sleep 30", "no end within"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double seconds = 0.3;
        outcome of = run_script(cases[i].script, seconds);
        while (!strstr(of.error.message, cases[i].words) &&
               strstr(of.error.message, "no end within") && seconds < LONG_SECONDS) {
            ht_text_free(&of.out); /* on a busy machine it had not come as far */
            of = run_script(cases[i].script, seconds *= 4);
        }
        cr_expect_eq(of.status, HT_ERROR_TIMEOUT, "%s", cases[i].script);
        cr_expect(strstr(of.error.message, cases[i].words), "%s", of.error.message);
        cr_expect_lt(of.seconds, seconds + 10, "%s took %g s", cases[i].script, of.seconds);
        ht_text_free(&of.out);
    }
}

Test(tool, what_it_started_ends_with_it) {
    double seconds = 0.3;
    outcome of = run_script("sleep 30 & echo $!; wait", seconds);
    while (of.out.length == 0 && seconds < LONG_SECONDS) {
        ht_text_free(&of.out);
        of = run_script("sleep 30 & echo $!; wait", seconds *= 4);
    }
    pid_t left = (pid_t)atol(of.out.data);
    cr_assert_gt(left, 1);
    char *path = ht_format("/proc/%ld/stat", (long)left), line[200] = "?";
    for (int i = 0; i < 1000 && line[0] != '\0' && !strstr(line, ") Z"); ++i) {
        FILE *file = fopen(path, "r");
        if (!file || fgets(line, sizeof line, file) == NULL)
            line[0] = '\0';
        if (file)
            fclose(file);
        usleep(5000);
    }
    cr_expect(line[0] == '\0' || strstr(line, ") Z"), "still there: %s", line);
    free(path);
    ht_text_free(&of.out);
}

/* Says which value of the variable a program sees that is to have large pages. */
static char *pages_seen(void) {
    const char *arguments[] = {"sh", "-c", "printf %s \"$GLIBC_TUNABLES\"", NULL};
    ht_tool_call call = {.arguments = arguments, .seconds = 60};
    ht_text out = {0};
    ht_error error;
    int code = -1;
    ht_text_append(&out, "");
    ht_tool_want_large_pages(&call);
    cr_assert_eq(ht_tool_run(&call, &out, &code, &error), HT_OK, "%s", error.message);
    cr_assert_eq(code, 0);
    return ht_text_take(&out);
}

Test(tool, large_pages_are_asked_for_unless_the_user_tunes_the_library) {
    unsetenv("GLIBC_TUNABLES");
    char *seen = pages_seen();
    cr_expect_str_eq(seen, "glibc.malloc.hugetlb=1");
    free(seen);
    cr_expect_null(getenv("GLIBC_TUNABLES"));
    setenv("GLIBC_TUNABLES", "glibc.malloc.check=1", 1);
    seen = pages_seen();
    cr_expect_str_eq(seen, "glibc.malloc.check=1");
    free(seen);
}

Test(tool, a_program_that_is_not_there_is_an_error) {
    const char *arguments[] = {"/nowhere/clang", NULL};
    const ht_tool_call call = {.arguments = arguments, .seconds = 1};
    ht_text out = {0};
    ht_error error = {0};
    int code = 0;
    cr_expect_eq(ht_tool_run(&call, &out, &code, &error), HT_ERROR_MISSING);
    cr_expect(strstr(error.message, "/nowhere/clang"), "%s", error.message);
    ht_text_free(&out);
}
