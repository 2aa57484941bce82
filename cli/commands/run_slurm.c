#include "cli/commands/run_slurm.h"

#include "cli/command.h"
#include "cli/reports/entry_report.h"
#include "cli/reports/night_report.h"
#include "cli/reports/slurm_report.h"
#include "pipeline/nightly/notify.h"

#include <stdlib.h>
#include <string.h>

bool ht_run_slurm_is_asked(const ht_run_slurm *asked) {
    return asked->slurm || asked->resume || asked->status || asked->merge || asked->task > 0;
}

/* Prints how far the night is; exit code 1 where a shard or the merge failed. */
static int status_print(const json_t *status, const char *json) {
    ht_slurm_report(status, ht_report_stream(json));
    int written = ht_report_json(json, status);
    const char *merge = ht_report_text_of(json_object_get(status, "merge"), "state");
    json_t *failed = json_object_get(json_object_get(status, "counts"), "failed");
    bool bad = json_integer_value(failed) > 0 || strcmp(merge, "failed") == 0;
    return bad ? HT_EXIT_FAILED : written;
}

/* Prints a night's report; returns its exit code. */
static int night_print(const json_t *document, const char *json, const char *notify) {
    ht_error error = {0};
    ht_night_report(document, ht_report_stream(json));
    int written = ht_report_json(json, document);
    if (notify && ht_notify(notify, document, &error) != HT_OK) {
        int notified = ht_report_error(&error);
        written = written ? written : notified;
    }
    int own = (int)json_integer_value(json_object_get(document, "exit"));
    return own ? own : written;
}

static int task(const ht_run_slurm *asked, const ht_slurm_options *options, const char *json) {
    const ht_night_options night = {
        .path = options->path, .progress = stderr, .row = ht_entry_json};
    json_t *document = NULL;
    ht_error error = {0};
    ht_status status = ht_slurm_task(options->job, asked->task, &night, &document, &error);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
    int own = document ? night_print(document, json, NULL) : HT_EXIT_OK;
    json_decref(document);
    return code ? code : own;
}

static int merge(const ht_slurm_options *options, const char *json) {
    json_t *document = NULL;
    char *notify = NULL;
    ht_error error = {0};
    ht_status status = ht_slurm_merge(options->job, &document, &notify, &error);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
    int own = document ? night_print(document, json, notify) : HT_EXIT_OK;
    json_decref(document);
    free(notify);
    return code ? code : own;
}

int ht_run_slurm_run(const ht_run_slurm *asked, const ht_slurm_options *options, const char *json) {
    json_t *status = NULL;
    ht_error error = {0};
    if (asked->slurm + asked->resume + asked->status + asked->merge + (asked->task > 0) > 1) {
        ht_report_message("--slurm, --resume, --status, --merge and --task are different things; "
                          "give one of them (see 'hiptemper run --help')");
        return HT_EXIT_INPUT;
    }
    if (asked->task > 0)
        return task(asked, options, json);
    if (asked->merge)
        return merge(options, json);
    ht_status done = asked->slurm    ? ht_slurm_submit(options, &status, &error)
                     : asked->resume ? ht_slurm_resume(options, &status, &error)
                                     : ht_slurm_status(options->job, &status, &error);
    int code = done == HT_OK ? status_print(status, json) : ht_report_error(&error);
    if (asked->slurm && done == HT_OK)
        code = HT_EXIT_OK;
    json_decref(status);
    return code;
}
