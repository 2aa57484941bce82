/* Completion of command lines by bash, from the tables that --help prints. */
#ifndef HT_PACKAGING_COMPLETION_H
#define HT_PACKAGING_COMPLETION_H

#include "cli/command.h"

/* Writes the file that bash-completion loads for `hiptemper`: commands, their options, the words
 * that a value may be, files and folders. */
void ht_completion_write(FILE *out);

#endif
