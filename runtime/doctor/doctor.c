#include "runtime/doctor/doctor.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/amd/rocjitsu.h"

#include <stdio.h>
#include <stdlib.h>

const char *ht_level_name(ht_level level) {
    switch (level) {
    case HT_LEVEL_FINE:
        return "fine";
    case HT_LEVEL_WARNING:
        return "warning";
    case HT_LEVEL_MISSING:
        break;
    }
    return "missing";
}

void ht_findings_add(ht_findings *findings, const char *group, const char *name, ht_level level,
                     const char *fix, const char *format, ...) {
    char found[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(found, sizeof found, format, args);
    va_end(args);
    HT_GROW(findings->items, findings->count);
    findings->items[findings->count++] =
        (ht_finding){.group = group,
                     .name = ht_strdup(name),
                     .level = level,
                     .found = ht_strdup(found),
                     .fix = level != HT_LEVEL_FINE && fix != NULL ? ht_strdup(fix) : NULL};
}

size_t ht_findings_at_level(const ht_findings *findings, ht_level level) {
    size_t count = 0;
    for (size_t i = 0; i < findings->count; ++i)
        count += findings->items[i].level == level;
    return count;
}

void ht_findings_free(ht_findings *findings) {
    for (size_t i = 0; i < findings->count; ++i) {
        free(findings->items[i].name);
        free(findings->items[i].found);
        free(findings->items[i].fix);
    }
    free(findings->items);
    *findings = (ht_findings){0};
}

/* Returns the first device that can run; NULL when all are for compiling only. */
static const ht_device *first_that_runs(const ht_device *devices, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (devices[i].can_run)
            return &devices[i];
    return NULL;
}

static void look_at(const ht_provider *provider, ht_findings *findings, ht_device **out_devices,
                    size_t *out_count) {
    ht_device *devices = NULL;
    size_t count = 0;
    ht_error error = {0};
    if (provider->devices(&devices, &count, &error) != HT_OK) {
        ht_findings_add(findings, "devices", provider->name, HT_LEVEL_WARNING,
                        "install what is missing, or ignore this when the machine has no such GPU",
                        "not available: %s", error.message);
        return;
    }
    const ht_device *device = first_that_runs(devices, count);
    if (device == NULL) {
        ht_findings_add(findings, "devices", provider->name, HT_LEVEL_FINE, NULL,
                        "%zu targets to compile for, with %s; no GPU of this kind", count,
                        count > 0 ? devices[0].compiler : "nothing");
    } else {
        ht_findings_add(findings, "devices", provider->name, HT_LEVEL_FINE, NULL, "%s: %s, %s",
                        device->name, device->description, device->compiler);
        HT_GROW(*out_devices, *out_count);
        (*out_devices)[(*out_count)++] = *device;
    }
    free(devices);
}

/* Says whether AMD's GPUs here are emulated, or could be. */
static void look_at_rocjitsu(ht_findings *findings) {
    const char *library = ht_rocjitsu_library();
    char *program = library ? NULL : ht_rocjitsu_program();
    if (library)
        ht_findings_add(findings, "devices", "rocjitsu", HT_LEVEL_WARNING,
                        "check results so, and measure without rocjitsu on a GPU",
                        "%s: AMD's GPUs are emulated, and their times are the emulator's", library);
    if (program)
        ht_findings_add(findings, "devices", "rocjitsu", HT_LEVEL_FINE, NULL,
                        "%s: emulates AMD's GPUs, for results, not for times "
                        "('rocjitsu --config FILE -- hiptemper ...')",
                        program);
    free(program);
}

void ht_doctor_devices(ht_findings *findings, ht_device **out_devices, size_t *out_count) {
    *out_devices = NULL;
    *out_count = 0;
    for (size_t i = 0; ht_providers[i] != NULL; ++i)
        look_at(ht_providers[i], findings, out_devices, out_count);
    look_at_rocjitsu(findings);
    if (*out_count == 0)
        ht_findings_add(findings, "devices", "any", HT_LEVEL_MISSING,
                        "install clang++-19 (Debian: clang-19) for host emulation, or the driver "
                        "and runtime of the GPU",
                        "no device can run kernels");
}
