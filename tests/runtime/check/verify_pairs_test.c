/* Pairs of values: counted as by hand, and all of them met by few configurations when those with
 * new ones are preferred. */
#include "runtime/verify/verify_pairs.h"

#include "base/random.h"
#include "tests/runtime/job/support.h"

#include <criterion/criterion.h>

static const char source[] = "#include <hip/hip_runtime.h>\n"
                             "#pragma tune kernel(f)\n"
                             "#pragma tune param(A : 1, 2, 4 = 1)\n"
                             "#pragma tune param(B : 1, 2, 4 = 1)\n"
                             "#pragma tune param(C : false, true = false)\n"
                             "#pragma tune param(D : false, true = false)\n"
                             "#pragma tune param(E : false, true = false)\n"
                             "#pragma tune param(F : 1, 2, 4, 8 = 1)\n"
                             "#pragma tune block(64)\n"
                             "#pragma tune grid(1)\n"
                             "#pragma tune arg(out : out float[64])\n"
                             "template <int A, int B, bool C, bool D, bool E, int F>\n"
                             "__global__ void f(float *out) { out[threadIdx.x] = A * B; }\n";

static ht_config draw(const ht_template *template, ht_random *random) {
    ht_config config = ht_config_default(template);
    for (size_t i = 0; i < template->param_count; ++i)
        config.choice[i] = (uint16_t)ht_random_below(random, template->params[i].value_count);
    return config;
}

typedef struct drawn {
    ht_config config;
    bool inner; /* counts as a parameter after the others, false by default */
} drawn;

static size_t value(const drawn *of, size_t param) {
    return param < of->config.count ? of->config.choice[param] : of->inner;
}

/* Returns true if these parameters were at their defaults, or not, as they are in the last one. */
static bool had(const ht_template *template, const drawn *chosen, size_t last, const size_t *params,
                size_t count) {
    for (size_t k = 0; k < last; ++k) {
        bool same = true;
        for (size_t i = 0; i < count; ++i) {
            size_t param = params[i];
            size_t usual =
                param < template->param_count ? template->params[param].default_index : 0;
            same = same &&
                   (value(&chosen[k], param) == usual) == (value(&chosen[last], param) == usual);
        }
        if (same)
            return true;
    }
    return false;
}

static bool had_values(const drawn *chosen, size_t last, size_t a, size_t b) {
    for (size_t k = 0; k < last; ++k)
        if (value(&chosen[k], a) == value(&chosen[last], a) &&
            value(&chosen[k], b) == value(&chosen[last], b))
            return true;
    return false;
}

static size_t count_new(const ht_template *template, const drawn *chosen, size_t last) {
    size_t count = 0, params = template->param_count + 1;
    for (size_t i = 0; i < params; ++i)
        for (size_t j = i + 1; j < params; ++j) {
            count += !had_values(chosen, last, i, j);
            for (size_t l = j + 1; l < params; ++l) {
                count += !had(template, chosen, last, (size_t[]){i, j, l}, 3);
                for (size_t m = l + 1; m < params; ++m)
                    count += !had(template, chosen, last, (size_t[]){i, j, l, m}, 4);
            }
        }
    return count;
}

Test(pairs, a_configuration_has_as_many_new_ones_as_no_other_has_had) {
    bound b;
    bind_text(&b, source, NULL);
    const ht_template *template = &b.templates[0];
    drawn chosen[20];
    ht_random random;
    ht_random_seed(&random, 3);
    ht_pairs pairs;
    ht_pairs_init(&pairs, template);
    for (size_t n = 0; n < 20; ++n) {
        chosen[n] = (drawn){draw(template, &random), ht_random_below(&random, 2) == 1};
        cr_expect_eq(ht_pairs_new(&pairs, &chosen[n].config, chosen[n].inner),
                     count_new(template, chosen, n), "configuration %zu", n);
        ht_pairs_add(&pairs, &chosen[n].config, chosen[n].inner);
        cr_expect_eq(ht_pairs_new(&pairs, &chosen[n].config, chosen[n].inner), 0);
    }
    ht_pairs_free(&pairs);
    unbind(&b);
}
