/* The methods that the predictor must beat: simple ones on the same records, with the same folds
 * and measures.
 *
 *   predictor_baselines [OPTION...] DATA.tsv[.gz]...
 * DATA are named KERNEL.PRECISION.ARCH.tsv; each is learned and tested alone, except by methods
 * that pool the files of a kernel. Prints one line of JSON for each file and method. */
#include "benchmarks/predictor/scores.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "predictor/data/split.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "Usage: predictor_baselines [OPTION...] DATA.tsv[.gz]...\n"
    "  --folds=K        parts for cross-validation (5)\n"
    "  --fold=I/K       only part I of K, the same as of `hiptemper train` and `evaluate`\n"
    "  --fold-by=record records fall into parts one by one: the same problem on another machine "
    "leaks\n"
    "  --regroup=A,B    fields that do not make a problem different\n"
    "  --together       every method learns from all files of a kernel together, as pooled ones "
    "do\n"
    "  --methods=A,B    only these (listed below)\n"
    "  --extra=FILE     more data for pooled training, never tested (may be repeated)\n"
    "  --trees=N        of each forest (100)\n"
    "  --tried=X        share of the features that extra trees look at for a split; 0: the square "
    "root (0)\n"
    "  --min-leaf=N     rows at a leaf of a forest (1)\n"
    "  --constrained    chains only continue by what can become legal\n"
    "  --threads=N, --seed=N\n"
    "  --compare=FILE   a table with columns file, nn1_avg, nn1_perfect: printed with `nearest`\n"
    "Methods:\n";

/* That of the commands (predictor/data/split.c). */
enum { FOLD_SEED = 1 };

typedef struct options {
    ht_fold fold; /* index = count: all of them */
    size_t threads;
    bool by_record, together;
    const char *regroup, *methods, *compare;
    ht_method_settings method;
    const char **paths, **extra;
    size_t path_count, extra_count;
} options;

static void usage(FILE *out) {
    fputs(USAGE, out);
    for (size_t i = 0; i < ht_method_count; ++i)
        fprintf(out, "  %-14s %s\n", ht_methods[i].name, ht_methods[i].what);
}

static const char *value_of(const char *argument, const char *name) {
    size_t length = strlen(name);
    return !strncmp(argument, name, length) ? argument + length : NULL;
}

static bool folds_take(options *options, const char *argument) {
    const char *value;
    if ((value = value_of(argument, "--folds=")))
        options->fold.index = options->fold.count = (uint32_t)strtoul(value, NULL, 10);
    else if ((value = value_of(argument, "--fold=")))
        return ht_fold_parse(value, &options->fold, NULL) == HT_OK;
    else if (!strcmp(argument, "--fold-by=record"))
        options->by_record = true;
    else if (!strcmp(argument, "--together"))
        options->together = true;
    else
        return false;
    return true;
}

static bool option_take(options *options, const char *argument) {
    const char *value;
    if (folds_take(options, argument))
        return true;
    if ((value = value_of(argument, "--regroup=")))
        options->regroup = value;
    else if ((value = value_of(argument, "--methods=")))
        options->methods = value;
    else if ((value = value_of(argument, "--extra=")))
        options->extra[options->extra_count++] = value;
    else if ((value = value_of(argument, "--trees=")))
        options->method.trees = strtoul(value, NULL, 10);
    else if ((value = value_of(argument, "--tried=")))
        options->method.tried = strtod(value, NULL);
    else if ((value = value_of(argument, "--min-leaf=")))
        options->method.min_leaf = strtoul(value, NULL, 10);
    else if ((value = value_of(argument, "--threads=")))
        options->threads = strtoul(value, NULL, 10);
    else if ((value = value_of(argument, "--seed=")))
        options->method.seed = strtoul(value, NULL, 10);
    else if ((value = value_of(argument, "--compare=")))
        options->compare = value;
    else if (!strcmp(argument, "--constrained"))
        options->method.constrained = true;
    else if (argument[0] != '-')
        options->paths[options->path_count++] = argument;
    else
        return false;
    return true;
}

static void options_parse(int argc, char **argv, options *options) {
    options->paths = ht_alloc(argc, sizeof *options->paths);
    options->extra = ht_alloc(argc, sizeof *options->extra);
    for (int i = 1; i < argc; ++i)
        if (!strcmp(argv[i], "--help")) {
            usage(stdout);
            exit(0);
        } else if (!option_take(options, argv[i])) {
            fprintf(stderr, "predictor_baselines: no such option, or a wrong value: %s\n", argv[i]);
            exit(2);
        }
    if (options->path_count == 0 || options->fold.count < 2 || options->method.trees == 0) {
        usage(stderr);
        exit(2);
    }
    if (options->threads > 0)
        omp_set_num_threads((int)options->threads);
}

static bool method_wanted(const options *options, const char *name) {
    const char *at = options->methods;
    size_t length = strlen(name);
    while (at && *at) {
        size_t part = strcspn(at, ",");
        if (part == length && !strncmp(at, name, length))
            return true;
        at += part + (at[part] == ',');
    }
    return !options->methods;
}

/* Returns the rows of one fold (or of all others), of one file (or of all, with NULL). */
static uint32_t *rows_pick(const ht_table *table, const options *options, const ht_table_file *only,
                           size_t fold, bool test, size_t *out_count) {
    uint32_t *rows = ht_alloc(table->rows, sizeof *rows);
    size_t count = 0;
    for (size_t f = 0; f < table->file_count; ++f) {
        const ht_table_file *file = &table->files[f];
        if ((only && file != only) || (test && file->extra))
            continue;
        for (size_t row = file->start; row < file->start + file->data.count; ++row)
            if ((ht_group_fold(table->groups[row], options->fold.count, FOLD_SEED) == fold) == test)
                rows[count++] = (uint32_t)row;
    }
    *out_count = count;
    return rows;
}

static void answers_score(const ht_table *table, const uint32_t *rows, size_t count,
                          const ht_answers *answers, ht_scores *scores) {
    ht_completion *completion = ht_completion_new(table->rules);
    for (size_t i = 0; i < count; ++i) {
        size_t file = 0;
        while (file + 1 < table->file_count && table->files[file + 1].start <= rows[i])
            ++file;
        ht_scores_add(table, completion, rows[i], &answers[i], &scores[file]);
    }
    ht_completion_free(completion);
}

/* Learns and answers once: one file, or all of them (NULL). `scores` is [file_count]. */
static void fold_run(const ht_table *table, const options *options, const ht_method_info *method,
                     const ht_table_file *file, size_t fold, ht_scores *scores) {
    size_t train_count, test_count;
    uint32_t *train = rows_pick(table, options, file, fold, false, &train_count);
    uint32_t *test = rows_pick(table, options, file, fold, true, &test_count);
    ht_answers *answers = ht_alloc(test_count + 1, sizeof *answers);
    if (train_count > 0 && test_count > 0)
        method->run(table, train, train_count, test, test_count, &options->method, answers);
    answers_score(table, test, test_count, answers, scores);
    free(answers);
    free(train);
    free(test);
}

static void counts_print(const ht_match_counts *counts, size_t records) {
    double n = (double)records;
    printf("\"average_accuracy\": %.4f, \"perfect\": %.4f, \"topk\": {", counts->parameters / n,
           counts->top[0] / n);
    for (size_t i = 0; i < HT_TOP_COUNT; ++i)
        printf("%s\"%zu\": %.4f", i ? ", " : "", ht_top[i], counts->top[i] / n);
    putchar('}');
}

/* Prints KERNEL.PRECISION.ARCH.tsv. */
static void name_print(const char *path) {
    static const char *const KEYS[] = {"kernel", "precision", "arch"};
    const char *at = ht_path_name(path);
    for (size_t i = 0; i < 3; ++i) {
        size_t length = strcspn(at, ".");
        printf("\"%s\": \"%.*s\", ", KEYS[i], (int)length, at);
        at += length + (at[length] == '.');
    }
}

static void scores_print(const options *options, const ht_method_info *method, const char *path,
                         const ht_scores *scores, double seconds) {
    if (scores->records == 0)
        return;
    putchar('{');
    name_print(path);
    printf("\"method\": \"%s\", \"folds\": %u, \"by\": \"%s\", \"records\": %zu, ", method->name,
           options->fold.count, options->by_record ? "record" : "problem", scores->records);
    counts_print(&scores->exact, scores->records);
    printf(", \"canonical\": {");
    counts_print(&scores->canonical, scores->records);
    printf("}, \"refused\": {\"records\": %zu, \"topk\": {", scores->refused);
    for (size_t i = 0; i < HT_TOP_COUNT; ++i)
        printf("%s\"%zu\": %.0f", i ? ", " : "", ht_top[i], scores->refused_top[i]);
    printf("}}, \"legal\": %.4f, \"constrained\": %s, \"together\": %s, \"seconds\": %.1f}\n",
           (double)scores->legal / (double)scores->answers,
           options->method.constrained ? "true" : "false",
           method->pooled || options->together ? "true" : "false", seconds);
    fflush(stdout);
}

/* Finds the row of `file` (.../FOLDER/NAME as FOLDER/NAME) in a table with a header. */
static bool compare_find(const char *text, const char *path, double *out_average,
                         double *out_perfect) {
    size_t average = 0, perfect = 0, column = 0;
    const char *name = ht_path_name(path), *end = strchr(text, '\n');
    for (const char *at = text; at && at < end; at = strpbrk(at, "\t\n") + 1, ++column) {
        average = !strncmp(at, "nn1_avg\t", 8) ? column : average;
        perfect = !strncmp(at, "nn1_perfect", 11) ? column : perfect;
    }
    for (const char *line = end; line && line[1]; line = strchr(line + 1, '\n')) {
        const char *tab = strchr(line + 1, '\t');
        const char *folder = strstr(line + 1, name);
        if (!tab || !folder || folder > tab || folder[strlen(name)] != '\t' ||
            (size_t)(tab - line - 1) > strlen(path) ||
            strncmp(path + strlen(path) - (tab - line - 1), line + 1, tab - line - 1) != 0)
            continue;
        const char *cell = line + 1;
        for (size_t i = 0; cell && i < column; ++i) {
            *out_average = i == average ? strtod(cell, NULL) : *out_average;
            *out_perfect = i == perfect ? strtod(cell, NULL) : *out_perfect;
            cell = strpbrk(cell, "\t\n") + 1;
        }
        return average && perfect;
    }
    return false;
}

static void compare_tell(const options *options, const char *path, const ht_scores *scores) {
    char *text = NULL;
    ht_error error = {0};
    double average = 0, perfect = 0, n = (double)scores->records;
    if (ht_file_read(options->compare, 0, &text, NULL, &error) != HT_OK)
        fprintf(stderr, "predictor_baselines: %s\n", error.message);
    else if (compare_find(text, path, &average, &perfect))
        fprintf(stderr, "%s: nearest %.1f / %.1f; %s has %.1f / %.1f\n", ht_path_name(path),
                100 * scores->exact.parameters / n, 100 * scores->exact.top[0] / n,
                options->compare, average, perfect);
    free(text);
}

static void method_run(const ht_table *table, const options *options,
                       const ht_method_info *method) {
    ht_scores *scores = ht_alloc(table->file_count, sizeof *scores);
    bool pooled = method->pooled || options->together;
    for (size_t f = 0; f < (pooled ? 1 : table->file_count); ++f) {
        const ht_table_file *file = pooled ? NULL : &table->files[f];
        double start = ht_clock_seconds();
        if (!pooled && file->extra)
            continue;
        for (uint32_t fold = 0; fold < options->fold.count; ++fold)
            if (options->fold.index == options->fold.count || options->fold.index == fold)
                fold_run(table, options, method, file, fold, scores);
        double seconds = ht_clock_seconds() - start;
        for (size_t g = 0; g < table->file_count; ++g)
            if (pooled || g == f)
                scores_print(options, method, table->files[g].path, &scores[g], seconds);
        if (file && options->compare && method->run == ht_nearest_run)
            compare_tell(options, file->path, &scores[f]);
    }
    free(scores);
}

/* Moves the paths of the first one's kernel to `out_paths`. */
static size_t kernel_take(const char **paths, size_t *count, const char *kernel,
                          const char **out_paths) {
    size_t taken = 0, kept = 0;
    for (size_t i = 0; i < *count; ++i) {
        char *own = ht_dataset_kernel(paths[i]);
        if (!strcmp(own, kernel))
            out_paths[taken++] = paths[i];
        else
            paths[kept++] = paths[i];
        free(own);
    }
    *count = kept;
    return taken;
}

int main(int argc, char **argv) {
    options options = {.fold = {5, 5}, .method = {.trees = 100, .min_leaf = 1, .seed = 1}};
    options_parse(argc, argv, &options);
    const char **paths = ht_alloc(argc, sizeof *paths);
    while (options.path_count > 0) {
        char *kernel = ht_dataset_kernel(options.paths[0]);
        size_t count = kernel_take(options.paths, &options.path_count, kernel, paths);
        size_t extra = kernel_take(options.extra, &options.extra_count, kernel, paths + count);
        ht_table *table = NULL;
        ht_error error = {0};
        if (ht_table_read(paths, count + extra, extra, options.regroup, &table, &error) != HT_OK) {
            fprintf(stderr, "predictor_baselines: %s:%d: %s\n", error.file, error.line,
                    error.message);
            return ht_status_exit_code(error.status);
        }
        if (options.by_record)
            ht_table_ungroup(table);
        for (size_t i = 0; i < ht_method_count; ++i)
            if (method_wanted(&options, ht_methods[i].name))
                method_run(table, &options, &ht_methods[i]);
        ht_table_free(table);
        free(kernel);
    }
    free(paths);
    free(options.paths);
    free(options.extra);
    return 0;
}
