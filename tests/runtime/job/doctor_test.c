#include "runtime/doctor/doctor.h"
#include "tests/runtime/job/support.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

TestSuite(doctor, .init = use_test_worker, .timeout = 100);

static char folder[] = "/somewhere";

/* Returns a machine with nothing to complain of. */
static ht_machine good_machine(void) {
    return (ht_machine){.memory = 64e9,
                        .memory_free = 60e9,
                        .temporary = folder,
                        .temporary_writable = true,
                        .temporary_executable = true,
                        .temporary_free = 100e9,
                        .data = folder,
                        .data_writable = true,
                        .data_free = 100e9,
                        .max_map_count = 65530,
                        .stack_limit = 8 << 20,
                        .address_limit = INFINITY,
                        .file_limit = 1024,
                        .process_limit = INFINITY,
                        .cores = 8,
                        .threads = 8,
                        .quota = -1,
                        .load = 0.1,
                        .stolen = 0,
                        .governor = "performance",
                        .mhz = 3000,
                        .throttled = 0};
}

/* Returns the level of the finding `name`; fine ones may be left out. */
static ht_level judged(const ht_machine *machine, const char *name, size_t *out_others) {
    ht_findings findings = {0};
    ht_machine_judge(machine, &findings);
    ht_level level = HT_LEVEL_FINE;
    *out_others = 0;
    for (size_t i = 0; i < findings.count; ++i) {
        const ht_finding *finding = &findings.items[i];
        cr_assert_eq(finding->fix == NULL, finding->level == HT_LEVEL_FINE,
                     "'%s' comes with what to do, unless fine", finding->name);
        if (strcmp(finding->name, name) == 0)
            level = finding->level;
        else
            *out_others += finding->level != HT_LEVEL_FINE;
    }
    ht_findings_free(&findings);
    return level;
}

Test(doctor, a_good_machine_is_fine_and_one_that_tells_nothing_too) {
    size_t others;
    ht_machine machine = good_machine();
    judged(&machine, "", &others);
    cr_assert_eq(others, 0);
    machine.memory_free = machine.temporary_free = machine.data_free = -1;
    machine.max_map_count = machine.stack_limit = machine.address_limit = -1;
    machine.file_limit = machine.process_limit = machine.load = machine.stolen = -1;
    machine.governor[0] = '\0';
    machine.mhz = -1;
    machine.throttled = -1;
    judged(&machine, "", &others);
    cr_assert_eq(others, 0);
}

Test(doctor, each_trouble_is_told_and_no_other) {
    ht_machine bad[15];
    for (size_t i = 0; i < 15; ++i)
        bad[i] = good_machine();
    const char *names[15];
    size_t count = 0;
#define BAD(name, member, value) (bad[count].member = (value), names[count++] = (name))
    BAD("memory", memory_free, 1e8);
    BAD("address space", address_limit, 4e9);
    BAD("temporary files", temporary_free, 1e6);
    BAD("database", data, NULL);
    BAD("database", data_writable, false);
    BAD("database", data_free, 1e6);
    BAD("max_map_count", max_map_count, 1000);
    BAD("stack", stack_limit, 65536);
    BAD("open files", file_limit, 64);
    BAD("processes", process_limit, 20);
    BAD("threads", threads, 1);
    BAD("threads", threads, 16);
    BAD("container", quota, 1.5);
    BAD("load", load, 7);
    BAD("stolen time", stolen, 0.2);
    for (size_t i = 0; i < count; ++i) {
        size_t others;
        cr_assert_eq(judged(&bad[i], names[i], &others), HT_LEVEL_WARNING, "%s", names[i]);
        cr_assert_eq(others, 0, "%s", names[i]);
    }
    size_t others;
    ht_machine machine = good_machine();
    machine.throttled = 3;
    cr_assert_eq(judged(&machine, "heat", &others), HT_LEVEL_WARNING);
    machine = good_machine();
    strcpy(machine.governor, "powersave");
    cr_assert_eq(judged(&machine, "clock", &others), HT_LEVEL_WARNING);
    /* Without these nothing runs. */
    machine = good_machine();
    machine.temporary_writable = false;
    cr_assert_eq(judged(&machine, "temporary files", &others), HT_LEVEL_MISSING);
    machine = good_machine();
    machine.temporary_executable = false;
    cr_assert_eq(judged(&machine, "temporary files", &others), HT_LEVEL_MISSING);
}

Test(doctor, this_machine_is_read) {
    ht_machine machine;
    ht_machine_read(&machine);
    cr_assert_gt(machine.memory, machine.memory_free);
    cr_assert_gt(machine.memory_free, 0);
    cr_assert(machine.temporary_writable);
    cr_assert_geq(machine.cores, 1);
    cr_assert_gt(machine.max_map_count, 1000);
    cr_assert_geq(machine.load, 0);
    cr_assert_leq(machine.stolen, 1);
    ht_machine_free(&machine);
}

/* A folder can still be made on a disk that is full. */
Test(doctor, a_temporary_folder_without_room_is_not_writable_and_the_reason_is_kept) {
    struct rlimit small;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &small), 0);
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    ht_machine machine;
    ht_machine_read(&machine);
    cr_expect_not(machine.temporary_writable);
    cr_expect_str_eq(machine.temporary_error, "cannot write: File too large");
    ht_machine_free(&machine);
}

Test(doctor, a_device_is_tried_from_compiling_to_its_noise_floor) {
    ht_device device;
    ht_error error = {0};
    cr_assert_eq(ht_device_find("host", &device, &error), HT_OK, "%s", error.message);
    ht_findings findings = {0};
    ht_doctor_trial(&findings, &device, 0.1, NULL);
    cr_assert_geq(findings.count, 3);
    cr_assert_eq(ht_findings_at_level(&findings, HT_LEVEL_MISSING), 0, "%s",
                 findings.items[findings.count - 1].found);
    cr_assert_str_eq(findings.items[findings.count - 1].name, "host noise floor");
    ht_findings_free(&findings);
    /* One that cannot run lacks a device for a trial. */
    device.can_run = false;
    ht_doctor_trial(&findings, &device, 0.1, NULL);
    cr_assert_eq(ht_findings_at_level(&findings, HT_LEVEL_MISSING), 1);
    ht_findings_free(&findings);
}
