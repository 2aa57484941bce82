#include "pipeline/infer_contents.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/buffers/element.h"
#include "templates/annotations/template.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static bool is_integer(const char *type) {
    ht_element element;
    return ht_element_parse(type, &element) &&
           (element.kind == HT_ELEMENT_SIGNED || element.kind == HT_ELEMENT_UNSIGNED);
}

/* Changes the integers in structures. Returns false if there is nothing to change. */
static bool narrow_parts(ht_init *init, double most) {
    bool any = false;
    for (size_t i = 0; i < init->part_count; ++i) {
        ht_init_part *part = &init->parts[i];
        if (!is_integer(part->type) || (part->bounded && part->hi <= most))
            continue;
        part->bounded = any = true;
        part->lo = 0;
        part->hi = most;
    }
    return any;
}

static bool holds_text(const ht_template *template) {
    for (size_t i = 0; i < template->arg_count; ++i)
        if (template->args[i].role != HT_ARG_SCALAR && strcmp(template->args[i].type, "char") == 0)
            return true;
    return false;
}

static bool is_filled(const ht_arg *arg) {
    return arg->role == HT_ARG_IN || arg->role == HT_ARG_INOUT || arg->role == HT_ARG_CONSTANT;
}

/* Returns true for a buffer of integers with contents that may be changed. */
static bool holds_integers(const ht_arg *arg) {
    bool own = arg->init.kind == HT_INIT_DEFAULT || arg->init.kind == HT_INIT_INTEGERS;
    return is_filled(arg) && own && is_integer(arg->type);
}

/* Changes the contents of a buffer of integers. Returns false if there is nothing to change. */
static bool narrow(ht_arg *arg, ht_contents contents) {
    bool letters = contents == HT_CONTENTS_LETTERS && strcmp(arg->type, "char") == 0;
    bool counted = contents == HT_CONTENTS_COUNTED;
    double most = contents == HT_CONTENTS_TO_ONE ? 1 : 7;
    if (is_filled(arg) && arg->init.kind == HT_INIT_RECORDS)
        return !counted && narrow_parts(&arg->init, most);
    bool small = arg->init.kind == HT_INIT_INTEGERS && arg->init.hi <= most;
    if (!holds_integers(arg) || (small && !counted && !letters))
        return false;
    arg->init = letters   ? (ht_init){.kind = HT_INIT_INTEGERS, .lo = 'a', .hi = 'z'}
                : counted ? (ht_init){.kind = HT_INIT_IOTA}
                          : (ht_init){.kind = HT_INIT_INTEGERS, .lo = 0, .hi = most};
    return true;
}

/* Adds the elements of a buffer whose numbers are counted up to `reach`: "n, m". */
static void reach_add(const ht_arg *arg, ht_text *reach) {
    if (!holds_integers(arg) || !arg->extent)
        return;
    char *elements = ht_expr_string(arg->extent);
    ht_text_printf(reach, reach->length ? ", %s" : "%s", elements);
    free(elements);
}

static void on_extent_name(void *context, const char *name) {
    (void)name;
    *(bool *)context = true;
}

/* Lets a buffer that is written reach as far as numbers are counted, if its elements were chosen
 * for small ones: a number alone. Returns false if there is nothing to change. */
static bool widen(ht_arg *arg, const ht_text *reach) {
    bool written = arg->role == HT_ARG_OUT || arg->role == HT_ARG_INOUT, names = false;
    if (!written || !arg->extent || !reach->length)
        return false;
    ht_expr_names(arg->extent, on_extent_name, &names);
    char *elements = ht_expr_string(arg->extent);
    char *wider = ht_format("max(%s, %s)", elements, reach->data);
    ht_expr *parsed = NULL;
    bool good = !names && ht_expr_parse(wider, (ht_place){0}, &parsed, NULL) == HT_OK;
    free(elements);
    free(wider);
    if (!good)
        return false;
    ht_expr_free(arg->extent);
    arg->extent = parsed;
    return true;
}

/* Changes contents, and what they reach. Returns false if there is nothing to change. */
static bool arg_change(ht_arg *arg, ht_contents contents, const ht_text *reach) {
    bool wider = widen(arg, reach);
    return narrow(arg, contents) || wider;
}

static char *line_of(const ht_arg *arg) {
    ht_text text = {0};
    ht_text_append(&text, "#pragma tune arg(");
    ht_arg_print(arg, &text);
    ht_text_append(&text, ")\n");
    return ht_text_take(&text);
}

/* Replaces the only line that reads `from`. Returns false if there is not exactly one. */
static bool line_replace(char **text, const char *from, const char *to) {
    char *at = strstr(*text, from);
    if (!at || strstr(at + 1, from))
        return false;
    char *changed = ht_format("%.*s%s%s", (int)(at - *text), *text, to, at + strlen(from));
    free(*text);
    *text = changed;
    return true;
}

char *ht_inferred_contents_template(const char *text, ht_contents contents) {
    ht_template *templates = NULL;
    size_t count = 0;
    if (ht_template_parse(text, "template", &templates, &count, NULL) != HT_OK)
        return NULL;
    char *changed = ht_strdup(text);
    ht_text reach = {0};
    bool any = false,
         all = count == 1 && (contents != HT_CONTENTS_LETTERS || holds_text(&templates[0]));
    for (size_t i = 0; all && contents == HT_CONTENTS_COUNTED && i < templates[0].arg_count; ++i)
        reach_add(&templates[0].args[i], &reach);
    for (size_t i = 0; all && i < templates[0].arg_count; ++i) {
        char *before = line_of(&templates[0].args[i]);
        if (arg_change(&templates[0].args[i], contents, &reach)) {
            char *after = line_of(&templates[0].args[i]);
            all = line_replace(&changed, before, after);
            any = true;
            free(after);
        }
        free(before);
    }
    ht_text_free(&reach);
    ht_template_free(templates, count);
    if (any && all)
        return changed;
    free(changed);
    return NULL;
}

/* Returns what the problem's buffers reach with numbers that are counted up. */
static ht_text reach_of(const json_t *args) {
    ht_text reach = {0};
    size_t index;
    json_t *line;
    json_array_foreach(args, index, line) {
        ht_arg arg;
        const char *words = json_string_value(line);
        if (!words || ht_arg_parse(words, (ht_place){0}, &arg, NULL) != HT_OK)
            continue;
        reach_add(&arg, &reach);
        ht_arg_free(&arg);
    }
    return reach;
}

char *ht_inferred_contents_problem(const char *text, ht_contents contents) {
    json_error_t at;
    json_t *root = json_loads(text, 0, &at), *line;
    json_t *kernel = json_array_get(json_object_get(root, "kernels"), 0);
    json_t *args = json_object_get(kernel, "args");
    size_t index;
    ht_text reach = contents == HT_CONTENTS_COUNTED ? reach_of(args) : (ht_text){0};
    json_array_foreach(args, index, line) {
        ht_arg arg;
        const char *words = json_string_value(line);
        if (!words || ht_arg_parse(words, (ht_place){0}, &arg, NULL) != HT_OK)
            continue;
        ht_text changed = {0};
        if (arg_change(&arg, contents, &reach)) {
            ht_arg_print(&arg, &changed);
            json_array_set_new(args, index, json_string(changed.data));
        }
        ht_text_free(&changed);
        ht_arg_free(&arg);
    }
    ht_text_free(&reach);
    char *dump = kernel ? json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    char *whole = dump ? ht_format("%s\n", dump) : NULL;
    free(dump);
    json_decref(root);
    return whole;
}
