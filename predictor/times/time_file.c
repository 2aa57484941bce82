/* Time models as files. Numbers are little-endian.
 *
 *   0   magic                 8 bytes
 *   8   version               u32
 *   12  length of the header  u32
 *   16  length of the file    u64
 *   24  checksum              u64, XXH3 (64 bits, seed 0) of everything from byte 32 on
 *   32  header                JSON: facts, the inputs with their bins, the number of members
 *   ... members               ht_boost_pack, one after the other */
#include "predictor/times/time_internal.h"

#include "base/file.h"
#include "base/little_endian.h"
#include "base/memory.h"
#include "base/result.h"
#include "predictor/model/model_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 2,
    VERSION_LANES = 2, /* from here on trees say what is left without the lanes */
    HEADER = HT_MODEL_HEADER,
    MAGIC = 8,
    INPUTS_MOST = 65535,
    FILE_MOST = 256 << 20
};
/* As PNG's: a first byte that is no text, and line ends that a transfer as text would change. */
static const uint8_t magic[MAGIC] = {0x89, 'H', 'T', 'T', 0x0d, 0x0a, 0x1a, 0x0a};

static json_t *check_json(const ht_time_check *check) {
    return json_pack("{s:I, s:f, s:f}", "jobs", (json_int_t)check->jobs, "mean", check->mean, "low",
                     check->low);
}

static json_t *input_json(const ht_time_input *input) {
    json_t *edges = json_array();
    for (size_t e = 0; e < input->bins.count; ++e)
        json_array_append_new(edges, json_real((double)input->bins.edges[e]));
    return json_pack("{s:s, s:o}", "name", input->name, "edges", edges);
}

static json_t *seen_json(const ht_time_seen *seen) {
    return json_pack("{s:s, s:f, s:f}", "name", seen->name, "least", seen->least, "most",
                     seen->most);
}

static char *header_text(const ht_time_model *model) {
    const ht_time_facts *facts = &model->facts;
    json_t *inputs = json_array(), *devices = json_array(), *seen = json_array();
    for (size_t c = 0; c < model->input_count; ++c)
        json_array_append_new(inputs, input_json(&model->inputs[c]));
    for (size_t d = 0; d < facts->device_count; ++d)
        json_array_append_new(devices, json_string(facts->devices[d]));
    for (size_t f = 0; f < facts->seen_count; ++f)
        json_array_append_new(seen, seen_json(&facts->seen[f]));
    json_t *header = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:I}", "kernel", facts->kernel,
        "annotations", facts->annotations, "code", facts->code, "devices", devices, "seen", seen,
        "jobs", (json_int_t)facts->jobs, "rows", (json_int_t)facts->rows, "problems",
        check_json(&facts->problems), "machines", check_json(&facts->machines), "inputs", inputs,
        "members", (json_int_t)model->member_count);
    char *text = json_dumps(header, JSON_COMPACT);
    json_decref(header);
    return text ? text : ht_strdup("");
}

ht_status ht_time_model_save(const ht_time_model *model, const char *path, ht_error *error) {
    char *header = header_text(model);
    uint8_t start[HEADER] = {0};
    ht_text file = {0};
    ht_text_append_n(&file, (const char *)start, sizeof start);
    ht_text_append(&file, header);
    for (size_t m = 0; m < model->member_count; ++m)
        ht_boost_pack(model->members[m], &file);
    uint8_t *bytes = (uint8_t *)file.data;
    memcpy(bytes, magic, sizeof magic);
    ht_bytes_put32(bytes + 8, VERSION);
    ht_bytes_put32(bytes + 12, (uint32_t)strlen(header));
    ht_bytes_put64(bytes + 16, file.length);
    ht_bytes_put64(bytes + 24, ht_model_checksum(bytes, file.length));
    ht_status status = ht_result_write(path, file.data, file.length, error);
    ht_text_free(&file);
    free(header);
    return status;
}

static bool text_take(const json_t *object, const char *name, char **out_text) {
    const char *text = json_string_value(json_object_get(object, name));
    *out_text = text ? ht_strdup(text) : NULL;
    return text != NULL;
}

static bool count_take(const json_t *object, const char *name, json_int_t most, size_t *out_count) {
    const json_t *value = json_object_get(object, name);
    json_int_t count = json_integer_value(value);
    *out_count = count > 0 ? (size_t)count : 0;
    return json_is_integer(value) && count >= 0 && count <= most;
}

static bool number_take(const json_t *value, double *out_number) {
    *out_number = json_number_value(value);
    return json_is_number(value) && isfinite(*out_number);
}

static bool check_take(const json_t *object, const char *name, ht_time_check *out_check) {
    const json_t *check = json_object_get(object, name);
    return count_take(check, "jobs", INT32_MAX, &out_check->jobs) &&
           number_take(json_object_get(check, "mean"), &out_check->mean) &&
           number_take(json_object_get(check, "low"), &out_check->low);
}

static bool edges_take(const json_t *edges, ht_bins *out_bins) {
    out_bins->count = json_array_size(edges);
    if (!json_is_array(edges) || out_bins->count > HT_BINS_MOST - 1)
        return false;
    for (size_t e = 0; e < out_bins->count; ++e) {
        double edge;
        if (!number_take(json_array_get(edges, e), &edge))
            return false;
        out_bins->edges[e] = (float)edge;
        if (!isfinite(out_bins->edges[e]) || (e > 0 && out_bins->edges[e] < out_bins->edges[e - 1]))
            return false;
    }
    return true;
}

static bool inputs_take(const json_t *header, ht_time_model *model) {
    const json_t *inputs = json_object_get(header, "inputs");
    size_t count = json_array_size(inputs);
    if (!json_is_array(inputs) || count > INPUTS_MOST)
        return false;
    model->inputs = ht_alloc(count + 1, sizeof *model->inputs);
    while (model->input_count < count) {
        const json_t *object = json_array_get(inputs, model->input_count);
        ht_time_input *input = &model->inputs[model->input_count++];
        if (!text_take(object, "name", &input->name) ||
            !edges_take(json_object_get(object, "edges"), &input->bins))
            return false;
    }
    return true;
}

static bool devices_take(const json_t *header, ht_time_facts *facts) {
    const json_t *devices = json_object_get(header, "devices");
    size_t count = json_array_size(devices);
    facts->devices = ht_alloc(count + 1, sizeof *facts->devices);
    for (size_t d = 0; d < count; ++d) {
        const char *name = json_string_value(json_array_get(devices, d));
        if (!name)
            return false;
        facts->devices[facts->device_count++] = ht_strdup(name);
    }
    return json_is_array(devices);
}

static bool seen_take(const json_t *header, ht_time_facts *facts) {
    const json_t *seen = json_object_get(header, "seen");
    size_t count = json_array_size(seen);
    facts->seen = ht_alloc(count + 1, sizeof *facts->seen);
    while (facts->seen_count < count) {
        const json_t *object = json_array_get(seen, facts->seen_count);
        ht_time_seen *field = &facts->seen[facts->seen_count++];
        if (!text_take(object, "name", &field->name) ||
            !number_take(json_object_get(object, "least"), &field->least) ||
            !number_take(json_object_get(object, "most"), &field->most))
            return false;
    }
    return json_is_array(seen);
}

static bool header_take(const json_t *header, ht_time_model *model, size_t *out_members) {
    ht_time_facts *facts = &model->facts;
    return text_take(header, "kernel", &facts->kernel) &&
           text_take(header, "annotations", &facts->annotations) &&
           text_take(header, "code", &facts->code) && devices_take(header, facts) &&
           seen_take(header, facts) && count_take(header, "jobs", INT32_MAX, &facts->jobs) &&
           count_take(header, "rows", INT32_MAX, &facts->rows) &&
           check_take(header, "problems", &facts->problems) &&
           check_take(header, "machines", &facts->machines) && inputs_take(header, model) &&
           count_take(header, "members", HT_TIME_MEMBERS_MOST, out_members) && *out_members > 0;
}

static bool members_take(const uint8_t *at, const uint8_t *end, size_t members,
                         ht_time_model *model) {
    model->members = ht_alloc(members + 1, sizeof *model->members);
    while (model->member_count < members) {
        if (!ht_boost_unpack(&at, end, model->input_count, &model->members[model->member_count]))
            return false;
        ++model->member_count;
    }
    return at == end;
}

/* Returns why these bytes cannot be a time model, as far as the start says; NULL: they can. */
static const char *start_refused(const uint8_t *data, size_t length) {
    if (length < HEADER || memcmp(data, magic, sizeof magic) != 0)
        return "it does not begin like one";
    uint32_t version = ht_bytes_get32(data + 8);
    if (version < 1 || version > VERSION)
        return "another version of hiptemper wrote it; 'hiptemper tune --learn' makes a new one";
    if (ht_bytes_get64(data + 16) != length)
        return "it is not as long as it says: cut short?";
    if (ht_bytes_get64(data + 24) != ht_model_checksum(data, length))
        return "its checksum differs: it is damaged";
    if (ht_bytes_get32(data + 12) > length - HEADER)
        return "its header is longer than the file";
    return NULL;
}

ht_status ht_time_model_parse(const uint8_t *data, size_t length, const char *name,
                              ht_time_model **out_model, ht_error *error) {
    const char *refused = start_refused(data, length);
    ht_time_model *model = ht_alloc(1, sizeof *model);
    *out_model = NULL;
    if (!refused) {
        model->lanes = ht_bytes_get32(data + 8) >= VERSION_LANES;
        size_t header_length = ht_bytes_get32(data + 12), members = 0;
        const uint8_t *at = data + HEADER + header_length;
        json_t *header = json_loadb((const char *)data + HEADER, header_length, 0, NULL);
        if (!header || !header_take(header, model, &members))
            refused = "its header is not as it should be";
        else if (!members_take(at, data + length, members, model))
            refused = "its trees are not as they should be";
        json_decref(header);
    }
    if (!refused) {
        *out_model = model;
        return HT_OK;
    }
    ht_time_model_free(model);
    return ht_error_set_at(error, HT_ERROR_INPUT, name, 0, 0, "not a time model: %s", refused);
}

ht_status ht_time_model_open(const char *path, ht_time_model **out_model, ht_error *error) {
    char *data = NULL;
    size_t length = 0;
    *out_model = NULL;
    ht_status status = ht_file_read(path, FILE_MOST, &data, &length, error);
    if (status == HT_OK)
        status = ht_time_model_parse((const uint8_t *)data, length, path, out_model, error);
    else
        ht_error_prefix(error, "cannot read the model of time: ");
    free(data);
    return status;
}

bool ht_time_model_is(const char *path) {
    uint8_t start[MAGIC];
    FILE *file = fopen(path, "rb");
    bool same = file && fread(start, 1, sizeof start, file) == sizeof start &&
                memcmp(start, magic, sizeof magic) == 0;
    if (file)
        fclose(file);
    return same;
}
