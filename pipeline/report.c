#include "pipeline/report.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ht_report_error(const ht_error *error) {
    ht_text place = {0};
    ht_text_append(&place, "");
    if (error->file[0]) {
        ht_text_printf(&place, "%s:", error->file);
        if (error->line > 0)
            ht_text_printf(&place, "%d:", error->line);
        if (error->line > 0 && error->column > 0)
            ht_text_printf(&place, "%d:", error->column);
        ht_text_append(&place, " ");
    }
    /* A compiler's own message may begin with the same place. */
    bool told = place.length && strncmp(error->message, place.data, place.length) == 0;
    fflush(stdout);
    fprintf(stderr, "hiptemper: %s%s\n", told ? "" : place.data, error->message);
    ht_text_free(&place);
    return ht_status_exit_code(error->status);
}

void ht_report_message(const char *format, ...) {
    fflush(stdout);
    fprintf(stderr, "hiptemper: ");
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

FILE *ht_report_stream(const char *json) {
    return json && strcmp(json, "-") == 0 ? stderr : stdout;
}

json_t *ht_report_json_new(const char *format, int version) {
    return json_pack("{s:s, s:i, s:s}", "format", format, "version", version, "hiptemper",
                     HT_VERSION);
}

const char *ht_report_text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

void ht_report_json_copy(json_t *to, const json_t *from, const char *const *keys) {
    for (; *keys; ++keys) {
        json_t *value = json_object_get(from, *keys);
        json_object_set_new(to, *keys, value ? json_incref(value) : json_null());
    }
}

json_t *ht_report_json_text(const char *text) {
    if (!text)
        return json_null();
    json_t *string = json_string(text);
    if (string)
        return string;
    char *copy = ht_strdup(text);
    for (char *at = copy; *at; ++at) {
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    }
    string = json_string(copy);
    free(copy);
    return string;
}

/* With the end of its line; NULL: a string is not UTF-8. free(). */
static char *document_text(const json_t *document) {
    char *text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    char *lines = text ? ht_format("%s\n", text) : NULL;
    free(text);
    return lines;
}

static const char no_form[] = "the result has no JSON form (a string that is not UTF-8?)";

ht_status ht_report_json_write(const char *path, const json_t *document, ht_error *error) {
    char *text = document_text(document);
    ht_status status = text ? ht_result_write(path, text, strlen(text), error)
                            : ht_error_set(error, HT_ERROR_INTERNAL, "%s", no_form);
    free(text);
    return status;
}

int ht_report_json(const char *path, const json_t *document) {
    if (!path)
        return HT_EXIT_OK;
    char *text = document_text(document);
    if (!text) {
        ht_report_message("%s", no_form);
        return HT_EXIT_FAILED;
    }
    int code = HT_EXIT_OK;
    ht_error error = {0};
    if (strcmp(path, "-") == 0) {
        if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
            code = HT_EXIT_FAILED; /* reported once, when the command ends */
    } else if (ht_result_write(path, text, strlen(text), &error) != HT_OK) {
        code = ht_report_error(&error);
    }
    free(text);
    return code;
}

bool ht_report_is_terminal(FILE *stream) {
    const char *kind = getenv("TERM");
    return isatty(fileno(stream)) && kind && *kind && strcmp(kind, "dumb") != 0;
}

bool ht_report_has_color(FILE *stream) {
    const char *forbidden = getenv("NO_COLOR");
    return ht_report_is_terminal(stream) && !(forbidden && *forbidden);
}
