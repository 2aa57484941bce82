/* compile_commands.json (clang's JSON compilation database): the sources that a project compiles,
 * and their arguments. https://clang.llvm.org/docs/JSONCompilationDatabase.html */
#ifndef HT_REFACTOR_SOURCE_COMMANDS_H
#define HT_REFACTOR_SOURCE_COMMANDS_H

#include "base/error.h"

#include <stddef.h>

/* One compiled file. Owned. */
typedef struct ht_command_entry {
    char *file;       /* joined to its folder if it is relative */
    char **arguments; /* those that matter for parsing: -I, -isystem, -iquote, -idirafter, -include,
                         -D, -U, -std, also from files of arguments; folders are joined to the
                         command's */
    size_t argument_count;
} ht_command_entry;

typedef struct ht_command_list {
    ht_command_entry *items;
    size_t count;
} ht_command_list;

/* Reads a database. `path` names the text in messages. A text that is not a database is
 * HT_ERROR_INPUT with its place. A file's entries after its first are left out. */
ht_status ht_command_list_parse(const char *text, const char *path, ht_command_list *out_list,
                                ht_error *error);
ht_status ht_command_list_load(const char *path, ht_command_list *out_list, ht_error *error);
void ht_command_list_free(ht_command_list *list);

#endif
