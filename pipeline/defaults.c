#include "pipeline/defaults.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blank(const char *at) {
    while (isspace((unsigned char)*at) || (*at == '\\' && at[1] == '\n'))
        at += *at == '\\' ? 2 : 1;
    return at;
}

/* Returns the place of the ':' if this is "param ( NAME" and then a ':', else NULL. */
static const char *directive_match(const char *at, const char *name) {
    if (strncmp(at, "param", 5) != 0)
        return NULL;
    at = skip_blank(at + 5);
    if (*at != '(')
        return NULL;
    at = skip_blank(at + 1);
    size_t length = strlen(name);
    if (strncmp(at, name, length) != 0)
        return NULL;
    at = skip_blank(at + length);
    return *at == ':' ? at : NULL;
}

/* Finds the '=' of the default and the ')' that closes the directive. */
static bool directive_end(const char *at, const char **out_equals, const char **out_close) {
    int depth = 1;
    *out_equals = NULL;
    for (; *at && depth > 0; ++at) {
        depth += *at == '(';
        depth -= *at == ')';
        if (depth == 1 && *at == '=')
            *out_equals = at;
        *out_close = at;
    }
    return depth == 0 && *out_equals;
}

/* Returns the place after "kernel(NAME": lines may have moved since the template was read, the name
 * has not. */
static const char *template_find(const char *text, const ht_template *template) {
    size_t length = strlen(template->name);
    for (const char *at = text; (at = strstr(at, "kernel")) != NULL; at += 6) {
        const char *name = skip_blank(at + 6);
        if (*name != '(')
            continue;
        name = skip_blank(name + 1);
        const char *line = at;
        while (line > text && line[-1] != '\n')
            --line;
        bool pragma = *skip_blank(line) == '#';
        bool ends = name[length] != '_' && !isalnum((unsigned char)name[length]);
        if (pragma && strncmp(name, template->name, length) == 0 && ends)
            return name;
    }
    return NULL;
}

static const char *directive_find(const char *text, const ht_template *template,
                                  const ht_param *param) {
    const char *at = template_find(text, template);
    for (; at && *at; ++at) {
        const char *found = directive_match(at, param->name);
        if (found)
            return found;
    }
    return NULL;
}

static char *default_replace(const char *text, const ht_template *template, const ht_param *param,
                             const char *value) {
    const char *colon = directive_find(text, template, param);
    const char *equals, *close;
    if (!colon || !directive_end(colon, &equals, &close))
        return NULL;
    return ht_format("%.*s= %s%s", (int)(equals - text), text, value, close);
}

ht_status ht_defaults_write(const char *text, const ht_template *template, const ht_config *config,
                            char **out_text, ht_error *error) {
    char *current = ht_strdup(text);
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        if (config->choice[i] == param->default_index)
            continue;
        char *changed =
            default_replace(current, template, param, param->values[config->choice[i]].text);
        free(current);
        if (!changed)
            return ht_error_set_at(error, HT_ERROR_INTERNAL, template->file, param->place.line, 0,
                                   "the directive of parameter %s was not found again",
                                   param->name);
        current = changed;
    }
    *out_text = current;
    return HT_OK;
}
