#include "equivalents.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* In which kernel (NULL: any), a piece of the line where they are, and why. */
static const struct equivalent {
    const char *kernel, *line, *why;
} equivalents[] = {
    {"batch_first", "if (h < Ho && w < Wo)", "it is known for one size, a multiple of its blocks"},
    {"conv", "sum[ty][tx] += x[", "a row's outputs pass its test together or not at all"},
    {"jacobi", "no output of the block", "no block ends with the first row or column"},
    {NULL, "if (VECTOR_", "one at once is one after the other"},
    {NULL, "gridDim.y < 65536", "no grid is so large that counting its blocks overflows"},
    {NULL, "gridDim.x < 2048", "no grid is so large that counting its blocks overflows"},
};

static bool is_joint(const char *unit, size_t at) {
    return strncmp(unit + at, "&&", 2) == 0 || strncmp(unit + at, "||", 2) == 0;
}

/* Does the kernel ask the same in an `if` before? */
static bool asked_before(const char *unit, size_t body, size_t at) {
    size_t begin = at, end = at;
    while (begin > body && !strchr("(;{", unit[begin - 1]) && !is_joint(unit, begin - 2))
        --begin;
    while (unit[end] && !strchr(");{", unit[end]) && !is_joint(unit, end))
        ++end;
    begin += strspn(unit + begin, " ");
    while (end > begin && unit[end - 1] == ' ')
        --end;
    char *asked = ht_strndup(unit + begin, end - begin);
    const char *found = strstr(unit + body, asked), *line = found;
    free(asked);
    if (!found || found >= unit + begin)
        return false;
    while (line > unit && line[-1] != '\n')
        --line;
    const char *question = strstr(line, "if (");
    return question && question < found;
}

static const char *listed(const char *kernel, const char *unit, size_t at) {
    size_t begin = at;
    while (begin > 0 && unit[begin - 1] != '\n')
        --begin;
    char *line = ht_strndup(unit + begin, strcspn(unit + begin, "\n"));
    const char *why = NULL;
    for (size_t i = 0; i < sizeof equivalents / sizeof *equivalents && !why; ++i) {
        const struct equivalent *item = &equivalents[i];
        if ((!item->kernel || strcmp(item->kernel, kernel) == 0) && strstr(line, item->line))
            why = item->why;
    }
    free(line);
    return why;
}

const char *equivalent_reason(const char *kernel, const char *unit, size_t body,
                              const fault *item) {
    if (item->kind == FAULT_LOOSE && asked_before(unit, body, item->at))
        return "the same was asked before";
    return listed(kernel, unit, item->at);
}
