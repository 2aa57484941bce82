#include "templates/annotations/template_signature.h"
#include "templates/annotations/kernel_header.h"
#include "templates/annotations/signature.h"
#include "templates/expr/type.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIASES_MAX = 8 }; /* of aliases */

/* One launch, with the parameters of its kernel. */
typedef struct launch_view {
    const ht_template *template;
    const ht_launch *launch;
    ht_signature signature;
    ht_kernel_header header;
    const ht_arg *args[HT_ARG_MAX]; /* passed, in order */
    size_t arg_count;
} launch_view;

/* The type that a name stands for. */
typedef struct meaning {
    bool known;
    bool is_pointer, is_const;
    char kind; /* 'i' integer, 'f' float or double, 'h' half, 'b' bfloat16 */
    size_t size, components;
} meaning;

static void pass(launch_view *view, const ht_arg *arg) {
    if (arg && view->arg_count < HT_ARG_MAX)
        view->args[view->arg_count++] = arg;
}

static bool view_open(const ht_template *template, const ht_launch *launch, launch_view *out) {
    *out = (launch_view){.template = template, .launch = launch};
    if (!launch->has_arguments && !template->arg_count)
        return false; /* a space alone, of which nothing is run */
    if (!template->unit || !ht_signature_find(template->unit, launch->kernel, &out->signature))
        return false;
    ht_kernel_header_find(template->unit, launch->kernel, &out->header);
    for (size_t i = 0; i < launch->argument_count; ++i)
        pass(out, ht_template_arg(template, launch->arguments[i]));
    for (size_t i = 0; !launch->has_arguments && i < template->arg_count; ++i)
        if (ht_arg_is_passed(&template->args[i]))
            pass(out, &template->args[i]);
    return true;
}

static void view_close(launch_view *view) {
    ht_signature_free(&view->signature);
    ht_kernel_header_free(&view->header);
}

/* ---- types */

/* Returns a type parameter's value where nothing else is said. */
static const char *param_type(const ht_template *template, const char *name) {
    const ht_param *param = ht_template_param(template, name);
    return param && param->kind == HT_PARAM_TYPE ? param->values[param->default_index].text : NULL;
}

/* Returns what the launch gives for a parameter of the kernel's template; *out_open: it is one, and
 * its value is not known. */
static const char *argument_for(const launch_view *view, const char *name, bool *out_open) {
    bool pack = false;
    *out_open = false;
    for (size_t i = 0; i < view->header.param_count; ++i) {
        pack = pack || view->header.params[i].pack;
        if (strcmp(view->header.params[i].name, name) != 0)
            continue;
        *out_open = pack || i >= view->launch->template_argument_count;
        return *out_open ? NULL : view->launch->template_arguments[i];
    }
    return NULL;
}

static char base_kind(const char *type) {
    static const char *const halves[] = {"__half",  "half",  "_Float16", "__fp16",
                                         "__half2", "half2", NULL};
    static const char *const bfloats[] = {"hip_bfloat16", "__hip_bfloat16", "__bf16", NULL};
    for (size_t i = 0; halves[i]; ++i)
        if (!strcmp(type, halves[i]))
            return 'h';
    for (size_t i = 0; bfloats[i]; ++i)
        if (!strcmp(type, bfloats[i]))
            return 'b';
    return strncmp(type, "float", 5) != 0 && strncmp(type, "double", 6) != 0 ? 'i' : 'f';
}

static meaning plain_meaning(const char *type) {
    size_t size = ht_type_size(type), components = ht_type_components(type);
    if (!size || !components)
        return (meaning){0};
    const char *bare = strncmp(type, "const ", 6) == 0 ? type + 6 : type;
    bare = strncmp(bare, "std::", 5) == 0 ? bare + 5 : bare;
    return (meaning){.known = true,
                     .kind = base_kind(bare),
                     .size = size / components,
                     .components = components};
}

/* Takes stars and const out of an alias's text: "float const*". */
static char *strip(const char *text, size_t *stars, bool *is_const) {
    ht_text out = {0};
    ht_text_append(&out, "");
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, " *");
        if (length == 5 && !strncmp(at, "const", 5))
            *is_const = *is_const || !*stars;
        else if (length && strncmp(at, "__restrict", 10) != 0)
            ht_text_printf(&out, "%s%.*s", out.length ? " " : "", (int)length, at);
        at += length;
        *stars += *at == '*';
        at += *at != '\0';
    }
    return ht_text_take(&out);
}

static meaning resolve(const launch_view *view, const char *type) {
    char *text = ht_strdup(type);
    size_t stars = 0;
    bool is_const = false;
    meaning result = {0};
    for (int depth = 0; depth < ALIASES_MAX; ++depth) {
        bool open;
        const char *given = argument_for(view, text, &open);
        const char *value = param_type(view->template, given ? given : text);
        given = value ? value : given;
        char *alias = given && !open ? ht_strdup(given) : NULL;
        if (!alias && !open) {
            const char *last = strrchr(text, ':');
            bool standard = strncmp(text, "std::", 5) == 0;
            alias = standard
                        ? NULL
                        : ht_signature_alias(view->template->unit, last ? last + 1 : text, &open);
        }
        if (!alias || open || !strcmp(alias, text)) {
            result = open ? result : plain_meaning(text);
            free(alias);
            break;
        }
        free(text);
        text = strip(alias, &stars, &is_const);
        free(alias);
    }
    free(text);
    result.is_pointer = stars == 1;
    result.is_const = is_const;
    result.known = result.known && stars <= 1;
    return result;
}

/* ---- messages */

static const char *role_name(ht_arg_role role) {
    static const char *const names[] = {"in", "out", "inout", "temp", "constant"};
    return role == HT_ARG_SCALAR ? "a scalar" : names[role];
}

/* Returns an argument's type as declared: "out float[...]", "int". */
static char *declared(const ht_arg *arg) {
    if (arg->role == HT_ARG_SCALAR)
        return ht_format("%s%s%s", arg->is_pointed ? "in " : "", arg->is_struct ? "struct " : "",
                         arg->type);
    return ht_format("%s %s[...]", role_name(arg->role), arg->type);
}

/* Returns "parameter 2 of blur (line 17), 'const float *in'". */
static char *param_words(const launch_view *view, size_t index) {
    return ht_format("parameter %zu of %s (line %d), '%s'", index + 1, view->launch->kernel,
                     view->signature.line, view->signature.params[index].text);
}

static const char *param_name(const launch_view *view, size_t index) {
    const char *name = view->signature.params[index].name;
    return name[0] ? name : "NAME";
}

/* Returns the type that an annotation would give for a parameter. */
static const char *param_spelling(const launch_view *view, size_t index) {
    const char *type = view->signature.params[index].type;
    return type[0] ? type : "TYPE";
}

/* Returns true if it is the one launch that kernel(...) itself stands for. */
static bool is_implicit(const launch_view *view) {
    return !view->launch->has_arguments && view->launch->place.line == view->template->line;
}

static ht_place place_of(const launch_view *view, const ht_arg *arg) {
    return is_implicit(view) && arg->place.line ? arg->place : view->launch->place;
}

static ht_status report(ht_place at, ht_error *error, char *message) {
    ht_status status =
        ht_error_set_at(error, HT_ERROR_INPUT, at.file, at.line, at.column, "%s", message);
    free(message);
    return status;
}

/* ---- number and order */

static bool has_param(const launch_view *view, const char *name) {
    for (size_t i = 0; i < view->signature.count; ++i)
        if (!strcmp(view->signature.params[i].name, name))
            return true;
    return false;
}

static bool has_arg(const launch_view *view, const char *name) {
    for (size_t i = 0; i < view->arg_count; ++i)
        if (!strcmp(view->args[i]->name, name))
            return true;
    return false;
}

/* Reports the parameter that has no argument: the first whose name is missing, else the first too
 * many. */
static ht_status missing(const launch_view *view, ht_error *error) {
    size_t index = view->arg_count, named = 0;
    for (size_t i = 0; i < view->arg_count; ++i)
        named += has_param(view, view->args[i]->name);
    for (size_t i = view->signature.count; named == view->arg_count && i-- > 0;)
        if (view->signature.params[i].name[0] && !has_arg(view, view->signature.params[i].name))
            index = i;
    const ht_signature_param *param = &view->signature.params[index];
    char *words = param_words(view, index);
    const char *form = param->is_pointer ? "in " : "";
    const char *rest = param->is_pointer ? "[ELEMENTS]" : " = VALUE";
    char *remedy = view->launch->has_arguments
                       ? ht_format("launch(%s : ...) passes %zu of %zu", view->launch->kernel,
                                   view->arg_count, view->signature.count)
                       : ht_format("add arg(%s : %s%s%s) in its place", param_name(view, index),
                                   form, param_spelling(view, index), rest);
    char *message = ht_format("%s, has no arg: %s", words, remedy);
    free(words);
    free(remedy);
    return report(view->launch->place, error, message);
}

static ht_status too_many(const launch_view *view, ht_error *error) {
    const ht_arg *extra = view->args[view->signature.count];
    size_t named = 0;
    for (size_t i = 0; i < view->arg_count; ++i)
        named += has_param(view, view->args[i]->name);
    for (size_t i = view->arg_count; named == view->signature.count && i-- > 0;)
        if (!has_param(view, view->args[i]->name))
            extra = view->args[i];
    size_t count = view->signature.count;
    char *last = count ? ht_format(", the last '%s'", view->signature.params[count - 1].text)
                       : ht_strdup("");
    const char *remedy = !is_implicit(view) ? "list what it takes after its name and ':'"
                         : extra->role == HT_ARG_SCALAR
                             ? "remove it, or use problem fields for what only expressions need"
                             : "remove it, or make it constant if it is a __constant__ symbol";
    char *message = ht_format("arg %s has no parameter: %s (line %d) takes %zu argument%s%s; %s",
                              extra->name, view->launch->kernel, view->signature.line, count,
                              count == 1 ? "" : "s", last, remedy);
    free(last);
    return report(place_of(view, extra), error, message);
}

/* Refuses a name that belongs to another parameter. A launch with a list of its own says which
 * argument is which. */
static ht_status check_order(const launch_view *view, ht_error *error) {
    if (view->launch->has_arguments)
        return HT_OK;
    for (size_t i = 0; i < view->arg_count; ++i) {
        const char *name = view->args[i]->name;
        if (!strcmp(view->signature.params[i].name, name) || !has_param(view, name))
            continue;
        ht_text order = {0};
        for (size_t k = 0; k < view->signature.count; ++k)
            ht_text_printf(&order, "%s%s", k ? ", " : "", view->signature.params[k].name);
        char *words = param_words(view, i);
        char *message = ht_format("arg %s stands in the place of %s: list the args in the order of "
                                  "the kernel's parameters: %s",
                                  name, words, order.data);
        ht_text_free(&order);
        free(words);
        return report(place_of(view, view->args[i]), error, message);
    }
    return HT_OK;
}

/* ---- one argument */

/* Returns true for a 0 of 8 bytes, which passes no pointer. */
static bool is_null(const ht_arg *arg) {
    bool whole = ht_type_size(arg->type) == sizeof(void *) && ht_type_integral(arg->type);
    char *text = whole && arg->value_count == 1 ? ht_expr_string(arg->values[0]) : NULL;
    bool null = text && !strcmp(text, "0");
    free(text);
    return null;
}

static ht_status mismatch(const launch_view *view, size_t index, ht_error *error) {
    const ht_arg *arg = view->args[index];
    char *is = declared(arg), *words = param_words(view, index), *message;
    const char *type = param_spelling(view, index);
    bool pointer = arg->role != HT_ARG_SCALAR;
    const ht_signature_param *param = &view->signature.params[index];
    if (pointer && !param->is_pointer)
        message = ht_format("arg %s is declared a buffer (%s), but %s, is passed by value: write "
                            "arg(%s : %s = VALUE)",
                            arg->name, is, words, arg->name, type);
    else if (!pointer && param->is_pointer)
        message = ht_format("arg %s is declared a scalar (%s), but %s, is a pointer: write arg(%s "
                            ": %s %s[ELEMENTS])",
                            arg->name, is, words, arg->name, param->is_const ? "in" : "out", type);
    else if (pointer)
        message = ht_format("arg %s is declared %s, but %s, has other elements: write arg(%s : %s "
                            "%s[...])",
                            arg->name, is, words, arg->name, role_name(arg->role), type);
    else
        message = ht_format("arg %s is declared %s, but %s, has another type: write arg(%s : %s = "
                            "...)",
                            arg->name, is, words, arg->name, type);
    free(is);
    free(words);
    return report(place_of(view, arg), error, message);
}

/* Finds what the parameter is, its type's aliases followed; false when that is not known. */
static bool complete(const launch_view *view, size_t index, meaning *out_wanted) {
    ht_signature_param *param = &view->signature.params[index];
    meaning wanted = param->type[0] ? resolve(view, param->type) : (meaning){0};
    bool deep = param->is_pointer && wanted.is_pointer; /* to pointers */
    param->is_const = !deep && (param->is_const || (wanted.known && wanted.is_const));
    param->is_pointer = param->is_pointer || wanted.is_pointer;
    param->is_known = param->is_known || wanted.known;
    wanted.known = wanted.known && !deep;
    *out_wanted = wanted;
    return param->is_known;
}

static ht_status check_arg(const launch_view *view, size_t index, ht_error *error) {
    const ht_arg *arg = view->args[index];
    const ht_signature_param *param = &view->signature.params[index];
    bool buffer = arg->role != HT_ARG_SCALAR || arg->is_pointed;
    meaning wanted;
    if (!complete(view, index, &wanted))
        return HT_OK;
    if (buffer != param->is_pointer)
        return !buffer && is_null(arg) ? HT_OK : mismatch(view, index, error);
    if (arg->is_struct && wanted.known && wanted.components == 1)
        return mismatch(view, index, error);
    const char *given = param_type(view->template, arg->type);
    meaning got = resolve(view, given ? given : arg->type);
    if (!wanted.known || !got.known || !strcmp(arg->type, param->type))
        return HT_OK;
    bool same = got.kind == wanted.kind && got.size == wanted.size &&
                (buffer || got.components == wanted.components);
    return same ? HT_OK : mismatch(view, index, error);
}

static ht_status check_view(const launch_view *view, ht_error *error) {
    if (view->arg_count < view->signature.count)
        return missing(view, error);
    if (view->arg_count > view->signature.count)
        return too_many(view, error);
    ht_status status = check_order(view, error);
    for (size_t i = 0; status == HT_OK && i < view->arg_count; ++i)
        status = check_arg(view, i, error);
    return status;
}

/* ---- written where it cannot be */

/* Whether a launch can write an argument. */
typedef enum access { ACCESS_NONE, ACCESS_CONST, ACCESS_OPEN } access;

static access access_of(const launch_view *view, const ht_arg *arg, size_t *out_index) {
    access found = ACCESS_NONE;
    for (size_t i = 0; i < view->arg_count; ++i) {
        if (view->args[i] != arg)
            continue;
        if (!view->signature.params[i].is_const)
            return ACCESS_OPEN;
        found = ACCESS_CONST;
        *out_index = i;
    }
    return found;
}

static ht_status written_const(const launch_view *view, size_t index, const ht_arg *arg,
                               ht_error *error) {
    char *words = param_words(view, index);
    char *message = ht_format("arg %s is declared %s, but %s, cannot be written: declare it in, or "
                              "list the args in the order of the kernel's parameters",
                              arg->name, role_name(arg->role), words);
    free(words);
    return report(arg->place.line ? arg->place : view->launch->place, error, message);
}

/* Refuses outputs that every launch of a sequence takes as const. */
static ht_status check_outputs(const ht_template *template, const launch_view *views, size_t count,
                               ht_error *error) {
    for (size_t i = 0; i < template->arg_count; ++i) {
        const ht_arg *arg = &template->args[i];
        const launch_view *at = NULL;
        size_t index = 0;
        bool open = arg->role != HT_ARG_OUT && arg->role != HT_ARG_INOUT;
        for (size_t l = 0; l < count && !open; ++l) {
            size_t here = 0;
            bool judged = views[l].launch != NULL;
            access how = judged ? access_of(&views[l], arg, &here) : ACCESS_OPEN;
            open = how == ACCESS_OPEN;
            if (how == ACCESS_CONST && !at) {
                at = &views[l];
                index = here;
            }
        }
        if (at && !open)
            return written_const(at, index, arg, error);
    }
    return HT_OK;
}

static ht_status check_sequence(const ht_template *template, const ht_launch *launches,
                                size_t count, ht_error *error) {
    launch_view *views = count ? ht_alloc(count, sizeof *views) : NULL;
    ht_status status = HT_OK;
    for (size_t i = 0; i < count; ++i)
        if (!view_open(template, &launches[i], &views[i])) {
            view_close(&views[i]);
            views[i] = (launch_view){0};
        }
    for (size_t i = 0; status == HT_OK && i < count; ++i)
        if (views[i].launch)
            status = check_view(&views[i], error);
    if (status == HT_OK)
        status = check_outputs(template, views, count, error);
    for (size_t i = 0; i < count; ++i)
        view_close(&views[i]);
    free(views);
    return status;
}

ht_status ht_template_check_signatures(const ht_template *template, ht_error *error) {
    ht_status status = check_sequence(template, template->launches, template->launch_count, error);
    if (status == HT_OK)
        status = check_sequence(template, template->reference_launches,
                                template->reference_launch_count, error);
    if (status == HT_OK)
        status = check_sequence(template, template->baseline_launches,
                                template->baseline_launch_count, error);
    return status;
}
