#include "kept_tree.h"
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

const char kept_tree_source[] =
    "#include \"size.h\"\n"
    "#include <hip/hip_runtime.h>\n"
    "__global__ void scale(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i < n) out[i] = 2 * in[i];\n"
    "}\n"
    "void host(const float *in, float *out, int n) {\n"
    "    hipLaunchKernelGGL(scale, dim3((n + BLOCK - 1) / BLOCK), dim3(BLOCK), 0, 0, in, out, n);\n"
    "}\n";

char *kept_tree_problem(int n) {
    return ht_format("{ \"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [ {\n"
                     "  \"kernel\": \"scale\", \"problem\": \"line : n\",\n"
                     "  \"args\": [\"in : in float[problem.n]\", \"out : out float[problem.n]\", "
                     "\"n : int = problem.n\"],\n"
                     "  \"host\": {\"n\": \"problem.n\"},\n"
                     "  \"instances\": [ {\"name\": \"a\", \"fields\": {\"n\": %d}} ] } ] }\n",
                     n);
}

void kept_place_make(void) {
    workplace_make();
    char *folder = ht_format("%s/kept", workplace());
    setenv("HIPTEMPER_KEPT", folder, 1);
    free(folder);
}

void kept_tree_write(int n) {
    char *problem = kept_tree_problem(n);
    workplace_write("tree/scale.hip", kept_tree_source);
    workplace_write("tree/size.h", "#define BLOCK 64\n");
    workplace_write("tree/scale.problem.json", problem);
    workplace_write("tree/empty.hip", "__global__ void nothing() {}\n");
    free(problem);
    usleep(20000); /* a file that changes while it is read is not kept */
}

json_t *kept_run(const char *words, json_int_t kept) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    json_t *document = json_loads(result.out, 0, NULL);
    cr_assert_not_null(document, "%s", result.out);
    cr_expect_eq(json_integer_value(json_object_get(document, "kept")), kept, "not %d: %s: %s%s",
                 (int)kept, words, result.out, result.err);
    program_free(&result);
    return document;
}

void expect_kept(const char *words, json_int_t kept) {
    json_decref(kept_run(words, kept));
}
