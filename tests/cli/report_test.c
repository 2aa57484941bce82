/* hiptemper report: all forms of what databases hold. */
#include "program.h"
#include "report_database.h"
#include "xml_text.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tool.h"
#include "runtime/store/database.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

TestSuite(report, .init = workplace_make, .fini = workplace_remove, .timeout = 60);

#define FORMS "--html r.html --junit r.xml --markdown r.md --json r.json"

/* ---- what is looked at */

/* A report in all its forms; free with forms_free. */
typedef struct forms {
    char *html, *junit, *markdown;
    json_t *json;
} forms;

static forms report(const char *database) {
    char *words = ht_format("report %s " FORMS, database);
    program_result result = program_run(words);
    cr_assert_eq(result.code, 0, "%d: %s%s", result.code, result.out, result.err);
    program_free(&result);
    free(words);
    char *json = workplace_read("r.json");
    forms made = {workplace_read("r.html"), workplace_read("r.xml"), workplace_read("r.md"),
                  json_loads(json ? json : "", 0, NULL)};
    cr_assert(made.html && made.junit && made.markdown && made.json);
    free(json);
    return made;
}

static void forms_free(forms *made) {
    free(made->html);
    free(made->junit);
    free(made->markdown);
    json_decref(made->json);
}

static const json_t *kernel_of(const forms *made, const char *name) {
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(made->json, "kernels"), index,
                       row) if (strcmp(json_string_value(json_object_get(row, "kernel")), name) ==
                                0) return row;
    cr_assert(false, "no kernel %s", name);
    return NULL;
}

static const char *text_at(const json_t *row, const char *key) {
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        ++count;
    return count;
}

static bool has_gnuplot(void) {
    char *found = ht_tool_find("gnuplot");
    free(found);
    return found != NULL;
}

static const fake_result steady = {.kernel = "steady",
                                   .problem = "small",
                                   .file = "tree/a.hip",
                                   .key = "aaaa",
                                   .diff = "--- a/a.hip\n+++ b/a.hip\n@@ -1 +1 @@\n-old\n+new\n",
                                   .tuned = 4,
                                   .original = 10};
static const fake_result worse = {.kernel = "worse",
                                  .problem = "small",
                                  .file = "tree/b.hip",
                                  .key = "bbbb",
                                  .tuned = 5,
                                  .original = 10};

/* A finished night with both, `worse` at this time. */
static void night_make(const char *name, double time) {
    ht_nights *nights = fake_open(name);
    int64_t night = fake_begin(nights);
    fake_result now = worse;
    now.tuned = time;
    now.key = time > 6 ? "cccc" : "bbbb"; /* another code */
    fake_put(nights, night, &steady);
    fake_put(nights, night, &now);
    fake_end(nights, night, NULL);
    ht_nights_close(nights);
}

/* ---- databases */

Test(report, a_database_with_nothing_in_it_has_a_report_in_all_forms) {
    char *path = ht_path_join(workplace(), "n.sqlite");
    ht_database *database;
    cr_assert_eq(ht_database_open(path, &database, NULL), HT_OK);
    ht_database_close(database);
    free(path);
    forms made = report("n.sqlite");
    cr_expect_str_eq(xml_text(made.junit, "/testsuites/@tests"), "0");
    cr_expect_str_eq(xml_text(made.junit, "count(//testcase)"), "0");
    cr_expect(strstr(made.html, "no kernels and no searches"));
    cr_expect(strstr(made.markdown, "No kernels."));
    cr_expect_eq(json_array_size(json_object_get(made.json, "kernels")), 0);
    forms_free(&made);
}

Test(report, a_database_of_one_night_has_new_kernels_and_what_the_night_was) {
    night_make("n.sqlite", 5);
    fake_search("n.sqlite", "steady", "aaaa", 20);
    forms made = report("n.sqlite");
    const json_t *row = kernel_of(&made, "steady");
    cr_expect_str_eq(text_at(row, "verdict"), "new");
    cr_expect_eq(json_array_size(json_object_get(row, "history")), 1);
    cr_expect_float_eq(json_real_value(json_object_get(row, "speedup")), 2.5, 1e-9);
    cr_expect(strstr(text_at(row, "diff"), "+new"));
    cr_expect(json_is_integer(json_object_get(row, "search")), "its search is found by its key");
    cr_expect(json_is_null(json_object_get(kernel_of(&made, "worse"), "search")));
    const char *const facts[] = {"night.example", "0123456789abcdef0123456789abcdef01234567",
                                 "0.1.0", text_at(made.json, "made")};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; ++i) {
        cr_expect(strstr(made.html, facts[i]), "%s", facts[i]);
        cr_expect(strstr(made.junit, facts[i]), "%s", facts[i]);
        cr_expect(strstr(made.markdown, facts[i]), "%s", facts[i]);
    }
    cr_expect_str_eq(xml_text(made.junit, "/testsuites/@failures"), "0");
    cr_expect_str_eq(xml_text(made.junit, "count(//testcase)"), "2");
    cr_expect(strstr(made.html, "<span class=\"added\">+new</span>"));
    cr_expect(strstr(made.html, "host emulation"));
    forms_free(&made);
}

Test(report, of_many_nights_the_latest_counts_and_what_became_slower_comes_first) {
    for (int i = 0; i < 5; ++i)
        night_make("n.sqlite", 5);
    night_make("n.sqlite", 8);
    forms made = report("n.sqlite");
    const json_t *first = json_array_get(json_object_get(made.json, "kernels"), 0);
    cr_expect_str_eq(text_at(first, "kernel"), "worse");
    cr_expect_str_eq(text_at(first, "verdict"), "slower");
    double ratio = json_real_value(json_object_get(json_object_get(first, "change"), "ratio"));
    cr_expect_float_eq(ratio, 1.6, 0.01);
    cr_expect_str_eq(text_at(kernel_of(&made, "steady"), "verdict"), "same");
    cr_expect_eq(json_array_size(json_object_get(first, "history")), 6);
    cr_expect_str_eq(xml_text(made.junit, "/testsuites/@failures"), "1");
    cr_expect_str_eq(xml_text(made.junit, "//testcase[failure]/@name"), "worse (small) on host");
    cr_expect_str_eq(xml_text(made.junit, "//failure/@type"), "slower");
    const char *slower = strstr(made.markdown, "`worse`"),
               *same = strstr(made.markdown, "`steady`");
    cr_expect(slower && same && slower < same, "%s", made.markdown);
    if (has_gnuplot()) {
        cr_expect_eq(count_of(made.html, "Over nights:"), 2);
        cr_expect_eq(count_of(made.html, "<svg viewBox="), 3, "speedups, and two histories");
    }
    forms_free(&made);
}

Test(report, verdicts_are_those_that_the_night_gave) {
    night_make("n.sqlite", 5);
    ht_nights *nights = fake_open("n.sqlite");
    int64_t night = fake_begin(nights);
    fake_result now = worse;
    fake_put(nights, night, &now);
    fake_end(nights, night,
             json_pack("[{s:s, s:s, s:s, s:s, s:s, s:s}, {s:s, s:s, s:s, s:s, s:s, s:s, s:s},"
                       " {s:s, s:s, s:s, s:s, s:s, s:b}]",
                       "kernel", "worse", "problem", "small", "device", "host", "file",
                       "tree/b.hip", "kernel_key", "bbbb", "verdict", "unclear", "kernel", "",
                       "problem", "", "device", "host", "file", "tree/c.hip", "status", "not-run",
                       "verdict", "not-run", "reason", "the budget was at its end", "kernel",
                       "steady", "problem", "small", "device", "host", "file", "tree/a.hip",
                       "kernel_key", "aaaa", "kept", 1));
    ht_nights_close(nights);
    forms made = report("n.sqlite");
    cr_expect_str_eq(text_at(kernel_of(&made, "worse"), "verdict"), "unclear");
    cr_expect_str_eq(text_at(kernel_of(&made, "steady"), "verdict"), "same", "it was kept");
    cr_expect(json_is_true(json_object_get(kernel_of(&made, "steady"), "kept")));
    cr_expect_str_eq(text_at(kernel_of(&made, ""), "verdict"), "not-run");
    cr_expect_str_eq(xml_text(made.junit, "//testcase[skipped]/@classname"), "tree/c.hip");
    cr_expect_str_eq(xml_text(made.junit, "/testsuites/@skipped"), "1");
    forms_free(&made);
}

Test(report, an_original_that_became_slower_is_a_failure_and_named_in_every_form) {
    night_make("n.sqlite", 5);
    ht_nights *nights = fake_open("n.sqlite");
    int64_t night = fake_begin(nights);
    fake_put(nights, night, &worse);
    fake_end(nights, night,
             json_pack("[{s:s, s:s, s:s, s:s, s:s, s:s, s:{s:s, s:f, s:[f, f]}}]", "kernel",
                       "worse", "problem", "small", "device", "host", "file", "tree/b.hip",
                       "kernel_key", "bbbb", "verdict", "same", "original", "verdict", "slower",
                       "ratio", 1.5, "interval", 1.4, 1.6));
    ht_nights_close(nights);
    forms made = report("n.sqlite");
    cr_expect_str_eq(text_at(json_array_get(json_object_get(made.json, "kernels"), 0), "kernel"),
                     "worse", "it comes first");
    cr_expect_str_eq(xml_text(made.junit, "//failure/@type"), "original-slower");
    cr_expect(strstr(made.markdown, "`same`, original slower"), "%s", made.markdown);
    cr_expect_eq(count_of(made.html, ">original slower<"), 3, "sum, table and kernel");
    cr_expect(strstr(made.html, "<b>1</b>original slower"));
    forms_free(&made);
}

/* A row of a night's report. */
static json_t *said(const fake_result *of, const char *verdict, bool kept) {
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s?, s:b}", "kernel", of->kernel, "problem",
                     of->problem, "device", "host", "file", of->file, "kernel_key", of->key,
                     "verdict", verdict, "kept", kept);
}

Test(report, a_kernel_of_a_renamed_file_is_there_once_with_its_history_and_a_copy_is_another) {
    night_make("n.sqlite", 5);
    fake_result moved = steady, again = worse, copied = worse;
    moved.file = "tree/renamed.hip";
    copied.file = "tree/copy.hip";
    ht_nights *nights = fake_open("n.sqlite");
    int64_t night = fake_begin(nights);
    fake_put(nights, night, &moved);
    fake_put(nights, night, &copied);
    fake_end(nights, night,
             json_pack("[o, o, o]", said(&moved, "same", false), said(&again, NULL, true),
                       said(&copied, "same", false)));
    ht_nights_close(nights);
    forms made = report("n.sqlite");
    const json_t *renamed = kernel_of(&made, "steady");
    cr_expect_eq(json_array_size(json_object_get(made.json, "kernels")), 3);
    cr_expect_str_eq(text_at(renamed, "file"), "tree/renamed.hip");
    cr_expect_eq(json_array_size(json_object_get(renamed, "history")), 2);
    cr_expect_eq(count_of(made.junit, "name=\"worse (small) on host\""), 2);
    forms_free(&made);
}

Test(report, a_night_of_one_shard_says_nothing_of_the_others_kernels) {
    const fake_result *const of_shard[] = {&steady, &worse};
    ht_nights *nights = fake_open("n.sqlite");
    for (int i = 0; i < 4; ++i) {
        int64_t night = fake_begin(nights);
        fake_result again = *of_shard[i % 2];
        fake_put(nights, night, &again);
        fake_end_of(nights, night, json_pack("[o]", said(&again, i < 2 ? "new" : "same", false)),
                    i % 2 ? "2/2" : "1/2", NULL);
    }
    ht_nights_close(nights);
    forms made = report("n.sqlite");
    cr_expect_eq(json_array_size(json_object_get(made.json, "kernels")), 2);
    cr_expect_str_eq(text_at(kernel_of(&made, "steady"), "verdict"), "same");
    cr_expect_str_eq(xml_text(made.junit, "count(//testcase)"), "2");
    cr_expect_eq(count_of(made.markdown, "shard"), 2, "the latest of both: %s", made.markdown);
    forms_free(&made);
}

Test(report, a_night_of_one_device_says_nothing_of_the_kernels_of_another) {
    ht_nights *nights = fake_open("n.sqlite");
    int64_t night = fake_begin(nights);
    fake_put(nights, night, &steady);
    fake_end_of(nights, night, json_pack("[o]", said(&steady, "new", false)), NULL, "host");
    night = fake_begin(nights);
    fake_end_of(nights, night, json_array(), NULL, "amd:0");
    ht_nights_close(nights);
    forms made = report("n.sqlite");
    cr_expect_str_eq(text_at(kernel_of(&made, "steady"), "verdict"), "new");
    cr_expect_eq(count_of(made.markdown, "Night "), 2);
    forms_free(&made);
}

Test(report, what_had_no_turn_after_a_change_is_not_run_under_its_name) {
    night_make("n.sqlite", 5);
    ht_nights *nights = fake_open("n.sqlite");
    int64_t night = fake_begin(nights);
    fake_result file = {.kernel = "", .problem = "", .file = "tree/a.hip", .key = ""};
    json_t *row = said(&file, "not-run", false);
    json_object_set_new(row, "status", json_string("not-run"));
    fake_end(nights, night, json_pack("[o, o]", row, said(&worse, NULL, true)));
    ht_nights_close(nights);
    forms made = report("n.sqlite");
    cr_expect_eq(json_array_size(json_object_get(made.json, "kernels")), 2);
    cr_expect_str_eq(text_at(kernel_of(&made, "steady"), "verdict"), "not-run");
    cr_expect_str_eq(text_at(kernel_of(&made, "worse"), "verdict"), "same");
    forms_free(&made);
}

Test(report, what_failed_is_an_error_and_a_refused_kernel_is_skipped) {
    ht_nights *nights = fake_open("n.sqlite");
    int64_t night = fake_begin(nights);
    fake_result failed = steady, refused = worse;
    failed.status = "failed";
    refused.status = "refused";
    failed.tuned = refused.tuned = 0;
    fake_put(nights, night, &failed);
    fake_put(nights, night, &refused);
    fake_end(nights, night, NULL);
    ht_nights_close(nights);
    forms made = report("n.sqlite");
    cr_expect_str_eq(xml_text(made.junit, "//testcase[error]/@name"), "steady (small) on host");
    cr_expect_str_eq(xml_text(made.junit, "//testcase[skipped]/@name"), "worse (small) on host");
    cr_expect_str_eq(xml_text(made.junit, "//testsuite/@errors"), "1");
    cr_expect_str_eq(text_at(json_array_get(json_object_get(made.json, "kernels"), 0), "kernel"),
                     "steady", "what failed comes first");
    forms_free(&made);
}

Test(report, a_database_without_nights_is_reported_by_searches) {
    fake_search("n.sqlite", "lone", "dddd", 20);
    forms made = report("n.sqlite");
    const json_t *search = json_array_get(json_object_get(made.json, "searches"), 0);
    cr_expect_eq(json_integer_value(json_object_get(search, "evaluations")), 20);
    cr_expect_eq(json_integer_value(json_object_get(search, "rejections")), 4);
    cr_expect_float_eq(json_real_value(json_object_get(search, "original_ms")), 2, 1e-9);
    const json_t *rejected = json_object_get(search, "rejected");
    cr_expect_eq(json_array_size(rejected), 1, "one reason, but for numbers");
    cr_expect_eq(json_integer_value(json_object_get(json_array_get(rejected, 0), "count")), 4);
    cr_expect_str_eq(xml_text(made.junit, "//testcase/@name"),
                     "lone (N=16) on host: host emulation");
    cr_expect(strstr(made.html, "Rejected variants: 4"));
    if (has_gnuplot())
        cr_expect(count_of(made.html, "<svg viewBox=") >= 4, "speedups, two of progress, effects");
    forms_free(&made);
}

static ht_database_key search_key(const char *kernel, const char *key) {
    return (ht_database_key){.source_hash = key,
                             .template_name = kernel,
                             .template_hash = key,
                             .problem = "N=16",
                             .device = "host: host emulation",
                             .compiler = "clang 19",
                             .method = "m",
                             .settings = "s",
                             .checking = "outputs"};
}

Test(report, a_condemned_configuration_is_rejected_whatever_was_measured) {
    fake_search("n.sqlite", "lone", "dddd", 3);
    char *path = ht_path_join(workplace(), "n.sqlite");
    const ht_database_key key = search_key("lone", "dddd");
    /* the last, which is the fastest, and one of which nothing was kept */
    const char *const configs[] = {"BLOCK=64 TILED=false TYPE=\"long long\"",
                                   "BLOCK=99 TILED=false TYPE=\"long long\""};
    ht_database *database;
    cr_assert_eq(ht_database_open(path, &database, NULL), HT_OK);
    for (int i = 0; i < 4; ++i) {
        unsigned count;
        cr_assert_eq(ht_database_add_death(database, &key, configs[i / 2], HT_ERROR_CRASH,
                                           "crash: SIGSEGV", &count, NULL),
                     HT_OK);
    }
    ht_database_close(database);
    free(path);
    forms made = report("n.sqlite");
    const json_t *search = json_array_get(json_object_get(made.json, "searches"), 0);
    cr_expect_eq(json_array_size(json_object_get(made.json, "searches")), 1);
    cr_expect_eq(json_integer_value(json_object_get(search, "evaluations")), 4);
    cr_expect_eq(json_integer_value(json_object_get(search, "rejections")), 2);
    cr_expect_str_eq(text_at(search, "best"), "BLOCK=32 TILED=false TYPE=\"long long\"");
    const json_t *rejected = json_array_get(json_object_get(search, "rejected"), 0);
    cr_expect_str_eq(text_at(rejected, "example"), "crash: SIGSEGV");
    forms_free(&made);
}

Test(report, a_row_that_was_changed_by_hand_is_left_out_with_a_warning) {
    fake_search("n.sqlite", "lone", "dddd", 3);
    char *path = ht_path_join(workplace(), "n.sqlite");
    sqlite3 *sqlite;
    cr_assert_eq(sqlite3_open(path, &sqlite), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(sqlite,
                              "UPDATE evaluations SET median_ms = 0.001 WHERE config LIKE "
                              "'BLOCK=64%'",
                              NULL, NULL, NULL),
                 SQLITE_OK);
    sqlite3_close(sqlite);
    free(path);
    program_result result = program_run("report n.sqlite --json");
    cr_expect_eq(result.code, 0);
    cr_expect(strstr(result.err, "does not fit its checksum"), "%s", result.err);
    json_t *document = json_loads(result.out, 0, NULL);
    const json_t *search = json_array_get(json_object_get(document, "searches"), 0);
    cr_expect_eq(json_integer_value(json_object_get(search, "evaluations")), 2);
    cr_expect_gt(json_real_value(json_object_get(search, "best_ms")), 0.01);
    json_decref(document);
    program_free(&result);
}

Test(report, what_is_no_database_is_refused) {
    workplace_write("x.sqlite", "not a database at all, but long enough to be looked at");
    const char *const names[] = {"x.sqlite", "missing.sqlite"};
    for (size_t i = 0; i < 2; ++i) {
        char *words = ht_format("report %s --html r.html", names[i]);
        program_result result = program_run(words);
        cr_expect_eq(result.code, 2, "%s", result.err);
        cr_expect(strstr(result.err, names[i]));
        char *page = workplace_read("r.html");
        cr_expect_null(page);
        program_free(&result);
        free(words);
    }
}

Test(report, a_report_never_replaces_its_database) {
    night_make("n.sqlite", 5);
    program_result result = program_run("report n.sqlite --html n.sqlite");
    cr_expect_neq(result.code, 0);
    program_free(&result);
    forms made = report("n.sqlite");
    forms_free(&made);
}

/* ---- words of others */

Test(report, hostile_names_are_words_in_every_form) {
    static const char name[] = "</script><script>alert(1)</script>`touch pwned`|@you\x01\"'&";
    fake_result hostile = worse;
    hostile.kernel = name;
    hostile.problem = "$(touch pwned)\n| x |\\|";
    hostile.file = "tree/<img src=x onerror=alert(1)>.hip";
    hostile.diff = "--- a\n+++ b\n+</pre><script>alert(2)</script>\n";
    for (int i = 0; i < 2; ++i) {
        ht_nights *nights = fake_open("n.sqlite");
        int64_t night = fake_begin(nights);
        fake_put(nights, night, &hostile);
        fake_put(nights, night, &steady);
        fake_end(nights, night, NULL);
        ht_nights_close(nights);
    }
    fake_search("n.sqlite", name, "bbbb", 20);
    forms made = report("n.sqlite");
    cr_expect(kernel_of(&made, name), "JSON has it as it is");
    cr_expect_eq(count_of(made.html, "<script"), 1, "the page's own");
    cr_expect_null(strstr(made.html, "<img"));
    cr_expect(strstr(made.html, "&lt;script&gt;alert(1)"));
    cr_expect_str_eq(xml_text(made.junit, "//testcase[contains(@name, 'alert')]/@classname"),
                     hostile.file);
    const char *kernel = xml_text(made.junit, "//testcase[contains(@name, 'alert')]/@name");
    cr_expect(ht_text_begins(kernel, "</script><script>alert(1)</script>`touch pwned`|@you"
                                     "\xef\xbf\xbd\"'& ($(touch pwned)\n| x |\\|)"),
              "%s", kernel);
    const char *row = strstr(made.markdown, "alert(1)"), *from = row, *end = strchr(row, '\n');
    while (from[-1] != '\n')
        --from;
    size_t bars = 0;
    for (const char *at = from; at < end; ++at)
        bars += *at == '|' && at[-1] != '\\';
    cr_expect_eq(bars, 8, "seven cells: %.*s", (int)(end - from), from);
    cr_expect(strstr(from, "| `` </script>"), "code, with more ticks than it has: %s", from);
    char *pwned = workplace_read("pwned");
    cr_expect_null(pwned, "nothing of a name is run");
    forms_free(&made);
}

Test(report, a_markdown_report_of_thousands_of_kernels_fits_into_a_pull_request) {
    enum { KERNELS = 1500, LIMIT = 65536 };
    ht_nights *nights = fake_open("n.sqlite");
    int64_t night = fake_begin(nights);
    for (int i = 0; i < KERNELS; ++i) {
        char *name = ht_format("kernel_%d_%0200d", i, 0);
        fake_result many = steady;
        many.kernel = name;
        many.tuned = 0;
        many.status = i == KERNELS - 1 ? "failed" : "refused";
        many.diff = NULL;
        fake_put(nights, night, &many);
        free(name);
    }
    fake_end(nights, night, NULL);
    ht_nights_close(nights);
    forms made = report("n.sqlite");
    cr_expect_lt(strlen(made.markdown), LIMIT);
    cr_expect_gt(strlen(made.markdown), LIMIT / 2);
    cr_expect(strstr(made.markdown, "more, which do not fit here"));
    cr_expect(strstr(made.markdown, "kernel_1499"), "what failed is there");
    cr_expect_str_eq(xml_text(made.junit, "count(//testcase)"), "1500");
    forms_free(&made);
}

/* ---- the page */

Test(report, the_page_loads_nothing_and_runs_one_script) {
    night_make("n.sqlite", 5);
    forms made = report("n.sqlite");
    char *page = ht_text_replaced(made.html, "http://www.w3.org", "");
    cr_expect_null(strstr(page, "http:"), "no address but the names of namespaces");
    cr_expect_null(strstr(page, "https:"));
    cr_expect_null(strstr(page, " src="));
    cr_expect_null(strstr(page, "url("));
    cr_expect(strstr(page, "Content-Security-Policy"));
    cr_expect(strstr(page, "prefers-color-scheme: dark"));
    cr_expect(strstr(page, "name=\"viewport\""));
    free(page);
    forms_free(&made);
}

Test(report, without_gnuplot_the_page_has_no_plots_and_says_so) {
    night_make("n.sqlite", 5);
    setenv("PATH", workplace(), 1);
    program_result result = program_run("report n.sqlite --html r.html");
    cr_expect_eq(result.code, 0, "%s", result.err);
    cr_expect(strstr(result.err, "gnuplot is not installed"), "%s", result.err);
    char *page = workplace_read("r.html");
    cr_expect(page && strstr(page, "gnuplot is not installed"));
    cr_expect_null(strstr(page, "<svg viewBox="));
    cr_expect(strstr(page, "<table"));
    free(page);
    program_free(&result);
}

/* ---- standard output, and programs */

Test(report, a_form_on_standard_output_is_alone_there) {
    night_make("n.sqlite", 5);
    program_result result = program_run("report n.sqlite --markdown -");
    cr_expect_eq(result.code, 0);
    cr_expect(ht_text_begins(result.out, "### hiptemper: "), "%s", result.out);
    cr_expect(strstr(result.err, "2 kernels:"), "%s", result.err);
    program_free(&result);
}

Test(report, a_program_is_notified_with_the_document_and_its_failure_is_ours) {
    night_make("n.sqlite", 5);
    workplace_write("hook.sh", "cat > \"$1\"; exit \"$2\"\n");
    const char *const words[] = {"report", "n.sqlite", "--notify", "sh hook.sh got.json 0", NULL};
    program_result result = program_run_arguments(words);
    cr_expect_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    char *text = workplace_read("got.json");
    json_t *document = json_loads(text ? text : "", 0, NULL);
    cr_expect_str_eq(text_at(document, "format"), "hiptemper-report");
    cr_expect_eq(json_array_size(json_object_get(document, "kernels")), 2);
    json_decref(document);
    free(text);
    const char *const failing[] = {"report", "n.sqlite", "--notify", "sh hook.sh got.json 7", NULL};
    result = program_run_arguments(failing);
    cr_expect_eq(result.code, 1);
    cr_expect(strstr(result.err, "--notify: sh ended with exit code 7"), "%s", result.err);
    program_free(&result);
    result = program_run("report n.sqlite --notify ./no-such-program");
    cr_expect_eq(result.code, 3, "%s", result.err);
    program_free(&result);
}
