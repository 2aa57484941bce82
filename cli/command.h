/* A command, `hiptemper NAME ...`, is one file cli/commands/cmd_NAME.c that defines an ht_command,
 * and two lines in cli/commands.c.
 *
 * The command says what its options are; options.c parses and checks them into the command's own
 * struct, help.c writes its --help from the same table. A minimal command:
 *
 *     typedef struct devices_options {
 *         bool all;
 *         const char *json;
 *     } devices_options;
 *
 *     static const ht_option options[] = {
 *         {"all", HT_OPTION_FLAG, offsetof(devices_options, all), .help = "Lists all."},
 *         {"json", HT_OPTION_JSON, offsetof(devices_options, json), "FILE", .help = "..."},
 *         {0},
 *     };
 *
 *     static int run(const ht_command_line *line) {
 *         const devices_options *given = line->options;
 *         ...
 *     }
 *
 *     const ht_command ht_command_devices = {
 *         .name = "devices",
 *         .summary = "...",
 *         .options = options,
 *         .options_size = sizeof(devices_options),
 *         .run = run,
 *     };
 */
#ifndef HT_CLI_COMMAND_H
#define HT_CLI_COMMAND_H

#include "base/nearest.h"
#include "pipeline/option_list.h"
#include "pipeline/report.h"
#include "pipeline/stop.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The kind of an option's value, and the type of its field in the command's struct. */
typedef enum ht_option_kind {
    HT_OPTION_FLAG,   /* bool; takes no value */
    HT_OPTION_TEXT,   /* const char *, not empty; borrowed from argv; NULL when not given and no
                         fallback */
    HT_OPTION_LIST,   /* ht_option_list; may be given several times */
    HT_OPTION_COUNT,  /* uint64_t, decimal, from `min` on */
    HT_OPTION_NUMBER, /* double, finite, from `min` on */
    HT_OPTION_JSON    /* const char *: a file, "-" for standard output; the value may be missing and
                         then is "-". The next    word is its value only when it is "-" or ends in
                         ".json"; --json=FILE takes any */
} ht_option_kind;

typedef struct ht_option {
    const char *name; /* "max-time" for --max-time; one letter, "I", for -I DIR and -IDIR; NULL ends
                         a table */
    ht_option_kind kind;
    size_t offset;        /* of the field in the command's struct */
    const char *value;    /* what --help calls the value: "SECONDS"; NULL for flags */
    const char *fallback; /* parsed as if given when the option is not; shown in --help; NULL: zero,
                             false, NULL */
    double min;           /* smallest allowed count or number */
    bool writes;          /* its value is a file that the command writes, not one that it reads */
    bool passed_on;       /* its value is another program's options, which begin with "--", too */
    const char *help;     /* one or more sentences; wrapped by --help */
} ht_option;

typedef struct ht_command ht_command;

typedef struct ht_command_line {
    const ht_command *command;
    void *options;   /* the command's struct, filled; owned by the dispatcher */
    char **operands; /* the words that are not options; borrowed from argv */
    size_t operand_count;
    char **arguments; /* the words after "--", of a command that takes them; borrowed from argv */
    size_t argument_count;
    char **renamed; /* "./-x.hip" for the operand "-x.hip", which compilers would take for an
                       option; owned */
    size_t renamed_count;
} ht_command_line;

struct ht_command {
    const char *name;         /* "optimize" */
    const char *summary;      /* one line in `hiptemper --help` */
    const char *usage;        /* after "hiptemper optimize": "[OPTION]... PATH..." */
    const char *description;  /* paragraphs for --help, separated by blank lines; wrapped */
    const char *examples;     /* printed as they are, indented by the printer; may be NULL */
    const char *exit_codes;   /* NULL: the common ones */
    const ht_option *options; /* ends in {0} */
    size_t options_size;
    size_t min_operands,
        max_operands;     /* 0 for max_operands: none are taken; SIZE_MAX: any number */
    const char *operand;  /* what one is called in messages: "PATH" */
    bool takes_arguments; /* words after "--" are not operands but a program's arguments */
    bool last_is_written; /* the last operand is a file that the command writes */
    int (*run)(const ht_command_line *line); /* returns the exit code */
};

/* Every command, NULL-terminated, in the order of `hiptemper --help`. */
extern const ht_command *const ht_commands[];

/* Runs `hiptemper WORDS...`: --help, --version, or a command. Returns the exit code. */
int ht_cli_main(int argc, char **argv);

/* For the tables of commands that run code from sources; `TYPE` has a member `sandbox`. It takes
 * effect before the command runs (sandbox_option.c). */
#define HT_SANDBOX_OPTION(TYPE)                                                                    \
    {"sandbox",                                                                                    \
     HT_OPTION_TEXT,                                                                               \
     offsetof(TYPE, sandbox),                                                                      \
     "on|off|auto",                                                                                \
     .fallback = "auto",                                                                           \
     .help =                                                                                       \
         "How code from sources and its compiler are confined: no network, no other programs, "    \
         "no files but a scratch folder's. auto: with what this machine has "                      \
         "('hiptemper doctor' lists it); on: not at all when a part is missing; off: not "         \
         "confined."}
/* Makes the choice in the option's value, if the command has one; returns the exit code. */
int ht_sandbox_option_apply(const ht_command_line *line);

/* options.c. Parses the words after the command's name (`argv[0]` is the first of them). Prints
 * one message and returns false when something is wrong; *out_help is set when --help was among the
 * words. */
bool ht_command_line_parse(const ht_command *command, int argc, char **argv,
                           ht_command_line *out_line, bool *out_help);
void ht_command_line_free(ht_command_line *line);

/* help.c. */
void ht_help_print_all(FILE *out);
void ht_help_print_command(const ht_command *command, FILE *out);
/* The lines of a command's exit codes. */
const char *ht_help_exit_codes(const ht_command *command);

#endif
