/* AddressSanitizer, where its library is installed: it sees what lies between arrays, in shared
 * memory and on a thread's own stack. The process that runs checked images is started with the
 * library in front of all others; nothing here is linked to it. */
#include "runtime/host/check_internal.h"
#include "runtime/host/toolchain.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Reports are taken here, not printed and died of; the same place may be wrong in two images. No
 * kernel frees memory of the heap: what the checker frees serves again at once, in pages that are
 * there and are not given back to the system. Nobody reads where memory was asked for. */
static const char sanitizer_options[] =
    "halt_on_error=0:suppress_equal_pcs=0:symbolize=0:detect_leaks=0:handle_segv=0:handle_sigbus=0:"
    "handle_abort=0:handle_sigill=0:handle_sigfpe=0:detect_stack_use_after_return=0:"
    "detect_odr_violation=0:allocator_may_return_null=1:use_sigaltstack=0:"
    "quarantine_size_mb=0:thread_local_quarantine_size_kb=0:malloc_context_size=0:"
    "max_malloc_fill_size=0:allocator_release_to_os_interval_ms=-1";

const char *const *ht_check_environment(void) {
    static const char *variables[5];
    const char *library = ht_toolchain_sanitizer();
    if (library) {
        variables[0] = "LD_PRELOAD";
        variables[1] = library;
        variables[2] = "ASAN_OPTIONS";
        variables[3] = sanitizer_options;
    }
    return variables;
}

/* Of the library's interface; NULL without it. */
static struct {
    void *(*pc)(void);
    void *(*address)(void);
    int (*access_type)(void);
    size_t (*access_size)(void);
    const char *(*description)(void);
    void (*unpoison)(const volatile void *, size_t);
    void (*on_report)(void (*)(const char *));
} sanitizer;

/* Takes a report. AddressSanitizer holds a lock meanwhile: the thread that did it is stopped at its
 * next access. */
static void take_report(const char *text) {
    ht_checker *checker = &ht_the_checker;
    (void)text;
    checker->outcome.spent = true;
    if (!checker->tracking || checker->reported)
        return;
    checker->reported = true;
    checker->raw =
        (ht_raw_finding){.kind = "memory",
                         .address = (uintptr_t)sanitizer.address(),
                         .region = ht_check_region(checker, (uintptr_t)sanitizer.address()),
                         .code = (uintptr_t)sanitizer.pc(),
                         .size = sanitizer.access_size(),
                         .write = sanitizer.access_type() != 0,
                         .thread = ht_linear_thread(&ht_device_state)};
    snprintf(checker->raw.text, sizeof checker->raw.text, "%s", sanitizer.description());
}

/* Finds a symbol, whose address fits, as POSIX promises. */
static void find(void *slot, const char *name) {
    *(void **)slot = dlsym(RTLD_DEFAULT, name);
}

bool ht_check_sanitized(void) {
    return dlsym(RTLD_DEFAULT, "__asan_report_error") != NULL;
}

void ht_check_prepare(void) {
    unsetenv("LD_PRELOAD"); /* not for compilers and other children */
    find(&sanitizer.on_report, "__asan_set_error_report_callback");
    if (!sanitizer.on_report)
        return;
    find(&sanitizer.pc, "__asan_get_report_pc");
    find(&sanitizer.address, "__asan_get_report_address");
    find(&sanitizer.access_type, "__asan_get_report_access_type");
    find(&sanitizer.access_size, "__asan_get_report_access_size");
    find(&sanitizer.description, "__asan_get_report_description");
    find(&sanitizer.unpoison, "__asan_unpoison_memory_region");
    sanitizer.on_report(take_report);
}

void ht_check_clean(const void *memory, size_t size) {
    if (!sanitizer.unpoison) /* this program itself may be built with it */
        find(&sanitizer.unpoison, "__asan_unpoison_memory_region");
    if (sanitizer.unpoison)
        sanitizer.unpoison(memory, size);
}
