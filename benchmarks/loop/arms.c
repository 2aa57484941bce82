#include "benchmarks/loop/arms.h"

#include "benchmarks/failures.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 32 };

const char *const arms_names[ARM_COUNT] = {"rewriting", "search", "loop"};

/* A run under way. */
typedef struct running {
    const arms_settings *settings;
    arms_run *run;
    char *folder; /* owned, as the others */
    char *source, *problem, *report, *database;
    json_t *fields;
} running;

static bool is_model(const arms_settings *settings) {
    return ht_text_begins(settings->device, "model:");
}

/* Writes the first version's problem file with the sizes that are compared. */
static bool problem_write(const running *in) {
    char *stem = ht_strdup(in->source);
    stem[strlen(stem) - strlen(".hip")] = '\0';
    char *path = ht_format("%s.problem.json", stem);
    json_t *document = json_load_file(path, 0, NULL), *kernel;
    size_t i;
    json_array_foreach(json_object_get(document, "kernels"), i, kernel) {
        json_object_set_new(kernel, "instances",
                            json_pack("[{s:s, s:O}]", "name", "compared", "fields", in->fields));
    }
    bool good = document && json_dump_file(document, in->problem, JSON_INDENT(1)) == 0;
    json_decref(document);
    free(path);
    free(stem);
    return good;
}

/* Returns "TOKENS=16 D=1376"; free(). */
static char *fields_text(const json_t *fields) {
    ht_text text = {0};
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(size_t)fields, name, value) {
        ht_text_printf(&text, "%s%s=%lld", text.length ? " " : "", name,
                       (long long)json_integer_value(value));
    }
    return ht_text_take(&text);
}

static int started(const running *in, const char *const *words) {
    pid_t pid = fork();
    if (pid == 0) {
        int log = chdir(in->folder) == 0 ? open("log", O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
        if (log < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
            _exit(127);
        unsetenv("HIPTEMPER_DB");
        execv(in->settings->program, (char *const *)(size_t)words);
        _exit(127);
    }
    return pid < 0 ? 127 : bench_finish(pid);
}

/* Runs a command's own words, and those that all arms have. Its output goes to a file in the run's
 * folder. Returns its exit code. */
static int execute(const running *in, const char *const *own, unsigned evaluations) {
    const arms_settings *settings = in->settings;
    char *seed = ht_format("%u", in->run->seed), *most = ht_format("%u", evaluations);
    char *json = ht_format("--json=%s", in->report);
    const char *const common[] = {"--device",
                                  settings->device,
                                  "--max-evals",
                                  most,
                                  "--seed",
                                  seed,
                                  "--check",
                                  "none",
                                  "--final-time",
                                  settings->final_time,
                                  "--min-speedup",
                                  "1",
                                  "--db",
                                  in->database,
                                  "--no-sources",
                                  json,
                                  NULL};
    const char *words[WORDS_MAX] = {settings->program};
    size_t count = 1;
    for (size_t i = 0; own[i] && count + 1 < WORDS_MAX; ++i)
        words[count++] = own[i];
    for (size_t i = 0; common[i] && count + 1 < WORDS_MAX; ++i)
        words[count++] = common[i];
    int code = started(in, words);
    free(json);
    free(most);
    free(seed);
    return code;
}

/* Prints the last line of the log. */
static void failure_print(const running *in, int code) {
    char *path = ht_path_join(in->folder, "log"), *text = NULL;
    ht_file_read(path, 0, &text, NULL, NULL);
    size_t length = text ? strlen(text) : 0;
    while (length && text[length - 1] == '\n')
        text[--length] = '\0';
    const char *last = length ? strrchr(text, '\n') : NULL;
    fprintf(stderr, "%s, %s, seed %u: ended with %d: %s\n", in->run->subject->name,
            arms_names[in->run->arm], in->run->seed, code,
            last     ? last + 1
            : length ? text
                     : "no output");
    free(text);
    free(path);
}

/* ---- the arms */

static double number_of(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

static double first_of(const json_t *array) {
    return json_number_value(json_array_get(array, 0));
}

static bool rewriting_run(running *in) {
    const arms_settings *settings = in->settings;
    arms_run *run = in->run;
    char *file = ht_path_join(settings->folder, run->subject->rewrites);
    char *fields = fields_text(in->fields);
    const char *const own[] = {"tune", file, "--problem", fields, "--strategy", "random", NULL};
    int code = execute(in, own, settings->budget);
    json_t *report = json_load_file(in->report, 0, NULL);
    const json_t *kernel = json_array_get(json_object_get(report, "kernels"), 0);
    bool good = kernel && code == 0;
    if (good && is_model(settings)) {
        double choice =
            number_of(json_array_get(json_object_get(kernel, "choices"), 0), "predicted_speedup");
        run->evaluations = number_of(kernel, "compiled");
        run->original_ms = 1e3 * number_of(json_object_get(kernel, "original"), "seconds");
        run->speedup = choice > 0 ? choice : 1;
    } else if (good) {
        const char *verdict = json_string_value(json_object_get(kernel, "status"));
        bool improved = verdict && strcmp(verdict, "improved") == 0;
        good = improved || (verdict && strcmp(verdict, "failed") != 0);
        run->evaluations = number_of(kernel, "evaluated");
        run->speedup = improved ? number_of(kernel, "speedup") : 1;
    }
    if (!good)
        failure_print(in, code);
    json_decref(report);
    free(fields);
    free(file);
    return good;
}

/* Takes the loop's best. */
static void loop_take(arms_run *run, const json_t *report) {
    const json_t *revisions = json_object_get(report, "revisions");
    const json_t *best =
        json_array_get(revisions, (size_t)json_integer_value(json_object_get(report, "best")));
    const json_t *first = json_array_get(revisions, 0);
    double speedup = first_of(json_object_get(best, "speedup"));
    run->speedup = speedup > 0 ? speedup : 1;
    run->evaluations = number_of(report, "evaluations");
    run->original_ms = number_of(first, "best_ms");
    double ms = best == first ? run->original_ms : number_of(best, "best_ms");
    run->roofline = ms > 0 ? number_of(best, "least_ms") / ms : 0;
}

static bool loop_run(running *in) {
    const arms_settings *settings = in->settings;
    arms_run *run = in->run;
    bool once = run->arm == ARM_SEARCH;
    char *all = ht_format("%u", settings->budget);
    const char *const own[] = {"loop",      in->source,       "--problem",
                               in->problem, "--kernel",       run->subject->kernel,
                               "--rounds",  once ? "1" : "0", "--all-evals",
                               all,         "--elsewhere",    "0",
                               NULL};
    int code = execute(in, own, once ? settings->budget : (settings->budget + 2) / 3);
    json_t *report = json_load_file(in->report, 0, NULL);
    bool good = report && code == 0;
    if (good)
        loop_take(run, report);
    else
        failure_print(in, code);
    json_decref(report);
    free(all);
    return good;
}

bool arms_run_make(const arms_settings *settings, arms_run *io_run) {
    running in = {.settings = settings, .run = io_run};
    const loop_subject *subject = io_run->subject;
    double begun = ht_clock_seconds();
    bool gpu = strcmp(settings->device, "host") != 0, good = false;
    if (ht_dir_temporary("compare-arms", &in.folder, NULL) != HT_OK)
        return false;
    in.fields = json_loads(gpu ? subject->gpu : subject->host, 0, NULL);
    in.source = ht_path_join(settings->folder, subject->source);
    in.problem = ht_path_join(in.folder, "problem.json");
    in.report = ht_path_join(in.folder, "report.json");
    in.database = ht_path_join(in.folder, "tuning.sqlite");
    if (problem_write(&in))
        good = io_run->arm == ARM_REWRITING ? rewriting_run(&in) : loop_run(&in);
    io_run->seconds = ht_clock_seconds() - begun;
    if (good)
        fprintf(stderr, "%s, %s, seed %u: %.3f, %.0f evaluations, %.0f s\n", subject->name,
                arms_names[io_run->arm], io_run->seed, io_run->speedup, io_run->evaluations,
                io_run->seconds);
    ht_dir_remove(in.folder);
    json_decref(in.fields);
    free(in.database);
    free(in.report);
    free(in.problem);
    free(in.source);
    free(in.folder);
    return good;
}
