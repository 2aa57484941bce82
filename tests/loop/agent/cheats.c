/* agent_cheats [--seed N] [--unruled] [NAME...]: gives the answers of cheats/ and honest/ to the
 * gate, and fails where one is not refused for what it is, or an honest one is. --unruled: without
 * the rules on texts, which shows what runs alone find; then any refusal is right. */
#include "tests/loop/agent/cases.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trial {
    uint64_t seed;
    bool unruled;
    char *const *names;
    int name_count;
    agent_original originals[8];
    size_t original_count;
    size_t tried, wrong;
} trial;

static agent_original *original_of(trial *in, const char *name) {
    for (size_t i = 0; i < in->original_count; ++i)
        if (strcmp(in->originals[i].name, name) == 0)
            return &in->originals[i];
    agent_original *added = &in->originals[in->original_count++];
    agent_original_open(name, in->seed, in->unruled, added);
    return added;
}

static bool is_wanted(const trial *in, const char *name) {
    for (int i = 0; i < in->name_count; ++i)
        if (strcmp(in->names[i], name) == 0)
            return true;
    return in->name_count == 0;
}

static void case_try(trial *in, const agent_case *of) {
    ht_gate_verdict verdict = {0};
    char *wrong = agent_case_try(of, original_of(in, of->of), &verdict);
    bool refused = verdict.refused.kind != HT_REFUSAL_NONE;
    if (in->unruled && wrong && refused && strcmp(of->refused, "accepted") != 0) {
        free(wrong);
        wrong = NULL;
    }
    ++in->tried;
    in->wrong += wrong != NULL;
    printf("%s %-24s %-10s %5.1f s  %.300s\n", wrong ? "FAILED" : "ok    ", of->name,
           ht_refusal_word(verdict.refused.kind), verdict.seconds,
           wrong                    ? wrong
           : verdict.refused.reason ? verdict.refused.reason
                                    : "");
    fflush(stdout);
    free(wrong);
    ht_gate_verdict_free(&verdict);
}

static void folder_try(trial *in, const char *folder) {
    agent_case *cases;
    size_t count = agent_cases_read(folder, &cases);
    for (size_t i = 0; i < count; ++i) {
        if (is_wanted(in, cases[i].name))
            case_try(in, &cases[i]);
        agent_case_free(&cases[i]);
    }
    free(cases);
}

int main(int argc, char **argv) {
    trial in = {.seed = 7};
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; ++at)
        if (strcmp(argv[at], "--unruled") == 0)
            in.unruled = true;
        else if (strcmp(argv[at], "--seed") == 0 && at + 1 < argc)
            in.seed = strtoull(argv[++at], NULL, 10);
    in.names = argv + at;
    in.name_count = argc - at;
    setenv("HIPTEMPER_WORKER", HT_TEST_WORKER, 1);
    folder_try(&in, "cheats");
    folder_try(&in, "honest");
    printf("%zu answers, %zu wrong verdicts\n", in.tried, in.wrong);
    for (size_t i = 0; i < in.original_count; ++i)
        agent_original_close(&in.originals[i]);
    return in.wrong > 0 || in.tried == 0;
}
