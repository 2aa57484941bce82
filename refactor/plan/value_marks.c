#include "refactor/plan/value_marks.h"
#include "base/memory.h"
#include "refactor/plan/launch_text.h"
#include "refactor/plan/render.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* No source has these characters outside of comments and literals. */
enum { MARK_BEGIN = '\x01', MARK_VALUE = '\x02', MARK_END = '\x03' };
/* A mark is MARK_BEGIN, flags and the old value, '@', macro, '@', expression, MARK_VALUE, number,
 * MARK_END. */
static const char flag_enclosed = 'e', flag_tile = 't';

/* Returns true if the parameter has words and a value that needs a name. */
static bool is_called(const ht_plan *plan, const ht_values *values, const char *name,
                      size_t length) {
    for (size_t i = 0; i < plan->params.count; ++i) {
        const ht_planned_param *param = &plan->params.items[i];
        int64_t value;
        if (strlen(param->name) == length && strncmp(param->name, name, length) == 0)
            return param->called && !param->by_size && ht_plan_value(values, param->name, &value) &&
                   value > 1;
    }
    return false;
}

/* Returns true for sums and products of called parameters and numbers. */
static bool can_be_named(const ht_plan *plan, const ht_values *values, const char *expression) {
    size_t names = 0;
    for (const char *at = expression; *at;) {
        size_t length = ht_launch_word_length(at);
        if (length && !isdigit((unsigned char)*at)) {
            if (!is_called(plan, values, at, length))
                return false;
            ++names;
        } else if (!length && !strchr(" +-*", *at))
            return false;
        at += length ? length : 1;
    }
    return names > 0;
}

bool ht_value_mark_print(const ht_plan *plan, const ht_values *values, const char *expression,
                         int64_t value, bool enclosed, ht_text *out) {
    if (!values->named || !can_be_named(plan, values, expression))
        return false;
    bool atom = ht_launch_word_length(expression) == strlen(expression);
    ht_text_printf(out, "%c%s@@%s%c%lld%c", MARK_BEGIN, atom || enclosed ? "e" : "", expression,
                   MARK_VALUE, (long long)value, MARK_END);
    return true;
}

char *ht_value_mark_text(const ht_plan *plan, const ht_values *values, const char *expression,
                         int64_t value, const char *macro) {
    bool named = values->named && can_be_named(plan, values, expression);
    if (!named && !(values->named && macro))
        return ht_format("%lld", (long long)value);
    return ht_format("%ce@%s@%s%c%lld%c", MARK_BEGIN, macro ? macro : "", named ? expression : "",
                     MARK_VALUE, (long long)value, MARK_END);
}

char *ht_value_mark_over(const ht_values *values, const char *name, size_t length, int64_t old,
                         int64_t value) {
    if (!values->named)
        return ht_format("%lld", (long long)value);
    return ht_format("%ce%lld@%.*s@%c%lld%c", MARK_BEGIN, (long long)old, (int)length, name,
                     MARK_VALUE, (long long)value, MARK_END);
}

char *ht_value_mark_tile(const char *outputs, const char *name, int64_t old, int64_t value,
                         bool enclosed) {
    return ht_format("%c%ct%lld@%s@%s%c%lld%c", MARK_BEGIN, enclosed ? 'e' : 't', (long long)old,
                     name, outputs, MARK_VALUE, (long long)value, MARK_END);
}

char *ht_value_mark_tile_text(const ht_value_mark *mark, bool by_threads) {
    if (!by_threads)
        return ht_strndup(mark->macro, mark->macro_length);
    const char *open = mark->enclosed ? "" : "(", *close = mark->enclosed ? "" : ")";
    int64_t outputs = mark->old / strtoll(mark->number, NULL, 10);
    return ht_format("%s%ce@@%.*s%c%lld%c * %.*s%s", open, MARK_BEGIN, (int)mark->expression_length,
                     mark->expression, MARK_VALUE, (long long)outputs, MARK_END,
                     (int)mark->macro_length, mark->macro, close);
}

bool ht_value_mark_next(const char *text, ht_value_mark *out) {
    const char *begin = strchr(text, MARK_BEGIN);
    const char *macro = begin ? strchr(begin, '@') : NULL;
    const char *expression = macro ? strchr(macro + 1, '@') : NULL;
    const char *middle = expression ? strchr(expression, MARK_VALUE) : NULL;
    const char *end = middle ? strchr(middle, MARK_END) : NULL;
    if (!end)
        return false;
    size_t flags = (size_t)(macro - begin), macro_length = (size_t)(expression - macro - 1);
    *out = (ht_value_mark){.begin = begin,
                           .end = end + 1,
                           .expression = expression + 1,
                           .expression_length = (size_t)(middle - expression - 1),
                           .number = middle + 1,
                           .number_length = (size_t)(end - middle - 1),
                           .enclosed = memchr(begin, flag_enclosed, flags) != NULL,
                           .tile = memchr(begin, flag_tile, flags) != NULL,
                           .macro = macro_length ? macro + 1 : NULL,
                           .macro_length = macro_length};
    const char *old = begin + strcspn(begin, "0123456789@");
    out->old = strtoll(old, NULL, 10);
    return true;
}
