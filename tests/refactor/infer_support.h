/* Problems that are inferred from a kernel's text: the problem found, and its parts. */
#ifndef HT_TESTS_REFACTOR_INFER_SUPPORT_H
#define HT_TESTS_REFACTOR_INFER_SUPPORT_H

#include "support.h"

#define HEAD "#include <hip/hip_runtime.h>\n"
#define INDEX "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
#define RUN "void run(float *a, int n) { k<<<(n + 127) / 128, 128>>>(a, n); }\n"

typedef struct inferred {
    ht_refactor *refactor;
    ht_problem_file *problems;
    const ht_kernel *kernel; /* named "k" */
} inferred;

/* Sizes for which extents are evaluated, beyond those that an argument gives. */
typedef struct sizes {
    const ht_problem_entry *entry; /* set by elements() */
    const char *names[8];
    int64_t values[8];
    size_t count;
} sizes;

/* Reads a text's kernels. `tries`: as `hiptemper refactor` does, which runs them. */
ht_refactor *refactor_tried(const char *text, bool tries);
inferred infer(const char *text);
void done(inferred *of);
const ht_arg *arg_named(const inferred *of, const char *name);
/* The elements of a buffer. */
int64_t elements(const inferred *of, const char *name, sizes *with);
/* "in", "out", "inout" or "other". */
const char *role(const inferred *of, const char *name);
/* A field's value in the instance. */
int64_t instance_value(const inferred *of, const char *name);

/* The number of an argument in the instance. */
int64_t number(const inferred *of, const char *name);

/* Expect a text's kernel to be without a problem, with these words in the reason. */
void expect_reason(const char *text, const char *words);
void expect_missing(const char *text, const char *words);

#endif
