#include "refactor/source/conditional.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    ht_directive kind;
} kinds[] = {{"if", HT_DIRECTIVE_IF},           {"ifdef", HT_DIRECTIVE_IF},
             {"ifndef", HT_DIRECTIVE_IF},       {"else", HT_DIRECTIVE_ELSE},
             {"elif", HT_DIRECTIVE_ELSE},       {"elifdef", HT_DIRECTIVE_ELSE},
             {"elifndef", HT_DIRECTIVE_ELSE},   {"endif", HT_DIRECTIVE_ENDIF},
             {"define", HT_DIRECTIVE_DEFINE},   {"undef", HT_DIRECTIVE_DEFINE},
             {"include", HT_DIRECTIVE_INCLUDE}, {"include_next", HT_DIRECTIVE_INCLUDE},
             {"pragma", HT_DIRECTIVE_PRAGMA}};

ht_directive ht_directive_kind(const ht_tokens *tokens, size_t index) {
    if (index >= tokens->count || tokens->items[index].kind != HT_TOKEN_DIRECTIVE)
        return HT_DIRECTIVE_OTHER;
    ht_tokens line;
    ht_directive kind = HT_DIRECTIVE_OTHER;
    ht_tokens_read_line(tokens, index, &line);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        if (ht_tokens_is(&line, 1, kinds[i].word))
            kind = kinds[i].kind;
    ht_tokens_free(&line);
    return kind;
}

char *ht_directive_defines(const ht_tokens *tokens, size_t index) {
    ht_tokens line;
    ht_tokens_read_line(tokens, index, &line);
    char *name =
        line.count > 2 && line.items[2].kind == HT_TOKEN_NAME ? ht_tokens_text(&line, 2) : NULL;
    ht_tokens_free(&line);
    return name;
}

static bool is_branching(ht_directive kind) {
    return kind == HT_DIRECTIVE_IF || kind == HT_DIRECTIVE_ELSE || kind == HT_DIRECTIVE_ENDIF;
}

bool ht_source_has_conditional(const ht_source *source, size_t file, ht_range range) {
    const ht_tokens *tokens = ht_source_tokens(source, file);
    for (size_t i = ht_tokens_at(tokens, range.begin);
         i < tokens->count && tokens->items[i].begin < range.end; ++i)
        if (is_branching(ht_directive_kind(tokens, i)))
            return true;
    return false;
}

bool ht_source_in_conditional(const ht_source *source, size_t file, ht_range around,
                              size_t offset) {
    const ht_tokens *tokens = ht_source_tokens(source, file);
    int depth = 0;
    for (size_t i = ht_tokens_at(tokens, around.begin);
         i < tokens->count && tokens->items[i].begin < offset; ++i) {
        ht_directive kind = ht_directive_kind(tokens, i);
        depth += (kind == HT_DIRECTIVE_IF) - (kind == HT_DIRECTIVE_ENDIF);
    }
    return depth > 0;
}

int ht_source_line(const ht_source *source, size_t file, size_t offset) {
    const ht_user_file *of = &source->files[file];
    int line = 1;
    for (size_t i = 0; i < offset && i < of->length; ++i)
        line += of->text[i] == '\n';
    return line;
}

/* Finds the #if of the branch with this token, and whether the branch is its first. */
static bool opening(const ht_tokens *tokens, size_t index, size_t *out_opening, bool *out_first) {
    int depth = 0;
    *out_first = true;
    for (size_t i = index + 1; i-- > 0;) {
        ht_directive kind = ht_directive_kind(tokens, i);
        if (kind == HT_DIRECTIVE_ENDIF && i != index)
            ++depth;
        else if (kind == HT_DIRECTIVE_ELSE && depth == 0)
            *out_first = false;
        else if (kind == HT_DIRECTIVE_IF && depth-- == 0) {
            *out_opening = i;
            return true;
        }
    }
    return false;
}

/* Returns "-DNAME" or "-UNAME", which selects the branch; NULL: one macro does not decide.
 * free(). */
static char *remedy(const ht_tokens *tokens, size_t index, bool first) {
    ht_tokens line;
    ht_tokens_read_line(tokens, index, &line);
    bool ifdef = ht_tokens_is(&line, 1, "ifdef"), ifndef = ht_tokens_is(&line, 1, "ifndef");
    bool negated = ht_tokens_is(&line, 2, "!");
    size_t at = ifdef || ifndef ? 2 : negated ? 3 : 2;
    bool asks = !ifdef && !ifndef && ht_tokens_is(&line, at, "defined");
    at += asks ? 1 + ht_tokens_is(&line, at + 1, "(") : 0;
    bool plain = at < line.count && line.items[at].kind == HT_TOKEN_NAME &&
                 (ifdef || ifndef || (asks ? line.count <= at + 2 : line.count == at + 1));
    bool wants = first != (ifndef || negated);
    char *name = plain ? ht_tokens_text(&line, at) : NULL;
    char *words = name ? ht_format("-%c%s", wants ? 'D' : 'U', name) : NULL;
    free(name);
    ht_tokens_free(&line);
    return words;
}

/* Returns true for '#if 0' (or '#if 1') alone. */
static bool is_literal(const ht_tokens *tokens, size_t index, const char *value) {
    ht_tokens line;
    ht_tokens_read_line(tokens, index, &line);
    bool is = line.count == 3 && ht_tokens_is(&line, 1, "if") && ht_tokens_is(&line, 2, value);
    ht_tokens_free(&line);
    return is;
}

/* A conditional that is open where the walk is. */
typedef struct level {
    bool zero, one; /* it begins with '#if 0', with '#if 1' */
    bool outer;     /* it stands where no build comes by */
    bool never;     /* so does its branch under way */
    size_t begin;   /* of that branch */
} level;

/* Adds the branch under way, which ends here, unless it is within another one. */
static void branch_end(ht_user_file *of, const level *in, size_t end) {
    if (!in->never || in->outer)
        return;
    HT_GROW(of->never, of->never_count);
    of->never[of->never_count++] = (ht_range){in->begin, end};
}

/* Finds the branches of a file that no build takes. A directive belongs to the branch it ends. */
static void never_find(ht_user_file *of, const ht_tokens *tokens) {
    level *open = NULL;
    size_t depth = 0;
    for (size_t i = 0; i < tokens->count; ++i) {
        ht_directive kind = ht_directive_kind(tokens, i);
        size_t next = tokens->items[i].begin + 1;
        if (kind == HT_DIRECTIVE_IF) {
            bool outer = depth > 0 && open[depth - 1].never;
            bool zero = is_literal(tokens, i, "0"), one = is_literal(tokens, i, "1");
            HT_GROW(open, depth);
            open[depth++] = (level){zero, one, outer, outer || zero, next};
        } else if (depth > 0 && (kind == HT_DIRECTIVE_ELSE || kind == HT_DIRECTIVE_ENDIF)) {
            level *top = &open[depth - 1];
            branch_end(of, top, next);
            top->never = top->outer || top->one;
            top->begin = next;
            depth -= kind == HT_DIRECTIVE_ENDIF;
        }
    }
    while (depth > 0)
        branch_end(of, &open[--depth], of->length);
    free(open);
}

bool ht_conditional_never(const ht_source *source, size_t file, size_t offset) {
    ht_user_file *of = &source->files[file];
    if (!of->has_never)
        never_find(of, ht_source_tokens(source, file));
    of->has_never = true;
    for (size_t i = 0; i < of->never_count; ++i)
        if (ht_range_holds(of->never[i], offset))
            return true;
    return false;
}

char *ht_conditional_words(const ht_source *source, size_t file, size_t offset) {
    const ht_tokens *tokens = ht_source_tokens(source, file);
    size_t index = ht_tokens_at(tokens, offset), begin;
    bool first;
    if (index >= tokens->count || !opening(tokens, index ? index - 1 : 0, &begin, &first))
        return ht_strdup("stands in a branch that this build does not take");
    ht_token at = tokens->items[begin];
    int length = (int)strcspn(tokens->text + at.begin, "\r\n");
    while (length > 0 && strchr(" \t\\", tokens->text[at.begin + (size_t)length - 1]))
        --length;
    char *how = remedy(tokens, begin, first);
    char *words = ht_format("stands %s '%.*s' (line %d), which this build does not take: compile "
                            "with %s to tune that branch",
                            first ? "under" : "in another branch of", length,
                            tokens->text + at.begin, ht_source_line(source, file, at.begin),
                            how ? how : "its macros set the other way");
    free(how);
    return words;
}
