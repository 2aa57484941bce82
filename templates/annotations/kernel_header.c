#include "templates/annotations/kernel_header.h"
#include "templates/annotations/pragma_scan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is(const ht_source_token *token, const char *text) {
    return token->length == strlen(text) && !memcmp(token->text, text, token->length);
}

void ht_kernel_header_free(ht_kernel_header *header) {
    for (size_t i = 0; i < header->param_count; ++i)
        free(header->params[i].name);
    free(header->params);
    free(header->lists);
    *header = (ht_kernel_header){0};
}

/* One template parameter as it is read. */
typedef struct param_state {
    ht_source_token last; /* the last name before a default */
    size_t words;
    bool pack, has_default;
} param_state;

static bool type_word(const ht_source_token *token) {
    static const char *const words[] = {"typename", "class",  "int",   "bool",    "unsigned",
                                        "signed",   "long",   "short", "char",    "float",
                                        "double",   "size_t", "auto",  "int32_t", "uint32_t"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (is(token, words[i]))
            return true;
    return false;
}

static void end_param(ht_kernel_header *header, param_state *state) {
    if (state->words) {
        bool named = state->words > 1 && !type_word(&state->last);
        HT_GROW(header->params, header->param_count);
        header->params[header->param_count++] = (ht_header_param){
            named ? ht_strndup(state->last.text, state->last.length) : ht_strdup(""),
            state->pack || state->has_default, state->pack};
    }
    *state = (param_state){0};
}

/* Reads on after `template` up to the closing '>'; false at the end of the text. */
static bool read_header(ht_source_scanner *scanner, ht_kernel_header *header) {
    param_state state = {0};
    int angles = 0, others = 0;
    for (;;) {
        ht_source_token token = ht_source_next(scanner);
        if (!token.length)
            return false;
        if (is(&token, "("))
            ++others;
        else if (is(&token, ")"))
            --others;
        if (others)
            continue;
        if (is(&token, "<")) {
            ++angles;
        } else if (is(&token, ">")) {
            if (--angles <= 0) {
                end_param(header, &state);
                return angles == 0;
            }
        } else if (angles != 1) {
            continue;
        } else if (is(&token, ",")) {
            end_param(header, &state);
        } else if (is(&token, "=")) {
            state.has_default = true;
        } else if (is(&token, ".")) {
            state.pack = true;
        } else if (token.name && !state.has_default) {
            state.last = token;
            ++state.words;
        }
    }
}

/* Returns true for words in a declaration whose parentheses do not make them the function's
 * name. */
static bool attribute_word(const ht_source_token *token) {
    static const char *const words[] = {"__launch_bounds__", "__attribute__", "alignas",
                                        "decltype",          "__align__",     "requires",
                                        "__declspec"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (is(token, words[i]))
            return true;
    return false;
}

typedef enum declaration { DECLARATION_OTHER, DECLARATION_FOUND } declaration;

/* Reads a declaration up to its '{' or ';'. Stops before another `template` and sets *out_again
 * then. */
static declaration read_declaration(ht_source_scanner *scanner, ht_source_token token,
                                    const char *kernel, ht_header_list *out_list, bool *out_again) {
    ht_source_token before = {0};
    bool global = false, found = false, closed = false;
    int depth = 0;
    *out_again = false;
    *out_list = (ht_header_list){0};
    for (; token.length; token = ht_source_next(scanner)) {
        if (is(&token, "(") && depth++ == 0 && before.name && !attribute_word(&before) && !found) {
            found = is(&before, kernel);
            out_list->text = token.text + 1;
        } else if (is(&token, ")")) {
            if (--depth == 0 && found && !closed)
                out_list->length = (size_t)(token.text - out_list->text);
            closed = closed || (depth == 0 && found);
        } else if (is(&token, "__global__"))
            global = true;
        else if (depth <= 0 && (is(&token, "{") || is(&token, ";") || is(&token, "}")))
            break;
        else if (is(&token, "template")) {
            *out_again = true;
            break;
        }
        before = token;
    }
    if (!closed)
        *out_list = (ht_header_list){0};
    return found && global ? DECLARATION_FOUND : DECLARATION_OTHER;
}

/* Adds what another declaration of the same kernel says. */
static void merge(ht_kernel_header *known, ht_kernel_header *more) {
    if (known->param_count != more->param_count) {
        if (!known->param_count) {
            known->params = more->params;
            known->param_count = more->param_count;
            *more = (ht_kernel_header){0};
        }
        return;
    }
    for (size_t i = 0; i < known->param_count; ++i) {
        known->params[i].optional |= more->params[i].optional;
        if (!known->params[i].name[0]) {
            free(known->params[i].name);
            known->params[i].name = more->params[i].name;
            more->params[i].name = ht_strdup("");
        }
    }
}

bool ht_kernel_header_find(const char *unit, const char *kernel, ht_kernel_header *out_header) {
    ht_source_scanner scanner = {.next = unit, .line_start = true};
    bool found = false, again = false;
    const char *colon = strrchr(kernel, ':');
    *out_header = (ht_kernel_header){0};
    if (colon)
        kernel = colon + 1;
    for (;;) {
        ht_kernel_header header = {0};
        ht_header_list list;
        ht_source_token token = {0};
        if (!again)
            token = ht_source_next(&scanner);
        if (!again && !token.length)
            break;
        if (again || is(&token, "template")) {
            if (!read_header(&scanner, &header)) {
                ht_kernel_header_free(&header);
                again = false;
                continue;
            }
            token = ht_source_next(&scanner);
        }
        if (read_declaration(&scanner, token, kernel, &list, &again) == DECLARATION_FOUND) {
            merge(out_header, &header);
            HT_GROW(out_header->lists, out_header->list_count);
            out_header->lists[out_header->list_count++] = list;
            found = true;
        }
        ht_kernel_header_free(&header);
    }
    return found;
}
