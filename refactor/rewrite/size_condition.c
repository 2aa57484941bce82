#include "refactor/rewrite/size_condition.h"

#include "base/memory.h"
#include "base/text.h"
#include "templates/bind.h"

#include <stdlib.h>

enum { MULTIPLE_MAX = 64 /* no block or vector asks for more */ };

typedef enum comparison { AT_LEAST, AT_MOST, MULTIPLE } comparison;

/* Numbers that are known at every sample, with their values. */
typedef struct samples {
    const ht_host_number *numbers; /* borrowed */
    int64_t **kept, **lost;        /* by number; NULL: it is not known; owned */
    size_t count, kept_count, lost_count;
    bool *out; /* by lost sample: a comparison chosen so far is false there; owned */
} samples;

static int64_t *values_of(const ht_template *template, const ht_expr *value,
                          const ht_problem *problems, size_t count) {
    const ht_config plain = ht_config_default(template);
    int64_t *values = ht_alloc(count + 1, sizeof *values);
    bool known = true;
    for (size_t i = 0; i < count && known; ++i) {
        const ht_binding binding = {template, &problems[i], NULL};
        known = ht_binding_evaluate(&binding, &plain, value, &values[i], NULL) == HT_OK &&
                values[i] >= 0;
    }
    if (known)
        return values;
    free(values);
    return NULL;
}

/* Returns the constant of a comparison that holds at the first `kept` of the samples kept; 0: there
 * is none. */
static int64_t bound_of(const samples *in, size_t number, comparison kind, size_t kept) {
    const int64_t *values = in->kept[number];
    int64_t bound = kind == MULTIPLE ? MULTIPLE_MAX : values[0];
    for (size_t i = 0; i < kept; ++i) {
        if (kind == AT_LEAST)
            bound = values[i] < bound ? values[i] : bound;
        else if (kind == AT_MOST)
            bound = values[i] > bound ? values[i] : bound;
        while (kind == MULTIPLE && bound > 1 && values[i] % bound != 0)
            bound /= 2;
    }
    return kind == MULTIPLE && bound == 1 ? 0 : bound;
}

static bool holds(comparison kind, int64_t value, int64_t bound) {
    return kind == AT_LEAST  ? value >= bound
           : kind == AT_MOST ? value <= bound
                             : value % bound == 0;
}

/* Returns how many further samples the comparison rules out; `mark`: and notes them. */
static size_t ruled_out(samples *in, size_t number, comparison kind, int64_t bound, bool mark) {
    size_t count = 0;
    for (size_t i = 0; i < in->lost_count; ++i) {
        bool further = !in->out[i] && !holds(kind, in->lost[number][i], bound);
        count += further;
        in->out[i] = in->out[i] || (mark && further);
    }
    return count;
}

/* Returns true if smaller and larger values are ruled out, and one is left. */
static bool is_one_value(samples *in, size_t number, size_t kept) {
    int64_t low = bound_of(in, number, AT_LEAST, kept), high = bound_of(in, number, AT_MOST, kept);
    return low == high && ruled_out(in, number, AT_LEAST, low, false) &&
           ruled_out(in, number, AT_MOST, high, false);
}

/* Appends the comparison, of those from `first` to `last`, that rules out the most of what is left.
 * Returns false if none does. */
static bool comparison_add(samples *in, comparison first, comparison last, size_t kept,
                           ht_text *out) {
    static const char *const words[][2] = {{">=", ""}, {"<=", ""}, {"%", " == 0"}};
    size_t most = 0, number = 0;
    comparison chosen = AT_LEAST;
    for (size_t i = 0; i < in->count; ++i)
        for (int kind = (int)first; kind <= (int)last && in->kept[i] && in->lost[i]; ++kind) {
            int64_t bound = bound_of(in, i, (comparison)kind, kept);
            size_t count = bound ? ruled_out(in, i, (comparison)kind, bound, false) : 0;
            if (count <= most)
                continue;
            most = count;
            number = i;
            chosen = (comparison)kind;
        }
    if (most == 0)
        return false;
    int64_t bound = bound_of(in, number, chosen, kept);
    ht_text_append(out, out->length ? " && " : "");
    if (chosen != MULTIPLE && is_one_value(in, number, kept)) {
        ruled_out(in, number, AT_LEAST, bound, true);
        ruled_out(in, number, AT_MOST, bound, true);
        ht_text_printf(out, "%s == %lld", in->numbers[number].text, (long long)bound);
        return true;
    }
    ruled_out(in, number, chosen, bound, true);
    ht_text_printf(out, "%s %s %lld%s", in->numbers[number].text, words[chosen][0],
                   (long long)bound, words[chosen][1]);
    return true;
}

static bool all_out(const samples *in) {
    bool all = true;
    for (size_t i = 0; i < in->lost_count; ++i)
        all = all && in->out[i];
    return all;
}

static void values_free(int64_t **values, size_t count) {
    for (size_t i = 0; i < count; ++i)
        free(values[i]);
    free(values);
}

char *ht_size_condition(const ht_template *template, const ht_host_number *numbers, size_t count,
                        const ht_size_samples *of) {
    samples in = {.numbers = numbers,
                  .kept = ht_alloc(count + 1, sizeof *in.kept),
                  .lost = ht_alloc(count + 1, sizeof *in.lost),
                  .count = count,
                  .kept_count = of->kept_count,
                  .lost_count = of->lost_count,
                  .out = ht_alloc(of->lost_count + 1, sizeof *in.out)};
    ht_text text = {0};
    for (size_t i = 0; i < count; ++i) {
        in.kept[i] = values_of(template, numbers[i].value, of->kept, of->kept_count);
        in.lost[i] = values_of(template, numbers[i].value, of->lost, of->lost_count);
    }
    /* sizes in an order say more than multiples do; where the tuned one is faster in between sizes
     * at which it is slower, the one that it was tuned for is left */
    for (size_t kept = in.kept_count;; kept = 1) {
        while (!all_out(&in) && comparison_add(&in, AT_LEAST, AT_MOST, kept, &text))
            ;
        while (!all_out(&in) && comparison_add(&in, MULTIPLE, MULTIPLE, kept, &text))
            ;
        if (kept == 1)
            break;
    }
    bool good = text.length > 0 && all_out(&in);
    values_free(in.kept, count);
    values_free(in.lost, count);
    free(in.out);
    if (good)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}
