#include "benchmarks/timing_job.h"

#include "base/memory.h"
#include "base/random.h"
#include "runtime/worker/worker_main.h"
#include "templates/space/space.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char blur[] =
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune kernel(blur)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 32, 64, 128, 256 = 64)\n"
    "#pragma tune param(TILE : 1, 2, 4, 8 = 1)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK * TILE))\n"
    "#pragma tune arg(in : in float[problem.n + 15])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int BLOCK, int TILE> __global__ void blur(const float *in, float *out, int n) {\n"
    "    int first = blockIdx.x * BLOCK * TILE + threadIdx.x;\n"
    "    for (int t = 0; t < TILE; ++t) {\n"
    "        int i = first + t * BLOCK;\n"
    "        if (i >= n) return;\n"
    "        float sum = 0;\n"
    "        for (int k = 0; k < 16; ++k) sum += in[i + k] * (k + 1);\n"
    "        out[i] = sum;\n"
    "    }\n"
    "}\n";

void bench_worker(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        exit(ht_worker_main(argc, argv));
    setvbuf(stdout, NULL, _IOLBF, 0);
}

void bench_check(ht_status status, const ht_error *error) {
    if (status == HT_OK)
        return;
    fprintf(stderr, "%s: %s\n", ht_status_name(status), error->message);
    exit(ht_status_exit_code(status));
}

void bench_open(bench *bench, const char *device, const char *sizes) {
    ht_error error = {0};
    memset(bench, 0, sizeof *bench);
    bench_check(
        ht_template_parse(blur, "blur.hip", &bench->templates, &bench->template_count, &error),
        &error);
    bench_check(ht_device_find(device, &bench->device, &error), &error);
    bench_check(ht_problem_parse(&bench->templates[0].problem, sizes, &bench->problem, &error),
                &error);
    bench->binding = (ht_binding){.template = &bench->templates[0],
                                  .problem = &bench->problem,
                                  .device = &bench->device.fields};
    ht_space *space = NULL;
    bench_check(ht_space_build(&bench->binding, 0, &space, &error), &error);
    bench->config_count = ht_space_list(space, 0, bench->configs, BENCH_CONFIGS_MAX);
    ht_space_free(space);
}

void bench_close(bench *bench) {
    ht_problem_free(&bench->problem);
    ht_template_free(bench->templates, bench->template_count);
}

ht_job *bench_start(const bench *bench, const ht_job_options *options) {
    ht_job *job = NULL;
    ht_error error = {0};
    bench_check(ht_job_start(&bench->binding, &bench->device, options, &job, &error), &error);
    return job;
}

static void shuffle(ht_config *configs, size_t count, uint64_t seed) {
    ht_random random;
    ht_random_seed(&random, seed);
    for (size_t i = count; i > 1; --i) {
        size_t other = ht_random_below(&random, i);
        ht_config keep = configs[i - 1];
        configs[i - 1] = configs[other];
        configs[other] = keep;
    }
}

/* Puts the configurations of least cost in front, as many as finalists. */
static void best_first(ht_config *configs, ht_outcome *outcomes, size_t count) {
    for (size_t place = 0; place < BENCH_FINALISTS; ++place) {
        size_t best = place;
        for (size_t i = place; i < count; ++i)
            if (outcomes[i].status == HT_OK && outcomes[i].cost < outcomes[best].cost)
                best = i;
        ht_config config = configs[place];
        ht_outcome outcome = outcomes[place];
        configs[place] = configs[best];
        outcomes[place] = outcomes[best];
        configs[best] = config;
        outcomes[best] = outcome;
    }
}

void bench_tune(const bench *bench, ht_job *job, uint64_t seed, double finals_seconds,
                void (*halfway)(void *), void *context, bench_winner *out_winner) {
    ht_config configs[BENCH_CONFIGS_MAX];
    ht_outcome outcomes[BENCH_CONFIGS_MAX];
    size_t count = bench->config_count;
    memcpy(configs, bench->configs, count * sizeof *configs);
    shuffle(configs, count, seed);
    ht_evaluator *evaluator = ht_job_evaluator(job);
    ht_error error = {0};
    for (size_t first = 0; first < count; first += count / 2) {
        size_t batch = first + count / 2 > count ? count - first : count / 2, done = 0;
        bench_check(evaluator->evaluate(evaluator->self, configs + first, batch, outcomes + first,
                                        &done, &error),
                    &error);
        if (first == 0 && halfway != NULL)
            halfway(context);
    }
    best_first(configs, outcomes, count);
    memcpy(out_winner->finalists, configs, sizeof out_winner->finalists);
    bench_check(ht_job_finals(job, out_winner->finalists, BENCH_FINALISTS, finals_seconds,
                              &out_winner->original, out_winner->finals, &error),
                &error);
    size_t best = 0;
    for (size_t i = 1; i < BENCH_FINALISTS; ++i)
        if (out_winner->finals[i].speedup > out_winner->finals[best].speedup)
            best = i;
    out_winner->config = out_winner->finalists[best];
    out_winner->final = out_winner->finals[best];
}

/* Computes and writes: arithmetic takes cores, writing takes caches and memory. */
static void burn(void) {
    enum { BYTES = 64 << 20, LINE = 64, STEPS = 2000000 };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    volatile char *memory = ht_alloc(BYTES, 1);
    volatile double value = 1;
    for (;;) {
        for (size_t at = 0; at < BYTES; at += LINE)
            memory[at] = (char)(memory[at] + 1);
        for (int step = 0; step < STEPS; ++step)
            value = sqrt(value + 1);
    }
}

size_t bench_burn(pid_t *burners, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        burners[i] = fork();
        if (burners[i] == 0)
            burn();
        if (burners[i] < 0)
            return i;
    }
    return count;
}

void bench_burn_end(pid_t *burners, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        kill(burners[i], SIGKILL);
        waitpid(burners[i], NULL, 0);
    }
}

const char *bench_option(int argc, char **argv, const char *name, const char *fallback) {
    for (int i = 1; i + 1 < argc; ++i)
        if (strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, name) == 0)
            return argv[i + 1];
    return fallback;
}
