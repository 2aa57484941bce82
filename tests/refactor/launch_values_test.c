/* The values that reach a launch: elements, variables that are set again, grids that grow. */
#include "launch_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* ---- arrays whose elements are assigned ---- */

typedef struct host_case {
    const char *what, *host;
    bool known; /* a block of 64 threads */
} host_case;

static const host_case element_cases[] = {
    {"each once",
     "  size_t block[2], grid[1];\n  block[0] = 64;\n  block[1] = 1;\n"
     "  grid[0] = (n + 63) / block[0];\n  k<<<dim3(grid[0]), dim3(block[0], block[1])>>>(a, b, "
     "n);\n",
     true},
    {"again behind the launch",
     "  int block[1];\n  block[0] = 64;\n  k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n"
     "  block[0] = 32;\n",
     true},
    {"again ahead of the launch",
     "  int block[1];\n  block[0] = 32;\n  block[0] = 64;\n"
     "  k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n",
     true},
    {"from a variable that changes before the grid is computed",
     "  int block[1] = {8}, threads = 64;\n  block[0] = threads;\n  threads = 32;\n"
     "  k<<<(n + threads - 1) / threads, block[0]>>>(a, b, n);\n",
     true},
    {"from a variable that an if changes before the grid is computed",
     "  int block[1] = {8}, threads = 64;\n  block[0] = threads;\n  if (n > 9) threads = 32;\n"
     "  k<<<(n + threads - 1) / threads, block[0]>>>(a, b, n);\n",
     true},
    {"from a variable that changes in ways not followed before the grid is computed",
     "  int block[1] = {8}, threads = 64;\n  block[0] = threads;\n  while (n > 9) threads = --n;\n"
     "  k<<<(n + threads - 1) / threads, block[0]>>>(a, b, n);\n",
     false},
    {"under a condition",
     "  int block[1];\n  block[0] = 64;\n  if (n > 5000) block[0] = 32;\n"
     "  k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n",
     false},
    {"in a loop around the launch",
     "  int block[1];\n  block[0] = 64;\n  for (int i = 0; i < 2; ++i) {\n"
     "    k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n    block[0] = 32;\n  }\n",
     false},
    {"by a function",
     "  int block[1];\n  block[0] = 64;\n  fill(block);\n"
     "  k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n",
     false},
    {"in an array that stays from call to call",
     "  static int block[1];\n  k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n  block[0] = 64;\n",
     false},
};

#define FUNCTIONS                                                                                  \
    "void fill(int *);\nvoid set(dim3 &);\n"                                                       \
    "int rounded(int a, int b) {\n  int r = a % b;\n  if (r == 0)\n    return a;\n"                \
    "  else {\n    return a + b - r;\n  }\n}\n"                                                    \
    "int least(int a) {\n  if (a < 64) return 64;\n  return a;\n}\n"                               \
    "int other(int a) {\n  if (a < 64) a = 64;\n  return a;\n}\n"                                  \
    "int loops(int a) {\n  if (a < 64) for (;;) return 64;\n  return a;\n}\n"

static void expect_blocks(const host_case *of, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        char source[2048];
        snprintf(source, sizeof source, "%svoid run(const float *a, float *b, int n) {\n%s}\n",
                 HEAD MAP("k", "float") FUNCTIONS, of[i].host);
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(source, problem, &problems);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        bool known = kernel->template && strstr(kernel->template->unit, "param(BLOCK_X : ") != NULL;
        known = known && strstr(kernel->template->unit, "1024 = 64)") != NULL;
        cr_expect_eq(known, of[i].known, "%s: %s", of[i].what,
                     kernel->reason ? kernel->reason : "templated");
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}

Test(launch, elements_that_are_assigned_one_by_one) {
    expect_blocks(element_cases, sizeof element_cases / sizeof *element_cases);
}

/* ---- variables that are set again for each launch ---- */

static const host_case reaching_cases[] = {
    {"fields of a dim3, again ahead of the launch",
     "  dim3 block(1, 1, 1), grid(1);\n  block.x = 32;\n  block.x = 64;\n"
     "  grid.x = n / block.x + 1;\n  k<<<grid, block>>>(a, b, n);\n",
     true},
    {"the whole dim3, then a field of another axis, and all of it after the launch",
     "  dim3 block(8), grid;\n  block = dim3(64);\n  block.y = 1;\n  grid = dim3(n / 64 + 1);\n"
     "  k<<<grid, block>>>(a, b, n);\n  block.x = 32;\n",
     true},
    {"ahead of a loop around the launch, and in another loop",
     "  dim3 block(8);\n  for (int i = 0; i < 3; ++i) block.x = i;\n  block.x = 64;\n"
     "  for (int i = 0; i < 3; ++i) k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     true},
    {"a number",
     "  int threads = 32;\n  threads = 64;\n  k<<<(n + threads - 1) / threads, threads>>>(a, b, "
     "n);\n  threads = 128;\n",
     true},
    {"by a function that returns one of two values",
     "  k<<<rounded(n, 64) / 64, rounded(40, 64)>>>(a, b, n);\n", true},
    {"by one that may return early", "  k<<<(n + 63) / 64, least(7)>>>(a, b, n);\n", true},
    {"by one that sets its argument", "  k<<<(n + 63) / 64, other(7)>>>(a, b, n);\n", false},
    {"by one that loops", "  k<<<(n + 63) / 64, loops(7)>>>(a, b, n);\n", false},
    {"in the branch of the launch",
     "  dim3 block(8);\n  if (n > 1000) {\n    block.x = 64;\n"
     "    k<<<(n + 63) / 64, block>>>(a, b, n);\n  } else\n    block.x = 16;\n",
     true},
    {"after the launch in a loop around it",
     "  dim3 block(64);\n  for (int i = 0; i < 3; ++i) {\n"
     "    k<<<(n + 63) / 64, block>>>(a, b, n);\n    block.x = 32;\n  }\n",
     false},
    {"under a condition",
     "  dim3 block(64);\n  block.x = 64;\n  if (n > 5000) block.x = 32;\n"
     "  k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     false},
    {"by a function",
     "  dim3 block(64);\n  block.x = 64;\n  set(block);\n  k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     false},
    {"by a lambda that is called later",
     "  dim3 block(64);\n  auto less = [&] { block.x = 32; };\n  block.x = 64;\n  less();\n"
     "  k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     false},
    {"by a pointer",
     "  dim3 block(64);\n  dim3 *at = &block;\n  block.x = 64;\n  at->x = 32;\n"
     "  k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     false},
    {"in one case of a switch",
     "  dim3 block(32);\n  switch (n) {\n  case 1:\n    block.x = 64;\n  default:\n"
     "    k<<<(n + 63) / 64, block>>>(a, b, n);\n  }\n",
     false},
    {"past a label",
     "  dim3 block(32);\n  if (n > 7) goto on;\n  block.x = 64;\non:\n"
     "  k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     false},
};

Test(launch, variables_that_are_set_again_have_the_value_that_reaches_the_launch) {
    expect_blocks(reaching_cases, sizeof reaching_cases / sizeof *reaching_cases);
}

/* ---- grids that an `if` makes larger ---- */

typedef struct enlarged_case {
    const char *host; /* up to the launch */
    const char *grid; /* of the template; NULL: the launch is not followed */
} enlarged_case;

#define ROUNDED_UP "grid(ceil_div(n, BLOCK_X * COARSEN_X))"
static const enlarged_case enlarged_cases[] = {
    {"  dim3 grid(n / 256);\n  if (n % 256 != 0) grid.x += 1;\n", ROUNDED_UP},
    {"  dim3 grid(n / 256);\n  if (n % 256) { grid.x++; }\n", ROUNDED_UP},
    {"  int grid = n / 256;\n  if (n % 256 > 0) grid = grid + 1;\n", ROUNDED_UP},
    {"  int grid = n / 256;\n  if (grid * 256 < n)\n    ++grid;\n", ROUNDED_UP},
    {"  int threads = 256, grid = n / threads;\n  if (threads * grid < n) grid++;\n", ROUNDED_UP},
    {"  int grid;\n  if (n % 256) grid = n / 256 + 1; else grid = n / 256;\n", ROUNDED_UP},
    /* real numbers that are whole */
    {"  int grid = (int)ceil((double)n * 3 / 256);\n", "grid(ceil_div(n * 3, 256))"},
    {"  int grid = ceil((double)n / 256) * 3;\n", "(ceil_div(n, 256) * 3)"},
    /* other conditions and steps keep their meaning */
    {"  int grid = n / 256;\n  if (n % 128) grid++;\n", "(n % 128 ? n / 256 + 1 : n / 256) * 256"},
    {"  int grid = n / 256;\n  if (n % 256) grid += 2;\n",
     "(n % 256 ? n / 256 + 2 : n / 256) * 256"},
    {"  int grid = n / 256;\n  if (grid * 128 < n) grid++;\n",
     "(n / 256 * 128 < n ? n / 256 + 1 : n / 256) * 256"},
    {"  int grid = n / 256;\n  grid += 3;\n", "(n / 256 + 3) * 256"},
    /* what is not followed */
    {"  int grid = n / 256;\n  while (grid * 256 < n) grid++;\n", NULL},
    {"  int grid = n / 256;\n  if (n % 256) { grid++; grid *= 2; }\n", NULL},
    {"  int grid = n / 256;\n  if (n % 256) raise(grid);\n", NULL},
    {"  int grid = n / 256;\n  if (n % 256) grid++;\n  n -= 5;\n", NULL},
};

Test(launch, a_grid_that_an_if_enlarges_is_followed) {
    for (size_t i = 0; i < sizeof enlarged_cases / sizeof *enlarged_cases; ++i) {
        char source[2048];
        snprintf(source, sizeof source,
                 "%svoid raise(int &);\nvoid run(const float *a, float *b, int n) {\n%s"
                 "  k<<<grid, 256>>>(a, b, n);\n}\n",
                 HEAD MAP("k", "float"), enlarged_cases[i].host);
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(source, problem, &problems);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        if (enlarged_cases[i].grid) {
            cr_assert(kernel->template, "%s: %s", enlarged_cases[i].host, kernel->reason);
            cr_expect(strstr(kernel->template->unit, enlarged_cases[i].grid), "%s: %s",
                      enlarged_cases[i].host, kernel->template->unit);
        } else
            cr_expect(!kernel->template || !strstr(kernel->template->unit, " ? "), "%s: %s",
                      enlarged_cases[i].host, kernel->template->unit);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}

/* A method's launch reads the object's fields, unless the method may change them first. */
Test(launch, a_grid_set_axis_by_axis_may_name_fields_of_the_object) {
    static const char *const hosts[] = {
        "void Image::run() {\n%s  k<<<grid, 256>>>(a, b, n);\n}\n",
        "Image::Image() {\n%s  k<<<grid, 256>>>(a, b, n);\n}\n",
        "void Image::run() {\n%s  resize();\n  k<<<grid, 256>>>(a, b, n);\n}\n",
        "void Image::run() {\n%s  n = 5;\n  k<<<grid, 256>>>(a, b, n);\n}\n"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        char host[1024], source[2048];
        snprintf(host, sizeof host, hosts[i],
                 "  dim3 grid;\n  grid.x = 8;\n  grid.x = (n + 255) / 256;\n");
        snprintf(source, sizeof source,
                 "%sstruct Image { Image(); const float *a; float *b; int n; void run(); void "
                 "resize(); };\n%s",
                 HEAD MAP("k", "float"), host);
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(source, problem, &problems);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        bool found =
            kernel->template && strstr(kernel->template->unit, "grid((problem.N + 255) / 256)");
        cr_expect_eq(found, i < 2, "%s: %s", host,
                     kernel->template ? kernel->template->unit : kernel->reason);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}

/* A grid that is set again, computed from a variable, is not that of the variable after it
 * changed. */
Test(launch, a_value_is_read_only_while_the_names_in_it_keep_theirs) {
    static const char *const hosts[] = {
        "  dim3 grid;\n  grid.x = 8;\n  grid.x = n / 256 + 1;\n  k<<<grid, 256>>>(a, b, n);\n  n = "
        "7;\n",
        "  n = n * 2;\n  dim3 grid;\n  grid.x = 8;\n  grid.x = n / 256 + 1;\n  k<<<grid, 256>>>(a, "
        "b, n);\n",
        "  dim3 grid;\n  grid.x = 8;\n  grid.x = n / 256 + 1;\n  n = 7;\n  k<<<grid, 256>>>(a, b, "
        "n);\n",
        "  dim3 grid;\n  grid.x = 8;\n  int *at = &n;\n  grid.x = n / 256 + 1;\n  *at = 7;\n"
        "  k<<<grid, 256>>>(a, b, n);\n"};
    const bool known[] = {false, true, false, false};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        char source[2048];
        snprintf(source, sizeof source, "%svoid run(const float *a, float *b, int n) {\n%s}\n",
                 HEAD MAP("k", "float"), hosts[i]);
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(source, problem, &problems);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        bool found = kernel->template && strstr(kernel->template->unit, "grid(n / 256 + 1)");
        cr_expect_eq(found, known[i], "%s: %s", hosts[i],
                     kernel->template ? kernel->template->unit : kernel->reason);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}
