#include "predictor/forests/distil.h"

#include "base/memory.h"
#include "base/random.h"
#include "predictor/layers/loss.h"
#include "predictor/network/network_float.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

ht_distil_settings ht_distil_defaults(void) {
    return (ht_distil_settings){
        .samples = 2, .sample_weight = 0.5F, .labels = 0.3F, .threads = 0, .seed = 1};
}

/* The data that all threads read. */
typedef struct task {
    const ht_network *const *teachers;
    size_t teacher_count;
    const ht_dataset *dataset;
    const ht_examples *examples;
    const ht_rules *rules;
    const ht_distil_settings *settings;
    size_t rows; /* of a record: its label's, then the drawn ones */
    int threads;
    ht_examples *out;
} task;

/* A thread's own. */
typedef struct worker {
    ht_decoder **decoders;
    ht_completion *completion; /* NULL: no rules */
    float *logits;             /* [rows][values] */
    uint32_t *parents;
    uint16_t *tokens;
} worker;

static void worker_start(worker *worker, const task *task) {
    size_t most = 0;
    for (uint32_t t = 0; t < task->out->output.steps; t++)
        most = task->out->output.values[t] > most ? task->out->output.values[t] : most;
    worker->decoders = ht_alloc(task->teacher_count, sizeof(ht_decoder *));
    for (size_t k = 0; k < task->teacher_count; k++)
        worker->decoders[k] = ht_decoder_new(task->teachers[k], task->rows);
    worker->completion = task->rules ? ht_completion_new(task->rules) : NULL;
    worker->logits = ht_alloc(task->rows * most, sizeof *worker->logits);
    worker->parents = ht_alloc(task->rows, sizeof *worker->parents);
    worker->tokens = ht_alloc(task->rows, sizeof *worker->tokens);
}

static void worker_finish(worker *worker, const task *task) {
    for (size_t k = 0; k < task->teacher_count; k++)
        ht_decoder_free(worker->decoders[k]);
    ht_completion_free(worker->completion);
    free(worker->decoders);
    free(worker->logits);
    free(worker->parents);
    free(worker->tokens);
}

/* Marks what row r may choose at step t. */
static void allow(const task *task, worker *worker, size_t record, size_t row, uint32_t t,
                  uint8_t *out_allowed) {
    const ht_output_shape *output = &task->out->output;
    const uint8_t *known = task->examples->allowed;
    if (row == 0 && known) {
        memcpy(out_allowed, known + record * output->total + output->first[t], output->values[t]);
        return;
    }
    const uint16_t *prefix = task->out->targets + (record * task->rows + row) * output->steps;
    if (!worker->completion ||
        ht_completion_allowed(worker->completion, prefix, t, out_allowed) == 0)
        memset(out_allowed, 1, output->values[t]);
}

/* Draws by the distribution. Rounding can leave a rest: the last possible value takes it. */
static uint16_t draw(ht_random *random, const float *distribution, size_t values) {
    double left = ht_random_unit(random);
    size_t last = 0;
    for (size_t v = 0; v < values; v++) {
        if (distribution[v] <= 0)
            continue;
        last = v;
        left -= distribution[v];
        if (left < 0)
            break;
    }
    return (uint16_t)last;
}

/* Writes the teachers' mean distributions of step t into `soft` of all rows, then draws the
 * values. */
static void step(const task *task, worker *worker, size_t record, uint32_t t, ht_random *random) {
    const ht_output_shape *output = &task->out->output;
    size_t rows = task->rows, values = output->values[t], first = record * rows;
    float *soft = task->out->soft + output->first[t];
    uint8_t *allowed = task->out->allowed + output->first[t];
    for (size_t r = 0; r < rows; r++) {
        allow(task, worker, record, r, t, allowed + (first + r) * output->total);
        worker->parents[r] = t > 1 ? (uint32_t)r : 0;
        worker->tokens[r] = t ? task->out->targets[(first + r) * output->steps + t - 1] : 0;
    }
    for (size_t k = 0; k < task->teacher_count; k++) {
        ht_decoder_step(worker->decoders[k], t ? rows : 1, worker->parents, worker->tokens,
                        worker->logits);
        for (size_t r = 0; r < rows; r++) {
            float row[HT_PARAM_VALUES_MAX];
            memcpy(row, worker->logits + (t ? r : 0) * values, values * sizeof *row);
            ht_log_softmax(values, allowed + (first + r) * output->total, row);
            for (size_t v = 0; v < values; v++)
                soft[(first + r) * output->total + v] += expf(row[v]) / (float)task->teacher_count;
        }
    }
    for (size_t r = 1; r < rows; r++)
        task->out->targets[(first + r) * output->steps + t] =
            draw(random, soft + (first + r) * output->total, values);
}

/* Mixes the label's share into the targets along it. */
static void mix_label(const task *task, size_t record) {
    const ht_output_shape *output = &task->out->output;
    float labels = task->settings->labels;
    const uint16_t *targets = task->out->targets + record * task->rows * output->steps;
    float *soft = task->out->soft + record * task->rows * output->total;
    for (uint32_t i = 0; i < output->total; i++)
        soft[i] *= 1 - labels;
    for (uint32_t t = 0; t < output->steps; t++)
        soft[output->first[t] + targets[t]] += labels;
}

static void record_distil(const task *task, worker *worker, size_t record) {
    const ht_examples *examples = task->examples;
    const ht_output_shape *output = &examples->output;
    const ht_input_shape *input = &examples->input;
    size_t source = examples->inputs ? examples->inputs[record] : record;
    size_t rows = task->rows, first = record * rows;
    ht_random random;
    ht_random_stream(&random, task->settings->seed, HT_STREAM_SAMPLES + (record << 8));
    memcpy(task->out->targets + first * output->steps, examples->targets + record * output->steps,
           output->steps * sizeof *examples->targets);
    float weight = examples->weights ? examples->weights[record] : 1;
    for (size_t r = 0; r < rows; r++) {
        task->out->inputs[first + r] = (uint32_t)record;
        task->out->groups[first + r] = examples->groups[record];
        task->out->weights[first + r] = r ? weight * task->settings->sample_weight : weight;
    }
    if (worker->completion)
        ht_completion_start(worker->completion,
                            task->dataset->fields + record * task->dataset->schema->field_count);
    for (size_t k = 0; k < task->teacher_count; k++)
        ht_decoder_start(
            worker->decoders[k], examples->ids + source * input->positions * input->ids,
            examples->features ? examples->features + source * input->positions * input->features
                               : NULL);
    for (uint32_t t = 0; t < output->steps; t++)
        step(task, worker, record, t, &random);
    mix_label(task, record);
}

/* Makes room for all and copies the inputs. */
static void out_start(const task *task) {
    const ht_examples *examples = task->examples;
    size_t count = examples->count * task->rows;
    uint32_t *all = ht_alloc(examples->count + 1, sizeof *all);
    ht_examples copied;
    for (size_t i = 0; i < examples->count; i++)
        all[i] = (uint32_t)i;
    ht_examples_pick(examples, all, examples->count, &copied);
    *task->out = (ht_examples){.input = examples->input, .output = examples->output};
    task->out->count = count;
    task->out->ids = copied.ids;
    task->out->features = copied.features;
    copied.ids = NULL;
    copied.features = NULL;
    ht_examples_free(&copied);
    free(all);
    task->out->inputs = ht_alloc(count + 1, sizeof *task->out->inputs);
    task->out->targets = ht_alloc(count * examples->output.steps + 1, sizeof(uint16_t));
    task->out->allowed = ht_alloc(count * examples->output.total + 1, 1);
    task->out->soft = ht_alloc(count * examples->output.total + 1, sizeof(float));
    task->out->weights = ht_alloc(count + 1, sizeof(float));
    task->out->groups = ht_alloc(count + 1, sizeof(uint64_t));
}

static ht_status check(const task *task, ht_error *error) {
    const ht_examples *examples = task->examples;
    const ht_distil_settings *settings = task->settings;
    if (task->teacher_count == 0)
        return ht_error_set(error, HT_ERROR_INPUT, "there is no network to learn from");
    if (examples->count != task->dataset->count)
        return ht_error_set(error, HT_ERROR_INPUT, "the examples are not those of the data set");
    if (settings->samples > 64 || !(settings->labels >= 0 && settings->labels <= 1) ||
        !(settings->sample_weight >= 0))
        return ht_error_set(error, HT_ERROR_INPUT,
                            "distillation draws at most 64 samples; the labels' share is between 0 "
                            "and 1, the samples' weight at least 0");
    for (size_t k = 0; k < task->teacher_count; k++)
        if (memcmp(ht_network_input(task->teachers[k]), &examples->input, sizeof examples->input) !=
                0 ||
            ht_network_output(task->teachers[k])->total != examples->output.total)
            return ht_error_set(error, HT_ERROR_INPUT,
                                "a teacher's shape is not that of the examples");
    return HT_OK;
}

ht_status ht_distil(const ht_network *const *teachers, size_t teacher_count,
                    const ht_dataset *dataset, const ht_examples *examples, const ht_rules *rules,
                    const ht_distil_settings *settings,
                    bool (*progress)(void *context, double done), void *context,
                    ht_examples *out_examples, ht_error *error) {
    task task = {.teachers = teachers,
                 .teacher_count = teacher_count,
                 .dataset = dataset,
                 .examples = examples,
                 .rules = rules,
                 .settings = settings,
                 .rows = 1 + (size_t)settings->samples,
                 .threads = settings->threads ? (int)settings->threads : omp_get_max_threads(),
                 .out = out_examples};
    *out_examples = (ht_examples){0};
    ht_status status = check(&task, error);
    if (status)
        return status;
    out_start(&task);
    atomic_size_t done = 0;
    atomic_bool stopped = false;
#pragma omp parallel num_threads(task.threads)
    {
        worker worker;
        worker_start(&worker, &task);
#pragma omp for schedule(dynamic, 64)
        for (size_t i = 0; i < examples->count; i++) {
            if (atomic_load(&stopped))
                continue;
            record_distil(&task, &worker, i);
            size_t now = atomic_fetch_add(&done, 1) + 1;
            if (progress && omp_get_thread_num() == 0 && now % 16 == 0 &&
                !progress(context, (double)now / (double)examples->count))
                atomic_store(&stopped, true);
        }
        worker_finish(&worker, &task);
    }
    if (!atomic_load(&stopped))
        return HT_OK;
    ht_examples_free(out_examples);
    return ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted while asking the teachers");
}
