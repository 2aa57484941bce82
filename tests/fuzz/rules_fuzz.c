/* Rules of any schema: values that the look-ahead allows lead to legal configurations, in bounded
 * time. The first bytes are the problem, the rest the schema. */
#include "fuzz.h"

#include "predictor/rules/completion.h"

#include <string.h>

enum { HEAD = 8, WORK = 1 << 22 };

/* Walks along allowed values, the choice among them by the head's bytes. */
static bool walk(ht_completion *completion, const ht_schema *schema, const uint8_t *head,
                 uint16_t *choice) {
    static uint8_t allowed[HT_PARAM_VALUES_MAX];
    for (size_t p = 0; p < schema->param_count; ++p) {
        size_t count = ht_completion_allowed(completion, choice, p, allowed), v = 0;
        FUZZ_CHECK(count <= schema->params[p].value_count);
        FUZZ_CHECK(count || p == 0 || !ht_completion_exact(completion));
        if (!count)
            return false;
        for (size_t left = head[p % HEAD] % count; !allowed[v] || left; ++v)
            left -= allowed[v];
        choice[p] = (uint16_t)v;
    }
    return true;
}

static void check(const ht_schema *schema, const ht_rules *rules, const uint8_t *head) {
    int64_t fields[HT_SCHEMA_FIELDS_MAX], values[HT_PARAM_MAX];
    uint16_t choice[HT_PARAM_MAX] = {0};
    for (size_t i = 0; i < HT_SCHEMA_FIELDS_MAX; ++i)
        fields[i] = (int8_t)head[i % HEAD];
    ht_completion *completion = ht_completion_new(rules);
    ht_completion_start(completion, fields);
    bool found = walk(completion, schema, head, choice);
    bool possible = ht_completion_possible(completion);
    if (ht_completion_exact(completion) && schema->param_count)
        FUZZ_CHECK(found == possible);
    if (found)
        FUZZ_CHECK(ht_completion_legal(completion, choice));
    memset(choice, 0, sizeof choice);
    FUZZ_CHECK(ht_completion_legal(completion, choice) ==
               (ht_completion_broken(completion, choice) < 0));
    ht_completion_canonical(completion, choice, values);
    ht_completion_free(completion);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ht_schema *schema;
    ht_rules *rules;
    ht_error error;
    if (size < HEAD)
        return 0;
    char *text = ht_strndup((const char *)data + HEAD, size - HEAD);
    if (ht_schema_parse(text, "k.schema", &schema, &error) == HT_OK) {
        size_t values = 0;
        for (size_t p = 0; p < schema->param_count; ++p)
            values += schema->params[p].value_count;
        ht_status status = ht_rules_compile(schema, NULL, 0, &rules, &error);
        FUZZ_CHECK(status == HT_OK || error.message[0]);
        if (status == HT_OK) {
            if (values * size < WORK) /* slow, not endless */
                check(schema, rules, data);
            ht_rules_free(rules);
        }
        ht_schema_free(schema);
    }
    free(text);
    return 0;
}
