#include "cli/reports/database/junit.h"

#include "base/memory.h"
#include "base/text.h"
#include "cli/reports/database/document.h"
#include "cli/reports/database/escape.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct counts {
    size_t tests, failures, errors, skipped;
    double seconds;
} counts;

static const char *text_at(const json_t *object, const char *key) {
    return ht_report_text_of(object, key);
}

/* Puts NAME="text". */
static void attribute_put(const char *name, const char *text, ht_text *out) {
    ht_text_printf(out, " %s=\"", name);
    ht_xml_text(text, out);
    ht_text_append(out, "\"");
}

static void property_put(const char *name, const char *text, ht_text *out) {
    if (!*text)
        return;
    ht_text_append(out, "    <property");
    attribute_put("name", name, out);
    attribute_put("value", text, out);
    ht_text_append(out, "/>\n");
}

/* ---- cases */

/* Puts " time 1.1 [1.0, 1.2]" of a change that is known. */
static void change_put(const char *name, const json_t *change, ht_text *out) {
    const json_t *ends = json_object_get(change, "interval");
    if (json_is_array(ends))
        ht_text_printf(out, "%s%s %.3f [%.3f, %.3f] times what it was", out->length ? "; " : "",
                       name, json_number_value(json_object_get(change, "ratio")),
                       json_number_value(json_array_get(ends, 0)),
                       json_number_value(json_array_get(ends, 1)));
}

/* Returns what there is to say of a row, in words; free(). */
static char *words_of(const json_t *row) {
    ht_text words = {0};
    ht_text_append(&words, text_at(row, "reason"));
    change_put("time", json_object_get(row, "change"), &words);
    change_put("original's time", json_object_get(row, "original"), &words);
    const json_t *speedup = json_object_get(row, "speedup");
    const json_t *ends = json_object_get(row, "speedup_ci");
    if (json_is_number(speedup))
        ht_text_printf(&words, "%sspeedup %.3f [%.3f, %.3f]", words.length ? "; " : "",
                       json_number_value(speedup), json_number_value(json_array_get(ends, 0)),
                       json_number_value(json_array_get(ends, 1)));
    return ht_text_take(&words);
}

/* Puts an outcome that is not a success, and counts it. */
static void outcome_put(const char *element, const char *type, const char *words, ht_text *out) {
    ht_text_printf(out, "      <%s", element);
    if (strcmp(element, "skipped") != 0)
        attribute_put("type", type, out);
    char *message = *words ? ht_format("%s: %s", type, words) : ht_strdup(type);
    attribute_put("message", message, out);
    ht_text_append(out, "/>\n");
    free(message);
}

static void case_outcome(const json_t *row, ht_text *out, counts *sums) {
    static const char *const errors[] = {"failed", "withheld", NULL};
    static const char *const skipped[] = {"refused", "needs-problem", "not-run", "gone", NULL};
    const char *status = text_at(row, "status"), *verdict = text_at(row, "verdict");
    char *words = words_of(row);
    if (strcmp(verdict, "slower") == 0 || ht_report_original_slower(row)) {
        ++sums->failures;
        outcome_put("failure", strcmp(verdict, "slower") == 0 ? verdict : "original-slower", words,
                    out);
    } else if (ht_text_is_one(status, errors)) {
        ++sums->errors;
        outcome_put("error", status, words, out);
    } else if (strcmp(verdict, "not-run") == 0 || ht_text_is_one(status, skipped)) {
        ++sums->skipped;
        outcome_put("skipped", strcmp(verdict, "not-run") == 0 ? verdict : status, words, out);
    } else if (*verdict || *words) {
        ht_text_append(out, "      <system-out>");
        ht_xml_text(verdict, out);
        ht_text_append(out, *verdict && *words ? ": " : "");
        ht_xml_text(words, out);
        ht_text_append(out, "</system-out>\n");
    }
    free(words);
}

static void case_put(const json_t *row, const char *time, ht_text *out, counts *sums) {
    const char *kernel = text_at(row, "kernel"), *problem = text_at(row, "problem");
    const char *file = text_at(row, "file");
    double seconds = json_number_value(json_object_get(row, time)) / 1e3;
    char *name = !*kernel   ? ht_strdup("all kernels")
                 : *problem ? ht_format("%s (%s) on %s", kernel, problem, text_at(row, "device"))
                            : ht_format("%s on %s", kernel, text_at(row, "device"));
    ht_text_append(out, "    <testcase");
    attribute_put("classname", *file ? file : "search", out);
    attribute_put("name", name, out);
    ht_text_printf(out, " time=\"%.9f\">\n", seconds);
    case_outcome(row, out, sums);
    ht_text_append(out, "    </testcase>\n");
    ++sums->tests;
    sums->seconds += seconds;
    free(name);
}

static void error_case_put(const json_t *error, ht_text *out, counts *sums) {
    char *words =
        ht_format("line %lld: %s", (long long)json_integer_value(json_object_get(error, "line")),
                  text_at(error, "message"));
    ht_text_append(out, "    <testcase");
    attribute_put("classname", text_at(error, "file"), out);
    ht_text_append(out, " name=\"analysis\" time=\"0\">\n");
    outcome_put("error", "not-analysed", words, out);
    ht_text_append(out, "    </testcase>\n");
    ++sums->tests;
    ++sums->errors;
    free(words);
}

/* ---- suites */

/* Puts a suite whose cases were put into `cases` first, for their counts. */
static void suite_put(const json_t *document, const json_t *night, const char *name,
                      const ht_text *cases, const counts *sums, ht_text *out) {
    const char *began = text_at(night, "began"), *host = text_at(night, "host");
    char *number =
        ht_format("%lld", (long long)json_integer_value(json_object_get(night, "night")));
    ht_text_append(out, "  <testsuite");
    attribute_put("name", name, out);
    ht_text_printf(out,
                   " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.9f\"",
                   sums->tests, sums->failures, sums->errors, sums->skipped, sums->seconds);
    char *stamp = ht_format("%.19s", *began ? began : text_at(document, "made"));
    attribute_put("timestamp", stamp, out); /* UTC, which JUnit writes without "Z" */
    attribute_put("hostname", *host ? host : text_at(document, "host"), out);
    ht_text_append(out, ">\n    <properties>\n");
    property_put("database", text_at(document, "database"), out);
    property_put("made", text_at(document, "made"), out);
    property_put("night", night ? number : "", out);
    property_put("commit", text_at(night, "commit"), out);
    property_put("hiptemper",
                 *text_at(night, "hiptemper") ? text_at(night, "hiptemper")
                                              : text_at(document, "hiptemper"),
                 out);
    ht_text_append(out, "    </properties>\n");
    ht_text_append(out, cases->data ? cases->data : "");
    ht_text_append(out, "  </testsuite>\n");
    free(stamp);
    free(number);
}

static void add(counts *sums, const counts *of) {
    sums->tests += of->tests;
    sums->failures += of->failures;
    sums->errors += of->errors;
    sums->skipped += of->skipped;
    sums->seconds += of->seconds;
}

/* Puts the suite of a job's latest night; `with_errors`: of files, too. */
static void night_suite(const json_t *document, const json_t *night, bool with_errors, ht_text *out,
                        counts *all) {
    ht_text cases = {0};
    counts sums = {0};
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(document, "kernels"), index,
                       row) if (strcmp(text_at(row, "job"), text_at(night, "job")) == 0)
        case_put(row, "tuned_ms", &cases, &sums);
    json_array_foreach(json_object_get(document, "errors"), index, row) if (with_errors)
        error_case_put(row, &cases, &sums);
    suite_put(document, night, text_at(night, "job"), &cases, &sums, out);
    add(all, &sums);
    ht_text_free(&cases);
}

static void searches_suite(const json_t *document, ht_text *out, counts *all) {
    ht_text cases = {0};
    counts sums = {0};
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(document, "searches"), index, row)
        case_put(row, "best_ms", &cases, &sums);
    suite_put(document, NULL, "searches", &cases, &sums, out);
    add(all, &sums);
    ht_text_free(&cases);
}

/* Returns true if a night is its job's latest one, of several shards or devices the last. */
static bool is_last_of_job(const json_t *nights, size_t index) {
    const char *job = text_at(json_array_get(nights, index), "job");
    for (size_t i = index + 1; i < json_array_size(nights); ++i)
        if (strcmp(text_at(json_array_get(nights, i), "job"), job) == 0)
            return false;
    return true;
}

char *ht_database_junit(const json_t *document) {
    const json_t *nights = json_object_get(document, "nights");
    ht_text suites = {0}, out = {0};
    counts all = {0};
    bool first = true;
    size_t index;
    json_t *night;
    json_array_foreach(nights, index, night) {
        if (!is_last_of_job(nights, index))
            continue;
        night_suite(document, night, first, &suites, &all);
        first = false;
    }
    if (json_array_size(nights) == 0)
        searches_suite(document, &suites, &all);
    ht_text_printf(&out,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hiptemper\" "
                   "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.9f\">\n",
                   all.tests, all.failures, all.errors, all.skipped, all.seconds);
    ht_text_append(&out, suites.data ? suites.data : "");
    ht_text_append(&out, "</testsuites>\n");
    ht_text_free(&suites);
    return ht_text_take(&out);
}
