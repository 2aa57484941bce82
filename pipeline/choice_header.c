#include "pipeline/choice_header.h"

#include "base/memory.h"
#include "templates/annotations/template_names.h"
#include "templates/expr/expr_checked.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    const ht_choice_table *table;
    const ht_template *template;
    ht_checked_naming naming;
    bool derived; /* in the formula of a derived field: names are those of fields */
    ht_text out;
} writer;

char *ht_choice_name(const ht_template *template) {
    char *copy = ht_strdup(template->name);
    for (char *at = copy; *at; ++at)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return copy;
}

static ht_config config_of(const ht_choice_table *table, size_t row) {
    return row < table->count ? table->rows[row].config : ht_config_default(table->template);
}

ht_config *ht_choice_configs(const ht_choice_table *table, size_t *out_count) {
    ht_config *configs = ht_alloc(table->count + 1, sizeof *configs);
    *out_count = 0;
    for (size_t row = 0; row <= table->count; ++row) {
        ht_config config = config_of(table, row);
        size_t i = 0;
        while (i < *out_count && !ht_config_equal(&configs[i], &config))
            ++i;
        if (i == *out_count)
            configs[(*out_count)++] = config;
    }
    return configs;
}

size_t ht_choice_index(const ht_choice_table *table, size_t row) {
    size_t count, i = 0;
    ht_config *configs = ht_choice_configs(table, &count), config = config_of(table, row);
    while (i < count && !ht_config_equal(&configs[i], &config))
        ++i;
    free(configs);
    return i;
}

/* ---- names */

/* Appends the identifier of an argument: fields of structures, "p.n", are numbered. */
static void argument_write(const writer *w, const ht_arg *arg, ht_text *out) {
    bool plain = true;
    for (const char *c = arg->name; *c; ++c)
        plain = plain && (isalnum((unsigned char)*c) || *c == '_');
    if (plain)
        ht_text_printf(out, "argument_%s", arg->name);
    else
        ht_text_printf(out, "argument_%zu", (size_t)(arg - w->template->args));
}

/* In the evaluator's order: parameters, arguments, enumerators. */
static void name_write(void *context, const char *name, ht_text *out) {
    const writer *w = context;
    const ht_arg *arg = ht_template_arg(w->template, name);
    int64_t ordinal;
    if (w->derived)
        ht_text_printf(out, "problem_%s", name);
    else if (strncmp(name, "problem.", 8) == 0)
        ht_text_printf(out, "problem_%s", name + 8);
    else if (strncmp(name, "device.", 7) == 0)
        ht_text_printf(out, "number(device.%s)", name + 7);
    else if (ht_template_param(w->template, name))
        ht_text_printf(out, "parameter_%s", name);
    else if (arg && ht_arg_is_name(arg))
        argument_write(w, arg, out);
    else if (ht_template_enumerator(w->template, name, &ordinal))
        ht_text_printf(out, "number(%" PRId64 ")", ordinal);
    else
        ht_text_append(out, "nothing()");
}

/* Appends the size of a type parameter's value, or of the type. */
static void size_write(void *context, const char *type, ht_text *out) {
    const writer *w = context;
    const ht_param *param = ht_template_param(w->template, type);
    if (!param || param->kind != HT_PARAM_TYPE) {
        size_t size = ht_type_size(type);
        if (size)
            ht_text_printf(out, "number(%zu)", size);
        else
            ht_text_append(out, "nothing()");
        return;
    }
    for (size_t i = 0; i < param->value_count; ++i) {
        size_t size = ht_type_size(param->values[i].text);
        ht_text_printf(out, "%sparameter_%s.n == %" PRId64 " ? number(%zu, %s) : ", i ? "" : "(",
                       param->name, param->values[i].number, size, size ? "true" : "false");
    }
    ht_text_append(out, "nothing())");
}

static void expr_write(writer *w, const ht_expr *expr) {
    ht_expr_print_checked(expr, &w->naming, &w->out);
}

/* ---- sizes */

static void problem_write(writer *w) {
    const ht_problem_spec *spec = &w->template->problem;
    ht_text_append(&w->out, "// Sizes; those that were tuned for first stand as defaults.\n"
                            "struct problem_fields {\n");
    for (size_t i = 0; i < spec->field_count; ++i) {
        const ht_field *field = &spec->fields[i];
        int64_t value = 0;
        ht_problem_get(&w->table->rows[0].problem, field->name, &value);
        ht_text_printf(&w->out, "    long long %s = %" PRId64 ";%s\n", field->name, value,
                       field->kind == HT_FIELD_DERIVED ? " // derived by complete()" : "");
    }
    ht_text_append(&w->out, "};\n\n// The same of any structure that has these members.\n"
                            "template <typename T> problem_fields fields_from(const T &other) {\n"
                            "    problem_fields problem;\n    (void)other;\n");
    for (size_t i = 0; i < spec->field_count; ++i)
        if (spec->fields[i].kind != HT_FIELD_DERIVED)
            ht_text_printf(&w->out, "    problem.%s = other.%s;\n", spec->fields[i].name,
                           spec->fields[i].name);
    ht_text_append(&w->out, "    return problem;\n}\n\n");
}

static void sizes_read_write(writer *w, bool derived_too) {
    const ht_problem_spec *spec = &w->template->problem;
    for (size_t i = 0; i < spec->field_count; ++i)
        if (derived_too || spec->fields[i].kind != HT_FIELD_DERIVED)
            ht_text_printf(&w->out, "    [[maybe_unused]] const number problem_%s = problem.%s;\n",
                           spec->fields[i].name, spec->fields[i].name);
}

static void conditions_write(writer *w) {
    char *text = ht_problem_builtin_conditions(w->template->problem.name);
    ht_expr *expr = NULL;
    if (text && w->template->problem.builtin &&
        ht_expr_parse(text, (ht_place){0}, &expr, NULL) == HT_OK) {
        ht_text_append(&w->out, "    if (!");
        expr_write(w, expr);
        ht_text_append(&w->out, ".holds())\n        return false;\n");
        ht_expr_free(expr);
    }
    free(text);
}

static void complete_write(writer *w) {
    const ht_problem_spec *spec = &w->template->problem;
    ht_text_append(&w->out, "// Derives sizes from the others. Returns false if they are not those "
                            "of a problem.\n"
                            "inline bool complete(problem_fields &problem) {\n"
                            "    (void)problem;\n");
    sizes_read_write(w, false);
    w->derived = true;
    for (size_t i = 0; i < spec->field_count; ++i) {
        const ht_field *field = &spec->fields[i];
        if (field->kind != HT_FIELD_DERIVED)
            continue;
        ht_text_printf(&w->out, "    const number problem_%s = ", field->name);
        expr_write(w, field->expr);
        ht_text_printf(&w->out,
                       ";\n    if (!problem_%s.good)\n        return false;\n"
                       "    problem.%s = problem_%s.n;\n",
                       field->name, field->name, field->name);
    }
    conditions_write(w);
    w->derived = false;
    ht_text_append(&w->out, "    return true;\n}\n\n");
}

static void device_write(writer *w) {
    ht_text_append(&w->out, "// The device that was tuned on.\nstruct device_fields {\n");
#define FIELD(name)                                                                                \
    ht_text_printf(&w->out, "    long long " #name " = %" PRId64 ";\n", w->table->device->name);
    HT_DEVICE_FIELDS(FIELD)
#undef FIELD
    ht_text_append(&w->out, "};\n\n");
}

/* ---- tables */

static void configurations_write(writer *w) {
    size_t count, columns = w->template->param_count;
    ht_config *configs = ht_choice_configs(w->table, &count);
    ht_text_printf(&w->out,
                   "enum { none = -1, configuration_count = %zu, default_configuration = %zu };\n\n"
                   "// Values of parameters; of enumerations and types their places in the lists.\n"
                   "const long long configurations[][%zu] = {\n",
                   count, ht_choice_index(w->table, w->table->count), columns ? columns : 1);
    for (size_t i = 0; i < count; ++i) {
        char *text = ht_config_string(w->template, &configs[i]);
        ht_text_append(&w->out, "    {");
        for (size_t p = 0; p < columns; ++p)
            ht_text_printf(&w->out, "%s%" PRId64, p ? ", " : "",
                           w->template->params[p].values[configs[i].choice[p]].number);
        ht_text_printf(&w->out, "%s}, // %zu: %s\n", columns ? "" : "0", i, text);
        free(text);
    }
    ht_text_append(&w->out, "};\n\n");
    free(configs);
}

static void tuned_write(writer *w) {
    const ht_problem_spec *spec = &w->template->problem;
    size_t columns = 0;
    for (size_t i = 0; i < spec->field_count; ++i)
        columns += spec->fields[i].kind != HT_FIELD_DERIVED;
    ht_text_printf(&w->out,
                   "enum { size_count = %zu, tuned_count = %zu };\n\n"
                   "// Sizes that were tuned for, and the configuration that was fastest.\n"
                   "const long long tuned[][size_count + 1] = {\n",
                   columns, w->table->count);
    for (size_t row = 0; row < w->table->count; ++row) {
        ht_text_append(&w->out, "    {");
        for (size_t i = 0; i < spec->field_count; ++i) {
            int64_t value = 0;
            if (spec->fields[i].kind == HT_FIELD_DERIVED)
                continue;
            ht_problem_get(&w->table->rows[row].problem, spec->fields[i].name, &value);
            ht_text_printf(&w->out, "%" PRId64 ", ", value);
        }
        ht_text_printf(&w->out, "%zu}, // %s\n", ht_choice_index(w->table, row),
                       w->table->rows[row].remark ? w->table->rows[row].remark : "");
    }
    ht_text_append(&w->out, "};\n\n");
}

/* ---- what is legal */

static void scalars_write(writer *w) {
    for (size_t i = 0; i < w->template->arg_count; ++i) {
        const ht_arg *arg = &w->template->args[i];
        if (!ht_arg_is_name(arg))
            continue;
        ht_text_append(&w->out, "    [[maybe_unused]] const number ");
        argument_write(w, arg, &w->out);
        ht_text_append(&w->out, " = ");
        expr_write(w, arg->values[0]);
        ht_text_append(&w->out, ";\n");
    }
}

static void extents_write(writer *w) {
    for (size_t i = 0; i < w->template->arg_count; ++i) {
        const ht_arg *arg = &w->template->args[i];
        if (!arg->extent)
            continue;
        ht_text_printf(&w->out, "    if (!is_extent(");
        expr_write(w, arg->extent);
        ht_text_append(&w->out, ", ");
        size_write(w, arg->type, &w->out);
        ht_text_printf(&w->out, ")) // of %s\n        return false;\n", arg->name);
    }
}

static void axes_write(writer *w, ht_expr *const axes[3]) {
    for (size_t i = 0; i < 3; ++i) {
        ht_text_append(&w->out, i ? ", " : "{");
        if (axes[i])
            expr_write(w, axes[i]);
        else
            ht_text_append(&w->out, "number(1)");
    }
    ht_text_append(&w->out, "}");
}

static void launches_write(writer *w) {
    for (size_t i = 0; i < w->template->launch_count; ++i) {
        const ht_launch *launch = &w->template->launches[i];
        ht_text_printf(&w->out, "    const number block_%zu[3] = ", i);
        axes_write(w, launch->block);
        ht_text_printf(&w->out, ";\n    const number grid_%zu[3] = ", i);
        axes_write(w, launch->grid);
        ht_text_printf(&w->out, ";\n    if (!is_launch(block_%zu, grid_%zu, ", i, i);
        if (launch->lds)
            expr_write(w, launch->lds);
        else
            ht_text_append(&w->out, "number(0)");
        ht_text_append(&w->out, ", device))\n        return false;\n");
    }
}

static const char launch_text[] =
    "inline bool is_within(number a, long long least, long long most) {\n"
    "    return a.good && a.n >= least && a.n <= most;\n"
    "}\n"
    "inline bool is_extent(number elements, number size) {\n"
    "    return size.holds() && is_within(elements, 1, (1LL << 40) / size.n);\n"
    "}\n"
    "inline bool is_launch(const number block[3], const number grid[3], number bytes,\n"
    "                      const device_fields &device) {\n"
    "    const long long blocks[] = {device.max_block_x, device.max_block_y, device.max_block_z};\n"
    "    const long long grids[] = {device.max_grid_x, device.max_grid_y, device.max_grid_z};\n"
    "    number threads = 1;\n"
    "    for (int i = 0; i < 3; ++i) {\n"
    "        if (!is_within(block[i], 1, 2147483647) || !is_within(grid[i], 1, 2147483647) ||\n"
    "            block[i].n * grid[i].n > 4294967295LL || block[i].n > blocks[i] ||\n"
    "            grid[i].n > grids[i])\n"
    "            return false;\n"
    "        threads = checked_multiply(threads, block[i]);\n"
    "    }\n"
    "    return is_within(threads, 1, device.max_threads) && is_within(bytes, 0, 2147483647) &&\n"
    "           bytes.n <= device.max_dynamic_lds;\n"
    "}\n\n";

static void legal_write(writer *w) {
    ht_text_append(&w->out, launch_text);
    ht_text_append(&w->out,
                   "// Returns true if the configuration may be launched for the problem, which is "
                   "complete.\n"
                   "inline bool is_legal(const problem_fields &problem, int configuration,\n"
                   "                     const device_fields &device = device_fields()) {\n"
                   "    if (configuration < 0 || configuration >= configuration_count)\n"
                   "        return false;\n    (void)problem;\n");
    sizes_read_write(w, true);
    for (size_t i = 0; i < w->template->param_count; ++i)
        ht_text_printf(&w->out,
                       "    [[maybe_unused]] const number parameter_%s = "
                       "configurations[configuration][%zu];\n",
                       w->template->params[i].name, i);
    scalars_write(w);
    for (size_t i = 0; i < w->template->require_count; ++i) {
        char *text = ht_expr_string(w->template->requires[i].expr);
        ht_text_printf(&w->out, "    // require(%s)\n    if (!", text);
        free(text);
        expr_write(w, w->template->requires[i].expr);
        ht_text_append(&w->out, ".holds())\n        return false;\n");
    }
    extents_write(w);
    launches_write(w);
    ht_text_append(&w->out, "    return true;\n}\n\n");
}

static const char choose_text[] =
    "// How far two problems lie apart: the sum over sizes of |log2 a - log2 b|, with a half for\n"
    "// what is below 1. Negative: they are the same.\n"
    "inline double distance(const long long *a, const long long *b) {\n"
    "    double sum = 0;\n"
    "    bool same = true;\n"
    "    for (int i = 0; i < size_count; ++i) {\n"
    "        same = same && a[i] == b[i];\n"
    "        sum += std::fabs(std::log2(a[i] < 1 ? 0.5 : (double)a[i]) -\n"
    "                         std::log2(b[i] < 1 ? 0.5 : (double)b[i]));\n"
    "    }\n"
    "    return same ? -1 : sum;\n"
    "}\n\n"
    "// Returns the index of the configuration for a problem: the one tuned for these sizes, else "
    "that\n"
    "// of the nearest ones that is legal here, else the default; none: no launch is legal.\n"
    "inline int choose(problem_fields problem, const device_fields &device = device_fields()) {\n"
    "    if (!complete(problem))\n"
    "        return none;\n";

static void choose_write(writer *w) {
    const ht_problem_spec *spec = &w->template->problem;
    ht_text_append(&w->out, choose_text);
    ht_text_append(&w->out, "    const long long sizes[size_count + 1] = {");
    for (size_t i = 0; i < spec->field_count; ++i)
        if (spec->fields[i].kind != HT_FIELD_DERIVED)
            ht_text_printf(&w->out, "problem.%s, ", spec->fields[i].name);
    ht_text_append(&w->out,
                   "0};\n"
                   "    bool tried[tuned_count] = {};\n"
                   "    for (int round = 0; round < tuned_count; ++round) {\n"
                   "        int nearest = none;\n"
                   "        double least = 0;\n"
                   "        for (int row = 0; row < tuned_count; ++row) {\n"
                   "            const double away = tried[row] ? 0 : distance(sizes, tuned[row]);\n"
                   "            if (!tried[row] && (nearest == none || away < least)) {\n"
                   "                nearest = row;\n"
                   "                least = away;\n"
                   "            }\n"
                   "        }\n"
                   "        tried[nearest] = true;\n"
                   "        const int configuration = (int)tuned[nearest][size_count];\n"
                   "        if (is_legal(problem, configuration, device))\n"
                   "            return configuration;\n"
                   "    }\n"
                   "    return is_legal(problem, default_configuration, device) ? "
                   "default_configuration : none;\n"
                   "}\n\n");
}

char *ht_choice_header(const ht_choice_table *table) {
    writer w = {.table = table, .template = table->template};
    w.naming = (ht_checked_naming){.name = name_write, .type_size = size_write, .context = &w};
    char *name = ht_choice_name(table->template);
    ht_text_printf(&w.out,
                   "// Chooses the configuration of %s for a problem.\n// %s\n#pragma once\n"
                   "#include <cmath>\n\nnamespace %s_choice {\n\n",
                   table->template->name, table->remark, name);
    problem_write(&w);
    device_write(&w);
    configurations_write(&w);
    tuned_write(&w);
    ht_text_append(&w.out, ht_checked_functions);
    ht_text_append(&w.out, "\n");
    complete_write(&w);
    legal_write(&w);
    choose_write(&w);
    ht_text_printf(&w.out, "} // namespace %s_choice\n", name);
    free(name);
    return ht_text_take(&w.out);
}
