#include "runtime/reference/unwritten.h"

#include "base/memory.h"
#include "runtime/protocol/protocol.h"

#include <stdlib.h>
#include <string.h>

/* Any byte that makes the second poison unlike the first. */
enum { OTHER_POISON = 0x5A };

static bool is_filled(const unsigned char *at, size_t size, unsigned char byte) {
    for (size_t i = 0; i < size; ++i)
        if (at[i] != byte)
            return false;
    return true;
}

static bool concerns(const ht_layout_arg *arg) {
    return arg->arg->role == HT_ARG_OUT && !arg->arg->partial;
}

/* Counts elements that are poison in one run, and with `second` in the other; *out_first is the
 * first. */
static size_t poisoned(const ht_layout_arg *arg, const void *data, const void *second,
                       size_t *out_first) {
    size_t size = ht_element_size(arg->element), found = 0;
    unsigned char byte = ht_poison_byte(arg->element);
    for (size_t i = 0; i < arg->count; ++i) {
        const unsigned char *at = (const unsigned char *)data + i * size;
        const unsigned char *other = second ? (const unsigned char *)second + i * size : NULL;
        if (!is_filled(at, size, byte) || (other && !is_filled(other, size, byte ^ OTHER_POISON)))
            continue;
        if (!found++)
            *out_first = i;
    }
    return found;
}

static ht_status look_again(const ht_buffers *buffers, size_t index, const void *data,
                            json_t *reply, ht_error *error) {
    const ht_layout_arg *arg = &buffers->layout.args[index];
    const void *second = NULL;
    void *copy = NULL;
    size_t first = 0;
    ht_status status = ht_buffers_look(buffers, index, &second, &copy, error);
    size_t count = status == HT_OK ? poisoned(arg, data, second, &first) : 0;
    free(copy);
    if (count && !json_object_get(reply, "unwritten"))
        json_object_set_new(reply, "unwritten",
                            json_pack("{s:o, s:I, s:I, s:I}", "arg",
                                      ht_message_text(arg->arg->name), "first", (json_int_t)first,
                                      "count", (json_int_t)count, "of", (json_int_t)arg->count));
    return status;
}

ht_status ht_unwritten_find(ht_variant *variant, void *const *data, json_t *reply,
                            ht_error *error) {
    ht_buffers *buffers = ht_variant_buffers(variant);
    bool any = false;
    size_t first;
    for (size_t i = 0; i < buffers->layout.count && !any; ++i)
        any = concerns(&buffers->layout.args[i]) &&
              poisoned(&buffers->layout.args[i], data[i], NULL, &first);
    if (!any)
        return HT_OK;
    buffers->flip = OTHER_POISON;
    ht_status status = ht_variant_run(variant, error);
    buffers->flip = 0;
    for (size_t i = 0; i < buffers->layout.count && status == HT_OK; ++i)
        if (concerns(&buffers->layout.args[i]))
            status = look_again(buffers, i, data[i], reply, error);
    return status;
}

ht_status ht_unwritten_check(const ht_template *template, const json_t *reply, ht_error *error) {
    const json_t *found = json_object_get(reply, "unwritten");
    const char *name = json_string_value(json_object_get(found, "arg"));
    const ht_arg *arg = name ? ht_template_arg(template, name) : NULL;
    if (!arg)
        return HT_OK;
    json_int_t first = json_integer_value(json_object_get(found, "first"));
    json_int_t count = json_integer_value(json_object_get(found, "count"));
    json_int_t of = json_integer_value(json_object_get(found, "of"));
    char *who = ht_template_set_words(template, ht_template_reference_set(template));
    ht_status status = ht_error_set_at(
        error, HT_ERROR_INPUT, arg->place.file, arg->place.line, arg->place.column,
        "%s: %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " elements are never written, the "
        "first %s[%" JSON_INTEGER_FORMAT "], by what results are compared with (%s): make its "
        "grid(...) cover them, or write arg(%s : out partial %s[...]) if they are to stay",
        name, count, of, name, first, who, name, arg->type);
    free(who);
    return status;
}
