/* Templates of sources as people write them: they parse, print, compile, and by default they are
 * the original. */
#include "gpu.h"
#include "refactor/rewrite/apply.h"
#include "support.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "templates/bind.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

static struct criterion_test_params every_source(void) {
    size_t count = 0;
    while (templated_sources[count])
        ++count;
    char **paths = cr_malloc(count * sizeof *paths);
    for (size_t i = 0; i < count; ++i) {
        paths[i] = cr_malloc(strlen(templated_sources[i]) + 1);
        strcpy(paths[i], templated_sources[i]);
    }
    return cr_make_param_array(char *, paths, count);
}

/* Adds "&name" instances of every launch, so that a compiler instantiates them. */
static void add_instances(const ht_template *template, const ht_config *config,
                          const ht_launch *launches, size_t count, const char *prefix,
                          ht_text *out) {
    ht_device_fields device = {0};
    ht_binding binding = {template, NULL, &device};
    for (size_t i = 0; i < count; ++i) {
        char *name = ht_binding_name_expression(&binding, config, &launches[i]);
        ht_text_printf(out, "auto %s_%zu = &%s;\n", prefix, i, name);
        free(name);
    }
}

/* Returns the instructions of the kernel whose mangled name holds `name`: lines between its label
 * and .Lfunc_end, labels and symbols made anonymous. free(); NULL when it is not there. */
static char *instructions(const char *assembly, const char *name, bool original) {
    ht_text text = {0};
    bool inside = false;
    char *copy = ht_strdup(assembly), *save = NULL;
    for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        bool label = line[0] == '_' && strstr(line, name) && strchr(line, ':') &&
                     (strstr(line, "__original") != NULL) == original;
        if (label) {
            inside = true;
            continue;
        }
        if (strncmp(line, ".Lfunc_end", 10) == 0 || strstr(line, ".section"))
            inside = false;
        if (!inside || line[0] == ';' || strstr(line, ".p2align"))
            continue;
        line[strcspn(line, ";")] = 0;
        for (char *digits = strstr(line, "BB"); digits; digits = strstr(digits + 2, "BB"))
            for (char *at = digits + 2; *at >= '0' && *at <= '9'; ++at)
                *at = '0';
        char *symbol = strstr(line, "_Z");
        if (symbol) /* __shared__ arrays carry their kernel's name */
            *symbol = 0;
        ht_text_printf(&text, "%s\n", line);
    }
    free(copy);
    return text.length ? ht_text_take(&text) : NULL;
}

static size_t lines(const char *text) {
    size_t count = 0;
    for (; *text; ++text)
        count += *text == '\n';
    return count;
}

static void check_default_code(const ht_kernel *kernel) {
    const ht_template *template = kernel->template;
    if (template->reference_kind != HT_REFERENCE_KERNEL)
        return;
    ht_config config = ht_config_default(template);
    ht_text unit = {0};
    char *output;
    ht_text_append(&unit, template->unit);
    add_instances(template, &config, template->launches, template->launch_count, "tuned", &unit);
    add_instances(template, &config, template->reference_launches, template->reference_launch_count,
                  "plain", &unit);
    cr_assert_eq(clang_run(unit.data, "--cuda-device-only -S -O2", &output), 0, "%s: %s",
                 kernel->name, output);
    const char *bare = strrchr(kernel->name, ':') ? strrchr(kernel->name, ':') + 1 : kernel->name;
    char *original = instructions(output, bare, true), *tuned = instructions(output, bare, false);
    cr_assert_not_null(original, "%s: original not found", kernel->name);
    cr_assert_not_null(tuned, "%s: parameterized kernel not found", kernel->name);
    /* one output a thread runs through the coarsened form of the code, and where blocks or threads
     * may lie in another order, they ask for their place once, ahead: the same work, in another
     * order */
    bool coarsened = ht_template_param(template, "COARSEN_X") != NULL;
    for (size_t i = 0; i < template->param_count; ++i)
        coarsened = coarsened || ht_param_is_from(&template->params[i], "grid-order") ||
                    ht_param_is_from(&template->params[i], "thread-order");
    size_t before = lines(original), after = lines(tuned);
    if (coarsened)
        cr_expect(after * 3 <= before * 4, "%s: %zu instructions became %zu", kernel->name, before,
                  after);
    else
        cr_expect_str_eq(original, tuned, "%s: the default configuration is other code",
                         kernel->name);
    free(original);
    free(tuned);
    free(output);
    ht_text_free(&unit);
}

static void check_template(const ht_kernel *kernel) {
    ht_template *again;
    size_t count;
    ht_error error;
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", kernel->name, kernel->reason);
    cr_assert_gt(kernel->transformation_count, 0);
    for (size_t i = 0; i < kernel->omitted_count; ++i)
        cr_expect_fail("%s: %s stands in the way of its template and is left out", kernel->name,
                       kernel->omitted[i]);
    cr_assert_eq(ht_template_parse(kernel->template->unit, "unit", &again, &count, &error), HT_OK,
                 "%s", error.message);
    cr_assert_eq(count, 1);
    cr_assert(ht_template_equal(again, kernel->template));
    ht_template_free(again, count);
}

enum { TRIES_MAX = 20000 };

/* Draws a legal configuration in which half of the parameters have another value than their
 * default. Without a problem's sizes it is the default one. */
static ht_config draw_legal(const ht_kernel *kernel, const ht_problem_file *problems,
                            ht_random *random) {
    const ht_template *template = kernel->template;
    const ht_problem_file *own = kernel->inferred ? kernel->inferred : problems;
    const ht_problem_entry *entry = own ? ht_problem_file_entry(own, kernel->name) : NULL;
    bool legal = !entry || !entry->instance_count;
    ht_config config = ht_config_default(template);
    for (size_t tries = 0; tries < TRIES_MAX && !legal; ++tries) {
        const ht_binding binding = {template, &entry->instances[0], &test_gpu};
        config = ht_config_default(template);
        for (size_t i = 0; i < template->param_count; ++i)
            if (ht_random_below(random, 2))
                config.choice[i] =
                    (uint16_t)ht_random_below(random, template->params[i].value_count);
        cr_assert_eq(ht_binding_legal(&binding, &config, &legal, NULL, NULL), HT_OK);
    }
    return config;
}

/* Checks all kernels of the file at once, with random values, as device and as host code. */
static void check_applied(const ht_refactor *refactor, const ht_problem_file *problems) {
    ht_refactor_choice choices[8];
    ht_random random;
    size_t count = ht_refactor_kernel_count(refactor);
    ht_random_seed(&random, 13);
    for (size_t i = 0; i < count; ++i)
        choices[i] = (ht_refactor_choice){
            .kernel = i, .config = draw_legal(ht_refactor_kernel(refactor, i), problems, &random)};
    char *text, *output;
    ht_error error;
    cr_assert_eq(ht_refactor_apply(refactor, choices, count, &text, &error), HT_OK, "%s",
                 error.message);
    cr_expect(clang_parses(text, &output), "%s\n%s", output, text);
    free(text);
    free(output);
}

ParameterizedTestParameters(template, parses_is_the_original_by_default_and_applies) {
    return every_source();
}

ParameterizedTest(char **path, template, parses_is_the_original_by_default_and_applies) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_open(*path, &problems);
    cr_assert_gt(ht_refactor_kernel_count(refactor), 0);
    for (size_t i = 0; i < ht_refactor_kernel_count(refactor); ++i) {
        check_template(ht_refactor_kernel(refactor, i));
        check_default_code(ht_refactor_kernel(refactor, i));
    }
    check_applied(refactor, problems);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

/* All legal-looking extremes compile as device and host code: first and last value of every
 * parameter. */
Test(template, extreme_configurations_compile) {
    static const char *const paths[] = {"tests/refactor/sources/literal_blocks.hip",
                                        "tests/refactor/sources/tile_template.hip",
                                        "examples/kernels/conv2d_tiled.hip"};
    for (size_t p = 0; p < sizeof paths / sizeof *paths; ++p) {
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_open(paths[p], &problems);
        for (size_t i = 0; i < ht_refactor_kernel_count(refactor); ++i) {
            const ht_kernel *kernel = ht_refactor_kernel(refactor, i);
            const ht_template *template = kernel->template;
            ht_config first = ht_config_default(template), last = first;
            for (size_t j = 0; j < template->param_count; ++j) {
                first.choice[j] = 0;
                last.choice[j] = (uint16_t)(template->params[j].value_count - 1);
            }
            ht_text unit = {0};
            char *output;
            ht_text_append(&unit, template->unit);
            add_instances(template, &first, template->launches, 1, "first", &unit);
            add_instances(template, &last, template->launches, 1, "last", &unit);
            cr_expect(clang_parses(unit.data, &output), "%s: %s", kernel->name, output);
            free(output);
            ht_text_free(&unit);
        }
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}

Test(template, two_runs_give_the_same_bytes) {
    ht_problem_file *problems[2];
    ht_refactor *refactors[2];
    for (int run = 0; run < 2; ++run)
        refactors[run] = refactor_open("tests/refactor/sources/literal_blocks.hip", &problems[run]);
    cr_assert_eq(ht_refactor_kernel_count(refactors[0]), ht_refactor_kernel_count(refactors[1]));
    for (size_t i = 0; i < ht_refactor_kernel_count(refactors[0]); ++i) {
        const ht_kernel *a = ht_refactor_kernel(refactors[0], i);
        const ht_kernel *b = ht_refactor_kernel(refactors[1], i);
        cr_assert_str_eq(a->template->unit, b->template->unit);
        cr_assert_eq(a->remark_count, b->remark_count);
        for (size_t j = 0; j < a->remark_count; ++j)
            cr_assert_str_eq(a->remarks[j].message, b->remarks[j].message);
    }
    for (int run = 0; run < 2; ++run) {
        ht_refactor_free(refactors[run]);
        ht_problem_file_free(problems[run]);
    }
}

Test(template, of_a_kernel_that_alone_is_wanted_is_the_same) {
    static const char path[] = "examples/kernels/separable.hip";
    ht_problem_file *problems, *own;
    ht_refactor *all = refactor_open(path, &problems);
    size_t count = ht_refactor_kernel_count(all);
    cr_assert_gt(count, 1);
    for (size_t i = 0; i < 2; ++i) {
        const ht_kernel *among = ht_refactor_kernel(all, i);
        ht_refactor *one = refactor_open_of(path, among->name, &own);
        const ht_kernel *alone = kernel_named(one, among->name, NULL);
        cr_assert_not_null(among->template);
        cr_assert_not_null(alone->template);
        cr_expect_str_eq(alone->template->unit, among->template->unit);
        cr_expect_eq(alone->remark_count, among->remark_count);
        cr_expect_eq(ht_refactor_kernel(one, 1 - i)->status, HT_KERNEL_NOT_REACHED);
        ht_refactor_free(one);
        ht_problem_file_free(own);
    }
    ht_refactor_free(all);
    ht_problem_file_free(problems);
}

/* Rounding in another order is no defect; integers have none. */
Test(template, atomics_that_add_up_floats_get_a_wider_tolerance) {
    static const struct {
        const char *type, *statement, *tolerance;
    } kernels[] = {{"float", "atomicAdd(out, in[i])", "tolerance(4e-6)"},
                   {"int", "atomicAdd(out, in[i])", "tolerance(1e-6)"},
                   {"float", "out[i] = in[i]", "tolerance(1e-6)"}};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i) {
        char *text = ht_format("#include <hip/hip_runtime.h>\n"
                               "__global__ void k(const %s *in, %s *out, int n) {\n"
                               "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "    if (i < n) %s;\n"
                               "}\n"
                               "void run(const %s *in, %s *out, int n) {\n"
                               "    k<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                               "}\n",
                               kernels[i].type, kernels[i].type, kernels[i].statement,
                               kernels[i].type, kernels[i].type);
        ht_refactor *refactor = refactor_text_with(text, &(ht_refactor_options){0});
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
        cr_expect(strstr(kernel->template->unit, kernels[i].tolerance), "%s: %s", text,
                  kernel->template->unit);
        ht_refactor_free(refactor);
        free(text);
    }
}
