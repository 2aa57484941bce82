#include "templates/expr/span.h"
#include "templates/expr/expr_lex.h"
#include "templates/expr/type.h"

#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ht_span ht_span_of(const char *text, ht_place where) {
    return (ht_span){.text = text, .length = strlen(text), .place = where};
}

ht_span ht_span_part(ht_span span, size_t from, size_t to) {
    ht_place place = span.place;
    if (place.column <= 0)
        place.column = 1;
    for (size_t i = 0; i < from; ++i) {
        if (span.text[i] == '\n' && place.line > 0) {
            ++place.line;
            place.column = 1;
        } else {
            ++place.column;
        }
    }
    const char *text =
        from ? span.text + from : span.text; /* which may be NULL, when it is empty */
    return (ht_span){.text = text, .length = to - from, .place = place};
}

ht_span ht_span_trim(ht_span span) {
    size_t from = 0, to = span.length;
    while (from < to && isspace((unsigned char)span.text[from]))
        ++from;
    while (to > from && isspace((unsigned char)span.text[to - 1]))
        --to;
    return ht_span_part(span, from, to);
}

bool ht_span_is(ht_span span, const char *text) {
    return span.length == strlen(text) && !memcmp(span.text, text, span.length);
}

char *ht_span_string(ht_span span) {
    return ht_strndup(span.text, span.length);
}

static bool name_character(char c, bool first) {
    return c == '_' || (first ? isalpha((unsigned char)c) : isalnum((unsigned char)c));
}

bool ht_span_is_name(ht_span span) {
    for (size_t i = 0; i < span.length; ++i)
        if (!name_character(span.text[i], i == 0))
            return false;
    return span.length > 0;
}

ht_status ht_span_error(ht_span span, ht_error *error, const char *format, ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return ht_error_set_at(error, HT_ERROR_INPUT, span.place.file, span.place.line,
                           span.place.column, "%s", message);
}

size_t ht_span_find(ht_span span, char separator, bool angles) {
    int depth = 0;
    for (size_t i = 0; i < span.length; ++i) {
        char c = span.text[i];
        if (c == separator && depth == 0)
            return i;
        if (strchr("([{", c) || (angles && c == '<'))
            ++depth;
        else if (depth && (strchr(")]}", c) || (angles && c == '>')))
            --depth;
    }
    return span.length;
}

bool ht_span_split(ht_span *span, char separator, bool angles, ht_span *out_piece) {
    if (!span->text)
        return false;
    size_t at = ht_span_find(*span, separator, angles);
    *out_piece = ht_span_trim(ht_span_part(*span, 0, at));
    if (at == span->length)
        *span = (ht_span){0};
    else
        *span = ht_span_part(*span, at + 1, span->length);
    return true;
}

/* Returns "'x'", or "the end" for nothing left: what an error says it found. */
static const char *found(ht_span span, char buffer[48]) {
    span = ht_span_trim(span);
    if (!span.length)
        return "the end";
    size_t length = 1;
    while (length < span.length && length < 40 && name_character(span.text[0], false) &&
           name_character(span.text[length], false))
        ++length;
    if (!isprint((unsigned char)span.text[0]))
        snprintf(buffer, 48, "byte 0x%02x", (unsigned char)span.text[0]);
    else
        snprintf(buffer, 48, "'%.*s'", (int)length, span.text);
    return buffer;
}

/* Returns the rest of the span without leading white space; at its end when there is nothing else.
 */
static ht_span skip_space(ht_span span) {
    size_t from = 0;
    while (from < span.length && isspace((unsigned char)span.text[from]))
        ++from;
    return ht_span_part(span, from, span.length);
}

ht_status ht_span_take_name(ht_span *span, bool qualified, const char *what, ht_span *out_name,
                            ht_error *error) {
    char buffer[48];
    ht_span rest = skip_space(*span);
    size_t length = 0;
    for (;;) {
        size_t start = length;
        while (length < rest.length && name_character(rest.text[length], length == start))
            ++length;
        if (length == start) {
            rest = ht_span_part(rest, length, rest.length);
            return ht_span_error(rest, error, "expected %s, found %s", what, found(rest, buffer));
        }
        if (!qualified || length + 2 > rest.length || strncmp(rest.text + length, "::", 2) != 0)
            break;
        length += 2;
    }
    *out_name = ht_span_part(rest, 0, length);
    *span = ht_span_part(rest, length, rest.length);
    return HT_OK;
}

bool ht_span_take(ht_span *span, char c) {
    ht_span rest = skip_space(*span);
    if (!rest.length || rest.text[0] != c)
        return false;
    *span = ht_span_part(rest, 1, rest.length);
    return true;
}

/* Returns the position of the bracket that closes the one at 0; 0 when none does, with *out_open
 * the innermost that lacks its own. */
static size_t closing(ht_span span, char open, size_t *out_open) {
    enum { NESTING_MAX = 256 };
    size_t stack[NESTING_MAX] = {0}, depth = 0;
    for (size_t i = 0; i < span.length; ++i) {
        char c = span.text[i];
        if (strchr("([{", c) || (open == '<' && c == '<')) {
            if (depth == NESTING_MAX)
                break;
            stack[depth++] = i;
        } else if (depth && (strchr(")]}", c) || (open == '<' && c == '>'))) {
            char opened = span.text[stack[depth - 1]];
            if (c != (opened == '(' ? ')' : opened == '[' ? ']' : opened == '{' ? '}' : '>'))
                break;
            if (!--depth)
                return i;
        }
    }
    *out_open = depth ? stack[depth - 1] : 0;
    return 0;
}

ht_status ht_span_take_group(ht_span *span, char open, const char *what, ht_span *out_inside,
                             ht_error *error) {
    char buffer[48];
    ht_span rest = skip_space(*span);
    if (!rest.length || rest.text[0] != open)
        return ht_span_error(rest, error, "expected '%c' %s, found %s", open, what,
                             found(rest, buffer));
    size_t unclosed, end = closing(rest, open, &unclosed);
    if (!end)
        return ht_span_error(ht_span_part(rest, unclosed, rest.length), error,
                             "nothing closes this '%c'", rest.text[unclosed]);
    *out_inside = ht_span_part(rest, 1, end);
    *span = ht_span_part(rest, end + 1, rest.length);
    return HT_OK;
}

ht_status ht_span_expr(ht_span span, ht_expr **out_expr, ht_error *error) {
    span = ht_span_trim(span);
    char *text = ht_span_string(span);
    ht_status status = ht_expr_parse(text, span.place, out_expr, error);
    free(text);
    return status;
}

ht_status ht_span_integer(ht_span span, int64_t *out_value, ht_error *error) {
    span = ht_span_trim(span);
    if (!span.length)
        return ht_span_error(span, error, "expected an integer, found nothing");
    char *text = ht_span_string(span);
    bool negative = text[0] == '-';
    size_t sign = negative || text[0] == '+';
    while (isspace((unsigned char)text[sign]))
        ++sign;
    uint64_t number = 0;
    const char *problem = "malformed number";
    size_t length = ht_number_scan(text + sign, &number, &problem);
    bool good = length && !text[sign + length];
    if (length && good && number == (uint64_t)1 << 63 && !negative) {
        good = false;
        problem = "the number is too large for 64 bits";
    }
    free(text);
    if (!good)
        return ht_span_error(span, error, "expected an integer, found '%.*s' (%s)",
                             (int)(span.length > 40 ? 40 : span.length), span.text, problem);
    *out_value = negative ? (int64_t)-number : (int64_t)number;
    return HT_OK;
}

/* Returns the length of a real literal without a sign at `text`; 0 when there is none. */
static size_t real_length(const char *text, size_t length, bool *out_integer) {
    size_t at = 0, digits = 0;
    *out_integer = true;
    for (; at < length && isdigit((unsigned char)text[at]); ++at)
        ++digits;
    if (at < length && text[at] == '.') {
        *out_integer = false;
        for (++at; at < length && isdigit((unsigned char)text[at]); ++at)
            ++digits;
    }
    if (!digits)
        return 0;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        size_t exponent = at + 1;
        if (exponent < length && (text[exponent] == '+' || text[exponent] == '-'))
            ++exponent;
        size_t first = exponent;
        while (exponent < length && isdigit((unsigned char)text[exponent]))
            ++exponent;
        if (exponent == first)
            return 0;
        at = exponent;
        *out_integer = false;
    }
    if (at < length && !*out_integer && (text[at] == 'f' || text[at] == 'F'))
        ++at;
    return at;
}

static size_t sign_length(ht_span span) {
    return span.length && (span.text[0] == '-' || span.text[0] == '+');
}

bool ht_span_is_real(ht_span span) {
    bool integer;
    span = ht_span_trim(span);
    size_t sign = sign_length(span);
    size_t length = real_length(span.text + sign, span.length - sign, &integer);
    return length && length + sign == span.length && !integer;
}

ht_status ht_span_real(ht_span span, double *out_value, ht_error *error) {
    bool integer;
    span = ht_span_trim(span);
    if (!span.length)
        return ht_span_error(span, error, "expected a number, found nothing");
    size_t sign = sign_length(span);
    size_t length = real_length(span.text + sign, span.length - sign, &integer);
    if (!length || length + sign != span.length)
        return ht_span_error(span, error, "expected a number, found '%.*s'",
                             (int)(span.length > 40 ? 40 : span.length), span.text);
    char *text = ht_span_string(span);
    *out_value = strtod(text, NULL);
    free(text);
    if (!isfinite(*out_value))
        return ht_span_error(span, error, "the number is too large");
    return HT_OK;
}

ht_status ht_span_type(ht_span span, char **out_type, ht_error *error) {
    span = ht_span_trim(span);
    *out_type = ht_type_normalise(span.text, span.length);
    if (!*out_type)
        return ht_span_error(span, error, "expected a type, found '%.*s'",
                             (int)(span.length > 40 ? 40 : span.length), span.text);
    return HT_OK;
}
