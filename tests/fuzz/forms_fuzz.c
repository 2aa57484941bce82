/* Forms read off any text: no more than there are, and none new twice. */
#include "fuzz.h"

#include "runtime/verify/verify_forms.h"

enum { PARAMS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ht_param_value values[] = {{.number = 1, .text = "1"}, {.number = 2, .text = "2"}};
    static ht_param params[PARAMS] = {{.name = "A", .values = values, .value_count = 2},
                                      {.name = "B", .values = values, .value_count = 2},
                                      {.name = "C", .values = values, .value_count = 2}};
    char *text = ht_strndup((const char *)data, size);
    const ht_template template = {.params = params, .param_count = PARAMS};
    ht_forms forms;
    ht_forms_init(&forms, &template, text);
    for (unsigned i = 0; i < 2 << PARAMS; ++i) {
        ht_config config = {.count = PARAMS};
        for (unsigned k = 0; k < PARAMS; ++k)
            config.choice[k] = i >> k & 1;
        bool inner = i >> PARAMS & 1;
        ht_forms_news news = ht_forms_new(&forms, &config, inner);
        FUZZ_CHECK(news.ways <= forms.count && news.forms <= news.ways);
        ht_forms_add(&forms, &config, inner);
        FUZZ_CHECK(ht_forms_new(&forms, &config, inner).ways == 0);
    }
    ht_forms_free(&forms);
    free(text);
    return 0;
}
