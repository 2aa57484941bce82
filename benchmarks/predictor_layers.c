/* The speed of the predictor's layers: forward and backward together, one core.
 *
 *   predictor_layers [HIDDEN [BATCH [POSITIONS [LAYER]]]]        (192, 64, 12, all)
 *
 * Operations are those of the layer's matrix products (two for each multiplication and addition,
 * three times: forward, and backward for inputs and weights), so GFLOPS fall where a layer spends
 * its time elsewhere. */
#include "base/blas.h"
#include "base/memory.h"
#include "base/random.h"
#include "predictor/layers/activation.h"
#include "predictor/layers/adam.h"
#include "predictor/layers/attention.h"
#include "predictor/layers/bilstm.h"
#include "predictor/layers/conv1d.h"
#include "predictor/layers/dropout.h"
#include "predictor/layers/embedding.h"
#include "predictor/layers/feed_forward.h"
#include "predictor/layers/heads.h"
#include "predictor/layers/layer_norm.h"
#include "predictor/layers/loss.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IDS = 8, VOCABULARY = 2000, VALUES = 16 };

typedef struct bench {
    uint32_t hidden;
    size_t batch, places, rows; /* rows: places * batch */
    ht_real *weights, *grad_weights, *x, *y, *z, *grad_x, *grad_y, *grad_z, *cache;
    uint32_t *ids;
    uint16_t *targets;
    uint8_t *allowed;
    ht_adam *adam;
} bench;

/* One layer: its operations per run of forward and backward. */
typedef struct measured {
    const char *name;
    double (*operations)(const bench *bench);
    void (*run)(const bench *bench);
} measured;

static double square(const bench *b) { /* one hidden by hidden product over all rows */
    return 6.0 * (double)b->rows * b->hidden * b->hidden;
}

static double none(const bench *b) {
    (void)b;
    return 0;
}

static double lstm_operations(const bench *b) {
    return 8 * square(b);
}

static double bilstm_operations(const bench *b) {
    return 2 * (4 * square(b) / 2 + 4 * square(b) / 4);
}

static double conv_operations(const bench *b) {
    return (3 - 2.0 / (double)b->places) * square(b);
}

static double attention_operations(const bench *b) { /* one query */
    return square(b) + square(b) / (double)b->places;
}

static double attention_step_operations(const bench *b) {
    return square(b) / (double)b->places;
}

static double feed_forward_operations(const bench *b) {
    return 8 * square(b);
}

static double heads_operations(const bench *b) {
    return 4 * square(b) + 12.0 * (double)(b->rows * b->places) * b->hidden;
}

static void gemm(const bench *b) {
    const size_t n = b->hidden;
    ht_gemm(false, false, b->rows, n, n, 1, b->x, n, b->weights, n, 1, b->y, n);
    ht_gemm(false, true, b->rows, n, n, 1, b->grad_y, n, b->weights, n, 1, b->grad_x, n);
    ht_gemm(true, false, n, n, b->rows, 1, b->x, n, b->grad_y, n, 1, b->grad_weights, n);
}

enum { FEW = 10 };

static double few_operations(const bench *b) {
    return 2.0 * FEW * 4 * b->hidden * b->hidden;
}

/* Runs a step of an LSTM in decoding, forward only. */
static void few_rows(const bench *b) {
    const size_t n = b->hidden;
    ht_gemm(false, false, FEW, 4 * n, n, 1, b->x, n, b->weights, 4 * n, 1, b->y, 4 * n);
}

static void dense(const bench *b) {
    const ht_dense layer = {.inputs = b->hidden, .outputs = b->hidden};
    ht_dense_forward(&layer, b->weights, b->rows, b->x, b->y);
    ht_dense_backward(&layer, b->weights, b->rows, b->x, b->grad_y, b->grad_x, b->grad_weights);
}

static void embedding(const bench *b) {
    const ht_embedding layer = {.vocabulary = VOCABULARY, .width = b->hidden, .ids = IDS};
    ht_embedding_forward(&layer, b->weights, b->rows, b->ids, b->y);
    ht_embedding_backward(&layer, b->rows, b->ids, b->grad_y, b->grad_weights);
}

static void conv1d(const bench *b) {
    const ht_conv1d layer = {.inputs = b->hidden, .outputs = b->hidden, .kernel = 3};
    ht_conv1d_forward(&layer, b->weights, b->places, b->batch, b->x, b->y);
    ht_conv1d_backward(&layer, b->weights, b->places, b->batch, b->x, b->grad_y, b->grad_x,
                       b->grad_weights);
}

static void lstm(const bench *b) {
    const ht_lstm layer = {.inputs = b->hidden, .hidden = b->hidden};
    const ht_lstm_run run = {.steps = b->places,
                             .batch = b->batch,
                             .stride = b->hidden,
                             .x = b->x,
                             .h = b->y,
                             .cache = b->cache};
    ht_lstm_forward(&layer, b->weights, &run);
    ht_lstm_backward(&layer, b->weights, &run, b->grad_y, NULL, b->grad_x, NULL, NULL,
                     b->grad_weights);
}

static void bilstm(const bench *b) {
    const ht_bilstm layer = {.inputs = b->hidden, .hidden = b->hidden / 2};
    ht_bilstm_forward(&layer, b->weights, b->places, b->batch, b->x, b->y, NULL, NULL, b->cache);
    ht_bilstm_backward(&layer, b->weights, b->places, b->batch, b->x, b->y, b->grad_y, NULL, NULL,
                       b->grad_x, b->grad_weights, b->cache);
}

static void attention_step(const bench *b) {
    const ht_attention layer = {.query = b->hidden, .memory = b->hidden, .width = b->hidden};
    const ht_attention_memory memory = {
        .places = b->places, .rows = b->batch, .memory = b->x, .keys = b->z};
    ht_attention_forward(&layer, b->weights, &memory, b->batch, b->y, b->grad_y, b->hidden,
                         b->cache);
    ht_attention_backward(&layer, b->weights, &memory, b->batch, b->y, b->grad_y, b->hidden,
                          b->cache, b->y, b->grad_x, b->grad_z, b->grad_weights);
}

static void attention(const bench *b) {
    const ht_attention layer = {.query = b->hidden, .memory = b->hidden, .width = b->hidden};
    const ht_attention_memory memory = {
        .places = b->places, .rows = b->batch, .memory = b->x, .keys = b->z};
    ht_attention_keys(&layer, b->weights, &memory);
    attention_step(b);
    ht_attention_keys_backward(&layer, b->weights, &memory, b->grad_z, b->grad_x, b->grad_weights);
}

static void feed_forward(const bench *b) {
    const ht_feed_forward layer = {.width = b->hidden, .inner = 4 * b->hidden};
    ht_feed_forward_forward(&layer, b->weights, b->rows, b->x, b->y, b->cache);
    ht_feed_forward_backward(&layer, b->weights, b->rows, b->x, b->grad_y, b->grad_x,
                             b->grad_weights, b->cache);
}

static void heads(const bench *b) {
    const ht_heads layer = {.width = b->hidden, .heads = 4};
    const ht_heads_shape shape = {
        .places = b->places, .memory_places = b->places, .batch = b->batch};
    ht_heads_forward(&layer, b->weights, &shape, b->x, b->x, b->y, b->cache);
    ht_heads_backward(&layer, b->weights, &shape, b->x, b->x, b->grad_y, b->grad_x, b->grad_x,
                      b->grad_weights, b->cache);
}

static void layer_norm(const bench *b) {
    const ht_layer_norm layer = {.width = b->hidden};
    ht_layer_norm_forward(&layer, b->weights, b->rows, b->x, b->y, b->cache);
    ht_layer_norm_backward(&layer, b->weights, b->rows, b->x, b->grad_y, b->cache, b->grad_x,
                           b->grad_weights);
}

static void activations(const bench *b) {
    const size_t count = b->rows * b->hidden;
    ht_tanh_forward(count, b->x, b->y);
    ht_tanh_backward(count, b->y, b->grad_y, b->grad_x);
}

static void dropout(const bench *b) {
    const ht_dropout dropout = {.rate = 0.1F, .key = 99};
    ht_dropout_apply(&dropout, b->rows * b->hidden, b->x, b->y);
    ht_dropout_apply(&dropout, b->rows * b->hidden, b->grad_y, b->grad_z);
}

static void loss(const bench *b) {
    const ht_labels labels = {.targets = b->targets,
                              .target_stride = 1,
                              .allowed = b->allowed,
                              .stride = VALUES,
                              .smoothing = 0.1F};
    ht_cross_entropy(b->rows, VALUES, b->x, &labels, 1, b->y, NULL);
}

static void adam(const bench *b) {
    const ht_real *parts[] = {b->grad_weights, b->grad_weights};
    ht_adam_step(b->adam, 1e-6, parts, 2, 1, b->weights);
}

static const measured table[] = {
    {"gemm", square, gemm},
    {"gemm, 10 rows", few_operations, few_rows},
    {"dense", square, dense},
    {"embedding", none, embedding},
    {"conv1d", conv_operations, conv1d},
    {"lstm", lstm_operations, lstm},
    {"bilstm", bilstm_operations, bilstm},
    {"attention", attention_operations, attention},
    {"attention step", attention_step_operations, attention_step},
    {"heads", heads_operations, heads},
    {"feed forward", feed_forward_operations, feed_forward},
    {"layer norm", none, layer_norm},
    {"tanh", none, activations},
    {"dropout", none, dropout},
    {"cross entropy", none, loss},
    {"adam", none, adam},
};

static ht_real *random_array(size_t count, double limit) {
    ht_real *array = ht_alloc(count, sizeof *array);
    ht_random random;
    ht_random_seed(&random, count);
    for (size_t i = 0; i < count; ++i)
        array[i] = (ht_real)((2 * ht_random_unit(&random) - 1) * limit);
    return array;
}

/* Returns the number of weights of the largest layer: the feed-forward block, or the embedding. */
static size_t weight_count(const bench *b) {
    const size_t block = 9 * ((size_t)b->hidden + 1) * b->hidden;
    const size_t embedding = (size_t)VOCABULARY * b->hidden;
    return block > embedding ? block : embedding;
}

static bench bench_make(uint32_t hidden, size_t batch, size_t places) {
    bench made = {.hidden = hidden, .batch = batch, .places = places, .rows = places * batch};
    const size_t weights = weight_count(&made), all = made.rows * hidden;
    const size_t few = (size_t)FEW * 4 * hidden;
    const size_t cache = 40 * all + 8 * made.rows * places + 8 * batch * hidden;
    made.weights = random_array(weights, 0.05);
    made.grad_weights = random_array(weights, 0.1);
    ht_real **arrays[] = {&made.x, &made.y, &made.z, &made.grad_x, &made.grad_y, &made.grad_z};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        *arrays[i] = random_array(all > few ? all : few, 1);
    made.cache = random_array(cache, 1);
    made.ids = ht_alloc(made.rows * IDS, sizeof *made.ids);
    for (size_t i = 0; i < made.rows * IDS; ++i)
        made.ids[i] = (uint32_t)(1 + i * 7919 % (VOCABULARY - 1));
    made.targets = ht_alloc(made.rows, sizeof *made.targets);
    made.allowed = ht_alloc(made.rows * VALUES, 1);
    memset(made.allowed, 1, made.rows * VALUES);
    ht_adam_settings settings = ht_adam_defaults();
    settings.clip = 1;
    settings.averaging = 0.999F;
    made.adam = ht_adam_new(weights, &settings);
    return made;
}

static void bench_free(bench *b) {
    ht_real *arrays[] = {b->weights, b->grad_weights, b->x,      b->y,    b->z,
                         b->grad_x,  b->grad_y,       b->grad_z, b->cache};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        free(arrays[i]);
    free(b->ids);
    free(b->targets);
    free(b->allowed);
    ht_adam_free(b->adam);
}

/* Returns the processor's time, so that other programs do not count. */
static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the least of several times, in seconds: the time that it takes undisturbed. */
static double time_of(const measured *layer, bench *bench) {
    double best = 1e9, spent = 0;
    for (int i = 0; i < 5 || (spent < 0.3 && i < 2000); ++i) {
        memset(bench->grad_x, 0, bench->rows * bench->hidden * sizeof *bench->grad_x);
        memset(bench->grad_z, 0, bench->rows * bench->hidden * sizeof *bench->grad_z);
        const double start = seconds_now();
        layer->run(bench);
        const double seconds = seconds_now() - start;
        spent += seconds;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static size_t argument(int argc, char **argv, int index, size_t otherwise) {
    return argc > index ? (size_t)strtoul(argv[index], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
    ht_blas_info info;
    ht_blas_describe(&info);
    bench bench = bench_make((uint32_t)argument(argc, argv, 1, 192), argument(argc, argv, 2, 64),
                             argument(argc, argv, 3, 12));
    printf("%s; width %u, batch %zu, %zu places\n%-16s %10s %8s\n", info.text, bench.hidden,
           bench.batch, bench.places, "layer", "us", "GFLOPS");
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        if (argc > 4 && strcmp(argv[4], table[i].name) != 0)
            continue;
        const double seconds = time_of(&table[i], &bench);
        const double operations = table[i].operations(&bench);
        printf("%-16s %10.1f", table[i].name, 1e6 * seconds);
        if (operations > 0)
            printf(" %8.1f", 1e-9 * operations / seconds);
        printf("\n");
    }
    bench_free(&bench);
    return 0;
}
