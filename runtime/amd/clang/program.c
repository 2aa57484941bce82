#include "runtime/amd/clang/program.h"

#include "base/memory.h"
#include "runtime/amd/clang/build.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Kept for hiprtc's handles here: its own program, and all that clang would need for it. */
typedef struct program {
    hiprtcProgram real;
    char *source, *name;
    char **headers, **include_names;
    size_t header_count;
    char **expressions;
    size_t expression_count;
    bool own; /* it was compiled by clang */
    char *log, *code;
    size_t code_size;
} program;

static ht_hip real; /* the library's own functions */

static char **copies(const char **texts, size_t count) {
    char **made = ht_alloc(count + 1, sizeof *made);
    for (size_t i = 0; i < count; ++i)
        made[i] = ht_strdup(texts[i]);
    return made;
}

static void copies_free(char **texts, size_t count) {
    ht_strings_free(texts, count);
}

static hiprtcResult create(hiprtcProgram *out, const char *source, const char *name,
                           int header_count, const char **headers, const char **include_names) {
    hiprtcProgram inner = NULL;
    hiprtcResult result =
        real.hiprtcCreateProgram(&inner, source, name, header_count, headers, include_names);
    if (result != HT_HIPRTC_SUCCESS)
        return result;
    program *made = ht_alloc(1, sizeof *made);
    size_t count = (size_t)header_count;
    *made = (program){.real = inner,
                      .source = ht_strdup(source),
                      .name = ht_strdup(name && *name ? name : "program.hip"),
                      .headers = copies(headers, count),
                      .include_names = copies(include_names, count),
                      .header_count = count};
    *out = made;
    return result;
}

static hiprtcResult destroy(hiprtcProgram *handle) {
    program *gone = *handle;
    hiprtcResult result = real.hiprtcDestroyProgram(&gone->real);
    copies_free(gone->headers, gone->header_count);
    copies_free(gone->include_names, gone->header_count);
    copies_free(gone->expressions, gone->expression_count);
    free(gone->source);
    free(gone->name);
    free(gone->log);
    free(gone->code);
    free(gone);
    *handle = NULL;
    return result;
}

static hiprtcResult add_name(hiprtcProgram handle, const char *expression) {
    program *to = handle;
    hiprtcResult result = real.hiprtcAddNameExpression(to->real, expression);
    if (result == HT_HIPRTC_SUCCESS) {
        HT_GROW(to->expressions, to->expression_count);
        to->expressions[to->expression_count++] = ht_strdup(expression);
    }
    return result;
}

static hiprtcResult compile(hiprtcProgram handle, int option_count, const char **options) {
    program *of = handle;
    of->own = false;
    for (int i = 0; i < option_count; ++i)
        of->own = of->own || strcmp(options[i], HT_AMD_CLANG_OPTION) == 0;
    if (!of->own)
        return real.hiprtcCompileProgram(of->real, option_count, options);
    const ht_amd_clang_unit unit = {.source = of->source,
                                    .name = of->name,
                                    .headers = (const char *const *)of->headers,
                                    .include_names = (const char *const *)of->include_names,
                                    .header_count = of->header_count,
                                    .expressions = of->expressions,
                                    .expression_count = of->expression_count};
    ht_text log = {0};
    ht_text_append(&log, "");
    free(of->code);
    of->code = NULL;
    of->code_size = 0;
    hiprtcResult result =
        ht_amd_clang_build(&unit, options, (size_t)option_count, &of->code, &of->code_size, &log);
    free(of->log);
    of->log = ht_text_take(&log);
    return result;
}

static hiprtcResult log_size(hiprtcProgram handle, size_t *size) {
    program *of = handle;
    if (!of->own)
        return real.hiprtcGetProgramLogSize(of->real, size);
    *size = strlen(of->log) + 1;
    return HT_HIPRTC_SUCCESS;
}

static hiprtcResult log_get(hiprtcProgram handle, char *log) {
    program *of = handle;
    if (!of->own)
        return real.hiprtcGetProgramLog(of->real, log);
    memcpy(log, of->log, strlen(of->log) + 1);
    return HT_HIPRTC_SUCCESS;
}

static hiprtcResult code_size(hiprtcProgram handle, size_t *size) {
    program *of = handle;
    if (!of->own)
        return real.hiprtcGetCodeSize(of->real, size);
    *size = of->code_size;
    return of->code ? HT_HIPRTC_SUCCESS : HT_HIPRTC_ERROR_COMPILATION;
}

static hiprtcResult code_get(hiprtcProgram handle, char *code) {
    program *of = handle;
    if (!of->own)
        return real.hiprtcGetCode(of->real, code);
    if (!of->code)
        return HT_HIPRTC_ERROR_COMPILATION;
    memcpy(code, of->code, of->code_size);
    return HT_HIPRTC_SUCCESS;
}

/* Of clang's code the names are found through the code object (lowered_name.h). */
static hiprtcResult lowered(hiprtcProgram handle, const char *expression, const char **out) {
    enum { NAME_NOT_VALID = 10 };
    program *of = handle;
    if (!of->own)
        return real.hiprtcGetLoweredName(of->real, expression, out);
    return NAME_NOT_VALID;
}

void ht_amd_clang_install(ht_hip *hip) {
    real = *hip;
    hip->hiprtcCreateProgram = create;
    hip->hiprtcDestroyProgram = destroy;
    hip->hiprtcAddNameExpression = add_name;
    hip->hiprtcCompileProgram = compile;
    hip->hiprtcGetProgramLogSize = log_size;
    hip->hiprtcGetProgramLog = log_get;
    hip->hiprtcGetCodeSize = code_size;
    hip->hiprtcGetCode = code_get;
    hip->hiprtcGetLoweredName = lowered;
}
