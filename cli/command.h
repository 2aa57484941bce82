/* A command, `hiptemper NAME ...`, is one file cli/cmd_NAME.c that defines an ht_command, and a
 * line in cli/commands.c.
 *
 * The command says what its options are; options.c parses and checks them into the command's own
 * struct, help.c writes its --help from the same table. A minimal command:
 *
 *     typedef struct devices_options { bool all; const char *json; } devices_options;
 *     static const ht_option options[] = {
 *         {"all", HT_OPTION_FLAG, offsetof(devices_options, all), .help = "List compile-only
 * targets too."},
 *         {"json", HT_OPTION_JSON, offsetof(devices_options, json), .help = "..."},
 *         {0}};
 *     static int run(const ht_command_line *line) { const devices_options *options = line->options;
 * ... } const ht_command ht_command_devices = {.name = "devices", .summary = "...", .options =
 * options, .options_size = sizeof(devices_options), .run = run};
 */
#ifndef HT_CLI_COMMAND_H
#define HT_CLI_COMMAND_H

#include "base/error.h"
#include "base/nearest.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What an option's value is, and the type of its field in the command's struct. */
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

typedef struct ht_option_list {
    const char **items; /* owned by the command line; elements borrowed from argv */
    size_t count;
} ht_option_list;

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
    const char *help;     /* one or more sentences; wrapped by --help */
} ht_option;

typedef struct ht_command ht_command;

typedef struct ht_command_line {
    const ht_command *command;
    void *options;   /* the command's struct, filled; owned by the dispatcher */
    char **operands; /* the words that are not options; borrowed from argv */
    size_t operand_count;
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
    bool last_is_written; /* the last operand is a file that the command writes */
    int (*run)(const ht_command_line *line); /* returns the exit code */
};

/* Every command, NULL-terminated, in the order of `hiptemper --help`. */
extern const ht_command *const ht_commands[];

/* Exit codes of every command. */
enum {
    HT_EXIT_OK = 0,
    HT_EXIT_FAILED =
        1, /* a kernel failed verification, or could not be measured; output not writable */
    HT_EXIT_INPUT = 2,   /* usage or bad input */
    HT_EXIT_MISSING = 3, /* a tool or device is not there */
    HT_EXIT_DEVICE = 4,  /* the device keeps failing */
    HT_EXIT_INTERRUPTED = 130
};

/* Runs `hiptemper WORDS...`: --help, --version, or a command. Returns the exit code. */
int ht_cli_main(int argc, char **argv);

/* For the tables of commands that run code from sources; `TYPE` has a member `sandbox`. What it
 * says is done before the command runs (sandbox_option.c). */
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

/* report.c: what every command tells the same way. */

/* "hiptemper: file:line:col: message" on standard error; returns the exit code for the error's
 * status. */
int ht_report_error(const ht_error *error);
/* "hiptemper: message", without a place. */
void ht_report_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Where the human report goes: standard output, or standard error when `json` is "-". */
FILE *ht_report_stream(const char *json);
/* Writes a document to `path` ("-": standard output); does nothing for NULL. Prints the error and
 * returns the exit code. */
int ht_report_json(const char *path, const json_t *document);
/* {"format": format, "version": version, "hiptemper": "0.1.0"}: how every --json document starts.
 * New reference. */
json_t *ht_report_json_new(const char *format, int version);
/* A JSON string of any text: bytes that are no UTF-8 (a cut message, an odd file name) become '?';
 * null for NULL. New reference. */
json_t *ht_report_json_text(const char *text);
/* Returns true if this stream may have colours and cursor movement (a terminal, NO_COLOR unset,
 * TERM not dumb). */
bool ht_report_is_terminal(FILE *stream);
bool ht_report_has_color(FILE *stream);

/* interrupt.c. The first Ctrl-C (or SIGTERM, SIGHUP) sets the flag, and what does not end by itself
 * then is ended after a while (cli/interrupt.h); the second ends it at once. */
void ht_interrupt_install(void);
extern volatile int ht_interrupted;
/* Set by those signals too, and when a time is over (--max-time): what goes on ends, and keeps what
 * it has. */
extern volatile int ht_stopped;
/* Sets when, on ht_clock_seconds; takes an earlier stop back. 0: never. */
void ht_stop_at(double seconds);

/* table.c: aligned columns, for people. Cells are copied. */
typedef struct ht_table ht_table;
/* One letter a column: 'l' left, 'r' right, 't' left and cut to what is left of the stream's width.
 */
ht_table *ht_table_new(const char *alignment, const char *const *headings);
/* As many cells as columns. */
void ht_table_row(ht_table *table, const char *const *cells);
/* Prints, indented by `indent`, and frees the table. */
void ht_table_finish(ht_table *table, FILE *out, int indent);

#endif
