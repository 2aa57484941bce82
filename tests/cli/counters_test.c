/* Hardware counters from rocprofv3. The file is made by hand from its documentation. */
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
