#include "loop/keep.h"

#include "base/memory.h"
#include "runtime/store/loops.h"

#include <stdlib.h>

struct ht_keeping {
    ht_loops *loops;
    int64_t id;
    json_t *document;
    size_t resumed;
};

/* ---- reading */

static ht_status revision_take(void *context, const char *text, ht_error *error) {
    ht_history *history = context;
    ht_revision revision;
    json_t *document = json_loads(text, 0, NULL);
    ht_status status = ht_revision_read(document, &revision, error);
    json_decref(document);
    if (status == HT_OK)
        ht_history_add(history, &revision);
    return status;
}

typedef struct lessons_reading {
    ht_loops *loops;
    ht_lessons *lessons;
} lessons_reading;

static ht_status lessons_take(void *context, int64_t id, ht_error *error) {
    const lessons_reading *in = context;
    ht_history history = {0};
    ht_status status = ht_loops_revisions(in->loops, id, revision_take, &history, error);
    ht_lessons_add(in->lessons, &history);
    ht_history_free(&history);
    return status;
}

/* ---- a loop that goes on */

static char *document_text(const json_t *document) {
    return json_dumps(document, JSON_COMPACT);
}

static ht_status go_on(ht_keeping *keeping, const ht_loop_row *row, ht_loop *loop,
                       ht_error *error) {
    keeping->id = row->id;
    keeping->document = json_loads(row->document, 0, NULL);
    if (!keeping->document)
        keeping->document = json_object();
    ht_lessons_read(json_object_get(keeping->document, "lessons"), &loop->lessons);
    ht_status status =
        ht_loops_revisions(keeping->loops, row->id, revision_take, &loop->history, error);
    keeping->resumed = loop->history.count;
    return status;
}

static ht_status begin(ht_keeping *keeping, const ht_loop_name *name, ht_revision *original,
                       const json_t *about, ht_loop *loop, ht_error *error) {
    lessons_reading reading = {keeping->loops, &loop->lessons};
    ht_status status = ht_loops_each(keeping->loops, lessons_take, &reading, error);
    if (status != HT_OK)
        return status;
    keeping->document = json_deep_copy(about);
    json_object_set_new(keeping->document, "lessons", ht_lessons_json(&loop->lessons));
    json_object_set_new(keeping->document, "ended", json_null());
    char *text = document_text(keeping->document);
    ht_loop_row row = {.key = (char *)(size_t)name->key,
                       .file = (char *)(size_t)name->file,
                       .kernel = (char *)(size_t)name->kernel,
                       .document = text};
    status = ht_loops_begin(keeping->loops, &row, error);
    free(text);
    keeping->id = row.id;
    if (status == HT_OK)
        status = ht_keeping_put(keeping, ht_history_add(&loop->history, original), error);
    return status;
}

ht_status ht_keeping_open(const char *database, const ht_loop_name *name, bool fresh,
                          ht_revision *original, const json_t *about, ht_loop *loop,
                          ht_keeping **out_keeping, ht_error *error) {
    ht_keeping *keeping = ht_alloc(1, sizeof *keeping);
    ht_loop_row row = {0};
    const ht_loop_row like = {.key = (char *)(size_t)name->key};
    bool found = false;
    ht_status status = ht_loops_open(database, &keeping->loops, error);
    if (status == HT_OK && !fresh)
        status = ht_loops_find(keeping->loops, &like, &found, &row, error);
    if (status == HT_OK && found)
        status = go_on(keeping, &row, loop, error);
    if (status == HT_OK && loop->history.count == 0) { /* there is none, or it has lost its first */
        json_decref(keeping->document);
        status = begin(keeping, name, original, about, loop, error);
    }
    ht_loop_row_free(&row);
    if (status == HT_OK)
        *out_keeping = keeping;
    else
        ht_keeping_close(keeping);
    return status;
}

ht_status ht_keeping_put(void *context, const ht_revision *revision, ht_error *error) {
    const ht_keeping *keeping = context;
    json_t *document = ht_revision_json(revision);
    char *text = document_text(document);
    ht_status status =
        text ? ht_loops_put(keeping->loops, keeping->id, revision->number, text, error)
             : ht_error_set(error, HT_ERROR_INTERNAL, "the revision cannot be written");
    free(text);
    json_decref(document);
    return status;
}

ht_status ht_keeping_end(ht_keeping *keeping, const char *ended, ht_error *error) {
    json_object_set_new(keeping->document, "ended", ended ? json_string(ended) : json_null());
    char *text = document_text(keeping->document);
    ht_status status = ht_loops_update(keeping->loops, keeping->id, text, error);
    free(text);
    return status;
}

size_t ht_keeping_resumed(const ht_keeping *keeping) {
    return keeping->resumed;
}

void ht_keeping_close(ht_keeping *keeping) {
    if (!keeping)
        return;
    ht_loops_close(keeping->loops);
    json_decref(keeping->document);
    free(keeping);
}

/* ---- one that is shown */

ht_status ht_kept_loop_read(const char *database, const ht_loop_name *name, ht_kept_loop *out_loop,
                            ht_error *error) {
    ht_loops *loops = NULL;
    ht_loop_row row = {0};
    const ht_loop_row like = {.file = (char *)(size_t)name->file,
                              .kernel = (char *)(size_t)name->kernel};
    bool found = false;
    *out_loop = (ht_kept_loop){0};
    ht_status status = ht_loops_read(database, &loops, error);
    if (status == HT_OK)
        status = ht_loops_find(loops, &like, &found, &row, error);
    if (status == HT_OK && !found)
        status = ht_error_set_at(error, HT_ERROR_INPUT, name->file, 0, 0,
                                 "there is no loop of it in %s; `hiptemper loop` without --show "
                                 "runs one",
                                 database);
    if (status == HT_OK) {
        out_loop->document = json_loads(row.document, 0, NULL);
        out_loop->kernel = ht_strdup(row.kernel);
        status = ht_loops_revisions(loops, row.id, revision_take, &out_loop->history, error);
    }
    ht_loop_row_free(&row);
    ht_loops_close(loops);
    return status;
}

void ht_kept_loop_free(ht_kept_loop *loop) {
    ht_history_free(&loop->history);
    json_decref(loop->document);
    free(loop->kernel);
    *loop = (ht_kept_loop){0};
}
