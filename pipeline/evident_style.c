#include "pipeline/evident_style.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/evident_words.h"
#include "refactor/source/line_wrap.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, WIDTH_MAX = 120 };
enum { DEPTH_MAX = 64, WRITTEN_STEP = 4 /* of indentation in what transformations write */ };

/* A line without its blanks and its end. */
typedef struct line {
    const char *text;
    size_t indent, length; /* of `text`, which follows the indentation */
    bool tabs;             /* the indentation has some */
} line;

static line line_at(const ht_lines *lines, size_t index) {
    const char *begin = lines->text + lines->begins[index];
    const char *end = lines->text + lines->begins[index + 1];
    line out = {.text = begin};
    for (; out.text < end && (*out.text == ' ' || *out.text == '\t'); ++out.text)
        out.tabs = out.tabs || *out.text == '\t';
    while (end > out.text && isspace((unsigned char)end[-1]))
        --end;
    out.indent = (size_t)(out.text - begin);
    out.length = (size_t)(end - out.text);
    return out;
}

static bool is_text(const line *of, const char *text) {
    return of->length == strlen(text) && memcmp(of->text, text, of->length) == 0;
}

static bool ends_with(const line *of, const char *text) {
    size_t length = strlen(text);
    return of->length >= length && memcmp(of->text + of->length - length, text, length) == 0;
}

/* Returns the length of the word that begins a loop or a test: 0 if there is none. */
static size_t header_word(const line *of) {
    static const char *const words[] = {"for", "if", "while", "switch", NULL};
    for (size_t i = 0; words[i]; ++i) {
        size_t length = strlen(words[i]);
        if (of->length > length && memcmp(of->text, words[i], length) == 0 &&
            (of->text[length] == '(' || of->text[length] == ' '))
            return length;
    }
    return 0;
}

/* ---- what the author does */

typedef struct evidence {
    size_t own_lines, same_lines; /* braces of loops and tests */
    size_t blanks, none;          /* after the word of one */
    size_t steps[9];              /* after a brace: blanks more, by number; [0]: a tab */
    size_t blocks, lines;         /* comments of C, and those to the end of the line */
    size_t aligned, stepped;      /* lines after an open parenthesis: right below it, or not */
} evidence;

static void header_note(const line *of, const line *next, evidence *seen) {
    size_t word = header_word(of);
    if (!word)
        return;
    seen->none += of->text[word] == '(';
    seen->blanks += of->text[word] != '(';
    seen->same_lines += ends_with(of, "{");
    seen->own_lines += ends_with(of, ")") && is_text(next, "{");
}

static void step_note(const line *of, const line *next, evidence *seen) {
    if (!ends_with(of, "{") || !next->length || *next->text == '#' || *next->text == '}')
        return;
    size_t step = next->indent - of->indent;
    if (next->indent > of->indent && next->tabs && step == 1)
        ++seen->steps[0];
    else if (next->indent > of->indent && !next->tabs && !of->tabs && step <= 8)
        ++seen->steps[step];
}

/* Returns where a comment to the end of the line begins in a line: at its begin or after a
 * statement, where it is in no string; `length`: nowhere. */
static size_t comment_at(const line *of) {
    if (of->length >= 2 && memcmp(of->text, "//", 2) == 0)
        return 0;
    const char *found = memmem(of->text, of->length, "; // ", 5);
    bool quoted = memchr(of->text, '"', of->length) || memchr(of->text, '\'', of->length);
    return found && !quoted ? (size_t)(found - of->text) + 2 : of->length;
}

static void comment_note(const line *of, evidence *seen) {
    seen->blocks += of->length >= 2 && memcmp(of->text, "/*", 2) == 0;
    seen->lines += memmem(of->text, of->length, "//", 2) != NULL;
}

static void alignment_note(const line *of, const line *next, evidence *seen) {
    size_t open = ht_line_open(of->text, of->length, true);
    if (open == SIZE_MAX || of->tabs || next->tabs || !next->length)
        return;
    bool aligned = next->indent == of->indent + open + 1;
    seen->aligned += aligned;
    seen->stepped += !aligned;
}

static evidence evidence_of(const ht_lines *original) {
    evidence seen = {0};
    for (size_t i = 0; i + 1 < original->count; ++i) {
        line here = line_at(original, i), next = line_at(original, i + 1);
        header_note(&here, &next, &seen);
        comment_note(&here, &seen);
        step_note(&here, &next, &seen);
        alignment_note(&here, &next, &seen);
    }
    return seen;
}

/* Returns the width that new lines have at most. */
static size_t width_of(const ht_lines *original) {
    size_t longest = WIDTH;
    for (size_t i = 0; i < original->count; ++i) {
        line of = line_at(original, i);
        longest = of.indent + of.length > longest ? of.indent + of.length : longest;
    }
    return longest < WIDTH_MAX ? longest : WIDTH_MAX;
}

/* Returns the number of blanks of a step, 0 for a tab; WRITTEN_STEP where it is not evident. */
static size_t step_of(const evidence *seen) {
    size_t best = WRITTEN_STEP, sum = 0;
    for (size_t i = 0; i < sizeof seen->steps / sizeof *seen->steps; ++i) {
        sum += seen->steps[i];
        best = seen->steps[i] > seen->steps[best] ? i : best;
    }
    return 2 * seen->steps[best] > sum ? best : WRITTEN_STEP;
}

/* ---- lines that were written anew */

/* Where a run of new lines stands: their indentation as written, and what they get. */
typedef struct level {
    size_t written;
    char *given;
} level;

typedef struct styling {
    const ht_lines *original, *tuned;
    const size_t *kept;
    bool own_lines, tight, blocks, aligned;
    bool after;      /* loops count by i++ */
    size_t previous; /* the author's line ahead of the new ones */
    size_t step, width;
    level levels[DEPTH_MAX];
    size_t depth;
    bool opens; /* the line before was new, and the next one belongs to it */
    bool bare;  /* it is a test's or a loop's, without a brace */
    ht_text out;
} styling;

static bool is_authors(const styling *in, const line *of) {
    for (size_t i = 0; i < in->original->count; ++i) {
        line other = line_at(in->original, i);
        if (other.length == of->length && memcmp(other.text, of->text, of->length) == 0)
            return true;
    }
    return false;
}

static void levels_drop(styling *in, size_t depth) {
    while (in->depth > depth)
        free(in->levels[--in->depth].given);
}

/* Returns the indentation that a new line gets: a step more of the author's for one of those that
 * transformations write. Borrowed. */
static const char *indent_of(styling *in, const line *of) {
    while (in->depth && in->levels[in->depth - 1].written > of->indent)
        levels_drop(in, in->depth - 1);
    const level *top = in->depth ? &in->levels[in->depth - 1] : NULL;
    if (top && (top->written == of->indent || in->depth == DEPTH_MAX))
        return top->given;
    const char *own = of->text - of->indent;
    size_t more = top ? of->indent - top->written : 0;
    char *given;
    if (!top)
        given = ht_strndup(own, of->indent);
    else if (in->opens && more == WRITTEN_STEP && strspn(own + top->written, " ") >= more)
        given = ht_format("%s%.*s", top->given, in->step ? (int)in->step : 1,
                          in->step ? "        " : "\t");
    else
        given = ht_format("%s%.*s", top->given, (int)more, own + top->written);
    in->levels[in->depth++] = (level){of->indent, given};
    return given;
}

/* Writes a loop's or test's line with its brace on the next. */
static void split_write(styling *in, const line *of, const char *indent, const char *end) {
    size_t length = of->length - 1;
    while (length && of->text[length - 1] == ' ')
        --length;
    ht_text_printf(&in->out, "%.*s%s%s{%s", (int)length, of->text, end, indent, end);
}

/* Returns true if a line is one of the author's long lines, with another end, and no longer than
 * that, or not much longer than a line may be. */
static bool is_long_line(const styling *in, const line *of) {
    enum { BEGIN = 12, MORE = 10 };
    size_t own = of->indent + of->length;
    for (size_t i = 0; i < in->original->count && of->length >= BEGIN; ++i) {
        line other = line_at(in->original, i);
        size_t size = other.indent + other.length;
        if (size > WIDTH - BEGIN && other.indent == of->indent &&
            memcmp(other.text, of->text, BEGIN) == 0 && (own <= size || own <= in->width + MORE))
            return true;
    }
    return false;
}

/* Wraps what was written of a line, from `begin` on, as two lines where a brace has its own. */
static void lines_wrap(styling *in, size_t begin, const char *end) {
    size_t length = strcspn(in->out.data + begin, "\r\n");
    if (length <= in->width)
        return;
    char *text = ht_strdup(in->out.data + begin);
    in->out.length = begin;
    ht_line_wrap(text, length, in->width, in->aligned, end, &in->out);
    ht_text_append(&in->out, text + length);
    free(text);
}

static void new_write(styling *in, size_t index) {
    line of = line_at(in->tuned, index);
    if (!of.length && in->bare)
        return; /* an empty line that was ahead of the statement */
    const char *rest = of.text + of.length;
    const char *line_end = in->tuned->text + in->tuned->begins[index + 1];
    char *end = ht_strndup(rest, (size_t)(line_end - rest));
    bool directive = of.length && *of.text == '#';
    const char *indent = directive || !of.length ? NULL : indent_of(in, &of);
    if (indent)
        ht_text_append(&in->out, indent);
    else
        ht_text_append_n(&in->out, of.text - of.indent, of.indent);
    bool own = !is_authors(in, &of);
    char *words = NULL;
    if (own) {
        ht_evident_words evident = {in->after,
                                    ht_evident_declares_changing(in->original, in->previous)};
        words = ht_evident_words_apply(evident, of.text, of.length);
        of.text = words;
        of.length = strlen(words);
    }
    size_t begin = in->out.length - strlen(indent ? indent : "");
    size_t word = own ? header_word(&of) : 0;
    size_t blank = word && in->tight && of.text[word] == ' ' && of.text[word + 1] == '(';
    line shorter = of;
    if (blank) {
        ht_text_append_n(&in->out, of.text, word);
        shorter.text += word + 1;
        shorter.length -= word + 1;
    }
    size_t comment = own && in->blocks ? comment_at(&shorter) : shorter.length;
    if (comment < shorter.length)
        ht_text_printf(&in->out, "%.*s/*%.*s */%s", (int)comment, shorter.text,
                       (int)(shorter.length - comment - 2), shorter.text + comment + 2, end);
    else if (word && in->own_lines && ends_with(&of, ") {") && indent)
        split_write(in, &shorter, indent, end);
    else
        ht_text_printf(&in->out, "%.*s%s", (int)shorter.length, shorter.text, end);
    if (own && !is_long_line(in, &of))
        lines_wrap(in, begin, strchr(end, '\r') ? "\r\n" : "\n");
    in->bare = header_word(&of) && ends_with(&of, ")");
    if (of.length && !directive)
        in->opens = ends_with(&of, "{") || header_word(&of) || is_text(&of, "else");
    free(words);
    free(end);
}

char *ht_evident_style_apply(const ht_lines *original, const ht_lines *tuned, const size_t *kept) {
    evidence seen = evidence_of(original);
    styling in = {.original = original,
                  .tuned = tuned,
                  .kept = kept,
                  .own_lines = seen.own_lines > 2 * seen.same_lines,
                  .tight = seen.none > 0 && seen.blanks == 0,
                  .blocks = seen.blocks > 0 && seen.lines == 0,
                  .aligned = seen.aligned > seen.stepped,
                  .after = ht_evident_counts_after(original),
                  .step = step_of(&seen),
                  .width = width_of(original)};
    ht_text_append(&in.out, "");
    for (size_t i = 0; i < tuned->count; ++i) {
        if (kept[i] == SIZE_MAX) {
            new_write(&in, i);
            continue;
        }
        levels_drop(&in, 0);
        in.opens = in.bare = false;
        in.previous = kept[i];
        ht_text_append_n(&in.out, tuned->text + tuned->begins[i],
                         tuned->begins[i + 1] - tuned->begins[i]);
    }
    levels_drop(&in, 0);
    return ht_text_take(&in.out);
}
