#include "packaging/roff.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- characters */

static void character_write(FILE *out, char character, bool exact) {
    switch (character) {
    case '\\':
        fputs("\\e", out);
        break;
    case '-':
        fputs(exact ? "\\-" : "-", out);
        break;
    case '\'':
        fputs(exact ? "\\(aq" : "'", out);
        break;
    case '`':
        fputs("\\(ga", out);
        break;
    case '^':
        fputs("\\(ha", out);
        break;
    case '~':
        fputs("\\(ti", out);
        break;
    default:
        fputc(character, out);
    }
}

/* A line that begins with a dot or a quote would be a request. */
static void line_guard(FILE *out, const char *text, size_t length) {
    if (length && (*text == '.' || *text == '\''))
        fputs("\\&", out);
}

void ht_roff_verbatim(FILE *out, const char *text, size_t length) {
    line_guard(out, text, length);
    for (size_t i = 0; i < length; ++i) {
        character_write(out, text[i], true);
        if (text[i] == '\n')
            line_guard(out, text + i + 1, length - i - 1);
    }
}

/* Returns the length of a piece that ends in `mark`, which stands at its begin too; 0: it does not
 * end. */
static size_t marked(const char *text, size_t length, const char *mark) {
    size_t size = strlen(mark);
    if (length < 2 * size + 1 || strncmp(text, mark, size) != 0 || text[size] == ' ')
        return 0;
    for (size_t i = size + 1; i + size <= length; ++i)
        if (strncmp(text + i, mark, size) == 0)
            return i + size;
    return 0;
}

/* Returns the length of "[text](address)", and the text's; 0: it is not a link. */
static size_t link_length(const char *text, size_t length, size_t *out_text) {
    const char *middle = *text == '[' ? memmem(text, length, "](", 2) : NULL;
    const char *end = middle ? memchr(middle, ')', length - (size_t)(middle - text)) : NULL;
    if (!end || memchr(text + 1, '[', (size_t)(middle - text) - 1))
        return 0;
    *out_text = (size_t)(middle - text) - 1;
    return (size_t)(end - text) + 1;
}

/* Writes a piece of markup; returns its length, 0 where none begins. */
static size_t markup_write(FILE *out, const char *text, size_t length) {
    size_t inside;
    size_t piece = marked(text, length, "`");
    if (piece) {
        fputs("\\fB", out);
        for (size_t i = 1; i + 1 < piece; ++i)
            character_write(out, text[i] == '\n' ? ' ' : text[i], true);
        fputs("\\fR", out);
        return piece;
    }
    piece = marked(text, length, "**");
    size_t mark = piece ? 2 : 1;
    if (!piece)
        piece = marked(text, length, "*");
    if (piece) {
        fputs(mark == 2 ? "\\fB" : "\\fI", out);
        ht_roff_inline(out, text + mark, piece - 2 * mark);
        fputs("\\fR", out);
        return piece;
    }
    piece = link_length(text, length, &inside);
    if (piece)
        ht_roff_inline(out, text + 1, inside);
    return piece;
}

void ht_roff_inline(FILE *out, const char *text, size_t length) {
    line_guard(out, text, length);
    for (size_t i = 0; i < length;) {
        size_t piece = markup_write(out, text + i, length - i);
        if (piece) {
            i += piece;
            continue;
        }
        bool escaped = text[i] == '\\' && i + 1 < length && ispunct((unsigned char)text[i + 1]);
        i += escaped;
        bool dashes = text[i] == '-' && (text[i + 1] == '-' || (i && text[i - 1] == '-'));
        character_write(out, text[i], dashes);
        if (text[i] == '\n')
            line_guard(out, text + i + 1, length - i - 1);
        ++i;
    }
}

/* ---- blocks */

typedef struct page {
    FILE *out;
    const char *at;
    const char *skip;
    bool skipping; /* in the section that is left out */
    bool begun;    /* something of the page is written */
    bool headed;   /* a heading was written last: what follows needs no space above it */
} page;

typedef struct line {
    const char *text;
    size_t length;
} line;

static line line_at(const char *at) {
    return (line){at, strcspn(at, "\n")};
}

static const char *line_next(line this) {
    return this.text + this.length + (this.text[this.length] == '\n');
}

static bool is_blank(line this) {
    return strspn(this.text, " \t") >= this.length;
}

static size_t indent_of(line this) {
    return strspn(this.text, " ");
}

/* Returns the length of "- " or "12. "; 0: the line begins no item. */
static size_t bullet_of(line this) {
    const char *text = this.text + indent_of(this);
    if (strncmp(text, "- ", 2) == 0)
        return 2;
    size_t digits = strspn(text, "0123456789");
    return digits && strncmp(text + digits, ". ", 2) == 0 ? digits + 2 : 0;
}

static bool begins_block(line this) {
    return is_blank(this) || *this.text == '#' || *this.text == '|' ||
           strncmp(this.text, "```", 3) == 0 || bullet_of(this);
}

static bool is_heading(line this, const char *text) {
    size_t marks = strspn(this.text, "#");
    return text && marks && this.length == marks + 1 + strlen(text) &&
           strncmp(this.text + marks + 1, text, strlen(text)) == 0;
}

static void paragraph_begin(page *page) {
    if (!page->headed)
        fputs(".PP\n", page->out);
    page->headed = false;
    page->begun = true;
}

static void heading_write(page *page) {
    line this = line_at(page->at);
    size_t marks = strspn(this.text, "#");
    page->at = line_next(this);
    if (marks <= 2)
        page->skipping = is_heading(this, page->skip);
    if (page->skipping || marks == 1)
        return;
    fputs(marks == 2 ? ".SH \"" : ".SS \"", page->out);
    for (const char *c = this.text + marks + 1; c < this.text + this.length; ++c)
        if (*c != '`' && *c != '"')
            character_write(page->out, marks == 2 ? (char)toupper((unsigned char)*c) : *c, false);
    fputs("\"\n", page->out);
    page->begun = page->headed = true;
}

/* Writes the lines of an example; those of a block without a fence are indented by four. */
static void example_write(page *page) {
    line this = line_at(page->at);
    bool fenced = strncmp(this.text, "```", 3) == 0;
    bool usage = !fenced && !page->begun;
    bool shown = !page->skipping && !usage;
    if (shown) {
        paragraph_begin(page);
        fputs(".RS 4\n.EX\n", page->out);
    }
    if (fenced)
        page->at = line_next(this);
    const char *end = page->at; /* the last line that is not blank */
    for (const char *at = page->at; *at; at = line_next(line_at(at))) {
        this = line_at(at);
        if (fenced ? strncmp(this.text, "```", 3) == 0 : !is_blank(this) && indent_of(this) < 4)
            break;
        if (!is_blank(this))
            end = line_next(this);
    }
    while (page->at < end) {
        this = line_at(page->at);
        size_t indent = fenced || is_blank(this) ? 0 : 4;
        if (shown)
            ht_roff_verbatim(page->out, this.text + indent, this.length - indent);
        if (shown)
            fputc('\n', page->out);
        page->at = line_next(this);
    }
    this = line_at(page->at);
    if (fenced && *page->at)
        page->at = line_next(this);
    if (shown)
        fputs(".EE\n.RE\n", page->out);
}

/* Reads the lines of a paragraph or item, joined; free(). */
static char *words_read(page *page, size_t from) {
    size_t length = 0, room = strlen(page->at) + 1;
    char *words = ht_alloc(room, 1);
    bool first = true;
    while (*page->at) {
        line this = line_at(page->at);
        if (!first && begins_block(this))
            break;
        size_t indent = first ? from : indent_of(this);
        if (!first)
            words[length++] = '\n';
        memcpy(words + length, this.text + indent, this.length - indent);
        length += this.length - indent;
        page->at = line_next(this);
        first = false;
    }
    words[length] = 0;
    return words;
}

static void paragraph_write(page *page) {
    char *words = words_read(page, 0);
    if (!page->skipping) {
        paragraph_begin(page);
        ht_roff_inline(page->out, words, strlen(words));
        fputc('\n', page->out);
    }
    free(words);
}

static void item_write(page *page) {
    line this = line_at(page->at);
    size_t indent = indent_of(this), bullet = bullet_of(this);
    char *number = ht_strndup(this.text + indent, bullet - 1);
    char *words = words_read(page, indent + bullet);
    if (!page->skipping) {
        fprintf(page->out, ".IP %s\n", bullet == 2 ? "\\(bu 3" : number);
        ht_roff_inline(page->out, words, strlen(words));
        fputc('\n', page->out);
        page->begun = true;
        page->headed = false;
    }
    free(words);
    free(number);
}

enum { CELLS_MOST = 12 };

/* Parts a row at its bars; a bar after a backslash is text. Returns the number of cells. */
static size_t row_part(line this, line out_cells[CELLS_MOST]) {
    size_t count = 0, begin = 1;
    for (size_t i = 1; i < this.length && count < CELLS_MOST; ++i) {
        if (this.text[i] != '|' || this.text[i - 1] == '\\')
            continue;
        size_t first = begin, last = i;
        while (first < last && this.text[first] == ' ')
            ++first;
        while (last > first && this.text[last - 1] == ' ')
            --last;
        out_cells[count++] = (line){this.text + first, last - first};
        begin = i + 1;
    }
    return count;
}

/* Writes a cell: inside of code, too, a backslash only keeps a bar from ending the cell. */
static void cell_write(FILE *out, line cell) {
    char *text = ht_strndup(cell.text, cell.length);
    size_t length = 0;
    for (size_t i = 0; i < cell.length; ++i)
        if (text[i] != '\\' || text[i + 1] != '|')
            text[length++] = text[i];
    ht_roff_inline(out, text, length);
    free(text);
}

static void row_write(FILE *out, const line *heads, const line *cells, size_t count) {
    fputs(".TP\n", out);
    cell_write(out, cells[0]);
    fputc('\n', out);
    for (size_t i = 1; i < count; ++i) {
        if (count > 2 && heads[i].length && cells[i].length) {
            cell_write(out, heads[i]);
            fputs(": ", out);
        }
        cell_write(out, cells[i]);
        fputs(i + 1 < count && cells[i].length ? ";\n" : "\n", out);
    }
}

static void table_write(page *page) {
    line heads[CELLS_MOST], cells[CELLS_MOST];
    size_t columns = row_part(line_at(page->at), heads);
    page->at = line_next(line_at(page->at));
    while (*page->at == '|') {
        line this = line_at(page->at);
        size_t count = row_part(this, cells);
        bool rule = strspn(this.text, "|-: ") >= this.length;
        if (!rule && !page->skipping && count && count == columns)
            row_write(page->out, heads, cells, count);
        page->at = line_next(this);
    }
    page->begun = page->begun || !page->skipping;
    page->headed = false;
}

void ht_roff_page(FILE *out, const char *markdown, const char *skip) {
    page page = {.out = out, .at = markdown, .skip = skip, .headed = true};
    while (*page.at) {
        line this = line_at(page.at);
        if (is_blank(this))
            page.at = line_next(this);
        else if (*this.text == '#')
            heading_write(&page);
        else if (strncmp(this.text, "```", 3) == 0 || indent_of(this) >= 4)
            example_write(&page);
        else if (*this.text == '|')
            table_write(&page);
        else if (bullet_of(this))
            item_write(&page);
        else
            paragraph_write(&page);
    }
}
