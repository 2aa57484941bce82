#include "pipeline/nightly/night_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/kept_key.h"
#include "refactor/fingerprint.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Parts of a kernel's time that a turn may win, by what is known of it. Rough: they order turns. */
static const double room_new = 0.5, room_open = 0.3, room_text = 0.2, room_watch = 0.05;
static const double need_guess = 10; /* seconds, of a turn like none before */

/* ---- sources */

static bool is_commands(const char *path) {
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/* Sets a source's own arguments, if a compile_commands.json has some. */
static void arguments_find(ht_night *night, size_t source) {
    ht_refactor_options *compiler = &night->compilers[source];
    *compiler = night->compiler;
    for (size_t i = 0; i < night->command_count; ++i)
        for (size_t j = 0; j < night->commands[i].count; ++j) {
            const ht_command_entry *entry = &night->commands[i].items[j];
            if (!ht_file_same(entry->file, night->sources.items[source].path))
                continue;
            compiler->arguments = (const char *const *)entry->arguments;
            compiler->argument_count = entry->argument_count;
            return;
        }
}

static ht_status commands_load(ht_night *night, const char *path, ht_error *error) {
    HT_GROW(night->commands, night->command_count);
    ht_status status = ht_command_list_load(path, &night->commands[night->command_count], error);
    night->command_count += status == HT_OK;
    return ht_error_named(status, error);
}

ht_status ht_night_sources(ht_night *night, ht_error *error) {
    const ht_job_file *job = night->job;
    char **paths = NULL;
    size_t count = 0;
    ht_status status = HT_OK;
    for (size_t i = 0; i < job->sources.count && status == HT_OK; ++i) {
        if (!is_commands(job->sources.items[i])) {
            HT_GROW(paths, count);
            paths[count++] = job->sources.items[i];
            continue;
        }
        status = commands_load(night, job->sources.items[i], error);
        const ht_command_list *list =
            status == HT_OK ? &night->commands[night->command_count - 1] : NULL;
        for (size_t j = 0; list && j < list->count; ++j)
            if (ht_mentions_kernels(list->items[j].file)) {
                HT_GROW(paths, count);
                paths[count++] = list->items[j].file;
            }
    }
    ht_survey_options options = {.out = job->out, .compiler = night->compiler};
    if (status == HT_OK && count > 0)
        status = ht_survey_sources(paths, count, &options, &night->sources, error);
    free(paths);
    if (status != HT_OK)
        return status;
    night->program_of = ht_alloc(night->sources.count + 1, sizeof *night->program_of);
    for (size_t i = 0; i < night->sources.count; ++i)
        night->program_of[i] = SIZE_MAX;
    night->compilers = ht_alloc(night->sources.count + 1, sizeof *night->compilers);
    for (size_t i = 0; i < night->sources.count; ++i)
        arguments_find(night, i);
    if (night->sources.count == 0 && job->program_count == 0)
        return ht_error_set_at(error, HT_ERROR_INPUT, night->options->path, 0, 0,
                               "none of its sources has a __global__ function; name other files "
                               "or folders in \"sources\"");
    return HT_OK;
}

/* Gives an output a name that no other source has; free(). */
static char *output_unique(const ht_night *night, const char *wanted) {
    char *stem = ht_output_stem(wanted);
    char **names = ht_alloc(night->sources.count + 1, sizeof *names);
    for (size_t i = 0; i < night->sources.count; ++i)
        names[i] = night->sources.items[i].output;
    char *name = ht_output_name_new(stem, wanted + strlen(stem), names, night->sources.count);
    free(names);
    free(stem);
    return name;
}

void ht_night_source_add(ht_night *night, ht_source *source, size_t program) {
    const ht_night_program *of = &night->programs[program];
    size_t at = 0, count = night->sources.count;
    while (at < count && !ht_file_same(night->sources.items[at].path, source->path))
        ++at;
    if (at < count && night->program_of[at] != SIZE_MAX) {
        ht_report_message("warning: %s is tuned for the launches of '%s', not for those of '%s'",
                          source->path, night->programs[night->program_of[at]].name, of->name);
        return;
    }
    if (at == count) {
        HT_GROW(night->sources.items, night->sources.count);
        night->sources.items[at] = *source;
        night->sources.items[at].output = output_unique(night, source->output);
        free(source->output);
        *source = (ht_source){0}; /* taken */
        night->sources.count++;
        night->compilers = ht_realloc(night->compilers, count + 2, sizeof *night->compilers);
        night->program_of = ht_realloc(night->program_of, count + 2, sizeof *night->program_of);
    }
    night->compilers[at] = of->compiler;
    night->program_of[at] = program;
}

/* ---- what all sources on a device depend on */

static void hash_set(json_t *parts, const char *name, const ht_text *text) {
    char hash[HT_HASH_SIZE];
    ht_hash_bytes(text->data ? text->data : "", text->length, hash);
    json_object_set_new(parts, name, json_string(hash));
}

/* Returns the choices that change what is found; the budget and the strategy do not. New
 * reference. */
static json_t *choices_json(const ht_night *night) {
    const ht_job_file *job = night->job;
    char *text = ht_format("check %s; cache %s; style %s; least effect %g", job->check, job->cache,
                           job->style, job->least_effect);
    json_t *choices = json_string(text);
    free(text);
    return choices;
}

ht_status ht_night_common_make(const ht_night *night, ht_night_device *device, ht_error *error) {
    ht_text tools = {0}, compilers = {0};
    device->common = json_object();
    ht_kept_key_variables(&tools);
    ht_status status = ht_refactor_fingerprint_tools(&tools, error);
    if (status == HT_OK)
        status = ht_kept_key_device(&compilers, &device->session.device, true);
    if (status == HT_OK) {
        char *name =
            ht_format("%s: %s", device->session.device.name, device->session.device.description);
        ht_text_append(&compilers, device->session.device.compiler);
        hash_set(device->common, "tools", &tools);
        hash_set(device->common, "compilers", &compilers);
        json_object_set_new(device->common, "device", ht_report_json_text(name));
        json_object_set_new(device->common, "choices", choices_json(night));
        free(name);
    }
    ht_text_free(&tools);
    ht_text_free(&compilers);
    return status;
}

/* ---- looks */

bool ht_night_is_complete(const ht_night *night, const json_t *document) {
    uint64_t most = night->job->budget.evaluations;
    json_int_t made = json_integer_value(json_object_get(document, "evaluations"));
    return json_is_true(json_object_get(document, "exhausted")) ||
           (most > 0 && (uint64_t)made >= most);
}

bool ht_night_is_due(const ht_night *night, const json_t *document) {
    json_t *timed = json_object_get(document, "timed");
    double age = (double)time(NULL) - json_number_value(timed);
    if (!json_is_number(timed)) /* the night ended before it could be timed */
        return *ht_report_text_of(document, "config") != 0;
    return (age < 0 || age >= 3600 * night->job->watch_hours);
}

/* Takes out the row of the source itself. */
static void memory_take(ht_night_turn *turn, const ht_night_results *results, bool same) {
    for (size_t i = 0; i < results->count; ++i) {
        const ht_night_result *result = &results->items[i];
        if (*result->kernel)
            continue;
        json_decref(turn->memory);
        turn->memory = json_loads(result->document, 0, NULL);
    }
    turn->need = json_number_value(json_object_get(turn->memory, "need"));
    if (same)
        turn->attempts = json_integer_value(json_object_get(turn->memory, "attempts"));
}

const char *const ht_night_text_changed = "its text changed, not its code: it is written again";

/* Finds the first thing that is to be done with a source whose key is known. */
static void state_find(const ht_night *night, ht_night_turn *turn) {
    bool open = false, due = false, won = false;
    for (size_t i = 0; i < turn->known.count; ++i) {
        if (!*turn->known.items[i].kernel)
            continue;
        json_t *document = json_loads(turn->known.items[i].document, 0, NULL);
        const json_t *entry = json_object_get(document, "entry");
        open = open || !ht_night_is_complete(night, document);
        due = due || ht_night_is_due(night, document);
        won = won || strcmp(ht_report_text_of(entry, "status"), "improved") == 0;
        json_decref(document);
    }
    turn->measured = json_is_true(json_object_get(turn->memory, "measured"));
    bool text = strcmp(ht_report_text_of(turn->memory, "raw"), turn->look.raw) != 0;
    turn->why = !turn->measured ? "not measured yet"
                : open          ? "its search goes on"
                : due           ? "it was timed long ago"
                : text          ? ht_night_text_changed
                                : NULL;
    turn->won = won;
    turn->kept = !turn->why;
}

/* Keeps the results of the file that was looked at last. */
static void one_file_keep(ht_night_results *results) {
    size_t kept = 0;
    ht_night_results others = {0};
    if (results->count == 0)
        return;
    char *file = ht_strdup(results->items[results->count - 1].file);
    for (size_t i = 0; i < results->count; ++i) {
        bool own = strcmp(results->items[i].file, file) == 0;
        if (!own)
            HT_GROW(others.items, others.count);
        *(own ? &results->items[kept++] : &others.items[others.count++]) = results->items[i];
    }
    results->count = kept;
    ht_night_results_free(&others);
    free(file);
}

/* Finds what was last known of a file that changed, and how long it took. */
static ht_status last_find(const ht_night *night, ht_night_turn *turn, ht_error *error) {
    ht_night_result like = {.device = (char *)turn->device->session.device.name,
                            .file = night->sources.items[turn->source].path};
    ht_status status = ht_nights_find(night->nights, &like, &turn->last, error);
    if (status != HT_OK || turn->memory)
        return status;
    memory_take(turn, &turn->last, false);
    if (turn->memory)
        turn->why = "it changed";
    return HT_OK;
}

/* Returns what a source on a device depends on besides its files. New reference. */
static json_t *common_of(const ht_night *night, const ht_night_turn *turn) {
    const ht_night_program *program = ht_night_program_of(night, turn->source);
    ht_text wanted = {0};
    if (!program)
        return json_incref(turn->device->common);
    json_t *common = json_copy(turn->device->common);
    for (size_t i = 0; i < program->whole.captured.count; ++i)
        if (program->whole.captured.rows[i].chosen)
            ht_text_printf(&wanted, "%s\n", program->whole.captured.rows[i].kernel);
    hash_set(common, "launched", &wanted);
    ht_text_free(&wanted);
    return common;
}

static ht_status look(ht_night *night, ht_night_turn *turn, ht_error *error) {
    const ht_source *source = &night->sources.items[turn->source];
    json_t *common = common_of(night, turn);
    bool whole = ht_night_look_make(source, &night->compilers[turn->source],
                                    ht_night_problems(night, turn->source), common, &turn->look);
    json_decref(common);
    turn->whole = whole;
    ht_night_result like = {.device = (char *)turn->device->session.device.name,
                            .source_key = turn->look.key};
    turn->why = "not measured yet";
    if (!night->nights)
        return HT_OK;
    ht_status status = HT_OK;
    like.file = source->path;
    if (whole)
        status = ht_nights_find(night->nights, &like, &turn->known, error);
    like.file = NULL; /* the same code under another name or in another folder */
    if (whole && status == HT_OK && turn->known.count == 0) {
        status = ht_nights_find(night->nights, &like, &turn->known, error);
        one_file_keep(&turn->known);
    }
    memory_take(turn, &turn->known, true);
    if (turn->memory)
        state_find(night, turn);
    if ((turn->memory && !night->options->dry) || status != HT_OK)
        return status;
    return last_find(night, turn, error);
}

bool ht_night_is_own(const ht_night *night, size_t source) {
    const ht_night_options *options = night->options;
    const ht_night_program *program = ht_night_program_of(night, source);
    if (program)
        return program->own;
    return options->shards == 0 || source % options->shards == options->shard;
}

ht_status ht_night_turns(ht_night *night, ht_error *error) {
    night->turns = ht_alloc(night->sources.count * night->device_count + 1, sizeof *night->turns);
    ht_status status = HT_OK;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now); /* which file systems take their times from */
    night->looked = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    for (size_t i = 0; i < night->device_count; ++i) {
        for (size_t j = 0; j < night->sources.count && status == HT_OK; ++j) {
            if (!ht_night_is_own(night, j))
                continue;
            ht_night_turn *turn = &night->turns[night->turn_count++];
            *turn = (ht_night_turn){.source = j, .device = &night->devices[i]};
            status = look(night, turn, error);
        }
    }
    return status;
}

/* ---- order */

/* Returns the part of the time that a source's kernels take, where a profile or the launches of
 * its program say so. */
static double share_of(const ht_night *night, const ht_night_turn *turn) {
    double all = 0;
    const ht_night_program *program = ht_night_program_of(night, turn->source);
    const ht_capture_result *captured = program ? &program->whole.captured : NULL;
    for (size_t i = 0; captured && i < captured->count; ++i) {
        const ht_capture_row *row = &captured->rows[i];
        if (row->file && ht_file_same(row->file, night->sources.items[turn->source].path))
            all += ht_capture_share(captured, row);
    }
    if (program)
        return all;
    if (!night->profiled || night->profile.ns <= 0)
        return 1.0 / (double)(night->turn_count + 1);
    for (size_t i = 0; i < turn->known.count; ++i)
        if (*turn->known.items[i].kernel)
            all += ht_profile_time(&night->profile, turn->known.items[i].kernel);
    if (all > 0)
        return all / night->profile.ns;
    /* not analysed yet: kernels whose names are in its text */
    char *text = NULL;
    if (ht_file_read(night->sources.items[turn->source].path, 0, &text, NULL, NULL) != HT_OK)
        return 0;
    for (size_t i = 0; i < night->profile.count; ++i) {
        const char *name = night->profile.kernels[i].name;
        const char *last = strrchr(name, ':');
        all += strstr(text, last ? last + 1 : name) ? night->profile.kernels[i].ns : 0;
    }
    free(text);
    return all / night->profile.ns;
}

static void score(const ht_night *night, ht_night_turn *turn) {
    double need = turn->need > 0          ? turn->need
                  : night->need_count > 0 ? night->need_seen
                                          : need_guess;
    double room = !turn->measured               ? room_new
                  : strstr(turn->why, "search") ? room_open
                  : strstr(turn->why, "text")   ? room_text
                                                : room_watch;
    double tried = json_number_value(json_object_get(turn->memory, "tried"));
    double days = tried > 0 ? fmax((double)time(NULL) - tried, 0) / 86400 : 0;
    turn->score = share_of(night, turn) * room / need * (1 + days);
}

static int best_first(const void *a, const void *b) {
    const ht_night_turn *first = a, *second = b;
    int first_rank = first->kept || first->done ? 2 : first->measured,
        second_rank = second->kept || second->done ? 2 : second->measured;
    if (first_rank != second_rank)
        return first_rank < second_rank ? -1 : 1;
    /* one that takes too long must not keep the others from their turn */
    if (first->attempts != second->attempts)
        return first->attempts < second->attempts ? -1 : 1;
    if (first->score > second->score || first->score < second->score)
        return first->score > second->score ? -1 : 1;
    return first->source < second->source ? -1 : first->source > second->source;
}

void ht_night_sort(ht_night *night) {
    for (size_t i = 0; i < night->turn_count; ++i)
        if (!night->turns[i].kept)
            score(night, &night->turns[i]);
    if (night->turn_count)
        qsort(night->turns, night->turn_count, sizeof *night->turns, best_first);
}
