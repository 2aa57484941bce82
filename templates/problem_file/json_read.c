#include "templates/problem_file/json_read.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t ht_json_enter(ht_json_reader *reader, const char *key) {
    size_t mark = strlen(reader->path);
    snprintf(reader->path + mark, sizeof reader->path - mark, "%s%s", mark ? "." : "", key);
    return mark;
}

size_t ht_json_enter_index(ht_json_reader *reader, size_t index) {
    size_t mark = strlen(reader->path);
    snprintf(reader->path + mark, sizeof reader->path - mark, "[%zu]", index);
    return mark;
}

void ht_json_leave(ht_json_reader *reader, size_t mark) {
    reader->path[mark] = 0;
}

ht_status ht_json_fail(ht_json_reader *reader, const char *format, ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return ht_error_set_at(reader->error, HT_ERROR_INPUT, reader->file, 0, 0, "%s: %s",
                           reader->path[0] ? reader->path : "top level", message);
}

ht_status ht_json_fail_inside(ht_json_reader *reader, ht_status status) {
    ht_error *error = reader->error;
    if (status == HT_OK || !error)
        return status;
    if (error->column > 0)
        ht_error_prefix(error, "%s, character %d: ", reader->path, error->column);
    else
        ht_error_prefix(error, "%s: ", reader->path);
    error->line = error->column = 0;
    snprintf(error->file, sizeof error->file, "%s", reader->file ? reader->file : "");
    return status;
}

ht_status ht_json_check_keys(ht_json_reader *reader, const json_t *object,
                             const char *const *known) {
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return ht_json_fail(reader, "expected an object {...}");
    json_object_foreach((json_t *)object, key, value) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            ++i;
        if (known[i])
            continue;
        ht_text names = {0};
        for (i = 0; known[i]; ++i)
            ht_text_printf(&names, "%s%s", i ? ", " : "", known[i]);
        ht_status status =
            ht_json_fail(reader, "unknown key \"%.80s\"; there are %s", key, names.data);
        ht_text_free(&names);
        return status;
    }
    return HT_OK;
}

bool ht_json_placeholder(const char *text) {
    char before = '[';
    for (; *text; ++text) {
        if (*text == '?' && strchr("[=(,:", before))
            return true; /* the ?: operator has an operand in front */
        if (!isspace((unsigned char)*text))
            before = *text;
    }
    return false;
}

ht_status ht_json_string(ht_json_reader *reader, const json_t *value, const char **out_text) {
    if (!json_is_string(value))
        return ht_json_fail(reader, "expected a string");
    *out_text = json_string_value(value);
    if (ht_json_placeholder(*out_text))
        return ht_json_fail(reader, "fill in the '?' of \"%.200s\"", *out_text);
    return HT_OK;
}

ht_status ht_json_expr(ht_json_reader *reader, const json_t *value, ht_expr **out_expr) {
    const char *text;
    if (json_is_integer(value)) {
        *out_expr = ht_expr_number(json_integer_value(value));
        return HT_OK;
    }
    if (!json_is_string(value))
        return ht_json_fail(reader, "expected an expression as a string, or an integer");
    ht_status status = ht_json_string(reader, value, &text);
    if (status != HT_OK)
        return status;
    return ht_json_fail_inside(
        reader, ht_expr_parse(text, (ht_place){.file = reader->file}, out_expr, reader->error));
}
