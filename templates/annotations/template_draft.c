/* One function per directive. */
#include "templates/annotations/template_draft.h"
#include "templates/annotations/launch.h"
#include "templates/annotations/param_parse.h"
#include "templates/annotations/reference.h"
#include "templates/problem/problem_spec.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

ht_status ht_draft_kernel(ht_draft *draft, ht_span inside, ht_error *error) {
    ht_status status = ht_launch_parse_span(inside, &draft->kernel, error);
    if (status != HT_OK)
        return status;
    if (draft->kernel.has_arguments)
        return ht_span_error(inside, error,
                             "kernel(...) takes no arguments; write launch(%s : ...)",
                             draft->kernel.kernel);
    ht_template *template = &draft->template;
    template->name = ht_strdup(draft->kernel.kernel);
    template->tolerance = HT_TOLERANCE_DEFAULT;
    template->launches = ht_alloc(1, sizeof *template->launches);
    template->launch_count = 1;
    ht_launch_copy(&draft->kernel, &template->launches[0]);
    draft->implicit = true;
    return HT_OK;
}

static ht_status apply_problem(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    if (draft->template.problem.name)
        return ht_span_error(name, error, "kernel %s has a problem already", draft->template.name);
    return ht_problem_spec_parse_span(inside, &draft->template.problem, error);
}

static ht_status apply_param(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    ht_template *template = &draft->template;
    if (template->param_count == HT_PARAM_MAX)
        return ht_span_error(name, error, "a kernel has at most %d parameters", HT_PARAM_MAX);
    HT_GROW(template->params, template->param_count);
    ht_status status = ht_param_parse(inside, &template->params[template->param_count], error);
    template->param_count += status == HT_OK;
    return status;
}

/* Returns true for names such as "block-size". */
static bool is_transformation(ht_span name) {
    for (size_t i = 0; i < name.length; ++i)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", name.text[i]))
            return false;
    return name.length > 0;
}

/* Applies from(TRANSFORMATION : PARAMETER, ...). */
static ht_status apply_from(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    ht_template *template = &draft->template;
    ht_span origin, piece;
    ht_span_split(&inside, ':', false, &origin);
    if (!inside.text || !is_transformation(origin))
        return ht_span_error(name, error, "write from(TRANSFORMATION : PARAMETER, ...)");
    while (ht_span_split(&inside, ',', false, &piece)) {
        ht_param *param = NULL;
        for (size_t i = 0; i < template->param_count; ++i)
            if (ht_span_is(piece, template->params[i].name))
                param = &template->params[i];
        if (!param)
            return ht_span_error(piece, error,
                                 "from(...) stands after its parameters: there is "
                                 "no '%.*s' yet",
                                 (int)piece.length, piece.text);
        if (param->origin)
            return ht_span_error(piece, error, "%s is from %s already", param->name, param->origin);
        param->origin = ht_span_string(origin);
    }
    return HT_OK;
}

static ht_status apply_require(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    ht_template *template = &draft->template;
    if (template->require_count == HT_REQUIRE_MAX)
        return ht_span_error(name, error, "a kernel has at most %d constraints", HT_REQUIRE_MAX);
    HT_GROW(template->requires, template->require_count);
    ht_status status =
        ht_span_expr(inside, &template->requires[template->require_count].expr, error);
    template->require_count += status == HT_OK;
    return status;
}

static ht_status apply_arg(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    ht_template *template = &draft->template;
    if (template->arg_count == HT_ARG_MAX)
        return ht_span_error(name, error, "a kernel has at most %d arguments", HT_ARG_MAX);
    HT_GROW(template->args, template->arg_count);
    char *text = ht_span_string(inside);
    ht_status status =
        ht_arg_parse(text, inside.place, &template->args[template->arg_count], error);
    free(text);
    template->arg_count += status == HT_OK;
    return status;
}

/* Returns the launch that block, grid and lds speak of. */
static ht_launch *current_launch(ht_draft *draft) {
    ht_template *template = &draft->template;
    switch (draft->set) {
    case HT_LAUNCHES_REFERENCE:
        return &template->reference_launches[template->reference_launch_count - 1];
    case HT_LAUNCHES_BASELINE:
        return &template->baseline_launches[template->baseline_launch_count - 1];
    case HT_LAUNCHES_OWN:
        break;
    }
    return &template->launches[template->launch_count - 1];
}

static ht_status apply_axes(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    ht_launch *launch = current_launch(draft);
    ht_expr **axes = ht_span_is(name, "block") ? launch->block : launch->grid;
    ht_span piece;
    if (axes[0])
        return ht_span_error(name, error, "%s of %s is given twice",
                             axes == launch->block ? "block" : "grid", launch->kernel);
    for (int axis = 0; ht_span_split(&inside, ',', false, &piece); ++axis) {
        if (axis == 3)
            return ht_span_error(piece, error, "there are 3 axes at most");
        ht_status status = ht_span_expr(piece, &axes[axis], error);
        if (status != HT_OK)
            return status;
    }
    return HT_OK;
}

static ht_status apply_lds(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    ht_launch *launch = current_launch(draft);
    if (launch->lds)
        return ht_span_error(name, error, "lds of %s is given twice", launch->kernel);
    return ht_span_expr(inside, &launch->lds, error);
}

static bool has_geometry(const ht_launch *launch) {
    return launch->block[0] || launch->grid[0] || launch->lds;
}

static void add_launch(ht_launch **launches, size_t *count, const ht_launch *launch) {
    HT_GROW(*launches, *count);
    (*launches)[(*count)++] = *launch;
}

static ht_status apply_launch(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    ht_template *template = &draft->template;
    ht_launch launch;
    if (draft->implicit && has_geometry(&template->launches[0]))
        return ht_span_error(
            name, error, "launch(...) must come before the block, grid and lds that belong to it");
    if (template->launch_count == HT_LAUNCH_MAX)
        return ht_span_error(name, error, "a kernel has at most %d launches", HT_LAUNCH_MAX);
    ht_status status = ht_launch_parse_span(inside, &launch, error);
    if (status != HT_OK)
        return status;
    if (draft->implicit) {
        ht_launch_free(&template->launches[0]);
        template->launch_count = 0;
        draft->implicit = false;
    }
    if (!strcmp(launch.kernel, draft->kernel.kernel) && draft->kernel.template_argument_count) {
        draft->kernel_arguments_used = true;
        if (!launch.template_argument_count) {
            launch.template_argument_count = draft->kernel.template_argument_count;
            launch.template_arguments = ht_strings_copy(draft->kernel.template_arguments,
                                                        draft->kernel.template_argument_count);
        }
    }
    add_launch(&template->launches, &template->launch_count, &launch);
    draft->set = HT_LAUNCHES_OWN;
    return HT_OK;
}

static ht_status apply_reference(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    ht_template *template = &draft->template;
    ht_launch launch;
    if (template->reference_launch_count == HT_LAUNCH_MAX)
        return ht_span_error(name, error, "a reference has at most %d launches", HT_LAUNCH_MAX);
    ht_status status = ht_launch_parse_span(inside, &launch, error);
    if (status != HT_OK)
        return status;
    add_launch(&template->reference_launches, &template->reference_launch_count, &launch);
    draft->set = HT_LAUNCHES_REFERENCE;
    return HT_OK;
}

static ht_status apply_baseline(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    ht_template *template = &draft->template;
    ht_launch launch;
    if (template->baseline_launch_count == HT_LAUNCH_MAX)
        return ht_span_error(name, error, "a baseline has at most %d launches", HT_LAUNCH_MAX);
    ht_status status = ht_launch_parse_span(inside, &launch, error);
    if (status != HT_OK)
        return status;
    add_launch(&template->baseline_launches, &template->baseline_launch_count, &launch);
    draft->set = HT_LAUNCHES_BASELINE;
    return HT_OK;
}

static ht_status apply_tolerance(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    if (draft->has_tolerance)
        return ht_span_error(name, error, "kernel %s has a tolerance already",
                             draft->template.name);
    draft->has_tolerance = true;
    return ht_tolerance_parse_span(inside, &draft->template.exact, &draft->template.tolerance,
                                   error);
}

ht_status ht_tolerance_parse_span(ht_span inside, bool *out_exact, double *out_tolerance,
                                  ht_error *error) {
    *out_exact = ht_span_is(ht_span_trim(inside), "exact");
    if (*out_exact)
        return HT_OK;
    ht_status status = ht_span_real(inside, out_tolerance, error);
    if (status == HT_OK && !(*out_tolerance > 0))
        status = ht_span_error(ht_span_trim(inside), error,
                               "a tolerance must be positive; for none write tolerance(exact)");
    return status;
}

static const struct {
    const char *name;
    ht_status (*apply)(ht_draft *draft, ht_span name, ht_span inside, ht_error *error);
} directives[] = {
    {"problem", apply_problem},   {"param", apply_param},
    {"from", apply_from},         {"require", apply_require},
    {"block", apply_axes},        {"grid", apply_axes},
    {"lds", apply_lds},           {"arg", apply_arg},
    {"launch", apply_launch},     {"reference", apply_reference},
    {"baseline", apply_baseline}, {"tolerance", apply_tolerance},
};

const char *ht_draft_directive(size_t index) {
    return index < sizeof directives / sizeof *directives ? directives[index].name : NULL;
}

bool ht_draft_knows(ht_span name) {
    const char *known;
    for (size_t i = 0; (known = ht_draft_directive(i)); ++i)
        if (ht_span_is(name, known))
            return true;
    return false;
}

ht_status ht_draft_apply(ht_draft *draft, ht_span name, ht_span inside, ht_error *error) {
    for (size_t i = 0; i < sizeof directives / sizeof *directives; ++i)
        if (ht_span_is(name, directives[i].name))
            return directives[i].apply(draft, name, inside, error);
    return HT_ERROR_INTERNAL;
}

void ht_draft_free(ht_draft *draft) {
    ht_launch_free(&draft->kernel);
    ht_template_clear(&draft->template);
}
