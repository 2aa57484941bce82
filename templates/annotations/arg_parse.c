/* arg(...) directives. */
#include "templates/annotations/init_records.h"
#include "templates/annotations/template.h"
#include "templates/expr/span.h"
#include "templates/expr/type.h"

#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const role_names[] = {"in", "out", "inout", "temp", "constant"};

/* Takes `count` numbers from inside uniform(...) and the like. */
static ht_status parse_numbers(ht_span inside, ht_span word, size_t count, double *out_numbers,
                               ht_error *error) {
    ht_span piece;
    size_t got = 0;
    while (ht_span_split(&inside, ',', false, &piece)) {
        double number;
        ht_status status = ht_span_real(piece, &number, error);
        if (status != HT_OK)
            return status;
        if (got < count)
            out_numbers[got] = number;
        ++got;
    }
    if (got != count)
        return ht_span_error(word, error, "%.*s takes %zu number%s, not %zu", (int)word.length,
                             word.text, count, count == 1 ? "" : "s", got);
    return HT_OK;
}

/* Takes "a.bin". A file lies next to the one that names it: a source may not have others read. */
static ht_status parse_file(ht_span piece, ht_init *out, ht_error *error) {
    bool quoted = piece.length > 2 && piece.text[0] == '"' && piece.text[piece.length - 1] == '"';
    size_t end = quoted ? piece.length - 1 : 1;
    for (size_t i = 1; i < end && quoted; ++i)
        quoted = isalnum((unsigned char)piece.text[i]) || strchr("._+-", piece.text[i]) != NULL;
    if (!quoted || piece.text[1] == '.')
        return ht_span_error(piece, error,
                             "file(...) takes names in quotes, of letters, digits, '_', '-', '+' "
                             "and '.', without a folder: \"index.bin\"");
    if (out->file_count == HT_INIT_FILES)
        return ht_span_error(piece, error, "file(...) takes at most %d names", HT_INIT_FILES);
    out->files[out->file_count++] = ht_span_string(ht_span_part(piece, 1, piece.length - 1));
    return HT_OK;
}

static ht_status parse_files(ht_span inside, ht_init *out, ht_error *error) {
    ht_span piece;
    ht_status status = HT_OK;
    while (status == HT_OK && ht_span_split(&inside, ',', false, &piece))
        status = parse_file(piece, out, error);
    return status;
}

static ht_status check_init(const ht_init *init, ht_span word, ht_error *error) {
    if (init->kind == HT_INIT_INTEGERS &&
        (init->lo != floor(init->lo) || init->hi != floor(init->hi) || fabs(init->lo) > 0x1p53 ||
         fabs(init->hi) > 0x1p53))
        return ht_span_error(word, error, "integers(first, last) takes whole numbers");
    if (init->lo > init->hi && init->kind != HT_INIT_FILL)
        return ht_span_error(word, error, "%.*s: the first number is above the last",
                             (int)word.length, word.text);
    return HT_OK;
}

static ht_status parse_init(ht_span rest, ht_init *out_init, ht_error *error) {
    static const struct {
        const char *name;
        ht_init_kind kind;
        size_t numbers;
    } kinds[] = {{"uniform", HT_INIT_UNIFORM, 2}, {"integers", HT_INIT_INTEGERS, 2},
                 {"fill", HT_INIT_FILL, 1},       {"zero", HT_INIT_ZERO, 0},
                 {"iota", HT_INIT_IOTA, 0},       {"file", HT_INIT_FILE, 0},
                 {"records", HT_INIT_RECORDS, 0}};
    ht_span word, inside;
    ht_status status = ht_span_take_name(&rest, false, "the initial contents", &word, error);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        double numbers[2] = {0, 0};
        if (!ht_span_is(word, kinds[i].name))
            continue;
        *out_init = (ht_init){.kind = kinds[i].kind};
        bool is_file = kinds[i].kind == HT_INIT_FILE, records = kinds[i].kind == HT_INIT_RECORDS;
        if (kinds[i].numbers || is_file || records)
            status = ht_span_take_group(&rest, '(', "after the kind of contents", &inside, error);
        if (status == HT_OK && kinds[i].numbers)
            status = parse_numbers(inside, word, kinds[i].numbers, numbers, error);
        else if (status == HT_OK && is_file)
            status = parse_files(inside, out_init, error);
        else if (status == HT_OK && records)
            status = ht_init_records_parse(inside, out_init, error);
        if (status == HT_OK && ht_span_trim(rest).length)
            status = ht_span_error(ht_span_trim(rest), error,
                                   "expected nothing after the initial contents");
        out_init->lo = numbers[0];
        out_init->hi = numbers[1];
        return status == HT_OK ? check_init(out_init, word, error) : status;
    }
    return ht_span_error(word, error,
                         "unknown initial contents '%.*s'; there are uniform(lo, hi), "
                         "integers(lo, hi), fill(v), zero, iota, file(\"name\") and "
                         "records(bytes, ...)",
                         (int)word.length, word.text);
}

/* Takes `partial`, and then TYPE. */
static ht_status take_partial(ht_arg *arg, ht_span *rest, ht_error *error) {
    ht_span after = *rest, word;
    if (ht_span_take_name(&after, true, "", &word, NULL) != HT_OK || !ht_span_is(word, "partial"))
        return HT_OK;
    if (arg->role != HT_ARG_OUT)
        return ht_span_error(word, error,
                             "%s buffer %s cannot be partial: only an out buffer, whose elements "
                             "the original need not write, can",
                             role_names[arg->role], arg->name);
    arg->partial = true;
    *rest = after;
    return HT_OK;
}

/* Parses "TYPE[extent] init". */
static ht_status parse_buffer(ht_arg *arg, ht_span rest, ht_error *error) {
    ht_span inside;
    ht_status status = take_partial(arg, &rest, error);
    if (status != HT_OK)
        return status;
    size_t bracket = ht_span_find(rest, '[', true);
    ht_span type = ht_span_trim(ht_span_part(rest, 0, bracket));
    if (bracket == rest.length)
        return ht_span_error(type, error,
                             "%s buffer %s needs its number of elements: TYPE[ELEMENTS]",
                             role_names[arg->role], arg->name);
    status = ht_span_type(type, &arg->type, error);
    rest = ht_span_part(rest, bracket, rest.length);
    if (status == HT_OK)
        status = ht_span_take_group(&rest, '[', "", &inside, error);
    if (status == HT_OK)
        status = ht_span_expr(inside, &arg->extent, error);
    if (status != HT_OK || !ht_span_trim(rest).length)
        return status;
    if (arg->role == HT_ARG_OUT || arg->role == HT_ARG_TEMP)
        return ht_span_error(ht_span_trim(rest), error,
                             "%s buffer %s takes no initial contents (it is poisoned before every "
                             "run); for contents that matter use inout",
                             role_names[arg->role], arg->name);
    status = parse_init(rest, &arg->init, error);
    if (status == HT_OK && arg->init.kind == HT_INIT_RECORDS && ht_type_size(arg->type) != 1)
        status = ht_span_error(ht_span_trim(rest), error,
                               "records(...) are of a buffer of bytes: 'unsigned char'");
    return status;
}

/* Returns true if the whole text is one parenthesised list with a comma: (a, b). */
static bool take_list(ht_span text, ht_span *out_inside) {
    ht_span rest = text;
    if (ht_span_take_group(&rest, '(', "", out_inside, NULL) != HT_OK || ht_span_trim(rest).length)
        return false;
    return ht_span_find(*out_inside, ',', false) < out_inside->length;
}

static ht_status parse_components(ht_arg *arg, ht_span list, ht_span whole, size_t wanted,
                                  ht_error *error) {
    ht_span piece;
    while (ht_span_split(&list, ',', false, &piece)) {
        if (arg->value_count == 4)
            return ht_span_error(piece, error, "a vector has at most 4 components");
        if (ht_span_is_real(piece))
            return ht_span_error(piece, error, "components of a vector are integer expressions");
        ht_status status = ht_span_expr(piece, &arg->values[arg->value_count], error);
        if (status != HT_OK)
            return status;
        ++arg->value_count;
    }
    if (wanted && wanted != arg->value_count)
        return ht_span_error(whole, error, "%s has %zu component%s, not %zu", arg->type, wanted,
                             wanted == 1 ? "" : "s", arg->value_count);
    return HT_OK;
}

/* Parses "TYPE = value". */
static ht_status parse_scalar(ht_arg *arg, ht_span rest, ht_error *error) {
    ht_span type, value, list;
    ht_span_split(&rest, '=', true, &type);
    if (!rest.text)
        return ht_span_error(
            type, error,
            "expected a role (in, out, inout, temp, constant) with TYPE[ELEMENTS], or "
            "TYPE = VALUE for a scalar");
    ht_status status = ht_span_type(type, &arg->type, error);
    if (status != HT_OK)
        return status;
    value = ht_span_trim(rest);
    size_t components = ht_type_components(arg->type);
    if (take_list(value, &list))
        return parse_components(arg, list, value, components, error);
    if (components > 1)
        return ht_span_error(value, error, "%s has %zu components: write (%s)", arg->type,
                             components,
                             components == 2   ? "a, b"
                             : components == 3 ? "a, b, c"
                                               : "a, b, c, d");
    if (ht_span_is_real(value)) {
        if (ht_type_integral(arg->type))
            return ht_span_error(value, error, "%s takes an integer", arg->type);
        arg->is_real = true;
        return ht_span_real(value, &arg->real, error);
    }
    status = ht_span_expr(value, &arg->values[0], error);
    arg->value_count = status == HT_OK;
    return status;
}

/* Parses the "TYPE" of "struct TYPE". */
static ht_status parse_struct(ht_arg *arg, ht_span rest, ht_error *error) {
    size_t equals = ht_span_find(rest, '=', true);
    if (equals < rest.length)
        return ht_span_error(ht_span_part(rest, equals, rest.length), error,
                             "a structure has no value of its own: write arg(%s.FIELD : ...) for "
                             "each field",
                             arg->name);
    arg->is_struct = true;
    return ht_span_type(rest, &arg->type, error);
}

static ht_status parse_rest(ht_arg *arg, ht_span rest, ht_error *error) {
    ht_span after = rest, word;
    arg->role = HT_ARG_SCALAR;
    if (ht_span_take_name(&after, false, "a role or a type", &word, error) != HT_OK)
        return HT_ERROR_INPUT;
    if (ht_span_is(word, "struct"))
        return parse_struct(arg, after, error);
    ht_span rest_after = after, second;
    if (ht_span_is(word, "in") &&
        ht_span_take_name(&rest_after, false, "a type", &second, NULL) == HT_OK &&
        ht_span_is(second, "struct")) {
        arg->is_pointed = true;
        return parse_struct(arg, rest_after, error);
    }
    for (int role = HT_ARG_IN; role <= HT_ARG_CONSTANT; ++role)
        if (ht_span_is(word, role_names[role])) {
            arg->role = (ht_arg_role)role;
            return parse_buffer(arg, after, error);
        }
    return parse_scalar(arg, rest, error);
}

/* Takes "<float, 3>" after a name, brackets included; an empty span where there are none. */
static ht_span take_arguments(ht_span *rest) {
    size_t length = 0;
    int depth = 0;
    for (; length < rest->length; ++length) {
        char c = rest->text[length];
        depth += (c == '<') - (c == '>');
        bool part = isalnum((unsigned char)c) || strchr("_:, <>*", c);
        if (!part || depth == 0)
            break;
    }
    bool whole = length > 0 && length < rest->length && rest->text[length] == '>';
    ht_span taken = ht_span_part(*rest, 0, whole ? length + 1 : 0);
    *rest = ht_span_part(*rest, taken.length, rest->length);
    return taken;
}

/* Takes what follows the name of a structure: ".low.x", ".taps[2]"; an empty span where nothing
 * does. */
static ht_status take_path(ht_span *rest, ht_span *out_path, ht_error *error) {
    ht_span whole = *rest, piece;
    for (;;) {
        char next = rest->length ? rest->text[0] : '\0';
        if (next != '.' && next != '[')
            break;
        *rest = ht_span_part(*rest, 1, rest->length);
        if (next == '.') {
            ht_status status = ht_span_take_name(rest, false, "a field's name", &piece, error);
            if (status != HT_OK)
                return status;
            continue;
        }
        size_t digits = 0;
        while (digits < rest->length && isdigit((unsigned char)rest->text[digits]))
            ++digits;
        if (!digits || digits > 6 || digits == rest->length || rest->text[digits] != ']')
            return ht_span_error(*rest, error, "expected the number of an element, as in [2]");
        *rest = ht_span_part(*rest, digits + 1, rest->length);
    }
    *out_path = ht_span_part(whole, 0, whole.length - rest->length);
    return HT_OK;
}

/* Takes a name. A symbol may lie in a namespace, or be a variable of a template; arguments have
 * plain names. */
static ht_status take_name(ht_span *rest, ht_arg *arg, ht_error *error) {
    ht_span name;
    ht_status status = ht_span_take_name(rest, true, "the argument's name", &name, error);
    if (status != HT_OK)
        return status;
    ht_span list = take_arguments(rest), path = {0};
    status = take_path(rest, &path, error);
    if (status != HT_OK)
        return status;
    arg->name = ht_format("%.*s%.*s%.*s", (int)name.length, name.text, (int)list.length, list.text,
                          (int)path.length, path.text);
    arg->place = name.place;
    return HT_OK;
}

ht_status ht_arg_parse(const char *text, ht_place where, ht_arg *out_arg, ht_error *error) {
    ht_span rest = ht_span_of(text, where), whole = rest;
    ht_arg arg = {0};
    ht_status status = take_name(&rest, &arg, error);
    if (status != HT_OK)
        return status;
    if (!ht_span_take(&rest, ':'))
        status = ht_span_error(ht_span_trim(rest), error, "expected ':' after arg(%s", arg.name);
    else
        status = parse_rest(&arg, rest, error);
    if (status == HT_OK && arg.role != HT_ARG_CONSTANT && strpbrk(arg.name, ":<"))
        status = ht_span_error(ht_span_trim(whole), error,
                               "'%s' is no argument's name; only a constant's may have '::' or '<'",
                               arg.name);
    if (status == HT_OK && arg.role == HT_ARG_CONSTANT && ht_arg_is_field(&arg))
        status = ht_span_error(ht_span_trim(whole), error, "'%s' is a field, not a constant's name",
                               arg.name);
    if (status == HT_OK && arg.is_struct && ht_arg_is_field(&arg))
        status = ht_span_error(ht_span_trim(whole), error,
                               "'%s' is a field: name the fields inside of it, as in %s.FIELD",
                               arg.name, arg.name);
    if (status == HT_OK)
        *out_arg = arg;
    else
        ht_arg_free(&arg);
    return status;
}
