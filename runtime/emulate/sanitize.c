#include "runtime/emulate/sanitize.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/emulate/anew.h"
#include "runtime/host/check.h"
#include "runtime/host/symbolizer.h"
#include "runtime/host/toolchain.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Signals stay the program's, the sandbox starts no symbolizer, and kernels' threads have stacks of
 * their own. Memory that is not given back is the program's affair. */
static const char options[] = "detect_leaks=0:symbolize=0:handle_segv=0:handle_sigbus=0:"
                              "handle_sigill=0:handle_sigfpe=0:use_sigaltstack=0:"
                              "detect_stack_use_after_return=0:detect_odr_violation=0:"
                              "allocator_may_return_null=1";

ht_status ht_emulate_sanitize_start(ht_error *error) {
    if (ht_check_sanitized()) {
        unsetenv("LD_PRELOAD"); /* not for compilers */
        return HT_OK;
    }
    const char *library = ht_toolchain_sanitizer();
    if (library == NULL)
        return ht_error_set(error, HT_ERROR_MISSING,
                            "option --sanitize: AddressSanitizer's library is not installed "
                            "(Debian: apt-get install libclang-rt-19-dev)");
    setenv("LD_PRELOAD", library, 1);
    const char *given = getenv("ASAN_OPTIONS");
    char *all = ht_format("%s:%s", options, given != NULL ? given : ""); /* the last one counts */
    setenv("ASAN_OPTIONS", all, 1);
    return ht_emulate_start_anew(error);
}

/* Appends "main.hip:12" of the innermost frame that is not a header's of HIP's or the prelude's. */
static void place_find(const void *pc, ht_text *out) {
    Dl_info where = {0};
    ht_text frames = {0};
    if (dladdr(pc, &where) == 0 || where.dli_fname == NULL)
        return;
    int image = open(where.dli_fname, O_RDONLY | O_CLOEXEC);
    uintptr_t offset = (uintptr_t)pc - (uintptr_t)where.dli_fbase;
    /* The call of the report, not what follows. */
    if (image >= 0 && ht_symbolize(image, offset - 1, &frames) && frames.data != NULL)
        for (char *line = strtok(frames.data, "\n"); line != NULL; line = strtok(NULL, "\n"))
            if (strchr(line, '?') == NULL && strstr(line, "/prelude/") == NULL &&
                strstr(line, "/include/") == NULL) {
                line[strcspn(line, " ")] = '\0';
                ht_text_printf(out, " at %s", ht_path_name(line));
                break;
            }
    ht_text_free(&frames);
    if (image >= 0)
        close(image);
}

/* Takes a report; AddressSanitizer ends the process after it. */
static void report_take(const char *text) {
    void *(*pc)(void), *found = dlsym(RTLD_DEFAULT, "__asan_get_report_pc");
    const char *(*description)(void);
    ht_text place = {0};
    (void)text;
    memcpy(&pc, &found, sizeof found);
    found = dlsym(RTLD_DEFAULT, "__asan_get_report_description");
    memcpy(&description, &found, sizeof found);
    if (pc == NULL || description == NULL)
        return;
    ht_text_append(&place, "");
    place_find(pc(), &place);
    fflush(stdout);
    fprintf(stderr, "hiptemper emulate: AddressSanitizer: %s%s\n", description(), place.data);
    ht_text_free(&place);
}

void ht_emulate_sanitize_watch(void) {
    void (*on_report)(void (*)(const char *));
    void *found = dlsym(RTLD_DEFAULT, "__asan_set_error_report_callback");
    memcpy(&on_report, &found, sizeof found);
    if (on_report != NULL)
        on_report(report_take);
}
