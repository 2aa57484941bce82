#include "runtime/store/database_export.h"

#include "base/memory.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/database_schema.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS_WHERE                                                                                 \
    " FROM jobs WHERE (?1 IS NULL OR template_name = ?1) AND (?2 IS NULL OR problem = ?2)"         \
    " AND (?3 IS NULL OR instr(device, ?3)) AND (?4 = 0 OR id = ?4)"                               \
    " AND " HT_DATABASE_JOB_GOOD " ORDER BY id"

static const char jobs_query[] = "SELECT id, template_name, problem, device, created,"
                                 " (SELECT count(*) FROM evaluations WHERE job_id = jobs.id AND"
                                 " config <> 'original')" JOBS_WHERE;
static const char evaluations_query[] =
    "SELECT config, status, median_ms, samples, compile_seconds, evaluations.created"
    " FROM evaluations JOIN jobs ON jobs.id = job_id"
    " WHERE job_id = ?1 AND config <> 'original' AND " HT_DATABASE_EVALUATION_GOOD
    " ORDER BY evaluations.id";

enum { JOBS_TOLD = 12 };

typedef struct exporter {
    const char *path;
    sqlite3 *sqlite;
    ht_recording *recording;
    ht_error *error;
} exporter;

bool ht_database_is(const char *path) {
    static const char magic[] = "SQLite format 3"; /* and the NUL */
    char head[sizeof magic] = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    bool same =
        fread(head, 1, sizeof head, file) == sizeof head && !memcmp(head, magic, sizeof magic);
    fclose(file);
    return same;
}

static ht_status fail(const exporter *run, const char *doing) {
    return ht_database_fail(run->sqlite, run->path, doing, run->error);
}

static const char *text_of(sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

static void job_take(const exporter *run, sqlite3_stmt *row) {
    ht_recording *recording = run->recording;
    free(recording->kernel);
    free(recording->device);
    free(recording->problem);
    recording->kernel = ht_strdup(text_of(row, 1));
    recording->device = ht_strdup(text_of(row, 3));
    json_t *problem = json_string(text_of(row, 2));
    char *text = problem ? json_dumps(problem, JSON_ENCODE_ANY) : NULL;
    recording->problem = ht_strdup(text ? text : "");
    free(text);
    json_decref(problem);
}

static ht_status job_find(const exporter *run, const ht_database_choice *choice,
                          sqlite3_int64 *out_job) {
    sqlite3_stmt *jobs = NULL;
    if (sqlite3_prepare_v2(run->sqlite, jobs_query, -1, &jobs, NULL) != SQLITE_OK)
        return fail(run, "cannot be read");
    sqlite3_bind_text(jobs, 1, choice->kernel, -1, SQLITE_STATIC);
    sqlite3_bind_text(jobs, 2, choice->problem, -1, SQLITE_STATIC);
    sqlite3_bind_text(jobs, 3, choice->device, -1, SQLITE_STATIC);
    sqlite3_bind_int64(jobs, 4, (sqlite3_int64)choice->job);
    ht_text told = {0};
    size_t count = 0;
    int step;
    while ((step = sqlite3_step(jobs)) == SQLITE_ROW) {
        *out_job = sqlite3_column_int64(jobs, 0);
        if (count++ < JOBS_TOLD)
            ht_text_printf(
                &told, "\n  --job %lld: %.80s, %.200s, %.120s, %.20s, %lld configurations",
                (long long)*out_job, text_of(jobs, 1), text_of(jobs, 2), text_of(jobs, 3),
                text_of(jobs, 4), (long long)sqlite3_column_int64(jobs, 5));
        job_take(run, jobs);
    }
    ht_status status = step == SQLITE_DONE ? HT_OK : fail(run, "cannot be read");
    if (status == HT_OK && count == 0)
        status = ht_error_set_at(run->error, HT_ERROR_INPUT, run->path, 0, 0,
                                 "has no job that fits --kernel, --problem, --device and --job");
    if (status == HT_OK && count > 1)
        status = ht_error_set_at(run->error, HT_ERROR_INPUT, run->path, 0, 0,
                                 "has %zu jobs that fit; choose one:%s%s", count, told.data,
                                 count > JOBS_TOLD ? "\n  ..." : "");
    ht_text_free(&told);
    sqlite3_finalize(jobs);
    return status;
}

/* Returns a value by its text: "16" is an integer, "true" a boolean, all else a text. */
static ht_recorded_value value_of(char *text) {
    char *end;
    errno = 0;
    long long integer = strtoll(text, &end, 10);
    if (*text && !*end && errno == 0)
        return (ht_recorded_value){HT_RECORDED_INTEGER, integer, (double)integer, text};
    bool on = !strcmp(text, "true");
    if (on || !strcmp(text, "false"))
        return (ht_recorded_value){HT_RECORDED_BOOLEAN, on, on, on ? "True" : "False"};
    return (ht_recorded_value){HT_RECORDED_TEXT, 0, 0, text};
}

/* Takes "NAME=value" or "NAME=\"a value\"" off the front; false at the end and on nonsense. */
static bool take_pair(char **at, char **out_name, char **out_value) {
    char *name = *at + strspn(*at, " "), *equals = strchr(name, '=');
    if (!equals || equals == name)
        return false;
    *equals = 0;
    *out_name = name;
    *out_value = equals + 1;
    char closing = ' ';
    if (**out_value == '"') {
        ++*out_value;
        closing = '"';
    }
    char *end = strchr(*out_value, closing);
    *at = end ? end + 1 : *out_value + strlen(*out_value);
    if (end)
        *end = 0;
    return end || closing == ' ';
}

/* Takes a configuration; the first one says which parameters there are. */
static bool config_take(const exporter *run, const char *text) {
    ht_recording *recording = run->recording;
    char *copy = ht_strdup(text), *at = copy, *name, *value;
    size_t width = recording->parameter_count, found = 0;
    if (recording->record_count == 0)
        while (take_pair(&at, &name, &value))
            width = ht_recording_parameter(recording, name) + 1;
    free(copy); /* taking pairs cut it up */
    at = copy = ht_strdup(text);
    ht_recording_add(recording);
    uint16_t *choices = recording->choices + (recording->record_count - 1) * width;
    while (take_pair(&at, &name, &value)) {
        ht_recorded_value parsed = value_of(value);
        size_t parameter = ht_recording_parameter(recording, name);
        size_t index =
            parameter < width ? ht_recording_value(recording, parameter, &parsed) : SIZE_MAX;
        if (index == SIZE_MAX)
            break;
        choices[parameter] = (uint16_t)index;
        ++found;
    }
    free(copy);
    return width && found == width && recording->parameter_count == width;
}

static void outcome_take(const exporter *run, sqlite3_stmt *row) {
    static const struct {
        const char *name;
        ht_status status;
    } statuses[] = {{"ok", HT_OK},
                    {"compile", HT_ERROR_COMPILE},
                    {"timeout", HT_ERROR_TIMEOUT},
                    {"mismatch", HT_ERROR_MISMATCH},
                    {"unsupported", HT_ERROR_UNSUPPORTED}};
    ht_record *record = &run->recording->records[run->recording->record_count - 1];
    record->status = HT_ERROR_LAUNCH;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; ++i)
        if (!strcmp(statuses[i].name, text_of(row, 1)))
            record->status = statuses[i].status;
    record->cost = sqlite3_column_double(row, 2);
    record->times.compile = sqlite3_column_double(row, 4) * 1e3;
    record->timestamp = ht_strdup(text_of(row, 5));
    json_t *samples = json_loads(text_of(row, 3), 0, NULL);
    for (size_t i = 0; i < json_array_size(samples); ++i)
        ht_recording_add_sample(run->recording, json_number_value(json_array_get(samples, i)));
    json_decref(samples);
}

static ht_status evaluations_take(const exporter *run, sqlite3_int64 job) {
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(run->sqlite, evaluations_query, -1, &rows, NULL) != SQLITE_OK)
        return fail(run, "cannot be read");
    sqlite3_bind_int64(rows, 1, job);
    ht_status status = HT_OK;
    int step = SQLITE_DONE;
    while (status == HT_OK && (step = sqlite3_step(rows)) == SQLITE_ROW) {
        if (config_take(run, text_of(rows, 0)))
            outcome_take(run, rows);
        else
            status = ht_error_set_at(run->error, HT_ERROR_INPUT, run->path, 0, 0,
                                     "job %lld has a configuration with other parameters than its "
                                     "first: %.300s",
                                     (long long)job, text_of(rows, 0));
    }
    if (status == HT_OK && step != SQLITE_DONE)
        status = fail(run, "cannot be read");
    if (status == HT_OK && !run->recording->record_count)
        status = ht_error_set_at(run->error, HT_ERROR_INPUT, run->path, 0, 0,
                                 "job %lld has no configurations", (long long)job);
    sqlite3_finalize(rows);
    return status;
}

ht_status ht_database_export(const char *path, const ht_database_choice *choice,
                             ht_recording **out_recording, ht_error *error) {
    exporter run = {.path = path, .recording = ht_recording_new(path), .error = error};
    ht_database_damage damage = {.path = path};
    sqlite3_int64 job = 0;
    ht_status status = ht_database_file_read(&damage, &run.sqlite, error);
    if (status == HT_OK)
        status = job_find(&run, choice, &job);
    if (status == HT_OK)
        status = evaluations_take(&run, job);
    sqlite3_close(run.sqlite);
    ht_database_damage_free(&damage);
    if (status == HT_OK)
        *out_recording = run.recording;
    else
        ht_recording_free(run.recording);
    return status;
}
