/* Inspecting configurations: a configuration that the compiler rejects or dies of costs itself and
 * no other. */
#include "base/text.h"
#include "runtime/compile/compile.h"
#include "runtime/measure/inspect.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Returns a template: WAY 1 fails to compile; as a macro, WAY 2 makes clang crash; the others are
 * fine. */
static ht_text ways_text(bool macro) {
    ht_text text = {0};
    ht_text_printf(&text,
                   "#pragma tune unit\n"
                   "#pragma tune kernel(k)\n"
                   "#pragma tune param(WAY : 0..3 = 0)\n"
                   "#pragma tune param(SIZE : 64, 128, 256 = 64)\n"
                   "#pragma tune block(SIZE)\n"
                   "#pragma tune grid(1)\n"
                   "#pragma tune lds(SIZE * 4)\n"
                   "#pragma tune arg(out : out float[SIZE])\n"
                   "%s"
                   "template <%sint SIZE> __global__ void k(float *out) {\n"
                   "    static_assert(WAY != 1, \"way one is closed\");\n"
                   "    __shared__ float a[SIZE];\n"
                   "    a[threadIdx.x] = out[threadIdx.x];\n"
                   "    __syncthreads();\n"
                   "    out[threadIdx.x] = a[SIZE - 1 - threadIdx.x] + WAY;\n"
                   "}\n",
                   macro ? "#ifndef WAY\n#define WAY 0\n#endif\n"
                           "#if WAY == 2\n#pragma clang __debug crash\n#endif\n"
                         : "",
                   macro ? "" : "int WAY, ");
    return text;
}

enum { COUNT = 12 };

typedef struct fixture {
    ht_template *templates;
    size_t count;
    ht_device device;
    ht_binding binding;
    ht_config configs[COUNT];
    ht_inspection found[COUNT];
} fixture;

static void fixture_open(fixture *f, bool macro) {
    ht_error error;
    ht_text text = ways_text(macro);
    *f = (fixture){0};
    ht_status status = ht_device_find("amd:gfx90a", &f->device, &error);
    if (status == HT_ERROR_MISSING)
        cr_skip_test("no hiprtc: %s", error.message);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    cr_assert_eq(ht_template_parse(text.data, "ways.hip", &f->templates, &f->count, &error), HT_OK,
                 "%s", error.message);
    ht_text_free(&text);
    f->binding = (ht_binding){f->templates, NULL, &f->device.fields};
    for (size_t i = 0; i < COUNT; i++) {
        f->configs[i] = ht_config_default(f->templates);
        f->configs[i].choice[0] = i % 4;
        f->configs[i].choice[1] = i / 4;
    }
}

static void fixture_close(fixture *f) {
    for (size_t i = 0; i < COUNT; i++)
        ht_inspection_free(&f->found[i]);
    ht_template_free(f->templates, f->count);
}

static void expect_fine(const fixture *f, size_t i) {
    const ht_inspection *found = &f->found[i];
    int size = 64 << (i / 4);
    cr_assert_eq(found->status, HT_OK, "%zu: %s", i, found->reason);
    cr_expect_eq(found->launches[0].geometry.block[0], (unsigned)size);
    cr_expect_eq(found->launches[0].geometry.lds, (unsigned)size * 4);
    cr_expect_eq(found->launches[0].resources.lds, size * 4);
    cr_expect_gt(found->launches[0].resources.waves_per_simd, 0);
}

Test(inspect, a_rejected_configuration_does_not_spoil_its_batch) {
    fixture f;
    ht_error error = {0};
    fixture_open(&f, false);
    cr_assert_eq(ht_inspect(&f.device, &f.binding, f.configs, COUNT, NULL, NULL, f.found, &error),
                 HT_OK, "%s", error.message);
    for (size_t i = 0; i < COUNT; i++) {
        if (i % 4 != 1) {
            expect_fine(&f, i);
            continue;
        }
        cr_expect_eq(f.found[i].status, HT_ERROR_COMPILE);
        cr_expect(strstr(f.found[i].reason, "way one is closed"), "%s", f.found[i].reason);
        cr_expect_null(f.found[i].launches);
    }
    fixture_close(&f);
}

Test(inspect, a_compiler_that_dies_is_the_fault_of_its_configuration_alone) {
    fixture f;
    ht_error error = {0};
    fixture_open(&f, true);
    cr_assert_eq(ht_inspect(&f.device, &f.binding, f.configs, COUNT, NULL, NULL, f.found, &error),
                 HT_OK, "%s", error.message);
    for (size_t i = 0; i < COUNT; i++) {
        static const ht_status expected[] = {HT_OK, HT_ERROR_COMPILE, HT_ERROR_CRASH, HT_OK};
        cr_expect_eq(f.found[i].status, expected[i % 4], "%zu: %s", i,
                     f.found[i].reason ? f.found[i].reason : "ok");
        if (expected[i % 4] == HT_OK)
            expect_fine(&f, i);
        if (expected[i % 4] == HT_ERROR_CRASH)
            cr_expect(strstr(f.found[i].reason, "the compiler"), "%s", f.found[i].reason);
    }
    fixture_close(&f);
}

/* hiprtc 5.2 ends its process for a target that it does not know. */
Test(inspect, an_unknown_target_fails_every_configuration_and_nothing_else) {
    fixture f;
    ht_error error = {0};
    fixture_open(&f, false);
    snprintf(f.device.arch, sizeof f.device.arch, "gfx000");
    cr_assert_eq(ht_inspect(&f.device, &f.binding, f.configs, COUNT, NULL, NULL, f.found, &error),
                 HT_OK, "%s", error.message);
    for (size_t i = 0; i < COUNT; i++)
        cr_expect(f.found[i].status == HT_ERROR_CRASH || f.found[i].status == HT_ERROR_COMPILE);
    fixture_close(&f);
}

Test(inspect, an_interruption_leaves_the_rest_marked) {
    fixture f;
    ht_error error = {0};
    volatile int interrupted = 1;
    fixture_open(&f, false);
    cr_assert_eq(
        ht_inspect(&f.device, &f.binding, f.configs, COUNT, NULL, &interrupted, f.found, &error),
        HT_ERROR_INTERRUPTED);
    for (size_t i = 0; i < COUNT; i++)
        cr_expect_eq(f.found[i].status, HT_ERROR_INTERRUPTED);
    fixture_close(&f);
}

Test(inspect, a_provider_without_resources_says_so) {
    fixture f;
    ht_error error = {0};
    fixture_open(&f, false);
    cr_assert_eq(ht_device_find("host", &f.device, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_inspect(&f.device, &f.binding, f.configs, COUNT, NULL, NULL, f.found, &error),
                 HT_ERROR_UNSUPPORTED);
    cr_expect(strstr(error.message, "host"), "%s", error.message);
    fixture_close(&f);
}
