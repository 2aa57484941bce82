#include "loop/widen.h"

#include "base/memory.h"
#include "base/text.h"
#include "loop/neighbours.h"
#include "templates/annotations/param_parse.h"
#include "templates/expr/span.h"

#include <stdlib.h>
#include <string.h>

enum { WIDEST = 1 << 16, PAST = 2 };

/* The values by number. */
typedef struct range {
    int64_t low, next_low, last_high, high; /* the two smallest, the two largest */
} range;

static bool range_read(const ht_param *param, range *out) {
    if (param->value_count < 3 || param->form || !ht_neighbours_is_size(param))
        return false;
    *out = (range){INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN};
    for (size_t i = 0; i < param->value_count; ++i) {
        int64_t value = param->values[i].number;
        if (value < out->low) {
            out->next_low = out->low;
            out->low = value;
        } else if (value < out->next_low) {
            out->next_low = value;
        }
        if (value > out->high) {
            out->last_high = out->high;
            out->high = value;
        } else if (value > out->last_high) {
            out->last_high = value;
        }
    }
    return out->low >= 1;
}

/* Returns the next value past an edge: twice, or half, where values go by doubling; else by the
 * last step. 0: there is none. */
static int64_t next_past(const range *in, bool up) {
    int64_t value;
    if (up)
        value = in->high % in->last_high == 0 ? 2 * in->high : 2 * in->high - in->last_high;
    else
        value = in->next_low == 2 * in->low ? in->low / 2 : 2 * in->low - in->next_low;
    return value >= 1 && value <= WIDEST && value != in->low ? value : 0;
}

/* Returns true if the value is at an edge that has a value past it. */
static bool is_at_edge(const ht_param *param, int64_t value, range *out, bool *out_up) {
    if (!range_read(param, out) || (value != out->high && value != out->low))
        return false;
    *out_up = value == out->high;
    return next_past(out, *out_up) > 0 && param->value_count + PAST <= HT_PARAM_VALUES_MAX;
}

char *ht_widen_edges(const ht_template *template, const ht_config *config) {
    ht_text text = {0};
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        int64_t value = param->values[config->choice[i]].number;
        range own;
        bool up;
        if (!is_at_edge(param, value, &own, &up))
            continue;
        ht_text_printf(&text, "%s%s (%lld of %lld to %lld)", text.length ? ", " : "", param->name,
                       (long long)value, (long long)own.low, (long long)own.high);
    }
    return text.length ? ht_text_take(&text) : NULL;
}

static bool value_add(ht_param *param, const char *text, int64_t number) {
    for (size_t i = 0; i < param->value_count; ++i)
        if (strcmp(param->values[i].text, text) == 0)
            return false;
    if (param->value_count == HT_PARAM_VALUES_MAX)
        return false;
    param->values = ht_realloc(param->values, param->value_count + 1, sizeof *param->values);
    param->values[param->value_count++] = (ht_param_value){number, ht_strdup(text)};
    return true;
}

size_t ht_widen_past(ht_template *template, const ht_config *config) {
    size_t added = 0;
    for (size_t i = 0; i < template->param_count; ++i) {
        ht_param *param = &template->params[i];
        range own;
        bool up;
        if (!is_at_edge(param, param->values[config->choice[i]].number, &own, &up))
            continue;
        for (int k = 0; k < PAST; ++k) {
            int64_t value = next_past(&own, up);
            if (value == 0)
                break;
            char *text = ht_format("%lld", (long long)value);
            added += value_add(param, text, value);
            free(text);
            range_read(param, &own);
        }
    }
    return added;
}

size_t ht_widen_steps(const ht_template *template, const ht_config *config, const size_t *counts,
                      ht_config *out_configs, size_t most) {
    size_t made = 0;
    for (size_t i = 0; i < template->param_count; ++i)
        for (size_t k = counts[i]; k < template->params[i].value_count && made < most; ++k) {
            out_configs[made] = *config;
            out_configs[made++].choice[i] = (uint16_t)k;
        }
    return made + ht_neighbours_trades(template, config, counts, out_configs + made, most - made);
}

bool ht_widen_like(ht_template *template, const ht_template *like) {
    if (template->param_count != like->param_count)
        return false;
    for (size_t i = 0; i < like->param_count; ++i)
        if (strcmp(template->params[i].name, like->params[i].name) != 0 ||
            template->params[i].kind != like->params[i].kind)
            return false;
    for (size_t i = 0; i < like->param_count; ++i)
        for (size_t k = 0; k < like->params[i].value_count; ++k)
            value_add(&template->params[i], like->params[i].values[k].text,
                      like->params[i].values[k].number);
    return true;
}

static ht_status param_take(ht_template *template, const ht_param *given, ht_error *error) {
    ht_param *own = (ht_param *)(size_t)ht_template_param(template, given->name);
    if (!own)
        return ht_error_set(error, HT_ERROR_INPUT, "the template has no parameter '%s'",
                            given->name);
    if (given->kind != HT_PARAM_INTEGER || !ht_neighbours_is_size(own))
        return ht_error_set(error, HT_ERROR_INPUT,
                            "parameter '%s' takes no further values: what was proved holds for "
                            "those that it has",
                            given->name);
    for (size_t i = 0; i < given->value_count; ++i) {
        if (given->values[i].number < 1 || given->values[i].number > WIDEST)
            return ht_error_set(error, HT_ERROR_INPUT, "parameter '%s': %s is not from 1 to %d",
                                given->name, given->values[i].text, WIDEST);
        value_add(own, given->values[i].text, given->values[i].number);
    }
    return HT_OK;
}

/* Takes the values of one line, from what follows its opening parenthesis. */
static ht_status line_take(ht_template *template, const char *line, ht_error *error) {
    size_t length = strcspn(line, "\n");
    while (length > 0 && line[length - 1] != ')')
        --length;
    if (length == 0)
        return ht_error_set(error, HT_ERROR_INPUT, "a line of the proposal has no closing ')'");
    ht_param given;
    const ht_span whole = ht_span_of(line, (ht_place){0});
    ht_status status = ht_param_parse(ht_span_part(whole, 0, length - 1), &given, error);
    if (status == HT_OK) {
        status = param_take(template, &given, error);
        ht_param_clear(&given);
    }
    return status;
}

ht_status ht_widen_lines(ht_template *template, const char *lines, ht_error *error) {
    static const char open[] = "param(";
    ht_status status = HT_OK;
    size_t count = 0;
    for (const char *at = lines; status == HT_OK && (at = strstr(at, open)) != NULL; ++count) {
        at += strlen(open);
        status = line_take(template, at, error);
    }
    if (status == HT_OK && count == 0)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "no line of the proposal is param(NAME : values = default)");
    return status;
}
