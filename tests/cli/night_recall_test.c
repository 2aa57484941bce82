/* hiptemper run: what a night takes from earlier ones, so that it begins with the search. */
#include "tests/cli/night_support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void prepare(void) {
    workplace_make();
    night_tree_write("n, 1", "");
    night_job_write("[\"tree\"]", 60, 2, "");
}

TestSuite(night_recall, .init = prepare, .fini = workplace_remove, .timeout = 200);

static void expect_analyses(const ran_night *night, int made, int kept) {
    cr_expect_eq(night_analyses(night, "made"), made, "%s", night->progress);
    cr_expect_eq(night_analyses(night, "kept"), kept, "%s", night->progress);
}

/* Blocks of one thread: whatever is tried first is faster, and the search finds it again. */
Test(night_recall, a_search_goes_on_without_reading_its_source_again) {
    ran_night night = night_run("run n.json --json", 0);
    expect_analyses(&night, 1, 0);
    cr_expect_str_eq(night_text(night_row(&night, 0), "status"), "improved");
    char *key = ht_strdup(night_text(night_row(&night, 0), "kernel_key"));
    char *config = ht_strdup(night_text(night_row(&night, 0), "config"));
    char *copy = workplace_read("out/scale.hip");
    cr_assert_not_null(copy);
    night_free(&night);

    workplace_write("out/scale.hip", "not what was checked\n");
    night_job_write("[\"tree\"]", 60, 3, "\"least_effect\": 0.02, ");
    night = night_run_again("run n.json --json");
    cr_expect(strstr(night.progress, "its search goes on"), "%s", night.progress);
    cr_expect_eq(night_analyses(&night, "kept"), 1);
    const json_t *row = night_row(&night, 0);
    cr_expect_str_eq(night_text(row, "kernel_key"), key, "the same template");
    char *now = workplace_read("out/scale.hip");
    if (strcmp(night_text(row, "config"), config) == 0) {
        expect_analyses(&night, 0, 1);
        cr_expect_str_eq(now, copy, "the copy that was checked is put back");
    } else { /* another won: that is written from the source */
        expect_analyses(&night, 1, 1);
        cr_expect(strstr(now, "scale<<<"), "%s", now);
    }
    cr_expect(json_is_true(json_object_get(row, "verified")));
    cr_expect_str_eq(night_text(row, "tuned_file"), "out/scale.hip");
    night_free(&night);
    free(now);
    free(copy);
    free(config);
    free(key);
}

Test(night_recall, a_program_that_is_not_there_is_a_mistake_in_the_job) {
    night_job_write("[{\"program\": \"none.hip\"}]", 60, 1, "");
    program_result result = program_run("run n.json");
    cr_expect_eq(result.code, 2, "%s", result.err);
    cr_expect(strstr(result.err, "there is no file 'none.hip'"), "%s", result.err);
    program_free(&result);
    night_job_write("[{\"program\": \"tree/scale.hip\", \"read\": \"none\"}]", 60, 1, "");
    result = program_run("run n.json");
    cr_expect_eq(result.code, 2, "%s", result.err);
    cr_expect(strstr(result.err, "there is no folder 'none'"), "%s", result.err);
    program_free(&result);
    night_job_write("[{\"program\": \"tree/scale.hip\", \"arguments\": [\"8\"]}]", 60, 1, "");
    result = program_run("run --dry-run n.json");
    cr_expect_eq(result.code, 0, "%s", result.err);
    cr_expect(strstr(result.out, "program tree/scale.hip 8: it is built and run for its launches "
                                 "first"),
              "%s", result.out);
    program_free(&result);
}
