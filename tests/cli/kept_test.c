/* Results of `hiptemper refactor` that are kept from run to run. */
#include "kept_tree.h"
#include "program.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(kept, .init = kept_place_make, .fini = workplace_remove);

enum { N = 1000 };

#define REFACTOR "refactor tree --json --no-verify --out out"
#define VERIFIED "refactor tree --json --verify-configurations 1 --out out"

Test(kept, an_unchanged_tree_gives_the_same_report_and_files_without_being_read) {
    kept_tree_write(N);
    json_t *first = kept_run(VERIFIED, 0);
    const char *name = "out/scale.scale.template.hip";
    char *template = workplace_read(name), *whole = ht_format("%s/%s", workplace(), name);
    cr_assert_not_null(template);
    cr_assert_eq(unlink(whole), 0);
    json_t *second = kept_run(VERIFIED, 2);
    json_object_del(first, "kept");
    json_object_del(second, "kept");
    cr_expect(json_equal(first, second));
    char *again = workplace_read(name);
    cr_assert_not_null(again, "the template is in its place again");
    cr_expect_str_eq(again, template);
    json_decref(first);
    json_decref(second);
    free(again);
    free(template);
    free(whole);
}

Test(kept, a_file_is_read_again_when_anything_changes_that_it_depends_on) {
    kept_tree_write(N);
    expect_kept(REFACTOR, 0);
    workplace_write("tree/size.h", "#define BLOCK 128\n"); /* a header */
    usleep(20000);
    expect_kept(REFACTOR, 1);
    expect_kept(REFACTOR, 2);
    workplace_write("tree/scale.hip",
                    strchr(kept_tree_source, '\n') + 1); /* its text: no BLOCK any more */
    usleep(20000);
    program_result broken = program_run(REFACTOR);
    cr_expect(strstr(broken.out, "\"kept\": 1"), "%s", broken.out);
    program_free(&broken);
    workplace_write("tree/scale.hip", kept_tree_source);
    usleep(20000);
    expect_kept(REFACTOR, 1); /* the last result of a file is kept, not every one */
    expect_kept(REFACTOR, 2);
    expect_kept(REFACTOR " --without unroll", 0); /* an option */
    expect_kept(REFACTOR " --fresh", 0);
    setenv("HIPTEMPER_KEPT", "", 1);
    expect_kept(REFACTOR, 0);
}

/* A header that would be found before the one that was read, a problem file that was not there. */
Test(kept, a_file_is_read_again_when_one_appears_that_it_would_have_read) {
    kept_tree_write(N);
    workplace_write("include/size.h", "#define BLOCK 32\n");
    char *own = ht_format("%s/tree/size.h", workplace());
    cr_assert_eq(unlink(own), 0);
    expect_kept(REFACTOR " -I include", 0);
    expect_kept(REFACTOR " -I include", 2);
    workplace_write("tree/size.h", "#define BLOCK 64\n");
    char *problem = kept_tree_problem(N);
    workplace_write("tree/empty.problem.json", problem);
    free(problem);
    usleep(20000);
    expect_kept(REFACTOR " -I include", 0);
    free(own);
}

/* Contents of buffers are what templates were verified with. */
Test(kept, a_file_is_read_again_when_the_contents_of_a_buffer_change) {
    kept_tree_write(N);
    char *with = kept_tree_problem(N), *at = strstr(with, "float[problem.n]\", ");
    cr_assert_not_null(at);
    char *text = ht_format("%.*sfloat[problem.n] file(\\\"in.bin\\\")%s", (int)(at - with), with,
                           at + strlen("float[problem.n]"));
    workplace_write("tree/scale.problem.json", text);
    workplace_write("tree/in.bin", "0000111122223333");
    usleep(20000);
    expect_kept(REFACTOR, 0);
    expect_kept(REFACTOR, 2);
    workplace_write("tree/in.bin", "0000111122224444");
    usleep(20000);
    expect_kept(REFACTOR, 1);
    free(text);
    free(with);
}

/* A header of the tree is reported at its own turn, not by the file that includes it. */
Test(kept, a_header_that_joins_the_tree_is_reported_once) {
    kept_tree_write(N);
    workplace_write("tree/empty.hip", "#include \"../other/more.h\"\n"
                                      "__global__ void nothing() {}\n");
    workplace_write("other/more.h", "__global__ void something() {}\n");
    usleep(20000);
    expect_kept(REFACTOR, 0);
    json_t *document = kept_run("refactor tree other --json --no-verify --out out", 2);
    json_t *row;
    size_t index, found = 0;
    json_array_foreach(json_object_get(document, "kernels"), index, row) found +=
        strcmp(json_string_value(json_object_get(row, "name")), "something") == 0;
    cr_expect_eq(found, 1);
    json_decref(document);
}

Test(kept, damaged_and_unfinished_results_are_not_taken) {
    kept_tree_write(N);
    workplace_write("tree/wrong.hip", "#pragma tune kernel(\n__global__ void wrong() {}\n");
    for (int i = 0; i < 2; ++i) { /* the one with an error is read again */
        program_result result = program_run(REFACTOR);
        cr_expect_eq(result.code, 2, "%s", result.err);
        cr_expect(strstr(result.err, "tree/wrong.hip:1:"), "%s", result.err);
        cr_expect(strstr(result.out, i ? "\"kept\": 2" : "\"kept\": 0"), "%s", result.out);
        program_free(&result);
    }
    char *folder = ht_format("%s/kept", workplace());
    DIR *directory = opendir(folder);
    cr_assert_not_null(directory);
    size_t damaged = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char *name = ht_format("kept/%s", entry->d_name), *text = workplace_read(name);
        cr_assert_not_null(text);
        text[strlen(text) / 2] ^= 1;
        workplace_write(name, text);
        ++damaged;
        free(text);
        free(name);
    }
    closedir(directory);
    cr_expect_eq(damaged, 2);
    program_result result = program_run(REFACTOR);
    cr_expect(strstr(result.out, "\"kept\": 0"), "%s", result.out);
    program_free(&result);
    free(folder);
}

/* ---- runs that do not end */

static size_t kept_count(void) {
    char *folder = ht_format("%s/kept", workplace());
    DIR *directory = opendir(folder);
    size_t count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
        count += strlen(entry->d_name) == HT_HASH_SIZE - 1;
    if (directory)
        closedir(directory);
    free(folder);
    return count;
}

Test(kept, a_run_that_is_killed_keeps_what_it_had_verified, .timeout = 120) {
    enum { STEP_US = 20000, STEPS = 3000 };
    kept_tree_write(N);
    workplace_write("tree/slow.hip", "#include <hip/hip_runtime.h>\n"
                                     "__global__ void slow(const float *in, float *out, int n) {\n"
                                     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "    float sum = 0;\n"
                                     "    for (long k = 0; k < 1L << 50; ++k)\n"
                                     "        sum = sum * 0.5f + in[i % 64];\n"
                                     "    if (i < n) out[i] = sum;\n"
                                     "}\n"
                                     "void host(const float *in, float *out, int n) {\n"
                                     "    slow<<<(n + 63) / 64, 64>>>(in, out, n);\n"
                                     "}\n");
    usleep(STEP_US);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        bool there = chdir(workplace()) == 0 && freopen("log", "w", stdout);
        if (there)
            execl(HT_BINARY_DIR "/hiptemper", "hiptemper", "refactor", "tree", "--json", "--jobs",
                  "1", "--verify-configurations", "1", "--out", "out", (char *)NULL);
        _exit(126);
    }
    for (int i = 0; i < STEPS && kept_count() < 2; ++i)
        usleep(STEP_US);
    cr_expect_eq(kept_count(), 2, "the slow one is still running");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    char *slow = ht_format("%s/tree/slow.hip", workplace());
    cr_assert_eq(unlink(slow), 0);
    free(slow);
    expect_kept(VERIFIED, 2);
}

/* ---- outcomes of time */

/* Writes a kernel whose analysis takes far more than half a second. */
static void deep_write(void) {
    ht_text text = {0};
    ht_text_append(&text, "#include <hip/hip_runtime.h>\n"
                          "__global__ void deep(const float *a, float *b, int n) {\n"
                          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i < n) b[i] = a[i]");
    for (int i = 0; i < 900; ++i)
        ht_text_append(&text, "+a[i]");
    ht_text_append(&text, ";\n}\nvoid host(const float *a, float *b, int n) { deep<<<(n + 255) / "
                          "256, 256>>>(a, b, n); }\n");
    workplace_write("tree/deep.hip", text.data);
    ht_text_free(&text);
    usleep(20000);
}

/* Makes every kept result as old as this. */
static void kept_age(json_int_t days) {
    char *folder = ht_format("%s/kept", workplace());
    DIR *directory = opendir(folder);
    cr_assert_not_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char *name = ht_format("kept/%s", entry->d_name), *text = workplace_read(name);
        json_t *root = json_loads(strchr(text, '\n') + 1, 0, NULL);
        json_t *made = json_object_get(json_object_get(root, "document"), "made");
        json_int_t when = json_integer_value(json_object_get(made, "when"));
        cr_assert_gt(when, 0);
        json_object_set_new(made, "when", json_integer(when - days * 24 * 3600));
        char sum[HT_HASH_SIZE], *changed = json_dumps(root, JSON_COMPACT);
        ht_hash_bytes(changed, strlen(changed), sum);
        char *whole = ht_format("%s\n%s", sum, changed);
        workplace_write(name, whole);
        free(whole);
        free(changed);
        json_decref(root);
        free(text);
        free(name);
    }
    closedir(directory);
    free(folder);
}

#define TIMED "refactor tree --json --no-verify --out out --analysis-time "

Test(kept, an_outcome_of_time_is_taken_under_the_same_or_a_smaller_limit_for_some_days) {
    deep_write();
    json_t *first = kept_run(TIMED "0.2", 0), *second = kept_run(TIMED "0.2", 1);
    json_t *then = json_array_get(json_object_get(first, "kernels"), 0);
    json_t *now = json_array_get(json_object_get(second, "kernels"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(then, "status")), "too-complex");
    cr_expect(json_is_null(json_object_get(then, "earlier")));
    cr_expect(json_equal(json_object_get(then, "reason"), json_object_get(now, "reason")));
    cr_expect(json_is_string(json_object_get(now, "earlier")), "the report says when it was");
    json_decref(first);
    json_decref(second);
    program_result words = program_run("refactor tree --no-verify --out out --analysis-time 0.2");
    cr_expect(strstr(words.out, "--fresh tries again"), "%s", words.out);
    program_free(&words);
    expect_kept(TIMED "0.1", 1);
    expect_kept(TIMED "0.3", 0); /* it may do this time */
    kept_age(6);
    expect_kept(TIMED "0.3", 1);
    kept_age(2);
    expect_kept(TIMED "0.3", 0);
    expect_kept(TIMED "0.3 --fresh", 0);
}

Test(kept, an_outcome_that_time_did_not_decide_is_taken_under_any_limit_and_stays) {
    kept_tree_write(N);
    expect_kept(REFACTOR, 0);
    expect_kept(REFACTOR " --analysis-time 100", 2);
    kept_age(20);
    expect_kept(REFACTOR " --analysis-time 10", 2);
}
