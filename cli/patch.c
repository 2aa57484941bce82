#include "cli/patch.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static ht_status read_all(int fd, ht_text *text, ht_error *error) {
    char chunk[4096];
    ssize_t got;
    while ((got = read(fd, chunk, sizeof chunk)) != 0) {
        if (got > 0)
            ht_text_append_n(text, chunk, (size_t)got);
        else if (errno != EINTR)
            return ht_error_set(error, HT_ERROR_IO, "cannot read from diff: %s", strerror(errno));
    }
    return HT_OK;
}

static int wait_for(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static ht_status diff_run(char *const *arguments, ht_text *text, ht_error *error) {
    int ends[2];
    if (pipe(ends) != 0)
        return ht_error_set(error, HT_ERROR_IO, "cannot make a pipe: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    pid_t child;
    int failed = posix_spawnp(&child, "diff", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return ht_error_set(error, HT_ERROR_MISSING,
                            "cannot run diff (%s), so no patch is written: install diffutils",
                            strerror(failed));
    }
    ht_status status = read_all(ends[0], text, error);
    close(ends[0]);
    int code = wait_for(child);
    if (status == HT_OK && code != 0 && code != 1)
        status = ht_error_set(error, HT_ERROR_IO, "diff failed with exit code %d", code);
    return status;
}

ht_status ht_patch_make(const char *original, const char *changed, const char *name,
                        char **out_patch, ht_error *error) {
    char *old_label = ht_format("a/%s", name);
    char *new_label = ht_format("b/%s", name);
    char *arguments[] = {"diff",    "-u", "--label",        old_label,       "--label",
                         new_label, "--", (char *)original, (char *)changed, NULL};
    ht_text text = {0};
    ht_text_append(&text, "");
    ht_status status = diff_run(arguments, &text, error);
    free(old_label);
    free(new_label);
    if (status == HT_OK)
        *out_patch = ht_text_take(&text);
    else
        ht_text_free(&text);
    return status;
}

char *ht_patch_name(const char *path) {
    char folder[PATH_MAX];
    if (path[0] == '/' && getcwd(folder, sizeof folder)) {
        size_t length = strlen(folder);
        if (strncmp(path, folder, length) == 0 && path[length] == '/')
            path += length;
    }
    while (path[0] == '/' || (path[0] == '.' && path[1] == '/'))
        ++path;
    return ht_strdup(path);
}
