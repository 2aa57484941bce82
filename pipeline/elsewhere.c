#include "pipeline/elsewhere.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/verify/verify.h"

#include <stdlib.h>

enum { OTHERS = 3, ALONE_MAX = 4 /* sizes that are changed alone */ };

typedef struct timing {
    const ht_session *session;
    const ht_template *template;
    const ht_config *winner;
    ht_elsewhere *out;
} timing;

static int64_t changed(int64_t value, size_t which) {
    if (value < HT_EXTENT_MIN)
        return value;
    return which == 0 ? value / 2 : which == 1 ? value + value / 2 : value - 1;
}

/* Makes the problem with its extents changed, or with one of them. Returns false if none is, or
 * there is no such problem. `alone`: the field's index; SIZE_MAX: all. */
static bool problem_make(const ht_problem_spec *spec, const ht_problem *problem, size_t which,
                         size_t alone, ht_problem *out) {
    ht_problem_value *values = ht_alloc(spec->field_count + 1, sizeof *values);
    size_t count = 0;
    bool other = false;
    for (size_t i = 0; i < spec->field_count; ++i) {
        int64_t value = 0;
        if (spec->fields[i].kind == HT_FIELD_DERIVED ||
            !ht_problem_get(problem, spec->fields[i].name, &value))
            continue;
        int64_t now = alone == SIZE_MAX || alone == i ? changed(value, which) : value;
        values[count++] = (ht_problem_value){spec->fields[i].name, now};
        other = other || now != value;
    }
    bool made =
        other && ht_problem_make(spec, "", values, count, (ht_place){0}, out, NULL) == HT_OK;
    free(values);
    return made;
}

size_t ht_elsewhere_problems(const ht_problem_spec *spec, const ht_problem *problem,
                             ht_problem **out_problems) {
    size_t count = 0;
    *out_problems = ht_alloc(OTHERS, sizeof **out_problems);
    for (size_t i = 0; i < OTHERS; ++i)
        count += problem_make(spec, problem, i, SIZE_MAX, &(*out_problems)[count]);
    return count;
}

static void size_add(ht_elsewhere *out, const ht_problem_spec *spec, const ht_problem *problem,
                     const ht_pair_times *times) {
    HT_GROW(out->items, out->count);
    ht_elsewhere_size *item = &out->items[out->count++];
    *item = (ht_elsewhere_size){.fields = ht_problem_string(spec, problem),
                                .speedup = ht_gain_of(times),
                                .slower = times->speedup_hi < out->least};
    ht_problem_copy(problem, &item->problem);
    out->slower_count += item->slower;
}

/* Times one size. *out_slower: it is slower there. */
static ht_status size_time(const timing *in, const ht_problem *problem, bool *out_slower,
                           ht_error *error) {
    const ht_binding binding = {in->template, problem, &in->session->device.fields};
    ht_pair_times times = {0};
    bool legal = false;
    char *why = NULL;
    ht_status status = ht_binding_legal(&binding, in->winner, &legal, &why, NULL);
    free(why);
    *out_slower = false;
    if (status != HT_OK || !legal)
        return HT_OK;
    status = ht_paired_time(in->session, &binding, in->winner, &times, error);
    if (status == HT_OK && times.known) {
        size_add(in->out, &in->template->problem, problem, &times);
        *out_slower = in->out->items[in->out->count - 1].slower;
    }
    return status;
}

/* Times the sizes that have one extent changed, if several are. */
static ht_status alone_time(const timing *in, const ht_problem *tuned, size_t which,
                            ht_error *error) {
    const ht_problem_spec *spec = &in->template->problem;
    ht_problem *problems = ht_alloc(spec->field_count + 1, sizeof *problems);
    size_t count = 0;
    ht_status status = HT_OK;
    bool slower;
    for (size_t i = 0; i < spec->field_count; ++i)
        count += problem_make(spec, tuned, which, i, &problems[count]);
    for (size_t i = 0; i < count && count > 1 && i < ALONE_MAX && status == HT_OK; ++i)
        status = size_time(in, &problems[i], &slower, error);
    for (size_t i = 0; i < count; ++i)
        ht_problem_free(&problems[i]);
    free(problems);
    return status;
}

ht_status ht_elsewhere_time(const ht_session *session, const ht_template *template,
                            const ht_config *winner, const ht_problem *problem, double least,
                            ht_elsewhere *out_elsewhere, ht_error *error) {
    const timing in = {session, template, winner, out_elsewhere};
    ht_status status = HT_OK;
    *out_elsewhere = (ht_elsewhere){.least = least};
    for (size_t i = 0; template->problem.name && i < OTHERS && status == HT_OK; ++i) {
        ht_problem other;
        bool slower = false;
        if (!problem_make(&template->problem, problem, i, SIZE_MAX, &other))
            continue;
        status = size_time(&in, &other, &slower, error);
        ht_problem_free(&other);
        if (status == HT_OK && slower)
            status = alone_time(&in, problem, i, error);
    }
    return status;
}

void ht_elsewhere_free(ht_elsewhere *elsewhere) {
    for (size_t i = 0; i < elsewhere->count; ++i) {
        ht_problem_free(&elsewhere->items[i].problem);
        free(elsewhere->items[i].fields);
    }
    free(elsewhere->items);
    free(elsewhere->refused);
    *elsewhere = (ht_elsewhere){0};
}

void ht_elsewhere_samples(const ht_elsewhere *elsewhere, const ht_problem *tuned,
                          ht_size_samples *out_samples) {
    ht_problem *kept = ht_alloc(elsewhere->count + 1, sizeof *kept);
    ht_problem *lost = ht_alloc(elsewhere->count + 1, sizeof *lost);
    *out_samples = (ht_size_samples){.kept = kept, .lost = lost};
    kept[out_samples->kept_count++] = *tuned;
    for (size_t i = 0; i < elsewhere->count; ++i) {
        const ht_elsewhere_size *item = &elsewhere->items[i];
        if (item->slower)
            lost[out_samples->lost_count++] = item->problem;
        else
            kept[out_samples->kept_count++] = item->problem;
    }
}

void ht_elsewhere_samples_free(ht_size_samples *samples) {
    free((ht_problem *)(size_t)samples->kept);
    free((ht_problem *)(size_t)samples->lost);
    *samples = (ht_size_samples){0};
}

char *ht_elsewhere_slower(const ht_elsewhere *elsewhere) {
    ht_text text = {0};
    for (size_t i = 0; i < elsewhere->count; ++i) {
        const ht_elsewhere_size *item = &elsewhere->items[i];
        if (item->slower)
            ht_text_printf(&text, "%s%s: %.3fx [%.3f, %.3f]", text.length ? "; " : "", item->fields,
                           item->speedup.ratio, item->speedup.lo, item->speedup.hi);
    }
    return text.length ? ht_text_take(&text) : NULL;
}

json_t *ht_elsewhere_json(const ht_elsewhere *elsewhere) {
    json_t *rows = json_array();
    for (size_t i = 0; i < elsewhere->count; ++i) {
        const ht_elsewhere_size *item = &elsewhere->items[i];
        json_array_append_new(rows, json_pack("{s:s, s:[f, f, f], s:b}", "problem", item->fields,
                                              "speedup", item->speedup.ratio, item->speedup.lo,
                                              item->speedup.hi, "original",
                                              elsewhere->dispatched && item->slower));
    }
    return rows;
}
