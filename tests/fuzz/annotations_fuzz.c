#include "bind_all.h"
#include "fuzz.h"

#include "base/text.h"

/* Makes an instance with 3 for every required field; false when the family refuses that. */
static bool make_problem(const ht_problem_spec *spec, ht_problem *out_problem) {
    ht_problem_value given[64];
    size_t count = 0;
    ht_error error;
    for (size_t i = 0; i < spec->field_count; ++i)
        if (spec->fields[i].kind == HT_FIELD_REQUIRED)
            given[count++] = (ht_problem_value){spec->fields[i].name, 3};
    ht_status status = ht_problem_make(spec, "x", given, count, (ht_place){0}, out_problem, &error);
    FUZZ_CHECK_ERROR(status, error);
    return status == HT_OK;
}

static void use(const ht_template *template) {
    ht_text printed = {0};
    ht_template *again;
    ht_problem problem;
    ht_error error;
    size_t count;
    ht_template_print(template, &printed);
    ht_status status = ht_template_parse(printed.data, "again", &again, &count, &error);
    if (status != HT_OK)
        fprintf(stderr, "%d:%d: %s\n%s", error.line, error.column, error.message, printed.data);
    FUZZ_CHECK(status == HT_OK && count == 1);
    FUZZ_CHECK(ht_template_equal(template, again));
    ht_template_free(again, count);
    ht_text_free(&printed);
    if (make_problem(&template->problem, &problem)) {
        fuzz_bind_all(template, &problem);
        ht_problem_free(&problem);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    ht_template *templates;
    size_t count;
    ht_error error;
    ht_status status = ht_template_parse(text, "f", &templates, &count, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        for (size_t i = 0; i < count; ++i)
            use(&templates[i]);
        ht_template_free(templates, count);
    } else {
        FUZZ_CHECK(error.line > 0);
    }
    free(text);
    return 0;
}
