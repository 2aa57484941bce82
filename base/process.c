#include "base/process.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ht_process_read(long pid, ht_process_state *out) {
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    /* "PID (NAME) STATE PARENT ...": the name may hold anything. */
    char *name = read ? strchr(line, '(') : NULL, *end = name ? strrchr(name, ')') : NULL;
    if (end == NULL)
        return false;
    *end = '\0';
    out->pid = pid;
    snprintf(out->name, sizeof out->name, "%s", name + 1);
    return sscanf(end + 1, " %c %ld", &out->state, &out->parent) == 2;
}

void ht_process_signal_children(int number) {
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc != NULL && (entry = readdir(proc)) != NULL;) {
        ht_process_state found;
        pid_t pid = (pid_t)atol(entry->d_name);
        if (pid > 0 && ht_process_read(pid, &found) && found.parent == (long)getpid()) {
            kill(pid, number);
            kill(pid, SIGCONT);
        }
    }
    if (proc != NULL)
        closedir(proc);
}

pid_t ht_process_fork(void) {
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
    return _Fork();
#else
    return fork();
#endif
#else
    return fork();
#endif
}
