/* --sandbox, the same for every command that has it. */
#include "cli/command.h"
#include "runtime/sandbox/sandbox.h"

#include <string.h>

int ht_sandbox_option_apply(const ht_command_line *line) {
    const ht_option *option = line->command->options;
    while (option->name && strcmp(option->name, "sandbox") != 0)
        ++option;
    if (!option->name)
        return HT_EXIT_OK;
    const char *value = *(const char *const *)((const char *)line->options + option->offset);
    ht_sandbox_mode mode;
    ht_error error = {0};
    if (!ht_sandbox_mode_parse(value, &mode)) {
        ht_report_message(
            "option --sandbox: '%s' is not on, off or auto (see 'hiptemper %s --help')", value,
            line->command->name);
        return HT_EXIT_INPUT;
    }
    if (ht_sandbox_require(mode, &error) != HT_OK) {
        ht_report_message("%s", error.message);
        return HT_EXIT_MISSING;
    }
    ht_sandbox_choose(mode);
    return HT_EXIT_OK;
}
