#include "runtime/compile/compile.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/text.h"
#include "runtime/compile/compile_log.h"
#include "runtime/compile/record.h"

#include <stdlib.h>
#include <string.h>

/* The request of one compile: launches of `count` configurations, all of the same unit. */
typedef struct request {
    const ht_device *device;
    const ht_provider *provider;
    const ht_hip *hip;
    const ht_binding *binding;
    const ht_config *configs;
    size_t count;
    const ht_launch *launches;
    size_t launch_count;
    char **kernels; /* name expressions: launches of the first configuration, then of the second,
                       ... */
    size_t kernel_count;
    char **constants; /* name expressions */
    size_t constant_count;
    ht_launch_set set;
} request;

static void request_names(request *request) {
    const ht_template *template = request->binding->template;
    request->kernels = ht_alloc(request->count * request->launch_count, sizeof(char *));
    for (size_t c = 0; c < request->count; c++)
        for (size_t l = 0; l < request->launch_count; l++)
            request->kernels[request->kernel_count++] = ht_binding_name_expression(
                request->binding, &request->configs[c], &request->launches[l]);
    request->constants = ht_alloc(template->arg_count, sizeof(char *));
    for (size_t a = 0; a < template->arg_count; a++)
        if (template->args[a].role == HT_ARG_CONSTANT)
            request->constants[request->constant_count++] =
                ht_format("&%s", template->args[a].name);
    for (size_t a = 0; a < template->arg_count; a++)
        if (template->args[a].is_struct)
            request->constants[request->constant_count++] =
                ht_record_expression(&template->args[a]);
}

static ht_status request_make(request *out, const ht_device *device, const ht_binding *binding,
                              const ht_config *configs, size_t count, ht_launch_set set,
                              ht_error *error) {
    *out = (request){
        .device = device, .binding = binding, .configs = configs, .count = count, .set = set};
    out->provider = ht_provider_find(device->provider);
    if (!out->provider)
        return ht_error_set(error, HT_ERROR_INTERNAL, "no provider '%s'", device->provider);
    ht_status status = out->provider->open(&out->hip, error);
    if (status)
        return status;
    out->launches = ht_template_launches(binding->template, set, &out->launch_count);
    request_names(out);
    return HT_OK;
}

static void request_free(request *request) {
    ht_strings_free(request->kernels, request->kernel_count);
    ht_strings_free(request->constants, request->constant_count);
}

static ht_status hiprtc_failed(const request *request, const char *what, hiprtcResult result,
                               ht_error *error) {
    return ht_error_set(error, HT_ERROR_COMPILE, "%s: %s failed: %s",
                        request->binding->template->name, what,
                        request->hip->hiprtcGetErrorString(result));
}

static char *program_log(const ht_hip *hip, hiprtcProgram program) {
    size_t size = 0;
    if (hip->hiprtcGetProgramLogSize(program, &size) != HT_HIPRTC_SUCCESS)
        size = 0;
    char *log = ht_alloc(size + 1, 1);
    if (size > 0 && hip->hiprtcGetProgramLog(program, log) != HT_HIPRTC_SUCCESS)
        log[0] = '\0';
    return log;
}

/* Returns `place` in the template; without one, the template's own. */
static ht_place asked_place(const ht_template *template, ht_place place) {
    return place.line ? (ht_place){template->file, place.line, place.column}
                      : (ht_place){template->file, template->line, 1};
}

static ht_place constant_place(const ht_template *template, size_t index) {
    for (size_t a = 0; a < template->arg_count; a++)
        if (template->args[a].role == HT_ARG_CONSTANT && index-- == 0)
            return template->args[a].place;
    for (size_t a = 0; a < template->arg_count; a++)
        if (template->args[a].is_struct && index-- == 0)
            return template->args[a].place;
    return (ht_place){0};
}

static ht_place name_place(const request *request, size_t index) {
    const ht_template *template = request->binding->template;
    bool constant = index >= request->kernel_count;
    return asked_place(template, constant ? constant_place(template, index - request->kernel_count)
                                          : request->launches[index % request->launch_count].place);
}

/* Lists each expression once, however many configurations share it. The result, free(), is
 * `out`'s. */
static ht_asked_name *names_ask(const request *request, ht_asked_names *out) {
    size_t all = request->kernel_count + request->constant_count, count = 0;
    ht_asked_name *items = ht_alloc(all + 1, sizeof *items);
    for (size_t i = 0; i < all; i++) {
        const char *name = i < request->kernel_count
                               ? request->kernels[i]
                               : request->constants[i - request->kernel_count];
        bool repeated = false;
        for (size_t before = 0; before < count && !repeated; before++)
            repeated = strcmp(items[before].expression, name) == 0;
        if (!repeated)
            items[count++] = (ht_asked_name){name, name_place(request, i)};
    }
    *out = (ht_asked_names){.items = items, .count = count};
    return items;
}

static ht_status names_add(const request *request, hiprtcProgram program,
                           const ht_asked_names *names, ht_error *error) {
    for (size_t i = 0; i < names->count; i++) {
        hiprtcResult result =
            request->hip->hiprtcAddNameExpression(program, names->items[i].expression);
        if (result != HT_HIPRTC_SUCCESS)
            return hiprtc_failed(request, "hiprtcAddNameExpression", result, error);
    }
    return HT_OK;
}

/* Builds with the provider's options and the macros that the first configuration needs (all have
 * the same). */
static hiprtcResult program_build(const request *request, hiprtcProgram program) {
    const char *provider_options[8];
    size_t provided = request->provider->compile_options(request->device, provider_options);
    char **macros;
    size_t macro_count;
    ht_binding_macros(request->binding, &request->configs[0], &macros, &macro_count);
    const char **options = ht_alloc(provided + macro_count + 1, sizeof *options);
    for (size_t i = 0; i < provided; i++)
        options[i] = provider_options[i];
    for (size_t i = 0; i < macro_count; i++)
        options[provided + i] = macros[i];
    size_t count = provided + macro_count;
    /* A unit may hold its reference apart, where both have names in common. */
    if (request->set != HT_LAUNCHES_OWN &&
        strstr(request->binding->template->unit, HT_REFERENCE_MACRO))
        options[count++] = "-D" HT_REFERENCE_MACRO;
    hiprtcResult result = request->hip->hiprtcCompileProgram(program, (int)count, options);
    free(options);
    ht_strings_free(macros, macro_count);
    return result;
}

static ht_status names_lower(const request *request, hiprtcProgram program, char *const *names,
                             size_t count, char **out_names, size_t *out_count, ht_error *error) {
    for (size_t i = 0; i < count; i++) {
        const char *lowered = NULL;
        hiprtcResult result = request->hip->hiprtcGetLoweredName(program, names[i], &lowered);
        if (result != HT_HIPRTC_SUCCESS || !lowered)
            return ht_error_set(error, HT_ERROR_COMPILE,
                                "%s: the compiler does not tell the lowered name of '%s' (%s); "
                                "write the template arguments and types in full",
                                request->binding->template->name, names[i],
                                request->hip->hiprtcGetErrorString(result));
        out_names[(*out_count)++] = ht_strdup(lowered);
    }
    return HT_OK;
}

/* Reads code and names of the built program for the configuration at `index`. */
static ht_status program_read(const request *request, hiprtcProgram program, size_t index,
                              ht_program *out, ht_error *error) {
    const ht_hip *hip = request->hip;
    hiprtcResult result = hip->hiprtcGetCodeSize(program, &out->code_size);
    if (result != HT_HIPRTC_SUCCESS)
        return hiprtc_failed(request, "hiprtcGetCodeSize", result, error);
    out->code = ht_alloc(out->code_size, 1);
    result = hip->hiprtcGetCode(program, out->code);
    if (result != HT_HIPRTC_SUCCESS)
        return hiprtc_failed(request, "hiprtcGetCode", result, error);
    out->kernels = ht_alloc(request->launch_count, sizeof(char *));
    out->constants = ht_alloc(request->constant_count, sizeof(char *));
    ht_status status =
        names_lower(request, program, request->kernels + index * request->launch_count,
                    request->launch_count, out->kernels, &out->kernel_count, error);
    if (!status)
        status = names_lower(request, program, request->constants, request->constant_count,
                             out->constants, &out->constant_count, error);
    return status;
}

/* Reports a file of the compiler's own that could not be written, as the log's last error says: no
 * fault of the configuration. */
static ht_status files_failed(const char *log, ht_error *error) {
    static const char mark[] = "error: ";
    const char *last = log;
    for (const char *at = strstr(log, mark); at; at = strstr(last, mark))
        last = at + strlen(mark);
    return ht_error_set(error, HT_ERROR_IO, "%.*s", (int)strcspn(last, "\n"), last);
}

/* Returns the length of a text without the words that it may end in. */
static size_t length_without(const char *text, size_t length, const char *words) {
    size_t tail = strlen(words);
    return length >= tail && strncmp(text + length - tail, words, tail) == 0 ? length - tail
                                                                             : length;
}

/* Returns true if an error of the log has a place in the source before it: "unit.hip:3:7: " or
 * "unit.hip(3): ". A compiler's and a linker's own errors have none. */
static bool has_place(const char *log) {
    static const char mark[] = "error: ";
    for (const char *at = log; (at = strstr(at, mark)); at += sizeof mark - 1) {
        size_t words = length_without(log, (size_t)(at - log), "fatal ");
        size_t place = length_without(log, words, ": ");
        if (place < words && place > 0 && strchr("0123456789)", log[place - 1]))
            return true;
    }
    return false;
}

/* `out_silent`: it failed, and its log says nothing of the source. */
static ht_status program_make(const request *request, hiprtcProgram program,
                              const ht_asked_names *names, ht_program *out, bool *out_silent,
                              ht_error *error) {
    double start = ht_clock_seconds();
    ht_status status = names_add(request, program, names, error);
    if (status)
        return status;
    hiprtcResult result = program_build(request, program);
    double seconds = ht_clock_seconds() - start;
    char *log = program_log(request->hip, program);
    *out_silent = result == HT_HIPRTC_ERROR_COMPILATION && !has_place(log);
    if (result == HT_HIPRTC_ERROR_PROGRAM_CREATION)
        status = files_failed(log, error);
    else if (result != HT_HIPRTC_SUCCESS)
        status =
            ht_compile_log_error(log, request->hip->hiprtcGetErrorString(result), names, error);
    for (size_t i = 0; i < request->count && !status; i++) {
        out[i].seconds = seconds / (double)request->count;
        out[i].log = ht_strdup(log);
        status = program_read(request, program, i, &out[i], error);
    }
    free(log);
    return status;
}

/* Returns the unit, with what asks for the places of structures' fields; free(). */
static char *source_make(const request *request) {
    const ht_template *template = request->binding->template;
    ht_text text = {0};
    ht_text_append(&text, template->unit);
    if (ht_record_wanted(template))
        ht_record_write(template, request->launches, request->kernels, request->launch_count,
                        &text);
    return ht_text_take(&text);
}

static ht_status compile_once(const request *request, ht_program *out_programs, bool *out_silent,
                              ht_error *error) {
    const ht_template *template = request->binding->template;
    hiprtcProgram program = NULL;
    char *source = source_make(request);
    hiprtcResult result =
        request->hip->hiprtcCreateProgram(&program, source, template->file, 0, NULL, NULL);
    free(source);
    if (result != HT_HIPRTC_SUCCESS)
        return hiprtc_failed(request, "hiprtcCreateProgram", result, error);
    ht_asked_names names;
    ht_asked_name *owned = names_ask(request, &names);
    ht_status status = program_make(request, program, &names, out_programs, out_silent, error);
    free(owned);
    request->hip->hiprtcDestroyProgram(&program);
    return status;
}

/* ROCm's compiler does not say that a file of its own could not be written. */
static ht_status compile(const ht_device *device, const ht_binding *binding,
                         const ht_config *configs, size_t count, ht_launch_set set,
                         ht_program *out_programs, ht_error *error) {
    request request;
    bool silent = false;
    memset(out_programs, 0, count * sizeof *out_programs);
    ht_status status = request_make(&request, device, binding, configs, count, set, error);
    if (!status)
        status = compile_once(&request, out_programs, &silent, error);
    if (silent) {
        status = ht_scratch_check(NULL, error);
        if (!status)
            status = compile_once(&request, out_programs, &silent, error);
    }
    request_free(&request);
    if (status)
        for (size_t i = 0; i < count; i++)
            ht_program_free(&out_programs[i]);
    return status;
}

ht_status ht_program_compile(const ht_device *device, const ht_binding *binding,
                             const ht_config *config, ht_launch_set set, ht_program *out_program,
                             ht_error *error) {
    ht_config defaults = ht_config_default(binding->template);
    return compile(device, binding, set == HT_LAUNCHES_OWN ? config : &defaults, 1, set,
                   out_program, error);
}

bool ht_program_shares(const ht_template *template, const ht_config *a, const ht_config *b) {
    for (size_t p = 0; p < template->param_count; p++)
        if (template->params[p].binding == HT_BIND_MACRO && a->choice[p] != b->choice[p])
            return false;
    return true;
}

static bool all_share(const ht_template *template, const ht_config *configs, size_t count) {
    for (size_t c = 1; c < count; c++)
        if (!ht_program_shares(template, &configs[0], &configs[c]))
            return false;
    return true;
}

ht_status ht_program_compile_batch(const ht_device *device, const ht_binding *binding,
                                   const ht_config *configs, size_t count, ht_program *out_programs,
                                   ht_error *error) {
    if (count == 0)
        return HT_OK;
    if (!all_share(binding->template, configs, count)) {
        memset(out_programs, 0, count * sizeof *out_programs);
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "%s: configurations that differ in a macro parameter do not compile in "
                            "one program",
                            binding->template->name);
    }
    return compile(device, binding, configs, count, false, out_programs, error);
}

void ht_program_compile_each(const ht_device *device, const ht_binding *binding,
                             const ht_config *configs, size_t count, ht_program *out_programs,
                             ht_error *out_errors) {
    if (count == 0)
        return;
    ht_status status =
        ht_program_compile_batch(device, binding, configs, count, out_programs, &out_errors[0]);
    if (status == HT_ERROR_COMPILE && count > 1) {
        size_t half = count / 2;
        ht_program_compile_each(device, binding, configs, half, out_programs, out_errors);
        ht_program_compile_each(device, binding, configs + half, count - half, out_programs + half,
                                out_errors + half);
        return;
    }
    if (status == HT_OK)
        out_errors[0] = (ht_error){0};
    for (size_t i = 1; i < count; i++)
        out_errors[i] = out_errors[0];
}

void ht_program_free(ht_program *program) {
    free(program->code);
    ht_strings_free(program->kernels, program->kernel_count);
    ht_strings_free(program->constants, program->constant_count);
    free(program->log);
    *program = (ht_program){0};
}
