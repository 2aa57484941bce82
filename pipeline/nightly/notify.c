#include "pipeline/nightly/notify.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/tool.h"
#include "pipeline/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double limit = 60; /* seconds */

/* Cuts a text into words, in place; returns their addresses, NULL at the end. free(). */
static const char **words_of(char *text) {
    const char **words = ht_alloc(strlen(text) / 2 + 2, sizeof *words);
    size_t count = 0;
    for (char *at = text + strspn(text, " \t"); *at;) {
        words[count++] = at;
        at += strcspn(at, " \t");
        if (*at)
            *at++ = 0;
        at += strspn(at, " \t");
    }
    return words;
}

static ht_status command_run(const char *command, const char *input, ht_error *error) {
    char *text = ht_strdup(command);
    const char **words = words_of(text);
    const ht_tool_call call = {.arguments = words, .seconds = limit, .input = input};
    ht_text out = {0};
    int code = 0;
    ht_status status = words[0] ? ht_tool_run(&call, &out, &code, error)
                                : ht_error_set(error, HT_ERROR_INPUT, "no program is named");
    if (out.data)
        fputs(out.data, stderr);
    if (status == HT_OK && code != 0)
        status = ht_error_set(error, HT_ERROR_IO, "%s ended with exit code %d", words[0], code);
    if (status != HT_OK)
        ht_error_prefix(error, "--notify: ");
    ht_text_free(&out);
    free(words);
    free(text);
    return status;
}

ht_status ht_notify(const char *command, const json_t *document, ht_error *error) {
    ht_scratch scratch = {0};
    ht_status status = ht_scratch_make("notify", &scratch, error);
    if (status != HT_OK)
        return status;
    char *path = ht_path_join(scratch.path, "report.json");
    status = ht_report_json_write(path, document, error);
    if (status == HT_OK)
        status = command_run(command, path, error);
    free(path);
    ht_scratch_remove(&scratch);
    return status;
}
