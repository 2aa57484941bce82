#include "pipeline/nightly/job_file.h"

#include "base/file.h"
#include "base/json_place.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "search/strategy.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum field_kind {
    FIELD_PATH,
    FIELD_PATHS,
    FIELD_FILES,   /* a path, or a list of them */
    FIELD_SOURCES, /* paths, and objects whose members are fields with `inside` "program" */
    FIELD_TEXT,
    FIELD_TEXTS,
    FIELD_WORD, /* one of `words` */
    FIELD_STRATEGY,
    FIELD_MODEL, /* "builtin", or a path */
    FIELD_COUNT,
    FIELD_NUMBER,
    FIELD_OBJECT, /* its members are fields with `inside` */
    FIELD_FORMAT,
    FIELD_VERSION
} field_kind;

typedef struct field {
    const char *inside; /* NULL: of the job itself */
    const char *key;
    field_kind kind;
    size_t offset; /* in the job; of a program's fields in it */
    bool required;
    bool filled; /* a list that is not empty */
    double min, max;
    bool above; /* `min` itself is not allowed */
    const char *const *words;
} field;

static const char *const checks[] = {"none", "finals", "all", NULL};
static const char *const caches[] = {"hot", "cold", NULL};
static const char *const styles[] = {"plain", "any", NULL};

#define AT(member) offsetof(ht_job_file, member)
#define OF(member) offsetof(ht_job_program, member)
static const char of_program[] = "program";
static const field fields[] = {
    {NULL, "format", FIELD_FORMAT, 0, .max = 0},
    {NULL, "version", FIELD_VERSION, 0, .max = 0},
    {NULL, "sources", FIELD_SOURCES, AT(sources), .required = true},
    {of_program, "program", FIELD_FILES, OF(files), .required = true, .filled = true},
    {of_program, "arguments", FIELD_TEXTS, OF(arguments), .required = false},
    {of_program, "read", FIELD_PATH, OF(read), .required = false},
    {of_program, "share", FIELD_NUMBER, OF(share), .max = 100, .above = true},
    {of_program, "inputs", FIELD_COUNT, OF(inputs), .max = 1e6},
    {of_program, "include", FIELD_PATHS, OF(include), .required = false},
    {of_program, "define", FIELD_TEXTS, OF(define), .required = false},
    {of_program, "std", FIELD_TEXT, OF(standard), .required = false},
    {of_program, "compile_commands", FIELD_PATH, OF(commands), .required = false},
    {NULL, "devices", FIELD_TEXTS, AT(devices), .filled = true},
    {NULL, "budget", FIELD_OBJECT, 0, .required = true},
    {"budget", "seconds", FIELD_NUMBER, AT(budget.seconds), .required = true, .max = 3e7,
     .above = true},
    {"budget", "kernel_seconds", FIELD_NUMBER, AT(budget.kernel_seconds), .max = 3e7},
    {"budget", "evaluations", FIELD_COUNT, AT(budget.evaluations), .max = 1e9},
    {NULL, "least_effect", FIELD_NUMBER, AT(least_effect), .max = 1},
    {NULL, "final_seconds", FIELD_NUMBER, AT(final_seconds), .max = 3600},
    {NULL, "watch_hours", FIELD_NUMBER, AT(watch_hours), .max = 1e5},
    {NULL, "seed", FIELD_COUNT, AT(seed), .max = 1e15},
    {NULL, "not_run_exit", FIELD_COUNT, AT(not_run_exit), .max = 125},
    {NULL, "database", FIELD_PATH, AT(database), .required = true},
    {NULL, "out", FIELD_PATH, AT(out), .required = true},
    {NULL, "problems", FIELD_PATH, AT(problems), .required = false},
    {NULL, "profile", FIELD_PATH, AT(profile), .required = false},
    {NULL, "strategy", FIELD_STRATEGY, AT(strategy), .required = false},
    {NULL, "predictor", FIELD_MODEL, AT(predictor), .required = false},
    {NULL, "include", FIELD_PATHS, AT(include), .required = false},
    {NULL, "define", FIELD_TEXTS, AT(define), .required = false},
    {NULL, "std", FIELD_TEXT, AT(standard), .required = false},
    {NULL, "check", FIELD_WORD, AT(check), .words = checks},
    {NULL, "cache", FIELD_WORD, AT(cache), .words = caches},
    {NULL, "style", FIELD_WORD, AT(style), .words = styles},
    {NULL, "slurm", FIELD_OBJECT, 0, .max = 0},
    {"slurm", "shards", FIELD_COUNT, AT(slurm.shards), .max = 1000},
    {"slurm", "limit_seconds", FIELD_NUMBER, AT(slurm.limit_seconds), .max = 3e7},
    {"slurm", "partition", FIELD_TEXT, AT(slurm.partition), .required = false},
    {"slurm", "options", FIELD_TEXTS, AT(slurm.options), .required = false},
    {"slurm", "merge_options", FIELD_TEXTS, AT(slurm.merge_options), .required = false},
};
enum { FIELDS = sizeof fields / sizeof *fields };

typedef struct reader {
    const char *text, *file;
    char *folder;
    ht_job_file *job;
    void *at; /* what the fields of the object at hand belong to: the job, or a program of it */
    ht_error *error;
} reader;

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static ht_status fail(const reader *in, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports a mistake at the value or key `where`. */
static ht_status fail(const reader *in, const char *where, const char *format, ...) {
    char message[1024];
    int line, column;
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    ht_json_place_find(in->text, where, &line, &column);
    return ht_error_set_at(in->error, HT_ERROR_INPUT, in->file, line, column, "%s%s%s", where,
                           *where ? ": " : "", message);
}

/* Returns a value as it stands in messages; free(). */
static char *value_text(const json_t *value) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    if (text && strlen(text) > 60)
        memcpy(text + 57, "...", sizeof "...");
    return text ? text : ht_strdup("a value that is no text");
}

static ht_status wrong_type(const reader *in, const char *where, const json_t *value,
                            const char *wanted) {
    char *found = value_text(value);
    ht_status status = fail(in, where, "expected %s, found %s", wanted, found);
    free(found);
    return status;
}

static ht_status unknown_word(const reader *in, const char *where, const char *word,
                              const char *const *words) {
    ht_text list = {0};
    const char *near = ht_nearest_word(word, words);
    for (size_t i = 0; words[i]; ++i)
        ht_text_printf(&list, "%s%s", i ? ", " : "", words[i]);
    ht_status status =
        near ? fail(in, where, "there is no \"%.80s\"; did you mean \"%s\"? There are: %s", word,
                    near, list.data)
             : fail(in, where, "there is no \"%.80s\"; there are: %s", word, list.data);
    ht_text_free(&list);
    return status;
}

/* ---- values */

static ht_status text_read(const reader *in, const char *where, const json_t *value,
                           const char **out_text) {
    *out_text = "";
    if (!json_is_string(value))
        return wrong_type(in, where, value, "a string \"...\"");
    *out_text = json_string_value(value);
    if (json_string_length(value) == 0)
        return fail(in, where, "is empty; name something, or leave the key out");
    if (strlen(*out_text) != json_string_length(value))
        return fail(in, where, "holds a NUL character; leave it out");
    return HT_OK;
}

static ht_status path_read(const reader *in, const char *where, const json_t *value,
                           char **out_path) {
    const char *text = NULL;
    ht_status status = text_read(in, where, value, &text);
    if (status == HT_OK)
        *out_path = strcmp(in->folder, ".") != 0 ? ht_path_join(in->folder, text)
                    : *text == '-' ? ht_path_join(".", text) /* no option of a compiler's */
                                   : ht_strdup(text);
    return status;
}

static void words_add(ht_job_words *words, char *own) {
    HT_GROW(words->items, words->count);
    words->items[words->count++] = own;
}

static ht_status words_read(const reader *in, const field *field, const char *where,
                            const json_t *value, ht_job_words *out_words) {
    size_t index;
    json_t *item;
    bool paths = field->kind == FIELD_PATHS || field->kind == FIELD_FILES;
    if (!json_is_array(value))
        return wrong_type(in, where, value, "a list of strings [\"...\"]");
    if (field->filled && json_array_size(value) == 0)
        return fail(in, where, "the list is empty; name at least one");
    for (size_t i = 0; i < out_words->count; ++i) /* the default */
        free(out_words->items[i]);
    out_words->count = 0;
    json_array_foreach(value, index, item) {
        const char *text = NULL;
        char *path = NULL, *place = ht_format("%s[%zu]", where, index);
        ht_status status =
            paths ? path_read(in, place, item, &path) : text_read(in, place, item, &text);
        free(place);
        if (status != HT_OK)
            return status;
        words_add(out_words, path ? path : ht_strdup(text));
    }
    return HT_OK;
}

/* Reads a path, or a list of them. */
static ht_status files_read(const reader *in, const field *field, const char *where,
                            const json_t *value, ht_job_words *out_words) {
    char *path = NULL;
    if (json_is_array(value))
        return words_read(in, field, where, value, out_words);
    if (!json_is_string(value))
        return wrong_type(in, where, value, "a file \"main.hip\", or a list of a program's files");
    ht_status status = path_read(in, where, value, &path);
    if (path)
        words_add(out_words, path);
    return status;
}

static ht_status number_read(const reader *in, const field *field, const char *where,
                             const json_t *value, double *out_number) {
    bool whole = field->kind == FIELD_COUNT;
    const char *wanted = whole ? "a whole number without quotes" : "a number without quotes";
    if (whole ? !json_is_integer(value) : !json_is_number(value))
        return wrong_type(in, where, value, wanted);
    double number = json_number_value(value);
    bool low = field->above ? number <= field->min : number < field->min;
    if (!isfinite(number) || low || number > field->max) {
        char *found = value_text(value);
        ht_status status =
            fail(in, where, "%s is out of range; it must be %s %.10g and at most %.10g", found,
                 field->above ? "above" : "at least", field->min, field->max);
        free(found);
        return status;
    }
    *out_number = number;
    return HT_OK;
}

static ht_status word_read(const reader *in, const char *where, const json_t *value,
                           const char *const *words, char **out_word) {
    const char *text = NULL;
    ht_status status = text_read(in, where, value, &text);
    if (status != HT_OK)
        return status;
    if (!ht_text_is_one(text, words))
        return unknown_word(in, where, text, words);
    free(*out_word);
    *out_word = ht_strdup(text);
    return HT_OK;
}

static ht_status strategy_read(const reader *in, const char *where, const json_t *value,
                               char **out_word) {
    const char *names[32] = {NULL};
    for (size_t i = 0; ht_strategy_classes[i] && i < 31; ++i)
        names[i] = ht_strategy_classes[i]->name;
    return word_read(in, where, value, names, out_word);
}

static ht_status format_read(const reader *in, const field *field, const char *where,
                             const json_t *value) {
    if (field->kind == FIELD_FORMAT)
        return json_is_string(value) && strcmp(json_string_value(value), "hiptemper-job") == 0
                   ? HT_OK
                   : wrong_type(in, where, value, "\"hiptemper-job\"");
    return json_is_integer(value) && json_integer_value(value) == 1
               ? HT_OK
               : wrong_type(in, where, value, "1, the version that this program knows");
}

static ht_status sources_read(const reader *in, const char *where, const json_t *value);

static ht_status value_read(const reader *in, const field *field, const char *where,
                            const json_t *value) {
    void *at = (char *)in->at + field->offset;
    const char *text = NULL;
    double number = 0;
    ht_status status = HT_OK;
    switch (field->kind) {
    case FIELD_PATH:
        return path_read(in, where, value, at);
    case FIELD_MODEL:
        if (json_is_string(value) && strcmp(json_string_value(value), "builtin") == 0) {
            *(char **)at = ht_strdup("builtin");
            return HT_OK;
        }
        return path_read(in, where, value, at);
    case FIELD_PATHS:
    case FIELD_TEXTS:
        return words_read(in, field, where, value, at);
    case FIELD_FILES:
        return files_read(in, field, where, value, at);
    case FIELD_SOURCES:
        return sources_read(in, where, value);
    case FIELD_TEXT:
        status = text_read(in, where, value, &text);
        if (status == HT_OK)
            *(char **)at = ht_strdup(text);
        return status;
    case FIELD_WORD:
        return word_read(in, where, value, field->words, at);
    case FIELD_STRATEGY:
        return strategy_read(in, where, value, at);
    case FIELD_COUNT:
        status = number_read(in, field, where, value, &number);
        if (status == HT_OK)
            *(uint64_t *)at = (uint64_t)json_integer_value(value);
        return status;
    case FIELD_NUMBER:
        return number_read(in, field, where, value, at);
    default:
        return format_read(in, field, where, value);
    }
}

/* ---- objects */

static const field *field_find(const char *inside, const char *key) {
    for (size_t i = 0; i < FIELDS; ++i)
        if (same_text(fields[i].inside, inside) && strcmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

static ht_status unknown_key(const reader *in, const char *inside, const char *where,
                             const char *key) {
    const char *names[FIELDS + 1] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < FIELDS; ++i) {
        if (strcmp(fields[i].key, key) == 0)
            return fail(in, where, "this key belongs %s%s; move it there",
                        fields[i].inside == of_program ? "to a program in \"sources\""
                        : fields[i].inside             ? "into "
                                                       : "to the job itself",
                        fields[i].inside && fields[i].inside != of_program ? fields[i].inside : "");
        if (same_text(fields[i].inside, inside))
            names[count++] = fields[i].key;
    }
    const char *near = ht_nearest_word(key, names);
    if (near)
        return fail(in, where, "unknown key; did you mean \"%s\"?", near);
    ht_text list = {0};
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&list, "%s%s", i ? ", " : "", names[i]);
    ht_status status = fail(
        in, where, "unknown key; there are %s; one that begins with // is a comment", list.data);
    ht_text_free(&list);
    return status;
}

static ht_status object_read(const reader *in, const char *inside, const char *place,
                             const json_t *object);

/* `place`: of the object, as it stands in messages; NULL: it is the job itself. */
static ht_status member_read(const reader *in, const char *inside, const char *place,
                             const char *key, const json_t *value) {
    if (strncmp(key, "//", 2) == 0)
        return HT_OK;
    const field *field = field_find(inside, key);
    /* a key of any characters would be no path */
    bool plain = strcspn(key, ".[\"\\\n") == strlen(key) && strlen(key) < 80;
    char *shown = plain ? ht_strdup(key) : ht_format("\"%.80s\"", key);
    char *where = place ? ht_format("%s.%s", place, shown) : ht_strdup(shown);
    ht_status status = HT_OK;
    if (!field)
        status = unknown_key(in, inside, where, key);
    else if (field->kind == FIELD_OBJECT)
        status = json_is_object(value) ? object_read(in, field->key, field->key, value)
                                       : wrong_type(in, where, value,
                                                    strcmp(key, "budget") == 0
                                                        ? "an object such as {\"seconds\": 120}"
                                                        : "an object such as {\"shards\": 4}");
    else
        status = value_read(in, field, where, value);
    free(where);
    free(shown);
    return status;
}

static ht_status object_read(const reader *in, const char *inside, const char *place,
                             const json_t *object) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        ht_status status = member_read(in, inside, place, key, value);
        if (status != HT_OK)
            return status;
    }
    for (size_t i = 0; i < FIELDS; ++i)
        if (fields[i].required && same_text(fields[i].inside, inside) &&
            !json_object_get(object, fields[i].key))
            return fail(in, place ? place : "",
                        "\"%s\" is missing; `hiptemper run --init` "
                        "writes a job to begin with",
                        fields[i].key);
    return HT_OK;
}

static ht_status program_read(const reader *in, const char *where, const json_t *value) {
    ht_job_file *job = in->job;
    HT_GROW(job->programs, job->program_count);
    ht_job_program *program = &job->programs[job->program_count++];
    *program = (ht_job_program){.share = 95, .inputs = 16};
    reader own = *in;
    own.at = program;
    return object_read(&own, of_program, where, value);
}

static ht_status sources_read(const reader *in, const char *where, const json_t *value) {
    if (!json_is_array(value))
        return wrong_type(in, where, value, "a list of strings and programs [\"...\"]");
    if (json_array_size(value) == 0)
        return fail(in, where, "the list is empty; name at least one");
    ht_status status = HT_OK;
    for (size_t index = 0; index < json_array_size(value) && status == HT_OK; ++index) {
        char *place = ht_format("%s[%zu]", where, index), *path = NULL;
        const json_t *item = json_array_get(value, index);
        if (json_is_object(item))
            status = program_read(in, place, item);
        else if (!json_is_string(item))
            status = wrong_type(in, place, item,
                                "a string \"...\", or a program {\"program\": \"main.hip\"}");
        else
            status = path_read(in, place, item, &path);
        if (path)
            words_add(&in->job->sources, path);
        free(place);
    }
    return status;
}

static void defaults_set(ht_job_file *job) {
    *job = (ht_job_file){.budget = {.evaluations = 60},
                         .least_effect = 0.02,
                         .final_seconds = 3,
                         .watch_hours = 12,
                         .seed = 1,
                         .check = ht_strdup("finals"),
                         .cache = ht_strdup("hot"),
                         .style = ht_strdup("plain")};
    HT_GROW(job->devices.items, job->devices.count);
    job->devices.items[job->devices.count++] = ht_strdup("host");
}

ht_status ht_job_file_parse(const char *text, const char *path, ht_job_file *out_job,
                            ht_error *error) {
    json_error_t at;
    reader in = {.text = text, .file = path, .job = out_job, .at = out_job, .error = error};
    defaults_set(out_job);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &at);
    if (!root)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, at.line > 0 ? at.line : 1,
                               at.column > 0 ? at.column : 0, "malformed JSON: %s", at.text);
    in.folder = ht_path_folder(path);
    ht_status status = json_is_object(root)
                           ? object_read(&in, NULL, NULL, root)
                           : fail(&in, "", "expected an object {...} as the whole file");
    free(in.folder);
    json_decref(root);
    return status;
}

ht_status ht_job_file_load(const char *path, ht_job_file *out_job, ht_error *error) {
    char *text;
    *out_job = (ht_job_file){0};
    ht_status status = ht_file_read_text(path, "a job", &text, error);
    if (status != HT_OK)
        return status;
    status = ht_job_file_parse(text, path, out_job, error);
    free(text);
    return status;
}

static void words_free(ht_job_words *words) {
    ht_strings_free(words->items, words->count);
}

static void program_free(ht_job_program *program) {
    words_free(&program->files);
    words_free(&program->arguments);
    words_free(&program->include);
    words_free(&program->define);
    free(program->standard);
    free(program->commands);
    free(program->read);
}

void ht_job_file_free(ht_job_file *job) {
    for (size_t i = 0; i < job->program_count; ++i)
        program_free(&job->programs[i]);
    free(job->programs);
    words_free(&job->sources);
    words_free(&job->devices);
    words_free(&job->include);
    words_free(&job->define);
    words_free(&job->slurm.options);
    words_free(&job->slurm.merge_options);
    char *const owned[] = {job->database, job->out,       job->problems,       job->profile,
                           job->strategy, job->predictor, job->standard,       job->check,
                           job->cache,    job->style,     job->slurm.partition};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; ++i)
        free(owned[i]);
    *job = (ht_job_file){0};
}
