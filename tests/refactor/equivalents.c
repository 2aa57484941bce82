#include "equivalents.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- a list */

/* The way in which a comparison that changes nothing is off. */
typedef enum way { EITHER, LOOSER, TIGHTER } way;

/* A fault that changes nothing: its kernel (NULL: any), a piece of the line where it is or of a
 * remark before it, the way, the reason, and a piece of the comparison itself (NULL: any in the
 * line). */
static const struct equivalent {
    const char *kernel, *line;
    way off;
    const char *why, *asked;
} equivalents[] = {
    {"batch_first", "if (h < Ho && w < Wo)", EITHER,
     "it is known for one size, a multiple of its blocks", NULL},
    {"conv", "sum[ty][tx] += x[", EITHER, "a row's outputs pass its test together or not at all",
     NULL},
    {"jacobi", "no output of the block", EITHER, "no block ends with the first row or column",
     NULL},
    {"batch_first", "const dim3 threadIdx(BLOCK_X < 16", EITHER,
     "blocks of 16 are the same in all ways, and none has 15 or 17", NULL},
    {"batch_first", "const dim3 blockIdx(BLOCK_X < 16", EITHER,
     "blocks of 16 are the same in all ways, and none has 15 or 17", NULL},
    {"total", "const int i = edge && i_first", TIGHTER,
     "the original reads ahead of its guard, so that all is in memory", NULL},
    {"image::conv3x3_literal", "= edge && ", TIGHTER, "each read is tested, and outputs too", NULL},
    {"blur_padded", "= edge && ", TIGHTER, "each read is tested, and outputs too", NULL},
    {"padded", "= edge && ", TIGHTER, "each read is tested, and outputs too", NULL},
    {"strided", "= edge && ", TIGHTER, "each read is tested, and outputs too", NULL},
    {"repeated", "= edge && ", TIGHTER, "each index is held inside, and outputs are tested", NULL},
    {"jacobi", "= edge && ", TIGHTER,
     "rows follow each other, so that one column further is in memory", NULL},
    {"jacobi_scaled", "= edge && ", TIGHTER,
     "rows follow each other, so that one column further is in memory", NULL},
    {"stencil7", "= edge && ", TIGHTER,
     "rows and planes follow each other, so that one further is in memory", NULL},
    {"laplace", "= edge && ", TIGHTER,
     "rows and planes follow each other, so that one further is in memory", NULL},
    {"jacobi3", "= edge && ", TIGHTER,
     "rows and planes follow each other, so that one further is in memory", NULL},
    {"column", "= edge && ", TIGHTER,
     "rows and planes follow each other, so that one further is in memory", NULL},
    {"wide_star", "= edge && ", TIGHTER,
     "rows follow each other, so that one column further is in memory", NULL},
    {"DepthwiseConv3x3", "= edge && ", TIGHTER, "each read is tested, and outputs too", NULL},
    {"blur::blurRows", "= edge && ", TIGHTER, "each read is tested, and outputs too", NULL},
    {"blur::blurColumns", "= edge && ", TIGHTER, "each read is tested, and outputs too", NULL},
    {"ConvNHWC", "= edge && ", TIGHTER,
     "each read of an image is tested, weights have been read, and outputs too", NULL},
    {"strided", "for (int cx = 0; cx < COARSEN_X; cx += (COARSEN_X", EITHER,
     "its windows end inside on that side", "<"},
    {"echo", "for (int ci = 0; ci < COARSEN_X; ci += (COARSEN_X", EITHER,
     "the first output asks for all", "<"},
    {"stencil7", "all outputs of this thread are inside", LOOSER, "each output is tested again",
     NULL},
    {"masked", "all outputs of this thread are inside", LOOSER, "each output is tested again",
     NULL},
    {"kept", "no output of the block", EITHER, "one block has all of them", NULL},
    {NULL, "_strip = ", LOOSER, "a strip behind the end is empty", "_strip <"},
    /* Choices between two ways of doing the same. */
    {NULL, "if (VECTOR_", EITHER, "one at once is one after the other", "VECTOR_"},
    {NULL, " + VECTOR_", TIGHTER, "one after the other instead of at once", NULL},
    {NULL, "const bool all_inside =", TIGHTER, "what is inside is computed as at an edge", NULL},
    {NULL, "if (INNER_PATH && all_inside", TIGHTER, "what is inside is computed as at an edge",
     NULL},
    {NULL, "all outputs of this thread are inside", TIGHTER, "one by one instead of side by side",
     NULL},
    {NULL, "; v < VECTOR_", EITHER,
     "one by one is what begins inside of the array and ends outside", NULL},
    {NULL, " + v < (", EITHER, "a row of the tile that vectors do not divide ends outside", " + v"},
    {NULL, "if (STREAM_", EITHER, "a window is moved, or read anew", "STREAM_"},
    {NULL, "if (STREAM_", TIGHTER, "a step behind the end stores nothing", "_last >"},
    {NULL, "if (STREAM_", TIGHTER, "a step ahead of the first stores nothing", "_first <"},
    {NULL, "if (gridDim.z - blockIdx.z <", EITHER, "the outputs' own end is asked for besides",
     NULL},
    {NULL, "inside && !(", LOOSER, "one by one instead of at once", NULL},
    {NULL, "inside_2 && !(", LOOSER, "one by one instead of at once", NULL},
    {NULL, "inside && (", TIGHTER, "one by one instead of at once", NULL},
    {NULL, "inside_2 && (", TIGHTER, "one by one instead of at once", NULL},
    {NULL, "_each += (VECTOR_", LOOSER, "one by one instead of at once", "_each <"},
    {NULL, " += (COARSEN_", LOOSER, "one by one instead of at once", "<"},
    {NULL, "_each += (VECTOR_", EITHER, "steps of one, either way", "VECTOR_"},
    {NULL, "of them, so all", TIGHTER, "one by one instead of at once", NULL},
    {NULL, "the first and the last output, so all", EITHER, "one by one instead of side by side",
     NULL},
    {NULL, "at the edge: one by one", EITHER,
     "the last output lies outside, or all would be inside", NULL},
    {NULL, "if (GRID_ORDER > 0", TIGHTER, "in whichever order the blocks come", "GRID_ORDER"},
    {NULL, "if (FLATTEN && ", TIGHTER, "in whichever order the threads are counted", NULL},
    {NULL, "if (THREAD_ROWS > 1", EITHER, "in whichever order the threads are counted", "ROWS > 1"},
    {NULL, "if ((THREAD_ROWS > 1", EITHER, "in whichever order the threads are counted", "> 1"},
    {NULL, "if ((THREAD_ROWS > 1", TIGHTER, "in whichever order the threads are counted",
     "blockDim"},
    {NULL, "height_2 = THREAD_PLANES", EITHER, "in whichever order the threads are counted", NULL},
    {NULL, "if (total - first >= group)", TIGHTER, "in whichever order the threads are counted",
     NULL},
    /* Cases that no launch that is verified has. */
    {NULL, "if (FLATTEN && ", LOOSER, "a grid has threads for all outputs of a row", "columns"},
    {NULL, "width_2 - 1 < total", EITHER, "a grid has threads for all outputs", "total"},
    {NULL, "planes <= total", EITHER, "a grid has threads for all outputs", "total"},
    {NULL, "if (THREAD_ROWS > 1", EITHER, "a block has threads for all its rows", "blockDim"},
    {NULL, "gridDim.y < 65536", EITHER, "no grid is so large that counting its blocks overflows",
     "gridDim"},
    {NULL, "gridDim.x < 2048", EITHER, "no grid is so large that counting its blocks overflows",
     "gridDim"},
    {NULL, "gridDim.x < 4194304", EITHER, "no grid is so large that counting its threads overflows",
     "gridDim"},
};

static bool is_in_line(const char *unit, size_t at, const char *piece) {
    size_t begin = at;
    while (begin > 0 && unit[begin - 1] != '\n')
        --begin;
    char *line = ht_strndup(unit + begin, strcspn(unit + begin, "\n"));
    bool found = strstr(line, piece) != NULL;
    free(line);
    return found;
}

/* Returns true if the piece is in the line, or in a remark on the one before. */
static bool is_near(const char *unit, size_t at, const char *piece) {
    size_t begin = at;
    while (begin > 0 && unit[begin - 1] != '\n')
        --begin;
    return is_in_line(unit, at, piece) ||
           (begin > 0 && is_in_line(unit, begin - 1, "//") && is_in_line(unit, begin - 1, piece));
}

static bool is_asked(const char *unit, const fault *item, const char *piece) {
    if (!piece)
        return true;
    char *text = ht_strndup(unit + item->begin, item->end - item->begin);
    bool found = strstr(text, piece) != NULL;
    free(text);
    return found;
}

static bool is_way(way off, fault_kind kind) {
    return off == EITHER || (off == LOOSER) == (kind == FAULT_LOOSE);
}

static const char *listed(const char *kernel, const char *unit, const fault *item) {
    for (size_t i = 0; i < sizeof equivalents / sizeof *equivalents; ++i) {
        const struct equivalent *each = &equivalents[i];
        if ((!each->kernel || strcmp(each->kernel, kernel) == 0) && is_way(each->off, item->kind) &&
            is_near(unit, item->at, each->line) && is_asked(unit, item, each->asked))
            return each->why;
    }
    return NULL;
}

/* ---- by the text */

/* Returns the text without spaces. free(). */
static char *squeezed(const char *text, size_t length) {
    char *out = ht_alloc(length + 1, 1);
    for (size_t i = 0, to = 0; i < length; ++i)
        if (!isspace((unsigned char)text[i]))
            out[to++] = text[i];
    return out;
}

/* Returns true if the text after the comparison chooses between its two sides: a < b ? a : b, or if
 * (a >= b) a = b - 1. Where they are one apart, or equal, both give the same. */
static bool chooses_sides(const char *unit, const fault *item) {
    size_t right = item->at + 1 + (unit[item->at + 1] == '=');
    char *a = squeezed(unit + item->begin, item->at - item->begin);
    char *b = squeezed(unit + right, item->end - right);
    char *behind = squeezed(unit + item->end, strcspn(unit + item->end, ";"));
    char *choices[] = {ht_format("?%s:", a), ht_format("?%s:", b), ht_format(")%s=%s-1", a, b),
                       ht_format(")%s=%s", a, b)};
    bool found = false;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; ++i) {
        found = found || strncmp(behind, choices[i], strlen(choices[i])) == 0;
        free(choices[i]);
    }
    free(behind);
    free(b);
    free(a);
    return found;
}

/* Returns true for a test of which elements are loaded into a tile: their coordinates have such
 * names. */
static bool is_load_test(const char *unit, const fault *item) {
    bool coordinate = false;
    for (size_t i = item->begin; i < item->end; ++i)
        coordinate = coordinate || strncmp(unit + i, "at0", 3) == 0 ||
                     strncmp(unit + i, "at1", 3) == 0 || strncmp(unit + i, "at2", 3) == 0 ||
                     strncmp(unit + i, "at_", 3) == 0 || strncmp(unit + i, "at ", 3) == 0 ||
                     strncmp(unit + i, "end", 3) == 0;
    return coordinate && is_in_line(unit, item->at, "if (");
}

/* Returns true for NAME >= 3, where a size is asked for, or (TYPE)NAME.x >= 3. */
static bool asks_for_some(const char *unit, const fault *item) {
    for (size_t i = item->begin; i < item->at; ++i)
        if (!isalnum((unsigned char)unit[i]) && !strchr("_ ().", unit[i]))
            return false;
    for (size_t i = item->at + 2; i < item->end; ++i)
        if (!isdigit((unsigned char)unit[i]) && unit[i] != ' ')
            return false;
    return unit[item->at] == '>' && unit[item->at + 1] == '=' && is_near(unit, item->at, "if (");
}

static bool is_joint(const char *unit, size_t at) {
    return strncmp(unit + at, "&&", 2) == 0 || strncmp(unit + at, "||", 2) == 0;
}

/* Returns true if the kernel asks the same in an `if` before. */
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

const char *equivalent_reason(const char *kernel, const char *unit, size_t body,
                              const fault *item) {
    const char *why = listed(kernel, unit, item);
    bool comparison = item->kind == FAULT_LOOSE || item->kind == FAULT_TIGHT;
    if (why || !comparison)
        return why;
    if (item->kind == FAULT_LOOSE && chooses_sides(unit, item))
        return "either side is the same there";
    if (item->kind == FAULT_LOOSE && asked_before(unit, body, item->at))
        return "the same was asked before";
    if (item->kind == FAULT_LOOSE && is_load_test(unit, item))
        return "what is loaded besides is in memory, and nobody reads it";
    if (asks_for_some(unit, item))
        return "where there is no output, nothing was launched, or the block has returned";
    return NULL;
}
