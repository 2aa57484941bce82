/* launch(...) and what has its form: reference(...) and kernel(...). */
#include "templates/annotations/launch.h"
#include "templates/expr/type.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ht_launch_free(ht_launch *launch) {
    free(launch->kernel);
    ht_strings_free(launch->arguments, launch->argument_count);
    ht_strings_free(launch->template_arguments, launch->template_argument_count);
    for (int axis = 0; axis < 3; ++axis) {
        ht_expr_free(launch->block[axis]);
        ht_expr_free(launch->grid[axis]);
    }
    ht_expr_free(launch->lds);
    *launch = (ht_launch){0};
}

char **ht_strings_copy(char *const *strings, size_t count) {
    char **copy = count ? ht_alloc(count, sizeof *copy) : NULL;
    for (size_t i = 0; i < count; ++i)
        copy[i] = ht_strdup(strings[i]);
    return copy;
}

bool ht_strings_equal(char *const *a, size_t a_count, char *const *b, size_t b_count) {
    if (a_count != b_count)
        return false;
    for (size_t i = 0; i < a_count; ++i)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

void ht_launch_copy(const ht_launch *launch, ht_launch *out_copy) {
    *out_copy = *launch;
    out_copy->kernel = ht_strdup(launch->kernel);
    out_copy->arguments = ht_strings_copy(launch->arguments, launch->argument_count);
    out_copy->template_arguments =
        ht_strings_copy(launch->template_arguments, launch->template_argument_count);
    for (int axis = 0; axis < 3; ++axis) {
        out_copy->block[axis] = ht_expr_copy(launch->block[axis]);
        out_copy->grid[axis] = ht_expr_copy(launch->grid[axis]);
    }
    out_copy->lds = ht_expr_copy(launch->lds);
}

bool ht_launch_equal(const ht_launch *a, const ht_launch *b) {
    for (int axis = 0; axis < 3; ++axis)
        if (!ht_expr_equal(a->block[axis], b->block[axis]) ||
            !ht_expr_equal(a->grid[axis], b->grid[axis]))
            return false;
    return !strcmp(a->kernel, b->kernel) && a->has_arguments == b->has_arguments &&
           ht_strings_equal(a->arguments, a->argument_count, b->arguments, b->argument_count) &&
           ht_strings_equal(a->template_arguments, a->template_argument_count,
                            b->template_arguments, b->template_argument_count) &&
           ht_expr_equal(a->lds, b->lds);
}

static void add_string(char ***strings, size_t *count, char *string) {
    HT_GROW(*strings, *count);
    (*strings)[(*count)++] = string;
}

ht_status ht_template_argument_parse(ht_span span, char **out_text, ht_error *error) {
    int64_t number;
    ht_expr *expr;
    span = ht_span_trim(span);
    if (ht_span_integer(span, &number, NULL) == HT_OK) {
        *out_text = ht_format("%" PRId64, number);
        return HT_OK;
    }
    if ((*out_text = ht_type_normalise(span.text, span.length)))
        return HT_OK;
    bool angles = memchr(span.text, '<', span.length) || memchr(span.text, '>', span.length);
    if (angles || ht_span_expr(span, &expr, NULL) != HT_OK)
        return ht_span_error(span, error,
                             "expected a template argument (the name of a parameter, a type or an "
                             "integer), found '%.*s'",
                             (int)(span.length > 40 ? 40 : span.length), span.text);
    *out_text = ht_expr_string(expr);
    ht_expr_free(expr);
    return HT_OK;
}

static ht_status parse_template_arguments(ht_launch *launch, ht_span inside, ht_error *error) {
    ht_span piece;
    while (ht_span_split(&inside, ',', true, &piece)) {
        char *text;
        ht_status status = ht_template_argument_parse(piece, &text, error);
        if (status != HT_OK)
            return status;
        add_string(&launch->template_arguments, &launch->template_argument_count, text);
    }
    return HT_OK;
}

static ht_status parse_arguments(ht_launch *launch, ht_span rest, ht_error *error) {
    ht_span piece, name;
    launch->has_arguments = true;
    if (!ht_span_trim(rest).length)
        return HT_OK; /* "k :" passes nothing */
    while (ht_span_split(&rest, ',', false, &piece)) {
        ht_status status = ht_span_take_name(&piece, false, "an argument's name", &name, error);
        if (status == HT_OK && piece.length)
            status = ht_span_error(ht_span_trim(piece), error, "expected ',' after %.*s",
                                   (int)name.length, name.text);
        if (status != HT_OK)
            return status;
        add_string(&launch->arguments, &launch->argument_count, ht_span_string(name));
    }
    return HT_OK;
}

ht_status ht_launch_parse_span(ht_span inside, ht_launch *out_launch, ht_error *error) {
    ht_span rest = inside, name, group;
    ht_launch launch = {0};
    ht_status status = ht_span_take_name(&rest, true, "a kernel's name", &name, error);
    if (status != HT_OK)
        return status;
    launch.kernel = ht_span_string(name);
    launch.place = name.place;
    if (ht_span_trim(rest).length && ht_span_trim(rest).text[0] == '<') {
        status = ht_span_take_group(&rest, '<', "", &group, error);
        if (status == HT_OK)
            status = parse_template_arguments(&launch, group, error);
    }
    if (status == HT_OK && ht_span_take(&rest, ':'))
        status = parse_arguments(&launch, rest, error);
    else if (status == HT_OK && ht_span_trim(rest).length)
        status = ht_span_error(ht_span_trim(rest), error,
                               "expected ':' and arguments after %s, or the end", launch.kernel);
    if (status == HT_OK)
        *out_launch = launch;
    else
        ht_launch_free(&launch);
    return status;
}

ht_status ht_launch_parse(const char *text, ht_place where, ht_launch *out_launch,
                          ht_error *error) {
    return ht_launch_parse_span(ht_span_of(text, where), out_launch, error);
}

void ht_launch_print_call(const ht_launch *launch, ht_text *out) {
    ht_text_append(out, launch->kernel);
    for (size_t i = 0; i < launch->template_argument_count; ++i)
        ht_text_printf(out, "%s%s", i ? ", " : "<", launch->template_arguments[i]);
    if (launch->template_argument_count)
        ht_text_append(out, ">");
    if (!launch->has_arguments)
        return;
    ht_text_append(out, " :");
    for (size_t i = 0; i < launch->argument_count; ++i)
        ht_text_printf(out, "%s%s", i ? ", " : " ", launch->arguments[i]);
}
