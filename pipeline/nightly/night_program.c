/* Whole programs of a job: what they launch is found by running them in emulation, once for all
 * nights in which neither they nor anything their launches depend on changes. */
#include "pipeline/nightly/night_internal.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text.h"
#include "pipeline/outputs.h"

#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of a night, that running programs for their launches may take. */
static const double most_share = 0.5;
static const char capture_name[] = "capture.json", problem_name[] = "problem.json";
static const char last_name[] = "last.json";

ht_night_program *ht_night_program_of(const ht_night *night, size_t source) {
    size_t program = night->program_of[source];
    return program == SIZE_MAX ? NULL : &night->programs[program];
}

const char *ht_night_problems(const ht_night *night, size_t source) {
    const ht_night_program *program = ht_night_program_of(night, source);
    return program && program->problem_file ? program->problem_file : night->job->problems;
}

bool ht_night_program_had(const ht_night_program *program, const char *file) {
    size_t index;
    json_t *path;
    json_array_foreach(json_object_get(program->last, "sources"), index,
                       path) if (strcmp(json_string_value(path), file) == 0) return true;
    return false;
}

/* ---- what its launches depend on */

/* Adds names and contents of all files below a folder. */
static void folder_add(const char *folder, int depth, ht_text *out) {
    enum { DEPTH_MAX = 64 };
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        const char *name = entries[i]->d_name;
        char *path = ht_path_join(folder, name), *data = NULL;
        bool self = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
        struct stat info = {0};
        size_t length;
        char hash[HT_HASH_SIZE] = "";
        if (!self && lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && depth < DEPTH_MAX) {
            ht_text_printf(out, "folder %s\n", name);
            folder_add(path, depth + 1, out);
            ht_text_append(out, "end\n");
        } else if (!self && !S_ISDIR(info.st_mode) &&
                   ht_file_read(path, 0, &data, &length, NULL) == HT_OK) {
            ht_hash_bytes(data, length, hash);
            ht_text_printf(out, "file %s %s\n", name, hash);
        }
        free(data);
        free(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static void hash_put(ht_text *out, const json_t *parts, const char *name) {
    ht_text_printf(out, "%s %s\n", name, ht_report_text_of(parts, name));
}

/* Finds the keys. That of the launches is "" if it cannot be known. */
static void keys_make(const ht_night *night, ht_night_program *program) {
    const ht_job_program *job = program->job;
    const json_t *common = night->devices[0].common;
    ht_text names = {0}, all = {0};
    char code[HT_HASH_SIZE];
    for (size_t i = 0; i < job->files.count; ++i) {
        char *real = realpath(job->files.items[i], NULL);
        ht_text_printf(&names, "path %s\n", real ? real : job->files.items[i]);
        free(real);
    }
    for (size_t i = 0; i < job->arguments.count; ++i)
        ht_text_printf(&names, "argument %zu %s\n", strlen(job->arguments.items[i]),
                       job->arguments.items[i]);
    ht_hash_bytes(names.data, names.length, program->identity);
    bool whole = ht_night_look_code(job->files.items, job->files.count, &program->compiler, code);
    char *arguments = ht_night_look_arguments(&program->compiler);
    ht_text_printf(&all,
                   "program\n%scode %s\narguments %s\nwavefront %u\nshare %.17g\n"
                   "inputs %llu\n",
                   names.data, code, arguments, program->whole.wavefront, job->share,
                   (unsigned long long)job->inputs);
    hash_put(&all, common, "tools");
    hash_put(&all, common, "compilers");
    if (job->read)
        folder_add(job->read, 0, &all);
    if (whole)
        ht_hash_bytes(all.data, all.length, program->key);
    free(arguments);
    ht_text_free(&names);
    ht_text_free(&all);
}

/* ---- kept launches */

static json_t *rows_json(const ht_capture_result *captured) {
    json_t *rows = json_array();
    for (size_t i = 0; i < captured->count; ++i) {
        const ht_capture_row *row = &captured->rows[i];
        json_array_append_new(
            rows,
            json_pack("{s:o, s:o, s:i, s:I, s:I, s:f, s:b, s:o, s:b}", "kernel",
                      ht_report_json_text(row->kernel), "file", ht_report_json_text(row->file),
                      "line", row->line, "distinct", (json_int_t)row->distinct, "launches",
                      (json_int_t)row->times, "seconds", row->seconds, "chosen", row->chosen, "gap",
                      ht_report_json_text(row->problem_gap), "reassociates", row->reassociates));
    }
    return rows;
}

static char *text_copy(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? ht_strdup(text) : NULL;
}

static void rows_take(const json_t *rows, ht_capture_result *out) {
    size_t index;
    json_t *row;
    out->rows = ht_alloc(json_array_size(rows) + 1, sizeof *out->rows);
    json_array_foreach(rows, index, row) {
        out->rows[out->count++] = (ht_capture_row){
            .kernel = ht_strdup(ht_report_text_of(row, "kernel")),
            .file = text_copy(row, "file"),
            .line = (int)json_integer_value(json_object_get(row, "line")),
            .distinct = (size_t)json_integer_value(json_object_get(row, "distinct")),
            .times = (uint64_t)json_integer_value(json_object_get(row, "launches")),
            .seconds = json_number_value(json_object_get(row, "seconds")),
            .chosen = json_is_true(json_object_get(row, "chosen")),
            .problem_gap = text_copy(row, "gap"),
            .reassociates = json_is_true(json_object_get(row, "reassociates"))};
        out->seconds += json_number_value(json_object_get(row, "seconds"));
    }
}

static void sources_take(const json_t *paths, ht_whole *whole) {
    size_t index;
    json_t *path;
    whole->sources = ht_alloc(json_array_size(paths) + 1, sizeof *whole->sources);
    json_array_foreach(paths, index, path) whole->sources[whole->source_count++] =
        ht_strdup(json_string_value(path) ? json_string_value(path) : "");
}

typedef struct kept_launches {
    json_t *capture, *last;
    char *problem;
} kept_launches;

static ht_status kept_take(void *context, const char *name, const char *content, ht_error *error) {
    kept_launches *kept = context;
    (void)error;
    if (strcmp(name, capture_name) == 0)
        kept->capture = json_loads(content, 0, NULL);
    else if (strcmp(name, last_name) == 0)
        kept->last = json_loads(content, 0, NULL);
    else if (strcmp(name, problem_name) == 0)
        kept->problem = ht_strdup(content);
    return HT_OK;
}

/* Returns true if the files that the problem file names are in their places. */
static bool contents_are_there(const json_t *names, const char *folder) {
    size_t index;
    json_t *name;
    bool all = true;
    json_array_foreach(names, index, name) {
        char *path = ht_path_join(folder, json_string_value(name) ? json_string_value(name) : "");
        all = all && ht_file_exists(path);
        free(path);
    }
    return all;
}

/* Puts the problem file into its place. A dry run writes none: it must be there. */
static bool problem_put(const ht_night *night, ht_night_program *program, const char *text) {
    char *name = ht_path_join(program->folder, problem_name);
    char *path = ht_path_join(night->job->out, name), *now = NULL, *written = NULL;
    bool same =
        ht_file_read_text(path, "a problem file", &now, NULL) == HT_OK && strcmp(now, text) == 0;
    bool is = same || (!night->options->dry &&
                       ht_output_write(night->job->out, name, text, &written, NULL) == HT_OK);
    if (is) {
        program->problem_file = ht_strdup(path);
        ht_input_add(path); /* files with contents are next to it */
    }
    free(written);
    free(now);
    free(path);
    free(name);
    return is;
}

/* Takes the launches of an earlier night. False: there are none that hold. */
static bool launches_find(const ht_night *night, ht_night_program *program) {
    kept_launches kept = {0};
    char *folder = ht_path_join(night->job->out, program->folder);
    if (night->nights)
        (void)ht_nights_files(night->nights, program->identity, kept_take, &kept, NULL);
    if (night->nights && *program->key)
        (void)ht_nights_files(night->nights, program->key, kept_take, &kept, NULL);
    program->last = kept.last;
    program->seconds = json_number_value(json_object_get(kept.last, "seconds"));
    bool found = json_is_object(kept.capture) &&
                 contents_are_there(json_object_get(kept.capture, "contents"), folder) &&
                 (!kept.problem || problem_put(night, program, kept.problem));
    if (found) {
        ht_whole *whole = &program->whole;
        rows_take(json_object_get(kept.capture, "kernels"), &whole->captured);
        sources_take(json_object_get(kept.capture, "sources"), whole);
        whole->original.exit_code =
            (int)json_integer_value(json_object_get(kept.capture, "exit_code"));
        program->state = "kept";
    }
    json_decref(kept.capture);
    free(kept.problem);
    free(folder);
    return found;
}

static void file_put(const ht_night *night, const char *key, const char *name, json_t *document) {
    char *text = json_dumps(document, JSON_COMPACT);
    ht_error error = {0};
    if (text && ht_nights_put_file(night->nights, key, name, text, &error) != HT_OK)
        ht_report_error(&error);
    free(text);
    json_decref(document);
}

static json_t *paths_json(const ht_whole *whole) {
    json_t *paths = json_array();
    for (size_t i = 0; i < whole->source_count; ++i)
        json_array_append_new(paths, ht_report_json_text(whole->sources[i]));
    return paths;
}

/* Keeps how long it takes, also when that is all that is known. */
static void last_keep(const ht_night *night, ht_night_program *program, double prepared) {
    json_t *before = json_object_get(program->last, "sources");
    json_t *paths = program->whole.source_count == 0 && before ? json_incref(before)
                                                               : paths_json(&program->whole);
    json_t *last = json_pack("{s:f, s:f, s:o}", "seconds", program->seconds, "prepared", prepared,
                             "sources", paths);
    json_decref(program->last);
    program->last = last;
    file_put(night, program->identity, last_name, json_incref(program->last));
}

static void launches_keep(const ht_night *night, const ht_night_program *program) {
    const ht_whole *whole = &program->whole;
    json_t *contents = json_array();
    for (size_t i = 0; i < whole->captured.files.count; ++i)
        json_array_append_new(contents, ht_report_json_text(whole->captured.files.items[i].name));
    if (whole->problem_file)
        file_put(night, program->key, problem_name, json_incref(whole->captured.problems));
    file_put(night, program->key, capture_name,
             json_pack("{s:i, s:o, s:o, s:o}", "exit_code", whole->original.exit_code, "contents",
                       contents, "sources", paths_json(whole), "kernels",
                       rows_json(&whole->captured)));
}

/* ---- running it */

static void settle(ht_night_program *program, const char *state, char *reason) {
    program->state = state;
    free(program->reason);
    program->reason = reason;
}

/* Settles a program that cannot be tuned, which is a failure. */
static void fail(ht_night *night, ht_night_program *program, const ht_error *error) {
    ht_error own = *error;
    if (!*own.file)
        snprintf(own.file, sizeof own.file, "%s", program->job->files.items[0]);
    settle(program, "failed", ht_strdup(error->message));
    json_array_append_new(night->errors, ht_file_error_json(&own));
    int code = ht_status_exit_code(error->status);
    ht_night_note(night, code == HT_EXIT_INPUT ? HT_EXIT_FAILED : code);
}

static char *late_reason(double seconds) {
    return ht_format("its launches are not known: running it did not end in %.0f s, which was "
                     "half of what the night had; raise budget.seconds, or give it arguments with "
                     "which it does less",
                     seconds);
}

/* Finds what becomes of a run. */
static void run_settle(ht_night *night, ht_night_program *program, ht_status status, double spent,
                       ht_error *error) {
    ht_whole *whole = &program->whole;
    bool over = status == HT_ERROR_INTERRUPTED || ht_stopped || whole->original.late;
    program->seconds = whole->seconds;
    if (ht_interrupted) {
        settle(program, "not-run", ht_strdup("interrupted"));
    } else if (over) {
        settle(program, "not-run", late_reason(spent));
        program->seconds = 0;
        last_keep(night, program, spent * 1.5);
    } else if (status == HT_OK && whole->captured.count == 0) {
        ht_error_set(error, HT_ERROR_UNSUPPORTED,
                     "the program launched no kernel; it ended with exit code %d",
                     whole->original.exit_code);
        fail(night, program, error);
    } else if (status != HT_OK) {
        fail(night, program, error);
    } else {
        program->begun = true;
        program->state = "run";
        program->problem_file = whole->problem_file ? ht_strdup(whole->problem_file) : NULL;
        last_keep(night, program, spent);
        if (*program->key)
            launches_keep(night, program);
    }
}

/* Runs it, if that can be expected to end in time. */
static void launches_run(ht_night *night, ht_night_program *program) {
    double now = ht_clock_seconds();
    double left = night->start + most_share * night->job->budget.seconds - now;
    double need = json_number_value(json_object_get(program->last, "prepared"));
    ht_error error = {0};
    if (left <= 0 || need > left) {
        settle(program, "not-run",
               ht_format("its launches are not known: running it takes more than %.0f s, and the "
                         "night had %.0f s for it; raise budget.seconds",
                         fmax(need, 0), fmax(left, 0)));
        return;
    }
    fprintf(night->options->progress, "%s: built and run for its launches; at most %.0f s\n",
            program->name, left);
    fflush(night->options->progress);
    char *folder = ht_path_join(night->job->out, program->folder);
    ht_status status = ht_dir_make(folder, &error);
    ht_refactor_options compiler = program->compiler;
    compiler.stopped = &ht_stopped;
    program->whole.most = left;
    program->whole.stopped = &ht_stopped;
    ht_stop_at(now + left);
    if (status == HT_OK)
        status = ht_whole_begin(&program->whole, folder, &compiler, &error);
    run_settle(night, program, status, ht_clock_seconds() - now, &error);
    ht_stop_at(0);
    free(folder);
}

/* ---- its sources */

/* Returns true if a kernel that is to be tuned is in this file. */
static bool is_wanted(const ht_night_program *program, const char *path) {
    for (size_t i = 0; i < program->whole.captured.count; ++i) {
        const ht_capture_row *row = &program->whole.captured.rows[i];
        if (row->chosen && row->file && ht_file_same(row->file, path))
            return true;
    }
    return false;
}

static ht_status sources_add(ht_night *night, size_t index, ht_error *error) {
    ht_night_program *program = &night->programs[index];
    const ht_survey_options options = {.out = night->job->out, .compiler = program->compiler};
    ht_sources sources;
    ht_status status = ht_survey_sources(program->whole.sources, program->whole.source_count,
                                         &options, &sources, error);
    for (size_t i = 0; i < sources.count && status == HT_OK; ++i)
        if (is_wanted(program, sources.items[i].path))
            ht_night_source_add(night, &sources.items[i], index);
    ht_sources_free(&sources);
    return status;
}

/* ---- all of them */

static char *name_of(const ht_job_program *job) {
    ht_text name = {0};
    for (size_t i = 0; i < job->files.count; ++i)
        ht_text_printf(&name, "%s%s", i ? " " : "", job->files.items[i]);
    for (size_t i = 0; i < job->arguments.count; ++i)
        ht_text_printf(&name, " %s", job->arguments.items[i]);
    return ht_text_take(&name);
}

/* Returns "main.program", of another number for each program of that name; free(). */
static char *folder_of(const ht_night *night, size_t index) {
    char *stem = ht_output_stem(ht_path_name(night->job->programs[index].files.items[0]));
    size_t number = 1;
    for (size_t i = 0; i < index; ++i) {
        char *other = ht_output_stem(ht_path_name(night->job->programs[i].files.items[0]));
        number += strcmp(other, stem) == 0;
        free(other);
    }
    char *folder =
        number > 1 ? ht_format("%s-%zu.program", stem, number) : ht_format("%s.program", stem);
    free(stem);
    return folder;
}

static void list_join(const ht_job_words *first, const ht_job_words *second, ht_option_list *out) {
    out->items = ht_alloc(first->count + second->count + 1, sizeof *out->items);
    for (size_t i = 0; i < first->count; ++i)
        out->items[out->count++] = first->items[i];
    for (size_t i = 0; i < second->count; ++i)
        out->items[out->count++] = second->items[i];
}

/* Reads its files' own options. A file that cannot be read is a mistake of the job's. */
static ht_status commands_load(const ht_night *night, ht_night_program *program, ht_error *error) {
    const char *path = program->job->commands;
    if (!ht_file_exists(path))
        return ht_error_set_at(error, HT_ERROR_INPUT, night->options->path, 0, 0,
                               "\"compile_commands\" of a program in \"sources\": there is no "
                               "file '%s'",
                               path);
    const ht_program_files files = {program->job->files.items, program->job->files.count, NULL,
                                    NULL};
    return ht_program_commands_load(path, &files, &program->commands, error);
}

static ht_status program_open(ht_night *night, size_t index, ht_error *error) {
    ht_night_program *program = &night->programs[index];
    const ht_job_program *job = &night->job->programs[index];
    const ht_night_options *options = night->options;
    *program =
        (ht_night_program){.job = job,
                           .name = name_of(job),
                           .folder = folder_of(night, index),
                           .state = "not-run",
                           .own = options->shards == 0 || index % options->shards == options->shard,
                           .given = ht_night_compiler_options(night->job),
                           .compared = json_array()};
    list_join(&job->include, &night->job->include, &program->given.include);
    list_join(&job->define, &night->job->define, &program->given.define);
    if (job->standard)
        program->given.standard = job->standard;
    const ht_program_files files = {job->files.items, job->files.count, &program->given,
                                    job->commands ? &program->commands : NULL};
    ht_status status = job->commands ? commands_load(night, program, error) : HT_OK;
    ht_program_arguments_make(&files, &program->compiler);
    if (status == HT_OK && !job->read)
        status = ht_scratch_make("program", &program->nothing, error);
    program->whole =
        (ht_whole){.files = files,
                   .run = {.arguments = job->arguments.items,
                           .argument_count = job->arguments.count,
                           .read = job->read ? job->read : program->nothing.path},
                   .wavefront = night->devices[0].session.device.fields.wavefront == 32 ? 32 : 64,
                   .inputs = job->inputs << 20,
                   .share = job->share / 100};
    for (size_t i = 0; i < job->files.count && status == HT_OK; ++i)
        if (!ht_file_exists(job->files.items[i]))
            status = ht_error_set_at(error, HT_ERROR_INPUT, night->options->path, 0, 0,
                                     "\"program\" in \"sources\": there is no file '%s'",
                                     job->files.items[i]);
        else
            ht_input_add(job->files.items[i]);
    if (job->read && status == HT_OK && !ht_dir_exists(job->read))
        status = ht_error_set_at(error, HT_ERROR_INPUT, night->options->path, 0, 0,
                                 "\"read\" of a program in \"sources\": there is no folder '%s'",
                                 job->read);
    return status;
}

static ht_status program_find(ht_night *night, size_t index, ht_error *error) {
    ht_night_program *program = &night->programs[index];
    keys_make(night, program);
    bool kept = launches_find(night, program);
    if (!program->own)
        settle(program, "not-run", ht_strdup("another shard runs it"));
    else if (!kept && night->options->dry)
        settle(program, "not-run", ht_strdup("it is built and run for its launches first"));
    else if (!kept)
        launches_run(night, program);
    bool known = program->own && program->whole.captured.count > 0 && !program->reason;
    return known ? sources_add(night, index, error) : HT_OK;
}

ht_status ht_night_programs_open(ht_night *night, ht_error *error) {
    size_t count = night->job->program_count;
    ht_status status = HT_OK;
    night->programs = ht_alloc(count + 1, sizeof *night->programs);
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        status = program_open(night, i, error);
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        status = program_find(night, i, error);
    return status;
}

void ht_night_programs_not_run(ht_night *night) {
    for (size_t i = 0; i < night->job->program_count; ++i) {
        const ht_night_program *program = &night->programs[i];
        size_t index;
        json_t *path;
        if (!program->own || !program->reason)
            continue;
        json_array_foreach(json_object_get(program->last, "sources"), index, path) {
            const char *file = json_string_value(path) ? json_string_value(path) : "";
            for (size_t j = 0; j < night->device_count; ++j)
                if (ht_mentions_kernels(file))
                    ht_night_row_not_run(night, file, night->devices[j].session.device.name,
                                         program->reason);
        }
    }
}

void ht_night_programs_free(ht_night *night) {
    for (size_t i = 0; night->programs && i < night->job->program_count; ++i) {
        ht_night_program *program = &night->programs[i];
        ht_whole_free(&program->whole);
        ht_compiler_arguments_free(&program->compiler);
        ht_scratch_remove(&program->nothing);
        ht_command_list_free(&program->commands);
        free(program->given.include.items);
        free(program->given.define.items);
        free(program->name);
        free(program->folder);
        free(program->reason);
        free(program->problem_file);
        json_decref(program->last);
        json_decref(program->compared);
    }
    free(night->programs);
    free(night->program_of);
    free(night->reserved);
}
