#include "runtime/emulate/ir_text.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool ht_ir_line(const char **at, ht_ir_span *out_line) {
    if (**at == '\0')
        return false;
    size_t length = strcspn(*at, "\n");
    *out_line = (ht_ir_span){*at, length};
    *at += length + ((*at)[length] == '\n');
    return true;
}

bool ht_ir_span_begins(ht_ir_span span, const char *prefix) {
    size_t length = strlen(prefix);
    return span.length >= length && memcmp(span.at, prefix, length) == 0;
}

/* A span that is not there has no address either. */
static const char *find(ht_ir_span span, const char *word) {
    return span.length > 0 ? memmem(span.at, span.length, word, strlen(word)) : NULL;
}

bool ht_ir_span_has(ht_ir_span span, const char *word) {
    return find(span, word) != NULL;
}

bool ht_ir_span_equal(ht_ir_span a, ht_ir_span b) {
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

ht_ir_span ht_ir_span_after(ht_ir_span span, const char *mark) {
    const char *at = find(span, mark);
    if (at == NULL)
        return (ht_ir_span){span.length > 0 ? span.at + span.length : span.at, 0};
    at += strlen(mark);
    return (ht_ir_span){at, span.length - (size_t)(at - span.at)};
}

ht_ir_span ht_ir_span_trim(ht_ir_span span) {
    while (span.length > 0 && *span.at == ' ') {
        ++span.at;
        --span.length;
    }
    while (span.length > 0 && span.at[span.length - 1] == ' ')
        --span.length;
    return span;
}

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '-';
}

ht_ir_span ht_ir_global(ht_ir_span line) {
    ht_ir_span name = ht_ir_span_after(line, "@");
    size_t length = 0;
    if (name.length > 0 && *name.at == '"') {
        const char *end = memchr(name.at + 1, '"', name.length - 1);
        length = end ? (size_t)(end - name.at) + 1 : 0;
    } else {
        while (length < name.length && in_name(name.at[length]))
            ++length;
    }
    return (ht_ir_span){name.at, length};
}

long ht_ir_value(ht_ir_span span) {
    ht_ir_span digits = ht_ir_span_after(span, "%");
    if (digits.length == 0 || !isdigit((unsigned char)*digits.at))
        return -1;
    return strtol(digits.at, NULL, 10);
}

/* Length of the text up to a comma or closing bracket that belongs to none inside. */
static size_t item_length(ht_ir_span span, char stop) {
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < span.length; ++i) {
        char c = span.at[i];
        if (c == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (depth == 0 && (c == ',' || c == ')' || c == stop))
            return i;
        else if (strchr("({[<", c))
            ++depth;
        else if (strchr(")}]>", c))
            --depth;
    }
    return span.length;
}

static ht_ir_parameter read_parameter(ht_ir_span item) {
    ht_ir_parameter parameter = {.type = {item.at, item_length(item, ' ')}};
    ht_ir_span rest = {item.at + parameter.type.length, item.length - parameter.type.length};
    ht_ir_span byval = ht_ir_span_after(rest, "byval(");
    if (byval.length > 0) {
        /* Up to the value's own name. */
        const char *end = memrchr(byval.at, '%', byval.length);
        ht_ir_span text = {byval.at - 6, end ? (size_t)(end - byval.at) + 6 : byval.length + 6};
        parameter.passing = ht_ir_span_trim(text);
        parameter.by_address = true;
    } else if (ht_ir_span_has(rest, "zeroext")) {
        parameter.passing = (ht_ir_span){"zeroext", 7};
    } else if (ht_ir_span_has(rest, "signext")) {
        parameter.passing = (ht_ir_span){"signext", 7};
    }
    return parameter;
}

size_t ht_ir_type_size(ht_ir_span type) {
    static const struct {
        const char *name;
        size_t size;
    } known[] = {{"ptr", 8}, {"double", 8}, {"float", 4}, {"half", 2}, {"bfloat", 2}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (ht_ir_span_equal(type, (ht_ir_span){known[i].name, strlen(known[i].name)}))
            return known[i].size;
    if (ht_ir_span_begins(type, "i"))
        return ((size_t)strtoul(type.at + 1, NULL, 10) + 7) / 8;
    ht_ir_span element = ht_ir_span_after(type, " x ");
    if (!ht_ir_span_begins(type, "<") || element.length == 0)
        return 0;
    --element.length; /* the '>' */
    return (size_t)strtoul(type.at + 1, NULL, 10) * ht_ir_type_size(element);
}

size_t ht_ir_parameters(ht_ir_span define, ht_ir_parameter **out_parameters) {
    ht_ir_parameter *parameters = NULL;
    size_t count = 0;
    ht_ir_span name = ht_ir_global(define);
    ht_ir_span rest = {name.at + name.length,
                       define.length - (size_t)(name.at + name.length - define.at)};
    rest = ht_ir_span_after(rest, "(");
    while (rest.length > 0 && *rest.at != ')') {
        ht_ir_span item = {rest.at, item_length(rest, ')')};
        HT_GROW(parameters, count);
        parameters[count++] = read_parameter(ht_ir_span_trim(item));
        rest.at += item.length;
        rest.length -= item.length;
        if (rest.length > 0 && *rest.at == ',') {
            ++rest.at;
            --rest.length;
        }
        rest = ht_ir_span_trim(rest);
    }
    *out_parameters = parameters;
    return count;
}
