/* Configurations as values and as text. */
#include "templates/annotations/template.h"
#include "templates/expr/span.h"

#include <stdlib.h>
#include <string.h>

ht_config ht_config_default(const ht_template *template) {
    ht_config config = {.count = (uint16_t)template->param_count};
    for (size_t i = 0; i < template->param_count; ++i)
        config.choice[i] = (uint16_t)template->params[i].default_index;
    return config;
}

static void value_print(const ht_param *param, size_t choice, ht_text *out) {
    const char *value = param->values[choice].text;
    /* The parser splits at blanks and commas; a type with either goes in quotes. */
    const char *quote = strpbrk(value, " ,") ? "\"" : "";
    ht_text_printf(out, "%s%s=%s%s%s", out->length ? " " : "", param->name, quote, value, quote);
}

char *ht_config_string(const ht_template *template, const ht_config *config) {
    ht_text text = {0};
    for (size_t i = 0; i < template->param_count; ++i)
        value_print(&template->params[i], config->choice[i], &text);
    return ht_text_take(&text);
}

char *ht_config_brief(const ht_template *template, const ht_config *config) {
    ht_text text = {0};
    for (size_t i = 0; i < template->param_count; ++i)
        if (config->choice[i] != template->params[i].default_index)
            value_print(&template->params[i], config->choice[i], &text);
    if (!text.length)
        ht_text_append(&text, "the defaults");
    return ht_text_take(&text);
}

/* Takes the text of a value, quoted or up to a blank or comma. */
static ht_status take_value(ht_span *rest, ht_span *out_value, ht_error *error) {
    bool quoted = ht_span_take(rest, '"');
    size_t length = 0;
    if (!quoted)
        *rest = ht_span_part(*rest, strspn(rest->text, " \t"), rest->length);
    while (length < rest->length && !strchr(quoted ? "\"" : " ,\t\n\r", rest->text[length]))
        ++length;
    *out_value = ht_span_part(*rest, 0, length);
    if (quoted && length == rest->length)
        return ht_span_error(*out_value, error, "nothing closes this '\"'");
    if (!length)
        return ht_span_error(*out_value, error, "expected a value after '='");
    *rest = ht_span_part(*rest, length + quoted, rest->length);
    return HT_OK;
}

static ht_status find_value(const ht_param *param, ht_span at, size_t *out_index, ht_error *error) {
    int64_t number = 0;
    char *type = NULL;
    bool integer = param->kind == HT_PARAM_INTEGER && ht_span_integer(at, &number, NULL) == HT_OK;
    if (param->kind == HT_PARAM_TYPE && ht_span_type(at, &type, NULL) != HT_OK)
        type = NULL;
    size_t i = 0;
    for (; i < param->value_count; ++i) {
        const ht_param_value *value = &param->values[i];
        if (integer ? value->number == number
            : type  ? !strcmp(value->text, type)
                    : ht_span_is(at, value->text))
            break;
    }
    free(type);
    *out_index = i;
    if (i < param->value_count)
        return HT_OK;
    ht_text known = {0};
    for (size_t v = 0; v < param->value_count && known.length < 400; ++v)
        ht_text_printf(&known, "%s%s", v ? ", " : "", param->values[v].text);
    ht_status status =
        ht_span_error(at, error, "parameter %s has no value '%.*s'; there are %s", param->name,
                      (int)(at.length > 60 ? 60 : at.length), at.text, known.data);
    ht_text_free(&known);
    return status;
}

static ht_status unknown_parameter(const ht_template *template, ht_span name, ht_error *error) {
    ht_text known = {0};
    for (size_t i = 0; i < template->param_count; ++i)
        ht_text_printf(&known, "%s%s", i ? ", " : "; there are ", template->params[i].name);
    ht_status status = ht_span_error(name, error, "kernel %s has no parameter '%.*s'%s",
                                     template->name, (int)(name.length > 60 ? 60 : name.length),
                                     name.text, known.data ? known.data : "");
    ht_text_free(&known);
    return status;
}

ht_status ht_config_parse(const ht_template *template, const char *text, ht_config *out_config,
                          ht_error *error) {
    ht_config config = ht_config_default(template);
    bool given[HT_PARAM_MAX] = {false};
    ht_span rest = ht_span_of(text, (ht_place){0});
    for (;;) {
        ht_span name, value;
        size_t p = 0, index;
        while (rest.length && strchr(" ,\t\n\r", rest.text[0]))
            rest = ht_span_part(rest, 1, rest.length);
        if (!rest.length)
            break;
        ht_status status =
            ht_span_take_name(&rest, false, "a parameter as NAME=VALUE", &name, error);
        if (status != HT_OK)
            return status;
        while (p < template->param_count && !ht_span_is(name, template->params[p].name))
            ++p;
        if (p == template->param_count)
            return unknown_parameter(template, name, error);
        if (given[p])
            return ht_span_error(name, error, "parameter %s is given twice",
                                 template->params[p].name);
        if (!ht_span_take(&rest, '='))
            return ht_span_error(rest, error, "expected '=' after parameter %s",
                                 template->params[p].name);
        if ((status = take_value(&rest, &value, error)) != HT_OK ||
            (status = find_value(&template->params[p], value, &index, error)) != HT_OK)
            return status;
        given[p] = true;
        config.choice[p] = (uint16_t)index;
    }
    *out_config = config;
    return HT_OK;
}
