#include "runtime/protocol/protocol.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool send_all(int fd, const char *data, size_t length) {
    while (length > 0) {
        ssize_t sent = send(fd, data, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        data += sent;
        length -= (size_t)sent;
    }
    return true;
}

bool ht_message_send(int fd, const json_t *message) {
    char *text = json_dumps(message, JSON_COMPACT);
    if (text == NULL)
        return false;
    uint32_t length = (uint32_t)strlen(text);
    bool good = length <= HT_MESSAGE_MAX && send_all(fd, (const char *)&length, sizeof length) &&
                send_all(fd, text, length);
    free(text);
    return good;
}

bool ht_inbox_read(ht_inbox *inbox, int fd) {
    enum { STEP = 65536 };
    if (inbox->capacity < inbox->length + STEP) {
        inbox->capacity = inbox->capacity * 2 + STEP;
        inbox->data = ht_realloc(inbox->data, inbox->capacity, 1);
    }
    for (;;) {
        ssize_t got = recv(fd, inbox->data + inbox->length, STEP, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        inbox->length += (size_t)got;
        return true;
    }
}

json_t *ht_inbox_take(ht_inbox *inbox, bool *out_bad) {
    uint32_t length = 0;
    *out_bad = false;
    if (inbox->length < sizeof length)
        return NULL;
    memcpy(&length, inbox->data, sizeof length);
    if (length > HT_MESSAGE_MAX) {
        *out_bad = true;
        return NULL;
    }
    size_t whole = sizeof length + length;
    if (inbox->length < whole)
        return NULL;
    json_t *message = json_loadb(inbox->data + sizeof length, length, 0, NULL);
    *out_bad = !json_is_object(message);
    memmove(inbox->data, inbox->data + whole, inbox->length - whole);
    inbox->length -= whole;
    if (*out_bad) {
        json_decref(message);
        return NULL;
    }
    return message;
}

void ht_inbox_free(ht_inbox *inbox) {
    free(inbox->data);
    *inbox = (ht_inbox){0};
}

json_t *ht_message_text(const char *text) {
    if (text == NULL)
        return json_null();
    json_t *string = json_string(text);
    if (string != NULL)
        return string;
    char *plain = ht_strdup(text);
    for (char *c = plain; *c != '\0'; ++c)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    string = json_string(plain);
    free(plain);
    return string;
}

void ht_message_set_error(json_t *message, ht_status status, const ht_error *error) {
    json_object_set_new(message, "status", json_integer(status));
    if (status == HT_OK)
        return;
    json_object_set_new(message, "message", ht_message_text(error->message));
    json_object_set_new(message, "file", ht_message_text(error->file));
    json_object_set_new(message, "line", json_integer(error->line));
    json_object_set_new(message, "column", json_integer(error->column));
}

ht_status ht_message_get_error(const json_t *message, ht_error *error) {
    const json_t *status = json_object_get(message, "status");
    json_int_t code = json_is_integer(status) ? json_integer_value(status) : -1;
    if (code == HT_OK)
        return HT_OK;
    if (code < HT_OK || code > HT_ERROR_INTERNAL)
        return ht_error_set(error, HT_ERROR_INTERNAL, "a worker sent no status");
    const char *text = json_string_value(json_object_get(message, "message"));
    const char *file = json_string_value(json_object_get(message, "file"));
    ht_status result = ht_error_set_at(
        error, (ht_status)code, file, (int)json_integer_value(json_object_get(message, "line")),
        (int)json_integer_value(json_object_get(message, "column")), "%s", text ? text : "");
    if (error != NULL)
        ht_text_make_printable(error->message, "\n\t", false); /* the worker ran foreign code */
    return result;
}

json_t *ht_message_config(const ht_config *config) {
    json_t *array = json_array();
    for (size_t i = 0; i < config->count; ++i)
        json_array_append_new(array, json_integer(config->choice[i]));
    return array;
}

bool ht_message_get_config(const json_t *message, const ht_template *template,
                           ht_config *out_config) {
    *out_config = (ht_config){.count = (uint16_t)template->param_count};
    if (json_array_size(message) != template->param_count)
        return false;
    for (size_t i = 0; i < template->param_count; ++i) {
        json_int_t choice = json_integer_value(json_array_get(message, i));
        if (choice < 0 || (size_t)choice >= template->params[i].value_count)
            return false;
        out_config->choice[i] = (uint16_t)choice;
    }
    return true;
}

static json_t *name_array(char **names, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; ++i)
        json_array_append_new(array, ht_message_text(names[i]));
    return array;
}

json_t *ht_message_program(const ht_program *program, const char *code_file) {
    return json_pack("{s:o, s:o, s:o}", "code", ht_message_text(code_file), "kernels",
                     name_array(program->kernels, program->kernel_count), "constants",
                     name_array(program->constants, program->constant_count));
}

static bool get_names(const json_t *array, char ***out_names, size_t *out_count) {
    size_t count = json_array_size(array);
    *out_names = ht_alloc(count + 1, sizeof **out_names);
    for (*out_count = 0; *out_count < count; ++*out_count) {
        const char *name = json_string_value(json_array_get(array, *out_count));
        if (name == NULL)
            return false;
        (*out_names)[*out_count] = ht_strdup(name);
    }
    return true;
}

bool ht_message_get_program(const json_t *message, ht_program *out_program) {
    *out_program = (ht_program){.log = ht_strdup("")};
    bool good = get_names(json_object_get(message, "kernels"), &out_program->kernels,
                          &out_program->kernel_count) &&
                get_names(json_object_get(message, "constants"), &out_program->constants,
                          &out_program->constant_count);
    if (!good)
        ht_program_free(out_program);
    return good;
}

ht_resources ht_resources_unknown(void) {
    ht_resources resources;
#define UNKNOWN(field) resources.field = -1;
    HT_RESOURCE_FIELDS(UNKNOWN)
#undef UNKNOWN
    return resources;
}

void ht_resources_merge(ht_resources *resources, const ht_resources *loaded){
#define MERGE(field)                                                                               \
    if (loaded->field >= 0)                                                                        \
        resources->field = loaded->field;
    HT_RESOURCE_FIELDS(MERGE)
#undef MERGE
}

ht_launch_set ht_message_get_set(const json_t *message) {
    json_int_t set = json_integer_value(json_object_get(message, "launches"));
    return set == HT_LAUNCHES_REFERENCE || set == HT_LAUNCHES_BASELINE ? (ht_launch_set)set
                                                                       : HT_LAUNCHES_OWN;
}

json_t *ht_message_resources(const ht_resources *resources) {
    json_t *object = json_object();
#define SET(field) json_object_set_new(object, #field, json_integer(resources->field));
    HT_RESOURCE_FIELDS(SET)
#undef SET
    return object;
}

ht_resources ht_message_get_resources(const json_t *message) {
    ht_resources resources = ht_resources_unknown();
#define GET(field)                                                                                 \
    if (json_is_integer(json_object_get(message, #field)))                                         \
        resources.field = (int)json_integer_value(json_object_get(message, #field));
    HT_RESOURCE_FIELDS(GET)
#undef GET
    return resources;
}
