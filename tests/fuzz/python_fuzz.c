/* Python conditions and lists: reading them ends, many lanes compute what one does, and results lie
 * within the ranges computed for them. */
#include "fuzz.h"

#include "templates/t1/python.h"

#include <string.h>

static bool lookup(const void *context, const char *name, uint32_t *out_instruction) {
    static const ht_number values[] = {
        {.whole = 0}, {.whole = -1}, {.whole = 7}, {.whole = INT64_MAX}, {.whole = INT64_MIN}};
    const ht_python_scope *scope = *(const ht_python_scope *const *)context;
    *out_instruction = ht_code_choice(scope->code, (unsigned char)name[0] % 8, 0, HT_CODE_WHOLE,
                                      values, sizeof values / sizeof *values);
    return name[0] != 'u';
}

static int64_t ordinal(const void *context, const char *text) {
    (void)context;
    return (int64_t)strlen(text);
}

/* Checks that all lanes of a routine agree with one configuration at a time. */
static void run_routine(const ht_code *code, uint32_t result) {
    ht_routine *routine = ht_routine_new(code, &result, 1);
    ht_workspace space;
    uint16_t lanes[8][HT_LANES], choices[8];
    const uint16_t *columns[8];
    uint32_t at = routine->results[0];
    ht_workspace_make(routine, &space);
    for (size_t k = 0; k < routine->input_count; ++k) {
        columns[k] = lanes[k];
        for (size_t lane = 0; lane < HT_LANES; ++lane)
            lanes[k][lane] = (uint16_t)((lane * (k + 3) + lane / 5) % 5);
    }
    ht_routine_run(routine, columns, HT_LANES, &space);
    for (size_t lane = 0; lane < HT_LANES; ++lane) {
        ht_number value;
        for (size_t k = 0; k < routine->input_count; ++k)
            choices[routine->inputs[k]] = lanes[k][lane];
        ht_fault fault = ht_routine_value(routine, choices, 0, &value);
        FUZZ_CHECK(fault == (ht_fault)space.faults[at * HT_LANES + lane]);
        FUZZ_CHECK(fault || !memcmp(&value, &space.values[at * HT_LANES + lane], sizeof value));
        const ht_range *range = &routine->items[at].range;
        FUZZ_CHECK(!fault || range->may_fault);
        if (!fault && routine->items[at].type == HT_CODE_WHOLE)
            FUZZ_CHECK(value.whole >= range->low.whole && value.whole <= range->high.whole);
        if (!fault && routine->items[at].type == HT_CODE_REAL)
            FUZZ_CHECK(value.real >= range->low.real && value.real <= range->high.real);
    }
    ht_workspace_free(&space);
    ht_routine_free(routine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    const ht_python_scope *self;
    ht_python_scope scope = {
        .code = ht_code_new(), .lookup = lookup, .ordinal = ordinal, .context = &self};
    ht_python_node *node = NULL;
    ht_python_value *values;
    uint32_t made;
    size_t count;
    ht_error error;
    self = &scope;
    ht_status status = ht_python_parse(text, &node, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        FUZZ_CHECK(ht_python_equal(node, node));
        FUZZ_CHECK(node->end <= strlen(text) && node->begin < node->end);
        status = ht_python_code(&scope, node, &made, &error);
        FUZZ_CHECK_ERROR(status, error);
        if (status == HT_OK)
            run_routine(scope.code, made);
        status = ht_python_condition(&scope, node, &made, &error);
        FUZZ_CHECK_ERROR(status, error);
        if (status == HT_OK)
            run_routine(scope.code, made);
    }
    ht_python_free(node);
    ht_code_free(scope.code);
    status = ht_python_list(text, &values, &count, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK)
        ht_python_list_free(values, count);
    free(text);
    return 0;
}
