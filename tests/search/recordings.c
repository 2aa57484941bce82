#include "recordings.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char test_grid[] =
    "#pragma tune unit\n#pragma tune kernel(k)\n"
    "#pragma tune param(A : 1..12 = 1)\n#pragma tune param(B : 2..20:2 = 2)\n"
    "#pragma tune param(C : pow2(1, 128) = 1)\n"
    "#pragma tune block(A)\n#pragma tune grid(1)\n"
    "#pragma tune arg(out : out float[64])\n"
    "template <int A, int B, int C> __global__ void k(float *out) { out[threadIdx.x] = A * B * C; "
    "}\n";

static void values_declare(ht_recording *recording, const ht_space *space,
                           const test_run_options *options, uint16_t **index_of) {
    size_t width = ht_space_dimension_count(space);
    for (size_t p = 0; p < width; ++p) {
        size_t d = options->backwards ? width - 1 - p : p;
        const ht_dimension *dimension = ht_space_dimension(space, d);
        ht_recording_parameter(recording, dimension->name);
        index_of[d] = ht_alloc(dimension->value_count, sizeof **index_of);
        for (size_t v = 0; v < dimension->value_count; ++v) {
            ht_recorded_value value = {HT_RECORDED_INTEGER, (int64_t)dimension->numbers[v],
                                       dimension->numbers[v], (char *)dimension->texts[v]};
            char *real = ht_format("%.1f", dimension->numbers[v]);
            if (options->reals)
                value = (ht_recorded_value){HT_RECORDED_REAL, 0, dimension->numbers[v], real};
            if (options->texts)
                value.kind = HT_RECORDED_TEXT;
            index_of[d][v] = (uint16_t)ht_recording_value(recording, p, &value);
            free(real);
        }
    }
}

static ht_status failure_draw(const test_run_options *options, ht_random *random) {
    static const ht_status kinds[] = {HT_ERROR_COMPILE, HT_ERROR_LAUNCH, HT_ERROR_UNSUPPORTED,
                                      HT_ERROR_TIMEOUT, HT_ERROR_MISMATCH};
    return kinds[ht_random_below(random, options->all_kinds ? 5 : 3)];
}

static void record_fill(ht_recording *recording, const test_run_options *options, double distance,
                        ht_random *random) {
    ht_record *record = &recording->records[recording->record_count - 1];
    bool fails = ht_random_below(random, 100) < options->failing;
    double noise = ht_random_unit(random);
    record->status = fails ? failure_draw(options, random) : HT_OK;
    record->cost = fails ? 0 : 0.3 + distance + 0.4 * noise;
    if (!options->timeless) {
        record->times.compile = 100 + 400 * ht_random_unit(random);
        record->times.verification = 3 * ht_random_unit(random);
        record->times.benchmark = fails ? 0.5 : 10 * record->cost;
    }
    for (size_t i = 0; !fails && i < 3; ++i)
        ht_recording_add_sample(recording, record->cost * (0.9 + 0.1 * (double)i));
}

ht_recording *test_run_make(const ht_space *space, const test_run_options *options) {
    ht_recording *recording = ht_recording_new(NULL);
    uint16_t *index_of[HT_PARAM_MAX] = {NULL};
    uint64_t count = ht_space_count(space);
    size_t width = ht_space_dimension_count(space);
    values_declare(recording, space, options, index_of);
    free(recording->device);
    free(recording->kernel);
    free(recording->problem);
    recording->device = ht_strdup("A \"GPU\" of some kind");
    recording->kernel = ht_strdup("k");
    recording->problem = ht_strdup("[4096, 15]");
    for (uint64_t n = 0; n + options->skip < count; ++n) {
        uint64_t i = options->backwards ? count - 1 - options->skip - n : n;
        ht_random random;
        ht_random_stream(&random, options->seed, i); /* the same run in any form */
        ht_config config = ht_space_at(space, i);
        ht_recording_add(recording);
        double distance = 0;
        for (size_t d = 0; d < width; ++d) {
            const ht_dimension *dimension = ht_space_dimension(space, d);
            size_t p = options->backwards ? width - 1 - d : d;
            recording->choices[(recording->record_count - 1) * width + p] =
                index_of[d][config.choice[d]];
            double off = (double)config.choice[d] / (double)dimension->value_count - 0.4;
            distance += off * off;
        }
        record_fill(recording, options, distance, &random);
    }
    for (size_t d = 0; d < width; ++d)
        free(index_of[d]);
    return recording;
}

static void same_parameters(const ht_recording *a, const ht_recording *b) {
    cr_assert_eq(a->parameter_count, b->parameter_count);
    for (size_t p = 0; p < a->parameter_count; ++p)
        cr_assert_str_eq(a->parameters[p].name, b->parameters[p].name);
    for (size_t r = 0; r < a->record_count; ++r)
        for (size_t p = 0; p < a->parameter_count; ++p) {
            size_t at = r * a->parameter_count + p;
            cr_assert_str_eq(a->parameters[p].values[a->choices[at]].text,
                             b->parameters[p].values[b->choices[at]].text);
            cr_assert_eq(a->parameters[p].values[a->choices[at]].kind,
                         b->parameters[p].values[b->choices[at]].kind);
        }
}

void test_run_same(const ht_recording *a, const ht_recording *b) {
    cr_assert_eq(a->record_count, b->record_count);
    cr_assert_str_eq(a->device, b->device);
    cr_assert_str_eq(a->kernel, b->kernel);
    cr_assert_str_eq(a->problem, b->problem);
    same_parameters(a, b);
    for (size_t r = 0; r < a->record_count; ++r) {
        const ht_record *x = &a->records[r], *y = &b->records[r];
        cr_assert_eq(x->status, y->status);
        cr_assert_eq(x->cost, y->cost);
        cr_assert_eq(x->sample_count, y->sample_count);
        cr_assert_eq(x->times.compile, y->times.compile);
        cr_assert_eq(x->times.verification, y->times.verification);
        cr_assert_eq(x->times.benchmark, y->times.benchmark);
        for (size_t i = 0; i < x->sample_count; ++i)
            cr_assert_eq(a->samples[x->sample_first + i], b->samples[y->sample_first + i]);
    }
}
