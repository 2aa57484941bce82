/* Configurations that two processes search for one job: each is claimed once, and a claim ends with
 * its process. */
#include "tests/runtime/job/database_folder.h"

#include "runtime/store/claims.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 8 };

static void make_folder(void) {
    database_folder_make("claims.db");
}

TestSuite(claims, .init = make_folder, .fini = database_folder_remove, .timeout = 60);

static const ht_database_key key = {"source",   "conv",     "template",  "n=1",  "host",
                                    "clang 19", "method 1", "prelude 1", "plain"};
static const char *const configs[COUNT] = {"A=1", "A=2", "A=3", "A=4", "A=5", "A=6", "A=7", "A=8"};

static ht_claims *claims_open(ht_database *database) {
    ht_claims *claims = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_claims_open(database, &key, &claims, &error), HT_OK, "%s", error.message);
    return claims;
}

/* Claims, and returns how many of the first `count`. */
static size_t take(ht_claims *claims, size_t count, bool *mine) {
    ht_error error = {0};
    size_t taken = 0;
    cr_assert_eq(ht_claims_take(claims, configs, count, mine, &error), HT_OK, "%s", error.message);
    for (size_t i = 0; i < count; ++i)
        taken += mine[i];
    return taken;
}

/* Starts a process that joins, says so, claims when it is asked to, says what, and waits. */
static pid_t other_start(int out_pipes[2]) {
    int down[2], up[2];
    cr_assert_eq(pipe(down), 0);
    cr_assert_eq(pipe(up), 0);
    pid_t pid = fork();
    if (pid == 0) {
        ht_claims *claims = claims_open(database_open());
        bool mine[COUNT];
        char byte = 'j';
        while (write(up[1], &byte, 1) == 1 && read(down[0], &byte, 1) == 1) {
            take(claims, COUNT, mine);
            byte = 0;
            for (size_t i = 0; i < COUNT; ++i)
                byte = (char)(byte | mine[i] << i);
        }
        _exit(0);
    }
    close(down[0]);
    close(up[1]);
    out_pipes[0] = up[0];
    out_pipes[1] = down[1];
    return pid;
}

static unsigned char hear(const int pipes[2]) {
    unsigned char byte = 0;
    cr_assert_eq(read(pipes[0], &byte, 1), 1);
    return byte;
}

static unsigned char ask(const int pipes[2]) {
    cr_assert_eq(write(pipes[1], "a", 1), 1);
    return hear(pipes);
}

Test(claims, one_process_claims_all) {
    ht_database *database = database_open();
    ht_claims *claims = claims_open(database);
    bool mine[COUNT];
    cr_expect_eq(take(claims, COUNT, mine), COUNT);
    ht_claims_close(claims);
    ht_database_close(database);
}

Test(claims, two_processes_claim_a_half_each_and_none_twice) {
    ht_database *database = database_open();
    ht_claims *claims = claims_open(database);
    int pipes[2];
    pid_t other = other_start(pipes);
    hear(pipes);
    bool mine[COUNT];
    cr_expect_eq(take(claims, COUNT, mine), COUNT / 2);
    unsigned char others = ask(pipes), all = others;
    cr_expect_eq(__builtin_popcount(others), COUNT / 4, "the half of what is left");
    for (size_t i = 0; i < COUNT; ++i) {
        cr_expect(!mine[i] || !(others >> i & 1), "%s is claimed twice", configs[i]);
        all = (unsigned char)(all | mine[i] << i);
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    ht_claims_close(claims);
    ht_database_close(database);
}

Test(claims, the_claims_of_a_process_that_was_killed_are_free) {
    ht_database *database = database_open();
    ht_claims *claims = claims_open(database);
    int pipes[2];
    pid_t other = other_start(pipes);
    hear(pipes);
    cr_assert_neq(ask(pipes), 0);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    bool mine[COUNT];
    cr_expect_eq(take(claims, COUNT, mine), COUNT);
    ht_claims_close(claims);
    ht_database_close(database);
}

Test(claims, the_one_that_is_ahead_leaves_the_last_to_the_other_but_not_for_long) {
    ht_database *database = database_open();
    ht_claims *claims = claims_open(database);
    int pipes[2];
    pid_t other = other_start(pipes);
    hear(pipes);
    bool mine[COUNT];
    cr_expect_eq(take(claims, 1, mine), 1);
    cr_assert_eq(ht_claims_done(claims, 1, NULL), HT_OK);
    cr_expect_eq(take(claims, 1, mine), 0);
    size_t taken = 0;
    for (int tries = 0; tries < 500 && taken == 0; ++tries) {
        usleep(10000);
        taken = take(claims, 1, mine);
    }
    cr_expect_eq(taken, 1, "the other one does not come for it");
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    ht_claims_close(claims);
    ht_database_close(database);
}
