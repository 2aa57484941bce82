/* The one option parser: reads a command's table, checks every value, says what is wrong in one
 * line. */
#include "cli/command.h"

#include "base/file.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct parse {
    const ht_command *command;
    int argc;
    char **argv;
    int at; /* next word */
    ht_command_line *line;
} parse;

static void *field_of(const ht_command_line *line, const ht_option *option) {
    return (char *)line->options + option->offset;
}

static bool is_letter(const ht_option *option) {
    return option->name[1] == 0;
}

static const char *dashes(const ht_option *option) {
    return is_letter(option) ? "-" : "--";
}

__attribute__((format(printf, 3, 4))) static bool
complain(const ht_command *command, const ht_option *option, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (option)
        ht_report_message("option %s%s: %s (see 'hiptemper %s --help')", dashes(option),
                          option->name, text, command->name);
    else
        ht_report_message("%s (see 'hiptemper %s --help')", text, command->name);
    return false;
}

static bool count_parse(const ht_command *command, const ht_option *option, const char *value,
                        uint64_t *out) {
    for (const char *at = value; *at; ++at) {
        if (!isdigit((unsigned char)*at))
            return complain(command, option, "'%s' is not a whole number", value);
    }
    errno = 0;
    unsigned long long number = strtoull(value, NULL, 10);
    if (errno == ERANGE)
        return complain(command, option, "'%s' is too large", value);
    if ((double)number < option->min)
        return complain(command, option, "'%s' is too small; the least is %g", value, option->min);
    *out = number;
    return true;
}

static bool number_parse(const ht_command *command, const ht_option *option, const char *value,
                         double *out) {
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !isfinite(number) || isspace((unsigned char)value[0]))
        return complain(command, option, "'%s' is not a number", value);
    if (number < option->min)
        return complain(command, option, "'%s' is too small; the least is %g", value, option->min);
    *out = number;
    return true;
}

static bool value_store(const ht_command_line *line, const ht_option *option, const char *value) {
    const ht_command *command = line->command;
    void *field = field_of(line, option);
    if (option->kind != HT_OPTION_FLAG && !*value)
        return complain(command, option, "the value is empty; it takes %s",
                        option->value ? option->value : "one");
    switch (option->kind) {
    case HT_OPTION_FLAG:
        *(bool *)field = true;
        return true;
    case HT_OPTION_TEXT:
    case HT_OPTION_JSON:
        *(const char **)field = value;
        return true;
    case HT_OPTION_LIST: {
        ht_option_list *list = field;
        HT_GROW(list->items, list->count);
        list->items[list->count++] = value;
        return true;
    }
    case HT_OPTION_COUNT:
        return count_parse(command, option, value, field);
    case HT_OPTION_NUMBER:
        return number_parse(command, option, value, field);
    }
    return false;
}

static const ht_option *option_find(const ht_command *command, const char *name, size_t length) {
    for (const ht_option *option = command->options; option->name; ++option) {
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

static bool unknown_option(const ht_command *command, const char *word) {
    const char *names[64] = {"help"};
    size_t count = 1;
    for (const ht_option *option = command->options; option->name && count < 63; ++option) {
        if (!is_letter(option))
            names[count++] = option->name;
    }
    char *name = ht_strndup(word, strcspn(word, "="));
    const char *near = ht_nearest_word(name + strspn(name, "-"), names);
    bool result =
        near ? complain(command, NULL, "unknown option '%s'; did you mean '--%s'?", name, near)
             : complain(command, NULL, "unknown option '%s'", name);
    free(name);
    return result;
}

static bool ends_in_json(const char *word) {
    size_t length = strlen(word);
    return length > 5 && strcmp(word + length - 5, ".json") == 0;
}

/* Takes an option. `attached`: the text after '=' or the letter, NULL when there is none. */
static bool option_take(parse *state, const ht_option *option, const char *attached) {
    const char *next = state->at < state->argc ? state->argv[state->at] : NULL;
    if (option->kind == HT_OPTION_FLAG) {
        if (attached)
            return complain(state->command, option, "it takes no value, but got '%s'", attached);
        return value_store(state->line, option, "");
    }
    if (attached)
        return value_store(state->line, option, attached);
    if (option->kind == HT_OPTION_JSON) {
        if (!next || (strcmp(next, "-") != 0 && !ends_in_json(next)))
            return value_store(state->line, option, "-");
    } else if (!next || (!option->passed_on && strncmp(next, "--", 2) == 0)) {
        return complain(state->command, option, "the value is missing; it takes %s", option->value);
    }
    ++state->at;
    return value_store(state->line, option, next);
}

/* Takes a word for the program that the command runs, as it is. */
static void argument_take(ht_command_line *line, char *word) {
    HT_GROW(line->arguments, line->argument_count);
    line->arguments[line->argument_count++] = word;
}

static void operand_take(ht_command_line *line, char *word) {
    if (word[0] == '-' && ht_file_exists(word)) {
        HT_GROW(line->renamed, line->renamed_count);
        word = line->renamed[line->renamed_count++] = ht_format("./%s", word);
    }
    line->operands[line->operand_count++] = word;
}

static bool word_take(parse *state, char *word, bool *out_help) {
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        *out_help = true;
        return true;
    }
    if (word[0] == '-' && word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        const ht_option *option = option_find(state->command, word + 2, length);
        if (!option || length < 2)
            return unknown_option(state->command, word);
        return option_take(state, option, word[2 + length] == '=' ? word + 3 + length : NULL);
    }
    if (word[0] == '-' && word[1]) {
        const ht_option *option = option_find(state->command, word + 1, 1);
        if (!option)
            return unknown_option(state->command, word);
        return option_take(state, option, word[2] ? word + 2 : NULL);
    }
    operand_take(state->line, word);
    return true;
}

static bool fallbacks_apply(const ht_command_line *line) {
    for (const ht_option *option = line->command->options; option->name; ++option) {
        if (option->fallback && !value_store(line, option, option->fallback))
            return false;
    }
    return true;
}

static bool operands_check(const ht_command_line *line) {
    const ht_command *command = line->command;
    const char *what = command->operand ? command->operand : "operand";
    if (line->operand_count < command->min_operands)
        return complain(command, NULL, "%s is missing; usage: hiptemper %s %s", what, command->name,
                        command->usage);
    if (line->operand_count > command->max_operands)
        return complain(command, NULL, "unexpected '%s'; usage: hiptemper %s %s",
                        line->operands[command->max_operands], command->name, command->usage);
    return true;
}

bool ht_command_line_parse(const ht_command *command, int argc, char **argv,
                           ht_command_line *out_line, bool *out_help) {
    *out_line = (ht_command_line){.command = command};
    *out_help = false;
    out_line->options = ht_alloc(1, command->options_size ? command->options_size : 1);
    out_line->operands = ht_alloc((size_t)argc + 1, sizeof *out_line->operands);
    parse state = {.command = command, .argc = argc, .argv = argv, .line = out_line};
    if (!fallbacks_apply(out_line))
        return false;
    bool only_operands = false;
    while (state.at < argc) {
        char *word = argv[state.at++];
        if (!only_operands && strcmp(word, "--") == 0)
            only_operands = true;
        else if (only_operands && command->takes_arguments)
            argument_take(out_line, word);
        else if (only_operands)
            operand_take(out_line, word);
        else if (!word_take(&state, word, out_help))
            return false;
        if (*out_help)
            return true;
    }
    return operands_check(out_line);
}

void ht_command_line_free(ht_command_line *line) {
    free(line->arguments);
    for (const ht_option *option = line->command->options; option->name; ++option) {
        if (option->kind == HT_OPTION_LIST)
            free(((ht_option_list *)field_of(line, option))->items);
    }
    ht_strings_free(line->renamed, line->renamed_count);
    free(line->options);
    free(line->operands);
    *line = (ht_command_line){0};
}
