/* Shows whether generated launchers are exact.
 *
 *   exact_launchers [ROUNDS [SEED]]
 *
 * writes launcher functions of both kinds: those that `apply` adds to a source in which nothing
 * launches the kernel, and the headers of annotated templates, for one configuration and open.
 * Grids are random forms over sizes and scalars of int, unsigned and size_t. All are compiled as
 * one C++ program with overflow traps (exact_launchers.hpp), which calls each at sizes where 32
 * bits or a grid end, and compares block, grid and shared memory with the same formulas in 128
 * bits: within the limits of devices exactly these are launched, beyond them nothing is, and an
 * error is returned. The exit code is 1 when one is wrong. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/launcher.h"
#include "refactor/refactor.h"
#include "refactor/rewrite/apply.h"
#include "refactor/rewrite/written.h"
#include "tests/refactor/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 10, ROUNDS_DEFAULT = 3, TRIES = 60 };

/* # is the block, @ the type of n and m; in template expressions n, m and r are sizes. */
typedef struct form {
    const char *grid[2], *bytes;
    const char *exact[2], *exact_bytes; /* the same in 128 bits */
    const char *items;                  /* that the kernel's guard lets through */
} form;

static const form forms[] = {
    {{"(n + # - 1) / #", "1"}, "0", {"(n + # - 1) / #", "1"}, "0", "n"},
    {{"ceil_div(n, #)", "1"}, "0", {"up(n, #)", "1"}, "0", "n"},
    {{"n / # + 1", "1"}, "0", {"n / # + 1", "1"}, "0", "n"},
    {{"ceil_div(n * m, #)", "1"}, "0", {"up(n * m, #)", "1"}, "0", "n * m"},
    {{"(m * n + # - 1) / #", "1"}, "0", {"up(n * m, #)", "1"}, "0", "n * m"},
    {{"ceil_div(n, #)", "r"}, "0", {"up(n, #)", "r"}, "0", "n"},
    {{"max(1, ceil_div(n, #))", "ceil_div(r, 8)"},
     "0",
     {"std::max<exact>(1, up(n, #))", "up(r, 8)"},
     "0",
     "n"},
    {{"min(ceil_div(n, #), 262144, m)", "1"},
     "0",
     {"least(least(up(n, #), 262144), m)", "1"},
     "0",
     "n"},
    {{"round_up(n, 4 * #) / #", "m"}, "0", {"up(n, 4 * #) * 4", "m"}, "0", "n"},
    {{"n > 4096 && m != 2 ? ceil_div(n - m, #) : m", "1"},
     "0",
     {"n > 4096 && m != 2 ? up(n - m, #) : m", "1"},
     "0",
     "n"},
    {{"ceil_div(n - 3, #) + m * (r > 7)", "1"}, "0", {"up(n - 3, #) + m * (r > 7)", "1"}, "0", "n"},
    {{"ceil_div(n, #)", "r"}, "m * sizeof(float)", {"up(n, #)", "r"}, "m * 4", "n"},
    {{"clamp(n >> 8, 1, 1 << 20)", "abs(r - m)"},
     "(n & 15) * 4",
     {"std::min<exact>(std::max<exact>(n / 256, 1), 1 << 20)", "r < m ? m - r : r - m"},
     "n % 16 * 4",
     "n"},
};

typedef struct run {
    uint64_t random;
    const char *folder;
    ht_text program, cases;
    size_t round, launchers;
} run;

static uint64_t draw(run *in, uint64_t below) {
    in->random = in->random * 6364136223846793005u + 1442695040888963407u;
    return (in->random >> 33) % below;
}

static bool is_letter(char c) {
    return strchr("abcdefghijklmnopqrstuvwxyz_", c) && c;
}

/* Returns the formula with the block's text, and its sizes with `ahead` ahead of them; free(). */
static char *put(const char *text, const char *block, const char *ahead) {
    ht_text out = {0};
    ht_text_append(&out, "");
    for (const char *at = text; *at; ++at) {
        bool alone = at == text || (!is_letter(at[-1]) && at[-1] != ':');
        if (*at == '#')
            ht_text_append(&out, block);
        else if (strchr("nmr", *at) && alone && !is_letter(at[1]))
            ht_text_printf(&out, "%s%c", ahead, *at);
        else
            ht_text_append_n(&out, at, 1);
    }
    return ht_text_take(&out);
}

static int64_t value_of(const ht_template *template, const ht_config *config, const char *name) {
    for (size_t i = 0; i < template->param_count; ++i)
        if (strcmp(template->params[i].name, name) == 0)
            return template->params[i].values[config->choice[i]].number;
    return 1;
}

/* ---- launchers in sources */

typedef struct subject {
    const form *form;
    const char *type;
    int block;
} subject;

static void subject_put(const subject *of, size_t i, ht_text *source, ht_text *problems) {
    char *block = ht_format("%d", of->block);
    char *x = put(of->form->grid[0], block, "problem."),
         *y = put(of->form->grid[1], block, "problem.");
    char *bytes = put(of->form->bytes, block, "problem.");
    ht_text_printf(source,
                   "__global__ void k%zu(const float *in, float *out, %s n, %s m)\n{\n"
                   "    %s i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "    if (i < %s)\n        out[i] = in[i] + 1;\n}\n\n",
                   i, of->type, of->type, of->type, of->form->items);
    ht_text_printf(
        problems,
        "%s{\"kernel\": \"k%zu\", \"problem\": \"p : n, m, r\", \"args\": ["
        "\"in : in float[problem.n * problem.m]\", "
        "\"out : out partial float[problem.n * problem.m]\", "
        "\"length : %s = problem.n\", \"m : %s = problem.m\"], \"block\": [\"%s\"], "
        "\"grid\": [\"%s\", \"%s\"], \"lds\": \"%s\", "
        "\"instances\": [{\"name\": \"a\", \"fields\": {\"n\": 5000, \"m\": 3, \"r\": 5}}]}",
        i ? ",\n" : "", i, of->type, of->type, block, x, y, bytes);
    free(bytes);
    free(x);
    free(y);
    free(block);
}

static void source_case(run *in, const subject *of, size_t i, const ht_template *template,
                        const ht_config *config) {
    char *block = ht_format("%d", of->block), *x = put(of->form->exact[0], block, "");
    char *y = put(of->form->exact[1], block, ""), *bytes = put(of->form->exact_bytes, block, "");
    int64_t tuned[2] = {value_of(template, config, "BLOCK_X"),
                        value_of(template, config, "BLOCK_Y")};
    if (!ht_template_param(template, "BLOCK_X"))
        tuned[0] = of->block;
    int64_t per = tuned[0] * value_of(template, config, "COARSEN_X");
    char *words = ht_config_string(template, config);
    bool held = strstr(of->form->grid[0], "r >") || strchr(of->form->grid[1], 'r');
    ht_text_printf(
        &in->cases,
        "    source<%s>(\"k%zu of source %zu: %s\", [](%s n, %s m, long long r) {\n"
        "        (void)r;\n        return source_%zu::k%zu_tuned_launch(0, 0, n, m%s);\n"
        "    }, [](exact n, exact m, exact r) {\n"
        "        return extents{{up((%s) * %d, %lld), %s}, {%lld, %lld}, %s};\n    });\n",
        of->type, i, in->round, words, of->type, of->type, in->round, i, held ? ", r" : "", x,
        of->block, (long long)per, y, (long long)tuned[0], (long long)tuned[1], bytes);
    free(words);
    free(bytes);
    free(y);
    free(x);
    free(block);
}

/* Draws a random configuration of block and outputs a thread; false: the kernel has no template. */
static bool configuration_draw(run *in, const ht_kernel *kernel, const ht_problem_entry *entry,
                               ht_config *out) {
    for (size_t tries = 0; kernel->status == HT_KERNEL_TEMPLATED && tries < TRIES; ++tries) {
        const ht_template *template = kernel->template;
        const ht_binding binding = {template, &entry->instances[0], &test_gpu};
        bool legal = false;
        *out = ht_config_default(template);
        for (size_t i = 0; i < template->param_count; ++i)
            if (strcmp(template->params[i].name, "BLOCK_X") == 0 ||
                strcmp(template->params[i].name, "COARSEN_X") == 0)
                out->choice[i] = (uint16_t)draw(in, template->params[i].value_count);
        if (ht_binding_legal(&binding, out, &legal, NULL, NULL) == HT_OK && legal)
            return true;
    }
    return false;
}

/* Puts the text without its includes, which the program has ahead of all. */
static void source_put(run *in, const char *text) {
    ht_text_printf(&in->program, "namespace source_%zu {\n", in->round);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        if (strncmp(line, "#include", 8) != 0)
            ht_text_append_n(&in->program, line, length);
        line += length;
    }
    ht_text_append(&in->program, "}\n");
}

/* Reads a source: one that could not be read again would be withheld. */
static ht_status source_read(const ht_refactor *refactor, const ht_applied *applied,
                             const ht_refactor_choice *choices, size_t count, ht_error *error) {
    ht_written *written;
    ht_status status = ht_written_open(refactor, applied, &written, error);
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        ht_written_kernel kernel;
        ht_written_kernel_read(written, choices[i].kernel, &kernel);
        bool read = !kernel.fault && kernel.launch_count == 1 && kernel.launches[0].template;
        if (!read)
            status = ht_error_set(error, HT_ERROR_INTERNAL, "a launcher is not read: %s\n%s",
                                  kernel.fault          ? kernel.fault
                                  : kernel.launch_count ? kernel.launches[0].unread
                                                        : "",
                                  applied->files[0].text);
        ht_written_kernel_free(&kernel);
    }
    ht_written_close(written);
    return status;
}

static ht_status source_apply(run *in, const ht_refactor *refactor, const ht_problem_file *problems,
                              const subject *list, ht_error *error) {
    ht_refactor_choice choices[KERNELS];
    size_t count = 0;
    for (size_t i = 0; i < ht_refactor_kernel_count(refactor) && i < KERNELS; ++i) {
        choices[count] = (ht_refactor_choice){.kernel = i};
        if (configuration_draw(in, ht_refactor_kernel(refactor, i), &problems->entries[i],
                               &choices[count].config))
            ++count;
    }
    ht_applied applied;
    ht_status status = ht_refactor_apply_all(refactor, choices, count, &applied, error);
    if (status != HT_OK)
        return status;
    status = source_read(refactor, &applied, choices, count, error);
    source_put(in, applied.files[0].text);
    for (size_t i = 0; i < count; ++i)
        source_case(in, &list[choices[i].kernel], choices[i].kernel,
                    ht_refactor_kernel(refactor, choices[i].kernel)->template, &choices[i].config);
    in->launchers += count;
    ht_applied_free(&applied);
    return status;
}

static const char *type_draw(run *in) {
    static const char *const types[] = {"int", "unsigned", "size_t"};
    return types[draw(in, 3)];
}

static ht_status source_try(run *in, ht_error *error) {
    static const int blocks[] = {64, 128, 192, 256, 512, 1024};
    subject list[KERNELS];
    ht_text source = {0}, problems = {0};
    ht_text_append(&source, "#include <hip/hip_runtime.h>\n\n");
    ht_text_append(&problems,
                   "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [\n");
    for (size_t i = 0; i < KERNELS; ++i) {
        list[i] = (subject){&forms[draw(in, sizeof forms / sizeof *forms)], type_draw(in),
                            blocks[draw(in, 6)]};
        subject_put(&list[i], i, &source, &problems);
    }
    ht_text_append(&problems, "]}\n");
    char *path = ht_path_join(in->folder, "source.hip"),
         *cache = ht_path_join(in->folder, "header");
    const ht_refactor_options options = {.cache = cache};
    ht_problem_file *file = NULL;
    ht_refactor *refactor = NULL;
    ht_status status = ht_dir_make(cache, error);
    if (status == HT_OK)
        status = ht_file_write(path, source.data, source.length, error);
    if (status == HT_OK)
        status = ht_problem_file_parse(problems.data, "source.problem.json", &file, error);
    if (status == HT_OK)
        status = ht_refactor_file(path, file, &options, &refactor, error);
    if (status == HT_OK)
        status = source_apply(in, refactor, file, list, error);
    ht_refactor_free(refactor);
    ht_problem_file_free(file);
    free(cache);
    free(path);
    ht_text_free(&source);
    ht_text_free(&problems);
    return status;
}

/* ---- launchers of templates */

static char *template_make(run *in, const form *of, const char *type, size_t i) {
    bool scalars = draw(in, 2) == 0; /* or sizes by their own names */
    char *x = put(of->grid[0], "(BLOCK * TILE)", "problem."),
         *y = put(of->grid[1], "8", "problem.");
    char *bytes = put(of->bytes, "8", "problem.");
    for (int axis = 0; axis < 2 && scalars; ++axis) {
        char **text = axis ? &y : &x, *n = ht_text_replaced(*text, "problem.n", "n");
        free(*text);
        *text = ht_text_replaced(n, "problem.m", "m");
        free(n);
    }
    char *text =
        ht_format("#pragma tune unit\n#pragma tune kernel(t%zu_%zu)\n"
                  "#pragma tune problem(p : n, m, r)\n"
                  "#pragma tune param(BLOCK : 32, 64, 128, 256, 1024 = 64)\n"
                  "#pragma tune param(TILE : 1, 2, 3, 8 = 1)\n"
                  "#pragma tune block(BLOCK, TILE) grid(%s, %s) lds(%s)\n"
                  "#pragma tune arg(in : in float[1]) arg(out : out float[1])\n"
                  "#pragma tune arg(n : %s = problem.n) arg(m : %s = problem.m)\n"
                  "template <int BLOCK, int TILE> __global__ void t%zu_%zu(const float *, float *, "
                  "%s, %s) {}\n",
                  in->round, i, x, y, bytes, type, type, in->round, i, type, type);
    free(bytes);
    free(x);
    free(y);
    return text;
}

static void template_case(run *in, const form *of, const char *type, const ht_template *template,
                          const ht_config *config, bool open) {
    long long block = (long long)value_of(template, config, "BLOCK");
    long long tile = (long long)value_of(template, config, "TILE");
    char *per = ht_format("%lld", block * tile), *x = put(of->exact[0], per, "");
    char *y = put(of->exact[1], "8", ""), *bytes = put(of->exact_bytes, "8", "");
    char *words = open ? ht_format("<%lld, %lld>", block, tile) : ht_strdup("");
    ht_text_printf(&in->cases,
                   "    annotated<%s>(\"%s of %s: BLOCK=%lld TILE=%lld%s\", [](long long n, long "
                   "long m, long long r) {\n"
                   "        %s_tuned::problem_fields problem;\n"
                   "        problem.n = n, problem.m = m, problem.r = r;\n"
                   "        return %s_tuned::launch%s(0, 0, problem);\n"
                   "    }, [](exact n, exact m, exact r) {\n"
                   "        return extents{{%s, %s}, {%lld, %lld}, %s};\n    });\n",
                   type, template->name, type, block, tile, open ? " open" : "", template->name,
                   template->name, words, x, y, block, tile, bytes);
    free(words);
    free(bytes);
    free(y);
    free(x);
    free(per);
}

static ht_status template_write(run *in, const form *of, const char *type, const char *text,
                                const ht_template *template, ht_error *error) {
    ht_problem problem;
    ht_config config = ht_config_default(template);
    const ht_device_fields device = {.max_threads = 1024};
    const ht_binding binding = {template, &problem, &device};
    ht_status status = ht_problem_parse(&template->problem, "n=5000 m=3 r=5", &problem, error);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < template->param_count; ++i)
        config.choice[i] = (uint16_t)draw(in, template->params[i].value_count);
    bool open = draw(in, 2) == 0;
    char *unit = ht_format("%s.hip", template->name), *path = ht_path_join(in->folder, unit);
    char *header = ht_launcher_write(&binding, open ? NULL : &config, unit, "A test.");
    char *header_path = ht_format("%s.hpp", path);
    status = ht_file_write(path, text, strlen(text), error);
    if (status == HT_OK)
        status = ht_file_write(header_path, header, strlen(header), error);
    ht_text_printf(&in->program, "#include \"%s.hpp\"\n", unit);
    template_case(in, of, type, template, &config, open);
    ++in->launchers;
    free(header_path);
    free(header);
    free(path);
    free(unit);
    ht_problem_free(&problem);
    return status;
}

static ht_status template_try(run *in, size_t i, ht_error *error) {
    const form *of = &forms[draw(in, sizeof forms / sizeof *forms)];
    const char *type = type_draw(in);
    char *text = template_make(in, of, type, i);
    ht_template *templates = NULL;
    size_t count = 0;
    ht_status status = ht_template_parse(text, "t.hip", &templates, &count, error);
    if (status == HT_OK)
        status = template_write(in, of, type, text, templates, error);
    ht_template_free(templates, count);
    free(text);
    return status;
}

/* ---- the program */

static int program_run(run *in) {
    char *all = ht_format("#include \"%s/tests/cli/launchers/exact_launchers.hpp\"\n%s\n"
                          "static void cases() {\n%s}\n",
                          HT_SOURCE_DIR, in->program.data, in->cases.data);
    char *path = ht_path_join(in->folder, "program.cpp"),
         *program = ht_path_join(in->folder, "program");
    char *hip = ht_path_join(in->folder, "hip"), *empty = ht_path_join(hip, "hip_runtime.h");
    char *command = ht_format("c++ -std=c++17 -O1 -w -fsanitize=signed-integer-overflow "
                              "-fsanitize-undefined-trap-on-error -I'%s' '%s' -o '%s' && '%s'",
                              in->folder, path, program, program);
    fflush(stdout);
    int status = ht_file_write(path, all, strlen(all), NULL) == HT_OK &&
                         ht_dir_make(hip, NULL) == HT_OK &&
                         ht_file_write(empty, "", 0, NULL) == HT_OK
                     ? system(command) /* NOLINT(cert-env33-c): a command of this program's */
                     : 1;
    free(command);
    free(empty);
    free(hip);
    free(program);
    free(path);
    free(all);
    return status;
}

int main(int argc, char **argv) {
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : ROUNDS_DEFAULT;
    run in = {.random = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    char *folder;
    ht_error error = {0};
    ht_status status = ht_dir_temporary("launchers", &folder, &error);
    in.folder = folder;
    ht_text_append(&in.program, "");
    for (; in.round < rounds && status == HT_OK; ++in.round) {
        status = source_try(&in, &error);
        for (size_t i = 0; i < KERNELS && status == HT_OK; ++i)
            status = template_try(&in, i, &error);
    }
    if (status != HT_OK)
        fprintf(stderr, "%s\n", error.message);
    bool good = status == HT_OK && program_run(&in) == 0;
    printf("%zu launchers\n", in.launchers);
    if (folder && !getenv("HT_KEEP"))
        ht_dir_remove(folder);
    else if (folder)
        printf("%s\n", folder);
    free(folder);
    ht_text_free(&in.program);
    ht_text_free(&in.cases);
    return !good;
}
