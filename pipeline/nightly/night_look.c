#include "pipeline/nightly/night_look.h"

#include "base/code_printed.h"
#include "base/code_tokens.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "refactor/source/include_name.h"
#include "refactor/source/names.h"

#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 2000 };

typedef struct closure {
    const ht_refactor_options *compiler;
    ht_names seen; /* real paths */
    ht_text code;
    ht_text strict; /* the same, where lines and names of files are never tokens */
    bool redefined; /* printing may be something else here */
    ht_text files;  /* names and hashes of their bytes */
    char *first;    /* the text of the source itself; owned */
    bool failed;
} closure;

/* Returns the file that a line includes, as far as it is the project's; free(). */
static char *included_find(const closure *in, const char *folder, const char *name, bool quoted) {
    char *path = quoted ? ht_path_join(folder, name) : NULL;
    for (size_t i = 0; !(path && ht_file_exists(path)) && i < in->compiler->argument_count; ++i) {
        const char *argument = in->compiler->arguments[i];
        const char *root = ht_text_begins(argument, "-I")         ? argument + 2
                           : ht_text_begins(argument, "-isystem") ? argument + 8
                           : ht_text_begins(argument, "-iquote")  ? argument + 7
                                                                  : NULL;
        if (root && !*root && i + 1 < in->compiler->argument_count)
            root = in->compiler->arguments[i + 1];
        if (!root || !*root)
            continue;
        free(path);
        path = ht_path_join(root, name);
    }
    if (path && ht_file_exists(path))
        return path;
    free(path);
    return NULL;
}

/* Adds what names of files with contents stand for: file("index.bin"), also within JSON. */
static void contents_add(closure *in, const char *text) {
    for (const char *at = text; (at = strstr(at, "file("));) {
        at += strlen("file(");
        at += strspn(at, " \\");
        if (*at != '"')
            continue;
        char *name = ht_strndup(at + 1, strcspn(at + 1, "\"\\")), *data = NULL;
        char *path = ht_input_beside(name);
        char hash[HT_HASH_SIZE] = "";
        size_t length;
        if (path && ht_file_read(path, 0, &data, &length, NULL) == HT_OK)
            ht_hash_bytes(data, length, hash);
        ht_text_printf(&in->code, "contents %s %s\n", name, hash);
        ht_text_printf(&in->strict, "contents %s %s\n", name, hash);
        free(data);
        free(path);
        free(name);
    }
}

static void file_add(closure *in, const char *path);

static void includes_add(closure *in, const char *path, const char *text) {
    char *folder = ht_path_folder(path);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        const char *mark = line + strspn(line, " \t");
        if (*mark == '#') {
            char *own = ht_strndup(line, length);
            const char *word = strchr(own, '#') + 1;
            word += strspn(word, " \t");
            bool quoted = false;
            bool includes = ht_text_begins(word, "include");
            char *name = includes ? ht_include_name(own, &quoted) : NULL;
            in->failed = in->failed || (includes && !name);
            char *found = name ? included_find(in, folder, name, quoted) : NULL;
            if (found)
                file_add(in, found);
            free(found);
            free(name);
            free(own);
        }
        line += length + (line[length] == '\n');
    }
    free(folder);
}

static void file_add(closure *in, const char *path) {
    char *real = realpath(path, NULL), *text = NULL;
    bool seen = !real || ht_names_has(&in->seen, real);
    if (!seen && in->seen.count < FILES_MAX &&
        ht_file_read_text(path, "a source", &text, NULL) == HT_OK) {
        ht_names_add(&in->seen, real);
        char hash[HT_HASH_SIZE];
        ht_hash_bytes(text, strlen(text), hash);
        ht_text_printf(&in->files, "%s %s\n", hash, path);
        ht_text_append(&in->code, "file\n");
        ht_code_tokens_printed(text, &in->code);
        ht_text_append(&in->strict, "file\n");
        ht_code_tokens(text, &in->strict);
        in->redefined = in->redefined || ht_code_redefines_printing(text);
        contents_add(in, text);
        if (!in->first)
            in->first = ht_strdup(text);
        includes_add(in, path, text);
    } else if (!seen) {
        in->failed = true;
    }
    free(text);
    free(real);
}

/* Returns the tokens of all files. */
static const ht_text *code_of(const closure *in) {
    return in->redefined ? &in->strict : &in->code;
}

static void closure_free(closure *in) {
    ht_text_free(&in->code);
    ht_text_free(&in->strict);
    ht_text_free(&in->files);
    ht_names_free(&in->seen);
}

/* Returns the text of the problem file, its layout aside; free(). NULL: there is none. */
static char *problems_text(const char *given, const char *source) {
    char *beside = given ? ht_strdup(given) : ht_problem_path_beside(source);
    char *text = NULL;
    if (ht_file_read_text(beside, "a problem file", &text, NULL) == HT_OK) {
        json_t *document = json_loads(text, 0, NULL);
        char *compact = document ? json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
        if (compact) {
            free(text);
            text = compact;
        }
        json_decref(document);
    }
    free(beside);
    return text;
}

static void hash_set(json_t *parts, const char *name, const char *text) {
    char hash[HT_HASH_SIZE];
    ht_hash_bytes(text, strlen(text), hash);
    json_object_set_new(parts, name, json_string(hash));
}

char *ht_night_look_arguments(const ht_refactor_options *compiler) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (size_t i = 0; i < compiler->argument_count; ++i) {
        const char *argument = compiler->arguments[i];
        bool folder = ht_text_begins(argument, "-I") || ht_text_begins(argument, "-i");
        bool apart = strcmp(argument, "-I") == 0 || strcmp(argument, "-isystem") == 0 ||
                     strcmp(argument, "-iquote") == 0 || strcmp(argument, "-idirafter") == 0;
        i += apart;
        if (!folder)
            ht_text_printf(&text, "%s%s", text.length ? " " : "", argument);
    }
    return ht_text_take(&text);
}

/* Sets the arguments, without the folders: what is found in them is part of the code. */
static void arguments_set(json_t *parts, const ht_refactor_options *compiler) {
    char *text = ht_night_look_arguments(compiler);
    json_object_set_new(parts, "arguments", json_string(text));
    free(text);
}

bool ht_night_look_code(char *const *paths, size_t count, const ht_refactor_options *compiler,
                        char out_hash[HT_HASH_SIZE]) {
    closure in = {.compiler = compiler};
    for (size_t i = 0; i < count; ++i)
        file_add(&in, paths[i]);
    const ht_text *code = code_of(&in);
    ht_hash_bytes(code->data ? code->data : "", code->length, out_hash);
    free(in.first);
    closure_free(&in);
    return !in.failed;
}

void ht_night_text_set(json_t *document, const ht_night_look *look, const ht_source *source) {
    json_object_set_new(document, "raw", json_string(look->raw));
    json_object_set_new(document, "exact", json_string(look->exact));
    json_object_del(document, "text"); /* one that is not UTF-8 is not kept */
    if (look->text)
        json_object_set_new(document, "text", json_string(look->text));
    json_object_set_new(document, "output", json_string(source->output));
}

bool ht_night_look_make(const ht_source *source, const ht_refactor_options *compiler,
                        const char *problems, const json_t *common, ht_night_look *out_look) {
    closure in = {.compiler = compiler};
    *out_look = (ht_night_look){.parts = json_deep_copy(common)};
    char *known = problems_text(problems, source->path);
    file_add(&in, source->path);
    if (source->through)
        file_add(&in, source->through);
    if (known)
        contents_add(&in, known);
    const ht_text *code = code_of(&in);
    hash_set(out_look->parts, "code", code->data ? code->data : "");
    hash_set(out_look->parts, "problems", known ? known : "");
    arguments_set(out_look->parts, compiler);
    char *all = json_dumps(out_look->parts, JSON_COMPACT | JSON_SORT_KEYS);
    ht_hash_bytes(all, strlen(all), out_look->key);
    if (in.first)
        ht_hash_strings(out_look->raw, in.first, source->output, NULL);
    ht_hash_bytes(in.files.data ? in.files.data : "", in.files.length, out_look->exact);
    out_look->text = in.first;
    free(all);
    free(known);
    closure_free(&in);
    return !in.failed;
}

void ht_night_look_free(ht_night_look *look) {
    json_decref(look->parts);
    free(look->text);
    *look = (ht_night_look){0};
}
