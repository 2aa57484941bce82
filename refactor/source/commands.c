/* Reads compile_commands.json. */
#include "refactor/source/commands.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct words {
    char **items;
    size_t count;
} words;

static void words_free(words *list) {
    ht_strings_free(list->items, list->count);
    *list = (words){0};
}

static void word_add(words *list, char *word) {
    HT_GROW(list->items, list->count);
    list->items[list->count++] = word;
}

/* Reads a word of a POSIX shell's command line: quotes and backslashes, no expansions. */
static const char *word_read(const char *at, ht_text *out) {
    char quote = 0;
    for (; *at && (quote || !isspace((unsigned char)*at)); ++at) {
        if (quote == '\'' && *at != '\'')
            ht_text_append_n(out, at, 1);
        else if (*at == quote)
            quote = 0;
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (*at == '\\' && at[1] && (!quote || strchr("\"\\$`", at[1])))
            ht_text_append_n(out, ++at, 1);
        else
            ht_text_append_n(out, at, 1);
    }
    return at;
}

static words words_split(const char *command) {
    words list = {0};
    for (const char *at = command; *at;) {
        while (isspace((unsigned char)*at))
            ++at;
        if (!*at)
            break;
        ht_text word = {0};
        ht_text_append(&word, "");
        at = word_read(at, &word);
        word_add(&list, ht_text_take(&word));
    }
    return list;
}

enum { RESPONSE_DEPTH = 4, RESPONSE_BYTES = 1 << 20 };

/* Returns the file of arguments that the words at `index` name in compilers' ways: @FILE, and
 * nvcc's --options-file FILE (-optf FILE); NULL: they name none. *out_count: the number of these
 * words. */
static const char *response_named(const words *given, size_t index, size_t *out_count) {
    const char *word = given->items[index];
    *out_count = 1;
    if (word[0] == '@' && word[1])
        return word + 1;
    if (strcmp(word, "--options-file") != 0 && strcmp(word, "-optf") != 0)
        return NULL;
    *out_count = 2;
    return index + 1 < given->count ? given->items[index + 1] : NULL;
}

/* Replaces words that name files of arguments by the words of these files. A file that is missing
 * (the build may not have run) has none. */
static words responses_expand(const words *given, const char *folder, int depth) {
    words list = {0};
    for (size_t i = 0, used; i < given->count; i += used) {
        const char *name = response_named(given, i, &used);
        if (!name) {
            if (used == 1)
                word_add(&list, ht_strdup(given->items[i]));
            continue;
        }
        char *path = ht_path_join(folder, name), *text = NULL;
        if (depth < RESPONSE_DEPTH &&
            ht_file_read(path, RESPONSE_BYTES, &text, NULL, NULL) == HT_OK) {
            words inside = words_split(text), whole = responses_expand(&inside, folder, depth + 1);
            for (size_t j = 0; j < whole.count; ++j)
                word_add(&list, whole.items[j]);
            free(whole.items);
            words_free(&inside);
            free(text);
        }
        free(path);
    }
    return list;
}

typedef struct option_rule {
    const char *given; /* the option's beginning */
    const char *taken; /* clang's spelling; NULL: left out */
    bool is_path;
} option_rule;

/* Options that matter, with nvcc's spellings. Longer ones come first. */
static const option_rule rules[] = {
    {"-isystem", "-isystem", true},
    {"-iquote", "-iquote", true},
    {"-idirafter", "-idirafter", true},
    {"-include-pch", NULL, false},
    {"-include", "-include", true},
    {"--include-path=", "-I", true},
    {"--include-path", "-I", true},
    {"--define-macro=", "-D", false},
    {"--define-macro", "-D", false},
    {"--undefine-macro=", "-U", false},
    {"-I", "-I", true},
    {"-D", "-D", false},
    {"-U", "-U", false},
    {"-std=", "-std=", false},
    {"--std=", "-std=", false},
    {"--std", "-std=", false},
};

static const option_rule *rule_for(const char *word) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
        if (strncmp(word, rules[i].given, strlen(rules[i].given)) == 0)
            return &rules[i];
    return NULL;
}

static void arguments_take(ht_command_entry *entry, const words *given, const char *folder) {
    words kept = {0};
    for (size_t i = 1; i < given->count; ++i) {
        const option_rule *rule = rule_for(given->items[i]);
        if (!rule || !rule->taken)
            continue;
        const char *value = given->items[i] + strlen(rule->given);
        if (rule->is_path && *value == '=' && value[1]) /* nvcc's -isystem=DIR */
            ++value;
        if (!*value && i + 1 < given->count)
            value = given->items[++i];
        bool standard = strcmp(rule->taken, "-std=") == 0;
        if (!*value ||
            (standard && !strstr(value, "++"))) /* HIP is C++: a standard of C is dropped */
            continue;
        /* -include finds files as #include "..." does: in the folder first, else on the path */
        char *joined = rule->is_path ? ht_path_join(folder, value) : ht_strdup(value);
        bool search = strcmp(rule->taken, "-include") == 0 && !ht_file_exists(joined);
        bool spaced = rule->taken[1] == 'i';
        if (spaced)
            word_add(&kept, ht_strdup(rule->taken));
        word_add(&kept, ht_format("%s%s", spaced ? "" : rule->taken, search ? value : joined));
        free(joined);
    }
    entry->arguments = kept.items;
    entry->argument_count = kept.count;
}

static bool words_of_json(const json_t *array, words *out) {
    size_t index;
    json_t *item;
    json_array_foreach(array, index, item) {
        if (!json_is_string(item))
            return false;
        word_add(out, ht_strdup(json_string_value(item)));
    }
    return true;
}

static bool known(const ht_command_list *list, const char *file) {
    for (size_t i = 0; i < list->count; ++i)
        if (strcmp(list->items[i].file, file) == 0)
            return true;
    return false;
}

static ht_status entry_add(ht_command_list *list, const json_t *object, const char *path,
                           size_t number, ht_error *error) {
    const char *folder = json_string_value(json_object_get(object, "directory"));
    const char *file = json_string_value(json_object_get(object, "file"));
    const char *command = json_string_value(json_object_get(object, "command"));
    const json_t *arguments = json_object_get(object, "arguments");
    words given = {0};
    bool good = folder && file && file[0] && (command || json_is_array(arguments));
    if (good && json_is_array(arguments))
        good = words_of_json(arguments, &given);
    else if (good)
        given = words_split(command);
    if (!good) {
        words_free(&given);
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                               "entry %zu needs \"directory\", \"file\" and \"command\" or "
                               "\"arguments\" (a list of strings)",
                               number + 1);
    }
    ht_command_entry entry = {.file = ht_path_join(folder, file)};
    if (known(list, entry.file)) {
        free(entry.file);
    } else {
        words whole = responses_expand(&given, folder, 0);
        arguments_take(&entry, &whole, folder);
        words_free(&whole);
        HT_GROW(list->items, list->count);
        list->items[list->count++] = entry;
    }
    words_free(&given);
    return HT_OK;
}

ht_status ht_command_list_parse(const char *text, const char *path, ht_command_list *out_list,
                                ht_error *error) {
    *out_list = (ht_command_list){0};
    json_error_t at;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &at);
    if (!document)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, at.line, at.column, "%s", at.text);
    ht_status status = HT_OK;
    if (!json_is_array(document))
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "a compilation database is a list of entries");
    size_t index;
    json_t *item;
    json_array_foreach(document, index, item) if (status == HT_OK) status =
        entry_add(out_list, item, path, index, error);
    json_decref(document);
    if (status != HT_OK)
        ht_command_list_free(out_list);
    return status;
}

ht_status ht_command_list_load(const char *path, ht_command_list *out_list, ht_error *error) {
    char *text;
    *out_list = (ht_command_list){0};
    ht_status status = ht_file_read(path, 0, &text, NULL, error);
    if (status != HT_OK)
        return status;
    status = ht_command_list_parse(text, path, out_list, error);
    free(text);
    return status;
}

void ht_command_list_free(ht_command_list *list) {
    for (size_t i = 0; i < list->count; ++i) {
        ht_strings_free(list->items[i].arguments, list->items[i].argument_count);
        free(list->items[i].file);
    }
    free(list->items);
    *list = (ht_command_list){0};
}
