/* Whole programs of a job with the tuned copies of their sources in place of these, compared to the
 * originals, as `optimize --run` does. */
#include "pipeline/nightly/night_internal.h"

#include "base/clock.h"
#include "base/code_tokens.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double run_factor = 1.3;     /* of what building and running the original took */
static const double most_reserved = 0.25; /* of what a night has left, for one comparison */
static const char comparison_name[] = "comparison.json";

/* ---- the copies of a source */

void ht_night_copies_set(const ht_night *night, json_t *memory) {
    const ht_substitutes *all = night->outputs ? &night->outputs->copies : NULL;
    const char *out = night->job->out;
    static const char *const members[] = {"copies", "tolerance", NULL};
    if (!ht_night_program_of(night, night->turn->source) || !all)
        return;
    if (night->reused) {
        ht_report_json_copy(memory, night->turn->memory, members);
        return;
    }
    json_t *copies = json_array();
    for (size_t i = 0; i < all->count; ++i) {
        const ht_substitute *item = &all->items[i];
        const char *name = item->copy;
        if (strncmp(name, out, strlen(out)) == 0)
            name += strlen(out) + strspn(name + strlen(out), "/");
        json_array_append_new(copies, json_pack("{s:o, s:o, s:o, s:o}", "path",
                                                ht_report_json_text(item->path), "copy",
                                                ht_report_json_text(name), "source",
                                                ht_report_json_text(item->source), "problem",
                                                ht_report_json_text(item->problem)));
    }
    json_object_set_new(memory, "copies", copies);
    json_object_set_new(memory, "tolerance",
                        json_real(ht_whole_tolerance(&night->survey->entries)));
}

/* A comparison under way. */
typedef struct comparison {
    ht_night *night;
    ht_night_program *program;
    const ht_night_device *device;
    ht_substitutes copies;
    double tolerance;
    bool left, lost;        /* a turn is left; a copy is not there */
    ht_text contents;       /* of the copies */
    char key[HT_HASH_SIZE]; /* of them, the program and the tolerance */
} comparison;

static void copy_add(comparison *made, const json_t *item) {
    char *path = ht_path_join(made->night->job->out, ht_report_text_of(item, "copy")), *text = NULL;
    const ht_substitute like = {.path = (char *)ht_report_text_of(item, "path"),
                                .copy = path,
                                .source = (char *)ht_report_text_of(item, "source"),
                                .problem = (char *)ht_report_text_of(item, "problem")};
    ht_substitutes_add(&made->copies, &like);
    if (ht_file_read_text(path, "a tuned copy", &text, NULL) != HT_OK)
        made->lost = true;
    ht_text_printf(&made->contents, "%s for %s (%s)\n", like.copy, like.path, like.problem);
    ht_code_tokens(text ? text : "", &made->contents); /* comments change nothing */
    free(text);
    free(path);
}

/* Returns true if a source is compiled into the program, also where it is tuned for the launches of
 * another one. */
static bool is_part(const comparison *made, size_t source) {
    const ht_whole *whole = &made->program->whole;
    const char *path = made->night->sources.items[source].path;
    if (ht_night_program_of(made->night, source) == made->program)
        return true;
    for (size_t i = 0; i < whole->source_count; ++i)
        if (ht_night_program_of(made->night, source) && ht_file_same(whole->sources[i], path))
            return true;
    return false;
}

/* Collects what the turns of a program on a device have left, of this night or an earlier one. */
static void copies_collect(comparison *made) {
    const ht_night *night = made->night;
    for (size_t i = 0; i < night->turn_count; ++i) {
        const ht_night_turn *turn = &night->turns[i];
        if (turn->device != made->device || !is_part(made, turn->source))
            continue;
        bool over = turn->kept || turn->done;
        made->left = made->left || (!over && !turn->device->lost);
        if (!over && turn->known.count == 0) /* the memory is of another text */
            continue;
        size_t index;
        json_t *item;
        json_array_foreach(json_object_get(turn->memory, "copies"), index, item)
            copy_add(made, item);
        made->tolerance =
            fmax(made->tolerance, json_number_value(json_object_get(turn->memory, "tolerance")));
    }
    char *tolerance = ht_format("%.17g", made->tolerance);
    ht_hash_strings(made->key, "comparison", made->program->key, made->program->identity,
                    made->device->session.device.name, tolerance,
                    made->contents.data ? made->contents.data : "", NULL);
    free(tolerance);
}

static void comparison_close(comparison *made) {
    ht_substitutes_free(&made->copies);
    ht_text_free(&made->contents);
}

/* ---- results */

static void result_add(const comparison *made, json_t *result) {
    json_object_set_new(result, "device", json_string(made->device->session.device.name));
    json_array_append_new(made->program->compared, result);
}

static json_t *not_run(char *reason) {
    json_t *result = json_pack("{s:s, s:o, s:b}", "verdict", "not-run", "reason",
                               ht_report_json_text(reason), "kept", 0);
    free(reason);
    return result;
}

static ht_status kept_take(void *context, const char *name, const char *content, ht_error *error) {
    json_t **out = context;
    (void)error;
    if (strcmp(name, comparison_name) == 0)
        *out = json_loads(content, 0, NULL);
    return HT_OK;
}

/* Returns the result of an earlier night with the same copies; new reference; NULL: none. */
static json_t *kept_find(const comparison *made) {
    json_t *kept = NULL;
    if (*made->program->key)
        (void)ht_nights_files(made->night->nights, made->key, kept_take, &kept, NULL);
    if (kept)
        json_object_set_new(kept, "kept", json_true());
    return kept;
}

/* Keeps a result, if it is one that another run would come to. */
static void kept_put(const comparison *made, const json_t *result, ht_whole_verdict verdict) {
    if (!*made->program->key || (verdict != HT_WHOLE_EQUAL && verdict != HT_WHOLE_WITHIN))
        return;
    char *text = json_dumps(result, JSON_COMPACT);
    ht_error error = {0};
    if (text &&
        ht_nights_put_file(made->night->nights, made->key, comparison_name, text, &error) != HT_OK)
        ht_report_error(&error);
    free(text);
}

static size_t problems_count(const ht_substitutes *copies) {
    size_t count = 0;
    for (size_t i = 0; i < copies->count; ++i) {
        bool seen = false;
        for (size_t j = 0; j < i; ++j)
            seen = seen || strcmp(copies->items[j].problem, copies->items[i].problem) == 0;
        count += !seen;
    }
    return count;
}

/* Drops the results of another device's comparison. */
static void results_clear(ht_whole *whole) {
    for (size_t i = 0; i < whole->result_count; ++i) {
        free(whole->results[i].problem);
        free(whole->results[i].reason);
        ht_copies_answer_free(&whole->results[i].copies);
    }
    whole->result_count = 0;
    free(whole->reason);
    whole->reason = NULL;
}

/* Runs original and tuned program. Returns the result; new reference. */
static json_t *compare_run(comparison *made, double left) {
    static const char *const members[] = {"verdict",   "reason",  "exit_code", "copies",
                                          "tolerance", "results", NULL};
    ht_night *night = made->night;
    ht_night_program *program = made->program;
    ht_whole *whole = &program->whole;
    ht_error error = {0};
    results_clear(whole);
    fprintf(night->options->progress,
            "%s on %s: built and run with its tuned sources; at most %.0f s\n", program->name,
            made->device->session.device.name, left);
    fflush(night->options->progress);
    whole->most = left;
    whole->stopped = &ht_stopped;
    ht_stop_at(ht_clock_seconds() + left);
    ht_status status = program->begun ? HT_OK : ht_whole_begin_known(whole, &error);
    program->begun = program->begun || status == HT_OK;
    bool late = whole->original.late;
    if (status == HT_OK && !late)
        status = ht_whole_compare(whole, &made->copies, made->tolerance, &error);
    bool over = late || status == HT_ERROR_INTERRUPTED || ht_stopped;
    ht_stop_at(0);
    if (over)
        return not_run(
            ht_strdup(ht_interrupted ? "interrupted" : "the night ended before the program did"));
    if (status != HT_OK) {
        ht_night_note(night, HT_EXIT_FAILED);
        return not_run(ht_strdup(error.message));
    }
    json_t *document = night->options->whole(whole), *result = json_object();
    ht_report_json_copy(result, document, members);
    json_object_set_new(result, "kept", json_false());
    json_decref(document);
    kept_put(made, result, ht_whole_verdict_of(whole));
    return result;
}

static void verdict_note(ht_night *night, const json_t *result) {
    const char *verdict = ht_report_text_of(result, "verdict");
    if (strcmp(verdict, "differs") == 0 || strcmp(verdict, "failed") == 0)
        ht_night_note(night, HT_EXIT_FAILED);
}

/* Compares one program on one device. */
static void compare(comparison *made) {
    const ht_night *night = made->night;
    const ht_night_program *program = made->program;
    double left = night->end - ht_clock_seconds();
    double runs = (program->begun ? 0 : 1) + (double)problems_count(&made->copies);
    double need = runs * program->seconds * run_factor;
    json_t *kept = made->copies.count > 0 && !made->lost ? kept_find(made) : NULL;
    json_t *result = kept                      ? kept
                     : made->copies.count == 0 ? not_run(ht_strdup("no source was changed"))
                     : made->lost     ? not_run(ht_strdup("a tuned copy is not in its place"))
                     : ht_interrupted ? not_run(ht_strdup("interrupted"))
                     : left <= 0 || left < need
                         ? not_run(ht_format("there was no time left: it takes about "
                                             "%.0f s, and the night had %.0f s",
                                             need, fmax(left, 0)))
                         : compare_run(made, left);
    verdict_note(made->night, result);
    result_add(made, result);
}

/* ---- when */

static double *reserved_of(const ht_night *night, size_t device, size_t program) {
    return &night->reserved[device * night->job->program_count + program];
}

void ht_night_programs_reserve(ht_night *night) {
    size_t count = night->job->program_count;
    night->reserved = ht_alloc(night->device_count * count + 1, sizeof *night->reserved);
    for (size_t i = 0; i < night->device_count; ++i)
        for (size_t j = 0; j < count; ++j) {
            const ht_night_program *program = &night->programs[j];
            double need = (program->begun ? 1 : 2) * program->seconds * run_factor;
            bool fits = need < most_reserved * (night->end - ht_clock_seconds());
            *reserved_of(night, i, j) = program->reason ? -1 : fits ? need : 0;
            night->end -= fmax(*reserved_of(night, i, j), 0);
        }
}

void ht_night_programs_compare(ht_night *night, bool all) {
    for (size_t i = 0; i < night->device_count; ++i)
        for (size_t j = 0; j < night->job->program_count; ++j) {
            double *reserved = reserved_of(night, i, j);
            comparison made = {
                .night = night, .program = &night->programs[j], .device = &night->devices[i]};
            if (*reserved < 0)
                continue;
            copies_collect(&made);
            if (all || !made.left) {
                night->end += *reserved;
                *reserved = -1;
                compare(&made);
            }
            comparison_close(&made);
        }
}

/* ---- the report */

static json_t *kernels_json(const ht_night_program *program) {
    const ht_capture_result *captured = &program->whole.captured;
    json_t *kernels = json_array();
    for (size_t i = 0; i < captured->count; ++i) {
        const ht_capture_row *row = &captured->rows[i];
        json_array_append_new(kernels,
                              json_pack("{s:o, s:o, s:i, s:I, s:f, s:b, s:o}", "kernel",
                                        ht_report_json_text(row->kernel), "file",
                                        ht_report_json_text(row->file), "line", row->line,
                                        "launches", (json_int_t)row->times, "share",
                                        ht_capture_share(captured, row), "chosen", row->chosen,
                                        "gap", ht_report_json_text(row->problem_gap)));
    }
    return kernels;
}

json_t *ht_night_programs_json(const ht_night *night) {
    json_t *programs = json_array();
    for (size_t i = 0; night->programs && i < night->job->program_count; ++i) {
        const ht_night_program *program = &night->programs[i];
        if (!program->job || !program->own)
            continue;
        json_t *made =
            json_pack("{s:o, s:s, s:o, s:o, s:O}", "program", ht_report_json_text(program->name),
                      "launches", program->state, "reason", ht_report_json_text(program->reason),
                      "kernels", kernels_json(program), "compared", program->compared);
        json_object_set_new(made, "seconds",
                            program->seconds > 0 ? json_real(program->seconds) : json_null());
        json_object_set_new(made, "problem_file", ht_report_json_text(program->problem_file));
        json_array_append_new(programs, made);
    }
    return programs;
}
