/* Between each two tokens stands a gap: blanks and comments. A gap between tokens that are
 * neighbours in the older text is the newer one's, with what the change has put into it. */
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

char *ht_code_rebase_apply(const ht_code_rebase *rebase, const char *changed) {
    code text = code_open(changed);
    ht_lines older = ht_lines_of(rebase->older.tokens.data), own = ht_lines_of(text.tokens.data);
    ht_text out = {0};
    ht_text_append(&out, "");
    /* a literal over several lines is a token of several lines */
    bool whole = older.count == rebase->older.list.count && own.count == text.list.count;
    size_t *match = whole ? ht_lines_match(&older, &own) : NULL;
    bool made = whole && text_append(rebase, &text, match, &out) && tokens_same(out.data, &text);
    free(match);
    ht_lines_free(&older);
    ht_lines_free(&own);
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
