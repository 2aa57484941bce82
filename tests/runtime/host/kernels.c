#include "kernels.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const ht_hip *open_table(void) {
    const ht_hip *hip;
    ht_error error;
    cr_assert_eq(ht_provider_host.open(&hip, &error), HT_OK, "%s", error.message);
    return hip;
}

static hiprtcResult compile(const ht_hip *hip, const char *source, const char *const *expressions,
                            const char *const *options, hiprtcProgram *program, char **log) {
    int count = 0;
    while (options && options[count])
        ++count;
    cr_assert_eq(hip->hiprtcCreateProgram(program, source, "unit.hip", 0, NULL, NULL), 0);
    for (; *expressions; ++expressions)
        cr_assert_eq(hip->hiprtcAddNameExpression(*program, *expressions), 0);
    hiprtcResult result = hip->hiprtcCompileProgram(*program, count, (const char **)options);
    size_t size;
    cr_assert_eq(hip->hiprtcGetProgramLogSize(*program, &size), 0);
    *log = malloc(size);
    cr_assert_eq(hip->hiprtcGetProgramLog(*program, *log), 0);
    return result;
}

static kernels load(const char *const *options, const char *source,
                    const char *const *expressions) {
    kernels of = {.hip = open_table()};
    char *log;
    hiprtcResult result = compile(of.hip, source, expressions, options, &of.program, &log);
    cr_assert_eq(result, 0, "%s", log);
    free(log);
    size_t size;
    cr_assert_eq(of.hip->hiprtcGetCodeSize(of.program, &size), 0);
    char *code = malloc(size);
    cr_assert_eq(of.hip->hiprtcGetCode(of.program, code), 0);
    hipError_t error = of.hip->hipModuleLoadData(&of.module, code);
    cr_assert_eq(error, 0, "%s", of.hip->hipGetErrorString(error));
    free(code);
    return of;
}

kernels kernels_load(int wavefront, const char *source, const char *const *expressions) {
    const char *options[] = {wavefront == 32 ? "-mno-wavefrontsize64" : "-mwavefrontsize64",
                             "--offload-arch=x86-64", NULL};
    return load(options, source, expressions);
}

kernels kernels_load_checked(const char *source, const char *const *expressions) {
    const char *options[] = {"-mwavefrontsize64", "--check", NULL};
    return load(options, source, expressions);
}

void kernels_free(kernels *of) {
    cr_assert_eq(of->hip->hipModuleUnload(of->module), 0);
    cr_assert_eq(of->hip->hiprtcDestroyProgram(&of->program), 0);
}

hiprtcResult kernels_compile(const char *source, const char *const *expressions,
                             const char *const *options, char **out_log) {
    const ht_hip *hip = open_table();
    hiprtcProgram program;
    hiprtcResult result = compile(hip, source, expressions, options, &program, out_log);
    hip->hiprtcDestroyProgram(&program);
    return result;
}

hipFunction_t kernels_function(const kernels *of, const char *expression) {
    const char *lowered;
    cr_assert_eq(of->hip->hiprtcGetLoweredName(of->program, expression, &lowered), 0);
    hipFunction_t function;
    hipError_t error = of->hip->hipModuleGetFunction(&function, of->module, lowered);
    cr_assert_eq(error, 0, "%s", of->hip->hipGetErrorString(error));
    return function;
}

hipError_t kernels_try(const kernels *of, const char *expression, shape how, void **arguments) {
    return of->hip->hipModuleLaunchKernel(kernels_function(of, expression), how.grid[0],
                                          how.grid[1], how.grid[2], how.block[0], how.block[1],
                                          how.block[2], how.lds, NULL, arguments, NULL);
}

void kernels_run(const kernels *of, const char *expression, shape how, void **arguments) {
    hipError_t error = kernels_try(of, expression, how, arguments);
    cr_assert_eq(error, 0, "%s", of->hip->hipGetErrorString(error));
}
