#include "tools.h"

#include "base/text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tool_exists(const char *name) {
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

char *tool_output(const char *format, ...) {
    ht_text command = {0}, output = {0};
    char *words = NULL;
    va_list args;
    va_start(args, format);
    cr_assert(vasprintf(&words, format, args) > 0);
    va_end(args);
    ht_text_printf(&command, "{ %s ; } 2>&1", words);
    FILE *pipe = popen(command.data, "r");
    cr_assert_not_null(pipe);
    char part[4096];
    for (size_t size; (size = fread(part, 1, sizeof part, pipe)) > 0;)
        ht_text_append_n(&output, part, size);
    int status = pclose(pipe);
    cr_assert_eq(status, 0, "%s\n%s", words, output.data ? output.data : "");
    free(words);
    ht_text_free(&command);
    return ht_text_take(&output);
}

int number_after(const char *text, const char *label) {
    const char *at = strstr(text, label);
    return at ? atoi(at + strlen(label)) : -1;
}
