#include "refactor/unit/outputs_comment.h"

#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/source/comment.h"
#include "refactor/source/names.h"
#include "refactor/transformations/register_tile/tiled.h"
#include "refactor/unit/launcher_alone.h"

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

/* Returns the length of the blanks between two words of a comment, with what begins its next line.
 */
static size_t gap_at(const char *at) {
    size_t length = strspn(at, " \t\r");
    if (at[length] != '\n')
        return length;
    length += 1 + strspn(at + length + 1, " \t");
    length += strncmp(at + length, "//", 2) == 0 ? 2 : at[length] == '*' && at[length + 1] != '/';
    return length + strspn(at + length, " \t");
}

/* Returns what follows a phrase and blanks; NULL: the phrase does not stand there. */
static const char *after(const char *at, const char *const *phrases) {
    size_t length = at ? phrase_at(at, phrases) : 0, gap = length ? gap_at(at + length) : 0;
    return gap ? at + length + gap : NULL;
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

/* A phrase that says that a thread has one output. */
typedef struct phrase {
    const char *relation;            /* "per pixel"; NULL: the thread does it by a verb */
    const char *count, *words, *end; /* "one pixel", "pixel", and after it; without a verb, the
                                        number is not said */
} phrase;

/* Reads a phrase that begins with "thread". Returns false for others. */
static bool phrase_read(const char *thread, phrase *out) {
    static const char *const word[] = {"thread", NULL};
    const char *verb = after(thread, word), *count = after(verb, verbs);
    const char *per = count ? NULL : after(verb, relations);
    *out = count ? (phrase){.count = count, .words = after(count, ones)}
                 : (phrase){.relation = verb, .count = per, .words = per};
    out->end = out->words ? noun_end(out->words) : NULL;
    return out->end != NULL;
}

/* ---- parameters ---- */

typedef struct outputs {
    ht_text names;     /* "COARSEN_X,COARSEN_Y" */
    ht_text any;       /* a template expression: one is not 1 */
    const char *tiled; /* the parameter with which they are a tile of registers; NULL: none */
    char *apart;       /* a template expression: they lie a block apart, not in a tile; owned */
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
    of.tiled = plan->forms.tiled ? plan->forms.tiled->param : NULL;
    ht_text apart = {0};
    ht_text_append(&apart, "");
    for (size_t i = 0; i < plan->params.count; ++i)
        if (ht_text_ends(plan->params.items[i].name, "_STRIDED"))
            ht_text_printf(&apart, apart.length ? " || %s" : "%s", plan->params.items[i].name);
    of.apart = ht_text_take(&apart);
    return of;
}

/* ---- comments ---- */

/* Writes what the outputs of a thread are that is said to be for one, from the `relation` on and
 * the words in `rest`: "per tile of output pixels, for several k", and, since those a block apart
 * may belong to different things, "for several elements, each of a row". free(). */
static char *group_write(const ht_plan *plan, const outputs *of, size_t relation, ht_range rest) {
    size_t gap =
        relation + phrase_at(plan->model->text + relation, relations); /* or a line's end */
    const char *after_noun = plan->model->text + rest.end;
    const ht_tiled_form *tiled = plan->forms.tiled;
    ht_text text = {0};
    after_noun += gap_at(after_noun);
    bool belongs = strncmp(after_noun, "of ", 3) == 0;
    if (of->apart[0]) {
        ht_text_printf(&text, "$?{%s}{}{for several$[%zu,%zu]$[%zu,%zu]s%s}", of->apart, gap,
                       rest.begin, rest.begin, rest.end,
                       belongs ? ", each" : " that lie a block apart");
    }
    ht_text_printf(&text, "$?{!(%s)}{}{$[%zu,%zu]tile of $[%zu,%zu]s}",
                   of->apart[0] ? of->apart : "0", relation, rest.begin, rest.begin, rest.end);
    if (tiled && tiled->has_plain && tiled->plain.name)
        ht_text_printf(&text, "$?{%s > 1}{}{, for several %s}", tiled->plain.factor,
                       tiled->plain.name);
    return ht_text_take(&text);
}

/* Corrects what one comment says: in words that stay true where the author changes the constants.
 */
static void correct(ht_plan *plan, const outputs *of, ht_range comment) {
    const char *text = plan->model->text;
    static const char word[] = "thread ";
    for (size_t at = comment.begin; at + sizeof word < comment.end; ++at) {
        phrase own_words;
        if (strncasecmp(text + at, word, sizeof word - 1) != 0 || ht_name_has(text[at - 1]) ||
            !phrase_read(text + at, &own_words) || own_words.end > text + comment.end)
            continue;
        const char *begin = own_words.relation ? own_words.relation : own_words.count;
        ht_range place = {(size_t)(begin - text), (size_t)(own_words.end - text)};
        ht_range rest = {(size_t)(own_words.words - text), place.end};
        char *group = own_words.relation ? group_write(plan, of, place.begin, rest)
                                         : ht_format("several $[%zu,%zu]s", rest.begin, rest.end);
        char *own = ht_format("$?{%s}{}{%s}$?{!(%s)}{}{$[%zu,%zu]}", of->any.data, group,
                              of->any.data, place.begin, place.end);
        ht_plan_edit_applied(plan, place, of->names.data, own);
        free(group);
        free(own);
    }
}

/* Returns the length of some words, which end ahead of `close`; 0: they do not. */
static size_t words_length(const char *at, const char *close) {
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz -");
    return length > 2 && at[length - 1] != ' ' && strchr(close, at[length]) ? length : 0;
}

/* Puts words in the place of others where the parameters have outputs. */
static void replace(ht_plan *plan, const char *params, const char *any, ht_range place,
                    const char *front, const char *back) {
    char *own = ht_format("$?{%s}{}{%s$[%zu,%zu]%s}$?{!(%s)}{}{$[%zu,%zu]}", any, front,
                          place.begin, place.end, back, any, place.begin, place.end);
    ht_plan_edit_applied(plan, place, params, own);
    free(own);
}

/* Corrects "threads (output channels)", and what a comment on the grid says of an axis: "x = output
 * channel". */
static void correct_places(ht_plan *plan, const outputs *of, ht_range comment) {
    static const char threads[] = "threads (";
    const char *text = plan->model->text, *grid = text + comment.begin;
    while (grid < text + comment.end && strncasecmp(grid, "grid", 4) != 0)
        ++grid;
    for (size_t at = comment.begin + 1; at < comment.end; ++at) {
        size_t begin = at + sizeof threads - 1;
        size_t words = strncmp(text + at, threads, sizeof threads - 1) == 0
                           ? words_length(text + begin, ")")
                           : 0;
        if (words && text[begin + words - 1] == 's')
            replace(plan, of->names.data, of->any.data, (ht_range){begin, begin + words},
                    "tiles of ", "");
        for (size_t i = 0; i < plan->covers.count; ++i) {
            const ht_cover *cover = &plan->covers.items[i];
            bool named = text[at] == 'x' + cover->axis && strncmp(text + at + 1, " = ", 3) == 0 &&
                         !ht_name_has(text[at - 1]) && grid < text + at;
            size_t length = named ? words_length(text + at + 4, ",.;\n") : 0;
            char *any = ht_format("%s > 1", cover->param);
            if (length)
                replace(plan, cover->param, any, (ht_range){at + 4, at + 4 + length}, "tile of ",
                        "s");
            free(any);
        }
    }
}

/* Returns what the kernel is that is called naive at a place, "kernel" of "naive matmul kernel";
 * NULL: it is not called so there. */
static const char *naive_kind(const char *at) {
    static const char *const naive[] = {"naive", NULL};
    static const char *const kinds[] = {"kernel", "version", "implementation", NULL};
    const char *kind = after(at, naive);
    size_t word = kind ? strspn(kind, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;
    if (kind && !phrase_at(kind, kinds) && word)
        kind += word + gap_at(kind + word);
    return kind && phrase_at(kind, kinds) ? kind : NULL;
}

/* Corrects a comment that calls the kernel naive, or the most naive, where its outputs are a tile
 * of registers. */
static void rename_naive(ht_plan *plan, const outputs *of, ht_range comment) {
    static const char most[] = "most ", word[] = "naive";
    const char *text = plan->model->text;
    for (size_t at = comment.begin; of->tiled && at < comment.end; ++at) {
        const char *kind = at > 0 && ht_name_has(text[at - 1]) ? NULL : naive_kind(text + at);
        if (!kind || kind > text + comment.end)
            continue;
        bool is_most = at >= comment.begin + strlen(most) &&
                       strncmp(text + at - strlen(most), most, strlen(most)) == 0;
        ht_range place = {at - (is_most ? strlen(most) : 0), at + strlen(word)};
        char *names = ht_format("%s,%s", of->names.data, of->tiled);
        char *own = ht_format("$?{%s && (%s)}{}{%s}$?{!(%s && (%s))}{}{$[%zu,%zu]}", of->tiled,
                              of->any.data, text[at] == 'N' ? "Register-tiled" : "register-tiled",
                              of->tiled, of->any.data, place.begin, place.end);
        ht_plan_edit_applied(plan, place, names, own);
        free(own);
        free(names);
    }
}

/* Returns the end of the lines of comment that begin with one at a place. */
static size_t lines_end(const char *text, size_t at, size_t end) {
    for (;;) {
        at += strcspn(text + at, "\n");
        size_t next = at + (text[at] == '\n');
        next += strspn(text + next, " \t");
        if (at >= end || strncmp(text + next, "//", 2) != 0)
            return at < end ? at : end;
        at = next;
    }
}

/* Returns the end of a literal or a comment that begins at a place; the next character for
 * others. */
static size_t part_end(const char *text, size_t at, size_t end, bool *out_comment) {
    *out_comment = text[at] == '/' && (text[at + 1] == '/' || text[at + 1] == '*');
    if (*out_comment && text[at + 1] == '/')
        return lines_end(text, at, end);
    if (*out_comment) {
        const char *close = strstr(text + at + 2, "*/");
        return close && (size_t)(close - text) < end ? (size_t)(close - text) : end;
    }
    if (text[at] != '"' && text[at] != '\'')
        return at + 1;
    size_t close = at + 1;
    while (close < end && text[close] != text[at] && text[close] != '\n')
        close += text[close] == '\\' ? 2 : 1;
    return close + 1;
}

/* Corrects the comments in a part of the source; those `elsewhere`, not the kernel's own, in few
 * words that cannot mean something else. */
static void correct_in(ht_plan *plan, const outputs *of, ht_range part, bool elsewhere) {
    for (size_t at = part.begin; at < part.end;) {
        bool comment;
        size_t close = part_end(plan->model->text, at, part.end, &comment);
        bool free = !elsewhere || !ht_plan_has_edit(plan, (ht_range){at, close});
        if (comment && free) {
            correct(plan, of, (ht_range){at, close});
            rename_naive(plan, of, (ht_range){at, close});
        }
        if (comment && !elsewhere)
            correct_places(plan, of, (ht_range){at, close});
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

/* Corrects what is said of the kernel where it is launched: in functions that launch nothing else,
 * and above them. */
static void correct_launchers(ht_plan *plan, const outputs *of) {
    for (size_t i = 0; i < plan->model->facts->launches.count; ++i) {
        ht_range function;
        if (ht_launcher_alone(plan->model, i, &function))
            correct_in(plan, of, function, true);
    }
}

void ht_outputs_comment(ht_plan *plan) {
    const ht_model *model = plan->model;
    outputs of = outputs_of(plan);
    size_t begin = ht_comment_above(model->text, model->definition.range.begin);
    size_t ahead = file_comment_end(model);
    bool failed = plan->running.failed;
    if (of.names.length) {
        correct_in(plan, &of, (ht_range){0, ahead < begin ? ahead : begin}, false);
        correct_in(plan, &of, (ht_range){begin, model->definition.range.end}, false);
        correct_launchers(plan, &of);
    }
    plan->running.failed = failed; /* comments are no reason */
    ht_text_free(&of.names);
    ht_text_free(&of.any);
    free(of.apart);
}
