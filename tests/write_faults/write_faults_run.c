#include "write_faults_run.h"

#include "failing.h"

#include "base/file.h"
#include "base/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(bool good, const char *what) {
    if (good)
        return;
    perror(what);
    exit(2);
}

static void environment_set(const char *aside, const char *program) {
    char *state = ht_path_join(aside, "state");
    char *home = ht_path_join(aside, "home"), *temporary = ht_path_join(aside, "tmp");
    setenv("HT_FAULT_PROGRAM", ht_path_name(program), 1);
    setenv("HT_FAULT_STATE", state, 1);
    setenv("LD_PRELOAD", HT_FAILING, 1);
    setenv("HOME", home, 1);
    setenv("TMPDIR", temporary, 1);
    setenv("OMP_NUM_THREADS", "1", 1); /* threads write nothing, and their waiting takes time */
    unsetenv("XDG_DATA_HOME");
    unsetenv("HIPTEMPER_DB");
    free(temporary);
    free(home);
    free(state);
}

static int run_command(const char *folder, const char *aside, const char *const *arguments) {
    char *said = ht_path_join(aside, "said");
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0) {
        int out = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (out < 0 || chdir(folder) != 0)
            _exit(126);
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
        close(out);
        environment_set(aside, arguments[0]);
        execv(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    int status = 0;
    must(waitpid(child, &status, 0) == child, "waitpid");
    free(said);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char *read_aside(const char *aside, const char *name) {
    char *path = ht_path_join(aside, name), *text = NULL;
    if (ht_file_read(path, 0, &text, NULL, NULL) != HT_OK)
        text = ht_strdup("");
    free(path);
    return text;
}

/* Returns a fresh state, mapped, in which call `wanted` fails. */
static failing_state *state_map(const char *aside, long wanted) {
    char *path = ht_path_join(aside, "state");
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0 && ftruncate(fd, sizeof(failing_state)) == 0, path);
    failing_state *state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(state != MAP_FAILED, path);
    close(fd);
    free(path);
    atomic_store(&state->wanted, wanted);
    return state;
}

void faulty_run(const char *folder, const char *aside, const char *const *arguments, long wanted,
                faulty_result *out) {
    static const char *const folders[] = {"home", "tmp"};
    for (size_t i = 0; i < 2; ++i) {
        char *path = ht_path_join(aside, folders[i]);
        ht_dir_remove(path);
        must(ht_dir_make(path, NULL) == HT_OK, path);
        free(path);
    }
    failing_state *state = state_map(aside, wanted);
    out->code = run_command(folder, aside, arguments);
    out->count = atomic_load(&state->count);
    out->said = read_aside(aside, "said");
    out->fault = ht_strdup(state->log); /* the file is longer than any text written to it */
    munmap(state, sizeof *state);
}

void faulty_free(faulty_result *result) {
    free(result->said);
    free(result->fault);
}
