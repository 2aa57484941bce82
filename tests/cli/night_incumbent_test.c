/* hiptemper run: a winner of earlier nights is replaced by what is faster next to it alone, and
 * stays next to a kernel that cannot be verified. */
#include "tests/cli/night_support.h"

#include "base/memory.h"
#include "runtime/store/database_rows.h"
#include "runtime/store/database_schema.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static void prepare(void) {
    workplace_make();
    night_tree_write("n, 1", "");
}

TestSuite(night_incumbent, .init = prepare, .fini = workplace_remove, .timeout = 500);

/* Has the database say that a configuration was a hundred times as slow. */
static void slow_down(const char *config) {
    sqlite3 *database;
    ht_database_damage damage = {0};
    char *path = ht_format("%s/n.sqlite", workplace());
    char *words = sqlite3_mprintf("UPDATE evaluations SET median_ms = 100 * median_ms, samples = "
                                  "(SELECT json_group_array(100 * value) FROM json_each(samples)) "
                                  "WHERE config = %Q",
                                  config);
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(ht_database_rows_install(database, &damage), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(database, words, NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_changes(database), 1, "%s", words);
    cr_assert_eq(sqlite3_exec(database,
                              "UPDATE evaluations SET checksum = "
                              "(SELECT " HT_DATABASE_EVALUATION_SUM_JOINED
                              " FROM jobs WHERE jobs.id = evaluations.job_id)",
                              NULL, NULL, NULL),
                 SQLITE_OK, "%s", sqlite3_errmsg(database));
    sqlite3_close(database);
    sqlite3_free(words);
    free(path);
}

/* It would be replaced by one that is faster by 90 %, next to it. */
Test(night_incumbent, an_incumbent_is_a_finalist_though_the_search_thinks_nothing_of_it) {
    static const char least[] = "\"least_effect\": 0.9, ";
    night_job_write("[\"tree\"]", 60, 10, least);
    ran_night night = night_run("run n.json --json", 0);
    cr_assert_str_eq(night_text(night_row(&night, 0), "status"), "improved");
    char *config = ht_strdup(night_text(night_row(&night, 0), "config"));
    night_free(&night);
    slow_down(config);
    night_job_write("[\"tree\"]", 60, 15, least);
    night = night_run_again("run n.json --json");
    cr_expect(strstr(night.progress, "its search goes on"), "%s", night.progress);
    cr_expect_str_eq(night_text(night_row(&night, 0), "config"), config);
    night_free(&night);
    free(config);
}

/* The original of `shift` reads past its array, so that nothing of it can be verified, tonight or
 * later. */
Test(night_incumbent, a_kernel_that_nothing_can_be_run_of_leaves_its_file_to_the_next_night) {
    night_tree_write("n, 1", "__global__ void shift(const float *in, float *out, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) out[i] = in[i + 1];\n"
                             "}\n"
                             "void move(const float *in, float *out, int n) {\n"
                             "    shift<<<n, 1>>>(in, out, n);\n"
                             "}\n");
    night_job_write("[\"tree\"]", 600, 2, "");
    workplace_write("tree/scale.problem.json",
                    "{ \"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [ {\n"
                    "  \"kernel\": \"shift\", \"problem\": \"line : m, n := m * 1000\",\n"
                    "  \"args\": [\"in : in float[problem.n]\", \"out : out float[problem.n]\", "
                    "\"n : int = problem.n\"],\n"
                    "  \"host\": {\"n\": \"problem.n\"},\n"
                    "  \"instances\": [ {\"name\": \"a\", \"fields\": {\"m\": 9}} ] } ] }\n");
    ran_night night = night_run("run n.json --json", 1);
    cr_expect_str_eq(night_text(night_row(&night, 0), "status"), "improved");
    cr_expect_str_eq(night_text(night_row(&night, 1), "status"), "withheld", "%s", night.progress);
    const char *reason = night_text(night_row(&night, 1), "reason");
    cr_expect(strstr(reason, "nothing of it could be verified: "), "%s", reason);
    cr_expect_null(strstr(reason, "defect"), "%s", reason);
    night_free(&night);

    night = night_run("run n.json --json", 0);
    cr_expect_eq(night_analyses(&night, "made"), 0, "%s", night.progress);
    for (size_t i = 0; i < 2; ++i)
        cr_expect(json_is_true(json_object_get(night_row(&night, i), "kept")), "%s",
                  night.progress);
    cr_expect_str_eq(night_text(night_row(&night, 0), "tuned_file"), "out/scale.hip");
    night_free(&night);
}
