/* Kernels that attack (tests/hostile/attacks.hip): each is refused and named, nothing outside of
 * the worker's own folder changes, and the honest configuration is measured all the same. */
#include "base/sanitizer.h"
#include "tests/runtime/job/support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/sandbox/sandbox.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(hostile, .init = use_test_worker, .timeout = 300);

static const char PATH[] = HT_SOURCE_DIR "/tests/hostile/attacks.hip";
static const char TEMPORARY[] = "/tmp/hiptemper-hostile";

/* The begin of the reason, by the number of the attack; NULL: it does nothing and is measured. */
static const char *const expected[] = {
    NULL,
    "crash: sandbox: tried to start a process (clone)",
    "crash: sandbox: tried to start a program (execve of '/bin/sh')",
    "crash: sandbox: tried to start a process (clone)",
    "crash: sandbox: tried to start a process (vfork)",
    "crash: sandbox: tried to start a process (clone)",
    "crash: sandbox: tried to start a program (execveat",
    "crash: SIGSYS (a system call that the sandbox refuses)",
    NULL,
    "crash: sandbox: tried to use the network (socket)",
    "crash: sandbox: tried to use the network (socket)",
    "crash: sandbox: tried to use the network (socket)",
    "crash: sandbox: made a system call that is refused (io_uring_setup)",
    "crash: sandbox: tried to open a file for writing (openat of '/",
    "crash: sandbox: tried to open a file for writing (openat of '/tmp/hiptemper-hostile')",
    "crash: sandbox: tried to change files (unlink of '/",
    "crash: sandbox: tried to change files (rename of '/",
    "crash: sandbox: tried to change files (symlink of '/",
    "crash: sandbox: tried to change files (link of '/",
    "crash: sandbox: tried to change files (truncate of '/",
    "crash: sandbox: tried to change files (chmod of '/",
    "crash: sandbox: tried to change files (fchmod)",
    "crash: sandbox: tried to change files (mkdir of '/",
    "crash: sandbox: tried to open a file for writing (",
    "crash: sandbox: tried to open a file for writing (openat of '/",
    "crash: sandbox: tried to open a file for writing (openat2 of '/",
    "crash: sandbox: tried to open a file for writing (openat of '/proc/",
    "crash: sandbox: opened too many files for writing",
    "crash: sandbox: tried to reach another process (ptrace)",
    "crash: sandbox: tried to reach another process (kill)",
    "crash: sandbox: tried to reach another process (kill)",
    "crash: sandbox: tried to reach another process (process_vm_writev)",
    "crash: sandbox: tried to reach another process (pidfd_send_signal)",
    "crash: sandbox: tried to change a limit (setrlimit)",
    "crash: sandbox: made a system call that is refused (prctl)",
    "crash: sandbox: made a system call that is refused (ioctl)",
    "crash: sandbox: tried to change the machine (mount",
    "crash: sandbox: tried to change the machine (unshare)",
    "crash: sandbox: made a system call that is refused (shmget)",
    "crash: ", /* memory: however the allocator takes it */
    "crash: ",
    "crash: sandbox: wrote more than 64 MiB of output",
    "crash: sandbox: took more memory than it may",
    "crash: sandbox: started more than 1024 threads (clone)",
    "crash: wrote an answer of its own to the tuner",
    "crash: wrote to the tuner what is no message",
    "crash: closed the connection to the tuner and went on",
    "crash: sandbox: tried to open a file for writing (openat of '/",
    "crash: sandbox: tried to open a file for writing (openat of '/",
    "crash: SIGABRT: ?]0;all is well?",
};
enum { ATTACKS = sizeof expected / sizeof *expected, OLD_CALL = 7 };

/* Returns true if the machine has the system calls of 32-bit programs. On some virtual machines
 * such a call is a fault that kills whoever makes it, so that there is nothing to refuse. */
static bool has_old_calls(void) {
    enum { GETPID = 20 };
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        long result;
        signal(SIGSEGV, SIG_DFL);
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(GETPID) : "memory");
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status);
}

/* Returns true for attacks that a limit of address space stops, which AddressSanitizer does not
 * bear. */
static bool is_skipped(size_t attack) {
    return HT_ADDRESS_SANITIZED && (attack == 39 || attack == 40 || attack == 43);
}

/* Returns names, modes, sizes and times of all in a folder. */
static char *look_at(const char *folder) {
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    ht_text text = {0};
    for (int i = 0; i < count; ++i) {
        struct stat info;
        char *path = ht_path_join(folder, entries[i]->d_name);
        if (strcmp(entries[i]->d_name, "..") != 0 && lstat(path, &info) == 0)
            ht_text_printf(&text, "%s %o %ld %ld.%ld\n", entries[i]->d_name, info.st_mode,
                           (long)info.st_size, (long)info.st_mtim.tv_sec,
                           (long)info.st_mtim.tv_nsec);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return ht_text_take(&text);
}

static int listen_here(unsigned short *out_port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    cr_assert_geq(fd, 0);
    if (fd < 0)
        return fd;
    cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    cr_assert_eq(listen(fd, 1), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    *out_port = ntohs(address.sin_port);
    return fd;
}

static char *make_bait(void) {
    char *folder = NULL;
    cr_assert_eq(ht_dir_temporary("bait", &folder, NULL), HT_OK);
    char *victim = ht_path_join(folder, "victim");
    cr_assert_eq(ht_file_write(victim, "precious\n", 9, NULL), HT_OK);
    free(victim);
    return folder;
}

static void expect_outcome(ht_job *job, const bound *b, size_t attack) {
    char config[32];
    snprintf(config, sizeof config, "ATTACK=%zu", attack);
    ht_outcome outcome = evaluate(job, b, config);
    const char *reason = attack == OLD_CALL && !has_old_calls() ? "crash: " : expected[attack];
    cr_log_info("%zu: %s", attack, outcome.reason);
    if (reason == NULL)
        cr_expect_eq(outcome.status, HT_OK, "%zu: %s", attack, outcome.reason);
    else
        cr_expect_eq(strncmp(outcome.reason, reason, strlen(reason)), 0,
                     "%zu: '%s' does not begin with '%s'", attack, outcome.reason, reason);
}

/* A job on the attacks, and their targets. */
typedef struct field {
    bound b;
    ht_job *job;
    char *bait, *before, *text;
    int listener;
} field;

static void open_field(field *out) {
    unsigned short port = 0;
    char *source = NULL;
    out->bait = make_bait();
    out->before = look_at(out->bait);
    out->listener = listen_here(&port);
    cr_assert_eq(ht_file_read(PATH, 0, &source, NULL, NULL), HT_OK);
    out->text = ht_format("#define BAIT \"%s\"\n#define PORT %u\n%s", out->bait, port, source);
    free(source);
    ht_job_options options = quick_options();
    options.memory_limit = (uint64_t)1 << 30;
    options.time_limit = 10;
    bind_text(&out->b, out->text, "n=1000");
    unlink(TEMPORARY);
    out->job = start_job(&out->b, &options);
}

/* Checks that nothing has changed. */
static void close_field(field *of) {
    ht_job_free(of->job);
    char *after = look_at(of->bait);
    cr_expect_str_eq(after, of->before);
    cr_expect_lt(access(TEMPORARY, F_OK), 0);
    cr_expect_lt(accept(of->listener, NULL, NULL), 0, "a kernel has connected");
    close(of->listener);
    ht_dir_remove(of->bait);
    unbind(&of->b);
    free(after);
    free(of->before);
    free(of->text);
    free(of->bait);
}

/* Chooses one of each kind; with HIPTEMPER_HOSTILE=all in the environment, all of them. */
static bool is_chosen(size_t attack) {
    static const size_t usual[] = {0,  1,  2,  3,  6,  7,  9,  11, 12, 13, 15, 17, 18, 20, 21,
                                   24, 26, 28, 29, 33, 35, 37, 39, 41, 43, 44, 45, 47, 48, 49};
    bool chosen = getenv("HIPTEMPER_HOSTILE") != NULL;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; ++i)
        chosen = chosen || usual[i] == attack;
    return chosen && !is_skipped(attack);
}

Test(hostile, kernels_change_nothing_and_each_is_named) {
    ht_sandbox_support support = ht_sandbox_probe();
    if (!ht_sandbox_complete(&support))
        cr_skip_test("this machine's sandbox is not complete");
    field field;
    open_field(&field);
    for (size_t attack = 0; attack < ATTACKS; ++attack)
        if (is_chosen(attack))
            expect_outcome(field.job, &field.b, attack);
    expect_outcome(field.job, &field.b, 0);
    close_field(&field);
}

/* Takes calls away, as on a kernel without them, for this process and all that it starts. */
static void take_away(const int *calls, size_t count) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    for (size_t i = 0; i < count; ++i)
        cr_assert_eq(seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), calls[i], 0), 0);
    cr_assert_eq(seccomp_load(filter), 0);
    seccomp_release(filter);
}

/* One that writes, one that removes, one of permissions, which Landlock does not know, one that
 * writes into its guard. */
static const size_t some[] = {0, 2, 9, 13, 15, 17, 20, 26, 29};

Test(hostile, kernels_change_nothing_without_landlock) {
    const int calls[] = {444, 445, 446};
    take_away(calls, 3);
    ht_sandbox_support support = ht_sandbox_probe();
    if (!support.notify)
        cr_skip_test("this machine has no seccomp");
    cr_assert_eq(support.landlock, 0);
    field field;
    open_field(&field);
    for (size_t i = 0; i < sizeof some / sizeof *some; ++i)
        expect_outcome(field.job, &field.b, some[i]);
    close_field(&field);
}

/* Landlock refuses without a word: a kernel's results may be right all the same. */
Test(hostile, kernels_change_no_file_without_seccomp) {
    const int calls[] = {SCMP_SYS(seccomp)};
    const size_t files[] = {13, 14, 15, 16, 18, 19, 22, 24, 26};
    ht_sandbox_support support = ht_sandbox_probe();
    if (support.landlock < 3)
        cr_skip_test("this machine's Landlock does not know all of this");
    take_away(calls, 1);
    cr_assert_not(ht_sandbox_probe().seccomp);
    field field;
    open_field(&field);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char config[32];
        snprintf(config, sizeof config, "ATTACK=%zu", files[i]);
        evaluate(field.job, &field.b, config);
    }
    close_field(&field);
}

Test(hostile, the_choice_on_wants_all_of_it) {
    const int calls[] = {444};
    ht_error error = {0};
    take_away(calls, 1);
    cr_expect_eq(ht_sandbox_require(HT_SANDBOX_ON, &error), HT_ERROR_MISSING);
    cr_expect_not_null(strstr(error.message, "Landlock"), "%s", error.message);
    cr_expect_eq(ht_sandbox_require(HT_SANDBOX_AUTO, &error), HT_OK);
}
