#include "packaging/manual.h"

#include "base/memory.h"
#include "packaging/roff.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void title_write(FILE *out, const char *name) {
    fputs(".TH ", out);
    for (const char *c = name; *c; ++c)
        fputc(toupper((unsigned char)*c), out);
    fputs(" 1 \"" HT_RELEASED "\" \"hiptemper " HT_VERSION "\" \"User Commands\"\n.nh\n.ad l\n",
          out);
}

static void text_write(FILE *out, const char *text) {
    ht_roff_verbatim(out, text, strlen(text));
}

/* Writes paragraphs that are parted by blank lines. */
static void paragraphs_write(FILE *out, const char *text) {
    for (bool first = true; *text; first = false) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        fputs(first ? "" : ".PP\n", out);
        ht_roff_verbatim(out, text, length);
        fputc('\n', out);
        text += length + strspn(text + length, "\n");
    }
}

static void option_write(FILE *out, const ht_option *option) {
    const char *dashes = option->name[1] ? "--" : "-";
    char *name = ht_format("%s%s", dashes, option->name);
    fputs(".TP\n\\fB", out);
    text_write(out, name);
    free(name);
    fputs("\\fR", out);
    if (option->kind == HT_OPTION_JSON)
        fprintf(out, "[=\\fI%s\\fR]", option->value ? option->value : "FILE");
    else if (option->value) {
        fputs(" \\fI", out);
        text_write(out, option->value);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    text_write(out, option->help);
    if (option->fallback) {
        fputs("\nDefault: \\fB", out);
        text_write(out, option->fallback);
        fputs("\\fR.", out);
    }
    fputc('\n', out);
}

/* Writes lines as they are. */
static void example_write(FILE *out, const char *text) {
    fputs(".RS 4\n.EX\n", out);
    text_write(out, text);
    fputs(text[0] && text[strlen(text) - 1] == '\n' ? ".EE\n.RE\n" : "\n.EE\n.RE\n", out);
}

static void see_also_write(FILE *out, const char *self) {
    fputs(".SH \"SEE ALSO\"\n", out);
    if (self)
        fputs("\\fBhiptemper\\fR(1),\n", out);
    for (size_t i = 0; ht_commands[i]; ++i)
        if (!self || strcmp(self, ht_commands[i]->name) != 0)
            fprintf(out, "\\fBhiptemper\\-%s\\fR(1)%s\n", ht_commands[i]->name,
                    ht_commands[i + 1] ? "," : "");
    fputs(".PP\nThe pages that this one names lie in share/doc/hiptemper of the installation.\n",
          out);
}

void ht_manual_write_command(FILE *out, const ht_command *command, const char *page) {
    char *name = ht_format("hiptemper-%s", command->name);
    title_write(out, name);
    free(name);
    fprintf(out, ".SH NAME\nhiptemper\\-%s \\- ", command->name);
    text_write(out, command->summary);
    fprintf(out, "\n.SH SYNOPSIS\n\\fBhiptemper %s\\fR ", command->name);
    text_write(out, command->usage);
    fputs("\n.SH DESCRIPTION\n", out);
    if (command->description)
        paragraphs_write(out, command->description);
    fputs(".SH OPTIONS\n", out);
    for (const ht_option *option = command->options; option->name; ++option)
        option_write(out, option);
    option_write(out, &(ht_option){.name = "help", .help = "Prints usage, options and examples."});
    if (command->examples) {
        fputs(".SH EXAMPLES\n", out);
        example_write(out, command->examples);
    }
    fputs(".SH \"EXIT STATUS\"\n", out);
    example_write(out, ht_help_exit_codes(command));
    fputs(".SH NOTES\n", out);
    ht_roff_page(out, page, "Options");
    see_also_write(out, command->name);
}

void ht_manual_write_program(FILE *out, const char *cli_page) {
    title_write(out, "hiptemper");
    fputs(".SH NAME\nhiptemper \\- finds the fastest form of HIP kernels, and proves it\n"
          ".SH SYNOPSIS\n\\fBhiptemper\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... "
          "[\\fIOPERAND\\fR]...\n.br\n\\fBhiptemper\\fR [\\fICOMMAND\\fR] \\fB\\-\\-help\\fR\n.br\n"
          "\\fBhiptemper \\-\\-version\\fR\n.SH COMMANDS\n",
          out);
    for (size_t i = 0; ht_commands[i]; ++i) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", ht_commands[i]->name);
        text_write(out, ht_commands[i]->summary);
        fprintf(out, ": \\fBhiptemper\\-%s\\fR(1).\n", ht_commands[i]->name);
    }
    const char *sections = strstr(cli_page, "\n## ");
    const char *end = strstr(cli_page, "\n## For maintainers");
    char *shown = sections ? ht_strndup(sections, end ? (size_t)(end - sections) : strlen(sections))
                           : ht_strdup("");
    ht_roff_page(out, shown, NULL);
    free(shown);
    see_also_write(out, NULL);
}
