/* Finds the command that the first word names and runs it. */
#include "cli/command.h"

#include "base/keeper.h"
#include "base/result.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <string.h>

static const ht_command *command_find(const char *name) {
    for (size_t i = 0; ht_commands[i]; ++i) {
        if (strcmp(ht_commands[i]->name, name) == 0)
            return ht_commands[i];
    }
    return NULL;
}

static int unknown_command(const char *word) {
    const char *names[32] = {NULL};
    for (size_t i = 0; ht_commands[i] && i < 31; ++i)
        names[i] = ht_commands[i]->name;
    const char *what = word[0] == '-' ? "option" : "command";
    const char *near = ht_nearest_word(word, names);
    if (near)
        ht_report_message("unknown %s '%s'; did you mean 'hiptemper %s'?", what, word, near);
    else
        ht_report_message("unknown %s '%s' (see 'hiptemper --help')", what, word);
    return HT_EXIT_INPUT;
}

/* Adds the inputs: every file that is named and not written is one, so that no result may go
 * there. */
static void inputs_add(const ht_command_line *line) {
    const ht_command *command = line->command;
    for (size_t i = 0; i + command->last_is_written < line->operand_count; ++i)
        ht_input_add(line->operands[i]);
    for (const ht_option *option = command->options; option->name; ++option) {
        const void *field = (const char *)line->options + option->offset;
        if (option->kind == HT_OPTION_TEXT && !option->writes && !option->passed_on &&
            *(const char *const *)field)
            ht_input_add(*(const char *const *)field);
        const ht_option_list *list = option->kind == HT_OPTION_LIST ? field : NULL;
        for (size_t i = 0; list && i < list->count; ++i)
            ht_input_add(list->items[i]);
    }
}

/* Ends the output. Text for people that cannot be written, such as to a full disk, is a result that
 * is lost. */
static int output_end(int code) {
    bool flushed = fflush(stdout) == 0;
    int last = errno;
    if (flushed && !ferror(stdout))
        return code;
    ht_report_message("cannot write to standard output: %s",
                      flushed ? "an earlier part was refused; see whether its disk is full"
                              : strerror(last));
    return code ? code : HT_EXIT_FAILED;
}

static int command_run(const ht_command *command, int argc, char **argv) {
    ht_command_line line;
    bool help;
    int code = HT_EXIT_INPUT;
    if (ht_command_line_parse(command, argc, argv, &line, &help)) {
        if (help) {
            ht_help_print_command(command, stdout);
            code = HT_EXIT_OK;
        } else {
            inputs_add(&line);
            code = ht_sandbox_option_apply(&line);
            if (code == HT_EXIT_OK)
                code = command->run(&line);
        }
    }
    ht_command_line_free(&line);
    return code;
}

static int main_run(int argc, char **argv) {
    if (argc < 2) {
        ht_report_message("a command is missing (see 'hiptemper --help')");
        return HT_EXIT_INPUT;
    }
    const char *word = argv[1];
    bool help = strcmp(word, "help") == 0;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (help && argc == 2)) {
        ht_help_print_all(stdout);
        return HT_EXIT_OK;
    }
    if (strcmp(word, "--version") == 0) {
        printf("hiptemper %s\n", HT_VERSION);
        return HT_EXIT_OK;
    }
    const ht_command *command = command_find(help ? argv[2] : word);
    if (!command)
        return unknown_command(help ? argv[2] : word);
    if (help) {
        ht_help_print_command(command, stdout);
        return HT_EXIT_OK;
    }
    ht_interrupt_install();
    ht_keeper_start();
    int code = command_run(command, argc - 2, argv + 2);
    ht_keeper_stop();
    return code;
}

int ht_cli_main(int argc, char **argv) {
    return output_end(main_run(argc, argv));
}
