/* verify_mutants [PART/PARTS [SOURCE...]]: takes the templates that the pass makes of sources
 * (tests/refactor/sources and examples/kernels without any), puts faults into the parameterized
 * kernel, one at a time, and verifies: each barrier deleted, each guard weakened by one, each
 * subscript off by one. Fails when one is not caught that is not known to change nothing, or when a
 * template without a fault is not clean. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/input.h"
#include "runtime/job.h"
#include "runtime/verify.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 11, CONFIGURATIONS = 32 };

/* Faults that change nothing: in which kernel (NULL: any), a piece of the line where they are, and
 * why. */
static const struct equivalent {
    const char *kernel, *line, *why;
} equivalents[] = {
    {"batch_first", "if (h < Ho && w < Wo)", "it is known for one size, a multiple of its blocks"},
    {"jacobi", "no output of the block", "no block ends with the first row or column"},
    {NULL, "if (VECTOR_", "one at once is one after the other"},
    {NULL, "gridDim.y < 65536", "no grid is so large that counting its blocks overflows"},
    {NULL, NULL, NULL},
};

typedef struct fault {
    const char *what;
    size_t at, length; /* of the text replaced */
    const char *by;
} fault;

typedef struct faults {
    fault *items;
    size_t count;
} faults;

typedef struct subject {
    const char *source;
    const ht_kernel *kernel;
    const ht_problem *instance;
    ht_device device;
} subject;

typedef struct tally {
    size_t part, parts, number, tried, caught, equivalent, uncompiled, survived, unclean;
} tally;

/* ---- faults
 * --------------------------------------------------------------------------------------------------
 */

static void add(faults *list, const char *what, size_t at, size_t length, const char *by) {
    HT_GROW(list->items, list->count);
    list->items[list->count++] = (fault){what, at, length, by};
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The body of the kernel, braces included: of the definition of this very name. */
static bool body_find(const char *unit, const char *qualified, size_t *out_begin, size_t *out_end) {
    const char *colon = strrchr(qualified, ':'), *name = colon ? colon + 1 : qualified;
    size_t length = strlen(name);
    for (const char *at = unit; (at = strstr(at, name)) != NULL; at += length) {
        const char *line = at;
        while (line > unit && line[-1] != '\n')
            --line;
        const char *open = at + length + strspn(at + length, " ");
        if (*line == '#' || *open != '(' || (at > unit && is_word(at[-1])))
            continue;
        const char *begin = strpbrk(open, "{;");
        int depth = 0;
        if (!begin || *begin == ';')
            continue;
        for (const char *end = begin; *end; ++end) {
            depth += (*end == '{') - (*end == '}');
            if (depth == 0) {
                *out_begin = (size_t)(begin - unit);
                *out_end = (size_t)(end + 1 - unit);
                return true;
            }
        }
    }
    return false;
}

static void guards_find(const char *unit, size_t begin, size_t end, faults *list) {
    for (size_t at = begin; at < end; ++at) {
        if (strncmp(unit + at, "if", 2) != 0 || is_word(unit[at - 1]) || is_word(unit[at + 2]))
            continue;
        size_t open = at + 2 + strspn(unit + at + 2, " ");
        int depth = 0;
        for (size_t i = open; i < end && (depth > 0 || i == open); ++i) {
            depth += (unit[i] == '(') - (unit[i] == ')');
            bool twice = unit[i + 1] == unit[i] || unit[i - 1] == unit[i] || unit[i - 1] == '-';
            bool equal = unit[i + 1] == '=';
            if (unit[i] == '<' && !twice)
                add(list, "guard weakened", i, equal ? 2 : 1, equal ? "<= 1 +" : "<=");
            else if (unit[i] == '>' && !twice)
                add(list, "guard weakened", i, equal ? 2 : 1, equal ? ">" : "> 1 +");
        }
    }
}

/* `float tile[...]`: nothing but words from the statement's begin to the bracket. */
static bool is_declaration(const char *unit, size_t bracket) {
    size_t words = 0, line = bracket;
    while (line > 0 && !strchr("\n;{}", unit[line - 1]))
        --line;
    line += strspn(unit + line, " \t");
    if (strncmp(unit + line, "__shared__", strlen("__shared__")) == 0)
        return true;
    for (size_t at = bracket; at > 0; --at) {
        char c = unit[at - 1];
        if (strchr(";{}", c))
            break;
        if (!is_word(c) && !isspace((unsigned char)c) && !strchr("*[]+-", c))
            return false;
        words += is_word(c) && !is_word(unit[at - 2]);
    }
    return words > 1 && unit[bracket - 1] != ' ';
}

static void subscripts_find(const char *unit, size_t begin, size_t end, faults *list) {
    for (size_t at = begin; at < end; ++at) {
        if (unit[at] != '[' || is_declaration(unit, at))
            continue;
        int depth = 0;
        for (size_t i = at; i < end; ++i) {
            depth += (unit[i] == '[') - (unit[i] == ']');
            if (depth == 0) {
                add(list, "subscript off by one", i, 0, " + 1");
                break;
            }
        }
    }
}

static void faults_find(const char *unit, size_t begin, size_t end, faults *list) {
    static const char barrier[] = "__syncthreads()";
    for (const char *at = unit + begin; (at = strstr(at, barrier)) && at < unit + end; ++at)
        add(list, "barrier deleted", (size_t)(at - unit), strlen(barrier), "");
    guards_find(unit, begin, end, list);
    subscripts_find(unit, begin, end, list);
}

/* ---- verification
 * -------------------------------------------------------------------------------------------- */

static ht_status verify(const subject *of, const char *unit, ht_verify_result *out,
                        ht_error *error) {
    ht_template *templates = NULL;
    size_t count = 0;
    const ht_verify_options options = {.seed = SEED,
                                       .configurations = CONFIGURATIONS,
                                       .reassociates = of->kernel->reassociates,
                                       .rounds = of->kernel->rounds,
                                       .compile_workers = 1,
                                       .unreduced = true};
    ht_status status = ht_template_parse(unit, of->source, &templates, &count, error);
    if (status == HT_OK)
        status = ht_verify(&templates[0], of->instance, &of->device, &options, out, error);
    ht_template_free(templates, count);
    return status;
}

static void line_print(const char *unit, size_t at) {
    size_t begin = at;
    while (begin > 0 && unit[begin - 1] != '\n')
        --begin;
    begin += strspn(unit + begin, " \t");
    printf("\"%.*s\" at %zu", (int)strcspn(unit + begin, "\n"), unit + begin, at - begin);
}

static bool is_joint(const char *unit, size_t at) {
    return strncmp(unit + at, "&&", 2) == 0 || strncmp(unit + at, "||", 2) == 0;
}

/* Does the kernel ask the same in an `if` before? */
static bool asked_before(const char *unit, size_t body, size_t at) {
    size_t begin = at, end = at;
    while (begin > body && !strchr("(;{", unit[begin - 1]) && !is_joint(unit, begin - 2))
        --begin;
    while (unit[end] && !strchr(");{", unit[end]) && !is_joint(unit, end))
        ++end;
    begin += strspn(unit + begin, " ");
    while (end > begin && unit[end - 1] == ' ')
        --end;
    char *asked = ht_strndup(unit + begin, end - begin);
    const char *found = strstr(unit + body, asked), *line = found;
    free(asked);
    if (!found || found >= unit + begin)
        return false;
    while (line > unit && line[-1] != '\n')
        --line;
    const char *question = strstr(line, "if (");
    return question && question < found;
}

static const char *known(const subject *of, const char *unit, size_t body, size_t at) {
    if (asked_before(unit, body, at))
        return "the same was asked before";
    size_t begin = at;
    while (begin > 0 && unit[begin - 1] != '\n')
        --begin;
    char *line = ht_strndup(unit + begin, strcspn(unit + begin, "\n"));
    const char *why = NULL;
    for (const struct equivalent *item = equivalents; item->line && !why; ++item)
        if ((!item->kernel || strcmp(item->kernel, of->kernel->name) == 0) &&
            strstr(line, item->line))
            why = item->why;
    free(line);
    return why;
}

static void fault_try(const subject *of, const char *unit, size_t body, const fault *with,
                      tally *out) {
    char *text =
        ht_format("%.*s%s%s", (int)with->at, unit, with->by, unit + with->at + with->length);
    ht_verify_result result = {0};
    ht_error error = {0};
    ++out->tried;
    printf("%s: %s: %s: ", ht_path_name(of->source), of->kernel->name, with->what);
    line_print(unit, with->at);
    ht_status status = verify(of, text, &result, &error);
    const char *why = known(of, unit, body, with->at);
    if (status == HT_ERROR_COMPILE) {
        ++out->uncompiled;
        printf(": does not compile\n");
    } else if (status != HT_OK) {
        ++out->unclean;
        printf(": cannot be tried: %s\n", error.message);
    } else if (result.outcome == HT_VERIFY_DIFFERS) {
        ++out->caught;
        printf(": caught: %s\n", result.reason);
    } else if (why) {
        ++out->equivalent;
        printf(": changes nothing: %s\n", why);
    } else {
        ++out->survived;
        printf(": SURVIVED\n");
    }
    fflush(stdout);
    ht_verify_result_free(&result);
    free(text);
}

static void kernel_try(const subject *of, tally *out) {
    const char *unit = of->kernel->against->unit;
    size_t begin, end;
    faults list = {0};
    ht_verify_result result = {0};
    ht_error error = {0};
    if (!body_find(unit, of->kernel->name, &begin, &end)) {
        printf("%s: no body found\n", of->kernel->name);
        ++out->unclean;
        return;
    }
    faults_find(unit, begin, end, &list);
    bool asked = false;
    for (size_t i = 0; i < list.count; ++i)
        asked = asked || (out->number + i) % out->parts == out->part;
    if (asked &&
        (verify(of, unit, &result, &error) != HT_OK || result.outcome != HT_VERIFY_AGREES)) {
        printf("%s: without a fault: %s%s\n", of->kernel->name, error.message,
               result.reason ? result.reason : "");
        ++out->unclean;
        asked = false;
    }
    for (size_t i = 0; i < list.count; ++i, ++out->number)
        if (asked && out->number % out->parts == out->part)
            fault_try(of, unit, begin, &list.items[i], out);
    ht_verify_result_free(&result);
    free(list.items);
}

static void source_try(const char *path, tally *out) {
    char *folder = ht_path_folder(path), *include = ht_format("-I%s", folder);
    const char *arguments[] = {include};
    const ht_refactor_options options = {.arguments = arguments, .argument_count = 1};
    ht_problems problems = {0};
    ht_refactor *refactor = NULL;
    ht_error error = {0};
    subject of = {.source = path};
    if (ht_problems_open(NULL, path, &problems, &error) != HT_OK ||
        ht_device_find("host", &of.device, &error) != HT_OK ||
        ht_refactor_file(path, problems.file, &options, &refactor, &error) != HT_OK) {
        printf("%s: %s\n", path, error.message);
        ++out->unclean;
    }
    for (size_t i = 0; refactor && i < ht_refactor_kernel_count(refactor); ++i) {
        of.kernel = ht_refactor_kernel(refactor, i);
        const ht_problem_file *file = of.kernel->inferred ? of.kernel->inferred : problems.file;
        const ht_problem_entry *entry = file ? ht_problem_file_entry(file, of.kernel->name) : NULL;
        of.instance = entry ? &entry->instances[0] : NULL;
        if (of.kernel->against)
            kernel_try(&of, out);
    }
    ht_refactor_free(refactor);
    ht_problems_close(&problems);
    free(include);
    free(folder);
}

static void folder_try(const char *name, tally *out) {
    char *path = ht_path_join(HT_SOURCE_DIR, name);
    ht_sources found;
    if (ht_sources_find(&path, 1, NULL, &found, NULL) == HT_OK) {
        for (size_t i = 0; i < found.count; ++i)
            source_try(found.items[i].path, out);
        ht_sources_free(&found);
    }
    free(path);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return ht_worker_main(argc, argv);
    tally out = {.part = 1, .parts = 1};
    if (argc > 1 && (sscanf(argv[1], "%zu/%zu", &out.part, &out.parts) != 2 || out.part < 1 ||
                     out.part > out.parts)) {
        fputs("usage: verify_mutants [PART/PARTS [SOURCE...]]\n", stderr);
        return 2;
    }
    --out.part;
    for (int i = 2; i < argc; ++i)
        source_try(argv[i], &out);
    if (argc <= 2) {
        folder_try("tests/refactor/sources", &out);
        folder_try("examples/kernels", &out);
    }
    printf("%zu of %zu faults tried: %zu caught, %zu change nothing, %zu do not compile, %zu "
           "survived; %zu "
           "templates could not be tried\n",
           out.tried, out.number, out.caught, out.equivalent, out.uncompiled, out.survived,
           out.unclean);
    return out.survived || out.unclean ? 1 : 0;
}
