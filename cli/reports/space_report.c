#include "cli/reports/space_report.h"

#include "base/memory.h"
#include "cli/reports/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_SHOWN = 16 };

void ht_space_count_print(const ht_space *space, FILE *out) {
    uint64_t count = ht_space_count(space);
    if (count == UINT64_MAX)
        fprintf(out, "unknown\n");
    else
        fprintf(out, "%" PRIu64 "\n", count);
}

bool ht_space_config_print(const ht_space *space, const ht_config *config, FILE *out) {
    size_t count = ht_space_dimension_count(space);
    for (size_t i = 0; i < count; ++i) {
        const ht_dimension *dimension = ht_space_dimension(space, i);
        const char *value = dimension->texts[config->choice[i]];
        const char *quote = strpbrk(value, " ,") || !*value ? "\"" : "";
        fprintf(out, "%s%s=%s%s%s", i ? " " : "", dimension->name, quote, value, quote);
    }
    return fputc('\n', out) != EOF;
}

/* Returns "16, 32, 64, ... 256". */
static char *values_text(const ht_dimension *dimension) {
    ht_text text = {0};
    for (size_t v = 0; v < dimension->value_count; ++v) {
        bool skipped = v >= VALUES_SHOWN - 1 && v + 1 < dimension->value_count;
        if (skipped && v > VALUES_SHOWN - 1)
            continue;
        ht_text_printf(&text, "%s%s", v ? ", " : "", skipped ? "..." : dimension->texts[v]);
    }
    return ht_text_take(&text);
}

static void parameters_print(const ht_space *space, FILE *out) {
    ht_table *table =
        ht_table_new("lrlt", (const char *const[]){"parameter", "count", "default", "values"});
    for (size_t i = 0; i < ht_space_dimension_count(space); ++i) {
        const ht_dimension *dimension = ht_space_dimension(space, i);
        char *count = ht_format("%zu", dimension->value_count), *values = values_text(dimension);
        ht_table_row(table,
                     (const char *const[]){dimension->name, count,
                                           dimension->texts[dimension->default_index], values});
        free(count);
        free(values);
    }
    ht_table_finish(table, out, 2);
}

static void number_print(FILE *out, const char *name, uint64_t number, const char *beyond) {
    if (number == UINT64_MAX)
        fprintf(out, "  %-14s %s\n", name, beyond);
    else
        fprintf(out, "  %-14s %" PRIu64 "\n", name, number);
}

/* Returns the combinations as a real, also where they do not fit 64 bits. */
static double combinations(const ht_space *space) {
    double product = 1;
    for (size_t i = 0; i < ht_space_dimension_count(space); ++i)
        product *= (double)ht_space_dimension(space, i)->value_count;
    return product;
}

void ht_space_summary_print(const ht_space *space, const char *path, const ht_binding *binding,
                            FILE *out) {
    uint64_t legal = ht_space_count(space);
    fprintf(out, "%s", path);
    if (binding)
        fprintf(out, ": %s", binding->template->name);
    if (binding && binding->problem && binding->problem->name)
        fprintf(out, " (%s)", binding->problem->name);
    fprintf(out, "\n");
    parameters_print(space, out);
    if (ht_space_constraint_count(space))
        fprintf(out, "  constraints\n");
    for (size_t i = 0; i < ht_space_constraint_count(space); ++i)
        fprintf(out, "    %s\n", ht_space_constraint_text(space, i));
    if (ht_space_default_breaks(space))
        fprintf(out, "  %-14s not legal: %s does not hold; nothing begins with them\n", "defaults",
                ht_space_default_breaks(space));
    number_print(out, "combinations", ht_space_cartesian(space), "more than 2^64");
    number_print(out, "legal", legal, "not known: too many to count; --sample draws some");
    if (legal != UINT64_MAX)
        fprintf(out, "  %-14s %.3g %%\n", "share", 100.0 * (double)legal / combinations(space));
    if (!ht_space_listed(space))
        fprintf(out, "  too large to be listed\n");
}

static json_t *value_json(const ht_dimension *dimension, size_t value) {
    double number = dimension->numbers[value];
    if (dimension->kind == HT_PARAM_BOOLEAN)
        return json_boolean(number != 0);
    if (dimension->kind != HT_PARAM_INTEGER)
        return ht_report_json_text(dimension->texts[value]);
    char *end;
    long long whole = strtoll(dimension->texts[value], &end, 10); /* exact beyond 2^53 too */
    return *end ? json_real(number) : json_integer(whole);
}

json_t *ht_space_config_json(const ht_space *space, const ht_config *config) {
    json_t *object = json_object();
    for (size_t i = 0; i < ht_space_dimension_count(space); ++i) {
        const ht_dimension *dimension = ht_space_dimension(space, i);
        json_object_set_new(object, dimension->name, value_json(dimension, config->choice[i]));
    }
    return object;
}

static const char *kind_name(ht_param_kind kind) {
    static const char *const names[] = {[HT_PARAM_INTEGER] = "number",
                                        [HT_PARAM_BOOLEAN] = "boolean",
                                        [HT_PARAM_ENUMERATION] = "enumeration",
                                        [HT_PARAM_TYPE] = "type"};
    return names[kind];
}

static json_t *parameters_json(const ht_space *space) {
    json_t *parameters = json_array();
    for (size_t i = 0; i < ht_space_dimension_count(space); ++i) {
        const ht_dimension *dimension = ht_space_dimension(space, i);
        json_t *values = json_array();
        for (size_t v = 0; v < dimension->value_count; ++v)
            json_array_append_new(values, value_json(dimension, v));
        json_array_append_new(parameters,
                              json_pack("{s:s, s:s, s:o, s:o}", "name", dimension->name, "kind",
                                        kind_name(dimension->kind), "values", values, "default",
                                        value_json(dimension, dimension->default_index)));
    }
    return parameters;
}

static json_t *count_json(uint64_t count) {
    return count > INT64_MAX ? json_null() : json_integer((json_int_t)count);
}

json_t *ht_space_json(const ht_space *space, const char *path, const ht_binding *binding) {
    uint64_t legal = ht_space_count(space);
    json_t *constraints = json_array(), *terms = json_array();
    for (size_t i = 0; i < ht_space_constraint_count(space); ++i)
        json_array_append_new(constraints, ht_report_json_text(ht_space_constraint_text(space, i)));
    for (size_t i = 0; i < ht_space_term_count(space); ++i)
        json_array_append_new(terms, ht_report_json_text(ht_space_term_text(space, i)));
    const ht_problem *problem = binding ? binding->problem : NULL;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "file",
        ht_report_json_text(path), "kernel",
        ht_report_json_text(binding ? binding->template->name : NULL), "problem",
        ht_report_json_text(problem ? problem->name : NULL), "parameters", parameters_json(space),
        "constraints", constraints, "default_breaks",
        ht_report_json_text(ht_space_default_breaks(space)), "terms", terms, "combinations",
        count_json(ht_space_cartesian(space)), "legal", count_json(legal), "share",
        legal == UINT64_MAX ? json_null() : json_real((double)legal / combinations(space)),
        "listed", ht_space_listed(space));
}
