/* Three ways to make a kernel faster, with as many evaluations each, on the same kernels:
 *
 * - rewriting: rewrites with fixed constants, drawn by the seed from those that are written down in
 *   benchmarks/loop/rewrites, and the fastest of them; a scripted agent that rewrites directly;
 * - search: the search over the template of the first version;
 * - loop: `hiptemper loop`, whose first search has a third of the evaluations.
 *
 *     compare_arms HIPTEMPER FOLDER [kernels=silu_and_mul,conv2d] [ways=search,loop] [seeds=10]
 *                  [budget=60] [device=host] [final-time=1] [seconds=0] [keep=arms.jsonl]
 *                  [markdown=FILE] [json=FILE]
 *
 * FOLDER is the project's. Each run has a database of its own, so that nothing learns from another.
 * A run that has ended is a line of the file `keep`: the same command goes on after the last one;
 * `seconds` is when it begins no further run. Results are from rounds that chose nothing, under
 * host emulation, or predicted on a device model:NAME, where every configuration is predicted and
 * the winner verified on the host. Exit code 1: a run failed. */
#include "benchmarks/loop/arms.h"
#include "benchmarks/loop/arms_table.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool option_read(const char *word, const char *name, const char **out) {
    size_t length = strlen(name);
    if (strncmp(word, name, length) != 0 || word[length] != '=')
        return false;
    *out = word + length + 1;
    return true;
}

typedef struct given {
    arms_settings settings;
    const char *kernels, *ways, *seeds, *budget, *final_time, *seconds, *keep, *markdown, *json;
} given;

static bool words_read(given *in, int count, char **words) {
    bool good = true;
    for (int i = 3; i < count; ++i)
        good = good && (option_read(words[i], "kernels", &in->kernels) ||
                        option_read(words[i], "ways", &in->ways) ||
                        option_read(words[i], "seeds", &in->seeds) ||
                        option_read(words[i], "budget", &in->budget) ||
                        option_read(words[i], "device", &in->settings.device) ||
                        option_read(words[i], "final-time", &in->final_time) ||
                        option_read(words[i], "seconds", &in->seconds) ||
                        option_read(words[i], "keep", &in->keep) ||
                        option_read(words[i], "markdown", &in->markdown) ||
                        option_read(words[i], "json", &in->json));
    in->settings.budget = (unsigned)atoi(in->budget);
    in->settings.final_time = in->final_time;
    return good && in->settings.budget >= 3 && atoi(in->seeds) > 0;
}

/* Returns true if the name is one of those that were asked for; all are without a list. */
static bool is_asked(const char *names, const char *name) {
    size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ','), at += at != NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return !names;
}

/* Makes the runs that are not kept yet, all arms and kernels of a seed before the next seed.
 * Returns how many failed. */
static unsigned all_run(const given *in, arms_kept *kept) {
    unsigned failed = 0, seeds = (unsigned)atoi(in->seeds);
    double end = atof(in->seconds) > 0 ? ht_clock_seconds() + atof(in->seconds) : 0;
    for (unsigned seed = 1; seed <= seeds; ++seed)
        for (size_t i = 0; i < loop_subject_count; ++i)
            for (int arm = 0; arm < ARM_COUNT; ++arm) {
                arms_run run = {.subject = &loop_subjects[i], .arm = (arms_arm)arm, .seed = seed};
                if (!is_asked(in->kernels, run.subject->name) ||
                    !is_asked(in->ways, arms_names[arm]) ||
                    arms_kept_has(kept, &in->settings, &run))
                    continue;
                if (end > 0 && ht_clock_seconds() > end)
                    return failed;
                if (arms_run_make(&in->settings, &run))
                    arms_kept_add(kept, &in->settings, &run);
                else
                    ++failed;
            }
    return failed;
}

static void file_write(const char *path, char *text) {
    ht_error error;
    if (ht_file_write(path, text, strlen(text), &error) != HT_OK)
        fprintf(stderr, "compare_arms: %s\n", error.message);
    free(text);
}

int main(int count, char **words) {
    given in = {.settings = {.device = "host"},
                .seeds = "10",
                .budget = "60",
                .final_time = "1",
                .seconds = "0",
                .keep = "arms.jsonl"};
    if (count < 3 || !words_read(&in, count, words)) {
        fprintf(stderr,
                "usage: compare_arms HIPTEMPER FOLDER [kernels=A,B] [ways=A,B] [seeds=N] "
                "[budget=N] [device=host|model:NAME] [final-time=S] [seconds=S] [keep=FILE] "
                "[markdown=FILE] [json=FILE]\n");
        return 2;
    }
    in.settings.program = realpath(words[1], NULL);
    in.settings.folder = realpath(words[2], NULL);
    arms_kept kept;
    if (!in.settings.program || !in.settings.folder || !arms_kept_open(in.keep, &kept)) {
        fprintf(stderr, "compare_arms: no such program or folder, or %s cannot be read\n", in.keep);
        return 2;
    }
    unsigned failed = all_run(&in, &kept);
    arms_table table;
    arms_table_make(&kept, &in.settings, &table);
    char *text = arms_table_markdown(&table, &in.settings);
    fputs(text, stdout);
    if (in.markdown)
        file_write(in.markdown, ht_strdup(text));
    if (in.json)
        file_write(in.json, arms_table_json(&table, &in.settings));
    free(text);
    arms_kept_close(&kept);
    free((char *)(size_t)in.settings.program);
    free((char *)(size_t)in.settings.folder);
    return failed ? 1 : 0;
}
