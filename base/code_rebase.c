/* Between each two tokens stands a gap: blanks and comments. A gap between tokens that are
 * neighbours in the older text is the newer one's, with what the change has put into it. Lines that
 * the change left alone hold tokens together: the shortest edit of tokens alone would take a
 * bracket that closes for another one, far from it. */
#include "base/code_rebase.h"

#include "base/code_tokens.h"
#include "base/line_diff.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct code {
    const char *text; /* borrowed */
    size_t length;
    ht_text tokens;
    ht_code_token_list list;
} code;

struct ht_code_rebase {
    code older, newer;
};

typedef struct piece {
    const char *at;
    size_t length;
} piece;

static code code_open(const char *text) {
    code opened = {.text = text, .length = strlen(text)};
    ht_code_tokens_list(text, &opened.tokens, &opened.list);
    return opened;
}

static void code_close(code *code) {
    ht_text_free(&code->tokens);
    free(code->list.items);
}

ht_code_rebase *ht_code_rebase_open(const char *older, const char *newer) {
    ht_code_rebase *rebase = ht_alloc(1, sizeof *rebase);
    *rebase = (ht_code_rebase){code_open(older), code_open(newer)};
    /* without a list the tokens are the text itself, as far as it has any */
    bool same = rebase->older.list.count == rebase->newer.list.count &&
                rebase->older.list.count > 0 &&
                strcmp(rebase->older.tokens.data, rebase->newer.tokens.data) == 0;
    if (same)
        return rebase;
    ht_code_rebase_free(rebase);
    return NULL;
}

void ht_code_rebase_free(ht_code_rebase *rebase) {
    if (!rebase)
        return;
    code_close(&rebase->older);
    code_close(&rebase->newer);
    free(rebase);
}

/* Returns what stands from the end of the token before `from` to the begin of `to`. */
static piece between(const code *code, size_t from, size_t to) {
    size_t begin = from ? code->list.items[from - 1].end : 0;
    size_t end = to < code->list.count ? code->list.items[to].begin : code->length;
    return (piece){code->text + begin, end - begin};
}

static bool piece_equal(piece a, piece b) {
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static bool piece_ends(piece whole, piece end) {
    return whole.length >= end.length &&
           memcmp(whole.at + whole.length - end.length, end.at, end.length) == 0;
}

/* Appends the newer gap with what was inserted into the older one to make the changed one. False:
 * more than that was done to it, or the place is not there in the newer one. */
static bool gap_append(piece older, piece newer, piece changed, ht_text *out) {
    size_t front = 0;
    if (piece_equal(older, newer) || piece_equal(older, changed)) {
        piece gap = piece_equal(older, newer) ? changed : newer;
        ht_text_append_n(out, gap.at, gap.length);
        return true;
    }
    while (front < older.length && front < changed.length && older.at[front] == changed.at[front])
        ++front;
    piece tail = {older.at + front, older.length - front};
    if (!piece_ends(changed, tail) || changed.length < older.length)
        return false;
    piece inserted = {changed.at + front, changed.length - older.length};
    size_t before = piece_ends(newer, tail) ? newer.length - tail.length : front;
    if (!piece_ends(newer, tail) &&
        (newer.length < front || memcmp(newer.at, older.at, front) != 0))
        return false;
    ht_text_append_n(out, newer.at, before);
    ht_text_append_n(out, inserted.at, inserted.length);
    ht_text_append_n(out, newer.at + before, newer.length - before);
    return true;
}

/* Returns true if the newer text has the older one's gaps from `from` to `to`. */
static bool gaps_same(const ht_code_rebase *rebase, size_t from, size_t to) {
    for (size_t i = from; i <= to; ++i)
        if (!piece_equal(between(&rebase->older, i, i), between(&rebase->newer, i, i)))
            return false;
    return true;
}

/* Appends the text with the newer one's gaps. `match` has for each token the older one's. */
static bool text_append(const ht_code_rebase *rebase, const code *changed, const size_t *match,
                        ht_text *out) {
    size_t begun = 0, older = 0; /* tokens up to the last that is the older text's, too */
    for (size_t i = 0; i <= changed->list.count; ++i) {
        bool last = i == changed->list.count;
        size_t same = last ? rebase->older.list.count : match[i];
        if (same == SIZE_MAX)
            continue;
        piece was = between(&rebase->older, older, same), gap = between(changed, begun, i);
        if (older == same) {
            if (!gap_append(was, between(&rebase->newer, older, same), gap, out))
                return false;
        } else { /* tokens went */
            if (!gaps_same(rebase, older, same))
                return false;
            ht_text_append_n(out, gap.at, gap.length);
        }
        if (!last)
            ht_text_append_n(out, changed->text + changed->list.items[i].begin,
                             changed->list.items[i].end - changed->list.items[i].begin);
        begun = i + 1;
        older = same + 1;
    }
    return true;
}

static bool tokens_same(const char *text, const code *code) {
    ht_text own = {0};
    ht_code_tokens_printed(text, &own);
    bool same = strcmp(own.data, code->tokens.data) == 0;
    ht_text_free(&own);
    return same;
}

/* Tokens of a line, by index. */
typedef struct span {
    size_t first, end;
} span;

/* Finds the tokens that begin on each line, as long as all of a line's end there, too. free(). */
static span *spans_of(const code *code, const ht_lines *lines) {
    span *spans = ht_alloc(lines->count + 1, sizeof *spans);
    size_t token = 0;
    for (size_t i = 0; i < lines->count; ++i) {
        size_t end = lines->begins[i + 1];
        spans[i] = (span){token, token};
        while (token < code->list.count && code->list.items[token].begin < end)
            ++token;
        bool whole = token == spans[i].first || code->list.items[token - 1].end <= end;
        spans[i].end = whole ? token : spans[i].first;
    }
    return spans;
}

/* Tokens of two texts, as lines. */
typedef struct token_lines {
    ht_lines older, changed;
} token_lines;

static ht_lines part_of(const ht_lines *lines, span part) {
    return (ht_lines){lines->text, lines->begins + part.first, part.end - part.first};
}

/* Matches the tokens of parts of the texts. */
static void part_match(const token_lines *lines, span older, span changed, size_t *match) {
    ht_lines a = part_of(&lines->older, older), b = part_of(&lines->changed, changed);
    size_t *own = ht_lines_match(&a, &b);
    for (size_t i = 0; i < b.count; ++i)
        match[changed.first + i] = own[i] == SIZE_MAX ? SIZE_MAX : older.first + own[i];
    free(own);
}

/* Returns for each token of the changed text the older one's, or SIZE_MAX: those of lines that stay
 * first, and those between two such lines on their own. free(). */
static size_t *tokens_match(const code *older, const code *changed, const token_lines *lines) {
    ht_lines older_text = ht_lines_of(older->text), changed_text = ht_lines_of(changed->text);
    span *from = spans_of(older, &older_text), *to = spans_of(changed, &changed_text);
    size_t *stays = ht_lines_match(&older_text, &changed_text);
    size_t *match = ht_alloc(changed->list.count + 1, sizeof *match);
    span done = {0, 0}; /* the tokens of the older and the changed text that come next */
    for (size_t i = 0; i < changed_text.count; ++i) {
        span own = to[i], was = stays[i] == SIZE_MAX ? (span){0, 0} : from[stays[i]];
        size_t count = own.end - own.first;
        if (count == 0 || was.end - was.first != count || was.first < done.first)
            continue;
        part_match(lines, (span){done.first, was.first}, (span){done.end, own.first}, match);
        part_match(lines, was, own, match);
        done = (span){was.end, own.end};
    }
    part_match(lines, (span){done.first, older->list.count}, (span){done.end, changed->list.count},
               match);
    free(stays);
    free(to);
    free(from);
    ht_lines_free(&changed_text);
    ht_lines_free(&older_text);
    return match;
}

char *ht_code_rebase_apply(const ht_code_rebase *rebase, const char *changed) {
    code text = code_open(changed);
    token_lines lines = {ht_lines_of(rebase->older.tokens.data), ht_lines_of(text.tokens.data)};
    ht_text out = {0};
    ht_text_append(&out, "");
    /* a literal over several lines is a token of several lines */
    bool whole =
        lines.older.count == rebase->older.list.count && lines.changed.count == text.list.count;
    size_t *match = whole ? tokens_match(&rebase->older, &text, &lines) : NULL;
    bool made = whole && text_append(rebase, &text, match, &out) && tokens_same(out.data, &text);
    free(match);
    ht_lines_free(&lines.older);
    ht_lines_free(&lines.changed);
    code_close(&text);
    if (made)
        return ht_text_take(&out);
    ht_text_free(&out);
    return NULL;
}

static int line_of(const char *text, size_t offset) {
    int line = 1;
    for (size_t i = 0; i < offset; ++i)
        line += text[i] == '\n';
    return line;
}

int ht_code_rebase_line(const ht_code_rebase *rebase, int line) {
    const ht_code_token_list *older = &rebase->older.list, *newer = &rebase->newer.list;
    size_t begin = 0;
    for (int at = 1; at < line && begin < rebase->older.length; ++begin)
        at += rebase->older.text[begin] == '\n';
    size_t token = 0;
    while (token + 1 < older->count && older->items[token].begin < begin)
        ++token;
    return line_of(rebase->newer.text, newer->items[token].begin);
}
