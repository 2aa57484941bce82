/* check_mutants [PART/PARTS]: puts every fault of the table into the library's templates and checks
 * them; prints what caught each. Fails when one survives that should not, when one is caught that
 * changes nothing, or when a template without a fault is not clean. */
#include "tests/runtime/check/mutants.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/job/check.h"
#include "runtime/worker/worker_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fatal(const char *what, const ht_error *error) {
    printf("cannot be tested: %s: %s\n", what, error->message);
    return false;
}

/* Returns the template's text with the fault; NULL when the place is not there. */
static char *mutate(const char *text, const mutant *with) {
    const char *at = text;
    for (unsigned i = 0; i < with->occurrence && at; ++i)
        at = strstr(i ? at + 1 : at, with->find);
    if (!at)
        return NULL;
    return ht_format("%.*s%s%s", (int)(at - text), text, with->replacement,
                     at + strlen(with->find));
}

static bool check_bound(const ht_binding *binding, const ht_device *device, const char *config,
                        ht_check_result *out_result) {
    const ht_job_options options = {.seed = 7, .compile_workers = 1, .only_check = true};
    const ht_check_settings settings = {.all_blocks = true};
    ht_error error = {0};
    ht_config parsed;
    ht_job *job = NULL;
    if (ht_config_parse(binding->template, config, &parsed, &error) != HT_OK)
        return fatal("configuration", &error);
    if (ht_job_start(binding, device, &options, &job, &error) != HT_OK)
        return fatal("start", &error);
    ht_status status = ht_job_check(job, &parsed, 1, &settings, out_result, &error);
    ht_job_free(job);
    return status == HT_OK || fatal("check", &error);
}

/* Checks a text; false when it could not be tried. */
static bool check_text(const char *text, const mutant *of, ht_check_result *out_result) {
    ht_error error = {0};
    ht_template *templates = NULL;
    size_t count = 0;
    ht_problem problem = {0};
    ht_device device;
    if (ht_template_parse(text, of->file, &templates, &count, &error) != HT_OK)
        return fatal("template", &error);
    bool done = false;
    if (ht_device_find("host", &device, &error) != HT_OK ||
        ht_problem_parse(&templates[0].problem, of->problem, &problem, &error) != HT_OK) {
        fatal("binding", &error);
    } else {
        const ht_binding binding = {&templates[0], &problem, &device.fields};
        done = check_bound(&binding, &device, of->config, out_result);
    }
    ht_problem_free(&problem);
    ht_template_free(templates, count);
    return done;
}

static bool try_mutant(const char *original, const mutant *of) {
    char *text = mutate(original, of);
    ht_check_result result = {0};
    printf("%s: %s: ", of->file, of->what);
    if (!text) {
        printf("the template has no \"%s\" (%u)\n", of->find, of->occurrence);
        return false;
    }
    bool good = check_text(text, of, &result);
    free(text);
    if (good && of->equivalent)
        printf("equivalent (%s)%s%s", of->equivalent, result.status ? ", YET REFUSED: " : "",
               result.reason);
    else if (good)
        printf("%s%s", result.status ? "caught: " : "SURVIVED", result.reason);
    if (good)
        printf("\n");
    good = good && (result.status == HT_OK) == (of->equivalent != NULL);
    ht_check_result_free(&result);
    fflush(stdout);
    return good;
}

/* Tries the template as it is, in the mutant's problem and configuration. */
static bool try_clean(const char *original, const mutant *of) {
    ht_check_result result = {0};
    bool good = check_text(original, of, &result);
    if (good && result.status != HT_OK)
        printf("%s, as it is, with %s: %s\n", of->file, of->config, result.reason);
    good = good && result.status == HT_OK;
    ht_check_result_free(&result);
    return good;
}

/* Returns true if every barrier of the template has a mutant that lacks it. */
static bool barriers_covered(const char *text, const char *file) {
    bool good = true;
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, "__syncthreads()")); ++at) {
        bool covered = false;
        ++count;
        for (size_t i = 0; i < mutant_count; ++i)
            covered |= strcmp(mutants[i].file, file) == 0 && mutants[i].occurrence == count &&
                       strcmp(mutants[i].find, "__syncthreads();") == 0;
        if (!covered)
            printf("%s: no mutant lacks barrier %u\n", file, count);
        good = good && covered;
    }
    return good;
}

static bool is_first_of_its_kind(size_t index) {
    const mutant *of = &mutants[index];
    for (size_t i = 0; i < index; ++i)
        if (strcmp(mutants[i].file, of->file) == 0 &&
            strcmp(mutants[i].problem, of->problem) == 0 &&
            strcmp(mutants[i].config, of->config) == 0)
            return false;
    return true;
}

static bool try_both(size_t index) {
    const mutant *of = &mutants[index];
    ht_error error = {0};
    char *text = NULL, *path = ht_path_join(HT_LIBRARY, of->file);
    size_t length = 0;
    bool good = ht_file_read(path, 1 << 20, &text, &length, &error) == HT_OK;
    free(path);
    if (!good)
        return fatal(of->file, &error);
    if (is_first_of_its_kind(index))
        good = try_clean(text, of) && barriers_covered(text, of->file);
    good = try_mutant(text, of) && good;
    free(text);
    return good;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return ht_worker_main(argc, argv);
    unsigned part = 1, parts = 1;
    if (argc > 1 && (sscanf(argv[1], "%u/%u", &part, &parts) != 2 || !part || part > parts)) {
        fputs("usage: check_mutants [PART/PARTS]\n", stderr);
        return 2;
    }
    size_t tried = 0, bad = 0;
    for (size_t i = part - 1; i < mutant_count; i += parts) {
        ++tried;
        bad += !try_both(i);
    }
    printf("%zu mutants, %zu not as they should be\n", tried, bad);
    return bad ? 1 : 0;
}
