#include "write_faults_run.h"

#include "base/file.h"
#include "base/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(bool good, const char *what) {
    if (good)
        return;
    perror(what);
    exit(2);
}

static void environment_set(const char *aside, const char *program) {
    char *state = ht_path_join(aside, "state"), *log = ht_path_join(aside, "fault");
    char *home = ht_path_join(aside, "home"), *temporary = ht_path_join(aside, "tmp");
    setenv("HT_FAULT_PROGRAM", ht_path_name(program), 1);
    setenv("HT_FAULT_STATE", state, 1);
    setenv("HT_FAULT_LOG", log, 1);
    setenv("LD_PRELOAD", HT_FAILING, 1);
    setenv("HOME", home, 1);
    setenv("TMPDIR", temporary, 1);
    unsetenv("XDG_DATA_HOME");
    unsetenv("HIPTEMPER_DB");
    unsetenv("HIPTEMPER_CACHE");
    free(temporary);
    free(home);
    free(log);
    free(state);
}

static int run(const char *folder, const char *aside, const char *const *arguments) {
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

void faulty_run(const char *folder, const char *aside, const char *const *arguments, long wanted,
                faulty_result *out) {
    static const char *const folders[] = {"home", "tmp"};
    for (size_t i = 0; i < 2; ++i) {
        char *path = ht_path_join(aside, folders[i]);
        ht_dir_remove(path);
        must(ht_dir_make(path, NULL) == HT_OK, path);
        free(path);
    }
    long state[2] = {wanted, 0};
    char *path = ht_path_join(aside, "state"), *log = ht_path_join(aside, "fault");
    must(ht_file_write(path, state, sizeof state, NULL) == HT_OK, path);
    unlink(log);
    out->code = run(folder, aside, arguments);
    char *after = NULL;
    must(ht_file_read(path, 0, &after, NULL, NULL) == HT_OK, path);
    memcpy(state, after, sizeof state);
    out->count = state[1];
    out->said = read_aside(aside, "said");
    out->fault = read_aside(aside, "fault");
    free(after);
    free(log);
    free(path);
}

void faulty_free(faulty_result *result) {
    free(result->said);
    free(result->fault);
}
