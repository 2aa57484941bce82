/* Choices that change nothing. */
#include "templates/annotations/pragma_scan.h"
#include "templates/annotations/signature.h"
#include "templates/annotations/template_signature.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    const char *name;
    const ht_param *param;
    bool found;
} search;

static size_t occurrences(const char *text, const char *name) {
    size_t length = strlen(name), count = 0;
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool ends = !(isalnum((unsigned char)at[length]) || at[length] == '_');
        count += begins && ends;
    }
    return count;
}

/* Returns true if the code, without annotations, holds the name. */
static bool in_code(const char *unit, const char *name) {
    ht_pragma *pragmas;
    size_t count, all = occurrences(unit, name);
    ht_pragma_scan(unit, &pragmas, &count);
    for (size_t i = 0; i < count; ++i)
        all -= occurrences(pragmas[i].text, name);
    ht_pragma_free(pragmas, count);
    return all > 0;
}

static void on_name(void *context, const char *name) {
    search *in = context;
    in->found = in->found || !strcmp(name, in->name);
    for (size_t v = 0; in->param->kind == HT_PARAM_ENUMERATION && v < in->param->value_count; ++v)
        in->found = in->found || !strcmp(name, in->param->values[v].text);
}

static void look_in(search *in, const ht_expr *expr) {
    if (expr)
        ht_expr_names(expr, on_name, in);
}

/* Returns true if a launch's geometry or a buffer's size names it, or it is a buffer's type. A
 * constraint alone gives it no effect. */
static bool in_launches(const ht_template *template, const ht_param *param) {
    search in = {.name = param->name, .param = param};
    for (size_t i = 0; i < template->launch_count; ++i) {
        const ht_launch *launch = &template->launches[i];
        for (int axis = 0; axis < 3; ++axis) {
            look_in(&in, launch->block[axis]);
            look_in(&in, launch->grid[axis]);
        }
        look_in(&in, launch->lds);
    }
    for (size_t i = 0; i < template->arg_count; ++i) {
        look_in(&in, template->args[i].extent);
        in.found = in.found || !strcmp(template->args[i].type, param->name);
    }
    return in.found;
}

/* Returns true if an include may bring code that names a parameter. HIP's headers and the
 * standard's do not. */
static bool includes_more(const char *unit) {
    for (const char *at = strstr(unit, "include"); at; at = strstr(at + 1, "include")) {
        at += strlen("include");
        at += strspn(at, " \t");
        if (*at != '<' && *at != '"')
            continue;
        const char *name = at + 1;
        size_t length = strcspn(name, ">\"\n");
        bool standard = !memchr(name, '.', length) && !memchr(name, '/', length);
        if (*at == '"' || (!standard && strncmp(name, "hip/", 4) != 0))
            return true;
    }
    return false;
}

ht_status ht_template_check_unused(const ht_template *template, ht_error *error) {
    ht_signature signature;
    const char *unit = template->unit;
    /* Only a space, code that is elsewhere, or that an include may bring. */
    if (!template->arg_count || !unit || includes_more(unit) ||
        !ht_signature_find(unit, template->launches[0].kernel, &signature))
        return HT_OK;
    ht_signature_free(&signature);
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        if (param->binding != HT_BIND_MACRO || in_launches(template, param) ||
            in_code(unit, param->name))
            continue;
        return ht_error_set_at(error, HT_ERROR_INPUT, param->place.file, param->place.line,
                               param->place.column,
                               "param %s changes nothing: neither the code nor block(...), "
                               "grid(...), lds(...) or arg(...) names it; use it, or remove it",
                               param->name);
    }
    return HT_OK;
}
