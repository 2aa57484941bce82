#include "tests/cli/night_support.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static ran_night run(const char *words, int least, int most) {
    program_result result = program_run(words);
    cr_assert(result.code >= least && result.code <= most, "%d: %s%s", result.code, result.out,
              result.err);
    ran_night night = {json_loads(result.out, 0, NULL), ht_strdup(result.err)};
    cr_assert(night.report, "%s", result.out);
    program_free(&result);
    return night;
}

ran_night night_run(const char *words, int code) {
    return run(words, code, code);
}

ran_night night_run_again(const char *words) {
    return run(words, 0, 1);
}

void night_free(ran_night *night) {
    json_decref(night->report);
    free(night->progress);
}

void night_tree_write(const char *launch, const char *more) {
    char *text = ht_format("#include <hip/hip_runtime.h>\n"
                           "#include \"factor.h\"\n"
                           "__global__ void scale(const float *in, float *out, int n) {\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    if (i < n) out[i] = FACTOR * in[i];\n"
                           "}\n"
                           "void launch(const float *in, float *out, int n) {\n"
                           "    scale<<<%s>>>(in, out, n);\n"
                           "}\n%s",
                           launch, more);
    setenv("HIPTEMPER_LOCKS", workplace(), 1);
    workplace_write("tree/scale.hip", text);
    workplace_write("tree/factor.h", "#define FACTOR 2.0f\n");
    free(text);
}

void night_edit(const char *name, const char *mark, const char *by) {
    char *text = workplace_read(name);
    char *at = text ? strstr(text, mark) : NULL;
    cr_assert(at, "%s has no %s", name, mark);
    char *edited = ht_format("%.*s%s%s", (int)(at - text), text, by, at + strlen(mark));
    workplace_write(name, edited);
    free(edited);
    free(text);
}

void night_job_write(const char *sources, int seconds, int evaluations, const char *more) {
    char *text = ht_format("{\"sources\": %s, \"budget\": {\"seconds\": %d, \"evaluations\": %d},\n"
                           " %s\"final_seconds\": 0.05, \"check\": \"none\", \"seed\": 3,\n"
                           " \"database\": \"n.sqlite\", \"out\": \"out\"}\n",
                           sources, seconds, evaluations, more);
    workplace_write("n.json", text);
    free(text);
}

const char *night_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

const json_t *night_row(const ran_night *night, size_t index) {
    const json_t *row = json_array_get(json_object_get(night->report, "kernels"), index);
    cr_assert(row, "%s", night->progress);
    return row;
}

const json_t *night_compared(const ran_night *night) {
    const json_t *program = json_array_get(json_object_get(night->report, "programs"), 0);
    const json_t *compared = json_array_get(json_object_get(program, "compared"), 0);
    cr_assert(compared, "%s", night->progress);
    return compared;
}

int night_analyses(const ran_night *night, const char *which) {
    return (int)json_integer_value(
        json_object_get(json_object_get(night->report, "analyses"), which));
}
