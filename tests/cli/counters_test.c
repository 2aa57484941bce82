/* Hardware counters. rocprofv3's file is made by hand from its documentation; ncu's is what version
 * 2025.3 printed on an H200 for a program with two kernels, some of its rows left out. */
#include "pipeline/counters.h"

#include <criterion/criterion.h>
#include <string.h>

static const char file[] =
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_Id\","
    "\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\",\"LDS_Block_Size\","
    "\"Scratch_Size\",\"VGPR_Count\",\"SGPR_Count\",\"Counter_Name\",\"Counter_Value\","
    "\"Start_Timestamp\",\"End_Timestamp\"\n"
    "1,1,4,1,42,42,65536,7,\"void ns::blur<float>(float*, float const*, int)\",256,0,0,12,16,"
    "\"SQ_WAVES\",512.000000,100,200\n"
    "1,1,4,1,42,42,65536,7,\"void ns::blur<float>(float*, float const*, int)\",256,0,0,12,16,"
    "\"SQ_WAVES\",512.000000,100,200\n" /* of another unit */
    "1,1,4,1,42,42,65536,7,\"void ns::blur<float>(float*, float const*, int)\",256,0,0,12,16,"
    "\"SQ_INSTS_VALU\",9000,100,200\n"
    "2,2,4,1,42,42,65536,7,\"void ns::blur<float>(float*, float const*, int)\",256,0,0,12,16,"
    "\"SQ_WAVES\",2048,300,400\n"
    "3,3,4,1,42,42,64,8,\"other(int) [clone .kd]\",64,0,0,4,8,\"SQ_WAVES\",1,500,600\n";

Test(counters, rows_of_a_launch_are_added_and_launches_averaged) {
    ht_counters counters;
    ht_error error = {0};
    cr_assert_eq(ht_counters_parse(file, strlen(file), "c.csv", &counters, &error), HT_OK, "%s",
                 error.message);
    json_t *blur = ht_counters_json(&counters, "blur"), *none = ht_counters_json(&counters, "k");
    json_t *other = ht_counters_json(&counters, "other");
    cr_expect_float_eq(json_number_value(json_object_get(blur, "SQ_WAVES")), 1536, 1e-9);
    cr_expect_float_eq(json_number_value(json_object_get(blur, "SQ_INSTS_VALU")), 9000, 1e-9);
    cr_expect_eq(json_object_size(other), 1);
    cr_expect_eq(json_object_size(none), 0);
    json_decref(blur);
    json_decref(none);
    json_decref(other);
    ht_counters_free(&counters);
}

#define NCU_HEAD                                                                                   \
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\"," \
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\","             \
    "\"Metric Unit\",\"Metric Value\"\n"
#define NCU_ROW(id, kernel, metric, unit, value)                                                   \
    "\"" id "\",\"2182\",\"ncuapp\",\"127.0.0.1\",\"" kernel                                       \
    "\",\"1\",\"7\",\"(256, 1, 1)\",\"(8, 1080, 1)\",\"0\",\"9.0\","                               \
    "\"Command line profiler metrics\",\"" metric "\",\"" unit "\",\"" value "\"\n"
#define BLUR "blur(const float *, float *, int, int)"

static const char ncu_file[] =
    "==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, profiling "
    "results may be inconsistent.\n"
    "==PROF== Connected to process 2182 (/home/user/ncuapp)\n"
    "no error\n"
    "==PROF== Disconnected from process 2182\n" NCU_HEAD NCU_ROW("0", BLUR, "dram__bytes.sum",
                                                                 "byte", "8,300,032")
        NCU_ROW("0", BLUR, "launch__registers_per_thread", "register/thread",
                "17") NCU_ROW("0", BLUR, "smsp__inst_executed.sum", "inst", "7,227,360")
            NCU_ROW("1", "void scale<float>(T1 *, T1, int)", "dram__bytes.sum", "byte", "8,297,216")
                NCU_ROW("2", BLUR, "dram__bytes.sum", "byte", "8,300,034")
                    NCU_ROW("2", BLUR, "Function Cache Configuration", "",
                            "CachePreferNone") "the program's last words\n";

Test(counters, the_output_of_ncu_is_read_past_its_messages) {
    ht_counters counters;
    ht_error error = {0};
    cr_assert_eq(ht_counters_parse(ncu_file, strlen(ncu_file), "c.csv", &counters, &error), HT_OK,
                 "%s", error.message);
    json_t *blur = ht_counters_json(&counters, "blur"),
           *scale = ht_counters_json(&counters, "scale");
    cr_expect_float_eq(json_number_value(json_object_get(blur, "dram__bytes.sum [byte]")), 8300033,
                       1e-9);
    cr_expect_float_eq(json_number_value(json_object_get(blur, "smsp__inst_executed.sum [inst]")),
                       7227360, 1e-9);
    cr_expect_eq(json_object_size(blur), 3);
    cr_expect_float_eq(json_number_value(json_object_get(scale, "dram__bytes.sum [byte]")), 8297216,
                       1e-9);
    json_decref(blur);
    json_decref(scale);
    ht_counters_free(&counters);
}

Test(counters, a_file_that_is_none_is_refused_with_its_line_and_a_remedy) {
    static const struct {
        const char *text;
        int line;
        const char *words;
    } cases[] = {{"", 1, "counter_collection.csv"},
                 {"Kernel_Name,Start_Timestamp,End_Timestamp\nk,1,2\n", 1, "no columns"},
                 {"Kernel_Name,Dispatch_Id,Counter_Name,Counter_Value\nk,1,C,many\n", 2, "whole?"},
                 {"Kernel_Name,Dispatch_Id,Counter_Name,Counter_Value\nk,1,C,-1\n", 2, "whole?"},
                 {"Kernel_Name,Dispatch_Id,Counter_Name,Counter_Value\nk,1\n", 2, "whole?"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_counters counters;
        ht_error error = {0};
        cr_assert_eq(
            ht_counters_parse(cases[i].text, strlen(cases[i].text), "c.csv", &counters, &error),
            HT_ERROR_INPUT);
        cr_expect_eq(error.line, cases[i].line, "%s", error.message);
        cr_expect(strstr(error.message, cases[i].words), "%s", error.message);
    }
}
