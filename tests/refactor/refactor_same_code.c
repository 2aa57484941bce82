/* Shows whether the default configuration of every template compiles to the original's
 * instructions.
 *
 *   refactor_same_code [-I DIR]... FILE...
 *
 * runs the pass over each source (with the problem file next to it, else with inferred problems)
 * and compares what clang-19 -O3 makes of original and default configuration for gfx90a, names of
 * symbols apart. Printed is a line for each template; docs/refactor.md explains the exceptions.
 * The exit code is 1 when one differs that has no parameter for which that is expected. */
#include "refactor/refactor.h"
#include "same_code.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct totals {
    size_t same, excepted, other;
} totals;

/* Returns a parameter that changes instructions, though not the original's work; NULL: there is
 * none. With grid-order and thread-order, and where threads compute the places that they had, they
 * ask for their place once, ahead. */
static const char *exception(const ht_template *template) {
    if (strstr(template->unit, "const dim3 launched_"))
        return "places";
    for (size_t i = 0; i < template->param_count; ++i)
        if (strncmp(template->params[i].name, "COARSEN_", 8) == 0 ||
            ht_param_is_from(&template->params[i], "grid-order") ||
            ht_param_is_from(&template->params[i], "thread-order"))
            return template->params[i].name;
    return NULL;
}

static void kernel_compare(const ht_kernel *kernel, const char *options, totals *all) {
    const ht_template *template = kernel->against ? kernel->against : kernel->template;
    if (!template || kernel->status != HT_KERNEL_TEMPLATED)
        return;
    same_code code;
    char *problem;
    const char *name = exception(template);
    if (!same_code_compare(template, kernel->name, options, &code, &problem)) {
        printf("FAILED     %s:%d: %s: %s\n", kernel->file, kernel->line, kernel->name, problem);
        ++all->other;
    } else if (code.same) {
        printf("same       %s:%d: %s: %zu instructions\n", kernel->file, kernel->line, kernel->name,
               code.before);
        ++all->same;
    } else {
        printf("%s  %s:%d: %s: %zu became %zu (%s); first: %s\n", name ? "excepted " : "DIFFERENT",
               kernel->file, kernel->line, kernel->name, code.before, code.after,
               name ? name : "no exception", code.difference);
        ++*(name ? &all->excepted : &all->other);
    }
    free(code.difference);
    free(problem);
}

static int file_compare(const char *path, const ht_refactor_options *compiler, const char *options,
                        totals *all) {
    ht_refactor *refactor;
    ht_problem_file *problems = NULL;
    ht_error error = {0};
    const char *dot = strrchr(path, '.');
    char *beside =
        ht_format("%.*s.problem.json", (int)(dot ? dot - path : (long)strlen(path)), path);
    ht_status status = HT_OK;
    if (ht_file_exists(beside))
        status = ht_problem_file_load(beside, &problems, &error);
    if (status == HT_OK)
        status = ht_refactor_file(path, problems, compiler, &refactor, &error);
    if (status != HT_OK)
        fprintf(stderr, "refactor_same_code: %s: %s\n", path, error.message);
    else {
        for (size_t i = 0; i < ht_refactor_kernel_count(refactor); ++i)
            kernel_compare(ht_refactor_kernel(refactor, i), options, all);
        ht_refactor_free(refactor);
    }
    ht_problem_file_free(problems);
    free(beside);
    return status == HT_OK ? 0 : 2;
}

int main(int argc, char **argv) {
    const char **arguments = ht_alloc((size_t)argc + 1, sizeof *arguments);
    ht_refactor_options compiler = {.arguments = arguments};
    ht_text options = {0};
    totals all = {0};
    int code = 0;
    ht_text_append(&options, "");
    for (int i = 1; i < argc; ++i)
        if (strncmp(argv[i], "-I", 2) == 0) {
            arguments[compiler.argument_count++] = argv[i];
            ht_text_printf(&options, " '%s'", argv[i]);
        }
    for (int i = 1; i < argc; ++i)
        if (strncmp(argv[i], "-I", 2) != 0) {
            int own = file_compare(argv[i], &compiler, options.data, &all);
            code = own > code ? own : code;
        }
    printf("%zu the same, %zu excepted, %zu others\n", all.same, all.excepted, all.other);
    ht_text_free(&options);
    free(arguments);
    return all.other ? 1 : code;
}
