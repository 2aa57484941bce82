#include "base/text.h"
#include "runtime/provider/provider.h"

#include <stdlib.h>
#include <string.h>

const ht_provider *const ht_providers[] = {&ht_provider_host, &ht_provider_amd, &ht_provider_nvidia,
                                           NULL};

const ht_provider *ht_provider_find(const char *name) {
    for (const ht_provider *const *at = ht_providers; *at; at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

/* Returns the provider that a device name starts with: "amd" or "amd:...". */
static const ht_provider *provider_of_device(const char *name) {
    size_t length = strcspn(name, ":");
    for (const ht_provider *const *at = ht_providers; *at; at++)
        if (strlen((*at)->name) == length && strncmp((*at)->name, name, length) == 0)
            return *at;
    return NULL;
}

static void list_devices(ht_text *out, const ht_provider *provider) {
    ht_device *devices = NULL;
    size_t count = 0;
    if (provider->devices(&devices, &count, NULL) == HT_OK)
        for (size_t i = 0; i < count; i++)
            ht_text_printf(out, "%s%s", out->length ? ", " : "", devices[i].name);
    free(devices);
}

static ht_status unknown_device(const char *name, const ht_provider *provider, ht_error *error) {
    ht_text known = {0};
    for (const ht_provider *const *at = ht_providers; *at; at++)
        if (!provider || provider == *at)
            list_devices(&known, *at);
    char *reason = provider && provider->why_not ? provider->why_not(name) : NULL;
    ht_status status =
        ht_error_set(error, HT_ERROR_INPUT, "no device '%s'%s%s; there are: %s", name,
                     reason ? ": " : "", reason ? reason : "", known.length ? known.data : "none");
    free(reason);
    ht_text_free(&known);
    return status;
}

/* Picks the device of a name: a bare provider name means its first device that can run, else its
 * first. */
static const ht_device *pick_device(const ht_device *devices, size_t count, const char *name) {
    bool bare = !strchr(name, ':');
    for (size_t i = 0; i < count; i++)
        if (bare ? devices[i].can_run : strcmp(devices[i].name, name) == 0)
            return &devices[i];
    return bare && count > 0 ? &devices[0] : NULL;
}

ht_status ht_device_find(const char *name, ht_device *out_device, ht_error *error) {
    const ht_provider *provider = provider_of_device(name);
    if (!provider)
        return unknown_device(name, NULL, error);
    ht_device *devices = NULL;
    size_t count = 0;
    ht_status status = provider->devices(&devices, &count, error);
    if (status)
        return status;
    const ht_device *device = pick_device(devices, count, name);
    if (device)
        *out_device = *device;
    free(devices);
    return device ? HT_OK : unknown_device(name, provider, error);
}
