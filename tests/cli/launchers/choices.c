/* Shows whether exported headers choose and launch what is legal.
 *
 *   choices [PROBLEMS [SEED]]
 *
 * writes the headers of a few templates (every operator and function of the expression language, a
 * built-in family, enumerations, types, no problem at all) with random legal configurations as what
 * was tuned, compiles them as one C++ program over choices.hpp, and asks it for the choice at many
 * problems: small and huge ones, zeros, negative ones. Each answer is compared with what the
 * template's own evaluator finds: the configuration is legal, is that of the same sizes or else no
 * nearer one is legal, and its grid is launched; where nothing is legal, or a pointer is null,
 * nothing is launched and the error is hipErrorInvalidValue. The exit code is 1 when one is wrong.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/tool.h"
#include "pipeline/choice_header.h"
#include "pipeline/dispatch_header.h"
#include "pipeline/launcher.h"
#include "runtime/store/database_schema.h"
#include "tests/refactor/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, PROBLEMS_DEFAULT = 1500, TRIES = 2000, TEMPLATES = 5 };

/* The kernel's text follows from its parameters, which are long long, int, bool or types. */
static const char *const texts[TEMPLATES] = {
    "#pragma tune unit\n"
    "#pragma tune kernel(line) problem(line : n, m = 4)\n"
    "#pragma tune param(BLOCK : 32, 64, 128, 256 = 64) param(PER : 1, 2, 4, 8 = 1)\n"
    "#pragma tune block(BLOCK) grid(ceil_div(n, BLOCK * PER), max(1, problem.m))\n"
    "#pragma tune arg(n : int = problem.n) arg(x : in float[problem.n * 2])\n"
    "#pragma tune arg(y : inout float[problem.n * problem.m - problem.n])\n"
    "#pragma tune require(problem.n >= BLOCK * PER || PER == 1)\n"
    "#pragma tune require(BLOCK <= device.max_threads && problem.m % PER == 0)\n"
    "template <int BLOCK, int PER> __global__ void line(int, const float *, float *) {}\n",

    "#pragma tune unit\n"
    "#pragma tune kernel(conv) problem(conv2d)\n"
    "#pragma tune param(X : 8, 16, 32 = 16) param(TK : 1, 2, 4, 8 = 1) param(WIDE : false, true = "
    "false)\n"
    "#pragma tune block(X, 8) grid(ceil_div(problem.Q, X), ceil_div(problem.P, 8), problem.N * "
    "(problem.K / TK)) lds(problem.S * 2048 * sizeof(float) * (WIDE ? 4 : 1))\n"
    "#pragma tune require(problem.K / problem.groups % TK == 0)\n"
    "#pragma tune require(!WIDE || problem.W % 4 == 0)\n"
    "#pragma tune arg(in : in float[problem.N * problem.C * problem.H * problem.W])\n"
    "#pragma tune arg(out : out float[problem.N * problem.K * problem.P * problem.Q])\n"
    "template <int X, int TK, bool WIDE> __global__ void conv(const float *, float *) {}\n",

    "#pragma tune unit\n"
    "#pragma tune kernel(odd) problem(odd : a, b, c = 3, q := a / b, r := (a - b) % c)\n"
    "#pragma tune param(E : ROWS, COLUMNS, BOTH = ROWS) param(ACC : type float, double = float)\n"
    "#pragma tune param(S : 0..3 = 0) param(B : 1, 2, 64 = 1)\n"
    "#pragma tune arg(k : long long = max(problem.q, problem.r, 1)) arg(x : in float[16])\n"
    "#pragma tune require(E != COLUMNS || gcd(problem.a, problem.b) > 1)\n"
    "#pragma tune require(problem.a > 0 && log2(problem.a) >= S ? is_pow2(B) : clamp(problem.c, 0, "
    "9) == abs(problem.c))\n"
    "#pragma tune require((problem.a ^ problem.b | 1) != (problem.c & 7) << S)\n"
    "#pragma tune require(problem.b >> S <= problem.a || ~problem.c < -(B - 2) && min(k, B, 3) < "
    "3)\n"
    "#pragma tune require(round_up(k, sizeof(ACC)) < pow2(20 + S) * 3 - +B)\n"
    "#pragma tune require(round_up(problem.c - 9, 4) < problem.c - 5 && (problem.a << S) > -5)\n"
    "#pragma tune require(problem.a % (problem.c - 3) == 0 || problem.a != problem.b)\n"
    "#pragma tune block(B) grid(ceil_div(k, B), 1 + !problem.r) lds(sizeof(ACC) * B)\n"
    "enum { ROWS, COLUMNS, BOTH };\n"
    "template <int E, typename ACC, int S, int B> __global__ void odd(long long, const float *) "
    "{}\n",

    "#pragma tune unit\n"
    "#pragma tune kernel(alone)\n"
    "#pragma tune param(B : 64, 128 = 64) block(B) grid(7) arg(x : out float[448])\n"
    "template <int B> __global__ void alone(float *) {}\n",

    "#pragma tune unit\n"
    "#pragma tune kernel(fixed) problem(p : n)\n"
    "#pragma tune param(STEP : 1, 2 = 2) param(B : 64, 128, 256 = 128)\n"
    "#pragma tune block(B) grid(ceil_div(problem.n, B * STEP)) arg(x : out float[problem.n])\n"
    "#pragma tune require(problem.n % STEP == 0)\n"
    "template <int B> __global__ void fixed(float *) {}\n",
};

/* Allows more blocks along y and z than HIP launches. */
static ht_device_fields device;

typedef struct subject {
    ht_template *template;
    ht_choice_row rows[ROWS];
    size_t row_count;
    ht_choice_table table;
    ht_config *configs;
    size_t config_count;
} subject;

typedef struct run {
    ht_random random;
    const char *folder;
    subject subjects[TEMPLATES];
    ht_text program, asked, answers;
    size_t problems, compared, launched, wrong;
} run;

/* Small ones, those at which 32 bits and grids end, and those at which 64 bits do. */
static const int64_t values[] = {0,         1,          2,
                                 3,         4,          5,
                                 7,         8,          12,
                                 16,        28,         30,
                                 56,        64,         100,
                                 224,       1000,       4096,
                                 5000,      65536,      1 << 24,
                                 INT32_MAX, 2147483648, 3000000000,
                                 1LL << 40, 1LL << 62,  (1LL << 61) + 1,
                                 -7,        -64,        INT64_MAX,
                                 INT64_MIN, -1};
enum { VALUES = sizeof values / sizeof *values, SMALL = 17, EXTREME = 7 };

/* Draws a problem: mostly small sizes; of `wild` any. False: they are not those of one. */
static bool problem_draw(run *in, const ht_template *template, bool wild, ht_problem_value *given,
                         size_t *out_count, ht_problem *out) {
    const ht_problem_spec *spec = &template->problem;
    bool all = wild && ht_random_below(&in->random, 6) == 0;
    *out_count = 0;
    for (size_t i = 0; i < spec->field_count; ++i) {
        if (spec->fields[i].kind == HT_FIELD_DERIVED)
            continue;
        bool any = all || (wild && ht_random_below(&in->random, 4) == 0);
        bool one = strchr("NGp", spec->fields[i].name[0]) || strchr(spec->fields[i].name, '_') ||
                   strcmp(spec->fields[i].name, "groups") == 0;
        size_t most = any ? VALUES : one && spec->builtin ? 3 : SMALL, first = 0;
        if (any && (all || ht_random_below(&in->random, 3) == 0))
            first = VALUES - EXTREME;
        else if (!any && spec->builtin)
            first = 1;
        given[(*out_count)++] = (ht_problem_value){
            spec->fields[i].name, values[first + ht_random_below(&in->random, most - first)]};
    }
    *out = (ht_problem){0};
    return ht_problem_make(spec, "", given, *out_count, (ht_place){0}, out, NULL) == HT_OK;
}

/* Asks the template's own evaluator. */
static bool is_legal(const ht_template *template, const ht_problem *problem,
                     const ht_config *config) {
    const ht_binding binding = {template, problem, &device};
    bool legal = false;
    if (ht_binding_legal(&binding, config, &legal, NULL, NULL) != HT_OK || !legal)
        return false;
    for (size_t i = 0; i < template->arg_count; ++i) {
        int64_t elements;
        if (template->args[i].extent &&
            ht_binding_extent(&binding, config, &template->args[i], &elements, NULL) != HT_OK)
            return false;
    }
    return true;
}

static bool row_draw(run *in, const ht_template *template, ht_choice_row *out) {
    ht_problem_value given[64];
    size_t count;
    for (size_t tries = 0; tries < TRIES; ++tries) {
        bool made = problem_draw(in, template, false, given, &count, &out->problem);
        out->config = ht_config_default(template);
        for (size_t i = 0; i < template->param_count; ++i)
            if (template->params[i].binding != HT_BIND_MACRO)
                out->config.choice[i] =
                    (uint16_t)ht_random_below(&in->random, template->params[i].value_count);
        if (made && is_legal(template, &out->problem, &out->config))
            return true;
        ht_problem_free(&out->problem);
    }
    return false;
}

static void file_put(const run *in, const char *name, const char *text) {
    char *path = ht_path_join(in->folder, name);
    ht_error error;
    if (ht_file_write(path, text, strlen(text), &error) != HT_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(2);
    }
    free(path);
}

/* Puts a function that reads sizes, prints the choice and launches. */
static void case_put(run *in, const subject *of, size_t number) {
    const ht_problem_spec *spec = &of->template->problem;
    const char *name = of->template->name;
    ht_text_printf(&in->program, "#include \"%s.dispatch.hpp\"\n", name);
    ht_text_printf(&in->program, "static void ask_%zu(long long null) {\n", number);
    if (spec->name)
        ht_text_printf(&in->program, "    %s_tuned::problem_fields problem;\n", name);
    for (size_t i = 0; i < spec->field_count; ++i)
        if (spec->fields[i].kind != HT_FIELD_DERIVED)
            ht_text_printf(&in->program,
                           "    if (scanf(\"%%lld\", &problem.%s) != 1)\n        exit(2);\n",
                           spec->fields[i].name);
    ht_text_printf(&in->program, "    int choice = %s_choice::choose(%s_choice::%s);\n", name, name,
                   spec->name ? "fields_from(problem)" : "problem_fields()");
    ht_text_printf(&in->program, "    print(choice, %s_dispatch::launch(", name);
    const char *buffer = "null ? nullptr : buffer";
    for (size_t i = 0; i < of->template->arg_count; ++i) {
        if (!of->template->args[i].extent)
            continue;
        ht_text_append(&in->program, buffer);
        buffer = ", buffer";
    }
    ht_text_printf(&in->program, "%s));\n}\n", spec->name ? ", problem" : "");
}

static void subject_make(run *in, size_t number) {
    subject *of = &in->subjects[number];
    ht_error error;
    size_t count;
    if (ht_template_parse(texts[number], "choices", &of->template, &count, &error) != HT_OK) {
        fprintf(stderr, "template %zu: %d:%d: %s\n", number, error.line, error.column,
                error.message);
        exit(2);
    }
    while (of->row_count < ROWS && row_draw(in, of->template, &of->rows[of->row_count]))
        ++of->row_count;
    of->table = (ht_choice_table){of->template, &device, of->rows, of->row_count, "A test."};
    of->configs = ht_choice_configs(&of->table, &of->config_count);
    const char *name = of->template->name;
    const ht_binding binding = {of->template, &of->rows[0].problem, &device};
    char *names[] = {ht_format("%s.choice.hpp", name), ht_format("%s.launch.hpp", name),
                     ht_format("%s.dispatch.hpp", name), ht_format("%s.hip", name)};
    char *made[] = {ht_choice_header(&of->table),
                    ht_launcher_write(&binding, NULL, names[3], "A test."),
                    ht_dispatch_header(&of->table, names[0], names[1])};
    for (size_t i = 0; i < 3; ++i) {
        file_put(in, names[i], made[i]);
        free(made[i]);
    }
    file_put(in, names[3], texts[number]);
    for (size_t i = 0; i < 4; ++i)
        free(names[i]);
    case_put(in, of, number);
}

static void complain(run *in, const subject *of, const char *problem, const char *answer,
                     const char *why) {
    if (++in->wrong <= 20)
        printf("%s, %s: %s: answer %.*s\n", of->template->name, problem, why,
               (int)strcspn(answer, "\n"), answer);
}

/* Returns why the choice is not the one that it should be; NULL: it is. */
static const char *choice_fault(const subject *of, const ht_problem *problem, int choice) {
    const ht_problem_spec *spec = &of->template->problem;
    char *text = spec->name ? ht_problem_string(spec, problem) : ht_strdup("");
    double own = 1e300, nearest = 1e300; /* of rows with the chosen configuration, of legal rows */
    const ht_config *exact = NULL;
    for (size_t i = 0; i < of->row_count; ++i) {
        if (!is_legal(of->template, problem, &of->rows[i].config))
            continue;
        char *other = spec->name ? ht_problem_string(spec, &of->rows[i].problem) : ht_strdup("");
        double away = ht_problem_distance(text, other);
        if (!exact && strcmp(text, other) == 0)
            exact = &of->rows[i].config;
        nearest = away < nearest ? away : nearest;
        if (choice >= 0 && ht_config_equal(&of->rows[i].config, &of->configs[choice]) && away < own)
            own = away;
        free(other);
    }
    free(text);
    ht_config plain = ht_config_default(of->template);
    if (choice < 0)
        return nearest < 1e300 || is_legal(of->template, problem, &plain) ? "something is legal"
                                                                          : NULL;
    if ((size_t)choice >= of->config_count ||
        !is_legal(of->template, problem, &of->configs[choice]))
        return "the choice is not legal";
    if (exact)
        return ht_config_equal(exact, &of->configs[choice])
                   ? NULL
                   : "it is not the one tuned for these sizes";
    if (nearest == 1e300)
        return ht_config_equal(&plain, &of->configs[choice]) ? NULL : "it is not the default";
    return own > nearest + 1e-9 ? "a nearer one is legal" : NULL;
}

/* Returns true if the kernel's int holds its value. */
static bool scalars_fit(const ht_binding *binding, const ht_config *config) {
    for (size_t i = 0; i < binding->template->arg_count; ++i) {
        const ht_arg *arg = &binding->template->args[i];
        int64_t value;
        if (strcmp(arg->type, "int") == 0 && !arg->extent &&
            ht_binding_evaluate(binding, config, arg->values[0], &value, NULL) == HT_OK &&
            (value > INT32_MAX || value < INT32_MIN))
            return false;
    }
    return true;
}

typedef struct answer {
    int choice, error, launches;
    unsigned grid[3], block[3];
    size_t bytes;
} answer;

static const char *launch_fault(const subject *of, const ht_problem *problem, bool null,
                                const answer *got) {
    bool refused = got->error != 0 && got->launches == 0;
    if (got->choice < 0 || null)
        return refused && got->error == 1 ? NULL : "it is not refused";
    const ht_config *config = &of->configs[got->choice];
    const ht_binding binding = {of->template, problem, &device};
    ht_geometry wanted;
    if (!scalars_fit(&binding, config))
        return refused && got->error == 1 ? NULL : "a scalar that does not fit is not refused";
    if (ht_binding_geometry(&binding, config, &of->template->launches[0], &wanted, NULL) != HT_OK)
        return "there is no geometry";
    if (wanted.grid[1] > 65535 || wanted.grid[2] > 65535)
        return refused && got->error == 1 ? NULL : "a grid that HIP does not launch is not refused";
    bool same = memcmp(wanted.grid, got->grid, sizeof wanted.grid) == 0 &&
                memcmp(wanted.block, got->block, sizeof wanted.block) == 0 &&
                wanted.lds == got->bytes;
    return got->error == 0 && got->launches == 1 && same ? NULL : "it launches something else";
}

/* Asks for, or (`compare`) checks the answer to, one drawn problem. */
static const char *problem_visit(run *in, size_t number, bool compare, const char *at) {
    const subject *of = &in->subjects[number];
    ht_problem_value given[64];
    ht_problem problem = {0};
    size_t count = 0;
    bool row = ht_random_below(&in->random, 8) == 0 && of->template->problem.name;
    bool null = ht_random_below(&in->random, 8) == 0;
    bool made = problem_draw(in, of->template, true, given, &count, &problem);
    if (row) {
        ht_problem_free(&problem);
        ht_problem_copy(&of->rows[ht_random_below(&in->random, of->row_count)].problem, &problem);
        for (size_t i = 0; i < count; ++i)
            ht_problem_get(&problem, given[i].name, &given[i].value);
        made = true;
    }
    ht_text text = {0};
    ht_text_append(&text, "");
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&text, " %" PRId64, given[i].value);
    if (!compare) {
        ht_text_printf(&in->asked, "%zu %d%s\n", number, null, text.data);
    } else {
        answer got = {0};
        int read = sscanf(at, "%d %d %d %u %u %u %u %u %u %zu", &got.choice, &got.error,
                          &got.launches, &got.grid[0], &got.grid[1], &got.grid[2], &got.block[0],
                          &got.block[1], &got.block[2], &got.bytes);
        const char *fault = read != 10 ? "there is no answer" : NULL;
        if (!fault && !made && got.choice >= 0)
            fault = "sizes of no problem have a choice";
        if (!fault && made)
            fault = choice_fault(of, &problem, got.choice);
        if (!fault)
            fault = launch_fault(of, made ? &problem : NULL, null, &got);
        if (fault)
            complain(in, of, text.data, at, fault);
        in->launched += (size_t)got.launches;
        ++in->compared;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    ht_text_free(&text);
    if (made)
        ht_problem_free(&problem);
    return at;
}

static void problems_visit(run *in, uint64_t seed, bool compare) {
    const char *at = in->answers.data;
    ht_random_seed(&in->random, seed);
    for (size_t i = 0; i < in->problems; ++i)
        for (size_t number = 0; number < TEMPLATES; ++number)
            at = problem_visit(in, number, compare, at);
}

/* Compiles the program and has it answer. */
static bool program_run(run *in) {
    ht_text_append(&in->program, "int main() {\n    void (*const ask[])(long long) = {");
    for (size_t i = 0; i < TEMPLATES; ++i)
        ht_text_printf(&in->program, "ask_%zu, ", i);
    ht_text_append(&in->program, "};\n    long long number, null;\n"
                                 "    while (scanf(\"%lld %lld\", &number, &null) == 2)\n"
                                 "        ask[number](null);\n}\n");
    file_put(in, "choices.cpp", in->program.data);
    file_put(in, "asked", in->asked.data);
    char *command =
        ht_format("cd %s && mkdir -p hip && cp '" HT_SOURCE_DIR
                  "/tests/cli/launchers/choices.hpp' hip/hip_runtime.h && "
                  "c++ -std=c++20 -O0 -Wall -Werror -Wno-parentheses -Wno-unknown-pragmas -I. "
                  "-fsanitize=undefined -fno-sanitize-recover=undefined "
                  "-include hip/hip_runtime.h choices.cpp -o choices && ./choices <asked",
                  in->folder);
    const char *arguments[] = {"sh", "-c", command, NULL};
    const ht_tool_call call = {.arguments = arguments, .seconds = 120};
    ht_error error;
    int code = -1;
    bool good = ht_tool_run(&call, &in->answers, &code, &error) == HT_OK && code == 0;
    if (!good)
        printf("the program does not compile or run (%d): %s\n", code,
               in->answers.data ? in->answers.data : error.message);
    free(command);
    return good;
}

int main(int argc, char **argv) {
    run in = {.problems = argc > 1 ? strtoull(argv[1], NULL, 10) : PROBLEMS_DEFAULT};
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    char *folder = NULL;
    ht_error error;
    if (ht_dir_temporary("choices", &folder, &error) != HT_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    in.folder = folder;
    device = test_gpu;
    device.max_grid_y = device.max_grid_z = 1 << 20;
    ht_random_seed(&in.random, seed + 1000);
    for (size_t i = 0; i < TEMPLATES; ++i)
        subject_make(&in, i);
    problems_visit(&in, seed, false);
    bool good = program_run(&in);
    if (good)
        problems_visit(&in, seed, true);
    printf("%zu problems, %zu launches, %zu wrong\n", in.compared, in.launched, in.wrong);
    ht_dir_remove(folder);
    for (size_t i = 0; i < TEMPLATES; ++i) {
        for (size_t row = 0; row < in.subjects[i].row_count; ++row)
            ht_problem_free(&in.subjects[i].rows[row].problem);
        ht_template_free(in.subjects[i].template, 1);
        free(in.subjects[i].configs);
    }
    ht_text_free(&in.program);
    ht_text_free(&in.asked);
    ht_text_free(&in.answers);
    free(folder);
    return !good || in.wrong || !in.launched;
}
