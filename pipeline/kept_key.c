#include "pipeline/kept_key.h"

#include "runtime/host/toolchain.h"

#include <string.h>
#include <unistd.h>

void ht_kept_key_text(ht_text *out, const char *name, const char *value) {
    if (value)
        ht_text_printf(out, "%s %zu %s\n", name, strlen(value), value);
}

void ht_kept_key_number(ht_text *out, const char *name, double value) {
    ht_text_printf(out, "%s %.17g\n", name, value);
}

void ht_kept_key_analysis(ht_text *out, const ht_refactor_options *options) {
    ht_kept_key_number(out, "operations", (double)options->limits.operations);
    ht_kept_key_number(out, "memory", (double)options->limits.memory_bytes);
    ht_kept_key_number(out, "without", options->without);
}

ht_status ht_kept_key_device(ht_text *out, const ht_device *device, bool runs) {
    char hash[HT_HASH_SIZE] = "";
    ht_status status = runs ? ht_toolchain_hash(hash, NULL) : HT_OK;
    if (status != HT_OK)
        return status;
    ht_text_printf(out, "host %s\n", hash);
#define PUT(name) ht_text_printf(out, #name " %lld\n", (long long)device->fields.name);
    HT_DEVICE_FIELDS(PUT)
#undef PUT
    return HT_OK;
}

void ht_kept_key_variables(ht_text *out) {
    static const char *const others[] = {
        "HIPTEMPER_KEPT=", "HIPTEMPER_CACHE=", "HIPTEMPER_OBJECTS=", "HIPTEMPER_DB="};
    for (char **at = environ; *at; ++at) {
        bool of_result = strncmp(*at, "HIPTEMPER_", 10) == 0;
        for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
            of_result = of_result && strncmp(*at, others[i], strlen(others[i])) != 0;
        if (of_result)
            ht_kept_key_text(out, "variable", *at);
    }
}
