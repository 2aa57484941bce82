#include "tests/loop/agent/cases.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const ht_error *error) {
    fprintf(stderr, "%s: %s\n", what, error->message);
    abort();
}

/* Returns what a line "// KEY: ..." of the text says; free(). */
static char *head(const char *text, const char *key) {
    char *front = ht_format("// %s: ", key);
    const char *at = strstr(text, front);
    char *value =
        at ? ht_strndup(at + strlen(front), strcspn(at + strlen(front), "\n")) : ht_strdup("");
    free(front);
    return value;
}

static int compare(const void *a, const void *b) {
    return strcmp(((const agent_case *)a)->name, ((const agent_case *)b)->name);
}

size_t agent_cases_read(const char *folder, agent_case **out_cases) {
    char *path = ht_path_join(HT_SOURCE_DIR "/tests/loop/agent", folder);
    DIR *directory = opendir(path);
    agent_case *cases = NULL;
    size_t count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        ht_error error = {0};
        if (!ht_text_ends(entry->d_name, ".hip"))
            continue;
        agent_case added = {.name = ht_strndup(entry->d_name, strlen(entry->d_name) - 4)};
        char *file = ht_path_join(path, entry->d_name);
        if (ht_file_read_text(file, "case", &added.text, &error) != HT_OK)
            fail(file, &error);
        free(file);
        added.of = head(added.text, "of");
        added.answer = head(added.text, "answer");
        added.refused = head(added.text, "refused");
        added.words = head(added.text, "words");
        HT_GROW(cases, count);
        cases[count++] = added;
    }
    if (directory)
        closedir(directory);
    free(path);
    if (count)
        qsort(cases, count, sizeof *cases, compare);
    *out_cases = cases;
    return count;
}

void agent_case_free(agent_case *of) {
    char *const texts[] = {of->name, of->text, of->of, of->answer, of->refused, of->words};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        free(texts[i]);
}

void agent_original_open(const char *name, uint64_t seed, bool unruled, agent_original *out) {
    char *path = ht_format(HT_SOURCE_DIR "/tests/loop/agent/originals/%s.hip", name);
    char *problems = ht_format(HT_SOURCE_DIR "/tests/loop/agent/originals/%s.problem.json", name);
    const ht_refactor_options compiler = {0};
    ht_error error = {0};
    *out = (agent_original){.name = ht_strdup(name)};
    if (ht_problem_file_load(problems, &out->problems, &error) != HT_OK ||
        ht_refactor_file(path, out->problems, &compiler, &out->refactor, &error) != HT_OK)
        fail(name, &error);
    ht_problem_copy(&out->problems->entries[0].instances[0], &out->problem);
    const ht_gate_options options = {
        .problem = &out->problem, .seed = seed, .compile_workers = 1, .unruled = unruled};
    if (ht_gate_open(out->refactor, 0, &options, &out->gate, &error) != HT_OK)
        fail(name, &error);
    free(path);
    free(problems);
}

void agent_original_close(agent_original *of) {
    ht_gate_close(of->gate);
    ht_refactor_free(of->refactor);
    ht_problem_file_free(of->problems);
    ht_problem_free(&of->problem);
    free(of->name);
    *of = (agent_original){0};
}

char *agent_case_try(const agent_case *of, agent_original *original, ht_gate_verdict *out_verdict) {
    ht_error error = {0};
    ht_status status = strcmp(of->answer, "kernel") == 0
                           ? ht_gate_kernel(original->gate, of->text, out_verdict, &error)
                       : strcmp(of->answer, "source") == 0
                           ? ht_gate_source(original->gate, of->text, out_verdict, &error)
                           : ht_gate_template(original->gate, of->text, out_verdict, &error);
    const ht_refused *refused = &out_verdict->refused;
    const char *word = ht_refusal_word(refused->kind), *reason = refused->reason;
    if (status != HT_OK)
        return ht_format("the gate failed: %s", error.message);
    if (strcmp(word, of->refused) != 0)
        return ht_format("%s, not %s: %s", word, of->refused, reason ? reason : "");
    if (*of->words && !(reason && strstr(reason, of->words)))
        return ht_format("the reason does not say \"%s\": %s", of->words, reason ? reason : "");
    if ((refused->kind == HT_REFUSAL_NONE) != (out_verdict->text != NULL))
        return ht_strdup("what passed has no text, or what did not has one");
    return NULL;
}
