/* Writes the manual pages and bash's completion: pages DOCS OUT. DOCS/cli.md says which page each
 * command has. */
#include "packaging/completion.h"
#include "packaging/manual.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Returns the name of a command's page: the address in its row "| `NAME ...` | ... | [x](x.md) |";
 * NULL: it has none. free(). */
static char *page_name(const char *cli_page, const char *command) {
    char *begin = ht_format("\n| `%s", command);
    const char *row = cli_page;
    size_t length = strlen(begin);
    while ((row = strstr(row, begin)) && row[length] != '`' && row[length] != ' ')
        row += length;
    free(begin);
    const char *end = row ? row + 1 + strcspn(row + 1, "\n") : NULL;
    const char *address = NULL;
    for (const char *at = row; at && at < end; ++at)
        if (strncmp(at, "](", 2) == 0)
            address = at + 2;
    return address ? ht_strndup(address, strcspn(address, ")#")) : NULL;
}

typedef struct places {
    const char *docs, *out;
    char *cli_page;
} places;

static FILE *out_open(const places *in, const char *name) {
    char *path = ht_path_join(in->out, name);
    FILE *out = fopen(path, "w");
    if (!out)
        ht_report_message("cannot write %s: %m", path);
    free(path);
    return out;
}

/* Closes a file; false when something of it could not be written. */
static bool out_close(FILE *out, const char *name) {
    bool good = !ferror(out);
    good = fclose(out) == 0 && good;
    if (!good)
        ht_report_message("cannot write %s", name);
    return good;
}

static bool command_write(const places *in, const ht_command *command) {
    char *name = page_name(in->cli_page, command->name), *text = NULL;
    if (!name) {
        ht_report_message("%s/cli.md has no row with a page for %s", in->docs, command->name);
        return false;
    }
    char *path = ht_path_join(in->docs, name), *own = ht_format("hiptemper-%s.1", command->name);
    ht_error error = {0};
    FILE *out = NULL;
    bool good = ht_file_read_text(path, "page", &text, &error) == HT_OK;
    if (!good)
        ht_report_error(&error);
    if (good)
        out = out_open(in, own);
    if (out) {
        ht_manual_write_command(out, command, text);
        good = out_close(out, own);
    }
    free(own);
    free(path);
    free(name);
    free(text);
    return good && out;
}

static bool all_write(const places *in) {
    FILE *out = out_open(in, "hiptemper.1");
    if (!out)
        return false;
    ht_manual_write_program(out, in->cli_page);
    bool good = out_close(out, "hiptemper.1");
    out = out_open(in, "hiptemper.bash");
    if (!out)
        return false;
    ht_completion_write(out);
    good = out_close(out, "hiptemper.bash") && good;
    for (size_t i = 0; ht_commands[i]; ++i)
        good = command_write(in, ht_commands[i]) && good;
    return good;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        ht_report_message("usage: pages DOCS OUT");
        return HT_EXIT_INPUT;
    }
    places in = {.docs = argv[1], .out = argv[2]};
    char *path = ht_path_join(in.docs, "cli.md");
    ht_error error = {0};
    int code = HT_EXIT_FAILED;
    if (ht_dir_make(in.out, &error) != HT_OK ||
        ht_file_read_text(path, "page", &in.cli_page, &error) != HT_OK)
        code = ht_report_error(&error);
    else if (all_write(&in))
        code = HT_EXIT_OK;
    free(in.cli_page);
    free(path);
    return code;
}
