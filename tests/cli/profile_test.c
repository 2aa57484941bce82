/* Profilers' lists of kernels and times. */
#include "pipeline/profile.h"

#include <criterion/criterion.h>
#include <string.h>

static ht_profile parse(const char *text) {
    ht_profile profile;
    ht_error error = {0};
    ht_status status = ht_profile_parse(text, strlen(text), "a.csv", &profile, &error);
    cr_assert_eq(status, HT_OK, "%d: %s", error.line, error.message);
    return profile;
}

static void expect_kernels(const char *text) {
    ht_profile profile = parse(text);
    cr_assert_eq(profile.count, 2, "%zu", profile.count);
    cr_expect_str_eq(profile.kernels[0].name, "ns::conv");
    cr_expect_float_eq(profile.kernels[0].ns, 900, 1e-9);
    cr_expect_str_eq(profile.kernels[1].name, "copy");
    cr_expect_float_eq(profile.kernels[1].ns, 100, 1e-9);
    ht_profile_free(&profile);
}

Test(profile, statistics_and_traces_of_both_profilers_say_the_same) {
    expect_kernels("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n"
                   "\"copy(float*, int) [clone .kd]\",2,100,50,10.0\n"
                   "\"void ns::conv<float>(float const*, float*) [clone .kd]\",3,900,300,90.0\n");
    expect_kernels("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\","
                   "\"MaxNs\",\"StdDev\"\r\n"
                   "\"void ns::conv<float>(float const*, float*)\",3,900,300.0,90.0,1,2,0.5\r\n"
                   "\"copy(float*, int)\",2,100,50.0,10.0,1,2,0.5\r\n");
    expect_kernels(
        "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\",\"Correlation_Id\","
        "\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\"\n"
        "\"KERNEL_DISPATCH\",\"Agent 4\",1,\"copy(float*, int)\",1,1000,1100,0\n"
        "\"KERNEL_DISPATCH\",\"Agent 4\",1,\"void ns::conv<float>(float*)\",2,2000,2500,0\n"
        "\"KERNEL_DISPATCH\",\"Agent 4\",1,\"void ns::conv<int>(int*)\",3,3000,3400,0\n");
    expect_kernels("Index,KernelName,gpu-id,BeginNs,EndNs\n"
                   "0,\"copy(float*, int)\",0,10,110\n"
                   "1,\"ns::conv(float*)\",0,200,1100\n");
}

Test(profile, the_fewest_kernels_that_take_the_share_are_wanted) {
    ht_profile profile = parse("Name,TotalDurationNs\n"
                               "\"small(int)\",10\n\"void a::conv<float>(float*)\",800\n"
                               "_ZN1b4poolIfEEvPf,150\n_Z4axpyPfi,40\n");
    ht_profile_choose(&profile, 0.95);
    cr_expect(ht_profile_wants(&profile, "a::conv<float>"));
    cr_expect(ht_profile_wants(&profile, "a::conv"));
    cr_expect(ht_profile_wants(&profile, "b::pool"));
    cr_expect_not(ht_profile_wants(&profile, "c::conv"));
    cr_expect_not(ht_profile_wants(&profile, "axpy"));
    cr_expect_not(ht_profile_wants(&profile, "small"));
    cr_expect_float_eq(ht_profile_time(&profile, "axpy"), 40, 1e-9);
    ht_profile_choose(&profile, 1);
    cr_expect(ht_profile_wants(&profile, "small"));
    ht_profile_free(&profile);
}

static void expect_error(const char *text, int line, const char *words) {
    ht_profile profile;
    ht_error error = {0};
    ht_status status = ht_profile_parse(text, strlen(text), "a.csv", &profile, &error);
    cr_assert_eq(status, HT_ERROR_INPUT);
    cr_expect_str_eq(error.file, "a.csv");
    cr_expect_eq(error.line, line, "%d: %s", error.line, error.message);
    cr_expect(strstr(error.message, words), "%s", error.message);
}

Test(profile, a_file_that_is_none_is_refused_with_its_line_and_a_remedy) {
    expect_error("", 1, "rocprofv3's *_kernel_stats.csv");
    expect_error("{\"traceEvents\": []}\n", 1, "no column Name");
    expect_error("\"Name\",\"Calls\"\n", 1, "no column TotalDurationNs");
    expect_error("Name,TotalDurationNs\nk,1\n\nk,many\n", 4, "is the file whole?");
    expect_error("Name,TotalDurationNs\nk\n", 2, "is the file whole?");
    expect_error("Name,TotalDurationNs\nk,-1\n", 2, "is the file whole?");
    expect_error("Name,TotalDurationNs\n\"k,1\n", 2, "does not end");
    expect_error("Kernel_Name,Start_Timestamp,End_Timestamp\nk,5,4\n", 2, "before it begins");
}
