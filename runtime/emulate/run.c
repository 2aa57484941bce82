#include "runtime/emulate/run.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/tool.h"
#include "runtime/emulate/api_internal.h"
#include "runtime/emulate/capture_read.h"
#include "runtime/emulate/confined.h"
#include "runtime/emulate/sanitize.h"
#include "runtime/emulate/shared.h"
#include "runtime/host/check.h"
#include "runtime/host/toolchain.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned wavefront = 64;

unsigned ht_emulate_wavefront(void) {
    return wavefront;
}

ht_emulate_report *ht_emulate_report_new(void) {
    return ht_shared_new(sizeof(ht_emulate_report));
}

void ht_emulate_report_free(ht_emulate_report *report) {
    ht_shared_free(report, sizeof *report);
}

static int build(void *context, ht_error *error) {
    ht_text log = {0};
    ht_status status = ht_emulate_program_build(context, &log, error);
    if (log.length > 0)
        fputs(log.data, stderr);
    ht_text_free(&log);
    return status == HT_OK ? 0 : 1;
}

ht_status ht_emulate_build_confined(const ht_emulate_build *given, const volatile int *interrupted,
                                    ht_error *error) {
    const ht_confined confined = {.plan = {.mode = ht_sandbox_chosen(),
                                           .programs = true,
                                           .writes = given->folder,
                                           .sockets = {-1, -1, -1}},
                                  .temporary = given->folder,
                                  .work = build,
                                  .context = (void *)given,
                                  .interrupted = interrupted};
    int ended = 0;
    const ht_toolchain *toolchain;
    /* Here, so that the message is about the machine and not about the program. */
    ht_status status = ht_toolchain_find(&toolchain, error);
    const char *resources; /* for that process, which begins as a copy of this one */
    if (status == HT_OK)
        status = ht_toolchain_resources(&resources, error);
    if (status == HT_OK)
        ht_emulate_program_prepare(given);
    if (status == HT_OK)
        status = ht_confined_run(&confined, &ended, error);
    if (status == HT_OK && ended != 0)
        status = ht_error_set(error, HT_ERROR_COMPILE, "the compiler's process ended early");
    return status;
}

typedef struct started {
    const ht_emulate_run *run;
    ht_emulate_report *report;
    char *path;
} started;

extern char **environ;

/* Here it is one memory, the host's and the device's. */
static const void *memory_read(const void *pointer, size_t bytes) {
    (void)bytes;
    return pointer;
}

static const ht_capture_memory own_memory = {ht_emulate_memory_after, memory_read,
                                             ht_emulate_memory_note};

/* Becomes the program. Returns only what its main returns. */
static int become(void *context, ht_error *error) {
    const started *given = context;
    typedef int (*program_main)(int, char **, char **);
    (void)error;
    wavefront = given->run->wavefront;
    if (given->run->checked)
        ht_check_prepare();
    if (given->run->sanitized)
        ht_emulate_sanitize_watch();
    ht_emulate_report_set(given->report);
    ht_capture_set(given->run->capture, given->run->contents, &own_memory);
    ht_copies_set(given->run->copies, given->run->store);
    void *program = dlopen(given->path, RTLD_NOW | RTLD_GLOBAL);
    if (program == NULL) {
        fprintf(stderr, "hiptemper emulate: the program cannot be loaded: %s\n", dlerror());
        return 1;
    }
    program_main run;
    *(void **)&run = dlsym(program, "main");
    Dl_info where = {0};
    if (run == NULL || dladdr(*(void **)&run, &where) == 0 ||
        strcmp(where.dli_fname, given->path) != 0) {
        fprintf(stderr, "hiptemper emulate: the program has no main\n");
        return 1;
    }
    int count = 0;
    while (given->run->arguments[count] != NULL)
        ++count;
    return run(count, (char **)given->run->arguments, environ);
}

/* Makes a report that a foreign program could write to one that can be read. */
static void report_check(ht_emulate_report *report) {
    if (report->call_count > HT_REPORT_CALLS)
        report->call_count = HT_REPORT_CALLS;
    for (uint32_t i = 0; i < report->call_count; ++i) {
        report->calls[i].name[HT_REPORT_NAME - 1] = '\0';
        ht_text_make_printable(report->calls[i].name, "", true);
    }
    if (report->failure_count > HT_REPORT_FAILURES)
        report->failure_count = HT_REPORT_FAILURES;
    for (uint32_t i = 0; i < report->failure_count; ++i) {
        report->failures[i].words[HT_REPORT_WORDS - 1] = '\0';
        ht_text_make_printable(report->failures[i].words, "", true);
    }
}

ht_status ht_emulate_run_confined(const ht_emulate_run *run, ht_emulate_report *report,
                                  ht_emulate_outcome *out_outcome, ht_error *error) {
    char *path = ht_path_join(run->folder, HT_EMULATE_PROGRAM);
    started given = {run, report, path};
    const ht_confined confined = {.plan = {.mode = ht_sandbox_chosen(),
                                           .writes = run->writes,
                                           .reads = run->folder,
                                           .also_reads = run->reads,
                                           .sockets = {-1, -1, -1}},
                                  .temporary = run->writes,
                                  .work = become,
                                  .context = &given,
                                  .symbolizes = run->checked || run->sanitized,
                                  .exits = true,
                                  .seconds = run->seconds,
                                  .interrupted = run->interrupted};
    int ended = 0;
    ht_status status = ht_confined_run(&confined, &ended, error);
    report_check(report);
    if (run->capture != NULL)
        ht_capture_check(run->capture, run->contents);
    if (run->copies != NULL)
        ht_copies_check(run->copies, run->store);
    out_outcome->signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    out_outcome->exit_code = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
    out_outcome->late = status == HT_ERROR_TIMEOUT;
    if (out_outcome->late) {
        out_outcome->exit_code = 128 + SIGTERM;
        status = HT_OK;
    }
    free(path);
    return status;
}

typedef struct question {
    const ht_emulate_report *report;
    const char *folder;
} question;

/* Writes a line a call into FOLDER/places: "file:line", or nothing. */
static int ask(void *context, ht_error *error) {
    const question *in = context;
    const ht_toolchain *tools;
    char *program = ht_path_join(in->folder, HT_EMULATE_PROGRAM);
    char *path = ht_path_join(in->folder, "places");
    ht_text lines = {0};
    ht_status status = ht_toolchain_find(&tools, error);
    for (uint32_t i = 0; i < in->report->call_count && status == HT_OK; ++i) {
        char *address = ht_format("0x%llx", (unsigned long long)in->report->calls[i].offset);
        const char *arguments[] = {tools->symbolizer, "-e", program, address, NULL};
        const ht_tool_call call = {.arguments = arguments, .seconds = 60, .no_errors = true};
        ht_text text = {0};
        int code = -1;
        bool known = tools->symbolizer != NULL && ht_tool_run(&call, &text, &code, NULL) == HT_OK &&
                     code == 0 && text.length > 0 && text.data[0] != '?';
        /* "./file:12 (discriminator 3)" */
        const char *place = known ? text.data : "";
        while (ht_text_begins(place, "./"))
            place += 2;
        ht_text_printf(&lines, "%.*s\n", (int)strcspn(place, " \n"), place);
        ht_text_free(&text);
        free(address);
    }
    if (status == HT_OK)
        status = ht_file_write(path, lines.data ? lines.data : "", lines.length, error);
    ht_text_free(&lines);
    free(path);
    free(program);
    return status == HT_OK ? 0 : 1;
}

ht_status ht_emulate_places(const ht_emulate_report *report, const char *folder, char ***out_places,
                            ht_error *error) {
    question context = {report, folder};
    const ht_confined confined = {.plan = {.mode = ht_sandbox_chosen(),
                                           .programs = true,
                                           .writes = folder,
                                           .sockets = {-1, -1, -1}},
                                  .temporary = folder,
                                  .work = ask,
                                  .context = &context};
    char *path = ht_path_join(folder, "places"), *data = NULL;
    size_t length;
    int ended;
    *out_places = ht_alloc(report->call_count + 1, sizeof **out_places);
    ht_status status = ht_confined_run(&confined, &ended, error);
    if (status == HT_OK)
        status = ht_file_read(path, 0, &data, &length, error);
    const char *at = data ? data : "";
    for (uint32_t i = 0; i < report->call_count; ++i) {
        size_t line = strcspn(at, "\n");
        (*out_places)[i] = ht_strndup(at, line);
        at += line + (at[line] == '\n');
    }
    free(data);
    free(path);
    return status;
}
