/* Each call of a command that changes files fails once: the exit code is a documented one, never 0
 * with a result that is not there, the message names the fault, and files that were there before
 * are still there.
 *
 *     write_faults           some of the calls of each command, in a few seconds
 *     write_faults all       every call of every command
 *     write_faults all NAME  of the command NAME
 *     write_faults all NAME N  N of its calls, or all with 0
 *     write_faults all NAME N FIRST  of those from number FIRST on
 *     write_faults all NAME 0 FIRST STEP  every STEP-th of those: so two runs next to each other
 *                                         take all
 */
#include "runtime/protocol/protocol.h"
#include "runtime/store/database.h"
#include "write_faults_run.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/sanitizer.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDING (HT_SOURCE_DIR "/tests/search/data/pnpoly_cut.json.gz")
#define SPACE (HT_SOURCE_DIR "/tests/search/data/pnpoly_cut_T1.json")
#define RECORDS (HT_SOURCE_DIR "/tests/predictor/data/ConvAsm1x1U.tsv")
#define MODEL (HT_SOURCE_DIR "/predictor/models/ConvAsm1x1U.model")

enum { SEEDS = 12, FILES_MAX = 6, WORDS_MAX = 24 };

static const char previous[] = "{ \"what was\": \"here before\" }\n";

typedef struct input {
    const char *name, *text;
} input;

/* Of one size, so that one run verifies it; slow in blocks of one thread, so that `optimize` finds
 * something better at once. */
#define SCALE(launch)                                                                              \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void scale(const float *in, float *out) {\n"                                       \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "    if (i < 1000) out[i] = 2 * in[i];\n"                                                      \
    "}\n"                                                                                          \
    "void run(const float *in, float *out) {\n"                                                    \
    "    scale<<<" launch ">>>(in, out);\n"                                                        \
    "}\n"
static const char scale[] = SCALE("4, 256"), slow[] = SCALE("1000, 1");

static const char header[] = "#pragma once\n"
                             "__global__ void scale(const float *in, float *out, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) out[i] = 2 * in[i];\n"
                             "}\n";

static const char launches[] = "#include \"scale.cuh\"\n"
                               "void run(const float *in, float *out, int n) {\n"
                               "    scale<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                               "}\n";

static const char template[] = "#pragma tune unit\n"
                               "#pragma tune kernel(add)\n"
                               "#pragma tune problem(line : n)\n"
                               "#pragma tune param(BLOCK : 1, 64 = 1)\n"
                               "#pragma tune block(BLOCK)\n"
                               "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
                               "#pragma tune arg(a : in float[problem.n])\n"
                               "#pragma tune arg(out : out float[problem.n])\n"
                               "#pragma tune arg(n : int = problem.n)\n"
                               "template <int BLOCK>\n"
                               "__global__ void add(const float *a, float *out, int n) {\n"
                               "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                               "    if (i < n) out[i] = a[i] + 1;\n"
                               "}\n";

/* A command, its inputs, and the outputs that it must have written when it exits with 0. */
typedef struct scenario {
    const char *name;
    const char *words[WORDS_MAX]; /* words[0] NULL: this program itself */
    input inputs[FILES_MAX];      /* those that are also outputs are rewritten in place */
    const char *outputs[FILES_MAX];
    const char *database;
    const char *says; /* when it exits with 0: that all was done which is done without a fault */
    bool exact;       /* the same bytes each time */
    bool reports;     /* its output says what is lacking when it exits with another code */
    bool together;    /* all outputs change or none */
    bool withholds;   /* an output that cannot be verified is taken away, and so reported */
    bool parses;      /* headers are parsed in each run, and written for the next parse */
    long sample;      /* how many calls the short run tries; 0: none */
} scenario;

static const scenario scenarios[] = {
    {.name = "database",
     .words = {NULL, "--database", "tuning.sqlite"},
     .database = "tuning.sqlite",
     .sample = 60},
    {.name = "convert",
     .words = {HT_PROGRAM, "convert", RECORDING, "out/T4.json", "--json=out/report.json"},
     .outputs = {"out/T4.json", "out/report.json"},
     .exact = true,
     .sample = 30},
    {.name = "apply",
     .words = {HT_PROGRAM, "apply", "BLOCK_X=64", "main.hip", "--out", "out",
               "--json=out/report.json"},
     .inputs = {{"main.hip", scale}},
     .outputs = {"out/main.hip", "out/main.hip.patch", "out/report.json"},
     .says = "verified  1 launch of the file run",
     .exact = true,
     .sample = 2},
    {.name = "in-place",
     .words = {HT_PROGRAM, "apply", "COARSEN_X=2", "scale.cuh", "--in-place"},
     .inputs = {{"scale.cuh", header}, {"main.cu", launches}},
     .outputs = {"scale.cuh", "main.cu"},
     .says = "verified  1 launch of the file run",
     .exact = true,
     .together = true,
     .sample = 3},
    {.name = "refactor",
     .words = {HT_PROGRAM, "refactor", "main.hip", "--out", "out", "--json=out/report.json",
               "--verify-configurations", "1"},
     .inputs = {{"main.hip", scale}},
     .outputs = {"out/main.scale.template.hip", "out/main.scale.launch.hpp", "out/report.json"},
     .says = "1 templated",
     .withholds = true,
     .parses = true},
    {.name = "train",
     .words = {HT_PROGRAM, "train", RECORDS, "--arch", "basic", "--hidden", "32", "--set",
               "embedding=16", "--set", "warmup=1", "--epochs", "1", "--out", "out/one.model"},
     .outputs = {"out/one.model", "out/one.model.losses.tsv"},
     .sample = 3},
    {.name = "evaluate",
     .words = {HT_PROGRAM, "evaluate", MODEL, RECORDS, "--beam", "1", "--json=out/report.json"},
     .outputs = {"out/report.json"},
     .sample = 3},
    {.name = "predict",
     .words = {HT_PROGRAM, "predict", MODEL, "--problem",
               "in_c=192 in_h=7 in_w=7 fil_h=1 fil_w=1 out_c=1584 batch=16 pad_h=0 pad_w=0 "
               "stride_h=1 stride_w=1 dil_h=1 dil_w=1 group=1 layout=NCHW precision=FP16 "
               "direction=B out_h=7 out_w=7 arch=gfx900 cu=64",
               "-k", "1", "--json=out/predict.json"},
     .outputs = {"out/predict.json"},
     .exact = true,
     .sample = 3},
    {.name = "replay",
     .words = {HT_PROGRAM, "replay", "--space", SPACE, "--cache", RECORDING, "--repeats", "2",
               "--max-evals", "5", "--strategy", "random", "--curve", "out/curve.tsv",
               "--json=out/report.json"},
     .outputs = {"out/curve.tsv", "out/report.json"},
     .sample = 3},
    {.name = "space",
     .words = {HT_PROGRAM, "space", "add.hip", "--problem", "n=500", "--json=out/space.json"},
     .inputs = {{"add.hip", template}},
     .outputs = {"out/space.json"},
     .exact = true,
     .sample = 3},
    {.name = "inspect",
     .words = {HT_PROGRAM, "inspect", "add.hip", "--problem", "n=500", "--json=out/inspect.json"},
     .inputs = {{"add.hip", template}},
     .outputs = {"out/inspect.json"},
     .exact = true},
    {.name = "check",
     .words = {HT_PROGRAM, "check", "add.hip", "--problem", "n=500", "--json=out/report.json"},
     .inputs = {{"add.hip", template}},
     .outputs = {"out/report.json"},
     .says = "1 checked, 0 failed"},
    {.name = "devices",
     .words = {HT_PROGRAM, "devices", "--json=out/devices.json"},
     .outputs = {"out/devices.json"},
     .exact = true,
     .reports = true},
    {.name = "doctor",
     .words = {HT_PROGRAM, "doctor", "--device", "host", "--seconds", "0.1",
               "--json=out/report.json"},
     .outputs = {"out/report.json"}},
    {.name = "tune",
     .words = {HT_PROGRAM, "tune", "add.hip", "--problem", "n=500", "--db", "tuning.sqlite",
               "--out", "out", "--json=out/report.json", "--max-evals", "2", "--check", "none",
               "--compile-workers", "1"},
     .inputs = {{"add.hip", template}},
     .outputs = {"out/tune.json", "out/report.json", "out/add.hip", "out/add.hip.patch",
                 "out/add.add.launch.hpp"},
     .database = "tuning.sqlite",
     .says = "none rejected"},
    {.name = "optimize",
     .words = {HT_PROGRAM, "optimize", "main.hip", "--db", "tuning.sqlite", "--out", "out",
               "--max-evals", "1", "--ablation", "0", "--check", "none", "--compile-workers", "1"},
     .inputs = {{"main.hip", scale}},
     .outputs = {"out/optimize.json", "out/main.scale.template.hip"},
     .database = "tuning.sqlite",
     .says = "none rejected"},
    {.name = "improve", /* the same, with something better to be found and written */
     .words = {HT_PROGRAM, "optimize", "main.hip", "--db", "tuning.sqlite", "--out", "out",
               "--max-evals", "2", "--ablation", "0", "--check", "none", "--compile-workers", "1"},
     .inputs = {{"main.hip", slow}},
     .outputs = {"out/optimize.json", "out/main.scale.template.hip", "out/main.hip",
                 "out/main.hip.patch"},
     .database = "tuning.sqlite",
     .says = "1 improved"},
};

/* ---- the database */

static const ht_database_key key = {"source", "add", "template", "n=1",  "host",
                                    "clang",  "1",   "prelude",  "plain"};

static ht_status rows_put(const char *path, const char *stem, ht_error *error) {
    ht_database *database = NULL;
    ht_status status = ht_database_open(path, &database, error);
    for (int i = 0; i < SEEDS && status == HT_OK; ++i) {
        double samples[] = {i + 1.5, i + 1.25, i + 1.0};
        unsigned deaths;
        char *config = ht_format("%s-%d", stem, i);
        ht_evaluation evaluation = {.config = config,
                                    .cost = i + 1.25,
                                    .samples = samples,
                                    .sample_count = 3,
                                    .resources = ht_resources_unknown()};
        status = i % 4 == 3 ? ht_database_add_death(database, &key, config, HT_ERROR_CRASH,
                                                    "crash: SIGSEGV", &deaths, error)
                            : HT_OK;
        if (status == HT_OK)
            status = ht_database_put(database, &key, &evaluation, error);
        free(config);
    }
    ht_database_close(database);
    return status;
}

/* Does as a command would. */
static int database_main(const char *path) {
    ht_error error = {0};
    if (rows_put(path, "new", &error) == HT_OK)
        return 0;
    fprintf(stderr, "hiptemper: %s: %s\n", error.file, error.message);
    return ht_status_exit_code(error.status);
}

/* Returns the text of a query's one value; free(). */
static char *query(const char *path, const char *sql) {
    sqlite3 *sqlite = NULL;
    sqlite3_stmt *statement = NULL;
    char *text = NULL;
    if (sqlite3_open_v2(path, &sqlite, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(sqlite, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
        text = ht_strdup((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(sqlite);
    return text ? text : ht_strdup("unreadable");
}

static const char seeds_sql[] =
    "SELECT group_concat(config || ' ' || samples) FROM (SELECT config, samples FROM evaluations "
    "WHERE config LIKE 'seed-%' ORDER BY id)";
/* Rows of a configuration that outlive the fault, so they must not come of it. */
static const char blamed_sql[] =
    "SELECT (SELECT count(*) FROM evaluations WHERE config NOT LIKE 'seed-%' AND status <> 'ok') + "
    "(SELECT count(*) FROM deaths WHERE config NOT LIKE 'seed-%' AND config NOT LIKE 'new-%')";
static const char rows_sql[] = "SELECT count(*) FROM evaluations";

/* ---- one run */

typedef struct trial {
    const scenario *of;
    char *root, *folder, *aside;
    char *expected[FILES_MAX]; /* of exact outputs, of a run without a fault */
    char *seeds;               /* rows that were there before */
    long rows;                 /* after a run without a fault */
    long failures, runs, refused;
} trial;

static char *text_of(const trial *in, const char *name) {
    char *path = ht_path_join(in->folder, name), *text = NULL;
    if (ht_file_read(path, 0, &text, NULL, NULL) != HT_OK)
        text = ht_strdup("");
    free(path);
    return text;
}

static void put(const trial *in, const char *name, const char *text) {
    char *path = ht_path_join(in->folder, name), *folder = ht_path_folder(path);
    ht_error error = {0};
    if (ht_dir_make(folder, &error) != HT_OK ||
        ht_file_write(path, text, strlen(text), &error) != HT_OK) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        exit(2);
    }
    free(folder);
    free(path);
}

static const char *input_text(const scenario *of, const char *name) {
    for (size_t i = 0; i < FILES_MAX && of->inputs[i].name; ++i)
        if (strcmp(of->inputs[i].name, name) == 0)
            return of->inputs[i].text;
    return NULL;
}

static void trial_prepare(const trial *in) {
    const scenario *of = in->of;
    ht_dir_remove(in->folder);
    for (size_t i = 0; i < FILES_MAX && of->outputs[i]; ++i)
        put(in, of->outputs[i], previous);
    for (size_t i = 0; i < FILES_MAX && of->inputs[i].name; ++i)
        put(in, of->inputs[i].name, of->inputs[i].text);
    put(in, "here", "");
    char *path = of->database ? ht_path_join(in->folder, of->database) : NULL;
    if (path && rows_put(path, "seed", NULL) != HT_OK)
        exit(2);
    free(path);
}

static void trial_run(const trial *in, long wanted, faulty_result *out) {
    const char *words[WORDS_MAX + 1];
    char own[4096] = "";
    memcpy(words, in->of->words, sizeof in->of->words);
    words[WORDS_MAX] = NULL;
    if (!words[0] && readlink("/proc/self/exe", own, sizeof own - 1) > 0)
        words[0] = own;
    trial_prepare(in);
    faulty_run(in->folder, in->aside, words, wanted, out);
}

static void fault(trial *in, const faulty_result *run, const char *what, const char *detail) {
    ++in->failures;
    printf("FAILED %s: exit code %d after the fault of %s  %s %s\n  it said: %s\n", in->of->name,
           run->code, *run->fault ? run->fault : "no call\n", what, detail, run->said);
}

static bool is_whole(const trial *in, const faulty_result *run, size_t index, const char *text) {
    bool lacking = in->of->reports && run->code != 0;
    if (in->of->exact && !lacking &&
        !strstr(in->of->outputs[index], "report.json")) /* it reports failures */
        return strcmp(text, in->expected[index]) == 0;
    size_t length = strlen(text);
    return length > 2 && strcmp(text, previous) != 0 &&
           (!strstr(in->of->outputs[index], ".json") ||
            (text[0] == '{' && strcmp(text + length - 2, "}\n") == 0));
}

static void outputs_check(trial *in, const faulty_result *run) {
    size_t changed = 0, count = 0;
    for (; count < FILES_MAX && in->of->outputs[count]; ++count) {
        const char *name = in->of->outputs[count], *own = input_text(in->of, name);
        char *text = text_of(in, name);
        bool old = strcmp(text, own ? own : previous) == 0, whole = is_whole(in, run, count, text);
        bool withheld =
            in->of->withholds && run->code != 0 && !*text && strstr(run->said, "withheld");
        if (!old && !whole && !withheld)
            fault(in, run, "left neither the old nor the whole new file:", name);
        else if (run->code == 0 && !whole)
            fault(in, run, "has no result:", name);
        changed += !old;
        free(text);
    }
    if (in->of->together && changed != 0 && changed != count)
        fault(in, run, "changed some of the files that belong together", "");
}

static void inputs_check(trial *in, const faulty_result *run) {
    for (size_t i = 0; i < FILES_MAX && in->of->inputs[i].name; ++i) {
        bool rewritten = false;
        for (size_t j = 0; j < FILES_MAX && in->of->outputs[j]; ++j)
            rewritten = rewritten || strcmp(in->of->outputs[j], in->of->inputs[i].name) == 0;
        char *text = text_of(in, in->of->inputs[i].name);
        if (!rewritten && strcmp(text, in->of->inputs[i].text) != 0)
            fault(in, run, "changed its input", in->of->inputs[i].name);
        free(text);
    }
}

static void leftovers_check(trial *in, const faulty_result *run) {
    char *out = ht_path_join(in->folder, "out");
    const char *folders[] = {in->folder, out};
    for (size_t i = 0; i < 2; ++i) {
        DIR *directory = opendir(folders[i]);
        for (struct dirent *entry; directory && (entry = readdir(directory));)
            if (strncmp(entry->d_name, ".hiptemper-", 11) == 0 && !strstr(run->fault, " unlink"))
                fault(in, run, "left a temporary file:", entry->d_name);
        if (directory)
            closedir(directory);
    }
    free(out);
}

static void database_check(trial *in, const faulty_result *run) {
    if (!in->of->database)
        return;
    char *path = ht_path_join(in->folder, in->of->database);
    char *whole = query(path, "PRAGMA integrity_check"), *seeds = query(path, seeds_sql);
    char *rows = query(path, rows_sql), *blamed = query(path, blamed_sql);
    if (strcmp(blamed, "0") != 0)
        fault(in, run, "blamed configurations for it:", blamed);
    if (strcmp(whole, "ok") != 0)
        fault(in, run, "left a damaged database:", whole);
    if (strcmp(seeds, in->seeds) != 0)
        fault(in, run, "lost or changed rows:", seeds);
    if (run->code == 0 && strtol(rows, NULL, 10) < in->rows)
        fault(in, run, "has too few rows:", rows);
    free(blamed);
    free(rows);
    free(seeds);
    free(whole);
    free(path);
}

/* Returns true for the words of errno and SQLite that a full or failing disk leads to. */
static bool says_why(const char *said) {
    static const char *const words[] = {"No space left on device", "Input/output error",
                                        "disk I/O error",          "full",
                                        "unable to open",          "read-only"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        found = found || strstr(said, words[i]);
    return found;
}

static void run_check(trial *in, const faulty_result *run) {
    ++in->runs;
    in->refused += run->code != 0;
    if (getenv("HT_FAULTS_VERBOSE"))
        printf("%s%d: %s\n", run->fault, run->code, run->said);
    if (run->code < 0 || run->code > 4)
        fault(in, run, "ended otherwise than documented", "");
    if (run->code != 0 && !says_why(run->said))
        fault(in, run, "does not say why", "");
    if (run->code == 0 && in->of->says && !strstr(run->said, in->of->says))
        fault(in, run, "does not do all, but exits with 0; it should say:", in->of->says);
    outputs_check(in, run);
    inputs_check(in, run);
    leftovers_check(in, run);
    database_check(in, run);
}

/* ---- all runs of a command */

/* Counts the calls, and keeps the result without a fault. */
static bool baseline_take(trial *in, long *out_count) {
    faulty_result run;
    trial_run(in, 0, &run);
    *out_count = run.count;
    bool good = run.code == 0 && run.count > 0;
    if (!good)
        printf("FAILED %s: exit code %d without a fault, %ld calls: %s\n", in->of->name, run.code,
               run.count, run.said);
    for (size_t i = 0; i < FILES_MAX && in->of->outputs[i]; ++i)
        in->expected[i] = text_of(in, in->of->outputs[i]);
    if (in->of->database) {
        char *path = ht_path_join(in->folder, in->of->database), *rows = query(path, rows_sql);
        in->rows = strtol(rows, NULL, 10);
        in->seeds = query(path, seeds_sql);
        free(rows);
        free(path);
    }
    faulty_free(&run);
    return good;
}

/* Prepares parsed headers: a run takes half the time with those that an earlier one has parsed. */
static void parsed_prepare(const trial *in) {
    char *cache = ht_path_join(in->aside, "parsed");
    faulty_result run;
    setenv("HIPTEMPER_CACHE", "", 1);
    setenv("HIPTEMPER_KEPT", "", 1); /* each run does its work */
    if (!in->of->parses) {
        setenv("HIPTEMPER_CACHE", cache, 1);
        trial_run(in, 0, &run);
        faulty_free(&run);
    }
    free(cache);
}

/* Which of a scenario's calls fail. */
typedef struct choice {
    long sample; /* that many, evenly; 0: all */
    long first;  /* of those from this number on */
    long step;   /* with all: every such one; 0: 1 */
} choice;

static long scenario_run(const scenario *of, const char *root, const choice *asked) {
    trial in = {
        .of = of, .folder = ht_path_join(root, "work"), .aside = ht_path_join(root, "aside")};
    long count = 0;
    parsed_prepare(&in);
    bool good = baseline_take(&in, &count);
    long left = count - asked->first + 1;
    long step = asked->sample > 0 && left > asked->sample ? left / asked->sample : 1;
    long first = asked->first + step / 2;
    if (asked->sample == 0 && asked->step > 0)
        step = asked->step;
    for (long i = first; good && i <= count; i += step) {
        faulty_result run;
        trial_run(&in, i, &run);
        run_check(&in, &run);
        faulty_free(&run);
    }
    printf("%-10s %4ld calls, %4ld of them made to fail: %ld times an error, %ld without a loss; "
           "%ld failures\n",
           of->name, count, in.runs, in.refused, in.runs - in.refused, in.failures + !good);
    fflush(stdout);
    for (size_t i = 0; i < FILES_MAX; ++i)
        free(in.expected[i]);
    free(in.seeds);
    free(in.folder);
    free(in.aside);
    return in.failures + !good;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--database") == 0)
        return database_main(argv[2]);
    if (HT_ADDRESS_SANITIZED) {
        printf("not run: the library cannot go ahead of the sanitizer's\n");
        return 0;
    }
    bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    const char *only = argc > 2 ? argv[2] : NULL;
    choice asked = {.sample = argc > 3 ? strtol(argv[3], NULL, 10) : 0,
                    .first = argc > 4 ? strtol(argv[4], NULL, 10) : 1,
                    .step = argc > 5 ? strtol(argv[5], NULL, 10) : 1};
    long failures = 0;
    char *root;
    if (ht_dir_temporary("faults", &root, NULL) != HT_OK)
        return 2;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i)
        if (only ? strcmp(only, scenarios[i].name) == 0 : all || scenarios[i].sample)
            failures += scenario_run(&scenarios[i], root,
                                     all ? &asked : &(choice){scenarios[i].sample, 1, 1});
    ht_dir_remove(root);
    free(root);
    return failures ? 1 : 0;
}
