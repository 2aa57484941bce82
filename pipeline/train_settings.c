/* The settings of network and training, by name. */
#include "pipeline/training.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
    const char *name;
    size_t offset; /* in ht_recipe */
    bool real;     /* float, else uint32_t */
    double least, most;
} setting;

#define NETWORK(member) offsetof(ht_recipe, network.member)
#define TRAINING(member) offsetof(ht_recipe, training.member)
#define DISTIL(member) offsetof(ht_recipe, distil.member)
#define CHAIN(member) offsetof(ht_recipe, chain.member)

static const setting settings[] = {
    {"embedding", NETWORK(embedding), false, 1, 4096},
    {"hidden", NETWORK(hidden), false, 1, 4096},
    {"layers", NETWORK(layers), false, 1, 16},
    {"kernel", NETWORK(kernel), false, 1, 255},
    {"heads", NETWORK(heads), false, 1, 64},
    {"dropout", NETWORK(dropout), true, 0, 0.95},
    {"epochs", TRAINING(epochs), false, 1, 100000},
    {"batch", TRAINING(batch), false, 1, 65536},
    {"rate", TRAINING(rate), true, 1e-9, 10},
    {"rate_end", TRAINING(rate_end), true, 0, 1},
    {"warmup", TRAINING(warmup), false, 0, 1e9},
    {"clip", TRAINING(clip), true, 0, 1e9},
    {"weight_decay", TRAINING(weight_decay), true, 0, 10},
    {"smoothing", TRAINING(smoothing), true, 0, 0.99},
    {"token_dropout", TRAINING(token_dropout), true, 0, 0.99},
    {"averaging", TRAINING(averaging), true, 0, 0.999999},
    {"patience", TRAINING(patience), false, 0, 100000},
    {"distil_samples", DISTIL(samples), false, 0, 64},
    {"distil_weight", DISTIL(sample_weight), true, 0, 10},
    {"distil_labels", DISTIL(labels), true, 0, 1},
    {"trees", CHAIN(trees), false, 0, 4096},
    {"trees_leaf", CHAIN(min_leaf), false, 1, 1e6},
    {"trees_tried", CHAIN(tried), true, 0, 1},
    {"trees_share", CHAIN(share), true, 0, 1},
    {"own", CHAIN(own), true, 0, 1},
    {"own_leaf", CHAIN(own_leaf), false, 1, 1e6},
    {"own_share", CHAIN(own_share), true, 0, 1},
    {"balance", offsetof(ht_recipe, balance), true, 0, 1},
};
enum { SETTING_COUNT = sizeof settings / sizeof *settings };

char *ht_recipe_names(void) {
    ht_text text = {0};
    for (size_t i = 0; i < SETTING_COUNT; ++i)
        ht_text_printf(&text, "%s%s", i ? ", " : "", settings[i].name);
    return ht_text_take(&text);
}

static ht_status setting_store(ht_recipe *recipe, const setting *setting, double value,
                               const char *option, ht_error *error) {
    char *field = (char *)recipe + setting->offset;
    bool whole = setting->real || floor(value) == value;
    if (!(value >= setting->least && value <= setting->most) || !whole)
        return ht_error_set(error, HT_ERROR_INPUT, "%s: %s is a %snumber from %g to %g, not %g",
                            option, setting->name, setting->real ? "" : "whole ", setting->least,
                            setting->most, value);
    float real = (float)value;
    uint32_t count = setting->real ? 0 : (uint32_t)value;
    memcpy(field, setting->real ? (const void *)&real : &count, sizeof real);
    return HT_OK;
}

static const setting *setting_find(const char *name, size_t length) {
    for (size_t i = 0; i < SETTING_COUNT; ++i) {
        if (strlen(settings[i].name) == length && strncmp(settings[i].name, name, length) == 0)
            return &settings[i];
    }
    return NULL;
}

static ht_status set_apply(ht_recipe *recipe, const char *text, ht_error *error) {
    size_t length = strcspn(text, "=");
    const setting *setting = setting_find(text, length);
    if (!setting) {
        char *names = ht_recipe_names();
        ht_error_set(error, HT_ERROR_INPUT,
                     "option --set: there is no setting '%.*s'; there are %s",
                     (int)(length > 40 ? 40 : length), text, names);
        free(names);
        return HT_ERROR_INPUT;
    }
    const char *number = text[length] == '=' ? text + length + 1 : "";
    char *end;
    double value = strtod(number, &end);
    if (end == number || *end)
        return ht_error_set(error, HT_ERROR_INPUT, "option --set: '%.60s' gives %s no number", text,
                            setting->name);
    return setting_store(recipe, setting, value, "option --set", error);
}

ht_status ht_recipe_make(const ht_train_options *given, ht_recipe *out_recipe, ht_error *error) {
    const struct {
        const char *name;
        double value;
    } direct[] = {{"epochs", (double)given->epochs},
                  {"batch", (double)given->batch},
                  {"hidden", (double)given->hidden},
                  {"rate", given->rate}};
    ht_status status = ht_network_defaults(given->architecture, &out_recipe->network, error);
    if (status != HT_OK)
        return status;
    out_recipe->training = ht_training_defaults(given->architecture);
    out_recipe->distil = ht_distil_defaults();
    out_recipe->chain = ht_chain_defaults();
    out_recipe->balance = given->database ? 0 : 0.5F;
    if (given->database) /* few problems, with several answers each */
        out_recipe->chain.trees = 0;
    for (size_t i = 0; status == HT_OK && i < sizeof direct / sizeof *direct; ++i) {
        if (direct[i].value == 0)
            continue;
        char *option = ht_format("option --%s", direct[i].name);
        status = setting_store(out_recipe, setting_find(direct[i].name, strlen(direct[i].name)),
                               direct[i].value, option, error);
        free(option);
    }
    if (given->hidden && strcmp(given->architecture, "transformer") == 0)
        out_recipe->network.embedding = out_recipe->network.hidden; /* it has one width */
    for (size_t i = 0; status == HT_OK && i < given->set.count; ++i)
        status = set_apply(out_recipe, given->set.items[i], error);
    out_recipe->training.threads = (uint32_t)given->threads;
    out_recipe->training.seed = given->seed;
    out_recipe->distil.threads = (uint32_t)given->threads;
    out_recipe->distil.seed = given->seed;
    out_recipe->chain.seed = given->seed;
    return status;
}

/* Returns a float as it was written, not as the nearest double prints: 0.2, not 0.200000003. */
static double short_real(float value) {
    char text[32];
    snprintf(text, sizeof text, "%.7g", (double)value);
    return strtod(text, NULL);
}

json_t *ht_recipe_json(const ht_recipe *recipe) {
    json_t *object = json_object();
    json_object_set_new(object, "architecture", json_string(recipe->network.architecture));
    for (size_t i = 0; i < SETTING_COUNT; ++i) {
        const char *field = (const char *)recipe + settings[i].offset;
        float real;
        uint32_t count;
        memcpy(&real, field, sizeof real);
        memcpy(&count, field, sizeof count);
        json_object_set_new(object, settings[i].name,
                            settings[i].real ? json_real(short_real(real))
                                             : json_integer((json_int_t)count));
    }
    return object;
}
