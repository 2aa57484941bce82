#include "syntax_support.h"

#include "refactor/kernel/discover.h"
#include "refactor/kernel/model_build.h"
#include "refactor/kernel/syntax_tree.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[256];

const char *syntax_put(const char *text) {
    snprintf(path, sizeof path, "%s/syntax-XXXXXX.hip", HT_BINARY_DIR);
    int fd = mkstemps(path, 4);
    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    return path;
}

syntax_kernel syntax_read(const char *ahead, const char *body) {
    char text[2048];
    snprintf(text, sizeof text,
             "#include <hip/hip_runtime.h>\n%s__global__ void k(float *p, int n) {\n%s\n}\n", ahead,
             body);
    syntax_put(text);
    syntax_kernel of;
    ht_error error;
    cr_assert_eq(ht_source_open(path, NULL, &of.source, &error), HT_OK, "%s", error.message);
    ht_cursors kernels = ht_kernels_find(of.source);
    cr_assert_eq(kernels.count, 1);
    ht_model_build(of.source, kernels.items[0], NULL, &of.model);
    free(kernels.items);
    of.tree = ht_syntax_of(&of.model);
    return of;
}

void syntax_forget(syntax_kernel *of) {
    ht_model_free(&of->model);
    ht_source_free(of->source);
    unlink(path);
}

const ht_syntax *syntax_first(const ht_syntax_tree *tree, ht_syntax_kind kind) {
    for (size_t i = 0; i < tree->count; ++i)
        if (tree->nodes[i]->kind == kind)
            return tree->nodes[i];
    return NULL;
}
