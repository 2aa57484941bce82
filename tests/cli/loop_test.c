/* `hiptemper loop` on a small kernel, as a user runs it. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tool.h"
#include "loop_kernel.h"
#include "program.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(loop_command, .init = workplace_make, .fini = workplace_remove, .timeout = 300);

#define LOOP                                                                                       \
    "loop k.hip --db t.sqlite --rounds 1 --max-evals 4 --final-time 0.05 --check none --seed 3"

static void expect_in(const char *text, const char *words) {
    cr_expect(strstr(text, words), "no '%s' in: %s", words, text);
}

static void patch_apply(const char *name) {
    const char *words[] = {"patch", "-s", "-p1", "-i", name, NULL};
    const ht_tool_call call = {.arguments = words, .seconds = 20, .folder = workplace()};
    ht_text out = {0};
    int code = 1;
    cr_assert_eq(ht_tool_run(&call, &out, &code, NULL), HT_OK);
    cr_assert_eq(code, 0, "%s", out.data);
    ht_text_free(&out);
}

/* The patch is also a mail that `git am` makes a commit of, in a copy of the file. */
static void expect_commit(const char *patch, const char *name) {
    static const char script[] =
        "rm -rf mail && mkdir mail && cp \"$1\" mail && cd mail && git init -q . && git add . && "
        "git -c user.name=a -c user.email=a@b commit -q -m first && "
        "git -c user.name=a -c user.email=a@b am -q \"../$0\" && git log -1 --format='%an: %s'";
    const char *words[] = {"sh", "-c", script, patch, name, NULL};
    const ht_tool_call call = {.arguments = words, .seconds = 20, .folder = workplace()};
    ht_text out = {0};
    int code = 1;
    char *git = ht_tool_find("git");
    free(git);
    if (!git)
        cr_skip_test("git is not installed");
    cr_assert_eq(ht_tool_run(&call, &out, &code, NULL), HT_OK);
    cr_expect_eq(code, 0, "%s", out.data);
    expect_in(out.data, "hiptemper: k.hip: revision 1, tune");
    ht_text_free(&out);
}

Test(loop_command, a_loop_is_kept_shown_not_done_again_and_written_as_patches_that_apply) {
    workplace_write("k.hip", loop_source);
    workplace_write("k.problem.json", loop_problem);
    program_result first = program_run(LOOP " --json first.json");
    cr_assert_eq(first.code, 0, "%s%s", first.out, first.err);
    expect_in(first.out, "1 tune from revision 0: Nothing was tuned yet");
    expect_in(first.out, "All 1 rounds were made");
    expect_in(first.out, "\nrevision 1: checking the best again");
    expect_in(first.out, "\nrevision 1: timing other sizes");
    cr_expect_eq(strncmp(first.out, "reading and analysing the source\n", 33), 0, "%s", first.out);
    program_result again = program_run(LOOP " --json again.json");
    cr_assert_eq(again.code, 0, "%s", again.err);
    expect_in(again.out, "Going on after revision 1");
    cr_expect_null(strstr(again.out, "1 tune from"), "nothing is done again: %s", again.out);
    char *one = workplace_read("first.json"), *two = workplace_read("again.json");
    cr_expect_str_eq(one, two);
    json_t *document = json_loads(one, 0, NULL);
    const json_t *revision = json_array_get(json_object_get(document, "revisions"), 1);
    cr_assert(json_is_true(json_object_get(revision, "kept")), "%s", one);
    /* the times are those of the file, and the template's are there, too */
    cr_expect_gt(json_number_value(json_object_get(revision, "template_speedup")), 0, "%s", one);
    cr_expect_eq(json_array_size(json_object_get(revision, "elsewhere")), 3, "%s", one);
    expect_in(first.out, "x at W=500 H=20");
    expect_in(first.out, "x at W=999 H=39");
    program_result show = program_run("loop k.hip --db t.sqlite --show");
    expect_in(show.out, "+- 1 tune: ");
    expect_in(show.out, "of the original's speed");
    program_result series = program_run("loop k.hip --db t.sqlite --export patches");
    cr_assert_eq(series.code, 0, "%s", series.err);
    workplace_write("patches/0002-old.patch", "From: hiptemper <hiptemper@localhost>\nan export");
    workplace_write("patches/0003-fix.patch", "From: a <a@b>\nof the user's");
    workplace_write("patches/series",
                    "0001-tune.patch\n0002-old.patch\n0003-fix.patch\n../k.hip\n");
    program_result newer = program_run("loop k.hip --db t.sqlite --export patches");
    cr_assert_eq(newer.code, 0, "%s", newer.err);
    char *old = ht_format("%s/patches/0002-old.patch", workplace());
    cr_expect_not(ht_file_exists(old));
    free(old);
    char *other = ht_format("%s/patches/0003-fix.patch", workplace());
    cr_expect(ht_file_exists(other));
    free(other);
    char *names = workplace_read("patches/series");
    cr_expect_str_eq(names, "0001-tune.patch\n");
    expect_commit("patches/0001-tune.patch", "k.hip");
    patch_apply("patches/0001-tune.patch");
    char *patched = workplace_read("k.hip"), *written = workplace_read("patches/k.hip");
    cr_expect_str_eq(patched, written);
    cr_expect_str_eq(patched, json_string_value(json_object_get(revision, "source")));
    program_result stale = program_run("loop k.hip --db t.sqlite --export patches");
    cr_expect_eq(stale.code, 2);
    expect_in(stale.err, "it is not what the loop began with");
    char *texts[] = {one, two, names, patched, written};
    program_result *results[] = {&first, &again, &show, &series, &newer, &stale};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        free(texts[i]);
    for (size_t i = 0; i < sizeof results / sizeof *results; ++i)
        program_free(results[i]);
    json_decref(document);
}

static void expect_refused(const char *words, int code, const char *message) {
    program_result result = program_run(words);
    cr_expect_eq(result.code, code, "%s: %d: %s", words, result.code, result.err);
    expect_in(result.err, message);
    program_free(&result);
}

Test(loop_command, what_cannot_be_looped_over_is_said) {
    workplace_write("two.hip", "#include <hip/hip_runtime.h>\n"
                               "__global__ void a(float *x) { x[threadIdx.x] += 1; }\n"
                               "__global__ void b(float *x) { x[threadIdx.x] += 2; }\n"
                               "void l(float *x) { a<<<4, 64>>>(x); b<<<4, 64>>>(x); }\n");
    workplace_write("none.hip", "int a;\n");
    expect_refused("loop none.hip --db t.sqlite", 2, "no kernel to tune");
    expect_refused("loop missing.hip --db t.sqlite", 2, "missing.hip");
    expect_refused("loop none.hip --db t.sqlite --style fancy", 2, "neither plain nor any");
    expect_refused("loop none.hip --db t.sqlite --show", 2, "has no loops");
    expect_refused("loop two.hip --db t.sqlite --kernel c", 2, "no kernel is named 'c'");
}

/* A full disk says nothing of the kernel: the loop goes on once there is room. */
Test(loop_command, a_step_without_a_folder_to_work_in_is_not_one_that_failed) {
    workplace_write("k.hip", loop_source);
    workplace_write("k.problem.json", loop_problem);
    setenv("TMPDIR", "/nope", 1);
    expect_refused(LOOP, 1, "set TMPDIR to a folder that can be written");
    unsetenv("TMPDIR");
    program_result show = program_run("loop k.hip --db t.sqlite --show");
    expect_in(show.out, "Nothing was tried to its end.\nNot ended: the same command goes on.");
    program_free(&show);
}

/* The block of 2 leaves 62 of 64 lanes idle, so that the model has something to say; the kernel of
 * 128 KB moves so little that its launch is most of the time. */
Test(loop_command, a_gpu_that_is_not_there_is_predicted_and_the_winner_verified_on_the_host) {
    workplace_write("k.hip", loop_source);
    workplace_write("k.problem.json", loop_problem);
    program_result result =
        program_run("loop k.hip --db t.sqlite --device model:mi250x --rounds 1 --max-evals 6 "
                    "--all-evals 6 --check none --json loop.json");
    if (result.code == 3)
        cr_skip_test("no hiprtc (Debian: apt-get install libamdhip64-5)");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    expect_in(result.out, "predicted, not measured; verified on the host");
    expect_in(result.out, "Roofline: 0.32 MB have to be moved");
    char *text = workplace_read("loop.json");
    json_t *document = json_loads(text, 0, NULL);
    const json_t *revisions = json_object_get(document, "revisions");
    const json_t *made = json_array_get(revisions, 1), *first = json_array_get(revisions, 0);
    cr_expect(json_is_true(json_object_get(document, "predicted")));
    cr_expect_eq(json_integer_value(json_object_get(document, "evaluations")), 6);
    cr_expect(json_is_true(json_object_get(made, "kept")), "%s", text);
    double promised = json_number_value(json_object_get(made, "template_speedup"));
    double given = json_number_value(json_array_get(json_object_get(made, "speedup"), 0));
    cr_expect_gt(given, 0.9 * promised, "the file is followed, next to the original: %s", text);
    cr_expect_lt(given, 1.1 * promised, "%s", text);
    cr_expect_gt(json_number_value(json_object_get(first, "best_ms")),
                 json_number_value(json_object_get(made, "best_ms")));
    program_result again = program_run("loop k.hip --db t.sqlite --show");
    expect_in(again.out, "on model:mi250x");
    expect_in(again.out, "Roofline: 0.32 MB");
    json_decref(document);
    free(text);
    program_free(&result);
    program_free(&again);
}
