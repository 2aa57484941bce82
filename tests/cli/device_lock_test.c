/* The lock by which a device is timed on by one job at a time. */
#include "pipeline/nightly/device_lock.h"

#include "base/clock.h"
#include "base/file.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;

static void prepare(void) {
    cr_assert_eq(ht_dir_temporary("hiptemper-test", &folder, NULL), HT_OK);
    setenv("HIPTEMPER_LOCKS", folder, 1);
}

static void clean(void) {
    ht_dir_remove(folder);
    free(folder);
}

TestSuite(device_lock, .init = prepare, .fini = clean, .timeout = 60);

static void note(void *context, long process) {
    *(long *)context = process;
}

static ht_status take(const char *device, double seconds, ht_device_lock *lock, long *holder) {
    *holder = 0;
    return ht_device_lock_take(device, ht_clock_seconds() + seconds, NULL, note, holder, lock,
                               NULL);
}

/* Starts a process that holds the lock, and one of its own that holds nothing but lives on. */
static pid_t holder_start(const char *device) {
    int ready[2];
    char byte;
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        ht_device_lock lock;
        long holder;
        if (take(device, 5, &lock, &holder) != HT_OK)
            _exit(1);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            sleep(5);
            _exit(0);
        }
        (void)!write(ready[1], "x", 1);
        pause();
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    return child;
}

Test(device_lock, a_second_job_waits_says_for_whom_and_gives_up_at_its_end) {
    ht_device_lock lock;
    long holder;
    pid_t child = holder_start("amd:0");
    cr_expect_eq(take("amd:0", 0.3, &lock, &holder), HT_ERROR_TIMEOUT);
    cr_expect_eq(holder, (long)child);
    cr_expect_eq(take("amd:1", 0.3, &lock, &holder), HT_OK, "another device is another lock");
    ht_device_lock_release(&lock);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

Test(device_lock, a_killed_holder_does_not_block_even_if_a_child_of_it_lives) {
    ht_device_lock lock;
    long holder;
    pid_t child = holder_start("host");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    cr_expect_eq(take("host", 2, &lock, &holder), HT_OK);
    cr_expect_eq(holder, 0);
    ht_device_lock_release(&lock);
    cr_expect_eq(take("host", 1, &lock, &holder), HT_OK, "released, it is free");
    ht_device_lock_release(&lock);
}

Test(device_lock, under_slurm_a_gpu_has_the_lock_of_the_number_that_the_machine_has_for_it) {
    ht_device_lock first, second, third;
    long holder;
    setenv("SLURM_JOB_GPUS", "2,5", 1);
    cr_assert_eq(take("amd:1", 1, &first, &holder), HT_OK);
    unsetenv("SLURM_JOB_GPUS");
    char *path = ht_path_join(folder, "hiptemper-amd-5.lock");
    cr_expect(ht_file_exists(path));
    free(path);
    cr_assert_eq(take("amd:1", 1, &second, &holder), HT_OK);
    cr_assert_eq(take("host", 1, &third, &holder), HT_OK);
    ht_device_lock_release(&first);
    ht_device_lock_release(&second);
    ht_device_lock_release(&third);
}
