#include "pipeline/program.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/text.h"
#include "runtime/emulate/headers.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ht_hip_program {
    ht_program_files files;
    ht_scratch scratch;
    char *folder; /* where it is built */
    char **words; /* options for the compiler; owned */
    size_t word_count;
    ht_emulate_options *own; /* one a file */
    char *overlay_file;      /* NULL: files have their own text */
    const char *overlay[2];  /* the compiler's options for it */
    const char **texts;      /* one a file, the copy that stands for it; NULL: as overlay_file */
    ht_program_mode mode;
};

void ht_substitutes_add(ht_substitutes *to, const ht_substitute *like) {
    HT_GROW(to->items, to->count);
    to->items[to->count++] = (ht_substitute){ht_strdup(like->path), ht_strdup(like->copy),
                                             ht_strdup(like->source), ht_strdup(like->problem)};
}

/* Returns the problem whose copies of a source are taken. */
static const char *problem_of(const ht_substitutes *all, const char *source, const char *wanted) {
    const char *first = NULL;
    for (size_t i = 0; i < all->count; ++i) {
        if (strcmp(all->items[i].source, source) != 0)
            continue;
        first = first != NULL ? first : all->items[i].problem;
        if (strcmp(all->items[i].problem, wanted) == 0)
            return wanted;
    }
    return first;
}

void ht_substitutes_choose(const ht_substitutes *all, const char *problem,
                           ht_substitutes *out_chosen) {
    *out_chosen = (ht_substitutes){.items = ht_alloc(all->count + 1, sizeof *out_chosen->items)};
    for (size_t i = 0; i < all->count; ++i)
        if (strcmp(all->items[i].problem, problem_of(all, all->items[i].source, problem)) == 0)
            out_chosen->items[out_chosen->count++] = all->items[i];
}

void ht_substitutes_free(ht_substitutes *substitutes) {
    for (size_t i = 0; i < substitutes->count; ++i) {
        free(substitutes->items[i].path);
        free(substitutes->items[i].copy);
        free(substitutes->items[i].source);
        free(substitutes->items[i].problem);
    }
    free(substitutes->items);
    *substitutes = (ht_substitutes){0};
}

static void word_add(ht_hip_program *program, char *word) {
    HT_GROW(program->words, program->word_count);
    program->words[program->word_count++] = word;
}

static const ht_command_entry *command_of(const ht_program_files *files, const char *path) {
    for (size_t i = 0; files->commands != NULL && i < files->commands->count; ++i)
        if (ht_file_same(files->commands->items[i].file, path))
            return &files->commands->items[i];
    return NULL;
}

static void own_make(ht_hip_program *program) {
    const ht_program_files *files = &program->files;
    program->own = ht_alloc(files->count + 1, sizeof *program->own);
    for (size_t i = 0; i < files->count; ++i) {
        const ht_command_entry *of = command_of(files, files->paths[i]);
        if (of != NULL)
            program->own[i] =
                (ht_emulate_options){(const char *const *)of->arguments, of->argument_count};
    }
}

static bool same_arguments(const ht_command_entry *a, const ht_command_entry *b) {
    bool same = a != NULL && b != NULL && a->argument_count == b->argument_count;
    for (size_t i = 0; same && i < a->argument_count; ++i)
        same = strcmp(a->arguments[i], b->arguments[i]) == 0;
    return same;
}

void ht_program_arguments_make(const ht_program_files *files, ht_refactor_options *out_options) {
    ht_compiler_arguments_make(files->compiler, out_options);
    const ht_command_entry *last = NULL;
    char **arguments = (char **)out_options->arguments;
    size_t count = out_options->argument_count;
    for (size_t i = 0; i < files->count; ++i) {
        const ht_command_entry *of = command_of(files, files->paths[i]);
        if (of == NULL || same_arguments(of, last))
            continue;
        char **more = ht_alloc(count + of->argument_count + 1, sizeof *more);
        memcpy(more, arguments, count * sizeof *more);
        free(arguments);
        arguments = more;
        for (size_t j = 0; j < of->argument_count; ++j)
            arguments[count++] = ht_strdup(of->arguments[j]);
        last = of;
    }
    out_options->arguments = (const char *const *)arguments;
    out_options->argument_count = count;
}

/* Returns the length of the name in "-DNAME=VALUE"; 0: no macro is defined. */
static size_t macro_length(const char *argument) {
    return strncmp(argument, "-D", 2) == 0 ? strcspn(argument + 2, "=") : 0;
}

/* Returns what of b defines a macro of a otherwise; NULL: nothing. */
static const char *defined_otherwise(const ht_command_entry *a, const ht_command_entry *b) {
    for (size_t i = 0; i < a->argument_count; ++i) {
        size_t length = macro_length(a->arguments[i]);
        for (size_t j = 0; length > 0 && j < b->argument_count; ++j)
            if (macro_length(b->arguments[j]) == length &&
                strncmp(a->arguments[i], b->arguments[j], length + 2) == 0 &&
                strcmp(a->arguments[i], b->arguments[j]) != 0)
                return b->arguments[j];
    }
    return NULL;
}

static ht_status definitions_check(const char *path, const ht_program_files *files,
                                   ht_error *error) {
    for (size_t i = 0; i < files->count; ++i) {
        const ht_command_entry *a = command_of(files, files->paths[i]);
        for (size_t j = i + 1; a != NULL && j < files->count; ++j) {
            const ht_command_entry *b = command_of(files, files->paths[j]);
            const char *other = b != NULL ? defined_otherwise(a, b) : NULL;
            if (other != NULL)
                return ht_error_set_at(
                    error, HT_ERROR_INPUT, path, 0, 0,
                    "%s of %s is defined otherwise for %s, and kernels are read with the options "
                    "of all files together: tune them as two programs, or define it alike",
                    other, files->paths[j], files->paths[i]);
        }
    }
    return HT_OK;
}

ht_status ht_program_commands_load(const char *path, const ht_program_files *files,
                                   ht_command_list *out_commands, ht_error *error) {
    ht_status status = ht_error_named(ht_command_list_load(path, out_commands, error), error);
    ht_program_files with = *files;
    with.commands = out_commands;
    return status == HT_OK ? definitions_check(path, &with, error) : status;
}

static void words_make(ht_hip_program *program) {
    const ht_compiler_options *compiler = program->files.compiler;
    for (size_t i = 0; i < compiler->include.count; ++i)
        word_add(program, ht_format("-I%s", compiler->include.items[i]));
    for (size_t i = 0; i < compiler->define.count; ++i)
        word_add(program, ht_format("-D%s", compiler->define.items[i]));
    if (compiler->standard != NULL)
        word_add(program, ht_format("-std=%s", compiler->standard));
}

/* Appends a JSON string, which is what clang's YAML takes, too. */
static void quote(ht_text *to, const char *text) {
    json_t *string = json_string(text);
    char *quoted = string != NULL ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    ht_text_append(to, quoted != NULL ? quoted : "\"\"");
    free(quoted);
    json_decref(string);
}

static void stand_in(ht_text *to, const char *path, const char *copy) {
    ht_text_append(to, "{\"type\": \"file\", \"name\": ");
    quote(to, path);
    ht_text_append(to, ", \"external-contents\": ");
    quote(to, copy);
    ht_text_append(to, "}");
}

/* Appends a file by both names that clang may look for, the one that was given and that without
 * links: a file that is not found in the list would be compiled as it is. */
static ht_status substitute_add(const ht_substitute *substitute, const char *here, ht_text *to,
                                ht_error *error) {
    char path[PATH_MAX], copy[PATH_MAX];
    if (realpath(substitute->path, path) == NULL)
        return ht_error_set_at(error, HT_ERROR_IO, substitute->path, 0, 0, "%s", strerror(errno));
    if (realpath(substitute->copy, copy) == NULL)
        return ht_error_set_at(error, HT_ERROR_IO, substitute->copy, 0, 0, "%s", strerror(errno));
    char *given = *substitute->path == '/' ? ht_strdup(substitute->path)
                                           : ht_path_join(here, substitute->path);
    stand_in(to, path, copy);
    if (strcmp(given, path) != 0) {
        ht_text_append(to, ", ");
        stand_in(to, given, copy);
    }
    free(given);
    return HT_OK;
}

/* Finds the file that has each one's text. */
static void texts_make(ht_hip_program *program, const ht_substitutes *substitutes) {
    const ht_program_files *files = &program->files;
    program->texts = ht_alloc(files->count + 1, sizeof *program->texts);
    for (size_t i = 0; i < files->count; ++i) {
        program->texts[i] = files->paths[i];
        for (size_t j = 0; j < substitutes->count; ++j)
            if (ht_file_same(substitutes->items[j].path, files->paths[i]))
                program->texts[i] = substitutes->items[j].copy;
    }
}

/* Writes clang's list of files that stand for others: names in messages, and the folders that
 * headers are searched in, stay those of the program. */
static ht_status overlay_write(ht_hip_program *program, const ht_substitutes *substitutes,
                               ht_error *error) {
    ht_text text = {0};
    char here[PATH_MAX];
    ht_status status =
        getcwd(here, sizeof here) != NULL
            ? HT_OK
            : ht_error_set(error, HT_ERROR_IO, "the folder that this runs in: %s", strerror(errno));
    ht_text_append(&text, "{\"version\": 0, \"use-external-names\": false, \"roots\": [");
    for (size_t i = 0; i < substitutes->count && status == HT_OK; ++i) {
        ht_text_append(&text, i > 0 ? ", " : "");
        status = substitute_add(&substitutes->items[i], here, &text, error);
    }
    ht_text_append(&text, "]}\n");
    char *file = ht_path_join(program->scratch.path, "overlay.yaml");
    if (status == HT_OK)
        status = ht_file_write(file, text.data, text.length, error);
    ht_text_free(&text);
    program->overlay[0] = "-ivfsoverlay";
    program->overlay[1] = program->overlay_file = file;
    texts_make(program, substitutes);
    return status;
}

static ht_emulate_build build_of(const ht_hip_program *program) {
    return (ht_emulate_build){.files = (const char *const *)program->files.paths,
                              .file_count = program->files.count,
                              .options = (const char *const *)program->words,
                              .option_count = program->word_count,
                              .own_options = program->own,
                              .texts = program->texts,
                              .overlay = program->overlay,
                              .overlay_count = program->overlay_file ? 2 : 0,
                              .folder = program->folder,
                              .wavefront = program->mode.wavefront,
                              .checked = program->mode.checked,
                              .sanitized = program->mode.sanitized};
}

static ht_status files_check(const ht_program_files *files, ht_error *error) {
    for (size_t i = 0; i < files->count; ++i)
        if (!ht_file_exists(files->paths[i]))
            return ht_error_set_at(error, HT_ERROR_INPUT, files->paths[i], 0, 0,
                                   ht_dir_exists(files->paths[i])
                                       ? "it is a folder: a program is given by its files"
                                       : "there is no such file");
    return HT_OK;
}

ht_status ht_hip_program_build(const ht_program_files *files, const ht_substitutes *substitutes,
                               const ht_program_mode *mode, const volatile int *interrupted,
                               ht_hip_program **out_program, ht_error *error) {
    *out_program = NULL;
    ht_status status = files_check(files, error);
    if (status != HT_OK)
        return status;
    ht_hip_program *program = ht_alloc(1, sizeof *program);
    program->files = *files;
    program->mode = *mode;
    status = ht_scratch_make("emulate", &program->scratch, error);
    if (status == HT_OK) {
        program->folder = ht_path_join(program->scratch.path, "build");
        status = ht_dir_make(program->folder, error);
    }
    words_make(program);
    own_make(program);
    if (status == HT_OK && substitutes != NULL && substitutes->count > 0)
        status = overlay_write(program, substitutes, error);
    const ht_emulate_build build = build_of(program);
    if (status == HT_OK)
        status = ht_emulate_build_confined(&build, interrupted, error);
    if (status == HT_OK) {
        *out_program = program;
    } else {
        ht_hip_program_free(program);
    }
    return status;
}

void ht_hip_program_free(ht_hip_program *program) {
    if (program == NULL)
        return;
    ht_strings_free(program->words, program->word_count);
    free(program->own);
    free(program->overlay_file);
    free(program->texts);
    free(program->folder);
    ht_scratch_remove(&program->scratch);
    free(program);
}

const char *ht_hip_program_folder(const ht_hip_program *program) {
    return program->folder;
}

/* Returns argv: the first file's name without the ending, then the arguments; free() it and its
 * first. */
static char **arguments_make(const ht_hip_program *program, const ht_program_run *run) {
    const char *name = ht_path_name(program->files.paths[0]);
    char **arguments = ht_alloc(run->argument_count + 2, sizeof *arguments);
    const char *dot = strrchr(name, '.');
    arguments[0] = ht_strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
    for (size_t i = 0; i < run->argument_count; ++i)
        arguments[i + 1] = run->arguments[i];
    return arguments;
}

static ht_status folder_find(const char *option, const char *name, char out_path[PATH_MAX],
                             ht_error *error) {
    if (realpath(name, out_path) != NULL && ht_dir_exists(out_path))
        return HT_OK;
    return ht_error_set(error, HT_ERROR_INPUT, "option --%s: there is no folder '%s'", option,
                        name);
}

ht_status ht_hip_program_run(const ht_hip_program *program, const ht_program_run *run,
                             ht_emulate_report *report, ht_emulate_outcome *out_outcome,
                             ht_error *error) {
    char reads[PATH_MAX], writes[PATH_MAX];
    char *scratch = ht_path_join(program->scratch.path, "run");
    char **arguments = arguments_make(program, run);
    ht_status status = ht_dir_make(scratch, error);
    if (status == HT_OK)
        status = folder_find("read", run->read, reads, error);
    if (status == HT_OK)
        status = folder_find("write", run->write ? run->write : scratch, writes, error);
    const ht_emulate_run confined = {.folder = program->folder,
                                     .arguments = arguments,
                                     .reads = reads,
                                     .writes = writes,
                                     .wavefront = program->mode.wavefront,
                                     .checked = program->mode.checked,
                                     .sanitized = program->mode.sanitized,
                                     .capture = run->capture,
                                     .contents = run->contents,
                                     .copies = run->copies,
                                     .store = run->store,
                                     .seconds = run->seconds,
                                     .interrupted = run->interrupted};
    if (status == HT_OK)
        status = ht_emulate_run_confined(&confined, report, out_outcome, error);
    free(scratch);
    free(arguments[0]);
    free(arguments);
    return status;
}

char **ht_hip_program_sources(const ht_hip_program *program, size_t *out_count) {
    const ht_emulate_build build = build_of(program);
    char **headers, **sources = NULL;
    size_t header_count = ht_emulate_headers(&build, &headers), count = 0;
    for (size_t i = 0; i < build.file_count; ++i) {
        const char *name = build.files[i], *dot = strrchr(name, '.');
        if (dot != NULL && strcmp(dot, ".c") == 0)
            continue;
        HT_GROW(sources, count);
        sources[count++] = ht_strdup(name);
    }
    for (size_t i = 0; i < header_count; ++i) {
        bool wanted = ht_mentions_kernels(headers[i]);
        for (size_t j = 0; j < count && wanted; ++j)
            wanted = !ht_file_same(sources[j], headers[i]);
        if (wanted) {
            HT_GROW(sources, count);
            sources[count++] = headers[i];
        } else {
            free(headers[i]);
        }
    }
    free(headers);
    *out_count = count;
    return sources;
}
