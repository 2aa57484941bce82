#include "runtime/host/program.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/host/build.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct program {
    ht_build_input input;
    char **lowered;
    char *log;
    char *code;
    size_t code_size;
    bool compiled;
} program;

hiprtcResult ht_host_hiprtcVersion(int *major, int *minor) {
    if (!major || !minor)
        return HT_HIPRTC_ERROR_INVALID_INPUT;
    *major = 9;
    *minor = 0;
    return HT_HIPRTC_SUCCESS;
}

const char *ht_host_hiprtcGetErrorString(hiprtcResult result) {
    switch (result) {
    case HT_HIPRTC_SUCCESS:
        return "HIPRTC_SUCCESS";
    case HT_HIPRTC_ERROR_PROGRAM_CREATION:
        return "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE";
    case HT_HIPRTC_ERROR_INVALID_INPUT:
        return "HIPRTC_ERROR_INVALID_INPUT";
    case HT_HIPRTC_ERROR_INVALID_PROGRAM:
        return "HIPRTC_ERROR_INVALID_PROGRAM";
    case HT_HIPRTC_ERROR_INVALID_OPTION:
        return "HIPRTC_ERROR_INVALID_OPTION";
    case HT_HIPRTC_ERROR_COMPILATION:
        return "HIPRTC_ERROR_COMPILATION";
    case HT_HIPRTC_ERROR_NAMES_AFTER_COMPILATION:
        return "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION";
    case HT_HIPRTC_ERROR_NO_LOWERED_NAMES:
        return "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION";
    case HT_HIPRTC_ERROR_NAME_NOT_VALID:
        return "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
    default:
        return "HIPRTC_ERROR_INTERNAL_ERROR";
    }
}

hiprtcResult ht_host_hiprtcCreateProgram(hiprtcProgram *out, const char *source, const char *name,
                                         int header_count, const char **headers,
                                         const char **include_names) {
    if (!out || !source || header_count < 0 || (header_count && (!headers || !include_names)))
        return HT_HIPRTC_ERROR_INVALID_INPUT;
    program *made = ht_alloc(1, sizeof *made);
    made->input.source = ht_strdup(source);
    made->input.name = ht_strdup(name && *name ? name : "program.hip");
    made->input.header_count = (size_t)header_count;
    made->input.headers = ht_alloc((size_t)header_count + 1, sizeof *made->input.headers);
    for (int i = 0; i < header_count; ++i) {
        made->input.headers[i].name = ht_strdup(include_names[i]);
        made->input.headers[i].text = ht_strdup(headers[i]);
    }
    made->log = ht_strdup("");
    *out = made;
    return HT_HIPRTC_SUCCESS;
}

hiprtcResult ht_host_hiprtcDestroyProgram(hiprtcProgram *handle) {
    if (!handle || !*handle)
        return HT_HIPRTC_ERROR_INVALID_PROGRAM;
    program *gone = *handle;
    for (size_t i = 0; i < gone->input.header_count; ++i) {
        free(gone->input.headers[i].name);
        free(gone->input.headers[i].text);
    }
    for (size_t i = 0; i < gone->input.expression_count; ++i) {
        free(gone->input.expressions[i]);
        free(gone->lowered[i]);
    }
    free(gone->input.headers);
    free(gone->input.expressions);
    free(gone->lowered);
    free(gone->input.source);
    free(gone->input.name);
    free(gone->log);
    free(gone->code);
    free(gone);
    *handle = NULL;
    return HT_HIPRTC_SUCCESS;
}

static long find_expression(const program *in, const char *expression) {
    for (size_t i = 0; i < in->input.expression_count; ++i)
        if (strcmp(in->input.expressions[i], expression) == 0)
            return (long)i;
    return -1;
}

hiprtcResult ht_host_hiprtcAddNameExpression(hiprtcProgram handle, const char *expression) {
    program *to = handle;
    if (!to)
        return HT_HIPRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !*expression || strchr(expression, '\n'))
        return HT_HIPRTC_ERROR_INVALID_INPUT;
    if (to->compiled)
        return HT_HIPRTC_ERROR_NAMES_AFTER_COMPILATION;
    if (find_expression(to, expression) >= 0)
        return HT_HIPRTC_SUCCESS;
    size_t count = to->input.expression_count;
    HT_GROW(to->input.expressions, count);
    HT_GROW(to->lowered, count);
    to->input.expressions[count] = ht_strdup(expression);
    to->lowered[count] = ht_format(HT_BUILD_ENTRY "%zu", count);
    ++to->input.expression_count;
    return HT_HIPRTC_SUCCESS;
}

hiprtcResult ht_host_hiprtcCompileProgram(hiprtcProgram handle, int option_count,
                                          const char **options) {
    program *to = handle;
    if (!to)
        return HT_HIPRTC_ERROR_INVALID_PROGRAM;
    if (option_count < 0 || (option_count && !options))
        return HT_HIPRTC_ERROR_INVALID_INPUT;
    free(to->code);
    to->code = NULL;
    to->code_size = 0;
    to->compiled = false;
    ht_text log = {0};
    hiprtcResult result =
        ht_build_run(&to->input, (size_t)option_count, options, &to->code, &to->code_size, &log);
    free(to->log);
    to->log = ht_text_take(&log);
    to->compiled = result == HT_HIPRTC_SUCCESS;
    return result;
}

hiprtcResult ht_host_hiprtcGetProgramLogSize(hiprtcProgram handle, size_t *size) {
    const program *from = handle;
    if (!from)
        return HT_HIPRTC_ERROR_INVALID_PROGRAM;
    if (!size)
        return HT_HIPRTC_ERROR_INVALID_INPUT;
    *size = strlen(from->log) + 1;
    return HT_HIPRTC_SUCCESS;
}

hiprtcResult ht_host_hiprtcGetProgramLog(hiprtcProgram handle, char *log) {
    const program *from = handle;
    if (!from)
        return HT_HIPRTC_ERROR_INVALID_PROGRAM;
    if (!log)
        return HT_HIPRTC_ERROR_INVALID_INPUT;
    memcpy(log, from->log, strlen(from->log) + 1);
    return HT_HIPRTC_SUCCESS;
}

hiprtcResult ht_host_hiprtcGetCodeSize(hiprtcProgram handle, size_t *size) {
    const program *from = handle;
    if (!from || !from->compiled)
        return HT_HIPRTC_ERROR_INVALID_PROGRAM;
    if (!size)
        return HT_HIPRTC_ERROR_INVALID_INPUT;
    *size = from->code_size;
    return HT_HIPRTC_SUCCESS;
}

hiprtcResult ht_host_hiprtcGetCode(hiprtcProgram handle, char *code) {
    const program *from = handle;
    if (!from || !from->compiled)
        return HT_HIPRTC_ERROR_INVALID_PROGRAM;
    if (!code)
        return HT_HIPRTC_ERROR_INVALID_INPUT;
    memcpy(code, from->code, from->code_size);
    return HT_HIPRTC_SUCCESS;
}

hiprtcResult ht_host_hiprtcGetLoweredName(hiprtcProgram handle, const char *expression,
                                          const char **lowered) {
    const program *from = handle;
    if (!from)
        return HT_HIPRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !lowered)
        return HT_HIPRTC_ERROR_INVALID_INPUT;
    if (!from->compiled)
        return HT_HIPRTC_ERROR_NO_LOWERED_NAMES;
    long at = find_expression(from, expression);
    if (at < 0)
        return HT_HIPRTC_ERROR_NAME_NOT_VALID;
    *lowered = from->lowered[at];
    return HT_HIPRTC_SUCCESS;
}
