/* Writes text made of pieces of the source with places replaced. The plan gets the pieces as
 * ranges, so that other transformations' edits inside them appear wherever a piece is used. Private
 * to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_WRITE_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_WRITE_H

#include "base/text.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

typedef struct ht_swap {
    ht_range range; /* begin == end: inserted */
    char *text;     /* in the language of ht_plan_edit; owned */
    size_t order;
} ht_swap;

enum { HT_WRITER_LEVELS_MAX = 24 };

typedef struct ht_writer {
    ht_coarsen *c;
    ht_text text;
    ht_swap *swaps; /* owned */
    size_t swap_count;
    bool sorted, failed; /* `failed`: there are two different texts for one place */
    int depth;           /* levels of indentation in addition to the original's; below 0: less */
    /* Further levels, each of which only an applied source has for which its condition is not 0. */
    const char *levels[HT_WRITER_LEVELS_MAX];
    size_t level_count;
} ht_writer;

void ht_writer_swap(ht_writer *writer, ht_range range, char *text); /* takes `text` */
void ht_writer_swaps_clear(ht_writer *writer);
void ht_writer_source(ht_writer *writer, size_t begin, size_t end);
/* Writes new text; `$` only in ${EXPR}. */
void ht_writer_printf(ht_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Begins a line, indented like the line of `like` and by the writer's depth. */
void ht_writer_line(ht_writer *writer, size_t like);
/* Writes new text on a line of its own; _open: what follows is a level deeper; _close: it is a
 * level less deep, from this line on. */
void ht_writer_put(ht_writer *writer, size_t like, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ht_writer_open(ht_writer *writer, size_t like, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ht_writer_close(ht_writer *writer, size_t like, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Opens a counted loop: for (int COUNTER = 0; COUNTER < ${END}; COUNTER += STEP), and an `ending`;
 * `step` NULL: 1. _unrolled: with a pragma ahead. */
void ht_writer_count(ht_writer *writer, size_t like, const char *counter, const char *end,
                     const char *step, const char *ending);
void ht_writer_unrolled(ht_writer *writer, size_t like, const char *counter, const char *end,
                        const char *step, const char *ending);
/* Writes new text of several lines, each indented in that way but the first. */
void ht_writer_lines(ht_writer *writer, const char *text, size_t like);
void ht_writer_free(ht_writer *writer);
/* Appends the text of another writer, which had swaps of its own, and frees that. */
void ht_writer_join(ht_writer *writer, ht_writer *inner);
/* Returns true if braces match: only then the text can be a part of a choice, `$?{ }{ }{ }`. */
bool ht_writer_is_balanced(const ht_writer *writer);
/* Ahead of an author's loop whose body is repeated for outputs: writes `#pragma unroll` in an
 * applied source where the loop keeps its trip count for its factor. Of the larger body a compiler
 * would leave it as a loop, in which the outputs share no loads, although it unrolled the author's.
 * `several`: a template expression. */
void ht_writer_unroll_kept(ht_writer *writer, const ht_syntax *loop, const char *several);
/* Writes a statement as it is, with the comments ahead of it; _lead: these alone. */
void ht_writer_statement(ht_writer *writer, const ht_syntax *statement);
void ht_writer_lead(ht_writer *writer, const ht_syntax *node);
/* Writes the comments of that text, if there are any, on lines indented like the line of `like`. */
void ht_writer_comments(ht_writer *writer, const ht_syntax *node, size_t like);
/* Makes a writer with the same depth and no text. */
ht_writer ht_writer_inner(const ht_writer *writer);
/* Writes "TYPE name[n] = init;" for a variable that shares its declaration with others. */
void ht_writer_variable(ht_writer *writer, const ht_syntax *variable);
/* Returns the type of an index (_x_type: of x) without const, as its author wrote it where that can
 * stand alone, with a space after it; free(). NULL: it cannot be written. */
char *ht_coarsen_index_type(const ht_coarsen *c, size_t variable);
char *ht_coarsen_x_type(const ht_coarsen *c);
/* Returns "const " where the author's declaration of the index has it, else "". */
const char *ht_coarsen_index_const(const ht_coarsen *c, size_t variable);
/* Returns true if a variable that becomes an array is a number that begins as a literal 0, which `=
 * {}` sets for all outputs. */
bool ht_coarsen_starts_at_zero(const ht_coarsen *c, const ht_syntax *variable);
/* Returns the end of the `[n][m]` after a name. */
size_t ht_variable_dimensions_end(const ht_coarsen *c, const ht_syntax *node, size_t begin);

#endif
