/* The built-in families: one table entry each. */
#include "templates/problem/problem_spec.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct field_limit {
    const char *name;
    int64_t least;
} field_limit;

typedef struct family {
    const char *name;
    const char *fields; /* as the directive would write them */
    const field_limit *limits;
    const ht_problem_alias *aliases;
    const char *const (*divisible)[2]; /* pairs: the first is a multiple of the second */
} family;

static const field_limit conv2d_limits[] = {
    {"N", 1},        {"C", 1},          {"H", 1},          {"W", 1},      {"K", 1},
    {"R", 1},        {"S", 1},          {"pad_h", 0},      {"pad_w", 0},  {"stride_h", 1},
    {"stride_w", 1}, {"dilation_h", 1}, {"dilation_w", 1}, {"groups", 1}, {NULL, 0}};
static const ht_problem_alias conv2d_aliases[] = {{"pad", {"pad_h", "pad_w"}},
                                                  {"stride", {"stride_h", "stride_w"}},
                                                  {"dilation", {"dilation_h", "dilation_w"}},
                                                  {NULL, {NULL, NULL}}};
static const char *const conv2d_divisible[][2] = {{"C", "groups"}, {"K", "groups"}, {NULL, NULL}};

static const family families[] = {
    {"conv2d",
     "N, C, H, W, K, R, S, pad_h = 0, pad_w = 0, stride_h = 1, stride_w = 1, dilation_h = 1, "
     "dilation_w = 1, groups = 1, "
     "P := stride_h > 0 && H + 2 * pad_h > dilation_h * (R - 1) "
     "? (H + 2 * pad_h - dilation_h * (R - 1) - 1) / stride_h + 1 : 0, "
     "Q := stride_w > 0 && W + 2 * pad_w > dilation_w * (S - 1) "
     "? (W + 2 * pad_w - dilation_w * (S - 1) - 1) / stride_w + 1 : 0",
     conv2d_limits, conv2d_aliases, conv2d_divisible},
};

static const family *find_family(const char *name) {
    for (size_t i = 0; name && i < sizeof families / sizeof *families; ++i)
        if (!strcmp(families[i].name, name))
            return &families[i];
    return NULL;
}

const char *ht_problem_builtin_names(void) {
    return "conv2d";
}

bool ht_problem_spec_builtin(const char *name, ht_problem_spec *out_spec) {
    const family *found = find_family(name);
    if (!found)
        return false;
    /* Under another name, since one's own family must not have a built-in's. */
    char *text = ht_format("fields : %s", found->fields);
    ht_place where = {.file = "built-in problem family", .line = 1, .column = 1};
    ht_status status = ht_problem_spec_parse_span(ht_span_of(text, where), out_spec, NULL);
    free(text);
    if (status != HT_OK)
        return false;
    free(out_spec->name);
    out_spec->name = ht_strdup(found->name);
    out_spec->builtin = true;
    return true;
}

const ht_problem_alias *ht_problem_builtin_alias(const char *family_name, const char *name) {
    const family *found = find_family(family_name);
    for (const ht_problem_alias *alias = found ? found->aliases : NULL; alias && alias->name;
         ++alias)
        if (!strcmp(alias->name, name))
            return alias;
    return NULL;
}

/* Fields that must be at least 1, derived ones. */
static const char *const output_fields[] = {"P", "Q"};

char *ht_problem_builtin_conditions(const char *family_name) {
    const family *found = find_family(family_name);
    ht_text text = {0};
    if (!found)
        return NULL;
    ht_text_append(&text, "1");
    for (const field_limit *limit = found->limits; limit->name; ++limit)
        ht_text_printf(&text, " && %s >= %" PRId64 " && %s <= %d", limit->name, limit->least,
                       limit->name, INT32_MAX);
    for (const char *const(*pair)[2] = found->divisible; (*pair)[0]; ++pair)
        ht_text_printf(&text, " && %s %% %s == 0", (*pair)[0], (*pair)[1]);
    for (size_t i = 0; i < sizeof output_fields / sizeof *output_fields; ++i)
        ht_text_printf(&text, " && %s >= 1", output_fields[i]);
    return ht_text_take(&text);
}

static ht_status fail(ht_place where, ht_error *error, const char *field, const char *message) {
    return ht_error_set_at(error, HT_ERROR_INPUT, where.file, where.line, where.column,
                           "problem field %s %s", field, message);
}

ht_status ht_problem_builtin_check(const char *family_name, const ht_problem *problem,
                                   ht_place where, ht_error *error) {
    const family *found = find_family(family_name);
    int64_t value, divisor;
    if (!found)
        return HT_OK;
    for (const field_limit *limit = found->limits; limit->name; ++limit) {
        if (!ht_problem_get(problem, limit->name, &value))
            continue;
        if (value < limit->least)
            return fail(where, error, limit->name,
                        limit->least ? "must be at least 1" : "must not be negative");
        if (value > INT32_MAX)
            return fail(where, error, limit->name, "is too large (at most 2147483647)");
    }
    for (const char *const(*pair)[2] = found->divisible; (*pair)[0]; ++pair)
        if (ht_problem_get(problem, (*pair)[0], &value) &&
            ht_problem_get(problem, (*pair)[1], &divisor) && value % divisor != 0)
            return ht_error_set_at(error, HT_ERROR_INPUT, where.file, where.line, where.column,
                                   "problem field %s = %" PRId64 " is no multiple of %s = %" PRId64,
                                   (*pair)[0], value, (*pair)[1], divisor);
    static const char *const outputs[][2] = {{"P", "H, R, pad_h and dilation_h"},
                                             {"Q", "W, S, pad_w and dilation_w"}};
    for (size_t i = 0; i < 2; ++i)
        if (ht_problem_get(problem, outputs[i][0], &value) && value < 1)
            return ht_error_set_at(error, HT_ERROR_INPUT, where.file, where.line, where.column,
                                   "the output is empty: %s = %" PRId64
                                   " from %s (the filter is larger than the padded input)",
                                   outputs[i][0], value, outputs[i][1]);
    return HT_OK;
}
