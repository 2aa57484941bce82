/* The text of clang's IR: stubs read backwards, device code made runnable. */
#include "runtime/emulate/device_ir.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The text of clang 19 for kernel(float *, P, Big, bool) with struct P { int a, b; double c; } and
 * struct T { short v[6]; }, which is passed in two parts through a copy. */
static const char host[] =
    "@__hip_fatbin_ab12 = external constant i8, section \".hip_fatbin\"\n"
    "@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, "
    "ptr @__hip_fatbin_ab12, ptr null }, section \".hipFatBinSegment\", align 8\n"
    "@__hip_gpubin_handle_ab12 = external hidden global ptr, align 8\n"
    "define dso_local void @_Z21__device_stub__kernelPf1P3Bigb1T(ptr noundef %0, i64 %1, double "
    "%2, ptr noundef byval(%struct.Big) align 8 %3, i1 noundef zeroext %4, i64 %5, i32 %6) #6 {\n"
    "  %8 = alloca %struct.P, align 8\n"
    "  %9 = alloca %struct.T, align 2\n"
    "  %10 = alloca ptr, align 8\n"
    "  %11 = alloca i8, align 1\n"
    "  %12 = alloca { i64, i32 }, align 2\n"
    "  %13 = getelementptr inbounds { i64, double }, ptr %8, i32 0, i32 0\n"
    "  store i64 %1, ptr %13, align 8\n"
    "  %14 = getelementptr inbounds { i64, double }, ptr %8, i32 0, i32 1\n"
    "  store double %2, ptr %14, align 8\n"
    "  %15 = getelementptr inbounds { i64, i32 }, ptr %12, i32 0, i32 0\n"
    "  store i64 %5, ptr %15, align 2\n"
    "  %16 = getelementptr inbounds { i64, i32 }, ptr %12, i32 0, i32 1\n"
    "  store i32 %6, ptr %16, align 2\n"
    "  call void @llvm.memcpy.p0.p0.i64(ptr align 2 %9, ptr align 2 %12, i64 12, i1 false)\n"
    "  store ptr %0, ptr %10, align 8, !tbaa !9\n"
    "  %17 = zext i1 %4 to i8\n"
    "  store i8 %17, ptr %11, align 1, !tbaa !26\n"
    "  %18 = alloca ptr, i64 5, align 16\n"
    "  %19 = getelementptr ptr, ptr %18, i32 0\n"
    "  store ptr %10, ptr %19, align 8\n"
    "  %20 = getelementptr ptr, ptr %18, i32 1\n"
    "  store ptr %8, ptr %20, align 8\n"
    "  %21 = getelementptr ptr, ptr %18, i32 2\n"
    "  store ptr %3, ptr %21, align 8\n"
    "  %22 = getelementptr ptr, ptr %18, i32 3\n"
    "  store ptr %11, ptr %22, align 8\n"
    "  %23 = getelementptr ptr, ptr %18, i32 4\n"
    "  store ptr %9, ptr %23, align 8\n"
    "  %24 = call noundef i32 @hipLaunchKernel(ptr noundef @_Z6kernelPf1P3Bigb1T, i64 %36, i32 "
    "%38, i64 %40, i32 %42, ptr noundef %18, i64 noundef %33, ptr noundef %34)\n"
    "  ret void\n"
    "}\n";

static const char device[] =
    "@cst = dso_local externally_initialized constant [16 x float] zeroinitializer, align 16\n"
    "@_ZZ6kernelE1s = internal global [64 x float] undef, align 16\n"
    "@dynamic = external global [0 x float], align 4\n"
    "define dso_local void @_Z6kernelPf1P3Bigb1T(ptr noundef %0, i64 %1, double %2, ptr noundef "
    "byval(%struct.Big.3) align 8 %3, i1 noundef zeroext %4, i64 %5, i32 %6) #9 {\n"
    "  call void @__assert_fail(ptr @.str)\n"
    "  %8 = call i32 @llvm.amdgcn.atomic.inc.i32.p0i32(ptr %0)\n"
    "  ret void\n"
    "}\n"
    "declare i32 @llvm.amdgcn.atomic.inc.i32.p0i32(ptr)\n";

Test(emulate_ir, a_stub_says_which_part_of_which_argument_each_parameter_is) {
    ht_stub *stubs;
    size_t count = ht_stubs_read(host, &stubs);
    cr_assert_eq(count, 1);
    const ht_stub *stub = &stubs[0];
    cr_assert(stub->understood);
    cr_assert_eq(stub->argument_count, 5);
    cr_assert_eq(stub->parameter_count, 7);
    const size_t arguments[] = {0, 1, 1, 2, 3, 4, 4};
    for (size_t i = 0; i < 7; ++i)
        cr_expect_eq(stub->parts[i].argument, arguments[i], "parameter %zu", i);
    cr_expect(stub->parts[3].address);
    cr_expect_eq(stub->parts[1].indices.length, 0);
    cr_expect_eq(strncmp(stub->parts[2].indices.at, "i32 0, i32 1", 12), 0);
    cr_expect_eq(strncmp(stub->kernel.at, "_Z6kernelPf1P3Bigb1T", stub->kernel.length), 0);
    ht_stubs_free(stubs, count);
}

static char *rewritten(bool checked, size_t *out_kernels) {
    ht_stub *stubs;
    size_t count = ht_stubs_read(host, &stubs);
    ht_text out = {0}, log = {0};
    ht_build_entry *entries;
    const ht_device_ir in = {device, stubs, count, 64, checked};
    *out_kernels = ht_device_ir_rewrite(&in, &out, &entries, &log);
    cr_expect_eq(log.length, 0);
    ht_device_entries_free(entries, *out_kernels);
    ht_stubs_free(stubs, count);
    return ht_text_take(&out);
}

Test(emulate_ir, device_code_gets_entries_a_copy_of_shared_arrays_a_thread_and_the_preludes_names) {
    size_t kernels;
    char *text = rewritten(false, &kernels);
    cr_assert_eq(kernels, 1);
    static const char *const parts[] = {
        "@cst = dso_local externally_initialized global [16 x float]",
        "@_ZZ6kernelE1s = internal thread_local global [64 x float] undef, align 16",
        "@dynamic = external thread_local global [0 x float], align 4",
        "call void @ht_assertion(ptr @.str)",
        "call i32 @ht.amdgcn.atomic.inc.i32.p0i32(ptr %0)",
        "@\"ht_entry__Z6kernelPf1P3Bigb1T\" = constant",
        "@\"ht_entry_cst\" = constant",
        "c\"kernel(float*, P, Big, bool, T)\\00\"",
        ("call void @_Z6kernelPf1P3Bigb1T(ptr  %v0, i64  %v1, double  %v2, ptr "
         "byval(%struct.Big.3) align 8 %a3, i1 zeroext %v4, i64  %v5, i32  %v6)"),
        "%p2 = getelementptr { i64, double }, ptr %a2, i32 0, i32 1"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        cr_expect(strstr(text, parts[i]), "not there: %s\n%s", parts[i], text);
    cr_expect_not(strstr(text, "llvm.amdgcn"));
    free(text);
}

Test(emulate_ir, for_checking_shared_arrays_are_plain_storage_of_their_own_section) {
    size_t kernels;
    char *text = rewritten(true, &kernels);
    cr_expect(strstr(text, "@_ZZ6kernelE1s = internal global [64 x float] zeroinitializer, section "
                           "\".lds\", align 16"),
              "%s", text);
    cr_expect(strstr(text, "@dynamic = extern_weak global [0 x float], align 4"), "%s", text);
    free(text);
}

Test(emulate_ir, host_code_knows_its_image_by_a_hidden_name_and_keeps_its_handle) {
    ht_text out = {0};
    char *image;
    ht_host_ir_rewrite(host, &out, &image);
    cr_assert_str_eq(image, "__hip_fatbin_ab12");
    cr_expect(strstr(out.data, "@__hip_fatbin_ab12 = external hidden constant i8\n"));
    cr_expect(strstr(out.data, "@__hip_gpubin_handle_ab12 = internal global ptr null\n"));
    free(image);
    ht_text_free(&out);
}

Test(emulate_ir, a_stub_that_is_not_understood_is_named_and_has_no_entry) {
    static const char odd[] =
        "define dso_local void @_Z21__device_stub__kernelPf1P3Bigb1T(ptr noundef %0) {\n"
        "  %2 = call noundef i32 @hipLaunchKernel(ptr noundef @_Z6kernelPf1P3Bigb1T)\n"
        "}\n";
    ht_stub *stubs;
    size_t count = ht_stubs_read(odd, &stubs);
    ht_text out = {0}, log = {0};
    ht_build_entry *entries;
    const ht_device_ir in = {device, stubs, count, 64, false};
    cr_expect_eq(ht_device_ir_rewrite(&in, &out, &entries, &log), 0);
    cr_assert_not_null(log.data);
    cr_expect(strstr(log.data, "kernel(float*, P, Big, bool, T): its arguments"), "%s", log.data);
    ht_stubs_free(stubs, count);
    ht_text_free(&out);
    ht_text_free(&log);
}

Test(emulate_ir, sizes_of_types_are_those_of_their_values) {
    static const struct {
        const char *type;
        size_t size;
    } cases[] = {{"i1", 1},    {"i8", 1},     {"i24", 3},          {"i64", 8},
                 {"half", 2},  {"ptr", 8},    {"<2 x half>", 4},   {"<4 x float>", 16},
                 {"float", 4}, {"double", 8}, {"{ i64, i32 }", 0}, {"%struct.P", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_ir_span type = {cases[i].type, strlen(cases[i].type)};
        cr_expect_eq(ht_ir_type_size(type), cases[i].size, "%s", cases[i].type);
    }
}
