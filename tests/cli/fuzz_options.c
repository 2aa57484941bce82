/* Command lines of any bytes: words end at newlines. The parser may refuse, but must neither crash
 * nor leak. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    return freopen("/dev/null", "w", stderr) == NULL; /* the parser's messages */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    char *words[WORDS_MAX];
    int count = 0;
    for (char *at = text, *end; at && count < WORDS_MAX; at = end) {
        end = strchr(at, '\n');
        if (end)
            *end++ = 0;
        words[count++] = at;
    }
    for (size_t i = 0; ht_commands[i]; ++i) {
        ht_command_line line;
        bool help;
        ht_command_line_parse(ht_commands[i], count, words, &line, &help);
        ht_command_line_free(&line);
    }
    free(text);
    return 0;
}
