/* Sizes at which a delivered file's launch goes another way: `h <= 65535 ? dim3(128, 1) : block`
 * launches the original's block from 65,536 rows on. Small sizes never get there. */
#include "runtime/verify/verify_fallback.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/job/job_memory.h"
#include "templates/bind.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 128 << 20, THREADS_MAX = 1 << 22, FIELDS_MAX = 16 };
static const int64_t value_max = INT64_C(1) << 32;

typedef struct search {
    const ht_template *template;
    const ht_device *device;
    const ht_verify_options *options;
    const ht_problem *known;
    size_t known_count;
    const ht_problem **sorted; /* the same, the largest first */
    const ht_problem *base;    /* one of them */
    bool any_size;             /* problems are not to be run */
    bool (*has)(void *context,
                const ht_problem *problem); /* asked in place of conditions; or NULL */
    void *context;
    char **conditions; /* looked at already, as text */
    size_t condition_count;
    ht_problem *items;
    size_t count;
    char *left_out;
} search;

static bool holds(const search *in, const ht_expr *condition, const ht_problem *problem,
                  bool *out_holds) {
    if (in->has) { /* there is no device then */
        *out_holds = in->has(in->context, problem);
        return true;
    }
    const ht_binding binding = {in->template, problem, &in->device->fields};
    const ht_config plain = ht_config_default(in->template);
    int64_t value;
    if (ht_binding_evaluate(&binding, &plain, condition, &value, NULL) != HT_OK)
        return false;
    *out_holds = value != 0;
    return true;
}

static bool is_skipped(const search *in, const ht_problem *problem) {
    return in->options && in->options->skipped &&
           in->options->skipped(in->options->context, problem);
}

static bool is_absent(const search *in, const ht_problem *problem) {
    return in->options && in->options->absent && in->options->absent(in->options->context, problem);
}

static void text_renew(const search *in, const ht_problem *problem, char **text) {
    free(*text);
    *text = ht_problem_string(&in->template->problem, problem);
}

/* Makes the base with another value of a field. */
static bool make(const search *in, size_t field, int64_t value, ht_problem *out) {
    const ht_problem_spec *spec = &in->template->problem;
    const ht_problem_value other = {spec->fields[field].name, value};
    return ht_problem_change(spec, in->base, &other, 1, out);
}

static bool holds_at(const search *in, const ht_expr *condition, size_t field, int64_t value,
                     bool *out_holds) {
    ht_problem problem;
    if (!make(in, field, value, &problem))
        return false;
    bool known = holds(in, condition, &problem, out_holds);
    ht_problem_free(&problem);
    return known;
}

/* Finds the least value of a field at which the condition is no longer what it is at the base's;
 * 0: none below 2^32. */
static int64_t turn_find(const search *in, const ht_expr *condition, size_t field, bool at_base) {
    int64_t low = 1, high;
    bool now = at_base;
    ht_problem_get(in->base, in->template->problem.fields[field].name, &low);
    for (high = low < 1 ? 1 : low; now == at_base; high *= 2) {
        if (high > value_max || !holds_at(in, condition, field, high, &now))
            return 0;
        if (now != at_base)
            break;
        low = high;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (!holds_at(in, condition, field, middle, &now))
            return 0;
        *(now == at_base ? &low : &high) = middle;
    }
    return high;
}

static bool fits(const search *in, const ht_problem *problem) {
    const ht_binding binding = {in->template, problem, &in->device->fields};
    const ht_config plain = ht_config_default(in->template);
    ht_geometry geometry;
    double threads = 1;
    if (ht_binding_geometry(&binding, &plain, in->template->reference_launches, &geometry, NULL) !=
        HT_OK)
        return false;
    for (int axis = 0; axis < 3; ++axis)
        threads *= (double)geometry.grid[axis] * geometry.block[axis];
    return threads <= THREADS_MAX &&
           ht_job_memory_check(&binding, in->device, BYTES_MAX, NULL) == HT_OK;
}

/* Adds the base with the last value of a field before a branch is taken, if it can be run: its grid
 * must be one that a device launches. */
static void edge_add(search *in, size_t field, int64_t value) {
    ht_problem problem;
    if (in->any_size || !make(in, field, value, &problem))
        return;
    if (is_skipped(in, &problem) || !fits(in, &problem)) {
        ht_problem_free(&problem);
        return;
    }
    HT_GROW(in->items, in->count);
    in->items[in->count++] = problem;
}

/* Adds the base with one field so large that the other branch is taken, if it can be run. */
static bool turn_add(search *in, const ht_expr *condition, bool at_base, char **out_too_large,
                     char **out_absent) {
    for (size_t i = 0; i < in->template->problem.field_count && i < FIELDS_MAX; ++i) {
        ht_problem problem;
        int64_t value = in->template->problem.fields[i].kind == HT_FIELD_DERIVED
                            ? 0
                            : turn_find(in, condition, i, at_base);
        if (value == 0 || !make(in, i, value, &problem))
            continue;
        bool skipped = is_skipped(in, &problem);
        if (!skipped && (in->any_size || fits(in, &problem))) {
            HT_GROW(in->items, in->count);
            in->items[in->count++] = problem;
            edge_add(in, i, value - 1);
            return true;
        }
        if (!skipped)
            text_renew(in, &problem, out_too_large);
        else if (is_absent(in, &problem))
            text_renew(in, &problem, out_absent);
        ht_problem_free(&problem);
    }
    return false;
}

/* Tries the largest of the known problems first: where blocks have several others next to them, a
 * wrong one shows. */
static void turns_add(search *in, const ht_expr *condition) {
    char *too_large = NULL, *absent = NULL;
    bool added = false, at_base = true;
    for (size_t i = 0; i < in->known_count && !added; ++i) {
        in->base = in->sorted[i];
        added = holds(in, condition, in->base, &at_base) &&
                turn_add(in, condition, at_base, &too_large, &absent);
    }
    if (!added && (too_large || absent) && !in->left_out) {
        char *text = ht_expr_string(condition);
        in->left_out =
            ht_format("what it launches where '%s' is %s was not run: sizes for that, such as %s, "
                      "are %s",
                      text, at_base ? "false" : "true", too_large ? too_large : absent,
                      too_large ? "too large to be run here" : "not those of the program");
        free(text);
    }
    free(too_large);
    free(absent);
}

static void on_condition(void *context, const ht_expr *condition) {
    search *in = context;
    char *text = ht_expr_string(condition);
    for (size_t i = 0; text && i < in->condition_count; ++i)
        if (strcmp(in->conditions[i], text) == 0) {
            free(text);
            return;
        }
    HT_GROW(in->conditions, in->condition_count);
    in->conditions[in->condition_count++] = text;
    bool seen[2] = {false, false}, now;
    for (size_t i = 0; i < in->known_count; ++i)
        if (!is_skipped(in, &in->known[i]) && holds(in, condition, &in->known[i], &now))
            seen[now] = true;
    if (seen[0] != seen[1])
        turns_add(in, condition);
}

static double size_of(const ht_problem *problem) {
    double size = 1;
    for (size_t i = 0; i < problem->value_count; ++i)
        size *= problem->values[i].value > 1 ? (double)problem->values[i].value : 1;
    return size;
}

static int by_size(const void *a, const void *b) {
    double first = size_of(*(const ht_problem *const *)a),
           second = size_of(*(const ht_problem *const *)b);
    return first < second ? 1 : first > second ? -1 : 0;
}

static void search_launch(search *in) {
    const ht_template *template = in->template;
    bool launched = in->known_count && template->launch_count && template->reference_launch_count;
    in->sorted = ht_alloc(in->known_count + 1, sizeof *in->sorted);
    for (size_t i = 0; i < in->known_count; ++i)
        in->sorted[i] = &in->known[i];
    qsort(in->sorted, in->known_count, sizeof *in->sorted, by_size);
    for (int axis = 0; launched && axis < 3; ++axis) {
        ht_expr_choices(template->launches[0].block[axis], on_condition, in);
        ht_expr_choices(template->launches[0].grid[axis], on_condition, in);
    }
    ht_strings_free(in->conditions, in->condition_count);
    free(in->sorted);
}

void ht_verify_fallbacks(const ht_template *template, const ht_device *device,
                         const ht_problem *known, size_t known_count,
                         const ht_verify_options *options, ht_problem **out_problems,
                         size_t *out_count, char **out_left_out) {
    search in = {.template = template,
                 .device = device,
                 .options = options,
                 .known = known,
                 .known_count = known_count};
    search_launch(&in);
    *out_problems = in.items;
    *out_count = in.count;
    *out_left_out = in.left_out;
}

void ht_verify_turns(const ht_template *template, const ht_device *device,
                     const ht_problem *problem, ht_problem **out_problems, size_t *out_count) {
    search in = {.template = template,
                 .device = device,
                 .known = problem,
                 .known_count = 1,
                 .any_size = true};
    search_launch(&in);
    *out_problems = in.items;
    *out_count = in.count;
}

void ht_verify_turns_of(const ht_template *template, const ht_problem *problem,
                        bool (*has)(void *context, const ht_problem *problem), void *context,
                        ht_problem **out_problems, size_t *out_count) {
    search in = {.template = template, .base = problem, .has = has, .context = context};
    bool at_base = has(context, problem);
    for (size_t i = 0; i < template->problem.field_count && i < FIELDS_MAX; ++i) {
        ht_problem turned;
        int64_t value = template->problem.fields[i].kind == HT_FIELD_DERIVED
                            ? 0
                            : turn_find(&in, NULL, i, at_base);
        if (value == 0 || !make(&in, i, value, &turned))
            continue;
        HT_GROW(in.items, in.count);
        in.items[in.count++] = turned;
    }
    *out_problems = in.items;
    *out_count = in.count;
}
