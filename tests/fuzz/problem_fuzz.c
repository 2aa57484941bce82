/* First line: the inside of problem(...); the rest: an instance. */
#include "fuzz.h"

#include "templates/problem/problem.h"

#include <string.h>

static void use_instance(const ht_problem_spec *spec, const char *text) {
    ht_problem problem, again;
    ht_error error;
    ht_status status = ht_problem_parse(spec, text, &problem, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status != HT_OK)
        return;
    char *printed = ht_problem_string(spec, &problem);
    FUZZ_CHECK(ht_problem_parse(spec, printed, &again, NULL) == HT_OK);
    FUZZ_CHECK(problem.value_count == spec->field_count && again.value_count == spec->field_count);
    for (size_t i = 0; i < problem.value_count; ++i)
        FUZZ_CHECK(problem.values[i].value == again.values[i].value);
    free(printed);
    ht_problem_free(&again);
    ht_problem_free(&problem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    char *instance = strchr(text, '\n');
    ht_problem_spec spec, again;
    ht_error error;
    if (instance)
        *instance++ = 0;
    ht_status status = ht_problem_spec_parse(text, (ht_place){"f", 1, 1}, &spec, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        ht_text printed = {0};
        ht_problem_spec_print(&spec, &printed);
        FUZZ_CHECK(ht_problem_spec_parse(printed.data, (ht_place){0}, &again, NULL) == HT_OK);
        FUZZ_CHECK(ht_problem_spec_equal(&spec, &again));
        use_instance(&spec, instance ? instance : "");
        ht_problem_spec_free(&again);
        ht_problem_spec_free(&spec);
        ht_text_free(&printed);
    }
    free(text);
    return 0;
}
