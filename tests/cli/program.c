#include "program.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "tests/test_folder.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;

void workplace_make(void) {
    folder = test_folder_make();
}

void workplace_remove(void) {
    ht_dir_remove(folder);
    free(folder);
    folder = NULL;
}

const char *workplace(void) {
    return folder;
}

void workplace_write(const char *name, const char *text) {
    char *path = ht_path_join(folder, name);
    char *parent = ht_path_folder(path);
    ht_error error;
    cr_assert_eq(ht_dir_make(parent, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_file_write(path, text, strlen(text), &error), HT_OK, "%s", error.message);
    free(parent);
    free(path);
}

void workplace_copy(const char *from, const char *const *names) {
    for (size_t i = 0; names[i]; ++i) {
        char *path = ht_path_join(from, names[i]), *text = NULL;
        ht_error error;
        cr_assert_eq(ht_file_read(path, 0, &text, NULL, &error), HT_OK, "%s", error.message);
        workplace_write(names[i], text);
        free(text);
        free(path);
    }
}

char *workplace_read(const char *name) {
    char *path = ht_path_join(folder, name);
    char *text = NULL;
    if (ht_file_read(path, 0, &text, NULL, NULL) != HT_OK)
        text = NULL;
    free(path);
    return text;
}

enum { WORDS_MAX = 64 };

/* Composes the program and its arguments. Commands that tune time finalists for a short while: no
 * test hangs on who wins. */
static void compose(const char *const *arguments, const char *words[WORDS_MAX]) {
    size_t count = 0;
    words[count++] = HT_BINARY_DIR "/hiptemper";
    if (arguments[0] &&
        (strcmp(arguments[0], "tune") == 0 || strcmp(arguments[0], "optimize") == 0)) {
        words[count++] = *arguments++;
        words[count++] = "--final-time";
        words[count++] = "0.3";
    }
    for (size_t i = 0; arguments[i] && count < WORDS_MAX - 1; ++i)
        words[count++] = arguments[i];
    words[count] = NULL;
}

static pid_t start(const char *const *arguments, int out, int err) {
    const char *words[WORDS_MAX];
    compose(arguments, words);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child > 0)
        return child;
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    setpgid(0, 0); /* signals of the test go to the program alone */
    setenv("HOME", folder, 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("XDG_DATA_HOME");
    unsetenv("HIPTEMPER_DB");
    if (chdir(folder) != 0)
        _exit(126);
    execv(words[0], (char *const *)words);
    _exit(127);
}

/* The moment to interrupt a program: `text` was seen on standard output or standard error. */
typedef struct moment {
    const char *text; /* NULL: never */
    bool on_error;
} moment;

/* Reads both ends until both close; interrupts `child` at the moment. */
static void collect(int out, int err, ht_text texts[2], pid_t child, moment at) {
    struct pollfd ends[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    for (int open = 2; open > 0;) {
        poll(ends, 2, -1);
        for (int i = 0; i < 2; ++i) {
            char chunk[4096];
            if (ends[i].fd < 0 || !(ends[i].revents & (POLLIN | POLLHUP)))
                continue;
            ssize_t got = read(ends[i].fd, chunk, sizeof chunk);
            if (got > 0) {
                ht_text_append_n(&texts[i], chunk, (size_t)got);
            } else {
                ends[i].fd = -1;
                --open;
            }
        }
        const char *seen = texts[at.on_error].data;
        if (at.text && seen && strstr(seen, at.text)) {
            kill(child, SIGINT);
            at.text = NULL;
        }
    }
}

static program_result run_program(const char *const *arguments, moment interrupt_at) {
    int out[2], err[2];
    cr_assert_eq(pipe(out), 0);
    cr_assert_eq(pipe(err), 0);
    pid_t child = start(arguments, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    ht_text texts[2] = {{0}, {0}};
    ht_text_append(&texts[0], "");
    ht_text_append(&texts[1], "");
    collect(out[0], err[0], texts, child, interrupt_at);
    close(out[0]);
    close(err[0]);
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return (program_result){
        .code = code, .out = ht_text_take(&texts[0]), .err = ht_text_take(&texts[1])};
}

program_result program_run_arguments(const char *const *arguments) {
    return run_program(arguments, (moment){0});
}

static program_result run_words(const char *words, moment interrupt_at) {
    char *copy = ht_strdup(words);
    const char *arguments[62] = {NULL};
    size_t count = 0;
    for (char *word = strtok(copy, " "); word && count < 61; word = strtok(NULL, " "))
        arguments[count++] = word;
    program_result result = run_program(arguments, interrupt_at);
    free(copy);
    return result;
}

program_result program_run(const char *words) {
    return run_words(words, (moment){0});
}

program_result program_interrupt(const char *words, const char *text) {
    return run_words(words, (moment){text, false});
}

program_result program_interrupt_on_error(const char *words, const char *text) {
    return run_words(words, (moment){text, true});
}

void program_free(program_result *result) {
    free(result->out);
    free(result->err);
}

size_t count_lines(const char *text) {
    size_t lines = 0;
    for (; *text; ++text)
        lines += *text == '\n';
    return lines;
}
