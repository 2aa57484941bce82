/* predictor_legal DATA.tsv[.gz]...: the verdict of the carried schemas' rules on tuning records,
 * and the cost of the look-ahead: a beam of 10 over random answers for every record
 * (docs/constrained-beam.md). / */
#include "base/memory.h"
#include "base/random.h"
#include "predictor/data/dataset.h"
#include "predictor/rules/beam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 10 };

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct source {
    const ht_output_shape *shape;
    ht_random random;
    uint32_t at;
} source;

static void random_step(void *context, size_t rows, const uint32_t *parents, const uint16_t *tokens,
                        float *out_logits) {
    source *from = context;
    size_t count = rows * from->shape->values[from->at];
    (void)parents, (void)tokens;
    for (size_t i = 0; i < count; ++i)
        out_logits[i] = 4 * (float)ht_random_unit(&from->random);
    from->at = (from->at + 1) % from->shape->steps;
}

typedef struct timing {
    double sum, worst;
} timing;

static void add_time(timing *to, double seconds) {
    to->sum += seconds;
    to->worst = seconds > to->worst ? seconds : to->worst;
}

typedef struct counts {
    size_t legal, few, inexact;
    size_t *broken; /* by requirement */
    timing start, beam;
} counts;

static void examine(const ht_dataset *data, ht_completion *completion, ht_beam *beam, source *from,
                    counts *out) {
    const ht_schema *schema = data->schema;
    const ht_beam_row *rows;
    bool dropped;
    for (size_t i = 0; i < data->count; ++i) {
        double before = cpu_seconds();
        ht_completion_start(completion, &data->fields[i * schema->field_count]);
        double middle = cpu_seconds();
        size_t count = ht_beam_search(beam, &(ht_beam_source){from, random_step, 1}, 1, completion,
                                      WIDTH, &rows, &dropped);
        double after = cpu_seconds();
        add_time(&out->start, middle - before);
        add_time(&out->beam, after - middle);
        out->few += count < WIDTH;
        out->inexact += !ht_completion_exact(completion);
        int broken = ht_completion_broken(completion, &data->targets[i * schema->param_count]);
        if (broken < 0)
            ++out->legal;
        else
            ++out->broken[broken];
    }
}

static void print(const ht_schema *schema, const char *path, const ht_dataset *data,
                  const counts *c) {
    double count = data->count ? (double)data->count : 1;
    printf("%s\t%zu\t%.3f\t%.1f\t%.0f\t%.1f\t%.0f\t%zu\t%zu\t",
           strrchr(path, '/') ? strrchr(path, '/') + 1 : path, data->count + data->skipped,
           100 * (double)c->legal / count, 1e6 * c->start.sum / count, 1e6 * c->start.worst,
           1e6 * c->beam.sum / count, 1e6 * c->beam.worst, c->few, c->inexact);
    for (size_t r = 0; r < schema->require_count; ++r)
        if (c->broken[r])
            printf(" %zux line %d", c->broken[r], schema->requires[r].place.line);
    printf("\n");
}

static ht_status examine_file(const char *path, ht_error *error) {
    char *kernel = ht_dataset_kernel(path);
    const char *text = ht_schema_builtin_text(kernel);
    ht_schema *schema = NULL;
    ht_rules *rules = NULL;
    ht_dataset data = {0};
    ht_output_shape shape;
    ht_status status = text ? ht_schema_parse(text, kernel, &schema, error)
                            : ht_error_set(error, HT_ERROR_INPUT, "no schema for %s", kernel);
    if (status == HT_OK)
        status = ht_rules_compile(schema, NULL, 0, &rules, error);
    if (status == HT_OK)
        status = ht_dataset_read(schema, &path, 1, &data, error);
    if (status == HT_OK) {
        ht_schema_output(schema, &shape);
        ht_completion *completion = ht_completion_new(rules);
        ht_beam *beam = ht_beam_new(&shape, WIDTH);
        source from = {.shape = &shape};
        counts c = {.broken = ht_alloc(schema->require_count + 1, sizeof *c.broken)};
        ht_random_seed(&from.random, 1);
        examine(&data, completion, beam, &from, &c);
        print(schema, path, &data, &c);
        free(c.broken);
        ht_beam_free(beam);
        ht_completion_free(completion);
    }
    ht_dataset_free(&data);
    ht_rules_free(rules);
    ht_schema_free(schema);
    free(kernel);
    return status;
}

int main(int argc, char **argv) {
    ht_error error;
    int failed = 0;
    printf("file\trecords\tlegal %%\tstart us\tworst\tbeam us\tworst\tfewer than "
           "%d\tinexact\tbroken\n",
           WIDTH);
    for (int i = 1; i < argc; ++i)
        if (examine_file(argv[i], &error) != HT_OK) {
            fprintf(stderr, "%s:%d: %s\n", error.file, error.line, error.message);
            failed = 1;
        }
    return failed;
}
