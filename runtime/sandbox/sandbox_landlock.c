/* Landlock: the folders that a process reads, writes and starts programs from, whatever system call
 * it takes; that it opens no TCP connections; that it sends no signals out. The kernel's own header
 * may be older than the kernel, so the interface is written down here. */
#include "runtime/sandbox/sandbox_internal.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CREATE_RULESET = 444, /* the same on every architecture */
    ADD_RULE,
    RESTRICT_SELF,
    CREATE_VERSION = 1,
    RULE_PATH_BENEATH = 1
};

struct ruleset {
    uint64_t files, net, scoped;
};

struct path_beneath {
    uint64_t access;
    int32_t folder;
} __attribute__((packed));

#define ACCESS(bit) ((uint64_t)1 << (bit))
static const uint64_t EXECUTE = ACCESS(0), WRITE = ACCESS(1), READ = ACCESS(2), LIST = ACCESS(3),
                      REFER = ACCESS(13), TRUNCATE = ACCESS(14), DEVICE_CALL = ACCESS(15);
/* To remove and make folders and plain files; never devices, sockets, pipes or symbolic links. */
static const uint64_t MAKE = ACCESS(4) | ACCESS(5) | ACCESS(7) | ACCESS(8);
static const uint64_t TCP = ACCESS(0) | ACCESS(1);
static const uint64_t SCOPE_SOCKETS = ACCESS(0), SCOPE_SIGNALS = ACCESS(1);

int ht_landlock_version(void) {
    long version = syscall(CREATE_RULESET, NULL, 0, CREATE_VERSION);
    return version > 0 ? (int)version : 0;
}

/* Returns all that a version knows about files. */
static uint64_t known_access(int version) {
    int bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    return ACCESS(bits) - 1;
}

typedef struct rules {
    int ruleset;
    uint64_t known;
} rules;

/* Allows access to an open path. */
static void allow_open(const rules *in, int fd, uint64_t access) {
    struct stat info;
    if (fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode))
        access &= EXECUTE | WRITE | READ | TRUNCATE | DEVICE_CALL;
    struct path_beneath rule = {.access = access & in->known, .folder = fd};
    (void)syscall(ADD_RULE, in->ruleset, RULE_PATH_BENEATH, &rule, 0);
}

/* Allows access to a path; one that is not there needs no rule. */
static void allow(const rules *in, const char *path, uint64_t access) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    allow_open(in, fd, access);
    close(fd);
}

/* Allows a process to write to the files of its own threads. CUDA's driver names its threads by
 * writing /proc/self/task/THREAD/comm anew, and does not start where it cannot (error 304). The
 * folder stays open: procfs would make it anew at the next look, and the rule would be one for the
 * old. */
static void allow_threads(const rules *in) {
    int fd = open("/proc/self/task", O_PATH | O_CLOEXEC);
    if (fd >= 0)
        allow_open(in, fd, READ | LIST | WRITE | TRUNCATE);
}

/* Allows access to each folder of a list such as PATH's. */
static void allow_each(const rules *in, const char *list, uint64_t access) {
    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ":");
        char *folder = ht_format("%.*s", (int)length, at);
        if (*folder == '/')
            allow(in, folder, access);
        free(folder);
        at += length + (at[length] == ':');
    }
}

/* Allows the folder that a program lies in, and the one that it really lies in. */
static void allow_program(const rules *in, const char *path, uint64_t access) {
    char real[PATH_MAX];
    if (path == NULL || *path != '/')
        return;
    char *folder = ht_path_folder(path);
    allow(in, folder, access);
    free(folder);
    if (realpath(path, real) == NULL)
        return;
    folder = ht_path_folder(real);
    allow(in, folder, access);
    free(folder);
}

static const char *const system_folders[] = {"/usr", "/lib",  "/lib32", "/lib64",
                                             "/bin", "/sbin", "/opt",   "/nix"};

/* Allows a process that runs kernels to read libraries, and files on itself and on the machine. */
static void allow_reading(const rules *in, const ht_sandbox_plan *plan) {
    static const char *const more[] = {"/proc",       "/sys",      "/etc/ld.so.cache",
                                       "/dev/null",   "/dev/zero", "/etc/ld.so.preload",
                                       "/dev/urandom"};
    for (size_t i = 0; i < sizeof system_folders / sizeof *system_folders; ++i)
        allow(in, system_folders[i], READ | LIST);
    for (size_t i = 0; i < sizeof more / sizeof *more; ++i)
        allow(in, more[i], READ | LIST);
    allow_each(in, getenv("LD_LIBRARY_PATH"), READ | LIST);
    allow_program(in, "/proc/self/exe", READ | LIST);
    if (plan->reads != NULL)
        allow(in, plan->reads, READ | LIST);
    if (plan->also_reads != NULL)
        allow(in, plan->also_reads, READ | LIST);
}

/* Allows programs that are installed; not what the process itself has written. */
static void allow_programs(const rules *in) {
    for (size_t i = 0; i < sizeof system_folders / sizeof *system_folders; ++i)
        allow(in, system_folders[i], EXECUTE);
    allow_each(in, getenv("PATH"), EXECUTE);
    allow_program(in, getenv("HIPTEMPER_CLANG"), EXECUTE);
}

/* Allows devices: a GPU's driver is spoken to by ioctl on its device files, and shares memory by
 * name. */
static void allow_devices(const rules *in) {
    static const char *const devices[] = {"/dev/kfd", "/dev/dri", "/dev/nvidia*"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; ++i) {
        glob_t found = {0};
        if (glob(devices[i], 0, NULL, &found) == 0)
            for (size_t k = 0; k < found.gl_pathc; ++k)
                allow(in, found.gl_pathv[k], READ | LIST | WRITE | DEVICE_CALL);
        globfree(&found);
    }
    allow(in, "/dev/shm", READ | LIST | WRITE | TRUNCATE | MAKE);
    allow_threads(in);
}

static void add_rules(const rules *in, const ht_sandbox_plan *plan) {
    if (plan->programs || plan->devices)
        allow(in, "/", READ | LIST);
    else
        allow_reading(in, plan);
    if (plan->programs)
        allow_programs(in);
    if (plan->devices)
        allow_devices(in);
    if (plan->writes != NULL)
        allow(in, plan->writes, READ | LIST | WRITE | MAKE | TRUNCATE | REFER);
    if (plan->programs && plan->keeps != NULL)
        allow(in, plan->keeps, READ | LIST | WRITE | MAKE | TRUNCATE | REFER);
    allow(in, "/dev/null", READ | WRITE);
}

ht_status ht_landlock_enter(const ht_sandbox_plan *plan, int version, ht_error *error) {
    struct ruleset attributes = {
        .files = known_access(version),
        .net = version >= 4 ? TCP : 0,
        .scoped = version < 6     ? 0
                  : plan->devices ? SCOPE_SIGNALS
                                  : SCOPE_SIGNALS | SCOPE_SOCKETS,
    };
    size_t size = (version >= 6 ? 3 : version >= 4 ? 2 : 1) * sizeof(uint64_t);
    rules in = {(int)syscall(CREATE_RULESET, &attributes, size, 0), attributes.files};
    if (in.ruleset < 0)
        return ht_error_set(error, HT_ERROR_INTERNAL, "Landlock: no rules: %s", strerror(errno));
    add_rules(&in, plan);
    long code = syscall(RESTRICT_SELF, in.ruleset, 0);
    int cause = errno;
    close(in.ruleset);
    return code == 0 ? HT_OK
                     : ht_error_set(error, HT_ERROR_INTERNAL, "Landlock: rules refused: %s",
                                    strerror(cause));
}
