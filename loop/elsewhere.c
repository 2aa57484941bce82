#include "loop/elsewhere.h"

#include "base/memory.h"
#include "base/text.h"
#include "loop/deliver.h"
#include "runtime/verify/verify.h"

#include <stdlib.h>

enum { OTHERS = 3 };

static int64_t changed(int64_t value, size_t which) {
    if (value < HT_EXTENT_MIN)
        return value;
    return which == 0 ? value / 2 : which == 1 ? value + value / 2 : value - 1;
}

/* Makes the problem with its extents changed; false: there is none. */
static bool problem_make(const ht_problem_spec *spec, const ht_problem *problem, size_t which,
                         ht_problem *out) {
    ht_problem_value *values = ht_alloc(spec->field_count + 1, sizeof *values);
    size_t count = 0;
    bool other = false;
    for (size_t i = 0; i < spec->field_count; ++i) {
        int64_t value = 0;
        if (spec->fields[i].kind == HT_FIELD_DERIVED ||
            !ht_problem_get(problem, spec->fields[i].name, &value))
            continue;
        values[count++] = (ht_problem_value){spec->fields[i].name, changed(value, which)};
        other = other || changed(value, which) != value;
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
        count += problem_make(spec, problem, i, &(*out_problems)[count]);
    return count;
}

static void row_add(ht_elsewhere *out, const char *fields, const ht_gain_interval *speedup,
                    double least) {
    json_array_append_new(out->rows, json_pack("{s:s, s:[f, f, f]}", "problem", fields, "speedup",
                                               speedup->ratio, speedup->lo, speedup->hi));
    if (speedup->hi >= least)
        return;
    char *before = out->slower;
    out->slower = ht_format("%s%s%s: %.3fx [%.3f, %.3f]", before ? before : "", before ? "; " : "",
                            fields, speedup->ratio, speedup->lo, speedup->hi);
    free(before);
}

static ht_status size_time(const ht_session *session, const ht_template *template,
                           const ht_config *winner, const ht_problem *problem, double least,
                           ht_elsewhere *out, ht_error *error) {
    const ht_binding binding = {template, problem, &session->device.fields};
    ht_gain_interval speedup = {0};
    bool legal = false;
    char *why = NULL;
    ht_status status = ht_binding_legal(&binding, winner, &legal, &why, NULL);
    free(why);
    if (status != HT_OK || !legal)
        return HT_OK;
    status = ht_deliver_timed(session, &binding, winner, &speedup, error);
    if (status == HT_OK && speedup.ratio > 0) {
        char *fields = ht_problem_string(&template->problem, problem);
        row_add(out, fields, &speedup, least);
        free(fields);
    }
    return status;
}

ht_status ht_elsewhere_time(const ht_session *session, const ht_template *template,
                            const ht_config *winner, const ht_problem *problem, double least,
                            ht_elsewhere *out_elsewhere, ht_error *error) {
    ht_problem *others = NULL;
    size_t count =
        template->problem.name ? ht_elsewhere_problems(&template->problem, problem, &others) : 0;
    ht_status status = HT_OK;
    *out_elsewhere = (ht_elsewhere){.rows = json_array()};
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        status = size_time(session, template, winner, &others[i], least, out_elsewhere, error);
    for (size_t i = 0; i < count; ++i)
        ht_problem_free(&others[i]);
    free(others);
    return status;
}

void ht_elsewhere_free(ht_elsewhere *elsewhere) {
    json_decref(elsewhere->rows);
    free(elsewhere->slower);
    *elsewhere = (ht_elsewhere){0};
}
