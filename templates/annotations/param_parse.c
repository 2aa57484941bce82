#include "templates/annotations/param_parse.h"
#include "templates/expr/expr_node.h"
#include "templates/expr/type.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Takes `text`. */
static ht_status add_value(ht_param *param, ht_span at, int64_t number, char *text,
                           ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < param->value_count; ++i)
        if (param->kind == HT_PARAM_INTEGER ? param->values[i].number == number
                                            : !strcmp(param->values[i].text, text))
            status = ht_span_error(at, error, "param %s has the value %s twice", param->name,
                                   param->values[i].text);
    if (status == HT_OK && param->value_count == HT_PARAM_VALUES_MAX)
        status = ht_span_error(at, error, "param %s has more than %d values", param->name,
                               HT_PARAM_VALUES_MAX);
    if (status != HT_OK) {
        free(text);
        return status;
    }
    HT_GROW(param->values, param->value_count);
    param->values[param->value_count++] = (ht_param_value){number, text};
    return HT_OK;
}

static ht_status add_integer(ht_param *param, ht_span at, int64_t number, ht_error *error) {
    return add_value(param, at, number, ht_format("%" PRId64, number), error);
}

/* Returns the position of ".." in the span; its length when there is none. */
static size_t find_dots(ht_span span) {
    for (size_t i = 0; i + 1 < span.length; ++i)
        if (span.text[i] == '.' && span.text[i + 1] == '.')
            return i;
    return span.length;
}

/* Adds lo..hi or lo..hi:step. */
static ht_status add_range(ht_param *param, ht_span piece, size_t dots, ht_error *error) {
    ht_span rest = ht_span_part(piece, dots + 2, piece.length), high, stride;
    int64_t lo, hi, step = 1;
    ht_status status = ht_span_integer(ht_span_part(piece, 0, dots), &lo, error);
    ht_span_split(&rest, ':', false, &high);
    bool has_step = rest.text != NULL;
    if (status == HT_OK)
        status = ht_span_integer(high, &hi, error);
    if (status == HT_OK && has_step) {
        stride = ht_span_trim(rest);
        status = ht_span_integer(stride, &step, error);
        if (status == HT_OK && step <= 0)
            status = ht_span_error(stride, error, "the step of a range must be positive");
    }
    if (status == HT_OK && lo > hi)
        status = ht_span_error(piece, error, "empty range: %" PRId64 " is above %" PRId64, lo, hi);
    while (status == HT_OK) {
        status = add_integer(param, piece, lo, error);
        if ((uint64_t)hi - (uint64_t)lo < (uint64_t)step)
            break;
        lo += step;
    }
    return status;
}

/* Adds pow2(a, b): powers of two from a to b. */
static ht_status add_powers(ht_param *param, ht_span piece, ht_span bounds, ht_error *error) {
    ht_span at;
    int64_t limits[2];
    for (int i = 0; i < 2; ++i) {
        if (!ht_span_split(&bounds, ',', false, &at))
            return ht_span_error(piece, error, "pow2(first, last) takes two numbers");
        ht_status status = ht_span_integer(at, &limits[i], error);
        if (status != HT_OK)
            return status;
        if (limits[i] <= 0 || (limits[i] & (limits[i] - 1)))
            return ht_span_error(at, error, "%" PRId64 " is no power of two", limits[i]);
    }
    if (bounds.text)
        return ht_span_error(piece, error, "pow2(first, last) takes two numbers");
    if (limits[0] > limits[1])
        return ht_span_error(piece, error, "empty range: %" PRId64 " is above %" PRId64, limits[0],
                             limits[1]);
    for (int64_t value = limits[0];; value *= 2) {
        ht_status status = add_integer(param, piece, value, error);
        if (status != HT_OK || value > limits[1] / 2)
            return status;
    }
}

static ht_status add_integer_piece(ht_param *param, ht_span piece, ht_error *error) {
    ht_span rest = piece, name, inside;
    size_t dots = find_dots(piece);
    if (dots < piece.length)
        return add_range(param, piece, dots, error);
    if (piece.length > 4 && !strncmp(piece.text, "pow2", 4) &&
        ht_span_take_name(&rest, false, "pow2", &name, NULL) == HT_OK && ht_span_is(name, "pow2")) {
        ht_status status = ht_span_take_group(&rest, '(', "after pow2", &inside, error);
        if (status == HT_OK && ht_span_trim(rest).length)
            status =
                ht_span_error(ht_span_trim(rest), error, "expected ',' or '=' after pow2(...)");
        return status == HT_OK ? add_powers(param, piece, inside, error) : status;
    }
    int64_t value;
    ht_status status = ht_span_integer(piece, &value, error);
    return status == HT_OK ? add_integer(param, piece, value, error) : status;
}

static bool is_boolean(ht_span piece) {
    return ht_span_is(piece, "true") || ht_span_is(piece, "false");
}

static ht_param_kind kind_of(ht_span piece) {
    return is_boolean(piece)        ? HT_PARAM_BOOLEAN
           : ht_span_is_name(piece) ? HT_PARAM_ENUMERATION
                                    : HT_PARAM_INTEGER;
}

static const char *kind_name(ht_param_kind kind) {
    static const char *const names[] = {"integers", "booleans", "enumerators", "types"};
    return names[kind];
}

static ht_status add_piece(ht_param *param, ht_span piece, ht_error *error) {
    char *type;
    if (!piece.length)
        return ht_span_error(piece, error, "expected a value of param %s, found nothing",
                             param->name);
    if (param->kind == HT_PARAM_TYPE) {
        ht_status status = ht_span_type(piece, &type, error);
        return status == HT_OK ? add_value(param, piece, (int64_t)param->value_count, type, error)
                               : status;
    }
    if (kind_of(piece) != param->kind)
        return ht_span_error(piece, error, "param %s mixes %s and %s", param->name,
                             kind_name(param->kind), kind_name(kind_of(piece)));
    if (param->kind == HT_PARAM_INTEGER)
        return add_integer_piece(param, piece, error);
    if (param->kind == HT_PARAM_BOOLEAN)
        return add_value(param, piece, ht_span_is(piece, "true"), ht_span_string(piece), error);
    char *name = ht_span_string(piece);
    if (ht_expr_reserved(name) || ht_type_size(name)) {
        free(name);
        return ht_span_error(piece, error, "'%.*s' cannot be an enumerator%s", (int)piece.length,
                             piece.text,
                             kind_of(piece) == HT_PARAM_ENUMERATION
                                 ? "; for types write \"type\" in front of the values"
                                 : "");
    }
    return add_value(param, piece, (int64_t)param->value_count, name, error);
}

static ht_status set_default(ht_param *param, ht_span text, ht_error *error) {
    char *wanted;
    int64_t number;
    ht_status status;
    if (!text.length)
        return ht_span_error(text, error, "expected the default of param %s after '='",
                             param->name);
    if (param->kind == HT_PARAM_INTEGER) {
        if ((status = ht_span_integer(text, &number, error)) != HT_OK)
            return status;
        wanted = ht_format("%" PRId64, number);
    } else if (param->kind == HT_PARAM_TYPE) {
        if ((status = ht_span_type(text, &wanted, error)) != HT_OK)
            return status;
    } else {
        wanted = ht_span_string(text);
    }
    size_t i = 0;
    while (i < param->value_count && strcmp(param->values[i].text, wanted) != 0)
        ++i;
    free(wanted);
    if (i == param->value_count)
        return ht_span_error(text, error, "the default '%.*s' is not among the values of param %s",
                             (int)(text.length > 60 ? 60 : text.length), text.text, param->name);
    param->default_index = i;
    return HT_OK;
}

/* Takes the word "type" off "type float, double", when a type follows it. */
static bool take_type_word(ht_span *values) {
    ht_span rest = *values, word;
    if (ht_span_take_name(&rest, false, "", &word, NULL) != HT_OK || !ht_span_is(word, "type"))
        return false;
    ht_span behind = ht_span_trim(rest);
    if (!behind.length || behind.text[0] == ',' || behind.text[0] == '=')
        return false;
    *values = rest;
    return true;
}

static ht_status parse_values(ht_param *param, ht_span rest, bool open, ht_error *error) {
    ht_span values, piece;
    ht_span_split(&rest, '=', true, &values);
    if (take_type_word(&values))
        param->kind = HT_PARAM_TYPE;
    else {
        ht_span first = values;
        ht_span_split(&first, ',', true, &piece);
        param->kind = kind_of(piece);
    }
    ht_status status = HT_OK;
    while (status == HT_OK && ht_span_split(&values, ',', true, &piece))
        status = add_piece(param, piece, error);
    if (status != HT_OK)
        return status;
    if (!rest.text && open)
        return HT_OK;
    if (!rest.text)
        return ht_span_error(ht_span_part(piece, piece.length, piece.length), error,
                             "param %s has no default: end with \"= VALUE\"", param->name);
    return set_default(param, ht_span_trim(rest), error);
}

static ht_status parse(ht_span inside, bool open, ht_param *out_param, ht_error *error) {
    ht_span rest = inside, name;
    ht_param param = {0};
    ht_status status = ht_span_take_name(&rest, false, "the parameter's name", &name, error);
    if (status != HT_OK)
        return status;
    param.name = ht_span_string(name);
    param.place = name.place;
    if (!ht_span_take(&rest, ':'))
        status = ht_span_error(ht_span_trim(rest), error,
                               "expected ':' and the values after param(%s", param.name);
    else
        status = parse_values(&param, rest, open, error);
    if (status == HT_OK)
        *out_param = param;
    else
        ht_param_clear(&param);
    return status;
}

ht_status ht_param_parse(ht_span inside, ht_param *out_param, ht_error *error) {
    return parse(inside, false, out_param, error);
}

ht_status ht_param_parse_open(ht_span inside, ht_param *out_param, ht_error *error) {
    return parse(inside, true, out_param, error);
}
