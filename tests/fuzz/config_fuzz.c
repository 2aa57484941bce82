#include "fuzz.h"

#include "templates/annotations/template.h"

static const char source[] =
    "#pragma tune kernel(k) block(1) grid(1)\n"
    "#pragma tune param(I : 1, 16, -3 = 16) param(B : false, true = true)\n"
    "#pragma tune param(Y : type float, unsigned int, vec<int, 3> = float) param(E : LOW, HIGH = "
    "LOW)\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ht_template *template;
    size_t count;
    ht_config config, again;
    ht_error error;
    if (!template)
        FUZZ_CHECK(ht_template_parse(source, "s", &template, &count, NULL) == HT_OK);
    char *text = ht_strndup((const char *)data, size);
    ht_status status = ht_config_parse(template, text, &config, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        char *printed = ht_config_string(template, &config);
        FUZZ_CHECK(ht_config_parse(template, printed, &again, NULL) == HT_OK);
        FUZZ_CHECK(ht_config_equal(&config, &again));
        free(printed);
    }
    free(text);
    return 0;
}
