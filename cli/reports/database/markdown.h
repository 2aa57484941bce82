/* The report of a database for a pull request: GitHub's Markdown. */
#ifndef HT_CLI_REPORTS_DATABASE_MARKDOWN_H
#define HT_CLI_REPORTS_DATABASE_MARKDOWN_H

#include <jansson.h>

/* GitHub takes 65,536 characters as the text of a pull request or of a comment. */
enum { HT_MARKDOWN_MAX = 65000 };

/* Returns at most HT_MARKDOWN_MAX bytes: the gravest rows, and how many are left out. free(). */
char *ht_database_markdown(const json_t *document);

#endif
