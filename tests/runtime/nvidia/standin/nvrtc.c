/* A stand-in for NVRTC, for tests: compiles each unit with the real NVRTC, where HT_STANDIN_NVRTC
 * names it, and with the host provider of the program that loads it; gives out both (image.h).
 * Errors, messages and lowered names are the real one's. Without it the host's. */
#include "base/memory.h"
#include "base/text.h"
#include "runtime/nvidia/driver.h"
#include "runtime/provider/provider.h"
#include "tests/runtime/nvidia/standin/image.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(name, parameters) int name parameters;
HT_NVRTC_FUNCTIONS(DECLARE)
const char *nvrtcGetErrorString(ht_nvrtc_result result);

typedef struct real_nvrtc {
#define SLOT(name, parameters) int(*name) parameters;
    HT_NVRTC_FUNCTIONS(SLOT)
} real_nvrtc;

typedef struct program {
    ht_nvrtc_program real;
    hiprtcProgram host;
    char **names;
    size_t name_count;
    ht_text log, image;
} program;

static real_nvrtc real;
static bool has_real;
static const ht_hip *hip;

static bool open_all(void) {
    static bool tried;
    const char *path = getenv("HT_STANDIN_NVRTC");
    if (!tried && path && *path) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;
        has_real = library != NULL;
#define LOAD(name, parameters)                                                                     \
    symbol = library ? dlsym(library, #name) : NULL;                                               \
    memcpy(&real.name, &symbol, sizeof symbol);                                                    \
    has_real = has_real && symbol;
        HT_NVRTC_FUNCTIONS(LOAD)
    }
    if (!tried)
        (void)ht_provider_host.open(&hip, NULL); /* a run worker cannot start the compiler */
    tried = true;
    return hip != NULL;
}

int nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return open_all() && has_real ? real.nvrtcVersion(major, minor) : 0;
}
const char *nvrtcGetErrorString(ht_nvrtc_result result) {
    return result == 0   ? "NVRTC_SUCCESS"
           : result == 6 ? "NVRTC_ERROR_COMPILATION"
                         : "NVRTC_ERROR_OTHER";
}
int nvrtcGetNumSupportedArchs(int *count) {
    *count = 2;
    return 0;
}
int nvrtcGetSupportedArchs(int *archs) {
    archs[0] = 80;
    archs[1] = 90;
    return 0;
}

/* Returns the unit after the prelude: the host provider has its own. */
static const char *behind_prelude(const char *source) {
    static const char include[] = "#include \"ht_prelude.h\"\n";
    if (strncmp(source, include, sizeof include - 1) != 0)
        return source;
    return strchr(source + sizeof include - 1, '\n') + 1;
}

int nvrtcCreateProgram(ht_nvrtc_program *out, const char *source, const char *name,
                       int header_count, const char *const *headers,
                       const char *const *include_names) {
    if (!open_all())
        return 2;
    program *made = ht_alloc(1, sizeof *made);
    *made = (program){0};
    int result = has_real ? real.nvrtcCreateProgram(&made->real, source, name, header_count,
                                                    headers, include_names)
                          : 0;
    if (!result)
        result = hip->hiprtcCreateProgram(&made->host, behind_prelude(source), name, 0, NULL, NULL);
    *out = made;
    return result;
}
int nvrtcDestroyProgram(ht_nvrtc_program *handle) {
    program *program = *handle;
    if (program->real)
        real.nvrtcDestroyProgram(&program->real);
    hip->hiprtcDestroyProgram(&program->host);
    for (size_t i = 0; i < program->name_count; i++)
        free(program->names[i]);
    free(program->names);
    ht_text_free(&program->log);
    ht_text_free(&program->image);
    free(program);
    *handle = NULL;
    return 0;
}
int nvrtcAddNameExpression(ht_nvrtc_program handle, const char *expression) {
    program *program = handle;
    HT_GROW(program->names, program->name_count);
    program->names[program->name_count++] = ht_strdup(expression);
    int result = has_real ? real.nvrtcAddNameExpression(program->real, expression) : 0;
    return result ? result : hip->hiprtcAddNameExpression(program->host, expression);
}

static void log_append(program *program) {
    size_t size = 0;
    if (has_real && real.nvrtcGetProgramLogSize(program->real, &size) == 0 && size) {
        char *log = ht_alloc(size + 1, 1);
        real.nvrtcGetProgramLog(program->real, log);
        ht_text_append(&program->log, log);
        free(log);
    }
    if (hip->hiprtcGetProgramLogSize(program->host, &size) == 0 && size) {
        char *log = ht_alloc(size + 1, 1);
        hip->hiprtcGetProgramLog(program->host, log);
        ht_text_append(&program->log, log);
        free(log);
    }
}

/* Compiles for the host, with macros, and warps of 32. */
static int compile_host(const program *program, int option_count, const char *const *options) {
    const char **kept = ht_alloc((size_t)option_count + 1, sizeof *kept);
    int count = 0;
    kept[count++] = "-mno-wavefrontsize64";
    for (int i = 0; i < option_count; i++)
        if (strncmp(options[i], "-D", 2) == 0)
            kept[count++] = options[i];
    int result = hip->hiprtcCompileProgram(program->host, count, kept);
    free(kept);
    return result;
}

static void image_make(program *program) {
    standin_header header = {.mark = STANDIN_MARK};
    ht_text names = {0};
    size_t host_size = 0, cubin_size = 0;
    for (size_t i = 0; i < program->name_count; i++) {
        const char *ours = "", *hosts = "";
        hip->hiprtcGetLoweredName(program->host, program->names[i], &hosts);
        nvrtcGetLoweredName(program, program->names[i], &ours);
        ht_text_printf(&names, "%s %s\n", ours, hosts);
    }
    hip->hiprtcGetCodeSize(program->host, &host_size);
    if (has_real)
        real.nvrtcGetCUBINSize(program->real, &cubin_size);
    char *code = ht_alloc(host_size + cubin_size + 1, 1);
    hip->hiprtcGetCode(program->host, code);
    header.host_size = host_size;
    header.names_size = names.length;
    header.cubin_size = cubin_size;
    ht_text_append_n(&program->image, (const char *)&header, sizeof header);
    ht_text_append_n(&program->image, code, host_size);
    ht_text_append_n(&program->image, names.data ? names.data : "", names.length);
    if (has_real)
        real.nvrtcGetCUBIN(program->real, code);
    ht_text_append_n(&program->image, code, cubin_size);
    ht_text_free(&names);
    free(code);
}

int nvrtcCompileProgram(ht_nvrtc_program handle, int option_count, const char *const *options) {
    program *program = handle;
    int result = has_real ? real.nvrtcCompileProgram(program->real, option_count, options) : 0;
    if (!result)
        result = compile_host(program, option_count, options);
    log_append(program);
    if (!result)
        image_make(program);
    return result;
}
int nvrtcGetProgramLogSize(ht_nvrtc_program handle, size_t *size) {
    *size = ((program *)handle)->log.length + 1;
    return 0;
}
int nvrtcGetProgramLog(ht_nvrtc_program handle, char *log) {
    const program *program = handle;
    strcpy(log, program->log.data ? program->log.data : "");
    return 0;
}
int nvrtcGetCUBINSize(ht_nvrtc_program handle, size_t *size) {
    *size = ((program *)handle)->image.length;
    return 0;
}
int nvrtcGetCUBIN(ht_nvrtc_program handle, char *code) {
    const program *program = handle;
    memcpy(code, program->image.data, program->image.length);
    return 0;
}
int nvrtcGetPTXSize(ht_nvrtc_program handle, size_t *size) {
    return handle && has_real ? real.nvrtcGetPTXSize(((program *)handle)->real, size) : 4;
}
int nvrtcGetPTX(ht_nvrtc_program handle, char *code) {
    return handle && has_real ? real.nvrtcGetPTX(((program *)handle)->real, code) : 4;
}
int nvrtcGetLoweredName(ht_nvrtc_program handle, const char *expression, const char **lowered) {
    const program *program = handle;
    return has_real ? real.nvrtcGetLoweredName(program->real, expression, lowered)
                    : hip->hiprtcGetLoweredName(program->host, expression, lowered);
}
