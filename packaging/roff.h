/* Manual pages from Markdown: the part of both languages that docs/ and man(7) pages need. */
#ifndef HT_PACKAGING_ROFF_H
#define HT_PACKAGING_ROFF_H

#include <stddef.h>
#include <stdio.h>

/* Writes text with its backslashes, hyphens and first dots as roff means them, `code`, **bold** and
 * *emphasis* in their fonts, and links as their text. */
void ht_roff_inline(FILE *out, const char *text, size_t length);
/* The same, without markup: what a program prints or a user types. */
void ht_roff_verbatim(FILE *out, const char *text, size_t length);

/* Writes a page of docs/: its sections as sections, paragraphs, lists, tables as lists of terms,
 * and examples. It follows a heading. `skip` is a section (its heading's text) that is left out, as
 * are the title and a first example that is the usage. */
void ht_roff_page(FILE *out, const char *markdown, const char *skip);

#endif
