/* The command line on an amd device, over a stand-in. */
#include "base/file.h"
#include "base/memory.h"
#include "tests/runtime/standin/support.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char unit[] = "#pragma tune unit\n"
                           "#pragma tune kernel(twice)\n"
                           "#pragma tune problem(line : n)\n"
                           "#pragma tune param(BLOCK : 64, 128, 256 = 64)\n"
                           "#pragma tune param(ITEMS : 1, 2, 3 = 1)\n"
                           "#pragma tune block(BLOCK)\n"
                           "#pragma tune grid(ceil_div(problem.n, BLOCK * ITEMS))\n"
                           "#pragma tune arg(in : in float[problem.n])\n"
                           "#pragma tune arg(out : out float[problem.n])\n"
                           "#pragma tune arg(n : int = problem.n)\n"
                           "template <int BLOCK, int ITEMS>\n"
                           "__global__ void twice(const float *in, float *out, int n) {\n"
                           "    static_assert(ITEMS != 3, \"no three\");\n"
                           "    for (int j = 0; j < ITEMS; j++) {\n"
                           "        int i = (blockIdx.x * ITEMS + j) * BLOCK + threadIdx.x;\n"
                           "        if (i < n) out[i] = 2 * in[i];\n"
                           "    }\n"
                           "}\n";

/* Runs the program; returns the exit code; *out_json is what was written to `path`. */
static int run_hiptemper(const char *arguments, const char *path, json_t **out_json) {
    char *command = ht_format("%s %s >/dev/null 2>&1", HT_PROGRAM, arguments);
    int status = system(command);
    free(command);
    *out_json = json_load_file(path, 0, NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(standin_cli, tune_runs_on_an_amd_device) {
    ht_error error = {0};
    char *folder;
    json_t *json;
    standin_use_in_workers("7");
    unsetenv("HIPTEMPER_WORKER");
    standin_device("amd:0"); /* or skips */
    cr_assert_eq(ht_dir_temporary("cli", &folder, &error), HT_OK);
    char *file = ht_path_join(folder, "twice.hip"), *path = ht_path_join(folder, "out/tune.json");
    cr_assert_eq(ht_file_write(file, unit, strlen(unit), &error), HT_OK);
    char *arguments =
        ht_format("tune %s --problem n=1000 --device amd:0 --strategy exhaustive --out %s/out "
                  "--db %s/db.sqlite --compile-workers 1",
                  file, folder, folder);
    int code = run_hiptemper(arguments, path, &json);
    cr_assert_eq(code, 0, "exit code %d", code);
    cr_assert_not_null(json);
    char *text = json_dumps(json, JSON_COMPACT);
    cr_expect(strstr(text, "\"amd:0\""), "%s", text);
    cr_expect(strstr(text, "no three"), "%s", text);
    const json_t *kernel = json_array_get(json_object_get(json, "kernels"), 0);
    cr_expect_eq(
        json_integer_value(json_object_get(json_object_get(kernel, "rejected"), "compile")), 3,
        "%s", text);
    free(text);
    json_decref(json);
    free(arguments);
    free(path);
    free(file);
    ht_dir_remove(folder);
    free(folder);
    standin_end();
}

Test(standin_cli, emulated_gpus_are_described_as_such) {
    standin_use_in_workers("7");
    static const char *const before[] = {"", "LD_PRELOAD=" HT_STANDIN_ROCJITSU};
    for (size_t i = 0; i < 2; ++i) {
        char *command = ht_format("%s %s devices", before[i], HT_PROGRAM), text[8192] = "";
        FILE *pipe = popen(command, "r");
        cr_assert_not_null(pipe);
        text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
        cr_expect_eq(pclose(pipe), 0, "%s", text);
        cr_expect(strstr(text, "amd:0"), "%s", text);
        cr_expect_eq(strstr(text, "emulated by rocjitsu") != NULL, i == 1, "%s", text);
        free(command);
    }
}
