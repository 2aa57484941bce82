/* How well the model of the GPU (docs/gpu-model.md) orders configurations, against recorded tuning
 * runs of AMD's GPUs: compiles a sample of a run's configurations, counts their instructions,
 * predicts times, and compares the order with the recorded one. Nothing of the recordings goes into
 * the predictions.
 *
 *   gpu_model FOLDER [NAME=VALUE...]
 *       FOLDER holds SPACE/RUN.json.gz (Kernel Tuner's cache files) and kernels/SPACE.hip. Names:
 *       space (convolution_milo), run (MI250X), gpu (mi250x; a row of the model), compiler
 *       (clang-14), options (more of them for the compiler, separated by spaces), sample (150; 0:
 *       all), seed (1), blocks (12; of a launch, followed), only (NAME=VALUE; of the recording's
 *       parameters), variants (1; 0: the kernel ignores use_shmem), objects (a folder that keeps
 *       compiled code), rows (a file for one line for each configuration).
 */
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/tool.h"
#include "benchmarks/gpu_model/subject.h"
#include "runtime/amd/model/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    const char *space, *run, *gpu, *compiler, *options, *only, *objects, *rows;
    unsigned long sample, seed, blocks, variants;
} settings;

/* A configuration of the sample. */
typedef struct trial {
    const ht_recorded *row;
    char *object; /* file of its code; owned; NULL: it did not compile */
    ht_resources resources;
    ht_gpu_work work;
    ht_gpu_time time;
    bool predicted;
    char why_not[256];
} trial;

typedef struct experiment {
    settings settings;
    const char *folder;
    const ht_gpu *gpu;
    const ht_subject *subject;
    char *kernel, *kernel_folder; /* owned */
    ht_recording recording;
    trial *trials; /* owned */
    size_t count;
    ht_device device;
} experiment;

static void check(ht_status status, const ht_error *error) {
    if (status == HT_OK)
        return;
    fprintf(stderr, "gpu_model: %s\n", error->message);
    exit(ht_status_exit_code(status));
}

/* ---- the sample */

static bool is_wanted(const experiment *self, const ht_recorded *row) {
    const char *only = self->settings.only, *equals = only ? strchr(only, '=') : NULL;
    if (row->ms <= 0)
        return false;
    if (!equals)
        return true;
    char *name = ht_strndup(only, (size_t)(equals - only));
    bool wanted = ht_recorded_value(&self->recording, row, name, 0) == strtol(equals + 1, NULL, 10);
    free(name);
    return wanted;
}

/* Chooses the first of a shuffle, so that a larger sample holds a smaller one. */
static void choose(experiment *self) {
    const ht_recording *recording = &self->recording;
    const ht_recorded **wanted = ht_alloc(recording->count + 1, sizeof(*wanted));
    size_t count = 0;
    ht_random random;
    ht_random_seed(&random, self->settings.seed);
    for (size_t i = 0; i < recording->count; ++i)
        if (is_wanted(self, &recording->rows[i]))
            wanted[count++] = &recording->rows[i];
    size_t most = self->settings.sample;
    self->count = most && most < count ? most : count;
    self->trials = ht_alloc(self->count + 1, sizeof *self->trials);
    for (size_t i = 0; i < self->count; ++i) {
        size_t pick = i + ht_random_below(&random, count - i);
        self->trials[i].row = wanted[pick];
        wanted[pick] = wanted[i];
    }
    free(wanted);
}

/* ---- compiling */

static const char *const basic_options[] = {
    "-x",  "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc",
    "-O3", "-w"};
enum { BASIC = sizeof basic_options / sizeof *basic_options, ARGUMENTS_MAX = 80 };

static size_t add_words(char *words, const char **arguments, size_t count) {
    char *place = NULL;
    for (char *word = strtok_r(words, " ", &place); word && count < ARGUMENTS_MAX - 8;
         word = strtok_r(NULL, " ", &place))
        arguments[count++] = word;
    return count;
}

/* Compiles `source` to `object`. */
static bool compile(const experiment *self, const trial *trial, const char *source,
                    const char *object) {
    const ht_recording *recording = &self->recording;
    const char *arguments[ARGUMENTS_MAX] = {self->settings.compiler};
    size_t count = 1, owned_first;
    char *words = ht_strdup(self->settings.options ? self->settings.options : "");
    ht_text said = {0};
    ht_error error = {0};
    int code = 1;
    for (size_t i = 0; i < BASIC; ++i)
        arguments[count++] = basic_options[i];
    count = add_words(words, arguments, count);
    owned_first = count;
    arguments[count++] = ht_format("--offload-arch=%s", self->gpu->arch);
    arguments[count++] = ht_format("-I%s/gpu_model", BENCHMARKS_FOLDER);
    arguments[count++] = ht_format("-I%s", self->kernel_folder);
    for (size_t i = 0; i < recording->param_count; ++i)
        arguments[count++] = ht_format("-D%s=%ld", recording->names[i], trial->row->values[i]);
    size_t owned_end = count;
    arguments[count++] = "-o";
    arguments[count++] = object;
    arguments[count++] = source;
    ht_tool_call call = {.arguments = arguments, .seconds = 120};
    ht_status status = ht_tool_run(&call, &said, &code, &error);
    if (status || code)
        fprintf(stderr, "%s: %.300s\n", object, status ? error.message : said.data);
    for (size_t i = owned_first; i < owned_end; ++i)
        free((char *)(uintptr_t)arguments[i]);
    free(words);
    ht_text_free(&said);
    return status == HT_OK && code == 0;
}

/* Makes the code of a configuration, or finds it where an earlier run left it. */
static void make_object(const experiment *self, trial *trial) {
    const settings *given = &self->settings;
    char *source = ht_subject_source(self->kernel, &self->recording, trial->row, given->variants);
    ht_text key = {0};
    char name[HT_HASH_SIZE];
    ht_error error = {0};
    ht_text_printf(&key, "%s %s %s", given->compiler, given->options ? given->options : "",
                   self->gpu->arch);
    for (size_t i = 0; i < self->recording.param_count; ++i)
        ht_text_printf(&key, " %s=%ld", self->recording.names[i], trial->row->values[i]);
    ht_text_append(&key, source);
    ht_hash_bytes(key.data, key.length, name);
    char *object = ht_format("%s/%s.co", given->objects, name);
    char *file = ht_format("%s/%s.hip", given->objects, name);
    bool made = ht_file_exists(object);
    if (!made) {
        check(ht_file_write(file, source, strlen(source), &error), &error);
        made = compile(self, trial, file, object);
        remove(file);
    }
    trial->object = made ? object : NULL;
    if (!made)
        free(object);
    free(file);
    free(source);
    ht_text_free(&key);
}

/* ---- predicting */

static ht_status predict_code(const experiment *self, trial *trial, ht_error *error) {
    char *code = NULL;
    size_t size = 0;
    ht_accesses accesses;
    ht_kernel_argument arguments[HT_SUBJECT_ARGUMENTS] = {0};
    ht_counted_launch launch = {.arguments = arguments,
                                .argument_count = HT_SUBJECT_ARGUMENTS,
                                .blocks_max = self->settings.blocks};
    const ht_provider *provider = &ht_provider_amd;
    self->subject->launch(&self->recording, trial->row, &launch, arguments);
    const uint32_t *block = launch.geometry.block;
    ht_status status = ht_file_read(trial->object, 0, &code, &size, error);
    if (!status)
        status = provider->resources(&self->device, code, size, self->subject->kernel,
                                     block[0] * block[1] * block[2], launch.geometry.lds,
                                     &trial->resources, error);
    if (!status)
        status = provider->accesses(&self->device, code, size, self->subject->kernel, &launch,
                                    &accesses, error);
    if (!status)
        status = ht_gpu_work_make(self->gpu, &accesses, &trial->resources, &launch.geometry,
                                  &trial->work, error);
    if (!status)
        trial->time = ht_gpu_time_compute(self->gpu, &trial->work);
    for (size_t i = 0; i < HT_SUBJECT_ARGUMENTS; ++i)
        free((void *)(uintptr_t)arguments[i].contents);
    free(code);
    return status;
}

static void predict(const experiment *self, trial *trial) {
    ht_error error = {0};
    if (!trial->object) {
        snprintf(trial->why_not, sizeof trial->why_not, "it does not compile");
        return;
    }
    trial->predicted = predict_code(self, trial, &error) == HT_OK;
    snprintf(trial->why_not, sizeof trial->why_not, "%.255s", error.message);
}

/* ---- comparing */

typedef struct pair {
    double predicted, recorded, rank;
} pair;

static int by_predicted(const void *a, const void *b) {
    double x = ((const pair *)a)->predicted, y = ((const pair *)b)->predicted;
    return (x > y) - (x < y);
}

static int by_recorded(const void *a, const void *b) {
    double x = ((const pair *)a)->recorded, y = ((const pair *)b)->recorded;
    return (x > y) - (x < y);
}

/* Returns the mean rank of pair i among those that `order` does not tell from it; the pairs are in
 * that order. */
static double rank_of(const pair *pairs, size_t count, size_t i,
                      int (*order)(const void *, const void *)) {
    size_t first = i, last = i;
    while (first > 0 && order(&pairs[first - 1], &pairs[i]) == 0)
        first--;
    while (last + 1 < count && order(&pairs[last + 1], &pairs[i]) == 0)
        last++;
    return (double)(first + last) / 2;
}

/* Returns Spearman's rank correlation; leaves the pairs in the predicted order. */
static double correlation(pair *pairs, size_t count) {
    double mean = (double)(count - 1) / 2, both = 0, a = 0, b = 0;
    qsort(pairs, count, sizeof *pairs, by_recorded);
    for (size_t i = 0; i < count; ++i)
        pairs[i].rank = rank_of(pairs, count, i, by_recorded) - mean;
    qsort(pairs, count, sizeof *pairs, by_predicted);
    for (size_t i = 0; i < count; ++i) {
        double rank = rank_of(pairs, count, i, by_predicted) - mean;
        both += rank * pairs[i].rank;
        a += rank * rank;
        b += pairs[i].rank * pairs[i].rank;
    }
    return a > 0 && b > 0 ? both / sqrt(a * b) : 0;
}

/* Returns the share of the best recorded speed that the fastest of the first `top` has. */
static double best_of(const pair *pairs, size_t count, size_t top) {
    double best = INFINITY, chosen = INFINITY;
    for (size_t i = 0; i < count; ++i) {
        best = fmin(best, pairs[i].recorded);
        if (i < top)
            chosen = fmin(chosen, pairs[i].recorded);
    }
    return best / chosen;
}

static void print_line(const experiment *self, const char *which, bool with_scratch) {
    pair *pairs = ht_alloc(self->count + 1, sizeof *pairs);
    size_t count = 0;
    for (size_t i = 0; i < self->count; ++i) {
        const trial *trial = &self->trials[i];
        if (trial->predicted && (with_scratch || trial->resources.scratch == 0))
            pairs[count++] = (pair){.predicted = trial->time.seconds, .recorded = trial->row->ms};
    }
    if (count > 1) {
        double rank = correlation(pairs, count);
        printf("%-20s %6zu %10.3f %8.3f %8.3f %8.3f\n", which, count, rank,
               best_of(pairs, count, 1), best_of(pairs, count, 5), best_of(pairs, count, 10));
    }
    free(pairs);
}

static void write_rows(const experiment *self) {
    FILE *out = fopen(self->settings.rows, "w");
    if (!out) {
        fprintf(stderr, "gpu_model: %s: cannot be written\n", self->settings.rows);
        exit(1);
    }
    for (size_t p = 0; p < self->recording.param_count; ++p)
        fprintf(out, "%s\t", self->recording.names[p]);
    fprintf(out, "recorded\tpredicted\tbottleneck\tscratch\tvgprs\tresident\tblocks");
    for (size_t t = 0; t < HT_GPU_TERM_COUNT; ++t)
        fprintf(out, "\t%s", ht_gpu_term_words((ht_gpu_term)t));
#define HEAD(field, meaning) fprintf(out, "\t" #field);
    HT_GPU_BLOCK_FIELDS(HEAD)
#undef HEAD
    fputc('\n', out);
    for (size_t i = 0; i < self->count; ++i) {
        const trial *trial = &self->trials[i];
        if (!trial->predicted)
            continue;
        for (size_t p = 0; p < self->recording.param_count; ++p)
            fprintf(out, "%ld\t", trial->row->values[p]);
        fprintf(out, "%.6g\t%.6g\t%s\t%d\t%d\t%g\t%g", trial->row->ms, 1e3 * trial->time.seconds,
                ht_gpu_term_words(trial->time.bottleneck), trial->resources.scratch,
                trial->resources.vgprs, trial->work.resident, trial->work.blocks);
        for (size_t t = 0; t < HT_GPU_TERM_COUNT; ++t)
            fprintf(out, "\t%.6g", 1e3 * trial->time.terms[t]);
#define CELL(field, meaning) fprintf(out, "\t%.6g", trial->work.field);
        HT_GPU_BLOCK_FIELDS(CELL)
#undef CELL
        fputc('\n', out);
    }
    fclose(out);
}

static void report(const experiment *self) {
    size_t missing = 0;
    for (size_t i = 0; i < self->count; ++i)
        if (!self->trials[i].predicted && missing++ < 5)
            fprintf(stderr, "not predicted: %s\n", self->trials[i].why_not);
    printf("%s on %s, model %s, %s: %zu configurations, %zu of them not predicted\n",
           self->settings.space, self->settings.run, self->gpu->name, self->settings.compiler,
           self->count, missing);
    printf("%-20s %6s %10s %8s %8s %8s\n", "", "number", "rank corr.", "best", "of 5", "of 10");
    print_line(self, "all", true);
    print_line(self, "without scratch", false);
    if (self->settings.rows)
        write_rows(self);
}

/* ---- the program */

static bool read_setting(settings *out, const char *text) {
    const struct {
        const char *name, **text;
        unsigned long *number;
    } known[] = {{"space=", &out->space, NULL},     {"run=", &out->run, NULL},
                 {"gpu=", &out->gpu, NULL},         {"compiler=", &out->compiler, NULL},
                 {"options=", &out->options, NULL}, {"only=", &out->only, NULL},
                 {"objects=", &out->objects, NULL}, {"rows=", &out->rows, NULL},
                 {"sample=", NULL, &out->sample},   {"seed=", NULL, &out->seed},
                 {"blocks=", NULL, &out->blocks},   {"variants=", NULL, &out->variants}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (!ht_text_begins(text, known[i].name))
            continue;
        const char *value = text + strlen(known[i].name);
        if (known[i].text)
            *known[i].text = value;
        else
            *known[i].number = strtoul(value, NULL, 10);
        return true;
    }
    return false;
}

static void open_experiment(experiment *self) {
    const settings *given = &self->settings;
    ht_error error = {0};
    self->gpu = ht_gpu_find(given->gpu);
    self->subject = ht_subject_find(given->space);
    if (!self->gpu || !self->subject) {
        fprintf(stderr, "gpu_model: no %s is known\n", self->gpu ? "such space" : "such GPU");
        exit(2);
    }
    char *path = ht_format("%s/%s/%s.json.gz", self->folder, given->space, given->run);
    check(ht_recording_read(path, &self->recording, &error), &error);
    free(path);
    path = ht_format("%s/kernels/%s.hip", self->folder, given->space);
    check(ht_file_read_text(path, "a kernel", &self->kernel, &error), &error);
    free(path);
    self->kernel_folder = ht_format("%s/kernels", self->folder);
    snprintf(self->device.provider, sizeof self->device.provider, "amd");
    snprintf(self->device.arch, sizeof self->device.arch, "%s", self->gpu->arch);
    check(ht_dir_make(given->objects, &error), &error);
}

int main(int argc, char **argv) {
    experiment self = {.settings = {.space = "convolution_milo",
                                    .run = "MI250X",
                                    .gpu = "mi250x",
                                    .compiler = "clang-14",
                                    .objects = "build/gpu_model",
                                    .sample = 150,
                                    .seed = 1,
                                    .blocks = 12,
                                    .variants = 1}};
    bool good = argc >= 2;
    for (int i = 2; i < argc && good; ++i)
        good = read_setting(&self.settings, argv[i]);
    if (!good) {
        fprintf(stderr, "usage: gpu_model FOLDER [NAME=VALUE...]\n");
        return 2;
    }
    self.folder = argv[1];
    open_experiment(&self);
    choose(&self);
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < self.count; ++i)
        make_object(&self, &self.trials[i]);
    for (size_t i = 0; i < self.count; ++i)
        predict(&self, &self.trials[i]);
    report(&self);
    for (size_t i = 0; i < self.count; ++i)
        free(self.trials[i].object);
    free(self.trials);
    free(self.kernel);
    free(self.kernel_folder);
    ht_recording_free(&self.recording);
    return 0;
}
