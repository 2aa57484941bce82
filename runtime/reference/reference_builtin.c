#include "runtime/reference/reference_builtin.h"

#include "base/memory.h"
#include "base/random.h"
#include "runtime/reference/conv2d.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Above this many multiply-adds a built-in is computed on a sample of outputs. */
static const double BUILTIN_WORK_MAX = 4e9;
static const double BUILTIN_SAMPLE_WORK =
    1e9; /* single outputs take longer than whole rows of them */
enum { BUILTIN_SAMPLE_MIN = 2048 };

static double *read_values(const ht_buffers *buffers, size_t index) {
    const ht_layout_arg *arg = &buffers->layout.args[index];
    size_t count = arg->count * arg->element.components;
    double *values = ht_alloc(count, sizeof *values);
    for (size_t i = 0; i < count; ++i)
        values[i] = ht_element_get(arg->element, buffers->buffers[index].contents, i);
    return values;
}

/* Arguments of reference(conv2d : in, weights[, bias], out) as indices; without names: the inputs
 * in declared order, then the first output. */
typedef struct conv2d_args {
    size_t in, weights, bias, out;
    bool has_bias;
} conv2d_args;

static ht_status named_args(const ht_template *template, size_t *out, size_t *out_count,
                            ht_error *error) {
    for (size_t i = 0; i < template->reference_argument_count; ++i) {
        const ht_arg *arg = ht_template_arg(template, template->reference_arguments[i]);
        if (arg == NULL || i == 4)
            return ht_error_set(error, HT_ERROR_INPUT,
                                "reference(conv2d : ...) takes in, weights[, bias], out; '%s' is "
                                "not one of the arguments or is too many",
                                template->reference_arguments[i]);
        out[(*out_count)++] = (size_t)(arg - template->args);
    }
    return HT_OK;
}

static void declared_args(const ht_template *template, size_t *out, size_t *out_count) {
    for (size_t i = 0; i < template->arg_count && *out_count < 3; ++i)
        if (template->args[i].role == HT_ARG_IN || template->args[i].role == HT_ARG_CONSTANT)
            out[(*out_count)++] = i;
    for (size_t i = 0; i < template->arg_count; ++i)
        if (template->args[i].role == HT_ARG_OUT) {
            out[(*out_count)++] = i;
            return;
        }
}

static ht_status check_arg(const ht_template *template, const ht_layout *layout, size_t index,
                           bool output, int64_t extent, ht_error *error) {
    const ht_arg *arg = &template->args[index];
    size_t have = layout->args[index].count * layout->args[index].element.components;
    bool role =
        output ? arg->role == HT_ARG_OUT : arg->role == HT_ARG_IN || arg->role == HT_ARG_CONSTANT;
    if (!role)
        return ht_error_set(error, HT_ERROR_INPUT, "reference(conv2d): '%s' must be an %s buffer",
                            arg->name, output ? "out" : "in or constant");
    if (have != (size_t)extent)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "reference(conv2d): '%s' has %zu elements and the problem says %lld",
                            arg->name, have, (long long)extent);
    return HT_OK;
}

static ht_status resolve_conv2d(const ht_template *template, const ht_layout *layout,
                                const ht_conv2d *s, conv2d_args *out, ht_error *error) {
    size_t indices[8] = {0}, count = 0;
    if (template->reference_argument_count == 0)
        declared_args(template, indices, &count);
    ht_status status = named_args(template, indices, &count, error);
    if (status != HT_OK)
        return status;
    if (count != 3 && count != 4)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "reference(conv2d) needs the arguments in, weights[, bias], out");
    *out = (conv2d_args){indices[0], indices[1], indices[2], indices[count - 1], count == 4};
    status = check_arg(template, layout, out->in, false, s->N * s->C * s->H * s->W, error);
    if (status == HT_OK)
        status = check_arg(template, layout, out->weights, false,
                           s->K * (s->C / s->groups) * s->R * s->S, error);
    if (status == HT_OK && out->has_bias)
        status = check_arg(template, layout, out->bias, false, s->K, error);
    if (status == HT_OK)
        status = check_arg(template, layout, out->out, true, s->N * s->K * s->P * s->Q, error);
    for (size_t i = 0; i < template->arg_count && status == HT_OK; ++i)
        if (ht_arg_is_output(&template->args[i]) && i != out->out)
            status = ht_error_set(error, HT_ERROR_INPUT,
                                  "reference(conv2d) says nothing about the output '%s'; use a "
                                  "reference kernel",
                                  template->args[i].name);
    return status;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Chooses both ends, and the rest at random: one from each of as many equal stretches. */
static uint64_t *choose_outputs(uint64_t total, size_t count, uint64_t seed) {
    uint64_t *indices = ht_alloc(count, sizeof *indices);
    ht_random random;
    ht_random_stream(&random, seed, UINT64_MAX);
    for (size_t i = 0; i < count; ++i) {
        uint64_t begin = (uint64_t)((double)total * (double)i / (double)count);
        uint64_t end = (uint64_t)((double)total * (double)(i + 1) / (double)count);
        indices[i] = begin + ht_random_below(&random, end > begin ? end - begin : 1);
    }
    indices[0] = 0;
    indices[count - 1] = total - 1;
    qsort(indices, count, sizeof *indices, ascending);
    return indices;
}

static void compute_conv2d(const ht_conv2d *s, const ht_buffers *buffers, const conv2d_args *args,
                           uint64_t seed, ht_expected *out) {
    double *in = read_values(buffers, args->in), *weights = read_values(buffers, args->weights);
    double *bias = args->has_bias ? read_values(buffers, args->bias) : NULL;
    out->count = (size_t)(s->N * s->K * s->P * s->Q);
    out->known = out->count;
    double work = ht_conv2d_work(s);
    if (work > BUILTIN_WORK_MAX) {
        double few = (double)out->count * (BUILTIN_SAMPLE_WORK / work);
        size_t sample = few > BUILTIN_SAMPLE_MIN ? (size_t)few : BUILTIN_SAMPLE_MIN;
        out->known = sample < out->count ? sample : out->count;
    }
    out->value = ht_alloc(out->known, sizeof *out->value);
    out->scale = ht_alloc(out->known, sizeof *out->scale);
    if (out->known == out->count) {
        ht_conv2d_compute(s, in, weights, bias, out->value, out->scale);
    } else {
        out->index = choose_outputs(out->count, out->known, seed);
        ht_conv2d_sample(s, in, weights, bias, out->index, out->known, out->value, out->scale);
    }
    free(bias);
    free(weights);
    free(in);
}

/* Makes exact values, for tolerance(exact) and every integer output: as the output type holds
 * them. */
static void make_exact(const ht_layout_arg *arg, ht_expected *expected) {
    if (expected->index != NULL) {
        memset(expected->scale, 0, expected->known * sizeof *expected->scale);
        return;
    }
    expected->byte_count = ht_layout_bytes(arg);
    expected->bytes = ht_alloc(expected->byte_count, 1);
    for (size_t i = 0; i < expected->count; ++i)
        ht_element_set(arg->element, expected->bytes, i, expected->value[i]);
}

ht_status ht_reference_builtin(const ht_binding *binding, const ht_buffers *buffers,
                               ht_reference *reference, ht_error *error) {
    const ht_template *template = binding->template;
    if (template->reference_name == NULL || strcmp(template->reference_name, "conv2d") != 0)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "no built-in reference '%s'; there is: conv2d",
                            template->reference_name ? template->reference_name : "");
    ht_conv2d shape = {0};
    conv2d_args args = {0};
    ht_status status = ht_conv2d_from_problem(binding->problem, &shape, error);
    if (status == HT_OK)
        status = resolve_conv2d(template, &buffers->layout, &shape, &args, error);
    if (status != HT_OK)
        return status;
    reference->outputs = ht_alloc(1, sizeof *reference->outputs);
    reference->count = 1;
    reference->outputs[0] = (ht_expected){.arg = args.out};
    compute_conv2d(&shape, buffers, &args, reference->seed, &reference->outputs[0]);
    const ht_layout_arg *out = &buffers->layout.args[args.out];
    if (template->exact || !ht_element_floating(out->element))
        make_exact(out, &reference->outputs[0]);
    return HT_OK;
}
