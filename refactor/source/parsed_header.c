#include "refactor/source/parsed_header.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parsed_trim.h"
#include "base/text.h"
#include "base/warning.h"
#include "refactor/source/libclang.h"
#include "refactor/source/names.h"
#include "refactor/source/parsed_inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit codes of the process that parses. */
enum { DONE = 0, NOT_PARSED = 2, NOT_WRITTEN = 3 };

/* Headers that were found to fit, by texts that change with the file, and headers that cannot be
 * parsed or written. */
static ht_names fitting, refused;

/* ---- in a process of its own ---- */

static void error_say(CXDiagnostic diagnostic) {
    CXFile file;
    unsigned line, column;
    clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &file, &line, &column,
                               NULL);
    CXString name = clang_getFileName(file), words = clang_getDiagnosticSpelling(diagnostic);
    const char *path = clang_getCString(name);
    fprintf(stderr, "\n%s:%u:%u: %s\n", path ? path : "-", line, column, clang_getCString(words));
    clang_disposeString(words);
    clang_disposeString(name);
}

/* Returns true if clang reports no error in the unit; else says the first on standard error. */
static bool is_free_of_errors(CXTranslationUnit unit) {
    bool found = false;
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit) && !found; ++i) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
        found = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
        if (found)
            error_say(diagnostic);
        clang_disposeDiagnostic(diagnostic);
    }
    return !found;
}

/* Parses an empty text, so that only the arguments matter. NULL: clang reports an error. */
static CXTranslationUnit empty_parse(const ht_parsed_header *header, const char *more,
                                     const char *value, unsigned options) {
    static const char text[] = "\n";
    const char **items = ht_alloc(header->count + 2, sizeof *items);
    memcpy(items, header->arguments, header->count * sizeof *items);
    items[header->count] = more;
    items[header->count + 1] = value;
    struct CXUnsavedFile unsaved = {"hiptemper-prefix.hip", text, 1};
    CXTranslationUnit unit = NULL;
    enum CXErrorCode code = clang_parseTranslationUnit2(
        clang_createIndex(0, 0), unsaved.Filename, items, (int)header->count + 2, &unsaved, 1,
        options | CXTranslationUnit_KeepGoing, &unit);
    free(items);
    return code == CXError_Success && unit && is_free_of_errors(unit) ? unit : NULL;
}

/* Checks a parsed header: clang refuses one that is damaged or whose sources changed. */
static int fit_main(const ht_parsed_header *header, const char *folder) {
    (void)folder;
    return empty_parse(header, "-include-pch", header->path, 0) ? DONE : NOT_PARSED;
}

static int not_written(int code) {
    fprintf(stderr, "\n%s\n", strerror(code));
    return NOT_WRITTEN;
}

/* Reports why the file cannot be saved. libclang does not say, but opening the file fails for the
 * same reason. */
static int not_saved(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), code = errno;
    if (fd >= 0)
        close(fd);
    return fd < 0 ? not_written(code) : NOT_WRITTEN;
}

/* Shortens what later parses read, if clang takes the file so; else writes it once more. */
static int trim(const ht_parsed_header *header, const char *path, CXTranslationUnit unit) {
    if (!ht_parsed_trim_file(path) || empty_parse(header, "-include-pch", path, 0) ||
        clang_saveTranslationUnit(unit, path, 0) == CXSaveError_None)
        return DONE;
    return not_saved(path);
}

static int write_main(const ht_parsed_header *header, const char *folder) {
    if (mkdir(folder, 0700) != 0)
        return not_written(errno);
    CXTranslationUnit unit =
        empty_parse(header, "-include", "hip/hip_runtime.h",
                    CXTranslationUnit_ForSerialization | CXTranslationUnit_Incomplete |
                        CXTranslationUnit_DetailedPreprocessingRecord);
    if (!unit)
        return NOT_PARSED;
    char *path = ht_path_join(folder, "header.pch");
    if (clang_saveTranslationUnit(unit, path, 0) != CXSaveError_None)
        return not_saved(path);
    int end = trim(header, path, unit);
    if (end != DONE)
        return end;
    if (rename(path, header->path) != 0)
        return not_written(errno);
    if (header->lasting)
        ht_parsed_inputs_write(header->path, unit);
    return DONE;
}

typedef int process_main(const ht_parsed_header *header, const char *folder);

static _Noreturn void child(process_main *work, const ht_parsed_header *header, const char *folder,
                            int output, pid_t parent) {
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(NOT_PARSED);
    signal(SIGINT, SIG_IGN); /* the parent decides when to stop */
    signal(SIGHUP, SIG_IGN);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; ++i)
        signal(fatal[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1); /* which would go on after an abort */
    dup2(output, STDERR_FILENO);
    _exit(work(header, folder));
}

/* ---- in this process ---- */

static void read_all(int fd, ht_text *out) {
    char block[4096];
    for (ssize_t got; (got = read(fd, block, sizeof block)) > 0 || (got < 0 && errno == EINTR);)
        if (got > 0)
            ht_text_append_n(out, block, (size_t)got);
}

/* Returns the exit code of the process, or its signal, negative. If the process could not be made,
 * returns NOT_WRITTEN with the reason. */
static int process_run(process_main *work, const ht_parsed_header *header, const char *folder,
                       ht_text *said) {
    int ends[2], status = 0;
    ht_text_append(said, "");
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ht_text_printf(said, "%s", strerror(errno));
        return NOT_WRITTEN;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        child(work, header, folder, ends[1], parent);
    if (pid < 0)
        ht_text_printf(said, "%s", strerror(errno));
    close(ends[1]);
    if (pid > 0)
        read_all(ends[0], said);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid < 0)
        return NOT_WRITTEN;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* Returns the system's words in libclang's output when it aborted ("... IO failure on output
 * stream: No space left on device"), else the last line. */
static const char *reason_in(char *said) {
    static const char llvm[] = "output stream: ";
    size_t length = strlen(said);
    while (length > 0 && said[length - 1] == '\n')
        said[--length] = '\0';
    char *found = strstr(said, llvm), *line = strrchr(said, '\n');
    char *words = found ? found + sizeof llvm - 1 : line ? line + 1 : said;
    words[strcspn(words, "\n")] = '\0';
    return *words ? words : "libclang does not say why";
}

/* Says once why a parsed header cannot be kept, and does not try it again. */
static void refuse(const char *path, char *said, bool parsed) {
    const char *words = reason_in(said);
    if (refused.count == 0 && parsed)
        ht_warning("HIP's header is parsed again for each source, which takes longer: '%s' cannot "
                   "be written: %s; free space there, or set HIPTEMPER_CACHE to a folder that has "
                   "some",
                   path, words);
    else if (refused.count == 0)
        ht_warning("HIP's header, which every source is read with, has errors here: %s; kernels "
                   "are 'unparsed' for that, or take longer; C++'s headers come with g++, HIP's "
                   "with libamdhip64-dev, and CPATH or -I may name others",
                   words);
    ht_names_add(&refused, path);
}

/* Headers that differ by a macro each take 12 MB. */
enum { KEPT_MOST = 8 };

static void make_room(const ht_parsed_header *header) {
    char *folder = ht_path_folder(header->path);
    if (header->lasting)
        ht_cache_make_room(folder, ".pch", KEPT_MOST);
    free(folder);
}

/* Parses the header and keeps it. If other processes do the same, the last one wins. */
static bool write_header(const ht_parsed_header *header) {
    make_room(header);
    char *folder = ht_format("%s.%ld", header->path, (long)getpid());
    ht_text said = {0};
    int end = process_run(write_main, header, folder, &said);
    ht_dir_remove(folder);
    if (end != DONE)
        refuse(header->path, said.data, end != NOT_PARSED);
    ht_text_free(&said);
    free(folder);
    return end == DONE;
}

/* Returns true if the kept header still fits. That is checked once for each state of the file. */
static bool still_fits(const ht_parsed_header *header) {
    char *state = ht_parsed_state(header->path);
    ht_text said = {0};
    bool fits = ht_names_has(&fitting, state);
    if (!fits && (ht_parsed_inputs_hold(header->path) ||
                  process_run(fit_main, header, NULL, &said) == DONE)) {
        ht_names_add(&fitting, state);
        fits = true;
    }
    ht_text_free(&said);
    free(state);
    return fits;
}

bool ht_parsed_header_have(const ht_parsed_header *header) {
    if (ht_file_exists(header->path) && (!header->lasting || still_fits(header)))
        return true;
    if (ht_names_has(&refused, header->path))
        return false;
    char *failed = ht_format("%s.failed", header->path);
    bool found = !ht_file_exists(failed) && write_header(header);
    if (!found && !header->lasting)
        ht_file_write(failed, "", 0, NULL);
    free(failed);
    return found;
}
