#include "refactor/unit/outputs_comment.h"

#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/source/comment.h"
#include "refactor/source/names.h"
#include "refactor/transformations/register_tile/tiled.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const verbs[] = {"handles", "computes", "processes", "calculates",    "produces",
                                    "writes",  "works on", "does",      "takes care of", NULL};
static const char *const ones[] = {"exactly one", "a single", "one", "1", NULL};
static const char *const relations[] = {"per", "for each", "for every", NULL};
static const char *const nouns[] = {"element", "output", "pixel", "item",  "value", "point",
                                    "cell",    "sample", "voxel", "texel", NULL};

/* ---- words ---- */

/* Returns the length of the one of several phrases that stands at a place, as whole words; 0: none
 * does. */
static size_t phrase_at(const char *at, const char *const *phrases) {
    for (; *phrases; ++phrases) {
        size_t length = strlen(*phrases);
        if (strncasecmp(at, *phrases, length) == 0 && !ht_name_has(at[length]))
            return length;
    }
    return 0;
}

/* Returns what follows a phrase and blanks; NULL: the phrase does not stand there. */
static const char *after(const char *at, const char *const *phrases) {
    size_t length = at ? phrase_at(at, phrases) : 0;
    return length && at[length] == ' ' ? at + length + strspn(at + length, " ") : NULL;
}

/* Returns the end of the noun that stands at a place, after one other word or none; NULL: none
 * does. */
static const char *noun_end(const char *at) {
    for (int words = 0; at && words < 2; ++words) {
        size_t noun = phrase_at(at, nouns), length = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
        if (noun && !phrase_at(at + noun + (at[noun] == ' '), nouns))
            return at + noun;
        at = length && at[length] == ' ' ? at + length + 1 : NULL;
    }
    return NULL;
}

/* Finds the number of outputs in a phrase that begins with "thread", and the end of their noun.
 * Returns false for other phrases. */
static bool phrase_read(const char *thread, const char **out_count, const char **out_words,
                        const char **out_end) {
    static const char *const word[] = {"thread", NULL};
    const char *verb = after(thread, word), *count = after(verb, verbs), *per;
    if (count) {
        *out_count = count;
        *out_words = after(count, ones);
    } else if ((per = after(verb, relations)) != NULL)
        *out_count = *out_words = per;
    else
        return false;
    *out_end = *out_words ? noun_end(*out_words) : NULL;
    return *out_end != NULL;
}

/* ---- parameters ---- */

typedef struct outputs {
    ht_text names; /* "COARSEN_X,COARSEN_Y" */
    ht_text any;   /* a template expression: one is not 1 */
} outputs;

static void add(outputs *of, const char *param) {
    ht_text_printf(&of->names, of->names.length ? ",%s" : "%s", param);
    ht_text_printf(&of->any, of->any.length ? " || %s > 1" : "%s > 1", param);
}

static outputs outputs_of(const ht_plan *plan) {
    outputs of = {0};
    for (size_t i = 0; i < plan->covers.count; ++i)
        add(&of, plan->covers.items[i].param);
    if (plan->forms.tiled && plan->forms.tiled->has_plain)
        add(&of, plan->forms.tiled->plain.factor);
    return of;
}

/* ---- comments ---- */

/* Corrects what one comment says: in words that stay true where the author changes the constants.
 */
static void correct(ht_plan *plan, const outputs *of, ht_range comment) {
    const char *text = plan->model->text;
    static const char word[] = "thread ";
    for (size_t at = comment.begin; at + sizeof word < comment.end; ++at) {
        const char *count, *words, *end;
        if (strncasecmp(text + at, word, sizeof word - 1) != 0 || ht_name_has(text[at - 1]) ||
            !phrase_read(text + at, &count, &words, &end) || end > text + comment.end)
            continue;
        ht_range place = {(size_t)(count - text), (size_t)(end - text)};
        ht_range rest = {(size_t)(words - text), place.end};
        char *own = ht_format("$?{%s}{}{%s $[%zu,%zu]s}$?{!(%s)}{}{$[%zu,%zu]}", of->any.data,
                              count == words ? "tile of" : "several", rest.begin, rest.end,
                              of->any.data, place.begin, place.end);
        ht_plan_edit_applied(plan, place, of->names.data, own);
        free(own);
    }
}

/* Returns the end of a literal or a comment that begins at a place; the next character for
 * others. */
static size_t part_end(const char *text, size_t at, size_t end, bool *out_comment) {
    *out_comment = text[at] == '/' && (text[at + 1] == '/' || text[at + 1] == '*');
    if (*out_comment) {
        const char *close = strstr(text + at + 2, text[at + 1] == '/' ? "\n" : "*/");
        return close && (size_t)(close - text) < end ? (size_t)(close - text) : end;
    }
    if (text[at] != '"' && text[at] != '\'')
        return at + 1;
    size_t close = at + 1;
    while (close < end && text[close] != text[at] && text[close] != '\n')
        close += text[close] == '\\' ? 2 : 1;
    return close + 1;
}

/* Corrects the comments in a part of the source. */
static void correct_in(ht_plan *plan, const outputs *of, size_t begin, size_t end) {
    for (size_t at = begin; at < end;) {
        bool comment;
        size_t close = part_end(plan->model->text, at, end, &comment);
        if (comment)
            correct(plan, of, (ht_range){at, close});
        at = close;
    }
}

/* Returns the end of the comments that the file begins with, if it has no other kernel; else 0. */
static size_t file_comment_end(const ht_model *model) {
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    size_t kernels = 0;
    for (size_t i = 0; i < tokens->count; ++i)
        kernels += ht_tokens_is(tokens, i, "__global__");
    return kernels == 1 && tokens->count ? tokens->items[0].begin : 0;
}

void ht_outputs_comment(ht_plan *plan) {
    const ht_model *model = plan->model;
    outputs of = outputs_of(plan);
    size_t line = model->definition.range.begin;
    while (line > 0 && model->text[line - 1] != '\n')
        --line;
    size_t begin = ht_comment_begin(model->text, line), ahead = file_comment_end(model);
    bool failed = plan->running.failed;
    if (of.names.length) {
        correct_in(plan, &of, 0, ahead < begin ? ahead : begin);
        correct_in(plan, &of, begin, model->definition.range.end);
    }
    plan->running.failed = failed; /* comments are no reason */
    ht_text_free(&of.names);
    ht_text_free(&of.any);
}
