/* The expressions of a template are nearly C, once its names are there: problem.N is a member of a
 * struct, a parameter is a constant, and the few functions are defined in the launcher's namespace.
 * Values that the author's types would cut off or overflow are computed as long long. */
#include "pipeline/launcher.h"

#include "base/memory.h"
#include "base/text.h"
#include "templates/annotations/template_names.h"
#include "templates/expr/expr_c.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char functions[] =
    "constexpr long long min(long long a, long long b) { return a < b ? a : b; }\n"
    "constexpr long long max(long long a, long long b) { return a > b ? a : b; }\n"
    "template <typename... T> constexpr long long min(long long a, long long b, T... more) {\n"
    "    return min(min(a, b), more...);\n"
    "}\n"
    "template <typename... T> constexpr long long max(long long a, long long b, T... more) {\n"
    "    return max(max(a, b), more...);\n"
    "}\n"
    "constexpr long long ceil_div(long long a, long long b) {\n"
    "    return a / b + (a % b != 0 && (a < 0) == (b < 0));\n"
    "}\n"
    "constexpr long long round_up(long long a, long long b) { return ceil_div(a, b) * b; }\n"
    "constexpr long long abs(long long a) { return a < 0 ? -a : a; }\n"
    "constexpr long long clamp(long long x, long long lo, long long hi) {\n"
    "    return min(max(x, lo), hi);\n"
    "}\n"
    "constexpr bool is_pow2(long long a) { return a > 0 && (a & (a - 1)) == 0; }\n"
    "constexpr long long log2(long long a) { return a < 2 ? 0 : 1 + log2(a / 2); }\n"
    "constexpr long long pow2(long long a) { return 1LL << a; }\n"
    "constexpr long long gcd(long long a, long long b) { return b == 0 ? abs(a) : gcd(b, a % b); "
    "}\n"
    "// A grid or a block, and whether devices launch it.\n"
    "struct launch_extent {\n"
    "    long long x, y, z;\n"
    "    constexpr bool is_within(long long most_x, long long most) const {\n"
    "        return x >= 1 && x <= most_x && y >= 1 && y <= most && z >= 1 && z <= most;\n"
    "    }\n"
    "    constexpr bool is_grid() const { return is_within(2147483647, 65535); }\n"
    "    constexpr bool is_block() const { return is_within(1024, 1024) && x * y * z <= 1024; }\n"
    "    dim3 extent() const { return dim3((unsigned)x, (unsigned)y, (unsigned)z); }\n"
    "};\n";

typedef struct writer {
    const ht_binding *binding;
    const ht_config *config; /* NULL: open */
    ht_config plain;         /* the default */
    ht_text out;
} writer;

/* Returns "detail::conv2d" as one identifier; free(). */
static char *identifier(const char *name) {
    char *copy = ht_strdup(name);
    for (char *at = copy; *at; ++at) {
        if (!isalnum((unsigned char)*at))
            *at = '_';
    }
    return copy;
}

/* Writes a name. Sizes, and constants of the configuration, are long long. Template arguments of an
 * open launcher, macros and the kernel's scalars have types of their own, of which 64 bits without
 * sign would make others theirs. */
static bool name_write(void *context, const char *name, ht_c_demand demand, ht_text *out) {
    const writer *w = context;
    const ht_template *template = w->binding->template;
    const ht_param *param = ht_template_param(template, name);
    const ht_arg *arg = ht_template_arg(template, name);
    int64_t value;
    bool wide = param ? w->config && param->binding != HT_BIND_MACRO
                      : !arg && !ht_template_enumerator(template, name, &value);
    bool narrow = param ? param->binding != HT_BIND_MACRO : arg && ht_type_size(arg->type) <= 4;
    bool plain = wide || demand == HT_C_ANY || (demand == HT_C_MIXED && narrow);
    ht_text_printf(out, plain ? "%s" : "(long long)%s", name);
    return true;
}

/* Gives a name's value. An enumerator is its position in its list, whatever the author's code makes
 * of it, and so is a type. */
static bool name_value(const void *context, const char *name, int64_t *out_value) {
    const writer *w = context;
    const ht_template *template = w->binding->template;
    const ht_param *param = ht_template_param(template, name);
    if (!w->config)
        return false;
    if (!param)
        return ht_template_enumerator(template, name, out_value);
    *out_value = param->values[w->config->choice[param - template->params]].number;
    return param->kind == HT_PARAM_ENUMERATION || param->kind == HT_PARAM_TYPE;
}

static void expr_write(writer *w, const ht_expr *expr, bool wide) {
    const ht_expr_naming naming = {
        .write = name_write, .value = name_value, .context = w, .functions = true};
    ht_expr_print_c(expr, &naming, wide, &w->out);
}

static void is_named(void *context, const char *name) {
    (void)name;
    *(bool *)context = true;
}

static void asks_device(void *context, const char *name) {
    if (strncmp(name, "device.", 7) == 0)
        *(bool *)context = true;
}

/* Returns true for a scalar that no size determines: the caller chooses it. */
static bool is_free_scalar(const ht_arg *arg) {
    bool named = false;
    for (size_t i = 0; i < arg->value_count; ++i)
        ht_expr_names(arg->values[i], is_named, &named);
    return arg->role == HT_ARG_SCALAR && !arg->is_struct && !ht_arg_is_field(arg) && !named;
}

static void scalar_value_write(writer *w, const ht_arg *arg) {
    if (arg->is_real) {
        ht_text_printf(&w->out, "(%s)%.17g", arg->type, arg->real);
    } else if (arg->value_count == 1) {
        ht_text_printf(&w->out, "(%s)(", arg->type);
        expr_write(w, arg->values[0], false);
        ht_text_append(&w->out, ")");
    } else {
        ht_text_printf(&w->out, "make_%s(", arg->type);
        for (size_t i = 0; i < arg->value_count; ++i) {
            ht_text_append(&w->out, i ? ", " : "");
            expr_write(w, arg->values[i], false);
        }
        ht_text_append(&w->out, ")");
    }
}

static void problem_write(writer *w) {
    const ht_problem_spec *spec = &w->binding->template->problem;
    ht_text_append(&w->out, "// Sizes; those that were tuned for stand as defaults.\n"
                            "struct problem_fields {\n");
    for (size_t i = 0; i < spec->field_count; ++i) {
        const ht_field *field = &spec->fields[i];
        int64_t value = 0;
        if (w->binding->problem && ht_problem_get(w->binding->problem, field->name, &value))
            ht_text_printf(&w->out, "    long long %s = %" PRId64 ";%s\n", field->name, value,
                           field->kind == HT_FIELD_DERIVED ? " // derived by launch()" : "");
    }
    ht_text_append(&w->out, "    void derive() {\n");
    for (size_t i = 0; i < spec->field_count; ++i) {
        if (spec->fields[i].kind != HT_FIELD_DERIVED)
            continue;
        ht_text_printf(&w->out, "        %s = ", spec->fields[i].name);
        expr_write(w, spec->fields[i].expr, false);
        ht_text_append(&w->out, ";\n");
    }
    ht_text_append(&w->out, "    }\n};\n\n");
}

static bool launches_ask_device(const ht_template *template) {
    bool asked = false;
    for (size_t i = 0; i < template->launch_count; ++i) {
        const ht_launch *launch = &template->launches[i];
        for (size_t axis = 0; axis < 3; ++axis) {
            if (launch->grid[axis])
                ht_expr_names(launch->grid[axis], asks_device, &asked);
            if (launch->block[axis])
                ht_expr_names(launch->block[axis], asks_device, &asked);
        }
        if (launch->lds)
            ht_expr_names(launch->lds, asks_device, &asked);
    }
    return asked;
}

static void device_write(writer *w) {
    if (!launches_ask_device(w->binding->template))
        return;
    ht_text_append(&w->out, "// The device that was tuned on.\nstruct device_fields {\n");
#define FIELD(name)                                                                                \
    ht_text_printf(&w->out, "    long long " #name " = %" PRId64 ";\n", w->binding->device->name);
    HT_DEVICE_FIELDS(FIELD)
#undef FIELD
    ht_text_append(&w->out, "};\n\n");
}

static const ht_param_value *value_of(const writer *w, size_t param) {
    const ht_config *config = w->config ? w->config : &w->plain;
    return &w->binding->template->params[param].values[config->choice[param]];
}

static void parameters_write(writer *w) {
    static const char *const kinds[] = {[HT_PARAM_INTEGER] = "int",
                                        [HT_PARAM_BOOLEAN] = "bool",
                                        [HT_PARAM_ENUMERATION] = "auto",
                                        [HT_PARAM_TYPE] = "typename"};
    const ht_template *template = w->binding->template;
    size_t count = 0;
    for (size_t i = 0; i < template->param_count; ++i)
        if (template->params[i].binding != HT_BIND_MACRO)
            ht_text_printf(&w->out, "%s%s %s = %s", count++ ? ", " : "template <",
                           kinds[template->params[i].kind], template->params[i].name,
                           value_of(w, i)->text);
    ht_text_append(&w->out, count ? ">\n" : "");
}

static void comma_append(ht_text *text) {
    ht_text_append(text, text->length ? ", " : "");
}

/* Appends the parameters of launch(), and their names alone. */
static void signature_parts(writer *w, ht_text *parameters, ht_text *names) {
    const ht_template *template = w->binding->template;
    ht_text_append(parameters, "");
    ht_text_append(names, "");
    for (size_t i = 0; i < template->arg_count; ++i) {
        const ht_arg *arg = &template->args[i];
        if ((arg->role == HT_ARG_SCALAR && !arg->is_struct) || !ht_arg_is_passed(arg))
            continue; /* fields come with their structure, which expressions read them from */
        comma_append(parameters);
        ht_text_printf(parameters, "%s%s%s %s", arg->role == HT_ARG_IN ? "const " : "", arg->type,
                       arg->is_struct ? "" : "*", arg->name);
        comma_append(names);
        ht_text_append(names, arg->name);
    }
    if (template->problem.name) {
        comma_append(parameters);
        ht_text_append(parameters, "problem_fields problem = {}");
        comma_append(names);
        ht_text_append(names, "problem");
    }
    for (size_t i = 0; i < template->arg_count; ++i) {
        const ht_arg *arg = &template->args[i];
        if (!is_free_scalar(arg))
            continue;
        comma_append(parameters);
        ht_text_printf(parameters, "%s %s = ", arg->type, arg->name);
        writer value = {.binding = w->binding, .config = w->config};
        scalar_value_write(&value, arg);
        ht_text_append(parameters, value.out.data ? value.out.data : "");
        ht_text_free(&value.out);
        comma_append(names);
        ht_text_append(names, arg->name);
    }
    comma_append(parameters);
    ht_text_append(parameters, "hipStream_t stream = 0");
    comma_append(names);
    ht_text_append(names, "stream");
}

void ht_launcher_signature(const ht_binding *binding, ht_text *out_parameters, ht_text *out_names) {
    writer w = {.binding = binding};
    signature_parts(&w, out_parameters, out_names);
}

static void signature_write(writer *w) {
    ht_text parameters = {0}, names = {0};
    if (!w->config)
        parameters_write(w);
    signature_parts(w, &parameters, &names);
    ht_text_printf(&w->out, "inline hipError_t launch(%s) {\n", parameters.data);
    ht_text_free(&parameters);
    ht_text_free(&names);
}

typedef struct naming {
    const ht_template *template;
    bool chosen; /* for one configuration */
    bool device, sizes;
} naming;

static bool is_enumerator(const ht_template *template, const char *name, int64_t *out_value) {
    int64_t value;
    return ht_template_enumerator(template, name, out_value ? out_value : &value);
}

static void on_required(void *context, const char *name) {
    naming *in = context;
    bool fixed = ht_template_param(in->template, name) ||
                 (in->chosen && is_enumerator(in->template, name, NULL));
    in->device = in->device || strncmp(name, "device.", 7) == 0;
    in->sizes = in->sizes || !fixed;
}

/* Writes what must hold, except for limits of a device. A configuration is legal already but for
 * sizes. */
static void requires_write(writer *w) {
    const ht_template *template = w->binding->template;
    for (size_t i = 0; i < template->require_count; ++i) {
        naming names = {.template = template, .chosen = w->config != NULL};
        const ht_expr *expr = template->requires[i].expr;
        ht_expr_names(expr, on_required, &names);
        if (names.device || (w->config && !names.sizes))
            continue;
        ht_text_append(&w->out, names.sizes ? "    if (!(" : "    static_assert(");
        expr_write(w, expr, false);
        ht_text_append(&w->out,
                       names.sizes ? "))\n        return hipErrorInvalidValue;\n" : ");\n");
    }
}

static void constants_write(writer *w) {
    const ht_template *template = w->binding->template;
    for (size_t i = 0; w->config && i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        const ht_param_value *value = value_of(w, i);
        if (param->binding == HT_BIND_MACRO)
            continue;
        if (param->kind == HT_PARAM_TYPE)
            ht_text_printf(&w->out, "    using %s [[maybe_unused]] = %s;\n", param->name,
                           value->text);
        else
            ht_text_printf(&w->out, "    [[maybe_unused]] constexpr long long %s = %" PRId64 ";\n",
                           param->name, value->number);
    }
    for (size_t i = 0; i < template->arg_count; ++i) {
        const ht_arg *arg = &template->args[i];
        if (arg->role != HT_ARG_SCALAR || arg->is_struct || ht_arg_is_field(arg) ||
            is_free_scalar(arg))
            continue;
        ht_text_printf(&w->out, "    const %s %s = ", arg->type, arg->name);
        scalar_value_write(w, arg);
        ht_text_append(&w->out, ";\n");
        if (!ht_arg_is_name(arg) || strcmp(arg->type, "bool") == 0)
            continue;
        ht_text_printf(&w->out, "    if ((long long)%s != ", arg->name);
        expr_write(w, arg->values[0], true);
        ht_text_printf(&w->out, ")\n        return hipErrorInvalidValue; // more than its type\n");
    }
    if (launches_ask_device(template))
        ht_text_append(&w->out, "    const device_fields device;\n");
    requires_write(w);
}

static void extent_write(writer *w, const char *what, size_t launch, ht_expr *const axes[3]) {
    ht_text_printf(&w->out, "    const launch_extent launch_%s_%zu = {", what, launch);
    for (size_t i = 0; i < 3; ++i) {
        ht_text_append(&w->out, i ? ", " : "");
        if (axes[i])
            expr_write(w, axes[i], true);
        else
            ht_text_append(&w->out, "1");
    }
    ht_text_append(&w->out, "};\n");
}

/* Writes the geometry of all launches ahead of the first: either all are made or none. */
static void geometry_write(writer *w) {
    const ht_template *template = w->binding->template;
    for (size_t i = 0; i < template->launch_count; ++i) {
        const ht_launch *launch = &template->launches[i];
        extent_write(w, "grid", i, launch->grid);
        extent_write(w, "block", i, launch->block);
        ht_text_printf(&w->out, "    const long long launch_bytes_%zu = ", i);
        if (launch->lds)
            expr_write(w, launch->lds, true);
        else
            ht_text_append(&w->out, "0");
        ht_text_printf(&w->out,
                       ";\n    if (!launch_grid_%zu.is_grid() || !launch_block_%zu.is_block() ||\n"
                       "        launch_bytes_%zu < 0 || launch_bytes_%zu > 2147483647)\n"
                       "        return hipErrorInvalidConfiguration;\n",
                       i, i, i, i);
    }
}

static void arguments_write(writer *w, const ht_launch *launch) {
    const ht_template *template = w->binding->template;
    if (launch->has_arguments) {
        for (size_t i = 0; i < launch->argument_count; ++i)
            ht_text_printf(&w->out, ", %s", launch->arguments[i]);
        return;
    }
    for (size_t i = 0; i < template->arg_count; ++i) {
        if (ht_arg_is_passed(&template->args[i]))
            ht_text_printf(&w->out, ", %s", template->args[i].name);
    }
}

/* Returns "conv2d<BLOCK_X, float>", names of parameters as they are; free(). */
static char *open_name(const ht_launch *launch) {
    ht_text text = {0};
    ht_text_append(&text, launch->kernel);
    for (size_t i = 0; i < launch->template_argument_count; ++i)
        ht_text_printf(&text, "%s%s", i ? ", " : "<", launch->template_arguments[i]);
    ht_text_append(&text, launch->template_argument_count ? ">" : "");
    return ht_text_take(&text);
}

static void launch_write(writer *w, size_t index) {
    const ht_launch *launch = &w->binding->template->launches[index];
    char *name =
        w->config ? ht_binding_name_expression(w->binding, w->config, launch) : open_name(launch);
    ht_text_printf(&w->out,
                   "    hipLaunchKernelGGL((%s), launch_grid_%zu.extent(),\n"
                   "        launch_block_%zu.extent(), (unsigned)launch_bytes_%zu, stream",
                   name, index, index, index);
    arguments_write(w, launch);
    ht_text_append(&w->out, ");\n");
    free(name);
}

static void macros_write(writer *w) {
    const ht_template *template = w->binding->template;
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        if (param->binding == HT_BIND_MACRO)
            ht_text_printf(&w->out, "#define %s %s\n", param->name, value_of(w, i)->text);
    }
}

/* ---- the author's macros */

/* Returns true if the name is one that stands in launch(). */
static bool stands_here(const ht_template *template, const char *name) {
    static const char *const own[] = {"min",     "max",     "ceil_div", "round_up",     "abs",
                                      "clamp",   "log2",    "is_pow2",  "pow2",         "gcd",
                                      "problem", "derive",  "stream",   "launch",       "device",
                                      "extent",  "is_grid", "is_block", "launch_extent"};
    bool found = false;
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        found = found || strcmp(own[i], name) == 0;
    for (size_t i = 0; i < template->problem.field_count; ++i)
        found = found || strcmp(template->problem.fields[i].name, name) == 0;
    for (size_t i = 0; i < template->arg_count; ++i)
        found = found || strcmp(template->args[i].name, name) == 0;
    for (size_t i = 0; i < template->param_count; ++i)
        found = found || (template->params[i].binding != HT_BIND_MACRO &&
                          strcmp(template->params[i].name, name) == 0);
    return found;
}

/* Hides macros such as `#define min(a, b) ...` of the template's file, which would take the
 * launcher's names, or (`restore`) gives them back. */
static void macros_hide(writer *w, bool restore) {
    const ht_template *template = w->binding->template;
    for (const char *line = template->unit; line && *line; line += *line == '\n') {
        line += strspn(line, " \t");
        const char *at = *line == '#' ? line + 1 + strspn(line + 1, " \t") : "";
        line += strcspn(line, "\n");
        if (strncmp(at, "define", 6) != 0 || !strchr(" \t", at[6]))
            continue;
        at += 6 + strspn(at + 6, " \t");
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            ++length;
        char *name = ht_strndup(at, length);
        char *once = ht_format("%s_macro(\"%s\")\n", restore ? "pop" : "push", name);
        if (stands_here(template, name) && !strstr(w->out.data, once)) {
            ht_text_printf(&w->out, "#pragma %s", once);
            if (!restore)
                ht_text_printf(&w->out, "#undef %s\n", name);
        }
        free(once);
        free(name);
    }
}

char *ht_launcher_write(const ht_binding *binding, const ht_config *config, const char *include,
                        const char *remark) {
    const ht_template *template = binding->template;
    writer w = {.binding = binding, .config = config, .plain = ht_config_default(template)};
    ht_text_printf(&w.out, "// Launches %s in %s configuration.\n// %s\n#pragma once\n",
                   template->name, config ? "a tuned" : "any", remark);
    ht_text_append(&w.out, "#include <hip/hip_runtime.h>\n\n");
    macros_write(&w);
    char *space = identifier(template->name);
    ht_text_printf(&w.out, "namespace %s_tuned {\n\n%s\n", space, functions);
    if (template->problem.name)
        problem_write(&w);
    device_write(&w);
    ht_text_printf(&w.out, "} // namespace %s_tuned\n\n#include \"%s\"\n\n", space, include);
    macros_hide(&w, false);
    ht_text_printf(&w.out, "namespace %s_tuned {\n\n", space);
    for (size_t i = 0; i < template->arg_count; ++i) {
        if (template->args[i].role == HT_ARG_CONSTANT)
            ht_text_printf(&w.out, "// The __constant__ symbol %s must be set before the launch.\n",
                           template->args[i].name);
    }
    signature_write(&w);
    if (template->problem.name)
        ht_text_append(&w.out, "    problem.derive();\n");
    constants_write(&w);
    geometry_write(&w);
    for (size_t i = 0; i < template->launch_count; ++i)
        launch_write(&w, i);
    ht_text_printf(&w.out, "    return hipGetLastError();\n}\n\n} // namespace %s_tuned\n", space);
    macros_hide(&w, true);
    free(space);
    return ht_text_take(&w.out);
}
