#include "refactor/plan/values.h"

#include "base/text.h"

char *ht_values_around(const int64_t *candidates, int count, int64_t default_value, int64_t least,
                       int64_t most) {
    ht_text text = {0};
    bool placed = false;
    for (int i = 0; i <= count; ++i) {
        bool last = i == count;
        if (!placed && (last || candidates[i] >= default_value)) {
            ht_text_printf(&text, text.length ? ", %lld" : "%lld", (long long)default_value);
            placed = true;
        }
        if (!last && candidates[i] != default_value && candidates[i] >= least &&
            candidates[i] <= most)
            ht_text_printf(&text, text.length ? ", %lld" : "%lld", (long long)candidates[i]);
    }
    return ht_text_take(&text);
}
