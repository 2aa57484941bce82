#include "fuzz.h"

#include "templates/expr/expr.h"

#include <string.h>

static bool lookup(const void *context, const char *name, int64_t *out_value) {
    static const int64_t values[] = {0, 1, -1, 7, 64, INT64_MAX, INT64_MIN, 1 << 20};
    (void)context;
    *out_value = values[(unsigned char)name[0] % 8];
    return name[0] != 'u';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    ht_scope scope = {.lookup = lookup};
    ht_expr *expr, *again;
    ht_error error;
    ht_status status = ht_expr_parse(text, (ht_place){"f", 1, 1}, &expr, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        int64_t value = 0, other = 0;
        char *printed = ht_expr_string(expr);
        FUZZ_CHECK(ht_expr_parse(printed, (ht_place){0}, &again, NULL) == HT_OK);
        FUZZ_CHECK(ht_expr_equal(expr, again));
        status = ht_expr_evaluate(expr, &scope, &value, &error);
        FUZZ_CHECK_ERROR(status, error);
        FUZZ_CHECK(ht_expr_evaluate(again, &scope, &other, &error) == status);
        FUZZ_CHECK(status != HT_OK || value == other);
        ht_expr_free(again);
        ht_expr_free(expr);
        free(printed);
    }
    free(text);
    return 0;
}
