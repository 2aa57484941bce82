/* hiprtc's functions: the real library compiles for the GPU, and every program that compiles gets a
 * twin, the same source, options and name expressions compiled for the host. */
#include "base/memory.h"
#include "base/text.h"
#include "runtime/amd/lowered_name.h"
#include "tests/runtime/standin/fault.h"
#include "tests/runtime/standin/twin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { INTERNAL_ERROR = 11 };

typedef struct program {
    hiprtcProgram real;
    char *source, *name;
    char **expressions, **options;
    size_t expression_count, option_count;
    bool twinned;
} program;

static ht_hip raw;   /* the real library's functions */
static ht_hip names; /* the same, with lowered names that it cannot look up by itself */
static bool usable;

static void open_real(void) {
    static const char *const libraries[] = {"libhiprtc.so.7", "libamdhip64.so.6",
                                            "libamdhip64.so.5", NULL};
    void *library = NULL, *symbol;
    for (size_t i = 0; libraries[i] && !library; i++)
        library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    usable = true;
#define LOAD(result, name, parameters)                                                             \
    symbol = dlsym(library, #name);                                                                \
    memcpy(&raw.name, &symbol, sizeof symbol);                                                     \
    usable = usable && symbol;
    HT_HIPRTC_FUNCTIONS(LOAD)
#undef LOAD
    names = raw;
    ht_amd_lowered_names_install(&names);
}

static bool real_library(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_real);
    return usable;
}

hiprtcResult hiprtcVersion(int *major, int *minor) {
    int fault = standin_fault("hiprtcVersion", NULL);
    return fault ? fault : real_library() ? raw.hiprtcVersion(major, minor) : INTERNAL_ERROR;
}

const char *hiprtcGetErrorString(hiprtcResult result) {
    return real_library() ? raw.hiprtcGetErrorString(result) : "no hiprtc is installed";
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram *out, const char *source, const char *name,
                                 int header_count, const char **headers,
                                 const char **include_names) {
    int fault = standin_fault("hiprtcCreateProgram", NULL);
    if (fault || !real_library())
        return fault ? fault : INTERNAL_ERROR;
    hiprtcProgram real = NULL;
    hiprtcResult result =
        names.hiprtcCreateProgram(&real, source, name, header_count, headers, include_names);
    if (result != HT_HIPRTC_SUCCESS)
        return result;
    program *made = ht_alloc(1, sizeof *made);
    made->real = real;
    made->source = ht_strdup(source);
    made->name = ht_strdup(name ? name : "kernel.hip");
    *out = made;
    return HT_HIPRTC_SUCCESS;
}

static void free_all(char **strings, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(strings[i]);
    free(strings);
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram *handle) {
    program *gone = *handle;
    hiprtcResult result = names.hiprtcDestroyProgram(&gone->real);
    free_all(gone->expressions, gone->expression_count);
    free_all(gone->options, gone->option_count);
    free(gone->source);
    free(gone->name);
    free(gone);
    *handle = NULL;
    return result;
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram handle, const char *expression) {
    program *to = handle;
    int fault = standin_fault("hiprtcAddNameExpression", expression);
    hiprtcResult result = fault ? fault : names.hiprtcAddNameExpression(to->real, expression);
    if (result != HT_HIPRTC_SUCCESS)
        return result;
    HT_GROW(to->expressions, to->expression_count);
    to->expressions[to->expression_count++] = ht_strdup(expression);
    return result;
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram handle, int option_count, const char **options) {
    program *to = handle;
    int fault = standin_fault("hiprtcCompileProgram", to->name);
    for (size_t i = 0; i < to->expression_count && !fault; i++)
        fault = standin_fault("hiprtcCompileProgram", to->expressions[i]);
    if (fault)
        return fault;
    for (int i = 0; i < option_count; i++) {
        HT_GROW(to->options, to->option_count);
        to->options[to->option_count++] = ht_strdup(options[i]);
    }
    return raw.hiprtcCompileProgram(to->real, option_count, options);
}

hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram handle, size_t *size) {
    int fault = standin_fault("hiprtcGetProgramLogSize", NULL);
    return fault ? fault : raw.hiprtcGetProgramLogSize(((program *)handle)->real, size);
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram handle, char *log) {
    int fault = standin_fault("hiprtcGetProgramLog", NULL);
    return fault ? fault : raw.hiprtcGetProgramLog(((program *)handle)->real, log);
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram handle, size_t *size) {
    int fault = standin_fault("hiprtcGetCodeSize", NULL);
    return fault ? fault : raw.hiprtcGetCodeSize(((program *)handle)->real, size);
}

/* Answers as the real one, so that the code that makes up for its gaps is tried too. */
hiprtcResult hiprtcGetLoweredName(hiprtcProgram handle, const char *expression,
                                  const char **lowered) {
    int fault = standin_fault("hiprtcGetLoweredName", expression);
    return fault ? fault : raw.hiprtcGetLoweredName(((program *)handle)->real, expression, lowered);
}

/* Returns the unit itself: the provider's prelude goes, as the host has its own; the #line that
 * follows it keeps the messages' places. */
static const char *own_source(const char *source) {
    const char *line = strstr(source, "#line 1 ");
    return line ? line : source;
}

static bool is_wave32(const program *from) {
    for (size_t i = 0; i < from->option_count; i++)
        if (strncmp(from->options[i], "--offload-arch=gfx1", 18) == 0)
            return true;
    return false;
}

static hiprtcResult compile_twin(const ht_hip *host, const program *from, hiprtcProgram twin) {
    const char **options = ht_alloc(from->option_count + 1, sizeof *options);
    for (size_t i = 0; i < from->option_count; i++)
        options[i] = from->options[i];
    options[from->option_count] = is_wave32(from) ? "-mno-wavefrontsize64" : "-mwavefrontsize64";
    for (size_t i = 0; i < from->expression_count; i++)
        host->hiprtcAddNameExpression(twin, from->expressions[i]);
    hiprtcResult result = host->hiprtcCompileProgram(twin, (int)from->option_count + 1, options);
    free(options);
    return result;
}

static void read_twin(const ht_hip *host, const program *from, hiprtcProgram twin,
                      standin_twin *out) {
    host->hiprtcGetCodeSize(twin, &out->image_size);
    out->image = ht_alloc(out->image_size, 1);
    host->hiprtcGetCode(twin, out->image);
    for (size_t i = 0; i < from->expression_count; i++) {
        const char *gpu, *own;
        if (names.hiprtcGetLoweredName(from->real, from->expressions[i], &gpu) ||
            host->hiprtcGetLoweredName(twin, from->expressions[i], &own))
            continue;
        HT_GROW(out->names, out->name_count);
        out->names[out->name_count++] = (standin_name){ht_strdup(gpu), ht_strdup(own)};
    }
}

/* Makes the twin: for a unit that does not compile for the host, one that says so when it is
 * loaded. */
static void make_twin(program *from, const void *code, size_t size) {
    const ht_hip *host = standin_host();
    standin_twin twin = {0};
    hiprtcProgram program = NULL;
    if (!host || host->hiprtcCreateProgram(&program, own_source(from->source), from->name, 0, NULL,
                                           NULL) != HT_HIPRTC_SUCCESS)
        return;
    if (compile_twin(host, from, program) == HT_HIPRTC_SUCCESS) {
        read_twin(host, from, program, &twin);
    } else {
        size_t length = 0;
        host->hiprtcGetProgramLogSize(program, &length);
        twin.log = ht_alloc(length + 1, 1);
        host->hiprtcGetProgramLog(program, twin.log);
    }
    host->hiprtcDestroyProgram(&program);
    from->twinned = standin_twin_write(code, size, &twin);
    standin_twin_free(&twin);
}

hiprtcResult hiprtcGetCode(hiprtcProgram handle, char *code) {
    program *from = handle;
    size_t size = 0;
    int fault = standin_fault("hiprtcGetCode", NULL);
    hiprtcResult result = fault ? fault : raw.hiprtcGetCode(from->real, code);
    if (result == HT_HIPRTC_SUCCESS && !from->twinned &&
        raw.hiprtcGetCodeSize(from->real, &size) == HT_HIPRTC_SUCCESS)
        make_twin(from, code, size);
    return result;
}
