#include "runtime/job/job_memory.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/buffers/layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

/* A control group's limit; UINT64_MAX: none. */
static uint64_t limit_in(const char *path) {
    char *text = NULL;
    uint64_t bytes = UINT64_MAX;
    if (ht_file_read(path, 64, &text, NULL, NULL) == HT_OK && isdigit((unsigned char)*text))
        bytes = strtoull(text, NULL, 10);
    free(text);
    return bytes;
}

uint64_t ht_memory_of_machine(void) {
    static const char *const groups[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i) {
        uint64_t limit = limit_in(groups[i]);
        memory = limit < memory ? limit : memory;
    }
    return memory;
}

/* What is certainly held at once: the buffer, where the device is emulated, the contents that it
 * gets, and what it holds after a run. */
static uint64_t held(const ht_layout_arg *arg, const ht_device *device) {
    uint64_t bytes = ht_layout_bytes(arg), copies = 0;
    if (!ht_arg_is_buffer(arg->arg))
        return 0;
    copies += device->emulated && arg->arg->role != HT_ARG_CONSTANT;
    copies += ht_arg_is_initialised(arg->arg);
    copies += ht_arg_is_output(arg->arg);
    return copies * bytes;
}

static double gibibytes(uint64_t bytes) {
    return (double)bytes / (double)(1 << 30);
}

static ht_status refuse(const ht_binding *binding, const ht_layout_arg *largest, uint64_t need,
                        uint64_t memory, ht_error *error) {
    const ht_arg *arg = largest->arg;
    char *sizes = binding->problem
                      ? ht_problem_string(&binding->template->problem, binding->problem)
                      : ht_strdup("");
    ht_status status = ht_error_set_at(
        error, HT_ERROR_INPUT, arg->place.file, arg->place.line, arg->place.column,
        "the buffers of %s do not fit into memory: with %s they and their copies take %.1f GiB "
        "('%s' alone %.1f GiB), and there are %.1f GiB; give smaller sizes",
        binding->template->name, sizes, gibibytes(need), arg->name,
        gibibytes(ht_layout_bytes(largest)), gibibytes(memory));
    free(sizes);
    return status;
}

ht_status ht_job_memory_check(const ht_binding *binding, const ht_device *device, uint64_t memory,
                              ht_error *error) {
    ht_layout layout;
    ht_config config = ht_config_default(binding->template);
    ht_status status = ht_layout_make(binding, &config, HT_NUMBERS_PLAIN, &layout, error);
    if (status != HT_OK)
        return status;
    const ht_layout_arg *largest = NULL;
    uint64_t need = 0; /* at most 64 buffers of 2^40 bytes each, three times */
    for (size_t i = 0; i < layout.count; ++i) {
        const ht_layout_arg *arg = &layout.args[i];
        need += held(arg, device);
        if (ht_arg_is_buffer(arg->arg) &&
            (!largest || ht_layout_bytes(arg) > ht_layout_bytes(largest)))
            largest = arg;
    }
    if (largest && need > memory)
        status = refuse(binding, largest, need, memory, error);
    ht_layout_free(&layout);
    return status;
}
