#include "cli/command.h"

#include "base/memory.h"
#include "cli/reports/table.h"
#include "runtime/provider/provider.h"

#include <stdlib.h>

typedef struct devices_options {
    const char *json;
} devices_options;

static const ht_option options[] = {
    {"json", HT_OPTION_JSON, offsetof(devices_options, json), "FILE",
     .help = "Writes the list as JSON: to standard output, or to FILE. docs/json.md describes it."},
    {0},
};

/* A provider's devices, or why there are none. */
typedef struct listing {
    const ht_provider *provider;
    ht_device *devices; /* owned */
    size_t count;
    ht_status status;
    ht_error error;
} listing;

static json_t *fields_json(const ht_device_fields *fields) {
    json_t *object = json_object();
#define SET(name) json_object_set_new(object, #name, json_integer((json_int_t)fields->name));
    HT_DEVICE_FIELDS(SET)
#undef SET
    return object;
}

static json_t *device_json(const ht_device *device) {
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:o}", "name", device->name, "provider",
                     device->provider, "description", device->description, "arch", device->arch,
                     "compiler", device->compiler, "can_run", device->can_run, "emulated",
                     device->emulated, "fields", fields_json(&device->fields));
}

static json_t *document_make(const listing *listings, size_t count) {
    json_t *document = ht_report_json_new("hiptemper-devices", 1);
    json_t *devices = json_array(), *missing = json_array();
    for (size_t i = 0; i < count; i++) {
        const listing *listing = &listings[i];
        for (size_t d = 0; d < listing->count; d++)
            json_array_append_new(devices, device_json(&listing->devices[d]));
        if (listing->status)
            json_array_append_new(missing,
                                  json_pack("{s:s, s:s, s:s}", "provider", listing->provider->name,
                                            "summary", listing->provider->summary, "reason",
                                            listing->error.message));
    }
    json_object_set_new(document, "devices", devices);
    json_object_set_new(document, "missing", missing);
    return document;
}

static void print_devices(const listing *listings, size_t count, FILE *out) {
    ht_table *table =
        ht_table_new("lltl", (const char *const[]){"device", "use", "description", "compiler"});
    for (size_t i = 0; i < count; i++)
        for (size_t d = 0; d < listings[i].count; d++) {
            const ht_device *device = &listings[i].devices[d];
            const char *use = !device->can_run   ? "inspect"
                              : device->emulated ? "tune (emulated), inspect"
                                                 : "tune, inspect";
            if (device->can_run && !listings[i].provider->resources)
                use = device->emulated ? "tune (emulated)" : "tune";
            ht_table_row(table, (const char *const[]){device->name, use, device->description,
                                                      device->compiler});
        }
    ht_table_finish(table, out, 0);
}

static void print_missing(const listing *listings, size_t count, FILE *out) {
    for (size_t i = 0; i < count; i++)
        if (listings[i].status)
            fprintf(out, "\n%s is not available: %s%s%s\n  (%s)\n", listings[i].provider->name,
                    listings[i].error.file, *listings[i].error.file ? ": " : "",
                    listings[i].error.message, listings[i].provider->summary);
}

static int run_devices(const ht_command_line *line) {
    const devices_options *given = line->options;
    FILE *out = ht_report_stream(given->json);
    size_t count = 0;
    while (ht_providers[count])
        count++;
    listing *listings = ht_alloc(count, sizeof *listings);
    for (size_t i = 0; i < count; i++) {
        listings[i].provider = ht_providers[i];
        listings[i].status =
            ht_providers[i]->devices(&listings[i].devices, &listings[i].count, &listings[i].error);
    }
    print_devices(listings, count, out);
    print_missing(listings, count, out);
    json_t *document = document_make(listings, count);
    int code = ht_report_json(given->json, document);
    json_decref(document);
    for (size_t i = 0; i < count && code == HT_EXIT_OK; i++)
        if (listings[i].status == HT_ERROR_IO) /* it may be there */
            code = HT_EXIT_FAILED;
    for (size_t i = 0; i < count; i++)
        free(listings[i].devices);
    free(listings);
    return code;
}

const ht_command ht_command_devices = {
    .name = "devices",
    .summary = "list what kernels can be tuned on or compiled for",
    .usage = "[--json[=FILE]]",
    .description =
        "Lists the devices that --device and --arch take: the host emulation, GPUs, and targets "
        "that kernels can be compiled for without a GPU. A provider that is not available is "
        "listed with the reason and what to install.",
    .examples = "hiptemper devices\n"
                "hiptemper devices --json devices.json",
    .options = options,
    .options_size = sizeof(devices_options),
    .run = run_devices,
};
