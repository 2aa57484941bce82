#include "pipeline/apply_choices.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/survey.h"
#include "pipeline/tuned_comment.h"

#include <stdlib.h>
#include <string.h>

static const char template_head[] = "// Template of ";

/* Returns {"BLOCK_X": 64, "FAST": true, "KIND": "wide"} as "BLOCK_X=64 FAST=true KIND=wide"; NULL
 * when a value is not one of these. free(). */
static char *pairs_of(const json_t *object) {
    ht_text text = {0};
    const char *name;
    json_t *value;
    bool good = true;
    ht_text_append(&text, "");
    json_object_foreach((json_t *)(size_t)object, name, value) {
        ht_text_printf(&text, "%s%s=", text.length ? " " : "", name);
        if (json_is_integer(value))
            ht_text_printf(&text, "%lld", (long long)json_integer_value(value));
        else if (json_is_boolean(value))
            ht_text_append(&text, json_is_true(value) ? "true" : "false");
        else if (json_is_string(value))
            ht_text_append(&text, json_string_value(value));
        else
            good = false;
    }
    if (good)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

/* Returns "FILE" of "// Template of NAME, FILE:LINE."; the path itself when it has no such line.
 * free(). */
static char *source_of(const char *path) {
    char *text = NULL, *source = NULL;
    if (ht_file_read(path, 0, &text, NULL, NULL) == HT_OK &&
        strncmp(text, template_head, strlen(template_head)) == 0) {
        text[strcspn(text, "\n")] = 0;
        char *comma = strstr(text, ", "), *colon = strrchr(text, ':');
        if (comma && colon && colon > comma + 2)
            source = ht_strndup(comma + 2, (size_t)(colon - comma - 2));
    }
    free(text);
    return source ? source : ht_strdup(path);
}

/* Returns the gain of a report's row in words; NULL: it has none; free(). */
static char *gain_of(const json_t *row) {
    const json_t *interval = json_object_get(row, "speedup_ci");
    const char *fields = json_string_value(json_object_get(row, "problem_fields"));
    const char *device = json_string_value(json_object_get(row, "device"));
    const json_t *speedup = json_object_get(row, "speedup"), *lo = json_array_get(interval, 0),
                 *hi = json_array_get(interval, 1), *emulated = json_object_get(row, "emulated");
    if (!device || !json_is_boolean(emulated) || !json_is_number(speedup) || !json_is_number(lo) ||
        !json_is_number(hi))
        return NULL;
    const ht_gain gain = {fields ? fields : "",   device,
                          json_is_true(emulated), json_number_value(speedup),
                          json_number_value(lo),  json_number_value(hi)};
    return ht_gain_words(&gain);
}

static void add(ht_apply_choices *out, const char *file, const char *kernel, char *config,
                char *gain) {
    HT_GROW(out->items, out->count);
    out->items[out->count++] = (ht_apply_choice){.file = source_of(file),
                                                 .kernel = kernel ? ht_strdup(kernel) : NULL,
                                                 .config = config,
                                                 .gain = gain};
}

static bool is_known(const ht_apply_choices *list, const char *file, const char *kernel) {
    char *source = source_of(file);
    bool found = false;
    for (size_t i = 0; i < list->count && !found; ++i)
        found =
            strcmp(list->items[i].file, source) == 0 && strcmp(list->items[i].kernel, kernel) == 0;
    free(source);
    return found;
}

/* Returns true if it is the same file, or the report names only its last part. */
static bool is_file(const char *reported, const char *wanted) {
    if (!wanted)
        return true;
    char *source = source_of(reported), *other = source_of(wanted);
    bool same = strcmp(ht_path_name(source), ht_path_name(other)) == 0;
    free(source);
    free(other);
    return same;
}

static ht_status from_report(const char *path, const json_t *kernels, const char *file,
                             const char *kernel, ht_apply_choices *out, ht_error *error) {
    size_t index;
    json_t *row;
    json_array_foreach(kernels, index, row) {
        const char *name = json_string_value(json_object_get(row, "name"));
        const char *of = json_string_value(json_object_get(row, "file"));
        const char *status = json_string_value(json_object_get(row, "status"));
        const json_t *config = json_object_get(row, "config");
        bool improved = !status || strcmp(status, "improved") == 0;
        if (!name || !of || !json_is_object(config) || !improved || !is_file(of, file) ||
            !ht_kernel_is(name, kernel))
            continue;
        const char *at = file ? file : of;
        char *pairs = is_known(out, at, name) ? NULL : pairs_of(config);
        if (pairs)
            add(out, at, name, pairs, gain_of(row));
    }
    if (out->count == 0)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                               "it holds no configuration that won%s%s%s%s", file ? " in " : "",
                               file ? file : "", kernel ? " for kernel " : "",
                               kernel ? kernel : "");
    return HT_OK;
}

static ht_status needs_file(const char *config, ht_error *error) {
    return ht_error_set(error, HT_ERROR_INPUT,
                        "'%s' does not tell which source it is for: give the file too", config);
}

static ht_status from_json(const char *path, const char *file, const char *kernel,
                           ht_apply_choices *out, ht_error *error) {
    json_error_t at;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &at);
    if (!document)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, at.line, at.column, "%s", at.text);
    const json_t *kernels = json_object_get(document, "kernels");
    ht_status status = HT_OK;
    char *pairs = NULL;
    if (json_is_array(kernels))
        status = from_report(path, kernels, file, kernel, out, error);
    else if (!json_is_object(document) || !(pairs = pairs_of(document)))
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "neither a report of optimize or tune nor an object of parameters "
                                 "with numbers, true, false or text");
    else if (!file)
        status = needs_file(path, error);
    else
        add(out, file, kernel, ht_strdup(pairs), NULL);
    free(pairs);
    json_decref(document);
    return status;
}

ht_status ht_apply_choices_read(const char *config, const char *file, const char *kernel,
                                ht_apply_choices *out_choices, ht_error *error) {
    *out_choices = (ht_apply_choices){0};
    ht_status status = HT_OK;
    if (ht_file_exists(config))
        status = from_json(config, file, kernel, out_choices, error);
    else if (!strchr(config, '='))
        status = ht_error_set(error, HT_ERROR_INPUT,
                              "'%s' is neither a JSON file nor a configuration such as 'BLOCK_X=64 "
                              "BLOCK_Y=4'",
                              config);
    else if (!file)
        status = needs_file(config, error);
    else
        add(out_choices, file, kernel, ht_strdup(config), NULL);
    if (status != HT_OK)
        ht_apply_choices_free(out_choices);
    return status;
}

void ht_apply_choices_free(ht_apply_choices *choices) {
    for (size_t i = 0; i < choices->count; ++i) {
        free(choices->items[i].file);
        free(choices->items[i].kernel);
        free(choices->items[i].config);
        free(choices->items[i].gain);
    }
    free(choices->items);
    *choices = (ht_apply_choices){0};
}
