/* Messages of a worker, which a kernel may have written over: each is taken apart or refused, and
 * those that are taken are whole. */
#include "fuzz.h"

#include "runtime/protocol/protocol.h"

#include <stdlib.h>
#include <string.h>

static const char TEXT[] = "#pragma tune unit\n"
                           "#pragma tune kernel(k)\n"
                           "#pragma tune param(A : 1, 2, 3 = 2)\n"
                           "#pragma tune param(B : 0, 1 = 0)\n"
                           "#pragma tune block(A)\n"
                           "#pragma tune grid(1)\n"
                           "#pragma tune arg(out : out int[4])\n"
                           "template <int A, int B> __global__ void k(int *out);\n";

static const ht_template *sample_template(void) {
    static ht_template *templates;
    static size_t count;
    if (templates == NULL)
        FUZZ_CHECK(ht_template_parse(TEXT, "k.hip", &templates, &count, NULL) == HT_OK);
    return templates;
}

static void read_message(const json_t *message) {
    const ht_template *template = sample_template();
    ht_error error = {0};
    ht_config config;
    ht_program program;
    ht_status status = ht_message_get_error(message, &error);
    FUZZ_CHECK(status == HT_OK || error.status == status);
    (void)ht_message_get_resources(json_object_get(message, "resources"));
    if (ht_message_get_program(json_object_get(message, "program"), &program))
        ht_program_free(&program);
    if (ht_message_get_config(json_object_get(message, "config"), template, &config))
        for (size_t i = 0; i < template->param_count; ++i)
            FUZZ_CHECK(config.choice[i] < template->params[i].value_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ht_inbox inbox = {.data = ht_alloc(size + 1, 1), .length = size, .capacity = size};
    bool bad = false;
    memcpy(inbox.data, data, size);
    for (json_t *message; (message = ht_inbox_take(&inbox, &bad)) != NULL;) {
        FUZZ_CHECK(json_is_object(message) && !bad);
        read_message(message);
        json_decref(message);
    }
    ht_inbox_free(&inbox);
    return 0;
}
