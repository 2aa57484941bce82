/* The layer catalogues, against the networks as their papers define them: the walk below knows
 * block structures only, carries the sizes from layer to layer through each instance's own P and Q,
 * and counts multiplications. */
#include "base/memory.h"
#include "templates/problem_file/problem_file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef struct network {
    ht_problem_file *file;
    const ht_problem_entry *entry;
    bool *used;
    int64_t channels, height, width; /* of the activation that the next layer reads */
    int64_t products;                /* multiplications of one image so far */
} network;

static int64_t field(const ht_problem *problem, const char *name) {
    int64_t value = 0;
    cr_assert(ht_problem_get(problem, name, &value), "no field %s", name);
    return value;
}

static network open_network(const char *name) {
    network net = {0};
    ht_error error = {0};
    char *path = ht_format("%s/problems/%s.json", HT_SOURCE_DIR, name);
    cr_assert_eq(ht_problem_file_load(path, &net.file, &error), HT_OK, "%s:%d: %s", path,
                 error.line, error.message);
    free(path);
    cr_assert_eq(net.file->entry_count, 1);
    net.entry = &net.file->entries[0];
    cr_assert_null(net.entry->kernel);
    net.used = ht_alloc(net.entry->instance_count, sizeof *net.used);
    net.channels = 3;
    net.height = net.width = 224;
    return net;
}

static void close_network(network *net) {
    for (size_t i = 0; i < net->entry->instance_count; ++i)
        cr_expect(net->used[i], "%s is no layer of the network", net->entry->instances[i].name);
    free(net->used);
    ht_problem_file_free(net->file);
}

/* Finds the layer that reads the activation, "same" padding, and returns it without moving on. */
static const ht_problem *layer(network *net, int64_t outputs, int64_t filter, int64_t stride,
                               int64_t groups) {
    for (size_t i = 0; i < net->entry->instance_count; ++i) {
        const ht_problem *p = &net->entry->instances[i];
        if (field(p, "C") != net->channels || field(p, "H") != net->height ||
            field(p, "W") != net->width || field(p, "K") != outputs || field(p, "R") != filter ||
            field(p, "S") != filter || field(p, "stride_h") != stride ||
            field(p, "stride_w") != stride || field(p, "groups") != groups)
            continue;
        cr_expect(field(p, "N") == 1 && field(p, "pad_h") == filter / 2 &&
                      field(p, "pad_w") == filter / 2 && field(p, "dilation_h") == 1 &&
                      field(p, "dilation_w") == 1,
                  "%s", p->name);
        net->used[i] = true;
        net->products +=
            field(p, "P") * field(p, "Q") * outputs * (net->channels / groups) * filter * filter;
        return p;
    }
    cr_assert(false, "no layer from %d x %d x %d to %d channels, filter %d, stride %d, groups %d",
              (int)net->channels, (int)net->height, (int)net->width, (int)outputs, (int)filter,
              (int)stride, (int)groups);
    return NULL;
}

static void step(network *net, int64_t outputs, int64_t filter, int64_t stride, int64_t groups) {
    const ht_problem *p = layer(net, outputs, filter, stride, groups);
    net->channels = outputs;
    net->height = field(p, "P");
    net->width = field(p, "Q");
}

static void expect_all_different(const network *net) {
    for (size_t i = 0; i < net->entry->instance_count; ++i)
        for (size_t j = 0; j < i; ++j) {
            char *a = ht_problem_string(&net->entry->spec, &net->entry->instances[i]);
            char *b = ht_problem_string(&net->entry->spec, &net->entry->instances[j]);
            cr_expect_str_neq(a, b);
            cr_expect_str_neq(net->entry->instances[i].name, net->entry->instances[j].name);
            free(a);
            free(b);
        }
}

Test(catalogues, resnet50_is_the_network) {
    static const struct {
        int width, blocks, stride;
    } stages[] = {{64, 3, 1}, {128, 4, 2}, {256, 6, 2}, {512, 3, 2}};
    network net = open_network("resnet50");
    expect_all_different(&net);
    step(&net, 64, 7, 2, 1);
    net.height = net.width = (net.height + 1) / 2; /* 3x3 pooling, stride 2 */
    for (int s = 0; s < 4; ++s)
        for (int b = 0; b < stages[s].blocks; ++b) {
            int stride = b == 0 ? stages[s].stride : 1, width = stages[s].width;
            network before = net;
            step(&net, width, 1, 1, 1);
            step(&net, width, 3, stride, 1);
            step(&net, 4 * width, 1, 1, 1);
            if (b != 0)
                continue;
            before.products = net.products;
            step(&before, 4 * width, 1, stride, 1);
            cr_expect(before.height == net.height && before.width == net.width,
                      "the shortcut's size differs from the block's");
            net.products = before.products;
        }
    cr_expect(net.channels == 2048 && net.height == 7 && net.width == 7);
    cr_expect_eq(net.products, 4087136256, "%lld multiplications", (long long)net.products);
    close_network(&net);
}

Test(catalogues, mobilenet_v2_is_the_network) {
    static const struct {
        int expansion, outputs, blocks, stride;
    } stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                  {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    network net = open_network("mobilenet_v2");
    expect_all_different(&net);
    step(&net, 32, 3, 2, 1);
    for (int s = 0; s < 7; ++s)
        for (int b = 0; b < stages[s].blocks; ++b) {
            int64_t wide = net.channels * stages[s].expansion;
            if (stages[s].expansion > 1)
                step(&net, wide, 1, 1, 1);
            step(&net, wide, 3, b == 0 ? stages[s].stride : 1, wide);
            step(&net, stages[s].outputs, 1, 1, 1);
        }
    step(&net, 1280, 1, 1, 1);
    cr_expect(net.channels == 1280 && net.height == 7 && net.width == 7);
    cr_expect_eq(net.products, 299494272, "%lld multiplications", (long long)net.products);
    close_network(&net);
}

/* Small enough that a whole tuning run on a few cores stays short, and of every kind. */
Test(catalogues, demo_is_small_and_varied) {
    network net = open_network("demo");
    expect_all_different(&net);
    bool grouped = false, strided = false, dilated = false, pointwise = false;
    for (size_t i = 0; i < net.entry->instance_count; ++i) {
        const ht_problem *p = &net.entry->instances[i];
        int64_t products = field(p, "N") * field(p, "K") * field(p, "P") * field(p, "Q") *
                           (field(p, "C") / field(p, "groups")) * field(p, "R") * field(p, "S");
        cr_expect_lt(products, 5000000, "%s", p->name);
        grouped |= field(p, "groups") > 1;
        strided |= field(p, "stride_h") > 1;
        dilated |= field(p, "dilation_h") > 1;
        pointwise |= field(p, "R") == 1;
        net.used[i] = true;
    }
    cr_expect(grouped && strided && dilated && pointwise);
    close_network(&net);
}
