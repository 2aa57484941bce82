/* Files of a source whose text or name changed, but not its code, written again without an
 * analysis: a tuned copy gets the comments and the layout of the text as it is now. Its tokens stay
 * those of the copy that was checked, which is compared. */
#include "pipeline/nightly/night_internal.h"

#include "base/code_rebase.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/outputs.h"
#include "pipeline/patch.h"

#include <stdlib.h>
#include <string.h>

typedef struct kept_file {
    char *old_name, *name; /* relative to the job's folder */
    char *text;            /* as it was, then as it is written */
} kept_file;

typedef struct rewriting {
    const ht_night *night;
    ht_night_turn *turn;
    const ht_source *source;
    const char *old_path, *old_output; /* borrowed */
    char *old_stem, *stem;
    ht_code_rebase *rebase;
    kept_file *files;
    size_t count;
    char *folder; /* from which the patches apply */
} rewriting;

bool ht_night_is_of(const char *name, const char *output) {
    char *stem = ht_output_stem(output);
    size_t length = strlen(stem);
    bool is = strncmp(name, stem, length) == 0 && strchr(".-", name[length]);
    free(stem);
    return is;
}

static ht_status file_take(void *context, const char *name, const char *content, ht_error *error) {
    rewriting *made = context;
    (void)error;
    if (!ht_night_is_of(name, made->old_output))
        return HT_OK;
    HT_GROW(made->files, made->count);
    made->files[made->count++] =
        (kept_file){ht_strdup(name), ht_format("%s%s", made->stem, name + strlen(made->old_stem)),
                    ht_strdup(content)};
    return HT_OK;
}

/* Puts lines and name of the source as they are now into a template's line directives. */
static char *template_text(const rewriting *made, const char *text) {
    ht_text out = {0};
    ht_text_append(&out, "");
    char *place = ht_format("\"%s\"", made->old_path);
    char *front = ht_format(", %s:", made->old_path);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n") + 1;
        const char *next = line[length - 1] ? line + length : line + length - 1;
        char *end = NULL;
        long number =
            ht_text_begins(line, "#line ") ? strtol(line + strlen("#line "), &end, 10) : 0;
        const char *head = line == text ? strstr(line, front) : NULL;
        if (number > 0 && *end == ' ' && strncmp(end + 1, place, strlen(place)) == 0) {
            ht_text_printf(&out, "#line %d \"%s\"\n",
                           ht_code_rebase_line(made->rebase, (int)number), made->source->path);
        } else if (head && head < next && ht_text_begins(line, "// Template of ")) {
            ht_text_append_n(&out, line, (size_t)(head - line));
            ht_text_printf(&out, ", %s:%d.\n", made->source->path,
                           ht_code_rebase_line(made->rebase, atoi(head + strlen(front))));
        } else {
            ht_text_append_n(&out, line, (size_t)(next - line));
        }
        line = next;
    }
    free(front);
    free(place);
    return ht_text_take(&out);
}

/* Makes the text of a file as it is now. False: only an analysis can. */
static bool text_make(rewriting *made, kept_file *file) {
    const char *suffix = made->old_output + strlen(made->old_stem);
    bool renamed = strcmp(made->old_output, made->source->output) != 0;
    char *text = NULL;
    if (ht_text_ends(file->old_name, ".template.hip"))
        text = template_text(made, file->text);
    else if (ht_text_ends(file->old_name, ".problem.json") ||
             (!renamed && ht_text_ends(file->old_name, ".launch.hpp")))
        text = ht_strdup(file->text);
    else if (ht_text_ends(file->old_name, ".patch")) /* of one file: it is made anew */
        text = ht_text_begins(file->text, "--- ") && !strstr(file->text, "\n--- a/") ? ht_strdup("")
                                                                                     : NULL;
    else if (*suffix && ht_text_ends(file->old_name, suffix))
        text = ht_code_rebase_apply(made->rebase, file->text);
    if (text) {
        free(file->text);
        file->text = text;
    }
    return text != NULL;
}

static const kept_file *find(const rewriting *made, const char *name, size_t length) {
    for (size_t i = 0; i < made->count; ++i)
        if (strlen(made->files[i].name) == length &&
            strncmp(made->files[i].name, name, length) == 0)
            return &made->files[i];
    return NULL;
}

static bool is_patch(const kept_file *file) {
    return ht_text_ends(file->name, ".patch");
}

static ht_status patch_make(rewriting *made, kept_file *patch, ht_error *error) {
    const char *path = made->source->path;
    const kept_file *copy = find(made, patch->name, strlen(patch->name) - strlen(".patch"));
    if (!copy)
        return ht_error_set(error, HT_ERROR_INPUT, "a patch of a copy that was not kept");
    char *copy_path = ht_path_join(made->night->job->out, copy->name);
    ht_status status = HT_OK;
    if (!made->folder)
        status = ht_patch_folder(&path, 1, &made->folder, error);
    free(patch->text);
    patch->text = NULL;
    if (status == HT_OK)
        status = ht_patch_make(path, copy_path, made->folder, &patch->text, error);
    free(copy_path);
    return status;
}

static ht_status file_write(const rewriting *made, const kept_file *file, ht_error *error) {
    char *written = NULL;
    ht_status status =
        ht_output_write(made->night->job->out, file->name, file->text, &written, error);
    if (status == HT_OK)
        status = ht_nights_put_file(made->night->nights, made->turn->look.key, file->name,
                                    file->text, error);
    free(written);
    return status;
}

static ht_status files_write(rewriting *made, ht_error *error) {
    ht_status status = HT_OK;
    for (int pass = 0; pass < 2; ++pass) /* patches are made from the copies */
        for (size_t i = 0; i < made->count && status == HT_OK; ++i) {
            if (is_patch(&made->files[i]) != (pass == 1))
                continue;
            if (pass == 1)
                status = patch_make(made, &made->files[i], error);
            if (status == HT_OK)
                status = file_write(made, &made->files[i], error);
        }
    return status;
}

/* Sets names and lines in the row of an entry. */
static void entry_set(const rewriting *made, json_t *entry) {
    static const char *const members[] = {"tuned_file",    "patch_file",    "template_file",
                                          "launcher_file", "skeleton_file", "problem_file"};
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i)
        for (size_t j = 0; j < made->count; ++j) {
            char *end = ht_format("/%s", made->files[j].old_name);
            char *path = ht_path_join(made->night->job->out, made->files[j].name);
            bool is = ht_text_ends(ht_report_text_of(entry, members[i]), end);
            if (is)
                json_object_set_new(entry, members[i], ht_report_json_text(path));
            free(path);
            free(end);
            if (is)
                break;
        }
    if (made->folder && json_is_string(json_object_get(entry, "patch_folder")))
        json_object_set_new(entry, "patch_folder", ht_report_json_text(made->folder));
    if (strcmp(ht_report_text_of(entry, "file"), made->old_path) != 0)
        return; /* it is in a header */
    int line = (int)json_integer_value(json_object_get(entry, "line"));
    json_object_set_new(entry, "file", ht_report_json_text(made->source->path));
    json_object_set_new(entry, "line", json_integer(ht_code_rebase_line(made->rebase, line)));
}

static ht_status result_put(const rewriting *made, ht_night_result *result, json_t *document,
                            ht_error *error) {
    char *text = json_dumps(document, JSON_COMPACT);
    free(result->document);
    result->document = text;
    ht_night_result put = *result;
    put.night = made->night->number;
    put.job = made->night->name;
    put.file = made->source->path;
    return ht_nights_put(made->night->nights, &put, error);
}

/* Sets names in what is kept of the tuned copies, which programs are compared with. */
static void copies_set(const rewriting *made, json_t *memory) {
    static const char *const paths[] = {"path", "source"};
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(memory, "copies"), index, item) {
        for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i)
            if (strcmp(ht_report_text_of(item, paths[i]), made->old_path) == 0)
                json_object_set_new(item, paths[i], ht_report_json_text(made->source->path));
        for (size_t i = 0; i < made->count; ++i)
            if (strcmp(ht_report_text_of(item, "copy"), made->files[i].old_name) == 0) {
                json_object_set_new(item, "copy", ht_report_json_text(made->files[i].name));
                break;
            }
    }
}

static void memory_replace(ht_night_turn *turn, json_t *document) {
    json_decref(turn->memory);
    turn->memory = json_incref(document);
}

static ht_status results_put(const rewriting *made, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < made->turn->known.count && status == HT_OK; ++i) {
        ht_night_result *result = &made->turn->known.items[i];
        json_t *document = json_loads(result->document, 0, NULL);
        if (*result->kernel) {
            entry_set(made, json_object_get(document, "entry"));
        } else {
            ht_night_text_set(document, &made->turn->look, made->source);
            copies_set(made, document);
        }
        status = result_put(made, result, document, error);
        if (!*result->kernel)
            memory_replace(made->turn, document);
        json_decref(document);
    }
    return status;
}

static void rewriting_close(rewriting *made) {
    for (size_t i = 0; i < made->count; ++i) {
        free(made->files[i].old_name);
        free(made->files[i].name);
        free(made->files[i].text);
    }
    free(made->files);
    free(made->old_stem);
    free(made->stem);
    free(made->folder);
    ht_code_rebase_free(made->rebase);
}

bool ht_night_rewrite(const ht_night *night, ht_night_turn *turn) {
    const ht_source *source = &night->sources.items[turn->source];
    const char *old_text = json_string_value(json_object_get(turn->memory, "text"));
    const char *old_output = json_string_value(json_object_get(turn->memory, "output"));
    if (!old_text || !old_output || !turn->look.text || turn->known.count == 0)
        return false;
    rewriting made = {.night = night,
                      .turn = turn,
                      .source = source,
                      .old_path = turn->known.items[0].file,
                      .old_output = old_output,
                      .old_stem = ht_output_stem(old_output),
                      .stem = ht_output_stem(source->output),
                      .rebase = ht_code_rebase_open(old_text, turn->look.text)};
    bool done =
        made.rebase &&
        strcmp(old_output + strlen(made.old_stem), source->output + strlen(made.stem)) == 0 &&
        ht_nights_files(night->nights, turn->look.key, file_take, &made, NULL) == HT_OK;
    for (size_t i = 0; i < made.count && done; ++i)
        done = text_make(&made, &made.files[i]);
    json_t *held = json_incref(turn->memory); /* it has the texts, and is replaced */
    done = done && files_write(&made, NULL) == HT_OK && results_put(&made, NULL) == HT_OK;
    rewriting_close(&made);
    json_decref(held);
    return done;
}
