/* Manual pages: names, usage and options from the tables that --help prints, the rest from docs/.
 */
#ifndef HT_PACKAGING_MANUAL_H
#define HT_PACKAGING_MANUAL_H

#include "cli/command.h"

/* hiptemper(1). `cli_page` is the text of docs/cli.md. */
void ht_manual_write_program(FILE *out, const char *cli_page);
/* hiptemper-NAME(1). `page` is the text of the command's page in docs/. */
void ht_manual_write_command(FILE *out, const ht_command *command, const char *page);

#endif
