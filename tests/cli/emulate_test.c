/* hiptemper emulate, as a user runs it: whole programs, which check themselves (emulated/). */
#include "program.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void make(void) {
    static const char *const names[] = {
        "vector_add.hip", "reduction.hip", "stencil.hip",     "two_main.hip",    "two_other.hip",
        "runtime.hip",    "faults.hip",    "unsupported.hip", "never_ported.cu", "wrong.hip",
        "checked.hip",    "sanitized.hip", "halves.hip",      "textures.hip",    NULL};
    workplace_make();
    workplace_copy(SOURCES, names);
}

TestSuite(emulate, .init = make, .fini = workplace_remove);

static json_t *read_json(void) {
    char *text = workplace_read("run.json");
    cr_assert_not_null(text);
    json_t *document = json_loads(text, 0, NULL);
    cr_assert_not_null(document, "%s", text);
    free(text);
    return document;
}

static void expect(const char *words, int code, const char *out, const char *err) {
    program_result result = program_run(words);
    cr_expect_eq(result.code, code, "%s: exit code %d\n%s%s", words, result.code, result.out,
                 result.err);
    cr_expect(strstr(result.out, out), "%s: printed\n%s", words, result.out);
    cr_expect(strstr(result.err, err), "%s: reported\n%s", words, result.err);
    program_free(&result);
}

Test(emulate, the_exit_code_and_the_arguments_are_the_programs) {
    expect("emulate vector_add.hip", 0, " PASS\n", "");
    expect("emulate vector_add.hip -- one --two -D three", 4, "[one][--two][-D][three] PASS\n", "");
}

Test(emulate, threads_sleep_between_launches_unless_the_user_has_said_how_they_wait) {
    workplace_write("waits.hip", "#include <cstdio>\n#include <cstdlib>\n"
                                 "int main() {\n"
                                 "    const char *policy = std::getenv(\"OMP_WAIT_POLICY\");\n"
                                 "    std::printf(\"waits: %s\\n\", policy ? policy : \"-\");\n"
                                 "}\n");
    unsetenv("OMP_WAIT_POLICY");
    unsetenv("GOMP_SPINCOUNT");
    expect("emulate waits.hip", 0, "waits: passive\n", "");
    setenv("GOMP_SPINCOUNT", "1000", 1);
    expect("emulate waits.hip", 0, "waits: -\n", "");
    setenv("OMP_WAIT_POLICY", "active", 1);
    expect("emulate waits.hip", 0, "waits: active\n", "");
}

Test(emulate, kernels_have_shared_memory_shuffles_atomics_and_template_arguments) {
    expect("emulate reduction.hip", 0, "PASS", "");
    expect("emulate --device host:wave32 reduction.hip", 0, "PASS", "");
}

Test(emulate, members_of_a_half2_are_halves_and_the_host_computes_with_them) {
    expect("emulate halves.hip", 0, "PASS", "");
}

Test(emulate, textures_of_arrays_pitched_and_linear_memory_are_sampled) {
    expect("emulate textures.hip", 0, "2\n3\n2.5\n1\n3\n0\n7\n-1\n4\n0.5\n", "");
}

Test(emulate, structures_arrive_whole_and_symbols_and_pitched_memory_work) {
    expect("emulate stencil.hip", 0, "0 wrong, 112 at the edges: PASS", "");
}

Test(emulate, a_cuda_source_needs_no_port) {
    expect("emulate --device host:wave32 never_ported.cu", 0,
           "2000 after 1 call, warps of 32: PASS\n", "");
}

Test(emulate, files_have_kernels_and_variables_of_the_same_name_and_launch_each_others) {
    expect("emulate -D ADDED=33 two_main.hip two_other.hip", 0, "11 22 33: PASS", "");
}

Test(emulate, streams_events_callbacks_managed_memory_and_errors_are_those_of_hip) {
    expect("emulate runtime.hip", 0, "PASS", "count(int*, int): block size 2000 in x");
}

/* Of each file the folders and macros that its own command has. */
Test(emulate, files_and_their_options_come_from_compile_commands) {
    workplace_write("deep/value.h", "#define ADDED VALUE\n");
    workplace_write("a.hip", "#include \"value.h\"\n"
                             "#include <hip/hip_runtime.h>\n"
                             "int other();\n"
                             "int main() { return ADDED + other(); }\n");
    workplace_write("b.hip", "#include <hip/hip_runtime.h>\nint other() { return VALUE; }\n");
    char *text = ht_format("[{\"directory\": \"%s\", \"file\": \"a.hip\", \"command\": "
                           "\"hipcc -Ideep -DVALUE=3 -c a.hip\"},"
                           " {\"directory\": \"%s\", \"file\": \"b.hip\", \"command\": "
                           "\"hipcc -DVALUE=40 -c b.hip\"}]",
                           workplace(), workplace());
    workplace_write("compile_commands.json", text);
    free(text);
    expect("emulate --compile-commands compile_commands.json", 43, "", "");
    expect("emulate --compile-commands compile_commands.json a.hip b.hip", 43, "", "");
    expect("emulate --compile-commands none.json a.hip", 2, "", "none.json");
    expect("emulate", 2, "", "no file is given");
}

Test(emulate, a_function_that_is_not_there_fails_and_is_reported_with_its_place) {
    program_result result = program_run("emulate --json run.json unsupported.hip");
    cr_expect_eq(result.code, 5, "exit code %d", result.code);
    cr_expect_eq(count_lines(result.out), 3, "%s", result.out);
    cr_expect(strstr(result.out, "hipErrorNotSupported\n"), "%s", result.out);
    cr_expect(strstr(result.err, "unsupported.hip:9: hipGraphCreate is not supported: it returned "
                                 "hipErrorNotSupported (3 calls)"),
              "%s", result.err);
    cr_expect(strstr(result.err, "unsupported.hip:12: hipGraphDestroy is not supported: it "
                                 "returned hipErrorNotSupported (1 call)"),
              "%s", result.err);
    program_free(&result);
    json_t *document = read_json();
    const json_t *missing = json_object_get(document, "missing");
    cr_expect_eq(json_array_size(missing), 2);
    const json_t *first = json_array_get(missing, 0);
    cr_expect_str_eq(json_string_value(json_object_get(first, "place")), "unsupported.hip:9");
    cr_expect_eq(json_integer_value(json_object_get(first, "calls")), 3);
    cr_expect_eq(json_integer_value(json_object_get(document, "exit_code")), 5);
    cr_expect_str_eq(json_string_value(json_object_get(document, "outcome")), "ended");
    json_decref(document);
}

Test(emulate, a_kernel_that_fails_is_reported_and_the_program_gets_its_error) {
    expect("emulate faults.hip -- assert", 9, "hipErrorAssert",
           "fails(int): faults.hip:10: assertion 'n > 1' failed in thread (0, 0, 0)");
    expect("emulate faults.hip -- stuck", 9, "hipErrorLaunchFailure",
           "at __syncthreads in faults.hip:16, 3 threads (from thread 0) at __shfl in "
           "faults.hip:15");
}

Test(emulate, a_program_that_dies_gives_the_signals_exit_code) {
    expect("emulate --json run.json faults.hip -- crash", 128 + 6, "",
           "the program was ended by signal 6");
    json_t *document = read_json();
    cr_expect_str_eq(json_string_value(json_object_get(document, "outcome")), "signal");
    cr_expect_eq(json_integer_value(json_object_get(document, "signal")), 6);
    json_decref(document);
}

Test(emulate, a_program_cannot_write_outside_its_folder) {
    program_result result = program_run("emulate faults.hip -- write");
    cr_expect_neq(result.code, 1, "%s", result.err);
    cr_expect_not(ht_file_exists("/tmp/hiptemper-emulate-must-not-be"));
    program_free(&result);
}

Test(emulate, what_does_not_compile_is_reported_with_its_line) {
    expect("emulate wrong.hip", 1, "", "wrong.hip:3:5: error: use of undeclared identifier");
    expect("emulate --json=- wrong.hip", 2, "", "standard output is the program's");
    expect("emulate missing.hip", 2, "", "missing.hip: there is no such file");
    expect("emulate --device amd:gfx90a wrong.hip", 2, "", "device 'amd:gfx90a' does not emulate");
}

Test(emulate, checking_mode_finds_races_and_accesses_outside_with_their_lines) {
    expect("emulate --check checked.hip", 0, "hipSuccess", "");
    expect("emulate --check checked.hip -- 1", 1, "hipErrorLaunchFailure",
           "race: part[16] read at checked.hip:12 by thread (15, 0, 0) and written at "
           "checked.hip:9 by thread (16, 0, 0)");
    expect("emulate --check checked.hip -- 2", 1, "hipErrorLaunchFailure",
           "outside: write behind 'allocation 1' (element 252 of 252), at checked.hip:17 by thread "
           "(63, 0, 0)");
    expect("emulate --check --json run.json checked.hip -- 3", 1, "hipErrorLaunchFailure",
           "race: allocation 1[4] written at checked.hip:22");
    json_t *document = read_json();
    const json_t *findings = json_object_get(document, "findings");
    cr_expect_eq(json_array_size(findings), 1);
    cr_expect_eq(json_array_size(json_object_get(document, "failures")), 0);
    cr_expect(strstr(json_string_value(json_array_get(findings, 0)), "race: allocation 1[4]"));
    cr_expect_geq(json_integer_value(json_object_get(document, "launches")), 1);
    json_decref(document);
}

/* Host memory, device memory to the byte, and a thread's own array: neither fences nor checking
 * mode see all of these. */
Test(emulate, a_sanitized_program_ends_at_the_first_access_outside_with_its_line) {
    expect("emulate --sanitize sanitized.hip", 4, "end 7 hipSuccess", "");
    expect("emulate --sanitize sanitized.hip -- 1", 1, "",
           "AddressSanitizer: heap-buffer-overflow at sanitized.hip:22");
    expect("emulate --sanitize sanitized.hip -- 2", 1, "",
           "AddressSanitizer: heap-buffer-overflow at sanitized.hip:11");
    expect("emulate --sanitize sanitized.hip -- 3", 1, "", "buffer-overflow at sanitized.hip:12");
    expect("emulate --sanitize --check sanitized.hip", 2, "", "give one of them");
}
