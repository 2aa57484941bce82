/* The report of `hiptemper refactor` on many kernels, and its page. */
#include "program.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

TestSuite(refactor_report, .init = workplace_make, .fini = workplace_remove);

/* 22 kernels that nothing launches, and one whose reason has marks that HTML reads. */
static void many_write(void) {
    ht_text text = {0};
    ht_text_append(&text, "#include <hip/hip_runtime.h>\n"
                          "template <class T> class box {\n    T low;\npublic:\n"
                          "    __device__ T least() const { return low; }\n};\n"
                          "__global__ void clip(float *x, box<int> b, int n) {\n"
                          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i < n && i > b.least()) x[i] = 1;\n"
                          "}\n"
                          "void host(float *x, box<int> b, int n) { clip<<<n / 64 + 1, 64>>>(x, b, "
                          "n); }\n");
    for (int i = 0; i < 22; ++i)
        ht_text_printf(&text, "__global__ void k%d(float *x) { x[threadIdx.x] = %d; }\n", i, i);
    workplace_write("many.hip", text.data);
    ht_text_free(&text);
}

Test(refactor_report, of_many_kernels_there_is_a_line_for_each_and_groups_with_next_steps) {
    many_write();
    program_result brief = program_run("refactor many.hip --no-verify");
    program_result whole = program_run("refactor many.hip --no-verify --verbose");
    cr_assert_eq(brief.code, 0, "%s", brief.err);
    cr_assert_eq(whole.code, 0, "%s", whole.err);
    cr_expect_null(strstr(brief.out, "remark:"), "%s", brief.out);
    cr_expect(strstr(brief.out, "Written to hiptemper-out: 1 skeleton to fill in"), "%s",
              brief.out);
    cr_expect(strstr(brief.out, "needs-problem: a launch of it: block and grid"), "%s", brief.out);
    cr_expect(strstr(brief.out, "\nneeds-problem: fill in its skeleton"), "%s", brief.out);
    cr_expect(count_lines(brief.out) < 23 + 20, "%s", brief.out);
    cr_expect(strstr(whole.out, "remark: k21: "), "%s", whole.out);
    cr_expect(strstr(whole.out, "  fill in   hiptemper-out/many.problem.json\n"), "%s", whole.out);
    program_free(&brief);
    program_free(&whole);
}

/* Checks that each element ends where it should; returns how many there were. */
static size_t elements_check(const char *page) {
    const char *open[64];
    size_t depth = 0, count = 0;
    for (const char *at = page; (at = strchr(at, '<')) != NULL; ++at) {
        bool closes = at[1] == '/';
        const char *name = at + 1 + closes;
        size_t length = 0;
        while (isalnum((unsigned char)name[length]))
            ++length;
        if (at[1] == '!' || strncmp(name, "meta", 4) == 0)
            continue;
        cr_assert(length > 0, "a mark that was not escaped: %.40s", at);
        if (!closes) {
            cr_assert(depth < 64);
            open[depth++] = name;
            ++count;
            continue;
        }
        cr_assert(depth > 0, "ends nothing: %.40s", at);
        --depth;
        cr_assert(strncmp(open[depth], name, length) == 0, "%.20s is ended by %.20s", open[depth],
                  at);
    }
    cr_assert_eq(depth, 0);
    return count;
}

Test(refactor_report, the_page_is_whole_and_shows_text_as_text) {
    many_write();
    program_result result = program_run("refactor many.hip --no-verify --html page.html");
    cr_assert_eq(result.code, 0, "%s", result.err);
    char *page = workplace_read("page.html");
    cr_assert_not_null(page);
    cr_expect_gt(elements_check(page), 23);
    cr_expect(strstr(page, "box&lt;int&gt;"), "%s", page);
    cr_expect_null(strstr(page, "box<int>"));
    cr_expect(strstr(page, "<h2>Without: 23</h2>"), "%s", page);
    cr_expect(strstr(page, "<summary>22 &times; needs-problem: "), "%s", page);
    cr_expect_null(strstr(page, "<script"));
    cr_expect_null(strstr(page, "http"), "it loads nothing");
    free(page);
    program_free(&result);
    program_result input = program_run("refactor many.hip --no-verify --html many.hip");
    cr_expect_eq(input.code, 2, "a source is not overwritten: %s", input.err);
    program_free(&input);
}
