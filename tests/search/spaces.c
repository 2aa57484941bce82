#include "spaces.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static bool space_build(test_space *out, const char *text) {
    ht_error error;
    *out = (test_space){.device = {.max_threads = 1024,
                                   .max_block_x = 1024,
                                   .max_block_y = 1024,
                                   .max_block_z = 64,
                                   .max_grid_x = 1 << 20,
                                   .max_grid_y = 65535,
                                   .max_grid_z = 65535,
                                   .max_static_lds = 65536,
                                   .max_dynamic_lds = 65536,
                                   .lds_per_unit = 65536,
                                   .wavefront = 64,
                                   .units = 4,
                                   .registers = 256}};
    ht_status status =
        ht_template_parse(text, "test.hip", &out->templates, &out->template_count, &error);
    cr_assert_eq(status, HT_OK, "%d:%d: %s\n%s", error.line, error.column, error.message, text);
    cr_assert_eq(out->template_count, 1);
    out->binding = (ht_binding){.template = out->templates, .device = &out->device};
    if (ht_space_build(&out->binding, 0, &out->space, &error) != HT_OK)
        return false;
    out->legal = ht_space_count(out->space);
    return true;
}

void test_space_unlist(test_space *space) {
    ht_error error;
    ht_space_free(space->space);
    cr_assert_eq(ht_space_build(&space->binding, 1, &space->space, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_space_listed(space->space), space->legal == 1);
}

/* Appends a parameter. The chosen values are increasing, so they differ. */
static void param_append(ht_text *text, ht_random *random, char name) {
    ht_text_printf(text, "#pragma tune param(%c : ", name);
    size_t count = 1 + (size_t)ht_random_below(random, 6);
    int value = 0, first = 0;
    for (size_t i = 0; i < count; ++i) {
        value += 1 + (int)ht_random_below(random, 4);
        first = i == 0 ? value : first;
        ht_text_printf(text, "%s%d", i ? ", " : "", value);
    }
    ht_text_printf(text, " = %d)\n", first);
}

static char *template_text(ht_random *random) {
    static const char *const constraints[] = {
        "A * 3 %% 2 == 0 || A > 4", "A <= 8",  "A + %c <= 14",
        "A >= %c || A == 1",        "A != %c", "A * %c <= 40"};
    size_t params = 1 + (size_t)ht_random_below(random, 4);
    ht_text text = {0};
    ht_text_append(&text, "#pragma tune unit\n#pragma tune kernel(k)\n");
    for (size_t i = 0; i < params; ++i)
        param_append(&text, random, (char)('A' + i));
    for (uint64_t i = ht_random_below(random, 3); i > 0; --i) {
        char other = (char)('A' + ht_random_below(random, params));
        const char *form = constraints[ht_random_below(random, 6)];
        ht_text_append(&text, "#pragma tune require(");
        for (const char *at = form; *at; ++at) {
            if (at[0] == '%' && at[1] == 'c')
                ht_text_append_n(&text, &other, 1);
            else if (at[0] == '%' && at[1] == '%')
                ht_text_append(&text, "%");
            else
                ht_text_append_n(&text, at, 1);
            at += *at == '%';
        }
        ht_text_append(&text, ")\n");
    }
    ht_text_append(&text, "#pragma tune block(A)\n#pragma tune grid(1)\n"
                          "#pragma tune arg(out : out float[64])\ntemplate <");
    for (size_t i = 0; i < params; ++i)
        ht_text_printf(&text, "%sint %c", i ? ", " : "", (char)('A' + i));
    ht_text_append(&text, "> __global__ void k(float *out) { out[threadIdx.x] = A; }\n");
    return ht_text_take(&text);
}

void test_space_random(test_space *out, uint64_t seed) {
    ht_random random;
    ht_random_seed(&random, seed);
    for (;;) { /* constraints may leave nothing: draw again */
        char *text = template_text(&random);
        bool built = space_build(out, text);
        free(text);
        if (built)
            return;
        ht_template_free(out->templates, out->template_count);
    }
}

void test_space_parse(test_space *out, const char *text) {
    cr_assert(space_build(out, text));
}

void test_space_free(test_space *space) {
    ht_space_free(space->space);
    ht_template_free(space->templates, space->template_count);
}
