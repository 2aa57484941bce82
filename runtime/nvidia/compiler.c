/* hiprtc's functions over NVRTC: the prelude in front, messages in the usual form, and an image
 * that carries ptxas's words on its kernels. */
#include "base/memory.h"
#include "base/text.h"
#include "runtime/nvidia/diagnostics.h"
#include "runtime/nvidia/hip.h"
#include "runtime/nvidia/ptxas.h"
#include "runtime/prelude/prelude.h"

#include <stdlib.h>
#include <string.h>

extern const char ht_nvidia_core[], ht_nvidia_vector[], ht_nvidia_half[], ht_nvidia_fp16[],
    ht_nvidia_wave[];

/* A hiprtcProgram of this provider. */
typedef struct program {
    ht_nvrtc_program nvrtc;
    char *log;     /* owned; NULL before compiling */
    ht_text image; /* cubin, or PTX for an architecture that NVRTC does not know, and the table */
} program;

static const ht_nvidia_symbols *nvrtc;

static hiprtcResult version(int *major, int *minor) {
    return nvrtc->nvrtcVersion(major, minor);
}
static const char *error_string(hiprtcResult result) {
    return nvrtc->nvrtcGetErrorString(result);
}

static const ht_prelude_header provided[] = {
    {"ht_core.h", ht_nvidia_core},      {"ht_vector.h", ht_nvidia_vector},
    {"ht_half.h", ht_nvidia_half},      {"ht_wave.h", ht_nvidia_wave},
    {"hip/hip_fp16.h", ht_nvidia_fp16}, {"cuda_fp16.h", ht_nvidia_fp16},
    {"cuda_runtime.h", "\n"},           {"cuda.h", "\n"},
};
enum { PROVIDED = sizeof provided / sizeof *provided };

void ht_nvidia_prelude_hash(char out_hex[HT_HASH_SIZE]) {
    ht_prelude_hash(provided, PROVIDED, out_hex);
}

static hiprtcResult create(hiprtcProgram *out, const char *source, const char *name,
                           int header_count, const char **headers, const char **include_names) {
    ht_prelude_unit unit;
    program *made = ht_alloc(1, sizeof *made);
    *made = (program){0};
    ht_prelude_unit_make(provided, PROVIDED, source, name, header_count, headers, include_names,
                         &unit);
    hiprtcResult result = nvrtc->nvrtcCreateProgram(
        &made->nvrtc, unit.source, name ? name : "kernel.hip", unit.count, unit.texts, unit.names);
    ht_prelude_unit_free(&unit);
    if (result) {
        free(made);
        made = NULL;
    }
    *out = made;
    return result;
}

static hiprtcResult destroy(hiprtcProgram *handle) {
    program *program = *handle;
    hiprtcResult result = nvrtc->nvrtcDestroyProgram(&program->nvrtc);
    free(program->log);
    ht_text_free(&program->image);
    free(program);
    *handle = NULL;
    return result;
}

static hiprtcResult add_name(hiprtcProgram handle, const char *expression) {
    return nvrtc->nvrtcAddNameExpression(((program *)handle)->nvrtc, expression);
}

/* Returns NVRTC's own log; NULL when it gives none. */
static char *read_log(const program *program) {
    size_t size = 0;
    if (nvrtc->nvrtcGetProgramLogSize(program->nvrtc, &size) || !size)
        return NULL;
    char *log = ht_alloc(size + 1, 1);
    if (nvrtc->nvrtcGetProgramLog(program->nvrtc, log))
        log[0] = '\0';
    return log;
}

static hiprtcResult read_image(program *program) {
    size_t size = 0;
    hiprtcResult result = nvrtc->nvrtcGetCUBINSize(program->nvrtc, &size);
    int is_ptx = result || size == 0;
    if (is_ptx)
        result = nvrtc->nvrtcGetPTXSize(program->nvrtc, &size);
    if (result)
        return result;
    char *code = ht_alloc(size + 1, 1);
    result = is_ptx ? nvrtc->nvrtcGetPTX(program->nvrtc, code)
                    : nvrtc->nvrtcGetCUBIN(program->nvrtc, code);
    if (!result)
        ht_text_append_n(&program->image, code, size);
    free(code);
    return result;
}

/* Returns the error that NVRTC 13 keeps to itself when asked for its numbers (too much shared
 * data): without the option it prints ptxas's errors. */
static char *silent_error(const program *program, int option_count, const char **options) {
    const char **fewer = ht_alloc((size_t)option_count + 1, sizeof *fewer);
    int count = 0;
    for (int i = 0; i < option_count; i++)
        if (strncmp(options[i], "--ptxas-options", 15) != 0)
            fewer[count++] = options[i];
    hiprtcResult again = nvrtc->nvrtcCompileProgram(program->nvrtc, count, fewer);
    free(fewer);
    return again ? read_log(program) : NULL;
}

static hiprtcResult compile(hiprtcProgram handle, int option_count, const char **options) {
    program *program = handle;
    ht_text stripped = {0}, messages = {0};
    hiprtcResult result = nvrtc->nvrtcCompileProgram(program->nvrtc, option_count, options);
    char *log = read_log(program);
    ht_text_free(&program->image);
    if (result == HT_HIPRTC_ERROR_COMPILATION && !(log && strstr(log, "error"))) {
        free(log);
        log = silent_error(program, option_count, options);
    }
    if (!result)
        result = read_image(program);
    if (log) {
        if (!result)
            ht_ptxas_table_append(log, &program->image);
        ht_ptxas_log_strip(log, &stripped);
        ht_nvidia_diagnostics_append(stripped.length ? stripped.data : "", &messages);
    }
    free(program->log);
    program->log = messages.length ? ht_text_take(&messages) : ht_strdup("");
    free(log);
    ht_text_free(&stripped);
    ht_text_free(&messages);
    return result;
}

static hiprtcResult log_size(hiprtcProgram handle, size_t *size) {
    const program *program = handle;
    *size = program->log ? strlen(program->log) + 1 : 1;
    return HT_HIPRTC_SUCCESS;
}
static hiprtcResult log_get(hiprtcProgram handle, char *log) {
    const program *program = handle;
    const char *text = program->log ? program->log : "";
    memcpy(log, text, strlen(text) + 1);
    return HT_HIPRTC_SUCCESS;
}
static hiprtcResult code_size(hiprtcProgram handle, size_t *size) {
    *size = ((const program *)handle)->image.length;
    return HT_HIPRTC_SUCCESS;
}
static hiprtcResult code_get(hiprtcProgram handle, char *code) {
    const program *program = handle;
    memcpy(code, program->image.data, program->image.length);
    return HT_HIPRTC_SUCCESS;
}
static hiprtcResult lowered_name(hiprtcProgram handle, const char *expression,
                                 const char **lowered) {
    return nvrtc->nvrtcGetLoweredName(((program *)handle)->nvrtc, expression, lowered);
}

void ht_nvidia_compiler_fill(ht_hip *out_hip, const ht_nvidia_symbols *symbols) {
    nvrtc = symbols;
    out_hip->hiprtcVersion = version;
    out_hip->hiprtcGetErrorString = error_string;
    out_hip->hiprtcCreateProgram = create;
    out_hip->hiprtcDestroyProgram = destroy;
    out_hip->hiprtcAddNameExpression = add_name;
    out_hip->hiprtcCompileProgram = compile;
    out_hip->hiprtcGetProgramLogSize = log_size;
    out_hip->hiprtcGetProgramLog = log_get;
    out_hip->hiprtcGetCodeSize = code_size;
    out_hip->hiprtcGetCode = code_get;
    out_hip->hiprtcGetLoweredName = lowered_name;
}
