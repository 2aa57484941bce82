/* Device and database: shared by every tuned pair of a command. */
#include "pipeline/expectation.h"
#include "pipeline/seeding.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/measure/predicted.h"

#include <stdlib.h>
#include <string.h>

char *ht_session_database(const char *given) {
    const char *own = getenv("HIPTEMPER_DB");
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    if (given)
        return ht_strdup(given);
    if (own && *own)
        return ht_strdup(own);
    if (data && data[0] == '/')
        return ht_format("%s/hiptemper/tuning.sqlite", data);
    return home && home[0] == '/' ? ht_format("%s/.local/share/hiptemper/tuning.sqlite", home)
                                  : NULL;
}

/* Opens the database. One that the user named must open; the usual one may be missing, with a
 * warning. */
static ht_status database_open(ht_session *session, ht_error *error) {
    char *path = ht_session_database(session->options.database);
    if (!path)
        return HT_OK;
    ht_status status = ht_database_open(path, &session->database, error);
    if (status != HT_OK) {
        session->database = NULL;
        if (!session->options.database) {
            if (error)
                ht_report_message("warning: results will not be kept: %s: %s", path,
                                  error->message);
            status = HT_OK;
        } else {
            status = ht_error_named(status, error);
        }
    }
    if (session->database)
        session->database_file = path;
    else
        free(path);
    return status;
}

/* Opens a recording, for tests and experiments: timings come from an earlier run's database, so
 * that runs can be compared to the bit. */
static ht_status recording_open(ht_session *session, ht_error *error) {
    const char *path = getenv("HIPTEMPER_REPLAY_TIMINGS");
    if (!path || !*path)
        return HT_OK;
    if (!ht_file_exists(path))
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                               "$HIPTEMPER_REPLAY_TIMINGS names no file; record one with --db");
    return ht_database_open(path, &session->recording, error);
}

static ht_status strategy_check(const char *name, ht_error *error) {
    ht_text list = {0};
    bool known = name == NULL;
    for (size_t i = 0; ht_strategy_classes[i]; ++i) {
        known = known || strcmp(ht_strategy_classes[i]->name, name) == 0;
        ht_text_printf(&list, "%s%s", i ? ", " : "", ht_strategy_classes[i]->name);
    }
    ht_status status = HT_OK;
    if (!known)
        status =
            ht_error_set(error, HT_ERROR_INPUT,
                         "option --strategy: there is no '%s'; there are: %s", name, list.data);
    ht_text_free(&list);
    return status;
}

static ht_status cache_check(const char *name, ht_error *error) {
    if (strcmp(name, "hot") == 0 || strcmp(name, "cold") == 0)
        return HT_OK;
    return ht_error_set(error, HT_ERROR_INPUT, "option --cache: '%s' is neither hot nor cold",
                        name);
}

static ht_status check_check(const char *name, ht_error *error) {
    if (strcmp(name, "none") == 0 || strcmp(name, "finals") == 0 || strcmp(name, "all") == 0)
        return HT_OK;
    return ht_error_set(error, HT_ERROR_INPUT,
                        "option --check: '%s' is not one of none, finals and all", name);
}

ht_status ht_session_open(const ht_tuning_options *options, ht_session *out_session,
                          ht_error *error) {
    *out_session = (ht_session){.options = *options, .start = ht_clock_seconds()};
    ht_status status = strategy_check(options->strategy, error);
    if (status == HT_OK)
        status = cache_check(options->cache, error);
    if (status == HT_OK)
        status = check_check(options->check, error);
    if (status == HT_OK && ht_text_begins(options->device, HT_MODEL_PREFIX))
        status =
            ht_error_set(error, HT_ERROR_INPUT,
                         "device %s predicts and runs nothing: 'hiptemper optimize', 'tune' and "
                         "'inspect --rank' take it",
                         options->device);
    if (status == HT_OK)
        status = ht_device_find(options->device, &out_session->device, error);
    if (status != HT_OK)
        return status;
    if (!out_session->device.can_run)
        return ht_error_set(error, HT_ERROR_MISSING,
                            "device %s can compile but not run here (%s); 'hiptemper inspect' "
                            "needs no more than that, tuning does: see 'hiptemper devices'",
                            out_session->device.name, out_session->device.description);
    status = ht_expectation_check(options, error);
    if (status == HT_OK)
        status = ht_seeding_open(options, &out_session->predictor, error);
    if (status == HT_OK)
        status = database_open(out_session, error);
    return status == HT_OK ? recording_open(out_session, error) : status;
}

void ht_session_close(ht_session *session) {
    if (session->database)
        ht_database_close(session->database);
    if (session->recording)
        ht_database_close(session->recording);
    free(session->database_file);
    session->database_file = NULL;
    ht_predictor_free(session->predictor);
    session->predictor = NULL;
    session->database = NULL;
    session->recording = NULL;
}
