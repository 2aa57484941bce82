/* Templates as people read them: lines that fit, parameters by transformation, and no constraint
 * that says nothing. */
#include "gpu.h"
#include "refactor/source/line_wrap.h"
#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "templates/bind.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, CONFIGS_MAX = 40000 };

static struct criterion_test_params every_source(void) {
    size_t count = 0;
    while (templated_sources[count])
        ++count;
    char **paths = cr_malloc(count * sizeof *paths);
    for (size_t i = 0; i < count; ++i) {
        size_t size = strlen(templated_sources[i]) + 1;
        paths[i] = cr_malloc(size);
        memcpy(paths[i], templated_sources[i], size);
    }
    return cr_make_param_array(char *, paths, count);
}

/* Returns true if all constraints hold that hang on parameters and the device alone. */
static bool holds(const ht_template *template, const ht_config *config) {
    const ht_binding binding = {template, NULL, &test_gpu};
    for (size_t i = 0; i < template->require_count; ++i) {
        int64_t value = 0;
        if (ht_binding_evaluate(&binding, config, template->requires[i].expr, &value, NULL) ==
                HT_OK &&
            value == 0)
            return false;
    }
    return true;
}

static bool next_config(const ht_template *template, ht_config *config) {
    for (size_t i = 0; i < template->param_count; ++i) {
        if (++config->choice[i] < template->params[i].value_count)
            return true;
        config->choice[i] = 0;
    }
    return false;
}

static double size_of(const ht_template *template) {
    double size = 1;
    for (size_t i = 0; i < template->param_count; ++i)
        size *= (double)template->params[i].value_count;
    return size;
}

static void expect_same(const ht_kernel *kernel, const ht_config *config) {
    bool few = holds(kernel->template, config), all = holds(kernel->against, config);
    char *text = few == all ? NULL : ht_config_string(kernel->template, config);
    cr_assert(few == all, "%s: %s is %s", kernel->name, text, few ? "legal now" : "illegal now");
}

/* Compares the constraints of the template with those that the transformations gave, which the
 * template for verification has: each configuration of a small space, many of a large one. */
static void check_same_space(const ht_kernel *kernel) {
    ht_config config = ht_config_default(kernel->template);
    ht_random random;
    cr_assert_not_null(kernel->against, "%s", kernel->name);
    cr_assert_leq(kernel->template->require_count, kernel->against->require_count);
    if (size_of(kernel->template) <= CONFIGS_MAX) {
        memset(config.choice, 0, sizeof config.choice);
        do
            expect_same(kernel, &config);
        while (next_config(kernel->template, &config));
        return;
    }
    ht_random_seed(&random, 1);
    for (int i = 0; i < CONFIGS_MAX; ++i) {
        /* mostly defaults: else nearly nothing is legal */
        config = ht_config_default(kernel->template);
        for (size_t k = 0; k < kernel->template->param_count; ++k)
            if (ht_random_below(&random, 3) == 0)
                config.choice[k] =
                    (uint16_t)ht_random_below(&random, kernel->template->params[k].value_count);
        expect_same(kernel, &config);
    }
}

static void check_no_idle(const ht_kernel *kernel) {
    for (size_t i = 0; i < kernel->template->require_count; ++i) {
        ht_template less = *kernel->template;
        less.requires = &kernel->template->requires[i];
        less.require_count = 1;
        ht_config config = ht_config_default(&less);
        if (size_of(&less) > CONFIGS_MAX)
            return;
        memset(config.choice, 0, sizeof config.choice);
        const ht_binding binding = {&less, NULL, &test_gpu};
        bool idle = true;
        int64_t value = 0;
        do
            idle = ht_binding_evaluate(&binding, &config, less.requires[0].expr, &value, NULL) ==
                       HT_OK &&
                   value != 0;
        while (idle && next_config(&less, &config));
        char *text = ht_expr_string(less.requires[0].expr);
        cr_expect(!idle || strstr(text, "device."), "%s: %s always holds", kernel->name, text);
        free(text);
    }
}

ParameterizedTestParameters(layout, fewer_constraints_allow_the_same_configurations) {
    return every_source();
}

ParameterizedTest(char **path, layout, fewer_constraints_allow_the_same_configurations) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_open(*path, &problems);
    for (size_t i = 0; i < ht_refactor_kernel_count(refactor); ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(refactor, i);
        if (kernel->status != HT_KERNEL_TEMPLATED)
            continue;
        check_same_space(kernel);
        check_no_idle(kernel);
    }
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

/* Returns true if the line stands in the source, apart from its indentation and what a template
 * changes of its name. */
static bool is_authors(const char *source, const char *line, size_t length) {
    char *own = ht_strndup(line, length);
    char *plain = ht_text_replaced(own, "__original", "");
    char *given = ht_text_replaced(plain, "_given", "");
    bool found = strstr(source, given + strspn(given, " \t")) != NULL;
    free(given);
    free(plain);
    free(own);
    return found;
}

static void check_lines(const char *source, const ht_kernel *kernel) {
    const char *unit = kernel->template->unit;
    for (const char *line = unit; *line; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");
        cr_expect(length <= WIDTH || is_authors(source, line, length),
                  "%s: a line of %zu characters:\n%.*s", kernel->name, length, (int)length, line);
        if (!line[length])
            break;
    }
}

/* Each parameter of a transformation stands after a line that says what that does, before the next
 * one of those lines. */
static void check_groups(const ht_kernel *kernel) {
    const char *unit = kernel->template->unit;
    for (size_t i = 0; i < kernel->template->param_count; ++i) {
        const ht_param *param = &kernel->template->params[i];
        char *directive = ht_format("#pragma tune param(%s :", param->name);
        char *heading = ht_format("\n// %s: ", param->origin);
        const char *at = strstr(unit, directive), *head = strstr(unit, heading);
        cr_assert(at && head && head < at, "%s: %s: %s\n%s", kernel->name, param->name,
                  param->origin, unit);
        for (const char *line = head + 1; line < at; line = strchr(line, '\n') + 1)
            cr_expect(strncmp(line, "// ", 3) != 0 || line == head + 1, "%s: %s", kernel->name,
                      param->name);
        free(heading);
        free(directive);
    }
}

Test(layout, lines_fit_and_parameters_are_by_transformation) {
    static const char *const names[] = {"conv1d",       "conv1x1",         "conv2d_direct",
                                        "conv2d_tiled", "filter_constant", "separable",
                                        "depthwise",    "conv2d_nhwc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        ht_problem_file *problems;
        char *path = ht_format("examples/kernels/%s.hip", names[i]), *source = NULL;
        char *whole = ht_path_join(HT_SOURCE_DIR, path);
        ht_refactor *refactor = refactor_open(path, &problems);
        cr_assert_eq(ht_file_read(whole, 0, &source, NULL, NULL), HT_OK);
        for (size_t k = 0; k < ht_refactor_kernel_count(refactor); ++k) {
            check_lines(source, ht_refactor_kernel(refactor, k));
            check_groups(ht_refactor_kernel(refactor, k));
        }
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
        free(source);
        free(whole);
        free(path);
    }
}

static void expect_wrapped(const char *line, size_t width, const char *joint, const char *wanted) {
    ht_text text = {0};
    ht_line_wrap(line, strlen(line), width, false, joint, &text);
    cr_expect_str_eq(text.data, wanted);
    ht_text_free(&text);
}

Test(layout, lines_break_at_the_outermost_operator_and_nowhere_in_words) {
    expect_wrapped("    const int x = all && first + tx * step > high ? high : first + tx * step;",
                   60, "\n",
                   "    const int x = all && first + tx * step > high\n"
                   "        ? high : first + tx * step;");
    expect_wrapped("f(aaaaaaaaaaaaaaaaaaaaa, g(b, c), \"d, e, f, g, h\");", 40, "\n",
                   "f(aaaaaaaaaaaaaaaaaaaaa, g(b, c),\n    \"d, e, f, g, h\");");
    expect_wrapped("#pragma tune require(AAAAAAAA == 1 || BBBBBBBB == 2)", 40, " \\\n",
                   "#pragma tune require(AAAAAAAA == 1 \\\n    || BBBBBBBB == 2)");
    expect_wrapped("    (columns == 16 ? product<block_size, 16> : product<block_size>)", 50, "\n",
                   "    (columns == 16 ? product<block_size, 16>\n        : product<block_size>)");
    static const char call[] = "    a_kernel_of_a_long_name<<<grid,dim3(16, 16)>>>(in,out);";
    expect_wrapped(call, 45, "\n", call);
    static const char *const fixed[] = {
        "#define A(b, c, d, e) b + c + d + e + b", "aaaaaaaaaaaaaaaaaa, bbbbbbbb; \\",
        "auto s = R\"(aaaaaaaaaaaaaaaaaaa, b, c, d)\";", "// aaaaaaaaaaaaaaaaaaaaaaaaaa, b, c, d"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; ++i)
        expect_wrapped(fixed[i], 20, "\n", fixed[i]);
}

/* The first of several arguments is not broken at an operator where it fits into a line. */
Test(layout, lists_break_after_their_parenthesis_rather_than_in_an_argument) {
    expect_wrapped(
        "    const dim3 grid((width + 4 * block.x - 1) / (4 * block.x), (h + block.y - 1) "
        "/ block.y);",
        55, "\n",
        "    const dim3 grid(\n"
        "        (width + 4 * block.x - 1) / (4 * block.x),\n"
        "        (h + block.y - 1) / block.y);");
    ht_text text = {0};
    static const char line[] =
        "  dim3 grid((w + 4 * block.x - 1) / (4 * block.x), (h + 7) / 8, n);";
    ht_line_wrap(line, strlen(line), 60, true, "\n", &text);
    cr_expect_str_eq(text.data, "  dim3 grid((w + 4 * block.x - 1) / (4 * block.x),\n"
                                "            (h + 7) / 8, n);");
    ht_text_free(&text);
}
