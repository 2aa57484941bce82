/* Reports of processes that shared a night, and the folders and locks of their devices. */
#include "pipeline/nightly/night_devices.h"
#include "pipeline/nightly/night_join.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static json_t *report(const char *text) {
    json_t *made = json_loads(text, 0, NULL);
    cr_assert(made, "%s", text);
    return made;
}

Test(night_join, one_report_has_the_kernels_of_all_the_gravest_code_and_what_all_miss) {
    json_t *reports[] = {
        report(
            "{\"exit\": 1, \"seconds\": 3, \"devices\": [\"a\"], \"errors\": [{\"file\": \"x\"}],"
            " \"kernels\": [{\"kernel\": \"k\", \"device\": \"a\", \"verdict\": \"slower\","
            " \"kernel_key\": \"1\"},"
            " {\"kernel\": \"g\", \"device\": \"a\", \"verdict\": \"gone\", \"kernel_key\": \"9\"},"
            " {\"kernel\": \"m\", \"device\": \"a\", \"verdict\": \"gone\","
            " \"kernel_key\": \"2\"}]}"),
        report(
            "{\"exit\": 3, \"seconds\": 5, \"devices\": [\"a\"], \"errors\": [{\"file\": \"x\"}],"
            " \"kernels\": [{\"kernel\": \"m2\", \"device\": \"a\", \"verdict\": \"same\","
            " \"kernel_key\": \"2\"},"
            " {\"kernel\": \"g\", \"device\": \"a\", \"verdict\": \"gone\","
            " \"kernel_key\": \"9\"}]}")};
    json_t *joined = ht_night_join(reports, 2);
    cr_expect_eq(json_integer_value(json_object_get(joined, "exit")), 3);
    cr_expect_eq(json_number_value(json_object_get(joined, "seconds")), 5);
    cr_expect_eq(json_array_size(json_object_get(joined, "errors")), 1, "the same mistake, once");
    cr_expect_eq(json_array_size(json_object_get(joined, "kernels")), 3,
                 "m has another name in the other shard, g is gone once");
    cr_expect_eq(json_integer_value(json_object_get(json_object_get(joined, "verdicts"), "gone")),
                 1);
    ht_night_join_failure(joined, "shard 3", "killed", 1);
    cr_expect_eq(json_array_size(json_object_get(joined, "errors")), 2);
    cr_expect_eq(json_integer_value(json_object_get(joined, "exit")), 3);
    json_decref(joined);
    json_decref(reports[0]);
    json_decref(reports[1]);
}

Test(night_join, with_several_devices_each_has_a_folder_of_its_own) {
    char *names[] = {(char *)"amd:0", (char *)"amd:1"};
    ht_job_file job = {.out = (char *)"out", .devices = {names, 1}};
    char *one = ht_night_device_out(&job, "amd:0");
    job.devices.count = 2;
    char *two = ht_night_device_out(&job, "amd:0");
    cr_expect_str_eq(one, "out");
    cr_expect_str_eq(two, "out/amd-0");
    free(one);
    free(two);
}

Test(night_join, all_devices_of_a_provider_are_those_that_can_run_each_once) {
    ht_job_file job;
    ht_error error = {0};
    static const char text[] =
        "{\"sources\": [\"t\"], \"devices\": [\"host:*\", \"host\"],"
        " \"budget\": {\"seconds\": 1}, \"database\": \"d\", \"out\": \"o\"}";
    cr_assert_eq(ht_job_file_parse(text, "n.json", &job, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_night_devices_expand(&job, &error), HT_OK, "%s", error.message);
    cr_assert_eq(job.devices.count, 2);
    cr_expect_str_eq(job.devices.items[0], "host");
    cr_expect_str_eq(job.devices.items[1], "host:wave32");
    ht_job_file_free(&job);
}
