/* Annotations in canonical order. */
#include "templates/annotations/launch.h"
#include "templates/annotations/param_parse.h"
#include "templates/expr/real_print.h"

#include <string.h>

static void print_axes(const char *name, ht_expr *const axes[3], ht_text *out) {
    if (!axes[0])
        return;
    ht_text_printf(out, "#pragma tune %s(", name);
    for (int axis = 0; axis < 3 && axes[axis]; ++axis) {
        if (axis)
            ht_text_append(out, ", ");
        ht_expr_print(axes[axis], out);
    }
    ht_text_append(out, ")\n");
}

static void print_geometry(const ht_launch *launch, ht_text *out) {
    print_axes("block", launch->block, out);
    print_axes("grid", launch->grid, out);
    if (launch->lds) {
        ht_text_append(out, "#pragma tune lds(");
        ht_expr_print(launch->lds, out);
        ht_text_append(out, ")\n");
    }
}

static void print_launch(const char *directive, const ht_launch *launch, ht_text *out) {
    ht_text_printf(out, "#pragma tune %s(", directive);
    ht_launch_print_call(launch, out);
    ht_text_append(out, ")\n");
    print_geometry(launch, out);
}

static void print_reference(const ht_template *template, ht_text *out) {
    for (size_t i = 0; i < template->reference_launch_count; ++i)
        print_launch("reference", &template->reference_launches[i], out);
    if (template->reference_kind != HT_REFERENCE_BUILTIN)
        return;
    ht_text_printf(out, "#pragma tune reference(%s", template->reference_name);
    for (size_t i = 0; i < template->reference_argument_count; ++i)
        ht_text_printf(out, "%s%s", i ? ", " : " : ", template->reference_arguments[i]);
    ht_text_append(out, ")\n");
}

static void print_baseline(const ht_template *template, ht_text *out) {
    for (size_t i = 0; i < template->baseline_launch_count; ++i)
        print_launch("baseline", &template->baseline_launches[i], out);
}

static void print_tolerance(const ht_template *template, ht_text *out) {
    ht_text_append(out, "#pragma tune tolerance(");
    if (template->exact)
        ht_text_append(out, "exact");
    else
        ht_real_print(template->tolerance, out);
    ht_text_append(out, ")\n");
}

/* Prints one line for each transformation, in the order of its first parameter. */
static void print_origins(const ht_template *template, ht_text *out) {
    for (size_t i = 0; i < template->param_count; ++i) {
        const char *origin = template->params[i].origin;
        bool first = origin != NULL;
        for (size_t k = 0; first && k < i; ++k)
            first = !template->params[k].origin || strcmp(template->params[k].origin, origin) != 0;
        if (!first)
            continue;
        ht_text_printf(out, "#pragma tune from(%s : %s", origin, template->params[i].name);
        for (size_t k = i + 1; k < template->param_count; ++k)
            if (template->params[k].origin && strcmp(template->params[k].origin, origin) == 0)
                ht_text_printf(out, ", %s", template->params[k].name);
        ht_text_append(out, ")\n");
    }
}

void ht_template_print(const ht_template *template, ht_text *out) {
    const ht_launch *first = &template->launches[0];
    bool implicit = template->launch_count == 1 && !first->has_arguments &&
                    !strcmp(first->kernel, template->name);
    if (template->is_unit)
        ht_text_append(out, "#pragma tune unit\n");
    if (implicit) {
        ht_text_append(out, "#pragma tune kernel(");
        ht_launch_print_call(first, out);
        ht_text_append(out, ")\n");
    } else {
        ht_text_printf(out, "#pragma tune kernel(%s)\n", template->name);
    }
    if (template->problem.name) {
        ht_text_append(out, "#pragma tune problem(");
        ht_problem_spec_print(&template->problem, out);
        ht_text_append(out, ")\n");
    }
    for (size_t i = 0; i < template->param_count; ++i) {
        ht_text_append(out, "#pragma tune param(");
        ht_param_print(&template->params[i], out);
        ht_text_append(out, ")\n");
    }
    print_origins(template, out);
    for (size_t i = 0; i < template->require_count; ++i) {
        ht_text_append(out, "#pragma tune require(");
        ht_expr_print(template->requires[i].expr, out);
        ht_text_append(out, ")\n");
    }
    for (size_t i = 0; i < template->arg_count; ++i) {
        ht_text_append(out, "#pragma tune arg(");
        ht_arg_print(&template->args[i], out);
        ht_text_append(out, ")\n");
    }
    if (implicit)
        print_geometry(first, out);
    else
        for (size_t i = 0; i < template->launch_count; ++i)
            print_launch("launch", &template->launches[i], out);
    print_reference(template, out);
    print_baseline(template, out);
    print_tolerance(template, out);
}
