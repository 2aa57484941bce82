/* Shows whether the launches of tuned sources are exact.
 *
 *   refactor_launches [SOURCES [SEED]]
 *
 * writes sources of eight kernels each, with launches as programs have them (forms of a quotient,
 * types, variables, macros, helper functions), tunes each kernel with random configurations, and
 * compiles all tuned sources as one C++ program with overflow traps (launches.hpp). That program
 * runs every launch at sizes where 32 bits or a grid end, and compares block and grid with
 * arithmetic in 128 bits; the first and the last block are run, too. Each source makes some
 * thousand launches of the original and as many of each configuration. The exit code is 1 when one
 * is wrong. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/refactor.h"
#include "refactor/rewrite/apply.h"
#include "templates/bind.h"
#include "tests/refactor/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 8, ROUNDS = 5, TRIES = 60, SOURCES_DEFAULT = 1, BATCH = 4 };

typedef struct form {
    const char *host; /* ahead of the launch; @ is the type, # the block, ~ one less */
    const char *grid, *block;
    const char *sum; /* the type in which `add` is added to n */
    int add;         /* to the block */
    const char *count;
    char kind; /* c: rounded up; o: one block more; f: rounded down, without a guard */
} form;

static const form forms[] = {
    {"", "(n + ~) / #", "#", "@", -1, "exact", 'c'},
    {"", "(n + # - 1) / #", "#", "@", 0, "exact", 'c'},
    {"", "(n - 1) / # + 1", "#", "exact", 0, "exact", 'c'},
    {"", "n / # + (n % # != 0)", "#", "exact", 0, "exact", 'c'},
    {"", "n / # + 1", "#", "exact", 0, "exact", 'o'},
    {"", "(n + #) / #", "#", "@", 0, "exact", 'o'},
    {"", "DIV_UP(n, #)", "#", "@", 0, "exact", 'c'},
    {"", "ceil_div(n, (@)#)", "#", "@", 0, "exact", 'c'},
    {"", "(unsigned)((n + ~) / #)", "#", "@", -1, "exact", 'c'},
    {"", "(int)ceil(n / #.0)", "#", "exact", 0, "int", 'c'},
    {"", "dim3((n + ~) / #)", "dim3(#)", "@", -1, "exact", 'c'},
    {"int blocks = (n + ~) / #;", "blocks", "#", "@", -1, "int", 'c'},
    {"int blocks = n / # + (n % # != 0);", "blocks", "#", "exact", 0, "int", 'c'},
    {"int blocks = n / # + (n % # > 0 ? 1 : 0);", "blocks", "dim3(#)", "exact", 0, "int", 'c'},
    {"unsigned blocks = (n - 1) / # + 1;", "blocks", "#", "exact", 0, "unsigned", 'c'},
    {"const int threads = #;", "(n + threads - 1) / threads", "threads", "common<@, int>", 0,
     "exact", 'c'},
    {"const size_t threads = #;", "(n + threads - 1) / threads", "threads", "common<@, size_t>", 0,
     "exact", 'c'},
    {"dim3 block(#); dim3 grid((n + block.x - 1) / block.x);", "grid", "block",
     "common<@, unsigned>", 0, "exact", 'c'},
    {"dim3 block(#), grid((n + ~) / #);", "grid", "block", "@", -1, "exact", 'c'},
    {"dim3 grid{static_cast<unsigned>((n + ~) / #)};", "grid", "#", "@", -1, "exact", 'c'},
    {"auto blocks = (n + ~) / #; dim3 grid(blocks);", "grid", "#", "@", -1, "exact", 'c'},
    {"dim3 grid; grid.x = (n + ~) / #;", "grid", "#", "@", -1, "exact", 'c'},
    {"const @ m = n;", "(m + ~) / #", "#", "@", -1, "exact", 'c'},
    {"int threads = #;\n    if (getenv(\"THREADS\")) threads = atoi(getenv(\"THREADS\"));",
     "(n + threads - 1) / threads", "threads", "common<@, int>", 0, "exact", 'c'},
    {"", "n / #", "#", "exact", 0, "exact", 'f'},
    {"int blocks = n / #;", "blocks", "#", "exact", 0, "int", 'f'},
};

typedef struct subject {
    int shape; /* 0 a line, 1 a product, 2 a plane */
    const form *form;
    const char *type;
    int block[2];
    bool literal; /* the kernel has the block as a number */
} subject;

typedef struct run {
    uint64_t random;
    ht_device_fields device;
    ht_text program, cases;
    size_t rounds, applied;
} run;

static uint64_t draw(run *in, uint64_t below) {
    in->random = in->random * 6364136223846793005u + 1442695040888963407u;
    return (in->random >> 33) % below;
}

/* ---- sources */

static void put(ht_text *out, const char *text, const subject *of, const char *items) {
    for (; *text; ++text) {
        bool alone =
            *text == 'n' && !strchr("abcdefghijklmnopqrstuvwxyz_", text[1] ? text[1] : ' ');
        if (*text == '@')
            ht_text_append(out, of->type);
        else if (*text == '#')
            ht_text_printf(out, "%d", of->block[0]);
        else if (*text == '~')
            ht_text_printf(out, "%d", of->block[0] - 1);
        else if (alone && (out->length == 0 || strchr(" (", out->data[out->length - 1])))
            ht_text_append(out, items);
        else
            ht_text_printf(out, "%c", *text);
    }
}

static void put_line(ht_text *out, const subject *of, size_t i) {
    const char *items = of->shape == 1 ? "w * c" : "n";
    const char *arguments = of->shape == 1 ? "w, c" : "n";
    char *list =
        of->shape == 1 ? ht_format("%s w, %s c", of->type, of->type) : ht_format("%s n", of->type);
    char *pitch = of->literal ? ht_format("%d", of->block[0]) : ht_strdup("blockDim.x");
    bool wide = strcmp(of->type, "size_t") == 0, guarded = of->form->kind != 'f';
    ht_text_printf(out,
                   "__global__ void k%zu(const unsigned char *in, unsigned char *out, %s)\n{\n"
                   "    %s i = %sblockIdx.x * %s + threadIdx.x;\n    %s%s%s"
                   "out[i] = in[i] + 1;\n}\n"
                   "void run%zu(const unsigned char *in, unsigned char *out, %s)\n{\n    ",
                   i, list, of->type, wide ? "(size_t)" : "", pitch, guarded ? "if (i < " : "",
                   guarded ? items : "", guarded ? ")\n        " : "", i, list);
    put(out, of->form->host, of, of->shape == 1 ? "(w * c)" : items);
    ht_text_printf(out, "\n    hipLaunchKernelGGL(k%zu, ", i);
    put(out, of->form->grid, of, items);
    ht_text_append(out, ", ");
    put(out, of->form->block, of, items);
    ht_text_printf(out, ", 0, 0, in, out, %s);\n}\n\n", arguments);
    free(pitch);
    free(list);
}

static void put_plane(ht_text *out, const subject *of, size_t i) {
    subject x = *of, y = *of;
    y.block[0] = of->block[1];
    bool named = strstr(of->form->grid, "grid") != NULL;
    ht_text_printf(
        out,
        "__global__ void k%zu(const unsigned char *in, unsigned char *out, %s w, %s h)\n{\n"
        "    %s x = blockIdx.x * %s + threadIdx.x;\n    %s y = blockIdx.y * %s + threadIdx.y;\n"
        "    if (x < w && y < h)\n        out[(size_t)y * w + x] = in[(size_t)y * w + x] + 1;\n}\n"
        "void run%zu(const unsigned char *in, unsigned char *out, %s w, %s h)\n{\n    ",
        i, of->type, of->type, of->type, of->literal ? "@x" : "blockDim.x", of->type,
        of->literal ? "@y" : "blockDim.y", i, of->type, of->type);
    if (named) {
        ht_text_printf(out, "dim3 block(%d, %d);\n    dim3 grid(", of->block[0], of->block[1]);
    } else
        ht_text_printf(out, "hipLaunchKernelGGL(k%zu, dim3(", i);
    put(out, named ? "(n + ~) / #" : of->form->grid, &x, "w");
    ht_text_append(out, ", ");
    put(out, named ? "(n + ~) / #" : of->form->grid, &y, "h");
    if (named)
        ht_text_printf(out, ");\n    hipLaunchKernelGGL(k%zu, grid, block", i);
    else
        ht_text_printf(out, "), dim3(%d, %d)", of->block[0], of->block[1]);
    ht_text_append(out, ", 0, 0, in, out, w, h);\n}\n\n");
}

/* Fills in the pitches of planes, which are not known until both blocks are. */
static char *pitches_filled(char *text, const subject *list) {
    ht_text out = {0};
    size_t kernel = 0;
    for (const char *at = text; *at; ++at) {
        if (strncmp(at, "__global__ void k", 17) == 0)
            kernel = (size_t)atoi(at + 17);
        if (at[0] == '@' && (at[1] == 'x' || at[1] == 'y'))
            ht_text_printf(&out, "%d", list[kernel].block[*++at - 'x']);
        else
            ht_text_printf(&out, "%c", *at);
    }
    free(text);
    return ht_text_take(&out);
}

static char *source_make(run *in, subject list[KERNELS]) {
    static const char *const types[] = {"int", "unsigned", "size_t"};
    static const int lines[] = {64, 128, 192, 256, 512, 1024},
                     planes[][2] = {{32, 8}, {16, 16}, {64, 4}, {8, 8}, {128, 2}};
    ht_text out = {0};
    ht_text_append(&out, "#include <hip/hip_runtime.h>\n#include <cmath>\n#include <cstdlib>\n"
                         "#define DIV_UP(a, b) (((a) + (b) - 1) / (b))\n"
                         "template <typename T> static T ceil_div(T a, T b)\n{\n"
                         "    return (a + b - 1) / b;\n}\n\n");
    for (size_t i = 0; i < KERNELS; ++i) {
        subject *of = &list[i];
        of->shape = draw(in, 8) < 4 ? 0 : draw(in, 4) == 0 ? 1 : 2;
        of->type = types[draw(in, 3)];
        of->form = &forms[draw(in, sizeof forms / sizeof *forms)];
        of->literal = draw(in, 3) == 0;
        of->block[0] = lines[draw(in, 6)];
        of->block[1] = 1;
        if (of->shape == 2) {
            of->form = &forms[draw(in, 2) ? 0 : draw(in, 2) ? 6 : 18];
            memcpy(of->block, planes[draw(in, 5)], sizeof of->block);
            put_plane(&out, of, i);
        } else
            put_line(&out, of, i);
    }
    return pitches_filled(ht_text_take(&out), list);
}

/* ---- configurations */

static int64_t value_of(const ht_template *template, const ht_config *config, const char *name,
                        int64_t otherwise) {
    for (size_t i = 0; i < template->param_count; ++i)
        if (strcmp(template->params[i].name, name) == 0)
            return template->params[i].values[config->choice[i]].number;
    return otherwise;
}

static bool of_launches(const char *name) {
    return strncmp(name, "BLOCK_", 6) == 0 || strncmp(name, "COARSEN_", 8) == 0;
}

static bool draw_legal(run *in, const ht_kernel *kernel, ht_config *out) {
    const ht_template *template = kernel->template;
    const ht_problem_entry *entry = kernel->inferred ? &kernel->inferred->entries[0] : NULL;
    if (!entry || !entry->instance_count)
        return false;
    const ht_binding binding = {template, &entry->instances[0], &in->device};
    for (size_t tries = 0; tries < TRIES; ++tries) {
        bool legal = false;
        *out = ht_config_default(template);
        for (size_t i = 0; i < template->param_count; ++i)
            if (of_launches(template->params[i].name))
                out->choice[i] = (uint16_t)draw(in, template->params[i].value_count);
        if (ht_binding_legal(&binding, out, &legal, NULL, NULL) == HT_OK && legal)
            return true;
    }
    return false;
}

/* Puts "line<int, int, exact>("BLOCK_X=64", round_3::run1, ...)". */
static void put_case(run *in, const subject *of, size_t i, const ht_template *template,
                     const ht_config *config) {
    char *words = ht_config_string(template, config);
    subject plain = *of;
    ht_text sum = {0};
    put(&sum, of->form->sum, &plain, "n");
    const char *add = of->form->add ? "-1" : "";
    ht_text_printf(&in->cases, "    // round %zu, kernel %zu\n    ", in->rounds, i);
    if (of->shape == 2)
        ht_text_printf(&in->cases, "plane<%s, %s>", of->type, sum.data);
    else
        ht_text_printf(&in->cases, "%s<%s, %s, %s>", of->shape ? "product" : "line", of->type,
                       sum.data, of->form->count);
    ht_text_printf(&in->cases, "(\"k%zu %s %s\", round_%zu::run%zu, (void *)round_%zu::k%zu, ", i,
                   of->type, words, in->rounds, i, in->rounds, i);
    long long block[2] = {value_of(template, config, "BLOCK_X", of->block[0]),
                          value_of(template, config, "BLOCK_Y", of->block[1])};
    long long factor[2] = {value_of(template, config, "COARSEN_X", 1),
                           value_of(template, config, "COARSEN_Y", 1)};
    if (of->shape == 2)
        ht_text_printf(&in->cases, "{%d, %d}, {%d%s, %d%s}, {%lld, %lld}, {%lld, %lld});\n",
                       of->block[0], of->block[1], of->block[0], add, of->block[1], add, factor[0],
                       factor[1], block[0], block[1]);
    else
        ht_text_printf(&in->cases, "%d, %d%s, %lld, %lld, '%c');\n", of->block[0], of->block[0],
                       add, factor[0], block[0], of->form->kind);
    ht_text_free(&sum);
    free(words);
}

/* Puts a round, without the parts that launches.hpp has. */
static void put_round(run *in, const char *text) {
    ht_text_printf(&in->program, "namespace round_%zu {\n", in->rounds);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        if (strncmp(line, "#include", 8) != 0 && strncmp(line, "#define DIV_UP", 14) != 0)
            ht_text_append_n(&in->program, line, length);
        line += length;
    }
    ht_text_append(&in->program, "}\n");
}

/* Makes one configuration of every kernel in one text. */
static bool round_make(run *in, const ht_refactor *refactor, const subject *list) {
    ht_refactor_choice choices[KERNELS];
    size_t count = 0;
    for (size_t i = 0; i < ht_refactor_kernel_count(refactor) && i < KERNELS; ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(refactor, i);
        choices[count] = (ht_refactor_choice){.kernel = i};
        if (kernel->status == HT_KERNEL_TEMPLATED && draw_legal(in, kernel, &choices[count].config))
            ++count;
    }
    ht_applied applied;
    ht_error error = {0};
    if (ht_refactor_apply_all(refactor, choices, count, &applied, &error) != HT_OK) {
        printf("%s\n", error.message);
        return false;
    }
    put_round(in, applied.files[0].text);
    for (size_t i = 0; i < count; ++i)
        put_case(in, &list[choices[i].kernel], choices[i].kernel,
                 ht_refactor_kernel(refactor, choices[i].kernel)->template, &choices[i].config);
    in->applied += count;
    ++in->rounds;
    ht_applied_free(&applied);
    return true;
}

static bool source_try(run *in, const char *folder) {
    subject list[KERNELS];
    char *text = source_make(in, list), *path = ht_path_join(folder, "source.hip");
    char *header = ht_path_join(folder, "header");
    ht_refactor_options options = {.cache = header};
    ht_refactor *refactor = NULL;
    ht_error error = {0};
    bool done = ht_dir_make(header, &error) == HT_OK &&
                ht_file_write(path, text, strlen(text), &error) == HT_OK &&
                ht_refactor_file(path, NULL, &options, &refactor, &error) == HT_OK;
    if (!done)
        printf("%s\n", error.message);
    for (size_t i = 0; i < ROUNDS && done; ++i)
        done = round_make(in, refactor, list);
    if (!done)
        printf("%s\n", text);
    ht_refactor_free(refactor);
    free(header);
    free(path);
    free(text);
    return done;
}

/* ---- the program */

static int program_run(run *in, const char *folder) {
    ht_text all = {0};
    ht_text_printf(&all,
                   "#include \"%s/tests/refactor/launches/launches.hpp\"\n"
                   "template <class A, class B> using common = decltype(A() + B());\n"
                   "template <class T> static T ceil_div(T a, T b) { return (a + b - 1) / b; }\n"
                   "%s\nstatic void cases() {\n%s}\n",
                   HT_SOURCE_DIR, in->program.data, in->cases.data);
    char *path = ht_path_join(folder, "program.cpp"), *program = ht_path_join(folder, "program");
    char *command = ht_format("c++ -std=c++17 -O1 -w -fsanitize=signed-integer-overflow "
                              "-fsanitize-undefined-trap-on-error '%s' -o '%s' && '%s'",
                              path, program, program);
    fflush(stdout);
    int status = ht_file_write(path, all.data, all.length, NULL) == HT_OK
                     ? system(command) /* NOLINT(cert-env33-c): a command of this program's */
                     : 1;
    ht_text_free(&all);
    ht_text_free(&in->program);
    ht_text_free(&in->cases);
    free(command);
    free(program);
    free(path);
    return status;
}

int main(int argc, char **argv) {
    size_t sources = argc > 1 ? strtoul(argv[1], NULL, 10) : SOURCES_DEFAULT;
    run in = {.random = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, .device = test_gpu};
    char *folder;
    ht_error error = {0};
    if (ht_dir_temporary("launches", &folder, &error) != HT_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    int status = 0;
    for (size_t i = 0; i < sources; ++i) {
        if (!source_try(&in, folder))
            status = 1;
        if ((i + 1) % BATCH == 0 || i + 1 == sources)
            status |= program_run(&in, folder);
    }
    printf("%zu tuned launches in %zu sources\n", in.applied, sources);
    if (!getenv("HT_KEEP"))
        ht_dir_remove(folder);
    else
        printf("%s\n", folder);
    free(folder);
    return status != 0;
}
