/* A small driver for work on the pass: refactor_driver FILE [PROBLEM] [-- COMPILER ARGUMENTS]. With
 * HT_CONFIG set ("BLOCK_X=32") it prints the applied source of the first templated kernel instead
 * of its template, or of the one that HT_KERNEL names. */
#include "base/text.h"
#include "refactor/refactor.h"
#include "refactor/rewrite/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const ht_kernel *kernel) {
    static const char *const names[] = {"templated", "annotated", "needs-problem", "refused",
                                        "unparsed"};
    printf("== %s %s:%d %s", kernel->name, kernel->file, kernel->line, names[kernel->status]);
    if (kernel->reason)
        printf(" (line %d) %s", kernel->reason_line, kernel->reason);
    putchar('\n');
    for (size_t i = 0; i < kernel->remark_count; ++i) {
        static const char *const kinds[] = {"applied", "missed", "note"};
        const ht_remark *remark = &kernel->remarks[i];
        printf("   %s:%d:%d: %s [%s] %s\n", remark->file, remark->line, remark->column,
               kinds[remark->kind], remark->transformation, remark->message);
    }
    if (kernel->skeleton)
        printf("%s", kernel->skeleton);
    if (kernel->template && !getenv("HT_CONFIG"))
        printf("%s\n", kernel->template->unit);
}

static int apply_config(const ht_refactor *refactor, const char *text) {
    for (size_t i = 0; i < ht_refactor_kernel_count(refactor); ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(refactor, i);
        const char *wanted = getenv("HT_KERNEL");
        if (kernel->status != HT_KERNEL_TEMPLATED || (wanted && strcmp(wanted, kernel->name) != 0))
            continue;
        ht_refactor_choice choice = {.kernel = i};
        ht_error error;
        char *source;
        if (ht_config_parse(kernel->template, text, &choice.config, &error) != HT_OK ||
            ht_refactor_apply(refactor, &choice, 1, &source, &error) != HT_OK) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        fputs(source, stdout);
        free(source);
        return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    ht_problem_file *problems = NULL;
    ht_refactor *refactor;
    ht_error error;
    int last = 1;
    while (last < argc && strcmp(argv[last], "--") != 0)
        ++last;
    ht_refactor_options options = {.arguments = (const char *const *)argv + last + 1,
                                   .argument_count =
                                       last + 1 < argc ? (size_t)(argc - last - 1) : 0};
    if (last > 2 && ht_problem_file_load(argv[2], &problems, &error) != HT_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    if (ht_refactor_file(argv[1], problems, &options, &refactor, &error) != HT_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    for (size_t i = 0; i < ht_refactor_kernel_count(refactor); ++i)
        show(ht_refactor_kernel(refactor, i));
    int status = getenv("HT_CONFIG") ? apply_config(refactor, getenv("HT_CONFIG")) : 0;
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    return status;
}
