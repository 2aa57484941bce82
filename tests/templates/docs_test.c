/* The manual's examples are as it says. */
#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "templates/problem_file/problem_file.h"
#include "templates/space/space.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *read_page(const char *name) {
    char *text, *path = ht_format("%s/docs/%s", HT_SOURCE_DIR, name);
    ht_error error;
    cr_assert_eq(ht_file_read(path, 0, &text, NULL, &error), HT_OK, "%s", error.message);
    free(path);
    return text;
}

/* Returns the next fenced block of a language; *at moves past it. NULL when there is no more;
 * free(). */
static char *next_block(const char **at, const char *language) {
    char *fence = ht_format("\n```%s\n", language);
    const char *start = strstr(*at, fence);
    char *block = NULL;
    if (start) {
        start += strlen(fence);
        const char *end = strstr(start, "```\n");
        block = ht_strndup(start, (size_t)(end - start));
        *at = end;
    }
    free(fence);
    return block;
}

Test(docs, annotated_kernels_parse_and_have_legal_configurations) {
    char *page = read_page("template-format.md"), *block;
    const char *at = page;
    size_t count = 0;
    while ((block = next_block(&at, "cpp"))) {
        ht_template *template = test_template(block);
        ht_problem problem;
        ht_space *space;
        ht_error error;
        cr_assert_eq(ht_problem_parse(&template->problem, "W=100 H=50", &problem, &error), HT_OK,
                     "%s", error.message);
        ht_binding binding = {template, &problem, &test_device};
        cr_assert_eq(ht_space_build(&binding, 0, &space, &error), HT_OK, "%s", error.message);
        cr_assert_gt(ht_space_count(space), 5);
        for (size_t i = 0; i < template->param_count; ++i)
            cr_assert_eq(template->params[i].binding, HT_BIND_TEMPLATE);
        ht_space_free(space);
        ht_problem_free(&problem);
        ht_template_free(template, 1);
        free(block);
        ++count;
    }
    cr_assert_eq(count, 3);
    free(page);
}

Test(docs, mistakes_give_the_messages_shown) {
    char *page = read_page("template-format.md");
    const char *at = page;
    char *block = next_block(&at, "errors"), *rest = block, *line;
    size_t count = 0;
    cr_assert(block != NULL);
    while ((line = strsep(&rest, "\n")) && *line) {
        char *expected = strsep(&rest, "\n");
        ht_template *templates;
        size_t found;
        ht_error error;
        cr_assert_eq(ht_template_parse(line, "x", &templates, &found, &error), HT_ERROR_INPUT, "%s",
                     line);
        char *message = ht_format("%d:%d: %s", error.line, error.column, error.message);
        cr_expect_str_eq(message, expected, "%s\n%s\n%s", line, message, expected);
        free(message);
        ++count;
    }
    cr_assert_gt(count, 5);
    free(block);
    free(page);
}

Test(docs, forms_of_params_parse) {
    char *page = read_page("template-format.md"), *rest = page, *line;
    size_t count = 0;
    while ((line = strsep(&rest, "\n"))) {
        if (strncmp(line, "    param(", 10) != 0)
            continue;
        char *text = ht_format("#pragma tune kernel(k) block(1) grid(1)\n#pragma tune %.*s",
                               (int)(strrchr(line, ')') + 1 - line), line);
        ht_template_free(test_template(text), 1);
        free(text);
        ++count;
    }
    cr_assert_eq(count, 7);
    free(page);
}

Test(docs, problem_files_parse) {
    char *page = read_page("problem-file.md"), *block;
    const char *at = page;
    size_t count = 0;
    while ((block = next_block(&at, "json"))) {
        ht_problem_file *file;
        ht_error error;
        cr_assert_eq(ht_problem_file_parse(block, "doc", &file, &error), HT_OK, "%s",
                     error.message);
        ht_problem_file_free(file);
        free(block);
        ++count;
    }
    cr_assert_eq(count, 2);
    free(page);
}
