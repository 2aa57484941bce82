/* Words of others in XML and Markdown; html_page.h has those of HTML. */
#ifndef HT_CLI_REPORTS_DATABASE_ESCAPE_H
#define HT_CLI_REPORTS_DATABASE_ESCAPE_H

#include "base/text.h"

/* Puts UTF-8 text as the content of an element or of an attribute in double quotes. Characters that
 * XML 1.0 has not become U+FFFD. */
void ht_xml_text(const char *text, ht_text *out);

/* Puts text as code of GitHub's Markdown, on one line, in which nothing is markup, a mention or a
 * link; also in a table. Nothing where the text is empty. */
void ht_markdown_code(const char *text, ht_text *out);

#endif
