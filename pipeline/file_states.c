#include "pipeline/file_states.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "refactor/source/include_name.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUCKETS = 4096 };

typedef struct state {
    char *path, *text;
    dev_t device;
    ino_t inode;
    double changed; /* its status too: a file put in its place with an old time counts */
    bool exists;
    struct state *next;
} state;

struct ht_file_states {
    state *buckets[BUCKETS];
};

ht_file_states *ht_file_states_new(void) {
    return ht_alloc(1, sizeof(ht_file_states));
}

void ht_file_states_free(ht_file_states *states) {
    for (size_t i = 0; states && i < BUCKETS; ++i)
        for (state *of = states->buckets[i], *next; of; of = next) {
            next = of->next;
            free(of->path);
            free(of->text);
            free(of);
        }
    free(states);
}

static bool is_system(const char *path) {
    return strncmp(path, "/usr/", 5) == 0;
}

static char *content_text(const char *path) {
    char hash[HT_HASH_SIZE], *text = NULL;
    size_t length = 0;
    if (ht_file_read(path, 0, &text, &length, NULL) != HT_OK)
        return ht_strdup("-");
    ht_hash_bytes(text, length, hash);
    free(text);
    return ht_strdup(hash);
}

static state *state_look(const char *path) {
    state *of = ht_alloc(1, sizeof *of);
    struct stat info;
    of->path = ht_strdup(path);
    of->exists = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    if (of->exists) {
        of->device = info.st_dev;
        of->inode = info.st_ino;
        of->changed = (double)info.st_ctim.tv_sec + (double)info.st_ctim.tv_nsec / 1e9;
    }
    if (!of->exists)
        of->text = ht_strdup("-");
    else if (is_system(path))
        of->text = ht_format("%lld %lld.%09ld", (long long)info.st_size,
                             (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    return of; /* the content is hashed when it is asked for */
}

static state *state_of(ht_file_states *states, const char *path) {
    state **bucket = &states->buckets[ht_hash_short(path, strlen(path)) % BUCKETS];
    for (state *of = *bucket; of; of = of->next)
        if (strcmp(of->path, path) == 0)
            return of;
    state *added = state_look(path);
    added->next = *bucket;
    return *bucket = added;
}

const char *ht_file_state(ht_file_states *states, const char *path) {
    state *of = state_of(states, path);
    if (!of->text)
        of->text = content_text(path);
    return of->text;
}

bool ht_file_states_same(ht_file_states *states, const char *a, const char *b) {
    const state *first = state_of(states, a), *second = state_of(states, b);
    return first->exists && second->exists && first->device == second->device &&
           first->inode == second->inode;
}

bool ht_file_states_since(ht_file_states *states, const char *path, double when) {
    const state *of = state_of(states, path);
    return of->exists && of->changed >= when;
}

/* ---- places where no file is */

/* Looks at one place. Returns true if the file is there: the compiler looks no further. */
static bool place_look(ht_file_states *states, const char *folder, const char *name,
                       ht_names *out_absent) {
    char *path = ht_path_join(strcmp(folder, ".") == 0 ? "" : folder, name);
    bool found = state_of(states, path)->exists;
    if (!found)
        ht_names_add(out_absent, path);
    free(path);
    return found;
}

/* Returns the folder that the argument at *at names, and moves *at to its last word; NULL: it names
 * none. */
static const char *folder_named(const char *const *arguments, size_t count, size_t *at,
                                bool quoted) {
    static const char *const options[] = {"-I", "-isystem", "-iquote"};
    for (size_t i = 0; i < 3; ++i) {
        size_t length = strlen(options[i]);
        if (strncmp(arguments[*at], options[i], length) != 0 || (i == 2 && !quoted))
            continue;
        if (arguments[*at][length])
            return arguments[*at] + length;
        return *at + 1 < count ? arguments[++*at] : NULL;
    }
    return NULL;
}

static void include_look(ht_file_states *states, const char *path, const char *name, bool quoted,
                         const char *const *arguments, size_t count, ht_names *out_absent) {
    static const char *const system[] = {"/usr/local/include", "/usr/include"};
    char *own = ht_path_folder(path);
    bool found = quoted && place_look(states, own, name, out_absent);
    free(own);
    for (size_t i = 0; i < count && !found; ++i) {
        const char *folder = folder_named(arguments, count, &i, quoted);
        found = folder && place_look(states, folder, name, out_absent);
    }
    for (size_t i = 0; i < 2 && !found; ++i)
        found = place_look(states, system[i], name, out_absent);
}

void ht_file_states_absent(ht_file_states *states, const char *path, const char *const *arguments,
                           size_t argument_count, ht_names *out_absent) {
    char *text = NULL;
    if (is_system(path) || ht_file_read(path, 0, &text, NULL, NULL) != HT_OK)
        return;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        bool quoted;
        char *name = ht_include_name(line, &quoted);
        if (!name)
            continue;
        if (name[0] != '/')
            include_look(states, path, name, quoted, arguments, argument_count, out_absent);
        free(name);
    }
    free(text);
}
