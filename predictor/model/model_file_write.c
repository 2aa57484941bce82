/* Saving a predictor. The whole file is made in memory and replaces the old one at once. */
#include "predictor/math/half.h"
#include "predictor/model/model_file.h"
#include "predictor/predictor_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"

#include <endian.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

const uint8_t ht_model_magic[8] = {0x89, 'H', 'T', 'M', '\r', '\n', 0x1a, '\n'};

uint64_t ht_model_checksum(const uint8_t *data, size_t length) {
    return XXH3_64bits(data + HT_MODEL_HEADER, length - HT_MODEL_HEADER);
}

typedef struct section {
    const char *name;
    const void *data;
    size_t length;
    bool weights; /* data has floats, of which `length` bytes are made */
    bool halves;  /* of 16 bits each */
    size_t offset;
} section;

static char *networks_text(const ht_predictor *predictor) {
    json_t *list = json_array();
    for (size_t i = 0; i < predictor->network_count; ++i) {
        const ht_network_settings *settings = ht_network_settings_of(predictor->networks[i]);
        json_array_append_new(
            list,
            json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:I}", "architecture",
                      settings->architecture, "embedding", (json_int_t)settings->embedding,
                      "hidden", (json_int_t)settings->hidden, "layers",
                      (json_int_t)settings->layers, "kernel", (json_int_t)settings->kernel, "heads",
                      (json_int_t)settings->heads, "dropout", (double)settings->dropout, "weights",
                      (json_int_t)ht_network_weight_count(predictor->networks[i])));
    }
    json_t *document = json_pack("{s:o}", "networks", list);
    char *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(document);
    return text;
}

/* Places each section; returns the length of the file. */
static size_t sections_place(section *sections, size_t count) {
    size_t at = HT_MODEL_HEADER + count * HT_MODEL_SECTION;
    for (size_t i = 0; i < count; ++i) {
        if (sections[i].weights)
            at = (at + HT_MODEL_ALIGN - 1) / HT_MODEL_ALIGN * HT_MODEL_ALIGN;
        sections[i].offset = at;
        at += sections[i].length;
    }
    return at;
}

static void section_put(uint8_t *file, size_t index, const section *section) {
    uint8_t *entry = file + HT_MODEL_HEADER + index * HT_MODEL_SECTION;
    memcpy(entry, section->name, strlen(section->name));
    ht_bytes_put64(entry + HT_MODEL_NAME, section->offset);
    ht_bytes_put64(entry + HT_MODEL_NAME + 8, section->length);
    uint8_t *place = file + section->offset;
    const float *weights = section->data;
    if (!section->weights)
        memcpy(place, section->data, section->length);
    else if (section->halves)
        for (size_t i = 0; i < section->length / 2; ++i)
            ht_half_put(place + 2 * i, weights[i]);
    else
        for (size_t i = 0; i < section->length / 4; ++i)
            ht_bytes_put_real(place + 4 * i, weights[i]);
}

/* Returns the chain as a section's bytes; free(). */
static uint8_t *trees_make(const ht_chain *chain, size_t *out_length) {
    ht_text bytes = {0};
    ht_chain_pack(chain, &bytes);
    uLongf packed = compressBound(bytes.length);
    uint8_t *section = ht_alloc(8 + packed, 1);
    ht_bytes_put64(section, bytes.length);
    if (compress2(section + 8, &packed, (const Bytef *)bytes.data, bytes.length,
                  Z_BEST_COMPRESSION) != Z_OK)
        abort(); /* there is no memory left; as in base/memory.c */
    ht_text_free(&bytes);
    *out_length = 8 + packed;
    return section;
}

static uint8_t *file_make(section *sections, size_t count, uint32_t version, size_t *out_length) {
    size_t length = sections_place(sections, count);
    uint8_t *file = ht_alloc(length, 1);
    memcpy(file, ht_model_magic, sizeof ht_model_magic);
    ht_bytes_put32(file + 8, version);
    ht_bytes_put32(file + 12, (uint32_t)count);
    ht_bytes_put64(file + 16, length);
    for (size_t i = 0; i < count; ++i)
        section_put(file, i, &sections[i]);
    ht_bytes_put64(file + 24, ht_model_checksum(file, length));
    *out_length = length;
    return file;
}

/* Returns the first version whose readers know all that the file will have. */
static uint32_t version_of(const ht_predictor *predictor) {
    if (predictor->halves)
        return HT_MODEL_VERSION;
    if (!predictor->chain)
        return HT_MODEL_VERSION_PLAIN;
    return ht_chain_own_count(predictor->chain) ? HT_MODEL_VERSION_OWN : HT_MODEL_VERSION_TREES;
}

ht_status ht_predictor_save(const ht_predictor *predictor, const char *path, ht_error *error) {
    if (predictor->network_count > HT_MODEL_NETWORKS_MAX)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                               "a model file holds at most %d networks, not %zu",
                               HT_MODEL_NETWORKS_MAX, predictor->network_count);
    ht_text schema = {0}, tokens = {0};
    ht_schema_print(predictor->schema, &schema);
    ht_tokenizer_print(predictor->tokenizer, &tokens);
    char *networks = networks_text(predictor);
    size_t count = 4 + predictor->network_count, trees_length = 0;
    uint8_t *trees = predictor->chain ? trees_make(predictor->chain, &trees_length) : NULL;
    section *sections = ht_alloc(count + 1, sizeof *sections);
    sections[0] = (section){.name = "schema", .data = schema.data, .length = schema.length};
    sections[1] = (section){.name = "tokens", .data = tokens.data, .length = tokens.length};
    sections[2] = (section){.name = "networks", .data = networks, .length = strlen(networks)};
    sections[3] =
        (section){.name = "note", .data = predictor->note, .length = strlen(predictor->note)};
    for (size_t i = 0; i < predictor->network_count; ++i) {
        const ht_network *network = predictor->networks[i];
        sections[4 + i] = (section){.name = "weights",
                                    .data = ht_network_weights(network),
                                    .length = ht_network_weight_count(network) *
                                              (predictor->halves ? 2 : sizeof(float)),
                                    .weights = true,
                                    .halves = predictor->halves};
    }
    if (trees)
        sections[count++] = (section){.name = "trees", .data = trees, .length = trees_length};
    size_t length;
    uint8_t *file = file_make(sections, count, version_of(predictor), &length);
    ht_status status = ht_result_write(path, file, length, error);
    free(file);
    free(trees);
    free(sections);
    free(networks);
    ht_text_free(&tokens);
    ht_text_free(&schema);
    return status;
}
