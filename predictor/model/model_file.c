/* Reading a model file: every number in it is checked before it is used. */
#include "predictor/model/model_file.h"
#include "predictor/math/half.h"

#include "base/memory.h"
#include "predictor/predictor_internal.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

typedef struct section {
    char name[HT_MODEL_NAME + 1];
    const uint8_t *data;
    size_t length;
} section;

typedef struct model {
    const uint8_t *data;
    size_t length;
    const char *name; /* in messages */
    section sections[HT_MODEL_SECTIONS_MAX];
    size_t section_count;
} model;

static ht_status damaged(const model *model, ht_error *error, const char *what) {
    return ht_error_set_at(error, HT_ERROR_INPUT, model->name, 0, 0,
                           "the model file is damaged: %s; train it again ('hiptemper train "
                           "--help') or fetch it again",
                           what);
}

static ht_status header_check(const model *model, ht_error *error) {
    if (model->length < sizeof ht_model_magic ||
        memcmp(model->data, ht_model_magic, sizeof ht_model_magic) != 0)
        return ht_error_set_at(error, HT_ERROR_INPUT, model->name, 0, 0,
                               "this is no model file; 'hiptemper train --out FILE' writes one");
    if (model->length < HT_MODEL_HEADER)
        return damaged(model, error, "it ends within its header");
    uint32_t version = ht_bytes_get32(model->data + 8);
    if (version < HT_MODEL_VERSION_PLAIN || version > HT_MODEL_VERSION)
        return ht_error_set_at(
            error, HT_ERROR_INPUT, model->name, 0, 0,
            "the model file has version %u, this hiptemper reads versions up to %d: "
            "%s",
            version, HT_MODEL_VERSION,
            version > HT_MODEL_VERSION ? "use a newer hiptemper" : "train it again");
    uint64_t length = ht_bytes_get64(model->data + 16);
    if (length != model->length)
        return ht_error_set_at(error, HT_ERROR_INPUT, model->name, 0, 0,
                               "the model file is damaged: it should have %llu bytes, but has "
                               "%zu; fetch it again, or train it again",
                               (unsigned long long)length, model->length);
    if (ht_bytes_get64(model->data + 24) != ht_model_checksum(model->data, model->length))
        return damaged(model, error, "its checksum is wrong");
    return HT_OK;
}

static ht_status sections_read(model *model, ht_error *error) {
    uint32_t count = ht_bytes_get32(model->data + 12);
    if (count > HT_MODEL_SECTIONS_MAX ||
        HT_MODEL_HEADER + (size_t)count * HT_MODEL_SECTION > model->length)
        return damaged(model, error, "it says that it has more sections than fit into it");
    for (uint32_t i = 0; i < count; ++i) {
        const uint8_t *entry = model->data + HT_MODEL_HEADER + (size_t)i * HT_MODEL_SECTION;
        uint64_t offset = ht_bytes_get64(entry + HT_MODEL_NAME);
        uint64_t length = ht_bytes_get64(entry + HT_MODEL_NAME + 8);
        if (offset > model->length || length > model->length - offset)
            return damaged(model, error, "a section lies outside");
        section *section = &model->sections[model->section_count++];
        memcpy(section->name, entry, HT_MODEL_NAME);
        section->data = model->data + offset;
        section->length = (size_t)length;
    }
    return HT_OK;
}

static const section *section_find(const model *model, const char *name, size_t nth) {
    for (size_t i = 0; i < model->section_count; ++i) {
        if (strcmp(model->sections[i].name, name) == 0 && nth-- == 0)
            return &model->sections[i];
    }
    return NULL;
}

/* Takes a section that is text, as a string; free(). */
static ht_status text_take(const model *model, const char *name, char **out_text, ht_error *error) {
    const section *section = section_find(model, name, 0);
    char what[80];
    *out_text = NULL;
    snprintf(what, sizeof what, "section '%s' is %s", name, section ? "no text" : "missing");
    if (!section || memchr(section->data, 0, section->length))
        return damaged(model, error, what);
    *out_text = ht_strndup((const char *)section->data, section->length);
    return HT_OK;
}

/* Takes an integer of a network's settings, at most `most`. */
static bool count_take(const json_t *json, const char *name, json_int_t most, uint32_t *out) {
    const json_t *member = json_object_get(json, name);
    json_int_t value = json_integer_value(member);
    *out = (uint32_t)value;
    return json_is_integer(member) && value >= 0 && value <= most;
}

/* Takes settings with limits far above what anybody trains, and low enough that no product of two
 * overflows. */
static bool settings_take(const json_t *json, ht_network_settings *out, json_int_t *out_weights) {
    const char *architecture = json_string_value(json_object_get(json, "architecture"));
    const json_t *dropout = json_object_get(json, "dropout");
    *out = (ht_network_settings){0};
    bool good = architecture && strlen(architecture) < sizeof out->architecture &&
                json_is_number(dropout) && json_number_value(dropout) >= 0 &&
                json_number_value(dropout) < 1;
    good = good && count_take(json, "embedding", 1 << 14, &out->embedding);
    good = good && count_take(json, "hidden", 1 << 14, &out->hidden);
    good = good && count_take(json, "layers", 64, &out->layers);
    good = good && count_take(json, "kernel", 255, &out->kernel);
    good = good && count_take(json, "heads", 256, &out->heads);
    if (!good)
        return false;
    snprintf(out->architecture, sizeof out->architecture, "%s", architecture);
    out->dropout = (float)json_number_value(dropout);
    *out_weights = json_integer_value(json_object_get(json, "weights"));
    return true;
}

/* Returns false at an infinite exponent: infinities and what is not a number. */
static bool all_finite(const uint8_t *data, size_t count, bool halves) {
    uint32_t bad = 0;
    for (size_t i = 0; i < count && !halves; ++i)
        bad |= (ht_bytes_get32(data + i * 4) & 0x7f800000U) == 0x7f800000U;
    for (size_t i = 0; i < count && halves; ++i)
        bad |= (data[i * 2 + 1] & 0x7cU) == 0x7cU;
    return bad == 0;
}

/* Returns the weights as they lie in the file, when the machine can read them there; else a copy.
 */
static const float *weights_place(ht_predictor *predictor, const section *section, bool halves) {
    const void *in_place = section->data;
    if (!halves && htole32(1) == 1 && (uintptr_t)section->data % sizeof(float) == 0)
        return in_place;
    size_t count = section->length / (halves ? 2 : sizeof(float));
    float *copy = ht_alloc(count ? count : 1, sizeof *copy);
    for (size_t i = 0; i < count; ++i)
        copy[i] = halves ? ht_half_get(section->data + i * 2)
                         : ht_bytes_get_real(section->data + i * sizeof *copy);
    HT_GROW(predictor->copies, predictor->copy_count);
    predictor->copies[predictor->copy_count++] = copy;
    return copy;
}

static ht_status network_take(const model *model, ht_predictor *predictor, const json_t *json,
                              ht_error *error) {
    ht_network_settings settings;
    json_int_t count = 0;
    if (!settings_take(json, &settings, &count))
        return damaged(model, error, "the settings of a network are wrong");
    const section *section = section_find(model, "weights", predictor->network_count);
    bool whole = section && count >= 0 && (uint64_t)count <= model->length;
    bool halves = whole && count > 0 && section->length == (size_t)count * 2 &&
                  ht_bytes_get32(model->data + 8) >= HT_MODEL_VERSION;
    if (!whole || (!halves && section->length != (size_t)count * sizeof(float)))
        return damaged(model, error, "the weights of a network are missing, or of another number");
    if (!all_finite(section->data, (size_t)count, halves))
        return damaged(model, error, "a weight is not finite");
    ht_output_shape output = {0};
    ht_schema_output(predictor->schema, &output);
    ht_network *network = NULL;
    ht_status status =
        ht_network_open(&settings, ht_tokenizer_shape(predictor->tokenizer), &output,
                        weights_place(predictor, section, halves), (size_t)count, &network, error);
    if (status != HT_OK) {
        ht_error_prefix(error, "%s: ", model->name);
        return status;
    }
    predictor->networks[predictor->network_count++] = network;
    predictor->halves |= halves;
    return HT_OK;
}

static ht_status networks_take(const model *model, ht_predictor *predictor, ht_error *error) {
    char *text = NULL;
    ht_status status = text_take(model, "networks", &text, error);
    if (status != HT_OK)
        return status;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    const json_t *list = json_object_get(document, "networks");
    size_t count = json_array_size(list);
    if (count == 0 || count > HT_MODEL_NETWORKS_MAX)
        status = damaged(model, error, "the list of its networks is wrong");
    else
        predictor->networks = ht_alloc(count, sizeof(ht_network *));
    for (size_t i = 0; status == HT_OK && i < count; ++i)
        status = network_take(model, predictor, json_array_get(list, i), error);
    json_decref(document);
    return status;
}

/* zlib packs at most about 1032 bytes into one. */
static const uint64_t most_packed = 1100, most_bytes = UINT64_C(1) << 30;

static ht_status trees_take(const model *model, ht_predictor *predictor, ht_error *error) {
    const section *section = section_find(model, "trees", 0);
    if (!section)
        return HT_OK;
    uint64_t length = section->length > 8 ? ht_bytes_get64(section->data) : 0;
    if (length == 0 || length > most_bytes || length / most_packed > section->length)
        return damaged(model, error, "the size of its trees is wrong");
    uint8_t *bytes = ht_alloc(length, 1);
    uLongf got = length;
    bool good = uncompress(bytes, &got, section->data + 8, section->length - 8) == Z_OK &&
                got == length &&
                ht_chain_unpack(predictor->schema, bytes, length, &predictor->chain);
    free(bytes);
    return good ? HT_OK : damaged(model, error, "its trees are wrong");
}

static ht_status predictor_read(const model *model, ht_predictor *predictor, ht_error *error) {
    char *schema = NULL, *tokens = NULL;
    ht_status status = text_take(model, "schema", &schema, error);
    if (status == HT_OK)
        status = text_take(model, "tokens", &tokens, error);
    if (status == HT_OK)
        status = text_take(model, "note", &predictor->note, error);
    if (status == HT_OK)
        status = ht_schema_parse(schema, model->name, &predictor->schema, error);
    if (status == HT_OK)
        status = ht_tokenizer_parse(predictor->schema, tokens, &predictor->tokenizer, error);
    if (status == HT_OK)
        status = networks_take(model, predictor, error);
    if (status == HT_OK)
        status = trees_take(model, predictor, error);
    free(schema);
    free(tokens);
    return status;
}

ht_status ht_predictor_parse(const void *data, size_t length, const char *name,
                             ht_predictor **out_predictor, ht_error *error) {
    model *model = ht_alloc(1, sizeof *model);
    model->data = data;
    model->length = length;
    model->name = name;
    ht_predictor *predictor = ht_alloc(1, sizeof *predictor);
    ht_status status = header_check(model, error);
    if (status == HT_OK)
        status = sections_read(model, error);
    if (status == HT_OK)
        status = predictor_read(model, predictor, error);
    free(model);
    if (status == HT_OK)
        *out_predictor = predictor;
    else
        ht_predictor_free(predictor);
    return status;
}

uint64_t ht_predictor_checksum(const ht_predictor *predictor) {
    return predictor->mapping ? ht_bytes_get64((const uint8_t *)predictor->mapping + 24) : 0;
}

/* Maps the whole file, read-only; an empty one is an error like any that is not a model. */
static ht_status file_map(const char *path, void **out_data, size_t *out_length, ht_error *error) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) {
        ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                        errno == ENOENT ? "cannot read the model: %s; 'builtin' is the folder of "
                                          "those that come with hiptemper"
                                        : "cannot read the model: %s",
                        strerror(errno));
        if (fd >= 0)
            close(fd);
        return HT_ERROR_INPUT;
    }
    *out_data = MAP_FAILED;
    *out_length = (size_t)info.st_size;
    if (S_ISREG(info.st_mode) && info.st_size > 0)
        *out_data = mmap(NULL, *out_length, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (*out_data == MAP_FAILED)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0, "cannot read the model: it is %s",
                               !S_ISREG(info.st_mode) ? "not a file"
                               : info.st_size         ? "not to be mapped"
                                                      : "empty");
    return HT_OK;
}

ht_status ht_predictor_open(const char *path, ht_predictor **out_predictor, ht_error *error) {
    void *data = NULL;
    size_t length = 0;
    ht_status status = file_map(path, &data, &length, error);
    if (status != HT_OK)
        return status;
    status = ht_predictor_parse(data, length, path, out_predictor, error);
    if (status != HT_OK) {
        munmap(data, length);
        return status;
    }
    (*out_predictor)->path = ht_strdup(path);
    (*out_predictor)->mapping = data;
    (*out_predictor)->mapping_length = length;
    return HT_OK;
}
