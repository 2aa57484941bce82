#include "cli/command.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { HELP_WIDTH = 92, OPTION_COLUMN = 24 };

static const char common_exit_codes[] =
    "  0    everything asked for was done\n"
    "  1    a kernel could not be measured or verified, or a result could not be written\n"
    "  2    wrong usage or bad input\n"
    "  3    a tool, library or device is missing\n"
    "  4    the device keeps failing, with the original kernel too\n"
    "  130  interrupted; what was done until then is reported and kept\n";

/* Wraps one paragraph; the first line begins at `column`, the others are indented by `indent`. */
static void paragraph_print(FILE *out, const char *text, size_t length, size_t column,
                            size_t indent) {
    size_t at = 0;
    while (at < length) {
        while (at < length && (text[at] == ' ' || text[at] == '\n'))
            ++at;
        size_t word = strcspn(text + at, " \n");
        if (at + word > length)
            word = length - at;
        if (word == 0)
            break;
        if (column + word + (column > indent) > HELP_WIDTH && column > indent) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            ++column;
        }
        fwrite(text + at, 1, word, out);
        column += word;
        at += word;
    }
    fputc('\n', out);
}

static void paragraphs_print(FILE *out, const char *text) {
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        paragraph_print(out, text, length, 0, 0);
        text += length;
        text += strspn(text, "\n");
        if (*text)
            fputc('\n', out);
    }
}

static void option_print(FILE *out, const ht_option *option) {
    bool letter = option->name[1] == 0;
    char *form;
    if (option->kind == HT_OPTION_JSON)
        form = ht_format("--%s[=%s]", option->name, option->value ? option->value : "FILE");
    else
        form = ht_format("%s%s%s%s", letter ? "-" : "--", option->name, option->value ? " " : "",
                         option->value ? option->value : "");
    int printed = fprintf(out, "  %s", form);
    free(form);
    if (printed > OPTION_COLUMN - 2)
        fprintf(out, "\n%*s", OPTION_COLUMN, "");
    else
        fprintf(out, "%*s", OPTION_COLUMN - printed, "");
    char *text = option->fallback ? ht_format("%s (default: %s)", option->help, option->fallback)
                                  : ht_strdup(option->help);
    paragraph_print(out, text, strlen(text), OPTION_COLUMN, OPTION_COLUMN);
    free(text);
}

static void lines_print(FILE *out, const char *text) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

const char *ht_help_exit_codes(const ht_command *command) {
    return command->exit_codes ? command->exit_codes : common_exit_codes;
}

void ht_help_print_command(const ht_command *command, FILE *out) {
    fprintf(out, "hiptemper %s - %s\n\nUsage: hiptemper %s %s\n\n", command->name, command->summary,
            command->name, command->usage);
    if (command->description) {
        paragraphs_print(out, command->description);
        fputc('\n', out);
    }
    fprintf(out, "Options:\n");
    for (const ht_option *option = command->options; option->name; ++option)
        option_print(out, option);
    option_print(out, &(ht_option){.name = "help", .help = "Prints this text."});
    if (command->examples) {
        fprintf(out, "\nExamples:\n");
        lines_print(out, command->examples);
    }
    fprintf(out, "\nExit codes:\n%s", ht_help_exit_codes(command));
}

void ht_help_print_all(FILE *out) {
    fprintf(out,
            "hiptemper " HT_VERSION " - finds the fastest form of HIP kernels, and proves it\n\n"
            "Usage: hiptemper COMMAND [OPTION]... [OPERAND]...\n\nCommands:\n");
    for (size_t i = 0; ht_commands[i]; ++i)
        fprintf(out, "  %-12s %s\n", ht_commands[i]->name, ht_commands[i]->summary);
    fprintf(
        out,
        "\nStart with:\n"
        "  hiptemper optimize my_kernels.hip    tune the kernels of a file, write a faster copy\n"
        "  hiptemper COMMAND --help             what a command does, its options, examples\n"
        "  hiptemper --version\n");
}
