#include "refactor/transformations/register_tile/tiled_joined.h"

void ht_tiled_joined_free(ht_tiled_joined *of) {
    ht_text_free(&of->text);
    ht_text_free(&of->any);
    ht_text_free(&of->many);
}

void ht_tiled_join(ht_tiled_joined *of, const char *joint, const char *when, const char *test,
                   bool several) {
    ht_text_printf(&of->text, "$?{%s}{}{", when);
    if (of->any.length) {
        ht_text_printf(&of->text, "$?{%s}{}{ %s }", of->any.data, joint);
        ht_text_printf(&of->many, "%s(%s) && (%s)", of->many.length ? " || " : "", when,
                       of->any.data);
    }
    if (several)
        ht_text_printf(&of->many, "%s(%s)", of->many.length ? " || " : "", when);
    ht_text_printf(&of->text, "%s}", test);
    ht_text_printf(&of->any, "%s(%s)", of->any.length ? " || " : "", when);
}
