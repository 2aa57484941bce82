#include "kernel.h"

#include <criterion/criterion.h>
#include <stdlib.h>

ht_device kernel_device(const char *name) {
    ht_device device;
    ht_error error = {0};
    ht_status status = ht_device_find(name, &device, &error);
    if (status == HT_ERROR_MISSING)
        cr_skip_test("%s", error.message);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    return device;
}

kernel kernel_compile(const ht_device *device, const char *source, const char *const *expressions) {
    kernel of = {0};
    ht_error error = {0};
    const char *options[8];
    size_t size = 0;
    cr_assert_eq(ht_provider_nvidia.open(&of.hip, &error), HT_OK, "%s", error.message);
    cr_assert_eq(of.hip->hiprtcCreateProgram(&of.program, source, "unit.hip", 0, NULL, NULL), 0);
    for (; *expressions; expressions++)
        cr_assert_eq(of.hip->hiprtcAddNameExpression(of.program, *expressions), 0);
    size_t count = ht_provider_nvidia.compile_options(device, options);
    of.result = of.hip->hiprtcCompileProgram(of.program, (int)count, options);
    cr_assert_eq(of.hip->hiprtcGetProgramLogSize(of.program, &size), 0);
    of.log = malloc(size);
    cr_assert_eq(of.hip->hiprtcGetProgramLog(of.program, of.log), 0);
    if (of.result)
        return of;
    cr_assert_eq(of.hip->hiprtcGetCodeSize(of.program, &of.size), 0);
    of.code = malloc(of.size);
    cr_assert_eq(of.hip->hiprtcGetCode(of.program, of.code), 0);
    return of;
}

kernel kernel_build(const ht_device *device, const char *source, const char *const *expressions) {
    kernel of = kernel_compile(device, source, expressions);
    cr_assert_eq(of.result, 0, "%s: %s", of.hip->hiprtcGetErrorString(of.result), of.log);
    return of;
}

const char *kernel_lowered(const kernel *kernel, const char *expression) {
    const char *lowered = NULL;
    cr_assert_eq(kernel->hip->hiprtcGetLoweredName(kernel->program, expression, &lowered), 0);
    return lowered;
}

void kernel_free(kernel *kernel) {
    cr_assert_eq(kernel->hip->hiprtcDestroyProgram(&kernel->program), 0);
    free(kernel->log);
    free(kernel->code);
}
